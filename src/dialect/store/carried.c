/* SPDX-License-Identifier: MIT */
#include "dialect/store/carried.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "dialect/store/codec.h"
#include "dialect/store/definitions_parts.h"

/* --- words of kinds --------------------------------------------------------------------------------------------- */

enum {
	KIND_NONE,
	KIND_OBJECT, /* the first kind of objects; those of contexts follow them */
	KIND_CONTEXT = KIND_OBJECT + RST_N_OBJECT_KINDS,
	KIND_SPAN = KIND_CONTEXT + RST_CONTEXT_IDLE + 1,
	N_KINDS
};

static const char *kind_word(unsigned kind)
{
	if (kind == KIND_NONE)
		return NULL;
	if (kind == KIND_SPAN)
		return "span";
	return kind < KIND_CONTEXT ? rst_object_kind_name((enum rst_object_kind)(kind - KIND_OBJECT))
				   : rst_context_kind_name((enum rst_context_kind)(kind - KIND_CONTEXT));
}

static unsigned kind_number(const char *word)
{
	unsigned kind = KIND_OBJECT;

	if (!word)
		return KIND_NONE;
	while (kind < N_KINDS - 1 && strcmp(kind_word(kind), word) != 0)
		kind++;
	return kind;
}

/* --- records, for both directions ------------------------------------------------------------------------------- */

struct entity_record {
	uint64_t form, is_number, kind, id, process;
	const char *name;
	size_t name_bytes;
};

static void record_entity(struct codec *codec, struct entity_record *record)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct entity_record, form, CODEC_NUMBER, RST_ENTITY_THING + 1),
		CODEC_ROW(struct entity_record, is_number, CODEC_NUMBER, 2),
		CODEC_ROW(struct entity_record, kind, CODEC_NUMBER, N_KINDS),
		CODEC_ROW(struct entity_record, id, CODEC_NUMBER, 0),
		CODEC_ROW(struct entity_record, process, CODEC_NUMBER, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), record);
	codec_bytes(codec, &record->name, &record->name_bytes);
}

/* An interval, or a beginning, which has fewer members. Entities are numbers from 1 on; 0 is none. */
struct item_record {
	uint64_t row;  /* since the item before */
	uint64_t kind; /* of the interval; RST_N_INTERVAL_KINDS more in a beginning */
	uint64_t state, reason, certainty, core, depth;
	uint64_t subject, object, by;
	int64_t from;	       /* since the item before */
	uint64_t n_ticks;      /* how long it lasts */
	uint64_t has_from_seq; /* and so on: whether the number is known */
	int64_t from_seq;      /* since the item before */
	uint64_t has_to_seq;
	int64_t to_seq; /* since from_seq, or the item before */
	uint64_t has_value, value, value_type;
};

static void record_item(struct codec *codec, struct item_record *record)
{
	static const struct codec_row both[] = {
		CODEC_ROW(struct item_record, row, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, kind, CODEC_NUMBER, 2 * RST_N_INTERVAL_KINDS),
		CODEC_ROW(struct item_record, core, CODEC_NUMBER, RST_NO_CORE + 1),
		CODEC_ROW(struct item_record, depth, CODEC_NUMBER, UINT16_MAX + 1),
		CODEC_ROW(struct item_record, subject, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, object, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, from, CODEC_SIGNED, 0),
		CODEC_ROW(struct item_record, has_from_seq, CODEC_NUMBER, 2),
		CODEC_ROW(struct item_record, from_seq, CODEC_SIGNED, 0),
	};
	static const struct codec_row interval[] = {
		CODEC_ROW(struct item_record, state, CODEC_NUMBER, RST_N_STATES + 1),
		CODEC_ROW(struct item_record, reason, CODEC_NUMBER, RST_N_REASONS),
		CODEC_ROW(struct item_record, certainty, CODEC_NUMBER, RST_N_CERTAINTIES),
		CODEC_ROW(struct item_record, by, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, n_ticks, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, has_to_seq, CODEC_NUMBER, 2),
		CODEC_ROW(struct item_record, to_seq, CODEC_SIGNED, 0),
		CODEC_ROW(struct item_record, has_value, CODEC_NUMBER, 2),
	};
	static const struct codec_row level[] = {
		CODEC_ROW(struct item_record, value, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, value_type, CODEC_NUMBER, RST_TEXT),
	};

	codec_record(codec, both, N_CODEC_ROWS(both), record);
	if (record->kind >= RST_N_INTERVAL_KINDS)
		return;
	codec_record(codec, interval, N_CODEC_ROWS(interval), record);
	if (record->has_value)
		codec_record(codec, level, N_CODEC_ROWS(level), record);
}

static void record_part(struct codec *codec, struct rst_carried *part)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_carried, recording, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, from, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, to, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, first_event, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, end_event, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, n_events, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, is_selection, CODEC_NUMBER, 2),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), part);
}

/* --- names that are given away ---------------------------------------------------------------------------------- */

/* Whether the program's source has the name: that of a type, or of an effect. Such names stay. */
static bool is_in_source(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->n_layouts; i++) {
		const struct rst_layout *layout = model->layouts[i];

		if (strcmp(layout->type->name, name) == 0)
			return true;
		for (unsigned k = 0; k < layout->n_effects; k++)
			if (layout->effects[k].name && strcmp(layout->effects[k].name, name) == 0)
				return true;
	}
	return false;
}

/* The kind of the object that a span is called after. */
static enum rst_object_kind kind_of_span(const struct model *model, const struct rst_entity *entity)
{
	for (size_t i = 0; i < model->objects.n_all; i++) {
		const struct rst_object *object = model->objects.all[i];

		if (object->id == entity->id && object->name && object->name_bytes == entity->name_bytes &&
			memcmp(object->name, entity->name, entity->name_bytes) == 0)
			return object->kind;
	}
	return RST_OBJECT_UNKNOWN;
}

/* Disguises a name as definitions disguise it. Returns false if memory ran out. */
static bool entity_disguise(const struct carried_writer *writer, unsigned kind, const struct rst_entity *of,
	struct entity_record *record)
{
	const bool is_isr = of->kind && strcmp(of->kind, rst_context_kind_name(RST_CONTEXT_ISR)) == 0;
	enum rst_object_kind object = kind == KIND_SPAN ? kind_of_span(writer->model, of)
				      : kind >= KIND_CONTEXT || kind == KIND_NONE
					      ? RST_OBJECT_THREAD
					      : (enum rst_object_kind)(kind - KIND_OBJECT);
	char number[32];

	snprintf(number, sizeof(number), "isr %llu", (unsigned long long)of->id);
	if (!record->name || (of->kind && strcmp(record->name, of->kind) == 0) ||
		(is_isr && strcmp(record->name, number) == 0) || is_in_source(writer->model, record->name))
		return true;
	return name_disguise(writer->disguise, object, &record->name, &record->name_bytes);
}

/* --- writing ---------------------------------------------------------------------------------------------------- */

void carried_writer_done(struct carried_writer *writer)
{
	bytes_done(&writer->entities);
	bytes_done(&writer->items);
	bytes_done(&writer->runs);
	bytes_done(&writer->plain);
	map_done(&writer->entity_numbers);
	packed_done(&writer->packed);
	free(writer->written);
	*writer = (struct carried_writer){ 0 };
}

static uint64_t entity_key(const struct rst_entity *entity)
{
	const uint64_t words[] = { entity->form, entity->is_number, kind_number(entity->kind), entity->id,
		entity->process, (uintptr_t)entity->name, entity->name_bytes };

	return map_text_key((const char *)words, sizeof(words));
}

static bool is_same_entity(const struct rst_entity *a, const struct rst_entity *b)
{
	return a->form == b->form && a->is_number == b->is_number && a->kind == b->kind && a->id == b->id &&
	       a->process == b->process && a->name == b->name && a->name_bytes == b->name_bytes;
}

static bool entity_write(struct carried_writer *writer, const struct rst_entity *entity)
{
	struct entity_record record = { .form = entity->form,
		.is_number = entity->is_number,
		.kind = kind_number(entity->kind),
		.id = entity->id,
		.process = entity->process,
		.name = entity->name,
		.name_bytes = entity->name_bytes };
	struct codec codec = { .to = &writer->entities };

	if (writer->disguise && !entity_disguise(writer, (unsigned)record.kind, entity, &record))
		return false;
	record_entity(&codec, &record);
	return codec_is_good(&codec);
}

/* The number of an entity in the block, which gets it. Entities whose keys meet are written again. Returns false if memory ran out. */
static bool entity_number(struct carried_writer *writer, const struct rst_entity *entity, uint64_t *ret)
{
	const uint64_t key = entity_key(entity);
	struct rst_entity *written;

	*ret = 0;
	if (entity->form == RST_ENTITY_NONE && !entity->name && !entity->kind)
		return true;
	*ret = (uintptr_t)map_find(&writer->entity_numbers, key);
	if (*ret && is_same_entity(&writer->written[*ret - 1], entity))
		return true;
	written = array_room(
		writer->written, writer->n_entities, &writer->entities_room, sizeof(struct rst_entity));
	if (!written)
		return false;
	writer->written = written;
	written[writer->n_entities++] = *entity;
	*ret = writer->n_entities;
	return map_set(&writer->entity_numbers, key, (void *)(uintptr_t)*ret) && entity_write(writer, entity);
}

static bool run_end(struct carried_writer *writer)
{
	if (!writer->n_rows && !writer->n_left_out)
		return true;
	if (!bytes_put_number(&writer->runs, writer->n_left_out) ||
		!bytes_put_number(&writer->runs, writer->n_rows))
		return false;
	writer->n_runs++;
	writer->n_left_out = writer->n_rows = 0;
	return true;
}

bool carried_number_row(struct carried_writer *writer, uint64_t number, bool is_event)
{
	if (number > writer->next) {
		if (!run_end(writer))
			return false;
		writer->n_left_out = number - writer->next;
		writer->next = number;
	}
	writer->n_rows++;
	writer->next += is_event;
	return true;
}

/* Writes the record as differences to the item before. */
static bool item_write(struct carried_writer *writer, uint64_t row, struct item_record *record, uint64_t from,
	uint64_t from_seq, uint64_t to_seq)
{
	struct carried_before *before = &writer->before;
	struct codec codec = { .to = &writer->items };

	record->row = row - before->row;
	record->from = (int64_t)(from - before->ticks);
	record->has_from_seq = from_seq != RST_NO_SEQ;
	record->from_seq = record->has_from_seq ? (int64_t)(from_seq - before->seq) : 0;
	if (record->has_from_seq)
		before->seq = from_seq;
	record->has_to_seq = to_seq != RST_NO_SEQ;
	record->to_seq = record->has_to_seq ? (int64_t)(to_seq - before->seq) : 0;
	before->row = row;
	before->ticks = from;
	writer->n_items++;
	record_item(&codec, record);
	return codec_is_good(&codec);
}

static uint64_t ticks_given(const struct carried_writer *writer, uint64_t ticks)
{
	return writer->disguise ? disguise_ticks(writer->disguise, ticks) : ticks;
}

static bool interval_write(struct carried_writer *writer, const struct rst_interval *interval, uint64_t row)
{
	const uint64_t from = ticks_given(writer, interval->from), to = ticks_given(writer, interval->to);
	struct item_record record = { .kind = interval->kind,
		.state = interval->state,
		.reason = interval->reason,
		.certainty = interval->certainty,
		.core = interval->core,
		.depth = interval->depth,
		.n_ticks = to - from,
		.has_value = interval->has_value,
		.value = interval->value,
		.value_type = interval->value_type };

	return entity_number(writer, &interval->subject, &record.subject) &&
	       entity_number(writer, &interval->object, &record.object) &&
	       entity_number(writer, &interval->by, &record.by) &&
	       item_write(writer, row, &record, from, interval->from_seq, interval->to_seq);
}

static bool beginning_write(
	struct carried_writer *writer, const struct rst_beginning *beginning, uint64_t row)
{
	struct item_record record = { .kind = RST_N_INTERVAL_KINDS + (uint64_t)beginning->kind,
		.core = beginning->core,
		.depth = beginning->depth };

	return entity_number(writer, &beginning->subject, &record.subject) &&
	       entity_number(writer, &beginning->object, &record.object) &&
	       item_write(
		       writer, row, &record, ticks_given(writer, beginning->at), beginning->seq, RST_NO_SEQ);
}

bool carried_add(struct carried_writer *writer, const struct rst_carried *carried, uint64_t row)
{
	const struct rst_beginning *beginning = carried->beginnings, *end = beginning + carried->n_beginnings;

	for (size_t i = 0; i <= carried->n_intervals; i++) {
		for (; beginning < end && beginning->n_intervals <= i; beginning++)
			if (!beginning_write(writer, beginning, row))
				return false;
		if (i < carried->n_intervals && !interval_write(writer, &carried->intervals[i], row))
			return false;
	}
	return true;
}

bool carried_write(struct carried_writer *writer, struct bytes *to)
{
	struct bytes *plain = &writer->plain;
	bool is_good;

	if (!run_end(writer))
		return false;
	if (!writer->n_runs && !writer->items.n)
		return true;
	plain->n = 0;
	is_good = bytes_put_number(plain, writer->first) && bytes_put_number(plain, writer->n_entities) &&
		  bytes_put(plain, writer->entities.at, writer->entities.n) &&
		  bytes_put_number(plain, writer->n_runs) && bytes_put_number(plain, writer->runs.n) &&
		  bytes_put(plain, writer->runs.at, writer->runs.n) &&
		  bytes_put(plain, writer->items.at, writer->items.n) && bytes_put_number(to, plain->n) &&
		  payloads_write(&writer->packed, plain, to->n, true, to);
	writer->entities.n = writer->items.n = writer->runs.n = 0;
	writer->n_entities = writer->n_items = 0;
	writer->n_runs = 0;
	writer->before = (struct carried_before){ 0 };
	writer->first = writer->next;
	map_done(&writer->entity_numbers);
	return is_good;
}

bool part_write(const struct rst_carried *part, struct bytes *to)
{
	struct rst_carried copy = *part;
	struct codec codec = { .to = to };

	record_part(&codec, &copy);
	return codec_is_good(&codec);
}

/* --- which part ------------------------------------------------------------------------------------------------- */

static bool part_read(const struct store_block *block, struct rst_carried *ret)
{
	struct codec codec = { .is_reading = true, .from = cursor_over(block->at, (size_t)block->n_bytes) };

	*ret = (struct rst_carried){ 0 };
	record_part(&codec, ret);
	return codec_is_good(&codec) && ret->from <= ret->to && ret->first_event <= ret->end_event &&
	       ret->end_event <= ret->n_events;
}

bool part_find(const uint8_t *bytes, size_t n_bytes, struct rst_carried *ret)
{
	struct store_block block;

	for (size_t at = STORE_HEAD_BYTES; at < n_bytes && block_look(bytes + at, n_bytes - at, &block);) {
		const bool matters = block.kind == STORE_CARRIED || block.kind == STORE_PART;

		if (block_whole(block.n_bytes) > n_bytes - at ||
			(matters && !block_is_whole(&block, n_bytes - at)))
			return false;
		if (block.kind == STORE_PART)
			return part_read(&block, ret);
		at += (size_t)block_whole(block.n_bytes);
	}
	return false;
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

void carried_reader_done(struct carried_reader *reader)
{
	packed_done(&reader->packed);
	arena_done(&reader->names);
	map_done(&reader->kept);
	free(reader->entities);
	free(reader->intervals);
	free(reader->beginnings);
	free(reader->held);
	*reader = (struct carried_reader){ 0 };
}

/* Names live as long as the trace: each is kept once. Names whose keys meet are kept again. Returns NULL if memory ran out. */
static const char *name_keep(
	struct carried_reader *reader, struct model *model, const char *name, size_t n_bytes)
{
	const uint64_t key = map_text_key(name, n_bytes);
	const char *kept = map_find(&reader->kept, key);
	char *copy;

	if (kept && strlen(kept) == n_bytes && memcmp(kept, name, n_bytes) == 0)
		return kept;
	copy = arena_alloc(&model->arena, n_bytes + 1 + TEXT_SHORT);
	if (!copy)
		return NULL;
	memcpy(copy, name, n_bytes);
	copy[n_bytes] = '\0';
	return map_set(&reader->kept, key, copy) ? copy : NULL;
}

static void entity_read(struct carried_reader *reader, struct model *model, struct codec *codec)
{
	struct entity_record record = { 0 };
	struct rst_entity *entities;

	record_entity(codec, &record);
	if (!codec_is_good(codec))
		return;
	entities = array_room(
		reader->entities, reader->n_entities, &reader->entities_room, sizeof(struct rst_entity));
	codec->lacks_memory |= !entities;
	if (!entities)
		return;
	reader->entities = entities;
	/* Readers compare and print the kind of a thing. */
	codec->is_bad |= record.form == RST_ENTITY_THING && record.kind == KIND_NONE;
	entities[reader->n_entities++] = (struct rst_entity){
		.form = (enum rst_entity_form)record.form,
		.is_number = record.is_number,
		.kind = kind_word((unsigned)record.kind),
		.id = record.id,
		.process = record.process,
		.name = record.name ? name_keep(reader, model, record.name, record.name_bytes) : NULL,
		.name_bytes = record.name_bytes,
	};
	codec->lacks_memory |= record.name && !entities[reader->n_entities - 1].name;
}

static struct rst_entity entity_at(const struct carried_reader *reader, uint64_t number)
{
	static const struct rst_entity none = { .form = RST_ENTITY_NONE };

	return number ? reader->entities[number - 1] : none;
}

static uint64_t seq_read(uint64_t has_seq, int64_t since, uint64_t before)
{
	return has_seq ? before + (uint64_t)since : RST_NO_SEQ;
}

/* Whether the item has what its kind has in the state engine, which its readers rely on. */
static bool item_is_sound(const struct carried_reader *reader)
{
	const struct rst_interval *item = &reader->next.interval;
	const bool has_state = item->kind == RST_INTERVAL_THREAD || item->kind == RST_INTERVAL_CORE ||
			       item->kind == RST_INTERVAL_LOCK;
	const enum rst_entity_form form =
		item->kind == RST_INTERVAL_CORE ? RST_ENTITY_NUMBER : RST_ENTITY_THING;

	if ((item->kind == RST_INTERVAL_CORE || item->kind == RST_INTERVAL_INTERRUPT) &&
		item->core == RST_NO_CORE)
		return false;
	if (reader->next.is_beginning)
		return item->kind == RST_INTERVAL_INTERRUPT ||
		       (item->kind == RST_INTERVAL_LOCK && item->subject.form == form);
	return (item->state < RST_N_STATES) == has_state &&
	       item->has_value == (item->kind == RST_INTERVAL_LEVEL) &&
	       (item->kind == RST_INTERVAL_INTERRUPT || item->subject.form == form);
}

/* Makes the record the next item. Returns false if it is not sound. */
static bool item_take(struct carried_reader *reader, const struct item_record *record)
{
	struct carried_before *before = &reader->before;
	const uint64_t from = before->ticks + (uint64_t)record->from;

	if (record->subject > reader->n_entities || record->object > reader->n_entities ||
		record->by > reader->n_entities || record->n_ticks > UINT64_MAX - from)
		return false;
	reader->next.is_beginning = record->kind >= RST_N_INTERVAL_KINDS;
	reader->next.interval = (struct rst_interval){
		.kind = (enum rst_interval_kind)(record->kind % RST_N_INTERVAL_KINDS),
		.state = (enum rst_state)record->state,
		.reason = (enum rst_reason)record->reason,
		.certainty = (enum rst_certainty)record->certainty,
		.core = (uint16_t)record->core,
		.depth = (uint16_t)record->depth,
		.has_value = record->has_value,
		.subject = entity_at(reader, record->subject),
		.object = entity_at(reader, record->object),
		.by = entity_at(reader, record->by),
		.from = from,
		.to = from + record->n_ticks,
		.value = record->value,
		.value_type = (enum rst_field_type)record->value_type,
	};
	before->row += record->row;
	before->ticks = from;
	reader->next.interval.from_seq = seq_read(record->has_from_seq, record->from_seq, before->seq);
	if (record->has_from_seq)
		before->seq = reader->next.interval.from_seq;
	reader->next.interval.to_seq = seq_read(record->has_to_seq, record->to_seq, before->seq);
	return item_is_sound(reader);
}

/* Reads the next item of the block, if there is one. Returns false if it is not sound. */
static bool item_next(struct carried_reader *reader)
{
	struct codec codec = { .is_reading = true, .from = reader->items };
	struct item_record record = { 0 };

	reader->has_next = false;
	if (!cursor_left(&codec.from))
		return true;
	record_item(&codec, &record);
	if (!codec_is_good(&codec) || !item_take(reader, &record))
		return false;
	reader->items = codec.from;
	return reader->has_next = true;
}

static bool item_give(struct carried_reader *reader, struct model *model, const struct carried_item *item)
{
	struct rst_carried *carried = &model->carried;
	const struct rst_interval *from = &item->interval;

	if (item->is_beginning) {
		struct rst_beginning *beginnings = array_room(reader->beginnings, carried->n_beginnings,
			&reader->beginnings_room, sizeof(struct rst_beginning));

		if (!beginnings)
			return false;
		carried->beginnings = reader->beginnings = beginnings;
		beginnings[carried->n_beginnings++] = (struct rst_beginning){ .kind = from->kind,
			.subject = from->subject,
			.object = from->object,
			.at = from->from,
			.seq = from->from_seq,
			.core = from->core,
			.depth = from->depth,
			.n_intervals = carried->n_intervals };
		return true;
	}

	struct rst_interval *intervals = array_room(reader->intervals, carried->n_intervals,
		&reader->intervals_room, sizeof(struct rst_interval));

	if (!intervals)
		return false;
	carried->intervals = reader->intervals = intervals;
	intervals[carried->n_intervals++] = *from;
	return true;
}

static bool item_hold(struct carried_reader *reader)
{
	struct carried_item *held =
		array_room(reader->held, reader->n_held, &reader->held_room, sizeof(struct carried_item));

	if (!held)
		return false;
	reader->held = held;
	held[reader->n_held++] = reader->next;
	reader->is_holding = true;
	return true;
}

static bool is_same_item(const struct carried_item *a, const struct carried_item *b)
{
	const struct rst_interval *one = &a->interval, *other = &b->interval;

	return a->is_beginning == b->is_beginning && one->kind == other->kind && one->from == other->from &&
	       one->to == other->to && one->state == other->state && one->core == other->core &&
	       one->depth == other->depth && one->from_seq == other->from_seq &&
	       one->to_seq == other->to_seq && one->subject.id == other->subject.id &&
	       one->subject.process == other->subject.process && one->subject.name == other->subject.name &&
	       one->object.id == other->object.id && one->value == other->value;
}

/* Lets go of the item that waits for the one that is due, which is the same. Returns false if none waits for it. */
static bool held_drop(struct carried_reader *reader)
{
	for (size_t i = 0; i < reader->n_held; i++)
		if (is_same_item(&reader->held[i], &reader->next)) {
			memmove(&reader->held[i], &reader->held[i + 1],
				(--reader->n_held - i) * sizeof(struct carried_item));
			return true;
		}
	return false;
}

/*
 * The item that is due. If it reaches into the part in front, that one had it, and gave it or holds it. If it
 * ends behind this part, it and all items behind it come of later events.
 */
static bool item_due(struct carried_reader *reader, struct model *model, bool is_end)
{
	const struct rst_interval *next = &reader->next.interval;

	if (reader->is_behind && next->from <= reader->had_to && !held_drop(reader))
		return true;
	return is_end || reader->is_holding || next->to > model->carried.to
		       ? item_hold(reader)
		       : item_give(reader, model, &reader->next);
}

static bool items_take(struct carried_reader *reader, struct model *model, uint64_t row, bool is_end)
{
	for (; reader->has_next && reader->before.row <= row; item_next(reader))
		if (!item_due(reader, model, is_end))
			return false;
	return true;
}

bool carried_take(struct carried_reader *reader, struct model *model, uint64_t row)
{
	return items_take(reader, model, row, false);
}

bool carried_end(struct carried_reader *reader, struct model *model)
{
	return items_take(reader, model, UINT64_MAX, true);
}

/* Gives the items that wait, up to those that reach into a window that begins at `from`. */
static bool held_give(struct carried_reader *reader, struct model *model, uint64_t from)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < reader->n_held; i++) {
		const struct carried_item *item = &reader->held[i];

		if (item->interval.to >= from)
			reader->held[n_kept++] = *item;
		else if (!item_give(reader, model, item))
			return false;
	}
	reader->n_held = n_kept;
	return true;
}

bool carried_finish(struct carried_reader *reader, struct model *model)
{
	for (size_t i = 0; i < reader->n_held; i++)
		if (!item_give(reader, model, &reader->held[i]))
			return false;
	reader->n_held = 0;
	return true;
}

bool carried_begin(struct carried_reader *reader, struct model *model, const struct rst_carried *part,
	uint64_t *ret_n_missing)
{
	struct rst_carried *carried = &model->carried;

	*ret_n_missing = 0;
	reader->has_next = false;
	reader->runs = reader->items = cursor_over(NULL, 0);
	reader->n_runs = reader->n_left = reader->number = 0;
	if (!model->is_part) {
		*carried = *part;
		model->is_part = true;
		carried->seqs = reader->seqs;
		return true;
	}
	if (part->recording != carried->recording || part->n_events != carried->n_events ||
		part->is_selection || carried->is_selection || part->from < carried->from)
		return false;
	reader->is_behind = true;
	reader->is_holding = false;
	if (!held_give(reader, model, part->from))
		return false;
	reader->had_to = carried->to;
	reader->had_events = carried->end_event;
	if (part->first_event > carried->end_event)
		*ret_n_missing = part->first_event - carried->end_event;
	if (part->to > carried->to)
		carried->to = part->to;
	if (part->end_event > carried->end_event)
		carried->end_event = part->end_event;
	return true;
}

/* Finds the parts of a block. */
static void block_parse(struct carried_reader *reader, struct model *model, struct codec *codec)
{
	uint64_t n_entities = 0, n_runs_bytes = 0;
	const uint8_t *runs;

	codec_number(codec, &reader->number, 0);
	codec_number(codec, &n_entities, 0);
	codec->is_bad |= n_entities > cursor_left(&codec->from);
	for (uint64_t i = 0; i < n_entities && codec_is_good(codec); i++)
		entity_read(reader, model, codec);
	codec_number(codec, &reader->n_runs, 0);
	codec_number(codec, &n_runs_bytes, 0);
	codec->is_bad |= n_runs_bytes > cursor_left(&codec->from);
	runs = codec_is_good(codec) ? cursor_take(&codec->from, (size_t)n_runs_bytes) : NULL;
	codec->is_bad |= !runs;
	if (!codec_is_good(codec))
		return;
	reader->runs = cursor_over(runs, (size_t)n_runs_bytes);
	/* Damage is found before the first item is given. */
	reader->items = codec->from;
	for (size_t n_items = 0;; n_items++) {
		codec->is_bad |= !item_next(reader) || n_items > CARRIED_ITEMS_MAX;
		if (!reader->has_next || codec->is_bad)
			break;
	}
	reader->items = codec->from;
	reader->before = (struct carried_before){ 0 };
	reader->has_next = false;
	if (codec_is_good(codec))
		item_next(reader);
}

enum rst_status carried_read(struct carried_reader *reader, struct model *model, const uint8_t *bytes,
	size_t n_bytes, struct rst_error *err)
{
	struct codec codec = {
		.is_reading = true, .from = cursor_over(bytes, n_bytes), .arena = &reader->names
	};
	const uint8_t *plain;
	uint64_t n_plain = 0;

	if (!carried_take(reader, model, UINT64_MAX))
		return error_nomem(err);
	arena_done(&reader->names);
	reader->n_entities = 0;
	reader->n_left = reader->n_runs = 0;
	reader->before = (struct carried_before){ 0 };
	codec_number(&codec, &n_plain, 0);
	plain = codec_is_good(&codec) ? payloads_read(&reader->packed, &codec, n_plain, n_bytes) : NULL;
	if (plain) {
		codec.from = cursor_over(plain, (size_t)n_plain);
		block_parse(reader, model, &codec);
	}
	if (codec.lacks_memory)
		return error_nomem(err);
	return codec.is_bad ? error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "cut") : RST_OK;
}

uint64_t carried_next_number(struct carried_reader *reader, bool is_event)
{
	uint64_t n_left_out;

	while (!reader->n_left && reader->n_runs && cursor_take_number(&reader->runs, &n_left_out) &&
		cursor_take_number(&reader->runs, &reader->n_left)) {
		reader->n_runs--;
		reader->number += n_left_out;
	}
	reader->n_left -= reader->n_left != 0;
	reader->number += is_event;
	return reader->number - is_event;
}
