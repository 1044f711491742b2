/* SPDX-License-Identifier: MIT */
/* Stream control blocks, and pools whose controllers have ended. */
#include "record/consumer/consumer_test.h"
#include "record/rendezvous/child_test.h"

static struct traced traced;

static int ctl_touch(void)
{
	return (int)atomic_load(&traced.ctl->state);
}

static void test_ctl(void)
{
	const int fd = traced.descriptors[CONSUMER_FD_CTL];
	struct stream_ctl *again = stream_ctl_map(fd);
	char byte = 0;

	ok(again && again != traced.ctl && again->controller.pid == (uint32_t)getpid() &&
			again->attributes.stream_size == 65536 &&
			again->pool.geometry.total_bytes == traced.pool.geometry.total_bytes,
		"the descriptor gives the control block, and all properties of the stream");
	atomic_store(&again->flush_wanted, 7);
	ok(atomic_load(&traced.ctl->flush_wanted) == 7, "it is the same for both");
	atomic_store(&again->flush_wanted, 0);
	stream_ctl_unmap(again);
	ok(ftruncate(fd, 0) < 0 && errno == EPERM, "it cannot be made shorter");
	ok(child_do(ctl_touch) != 0, "children of the controller do not have it");
	ok(!stream_ctl_map(traced.descriptors[CONSUMER_FD_LOG]), "a file is none");
	ok(pwrite(fd, &byte, 1, 0) == 1 && !stream_ctl_map(fd), "nor is what begins otherwise");
	stream_ctl_unmap(NULL);
}

static void test_alone(void)
{
	const trace_attr_t attr = traced_attr(POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0);
	const struct pool_config config = { .attr = &attr, .target = 1234, .clock = LOG_CLOCK_MONOTONIC };
	struct stream_ctl *ctl = NULL;

	ok(stream_ctl_make(&ctl, &traced.pool, &config, NULL) == 0 && ctl->attributes.pid == 1234 &&
			ctl->directory == CONTROL_NOWHERE,
		"a stream without consumer has one of its own");
	stream_ctl_unmap(ctl);
}

/* Damage that a target can do to a pool before the consumer maps it. */
static void test_pool(void)
{
	const int fd = traced.descriptors[CONSUMER_FD_POOL];
	struct pool_spec kind = traced.ctl->pool;
	struct pool pool;

	traced.pool.shared->spec.geometry.n_subbufs = 1u << 23;
	traced.pool.shared->spec.clock = 99;
	ok(pool_map(&pool, &kind, fd) == 0 && pool.geometry.n_subbufs == kind.geometry.n_subbufs &&
			pool.clock == kind.clock,
		"a pool is mapped with the geometry that it was made with, whatever its own header has");
	pool_unmap(&pool);
	ok(pool_map(&pool, &kind, traced.descriptors[CONSUMER_FD_LOG]) == EINVAL,
		"one that is too short is not");
	kind.geometry.area_at += 1;
	ok(pool_map(&pool, &kind, fd) == EINVAL, "nor is one with an impossible geometry");
}

static void test_orphan(void)
{
	const int fd = traced.descriptors[CONSUMER_FD_POOL];
	struct pool_shared *shared = traced.pool.shared;
	struct identity self, dead = child_dead();

	identity_of(0, &self);
	pool_set_consumer(&traced.pool, &self);
	ok(!pool_end_orphan(fd) && atomic_load(&shared->state) == POOL_RUNNING,
		"a pool whose consumer runs is left to it");
	pool_set_consumer(&traced.pool, &dead);
	ok(pool_end_orphan(fd) && atomic_load(&shared->state) == POOL_GONE &&
			shared->disabled_types[0] == UINT64_MAX,
		"one whose consumer has ended, too, is ended");
	shared->magic = 0;
	ok(pool_end_orphan(fd), "a file that is no pool counts as an orphan");
	ok(pool_end_orphan(traced.descriptors[CONSUMER_FD_LOG]), "so does an empty file");
}

static void test_runs(void)
{
	struct stream_ctl *ctl = traced.ctl;

	ok(!stream_ctl_was_running(ctl, UINT64_MAX), "a stream did not run before its controller started it");
	stream_ctl_set_running(ctl, true, 100);
	stream_ctl_set_running(ctl, true, 150);
	stream_ctl_set_running(ctl, false, 200);
	ok(!stream_ctl_was_running(ctl, 99) && stream_ctl_was_running(ctl, 100) &&
			stream_ctl_was_running(ctl, 199) && !stream_ctl_was_running(ctl, 200),
		"it ran from its start to its stop");
	for (uint64_t ticks = 300; ticks < 300 + STREAM_CTL_CHANGES; ticks++)
		stream_ctl_set_running(ctl, ticks % 2 == 0, ticks);
	ok(stream_ctl_was_running(ctl, 250), "what is forgotten counts as running");
	ok(stream_ctl_was_running(ctl, 400) && !stream_ctl_was_running(ctl, 401),
		"what is not forgotten is as it was");
}

int main(void)
{
	const trace_attr_t attr = traced_attr(POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0);

	if (!ok(traced_make(&traced, &attr), "a stream is made"))
		return 1;
	test_alone();
	test_pool();
	test_orphan();
	test_ctl();
	test_runs();
	traced_free(&traced);
	return tap_done();
}
