/* SPDX-License-Identifier: MIT */
/*
 * Runs statistics, findings and one rule over a recording, and prints the figures. Each line is a figure:
 * table, row, column, value and unit, with tabs between them.
 *
 *	cc -Wall -o figures figures.c $(pkg-config --cflags --libs rastrum)
 *	./figures dump.trx | grep -P '^load\t.*\tshare\t'
 *
 * Lengths of time are in nanoseconds if the recording has the frequency of its clock, else in ticks; moments
 * are in ticks. The exit status is 1 if the recording breaks the rule.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rastrum/rastrum.h>

static const char rules[] = "nothing lost: lost() == 0\n";

static void fail(const struct rst_error *err)
{
	char text[600];

	fprintf(stderr, "figures: %s\n", rst_error_text(err, text, sizeof(text)));
}

/* Names and texts come from the recording: a terminal must not get their control bytes. */
static void put_text(const char *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		putchar((unsigned char)bytes[i] < ' ' || bytes[i] == 0x7f ? '?' : bytes[i]);
}

static void put_cell(const struct rst_column *column, const struct rst_cell *cell)
{
	const int is_time = column->type == RST_CELL_TIME || column->type == RST_CELL_MOMENT;
	const char *unit = column->unit ? column->unit : "";

	if (column->type == RST_CELL_WORD)
		put_text(cell->text, cell->text_bytes);
	else if (column->type == RST_CELL_SHARE)
		printf("%.4f\t%%", cell->real * 100);
	else if (column->type == RST_CELL_REAL)
		printf("%.3f\t%s", cell->real, unit);
	else if (column->type == RST_CELL_NUMBER)
		printf("%" PRId64, (int64_t)cell->number);
	else if (cell->has_ns && column->type == RST_CELL_TIME)
		printf("%" PRIu64 "\tns", cell->ns);
	else
		printf("%" PRIu64 "\t%s", cell->number, is_time ? "ticks" : unit);
}

/* How often a length of time occurred: the ranges of a histogram. */
static void put_ranges(const struct rst_table *table, size_t row, size_t column)
{
	uint64_t from, to, n;

	printf("%s\t%zu\t%s\t", rst_table_name(table), row, rst_table_column(table, column)->name);
	for (size_t position = 0; rst_table_range(table, row, column, &position, &from, &to, &n);)
		printf("%" PRIu64 " of %" PRIu64 "..%" PRIu64 "; ", n, from, to);
	printf("\tticks");
}

/* The figure is what the recording proves; the truth may be as large as the most. */
static void put_figure(const struct rst_table *table, size_t row, const struct rst_column *column,
	const struct rst_cell *cell)
{
	struct rst_cell most = *cell;

	printf("%s\t%zu\t%s\t", rst_table_name(table), row, column->name);
	put_cell(column, cell);
	if (!cell->has_most)
		return;
	most.number = cell->most_number;
	most.real = cell->most_real;
	most.ns = cell->most_ns;
	printf("\n%s\t%zu\t%s_max\t", rst_table_name(table), row, column->name);
	put_cell(column, &most);
}

static void put_table(const struct rst_table *table)
{
	for (size_t row = 0; row < rst_table_rows(table); row++)
		for (size_t i = 0; i < rst_table_columns(table); i++) {
			const struct rst_column *column = rst_table_column(table, i);
			struct rst_cell cell;

			if (!rst_table_cell(table, row, i, &cell) || !cell.is_there)
				continue;
			if (column->type == RST_CELL_HISTOGRAM)
				put_ranges(table, row, i);
			else
				put_figure(table, row, column, &cell);
			putchar('\n');
		}
}

/* Whether the recording breaks the rule. */
static int is_broken(const struct rst_analysis *analysis)
{
	const struct rst_table *table = rst_analysis_find_table(analysis, "rules");
	struct rst_cell cell;
	size_t column;

	return table && rst_table_find_column(table, "result", &column) &&
	       rst_table_cell(table, 0, column, &cell) && cell.text_bytes == strlen("fail") &&
	       memcmp(cell.text, "fail", cell.text_bytes) == 0;
}

static int analyse(struct rst_trace *trace)
{
	struct rst_analysis *analysis;
	const struct rst_table *table;
	struct rst_error err;
	int exit_status = 0;

	if (rst_analysis_new(&analysis, trace, NULL, &err) < 0)
		return fail(&err), 2;
	if (rst_analysis_want_statistics(analysis, NULL, &err) < 0 ||
		rst_analysis_want_findings(analysis, &err) < 0 ||
		rst_analysis_want_rules(analysis, rules, strlen(rules), "figures.c", &err) < 0 ||
		rst_analysis_run(analysis, &err) < 0)
		exit_status = 3, fail(&err);
	/* After damage, the tables have what could be read. */
	for (size_t n = 0; (table = rst_analysis_table(analysis, n)); n++)
		put_table(table);
	if (exit_status == 0 && is_broken(analysis))
		exit_status = 1;
	rst_analysis_free(analysis);
	return exit_status;
}

int main(int argc, char **argv)
{
	struct rst_trace *trace;
	struct rst_error err;
	int exit_status;

	if (argc != 2)
		return fprintf(stderr, "usage: figures FILE\n"), 2;
	if (rst_trace_open(&trace, argv[1], NULL, &err) < 0)
		return fail(&err), 3;
	exit_status = analyse(trace);
	rst_trace_free(trace);
	return exit_status;
}
