/* SPDX-License-Identifier: MIT */
/*
 * A tracer that skips the check of permission: it finds its target, makes a pool and attaches it as permitted
 * ones do. A target that the kernel would not let it debug does not take part (ptrace(2),
 * PTRACE_MODE_ATTACH_REALCREDS).
 */
#include "record/kernel/clock.h"
#include "record/process/target.h"
#include "record/rendezvous/child_test.h"
#include <linux/capability.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { PATIENCE_MS = 300 };

/* --- targets -------------------------------------------------------------------------------------------- */

static bool capability_keep(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { .permitted = 1u << CAP_NET_BIND_SERVICE } };

	return prctl(PR_SET_KEEPCAPS, 1) == 0 && child_become(NOBODY, NOBODY) &&
	       syscall(SYS_capset, &header, data) == 0;
}

/* The state of a process when it forks the target. */
static bool begin_as_nobody(void)
{
	return child_become(NOBODY, NOBODY) && prctl(PR_SET_DUMPABLE, 1) == 0;
}
static bool begin_in_other_group(void)
{
	return child_become(NOBODY, NOBODY - 1) && prctl(PR_SET_DUMPABLE, 1) == 0;
}
static bool begin_with_capability(void)
{
	return capability_keep() && prctl(PR_SET_DUMPABLE, 1) == 0;
}
static bool begin_with_effective_root(void)
{
	return setresuid(NOBODY, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0;
}
static bool begin_with_saved_root(void)
{
	return setresgid(NOBODY, NOBODY, NOBODY) == 0 && setresuid(NOBODY, NOBODY, 0) == 0 &&
	       prctl(PR_SET_DUMPABLE, 1) == 0;
}
static bool begin_with_saved_group(void)
{
	return setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, 0) == 0 &&
	       setresuid(NOBODY, NOBODY, NOBODY) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0;
}

/* And what the target does itself, when it has its page. */
static bool child_hide(void)
{
	return prctl(PR_SET_DUMPABLE, 0) == 0;
}

static const struct closed {
	bool (*begin)(void), (*then)(void);
	bool is_open;
	const char *sentence;
} targets[] = {
	{ begin_as_nobody, child_is_nothing, true, "a plain process of a user is traced" },
	{ begin_in_other_group, child_is_nothing, false, "one of another group is not" },
	{ begin_as_nobody, child_hide, false, "one that was made not dumpable is not" },
	{ begin_with_capability, child_is_nothing, false, "one with a capability is not" },
	{ begin_with_effective_root, child_is_nothing, false, "one that acts as root is not" },
	{ begin_with_saved_root, child_is_nothing, false, "one that can be root again is not" },
	{ begin_with_saved_group, child_is_nothing, false, "one that can be of root's group again is not" },
};

/* In shared memory: the target is the child of a child. */
static struct shared {
	_Atomic pid_t pid;
	const struct closed *closed;
} * shared;

static void go_on(void)
{
	alarm(60);
	if (!shared->closed->then())
		_exit(1);
	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, NULL, 0);
	atomic_store(&shared->pid, getpid());
	for (;;) {
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, NULL, 0);
		usleep(1000);
	}
}

static bool target_begin(void)
{
	pid_t pid;

	if (!shared->closed->begin())
		return false;
	pid = fork();
	if (pid == 0)
		go_on();
	while (pid > 0 && atomic_load(&shared->pid) == 0 && waitpid(pid, NULL, WNOHANG) == 0)
		usleep(1000);
	return atomic_load(&shared->pid) != 0;
}

/* --- the tracer ----------------------------------------------------------------------------------------- */

/* A process that has mapped a pool has written its procinfo record into it. */
static bool is_taken(const struct pool *pool)
{
	for (unsigned int waited = 0; waited < PATIENCE_MS; waited += 10) {
		if (atomic_load(&pool->shared->n_procinfos) > 0)
			return true;
		usleep(10000);
	}
	return false;
}

static int pool_attach(struct target *target, const trace_attr_t *attr)
{
	const struct pool_config config = { .attr = attr,
		.target = (pid_t)target->permit.process.pid,
		.clock = clock_choose(),
		.uid = target->permit.uid,
		.gid = target->permit.gid,
		.directory = target->directory,
		.is_named = true,
		.is_foreign = true };
	struct pool pool;
	int fd, result;

	if (pool_create(&pool, &config, &fd) != 0)
		return 102;
	close(fd);
	result = target_attach(target, &pool, false) != 0 ? 103 : is_taken(&pool);
	target_detach(target, &pool);
	pool_remove(&pool.file, target->permit.uid);
	pool_unmap(&pool);
	return result;
}

/* Returns 1 if the target writes into its pool, 0 if it does not, else the failure. */
static int trace_unasked(void)
{
	const trace_attr_t attr = { .posix_trace_stream_policy = POSIX_TRACE_LOOP,
		.posix_trace_stream_size = 65536,
		.posix_trace_data_size = 64 };
	struct permit permit = { .uid = NOBODY, .gid = NOBODY };
	struct target target;
	int result;

	if (!child_become(NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 1) != 0 ||
		!identity_of((uint32_t)atomic_load(&shared->pid), &permit.process))
		return 100;
	if (target_open(&target, &permit, false) != 0)
		return 0;
	result = pool_attach(&target, &attr);
	target_forget(&target);
	return result;
}

static bool has_page_of(uint32_t uid)
{
	struct identity identity;
	char path[160];

	identity_of((uint32_t)atomic_load(&shared->pid), &identity);
	snprintf(path, sizeof path, "/dev/shm/posix-trace-%u/c-%u-%u-%llu-0", uid, identity.space,
		identity.pid, (unsigned long long)identity.start);
	return access(path, F_OK) == 0;
}

int main(void)
{
	if (getuid() != 0) {
		skip("not root", "the target checks permission, too");
		return tap_done();
	}
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
		pid_t pid;

		shared->closed = &targets[i];
		atomic_store(&shared->pid, 0);
		pid = child_begin(target_begin);
		if (targets[i].begin == begin_with_effective_root)
			ok(has_page_of(0) && !has_page_of(NOBODY),
				"a process that acts as root has its page in root's directory");
		is_number(pid ? (unsigned)child_do(trace_unasked) : 200, targets[i].is_open,
			targets[i].sentence);
		if (atomic_load(&shared->pid) > 0)
			kill(atomic_load(&shared->pid), SIGKILL);
		child_end(pid);
	}
	return tap_done();
}
