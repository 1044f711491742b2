/* SPDX-License-Identifier: MIT */
/*
 * The AIX voice: trace entries with hook words, in rings of bytes, one for each channel that a program opens. README.md
 * has the format.
 *
 *      static struct rastrum_aix system_trace;
 *      static rastrum_aix_word_t memory[1024];
 *
 *      rastrum_aix_open(0, &system_trace, memory, 1024, 0);    channel 0 is the system trace, 1 to 7 are the program's
 *      trcon(0);
 *
 *      TRCHKL2(HKWD_USER1 | 5, speed, wanted);                 sys/trcmacros.h, sys/trchkid.h
 *      TRCGEN(0, HKWD_USER1, 7, 5, "hello");
 *
 *      while ((n = rastrum_aix_take(0, buffer, sizeof(buffer))) != 0)
 *              uart_send(buffer, n);
 *
 * Without room a ring either refuses entries, or overwrites the oldest (keeps_newest). Either way whole entries are lost,
 * and an entry of the trace's own says how many, where it was.
 */
#ifndef EMBED_AIX_TRACE_H
#define EMBED_AIX_TRACE_H

#include "embed/core/bits.h"
#include "embed/core/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a word: 4 for hook words of 32 bits, 8 for those of 64. */
#ifndef RASTRUM_AIX_WORD_BYTES
#if UINTPTR_MAX > UINT32_MAX
#define RASTRUM_AIX_WORD_BYTES 8
#else
#define RASTRUM_AIX_WORD_BYTES 4
#endif
#endif

#if RASTRUM_AIX_WORD_BYTES == 8
typedef uint64_t rastrum_aix_word_t;
#else
typedef uint32_t rastrum_aix_word_t;
#endif

/* The running thread, asked for inside the lock; 0: nobody knows. 32 bits are kept. */
#ifndef RASTRUM_AIX_THREAD
#define RASTRUM_AIX_THREAD() 0
#endif

/* How often a second the stamp counts; 0: not known. */
#ifndef RASTRUM_AIX_CLOCK_HZ
#define RASTRUM_AIX_CLOCK_HZ 0
#endif

#define RASTRUM_AIX_CHANNELS	 8
#define RASTRUM_AIX_BUFFER_MAX	 4096 /* bytes of one generic entry */
#define RASTRUM_AIX_HEADER_BYTES 16
#define RASTRUM_AIX_OUT_WORDS	 5 /* the longer of the header and an entry that tells of losses */

/* Entries of the facility itself, whose hook ids are below 010; they are stopped by nothing but the channel. */
#define RASTRUM_AIX_HOOK_ON   0x00100000 /* 001: trcon(); the hook data is the channel */
#define RASTRUM_AIX_HOOK_OFF  0x00200000 /* 002: trcoff(), trcstop() */
#define RASTRUM_AIX_HOOK_LOST 0x00600000 /* 006: so many entries are missing here; the hook data says why */
#define RASTRUM_AIX_REFUSED   0		 /* there was no room */
#define RASTRUM_AIX_WRITTEN   1		 /* later ones took their room */

struct rastrum_aix {
	struct rastrum_bytes ring; /* its n_lost is of both kinds */
	uint32_t keeps_newest;
	uint32_t n_refused; /* not told of yet */
	uint32_t n_written; /* the same of overwritten ones */
	uint32_t n_front;   /* bytes left of the entry that is being taken */
	uint32_t n_out;	    /* bytes left of what is taken in front of it, the last ones of … */
	rastrum_aix_word_t out[RASTRUM_AIX_OUT_WORDS];
	uint32_t out_bytes; /* … so many */
	uint32_t is_stopped;
};

/* Channels that record, a bit for each: the first thing that a hook looks at. */
extern uint32_t rastrum_aix_on;

/*
 * Makes an empty trace of a channel over n_words of memory, which are its own from then on, and returns how many bytes its
 * ring has, a power of two; 0: the channel does not exist, or there is no room. It records from trcon() on.
 */
uint32_t rastrum_aix_open(uint32_t channel, struct rastrum_aix *aix, rastrum_aix_word_t *memory,
	uint32_t n_words, int keeps_newest);

/*
 * Takes up to n_room of the oldest bytes, the header in front of all; returns how many, 0: there are none for now. One reader
 * at a time, while the channel records or later. Each turn inside the lock copies one entry at the most.
 */
uint32_t rastrum_aix_take(uint32_t channel, void *to, uint32_t n_room);

/* Entries lost so far, refused and overwritten. Takes the lock. */
uint32_t rastrum_aix_lost(uint32_t channel);

/* What the macros and functions of AIX call. From anywhere that the port's lock holds. */
void rastrum_aix_hook(
	uint32_t channel, rastrum_aix_word_t hook, const rastrum_aix_word_t *words, uint32_t n_words);
void rastrum_aix_generic(uint32_t channel, rastrum_aix_word_t hook, rastrum_aix_word_t word, uint32_t n_bytes,
	const void *bytes);

static inline uint32_t rastrum_aix_is_on(uint32_t channel)
{
	return rastrum_word_load(&rastrum_aix_on) >> (channel & 31) & 1;
}

/* Of the system trace, by how many data words there are. */
static inline void rastrum_aix_0(rastrum_aix_word_t hook)
{
	if (rastrum_aix_is_on(0))
		rastrum_aix_hook(0, hook, NULL, 0);
}

static inline void rastrum_aix_1(rastrum_aix_word_t hook, rastrum_aix_word_t a)
{
	if (rastrum_aix_is_on(0))
		rastrum_aix_hook(0, hook, &a, 1);
}

static inline void rastrum_aix_2(rastrum_aix_word_t hook, rastrum_aix_word_t a, rastrum_aix_word_t b)
{
	if (rastrum_aix_is_on(0)) {
		const rastrum_aix_word_t words[2] = { a, b };

		rastrum_aix_hook(0, hook, words, 2);
	}
}

static inline void rastrum_aix_3(
	rastrum_aix_word_t hook, rastrum_aix_word_t a, rastrum_aix_word_t b, rastrum_aix_word_t c)
{
	if (rastrum_aix_is_on(0)) {
		const rastrum_aix_word_t words[3] = { a, b, c };

		rastrum_aix_hook(0, hook, words, 3);
	}
}

static inline void rastrum_aix_4(rastrum_aix_word_t hook, rastrum_aix_word_t a, rastrum_aix_word_t b,
	rastrum_aix_word_t c, rastrum_aix_word_t d)
{
	if (rastrum_aix_is_on(0)) {
		const rastrum_aix_word_t words[4] = { a, b, c, d };

		rastrum_aix_hook(0, hook, words, 4);
	}
}

static inline void rastrum_aix_5(rastrum_aix_word_t hook, rastrum_aix_word_t a, rastrum_aix_word_t b,
	rastrum_aix_word_t c, rastrum_aix_word_t d, rastrum_aix_word_t e)
{
	if (rastrum_aix_is_on(0)) {
		const rastrum_aix_word_t words[5] = { a, b, c, d, e };

		rastrum_aix_hook(0, hook, words, 5);
	}
}

#ifdef __cplusplus
}
#endif

#endif
