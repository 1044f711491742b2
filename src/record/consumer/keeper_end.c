/* SPDX-License-Identifier: MIT */
/* The end of a log, also of one that finds no room. */
#include "record/consumer/keeper_own.h"
#include "record/kernel/clock.h"
#include <errno.h>
#include <unistd.h>

void keeper_tell(struct keeper *keeper, enum desk_state state, int error)
{
	atomic_store(&keeper->desk->exit_error, (uint32_t)error);
	atomic_store(&keeper->desk->state, state);
	keeper_wake(&keeper->desk->state);
}

/* As if posix_trace_stop() had been called (XSH posix_trace_shutdown()). */
static int stop_and_copy(struct keeper *keeper)
{
	static const struct log_event stop = {
		.type = POSIX_TRACE_STOP, .length = sizeof(int), .cpu = LOG_NO_CPU
	};
	const int is_automatic = 0;
	int error;

	if (ring_change(&keeper->ring, RING_RUNNING, RING_SUSPENDED)) {
		keeper->owes_stop = true;
		keeper->copy.ended_at = clock_ticks((enum log_clock)keeper->ring.clock);
	}
	error = keeper_copy_to_log(keeper);
	if (error == 0 && keeper->owes_stop)
		error = keeper_copy_now(keeper, &stop, &is_automatic);
	if (error == 0)
		keeper->owes_stop = false;
	return error;
}

/* Everything that is there, and the end of the log. When the stream was full it may run again once it is emptied. */
static int copy_rest(struct keeper *keeper, struct log_end *end)
{
	int error = stop_and_copy(keeper);

	if (error == 0 && atomic_load(&keeper->ring.shared->state) == RING_RUNNING)
		error = stop_and_copy(keeper);
	if (error)
		return error;
	ring_end(&keeper->ring, keeper->desk->attributes.pid);
	/* Trace points that saw it running until now. */
	error = keeper_copy_to_log(keeper);
	end->flush_error = (uint32_t)keeper->first_error;
	return error ? error : copy_finish(&keeper->copy, end);
}

/*
 * A log that finds no room has an end all the same, if there is something that can give way for it. What is taken out of
 * the log is lost; one that takes no more ends with STOP, as a full one does.
 */
static bool give_way(struct keeper *keeper)
{
	struct copy *copy = &keeper->copy;
	struct log_given given;

	if (!log_give_way(&keeper->log, &given))
		return false;
	copy->lost_told -= given.n_lost;
	copy->n_refused += given.n_events;
	if (given.n_events > 0 && copy->has_last_stop) {
		copy->has_last_stop = false;
		copy->n_refused--;
	}
	keeper->owes_stop = keeper->owes_stop || keeper->log.is_full;
	return true;
}

int keeper_end(struct keeper *keeper, enum log_end_reason reason)
{
	struct log_end end = { .reason = reason };
	int error, again;

	keeper->copy.is_ending = true;
	error = again = copy_rest(keeper, &end);
	while (again && give_way(keeper)) {
		keeper_failed(keeper, again);
		again = copy_rest(keeper, &end);
	}
	ring_end(&keeper->ring, keeper->desk->attributes.pid);
	/* Before anybody is told: who reads a pipe finds its end. */
	if (close(KEEPER_FIRST + KEEPER_LOG) != 0 && error == 0 && errno != EINTR)
		error = errno;
	keeper_tell(keeper, DESK_DONE, error);
	return error ? 1 : 0;
}
