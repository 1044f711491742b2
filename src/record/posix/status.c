/* SPDX-License-Identifier: MIT */
#include "record/consumer/consumer.h"
#include "record/posix/stream.h"
#include <errno.h>
#include <string.h>

int posix_trace_get_attr(trace_id_t trid, trace_attr_t *ret_attr)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);

	if (!stream)
		return EINVAL;
	if (stream->kind == STREAM_RECORDED)
		recorded_attr(stream->recorded, ret_attr);
	else
		*ret_attr = stream->attr;
	stream_put(stream);
	return 0;
}

/*
 * Counts of losses only rise until the stream is cleared, so reading them and resetting the overrun status is
 * one step: later losses belong to the next call.
 */
static void status_of_stream(struct stream *stream, struct posix_trace_status_info *ret_status)
{
	const struct pool *pool = &stream->pool;
	const struct pool_shared *shared = pool->shared;
	uint32_t state = atomic_load(&shared->state);
	uint64_t lost = pool_lost(pool);
	size_t n_used = 0, high_water = 0;

	ret_status->posix_stream_status = state == POOL_RUNNING ? POSIX_TRACE_RUNNING : POSIX_TRACE_SUSPENDED;
	ret_status->posix_stream_full_status =
		state == POOL_FULL || atomic_load(&shared->is_full) ? POSIX_TRACE_FULL : POSIX_TRACE_NOT_FULL;
	ret_status->posix_stream_overrun_status =
		lost != stream->lost_reported ? POSIX_TRACE_OVERRUN : POSIX_TRACE_NO_OVERRUN;
	ret_status->posix_lost_np = lost - stream->lost_before;
	ret_status->posix_lost_now_np = lost - stream->lost_reported;
	ret_status->posix_unknown_np = atomic_load(&shared->n_unknown);
	for (unsigned int ring = 0; ring < N_POOL_RINGS; ring++) {
		n_used += atomic_load(&shared->rings[ring].n_used);
		high_water += atomic_load(&shared->rings[ring].high_water);
	}
	ret_status->posix_used_np = n_used << pool->geometry.subbuf_shift;
	ret_status->posix_high_water_np = high_water << pool->geometry.subbuf_shift;
	stream->lost_reported = lost;
}

/* The flush first: when it has ended, its error is there. */
static void status_of_log(struct stream *stream, struct posix_trace_status_info *ret_status)
{
	struct stream_ctl *ctl = stream->ctl;
	uint64_t refused;

	ret_status->posix_stream_flush_status =
		consumer_flushes(ctl) ? POSIX_TRACE_FLUSHING : POSIX_TRACE_NOT_FLUSHING;
	ret_status->posix_stream_flush_error = (int)atomic_exchange(&ctl->flush_error, 0);
	ret_status->posix_log_overrun_status =
		atomic_exchange(&ctl->log_overrun, 0) ? POSIX_TRACE_OVERRUN : POSIX_TRACE_NO_OVERRUN;
	ret_status->posix_log_full_status =
		atomic_load(&ctl->log_full) ? POSIX_TRACE_FULL : POSIX_TRACE_NOT_FULL;
	refused = atomic_load(&ctl->n_refused);
	ret_status->posix_lost_np += refused;
	ret_status->posix_lost_now_np += refused - stream->refused_reported;
	stream->refused_reported = refused;
}

int posix_trace_get_status(trace_id_t trid, struct posix_trace_status_info *ret_status)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);

	if (!stream)
		return EINVAL;
	memset(ret_status, 0, sizeof *ret_status);
	if (stream->kind == STREAM_RECORDED)
		recorded_status(stream->recorded, ret_status);
	else
		status_of_stream(stream, ret_status);
	if (stream->kind == STREAM_LOGGED)
		status_of_log(stream, ret_status);
	stream_put(stream);
	return 0;
}
