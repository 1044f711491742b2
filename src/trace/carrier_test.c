/* SPDX-License-Identifier: MIT */
/*
 * Tests the carrier of tails alone: whatever a dialect leaves, it sees all bytes once, in order, at the right
 * places.
 */
#include "trace/carrier.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { N_BYTES = 60000, N_INPUTS = 2 };

/* A dialect whose records have a length in their first two bytes; it takes only whole records. */
struct reader {
	struct chunk_carrier carrier;
	const uint8_t *bytes; /* of all inputs */
	uint64_t n_seen;      /* in whole records */
	size_t n_most;	      /* bytes of a chunk */
	bool is_good;
};

static size_t record_bytes(const uint8_t *at)
{
	return at[0] | (size_t)at[1] << 8;
}

/* Each input has its own name, and half of the bytes. */
static const char *const names[N_INPUTS] = { "first", "second" };

static bool is_right_place(const struct reader *reader, const struct chunk *chunk, size_t at)
{
	const char *source;
	uint64_t offset = chunk_offset(chunk, at, &source), place = chunk->place + at;
	size_t input = place / (N_BYTES / N_INPUTS);

	return place == reader->n_seen && source == names[input] &&
	       offset == place - input * (N_BYTES / N_INPUTS);
}

static void read_chunk(struct reader *reader)
{
	struct chunk *chunk = &reader->carrier.chunk;

	reader->n_most = chunk->n_bytes > reader->n_most ? chunk->n_bytes : reader->n_most;
	for (size_t n_left; (n_left = chunk->n_bytes - chunk->n_used) >= 2;) {
		const uint8_t *at = chunk->bytes + chunk->n_used;
		size_t n = record_bytes(at);

		if (n > n_left)
			break;
		reader->is_good &= is_right_place(reader, chunk, chunk->n_used) &&
				   memcmp(at, reader->bytes + reader->n_seen, n) == 0;
		reader->n_seen += n;
		chunk->n_used += n;
	}
}

/* A run in memory of its own, which is gone afterwards. */
static void read_run(struct reader *reader, size_t at, size_t n_bytes)
{
	size_t input = at / (N_BYTES / N_INPUTS);
	uint8_t *copy = malloc(n_bytes);
	const struct chunk_run run = { .bytes = copy,
		.n_bytes = n_bytes,
		.offset = at - input * (N_BYTES / N_INPUTS),
		.source = names[input] };

	memcpy(copy, reader->bytes + at, n_bytes);
	reader->is_good &= chunk_carrier_add(&reader->carrier, &run, NULL) == RST_OK;
	do
		read_chunk(reader);
	while (chunk_carrier_go_on(&reader->carrier, NULL) == RST_OK);
	reader->is_good &= chunk_carrier_keep(&reader->carrier, NULL) == RST_OK;
	free(copy);
}

/* Records of up to n_record bytes, in runs of n_run. */
static void check_runs(size_t n_record, size_t n_run)
{
	uint8_t *bytes = calloc(1, N_BYTES);
	struct reader reader = { .bytes = bytes, .is_good = true };
	size_t at = 0, half = N_BYTES / N_INPUTS;

	srand(7);
	while (at < N_BYTES) {
		size_t n = 2 + (size_t)rand() % (n_record - 1);

		n = N_BYTES - at < n + 2 ? N_BYTES - at : n;
		bytes[at] = (uint8_t)n;
		bytes[at + 1] = (uint8_t)(n >> 8);
		for (size_t i = 2; i < n; i++)
			bytes[at + i] = (uint8_t)rand();
		at += n;
	}
	for (at = 0; at < N_BYTES;) {
		size_t n_left = (at < half ? half : N_BYTES) - at, n = n_left < n_run ? n_left : n_run;

		read_run(&reader, at, n);
		at += n;
	}
	chunk_carrier_set_behind(&reader.carrier, CHUNK_ENDS);
	ok(reader.is_good && reader.n_seen == N_BYTES && reader.carrier.chunk.n_bytes == 0,
		"records of up to %zu bytes are read in runs of %zu, each byte at its place", n_record,
		n_run);
	chunk_carrier_done(&reader.carrier);
	free(bytes);
}

static void test_borrowing(void)
{
	static const uint8_t first[] = { 9, 0, 1 }, second[10000];
	struct chunk_run run = { .bytes = first, .n_bytes = 3, .source = names[0] };
	struct chunk_carrier carrier = { .is_joint = false };

	chunk_carrier_add(&carrier, &run, NULL);
	ok(carrier.chunk.bytes == first && !carrier.room, "a run behind nothing is read where it lies");
	chunk_carrier_keep(&carrier, NULL);
	run = (struct chunk_run){ .bytes = second, .n_bytes = sizeof(second), .source = names[1] };
	chunk_carrier_add(&carrier, &run, NULL);
	ok(carrier.chunk.n_tail == 3 && carrier.chunk.n_bytes == 3 + CHUNK_JOINT_BYTES,
		"behind a tail it is copied only as far as is needed");
	carrier.chunk.n_used = 9;
	ok(chunk_carrier_go_on(&carrier, NULL) == RST_OK && carrier.chunk.bytes == second &&
			carrier.chunk.n_used == 6 && carrier.chunk.n_tail == 0,
		"and what is behind the joint is read where it lies");
	ok(chunk_carrier_go_on(&carrier, NULL) == RST_END, "then another run is due");
	chunk_carrier_done(&carrier);
}

static void test_limits(void)
{
	const size_t n_bytes = chunk_tail_max() + 1;
	uint8_t *bytes = calloc(1, n_bytes); /* never touched */
	const struct chunk_run run = { .bytes = bytes, .n_bytes = n_bytes, .source = "long", .stays = true };
	struct chunk_carrier carrier = { .is_joint = false };
	struct rst_error err;

	ok(chunk_carrier_add(&carrier, &run, NULL) == RST_OK &&
			chunk_carrier_add(&carrier, &run, &err) == RST_E_DAMAGED && err.what[0],
		"more than the limit cannot be left");
	chunk_carrier_done(&carrier);
	free(bytes);
}

static void test_memory(void)
{
	static const uint8_t bytes[CHUNK_JOINT_BYTES * 2];
	const struct chunk_run run = { .bytes = bytes, .n_bytes = sizeof(bytes), .source = "test" };
	struct chunk_carrier carrier = { .is_joint = false };

	chunk_carrier_add(&carrier, &run, NULL);
	tap_fail_alloc_after(0);
	ok(chunk_carrier_keep(&carrier, NULL) == RST_E_NOMEM, "a tail without memory is a failure");
	tap_fail_alloc_after(-1);
	ok(chunk_carrier_keep(&carrier, NULL) == RST_OK && carrier.chunk.n_bytes == sizeof(bytes),
		"that leaves it as it was");
	chunk_carrier_done(&carrier);
}

int main(void)
{
	static const size_t n_runs[] = { 1, 2, 7, 300, 4096, 5000, N_BYTES };

	for (size_t i = 0; i < sizeof(n_runs) / sizeof(n_runs[0]); i++) {
		check_runs(20, n_runs[i]);
		check_runs(9000, n_runs[i]);
	}
	test_borrowing();
	test_limits();
	test_memory();
	return tap_done();
}
