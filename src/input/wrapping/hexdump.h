/* SPDX-License-Identifier: MIT */
/*
 * Memory as debuggers and tools print it. A line is an address, groups of digits, and perhaps the same bytes
 * as text.
 *
 *      0x20001000 <trace_buffer+16>:   0x42545854   0x00000000        gdb's x
 *      0x20001000: 42545854 00000000 20000120 20003010                OpenOCD's mdw
 *      20001000 = 54 58 54 42 00 00 00 00                             J-Link Commander's mem8
 *      00000000: 5458 5442 0000 0000  TXTB....                        xxd
 *      00000000  54 58 54 42 00 00 00 00  |TXTB....|                  hexdump -C
 *      0000000 54 58 54 42 00 00 00 00                                od -t x1
 *      └─address─┘└─groups──────────────┘ └─text─┘
 *
 * One parser serves all tools (hexdump_line.c); each row of hexdump_kinds[] holds how one tool differs from
 * the others. The first rows show which tool it is, how wide rows are, where text begins and which number
 * system addresses are in (hexdump_shape.c).
 */
#ifndef INPUT_WRAPPING_HEXDUMP_H
#define INPUT_WRAPPING_HEXDUMP_H

#include "input/wrapping/section.h"

enum {
	HEXDUMP_ROW_MAX = 256, /* bytes of a row, the most that xxd can print */
	HEXDUMP_WORD_MAX = 8,  /* bytes of a word that is printed as a number */
};

enum hexdump_text {
	HEXDUMP_NO_TEXT,     /* nothing follows the groups */
	HEXDUMP_PLAIN_TEXT,  /* the bare text, or nothing */
	HEXDUMP_FRAMED_TEXT, /* |text| or >text< */
	HEXDUMP_OTHER_TEXT,  /* cannot be the bytes as text; no kind has it */
};

struct hexdump_kind {
	const char *name;
	bool has_prefix; /* addresses begin with 0x */
	char mark;	 /* the character behind addresses, or 0 */
	bool has_group_prefix;
	enum hexdump_text text;
	/*
	 * Groups are bytes in the order of memory, unless the text shows the other order; the last may be
	 * short.
	 */
	bool is_written;
	bool has_end;	/* the last line is only the address behind the last byte */
	bool has_octal; /* addresses and groups may be octal */
};

/* The format of a dump, learned from its front. */
struct hexdump_shape {
	const struct hexdump_kind *kind;
	unsigned address_radix, group_radix;
	size_t n_group_digits;
	size_t n_group;	  /* bytes of a group */
	size_t n_row;	  /* bytes of a full row */
	size_t text_at;	  /* groups begin before this column; SIZE_MAX if there is no text */
	bool is_reversed; /* the last byte of each group is the first in memory */
	bool is_sure;	  /* is_reversed is known, or it does not matter */
};

/* The parts that every line with an address has. */
struct hexdump_line {
	const uint8_t *start; /* of the line */
	bool has_prefix;
	char mark;
	const uint8_t *address;
	size_t n_address;    /* digits */
	const uint8_t *rest; /* what follows the mark; columns count from here */
	size_t n_rest;
};

struct hexdump_group {
	size_t start, end;     /* columns, of the whole group */
	const uint8_t *digits; /* behind a prefix */
	size_t n_digits;
	bool has_prefix;
};

struct hexdump_row {
	struct line_place place;
	uint64_t address;
	uint8_t bytes[HEXDUMP_ROW_MAX];
	size_t n_bytes;
	bool is_end;	/* the row is only the address behind the last byte */
	char fault[80]; /* what is wrong, or "" */
};

/* The class of a line of a dump. */
enum hexdump_class {
	HEXDUMP_ROW,
	HEXDUMP_REPEAT, /* "*": rows like the one before, up to the next address */
	HEXDUMP_TALK,	/* an empty line, or a prompt with a command */
	HEXDUMP_OTHER,
};

/* --- hexdump_line.c ------------------------------------------------------------------------------------- */

/*
 * Splits a line into its parts. The line has no blanks around it; a prompt in front is skipped. Returns false
 * if the line does not begin with an address.
 */
bool hexdump_split(struct hexdump_line *ret, const uint8_t *line, size_t n_line);

/*
 * Reads the address. Returns false if a digit does not belong to this number system, or the number exceeds 64
 * bits.
 */
bool hexdump_address(const struct hexdump_line *line, unsigned radix, uint64_t *ret_address);

/*
 * Finds the next run of non-blank characters from column *at on, and moves *at behind it. Returns false at
 * the end.
 */
bool hexdump_next_group(const struct hexdump_line *line, size_t *at, struct hexdump_group *ret);

/* Whether the group consists only of digits of this number system. */
bool hexdump_group_is_number(const struct hexdump_group *group, unsigned radix);

/* Whether a line between rows holds no memory: it is empty, or a prompt with a command. */
bool hexdump_is_talk(const uint8_t *line, size_t n_line);

/* Returns the class of a line, and its bytes if it is a row. */
enum hexdump_class hexdump_parse(
	const struct hexdump_shape *shape, const uint8_t *line, size_t n_line, struct hexdump_row *ret_row);

/* --- hexdump_shape.c ------------------------------------------------------------------------------------ */

/*
 * Learns the format from the front, up to 64 KiB. is_whole: nothing follows the front. Returns false if the
 * front does not consist of rows of a dump.
 */
bool hexdump_learn(struct hexdump_shape *ret_shape, const uint8_t *bytes, size_t n_bytes, bool is_whole);

#endif
