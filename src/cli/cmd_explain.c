/* SPDX-License-Identifier: MIT */
/* `rastrum explain`: what went wrong, in sentences, and the events that prove it. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain.h"
#include "base/error.h"
#include "cli/analysis/analysis.h"
#include "cli/completion.h"
#include "cli/layout.h"
#include "cli/message.h"
#include "cli/terminal.h"
#include "job/evidence.h"

struct explain_args {
	struct analysis_args analysis; /* first, with the common ones in it */
	struct text_list kinds, thresholds;
	bool is_json, wants_list;
	unsigned color;
};

static void complete_kinds(struct completion *completion)
{
	for (size_t i = 0; finding_kinds[i]; i++)
		completion_offer(completion, finding_kinds[i]->name, finding_kinds[i]->about);
}

static const struct opt explain_opts[] = {
	{ OPT_LIST, 0, "kind", "LIST", offsetof(struct explain_args, kinds),
		.help = "only findings of these kinds; !NAME leaves out", .complete = complete_kinds },
	{ OPT_PAIRS, 0, "threshold", "KIND=VALUE", offsetof(struct explain_args, thresholds),
		.help = "from when on it is a finding: ticks, 250us, 5% of the window, or a number; may be "
			"repeated" },
	{ OPT_FLAG, 0, "list", NULL, offsetof(struct explain_args, wants_list),
		.help = "list the kinds of findings and their thresholds" },
	{ OPT_FLAG, 0, "json", NULL, offsetof(struct explain_args, is_json),
		.help = "JSON Lines: a finding on each line" },
	{ OPT_CHOICE, 0, "color", "auto|always|never", offsetof(struct explain_args, color),
		.help = "colours in text (default: on a terminal, unless NO_COLOR is set)",
		.choices = common_color_names, .n_choices = 3 },
	{ .kind = OPT_END },
};

static const struct opt_group explain_groups[] = {
	{ .title = "What to show, and how", .opts = explain_opts },
	{ .title = "What counts", .opts = analysis_select_opts },
	{ .title = "Where it goes", .opts = analysis_output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example explain_examples[] = {
	{ "rastrum explain dump.trx", "what went wrong, and the events that prove it" },
	{ "rastrum explain --json dump.trx | jq -r .finding", "the kinds of findings, for a script" },
	{ "rastrum explain --clock-hz 1G --threshold long_wait=2ms dump.trx",
		"waits for locks of 2 ms and more, too" },
	{ NULL, NULL },
};

/* Everything of one run. */
struct session {
	const struct explain_args *args;
	struct survey survey;
	struct filter_spec wanted; /* threads and objects that findings must be about */
	struct threshold thresholds[FINDING_KINDS_MAX];
	bool has_color;
	unsigned n_columns; /* of the terminal, beside the lines of events; 0: as many as they need */
	bool has_output;    /* of a trace before this one */
	size_t source;
};

/* --- words of the command line -------------------------------------------------------------------------- */

static enum rst_status kinds_check(const struct text_list *kinds, struct rst_error *err)
{
	for (size_t i = 0; i < kinds->n_items; i++) {
		const char *name = kinds->items[i] + (kinds->items[i][0] == '!');
		size_t index;

		if (!strpbrk(name, "*?"))
			error_try(finding_kind_find(name, &index, err));
	}
	return RST_OK;
}

static enum rst_status thresholds_parse(struct session *session, struct rst_error *err)
{
	const struct text_list *list = &session->args->thresholds;

	for (size_t i = 0; i < list->n_items; i++) {
		const char *equals = strchr(list->items[i], '=');
		char name[64];
		size_t index;

		snprintf(name, sizeof(name), "%.*s", (int)(equals - list->items[i]), list->items[i]);
		error_try(finding_kind_find(name, &index, err));
		error_try(
			threshold_parse(equals + 1, finding_kinds[index], &session->thresholds[index], err));
	}
	return RST_OK;
}

static void explain_list_print(struct outbuf *out)
{
	char text[THRESHOLD_TEXT_MAX];

	for (size_t i = 0; finding_kinds[i]; i++) {
		const struct finding_kind *kind = finding_kinds[i];

		layout_row(out, kind->name, 20, kind->about);
		if (threshold_describe(kind, text))
			layout_row(out, "", 22, text);
	}
}

/* --- text ----------------------------------------------------------------------------------------------- */

static const char *const severity_colors[] = { "\033[36m", "\033[33m", "\033[31m" };

enum { EVIDENCE_INDENT = 4, SENTENCE_INDENT = 2 };

static void explain_sentence_put(
	struct session *session, struct findings *findings, const struct finding *finding)
{
	struct outbuf *out = &session->survey.out;
	const char *word = severity_names[finding->severity];
	struct sentence sentence;
	unsigned n_written = (unsigned)strlen(word) + 1;

	outbuf_printf(out, "%s%s:%s", session->has_color ? severity_colors[finding->severity] : "", word,
		session->has_color ? "\033[0m" : "");
	for (const char *p = finding->kind->name; *p; p++, n_written++)
		outbuf_printf(out, "%s%c", p == finding->kind->name ? " " : "", *p == '_' ? ' ' : *p);
	outbuf_puts(out, ": ");
	layout_text(out, finding_say(findings, finding, &sentence), SENTENCE_INDENT, n_written + 3);
}

/* An event that has no line, or cannot be read again, is shown by its number. */
static void evidence_put(struct session *session, const struct evidence *evidence, uint64_t seq)
{
	struct outbuf *out = &session->survey.out;
	struct text text = evidence_find(evidence, seq);

	if (!text.n_bytes)
		outbuf_printf(out, "%*sevent %" PRIu64 "\n", EVIDENCE_INDENT, "", seq);
	while (text.n_bytes) {
		const char *end = memchr(text.bytes, '\n', text.n_bytes);
		const size_t n = end ? (size_t)(end - text.bytes) + 1 : text.n_bytes;

		outbuf_printf(out, "%*s%.*s", EVIDENCE_INDENT, "", (int)n, text.bytes);
		text = (struct text){ text.bytes + n, text.n_bytes - n };
	}
}

static void text_put_finding(struct session *session, struct findings *findings,
	const struct evidence *evidence, const struct finding *finding)
{
	if (session->has_output)
		outbuf_puts(&session->survey.out, "\n");
	session->has_output = true;
	explain_sentence_put(session, findings, finding);
	for (size_t i = 0; i < finding->n_evidence; i++)
		evidence_put(session, evidence, finding->evidence[i]);
}

/* --- one trace ------------------------------------------------------------------------------------------ */

/* Names with ! alone take everything else. */
static bool is_kind_wanted(const struct session *session, const struct finding_kind *kind)
{
	const struct text_list *kinds = &session->args->kinds;
	bool has_names = false, is_taken = false;

	for (size_t i = 0; i < kinds->n_items; i++) {
		const char *word = kinds->items[i];
		const bool leaves_out = word[0] == '!';
		const bool is_it = fnmatch(word + leaves_out, kind->name, 0) == 0;

		if (leaves_out && is_it)
			return false;
		has_names |= !leaves_out;
		is_taken |= !leaves_out && is_it;
	}
	return is_taken || !has_names;
}

static bool is_about(const struct select_list *list, const struct finding *finding)
{
	bool is_one = list->n_items == 0;

	for (size_t i = 0; i < finding->n_subjects && !is_one; i++)
		is_one = select_takes_entity(list, &finding->subjects[i]->subject.entity);
	for (size_t i = 0; i < finding->n_named && !is_one; i++)
		is_one = select_takes_entity(list, &finding->named[i]->subject.entity);
	return is_one;
}

static bool is_wanted(const struct session *session, const struct finding *finding)
{
	return is_kind_wanted(session, finding->kind) && is_about(&session->wanted.contexts, finding) &&
	       is_about(&session->wanted.objects, finding);
}

static int explain_seq_compare(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* The lines of all events that prove something. */
static enum rst_status explain_lines_read(struct session *session, const struct findings *findings,
	struct evidence *evidence, struct rst_error *err)
{
	uint64_t *seqs = calloc(findings->n_sorted + 1, FINDING_EVIDENCE_MAX * sizeof(*seqs));
	enum rst_status status = RST_OK;
	size_t n = 0;

	if (!seqs)
		return error_nomem(err);
	for (size_t i = 0; i < findings->n_sorted; i++) {
		memcpy(seqs + n, findings->sorted[i]->evidence,
			findings->sorted[i]->n_evidence * sizeof(*seqs));
		n += findings->sorted[i]->n_evidence;
	}
	qsort(seqs, n, sizeof(*seqs), explain_seq_compare);
	if (n && job_can_read_again(&session->survey.job, session->source))
		status = evidence_read(&session->survey.job, session->source, seqs, n, session->n_columns,
			session->has_color, evidence, err);
	free(seqs);
	return status;
}

static void dropped_put(const struct findings *findings)
{
	for (size_t i = 0; finding_kinds[i]; i++) {
		const uint64_t n = findings_dropped(findings, i);

		if (n)
			message_print("up to %" PRIu64
				      " more of %s, which are lighter than the %d that are shown",
				n, finding_kinds[i]->name, FINDINGS_MAX);
	}
}

static enum rst_status findings_put(struct session *session, struct findings *findings, struct rst_error *err)
{
	struct evidence evidence = { 0 };
	struct json json = { .out = &session->survey.out };
	enum rst_status status = RST_OK;
	size_t n = 0;

	/* Those that are not wanted are taken out first. */
	for (size_t i = 0; i < findings->n_sorted; i++)
		if (is_wanted(session, findings->sorted[i]))
			findings->sorted[n++] = findings->sorted[i];
	findings->n_sorted = n;
	if (!session->args->is_json)
		status = explain_lines_read(session, findings, &evidence, err);
	for (size_t i = 0; i < n && status == RST_OK; i++)
		if (session->args->is_json) {
			finding_put_json(findings, findings->sorted[i],
				session->survey.job.has_several ? (long)session->source : -1, &json);
			json_line_end(&json);
		} else {
			text_put_finding(session, findings, &evidence, findings->sorted[i]);
		}
	if (!n && !session->args->is_json)
		outbuf_printf(&session->survey.out, "no findings in %" PRIu64 " events\n",
			findings->scan->n_selected);
	evidence_done(&evidence);
	dropped_put(findings);
	return findings->lacks_names ? error_nomem(err) : status;
}

static void explain_head_put(struct session *session, struct rst_trace *trace)
{
	struct outbuf *out = &session->survey.out;

	if (session->args->is_json || !session->survey.job.has_several)
		return;
	outbuf_puts(out, session->source ? "\n" : "");
	outbuf_clean(out, rst_trace_metadata(trace)->path);
	outbuf_puts(out, ":\n");
	session->has_output = false;
}

static int explain_put(struct session *session, struct rst_trace *trace, struct findings *findings)
{
	struct rst_error err;

	explain_head_put(session, trace);
	if (findings_finish(findings) && findings_put(session, findings, &err) == RST_OK)
		return EXIT_GOOD;
	error_nomem(&err);
	return common_fail(&err);
}

static int explain_trace(void *context, struct rst_trace *trace, size_t n)
{
	struct session *session = context;
	struct findings findings = { 0 };
	struct scan scan = { 0 };
	struct rst_error err;
	int exit_status = EXIT_GOOD;

	session->source = n;
	memcpy(findings.thresholds, session->thresholds, sizeof(findings.thresholds));
	for (size_t i = 0; finding_kinds[i]; i++)
		findings.is_left_out[i] = !is_kind_wanted(session, finding_kinds[i]);
	if (findings_init(&findings, &scan)) {
		exit_status = survey_scan(&session->survey, trace, &scan);
		if (!session->survey.job.is_over)
			exit_status = outcome_worse(exit_status, explain_put(session, trace, &findings));
	} else {
		error_nomem(&err);
		exit_status = common_fail(&err);
	}
	findings_done(&findings);
	scan_done(&scan);
	return exit_status;
}

/* Findings are about a thread or an object; to find them, all threads and objects are looked at. */
static void selection_move(struct session *session)
{
	struct filter_spec *filter = &session->survey.job.filter;

	session->wanted = *filter;
	filter->contexts = filter->objects = (struct select_list){ 0 };
}

static int explain_run(void *arguments, int n_operands, char **operands)
{
	const struct explain_args *args = arguments;
	struct session session = { .args = args,
		.survey = { .args = &args->analysis,
			.job = { .spec = &args->analysis.job, .n_paths = n_operands, .paths = operands } } };
	struct rst_error err;
	int exit_status = EXIT_GOOD;

	if ((!n_operands && !args->wants_list && common_lacks(&command_explain, &err) < 0) ||
		kinds_check(&args->kinds, &err) < 0 || thresholds_parse(&session, &err) < 0 ||
		survey_begin(&session.survey, &err) < 0)
		return common_fail(&err);
	selection_move(&session);
	session.has_color = common_has_color((enum common_color)args->color, session.survey.fd);
	if (terminal_columns(session.survey.fd) > EVIDENCE_INDENT)
		session.n_columns = terminal_columns(session.survey.fd) - EVIDENCE_INDENT;
	if (args->wants_list)
		explain_list_print(&session.survey.out);
	else
		exit_status = survey_each(&session.survey, explain_trace, &session);
	return outcome_worse(exit_status, survey_done(&session.survey));
}

const struct command command_explain = {
	.name = "explain",
	.usages = { "[options] FILE...", "--list" },
	.summary = "say what went wrong: inversions, deadlocks, long waits, leaks",
	.needs = "a file",
	.groups = explain_groups,
	.complete = complete_files,
	.examples = explain_examples,
	.args_bytes = sizeof(struct explain_args),
	.run = explain_run,
};
