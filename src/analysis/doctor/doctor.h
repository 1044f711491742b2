/* SPDX-License-Identifier: MIT */
/*
 * `rastrum doctor` says what is wrong with a recording or a link, and what to change on the target. Each
 * diagnosis is one const struct in one array. An exam is an observer of one scan (analysis/observer.h): it
 * counts what diagnoses need. After the scan each diagnosis looks at these counts, at the metadata and at the
 * figures of `rastrum stats`, and adds its complaints.
 *
 *	const struct diagnosis diagnosis_clock_unknown = { .name = "clock_unknown", .look = look_for_rate, … };
 *
 * exam.c counts. doctor.c has the list of diagnoses. advice.c is a table of changes by dialect. phrase.c
 * writes sentences. The diagnoses are in clock.c, names.c, losses.c, coverage.c and notes.c.
 *
 * A diagnosis states only what the recording proves. It adds nothing for a healthy and complete recording, so
 * each threshold stands beside the reason for it.
 */
#ifndef ANALYSIS_DOCTOR_DOCTOR_H
#define ANALYSIS_DOCTOR_DOCTOR_H

#include "analysis/stats/stats.h"
#include "base/json.h"

enum {
	COMPLAINTS_MAX = 64,
	COMPLAINT_EVENTS = 4, /* that prove it */
	PHRASE_ROOM = 768,
	PULSE_SLICES = 64,
};

/* Error: answers are wrong or missing. Warning: some are. Hint: more could be known. */
enum weight { WEIGHT_HINT, WEIGHT_WARNING, WEIGHT_ERROR };

extern const char *const weight_names[];

struct exam;

struct diagnosis {
	const char *name;
	const char *about; /* one line of --list */
	void (*look)(struct exam *exam, const struct diagnosis *diagnosis);
};

/*
 * All diagnoses; NULL ends the list. If two have the same weight, the cause is in front of what follows from
 * it.
 */
extern const struct diagnosis *const diagnoses[];
extern const struct diagnosis diagnosis_empty, diagnosis_text_mode, diagnosis_damage, diagnosis_lost,
	diagnosis_link_full, diagnosis_reset, diagnosis_clock_stands, diagnosis_clock_counts,
	diagnosis_clock_wraps, diagnosis_clock_unknown, diagnosis_registry_full, diagnosis_nameless,
	diagnosis_buffer_short, diagnosis_no_switches, diagnosis_unknown_share, diagnosis_no_interrupts,
	diagnosis_no_reasons, diagnosis_short_events, diagnosis_vendor, diagnosis_guess;

/* A text that grows; what does not fit is cut. */
struct phrase {
	size_t n_bytes;
	char text[PHRASE_ROOM];
};

struct complaint {
	const struct diagnosis *diagnosis;
	enum weight weight;
	struct phrase wrong, evidence, change; /* sentences */
	struct phrase code; /* lines of code or options, as they are written; may be empty */
	size_t n_events;
	uint64_t events[COMPLAINT_EVENTS]; /* sequence numbers of events that prove it */
};

/* --- what is counted ------------------------------------------------------------------------------------ */

/* Places where the recording lacks something. */
struct exam_gaps {
	uint64_t n, n_uncounted;	  /* places; of these, without a known number */
	uint64_t n_events;		  /* lost there, as far as it is known */
	uint64_t n_bytes;		  /* damaged */
	uint64_t last_offset, last_bytes; /* damaged: of the last place */
	uint64_t most;			  /* the most events that one place has lost */
	struct rst_gap first;
	uint64_t at, seq; /* of the first one: its time, and the event in front of it or RST_NO_SEQ */
};

/* The longest of some waits, whose begin and end are recorded. */
struct exam_wait {
	uint64_t ticks, from;
	uint64_t from_seq, to_seq;
	enum rst_state state;
	struct rst_entity thread;
};

/*
 * How many events came in each of at most 64 slices of equal length, whose length doubles as the recording
 * grows.
 */
struct pulse {
	uint64_t from, width; /* ticks; 0 at first */
	uint64_t slices[PULSE_SLICES];
};

struct exam {
	/* Set by the caller. */
	uint64_t baud;			     /* of a serial link; else 0 */
	bool begins_anywhere, ends_anywhere; /* a link within a frame, which is no damage */
	bool has_netx;			     /* the user has said which NetX it is */

	struct observer_kind observer;
	struct scan *scan;
	struct stats stats; /* for the unknown shares */
	const struct rst_metadata *metadata;
	uint64_t n_bytes; /* of the recording, unpacked */

	uint64_t n_events, last_at, last_seq;
	uint64_t n_steps, least_step, most_step; /* from one event to the next */
	uint64_t most_step_at, most_step_seq;	 /* of the event in front of the longest one */
	struct pulse pulse;
	struct exam_gaps losses, overwritten, damages, runs;
	uint64_t n_of_isr;	/* events of interrupts */
	uint64_t n_of_two_netx; /* events with numbers that NetX and NetX Duo gave to different services */
	uint64_t n_unnamed;	/* effects on objects, by address, that have no name */
	uint64_t n_effects[RST_N_EFFECTS];
	uint64_t n_sleeps;	  /* sleeps that ended: only an interrupt of a timer ends one */
	uint64_t n_waits, n_asks; /* waits of threads; effects that ask for something */
	uint64_t waited, waited_without_reason;
	uint64_t of_threads,
		unknown_later; /* ticks of threads; unknown ones behind the first event of the window */
	struct exam_wait longest;
	uint64_t *contexts; /* events by index of the context */
	size_t contexts_room;

	struct complaint *complaints; /* sorted by exam_finish() */
	size_t n_complaints;
	bool has_no_memory;
};

/*
 * Becomes an observer of a scan that is about to run. exam_done() is due in any case.
 */
void exam_init(struct exam *exam, struct scan *scan);

/*
 * After the scan, whatever its outcome: looks for everything that is wrong. Returns false if memory ran out.
 * The complaints are valid until exam_done(); the trace must still be open.
 */
bool exam_finish(struct exam *exam, struct rst_trace *trace);

void exam_done(struct exam *exam);

/* Writes a complaint as an object. source is the number of its trace, or below 0 if there is one trace. */
void complaint_put_json(
	const struct exam *exam, const struct complaint *complaint, long source, struct json *json);

/* --- for diagnoses -------------------------------------------------------------------------------------- */

/*
 * A new complaint, which the caller completes. Returns a spare one if there are too many, or if memory ran
 * out.
 */
struct complaint *complaint_add(struct exam *exam, const struct diagnosis *diagnosis, enum weight weight);

/* Adds an event that proves it, if there is room. RST_NO_SEQ is no event. */
void complaint_event(struct complaint *complaint, uint64_t seq);

/* The same for the events on both sides of a gap behind seq. */
void complaint_gap(struct complaint *complaint, uint64_t seq);

/*
 * A detail of the format's header by its name, also within a group. Returns NULL if the header does not have
 * it.
 */
const struct rst_detail *exam_detail(const struct exam *exam, const char *name);

/* The number, or truth, of such a detail; 0 if the header does not have it. */
uint64_t exam_detail_number(const struct exam *exam, const char *name);

/* Threads with events. */
size_t exam_n_threads(const struct exam *exam);

/* The length of the recording in ticks. */
uint64_t exam_covered(const struct exam *exam);

/*
 * Events for each second in the busiest slice of the pulse, with those that were lost; 0 if the clock is not
 * known.
 */
double exam_events_per_second(const struct exam *exam);

/*
 * Bytes of an event, as the header says, or else of the recording for each of its events; 0 if it has no
 * event.
 */
double exam_bytes_per_event(const struct exam *exam);

/* --- advice.c ------------------------------------------------------------------------------------------- */

enum advice {
	ADVICE_EMPTY,
	ADVICE_TEXT_MODE,
	ADVICE_DAMAGE,
	ADVICE_LOST, /* n: bytes that would have held the longest loss */
	ADVICE_LINK,
	ADVICE_DATAGRAMS,
	ADVICE_OVERRUN,
	ADVICE_BAUD, /* n: bits per second that would have sufficed */
	ADVICE_RESET,
	ADVICE_CLOCK_STANDS,
	ADVICE_CLOCK_COUNTS,
	ADVICE_CLOCK_WRAPS,
	ADVICE_CLOCK_UNKNOWN,
	ADVICE_NO_STAMPS,
	ADVICE_REGISTRY, /* n: places that are needed */
	ADVICE_NAMELESS, /* n: names to be kept */
	ADVICE_BUFFER,	 /* n: bytes that are needed; m: places of the registry */
	ADVICE_SWITCHES,
	ADVICE_MEND_LOSSES,
	ADVICE_CORES,
	ADVICE_NO_SWITCH,
	ADVICE_INTERRUPTS,
	ADVICE_REASONS,
	ADVICE_PARAMS,
	N_ADVICES
};

/*
 * Whether its recordings have all that a core does. Those of a single program have not: others run beside it.
 */
bool dialect_has_whole_cores(const char *dialect);

bool advice_exists(const struct exam *exam, enum advice advice);

/*
 * Writes what to change for this dialect, and the line of code or the option, in which {n} and {m} become the
 * numbers. Returns false, and writes nothing, if there is no such advice for the dialect.
 */
bool advice_put(
	const struct exam *exam, enum advice advice, uint64_t n, uint64_t m, struct complaint *complaint);

/* --- phrase.c ------------------------------------------------------------------------------------------- */

void phrase_words(struct phrase *phrase, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "1 message", "3 messages" */
void phrase_count(struct phrase *phrase, uint64_t n, const char *one, const char *several);
/* 12.5 us, or 123 ticks */
void phrase_time(struct phrase *phrase, const struct exam *exam, uint64_t ticks);
/* The moment of an event: 1.5 ms after the first one, or its ticks */
void phrase_moment(struct phrase *phrase, const struct exam *exam, uint64_t ticks);
/* 'high', or thread 0x1234 where it has no name */
void phrase_thread(struct phrase *phrase, const struct rst_entity *thread);
/* 0.2 %, 12 %, below 0.1 % */
void phrase_share(struct phrase *phrase, double part, double whole);

#endif
