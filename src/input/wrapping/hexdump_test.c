/* SPDX-License-Identifier: MIT */
/* Memory as tools print it: every kind, words in both orders, and damaged or missing parts. */
#include "input/wrapping/wrapping_test.h"

/* "ABCDEFGHIJKLMNOP" in two rows, as each tool prints it. */
#define LETTERS "ABCDEFGHIJKLMNOP"
#define GDB_1	"0x20001000 <trace_buffer>:\t0x41\t0x42\t0x43\t0x44\t0x45\t0x46\t0x47\t0x48\n"
#define GDB_2	"0x20001008 <trace_buffer+8>:\t0x49\t0x4a\t0x4b\t0x4c\t0x4d\t0x4e\t0x4f\t0x50\n"
#define XXD_1	"00000000: 4142 4344 4546 4748  ABCDEFGH\n"
#define XXD_2	"00000008: 494a 4b4c 4d4e 4f50  IJKLMNOP\n"
#define XXD_3	"00000010: 5152 5354 5556 5758  QRSTUVWX\n"
#define XXD_4	"00000018: 595a 6162 6364 6566  YZabcdef\n"
#define XXD_5	"00000020: 6768 696a 6b6c 6d6e  ghijklmn\n"
#define ALL_40	LETTERS "QRSTUVWXYZabcdefghijklmn"

static void expect(
	const char *text, const char *expected, const char *wrapping, uint64_t n_faults, const char *sentence)
{
	check_text(text, expected, strlen(expected), wrapping, n_faults, sentence);
}

static void test_kinds(void)
{
	static const struct {
		const char *wrapping, *text;
	} rows[] = {
		{ "gdb-style dump", GDB_1 GDB_2 },
		{ "gdb-style dump of little-endian words",
			"0x20001000:\t0x44434241\t0x48474645\n0x20001008 <a::operator<(b, "
			"c<d>)+4>:\t0x4c4b4a49\t0x504f4e4d\n" },
		{ "gdb-style dump of little-endian words",
			"0x7fffffffe3a0:\t0x4847464544434241\t0x504f4e4d4c4b4a49\n" },
		{ "lldb-style dump", "0x2000: 41 42 43 44 45 46 47 48  ABCDEFGH\n0x2008: 49 4a 4b 4c 4d 4e "
				     "4f 50  IJKLMNOP\n" },
		{ "OpenOCD-style dump of little-endian words",
			"0x20001000: 44434241 48474645 \n0x20001008: 4c4b4a49 504f4e4d \n" },
		{ "OpenOCD-style dump of little-endian words",
			"0x2000 : 4241 4443 4645 4847\n0x2008 : 4A49 4C4B 4E4D 504F\n" },
		{ "OpenOCD-style dump",
			"0x2000: 41 42 43 44 45 46 47 48 \n0x2008: 49 4a 4b 4c 4d 4e 4f 50 \n" },
		{ "J-Link-style dump of little-endian words",
			"20001000 = 44434241 48474645 4C4B4A49 504F4E4D \n" },
		{ "J-Link-style dump", "20001000 = 41 42 43 44 45 46 47 48  ABCDEFGH\n20001008 = 49 4A 4B 4C "
				       "4D 4E 4F 50  IJKLMNOP\n" },
		{ "xxd-style dump", XXD_1 XXD_2 },
		{ "xxd-style dump", "00000000: 4142434445464748494a4b4c4d4e4f50  ABCDEFGHIJKLMNOP\n" },
		{ "xxd-style dump", "00000000: 41 42 43 44 45 46 47 48 49 4a 4b 4c  ABCDEFGHIJKL\n"
				    "00000012: 4d 4e 4f 50                          MNOP\n" },
		{ "xxd-style dump of little-endian words",
			"00000000: 44434241 48474645 4c4b4a49   ABCDEFGHIJKL\n0000000c: 504f4e4d             "
			"        MNOP\n" },
		{ "hexdump-style dump", "00000000  41 42 43 44  45 46 47 48  |ABCDEFGH|\n"
					"00000008  49 4a 4b 4c  4d 4e 4f 50  |IJKLMNOP|\n00000010\n" },
		{ "hexdump-style dump", "000000 41 42 43 44 45 46 47 48  >ABCDEFGH<\n000008 49 4a 4b 4c 4d "
					"4e 4f 50  >IJKLMNOP<\n000010\n" },
		{ "od-style dump",
			"0000000 41 42 43 44 45 46 47 48\n0000010 49 4a 4b 4c 4d 4e 4f 50\n0000020\n" },
		{ "od-style dump", "0000000 101 102 103 104 105 106 107 110\n0000010 111 112 113 114 115 116 "
				   "117 120\n0000020\n" },
		{ "od-style dump of little-endian words",
			"0000000 4241 4443 4645 4847\n0000008 4a49 4c4b 4e4d 504f\n0000016\n" },
		{ "od-style dump of little-endian words", "0000000 041101 042103 043105 044107\n0000010 "
							  "045111 046113 047115 050117\n0000020\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(rows[i].text, LETTERS, rows[i].wrapping, 0, rows[i].wrapping);
}

/* Rows with text that shows the order of bytes, and rows without. */
static void test_order(void)
{
	expect("00000000: 41424344 45464748  ABCDEFGH\n00000008: 494a4b4c 4d4e4f50  IJKLMNOP\n", LETTERS,
		"xxd-style dump", 0, "text behind the words shows that they are in the order of memory");
	expect("00000000: 44434241 48474645  ABCDEFGH\n00000008: 4c4b4a49 504f4e4d  IJKLMNOP\n", LETTERS,
		"xxd-style dump of little-endian words", 0, "or that they are not");
	expect("00000000: 20202041 20202020  A       \n00000008: 2e202020 4b2e2020     .  .K\n",
		"A          .  .K", "xxd-style dump of little-endian words", 0,
		"also where text begins with blanks, ends with some, and has dots");
	expect("00000000: 41424344 45464748\n00000008: 494a4b4c 4d4e4f50\n", LETTERS, "xxd-style dump", 0,
		"without text groups of xxd are in the order of memory");
	expect("0x2000: 41424344 45464748\n0x2008: 494a4b4c 4d4e4f50\n", "DCBAHGFELKJIPONM",
		"OpenOCD-style dump of little-endian words", 0, "and words of a debugger little-endian");
}

static unsigned score_letters(const void *context, const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	const char *letters = context;

	return is_whole && n_bytes == strlen(letters) && memcmp(bytes, letters, n_bytes) == 0 ? 90 : 0;
}

static void check_judged(const char *text, const char *letters, const char *wrapping, const char *sentence)
{
	const struct source_judge judge = { .score = score_letters, .context = letters };
	struct source *source;
	struct taken taken;

	source_open_bytes(&source, text, strlen(text), "test", NULL);
	source_set_judge(source, &judge);
	take_items(source, &taken, NULL);
	ok(taken.n_bytes == strlen(letters) && memcmp(taken.bytes, letters, taken.n_bytes) == 0 &&
			strcmp(source_about(source).wrappings, wrapping) == 0,
		"%s", sentence);
	source_free(source);
}

static void test_judge(void)
{
	const char *words = "0x2000: 41424344 45464748\n0x2008: 494a4b4c 4d4e4f50\n";

	check_judged(words, LETTERS, "OpenOCD-style dump of big-endian words",
		"words are taken in the order in which a trace is recognised");
	check_judged(
		words, "DCBAHGFELKJIPONM", "OpenOCD-style dump of little-endian words", "whichever it is");
	expect("0x2000: 1f8b0800 00000000 02037374\n0x200c: 72760100 a52017db 04000000\n", "ABCD",
		"OpenOCD-style dump of big-endian words, gzip", 0, "or in which something else is unpacked");
}

static void test_repeats(void)
{
	expect("00000000  41 42 43 44 45 46 47 48  |ABCDEFGH|\n*\n00000018  49 4a 4b 4c  |IJKL|\n0000001c\n",
		"ABCDEFGHABCDEFGHABCDEFGHIJKL", "hexdump-style dump", 0,
		"\"*\" stands for rows like the one before");
	expect("0000000 41 42 43 44 45 46 47 48\n0000010 41 41 41 41 41 41 41 41\n*\n0000040\n",
		"ABCDEFGHAAAAAAAAAAAAAAAAAAAAAAAA", "od-style dump", 0, "also up to the end");
	expect("0000000 4241 4443 4645 4847\n0000010 4a49 004b\n0000013\n", "ABCDEFGHIJK",
		"od-style dump of little-endian words", 0,
		"a last word that was filled up is cut to what there was");
	expect(XXD_1 XXD_2 "*\n", LETTERS, "xxd-style dump", 1,
		"\"*\" without an address behind it is a fault");
	expect(XXD_1 XXD_2 "*\n00000004: 4142 4344            ABCD\n", LETTERS "ABCD", "xxd-style dump", 1,
		"so is one with an address that lies before it");
	const char *huge =
		"00000000: 4142 4344 4546 4748  ABCDEFGH\n00000008: 494a 4b4c 4d4e 4f50  IJKLMNOP\n*\n"
		"f000000000000000: 4142                 AB\n";

	check_fault(huge, strlen(huge), strlen(XXD_1) + strlen(XXD_2) + 2,
		"line 4: how many rows \"*\" stands for is not known",
		"and one that stands for more than any memory");
}

/* Missing rows, and the rows behind them. */
static void test_holes(void)
{
	static const char with_hole[] = "ABCDEFGH\0\0\0\0\0\0\0\0QRSTUVWXYZabcdef";
	const char *hole = XXD_1 XXD_3;

	check_text(XXD_1 XXD_2 XXD_4 XXD_5, "ABCDEFGHIJKLMNOP\0\0\0\0\0\0\0\0YZabcdefghijklmn", 40,
		"xxd-style dump", 1, "a row that is missing is a fault, and what follows keeps its place");
	check_text("00000000: 4142 4344 4546 4748  ABCDEFGH\n0000000x: 494a 4b4c 4d4e 4f50  IJKLMNOP\n" XXD_3
			   XXD_4,
		with_hole, 32, "xxd-style dump", 1,
		"a row that cannot be read leaves zeros, and is one fault only");
	expect(XXD_1 XXD_2 "00000050: 5152 5354 5556 5758  QRSTUVWX\n" XXD_4 XXD_5, ALL_40, "xxd-style dump",
		1, "an address that does not fit the rows around it is not trusted");
	expect(XXD_1 XXD_2
		"00002000: 5152 5354 5556 5758  QRSTUVWX\n00002008: 595a 6162 6364 6566  YZabcdef\n",
		LETTERS "QRSTUVWXYZabcdef", "xxd-style dump", 0,
		"far ahead another section begins, which joins the one before");
	expect(XXD_1 XXD_2 "\n" XXD_1 XXD_2, LETTERS LETTERS, "xxd-style dump", 0,
		"as where addresses go back");
	expect("0000000 41 42 43 44 45 46 47 48\n0000010 49 4a 4b 4c 4d 4e 4f 50\n", LETTERS, "od-style dump",
		1, "a dump of od without its last address is a fault");
	check_text("0000000 41 42 43 44 45 46 47 48\n0000010 49 4a 4b 4c 4d 4e 4f 50\n0000030\n",
		LETTERS "\0\0\0\0\0\0\0\0", 24, "od-style dump", 1,
		"so is a last address that lies further on");
	expect("0000000 41 42 43 44 45 46 47 48\n0000010 49 4a 4b 4c 4d 4e 4f 50\n7000020\n", LETTERS,
		"od-style dump", 1, "or somewhere else");
	hole = XXD_1 "\n" XXD_2 XXD_4 XXD_5;
	check_fault(hole, strlen(hole), 2 * strlen(XXD_1) + 1,
		"line 4: 8 bytes are missing here: address 0x18 follows 0x10",
		"a fault names the line, the addresses, and how much is missing");
}

static void test_damage(void)
{
	const char *bad = XXD_1 XXD_2 "00000010: 5152 5x54 5556 5758  QRSTUVWX\n" XXD_4;

	check_text(bad, LETTERS "QR\0TUVWXYZabcdef", 32, "xxd-style dump", 1,
		"what is no digit costs its byte only");
	check_fault(bad, strlen(bad), 2 * strlen(XXD_1),
		"line 3: column 16: not all digits; the byte is given as 00",
		"a fault names the line and the column");
	check_text(XXD_1 XXD_2 "00000010: 5152 535 5556 5758  QRSTUVWX\n" XXD_4,
		LETTERS "QR\0\0\0\0\0\0YZabcdef", 32, "xxd-style dump", 1,
		"a group with a digit less ends its row, and what follows keeps its place");
	expect(GDB_1 GDB_2 "0x20001010 <trace_buffer+16>:\t0x51\t0x5", LETTERS "Q", "gdb-style dump", 1,
		"a last row that is cut is given as far as it goes, and a fault");
	expect(GDB_1 GDB_2 "0x20001010:\t0x51\t0x52\t0x53\t0x54\t0x55\t0x56\t0x57\t0x58\t0x59\n",
		LETTERS "QRSTUVWX", "gdb-style dump", 1, "a row with a group too many is a fault");
	expect(GDB_1 GDB_2 "Cannot access memory at address 0x20001010\n", LETTERS, "gdb-style dump", 1,
		"what a debugger prints in place of a row is a fault");
	const char *printed = GDB_1 GDB_2 "Cannot access memory at address 0x20001010\n";

	check_fault(printed, strlen(printed), strlen(GDB_1 GDB_2),
		"line 3 is no row of the dump: \"Cannot access memory at address ...\"", "and is shown");
}

/* Lines around the rows. */
static void test_session(void)
{
	expect("GNU gdb (Debian 13.1-3) 13.1\nReading symbols from ./app...\n\n(gdb) x/16xb "
	       "&trace_buffer\n" GDB_1 GDB_2 "(gdb) quit\n",
		LETTERS, "gdb-style dump", 0, "a debugger's greeting, prompts and commands are passed over");
	expect("(gdb) (gdb) " GDB_1 "--Type <RET> for more, q to quit, c to continue without paging--\n" GDB_2
	       "(gdb) ",
		LETTERS, "gdb-style dump", 0, "as are its prompts in front of rows, and those of its pager");
	expect("> mdb 0x2000 16\r\n0x2000: 41 42 43 44 45 46 47 48 \r\n0x2008: 49 4a 4b 4c 4d 4e 4f 50 "
	       "\r\n\r\n> ",
		LETTERS, "OpenOCD-style dump", 0, "lines may end with CR LF, as over telnet");
	expect("   " XXD_1 "   " XXD_2, LETTERS, "xxd-style dump", 0, "rows may be indented");
}

static void check_refused(const char *text, const char *sentence)
{
	expect(text, text, "", 0, sentence);
}

static void test_refused(void)
{
	check_refused("10:41:42 main: 4142 4344\n10:41:43 main: 4546 4748\n", "a log with times is no dump");
	check_refused("0x2000: started\n0x2008: stopped\n", "addresses with words behind them are none");
	check_refused("00000000: 01000001 01000010 01000011 01000100  ABCD\n00000004: 01000101 01000110 "
		      "01000111 01001000  EFGH\n",
		"bits are none");
	check_refused("one\ntwo\nthree\n" XXD_1 "four\nfive\nsix\n" XXD_2 "seven\n",
		"a text with more other lines than rows is none");
	check_refused("1000: 41 42 43 44\n2000: 45 46 47 48\n3000: 49 4a 4b 4c\n",
		"rows that do not follow each other are none");
}

/* A cut anywhere gives a beginning of the whole. */
static void test_cuts(void)
{
	const char *texts[] = { XXD_1 XXD_2 XXD_3, GDB_1 GDB_2,
		"0000000 41 42 43 44 45 46 47 48\n0000010 49 4a 4b 4c 4d 4e 4f 50\n0000020\n" };
	bool all_fine = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t n = strlen(XXD_1) * 2; n < strlen(texts[i]); n++) {
			struct outcome got = take_whole(texts[i], n);

			all_fine &= !got.wrappings[0] ||
				    (got.n_bytes <= 24 && !memcmp(got.bytes, ALL_40, got.n_bytes));
			free(got.bytes);
		}
	ok(all_fine, "a dump that is cut anywhere gives a beginning of it");
}

/* A dump of many chunks; any part of a row may go on in the next chunk. */
static void test_long(void)
{
	enum { ROWS = 20000 };
	struct blob text = { NULL, 0 };
	char line[64];
	bool is_right = true;

	for (unsigned i = 0; i < ROWS; i++) {
		snprintf(line, sizeof(line), "%08x: %02x%02x %02x%02x\n", i * 4, i & 255, i >> 8 & 255,
			i >> 16, 7);
		blob_add(&text, line, strlen(line));
	}
	struct outcome got = take_whole(text.bytes, text.n_bytes);

	for (unsigned i = 0; i < ROWS && got.n_bytes == 4 * ROWS; i++)
		is_right &= got.bytes[4 * i] == (i & 255) && got.bytes[4 * i + 1] == (i >> 8 & 255) &&
			    got.bytes[4 * i + 3] == 7;
	ok(is_right && got.n_bytes == 4 * ROWS && !got.n_faults, "a dump of many chunks is given whole");
	free(got.bytes);
	free(text.bytes);
}

int main(void)
{
	test_kinds();
	test_order();
	test_judge();
	test_repeats();
	test_holes();
	test_damage();
	test_session();
	test_refused();
	test_cuts();
	test_long();
	return tap_done();
}
