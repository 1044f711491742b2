/* SPDX-License-Identifier: MIT */
/* Reading many events at once, and poll(2) for events. */
#include "record/posix/stream.h"
#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>

/* The period of a timer also identifies it: up to 10 ms, and different for each stream. */
#define POLL_NANOSECONDS_MAX 10000000
#define POLL_MARKS	     65536

/* Appends one event to the buffer. Returns false if it does not fit. The bytes between two events are zeros.
 * */
static bool record_put(unsigned char *buffer, size_t size, size_t *used,
	const struct posix_trace_record_np *record, const void *data)
{
	size_t gap = (8 - *used % 8) % 8;
	size_t needed = gap + sizeof *record + record->posix_length;
	unsigned char *at = buffer + *used;

	if (needed > size - *used)
		return false;
	memset(at, 0, gap);
	memcpy(at + gap, record, sizeof *record);
	if (record->posix_length > 0)
		memcpy(at + gap + sizeof *record, data, record->posix_length);
	*used += needed;
	return true;
}

int posix_trace_getevents_np(trace_id_t trid, void *buffer, size_t size, size_t *ret_n_bytes)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, STREAM_ACTIVE | STREAM_RECORDED);
	struct posix_trace_record_np record;
	const void *data;
	size_t used = 0;
	bool is_there;

	if (!stream)
		return stream_calm_end(&calm, EINVAL);
	memset(&record, 0, sizeof record); /* padding between the members, too */
	while ((is_there = stream_peek(stream, &record.posix_info, &data, &record.posix_length)) &&
		record_put(buffer, size, &used, &record, data))
		stream_take(stream);
	stream_put(stream);
	*ret_n_bytes = used;
	return stream_calm_end(&calm, is_there && used == 0 ? EINVAL : 0);
}

static long poll_period(const struct stream *stream)
{
	return POLL_NANOSECONDS_MAX - stream->trid % POLL_MARKS;
}

/* A timer, because trace points wake no thread. */
static int poll_open(const struct stream *stream)
{
	const struct itimerspec period = {
		.it_interval = { .tv_nsec = poll_period(stream) },
		.it_value = { .tv_nsec = poll_period(stream) },
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd >= 0)
		timerfd_settime(fd, 0, &period, NULL);
	return fd;
}

bool stream_has_poll(const struct stream *stream)
{
	struct itimerspec timer;

	return stream->poll_fd >= 0 && timerfd_gettime(stream->poll_fd, &timer) == 0 &&
	       timer.it_interval.tv_sec == 0 && timer.it_interval.tv_nsec == poll_period(stream);
}

int posix_trace_getfd_np(trace_id_t trid, int *ret_fd)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, STREAM_ACTIVE);
	int error = 0;

	if (!stream)
		return stream_calm_end(&calm, EINVAL);
	if (!stream_has_poll(stream))
		stream->poll_fd = poll_open(stream);
	if (stream->poll_fd < 0)
		error = errno;
	else
		*ret_fd = stream->poll_fd;
	stream_put(stream);
	return stream_calm_end(&calm, error);
}
