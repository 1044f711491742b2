/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/child_test.h"
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static void test_names(void)
{
	const struct identity_file file = { { 567890, 1234, 4026531836u }, 1 };
	const struct identity_file largest = { { UINT64_MAX, INT32_MAX, UINT32_MAX }, UINT64_MAX };
	struct identity_file found;
	enum identity_kind kind;
	char name[IDENTITY_NAME_BYTES];

	identity_file_name(IDENTITY_POOL, &file, name);
	is_text(name, "r-4026531836-1234-567890-1", "a name has kind, namespace, pid, start and serial");
	ok(identity_file_parse(name, &kind, &found) && kind == IDENTITY_POOL &&
			identity_file_is(&found, &file),
		"a name is read as it was written");
	identity_file_name(IDENTITY_DRAFT, &largest, name);
	ok(strlen(name) < sizeof name && identity_file_parse(name, &kind, &found) && kind == IDENTITY_DRAFT &&
			identity_file_is(&found, &largest),
		"the largest numbers fit, and come back");
}

static void test_foreign_names(void)
{
	static const char *const foreign[] = { "", ".", "..", "r", "r-", "r-1-2-3", "r-1-2-3-", "r-1-2-3-4-",
		"r-1-2-3-4-5", "r-1-2-3-4x", "r-01-2-3-4", "r-1-2-3-04", "r--2-3-4", "r-1-2-3--4",
		"r-1-2-3-+4", "r 1-2-3-4", "x-1-2-3-4", "R-1-2-3-4", "r-1-0-3-4", "r-1-2147483648-3-4",
		"r-4294967296-2-3-4", "r-1-2-18446744073709551616-4", "r-1-2-3-18446744073709551616",
		"c-1-2-3-4",
		"r-1-2-3-99999999999999999999999999999999999999999999999999999999999999999999999999999999" };
	struct identity_file found;
	enum identity_kind kind;

	for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
		ok(!identity_file_parse(foreign[i], &kind, &found), "\"%.30s\" is no name of ours",
			foreign[i]);
	ok(identity_file_parse("c-1-2-3-0", &kind, &found) && kind == IDENTITY_CONTROL,
		"a control page's serial is 0");
}

static void test_self(void)
{
	struct identity self = { 0 }, again = { 0 };

	errno = 42;
	ok(identity_of(0, &self) && self.pid == (uint32_t)getpid() && self.space != 0,
		"the caller has an identity");
	ok(identity_of((uint32_t)getpid(), &again) && identity_is(&self, &again),
		"it is the same by its pid");
	ok(identity_runs(&self), "the caller runs");
	is_number((unsigned)errno, 42, "errno is kept");
	again = self;
	again.start++;
	ok(!identity_runs(&again) && !identity_is(&self, &again), "with another start it is another process");
	again = self;
	again.space++;
	ok(identity_runs(&again), "a process of another namespace counts as running");
	again = self;
	again.pid = 0;
	ok(!identity_runs(&again), "pid 0 does not run");
	again.pid = UINT32_MAX;
	ok(!identity_runs(&again) && !identity_of(UINT32_MAX, &again),
		"nor does a number that no pid can be");
}

static void test_life(void)
{
	pid_t pid = child_begin(child_is_nothing);
	struct identity child, dead;
	siginfo_t info;

	ok(identity_of((uint32_t)pid, &child) && identity_runs(&child), "a child runs");
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	ok(!identity_runs(&child) && !identity_of((uint32_t)pid, &dead),
		"one that is only waited for does not");
	is_number(dead.pid, (unsigned)pid, "without an identity there is only the pid");
	waitpid(pid, NULL, 0);
	ok(!identity_runs(&child) && !identity_of((uint32_t)pid, &dead), "nor one that is gone");
}

static void *sleep_on(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

static int begin_without_first_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, sleep_on, NULL) == 0 && (syscall(SYS_exit, 0), true);
}

static void test_first_thread_ended(void)
{
	struct identity child = { 0 };
	pid_t pid = fork();
	char path[64], text[256] = { 0 };
	bool is_zombie = false;

	if (pid == 0)
		_exit(begin_without_first_thread());
	for (unsigned int i = 0; i < 500 && !is_zombie; i++) {
		int fd;

		usleep(10000);
		snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
		fd = open(path, O_RDONLY);
		is_zombie = fd >= 0 && read(fd, text, sizeof text - 1) > 0 && strstr(text, ") Z ");
		close(fd);
	}
	ok(is_zombie && identity_of((uint32_t)pid, &child) && identity_runs(&child),
		"a process whose first thread has ended runs while it has others");
	ok(identity_thread_runs((uint32_t)getpid()) && !identity_thread_runs((uint32_t)pid),
		"that thread does not");
	child_end(pid);
	ok(!identity_runs(&child), "and not any more when these are gone");
}

static void test_exec(void)
{
	struct identity before, after;
	int go[2], done[2];
	char byte;
	pid_t pid;

	ok(pipe2(go, O_CLOEXEC) == 0 && pipe2(done, O_CLOEXEC) == 0, "there are pipes");
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) == 1)
			execlp("sleep", "sleep", "100", (char *)NULL);
		_exit(1);
	}
	close(done[1]);
	identity_of((uint32_t)pid, &before);
	ok(write(go[1], "g", 1) == 1 && read(done[0], &byte, 1) == 0 && identity_of((uint32_t)pid, &after) &&
			identity_is(&before, &after),
		"exec keeps a process's identity");
	child_end(pid);
	close(go[0]);
	close(go[1]);
	close(done[0]);
}

static int look_without_descriptors(void)
{
	struct identity parent;
	const struct rlimit none = { 0, 0 };

	return !identity_of((uint32_t)getppid(), &parent) || setrlimit(RLIMIT_NOFILE, &none) < 0 ||
	       !identity_runs(&parent);
}

/* In a new pid namespace that still has the old one's /proc. */
static int look_from_below(void)
{
	struct identity self, other = { .pid = 1, .space = 1 };
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID) < 0)
		return 2;
	pid = fork();
	if (pid == 0)
		_exit(identity_of(0, &self) || identity_of(1, &self) || !identity_runs(&other));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void test_limits(void)
{
	int result;

	is_number((unsigned)child_do(look_without_descriptors), 0,
		"a running process is found without a free descriptor, too");
	result = child_do(look_from_below);
	if (result == 2)
		skip("no right to make a pid namespace",
			"with /proc of another namespace no process has an identity");
	else
		is_number((unsigned)result, 0, "with /proc of another namespace no process has an identity");
}

int main(void)
{
	test_names();
	test_foreign_names();
	test_self();
	test_life();
	test_first_thread_ended();
	test_exec();
	test_limits();
	return tap_done();
}
