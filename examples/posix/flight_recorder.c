/* SPDX-License-Identifier: MIT */
/*
 * A flight recorder keeps the newest events in memory. It writes them when a user asks for them (SIGUSR1) and
 * when the program dies (SIGSEGV, SIGABRT). Signal handlers do both, while other threads go on recording.
 *
 *	cc -o flight_recorder flight_recorder.c $(pkg-config --cflags --libs posixtrace)
 *	./flight_recorder wanted.rst crash.rst & sleep 0.3; kill -USR1 $!; wait $!
 *	rastrum report crash.rst | tail
 *
 * It has a bug, and dies of it within a second.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trace_point_np.h>
#include <unistd.h>

#define MILLISECOND 1000000L
#define N_SENSORS   4
#define N_TURNS	    800

static trace_id_t trid;
static const char *wanted_path = "wanted.rst", *crash_path = "crash.rst";

static void check(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(EXIT_FAILURE);
}

/* Async-signal-safe all through: open(2), the snapshot, close(2). It consumes nothing and stops nothing. */
static void write_snapshot(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		return;
	posix_trace_snapshot_np(trid, fd);
	close(fd);
}

static void handle_wanted(int number)
{
	POSIX_TRACE_EVENT_NP(snapshot_wanted, number); /* trace points may stand in handlers, too */
	write_snapshot(wanted_path);
}

/* Goes on to die as it would have died: the action is the default one again (SA_RESETHAND). */
static void handle_crash(int number)
{
	POSIX_TRACE_EVENT_NP(crash, number);
	write_snapshot(crash_path);
	raise(number);
}

/* Crashes are handled on a stack of their own: the thread's may be what has gone wrong. */
static void install_handlers(void)
{
	static char memory[65536];
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof memory };
	struct sigaction wanted = { .sa_handler = handle_wanted, .sa_flags = SA_RESTART };
	struct sigaction crash = { .sa_handler = handle_crash, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &wanted, NULL);
	sigaction(SIGSEGV, &crash, NULL);
	sigaction(SIGABRT, &crash, NULL);
}

/*
 * The newest events are kept: a stream without log loops by default. Small data make a small stream:
 * docs/POSIX.md.
 */
static void stream_begin(void)
{
	trace_attr_t attr;

	check(posix_trace_attr_init(&attr), "posix_trace_attr_init");
	check(posix_trace_attr_setname(&attr, "flight recorder"), "posix_trace_attr_setname");
	check(posix_trace_attr_setstreamsize(&attr, 65536), "posix_trace_attr_setstreamsize");
	check(posix_trace_attr_setmaxdatasize(&attr, 64), "posix_trace_attr_setmaxdatasize");
	check(posix_trace_create(0, &attr, &trid), "posix_trace_create");
	check(posix_trace_start(trid), "posix_trace_start");
}

/* The bug: nobody has connected the last sensor, and nobody asks whether it is there before the end. */
static void fly(void)
{
	const struct timespec pause = { .tv_nsec = MILLISECOND };
	int value[N_SENSORS - 1] = { 0 };
	const int *sensors[N_SENSORS] = { &value[0], &value[1], &value[2], NULL };

	for (int turn = 0; turn < N_TURNS; turn++) {
		int n_sensors = turn < N_TURNS - 1 ? N_SENSORS - 1 : N_SENSORS;

		POSIX_TRACE_EVENT_NP(turn_begin, turn, n_sensors);
		value[turn % (N_SENSORS - 1)] = turn;
		for (int sensor = 0; sensor < n_sensors; sensor++) {
			const int *from = sensors[sensor];
			POSIX_TRACE_EVENT_NP(sensor_read, sensor, from);
			int reading = *from;
			POSIX_TRACE_EVENT_NP(sensor_value, sensor, reading);
		}
		nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	wanted_path = argc > 1 ? argv[1] : wanted_path;
	crash_path = argc > 2 ? argv[2] : crash_path;
	stream_begin();
	install_handlers();
	printf("recording; to see: kill -USR1 %d\n", (int)getpid());
	fflush(stdout);
	fly();
	return EXIT_SUCCESS;
}
