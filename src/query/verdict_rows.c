/* SPDX-License-Identifier: MIT */
/*
 * The results of rules as a table: a row for each rule, in their order. Its columns have the names that JSON
 * gives them.
 */
#include <stdio.h>

#include "query/verdict.h"

enum {
	ROW_TITLE,
	ROW_RULE,
	ROW_LINE,
	ROW_RESULT,
	ROW_REASON,
	ROW_UNIT,
	ROW_MEASURED,
	ROW_MIN,
	ROW_MAX,
	ROW_BROKEN,
	ROW_WORST,
	ROW_FROM,
	ROW_TO,
	ROW_SUBJECT,
	ROW_ROW,
	N_ROW_COLUMNS
};

static const struct table_column columns[N_ROW_COLUMNS] = {
	[ROW_TITLE] = { .name = "title", .type = CELL_WORD, .is_subject = true },
	[ROW_RULE] = { .name = "rule", .type = CELL_WORD },
	[ROW_LINE] = { .name = "line", .type = CELL_NUMBER, .help = "in the text of the rules" },
	[ROW_RESULT] = { .name = "result", .type = CELL_WORD, .help = "pass, fail or undecided" },
	[ROW_REASON] = { .name = "reason", .type = CELL_WORD, .help = "why it is undecided" },
	[ROW_UNIT] = { .name = "unit",
		.type = CELL_WORD,
		.help = "of min, max and worst: %, ns, ticks or count" },
	[ROW_MEASURED] = { .name = "measured", .type = CELL_COUNT, .help = "values that are known" },
	[ROW_MIN] = { .name = "min", .type = CELL_REAL, .help = "the least of them" },
	[ROW_MAX] = { .name = "max", .type = CELL_REAL, .help = "the greatest of them" },
	[ROW_BROKEN] = { .name = "broken", .type = CELL_COUNT, .help = "values that break the rule" },
	[ROW_WORST] = { .name = "worst", .type = CELL_REAL, .help = "the value that breaks it most" },
	[ROW_FROM] = { .name = "from", .type = CELL_MOMENT, .help = "where the worst one begins" },
	[ROW_TO] = { .name = "to", .type = CELL_MOMENT, .help = "and where it ends" },
	[ROW_SUBJECT] = { .name = "subject",
		.type = CELL_WORD,
		.help = "the thread or object of the worst one" },
	[ROW_ROW] = { .name = "row",
		.type = CELL_WORD,
		.help = "of a rule in SQL: the first row of its answer" },
};

bool run_is_time(const struct run *run)
{
	return run->rule->metric->quantities & QUANTITY_BIT(QUANTITY_TIME);
}

bool run_is_share(const struct run *run)
{
	return run->rule->range.least.form == QUANTITY_SHARE;
}

const char *run_value_unit(const struct run *run, bool has_clock)
{
	if (run_is_share(run))
		return "%";
	if (run_is_time(run))
		return has_clock ? "ns" : "ticks";
	return "count";
}

/* of: what a share is of, else 0. */
static struct table_cell value_cell(
	const struct run *run, const struct times *times, struct number value, uint64_t of)
{
	if (of)
		return cell_real(number_real(value) * 100 / (double)of);
	if (run_is_time(run) && times && times->hz)
		return cell_real((double)times_distance_ns(times, 0, value.bits));
	return cell_real(number_real(value));
}

static bool worst_cells(
	const struct run *run, const struct times *times, struct table *table, struct table_cell *cells)
{
	const struct violation *worst = &run->measured.worst;

	if (!run->measured.n_broken)
		return true;
	if (run->rule->metric->has_sql) {
		cells[ROW_ROW] = cell_if(worst->row != NULL, cell_word(worst->row ? worst->row : ""));
		if (!table_copy(table, cells[ROW_ROW].text.bytes, cells[ROW_ROW].text.n_bytes,
			    &cells[ROW_ROW].text))
			return false;
	} else {
		cells[ROW_WORST] =
			value_cell(run, times, number_as(worst->value, worst->value_type), worst->of);
	}
	cells[ROW_FROM] = cell_if(violation_has_moment(run, worst), cell_moment(worst->from));
	cells[ROW_TO] = cell_if(violation_has_moment(run, worst), cell_moment(worst->to));
	return entity_name(&worst->subject, table, &cells[ROW_SUBJECT]);
}

static bool word_cell(struct table *table, const char *word, struct table_cell *ret_cell)
{
	ret_cell->is_there = true;
	return table_copy(table, word, strlen(word), &ret_cell->text);
}

static bool rule_row(const struct run *run, const struct times *times, struct table *table)
{
	const struct measured *measured = &run->measured;
	const struct rule *rule = run->rule;
	const bool is_undecided = run->verdict == VERDICT_UNDECIDED, has_values = measured->n && !rule->sql;
	const uint64_t of = run_is_share(run) ? RUN_SHARE_ALL : 0;
	struct table_cell *cells = table_row(table);

	if (!cells || !word_cell(table, rule->title, &cells[ROW_TITLE]) ||
		!word_cell(table, rule->text, &cells[ROW_RULE]) ||
		(is_undecided && !word_cell(table, run->reason, &cells[ROW_REASON])))
		return false;
	cells[ROW_LINE] = cell_number(rule->line);
	cells[ROW_RESULT] = cell_word(verdict_names[run->verdict]);
	cells[ROW_UNIT] = cell_if(!rule->sql, cell_word(run_value_unit(run, times && times->hz)));
	cells[ROW_MEASURED] = cell_count(measured->n);
	cells[ROW_BROKEN] = cell_count(measured->n_broken);
	if (has_values) {
		cells[ROW_MIN] = value_cell(run, times, measured->least, of);
		cells[ROW_MAX] = value_cell(run, times, measured->most, of);
	}
	return worst_cells(run, times, table, cells);
}

bool verdicts_table(const struct check *check, const struct times *times, struct table *ret_table)
{
	const struct scan *scan = check->scan;

	*ret_table = (struct table){ .name = "rules",
		.columns = columns,
		.n_columns = N_ROW_COLUMNS,
		.from = scan->from,
		.to = scan->to,
		.has_window = scan->is_started };
	for (size_t i = 0; i < check->rules->n; i++)
		if (!rule_row(&check->runs[i], times, ret_table))
			return false;
	return true;
}
