/* SPDX-License-Identifier: MIT */
#include "base/real.h"

#include <string.h>

#include "tests/tap.h"

int main(void)
{
	static const struct {
		double number;
		bool is_short;
		const char *text;
	} rows[] = {
		{ 0, false, "0" },
		{ -0.0, false, "-0" },
		{ 1, false, "1" },
		{ 2.5, false, "2.5" },
		{ 0.1, false, "0.1" },
		{ -0.00001, false, "-0.00001" },
		{ 0.000001, false, "1E-06" },
		{ 1e15, false, "1000000000000000" },
		{ 1e16, false, "1E+16" },
		{ 123456789012, false, "123456789012" },
		{ 0.1 + 0.2, false, "0.30000000000000004" },
		{ 1.7976931348623157e308, false, "1.7976931348623157E+308" },
		{ 5e-324, false, "4.94065645841247E-324" },
		{ (double)0.1f, true, "0.1" },
		{ (double)16777216.0f, true, "16777216" },
		{ (double)3.4028235e38f, true, "3.4028235E+38" },
		{ __builtin_inf(), false, "INF" },
		{ -__builtin_inf(), true, "-INF" },
		{ __builtin_nan(""), false, "NAN" },
	};
	char text[REAL_MAX + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *end = real_put(text, rows[i].number, rows[i].is_short);

		*end = '\0';
		ok(strcmp(text, rows[i].text) == 0 && end - text <= REAL_MAX, "a number reads as %s (%s)",
			rows[i].text, text);
	}
	return tap_done();
}
