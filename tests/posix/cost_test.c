/* SPDX-License-Identifier: MIT */
/*
 * Counts the instructions of a trace point that records nothing: another process steps through this one.
 * Restartable sequences never end under single steps, so trace points that record cannot be counted so.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_STEPS_MAX = 100000 };

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { IS_COUNTED = true };
#else
enum { IS_COUNTED = false };
#endif

static trace_event_id_t type;

static void put_nothing(void)
{
}

static void put_one(void)
{
	const unsigned int number = 7;

	posix_trace_event(type, &number, sizeof(number));
}

/* Between two stops of a child; -1: this cannot be counted here. */
static long n_steps(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGUSR1)
		return -1;
	for (long n = 0; n < N_STEPS_MAX; n++) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) != pid ||
			!WIFSTOPPED(status))
			return -1;
		if (WSTOPSIG(status) != SIGTRAP)
			return WSTOPSIG(status) == SIGUSR1 ? n : -1;
	}
	return -1;
}

static _Noreturn void step_in_child(void (*prepare)(void), void (*put)(void))
{
	prepare();
	put(); /* the first one of a thread costs more */
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(1);
	raise(SIGUSR1);
	put();
	raise(SIGUSR1);
	_exit(0);
}

static long n_instructions_with_frame(void (*prepare)(void), void (*put)(void))
{
	pid_t pid = fork();
	long n;

	if (pid == 0)
		step_in_child(prepare, put);
	n = n_steps(pid);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return n;
}

/* Of one trace point, its call included; -1. */
static long n_instructions(void (*prepare)(void))
{
	long frame = n_instructions_with_frame(prepare, put_nothing);
	long all = n_instructions_with_frame(prepare, put_one);

	return frame < 0 || all < 0 ? -1 : all - frame;
}

static const struct shape plain = { .size = 65536 };

static void have_no_stream(void)
{
}

static void have_suspended(void)
{
	stream_make(&plain);
}

static void have_filtered(void)
{
	filter_with(stream_run(&plain), POSIX_TRACE_ALL_EVENTS);
}

/* Only an event that a restartable sequence recorded has its processor. */
static bool has_sequences(void)
{
	trace_id_t trid = stream_run(&plain);
	struct seen event = { .info = { .posix_cpu_np = -1 } };

	put_one();
	read_one(trid, &event);
	posix_trace_shutdown(trid);
	return event.info.posix_cpu_np >= 0;
}

/*
 * A look at every stream takes half as many more. What the frame of the call costs depends on the compiler's
 * flags.
 */
static void check_cost(void (*prepare)(void), const char *which, long off)
{
	long n = n_instructions(prepare);

	ok(n > 0 && n - off <= 47,
		"10 event: a stream that is %s costs few instructions (%ld; without stream %ld)", which, n,
		off);
}

int main(void)
{
	long off = -1;

	fixture_begin();
	type = type_open("cost: event");
	if (IS_COUNTED && has_sequences())
		off = n_instructions(have_no_stream);
	if (off < 0) {
		skip("10 event: a stream that records nothing costs few instructions",
			"they are counted on x86-64 with restartable sequences, without sanitizers");
		return tap_done();
	}
	check_cost(have_suspended, "suspended", off);
	check_cost(have_filtered, "filtered", off);
	return tap_done();
}
