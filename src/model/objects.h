/* SPDX-License-Identifier: MIT */
/*
 * All objects of a trace, by id and sequence number. Each id has a chain of objects, one after the other in the sequence:
 *
 *      id 0x2000   [queue "a"  from 0] -> [thread "b" from 812] -> …
 *
 * Lookups go forward with the events, so each chain remembers where the last one ended.
 *
 * Only OBJECTS_MAX are kept: no target has so many, but an input may say what it likes.
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

/* What objects_add() makes. */
struct object {
	struct rst_object public; /* first: the public pointer is this one */
	struct context *
		context; /* contexts.c: of the thread that it is; NULL if it has made no event, and none names it */
};

struct object_chain {
	uint64_t process, id;
	int kind;		   /* -1: of all kinds that share their ids */
	struct object_chain *next; /* another one of the same key */
	struct rst_object *first;
	struct rst_object *latest;
	const struct rst_object *recent; /* where the last lookup ended */
};

struct objects {
	struct map chains;	/* to struct object_chain */
	bool is_by_kind;	/* the dialect's: ids count for each kind by itself */
	uint64_t counted_kinds; /* bit k: ids of kind k are numbers, not addresses */
	uint64_t scoped_kinds;	/* the dialect's: bit k: ids of kind k belong to a process */
	const struct origins
		*origins; /* of a merged trace, whose kinds all belong to processes; NULL if it is none */
	uint64_t factor;  /* map_factor(), from the first object on */
	struct rst_object **all; /* in the order of definition */
	size_t n_all, room;
	unsigned generation;	  /* counts changes: what was derived from an older one may be stale */
	struct rst_object passed; /* what objects_add() gives for those that are not kept … */
	uint64_t n_passed;	  /* … and how many they are */
};

/* The process that ids of a kind belong to, or 0. */
static inline uint64_t objects_scope(
	const struct objects *objects, uint64_t process, enum rst_object_kind kind)
{
	if (!(objects->scoped_kinds >> kind & 1))
		return 0;
	return objects->origins ? origins_scope(objects->origins, process, kind) : process;
}

/* objects_chain() of a merged trace. */
struct object_chain *objects_chain_merged(
	const struct objects *objects, uint64_t process, uint64_t id, enum rst_object_kind kind);

/*
 * All objects that are found by this process and id; for kinds that count by themselves, by the kind, too.
 * Returns NULL if there is none.
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
 * A new latest object of this id in a process, unnamed, without details. NULL when memory ran out. Beyond OBJECTS_MAX it is one that may
 * be filled in as any, but is never found: object_is_kept() spares the work.
 */
struct rst_object *objects_add(struct objects *objects, struct arena *arena, uint64_t process, uint64_t id,
	enum rst_object_kind kind, uint64_t from_seq);

static inline bool object_is_kept(const struct objects *objects, const struct rst_object *object)
{
	return object != &objects->passed;
}

/* The latest object of this id, or NULL; of this kind where kinds count by themselves. */
struct rst_object *objects_latest(
	const struct objects *objects, uint64_t process, uint64_t id, enum rst_object_kind kind);

/* Gives an object its name as it was recorded: it is kept in printable form, see text_keep(). false when memory ran out. */
bool objects_name(struct objects *objects, struct arena *arena, struct rst_object *object,
	const uint8_t *name, size_t name_bytes);

/* The same for a name in printable form. */
bool objects_name_printable(struct objects *objects, struct arena *arena, struct rst_object *object,
	const char *name, size_t name_bytes);

const struct rst_object *object_chain_at(struct object_chain *chain, uint64_t seq);

/* What the id of a chain (NULL: there is none) meant at seq, as below. */
static inline const struct rst_object *object_chain_find(
	struct object_chain *chain, enum rst_object_kind kind, uint64_t seq)
{
	if (!chain)
		return NULL;
	const struct rst_object *object = chain->first->later ? object_chain_at(chain, seq) : chain->first;

	return kind == RST_OBJECT_UNKNOWN || object->kind == kind ? object : NULL;
}

/*
 * What id meant at seq: the object whose span holds it; before the first definition, the first one. With a
 * kind other than RST_OBJECT_UNKNOWN an object of another kind is not an answer. Returns NULL if none is
 * known.
 */
static inline const struct rst_object *objects_at(
	const struct objects *objects, uint64_t process, uint64_t id, enum rst_object_kind kind, uint64_t seq)
{
	return object_chain_find(objects_chain(objects, process, id, kind), kind, seq);
}

void objects_done(struct objects *objects);

#endif
