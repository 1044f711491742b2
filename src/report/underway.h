/* SPDX-License-Identifier: MIT */
/*
 * What a thread is at work on, for $UNDERWAY: the value of the event that began the work. Only roles say what begins and
 * ends, whatever the dialect:
 *
 *	thread   event                             $UNDERWAY
 *	A        begins, object m, value 7         7
 *	B        anything                          empty
 *	A        anything                          7
 *	A        ends, object m                    7
 *	A        anything                          empty
 *
 * A thread has one piece of work, the one begun last. Behind loss or damage nothing is known of any of them. Rows are
 * followed as far as a template asks, the others at the end of their batch, and none where no template can ask.
 */
#ifndef REPORT_UNDERWAY_H
#define REPORT_UNDERWAY_H

#include <rastrum/trace.h>

#include "base/outbuf.h"
#include "template/set.h"
#include "template/value.h"

struct work {
	const struct rst_field *field; /* of its value; NULL: none is under way */
	uint64_t value;
	uint64_t object; /* that it is on; 0: not said */
	uint64_t seq;	 /* where it began: names are looked up by it */
	uint64_t n_gaps; /* before that place */
};

struct underway {
	bool is_wanted;
	struct work *works; /* by index of the thread's context */
	size_t works_room;
	uint8_t *
		concerns; /* by index of a type: whether its events begin or end anything, or not known yet */
	size_t concerns_room;
	size_t n_rows; /* of the batch that have been followed */
	uint64_t n_gaps;
	const struct set_off *set_off; /* around names in answers; NULL: set_off_quotes */
	struct outbuf room;	       /* for … */
	struct text text;	       /* … the last answer */
	bool is_answered;	       /* it is that of the row behind those */
	bool has_no_memory;
};

/* For a trace whose events read by these templates. false when memory ran out; underway_done() is due all the same. */
bool underway_init(struct underway *underway, const struct template_set *templates);
void underway_done(struct underway *underway);

/* What the thread of this row is at work on, which holds until the next question; no bytes: nothing that is known. */
struct text underway_text(
	struct underway *underway, struct rst_trace *trace, const struct rst_batch *batch, size_t row);

/* The batch has been reported; another comes. false when memory ran out since the one before it. */
bool underway_end_batch(struct underway *underway, const struct rst_batch *batch);

#endif
