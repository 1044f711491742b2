/* SPDX-License-Identifier: MIT */
#include "dialect/store/column.h"

#include <string.h>

#include "base/load.h"

enum form { FORM_STEPS, FORM_CHANGES, FORM_NUMBERS, FORM_PACKED_CHANGES, FORM_PACKED_NUMBERS, N_FORMS };

enum { FEW_GROUPS = 16 };

/* Whole groups use loops of constant length, which the compiler turns into few instructions. */
static bool is_steps(const uint64_t *column, size_t n_rows)
{
	const uint64_t step = n_rows > 1 ? column[1] - column[0] : 0;
	size_t i = 1;

	for (; i + COLUMN_GROUP <= n_rows; i += COLUMN_GROUP) {
		const uint64_t *const group = column + i;
		uint64_t others = 0;

		for (size_t n = 0; n < COLUMN_GROUP; n++)
			others |= (group[n] - group[n - 1]) ^ step;
		if (others)
			return false;
	}
	for (; i < n_rows; i++)
		if (column[i] - column[i - 1] != step)
			return false;
	return true;
}

static bool steps_write(const uint64_t *column, size_t n_rows, struct bytes *to)
{
	const uint64_t step = n_rows > 1 ? column[1] - column[0] : 0;

	return bytes_put_number(to, FORM_STEPS) && bytes_put_number(to, column[0]) &&
	       bytes_put_number(to, sign_fold((int64_t)step));
}

static unsigned bits_of(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/*
 * Calculates the differences of a group; except for the first group, there is a value in front of it. Returns
 * all differences combined by OR.
 */
static uint64_t changes_of(const uint64_t *column, size_t start, size_t n, uint64_t values[COLUMN_GROUP])
{
	const uint64_t *const group = column + start;
	uint64_t all = 0;

	if (n == COLUMN_GROUP && start) {
		for (size_t i = 0; i < COLUMN_GROUP; i++) {
			values[i] = sign_fold((int64_t)(group[i] - group[i - 1]));
			all |= values[i];
		}
		return all;
	}
	for (size_t i = 0; i < n; i++) {
		values[i] = sign_fold((int64_t)(group[i] - (start + i ? column[start + i - 1] : 0)));
		all |= values[i];
	}
	return all;
}

static uint64_t numbers_of(const uint64_t *group, size_t n)
{
	uint64_t all = 0;

	if (n == COLUMN_GROUP) {
		for (size_t i = 0; i < COLUMN_GROUP; i++)
			all |= group[i];
		return all;
	}
	for (size_t i = 0; i < n; i++)
		all |= group[i];
	return all;
}

static size_t group_length(size_t start, size_t n_rows)
{
	return n_rows - start < COLUMN_GROUP ? n_rows - start : COLUMN_GROUP;
}

/*
 * Whether differences take fewer bits than values: the majority of groups decides, by their largest value. In
 * long columns, only every fourth group counts.
 */
static bool changes_are_shorter(const uint64_t *column, size_t n_rows)
{
	const size_t step = n_rows > FEW_GROUPS * COLUMN_GROUP ? 4 * COLUMN_GROUP : COLUMN_GROUP;
	uint64_t n_changes = 0, n_numbers = 0, values[COLUMN_GROUP];

	for (size_t start = 0; start < n_rows; start += step) {
		const size_t n = group_length(start, n_rows);

		n_changes += bits_of(changes_of(column, start, n, values));
		n_numbers += bits_of(numbers_of(column + start, n));
	}
	return n_changes < n_numbers;
}

/* Packs a group. There must be room for the group and one more word. */
static uint8_t *group_pack(uint8_t *to, const uint64_t *values, size_t n_values, unsigned n_bits)
{
	uint64_t word = 0;
	unsigned n_used = 0;
	uint8_t *const start = to;

	for (size_t i = 0; i < n_values; i++) {
		word |= values[i] << n_used;
		n_used += n_bits;
		if (n_used < 64)
			continue;
		memcpy(to, &word, sizeof(word));
		to += sizeof(word);
		n_used -= 64;
		word = n_used ? values[i] >> (n_bits - n_used) : 0;
	}
	memcpy(to, &word, sizeof(word));
	return start + (n_values * n_bits + 7) / 8;
}

static bool packed_write(const uint64_t *column, size_t n_rows, enum form form, struct bytes *to)
{
	uint64_t changes[COLUMN_GROUP];

	if (!bytes_put_number(to, form) ||
		!bytes_reserve(to, (n_rows + COLUMN_GROUP) * sizeof(uint64_t) + n_rows / COLUMN_GROUP + 16))
		return false;
	for (size_t start = 0; start < n_rows; start += COLUMN_GROUP) {
		const size_t n = group_length(start, n_rows);
		const bool is_plain = form == FORM_PACKED_NUMBERS;
		const uint64_t all =
			is_plain ? numbers_of(column + start, n) : changes_of(column, start, n, changes);

		to->at[to->n++] = (uint8_t)bits_of(all);
		if (all)
			to->n = (size_t)(group_pack(to->at + to->n, is_plain ? column + start : changes, n,
						 bits_of(all)) -
					 to->at);
	}
	return true;
}

bool column_write(const uint64_t *column, size_t n_rows, bool is_packed, struct bytes *to)
{
	if (!is_packed && is_steps(column, n_rows))
		return steps_write(column, n_rows, to);
	return packed_write(column, n_rows,
		changes_are_shorter(column, n_rows) ? FORM_PACKED_CHANGES : FORM_PACKED_NUMBERS, to);
}

/* --- reading -------------------------------------------------------------------------------------------- */

static bool steps_read(struct cursor *from, uint64_t *column, size_t n_rows)
{
	uint64_t first, folded;

	if (!cursor_take_number(from, &first) || !cursor_take_number(from, &folded))
		return false;
	const uint64_t step = (uint64_t)sign_unfold(folded);

	for (size_t i = 0; i < n_rows; i++)
		column[i] = first + i * step;
	return true;
}

static bool numbers_read(struct cursor *from, uint64_t *column, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++)
		if (!cursor_take_number(from, &column[i]))
			return false;
	return true;
}

/* Loads up to eight bytes, as far as there are so many. */
static uint64_t word_at(const uint8_t *bytes, size_t n_bytes)
{
	uint8_t word[8] = { 0 };

	if (n_bytes >= 8)
		return load_u64(bytes, false);
	memcpy(word, bytes, n_bytes);
	return load_u64(word, false);
}

static void group_unpack(
	const uint8_t *bytes, size_t n_bytes, uint64_t *values, size_t n_values, unsigned n_bits)
{
	const uint64_t mask = n_bits == 64 ? UINT64_MAX : ((uint64_t)1 << n_bits) - 1;

	for (size_t i = 0; i < n_values; i++) {
		const size_t bit = i * n_bits, at = bit / 64 * 8;
		const unsigned n_before = bit % 64;
		uint64_t value = n_bits ? word_at(bytes + at, n_bytes - at) >> n_before : 0;

		if (n_before + n_bits > 64)
			value |= word_at(bytes + at + 8, n_bytes - at - 8) << (64 - n_before);
		values[i] = value & mask;
	}
}

/*
 * The same for numbers that end within the eight bytes from their first byte on. These eight bytes must exist
 * for each number.
 */
static void group_unpack_short(const uint8_t *bytes, uint64_t *values, unsigned n_bits)
{
	const uint64_t mask = ((uint64_t)1 << n_bits) - 1;
	size_t bit = 0;

	for (size_t i = 0; i < COLUMN_GROUP; i++, bit += n_bits)
		values[i] = load_u64(bytes + bit / 8, false) >> bit % 8 & mask;
}

static bool packed_read(struct cursor *from, uint64_t *column, size_t n_rows)
{
	for (size_t start = 0; start < n_rows; start += COLUMN_GROUP) {
		const size_t n = n_rows - start < COLUMN_GROUP ? n_rows - start : COLUMN_GROUP;
		const uint8_t *n_bits = cursor_take(from, 1), *bytes;

		if (!n_bits || *n_bits > 64)
			return false;
		bytes = cursor_take(from, (n * *n_bits + 7) / 8);
		if (!bytes)
			return false;
		if (n == COLUMN_GROUP && *n_bits <= 57 && cursor_left(from) >= sizeof(uint64_t))
			group_unpack_short(bytes, column + start, *n_bits);
		else
			group_unpack(bytes, (n * *n_bits + 7) / 8, column + start, n, *n_bits);
	}
	return true;
}

static void changes_follow(uint64_t *column, size_t n_rows)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n_rows; i++)
		column[i] = value += (uint64_t)sign_unfold(column[i]);
}

bool column_read(struct cursor *from, uint64_t *column, size_t n_rows)
{
	static bool (*const readers[N_FORMS])(struct cursor *, uint64_t *, size_t) = {
		[FORM_STEPS] = steps_read,
		[FORM_CHANGES] = numbers_read,
		[FORM_NUMBERS] = numbers_read,
		[FORM_PACKED_CHANGES] = packed_read,
		[FORM_PACKED_NUMBERS] = packed_read,
	};
	uint64_t form;

	if (!cursor_take_number(from, &form) || form >= N_FORMS || !readers[form](from, column, n_rows))
		return false;
	if (form == FORM_CHANGES || form == FORM_PACKED_CHANGES)
		changes_follow(column, n_rows);
	return true;
}
