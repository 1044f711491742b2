/* SPDX-License-Identifier: MIT */
/* The writer of what a part carries. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dialect/store/carried_parts.h"
#include "dialect/store/definitions_parts.h"

/* --- names that are given away -------------------------------------------------------------------------- */

/* Whether the program's source has the name: that of a type, or of an effect. Such names stay. */
static bool carried_write_is_in_source(const struct model *model, const char *name)
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
		(is_isr && strcmp(record->name, number) == 0) ||
		carried_write_is_in_source(writer->model, record->name))
		return true;
	return name_disguise(writer->disguise, object, &record->name, &record->name_bytes);
}

/* --- writing -------------------------------------------------------------------------------------------- */

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
	const uint64_t words[] = { entity->form, entity->is_number, carried_kind_number(entity->kind),
		entity->id, entity->process, (uintptr_t)entity->name, entity->name_bytes };

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
		.kind = carried_kind_number(entity->kind),
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

/*
 * The number of an entity in the block, which gets it. Entities whose keys meet are written again. Returns
 * false if memory ran out.
 */
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
