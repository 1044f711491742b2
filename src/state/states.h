/* SPDX-License-Identifier: MIT */
/*
 * What the files of this room share. Each follows one kind of thing: threads.c, cores.c, locks.c, levels.c, spans.c,
 * machines.c; states.c goes through the rows, emit.c keeps the intervals that have ended.
 *
 * A thing that lives has one record and one open interval, so memory does not grow with the number of events. An interval
 * may be ended at an earlier moment than that of the event that proves its end (a decision, an interrupt's last event), but
 * never before its own beginning.
 */
#ifndef STATE_STATES_H
#define STATE_STATES_H

#include <string.h>

#include <rastrum/state.h>
#include <rastrum/trace.h>

#include "base/arena.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/number.h"

enum {
	STATES_CORES_MAX = LIMIT(1024, 4),
	STATES_NESTING_MAX = 32,	      /* interrupts of one core, each in another */
	STATES_SPANS_MAX = LIMIT(256, 8),     /* open spans of one context */
	STATES_OWNERS_MAX = LIMIT(256, 4),    /* of one lock at a time */
	STATES_THINGS_MAX = LIMIT(131072, 16) /* locks, levels and machines together */
};

/* A time, and the event of it; seq is RST_NO_SEQ where it is not an event that makes it one. */
struct moment {
	uint64_t ticks, seq;
};

/* Where an open interval began, and how sure that is. */
struct since {
	struct moment at;
	enum rst_certainty certainty;
};

struct thing;

/* What a thread has asked for and not got yet. */
struct request {
	enum rst_effect_kind kind; /* acquire, receive, …; RST_EFFECT_NONE if there is none */
	enum rst_reason reason;
	struct rst_ref object;
	struct thing *thing; /* the object's record, NULL: it has none */
	struct moment at;
};

struct open_span {
	struct open_span *outer;
	const char *name; /* NULL: the object's */
	struct rst_ref object;
	bool has_key;
	uint64_t key;
	const struct rst_type *type;
	struct since since;
};

/* Which interrupt. */
struct irq {
	bool is_known;
	uint64_t number;
};

static inline bool is_same_irq(struct irq a, struct irq b)
{
	return a.is_known == b.is_known && (!a.is_known || a.number == b.number);
}

/* A context: a thread, and what else may have open spans. */
struct actor {
	const struct rst_context *context; /* the one that was seen last */
	bool is_followed;		   /* a thread whose states are kept */
	bool is_dead;			   /* deleted: its intervals have ended */
	bool has_acted;			   /* it has made an event that is more than a switch */
	bool is_held_back; /* its first interval, unknown, is given out with the second, unless it begins there */
	struct moment held_to;
	enum rst_state state;
	enum rst_reason reason;
	struct rst_ref object;	    /* that it waits for */
	struct irq irq;		    /* that interrupts it */
	struct thing *awaited;	    /* while it waits with a request for this thing … */
	enum rst_effect_kind wants; /* … of this kind */
	uint16_t core;
	const struct rst_context *by;
	struct since since;
	struct moment ran_to; /* when it ran last, or was interrupted */
	struct request request;
	struct open_span *spans; /* innermost first */
	unsigned n_spans;
};

/* What has a core: nothing known, a thread, another context (init, idle). */
struct holder {
	enum { HOLDER_UNKNOWN, HOLDER_ACTOR, HOLDER_IDLE } kind;
	struct actor *actor; /* of HOLDER_ACTOR: a thread, or the initialisation */
};

struct interrupt {
	struct irq irq;
	struct since since;
};

struct core {
	bool is_used;
	uint16_t number;
	uint32_t origin; /* as of contexts */
	struct holder holder;
	struct moment proved; /* the last event that shows that the holder had the core */
	bool has_decision;
	struct holder decided;	/* what is to have the core next … */
	struct moment decision; /* … since then */
	bool may_have_left;	/* a decision since then does not name its thread: it may be the same one */
	struct moment left;
	unsigned n_interrupts;
	struct interrupt interrupts[STATES_NESTING_MAX];
	struct moment inside; /* the last event in an interrupt */
	/* The open interval. */
	enum rst_state state;
	struct actor *shown;
	struct irq shown_irq;
	struct since since;
};

struct owner {
	struct actor *actor; /* NULL if it is not known */
	uint64_t n_held;
	bool is_partial;     /* it may give the lock back, and another may get it, without an event */
	struct moment shown; /* the last event that shows it as the owner */
	struct since since;
};

/* A lock, something with a level, a state machine: any object that has intervals. */
struct thing {
	struct thing *next; /* of the same key */
	struct rst_ref ref; /* as it was named last */
	uint32_t origin;    /* as of contexts */
	/* As a lock. */
	struct owner *owners;
	size_t n_owners, owners_room;
	bool is_known; /* that nothing else owns it */
	bool is_partial, has_release;
	const struct rst_context *released_by;
	struct moment released,
		owned_until; /* an owner that only a later event shows had it no earlier than this */
	/* As something with a level. */
	bool has_level;
	struct number level;
	bool is_listed;		 /* among the pools of its kind … */
	struct thing *next_pool; /* … before this one */
	struct since level_since;
	unsigned n_senders, n_receivers; /* threads that wait for it with such a request */
	const char *level_name;
	/* As a state machine. */
	bool is_machine;
	struct rst_ref in;
	struct since in_since;
};

/* What is to be done for the events of a layout. */
struct duty {
	bool is_known;
	uint8_t proof;	 /* what they show by themselves, states.c */
	uint64_t wanted; /* which of its effects, as rst_effects_read() has it */
};

struct rst_states {
	struct rst_trace *trace;
	struct arena arena;
	struct actor **actors; /* by index of the context */
	size_t actors_room;
	struct core **cores; /* by number */
	size_t cores_room;
	struct map things;	     /* thing_key() to the first of that key */
	struct thing **found_things; /* by index of the object, where the recording knows it */
	size_t found_room;
	struct thing **all_things;
	size_t n_things, things_room;
	struct thing *pools[RST_N_OBJECT_KINDS]; /* whose level may be known, and counts what is free */
	struct open_span *free_spans;
	struct duty *duties; /* by index of a layout */
	size_t duties_room;
	uint32_t watched; /* bit n: effects of kind n are given to take */
	rst_effect_fn *take;
	void *take_context;
	bool has_window, is_finished, has_switches;
	bool has_seen_switch; /* an event that switches or decides, whatever the recording says of itself */
	bool has_no_memory;
	struct moment begin, now; /* of the window; of the present row */
	struct moment
		run; /* where the run that began last began; the first one has begun with the window … */
	uint32_t run_origin; /* … and the origin that it is of; 0: all of them */
	uint64_t n_events;
	const struct rst_context *self;
	const struct rst_layout *layout;
	uint16_t core;
	uint8_t *ended; /* by number of an origin: that its end was seen */
	size_t ended_room;
	uint32_t lost; /* the origin of the present loss; 0: all of them */
	struct rst_interval *intervals;
	size_t n_intervals, intervals_room;
	struct rst_acquisition *acquisitions; /* of the present batch */
	size_t n_acquisitions, acquisitions_room;
	struct rst_arrival *arrivals; /* likewise */
	size_t n_arrivals, arrivals_room;
	struct rst_interval *open; /* of rst_states_open() */
	size_t open_room;
};

/* Whether the present loss concerns what is of this origin. */
static inline bool is_lost(const struct rst_states *states, uint32_t origin)
{
	return !states->lost || states->lost == origin;
}

/* Where what an event ends may have begun at the earliest, if nothing tells: with the run that it is of. */
static inline struct moment run_begin(const struct rst_states *states)
{
	const bool is_of_run = !states->run_origin || states->run_origin == states->self->origin;

	return (struct moment){ is_of_run ? states->run.ticks : states->begin.ticks, RST_NO_SEQ };
}

/* --- emit.c --------------------------------------------------------------------------------------------------- */

/*
 * Gives an interval out, of which the caller sets whatever else there is: subject, object, state. Returns
 * NULL if it is empty, or memory ran out.
 */
struct rst_interval *interval_add(struct rst_states *states, enum rst_interval_kind kind,
	const struct since *since, const struct moment *to);

/* What an entity of an interval is; it is none before, and stays so where nothing is known. */
static inline void entity_set_context(struct rst_entity *ret, const struct rst_context *context)
{
	ret->form = RST_ENTITY_THING;
	ret->is_number = context->is_number;
	ret->kind = rst_context_kind_name(context->kind);
	ret->id = context->thread->id;
	ret->process = context->process;
	ret->name = context->has_name ? context->name : NULL;
	ret->name_bytes = context->has_name ? context->name_bytes : 0;
}

static inline void entity_set_ref(struct rst_entity *ret, const struct rst_ref *ref)
{
	const bool has_name = ref->object && ref->object->name && ref->object->name_bytes;

	if (!ref->is_there || ref->is_unknown)
		return;
	ret->form = RST_ENTITY_THING;
	ret->is_number = ref->is_number;
	ret->kind = rst_object_kind_name(ref->kind);
	ret->id = ref->id;
	ret->process = ref->process;
	ret->name = has_name ? ref->object->name : NULL;
	ret->name_bytes = has_name ? ref->object->name_bytes : 0;
}

static inline void entity_set_number(struct rst_entity *ret, uint64_t number)
{
	ret->form = RST_ENTITY_NUMBER;
	ret->is_number = true;
	ret->id = number;
}

/* --- threads.c ------------------------------------------------------------------------------------------------ */

struct actor *actor_make(struct rst_states *states, const struct rst_context *context);

/*
 * The record of a context, made on first use; NULL when memory ran out. A thread is one, whatever its contexts, and is called
 * as it was last.
 */
static inline struct actor *actor_of(struct rst_states *states, const struct rst_context *context)
{
	const uint32_t index = context->thread->index;
	struct actor *actor = index < states->actors_room ? states->actors[index] : NULL;

	if (!actor)
		return actor_make(states, context);
	if (context->has_name)
		actor->context = context;
	return actor;
}

/* What a thread does from a moment on; ends what it did. Nothing happens where it does that already. */
struct doing {
	enum rst_state state;
	enum rst_reason reason;
	const struct rst_ref *object; /* NULL: none */
	struct irq irq;
	uint16_t core;
	const struct rst_context *by;
};
void actor_set(struct rst_states *states, struct actor *actor, const struct doing *doing, struct moment at,
	enum rst_certainty certainty);

/* It runs on a core: what it waited for has come, or not. */
void actor_run(struct rst_states *states, struct actor *actor, uint16_t core, struct moment at,
	enum rst_certainty certainty);

void request_open(struct rst_states *states, struct actor *actor, const struct rst_effect_facts *facts,
	enum rst_reason reason);

static inline bool is_same_ref(const struct rst_ref *a, const struct rst_ref *b)
{
	return a->is_there == b->is_there && (!a->is_there || (a->id == b->id && a->kind == b->kind));
}

/* The request for an object, or (NULL) any one, is over. */
static inline void request_close(struct actor *actor, const struct rst_ref *object)
{
	if (!object || is_same_ref(&actor->request.object, object))
		actor->request.kind = RST_EFFECT_NONE;
}

void threads_wake(struct rst_states *states, const struct rst_effect_facts *facts);
void threads_wait(struct rst_states *states, const struct rst_effect_facts *facts);
void threads_ask(struct rst_states *states, const struct rst_effect_facts *facts);
void threads_lose(struct rst_states *states, struct moment at);
/* Their spans are cut; threads_lose() comes behind it. */
void threads_end_run(struct rst_states *states);
void threads_finish(struct rst_states *states);
void threads_open(struct rst_states *states); /* gives out what goes on, cut at the present row */
/* The record of a thread that begins with the present row; NULL when memory ran out. */
struct actor *thread_begin(struct rst_states *states, const struct rst_context *thread);
/* Returns false if the effect is not about a thread. */
bool thread_create(struct rst_states *states, const struct rst_effect_facts *facts);
bool thread_delete(struct rst_states *states, const struct rst_effect_facts *facts);
/* The object is a process: its threads end. */
void threads_end_with_process(struct rst_states *states, const struct rst_effect_facts *facts);

/* --- cores.c -------------------------------------------------------------------------------------------------- */

struct core *core_make(struct rst_states *states);

/* The core of the present row, or NULL: it has none, or memory ran out. */
static inline struct core *core_now(struct rst_states *states)
{
	struct core *core = states->core < states->cores_room ? states->cores[states->core] : NULL;

	return core ? core : core_make(states);
}

/* The context of the row (its record, where it is a thread), and what an interrupt interrupted, show what has the core. */
void cores_prove(struct rst_states *states, struct actor *actor, const struct rst_context *interrupted);
/* Only what the interrupt interrupted. */
void cores_prove_interrupted(struct rst_states *states, const struct rst_context *interrupted);

/* The thread does not have the core any more; what has it now is not known, unless an event or a decision shows it. */
void core_left(struct rst_states *states, const struct actor *actor, uint16_t number, struct moment at);

void cores_schedule(struct rst_states *states, const struct rst_effect_facts *facts);
void cores_switch(struct rst_states *states, const struct rst_effect_facts *facts);
void cores_interrupt_in(struct rst_states *states, const struct rst_effect_facts *facts);
void cores_interrupt_out(struct rst_states *states, const struct rst_effect_facts *facts);
void cores_lose(struct rst_states *states, struct moment at);
void cores_finish(struct rst_states *states);

/* --- locks.c, levels.c, machines.c ---------------------------------------------------------------------------- */

/*
 * The record of an object, made on first use; NULL if the effect has none, there are too many, or memory ran
 * out.
 */
struct thing *thing_of(struct rst_states *states, const struct rst_ref *ref);
/* The same, which keeps the name and the kind that it had: another object may have been at this address. */
struct thing *thing_before(struct rst_states *states, const struct rst_ref *ref);

void locks_acquire(struct rst_states *states, const struct rst_effect_facts *facts);
void locks_release(struct rst_states *states, const struct rst_effect_facts *facts);
/*
 * Whether a release of the lock, for which the thread waits, let it run at this moment, and no other thread got the lock: it
 * was ready since then.
 */
bool locks_woke(const struct actor *actor, struct moment at);

/* The wait of a thread is over: a lock that was released meanwhile is its own from now on. */
void locks_hand_over(struct rst_states *states, struct actor *actor, struct moment at);
void locks_forget(struct rst_states *states, struct thing *thing);
void locks_lose(struct rst_states *states, struct moment at);
void locks_open(struct rst_states *states); /* as threads_open() */

void levels_set(struct rst_states *states, const struct rst_effect_facts *facts);
void levels_free(struct rst_states *states, const struct rst_effect_facts *facts);
void levels_forget(struct rst_states *states, struct thing *thing, struct moment at);

void machines_set(struct rst_states *states, const struct rst_effect_facts *facts);
void machines_forget(struct rst_states *states, struct thing *thing, struct moment at);

/* --- spans.c -------------------------------------------------------------------------------------------------- */

void spans_begin(struct rst_states *states, const struct rst_effect_facts *facts);
void spans_end(struct rst_states *states, const struct rst_effect_facts *facts);
void spans_lose(struct actor *actor);
/* What is open is cut at the present row; nothing of it is open behind it. */
void spans_cut(struct rst_states *states, struct actor *actor);
void spans_finish(struct rst_states *states, struct actor *actor);

#endif
