/* SPDX-License-Identifier: MIT */
/*
 * Messages: which event took out of a queue what another one put in. A queue gives its messages in the order in which it got them;
 * what recordings tell of its level says how many were in it before, and what was taken unseen. Behind a loss nothing is
 * known of what was sent before it.
 */
#ifndef VIEW_SESSION_MESSAGES_H
#define VIEW_SESSION_MESSAGES_H

#include "analysis/scan.h"
#include "store/tracks.h"

enum {
	MESSAGES_QUEUES_MAX = LIMIT(65536, 8), /* that are watched; messages of the others are not drawn */
	MESSAGES_PENDING_MAX = 1024,	       /* in one queue; of more, the oldest are forgotten */
	MESSAGES_BLOCK = 1024
};

struct message {
	uint64_t sent, received;	  /* ticks */
	uint64_t sent_seq, received_seq;  /* sequence numbers */
	uint32_t sender, receiver, queue; /* numbers of entities of the tracks */
};

struct messages {
	struct observer observer;
	struct tracks *tracks; /* whose entities and pages are used */
	struct map queues;
	uint64_t factor; /* map_factor() */
	struct arena arena;
	size_t n_queues;
	struct message **blocks; /* of MESSAGES_BLOCK, in the order in which they were received */
	size_t n_blocks, room;
	uint64_t n;
	uint64_t n_losses; /* that have come so far */
};

/* Prepares the observer; messages_done() is due in any case. */
void messages_init(struct messages *messages, struct tracks *tracks);
void messages_done(struct messages *messages);

/* Behind this row nothing that was sent before it is waited for. */
void messages_forget(struct messages *messages);

const struct message *messages_at(const struct messages *messages, uint64_t n);

/* The number of the first message that was received at this moment or later; messages->n: there is none. */
uint64_t messages_find(const struct messages *messages, uint64_t ticks);

#endif
