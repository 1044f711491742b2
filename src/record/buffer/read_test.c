/* SPDX-License-Identifier: MIT */
/* Tests of the reader: the order of several CPU buffers, stops and losses, damage. */
#include "record/buffer/pool_test.h"
#include "record/kernel/clock.h"

static const uint32_t event_bytes = 48;

/* --- order ---------------------------------------------------------------------------------------------- */

static void test_order(void)
{
	struct tested tested;
	uint32_t number = 0, n = 0;
	bool is_good = true;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, 65536);
	for (uint32_t i = 0; i < 1000; i++) {
		tested_buffer(&tested, i * i % 7);
		is_good &= tested_put(&tested);
	}
	is_number(pool_reader_waiting(tested.reader), 1000 * event_bytes, "all that was recorded waits");
	while (tested_get(&tested, &number) == TEST_EVENT)
		is_good &= number == n++;
	ok(is_good && n == 1000,
		"events of several CPU buffers come in the order in which they were recorded");
	is_number(pool_reader_waiting(tested.reader), 0, "then nothing waits");
	tested_put(&tested);
	is_number(pool_reader_waiting(tested.reader), event_bytes, "until there is another one");
	is_number(pool_lost(&tested.pool), 0, "and nothing is lost");
	tested_free(&tested);
}

/*
 * A sub-buffer whose CPU buffer went on while a reader was inside it goes back to the pool as soon as it is
 * empty.
 */
static void test_give_back(void)
{
	struct tested tested;
	uint32_t number = 0, n_used;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, 65536);
	tested_buffer(&tested, 0);
	for (uint32_t i = 0; i < 10; i++)
		tested_put(&tested);
	tested_get(&tested, &number);
	while (atomic_load(&tested.pool.shared->rings[POOL_COMMON].n_used) < 3)
		tested_put(&tested);
	n_used = tested.n_put;
	for (uint32_t i = 1; i < n_used; i++)
		tested_get(&tested, &number);
	is_number(number, n_used - 1, "a reader takes what is there");
	is_number(atomic_load(&tested.pool.shared->rings[POOL_COMMON].n_used), 1,
		"and leaves only the open sub-buffer in use");
	tested_free(&tested);
}

/* --- stops ---------------------------------------------------------------------------------------------- */

static uint32_t put_until_full(struct tested *tested)
{
	const uint32_t first = tested->n_put;

	while (tested_put(tested))
		;
	return tested->n_put - first;
}

/* The numbers from *next on; what comes behind them. */
static uint32_t get_run(struct tested *tested, uint32_t *next)
{
	uint32_t type, number;

	while ((type = tested_get(tested, &number)) == TEST_EVENT && number == *next)
		(*next)++;
	return type;
}

static void test_stop(void)
{
	struct tested tested;
	uint32_t next = 0, number = 0;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_UNTIL_FULL, 1);
	put_until_full(&tested);
	is_number(atomic_load(&tested.pool.shared->state), POOL_FULL, "a stream that is full stops");
	is_number(get_run(&tested, &next), POSIX_TRACE_STOP, "STOP comes behind the last event");
	is_number(next, tested.n_put, "and all events before it");
	is_number(atomic_load(&tested.pool.shared->state), POOL_RUNNING, "emptied, the stream runs again");
	is_number(tested_get(&tested, &number), POSIX_TRACE_START, "and has a START event");
	tested_free(&tested);
}

/*
 * The thread that stopped the stream slept before it wrote the time, until the reader gave up and the stream
 * ran again.
 */
static void test_late_stop(void)
{
	struct tested tested;
	uint64_t before, ticks;
	uint32_t next = 0, number = 0;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_UNTIL_FULL, 1);
	tested_put(&tested);
	before = atomic_load(&tested.pool.shared->stop_ticks);
	pool_change(&tested.pool, POOL_RUNNING, POOL_FULL);
	ticks = clock_ticks((enum log_clock)tested.pool.clock);
	is_number(get_run(&tested, &next), POSIX_TRACE_STOP, "a stop without a time is reported");
	is_number(tested_get(&tested, &number), POSIX_TRACE_START, "and the stream runs again");
	ok(!pool_set_stop(&tested.pool, before, ticks), "then it is too late to write its time");
	for (int i = 0; i < 10; i++)
		tested_put(&tested);
	pool_change(&tested.pool, POOL_RUNNING, POOL_FULL);
	is_number(get_run(&tested, &next), POSIX_TRACE_STOP, "the next stop is reported");
	is_number(next, tested.n_put, "behind all events before it: it is not taken for the one before");
	tested_free(&tested);
}

/* --- overwriting ---------------------------------------------------------------------------------------- */

static void put_many(struct tested *tested, uint32_t n)
{
	while (n-- > 0)
		tested_put(tested);
}

/*
 * OVERFLOW, RESUME, and then numbers without a gap up to the last one; how many. Returns 0 if it is not so.
 */
static uint32_t get_newest(struct tested *tested)
{
	uint32_t number = 0, first = 0, next;

	if (tested_get(tested, &number) != POSIX_TRACE_OVERFLOW ||
		tested_get(tested, &number) != POSIX_TRACE_RESUME || tested_get(tested, &first) != TEST_EVENT)
		return 0;
	next = first + 1;
	return get_run(tested, &next) == 0 && next == tested->n_put ? next - first : 0;
}

/* Each event stays in the pool until it is asked for. */
static void read_one_by_one(struct tested *tested)
{
	free(tested->reader);
	tested->reader = pool_reader_begin(malloc(pool_reader_bytes(&tested->pool)), &tested->pool, true, 1);
}

static void test_overwriting(void)
{
	struct tested tested;
	uint32_t number = 0, n_given;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, 1);
	read_one_by_one(&tested);
	tested_buffer(&tested, 0);
	put_many(&tested, 3000);
	n_given = get_newest(&tested);
	ok(n_given > 1000, "the newest events are read behind OVERFLOW and RESUME");
	is_number(pool_lost(&tested.pool), 3000 - n_given, "those before them count as lost");
	put_many(&tested, 1000);
	for (uint32_t i = 0; i < 30; i++)
		tested_get(&tested, &number);
	put_many(&tested, 3000);
	is_number(get_newest(&tested) + n_given + 30 + pool_lost(&tested.pool), 7000,
		"what was read of a sub-buffer before it was overwritten does not");
	tested_free(&tested);
}

/* Events that were taken at once wait in the reader, where no writer overwrites them. */
static void test_waiting_run(void)
{
	struct tested tested;
	uint32_t number = 0, next = 0, n_given = 0, n_markers = 0;
	bool is_rising = true;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, 1);
	tested_buffer(&tested, 0);
	put_many(&tested, 50);
	for (uint32_t i = 0; i < 10; i++)
		tested_get(&tested, &number);
	is_number(number, 9, "events are read");
	put_many(&tested, 4950);
	for (uint32_t type; (type = tested_get(&tested, &number)) != 0;) {
		n_markers += type != TEST_EVENT;
		if (type != TEST_EVENT)
			continue;
		is_rising &= n_given < 40 ? number == n_given + 10 : number > next;
		next = number;
		n_given++;
	}
	ok(is_rising && n_given > 40, "those that were taken with them are not overwritten");
	is_number(n_markers, 2, "OVERFLOW and RESUME stand behind them");
	is_number(10 + n_given + pool_lost(&tested.pool), 5000, "what is missing then counts as lost");
	tested_free(&tested);
}

/* All that a pool has by pool_reader_run() and, where that gives none, pool_reader_peek(). */
static uint32_t get_all_runs(struct tested *tested, uint32_t *ret_n_runs, bool *ret_is_good)
{
	enum { PIECE = 20 };
	const struct log_event *peeked;
	const void *data;
	struct log_event event;
	struct pool_run run;
	uint32_t next = 0, number;

	*ret_n_runs = 0;
	*ret_is_good = true;
	while (pool_reader_peek(tested->reader, &peeked, &data)) {
		memcpy(&number, data, sizeof number);
		*ret_is_good &= number == next++ && pool_reader_sequence(tested->reader) == number;
		pool_reader_take(tested->reader);
		for (; pool_reader_run(tested->reader, &run); ++*ret_n_runs) {
			const uint64_t until = run.events.until;
			const uint32_t n_bytes = run.events.n_bytes, first = next;

			*ret_is_good &= run.first_sequence == next && log_run_next(&run.events, &event);
			while (next - first < PIECE && log_run_next(&run.events, &event)) {
				memcpy(&number, run.events.events + sizeof event, sizeof number);
				*ret_is_good &= number == next++ && event.ticks <= until;
				log_run_pass(&run.events, &event);
			}
			pool_reader_pass(
				tested->reader, next - first, n_bytes - run.events.n_bytes, run.events.from);
			if (next == first)
				break;
		}
	}
	return next;
}

static void test_runs(uint32_t n_buffers)
{
	struct tested tested;
	uint32_t n_runs;
	bool is_good;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_FLUSH, 65536);
	for (uint32_t i = 0; i < 600; i++) {
		tested_buffer(&tested, i / 50 % n_buffers);
		tested_put(&tested);
	}
	ok(get_all_runs(&tested, &n_runs, &is_good) == 600, "%u CPU buffers: all events come by runs",
		n_buffers);
	ok(is_good && n_runs >= 12, "in order, each once, with their numbers (%u)", n_runs);
	tested_free(&tested);
}

/* How many events the reader gives as a run, which are passed. */
static uint32_t pass_run(struct tested *tested)
{
	struct log_event event;
	struct pool_run run;
	uint32_t n = 0, n_bytes;

	if (!pool_reader_run(tested->reader, &run))
		return 0;
	n_bytes = run.events.n_bytes;
	for (; log_run_next(&run.events, &event); n++)
		log_run_pass(&run.events, &event);
	pool_reader_pass(tested->reader, n, n_bytes - run.events.n_bytes, run.events.from);
	return n;
}

/*
 * The stream stops itself when its events have been found, and is said to have done so in the midst of them.
 */
static void test_run_stops(void)
{
	struct tested tested;
	uint64_t before, stop;
	uint32_t number = 0;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_FLUSH, 65536);
	put_many(&tested, 5);
	stop = clock_ticks(LOG_CLOCK_MONOTONIC);
	while (clock_ticks(LOG_CLOCK_MONOTONIC) <= stop)
		;
	put_many(&tested, 5);
	before = atomic_load(&tested.pool.shared->stop_ticks);
	tested_get(&tested, &number);
	pool_change(&tested.pool, POOL_RUNNING, POOL_FULL);
	pool_set_stop(&tested.pool, before, stop);
	is_number(pass_run(&tested), 4, "a run ends where the stream stopped itself");
	is_number(tested_get(&tested, &number), POSIX_TRACE_STOP, "then comes STOP");
	is_number(pool_lost(&tested.pool), 5, "and what is later counts as lost");
	tested_free(&tested);
}

/* A thread slept between the stamps of its events and their publication, while the stream stopped itself and
 * ran again. */
static void test_run_gap(void)
{
	struct tested tested;
	struct cpu_buffer *slow;
	uint32_t next = 0, number = 0, slow_number;
	uint64_t stop;
	unsigned char *end;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_FLUSH, 1);
	/* Not the one of START (pool_put()): what is behind it there gets its ticks. */
	slow_number = ((uint32_t)gettid() + 1) % tested.pool.n_shared;
	slow = tested_buffer(&tested, slow_number);
	tested_put(&tested);
	tested_buffer(&tested, (uint32_t)gettid() % tested.pool.n_shared);
	put_until_full(&tested);
	stop = atomic_load(&tested.pool.shared->stop_ticks);
	is_number(get_run(&tested, &next), POSIX_TRACE_STOP, "a stream stops itself");
	is_number(tested_get(&tested, &number), POSIX_TRACE_START, "and runs again");
	tested_buffer(&tested, slow_number);
	put_many(&tested, 4);
	end = tested.pool.area + (atomic_load(&slow->cursor) & CURSOR_OFFSET_MASK);
	memcpy(end - 4 * event_bytes + 8, &stop, sizeof stop);
	stop++;
	memcpy(end - 3 * event_bytes + 8, &stop, sizeof stop);
	tested_get(&tested, &number);
	is_number(number, tested.n_put - 4, "an event of before the stop comes late");
	is_number(pass_run(&tested), 0, "behind it no run has what is stamped while the stream stood");
	tested_get(&tested, &number);
	is_number(number, tested.n_put - 2, "which is dropped");
	is_number(pass_run(&tested), 1, "and then all follows");
	tested_free(&tested);
}

/* So many of the newest events a snapshot gives, without a gap. */
static uint32_t count_newest(const struct tested *tested)
{
	struct tested look = *tested;
	uint32_t number = 0, next = 0, first = UINT32_MAX;
	bool is_run = true;

	look.reader =
		pool_reader_begin(malloc(pool_reader_bytes(&look.pool)), &look.pool, false, POOL_READER_RUNS);
	for (uint32_t type; (type = tested_get(&look, &number)) != 0;) {
		if (type != TEST_EVENT)
			continue;
		is_run &= first == UINT32_MAX || number == next;
		first = first == UINT32_MAX ? number : first;
		next = number + 1;
	}
	free(look.reader);
	return is_run && next == tested->n_put ? next - first : 0;
}

static uint64_t random_next(uint64_t *random)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return *random >> 20;
}

/* XSH 2.11.1 for a stream that overwrites, whichever CPU buffers its events come by. */
static void test_newest(uint32_t n_buffers)
{
	const uint32_t size = 65536;
	struct tested tested;
	uint64_t random = n_buffers;
	bool is_kept = true;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, size);
	put_many(&tested, 2 * size / event_bytes);
	for (uint32_t round = 0; round < 300; round++) {
		tested_buffer(&tested, (uint32_t)random_next(&random) % n_buffers);
		put_many(&tested, 1 + (uint32_t)random_next(&random) % (round % 3 ? 40 : 400));
		is_kept &= count_newest(&tested) * event_bytes >= size;
	}
	ok(is_kept,
		"%u CPU buffers: the newest events that fill a stream are there, and none is missing of them",
		n_buffers);
	tested_free(&tested);
}

/* Sub-buffers that are another CPU buffer's than before, while CPU buffers record in turn. */
static void test_own_subbufs(uint32_t n_buffers)
{
	struct tested tested;
	uint32_t n_moved = 0, owner[1024];

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, 1 << 20);
	for (uint32_t round = 0; round < 400; round++) {
		for (uint32_t buffer = 0; buffer < n_buffers; buffer++) {
			tested_buffer(&tested, buffer);
			put_many(&tested, 341);
		}
		for (uint32_t i = 0; i < tested.pool.geometry.n_subbufs && i < 1024; i++) {
			uint32_t buffer = subbuf_state_buffer(atomic_load(&tested.pool.subbufs[i].state));

			n_moved += round >= 200 && buffer != owner[i];
			owner[i] = buffer;
		}
	}
	ok(n_moved == 0, "%u CPU buffers that record as fast as each other overwrite their own sub-buffers",
		n_buffers);
	tested_free(&tested);
}

/* As a writer leaves it that is killed just when it has taken the sub-buffer that was closed first. */
static void take_oldest(struct tested *tested)
{
	struct subbuf *oldest = NULL;

	for (uint32_t i = 0; i < tested->pool.geometry.n_subbufs; i++) {
		struct subbuf *subbuf = &tested->pool.subbufs[i];

		if (subbuf_state_kind(atomic_load(&subbuf->state)) == SUBBUF_CLOSED &&
			(!oldest || atomic_load(&subbuf->last) < atomic_load(&oldest->last)))
			oldest = subbuf;
	}
	if (!oldest)
		return;
	atomic_store(&tested->pool.shared->rings[POOL_COMMON].lost_through, atomic_load(&oldest->last));
	atomic_store(&oldest->state,
		subbuf_state_make(subbuf_state_generation(atomic_load(&oldest->state)) + 1, 0, SUBBUF_TAKEN));
}

static void test_overwriting_dead(void)
{
	struct tested tested;
	uint32_t n_given;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, 1);
	tested_buffer(&tested, 0);
	put_many(&tested, 3000);
	take_oldest(&tested);
	put_many(&tested, 100);
	n_given = get_newest(&tested);
	ok(n_given > 1000, "a writer may die when it has taken a sub-buffer to overwrite it");
	is_number(n_given + pool_lost(&tested.pool), 3100,
		"what was in it is counted by the writer that opens it");
	tested_free(&tested);
}

/* --- damage --------------------------------------------------------------------------------------------- */

static void test_scribbler(void)
{
	struct tested tested;
	uint32_t number = 0, n_given = 0;
	_Atomic uint64_t *word;
	uint64_t cursor = 0;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, 65536);
	for (uint32_t buffer = 0; buffer < 2; buffer++) {
		struct cpu_buffer *at = tested_buffer(&tested, buffer);

		for (uint32_t i = 0; i < 20; i++)
			tested_put(&tested);
		cursor = atomic_load(&at->cursor);
	}
	/* The 15th event of the second CPU buffer has a length that nothing has. */
	word = (_Atomic uint64_t *)(void *)(tested.pool.area + (cursor & CURSOR_OFFSET_MASK) -
					    6 * event_bytes);
	atomic_store(word, 0xffff00000000 | TEST_EVENT);
	while (tested_get(&tested, &number))
		n_given += number != UINT32_MAX;
	is_number(n_given, 34,
		"events before one that was scribbled over are given, and those of other CPU buffers");
	is_number(pool_lost(&tested.pool), 6, "it and those behind it in its sub-buffer count as lost");
	is_number(pool_reader_waiting(tested.reader), 0, "and are not waited for");
	tested_put(&tested);
	while (tested_get(&tested, &number) && number == UINT32_MAX)
		;
	is_number(number, tested.n_put - 1, "what is recorded afterwards is read");
	tested_free(&tested);
}

/* With arbitrary cursors, owners, states and marks, nothing beside the pool is touched, and reading ends. */
static void test_lies(void)
{
	const uint64_t words_of_buffer = sizeof(struct cpu_buffer) / 8,
		       words_of_subbuf = sizeof(struct subbuf) / 8;
	struct tested tested;
	uint64_t random = 1;
	uint32_t number = 0, n = 0;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, 1);
	for (uint32_t round = 0; round < 3000; round++) {
		uint64_t *words =
			(void *)(round % 4 ? (void *)tested.pool.subbufs : (void *)tested.pool.buffers);
		uint64_t n_words = round % 4 ? tested.pool.geometry.n_subbufs * words_of_subbuf
					     : tested.pool.geometry.n_buffers * words_of_buffer;

		words[random_next(&random) % n_words] ^= random_next(&random) << random_next(&random) % 64;
		tested_buffer(&tested, round % 8);
		tested_put(&tested);
		for (uint32_t i = 0; i < 100 && tested_get(&tested, &number); i++)
			n++;
		pool_reader_waiting(tested.reader);
	}
	pool_reader_discard(tested.reader);
	ok(n > 1000, "a pool that is scribbled over is read without harm");
	tested_free(&tested);
}

int main(void)
{
	test_order();
	test_give_back();
	test_stop();
	test_late_stop();
	test_overwriting();
	test_waiting_run();
	test_runs(1);
	test_runs(3);
	test_run_stops();
	test_run_gap();
	test_newest(1);
	test_newest(2);
	test_newest(8);
	test_own_subbufs(2);
	test_own_subbufs(5);
	test_overwriting_dead();
	test_scribbler();
	test_lies();
	return tap_done();
}
