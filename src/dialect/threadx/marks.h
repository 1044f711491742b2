/* SPDX-License-Identifier: MIT */
/*
 * Records parts (parts.c) during the survey's one pass over all slots. Nearly all events have nothing new:
 * their type, core and context were met before, and the clock goes on. The survey finds these events with the
 * inline functions here, and only counts them.
 */
#ifndef THREADX_MARKS_H
#define THREADX_MARKS_H

#include "dialect/threadx/stamps.h"
#include "dialect/threadx/threadx.h"

enum { TX_CORES = 256, TX_CORE_NOT_MET = UINT16_MAX, TX_MET_BITS = 10 };

/*
 * A thread or an interrupt that has a context of its own. For a thread, word is its pointer and the low bits
 * of tag are 0. For an interrupt, word is what it interrupted and the low bits of tag are 1 + its depth. The
 * high bits of tag count how often addresses have changed their meaning.
 */
struct tx_met {
	uint64_t word, tag;
};

struct tx_marking {
	uint64_t epoch; /* of a tag */
	uint16_t depth[TX_CORES];
	struct tx_met recent[1 << TX_MET_BITS]; /* contexts that were met, by a hash */
	bool has_type[TX_IDS];			/* it was met */
	struct clock clock;			/* at the last event that was not a plain step */
	uint64_t steps_from; /* a stamp that differs so much from the one before needs the clock */
	bool has_written;    /* the run has had an event … */
	bool has_empty;	     /* … and slots without one since then */
	bool is_refused;
	struct map contexts; /* to struct tx_met: all of them */
	struct arena arena;
	uint64_t n_contexts, factor;
};

static inline struct tx_met *tx_recent_of(struct tx_marking *marking, struct tx_met met)
{
	return &marking->recent[(met.word + met.tag) * 0x9e3779b97f4a7c15U >> (64 - TX_MET_BITS)];
}

static inline bool tx_was_met(struct tx_marking *marking, struct tx_met met)
{
	const struct tx_met *recent = tx_recent_of(marking, met);

	return recent->word == met.word && recent->tag == met.tag;
}

/*
 * Returns the context of an event of an interrupt, of the first event on a core, or of the first event behind
 * an interrupt. *ret_depth becomes the core's depth behind the event.
 */
static inline struct tx_met tx_met_nested(const struct tx_marking *marking, const uint8_t *slot,
	unsigned word, bool is_big, uint64_t thread, uint64_t id_word, uint8_t *ret_depth)
{
	const uint16_t before = marking->depth[id_word >> 24 & 0xff];
	const uint64_t state = load_word(slot + (size_t)(TX_ENTRY_INFO + 2) * word, word, is_big);
	uint8_t now;

	*ret_depth = (uint8_t)(before == TX_CORE_NOT_MET ? 0 : before);
	now = tx_depth(ret_depth, id_word & 0xffff, thread, state);
	if (thread != TX_CONTEXT_ISR)
		return (struct tx_met){ thread, marking->epoch };
	return (struct tx_met){ load_word(slot + (size_t)TX_ENTRY_PRIORITY * word, word, is_big),
		marking->epoch + 1 + now };
}

/*
 * Whether the survey may skip an event whose type was met: its core and context were met, too. If so, takes
 * over its depth. Called with constant word and is_big.
 */
static inline __attribute__((always_inline)) bool tx_marks_know(
	struct tx_marking *marking, const uint8_t *slot, unsigned word, bool is_big)
{
	const uint64_t thread = load_word(slot + (size_t)TX_ENTRY_THREAD * word, word, is_big);
	const uint64_t id_word = load_word(slot + (size_t)TX_ENTRY_ID * word, word, is_big);
	uint16_t *depth = &marking->depth[id_word >> 24 & 0xff];
	uint8_t behind;

	if (__builtin_expect(thread != TX_CONTEXT_ISR && *depth == 0, 1))
		return tx_was_met(marking, (struct tx_met){ thread, marking->epoch });
	if (*depth == TX_CORE_NOT_MET ||
		!tx_was_met(marking, tx_met_nested(marking, slot, word, is_big, thread, id_word, &behind)))
		return false;
	*depth = behind;
	return true;
}

/* Called at the first slot of a run. */
void tx_marks_run(struct tx_marking *marking);

/*
 * Returns how many of the n_slots slots, from `from` of the run on, the current part takes: at least one.
 * Begins a new part if needed. Returns 0 if marking is over, because memory ran out or the trace cannot have
 * parts.
 */
uint64_t tx_marks_room(struct threadx *tx, const struct tx_run *run, uint64_t from, uint64_t n_slots,
	const struct tx_stamps *stamps);

/*
 * Which steps to the next event are plain. Before a part's first event and behind an empty slot, no step is
 * plain.
 */
struct tx_plain_steps tx_marks_plain(const struct tx_parts *parts, const struct tx_stamps *stamps);

/* Counts n plain events. */
void tx_marks_pass(struct tx_parts *parts, uint64_t n);

/* Records slots without an event. */
void tx_marks_empty(struct tx_marking *marking);

/*
 * Records the next event, whatever it is. before: the previous event's stamp. has_changed: from this event
 * on, an address has another meaning.
 */
void tx_marks_see(struct tx_parts *parts, const struct tx_image *image, const uint8_t *slot, uint64_t before,
	bool has_changed);

/*
 * Called after all slots that tx_marks_room() gave; last: the last stamp. Returns false if the trace cannot
 * have parts; then marking is over.
 */
bool tx_marks_pause(struct tx_parts *parts, uint64_t last);

#endif
