/* SPDX-License-Identifier: MIT */
/* `rastrum bench read --sink`: what writing the formats of `rastrum convert` costs. */
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "bench/bench.h"
#include "bench/callgrind.h"
#include "bench/verbs.h"
#include "export/export.h"
#include "template/set/search.h"

enum { SINKS_MAX = 32 };

struct sink {
	const char *path;
	const struct export_format *format;
	char folder[48]; /* "": not made */
};

/* --- one conversion ------------------------------------------------------------------------------------- */

static enum rst_status stream_report(struct export *export, struct rst_error *err)
{
	static const struct filter_spec all;
	struct report report = {
		.options = { .filter = &all, .has_head = true }, .out = export->out, .n_left = UINT64_MAX
	};
	struct report_input input = {
		.trace = export->trace, .templates = export->templates, .diags = export->diags
	};

	error_try(report_format_find(export->format->report, &report.options.format, err));
	return report_trace(&report, &input, err);
}

static enum rst_status trace_export(struct export *export, struct rst_error *err)
{
	static const struct filter_spec all;
	struct scan scan = { .trace = export->trace, .filter = &all };
	enum rst_status status;

	status = export_begin(export, &scan, err);
	if (status == RST_OK)
		status = scan_run(&scan, err);
	if (export_end(export, status == RST_OK, status < 0 ? NULL : err) < 0 && status == RST_OK)
		status = export->status < 0 ? export->status : RST_E_IO;
	scan_done(&scan);
	return status == RST_OK ? export_finish(export, err) : status;
}

static enum rst_status export_run(struct export *export, struct rst_error *err)
{
	enum rst_status status;

	if (export->format->report)
		return stream_report(export, err);
	error_try(export_init(export, err));
	status = trace_export(export, err);
	export_done(export);
	return status;
}

/* An empty file or folder for what is no stream. */
static bool target_make(struct sink *sink, char path[static 64])
{
	int fd;

	snprintf(sink->folder, sizeof(sink->folder), "/tmp/rastrum-sink-XXXXXX");
	if (!mkdtemp(sink->folder)) {
		sink->folder[0] = '\0';
		return false;
	}
	snprintf(path, 64, "%s/out", sink->folder);
	if (sink->format->output == EXPORT_FOLDER)
		return mkdir(path, 0700) == 0;
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	return fd >= 0 && close(fd) == 0;
}

static int entry_remove(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static void target_remove(struct sink *sink)
{
	if (sink->folder[0])
		nftw(sink->folder, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
	sink->folder[0] = '\0';
}

static bool sink_fault(const struct rst_error *err)
{
	common_fail(err);
	return false;
}

/* Into an output that is open. */
static bool trace_sink(struct sink *sink, struct outbuf *out, const char *path)
{
	struct diags diags = { 0 };
	struct export export = { .format = sink->format, .out = out, .path = path, .diags = &diags };
	struct rst_error err;
	enum rst_status status;

	if (rst_trace_open(&export.trace, sink->path, NULL, &err) < 0)
		return sink_fault(&err);
	export.templates = template_set_new(rst_trace_metadata(export.trace)->dialect);
	status = export.templates ? template_search(export.templates, NULL, 0, NULL, &diags, &err)
				  : error_nomem(&err);
	if (status == RST_OK)
		status = export_run(&export, &err);
	template_set_free(export.templates);
	rst_trace_free(export.trace);
	return status == RST_OK ? outbuf_flush(out) : sink_fault(&err);
}

static bool sink_write(void *context)
{
	struct sink *sink = context;
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char path[64] = "";
	struct outbuf out;
	bool is_good = null >= 0 && outbuf_init(&out, null);

	if (!is_good)
		return false;
	is_good = sink->format->output == EXPORT_STREAM || target_make(sink, path);
	is_good = is_good && trace_sink(sink, &out, path);
	target_remove(sink);
	outbuf_done(&out);
	close(null);
	return is_good;
}

/* --- the rows ------------------------------------------------------------------------------------------- */

static enum rst_status sinks_find(
	const struct text_list *names, struct sink *sinks, size_t *ret_n_sinks, struct rst_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < names->n_items; i++) {
		const bool is_all = strcmp(names->items[i], "all") == 0;
		const struct export_format *format = NULL;

		if (!is_all)
			error_try(export_format_find(names->items[i], &format, err));
		for (size_t k = 0; export_formats[k] && n < SINKS_MAX; k++)
			if (is_all || export_formats[k] == format)
				sinks[n++].format = export_formats[k];
	}
	*ret_n_sinks = n;
	return RST_OK;
}

static int sinks_measure(const struct bench_args *args, struct sink *sinks, size_t n_sinks, uint64_t n_events,
	uint64_t n_bytes)
{
	struct floor_records floor = { 0 };
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	static struct bench_row rows[SINKS_MAX + 1];
	bool is_good;

	rows[0] = (struct bench_row){ .name = "hand_formatter",
		.work = floor_line_long,
		.context = &floor,
		.n_bytes = n_events * 32,
		.is_unit = true };
	for (size_t i = 0; i < n_sinks; i++)
		rows[i + 1] = (struct bench_row){ .name = sinks[i].format->name,
			.work = sink_write,
			.context = &sinks[i],
			.n_bytes = n_bytes };
	is_good = null >= 0 && floor_make(&floor, n_events, null) &&
		  bench_run(rows, n_sinks + 1, (unsigned)args->n_runs);
	if (is_good) {
		bench_print(rows, n_sinks + 1, (unsigned)args->n_runs, n_events, stdout);
		for (size_t i = 1; i <= n_sinks; i++)
			printf("rate %s %.2f million events in a second\n", rows[i].name,
				(double)n_events * 1e3 / rows[i].user_ns[args->n_runs / 2]);
		for (size_t i = 1; i <= n_sinks; i++)
			printf("memory %s %" PRIu64 " KiB besides the mapped file\n", rows[i].name,
				rows[i].anonymous_kib);
	}
	floor_done(&floor);
	if (null >= 0)
		close(null);
	return is_good ? EXIT_GOOD : EXIT_IO;
}

/* --- instructions --------------------------------------------------------------------------------------- */

enum { N_FEW = 20000, N_MANY = 60000 };

/* Writing a generated dump of so many events. */
static bool dump_count(
	const struct bench_args *args, const char *format, uint64_t n_events, double *ret_count)
{
	struct bench_args how = *args;
	char made[] = "/tmp/rastrum-bench-XXXXXX";
	const char *const arguments[] = { "read", "--sink", format, "--once", made, NULL };
	const int fd = mkstemp(made);
	bool is_good;

	if (fd < 0)
		return false;
	how.n_events = n_events;
	is_good = generate_events(&how, fd) == EXIT_GOOD && callgrind_count(arguments, ret_count);
	close(fd);
	unlink(made);
	return is_good;
}

static enum rst_status sinks_count(
	const struct bench_args *args, const struct sink *sinks, size_t n_sinks, struct rst_error *err)
{
	for (size_t i = 0; i < n_sinks; i++) {
		const char *name = sinks[i].format->name;
		double few, many;

		if (!dump_count(args, name, N_FEW, &few) || !dump_count(args, name, N_MANY, &many)) {
			error_set(
				err, RST_E_UNSUPPORTED, RST_NO_OFFSET, "valgrind does not count '%s'", name);
			error_advise(err, "is valgrind installed?");
			return RST_E_UNSUPPORTED;
		}
		printf("instructions %s %.1f\n", name, (many - few) / (N_MANY - N_FEW));
		fflush(stdout);
	}
	return RST_OK;
}

int verb_sink(const struct bench_args *args, const char *path, uint64_t n_events, uint64_t n_bytes)
{
	struct sink sinks[SINKS_MAX] = { { .path = NULL } };
	struct rst_error err;
	size_t n_sinks;
	bool is_good = true;

	if (sinks_find(&args->sinks, sinks, &n_sinks, &err) < 0)
		return common_fail(&err);
	if (args->is_counting)
		return sinks_count(args, sinks, n_sinks, &err) < 0 ? common_fail(&err) : EXIT_GOOD;
	for (size_t i = 0; i < n_sinks; i++)
		sinks[i].path = path;
	if (!args->is_once)
		return sinks_measure(args, sinks, n_sinks, n_events, n_bytes);
	for (size_t i = 0; i < n_sinks && is_good; i++)
		is_good = sink_write(&sinks[i]);
	return is_good ? EXIT_GOOD : EXIT_IO;
}
