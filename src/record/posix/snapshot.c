/* SPDX-License-Identifier: MIT */
#include "record/consumer/consumer.h"
#include "record/posix/stream.h"
#include <errno.h>

/*
 * For handlers of fatal signals, too: no lock, no allocation. The memory was allocated with the stream, and
 * one call at a time uses it: the acquire of snapshot_busy pairs with the release of the call before. EBUSY:
 * another snapshot of the stream is being written, perhaps by the interrupted code.
 */
int posix_trace_snapshot_np(trace_id_t trid, int fd)
{
	int saved_errno = errno;
	struct stream *stream = stream_pin(trid, STREAM_LIVE);
	const struct names *names;
	int error = EBUSY;

	if (!stream)
		return EINVAL;
	names = stream->target.control ? stream->target.names : atomic_load(&process_map);
	if (atomic_exchange_explicit(&stream->snapshot_busy, 1, memory_order_acquire) == 0) {
		error = consumer_snapshot(
			&stream->pool, stream->ctl, names, stream->switches, fd, stream->snapshot_memory);
		atomic_store_explicit(&stream->snapshot_busy, 0, memory_order_release);
	}
	stream_unpin(stream);
	errno = saved_errno;
	return error;
}
