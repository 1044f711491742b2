/* SPDX-License-Identifier: MIT */
/*
 * Measures how long messages lay in a queue, from the moments at which they were sent, oldest first. The
 * oldest message is taken to leave first, so a message that was sent to the front leaves with the age of
 * another one. Levels in the recording correct missed messages.
 */
#ifndef ANALYSIS_STATS_AGES_H
#define ANALYSIS_STATS_AGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limit.h"

enum {
	AGES_MAX = LIMIT(4096, 16)
}; /* messages of one queue whose moments are known; for more, no moment is known */

struct ages {
	uint64_t *sent; /* a ring of room; NULL before the first message */
	size_t first, n, room;
	uint64_t n_unknown; /* older messages, whose moments are not known */
	uint64_t n_waiting; /* receivers that wait: the next message is not put in */
};

/* A message was sent. Returns false if memory ran out. */
bool ages_send(struct ages *ages, uint64_t at);

/* A message was taken out. Returns true if *ret_age is how long it lay there. */
bool ages_receive(struct ages *ages, uint64_t at, uint64_t *ret_age);

/* A receiver waits, as the queue has no message. */
void ages_wait(struct ages *ages);

/* Sets the number of messages in the queue. */
void ages_level(struct ages *ages, uint64_t level);

/* The content of the queue is not known any more. */
void ages_forget(struct ages *ages);

void ages_done(struct ages *ages);

#endif
