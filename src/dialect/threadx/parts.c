/* SPDX-License-Identifier: MIT */
/*
 * Reading a part of a dump: the survey, which sees each slot in any case, leaves for every TX_PART_EVENTS events where reading stands in front
 * of them, and between which ticks they lie. Parts without a wanted event are left out. What a report shows is the same as if all had been read:
 *
 * - Parts are whole batches, so that what is decided for a batch at once (the widths of columns, whether the core is shown) is as it was.
 * - A part that has a type, a core, or a context for the first time is read: names make columns wider, and colours are by the order in
 *   which contexts are met. An interrupt is a context for each depth and for each one that it interrupted. From where an address means
 *   another object on, all contexts are new.
 * - The first part, where times begin, is thereby read, too.
 *
 * Traces with losses or damages in them, of several dumps, or with another clock than one that goes up and wraps at the mask, are read whole.
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

/* What the survey found of all slots stays as it is. */
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

/* On which cores they were need not be told: each core's first event is read. */
const struct passed *tx_parts_take_passed(void *state)
{
	struct threadx *tx = state;
	struct tx_parts *parts = &tx->parts;

	if (parts->is_taken || !parts->passed.n_rows)
		return NULL;
	parts->is_taken = true;
	return &parts->passed;
}
