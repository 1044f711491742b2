/* SPDX-License-Identifier: MIT */
/* `rastrum query`: a question in SQL about one trace or several. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "cli/analysis/analysis.h"
#include "cli/completion.h"
#include "cli/query/answer.h"
#include "database/loading.h"
#include "query/sql.h"

struct query_args {
	struct analysis_args analysis; /* first, with the common ones in it */
	const char *format, *timeout;
	bool is_json, wants_schema;
	unsigned color;
};

static const struct opt query_opts[] = {
	{ OPT_TEXT, 'f', "format", "table|csv|json", offsetof(struct query_args, format),
		.help = "aligned columns (default), CSV, or one JSON object" },
	{ OPT_FLAG, 0, "json", NULL, offsetof(struct query_args, is_json),
		.help = "the same as --format json" },
	{ OPT_TEXT, 0, "timeout", "TIME", offsetof(struct query_args, timeout),
		.help = "how long the answer may take: 60 (seconds), 500ms (default: no limit)" },
	{ OPT_FLAG, 0, "schema", NULL, offsetof(struct query_args, wants_schema),
		.help = "print the tables and views that questions can be put to" },
	{ OPT_CHOICE, 0, "color", "auto|always|never", offsetof(struct query_args, color),
		.help = "colours in the table (default: on a terminal, unless NO_COLOR is set)",
		.choices = common_color_names, .n_choices = 3 },
	{ .kind = OPT_END },
};

static const struct opt_group query_groups[] = {
	{ .title = "The answer", .opts = query_opts },
	{ .title = "What counts", .opts = analysis_select_opts },
	{ .title = "Where it goes", .opts = analysis_output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example query_examples[] = {
	{ "rastrum query dump.trx 'SELECT * FROM event_counts'", "what happens, and how often" },
	{ "rastrum query dump.trx 'SELECT * FROM waits LIMIT 5'", "the five longest waits" },
	{ "rastrum query -f csv dump.trx 'SELECT seq, ts, text FROM events'",
		"events with their sentences, for a spreadsheet" },
	{ "rastrum query --json dump.trx 'SELECT * FROM stats_load' | jq .rows",
		"a table of `rastrum stats`, for a script" },
	{ NULL, NULL },
};

/* Everything of one run. */
struct session {
	const struct query_args *args;
	const char *sql;
	uint64_t timeout_ns;
	struct survey survey;
	const struct answer_format *format;
	struct database database;
	struct question question;
};

static enum rst_status trace_load(
	struct session *session, struct rst_trace *trace, int *ret_exit_status, struct rst_error *err)
{
	struct scan scan = { 0 };
	struct dialect_templates *templates = NULL;
	struct loading loading;
	enum rst_status status;

	error_try(job_templates(&session->survey.job, trace, &templates, err));
	status = loading_begin(&loading, &session->database, session->question.needs, &scan, templates->set,
		&templates->diags, trace, err);
	if (status == RST_OK) {
		*ret_exit_status = survey_scan(&session->survey, trace, &scan);
		status = loading_finish(&loading, job_fault(&session->survey.job), err);
	}
	loading_done(&loading);
	scan_done(&scan);
	return status;
}

static int trace_take(struct session *session, size_t n)
{
	struct rst_trace *trace = NULL;
	struct rst_error err;
	int exit_status = EXIT_GOOD;

	if (survey_open(&session->survey, n, &trace, &err) < 0 ||
		trace_load(session, trace, &exit_status, &err) < 0)
		exit_status = outcome_worse(exit_status, common_fail(&err));
	rst_trace_free(trace);
	return exit_status;
}

static int traces_take(struct session *session)
{
	const struct survey *survey = &session->survey;
	int exit_status = EXIT_GOOD;

	for (size_t i = 0; i < open_n_traces(&survey->job.spec->open, survey->job.n_paths); i++) {
		const int one = trace_take(session, i);

		exit_status = outcome_worse(exit_status, one);
		/* A wrong option is wrong for all; what a full disk left out must not be answered from. */
		if (one == EXIT_USAGE || one > EXIT_DAMAGED)
			break;
	}
	return exit_status;
}

static int answer_put(struct session *session)
{
	struct answer answer = { .out = &session->survey.out,
		.question = &session->question,
		.has_color = common_has_color((enum common_color)session->args->color, session->survey.fd) };
	struct rst_error err;

	if (database_finish(&session->database, false, &err) < 0 || session->format->put(&answer, &err) < 0)
		return common_fail(&err);
	return EXIT_GOOD;
}

static int query_session_run(struct session *session)
{
	struct rst_error err;
	int exit_status;

	if (database_open(&session->database, NULL, &err) < 0 ||
		question_prepare(&session->question, &session->database, session->sql, &err) < 0 ||
		survey_begin(&session->survey, &err) < 0)
		return common_fail(&err);
	session->question.timeout_ns = session->timeout_ns;
	exit_status = traces_take(session);
	if (exit_status != EXIT_USAGE && exit_status <= EXIT_DAMAGED)
		exit_status = outcome_worse(exit_status, answer_put(session));
	return outcome_worse(exit_status, survey_done(&session->survey));
}

static int schema_print(struct session *session)
{
	struct rst_error err;

	if (survey_begin(&session->survey, &err) < 0)
		return common_fail(&err);
	schema_put(&session->survey.out);
	return survey_done(&session->survey);
}

static int query_run(void *arguments, int n_operands, char **operands)
{
	const struct query_args *args = arguments;
	struct session session = { .args = args,
		.sql = n_operands ? operands[n_operands - 1] : NULL,
		.survey = { .args = &args->analysis,
			.job = { .spec = &args->analysis.job,
				.n_paths = n_operands ? n_operands - 1 : 0,
				.paths = operands } } };
	struct rst_error err;
	int exit_status;

	if (answer_format_find(args->is_json ? "json" : args->format, &session.format, &err) < 0 ||
		sql_parse_timeout(args->timeout, &session.timeout_ns, &err) < 0)
		return common_fail(&err);
	if (args->wants_schema)
		return schema_print(&session);
	if (n_operands < 2)
		return common_lacks(&command_query, &err), common_fail(&err);
	exit_status = query_session_run(&session);
	question_done(&session.question);
	database_close(&session.database);
	return exit_status;
}

static void query_defaults(void *arguments)
{
	struct query_args *args = arguments;

	args->format = "table";
	args->timeout = "0";
}

const struct command command_query = {
	.name = "query",
	.usages = { "[options] FILE... SQL", "--schema" },
	.summary = "answer a question in SQL: events, intervals, statistics",
	.needs = "a file, and a question",
	.groups = query_groups,
	.complete = complete_files,
	.examples = query_examples,
	.args_bytes = sizeof(struct query_args),
	.defaults = query_defaults,
	.run = query_run,
};
