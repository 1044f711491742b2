/* SPDX-License-Identifier: MIT */
/*
 * Tests that goldens cannot contain: bytes that are not a trace, and more threads and hooks than are kept
 * apart.
 */
#include <rastrum/rastrum.h>

#include <stdlib.h>
#include <string.h>

#include "dialect/aix/aix.h"
#include "tests/tap.h"

enum { N_HOOKS = 40000, ENTRY_BYTES = 16 };

static const uint8_t good[AIX_HEADER_BYTES] = { 'R', 'S', 'T', 'A', 1, 1, 8, 7, 0, 0, 0, 1, 7 };

static void headers(void)
{
	/* A byte's offset, and a value that is wrong there. */
	static const struct {
		uint8_t at, byte;
		const char *what;
	} rows[] = {
		{ 3, 'B', "a mark" },
		{ 4, 2, "a version" },
		{ 5, 2, "a byte order" },
		{ 6, 6, "a word" },
		{ 7, 8, "a channel" },
		{ 12, 16, "a flag" },
		{ 13, 1, "a byte that is to be 0" },
		{ 15, 1, "a last byte that is to be 0" },
	};
	uint8_t bytes[AIX_HEADER_BYTES];
	struct aix_header header;

	ok(aix_header_load(&header, good, sizeof(good)) && header.is_big && header.word_bytes == 8 &&
			header.channel == 7 && header.clock_hz == 1 && header.has_core &&
			header.keeps_newest && header.is_stamped,
		"a header has order, word, channel, clock, cores, mode, stamps");
	ok(!aix_header_load(&header, good, sizeof(good) - 1), "a header that is cut is none");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(bytes, good, sizeof(good));
		bytes[rows[i].at] = rows[i].byte;
		ok(!aix_header_load(&header, bytes, sizeof(bytes)), "%s that there is not makes it none",
			rows[i].what);
	}
}

/* A header does not look like an entry, whatever the entries' word size and byte order. */
static void header_among_entries(void)
{
	struct aix_entry entry;

	for (unsigned i = 0; i < 4; i++) {
		const struct aix_header header = { .is_big = i & 1, .word_bytes = i & 2 ? 8 : 4 };

		ok(aix_find(&entry, &header, good, sizeof(good)) == AIX_NONE,
			"a header is no entry, %u bits, %s byte first", 8U * header.word_bytes,
			header.is_big ? "high" : "low");
	}
}

static void no_header(void)
{
	static const uint8_t entry[] = { 1, 0x0a, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 100 };
	const struct rst_open how = { .dialect = "aix" };
	const struct rst_batch *batch;
	struct rst_trace *trace = NULL;
	struct rst_error err;
	enum rst_status status;

	status = rst_trace_open_bytes(&trace, entry, sizeof(entry), "test", &how, &err);
	if (status == RST_OK)
		status = rst_trace_next(trace, &batch, &err);
	ok(status == RST_E_DAMAGED && strstr(err.what, "header"), "entries without a header are refused");
	rst_trace_free(trace);
}

/* Entries of 64 bits without data, each of its own hook and thread. */
static uint8_t *many_hooks(size_t *ret_n_bytes)
{
	uint8_t *bytes = malloc(sizeof(good) + (size_t)N_HOOKS * ENTRY_BYTES), *at = bytes;

	memcpy(at, good, sizeof(good));
	at[12] = 0;
	at += sizeof(good);
	for (uint32_t i = 0; i < N_HOOKS; i++, at += ENTRY_BYTES) {
		uint32_t words[4] = { __builtin_bswap32(0x80000000), __builtin_bswap32((0x1001 + i) << 16),
			__builtin_bswap32(i + 1), __builtin_bswap32(i) };

		memcpy(at, words, sizeof(words));
	}
	*ret_n_bytes = (size_t)(at - bytes);
	return bytes;
}

static void more_than_are_kept(void)
{
	const struct rst_batch *batch;
	struct rst_trace *trace = NULL;
	size_t n_bytes, n_rows = 0, n_types = 0, n_threads = 0;
	uint8_t *bytes = many_hooks(&n_bytes);

	if (rst_trace_open_bytes(&trace, bytes, n_bytes, "test", NULL, NULL) == RST_OK)
		while (rst_trace_next(trace, &batch, NULL) == RST_OK)
			for (size_t row = 0; row < batch->n_events; row++, n_rows++) {
				n_types =
					batch->type[row]->index > n_types ? batch->type[row]->index : n_types;
				n_threads = batch->context[row]->index > n_threads
						    ? batch->context[row]->index
						    : n_threads;
			}
	is_number(n_rows, N_HOOKS, "all entries of very many hooks are read");
	ok(n_types > 10000 && n_types < 17000, "but only so many hooks are distinguished (%zu)", n_types);
	ok(n_threads > 4000 && n_threads < 5000, "and so many threads (%zu)", n_threads);
	rst_trace_free(trace);
	free(bytes);
}

int main(void)
{
	headers();
	header_among_entries();
	no_header();
	more_than_are_kept();
	return tap_done();
}
