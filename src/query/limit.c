/* SPDX-License-Identifier: MIT */
/*
 * Numbers of a recording against limits of a rule, exactly: a number is whole, with a sign or without, or a double; a limit is a
 * decimal. A double is mantissa * 2^exponent, so both sides are compared as whole numbers.
 */
#include <string.h>

#include "query/rule.h"

__extension__ typedef __int128 wide_signed;

enum { MANTISSA_BITS = 52, EXPONENT_MAX = 0x7ff, EXPONENT_BIAS = 1075, WIDE_BITS = 127 };

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

/* mantissa * 2^exponent against value / parts; none is negative. parts has at most 60 bits, so a product fits. */
static int magnitude_compare(uint64_t mantissa, int exponent, const struct quantity *limit)
{
	const wide_signed left = (wide_signed)mantissa * limit->parts;

	if (!mantissa || !limit->value)
		return order(mantissa != 0, limit->value != 0);
	if (exponent >= 0) {
		/* A mantissa is at least 1, and the limit is less than 2^64. */
		if (exponent >= WIDE_BITS || left >> (WIDE_BITS - exponent))
			return 1;
		return order(left << exponent, limit->value);
	}
	if (-exponent >= WIDE_BITS || (wide_signed)limit->value >> (WIDE_BITS + exponent))
		return -1;
	return order(left, (wide_signed)limit->value << -exponent);
}

/* A number that is not NaN. */
static int real_compare(uint64_t bits, const struct quantity *limit)
{
	const uint64_t fraction = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
	const int exponent = (int)(bits >> MANTISSA_BITS & EXPONENT_MAX);
	const uint64_t mantissa = exponent ? fraction | UINT64_C(1) << MANTISSA_BITS : fraction;
	const bool is_negative = bits >> 63 && (exponent || fraction);
	int result;

	if (is_negative != limit->is_negative)
		return is_negative ? -1 : 1;
	result = magnitude_compare(mantissa, (exponent ? exponent : 1) - EXPONENT_BIAS, limit);
	return is_negative ? -result : result;
}

static int number_compare(uint64_t value, enum rst_field_type type, const struct quantity *limit)
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
	side = range->has_least ? number_compare(value, type, &range->least) : 1;
	if (side < 0 || (side == 0 && range->is_least_out))
		return -1;
	side = range->has_most ? number_compare(value, type, &range->most) : -1;
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
	far = real - (double)limit_of(limit) / (double)limit->parts;
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
