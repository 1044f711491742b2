/* SPDX-License-Identifier: MIT */
/*
 * The life of a consumer: it begins a log, then wakes again and again, looks for requests of its controller
 * and whether the controller still lives, and copies. No trace point wakes it, so the interval is a
 * compromise: short when there was much, long when nothing happens.
 *
 * The traced processes can write to pool and names, and can take them away: every loop is bounded by a count
 * of its own, and both are guarded. The stream control block is trusted. Operations on it are rare, and
 * sequentially consistent but for the changes in stream_ctl.c.
 */
#include "record/consumer/consumer_own.h"
#include "record/kernel/clock.h"
#include "record/rendezvous/control.h"
#include "record/rendezvous/guard.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Between two looks. */
#define PACE_BUSY  (1 * CONSUMER_MS)
#define PACE_USUAL (20 * CONSUMER_MS)
#define PACE_IDLE  (100 * CONSUMER_MS)
#define IDLE_AFTER (2ull * CONSUMER_SECOND)

#define WAITING_MAX	CONSUMER_SECOND /* the longest that events of a FLUSH stream wait */
#define PAIRS_APART	CONSUMER_SECOND
/* In a LOOP log, which must not grow: twice as long each time, up to this. */
#define PAIRS_APART_MAX (64ull * CONSUMER_SECOND)

#define BLOCKS_BYTES 65536 /* larger blocks of events than the log's buffer needs at least */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * CONSUMER_SECOND + (uint64_t)now.tv_nsec;
}

/* Beginning. */

static int begin_log(struct consumer *consumer, int log_fd)
{
	const struct log_attributes *attributes = &consumer->ctl->attributes;
	struct log_start start = describe_start(&consumer->describe, &consumer->pool, consumer->ctl,
		(int)attributes->log_policy, attributes->log_size);
	size_t size = log_buffer_bytes(&start) + BLOCKS_BYTES;
	int error = consumer->ctl->is_compressed ? log_zstd_open(&consumer->zstd) : 0;

	if (error)
		return error;
	start.zstd = consumer->zstd;
	consumer->loops = attributes->log_policy == POSIX_TRACE_LOOP;
	consumer->log_memory = malloc(size);
	consumer->reader_memory = malloc(pool_reader_bytes(&consumer->pool));
	if (!consumer->log_memory || !consumer->reader_memory)
		return ENOMEM;
	consumer->copy = (struct copy){ .pool = &consumer->pool,
		.ctl = consumer->ctl,
		.reader = pool_reader_begin(consumer->reader_memory, &consumer->pool, true, POOL_READER_RUNS),
		.describe = &consumer->describe,
		.log = &consumer->log,
		.processes = &consumer->processes };
	return log_begin(&consumer->log, log_fd, &start, false, consumer->log_memory, size);
}

static int begin_switches(struct consumer *consumer)
{
	struct switches_config config = {
		.pid = consumer->ctl->attributes.pid,
		.is_inherited = consumer->ctl->attributes.inheritance == POSIX_TRACE_INHERITED,
		.has_faults = (consumer->ctl->switches & POSIX_TRACE_PAGE_FAULTS_NP) != 0,
		.clock = (enum log_clock)consumer->pool.clock,
	};
	int error = copy_open_switches(&config, &consumer->switches);

	consumer->copy.switches = consumer->switches;
	return error;
}

static int consumer_begin(struct consumer *consumer)
{
	const struct stream_ctl *ctl = consumer->ctl;
	int error;

	watch_begin(&consumer->controller, &ctl->controller, CONSUMER_FD_FIRST + CONSUMER_FD_CTL);
	consumer->stream_bytes = ctl->attributes.stream_size;
	consumer->now = consumer->active_at = consumer->pair_at = consumer->names_at = now_ns();
	consumer->pairs_apart = PAIRS_APART;
	consumer->names = names_map(CONSUMER_FD_FIRST + CONSUMER_FD_NAMES);
	if (!consumer->names || !guard_add(consumer->names, names_bytes()))
		return EAGAIN;
	processes_begin(&consumer->processes, &consumer->log, &consumer->pool, UINT64_MAX);
	error = begin_log(consumer, CONSUMER_FD_FIRST + CONSUMER_FD_LOG);
	if (error == 0 && ctl->switches)
		error = begin_switches(consumer);
	if (error == 0)
		error = describe_begin(&consumer->describe, consumer->names, &consumer->log);
	/* A process that can have traced children publishes itself, as they do. */
	if (error == 0 && !consumer->pool.procinfo)
		error = processes_expect(&consumer->processes, ctl->controller.pid, consumer->now);
	return error;
}

static void consumer_flush_now(struct consumer *consumer)
{
	struct stream_ctl *ctl = consumer->ctl;
	uint32_t wanted = atomic_load(&ctl->flush_wanted);

	atomic_store(&ctl->is_flushing, 1);
	consumer->n_procinfos_then = atomic_load(&consumer->pool.shared->n_procinfos);
	consumer_copy_to_log(consumer);
	consumer->waiting_since = 0;
	consumer->switches_since = consumer->now;
	consumer->active_at = consumer->now;
	atomic_store(&ctl->flush_done, wanted);
	atomic_store(&ctl->is_flushing, 0);
	/*
	 * consumer_flush() counts before it sets is_flushing: either the count is seen here, or is_flushing
	 * stays.
	 */
	if (atomic_load(&ctl->flush_wanted) != wanted)
		atomic_store(&ctl->is_flushing, 1);
}

/* posix_trace_clear(): stream and log as if just made (XSH posix_trace_clear()). */
static void consumer_clear_now(struct consumer *consumer)
{
	struct stream_ctl *ctl = consumer->ctl;
	uint32_t wanted = atomic_load(&ctl->clear_wanted);
	int error;

	pool_reader_discard(consumer->copy.reader);
	copy_restart(&consumer->copy);
	atomic_store(&ctl->flush_error, 0);
	atomic_store(&ctl->log_overrun, POSIX_TRACE_NO_OVERRUN);
	atomic_store(&ctl->log_full, POSIX_TRACE_NOT_FULL);
	atomic_store(&ctl->n_refused, 0);
	consumer->first_error = consumer->owed_error = 0;
	/* an old error concerns events that are gone */
	consumer->log.error = 0;
	error = log_restart(&consumer->log);
	/* A LOOP log has kept all its descriptions. */
	if (error == 0 && !consumer->loops) {
		processes_forget(&consumer->processes);
		error = describe_again(&consumer->describe);
	}
	consumer_failed(consumer, error);
	consumer->waiting_since = 0;
	atomic_store(&ctl->clear_done, wanted);
	consumer_wake(&ctl->clear_done);
}

/* Living. */

/* Whether procinfo records since the last flush are about to be overwritten. */
static bool procinfo_is_filling(const struct consumer *consumer)
{
	return atomic_load(&consumer->pool.shared->n_procinfos) - consumer->n_procinfos_then >=
	       POOL_PROCINFOS / 4;
}

/*
 * Whether events of a FLUSH stream, or procinfo records, are so many or so old that they are written without
 * a request.
 */
static bool wants_flush(struct consumer *consumer, uint64_t waiting)
{
	bool is_full = atomic_load(&consumer->pool.shared->state) == POOL_FULL;

	if (consumer->pool.policy != POSIX_TRACE_FLUSH ||
		(consumer->log.error && consumer->now < consumer->retry_at))
		return false;
	if (waiting == 0 && !is_full) {
		consumer->waiting_since = 0;
		return false;
	}
	if (consumer->waiting_since == 0)
		consumer->waiting_since = consumer->now;
	return is_full || waiting > consumer->stream_bytes / 4 || procinfo_is_filling(consumer) ||
	       consumer->now - consumer->waiting_since >= WAITING_MAX;
}

/* Stamps become time best between two clock pairs: some are written while there are events. */
static void keep_pairs(struct consumer *consumer)
{
	const struct log_clock_pair pair = clock_pair((enum log_clock)consumer->pool.clock);

	if (consumer->now - consumer->pair_at < consumer->pairs_apart ||
		consumer->copy.n_copied == consumer->n_copied_then || consumer->log.error)
		return;
	consumer_failed(consumer, log_clock_pair(&consumer->log, &pair));
	consumer->n_copied_then = consumer->copy.n_copied;
	consumer->pair_at = consumer->now;
	if (consumer->loops && consumer->pairs_apart < PAIRS_APART_MAX)
		consumer->pairs_apart *= 2;
}

/* As wants_flush(), for context switches. */
static bool wants_switches(struct consumer *consumer)
{
	bool is_any = false;

	if (!consumer->switches || consumer->pool.policy != POSIX_TRACE_FLUSH ||
		(consumer->log.error && consumer->now < consumer->retry_at))
		return false;
	consumer->has_many_switches = switches_are_many(consumer->switches, &is_any);
	if (!is_any)
		consumer->switches_since = consumer->now;
	return consumer->has_many_switches || consumer->now - consumer->switches_since >= WAITING_MAX;
}

static uint64_t round_interval(const struct consumer *consumer, uint64_t waiting)
{
	if (consumer->pool.policy != POSIX_TRACE_FLUSH)
		return PACE_IDLE;
	if ((waiting > consumer->stream_bytes / 8 || consumer->has_many_switches) && !consumer->log.error)
		return PACE_BUSY;
	return waiting > 0 || consumer->switches || consumer->now - consumer->active_at < IDLE_AFTER
		       ? PACE_USUAL
		       : PACE_IDLE;
}

/* Does one round. Returns false at the end, with the reason. */
static bool consumer_round(struct consumer *consumer, enum log_end_reason *ret_reason)
{
	struct stream_ctl *ctl = consumer->ctl;
	uint32_t wake = atomic_load(&ctl->wake); /* first: a later request changes it */
	uint64_t waiting =
		consumer->pool.policy == POSIX_TRACE_FLUSH ? pool_reader_waiting(consumer->copy.reader) : 0;

	consumer->now = now_ns();
	if (atomic_load(&ctl->shutdown_wanted)) {
		*ret_reason = LOG_END_SHUTDOWN;
		return false;
	}
	if (watch_is_gone(&consumer->controller)) {
		*ret_reason = LOG_END_EXIT;
		return false;
	}
	if (atomic_load(&ctl->clear_wanted) != atomic_load(&ctl->clear_done))
		consumer_clear_now(consumer);
	if (wants_flush(consumer, waiting) || wants_switches(consumer) ||
		atomic_load(&ctl->flush_wanted) != atomic_load(&ctl->flush_done))
		consumer_flush_now(consumer);
	keep_pairs(consumer);
	consumer_sleep(&ctl->wake, wake, round_interval(consumer, waiting));
	return true;
}

static void consumer_free(struct consumer *consumer)
{
	watch_end(&consumer->controller);
	switches_close(consumer->switches);
	free(consumer->reader_memory);
	free(consumer->log_memory);
	log_zstd_close(consumer->zstd);
	if (consumer->names)
		guard_drop(consumer->names);
	names_unmap(consumer->names);
	pool_unmap(&consumer->pool);
	stream_ctl_unmap(consumer->ctl);
	free(consumer);
}

static int pool_map_traced(struct consumer *consumer)
{
	struct identity self;

	if (pool_map(&consumer->pool, &consumer->ctl->pool, CONSUMER_FD_FIRST + CONSUMER_FD_POOL) != 0)
		return EAGAIN; /* another process has taken it away already */
	identity_of(0, &self);
	pool_set_consumer(&consumer->pool, &self);
	return 0;
}

static int consumer_live(struct consumer *consumer)
{
	enum log_end_reason reason = LOG_END_SHUTDOWN;
	int error = pool_map_traced(consumer), status;

	if (error == 0)
		error = consumer_begin(consumer);
	if (error) {
		consumer_report(consumer, CONSUMER_FAILED, error);
		return 1;
	}
	consumer_report(consumer, CONSUMER_READY, 0);
	while (consumer_round(consumer, &reason))
		;
	status = consumer_end(consumer, reason);
	if (consumer->ctl->directory !=
		/* no other process removes the pool of a controller that was killed, for a while */
		CONTROL_NOWHERE)
		pool_remove(&consumer->ctl->file, consumer->ctl->directory);
	return status;
}

int consumer_run(void)
{
	struct consumer *consumer = calloc(1, sizeof *consumer);
	int status = 1;

	if (!consumer)
		return 1;
	consumer->ctl = stream_ctl_map(CONSUMER_FD_FIRST + CONSUMER_FD_CTL);
	if (consumer->ctl)
		status = consumer_live(consumer);
	consumer_free(consumer);
	return status;
}
