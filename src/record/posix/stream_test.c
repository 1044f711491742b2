/* SPDX-License-Identifier: MIT */
#include "record/posix/stream.h"
#include "tests/tap.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_THREADS 4
#define N_TURNS	  2000

static struct stream *trid_enter(enum stream_kind kind, trace_id_t *ret_trid)
{
	struct stream *stream = stream_new(kind);

	if (stream && stream_enter(stream, ret_trid) == 0)
		return stream;
	stream_free(stream);
	return NULL;
}

/* Whether a trid was there to be taken back. */
static bool trid_leave(trace_id_t trid)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);
	bool was_there = stream && stream_remove(trid, stream);

	if (stream)
		stream_put(stream);
	return was_there;
}

static bool is_found(trace_id_t trid, unsigned int kinds)
{
	struct stream *stream = stream_get(trid, kinds);

	if (stream)
		stream_put(stream);
	return stream;
}

static void test_find(void)
{
	static const trace_id_t strange[] = { 0, 1, -1, 2047, 2048, 65536, 0x7fffffff, -0x7fffffff - 1 };
	trace_id_t trid = 0, next = 0;

	ok(!is_found(2048, STREAM_ANY), "before the first stream every trid is unknown");
	ok(!stream_pin(2048, STREAM_ANY), "and a handler finds none");
	ok(trid_enter(STREAM_ACTIVE, &trid) && trid > 0, "a trid is a positive number");
	ok(is_found(trid, STREAM_ACTIVE) && is_found(trid, STREAM_ANY), "a stream is found by its trid");
	ok(!is_found(trid, STREAM_RECORDED) && !is_found(trid, STREAM_LOGGED),
		"but not as one of another kind");
	for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
		if (strange[i] != trid)
			ok(!is_found(strange[i], STREAM_ANY) && !stream_pin(strange[i], STREAM_ANY),
				"the number %d is no trid", strange[i]);
	}
	ok(trid_leave(trid), "a stream is taken out of the table");
	ok(!is_found(trid, STREAM_ANY) && !trid_leave(trid), "and is not found any more");
	ok(trid_enter(STREAM_ACTIVE, &next) && next != trid && !is_found(trid, STREAM_ANY),
		"the next stream is not taken for it, though its place is used again");
	trid_leave(next);
}

static void test_limits(void)
{
	trace_id_t trids[TRACE_SYS_MAX], recorded = 0, more = 0;
	int n = 0;
	struct stream *refused = stream_new(STREAM_LOGGED);

	while (n < TRACE_SYS_MAX && trid_enter(STREAM_ACTIVE, &trids[n]))
		n++;
	is_number((unsigned long long)n, TRACE_SYS_MAX, "TRACE_SYS_MAX active streams can be");
	is_number((unsigned long long)stream_enter(refused, &more), EAGAIN,
		"one more, with log or without, is EAGAIN");
	ok(trid_enter(STREAM_RECORDED, &recorded), "logs that were opened do not count");
	trid_leave(trids[7]);
	is_number((unsigned long long)stream_enter(refused, &more), 0,
		"where one was shut down there is room again");
	trid_leave(more);
	trid_leave(recorded);
	for (int i = 0; i < n; i++)
		trid_leave(trids[i]);
}

static void test_memory(void)
{
	tap_fail_alloc_after(0);
	ok(!stream_new(STREAM_ACTIVE), "without memory there is no stream");
	tap_fail_alloc_after(-1);
	stream_free(NULL);
}

static void test_closing(void)
{
	trace_id_t trid = 0;
	struct stream *stream = trid_enter(STREAM_ACTIVE, &trid), *reader = stream_get(trid, STREAM_ACTIVE);
	struct stream *closer;

	stream_unlock(reader); /* it waits for an event */
	closer = stream_get(trid, STREAM_ACTIVE);
	ok(closer == stream && stream_remove(trid, closer),
		"a stream that a thread waits in can be shut down");
	ok(!stream_remove(trid, closer), "once");
	stream_put(closer);
	stream_lock(reader);
	ok(reader->is_closing, "the thread that waited finds the stream closing, and still there");
	stream_put(reader);
}

static void test_pins(void)
{
	trace_id_t trid = 0, other = 0;
	struct stream *stream = trid_enter(STREAM_ACTIVE, &trid), *pinned = stream_pin(trid, STREAM_LIVE);
	struct stream *newer;

	ok(pinned == stream, "a signal handler finds a stream without a lock");
	trid_leave(trid);
	ok(pinned->trid == trid, "a stream that a handler looks at is not freed");
	ok(!stream_pin(trid, STREAM_LIVE), "but no other handler finds it");
	trid_enter(STREAM_ACTIVE, &other);
	newer = stream_pin(other, STREAM_LIVE);
	ok(newer && newer != pinned && pinned->trid == trid, "nor is it freed when its place has a new one");
	stream_unpin(newer);
	stream_unpin(pinned);
	trid_leave(other);
}

static void test_fork(void)
{
	trace_id_t trid = 0, own = 0;
	struct stream *stream = trid_enter(STREAM_ACTIVE, &trid), *held = stream_get(trid, STREAM_ACTIVE);
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		/* The stream's lock is held by the parent; nothing here may wait for it. */
		int wrong = is_found(trid, STREAM_ANY) << 0 | (stream_pin(trid, STREAM_ANY) != NULL) << 1;

		wrong |= !trid_enter(STREAM_ACTIVE, &own) << 2 | (own == trid) << 3 |
			 !is_found(own, STREAM_ACTIVE) << 4;
		wrong |= is_found(trid, STREAM_ANY) << 5 | !trid_leave(own) << 6;
		_exit(wrong);
	}
	waitpid(child, &status, 0);
	ok(status == 0, "the trids of a parent are invalid in its child, and the child's are new (%d)",
		status >> 8);
	ok(held == stream && !held->is_closing, "to the parent that is nothing");
	stream_put(held);
	trid_leave(trid);
}

static trace_id_t _Atomic contested;

static void *closer_contest(void *argument)
{
	int *n_left = argument;

	for (int i = 0; i < N_TURNS; i++) {
		trace_id_t trid = 0;

		is_found(atomic_load(&contested), STREAM_ANY);
		struct stream *pinned = stream_pin(atomic_load(&contested), STREAM_LIVE);
		if (pinned) {
			*n_left += pinned->kind == STREAM_RECORDED;
			stream_unpin(pinned);
		}
		if (!trid_leave(atomic_load(&contested)))
			continue;
		++*n_left;
		if (trid_enter(STREAM_ACTIVE, &trid))
			atomic_store(&contested, trid);
	}
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[N_THREADS];
	int n_left[N_THREADS] = { 0 };
	trace_id_t trid = 0;
	int sum = 0;

	trid_enter(STREAM_ACTIVE, &trid);
	atomic_store(&contested, trid);
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, closer_contest, &n_left[i]);
	for (int i = 0; i < N_THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += n_left[i];
	}
	ok(sum > 0 && trid_leave(atomic_load(&contested)),
		"threads that enter, find and shut down never meet a freed stream");
}

int main(void)
{
	test_find();
	test_limits();
	test_memory();
	test_closing();
	test_pins();
	test_fork();
	test_threads();
	return tap_done();
}
