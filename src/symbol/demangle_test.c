/* SPDX-License-Identifier: MIT */
#include "symbol/demangle.h"
#include "tests/tap.h"

#include <string.h>

static void reads_as(const char *symbol, const char *expected, const char *sentence)
{
	char name[512];
	const size_t n = symbol_demangle(symbol, name, sizeof(name));

	is_text(name, expected, sentence);
	ok(n == strlen(name), "and its length is given");
}

/*
 * Each type refers twice to the previous one, which does the same, and so on: without a limit, this makes
 * 2^60 words.
 */
static void check_bomb(void)
{
	char symbol[2048] = "_Z1f", name[512];

	strcat(symbol, "1AIiiE");
	for (unsigned i = 0; i < 60; i++) {
		static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
		char part[32] = "1BIS_S_E", *p = part + 3;

		/* Each template adds two substitutions: its name and itself. */
		if (i) {
			const unsigned n = 2 * i;
			char seq[4] = { 'S', n / 36 ? digits[n / 36] : digits[n % 36],
				n / 36 ? digits[n % 36] : '_', 0 };

			p[0] = '\0';
			for (unsigned k = 0; k < 2; k++) {
				strcat(part, seq);
				if (n / 36)
					strcat(part, "_");
			}
			strcat(part, "E");
		}
		strcat(symbol, part);
	}
	ok(symbol_demangle(symbol, name, sizeof(name)) < sizeof(name),
		"a symbol that unfolds without end is cut");
}

int main(void)
{
	char name[8];

	reads_as("main", "main", "a name of C is as it is");
	reads_as("_ZN2ns6worker3runEi", "ns::worker::run(int)", "a method of C++ is as in the source");
	reads_as("_ZN2ns5countE", "ns::count", "and so are data");
	reads_as("_ZTV6worker", "vtable for worker", "and what the compiler makes");
	reads_as("_RNvC5crate4main", "crate::main", "a name of Rust is as in the source");
	reads_as("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write", "an older one loses its hash");
	reads_as("_Zzz", "_Zzz", "a name that only begins so is as it is");
	reads_as("_R", "_R", "and so is one that only begins");
	reads_as("i", "i", "a name is not taken for a type");
	reads_as("", "", "nothing is nothing");
	ok(symbol_demangle("_ZN2ns6worker3runEi", name, sizeof(name)) == 7 && strcmp(name, "ns::wor") == 0,
		"a long name is cut to the room");
	ok(symbol_demangle("a_long_name", name, sizeof(name)) == 7 && strcmp(name, "a_long_") == 0,
		"also one of C");
	ok(symbol_demangle("_Z1f1AIiiE1CIT2_E", name, sizeof(name)) == 7 && strcmp(name, "_Z1f1AI") == 0,
		"a symbol that is wrong at its end is as it is, also where there is no room for all of it");
	check_bomb();
	return tap_done();
}
