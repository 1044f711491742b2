/* SPDX-License-Identifier: MIT */
#include "template/language/codes.h"

#include <stdio.h>
#include <string.h>

#include "template/language/macros.h"
#include "tests/tap.h"

static const char *read_code(const char *text)
{
	static char put[16];
	struct code code;

	switch (code_parse(text, strlen(text), &code)) {
	case CODE_NONE:
		return "text";
	case CODE_BAD_WIDTH:
		return code_fault(&code);
	case CODE_GOOD:
		break;
	}
	return code_put(put, &code);
}

static void check_shapes(void)
{
	static const char *const codes[] = { "A0", "A1", "A65535", "A8.16", "A0.4", "S1", "S2", "S4", "S8",
		"SW", "B1", "B0.5", "B2.3", "B8", "B0.64", "X0", "X1", "X16", "XW", "D1", "D8", "DW", "U3",
		"UW", "o1", "o8", "oW", "F4", "F8", "T4", "T8", "TW", "E1", "E8", "EW", "P4", "P8", "PW",
		"HB", "HT", "G0", "G8.12", "O2.0", "O0.12", "OW", "R0", "R99", "RW", "W0", "W5" };
	static const char *const texts[] = { "", "X", "XX", "X4X", "X0X1", "X-1", "W", "AW", "BW", "GW", "WW",
		"FW", "HD", "HL", "HX", "C4", "H1", "L4", "Z1", "x4", "d4", "a4", "O", "X4.", "X.4", "A.B",
		"X1.2.3", "XW1" };

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		ok(strcmp(read_code(codes[i]), codes[i]) == 0, "%s is a code, and is written again as %s",
			codes[i], codes[i]);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ok(strcmp(read_code(texts[i]), "text") == 0, "'%s' has not the shape of a code", texts[i]);
	is_text(read_code("X04"), "X4", "zeros in front of a size mean nothing");
}

static void check_sizes(void)
{
	static const struct {
		const char *text, *fault;
	} bad[] = {
		{ "X17", "is too wide" },
		{ "D9", "is too wide" },
		{ "D0", "is no size of it" },
		{ "F5", "is no size of it" },
		{ "F16", "is too wide" },
		{ "T3", "is no size of it" },
		{ "S3", "is no size of it" },
		{ "S0", "is no size of it" },
		{ "B0", "is no size of it" },
		{ "B9", "is too wide" },
		{ "B8.1", "is too wide" },
		{ "A65536", "is too wide" },
		{ "G1.65536", "is too wide" },
		{ "X4.2", "has a dot" },
		{ "R1.1", "has a dot" },
		{ "X99999999999999999999999999", "is too wide" },
		{ "X4294967300", "is too wide" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(strcmp(read_code(bad[i].text), bad[i].fault) == 0, "%s %s", bad[i].text, bad[i].fault);
}

static void check_tight(void)
{
	struct code code;

	ok(code_parse("A0", 2, &code) == CODE_GOOD && code.letter == CODE_ASCII_TIGHT && code.n_bytes == 1,
		"A0 is one character that no blank follows");
	ok(code_parse("A0.4", 4, &code) == CODE_GOOD && code.letter == CODE_SPACING && code.part == 4,
		"A0.4 is four blanks");
	ok(code_parse("X0", 2, &code) == CODE_GOOD && code.letter == CODE_HEX_TIGHT && code.n_bytes == 1,
		"X0 is one byte that no blank follows");
	ok(code_parse("XW", 2, &code) == CODE_GOOD && code_bytes(&code, 8) == 8 && code_bytes(&code, 4) == 4,
		"XW takes the entry's word");
}

static void check_casts(void)
{
	static const struct {
		const char *text, *code;
		size_t used;
	} casts[] = {
		{ "D4", "D4", 2 },
		{ "D4ms", "D4", 2 },
		{ "X8.", "X8", 2 },
		{ "W", "XW", 1 },
		{ "W8", "X2", 2 },
		{ "O4", "o4", 2 },
		{ "OW", "oW", 2 },
		{ "o2", "o2", 2 },
		{ "T4", "X2", 2 },
		{ "HB", "X2", 2 },
		{ "A8.16", "X2", 5 },
		{ "B2.3", "B2.3", 4 },
		{ "XWx", "XW", 2 },
		{ "ns", "ns", 2 },
		{ "us)", "us", 2 },
		{ "ms", "ms", 2 },
	};
	static const char *const bad[] = { "X17", "O9", "T3", "D4.2", "O4.3", "B0" };
	static const char *const none[] = { "", "d4", "s", "X", "%", "4", " X4", "HD", "n", "nsx", "us2" };
	char put[16];
	struct code code;
	size_t used;

	for (size_t i = 0; i < sizeof(casts) / sizeof(*casts); i++)
		ok(code_parse_cast(casts[i].text, strlen(casts[i].text), &code, &used) == CODE_GOOD &&
				used == casts[i].used && strcmp(code_put(put, &code), casts[i].code) == 0,
			"%%%s is a cast to %s", casts[i].text, casts[i].code);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(code_parse_cast(bad[i], strlen(bad[i]), &code, &used) == CODE_BAD_WIDTH &&
				used == strlen(bad[i]),
			"%%%s is a cast of a bad width", bad[i]);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		ok(code_parse_cast(none[i], strlen(none[i]), &code, &used) == CODE_NONE, "%%%s is no cast",
			none[i]);
}

static void check_rows(void)
{
	bool is_whole = true;

	for (size_t i = 0; i < N_CODES; i++)
		is_whole &= code_rows[i].letter && code_rows[i].takes;
	ok(is_whole, "every code has its row");
	ok(code_rows[CODE_HEX].base == 16 && code_rows[CODE_BITS].base == 2 &&
			code_rows[CODE_OCTAL].base == 8 && code_rows[CODE_ERRNO].base == 10 &&
			code_rows[CODE_TIME].base == 0,
		"match values are read in the base in which a code prints (D12)");
}

static void check_macros(void)
{
	bool is_sorted = true, is_found = true;
	const struct macro_row *row;

	for (row = macro_rows; row->name; row++) {
		is_sorted &= row == macro_rows || strcmp(row[-1].name, row->name) < 0;
		is_found &= macro_find(row->name, strlen(row->name)) == row;
	}
	ok(is_sorted && is_found, "built-in macros are in order, and each is found by its name");
	is_number((unsigned long long)(row - macro_rows), 57, "there are 57 of them");
	ok(!macro_find("", 0) && !macro_find("D", 1) && !macro_find("D12", 3) && !macro_find("pid", 3) &&
			!macro_find("ZZ", 2),
		"other names are not built in");
	ok(macro_find("D12", 2) == macro_find("D1", 2), "a name ends where its length says");
	ok(macro_base(macro_find("HD", 2)) == 16 && macro_base(macro_find("PID", 3)) == 10 &&
			macro_base(macro_find("SVC", 3)) == 0,
		"a macro is matched in the base in which it prints, or as text");
	ok(macro_find("DATAPOINTER", 11)->is_assignable && macro_find("BASEPOINTER", 11)->is_assignable &&
			!macro_find("HD", 2)->is_assignable,
		"only the two pointers can be assigned to");
}

int main(void)
{
	check_shapes();
	check_sizes();
	check_tight();
	check_casts();
	check_rows();
	check_macros();
	return tap_done();
}
