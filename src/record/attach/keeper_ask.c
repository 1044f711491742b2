/* SPDX-License-Identifier: MIT */
/* What the controller says to the keeper of its stream. A keeper that was killed is noticed, never waited for. */
#include "record/attach/keeper.h"
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_NANOSECONDS 50000000u /* between looks whether the keeper lives */

void keeper_sleep(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds)
{
	const struct timespec time = { .tv_sec = (time_t)(nanoseconds / 1000000000u),
		.tv_nsec = (long)(nanoseconds % 1000000000u) };
	int kept = errno;

	syscall(SYS_futex, word, FUTEX_WAIT, value, &time, NULL, 0);
	errno = kept;
}

void keeper_wake(_Atomic uint32_t *word)
{
	int kept = errno;

	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	errno = kept;
}

static bool keeper_lives(const struct ring_keeper *keeper)
{
	uint32_t state = atomic_load(&keeper->state);
	int kept = errno;
	bool lives = state == RING_KEEPER_READY &&
		     proc_runs(atomic_load(&keeper->pid), atomic_load(&keeper->start));

	errno = kept;
	return lives;
}

static void call_keeper(struct ring_keeper *keeper)
{
	atomic_fetch_add(&keeper->wake, 1);
	keeper_wake(&keeper->wake);
}

int keeper_flush(const struct ring *ring)
{
	struct ring_keeper *keeper = &ring->shared->keeper;

	if (!keeper_lives(keeper))
		return ESRCH;
	atomic_fetch_add(&keeper->flush_wanted, 1);
	/* After the count: a keeper that has just done its work takes this back, looks at the count, and sees it. */
	atomic_store(&keeper->is_flushing, 1);
	call_keeper(keeper);
	return 0;
}

/* Only a keeper that was killed leaves its state as it was: others are done first. */
static void flush_fail(struct ring_keeper *keeper, uint32_t wanted)
{
	uint32_t none = 0;

	if (atomic_load(&keeper->state) == RING_KEEPER_READY)
		atomic_compare_exchange_strong(&keeper->flush_error, &none, EIO);
	atomic_store(&keeper->flush_done, wanted);
	atomic_store(&keeper->is_flushing, 0);
}

bool keeper_flushes(const struct ring *ring)
{
	struct ring_keeper *keeper = &ring->shared->keeper;
	uint32_t wanted = atomic_load(&keeper->flush_wanted);

	if (atomic_load(&keeper->flush_done) == wanted && !atomic_load(&keeper->is_flushing))
		return false;
	if (keeper_lives(keeper))
		return true;
	flush_fail(keeper, wanted);
	return false;
}

int keeper_clear(const struct ring *ring)
{
	struct ring_keeper *keeper = &ring->shared->keeper;
	uint32_t wanted = atomic_fetch_add(&keeper->clear_wanted, 1) + 1;
	uint32_t done;

	call_keeper(keeper);
	/* Others may have asked since: the difference says who is first, also where the counts wrap. */
	while (done = atomic_load(&keeper->clear_done), (int32_t)(done - wanted) < 0) {
		if (!keeper_lives(keeper))
			return ESRCH;
		keeper_sleep(&keeper->clear_done, done, LOOK_NANOSECONDS);
	}
	return (int)atomic_load(&keeper->flush_error);
}

int keeper_shutdown(const struct ring *ring)
{
	struct ring_keeper *keeper = &ring->shared->keeper;
	uint32_t state;

	atomic_store(&keeper->shutdown_wanted, 1);
	call_keeper(keeper);
	while ((state = atomic_load(&keeper->state)) == RING_KEEPER_READY) {
		/* It may have become done between the two looks: its word is better than its absence. */
		if (!keeper_lives(keeper) && atomic_load(&keeper->state) == RING_KEEPER_READY)
			return ESRCH;
		keeper_sleep(&keeper->state, state, LOOK_NANOSECONDS);
	}
	return state == RING_KEEPER_NONE ? ESRCH : (int)atomic_load(&keeper->exit_error);
}
