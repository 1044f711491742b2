/* SPDX-License-Identifier: MIT */
/*
 * Looks once through an input that is available as a whole, before its first row. This finds names and clocks
 * that come late, and sorts the blocks of a ring area into the order in which they were written. Then the
 * blocks are read.
 */
#include <stdlib.h>

#include "base/array.h"
#include "dialect/posix/posix.h"

bool posix_entry_add(struct posix_entries *entries, const struct posix_entry *entry)
{
	struct posix_entry *items =
		array_room(entries->items, entries->n, &entries->room, sizeof(struct posix_entry));

	if (!items)
		return false;
	entries->items = items;
	items[entries->n++] = *entry;
	return true;
}

void posix_entry_of(struct posix_entry *entry, const struct log_item *found, bool is_block)
{
	*entry =
		(struct posix_entry){ .offset = found->offset, .length = found->length, .what = found->what };
	if (!is_block)
		return;
	entry->body = found->body;
	entry->length = found->block.length;
	entry->sequence = found->block.sequence;
	entry->kind = found->block.kind;
	entry->flags = found->block.flags;
}

static int compare_entries(const void *a, const void *b)
{
	const struct posix_entry *x = a, *y = b;

	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/*
 * The reason why a log with a ring area is incomplete; NULL if it is complete. The writer puts descriptions
 * behind the area before it puts any event into it. So if a file has events in the area and ends before the
 * area does, its end is missing. A log that has only just begun is as short, but has no events.
 */
static const char *area_fault(const struct posix_input *input, bool has_area_blocks)
{
	const struct log_header *header = &input->scan.header;

	if (!header->area_bytes && !input->is_bare)
		return NULL;
	if (input->entries.n == POSIX_AREA_ENTRIES_MAX)
		return "a log with a ring area has so many blocks that later ones are left out";
	if (input->is_held_full)
		return "a ring area that does not come from a file is held up to 256 MiB; the rest is left "
		       "out, save it to a file";
	return has_area_blocks && input->at + input->n_bytes < header->header_bytes + header->area_bytes
		       ? "the file is cut in the ring area; what stood behind is missing"
		       : NULL;
}

/* True if the blocks are, or may be, in another order than they were written in. */
bool posix_has_own_order(const struct posix_input *input)
{
	return input->is_bare || input->scan.header.area_bytes;
}

/*
 * The most entries that are looked at ahead, because a file may consist of the smallest blocks. A ring area
 * needs all of its entries.
 */
static size_t entries_max(const struct posix_input *input)
{
	return posix_has_own_order(input) ? POSIX_AREA_ENTRIES_MAX : POSIX_ENTRIES_MAX;
}

/* Damage has no sequence number; it stays behind the block in front of it. */
static bool gather_entries(struct posix_input *input)
{
	struct posix_entry entry, fault = { .sequence = UINT64_MAX };
	struct log_item found;
	enum log_found what = LOG_FOUND_BLOCK;
	uint64_t sequence = 0;
	bool has_area_blocks = false;

	input->entries.n = input->n_done = 0;
	input->scan.leaves_events = !posix_has_own_order(input) && !input->is_distrusted;
	if (posix_gather_spans(input))
		return input->is_scanned = true;
	while (input->entries.n < entries_max(input) &&
		(what = log_scan_next(&input->scan, input->bytes, input->n_bytes, input->at, true, &found)) <
			LOG_FOUND_MORE) {
		posix_entry_of(&entry, &found, what == LOG_FOUND_BLOCK);
		if (entry.body)
			sequence = entry.sequence;
		has_area_blocks |= entry.body && found.in_area;
		entry.sequence = sequence;
		if (!posix_entry_add(&input->entries, &entry))
			return false;
	}
	input->is_scanned = what >= LOG_FOUND_MORE || posix_has_own_order(input);
	fault.offset = input->at + input->n_bytes;
	fault.what = area_fault(input, has_area_blocks);
	input->is_told_cut |= fault.what != NULL;
	if (fault.what && !posix_entry_add(&input->entries, &fault))
		return false;
	if (input->entries.n && posix_has_own_order(input))
		qsort(input->entries.items, input->entries.n, sizeof(struct posix_entry), compare_entries);
	return true;
}

bool posix_look_ahead(struct posix *posix, struct model *model)
{
	struct posix_input *input = &posix->input;
	uint64_t n_before = posix->n_blocks, n_lost = input->n_lost;

	input->is_whole = true;
	if (!gather_entries(input))
		return false;
	for (size_t i = 0; i < input->entries.n; i++)
		if (!posix_look(posix, model, &input->entries.items[i]))
			return false;
	posix->n_blocks = n_before;
	input->n_lost = n_lost + input->n_lost_before;
	posix_clock(posix, model);
	return true;
}

/*
 * Gathers the entries again from this one on, because the checksum of its block is wrong. Then it finds the
 * same as a reader that checks every block.
 */
static bool gather_again(struct posix_input *input, const struct posix_entry *entry)
{
	input->is_distrusted = true;
	input->may_have_spans = false;
	input->unfolded.n = input->n_unfolded_done = 0;
	input->scan.offset = entry->offset;
	input->scan.damage_what = NULL;
	return gather_entries(input);
}

/* False for a span, which is here only if it could not be unfolded. */
static bool is_sound(struct posix_input *input, const struct posix_entry *entry)
{
	if (entry->is_span)
		return false;
	posix_fetch(input, entry);
	return !entry->body || entry->kind != LOG_EVENTS || !input->scan.leaves_events ||
	       log_is_sound(&input->scan, entry->body);
}

static const struct posix_entry *next_entry(const struct posix_input *input)
{
	return input->unfolded.n ? &input->unfolded.items[input->n_unfolded_done]
				 : &input->entries.items[input->n_done];
}

static void entry_done(struct posix_input *input)
{
	if (!input->unfolded.n) {
		input->n_done++;
	} else if (++input->n_unfolded_done == input->unfolded.n) {
		input->unfolded.n = 0;
		input->n_done++;
	}
}

/* Reads the next entry; its rows follow. */
static enum posix_step read_entry(struct posix *posix, struct model *model, struct batch *batch)
{
	struct posix_input *input = &posix->input;
	const struct posix_entry *entry = next_entry(input);
	enum posix_step step;

	if (entry->is_left_out && posix_may_leave_out(posix)) {
		if (batch->n_events)
			return POSIX_NO_ROOM; /* blocks that are left out must be in front of a batch */
		posix_leave_out(posix, entry);
		entry_done(input);
		return POSIX_DONE;
	}
	if (batch_is_full(batch))
		return POSIX_NO_ROOM;
	if (entry->is_span && posix_unfold(input, entry))
		return POSIX_DONE;
	if (!is_sound(input, entry))
		return gather_again(input, entry) ? POSIX_DONE : POSIX_NO_MEMORY;
	step = posix_block(posix, model, batch, entry);
	if (step == POSIX_DONE)
		entry_done(input);
	return step;
}

enum posix_step posix_read_entries(struct posix *posix, struct model *model, struct batch *batch)
{
	struct posix_input *input = &posix->input;
	enum posix_step step =
		posix->is_in_block ? posix_rows(posix, model, batch) : posix_oldest(posix, model, batch);

	while (step == POSIX_DONE && input->n_done < input->entries.n) {
		step = read_entry(posix, model, batch);
		if (step == POSIX_DONE && posix->is_in_block)
			step = posix_rows(posix, model, batch);
	}
	if (step == POSIX_DONE && !input->is_scanned)
		return posix_look_ahead(posix, model) ? POSIX_DONE : POSIX_NO_MEMORY;
	if (step == POSIX_DONE)
		input->phase = POSIX_OVER;
	return step;
}
