/* SPDX-License-Identifier: MIT */
/*
 * The metrics of rules. Each metric is one const struct in one array, which begins with an observer
 * (analysis/observer.h); all rules look at the same scan of a trace.
 *
 *	const struct metric metric_count = { .observer = { .row = count_row, … }, .usage = "count(event NAME)", … };
 *
 * A metric measures values: whole numbers in ticks, or in what it counts. A value outside the rule's range
 * breaks the rule. A value that cannot be measured, because events are lost or because the recording does not
 * have it, leaves the rule undecided.
 */
#ifndef QUERY_METRIC_H
#define QUERY_METRIC_H

#include "analysis/scan.h"
#include "analysis/subjects.h"
#include "base/number.h"
#include "query/rule.h"

enum { VIOLATIONS_FIRST = 3, REASON_ROOM = 400 };

struct violation {
	uint64_t from, to;			 /* ticks */
	uint64_t from_seq, to_seq;		 /* events, or RST_NO_SEQ */
	uint64_t value, of;			 /* of: ticks that a share is of, else 0 */
	uint64_t by;				 /* how far out of the range */
	enum rst_field_type value_type, by_type; /* how value and by read, as in struct number */
	bool is_too_much;
	bool has_not_ended; /* it was more than this */
	/*
	 * For a rule in SQL, which measures nothing: the row as words and as JSON, and whether it has a
	 * moment.
	 */
	const char *row, *row_json;
	bool has_moment;
	struct rst_entity subject;
};

/* The values measured so far. */
struct measured {
	uint64_t n;		   /* of values that are known */
	struct number least, most; /* of these, but NaN only if all are; shares: in 1e-3 % */
	uint64_t n_broken;
	struct violation worst, first[VIOLATIONS_FIRST];
};

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_UNDECIDED };

/* "pass", "fail", "undecided" */
extern const char *const verdict_names[];

struct check;

/* The fields of the events whose type a selector means. */
struct field_sight {
	const struct rst_layout *lacking; /* the first layout without one of the selector's fields, or NULL */
	bool has_fields;		  /* a layout has all of them */
};

/* One rule on one trace. */
struct run {
	const struct rule *rule;
	struct check *check;
	size_t index;	      /* of its first selector in those of all rules */
	struct bounds bounds; /* not of a metric that takes_numbers */
	uint64_t per;	      /* ticks; 0 if there are no parts */
	void *state;	      /* of its metric */
	bool has_match;	      /* something that its first selector means was seen as the metric needs it */
	bool is_unknown;      /* some value is not known; the reason is there */
	bool is_absent;	      /* … since the trace has nothing that a selector means */
	bool is_open_unsure;  /* something had not ended, and may have in a loss or pause */
	uint64_t
		cut_seq; /* the first edge that has cut something which is measured; RST_NO_SEQ if none has */
	bool judges_losses; /* as that of the metric */
	struct field_sight sights[RULE_SELECTORS];
	struct measured measured;
	enum verdict verdict;
	char reason[REASON_ROOM];
};

/* The states of all metrics begin so. */
struct metric_state {
	struct run *run;
};

struct metric {
	struct observer_kind observer;
	const char *name;
	const char *usage;		/* with the range */
	const char *about;		/* what is in the range: a line of --list */
	size_t n_selectors;		/* that it needs … */
	size_t n_selectors_max;		/* … and may have */
	bool has_arrow;			/* A -> B */
	unsigned takes[RULE_SELECTORS]; /* bits of enum selector_form */
	unsigned quantities;		/* bits of enum quantity_form, for its range */
	bool takes_per;
	/* its values may be less than 0 or not whole, and so may limits: run_measure_number() */
	bool takes_numbers;
	bool takes_fields; /* events may be selected by their fields, too */
	bool has_sql;
	/* the metric decides which values a loss makes unknown; else any loss leaves a rule undecided */
	bool judges_losses;
};

/* All metrics; NULL ends the list. */
extern const struct metric *const metrics[];
extern const struct metric metric_latency, metric_period, metric_duration, metric_run, metric_ready,
	metric_wait, metric_hold, metric_level, metric_stack_free, metric_count, metric_errors, metric_lost,
	metric_none;

/* --- measuring ------------------------------------------------------------------------------------------ */

/* A value that is known, `times` times over. This function fills in the sample's by and is_too_much. */
void run_measure(struct run *run, const struct violation *sample, uint64_t times);

/* The same once for a metric that takes_numbers: value reads as value_type says, as in range_side(). */
void run_measure_number(struct run *run, const struct violation *sample);

/* Something that breaks the rule, whatever its range. */
void run_break(struct run *run, const struct violation *violation);

/*
 * A value that is not known but lies between two, for a reason: it counts where both are on one side of a
 * limit.
 */
void run_measure_between(struct run *run, const struct violation *sample, uint64_t most, const char *reason);

/* A value is not known; the first reason is kept. */
void run_unknown(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Whether an event that is no edge of the recording (edges.h) began or ended the piece. If an edge cut the
 * piece, run_note_cut() notes this: a pause makes the rule undecided, the end of the recording does not.
 */
bool run_sees_begin(const struct run *run, const struct piece *piece);
bool run_sees_end(const struct run *run, const struct piece *piece);
void run_note_cut(struct run *run, const struct piece *piece);

/*
 * Whether an unknown piece lies outside of the recording. Either the piece begins where the recording begins
 * or goes on, and lasts until an event shows its subject; or it lies after the recording has stopped.
 */
bool run_is_outside(const struct run *run, const struct piece *piece);

/*
 * Whether the n-th selector matches; decided once for each thing. If memory runs out, nothing matches, and
 * the scan ends.
 */
bool run_takes_entity(struct run *run, size_t n, const struct rst_entity *entity);
bool run_takes_type(struct run *run, size_t n, const struct rst_type *type);

/* Whether the n-th selector, which is of events, means this event: its type and the values of its fields. */
bool run_takes_event(struct run *run, size_t n, const struct rst_batch *batch, size_t row);

/* Finishes a rule: nothing was measured, since nothing in the trace is what a selector means. true. */
bool run_explain_absence(struct run *run, const struct scan *scan);
/* Finishes a rule: events that a selector means have no such field. true: this is so, and is the reason. */
bool run_explain_fields(struct run *run);
/* The first as the finish of a metric. */
bool absence_finish(void *state, const struct scan *scan);

/* --- parts of the window (--per) ------------------------------------------------------------------------ */

static inline uint64_t run_part(const struct run *run, const struct scan *scan, uint64_t at)
{
	return run->per ? (at - scan->from) / run->per : 0;
}

static inline uint64_t run_part_begin(const struct run *run, const struct scan *scan, uint64_t number)
{
	return scan->from + number * run->per;
}

#endif
