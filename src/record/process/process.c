/* SPDX-License-Identifier: MIT */
#include "record/process/process.h"
#include "record/buffer/rseq.h"
#include "record/kernel/clock.h"
#include "record/process/process_own.h"
#include "record/process/procinfo.h"
#include "record/process/tasks.h"
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Only functions that are no trace points wait for the lock. It is held for microseconds, unless its holder
 * waits for a CPU, perhaps at a lower priority: so a waiter sleeps now and then.
 */
#define LOCK_NAP_EVERY	 16
#define LOCK_NAP_NS	 50000
#define EPOCH_SHIFT	 32
/* Values of so many keys lie beside the thread; the C library allocates memory for further ones. */
#define KEYS_AT_HAND	 32
/* A thread that has not refreshed yet. */
#define PROCESS_NO_EPOCH UINT64_MAX

struct process_page process_page;
struct control process_control;
struct names *_Atomic process_map;

/* A pool that takes nothing: process_set_up() disables all its types. */
static struct pool_shared no_shared;
static const struct pool no_pool = { .shared = &no_shared };
__thread struct process_thread process_self __attribute__((tls_model("initial-exec"))) = {
	.epoch = PROCESS_NO_EPOCH,
	.pool = &no_pool,
};

/* Inherited by children. */
static struct {
	_Atomic uint64_t n_epochs; /* of this process and its ancestors; 0 if it is not set up yet */
	_Atomic uint64_t looked;   /* the generation that the process has followed */
	struct log_clock_pair first_pair;
	pthread_key_t end_key; /* of threads that have published their name */
	bool has_end_key, is_started;
} process;

/*
 * The lock. The acquire in lock_take() pairs with the release in lock_leave(). In a child it is free: the
 * kernel cleared it.
 */

static bool lock_is_taken(void)
{
	return atomic_load_explicit(&process_page.is_locked, memory_order_relaxed) != 0;
}

static bool lock_take(void)
{
	uint32_t open = 0;

	return !lock_is_taken() && atomic_compare_exchange_strong_explicit(&process_page.is_locked, &open, 1,
					   memory_order_acquire, memory_order_relaxed);
}

static struct process_held signals_block(void)
{
	struct process_held held = { .error = errno };
	uint64_t all = UINT64_MAX;

	held.is_blocked =
		syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &held.signals, sizeof held.signals) == 0;
	return held;
}

static void signals_restore(const struct process_held *held)
{
	if (held->is_blocked)
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, &held->signals, NULL, sizeof held->signals);
	errno = held->error;
}

static void lock_wait(unsigned int turn)
{
	const struct timespec nap = { .tv_nsec = LOCK_NAP_NS };

	if (turn % LOCK_NAP_EVERY == LOCK_NAP_EVERY - 1)
		syscall(SYS_nanosleep, &nap, NULL);
	else
		sched_yield();
}

struct process_held process_lock(void)
{
	struct process_held held = signals_block();

	for (unsigned int i = 0; !lock_take(); i++)
		lock_wait(i);
	return held;
}

static void lock_leave(void)
{
	atomic_store_explicit(&process_page.is_locked, 0, memory_order_release);
}

void process_unlock(const struct process_held *held)
{
	lock_leave();
	signals_restore(held);
}

/* The process. */

static void process_set_up(void)
{
	memset(&no_shared.disabled_types, 0xff, sizeof no_shared.disabled_types);
	madvise(&process_page, sizeof process_page, MADV_WIPEONFORK);
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0);
}

static bool is_behind(void)
{
	return atomic_load(&process_page.epoch) == 0 ||
	       atomic_load(&process.looked) != atomic_load(&process_control.generation);
}

static void process_begin(void)
{
	bool is_child = atomic_load(&process.n_epochs) != 0;

	if (!is_child)
		process_set_up();
	register_begin(is_child);
	atomic_store(&process_page.epoch, (atomic_fetch_add(&process.n_epochs, 1) + 1) << EPOCH_SHIFT);
}

void process_catch_up(void)
{
	const bool is_new = atomic_load(&process_page.epoch) == 0;
	uint64_t generation;

	if (is_new)
		process_begin();
	generation = atomic_load(
		&process_control
			 /* loaded before attached_follow() reads the slots: a later change differs from it */
			 .generation);
	attached_follow(is_new);
	atomic_store(&process.looked, generation);
	atomic_store(&process_page.disabled_at, atomic_load(&process_attached) ? 0 : generation);
}

/* Unless another thread has the lock: a change that this thread then misses is followed at the next event. */
static void process_try_catch_up(void)
{
	if (!is_behind() || !lock_take())
		return;
	if (is_behind())
		process_catch_up();
	lock_leave();
}

/* Threads. */

/* The only attached pool, if this thread can write to it on the fast path. */
static const struct pool *thread_fast_pool(bool has_rseq)
{
	uint64_t attached = atomic_load(&process_attached);
	const struct pool *pool = attached ? process_pool(__builtin_ctzll(attached)) : &no_pool;

	return (attached & (attached - 1)) == 0 && has_rseq && pool->n_per_cpu > 0 ? pool : &no_pool;
}

/* Whether the thread's cached identity is valid, though streams may have come or gone since. */
static bool thread_is_known(const struct process_thread *self)
{
	return self->epoch >> EPOCH_SHIFT == atomic_load(&process_page.epoch) >> EPOCH_SHIFT;
}

/* To all pools, so that a thread that ends before its events are read has a name. */
static void thread_publish_name(const struct process_thread *self)
{
	uint64_t attached = atomic_load(&process_attached);
	char name[TASK_NAME_BYTES] = "";

	if (!attached || prctl(PR_GET_NAME, name) != 0)
		return;
	for (; attached; attached &= attached - 1)
		task_put(process_pool(__builtin_ctzll(attached)), self->writer.pid, self->writer.tid, name);
}

/* Again, because the name may have changed since the first event. */
static void thread_end(void *self)
{
	if (thread_is_known(self))
		thread_publish_name(self);
}

static void thread_look(struct process_thread *self)
{
	/*
	 * Loaded before the pools are. Not the page's own generation, which no thread may have followed yet.
	 */
	uint64_t epoch = atomic_load(&process_page.epoch) + atomic_load(&process.looked);

	self->writer.pid = (uint32_t)getpid();
	self->writer.tid = (uint32_t)syscall(SYS_gettid);
	self->writer.thread = (uint64_t)(uintptr_t)pthread_self();
	self->writer.rseq = rseq_find();
	self->writer.hint = self->writer.tid;
	self->pool = thread_fast_pool(self->writer.rseq != NULL);
	thread_publish_name(self);
	if (process.has_end_key)
		pthread_setspecific(process.end_key, self);
	self->epoch = epoch;
}

bool process_refresh(void)
{
	struct process_held held;
	bool is_set_up;

	if (thread_is_known(&process_self) && is_behind() && lock_is_taken())
		return true;
	held = signals_block();
	process_try_catch_up();
	is_set_up = atomic_load(&process_page.epoch) != 0;
	if (is_set_up)
		thread_look(&process_self);
	signals_restore(&held);
	return is_set_up;
}

void process_look_again(void)
{
	struct process_held held;

	if (lock_is_taken())
		return;
	held = signals_block();
	if (lock_take()) {
		process_catch_up();
		lock_leave();
	}
	signals_restore(&held);
}

const struct process_thread *process_thread(void)
{
	struct process_held held;

	if (process_epoch() == process_self.epoch)
		return &process_self;
	held = process_lock();
	if (is_behind())
		process_catch_up();
	thread_look(&process_self);
	process_unlock(&held);
	return &process_self;
}

/*
 * With the C library's fork() the child need not wait for its first trace point; and where the kernel could
 * not be asked to clear the page, this does it.
 */
static void process_forked(void)
{
	if (atomic_load(&process.n_epochs) == 0)
		return;
	memset(&process_page, 0, sizeof process_page);
	process_thread();
	register_sweep();
}

void process_start(void)
{
	if (process.is_started)
		return;
	process.is_started = true;
	process.first_pair = clock_pair(LOG_CLOCK_TSC);
	procinfo_begin();
	pthread_atfork(NULL, NULL, process_forked);
	process.has_end_key =
		pthread_key_create(&process.end_key, thread_end) == 0 && process.end_key < KEYS_AT_HAND;
	process_thread();
}

struct log_clock_pair process_first_pair(enum log_clock clock)
{
	return clock == LOG_CLOCK_TSC ? process.first_pair : clock_pair(clock);
}
