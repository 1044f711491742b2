/* SPDX-License-Identifier: MIT */
/*
 * Starts the consumer's program from within another program, without side effects there: no child that its
 * wait() could find, no SIGCHLD, no copy of its memory, no fork handlers.
 *
 *	controller   clone(no exit signal)  ->  go-between   clone(SIGCHLD)  ->  consumer: execve()
 *	   `- waits for the go-between by its pid, with __WCLONE      `- ends: the consumer is init's child
 *
 * All three share memory and run one after the other (CLONE_VM | CLONE_VFORK), with all signals blocked and
 * on stacks of their own. The two children make raw system calls only: libc's functions could meet a
 * cancellation request of the calling thread, or a lock of another one.
 */
#include "record/consumer/consumer.h"
#include "record/rendezvous/proc.h"
#include "record/rendezvous/trust.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef POSIX_TRACE_CONSUMER
#define POSIX_TRACE_CONSUMER "/usr/local/libexec/rastrum/posix-trace-consumer"
#endif
#define CONSUMER_FROM_LIBRARY "../libexec/rastrum/posix-trace-consumer"
#define CONSUMER_NAME	      "posix-trace-consumer"

#define STACK_BYTES	 32768
#define LOOK_NANOSECONDS 20000000u
#define END_DESCRIPTOR	 (CONSUMER_FD_FIRST + CONSUMER_N_FDS)

/* Shared by the three; from mmap(), because a thread's stack may be small. */
struct launch {
	_Alignas(64) unsigned char between_stack[STACK_BYTES];
	_Alignas(64) unsigned char consumer_stack[STACK_BYTES];
	const char *paths[4]; /* to try; ended by NULL */
	int descriptors[CONSUMER_N_FDS];
	volatile int error;
	volatile pid_t pid;
	unsigned char map_buffer[8192];
	/* the file of this code; the consumer beside it, and where an installation has it */
	char code[4200], beside[4200], installed[4200];
};

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define IN_CHILD __attribute__((noinline, no_sanitize("thread", "address", "undefined")))
#else
#define IN_CHILD __attribute__((noinline))
#endif

/* First to numbers above all others, then to their own. */
IN_CHILD static bool place_descriptors(const struct launch *launch)
{
	long moved[CONSUMER_N_FDS];

	for (int i = 0; i < CONSUMER_N_FDS; i++)
		if ((moved[i] = syscall(SYS_fcntl, launch->descriptors[i], F_DUPFD, END_DESCRIPTOR)) < 0)
			return false;
	for (int i = 0; i < CONSUMER_N_FDS; i++)
		if (syscall(SYS_dup3, moved[i], CONSUMER_FD_FIRST + i, 0) < 0)
			return false;
	return true;
}

IN_CHILD static void close_others(void)
{
	struct rlimit limit = { .rlim_cur = 1024 };

	if (syscall(SYS_close_range, END_DESCRIPTOR, ~0u, 0) == 0)
		return;
	syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	for (unsigned int fd = END_DESCRIPTOR; fd < limit.rlim_cur && fd < 1u << 20; fd++)
		syscall(SYS_close, fd);
}

/*
 * Standard input and outputs lead to /dev/null, or, without /dev, to a descriptor that cannot be read or
 * written.
 */
IN_CHILD static bool place_standard(void)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);

	if (fd < 0)
		fd = syscall(SYS_openat, AT_FDCWD, "/", O_PATH, 0);
	for (int i = 0; i < CONSUMER_FD_FIRST; i++)
		if (fd < 0 || (fd != i && syscall(SYS_dup3, fd, i, 0) < 0))
			return false;
	return true;
}

IN_CHILD static int run_consumer(void *argument)
{
	char name[] = CONSUMER_NAME;
	char *const arguments[] = { name, NULL }, *const environment[] = { NULL };
	struct launch *launch = argument;
	int error = ENOENT;

	syscall(SYS_setsid);
	if (!place_descriptors(launch) || !place_standard()) {
		launch->error = errno;
		return 127;
	}
	close_others();
	for (unsigned int i = 0; launch->paths[i]; i++) {
		/*
		 * an empty environment: the controller's preloaded libraries are not loaded into its consumer
		 */
		syscall(SYS_execve, launch->paths[i], arguments, environment);
		error = errno != ENOTDIR && errno != EACCES ? errno : ENOENT;
		if (error != ENOENT)
			break;
	}
	launch->error = error; /* last: the controller takes it for the end of this process */
	return 127;
}

IN_CHILD static int go_between(void *argument)
{
	struct launch *launch = argument;
	pid_t pid = clone(
		run_consumer, launch->consumer_stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, launch);

	if (pid < 0)
		launch->error = errno;
	else if (launch->error) /* reaps what is left of it, so that no other process finds it */
		syscall(SYS_wait4, pid, NULL, 0, NULL);
	launch->pid = pid;
	return 0;
}

static void clone_consumer(struct launch *launch)
{
	uint64_t all = UINT64_MAX, kept;
	pid_t pid;

	/* sigprocmask() would leave out the signals that libc uses itself */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &kept, sizeof kept);
	pid = clone(go_between, launch->between_stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, launch);
	if (pid < 0)
		launch->error = errno;
	while (pid > 0 && syscall(SYS_wait4, pid, NULL, __WCLONE, NULL) < 0 && errno == EINTR)
		;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &kept, NULL, sizeof kept);
}

/*
 * The consumer in the directory of the program or library with this function. The memory map has its whole
 * path, which the dynamic linker may have forgotten.
 */
static bool find_beside(struct launch *launch)
{
	const uint64_t here = (uint64_t)(uintptr_t)&consumer_launch;
	struct proc_mapping mapping = { 0 };
	struct proc_map map;
	int fd = proc_open((uint32_t)getpid(), 0, "maps");
	bool found = false;
	char *end;

	if (fd < 0)
		return false;
	proc_map_begin(&map, fd, launch->map_buffer, sizeof launch->map_buffer);
	while (!found && proc_map_next(&map, &mapping))
		found = here >= mapping.start && here < mapping.end;
	proc_close(fd);
	if (!found || mapping.path_length == 0 || mapping.path[0] != '/' ||
		mapping.path_length + sizeof CONSUMER_FROM_LIBRARY > sizeof launch->beside)
		return false;
	memcpy(launch->beside, mapping.path, mapping.path_length);
	launch->beside[mapping.path_length] = '\0';
	memcpy(launch->code, launch->beside, sizeof launch->code);
	end = strrchr(launch->beside, '/');
	memcpy(end + 1, CONSUMER_NAME, sizeof CONSUMER_NAME);
	memcpy(launch->installed, launch->beside, sizeof launch->installed);
	memcpy(launch->installed + (end + 1 - launch->beside), CONSUMER_FROM_LIBRARY,
		sizeof CONSUMER_FROM_LIBRARY);
	return true;
}

/*
 * With secure execution only the installed one, because a link to a program has another directory. A program
 * that was found, not named by the user, must be as trustworthy as this code: it gets the log's descriptor,
 * and this process's rights.
 */
static void find_paths(struct launch *launch)
{
	const char *wanted = secure_getenv("POSIX_TRACE_CONSUMER");
	const char *found[] = { launch->beside, launch->installed, POSIX_TRACE_CONSUMER };
	bool is_beside = !wanted && !getauxval(AT_SECURE) && find_beside(launch);
	unsigned int n = 0;

	if (wanted)
		launch->paths[n++] = wanted;
	for (size_t i = is_beside ? 0 : 2; !wanted && i < sizeof found / sizeof found[0]; i++)
		if (trust_file(found[i], is_beside ? launch->code : NULL))
			launch->paths[n++] = found[i];
}

static int wait_until_ready(struct stream_ctl *ctl, uint32_t pid)
{
	uint32_t state;

	if (!identity_of(pid, &ctl->consumer)) /* it has ended already: a start of 0 matches no process */
		ctl->consumer.space = ctl->controller.space;
	while ((state = atomic_load(&ctl->state)) == CONSUMER_ABSENT) {
		if (!identity_runs(&ctl->consumer) && atomic_load(&ctl->state) == CONSUMER_ABSENT)
			return EAGAIN;
		consumer_sleep(&ctl->state, state, LOOK_NANOSECONDS);
	}
	if (state != CONSUMER_FAILED)
		return 0;
	return atomic_load(&ctl->exit_error) ? (int)atomic_load(&ctl->exit_error) : EIO;
}

/* The error of a system call, as the caller may get it. */
static int launch_error(int error)
{
	return error == 0 || error == ENOENT || error == ENOMEM || error == EMFILE || error == ENFILE
		       ? error
		       : EAGAIN;
}

int consumer_launch(struct stream_ctl *ctl, const int descriptors[CONSUMER_N_FDS])
{
	int kept = errno, error;
	struct launch *launch = mmap(
		NULL, sizeof *launch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (launch == MAP_FAILED) {
		errno = kept;
		return ENOMEM;
	}
	memcpy(launch->descriptors, descriptors, sizeof launch->descriptors);
	find_paths(launch);
	clone_consumer(launch);
	error = launch_error(launch->error);
	if (error == 0)
		error = wait_until_ready(ctl, (uint32_t)launch->pid);
	munmap(launch, sizeof *launch);
	errno = kept;
	return error;
}
