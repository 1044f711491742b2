/* SPDX-License-Identifier: MIT */
#include "base/real.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

/* Decimals after the first digit: ..._FIRST are tried first, and ..._LAST are always enough. */
enum { DOUBLE_FIRST = 14, DOUBLE_LAST = 16, FLOAT_FIRST = 5, FLOAT_LAST = 8, PLAIN_MAX = 15, PLAIN_MIN = -5 };

struct decimal {
	char digits[REAL_DECIMALS_MAX + 1]; /* without a point */
	unsigned n_digits;
	int exponent;
	bool is_negative;
};

/*
 * printf() writes the point of the locale, which may have several bytes. strtod() reads it back in the same
 * locale.
 */
enum { PRINTED_ROOM = 64 };

static void print(char *text, double number, unsigned n_decimals)
{
	if (n_decimals > REAL_DECIMALS_MAX)
		n_decimals = REAL_DECIMALS_MAX;
	snprintf(text, PRINTED_ROOM, "%.*E", (int)n_decimals, number);
}

static bool reads_back(const char *text, double number, bool is_short)
{
	double back = is_short ? (double)strtof(text, NULL) : strtod(text, NULL);

	return memcmp(&back, &number, sizeof(back)) == 0;
}

/*
 * Splits "-d.dddE+xx" into its parts. Between the sign and the E, all bytes that are not digits belong to the
 * point.
 */
static void take_apart(struct decimal *decimal, const char *text)
{
	*decimal = (struct decimal){ .is_negative = *text == '-' };
	for (text += decimal->is_negative; *text != 'E'; text++)
		if (text_is_digit(*text))
			decimal->digits[decimal->n_digits++] = *text;
	decimal->exponent = (int)strtol(text + 1, NULL, 10);
}

static char *put_plain(char *p, const struct decimal *decimal)
{
	unsigned n_before = decimal->exponent < 0 ? 0 : (unsigned)decimal->exponent + 1;

	if (!n_before) {
		p = text_put_literal(p, "0.");
		p = text_put_fill(p, '0', (size_t)(-decimal->exponent - 1));
		return text_put(p, decimal->digits, decimal->n_digits);
	}
	if (n_before >= decimal->n_digits) {
		p = text_put(p, decimal->digits, decimal->n_digits);
		return text_put_fill(p, '0', n_before - decimal->n_digits);
	}
	p = text_put(p, decimal->digits, n_before);
	*p++ = '.';
	return text_put(p, decimal->digits + n_before, decimal->n_digits - n_before);
}

static char *put_power(char *p, const struct decimal *decimal)
{
	unsigned power = (unsigned)(decimal->exponent < 0 ? -decimal->exponent : decimal->exponent);

	*p++ = decimal->digits[0];
	if (decimal->n_digits > 1) {
		*p++ = '.';
		p = text_put(p, decimal->digits + 1, decimal->n_digits - 1);
	}
	*p++ = 'E';
	*p++ = decimal->exponent < 0 ? '-' : '+';
	return text_put_digits(p, power, power < 100 ? 2 : 3);
}

static char *put_odd(char *p, double number)
{
	char text[PRINTED_ROOM];

	print(text, number, 0);
	return text_put(p, text, strlen(text));
}

char *real_put_scientific(char *p, double number, unsigned n_decimals)
{
	char text[PRINTED_ROOM];
	struct decimal decimal;

	if (!__builtin_isfinite(number))
		return put_odd(p, number);
	print(text, number, n_decimals);
	take_apart(&decimal, text);
	if (decimal.is_negative)
		*p++ = '-';
	return put_power(p, &decimal);
}

char *real_put(char *p, double number, bool is_short)
{
	unsigned n = is_short ? FLOAT_FIRST : DOUBLE_FIRST, n_last = is_short ? FLOAT_LAST : DOUBLE_LAST;
	char text[PRINTED_ROOM];
	struct decimal decimal;

	if (!__builtin_isfinite(number))
		return put_odd(p, number);
	do
		print(text, number, n);
	while (!reads_back(text, number, is_short) && n++ < n_last);
	take_apart(&decimal, text);
	while (decimal.n_digits > 1 && decimal.digits[decimal.n_digits - 1] == '0')
		decimal.n_digits--;
	if (decimal.is_negative)
		*p++ = '-';
	return decimal.exponent > PLAIN_MAX || decimal.exponent < PLAIN_MIN ? put_power(p, &decimal)
									    : put_plain(p, &decimal);
}
