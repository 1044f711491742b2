/* SPDX-License-Identifier: MIT */
#include "dialect/store/column.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { ROWS = 1000 };

/* Whether a column is the same after it was written and read; *ret_n_bytes is the number of its bytes. */
static bool is_kept(const uint64_t *column, size_t n_rows, bool is_packed, size_t *ret_n_bytes)
{
	struct bytes bytes = { 0 };
	uint64_t read[ROWS];
	bool is_good = column_write(column, n_rows, is_packed, &bytes);
	struct cursor from = cursor_over(bytes.at, bytes.n);

	is_good = is_good && column_read(&from, read, n_rows) && cursor_left(&from) == 0 &&
		  memcmp(read, column, n_rows * sizeof(*read)) == 0;
	*ret_n_bytes = bytes.n;
	bytes_done(&bytes);
	return is_good;
}

static void test_shapes(void)
{
	uint64_t column[ROWS], seed = 1;
	size_t n_bytes, n_packed;

	for (size_t i = 0; i < ROWS; i++)
		column[i] = 7 + 3 * i;
	ok(is_kept(column, ROWS, false, &n_bytes) && n_bytes < 8, "even steps take a few bytes");
	ok(is_kept(column, ROWS, true, &n_packed) && n_packed >= ROWS / COLUMN_GROUP,
		"or a byte for each group where that is wanted");
	for (size_t i = 0; i < ROWS; i++)
		column[i] = UINT64_MAX - 5 * i;
	ok(is_kept(column, ROWS, false, &n_bytes) && n_bytes < 20, "also downwards");
	for (size_t i = 0; i < ROWS; i++)
		column[i] = i * i % 13;
	ok(is_kept(column, ROWS, false, &n_bytes) && n_bytes < ROWS * 5 / 8, "small values take a few bits");
	for (size_t i = 0; i < ROWS; i++)
		column[i] = (uint64_t)1 << 60 | (100 * i + i * i % 13);
	ok(is_kept(column, ROWS, false, &n_bytes) && n_bytes < 2 * ROWS,
		"large ones the bits of their differences");
	for (size_t i = 0; i < ROWS; i++)
		column[i] = seed = seed * 6364136223846793005U + 1442695040888963407U;
	ok(is_kept(column, ROWS, false, &n_bytes) && n_bytes < 9 * ROWS, "any values are kept");
	column[0] = 0, column[1] = UINT64_MAX, column[2] = 0;
	ok(is_kept(column, 3, false, &n_bytes) && is_kept(column, 1, false, &n_bytes), "few of them, too");
}

static void test_widths(void)
{
	size_t n_bytes, n_bad = 0;
	uint64_t column[ROWS];

	for (unsigned n_bits = 0; n_bits <= 64; n_bits++)
		for (size_t n_rows = 60; n_rows <= 131; n_rows += 71) {
			for (size_t i = 0; i < n_rows; i++)
				column[i] = n_bits ? (0x9e3779b97f4a7c15U * (i + 1)) >> (64 - n_bits) : 0;
			n_bad += !is_kept(column, n_rows, true, &n_bytes);
		}
	ok(n_bad == 0, "numbers of every width are kept, in whole groups and in parts of one");
}

static void test_damage(void)
{
	uint64_t column[ROWS], read[ROWS];
	struct bytes bytes = { 0 };
	size_t n_good = 0;

	for (size_t i = 0; i < ROWS; i++)
		column[i] = i * i;
	ok(column_write(column, ROWS, false, &bytes), "a column is written");
	for (size_t n = 0; n < bytes.n; n++) {
		uint8_t *cut = malloc(n + 1);
		struct cursor from;

		if (!cut)
			break;
		memcpy(cut, bytes.at, n);
		from = cursor_over(cut, n);
		n_good += column_read(&from, read, ROWS);
		free(cut);
	}
	ok(n_good == 0, "one that is cut anywhere is none");
	bytes.at[0] = 9;
	ok(!column_read(&(struct cursor){ bytes.at, bytes.at + bytes.n, bytes.at }, read, ROWS),
		"nor one of an unknown form");
	bytes.at[0] = 4;
	bytes.at[1] = 65;
	ok(!column_read(&(struct cursor){ bytes.at, bytes.at + bytes.n, bytes.at }, read, ROWS),
		"nor one of numbers of 65 bits");
	bytes_done(&bytes);
}

static void test_version_1(void)
{
	static const uint8_t numbers[] = { 2, 5, 0x80, 1, 0 }, changes[] = { 1, 10, 1, 4 };
	uint64_t read[3];
	struct cursor from = cursor_over(numbers, sizeof(numbers));

	ok(column_read(&from, read, 3) && read[0] == 5 && read[1] == 128 && read[2] == 0,
		"values of version 1 are read");
	from = cursor_over(changes, sizeof(changes));
	ok(column_read(&from, read, 3) && read[0] == 5 && read[1] == 4 && read[2] == 6,
		"and its differences");
}

int main(void)
{
	test_shapes();
	test_widths();
	test_damage();
	test_version_1();
	return tap_done();
}
