/* SPDX-License-Identifier: MIT */
/*
 * The order in which slots were written. The header's current pointer is the next slot to write; once the
 * ring has gone round, this is the oldest slot. Time stamps do not define the order (they may be equal, or
 * step back).
 *
 *	slots      0 ....... current ....... n
 *	written    |  newest  |   oldest    |        oldest first: [current, n) then [0, current)
 *
 * If a ring has not gone round, the slots from current on are empty and give no events.
 *
 * Several dumps of one ring make one trace. A later dump still has the entries that were not overwritten
 * since the dump before: in the same slots, at the beginning of its order. They are left out.
 */
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "dialect/threadx/threadx.h"

static bool add_run(struct threadx *tx, const struct tx_run *run)
{
	struct tx_run *runs = array_room(tx->runs, tx->n_runs, &tx->runs_room, sizeof(struct tx_run));

	if (!runs)
		return false;
	tx->runs = runs;
	runs[tx->n_runs++] = *run;
	return true;
}

static bool add_slots(struct threadx *tx, size_t image, uint64_t from, uint64_t to)
{
	return from >= to ||
	       add_run(tx, &(struct tx_run){ .image = image, .first = from, .n_slots = to - from });
}

static bool add_gap(struct threadx *tx, size_t image, const struct rst_gap *gap)
{
	return add_run(tx, &(struct tx_run){ .image = image, .is_gap = true, .gap = *gap });
}

/* The part of the ring that the input does not hold. */
static bool add_cut(struct threadx *tx, size_t index)
{
	const struct tx_image *image = &tx->images[index];
	uint64_t from = image->ring_at + image->n_whole * image->entry_bytes;

	if (image->n_whole == image->n_slots)
		return true;
	if (from > image->n_bytes)
		from = image->n_bytes;
	return add_gap(tx, index,
		&(struct rst_gap){ .offset = from,
			.n_bytes = tx_image_end(image) - from,
			.source = image->source,
			.marker = RST_DAMAGE,
			.what = "the dump is cut here: the header promises more entries" });
}

/* Adds gaps for the faults of the header that could be corrected. */
static bool add_header_faults(struct threadx *tx, size_t index)
{
	const struct tx_image *image = &tx->images[index];
	const unsigned word = image->layout.word;
	const struct rst_gap current = { .offset = image->offset + (uint64_t)TX_HEADER_CURRENT * word,
		.n_bytes = word,
		.source = image->source,
		.marker = RST_DAMAGE,
		.what = "the header's current pointer is not in the ring: the order is told by the time "
			"stamps" };
	const struct rst_gap registry = { .offset = image->offset + (uint64_t)TX_HEADER_REGISTRY_END * word,
		.n_bytes = word,
		.source = image->source,
		.marker = RST_DAMAGE,
		.what = "the header's registry end is not the ring's start, which was taken instead" };

	return (image->has_registry_end || add_gap(tx, index, &registry)) &&
	       (image->has_current || add_gap(tx, index, &current));
}

static bool is_same_ring(const struct tx_image *a, const struct tx_image *b)
{
	return a->base == b->base && a->ring_start == b->ring_start && a->n_slots == b->n_slots &&
	       a->layout.word == b->layout.word && a->layout.is_big == b->layout.is_big;
}

/*
 * Whether a slot holds the same event in both dumps. The information words of kernel and middleware events
 * may have been completed between the dumps (section "patched later" of README.md); those of user events, and
 * of USBX's from 1025 on, are never changed.
 */
static bool is_same_entry(const struct tx_image *a, const struct tx_image *b, uint64_t slot)
{
	const uint8_t *left, *right;
	size_t n_fixed;

	if (slot >= a->n_whole || slot >= b->n_whole)
		return false;
	left = tx_image_slot(a, slot);
	right = tx_image_slot(b, slot);
	n_fixed = (tx_word(a, left, TX_ENTRY_ID) & 0xffff) < TX_FIRST_USER_ID ? TX_ENTRY_INFO
									      : TX_ENTRY_INFO + TX_INFO_WORDS;
	return memcmp(left, right, n_fixed * a->layout.word) == 0;
}

static bool is_nothing(const struct tx_image *image, uint64_t slot)
{
	return slot >= image->n_whole || tx_word(image, tx_image_slot(image, slot), TX_ENTRY_THREAD) == 0;
}

/*
 * How many slots at the beginning of a dump's order have nothing new: empty, not dumped, or in the dump
 * before.
 */
static uint64_t count_known(const struct threadx *tx, size_t index, uint64_t *ret_n_events)
{
	const struct tx_image *image = &tx->images[index];
	const struct tx_image *before = index ? &tx->images[index - 1] : NULL;
	uint64_t n = 0;

	*ret_n_events = 0;
	if (!before || !is_same_ring(image, before))
		return 0;
	for (; n < image->n_slots; n++) {
		uint64_t slot = (image->current_index + n) % image->n_slots;

		if (is_nothing(image, slot))
			continue;
		if (!is_same_entry(image, before, slot))
			break;
		++*ret_n_events;
	}
	return n;
}

static bool has_gone_round(const struct tx_image *image)
{
	return image->current_index < image->n_whole &&
	       tx_word(image, tx_image_slot(image, image->current_index), TX_ENTRY_THREAD) != 0;
}

/*
 * Called in front of a dump that has no event of the dump before: it may be of another run of the target. If
 * it is of the same run and the ring has gone round since then, the ring has overwritten events that no dump
 * has.
 */
static bool add_boundary(struct threadx *tx, size_t index)
{
	const struct tx_image *image = &tx->images[index], *before = &tx->images[index - 1];
	const bool is_overrun = is_same_ring(image, before) && has_gone_round(image) &&
				image->current_index != before->current_index;

	return add_run(
		tx, &(struct tx_run){ .image = index,
			    .may_be_anew = true,
			    .is_gap = is_overrun,
			    .gap = { .marker = RST_LOSS,
				    .source = image->source,
				    .offset = image->ring_at,
				    .what = "the ring went round between two dumps: events between them were "
					    "overwritten" } });
}

static bool order_add_image(struct threadx *tx, struct model *model, size_t index)
{
	const struct tx_image *image = &tx->images[index];
	uint64_t n_events, current = image->current_index, known = count_known(tx, index, &n_events);
	uint64_t n_old = image->n_slots - current; /* slots from current to the end of the ring */
	uint64_t skip_old = known < n_old ? known : n_old, skip_new = known - skip_old;
	uint64_t n_whole = image->n_whole;

	if (n_events &&
		!model_warn(model, "%" PRIu64 " events of dump %zu were in the one before and are left out",
			n_events, index + 1))
		return false;
	if (index && !n_events && !add_boundary(tx, index))
		return false;
	if (!add_header_faults(tx, index))
		return false;
	if (!add_slots(tx, index, current + skip_old, n_whole))
		return false;
	if (current < n_whole && !add_cut(tx, index))
		return false;
	if (!add_slots(tx, index, skip_new, current < n_whole ? current : n_whole))
		return false;
	return current < n_whole || add_cut(tx, index);
}

static bool add_refusals(struct threadx *tx, size_t n_images)
{
	for (size_t i = 0; i < tx->n_refusals; i++)
		if (tx->refusals[i].n_images == n_images && !add_gap(tx, n_images - 1, &tx->refusals[i].gap))
			return false;
	return true;
}

/*
 * Finds where a ring without a current pointer begins: behind the place where stamps fall, if there is just
 * one. (A counter that runs down has one rise instead. That looks like many falls, so nothing is found.)
 */
static uint64_t find_seam(const struct tx_image *image)
{
	uint64_t seam = 0, n_falls = 0, last = 0;

	for (uint64_t i = 0; i < image->n_whole; i++) {
		const uint8_t *slot = tx_image_slot(image, i);
		uint64_t stamp = tx_word(image, slot, TX_ENTRY_STAMP) & image->timer_mask;

		if (tx_word(image, slot, TX_ENTRY_THREAD) == 0)
			continue;
		if (stamp < last) {
			seam = i;
			n_falls++;
		}
		last = stamp;
	}
	return n_falls == 1 ? seam : 0;
}

bool tx_order(struct threadx *tx, struct model *model)
{
	for (size_t i = 0; i < tx->n_images; i++)
		if (!tx->images[i].has_current)
			tx->images[i].current_index = find_seam(&tx->images[i]);
	for (size_t i = 0; i < tx->n_images; i++)
		if (!order_add_image(tx, model, i) || !add_refusals(tx, i + 1))
			return false;
	return true;
}

/*
 * In the file the part from slot 0 comes first: so the runs of an image are reversed, with their gaps, behind
 * a possible new run.
 */
struct tx_run *tx_run_at(const struct threadx *tx, size_t n)
{
	size_t first = n, last = n;

	if (!tx->in_file_order || tx->runs[n].may_be_anew)
		return &tx->runs[n];
	while (first > 0 && tx->runs[first - 1].image == tx->runs[n].image &&
		!tx->runs[first - 1].may_be_anew)
		first--;
	while (last + 1 < tx->n_runs && tx->runs[last + 1].image == tx->runs[n].image)
		last++;
	return &tx->runs[last - (n - first)];
}
