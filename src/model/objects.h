/* SPDX-License-Identifier: MIT */
/*
 * All objects of a trace, by id and sequence number. Each id has a chain of objects in the order of the
 * sequence:
 *
 *      id 0x2000   [queue "a"  from 0] -> [thread "b" from 812] -> …
 *
 * Look-ups go forward with the events, so each chain stores the result of the last one.
 *
 * Only OBJECTS_MAX are kept: no target has so many, but a bad input may have any number.
 */
#ifndef MODEL_OBJECTS_H
#define MODEL_OBJECTS_H

#include <rastrum/object.h>

#include "base/arena.h"
#include "base/limit.h"
#include "base/map.h"
#include "model/origins.h"

enum { OBJECTS_MAX = LIMIT(131072, 48) };

struct context;

/* An object as objects_add() makes it. */
struct object {
	struct rst_object public; /* first: the public pointer is this one */
	/* contexts.c: the context, if the object is a thread; NULL until an event is by it or names it. */
	struct context *context;
};

struct object_chain {
	uint64_t process, id;
	int kind;		   /* -1 for all kinds that share their ids */
	struct object_chain *next; /* another chain with the same key */
	struct rst_object *first;
	struct rst_object *latest;
	const struct rst_object *recent; /* the result of the last look-up */
};

struct objects {
	struct map chains;	/* to struct object_chain */
	bool is_by_kind;	/* a dialect sets this: each kind has its own ids */
	uint64_t counted_kinds; /* bit k: ids of kind k are numbers, not addresses */
	uint64_t scoped_kinds;	/* a dialect sets this. bit k: ids of kind k belong to a process */
	/* The origins of a merged trace, where ids of all kinds belong to processes; else NULL. */
	const struct origins *origins;
	uint64_t factor;	 /* map_factor(), from the first object on */
	struct rst_object **all; /* in the order of definition */
	size_t n_all, room;
	unsigned generation;	  /* counts changes: data from an older generation may be stale */
	struct rst_object passed; /* the result of objects_add() for objects that are not kept … */
	uint64_t n_passed;	  /* … and their number */
};

/* The process to which ids of a kind belong, or 0. */
static inline uint64_t objects_scope(
	const struct objects *objects, uint64_t process, enum rst_object_kind kind)
{
	if (!(objects->scoped_kinds >> kind & 1))
		return 0;
	return objects->origins ? origins_scope(objects->origins, process, kind) : process;
}

/* objects_chain() for a merged trace. */
struct object_chain *objects_chain_merged(
	const struct objects *objects, uint64_t process, uint64_t id, enum rst_object_kind kind);

/*
 * Finds the chain of all objects with this process and id, and this kind if the kind has its own ids. Returns
 * NULL if there is no such object.
 */
static inline struct object_chain *objects_chain(
	const struct objects *objects, uint64_t process, uint64_t id, enum rst_object_kind kind)
{
	const bool is_own = objects->is_by_kind || kind >= RST_OBJECT_SIGNAL;
	const int own = is_own ? (int)kind : -1;
	uint64_t scope = 0, key = is_own ? id ^ (uint64_t)kind << 56 : id;
	struct object_chain *chain;

	if (__builtin_expect(objects->scoped_kinds >> kind & 1, 0)) {
		if (objects->origins)
			return objects_chain_merged(objects, process, id, kind);
		scope = process;
		key ^= scope * objects->factor;
	}
	chain = map_find(&objects->chains, key);

	while (chain && (chain->id != id || chain->process != scope || chain->kind != own))
		chain = chain->next;
	return chain;
}

/*
 * Adds the latest object of this id in a process, without a name and details. Returns NULL if memory ran out.
 * Beyond OBJECTS_MAX, returns an object that the caller may fill in, but that is never found; a caller can
 * save this work with object_is_kept().
 */
struct rst_object *objects_add(struct objects *objects, struct arena *arena, uint64_t process, uint64_t id,
	enum rst_object_kind kind, uint64_t from_seq);

static inline bool object_is_kept(const struct objects *objects, const struct rst_object *object)
{
	return object != &objects->passed;
}

/* The latest object of this id, or NULL; and of this kind if each kind has its own ids. */
struct rst_object *objects_latest(
	const struct objects *objects, uint64_t process, uint64_t id, enum rst_object_kind kind);

/*
 * Gives an object its recorded name, and keeps it in printable form, see text_keep(). Returns false if memory
 * ran out.
 */
bool objects_name(struct objects *objects, struct arena *arena, struct rst_object *object,
	const uint8_t *name, size_t name_bytes);

/* The same for a name in printable form. */
bool objects_name_printable(struct objects *objects, struct arena *arena, struct rst_object *object,
	const char *name, size_t name_bytes);

const struct rst_object *object_chain_at(struct object_chain *chain, uint64_t seq);

/* As objects_at(), for the chain of an id. Returns NULL if chain is NULL. */
static inline const struct rst_object *object_chain_find(
	struct object_chain *chain, enum rst_object_kind kind, uint64_t seq)
{
	if (!chain)
		return NULL;
	const struct rst_object *object = chain->first->later ? object_chain_at(chain, seq) : chain->first;

	return kind == RST_OBJECT_UNKNOWN || object->kind == kind ? object : NULL;
}

/*
 * Finds the object of an id at seq: the object whose span contains seq; before the first definition, the
 * first object. Unless kind is RST_OBJECT_UNKNOWN, the object must have that kind. Returns NULL if no such
 * object is known.
 */
static inline const struct rst_object *objects_at(
	const struct objects *objects, uint64_t process, uint64_t id, enum rst_object_kind kind, uint64_t seq)
{
	return object_chain_find(objects_chain(objects, process, id, kind), kind, seq);
}

void objects_done(struct objects *objects);

#endif
