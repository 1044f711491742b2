/* SPDX-License-Identifier: MIT */
/*
 * Value Change Dump (IEEE 1364, clause 18), as GTKWave reads it. States and owners are variables of type
 * string, an extension that GTKWave and its converters support.
 *
 *	threads      a wire, 1 while it runs, and its state as text
 *	cores        what runs, as text
 *	locks        the owner, as text
 *	levels       a number: an integer; "reg", which has no sign, for those from 2^63 on; "real"
 *	interrupts   a wire
 *	machines     the state, as text
 *
 * A value that is unknown or lost is x. Signals are kept until the end of the trace, since the next change of
 * any signal is known only then; they are merged in the order of time.
 */
#ifndef EXPORT_VCD_H
#define EXPORT_VCD_H

#include "analysis/subjects.h"
#include "base/text.h"
#include "export/chain.h"
#include "export/export.h"
#include "export/words.h"

struct vcd_scope {
	const char *name;
	const char *type; /* of its other variable: "string", "integer"; NULL without one */
	bool has_wire;	  /* while the interval is running, held, … */
	const char *idle; /* its text outside of intervals; NULL means x */
	const char *noun; /* in front of numbers, or NULL */
};

/* By kind of interval; kinds without a name are left out. */
extern const struct vcd_scope vcd_scopes[RST_N_INTERVAL_KINDS];

enum { VCD_IS_ON = 1, VCD_IS_KNOWN = 2, VCD_IS_SIGNED = 4, VCD_IS_REAL = 8 }; /* flags of what is kept */

/* If intervals overlap, as with a shared lock, each overlapping one gets a signal of its own. */
struct vcd_signal {
	struct subject subject; /* of the first lane */
	enum rst_interval_kind kind;
	unsigned lane;
	struct vcd_signal *next_lane;
	struct chain chain;
	uint64_t to;				/* of the last interval */
	bool has_real, has_negative, has_large; /* among the values of a level; large: from 2^63 on */
	/* Of the merge. */
	struct chain_cursor cursor; /* at the interval that begins next */
	uint64_t at;		    /* its next change */
	size_t number;
};

struct vcd {
	struct export *export;
	struct subjects subjects[RST_N_INTERVAL_KINDS];
	struct words words;
	struct pages pages;
	struct table names;
	struct vcd_signal **heap; /* those that still change: the next one first */
	size_t n_heap, n_signals, room;
	uint64_t ticks_are; /* units in one tick; 0: times are rounded nanoseconds */
};

/* Whether its numbers are real: some are, or no integer of 64 bits has room for all of them. */
static inline bool vcd_is_real(const struct vcd_signal *signal)
{
	return signal->has_real || (signal->has_negative && signal->has_large);
}

/* The time of a moment, in the unit of the file. */
static inline uint64_t vcd_time(const struct export *export, uint64_t ticks)
{
	const struct vcd *vcd = export->state;
	const struct times *times = &export->scan->times;

	if (!vcd->ticks_are)
		return times_ns(times, ticks);
	return ticks > times->first ? (ticks - times->first) * vcd->ticks_are : 0;
}

/* vcd_changes.c: all changes, behind the heading. */
void vcd_put_changes(struct export *export);

/* The short name of a variable in the changes: of a signal's wire, or of its text or number. */
char *vcd_put_code(char *p, const struct vcd_signal *signal, bool is_wire);

/* A name as one word. */
char *vcd_put_word(char *p, struct text text);

#endif
