/* SPDX-License-Identifier: MIT */
/* The parts of hook words, for the files that put entries together. */
#ifndef AIXTRACE_ENTRY_H
#define AIXTRACE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

enum {
	WORDS_MAX = 5,
	VARIABLE_MAX = 4096,
	TYPE_SHIFT = 16,
	TYPE_GENERIC = 0x8, /* stamped, as all types here */
	TYPE_NONE = 0x9,
	TYPE_ONE = 0xa,
	TYPE_FIVE = 0xe,
	LENGTH_SHIFT = 32,
	FLAGS_SHIFT = 48,
	STAMPED = 0x8000,
	GENERIC = 0x4000,
	LENGTH_LIMIT = 0xffff
};

/* Whether the word fits into 32 bits, with or without a sign. */
static inline bool is_narrow(unsigned long word)
{
	return word <= UINT32_MAX || word >= (unsigned long)(long)INT32_MIN;
}

/*
 * Makes a wide hook word from the id and data of a caller's word of 32 bits, or of 64 bits with an id of four
 * digits.
 */
static inline uint64_t wide_hook(uint64_t hook, unsigned int flags, unsigned int length)
{
	return (hook & 0xffffffffu) | (uint64_t)length << LENGTH_SHIFT | (uint64_t)flags << FLAGS_SHIFT;
}

#endif
