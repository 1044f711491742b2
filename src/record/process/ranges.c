/* SPDX-License-Identifier: MIT */
/*
 * The address ranges of pools in a process. A trace point that has loaded a pool may be interrupted for any
 * time before it writes, and is not counted, because that would cost every event. So the addresses of a
 * detached pool are never given back: anonymous memory replaces the pool and takes late writes, and the next
 * pool with the same geometry, clock, policy and data size is mapped there. Descriptions of pools (struct
 * pool) stay unchanged for the same reason. Addresses are kept, not memory. Only after RANGES pools that all
 * differ are the oldest addresses used again.
 */
#include "record/process/process_own.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RANGES (2 * PROCESS_STREAMS)

enum range_state {
	RANGE_EMPTY,
	RANGE_TAKEN,
	RANGE_RETIRED,
};

/* Under the process's lock. */
static struct {
	uint64_t n_retired; /* ever */
	struct range {
		struct pool pool;
		void *base;
		uint64_t retired; /* the value of n_retired then */
		enum range_state state;
		bool is_filled;
	} ranges[RANGES];
} table;

static bool is_like(const struct pool *a, const struct pool *b)
{
	return __builtin_memcmp(&a->geometry, &b->geometry, sizeof a->geometry) == 0 &&
	       a->clock == b->clock && a->policy == b->policy && a->data_size == b->data_size;
}

static struct range *range_of(const void *base)
{
	for (unsigned int i = 0; i < RANGES; i++) {
		if (table.ranges[i].state != RANGE_EMPTY && table.ranges[i].base == base)
			return &table.ranges[i];
	}
	return NULL;
}

/* The range of a retired pool like this one, else an empty one, else the one retired first, unmapped. */
static struct range *range_find(const struct pool *like)
{
	struct range *empty = NULL, *oldest = NULL;

	for (unsigned int i = 0; i < RANGES; i++) {
		struct range *range = &table.ranges[i];

		if (range->state == RANGE_RETIRED && range->is_filled && is_like(&range->pool, like))
			return range;
		if (range->state == RANGE_EMPTY && !empty)
			empty = range;
		if (range->state == RANGE_RETIRED && (!oldest || range->retired < oldest->retired))
			oldest = range;
	}
	if (!empty && oldest) {
		munmap(oldest->base, (size_t)oldest->pool.geometry.total_bytes);
		*oldest = (struct range){ 0 };
		empty = oldest;
	}
	return empty;
}

/*
 * By the raw system call: late writers are not ordered with this mapping, by design, and ThreadSanitizer
 * would report the C library's mmap() as a race.
 */
static void *map_at(void *base, uint64_t bytes, int flags, int fd)
{
	return (void *)syscall(
		SYS_mmap, base, (size_t)bytes, PROT_READ | PROT_WRITE, flags | (base ? MAP_FIXED : 0), fd, 0);
}

void *range_map(const struct pool *like, int fd)
{
	struct range *range = range_find(like);
	void *mapped = range ? map_at(range->base, like->geometry.total_bytes, MAP_SHARED, fd) : MAP_FAILED;

	if (mapped != MAP_FAILED) {
		range->base = mapped;
		range->state = RANGE_TAKEN;
	}
	return mapped;
}

const struct pool *range_fill(const struct pool *pool)
{
	struct range *range = range_of(pool->shared);

	if (!range)
		return NULL;
	if (!range->is_filled)
		range->pool = *pool;
	range->is_filled = true;
	return &range->pool;
}

void range_retire(const struct pool *pool)
{
	void *base = map_at(
		pool->shared, pool->geometry.total_bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	struct range *range = range_of(pool->shared);

	if (range && base != MAP_FAILED && range->is_filled) {
		range->state = RANGE_RETIRED;
		range->retired = ++table.n_retired;
	} else if (range) { /* never attached, or the mapping failed: no trace point finds it again */
		munmap(range->base, (size_t)pool->geometry.total_bytes);
		*range = (struct range){ 0 };
	}
}

void *process_memory(const struct pool *like, int fd)
{
	struct process_held held = process_lock();
	void *mapped = range_map(like, fd);
	int error = errno;

	process_unlock(&held);
	errno = error;
	return mapped;
}

void process_release(const struct pool *pool)
{
	struct process_held held = process_lock();

	range_retire(pool);
	process_unlock(&held);
}
