/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <stdlib.h>

#include "base/real.h"
#include "base/text.h"

/* Has room for every signed or unsigned integer of 64 bits, and for the sum of two. */
__extension__ typedef __int128 whole;

enum { EXPONENT_ROOM = 8 };

/* Removes the decimal point from the text, because it then has the same meaning in every locale. */
double number_widen(float number)
{
	char shortest[REAL_MAX + 1], plain[REAL_MAX + EXPONENT_ROOM], *p = plain;
	long exponent = 0;
	bool has_point = false;

	if (!__builtin_isfinite(number))
		return (double)number;
	*real_put(shortest, (double)number, true) = '\0';
	for (const char *q = shortest; *q; q++) {
		if (*q == 'E') {
			exponent += strtol(q + 1, NULL, 10);
			break;
		}
		exponent -= has_point && *q != '.';
		has_point |= *q == '.';
		if (*q != '.')
			*p++ = *q;
	}
	*p++ = 'E';
	*text_put_signed(p, exponent) = '\0';
	return strtod(plain, NULL);
}

double number_real(struct number number)
{
	double real;

	if (number.type == RST_SIGNED)
		return (double)(int64_t)number.bits;
	if (number.type != RST_REAL)
		return (double)number.bits;
	memcpy(&real, &number.bits, sizeof(real));
	return real;
}

static whole whole_of(struct number number)
{
	return number.type == RST_SIGNED ? (whole)(int64_t)number.bits : (whole)number.bits;
}

static int order_of_reals(double one, double other)
{
	return (one > other) - (one < other);
}

/*
 * Compares an integer with a real number: first by its range, then by its integer part, then by its fraction.
 */
static int order_of_whole_and_real(whole number, double real)
{
	const double beyond = 0x1p65;
	whole part;

	if (real >= beyond || real <= -beyond)
		return real > 0 ? -1 : 1;
	part = (whole)real; /* towards 0 */
	if (number != part)
		return number < part ? -1 : 1;
	return order_of_reals((double)part, real);
}

int number_compare(struct number one, struct number other)
{
	if (one.type == RST_REAL && other.type == RST_REAL)
		return order_of_reals(number_real(one), number_real(other));
	if (one.type == RST_REAL)
		return -order_of_whole_and_real(whole_of(other), number_real(one));
	if (other.type == RST_REAL)
		return order_of_whole_and_real(whole_of(one), number_real(other));
	return (whole_of(one) > whole_of(other)) - (whole_of(one) < whole_of(other));
}

bool number_is_same(struct number one, struct number other)
{
	if (number_is_nan(one) || number_is_nan(other))
		return number_is_nan(one) && number_is_nan(other);
	return number_compare(one, other) == 0;
}

struct number number_add(struct number one, struct number other)
{
	whole sum;

	if (one.type == RST_REAL || other.type == RST_REAL)
		return number_of_real(number_real(one) + number_real(other));
	sum = whole_of(one) + whole_of(other);
	if (sum > UINT64_MAX || sum < INT64_MIN)
		return number_of_real((double)sum);
	return number_as((uint64_t)sum, sum < 0 ? RST_SIGNED : RST_UNSIGNED);
}

bool number_count(struct number number, uint64_t *ret_count)
{
	const double real = number_real(number);
	uint64_t count = number.bits;

	if (number.type == RST_REAL) {
		if (!(real >= 0 && real < 0x1p64))
			return false;
		count = (uint64_t)real;
		if ((double)count < real)
			return false;
	}
	if (number.type == RST_SIGNED && (int64_t)number.bits < 0)
		return false;
	*ret_count = count;
	return true;
}

char *number_put(char *p, struct number number)
{
	if (number.type == RST_REAL)
		return real_put(p, number_real(number), false);
	return number.type == RST_SIGNED ? text_put_signed(p, (int64_t)number.bits)
					 : text_put_dec(p, number.bits);
}

char *number_put_json(char *p, struct number number)
{
	return number_is_finite(number) ? number_put(p, number) : text_put_literal(p, "null");
}
