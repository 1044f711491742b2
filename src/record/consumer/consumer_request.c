/* SPDX-License-Identifier: MIT */
/* What the controller says to the consumer of its stream. A consumer that was killed is noticed, never waited for. */
#include "record/consumer/consumer.h"
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_NANOSECONDS 50000000u /* between looks whether the consumer lives */

void consumer_sleep(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds)
{
	const struct timespec time = { .tv_sec = (time_t)(nanoseconds / 1000000000u),
		.tv_nsec = (long)(nanoseconds % 1000000000u) };
	int kept = errno;

	syscall(SYS_futex, word, FUTEX_WAIT, value, &time, NULL, 0);
	errno = kept;
}

void consumer_wake(_Atomic uint32_t *word)
{
	int kept = errno;

	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	errno = kept;
}

static bool consumer_lives(const struct desk *desk)
{
	return atomic_load(&desk->state) == DESK_READY && identity_runs(&desk->consumer);
}

static void call_consumer(struct desk *desk)
{
	atomic_fetch_add(&desk->wake, 1);
	consumer_wake(&desk->wake);
}

int consumer_flush(struct desk *desk)
{
	if (!consumer_lives(desk))
		return ESRCH;
	atomic_fetch_add(&desk->flush_wanted, 1);
	/* After the count: a consumer that has just done its work takes this back, looks at the count, and sees it. */
	atomic_store(&desk->is_flushing, 1);
	call_consumer(desk);
	return 0;
}

/* Only a consumer that was killed leaves its state as it was: others are done first. */
static void flush_fail(struct desk *desk, uint32_t wanted)
{
	uint32_t none = 0;

	if (atomic_load(&desk->state) == DESK_READY)
		atomic_compare_exchange_strong(&desk->flush_error, &none, EIO);
	atomic_store(&desk->flush_done, wanted);
	atomic_store(&desk->is_flushing, 0);
}

bool consumer_flushes(struct desk *desk)
{
	uint32_t wanted = atomic_load(&desk->flush_wanted);

	if (atomic_load(&desk->flush_done) == wanted && !atomic_load(&desk->is_flushing))
		return false;
	if (consumer_lives(desk))
		return true;
	flush_fail(desk, wanted);
	return false;
}

int consumer_clear(struct desk *desk)
{
	uint32_t wanted = atomic_fetch_add(&desk->clear_wanted, 1) + 1;
	uint32_t done;

	call_consumer(desk);
	/* Others may have asked since: the difference says who is first, also where the counts wrap. */
	while (done = atomic_load(&desk->clear_done), (int32_t)(done - wanted) < 0) {
		if (!consumer_lives(desk))
			return ESRCH;
		consumer_sleep(&desk->clear_done, done, LOOK_NANOSECONDS);
	}
	return (int)atomic_load(&desk->flush_error);
}

int consumer_shutdown(struct desk *desk)
{
	uint32_t state;

	atomic_store(&desk->shutdown_wanted, 1);
	call_consumer(desk);
	while ((state = atomic_load(&desk->state)) == DESK_READY) {
		/* It may have become done between the two looks: its word is better than its absence. */
		if (!consumer_lives(desk) && atomic_load(&desk->state) == DESK_READY)
			return ESRCH;
		consumer_sleep(&desk->state, state, LOOK_NANOSECONDS);
	}
	return state == DESK_NO_CONSUMER ? ESRCH : (int)atomic_load(&desk->exit_error);
}
