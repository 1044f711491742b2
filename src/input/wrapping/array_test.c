/* SPDX-License-Identifier: MIT */
/* Arrays as C and gdb write them. */
#include "input/wrapping/wrapping_test.h"

#define LETTERS	 "0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48"
#define DECLARED "unsigned char dump_trx[] = {\n  " LETTERS "\n};\n"
#define WORDS	 "0x44434241, 0x48474645, 0x4c4b4a49, 0x504f4e4d, 0x44434241, 0x48474645, 0x4c4b4a49, 0x41"

static void expect(
	const char *text, const char *expected, const char *wrapping, uint64_t n_faults, const char *sentence)
{
	check_text(text, expected, strlen(expected), wrapping, n_faults, sentence);
}

static void test_kinds(void)
{
	static const char words[] = "ABCDEFGHIJKLMNOPABCDEFGHIJKLA\0\0";

	expect(DECLARED "unsigned int dump_trx_len = 8;\n", "ABCDEFGH", "C array", 0,
		"what xxd -i writes gives its bytes");
	expect("static const uint8_t PROGMEM x[2][4] =\n{\n\t{ 65,66,67,68 }, /* 0004 */ { 0x45u, 0X46, 71, "
	       "72 } // }\n};",
		"ABCDEFGH", "C array", 0, "decimal numbers, nested braces, suffixes and comments are fine");
	check_text("ULONG x[8] = { " WORDS " };", words, 32, "C array of little-endian words", 0,
		"numbers of more digits are words, and a short one among them, too");
	check_text("const uint16_t x[] = { 0x41, 0x42, 0x4443, 1, 2, 3, 4, 5 };",
		"A\0B\0CD\1\0\2\0\3\0\4\0\5\0", 16, "C array of little-endian words", 0,
		"the declared type is how wide they are");
	check_text("signed char x[] = { -1, -128, 127, 0, 1, 2, 3, 4 };", "\xff\x80\x7f\0\1\2\3\4", 8,
		"C array", 0, "numbers may be negative");
	expect("(gdb) p/x buffer\n$1 = {0x41, 0x42 <repeats 4 times>, " LETTERS "}\n(gdb) ", "ABBBBABCDEFGH",
		"C array", 0, "what gdb prints gives its bytes, with repeats");
	expect(DECLARED "unsigned int dump_trx_len = 8;\n" DECLARED, "ABCDEFGHABCDEFGH", "C array", 0,
		"arrays are joined");
}

static unsigned score_letter(const void *context, const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	(void)context;
	return is_whole && n_bytes == 32 && bytes[0] == 'D' ? 50 : 0;
}

static void test_order(void)
{
	const struct source_judge judge = { .score = score_letter };
	const char *text = "unsigned long x[] = { " WORDS " };";
	struct source *source;
	struct taken taken;

	source_open_bytes(&source, text, strlen(text), "test", NULL);
	source_set_judge(source, &judge);
	take_items(source, &taken, NULL);
	ok(taken.n_bytes == 32 && memcmp(taken.bytes, "DCBAHGFE", 8) == 0,
		"words are taken in the order in which a trace is recognised");
	is_text(source_about(source).wrappings, "C array of big-endian words", "and their name shows it");
	source_free(source);
}

static void test_damage(void)
{
	expect(DECLARED "unsigned int dump_trx_len = 9;\n", "ABCDEFGH", "C array", 1,
		"a length that is another is a fault");
	expect("char x[] = {\n  " LETTERS ",\n 0x4", "ABCDEFGH", "C array", 1,
		"an array that is cut is a fault, and its last number, which may be cut, is left out");
	check_text("char x[] = {\n" LETTERS ",\n0x4Q, 0x4A\n};", "ABCDEFGH\0J", 10, "C array", 1,
		"what is no number is a fault, and costs its byte only");
	expect("char x[] = {\n" LETTERS ",\n0x149, 0x4A\n};", "ABCDEFGHIJ", "C array", 1,
		"so is a number that is too large");
	expect("char x[] = {\n" LETTERS ",\n0x49 % 0x4A\n};", "ABCDEFGHIJ", "C array", 1,
		"so is a character that belongs to no list");
	expect("$1 = {" LETTERS ", 0x49...}\n", "ABCDEFGHI", "C array", 1, "so is what gdb leaves out");
	expect("$1 = {" LETTERS ", 0x49 <repeats 99999999999 times>}\n", "ABCDEFGHI", "C array", 1,
		"so is an element that is repeated beyond any memory");
	const char *cut = DECLARED "unsigned int dump_trx_len = 9;\n";

	check_fault(cut, strlen(cut), strlen(cut) - 2, "line 4: the array should have 9 bytes, and has 8",
		"a fault names the line");
}

static void check_refused(const char *text, const char *sentence)
{
	expect(text, text, "", 0, sentence);
}

static void test_refused(void)
{
	check_refused("char x[] = { 0x41, 0x42, 0x43 };", "fewer than eight numbers are no dump");
	check_refused("if (x[0] == 1) { 1, 2, 3, 4, 5, 6, 7, 8 }", "braces without = are no array");
	check_refused("x = { 1, 2, 3, 4, 5, 6, 7, 8 }", "nor are braces behind a name that is no array's");
	check_refused("char *x[] = { \"one\", \"two\", \"three\", \"four\", \"five\", \"six\", \"seven\", "
		      "\"eight\" };",
		"a list of texts is no dump");
}

int main(void)
{
	test_kinds();
	test_order();
	test_damage();
	test_refused();
	return tap_done();
}
