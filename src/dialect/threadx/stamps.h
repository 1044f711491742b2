/* SPDX-License-Identifier: MIT */
/*
 * The survey's statistics of time stamps: which way the clock runs, where it wraps, and which stamps have a
 * wrong bit.
 *
 * Most stamps step in the same direction as the stamp before, and not far. The survey only counts such plain
 * steps, and passes the count to this file before the next step that is not plain.
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
	uint64_t n_flipped;					       /* that seem to have a wrong bit */
	enum tx_step { TX_STEP_LEVEL, TX_STEP_UP, TX_STEP_DOWN } step; /* to the last stamp */
};

/* The n steps from least on, modulo 2^64, are plain. */
struct tx_plain_steps {
	uint64_t least, n;
};

/* rises_below: steps of this size or larger are not plain; may_fall: steps down can be plain. */
struct tx_plain_steps tx_stamps_plain(const struct tx_stamps *stamps, uint64_t rises_below, bool may_fall);

/*
 * If stamps have a bit 63, a step that wraps looks like a small one. A constant has_high_bit costs other
 * stamps nothing.
 */
static inline bool tx_step_is_plain(
	struct tx_plain_steps plain, uint64_t last, uint64_t stamp, bool has_high_bit)
{
	const uint64_t step = stamp - last;

	return step - plain.least < plain.n && (!has_high_bit || (stamp > last) == (plain.least == 1));
}

/* Takes n plain steps, which end in these two stamps. */
void tx_stamps_pass(struct tx_stamps *stamps, uint64_t n, uint64_t last_but_one, uint64_t last);

/*
 * Begins a new run with this stamp, which tx_stamps_see() gets next. The step to it shows nothing about the
 * clock.
 */
void tx_stamps_begin_run(struct tx_stamps *stamps, uint64_t stamp);

/* Takes the next stamp, whatever it is. */
void tx_stamps_see(struct tx_stamps *stamps, uint64_t stamp, uint64_t mask);

#endif
