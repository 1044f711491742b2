/* SPDX-License-Identifier: MIT */
/*
 * Start, stop, clear and flush (XSH 2.11.2.1). All run under the stream's lock; but trace points stop a full
 * stream, and its reader starts it again when it is empty, without that lock: so states change by
 * compare-and-swap.
 */
#include "record/consumer/consumer.h"
#include "record/posix/stream.h"
#include <errno.h>

/* Longer than a trace point that has just found the stream running takes to write its event. */
#define GRACE_NANOSECONDS 1000

bool stream_record(
	struct stream *stream, trace_event_id_t type, const void *address, const void *data, size_t length)
{
	const struct process_thread *thread = process_thread();
	struct log_event event = { .type = (uint16_t)type, .length = (uint16_t)length, .cpu = LOG_NO_CPU };

	if (!pool_wants(&stream->pool, type))
		return true;
	event.address = (uintptr_t)address;
	event.pid = thread->writer.pid;
	event.tid = thread->writer.tid;
	event.thread = thread->writer.thread;
	return pool_put(&stream->pool, &event, data);
}

static uint64_t ticks_now(const struct stream *stream)
{
	return clock_ticks((enum log_clock)stream->pool.clock);
}

/*
 * There is no room even for START: the stream is as one that has just stopped itself (choice 5), and runs
 * when it has been emptied.
 */
static void start_full(struct stream *stream)
{
	struct pool_shared *shared = stream->pool.shared;

	atomic_store(&shared->stop_ticks, ticks_now(stream));
	if (pool_change(&stream->pool, POOL_SUSPENDED, POOL_FULL))
		atomic_store(&shared->is_full, POSIX_TRACE_FULL);
}

/* START comes first, so that it is older than all events that follow it. */
static void stream_start(struct stream *stream, const void *address)
{
	trace_event_set_t filter;
	bool has_room;

	if (atomic_load(&stream->pool.shared->state) != POOL_SUSPENDED)
		return;
	stream_filter(stream, &filter);
	has_room = stream_record(stream, POSIX_TRACE_START, address, &filter, sizeof filter);
	stream_ctl_set_running(stream->ctl, true, ticks_now(stream));
	if (has_room)
		pool_change(&stream->pool, POOL_SUSPENDED, POOL_RUNNING);
	else
		start_full(stream);
}

int posix_trace_start(trace_id_t trid)
{
	struct stream *stream = stream_get(trid, STREAM_LIVE);

	if (!stream)
		return EINVAL;
	stream_start(stream, __builtin_return_address(0));
	stream_put(stream);
	return 0;
}

/* Events that other threads were about to record come before STOP, which is the last one. */
static void let_writers_finish(void)
{
	uint64_t start = clock_ticks(LOG_CLOCK_MONOTONIC);

	while (clock_ticks(LOG_CLOCK_MONOTONIC) - start < GRACE_NANOSECONDS)
		;
}

void stream_stop(struct stream *stream, const void *address)
{
	const int is_automatic = 0;

	if (!pool_change(&stream->pool, POOL_RUNNING, POOL_SUSPENDED))
		return;
	let_writers_finish();
	stream_ctl_set_running(stream->ctl, false, ticks_now(stream));
	stream_record(stream, POSIX_TRACE_STOP, address, &is_automatic, sizeof is_automatic);
}

int posix_trace_stop(trace_id_t trid)
{
	struct stream *stream = stream_get(trid, STREAM_LIVE);

	if (!stream)
		return EINVAL;
	stream_stop(stream, __builtin_return_address(0));
	stream_put(stream);
	return 0;
}

/* The consumer's answer as an error number: without consumer the log is lost. */
static int consumer_answer(int error)
{
	return error == ESRCH ? EIO : error;
}

/* The filter stays, no START is recorded (choice 8). Losses are counted anew, as of a stream just made. */
int posix_trace_clear(trace_id_t trid)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, STREAM_LIVE);
	int error = 0;

	if (!stream)
		return stream_calm_end(&calm, EINVAL);
	if (pool_change(&stream->pool, POOL_FULL, POOL_SUSPENDED))
		stream_ctl_set_running(stream->ctl, false, ticks_now(stream));
	if (stream->kind == STREAM_LOGGED)
		error = consumer_answer(consumer_clear(stream->ctl));
	else
		pool_reader_discard(stream->reader);
	atomic_store(&stream->pool.shared->is_full, POSIX_TRACE_NOT_FULL);
	stream->lost_before = stream->lost_reported = pool_lost(&stream->pool);
	stream->refused_reported = atomic_load(&stream->ctl->n_refused);
	stream_put(stream);
	return stream_calm_end(&calm, error);
}

int posix_trace_flush(trace_id_t trid)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, STREAM_LOGGED);
	int error;

	if (!stream)
		return stream_calm_end(&calm, EINVAL);
	error = consumer_answer(consumer_flush(stream->ctl));
	stream_put(stream);
	return stream_calm_end(&calm, error);
}
