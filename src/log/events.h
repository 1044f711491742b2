/* SPDX-License-Identifier: MIT */
/* Reads the events of a LOG_EVENTS block, packed or not, one by one and without trust. */
#ifndef LOG_EVENTS_H
#define LOG_EVENTS_H

#include "log/format.h"
#include "log/pack.h"
#include <stdbool.h>
#include <stddef.h>

struct log_events_cursor {
	const unsigned char *at, *end;
	uint32_t n_left;
	bool is_packed;
	struct log_tables tables;
};

/*
 * Begins to read the body of a block with these flags (LOG_BLOCK_PACKED or 0). Returns false if its head
 * shows that it is not well formed; the events themselves are checked one by one.
 */
bool log_events_begin(struct log_events_cursor *cursor, const unsigned char *body, size_t length,
	uint32_t flags, struct log_events *ret_head);

/* Begins to read n_events from events to end; the first one has these ticks. */
void log_events_start(struct log_events_cursor *cursor, const unsigned char *events, const unsigned char *end,
	uint32_t n_events, uint64_t first_ticks, bool is_packed);

/*
 * Gives the next event, copied, and its data, borrowed. Returns false at the end, or if the rest is not well
 * formed; n_left is greater than 0 then.
 */
bool log_events_next(
	struct log_events_cursor *cursor, struct log_event *ret_event, const unsigned char **ret_data);

#endif
