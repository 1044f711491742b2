/* SPDX-License-Identifier: MIT */
/* Tests the cursor, and the loads of load.h that are used with it. */
#include "base/cursor.h"

#include "tests/tap.h"

static const uint8_t bytes[10] = { 0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88, 0xff };

static void check_cursor(void)
{
	struct cursor c = cursor_over(bytes, sizeof(bytes)), empty = cursor_over(bytes, 0);

	ok(cursor_take(&c, 0) == bytes && cursor_offset(&c) == 0,
		"taking nothing is possible and moves nothing");
	ok(cursor_take(&c, 3) == bytes && cursor_offset(&c) == 3 && cursor_left(&c) == 7,
		"a take gives the run and moves behind it");
	ok(cursor_take(&c, 8) == NULL && cursor_offset(&c) == 3,
		"one byte too many is refused, and nothing moves");
	ok(cursor_take(&c, SIZE_MAX) == NULL && cursor_left(&c) == 7, "no length is too large to be refused");
	ok(cursor_take(&c, 7) == bytes + 3 && cursor_left(&c) == 0, "exactly what is left can be taken");
	ok(cursor_take(&c, 1) == NULL && cursor_offset(&c) == 10, "at the end there is nothing more");
	ok(cursor_take(&c, 0) == bytes + 10, "but nothing can still be taken");
	ok(cursor_take(&empty, 1) == NULL && cursor_take(&empty, 0) == bytes, "an empty input is all end");
}

static void check_loads(void)
{
	static const struct {
		unsigned n_bytes;
		uint64_t little, big;
	} rows[] = {
		{ 0, 0, 0 },
		{ 1, 0x01, 0x01 },
		{ 2, 0x0201, 0x0102 },
		{ 3, 0x030201, 0x010203 },
		{ 4, 0x04030201, 0x01020304 },
		{ 5, 0x0504030201, 0x0102030405 },
		{ 6, 0x060504030201, 0x010203040506 },
		{ 7, 0x07060504030201, 0x01020304050607 },
		{ 8, 0x8807060504030201, 0x0102030405060788 },
	};

	/* From an odd address, because payloads may lie there. */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok(load_uint(bytes + 1, rows[i].n_bytes, false) == rows[i].little &&
				load_uint(bytes + 1, rows[i].n_bytes, true) == rows[i].big,
			"an integer of %u bytes is read in either order", rows[i].n_bytes);
	ok(load_u16(bytes + 1, false) == 0x0201 && load_u16(bytes + 1, true) == 0x0102, "so are 16 bits");
	ok(load_u32(bytes + 5, false) == 0x88070605 && load_u32(bytes + 5, true) == 0x05060788,
		"32 bits with the top bit set do not become negative");
	ok(load_u64(bytes + 1, false) == rows[8].little && load_u64(bytes + 1, true) == rows[8].big,
		"so are 64 bits");
	ok(load_word(bytes + 1, 4, true) == 0x01020304 && load_word(bytes + 1, 8, true) == rows[8].big,
		"a target's word is as wide as the target says");
}

int main(void)
{
	check_cursor();
	check_loads();
	return tap_done();
}
