/* SPDX-License-Identifier: MIT */
/* Each test in a child: the handler that was there before is looked at once in a process. */
#include "record/rendezvous/child_test.h"
#include "record/rendezvous/guard.h"
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>

#define PAGES 4u
static size_t page_bytes;

/* Memory of a file that has been truncated since. */
static volatile char *memory_missing(bool is_guarded)
{
	int fd = memfd_create("guard_test", MFD_CLOEXEC);
	char *memory = MAP_FAILED;

	if (ftruncate(fd, (off_t)(PAGES * page_bytes)) == 0)
		memory = mmap(NULL, PAGES * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		_exit(100);
	memset(memory, 'x', PAGES * page_bytes);
	if (is_guarded && !guard_add(memory, PAGES * page_bytes))
		_exit(101);
	if (ftruncate(fd, (off_t)page_bytes) < 0)
		_exit(102);
	close(fd);
	return memory;
}

static bool is_spoiled(volatile char *memory)
{
	return guard_is_spoiled((const void *)(uintptr_t)memory);
}

static int read_missing(void)
{
	volatile char *memory = memory_missing(true);

	errno = 42;
	return memory[0] != 'x' || is_spoiled(memory) || memory[2 * page_bytes] != 0 || memory[0] != 0 ||
	       memory[PAGES * page_bytes - 1] != 0 || errno != 42 || !is_spoiled(memory);
}

static int write_missing(void)
{
	volatile char *memory = memory_missing(true);

	memory[page_bytes] = 'w';
	return memory[page_bytes] != 'w' || memory[0] != 0 || !is_spoiled(memory);
}

static int spoil_one_of_two(void)
{
	volatile char *one = memory_missing(true), *other = memory_missing(true);

	return one[page_bytes] != 0 || !is_spoiled(one) || other[0] != 'x' || is_spoiled(other);
}

static void *read_end(void *memory)
{
	return (void *)(uintptr_t)(unsigned char)((volatile char *)memory)[PAGES * page_bytes - 1];
}

static int spoil_by_threads(void)
{
	for (unsigned int round = 0; round < 50; round++) {
		volatile char *memory = memory_missing(true);
		pthread_t threads[4];
		void *result;

		for (unsigned int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, read_end, (void *)(uintptr_t)memory);
		for (unsigned int i = 0; i < 4; i++)
			if (pthread_join(threads[i], &result) != 0 || result)
				return 1;
		guard_drop((void *)(uintptr_t)memory);
		munmap((void *)(uintptr_t)memory, PAGES * page_bytes);
	}
	return 0;
}

static int fill_ranges(void)
{
	char *memory =
		mmap(NULL, (GUARD_RANGES + 1) * page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned int i = 0; i < GUARD_RANGES; i++)
		if (!guard_add(memory + i * page_bytes, 1))
			return 1;
	if (guard_add(memory + GUARD_RANGES * page_bytes, 1))
		return 2;
	guard_drop(memory + 7 * page_bytes);
	return !guard_add(memory + GUARD_RANGES * page_bytes, 1);
}

/* Faults of others. */

static int fault_elsewhere(void)
{
	signal(SIGBUS, SIG_DFL);
	memory_missing(true);
	return memory_missing(false)[page_bytes];
}

static int fault_ignored(void)
{
	signal(SIGBUS, SIG_IGN);
	memory_missing(true);
	return memory_missing(false)[page_bytes];
}

static int fault_after_drop(void)
{
	volatile char *memory;

	signal(SIGBUS, SIG_DFL);
	memory = memory_missing(true);
	guard_drop((void *)(uintptr_t)memory);
	return memory[page_bytes];
}

static int sent_to_default(void)
{
	signal(SIGBUS, SIG_DFL);
	memory_missing(true);
	kill(getpid(), SIGBUS);
	return 0;
}

static int sent_to_ignorer(void)
{
	signal(SIGBUS, SIG_IGN);
	memory_missing(true);
	kill(getpid(), SIGBUS);
	return 0;
}

static sigjmp_buf back;
static volatile sig_atomic_t n_caught, is_blocked, is_other_blocked;
static void *volatile fault_address;

static void look_at_mask(void)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	is_blocked = sigismember(&mask, SIGBUS);
	is_other_blocked = sigismember(&mask, SIGUSR1);
}

static void catch_plain(int number)
{
	n_caught += number == SIGBUS;
	look_at_mask();
	siglongjmp(back, 1);
}

static void catch_with_info(int number, siginfo_t *info, void *context)
{
	n_caught += number == SIGBUS && context;
	fault_address = info->si_addr;
	look_at_mask();
	siglongjmp(back, 1);
}

static int reach_plain_handler(void)
{
	struct sigaction action = { .sa_handler = catch_plain };
	volatile char *memory;

	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(SIGBUS, &action, NULL);
	memory_missing(true);
	memory = memory_missing(false);
	for (volatile int i = 0; i < 3; i++)
		if (sigsetjmp(back, 1) == 0)
			return memory[page_bytes];
	return n_caught != 3 || !is_blocked || !is_other_blocked;
}

static int reach_handler_with_info(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER };
	volatile char *memory;

	action.sa_sigaction = catch_with_info;
	sigaction(SIGBUS, &action, NULL);
	memory_missing(true);
	memory = memory_missing(false);
	if (sigsetjmp(back, 1) == 0)
		return memory[page_bytes + 5];
	return n_caught != 1 || fault_address != memory + page_bytes + 5 || is_blocked || is_other_blocked;
}

static volatile char *volatile guarded;

static void read_guarded(int number)
{
	n_caught += number == SIGBUS && guarded[2 * page_bytes] == 0;
	siglongjmp(back, 1);
}

static int guard_inside_handler(void)
{
	struct sigaction action = { .sa_handler = read_guarded, .sa_flags = SA_NODEFER };

	sigaction(SIGBUS, &action, NULL);
	guarded = memory_missing(true);
	if (sigsetjmp(back, 1) == 0)
		return memory_missing(false)[page_bytes];
	return n_caught != 1 || !is_spoiled(guarded);
}

static const struct trial {
	int (*what)(void);
	int result;
	const char *sentence;
	bool wants_mask;
} trials[] = {
	{ read_missing, 0, "guarded memory whose file was truncated reads as zeros, and errno is kept",
		false },
	{ write_missing, 0, "what is stored there stays in the process", false },
	{ spoil_one_of_two, 0, "other memory is not touched", false },
	{ spoil_by_threads, 0, "many threads may find it missing at once", false },
	{ fill_ranges, 0, "there are so many ranges and no more; a dropped one is free again", false },
	{ fault_elsewhere, 256 + SIGBUS, "a fault elsewhere still ends the program", false },
	{ fault_ignored, 256 + SIGBUS, "also one that ignores SIGBUS, as without us", false },
	{ fault_after_drop, 256 + SIGBUS, "and in memory that is not guarded any more", false },
	{ sent_to_default, 256 + SIGBUS, "a SIGBUS that is sent still ends the program", false },
	{ sent_to_ignorer, 0, "one that ignores it still does", false },
	{ reach_plain_handler, 0,
		"a handler that was there gets faults elsewhere, again and again, with its mask", false },
	{ reach_handler_with_info, 0, "a handler with SA_SIGINFO gets the address", true },
	{ guard_inside_handler, 0, "guarded memory may be read inside it", true },
};

/* The thread sanitizer blocks all signals while a handler runs, whatever the program has set. */
#ifdef __SANITIZE_THREAD__
static const bool has_own_masks = false;
#else
static const bool has_own_masks = true;
#endif

int main(void)
{
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
		if (trials[i].wants_mask && !has_own_masks)
			skip("the thread sanitizer sets the mask of handlers", trials[i].sentence);
		else
			is_number((unsigned)child_do(trials[i].what), (unsigned)trials[i].result,
				trials[i].sentence);
	return tap_done();
}
