/* SPDX-License-Identifier: MIT */
/*
 * A block of names repeats a kind, a number, a length and so many bytes of text. Names may come at any time,
 * and repeatedly; a name that is known already changes nothing.
 */
#include <string.h>

#include "dialect/compact/compact.h"

#include "base/text.h"

/* enum rastrum_name_kind of embed/compact/compact.h. */
enum { NAME_CLOCK = 0, NAME_OBJECT_FIRST = 1, NAME_OBJECT_LAST = 10, NAME_USER = 11, NAME_PROGRAM = 12 };

static const enum rst_object_kind object_kinds[] = {
	RST_OBJECT_THREAD,
	RST_OBJECT_INTERRUPT,
	RST_OBJECT_SEMAPHORE,
	RST_OBJECT_MUTEX,
	RST_OBJECT_QUEUE,
	RST_OBJECT_TIMER,
	RST_OBJECT_BYTE_POOL,
	RST_OBJECT_EVENT_FLAGS,
	RST_OBJECT_FUNCTION,
	RST_OBJECT_MEMORY,
};

struct name {
	uint8_t kind;
	uint32_t id;
	const uint8_t *text;
	size_t n_text;
};

static bool name_load(struct name *ret, const uint8_t **at, const uint8_t *end)
{
	ret->kind = *(*at)++;
	if (!compact_number(at, end, &ret->id) || *at == end)
		return false;
	ret->n_text = *(*at)++;
	ret->text = *at;
	if (ret->n_text > (size_t)(end - *at))
		return false;
	*at += ret->n_text;
	return true;
}

/* The model cleans names, so names are compared after the model has them. */
static bool name_object(struct compact *compact, struct model *model, const struct name *name)
{
	enum rst_object_kind kind = object_kinds[name->kind - NAME_OBJECT_FIRST];
	struct rst_object *object = objects_latest(&model->objects, 0, name->id, kind);

	if (!object) {
		if (model->objects.n_all >= COMPACT_OBJECTS_MAX) {
			bool is_first = !compact->has_passed_objects;

			compact->has_passed_objects = true;
			return !is_first ||
			       model_warn(model, "there are so many names that later ones are left out");
		}
		object = objects_add(&model->objects, &model->arena, 0, name->id, kind, compact->seq);
		return object &&
		       objects_name(&model->objects, &model->arena, object, name->text, name->n_text);
	}
	return true;
}

/* A name for the events of the program. Types that were made without it are made again. */
static bool name_user(struct compact *compact, struct model *model, const struct name *name)
{
	char *text, *end;

	if (name->id >= COMPACT_USERS || name->n_text == 0 || compact->user_names[name->id])
		return true;
	text = arena_alloc(&model->arena, 4 * name->n_text + 1);
	if (!text)
		return false;
	end = text_keep(text, name->text, name->n_text);
	*end = '\0';
	for (char *p = text; p < end; p++)
		if (*p == ' ')
			*p = '_';
	compact->user_names[name->id] = text;
	memset(&compact->layouts[(COMPACT_USER_FIRST + name->id) << 2], 0, 4 * sizeof(compact->layouts[0]));
	return true;
}

static bool name_program(struct compact *compact, struct model *model, const struct name *name)
{
	char text[4 * COMPACT_PAYLOAD_MAX + 1];

	if (compact->has_program)
		return true;
	compact->has_program = true;
	*text_keep(text, name->text, name->n_text) = '\0';
	return model_detail_text(model, "program", text);
}

static bool name_take(struct compact *compact, struct model *model, const struct name *name)
{
	if (name->kind >= NAME_OBJECT_FIRST && name->kind <= NAME_OBJECT_LAST)
		return name_object(compact, model, name);
	if (name->kind == NAME_USER)
		return name_user(compact, model, name);
	if (name->kind == NAME_PROGRAM)
		return name_program(compact, model, name);
	if (name->kind == NAME_CLOCK && !model->clock_hz)
		model->clock_hz = name->id;
	return true;
}

bool compact_names(struct compact *compact, struct model *model, const struct compact_block *block)
{
	const uint8_t *at = block->payload, *end = at + block->n_payload;
	struct name name;

	while (at < end && name_load(&name, &at, end))
		if (!name_take(compact, model, &name))
			return false;
	return true;
}
