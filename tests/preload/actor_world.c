/* SPDX-License-Identifier: MIT */
/* Scenes of signals, processes and files. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/preload/actor.h"

/* --- signals -------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t n_plain, n_info, sent_by;
static sigjmp_buf back;

static void on_plain(int signal)
{
	n_plain += signal == SIGUSR1;
}

static void with_info(int signal, siginfo_t *info, void *context)
{
	n_info += signal == SIGUSR2 && info->si_signo == SIGUSR2 && context;
	sent_by = info->si_pid;
}

static void on_leave(int signal)
{
	siglongjmp(back, signal);
}

static void in_child_signals(void)
{
	struct sigaction before;

	expect(sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == on_plain);
	raise(SIGUSR1);
	_exit(n_plain == 2 && n_failed == 0 ? 0 : 1);
}

/* More handlers than the library can stand in front of: the rest works untraced. */
#define HANDLER(n)                                    \
	static void handler_##n(int signal)           \
	{                                             \
		n_plain += signal == SIGUSR1 ? n : 0; \
	}
#define TEN(each, n)                                                                                       \
	each(n##0) each(n##1) each(n##2) each(n##3) each(n##4) each(n##5) each(n##6) each(n##7) each(n##8) \
		each(n##9)
#define HANDLER_NAME(n) handler_##n,
#define FIFTY(each)	TEN(each, 1) TEN(each, 2) TEN(each, 3) TEN(each, 4) TEN(each, 5)
FIFTY(HANDLER)
static void (*const many[])(int) = { FIFTY(HANDLER_NAME) };

static void many_handlers(void)
{
	enum { N = sizeof(many) / sizeof(many[0]) };
	int sum = 0;

	n_plain = 0;
	for (int i = 0; i < N; i++) {
		expect(i == 0 || signal(SIGUSR1, many[i]) == many[i - 1]);
		expect(i != 0 || signal(SIGUSR1, many[i]) != SIG_ERR);
		raise(SIGUSR1);
		sum += 10 + i;
	}
	expect(n_plain == sum);
}

static void query_signals(void)
{
	struct sigaction action = { .sa_sigaction = with_info, .sa_flags = SA_SIGINFO | SA_RESTART }, before;

	sigaddset(&action.sa_mask, SIGHUP);
	expect(sigaction(SIGUSR2, &action, &before) == 0 && before.sa_handler == SIG_DFL);
	expect(sigaction(SIGUSR2, NULL, &before) == 0 && before.sa_sigaction == with_info);
	expect((before.sa_flags & (SA_SIGINFO | SA_RESTART)) == (SA_SIGINFO | SA_RESTART));
	expect(sigismember(&before.sa_mask, SIGHUP) == 1 && sigismember(&before.sa_mask, SIGINT) == 0);
	action = before;
	expect(sigaction(SIGUSR2, &action, &before) == 0 && before.sa_sigaction == with_info);
	expect(sigaction(SIGKILL, &action, NULL) == -1 && errno == EINVAL);
}

static void reset_signals(void)
{
	struct sigaction action = { .sa_handler = on_plain, .sa_flags = (int)SA_RESETHAND }, before;

	expect(sigaction(SIGUSR1, &action, NULL) == 0);
	raise(SIGUSR1);
	expect(sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
	expect(signal(SIGUSR1, SIG_IGN) == SIG_DFL && raise(SIGUSR1) == 0);
	expect(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
}

static void alternate_stack(void)
{
	static char stack[16384];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_plain, .sa_flags = SA_ONSTACK };

	expect(sigaltstack(&own, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
	n_plain = 0;
	raise(SIGUSR1);
	expect(n_plain == 1);
}

void scene_signals(void)
{
	int status;
	pid_t child;

	expect(signal(SIGUSR1, on_plain) == SIG_DFL);
	raise(SIGUSR1);
	expect(n_plain == 1);
	child = fork();
	if (child == 0)
		in_child_signals();
	expect(waitpid(child, &status, 0) == child && status == 0);
	query_signals();
	kill(getpid(), SIGUSR2);
	expect(n_info == 1 && sent_by == getpid());
	signal(SIGTERM, on_leave);
	if (sigsetjmp(back, 1) == 0)
		raise(SIGTERM);
	if (sigsetjmp(back, 1) == 0)
		raise(SIGTERM);
	reset_signals();
	alternate_stack();
	many_handlers();
}

/* --- processes ------------------------------------------------------------------------------------------ */

static int status_of(pid_t child)
{
	int status = -1;

	expect(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static __attribute__((noinline)) pid_t vfork_exits(int status)
{
	pid_t child = vfork();

	if (child == 0)
		_exit(status);
	return child;
}

/* In the child of vfork: an event that is recorded there would be the parent's. */
static __attribute__((noinline)) pid_t vfork_execs(void)
{
	char name[] = "sh", option[] = "-c", command[] = "exit 9";
	char *const arguments[] = { name, option, command, NULL };
	pid_t child = vfork();

	if (child == 0) {
		if (write(-1, "", 1) >= 0)
			_exit(127);
		execv("/nonexistent", arguments);
		execv("/bin/sh", arguments);
		_exit(127);
	}
	return child;
}

static void exec_lists(void)
{
	char value[] = "VALUE=7";
	char *const environment[] = { value, NULL };
	pid_t child = fork();

	if (child == 0)
		execl("/bin/sh", "sh", "-c", "test $# = 3 && exit $3", "zero", "1", "2", "3", (char *)NULL);
	expect(status_of(child) == 3);
	child = fork();
	if (child == 0)
		execlp("sh", "sh", "-c", "exit 4", (char *)NULL);
	expect(status_of(child) == 4);
	child = fork();
	if (child == 0)
		execle("/bin/sh", "sh", "-c", "exit $VALUE", (char *)NULL, environment);
	expect(status_of(child) == 7);
}

static void run_spawned(void)
{
	char name[] = "sh", option[] = "-c", command[] = "exit 5";
	char *const arguments[] = { name, option, command, NULL };
	pid_t child = -7;

	expect(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0);
	expect(status_of(child) == 5);
	expect(posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0);
	expect(status_of(child) == 5);
	child = -7;
	expect(posix_spawn(&child, "/nonexistent", NULL, NULL, arguments, environ) == ENOENT && child == -7);
	expect(posix_spawn(NULL, "/bin/true", NULL, NULL, arguments, environ) == 0);
	wait(NULL);
}

void scene_processes(void)
{
	char *const none[] = { NULL };

	expect(status_of(vfork_exits(6)) == 6);
	expect(status_of(vfork_execs()) == 9);
	exec_lists();
	run_spawned();
	errno = 0;
	expect(execve("/nonexistent", none, none) == -1 && errno == ENOENT);
	expect(WEXITSTATUS(system("exit 8")) == 8);
	expect(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	fflush(NULL);
	exit(n_failed ? 1 : 42);
}

/* --- files ---------------------------------------------------------------------------------------------- */

static void *peer_answer(void *argument)
{
	int listener = *(int *)argument, fd = accept(listener, NULL, NULL);
	char bytes[8];

	expect(recv(fd, bytes, sizeof(bytes), 0) == 5);
	expect(send(fd, bytes, 5, 0) == 5);
	close(fd);
	return NULL;
}

static void peers_talk(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char bytes[8];
	pthread_t thread;

	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "rastrum-actor-%d", (int)getpid());
	expect(bind(listener, (const struct sockaddr *)&name, sizeof(name)) == 0 && listen(listener, 1) == 0);
	thread = thread_begin(peer_answer, &listener);
	sleep_ms(10);
	expect(connect(fd, (const struct sockaddr *)&name, sizeof(name)) == 0);
	expect(send(fd, "hello", 5, 0) == 5);
	expect(recv(fd, bytes, sizeof(bytes), 0) == 5 && memcmp(bytes, "hello", 5) == 0);
	expect(recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) <= 0);
	thread_end(thread);
	close(fd);
	close(listener);
}

static void wait_for_files(void)
{
	struct pollfd file;
	struct epoll_event event = { .events = EPOLLIN };
	struct timeval time = { 0, 5000 };
	int pipe_fds[2], fd = epoll_create1(0);
	char byte;

	expect(pipe(pipe_fds) == 0);
	file = (struct pollfd){ .fd = pipe_fds[0], .events = POLLIN };
	expect(poll(&file, 1, 0) == 0);
	expect(poll(&file, 1, 5) == 0);
	expect(select(0, NULL, NULL, NULL, &time) == 0);
	expect(epoll_ctl(fd, EPOLL_CTL_ADD, pipe_fds[0], &event) == 0);
	expect(epoll_wait(fd, &event, 1, 5) == 0);
	expect(write(pipe_fds[1], "x", 1) == 1);
	expect(epoll_wait(fd, &event, 1, -1) == 1);
	expect(read(pipe_fds[0], &byte, 1) == 1 && byte == 'x');
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	close(fd);
}

/* Two messages of 3 and 4 bytes by one call. */
static void peers_send_messages(void)
{
	char bytes[2][8] = { "one", "four" };
	struct iovec parts[2];
	struct mmsghdr messages[2];
	int fds[2];

	expect(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) == 0);
	memset(messages, 0, sizeof(messages));
	for (int i = 0; i < 2; i++) {
		parts[i] = (struct iovec){ bytes[i], (size_t)(3 + i) };
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	expect(sendmmsg(fds[0], messages, 2, 0) == 2);
	expect(recvmmsg(fds[1], messages, 2, 0, NULL) == 2);
	close(fds[0]);
	close(fds[1]);
}

void scene_files(void)
{
	char path[] = "/tmp/actor-XXXXXX", bytes[4];
	int fd = mkstemp(path);

	expect(pwrite(fd, "abcd", 4, 0) == 4 && fsync(fd) == 0 && flock(fd, LOCK_EX) == 0);
	expect(flock(fd, LOCK_UN) == 0);
	expect(pread(fd, bytes, 4, 0) == 4 && memcmp(bytes, "abcd", 4) == 0);
	close(fd);
	unlink(path);
	wait_for_files();
	peers_talk();
	peers_send_messages();
}

/* --- libraries ------------------------------------------------------------------------------------------ */

/*
 * With RTLD_DEEPBIND a library calls the C library's functions, and its calls are not recorded; sanitizers
 * refuse it.
 */
void scene_libraries(void)
{
	static const int hows[] = { RTLD_NOW, RTLD_LAZY,
#ifndef __SANITIZE_ADDRESS__
		RTLD_NOW | RTLD_DEEPBIND
#endif
	};
	char path[4096];

	snprintf(path, sizeof(path), "%s", program_invocation_name);
	strcpy(strrchr(path, '/') + 1, "plugin.so");
	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++) {
		void *library = dlopen(path, hows[i]), *found = library ? dlsym(library, "plugin_nap") : NULL;
		int (*plugin_nap)(unsigned int);

		expect(found != NULL);
		if (!found)
			return;
		memcpy(&plugin_nap, &found, sizeof(found));
		expect(plugin_nap(1000) == 1);
		expect(dlclose(library) == 0);
	}
}
