/* SPDX-License-Identifier: MIT */
/*
 * The AIX encoder: trace entries with hook words, in rings of bytes, one for each channel that a program
 * opens. README.md has the format.
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
 * A full ring either refuses entries, or overwrites the oldest ones (keeps_newest). Either way whole entries
 * are lost. At that place, an entry of the trace's own has their number.
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

/* The running thread, called inside the lock; 0 if it is not known. 32 bits are kept. */
#ifndef RASTRUM_AIX_THREAD
#define RASTRUM_AIX_THREAD() 0
#endif

/* How often a second the stamp counts; 0 if it is not known. */
#ifndef RASTRUM_AIX_CLOCK_HZ
#define RASTRUM_AIX_CLOCK_HZ 0
#endif

#define RASTRUM_AIX_CHANNELS	 8
#define RASTRUM_AIX_BUFFER_MAX	 4096 /* bytes of one generic entry */
#define RASTRUM_AIX_HEADER_BYTES 16
#define RASTRUM_AIX_OUT_WORDS	 5 /* the longer of the header and an entry that reports losses */

/*
 * Entries of the facility itself, whose hook ids are below 010; they are stopped by nothing but the channel.
 */
#define RASTRUM_AIX_HOOK_ON   0x00100000 /* 001: trcon(); the hook data is the channel */
#define RASTRUM_AIX_HOOK_OFF  0x00200000 /* 002: trcoff(), trcstop() */
#define RASTRUM_AIX_HOOK_LOST 0x00600000 /* 006: so many entries are missing here; the hook data says why */
#define RASTRUM_AIX_REFUSED   0		 /* there was no room */
#define RASTRUM_AIX_WRITTEN   1		 /* later ones took their room */

struct rastrum_aix {
	struct rastrum_bytes ring; /* its n_lost is of both kinds */
	uint32_t keeps_newest;
	uint32_t n_refused; /* not reported yet */
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
 * Makes an empty trace of a channel in n_words of memory, which belong to it from then on. Returns the bytes
 * of its ring, a power of two, or 0 if the channel does not exist or the memory is too small. The trace
 * records from trcon() on.
 */
uint32_t rastrum_aix_open(uint32_t channel, struct rastrum_aix *aix, rastrum_aix_word_t *memory,
	uint32_t n_words, int keeps_newest);

/*
 * Takes up to n_room of the oldest bytes; the header comes first. Returns how many bytes it took, 0 if there
 * is nothing to take now. One reader at a time, while the channel records or later. Each turn inside the lock
 * copies at most one entry.
 */
uint32_t rastrum_aix_take(uint32_t channel, void *to, uint32_t n_room);

/* Entries lost so far, refused and overwritten. Takes the lock. */
uint32_t rastrum_aix_lost(uint32_t channel);

/*
 * Records a hook word, with type or flags, and as many words as it says. From anywhere that the port's lock
 * holds, as the next.
 */
void rastrum_aix_record(
	uint32_t channel, rastrum_aix_word_t hook, const rastrum_aix_word_t *words, uint32_t n_words);

/* Records one word and a buffer; type, flags and length are put into the hook word here. */
void rastrum_aix_generic(uint32_t channel, rastrum_aix_word_t hook, rastrum_aix_word_t word, uint32_t n_bytes,
	const void *bytes);

/* How many words are recorded for so many: with 32 bits there are no entries of two, three, or four. */
#define RASTRUM_AIX_RECORDED(n_words) (RASTRUM_AIX_WORD_BYTES == 4 && (n_words) > 1 ? 5 : (n_words))

/* Hook id and data with the type, or flags and length, of an entry of so many words. */
static inline rastrum_aix_word_t rastrum_aix_hook(rastrum_aix_word_t hook, uint32_t n_words)
{
#if RASTRUM_AIX_WORD_BYTES == 8
	return (hook & 0xffffffff) | (uint64_t)(n_words * 8) << 32 | (uint64_t)0x8000 << 48;
#else
	return (hook & 0xfff0ffff) | (uint32_t)(n_words == 0 ? 0x9 : n_words == 1 ? 0xa : 0xe) << 16;
#endif
}

static inline uint32_t rastrum_aix_is_on(uint32_t channel)
{
	return rastrum_word_load(&rastrum_aix_on) >> (channel & 31) & 1;
}

/* Into the system trace, by how many words there are. */
static inline void rastrum_aix_0(rastrum_aix_word_t hook)
{
	if (rastrum_aix_is_on(0))
		rastrum_aix_record(0, rastrum_aix_hook(hook, 0), NULL, 0);
}

static inline void rastrum_aix_1(rastrum_aix_word_t hook, rastrum_aix_word_t a)
{
	if (rastrum_aix_is_on(0))
		rastrum_aix_record(0, rastrum_aix_hook(hook, 1), &a, 1);
}

static inline void rastrum_aix_2(rastrum_aix_word_t hook, rastrum_aix_word_t a, rastrum_aix_word_t b)
{
	if (rastrum_aix_is_on(0)) {
		const rastrum_aix_word_t words[RASTRUM_AIX_RECORDED(2)] = { a, b };

		rastrum_aix_record(0, rastrum_aix_hook(hook, 2), words, RASTRUM_AIX_RECORDED(2));
	}
}

static inline void rastrum_aix_3(
	rastrum_aix_word_t hook, rastrum_aix_word_t a, rastrum_aix_word_t b, rastrum_aix_word_t c)
{
	if (rastrum_aix_is_on(0)) {
		const rastrum_aix_word_t words[RASTRUM_AIX_RECORDED(3)] = { a, b, c };

		rastrum_aix_record(0, rastrum_aix_hook(hook, 3), words, RASTRUM_AIX_RECORDED(3));
	}
}

static inline void rastrum_aix_4(rastrum_aix_word_t hook, rastrum_aix_word_t a, rastrum_aix_word_t b,
	rastrum_aix_word_t c, rastrum_aix_word_t d)
{
	if (rastrum_aix_is_on(0)) {
		const rastrum_aix_word_t words[RASTRUM_AIX_RECORDED(4)] = { a, b, c, d };

		rastrum_aix_record(0, rastrum_aix_hook(hook, 4), words, RASTRUM_AIX_RECORDED(4));
	}
}

static inline void rastrum_aix_5(rastrum_aix_word_t hook, rastrum_aix_word_t a, rastrum_aix_word_t b,
	rastrum_aix_word_t c, rastrum_aix_word_t d, rastrum_aix_word_t e)
{
	if (rastrum_aix_is_on(0)) {
		const rastrum_aix_word_t words[5] = { a, b, c, d, e };

		rastrum_aix_record(0, rastrum_aix_hook(hook, 5), words, 5);
	}
}

/* Into a channel. */
static inline void rastrum_aix_gen(uint32_t channel, rastrum_aix_word_t hook, rastrum_aix_word_t word,
	uint32_t n_bytes, const void *bytes)
{
	if (channel < RASTRUM_AIX_CHANNELS && rastrum_aix_is_on(channel))
		rastrum_aix_generic(channel, hook, word, n_bytes, bytes);
}

#ifdef __cplusplus
}
#endif

#endif
