/* SPDX-License-Identifier: MIT */
/*
 * What the survey makes of time stamps: which way the clock runs, where it wraps, and which stamps have a wrong bit.
 *
 * Most stamps lie on the same side of the one before as that one did, and not far from it. Of such plain steps the survey only counts how
 * many there were, and tells it here before the next other one.
 */
#ifndef THREADX_STAMPS_H
#define THREADX_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

struct tx_stamps {
	uint64_t n_events;
	uint64_t n_rises, n_falls;
	uint64_t n_far, n_near; /* falls of more than half a second, and of less */
	uint64_t first, last, largest;
	uint64_t last_but_one;
	uint64_t n_flipped;					       /* with a wrong bit, as it seems */
	enum tx_step { TX_STEP_LEVEL, TX_STEP_UP, TX_STEP_DOWN } step; /* to the last stamp */
};

/* Plain steps: those from least on, modulo 2^64, n of them. */
struct tx_plain_steps {
	uint64_t least, n;
};

/* rises_below: steps that are so large are not plain; may_fall: steps down can be. */
struct tx_plain_steps tx_stamps_plain(const struct tx_stamps *stamps, uint64_t rises_below, bool may_fall);

/* Of stamps with a bit 63 a step that wraps looks like a small one. Constant has_high_bit costs the others nothing. */
static inline bool tx_step_is_plain(
	struct tx_plain_steps plain, uint64_t last, uint64_t stamp, bool has_high_bit)
{
	const uint64_t step = stamp - last;

	return step - plain.least < plain.n && (!has_high_bit || (stamp > last) == (plain.least == 1));
}

/* n plain steps were taken, to these two in the end. */
void tx_stamps_pass(struct tx_stamps *stamps, uint64_t n, uint64_t last_but_one, uint64_t last);

/* A new run begins with this stamp, which is to be seen next: the step to it says nothing of the clock. */
void tx_stamps_begin_run(struct tx_stamps *stamps, uint64_t stamp);

/* The next stamp, whatever it is. */
void tx_stamps_see(struct tx_stamps *stamps, uint64_t stamp, uint64_t mask);

#endif
