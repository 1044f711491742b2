/* SPDX-License-Identifier: MIT */
/* `rastrum doctor`: what is wrong with a recording or a link, and what to change on the target. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/doctor/doctor.h"
#include "base/error.h"
#include "cli/analysis/analysis.h"
#include "cli/completion.h"
#include "cli/layout.h"
#include "cli/live.h"
#include "cli/terminal.h"
#include "job/evidence.h"

struct doctor_args {
	struct live_args live; /* first, with the common ones in it */
	struct text_list templates;
	const char *output;
	bool is_json, wants_list, is_quiet, has_no_pager;
	unsigned color;
};

static const struct opt doctor_opts[] = {
	{ OPT_FLAG, 0, "list", NULL, offsetof(struct doctor_args, wants_list),
		.help = "list what it looks for" },
	{ OPT_FLAG, 0, "json", NULL, offsetof(struct doctor_args, is_json),
		.help = "JSON Lines: a diagnosis on each line" },
	{ OPT_CHOICE, 0, "color", "auto|always|never", offsetof(struct doctor_args, color),
		.help = "colours in text (default: on a terminal, unless NO_COLOR is set)",
		.choices = common_color_names, .n_choices = 3 },
	{ OPT_FILES, 0, "templates", "FILE|DIR", offsetof(struct doctor_args, templates),
		.help = "what events do, over the templates that are there; may be repeated",
		.complete = complete_files },
	{ .kind = OPT_END },
};

static const struct opt doctor_output_opts[] = {
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct doctor_args, output),
		.help = "write to FILE, not to standard output", .complete = complete_files },
	{ OPT_FLAG, 0, "no-pager", NULL, offsetof(struct doctor_args, has_no_pager),
		.help = "no pager on a terminal (default: PAGER, or less)" },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct doctor_args, is_quiet),
		.help = "no notes about templates" },
	{ .kind = OPT_END },
};

static const struct opt_group doctor_groups[] = {
	{ .title = "What to show, and how", .opts = doctor_opts },
	{ .title = "Where it goes", .opts = doctor_output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .title = "Live input", .opts = live_opts },
	{ .opts = NULL },
};

static const struct example doctor_examples[] = {
	{ "rastrum doctor dump.trx | head -20",
		"what is wrong with a dump, and the line of code that mends it" },
	{ "rastrum doctor --clock-hz 168MHz dump.trx", "the same where the reader knows the clock" },
	{ "rastrum doctor --json dump.trx | jq -r .diagnosis", "only the names, for a script" },
	{ NULL, NULL },
};

/* Everything of one run. */
struct session {
	const struct doctor_args *args;
	struct analysis_args analysis;
	struct survey survey;
	struct live live;
	struct observer_kind watcher; /* of a live input */
	struct scan *scan;
	bool has_color;
	unsigned n_columns; /* of the terminal, beside the lines of events; 0: as many as they need */
	bool has_output;    /* a complaint, or the head of a trace */
	bool has_found;	    /* a complaint, of any trace */
};

/* --- text ----------------------------------------------------------------------------------------------- */

static const char *const weight_colors[] = { "\033[36m", "\033[33m", "\033[31m" };
static const char code_color[] = "\033[1m", no_color[] = "\033[0m";

static const char change_label[] = "Change: ";

enum { TEXT_INDENT = 2, EVENT_INDENT = 4 };

/* Sentences may have names from inputs. */
static void doctor_sentence_put(struct outbuf *out, const struct phrase *phrase, unsigned n_written)
{
	char clean[4 * PHRASE_ROOM + 1];

	*text_clean(clean, (const uint8_t *)phrase->text, phrase->n_bytes) = '\0';
	layout_text(out, clean, TEXT_INDENT, n_written);
}

static void heading_put(struct session *session, const struct complaint *complaint)
{
	struct outbuf *out = &session->survey.out;
	const char *word = weight_names[complaint->weight];
	unsigned n_written = (unsigned)(strlen(word) + strlen(complaint->diagnosis->name)) + 4;

	outbuf_printf(out, "%s%s:%s ", session->has_color ? weight_colors[complaint->weight] : "", word,
		session->has_color ? no_color : "");
	for (const char *p = complaint->diagnosis->name; *p; p++)
		outbuf_printf(out, "%c", *p == '_' ? ' ' : *p);
	outbuf_puts(out, ": ");
	doctor_sentence_put(out, &complaint->wrong, n_written);
}

/* Lines of code are not broken: they are there to be copied. */
static void lines_put(struct session *session, const struct phrase *code)
{
	struct outbuf *out = &session->survey.out;

	for (const char *line = code->text; *line;) {
		const size_t n = strcspn(line, "\n");

		outbuf_printf(out, "%*s%s%.*s%s\n", 2 * EVENT_INDENT, "",
			session->has_color ? code_color : "", (int)n, line,
			session->has_color ? no_color : "");
		line += n + (line[n] == '\n');
	}
}

/* An event that cannot be read again is shown by its number. */
static void event_put(struct session *session, const struct evidence *evidence, uint64_t seq)
{
	struct outbuf *out = &session->survey.out;
	struct text text = evidence_find(evidence, seq);

	if (!text.n_bytes)
		outbuf_printf(out, "%*sevent %" PRIu64 "\n", EVENT_INDENT, "", seq);
	while (text.n_bytes) {
		const char *end = memchr(text.bytes, '\n', text.n_bytes);
		const size_t n = end ? (size_t)(end - text.bytes) + 1 : text.n_bytes;

		outbuf_printf(out, "%*s%.*s", EVENT_INDENT, "", (int)n, text.bytes);
		text = (struct text){ text.bytes + n, text.n_bytes - n };
	}
}

static void complaint_put(
	struct session *session, const struct complaint *complaint, const struct evidence *evidence)
{
	struct outbuf *out = &session->survey.out;

	if (session->has_output)
		outbuf_puts(out, "\n");
	session->has_output = true;
	heading_put(session, complaint);
	doctor_sentence_put(out, &complaint->evidence, 0);
	for (size_t i = 0; i < complaint->n_events; i++)
		event_put(session, evidence, complaint->events[i]);
	if (complaint->change.n_bytes) {
		outbuf_printf(out, "%*s%s", TEXT_INDENT, "", change_label);
		doctor_sentence_put(out, &complaint->change, TEXT_INDENT + sizeof(change_label) - 1);
	}
	lines_put(session, &complaint->code);
}

static int doctor_seq_compare(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* The lines of all events that prove something. */
static enum rst_status events_read(struct session *session, const struct exam *exam, size_t source,
	struct evidence *evidence, struct rst_error *err)
{
	uint64_t seqs[COMPLAINTS_MAX * COMPLAINT_EVENTS];
	size_t n = 0;

	if (session->live.is_on || !job_can_read_again(&session->survey.job, source))
		return RST_OK;
	for (size_t i = 0; i < exam->n_complaints; i++)
		for (size_t k = 0; k < exam->complaints[i].n_events; k++)
			seqs[n++] = exam->complaints[i].events[k];
	if (!n)
		return RST_OK;
	qsort(seqs, n, sizeof(*seqs), doctor_seq_compare);
	return evidence_read(
		&session->survey.job, source, seqs, n, session->n_columns, session->has_color, evidence, err);
}

/* --- one trace ------------------------------------------------------------------------------------------ */

static void doctor_head_put(struct session *session, struct rst_trace *trace)
{
	struct outbuf *out = &session->survey.out;

	if (session->args->is_json || !session->survey.job.has_several)
		return;
	outbuf_puts(out, session->has_output ? "\n" : "");
	outbuf_clean(out, rst_trace_metadata(trace)->path);
	outbuf_puts(out, ":\n");
	session->has_output = false;
}

static int complaints_put(struct session *session, const struct exam *exam, size_t source)
{
	struct json json = { .out = &session->survey.out };
	struct evidence evidence = { 0 };
	struct rst_error err;
	int exit_status = EXIT_GOOD;

	if (!session->args->is_json && events_read(session, exam, source, &evidence, &err) < 0)
		exit_status = outcome_worse(exit_status, common_fail(&err));
	for (size_t i = 0; i < exam->n_complaints; i++)
		if (session->args->is_json) {
			complaint_put_json(exam, &exam->complaints[i],
				session->survey.job.has_several ? (long)source : -1, &json);
			json_line_end(&json);
		} else {
			complaint_put(session, &exam->complaints[i], &evidence);
		}
	if (!exam->n_complaints && !session->args->is_json)
		outbuf_printf(
			&session->survey.out, "nothing wrong with %" PRIu64 " events\n", exam->n_events);
	session->has_output = true;
	session->has_found |= exam->n_complaints > 0;
	evidence_done(&evidence);
	return exit_status;
}

/* The link has to know that its bytes make events. */
static bool watcher_step(void *context, const struct scan *scan)
{
	struct session *session = context;

	link_gave(&session->live.link, scan->n_events, scan->n_rows_lost);
	return true;
}

/* Damage is a complaint, and not told here. */
static int doctor_read(struct session *session, struct rst_trace *trace, struct scan *scan)
{
	struct survey *survey = &session->survey;
	enum rst_status status;
	int exit_status;

	scan->progress = progress_update;
	scan->progress_context = &survey->progress;
	if (session->live.is_on) {
		session->watcher = (struct observer_kind){ .step = watcher_step };
		observers_add(&scan->observers, &session->watcher, session);
	}
	progress_trace(&survey->progress, trace);
	status = job_scan(&survey->job, trace, scan);
	progress_end(&survey->progress);
	exit_status = rst_trace_is_damaged(trace) ? EXIT_DAMAGED : EXIT_GOOD;
	return status < 0 ? outcome_worse(exit_status, common_fail(&survey->job.err)) : exit_status;
}

static bool has_setting(const struct text_list *settings, const char *key)
{
	for (size_t i = 0; i < settings->n_items; i++)
		if (strncmp(settings->items[i], key, strlen(key)) == 0 &&
			settings->items[i][strlen(key)] == '=')
			return true;
	return false;
}

static int doctor_trace(void *context, struct rst_trace *trace, size_t n)
{
	struct session *session = context;
	const struct live_args *live = &session->args->live;
	struct exam exam = { .baud = live->serial ? session->live.link.baud : 0,

		.begins_anywhere = session->live.is_on && !session->live.link.kind->ends,
		.has_netx = has_setting(&live->common.settings, "netx") };
	struct scan scan = { 0 };
	struct rst_error err;
	int exit_status;

	exam_init(&exam, &scan);
	exit_status = doctor_read(session, trace, &scan);
	exam.ends_anywhere = session->live.is_on && session->live.link.is_stopped;
	if (!session->survey.job.is_over) {
		doctor_head_put(session, trace);
		if (exam_finish(&exam, trace)) {
			exit_status = outcome_worse(exit_status, complaints_put(session, &exam, n));
		} else {
			error_nomem(&err);
			exit_status = outcome_worse(exit_status, common_fail(&err));
		}
	}
	exam_done(&exam);
	scan_done(&scan);
	return exit_status;
}

static void doctor_list_print(struct outbuf *out)
{
	for (size_t i = 0; diagnoses[i]; i++)
		layout_row(out, diagnoses[i]->name, 18, diagnoses[i]->about);
}

/* --- the command ---------------------------------------------------------------------------------------- */

static int doctor_session(struct session *session)
{
	int exit_status = EXIT_GOOD;

	session->analysis.job.open = session->args->live.common;
	session->has_color = common_has_color((enum common_color)session->args->color, session->survey.fd);
	if (terminal_columns(session->survey.fd) > EVENT_INDENT)
		session->n_columns = terminal_columns(session->survey.fd) - EVENT_INDENT;
	if (session->args->wants_list)
		doctor_list_print(&session->survey.out);
	else
		exit_status = survey_each(&session->survey, doctor_trace, session);
	return exit_status;
}

static int doctor_run(void *arguments, int n_operands, char **operands)
{
	struct doctor_args *args = arguments;
	struct session session = { .args = args,
		.analysis = { .job = { .open = args->live.common, .templates = args->templates },
			.is_quiet = args->is_quiet,
			.has_no_pager = args->has_no_pager,
			.output = args->output },
		.live = { .args = &args->live,
			.command = &command_doctor,
			.n_operands = n_operands,
			.operands = operands } };
	struct rst_error err;
	int exit_status;

	session.survey = (struct survey){ .args = &session.analysis,
		.job = { .spec = &session.analysis.job, .n_paths = n_operands, .paths = operands } };
	if (survey_begin(&session.survey, &err) < 0)
		return common_fail(&err);
	session.live.out_fd = session.survey.fd;
	if (!args->wants_list && live_start(&session.live, &err) < 0)
		exit_status = common_fail(&err);
	else
		exit_status = doctor_session(&session);
	if (!args->wants_list)
		exit_status = live_done(&session.live, exit_status);
	exit_status = outcome_worse(exit_status, session.has_found ? EXIT_FOUND : EXIT_GOOD);
	return outcome_worse(exit_status, survey_done(&session.survey));
}

static void doctor_defaults(void *arguments)
{
	struct doctor_args *args = arguments;

	args->live.baud = UINT64_MAX;
}

const struct command command_doctor = {
	.name = "doctor",
	.usages = { "[options] FILE...", "[options] --serial DEVICE | --tcp HOST:PORT | --listen PORT",
		"--list" },
	.summary = "say what is wrong with a recording or link, and what to change",
	.needs = "a file",
	.groups = doctor_groups,
	.complete = complete_files,
	.examples = doctor_examples,
	.args_bytes = sizeof(struct doctor_args),
	.defaults = doctor_defaults,
	.run = doctor_run,
};
