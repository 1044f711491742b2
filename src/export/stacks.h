/* SPDX-License-Identifier: MIT */
/*
 * Stacks over time: the spans that a thread was in (outer ones first) and its state there; or what a core
 * ran.
 *
 *	spans    |---- handle request ----|        slices   from  to   frames
 *	            |-- parse --|                            0    3    handle request, running
 *	state    running  |waiting  |running                 3    9    handle request, parse, running
 *	                                                      9   13    handle request, parse, waiting (lock): resource
 *
 * Spans are known at their ends, inner ones first. So everything is kept until the end of the trace and read
 * backwards: then outer spans come first.
 */
#ifndef EXPORT_STACKS_H
#define EXPORT_STACKS_H

#include "analysis/scan.h"
#include "analysis/subjects.h"
#include "export/chain.h"
#include "export/words.h"

enum { STACK_FRAMES = 128 }; /* inner ones beyond are left out */

enum stack_kind { STACK_THREADS, STACK_CORES, N_STACK_KINDS };

/* The intervals that stacks are made of. */
#define STACK_INTERVALS \
	(SCAN_BIT(RST_INTERVAL_THREAD) | SCAN_BIT(RST_INTERVAL_CORE) | SCAN_BIT(RST_INTERVAL_SPAN))

struct stack_owner {
	struct subject subject;
	struct chain states, spans;
};

/* All zero is an empty struct. */
struct stacks {
	struct subjects owners[N_STACK_KINDS];
	struct words words; /* of frames */
	struct pages pages;
	struct table names; /* memory for names of owners */
};

/* Two frames are one and the same where both parts are equal. */
struct frame {
	uint32_t word;
	uint64_t from;
};

struct slice {
	uint64_t from, to;
	unsigned n_frames;
	struct frame frames[STACK_FRAMES];
	uint64_t value; /* enum rst_state; RST_N_STATES if no state is known */
};

/* Keeps a piece of STACK_INTERVALS. Returns false if memory ran out. */
bool stacks_keep(struct stacks *stacks, const struct piece *piece);

/*
 * Gives the slices of an owner to take(), the last one first. If take() returns false, stops and returns
 * false.
 */
bool stacks_walk(const struct stack_owner *owner, bool (*take)(void *context, const struct slice *slice),
	void *context);

/* The name of an owner: "low", or "core 0". Returns false if memory ran out. */
bool stacks_name(struct stacks *stacks, enum stack_kind kind, size_t n, struct text *ret_name);

void stacks_done(struct stacks *stacks);

#endif
