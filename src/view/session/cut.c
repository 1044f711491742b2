/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "view/session/session.h"

/*
 * If a mapped file is cut, it has no bytes behind its new end, and reading them raises SIGBUS. Zeros replace
 * them, and SIGCUT makes the main thread check which file it was.
 */
static void zeros_put(int number, siginfo_t *info, void *context)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *const at = (void *)((uintptr_t)info->si_addr / page * page);
	const int error = errno;

	(void)context;
	if (info->si_code != BUS_ADRERR ||
		mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		signal(number, SIG_DFL);
	else
		kill(getpid(), SIGCUT);
	errno = error;
}

void cut_watch(void)
{
	const struct sigaction on_cut = { .sa_sigaction = zeros_put, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &on_cut, NULL);
}
