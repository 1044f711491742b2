/* SPDX-License-Identifier: MIT */
/*
 * Makes the rows of a dump from lines. Text in front of a line, before a dump or behind it comes from another
 * program. A foreign line within a dump is damage, because it stands in the place of a row.
 */
#include "dialect/liteos/text.h"

#include "base/array.h"

static struct liteos_text_item *add_item(
	struct liteos_text *text, uint64_t offset, uint64_t n_bytes, const char *what)
{
	struct liteos_text_item *items =
		array_room(text->items, text->n_items, &text->items_room, sizeof(struct liteos_text_item));

	if (!items)
		return NULL;
	text->items = items;
	items[text->n_items] =
		(struct liteos_text_item){ .offset = offset, .n_bytes = n_bytes, .what = what };
	return &items[text->n_items++];
}

bool liteos_text_damage(struct liteos_text *text, uint64_t offset, uint64_t n_bytes, const char *what)
{
	struct liteos_text_item *last = text->n_items ? &text->items[text->n_items - 1] : NULL;

	if (last && last->what == what && last->offset + last->n_bytes == offset) {
		last->n_bytes += n_bytes;
		return true;
	}
	/* Beyond the limit, a damaged place becomes part of the last one. */
	if (text->n_items > LITEOS_TEXT_ITEMS_MAX && last->what && !last->n_missing) {
		last->n_bytes = offset + n_bytes - last->offset;
		return true;
	}
	return add_item(text, offset, n_bytes, what) != NULL;
}

static bool is_unused(const struct liteos_text_row *row)
{
	return row->time == 0 && row->type == 0;
}

/* Adds a gap for slots without lines. If events are counted, the counts are better. */
static bool add_missing(struct liteos_text *text, uint64_t offset, uint64_t slot)
{
	struct liteos_text_dump *dump = &text->dump;
	const uint64_t expected = dump->has_slot ? dump->last_slot + 1 : slot;
	struct liteos_text_item *item;

	dump->has_slot = true;
	dump->last_slot = slot;
	if (slot <= expected || dump->columns.has_count)
		return true;
	item = add_item(text, offset, 0, "rows are missing");
	if (item)
		item->n_missing = slot - expected;
	return item != NULL;
}

/*
 * Points for a number as that of an event. Programs may use any number, so the numbers of the kernels count
 * more.
 */
static unsigned number_likelihood(uint32_t type)
{
	return liteos_is_listed(type, LITEOS_M) ? 2 : liteos_is_likely(type);
}

/* A line without its end. */
struct line {
	const uint8_t *bytes;
	size_t n_bytes;
	size_t n_left;	 /* bytes from here to the end of the chunk */
	uint64_t offset; /* in the input */
	enum liteos_line kind;
	uint64_t number;  /* the number in a line of some kinds */
	const char *what; /* its fault as a row; NULL if it is a row */
};

/* Returns false if the line is not a row, and why in `what`. *ret_has_memory is false if memory ran out. */
static bool take_row(struct liteos_text *text, struct line *line, bool *ret_has_memory)
{
	struct liteos_text_dump *dump = &text->dump;
	struct liteos_text_row row;
	struct liteos_text_item *item;

	line->what = "this line is none of the dump";
	if (!dump->columns.is_known &&
		!liteos_text_guess(&dump->columns, &text->wanted, line->bytes, line->n_bytes))
		return false;
	line->what = liteos_text_parse_row(&row, &dump->columns, line->bytes, line->n_bytes);
	if (!line->what && row.index > UINT16_MAX)
		line->what = "this row's Index is larger than a ring can be";
	if (line->what)
		return false;
	if (text->n_items >= LITEOS_TEXT_ITEMS_MAX) {
		*ret_has_memory = liteos_text_damage(
			text, line->offset, line->n_bytes + 1, "there are more rows than one dump can have");
		return true;
	}
	*ret_has_memory = add_missing(text, line->offset, row.index);
	dump->n_slots++;
	if (!*ret_has_memory || is_unused(&row))
		return true;
	item = add_item(text, line->offset, line->n_bytes, NULL);
	*ret_has_memory = item != NULL;
	if (!item)
		return true;
	item->slot = (uint32_t)row.index;
	item->time = row.time;
	item->count = (uint32_t)row.count;
	item->type = (uint32_t)row.type;
	item->n_params = row.n_params;
	dump->n_rows[row.n_params]++;
	dump->n_plain += number_likelihood(item->type);
	dump->n_shifted += number_likelihood((uint32_t)(row.time >> 32));
	return true;
}

static bool take_object(struct liteos *liteos, struct model *model, const struct liteos_text_object *object)
{
	return (!object->id && !object->priority && !object->name_bytes) ||
	       liteos_add_object(liteos, model, (uint32_t)object->id, (uint32_t)object->priority,
		       object->name, object->name_bytes);
}

/* Whether the table with this title has free fields. */
static bool is_free_below(const struct liteos_columns *columns, const struct line *title)
{
	const uint8_t *end = memchr(title->bytes, '\n', title->n_left);
	const size_t n_used = end ? (size_t)(end - title->bytes) + 1 : title->n_left;

	return liteos_text_is_free(columns, title->bytes + n_used, title->n_left - n_used);
}

/* Takes a line of the dump that is not a row of events. Returns false if memory ran out. */
static bool take_line(struct liteos *liteos, struct model *model, const struct line *line)
{
	struct liteos_text_dump *dump = &liteos->text->dump;
	struct liteos_text_object object;

	switch (line->kind) {
	case LINE_CLOCK:
		dump->hz = line->number;
		return liteos_take_clock(liteos, model, line->number);
	case LINE_OBJECT_INDEX:
		dump->has_current_object = true;
		dump->current_object = line->number;
		return true;
	case LINE_EVENT_INDEX:
		dump->has_current = true;
		dump->current = line->number;
		return true;
	case LINE_OBJECT_TITLE:
	case LINE_EVENT_TITLE:
		liteos_text_columns(&dump->columns, line->bytes, line->n_bytes);
		dump->columns.is_known = dump->columns.has_title = line->kind == LINE_EVENT_TITLE;
		dump->columns.is_free = is_free_below(&dump->columns, line);
		dump->is_free |= dump->columns.is_free;
		return true;
	case LINE_OTHER:
		if (liteos_text_parse_object(&object, &dump->columns, line->bytes, line->n_bytes))
			return take_object(liteos, model, &object);
		return liteos_text_damage(liteos->text, line->offset, line->n_bytes + 1, line->what);
	case LINE_BEGIN:
	case LINE_END:
	case LINE_EMPTY:
		break;
	}
	return true;
}

/* Whether this line begins a dump; the dump's first lines may be missing. *ret_has_memory as above. */
static bool begins_dump(struct liteos_text *text, const struct line *line, bool *ret_has_memory)
{
	const enum liteos_line kind = line->kind;
	struct liteos_columns columns = { 0 };
	struct liteos_text_object object;
	bool is_row = kind == LINE_OTHER && text->n_dumps == 0 &&
		      (liteos_text_guess(&columns, &text->wanted, line->bytes, line->n_bytes) ||
			      liteos_text_parse_object(&object, &columns, line->bytes, line->n_bytes));

	if (kind == LINE_EMPTY || kind == LINE_END || (kind == LINE_OTHER && !is_row))
		return false;
	text->is_inside = true;
	text->n_dumps++;
	*ret_has_memory = kind == LINE_BEGIN ||
			  liteos_text_damage(text, line->offset, 0, "the beginning of the dump is missing");
	return true;
}

/* Takes any line, and finds its kind and number. */
static enum liteos_taken take_any(struct liteos *liteos, struct model *model, struct line *line)
{
	struct liteos_text *text = liteos->text;
	bool has_memory = true;

	if (text->is_inside && take_row(text, line, &has_memory))
		return has_memory ? LITEOS_LINE_TAKEN : LITEOS_NO_MEMORY;
	line->kind = liteos_text_line(line->bytes, line->n_bytes, text->dump.columns.margin, &line->number);
	if (text->is_inside && line->kind == LINE_BEGIN)
		return LITEOS_DUMP_CUT;
	if (!text->is_inside) {
		if (!begins_dump(text, line, &has_memory))
			return LITEOS_LINE_TAKEN;
		if (has_memory && line->kind == LINE_OTHER && take_row(text, line, &has_memory))
			return has_memory ? LITEOS_LINE_TAKEN : LITEOS_NO_MEMORY;
	}
	if (!has_memory || !take_line(liteos, model, line))
		return LITEOS_NO_MEMORY;
	return line->kind == LINE_END ? LITEOS_DUMP_ENDS : LITEOS_LINE_TAKEN;
}

enum liteos_taken liteos_text_take(struct liteos *liteos, struct model *model, const struct chunk *chunk)
{
	struct liteos_text *text = liteos->text;

	while (text->at < chunk->n_bytes) {
		struct line line = { .bytes = chunk->bytes + text->at,
			.n_left = chunk->n_bytes - text->at,
			.offset = chunk->offset + text->at,
			.what = "this line is none of the dump" };
		const uint8_t *end = memchr(line.bytes, '\n', line.n_left);

		line.n_bytes = end ? (size_t)(end - line.bytes) : line.n_left;
		size_t n_used = line.n_bytes + (end != NULL);

		while (line.n_bytes && line.bytes[line.n_bytes - 1] == '\r')
			line.n_bytes--;
		enum liteos_taken taken = take_any(liteos, model, &line);

		if (taken == LITEOS_DUMP_CUT || taken == LITEOS_NO_MEMORY)
			return taken;
		text->at += n_used;
		if (taken == LITEOS_DUMP_ENDS)
			return taken;
	}
	return LITEOS_DUMP_CUT;
}
