/* SPDX-License-Identifier: MIT */
#include "record/buffer/rare.h"
#include "record/posix/stream.h"
#include <errno.h>
#include <string.h>
#include <trace_hook_np.h>

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
 * The new filter holds from here on: events behind the FILTER event obey it, and so does the FILTER event
 * itself (choice 9). It is recorded for every call, whether the call changes the filter or not (choice 15).
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

_Static_assert(
	sizeof(struct posix_trace_hooks_np) == POOL_HOOK_WORDS * sizeof(uint64_t), "hooks are a bit each");

/* Before the version, which the consumer loads first. */
static void session_note(struct stream *stream, const uint64_t words[POOL_HOOK_WORDS])
{
	static const uint32_t modes[] = { [POSIX_TRACE_LOOP] = LOG_SESSION_CIRCULAR,
		[POSIX_TRACE_UNTIL_FULL] = LOG_SESSION_SINGLE,
		[POSIX_TRACE_FLUSH] = LOG_SESSION_ALTERNATE };
	struct log_session *session = &stream->ctl->session;

	session->mode = modes[stream->pool.policy];
	session->channels = 0;
	for (uint32_t channel = 0; channel < POSIX_TRACE_CHANNELS_NP; channel++)
		if (pool_wants(&stream->pool, POSIX_TRACE_HOOK_TYPE_NP(channel, 4)) ||
			pool_wants(&stream->pool, POSIX_TRACE_HOOK_TYPE_NP(channel, 8)))
			session->channels |= 1u << channel;
	memcpy(session->left_out, words, sizeof(session->left_out));
	atomic_fetch_add(&stream->ctl->session_version, 1);
}

int posix_trace_set_hooks_np(trace_id_t trid, const struct posix_trace_hooks_np *disabled)
{
	struct stream *stream = disabled ? stream_get(trid, STREAM_LIVE) : NULL;
	uint64_t words[POOL_HOOK_WORDS];

	if (!stream)
		return EINVAL;
	for (unsigned int i = 0; i < POOL_HOOK_WORDS; i++)
		words[i] = disabled->posix_hook_word[i];
	pool_set_hooks(&stream->pool, words);
	session_note(stream, words);
	stream_put(stream);
	return 0;
}

int posix_trace_get_hooks_np(trace_id_t trid, struct posix_trace_hooks_np *ret_disabled)
{
	struct stream *stream = ret_disabled ? stream_get(trid, STREAM_LIVE) : NULL;

	if (!stream)
		return EINVAL;
	for (unsigned int i = 0; i < POOL_HOOK_WORDS; i++)
		ret_disabled->posix_hook_word[i] =
			atomic_load_explicit(&stream->pool.shared->hook_filter[i], memory_order_relaxed);
	stream_put(stream);
	return 0;
}

int posix_trace_set_rare_np(
	trace_id_t trid, const struct posix_trace_hooks_np *common, const struct posix_trace_hooks_np *rare)
{
	struct stream *stream = common && rare ? stream_get(trid, STREAM_LIVE) : NULL;
	uint64_t words[2][POOL_HOOK_WORDS];
	int error = EINVAL;

	if (!stream)
		return EINVAL;
	for (unsigned int i = 0; i < POOL_HOOK_WORDS; i++) {
		words[0][i] = common->posix_hook_word[i];
		words[1][i] = rare->posix_hook_word[i];
	}
	if (stream->pool.rare) {
		rare_set(&stream->pool, words[0], words[1]);
		error = 0;
	}
	stream_put(stream);
	return error;
}

int posix_trace_get_rare_np(trace_id_t trid, struct posix_trace_rings_np *ret_rings)
{
	struct stream *stream = ret_rings ? stream_get(trid, STREAM_LIVE) : NULL;
	int error = EINVAL;

	if (!stream)
		return EINVAL;
	if (stream->pool.rare) {
		for (unsigned int i = 0; i < POOL_HOOK_WORDS; i++)
			ret_rings->posix_common_hooks.posix_hook_word[i] =
				atomic_load_explicit(&stream->pool.rare->common[i], memory_order_relaxed);
		ret_rings->posix_common_lost = pool_ring_lost(&stream->pool, POOL_COMMON);
		ret_rings->posix_rare_lost = pool_ring_lost(&stream->pool, POOL_RARE);
		error = 0;
	}
	stream_put(stream);
	return error;
}
