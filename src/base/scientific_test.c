/* SPDX-License-Identifier: MIT */
#include "base/scientific.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

static const char *written(double number, unsigned n_decimals)
{
	static char text[64];

	*scientific_put(text, number, n_decimals) = '\0';
	return text;
}

static bool is_as_printf(double number, int n_decimals)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*E", n_decimals, number);
	return strcmp(text, written(number, (unsigned)n_decimals)) == 0;
}

/* Any bits are some number. */
static bool agrees(unsigned n_numbers)
{
	uint64_t bits = 88172645463325252U;
	bool is_good = true;

	for (unsigned i = 0; i < n_numbers; i++) {
		double number;
		float single;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&number, &bits, sizeof(number));
		memcpy(&single, &bits, sizeof(single));
		is_good = is_good && is_as_printf(number, 8) && is_as_printf((double)single, 4);
	}
	return is_good;
}

static bool agrees_on_halves(void)
{
	bool is_good = true;

	for (int i = 0; i < 4096; i++)
		is_good = is_good && is_as_printf(i + 0.5, 3) && is_as_printf(i * 0.125, 2);
	return is_good;
}

int main(void)
{
	is_text(written(1, 4), "1.0000E+00", "one has a leading digit and zeros");
	is_text(written(-2.5, 4), "-2.5000E+00", "a minus stands in front");
	is_text(written(0, 8), "0.00000000E+00", "nothing has the power zero");
	is_text(written(-0.0, 0), "-0E+00",
		"without decimals there is no point, and nothing may have a minus");
	is_text(written(9.99996, 4), "1.0000E+01", "rounding may add a digit");
	is_text(written(DBL_MAX, 8), "1.79769313E+308", "the largest number has three digits of power");
	is_text(written(DBL_TRUE_MIN, 8), "4.94065646E-324", "so has the smallest");
	ok(is_as_printf(INFINITY, 4) && is_as_printf(-INFINITY, 4) && is_as_printf(NAN, 4),
		"what is no number has a name");
	ok(agrees_on_halves(), "just half-way rounds to even, as printf does");
	ok(agrees(20000), "twenty thousand numbers of any bits are as printf writes them");
	return tap_done();
}
