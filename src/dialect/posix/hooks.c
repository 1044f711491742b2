/* SPDX-License-Identifier: MIT */
/*
 * Shows the kernel's switches and the events of the preload library as the hooks that AIX's trace has for the
 * same things. The beginning of a call is hook 101 and its end is 104, but a call that AIX has a hook for is
 * that hook. README.md states where the ids are from.
 */
#include <string.h>

#include "dialect/posix/posix.h"

enum {
	TRACE_ON = 0x001,
	TRACE_OFF = 0x002,
	BUFFER_WRAPAROUND = 0x006,
	TRACE_UTILITY = 0x00A,
	FLIH = 0x100,
	SYSTEM_CALL = 0x101,
	SYSTEM_CALL_RETURN = 0x104,
	DISPATCH = 0x106,
	DISPATCH_IDLE = 0x10C,
	SIGNAL_RECEIVED = 0x11A,
	EXEC = 0x134,
	EXIT = 0x135,
	FORK = 0x139,
	THREAD_CREATE = 0x465,
	THREAD_END = 0x467,
	PTHREAD_CONDITION = 0x606,
	PTHREAD_MUTEX = 0x607,
	PTHREAD_RWLOCK = 0x608,
	PTHREAD_GENERAL = 0x609,
};

/*
 * The $HD of hooks that stand for several events; the templates (templates/posix.trcfmt) use these numbers.
 */
enum {
	LEFT_TO_WAIT = 0,
	LEFT_PREEMPTED = 1,
	LEFT_ENDED = 2,
	LOCK_WAIT = 0,
	LOCK_ACQUIRE = 1,
	LOCK_GIVE_UP = 2,
	LOCK_RELEASE = 3,
	CALL_END = 1,
};

static const struct {
	const char *name;
	struct hook hook;
} rows[] = {
	{ "POSIX_TRACE_START", { TRACE_ON, 0, NULL } },
	{ "POSIX_TRACE_STOP", { TRACE_OFF, 0, NULL } },
	{ "POSIX_TRACE_OVERFLOW", { BUFFER_WRAPAROUND, 0, NULL } },
	{ "POSIX_TRACE_RESUME", { BUFFER_WRAPAROUND, CALL_END, NULL } },
	{ "POSIX_TRACE_ERROR", { TRACE_UTILITY, 0, NULL } },
	{ "POSIX_TRACE_FILTER", { TRACE_UTILITY, 0, NULL } },
	{ "POSIX_TRACE_FLUSH_START", { TRACE_UTILITY, 0, NULL } },
	{ "POSIX_TRACE_FLUSH_STOP", { TRACE_UTILITY, 0, NULL } },
	{ "sched_in", { DISPATCH, 0, NULL } },
	{ "sched_wait", { DISPATCH_IDLE, LEFT_TO_WAIT, NULL } },
	{ "sched_preempt", { DISPATCH_IDLE, LEFT_PREEMPTED, NULL } },
	{ "sched_exit", { DISPATCH_IDLE, LEFT_ENDED, NULL } },
	{ "page_fault", { FLIH, 0, NULL } },
	{ "sys_thread_create", { SYSTEM_CALL, 0, "thread_create" } },
	{ "sys_thread_create_failed", { SYSTEM_CALL_RETURN, 0, "thread_create" } },
	{ "sys_thread_begin", { THREAD_CREATE, 0, NULL } },
	{ "sys_thread_exit", { THREAD_END, 0, NULL } },
	{ "sys_join_begin", { PTHREAD_GENERAL, 0, "thread_join" } },
	{ "sys_join_end", { PTHREAD_GENERAL, CALL_END, "thread_join" } },
	{ "sys_program_begin", { EXEC, 0, "execve" } },
	{ "sys_fork", { FORK, 0, "fork" } },
	{ "sys_vfork", { FORK, 0, "vfork" } },
	{ "sys_spawn", { FORK, 0, "spawn" } },
	{ "sys_process_begin", { THREAD_CREATE, 0, NULL } },
	{ "sys_process_exit", { EXIT, 0, "_exit" } },
	{ "sys_process_killed", { EXIT, 0, "_exit" } },
	{ "sys_exec", { SYSTEM_CALL, 0, "execve" } },
	{ "sys_exec_failed", { SYSTEM_CALL_RETURN, 0, "execve" } },
	{ "sys_child_wait_begin", { SYSTEM_CALL, 0, "waitpid" } },
	{ "sys_child_wait_end", { SYSTEM_CALL_RETURN, 0, "waitpid" } },
	{ "sys_signal_begin", { SIGNAL_RECEIVED, 0, NULL } },
	{ "sys_signal_end", { SYSTEM_CALL_RETURN, 0, "sigreturn" } },
	{ "sys_signal_wait_begin", { SYSTEM_CALL, 0, "sigwait" } },
	{ "sys_signal_wait_end", { SYSTEM_CALL_RETURN, 0, "sigwait" } },
	{ "sys_mutex_wait", { PTHREAD_MUTEX, LOCK_WAIT, "mutex_lock" } },
	{ "sys_mutex_acquire", { PTHREAD_MUTEX, LOCK_ACQUIRE, "mutex_lock" } },
	{ "sys_mutex_recover", { PTHREAD_MUTEX, LOCK_ACQUIRE, "mutex_lock" } },
	{ "sys_mutex_give_up", { PTHREAD_MUTEX, LOCK_GIVE_UP, "mutex_lock" } },
	{ "sys_mutex_release", { PTHREAD_MUTEX, LOCK_RELEASE, "mutex_unlock" } },
	{ "sys_rwlock_read_wait", { PTHREAD_RWLOCK, LOCK_WAIT, "rwlock_rdlock" } },
	{ "sys_rwlock_read_acquire", { PTHREAD_RWLOCK, LOCK_ACQUIRE, "rwlock_rdlock" } },
	{ "sys_rwlock_write_wait", { PTHREAD_RWLOCK, LOCK_WAIT, "rwlock_wrlock" } },
	{ "sys_rwlock_write_acquire", { PTHREAD_RWLOCK, LOCK_ACQUIRE, "rwlock_wrlock" } },
	{ "sys_rwlock_give_up", { PTHREAD_RWLOCK, LOCK_GIVE_UP, "rwlock_lock" } },
	{ "sys_rwlock_release", { PTHREAD_RWLOCK, LOCK_RELEASE, "rwlock_unlock" } },
	{ "sys_semaphore_wait", { SYSTEM_CALL, 0, "sem_wait" } },
	{ "sys_semaphore_acquire", { SYSTEM_CALL_RETURN, 0, "sem_wait" } },
	{ "sys_semaphore_give_up", { SYSTEM_CALL_RETURN, 0, "sem_wait" } },
	{ "sys_semaphore_post", { SYSTEM_CALL, 0, "sem_post" } },
	{ "sys_condition_wait", { PTHREAD_CONDITION, 0, "cond_wait" } },
	{ "sys_condition_wake", { PTHREAD_CONDITION, CALL_END, "cond_wait" } },
	{ "sys_condition_signal", { PTHREAD_CONDITION, 0, "cond_signal" } },
	{ "sys_condition_broadcast", { PTHREAD_CONDITION, 0, "cond_broadcast" } },
	{ "sys_barrier_begin", { PTHREAD_GENERAL, 0, "barrier_wait" } },
	{ "sys_barrier_end", { PTHREAD_GENERAL, CALL_END, "barrier_wait" } },
	{ "sys_sleep_begin", { SYSTEM_CALL, 0, "nanosleep" } },
	{ "sys_sleep_end", { SYSTEM_CALL_RETURN, 0, "nanosleep" } },
	{ "sys_poll_begin", { SYSTEM_CALL, 0, "poll" } },
	{ "sys_poll_end", { SYSTEM_CALL_RETURN, 0, "poll" } },
	{ "sys_epoll_begin", { SYSTEM_CALL, 0, "epoll_wait" } },
	{ "sys_epoll_end", { SYSTEM_CALL_RETURN, 0, "epoll_wait" } },
	{ "sys_read_begin", { SYSTEM_CALL, 0, "read" } },
	{ "sys_read_end", { SYSTEM_CALL_RETURN, 0, "read" } },
	{ "sys_write_begin", { SYSTEM_CALL, 0, "write" } },
	{ "sys_write_end", { SYSTEM_CALL_RETURN, 0, "write" } },
	{ "sys_sync_begin", { SYSTEM_CALL, 0, "fsync" } },
	{ "sys_sync_end", { SYSTEM_CALL_RETURN, 0, "fsync" } },
	{ "sys_file_lock_begin", { SYSTEM_CALL, 0, "lockf" } },
	{ "sys_file_lock_end", { SYSTEM_CALL_RETURN, 0, "lockf" } },
	{ "sys_receive_begin", { SYSTEM_CALL, 0, "recv" } },
	{ "sys_receive_end", { SYSTEM_CALL_RETURN, 0, "recv" } },
	{ "sys_send_begin", { SYSTEM_CALL, 0, "send" } },
	{ "sys_send_end", { SYSTEM_CALL_RETURN, 0, "send" } },
	{ "sys_accept_begin", { SYSTEM_CALL, 0, "accept" } },
	{ "sys_accept_end", { SYSTEM_CALL_RETURN, 0, "accept" } },
	{ "sys_connect_begin", { SYSTEM_CALL, 0, "connect" } },
	{ "sys_connect_end", { SYSTEM_CALL_RETURN, 0, "connect" } },
};

enum { N_ROWS_OF_HOOKS = sizeof(rows) / sizeof(rows[0]) };

size_t posix_n_hooks(void)
{
	return N_ROWS_OF_HOOKS;
}

/* If a program's own event has such a name, it has the label of user events and is not a hook. */
const struct hook *posix_hook(const struct rst_type *type)
{
	if (posix_is_user_label(type->label))
		return NULL;
	for (size_t i = 0; i < N_ROWS_OF_HOOKS; i++)
		if (strcmp(rows[i].name, type->name) == 0)
			return &rows[i].hook;
	return NULL;
}
