/* SPDX-License-Identifier: MIT */
/*
 * Messages: which event took a message out of a queue, and which event put it in. A queue gives its messages
 * in the order in which it got them. The level of a queue, if it is recorded, shows how many messages were in
 * it before, and how many were taken unseen. A loss makes the messages sent before it unknown.
 */
#ifndef VIEW_SESSION_MESSAGES_H
#define VIEW_SESSION_MESSAGES_H

#include "analysis/scan.h"
#include "tracks/tracks.h"

enum {
	MESSAGES_QUEUES_MAX = LIMIT(65536, 8), /* watched queues; others have no messages */
	MESSAGES_PENDING_MAX = 1024,	       /* in one queue; beyond that, the oldest are dropped */
	MESSAGES_BLOCK = 1024
};

struct message {
	uint64_t sent, received;	  /* ticks */
	uint64_t sent_seq, received_seq;  /* sequence numbers */
	uint32_t sender, receiver, queue; /* numbers of entities of the tracks */
};

struct messages {
	struct tracks *tracks; /* it uses their entities and pages */
	struct map queues;
	uint64_t factor; /* map_factor() */
	struct arena arena;
	size_t n_queues;
	struct message **blocks; /* of MESSAGES_BLOCK, in the order of receipt */
	size_t n_blocks, room;
	uint64_t n;
	uint64_t n_losses; /* so far */
};

/* Becomes an observer of a scan that is about to run. Call messages_done() in any case. */
void messages_init(struct messages *messages, struct scan *scan, struct tracks *tracks);
void messages_done(struct messages *messages);

/* Drops all messages that were sent before this row and not received yet. */
void messages_forget(struct messages *messages);

const struct message *messages_at(const struct messages *messages, uint64_t n);

/*
 * Returns the number of the first message received at `ticks` or later, or messages->n without such a
 * message.
 */
uint64_t messages_find(const struct messages *messages, uint64_t ticks);

#endif
