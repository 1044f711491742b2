/* SPDX-License-Identifier: MIT */
/*
 * Active objects and other senders as contexts. The model's own contexts only take names of threads, and the
 * name of an active object often comes late. So this file makes the contexts, and makes another one of the
 * same thread when its object gets another name.
 */
#include <string.h>

#include "dialect/rkh/rkh.h"

/*
 * Returns the object at the address at this sequence number; an active object there has priority over all
 * others. Looks at LATER_MAX names at most, because an address may be named again and again.
 */
static const struct rst_object *actor_object(const struct model *model, uint64_t address, uint64_t seq)
{
	enum { LATER_MAX = 64 };
	const struct rst_object *now = objects_at(&model->objects, 0, address, RST_OBJECT_UNKNOWN, seq),
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
	*actor = (struct rkh_actor){ address, context, rkh->n_batches };
	return true;
}

static const struct rst_context *actor_new(
	struct rkh *rkh, struct model *model, uint64_t address, const struct rst_object *object)
{
	const struct rkh_actor *before = map_find(&rkh->actors, address);
	struct context *context = contexts_add(&model->contexts, &model->arena, RST_CONTEXT_THREAD, address);

	if (!context)
		return NULL;
	if (before)
		contexts_join(&context->public, before->context);
	context->public.object = object;
	context->public.is_subject = true;
	return context_name(context, &model->arena) && actor_keep(rkh, model, address, &context->public)
		       ? &context->public
		       : NULL;
}

const struct rst_context *rkh_actor_slow(struct rkh *rkh, struct model *model, uint64_t address, uint64_t seq)
{
	struct rkh_actor *slot = &rkh->recent[(address * 0x9e3779b97f4a7c15U) >> 58];
	const struct rkh_actor *actor = map_find(&rkh->actors, address);
	const struct rst_context *context = actor ? actor->context : NULL;

	if (!context && rkh->n_actors == RKH_ACTORS_MAX)
		return model->unknown;
	if (!context)
		context = actor_new(rkh, model, address, actor_object(model, address, seq));
	if (context)
		*slot = (struct rkh_actor){ address, context, 0 };
	return context;
}

/*
 * Names a context that has no name yet and that no consumer has seen. Returns false otherwise; then the name
 * needs another context.
 */
static bool actor_rename(const struct rkh *rkh, struct model *model, const struct rkh_actor *actor,
	const struct rst_object *object, bool *ret_has_memory)
{
	struct context *context = (struct context *)(uintptr_t)actor->context;

	*ret_has_memory = true;
	if ((context->public.object && context->public.object->name_bytes) || actor->batch != rkh->n_batches)
		return false;
	context->public.object = object;
	*ret_has_memory = context_name(context, &model->arena);
	return true;
}

/* Does nothing for an address without an event so far: its context will find the name. */
bool rkh_actor_named(struct rkh *rkh, struct model *model, uint64_t address, uint64_t seq)
{
	const struct rkh_actor *actor = map_find(&rkh->actors, address);
	const struct rst_object *object;
	bool has_memory;

	if (!actor)
		return true;
	object = actor_object(model, address, seq);
	if (!object || !object->name_bytes ||
		(actor->context->name_bytes == object->name_bytes &&
			memcmp(actor->context->name, object->name, object->name_bytes) == 0))
		return true;
	if (actor_rename(rkh, model, actor, object, &has_memory))
		return has_memory;
	rkh->recent[(address * 0x9e3779b97f4a7c15U) >> 58] = (struct rkh_actor){ 0 };
	return actor_new(rkh, model, address, object) != NULL;
}

bool rkh_owns(struct rkh *rkh, struct model *model, uint64_t owner, uint64_t address)
{
	struct rkh_owner *known = map_find(&rkh->owners, address);

	if (!known && rkh->n_owners == RKH_ACTORS_MAX)
		return true;
	if (!known) {
		known = arena_alloc(&model->arena, sizeof(*known));
		if (!known || !map_set(&rkh->owners, address, known))
			return false;
		rkh->n_owners++;
	}
	known->address = owner;
	return true;
}
