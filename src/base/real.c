/* SPDX-License-Identifier: MIT */
#include "base/real.h"

#include <stdlib.h>

#include "base/scientific.h"
#include "base/text.h"

/* Decimals behind the first digit: so few are tried first, and so many always do. */
enum { DOUBLE_FIRST = 14, DOUBLE_LAST = 16, FLOAT_FIRST = 5, FLOAT_LAST = 8, PLAIN_MAX = 15, PLAIN_MIN = -5 };

struct decimal {
	char digits[SCIENTIFIC_DECIMALS_MAX + 1]; /* without a point */
	unsigned n_digits;			  /* without zeros at the end, one at least */
	int exponent;
	bool is_negative;
};

static bool reads_back(const char *text, double number, bool is_short)
{
	double back = is_short ? (double)strtof(text, NULL) : strtod(text, NULL);

	return memcmp(&back, &number, sizeof(back)) == 0;
}

/* Takes "-d.dddE+xx" apart. */
static void take_apart(struct decimal *decimal, const char *text)
{
	*decimal = (struct decimal){ .is_negative = *text == '-' };
	for (text += decimal->is_negative; *text != 'E'; text++)
		if (*text != '.')
			decimal->digits[decimal->n_digits++] = *text;
	decimal->exponent = (int)strtol(text + 1, NULL, 10);
	while (decimal->n_digits > 1 && decimal->digits[decimal->n_digits - 1] == '0')
		decimal->n_digits--;
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

char *real_put(char *p, double number, bool is_short)
{
	unsigned n = is_short ? FLOAT_FIRST : DOUBLE_FIRST, n_last = is_short ? FLOAT_LAST : DOUBLE_LAST;
	char text[SCIENTIFIC_MAX + 1];
	struct decimal decimal;

	if (!__builtin_isfinite(number))
		return scientific_put(p, number, 0);
	do
		*scientific_put(text, number, n) = '\0';
	while (!reads_back(text, number, is_short) && n++ < n_last);
	take_apart(&decimal, text);
	if (decimal.is_negative)
		*p++ = '-';
	return decimal.exponent > PLAIN_MAX || decimal.exponent < PLAIN_MIN ? put_power(p, &decimal)
									    : put_plain(p, &decimal);
}
