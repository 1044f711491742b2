/* SPDX-License-Identifier: MIT */
/*
 * Active objects as contexts. The model's own contexts take names of threads only, and what an active object is called
 * often comes late: so a context is made here, and made anew when its object gets another name.
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "dialect/rkh/rkh.h"

static struct rst_context *context_new(struct model *model, uint64_t address)
{
	struct contexts *contexts = &model->contexts;
	struct context *context = arena_alloc(&model->arena, sizeof(*context));
	struct context **all =
		array_room(contexts->all, contexts->n_all, &contexts->room, sizeof(struct context *));

	if (all)
		contexts->all = all;
	if (!context || !all)
		return NULL;
	context->public = (struct rst_context){
		.kind = RST_CONTEXT_THREAD, .id = address, .index = (uint32_t)contexts->n_all
	};
	contexts->all[contexts->n_all++] = context;
	return &context->public;
}

/* The address in hexadecimal, until there is a name. */
static bool take_address(struct model *model, struct rst_context *context)
{
	char *name = arena_alloc(&model->arena, TEXT_HEX_MAX + TEXT_SHORT);

	if (!name)
		return false;
	context->name = name;
	context->name_bytes = (size_t)(text_put_hex(name, context->id) - name);
	return true;
}

/*
 * What the address is called at this place; the name that it has as an active object goes before all others. Only so
 * many later names are looked at: one address may be named again and again.
 */
static const struct rst_object *actor_object(const struct model *model, uint64_t address, uint64_t place)
{
	enum { LATER_MAX = 64 };
	const struct rst_object *now = objects_at(&model->objects, address, RST_OBJECT_UNKNOWN, place),
				*object = now;

	for (unsigned n = 0; object && n < LATER_MAX; object = object->later, n++)
		if (object->kind == RST_OBJECT_ACTIVE_OBJECT)
			return object;
	return now;
}

static bool actor_keep(
	struct rkh *rkh, struct model *model, uint64_t address, const struct rst_context *context)
{
	struct rkh_actor *actor = map_find(&rkh->actors, address);

	if (!actor) {
		actor = arena_alloc(&model->arena, sizeof(*actor));
		if (!actor || !map_set(&rkh->actors, address, actor))
			return false;
		rkh->n_actors++;
	}
	*actor = (struct rkh_actor){ address, context };
	return true;
}

static const struct rst_context *actor_new(
	struct rkh *rkh, struct model *model, uint64_t address, const struct rst_object *object)
{
	struct rst_context *context = context_new(model, address);

	if (!context)
		return NULL;
	context->has_name = object && object->name_bytes;
	if (context->has_name) {
		context->name = object->name;
		context->name_bytes = object->name_bytes;
	} else if (!take_address(model, context)) {
		return NULL;
	}
	return actor_keep(rkh, model, address, context) ? context : NULL;
}

const struct rst_context *rkh_actor_slow(
	struct rkh *rkh, struct model *model, uint64_t address, uint64_t place)
{
	struct rkh_actor *slot = &rkh->recent[(address * 0x9e3779b97f4a7c15U) >> 58];
	const struct rkh_actor *actor = map_find(&rkh->actors, address);
	const struct rst_context *context = actor ? actor->context : NULL;

	if (!context && rkh->n_actors == RKH_ACTORS_MAX)
		return model->unknown;
	if (!context)
		context = actor_new(rkh, model, address, actor_object(model, address, place));
	if (context)
		*slot = (struct rkh_actor){ address, context };
	return context;
}

/* Nothing is to be done for an address that had no event yet: its context will find the name. */
bool rkh_actor_named(struct rkh *rkh, struct model *model, uint64_t address, uint64_t place)
{
	const struct rkh_actor *actor = map_find(&rkh->actors, address);
	const struct rst_object *object;

	if (!actor)
		return true;
	object = actor_object(model, address, place);
	if (!object || !object->name_bytes ||
		(actor->context->name_bytes == object->name_bytes &&
			memcmp(actor->context->name, object->name, object->name_bytes) == 0))
		return true;
	rkh->recent[(address * 0x9e3779b97f4a7c15U) >> 58] = (struct rkh_actor){ 0 };
	return actor_new(rkh, model, address, object) != NULL;
}
