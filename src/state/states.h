/* SPDX-License-Identifier: MIT */
/*
 * The declarations that the files of this room share. states.c goes through the rows. emit.c keeps the
 * intervals that have ended. Each other file follows one kind of thing.
 *
 * Each living thing has one record and one open interval, so memory does not grow with the number of events.
 * The end of an interval may be earlier than the event that proves it (a decision, an interrupt's last
 * event), but never earlier than its own begin.
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

/* A time and its event. seq is RST_NO_SEQ if the moment does not come from an event. */
struct moment {
	uint64_t ticks, seq;
};

/* The begin of an open interval, and how certain it is. */
struct since {
	struct moment at;
	enum rst_certainty certainty;
};

struct thing;

/* A request of a thread that is not over yet. */
struct request {
	enum rst_effect_kind kind; /* acquire, receive, …; RST_EFFECT_NONE without a request */
	enum rst_reason reason;
	struct rst_ref object;
	struct thing *thing; /* the object's record, or NULL */
	struct moment at;
	/*
	 * The thread may have got it at once: what it waits for later may be something that is not recorded.
	 */
	bool may_be_over;
	bool has_limit;
};

struct open_span {
	struct open_span *outer;
	const char *name; /* NULL if the span has the name of its object */
	struct rst_ref object;
	bool has_key;
	uint64_t key;
	const struct rst_type *type;
	struct since since;
};

/* Identifies an interrupt. */
struct irq {
	bool is_known;
	uint64_t number;
};

static inline bool is_same_irq(struct irq a, struct irq b)
{
	return a.is_known == b.is_known && (!a.is_known || a.number == b.number);
}

/* The record of a context: a thread, or another context that may have open spans. */
struct actor {
	const struct rst_context *context; /* the latest one */
	bool is_followed;		   /* a thread whose states are kept */
	bool is_dead;			   /* deleted: its intervals have ended */
	bool has_acted;			   /* it has made an event that is more than a switch */
	/* The first interval, unknown, is emitted with the second one, unless the thread begins there. */
	bool is_held_back;
	struct moment held_to;
	enum rst_state state;
	enum rst_reason reason;
	struct rst_ref object;	    /* for which it waits */
	struct irq irq;		    /* the interrupt that interrupts it */
	struct thing *awaited;	    /* while it waits with a request for this thing … */
	enum rst_effect_kind wants; /* … of this kind */
	uint16_t core;
	const struct rst_context *by;
	struct since since;
	struct request request;
	struct open_span *spans; /* innermost first */
	unsigned n_spans;
};

/* The holder of a core: unknown, a thread, or another context (init, idle). */
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
	struct moment ran_to; /* when the holder left the core, if it has */
	bool has_decision;
	struct holder decided;	/* the next holder, by a decision … */
	struct moment decision; /* … at this moment */
	bool may_have_left;	/* a decision did not name its thread: the holder may have changed */
	struct moment left;
	unsigned n_interrupts;
	struct interrupt interrupts[STATES_NESTING_MAX];
	struct moment inside; /* the last event in an interrupt */
	bool has_arrival;     /* an interrupt has begun … */
	bool has_thread; /* … and a thread has recorded an event or a switch, since the begin or a loss */
	/* The open interval. */
	enum rst_state state;
	struct actor *shown;
	struct irq shown_irq;
	struct since since;
};

struct owner {
	struct actor *actor; /* NULL if the owner is unknown */
	uint64_t n_held;
	bool is_partial;     /* the lock may change its owner without an event */
	struct moment shown; /* the last event that shows it as the owner */
	struct since since;
};

/* The threads that wait for a thing, one way. */
struct waiters {
	unsigned n; /* those whose wait the recording shows … */
	unsigned
		/* … of which so many have got an item, and no event shows that their wait is over */
		n_served;
	/* others may wait: since before the recording or in a loss, or for an unknown object */
	bool may_be_hidden;
};

/* A lock, something with a level, a state machine: any object that has intervals. */
struct thing {
	struct thing *next; /* with the same key */
	struct rst_ref ref; /* as an event named it last */
	uint32_t origin;    /* as of contexts */
	/* As a lock. */
	struct owner *owners;
	size_t n_owners, owners_room;
	bool is_known; /* all owners are known */
	bool is_partial, has_release;
	const struct rst_context *released_by;
	/* owned_until: an owner that only a later event shows did not get the lock before this moment. */
	struct moment released, owned_until;
	/* As something with a level. */
	bool has_level;
	struct number level;
	bool is_listed;		 /* it is in the list of pools of its kind … */
	struct thing *next_pool; /* … before this one */
	struct since level_since;
	struct waiters receivers, senders; /* the threads that wait for it to receive, to send */
	const char *level_name;
	/* As a state machine. */
	bool is_machine;
	struct rst_ref in;
	struct since in_since;
};

/* The latest event that put an item into a thing, or took one out. */
struct handing {
	struct thing *thing; /* NULL if its context has made another event since */
	const struct rst_context *by;
	uint64_t seq;
	int32_t more; /* how much more the thing has by it */
};

/* How to process the events of a layout. */
struct duty {
	bool is_known;
	uint8_t proof;	 /* the SHOW_… flags of states.c */
	uint64_t wanted; /* bits of the effects to process, as for rst_effects_read() */
};

struct rst_states {
	struct rst_trace *trace;
	struct arena arena;
	struct actor **actors; /* by index of the context */
	size_t actors_room;
	struct core **cores; /* by number */
	size_t cores_room;
	struct map things;	     /* thing_key() to the first thing with that key */
	struct thing **found_things; /* by index of the object, if the recording has it */
	size_t found_room;
	struct thing **all_things;
	size_t n_things, things_room;
	struct thing *pools[RST_N_OBJECT_KINDS]; /* their level may be known, and counts free memory */
	struct handing handing;
	struct open_span *free_spans;
	struct duty *duties; /* by index of a layout */
	size_t duties_room;
	uint32_t watched; /* bit n: effects of kind n are given to take */
	rst_effect_fn *take;
	void *take_context;
	bool has_window, is_finished, has_switches;
	bool has_recorded_switch; /* an event has switched: cores change their threads by such events only */
	bool has_seen_switch;	  /* an event has switched or decided, whatever the metadata has */
	bool has_no_memory;
	struct moment begin, now; /* of the window; of the present row */
	struct moment run;	  /* the begin of the latest run; the first run begins with the window … */
	uint32_t run_origin;	  /* … and the origin of that run; 0 for all origins */
	uint64_t n_events;
	const struct rst_context *self;
	const struct rst_layout *layout;
	uint16_t core;
	uint8_t *ended; /* by number of an origin: whether its end was seen */
	size_t ended_room;
	uint32_t lost; /* the origin of the present loss; 0 for all origins */
	struct rst_interval *intervals;
	size_t n_intervals, intervals_room;
	struct rst_beginning *beginnings; /* of the present batch */
	size_t n_beginnings, beginnings_room;
	struct rst_interval *open; /* of rst_states_open() */
	size_t open_room;
};

/* Whether the present loss concerns the things of this origin. */
static inline bool is_lost(const struct rst_states *states, uint32_t origin)
{
	return !states->lost || states->lost == origin;
}

/*
 * The earliest possible begin of an interval whose end the event shows, if its begin is unknown: the begin of
 * its run.
 */
static inline struct moment run_begin(const struct rst_states *states)
{
	const bool is_of_run = !states->run_origin || states->run_origin == states->self->origin;

	return (struct moment){ is_of_run ? states->run.ticks : states->begin.ticks, RST_NO_SEQ };
}

/* --- emit.c --------------------------------------------------------------------------------------------- */

/*
 * Emits an interval. The caller sets its other members: subject, object, state. Returns NULL if the interval
 * is empty, or memory ran out.
 */
struct rst_interval *interval_add(struct rst_states *states, enum rst_interval_kind kind,
	const struct since *since, const struct moment *to);

/*
 * Reports that an interval begins at a moment. The caller sets subject, object, core and depth. Returns NULL
 * if memory ran out.
 */
struct rst_beginning *beginning_add(struct rst_states *states, enum rst_interval_kind kind, struct moment at);

/*
 * These functions fill an entity of an interval. Its form is RST_ENTITY_NONE before, and stays so
 * if the entity is unknown.
 */
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

/*
 * A part of a recording carries its intervals (rst_trace_carried()). carried_give() gives those of the
 * present batch.
 */
void carried_give(struct rst_states *states, const struct rst_carried *carried);

/* --- threads.c ------------------------------------------------------------------------------------------ */

struct actor *actor_make(struct rst_states *states, const struct rst_context *context);

/*
 * The record of a context, which is made on first use. Returns NULL if memory ran out. All contexts of one
 * thread share one record, which has the latest name.
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

/*
 * The state of a thread from a moment on. actor_set() ends the previous interval, unless the state is the
 * same.
 */
struct doing {
	enum rst_state state;
	enum rst_reason reason;
	const struct rst_ref *object; /* or NULL */
	struct irq irq;
	uint16_t core;
	const struct rst_context *by;
};
void actor_set(struct rst_states *states, struct actor *actor, const struct doing *doing, struct moment at,
	enum rst_certainty certainty);

/* The thread runs on a core, so its wait is over, with or without success. */
void actor_run(struct rst_states *states, struct actor *actor, uint16_t core, struct moment at,
	enum rst_certainty certainty);

void request_open(struct rst_states *states, struct actor *actor, const struct rst_effect_facts *facts,
	enum rst_reason reason);

static inline bool is_same_ref(const struct rst_ref *a, const struct rst_ref *b)
{
	return a->is_there == b->is_there && (!a->is_there || (a->id == b->id && a->kind == b->kind));
}

/* Ends the request for an object, or any request if object is NULL. */
static inline void request_close(struct actor *actor, const struct rst_ref *object)
{
	if (!object || is_same_ref(&actor->request.object, object))
		actor->request.kind = RST_EFFECT_NONE;
}

void threads_wake(struct rst_states *states, const struct rst_effect_facts *facts);
void threads_wait(struct rst_states *states, const struct rst_effect_facts *facts);
void threads_ask(struct rst_states *states, const struct rst_effect_facts *facts);
void threads_lose(struct rst_states *states, struct moment at);
/* Cuts the spans of threads; the caller calls threads_lose() afterwards. */
void threads_end_run(struct rst_states *states);
void threads_finish(struct rst_states *states);
void threads_open(struct rst_states *states); /* emits the open intervals, cut at the present row */
/* The record of a thread that begins with the present row. Returns NULL if memory ran out. */
struct actor *thread_begin(struct rst_states *states, const struct rst_context *thread);
/* Returns false if the effect is not about a thread. */
bool thread_create(struct rst_states *states, const struct rst_effect_facts *facts);
bool thread_delete(struct rst_states *states, const struct rst_effect_facts *facts);
/* Ends the threads of a process, which is the object of the effect. */
void threads_end_with_process(struct rst_states *states, const struct rst_effect_facts *facts);

/* --- cores.c -------------------------------------------------------------------------------------------- */

struct core *core_make(struct rst_states *states);

/*
 * The core of the present row. Returns NULL if the row has no core or too high a number, or memory ran out.
 */
static inline struct core *core_now(struct rst_states *states)
{
	struct core *core = states->core < states->cores_room ? states->cores[states->core] : NULL;

	return core ? core : core_make(states);
}

/*
 * Finds the holder of the core from the context of the row (actor: its record, if it is a thread) and from
 * the context that an interrupt interrupted.
 */
void cores_prove(struct rst_states *states, struct actor *actor, const struct rst_context *interrupted);
/* The same, only from the interrupted context. */
void cores_prove_interrupted(struct rst_states *states, const struct rst_context *interrupted);

/* The thread has left the core. The new holder is unknown, unless an event or a decision shows it. */
void core_left(struct rst_states *states, const struct actor *actor, uint16_t number, struct moment at);

void cores_schedule(struct rst_states *states, const struct rst_effect_facts *facts);
void cores_switch(struct rst_states *states, const struct rst_effect_facts *facts);
void cores_lose(struct rst_states *states, struct moment at);
void cores_finish(struct rst_states *states);

/* Whether the thread still has this core: it neither waits nor runs on another core. */
static inline bool has_core(const struct core *core, const struct actor *actor)
{
	return actor && actor->core == core->number &&
	       (actor->state == RST_STATE_RUNNING || actor->state == RST_STATE_INTERRUPTED);
}

/* Whether the holder has certainly left the core, so that a decision must have come true. */
static inline bool has_left(const struct core *core)
{
	return core->holder.kind == HOLDER_ACTOR && core->holder.actor->is_followed &&
	       !has_core(core, core->holder.actor);
}

/* Updates the open interval of the core: it shows the innermost interrupt, else the holder. */
void core_refresh(
	struct rst_states *states, struct core *core, struct moment at, enum rst_certainty certainty);

/* --- interrupts.c --------------------------------------------------------------------------------------- */

void cores_interrupt_in(struct rst_states *states, const struct rst_effect_facts *facts);
void cores_interrupt_out(struct rst_states *states, const struct rst_effect_facts *facts);

/* The context of the row is an interrupt that no event began. */
void interrupt_imply(struct rst_states *states, struct core *core);

/* Ends all open interrupts: an event outside of interrupts shows that they ended without an event. */
void interrupts_end(struct rst_states *states, struct core *core);

void interrupt_emit(
	struct rst_states *states, const struct core *core, const struct interrupt *open, struct moment to);

/* --- locks.c, levels.c, machines.c ---------------------------------------------------------------------- */

/*
 * The record of an object, which is made on first use. Returns NULL if the effect has no object, there are
 * too many things, or memory ran out.
 */
struct thing *thing_of(struct rst_states *states, const struct rst_ref *ref);
/* The same, but keeps the old name and kind of the record: another object may have been at this address. */
struct thing *thing_before(struct rst_states *states, const struct rst_ref *ref);

void locks_acquire(struct rst_states *states, const struct rst_effect_facts *facts);
void locks_keep(struct thing *thing, struct moment at);
void locks_release(struct rst_states *states, const struct rst_effect_facts *facts);
/*
 * Whether the thread can run at this moment because the lock for which it waits was released, and no other
 * thread got the lock. Then the thread has been ready since the release.
 */
bool locks_woke(const struct actor *actor, struct moment at);

/* The wait of a thread is over. If the lock was released meanwhile, the thread owns it from now on. */
void locks_hand_over(struct rst_states *states, struct actor *actor, struct moment at);
void locks_forget(struct rst_states *states, struct thing *thing);
void locks_lose(struct rst_states *states, struct moment at);
void locks_open(struct rst_states *states); /* as threads_open() */

void levels_set(struct rst_states *states, const struct rst_effect_facts *facts);
void levels_free(struct rst_states *states, const struct rst_effect_facts *facts);
void levels_pass(struct rst_states *states);
void levels_forget(struct rst_states *states, struct thing *thing, struct moment at);
/* Threads may wait for the thing from now on, or none does, without an event that shows it. */
void levels_hide_waiters(struct thing *thing, bool may_be_hidden);

void machines_set(struct rst_states *states, const struct rst_effect_facts *facts);
void machines_forget(struct rst_states *states, struct thing *thing, struct moment at);

/* --- spans.c -------------------------------------------------------------------------------------------- */

void spans_begin(struct rst_states *states, const struct rst_effect_facts *facts);
void spans_end(struct rst_states *states, const struct rst_effect_facts *facts);
void spans_lose(struct actor *actor);
/* Cuts all open spans at the present row and closes them. */
void spans_cut(struct rst_states *states, struct actor *actor);
void spans_finish(struct rst_states *states, struct actor *actor);

#endif
