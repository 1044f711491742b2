/* SPDX-License-Identifier: MIT */
/*
 * This process as a traced one: the streams that its trace points write to. Its control page lists them;
 * controllers of other processes write to that page, too. No controller wakes the process: a trace point
 * finds that the page's generation has changed, and follows the change. Forks need no help either: the kernel
 * clears a page in children (MADV_WIPEONFORK), and the first trace point in a child that finds 0 there makes
 * the child a control page of its own.
 *
 *	process.c   threads: what each has cached, when it refreshes; and the lock of all below, which a trace point takes
 *		    only if it is free
 *	register.c  the control page and the map of names: at the beginning, after exec, in a child, at the end (register.h)
 *	flags.c     enabled flags of programs and libraries
 *	attached.c  which pools are attached, as the page lists them
 *	ranges.c    the address ranges of pools
 */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "record/buffer/pool.h"
#include "record/buffer/writer.h"
#include "record/process/names.h"
#include "record/rendezvous/control.h"

#define PROCESS_STREAMS CONTROL_STREAMS
/* Addressed without the linker's tables: every trace point loads these. */
#define PROCESS_HIDDEN	__attribute__((visibility("hidden")))

/*
 * This thread as a writer, and what it has cached of the process; valid while its epoch is process_epoch().
 */
struct process_thread {
	uint64_t epoch;
	struct writer writer;
	const struct pool
		*pool; /* the only attached pool; an empty pool if no pool or several are attached */
};

/* Cleared by the kernel in a child. Alone in its page, because the kernel clears whole pages. */
struct process_page {
	_Alignas(4096) _Atomic uint64_t
		epoch; /* 0 just after fork(); else its upper half differs from the parent's */
	_Atomic uint64_t
		disabled_at; /* the generation at which no stream was attached; 0 while one is attached */
	_Atomic uint32_t is_locked;
};
extern struct process_page process_page PROCESS_HIDDEN;

/* The control page; zeros until the process has one. */
extern struct control process_control PROCESS_HIDDEN;

extern __thread struct process_thread process_self PROCESS_HIDDEN __attribute__((tls_model("initial-exec")));

/* Bit n is set when the pool of slot n is attached. */
extern _Atomic uint64_t process_attached PROCESS_HIDDEN;

/*
 * The attached pools (attached.c). The acquire pairs with the store in slot_attach(): the description behind
 * the pointer is complete.
 */
extern const struct pool *_Atomic process_pools[PROCESS_STREAMS] PROCESS_HIDDEN;
static inline const struct pool *process_pool(int slot)
{
	return atomic_load_explicit(&process_pools[slot], memory_order_acquire);
}

/* The map of names that trace points use; NULL until it is made. */
extern struct names *_Atomic process_map PROCESS_HIDDEN;

/*
 * The first test of a trace point: no stream is attached. False just after a fork. Relaxed: a stream that was
 * attached on another CPU just now is seen by a later event.
 */
static inline bool process_is_disabled(void)
{
	return atomic_load_explicit(&process_page.disabled_at, memory_order_relaxed) ==
	       atomic_load_explicit(&process_control.generation, memory_order_relaxed);
}

/*
 * Changes after a fork (upper half), and when a stream comes or goes (generation, lower half). Relaxed: a
 * thread that finds another epoch refreshes, with sequentially consistent loads.
 */
static inline uint64_t process_epoch(void)
{
	uint64_t epoch = atomic_load_explicit(&process_page.epoch, memory_order_relaxed);

#if defined(__x86_64__)
	/* One instruction; the compiler would load first. */
	__asm__ volatile("addq %[generation], %[epoch]"
			 : [epoch] "+r"(epoch)
			 : [generation] "m"(process_control.generation)
			 : "cc");
	return epoch;
#else
	return epoch + atomic_load_explicit(&process_control.generation, memory_order_relaxed);
#endif
}

/*
 * Brings thread and process up to date: at the first event of a thread, and at the first after a fork or a
 * change of the control page. Never waits: while another thread updates the process, this one uses the pools
 * that are attached, and its next event tries again. Async-signal-safe, keeps errno. False: in a child just
 * forked another thread is still setting up the process, and nothing can be recorded.
 */
bool process_refresh(void);

/*
 * The calling thread; its epoch is not process_epoch() while another thread updates the process. NULL: as
 * process_refresh().
 */
static inline const struct process_thread *process_here(void)
{
	if (__builtin_expect(process_epoch() != process_self.epoch, 0) && !process_refresh())
		return NULL;
	return &process_self;
}

/*
 * For functions that are no trace points: waits until thread and process are up to date, also in a child just
 * forked.
 */
const struct process_thread *process_thread(void);

/* Counts an event that goes to these attached pools only, while another thread brings the process up to date.
 * Other streams of the control page count it as lost, if they run when they are attached. */
void process_miss(uint64_t attached);

/*
 * The enabled flag of a program or library with points of <trace_point_np.h>: the control page is mapped in
 * its place, or, where that fails, the flag is always set.
 */
void process_add_flag(struct posix_trace_enabled_np *flag);
void process_drop_flag(struct posix_trace_enabled_np *flag);

/*
 * Maps a pool of this geometry, clock, policy and data size, at the addresses of a retired pool like it if
 * there is one (ranges.c). MAP_FAILED: errno has the reason.
 */
void *process_memory(const struct pool *like, int fd);
/* Unmaps a pool that was never attached. */
void process_release(const struct pool *pool);

/*
 * Attaches a pool of the caller's own, mapped by process_memory(): trace points write to it from now on.
 * stream->pool: its file in the directory or, with CONTROL_NOWHERE, a unique number. The slot, or -1: all are
 * in use.
 */
int process_attach(const struct pool *pool, const struct control_stream *stream);
/* Detaches and unmaps: no trace point starts to write to it any more, and late ones do no harm. */
void process_detach(int slot, const struct identity_file *pool);
/*
 * For a trace point that finds a stream which another process has shut down: detaches it. Async-signal-safe.
 */
void process_look_again(void);

/* The clocks when the process began, or now: two pairs that are far apart turn stamps into time best. */
struct log_clock_pair process_first_pair(enum log_clock clock);

/* Returns the map of names, and makes it first if needed. Returns NULL if memory ran out. */
struct names *process_names(void);
/* A new descriptor of the map, for the consumer; -1. */
int process_names_fd(void);

/*
 * Prepares the program once, as early as possible: the pair of clocks, handlers of fork and of thread ends,
 * the control page. Trace points and streams work without it, too. Do not call it in signal handlers.
 */
void process_start(void);

#endif
