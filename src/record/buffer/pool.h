/* SPDX-License-Identifier: MIT */
/*
 * A stream in shared memory: sub-buffers from one pool, filled privately. Every processor (or, where there are no restartable
 * sequences, whoever holds one of a few spare CPU buffers) has one open sub-buffer and nobody else writes into it, so that
 * recording takes no lock and disturbs no other processor. Full sub-buffers stay in the pool until they are read, or, with
 * policy LOOP, until one of the first that were closed is taken for new events.
 *
 * stream-min-size (XSH 2.11.1: events whose sizes sum up to it are all recorded) is guaranteed because the pool has as many
 * sub-buffers as so many bytes fill, and three for every CPU buffer: the open one; one that is partly read, or has old and new events;
 * and one that is held back while the CPU buffer overwrites a later sub-buffer of its own. Design: src/record/README.md.
 *
 * Nothing here is a pointer, and no number is trusted by a reader: it keeps its own copy of the geometry.
 */
#ifndef BUFFER_POOL_H
#define BUFFER_POOL_H

#include "log/format.h"
#include "record/rendezvous/identity.h"
#include "record/rendezvous/proc.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <trace.h>

#define POOL_MAGIC	  0x474e4952u
#define POOL_FILTER_WORDS ((64 + TRACE_USER_EVENT_MAX) / 64)

enum pool_state {
	POOL_SUSPENDED = 0,
	POOL_RUNNING = 1,
	POOL_FULL = 2, /* stopped by itself; runs again when it has been emptied */
	POOL_GONE = 3, /* shut down */
};

/* Fixed when the pool is made. */
struct pool_geometry {
	uint32_t subbuf_shift; /* a sub-buffer has 1 << subbuf_shift bytes */
	uint32_t n_subbufs;
	uint32_t n_per_cpu; /* CPU buffers 0 … belong to the processors of these numbers */
	uint32_t n_buffers; /* the rest are taken by whoever finds them free */
	uint64_t buffers_at, subbufs_at, area_at, total_bytes;
	uint64_t tasks_at;
	uint64_t procinfo_at; /* 0: no records, because only the controller's process can be traced */
};

/* The low half of a cursor is the offset of the next event in the area; the upper half counts the sub-buffer's events. */
#define CURSOR_OFFSET_BITS 32
#define CURSOR_OFFSET_MASK ((1ull << CURSOR_OFFSET_BITS) - 1)

struct cpu_buffer {
	_Alignas(128) _Atomic uint64_t cursor; /* storing it publishes the event before it */
	_Atomic uint64_t n_lost;	       /* events for which there was no room */
	_Atomic uint32_t owner;		       /* shared buffers: the thread that is writing, else 0 */
	_Atomic uint32_t oldest; /* of the sub-buffers that it has filled, if it is still its own */
};

/* The low byte of a sub-buffer's state; the CPU buffer's number (16 bits) and the generation (40 bits) are above. */
enum subbuf_kind {
	SUBBUF_FREE = 0,
	SUBBUF_TAKEN =
		1, /* by a CPU buffer: its open sub-buffer if its cursor says so, else its next one (subbuf.h) */
	SUBBUF_CLOSED = 2,
};
struct subbuf {
	_Alignas(64) _Atomic uint64_t state;
	_Atomic uint64_t used; /* when closed: bytes (24 bits), generation (16), events (24) */
	_Atomic uint64_t last; /* ticks when it was closed: later than all its events */
	_Atomic uint64_t read; /* as used: what the reader has taken of it */
	/* When closed: generation (16 bits) and, below, how many sub-buffers of the stream were closed before. */
	_Atomic uint64_t order;
	_Atomic uint32_t next; /* what the CPU buffer filled behind it */
};

/* What a thread is called: tasks.h. */
#define POOL_TASKS	1024
#define POOL_TASK_WORDS 3
struct pool_task {
	_Alignas(32) _Atomic uint64_t words[POOL_TASK_WORDS]; /* process and thread, name */
	_Atomic uint64_t check;				      /* of the words */
};

/* A CPU buffer for a procinfo record of a traced process: procinfo.h. */
#define POOL_PROCINFOS	    512
#define POOL_PROCINFO_WORDS 31
struct pool_procinfo {
	_Alignas(256) _Atomic uint64_t words[POOL_PROCINFO_WORDS];
	_Atomic uint64_t check; /* of the words and the record's number */
};

/* What a pool is, as its maker knows it: whoever else needs to know is told by him, or has to check. */
struct pool_spec {
	struct pool_geometry geometry;
	uint32_t clock;	 /* enum log_clock */
	uint32_t policy; /* of the stream: POSIX_TRACE_LOOP, _UNTIL_FULL, _FLUSH */
	uint32_t data_size;
};

struct pool_shared {
	uint32_t magic;
	uint32_t version;
	struct pool_spec kind;
	/* For who finds the pool when its controller is gone: */
	struct identity consumer; /* of a stream with log */
	uint32_t target;	  /* pid */

	_Alignas(128) _Atomic uint32_t state;	    /* enum pool_state */
	_Atomic uint32_t is_full;		    /* posix_stream_full_status */
	_Atomic uint64_t filter[POOL_FILTER_WORDS]; /* a set bit: not recorded */
	_Atomic uint64_t
		disabled_types[POOL_FILTER_WORDS]; /* the filter while the stream runs, else all bits */

	/* What a CPU buffer's step to another sub-buffer looks at and changes is one line of memory. */
	_Alignas(128) _Atomic uint64_t
		lost_through;		/* LOOP: events up to this tick may have been overwritten */
	_Atomic uint64_t n_overwritten; /* events that were overwritten before anybody read them */
	_Atomic uint64_t first_lost;	/* ticks of the first of them; 0 again when the reader has told it */
	_Atomic uint64_t n_closed;	/* sub-buffers, ever */
	_Atomic uint32_t n_used, high_water; /* sub-buffers that are not free */
	_Atomic uint32_t hint;		     /* where to look for a free sub-buffer first */

	_Alignas(64) _Atomic uint64_t stop_ticks; /* when the stream stopped by itself; see pool_is_stop() */
	_Atomic uint64_t n_unknown;		  /* events with an identifier that nobody opened */
	_Atomic uint64_t
		n_dropped; /* by the reader: older than what was overwritten, or later than the stop */
	_Atomic uint64_t n_procinfos, n_procinfos_whole; /* records begun, and completed */
};

/* A pool as one process sees it. */
struct pool {
	struct pool_shared *shared;
	struct cpu_buffer *buffers;
	struct subbuf *subbufs;
	unsigned char *area;
	uint64_t area_bytes;
	/* What a cursor goes on by, at hand for instructions that want it in memory: an event without its bytes, */
	uint64_t one_event;
	uint64_t one_number; /* and an event of four bytes */
	uint32_t mask;	     /* of an offset within a sub-buffer */
	uint32_t n_per_cpu;
	struct pool_geometry geometry; /* a copy: what is in shared memory is not trusted */
	uint64_t data_size;
	uint32_t clock, policy;
	struct identity_file file; /* what its directory, or its process alone, knows it by */
	struct proc_file memory;   /* what maps of processes know it by */
	struct pool_task *tasks;
	struct pool_procinfo *procinfo; /* NULL: none */
};

/* Maps the file of a pool of this geometry, clock, policy and data size. MAP_FAILED: errno says why. */
typedef void *pool_mapper(const struct pool *like, int fd);

struct pool_config {
	const trace_attr_t *attr; /* resolved: policies set, sizes not zero */
	pid_t target;
	enum log_clock clock;
	bool has_rseq; /* the caller's threads have restartable sequences: each processor gets a CPU buffer */
	/* Where the caller's own trace points write to the pool; NULL: they do not, and the mapping is guarded (guard.h). */
	pool_mapper *map;
	/* A file in the rendezvous directory of a user, so that programs which are exec'd find it; else only children that are
	 * forked have the memory. */
	bool is_named;
	int directory;
	uint32_t uid, gid;
	bool is_closed; /* that user's other processes may not trace the target: root keeps the file, its group gets at it */
	bool is_foreign; /* who writes is another process, and may be another user's */
};

/* Sizes for XSH posix_trace_attr_getmax*eventsize(): what an event takes of stream-min-size. */
size_t pool_event_size(size_t data_length);

/*
 * Makes a pool and its descriptor (close-on-exec), with all its memory really there. SUSPENDED, with an empty
 * filter. ENOMEM, EINVAL, EMFILE, ENFILE.
 */
int pool_create(struct pool *ret_pool, const struct pool_config *config, int *ret_fd);
/* Maps a pool that somebody else made as what it is, whatever it says of itself; guarded (guard.h). EINVAL: it is none. */
int pool_map(struct pool *ret_pool, const struct pool_spec *kind, int fd);
/* For one that was made without a mapper, or mapped. */
void pool_unmap(struct pool *pool);
struct pool_spec pool_spec(const struct pool *pool);
/* Says in the pool who keeps its log. */
void pool_set_consumer(const struct pool *pool, const struct identity *consumer);
/* For directory_sweep(): ends a pool whose controller is gone, unless its consumer is at it. */
bool pool_end_orphan(int fd);
/* Takes a named pool's file out of its user's directory: whoever has it mapped keeps it. */
void pool_remove(const struct identity_file *file, uint32_t uid);
/* The same for a process that is traced into it: by its mapper. Async-signal-safe if that is. */
int pool_open(struct pool *ret_pool, int fd, pool_mapper *map);

/* The states of a sub-buffer, taken apart. */
static inline enum subbuf_kind subbuf_state_kind(uint64_t state)
{
	return (enum subbuf_kind)(state & 0xff);
}
static inline uint32_t subbuf_state_buffer(uint64_t state)
{
	return (uint32_t)(state >> 8 & 0xffff);
}
static inline uint64_t subbuf_state_generation(uint64_t state)
{
	return state >> 24;
}
static inline uint64_t subbuf_state_make(uint64_t generation, uint32_t buffer, enum subbuf_kind kind)
{
	return generation << 24 | (uint64_t)buffer << 8 | (uint64_t)kind;
}

/* What sub-buffer's used and read hold. */
static inline uint64_t subbuf_mark(uint64_t generation, uint64_t n_events, uint64_t n_bytes)
{
	return n_events << 40 | (generation & 0xffff) << 24 | n_bytes;
}
static inline bool subbuf_mark_is_of(uint64_t mark, uint64_t generation)
{
	return (mark >> 24 & 0xffff) == (generation & 0xffff);
}
static inline uint32_t subbuf_mark_bytes(uint64_t mark)
{
	return (uint32_t)(mark & 0xffffff);
}
static inline uint32_t subbuf_mark_events(uint64_t mark)
{
	return (uint32_t)(mark >> 40);
}

/*
 * Records an event whatever state and filter say: for system events. Which thread is said by the event (address, pid,
 * tid, thread); ticks are taken here. False when there was no room. Async-signal-safe.
 */
bool pool_put(const struct pool *pool, const struct log_event *event, const void *data);

/* Whether the filter lets a type pass. Never a call: see posix/event.c. */
static inline __attribute__((always_inline)) bool pool_wants(const struct pool *pool, uint32_t type)
{
	return !(atomic_load_explicit(&pool->shared->filter[type / 64], memory_order_relaxed) >> type % 64 &
		 1);
}

/*
 * State and filter are changed here only: what trace points look at (disabled_types) follows from both. pool_change(): false
 * when the state was not `from`. Async-signal-safe.
 */
bool pool_change(const struct pool *pool, enum pool_state from, enum pool_state to);
/* From whatever state to POOL_GONE: who writes to it lets it go. Or, where the target has confined itself (seccomp) and a
 * system call might end it, to POOL_SUSPENDED: it keeps the memory, and sees nothing. */
void pool_end(const struct pool *pool, uint32_t target);
void pool_set_filter(const struct pool *pool, const uint64_t words[POOL_FILTER_WORDS]);

/*
 * While the stream has not stopped by itself, stop_ticks is 0, or this bit and the time when it was emptied last. So a writer
 * that is late to store its stop time cannot mistake a later run of the stream for the one that it stopped.
 */
#define POOL_NOT_STOPPED (1ull << 63)
static inline bool pool_is_stop(uint64_t stop_ticks)
{
	return stop_ticks != 0 && !(stop_ticks & POOL_NOT_STOPPED);
}
/* The stream stops by itself: it is full. Async-signal-safe. */
void pool_stop(const struct pool *pool);
/* Says when it stopped, unless that is said: `before` is what stop_ticks was when the stream ran. */
bool pool_set_stop(const struct pool *pool, uint64_t before, uint64_t ticks);

/* Events lost so far, for whatever reason. */
uint64_t pool_lost(const struct pool *pool);

#endif
