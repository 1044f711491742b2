/* SPDX-License-Identifier: MIT */
/*
 * The index beside a large input: what it costs to leave one, and how soon the end of the input is there with
 * it. Everything happens in a folder of its own.
 */
#include "bench/index.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/index.h"
#include "lines/format.h"
#include "summary/summary.h"
#include "template/set/search.h"

enum { LAST_EVENTS = 10 };

bool index_bench_begin(struct index_bench *bench, const char *path)
{
	*bench = (struct index_bench){ .path = path, .folder = "/var/tmp/rastrum-index-XXXXXX" };
	return mkdtemp(bench->folder) && setenv("XDG_CACHE_HOME", bench->folder, 1) == 0 &&
	       setenv("RASTRUM_CACHE_MINSIZE", "1", 1) == 0 && unsetenv("RASTRUM_CACHE_DISABLE") == 0;
}

/* Removes the files in the cache, or adds up their bytes. */
static uint64_t files_visit(const struct index_bench *bench, bool removes)
{
	char path[64];
	const struct dirent *entry;
	uint64_t n_bytes = 0;
	struct stat about;
	DIR *listing;

	snprintf(path, sizeof(path), "%s/rastrum", bench->folder);
	listing = opendir(path);
	while (listing && (entry = readdir(listing)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		if (fstatat(dirfd(listing), entry->d_name, &about, 0) == 0)
			n_bytes += (uint64_t)about.st_size;
		if (removes)
			unlinkat(dirfd(listing), entry->d_name, 0);
	}
	if (listing)
		closedir(listing);
	return n_bytes;
}

void index_bench_end(const struct index_bench *bench)
{
	char path[64];

	files_visit(bench, true);
	snprintf(path, sizeof(path), "%s/rastrum", bench->folder);
	rmdir(path);
	rmdir(bench->folder);
}

uint64_t index_bytes(const struct index_bench *bench)
{
	return files_visit(bench, false);
}

static bool info_read(const struct index_bench *bench, bool has_index, uint64_t *ret_last_ticks)
{
	const struct index_wish wish = { .wants_counts = true, .n_last = UINT64_MAX };
	struct rst_trace *trace;
	struct summary summary;
	enum rst_status status;

	if (rst_trace_open(&trace, bench->path, NULL, NULL) < 0)
		return false;
	if (has_index)
		index_use(&trace, &wish);
	status = summary_read_passing(&summary, trace, index_take_passed, NULL, NULL, NULL);
	*ret_last_ticks = summary.last_ticks;
	summary_done(&summary);
	rst_trace_free(trace);
	return status == RST_OK;
}

bool index_info(const struct index_bench *bench, uint64_t *ret_last_ticks)
{
	return info_read(bench, true, ret_last_ticks);
}

bool index_build(void *bench)
{
	uint64_t last;

	files_visit(bench, true);
	return info_read(bench, true, &last);
}

bool index_read(void *bench)
{
	uint64_t last;

	return info_read(bench, false, &last);
}

/* As report writes it, into memory. */
static bool report_read(const char *path, const struct index_wish *wish, const struct filter_spec *filter)
{
	struct rst_trace *trace;
	struct rst_error err;
	struct outbuf out;
	struct diags diags = { 0 };
	struct report_input input = { .diags = &diags, .take_passed = index_take_passed };
	struct report report = { .options = { .format = &report_format_text, .filter = filter },
		.out = &out,
		.n_left = UINT64_MAX };
	bool is_good;

	if (rst_trace_open(&trace, path, NULL, &err) < 0 || !outbuf_init(&out, OUTBUF_MEMORY))
		return false;
	index_use(&trace, wish);
	input.trace = trace;
	input.templates = template_set_new(rst_trace_metadata(trace)->dialect);
	is_good = input.templates &&
		  template_search(input.templates, NULL, 0, NULL, &diags, &err) == RST_OK &&
		  report_trace(&report, &input, &err) == RST_OK;
	input.templates = template_set_free(input.templates);
	diags_done(&diags);
	outbuf_done(&out);
	rst_trace_free(trace);
	return is_good;
}

bool index_last(const struct index_bench *bench)
{
	const struct filter_spec all = { 0 };

	return report_read(bench->path, &(struct index_wish){ .n_last = LAST_EVENTS }, &all);
}

bool index_from(const struct index_bench *bench, uint64_t ticks)
{
	char from[24];
	const struct filter_spec filter = { .from = from };

	snprintf(from, sizeof(from), "%" PRIu64, ticks);
	return report_read(bench->path, &(struct index_wish){ .from = from, .n_last = UINT64_MAX }, &filter);
}
