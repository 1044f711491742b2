/* SPDX-License-Identifier: MIT */
/*
 * Processes: fork, exec, spawn, exit.
 *
 * A child of vfork runs in its parent's memory, with the thread data of its parent's thread. It must not
 * record: the kernel would not restart its restartable sequences, and they would disturb those of another
 * thread. A function that returns twice must not be called by a function that returns. So vfork notes the
 * caller's pid, and jumps. While the note is set, a thread that finds a pid other than its own is such a
 * child. The parent, which finds its own pid, clears the note.
 */
#include "preload/preload.h"

#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread pid_t lender __attribute__((tls_model("initial-exec"))); /* 0 if no note is set */

bool process_is_borrowed(void)
{
	if (__builtin_expect(lender == 0, 1))
		return false;
	if (syscall(SYS_getpid) != lender)
		return true;
	lender = 0;
	return false;
}

#if defined(__x86_64__) || defined(__aarch64__)

NEXT(vfork);
/* Returns the function that vfork() must jump to. If a note is set already, a child calls vfork() itself. */
__attribute__((visibility("hidden"), used)) void (*preload_vfork_begins(const void *caller))(void);
void (*preload_vfork_begins(const void *caller))(void)
{
	if (is_traced())
		event_tell(PRELOAD_VFORK, caller, 0);
	if (lender == 0)
		lender = (pid_t)syscall(SYS_getpid);
	return next_of(&next_vfork);
}

/* Does not change the stack and the return address. */
#ifdef __x86_64__
__asm__(".pushsection .text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	movq (%rsp), %rdi\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call preload_vfork_begins\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jmp *%rax\n"
	"	.cfi_endproc\n"
	".size vfork, .-vfork\n"
	".popsection\n");
#else
__asm__(".pushsection .text\n"
	".globl vfork\n"
	".type vfork, %function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, -16]!\n"
	"	.cfi_adjust_cfa_offset 16\n"
	"	mov x0, x30\n"
	"	bl preload_vfork_begins\n"
	"	ldp x29, x30, [sp], 16\n"
	"	.cfi_adjust_cfa_offset -16\n"
	"	br x0\n"
	"	.cfi_endproc\n"
	".size vfork, .-vfork\n"
	".popsection\n");
#endif
#endif

NEXT(fork);
PRELOAD_PUBLIC pid_t fork(void)
{
	pid_t parent = (pid_t)syscall(SYS_getpid), child = CALL_NEXT(fork);

	if (!is_traced())
		return child;
	if (child == 0)
		event_tell(PRELOAD_PROCESS_BEGIN, PRELOAD_CALLER(), (uint64_t)parent);
	else
		event_tell(
			PRELOAD_FORK, PRELOAD_CALLER(), (uint64_t)child, child == -1 ? (uint64_t)errno : 0);
	return child;
}

static void tell_spawn(pid_t child, int error, const char *path, const void *caller)
{
	event_put_text(PRELOAD_SPAWN, caller,
		(const uint64_t[]){ error ? 0 : (uint64_t)child, (uint64_t)error }, path);
}

#define SPAWN(name)                                                                                        \
	NEXT_VERSION(name, "GLIBC_2.15");                                                                  \
	PRELOAD_PUBLIC int name(pid_t *ret_pid, const char *path, const posix_spawn_file_actions_t *files, \
		const posix_spawnattr_t *attr, char *const *arguments, char *const *environment)           \
	{                                                                                                  \
		pid_t pid = 0;                                                                             \
		int error = CALL_NEXT(name, &pid, path, files, attr, arguments, environment);              \
                                                                                                           \
		if (is_traced())                                                                           \
			tell_spawn(pid, error, path, PRELOAD_CALLER());                                    \
		if (ret_pid && !error)                                                                     \
			*ret_pid = pid;                                                                    \
		return error;                                                                              \
	}
SPAWN(posix_spawn)
SPAWN(posix_spawnp)

/* --- exec ----------------------------------------------------------------------------------------------- */

static void exec_begins(const char *path, const void *caller)
{
	if (is_traced())
		event_put_text(PRELOAD_EXEC, caller, NULL, path);
}

static int exec_failed(const void *caller)
{
	if (is_traced())
		event_tell(PRELOAD_EXEC_FAILED, caller, (uint64_t)errno);
	return -1;
}

#define EXEC(name, path, parameters, arguments)                        \
	NEXT(name);                                                    \
	PRELOAD_PUBLIC int name parameters                             \
	{                                                              \
		exec_begins(path, PRELOAD_CALLER());                   \
		((__typeof__(name) *)next_of(&next_##name)) arguments; \
		return exec_failed(PRELOAD_CALLER());                  \
	}
EXEC(execve, path, (const char *path, char *const arguments[], char *const environment[]),
	(path, arguments, environment))
EXEC(execv, path, (const char *path, char *const arguments[]), (path, arguments))
EXEC(execvp, path, (const char *path, char *const arguments[]), (path, arguments))
EXEC(execvpe, path, (const char *path, char *const arguments[], char *const environment[]),
	(path, arguments, environment))
EXEC(fexecve, NULL, (int fd, char *const arguments[], char *const environment[]),
	(fd, arguments, environment))
EXEC(execveat, path,
	(int folder, const char *path, char *const arguments[], char *const environment[], int flags),
	(folder, path, arguments, environment, flags))

/* The functions that take arguments one by one are made with those that take an array. */
static size_t count_arguments(const char *first, va_list more)
{
	size_t n = 0;

	for (const char *at = first; at; at = va_arg(more, const char *))
		n++;
	return n;
}

/* Gathers the arguments and the NULL behind them. */
static void gather_arguments(const char **ret_arguments, const char *first, va_list more)
{
	*ret_arguments = first;
	for (const char *at = first; at; *++ret_arguments = at)
		at = va_arg(more, const char *);
}

/* The last argument is that of the function behind that follows the arguments, if it has one. */
#define EXEC_LIST(name, next_name, ...)                                                                \
	PRELOAD_PUBLIC int name(const char *path, const char *first, ...)                              \
	{                                                                                              \
		const char **arguments;                                                                \
		va_list more;                                                                          \
                                                                                                       \
		va_start(more, first);                                                                 \
		arguments = __builtin_alloca((count_arguments(first, more) + 1) * sizeof(*arguments)); \
		va_end(more);                                                                          \
		va_start(more, first);                                                                 \
		gather_arguments(arguments, first, more);                                              \
		exec_begins(path, PRELOAD_CALLER());                                                   \
		CALL_NEXT(next_name, path, (char *const *)(uintptr_t)arguments, ##__VA_ARGS__);        \
		va_end(more);                                                                          \
		return exec_failed(PRELOAD_CALLER());                                                  \
	}
EXEC_LIST(execl, execv)
EXEC_LIST(execlp, execvp)
EXEC_LIST(execle, execve, va_arg(more, char *const *))

/* --- the end -------------------------------------------------------------------------------------------- */

static void exit_begins(int status, const void *caller)
{
	if (is_traced())
		event_tell(PRELOAD_PROCESS_EXIT, caller, (uint64_t)status);
}

#define EXIT(name)                                     \
	NEXT(name);                                    \
	PRELOAD_PUBLIC void name(int status)           \
	{                                              \
		exit_begins(status, PRELOAD_CALLER()); \
		CALL_NEXT(name, status);               \
		__builtin_unreachable();               \
	}
EXIT(_exit)
EXIT(_Exit)
EXIT(quick_exit)

/* Called by exit() and at the end of main(). */
static void exits(int status, void *argument)
{
	(void)argument;
	exit_begins(status, NULL);
}

/* The note may be set when its thread forks. */
static void fork_child(void)
{
	lender = 0;
}

static __attribute__((constructor)) void processes_begin(void)
{
	on_exit(exits, NULL);
	pthread_atfork(NULL, NULL, fork_child);
}
