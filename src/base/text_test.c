/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/tap.h"

enum { ROOM = 512, GUARD = 0x5a };

/* Terminates the text that a put function wrote, because the function must not do that itself. */
static const char *ended(char *text, char *end)
{
	if (*end != GUARD)
		return "(wrote beyond its end)";
	*end = '\0';
	return text;
}

static char *fresh(char text[ROOM])
{
	memset(text, GUARD, ROOM);
	return text;
}

static void check_numbers(void)
{
	static const uint64_t numbers[] = { 0, 1, 9, 10, 99, 100, 999, 1000, 9999, 10000, 99999, 100000,
		9999999, 10000000, 99999999, 100000000, 999999999, 1000000000, UINT32_MAX, UINT64_C(1) << 32,
		9999999999, 10000000000, 9999999999999999, 10000000000000000, 9999999999999999999U,
		10000000000000000000U, UINT64_MAX };
	char text[ROOM], expected[ROOM];
	bool is_dec = true, is_hex = true, is_right = true, counts = true, is_signed = true;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t v = numbers[i];

		snprintf(expected, ROOM, "%" PRIu64, v);
		is_dec &= strcmp(ended(text, text_put_dec(fresh(text), v)), expected) == 0;
		counts &= text_dec_digits(v) == strlen(expected);
		*text_put_dec_over(fresh(text), v) = '\0';
		is_dec &= strcmp(text, expected) == 0;
		snprintf(expected, ROOM, "0x%" PRIx64, v);
		is_hex &= strcmp(ended(text, text_put_hex(fresh(text), v)), expected) == 0;
		snprintf(expected, ROOM, "%12" PRIu64, v);
		is_right &= strcmp(ended(text, text_put_dec_right(fresh(text), v, 12)), expected) == 0;
		snprintf(expected, ROOM, "%" PRId64, (int64_t)v);
		is_signed &= strcmp(ended(text, text_put_signed(fresh(text), (int64_t)v)), expected) == 0;
	}
	ok(is_dec, "decimal numbers are what printf makes of them, from 0 to 2^64 - 1");
	ok(counts, "the number of digits is known without writing them");
	ok(is_hex, "hexadecimal numbers have as many digits as they need");
	ok(is_right, "a right-aligned number fills its column, and a wider one takes what it needs");
	ok(is_signed, "signed numbers are right down to the one that has no positive twin");
	is_text(ended(text, text_put_signed(fresh(text), INT64_MIN)), "-9223372036854775808",
		"the least 64-bit number is not negated wrongly");
}

/* Tests one to sixteen digits, and each digit at each place. */
static void check_hex(void)
{
	uint8_t bytes[20];
	char text[ROOM], expected[ROOM];
	bool is_hex = true, are_bytes = true;

	for (uint64_t v = 1; v < UINT64_C(1) << 62; v = v * 3 + (v >> 7)) {
		snprintf(expected, ROOM, "0x%" PRIx64, v);
		is_hex &= strcmp(ended(text, text_put_hex(fresh(text), v)), expected) == 0;
	}
	for (unsigned v = 0; v < 16; v++) {
		snprintf(expected, ROOM, "0x%" PRIx64, v * UINT64_C(0x1111111111111111));
		is_hex &= strcmp(ended(text, text_put_hex(fresh(text), v * UINT64_C(0x1111111111111111))),
				  expected) == 0;
	}
	ok(is_hex, "hexadecimal numbers are what printf makes of them, whatever their length");
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(0x3b + 17 * i);
	for (unsigned n = 0; n <= sizeof(bytes); n++) {
		for (unsigned i = 0; i < n; i++)
			snprintf(expected + 2 * (size_t)i, 3, "%02x", bytes[i]);
		expected[2 * (size_t)n] = '\0';
		are_bytes &= strcmp(ended(text, text_put_hex_bytes(fresh(text), bytes, n)), expected) == 0;
	}
	ok(are_bytes, "bytes have two digits each, however many there are");
}

static void check_fixed_digits(void)
{
	char text[ROOM], expected[ROOM];
	bool is_nine = true;

	is_text(ended(text, text_put_digits(fresh(text), 12345, 3)), "345",
		"a fixed number of digits keeps the lowest");
	is_text(ended(text, text_put_digits(fresh(text), 7, 6)), "000007",
		"a fixed number of digits is filled with zeros");
	is_text(ended(text, text_put_digits(fresh(text), 7, 0)), "", "no digits is no text");
	for (uint32_t v = 0; v < 1000000000U; v = v * 3 + 1) {
		snprintf(expected, ROOM, "%09" PRIu32, v);
		is_nine &= strcmp(ended(text, text_put_digits(fresh(text), v, 9)), expected) == 0;
	}
	ok(is_nine, "nine digits are nine digits, whatever the value");
	is_text(ended(text, text_put_digits(fresh(text), 999999999, 9)), "999999999",
		"the largest fraction of a second");
	is_text(ended(text, text_put_seconds(fresh(text), 0)), "0.000000000", "zero seconds");
	is_text(ended(text, text_put_seconds(fresh(text), UINT64_MAX)), "18446744073.709551615",
		"584 years of nanoseconds");
}

static void check_copies(void)
{
	static const char name[32] = "a name of more than 16 bytes";
	char text[ROOM];

	is_text(ended(text, text_put_fill(fresh(text), '-', 0)), "", "filling nothing writes nothing");
	text_put_short(text, name, 28);
	ok(memcmp(text, name, 28) == 0, "a short copy of more than 16 bytes is whole");
	ok(text_put_short(text, name, 0) == text, "a short copy of nothing does not move on");
	is_text(ended(text, text_put_hex_bytes(fresh(text), (const uint8_t *)"\x00\x0f\xff", 3)), "000fff",
		"bytes in hexadecimal have two digits each");
}

static void check_escapes(void)
{
	static const struct {
		const char *bytes;
		size_t n_bytes;
		const char *json, *csv;
	} rows[] = {
		{ "", 0, "\"\"", "" },
		{ "plain", 5, "\"plain\"", "plain" },
		{ "a,b", 3, "\"a,b\"", "\"a,b\"" },
		{ "say \"hi\"", 8, "\"say \\\"hi\\\"\"", "\"say \"\"hi\"\"\"" },
		{ "c:\\", 3, "\"c:\\\\\"", "c:\\" },
		{ "\n", 1, "\"\\n\"", "\"\n\"" },
		{ "\r", 1, "\"\\r\"", "\\x0d" },
		{ "\0\x1f", 2, "\"\\u0000\\u001f\"", "\\x00\\x1f" },
		{ "a\tb", 3, "\"a\\tb\"", "a\tb" },
		{ "\x1b]0;", 4, "\"\\u001b]0;\"", "\\x1b]0;" },
		{ "\x7f\xc2\x9b", 3, "\"\\u007f\\u009b\"", "\\x7f\\xc2\\x9b" },
		{ "\xe2\x80\xae", 3, "\"\\u202e\"", "\\xe2\\x80\\xae" },
		{ "\xd8\x9c", 2, "\"\\u061c\"", "\\xd8\\x9c" },
		{ "\xff\xc3", 2, "\"\\\\xff\\\\xc3\"", "\\xff\\xc3" },
		{ "\\xff", 4, "\"\\\\xff\"", "\\xff" },
		{ "\xc3\xa9", 2, "\"\xc3\xa9\"", "\xc3\xa9" },
		{ "\"\"\"", 3, "\"\\\"\\\"\\\"\"", "\"\"\"\"\"\"\"\"" },
	};
	char text[ROOM];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *end = text_put_json(fresh(text), rows[i].bytes, rows[i].n_bytes);

		ok(end <= text + 6 * rows[i].n_bytes + 2, "JSON row %zu stays within its promise", i);
		is_text(ended(text, end), rows[i].json, "a JSON string escapes what it must and no more");
		end = text_put_csv(fresh(text), rows[i].bytes, rows[i].n_bytes);
		ok(end <= text + 4 * rows[i].n_bytes + 2, "CSV row %zu stays within its promise", i);
		is_text(ended(text, end), rows[i].csv, "a CSV field is quoted only when it must be");
	}
}

/* Each byte at each place of texts of each length up to LENGTH_MAX, with plain characters around it. */
static void check_json_places(void)
{
	enum { LENGTH_MAX = 20 };
	char bytes[LENGTH_MAX], text[ROOM], alone[ROOM];
	unsigned n_wrong = 0;

	for (unsigned byte = 0; byte < 0x100; byte++) {
		const char one = (char)byte;
		const size_t n_alone = (size_t)(text_put_json(alone, &one, 1) - alone) - 2;

		for (size_t n = 1; n <= LENGTH_MAX; n++)
			for (size_t i = 0; i < n; i++) {
				memset(bytes, 'a', n);
				bytes[i] = one;

				const char *end = text_put_json(text, bytes, n);

				n_wrong += (size_t)(end - text) != n + 1 + n_alone ||
					   memcmp(text + 1 + i, alone + 1, n_alone) != 0 || end[-1] != '"';
			}
	}
	ok(n_wrong == 0, "a JSON string has the same escapes at all places (%u wrong)", n_wrong);
}

static void check_clean(void)
{
	static const struct {
		const char *bytes, *expected, *sentence;
	} rows[] = {
		{ "", "", "nothing stays nothing" },
		{ "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80", "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
			"sequences of two, three and four bytes stay" },
		{ "\x1b[31m\t\x7f", "\\x1b[31m\\x09\\x7f", "control bytes cannot reach the terminal" },
		{ "\xc2\x9b", "\\xc2\\x9b", "the control codes above 0x7f cannot either" },
		{ "\x80", "\\x80", "a byte that only continues stands alone" },
		{ "\xc3", "\\xc3", "a sequence cut off by the end is broken" },
		{ "\xe2\x82", "\\xe2\\x82", "a sequence of three cut after two is broken" },
		{ "\xe2\x82"
		  "a",
			"\\xe2\\x82a", "the letter behind a broken sequence is kept" },
		{ "\xc0\xaf", "\\xc0\\xaf", "an overlong slash is broken" },
		{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf", "so is one of three bytes" },
		{ "\xf0\x82\x82\xac", "\\xf0\\x82\\x82\\xac", "and one of four" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "a surrogate is broken" },
		{ "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", "the last code point stays" },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "one past the last is broken" },
		{ "\xff\xfe", "\\xff\\xfe", "bytes that never occur are broken" },
	};
	uint8_t all[256];
	char text[4 * 256 + 8], *end;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].bytes);
		/* Exactly as large as the text, so that a read beyond it is detected. */
		uint8_t *bytes = malloc(n ? n : 1);

		memcpy(bytes, rows[i].bytes, n);
		is_text(ended(text, text_clean(fresh(text), bytes, n)), rows[i].expected, rows[i].sentence);
		free(bytes);
	}
	for (unsigned i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	end = text_clean(text, all, sizeof(all));
	is_number((uint64_t)(end - text), 95 + 4 * (256 - 95), "of all bytes in order only 95 can be shown");
	is_number(text_columns("\xe2\x82\xac\xc3\xa9x", 6), 3, "a column is a code point, not a byte");
	is_number(text_columns("\xe4\xbb\xbb\xe5\x8a\xa1x", 7), 5, "an ideograph takes two columns");
	is_number(text_columns("e\xcc\x81x", 4), 2, "a mark that combines takes none");
	is_number(text_columns("x\xe4\xbb", 3), 2, "what is cut is counted as what is there");
	is_number(text_columns("\033[1;33mab\033[39m", 12), 2, "colours take no columns");
	is_number(text_columns("", 0), 0, "no text takes no columns");
}

/* Reverses text_keep(): replaces each \xNN by its byte. */
static size_t restore(char *to, const char *kept)
{
	char *p = to;

	while (*kept) {
		const unsigned high = kept[0] == '\\' && kept[1] == 'x' ? text_digit(kept[2]) : TEXT_NO_DIGIT;
		const unsigned low = high == TEXT_NO_DIGIT ? TEXT_NO_DIGIT : text_digit(kept[3]);

		*p++ = (char)(low == TEXT_NO_DIGIT ? (unsigned char)*kept : 16 * high + low);
		kept += low == TEXT_NO_DIGIT ? 1 : 4;
	}
	return (size_t)(p - to);
}

static void check_keep(void)
{
	static const struct {
		const char *bytes, *kept, *json;
	} rows[] = {
		{ "C:\\temp\\x", "C:\\temp\\x", "\"C:\\\\temp\\\\x\"" },
		{ "\\x0a", "\\x5cx0a", "\"\\\\x5cx0a\"" },
		{ "\n", "\\x0a", "\"\\n\"" },
		{ "\\\\xFF", "\\\\x5cxFF", "\"\\\\\\\\x5cxFF\"" },
		{ "\xff", "\\xff", "\"\\\\xff\"" },
	};
	char text[ROOM], back[ROOM];
	uint8_t bytes[64];
	uint64_t state = 88172645463325252U;
	bool is_same = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t n = strlen(rows[i].bytes);

		is_text(ended(text, text_keep(fresh(text), (const uint8_t *)rows[i].bytes, n)), rows[i].kept,
			"a backslash that would begin an escape is one itself");
		is_text(ended(text, text_put_json_kept(fresh(text), rows[i].bytes, n)), rows[i].json,
			"so it is in JSON, which has its own escapes for control characters");
	}
	for (unsigned i = 0; i < 20000; i++) {
		static const uint8_t alphabet[] = "\\\\xx05cCaf\n\xc3\xa9\xff";

		for (size_t k = 0; k < 8; k++) {
			state = state * 6364136223846793005U + 1442695040888963407U;
			bytes[k] = alphabet[(state >> 33) % (sizeof(alphabet) - 1)];
		}
		*text_keep(text, bytes, 8) = '\0';
		is_same = is_same && restore(back, text) == 8 && memcmp(back, bytes, 8) == 0;
	}
	ok(is_same, "what is kept gives the recorded bytes back");
	is_number(text_clean_bytes((const uint8_t *)"a\nb\xff", 4), 10,
		"what cleaning writes can be counted before");
}

static void check_durations(void)
{
	static const struct {
		int64_t ns;
		const char *expected;
	} rows[] = { { 0, "0 ns" }, { 7, "7 ns" }, { 999, "999 ns" }, { 1000, "1 us" }, { 12500, "12.5 us" },
		{ 123456, "123.5 us" }, { 999949, "999.9 us" }, { 999950, "1 ms" }, { 1007145000, "1.007 s" },
		{ 60000000000, "60 s" }, { 999960000000, "1000 s" }, { 3600000000000, "3600 s" },
		{ 1234567890123, "1235 s" }, { -1500, "-1.5 us" }, { INT64_MAX, "9223372037 s" },
		{ INT64_MIN, "-9223372037 s" } };
	char text[ROOM];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *end = text_put_signed_duration(fresh(text), rows[i].ns);

		is_text(ended(text, end), rows[i].expected,
			"a span of time is in the unit that suits it, with four digits at the most");
	}
	is_text(ended(text, text_put_duration(fresh(text), UINT64_MAX)), ">18446744074 s",
		"what nanoseconds cannot count is not negative");
}

static void check_parse(void)
{
	static const struct {
		const char *text;
		bool is_number;
		uint64_t value;
	} rows[] = { { "0", true, 0 }, { "007", true, 7 }, { "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false, 0 }, { "0xffffffffffffffff", true, UINT64_MAX },
		{ "0x10000000000000000", false, 0 }, { "0XfF", true, 255 }, { "168M", true, 168000000 },
		{ "1k", true, 1000 }, { "2G", true, 2000000000 }, { "1Ki", true, 1024 },
		{ "1Mi", true, 1 << 20 }, { "1Gi", true, 1 << 30 },
		{ "18446744073709551k", true, UINT64_C(18446744073709551000) },
		{ "18446744073709552k", false, 0 }, { "", false, 0 }, { "0x", false, 0 }, { "0xg", false, 0 },
		{ "-1", false, 0 }, { "+1", false, 0 }, { " 1", false, 0 }, { "1 ", false, 0 },
		{ "1.5", false, 0 }, { "1K", false, 0 }, { "1kk", false, 0 }, { "k", false, 0 },
		{ "12a", false, 0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = 0;
		bool is_number_read = text_parse_u64(rows[i].text, &value);

		ok(is_number_read == rows[i].is_number && (!is_number_read || value == rows[i].value),
			"'%s' is %s", rows[i].text, rows[i].is_number ? "read as its number" : "no number");
	}
}

static void check_parse_hz(void)
{
	static const struct {
		const char *text;
		uint64_t hz; /* 0 if the text is no frequency */
	} rows[] = { { "168000000", 168000000 }, { "168M", 168000000 }, { "168MHz", 168000000 },
		{ "168mhz", 0 }, { "1GHz", 1000000000 }, { "1Ghz", 1000000000 }, { "32.768k", 32768 },
		{ "32.768KHZ", 32768 }, { "1e9", 1000000000 }, { "1.5E3Hz", 1500 }, { "2e-1k", 200 },
		{ "1000e-3", 1 }, { "0x10", 16 }, { "1Ki", 1024 }, { "100Hz", 100 }, { "1.000", 1 },
		{ "18446744073709551615", UINT64_MAX }, { "18446744073.709551615GHz", UINT64_MAX },
		{ "18446744073709551616", 0 }, { "1e20", 0 }, { "1e99999999999", 0 }, { "0", 0 },
		{ "0.0", 0 }, { "0e9", 0 }, { "1.5", 0 }, { "0.0001k", 0 }, { "", 0 }, { ".5k", 0 },
		{ "k", 0 }, { "Hz", 0 }, { "1e", 0 }, { "1 MHz", 0 }, { "1MM", 0 }, { "1.2.3k", 0 },
		{ "-1", 0 }, { "1Hzz", 0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t hz = 1;
		bool is_read = text_parse_hz(rows[i].text, &hz);

		ok(is_read == (rows[i].hz > 0) && (!is_read || hz == rows[i].hz), "'%s' is %s", rows[i].text,
			rows[i].hz ? "read as its frequency" : "no frequency");
	}
}

static void check_kinds(void)
{
	bool is_good = true;

	for (int c = 0; c < 256; c++) {
		const bool is_letter = c && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", c);
		const bool is_digit = c && strchr("0123456789", c);

		is_good &= text_is_letter((char)c) == is_letter && text_is_digit((char)c) == is_digit &&
			   text_is_of_name((char)c) == (is_letter || is_digit || c == '_');
	}
	ok(is_good, "letters and digits are those of ASCII");
}

static void check_file_names(void)
{
	ok(strcmp(text_file_name("a/b.trx"), "b.trx") == 0 && strcmp(text_file_name("b.trx"), "b.trx") == 0 &&
			strcmp(text_file_name("/"), "/") == 0 && strcmp(text_file_name("a/"), "a/") == 0,
		"a file's name is behind the last slash, or the whole path");
}

int main(void)
{
	check_kinds();
	check_file_names();
	check_numbers();
	check_hex();
	check_fixed_digits();
	check_copies();
	check_escapes();
	check_json_places();
	check_clean();
	check_keep();
	check_durations();
	check_parse();
	check_parse_hz();
	return tap_done();
}
