/* SPDX-License-Identifier: MIT */
/*
 * LTTng-UST in the unit of the same process: events into a snapshot session, whose buffers overwrite the
 * oldest events and have no consumer, as our streams with POSIX_TRACE_LOOP. Starts the session daemon when
 * none runs.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/record/peer_lttng.def"

#include "bench/record/record.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SESSION "rastrum-bench"

static void loop_number(uint64_t n_events, void *memory)
{
	(void)memory;
	for (uint64_t i = 0; i < n_events; i++) {
		lttng_ust_tracepoint(rastrum_bench, number, (int)i);
		__asm__ volatile("" ::: "memory");
	}
}

static void loop_numbers(uint64_t n_events, void *memory)
{
	(void)memory;
	for (uint64_t i = 0; i < n_events; i++) {
		int a = (int)i;

		lttng_ust_tracepoint(rastrum_bench, numbers, a, a + 1, a + 2, a + 3);
		__asm__ volatile("" ::: "memory");
	}
}

static void loop_off(uint64_t n_events, void *memory)
{
	(void)memory;
	for (uint64_t i = 0; i < n_events; i++) {
		lttng_ust_tracepoint(rastrum_bench, off, (int)i);
		__asm__ volatile("" ::: "memory");
	}
}

static const struct record_row rows[] = {
	{ .name = "ring", .n_bytes = 32, .loop = record_ring_loop },
	{ .name = "4", .n_bytes = 10, .loop = loop_number },
	{ .name = "16", .n_bytes = 22, .loop = loop_numbers },
	{ .name = "off", .loop = loop_off },
	{ .name = NULL },
};

/* Its words go nowhere: standard output belongs to the measurement. */
static bool shell_run(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "(%s) </dev/null >/dev/null 2>&1", command);
	return system(line) == 0;
}

static void session_nap(void)
{
	const struct timespec some = { .tv_nsec = 50000000 };

	nanosleep(&some, NULL);
}

/* The daemon's process; 0: one runs already. */
static pid_t daemon_start(void)
{
	pid_t child;

	if (shell_run("lttng --no-sessiond list"))
		return 0;
	child = fork();
	if (child == 0) {
		execlp("sh", "sh", "-c", "exec lttng-sessiond --no-kernel </dev/null >/dev/null 2>&1",
			(char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < 100 && !shell_run("lttng --no-sessiond list"); i++)
		session_nap();
	return child;
}

/* True when an event of ours would be recorded now. */
static bool session_start(void)
{
	bool is_good = shell_run("lttng create " SESSION " --snapshot") &&
		       shell_run("lttng enable-channel -s " SESSION
				 " -u --overwrite --subbuf-size=512k --num-subbuf=4 loop") &&
		       shell_run("lttng enable-event -s " SESSION
				 " -u -c loop rastrum_bench:number,rastrum_bench:numbers") &&
		       shell_run("lttng start " SESSION);

	for (int i = 0; is_good && i < 100 && !lttng_ust_tracepoint_enabled(rastrum_bench, numbers); i++)
		session_nap();
	return is_good && lttng_ust_tracepoint_enabled(rastrum_bench, number) &&
	       lttng_ust_tracepoint_enabled(rastrum_bench, numbers) &&
	       !lttng_ust_tracepoint_enabled(rastrum_bench, off);
}

int main(void)
{
	pid_t daemon = daemon_start();
	int exit_status = 1, status;

	if (session_start())
		exit_status = record_peer_serve("lttng_", rows, record_timed);
	else
		fprintf(stderr, "bench_lttng: no session of LTTng could be started\n");
	shell_run("lttng destroy " SESSION);
	if (daemon > 0) {
		kill(daemon, SIGTERM);
		waitpid(daemon, &status, 0);
	}
	return exit_status;
}
