/* SPDX-License-Identifier: MIT */
#include "record/posix/stream.h"
#include <errno.h>

_Static_assert(sizeof(trace_event_set_t) == POOL_FILTER_WORDS * sizeof(uint64_t), "a filter is a set");

void stream_filter(const struct stream *stream, trace_event_set_t *ret_set)
{
	for (unsigned int i = 0; i < POOL_FILTER_WORDS; i++)
		ret_set->posix_trace_word[i] =
			atomic_load_explicit(&stream->pool.shared->filter[i], memory_order_relaxed);
}

int posix_trace_get_filter(trace_id_t trid, trace_event_set_t *ret_set)
{
	struct stream *stream = stream_get(trid, STREAM_LIVE);

	if (!stream)
		return EINVAL;
	stream_filter(stream, ret_set);
	stream_put(stream);
	return 0;
}

static uint64_t word_set(uint64_t old, uint64_t word)
{
	(void)old;
	return word;
}

static uint64_t word_add(uint64_t old, uint64_t word)
{
	return old | word;
}

static uint64_t word_subtract(uint64_t old, uint64_t word)
{
	return old & ~word;
}

static uint64_t (*const combinations[])(uint64_t old, uint64_t word) = {
	[POSIX_TRACE_SET_EVENTSET] = word_set,
	[POSIX_TRACE_ADD_EVENTSET] = word_add,
	[POSIX_TRACE_SUB_EVENTSET] = word_subtract,
};

/*
 * The new filter holds from here on: events behind the FILTER event obey it, and so does the FILTER event itself
 * (choice 9). It is recorded for every call, whether the call changes the filter or not (choice 15).
 */
static void filter_change(struct stream *stream, const trace_event_set_t *set, int how, const void *address)
{
	struct pool_shared *shared = stream->pool.shared;
	trace_event_set_t change[2]; /* old, new */
	uint64_t words[POOL_FILTER_WORDS];

	stream_filter(stream, &change[0]);
	for (unsigned int i = 0; i < POOL_FILTER_WORDS; i++) {
		words[i] = combinations[how](change[0].posix_trace_word[i], set->posix_trace_word[i]);
		change[1].posix_trace_word[i] = words[i];
	}
	pool_set_filter(&stream->pool, words);
	if (atomic_load(&shared->state) == POOL_RUNNING)
		stream_record(stream, POSIX_TRACE_FILTER, address, change, sizeof change);
}

int posix_trace_set_filter(trace_id_t trid, const trace_event_set_t *set, int how)
{
	struct stream *stream;

	if (!set || how < POSIX_TRACE_SET_EVENTSET || how > POSIX_TRACE_SUB_EVENTSET)
		return EINVAL;
	stream = stream_get(trid, STREAM_LIVE);
	if (!stream)
		return EINVAL;
	filter_change(stream, set, how, __builtin_return_address(0));
	stream_put(stream);
	return 0;
}
