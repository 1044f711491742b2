/* SPDX-License-Identifier: MIT */
/*
 * Sets of event types: bit n is type n. An uninitialised set cannot be detected. The full set has the bits of
 * types that are opened later, too.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <trace.h>

enum { WORD_BITS = 64 };

static bool is_type(trace_event_id_t id)
{
	return id > 0 && id < WORD_BITS * (sizeof(trace_event_set_t) / sizeof(unsigned long long));
}

static unsigned long long type_bit(trace_event_id_t id)
{
	return 1ull << id % WORD_BITS;
}

int posix_trace_eventset_empty(trace_event_set_t *set)
{
	if (!set)
		return EINVAL;
	memset(set, 0, sizeof(*set));
	return 0;
}

/* No system event is independent of processes: WOPID is empty. */
int posix_trace_eventset_fill(trace_event_set_t *set, int what)
{
	if (!set || what < POSIX_TRACE_WOPID_EVENTS || what > POSIX_TRACE_ALL_EVENTS)
		return EINVAL;
	memset(set, what == POSIX_TRACE_ALL_EVENTS ? 0xff : 0, sizeof(*set));
	if (what != POSIX_TRACE_WOPID_EVENTS)
		set->posix_trace_word[0] = ~1ull;
	return 0;
}

int posix_trace_eventset_add(trace_event_id_t id, trace_event_set_t *set)
{
	if (!set || !is_type(id))
		return EINVAL;
	set->posix_trace_word[id / WORD_BITS] |= type_bit(id);
	return 0;
}

int posix_trace_eventset_del(trace_event_id_t id, trace_event_set_t *set)
{
	if (!set || !is_type(id))
		return EINVAL;
	set->posix_trace_word[id / WORD_BITS] &= ~type_bit(id);
	return 0;
}

int posix_trace_eventset_ismember(
	trace_event_id_t id, const trace_event_set_t *restrict set, int *restrict ret_is_member)
{
	if (!set || !ret_is_member || !is_type(id))
		return EINVAL;
	*ret_is_member = (set->posix_trace_word[id / WORD_BITS] & type_bit(id)) != 0;
	return 0;
}
