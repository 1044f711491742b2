/* SPDX-License-Identifier: MIT */
/* A time, a number or a new thread ends a run of events on its way to the log; records may have to be written
 * in front. */
#include "record/buffer/put.h"
#include "record/consumer/consumer_test.h"
#include "record/consumer/copy.h"

enum { N_FEW = 10, OTHER_THREAD = 1000000 };

struct rig {
	struct traced traced;
	struct describe describe;
	struct processes processes;
	struct log_writer log;
	struct copy copy;
	void *log_memory, *reader_memory;
};

static void rig_make(struct rig *rig, int stream_policy, int log_policy, size_t log_size)
{
	const trace_attr_t attr = traced_attr(stream_policy, log_policy, 65536, log_size);
	struct log_start start;
	size_t size;

	memset(rig, 0, sizeof *rig);
	if (!traced_make(&rig->traced, &attr)) {
		printf("Bail out! no memory for a stream\n");
		exit(1);
	}
	start = describe_start(&rig->describe, &rig->traced.pool, rig->traced.ctl, log_policy, log_size);
	size = log_buffer_bytes(&start);
	rig->log_memory = malloc(size);
	rig->reader_memory = malloc(pool_reader_bytes(&rig->traced.pool));
	processes_begin(&rig->processes, &rig->log, &rig->traced.pool, UINT64_MAX);
	rig->copy = (struct copy){ .pool = &rig->traced.pool,
		.ctl = rig->traced.ctl,
		.reader = pool_reader_begin(rig->reader_memory, &rig->traced.pool, true, POOL_READER_RUNS),
		.describe = &rig->describe,
		.log = &rig->log,
		.processes = &rig->processes,
		.now = 1 };
	log_begin(&rig->log, rig->traced.descriptors[CONSUMER_FD_LOG], &start, false, rig->log_memory, size);
	describe_begin(&rig->describe, rig->traced.names, &rig->log);
}

static void rig_free(struct rig *rig)
{
	traced_free(&rig->traced);
	free(rig->log_memory);
	free(rig->reader_memory);
}

static uint64_t now(const struct rig *rig)
{
	return clock_ticks((enum log_clock)rig->traced.pool.clock);
}

static void put_some(struct rig *rig, uint32_t n)
{
	while (n-- > 0)
		traced_put(&rig->traced);
}

static void put_by(struct rig *rig, uint32_t thread)
{
	const struct log_event event = { .type = TEST_EVENT,
		.length = sizeof rig->traced.n_put,
		.cpu = LOG_NO_CPU,
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)gettid() + thread };

	pool_put(&rig->traced.pool, &event, &rig->traced.n_put);
	rig->traced.n_put++;
}

static uint64_t copy_all(struct rig *rig)
{
	const uint64_t before = rig->copy.n_copied;

	copy_run(&rig->copy, now(rig), copy_bound(&rig->traced.pool));
	return rig->copy.n_copied - before;
}

static struct found *rig_finish(struct rig *rig)
{
	struct log_end end = { 0 };

	copy_finish(&rig->copy, &end);
	return log_find(rig->traced.path);
}

static void test_limits(void)
{
	struct rig rig;
	struct found *found;
	uint32_t first;
	uint64_t then;
	bool is_run;

	rig_make(&rig, POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, 0);
	put_some(&rig, N_FEW);
	then = now(&rig);
	while (now(&rig) <= then)
		;
	put_some(&rig, 2 * N_FEW);
	copy_run(&rig.copy, then, UINT64_MAX);
	is_number(rig.copy.n_copied, N_FEW, "what is later than a time is left");
	copy_run(&rig.copy, now(&rig), N_FEW / 2);
	is_number(rig.copy.n_copied, N_FEW + N_FEW / 2, "so is what is beyond a number");
	copy_all(&rig);
	found = rig_finish(&rig);
	ok(found_run(found, &first, &is_run) == 3 * N_FEW && is_run && found->is_ordered && !found->n_lost,
		"it comes later, each event once");
	free(found);
	rig_free(&rig);
}

/*
 * A run is looked at anew where the thread changes: its name must be asked for in front of its first event.
 */
static void test_threads(int stream_policy)
{
	struct rig rig;

	rig_make(&rig, stream_policy, POSIX_TRACE_APPEND, 0);
	for (uint32_t i = 0; i < 2 * N_FEW; i++)
		put_by(&rig, i < N_FEW ? 0 : OTHER_THREAD);
	is_number(copy_all(&rig), 2 * N_FEW, "events of two threads are copied");
	is_number(rig.processes.last_tid, (uint32_t)gettid() + OTHER_THREAD, "each thread was met");
	free(rig_finish(&rig));
	rig_free(&rig);
}

/* As a flush does: the log has an event that is later than some of the pool, and a new block. */
static void test_late(void)
{
	const struct log_event mark = { .type = POSIX_TRACE_FLUSH_STOP, .cpu = LOG_NO_CPU };
	struct rig rig;
	struct found *found;
	uint64_t later;

	rig_make(&rig, POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, 0);
	put_some(&rig, 1);
	copy_all(&rig);
	put_some(&rig, N_FEW);
	copy_run(&rig.copy, now(&rig), 1);
	later = now(&rig) + 100000000;
	copy_own(&rig.copy, &mark, later, NULL);
	log_flush(&rig.log);
	copy_run(&rig.copy, later, UINT64_MAX);
	found = rig_finish(&rig);
	ok(found->is_ordered && found_type(found, TEST_EVENT) == N_FEW + 1,
		"events that come too late stand behind those that were written, in order of time");
	free(found);
	rig_free(&rig);
}

/* A stream that was stopped, started, and then stopped itself. */
static void test_stops(void)
{
	const struct log_event stop = { .type = POSIX_TRACE_STOP, .length = sizeof(int), .cpu = LOG_NO_CPU };
	struct rig rig;
	struct found *found;

	rig_make(&rig, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0);
	put_some(&rig, N_FEW);
	pool_put(&rig.traced.pool, &stop, &(int){ 0 });
	while (traced_put(&rig.traced))
		;
	rig.copy.is_ending = true;
	copy_all(&rig);
	found = rig_finish(&rig);
	ok(found_type(found, POSIX_TRACE_STOP) == 2 && found->type[found->n_events - 1] == POSIX_TRACE_STOP &&
			found->value[found->n_events - 1] == 1,
		"the automatic STOP is the last event, also behind another STOP");
	free(found);
	rig_free(&rig);
}

/* A log that is full takes no more of a run. */
static void test_full(void)
{
	struct rig rig;
	struct found *found;
	uint32_t n;

	rig_make(&rig, POSIX_TRACE_FLUSH, POSIX_TRACE_UNTIL_FULL, 300);
	put_some(&rig, 10 * N_FEW);
	copy_all(&rig);
	found = rig_finish(&rig);
	n = found_type(found, TEST_EVENT);
	ok(n > N_FEW && n < 4 * N_FEW && found->n_lost == 10 * N_FEW - n &&
			found->end.n_lost == found->n_lost &&
			found->type[found->n_events - 1] == POSIX_TRACE_STOP,
		"a log that is full in the midst of a run has as much as it may, and a STOP");
	free(found);
	rig_free(&rig);
}

int main(void)
{
	test_limits();
	test_threads(POSIX_TRACE_FLUSH);
	test_threads(POSIX_TRACE_LOOP);
	test_late();
	test_stops();
	test_full();
	return tap_done();
}
