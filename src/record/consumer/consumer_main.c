/* SPDX-License-Identifier: MIT */
/* posix-trace-consumer, which posix_trace_create_withlog() starts with the descriptors of consumer.h. */
#include "record/consumer/consumer.h"
#include "record/process/register.h"
#include <sched.h>
#include <signal.h>
#include <unistd.h>

/* What would end it before its controller, which alone decides that; and what writing says with an error as well. */
static const int ignored_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ };

/* Nothing of how the controller stood to signals, and no turn before its threads. */
static void become_plain(void)
{
	const struct sched_param none = { 0 };
	sigset_t empty;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	for (size_t i = 0; i < sizeof ignored_signals / sizeof ignored_signals[0]; i++)
		signal(ignored_signals[i], SIG_IGN);
	sigemptyset(&empty);
	sigprocmask(SIG_SETMASK, &empty, NULL);
	sched_setscheduler(0, SCHED_OTHER, &none);
}

int main(void)
{
	become_plain();
	if (chdir("/") != 0) /* which holds no file system back */
		return 1;
	register_sweep();
	return consumer_run();
}
