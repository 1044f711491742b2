/* SPDX-License-Identifier: MIT */
#include "record/buffer/pool_test.h"
#include "record/buffer/rare.h"
#include "record/buffer/rseq.h"

enum { SLOW = 0x015, FLOOD = 0x010, ENTRY = 64, STREAM = 1 << 20 };

static void rare_make(struct tested *tested)
{
	const trace_attr_t attr = { .posix_trace_stream_policy = POSIX_TRACE_LOOP,
		.posix_trace_stream_size = STREAM,
		.posix_trace_data_size = 64,
		.posix_trace_rare = 1 };
	const struct pool_config config = {
		.attr = &attr, .target = getpid(), .clock = LOG_CLOCK_TSC, .has_rseq = rseq_find() != NULL
	};
	int fd;

	*tested = (struct tested){
		.writer = { .pid = (uint32_t)getpid(), .tid = (uint32_t)gettid(), .rseq = rseq_find() }
	};
	if (pool_create(&tested->pool, &config, &fd) != 0) {
		printf("Bail out! no memory for a pool\n");
		exit(1);
	}
	close(fd);
	tested->reader = pool_reader_begin(
		calloc(1, pool_reader_bytes(&tested->pool)), &tested->pool, false, POOL_READER_RUNS);
	pool_change(&tested->pool, POOL_SUSPENDED, POOL_RUNNING);
	pool_set_hooks(&tested->pool, (const uint64_t[POOL_HOOK_WORDS]){ 0 });
}

static bool rare_put(struct tested *tested, bool is_rare)
{
	const struct put put = { .type = TEST_EVENT,
		.origin = &tested->writer.pid,
		.data = &tested->n_put,
		.length = sizeof tested->n_put,
		.is_rare = is_rare };

	return put_slowly(&tested->pool, &tested->writer, &put) && ++tested->n_put;
}

static bool is_disabled(const struct pool *pool, uint32_t hook)
{
	return atomic_load(&pool->shared->disabled_hooks[hook / 64]) >> hook % 64 & 1;
}

static uint32_t count_entries(const struct pool *pool, uint32_t hook)
{
	uint32_t n = 0;

	while (rare_judge(pool, hook, ENTRY) == RARE_STILL)
		n++;
	return n;
}

/*
 * How many lie in each ring is known of the pool, so that no number of processors or sub-buffers is written
 * here.
 */
static void test_flood(void)
{
	struct tested tested;
	uint32_t number = UINT32_MAX;
	bool is_whole = true;

	rare_make(&tested);
	for (uint32_t i = 0; i < 3; i++)
		is_whole &= rare_put(&tested, true);
	for (uint32_t i = 0; i < STREAM / 16; i++)
		is_whole &= rare_put(&tested, false);
	is_whole &= rare_put(&tested, true);
	ok(is_whole, "with policy LOOP each event finds room in its ring");
	is_number(pool_ring_lost(&tested.pool, POOL_RARE), 0,
		"a flood of common events overwrites no rare one");
	ok(pool_ring_lost(&tested.pool, POOL_COMMON) > 0, "but common ones");
	is_number(pool_lost(&tested.pool), pool_ring_lost(&tested.pool, POOL_COMMON),
		"which all count as lost");
	free(tested.reader);
	tested.reader = pool_reader_begin(
		calloc(1, pool_reader_bytes(&tested.pool)), &tested.pool, false, POOL_READER_RUNS);
	for (uint32_t i = 0; i < 3; i++) {
		tested_get(&tested, &number);
		is_number(number, i, "a reader gives the oldest rare event first");
		is_number(pool_reader_sequence(tested.reader), i, "and nothing is missing before it");
	}
	is_number(tested_get(&tested, &number), POSIX_TRACE_OVERFLOW, "then the loss of common ones");
	is_number(tested_get(&tested, &number), POSIX_TRACE_RESUME, "with its end");
	tested_get(&tested, &number);
	ok(number > 3 && pool_reader_sequence(tested.reader) >= pool_ring_lost(&tested.pool, POOL_COMMON),
		"in front of the oldest of them that is left");
	while (tested_get(&tested, &number))
		;
	is_number(number, tested.n_put - 1, "and last the newest, which is rare");
	tested_free(&tested);
}

/* The other way round: rare events overwrite their own kind. */
static void test_other_flood(void)
{
	struct tested tested;

	rare_make(&tested);
	rare_put(&tested, false);
	for (uint32_t i = 0; i < STREAM / 16; i++)
		rare_put(&tested, true);
	is_number(pool_ring_lost(&tested.pool, POOL_COMMON), 0,
		"a flood of rare events overwrites no common one");
	ok(pool_ring_lost(&tested.pool, POOL_RARE) > 0, "but rare ones");
	tested_free(&tested);
}

static void test_cpu(void)
{
	const struct log_event *event;
	struct tested tested;
	const void *data;

	rare_make(&tested);
	rare_put(&tested, true);
	pool_reader_peek(tested.reader, &event, &data);
	ok(tested.writer.rseq ? event->cpu < tested.pool.n_per_cpu : event->cpu == LOG_NO_CPU,
		"a rare event has its CPU, if the thread knows it");
	tested_free(&tested);
}

static void test_judge(void)
{
	struct tested tested;
	const struct pool *pool = &tested.pool;
	uint32_t n;

	rare_make(&tested);
	ok(is_disabled(pool, FLOOD), "the fast path is closed to a hook that is rare");
	is_number(rare_judge(pool, SLOW, ENTRY), RARE_STILL, "all are at first");
	n = count_entries(pool, FLOOD);
	ok(n > 0 && n <= (pool->geometry.n_rare << pool->geometry.subbuf_shift) / 64 / ENTRY,
		"one that floods is until it has put a 64th of the rare ring");
	ok(!is_disabled(pool, FLOOD), "then the fast path is open to it");
	is_number(rare_judge(pool, FLOOD, ENTRY), RARE_NOT, "its end as a rare one is reported once");
	is_number(rare_judge(pool, SLOW, ENTRY), RARE_STILL, "and others are rare as before");
	tested_free(&tested);
}

static void test_end_is_reported(void)
{
	struct tested tested;
	enum rare_verdict verdict;

	rare_make(&tested);
	do
		verdict = rare_judge(&tested.pool, FLOOD, ENTRY);
	while (verdict == RARE_STILL);
	is_number(verdict, RARE_ENDED, "the entry that makes a hook common is the one that reports it");
	tested_free(&tested);
}

/* A hook at a slow rate may go on for ever. */
static void test_halving(void)
{
	struct tested tested;
	struct pool_rare *rare;
	uint32_t before;

	rare_make(&tested);
	rare = tested.pool.rare;
	for (unsigned int i = 0; i < 10; i++)
		rare_judge(&tested.pool, SLOW, ENTRY);
	before = atomic_load(&rare->bytes[SLOW]);
	is_number(before, 10 * ENTRY, "what a hook has put is counted");
	atomic_fetch_sub(&rare->halved_at, 10);
	rare_judge(&tested.pool, FLOOD, ENTRY);
	is_number(
		atomic_load(&rare->bytes[SLOW]), before / 2, "and after ten seconds half of it is forgotten");
	atomic_fetch_sub(&rare->halved_at, 1000);
	rare_judge(&tested.pool, FLOOD, ENTRY);
	is_number(atomic_load(&rare->bytes[SLOW]), 0, "after a long time all of it");
	tested_free(&tested);
}

static void test_lists(void)
{
	uint64_t common[POOL_HOOK_WORDS] = { 0 }, kept[POOL_HOOK_WORDS] = { 0 };
	uint64_t filter[POOL_HOOK_WORDS] = { 0 };
	struct tested tested;
	const struct pool *pool = &tested.pool;

	rare_make(&tested);
	common[FLOOD / 64] |= 1ull << FLOOD % 64;
	kept[SLOW / 64] |= 1ull << SLOW % 64;
	rare_set(pool, common, kept);
	ok(!is_disabled(pool, FLOOD) && rare_judge(pool, FLOOD, ENTRY) == RARE_NOT,
		"a hook may be common from the beginning");
	for (unsigned int i = 0; i < STREAM / ENTRY; i++)
		rare_judge(pool, SLOW, ENTRY);
	is_number(rare_judge(pool, SLOW, ENTRY), RARE_STILL, "or be rare whatever it does");
	filter[FLOOD / 64] |= 1ull << FLOOD % 64;
	pool_set_hooks(pool, filter);
	ok(is_disabled(pool, FLOOD), "a filter closes the fast path to common ones, too");
	filter[FLOOD / 64] = 0;
	pool_set_hooks(pool, filter);
	ok(!is_disabled(pool, FLOOD), "and opens it again");
	atomic_fetch_or(&pool->shared->disabled_hooks[FLOOD / 64], 1ull << FLOOD % 64);
	is_number(rare_judge(pool, FLOOD, ENTRY), RARE_NOT,
		"where it was closed at the same time as the hook became common,");
	ok(!is_disabled(pool, FLOOD), "its next entry opens it");
	tested_free(&tested);
}

static void test_one_ring(void)
{
	struct tested tested;

	tested_make(&tested, LOG_CLOCK_TSC, POSIX_TRACE_LOOP, 1);
	ok(!tested.pool.rare && tested.pool.geometry.n_rare == 0, "other pools have one ring");
	pool_set_hooks(&tested.pool, (const uint64_t[POOL_HOOK_WORDS]){ 2 });
	ok(is_disabled(&tested.pool, 1) && !is_disabled(&tested.pool, FLOOD),
		"whose hooks are what the filter says");
	tested_free(&tested);
}

int main(void)
{
	test_flood();
	test_other_flood();
	test_cpu();
	test_judge();
	test_end_is_reported();
	test_halving();
	test_lists();
	test_one_ring();
	return tap_done();
}
