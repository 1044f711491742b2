/* SPDX-License-Identifier: MIT */
/*
 * The functions of <rastrum/analysis.h>: a job for a program. Statistics, findings and rules are observers of
 * one scan, as for the commands. After the scan each becomes tables, and the observers are not used any more:
 * what a program reads are the tables. A trace that a program has opened gets the effects of the same
 * templates as one that a command opens.
 */
#include <rastrum/analysis.h>

#include <stdlib.h>

#include "analysis/explain/explain.h"
#include "analysis/stats/stats.h"
#include "analysis/table/histogram.h"
#include "base/check.h"
#include "job/job.h"
#include "query/sql.h"
#include "query/verdict.h"

/* How long a rule in SQL may take, as in `rastrum check`. */
#define RULE_TIMEOUT_NS UINT64_C(60000000000)

enum { TABLES_MAX = ANALYSES_MAX + 2 };

struct rst_table {
	struct table table;
	struct rst_column *columns;
	const struct times *times; /* NULL if the trace has no event */
};

struct rst_analysis {
	struct rst_trace *trace;
	struct job_spec spec;
	struct job job;
	struct dialect_templates *templates;
	struct scan scan;
	struct stats stats;
	struct findings findings;
	struct rules rules;
	struct check check;
	char *rules_name;
	bool wants_findings, wants_rules, has_run;
	struct rst_table tables[TABLES_MAX];
	size_t n_tables;
};

/* --- what is wanted ------------------------------------------------------------------------------------- */

static enum rst_status templates_fault(struct dialect_templates *templates, struct rst_error *err)
{
	const struct diag *diag = templates_next_diag(templates, true);
	unsigned line, column;

	if (!diag)
		return RST_OK;
	if (diag->file) {
		diag_position(diag, &line, &column);
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s:%u:%u: %s", diag->file->name, line, column,
			diag->what);
	} else {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s", diag->what);
	}
	return RST_E_USAGE;
}

static enum rst_status spec_set(
	struct rst_analysis *analysis, const struct rst_analysis_options *options, struct rst_error *err)
{
	struct text_list *templates = &analysis->spec.templates;

	if (!options)
		return RST_OK;
	analysis->spec.from = options->from;
	analysis->spec.to = options->to;
	analysis->stats.per_text = options->per;
	analysis->scan.progress = options->progress;
	analysis->scan.progress_context = options->progress_context;
	templates->items = calloc(options->n_templates + 1, sizeof(*templates->items));
	if (!templates->items)
		return error_nomem(err);
	for (; templates->n_items < options->n_templates; templates->n_items++)
		templates->items[templates->n_items] = options->templates[templates->n_items];
	return RST_OK;
}

static enum rst_status analysis_begin(
	struct rst_analysis *analysis, const struct rst_analysis_options *options, struct rst_error *err)
{
	error_try(spec_set(analysis, options, err));
	analysis->job.spec = &analysis->spec;
	job_begin(&analysis->job);
	error_try(job_templates(&analysis->job, analysis->trace, &analysis->templates, err));
	error_try(templates_fault(analysis->templates, err));
	return templates_give_effects(analysis->templates, analysis->trace, err);
}

enum rst_status rst_analysis_new(struct rst_analysis **ret_analysis, struct rst_trace *trace,
	const struct rst_analysis_options *options, struct rst_error *err)
{
	struct rst_analysis *analysis = calloc(1, sizeof(*analysis));
	enum rst_status status;

	if (!analysis)
		return error_nomem(err);
	analysis->trace = trace;
	status = analysis_begin(analysis, options, err);
	if (status < 0) {
		rst_analysis_free(analysis);
		return status;
	}
	*ret_analysis = analysis;
	return RST_OK;
}

static void statistics_add(struct stats *stats, const struct analysis *wanted)
{
	for (size_t i = 0; i < stats->n_analyses; i++)
		if (stats->analyses[i] == wanted)
			return;
	stats->analyses[stats->n_analyses++] = wanted;
}

enum rst_status rst_analysis_want_statistics(
	struct rst_analysis *analysis, const char *name, struct rst_error *err)
{
	const struct analysis *wanted;

	check(!analysis->has_run);
	if (name) {
		error_try(analysis_find(name, &wanted, err));
		statistics_add(&analysis->stats, wanted);
		return RST_OK;
	}
	for (size_t i = 0; analyses[i]; i++)
		statistics_add(&analysis->stats, analyses[i]);
	return RST_OK;
}

enum rst_status rst_analysis_want_findings(struct rst_analysis *analysis, struct rst_error *err)
{
	(void)err;
	check(!analysis->has_run);
	analysis->wants_findings = true;
	return RST_OK;
}

static enum rst_status rules_fault(struct rst_analysis *analysis, struct rst_error *err)
{
	const struct rule *rule = NULL;
	const enum rst_status status = rules_prepare_sql(&analysis->rules, &rule, err);
	const struct rule_fault *fault = analysis->rules.faults;

	if (analysis->rules.n_faults) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s:%u:%u: %s", analysis->rules_name, fault->line,
			fault->column, fault->text);
		if (*fault->advice)
			error_advise(err, "%s", fault->advice);
		return RST_E_USAGE;
	}
	return status;
}

enum rst_status rst_analysis_want_rules(struct rst_analysis *analysis, const char *bytes, size_t n_bytes,
	const char *name, struct rst_error *err)
{
	check(!analysis->has_run && !analysis->wants_rules);
	analysis->wants_rules = true;
	analysis->rules_name = strdup(name);
	if (!analysis->rules_name || !rules_parse(&analysis->rules, bytes, n_bytes))
		return error_nomem(err);
	return rules_fault(analysis, err);
}

/* --- the run -------------------------------------------------------------------------------------------- */

static enum rst_status observers_join(struct rst_analysis *analysis, struct rst_error *err)
{
	struct scan *scan = &analysis->scan;

	if (analysis->stats.n_analyses)
		stats_init(&analysis->stats, scan);
	if (analysis->wants_findings && !findings_init(&analysis->findings, scan))
		return error_nomem(err);
	if (!analysis->wants_rules)
		return RST_OK;
	analysis->check = (struct check){ .rules = &analysis->rules,
		.file = analysis->rules_name,
		.trace = analysis->trace,
		.templates = analysis->templates->set,
		.diags = &analysis->templates->diags,
		.timeout_ns = RULE_TIMEOUT_NS };
	return check_init(&analysis->check, scan, err);
}

/*
 * Gives the columns of a table, which is complete, the form that programs see. Returns false if memory ran
 * out.
 */
static bool table_show(struct rst_analysis *analysis, struct rst_table *table)
{
	static const enum rst_cell_type types[] = {
		[CELL_WORD] = RST_CELL_WORD,
		[CELL_COUNT] = RST_CELL_COUNT,
		[CELL_NUMBER] = RST_CELL_NUMBER,
		[CELL_TIME] = RST_CELL_TIME,
		[CELL_MOMENT] = RST_CELL_MOMENT,
		[CELL_SHARE] = RST_CELL_SHARE,
		[CELL_REAL] = RST_CELL_REAL,
		[CELL_HISTOGRAM] = RST_CELL_HISTOGRAM,
	};
	const size_t n = table->table.n_columns;

	table->times = analysis->scan.is_started ? &analysis->scan.times : NULL;
	table->columns = calloc(n, sizeof(*table->columns));
	for (size_t i = 0; table->columns && i < n; i++) {
		const struct table_column *column = &table->table.columns[i];

		table->columns[i] = (struct rst_column){ .name = column->name,
			.type = types[column->type],
			.unit = column->unit,
			.about = column->help };
	}
	return table->columns != NULL;
}

/* The next table, which the caller fills in; it is freed with the analysis even if it is not complete. */
static struct rst_table *table_next(struct rst_analysis *analysis)
{
	check(analysis->n_tables < TABLES_MAX);
	return &analysis->tables[analysis->n_tables++];
}

static enum rst_status tables_make(struct rst_analysis *analysis, struct rst_error *err)
{
	struct stats *stats = &analysis->stats;
	struct scan *scan = &analysis->scan;

	if (stats->has_too_many) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s has more than %d parts of %s",
			rst_trace_metadata(analysis->trace)->path, STATS_PARTS_MAX, stats->per_text);
		error_advise(err, "use a longer time, or a part of the trace");
		return RST_E_USAGE;
	}
	for (size_t i = 0; i < stats->n_analyses; i++) {
		struct rst_table *table = table_next(analysis);

		error_try(stats_table(stats, i, &table->table, err));
		if (!table_show(analysis, table))
			return error_nomem(err);
	}
	if (analysis->wants_findings) {
		struct rst_table *table = table_next(analysis);

		if (!findings_finish(&analysis->findings) ||
			!findings_table(&analysis->findings, &table->table) || !table_show(analysis, table))
			return error_nomem(err);
	}
	if (analysis->wants_rules) {
		struct rst_table *table = table_next(analysis);

		error_try(check_finish(&analysis->check, job_fault(&analysis->job), err));
		if (!verdicts_table(
			    &analysis->check, scan->is_started ? &scan->times : NULL, &table->table) ||
			!table_show(analysis, table))
			return error_nomem(err);
	}
	return RST_OK;
}

static void tables_drop(struct rst_analysis *analysis)
{
	for (size_t i = 0; i < analysis->n_tables; i++) {
		table_done(&analysis->tables[i].table);
		free(analysis->tables[i].columns);
	}
	analysis->n_tables = 0;
}

enum rst_status rst_analysis_run(struct rst_analysis *analysis, struct rst_error *err)
{
	enum rst_status status, fault;

	check(!analysis->has_run);
	analysis->has_run = true;
	error_try(observers_join(analysis, err));
	fault = job_scan(&analysis->job, analysis->trace, &analysis->scan);
	if (fault < 0 && err)
		*err = analysis->job.err;
	if (analysis->job.is_over)
		return fault;
	status = tables_make(analysis, fault < 0 ? NULL : err);
	if (status < 0)
		tables_drop(analysis);
	return status < 0 && fault >= 0 ? status : fault;
}

struct rst_analysis *rst_analysis_free(struct rst_analysis *analysis)
{
	if (!analysis)
		return NULL;
	tables_drop(analysis);
	check_done(&analysis->check);
	rules_done(&analysis->rules);
	findings_done(&analysis->findings);
	stats_done(&analysis->stats);
	scan_done(&analysis->scan);
	job_done(&analysis->job);
	free(analysis->spec.templates.items);
	free(analysis->rules_name);
	free(analysis);
	return NULL;
}

/* --- tables --------------------------------------------------------------------------------------------- */

const struct rst_table *rst_analysis_table(const struct rst_analysis *analysis, size_t n)
{
	return n < analysis->n_tables ? &analysis->tables[n] : NULL;
}

const struct rst_table *rst_analysis_find_table(const struct rst_analysis *analysis, const char *name)
{
	for (size_t i = 0; i < analysis->n_tables; i++)
		if (strcmp(analysis->tables[i].table.name, name) == 0)
			return &analysis->tables[i];
	return NULL;
}

bool rst_analysis_window(const struct rst_analysis *analysis, uint64_t *ret_from, uint64_t *ret_to)
{
	if (!analysis->scan.is_started)
		return false;
	*ret_from = analysis->scan.from;
	*ret_to = analysis->scan.to;
	return true;
}

const char *rst_cell_type_name(enum rst_cell_type type)
{
	static const char *const names[RST_N_CELL_TYPES] = {
		[RST_CELL_WORD] = "word",
		[RST_CELL_COUNT] = "count",
		[RST_CELL_NUMBER] = "number",
		[RST_CELL_TIME] = "time",
		[RST_CELL_MOMENT] = "moment",
		[RST_CELL_SHARE] = "share",
		[RST_CELL_REAL] = "real",
		[RST_CELL_HISTOGRAM] = "histogram",
	};

	return (unsigned)type < RST_N_CELL_TYPES ? names[type] : "?";
}

const char *rst_table_name(const struct rst_table *table)
{
	return table->table.name;
}

size_t rst_table_rows(const struct rst_table *table)
{
	return table->table.n_rows;
}

size_t rst_table_columns(const struct rst_table *table)
{
	return table->table.n_columns;
}

double rst_table_unknown(const struct rst_table *table)
{
	return table->table.unknown;
}

const struct rst_column *rst_table_column(const struct rst_table *table, size_t n)
{
	return n < table->table.n_columns ? &table->columns[n] : NULL;
}

bool rst_table_find_column(const struct rst_table *table, const char *name, size_t *ret_column)
{
	for (size_t i = 0; i < table->table.n_columns; i++)
		if (strcmp(table->columns[i].name, name) == 0) {
			*ret_column = i;
			return true;
		}
	return false;
}

static const struct table_cell *cell_at(const struct rst_table *table, size_t row, size_t column)
{
	const size_t n_columns = table->table.n_columns;

	return row < table->table.n_rows && column < n_columns ? &table->table.cells[row * n_columns + column]
							       : NULL;
}

/*
 * Lengths of time have nanoseconds if the frequency of the clock is known; moments count from the first
 * event.
 */
static void cell_set_ns(const struct rst_table *table, enum rst_cell_type type, struct rst_cell *cell)
{
	const struct times *times = table->times;

	if (!times || !times->hz || (type != RST_CELL_TIME && type != RST_CELL_MOMENT))
		return;
	cell->has_ns = true;
	if (type == RST_CELL_MOMENT) {
		cell->ns = times_ns(times, cell->number);
		return;
	}
	cell->ns = (uint64_t)times_distance_ns(times, 0, cell->number);
	cell->most_ns = (uint64_t)times_distance_ns(times, 0, cell->most_number);
}

bool rst_table_cell(const struct rst_table *table, size_t row, size_t column, struct rst_cell *ret_cell)
{
	const struct table_cell *cell = cell_at(table, row, column);

	if (!cell)
		return false;
	*ret_cell = (struct rst_cell){ .is_there = cell->is_there };
	if (!cell->is_there)
		return true;
	const struct table_cell most = cell_most(&table->table.columns[column], cell);
	const enum rst_cell_type type = table->columns[column].type;

	ret_cell->has_most = cell->has_most;
	if (type == RST_CELL_WORD) {
		ret_cell->text = cell->text.bytes;
		ret_cell->text_bytes = cell->text.n_bytes;
	} else if (type == RST_CELL_SHARE || type == RST_CELL_REAL) {
		ret_cell->real = cell->real;
		ret_cell->most_real = most.real;
	} else if (type != RST_CELL_HISTOGRAM) {
		ret_cell->number = cell->number;
		ret_cell->most_number = most.number;
		cell_set_ns(table, type, ret_cell);
	}
	return true;
}

bool rst_table_range(const struct rst_table *table, size_t row, size_t column, size_t *position,
	uint64_t *ret_from, uint64_t *ret_to, uint64_t *ret_n)
{
	const struct table_cell *cell = cell_at(table, row, column);
	struct histogram_range range;

	if (!cell || !cell->is_there || table->columns[column].type != RST_CELL_HISTOGRAM ||
		!histogram_next(cell->histogram, position, &range))
		return false;
	*ret_from = range.from;
	*ret_to = range.to;
	*ret_n = range.n;
	return true;
}
