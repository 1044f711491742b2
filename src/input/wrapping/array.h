/* SPDX-License-Identifier: MIT */
/*
 * Arrays as C has them, taken apart a character at a time: `xxd -i` writes them, and gdb prints them.
 *
 *      unsigned char dump_trx[] = { 0x54, 0x58, 0x54, 0x42, ... };  unsigned int dump_trx_len = 32768;
 *      $1 = {0x42545854, 0x0 <repeats 14 times>, 0x20003010...}
 */
#ifndef INPUT_WRAPPING_ARRAY_H
#define INPUT_WRAPPING_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARRAY_WORD_MAX = 40 }; /* longer ones are no numbers, and no types that are known */

enum array_event {
	ARRAY_NOTHING,
	ARRAY_BEGINS,
	ARRAY_ENDS,
	ARRAY_NUMBER,	/* an element: word */
	ARRAY_REPEATS,	/* number: how often the last element stands there, itself included */
	ARRAY_LEFT_OUT, /* "...": gdb prints no more */
	ARRAY_LENGTH,	/* number: the bytes of the last array, as NAME_len gives it */
	ARRAY_BAD,	/* a character that belongs to no list of numbers */
};

enum array_comment { COMMENT_NONE, COMMENT_SLASH, COMMENT_BLOCK, COMMENT_STAR, COMMENT_LINE };

struct array_lexer {
	enum array_comment comment;
	size_t depth; /* of braces; 0: outside */
	char word[ARRAY_WORD_MAX + 1];
	size_t n_word;	   /* characters of it, also those that do not fit */
	bool is_repeats;   /* within "<repeats N times>" */
	bool has_bracket;  /* outside: a name that is an array's was seen, … */
	bool has_equals;   /* … and = behind it */
	bool is_length;	   /* outside: NAME_len was seen */
	size_t n_type;	   /* outside: bytes of the type that was named; 0: none */
	size_t n_declared; /* the same, of the array that has begun last */
	uint64_t number;
};

/* What the character makes known. *ret_is_used false: it is still to be taken, once more. */
enum array_event array_take(struct array_lexer *lexer, uint8_t c, bool *ret_is_used);

/* The number that a word is: 0x…, or decimal, with a sign and C's suffixes. *ret_n_digits: of a hexadecimal one, else 0. */
bool array_number(const char *word, uint64_t *ret_number, size_t *ret_n_digits);

#endif
