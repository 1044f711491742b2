/* SPDX-License-Identifier: MIT */
#include "log/events.h"

#include <string.h>

void log_events_start(struct log_events_cursor *cursor, const unsigned char *events, const unsigned char *end,
	uint32_t n_events, uint64_t first_ticks, bool is_packed)
{
	cursor->at = events;
	cursor->end = end;
	cursor->n_left = n_events;
	cursor->is_packed = is_packed;
	log_tables_begin(&cursor->tables, first_ticks);
}

bool log_events_begin(struct log_events_cursor *cursor, const unsigned char *body, size_t length,
	uint32_t flags, struct log_events *ret_head)
{
	const bool is_packed = flags & LOG_BLOCK_PACKED;
	const size_t n_least = is_packed ? LOG_PACKED_MIN : sizeof(struct log_event);

	if (length < sizeof(*ret_head))
		return false;
	memcpy(ret_head, body, sizeof(*ret_head));
	if (ret_head->n_events > (length - sizeof(*ret_head)) / n_least)
		return false;
	log_events_start(cursor, body + sizeof(*ret_head), body + length, ret_head->n_events,
		ret_head->first_ticks, is_packed);
	return true;
}

static bool next_packed(
	struct log_events_cursor *cursor, struct log_event *ret_event, const unsigned char **ret_data)
{
	const size_t n =
		log_unpack(&cursor->tables, cursor->at, (size_t)(cursor->end - cursor->at), ret_event);

	cursor->at += n;
	*ret_data = cursor->at - (n ? ret_event->length : 0);
	return n != 0;
}

static bool next_plain(
	struct log_events_cursor *cursor, struct log_event *ret_event, const unsigned char **ret_data)
{
	const size_t left = (size_t)(cursor->end - cursor->at);

	if (left < sizeof(*ret_event))
		return false;
	memcpy(ret_event, cursor->at, sizeof(*ret_event));
	if (log_event_bytes(ret_event->length) > left)
		return false;
	*ret_data = cursor->at + sizeof(*ret_event);
	cursor->at += log_event_bytes(ret_event->length);
	return true;
}

bool log_events_next(
	struct log_events_cursor *cursor, struct log_event *ret_event, const unsigned char **ret_data)
{
	if (!cursor->n_left || !(cursor->is_packed ? next_packed(cursor, ret_event, ret_data)
						   : next_plain(cursor, ret_event, ret_data)))
		return false;
	cursor->n_left--;
	return true;
}
