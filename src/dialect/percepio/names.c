/* SPDX-License-Identifier: MIT */
/*
 * Names and kinds of objects. The name of an address comes before or behind the event that
 * creates the object, so a name waits until an event shows what is at the address. A deletion ends the
 * object; the next creation at its address is another one.
 */
#include <stdlib.h>
#include <string.h>

#include "dialect/percepio/percepio.h"

static struct percepio_name *name_at(struct percepio *percepio, uint64_t id, bool *ret_is_full)
{
	struct percepio_name *name = map_find(&percepio->names, id);

	*ret_is_full = false;
	if (name && name->run != percepio->n_runs) { /* objects of the run before are gone */
		name->run = percepio->n_runs;
		name->is_live = name->is_new = false;
		name->n_text = 0;
	}
	if (name)
		return name;
	if (percepio->n_names >= PERCEPIO_NAMES_MAX) {
		*ret_is_full = true;
		return NULL;
	}
	name = calloc(1, sizeof(*name));
	if (!name || !map_set(&percepio->names, id, name)) {
		free(name);
		return NULL;
	}
	percepio->n_names++;
	name->run = percepio->n_runs;
	name->next = percepio->all_names;
	percepio->all_names = name;
	return name;
}

/* FreeRTOS names its idle task IDLE; with several cores, IDLE0 and so on. */
static bool is_name_of_idle(const uint8_t *text, size_t n_text)
{
	static const char idle[] = { 'I', 'D', 'L', 'E' };

	if (n_text < sizeof(idle) || memcmp(text, idle, sizeof(idle)) != 0)
		return false;
	for (size_t i = sizeof(idle); i < n_text; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return true;
}

static bool name_keep(struct percepio_name *name, const uint8_t *text, size_t n_text)
{
	if (n_text > name->room) {
		uint8_t *more = realloc(name->text, n_text);

		if (!more)
			return false;
		name->text = more;
		name->room = n_text;
	}
	if (n_text)
		memcpy(name->text, text, n_text);
	name->n_text = n_text;
	name->is_idle = is_name_of_idle(text, n_text);
	return true;
}

/* Gives the name to the object, unless it has it. */
static bool object_name(struct model *model, struct rst_object *object, const struct percepio_name *name)
{
	if (!name->n_text || (object->name && object->name_bytes == name->n_text &&
				     memcmp(object->name, name->text, name->n_text) == 0))
		return true;
	return objects_name(&model->objects, &model->arena, object, name->text, name->n_text);
}

bool percepio_name_set(
	struct percepio *percepio, struct model *model, uint64_t id, const uint8_t *text, size_t n_text)
{
	const size_t n = strnlen((const char *)text, n_text);
	struct rst_object *object;
	struct percepio_name *name;
	bool is_full;

	if (!n)
		return true;
	name = name_at(percepio, id, &is_full);
	if (!name)
		return is_full;
	if (!name_keep(name, text, n))
		return false;
	name->is_new = true;
	if (!name->is_live)
		return true;
	object = objects_latest(&model->objects, 0, id, RST_OBJECT_UNKNOWN);
	return !object || object_name(model, object, name);
}

bool percepio_name_isr(
	struct percepio *percepio, struct model *model, uint64_t id, const uint8_t *text, size_t n_text)
{
	return percepio_name_set(percepio, model, id, text, n_text) &&
	       percepio_object_met(percepio, model, id, RST_OBJECT_INTERRUPT, false);
}

bool percepio_object_met(
	struct percepio *percepio, struct model *model, uint64_t id, enum rst_object_kind kind, bool is_new)
{
	struct percepio_name *name;
	struct rst_object *object;
	bool is_full;

	name = name_at(percepio, id, &is_full);
	if (!name)
		return is_full;
	if (name->is_live && !is_new)
		return true;
	if (is_new && !name->is_new)
		name->n_text = 0; /* the name was that of the object before */
	name->is_live = true;
	if (is_new)
		name->is_new = false;
	object = objects_add(&model->objects, &model->arena, 0, id, kind, percepio->seq);
	return object && object_name(model, object, name);
}

bool percepio_is_idle(const struct percepio *percepio, uint64_t id)
{
	const struct percepio_name *name = map_find(&percepio->names, id);

	return name && name->n_text && name->is_idle && name->run == percepio->n_runs;
}

void percepio_object_gone(struct percepio *percepio, uint64_t id)
{
	struct percepio_name *name = map_find(&percepio->names, id);

	if (name)
		name->is_live = name->is_new = false;
}

void percepio_names_done(struct percepio *percepio)
{
	for (struct percepio_name *name = percepio->all_names, *next; name; name = next) {
		next = name->next;
		free(name->text);
		free(name);
	}
	map_done(&percepio->names);
}
