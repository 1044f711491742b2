/* SPDX-License-Identifier: MIT */
/*
 * Hook words, and the functions that record with them ("utrchook, utrchook64 Subroutines", "trcgen, trcgent
 * Subroutines", "trcgenk, trcgenkt Kernel Services", AIX Technical Reference):
 *
 *      32 bits   hhh t dddd              hook id, type, hook data
 *      64 bits   ffff llll hhhh ssss     flags, length, hook id, sub-hook
 *
 * A caller writes the hook id and data as one number: 0x01000005 is hook 010 with 5. The recorder overwrites
 * type, flags and length. Programs have the ids 010 to 0FF; each of their hooks needs a number of its own,
 * and a template for it.
 */
#ifndef EMBED_AIX_SYS_TRCHKID_H
#define EMBED_AIX_SYS_TRCHKID_H

#include "embed/aix/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HKWD_USER1 0x01000000 /* hook 010 */

/*
 * Record five data words into the system trace. If words have 64 bits, a hook word of 32 bits loses its type
 * and keeps its id, as the first three of four digits.
 */
void utrchook(uint32_t hook, uintptr_t d1, uintptr_t d2, uintptr_t d3, uintptr_t d4, uintptr_t d5);

#if RASTRUM_AIX_WORD_BYTES == 8
void utrchook64(uint64_t hook, uint64_t d1, uint64_t d2, uint64_t d3, uint64_t d4, uint64_t d5);
#endif

/*
 * A data word and a buffer of up to 4096 bytes, of which more is lost as a whole, into a channel. All entries
 * are stamped: both are the same.
 */
void trcgen(uint32_t channel, rastrum_aix_word_t hook, rastrum_aix_word_t word, uint32_t n_bytes,
	const void *bytes);
void trcgent(uint32_t channel, rastrum_aix_word_t hook, rastrum_aix_word_t word, uint32_t n_bytes,
	const void *bytes);

/*
 * The functions for kernels and their extensions, and the names of the forms of an entry. On a board they are
 * all the same as the functions for programs.
 */
static inline void trchook(
	uint32_t hook, uintptr_t d1, uintptr_t d2, uintptr_t d3, uintptr_t d4, uintptr_t d5)
{
	utrchook(hook, d1, d2, d3, d4, d5);
}

#if RASTRUM_AIX_WORD_BYTES == 8
static inline void trchook64(uint64_t hook, uint64_t d1, uint64_t d2, uint64_t d3, uint64_t d4, uint64_t d5)
{
	utrchook64(hook, d1, d2, d3, d4, d5);
}
#endif

static inline void trcgenk(uint32_t channel, rastrum_aix_word_t hook, rastrum_aix_word_t word,
	uint32_t n_bytes, const void *bytes)
{
	trcgen(channel, hook, word, n_bytes, bytes);
}

static inline void trcgenkt(uint32_t channel, rastrum_aix_word_t hook, rastrum_aix_word_t word,
	uint32_t n_bytes, const void *bytes)
{
	trcgen(channel, hook, word, n_bytes, bytes);
}

/* A hook word; with one data word; with five. */
static inline void trchk(rastrum_aix_word_t hook)
{
	rastrum_aix_0(hook);
}

static inline void trchkl(rastrum_aix_word_t hook, rastrum_aix_word_t d1)
{
	rastrum_aix_1(hook, d1);
}

static inline void trchkg(rastrum_aix_word_t hook, rastrum_aix_word_t d1, rastrum_aix_word_t d2,
	rastrum_aix_word_t d3, rastrum_aix_word_t d4, rastrum_aix_word_t d5)
{
	rastrum_aix_5(hook, d1, d2, d3, d4, d5);
}

static inline void trchkt(rastrum_aix_word_t hook)
{
	trchk(hook);
}

static inline void trchklt(rastrum_aix_word_t hook, rastrum_aix_word_t d1)
{
	trchkl(hook, d1);
}

static inline void trchkgt(rastrum_aix_word_t hook, rastrum_aix_word_t d1, rastrum_aix_word_t d2,
	rastrum_aix_word_t d3, rastrum_aix_word_t d4, rastrum_aix_word_t d5)
{
	trchkg(hook, d1, d2, d3, d4, d5);
}

#ifdef __cplusplus
}
#endif

#endif
