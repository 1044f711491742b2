/* SPDX-License-Identifier: MIT */
/*
 * Splits arrays in C syntax, one character at a time: `xxd -i` writes them, and gdb prints them.
 *
 *      unsigned char dump_trx[] = { 0x54, 0x58, 0x54, 0x42, ... };  unsigned int dump_trx_len = 32768;
 *      $1 = {0x42545854, 0x0 <repeats 14 times>, 0x20003010...}
 */
#ifndef INPUT_WRAPPING_ARRAY_H
#define INPUT_WRAPPING_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARRAY_WORD_MAX = 40 }; /* a longer word is neither a number nor a known type */

enum array_event {
	ARRAY_NOTHING,
	ARRAY_BEGINS,
	ARRAY_ENDS,
	ARRAY_NUMBER,	/* an element: word */
	ARRAY_REPEATS,	/* number: how often the last element occurs, itself included */
	ARRAY_LEFT_OUT, /* "...": gdb left out the rest */
	ARRAY_LENGTH,	/* number: the bytes of the last array, as NAME_len gives it */
	ARRAY_BAD,	/* a character that cannot be in a list of numbers */
};

enum array_comment { COMMENT_NONE, COMMENT_SLASH, COMMENT_BLOCK, COMMENT_STAR, COMMENT_LINE };

struct array_lexer {
	enum array_comment comment;
	size_t depth; /* of braces; 0 outside them */
	char word[ARRAY_WORD_MAX + 1];
	size_t n_word;	   /* characters of it, including those that do not fit */
	bool is_repeats;   /* within "<repeats N times>" */
	bool has_bracket;  /* outside: the name of an array was seen, … */
	bool has_equals;   /* … and = after it */
	bool is_length;	   /* outside: NAME_len was seen */
	size_t n_type;	   /* outside: bytes of the type that was named, or 0 */
	size_t n_declared; /* the same for the array that began last */
	uint64_t number;
};

/*
 * Takes a character and returns its event. If *ret_is_used is false, the caller must pass the character
 * again.
 */
enum array_event array_take(struct array_lexer *lexer, uint8_t c, bool *ret_is_used);

/*
 * Reads a number: 0x… or decimal, with a sign and C's suffixes. *ret_n_digits: its digits if it is
 * hexadecimal, else 0.
 */
bool array_number(const char *word, uint64_t *ret_number, size_t *ret_n_digits);

#endif
