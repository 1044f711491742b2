/* SPDX-License-Identifier: MIT */
/*
 * Writes an index from a tap of the trace, while the caller reads the trace. The checksums of the input
 * follow the rows, so that they cover bytes that were just read. A failure ends the index, but not the
 * reading.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "container/write.h"
#include "index/parts.h"
#include "trace/live.h"

enum { SETTLED_NS = 20000000, NS_PER_SECOND = 1000000000, JUDGED_BYTES = 16 << 20 };

struct maker {
	struct index_input input;
	struct cache_file file;
	struct store_writer *writer; /* NULL if it has failed */
	struct index_sums sums;
	struct bytes about;
	uint16_t rows[RST_BATCH_EVENTS]; /* the numbers of all rows of a batch */
	char *path;
};

static void maker_fail(struct maker *maker)
{
	maker->writer = store_write_free(maker->writer);
	cache_drop(&maker->file);
}

/*
 * Whether the index will have more bytes than its input, estimated from the bytes of both so far. This
 * happens if the events of a log are packed or compressed, because the index must then contain their
 * payloads. The percentage is rounded down.
 */
static bool is_too_long(const struct maker *maker, const struct rst_trace *trace)
{
	const uint64_t n_bytes = store_write_bytes(maker->writer);
	const int percent = trace_percent(trace);

	return n_bytes > JUDGED_BYTES && percent >= 0 &&
	       n_bytes > maker->input.file.n_bytes / 100 * ((uint64_t)percent + 1);
}

static void maker_rows(void *context, struct rst_trace *trace, const struct rst_batch *batch)
{
	struct maker *maker = context;
	const struct source_file *file = &maker->input.file;
	const size_t last = batch->n_events - 1;
	const uintptr_t at = (uintptr_t)batch->payload[last], start = (uintptr_t)file->bytes;

	if (!maker->writer)
		return;
	if (store_write_rows(maker->writer, trace, batch, maker->rows, batch->n_events, NULL) < 0 ||
		is_too_long(maker, trace))
		maker_fail(maker);
	else if (at >= start && at - start <= file->n_bytes)
		index_sums_reach(&maker->sums, file, at - start);
}

/* Whether the file at the path is still the one that was read, and is unchanged since then. */
static bool is_unchanged(const struct maker *maker)
{
	const struct source_file *file = &maker->input.file;
	struct cache_mark mark;
	struct stat about;

	if (stat(maker->path, &about) != 0 || (uint64_t)about.st_size != file->n_bytes)
		return false;
	cache_mark(&mark, &about, file->bytes, file->n_bytes);
	return cache_mark_is_same(&mark, &maker->input.mark);
}

static void maker_end(void *context, struct rst_trace *trace, enum rst_status how)
{
	static const struct rst_error good;
	struct maker *maker = context;

	if (!maker->writer)
		return;
	index_sums_reach(&maker->sums, &maker->input.file, maker->input.file.n_bytes);
	if (how != RST_END || !index_about_write(&maker->input, &maker->sums, &maker->about)) {
		maker_fail(maker);
		return;
	}
	store_write_about(maker->writer, maker->about.at, maker->about.n);
	if (store_write_finish(maker->writer, trace, &good, true, NULL) == RST_OK && is_unchanged(maker))
		cache_keep(&maker->file);
	maker_fail(maker);
}

static void maker_free(void *context)
{
	struct maker *maker = context;

	maker_fail(maker);
	free(maker->sums.crc);
	bytes_done(&maker->about);
	free(maker->path);
	free(maker);
}

/*
 * The kernel counts times of files in ticks. A file that changed less than a tick ago may change again with
 * the same time, so this function waits for the end of that tick.
 */
static void settle(const struct cache_mark *mark)
{
	struct timespec now;
	int64_t age;

	clock_gettime(CLOCK_REALTIME, &now);
	age = (int64_t)now.tv_sec * NS_PER_SECOND + now.tv_nsec - mark->changed_ns;
	if (age >= 0 && age < SETTLED_NS)
		nanosleep(&(struct timespec){ .tv_nsec = SETTLED_NS - age }, NULL);
}

void index_make(struct rst_trace *trace, const struct index_input *input)
{
	struct maker *maker = calloc(1, sizeof(*maker));

	if (!maker)
		return;
	maker->input = *input;
	maker->path = strdup(source_about(trace->sources[0]).name);
	for (size_t i = 0; i < RST_BATCH_EVENTS; i++)
		maker->rows[i] = (uint16_t)i;
	if (!cache_create(&maker->file, input->name) || !maker->path ||
		!index_sums_init(&maker->sums, input->file.n_bytes) ||
		store_write_open_index(&maker->writer, maker->file.fd, trace, input->file.bytes,
			input->file.n_bytes, NULL) < 0) {
		maker_free(maker);
		return;
	}
	settle(&input->mark);
	trace->tap = (struct trace_tap){ maker_rows, maker_end, maker_free, maker };
}

bool index_make_now(struct rst_trace *trace, const struct index_input *input)
{
	const struct rst_batch *batch;
	const struct maker *maker;

	index_make(trace, input);
	if (trace->tap.done != maker_free)
		return false;
	maker = trace->tap.context;
	while (maker->writer && rst_trace_next(trace, &batch, NULL) == RST_OK)
		continue;
	return true;
}
