/* SPDX-License-Identifier: MIT */
/* `rastrum check`: timing requirements, and which of them a trace breaks. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/analysis/analysis.h"
#include "cli/check/verdicts.h"
#include "cli/completion.h"
#include "cli/layout.h"
#include "cli/message.h"
#include "job/evidence.h"
#include "query/sql.h"

struct check_args {
	struct analysis_args analysis; /* first, with the common ones in it */
	const char *format, *timeout;
	bool is_json, is_strict, wants_list;
};

static const struct opt check_opts[] = {
	{ OPT_TEXT, 'f', "format", "tap|junit|json", offsetof(struct check_args, format),
		.help = "TAP (default), JUnit XML, or JSON Lines: a rule on each line" },
	{ OPT_FLAG, 0, "json", NULL, offsetof(struct check_args, is_json),
		.help = "the same as --format json" },
	{ OPT_FLAG, 0, "strict", NULL, offsetof(struct check_args, is_strict),
		.help = "exit 1 for undecided rules, too" },
	{ OPT_TEXT, 0, "timeout", "TIME", offsetof(struct check_args, timeout),
		.help = "how long a rule in SQL may take: 60 (seconds, default), 500ms; 0: no limit" },
	{ OPT_FLAG, 0, "list", NULL, offsetof(struct check_args, wants_list),
		.help = "list what rules can be about" },
	{ .kind = OPT_END },
};

static const struct opt_group check_groups[] = {
	{ .title = "What to show, and how", .opts = check_opts },
	{ .title = "What counts", .opts = analysis_select_opts },
	{ .title = "Where it goes", .opts = analysis_output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example check_examples[] = {
	{ "rastrum check timing.rules dump.trx", "which of the rules the recording breaks" },
	{ "rastrum check -f junit -o report.xml --clock-hz 168M timing.rules dump.trx",
		"the same for a CI server" },
	{ "rastrum check --json timing.rules dump.trx | jq -r .result",
		"pass, fail or undecided, for a script" },
	{ NULL, NULL },
};

/* Everything of one run. */
struct session {
	const struct check_args *args;
	const char *file; /* of the rules */
	uint64_t timeout_ns;
	struct rules rules;
	struct survey survey;
	const struct verdict_format *format;
	size_t source;
	bool has_begun; /* to write */
	struct tally tally;
};

/* --- the file of rules ---------------------------------------------------------------------------------- */

enum { FILE_MAX = 16 * 1024 * 1024 };

static enum rst_status file_fault(const char *path, const char *why, struct rst_error *err)
{
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot read the rules: %s", why);
	error_name(err, strcmp(path, "-") == 0 ? "standard input" : path);
	return RST_E_IO;
}

/* *ret_bytes is the caller's, also after a failure. */
static enum rst_status bytes_read(
	int fd, const char *path, char **ret_bytes, size_t *ret_n, struct rst_error *err)
{
	size_t room = 0, n = 0;
	ssize_t n_read;

	do {
		char *grown = n < room ? *ret_bytes : realloc(*ret_bytes, room ? 2 * room : 65536);

		if (!grown)
			return error_nomem(err);
		room = n < room ? room : room ? 2 * room : 65536;
		*ret_bytes = grown;
		n_read = read(fd, grown + n, room - n);
		n += n_read > 0 ? (size_t)n_read : 0;
	} while ((n_read > 0 || (n_read < 0 && errno == EINTR)) && n <= FILE_MAX);
	*ret_n = n;
	if (n_read < 0)
		return file_fault(path, strerror(errno), err);
	return n > FILE_MAX ? file_fault(path, "it has more than 16 MiB", err) : RST_OK;
}

static enum rst_status rules_read(struct session *session, struct rst_error *err)
{
	const bool is_stdin = strcmp(session->file, "-") == 0;
	const int fd = is_stdin ? STDIN_FILENO : open(session->file, O_RDONLY | O_CLOEXEC);
	enum rst_status status;
	char *bytes = NULL;
	size_t n_bytes = 0;

	if (fd < 0)
		return file_fault(session->file, strerror(errno), err);
	status = bytes_read(fd, session->file, &bytes, &n_bytes, err);
	if (!is_stdin)
		close(fd);
	if (status == RST_OK && !rules_parse(&session->rules, bytes, n_bytes))
		status = error_nomem(err);
	free(bytes);
	return status;
}

static void fault_print(
	const char *file, unsigned line, unsigned column, const char *text, const char *advice)
{
	message_print_name(file);
	fprintf(stderr, ":%u:%u: ", line, column);
	message_print_name(text);
	fputs(*advice ? "; " : "", stderr);
	message_print_name(advice);
	fputc('\n', stderr);
}

/* Prints the faults of the rules. If there are any, nothing is checked. */
static int rules_judge(struct session *session)
{
	struct rules *rules = &session->rules;
	const struct rule *rule = NULL;
	struct rst_error err;
	const enum rst_status status = rules_prepare_sql(rules, &rule, &err);

	for (size_t i = 0; i < rules->n_faults; i++) {
		const struct rule_fault *fault = &rules->faults[i];

		fault_print(session->file, fault->line, fault->column, fault->text, fault->advice);
	}
	if (!rules->n && !rules->n_faults)
		fault_print(session->file, 1, 1, "there is no rule in it", "");
	if (!rules->n || rules->n_faults)
		return EXIT_USAGE;
	if (status == RST_E_UNSUPPORTED)
		fault_print(session->file, rule->line, rule->column, err.what, err.advice);
	else if (status < 0)
		return common_fail(&err);
	return status < 0 ? EXIT_UNSUPPORTED : EXIT_GOOD;
}

/* --- one trace ------------------------------------------------------------------------------------------ */

static size_t seq_add(uint64_t *seqs, size_t n, uint64_t seq)
{
	size_t at = n;

	if (seq == RST_NO_SEQ)
		return n;
	for (size_t i = 0; i < n; i++)
		if (seqs[i] == seq)
			return n;
	for (; at && seqs[at - 1] > seq; at--)
		seqs[at] = seqs[at - 1];
	seqs[at] = seq;
	return n + 1;
}

/* The lines of the events that broke a rule. */
static enum rst_status check_lines_read(
	struct session *session, const struct check *check, struct evidence *evidence, struct rst_error *err)
{
	uint64_t *seqs = calloc(session->rules.n, 2 * (VIOLATIONS_FIRST + 1) * sizeof(*seqs));
	enum rst_status status = RST_OK;
	size_t n = 0;

	if (!seqs)
		return error_nomem(err);
	for (size_t i = 0; i < session->rules.n; i++) {
		const struct violation *violation;

		for (size_t j = 0; (violation = violation_at(&check->runs[i], j)); j++) {
			n = seq_add(seqs, n, violation->from_seq);
			n = seq_add(seqs, n, violation->to_seq);
		}
	}
	if (n && job_can_read_again(&session->survey.job, session->source))
		status = evidence_read(
			&session->survey.job, session->source, seqs, n, 0, false, evidence, err);
	free(seqs);
	return status;
}

static void verdicts_begin(struct session *session)
{
	const struct survey *survey = &session->survey;

	if (!session->has_begun && session->format->begin)
		session->format->begin(&session->survey.out,
			session->rules.n * open_n_traces(&survey->job.spec->open, survey->job.n_paths));
	session->has_begun = true;
}

static void tally_add(struct session *session, const struct check *check)
{
	struct tally *tally = &session->tally;

	tally->n_traces++;
	for (size_t i = 0; i < session->rules.n; i++) {
		const struct run *run = &check->runs[i];

		tally->n_of[run->verdict]++;
		if (!run->is_absent || run->verdict != VERDICT_UNDECIDED)
			continue;
		tally->missing[i].n_traces++;
		tally->missing[i].reason =
			arena_copy(&session->rules.arena, run->reason, strlen(run->reason));
	}
}

static int verdicts_put(struct session *session, struct check *check, struct scan *scan, const char *path)
{
	struct evidence evidence = { 0 };
	struct verdicts verdicts = { .check = check,
		.times = scan->is_started ? &scan->times : NULL,
		.path = path,
		.file = session->file,
		.has_several = session->survey.job.has_several,
		.n_before = session->source * session->rules.n,
		.evidence = &evidence };
	struct rst_error err;
	int exit_status = EXIT_GOOD;

	if (session->format->wants_evidence && check_lines_read(session, check, &evidence, &err) < 0)
		exit_status = common_fail(&err);
	verdicts_begin(session);
	session->format->put(&session->survey.out, &verdicts);
	tally_add(session, check);
	evidence_done(&evidence);
	for (size_t i = 0; i < session->rules.n; i++) {
		const enum verdict verdict = check->runs[i].verdict;

		if (verdict == VERDICT_FAIL || (verdict == VERDICT_UNDECIDED && session->args->is_strict))
			exit_status = outcome_worse(exit_status, EXIT_FOUND);
	}
	return exit_status;
}

/*
 * A trace that cannot be opened, or whose clock is not known, leaves its rules undecided. The error has been
 * printed.
 */
static int trace_skip(struct session *session, const struct rst_error *err, int exit_status)
{
	struct check check = { .rules = &session->rules, .file = session->file };
	struct scan scan = { 0 };

	/* Nothing is written where the first trace shows that the command line is wrong. */
	if (exit_status == EXIT_USAGE && !session->has_begun)
		return exit_status;
	if (check_skip(&check, err))
		exit_status = outcome_worse(exit_status,
			verdicts_put(session, &check, &scan, session->survey.job.paths[session->source]));
	check_done(&check);
	return exit_status;
}

static int check_trace(struct session *session, struct rst_trace *trace)
{
	struct check check = { .rules = &session->rules,
		.file = session->file,
		.trace = trace,
		.timeout_ns = session->timeout_ns };
	struct scan scan = { 0 };
	struct dialect_templates *templates;
	struct rst_error err;
	enum rst_status status = job_templates(&session->survey.job, trace, &templates, &err);
	int exit_status;

	if (status == RST_OK) {
		check.templates = templates->set;
		check.diags = &templates->diags;
		status = check_init(&check, &scan, &err);
	}
	if (status < 0) {
		check_done(&check);
		scan_done(&scan);
		return common_fail(&err);
	}
	exit_status = survey_scan(&session->survey, trace, &scan);
	if (session->survey.job.is_over)
		exit_status = trace_skip(session, &session->survey.job.err, exit_status);
	else if (check_finish(&check, job_fault(&session->survey.job), &err) < 0)
		exit_status = outcome_worse(exit_status, trace_skip(session, &err, common_fail(&err)));
	else
		exit_status = outcome_worse(
			exit_status, verdicts_put(session, &check, &scan, rst_trace_metadata(trace)->path));
	check_done(&check);
	scan_done(&scan);
	return exit_status;
}

static int check_all(struct session *session)
{
	struct survey *survey = &session->survey;
	const size_t n_traces = open_n_traces(&survey->job.spec->open, survey->job.n_paths);
	int exit_status = EXIT_GOOD;

	for (size_t i = 0; i < n_traces; i++) {
		struct rst_trace *trace = NULL;
		struct rst_error err;

		session->source = i;
		if (survey_open(survey, i, &trace, &err) < 0)
			exit_status =
				outcome_worse(exit_status, trace_skip(session, &err, common_fail(&err)));
		else
			exit_status = outcome_worse(exit_status, check_trace(session, trace));
		rst_trace_free(trace);
		if (!session->has_begun)
			return exit_status;
	}
	if (session->format->end)
		session->format->end(&survey->out, &session->tally);
	return exit_status;
}

/* --- the command ---------------------------------------------------------------------------------------- */

static void check_list_print(struct outbuf *out)
{
	for (size_t i = 0; metrics[i]; i++) {
		layout_row(out, metrics[i]->name, 14, metrics[i]->about);
		layout_row(out, "", 16, metrics[i]->usage);
	}
}

static int check_list_all(struct session *session)
{
	struct rst_error err;

	if (survey_begin(&session->survey, &err) < 0)
		return common_fail(&err);
	check_list_print(&session->survey.out);
	return survey_done(&session->survey);
}

/* Both the rules and a recording may come by standard input, but not together. */
static enum rst_status operands_check(struct session *session, struct rst_error *err)
{
	const char *items[] = { session->file };
	const struct text_list rules = { .items = items, .n_items = 1 };

	return common_check_input(&rules, session->survey.job.n_paths, session->survey.job.paths, err);
}

static int check_session_run(struct session *session)
{
	struct rst_error err;
	int exit_status;

	if (operands_check(session, &err) < 0 || rules_read(session, &err) < 0)
		return common_fail(&err);
	exit_status = rules_judge(session);
	if (exit_status != EXIT_GOOD)
		return exit_status;
	session->tally = (struct tally){ .rules = &session->rules,
		.file = session->file,
		.missing = calloc(session->rules.n, sizeof(*session->tally.missing)) };
	if (!session->tally.missing)
		return error_nomem(&err), common_fail(&err);
	if (survey_begin(&session->survey, &err) < 0)
		return common_fail(&err);
	exit_status = check_all(session);
	return outcome_worse(exit_status, survey_done(&session->survey));
}

static int check_run(void *arguments, int n_operands, char **operands)
{
	const struct check_args *args = arguments;
	struct session session = { .args = args,
		.file = n_operands ? operands[0] : NULL,
		.survey = { .args = &args->analysis,
			.job = { .spec = &args->analysis.job,
				.n_paths = n_operands ? n_operands - 1 : 0,
				.paths = operands + (n_operands > 0) } } };
	struct rst_error err;
	int exit_status;

	if (verdict_format_find(args->is_json ? "json" : args->format, &session.format, &err) < 0 ||
		sql_parse_timeout(args->timeout, &session.timeout_ns, &err) < 0)
		return common_fail(&err);
	if (args->wants_list)
		return check_list_all(&session);
	if (n_operands < 2)
		return common_lacks(&command_check, &err), common_fail(&err);
	exit_status = check_session_run(&session);
	free(session.tally.missing);
	rules_done(&session.rules);
	return exit_status;
}

static void check_defaults(void *arguments)
{
	struct check_args *args = arguments;

	args->format = "tap";
	args->timeout = "60s";
}

const struct command command_check = {
	.name = "check",
	.usages = { "[options] RULES FILE...", "--list" },
	.summary = "test rules: latencies, periods, loads, levels, counts",
	.needs = "a file of rules, and a file",
	.groups = check_groups,
	.complete = complete_files,
	.examples = check_examples,
	.args_bytes = sizeof(struct check_args),
	.defaults = check_defaults,
	.run = check_run,
};
