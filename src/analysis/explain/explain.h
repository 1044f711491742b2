/* SPDX-License-Identifier: MIT */
/*
 * Findings: problems in a trace. Each kind is one const struct in one array; all kinds use the same scan. A
 * kind is an observer (analysis/observer.h): it counts in a state of its own, and judges each interval that
 * has ended, with the recent past (history.h). It adds findings: figures, the threads and objects, and the
 * events that prove it. The sentence is made at the end, when everything is known.
 *
 *	const struct finding_kind finding_long_wait = { .name = "long_wait", .judge = wait_judge, .say = wait_say, … };
 *
 * Only the weightiest findings of each kind are kept; the others are counted. A finding needs a weight (a
 * length of time, or a count) of at least the kind's threshold.
 */
#ifndef ANALYSIS_EXPLAIN_EXPLAIN_H
#define ANALYSIS_EXPLAIN_EXPLAIN_H

#include "analysis/explain/history.h"
#include "analysis/scan.h"
#include "analysis/table/table.h"
#include "base/json.h"

enum {
	FINDING_SUBJECTS_MAX = 8,
	FINDING_EVIDENCE_MAX = 24,
	FINDING_FIGURES = 6,
	FINDINGS_MAX = LIMIT(100, 4), /* of one kind that are kept */
	FINDING_KINDS_MAX = 20,
	FINDING_CLASSES = RST_N_STATES + 2, /* of records that are judged */
	FINDING_ERROR_FACTOR = 10,	    /* so many thresholds make an error of a warning */
};

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

extern const char *const severity_names[];

struct finding {
	const struct finding_kind *kind;
	enum severity severity;
	bool is_certain;
	uint64_t from, to;		       /* ticks, in which all evidence lies */
	uint64_t weight;		       /* ticks or a number: what the threshold is compared with */
	uint64_t variant;		       /* of the sentence: the kind's */
	size_t n_subjects, n_evidence, n_more; /* more: subjects that found no room */
	struct party *subjects[FINDING_SUBJECTS_MAX];
	size_t n_named, n_more_named;
	struct party *named[FINDING_SUBJECTS_MAX]; /* that are no subjects, but in the sentence */
	uint64_t evidence[FINDING_EVIDENCE_MAX];   /* sequence numbers, in their order */
	int64_t figures[FINDING_FIGURES];	   /* of the sentence: the kind's */
	const char *label, *detail;		   /* likewise; they live as long as its state */
};

/* Records of the history that a kind judges: states of threads, locks, interrupts. */
#define JUDGES_STATE(state) SCAN_BIT(state)
#define JUDGES_LOCKS	    SCAN_BIT(RST_N_STATES)
#define JUDGES_INTERRUPTS   SCAN_BIT(RST_N_STATES + 1)

/* A threshold as it is set, before the clock and the window are known. */
struct threshold {
	enum threshold_form {
		THRESHOLD_UNSET, /* the kind's own */
		THRESHOLD_TICKS,
		THRESHOLD_NS,
		THRESHOLD_PERCENT, /* of the window, or of what the kind says */
		THRESHOLD_COUNT
	} form;
	double value;
};

struct findings;
struct sentence;

/* The states of all kinds begin so. */
struct finding_state {
	struct findings *findings;
};

struct finding_kind {
	struct observer_kind observer; /* step comes after judge */
	const char *name;
	const char *about;     /* one line of --list */
	const char *threshold; /* a clause about the measured value; NULL without a threshold */
	bool is_count;	       /* it is a number, not a length of time */
	bool is_share;	       /* it is a percentage of what it measures, not of the window */
	uint64_t count;	       /* its usual value: a number, or percent; or … */
	uint64_t ns;	       /* … a time where the clock is known, … */
	uint64_t percent;      /* … and else so much of the window */
	bool escalates;	 /* from FINDING_ERROR_FACTOR thresholds on it is an error; else as it was added */
	bool is_first;	 /* before findings of other kinds that are as severe */
	uint32_t judges; /* records of judge: JUDGES_… */
	/* An interval of a thread, a lock or an interrupt has ended. Returns false if memory ran out. */
	bool (*judge)(void *state, const struct past *past);
	/* Whether the other finding, of any kind, has the same information and more; NULL if no kind can. */
	bool (*is_part)(const struct finding *finding, const struct finding *other);
	void (*say)(const struct finding *finding, struct sentence *sentence);
};

/* All kinds; NULL ends the list. */
extern const struct finding_kind *const finding_kinds[];
extern const struct finding_kind finding_error_reported, finding_priority_inversion, finding_deadlock,
	finding_lock_order, finding_starvation, finding_long_wait, finding_long_hold, finding_late_wakeup,
	finding_missed_period, finding_interrupt_storm, finding_long_interrupt, finding_queue_overflow,
	finding_memory_leak, finding_stack_low, finding_busy_polling, finding_contradiction, finding_loss;

/* Finds the index of a kind in finding_kinds. Returns RST_E_USAGE if no kind has this name. */
enum rst_status finding_kind_find(const char *name, size_t *ret_index, struct rst_error *err);

enum { THRESHOLD_TEXT_MAX = 240 };

/* A threshold of a kind as the user writes it: ticks, 250us, 5%, or a number. RST_E_USAGE. */
enum rst_status threshold_parse(const char *text, const struct finding_kind *kind,
	struct threshold *ret_threshold, struct rst_error *err);

/* Describes the threshold of a kind, and its usual value. Returns false if the kind has no threshold. */
bool threshold_describe(const struct finding_kind *kind, char text[THRESHOLD_TEXT_MAX]);

struct findings_kept {
	struct finding *all; /* FINDINGS_MAX */
	size_t n;
	uint64_t n_dropped; /* that were lighter than all kept ones */
};

/* One run over a trace. */
struct findings {
	/* Set by the caller, by index of the kind. */
	struct threshold thresholds[FINDING_KINDS_MAX];
	bool is_left_out[FINDING_KINDS_MAX];

	struct observer_kind observer;
	const struct scan *scan;
	struct history history;
	struct observers observers; /* the kinds, by their index */
	struct findings_kept kept[FINDING_KINDS_MAX];
	uint64_t limits
		[FINDING_KINDS_MAX]; /* thresholds in ticks or as numbers, for the window as it is known */
	uint64_t judged;	     /* records of the history that are */
	uint32_t judges[FINDING_CLASSES]; /* bit n: finding_kinds[n] judges it */
	bool is_open;			  /* findings_open() was called in this step */
	bool has_no_memory;
	bool lacks_names; /* memory ran out for a name, which reads ? now */
	const struct finding **sorted;
	size_t n_sorted;
	struct table names; /* whose arena the names are in */
};

/*
 * Becomes an observer of a scan that is about to run; findings_done() is due in any case. Returns false if
 * memory ran out.
 */
bool findings_init(struct findings *findings, struct scan *scan);

/* After the scan: sorts what was found: errors first, then by time. Returns false if memory ran out. */
bool findings_finish(struct findings *findings);

/*
 * Sorts the findings so far in the same order. It may be called during the scan, as often as needed. Returns
 * false if memory ran out.
 */
bool findings_sort(struct findings *findings);

/* The number of findings that were not kept. */
uint64_t findings_dropped(const struct findings *findings, size_t kind);

void findings_done(struct findings *findings);

/* --- for kinds ------------------------------------------------------------------------------------------ */

/* The least weight of findings of this kind, as known so far. */
uint64_t findings_limit(const struct findings *findings, const struct finding_kind *kind);

/*
 * A new finding of at least that weight, certain and a warning, which the caller completes at once. Returns
 * NULL: too light, or lighter than all that are kept, or memory ran out, which ends the scan.
 */
struct finding *finding_add(struct findings *findings, const struct finding_kind *kind, uint64_t weight);

/*
 * For judge and step: what goes on is at hand as records of the history, too, with is_open, until the end of
 * the step. Returns false if memory ran out.
 */
bool findings_open(struct findings *findings);

/*
 * Adds the threads that ran in a time, except the thread itself: the first ones are named, and their runs are
 * evidence.
 */
void finding_name_runs(struct findings *findings, struct finding *finding, const struct party *but,
	uint64_t from, uint64_t to);

/*
 * Each adds to the finding, if the value exists and there is room: a subject (once), another party that the
 * sentence names, or evidence (an event by its sequence number).
 */
void finding_subject(struct finding *finding, struct party *party);
void finding_name(struct finding *finding, struct party *party);
void finding_evidence(struct finding *finding, uint64_t seq);

/* Adds the ends of a past as evidence, if they lie in the finding's time. */
void finding_evidence_past(struct finding *finding, const struct past *past);

/*
 * Whether the past interval is known: an unknown one proves nothing, and an inferred one makes a finding
 * uncertain.
 */
static inline bool past_is_known(const struct past *past)
{
	return past->certainty != RST_CERTAINTY_UNKNOWN && past->state != RST_STATE_UNKNOWN;
}

/* --- sentence.c ----------------------------------------------------------------------------------------- */

enum { SENTENCE_ROOM = 2048 };

struct sentence {
	struct findings *findings;
	size_t n;
	char text[SENTENCE_ROOM]; /* what does not fit is cut */
};

void sentence_words(struct sentence *sentence, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* 'high' of a thread, mutex 'resource', interrupt 3, or thread 0x1234 where it has no name. */
void sentence_name(struct sentence *sentence, const struct party *party);
/* 12.5 us, or 123 ticks. */
void sentence_time(struct sentence *sentence, uint64_t ticks);
/* "1 message", "3 messages" */
void sentence_count(struct sentence *sentence, uint64_t n, const char *one, const char *several);

/* Puts 'a', 'b' and 'c', from first on, and "others" if there are more. */
void sentence_names(struct sentence *sentence, struct party *const *parties, size_t n, size_t n_more);

/* The whole sentence of a finding, which lives in `sentence`. */
const char *finding_say(struct findings *findings, const struct finding *finding, struct sentence *sentence);

/* Frees the memory of sentences and names: those that were returned become invalid. */
void findings_forget_names(struct findings *findings);

/*
 * The name of a party in JSON, or else its kind and number. If memory ran out, returns "?" and sets
 * lacks_names.
 */
struct text party_name(struct findings *findings, const struct party *party);

/* --- rows.c --------------------------------------------------------------------------------------------- */

/*
 * Makes a table of the findings that are sorted. Its texts are copies, so the table may outlive the findings.
 * table_done() is due whatever it returns. Returns false if memory ran out.
 */
bool findings_table(struct findings *findings, struct table *ret_table);

/* --- json.c --------------------------------------------------------------------------------------------- */

/* Writes the finding as an object. source is the number of its trace, or below 0 if there is one trace. */
void finding_put_json(
	struct findings *findings, const struct finding *finding, long source, struct json *json);

/* Writes the subjects of a finding as an array: names, or numbers of interrupts. Memory: lacks_names. */
void finding_put_subjects(
	struct json *json, const char *key, struct findings *findings, const struct finding *finding);

#endif
