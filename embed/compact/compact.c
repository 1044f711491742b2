/* SPDX-License-Identifier: MIT */
/*
 * Recording. A record is put where `at` is, and only then it is asked whether the next one would still fit;
 * if not, the next block is begun. So the common path has one comparison and nothing to come back for. While
 * there is no block, `at` is in the bin, whose limit is passed by every record: the same comparison finds it
 * lost.
 */
#include "embed/compact/compact.h"

#include "embed/compact/block.h"

typedef char rastrum_compact_block_fits[RASTRUM_COMPACT_BLOCK % 4 == 0 && RASTRUM_COMPACT_BLOCK >= 64 &&
							RASTRUM_COMPACT_BLOCK <= 256
						? 1
						: -1];

uint32_t rastrum_compact_init(
	struct rastrum_compact *compact, uint32_t *words, uint32_t n_words, int keeps_newest)
{
	uint32_t n_blocks =
		rastrum_cells_init(&compact->blocks, words, n_words, RASTRUM_COMPACT_BLOCK / 4, keeps_newest);

	for (unsigned i = 0; i < RASTRUM_BITS_WORDS(RASTRUM_COMPACT_IDS); i++)
		rastrum_word_store(&compact->bits[i], 0);
	if (n_blocks < 2)
		return 0;
	compact->n_events = compact->n_lost = compact->n_told = compact->core = 0;
	compact->last = RASTRUM_STAMP();
	rastrum_compact_begin(compact, rastrum_cells_next(&compact->blocks, RASTRUM_COMPACT_BLOCK / 4));
	return n_blocks;
}

void rastrum_compact_begin(struct rastrum_compact *compact, uint32_t *block)
{
	uint8_t *bytes = (uint8_t *)block;

	block[0] = rastrum_little_endian(COMPACT_MARK | (uint32_t)COMPACT_RAW << 8 | compact->core << 24);
	block[1] = rastrum_little_endian(compact->n_events);
	block[2] = rastrum_little_endian(compact->n_lost);
	block[3] = rastrum_little_endian(compact->last);
	compact->at = bytes + RASTRUM_COMPACT_HEAD;
	compact->at[0] = COMPACT_END;
	compact->limit = bytes + RASTRUM_COMPACT_BLOCK - RASTRUM_COMPACT_RECORD;
}

/*
 * The record before did not leave room for one more in its block, or it went to the bin. The caller has the
 * lock.
 */
static COMPACT_SELDOM void compact_turn(struct rastrum_compact *compact)
{
	if (rastrum_compact_is_in_bin(compact))
		compact->n_lost++;
	else
		rastrum_compact_close(compact);
	if (rastrum_cells_has_room(&compact->blocks)) {
		rastrum_compact_begin(
			compact, rastrum_cells_next(&compact->blocks, RASTRUM_COMPACT_BLOCK / 4));
		return;
	}
	compact->at = compact->bin;
	compact->limit = compact->bin;
}

/* Where several cores record, a record in front reports a change of the core. */
static inline uint8_t *core_put(struct rastrum_compact *compact, uint8_t *at)
{
	uint32_t core = RASTRUM_CORE();

	if (core == compact->core)
		return at;
	compact->core = core;
	at[0] = COMPACT_CORE;
	at[1] = 0;
	at[2] = (uint8_t)(core & 127);
	return at + 3;
}

COMPACT_ALWAYS uint8_t *record_begin(struct rastrum_compact *compact, uint32_t id)
{
	uint8_t *at = compact->at;
	uint32_t last = compact->last, now;

	if (RASTRUM_N_CORES > 1)
		at = core_put(compact, at);
	now = RASTRUM_STAMP();
	compact->last = now;
	*at++ = (uint8_t)id;
	return rastrum_number_put(at, now - last);
}

/* The end mark is for a reader of the memory of a program that has died. */
COMPACT_ALWAYS void record_end(struct rastrum_compact *compact, uint8_t *at)
{
	*at = COMPACT_END;
	compact->at = at;
	compact->n_events++;
	if (at > compact->limit)
		compact_turn(compact);
}

void rastrum_compact_0(struct rastrum_compact *compact, uint32_t id)
{
	RASTRUM_LOCK_STATE state;

	if (!rastrum_bit_test(compact->bits, id & (RASTRUM_COMPACT_IDS - 1)))
		return;
	RASTRUM_LOCK(state);
	record_end(compact, record_begin(compact, id));
	RASTRUM_UNLOCK(state);
}

void rastrum_compact_1(struct rastrum_compact *compact, uint32_t id, uint32_t a)
{
	RASTRUM_LOCK_STATE state;

	if (!rastrum_bit_test(compact->bits, id & (RASTRUM_COMPACT_IDS - 1)))
		return;
	RASTRUM_LOCK(state);
	record_end(compact, rastrum_number_put(record_begin(compact, id), a));
	RASTRUM_UNLOCK(state);
}

void rastrum_compact_2(struct rastrum_compact *compact, uint32_t id, uint32_t a, uint32_t b)
{
	RASTRUM_LOCK_STATE state;

	if (!rastrum_bit_test(compact->bits, id & (RASTRUM_COMPACT_IDS - 1)))
		return;
	RASTRUM_LOCK(state);
	record_end(compact, rastrum_number_put(rastrum_number_put(record_begin(compact, id), a), b));
	RASTRUM_UNLOCK(state);
}

void rastrum_compact_3(struct rastrum_compact *compact, uint32_t id, uint32_t a, uint32_t b, uint32_t c)
{
	RASTRUM_LOCK_STATE state;

	if (!rastrum_bit_test(compact->bits, id & (RASTRUM_COMPACT_IDS - 1)))
		return;
	RASTRUM_LOCK(state);
	record_end(
		compact, rastrum_number_put(
				 rastrum_number_put(rastrum_number_put(record_begin(compact, id), a), b), c));
	RASTRUM_UNLOCK(state);
}
