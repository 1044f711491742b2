/* SPDX-License-Identifier: MIT */
/*
 * Reads a part of a dump. The survey sees each slot in any case. For every TX_PART_EVENTS events it records
 * where reading stands in front of them, and between which ticks they lie. Parts without a wanted event are
 * left out. The report is the same as if all had been read:
 *
 * - Parts are whole batches, so decisions that are made once for each batch (the widths of columns, whether
 *   the core is shown) stay the same.
 * - A part that has a type, a core, or a context for the first time is read: names make columns wider, and
 *   colours follow the order in which contexts are met. An interrupt has a context for each depth and for
 *   each context that it interrupted. Once an address means another object, all contexts are new.
 * - So the first part, where times begin, is always read.
 *
 * A trace is read whole if it has losses or damages, has several dumps, or has a clock that does not go up or
 * does not wrap at the mask.
 */
#include "dialect/threadx/threadx.h"

void tx_parts_narrow(void *state, const struct dialect_window *window)
{
	struct threadx *tx = state;
	struct tx_parts *parts = &tx->parts;
	const uint64_t n_all = parts->end.seq;
	const uint64_t first = window->n_last < n_all ? n_all - window->n_last : 0;

	for (size_t i = 0; i < parts->n; i++) {
		struct tx_part *part = &parts->items[i];
		const bool is_wanted = part->greatest_ticks >= window->from &&
				       part->least_ticks <= window->to &&
				       part->place.seq + part->n_events > first;

		part->is_left_out = !is_wanted && !part->is_needed;
	}
	parts->is_narrowed = true;
}

static void part_leave_out(struct tx_parts *parts, const struct tx_part *part)
{
	struct passed *passed = &parts->passed;

	if (parts->is_taken)
		*passed = (struct passed){ 0 };
	parts->is_taken = false;
	if (!passed->n_rows || part->least_ticks < passed->least_ticks)
		passed->least_ticks = part->least_ticks;
	if (part->greatest_ticks > passed->greatest_ticks)
		passed->greatest_ticks = part->greatest_ticks;
	passed->last_ticks = part->last_ticks;
	passed->n_rows += part->n_events;
	passed->n_events += part->n_events;
}

/* Keeps the survey's results for all slots. */
static void place_go_on(struct threadx *tx, const struct tx_place *place)
{
	const struct tx_place before = tx->place;

	tx->place = *place;
	tx->place.n_all = before.n_all;
	tx->place.n_rises = before.n_rises;
	tx->place.largest = before.largest;
}

void tx_parts_pass(struct threadx *tx)
{
	struct tx_parts *parts = &tx->parts;
	const size_t first = parts->next;
	const struct tx_part *part;

	if (!parts->is_narrowed || first == parts->n)
		return;
	part = &parts->items[first];
	if (tx->place.seq != part->place.seq)
		return;
	for (; parts->next < parts->n && part->is_left_out; part++, parts->next++)
		part_leave_out(parts, part);
	if (parts->next != first)
		place_go_on(tx, parts->next < parts->n ? &part->place : &parts->end);
	parts->next += parts->next < parts->n;
}

/* The cores of these events need not be passed on, because each core's first event is read. */
const struct passed *tx_parts_take_passed(void *state)
{
	struct threadx *tx = state;
	struct tx_parts *parts = &tx->parts;

	if (parts->is_taken || !parts->passed.n_rows)
		return NULL;
	parts->is_taken = true;
	return &parts->passed;
}
