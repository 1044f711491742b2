/* SPDX-License-Identifier: MIT */
/*
 * The shared memory of a stream, in this order:
 *
 *	struct pool_shared       state, filter, counts
 *	struct cpu_buffer        n_buffers: the write cursor of each CPU, then of the shared buffers
 *	struct subbuf            n_subbufs and one: the state of each sub-buffer (the last one: for no sub-buffer)
 *	struct pool_task         POOL_TASKS: names of threads (process/tasks.h)
 *	struct pool_procinfo     POOL_PROCINFOS: what processes publish (process/procinfo.h), if any
 *	struct pool_rare         of a pool with a rare ring: which hooks are common (rare.h)
 *	the area                 n_subbufs sub-buffers of events, each 1 << subbuf_shift bytes
 *
 * There are no pointers in it. A reader trusts no number in it: it keeps a copy of the geometry and checks
 * every offset.
 */
#ifndef BUFFER_LAYOUT_H
#define BUFFER_LAYOUT_H

#include "log/format.h"
#include "record/rendezvous/identity.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <trace.h>

#define POOL_MAGIC	  0x4c4f4f50u
#define POOL_VERSION	  6
/* Words of a set of hooks, by 12 bits of their ids (<trace_hook_np.h>). */
#define POOL_HOOK_WORDS	  64
#define POOL_FILTER_WORDS ((64 + TRACE_USER_EVENT_MAX) / 64)

/* Fixed when the pool is made. */
struct pool_geometry {
	uint32_t subbuf_shift; /* a sub-buffer has 1 << subbuf_shift bytes */
	uint32_t n_subbufs;
	uint32_t n_per_cpu; /* buffer n belongs to CPU n, for n below this; 0 if all buffers are shared */
	uint32_t n_buffers; /* the rest are shared: a thread owns one while it writes */
	uint64_t buffers_at, subbufs_at, area_at, total_bytes;
	uint64_t tasks_at;
	uint64_t
		/* 0 if there are no records, because only the controller's process can be traced */
		procinfo_at;
	uint64_t rare_at; /* 0 if there is no rare ring */
	uint64_t
		/* the last sub-buffers are the rare ring's, and the second half of the shared buffers */
		n_rare;
};

/*
 * The fixed properties of a pool, as its maker knows them. Other processes get them from the maker, or check
 * them.
 */
struct pool_spec {
	struct pool_geometry geometry;
	uint32_t clock;	 /* enum log_clock */
	uint32_t policy; /* of the stream: POSIX_TRACE_LOOP, _UNTIL_FULL, _FLUSH */
	uint32_t data_size;
};

/*
 * The low half of a cursor is the offset of the next event in the area; the upper half counts the
 * sub-buffer's events. Storing a cursor publishes the event before it (put.c, rseq.h); merge.c, subbuf_end()
 * loads it.
 */
#define CURSOR_OFFSET_BITS 32
#define CURSOR_OFFSET_MASK ((1ull << CURSOR_OFFSET_BITS) - 1)

struct cpu_buffer {
	_Alignas(128) _Atomic uint64_t cursor;
	_Atomic uint64_t n_lost; /* events that found no room */
	_Atomic uint32_t owner;	 /* shared buffers: the thread that is writing, else 0 */
	_Atomic uint32_t
		oldest; /* a hint: the sub-buffer that this buffer filled first and that is still its own */
};

/*
 * A sub-buffer's state has its kind in the low byte, then the number of its CPU buffer (16 bits), then its
 * generation.
 */
enum subbuf_kind {
	SUBBUF_FREE = 0,
	SUBBUF_TAKEN =
		/* by a CPU buffer: open if its cursor is in it, else the one that it opens next (subbuf.h) */
	1,
	SUBBUF_CLOSED = 2,
};
struct subbuf {
	_Alignas(64) _Atomic uint64_t state;
	_Atomic uint64_t used; /* a mark, when closed: how much was written */
	_Atomic uint64_t last; /* ticks when it was closed: later than all its events */
	_Atomic uint64_t read; /* a mark: how much the consuming reader has taken */
	/*
	 * When closed: generation (16 bits) and, below, how many sub-buffers of the stream were closed
	 * before.
	 */
	_Atomic uint64_t order;
	_Atomic uint32_t next; /* a hint: the sub-buffer that its CPU buffer filled next */
};

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

/* A mark is how far one use of a sub-buffer got: bytes (24 bits), generation (16), events (24). */
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

/* The name of a thread: process/tasks.h. */
#define POOL_TASKS	1024
#define POOL_TASK_WORDS 3
struct pool_task {
	_Alignas(32) _Atomic uint64_t words[POOL_TASK_WORDS]; /* process and thread, name */
	_Atomic uint64_t check;				      /* of the words */
};

/* A slot for a procinfo record: process/procinfo.h. */
#define POOL_PROCINFOS	    512
#define POOL_PROCINFO_WORDS 31
struct pool_procinfo {
	_Alignas(256) _Atomic uint64_t words[POOL_PROCINFO_WORDS];
	_Atomic uint64_t check; /* of the words and the record's number */
};

enum pool_state {
	POOL_SUSPENDED = 0,
	POOL_RUNNING = 1,
	POOL_FULL = 2, /* stopped because it was full; runs again when its reader has emptied it */
	POOL_GONE = 3, /* shut down */
};

/*
 * A ring has sub-buffers and CPU buffers of its own, and overwrites its own oldest events only. Most pools
 * have one. With a second one for what is rare, a flood of common events overwrites none of those.
 */
enum pool_ring_number { POOL_COMMON, POOL_RARE, N_POOL_RINGS };

/* One line of memory: all that a CPU buffer loads and stores when it goes on to another sub-buffer. */
struct pool_ring {
	_Alignas(128) _Atomic uint64_t
		lost_through;		/* LOOP: events up to these ticks may have been overwritten */
	_Atomic uint64_t n_overwritten; /* events that were overwritten before a reader took them */
	_Atomic uint64_t
		/* ticks of the first of them; the reader resets it to 0 when it reports the loss */
		first_lost;
	_Atomic uint64_t n_closed;	     /* sub-buffers, ever */
	_Atomic uint32_t n_used, high_water; /* sub-buffers that are not free */
	_Atomic uint32_t hint;		     /* where the search for a free sub-buffer begins */
};

/* Which hooks are common, and how many bytes each rare one has put into the rare ring (rare.c). */
#define POOL_HOOKS	 (64 * POOL_HOOK_WORDS)
#define POOL_RARE_ALWAYS UINT32_MAX /* in place of bytes: never common */
struct pool_rare {
	_Atomic uint64_t common[POOL_HOOK_WORDS];
	_Atomic uint64_t halved_at; /* seconds */
	_Atomic uint32_t bytes[POOL_HOOKS];
};

struct pool_shared {
	uint32_t magic;
	uint32_t version;
	struct pool_spec spec;
	/* For a process that finds the pool when its controller is gone: */
	struct identity consumer; /* of a stream with log */
	uint32_t target;	  /* pid */

	_Alignas(128) _Atomic uint32_t state;	    /* enum pool_state */
	_Atomic uint32_t is_full;		    /* posix_stream_full_status */
	_Atomic uint64_t filter[POOL_FILTER_WORDS]; /* a set bit: not recorded */
	/* The filter while the stream runs, else all bits: the one test of a trace point. */
	_Atomic uint64_t disabled_types[POOL_FILTER_WORDS];

	struct pool_ring rings[N_POOL_RINGS];

	_Alignas(64) _Atomic uint64_t
		stop_ticks;	    /* when the stream stopped because it was full; see pool_is_stop() */
	_Atomic uint64_t n_unknown; /* events with an identifier that no program opened */
	/* By the reader: events older than what was overwritten, or later than the stop. */
	_Atomic uint64_t n_dropped;
	_Atomic uint64_t n_procinfos, n_procinfos_whole; /* records begun, and completed */

	_Alignas(64) _Atomic uint64_t hook_filter[POOL_HOOK_WORDS]; /* a set bit: not recorded */
	/* The same and hooks that are rare: the one test of a trace point for a hook. */
	_Atomic uint64_t disabled_hooks[POOL_HOOK_WORDS];
};

#endif
