/* SPDX-License-Identifier: MIT */
/*
 * <rastrum/analysis.h> as a program uses it: what it gives, what it refuses, and that nothing is lost if
 * memory runs out.
 */
#include <rastrum/analysis.h>

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static const char dump[] = "tests/data/threadx/priority_inversion.trx";

enum { CLOCK_HZ = 1000000000, N_FINDINGS = 4 };

static struct rst_trace *opened(const char *path)
{
	const struct rst_open how = { .clock_hz = CLOCK_HZ };
	struct rst_trace *trace = NULL;
	struct rst_error err;

	if (rst_trace_open(&trace, path, &how, &err) < 0)
		ok(false, "%s can be opened: %s", path, err.what);
	return trace;
}

/* The cell of a column in the first row whose cell in `key` is this word. */
static struct rst_cell cell_of(
	const struct rst_table *table, const char *key, const char *word, const char *name)
{
	struct rst_cell cell = { 0 };
	size_t key_column, column;

	if (!table || !rst_table_find_column(table, key, &key_column) ||
		!rst_table_find_column(table, name, &column))
		return cell;
	for (size_t row = 0; rst_table_cell(table, row, key_column, &cell); row++)
		if (cell.is_there && cell.text_bytes == strlen(word) &&
			memcmp(cell.text, word, cell.text_bytes) == 0) {
			rst_table_cell(table, row, column, &cell);
			return cell;
		}
	return (struct rst_cell){ 0 };
}

static bool is_word(struct rst_cell cell, const char *word)
{
	return cell.is_there && cell.text_bytes == strlen(word) &&
	       memcmp(cell.text, word, cell.text_bytes) == 0;
}

static void count(void *context, uint64_t n_events)
{
	*(uint64_t *)context = n_events;
}

/* --- what it gives -------------------------------------------------------------------------------------- */

static void test_tables(void)
{
	static const char rules[] = "latency: ready(thread high) < 1ms\nheld: hold(mutex resource*) < 5ms\n"
				    "gone: run(thread missing) < 5%\n";
	uint64_t n_events = 0;
	const struct rst_analysis_options options = { .progress = count, .progress_context = &n_events };
	struct rst_trace *trace = opened(dump);
	struct rst_analysis *analysis = NULL;
	const struct rst_table *table;
	struct rst_error err;
	struct rst_cell cell;
	uint64_t from, to, n;
	size_t column, position = 0, n_ranges = 0;

	ok(rst_analysis_new(&analysis, trace, &options, &err) == RST_OK, "an analysis of an open trace");
	ok(!rst_analysis_table(analysis, 0) && !rst_analysis_window(analysis, &from, &to),
		"which has no table before the run");
	ok(rst_analysis_want_statistics(analysis, "load", &err) == RST_OK &&
			rst_analysis_want_statistics(analysis, "threads", &err) == RST_OK &&
			rst_analysis_want_statistics(analysis, "load", &err) == RST_OK &&
			rst_analysis_want_findings(analysis, &err) == RST_OK &&
			rst_analysis_want_rules(analysis, rules, strlen(rules), "test", &err) == RST_OK,
		"tables, findings and rules are asked for");
	ok(rst_analysis_run(analysis, &err) == RST_OK, "one run makes them all");
	is_number(n_events, 96, "and tells how far it is");

	is_text(rst_table_name(rst_analysis_table(analysis, 0)), "load",
		"tables come as they were asked for");
	is_text(rst_table_name(rst_analysis_table(analysis, 1)), "threads",
		"a table that was asked for twice is one");
	is_text(rst_table_name(rst_analysis_table(analysis, 2)), "findings", "behind them the findings");
	is_text(rst_table_name(rst_analysis_table(analysis, 3)), "rules", "and the rules");
	ok(!rst_analysis_table(analysis, 4) && !rst_analysis_find_table(analysis, "locks"),
		"and nothing else");
	ok(rst_analysis_window(analysis, &from, &to) && to - from == 42254170, "the window in ticks");

	table = rst_analysis_find_table(analysis, "load");
	cell = cell_of(table, "thread", "medium", "waiting_semaphore");
	ok(cell.is_there && cell.has_ns && cell.number == 31914823 && cell.ns == 31914823 && !cell.has_most,
		"a length of time");
	cell = cell_of(table, "thread", "low", "share");
	ok(cell.is_there && cell.real > 0.751 && cell.real < 0.752, "a share");
	ok(!cell_of(table, "thread", "low", "idle").is_there, "a cell that does not apply is not there");
	ok(!rst_table_cell(table, rst_table_rows(table), 0, &cell) &&
			!rst_table_cell(table, 0, rst_table_columns(table), &cell) &&
			!rst_table_column(table, rst_table_columns(table)),
		"no cell lies outside of a table");
	ok(rst_table_unknown(table) == 0, "the share that is not known");

	table = rst_analysis_find_table(analysis, "threads");
	for (column = 0; rst_table_column(table, column)->type != RST_CELL_HISTOGRAM; column++)
		;
	while (rst_table_range(table, 0, column, &position, &from, &to, &n))
		n_ranges += from <= to && n > 0;
	ok(n_ranges > 0 && !rst_table_range(table, 0, 0, &position, &from, &to, &n), "ranges of a histogram");

	table = rst_analysis_find_table(analysis, "findings");
	is_number(rst_table_rows(table), N_FINDINGS, "each finding is a row");
	ok(is_word(cell_of(table, "finding", "priority_inversion", "severity"), "error"),
		"with its severity");
	ok(is_word(cell_of(table, "finding", "priority_inversion", "evidence"), "24, 25, 27, 30, 31, 32"),
		"and the events that prove it");

	table = rst_analysis_find_table(analysis, "rules");
	ok(is_word(cell_of(table, "title", "latency", "result"), "pass"), "a rule that holds");
	cell = cell_of(table, "title", "held", "worst");
	ok(is_word(cell_of(table, "title", "held", "result"), "fail") && cell.real > 5e6,
		"one that is broken, by how much");
	ok(is_word(cell_of(table, "title", "gone", "result"), "undecided") &&
			cell_of(table, "title", "gone", "reason").is_there,
		"one that is undecided, and why");
	ok(!rst_analysis_free(analysis), "freed");
	rst_trace_free(trace);
}

/* The word of each type of cell is another one. */
static void test_names(void)
{
	bool is_good = true;

	for (unsigned i = 0; i < RST_N_CELL_TYPES; i++)
		for (unsigned j = 0; j < i; j++)
			is_good &= strcmp(rst_cell_type_name((enum rst_cell_type)i),
					   rst_cell_type_name((enum rst_cell_type)j)) != 0;
	ok(is_good, "each type of cell has a word of its own");
}

/* --- what it refuses ------------------------------------------------------------------------------------ */

static void test_part(void)
{
	const struct rst_analysis_options options = { .from = "10ms", .to = "20ms", .per = "1ms" };
	struct rst_trace *trace = opened(dump);
	struct rst_analysis *analysis = NULL;
	struct rst_error err;
	uint64_t from = 0, to = 0;

	rst_analysis_new(&analysis, trace, &options, &err);
	rst_analysis_want_statistics(analysis, "load", &err);
	ok(rst_analysis_run(analysis, &err) == RST_OK && rst_analysis_window(analysis, &from, &to) &&
			to - from == 10000000,
		"a part of the trace");
	is_text(rst_table_column(rst_analysis_table(analysis, 0), 0)->name, "from",
		"in parts of a millisecond");
	rst_analysis_free(analysis);
	rst_trace_free(trace);
}

static enum rst_status run_with(const struct rst_analysis_options *options, struct rst_error *err)
{
	struct rst_trace *trace = opened(dump);
	struct rst_analysis *analysis = NULL;
	enum rst_status status = rst_analysis_new(&analysis, trace, options, err);

	if (status == RST_OK)
		status = rst_analysis_want_statistics(analysis, NULL, err);
	if (status == RST_OK)
		status = rst_analysis_run(analysis, err);
	if (status < 0)
		ok(!analysis || !rst_analysis_table(analysis, 0), "and no table");
	rst_analysis_free(analysis);
	rst_trace_free(trace);
	return status;
}

static void test_refusals(void)
{
	static const char *const templates[] = { "tests/data/no-such-folder" };
	static const char bad_rules[] = "run(thread a) <\n",
			  sql_rules[] = "none \"SELECT no_such FROM events\"\n";
	const struct rst_analysis_options bad_time = { .from = "soon" }, many = { .per = "1" },
					  lacking = { .templates = templates, .n_templates = 1 };
	struct rst_trace *trace = opened(dump);
	struct rst_analysis *analysis = NULL;
	struct rst_error err;

	ok(run_with(&bad_time, &err) == RST_E_USAGE && strstr(err.what, "soon"),
		"a moment that cannot be read is named");
	ok(run_with(&many, &err) == RST_E_USAGE && strstr(err.what, "parts"), "too many parts are refused");
	ok(run_with(&lacking, &err) < 0, "templates that are not there are refused");
	rst_analysis_new(&analysis, trace, NULL, &err);
	ok(rst_analysis_want_statistics(analysis, "lods", &err) == RST_E_USAGE && strstr(err.what, "lods"),
		"a table that does not exist is refused");
	ok(rst_analysis_want_rules(analysis, bad_rules, strlen(bad_rules), "mine", &err) == RST_E_USAGE &&
			strstr(err.what, "mine:1:"),
		"a rule that cannot be read is named by its line");
	rst_analysis_free(analysis);
	rst_analysis_new(&analysis, trace, NULL, &err);
	const enum rst_status status =
		rst_analysis_want_rules(analysis, sql_rules, strlen(sql_rules), "mine", &err);
	ok((status == RST_E_USAGE && strstr(err.what, "no_such")) || status == RST_E_UNSUPPORTED,
		"so is a column that does not exist");
	rst_analysis_free(analysis);
	rst_trace_free(trace);
	ok(!rst_analysis_free(NULL), "NULL may be freed");
}

/* The events in front of the cut count. */
static void test_damage(void)
{
	const struct rst_open how = { .clock_hz = CLOCK_HZ };
	struct rst_analysis *analysis = NULL;
	struct rst_trace *trace = NULL;
	const struct rst_table *table;
	struct rst_error err;
	size_t n_bytes;
	unsigned char *bytes = tap_slurp(dump, &n_bytes);

	rst_trace_open_bytes(&trace, bytes, n_bytes / 2, "cut", &how, &err);
	rst_analysis_new(&analysis, trace, NULL, &err);
	rst_analysis_want_statistics(analysis, "load", &err);
	ok(rst_analysis_run(analysis, &err) == RST_OK && rst_trace_is_damaged(trace),
		"a dump that is cut can be read as far as it goes");
	table = rst_analysis_find_table(analysis, "load");
	ok(table && rst_table_rows(table) > 0, "and has the figures of that");
	rst_analysis_free(analysis);
	rst_trace_free(trace);
	free(bytes);
}

/* Each allocation fails once: the status says so, and a leak checker finds nothing. */
static void test_memory(void)
{
	static const char rules[] = "run(thread high) < 50%\n";
	const long stride = tap_is_slow() ? 97 : 13;
	bool is_done = false, is_good = true;

	for (long n = 0; !is_done; n += stride) {
		struct rst_trace *trace = opened(dump);
		struct rst_analysis *analysis = NULL;
		struct rst_error err;
		enum rst_status status;

		tap_fail_alloc_after(n);
		status = rst_analysis_new(&analysis, trace, NULL, &err);
		if (status == RST_OK)
			status = rst_analysis_want_statistics(analysis, NULL, &err);
		if (status == RST_OK)
			status = rst_analysis_want_findings(analysis, &err);
		if (status == RST_OK)
			status = rst_analysis_want_rules(analysis, rules, strlen(rules), "mine", &err);
		if (status == RST_OK)
			status = rst_analysis_run(analysis, &err);
		tap_fail_alloc_after(-1);
		is_done = status == RST_OK;
		is_good &= is_done || status == RST_E_NOMEM;
		rst_analysis_free(analysis);
		rst_trace_free(trace);
	}
	ok(is_good, "memory that runs out anywhere gives RST_E_NOMEM");
}

int main(void)
{
	test_tables();
	test_names();
	test_part();
	test_refusals();
	test_damage();
	test_memory();
	return tap_done();
}
