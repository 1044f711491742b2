/* SPDX-License-Identifier: MIT */
#include "record/consumer/consumer_test.h"
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

static volatile sig_atomic_t n_sigchld;

static void count_sigchld(int number)
{
	(void)number;
	n_sigchld++;
}

/* A program that stands for the consumer. */
static void write_script(char *path, const char *text)
{
	int fd;

	strcpy(path, "/tmp/consumer_fake.XXXXXX");
	fd = mkstemp(path);
	if (fd >= 0) {
		dprintf(fd, "#!/bin/sh\n%s\n", text);
		fchmod(fd, 0700);
		close(fd);
	}
	traced_set_consumer(path);
}

static void test_not_there(struct traced *traced)
{
	char path[64];

	traced_set_consumer("/nowhere/posix-trace-consumer");
	ok(traced_launch(traced) == ENOENT, "a consumer that is not installed is ENOENT");
	ok(waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD, "a launch that fails leaves no child");
	write_script(path, "exit 3");
	ok(traced_launch(traced) == EAGAIN, "a consumer that dies at once is EAGAIN, and not waited for");
	ok(kill((pid_t)traced->ctl->consumer.pid, 0) < 0 || !waitpid(-1, NULL, WNOHANG | __WALL) ||
			errno == ECHILD,
		"it is no child either");
	unlink(path);
}

/* How many descriptors a process has, and the largest. */
static unsigned int count_descriptors(uint32_t pid, int *ret_largest)
{
	unsigned int n = 0;
	char path[64];
	DIR *folder;

	*ret_largest = -1;
	snprintf(path, sizeof path, "/proc/%u/fd", pid);
	folder = opendir(path);
	for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
		if (entry->d_name[0] == '.')
			continue;
		n++;
		if (atoi(entry->d_name) > *ret_largest)
			*ret_largest = atoi(entry->d_name);
	}
	if (folder)
		closedir(folder);
	return n;
}

static bool is_same_file(uint32_t pid, int its_fd, int fd)
{
	struct stat its, ours;
	char path[64];

	snprintf(path, sizeof path, "/proc/%u/fd/%d", pid, its_fd);
	return stat(path, &its) == 0 && fstat(fd, &ours) == 0 && its.st_ino == ours.st_ino &&
	       its.st_dev == ours.st_dev;
}

static void test_process(struct traced *traced)
{
	struct stream_ctl *ctl = traced->ctl;
	sigset_t before, after;
	uint32_t pid, n_same = 0;
	int largest, extra = open("/dev/null", O_RDONLY);

	signal(SIGCHLD, count_sigchld);
	sigemptyset(&before);
	sigaddset(&before, SIGUSR2);
	sigprocmask(SIG_SETMASK, &before, NULL);
	traced_set_consumer(NULL);
	errno = 12345;
	ok(traced_launch(traced) == 0, "a launch succeeds");
	ok(errno == 12345, "a launch keeps errno");
	sigprocmask(SIG_SETMASK, NULL, &after);
	ok(sigismember(&after, SIGUSR2) == 1 && sigismember(&after, SIGTERM) == 0,
		"the signal mask is as before");
	pid = ctl->consumer.pid;
	ok(waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD && n_sigchld == 0,
		"the program has no child, and got no SIGCHLD");
	ok(getsid((pid_t)pid) == (pid_t)pid, "the consumer has a session of its own");
	ok(count_descriptors(pid, &largest) == 9 && largest == 8,
		"it has the standard descriptors, its four, and two that watch the controller");
	for (int i = 0; i < CONSUMER_N_FDS; i++)
		n_same += is_same_file(pid, CONSUMER_FD_FIRST + i, traced->descriptors[i]);
	is_number(n_same, CONSUMER_N_FDS, "pool, names, log and control block are 3, 4, 5 and 6");
	close(extra);
	ok(consumer_shutdown(traced->ctl) == 0, "it ends on request");
	sleep_ms(20);
	ok(kill((pid_t)pid, 0) < 0 || n_sigchld == 0, "its end sends the program no signal");
}

/* The descriptors are those numbers where they shall be, in another order. */
static void test_overlap(void)
{
	static const int order[CONSUMER_N_FDS] = { 4, 5, 6, 3 };
	const trace_attr_t attr = traced_attr(POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0);
	int high[CONSUMER_N_FDS];
	struct traced traced;
	struct found *found;
	uint32_t first;
	bool is_run;

	traced_make(&traced, &attr);
	for (int i = 0; i < CONSUMER_N_FDS; i++)
		high[i] = fcntl(traced.descriptors[i], F_DUPFD, 20);
	for (int i = 0; i < CONSUMER_N_FDS; i++)
		dup2(high[i], order[i]);
	traced_set_consumer(NULL);
	is_number((unsigned int)consumer_launch(traced.ctl, order), 0,
		"descriptors that overlap are put in order");
	traced_put(&traced);
	consumer_shutdown(traced.ctl);
	found = log_find(traced.path);
	ok(found->is_complete && found_run(found, &first, &is_run) == 1, "and the log is written");
	free(found);
	unlink(traced.path);
}

static void test_killed(struct traced *traced)
{
	struct stream_ctl *ctl = traced->ctl;

	traced_set_consumer(NULL);
	ok(traced_launch(traced) == 0, "a consumer is launched");
	kill((pid_t)ctl->consumer.pid, SIGTERM);
	sleep_ms(50);
	ok(consumer_flush(traced->ctl) == 0, "a consumer does not end by SIGTERM");
	kill((pid_t)ctl->consumer.pid, SIGKILL);
	ok(consumer_shutdown(traced->ctl) == ESRCH, "a consumer that was killed is not waited for");
	ok(consumer_clear(traced->ctl) == ESRCH && consumer_flush(traced->ctl) == ESRCH,
		"nor given a request");
}

static void with_stream(void (*test)(struct traced *))
{
	const trace_attr_t attr = traced_attr(POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, 65536, 0);
	struct traced traced;

	if (ok(traced_make(&traced, &attr), "a stream is made"))
		test(&traced);
	traced_free(&traced);
}

int main(int n_arguments, char **arguments)
{
	(void)n_arguments;
	if (traced_is_consumer(arguments)) {
		signal(SIGTERM, SIG_IGN);
		return consumer_run();
	}
	with_stream(test_not_there);
	with_stream(test_process);
	with_stream(test_killed);
	test_overlap();
	return tap_done();
}
