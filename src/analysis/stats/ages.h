/* SPDX-License-Identifier: MIT */
/*
 * How long messages lay in a queue: the moments at which they were put in, oldest first. A message leaves as the oldest one,
 * so what is sent to the front gives another one's age. Levels that the recording has correct what was missed.
 */
#ifndef ANALYSIS_STATS_AGES_H
#define ANALYSIS_STATS_AGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limit.h"

enum {
	AGES_MAX = LIMIT(4096, 16)
}; /* messages of one queue whose moments are known; of those beyond, none is */

struct ages {
	uint64_t *sent; /* a ring of room; NULL: none yet */
	size_t first, n, room;
	uint64_t n_unknown; /* older messages, whose moments are not known */
	uint64_t n_waiting; /* receivers that wait: the next message is not put in */
};

/* A message was sent. Returns false if memory ran out. */
bool ages_send(struct ages *ages, uint64_t at);

/* One was taken out; true if *ret_age is how long it lay there. */
bool ages_receive(struct ages *ages, uint64_t at, uint64_t *ret_age);

/* A receiver waits, as there is none. */
void ages_wait(struct ages *ages);

/* So many are in the queue. */
void ages_level(struct ages *ages, uint64_t level);

/* What is in the queue is not known any more. */
void ages_forget(struct ages *ages);

void ages_done(struct ages *ages);

#endif
