/* SPDX-License-Identifier: MIT */
#include "record/consumer/copy.h"
#include "record/kernel/clock.h"
#include <errno.h>
#include <string.h>

uint64_t copy_bound(const struct pool *pool)
{
	const struct pool_geometry *geometry = &pool->geometry;

	return ((uint64_t)geometry->n_subbufs << geometry->subbuf_shift) / sizeof(struct log_event) + 64;
}

uint64_t copy_lost(const struct copy *copy)
{
	uint64_t lost = pool_lost(copy->pool);

	return (lost > copy->lost_before ? lost - copy->lost_before : 0) + copy->n_refused;
}

void copy_restart(struct copy *copy)
{
	copy->is_new_log = true;
	copy->has_last_stop = false;
	copy->lost_before = pool_lost(copy->pool);
	copy->last_ticks = 0;
	copy->lost_written = copy->n_refused = copy->n_copied = 0;
	if (copy->switches)
		switches_discard(copy->switches);
}

static int loss_write(struct copy *copy, uint64_t n_events, uint64_t first_ticks)
{
	const struct log_loss loss = { .n_events = n_events, .first_ticks = first_ticks };
	int error = log_loss(copy->log, &loss);

	if (error == 0)
		copy->lost_written += n_events;
	return error;
}

/* A gap in the sequence numbers: so many events were lost before this one. */
static int sequence_check(struct copy *copy, const struct log_event *event)
{
	uint64_t sequence = pool_reader_sequence(copy->reader);
	int error = 0;

	if (copy->is_new_log)
		copy->next_sequence = sequence;
	copy->is_new_log = false;
	if (sequence > copy->next_sequence && !copy->log->is_full)
		error = loss_write(copy, sequence - copy->next_sequence,
			event->type == POSIX_TRACE_OVERFLOW ? event->ticks : 0);
	if (error == 0 && sequence > copy->next_sequence)
		copy->next_sequence = sequence;
	return error;
}

/* Writes the records that must be in the log before the event. */
static int announce_event(struct copy *copy, const struct log_event *event)
{
	int error = sequence_check(copy, event);

	if (error == 0 && describe_has_types(copy->describe))
		error = describe_types(copy->describe);
	if (error == 0 && copy->processes)
		error = processes_meet(copy->processes, event, copy->now);
	return error;
}

/* The last event of a full log is STOP (XSH posix_trace_attr_getlogfullpolicy(), POSIX_TRACE_UNTIL_FULL). */
static int last_stop_write(struct copy *copy, uint64_t ticks)
{
	const struct log_event stop = {
		.type = POSIX_TRACE_STOP, .length = sizeof(int), .cpu = LOG_NO_CPU, .ticks = ticks
	};
	const int is_automatic = 1;
	int error = 0;

	if (!copy->has_last_stop && pool_wants(copy->pool, POSIX_TRACE_STOP))
		error = log_event_beyond(copy->log, &stop, &is_automatic);
	if (error == 0)
		copy->has_last_stop = true;
	return error;
}

/*
 * A log's events are in order of time. A writer that was delayed between stamp and publication (by a page
 * fault, or by a hypervisor) is too late for that: its event gets the ticks of the event before it.
 *
 * EMSGSIZE is an error of the event, not of the file: it is longer than a whole LOOP log, or the pool is
 * damaged. It is lost.
 */
static int event_write(
	struct copy *copy, const struct log_event *event, const void *data, bool *ret_is_refused)
{
	struct log_event late;
	int error;

	if (event->ticks < copy->last_ticks) {
		late = *event;
		late.ticks = copy->last_ticks;
		event = &late;
	}
	error = log_event(copy->log, event, data);
	*ret_is_refused = error == EMSGSIZE || copy->log->is_full;
	if (error == EMSGSIZE)
		return loss_write(copy, 1, event->ticks);
	if (error == 0)
		copy->last_ticks = event->ticks;
	return error || !copy->log->is_full ? error : last_stop_write(copy, event->ticks);
}

int copy_own(struct copy *copy, const struct log_event *event, uint64_t ticks, const void *data)
{
	struct log_event own = *event;
	bool is_refused;

	own.ticks = ticks;
	return pool_wants(copy->pool, own.type) ? event_write(copy, &own, data, &is_refused) : 0;
}

/* --- context switches ----------------------------------------------------------------------------------- */

int copy_open_switches(struct switches_config *config, struct switches **ret_switches)
{
	for (unsigned int kind = 0; kind < PERF_N_SWITCHES; kind++)
		config->types[kind] = (uint16_t)(NAMES_FIRST_SWITCH + kind);
	return switches_open(ret_switches, config);
}

/*
 * By what controller, reader and consumer did with the stream, not by START and STOP, which the filter may
 * exclude.
 */
static bool stream_ran(const struct copy *copy, uint64_t ticks)
{
	return (copy->ended_at == 0 || ticks <= copy->ended_at) &&
	       !pool_reader_was_stopped(copy->reader, ticks) && stream_ctl_was_running(copy->ctl, ticks);
}

static int switch_event(struct copy *copy, const struct switches_record *record)
{
	const bool is_fault = record->what.kind == PERF_FAULT;
	const struct log_event event = { .type = record->type,
		.length = is_fault ? sizeof record->what.address : 0,
		.address = record->what.instruction,
		.cpu = record->what.cpu < LOG_NO_CPU ? (uint16_t)record->what.cpu : LOG_NO_CPU,
		.ticks = record->ticks,
		.pid = record->what.pid,
		.tid = record->what.tid };
	bool is_refused = false;
	int error = 0;

	if (!pool_wants(copy->pool, event.type) || !stream_ran(copy, event.ticks))
		return 0;
	if (!copy->log->is_full && describe_has_types(copy->describe))
		error = describe_types(copy->describe);
	if (error == 0 && !copy->log->is_full && copy->processes)
		error = processes_meet(copy->processes, &event, copy->now);
	if (error == 0)
		error = event_write(copy, &event, is_fault ? &record->what.address : NULL, &is_refused);
	copy->n_refused += error == 0 && is_refused;
	copy->n_copied += error == 0 && !is_refused;
	return error;
}

/* Switches that the kernel lost count as events that the log refused. */
static int switches_lost(struct copy *copy, const struct switches_record *record)
{
	int error = copy->log->is_full ? 0 : loss_write(copy, record->what.n_lost, record->ticks);

	if (error == 0)
		copy->n_refused += record->what.n_lost;
	return error;
}

static int switch_write(struct copy *copy, const struct switches_record *record)
{
	const struct perf_record *what = &record->what;

	if (what->kind < PERF_N_SWITCHES)
		return switch_event(copy, record);
	if (what->kind == PERF_LOST)
		return switches_lost(copy, record);
	if (!copy->processes || copy->log->is_full)
		return 0;
	return what->kind == PERF_NAME ? processes_named(copy->processes, what->pid, what->tid, what->name)
				       : processes_forked(copy->processes, what);
}

/* Those up to these ticks. */
static int copy_switches(struct copy *copy, uint64_t until)
{
	const struct switches_record *record;
	int error = 0;

	if (!copy->switches)
		return 0;
	while (error == 0 && (record = switches_peek(copy->switches, until))) {
		error = switch_write(copy, record);
		if (error == 0)
			switches_take(copy->switches);
	}
	return error;
}

/* --- events of the pool --------------------------------------------------------------------------------- */

static int copy_event(struct copy *copy, const struct log_event *event, const void *data)
{
	const uint64_t sequence = pool_reader_sequence(copy->reader);
	bool is_refused = false;
	int error = copy->log->is_full ? 0 : announce_event(copy, event);

	if (error == 0)
		error = event_write(copy, event, data, &is_refused);
	if (error)
		return error;
	/* the STOP at the end of the log stands for any other */
	copy->n_refused += is_refused && event->type != POSIX_TRACE_STOP;
	copy->n_copied += !is_refused;
	if (sequence >= copy->next_sequence)
		copy->next_sequence = sequence + 1;
	return 0;
}

static int copy_next(struct copy *copy, const struct log_event *event, const void *data)
{
	int error = copy_switches(copy, event->ticks);

	if (error == 0)
		error = copy_event(copy, event, data);
	if (error)
		return error;
	/* the reader delivers the automatic STOP last, and would start the stream when it is taken */
	if (copy->is_ending && pool_reader_has_stopped(copy->reader))
		pool_change(copy->pool, POOL_FULL, POOL_SUSPENDED);
	pool_reader_take(copy->reader);
	return 0;
}

/* Whether nothing has to be written in front of a run, and the log takes it as it is. */
static bool run_is_plain(const struct copy *copy, const struct pool_run *run)
{
	return run->first_sequence == copy->next_sequence && !copy->is_new_log && !copy->log->is_full &&
	       !describe_has_types(copy->describe);
}

/*
 * A log_run_test: whether an event needs nothing but being written, unlike one of a thread or module that is
 * new.
 */
static bool is_met(void *owner, const struct log_event *event)
{
	const struct copy *copy = owner;

	return !copy->processes || processes_have_met(copy->processes, event);
}

/* Up to which ticks no context switch belongs between the events of a run. */
static uint64_t until_switch(struct copy *copy, uint64_t until)
{
	const struct switches_record *record = copy->switches ? switches_peek(copy->switches, until) : NULL;

	return record && record->ticks > 0 ? record->ticks - 1 : until;
}

/* Copies the events of a run that can be written without other work. The rest needs copy_next(), or failed
 * with an error. */
static int copy_plain_run(struct copy *copy, const struct pool_run *run, uint64_t until, uint64_t *n_left)
{
	struct log_run rest = run->events;
	const uint32_t n_max = rest.n_events < *n_left ? rest.n_events : (uint32_t)*n_left;
	uint32_t n;
	int error;

	rest.n_events = n_max;
	rest.from = rest.from > copy->last_ticks ? rest.from : copy->last_ticks;
	rest.until = until_switch(copy, rest.until < until ? rest.until : until);
	rest.may_take = is_met;
	rest.owner = copy;
	error = log_event_run(copy->log, &rest);
	n = n_max - rest.n_events;
	if (n > 0) {
		copy->last_ticks = rest.from;
		pool_reader_pass(copy->reader, n, run->events.n_bytes - rest.n_bytes, rest.from);
	}
	copy->next_sequence += n;
	copy->n_copied += n;
	*n_left -= n;
	return error == EMSGSIZE ? 0 : error;
}

int copy_run(struct copy *copy, uint64_t until, uint64_t n_max)
{
	const struct log_event *event;
	struct pool_run run;
	const void *data;
	uint64_t n_left = n_max;
	int error = copy->log->is_full ? 0 : describe_session(copy->describe);

	while (n_left > 0 && error == 0) {
		if (pool_reader_run(copy->reader, &run) && run_is_plain(copy, &run))
			error = copy_plain_run(copy, &run, until, &n_left);
		if (error || n_left == 0 || !pool_reader_peek(copy->reader, &event, &data) ||
			pool_reader_behind(copy->reader) > until)
			break;
		error = copy_next(copy, event, data);
		n_left -= error == 0;
	}
	/* the pool has no earlier event that belongs between these switches */
	return error || n_left == 0 ? error : copy_switches(copy, until);
}

static void status_fill(const struct copy *copy, struct log_end *end)
{
	const struct pool_shared *shared = copy->pool->shared;
	const struct log_writer *log = copy->log;

	end->n_unnamed = names_refused(copy->describe->names);
	end->n_lost = copy_lost(copy);
	end->stream_status =
		atomic_load(&shared->state) == POOL_RUNNING ? POSIX_TRACE_RUNNING : POSIX_TRACE_SUSPENDED;
	end->stream_full = atomic_load(&shared->is_full) ? POSIX_TRACE_FULL : POSIX_TRACE_NOT_FULL;
	end->stream_overrun =
		copy_lost(copy) > copy->n_refused ? POSIX_TRACE_OVERRUN : POSIX_TRACE_NO_OVERRUN;
	end->log_overrun =
		copy->n_refused || log->n_overwritten ? POSIX_TRACE_OVERRUN : POSIX_TRACE_NO_OVERRUN;
	end->log_full = log->is_full || log->n_overwritten || log->n_too_long ? POSIX_TRACE_FULL
									      : POSIX_TRACE_NOT_FULL;
}

/* XSH table 2-3: an error of the trace system itself. It is not known any more which events it concerns. */
static int unnamed_write(struct copy *copy, uint64_t ticks)
{
	const struct log_event event = {
		.type = POSIX_TRACE_ERROR, .length = sizeof(int), .cpu = LOG_NO_CPU
	};
	const int why = ENOSPC;

	if (names_refused(copy->describe->names) == 0 || copy->log->is_full)
		return 0;
	return copy_own(copy, &event, ticks, &why);
}

int copy_finish(struct copy *copy, struct log_end *end)
{
	const struct log_clock_pair now = clock_pair((enum log_clock)copy->pool->clock);
	int error = unnamed_write(copy, now.ticks);

	if (error)
		return error;
	status_fill(copy, end);
	if (end->n_lost > copy->lost_written)
		error = loss_write(copy, end->n_lost - copy->lost_written, 0);
	if (error == 0)
		error = log_clock_pair(copy->log, &now);
	return error ? error : log_finish(copy->log, end);
}
