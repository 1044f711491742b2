/* SPDX-License-Identifier: MIT */
/*
 * The parts that the survey records, one for every TX_PART_EVENTS events: where reading stands in front of
 * them, and what they contain.
 */
#include "dialect/threadx/marks.h"

#include <stdlib.h>

#include "base/array.h"

enum { TAG_EPOCH_SHIFT = 9 };

static struct tx_marking *marking_free(struct tx_marking *marking)
{
	if (marking) {
		map_done(&marking->contexts);
		arena_done(&marking->arena);
	}
	free(marking);
	return NULL;
}

bool tx_parts_begin(struct threadx *tx)
{
	struct tx_marking *marking;

	if (tx->n_images != 1 || tx->n_refusals || tx->direction == TX_GOES_DOWN)
		return false;
	for (size_t i = 0; i < tx->n_runs; i++)
		if (tx->runs[i].is_gap)
			return false;
	marking = calloc(1, sizeof(*marking));
	if (!marking)
		return false;
	clock_init(&marking->clock, tx_modulus(tx), false);
	marking->steps_from =
		marking->clock.modulus ? marking->clock.modulus - marking->clock.jitter : INT64_MAX;
	for (size_t i = 0; i < TX_CORES; i++)
		marking->depth[i] = TX_CORE_NOT_MET;
	marking->factor = map_factor();
	tx->parts.marking = marking;
	return true;
}

static bool parts_drop(struct tx_parts *parts)
{
	parts->n = 0;
	parts->marking = marking_free(parts->marking);
	return false;
}

static struct tx_part *part_now(const struct tx_parts *parts)
{
	return &parts->items[parts->n - 1];
}

/* --- contexts ------------------------------------------------------------------------------------------- */

/* Whether the context is met for the first time. A context whose key collides in the map counts as new. */
static bool is_new_context(struct tx_marking *marking, struct tx_met met)
{
	const uint64_t key = met.word ^ met.tag * marking->factor;
	const struct tx_met *known = map_find(&marking->contexts, key);
	struct tx_met *kept;

	if (known && known->word == met.word && known->tag == met.tag)
		return false;
	kept = arena_alloc(&marking->arena, sizeof(*kept));
	/*
	 * The model does not keep so many contexts, and their order decides which it keeps; so such traces
	 * have no parts.
	 */
	marking->is_refused |= !kept || ++marking->n_contexts > CONTEXTS_MAX - RST_CONTEXT_IDLE - 1;
	if (!kept)
		return true;
	*kept = met;
	marking->is_refused |= !map_set(&marking->contexts, key, kept);
	return true;
}

/* Whether the event's core, type or context is met for the first time. Takes over its depth. */
static bool has_news(struct tx_marking *marking, const struct tx_image *image, const uint8_t *slot)
{
	const uint64_t id_word = tx_word(image, slot, TX_ENTRY_ID);
	uint16_t *depth = &marking->depth[id_word >> 24 & 0xff];
	bool *has_type = &marking->has_type[id_word & 0xffff];
	const bool is_first = *depth == TX_CORE_NOT_MET || !*has_type;
	uint8_t behind;
	const struct tx_met met = tx_met_nested(marking, slot, image->layout.word, image->layout.is_big,
		tx_word(image, slot, TX_ENTRY_THREAD), id_word, &behind);

	*depth = behind;
	*has_type = true;
	if (tx_was_met(marking, met))
		return is_first;
	*tx_recent_of(marking, met) = met;
	return is_new_context(marking, met) || is_first;
}

/* --- the clock ------------------------------------------------------------------------------------------ */

static void part_reach(struct tx_part *part, uint64_t ticks)
{
	part->least_ticks = ticks < part->least_ticks ? ticks : part->least_ticks;
	part->greatest_ticks = ticks > part->greatest_ticks ? ticks : part->greatest_ticks;
}

/* Moves the clock on to the stamp of the event before; all stamps up to it were plain steps. */
static void clock_catch_up(struct clock *clock, struct tx_part *part, uint64_t stamp)
{
	if (clock->stamp == stamp)
		return;
	clock->ticks += stamp - clock->stamp;
	clock->stamp = stamp;
	part_reach(part, clock->ticks);
}

/* --- what the survey calls ------------------------------------------------------------------------------ */

void tx_marks_run(struct tx_marking *marking)
{
	marking->has_written = marking->has_empty = false;
}

/* Begins the next event's part, at this slot of the run or behind it. Returns false if memory ran out. */
static bool part_begin(struct threadx *tx, const struct tx_run *run, uint64_t slot, uint64_t seq)
{
	struct tx_parts *parts = &tx->parts;
	const struct tx_marking *marking = parts->marking;
	struct tx_part *items = array_room(parts->items, parts->n, &parts->room, sizeof(*items)), *part;

	if (!items)
		return false;
	parts->items = items;
	part = &items[parts->n++];
	*part = (struct tx_part){ .least_ticks = UINT64_MAX,
		.place = { .run = (size_t)(run - tx->runs),
			.slot = slot,
			.has_entered = true,
			.has_written = marking->has_written,
			.ticking = marking->clock,
			.seq = seq } };
	for (size_t i = 0; i < TX_CORES; i++)
		part->place.depth[i] =
			(uint8_t)(marking->depth[i] == TX_CORE_NOT_MET ? 0 : marking->depth[i]);
	return true;
}

uint64_t tx_marks_room(struct threadx *tx, const struct tx_run *run, uint64_t from, uint64_t n_slots,
	const struct tx_stamps *stamps)
{
	struct tx_parts *parts = &tx->parts;
	uint64_t n_left;

	if (!parts->n || part_now(parts)->n_events == TX_PART_EVENTS) {
		/* Most likely the clock will be taken to run down. */
		const bool is_down = tx->direction == TX_FIND_OUT && stamps->n_falls > stamps->n_rises;

		if (is_down || !part_begin(tx, run, from, stamps->n_events))
			return parts_drop(parts);
	}
	/*
	 * Behind the last event there can be any number of empty slots. Any other event there ends the
	 * marking.
	 */
	if (parts->marking->has_empty)
		return n_slots;
	n_left = TX_PART_EVENTS - part_now(parts)->n_events;
	return n_left < n_slots ? n_left : n_slots;
}

struct tx_plain_steps tx_marks_plain(const struct tx_parts *parts, const struct tx_stamps *stamps)
{
	const struct tx_marking *marking = parts->marking;

	if (part_now(parts)->n_events == 0 || marking->has_empty)
		return (struct tx_plain_steps){ 0 };
	return tx_stamps_plain(stamps, marking->steps_from, false);
}

void tx_marks_pass(struct tx_parts *parts, uint64_t n)
{
	part_now(parts)->n_events += n;
	parts->marking->has_written = true;
}

void tx_marks_empty(struct tx_marking *marking)
{
	marking->has_empty = marking->has_written;
}

void tx_marks_see(struct tx_parts *parts, const struct tx_image *image, const uint8_t *slot, uint64_t before,
	bool has_changed)
{
	const uint64_t stamp = tx_word(image, slot, TX_ENTRY_STAMP) & image->timer_mask;
	struct tx_marking *marking = parts->marking;
	struct tx_part *part = part_now(parts);
	const uint64_t modulus = marking->clock.modulus;

	marking->is_refused |= marking->has_empty;
	marking->has_written = true;
	marking->epoch += (uint64_t)has_changed << TAG_EPOCH_SHIFT;
	part->is_needed |= has_news(marking, image, slot) || has_changed;
	/* A deletion takes effect from the next event on. */
	marking->epoch += (uint64_t)has_changed << TAG_EPOCH_SHIFT;
	clock_catch_up(&marking->clock, part, before);
	part_reach(part, clock_ticks(&marking->clock, modulus ? stamp % modulus : stamp));
	part->n_events++;
}

bool tx_marks_pause(struct tx_parts *parts, uint64_t last)
{
	struct tx_marking *marking = parts->marking;

	if (marking->is_refused)
		return parts_drop(parts);
	clock_catch_up(&marking->clock, part_now(parts), last);
	part_now(parts)->last_ticks = marking->clock.ticks;
	return true;
}

void tx_parts_end(struct threadx *tx, const struct model *model)
{
	struct tx_parts *parts = &tx->parts;
	struct tx_marking *marking = parts->marking;

	if (!marking)
		return;
	/* Some stamps contradict the user's wrap, so the clock's times are not those of the stamps. */
	if (marking->clock.modulus != tx->modulus || model->clock_is_down || !tx->place.n_all ||
		(tx->modulus && tx->place.largest >= tx->modulus))
		parts->n = 0;
	/* If all slots behind a whole part are empty, the last part has no event. */
	else if (part_now(parts)->n_events == 0)
		parts->n--;
	parts->end =
		(struct tx_place){ .run = tx->n_runs, .ticking = marking->clock, .seq = tx->place.n_all };
	parts->marking = marking_free(marking);
}

void tx_parts_done(struct tx_parts *parts)
{
	marking_free(parts->marking);
	free(parts->items);
}
