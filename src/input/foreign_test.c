/* SPDX-License-Identifier: MIT */
/* Files of other kinds: their first bytes name them, and no other bytes match. */
#include <stdlib.h>
#include <string.h>

#include "input/foreign.h"
#include "tests/tap.h"

enum { FRONT_BYTES = 1024 };

/* Returns the sentence about some bytes, followed by others that are not text; "" if no format matches. */
static const char *name_of(const void *bytes, size_t n_bytes, size_t at)
{
	static uint8_t front[FRONT_BYTES];

	for (size_t i = 0; i < FRONT_BYTES; i++)
		front[i] = (uint8_t)(i * 7 + 1);
	memcpy(front + at, bytes, n_bytes);
	const struct foreign *foreign = foreign_find(front, FRONT_BYTES);

	return foreign ? foreign->what : "";
}

static void test_magics(void)
{
	static const struct {
		const char *bytes;
		size_t n_bytes, at;
		const char *what;
	} rows[] = {
#define BYTES(text) text, sizeof(text) - 1, 0
		{ BYTES("PK\x03\x04"), "a zip file" },
		{ "ustar", 5, 257, "a tar file" },
		{ BYTES("7z\xbc\xaf\x27\x1c"), "a 7z file" },
		{ BYTES("\x04\x22\x4d\x18"), "an lz4 file" },
		{ BYTES("\x7f"
			"ELF"),
			"an ELF file, a program or core" },
		{ BYTES("\xd4\xc3\xb2\xa1"), "a pcap file of network packets" },
		{ BYTES("/* CTF 1.8 */"), "the metadata of a CTF trace" },
		{ BYTES("\x57\x1d\xd1\x75"), "the metadata of a CTF trace, as of LTTng" },
		{ BYTES("PERFILE2"), "a recording of perf" },
		{ BYTES("\xef\xdf\x11\x14"), "a log of AIX's trace daemon" },
		{ BYTES(";\n; Version     SEGGER SystemViewer V2.42\n;\n"),
			"a recording of SEGGER SystemView" },
		{ BYTES("\0FSP"), "a recording for Tracealyzer" },
		{ BYTES("\5\6\7\x8\x75\x76\x77\x78\xf5\xf6\xf7\xf8"), "a ring buffer for Tracealyzer" },
		{ BYTES("\x89PNG\r\n\x1a\n"), "a picture (PNG)" },
		{ BYTES(" {\n  \"a\": 1"), "JSON" },
		{ BYTES("[ { \"a\""), "JSON" },
		{ BYTES("{\"seq\":0,"), "JSON Lines, as rastrum report writes them" },
		{ BYTES("\n<!DOCTYPE html>"), "a web page" },
		{ BYTES("; Version of something else"), "" },
		{ BYTES("{ 0x54, 0x58 }"), "" },
		{ BYTES("[main] started"), "" },
#undef BYTES
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(name_of(rows[i].bytes, rows[i].n_bytes, rows[i].at), rows[i].what,
			rows[i].what[0] ? "a file of another kind has its name" : "what is none has none");
}

static void test_alike(void)
{
	uint8_t bytes[FRONT_BYTES] = { 0 };

	is_text(foreign_find(bytes, sizeof(bytes))->what, "nothing but bytes 00", "zeros are named");
	ok(!foreign_find(bytes, 8), "a few zeros are not");
	bytes[FRONT_BYTES - 1] = 1;
	ok(!foreign_find(bytes, sizeof(bytes)), "nor are zeros with something behind them");
	memset(bytes, 0xff, sizeof(bytes));
	is_text(foreign_find(bytes, sizeof(bytes))->what, "nothing but bytes ff", "erased flash is named");
}

static void test_utf16(void)
{
	static const char text[] = "\xff\xfe"
				   "0\0000\0000\0:\0 \0\r\0\n";
	static const char other[] = "\xff\xfe"
				    "0\0\1\1";

	is_text(foreign_find((const uint8_t *)text, sizeof(text))->what,
		"text in UTF-16, as PowerShell writes it", "text of two bytes a character is named");
	ok(!foreign_find((const uint8_t *)other, sizeof(other)), "a byte order mark alone is no text");
}

/* Makes frames of six bytes that add up to `sum`; the first two bytes are given. */
static size_t put_frames(uint8_t *to, unsigned n, uint8_t sum, bool is_id_first)
{
	uint8_t *at = to;

	*at++ = 0x7e;
	for (uint8_t i = 0; i < n; i++) {
		const uint8_t frame[] = { is_id_first ? 17 : i, is_id_first ? i : 17, 1, 2, 3 };
		uint8_t rest = sum;

		for (size_t k = 0; k < sizeof(frame); k++) {
			rest = (uint8_t)(rest - frame[k]);
			*at++ = frame[k];
		}
		if (rest == 0x7e || rest == 0x7d) {
			*at++ = 0x7d;
			rest ^= 0x20;
		}
		*at++ = rest;
		*at++ = 0x7e;
	}
	return (size_t)(at - to);
}

static void test_frames(void)
{
	uint8_t bytes[FRONT_BYTES];
	size_t n = put_frames(bytes, 40, 0, true);

	is_text(foreign_find(bytes, n)->what, "a stream of RKH 2.0 to 2.2", "RKH before 2.3 is named");
	for (size_t i = 4; i < n; i += 8)
		bytes[i]++;
	ok(!foreign_find(bytes, n), "frames with wrong sums are not");
	n = put_frames(bytes, 40, UINT8_MAX, false);
	is_text(foreign_find(bytes, n)->what, "a stream of QP's QS, as QSPY reads it",
		"QSPY's streams are named");
	n = put_frames(bytes, 5, UINT8_MAX, false);
	ok(!foreign_find(bytes, n), "a few frames may be chance");
	memset(bytes, 0x7d, sizeof(bytes));
	bytes[0] = bytes[FRONT_BYTES - 1] = 0x7e;
	ok(!foreign_find(bytes, sizeof(bytes)), "an escape in front of a flag is looked at no further");
}

/* If the front is cut anywhere, no byte behind the cut is read (the sanitizers check it). */
static void test_short(void)
{
	static const char *const texts[] = { "{\"traceEvents\"", ";\n; SEGGER SystemView",
		"\xff\xfe"
		"ab",
		"<html", "[ [" };
	bool is_fine = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t n = 0; n <= strlen(texts[i]); n++) {
			uint8_t *exact = malloc(n ? n : 1);

			memcpy(exact, texts[i], n);
			const struct foreign *foreign = foreign_find(exact, n);

			is_fine &= !foreign || (foreign->what[0] && foreign->advice[0]);
			free(exact);
		}
	ok(is_fine, "a front may be cut anywhere");
}

int main(void)
{
	test_magics();
	test_alike();
	test_utf16();
	test_frames();
	test_short();
	return tap_done();
}
