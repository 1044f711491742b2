/* SPDX-License-Identifier: MIT */
/*
 * A program that knows nothing of tracing, for tests of librastrum-preload.so: actor SCENE does what its scene says and
 * checks that the C library's functions do what they always do. Status 0: they did.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int n_failed;

#define expect(what) expect_at((what), #what, __LINE__)
static void expect_at(bool holds, const char *what, int line)
{
	if (holds)
		return;
	fprintf(stderr, "actor:%d: not so: %s\n", line, what);
	n_failed++;
}

static void nap(unsigned int milliseconds)
{
	usleep(milliseconds * 1000);
}

static struct timespec soon(clockid_t clock, long milliseconds)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += milliseconds * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static pthread_t begin(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	expect(pthread_create(&thread, NULL, function, argument) == 0);
	return thread;
}

static void *end(pthread_t thread)
{
	void *value;

	expect(pthread_join(thread, &value) == 0);
	return value;
}

/* --- locks ------------------------------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *take_mutex(void *argument)
{
	prctl(PR_SET_NAME, "waiter");
	expect(pthread_mutex_lock(&mutex) == 0);
	expect(pthread_mutex_unlock(&mutex) == 0);
	return argument;
}

static void *miss_mutex(void *argument)
{
	struct timespec until = soon(CLOCK_REALTIME, 5), until_too = soon(CLOCK_MONOTONIC, 5);

	expect(pthread_mutex_trylock(&mutex) == EBUSY);
	expect(pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT);
	expect(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until_too) == ETIMEDOUT);
	return argument;
}

static void *read_lock(void *argument)
{
	expect(pthread_rwlock_rdlock(&rwlock) == 0);
	expect(pthread_rwlock_unlock(&rwlock) == 0);
	return argument;
}

static void *write_lock(void *argument)
{
	expect(pthread_rwlock_wrlock(&rwlock) == 0);
	expect(pthread_rwlock_unlock(&rwlock) == 0);
	return argument;
}

static void special_mutexes(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t recursive, checking;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checking, &attr);
	expect(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
	expect(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
	expect(pthread_mutex_unlock(&recursive) == EPERM);
	expect(pthread_mutex_lock(&checking) == 0 && pthread_mutex_lock(&checking) == EDEADLK);
	expect(pthread_mutex_unlock(&checking) == 0 && pthread_mutex_unlock(&checking) == EPERM);
}

static void scene_locks(void)
{
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	thread = begin(take_mutex, NULL);
	nap(20);
	pthread_mutex_unlock(&mutex);
	end(thread);
	pthread_mutex_lock(&mutex);
	end(begin(miss_mutex, NULL));
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	thread = begin(read_lock, NULL);
	nap(20);
	pthread_rwlock_unlock(&rwlock);
	end(thread);
	pthread_rwlock_rdlock(&rwlock);
	thread = begin(write_lock, NULL);
	nap(20);
	pthread_rwlock_unlock(&rwlock);
	end(thread);
	special_mutexes();
}

static void robust_dies(pthread_mutex_t *robust)
{
	pthread_mutex_lock(robust);
}

static void *robust_owner(void *argument)
{
	robust_dies(argument);
	return argument;
}

static void scene_robust(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t robust;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&robust, &attr);
	end(begin(robust_owner, &robust));
	expect(pthread_mutex_lock(&robust) == EOWNERDEAD);
	expect(pthread_mutex_consistent(&robust) == 0);
	expect(pthread_mutex_unlock(&robust) == 0);
	end(begin(robust_owner, &robust));
	expect(pthread_mutex_lock(&robust) == EOWNERDEAD);
	expect(pthread_mutex_unlock(&robust) == 0);
	expect(pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
}

/* Free locks, free semaphores, signals that nobody waits for: nothing of it is worth an event. */
static void scene_free(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	for (int i = 0; i < 100000; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
		pthread_cond_signal(&condition);
		sem_post(&semaphore);
		sem_wait(&semaphore);
	}
}

/* --- conditions, semaphores, barriers ----------------------------------------------------------------------------- */

static sem_t wanted;
static pthread_barrier_t barrier;
static int n_made;

static void *consume(void *argument)
{
	struct timespec until;

	pthread_mutex_lock(&mutex);
	while (n_made == 0)
		expect(pthread_cond_wait(&condition, &mutex) == 0);
	until = soon(CLOCK_REALTIME, 5);
	expect(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
	until = soon(CLOCK_MONOTONIC, 5);
	expect(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	expect(sem_wait(&wanted) == 0);
	until = soon(CLOCK_REALTIME, 5);
	expect(sem_timedwait(&wanted, &until) == -1 && errno == ETIMEDOUT);
	pthread_barrier_wait(&barrier);
	return argument;
}

static void scene_conditions(void)
{
	pthread_t thread;
	int value;

	sem_init(&wanted, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	thread = begin(consume, NULL);
	nap(20);
	pthread_mutex_lock(&mutex);
	n_made = 1;
	expect(pthread_cond_signal(&condition) == 0);
	pthread_mutex_unlock(&mutex);
	nap(50);
	expect(sem_post(&wanted) == 0);
	nap(20);
	value = pthread_barrier_wait(&barrier);
	expect(value == 0 || value == PTHREAD_BARRIER_SERIAL_THREAD);
	end(thread);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static void *exits(void *argument)
{
	pthread_setname_np(pthread_self(), "leaver");
	pthread_exit(argument);
}

static void *returns(void *argument)
{
	return argument;
}

static void *wait_cancelled(void *argument)
{
	pause();
	return argument;
}

static void scene_threads(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	struct timespec until;

	expect(end(begin(exits, &n_failed)) == &n_failed);
	expect(end(begin(returns, &attr)) == &attr);
	thread = begin(wait_cancelled, NULL);
	nap(10);
	pthread_cancel(thread);
	expect(end(thread) == PTHREAD_CANCELED);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	expect(pthread_create(&thread, &attr, returns, &n_made) == 0);
	expect(end(thread) == &n_made);
	pthread_attr_setstacksize(&attr, (size_t)1 << 46);
	expect(pthread_create(&thread, &attr, returns, NULL) == EAGAIN);
	thread = begin(wait_cancelled, NULL);
	until = soon(CLOCK_REALTIME, 5);
	expect(pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
	pthread_cancel(thread);
	end(thread);
}

/* --- cancellation ------------------------------------------------------------------------------------------------- */

static int quiet[2];
static bool had_mutex;

static void *cancelled_read(void *argument)
{
	char byte;

	expect(read(quiet[0], &byte, 1) == 0);
	return argument;
}

static void *cancelled_semaphore(void *argument)
{
	expect(sem_wait(&wanted) == 0);
	return argument;
}

/* The semaphore is free: it is a cancellation point all the same. */
static void *cancelled_free(void *argument)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 1);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	nap(30);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	sem_wait(&semaphore);
	expect(false);
	return argument;
}

static void unlock_mutex(void *argument)
{
	had_mutex = pthread_mutex_trylock(argument) == EBUSY && pthread_mutex_unlock(argument) == 0;
}

static void *cancelled_condition(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock_mutex, &mutex);
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(0);
	return argument;
}

static void *cancelled_sleep(void *argument)
{
	sleep(1000);
	return argument;
}

static void *cancelled_poll(void *argument)
{
	poll(NULL, 0, -1);
	return argument;
}

static void *cancelled_lock(void *argument)
{
	pthread_mutex_lock(&mutex); /* no cancellation point */
	pthread_mutex_unlock(&mutex);
	return argument;
}

static void scene_cancel(void)
{
	static void *(*const functions[])(void *) = { cancelled_read, cancelled_semaphore, cancelled_free,
		cancelled_condition, cancelled_sleep, cancelled_poll };
	pthread_t thread;

	sem_init(&wanted, 0, 0);
	expect(pipe(quiet) == 0);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		thread = begin(functions[i], NULL);
		nap(10);
		expect(pthread_cancel(thread) == 0);
		expect(end(thread) == PTHREAD_CANCELED);
	}
	expect(had_mutex);
	pthread_mutex_lock(&mutex);
	thread = begin(cancelled_lock, NULL);
	nap(10);
	pthread_cancel(thread);
	nap(10);
	pthread_mutex_unlock(&mutex);
	expect(end(thread) == NULL);
}

/* --- signals ------------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t n_plain, n_info, sent_by;
static sigjmp_buf back;

static void plain(int signal)
{
	n_plain += signal == SIGUSR1;
}

static void with_info(int signal, siginfo_t *info, void *context)
{
	n_info += signal == SIGUSR2 && info->si_signo == SIGUSR2 && context;
	sent_by = info->si_pid;
}

static void leave(int signal)
{
	siglongjmp(back, signal);
}

static void in_child_signals(void)
{
	struct sigaction before;

	expect(sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == plain);
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
TEN(HANDLER, 1)
TEN(HANDLER, 2) TEN(HANDLER, 3) TEN(HANDLER, 4)
	TEN(HANDLER, 5) static void (*const many[])(int) = { TEN(HANDLER_NAME, 1) TEN(HANDLER_NAME, 2)
			TEN(HANDLER_NAME, 3) TEN(HANDLER_NAME, 4) TEN(HANDLER_NAME, 5) };

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
	struct sigaction action = { .sa_handler = plain, .sa_flags = (int)SA_RESETHAND }, before;

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
	struct sigaction action = { .sa_handler = plain, .sa_flags = SA_ONSTACK };

	expect(sigaltstack(&own, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
	n_plain = 0;
	raise(SIGUSR1);
	expect(n_plain == 1);
}

static void scene_signals(void)
{
	int status;
	pid_t child;

	expect(signal(SIGUSR1, plain) == SIG_DFL);
	raise(SIGUSR1);
	expect(n_plain == 1);
	child = fork();
	if (child == 0)
		in_child_signals();
	expect(waitpid(child, &status, 0) == child && status == 0);
	query_signals();
	kill(getpid(), SIGUSR2);
	expect(n_info == 1 && sent_by == getpid());
	signal(SIGTERM, leave);
	if (sigsetjmp(back, 1) == 0)
		raise(SIGTERM);
	if (sigsetjmp(back, 1) == 0)
		raise(SIGTERM);
	reset_signals();
	alternate_stack();
	many_handlers();
}

/* --- processes ------------------------------------------------------------------------------------------------------ */

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

/* In the child of vfork: what is told there would be told in the parent's name. */
static __attribute__((noinline)) pid_t vfork_execs(void)
{
	char name[] = "sh", option[] = "-c", command[] = "exit 9";
	char *const arguments[] = { name, option, command, NULL };
	pid_t child = vfork();

	if (child == 0) {
		write(-1, "", 1);
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

static void spawn(void)
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

static void scene_processes(void)
{
	char *const none[] = { NULL };

	expect(status_of(vfork_exits(6)) == 6);
	expect(status_of(vfork_execs()) == 9);
	exec_lists();
	spawn();
	errno = 0;
	expect(execve("/nonexistent", none, none) == -1 && errno == ENOENT);
	expect(WEXITSTATUS(system("exit 8")) == 8);
	expect(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	fflush(NULL);
	exit(n_failed ? 1 : 42);
}

/* --- files ---------------------------------------------------------------------------------------------------------- */

static void *answer(void *argument)
{
	int listener = *(int *)argument, fd = accept(listener, NULL, NULL);
	char bytes[8];

	expect(recv(fd, bytes, sizeof(bytes), 0) == 5);
	expect(send(fd, bytes, 5, 0) == 5);
	close(fd);
	return NULL;
}

static void talk(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char bytes[8];
	pthread_t thread;

	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "rastrum-actor-%d", (int)getpid());
	expect(bind(listener, (const struct sockaddr *)&name, sizeof(name)) == 0 && listen(listener, 1) == 0);
	thread = begin(answer, &listener);
	nap(10);
	expect(connect(fd, (const struct sockaddr *)&name, sizeof(name)) == 0);
	expect(send(fd, "hello", 5, 0) == 5);
	expect(recv(fd, bytes, sizeof(bytes), 0) == 5 && memcmp(bytes, "hello", 5) == 0);
	expect(recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) <= 0);
	end(thread);
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

static void scene_files(void)
{
	char path[] = "/tmp/actor-XXXXXX", bytes[4];
	int fd = mkstemp(path);

	expect(pwrite(fd, "abcd", 4, 0) == 4 && fsync(fd) == 0 && flock(fd, LOCK_EX) == 0);
	expect(pread(fd, bytes, 4, 0) == 4 && memcmp(bytes, "abcd", 4) == 0);
	close(fd);
	unlink(path);
	wait_for_files();
	talk();
}

/* --- errno ----------------------------------------------------------------------------------------------------------- */

static void scene_errno(void)
{
	const struct timespec little = { 0, 1000000 };
	int fds[2];
	char byte;

	expect(pipe(fds) == 0);
	sem_init(&wanted, 0, 1);
	errno = 77;
	expect(write(fds[1], "x", 1) == 1 && errno == 77);
	expect(read(fds[0], &byte, 1) == 1 && errno == 77);
	expect(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0 && errno == 77);
	expect(sem_wait(&wanted) == 0 && errno == 77);
	expect(nanosleep(&little, NULL) == 0 && errno == 77);
	expect(poll(NULL, 0, 1) == 0 && errno == 77);
	expect(signal(SIGUSR1, plain) == SIG_DFL && raise(SIGUSR1) == 0 && errno == 77);
	end(begin(returns, NULL));
	expect(errno == 77);
	expect(read(-1, &byte, 1) == -1 && errno == EBADF);
	expect(sem_trywait(&wanted) == -1 && errno == EAGAIN);
	expect(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
	expect(clock_nanosleep(CLOCK_MONOTONIC, 0, &(const struct timespec){ 0, -1 }, NULL) == EINVAL);
}

/* --- all at once ------------------------------------------------------------------------------------------------------ */

enum { STORM_THREADS = 8, STORM_ROUNDS = 4000 };
static uint64_t n_rounds, n_storm_signals;
static volatile bool is_over;

static void storm_signal(int signal)
{
	int error = errno;

	(void)signal;
	__atomic_fetch_add(&n_storm_signals, 1, __ATOMIC_RELAXED);
	write(-1, "", 1);
	errno = error;
}

static void *storm_thread(void *argument)
{
	for (int i = 0; i < STORM_ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		n_rounds++;
		pthread_mutex_unlock(&mutex);
		if (i % 64 == 0)
			pthread_cond_broadcast(&condition);
		if (i % 128 == 0)
			end(begin(returns, NULL));
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
		if (i % 32 == 0) {
			pthread_rwlock_wrlock(&rwlock);
			pthread_rwlock_unlock(&rwlock);
		}
		if (i % 256 == 0)
			raise(SIGUSR1);
		if (i % 1024 == 0) {
			pid_t child = fork();

			if (child == 0)
				_exit(pthread_mutex_trylock(&mutex) == EINVAL);
			waitpid(child, NULL, 0);
		}
	}
	return argument;
}

static void scene_storm(void)
{
	pthread_t threads[STORM_THREADS];

	signal(SIGUSR1, storm_signal);
	for (int i = 0; i < STORM_THREADS; i++)
		threads[i] = begin(storm_thread, NULL);
	for (int i = 0; i < STORM_THREADS; i++)
		end(threads[i]);
	expect(n_rounds == STORM_THREADS * STORM_ROUNDS);
	expect(n_storm_signals == (uint64_t)STORM_THREADS * ((STORM_ROUNDS + 255) / 256));
}

static const struct scene {
	const char *name;
	void (*play)(void);
} scenes[] = { { "locks", scene_locks }, { "robust", scene_robust }, { "free", scene_free },
	{ "conditions", scene_conditions }, { "threads", scene_threads }, { "cancel", scene_cancel },
	{ "signals", scene_signals }, { "processes", scene_processes }, { "files", scene_files },
	{ "errno", scene_errno }, { "storm", scene_storm } };

int main(int n_arguments, char **arguments)
{
	alarm(60);
	for (size_t i = 0; n_arguments > 1 && i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (strcmp(scenes[i].name, arguments[1]) == 0) {
			scenes[i].play();
			return n_failed ? 1 : 0;
		}
	fprintf(stderr, "actor: scenes are those of the table\n");
	return 2;
}
