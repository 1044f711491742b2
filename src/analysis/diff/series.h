/* SPDX-License-Identifier: MIT */
/*
 * The data of a trace that is compared: the length of each occurrence and the amount in each part of the
 * window, for each thread, lock, interrupt, span and event type. Each of them takes constant memory.
 */
#ifndef ANALYSIS_DIFF_SERIES_H
#define ANALYSIS_DIFF_SERIES_H

#include "analysis/diff/roles.h"
#include "analysis/scan.h"
#include "analysis/subjects.h"
#include "analysis/table/histogram.h"

/* The kinds of lengths of time; the waits follow, one for each reason. */
enum duration_kind {
	DURATION_RUN,	    /* of a thread, from its getting a core to its leaving it, without interrupts */
	DURATION_LATENCY,   /* from its wake-up to its running */
	DURATION_PREEMPTED, /* that it was ready because another one had its core */
	DURATION_HOLD,	    /* of a lock */
	DURATION_INTERRUPT,
	DURATION_SPAN,
	DURATION_WAIT, /* of a thread, and reason 0; … */
	N_DURATION_KINDS = DURATION_WAIT + RST_N_REASONS
};

/* The kinds of amounts. */
enum amount_kind {
	AMOUNT_LOAD,	  /* ticks that a thread runs */
	AMOUNT_INTERRUPT, /* ticks of an interrupt */
	AMOUNT_EVENT,	  /* events of a type */
	N_AMOUNT_KINDS
};

enum { SERIES_PARTS = 64 };

/* Amounts in parts are trillionths: whole numbers without a loss that counts. */
#define AMOUNT_SCALE 1e12

struct duration {
	struct subject subject;
	struct histogram
		histogram; /* in nanoseconds where the frequency of the clock is known, else in ticks */
};

/*
 * The window is cut into at most SERIES_PARTS parts of equal width, which doubles when the window grows out
 * of them.
 */
struct amount {
	struct subject subject;
	uint64_t total;
	bool has_effects; /* events: scheduling may decide whether they occur */
	uint64_t parts[SERIES_PARTS];
};

/* Where a thread is in its sequence of states. */
struct followed_thread {
	struct subject subject;
	enum rst_state before; /* the state that ended last */
	bool is_whole;	       /* the present run was seen from its beginning */
	uint64_t ran;	       /* ticks of the present run */
	uint64_t unknown;      /* ticks in which it may have run, too */
	uint64_t n_unknown;    /* intervals in which its state is not known */
};

struct series {
	struct subjects durations[N_DURATION_KINDS];
	struct subjects amounts[N_AMOUNT_KINDS];
	struct subjects threads;
	struct roles roles;
	bool has_partial_locks; /* a lock may be taken without an event */
	uint64_t width;		/* ticks of a part */
	const struct scan *scan;
};

/* Becomes an observer of a scan that is about to run. */
void series_init(struct series *series, struct scan *scan);
/* Called after the scan. Returns false if memory ran out. */
bool series_settle(struct series *series);
void series_done(struct series *series);

/* "run", "latency", …, "wait for lock"; static text. */
const char *duration_name(unsigned kind);
/* The greatest total that fits the recording; the total itself if the recording tells all. */
uint64_t amount_most(const struct series *series, unsigned kind, const struct amount *amount);

/* "load", "interrupt", "event". */
const char *amount_name(unsigned kind);

/*
 * The number of whole parts of the window, and their amounts as a histogram. An amount is in trillionths of
 * the time of a part, or in events per 1,000 seconds (per 10^12 ticks if the frequency is not known).
 */
size_t series_n_parts(const struct series *series);
double amount_scale(const struct series *series, unsigned kind); /* of one in one tick */
bool amount_spread(const struct series *series, unsigned kind, const struct amount *amount,
	struct histogram *ret_histogram);

#endif
