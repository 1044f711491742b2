/* SPDX-License-Identifier: MIT */
#include "record/buffer/put.h"
#include "record/buffer/subbuf.h"
#include "record/kernel/clock.h"
#include "record/rendezvous/identity.h"
#include <sys/syscall.h>
#include <unistd.h>

/* Tries before an event counts as lost; each try fails only because another thread made progress. */
#define PUT_TRIES  64
/* Rounds through all shared buffers. */
#define PUT_ROUNDS 64

/*
 * Stores word by word, each relaxed: a reader may copy the bytes while they are overwritten. It checks the
 * sub-buffer's state afterwards (merge.c, subbuf_is_same()), and for a new event the release store of the
 * cursor orders them.
 */
static inline void store_words(unsigned char *to, const void *from, uint64_t length)
{
	const unsigned char *bytes = from;

	for (; length >= 8; length -= 8, bytes += 8, to += 8) {
		uint64_t word;
		__builtin_memcpy(&word, bytes, 8);
		atomic_store_explicit((_Atomic uint64_t *)(void *)to, word, memory_order_relaxed);
	}
	if (length >= 4) {
		uint32_t half;
		__builtin_memcpy(&half, bytes, 4);
		atomic_store_explicit((_Atomic uint32_t *)(void *)to, half, memory_order_relaxed);
		length -= 4, bytes += 4, to += 4;
	}
	for (; length > 0; length--)
		atomic_store_explicit((_Atomic unsigned char *)to++, *bytes++, memory_order_relaxed);
}

/*
 * Writes into the open sub-buffer of a buffer that the caller owns. The cursor is relaxed at first, because
 * only the owner changes it; its release store publishes the event and pairs with the acquire load in
 * merge.c, subbuf_end(). False: there is no room, or the cursor points outside the area.
 */
static inline bool put_into_buffer(
	const struct pool *pool, struct cpu_buffer *buffer, uint32_t cpu, const struct put *put)
{
	uint64_t cursor = atomic_load_explicit(&buffer->cursor, memory_order_relaxed);
	uint64_t offset = cursor & CURSOR_OFFSET_MASK;
	uint64_t bytes = log_event_bytes(put->length);
	unsigned char *bytes_at = pool->area + offset;
	_Atomic uint64_t *at = (_Atomic uint64_t *)(void *)bytes_at;
	const uint64_t *origin = put->origin;

	if ((offset & pool->mask) + bytes > pool->mask || offset >= pool->area_bytes)
		return false;
	atomic_store_explicit(
		&at[0], (uint64_t)cpu << 48 | put->length << 32 | put->type, memory_order_relaxed);
	atomic_store_explicit(&at[1], clock_ticks((enum log_clock)pool->clock), memory_order_relaxed);
	atomic_store_explicit(&at[2], put->address, memory_order_relaxed);
	atomic_store_explicit(&at[3], origin[0], memory_order_relaxed);
	atomic_store_explicit(&at[4], origin[1], memory_order_relaxed);
	store_words(bytes_at + sizeof(struct log_event), put->data, put->length);
	atomic_store_explicit(&buffer->cursor, cursor + bytes + pool->one_event, memory_order_release);
	return true;
}

/* For a buffer without room: takes sub-buffers until the event fits. */
static __attribute__((noinline)) bool put_into_next(const struct pool *pool, uint32_t number,
	struct cpu_buffer *buffer, uint32_t cpu, const struct put *put)
{
	for (unsigned int turn = 0; turn < PUT_TRIES; turn++) {
		if (!cpu_buffer_extend(
			    pool, number, atomic_load_explicit(&buffer->cursor, memory_order_relaxed), NULL))
			return false;
		if (put_into_buffer(pool, buffer, cpu, put))
			return true;
	}
	return false;
}

bool put_give_back(struct cpu_buffer *buffer)
{
	uint32_t owner = atomic_load_explicit(&buffer->owner, memory_order_relaxed);
	bool is_dead = owner != 0 && !identity_thread_runs(owner);

	return is_dead && atomic_compare_exchange_strong(&buffer->owner, &owner, 0);
}

/*
 * Where the thread runs, for buffers that are no CPU's; that it may move before it has written does not
 * matter.
 */
static uint32_t writer_cpu(const struct writer *writer)
{
#if RSEQ_IS_HERE
	const uint32_t cpu = writer->rseq ? rseq_cpu(writer->rseq) : LOG_NO_CPU;

	return cpu < LOG_NO_CPU ? cpu : LOG_NO_CPU;
#else
	(void)writer;
	return LOG_NO_CPU;
#endif
}

/*
 * Shared buffers: a thread that finds one without owner writes into it. An owner that is interrupted by a
 * handler, preempted or killed keeps its buffer, and the next writer uses another one. If all are owned,
 * their owners must run: sched_yield() is the only system call that a trace point makes for want of room, and
 * the rounds are bounded. In the last round the writer releases buffers of dead owners. The acquire of
 * `owner` pairs with the release below: the new owner sees the cursor of the last one.
 */
static bool put_shared(const struct pool *pool, const struct writer *writer, const struct put *put)
{
	uint32_t n = pool->n_shared; /* a power of two */
	uint32_t first = put->is_rare ? pool->geometry.n_buffers - n : pool->n_per_cpu;
	uint32_t cpu = put->is_rare ? writer_cpu(writer) : LOG_NO_CPU;

	for (uint32_t i = 0; i < PUT_ROUNDS * n; i++) {
		uint32_t number = first + ((writer->hint + i) & (n - 1));
		struct cpu_buffer *buffer = &pool->buffers[number];
		uint32_t none = 0;
		bool done;

		if (i > 0 && i % n == 0)
			syscall(SYS_sched_yield);
		if (i / n == PUT_ROUNDS - 1)
			put_give_back(buffer);
		if (!atomic_compare_exchange_strong_explicit(
			    &buffer->owner, &none, writer->tid, memory_order_acquire, memory_order_relaxed))
			continue;
		done = put_into_buffer(pool, buffer, cpu, put) ||
		       put_into_next(pool, number, buffer, cpu, put);
		atomic_store_explicit(&buffer->owner, 0, memory_order_release);
		return done;
	}
	return false;
}

#if RSEQ_IS_HERE
/* As rseq_put() tests it. */
static bool has_room(const struct pool *pool, uint64_t cursor, uint64_t length)
{
	return (cursor & CURSOR_OFFSET_MASK) < pool->area_bytes &&
	       (cursor & pool->mask) + sizeof(struct log_event) + 7 + length <= pool->mask;
}

/* Returns 1 if done, 0 if there is no room, -1 if this path does not work. */
static int put_restarting(const struct pool *pool, const struct writer *writer, const struct put *put)
{
	for (unsigned int turn = 0; turn < PUT_TRIES; turn++) {
		uint32_t cpu = rseq_cpu(writer->rseq);

		uint64_t seen = atomic_load_explicit(&pool->buffers[cpu].cursor, memory_order_relaxed);
		enum rseq_result result =
			rseq_put(pool, writer, put->type, put->address, put->data, put->length);
		if (result == RSEQ_DONE)
			return 1;
		if (result != RSEQ_NO_ROOM || has_room(pool, seen, put->length))
			continue; /* another CPU's buffer by now, or another thread took a new sub-buffer */
		if (!cpu_buffer_extend(pool, cpu, seen, writer->rseq))
			return 0;
	}
	return -1;
}
#endif

/* In a buffer of the event's ring. */
static void put_count_lost(const struct pool *pool, const struct writer *writer, bool is_rare)
{
	const uint32_t n_rare = pool->rare ? pool->n_shared : 0, n = pool->geometry.n_buffers;

	atomic_fetch_add_explicit(&pool->buffers[is_rare ? n - 1 : writer->hint % (n - n_rare)].n_lost, 1,
		memory_order_relaxed);
}

bool put_slowly(const struct pool *pool, const struct writer *writer, const struct put *put)
{
	int done = -1;

#if RSEQ_IS_HERE
	if (writer->rseq && pool->n_per_cpu > 0 && put->origin == &writer->pid && !put->is_rare)
		done = put_restarting(pool, writer, put);
#endif
	if (done < 0)
		done = put_shared(pool, writer, put);
	if (done == 0)
		put_count_lost(pool, writer, put->is_rare);
	return done == 1;
}

bool pool_put(const struct pool *pool, const struct log_event *event, const void *data)
{
	struct put put = {
		.type = event->type | (uint32_t)event->flags << 16,
		.address = event->address,
		.origin = &event->pid,
		.data = data,
		.length = event->length,
		.is_rare = pool->rare != NULL,
	};
	const uint32_t tid = (uint32_t)syscall(SYS_gettid);
	const struct writer writer = { .tid = tid, .hint = tid };

	return put_slowly(pool, &writer, &put);
}
