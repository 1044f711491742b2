/* SPDX-License-Identifier: MIT */
#include "model/objects.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"

static bool counts_by_kind(const struct objects *objects, uint64_t process, enum rst_object_kind kind)
{
	const struct origin_process *of =
		objects->origins ? origins_process(objects->origins, process) : NULL;

	return kind >= RST_OBJECT_SIGNAL || (of ? of->origin->is_by_kind : objects->is_by_kind);
}

struct object_chain *objects_chain_merged(
	const struct objects *objects, uint64_t process, uint64_t id, enum rst_object_kind kind)
{
	const int own = counts_by_kind(objects, process, kind) ? (int)kind : -1;
	const uint64_t scope = origins_scope(objects->origins, process, kind);
	struct object_chain *chain = map_find(
		&objects->chains, (own < 0 ? id : id ^ (uint64_t)kind << 56) ^ scope * objects->factor);

	while (chain && (chain->id != id || chain->process != scope || chain->kind != own))
		chain = chain->next;
	return chain;
}

static struct object_chain *chain_of(struct objects *objects, struct arena *arena, uint64_t process,
	uint64_t id, enum rst_object_kind kind)
{
	const bool is_own = counts_by_kind(objects, process, kind);
	const uint64_t scope = objects_scope(objects, process, kind);
	struct object_chain *chain = objects_chain(objects, process, id, kind);
	uint64_t key = (is_own ? id ^ (uint64_t)kind << 56 : id) ^ scope * objects->factor;

	if (chain)
		return chain;
	chain = arena_alloc(arena, sizeof(*chain));
	if (!chain)
		return NULL;
	*chain = (struct object_chain){ .process = scope,
		.id = id,
		.kind = is_own ? (int)kind : -1,
		.next = map_find(&objects->chains, key) };
	return map_set(&objects->chains, key, chain) ? chain : NULL;
}

struct rst_object *objects_add(struct objects *objects, struct arena *arena, uint64_t process, uint64_t id,
	enum rst_object_kind kind, uint64_t from_seq)
{
	const struct rst_object as_new = {
		.id = id, .kind = kind, .process = objects_scope(objects, process, kind), .from_seq = from_seq
	};

	if (objects->n_all == OBJECTS_MAX) {
		objects->n_passed++;
		objects->passed = as_new;
		return &objects->passed;
	}
	struct object *own = arena_alloc(arena, sizeof(*own));
	struct rst_object *object = own ? &own->public : NULL;
	struct rst_object **all =
		array_room(objects->all, objects->n_all, &objects->room, sizeof(struct rst_object *));

	if (all)
		objects->all = all;
	if (!object || !all)
		return NULL;
	*object = as_new;
	object->index = (uint32_t)objects->n_all;
	object->is_number = kind >= RST_OBJECT_SIGNAL || (objects->counted_kinds >> kind & 1);
	if (!objects->factor)
		objects->factor = map_factor();
	struct object_chain *chain = chain_of(objects, arena, process, id, kind);

	if (!chain)
		return NULL;
	if (chain->latest)
		chain->latest->later = object;
	else
		chain->recent = chain->first = object;
	chain->latest = object;
	objects->all[objects->n_all++] = object;
	objects->generation++;
	return object;
}

struct rst_object *objects_latest(
	const struct objects *objects, uint64_t process, uint64_t id, enum rst_object_kind kind)
{
	struct object_chain *chain = objects_chain(objects, process, id, kind);

	return chain ? chain->latest : NULL;
}

bool objects_name(struct objects *objects, struct arena *arena, struct rst_object *object,
	const uint8_t *name, size_t name_bytes)
{
	if (!object_is_kept(objects, object))
		return true;
	char *kept = arena_alloc(arena, 4 * name_bytes + 1 + TEXT_SHORT);

	if (!kept)
		return false;
	object->name_bytes = (size_t)(text_keep(kept, name, name_bytes) - kept);
	object->name = kept;
	objects->generation++;
	return true;
}

bool objects_name_printable(struct objects *objects, struct arena *arena, struct rst_object *object,
	const char *name, size_t name_bytes)
{
	if (!object_is_kept(objects, object))
		return true;
	char *own = arena_alloc(arena, name_bytes + 1 + TEXT_SHORT);

	if (!own)
		return false;
	text_put(own, name, name_bytes);
	object->name_bytes = name_bytes;
	object->name = own;
	objects->generation++;
	return true;
}

const struct rst_object *object_chain_at(struct object_chain *chain, uint64_t seq)
{
	const struct rst_object *object = chain->recent;

	if (object->from_seq > seq)
		object = chain->first;
	while (object->later && object->later->from_seq <= seq)
		object = object->later;
	chain->recent = object;
	return object;
}

void objects_done(struct objects *objects)
{
	map_done(&objects->chains);
	free(objects->all);
	*objects = (struct objects){ 0 };
}
