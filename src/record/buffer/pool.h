/* SPDX-License-Identifier: MIT */
/*
 * The buffer pool of a stream: shared memory that trace points write to and one reader consumes. Each CPU has
 * a CPU buffer with one open sub-buffer, and only threads on that CPU write to it, so that recording takes no
 * lock and disturbs no other CPU. (Without restartable sequences a thread owns one of a few shared buffers
 * while it writes.) Closed sub-buffers stay in the pool until they are read, or, with policy LOOP, until one
 * of the oldest is taken for new events.
 *
 * stream-min-size (XSH 2.11.1: events whose sizes add up to it are all recorded) is guaranteed because the
 * pool has the sub-buffers that so many bytes fill, and three for every CPU buffer: the open one; one that is
 * partly read, or holds both old and new events; and one that is held back while the CPU buffer overwrites a
 * later sub-buffer of its own.
 *
 * layout.h has the memory, src/record/README.md a picture and the design.
 */
#ifndef BUFFER_POOL_H
#define BUFFER_POOL_H

#include "record/buffer/layout.h"
#include "record/rendezvous/proc.h"
#include <stddef.h>

/* A pool as one process has it mapped. */
struct pool {
	struct pool_shared *shared;
	struct cpu_buffer *buffers;
	struct subbuf *subbufs;
	unsigned char *area;
	uint64_t area_bytes;
	/*
	 * The amounts that an event adds to a cursor, in memory for the instructions of rseq.h: its count
	 * alone,
	 */
	uint64_t one_event;
	uint64_t one_number; /* and count and bytes of an event with four bytes of data */
	uint32_t mask;	     /* of an offset within a sub-buffer */
	uint32_t n_per_cpu;
	uint32_t n_shared; /* buffers of each ring that are no CPU's; those of the rare ring are the last */
	struct pool_geometry geometry; /* a copy: shared memory is not trusted */
	uint64_t data_size;
	uint32_t clock, policy;
	struct identity_file file; /* its name in the directory, or a number that only its process uses */
	struct proc_file memory;   /* how memory maps of processes show it */
	struct pool_task *tasks;
	struct pool_procinfo *procinfo; /* NULL if the pool has no such records */
	struct pool_rare *rare;		/* NULL if there is no rare ring */
};

/* Maps the file of a pool of this geometry, clock, policy and data size. MAP_FAILED: errno has the reason. */
typedef void *pool_mapper(const struct pool *like, int fd);

struct pool_config {
	const trace_attr_t *attr; /* resolved: policies set, sizes not zero */
	pid_t target;
	enum log_clock clock;
	bool has_rseq; /* the caller's threads have restartable sequences: each CPU gets a buffer */
	/*
	 * For a pool that the caller's own trace points write to; NULL if they do not, and the mapping is
	 * guarded (guard.h).
	 */
	pool_mapper *map;
	/*
	 * A file in the rendezvous directory of a user, where programs that are exec'd find it; else only
	 * forked children have the memory.
	 */
	bool is_named;
	int directory;
	uint32_t uid, gid;
	/*
	 * That user's other processes may not trace the target: root owns the file, and the user's group has
	 * access.
	 */
	bool is_closed;
	bool is_foreign; /* the writers are other processes, perhaps of another user */
};

/* The ring of a sub-buffer. */
static inline enum pool_ring_number pool_ring(const struct pool *pool, uint32_t subbuf)
{
	return subbuf + pool->geometry.n_rare >= pool->geometry.n_subbufs && pool->rare ? POOL_RARE
											: POOL_COMMON;
}

/*
 * Size of an event in stream-min-size, for posix_trace_attr_getmaxusereventsize() and
 * posix_trace_attr_getmaxsystemeventsize().
 */
size_t pool_event_size(size_t data_length);

/*
 * Makes a pool and its descriptor (close-on-exec), with all its memory allocated: a store never raises
 * SIGBUS. SUSPENDED, with an empty filter. ENOMEM, EINVAL, EMFILE, ENFILE.
 */
int pool_create(struct pool *ret_pool, const struct pool_config *config, int *ret_fd);
/*
 * Maps a pool of another process with a spec that is known, whatever the memory holds; guarded (guard.h).
 * EINVAL: no pool.
 */
int pool_map(struct pool *ret_pool, const struct pool_spec *spec, int fd);
/*
 * Maps a pool that traces the calling process, by its mapper. The spec is read from the pool and checked.
 * Async-signal-safe if the mapper is.
 */
int pool_open(struct pool *ret_pool, int fd, pool_mapper *map);
/* For one that was created without a mapper, or mapped by pool_map(). */
void pool_unmap(struct pool *pool);
struct pool_spec pool_spec(const struct pool *pool);
/* Stores in the pool which process writes its log. */
void pool_set_consumer(const struct pool *pool, const struct identity *consumer);
/* For directory_sweep(): ends a pool whose controller is gone, unless its consumer lives. */
bool pool_end_orphan(int fd);
/* Removes a named pool's file from its user's directory; mappings stay. */
void pool_remove(const struct identity_file *file, uint32_t uid);

/*
 * Records an event whatever state and filter are: for system events. Address, pid, tid and thread are the
 * event's; ticks are taken here. False: there was no room. Async-signal-safe.
 */
bool pool_put(const struct pool *pool, const struct log_event *event, const void *data);

/* Whether the filter lets a type pass. Always inline: see posix/event.c. */
static inline __attribute__((always_inline)) bool pool_wants(const struct pool *pool, uint32_t type)
{
	return !(atomic_load_explicit(&pool->shared->filter[type / 64], memory_order_relaxed) >> type % 64 &
		 1);
}

/*
 * Only these three change state and filter, because both determine disabled_types, which trace points test.
 * pool_change(): false when the state was not `from`. Async-signal-safe.
 */
bool pool_change(const struct pool *pool, enum pool_state from, enum pool_state to);
/*
 * From any state to POOL_GONE: writers unmap it. If the target has confined itself (seccomp), where a system
 * call might end it, to POOL_SUSPENDED: the target keeps the memory and does not notice.
 */
void pool_end(const struct pool *pool, uint32_t target);
enum pool_state pool_end_state(uint32_t target);
void pool_set_filter(const struct pool *pool, const uint64_t words[POOL_FILTER_WORDS]);

/*
 * While the stream has not stopped on its own, stop_ticks is 0, or this bit plus the time when it was last
 * drained. A writer that is late to store its stop time thus cannot mistake a later run of the stream for the
 * one that it stopped.
 */
#define POOL_NOT_STOPPED (1ull << 63)
static inline bool pool_is_stop(uint64_t stop_ticks)
{
	return stop_ticks != 0 && !(stop_ticks & POOL_NOT_STOPPED);
}
/* The automatic stop of a full stream. Async-signal-safe. */
void pool_stop(const struct pool *pool);
/*
 * Stores the stop time unless there is one: `before` is the value of stop_ticks while the stream ran. False:
 * there is one.
 */
bool pool_set_stop(const struct pool *pool, uint64_t before, uint64_t ticks);

/* Events of a ring that were overwritten or found no room so far; and all that were lost, for any reason. */
uint64_t pool_ring_lost(const struct pool *pool, enum pool_ring_number ring);
uint64_t pool_lost(const struct pool *pool);

#endif
