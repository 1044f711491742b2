/* SPDX-License-Identifier: MIT */
#include "job/outcome.h"

int outcome_of(const struct rst_error *err)
{
	static const int outcomes[] = {
		[-RST_E_USAGE] = EXIT_USAGE,
		[-RST_E_DAMAGED] = EXIT_DAMAGED,
		[-RST_E_UNKNOWN] = EXIT_DAMAGED,
		[-RST_E_UNSUPPORTED] = EXIT_UNSUPPORTED,
		[-RST_E_IO] = EXIT_IO,
		[-RST_E_NOMEM] = EXIT_IO,
	};
	const int n = -(int)err->status;

	return n > 0 && (size_t)n < sizeof(outcomes) / sizeof(outcomes[0]) ? outcomes[n] : EXIT_IO;
}

int outcome_worse(int a, int b)
{
	return a > b ? a : b;
}
