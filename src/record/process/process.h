/* SPDX-License-Identifier: MIT */
/*
 * This process as one that is traced: the streams that its trace points write to, told by its control page, which
 * controllers of other processes write into as well. Nobody wakes it: a trace point sees that the page's generation has
 * changed, and looks. Forks are noticed without anybody's help, too: a page that the kernel wipes in children
 * (MADV_WIPEONFORK) says 0 there, and the first trace point in the child gets it a control page of its own.
 *
 *	process.c   threads: what each knows, when it has to look anew, and the one lock of all below, for which trace
 *		    points never wait
 *	register.c  the control page and the map of names: at the beginning, after exec, in a child, at the end (register.h)
 *	attached.c  which pools are attached, as the page tells it
 *	ranges.c    where pools are in memory
 */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "record/buffer/pool.h"
#include "record/buffer/writer.h"
#include "record/process/names.h"
#include "record/rendezvous/control.h"

#define PROCESS_STREAMS CONTROL_STREAMS
/* Reached without the linker's tables: these are looked at by every trace point. */
#define PROCESS_HIDDEN	__attribute__((visibility("hidden")))

/* This thread as a writer, and what it knows of the process; true while its epoch is process_epoch(). */
struct process_thread {
	uint64_t epoch;
	struct writer writer;
	const struct pool
		*pool; /* the one that is attached; one that takes nothing when there are none or several */
};

/* Wiped by the kernel in a child, which is why it is alone in its page (the kernel wipes whole ones). */
struct process_page {
	_Alignas(4096) _Atomic uint64_t
		epoch; /* 0: just forked; else its upper half tells the process from its parent */
	_Atomic uint64_t disabled_at; /* the generation at which no stream was attached; 0: one is */
	_Atomic uint32_t is_locked;
};
extern struct process_page process_page PROCESS_HIDDEN;

/* The control page; zeros until the process has one. */
extern struct control process_control PROCESS_HIDDEN;

extern __thread struct process_thread process_self PROCESS_HIDDEN __attribute__((tls_model("initial-exec")));

/* Bit n is set when the pool of slot n is attached. */
extern _Atomic uint64_t process_attached PROCESS_HIDDEN;

/* The pools that are attached (attached.c). */
extern const struct pool *_Atomic process_pools[PROCESS_STREAMS] PROCESS_HIDDEN;
static inline const struct pool *process_pool(int slot)
{
	return atomic_load_explicit(&process_pools[slot], memory_order_acquire);
}

/* The name map as trace points see it; NULL: there is none yet. */
extern struct names *_Atomic process_map PROCESS_HIDDEN;

/* The first test of a trace point: no stream is attached. False just after a fork. */
static inline bool process_is_disabled(void)
{
	return atomic_load_explicit(&process_page.disabled_at, memory_order_relaxed) ==
	       atomic_load_explicit(&process_control.generation, memory_order_relaxed);
}

/* Changes after a fork, and when a stream comes or goes: generations count in the lower half. */
static inline uint64_t process_epoch(void)
{
	uint64_t epoch = atomic_load_explicit(&process_page.epoch, memory_order_relaxed);

#if defined(__x86_64__)
	/* One instruction, where the compiler would load first. */
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
 * Brings thread and process up to date: the first event of a thread, the first after a fork or a change of the control
 * page. It never waits: while another thread does that for the process, the thread goes on with the pools that are
 * attached, and its next event looks again. Async-signal-safe, keeps errno. False: another thread of a child just forked
 * is still setting the process up, so that nothing can be recorded.
 */
bool process_refresh(void);

/* The calling thread, whose epoch is not process_epoch() while another thread brings the process up to date. NULL: as
 * process_refresh(). */
static inline const struct process_thread *process_here(void)
{
	if (__builtin_expect(process_epoch() != process_self.epoch, 0) && !process_refresh())
		return NULL;
	return &process_self;
}

/* For functions that are no trace points: waits until thread and process are up to date, also in a child just forked. */
const struct process_thread *process_thread(void);

/* For an event that goes to these attached pools only, while another thread brings the process up to date: other streams of
 * the control page count it as lost, if they run when they are attached. */
void process_miss(uint64_t attached);

/*
 * The enabled flag of a program or library with points of <trace_point_np.h>: the control page is mapped in its place, or,
 * where that fails, the flag is always set.
 */
void process_add_flag(struct posix_trace_enabled_np *flag);
void process_drop_flag(struct posix_trace_enabled_np *flag);

/*
 * Memory for a pool of this geometry, clock, policy and data size: what one just like it left, if there is any (see
 * ranges.c). MAP_FAILED: errno says why.
 */
void *process_memory(const struct pool *like, int fd);
/* Gives it back: of a pool that was never attached. */
void process_release(const struct pool *pool);

/* Attaches a pool of the caller's own that is in such memory: trace points write to it from now on. file: what the
 * directory knows it by, or, in CONTROL_NOWHERE, something unique. The slot, or -1: all are in use. */
int process_attach(const struct pool *pool, const struct control_stream *stream);
/* Detaches and releases: no trace point begins to write to it any more, and what is under way does no harm. */
void process_detach(int slot, const struct identity_file *pool);
/* A trace point has seen a stream that another process has shut down: it is let go. Async-signal-safe. */
void process_look_again(void);

/* The clocks when the process began, or now: for stamps to become time, a pair from long ago is better. */
struct log_clock_pair process_first_pair(enum log_clock clock);

/* The name map, made when there is none; NULL: no memory. */
struct names *process_names(void);
/* A new descriptor of it, for the consumer; -1. */
int process_names_fd(void);

/*
 * What a program does once, as early as it can: the pair of clocks, handlers of fork and of the end of threads, the control
 * page. Trace points and streams work without it, too. Not in signal handlers.
 */
void process_start(void);

#endif
