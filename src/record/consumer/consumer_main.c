/* SPDX-License-Identifier: MIT */
/* posix-trace-consumer, which posix_trace_create_withlog() starts with the descriptors of consumer.h. */
#include "record/consumer/consumer.h"
#include "record/process/register.h"
#include <sched.h>
#include <signal.h>
#include <unistd.h>

/* Signals that would end it before its controller does, and those that writing also reports as errors. */
static const int ignored_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ };

/* Undoes the controller's signal settings and its real-time priority. */
static void settings_reset(void)
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
	settings_reset();
	if (chdir("/") != 0) /* so that it holds no file system busy */
		return 1;
	register_sweep();
	return consumer_run();
}
