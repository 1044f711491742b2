/* SPDX-License-Identifier: MIT */
/*
 * More processes for a stream. Each process opens the pool by its name at its next trace point, like any
 * stream of another controller. It detaches by itself when the pool has ended, so this file keeps no state
 * for it.
 */
#include "record/posix/stream.h"
#include <errno.h>
#include <time.h>
#include <trace_hook_np.h>

#define ATTACH_TURNS  10
#define ATTACH_NAP_NS 1000000

/* The target's slot with the pool, or -1. */
static int pool_slot(const struct target *target, const struct pool *pool, struct control_stream *ret_entry)
{
	for (int slot = 0; slot < CONTROL_STREAMS; slot++)
		if (control_look(target->control, (unsigned int)slot, ret_entry) &&
			identity_file_is(&ret_entry->pool, &pool->file))
			return slot;
	return -1;
}

/*
 * A process that was forked in the clock tick in which the stream was made has inherited it, as if it had
 * been forked later: what it was attached for counts.
 */
static int attach_as(struct target *target, const struct pool *pool, bool is_inherited)
{
	struct control_stream entry;
	const int slot = pool_slot(target, pool, &entry);

	if (slot >= 0 && (bool)entry.is_inherited == is_inherited)
		return 0;
	target->slot = slot;
	target_detach(target, pool);
	return target_attach(target, pool, is_inherited);
}

static int attach_try(const struct stream *stream, pid_t pid, bool is_inherited, bool waits)
{
	struct permit permit;
	struct target target;
	int error = permit_trace(pid, &permit);

	/* The pool lies in the directory of its own user, where processes of others do not look. */
	if (!error && permit.uid != (stream->target.control ? stream->target.permit.uid : directory_uid()))
		error = EPERM;
	if (!error)
		error = target_open(&target, &permit, waits);
	if (error)
		return error;
	error = attach_as(&target, &stream->pool, is_inherited);
	target_forget(&target);
	return error;
}

int posix_trace_attach_np(trace_id_t trid, pid_t pid, int inheritance)
{
	const struct timespec nap = { .tv_nsec = ATTACH_NAP_NS };
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, STREAM_LIVE);
	int error = stream && stream->is_named && pid > 0 ? ESTALE : EINVAL;

	if (inheritance != POSIX_TRACE_INHERITED && inheritance != POSIX_TRACE_CLOSE_FOR_CHILD)
		error = EINVAL;
	for (unsigned int turn = 1; turn <= ATTACH_TURNS && error == ESTALE; turn++) {
		error = attach_try(stream, pid, inheritance == POSIX_TRACE_INHERITED, turn < ATTACH_TURNS);
		if (error == ESTALE)
			nanosleep(&nap, NULL);
	}
	if (stream)
		stream_put(stream);
	return stream_calm_end(&calm, error == ESTALE ? EAGAIN : error);
}
