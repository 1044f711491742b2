/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/callgrind.h"
#include "bench/record/record.h"
#include "record/process/process.h"

/* --- one row, once -------------------------------------------------------------------------------------- */

/*
 * Takes the place of the kernel's area of restartable sequences: the thread is on processor 0 and stays
 * there.
 */
struct pretended {
	_Alignas(32) uint32_t words[8];
};

static bool ring_begin(bool has_sequences, struct pretended *area)
{
	const trace_attr_t attr = {
		.posix_trace_stream_policy = POSIX_TRACE_LOOP,
		.posix_trace_stream_size = 1 << 20,
		.posix_trace_data_size = 4096,
	};
	const struct pool_config config = {
		.attr = &attr, .clock = LOG_CLOCK_TSC, .has_rseq = has_sequences, .map = process_memory
	};
	struct pool pool;
	int fd, place;

	record_open_points();
	if (pool_create(&pool, &config, &fd) != 0)
		return false;
	close(fd);
	place = process_attach(
		&pool, &(struct control_stream){ .pool = pool.file, .directory = CONTROL_NOWHERE });
	if (place < 0)
		return false;
	process_thread(); /* looks for the kernel's area, finds none */
	process_self.writer.rseq = has_sequences ? area : NULL;
	if (has_sequences)
		process_self.pool = process_pool(place);
	return pool_change(process_pool(place), POOL_SUSPENDED, POOL_RUNNING);
}

enum rst_status record_once(const char *name, uint64_t n_events, struct rst_error *err)
{
	struct record_memory *memory = aligned_alloc(4096, sizeof(*memory));
	const struct record_row *row = record_rows;
	struct pretended area = { { 0 } };

	if (!memory)
		return error_nomem(err);
	while (row->name && strcmp(row->name, name) != 0)
		row++;
	if (!row->name || row->n_streams > 1 || row->n_threads > 1 || row->state != RECORD_RUNNING) {
		free(memory);
		return error_set(
			err, RST_E_USAGE, RST_NO_OFFSET, "'%s' is no row that can be run once", name);
	}
	memory->cursor = 0;
	if (row->n_streams > 0 && !ring_begin(!row->has_no_sequences, &area)) {
		free(memory);
		return error_set(err, RST_E_IO, RST_NO_OFFSET, "there is no memory for a stream");
	}
	row->loop(n_events, memory);
	free(memory);
	_exit(0); /* the area ends with this function, and no thread may record after it */
}

/* --- under valgrind ------------------------------------------------------------------------------------- */

enum { N_FEW = 100000, N_MANY = 200000 };

static bool row_count(const char *name, uint64_t n_events, double *ret_count)
{
	char number[24];
	const char *const arguments[] = { "record", name, "--events", number, NULL };

	snprintf(number, sizeof(number), "%" PRIu64, n_events);
	return callgrind_count(arguments, ret_count);
}

enum rst_status record_count(FILE *out, struct rst_error *err)
{
	static const char *const names[] = { "ring", "posix_event_4", "posix_event_64", "posix_event_off",
		"macro_4", "macro_off", "hook_2", "hook_off", "macro_16", "posix_event_4_no_rseq",
		"macro_4_no_rseq" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		double few, many;

		if (!row_count(names[i], N_FEW, &few) || !row_count(names[i], N_MANY, &many)) {
			error_set(err, RST_E_UNSUPPORTED, RST_NO_OFFSET, "valgrind does not count '%s'",
				names[i]);
			error_advise(err, "is valgrind installed?");
			return RST_E_UNSUPPORTED;
		}
		fprintf(out, "instructions %s %.1f\n", names[i], (many - few) / (N_MANY - N_FEW));
		fflush(out);
	}
	return RST_OK;
}
