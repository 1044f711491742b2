/* SPDX-License-Identifier: MIT */
/*
 * Numbers of a recording against limits of a rule: a number is whole, with a sign or without, or a double; a
 * limit is a decimal. Whole numbers are compared exactly; a double is compared with the double nearest to the
 * limit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "query/rule.h"

__extension__ typedef __int128 wide_signed;

static double real_of(uint64_t bits)
{
	double real;

	memcpy(&real, &bits, sizeof(real));
	return real;
}

static uint64_t bits_of(double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static wide_signed whole_of(uint64_t value, enum rst_field_type type)
{
	return type == RST_SIGNED ? (wide_signed)(int64_t)value : (wide_signed)value;
}

static wide_signed limit_of(const struct quantity *limit)
{
	return limit->is_negative ? -(wide_signed)limit->value : (wide_signed)limit->value;
}

static int order(wide_signed one, wide_signed other)
{
	return one < other ? -1 : one > other;
}

/*
 * The nearest double, as a program's source would have it. A text without a point reads the same in every
 * locale.
 */
static double limit_real(const struct quantity *limit)
{
	char text[2 * TEXT_DEC_MAX + 4], *p = text;
	unsigned n_decimals = 0;

	for (uint64_t parts = limit->parts; parts > 1; parts /= 10)
		n_decimals++;
	if (limit->is_negative)
		*p++ = '-';
	p = text_put_literal(text_put_dec(p, limit->value), "E-");
	*text_put_dec(p, n_decimals) = '\0';
	return strtod(text, NULL);
}

/* Compares a number that is not NaN. A limit with decimals is the double nearest to them: 0.1 equals 0.1. */
static int real_compare(uint64_t bits, const struct quantity *limit)
{
	const struct number whole = number_as(limit->is_negative ? -limit->value : limit->value,
		limit->is_negative ? RST_SIGNED : RST_UNSIGNED);
	const bool is_whole = limit->parts == 1 && !(limit->is_negative && limit->value > INT64_MAX);

	return number_compare(
		number_as(bits, RST_REAL), is_whole ? whole : number_of_real(limit_real(limit)));
}

static int limit_compare(uint64_t value, enum rst_field_type type, const struct quantity *limit)
{
	return type == RST_REAL ? real_compare(value, limit)
				: order(whole_of(value, type) * limit->parts, limit_of(limit));
}

int range_side(const struct range *range, uint64_t value, enum rst_field_type type)
{
	const bool is_nan = type == RST_REAL && real_of(value) != real_of(value);
	int side;

	if (is_nan)
		return 1;
	side = range->has_least ? limit_compare(value, type, &range->least) : 1;
	if (side < 0 || (side == 0 && range->is_least_out))
		return -1;
	side = range->has_most ? limit_compare(value, type, &range->most) : -1;
	return side > 0 || (side == 0 && range->is_most_out);
}

uint64_t range_distance(
	const struct range *range, uint64_t value, enum rst_field_type type, enum rst_field_type *ret_type)
{
	const int side = range_side(range, value, type);
	const struct quantity *limit = side < 0 ? &range->least : &range->most;
	const bool is_out = side < 0 ? range->is_least_out : range->is_most_out;
	double real, far;

	*ret_type = RST_UNSIGNED;
	if (!side)
		return 0;
	if (type != RST_REAL && limit->parts == 1) {
		const wide_signed between = whole_of(value, type) - limit_of(limit);
		const wide_signed whole = (between < 0 ? -between : between) + is_out;

		return whole > UINT64_MAX ? UINT64_MAX : (uint64_t)whole;
	}
	*ret_type = RST_REAL;
	real = type == RST_REAL ? real_of(value) : (double)whole_of(value, type);
	far = real - limit_real(limit);
	return bits_of(far < 0 ? -far : far);
}

int quantity_compare(const struct quantity *one, const struct quantity *other)
{
	/* Both have at most 18 decimals, and value / parts is below 2^64. */
	const wide_signed left = limit_of(one), right = limit_of(other);
	const wide_signed wholes[] = { left / (wide_signed)one->parts, right / (wide_signed)other->parts };

	if (wholes[0] != wholes[1])
		return order(wholes[0], wholes[1]);
	return order(left % (wide_signed)one->parts * (wide_signed)other->parts,
		right % (wide_signed)other->parts * (wide_signed)one->parts);
}
