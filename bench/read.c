/* SPDX-License-Identifier: MIT */
/*
 * `rastrum bench limit` and `rastrum bench read`: what reading can cost at least on this machine, and what it
 * costs.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <rastrum/state.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/explain/explain.h"
#include "analysis/stats/page.h"
#include "analysis/stats/stats.h"
#include "base/error.h"
#include "base/steady.h"
#include "bench/bench.h"
#include "bench/index.h"
#include "bench/verbs.h"
#include "cli/report/report.h"
#include "lines/report.h"
#include "query/check.h"
#include "summary/summary.h"
#include "template/set/search.h"

int verb_limit(const struct bench_args *args, char *const *files)
{
	struct floor_records floor = { 0 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	bool is_good = null >= 0 && floor_make(&floor, args->n_events, null);
	uint64_t n_bytes = args->n_events * 32;
	struct bench_row rows[] = {
		{ .name = "memcpy", .work = floor_copy, .context = &floor, .n_bytes = n_bytes },
		{ .name = "scan", .work = floor_scan, .context = &floor, .n_bytes = n_bytes },
		{ .name = "line_short", .work = floor_line_short, .context = &floor, .n_bytes = n_bytes },
		{ .name = "line_long",
			.work = floor_line_long,
			.context = &floor,
			.n_bytes = n_bytes,
			.is_unit = true },
		{ .name = "line_printf", .work = floor_line_printf, .context = &floor, .n_bytes = n_bytes },
	};
	const size_t n_rows = sizeof(rows) / sizeof(rows[0]);

	(void)files;
	is_good = is_good && bench_run(rows, n_rows, (unsigned)args->n_runs);
	if (is_good)
		bench_print(rows, n_rows, (unsigned)args->n_runs, args->n_events, stdout);
	floor_done(&floor);
	if (null >= 0)
		close(null);
	return is_good ? EXIT_GOOD : EXIT_IO;
}

struct reading {
	const char *path;
	const struct report_format *format; /* NULL: count, as info does */
	int fd;
	unsigned n_threads; /* 0: one */
};

static bool trace_read(void *context)
{
	const struct reading *reading = context;
	const struct filter_spec all = { 0 };
	struct rst_trace *trace;
	struct rst_error err;
	struct outbuf out;
	struct diags diags = { 0 };
	struct report_input input = { .diags = &diags };
	struct report report = {
		.options = { .format = reading->format, .filter = &all }, .out = &out, .n_left = UINT64_MAX
	};
	char *operands[] = { (char *)(uintptr_t)reading->path };
	const struct open_spec common = { .dialect = NULL };
	const struct text_list none = { .n_items = 0 };
	struct threads threads = {
		.common = &common, .templates = &none, .n_operands = 1, .operands = operands
	};
	enum rst_status status;

	if (rst_trace_open(&trace, reading->path, NULL, &err) < 0 || !outbuf_init(&out, reading->fd))
		return false;
	if (reading->n_threads)
		threads_set_up(&threads, &report, reading->n_threads);
	if (reading->format) {
		input.trace = trace;
		input.templates = template_set_new(rst_trace_metadata(trace)->dialect);
		status = input.templates ? template_search(input.templates, NULL, 0, NULL, &diags, &err)
					 : RST_E_NOMEM;
		if (status == RST_OK)
			status = report_trace(&report, &input, &err);
	} else {
		struct summary summary;

		status = summary_read(&summary, trace, NULL, NULL, &err);
		summary_json(&summary, &out);
	}
	return status == RST_OK && outbuf_flush(&out); /* memory is measured before it is freed, by ending */
}

/* Intervals of threads, cores and objects, not written. */
static bool states_read(void *context)
{
	const struct reading *reading = context;
	const struct rst_interval *intervals;
	const struct rst_batch *batch;
	struct rst_states *states;
	struct rst_trace *trace;
	struct rst_error err;
	enum rst_status status;
	uint64_t n_intervals = 0;

	if (rst_trace_open(&trace, reading->path, NULL, &err) < 0 ||
		rst_states_new(&states, trace, &err) != RST_OK)
		return false;
	while ((status = rst_trace_next(trace, &batch, &err)) == RST_OK) {
		if (rst_states_feed(states, batch, &err) != RST_OK)
			return false;
		n_intervals += rst_states_intervals(states, &intervals);
	}
	if (status != RST_END || rst_states_finish(states, &err) != RST_OK)
		return false;
	return n_intervals + rst_states_intervals(states, &intervals) > 0;
}

/* Computes the findings, and writes none of them. */
static bool findings_read(void *context)
{
	const struct reading *reading = context;
	const struct filter_spec all = { 0 };
	static struct findings findings;
	struct scan scan = { .filter = &all };
	struct rst_error err;

	findings = (struct findings){ 0 };
	return rst_trace_open(&scan.trace, reading->path, NULL, &err) == RST_OK &&
	       findings_init(&findings, &scan) && scan_run(&scan, &err) == RST_OK &&
	       findings_finish(&findings);
}

/* A handful of rules of `rastrum check`, without writing the verdicts. */
static bool rules_test(void *context)
{
	static const char text[] = "latency(event * -> thread *) < 1000000ticks\n"
				   "run(thread *) < 90% per 1000000ticks\n"
				   "ready(thread *) < 1000000ticks\n"
				   "hold(object *) < 1000000ticks\n"
				   "count(event *) >= 1 per 1000000ticks\n"
				   "lost() == 0\n";
	const struct reading *reading = context;
	const struct filter_spec all = { 0 };
	struct rules rules = { 0 };
	struct check check = { .rules = &rules, .file = "bench" };
	struct scan scan = { .filter = &all };
	struct rst_error err;

	return rules_parse(&rules, text, sizeof(text) - 1) && rules.n_faults == 0 &&
	       rst_trace_open(&scan.trace, reading->path, NULL, &err) == RST_OK &&
	       check_init(&check, &scan, &err) == RST_OK && scan_run(&scan, &err) == RST_OK &&
	       check_finish(&check, false, &err) == RST_OK;
}

/* The tables of `rastrum stats`, all of them, in one scan. */
static bool stats_read(void *context)
{
	static const struct filter_spec all = { 0 };
	const struct reading *reading = context;
	struct stats stats = { .n_analyses = 0 };
	struct scan scan = { .filter = &all };
	struct table_output output = { .times = &scan.times };
	struct rst_error err;
	struct outbuf out;

	while (analyses[stats.n_analyses]) {
		stats.analyses[stats.n_analyses] = analyses[stats.n_analyses];
		stats.n_analyses++;
	}
	if (rst_trace_open(&scan.trace, reading->path, NULL, &err) < 0 || !outbuf_init(&out, reading->fd))
		return false;
	stats_init(&stats, &scan);
	output.out = &out;
	return scan_run(&scan, &err) == RST_OK &&
	       page_put(&stats, rst_trace_metadata(scan.trace), &output, 0, &err) == RST_OK &&
	       outbuf_flush(&out);
}

static int events_count(const char *path, uint64_t *ret_n_events)
{
	struct rst_trace *trace;
	struct rst_error err;
	struct summary summary;
	enum rst_status status;

	if (rst_trace_open(&trace, path, NULL, &err) < 0)
		return common_fail(&err);
	status = summary_read(&summary, trace, NULL, NULL, &err);
	if (status == RST_OK && summary.n_events == 0) {
		status = error_set(&err, RST_E_DAMAGED, RST_NO_OFFSET, "there is no event to measure");
		error_name(&err, path);
	}
	*ret_n_events = summary.n_events;
	summary_done(&summary);
	rst_trace_free(trace);
	return status < 0 ? common_fail(&err) : EXIT_GOOD;
}

/* Time that passes while text is made; 0: it could not be. */
static uint64_t text_wall(const char *path, unsigned n_threads, int null)
{
	struct reading reading = { path, &report_format_text, null, n_threads };
	const uint64_t start = steady_ns();
	const pid_t child = fork();
	int status;

	if (child == 0)
		_exit(trace_read(&reading) ? 0 : 1);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? steady_ns() - start : 0;
}

/* The least time of text by one thread, and by two, in turn. */
static bool walls_print(const char *path, uint64_t n_runs, uint64_t n_events, int null)
{
	uint64_t least[2] = { UINT64_MAX, UINT64_MAX };

	for (uint64_t run = 0; run < n_runs; run++)
		for (unsigned i = 0; i < 2; i++) {
			const uint64_t wall = text_wall(path, i + 1, null);

			if (!wall)
				return false;
			least[i] = wall < least[i] ? wall : least[i];
		}
	for (unsigned i = 0; i < 2; i++)
		printf("wall text, %u thread%s: %.1f ns an event, ratio %.2f\n", i + 1, i ? "s" : "",
			(double)least[i] / (double)n_events, (double)least[0] / (double)least[i]);
	return true;
}

static int measure_rows(const struct bench_args *args, const char *path, uint64_t n_events, uint64_t n_bytes)
{
	struct floor_records floor = { 0 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct reading text = { path, &report_format_text, null, 0 },
		       jsonl = { path, &report_format_jsonl, null, 0 },
		       csv = { path, &report_format_csv, null, 0 },
		       trcrpt = { path, &report_format_aix, null, 0 }, info = { path, NULL, null, 0 };
	struct index_bench index;
	struct bench_row rows[] = {
		{ .name = "hand_formatter",
			.work = floor_line_long,
			.context = &floor,
			.n_bytes = n_events * 32,
			.is_unit = true },
		{ .name = "text", .work = trace_read, .context = &text, .n_bytes = n_bytes },
		{ .name = "jsonl", .work = trace_read, .context = &jsonl, .n_bytes = n_bytes },
		{ .name = "csv", .work = trace_read, .context = &csv, .n_bytes = n_bytes },
		{ .name = "trcrpt", .work = trace_read, .context = &trcrpt, .n_bytes = n_bytes },
		{ .name = "info", .work = trace_read, .context = &info, .n_bytes = n_bytes },
		{ .name = "info_index", .work = index_build, .context = &index, .n_bytes = n_bytes },
		{ .name = "intervals", .work = states_read, .context = &info, .n_bytes = n_bytes },
		{ .name = "stats", .work = stats_read, .context = &info, .n_bytes = n_bytes },
		{ .name = "explain", .work = findings_read, .context = &info, .n_bytes = n_bytes },
		{ .name = "check", .work = rules_test, .context = &info, .n_bytes = n_bytes },
	};
	const size_t n_rows = sizeof(rows) / sizeof(rows[0]);
	const bool has_index = index_bench_begin(&index, path);
	bool is_good = null >= 0 && has_index && floor_make(&floor, n_events, null) &&
		       bench_run(rows, n_rows, (unsigned)args->n_runs);

	if (is_good) {
		bench_print(rows, n_rows, (unsigned)args->n_runs, n_events, stdout);
		for (size_t i = 1; i < n_rows; i++)
			printf("memory %s %" PRIu64 " KiB besides the mapped file\n", rows[i].name,
				rows[i].anonymous_kib);
		printf("bytes index %" PRIu64 "\n", index_bytes(&index));
		is_good = walls_print(path, args->n_runs, n_events, null);
	}
	index_bench_end(&index);
	floor_done(&floor);
	if (null >= 0)
		close(null);
	return is_good ? EXIT_GOOD : EXIT_IO;
}

/* Without a file, over a generated dump that is removed again. */
int verb_read(const struct bench_args *args, char *const *files)
{
	const char *file = files[0];
	char made[] = "/tmp/rastrum-bench-XXXXXX";
	int fd = file ? -1 : mkstemp(made), exit_status = EXIT_GOOD;
	const char *path = file ? file : made;
	struct stat st;
	uint64_t n_events = 0;

	if (!args->sinks.n_items && (args->is_once || args->is_counting)) {
		struct rst_error err;

		error_set(&err, RST_E_USAGE, RST_NO_OFFSET, "--once and --instructions need --sink");
		exit_status = common_fail(&err);
	}
	if (!file && exit_status == EXIT_GOOD)
		exit_status = fd < 0 ? EXIT_IO : generate_events(args, fd);
	if (fd >= 0)
		close(fd);
	if (exit_status == EXIT_GOOD && !args->is_once)
		exit_status = events_count(path, &n_events);
	if (exit_status == EXIT_GOOD)
		exit_status = stat(path, &st) == 0 ? (args->sinks.n_items ? verb_sink : measure_rows)(
							     args, path, n_events, (uint64_t)st.st_size)
						   : EXIT_IO;
	if (!file && fd >= 0)
		unlink(made);
	return exit_status;
}
