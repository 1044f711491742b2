/* SPDX-License-Identifier: MIT */
/*
 * The trace point (XSH posix_trace_event()). While no stream is attached it costs a load and a branch; with
 * one stream, a test of the thread's epoch, one of the stream's disabled types, and the event itself (put.h).
 * Everything rare is behind a call.
 */
#include "record/buffer/put.h"
#include "record/buffer/rare.h"
#include "record/posix/sink.h"
#include "record/process/process.h"
#include <trace_hook_np.h>

slow_path_sink *_Atomic event_sink;

static void count_lost(const struct pool *pool)
{
	atomic_fetch_add_explicit(&pool->buffers[process_self.writer.hint % pool->geometry.n_buffers].n_lost,
		1, memory_order_relaxed);
}

/*
 * Counts an event with an unknown identifier in the streams that would have recorded it. Relaxed, as all
 * counters: only sums are read.
 */
static __attribute__((noinline)) void count_unknown(uint64_t attached)
{
	for (; attached; attached &= attached - 1)
		atomic_fetch_add_explicit(
			&process_pool(__builtin_ctzll(attached))->shared->n_unknown, 1, memory_order_relaxed);
}

/* A hook by 12 bits of its id, or NO_HOOK for other events. */
enum { NO_HOOK = -1, HOOK_ID_SHIFT = 20 };

/*
 * Hook 003: the one in its data word, by four digits, is common from here on. It goes into the rare ring, of
 * the same channel.
 */
static void put_common(const struct pool *pool, uint32_t type, uint64_t address, int64_t hook)
{
	const uint32_t entry[2] = { 0x003a0000u | (type - POSIX_TRACE_HOOK_FIRST_NP) / 2,
		(uint32_t)hook << 4 };
	const struct put put = { .type = type & ~1u,
		.address = address,
		.origin = &process_self.writer.pid,
		.data = entry,
		.length = sizeof(entry),
		.is_rare = true };

	put_slowly(pool, &process_self.writer, &put);
}

/* Whether the entry goes into the pool's rare ring. */
static __attribute__((noinline)) bool is_rare(
	const struct pool *pool, uint32_t type, uint64_t address, size_t length, int64_t hook)
{
	const enum rare_verdict verdict = rare_judge(pool, (uint32_t)hook, log_event_bytes(length));

	if (verdict == RARE_ENDED)
		put_common(pool, type, address, hook);
	return verdict == RARE_STILL;
}

/*
 * For events that are cut, sub-buffers that are full, threads without restartable sequences, several streams,
 * and hooks that are rare.
 */
static void record_slowly(const struct pool *pool, uint32_t type, const void *data, size_t length,
	uint64_t address, int64_t hook)
{
	struct put put = { .type = type,
		.address = address,
		.origin = &process_self.writer.pid,
		.data = data,
		.length = length };

	if (__builtin_expect(length > pool->data_size, 0)) {
		put.length = pool->data_size;
		put.type |= LOG_EVENT_CUT << 16;
	}
	if (__builtin_expect(hook != NO_HOOK && pool->rare, 0))
		put.is_rare = is_rare(pool, type, address, length, hook);
	put_slowly(pool, &process_self.writer, &put);
}

/*
 * Whether the type is recorded now. A type that is generated while the stream is full sets its overrun
 * status, though the stream does not run (section 16, 7). Shortly after a start, disabled_types may still
 * disable it. The acquire of the state pairs with its compare-and-swap in pool_change().
 */
static inline bool is_recorded(const struct pool *pool, uint32_t type)
{
	uint32_t state = atomic_load_explicit(&pool->shared->state, memory_order_acquire);

	if (state == POOL_FULL && pool_wants(pool, type))
		count_lost(pool);
	if (state == POOL_GONE)
		process_look_again();
	return state == POOL_RUNNING && pool_wants(pool, type);
}

/* Bit `number` of an array of bits, in one instruction on x86-64. Relaxed: pool_state.c says why. */
static inline bool is_set(const _Atomic uint64_t *words, uint64_t number)
{
#if defined(__x86_64__)
	bool is;

	__asm__ volatile("btq %[number], %[words]"
			 : "=@ccc"(is)
			 : [number] "r"(number), [words] "m"(words[0])
			 : "cc");
	return is;
#else
	return atomic_load_explicit(&words[number / 64], memory_order_relaxed) >> number % 64 & 1;
#endif
}

/* Relaxed, as is_set(); the id is below 4096. */
static inline bool hook_is_in(const _Atomic uint64_t *hooks, int64_t hook)
{
	return (atomic_load_explicit(&hooks[hook / 64], memory_order_relaxed) >> hook % 64 & 1) != 0;
}

static inline bool hook_is_wanted(const struct pool *pool, int64_t hook)
{
	return hook == NO_HOOK || !hook_is_in(pool->shared->hook_filter, hook);
}

/*
 * Records in the attached streams one by one, when the fast paths failed there. The acquire of
 * process_attached pairs with slot_attach() and slot_detach() in process/attached.c.
 */
static __attribute__((noinline)) void record_in_each(
	uint64_t number, const void *data, size_t length, uint64_t address, int64_t hook, uint64_t wanted)
{
	uint32_t type = (uint32_t)number;
	bool is_current = process_epoch() == process_self.epoch;
	bool is_here = is_current || process_refresh();
	uint64_t attached = atomic_load_explicit(&process_attached, memory_order_acquire) & wanted;
	slow_path_sink *sink = event_sink_load();

	if (!is_current && process_epoch() != process_self.epoch)
		process_miss(attached);
	if (is_here && sink)
		sink(type, data, length);
	for (; attached && is_here; attached &= attached - 1) {
		const struct pool *pool = process_pool(__builtin_ctzll(attached));

		if (hook_is_wanted(pool, hook) && is_recorded(pool, type))
			record_slowly(pool, type, data, length, address, hook);
	}
}

/*
 * The fast path for several streams: they share the time, which is read once. Returns those in which it did
 * not succeed.
 */
static inline __attribute__((always_inline)) uint64_t record_at_once(
	uint64_t attached, uint64_t type, const void *data, size_t length, uint64_t address, int64_t hook)
{
	uint64_t ticks = 0, left = attached; /* no time yet */

	for (; attached; attached &= attached - 1) {
		const struct pool *pool = process_pool(__builtin_ctzll(attached));

		if (!is_set(pool->shared->disabled_types, type) &&
			(hook == NO_HOOK || !hook_is_in(pool->shared->disabled_hooks, hook)) &&
			length <= pool->data_size &&
			put_at(pool, &process_self.writer, type, address, data, length, &ticks))
			left &= ~(attached & -attached);
	}
	put_at_end(&process_self.writer);
	return left;
}

/* Records in every attached stream, when there are several, or the fast path for one failed. */
static __attribute__((noinline)) void record_in_all(
	uint64_t type, const void *data, size_t length, uint64_t address, int64_t hook)
{
	uint64_t left = UINT64_MAX;

	if (process_epoch() == process_self.epoch && !event_sink_load())
		left = record_at_once(atomic_load_explicit(&process_attached, memory_order_acquire), type,
			data, length, address, hook);
	if (__builtin_expect(left != 0, 0))
		record_in_each(type, data, length, address, hook, left);
}

/* How the fast path ends: done, or one of three reasons to take the slow path. */
enum fast_result {
	FAST_DONE,	    /* recorded, or no receiver wants the type */
	FAST_THREAD_IS_OLD, /* the thread's first event, a fork, or a stream came or went: refresh first */
	/* disabled in the thread's pool, which stands for several streams or none; or there is a sink */
	FAST_MAYBE_OTHERS,
	FAST_NO_ROOM, /* too long, the sub-buffer is full, or the sequence was interrupted */
};

/*
 * The fast path: one stream and a thread that is up to date, so that process_self.pool is that stream's pool.
 * With several streams, or none, it is an empty pool (n_per_cpu 0) in which all types are disabled.
 */
static inline __attribute__((always_inline)) enum fast_result record_fast(
	uint64_t type, const void *data, size_t length, uint64_t address)
{
	const struct pool *pool = process_self.pool;

	if (__builtin_expect(process_epoch() != process_self.epoch, 0))
		return FAST_THREAD_IS_OLD;
	if (__builtin_expect(is_set(pool->shared->disabled_types, type), 0)) {
		if (__builtin_expect(!event_sink_load(), 1) && pool->n_per_cpu > 0 &&
			!is_recorded(pool, (uint32_t)type))
			return FAST_DONE;
		return FAST_MAYBE_OTHERS;
	}
	if (__builtin_expect(length <= pool->data_size, 1) &&
		__builtin_expect(put_quickly(pool, &process_self.writer, type, address, data, length), 1))
		return FAST_DONE;
	return FAST_NO_ROOM;
}

static inline __attribute__((always_inline)) void record(
	uint64_t type, const void *data, size_t length, uint64_t address)
{
	if (__builtin_expect(record_fast(type, data, length, address) != FAST_DONE, 0))
		record_in_all(type, data, length, address, NO_HOOK);
}

/* Callers test process_is_disabled() first, so that a point that is off pays for no other load. */
static inline __attribute__((always_inline)) void record_if_known(
	trace_event_id_t id, const void *data, size_t length, uint64_t address)
{
	const struct names *names = atomic_load_explicit(&process_map, memory_order_relaxed);

	if (__builtin_expect(id > POSIX_TRACE_UNNAMED_USEREVENT, 1) ? names && id < names_limit(names)
								    : id == POSIX_TRACE_UNNAMED_USEREVENT)
		record(id, data, length, address);
	else if (process_here())
		count_unknown(atomic_load_explicit(&process_attached, memory_order_acquire));
}

void posix_trace_event(trace_event_id_t id, const void *restrict data, size_t length)
{
	if (process_is_disabled())
		return;
	record_if_known(id, data, length, (uint64_t)(uintptr_t)__builtin_return_address(0));
}

void posix_trace_event_from_np(trace_event_id_t id, const void *data, size_t length, const void *address)
{
	if (process_is_disabled())
		return;
	record_if_known(id, data, length, (uint64_t)(uintptr_t)address);
}

void posix_trace_point_event_np(const struct posix_trace_point_np *point, const void *data, size_t length)
{
	record(point->posix_point_id, data, length, (uint64_t)(uintptr_t)__builtin_return_address(0));
}

/*
 * The fast path for one stream, as record_fast(), with a second filter, which rare hooks do not pass either.
 */
void posix_trace_hook_np(trace_event_id_t type, unsigned long long hook, const void *entry, size_t length)
{
	const int64_t number = (uint32_t)hook >> HOOK_ID_SHIFT;
	const struct pool *pool = process_self.pool;

	if (process_is_disabled() ||
		type - POSIX_TRACE_HOOK_FIRST_NP > POSIX_TRACE_HOOK_LAST_NP - POSIX_TRACE_HOOK_FIRST_NP)
		return;
	if (__builtin_expect(process_epoch() == process_self.epoch, 1) &&
		!is_set(pool->shared->disabled_types, type)) {
		if (__builtin_expect(hook_is_in(pool->shared->disabled_hooks, number), 0)) {
			if (!event_sink_load() && !hook_is_wanted(pool, number))
				return;
		} else if (__builtin_expect(length <= pool->data_size, 1) &&
			   __builtin_expect(
				   put_quickly(pool, &process_self.writer, type,
					   (uint64_t)(uintptr_t)__builtin_return_address(0), entry, length),
				   1))
			return;
	}
	record_in_all(type, entry, length, (uint64_t)(uintptr_t)__builtin_return_address(0), number);
}
