/* SPDX-License-Identifier: MIT */
/* The end of a log, also of one that finds no room. */
#include "record/consumer/consumer_own.h"
#include "record/kernel/clock.h"
#include <errno.h>
#include <unistd.h>

void consumer_report(struct consumer *consumer, enum consumer_state state, int error)
{
	atomic_store(&consumer->ctl->exit_error, (uint32_t)error);
	atomic_store(&consumer->ctl->state, state);
	consumer_wake(&consumer->ctl->state);
}

/* As if posix_trace_stop() had been called (XSH posix_trace_shutdown()). */
static int stop_and_copy(struct consumer *consumer)
{
	static const struct log_event stop = {
		.type = POSIX_TRACE_STOP, .length = sizeof(int), .cpu = LOG_NO_CPU
	};
	const int is_automatic = 0;
	int error;

	if (pool_change(&consumer->pool, POOL_RUNNING, POOL_SUSPENDED)) {
		consumer->owes_stop = true;
		consumer->copy.ended_at = clock_ticks((enum log_clock)consumer->pool.clock);
	}
	error = consumer_copy_to_log(consumer);
	if (error == 0 && consumer->owes_stop)
		error = consumer_copy_now(consumer, &stop, &is_automatic);
	if (error == 0)
		consumer->owes_stop = false;
	return error;
}

/*
 * Writes everything that is there, and the end of the log. A stream that was full may run again when it is
 * emptied.
 */
static int copy_rest(struct consumer *consumer, struct log_end *end)
{
	int error = stop_and_copy(consumer);

	if (error == 0 && atomic_load(&consumer->pool.shared->state) == POOL_RUNNING)
		error = stop_and_copy(consumer);
	if (error)
		return error;
	pool_end(&consumer->pool, consumer->ctl->attributes.pid);
	/* events of trace points that saw it running until now */
	error = consumer_copy_to_log(consumer);
	end->flush_error = (uint32_t)consumer->first_error;
	return error ? error : copy_finish(&consumer->copy, end);
}

/*
 * A log without room still gets an end, if something in it can be removed to make room. The removed events
 * count as lost. A log that accepts no more ends with STOP, as a full log does.
 */
static bool log_give_room(struct consumer *consumer)
{
	struct copy *copy = &consumer->copy;
	struct log_given given;

	if (!log_give_way(&consumer->log, &given))
		return false;
	copy->lost_written -= given.n_lost;
	copy->n_refused += given.n_events;
	if (given.n_events > 0 && copy->has_last_stop) {
		copy->has_last_stop = false;
		copy->n_refused--;
	}
	consumer->owes_stop = consumer->owes_stop || consumer->log.is_full;
	return true;
}

int consumer_end(struct consumer *consumer, enum log_end_reason reason)
{
	struct log_end end = { .reason = reason };
	int error, again;

	consumer->copy.is_ending = true;
	error = again = copy_rest(consumer, &end);
	while (again && log_give_room(consumer)) {
		consumer_failed(consumer, again);
		again = copy_rest(consumer, &end);
	}
	pool_end(&consumer->pool, consumer->ctl->attributes.pid);
	/* before the state: a reader of a pipe then finds its end */
	if (close(CONSUMER_FD_FIRST + CONSUMER_FD_LOG) != 0 && error == 0 && errno != EINTR)
		error = errno;
	consumer_report(consumer, CONSUMER_DONE, error);
	return error ? 1 : 0;
}
