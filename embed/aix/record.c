/* SPDX-License-Identifier: MIT */
/* Recording: room, made by overwriting or refused, and the words of an entry. */
#include "embed/aix/entry.h"
#include "embed/aix/sys/trchkid.h"
#include "embed/core/memory.h"

enum { LOW_16 = 0xffff };

static uint32_t round_up(uint32_t n_bytes)
{
	return (n_bytes + AIX_WORD - 1) & ~(uint32_t)(AIX_WORD - 1);
}

/* --- hook words ----------------------------------------------------------------------------------------- */

#if RASTRUM_AIX_WORD_BYTES == 8

enum { FLAG_STAMPED = 0x8000, FLAG_GENERIC = 0x4000, FLAGS_SHIFT = 48, LENGTH_SHIFT = 32 };

static rastrum_aix_word_t generic_word(rastrum_aix_word_t hook, uint32_t n_bytes)
{
	return (hook & 0xffffffff) | (uint64_t)n_bytes << LENGTH_SHIFT |
	       (uint64_t)(FLAG_STAMPED | FLAG_GENERIC) << FLAGS_SHIFT;
}

static uint32_t data_bytes(rastrum_aix_word_t hook)
{
	uint32_t length = (uint32_t)(hook >> LENGTH_SHIFT) & LOW_16;

	return hook >> FLAGS_SHIFT & FLAG_GENERIC ? AIX_WORD + round_up(length) : length;
}

#else

enum { TYPE_GENERIC = 0x8, TYPE_FIVE = 0xe, TYPE_SHIFT = 16 };

static rastrum_aix_word_t generic_word(rastrum_aix_word_t hook, uint32_t n_bytes)
{
	return (hook & 0xfff00000) | (uint32_t)TYPE_GENERIC << TYPE_SHIFT | n_bytes;
}

static uint32_t data_bytes(rastrum_aix_word_t hook)
{
	uint32_t type = hook >> TYPE_SHIFT & 0xf;

	if (type == TYPE_GENERIC)
		return AIX_WORD + round_up(hook & LOW_16);
	return AIX_WORD * (type == TYPE_FIVE ? 5 : type - TYPE_GENERIC - 1);
}

#endif

uint32_t rastrum_aix_entry_bytes(const struct rastrum_aix *aix, uint32_t at)
{
	return AIX_WORD + data_bytes(*rastrum_aix_at(aix, at)) + AIX_TRAILER;
}

/* --- room ----------------------------------------------------------------------------------------------- */

static int tells_of_loss(const struct rastrum_aix *aix, uint32_t at)
{
	rastrum_aix_word_t hook = *rastrum_aix_at(aix, at);

	return hook == rastrum_aix_hook(RASTRUM_AIX_HOOK_LOST | RASTRUM_AIX_REFUSED, 1);
}

/* The oldest entry goes; the losses that it reported are kept. */
static void overwrite_oldest(struct rastrum_aix *aix)
{
	uint32_t at = aix->ring.n_taken;

	if (tells_of_loss(aix, at)) {
		aix->n_written += (uint32_t)*rastrum_aix_at(aix, at + AIX_WORD);
	} else {
		aix->n_written++;
		aix->ring.n_lost++;
	}
	aix->ring.n_taken += rastrum_aix_entry_bytes(aix, at);
}

/* Room for so many bytes, made where that may be. An entry that is being taken stays. */
static int make_room(struct rastrum_aix *aix, uint32_t n_bytes)
{
	if (n_bytes > aix->ring.place_mask + 1)
		return 0;
	while (rastrum_bytes_room(&aix->ring) < n_bytes) {
		if (!aix->keeps_newest || aix->n_front)
			return 0;
		overwrite_oldest(aix);
	}
	return 1;
}

/*
 * The seldom case, and that of a full flight recorder: room is made, or the entry counted lost, and losses
 * are reported.
 */
static int find_room(struct rastrum_aix *aix, uint32_t n_bytes, uint32_t stamp)
{
	if (!make_room(aix, n_bytes + (aix->n_refused ? AIX_LOSS : 0))) {
		aix->n_refused++;
		aix->ring.n_lost++;
		return 0;
	}
	if (aix->n_refused)
		rastrum_aix_tell_refused(aix, stamp);
	return 1;
}

/* Whether an entry of n_bytes can be put behind the others; 0 if it is counted lost. */
static inline int entry_begin(struct rastrum_aix *aix, uint32_t n_bytes, uint32_t stamp)
{
	if (rastrum_bytes_room(&aix->ring) >= n_bytes && !aix->n_refused)
		return 1;
	return find_room(aix, n_bytes, stamp);
}

/* --- entries -------------------------------------------------------------------------------------------- */

static uint32_t put_word(struct rastrum_aix *aix, uint32_t at, rastrum_aix_word_t word)
{
	*rastrum_aix_at(aix, at) = word;
	return at + AIX_WORD;
}

static void put_trailer(struct rastrum_aix *aix, uint32_t at, uint32_t thread, uint32_t stamp)
{
	rastrum_aix_word_t words[AIX_TRAILER / AIX_WORD];

	rastrum_aix_trailer(words, thread, stamp);
	for (uint32_t i = 0; i < AIX_TRAILER / AIX_WORD; i++)
		at = put_word(aix, at, words[i]);
	rastrum_bytes_end(&aix->ring, at);
}

void rastrum_aix_tell_refused(struct rastrum_aix *aix, uint32_t stamp)
{
	uint32_t at = aix->ring.n_written;

	at = put_word(aix, at, rastrum_aix_hook(RASTRUM_AIX_HOOK_LOST | RASTRUM_AIX_REFUSED, 1));
	at = put_word(aix, at, aix->n_refused);
	put_trailer(aix, at, 0, stamp);
	aix->n_refused = 0;
}

/* Variable bytes, in two parts where the ring ends between them; what fills the last word is 0. */
static uint32_t put_bytes(struct rastrum_aix *aix, uint32_t at, const uint8_t *bytes, uint32_t n_bytes)
{
	uint32_t slot = at & aix->ring.place_mask, n_to_end = aix->ring.place_mask + 1 - slot;
	uint32_t n_first = n_bytes < n_to_end ? n_bytes : n_to_end, n_all = round_up(n_bytes);

	if (n_bytes == 0)
		return at;
	put_word(aix, at + n_all - AIX_WORD, 0);
	rastrum_memcpy(aix->ring.bytes + slot, bytes, n_first);
	rastrum_memcpy(aix->ring.bytes, bytes + n_first, n_bytes - n_first);
	return at + n_all;
}

/* An entry that does not lie across the ring's end, as nearly all: its words one by one. */
static void put_straight(struct rastrum_aix *aix, uint32_t at, rastrum_aix_word_t hook,
	const rastrum_aix_word_t *words, uint32_t n_words, uint32_t stamp)
{
	rastrum_aix_word_t *to = rastrum_aix_at(aix, at);

	*to++ = hook;
	for (uint32_t i = 0; i < n_words; i++)
		*to++ = words[i];
	rastrum_aix_trailer(to, (uint32_t)RASTRUM_AIX_THREAD(), stamp);
	rastrum_bytes_end(&aix->ring, at + AIX_WORD * (1 + n_words) + AIX_TRAILER);
}

static void put_across(struct rastrum_aix *aix, uint32_t at, rastrum_aix_word_t hook,
	const rastrum_aix_word_t *words, uint32_t n_words, uint32_t stamp)
{
	at = put_word(aix, at, hook);
	for (uint32_t i = 0; i < n_words; i++)
		at = put_word(aix, at, words[i]);
	put_trailer(aix, at, (uint32_t)RASTRUM_AIX_THREAD(), stamp);
}

void rastrum_aix_record(
	uint32_t channel, rastrum_aix_word_t hook, const rastrum_aix_word_t *words, uint32_t n_words)
{
	uint32_t n_bytes = AIX_WORD * (1 + n_words) + AIX_TRAILER, stamp;
	struct rastrum_aix *aix;
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	aix = rastrum_aix_of(channel);
	stamp = RASTRUM_STAMP();
	if (aix && entry_begin(aix, n_bytes, stamp)) {
		uint32_t at = aix->ring.n_written;

		if ((at & aix->ring.place_mask) + n_bytes <= aix->ring.place_mask + 1)
			put_straight(aix, at, hook, words, n_words, stamp);
		else
			put_across(aix, at, hook, words, n_words, stamp);
	}
	RASTRUM_UNLOCK(state);
}

void rastrum_aix_generic(uint32_t channel, rastrum_aix_word_t hook, rastrum_aix_word_t word, uint32_t n_bytes,
	const void *bytes)
{
	/* An entry that is too long fits no ring: it is counted as lost. */
	uint32_t n_room = n_bytes > RASTRUM_AIX_BUFFER_MAX ? UINT32_MAX - AIX_LOSS
							   : AIX_WORD * 2 + round_up(n_bytes) + AIX_TRAILER;
	struct rastrum_aix *aix;
	RASTRUM_LOCK_STATE state;
	uint32_t stamp;

	RASTRUM_LOCK(state);
	aix = rastrum_aix_of(channel);
	stamp = RASTRUM_STAMP();
	if (aix && entry_begin(aix, n_room, stamp)) {
		uint32_t at = aix->ring.n_written;

		at = put_word(aix, at, generic_word(hook, n_bytes));
		at = put_word(aix, at, word);
		at = put_bytes(aix, at, (const uint8_t *)bytes, n_bytes);
		put_trailer(aix, at, (uint32_t)RASTRUM_AIX_THREAD(), stamp);
	}
	RASTRUM_UNLOCK(state);
}

void trcgen(uint32_t channel, rastrum_aix_word_t hook, rastrum_aix_word_t word, uint32_t n_bytes,
	const void *bytes)
{
	rastrum_aix_gen(channel, hook, word, n_bytes, bytes);
}

void trcgent(uint32_t channel, rastrum_aix_word_t hook, rastrum_aix_word_t word, uint32_t n_bytes,
	const void *bytes)
{
	rastrum_aix_gen(channel, hook, word, n_bytes, bytes);
}

void utrchook(uint32_t hook, uintptr_t d1, uintptr_t d2, uintptr_t d3, uintptr_t d4, uintptr_t d5)
{
	rastrum_aix_5(hook & 0xfff0ffff, (rastrum_aix_word_t)d1, (rastrum_aix_word_t)d2,
		(rastrum_aix_word_t)d3, (rastrum_aix_word_t)d4, (rastrum_aix_word_t)d5);
}

#if RASTRUM_AIX_WORD_BYTES == 8
void utrchook64(uint64_t hook, uint64_t d1, uint64_t d2, uint64_t d3, uint64_t d4, uint64_t d5)
{
	rastrum_aix_5(hook, d1, d2, d3, d4, d5);
}
#endif
