/* SPDX-License-Identifier: MIT */
/* Tests trace.c with dialects that break the contract, and with dialects that only just keep it. */
#include <string.h>

#include "dialect/dialect.h"
#include "tests/tap.h"
#include "trace/live.h"

enum { N_CALLS = 3 };

/* Each byte of the input is the number of gap rows that one call adds; then the input ends. */
struct adding {
	size_t n_calls;
};

static unsigned adding_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	(void)bytes;
	(void)n_bytes;
	(void)is_whole;
	return 0;
}

static enum rst_status adding_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	(void)state;
	(void)model;
	(void)how;
	(void)err;
	return RST_OK;
}

static enum rst_status adding_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	static const struct rst_gap gap = { .marker = RST_DAMAGE, .what = "damage", .source = "input" };
	struct adding *adding = state;

	(void)err;
	if (chunk->behind == CHUNK_ENDS)
		return RST_END;
	if (adding->n_calls == chunk->n_bytes)
		return RST_MORE;
	for (uint8_t n = chunk->bytes[adding->n_calls++]; n && !batch_is_full(batch); n--)
		if (!model_put_gap(model, batch, &gap))
			return error_nomem(err);
	return RST_OK;
}

static const struct dialect_option options[] = { { NULL, NULL, NULL } };

static const struct dialect adding = {
	.name = "adding",
	.summary = "adds rows",
	.options = options,
	.chunks = CHUNKS_WHOLE,
	.state_bytes = sizeof(struct adding),
	.probe = adding_probe,
	.open = adding_open,
	.read = adding_read,
};

/* Reads to the end and returns the number of rows. */
static size_t count_rows(
	const uint8_t *bytes, size_t n_bytes, enum rst_status *ret_status, struct rst_error *err)
{
	static const struct rst_open how;
	const struct rst_batch *batch;
	struct rst_trace *trace;
	size_t n_rows = 0;

	*ret_status = trace_open_as(&trace, &adding, bytes, n_bytes, &how, err);
	while (*ret_status == RST_OK && (*ret_status = rst_trace_next(trace, &batch, err)) == RST_OK)
		n_rows += batch->n_events;
	rst_trace_free(trace);
	return n_rows;
}

/* Tests two files as one trace: how much of both is read after each batch. */
static void check_percent(void)
{
	static const char first[] = "tests/data/rkh/r1_default.bin", *const second[] = { first };
	const struct rst_open how = { .n_joined = 1, .joined = second };
	const struct rst_batch *batch;
	struct rst_trace *trace = NULL;
	struct rst_error err;
	bool is_rising = true, is_half = false;
	int percent = 0;

	if (rst_trace_open(&trace, first, &how, &err) == RST_OK)
		while (rst_trace_next(trace, &batch, &err) == RST_OK) {
			int now = trace_percent(trace);

			is_rising = is_rising && now >= percent && now <= 100;
			is_half |= now == 50;
			percent = now;
		}
	ok(is_rising && is_half && percent == 100, "the percentage of a joined trace rises over all files to "
						   "100, and is 50 behind the first of two");
	rst_trace_free(trace);
}

int main(void)
{
	static const uint8_t good[N_CALLS] = { 1, BATCH_GAPS, 2 }, idle[N_CALLS] = { 2, 0, 1 };
	enum rst_status status;
	struct rst_error err = { 0 };

	is_number(count_rows(good, N_CALLS, &status, &err), BATCH_GAPS + 3,
		"a dialect gives as many rows as it adds, up to a full batch");
	ok(status == RST_END, "and comes to its end");
	is_number(count_rows(idle, N_CALLS, &status, &err), 2,
		"a dialect that goes on without a row is ended, and what came before it stands");
	ok(status == RST_E_DAMAGED && strstr(err.what, "does not go on here") != NULL,
		"that is a failure with its reason");
	check_percent();
	return tap_done();
}
