/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/child_test.h"
#include "record/rendezvous/permit.h"
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define SOMEBODY 2147480001u /* a user who owns nothing */

/* Targets. setuid() leaves a process that is not dumpable; exec would make it so again. */

static bool be_dumpable(unsigned int uid, unsigned int gid)
{
	return child_become(uid, gid) && prctl(PR_SET_DUMPABLE, 1) == 0;
}
static bool be_nobody(void)
{
	return be_dumpable(NOBODY, NOBODY);
}
static bool be_somebody(void)
{
	return be_dumpable(SOMEBODY, NOBODY);
}
static bool be_nobody_of_other_group(void)
{
	return be_dumpable(NOBODY, SOMEBODY);
}
static bool be_nobody_undumpable(void)
{
	return child_become(NOBODY, NOBODY);
}
static bool be_nobody_with_saved_root(void)
{
	return setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
	       setresuid(NOBODY, NOBODY, 0) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0;
}
static bool be_nobody_with_saved_group(void)
{
	return setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, 0) == 0 &&
	       setresuid(NOBODY, NOBODY, NOBODY) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0;
}

static bool capabilities_set(uint64_t permitted, uint64_t effective)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .permitted = (uint32_t)permitted, .effective = (uint32_t)effective },
		{ .permitted = (uint32_t)(permitted >> 32), .effective = (uint32_t)(effective >> 32) },
	};

	return syscall(SYS_capset, &header, data) == 0;
}

static bool be_nobody_with_capability(void)
{
	return prctl(PR_SET_KEEPCAPS, 1) == 0 && child_become(NOBODY, NOBODY) &&
	       capabilities_set(1ull << CAP_NET_BIND_SERVICE, 0) && prctl(PR_SET_DUMPABLE, 1) == 0;
}
static bool be_root_without_capabilities(void)
{
	return capabilities_set(0, 0) && prctl(PR_SET_DUMPABLE, 1) == 0;
}

static bool filter_add(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, 2, &program) == 0;
}

static bool be_in_many_groups(void)
{
	static gid_t groups[5000];

	for (unsigned int i = 0; i < 5000; i++)
		groups[i] = 100000 + i;
	return setgroups(5000, groups) == 0 && filter_add();
}

static void *sleep_on(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

static int target_trace(pid_t pid)
{
	struct permit permit;

	return permit_trace(pid, &permit);
}

static void is_error(int got, int expected, const char *sentence)
{
	is_number((unsigned)got, (unsigned)expected, sentence);
}

static void test_self(void)
{
	struct permit permit = { 0 };

	errno = 42;
	ok(permit_trace(0, &permit) == 0 && permit.process.pid == (uint32_t)getpid() &&
			permit.uid == getuid() && permit.gid == getgid() && identity_runs(&permit.process),
		"0 is the caller, which may trace itself");
	ok(permit_trace(getpid(), &permit) == 0 && permit.process.pid == (uint32_t)getpid(),
		"so is its own number");
	is_error(target_trace(-1), EINVAL, "a negative number is EINVAL");
	is_error(target_trace(4194304), ESRCH, "a number that no process has is ESRCH");
	is_number((unsigned)errno, 42, "errno is kept");
}

static int trace_self_undumpable(void)
{
	return !filter_add() || prctl(PR_SET_DUMPABLE, 0) < 0 || target_trace(0) != 0 ||
	       target_trace(getpid()) != 0;
}

static void test_child(void)
{
	pid_t pid = child_begin(child_is_nothing);
	struct permit permit = { 0 };
	struct identity child;
	siginfo_t info;

	ok(permit_trace(pid, &permit) == 0 && identity_of((uint32_t)pid, &child) &&
			identity_is(&permit.process, &child) && permit.uid == getuid() &&
			permit.gid == getgid(),
		"a process of the same user may be traced");
	kill(pid, SIGSTOP);
	waitid(P_PID, (id_t)pid, &info, WSTOPPED);
	is_error(target_trace(pid), 0, "also while it is stopped");
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	is_error(target_trace(pid), ESRCH, "one that is only waited for is ESRCH");
	waitpid(pid, NULL, 0);
	is_error(target_trace(pid), ESRCH, "and so is one that is gone");
	is_number((unsigned)child_do(trace_self_undumpable), 0, "whatever a process is, it may trace itself");
}

static _Atomic pid_t *shared_tid;

static void *tell_number(void *nothing)
{
	*shared_tid = gettid();
	return sleep_on(nothing);
}

static bool be_with_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, tell_number, NULL) != 0)
		return false;
	while (*shared_tid == 0)
		usleep(1000);
	return true;
}

static int end_first_thread(void)
{
	return be_with_thread() && (syscall(SYS_exit, 0), true);
}

static void test_threads(void)
{
	pid_t pid;
	int error = -1;

	shared_tid = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = child_begin(be_with_thread);
	ok(target_trace(pid) == 0 && *shared_tid != pid && target_trace(*shared_tid) == ESRCH,
		"the number of a thread is ESRCH");
	child_end(pid);
	*shared_tid = 0;
	pid = fork();
	if (pid == 0)
		_exit(end_first_thread());
	for (unsigned int i = 0; i < 200; i++) {
		siginfo_t info = { 0 };

		usleep(5000);
		if (*shared_tid && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
			info.si_pid == 0)
			error = target_trace(pid);
	}
	if (getuid() == 0)
		is_error(
			error, 0, "a process whose first thread has ended may be traced while it has others");
	else
		skip("not root", "a process whose first thread has ended may be traced while it has others");
	child_end(pid);
}

/* Users, and the processes that they may trace. */

static pid_t target;

static int trace_as_nobody(void)
{
	return child_become(NOBODY, NOBODY) ? target_trace(target) : 200;
}
/* As a set-user-ID program of root's that has not given up anything. */
static int trace_with_effective_nobody(void)
{
	return setresgid(NOBODY, NOBODY, NOBODY) == 0 && setresuid(SOMEBODY, NOBODY, NOBODY) == 0
		       ? target_trace(target)
		       : 200;
}

static const struct relation {
	bool (*be)(void);
	int as_root, as_nobody;
	const char *what;
} relations[] = {
	{ child_is_nothing, 0, EPERM, "root's process" },
	{ be_nobody, 0, 0, "nobody's process" },
	{ be_somebody, 0, EPERM, "another user's process" },
	{ be_nobody_of_other_group, 0, EPERM, "nobody's process of another group" },
	{ be_nobody_undumpable, 0, EPERM, "nobody's process that is not dumpable" },
	{ be_nobody_with_saved_root, 0, EPERM, "nobody's process that can be root's again" },
	{ be_nobody_with_saved_group, 0, EPERM, "nobody's process that can be of root's group again" },
	{ be_nobody_with_capability, 0, EPERM, "nobody's process that has a capability" },
};

/* Without CAP_SYS_PTRACE, root may do only what every user may. */
static int trace_without_capabilities(void)
{
	return be_root_without_capabilities() ? target_trace(target) : 200;
}
static const struct weak {
	bool (*be)(void);
	int error;
	const char *sentence;
} weak[] = {
	{ be_root_without_capabilities, 0, "root without capabilities may trace root's process without" },
	{ child_is_nothing, EPERM, "not one that has more" },
	{ be_nobody, EPERM, "and not nobody's process" },
};

static void test_weak(void)
{
	for (size_t i = 0; i < sizeof weak / sizeof weak[0]; i++) {
		target = child_begin(weak[i].be);
		is_error(target ? child_do(trace_without_capabilities) : -1, weak[i].error, weak[i].sentence);
		child_end(target);
	}
}

static void test_users(void)
{
	struct permit permit;

	for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
		char sentence[128];

		target = child_begin(relations[i].be);
		snprintf(sentence, sizeof sentence, "to root %s is %s", relations[i].what,
			relations[i].as_root ? "EPERM" : "permitted");
		is_error(target ? permit_trace(target, &permit) : -1, relations[i].as_root, sentence);
		ok(permit.uid == 0 ||
				permit.is_closed ==
					(relations[i].be != be_nobody && relations[i].be != be_somebody &&
						relations[i].be != be_nobody_of_other_group),
			"and the permit has whether only root may");
		snprintf(sentence, sizeof sentence, "to user nobody %s is %s", relations[i].what,
			relations[i].as_nobody ? "EPERM" : "permitted");
		is_error(child_do(trace_as_nobody), relations[i].as_nobody, sentence);
		child_end(target);
	}
	target = child_begin(be_somebody);
	ok(permit_trace(target, &permit) == 0 && permit.uid == SOMEBODY && permit.gid == NOBODY,
		"the permit has the target's real user and group");
	child_end(target);
	target = child_begin(be_nobody);
	is_error(child_do(trace_with_effective_nobody), EPERM,
		"a process with only the effective user nobody may not trace nobody's process");
	child_end(target);
}

/* seccomp */

static int trace_filtered(void)
{
	return filter_add() ? target_trace(target) : 200;
}

static int begin_strict(int ready)
{
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) < 0)
		return 1;
	syscall(SYS_write, ready, "r", 1);
	for (;;)
		;
}

static int trace_strict(void)
{
	int ready[2], error;
	char byte;
	pid_t pid;

	if (pipe(ready) < 0)
		return 200;
	pid = fork();
	if (pid == 0)
		_exit(begin_strict(ready[1]));
	error = read(ready[0], &byte, 1) == 1 ? target_trace(pid) : 200;
	child_end(pid);
	return error;
}

/* A child that has the same filter as its parent, as all of a container have. */
static int trace_in_container(void)
{
	int same, more;

	if (!filter_add())
		return 200;
	target = child_begin(child_is_nothing);
	same = target_trace(target);
	child_end(target);
	target = child_begin(filter_add);
	more = target_trace(target);
	child_end(target);
	return same != 0 || more != EPERM;
}

static void test_seccomp(void)
{
	target = child_begin(filter_add);
	is_error(target_trace(target), EPERM, "a process with a filter is EPERM, to root as well");
	is_error(child_do(trace_filtered), 0, "unless the caller has one, too");
	child_end(target);
	is_error(child_do(trace_strict), EPERM, "a process in strict mode is EPERM");
	is_error(child_do(trace_in_container), 0,
		"what a container confines may be traced in it, what itself does more may not");
	if (getuid() == 0) {
		target = child_begin(be_in_many_groups);
		is_error(target ? target_trace(target) : -1, EPERM, "in however many groups it is");
		child_end(target);
	} else {
		skip("not root", "in however many groups it is");
	}
}

/* Programs with more rights than their user. */

static char program[64];

static bool wait_for_exec(pid_t pid, const char *name)
{
	char path[64], text[64];

	for (unsigned int i = 0; i < 400; i++) {
		ssize_t n;
		int fd;

		usleep(5000);
		snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
		fd = open(path, O_RDONLY);
		n = read(fd, text, sizeof text - 1);
		close(fd);
		if (n > 0 && strncmp(text, name, strlen(name)) == 0)
			return true;
	}
	return false;
}

static int run_secure(void)
{
	if (child_become(SOMEBODY, SOMEBODY))
		execl(program, program, "20", (char *)NULL);
	return 1;
}

static bool program_make(void)
{
	char command[256];

	strcpy(program, "/tmp/permit_XXXXXX");
	close(mkstemp(program));
	snprintf(command, sizeof command, "cp /bin/sleep %s && chown %u %s && chmod 4755 %s", program, NOBODY,
		program, program);
	return system(command) == 0;
}

static void test_secure(void)
{
	const char *sentence = "a set-user-ID program is EPERM, to root as well";
	bool is_made = program_make();
	struct stat st;
	char path[64];

	target = fork();
	if (target == 0)
		_exit(run_secure());
	if (!is_made || !wait_for_exec(target, strrchr(program, '/') + 1))
		exit(1);
	snprintf(path, sizeof path, "/proc/%d", (int)target);
	if (stat(path, &st) == 0 && st.st_uid == NOBODY)
		is_error(target_trace(target), EPERM, sentence);
	else
		skip("set-user-ID programs have no effect in /tmp", sentence);
	is_error(child_do(trace_as_nobody), EPERM, "also to the user whose rights it has");
	child_end(target);
	unlink(program);
}

/* Namespaces, and what hides. */

static int trace_below(void)
{
	int error;

	if (unshare(CLONE_NEWPID) < 0)
		return 201;
	target = child_begin(child_is_nothing);
	error = target ? target_trace(target) : 200;
	child_end(target);
	return error;
}

static int trace_without_descriptors(void)
{
	const struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_NOFILE, &none) < 0 ? 200 : target_trace(target);
}

static void test_limits(void)
{
	const char *sentence = "a process of another pid namespace is ESRCH";
	int result = child_do(trace_below);

	if (result == 201)
		skip("no right to make a pid namespace", sentence);
	else
		is_error(result, ESRCH, sentence);
	target = child_begin(child_is_nothing);
	is_error(child_do(trace_without_descriptors), EMFILE, "without descriptors the reason is EMFILE");
	child_end(target);
}

int main(void)
{
	test_self();
	test_child();
	test_threads();
	test_seccomp();
	test_limits();
	if (getuid() == 0) {
		test_users();
		test_weak();
		test_secure();
	} else {
		skip("not root", "processes of other users");
	}
	return tap_done();
}
