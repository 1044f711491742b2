/* SPDX-License-Identifier: MIT */
/* One write of a consumer: events, their metadata, and the result. */
#include "record/consumer/consumer_own.h"
#include "record/kernel/clock.h"

#define RETRY_AFTER (200 * CONSUMER_MS) /* when writing failed */
#define NAMES_APART CONSUMER_SECOND

void consumer_failed(struct consumer *consumer, int error)
{
	uint32_t none = 0;

	if (error == 0)
		return;
	consumer->retry_at = consumer->now + RETRY_AFTER;
	atomic_compare_exchange_strong(&consumer->ctl->flush_error, &none, (uint32_t)error);
	if (consumer->first_error == 0)
		consumer->first_error = error;
	if (consumer->owed_error == 0) {
		consumer->owed_error = error;
		consumer->owed_ticks = clock_ticks((enum log_clock)consumer->pool.clock);
	}
}

int consumer_copy_now(struct consumer *consumer, const struct log_event *event, const void *data)
{
	uint64_t now = clock_ticks((enum log_clock)consumer->pool.clock);
	int error;

	consumer->copy.now = consumer->now;
	error = copy_run(&consumer->copy, now, copy_bound(&consumer->pool));
	return error || !event ? error : copy_own(&consumer->copy, event, now, data);
}

static const struct log_event flush_start = { .type = POSIX_TRACE_FLUSH_START, .cpu = LOG_NO_CPU };
static const struct log_event flush_stop = { .type = POSIX_TRACE_FLUSH_STOP, .cpu = LOG_NO_CPU };

/* Flush events go to the log, not through the pool, where they would take room from the program. */
static int copy_between_events(struct consumer *consumer)
{
	bool is_told =
		!consumer->copy.is_ending && atomic_load(&consumer->pool.shared->state) == POOL_RUNNING;
	int error = consumer_copy_now(consumer, is_told ? &flush_start : NULL, NULL);

	if (error == 0 && is_told)
		error = consumer_copy_now(consumer, &flush_stop, NULL);
	return error ? error : log_flush(&consumer->log);
}

/*
 * XSH table 2-3: the log could not be written for a while. The event stands where that began, as soon as the
 * log can be written again. A log that ends for want of room has the error in its end, and no room for an
 * event.
 */
static int error_write(struct consumer *consumer)
{
	static const struct log_event event = {
		.type = POSIX_TRACE_ERROR, .length = sizeof(int), .cpu = LOG_NO_CPU
	};
	int error;

	if (consumer->owed_error == 0 || consumer->copy.is_ending)
		return 0;
	consumer->copy.now = consumer->now;
	error = copy_run(&consumer->copy, consumer->owed_ticks, copy_bound(&consumer->pool));
	if (error == 0)
		error = copy_own(&consumer->copy, &event, consumer->owed_ticks, &consumer->owed_error);
	if (error == 0)
		consumer->owed_error = 0;
	return error;
}

/* Metadata of the processes whose events are written. */
static int metadata_write(struct consumer *consumer)
{
	struct processes *processes = &consumer->processes;
	bool is_ending = consumer->copy.is_ending;
	int error = processes_follow(processes, is_ending ? UINT64_MAX : consumer->copy.last_ticks);

	if (error == 0)
		error = processes_catch_up(processes, consumer->now, is_ending);
	if (error == 0 && !is_ending && consumer->now - consumer->names_at >= NAMES_APART) {
		consumer->names_at = consumer->now;
		error = processes_refresh(processes);
	}
	return error;
}

int consumer_copy_to_log(struct consumer *consumer)
{
	uint64_t n_overwritten = consumer->log.n_overwritten, n_refused = consumer->copy.n_refused;
	int error = consumer->log.error ? log_resume(&consumer->log) : 0;

	if (error == 0)
		error = error_write(consumer);
	if (error == 0)
		error = copy_between_events(consumer);
	if (error == 0 && !consumer->log.has_no_room)
		error = metadata_write(consumer);
	consumer_failed(consumer, error);
	atomic_store(&consumer->ctl->n_refused, consumer->copy.n_refused);
	if (consumer->log.n_overwritten > n_overwritten || consumer->copy.n_refused > n_refused)
		atomic_store(&consumer->ctl->log_overrun, POSIX_TRACE_OVERRUN);
	if (consumer->log.n_overwritten > 0 || consumer->log.n_too_long > 0 || consumer->log.is_full)
		atomic_store(&consumer->ctl->log_full, POSIX_TRACE_FULL);
	return error;
}
