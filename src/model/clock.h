/* SPDX-License-Identifier: MIT */
/*
 * From recorded stamps to ticks that never wrap. A stamp counts modulo some number, up or down; each step adds the
 * distance in that direction. More than one wrap between neighbours looks like none: we take none.
 *
 * Stamps may also step back a little without a wrap (taken before a lock on another core, or in an interrupt that
 * came between stamp and store). Where the modulus is large, a step back of less than a 256th of it is such a one
 * and moves the ticks back as well; it would otherwise put almost a whole wrap between two neighbours.
 */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

struct clock {
	uint64_t modulus; /* stamps are below it; 0: 2^64 */
	uint64_t jitter;  /* a step back of less than this is no wrap */
	uint64_t n_back;  /* such steps so far */
	uint64_t stamp;	  /* last one seen */
	uint64_t ticks;	  /* its unwrapped time */
	bool is_down;
	bool is_running; /* false until the first stamp, whose ticks are its own value … */
	bool is_anew;	 /* … unless a new run begins with it: then they are those that are here */
};

void clock_init(struct clock *clock, uint64_t modulus, bool is_down);

/* A new run begins: the next stamp, whatever it is, is at these ticks. */
static inline void clock_begin_run(struct clock *clock, uint64_t ticks)
{
	clock->is_running = false;
	clock->is_anew = true;
	clock->ticks = ticks;
}

/* Distance from the last stamp to this one, both below the modulus, in the clock's direction. */
static inline uint64_t clock_step(const struct clock *clock, uint64_t stamp)
{
	check(!clock->modulus || stamp < clock->modulus);
	uint64_t ahead = clock->is_down ? clock->stamp - stamp : stamp - clock->stamp;
	bool is_wrapped = clock->is_down ? stamp > clock->stamp : stamp < clock->stamp;

	return is_wrapped ? ahead + clock->modulus : ahead;
}

/* The unwrapped time of the next stamp (below the modulus) of the sequence. */
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

/* Whether this stamp (below the modulus) is nearer in front of the last one than behind it. */
static inline bool clock_is_behind(const struct clock *clock, uint64_t stamp)
{
	const uint64_t step = clock_step(clock, stamp);

	return clock->is_running && step != 0 && clock->modulus - step < step;
}

/* Stamps that need no unwrapping: of the first run they are the ticks, of a later one their distances are. */
struct run_clock {
	bool is_shifted;       /* this is not the first run */
	bool is_due;	       /* the next stamp begins a run, at `ticks` */
	uint64_t stamp, ticks; /* the first stamp of the run, and where it stands */
};

/* A new run begins: the next stamp, whatever it is, is at these ticks. */
static inline void run_clock_begin(struct run_clock *clock, uint64_t ticks)
{
	*clock = (struct run_clock){ .is_shifted = true, .is_due = true, .ticks = ticks };
}

/* The ticks of a later run; they stop at the ends of time. */
uint64_t run_clock_shifted(struct run_clock *clock, uint64_t stamp);

static inline uint64_t run_clock_ticks(struct run_clock *clock, uint64_t stamp)
{
	return __builtin_expect(clock->is_shifted, 0) ? run_clock_shifted(clock, stamp) : stamp;
}

/* Nanoseconds of a number of ticks at hz per second; exact to the nanosecond, saturates after 584 years. */
uint64_t clock_ns(uint64_t ticks, uint64_t hz);

/* The other way, rounded down: the tick that a moment falls into. */
uint64_t clock_ticks_of_ns(uint64_t ns, uint64_t hz);

#endif
