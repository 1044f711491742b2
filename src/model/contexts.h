/* SPDX-License-Identifier: MIT */
/*
 * All contexts of a trace. A thread's context takes its name from the object that its id means at that sequence number. Only
 * CONTEXTS_MAX are kept; the events of later ones are of the unknown context.
 */
#ifndef MODEL_CONTEXTS_H
#define MODEL_CONTEXTS_H

#include "model/objects.h"

enum { CONTEXTS_MAX = LIMIT(65536, 40) };

/* Names that stand beside the recording: those that a program's symbols give to addresses. */
struct naming {
	/* Returns NULL if none is known. A name that was found once is found again. */
	const struct rst_object *(*find)(void *state, uint64_t address, enum rst_object_kind kind);
	void *state;
	enum rst_object_kind kind; /* of objects that are contexts */
};

struct context {
	struct rst_context public;   /* first: the public pointer is this one */
	const char *noun;	     /* of its kind, as below */
	const struct naming *naming; /* as below */
};

enum { CONTEXTS_RECENT_BITS = 4 };

struct contexts {
	struct naming
		naming; /* of threads that the recording does not name; find NULL: there are no symbols */
	const char *
		noun; /* the dialect's: threads without a name are this and their number, "task 4"; NULL: 0x4 */
	struct map unknown;    /* id to the context of a thread that no object is known for */
	struct map interrupts; /* number to the context of that interrupt */
	struct map threads;    /* id in thread_mask to the first context of that thread */
	uint64_t
		thread_mask; /* the dialect's: what of an id is the thread; the rest counts its uses. 0 if all is */
	struct context **all; /* by index */
	size_t n_all, room;
	struct context **nameless; /* those whose object has no name so far */
	size_t n_nameless, nameless_room;
	unsigned generation;   /* of the objects that names were taken from … */
	size_t n_objects_seen; /* … and how many there were */
	bool is_counted;       /* the dialect's: ids are numbers, not addresses */
	const struct rst_context *special[RST_CONTEXT_IDLE + 1];
	const struct rst_context *last; /* of the last thread looked up: mostly it runs on */
	uint64_t last_id;
	bool last_is_only; /* its id never means anything else */
	struct context_recent {
		uint64_t id;
		const struct rst_context *context; /* NULL if nothing is kept here */
		unsigned generation;		   /* of the objects: it holds while they are the same */
	} recent[1
		 << CONTEXTS_RECENT_BITS]; /* those before it, by a hash of the id, that are the only ones */
	uint64_t n_passed;		   /* lookups of threads that are not kept */
};

/*
 * A new context, which has no object and no name yet: for the functions below, and for dialects whose threads are found
 * in ways of their own. NULL when memory ran out.
 */
struct context *contexts_add(
	struct contexts *contexts, struct arena *arena, enum rst_context_kind kind, uint64_t id);

/*
 * Names the context after its object, else by its id (in hexadecimal, or behind the noun), which stays until
 * there is a name. Returns false if memory ran out.
 */
bool context_name(struct context *context, struct arena *arena);

/*
 * The context of a thread that a field names, as contexts_thread() gives it for the thread's own events. One that is not kept
 * does not count as passed over. NULL when memory ran out.
 */
const struct rst_context *contexts_find(struct contexts *contexts, const struct objects *objects,
	struct arena *arena, uint64_t process, uint64_t id, uint64_t seq);

const struct rst_context *contexts_thread_slow(struct contexts *contexts, const struct objects *objects,
	struct arena *arena, uint64_t id, uint64_t seq);

/* The context of a thread at a sequence number, or the unknown one when it is not kept. NULL when memory ran out. */
static inline const struct rst_context *contexts_thread(struct contexts *contexts,
	const struct objects *objects, struct arena *arena, uint64_t id, uint64_t seq)
{
	if (id == contexts->last_id && contexts->last_is_only && contexts->generation == objects->generation)
		return contexts->last;
	return contexts_thread_slow(contexts, objects, arena, id, seq);
}

/* Where maps of contexts have an id: in a merged trace each origin has its own. */
static inline uint64_t contexts_key(uint64_t id, const struct objects *objects, const struct origin *origin)
{
	return origin ? id ^ origin->public.process * objects->origins->factor : id;
}

/* The context is of this origin of a merged trace; NULL if the trace is not merged. */
void contexts_place(struct context *context, const struct origin *origin);

/* Whether both ids are one thread's. */
static inline bool contexts_is_same(const struct contexts *contexts, uint64_t id, uint64_t other)
{
	return ((id ^ other) & (contexts->thread_mask ? contexts->thread_mask : UINT64_MAX)) == 0;
}

/* The one context of a kind that has no ids of its own (isr, init, idle, unknown). NULL when memory ran out. */
const struct rst_context *contexts_special(
	struct contexts *contexts, struct arena *arena, enum rst_context_kind kind, uint64_t id);

/* The thread belongs to this process. */
static inline void contexts_own(const struct rst_context *context, uint64_t process)
{
	((struct context *)(uintptr_t)context)->public.process = process;
}

/* Both are contexts of one thread; the thread's first one is that of `first`. */
static inline void contexts_join(const struct rst_context *context, const struct rst_context *first)
{
	((struct context *)(uintptr_t)context)->public.thread = first->thread;
}

/* The context of an interrupt by its number, "isr 37". NULL when memory ran out. */
const struct rst_context *contexts_isr(struct contexts *contexts, struct arena *arena, uint64_t number);

void contexts_done(struct contexts *contexts);

#endif
