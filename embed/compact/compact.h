/* SPDX-License-Identifier: MIT */
/*
 * The compact encoder: events of two to six bytes, in blocks that each stand for themselves.
 * src/dialect/compact/README.md has the format.
 *
 *      static struct rastrum_compact trace;
 *      static uint32_t memory[1024];
 *
 *      rastrum_compact_init(&trace, memory, 1024, 0);
 *      rastrum_bits_set(trace.bits, 0, RASTRUM_COMPACT_IDS, 1);
 *
 *      rastrum_task_switch(&trace, task);                      events.h has the others
 *
 *      while ((n = rastrum_compact_take(&trace, wire, 0)))     as often as the link allows
 *              uart_send(wire, n);
 *
 * Memory is a ring of blocks. A stream (keeps_newest 0) refuses events while all blocks are full, a flight
 * recorder writes over the oldest block. Blocks have the numbers of their events, so readers find exactly
 * what is missing.
 */
#ifndef EMBED_COMPACT_COMPACT_H
#define EMBED_COMPACT_COMPACT_H

#include "embed/core/bits.h"
#include "embed/core/cells.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Bytes of a block: a multiple of 4, 64 to 256. A lost byte costs the events of one block, some 30 of 128
 * bytes.
 */
#ifndef RASTRUM_COMPACT_BLOCK
#define RASTRUM_COMPACT_BLOCK 128
#endif

#define RASTRUM_COMPACT_HEAD 16

/* The most bytes that rastrum_compact_take() needs: a block and its checksum. */
#define RASTRUM_COMPACT_WIRE (RASTRUM_COMPACT_BLOCK + 2)

/* Id, time and three values of five bytes each; if there are several cores, the core in front; and the end
 * mark. */
#define RASTRUM_COMPACT_RECORD (1 + 4 * 5 + (RASTRUM_N_CORES > 1 ? 3 : 0) + 1)

/*
 * An id is the number of an event and how many values it has, 0 to 3. Numbers from 32 to 63 are the
 * program's.
 */
#define RASTRUM_COMPACT_IDS		       256
#define RASTRUM_COMPACT_ID(number, n_values)   ((uint32_t)((number) << 2 | (n_values)))
#define RASTRUM_COMPACT_USER(number, n_values) RASTRUM_COMPACT_ID(32 + (number), (n_values))

struct rastrum_compact {
	uint32_t bits[RASTRUM_BITS_WORDS(RASTRUM_COMPACT_IDS)]; /* first: found without an addition */
	uint8_t *at;						/* where the next record goes */
	uint32_t last;						/* stamp of the last one */
	uint32_t n_events;					/* recorded or lost */
	const uint8_t *limit; /* at beyond it: the block is full, or the record went to the bin */
	uint32_t n_lost;      /* found no block */
	uint32_t n_told;      /* n_events when the last block was closed */
	uint32_t core;	      /* of the last record */
	struct rastrum_cells blocks;
	uint8_t bin[RASTRUM_COMPACT_RECORD]; /* where records go while there is no block */
};

/*
 * Makes an empty recorder over n_words of memory, which are its own from then on, and returns how many blocks
 * it has, 0: there is no room for two. No event is wanted at first.
 */
uint32_t rastrum_compact_init(
	struct rastrum_compact *compact, uint32_t *words, uint32_t n_words, int keeps_newest);

/*
 * Record an event of so many values, which its id must say, too, if it is wanted. Ids below 4 are the
 * format's own. From anywhere that the port's lock holds, and from cores 0 to 63. events.h has functions that
 * cannot be wrong about the id.
 */
void rastrum_compact_0(struct rastrum_compact *compact, uint32_t id);
void rastrum_compact_1(struct rastrum_compact *compact, uint32_t id, uint32_t a);
void rastrum_compact_2(struct rastrum_compact *compact, uint32_t id, uint32_t a, uint32_t b);
void rastrum_compact_3(struct rastrum_compact *compact, uint32_t id, uint32_t a, uint32_t b, uint32_t c);

/*
 * Takes the oldest block, ready to be sent, into `wire`, which has room for RASTRUM_COMPACT_WIRE bytes.
 * Returns the block's size in bytes, or 0 if there is no block. A block that is not full is taken only if
 * wants_all is not 0: at the end, or if no event may come for long. One reader at a time. The block is copied
 * inside the lock; the checksum is made outside.
 */
uint32_t rastrum_compact_take(struct rastrum_compact *compact, uint8_t *wire, int wants_all);

/* Events that were lost so far because no block was free. Takes the lock. */
uint32_t rastrum_compact_lost(const struct rastrum_compact *compact);

/* The kinds of things that have names. */
enum rastrum_name_kind {
	RASTRUM_NAME_CLOCK, /* the id is how often a second the clock counts; no text */
	RASTRUM_NAME_TASK,
	RASTRUM_NAME_INTERRUPT,
	RASTRUM_NAME_SEMAPHORE,
	RASTRUM_NAME_MUTEX,
	RASTRUM_NAME_QUEUE,
	RASTRUM_NAME_TIMER,
	RASTRUM_NAME_POOL,
	RASTRUM_NAME_FLAGS,
	RASTRUM_NAME_SPAN,
	RASTRUM_NAME_COUNTER,
	RASTRUM_NAME_USER, /* an event of the program, by its number 0 to 31 */
	RASTRUM_NAME_PROGRAM
};

struct rastrum_name {
	uint32_t kind; /* enum rastrum_name_kind */
	uint32_t id;
	const char *text; /* 40 bytes of it are kept; NULL if there is no text */
};

/*
 * Names take no room in the ring: the program sends them from a constant table, at the start, and again when
 * a reader joins. Puts as many into `wire` as fit, from number *next on, which it moves; returns how many
 * bytes, 0: all are done.
 */
uint32_t rastrum_compact_names(
	const struct rastrum_name *names, uint32_t n_names, uint32_t *next, uint8_t *wire);

#ifdef __cplusplus
}
#endif

#endif
