/* SPDX-License-Identifier: MIT */
/*
 * The state engine makes intervals from effects. An interval shows the state of a thread or a core, the owner
 * of a lock or the level of an object, from one moment to another. Feed the batches of a trace in order. Each
 * interval comes out when it ends; rst_states_finish() ends all that are open. The memory depends on the
 * number of live threads, cores and objects, and does not grow with the number of events.
 *
 *	rst_states_new(&states, trace, &err);
 *	while (rst_trace_next(trace, &batch, &err) == RST_OK) {
 *		rst_states_feed(states, batch, &err);
 *		for (n = rst_states_intervals(states, &intervals); n--; intervals++) …
 *	}
 *	rst_states_finish(states, &err);   and take the last intervals in the same way
 *	states = rst_states_free(states);
 *
 * The states of a thread cover the window without gap or overlap. The window reaches from the first event of
 * the trace to the last one; intervals that are open at either side are cut there.
 */
#ifndef RASTRUM_STATE_H
#define RASTRUM_STATE_H

#include <rastrum/effect.h>
#include <rastrum/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rst_interval_kind {
	RST_INTERVAL_THREAD, /* subject: the thread; state, reason, object, core, by */
	/* subject: number of the core; state; object: the thread, or the number of the interrupt */
	RST_INTERVAL_CORE,
	/* subject: the lock; object: the owner. State held, or unknown if the owner is not known */
	RST_INTERVAL_LOCK,
	RST_INTERVAL_INTERRUPT, /* subject: its number; core; object: the interrupted context */
	RST_INTERVAL_SPAN,	/* subject: its name; object: the thread */
	RST_INTERVAL_LEVEL,	/* subject: the object; value */
	RST_INTERVAL_MACHINE,	/* subject: the state machine; object: the state that it is in */
	RST_N_INTERVAL_KINDS
};

/* "thread", "core", …. Static text, any thread. */
RST_PUBLIC const char *rst_interval_kind_name(enum rst_interval_kind kind);

enum rst_certainty {
	RST_CERTAINTY_UNKNOWN, /* the state or value is not known, or a loss lies in the interval */
	/* it follows from other events; the ends may be off by the distance to the next event */
	RST_CERTAINTY_INFERRED,
	RST_CERTAINTY_EXACT, /* from is the time stamp of from_seq, which began it */
	RST_N_CERTAINTIES
};

/* "unknown", "inferred", "exact". Static text, any thread. */
RST_PUBLIC const char *rst_certainty_name(enum rst_certainty certainty);

/* A thing that intervals name. */
struct rst_entity {
	enum rst_entity_form { RST_ENTITY_NONE, RST_ENTITY_NUMBER, RST_ENTITY_THING } form;
	bool is_number;	  /* the id reads in decimal */
	const char *kind; /* word: "thread", "mutex", "isr", "span", …; static */
	uint64_t id;	  /* or the number */
	uint64_t process; /* the process whose id it is; 0 if it belongs to the whole target */
	const char *name; /* NULL if it has no name, only kind and id. Lives as long as the trace */
	size_t name_bytes;
};

/* How intervals name the thread of a context, and the object of an effect. The form is RST_ENTITY_NONE if the
 * argument is NULL or there is no object. Any thread. */
RST_PUBLIC struct rst_entity rst_entity_of_context(const struct rst_context *context);
RST_PUBLIC struct rst_entity rst_entity_of_ref(const struct rst_ref *ref);

/* An interval that has not begun, or not ended, inside the trace has this instead of a sequence number. */
#define RST_NO_SEQ UINT64_MAX

struct rst_interval {
	enum rst_interval_kind kind;
	enum rst_state state;	/* RST_N_STATES if the kind has no states */
	enum rst_reason reason; /* of waiting */
	enum rst_certainty certainty;
	uint16_t core;	/* or RST_NO_CORE */
	uint16_t depth; /* span: how many of its thread are around it; else 0 */
	bool has_value;
	struct rst_entity subject, object;
	struct rst_entity by;	   /* ready, or running at once: the context whose event woke it */
	uint64_t from, to;	   /* ticks; from <= to */
	uint64_t from_seq, to_seq; /* of the events that began and ended it, or RST_NO_SEQ */
	uint64_t value;		   /* level */
	enum rst_field_type
		/* how value reads: RST_SIGNED, RST_REAL (the bits of a double), any other: unsigned */
		value_type;
};

/*
 * An event shows that an interval begins: a thread gets a lock, or an interrupt comes. It is reported even if
 * nothing shows how long the thread holds the lock or the interrupt lasts, so that there is no interval. If
 * the owner gets its lock once more, nothing begins. If only the end of an interrupt is recorded, it came no
 * earlier than `at`.
 */
struct rst_beginning {
	enum rst_interval_kind kind;	   /* RST_INTERVAL_LOCK or RST_INTERVAL_INTERRUPT */
	struct rst_entity subject, object; /* as those of the interval */
	uint64_t at, seq;
	uint16_t core;	    /* or RST_NO_CORE */
	uint16_t depth;	    /* the number of interrupts of its core that the interrupt interrupts; else 0 */
	size_t n_intervals; /* the number of intervals of rst_states_intervals() that ended before it */
};

struct rst_states;

/*
 * Sets *ret_states, which the caller frees with rst_states_free() before it frees the trace. The trace is
 * borrowed. Feed every batch that the trace gives, from the first one on. Errors: RST_E_NOMEM.
 */
RST_PUBLIC enum rst_status rst_states_new(
	struct rst_states **ret_states, struct rst_trace *trace, struct rst_error *err);

/* NULL is fine; returns NULL. Errors: none. */
RST_PUBLIC struct rst_states *rst_states_free(struct rst_states *states);

/*
 * rst_states_feed() calls it for each effect that holds, in the order of events: for analyses that need more
 * than intervals. `at` is the time of the row as intervals have it: it never steps back. All arguments are
 * borrowed until the function returns; the function must not call back. Returns false if memory ran out.
 */
typedef bool rst_effect_fn(void *context, const struct rst_batch *batch, size_t row, uint64_t at,
	const struct rst_effect_facts *facts);

/* Passes effects of these kinds (bit n: enum rst_effect_kind n) to take. Call it once, before the first
 * batch. Errors: none. */
RST_PUBLIC void rst_states_watch(
	struct rst_states *states, uint32_t kinds, rst_effect_fn *take, void *context);

/* Takes the next batch of the trace; the intervals of the batch before are gone. Errors: RST_E_NOMEM. */
RST_PUBLIC enum rst_status rst_states_feed(
	struct rst_states *states, const struct rst_batch *batch, struct rst_error *err);

/* Ends all intervals at the last event. Call it once, after the last batch. Errors: RST_E_NOMEM. */
RST_PUBLIC enum rst_status rst_states_finish(struct rst_states *states, struct rst_error *err);

/*
 * How many intervals have ended since the last call of feed or finish, and where they are; borrowed until the
 * next one.
 */
RST_PUBLIC size_t rst_states_intervals(
	const struct rst_states *states, const struct rst_interval **ret_intervals);

/*
 * How many locks were taken and interrupts came since the last feed or finish; borrowed until the next one.
 */
RST_PUBLIC size_t rst_states_beginnings(
	const struct rst_states *states, const struct rst_beginning **ret_beginnings);

/*
 * The intervals of threads and locks that are open at the last row, in any order. They are cut there and have
 * no to_seq. Threads and locks of which nothing is known are left out. Borrowed until the next call, of this
 * function too. A decision that no later event has proved yet may still end the intervals earlier. Errors:
 * RST_E_NOMEM.
 */
RST_PUBLIC enum rst_status rst_states_open(struct rst_states *states,
	const struct rst_interval **ret_intervals, size_t *ret_n_intervals, struct rst_error *err);

/*
 * `rastrum cut` writes a part of a recording. The part carries the intervals that the whole recording has in
 * the part's window. They include what began before the window, and what later events prove.
 * rst_states_feed() and rst_states_finish() then give these intervals, and do not make intervals of the
 * part's events.
 */
struct rst_carried {
	uint64_t recording; /* equal in all parts of one recording */
	uint64_t from, to;  /* ticks: the window of the part */
	uint64_t first_event,
		end_event; /* its events have these numbers in the recording, without the last */
	uint64_t n_events; /* of the whole recording */
	bool is_selection; /* the part lacks some events of its window */
	const struct rst_interval *intervals; /* that end with the present batch, or behind the last one */
	size_t n_intervals;
	const struct rst_beginning *beginnings;
	size_t n_beginnings;
	/*
	 * By row of the present batch: the event's number in the recording. A marker has that of the next
	 * event.
	 */
	const uint64_t *seqs;
};

/*
 * Returns what the trace carries, or NULL if it carries nothing. It is known from the first batch on. The
 * intervals are borrowed until the next rst_trace_next(), the rest until rst_trace_free(). Errors: none.
 */
RST_PUBLIC const struct rst_carried *rst_trace_carried(const struct rst_trace *trace);

#ifdef __cplusplus
}
#endif
#endif
