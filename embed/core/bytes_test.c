/* SPDX-License-Identifier: MIT */
/* Rings of bytes against what a list would do, also where the counters wrap. */
#include "embed/core/bytes.h"

#include <string.h>

#include "tests/tap.h"

enum { N_BYTES = 16 };

static void init_at(struct rastrum_bytes *ring, uint8_t *memory, uint32_t before)
{
	rastrum_bytes_init(ring, memory, N_BYTES);
	ring->n_written = ring->n_taken = 0u - before;
}

static void sizes(void)
{
	static const struct {
		uint32_t n_bytes, n_ring;
	} rows[] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 2 }, { 255, 128 }, { 256, 256 },
		{ 0xffffffff, 0x80000000 } };
	struct rastrum_bytes ring;
	uint8_t memory[1];
	bool is_right = true;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_right &= rastrum_bytes_init(&ring, memory, rows[i].n_bytes) == rows[i].n_ring;
	ok(is_right, "a ring has as many bytes as it is given, as a power of two");
}

static void whole_or_lost(uint32_t before)
{
	uint8_t memory[N_BYTES], got[32];
	struct rastrum_bytes ring;

	init_at(&ring, memory, before);
	ok(rastrum_bytes_put(&ring, "abcdefghij", 10) && !rastrum_bytes_put(&ring, "klmnopq", 7) &&
			rastrum_bytes_put(&ring, "rstuvw", 6) && !rastrum_bytes_put(&ring, "x", 1),
		"a record that does not fit is refused, a smaller one that fits is not");
	is_number(rastrum_bytes_lost(&ring), 2, "and refused records are counted");
	ok(rastrum_bytes_take(&ring, got, 3) == 3 && memcmp(got, "abc", 3) == 0,
		"no more is taken than there is room for");
	ok(rastrum_bytes_put(&ring, "XYZ", 3) && rastrum_bytes_take(&ring, got, sizeof(got)) == 16 &&
			memcmp(got, "defghijrstuvwXYZ", 16) == 0,
		"bytes come out in order");
	is_number(rastrum_bytes_take(&ring, got, sizeof(got)), 0, "and then there are none");
	ok(rastrum_bytes_put(&ring, "", 0) && rastrum_bytes_lost(&ring) == 2, "an empty record always fits");
}

static void made_in_place(void)
{
	uint8_t memory[N_BYTES];
	const uint8_t *run;
	struct rastrum_bytes ring;
	uint32_t at;

	init_at(&ring, memory, 5);
	ok(rastrum_bytes_begin(&ring, 16, &at), "a record may fill the ring");
	for (unsigned i = 0; i < 12; i++)
		at = rastrum_bytes_store(&ring, at, (uint8_t)('a' + i));
	is_number(rastrum_bytes_peek(&ring, &run), 0, "a record is not there before its end");
	rastrum_bytes_end(&ring, at);
	ok(rastrum_bytes_peek(&ring, &run) == 5 && memcmp(run, "abcde", 5) == 0,
		"a look gives what lies in one piece");
	rastrum_bytes_drop(&ring, 5);
	ok(rastrum_bytes_peek(&ring, &run) == 7 && memcmp(run, "fghijkl", 7) == 0,
		"and then the other piece");
	ok(!rastrum_bytes_begin(&ring, 10, &at) && ring.n_lost == 1,
		"a record that might not fit is lost and counted");
	ok(rastrum_bytes_begin(&ring, 9, &at), "one that will is not");
	rastrum_bytes_drop(&ring, 7);
	is_number(rastrum_bytes_peek(&ring, &run), 0, "a record that was begun only never was");
}

int main(void)
{
	sizes();
	whole_or_lost(1000);
	whole_or_lost(6);
	made_in_place();
	return tap_done();
}
