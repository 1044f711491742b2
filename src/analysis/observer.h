/* SPDX-License-Identifier: MIT */
/*
 * Observers of a scan: the tables of statistics, the findings, the rules, the exports, and what fills tables
 * of SQL. An observer_kind says what an observer wants to see, and has its callbacks; a state belongs to each
 * observer. A struct that describes a table, a finding, a rule or a format has an observer_kind as its first
 * member.
 *
 * `struct observers` is a list of observers. It has, for each kind of data, the numbers of those that want
 * it, and hands the data on to these. The scan has such a list; statistics, findings and rules are observers
 * in it, and hand what they get on to lists of their own.
 *
 * An observer may want:
 *
 *	rows     as batches have them: events, losses, damages and new runs that are selected
 *	effects  of selected rows, read once, by the state engine
 *	pieces   of selected intervals, behind the effects of their batch, in the order of their ends
 *	beginnings of selected intervals: locks that are taken, interrupts that come
 *	step     when all of a batch has been handed on: time has come so far
 */
#ifndef ANALYSIS_OBSERVER_H
#define ANALYSIS_OBSERVER_H

#include <rastrum/rastrum.h>

#include "base/error.h"

#define SCAN_BIT(n) (UINT32_C(1) << (n))

/* The part of an interval that lies in the window, or in one part (--per) of the window. */
struct piece {
	const struct rst_interval *interval;
	uint64_t from, to; /* ticks; from < to */
	uint64_t begin;	   /* its begin in the window; before `from` if it lies in an earlier part */
	bool has_begin;	   /* an event in the window began it, at begin */
	bool has_end;	   /* … ended it, at to */
};

/* For sums of time, of which each part gets its share. */
static inline uint64_t piece_ticks(const struct piece *piece)
{
	return piece->to - piece->from;
}

/*
 * It ends here, was recorded from its begin to its end, and nothing in it is lost: its length, which is
 * piece_length(), is a figure of the target.
 */
static inline bool piece_is_whole(const struct piece *piece)
{
	return piece->has_begin && piece->has_end && piece->interval->certainty != RST_CERTAINTY_UNKNOWN;
}

/*
 * The recording proves what its thread, core or lock did (docs/STATES.md, Certainty). Else the time counts in
 * no figure as proved, and in all of that subject as possible.
 */
static inline bool piece_is_proved(const struct piece *piece)
{
	return piece->interval->state != RST_STATE_UNKNOWN &&
	       piece->interval->certainty != RST_CERTAINTY_UNKNOWN;
}

/* Whether the recording tells for what a thread waits. */
static inline bool wait_is_known(const struct rst_interval *wait)
{
	return wait->object.form != RST_ENTITY_NONE || wait->reason == RST_REASON_SLEEP ||
	       wait->reason == RST_REASON_SUSPENDED;
}

/* Whether the thread of the piece may have waited for any object in it, as far as the recording tells. */
static inline bool piece_may_be_wait(const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;

	return !piece_is_proved(piece) || (interval->state == RST_STATE_WAITING && !wait_is_known(interval));
}

static inline uint64_t piece_length(const struct piece *piece)
{
	return piece->to - piece->begin;
}

/* An event began it here, and not in an earlier part. */
static inline bool piece_begins(const struct piece *piece)
{
	return piece->has_begin && piece->from == piece->begin;
}

/* An effect of an event. */
struct occurrence {
	const struct rst_batch *batch;
	size_t row;
	uint64_t at;  /* ticks, which never step back */
	uint64_t seq; /* of the event, as intervals have it */
	size_t run;   /* new runs before it; nothing from an earlier run exists any more */
	const struct rst_effect_facts *facts;
};

struct scan;

enum { STATE_RECORDS_MAX = 4 };

/* Records of subjects in a state: where they are, how large one is, and how it ends. */
struct state_records {
	size_t at;		    /* of the struct subjects */
	size_t n_bytes;		    /* 0: no more */
	void (*done)(void *record); /* or NULL */
};

/* Rows that a callback gets. */
enum rows_wanted {
	ROWS_ALL,
	ROWS_GAPS,     /* losses, damages and new runs */
	ROWS_GAP_ENDS, /* these, and the first event behind them */
};

/*
 * A callback that is not needed is NULL. Those that return a bool return false if memory ran out, which ends
 * the scan.
 */
struct observer_kind {
	size_t state_bytes; /* of a state that the list makes: zeroed */
	/*
	 * The size of a struct that the made states of one observer share, zeroed; they begin with a pointer
	 * to it.
	 */
	size_t shared_bytes;
	/* Those of a made state: the list sets their record_bytes, and ends them behind done. */
	struct state_records records[STATE_RECORDS_MAX];
	uint32_t effects;   /* bit n: enum rst_effect_kind n */
	uint32_t intervals; /* bit n: enum rst_interval_kind n */
	enum rows_wanted rows_wanted;
	/*
	 * The clock and the zero of times are known; the window begins at or behind that. A failure ends the
	 * scan.
	 */
	enum rst_status (*start)(void *state, const struct scan *scan, struct rst_error *err);
	bool (*row)(void *state, const struct rst_batch *batch, size_t row, uint64_t at);
	bool (*batch)(void *state, const struct rst_batch *batch); /* after the rows of a batch */
	bool (*effect)(void *state, const struct occurrence *occurrence);
	bool (*piece)(void *state, const struct piece *piece);
	/* An interval of those kinds begins; called between the pieces that end before and after that. */
	bool (*beginning)(void *state, const struct rst_beginning *beginning);
	bool (*step)(void *state, const struct scan *scan);
	bool (*finish)(void *state, const struct scan *scan); /* after the scan */
	void (*done)(void *state);
	void (*shared_done)(void *shared);
};

enum {
	/* the lists for rows: events but those behind a gap, gaps, the first events behind gaps */
	OBSERVERS_EVENTS,
	OBSERVERS_GAPS,
	OBSERVERS_GAP_ENDS,
	OBSERVERS_ROW_LISTS,
	OBSERVERS_LISTS = OBSERVERS_ROW_LISTS + 2 + RST_N_EFFECTS + 2 * RST_N_INTERVAL_KINDS
};

struct observers {
	struct observer {
		const struct observer_kind *kind;
		void *state;  /* the caller's; NULL: the list makes one when it is needed first */
		void *shared; /* that a made state begins with a pointer to; NULL: as shared_bytes says */
	} * all;
	size_t n, room;
	bool has_no_memory; /* an observer could not be added */
	bool is_in_gap;	    /* the last row was a gap */

	/* From observers_begin() on. */
	uint32_t *numbers; /* room of the lists */
	const uint32_t *lists
		/* the numbers of the observers of each kind of data; UINT32_MAX ends a list */
		[OBSERVERS_LISTS];
	void **states; /* by number, NULL: not made. The user may put another array here, which is its own. */
	void **own_states;
};

/*
 * Both are called before observers_begin(), which tells if memory ran out. The kind has to outlive the list.
 */
void observers_add(struct observers *observers, const struct observer_kind *kind, void *state);
/* The list makes the state, which begins with the pointer `shared` if that is not NULL. */
void observers_add_kind(struct observers *observers, const struct observer_kind *kind, void *shared);

/* The effects and intervals that any of them wants, so far. */
uint32_t observers_effects(const struct observers *observers);
uint32_t observers_intervals(const struct observers *observers);

bool observers_begin(struct observers *observers);

void *observers_state_new(struct observers *observers, size_t n);

/* The state of an observer, made on first use. Returns NULL if memory ran out. */
static inline void *observers_state(struct observers *observers, size_t n)
{
	void *state = observers->states[n];

	return __builtin_expect(state != NULL, 1) ? state : observers_state_new(observers, n);
}

/*
 * Each calls the callbacks of those that want this, in the order in which they were added, up to the first
 * that fails.
 */
enum rst_status observers_start(struct observers *observers, const struct scan *scan, struct rst_error *err);
bool observers_batch(struct observers *observers, const struct rst_batch *batch);
bool observers_effect(struct observers *observers, const struct occurrence *occurrence);
bool observers_piece(struct observers *observers, const struct piece *piece);
bool observers_beginning(struct observers *observers, const struct rst_beginning *beginning);
bool observers_step(struct observers *observers, const struct scan *scan);
bool observers_finish(struct observers *observers, const struct scan *scan);

/* The same; it is called for each event. */
static inline bool observers_row(
	struct observers *observers, const struct rst_batch *batch, size_t row, uint64_t at)
{
	const bool is_gap = batch->type[row]->marker != RST_EVENT;
	const uint32_t *n = observers->lists[is_gap		    ? OBSERVERS_GAPS
					     : observers->is_in_gap ? OBSERVERS_GAP_ENDS
								    : OBSERVERS_EVENTS];

	observers->is_in_gap = is_gap;
	for (; *n != UINT32_MAX; n++) {
		void *state = observers_state(observers, *n);

		if (!state || !observers->all[*n].kind->row(state, batch, row, at))
			return false;
	}
	return true;
}

/* Ends the states in the present array: calls done, and frees those that the list made. */
void observers_end_states(struct observers *observers);
/* Ends the list, and the states in its own array. */
void observers_done(struct observers *observers);

#endif
