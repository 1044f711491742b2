/* SPDX-License-Identifier: MIT */
/*
 * The order of a dump's rows, oldest first, and the facts that need all rows: how many params a row has, and
 * whether the columns are those of liteos_m on ARM.
 */
#include "dialect/liteos/text.h"

#include <stdlib.h>

static uint32_t type_of(const struct liteos_text_dump *dump, const struct liteos_text_item *item)
{
	return dump->is_shifted ? (uint32_t)(item->time >> 32) : item->type;
}

/* Turns rows that are cut, or that name no event, into damage. */
static void rows_sift(struct liteos_text *text)
{
	struct liteos_text_dump *dump = &text->dump;
	unsigned n_params = 0;

	for (unsigned n = 1; n <= LITEOS_PARAMS_MAX && !text->wanted.has_params; n++)
		if (dump->n_rows[n] > dump->n_rows[n_params])
			n_params = n;
	if (text->wanted.has_params)
		n_params = text->wanted.n_params;
	dump->layout.n_params = n_params;
	dump->is_shifted = dump->n_shifted > dump->n_plain;
	for (size_t i = 0; i < text->n_items; i++) {
		struct liteos_text_item *item = &text->items[i];

		if (item->what)
			continue;
		if (item->n_params != n_params)
			item->what = text->wanted.has_params
					     ? "this row has not as many params as --opt params= says"
					     : "this row has not as many params as the others";
		else if (type_of(dump, item) == 0)
			item->what = "this row's event type is 0";
		dump->n_used += item->what == NULL;
		dump->has_huawei |= !item->what && liteos_event_is_huawei(type_of(dump, item));
	}
}

/*
 * Returns how far a row's stamp steps back from the row before it, or 0 if it does not. Counts and shifted
 * times have 32 bits.
 */
static uint64_t text_order_step_back(const struct liteos_text_dump *dump, const struct liteos_text_item *item,
	const struct liteos_text_item *before)
{
	const bool has_count = dump->columns.has_count;
	int64_t back = (int64_t)(before->time - item->time);

	if (has_count || dump->is_shifted)
		back = (int32_t)(has_count ? before->count - item->count
					   : (uint32_t)before->time - (uint32_t)item->time);
	return back > 0 ? (uint64_t)back : 0;
}

/* Finds the oldest row: at the write index, or, if that is unknown, behind the largest step back. */
static size_t find_oldest(const struct liteos_text *text)
{
	const struct liteos_text_dump *dump = &text->dump;
	const struct liteos_text_item *before = NULL;
	uint64_t largest = 0;
	size_t oldest = 0;

	for (size_t i = 0; i < text->n_items; i++) {
		const struct liteos_text_item *item = &text->items[i];
		uint64_t back;

		if (item->what)
			continue;
		if (dump->has_current && item->slot >= dump->current)
			return i;
		back = before && !dump->has_current ? text_order_step_back(dump, item, before) : 0;
		if (back > largest) {
			largest = back;
			oldest = i;
		}
		before = item;
	}
	return oldest;
}

/*
 * Whether times have only 32 bits. Shifted times have only their lower 32 bits, and some kernels (UniProton)
 * print no more. Then no time is longer, and times fall by more than half of 2^32 in the order of writing.
 */
static bool has_short_times(const struct liteos_text *text, size_t oldest)
{
	const struct liteos_text_item *before = NULL;
	bool has_wrapped = false;

	if (text->dump.is_shifted)
		return true;
	for (size_t n = 0; n < text->n_items; n++) {
		const struct liteos_text_item *item = &text->items[(oldest + n) % text->n_items];

		if (item->what)
			continue;
		if (item->time > UINT32_MAX)
			return false;
		has_wrapped |= before && before->time > item->time && before->time - item->time > INT32_MAX;
		before = item;
	}
	return has_wrapped && (text->dump.has_current || text->dump.columns.has_count);
}

/* Unwraps times of 32 bits, in the order in which the ring was written. */
static void settle_times(struct liteos_text *text, size_t oldest)
{
	struct clock clock;

	text->dump.has_short_times = has_short_times(text, oldest);
	clock_init(&clock, (uint64_t)1 << 32, false);
	for (size_t n = 0; n < text->n_items; n++) {
		struct liteos_text_item *item = &text->items[(oldest + n) % text->n_items];

		item->type = item->what ? 0 : type_of(&text->dump, item);
		item->stamp = text->dump.has_short_times ? item->time & UINT32_MAX : item->time;
		if (text->dump.has_short_times && !item->what)
			item->time = clock_ticks(&clock, item->stamp);
	}
}

static void text_order_settle_keys(struct liteos_text *text, size_t oldest)
{
	const uint64_t middle = (uint64_t)1 << 62;
	const struct liteos_text_item *first = NULL;
	uint64_t key = 0;

	for (size_t n = 0; n < text->n_items; n++) {
		struct liteos_text_item *item = &text->items[(oldest + n) % text->n_items];

		if (!item->what && !first)
			first = item;
		if (!item->what && text->dump.columns.has_count)
			key = middle + (uint64_t)(int64_t)(int32_t)(item->count - first->count);
		else if (!item->what)
			key = item->time;
		item->key = key;
		item->number = (uint32_t)n;
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct liteos_text_item *first = a, *second = b;

	if (first->key != second->key)
		return first->key < second->key ? -1 : 1;
	return first->number < second->number ? -1 : first->number > second->number;
}

/* Finds the row that was given out last, if this dump has it, too. Returns n_items if it does not. */
static size_t find_last(const struct liteos_text *text)
{
	const struct liteos_text_item *last = &text->last;

	for (size_t i = text->n_items; i-- > 0;) {
		const struct liteos_text_item *item = &text->items[i];

		if (!item->what && item->stamp == last->stamp && item->count == last->count &&
			item->type == last->type)
			return i;
	}
	return text->n_items;
}

static const struct liteos_text_item *first_row(const struct liteos_text *text)
{
	size_t i = 0;

	while (i < text->n_items && text->items[i].what)
		i++;
	return i < text->n_items ? &text->items[i] : NULL;
}

/* Makes times of 32 bits go on from the dump before: this row of the dump has that time. */
static void times_go_on(struct liteos_text *text, const struct liteos_text_item *row, uint64_t time)
{
	const uint64_t step = time - row->time;

	for (size_t i = 0; i < text->n_items && text->dump.has_short_times; i++)
		text->items[i].time += step;
}

/*
 * Joins the dump to the one before. Rows up to the newest one that was given out are not given out again. If
 * a dump lacks that row, and its time begins before it, the target was restarted.
 */
static void follow_dump(struct liteos_text *text)
{
	const struct liteos_text_item *last = &text->last, *first = first_row(text);
	const size_t n = find_last(text);

	if (!text->has_last || !first)
		return;
	if (n < text->n_items) {
		times_go_on(text, &text->items[n], last->time);
		for (size_t i = 0; i <= n; i++)
			text->n_repeated += text->items[i].what == NULL;
		text->n_out = n + 1;
		return;
	}
	text->dump.is_anew = text->dump.has_short_times ? (int32_t)(uint32_t)(first->stamp - last->stamp) < 0
							: first->time < last->time;
	if (text->dump.columns.has_count && first->count == last->count + 1)
		text->dump.is_anew = false;
	if (!text->dump.is_anew)
		times_go_on(text, first, last->time + (uint32_t)(first->stamp - last->stamp));
}

static void find_first_ticks(const struct liteos_text *text, struct model *model)
{
	if (text->n_dumps > 1)
		return;
	for (size_t i = 0; i < text->n_items; i++) {
		const struct liteos_text_item *item = &text->items[i];

		if (item->what || (model->has_first_ticks && item->time >= model->first_ticks))
			continue;
		model->has_first_ticks = true;
		model->first_ticks = model->last_ticks = item->time;
	}
}

static enum liteos_variant text_order_variant_of(
	const struct liteos *liteos, const struct liteos_text_dump *dump)
{
	if (liteos->wanted.variant != LITEOS_UNSURE)
		return liteos->wanted.variant;
	if (dump->columns.has_pid || dump->columns.n_lr)
		return LITEOS_A;
	return dump->has_huawei ? LITEOS_H5 : LITEOS_M;
}

/*
 * Sets the layout. Numbers in a text have no byte order, and identities and params have only their lower 32
 * bits.
 */
static bool use_layout(struct liteos *liteos)
{
	struct liteos_text_dump *dump = &liteos->text->dump;

	dump->layout.variant = text_order_variant_of(liteos, dump);
	dump->layout.ptr = 4;
	dump->layout.is_printed = true;
	dump->layout.has_pid = dump->columns.has_pid;
	dump->layout.has_core = dump->columns.has_core;
	dump->layout.has_count = dump->columns.has_count;
	dump->layout.n_lr = dump->columns.n_lr;
	liteos_layout_offsets(&dump->layout);
	return liteos_use_layout(liteos, &dump->layout);
}

static void dump_refuse(struct liteos_text *text)
{
	for (size_t i = 0; i < text->n_items; i++)
		text->items[i].what = "a row with columns of one kind more than are kept";
}

/* Warns of settings that the first dump itself makes idle. */
static bool text_order_warn_settings(struct liteos *liteos, struct model *model)
{
	struct liteos_text *text = liteos->text;
	bool has_title = text->dump.columns.has_title;

	if (text->has_warned)
		return true;
	text->has_warned = true;
	return liteos_warn_idle(liteos, model, LITEOS_SETTING_PTR,
		       "a text has 32 bits of each word, whatever pointers have") &&
	       (!has_title || liteos_warn_idle(liteos, model,
				      LITEOS_SETTING_CORE | LITEOS_SETTING_COUNT | LITEOS_SETTING_LR,
				      "the text has titles over its columns, which tell it"));
}

bool liteos_text_settle(struct liteos *liteos, struct model *model)
{
	struct liteos_text *text = liteos->text;
	size_t oldest;

	rows_sift(text);
	if (!use_layout(liteos))
		dump_refuse(text);
	liteos_forget_interrupts(liteos);
	oldest = find_oldest(text);
	if (text->n_items) {
		settle_times(text, oldest);
		text_order_settle_keys(text, oldest);
	}
	if (!liteos->in_file_order && text->n_items) {
		qsort(text->items, text->n_items, sizeof(*text->items), compare_rows);
		follow_dump(text);
	}
	find_first_ticks(text, model);
	if (text->n_dumps == 1) {
		text->first = text->dump;
		model->clock_bits = 64;
	}
	if (text->dump.has_short_times)
		model->clock_bits = 32;
	text->n_slots += text->dump.n_slots;
	text->n_used += text->dump.n_used;
	text->is_ready = true;
	return text_order_warn_settings(liteos, model);
}
