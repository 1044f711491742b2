/* SPDX-License-Identifier: MIT */
/* What a keeper writes when it writes: events, what is between them, and how it went. */
#include "record/consumer/keeper_own.h"
#include "record/kernel/clock.h"

#define RETRY_AFTER (200 * KEEPER_MS) /* when writing failed */
#define NAMES_APART KEEPER_SECOND

void keeper_failed(struct keeper *keeper, int error)
{
	uint32_t none = 0;

	if (error == 0)
		return;
	keeper->retry_at = keeper->now + RETRY_AFTER;
	atomic_compare_exchange_strong(&keeper->desk->flush_error, &none, (uint32_t)error);
	if (keeper->first_error == 0)
		keeper->first_error = error;
	if (keeper->owed_error == 0) {
		keeper->owed_error = error;
		keeper->owed_ticks = clock_ticks((enum log_clock)keeper->ring.clock);
	}
}

int keeper_copy_now(struct keeper *keeper, const struct log_event *event, const void *data)
{
	uint64_t now = clock_ticks((enum log_clock)keeper->ring.clock);
	int error;

	keeper->copy.now = keeper->now;
	error = copy_run(&keeper->copy, now, copy_bound(&keeper->ring));
	return error || !event ? error : copy_own(&keeper->copy, event, now, data);
}

static const struct log_event flush_start = { .type = POSIX_TRACE_FLUSH_START, .cpu = LOG_NO_CPU };
static const struct log_event flush_stop = { .type = POSIX_TRACE_FLUSH_STOP, .cpu = LOG_NO_CPU };

/* Flush events go to the log, not through the ring: where there is little room they would take it from the program. */
static int copy_between_events(struct keeper *keeper)
{
	bool is_told = !keeper->copy.is_ending && atomic_load(&keeper->ring.shared->state) == RING_RUNNING;
	int error = keeper_copy_now(keeper, is_told ? &flush_start : NULL, NULL);

	if (error == 0 && is_told)
		error = keeper_copy_now(keeper, &flush_stop, NULL);
	return error ? error : log_flush(&keeper->log);
}

/*
 * XSH table 2-3: the log could not be written for a while. It says so where that began, as soon as it can be written. A log
 * that ends for want of room says it in its end, and has no room for an event.
 */
static int error_tell(struct keeper *keeper)
{
	static const struct log_event event = {
		.type = POSIX_TRACE_ERROR, .length = sizeof(int), .cpu = LOG_NO_CPU
	};
	int error;

	if (keeper->owed_error == 0 || keeper->copy.is_ending)
		return 0;
	keeper->copy.now = keeper->now;
	error = copy_run(&keeper->copy, keeper->owed_ticks, copy_bound(&keeper->ring));
	if (error == 0)
		error = copy_own(&keeper->copy, &event, keeper->owed_ticks, &keeper->owed_error);
	if (error == 0)
		keeper->owed_error = 0;
	return error;
}

/* About processes whose events are written. */
static int catch_up(struct keeper *keeper)
{
	struct processes *processes = &keeper->processes;
	bool is_ending = keeper->copy.is_ending;
	int error = processes_follow(processes, is_ending ? UINT64_MAX : keeper->copy.last_ticks);

	if (error == 0)
		error = processes_catch_up(processes, keeper->now, is_ending);
	if (error == 0 && !is_ending && keeper->now - keeper->names_at >= NAMES_APART) {
		keeper->names_at = keeper->now;
		error = processes_refresh(processes);
	}
	return error;
}

int keeper_copy_to_log(struct keeper *keeper)
{
	uint64_t n_overwritten = keeper->log.n_overwritten, n_refused = keeper->copy.n_refused;
	int error = keeper->log.error ? log_resume(&keeper->log) : 0;

	if (error == 0)
		error = error_tell(keeper);
	if (error == 0)
		error = copy_between_events(keeper);
	if (error == 0 && !keeper->log.has_no_room)
		error = catch_up(keeper);
	keeper_failed(keeper, error);
	atomic_store(&keeper->desk->n_refused, keeper->copy.n_refused);
	if (keeper->log.n_overwritten > n_overwritten || keeper->copy.n_refused > n_refused)
		atomic_store(&keeper->desk->log_overrun, POSIX_TRACE_OVERRUN);
	if (keeper->log.n_overwritten > 0 || keeper->log.is_full)
		atomic_store(&keeper->desk->log_full, POSIX_TRACE_FULL);
	return error;
}
