/* SPDX-License-Identifier: MIT */
/* The events of a LOG_EVENTS block, packed or not, one by one and without trust. */
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
 * Whether body, of a block with these flags (LOG_BLOCK_PACKED, or none), is well formed as far as its head shows; the events
 * themselves are checked one by one.
 */
bool log_events_begin(struct log_events_cursor *cursor, const unsigned char *body, size_t length,
	uint32_t flags, struct log_events *ret_head);

/* The same for n_events from events to end, the first with these ticks. */
void log_events_start(struct log_events_cursor *cursor, const unsigned char *events, const unsigned char *end,
	uint32_t n_events, uint64_t first_ticks, bool is_packed);

/*
 * The next event, copied, and its data, borrowed. False at the end, or where the rest is not well formed (n_left is
 * not 0 then).
 */
bool log_events_next(
	struct log_events_cursor *cursor, struct log_event *ret_event, const unsigned char **ret_data);

#endif
