/* SPDX-License-Identifier: MIT */
/* `rastrum diff`: two traces, what got slower, what is new. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/diff/diff.h"
#include "analysis/explain/explain.h"
#include "analysis/table/format.h"
#include "base/error.h"
#include "cli/analysis/analysis.h"
#include "cli/completion.h"
#include "cli/terminal.h"

struct diff_args {
	struct analysis_args analysis; /* first, with the common ones in it */
	const char *format, *least;
	struct text_list fail_on;
	bool is_json, has_all;
	unsigned color;
};

static void complete_changes(struct completion *completion)
{
	for (unsigned change = CHANGE_UNSURE; change < N_CHANGES; change++)
		completion_offer(completion, change_names[change], NULL);
	completion_offer(completion, "any", "any change but unsure");
}

static const struct opt diff_opts[] = {
	{ OPT_TEXT, 0, "least", "PERCENT", offsetof(struct diff_args, least),
		.help = "smaller differences are no change (default 5%)" },
	{ OPT_FLAG, 'a', "all", NULL, offsetof(struct diff_args, has_all),
		.help = "show what has not changed, and what may be chance, too" },
	{ OPT_LIST, 0, "fail-on", "LIST", offsetof(struct diff_args, fail_on),
		.help = "exit 1 on such a change: slower, faster, more, less, new, gone, unsure, any; "
			"slower:20% "
			"from that size on",
		.complete = complete_changes },
	{ OPT_TEXT, 'f', "format", "text|csv|json", offsetof(struct diff_args, format),
		.help = "text for people (default), CSV, or a JSON object for each table" },
	{ OPT_FLAG, 0, "json", NULL, offsetof(struct diff_args, is_json),
		.help = "the same as --format json" },
	{ OPT_CHOICE, 0, "color", "auto|always|never", offsetof(struct diff_args, color),
		.help = "colours in text (default: on a terminal, unless NO_COLOR is set)",
		.choices = common_color_names, .n_choices = 3 },
	{ .kind = OPT_END },
};

static const struct opt_group diff_groups[] = {
	{ .title = "What to show, and how", .opts = diff_opts },
	{ .title = "What counts", .opts = analysis_select_opts },
	{ .title = "Where it goes", .opts = analysis_output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example diff_examples[] = {
	{ "rastrum diff before.trx after.trx", "what a new build has changed" },
	{ "rastrum diff --fail-on slower:20%,new before.trx after.trx",
		"for CI: exit status 1 on such changes" },
	{ "rastrum diff --all --json before.trx after.trx | jq -c '.rows[]'",
		"all that is compared, for programs" },
	{ NULL, NULL },
};

enum { BEFORE, AFTER, N_SIDES };

/* Subjects by which a finding is known: what else ran meanwhile is often chance. */
enum { FACT_ROOM = 1024, FACT_SUBJECTS = 3 };

/*
 * The limits of --fail-on: the size from which a change of each kind counts. Below 0, the kind does not
 * count.
 */
struct limits {
	double from[N_CHANGES];
};

/* One of the two traces. */
struct side {
	struct rst_trace *trace;
	struct scan scan;
	struct series series;
	struct findings *findings;
	struct facts facts; /* what was found, in words */
	int exit_status;
};

static enum rst_status percent_parse(const char *text, double *ret_share, struct rst_error *err)
{
	char *end;
	const double percent = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%") != 0) || !(percent >= 0) || !isfinite(percent))
		return common_refuse(err, "write 5%, or 0.5", "'%s' is no percentage", text);
	*ret_share = percent / 100;
	return RST_OK;
}

static enum rst_status limit_parse(const char *item, struct limits *limits, struct rst_error *err)
{
	const size_t n = strcspn(item, ":");
	double share = 0;
	bool is_known = false;

	if (item[n])
		error_try(percent_parse(item + n + 1, &share, err));
	for (unsigned change = CHANGE_UNSURE; change < N_CHANGES; change++) {
		const bool is_any = n == 3 && strncmp(item, "any", n) == 0 && change != CHANGE_UNSURE;

		if (!is_any &&
			(strlen(change_names[change]) != n || strncmp(item, change_names[change], n) != 0))
			continue;
		limits->from[change] = share;
		is_known = true;
	}
	return is_known ? RST_OK
			: common_refuse(err, "use slower, faster, more, less, new, gone, unsure or any",
				  "--fail-on has no change '%.*s'", (int)n, item);
}

static enum rst_status limits_parse(
	const struct text_list *list, struct limits *limits, struct rst_error *err)
{
	for (unsigned change = 0; change < N_CHANGES; change++)
		limits->from[change] = -1;
	for (size_t i = 0; i < list->n_items; i++)
		error_try(limit_parse(list->items[i], limits, err));
	return RST_OK;
}

static bool limits_are_met(const struct limits *limits, const struct diff *diff)
{
	for (unsigned change = 0; change < N_CHANGES; change++)
		if (limits->from[change] >= 0 && diff->n_changes[change] &&
			diff->largest[change] >= limits->from[change])
			return true;
	return false;
}

/* --- output --------------------------------------------------------------------------------------------- */

static void summary_print(const struct diff *diff, const struct side sides[N_SIDES], struct outbuf *out)
{
	const char *between = "";
	uint64_t n = 0;

	for (unsigned change = CHANGE_UNSURE; change < N_CHANGES; change++) {
		n += diff->n_changes[change];
		if (!diff->n_changes[change])
			continue;
		outbuf_printf(out, "%s%llu %s", between, (unsigned long long)diff->n_changes[change],
			change_names[change]);
		between = ", ";
	}
	outbuf_printf(out, "%s%zu figures compared%s\n", n ? "; " : "nothing has changed: ", diff->n_compared,
		diff->n_changes[CHANGE_UNSURE] && !diff->has_all ? " (--all shows what is unsure)" : "");
	for (unsigned i = 0; i < N_SIDES; i++)
		if (sides[i].scan.n_rows_lost)
			outbuf_printf(out, "%s has losses or damage: what concerns them is left out\n",
				rst_trace_metadata(sides[i].trace)->path);
}

static void diff_tables_put(
	const struct diff *diff, const struct table_format *format, struct table_output *output)
{
	for (unsigned i = 0; i < N_DIFF_TABLES; i++) {
		if (format == &table_format_text && !diff->tables[i].n_rows)
			continue;
		format->put(output, &diff->tables[i]);
		output->n_begun++;
	}
}

/* --- the run -------------------------------------------------------------------------------------------- */

/*
 * "priority_inversion: high, low, resource": a finding of another trace is the same when its words are. Where
 * other programs share the machine, their load may cause what is no error.
 */
static bool facts_of(struct side *side)
{
	bool is_done = true;

	for (size_t i = 0; i < side->findings->n_sorted && is_done; i++) {
		const struct finding *finding = side->findings->sorted[i];
		const bool is_of_timing =
			finding->severity < SEVERITY_ERROR && roles_have_processes(&side->series.roles);
		char words[FACT_ROOM];
		size_t n = (size_t)snprintf(words, sizeof(words), "%s", finding->kind->name);

		for (size_t k = 0; k < finding->n_subjects && k < FACT_SUBJECTS && n < sizeof(words); k++) {
			struct text name =
				roles_words(&side->series.roles, &finding->subjects[k]->subject.entity);

			if (!name.n_bytes)
				name = party_name(side->findings, finding->subjects[k]);
			n += (size_t)snprintf(words + n, sizeof(words) - n, "%s%.*s", k ? ", " : ": ",
				(int)name.n_bytes, name.bytes ? name.bytes : "");
		}
		is_done = facts_add(&side->facts, words, n < sizeof(words) ? n : sizeof(words) - 1,
				  is_of_timing) &&
			  !side->findings->lacks_names;
	}
	return is_done;
}

/* Returns RST_END if it is over with the survey, and that was printed. */
static enum rst_status side_read(struct survey *survey, struct side *side, struct rst_error *err)
{
	series_init(&side->series, &side->scan);
	side->findings = calloc(1, sizeof(*side->findings));
	if (!side->findings || !findings_init(side->findings, &side->scan))
		return error_nomem(err);
	side->exit_status = survey_scan(survey, side->trace, &side->scan);
	if (survey->job.is_over)
		return RST_END;
	return series_settle(&side->series) && findings_finish(side->findings) && facts_of(side)
		       ? RST_OK
		       : error_nomem(err);
}

static enum rst_status side_open(struct survey *survey, struct side *side, size_t n, struct rst_error *err)
{
	error_try(survey_open(survey, n, &side->trace, err));
	return side_read(survey, side, err);
}

static void side_done(struct side *side)
{
	if (!side->trace)
		return;
	scan_done(&side->scan);
	if (side->findings)
		findings_done(side->findings);
	free(side->findings);
	facts_done(&side->facts);
	series_done(&side->series);
	rst_trace_free(side->trace);
}

/* Both in nanoseconds, or both in ticks. */
static enum rst_status clocks_check(const struct side sides[N_SIDES], struct rst_error *err)
{
	if (!sides[BEFORE].scan.is_started || !sides[AFTER].scan.is_started ||
		!sides[BEFORE].scan.times.hz == !sides[AFTER].scan.times.hz)
		return RST_OK;
	return common_refuse(err, "give it with --clock-hz N",
		"the frequency of the clock is known of one of the traces only");
}

static int diff_print(const struct diff_args *args, const struct table_format *format,
	const struct limits *limits, double least, struct side sides[N_SIDES], struct survey *survey)
{
	/* Durations are in nanoseconds by now. */
	const struct times times = { .hz = sides[AFTER].scan.times.hz ? 1000000000 : 0 };
	struct table_output output = { .out = &survey->out,
		.times = &times,
		.n_columns = terminal_columns(survey->fd),
		.has_color = common_has_color((enum common_color)args->color, survey->fd),
		.rank_max = UINT8_MAX };
	struct diff diff = { .before = &sides[BEFORE].series,
		.after = &sides[AFTER].series,
		.findings = { &sides[BEFORE].facts, &sides[AFTER].facts },
		.least = least,
		.has_all = args->has_all };
	int exit_status = EXIT_GOOD;
	struct rst_error err;

	if (!diff_make(&diff)) {
		error_nomem(&err);
		exit_status = common_fail(&err);
	} else {
		if (format == &table_format_text) {
			summary_print(&diff, sides, &survey->out);
			output.n_begun = 1;
		}
		diff_tables_put(&diff, format, &output);
		exit_status = limits_are_met(limits, &diff) ? EXIT_FOUND : EXIT_GOOD;
	}
	diff_done(&diff);
	return exit_status;
}

static int diff_all(const struct diff_args *args, const struct table_format *format,
	const struct limits *limits, double least, struct survey *survey)
{
	struct side sides[N_SIDES] = { { 0 }, { 0 } };
	enum rst_status status = RST_OK;
	struct rst_error err;
	int exit_status = EXIT_GOOD;

	for (unsigned i = 0; i < N_SIDES && status == RST_OK; i++)
		status = side_open(survey, &sides[i], i, &err);
	if (status == RST_OK)
		status = clocks_check(sides, &err);
	if (status < 0)
		exit_status = common_fail(&err);
	else if (status == RST_OK)
		exit_status = diff_print(args, format, limits, least, sides, survey);
	for (unsigned i = 0; i < N_SIDES; i++) {
		exit_status = outcome_worse(exit_status, sides[i].exit_status);
		side_done(&sides[i]);
	}
	return exit_status;
}

static int diff_run(void *arguments, int n_operands, char **operands)
{
	const struct diff_args *args = arguments;
	struct survey survey = { .args = &args->analysis,
		.job = { .spec = &args->analysis.job, .n_paths = n_operands, .paths = operands } };
	const struct table_format *format;
	struct limits limits;
	struct rst_error err;
	double least;
	int exit_status;

	if ((open_n_traces(&args->analysis.job.open, n_operands) != N_SIDES &&
		    common_refuse(&err, NULL, "diff needs two files, before and after") < 0) ||
		table_format_find(args->is_json ? "json" : args->format, &format, &err) < 0 ||
		percent_parse(args->least, &least, &err) < 0 ||
		limits_parse(&args->fail_on, &limits, &err) < 0 || survey_begin(&survey, &err) < 0)
		return common_fail(&err);
	exit_status = diff_all(args, format, &limits, least, &survey);
	return outcome_worse(exit_status, survey_done(&survey));
}

static void diff_defaults(void *arguments)
{
	struct diff_args *args = arguments;

	args->format = "text";
	args->least = "5%";
}

const struct command command_diff = {
	.name = "diff",
	.usages = { "[options] BEFORE AFTER" },
	.summary = "compare two traces: what got slower, what is new, with spread",
	.needs = "two files",
	.groups = diff_groups,
	.complete = complete_files,
	.examples = diff_examples,
	.args_bytes = sizeof(struct diff_args),
	.defaults = diff_defaults,
	.run = diff_run,
};
