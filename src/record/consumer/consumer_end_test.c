/* SPDX-License-Identifier: MIT */
/* However the controller of a stream goes, its log is completed (section 6.3). */
#include "record/consumer/consumer_test.h"
#include "record/consumer/watch.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum {
	N_PUT = 50,
	SOON_MS = 20000 /* before the program of exec ends; some milliseconds on a quiet machine */
};

/* The child calls it once its stream has events; its result is the child's status. */
typedef int controller_end(struct traced *);

static int end_by_return(struct traced *traced)
{
	(void)traced;
	return 0;
}

static int end_by_kill(struct traced *traced)
{
	(void)traced;
	return raise(SIGKILL);
}

static int end_by_exec(struct traced *traced)
{
	(void)traced;
	return execl("/bin/sleep", "sleep", "60", (char *)NULL);
}

/* Its memory cannot be looked at. */
static int end_undumpable(struct traced *traced)
{
	(void)traced;
	sleep_ms(300);
	return 0;
}

/* As daemons do: all descriptors closed, and on it goes. */
static int live_without_descriptors(struct traced *traced)
{
	close_range(3, ~0u, 0);
	sleep_ms(500);
	for (uint32_t i = 0; i < N_PUT; i++)
		traced_put(traced);
	return 0;
}

static void controller_run(struct traced *traced, controller_end *end)
{
	if (end == end_undumpable)
		prctl(PR_SET_DUMPABLE, 0);
	traced->ctl = stream_ctl_map(traced->descriptors[CONSUMER_FD_CTL]);
	identity_of(0, &traced->ctl->controller);
	if (traced_launch(traced) != 0)
		_exit(99);
	for (uint32_t i = 0; i < N_PUT; i++)
		traced_put(traced);
	_exit(end(traced));
}

/* Milliseconds until the consumer is done. */
static unsigned int wait_done(const struct traced *traced, unsigned int most)
{
	unsigned int waited = 0;

	while (atomic_load(&traced->ctl->state) != CONSUMER_DONE && waited < most) {
		sleep_ms(5);
		waited += 5;
	}
	return waited;
}

static void test_end(const char *way, int stream_policy, controller_end *end, uint32_t n_expected)
{
	const trace_attr_t attr = traced_attr(stream_policy, POSIX_TRACE_APPEND, 65536, 0);
	struct traced traced;
	struct found *found;
	unsigned int waited;
	uint32_t first;
	bool is_run;
	pid_t pid;

	traced_make(&traced, &attr);
	pid = fork();
	if (pid == 0)
		controller_run(&traced, end);
	if (end != end_by_exec)
		waitpid(pid, NULL, 0);
	waited = wait_done(&traced, SOON_MS);
	ok(waited < SOON_MS, "%s: the consumer notices soon (%u ms)", way, waited);
	found = log_find(traced.path);
	ok(found->is_complete && !found->is_damaged && found->end.reason == LOG_END_EXIT,
		"%s: the log is complete", way);
	ok(found_run(found, &first, &is_run) == n_expected && is_run, "%s: all events are in it", way);
	ok(found->n_events > 0 && found->type[found->n_events - 1] == POSIX_TRACE_STOP &&
			found->value[found->n_events - 1] == 0,
		"%s: the stream was stopped as if by shutdown", way);
	ok(atomic_load(&traced.pool.shared->state) == POOL_GONE,
		"%s: its children's trace points see it gone", way);
	if (end == end_by_exec) {
		ok(kill(pid, 0) == 0 && waitpid(pid, NULL, WNOHANG) == 0, "%s: the new program runs on", way);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	free(found);
	traced_free(&traced);
}

/* If the consumer was killed, the status must not show a flush in progress. */
static void test_consumer_killed(void)
{
	const trace_attr_t attr = traced_attr(POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0);
	struct traced traced;
	struct stream_ctl *ctl;
	unsigned int waited = 0;

	traced_make(&traced, &attr);
	traced_launch(&traced);
	ctl = traced.ctl;
	ok(!consumer_flushes(traced.ctl), "nothing is flushed without a request");
	kill((pid_t)ctl->consumer.pid, SIGSTOP);
	ok(consumer_flush(traced.ctl) == 0 && consumer_flushes(traced.ctl),
		"a consumer that sleeps is still about to flush");
	kill((pid_t)ctl->consumer.pid, SIGKILL);
	errno = 4321;
	while (consumer_flushes(traced.ctl) && waited++ < 2000)
		sleep_ms(1);
	ok(waited < 2000 && ctl->flush_error == EIO && errno == 4321, "one that was killed has failed");
	ctl->flush_error = 0;
	ok(!consumer_flushes(traced.ctl) && ctl->flush_error == 0, "that is reported once");
	ok(consumer_flush(traced.ctl) == ESRCH && consumer_clear(traced.ctl) == ESRCH &&
			consumer_shutdown(traced.ctl) == ESRCH,
		"it is not waited for");
	traced_free(&traced);
}

/* A look must be cheap: it is taken many times a second. */
static void test_watch_costs(void)
{
	const trace_attr_t attr = traced_attr(POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0);
	struct timespec begin, end;
	struct identity self, other;
	struct traced traced;
	struct watch watch;
	double each;
	int i;

	traced_make(&traced, &attr);
	identity_of(0, &self);
	watch_begin(&watch, &self, traced.descriptors[CONSUMER_FD_CTL]);
	ok(!watch_is_gone(&watch) && watch.map >= 0, "a living controller is alive");
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	for (i = 0; i < 10000 && !watch_is_gone(&watch); i++)
		;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	each = ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / 10000;
	ok(i == 10000 && each < 50000, "a look costs less than 50 microseconds (%.1f)", each / 1000);
	watch_end(&watch);
	other = self;
	other.start++;
	watch_begin(&watch, &other, traced.descriptors[CONSUMER_FD_CTL]);
	ok(watch_is_gone(&watch), "a process that began at another time is another process");
	watch_end(&watch);
	watch_begin(&watch, &self, traced.descriptors[CONSUMER_FD_LOG]);
	ok(watch_is_gone(&watch), "a process without the stream in its memory has called exec already");
	watch_end(&watch);
	traced_free(&traced);
}

int main(int n_arguments, char **arguments)
{
	(void)n_arguments;
	if (traced_is_consumer(arguments))
		return consumer_run();
	traced_set_consumer(NULL);
	test_watch_costs();
	test_consumer_killed();
	test_end("return", POSIX_TRACE_FLUSH, end_by_return, N_PUT);
	test_end("SIGKILL", POSIX_TRACE_FLUSH, end_by_kill, N_PUT);
	test_end("SIGKILL, LOOP", POSIX_TRACE_LOOP, end_by_kill, N_PUT);
	test_end("exec", POSIX_TRACE_FLUSH, end_by_exec, N_PUT);
	test_end("exec, LOOP", POSIX_TRACE_LOOP, end_by_exec, N_PUT);
	test_end("not dumpable", POSIX_TRACE_LOOP, end_undumpable, N_PUT);
	test_end("no descriptors", POSIX_TRACE_LOOP, live_without_descriptors, 2 * N_PUT);
	return tap_done();
}
