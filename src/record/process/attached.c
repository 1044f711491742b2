/* SPDX-License-Identifier: MIT */
/*
 * Attached streams. Slot n of the control page names a stream; its pool is process_pools[n] while bit n of
 * process_attached is set. The process attaches pools of its own itself. Those of other controllers are
 * opened in the directory that the slot names, when a trace point finds that the page has changed.
 */
#include "record/process/process_own.h"
#include "record/process/procinfo.h"
#include "record/rendezvous/permit.h"
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

_Atomic uint64_t process_attached;
const struct pool *_Atomic process_pools[PROCESS_STREAMS];

/* The file of the pool in each slot. With the lock held. */
static struct identity_file pools[PROCESS_STREAMS];

static bool is_attached(unsigned int slot)
{
	return atomic_load_explicit(&process_attached, memory_order_relaxed) >> slot & 1;
}

static void slot_attach(unsigned int slot, const struct pool *pool, const struct identity_file *file)
{
	pools[slot] = *file;
	atomic_store(&process_pools[slot], pool);
	atomic_fetch_or(&process_attached, 1ull << slot);
}

/*
 * The generation has changed already, so that every thread refreshes before its next event. A thread inside a
 * restartable sequence restarts it; others write into memory that stays mapped (ranges.c).
 */
static void slot_detach(unsigned int slot)
{
	const struct pool *pool = process_pool((int)slot);

	atomic_fetch_and(&process_attached, ~(1ull << slot));
	pools[slot] = (struct identity_file){ 0 };
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0);
	range_retire(pool);
}

/*
 * The owner of the pool wants to trace this process: allowed only if the kernel would let it debug the
 * process.
 */
static bool may_trace(int pool_fd)
{
	struct stat st;

	return fstat(pool_fd, &st) == 0 &&
	       (st.st_uid == 0 || permit_is_open((uint32_t)st.st_uid, (uint32_t)st.st_gid));
}

/* Attaches a pool of another process. ENOENT: the stream has ended, its file is gone. */
static int slot_take(unsigned int slot, const struct control_stream *stream)
{
	const struct pool *kept = NULL;
	struct pool pool;
	int directory, fd;
	int error = directory_open(stream->directory, false, &directory);

	if (error)
		return error;
	error = directory_open_file(directory, IDENTITY_POOL, &stream->pool, stream->directory, &fd);
	syscall(SYS_close, directory);
	if (error)
		return error;
	error = may_trace(fd) ? pool_open(&pool, fd, range_map) : EPERM;
	syscall(SYS_close, fd);
	if (error)
		return error;
	kept = range_fill(&pool);
	if (kept) {
		procinfo_publish(kept, false); /* before any event */
		slot_attach(slot, kept, &stream->pool);
	}
	return kept ? 0 : ENOMEM;
}

/* Made by this process, or by a second copy of the recorder in it. */
static bool attached_is_own(const struct identity_file *pool)
{
	return identity_is(&pool->maker, &process_control.process);
}

/* A controller's own pool stays until posix_trace_shutdown() detaches it. */
static bool slot_has_ended(unsigned int slot)
{
	return !attached_is_own(&pools[slot]) &&
	       atomic_load(&process_pool((int)slot)->shared->state) == POOL_GONE;
}

/* Events of other threads while one thread was about to attach the stream of this slot. */
static _Atomic uint64_t missed[PROCESS_STREAMS];

/*
 * Settles the missed events of a stream; a stopped stream has missed none. Any thread may call it, with or
 * without the lock; the exchange makes each missed event count once.
 */
static void missed_settle(unsigned int slot)
{
	const struct pool *pool = process_pool((int)slot);
	uint64_t n = atomic_exchange(&missed[slot], 0);

	if (n > 0 && atomic_load(&pool->shared->state) == POOL_RUNNING)
		atomic_fetch_add_explicit(
			&pool->buffers[slot % pool->geometry.n_buffers].n_lost, n, memory_order_relaxed);
}

/*
 * The count comes before the second load of process_attached, and slot_attach() stores process_attached
 * before it settles the count: at least one of the two sees the other (all are sequentially consistent). In a
 * child that is not set up yet all streams are its parent's; attached_follow() settles those that it keeps.
 */
void process_miss(uint64_t attached)
{
	bool is_new = atomic_load(&process_page.epoch) == 0;
	uint64_t slots = atomic_load(&process_control.streams) & (is_new ? UINT64_MAX : ~attached);

	for (; slots; slots &= slots - 1) {
		unsigned int slot = (unsigned int)__builtin_ctzll(slots);

		atomic_fetch_add(&missed[slot], 1);
		if (!is_new && atomic_load(&process_attached) >> slot & 1)
			missed_settle(slot);
	}
}

static void slot_follow(unsigned int slot)
{
	struct control_stream stream;
	bool is_told = control_look(&process_control, slot, &stream);

	if (is_attached(slot) && (!is_told || !identity_file_is(&pools[slot], &stream.pool)))
		slot_detach(slot);
	if (is_told && !is_attached(slot) && stream.directory != CONTROL_NOWHERE &&
		slot_take(slot, &stream) == ENOENT)
		control_detach(&process_control, slot, &stream.pool);
	if (is_attached(slot) && slot_has_ended(slot)) {
		control_detach(&process_control, slot, &pools[slot]);
		slot_detach(slot);
	}
}

bool attached_has(unsigned int slot, const struct identity_file *pool)
{
	return is_attached(slot) && identity_file_is(&pools[slot], pool);
}

void attached_follow(bool is_child)
{
	uint64_t had = atomic_load(&process_attached);
	uint64_t slots = atomic_load(&process_control.streams) | had;

	for (; slots; slots &= slots - 1) {
		unsigned int slot = (unsigned int)__builtin_ctzll(slots);

		slot_follow(slot);
		if (is_child && had >> slot & 1 && is_attached(slot))
			procinfo_publish(process_pool((int)slot), true);
		if (is_attached(slot))
			missed_settle(slot);
		else
			atomic_store(&missed[slot], 0);
	}
}

int process_attach(const struct pool *pool, const struct control_stream *stream)
{
	struct process_held held;
	const struct pool *kept;
	int slot = -1;

	process_thread();
	held = process_lock();
	kept = range_fill(pool);
	if (kept)
		slot = control_attach(&process_control, stream);
	/* The slot may have been another stream's, a change that this process has not followed yet. */
	if (slot >= 0 && is_attached((unsigned int)slot))
		slot_detach((unsigned int)slot);
	if (slot >= 0) {
		procinfo_publish(kept, false);
		slot_attach((unsigned int)slot, kept, &stream->pool);
	}
	process_catch_up();
	process_unlock(&held);
	return slot;
}

void process_detach(int slot, const struct identity_file *pool)
{
	struct process_held held = process_lock();

	if (is_attached((unsigned int)slot) && identity_file_is(&pools[slot], pool)) {
		control_detach(&process_control, (unsigned int)slot, pool);
		process_catch_up();
	}
	process_unlock(&held);
}
