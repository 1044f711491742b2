/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/gen.h"
#include "bench/record/record.h"
#include "cli/bench_template.h"
#include "cli/cli.h"
#include "report/report.h"
#include "report/summary.h"
#include "template/search.h"

struct bench_args {
	uint64_t n_events, n_runs;
	uint64_t word, n_wrapped, seed, n_threads, n_cores, name_bytes, timer_mask;
	unsigned endian;
	const char *output;
	bool has_peers, is_counting;
};

static const char *const endian_names[] = { "little", "big" };

static const struct opt bench_opts[] = {
	{ OPT_NUMBER, 0, "events", "N", offsetof(struct bench_args, n_events),
		"events to generate (default 1M)", NULL, 0 },
	{ OPT_NUMBER, 0, "runs", "N", offsetof(struct bench_args, n_runs),
		"runs of each row (default 7; record: 21)", NULL, 0 },
	{ OPT_FLAG, 0, "peer", NULL, offsetof(struct bench_args, has_peers),
		"record: compare with other recorders", NULL, 0 },
	{ OPT_FLAG, 0, "instructions", NULL, offsetof(struct bench_args, is_counting),
		"record: count instructions of an event, with valgrind", NULL, 0 },
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct bench_args, output),
		"gen: write to FILE, not to standard output", NULL, 0 },
	{ OPT_NUMBER, 0, "word", "4|8", offsetof(struct bench_args, word), "gen: bytes of the target's ULONG",
		NULL, 0 },
	{ OPT_CHOICE, 0, "endian", "little|big", offsetof(struct bench_args, endian), "gen: byte order",
		endian_names, 2 },
	{ OPT_NUMBER, 0, "wrapped", "N", offsetof(struct bench_args, n_wrapped),
		"gen: the ring's oldest entry is in slot N", NULL, 0 },
	{ OPT_NUMBER, 0, "seed", "N", offsetof(struct bench_args, seed), "gen: another seed, another story",
		NULL, 0 },
	{ OPT_NUMBER, 0, "threads", "N", offsetof(struct bench_args, n_threads), "gen: threads of the story",
		NULL, 0 },
	{ OPT_NUMBER, 0, "cores", "N", offsetof(struct bench_args, n_cores), "gen: cores", NULL, 0 },
	{ OPT_NUMBER, 0, "mask", "N", offsetof(struct bench_args, timer_mask),
		"gen: bits of the time stamp that count", NULL, 0 },
	{ OPT_NUMBER, 0, "name-size", "N", offsetof(struct bench_args, name_bytes),
		"gen: bytes of an object's name", NULL, 0 },
	{ .kind = OPT_END },
};

static const struct opt *const bench_tables[] = { bench_opts, NULL };

/* Not said: what the measurement thinks best. */
#define RUNS_DEFAULT UINT64_MAX

static void bench_defaults(void *arguments)
{
	const struct gen_threadx how = gen_threadx_default();

	*(struct bench_args *)arguments = (struct bench_args){
		.n_events = 1000000,
		.n_runs = RUNS_DEFAULT,
		.word = how.word_bytes,
		.n_wrapped = how.n_wrapped,
		.seed = how.seed,
		.n_threads = how.n_threads,
		.n_cores = how.n_cores,
		.name_bytes = how.name_bytes,
		.timer_mask = how.timer_mask,
	};
}

/* --- gen ---------------------------------------------------------------------------------------------------- */

/* Numbers that are too large stay too large, for the generator to refuse. */
static unsigned narrow(uint64_t number)
{
	return number > UINT_MAX ? UINT_MAX : (unsigned)number;
}

static int generate(const struct bench_args *args, int fd)
{
	const struct gen_threadx how = {
		.n_events = args->n_events,
		.word_bytes = narrow(args->word),
		.is_big_endian = args->endian == 1,
		.n_wrapped = args->n_wrapped,
		.seed = args->seed,
		.n_threads = narrow(args->n_threads),
		.timer_mask = args->timer_mask,
		.n_cores = narrow(args->n_cores),
		.name_bytes = narrow(args->name_bytes),
	};
	struct outbuf out;
	struct rst_error err;
	int exit_status = EXIT_GOOD;

	if (!outbuf_init(&out, fd)) {
		error_nomem(&err);
		return common_fail(&err);
	}
	if (!gen_threadx(&out, &how) && out.error != EPIPE) {
		error_set(&err, out.error == EINVAL ? RST_E_USAGE : RST_E_IO, RST_NO_OFFSET,
			"cannot generate that: %s", strerror(out.error));
		if (out.error == EINVAL)
			error_advise(&err, "see `rastrum bench --help`");
		exit_status = common_fail(&err);
	}
	outbuf_done(&out);
	return exit_status;
}

static int bench_gen(const struct bench_args *args, char *const *files)
{
	struct rst_error err;
	int fd, exit_status;

	(void)files;
	if (common_output(args->output, false, 0, NULL, &fd, &err) < 0)
		return common_fail(&err);
	exit_status = generate(args, fd);
	return common_worse(exit_status, common_close(fd));
}

/* --- limit and read ----------------------------------------------------------------------------------------- */

static int bench_limit(const struct bench_args *args, char *const *files)
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
};

static bool read_whole(void *context)
{
	const struct reading *reading = context;
	const struct select_wish all = { 0 };
	struct rst_trace *trace;
	struct rst_error err;
	struct outbuf out;
	struct diags diags = { 0 };
	struct report report = {
		.out = &out, .format = reading->format, .wish = &all, .n_left = UINT64_MAX, .diags = &diags
	};
	enum rst_status status;

	if (rst_trace_open(&trace, reading->path, NULL, &err) < 0 || !outbuf_init(&out, reading->fd))
		return false;
	if (reading->format) {
		report.templates = template_set_new(rst_trace_metadata(trace)->dialect);
		status = report.templates ? template_search(report.templates, 0, NULL, &diags, &err)
					  : RST_E_NOMEM;
		if (status == RST_OK)
			status = report_trace(&report, trace, &err);
	} else {
		struct summary summary;

		status = summary_read(&summary, trace, NULL, NULL, &err);
		summary_json(&summary, &out);
	}
	return status == RST_OK && outbuf_flush(&out); /* memory is measured before it is freed, by ending */
}

static int count_events(const char *path, uint64_t *ret_n_events)
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

static int read_rows(const struct bench_args *args, const char *path, uint64_t n_events, uint64_t n_bytes)
{
	struct floor_records floor = { 0 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct reading text = { path, &report_format_text, null },
		       jsonl = { path, &report_format_jsonl, null }, csv = { path, &report_format_csv, null },
		       info = { path, NULL, null };
	struct bench_row rows[] = {
		{ .name = "hand_formatter",
			.work = floor_line_long,
			.context = &floor,
			.n_bytes = n_events * 32,
			.is_unit = true },
		{ .name = "text", .work = read_whole, .context = &text, .n_bytes = n_bytes },
		{ .name = "jsonl", .work = read_whole, .context = &jsonl, .n_bytes = n_bytes },
		{ .name = "csv", .work = read_whole, .context = &csv, .n_bytes = n_bytes },
		{ .name = "info", .work = read_whole, .context = &info, .n_bytes = n_bytes },
	};
	const size_t n_rows = sizeof(rows) / sizeof(rows[0]);
	bool is_good = null >= 0 && floor_make(&floor, n_events, null) &&
		       bench_run(rows, n_rows, (unsigned)args->n_runs);

	if (is_good) {
		bench_print(rows, n_rows, (unsigned)args->n_runs, n_events, stdout);
		for (size_t i = 1; i < n_rows; i++)
			printf("memory %s %" PRIu64 " KiB besides the mapped file\n", rows[i].name,
				rows[i].anonymous_kib);
	}
	floor_done(&floor);
	if (null >= 0)
		close(null);
	return is_good ? EXIT_GOOD : EXIT_IO;
}

/* Without a file, over a generated dump that is removed again. */
static int bench_read(const struct bench_args *args, char *const *files)
{
	const char *file = files[0];
	char made[] = "/tmp/rastrum-bench-XXXXXX";
	int fd = file ? -1 : mkstemp(made), exit_status = EXIT_GOOD;
	const char *path = file ? file : made;
	struct stat metadata;
	uint64_t n_events = 0;

	if (!file)
		exit_status = fd < 0 ? EXIT_IO : generate(args, fd);
	if (fd >= 0)
		close(fd);
	if (exit_status == EXIT_GOOD)
		exit_status = count_events(path, &n_events);
	if (exit_status == EXIT_GOOD)
		exit_status = stat(path, &metadata) == 0
				      ? read_rows(args, path, n_events, (uint64_t)metadata.st_size)
				      : EXIT_IO;
	if (!file && fd >= 0)
		unlink(made);
	return exit_status;
}

static int bench_templates(const struct bench_args *args, char *const *files)
{
	return bench_template(args->n_events, args->n_runs, files[0], files[1]);
}

/* With a row's name only that one, for who counts its instructions. */
static int bench_recording(const struct bench_args *args, char *const *files)
{
	const struct record_wish wish = {
		.n_events = args->n_events, .n_runs = (unsigned)args->n_runs, .has_peers = args->has_peers
	};
	struct rst_error err;
	enum rst_status status = files[0]	     ? record_once(files[0], args->n_events, &err)
				 : args->is_counting ? record_count(stdout, &err)
						     : record_bench(&wish, stdout, &err);

	return status < 0 ? common_fail(&err) : EXIT_GOOD;
}

static const struct {
	const char *name;
	int (*run)(const struct bench_args *args, char *const *files); /* ended by a NULL */
	int n_files_min, n_files_max;
	unsigned n_runs; /* default */
} verbs[] = {
	{ "read", bench_read, 0, 1, 7 },
	{ "record", bench_recording, 0, 1, 21 },
	{ "template", bench_templates, 2, 2, 7 },
	{ "limit", bench_limit, 0, 0, 7 },
	{ "gen", bench_gen, 0, 0, 7 },
};

static int bench_run_verb(void *arguments, int n_operands, char **operands)
{
	struct bench_args *args = arguments;
	char *files[3] = { NULL };
	struct rst_error err;

	if (args->n_runs == 0 || (args->n_runs > BENCH_RUNS_MAX && args->n_runs != RUNS_DEFAULT) ||
		args->n_events == 0) {
		error_set(&err, RST_E_USAGE, RST_NO_OFFSET, "there must be 1 to %d runs and an event or more",
			BENCH_RUNS_MAX);
		return common_fail(&err);
	}
	for (int i = 1; i < n_operands && i < 3; i++)
		files[i - 1] = operands[i];
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, operands[0]) != 0)
			continue;
		if (args->n_runs == RUNS_DEFAULT)
			args->n_runs = verbs[i].n_runs;
		if (n_operands - 1 >= verbs[i].n_files_min && n_operands - 1 <= verbs[i].n_files_max)
			return verbs[i].run(args, files);
		error_set(&err, RST_E_USAGE, RST_NO_OFFSET, "bench %s takes %d to %d files, not %d",
			operands[0], verbs[i].n_files_min, verbs[i].n_files_max, n_operands - 1);
		return common_fail(&err);
	}
	error_set(&err, RST_E_USAGE, RST_NO_OFFSET, "there is no measurement '%s'", operands[0]);
	error_advise(&err, "use record, read, template, limit or gen");
	return common_fail(&err);
}

const struct command command_bench = {
	.name = "bench",
	.usage = "read [FILE] | record | template TEMPLATES ENTRIES | limit | gen [options]",
	.summary = "measure the program itself, and make inputs for that",
	.needs = "read, template, limit or gen",
	.tables = bench_tables,
	.args_bytes = sizeof(struct bench_args),
	.n_operands_min = 1,
	.defaults = bench_defaults,
	.run = bench_run_verb,
};
