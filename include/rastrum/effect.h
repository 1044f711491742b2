/* SPDX-License-Identifier: MIT */
/*
 * Effects describe what an event does, in words that mean the same in every dialect. A dialect's table, or a
 * template file (`# effect:`), gives each event its effects. Code that draws states, locks or levels reads
 * effects and needs no dialect.
 *
 *	TX_TRACE_MUTEX_GET    acquire, phase asks, object mutex_ptr, thread self    when owner_thread_ptr is another thread
 *
 * An effect is a row of a table: it is constant, and all events of its layout share it. rst_effect_read()
 * returns the facts of an effect for one event. Levels, counts and owners are those after the event.
 */
#ifndef RASTRUM_EFFECT_H
#define RASTRUM_EFFECT_H

#include <rastrum/error.h>
#include <rastrum/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rst_trace;

enum rst_effect_kind {
	RST_EFFECT_NONE,
	/*
	 * a decision: thread is to run next on this core; the context of later events proves it. If the
	 * thread is not known, another one may run next
	 */
	RST_EFFECT_SCHEDULE,
	/* thread (if absent: idle) runs on this core from now on; state, reason: of the one that left */
	RST_EFFECT_SWITCH,
	/* thread becomes ready; reason: what it waited for. Phase gave up: it did not get that */
	RST_EFFECT_WAKE,
	/* thread stops being ready; reason, object, limit. Phase asks: it may have to wait from now on */
	RST_EFFECT_WAIT,
	RST_EFFECT_INTERRUPT_IN,  /* an interrupt begins on this core; value: its number */
	RST_EFFECT_INTERRUPT_OUT, /* the innermost interrupt of this core ends */
	/*
	 * thread becomes the owner of object; amount: how often it holds it then; other: the present owner,
	 * if the phase is asks
	 */
	RST_EFFECT_ACQUIRE,
	/* thread gives object back; amount: how often it still holds it; other: the next owner */
	RST_EFFECT_RELEASE,
	RST_EFFECT_SEND,     /* thread puts amount into object */
	RST_EFFECT_RECEIVE,  /* thread takes amount out of object */
	RST_EFFECT_LEVEL,    /* value is how full object (or the event itself) is after this event */
	RST_EFFECT_ALLOCATE, /* thread gets amount of memory of object, at the address in value */
	/*
	 * the memory at the address in value goes back to object. Phase asks: from now on it may be free, or
	 * at another address, and the recording does not show which, as when it is resized
	 */
	RST_EFFECT_FREE,
	RST_EFFECT_CREATE, /* object begins to exist; if it is a thread, state is its first state */
	/*
	 * object ceases to exist (a process: its threads, too); its id may be used again. Phase asks: a
	 * thread is about to end. Switches show the exact end; if they are not recorded, it ends here
	 */
	RST_EFFECT_DELETE,
	RST_EFFECT_BEGIN,    /* a span of thread begins; key and name find the end */
	RST_EFFECT_END,	     /* it ends */
	RST_EFFECT_STATE,    /* the state machine object enters, leaves or is in the state in other */
	RST_EFFECT_PRIORITY, /* thread gets the priority in value */
	/*
	 * from here on events may be missing, as after a loss: all that they may change becomes unknown. With
	 * a phase no event is lost, but the recording enters (begins), leaves (stops), or is in another
	 * selection of events from here on
	 */
	RST_EFFECT_GAP,
	/*
	 * the target reports an error. name: which (NULL: the event's label); value: its number; thread:
	 * where it happened; object: what it is about. other: the owner of the object. If the owner has
	 * ended, there is no error. Phase gave up: a request is refused or something is dropped. The target
	 * goes on
	 */
	RST_EFFECT_ERROR,
	/* object, a timer, runs from here on; limit: until it expires first; value: its period, 0: once */
	RST_EFFECT_ARM,
	RST_EFFECT_DISARM, /* the timer object no longer runs */
	RST_EFFECT_EXPIRE, /* the timer object expires; whether it runs on shows its period */
	RST_N_EFFECTS
};

enum rst_phase {
	RST_DONE,    /* it has happened: the thread has what it wanted */
	RST_ASKS,    /* the thread requests it, and may have to wait */
	RST_GAVE_UP, /* the thread did not get it: refused at once, timed out, or aborted */
	RST_ENTERS,  /* state machines only … */
	RST_LEAVES,
	RST_IS_IN,
	RST_N_PHASES
};

/* The state of a thread, a core or a lock. */
enum rst_state {
	RST_STATE_UNKNOWN,
	RST_STATE_RUNNING,
	RST_STATE_READY,
	RST_STATE_WAITING,
	RST_STATE_INTERRUPTED,
	RST_STATE_CREATED, /* it exists and was never ready */
	RST_STATE_ENDED,
	RST_STATE_IDLE,	     /* of a core */
	RST_STATE_INTERRUPT, /* of a core */
	RST_STATE_HELD,	     /* of a lock */
	RST_N_STATES
};

/* Why a thread waits. */
enum rst_reason {
	RST_REASON_NONE,
	RST_REASON_SLEEP,
	RST_REASON_LOCK,
	RST_REASON_SEMAPHORE,
	RST_REASON_QUEUE,
	RST_REASON_FLAGS,
	RST_REASON_MEMORY,
	RST_REASON_IO,
	RST_REASON_JOIN,
	RST_REASON_CHILD,
	RST_REASON_SUSPENDED,
	RST_REASON_OTHER,
	RST_N_REASONS
};

enum rst_unit {
	RST_UNIT_NONE,
	RST_UNIT_COUNT, /* tokens, messages, blocks: what the object holds */
	RST_UNIT_BYTES,
	RST_UNIT_KERNEL_TICKS, /* of the target's tick, not of the trace's clock */
	RST_UNIT_NS,
	RST_N_UNITS
};

/* Static words of the enumerations above: "interrupt_in", "gave_up", "waiting", "lock", "bytes"; "none" for
 * other values. */
RST_PUBLIC const char *rst_effect_name(enum rst_effect_kind kind);
RST_PUBLIC const char *rst_phase_name(enum rst_phase phase);
RST_PUBLIC const char *rst_state_name(enum rst_state state);
RST_PUBLIC const char *rst_reason_name(enum rst_reason reason);
RST_PUBLIC const char *rst_unit_name(enum rst_unit unit);

/*
 * Where a fact of an effect comes from: a field of the layout (1 is the first), or one of the constants
 * below. `add` is added to the number; with RST_FROM_CONSTANT, `add` is the number.
 */
enum {
	RST_FROM_NOTHING = 0,
	RST_FROM_SELF = -1, /* the context of the event */
	RST_FROM_CONSTANT = -2,
	RST_FROM_TYPE = -3,    /* the event itself is the object: a counter without another object */
	RST_FROM_UNKNOWN = -4, /* the fact exists, but the recording does not have it */
};

struct rst_operand {
	int16_t from;
	int32_t add;
};

enum rst_test {
	RST_TEST_NONE, /* always true: ends the list of conditions */
	RST_TEST_IS,   /* the number equals value */
	RST_TEST_IS_NOT,
	RST_TEST_AT_LEAST, /* compared without a sign */
	RST_TEST_BELOW,
	RST_TEST_HAS,	     /* some bits of value are set */
	RST_TEST_LACKS,	     /* no bit of value is set */
	RST_TEST_HAS_ALL,    /* all bits of value are set */
	RST_TEST_LACKS_SOME, /* some bits of value are not set */
	RST_TEST_IS_SELF,    /* the number is the id of the thread that made the event */
	RST_TEST_IS_OTHER,   /* it is another id; and not 0, if 0 is no thread's id */
};

struct rst_condition {
	struct rst_operand of;
	enum rst_test test;
	uint64_t value;
	struct rst_operand with; /* the number to compare with, if the event has it; then value is not used */
};

/* A dialect's numbers of states and their meanings; the first row that matches counts. */
struct rst_state_code {
	uint64_t mask, value; /* number & mask == value */
	enum rst_state state;
	enum rst_reason reason;
	enum rst_phase phase; /* RST_GAVE_UP if the wait that ends here timed out */
};

struct rst_state_codes {
	size_t n_rows;
	const struct rst_state_code *rows;
};

enum { RST_CONDITIONS_MAX = 3 };

struct rst_effect {
	enum rst_effect_kind kind;
	enum rst_phase phase;
	enum rst_state state;		  /* create, switch, wait: the default, if codes give no other */
	enum rst_reason reason;		  /* wait, wake, phase asks: the default, if codes give no other */
	enum rst_unit unit;		  /* of amount, value (level), limit (wait), both (arm) */
	enum rst_object_kind object_kind; /* used if the field of the object has no kind */
	bool is_free;			  /* level: it counts the free part, not the used one */
	/* level: value is added to the level (CONSTANT -1: one less), if the level is known */
	bool is_change;
	bool is_shared; /* acquire: other threads may hold it at the same time */
	/*
	 * Not all is recorded. acquire, release: after this one, another thread or no thread may be the
	 * owner. receive, send (phase asks): the request may be over at once, and the thread may wait for
	 * something else later, unless the level of the object is known to be below amount. level: no event
	 * shows which thread gets an item because it waited for one. switch: without a state it
	 * is not known what the thread that leaves does.
	 */
	bool is_partial;
	bool is_counted; /* acquire: its owner may get the lock several times, and must give each back */
	bool is_front;	 /* send: in front of the present contents of the object */
	bool is_any; /* end: ends any span that the thread has open, if it has one: begins may be missing */
	/* level, release: does not hold while a thread waits for the object: that thread gets it at once. */
	bool is_handed_over;
	struct rst_operand thread; /* of send, receive, acquire, …; RST_FROM_CONSTANT with 0: no thread */
	struct rst_operand object;
	/*
	 * acquire with phase asks: the owner; release: the next owner; state: the state (nothing: the state
	 * that the machine is in); send: the sender, if it is not a thread.
	 */
	struct rst_operand other;
	struct rst_operand value; /* level, priority, address, interrupt number */
	struct rst_operand amount;
	struct rst_operand limit;    /* longest wait, in unit */
	struct rst_operand capacity; /* create, level: how much the object can hold */
	struct rst_operand code;     /* the number that codes explain */
	struct rst_operand key; /* begin, end: a number that both share, besides thread, object and name */
	const char *
		name; /* begin, end, level, error: its name; if NULL, the object's or else the event's name */
	const struct rst_state_codes *codes;
	struct rst_condition when[RST_CONDITIONS_MAX]; /* all must hold */
};

/* An object as an event names it. */
struct rst_ref {
	bool is_there;
	bool is_unknown; /* there is an object, but it is not known which */
	enum rst_object_kind kind;
	uint64_t id;
	uint64_t process; /* the process whose id it is; 0 if it belongs to the whole target */
	bool is_number;	  /* the id is a number of its kind's own series, not an address */
	const struct rst_object
		*object; /* NULL if no object with this id is known. Lives as long as the trace */
};

/* The facts of one effect for one event. Pointers live as long as the trace. */
struct rst_effect_facts {
	const struct rst_effect *effect;
	enum rst_phase phase;
	enum rst_state state;
	enum rst_reason reason;
	const struct rst_context *thread; /* NULL if absent. create, delete: the thread that is the object */
	bool has_unknown_thread;	  /* there is a thread, but it is not known which */
	struct rst_ref object;
	struct rst_ref other;
	const struct rst_context *other_thread; /* acquire, release: the thread that `other` is */
	bool has_value, has_amount, has_limit, has_capacity, has_key;
	uint64_t value, amount, limit, capacity, key;
	enum rst_field_type
		/*
		 * how value reads: RST_SIGNED, RST_REAL (the bits of a double; a float is the double nearest
		 * to its shortest decimal number), any other: unsigned
		 */
		value_type;
};

/*
 * Reads an effect of the row's layout. If the effect holds for this event, sets *ret and returns true.
 * Returns false if a condition does not hold, or if the payload is too short for the field that a condition,
 * the object or the thread needs. Other facts are absent if the payload is too short for them. One thread per
 * trace at a time, as rst_trace_next().
 */
RST_PUBLIC bool rst_effect_read(struct rst_trace *trace, const struct rst_batch *batch, size_t row,
	const struct rst_effect *effect, struct rst_effect_facts *ret);

/*
 * Reads those effects of a row that hold and are wanted. Bit n of wanted is effect n of the row's layout, and
 * bit 63 also stands for all later ones; UINT64_MAX means all. *ret_facts points to *ret_n_facts pointers, in
 * the order of the layout's effects, to the facts that rst_effect_read() would set. They belong to the trace,
 * and are valid until effects of another row of the same layout are read. Returns false if memory ran out.
 * Threads as above.
 */
RST_PUBLIC bool rst_effects_read(struct rst_trace *trace, const struct rst_batch *batch, size_t row,
	uint64_t wanted, const struct rst_effect_facts *const **ret_facts, size_t *ret_n_facts);

/*
 * Changes the effects of a layout: n_effects and effects. Their operands name fields of the layout. At the
 * call, the layout has the effects of the dialect. The new effects must live as long as the trace. Returns
 * false if memory ran out.
 */
typedef bool rst_effects_fn(void *context, struct rst_layout *layout);

/*
 * Calls give once for each layout of the trace: now for the layouts that it has, later for each new one. Call
 * it once, before rst_trace_next(). Errors: RST_E_NOMEM, here and from rst_trace_next().
 */
RST_PUBLIC enum rst_status rst_trace_give_effects(
	struct rst_trace *trace, rst_effects_fn *give, void *context, struct rst_error *err);

#ifdef __cplusplus
}
#endif
#endif
