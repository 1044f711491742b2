/* SPDX-License-Identifier: MIT */
/*
 * A double is a whole number of 53 bits times a power of two. That product is written out exactly in decimal, in groups
 * of nine digits, and then rounded: to even when it lies just half-way, as printf does. Slow beside the tables that
 * clever algorithms need, and small.
 */
#include "base/scientific.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum {
	GROUP = 1000000000,
	GROUP_DIGITS = 9,
	GROUPS = 128, /* 1074 bits behind the point need 1074 digits, 1024 before it 309 */
	MANTISSA_BITS = 52,
	EXPONENT_BIAS = 1075, /* with the mantissa as a whole number */
};

/* A whole number, the lowest group first. */
struct digits {
	uint32_t groups[GROUPS];
	unsigned n_groups;
};

static void decimal_multiply(struct digits *digits, uint32_t factor)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < digits->n_groups; i++) {
		carry += (uint64_t)digits->groups[i] * factor;
		digits->groups[i] = (uint32_t)(carry % GROUP);
		carry /= GROUP;
	}
	while (carry) {
		digits->groups[digits->n_groups++] = (uint32_t)(carry % GROUP);
		carry /= GROUP;
	}
}

static void multiply_power(struct digits *digits, uint32_t base, unsigned exponent, unsigned step)
{
	uint32_t power = 1;

	for (unsigned i = 0; i < step; i++)
		power *= base;
	for (; exponent >= step; exponent -= step)
		decimal_multiply(digits, power);
	while (exponent--)
		decimal_multiply(digits, base);
}

/*
 * All digits of mantissa * 2^exponent, highest first; returns how many, and the power of ten of the first. For a
 * negative exponent: m / 2^e is m * 5^e / 10^e.
 */
static unsigned write_digits(char *text, uint64_t mantissa, int exponent, int *ret_power)
{
	struct digits digits = { { (uint32_t)(mantissa % GROUP), (uint32_t)(mantissa / GROUP) }, 2 };
	char *p = text;

	if (exponent >= 0)
		multiply_power(&digits, 2, (unsigned)exponent, 29);
	else
		multiply_power(&digits, 5, (unsigned)-exponent, 13);
	while (digits.n_groups > 1 && digits.groups[digits.n_groups - 1] == 0)
		digits.n_groups--;
	p = text_put_dec(p, digits.groups[digits.n_groups - 1]);
	for (unsigned i = digits.n_groups - 1; i-- > 0;)
		p = text_put_digits(p, digits.groups[i], GROUP_DIGITS);
	*ret_power = (int)(p - text) - 1 + (exponent < 0 ? exponent : 0);
	return (unsigned)(p - text);
}

static bool rounds_up(const char *text, unsigned n_digits, unsigned n_kept)
{
	if (n_digits <= n_kept || text[n_kept] < '5')
		return false;
	if (text[n_kept] > '5')
		return true;
	for (unsigned i = n_kept + 1; i < n_digits; i++)
		if (text[i] != '0')
			return true;
	return (text[n_kept - 1] - '0') & 1;
}

/* Keeps n_kept digits; returns true when they became one more, as 9.99 does. */
static bool round_digits(char *text, unsigned n_digits, unsigned n_kept)
{
	bool is_up = rounds_up(text, n_digits, n_kept);
	unsigned i = n_kept;

	if (n_digits < n_kept)
		memset(text + n_digits, '0', n_kept - n_digits);
	while (is_up && i > 0) {
		i--;
		is_up = text[i] == '9';
		text[i] = (char)(is_up ? '0' : text[i] + 1);
	}
	if (is_up)
		text[0] = '1'; /* 999 became 000, and is 1000 */
	return is_up;
}

static char *put_exponent(char *p, int power)
{
	unsigned number = (unsigned)(power < 0 ? -power : power);

	*p++ = 'E';
	*p++ = power < 0 ? '-' : '+';
	return text_put_digits(p, number, number < 100 ? 2 : 3);
}

char *scientific_put(char *p, double number, unsigned n_decimals)
{
	char text[GROUPS * GROUP_DIGITS + 1];
	uint64_t bits, mantissa;
	int exponent, power = 0;
	unsigned n_digits = 1;

	memcpy(&bits, &number, sizeof(bits));
	mantissa = bits & (((uint64_t)1 << MANTISSA_BITS) - 1);
	exponent = (int)(bits >> MANTISSA_BITS & 0x7ff);
	if (bits >> 63)
		*p++ = '-';
	if (exponent == 0x7ff)
		return text_put(p, mantissa ? "NAN" : "INF", 3);
	if (exponent)
		mantissa |= (uint64_t)1 << MANTISSA_BITS;
	text[0] = '0';
	if (mantissa)
		n_digits = write_digits(text, mantissa, (exponent ? exponent : 1) - EXPONENT_BIAS, &power);
	power += round_digits(text, n_digits, n_decimals + 1);
	*p++ = text[0];
	if (n_decimals) {
		*p++ = '.';
		p = text_put(p, text + 1, n_decimals);
	}
	return put_exponent(p, power);
}
