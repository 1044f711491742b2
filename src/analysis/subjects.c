/* SPDX-License-Identifier: MIT */
#include "analysis/subjects.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Spans are distinguished by name. Other things may get a name later than their record. */
static bool counts_name(const struct rst_entity *entity)
{
	return entity->kind && entity->kind[0] == 's' && strcmp(entity->kind, "span") == 0;
}

static uint64_t key_of(const struct subjects *subjects, const struct rst_entity *entity)
{
	const uint64_t name = counts_name(entity) && entity->name
				      ? map_text_key(entity->name, entity->name_bytes)
			      : entity->kind ? (uint64_t)(uint8_t)entity->kind[0]
					     : 0;

	return (entity->id * subjects->factor + name) * subjects->factor + entity->process;
}

static bool is_kind(const struct rst_entity *a, const struct rst_entity *b)
{
	return a->kind == b->kind || (a->kind && b->kind && strcmp(a->kind, b->kind) == 0);
}

static bool is_same(const struct rst_entity *a, const struct rst_entity *b)
{
	if (a->form != b->form || a->id != b->id || a->process != b->process || !is_kind(a, b))
		return false;
	return !counts_name(a) || (a->name_bytes == b->name_bytes &&
					  (!a->name_bytes || memcmp(a->name, b->name, a->name_bytes) == 0));
}

void *subject_find(const struct subjects *subjects, const struct rst_entity *entity)
{
	struct subject *subject = subjects->n ? map_find(&subjects->map, key_of(subjects, entity)) : NULL;

	while (subject && !is_same(&subject->entity, entity))
		subject = subject->same;
	return subject;
}

static struct subject *subject_add(struct subjects *subjects, const struct rst_entity *entity)
{
	struct subject **all = array_room(subjects->all, subjects->n, &subjects->room, sizeof(*all));
	struct subject *subject = all ? arena_alloc(&subjects->arena, subjects->record_bytes) : NULL;

	if (all)
		subjects->all = all;
	if (!subject)
		return NULL;
	if (!subjects->factor)
		subjects->factor = map_factor();
	const uint64_t key = key_of(subjects, entity);

	subject->entity = *entity;
	subject->is_rest = subjects->n + 1 == SUBJECTS_MAX;
	subject->same = map_find(&subjects->map, key);
	if (!map_set(&subjects->map, key, subject))
		return NULL;
	subjects->has_twins = false;
	return subjects->all[subjects->n++] = subject;
}

void *subject_reach(struct subjects *subjects, const struct rst_entity *entity)
{
	struct subject *subject = subject_find(subjects, entity);

	if (!subject && subjects->n == SUBJECTS_MAX)
		return subjects->all[SUBJECTS_MAX - 1];
	if (!subject) {
		subject = subject_add(subjects, entity);
	} else if (entity->name && !subject->entity.name && !subject->is_rest) {
		subject->entity.name = entity->name;
		subject->entity.name_bytes = entity->name_bytes;
		subjects->has_twins = false;
	}
	if (subject)
		subjects->recent[subject_place(entity->id)] = subject;
	return subject;
}

void *subject_reach_context(struct subjects *subjects, const struct rst_context *context)
{
	const struct rst_entity entity = rst_entity_of_context(context);
	struct subject *subject = subject_of(subjects, &entity);

	if (subject && !subject->is_rest)
		subject->source = context;
	return subject;
}

void *subject_reach_ref(struct subjects *subjects, const struct rst_ref *ref)
{
	const struct rst_entity entity = rst_entity_of_ref(ref);
	struct subject *subject = subject_of(subjects, &entity);

	if (subject && !subject->is_rest) {
		subject->source = ref->object;
		subject->source_kind = ref->kind;
	}
	return subject;
}

/* --- names ---------------------------------------------------------------------------------------------- */

enum { NAME_ROOM = TEXT_DEC_MAX + 8 };

static char *subjects_put_number(char *p, const struct rst_entity *entity)
{
	return (entity->is_number ? text_put_dec : text_put_hex)(p, entity->id);
}

bool entity_name(const struct rst_entity *entity, struct table *table, struct table_cell *ret_cell)
{
	char number[NAME_ROOM];
	struct text text = { entity->name, entity->name_bytes };

	*ret_cell = (struct table_cell){ 0 };
	if (entity->form == RST_ENTITY_NONE)
		return true;
	if (!text.bytes &&
		!table_copy(table, number, (size_t)(subjects_put_number(number, entity) - number), &text))
		return false;
	*ret_cell = cell_text(text);
	return true;
}

bool entity_id(const struct rst_entity *entity, struct table *table, struct table_cell *ret_cell)
{
	const struct rst_entity nameless = {
		.form = entity->form, .id = entity->id, .is_number = entity->is_number
	};

	return entity_name(&nameless, table, ret_cell);
}

/* Marks those that share their name with another one of their kind. */
static bool twins_find(struct subjects *subjects)
{
	struct map names = { 0 };
	bool is_done = true;

	for (size_t i = 0; i < subjects->n && is_done; i++) {
		struct subject *subject = subjects->all[i], *other;
		const struct rst_entity *entity = &subject->entity;

		if (!entity->name)
			continue;
		const uint64_t key = map_text_key(entity->name, entity->name_bytes);

		other = map_find(&names, key);
		if (other && is_kind(&other->entity, entity))
			other->has_twin = subject->has_twin = true;
		is_done = other || map_set(&names, key, subject);
	}
	map_done(&names);
	return subjects->has_twins = is_done;
}

static bool name_twin(const struct rst_entity *entity, struct table *table, struct table_cell *ret_cell)
{
	struct text text;
	char *copy = arena_alloc(&table->arena, entity->name_bytes + NAME_ROOM), *p;

	if (!copy)
		return false;
	p = text_put(copy, entity->name, entity->name_bytes);
	p = subjects_put_number(text_put_literal(p, " ("), entity);
	*p++ = ')';
	text = (struct text){ copy, (size_t)(p - copy) };
	*ret_cell = cell_text(text);
	return true;
}

bool subject_name(struct subjects *subjects, const struct subject *subject, struct table *table,
	struct table_cell *ret_cell)
{
	if (!subjects->has_twins && !twins_find(subjects))
		return false;
	if (subject->is_rest)
		*ret_cell = cell_word("(others)");
	else if (subject->has_twin)
		return name_twin(&subject->entity, table, ret_cell);
	else
		return entity_name(&subject->entity, table, ret_cell);
	return true;
}

bool interrupt_name(struct subjects *subjects, const struct subject *subject, struct table *table,
	struct table_cell *ret_cell)
{
	if (subject->entity.form != RST_ENTITY_NONE || subject->is_rest)
		return subject_name(subjects, subject, table, ret_cell);
	*ret_cell = cell_word("isr");
	return true;
}

void subjects_done(struct subjects *subjects)
{
	free(subjects->all);
	map_done(&subjects->map);
	arena_done(&subjects->arena);
}
