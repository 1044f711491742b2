/* SPDX-License-Identifier: MIT */
/*
 * The format codes: a letter, then bytes (and after a dot bits or a field's width), or W for the word of the
 * entry: X4, B0.5, A8.16, DW. One row for each letter has what it takes, how it prints and in which base it
 * is matched.
 */
#ifndef TEMPLATE_LANGUAGE_CODES_H
#define TEMPLATE_LANGUAGE_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_letter {
	CODE_ASCII,	  /* Am, Am.n */
	CODE_ASCII_TIGHT, /* A0: as A1, and no blank follows */
	CODE_SPACING,	  /* A0.n: n blanks, reads nothing */
	CODE_COUNTED,	  /* Sm: a length of m bytes, then text */
	CODE_BITS,	  /* Bm.n */
	CODE_HEX,	  /* Xm */
	CODE_HEX_TIGHT,	  /* X0: as X1, and no blank follows */
	CODE_SIGNED,	  /* Dm */
	CODE_UNSIGNED,	  /* Um */
	CODE_OCTAL,	  /* om */
	CODE_FLOAT,	  /* F4, F8 */
	CODE_TIME,	  /* T4, T8: seconds since 1970 */
	CODE_ERRNO,	  /* Em */
	CODE_PROCESS,	  /* P4, P8 */
	/* ns, us, ms, behind % only: a span of time, in units of ten to the power of part nanoseconds */
	CODE_DURATION,
	CODE_HB,      /* bytes of the variable buffer */
	CODE_HT,      /* hook type */
	CODE_GO,      /* Gm.n */
	CODE_FORWARD, /* Om.n */
	CODE_BACK,    /* Rm */
	CODE_WORD,    /* Wm */
	N_CODES
};

/* The value of a code where a number is needed. */
enum code_value { CODE_NO_VALUE, CODE_NUMBER, CODE_STRING, CODE_MOVE };

struct code_row {
	char letter; /* for dumps and messages */
	enum code_value value;
	uint8_t base;	   /* that match values of a SWITCH are read in; 0 if text is compared */
	const char *takes; /* "1 to 16 bytes", for messages */
};

extern const struct code_row code_rows[N_CODES];

/* A code as written. */
struct code {
	enum code_letter letter;
	bool is_word;	  /* W instead of a number: the bytes are the word of the entry */
	bool has_part;	  /* .n was given */
	uint16_t n_bytes; /* m; for A0 and X0 it is 1 */
	uint16_t part;	  /* n: bits, or the width of a field */
};

enum code_parse { CODE_NONE, CODE_GOOD, CODE_BAD_WIDTH };

/*
 * Reads text as a code. CODE_NONE: it has not a code's shape (then it is plain text); CODE_BAD_WIDTH: it has,
 * but not a size that the letter takes (T08). HB, HT are codes; HD and HL are not (they are spellings of $HD
 * and $HL: D35).
 */
enum code_parse code_parse(const char *text, size_t n_bytes, struct code *ret_code);

/*
 * The same for the code behind the % of a macro: the longest beginning of text with a code's shape; *ret_used
 * is its length. O is octal here (D11), W alone is XW, all codes but X D U B o read as X2.
 */
enum code_parse code_parse_cast(const char *text, size_t n_bytes, struct code *ret_code, size_t *ret_used);

/* Whether such a code prints in its own form; others print as X2, as in AIX. */
bool code_cast_is_known(const char *text, size_t n_bytes);

/*
 * Describes the fault of a code of CODE_BAD_WIDTH, in words that follow its text: "is too wide", "has a dot".
 */
const char *code_fault(const struct code *code);

/* Bytes that a code reads with words of this size (bits are code->part); S only its length. */
static inline unsigned code_bytes(const struct code *code, unsigned word_bytes)
{
	return code->is_word ? word_bytes : code->n_bytes;
}

/* As written, "X4", terminated; for dumps. Room: 16 bytes. Returns p. */
char *code_put(char *p, const struct code *code);

#endif
