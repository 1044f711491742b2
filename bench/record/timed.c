/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <sys/rseq.h>
#endif

#include "bench/record/record.h"

/*
 * A round of the ring: what is done once only happens before the time is taken, as a thread's first event.
 * Threads that run at once do this at once, too: else the one that comes last has all of a stream's memory
 * near it.
 */
#define N_WARM	    (RECORD_MEMORY_BYTES / 32)
/* Until threads that run at once were stopped for less than a twentieth. */
#define N_ATTEMPTS  8
#define STOPPED_MAX 1.05
#define N_PIECE	    100000

static uint64_t stamp_read(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

void record_ring_loop(uint64_t n_events, void *memory)
{
	struct record_memory *ring = memory;

	for (uint64_t i = 0; i < n_events; i++) {
		uint64_t cursor = atomic_load_explicit(&ring->cursor, memory_order_relaxed);
		uint64_t *at = (uint64_t *)(void *)(ring->bytes + (cursor & (RECORD_MEMORY_BYTES - 1)));

		at[0] = stamp_read();
		at[1] = 7ull << 48 | (i & 0xffffffffu);
		at[2] = i + 2;
		at[3] = i + 3;
		atomic_store_explicit(&ring->cursor, cursor + 32, memory_order_release);
		__asm__ volatile("" ::: "memory");
	}
}

struct timed_thread {
	pthread_t thread;
	const struct record_row *row;
	uint64_t n_events;
	unsigned number;
	pthread_barrier_t *start;
	bool is_good;
	double ns;
	double stopped; /* what it took by the wall's clock, for what it took of its processor */
};

/* Moves the thread to the n-th processor that the process may use, if it has so many. */
static void thread_pin(unsigned number)
{
	cpu_set_t all, one;

	if (sched_getaffinity(0, sizeof(all), &all) != 0 || (int)number >= CPU_COUNT(&all))
		return;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all) || number-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

/* As if the kernel or the C library had none: the thread takes back what its C library has registered. */
static bool drop_sequences(void)
{
#if defined(__x86_64__)
	struct rseq *rseq = (struct rseq *)(void *)((char *)__builtin_thread_pointer() + __rseq_offset);

	return __rseq_size == 0 ||
	       syscall(SYS_rseq, rseq, (uint32_t)sizeof(*rseq), RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0;
#else
	return true;
#endif
}

static double clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *run_thread(void *argument)
{
	struct timed_thread *self = argument;
	struct record_memory *memory = aligned_alloc(4096, sizeof(*memory));

	thread_pin(self->number);
	self->is_good = memory && (!self->row->has_no_sequences || drop_sequences());
	if (self->is_good)
		memory->cursor = 0;
	pthread_barrier_wait(self->start);
	if (self->is_good) {
		double wall = clock_ns(CLOCK_MONOTONIC), begin = clock_ns(CLOCK_THREAD_CPUTIME_ID), warm, end;

		self->row->loop(N_WARM, memory);
		warm = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		self->row->loop(self->n_events, memory);
		end = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		self->ns = end - warm;
		self->stopped = (clock_ns(CLOCK_MONOTONIC) - wall) / (end - begin);
	}
	free(memory);
	return NULL;
}

struct attempt {
	double ns;
	double stopped; /* the most of a thread */
};

static bool attempt_make(
	const struct record_row *row, unsigned n_threads, uint64_t n_events, struct attempt *ret_attempt)
{
	struct timed_thread threads[RECORD_THREADS_MAX];
	pthread_barrier_t start;
	bool is_good = true;

	*ret_attempt = (struct attempt){ 0 };
	if (pthread_barrier_init(&start, NULL, n_threads) != 0)
		return false;
	for (unsigned i = 0; i < n_threads; i++) {
		threads[i] = (struct timed_thread){
			.row = row, .n_events = n_events, .number = i, .start = &start
		};
		if (pthread_create(&threads[i].thread, NULL, run_thread, &threads[i]) != 0)
			abort(); /* those that are there would wait for it for ever */
	}
	for (unsigned i = 0; i < n_threads; i++) {
		pthread_join(threads[i].thread, NULL);
		is_good &= threads[i].is_good;
		ret_attempt->ns += threads[i].ns / n_threads;
		if (threads[i].stopped > ret_attempt->stopped)
			ret_attempt->stopped = threads[i].stopped;
	}
	pthread_barrier_destroy(&start);
	return is_good;
}

/*
 * Threads that others on the machine stop do not run at once, and do not stand in each other's way: a busy
 * machine would flatter the rows that are about that. So they run in pieces of a millisecond or two, and of
 * each piece the attempt counts in which they were stopped least.
 */
static bool piece_time(const struct record_row *row, uint64_t n_events, double *ret_ns)
{
	struct attempt best, next;

	if (!attempt_make(row, row->n_threads, n_events, &best))
		return false;
	for (unsigned i = 1; i < N_ATTEMPTS && best.stopped > STOPPED_MAX; i++) {
		if (!attempt_make(row, row->n_threads, n_events, &next))
			return false;
		if (next.stopped < best.stopped)
			best = next;
	}
	*ret_ns += best.ns;
	return true;
}

bool record_timed(const struct record_row *row, uint64_t n_events, double *ret_ns)
{
	struct attempt attempt;
	bool is_good = true;

	*ret_ns = 0;
	if (row->n_threads <= 1) {
		is_good = attempt_make(row, 1, n_events, &attempt);
		*ret_ns = attempt.ns;
		return is_good;
	}
	for (uint64_t n; is_good && n_events > 0; n_events -= n) {
		n = n_events < N_PIECE ? n_events : N_PIECE;
		is_good = piece_time(row, n, ret_ns);
	}
	return is_good;
}
