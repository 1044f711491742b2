/* SPDX-License-Identifier: MIT */
/*
 * Converts recorded stamps to ticks that never wrap. A stamp counts modulo some number, up or down; each step
 * adds the distance in that direction. If the clock wraps more than once between neighbours, this cannot be
 * seen and is ignored.
 *
 * Stamps may also step back a little without a wrap (taken before a lock on another core, or in an interrupt
 * that came between stamp and store). If the modulus is large, a step back of less than a 256th of it counts
 * as no wrap, and moves the ticks back as well. Otherwise it would put almost a whole wrap between two
 * neighbours.
 */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

struct clock {
	uint64_t modulus; /* stamps are below it; 0 means 2^64 */
	uint64_t jitter;  /* a step back of less than this is no wrap */
	uint64_t n_back;  /* such steps so far */
	uint64_t stamp;	  /* the last one */
	uint64_t ticks;	  /* its unwrapped time */
	bool is_down;
	bool is_running; /* false until the first stamp, whose ticks are its own value … */
	bool is_anew;	 /* … unless a new run begins with it: then its ticks are `ticks` */
};

void clock_init(struct clock *clock, uint64_t modulus, bool is_down);

/* Begins a new run: the next stamp, whatever its value, has these ticks. */
static inline void clock_begin_run(struct clock *clock, uint64_t ticks)
{
	clock->is_running = false;
	clock->is_anew = true;
	clock->ticks = ticks;
}

/* The distance from the last stamp to this one, both below the modulus, in the direction of the clock. */
static inline uint64_t clock_step(const struct clock *clock, uint64_t stamp)
{
	check(!clock->modulus || stamp < clock->modulus);
	uint64_t ahead = clock->is_down ? clock->stamp - stamp : stamp - clock->stamp;
	bool is_wrapped = clock->is_down ? stamp > clock->stamp : stamp < clock->stamp;

	return is_wrapped ? ahead + clock->modulus : ahead;
}

/* The ticks of the next stamp (below the modulus) of the sequence. */
static inline uint64_t clock_ticks(struct clock *clock, uint64_t stamp)
{
	if (!clock->is_running) {
		clock->is_running = true;
		clock->ticks = clock->is_anew ? clock->ticks : stamp;
	} else {
		uint64_t step = clock_step(clock, stamp), back = clock->modulus - step;

		if (__builtin_expect(back <= clock->jitter && step != 0, 0)) {
			clock->n_back++;
			clock->ticks -= back < clock->ticks ? back : clock->ticks;
		} else {
			clock->ticks += step;
		}
	}
	clock->stamp = stamp;
	return clock->ticks;
}

/*
 * Whether this stamp (below the modulus) is earlier than the last one: the way back is shorter than the way
 * forward.
 */
static inline bool clock_is_behind(const struct clock *clock, uint64_t stamp)
{
	const uint64_t step = clock_step(clock, stamp);

	return clock->is_running && step != 0 && clock->modulus - step < step;
}

/*
 * A clock for stamps that never wrap. In the first run, stamps are ticks; in a later run, their distances
 * are.
 */
struct run_clock {
	bool is_shifted;       /* this is not the first run */
	bool is_due;	       /* the next stamp begins a run, at `ticks` */
	uint64_t stamp, ticks; /* the first stamp of the run, and its ticks */
};

/* Begins a new run: the next stamp, whatever its value, has these ticks. */
static inline void run_clock_begin(struct run_clock *clock, uint64_t ticks)
{
	*clock = (struct run_clock){ .is_shifted = true, .is_due = true, .ticks = ticks };
}

/* The ticks in a later run, limited to the range of ticks. */
uint64_t run_clock_shifted(struct run_clock *clock, uint64_t stamp);

static inline uint64_t run_clock_ticks(struct run_clock *clock, uint64_t stamp)
{
	return __builtin_expect(clock->is_shifted, 0) ? run_clock_shifted(clock, stamp) : stamp;
}

/*
 * Converts ticks at hz per second to nanoseconds, exact to the nanosecond. The result saturates after 584
 * years.
 */
uint64_t clock_ns(uint64_t ticks, uint64_t hz);

/* Converts nanoseconds to ticks, rounded down. */
uint64_t clock_ticks_of_ns(uint64_t ns, uint64_t hz);

#endif
