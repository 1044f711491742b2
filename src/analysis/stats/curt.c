/* SPDX-License-Identifier: MIT */
#include "analysis/stats/curt.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/stats/page.h"
#include "analysis/table/histogram.h"

/* The last one is for details only. */
enum { LOAD, THREADS, PROCESSES, SPANS, INTERRUPTS, SERVICES, N_TABLES };

static const char *const names[N_TABLES] = { "load", "threads", "processes", "spans", "interrupts",
	"services" };

struct curt {
	const struct table_output *output;
	struct table tables[N_TABLES];
	double total; /* ticks of all cores together */
};

/* --- figures -------------------------------------------------------------------------------------------- */

/* Whether the figure may be larger. */
static bool is_open(const struct table *table, size_t row, const char *column)
{
	const struct table_cell *cell = table_find(table, row, column);

	return cell && cell->is_there && cell->has_most;
}

/* Ticks or a count; 0 if the cell is absent. */
static uint64_t curt_number_of(const struct table *table, size_t row, const char *column)
{
	const struct table_cell *cell = table_find(table, row, column);

	return cell && cell->is_there ? cell->number : 0;
}

static struct text word_of(const struct table *table, size_t row, const char *column)
{
	const struct table_cell *cell = table_find(table, row, column);

	return cell && cell->is_there ? cell->text : (struct text){ "", 0 };
}

static bool is_word(struct text text, const char *word)
{
	return text.n_bytes == strlen(word) && memcmp(text.bytes, word, text.n_bytes) == 0;
}

static double curt_share_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static const char *curt_unit_of(const struct curt *curt)
{
	return curt->output->times && curt->output->times->hz ? "(msec)" : "(ticks)";
}

/* Milliseconds, or ticks if the clock is not known. */
static void curt_put_bounded(const struct curt *curt, double ticks, bool may_be_larger, unsigned width)
{
	const bool has_hz = curt->output->times && curt->output->times->hz;

	put_least(curt->output->out, has_hz ? ticks / (double)curt->output->times->hz * 1000 : ticks,
		has_hz ? 4 : 0, may_be_larger, width);
}

static void curt_put_time(const struct curt *curt, double ticks, unsigned width)
{
	curt_put_bounded(curt, ticks, false, width);
}

static void put_title(const struct curt *curt, const char *title)
{
	const size_t n = strlen(title);

	outbuf_printf(curt->output->out, "\n%*s%s\n%*s%.*s\n\n", 24, "", title, 24, "", (int)n,
		"--------------------------------------------------------");
}

/* --- system and processors ------------------------------------------------------------------------------ */

/* The use of a core, or of all cores. */
struct usage {
	double application, interrupt, idle, unknown;
};

static void usage_add(struct usage *usage, const struct table *load, size_t row)
{
	usage->application += (double)curt_number_of(load, row, "running");
	usage->interrupt += (double)curt_number_of(load, row, "interrupted");
	usage->idle += (double)curt_number_of(load, row, "idle");
	usage->unknown += (double)curt_number_of(load, row, "unknown");
}

enum category { CATEGORY_BUSY, CATEGORY_IDLE, CATEGORY_UNKNOWN };

static void put_category(const struct curt *curt, const struct usage *usage, double ticks,
	enum category category, const char *name)
{
	const double busy = usage->application + usage->interrupt;
	const bool may_be_larger = usage->unknown > 0 && category != CATEGORY_UNKNOWN;

	curt_put_bounded(curt, ticks, may_be_larger, 13);
	outbuf_puts(curt->output->out, "  ");
	put_least(curt->output->out, curt_share_of(ticks, busy + usage->idle + usage->unknown), 2,
		may_be_larger, 12);
	if (category == CATEGORY_BUSY)
		outbuf_printf(curt->output->out, "  %12.2f  %s\n", curt_share_of(ticks, busy), name);
	else
		outbuf_printf(curt->output->out, "%14s  %s\n", "", name);
}

static void put_usage(const struct curt *curt, const struct usage *usage)
{
	static const char rule[] = "  -----------  ------------";
	const double busy = usage->application + usage->interrupt;
	struct outbuf *out = curt->output->out;

	outbuf_printf(out,
		"   processing       percent       percent\n   total time    total time     busy time\n"
		"%13s  (incl. idle)  (excl. idle)  processing category\n"
		"  ===========  ============  ============  ===================\n",
		curt_unit_of(curt));
	put_category(curt, usage, usage->application, CATEGORY_BUSY, "APPLICATION (with system calls)");
	put_category(curt, usage, usage->interrupt, CATEGORY_BUSY, "FLIH (interrupts)");
	outbuf_printf(out, "%s  ------------\n", rule);
	put_category(curt, usage, busy, CATEGORY_BUSY, "CPU(s) busy time");
	put_category(curt, usage, usage->idle, CATEGORY_IDLE, "IDLE");
	if (usage->unknown > 0)
		put_category(curt, usage, usage->unknown, CATEGORY_UNKNOWN, "UNKNOWN (not in the recording)");
	outbuf_printf(out, "%s\n", rule);
	curt_put_time(curt, busy + usage->idle + usage->unknown, 13);
	outbuf_printf(out, "%30sTOTAL\n", "");
}

/* How many times threads got a core, and on how many of these it was the one on which they had run before. */
static void put_dispatches(const struct curt *curt)
{
	const struct table *threads = &curt->tables[THREADS];
	uint64_t n_switches = 0, n_migrations = 0, n_preemptions = 0;

	for (size_t row = 0; row < threads->n_rows; row++) {
		n_switches += curt_number_of(threads, row, "switches");
		n_migrations += curt_number_of(threads, row, "migrations");
		n_preemptions += curt_number_of(threads, row, "preemptions");
	}
	if (n_switches)
		outbuf_printf(curt->output->out, "\nAvg. Thread Affinity = %.2f\n",
			(double)(n_switches - n_migrations) / (double)n_switches);
	outbuf_printf(curt->output->out,
		"%sTotal number of thread dispatches = %" PRIu64 "\nTotal number of preemptions = %" PRIu64
		"\n",
		n_switches ? "" : "\n", n_switches, n_preemptions);
}

static void put_system(struct curt *curt)
{
	const struct table *load = &curt->tables[LOAD];
	struct usage all = { 0 };

	for (size_t row = 0; row < load->n_rows; row++)
		if (is_word(word_of(load, row, "kind"), "core"))
			usage_add(&all, load, row);
	curt->total = all.application + all.interrupt + all.idle + all.unknown;
	put_title(curt, "System Summary");
	put_usage(curt, &all);
	put_dispatches(curt);
	for (size_t row = 0; row < load->n_rows; row++) {
		const struct text core = word_of(load, row, "core");
		struct usage one = { 0 };
		char title[40];

		if (!is_word(word_of(load, row, "kind"), "core"))
			continue;
		usage_add(&one, load, row);
		snprintf(title, sizeof(title), "Processor Summary  processor number %.*s", (int)core.n_bytes,
			core.bytes);
		put_title(curt, title);
		put_usage(curt, &one);
	}
}

/* --- applications --------------------------------------------------------------------------------------- */

static void put_row_time(const struct curt *curt, const struct table *table, size_t row)
{
	const double ticks = (double)curt_number_of(table, row, "running");
	const bool may_be_larger = is_open(table, row, "running");

	curt_put_bounded(curt, ticks, may_be_larger, 13);
	outbuf_puts(curt->output->out, "  ");
	put_least(curt->output->out, curt_share_of(ticks, curt->total), 4, may_be_larger, 12);
}

enum { NAME_COLUMN = 52 };

static void curt_put_threads(const struct curt *curt)
{
	const struct table *threads = &curt->tables[THREADS];
	struct outbuf *out = curt->output->out;

	put_title(curt, "Application Summary (by Tid)");
	outbuf_printf(out,
		"   processing    percent of  dispatches  preempted\n%13s    total time%24s"
		"name (Pid Tid)\n"
		"  ===========  ============  ==========  =========  ==============\n",
		curt_unit_of(curt), "");
	for (size_t row = 0; row < threads->n_rows; row++) {
		const struct text name = word_of(threads, row, "thread"), id = word_of(threads, row, "id"),
				  process = word_of(threads, row, "process");

		const size_t n_words = name.n_bytes + process.n_bytes + id.n_bytes + strlen(" ( )");

		put_row_time(curt, threads, row);
		outbuf_printf(out, "  %10" PRIu64 "  %9" PRIu64 "  %.*s",
			curt_number_of(threads, row, "switches"), curt_number_of(threads, row, "preemptions"),
			(int)name.n_bytes, name.bytes);
		/* Numbers behind a long name have a line of their own. */
		if (NAME_COLUMN + n_words > PAGE_COLUMNS)
			outbuf_printf(out, "\n%*s(", NAME_COLUMN, "");
		else
			outbuf_puts(out, " (");
		outbuf_printf(out, "%.*s%s%.*s)\n", (int)process.n_bytes, process.bytes,
			process.n_bytes ? " " : "", (int)id.n_bytes, id.bytes);
	}
}

static void put_processes(const struct curt *curt)
{
	const struct table *processes = &curt->tables[PROCESSES];
	struct outbuf *out = curt->output->out;

	if (!processes->n_rows)
		return;
	put_title(curt, "Application Summary (by Pid)");
	outbuf_printf(out,
		"   processing    percent of     threads\n%13s    total time%13s(Pid)\n"
		"  ===========  ============  ==========  =====\n",
		curt_unit_of(curt), "");
	for (size_t row = 0; row < processes->n_rows; row++) {
		const struct text process = word_of(processes, row, "process");

		put_row_time(curt, processes, row);
		outbuf_printf(out, "  %10" PRIu64 "  (%.*s)\n", curt_number_of(processes, row, "threads"),
			(int)process.n_bytes, process.bytes);
	}
}

/* --- calls and interrupts ------------------------------------------------------------------------------- */

/* The shortest is in the histogram only. */
static uint64_t shortest_of(const struct table *table, size_t row)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct table_cell *cell = &table->cells[row * table->n_columns + i];

		if (table->columns[i].type == CELL_HISTOGRAM && cell->is_there)
			return cell->histogram->least;
	}
	return 0;
}

static void put_durations(
	const struct curt *curt, const struct table *table, const char *title, const char *subject)
{
	struct outbuf *out = curt->output->out;
	const char *unit = curt_unit_of(curt);

	if (!table->n_rows)
		return;
	put_title(curt, title);
	outbuf_printf(out,
		"   Count     Total Time  %% of total   Avg Time   Min Time   Max Time  Name\n"
		"%23s        time%11s%11s%11s\n"
		" =======  =============  ==========  =========  =========  =========  ====\n",
		unit, unit, unit, unit);
	for (size_t row = 0; row < table->n_rows; row++) {
		const struct text name = word_of(table, row, subject);
		const uint64_t total = curt_number_of(table, row, "total");

		outbuf_printf(out, "%8" PRIu64 "  ", curt_number_of(table, row, "count"));
		curt_put_bounded(curt, (double)total, is_open(table, row, "total"), 13);
		outbuf_puts(out, "  ");
		put_least(curt->output->out, curt_share_of((double)total, curt->total), 2,
			is_open(table, row, "total"), 10);
		outbuf_puts(out, "  ");
		curt_put_time(curt, (double)curt_number_of(table, row, "mean"), 9);
		outbuf_puts(out, "  ");
		curt_put_time(curt, (double)shortest_of(table, row), 9);
		outbuf_puts(out, "  ");
		curt_put_bounded(
			curt, (double)curt_number_of(table, row, "max"), is_open(table, row, "max"), 9);
		outbuf_printf(out, "  %.*s\n", (int)name.n_bytes, name.bytes);
	}
}

/* --- details -------------------------------------------------------------------------------------------- */

static const struct detail {
	const char *column, *label;
	bool is_time;
} detail_rows[] = {
	{ "running", "running", true },
	{ "ready", "ready, without a processor", true },
	{ "waiting", "waiting", true },
	{ "unknown", "not in the recording", true },
	{ "switches", "dispatches", false },
	{ "preemptions", "preempted", false },
	{ "blocks", "began to wait", false },
	{ "wakeups", "woken", false },
	{ "migrations", "changed the processor", false },
};

/* Puts the details that the table has. */
static void curt_put_detail(const struct curt *curt, const struct table *table, size_t row)
{
	for (size_t i = 0; i < sizeof(detail_rows) / sizeof(detail_rows[0]); i++) {
		const struct detail *detail = &detail_rows[i];
		const struct table_cell *cell = table_find(table, row, detail->column);

		if (!cell || !cell->is_there)
			continue;
		outbuf_printf(curt->output->out, "  %-28s", detail->label);
		if (detail->is_time)
			curt_put_bounded(curt, (double)cell->number, cell->has_most, 16);
		else
			outbuf_printf(curt->output->out, "%16" PRIu64, cell->number);
		outbuf_printf(curt->output->out, "%s%s\n", detail->is_time ? "  " : "",
			detail->is_time ? curt_unit_of(curt) : "");
	}
}

static void put_process_reports(const struct curt *curt)
{
	const struct table *processes = &curt->tables[PROCESSES];

	for (size_t row = 0; row < processes->n_rows; row++) {
		const struct text process = word_of(processes, row, "process");

		outbuf_printf(curt->output->out, "\nReport for Process: %.*s\n", (int)process.n_bytes,
			process.bytes);
		curt_put_detail(curt, processes, row);
	}
}

static void put_thread_reports(const struct curt *curt)
{
	const struct table *threads = &curt->tables[THREADS];

	for (size_t row = 0; row < threads->n_rows; row++) {
		const struct text name = word_of(threads, row, "thread"), id = word_of(threads, row, "id");

		outbuf_printf(curt->output->out, "\nReport for Thread Id: %.*s  %.*s\n", (int)id.n_bytes,
			id.bytes, (int)name.n_bytes, name.bytes);
		curt_put_detail(curt, threads, row);
	}
}

static void put_errors(const struct curt *curt)
{
	const struct table *services = &curt->tables[SERVICES];
	bool has_any = false;

	put_title(curt, "Errors Returned by System Calls");
	for (size_t row = 0; row < services->n_rows; row++) {
		const struct text name = word_of(services, row, "service");
		const uint64_t n_failed = curt_number_of(services, row, "failed");

		if (!n_failed)
			continue;
		if (!has_any)
			outbuf_puts(
				curt->output->out, "  Failed     Calls  Name\n  ======  ========  ====\n");
		has_any = true;
		outbuf_printf(curt->output->out, "%8" PRIu64 "  %8" PRIu64 "  %.*s\n", n_failed,
			curt_number_of(services, row, "calls"), (int)name.n_bytes, name.bytes);
	}
	if (!has_any)
		outbuf_puts(curt->output->out, "The recording shows no call that failed.\n");
}

/* Events of `rastrum record --system` that are calls of the threads library. */
static bool is_pthread(struct text name)
{
	static const char *const begins[] = { "sys_mutex_", "sys_rwlock_", "sys_cond_", "sys_barrier_",
		"sys_spin_", "sys_thread_", "sys_join_", "pthread_" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (name.n_bytes > strlen(begins[i]) && memcmp(name.bytes, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static void put_pthreads(const struct curt *curt)
{
	const struct table *services = &curt->tables[SERVICES];
	bool has_any = false;

	put_title(curt, "Pthread Calls Summary");
	for (size_t row = 0; row < services->n_rows; row++) {
		const struct text name = word_of(services, row, "service");

		if (!is_pthread(name))
			continue;
		if (!has_any)
			outbuf_printf(curt->output->out,
				"   Count   Blocked    Total Wait     Max Wait  Name\n"
				"%32s%13s\n =======  ========  ============  ===========  ====\n",
				curt_unit_of(curt), curt_unit_of(curt));
		has_any = true;
		outbuf_printf(curt->output->out, "%8" PRIu64 "  %8" PRIu64 "  ",
			curt_number_of(services, row, "calls"), curt_number_of(services, row, "blocked"));
		curt_put_time(curt, (double)curt_number_of(services, row, "total_wait"), 12);
		outbuf_puts(curt->output->out, "  ");
		curt_put_time(curt, (double)curt_number_of(services, row, "max_wait"), 11);
		outbuf_printf(curt->output->out, "  %.*s\n", (int)name.n_bytes, name.bytes);
	}
	if (!has_any)
		outbuf_puts(curt->output->out,
			"The recording has no calls of the threads library; rastrum record --system has.\n");
}

static void put_details(const struct curt *curt, const struct curt_details *details)
{
	if (details->has_errors)
		put_errors(curt);
	if (details->has_pthreads)
		put_pthreads(curt);
	if (details->has_processes)
		put_process_reports(curt);
	if (details->has_threads)
		put_thread_reports(curt);
}

/* --- the report ----------------------------------------------------------------------------------------- */

static void curt_put_head(
	const struct curt *curt, const struct stats *stats, const struct rst_metadata *metadata)
{
	struct outbuf *out = curt->output->out;

	outbuf_printf(
		out, "%srastrum curt: CPU usage\n\nTrace file name: ", curt->output->n_begun ? "\n" : "");
	outbuf_clean(out, metadata->path);
	outbuf_printf(out, "\nDialect: %s\nEvents: %" PRIu64 "\nElapsed time %s: ", metadata->dialect,
		stats->overview.n_events, curt_unit_of(curt));
	curt_put_time(curt, (double)(stats->scan->to - stats->scan->from), 0);
	outbuf_printf(out, "\nProcessors: %u\n", stats->overview.n_cores);
	if (stats_unknown(stats, BASIS_CORES) > 0 || stats_unknown(stats, BASIS_THREADS) > 0)
		outbuf_puts(
			out, "A figure with \xe2\x89\xa5 may be larger: the recording does not tell all.\n");
	if (stats->overview.n_losses || stats->overview.n_damages)
		outbuf_printf(out,
			"Losses: %" PRIu64 " places, %" PRIu64
			" events that are known; damaged places: %" PRIu64 "\n",
			stats->overview.n_losses, stats->overview.n_lost, stats->overview.n_damages);
}

enum rst_status curt_choose(struct stats *stats, const struct curt_details *details, struct rst_error *err)
{
	const size_t n_tables = details->has_errors || details->has_pthreads ? N_TABLES : SERVICES;

	for (size_t n = 0; n < n_tables; n++)
		error_try(analysis_find(names[n], &stats->analyses[n], err));
	stats->n_analyses = n_tables;
	return RST_OK;
}

enum rst_status curt_put(struct stats *stats, const struct rst_metadata *metadata,
	const struct curt_details *details, const struct table_output *output, struct rst_error *err)
{
	struct curt curt = { .output = output };
	enum rst_status status = RST_OK;
	size_t n = 0;

	while (n < stats->n_analyses && status == RST_OK) {
		status = stats_table(stats, n, &curt.tables[n], err);
		n++;
	}
	if (status == RST_OK) {
		curt_put_head(&curt, stats, metadata);
		put_system(&curt);
		curt_put_threads(&curt);
		put_processes(&curt);
		put_durations(&curt, &curt.tables[SPANS], "System Calls and Spans Summary", "span");
		put_durations(&curt, &curt.tables[INTERRUPTS], "Flih Summary", "interrupt");
		put_details(&curt, details);
	}
	while (n--)
		table_done(&curt.tables[n]);
	return status;
}
