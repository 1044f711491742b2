/* SPDX-License-Identifier: MIT */
/* Trace points that find the process's lock taken. */
#include "record/attach/process_own.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

struct looker {
	const struct process_thread *thread;
	int error;
};

static void *look(void *argument)
{
	struct looker *looker = argument;

	errno = EDOM;
	looker->thread = process_here();
	looker->error = errno;
	return NULL;
}

/* A change of the control page that nobody has followed yet, and a thread that comes to a trace point now. */
static struct looker look_while_locked(long hold_ms)
{
	const struct timespec hold = { .tv_sec = hold_ms / 1000, .tv_nsec = hold_ms % 1000 * 1000000 };
	struct process_held held = process_lock();
	struct looker looker = { .error = 0 };
	pthread_t thread;

	atomic_fetch_add(&process_control.generation, 1);
	pthread_create(&thread, NULL, look, &looker);
	nanosleep(&hold, NULL);
	if (hold_ms >= 1000)
		pthread_join(thread, NULL);
	process_catch_up();
	process_unlock(&held);
	if (hold_ms < 1000)
		pthread_join(thread, NULL);
	return looker;
}

int main(void)
{
	struct looker looker;

	process_thread();
	looker = look_while_locked(50);
	ok(looker.thread != NULL,
		"a trace point waits while another thread that has to wait for a processor has the lock");
	ok(looker.error == EDOM, "and keeps errno");
	looker = look_while_locked(1000);
	ok(looker.thread == NULL, "it does not wait for ever");
	ok(looker.error == EDOM, "and keeps errno");
	return tap_done();
}
