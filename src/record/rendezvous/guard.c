/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/guard.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Read by a signal handler in any thread. A range is valid while its end is not 0: guard_add() stores the end
 * last, and range_of() loads it first. All operations are sequentially consistent.
 */
static struct range {
	_Atomic uintptr_t begin, end;
	_Atomic int is_spoiled;
} ranges[GUARD_RANGES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of adding */
static struct sigaction before;
static bool is_set;

static struct range *range_of(uintptr_t address)
{
	for (unsigned int i = 0; i < GUARD_RANGES; i++) {
		uintptr_t end = atomic_load(&ranges[i].end);

		if (end && address < end && address >= atomic_load(&ranges[i].begin))
			return &ranges[i];
	}
	return NULL;
}

/* Replaces the whole range by zeros: the rest of it is of no use any more. */
static bool spoil(struct range *range)
{
	uintptr_t begin = atomic_load(&range->begin), end = atomic_load(&range->end);

	atomic_store(&range->is_spoiled, 1);
	return end > begin && syscall(SYS_mmap, begin, end - begin, PROT_READ | PROT_WRITE,
				      MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != -1;
}

/* There was no handler. A fault repeats with its instruction; a signal that was sent must be sent again. */
static void end_by_default(int number, const siginfo_t *info)
{
	bool is_fault = info->si_code > 0 && info->si_code != BUS_MCEERR_AO;

	if (before.sa_handler == SIG_IGN && !is_fault)
		return;
	signal(number, SIG_DFL);
	if (!is_fault)
		syscall(SYS_tgkill, getpid(), gettid(), number);
}

/* Calls the previous handler, with the signals blocked that it expects; they are unblocked on return. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	sigset_t mask = before.sa_mask;

	if (!(before.sa_flags & SA_NODEFER))
		sigaddset(&mask, number);
	if (before.sa_flags & SA_SIGINFO) {
		pthread_sigmask(SIG_BLOCK, &mask, NULL);
		before.sa_sigaction(number, info, context);
	} else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
		end_by_default(number, info);
	} else {
		pthread_sigmask(SIG_BLOCK, &mask, NULL);
		before.sa_handler(number);
	}
}

static void handle(int number, siginfo_t *info, void *context)
{
	int kept = errno;
	struct range *range = info->si_code == BUS_ADRERR ? range_of((uintptr_t)info->si_addr) : NULL;

	if (!range || !spoil(range))
		pass_on(number, info, context);
	errno = kept;
}

/* A fault may occur inside the previous handler: so SIGBUS is not blocked. */
static bool handler_set(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART };

	if (is_set)
		return true;
	action.sa_sigaction = handle;
	sigemptyset(&action.sa_mask);
	is_set = sigaction(SIGBUS, &action, &before) == 0;
	return is_set;
}

bool guard_add(void *memory, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	bool done = false;

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < GUARD_RANGES && !done && handler_set(); i++) {
		if (atomic_load(&ranges[i].end))
			continue;
		atomic_store(&ranges[i].begin, (uintptr_t)memory);
		atomic_store(&ranges[i].is_spoiled, 0);
		atomic_store(&ranges[i].end, (uintptr_t)memory + (bytes + page - 1) / page * page);
		done = true;
	}
	pthread_mutex_unlock(&lock);
	return done;
}

void guard_drop(void *memory)
{
	struct range *range = range_of((uintptr_t)memory);

	if (range)
		atomic_store(&range->end, 0);
}

bool guard_is_spoiled(const void *memory)
{
	const struct range *range = range_of((uintptr_t)memory);

	return range && atomic_load(&range->is_spoiled);
}
