/* SPDX-License-Identifier: MIT */
/* The reader of what a part carries. Its bytes are not trusted: see item_is_sound(). */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "dialect/store/carried_parts.h"

/* --- which part ----------------------------------------------------------------------------------------- */

static bool part_read(const struct store_block *block, struct rst_carried *ret)
{
	struct codec codec = { .is_reading = true, .from = cursor_over(block->at, (size_t)block->n_bytes) };

	*ret = (struct rst_carried){ 0 };
	record_part(&codec, ret);
	return codec_is_good(&codec) && ret->from <= ret->to && ret->first_event <= ret->end_event &&
	       ret->end_event <= ret->n_events && ret->n_events < INT64_MAX;
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

/* --- reading -------------------------------------------------------------------------------------------- */

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

/*
 * Names live as long as the trace: each is kept once. Names whose keys meet are kept again. Returns NULL if
 * memory ran out.
 */
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
		.kind = carried_kind_word((unsigned)record.kind),
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

/*
 * Lets go of the item that waits for the one that is due, which is the same. Returns false if none waits for
 * it.
 */
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

static bool is_next_part(const struct rst_carried *carried, const struct rst_carried *part)
{
	return part->recording == carried->recording && part->n_events == carried->n_events &&
	       part->recording && !part->is_selection && !carried->is_selection &&
	       part->from >= carried->from;
}

bool carried_begin(struct carried_reader *reader, struct model *model, const struct rst_carried *part,
	bool *ret_is_part, uint64_t *ret_n_missing)
{
	struct rst_carried *carried = &model->carried;
	const uint64_t number = reader->number;

	*ret_n_missing = 0;
	*ret_is_part = !model->is_part || is_next_part(carried, part);
	if (!*ret_is_part)
		return true;
	reader->has_next = reader->is_holding = false;
	reader->runs = reader->items = cursor_over(NULL, 0);
	reader->n_runs = reader->n_left = reader->number = 0;
	if (!model->is_part) {
		*carried = *part;
		model->is_part = true;
		carried->seqs = reader->seqs;
		return true;
	}
	reader->is_behind = true;
	reader->had_to = carried->to;
	reader->had_events = carried->end_event > number ? carried->end_event : number;
	if (part->first_event > carried->end_event)
		*ret_n_missing = part->first_event - carried->end_event;
	if (part->to > carried->to)
		carried->to = part->to;
	if (part->end_event > carried->end_event)
		carried->end_event = part->end_event;
	return held_give(reader, model, part->from);
}

/* Whether the runs leave out only events that the recording has: numbers of events never step back. */
static bool runs_are_sound(const struct carried_reader *reader, uint64_t number, uint64_t n_events)
{
	struct cursor runs = reader->runs;
	uint64_t n_left_out, n_rows;

	for (uint64_t i = 0; i < reader->n_runs; i++) {
		if (!cursor_take_number(&runs, &n_left_out) || !cursor_take_number(&runs, &n_rows) ||
			n_left_out > n_events - number)
			return false;
		number += n_left_out;
	}
	return cursor_left(&runs) == 0;
}

/* Finds the parts of a block. */
static void block_parse(struct carried_reader *reader, struct model *model, struct codec *codec)
{
	uint64_t number = 0, n_entities = 0, n_runs_bytes = 0;
	const uint8_t *runs;

	codec_number(codec, &number, model->carried.n_events + 1);
	codec->is_bad |= number < reader->number;
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
	codec->is_bad |= !runs_are_sound(reader, number, model->carried.n_events);
	reader->number = number;
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
