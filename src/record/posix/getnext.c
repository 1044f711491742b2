/* SPDX-License-Identifier: MIT */
/*
 * Reading one event at a time. Trace points wake no thread, so a reader that waits polls, less and less
 * often.
 *
 * Signals are blocked except while the thread sleeps, and ppoll() unblocks them and sleeps in one step. So a
 * caught signal ends the wait (EINTR) whenever it comes after the first attempt, also between two naps.
 */
#include "record/posix/stream.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define NAP_FIRST_NANOSECONDS 50000
#define NAP_MAX_NANOSECONDS   10000000
/* Clock pairs nearer than that make a line that is too rough. */
#define SEGMENT_NANOSECONDS   2000000

/*
 * Ticks become time by a line through two clock pairs around them, so that the error is that of a pair,
 * however far apart they are. A pair is taken when an event is newer than the last one.
 */
static int64_t stream_time(struct stream *stream, uint64_t ticks)
{
	enum log_clock clock = (enum log_clock)stream->pool.clock;
	struct log_clock_pair *segment = stream->clock_segment;
	int64_t time;

	if (clock == LOG_CLOCK_MONOTONIC) {
		time = (int64_t)ticks;
	} else {
		if (stream->scale.per_tick == 0 || ticks > segment[1].ticks) {
			if (segment[1].monotonic - segment[0].monotonic >= SEGMENT_NANOSECONDS)
				segment[0] = segment[1];
			segment[1] = clock_pair(clock);
			stream->scale = clock_scale(clock, &segment[0], &segment[1]);
		}
		time = clock_nanoseconds(&stream->scale, ticks);
	}
	if (time > stream->last_time)
		stream->last_time = time;
	return stream->last_time;
}

/*
 * No event is there: the descriptor of posix_trace_getfd_np() is not readable until its timer expires again.
 */
static void stream_clear_poll(const struct stream *stream)
{
	uint64_t n_times;
	ssize_t n;

	if (!stream_has_poll(stream))
		return;
	n = read(stream->poll_fd, &n_times, sizeof n_times);
	(void)n; /* it may not have expired */
}

bool stream_peek(struct stream *stream, struct posix_trace_event_info *ret_info, const void **ret_data,
	size_t *ret_length)
{
	const struct log_event *event;

	if (stream->kind == STREAM_RECORDED) {
		if (!recorded_peek(stream->recorded, &event, ret_data))
			return false;
		event_info(event, recorded_time(stream->recorded, event->ticks),
			recorded_sequence(stream->recorded), ret_info);
	} else {
		if (!pool_reader_peek(stream->reader, &event, ret_data)) {
			stream_clear_poll(stream);
			return false;
		}
		event_info(event, stream_time(stream, event->ticks), pool_reader_sequence(stream->reader),
			ret_info);
	}
	*ret_length = event->length;
	return true;
}

void stream_take(struct stream *stream)
{
	if (stream->kind == STREAM_RECORDED)
		recorded_take(stream->recorded);
	else
		pool_reader_take(stream->reader);
}

/* Where the caller wants an event. */
struct reading {
	struct posix_trace_event_info *info;
	void *data;
	size_t size;
	size_t *length;
	int *unavailable;
};

static bool event_give(struct stream *stream, const struct reading *to)
{
	struct posix_trace_event_info info;
	const void *data;
	size_t length;

	*to->unavailable = !stream_peek(stream, &info, &data, &length);
	if (*to->unavailable)
		return false;
	if (length > to->size) {
		length = to->size;
		info.posix_truncation_status = POSIX_TRACE_TRUNCATED_READ;
	}
	if (length > 0)
		memcpy(to->data, data, length);
	*to->info = info;
	*to->length = length;
	stream_take(stream);
	return true;
}

/*
 * A thread that waits: it can be cancelled only while it sleeps, and then releases the stream and restores
 * its signals.
 */
struct waiting {
	struct stream *stream;
	sigset_t signals; /* of the caller, as the following */
	int cancel_state;
	int error;
};

static void waiting_abandon(void *argument)
{
	struct waiting *waiting = argument;

	stream_lock(waiting->stream);
	stream_put(waiting->stream);
	pthread_sigmask(SIG_SETMASK, &waiting->signals, NULL);
}

/* Returns 0 if the caller must try again; EINTR; EINVAL if the stream was shut down. */
static int waiting_nap(struct waiting *waiting, const struct timespec *nap)
{
	stream_unlock(waiting->stream);
	pthread_cleanup_push(waiting_abandon, waiting);
	pthread_setcancelstate(waiting->cancel_state, &(int){ 0 });
	waiting->error = ppoll(NULL, 0, nap, &waiting->signals) < 0 ? EINTR : 0;
	pthread_testcancel();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &(int){ 0 });
	pthread_cleanup_pop(0);
	stream_lock(waiting->stream);
	return waiting->stream->is_closing ? EINVAL : waiting->error;
}

/* Shortens a nap to the deadline. The clock is read each time, because it may have been set. */
static int nap_limit(struct timespec *nap, const struct timespec *deadline)
{
	struct timespec now;
	long long left;

	if (deadline->tv_nsec < 0 || deadline->tv_nsec >= 1000000000)
		return EINVAL;
	clock_gettime(CLOCK_REALTIME, &now);
	if (deadline->tv_sec > now.tv_sec && deadline->tv_sec - now.tv_sec > 1)
		return 0;
	if (deadline->tv_sec < now.tv_sec)
		return ETIMEDOUT;
	left = (deadline->tv_sec - now.tv_sec) * 1000000000ll + deadline->tv_nsec - now.tv_nsec;
	if (left <= 0)
		return ETIMEDOUT;
	if (left < nap->tv_nsec)
		nap->tv_nsec = (long)left;
	return 0;
}

/* Signals of faults stay unblocked: their handlers may have to write a snapshot. */
static void signals_block(sigset_t *ret_before)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
	sigset_t blocked;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, ret_before);
}

/* Waits until there is an event; if deadline is NULL, for ever. */
static int event_await(
	struct stream *stream, const struct reading *to, const struct timespec *deadline, int cancel_state)
{
	struct waiting waiting = { .stream = stream, .cancel_state = cancel_state };
	long length = NAP_FIRST_NANOSECONDS;
	int error = 0;

	signals_block(&waiting.signals);
	while (!error && !event_give(stream, to)) {
		struct timespec nap = { .tv_nsec = length };

		if (deadline)
			error = nap_limit(&nap, deadline);
		if (!error)
			error = waiting_nap(&waiting, &nap);
		length = length < NAP_MAX_NANOSECONDS / 2 ? 2 * length : NAP_MAX_NANOSECONDS;
	}
	pthread_sigmask(SIG_SETMASK, &waiting.signals, NULL);
	return error;
}

/* The reader of a log never waits (choice 11). */
static int event_read(trace_id_t trid, unsigned int kinds, const struct reading *to, bool may_wait,
	const struct timespec *deadline)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, kinds);
	int error = 0;

	if (!stream)
		return stream_calm_end(&calm, EINVAL);
	if (!event_give(stream, to) && may_wait && stream->kind == STREAM_ACTIVE)
		error = event_await(stream, to, deadline, calm.cancel_state);
	stream_put(stream);
	return stream_calm_end(&calm, error);
}

int posix_trace_getnext_event(trace_id_t trid, struct posix_trace_event_info *restrict ret_info,
	void *restrict ret_data, size_t size, size_t *restrict ret_length, int *restrict ret_unavailable)
{
	const struct reading to = { ret_info, ret_data, size, ret_length, ret_unavailable };

	return event_read(trid, STREAM_ACTIVE | STREAM_RECORDED, &to, true, NULL);
}

int posix_trace_timedgetnext_event(trace_id_t trid, struct posix_trace_event_info *restrict ret_info,
	void *restrict ret_data, size_t size, size_t *restrict ret_length, int *restrict ret_unavailable,
	const struct timespec *restrict deadline)
{
	const struct reading to = { ret_info, ret_data, size, ret_length, ret_unavailable };

	return event_read(trid, STREAM_ACTIVE | STREAM_RECORDED, &to, true, deadline);
}

int posix_trace_trygetnext_event(trace_id_t trid, struct posix_trace_event_info *restrict ret_info,
	void *restrict ret_data, size_t size, size_t *restrict ret_length, int *restrict ret_unavailable)
{
	const struct reading to = { ret_info, ret_data, size, ret_length, ret_unavailable };

	return event_read(trid, STREAM_ACTIVE, &to, false, NULL);
}
