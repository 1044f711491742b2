/* SPDX-License-Identifier: MIT */
/*
 * The life of a keeper: it begins a log, then wakes again and again, looks at what its controller wants and whether there
 * still is one, and copies. No trace point ever wakes it, so how often it looks is a compromise: often when there was
 * much, seldom when nothing happens.
 *
 * What the traced processes can write to (ring, names) may lie or go away: every loop ends by a count of its own, and both
 * are guarded. The desk is believed.
 */
#include "record/consumer/keeper_own.h"
#include "record/kernel/clock.h"
#include "record/rendezvous/control.h"
#include "record/rendezvous/guard.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Between two looks. */
#define PACE_BUSY  (1 * KEEPER_MS)
#define PACE_USUAL (20 * KEEPER_MS)
#define PACE_IDLE  (100 * KEEPER_MS)
#define IDLE_AFTER (2ull * KEEPER_SECOND)

#define WAITING_MAX	KEEPER_SECOND /* the longest that events of a FLUSH stream wait */
#define PAIRS_APART	KEEPER_SECOND
/* In a LOOP log, which shall not grow: twice as long every time, up to this. */
#define PAIRS_APART_MAX (64ull * KEEPER_SECOND)

#define BLOCKS_BYTES 65536 /* larger blocks of events than the log's buffer needs at least */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * KEEPER_SECOND + (uint64_t)now.tv_nsec;
}

/* Beginning. */

static int begin_log(struct keeper *keeper, int log_fd)
{
	const struct log_attributes *attributes = &keeper->desk->attributes;
	const struct log_start start = describe_start(&keeper->describe, &keeper->ring, keeper->desk,
		(int)attributes->log_policy, attributes->log_size);
	size_t size = log_buffer_bytes(&start) + BLOCKS_BYTES;

	keeper->loops = attributes->log_policy == POSIX_TRACE_LOOP;
	keeper->log_memory = malloc(size);
	keeper->reader_memory = malloc(ring_reader_bytes(&keeper->ring));
	if (!keeper->log_memory || !keeper->reader_memory)
		return ENOMEM;
	keeper->copy = (struct copy){ .ring = &keeper->ring,
		.desk = keeper->desk,
		.reader = ring_reader_begin(keeper->reader_memory, &keeper->ring, true),
		.describe = &keeper->describe,
		.log = &keeper->log,
		.processes = &keeper->processes };
	return log_begin(&keeper->log, log_fd, &start, false, keeper->log_memory, size);
}

static int begin_switches(struct keeper *keeper)
{
	struct switches_config config = {
		.pid = keeper->desk->attributes.pid,
		.is_inherited = keeper->desk->attributes.inheritance == POSIX_TRACE_INHERITED,
		.clock = (enum log_clock)keeper->ring.clock,
	};
	int error = copy_open_switches(&config, &keeper->switches);

	keeper->copy.switches = keeper->switches;
	return error;
}

static int keeper_begin(struct keeper *keeper)
{
	const struct desk *desk = keeper->desk;
	int error;

	watch_begin(&keeper->controller, &desk->controller, KEEPER_FIRST + KEEPER_DESK);
	keeper->stream_bytes = desk->attributes.stream_size;
	keeper->now = keeper->active_at = keeper->pair_at = keeper->names_at = now_ns();
	keeper->pairs_apart = PAIRS_APART;
	keeper->names = names_map(KEEPER_FIRST + KEEPER_NAMES);
	if (!keeper->names || !guard_add(keeper->names, names_bytes()))
		return EAGAIN;
	processes_begin(&keeper->processes, &keeper->log, &keeper->ring, UINT64_MAX);
	error = begin_log(keeper, KEEPER_FIRST + KEEPER_LOG);
	if (error == 0 && desk->has_switches)
		error = begin_switches(keeper);
	if (error == 0)
		error = describe_begin(&keeper->describe, keeper->names, &keeper->log);
	/* Who can be followed by others tells of itself, as they do. */
	if (error == 0 && !keeper->ring.notes)
		error = processes_expect(&keeper->processes, desk->controller.pid, keeper->now);
	return error;
}

static void flush(struct keeper *keeper)
{
	struct desk *desk = keeper->desk;
	uint32_t wanted = atomic_load(&desk->flush_wanted);

	atomic_store(&desk->is_flushing, 1);
	keeper->n_notes_then = atomic_load(&keeper->ring.shared->n_notes);
	keeper_copy_to_log(keeper);
	keeper->waiting_since = 0;
	keeper->switches_since = keeper->now;
	keeper->active_at = keeper->now;
	atomic_store(&desk->flush_done, wanted);
	atomic_store(&desk->is_flushing, 0);
	/* keeper_flush() counts before it says that there is flushing: one of the two is seen here or stays. */
	if (atomic_load(&desk->flush_wanted) != wanted)
		atomic_store(&desk->is_flushing, 1);
}

/* posix_trace_clear(): stream and log as if just made (XSH posix_trace_clear()). */
static void clear(struct keeper *keeper)
{
	struct desk *desk = keeper->desk;
	uint32_t wanted = atomic_load(&desk->clear_wanted);
	int error;

	ring_reader_discard(keeper->copy.reader);
	copy_restart(&keeper->copy);
	atomic_store(&desk->flush_error, 0);
	atomic_store(&desk->log_overrun, POSIX_TRACE_NO_OVERRUN);
	atomic_store(&desk->log_full, POSIX_TRACE_NOT_FULL);
	atomic_store(&desk->n_refused, 0);
	keeper->first_error = keeper->owed_error = 0;
	/* An old error has to do with events that are no more. */
	keeper->log.error = 0;
	error = log_restart(&keeper->log);
	/* A LOOP log has kept all its descriptions. */
	if (error == 0 && !keeper->loops) {
		processes_forget(&keeper->processes);
		error = describe_again(&keeper->describe);
	}
	keeper_failed(keeper, error);
	keeper->waiting_since = 0;
	atomic_store(&desk->clear_done, wanted);
	keeper_wake(&desk->clear_done);
}

/* Living. */

/* Whether what processes told since the last flush is about to be overwritten. */
static bool notes_are_many(const struct keeper *keeper)
{
	return atomic_load(&keeper->ring.shared->n_notes) - keeper->n_notes_then >= RING_NOTES / 4;
}

/*
 * Whether events of a FLUSH stream, or the processes that they are of, are so many, or so old, that they are written
 * without anybody's word.
 */
static bool wants_flush(struct keeper *keeper, uint64_t waiting)
{
	bool is_full = atomic_load(&keeper->ring.shared->state) == RING_FULL;

	if (keeper->ring.policy != POSIX_TRACE_FLUSH || (keeper->log.error && keeper->now < keeper->retry_at))
		return false;
	if (waiting == 0 && !is_full) {
		keeper->waiting_since = 0;
		return false;
	}
	if (keeper->waiting_since == 0)
		keeper->waiting_since = keeper->now;
	return is_full || waiting > keeper->stream_bytes / 4 || notes_are_many(keeper) ||
	       keeper->now - keeper->waiting_since >= WAITING_MAX;
}

/* Times can be told between two pairs best: there are some while events are written. */
static void keep_pairs(struct keeper *keeper)
{
	const struct log_clock_pair pair = clock_pair((enum log_clock)keeper->ring.clock);

	if (keeper->now - keeper->pair_at < keeper->pairs_apart ||
		keeper->copy.n_copied == keeper->n_copied_then || keeper->log.error)
		return;
	keeper_failed(keeper, log_clock_pair(&keeper->log, &pair));
	keeper->n_copied_then = keeper->copy.n_copied;
	keeper->pair_at = keeper->now;
	if (keeper->loops && keeper->pairs_apart < PAIRS_APART_MAX)
		keeper->pairs_apart *= 2;
}

/* As wants_flush(), of the kernel's switches. */
static bool wants_switches(struct keeper *keeper)
{
	bool is_any = false;

	if (!keeper->switches || keeper->ring.policy != POSIX_TRACE_FLUSH ||
		(keeper->log.error && keeper->now < keeper->retry_at))
		return false;
	keeper->has_many_switches = switches_are_many(keeper->switches, &is_any);
	if (!is_any)
		keeper->switches_since = keeper->now;
	return keeper->has_many_switches || keeper->now - keeper->switches_since >= WAITING_MAX;
}

static uint64_t pace(const struct keeper *keeper, uint64_t waiting)
{
	if (keeper->ring.policy != POSIX_TRACE_FLUSH)
		return PACE_IDLE;
	if ((waiting > keeper->stream_bytes / 8 || keeper->has_many_switches) && !keeper->log.error)
		return PACE_BUSY;
	return waiting > 0 || keeper->switches || keeper->now - keeper->active_at < IDLE_AFTER ? PACE_USUAL
											       : PACE_IDLE;
}

/* One look. False: the end has come, for this reason. */
static bool live(struct keeper *keeper, enum log_end_reason *ret_reason)
{
	struct desk *desk = keeper->desk;
	uint32_t wake = atomic_load(&desk->wake); /* first: whoever asks later changes it */
	uint64_t waiting =
		keeper->ring.policy == POSIX_TRACE_FLUSH ? ring_reader_waiting(keeper->copy.reader) : 0;

	keeper->now = now_ns();
	if (atomic_load(&desk->shutdown_wanted)) {
		*ret_reason = LOG_END_SHUTDOWN;
		return false;
	}
	if (watch_is_gone(&keeper->controller)) {
		*ret_reason = LOG_END_EXIT;
		return false;
	}
	if (atomic_load(&desk->clear_wanted) != atomic_load(&desk->clear_done))
		clear(keeper);
	if (wants_flush(keeper, waiting) || wants_switches(keeper) ||
		atomic_load(&desk->flush_wanted) != atomic_load(&desk->flush_done))
		flush(keeper);
	keep_pairs(keeper);
	keeper_sleep(&desk->wake, wake, pace(keeper, waiting));
	return true;
}

static void keeper_free(struct keeper *keeper)
{
	watch_end(&keeper->controller);
	switches_close(keeper->switches);
	free(keeper->reader_memory);
	free(keeper->log_memory);
	if (keeper->names)
		guard_drop(keeper->names);
	names_unmap(keeper->names);
	ring_unmap(&keeper->ring);
	desk_unmap(keeper->desk);
	free(keeper);
}

static int ring_open(struct keeper *keeper)
{
	struct identity self;

	if (ring_map(&keeper->ring, &keeper->desk->ring, KEEPER_FIRST + KEEPER_RING) != 0)
		return EAGAIN; /* somebody has taken it away already */
	identity_of(0, &self);
	ring_tell_keeper(&keeper->ring, &self);
	return 0;
}

static int keeper_live(struct keeper *keeper)
{
	enum log_end_reason reason = LOG_END_SHUTDOWN;
	int error = ring_open(keeper), status;

	if (error == 0)
		error = keeper_begin(keeper);
	if (error) {
		keeper_tell(keeper, DESK_FAILED, error);
		return 1;
	}
	keeper_tell(keeper, DESK_READY, 0);
	while (live(keeper, &reason))
		;
	status = keeper_end(keeper, reason);
	if (keeper->desk->directory !=
		CONTROL_NOWHERE) /* of a controller that was killed nobody else would, soon */
		ring_remove(&keeper->desk->file, keeper->desk->directory);
	return status;
}

int keeper_run(void)
{
	struct keeper *keeper = calloc(1, sizeof *keeper);
	int status = 1;

	if (!keeper)
		return 1;
	keeper->desk = desk_map(KEEPER_FIRST + KEEPER_DESK);
	if (keeper->desk)
		status = keeper_live(keeper);
	keeper_free(keeper);
	return status;
}
