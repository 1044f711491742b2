/* SPDX-License-Identifier: MIT */
/*
 * Where pools are in the memory of a process. A trace point that has looked at a pool may be interrupted for any time
 * before it writes; nobody counts it, since that would cost every event. So the memory of a detached pool is never
 * given back: other memory takes its place, which swallows what comes late; and a new pool that is like it in
 * everything a trace point looks at comes to the same place. The descriptions of pools stay as they are for the same reason.
 * What is kept is addresses, not memory. Only after PLACES pools that are all unlike are the oldest addresses used again.
 */
#include "record/process/process_own.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLACES (2 * PROCESS_STREAMS)

enum place_state {
	PLACE_EMPTY,
	PLACE_TAKEN,
	PLACE_RETIRED,
};

/* With the process's lock held. */
static struct {
	uint64_t n_retired; /* ever */
	struct place {
		struct pool pool;
		void *base;
		uint64_t retired; /* when: the value of n_retired */
		enum place_state state;
		bool is_filled;
	} places[PLACES];
} table;

static bool is_like(const struct pool *a, const struct pool *b)
{
	return __builtin_memcmp(&a->geometry, &b->geometry, sizeof a->geometry) == 0 &&
	       a->clock == b->clock && a->policy == b->policy && a->data_size == b->data_size;
}

static struct place *place_of(const void *base)
{
	for (unsigned int i = 0; i < PLACES; i++) {
		if (table.places[i].state != PLACE_EMPTY && table.places[i].base == base)
			return &table.places[i];
	}
	return NULL;
}

/* One that a pool like this one left, else an empty one, else the one that was left first, emptied. */
static struct place *place_find(const struct pool *like)
{
	struct place *empty = NULL, *oldest = NULL;

	for (unsigned int i = 0; i < PLACES; i++) {
		struct place *place = &table.places[i];

		if (place->state == PLACE_RETIRED && place->is_filled && is_like(&place->pool, like))
			return place;
		if (place->state == PLACE_EMPTY && !empty)
			empty = place;
		if (place->state == PLACE_RETIRED && (!oldest || place->retired < oldest->retired))
			oldest = place;
	}
	if (!empty && oldest) {
		munmap(oldest->base, (size_t)oldest->pool.geometry.total_bytes);
		*oldest = (struct place){ 0 };
		empty = oldest;
	}
	return empty;
}

/*
 * By the raw system call: late writers are not ordered with this mapping, by design, and ThreadSanitizer would report the C
 * library's mmap() as a race.
 */
static void *map_at(void *base, uint64_t bytes, int flags, int fd)
{
	return (void *)syscall(
		SYS_mmap, base, (size_t)bytes, PROT_READ | PROT_WRITE, flags | (base ? MAP_FIXED : 0), fd, 0);
}

void *place_map(const struct pool *like, int fd)
{
	struct place *place = place_find(like);
	void *mapped = place ? map_at(place->base, like->geometry.total_bytes, MAP_SHARED, fd) : MAP_FAILED;

	if (mapped != MAP_FAILED) {
		place->base = mapped;
		place->state = PLACE_TAKEN;
	}
	return mapped;
}

const struct pool *place_fill(const struct pool *pool)
{
	struct place *place = place_of(pool->shared);

	if (!place)
		return NULL;
	if (!place->is_filled)
		place->pool = *pool;
	place->is_filled = true;
	return &place->pool;
}

void place_retire(const struct pool *pool)
{
	void *base = map_at(
		pool->shared, pool->geometry.total_bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	struct place *place = place_of(pool->shared);

	if (place && base != MAP_FAILED && place->is_filled) {
		place->state = PLACE_RETIRED;
		place->retired = ++table.n_retired;
	} else if (place) { /* never attached, or it could not be replaced: nobody will be told of it again */
		munmap(place->base, (size_t)pool->geometry.total_bytes);
		*place = (struct place){ 0 };
	}
}

void *process_memory(const struct pool *like, int fd)
{
	struct process_held held = process_lock();
	void *mapped = place_map(like, fd);
	int error = errno;

	process_unlock(&held);
	errno = error;
	return mapped;
}

void process_release(const struct pool *pool)
{
	struct process_held held = process_lock();

	place_retire(pool);
	process_unlock(&held);
}
