/* SPDX-License-Identifier: MIT */
/*
 * Programs that close descriptors which are not their own, as daemons do, and use their numbers for others:
 * these are neither read nor closed.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static const struct shape plain = { .size = 65536, .log_policy = POSIX_TRACE_APPEND };

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* A stream whose descriptor for poll() is another one of the program's by now. */
static trace_id_t stream_with_other(int other, int *ret_fd)
{
	trace_id_t trid = stream_run(&plain);

	must(posix_trace_getfd_np(trid, ret_fd), "get a descriptor");
	if (dup2(other, *ret_fd) < 0)
		must(errno, "take its number");
	return trid;
}

static void test_poll_of_pipe(void)
{
	int pipe_fds[2], fd, again = -1;
	struct seen event;
	trace_id_t trid;
	char byte = 0;

	must(pipe(pipe_fds) == 0 ? 0 : errno, "make a pipe");
	trid = stream_with_other(pipe_fds[0], &fd);
	must(write(pipe_fds[1], "twelve bytes", 12) == 12 ? 0 : errno, "write to a pipe");
	ok(!read_one(trid, &event) && read(fd, &byte, 1) == 1 && byte == 't',
		"np getfd: when its number is another descriptor's, that is not read");
	ok(posix_trace_getfd_np(trid, &again) == 0 && again != fd && again >= 0,
		"np getfd: and a further call gives a new one");
	must(posix_trace_shutdown(trid), "shut down");
	ok(is_open(fd), "np getfd: the shutdown does not close what has its number");
	ok(!is_open(again), "np getfd: but its own");
	close(fd);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void test_poll_of_timer(void)
{
	const struct itimerspec period = { { .tv_nsec = 10000000 }, { .tv_nsec = 10000000 } };
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), fd;
	struct pollfd look = { .events = POLLIN };
	struct seen event;
	trace_id_t trid;

	must(timerfd_settime(timer, 0, &period, NULL) == 0 ? 0 : errno, "set a timer");
	trid = stream_with_other(timer, &fd);
	look.fd = fd;
	ok(poll(&look, 1, 5000) == 1 && !read_one(trid, &event) && poll(&look, 1, 0) == 1,
		"np getfd: the program's own timer is not read");
	must(posix_trace_shutdown(trid), "shut down");
	ok(is_open(fd), "np getfd: nor closed");
	close(fd);
	close(timer);
}

static void test_poll_of_another_stream(void)
{
	int fd, second_fd;
	trace_id_t trid = stream_run(&plain), second = stream_run(&plain);

	must(posix_trace_getfd_np(trid, &fd), "get a descriptor");
	close(fd);
	must(posix_trace_getfd_np(second, &second_fd), "get another descriptor");
	must(posix_trace_shutdown(trid), "shut down");
	ok(fd == second_fd && is_open(second_fd), "np getfd: nor is that of another stream");
	must(posix_trace_shutdown(second), "shut down");
	ok(!is_open(second_fd), "np getfd: which that one closes");
}

/* The number that the next duplicate will have, as one is made when a log is opened. */
static int next_number(int fd)
{
	int next = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	close(next);
	return next;
}

static void test_log(void)
{
	int fd = file_without_name(), other = file_without_name(), number;
	trace_id_t trid = stream_run_log(&plain, fd);
	struct seen_list list;

	put_numbers(0, 100);
	must(posix_trace_shutdown(trid), "shut down");
	number = next_number(fd);
	must(posix_trace_open(fd, &trid), "open a log");
	ok(is_open(number), "16.22 open: the log is read through a descriptor of its own");
	must(dup2(other, number) < 0 ? errno : 0, "take its number");
	list = read_rest(trid);
	is_number(list.n, 0, "16.22 open: when its number is another file's, that is not read");
	seen_free(&list);
	must(posix_trace_close(trid), "close a log");
	ok(is_open(number), "16.22 close: nor closed");
	close(number);
	must(posix_trace_open(fd, &trid), "open a log");
	must(posix_trace_close(trid), "close a log");
	ok(!is_open(number), "16.22 close: its own descriptor is closed");
	close(other);
	close(fd);
}

int main(void)
{
	fixture_begin();
	test_poll_of_pipe();
	test_poll_of_timer();
	test_poll_of_another_stream();
	test_log();
	return tap_done();
}
