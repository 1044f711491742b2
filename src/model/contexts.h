/* SPDX-License-Identifier: MIT */
/*
 * All contexts of a trace. The context of a thread takes its name from the object that has its id at that
 * sequence number. Only CONTEXTS_MAX are kept; the events of later ones get the unknown context.
 */
#ifndef MODEL_CONTEXTS_H
#define MODEL_CONTEXTS_H

#include "model/objects.h"

enum { CONTEXTS_MAX = LIMIT(65536, 40) };

/* Names from outside the recording: the symbols of a program name addresses. */
struct naming {
	/* Returns NULL if no name is known. A name that was found once is found again. */
	const struct rst_object *(*find)(void *state, uint64_t address, enum rst_object_kind kind);
	void *state;
	enum rst_object_kind kind; /* of objects that are contexts */
};

struct context {
	struct rst_context public;   /* first: the public pointer is this one */
	const char *noun;	     /* of its kind, as in struct contexts */
	const struct naming *naming; /* as in struct contexts */
};

enum { CONTEXTS_RECENT_BITS = 4 };

struct contexts {
	/* For threads that the recording does not name; find is NULL if there are no symbols. */
	struct naming naming;
	/*
	 * A dialect sets this: a thread without a name is this and its number, "task 4"; or 0x4 if it is
	 * NULL.
	 */
	const char *noun;
	struct map unknown;    /* id to the context of a thread without a known object */
	struct map interrupts; /* number to the context of that interrupt */
	struct map threads;    /* id in thread_mask to the first context of that thread */
	/*
	 * A dialect sets this: the bits of an id that are the thread; the others count its uses. 0 for all
	 * bits.
	 */
	uint64_t thread_mask;
	struct context **all; /* by index */
	size_t n_all, room;
	struct context **nameless; /* contexts whose object has no name so far */
	size_t n_nameless, nameless_room;
	unsigned generation;   /* of the objects at the last refresh of names … */
	size_t n_objects_seen; /* … and their number */
	bool is_counted;       /* a dialect sets this: ids are numbers, not addresses */
	const struct rst_context *special[RST_CONTEXT_IDLE + 1];
	const struct rst_context *last; /* of the last look-up, because usually the same thread runs on */
	uint64_t last_id;
	bool last_is_only; /* its id has only this context */
	struct context_recent {
		uint64_t id;
		const struct rst_context *context; /* NULL if the place is empty */
		unsigned generation; /* of the objects: the entry is valid while it is the same */
		/* Earlier contexts that are the only ones of their ids, by a hash of the id. */
	} recent[1 << CONTEXTS_RECENT_BITS];
	uint64_t n_passed; /* look-ups of threads that are not kept */
};

/*
 * Adds a context that has neither object nor name yet. The functions below use it, and dialects that find
 * their threads in other ways. Returns NULL if memory ran out.
 */
struct context *contexts_add(
	struct contexts *contexts, struct arena *arena, enum rst_context_kind kind, uint64_t id);

/*
 * Names the context after its object, else by its id (in hexadecimal, or after the noun), until there is a
 * name. Returns false if memory ran out.
 */
bool context_name(struct context *context, struct arena *arena);

/*
 * The context of a thread that a field names, as contexts_thread() returns it for the thread's own events. A
 * thread that is not kept does not count in n_passed. Returns NULL if memory ran out.
 */
const struct rst_context *contexts_find(struct contexts *contexts, const struct objects *objects,
	struct arena *arena, uint64_t process, uint64_t id, uint64_t seq);

const struct rst_context *contexts_thread_slow(struct contexts *contexts, const struct objects *objects,
	struct arena *arena, uint64_t id, uint64_t seq);

/*
 * The context of a thread at a sequence number, or the unknown one if it is not kept. Returns NULL if memory
 * ran out.
 */
static inline const struct rst_context *contexts_thread(struct contexts *contexts,
	const struct objects *objects, struct arena *arena, uint64_t id, uint64_t seq)
{
	if (id == contexts->last_id && contexts->last_is_only && contexts->generation == objects->generation)
		return contexts->last;
	return contexts_thread_slow(contexts, objects, arena, id, seq);
}

/* The key of an id in maps of contexts. In a merged trace, each origin has its own ids. */
static inline uint64_t contexts_key(uint64_t id, const struct objects *objects, const struct origin *origin)
{
	return origin ? id ^ origin->public.process * objects->origins->factor : id;
}

/* Sets the origin of a context in a merged trace. origin is NULL if the trace is not merged. */
void contexts_place(struct context *context, const struct origin *origin);

/* Whether both ids belong to one thread. */
static inline bool contexts_is_same(const struct contexts *contexts, uint64_t id, uint64_t other)
{
	return ((id ^ other) & (contexts->thread_mask ? contexts->thread_mask : UINT64_MAX)) == 0;
}

/* The only context of a kind without ids (isr, init, idle, unknown). Returns NULL if memory ran out. */
const struct rst_context *contexts_special(
	struct contexts *contexts, struct arena *arena, enum rst_context_kind kind, uint64_t id);

/* Sets the process of a thread. */
static inline void contexts_own(const struct rst_context *context, uint64_t process)
{
	((struct context *)(uintptr_t)context)->public.process = process;
}

/* Makes both contexts of one thread. The thread's first context is that of `first`. */
static inline void contexts_join(const struct rst_context *context, const struct rst_context *first)
{
	((struct context *)(uintptr_t)context)->public.thread = first->thread;
}

/* The context of an interrupt by its number, "isr 37". Returns NULL if memory ran out. */
const struct rst_context *contexts_isr(struct contexts *contexts, struct arena *arena, uint64_t number);

void contexts_done(struct contexts *contexts);

#endif
