/* SPDX-License-Identifier: MIT */
/* `rastrum stats`: tables of where the time went. */
#include "analysis/stats/page.h"
#include "analysis/stats/stats.h"
#include "analysis/table/format.h"
#include "cli/analysis/analysis.h"
#include "cli/completion.h"
#include "cli/layout.h"
#include "cli/terminal.h"

struct stats_args {
	struct analysis_args analysis; /* first, with the common ones in it */
	struct text_list tables;
	const char *format, *per;
	bool is_json, wants_list;
	unsigned color;
};

static void complete_tables(struct completion *completion)
{
	for (size_t i = 0; analyses[i]; i++)
		completion_offer(completion, analyses[i]->name, analyses[i]->about);
}

static const struct opt stats_opts[] = {
	{ OPT_LIST, 0, "table", "LIST", offsetof(struct stats_args, tables),
		.help = "these tables, with all rows and columns (default: one page of what matters first)",
		.complete = complete_tables },
	{ OPT_FLAG, 0, "list", NULL, offsetof(struct stats_args, wants_list),
		.help = "list the tables and their columns" },
	{ OPT_TEXT, 0, "per", "TIME", offsetof(struct stats_args, per),
		.help = "rows for each such part of the window: ticks, or 10ms, 1s" },
	{ OPT_TEXT, 'f', "format", "text|csv|json", offsetof(struct stats_args, format),
		.help = "text for people (default), CSV, or a JSON object for each table" },
	{ OPT_FLAG, 0, "json", NULL, offsetof(struct stats_args, is_json),
		.help = "the same as --format json" },
	{ OPT_CHOICE, 0, "color", "auto|always|never", offsetof(struct stats_args, color),
		.help = "colours in text (default: on a terminal, unless NO_COLOR is set)",
		.choices = common_color_names, .n_choices = 3 },
	{ .kind = OPT_END },
};

static const struct opt_group stats_groups[] = {
	{ .title = "What to show, and how", .opts = stats_opts },
	{ .title = "What counts", .opts = analysis_select_opts },
	{ .title = "Where it goes", .opts = analysis_output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example stats_examples[] = {
	{ "rastrum stats dump.trx", "one page of what matters first" },
	{ "rastrum stats --table load --per 10ms -f csv --clock-hz 1G dump.trx",
		"load over time, for a spreadsheet" },
	{ "rastrum stats --table load --json dump.trx | jq .unknown",
		"how much the recording does not tell" },
	{ NULL, NULL },
};

/* Columns that text shows where they fit: on the page, and of tables that the user has named. */
enum { PAGE_RANK = 1 };

/* Everything of one run. */
struct session {
	const struct stats_args *args;
	struct survey survey;
	const struct table_format *format;
	const struct analysis *wanted[ANALYSES_MAX];
	size_t n_wanted;
	bool is_page; /* for a person, who has not said which tables */
	struct table_output output;
};

static void stats_list_print(struct outbuf *out)
{
	for (size_t i = 0; analyses[i]; i++) {
		layout_row(out, analyses[i]->name, 14, analyses[i]->about);
		for (size_t j = 0; j < analyses[i]->n_columns; j++) {
			const struct table_column *column = &analyses[i]->columns[j];
			char name[64];

			snprintf(name, sizeof(name), "  %s", column->name);
			if (column->help)
				layout_row(out, name, 24, column->help);
			else
				outbuf_printf(out, "%s\n", name);
		}
	}
}

static enum rst_status tables_choose(struct session *session, struct rst_error *err)
{
	const struct text_list *tables = &session->args->tables;

	/* Over time, a person wants to see one thing. */
	if (!tables->n_items && session->args->per && session->format == &table_format_text)
		session->wanted[session->n_wanted++] = analyses[0];
	else
		for (size_t i = 0; !tables->n_items && analyses[i]; i++)
			session->wanted[session->n_wanted++] = analyses[i];
	for (size_t i = 0; i < tables->n_items; i++) {
		const struct analysis *analysis;
		bool is_there = false;

		error_try(analysis_find(tables->items[i], &analysis, err));
		for (size_t j = 0; j < session->n_wanted; j++)
			is_there |= session->wanted[j] == analysis;
		if (!is_there)
			session->wanted[session->n_wanted++] = analysis;
	}
	return RST_OK;
}

static enum rst_status stats_tables_put(struct session *session, struct stats *stats,
	const struct rst_metadata *metadata, struct rst_error *err)
{
	struct table_output *output = &session->output;
	enum rst_status status = RST_OK;

	if (stats->has_too_many)
		return common_refuse(err, "use a longer time, or a part of the trace (--from, --to)",
			"%s has more than %d parts of %s", metadata->path, STATS_PARTS_MAX,
			session->args->per);
	if (session->is_page) {
		status = page_put(stats, metadata, output, terminal_lines(session->survey.fd), err);
		output->n_begun++;
		return status;
	}
	if (output->has_source && session->format == &table_format_text) {
		page_head(stats, metadata, output);
		output->n_begun++;
	}
	for (size_t i = 0; i < stats->n_analyses && status == RST_OK; i++) {
		struct table table;

		status = stats_table(stats, i, &table, err);
		if (status == RST_OK)
			session->format->put(output, &table);
		output->n_begun++;
		table_done(&table);
	}
	return status;
}

static int stats_of(void *context, struct rst_trace *trace, size_t n)
{
	struct session *session = context;
	struct stats stats = { .n_analyses = session->n_wanted, .per_text = session->args->per };
	struct scan scan = { 0 };
	struct rst_error err;
	int exit_status;

	session->output.source = (unsigned)n;
	memcpy(stats.analyses, session->wanted, sizeof(stats.analyses));
	stats_init(&stats, &scan);
	exit_status = survey_scan(&session->survey, trace, &scan);
	session->output.times = scan.is_started ? &scan.times : NULL;
	if (!session->survey.job.is_over &&
		stats_tables_put(session, &stats, rst_trace_metadata(trace), &err) < 0)
		exit_status = outcome_worse(exit_status, common_fail(&err));
	stats_done(&stats);
	scan_done(&scan);
	return exit_status;
}

static int stats_run(void *arguments, int n_operands, char **operands)
{
	const struct stats_args *args = arguments;
	struct session session = { .args = args,
		.survey = { .args = &args->analysis,
			.job = { .spec = &args->analysis.job, .n_paths = n_operands, .paths = operands } } };
	struct table_output *output = &session.output;
	struct rst_error err;
	int exit_status = EXIT_GOOD;

	if ((!n_operands && !args->wants_list && common_lacks(&command_stats, &err) < 0) ||
		table_format_find(args->is_json ? "json" : args->format, &session.format, &err) < 0 ||
		tables_choose(&session, &err) < 0 || survey_begin(&session.survey, &err) < 0)
		return common_fail(&err);
	output->out = &session.survey.out;
	output->n_columns = terminal_columns(session.survey.fd);
	output->has_color = common_has_color((enum common_color)args->color, session.survey.fd);
	output->has_source = session.survey.job.has_several;
	session.is_page = session.format == &table_format_text && !args->tables.n_items && !args->per;
	output->rank_max = args->tables.n_items ? UINT8_MAX : PAGE_RANK;
	output->has_bars = args->tables.n_items && !args->per;
	if (args->wants_list)
		stats_list_print(&session.survey.out);
	else
		exit_status = survey_each(&session.survey, stats_of, &session);
	return outcome_worse(exit_status, survey_done(&session.survey));
}

static void stats_defaults(void *arguments)
{
	struct stats_args *args = arguments;

	args->format = "text";
}

const struct command command_stats = {
	.name = "stats",
	.usages = { "[options] FILE...", "--list" },
	.summary = "show tables: load, threads, locks, queues, memory, interrupts",
	.needs = "a file",
	.groups = stats_groups,
	.complete = complete_files,
	.examples = stats_examples,
	.args_bytes = sizeof(struct stats_args),
	.defaults = stats_defaults,
	.run = stats_run,
};
