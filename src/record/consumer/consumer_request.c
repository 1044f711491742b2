/* SPDX-License-Identifier: MIT */
/*
 * Requests of the controller to the consumer of its stream. A consumer that was killed is noticed and not
 * waited for. All operations here are sequentially consistent: they are rare.
 */
#include "record/consumer/consumer.h"
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_NANOSECONDS 50000000u /* between two tests whether the consumer lives */

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

static bool consumer_lives(const struct stream_ctl *ctl)
{
	return atomic_load(&ctl->state) == CONSUMER_READY && identity_runs(&ctl->consumer);
}

static void consumer_notify(struct stream_ctl *ctl)
{
	atomic_fetch_add(&ctl->wake, 1);
	consumer_wake(&ctl->wake);
}

int consumer_flush(struct stream_ctl *ctl)
{
	if (!consumer_lives(ctl))
		return ESRCH;
	atomic_fetch_add(&ctl->flush_wanted, 1);
	/*
	 * after the count: a consumer that has just finished clears this, then loads the count, and finds it
	 * changed (consumer.c)
	 */
	atomic_store(&ctl->is_flushing, 1);
	consumer_notify(ctl);
	return 0;
}

/* Only a consumer that was killed leaves its state READY. */
static void flush_fail(struct stream_ctl *ctl, uint32_t wanted)
{
	uint32_t none = 0;

	if (atomic_load(&ctl->state) == CONSUMER_READY)
		atomic_compare_exchange_strong(&ctl->flush_error, &none, EIO);
	atomic_store(&ctl->flush_done, wanted);
	atomic_store(&ctl->is_flushing, 0);
}

bool consumer_flushes(struct stream_ctl *ctl)
{
	uint32_t wanted = atomic_load(&ctl->flush_wanted);

	if (atomic_load(&ctl->flush_done) == wanted && !atomic_load(&ctl->is_flushing))
		return false;
	if (consumer_lives(ctl))
		return true;
	flush_fail(ctl, wanted);
	return false;
}

int consumer_clear(struct stream_ctl *ctl)
{
	uint32_t wanted = atomic_fetch_add(&ctl->clear_wanted, 1) + 1;
	uint32_t done;

	consumer_notify(ctl);
	/*
	 * Others may have made requests since: the difference tells which is first, also when the counts
	 * wrap.
	 */
	while (done = atomic_load(&ctl->clear_done), (int32_t)(done - wanted) < 0) {
		if (!consumer_lives(ctl))
			return ESRCH;
		consumer_sleep(&ctl->clear_done, done, LOOK_NANOSECONDS);
	}
	return (int)atomic_load(&ctl->flush_error);
}

int consumer_shutdown(struct stream_ctl *ctl)
{
	uint32_t state;

	atomic_store(&ctl->shutdown_wanted, 1);
	consumer_notify(ctl);
	while ((state = atomic_load(&ctl->state)) == CONSUMER_READY) {
		/* it may have become DONE between the two loads: that is the answer */
		if (!consumer_lives(ctl) && atomic_load(&ctl->state) == CONSUMER_READY)
			return ESRCH;
		consumer_sleep(&ctl->state, state, LOOK_NANOSECONDS);
	}
	return state == CONSUMER_ABSENT ? ESRCH : (int)atomic_load(&ctl->exit_error);
}
