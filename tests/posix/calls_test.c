/* SPDX-License-Identifier: MIT */
/*
 * Streams of a process in which system calls fail: the first call of a kind and all later ones, then the
 * second and all later ones, until no call fails. A stream is then either refused with an error number, or it
 * has every event; and the next stream has every event in any case.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { N_EVENTS = 20, N_TRIALS_MAX = 500 };

static const struct shape plain = { .size = 32768 };

/* An error number, or 0: the stream was made and has all events. -1: it lacks some. */
static int stream_try(void)
{
	trace_attr_t attr;
	trace_id_t trid;
	struct seen_list list;
	unsigned first = 0;
	size_t n;
	int error;
	bool is_whole;

	shape_attr(&plain, &attr);
	error = posix_trace_create(getpid(), &attr, &trid);
	posix_trace_attr_destroy(&attr);
	if (error)
		return error;
	error = posix_trace_start(trid);
	if (!error)
		put_numbers(0, N_EVENTS);
	list = error ? (struct seen_list){ 0 } : read_all(trid);
	is_whole = is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first == 0 && n == N_EVENTS;
	seen_free(&list);
	posix_trace_shutdown(trid);
	return error ? error : is_whole ? 0 : -1;
}

static void test_call(enum tap_call call, int error_number, const char *name)
{
	bool has_failed = true, is_good = true, is_left_good = true;
	long n = 0;
	int error = 0;

	for (; has_failed && is_good && is_left_good && n < N_TRIALS_MAX; n++) {
		tap_fail_call_after(call, n, error_number);
		error = stream_try();
		has_failed = tap_call_has_failed(call);
		tap_fail_call_after(call, -1, 0);
		is_good = has_failed ? error >= 0 : error == 0;
		is_left_good = stream_try() == 0;
	}
	/* The last run met no failure; there was one before it if the call is made at all. */
	if (!ok(is_good && !has_failed && n > 1, "3 create: %s that fails gives an error or a whole stream",
		    name))
		printf("# call %ld: %d\n", n, error);
	ok(is_left_good, "3 create: the stream after one for which %s failed is whole", name);
}

int main(void)
{
	fixture_begin();
	is_number((unsigned)stream_try(), 0, "3 create: a stream has every event when no call fails");
	test_call(TAP_MMAP, ENOMEM, "mmap()");
	test_call(TAP_FSTAT, EIO, "fstat()");
	return tap_done();
}
