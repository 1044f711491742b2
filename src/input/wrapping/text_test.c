/* SPDX-License-Identifier: MIT */
/* Wrappings that are text: Intel HEX, S-records, plain hexadecimal digits. */
#include "input/wrapping/wrapping_test.h"

static void test_ihex(void)
{
	check_text(HEX_1ST, "ABCDEFGH", 8, "Intel HEX", 0, "Intel HEX gives its data");
	check_text(":0400000041424344f2\r\n\r\n:0400040045464748de\r\n:00000001ff", "ABCDEFGH", 8,
		"Intel HEX", 0, "CR LF, small digits, blank lines and a missing last line end are fine");
	check_text(":0400000041424344F2\r:00000001FF\r", "ABCD", 4, "Intel HEX", 0, "CR alone ends a line");
	check_text(":020000040800F2\n" HEX_ONE ":0400000508000000EF\n" HEX_END "\x1a", "ABCD", 4, "Intel HEX",
		0, "records that say addresses are skipped, and padding behind the end is nothing");
	check_text(HEX_ONE ":0400040045464748DF\n" HEX_END, "ABCDEFGH", 8, "Intel HEX", 1,
		"a record with a wrong checksum is a fault and its data is given");
	check_text(HEX_ONE ":04000400454647\n" HEX_ONE HEX_END, "ABCDABCD", 8, "Intel HEX", 1,
		"a cut record is a fault and is left out");
	check_text(HEX_ONE ":040004004546474GDE\n" HEX_ONE HEX_END, "ABCDABCD", 8, "Intel HEX", 1,
		"a record with a bad digit is a fault and is left out");
	check_text(HEX_ONE ":00000001FE\n" HEX_ONE HEX_END, "ABCDABCD", 8, "Intel HEX", 1,
		"a damaged end record does not hide what follows");
	check_text(
		HEX_ONE HEX_END HEX_ONE, "ABCD", 4, "Intel HEX", 1, "what follows the end record is a fault");
	check_text(HEX_ONE, "ABCD", 4, "Intel HEX", 1, "a missing end record is a fault");
	check_text(":0400zz0041424344F2\n" HEX_ONE HEX_END, "ABCD", 4, "Intel HEX", 1,
		"a first record that is damaged does not hide the format");
	check_text(":-) 0000000000000000\n", ":-) 0000000000000000\n", 21, "", 0,
		"a colon alone makes no Intel HEX");
	const char *wrong = "\r\n" HEX_ONE "\r\n:0400040045464748DF\n" HEX_END;

	check_fault(wrong, strlen(wrong), 24, "line 4: checksum is DF, the digits give DE",
		"a fault names line, checksum and the offset of the line");
	const char *bad = HEX_ONE ":040004004x464748DE\n" HEX_END;

	check_fault(
		bad, strlen(bad), 20, "line 2: column 11 (0x78)", "a fault names the column of a bad digit");
}

/* Lost records, and the records behind them. */
static void test_holes(void)
{
	check_text(HEX_ONE HEX_3RD HEX_END, "ABCD\0\0\0\0IJKL", 12, "Intel HEX", 1,
		"a line that is missing is a fault, and what follows keeps its place");
	check_text(HEX_ONE ":040004004546474GDE\n" HEX_3RD HEX_END, "ABCD\0\0\0\0IJKL", 12, "Intel HEX", 1,
		"zeros stand for a record left out, which is one fault only");
	check_text(HEX_ONE ":04000400454647\n:0400080049", "ABCD", 4, "Intel HEX", 3,
		"records left out at the end have no zeros behind them");
	check_text(HEX_ONE ":0100040x45DE\n" HEX_3RD HEX_END, "ABCD\0\0\0\0IJKL", 12, "Intel HEX", 2,
		"a hole larger than the record left out is a fault of its own");
	check_text(HEX_ONE ":0400040145464748DE\n" HEX_3RD HEX_END, "ABCD\0\0\0\0IJKL", 12, "Intel HEX", 1,
		"a record whose type was damaged leaves a hole, which is one fault only");
	check_text(HEX_ONE ":0400x40045464748DE\n" HEX_3RD_WRONG HEX_END, "ABCD\0\0\0\0IJKL", 12, "Intel HEX",
		2, "an address that shows what is missing is trusted in spite of a wrong checksum");
	check_text(HEX_ONE ":0400140045464748DE\n" HEX_3RD HEX_END, "ABCDEFGHIJKL", 12, "Intel HEX", 1,
		"an address in a record with a wrong checksum makes no hole");
	check_text(HEX_ONE HEX_3RD_WRONG ":04000C004D4E4F50B6\n" HEX_END, "ABCDIJKL\0\0\0\0MNOP", 16,
		"Intel HEX", 2, "a hole before a record with a wrong checksum does not move what follows it");
	check_text(HEX_ONE ":0410050045464748CD\n" HEX_END, "ABCDEFGH", 8, "Intel HEX", 0,
		"over 4096 bytes ahead is another section, which joins the one before");
	check_text(HEX_3RD HEX_ONE HEX_END, "IJKLABCD", 8, "Intel HEX", 0,
		"what goes back is another section, which joins the one before");
	check_text(":02000004FFFFFC\n:04FFFC0041424344F7\n:020000040000FA\n:0400040045464748DE\n" HEX_END,
		"ABCD\0\0\0\0EFGH", 12, "Intel HEX", 1, "addresses may run over the end of 32 bits");
	check_text(":020000040001F9\n:04FFFC0041424344F7\n:020000040002F8\n:0400000045464748E2\n" HEX_END,
		"ABCDEFGH", 8, "Intel HEX", 0, "linear addresses go on over 64 KiB");
	check_text(":020000021000EC\n:0400100041424344E2\n:020000021001EB\n:0400080045464748DA\n" HEX_END,
		"ABCD\0\0\0\0EFGH", 12, "Intel HEX", 1, "segments overlap by 16 bytes");
	check_text(SREC_ONE "S3090000000849"
			    "4A4B4CC4\n" SREC_END,
		"ABCD\0\0\0\0IJKL", 12, "S-records", 1, "S-records of any width show that a line is missing");
	check_text("S20810000041424344DD\n"
		   "S1070000454647"
		   "48DE\n" SREC_END,
		"ABCDEFGH", 8, "S-records", 0, "the third byte of an S2 address counts");
	const char *hole = HEX_ONE "\n" HEX_3RD HEX_END;

	check_fault(hole, strlen(hole), strlen(HEX_ONE) + 1,
		"line 3: 4 bytes are missing here: address 0x8 follows 0x4",
		"a fault names what is missing and where");
}

/* A hole that does not fit into the rest of a chunk. */
static void test_long_holes(void)
{
	struct blob text = { NULL, 0 };
	char line[32];
	bool is_right = true;

	for (unsigned i = 0; i < 40; i++) {
		const unsigned at = i * 4097 % 65536, sum = 1 + (at >> 8) + at + 'A';

		if (at < 4097)
			snprintf(line, sizeof(line), ":02000004%04X%02X\n", i * 4097 / 65536,
				-(6 + i * 4097 / 65536) & 0xff);
		blob_add(&text, line, at < 4097 ? strlen(line) : 0);
		snprintf(line, sizeof(line), ":01%04X0041%02X\n", at, -sum & 0xff);
		blob_add(&text, line, strlen(line));
	}
	struct outcome got = take_whole(text.bytes, text.n_bytes);

	for (size_t i = 0; i < got.n_bytes; i++)
		is_right &= got.bytes[i] == (i % 4097 ? 0 : 'A');
	ok(is_right && got.n_bytes == 39 * 4097 + 1 && got.n_faults == 39 + 1,
		"holes of 4096 bytes are filled over the ends of chunks");
	free(got.bytes);
	free(text.bytes);
}

static void test_srec(void)
{
	check_text("S0030000FC\n" SREC_ONE
		   "S20800000445464748D9\nS30900000008494A4B4CC4\nS5030003F9\n" SREC_END,
		"ABCDEFGHIJKL", 12, "S-records", 0, "S1, S2 and S3 give their data, S0 and S5 none");
	check_text("S107000041424344ee\r\nS804000000FB", "ABCD", 4, "S-records", 0,
		"small digits, CR LF and S8 as the end are fine");
	check_text(SREC_ONE "S107000041424345EE\n" SREC_END, "ABCDABCE", 8, "S-records", 1,
		"an S-record with a wrong checksum is a fault and its data is given");
	check_text(SREC_ONE "S1070000414243\n" SREC_END, "ABCD", 4, "S-records", 1,
		"a cut S-record is a fault and is left out");
	check_text(SREC_ONE "S10100FE\nS101FE\nSx\n" SREC_END, "ABCD", 4, "S-records", 3,
		"S-records too short for what they say are left out, each a fault");
	check_text("S1 is a street\n", "S1 is a street\n", 15, "", 0, "an S alone makes no S-records");
}

static void test_hex(void)
{
	check_text(PLAIN, "ABCDEFGH", 8, "ASCII hex", 0, "plain hexadecimal text gives its bytes");
	check_text("41 42 43 44\r\n 4546 4748\r\n\n4a 4B", "ABCDEFGHJK", 10, "ASCII hex", 0,
		"white space between digits means nothing");
	check_text("4142434445464748 4", "ABCDEFGH", 8, "ASCII hex", 1, "half a byte at the end is a fault");
	check_text("41424344454647", "41424344454647", 14, "", 0, "fewer than 16 digits are no dump");
	check_text("4142434445464748 hello", "4142434445464748 hello", 22, "", 0,
		"a text with words is no dump");
	struct blob text = { NULL, 0 };

	for (unsigned i = 0; i < SOURCE_CHUNK_BYTES / 16; i++)
		blob_add(&text, "41424344454647\r\n", 16);
	blob_add(&text, "414x\n4344\n", 10);
	struct outcome got = take_whole(text.bytes, text.n_bytes);

	ok(got.n_bytes == SOURCE_CHUNK_BYTES / 16 * 7 + 4 && !memcmp(got.bytes + got.n_bytes - 4, "A\0CD", 4),
		"a bad digit behind the front becomes 00 and moves nothing");
	free(got.bytes);
	check_fault(text.bytes, text.n_bytes, SOURCE_CHUNK_BYTES + 3, "line 4097: column 4 ",
		"the fault names the line and column of the bad digit");
	free(text.bytes);
}

static void check_refused(const char *text, const char *sentence)
{
	check_text(text, text, strlen(text), "", 0, sentence);
}

static void test_hex_lists(void)
{
	check_text(
		"\xef\xbb\xbf" PLAIN, "ABCDEFGH", 8, "ASCII hex", 0, "a byte order mark in front is skipped");
	check_text("\xef\xbb\xbf"
		   "0x41, 0x42, 0x43,\r\n0x44,0X45 ,0x46 0x47,\t0x48,\n",
		"ABCDEFGH", 8, "ASCII hex", 0, "a list as in a C array gives its bytes");
	check_text("0x41424344, 0x45464748", "ABCDEFGH", 8, "ASCII hex", 0,
		"a list of words gives its bytes in the order written");
	check_text("41,42,43,44,4546,4748", "ABCDEFGH", 8, "ASCII hex", 0, "commas alone make a list");
	check_text("0x4142434445464748, 0x0,0x8,0xA\n", "ABCDEFGH\0\x08\n", 11, "ASCII hex", 0,
		"a single digit behind 0x is a byte");
	check_text("0x41,0x42,0x43,0x44,0x45,0x46,0x47,0x48,0x", "ABCDEFGH", 8, "ASCII hex", 1,
		"a list cut behind 0x is a fault");
	check_refused("0x41,0x42,0x43,0x44,0x45,0x46,0x47,0x48,73,", "0x before some bytes only is no dump");
	check_refused("{0x41,0x42,0x43,0x44,0x45,0x46,0x47,0x48}", "a list with braces is no dump");
	check_refused("0x41,0x42,0x43,0x44,0x45,0x46,0x47,0x,0x48", "0x without a digit is no dump");
	check_refused("0x414,0x424,0x434,0x444,0x454,0x464", "bytes and a half are no dump");
	check_refused("1234,567,8901,2345,6789", "numbers with commas are no dump");
	check_refused("1234,5678,,9012,3456,7890", "an empty place between commas is no dump");
	check_refused("41 42 43 44 45 46 47 0x48 49\n", "0x behind bytes without is no dump");
	check_refused("\xef\xbb" PLAIN, "half a byte order mark is no dump");
}

/* Damage behind the front of a list. */
static void test_hex_list_damage(void)
{
	const char *const tails[] = { "0x4Z,0x48\n", "Ox47,0x48\n", "0,0x48\n", "0x,0x48\n",
		",0x4748,0x4,\n" };
	const char expected[][3] = { { 0, 'H' }, { 0, 'H' }, { 0, 'H' }, { 0, 'H' }, "GH\4" };
	const size_t n_expected[] = { 2, 2, 2, 2, 3 };

	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		struct blob text = { NULL, 0 };

		for (unsigned n = 0; n < SOURCE_CHUNK_BYTES / 4; n++)
			blob_add(&text, "0x46,", 5);
		blob_add(&text, tails[i], strlen(tails[i]));
		struct outcome got = take_whole(text.bytes, text.n_bytes);
		const size_t n = SOURCE_CHUNK_BYTES / 4;

		ok(got.n_bytes == n + n_expected[i] && !memcmp(got.bytes + n, expected[i], n_expected[i]) &&
				got.n_faults == (i < 4),
			"damage in a list moves nothing (%zu)", i + 1);
		free(got.bytes);
		free(text.bytes);
	}
}

int main(void)
{
	test_ihex();
	test_holes();
	test_long_holes();
	test_srec();
	test_hex();
	test_hex_lists();
	test_hex_list_damage();
	return tap_done();
}
