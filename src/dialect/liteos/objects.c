/* SPDX-License-Identifier: MIT */
/*
 * Names of tasks. An object record has id, priority and name. Each creation and each change of priority makes
 * one. Offline (with a table of objects), it also increments the generation in the id's upper half. So an
 * offline id never means two tasks, and the records of a buffer are valid for all of it. Online ids have no
 * generation and are used again: a record is valid from its own event on. The number of definitions that are
 * kept is limited.
 */
#include "dialect/liteos/liteos.h"

#include "base/text.h"

static bool is_named(const struct rst_object *object, const uint8_t *name, size_t name_bytes)
{
	char clean[4 * LITEOS_NAME_BYTES];
	size_t n = name_bytes < LITEOS_NAME_BYTES ? name_bytes : LITEOS_NAME_BYTES;
	size_t n_clean = (size_t)(text_keep(clean, name, n) - clean);

	return object->name && n_clean == object->name_bytes && memcmp(clean, object->name, n_clean) == 0;
}

static bool has_priority(const struct rst_object *object, uint32_t priority)
{
	return object->n_details && object->details[0].number == priority;
}

/* Warns once. Returns false if memory ran out. */
static bool warn_full(struct liteos *liteos, struct model *model)
{
	bool is_first = !liteos->has_passed_names;

	liteos->has_passed_names = true;
	return !is_first || model_warn(model, "the target names so many tasks that later names are not kept");
}

bool liteos_add_object(struct liteos *liteos, struct model *model, uint32_t id, uint32_t priority,
	const uint8_t *name, size_t name_bytes)
{
	const uint8_t *nul = memchr(name, 0, name_bytes);
	const size_t n = nul ? (size_t)(nul - name) : name_bytes;
	const struct rst_object *latest = objects_latest(&model->objects, 0, id, RST_OBJECT_THREAD);
	struct rst_detail *detail;
	struct rst_object *object;

	if (latest && is_named(latest, name, n) && has_priority(latest, priority))
		return true;
	if (liteos->n_names == LITEOS_NAMES_MAX)
		return warn_full(liteos, model);
	liteos->n_names++;
	detail = arena_alloc(&model->arena, sizeof(*detail));
	object = objects_add(&model->objects, &model->arena, 0, id, RST_OBJECT_THREAD, liteos->seq);
	if (!detail || !object || (n && !objects_name(&model->objects, &model->arena, object, name, n)))
		return false;
	*detail = (struct rst_detail){ .name = "prio", .type = RST_DETAIL_NUMBER, .number = priority };
	object->details = detail;
	object->n_details = 1;
	return true;
}
