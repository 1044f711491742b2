/* SPDX-License-Identifier: MIT */
/*
 * The recent past, for findings: the ended intervals of threads, locks and interrupts. It is a ring of
 * records. Each record is linked to the previous one of the same thread or lock, so that "what did B do while
 * A waited" is a walk back from now. Records older than the ring are overwritten, and a walk ends there.
 *
 *	for (past = history_last(history, thread); past && past->to > from; past = history_before(history, past, thread)) …
 */
#ifndef ANALYSIS_EXPLAIN_HISTORY_H
#define ANALYSIS_EXPLAIN_HISTORY_H

#include "analysis/scan.h"
#include "analysis/subjects.h"

enum {
	HISTORY_RECORDS = LIMIT(65536, 64), /* a power of two */
	HISTORY_NOTES = LIMIT(16384, 32),   /* likewise: changes of priorities, and requests for locks */
};

/* A priority from a moment on, or a thread's request for a lock. */
struct note {
	uint64_t at;
	int64_t priority;
	uint64_t seq;
	struct party *lock;
	uint64_t number; /* its own; the first is 1 */
	uint64_t before; /* the one before it, of the same thread and sort */
};

/* A thread, lock, interrupt, queue, …: whatever findings are about. */
struct party {
	struct subject subject;
	size_t index;	    /* dense; 0 if it is not given yet */
	uint64_t last;	    /* number of its newest record; 0: none */
	uint64_t last_wait; /* number of the newest record of a thread that waited for it; 0: none */
	bool has_priority;
	struct note priority; /* the newest */
	uint64_t last_ask;    /* number of the note; 0: none */
};

/* The records of a kind, one for each party: zero at first. */
struct records {
	size_t record_bytes; /* set before the first use */
	void **by_party;     /* by index; NULL: none */
	size_t room;
	struct arena arena;
};

struct past {
	enum past_kind { PAST_THREAD, PAST_LOCK, PAST_INTERRUPT } kind;
	enum rst_state state;
	enum rst_reason reason;
	enum rst_certainty certainty;
	bool has_begin, has_end; /* events in the window began and ended it */
	bool is_open;		 /* it has not ended: it lasts at least until `to` */
	enum past_waker {
		WOKEN_BY_NONE,
		WOKEN_BY_THREAD,
		WOKEN_BY_INTERRUPT
	} waker; /* of what is ready or runs */
	uint16_t core;
	struct party *subject,
		*object; /* of a lock: it and its owner; of a wait: the thread and what it waits for */
	uint64_t from, to, from_seq, to_seq;
	uint64_t number;	    /* its own; the first is 1 */
	uint64_t before;	    /* the one before it of its subject; 0: none */
	uint64_t before_object;	    /* of a lock: … of its owner */
	uint64_t before_scheduling; /* of a thread that runs or is ready: the one before it of any thread */
	uint64_t before_run;	    /* of a thread that runs: likewise */
	uint64_t
		before_wait; /* of a thread that waits: the one before it of any thread for the same object */
};

struct history {
	struct past *ring;
	uint64_t n; /* records so far */
	uint64_t last_scheduling, last_run;
	struct note *notes;
	uint64_t n_notes;
	struct subjects parties;
	struct party **by_context; /* by index of the context */
	size_t by_context_room;
};

/* The party of an entity or context, made on first use. Returns NULL if memory ran out. */
struct party *history_party(struct history *history, const struct rst_entity *entity);
struct party *history_object(struct history *history, const struct rst_ref *ref);
struct party *history_thread(struct history *history, const struct rst_context *context);

/* Takes what has ended. Returns false if memory ran out. */
bool history_add(struct history *history, const struct piece *piece);

/* The same of what goes on. */
bool history_add_open(struct history *history, const struct piece *piece);

/* Forgets the newest records, down to n; the oldest may be lost, too. */
void history_pop(struct history *history, uint64_t n);

/* The record of this number, where it is still kept. */
static inline const struct past *history_record(const struct history *history, uint64_t number)
{
	const struct past *past = number ? &history->ring[number % HISTORY_RECORDS] : NULL;

	return past && past->number == number ? past : NULL;
}

/*
 * The newest record of a thread (its states, and the locks that it held) or of a lock; and the one before
 * that.
 */
static inline const struct past *history_last(const struct history *history, const struct party *party)
{
	return history_record(history, party->last);
}

static inline const struct past *history_before(
	const struct history *history, const struct past *past, const struct party *party)
{
	return history_record(history, past->subject == party ? past->before : past->before_object);
}

/* The state of a thread right before this one; NULL if it is not known. */
const struct past *history_state_before(const struct history *history, const struct past *past);

/* Whether it covers the time right before a moment. */
static inline bool past_covers(const struct past *past, uint64_t at)
{
	return past->from < at && past->to >= at;
}

/* Who holds a lock right before a moment; NULL: nothing, or it is not known. */
const struct past *history_holder(const struct history *history, const struct party *lock, uint64_t at);

/* The state of a thread right before a moment; NULL if it is not known. */
const struct past *history_state(const struct history *history, const struct party *thread, uint64_t at);

/* The newest record of any thread that ran or was ready; and the one before that. */
static inline const struct past *history_last_scheduling(const struct history *history)
{
	return history_record(history, history->last_scheduling);
}

static inline const struct past *history_before_scheduling(
	const struct history *history, const struct past *past)
{
	return history_record(history, past->before_scheduling);
}

/* The same of threads that ran only: where thousands are ready, few of them run. */
static inline const struct past *history_last_run(const struct history *history)
{
	return history_record(history, history->last_run);
}

static inline const struct past *history_before_run(const struct history *history, const struct past *past)
{
	return history_record(history, past->before_run);
}

/* The newest record of any thread that waited for an object; and the one before that. */
static inline const struct past *history_last_wait(const struct history *history, const struct party *object)
{
	return history_record(history, object->last_wait);
}

static inline const struct past *history_before_wait(const struct history *history, const struct past *past)
{
	return history_record(history, past->before_wait);
}

/* Priorities: a smaller number is more urgent. */
void history_set_priority(struct history *history, struct party *thread, uint64_t at, int64_t priority);

/* The priority at a moment; before the first that is recorded, that one. Returns false if it is not known. */
bool history_priority(
	const struct history *history, const struct party *thread, uint64_t at, int64_t *ret_priority);

/* The most urgent one from one moment to another. */
bool history_best_priority(const struct history *history, const struct party *thread, uint64_t from,
	uint64_t to, int64_t *ret_priority);

/*
 * history_ask() notes a thread's request for a lock; history_asked() finds the last one before a moment.
 * Returns NULL if it is not known.
 */
void history_ask(
	struct history *history, struct party *thread, uint64_t at, uint64_t seq, struct party *lock);
const struct note *history_asked(
	const struct history *history, const struct party *thread, const struct party *lock, uint64_t until);

/*
 * The record of a party, made on first use; NULL if memory ran out. And the next one behind an index, NULL at
 * the end.
 */
void *record_of(struct records *records, const struct party *party);
void *record_next(const struct records *records, size_t *index);
void records_done(struct records *records);

bool history_init(struct history *history);
void history_done(struct history *history);

#endif
