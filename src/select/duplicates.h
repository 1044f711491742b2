/* SPDX-License-Identifier: MIT */
/* Events that several files of one trace have: the same type, context, core and payload at the same time. */
#ifndef SELECT_DUPLICATES_H
#define SELECT_DUPLICATES_H

#include <rastrum/rastrum.h>

/* The limits of what is kept for one moment; further events of that moment count as new. */
enum { DUPLICATES_EVENTS_MAX = 4096, DUPLICATES_BYTES_MAX = 1 << 20 };

struct duplicate;

/* A struct of zeros: no event has come yet. */
struct duplicates {
	uint64_t moment; /* of the events that are kept */
	struct duplicate *items;
	size_t n_items, room;
	uint8_t *bytes; /* their payloads */
	size_t n_bytes, bytes_room;
	uint64_t n_removed;
};

/*
 * Returns whether an equal event, perhaps of another trace, has come at the same moment, and counts it then.
 * Otherwise the event is kept, if there is memory for it. The data that it points to must live as long.
 */
bool duplicates_have(
	struct duplicates *duplicates, uint64_t moment, const struct rst_batch *batch, size_t row);
void duplicates_done(struct duplicates *duplicates);

#endif
