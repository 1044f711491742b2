/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder: writes a pool to a log at once, in the process that has it mapped, without a consumer.
 * Async-signal-safe.
 */
#include "record/consumer/consumer.h"
#include "record/consumer/copy.h"
#include "record/kernel/clock.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS_BYTES 32768 /* larger blocks of events than the buffer needs at least */
#define INSTANT	     1	   /* the time for processes.h does not pass: each process is looked at once */
#define ASK_WORK \
	1024 /* reads of thread names, and memory of children: the handler of a signal must not take long */

/* In memory that was allocated before; reader and log follow. */
struct snapshot {
	struct describe describe;
	struct copy copy;
	struct processes processes;
	struct log_writer log;
	_Alignas(64) unsigned char rest[];
};

static size_t round_up(size_t size)
{
	return (size + 63) & ~(size_t)63;
}

static size_t buffer_bytes(const struct pool *pool)
{
	const struct log_start start = { .policy = POSIX_TRACE_APPEND, .data_max = describe_data_max(pool) };

	return log_buffer_bytes(&start) + BLOCKS_BYTES;
}

size_t consumer_snapshot_bytes(const struct pool *pool)
{
	return sizeof(struct snapshot) + round_up(pool_reader_bytes(pool)) + buffer_bytes(pool);
}

static int snapshot_write(struct snapshot *snapshot, const struct pool *pool, const struct stream_ctl *ctl,
	const struct names *names, struct switches *switches, int fd)
{
	const struct log_start start = describe_start(&snapshot->describe, pool, ctl, POSIX_TRACE_APPEND, 0);
	struct log_end end = { .reason = LOG_END_SNAPSHOT };
	struct log_writer *log = &snapshot->log;
	uint64_t until;
	int error;

	memset(&snapshot->processes, 0, sizeof snapshot->processes);
	processes_begin(&snapshot->processes, log, pool, ASK_WORK);
	snapshot->copy = (struct copy){ .pool = pool,
		.ctl = ctl,
		.describe = &snapshot->describe,
		.log = log,
		.processes = &snapshot->processes,
		.now = INSTANT };
	error = log_begin(log, fd, &start, true, snapshot->rest + round_up(pool_reader_bytes(pool)),
		buffer_bytes(pool));
	if (error == 0)
		error = describe_begin(&snapshot->describe, names, log);
	if (error == 0 && !pool->procinfo)
		error = processes_expect(&snapshot->processes, ctl->attributes.pid, INSTANT);
	if (error)
		return error;
	/*
	 * The newest events are those of now, not of the beginning, because writing takes time. With switches
	 * it ends where those of all CPUs are known, so that its last events have theirs.
	 */
	snapshot->copy.reader = pool_reader_begin(snapshot->rest, pool, false, POOL_READER_RUNS);
	snapshot->copy.switches = switches;
	until = switches ? switches_begin(switches) : clock_ticks((enum log_clock)pool->clock);
	error = copy_run(&snapshot->copy, until, copy_bound(pool));
	if (error == 0)
		error = processes_follow(&snapshot->processes, UINT64_MAX);
	return error ? error : copy_finish(&snapshot->copy, &end);
}

int consumer_snapshot(const struct pool *pool, const struct stream_ctl *ctl, const struct names *names,
	struct switches *switches, int fd, void *memory)
{
	int kept = errno, error = snapshot_write(memory, pool, ctl, names, switches, fd);

	errno = kept;
	return error;
}
