/* SPDX-License-Identifier: MIT */
#include "embed/check/print.h"

#include "embed/check/semihosting.h"

enum { N_DIGITS = 10 };

void print_line(const char *name, const char *kind, uint32_t number)
{
	char text[N_DIGITS + 3], *at = text + N_DIGITS + 1;

	at[0] = '\n';
	at[1] = 0;
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	*--at = ' ';
	semihosting_print(name);
	semihosting_print(kind);
	semihosting_print(at);
}
