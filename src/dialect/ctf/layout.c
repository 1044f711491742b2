/* SPDX-License-Identifier: MIT */
/*
 * Makes the fields of rows from classes of events. A row's payload is a number of 8 bytes for each field, its
 * slot: the value, or where in the payload the characters or elements are, which follow the slots:
 *
 *	payload	| slot 0 | slot 1 | … | characters, elements |
 *
 * The event's own fields come first, then those of its contexts. A context that has the name of a field gets
 * `context.` in front.
 */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "dialect/ctf/ctf.h"
#include "model/field.h"

enum { SLOT_BYTES = 8, NAME_ROOM = 256 };

/* Parts whose fields a row has, in its order. */
static const enum ctf_part shown_parts[] = { CTF_PAYLOAD, CTF_STREAM_CONTEXT, CTF_EVENT_CONTEXT };

static enum ctf_form form_of(const struct ctf_class *class)
{
	const bool is_array = class->kind == CTF_ARRAY || class->kind == CTF_SEQUENCE;
	const struct ctf_class *item = is_array ? class->item : NULL;

	if (class->kind == CTF_INTEGER || class->kind == CTF_REAL)
		return CTF_AS_NUMBER;
	if (class->kind == CTF_STRING)
		return CTF_AS_TEXT;
	if (item && item->kind == CTF_INTEGER && item->is_text && item->n_bits == 8)
		return CTF_AS_CHARACTERS;
	if (item && (item->kind == CTF_INTEGER || item->kind == CTF_REAL))
		return CTF_AS_ITEMS;
	return CTF_AS_JSON;
}

static enum rst_field_type type_of(const struct ctf_class *class)
{
	if (class->kind == CTF_REAL)
		return RST_REAL;
	if (class->is_signed)
		return RST_SIGNED;
	return class->base == 16 ? RST_HEX : RST_UNSIGNED;
}

static uint8_t item_bytes(const struct ctf_class *item)
{
	return item->n_bits <= 8 ? 1 : item->n_bits <= 16 ? 2 : item->n_bits <= 32 ? 4 : 8;
}

static void fill_field(struct rst_field *field, const struct ctf_column *column)
{
	const struct ctf_class *class = column->member->class;

	field->offset = SLOT_BYTES * column->slot;
	field->n_bytes = SLOT_BYTES;
	if (column->form == CTF_AS_NUMBER) {
		field->type = type_of(class);
		field->n_bytes = class->kind == CTF_REAL ? class->n_bits / 8 : SLOT_BYTES;
		return;
	}
	field->extent = RST_EXTENT_SPAN;
	field->type = column->form == CTF_AS_ITEMS ? RST_SEQUENCE : RST_TEXT;
	field->is_json = column->form == CTF_AS_JSON;
	if (column->form == CTF_AS_ITEMS) {
		field->item_type = type_of(class->item);
		field->item_bytes = column->item_bytes;
	}
}

static const char *clean_name(struct arena *arena, const char *prefix, const char *name)
{
	const size_t n = strlen(name), n_prefix = strlen(prefix);
	char *copy = arena_alloc(arena, n_prefix + 4 * n + 1);

	if (copy)
		*text_keep(text_put(copy, prefix, n_prefix), (const uint8_t *)name, n) = '\0';
	return copy;
}

static bool has_field(const struct ctf_class *class, const char *name)
{
	for (size_t i = 0; class && i < class->n_members; i++)
		if (strcmp(ctf_bare_name(class->members[i].name), name) == 0)
			return true;
	return false;
}

/* Contexts that say which thread of which process made the event; the earlier name is the better one. */
static void note_context(struct ctf_event *event, struct rst_field *field, const struct ctf_column *column)
{
	static const struct {
		const char *name;
		size_t at;
		enum ctf_form form, other_form;
	} contexts[] = { { "vtid", offsetof(struct ctf_event, thread_slot), CTF_AS_NUMBER, CTF_AS_NUMBER },
		{ "tid", offsetof(struct ctf_event, thread_slot), CTF_AS_NUMBER, CTF_AS_NUMBER },
		{ "vpid", offsetof(struct ctf_event, process_slot), CTF_AS_NUMBER, CTF_AS_NUMBER },
		{ "pid", offsetof(struct ctf_event, process_slot), CTF_AS_NUMBER, CTF_AS_NUMBER },
		{ "procname", offsetof(struct ctf_event, name_slot), CTF_AS_CHARACTERS, CTF_AS_TEXT },
		{ "comm", offsetof(struct ctf_event, name_slot), CTF_AS_CHARACTERS, CTF_AS_TEXT } };

	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		int *slot = (int *)(void *)((char *)event + contexts[i].at);

		if (strcmp(ctf_bare_name(column->member->name), contexts[i].name) != 0 ||
			(column->form != contexts[i].form && column->form != contexts[i].other_form))
			continue;
		field->is_aside = true;
		*slot = (int)column->slot;
	}
}

/* Makes the columns of one part, and their fields behind those of the parts before. */
static bool add_part(struct ctf_trace *trace, struct ctf_event *event, enum ctf_part part,
	struct rst_field *fields, struct model *model)
{
	const struct ctf_class *class = event->parts[part];
	struct ctf_column *columns;

	if (!class || !class->n_members)
		return true;
	columns = arena_alloc(&trace->arena, class->n_members * sizeof(*columns));
	if (!columns)
		return false;
	event->columns[part] = columns;
	event->n_columns[part] = (unsigned)class->n_members;
	for (size_t i = 0; i < class->n_members; i++) {
		struct ctf_column *column = &columns[i];
		const struct ctf_member *member = &class->members[i];
		const char *name = ctf_bare_name(member->name);
		const bool is_twice = part != CTF_PAYLOAD && has_field(event->parts[CTF_PAYLOAD], name);
		struct rst_field *field = &fields[event->n_slots];

		*column = (struct ctf_column){
			.member = member, .form = form_of(member->class), .slot = event->n_slots++
		};
		if (column->form == CTF_AS_ITEMS)
			column->item_bytes = item_bytes(member->class->item);
		field->name = clean_name(&model->arena, is_twice ? "context." : "", name);
		fill_field(field, column);
		if (part != CTF_PAYLOAD)
			note_context(event, field, column);
		if (!field->name)
			return false;
	}
	return true;
}

size_t ctf_count_fields(const struct ctf_event *event)
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(shown_parts) / sizeof(shown_parts[0]); i++)
		n += event->parts[shown_parts[i]] ? event->parts[shown_parts[i]]->n_members : 0;
	return n;
}

static const char *name_of(const struct ctf_event *event, struct model *model)
{
	char number[NAME_ROOM];

	if (event->name && event->name[0])
		return clean_name(&model->arena, "", event->name);
	snprintf(number, sizeof(number), "event_%llu", (unsigned long long)event->id);
	return clean_name(&model->arena, "", number);
}

bool ctf_make_layout(struct ctf_trace *trace, struct ctf_event *event, struct model *model)
{
	const size_t n_fields = ctf_count_fields(event);
	struct rst_field *fields = arena_alloc(&model->arena, (n_fields + 1) * sizeof(*fields));

	if (!fields)
		return false;
	event->thread_slot = event->process_slot = event->name_slot = -1;
	event->n_slots = 0;
	for (size_t i = 0; i < sizeof(shown_parts) / sizeof(shown_parts[0]); i++)
		if (!add_part(trace, event, shown_parts[i], fields, model))
			return false;
	ctf_find_meaning(trace, event);
	event->fields = fields;
	return ctf_layout(event, false, model) != NULL;
}

const struct rst_layout *ctf_layout(struct ctf_event *event, bool is_other, struct model *model)
{
	struct rst_layout layout = { .n_fields = event->n_slots, .fields = event->fields };
	struct rst_type type = { .id = (uint32_t)event->id, .label = "" };

	if (event->layouts[is_other])
		return event->layouts[is_other];
	type.name = event->layouts[0] ? event->layouts[0]->type->name : name_of(event, model);
	if (!type.name || !ctf_give_meaning(event, is_other, &layout, model))
		return NULL;
	return event->layouts[is_other] = model_add_layout(model, &type, &layout);
}

/* --- reading -------------------------------------------------------------------------------------------- */

static uint8_t *take_room(struct ctf_out *out, uint64_t n_bytes)
{
	uint8_t *at = (uint8_t *)out->at;

	if (out->is_full || (uint64_t)(out->end - out->at) < n_bytes) {
		out->is_full = true;
		return NULL;
	}
	out->at += n_bytes;
	return at;
}

static void put_slot(uint8_t *slot, uint64_t number)
{
	const uint64_t bytes = htole64(number);

	memcpy(slot, &bytes, sizeof(bytes));
}

static bool put_bytes(struct ctf_out *out, uint8_t *payload, uint8_t *slot, struct ctf_text text)
{
	uint8_t *to = take_room(out, text.n_bytes);

	if (!to)
		return true;
	memcpy(to, text.bytes, text.n_bytes);
	field_put_span(slot, (size_t)(to - payload), text.n_bytes);
	return true;
}

struct place {
	struct ctf_reader *reader;
	const struct ctf_column *column;
	struct ctf_out *out;
	uint8_t *payload, *slot;
};

static bool read_slot_number(const struct place *place)
{
	const struct ctf_member *member = place->column->member;
	uint64_t number;

	if (!ctf_read_number(place->reader, member->class, &number))
		return false;
	ctf_keep_number(place->reader, member, member->class, number);
	put_slot(place->slot, number);
	return true;
}

static bool read_slot_text(const struct place *place)
{
	struct ctf_text text;

	return ctf_read_string(place->reader, &text) &&
	       put_bytes(place->out, place->payload, place->slot, text);
}

static bool is_short(struct ctf_reader *reader)
{
	reader->fault = "the packet ends inside of an event";
	return false;
}

static bool read_slot_characters(const struct place *place)
{
	const struct ctf_class *class = place->column->member->class;
	struct ctf_reader *reader = place->reader;
	struct ctf_text text;
	uint64_t n;

	if (!ctf_align(reader, class->align))
		return false;
	n = ctf_n_items(reader, class);
	if (reader->bits.at % 8 || n > (reader->bits.end - reader->bits.at) / 8)
		return is_short(reader);
	text = (struct ctf_text){ (const char *)reader->bits.bytes + reader->bits.at / 8, (size_t)n };
	reader->bits.at += 8 * n;
	return put_bytes(place->out, place->payload, place->slot, text);
}

static bool read_slot_items(const struct place *place)
{
	const struct ctf_class *class = place->column->member->class, *item = class->item;
	const unsigned n_bytes = place->column->item_bytes;
	struct ctf_reader *reader = place->reader;
	uint8_t *to;
	uint64_t n;

	if (!ctf_align(reader, class->align))
		return false;
	n = ctf_n_items(reader, class);
	if (n > (reader->bits.end - reader->bits.at) / item->n_bits)
		return is_short(reader);
	to = take_room(place->out, n * n_bytes);
	if (!to)
		return true;
	field_put_span(place->slot, (size_t)(to - place->payload), (size_t)n);
	for (uint64_t i = 0; i < n; i++, to += n_bytes) {
		uint64_t number;

		if (!ctf_read_number(reader, item, &number))
			return false;
		number = htole64(number);
		memcpy(to, &number, n_bytes);
	}
	return true;
}

static bool read_slot_json(const struct place *place)
{
	struct ctf_reader *reader = place->reader;
	const struct ctf_member *member = place->column->member;
	const char *from = place->out->at;
	bool is_good;

	reader->out = place->out;
	is_good = ctf_read_value(reader, member->class, member);
	reader->out = NULL;
	if (is_good && !place->out->is_full)
		field_put_span(place->slot, (size_t)(from - (const char *)place->payload),
			(size_t)(place->out->at - from));
	return is_good;
}

bool ctf_read_columns(
	struct ctf_reader *reader, const struct ctf_event *event, enum ctf_part part, uint8_t *payload)
{
	static bool (*const forms[])(const struct place *) = {
		[CTF_AS_NUMBER] = read_slot_number,
		[CTF_AS_TEXT] = read_slot_text,
		[CTF_AS_CHARACTERS] = read_slot_characters,
		[CTF_AS_ITEMS] = read_slot_items,
		[CTF_AS_JSON] = read_slot_json,
	};
	struct place place = { .reader = reader, .payload = payload, .out = reader->out };
	bool is_good = true;

	if (!event->parts[part])
		return true;
	if (!ctf_align(reader, event->parts[part]->align))
		return false;
	reader->out = NULL;
	for (unsigned i = 0; i < event->n_columns[part] && is_good && !place.out->is_full; i++) {
		place.column = &event->columns[part][i];
		place.slot = payload + SLOT_BYTES * place.column->slot;
		is_good = ctf_count_step(reader) && forms[place.column->form](&place);
	}
	reader->out = place.out;
	return is_good;
}
