/* SPDX-License-Identifier: MIT */
#include "record/consumer/consumer_test.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static struct found *traced_finish(struct traced *traced, const char *sentence)
{
	ok(consumer_shutdown(traced->ctl) == 0, "%s: the log is finished", sentence);
	return log_find(traced->path);
}

static bool is_good(const struct found *found, enum log_end_reason reason)
{
	return found->is_log && found->is_complete && !found->is_damaged && found->is_ordered &&
	       found->end.reason == reason;
}

static void test_flush(struct traced *traced)
{
	struct found *found;
	uint32_t first;
	bool is_run;
	size_t size;

	ok(traced_launch(traced) == 0, "FLUSH: the consumer is ready");
	found = log_find(traced->path);
	ok(found->is_log && found->n_blocks[LOG_ATTRIBUTES] == 1 && found->n_blocks[LOG_TYPE] == 9 &&
			found->n_blocks[LOG_CLOCK_PAIR] == 2 && found->n_blocks[LOG_MODULE] > 0 &&
			found->task.pid == (uint32_t)getpid(),
		"then attributes, types, clocks, modules and the traced process's name are in the log");
	size = found->size;
	free(found);
	sleep_ms(1300);
	found = log_find(traced->path);
	ok(found->size == size, "a stream without events makes no log grow");
	free(found);
	for (int i = 0; i < 100; i++)
		traced_put(traced);
	found = log_find(traced->path);
	for (int i = 0; i < 100 && found_type(found, POSIX_TRACE_FLUSH_STOP) == 0; i++) {
		free(found);
		sleep_ms(100);
		found = log_find(traced->path);
	}
	ok(found_run(found, &first, &is_run) == 100 && is_run,
		"events come to the log within about a second");
	ok(found_type(found, POSIX_TRACE_FLUSH_START) == 1 &&
			found_type(found, POSIX_TRACE_FLUSH_STOP) == 1 &&
			found->type[found->n_events - 1] == POSIX_TRACE_FLUSH_STOP,
		"events mark the begin and the end of the flush");
	size = found->size;
	free(found);
	sleep_ms(1500);
	found = log_find(traced->path);
	ok(found->size <= size + 200 && found_type(found, POSIX_TRACE_FLUSH_START) == 1,
		"its own events begin no other flush");
	free(found);
	found = traced_finish(traced, "FLUSH");
	ok(is_good(found, LOG_END_SHUTDOWN) && found_type(found, POSIX_TRACE_STOP) == 1 &&
			found->end.n_lost == 0 && found->end.n_events == found->n_events,
		"the log is complete, and the stream was stopped");
	free(found);
}

/* Many more than the stream can hold: the consumer must keep up, or the stream stop and go on. */
static void test_much(struct traced *traced)
{
	struct found *found;
	uint32_t first, n = 0, n_missed = 0;
	bool is_run;

	traced_launch(traced);
	for (int turn = 0; turn < 200; turn++) {
		for (int i = 0; i < 200; i++)
			n += traced_put(traced) ? 1 : 0,
				n_missed += atomic_load(&traced->pool.shared->state) != POOL_RUNNING;
		sleep_ms(1);
	}
	found = traced_finish(traced, "much");
	is_number(found_run(found, &first, &is_run), n, "every event that the stream took is in the log");
	ok(is_run && is_good(found, LOG_END_SHUTDOWN), "once, and in order");
	ok(found->n_lost == found->end.n_lost, "the losses at their places add up to the log's total (%llu)",
		(unsigned long long)found->end.n_lost);
	/* One that is full until the end stops by itself only. */
	ok(found_type(found, POSIX_TRACE_STOP) > 0 &&
			(n_missed > 0 || found_type(found, POSIX_TRACE_STOP) == 1),
		"a stream that was full has a STOP (%u)", n_missed);
	free(found);
}

static void test_request(struct traced *traced)
{
	struct stream_ctl *ctl = traced->ctl;
	struct found *found;
	uint32_t first, n;
	bool is_run;

	traced_launch(traced);
	for (int i = 0; i < 10; i++)
		traced_put(traced);
	sleep_ms(1200);
	found = log_find(traced->path);
	ok(found->n_events == 0, "LOOP: nothing is written without a request");
	free(found);
	ok(consumer_flush(traced->ctl) == 0, "a flush is requested");
	while (atomic_load(&ctl->is_flushing))
		sleep_ms(1);
	found = log_find(traced->path);
	ok(found_run(found, &first, &is_run) == 10 && is_run && atomic_load(&ctl->flush_done) == 1,
		"when it is over all is in the log");
	free(found);
	traced_put(traced);
	ok(consumer_clear(traced->ctl) == 0, "a clear is answered");
	found = log_find(traced->path);
	ok(found->n_events == 0 && !found->is_damaged, "the log has no events then");
	free(found);
	while ((n = traced->n_put) < 20)
		traced_put(traced);
	found = traced_finish(traced, "LOOP");
	ok(found_run(found, &first, &is_run) == 9 && first == 11 && is_run &&
			found->n_blocks[LOG_TYPE] >= 9 && found->n_lost == 0 &&
			is_good(found, LOG_END_SHUTDOWN),
		"what came later is in it, and nothing was lost");
	free(found);
}

/* The stream itself overwrites. */
static void test_overwritten(struct traced *traced)
{
	struct found *found;
	uint32_t first, n;
	bool is_run;

	traced_launch(traced);
	for (int i = 0; i < 20000; i++)
		traced_put(traced);
	found = traced_finish(traced, "overwritten");
	n = found_run(found, &first, &is_run);
	ok(n > 100 && is_run && first + n == 20000, "the newest events are in the log");
	ok(found_type(found, POSIX_TRACE_OVERFLOW) == 1 && found_type(found, POSIX_TRACE_RESUME) == 1 &&
			found->n_blocks[LOG_LOSS] == 1 && found->n_lost == first,
		"the others are reported as lost");
	ok(found->end.stream_overrun == POSIX_TRACE_OVERRUN && found->end.n_lost == first &&
			is_good(found, LOG_END_SHUTDOWN),
		"also by the log's end");
	free(found);
}

static void test_until_full(struct traced *traced)
{
	struct stream_ctl *ctl = traced->ctl;
	struct found *found;
	uint32_t first, n;
	bool is_run;

	traced_launch(traced);
	for (int i = 0; i < 400; i++)
		traced_put(traced);
	for (int i = 0; i < 10000 && atomic_load(&ctl->log_overrun) != POSIX_TRACE_OVERRUN; i++)
		sleep_ms(1);
	ok(atomic_load(&ctl->log_full) == POSIX_TRACE_FULL &&
			atomic_load(&ctl->log_overrun) == POSIX_TRACE_OVERRUN,
		"UNTIL_FULL: the status has FULL for the log");
	found = traced_finish(traced, "UNTIL_FULL");
	n = found_run(found, &first, &is_run);
	ok(n > 60 && n < 200 && first == 0 && is_run, "the log has the oldest events");
	ok(found->type[found->n_events - 1] == POSIX_TRACE_STOP && found_type(found, POSIX_TRACE_STOP) == 1,
		"STOP is the last event");
	ok(is_good(found, LOG_END_SHUTDOWN) && found->end.log_full == POSIX_TRACE_FULL &&
			found->end.n_lost >= 400 - n,
		"the others are counted as lost");
	free(found);
}

static void test_log_loop(struct traced *traced)
{
	struct found *found;
	uint32_t first, n;
	bool is_run;

	traced_launch(traced);
	for (int turn = 0; turn < 40; turn++) {
		for (int i = 0; i < 100; i++)
			traced_put(traced);
		sleep_ms(25);
	}
	found = traced_finish(traced, "a log that loops");
	n = found_run(found, &first, &is_run);
	ok(n >= 4096 / 48 && n < 2000 && is_run && first + n == traced->n_put,
		"it has the newest events (%u)", n);
	ok(is_good(found, LOG_END_SHUTDOWN) && found->end.n_overwritten > 0 &&
			found->end.log_full == POSIX_TRACE_FULL,
		"and counts the overwritten older ones");
	free(found);
}

/* The limit of a log in bytes, and a number of events that exceeds it. */
enum { TOO_MANY_BYTES = 16384, N_TOO_MANY = 3000 };

/* A disk that is full, as a limit of the controller's makes it. */
static void test_too_large(struct traced *traced)
{
	struct rlimit limit, small = { TOO_MANY_BYTES, 0 };
	struct stream_ctl *ctl = traced->ctl;
	struct found *found;
	uint32_t first, n;
	bool is_run;

	getrlimit(RLIMIT_FSIZE, &limit);
	small.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	ok(traced_launch(traced) == 0, "a log that may not grow begins");
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < N_TOO_MANY; i++)
		traced_put(traced);
	n = traced->n_put;
	consumer_flush(traced->ctl);
	for (int i = 0; i < 10000 && atomic_load(&ctl->flush_error) == 0; i++)
		sleep_ms(1);
	is_number(atomic_load(&ctl->flush_error), EFBIG, "writing it fails with EFBIG");
	ok(atomic_load(&ctl->state) == CONSUMER_READY, "the consumer lives on");
	prlimit((pid_t)ctl->consumer.pid, RLIMIT_FSIZE, &limit, NULL);
	consumer_flush(traced->ctl);
	for (int i = 0; i < 10000 && atomic_load(&ctl->flush_done) != atomic_load(&ctl->flush_wanted); i++)
		sleep_ms(1);
	found = traced_finish(traced, "when there is room again");
	ok(found_run(found, &first, &is_run) == n && is_run && is_good(found, LOG_END_SHUTDOWN) &&
			found->end.flush_error == EFBIG,
		"nothing was lost");
	ok(found_type(found, POSIX_TRACE_ERROR) == 1 &&
			found->value[found_at(found, POSIX_TRACE_ERROR)] == EFBIG,
		"and the log has POSIX_TRACE_ERROR with that error, once");
	free(found);
}

/* The log reports what it could not take, and it has an end. */
static void test_never_room(struct traced *traced)
{
	struct rlimit limit, small = { TOO_MANY_BYTES, 0 };
	struct found *found;
	uint32_t first, n;
	bool is_run;

	getrlimit(RLIMIT_FSIZE, &limit);
	small.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	traced_launch(traced);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < N_TOO_MANY; i++)
		traced_put(traced);
	ok(consumer_shutdown(traced->ctl) == EFBIG, "shutdown reports a log that found no room");
	found = log_find(traced->path);
	n = found_run(found, &first, &is_run);
	ok(is_good(found, LOG_END_SHUTDOWN) && found->end.flush_error == EFBIG,
		"and it is complete all the same");
	/*
	 * A flush that began meanwhile marks its begin and its end by two events, which may be lost as well.
	 */
	ok(first == 0 && is_run && n + found->n_lost >= N_TOO_MANY && n + found->n_lost <= N_TOO_MANY + 4 &&
			found->end.n_lost == found->n_lost,
		"events that are not in it are reported as lost (%u, %llu)", n,
		(unsigned long long)found->n_lost);
	ok(found->end.log_full == POSIX_TRACE_FULL && found->end.log_overrun == POSIX_TRACE_OVERRUN &&
			found->type[found->n_events - 1] == POSIX_TRACE_STOP,
		"it ends with STOP, as a full one does");
	free(found);
}

static void test_snapshot(struct traced *traced)
{
	char path[] = "/tmp/consumer_snapshot.XXXXXX";
	void *memory = malloc(consumer_snapshot_bytes(&traced->pool));
	int fd = mkstemp(path);
	struct found *found;
	uint32_t first;
	bool is_run;

	for (int i = 0; i < 50; i++)
		traced_put(traced);
	errno = 4321;
	ok(consumer_snapshot(&traced->pool, traced->ctl, traced->names, NULL, fd, memory) == 0 &&
			errno == 4321,
		"a snapshot is written");
	found = log_find(path);
	ok(found_run(found, &first, &is_run) == 50 && is_run && is_good(found, LOG_END_SNAPSHOT),
		"it has all events");
	ok(found->n_blocks[LOG_ATTRIBUTES] == 1 && found->n_blocks[LOG_TYPE] == 9 &&
			found->n_blocks[LOG_MODULE] > 0 && found->n_blocks[LOG_TASK] == 1 &&
			found->task.tid == (uint32_t)getpid() && found->task.name[0],
		"and what is needed to read them, the names of its threads, too");
	free(found);
	lseek(fd, 0, SEEK_SET);
	traced_put(traced);
	consumer_snapshot(&traced->pool, traced->ctl, traced->names, NULL, fd, memory);
	found = log_find(path);
	ok(found_run(found, &first, &is_run) == 51 && first == 0 && is_run,
		"it takes nothing: another one has them, too");
	free(found);
	free(memory);
	close(fd);
	unlink(path);
	traced_launch(traced);
	free(traced_finish(traced, "a snapshot's stream"));
}

/* Names, and a process that comes later. */
static void test_described(struct traced *traced)
{
	trace_event_id_t id;
	struct found *found;
	pid_t pid;

	traced_launch(traced);
	names_open(traced->names, "consumer.test", &id);
	pid = fork();
	if (pid == 0) {
		const struct log_event event = { .type = (uint16_t)id,
			.cpu = LOG_NO_CPU,
			.pid = (uint32_t)getpid(),
			.tid = (uint32_t)getpid(),
			.address = (uint64_t)(uintptr_t)&consumer_launch };

		pool_put(&traced->pool, &event, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED); /* while it lives, its name can be read */
	consumer_flush(traced->ctl);
	while (atomic_load(&traced->ctl->is_flushing))
		sleep_ms(1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	found = traced_finish(traced, "a child");
	ok(found->n_blocks[LOG_TYPE] == 10 && found_type(found, (uint16_t)id) == 1,
		"a type opened later is written before use");
	ok(found->task.pid == (uint32_t)pid && found->n_blocks[LOG_TASK] == 2, "a child is named");
	free(found);
}

static void test_scribbled(struct traced *traced)
{
	struct found *found;
	uint32_t seed = 1;

	traced_launch(traced);
	for (int i = 0; i < 200; i++)
		traced_put(traced);
	for (uint64_t at = traced->pool.geometry.buffers_at; at + 4 < traced->pool.geometry.total_bytes;
		at += 4) {
		seed = seed * 1103515245 + 12345;
		if ((seed >> 16) % 3 == 0)
			memcpy((unsigned char *)traced->pool.shared + at, &seed, 4);
	}
	found = traced_finish(traced, "scribbled");
	ok(found->is_log && found->is_complete && !found->is_damaged,
		"a stream that was scribbled over ends all the same");
	free(found);
}

struct scenario {
	int stream_policy, log_policy;
	size_t stream_size, log_size;
	void (*test)(struct traced *);
};
static const struct scenario scenarios[] = {
	{ POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, 65536, 0, test_flush },
	{ POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, 65536, 0, test_much },
	{ POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0, test_request },
	{ POSIX_TRACE_LOOP, POSIX_TRACE_LOOP, 65536, 65536, test_request },
	{ POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0, test_overwritten },
	{ POSIX_TRACE_FLUSH, POSIX_TRACE_UNTIL_FULL, 65536, 1024, test_until_full },
	{ POSIX_TRACE_FLUSH, POSIX_TRACE_LOOP, 65536, 4096, test_log_loop },
	{ POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, 262144, 0, test_too_large },
	{ POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, 262144, 0, test_never_room },
	{ POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0, test_snapshot },
	{ POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0, test_described },
	{ POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 65536, 0, test_scribbled },
	{ POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0, test_scribbled },
};

int main(int n_arguments, char **arguments)
{
	(void)n_arguments;
	if (traced_is_consumer(arguments)) {
		signal(SIGXFSZ, SIG_IGN);
		return consumer_run();
	}
	traced_set_consumer(NULL);
	for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
		const struct scenario *scenario = &scenarios[i];
		const trace_attr_t attr = traced_attr(scenario->stream_policy, scenario->log_policy,
			scenario->stream_size, scenario->log_size);
		struct traced traced;

		if (ok(traced_make(&traced, &attr), "stream %zu is made", i))
			scenario->test(&traced);
		traced_free(&traced);
	}
	return tap_done();
}
