/* SPDX-License-Identifier: MIT */
/*
 * `make soak`, streams of other processes: the target, and then the controller, of a stream with log is
 * killed at a random instant, many times: while the target execs, while the stream is made, while it runs.
 * Each log must open, be in order, report every gap, and hold all that was committed. In the end no consumer
 * is left, nor a file of the killed ones. Arguments: times (1000), seed (1).
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIDS_MAX = 1 << 22, PROGRESS_FD = 100 };

/* The reports of target and controller until they are killed. */
struct progress {
	_Atomic bool has_stream; /* it is made, and its log begun */
	_Atomic bool is_running;
	_Atomic trace_event_id_t type;
	_Atomic unsigned int n_written; /* by the target, from 0 on, whether a stream traces or not */
	_Atomic unsigned int n_started; /* written when the stream was started */
	_Atomic unsigned int n_flushed; /* written before the last flush that was completed */
	_Atomic bool is_over;		/* the target ends by itself */
	_Atomic int error;		/* of the controller */
};

static struct progress *progress;
static int progress_fd;
static uint64_t random_state;
static unsigned char is_ours[PIDS_MAX];
static time_t begun;
static char folder[] = "/tmp/posix-soak-XXXXXX";

static unsigned int random_below(unsigned int n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(random_state >> 33) % n;
}

/* --- the target ----------------------------------------------------------------------------------------- */

static int act_write(void)
{
	struct progress *mine = mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE, MAP_SHARED, PROGRESS_FD, 0);
	trace_event_id_t type = type_open("written");

	if (mine == MAP_FAILED)
		return 1;
	alarm(60);
	for (unsigned int i = 0; !mine->is_over; i++) {
		put_number(type, i);
		mine->n_written = i + 1;
		if (i % 64 == 63)
			usleep(50);
	}
	return 0;
}

static pid_t child_begin(void)
{
	pid_t pid = fork();

	if (pid < 0)
		must(errno, "fork");
	is_ours[pid ? pid % PIDS_MAX : 0] = 1;
	return pid;
}

static pid_t target_begin(void)
{
	pid_t pid = child_begin();

	if (pid != 0)
		return pid;
	dup2(progress_fd, PROGRESS_FD);
	execl("/proc/self/exe", "soak_process", "write", (char *)NULL);
	_exit(1);
}

/* --- the controller ------------------------------------------------------------------------------------- */

static int stream_begin(pid_t pid, const struct shape *shape, int fd, trace_id_t *ret_trid)
{
	trace_event_id_t type;
	trace_attr_t attr;
	int error;

	shape_attr(shape, &attr);
	error = posix_trace_create_withlog(pid, &attr, fd, ret_trid);
	if (error != 0) {
		printf("# a stream is not made: %s\n", strerror(error));
		return error;
	}
	progress->has_stream = true;
	must(posix_trace_trid_eventid_open(*ret_trid, "written", &type), "open a type");
	progress->type = type;
	must(posix_trace_start(*ret_trid), "start");
	progress->n_started = progress->n_written;
	progress->is_running = true;
	return 0;
}

static void log_flush(trace_id_t trid)
{
	unsigned int n = progress->n_written;

	must(posix_trace_flush(trid), "flush");
	while (stream_status(trid).posix_stream_flush_status == POSIX_TRACE_FLUSHING)
		usleep(100);
	progress->n_flushed = n;
}

static struct shape random_shape(void)
{
	static const int policies[] = { POSIX_TRACE_FLUSH, POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL };

	return (struct shape){
		.size = 65536u << random_below(5),
		.data_size = 64,
		.policy = policies[random_below(3)],
		.log_policy = POSIX_TRACE_APPEND,
		.inheritance = random_below(2) ? POSIX_TRACE_INHERITED : POSIX_TRACE_CLOSE_FOR_CHILD,
	};
}

static unsigned int random_delay(void)
{
	return random_below(6) == 0 ? random_below(300) : random_below(12000);
}

/* --- the log -------------------------------------------------------------------------------------------- */

static struct verdict {
	unsigned int n_unmade, n_unopened, n_backwards, n_gaps, n_unflushed, n_uncommitted, n_strangers;
	unsigned long long n_events, n_losses;
} verdict;

/* Events from before the start of the stream need not be there. */
static bool is_missing(unsigned int next, unsigned int n_due)
{
	return progress->is_running && n_due > progress->n_started && next < n_due;
}

/* n_committed: written when the process was killed. */
static void judge_events(const struct seen_list *list, unsigned int n_committed)
{
	unsigned int next = 0, n_losses = 0, n_all = 0;
	bool is_first = true, is_unflushed, is_uncommitted;

	for (size_t i = 0; i < list->n; i++) {
		trace_event_id_t type = list->event[i].info.posix_event_id;
		unsigned int number = number_of(&list->event[i]);

		if (type == POSIX_TRACE_OVERFLOW || (type == POSIX_TRACE_STOP && number != 0)) {
			n_losses++;
			n_all++;
		}
		if (type != progress->type)
			continue;
		verdict.n_gaps += number != next && !is_first && n_losses == 0;
		verdict.n_uncommitted += is_first && number > progress->n_started && n_losses == 0;
		next = number + 1;
		n_losses = 0;
		is_first = false;
	}
	verdict.n_losses += n_all;
	is_unflushed = n_losses == 0 && is_missing(next, progress->n_flushed);
	is_uncommitted = n_all == 0 && is_missing(next, n_committed);
	verdict.n_unflushed += is_unflushed;
	verdict.n_uncommitted += is_uncommitted;
	verdict.n_strangers += next > progress->n_written + 1;
	if (is_unflushed || is_uncommitted)
		printf("# %zu events end before %u, started %u, flushed %u, committed %u, written %u\n",
			list->n, next, progress->n_started, progress->n_flushed, n_committed,
			progress->n_written);
}

static void log_judge(int fd, unsigned int n_committed)
{
	struct seen_list list;
	trace_id_t trid;

	if (!progress->has_stream)
		return;
	list = read_log(fd);
	if (list.n == 0 && posix_trace_open(fd, &trid) != 0)
		verdict.n_unopened++;
	else if (list.n == 0)
		posix_trace_close(trid);
	verdict.n_events += list.n;
	verdict.n_backwards += !is_ordered(&list);
	judge_events(&list, n_committed);
	seen_free(&list);
}

/* --- kill after kill ------------------------------------------------------------------------------------ */

static void target_kill_one(void)
{
	const struct shape shape = random_shape();
	int fd = file_without_name(), error;
	unsigned int n_flushes = random_below(3);
	pid_t pid = target_begin();
	trace_id_t trid;

	usleep(random_below(2) ? 0 : random_below(2000));
	error = stream_begin(pid, &shape, fd, &trid);
	verdict.n_unmade += error != 0;
	usleep(random_delay());
	for (; error == 0 && n_flushes > 0; n_flushes--)
		log_flush(trid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (error == 0)
		must(posix_trace_shutdown(trid), "shut down the stream of a target that was killed");
	log_judge(fd, progress->n_written);
	close(fd);
}

static _Noreturn void control(pid_t target, const struct shape *shape, int fd)
{
	trace_id_t trid;
	int error;

	alarm(60);
	error = stream_begin(target, shape, fd, &trid);
	progress->error = error;
	for (bool flushes = error == 0 && random_below(2); flushes; usleep(500))
		log_flush(trid);
	for (;;)
		pause();
}

static void controller_kill_one(void)
{
	const struct shape shape = random_shape();
	int fd = file_without_name();
	pid_t target = target_begin(), controller;
	unsigned int n_committed;

	usleep(random_below(2) ? 0 : random_below(2000));
	controller = child_begin();
	if (controller == 0)
		control(target, &shape, fd);
	if (random_below(4) != 0)
		while (!progress->is_running && !progress->error)
			usleep(100);
	usleep(random_delay());
	n_committed = progress->n_written;
	kill(controller, SIGKILL);
	waitpid(controller, NULL, 0);
	verdict.n_unmade += progress->error != 0;
	log_judge(fd, n_committed);
	progress->is_over = true;
	waitpid(target, NULL, 0);
	close(fd);
}

static void test_kills(const char *what, void (*kill_one)(void), unsigned int n_times)
{
	verdict = (struct verdict){ 0 };
	for (unsigned int i = 0; i < n_times; i++) {
		alarm(120);
		memset(progress, 0, sizeof(*progress));
		kill_one();
	}
	printf("# %u kills of the %s, %llu events read, %llu losses reported\n", n_times, what,
		verdict.n_events, verdict.n_losses);
	is_number(verdict.n_unmade, 0, "soak: streams of processes about to exec are made");
	is_number(verdict.n_unopened, 0, "soak: every log opens");
	is_number(verdict.n_backwards, 0, "soak: every one is in the order of time");
	is_number(verdict.n_gaps, 0, "soak: every gap is reported as a loss");
	is_number(verdict.n_unflushed, 0, "soak: all events of before the last completed flush are there");
	is_number(verdict.n_uncommitted, 0, "soak: without a loss, all that was committed is there");
	is_number(verdict.n_strangers, 0, "soak: there are no events that no program recorded");
}

/* --- what is left --------------------------------------------------------------------------------------- */

/* A file of a process of ours that is no more, not of one that had its number before. */
static bool is_left(int directory, const char *name)
{
	unsigned long space, pid;
	struct stat metadata;
	char kind;

	return sscanf(name, "%c-%lu-%lu-", &kind, &space, &pid) == 3 && is_ours[pid % PIDS_MAX] &&
	       kill((pid_t)pid, 0) < 0 && errno == ESRCH && fstatat(directory, name, &metadata, 0) == 0 &&
	       metadata.st_ctim.tv_sec >= begun;
}

static unsigned int count_files(void)
{
	unsigned int n = 0;
	char path[64];
	DIR *directory;

	snprintf(path, sizeof(path), "/dev/shm/posix-trace-%u", (unsigned int)getuid());
	directory = opendir(path);
	for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
		if (!is_left(dirfd(directory), entry->d_name))
			continue;
		printf("# %s\n", entry->d_name);
		n++;
	}
	if (directory)
		closedir(directory);
	return n;
}

/* Consumers have their log as descriptor 5; ours are in our folder. */
static unsigned int count_consumers(void)
{
	DIR *directory = opendir("/proc");
	unsigned int n = 0;

	for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
		char path[300], log[256] = "";

		snprintf(path, sizeof(path), "/proc/%s/fd/5", entry->d_name);
		if (readlink(path, log, sizeof(log) - 1) > 0 && strncmp(log, folder, strlen(folder)) == 0)
			n++;
	}
	if (directory)
		closedir(directory);
	return n;
}

static bool no_consumer(void *unused)
{
	(void)unused;
	return count_consumers() == 0;
}

/* Making a stream of another process sweeps. */
static void test_left(void)
{
	pid_t pid = child_begin();
	trace_id_t trid;

	if (pid == 0)
		for (;;)
			pause();
	must(posix_trace_create(pid, NULL, &trid), "create");
	ok(comes_true(no_consumer, NULL), "soak: no consumer is left");
	must(posix_trace_shutdown(trid), "shutdown");
	must(posix_trace_create(pid, NULL, &trid), "create");
	is_number(count_files(), 0, "soak: the next sweep leaves no file of the dead");
	must(posix_trace_shutdown(trid), "shutdown");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	unsigned int n_times = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 1000;

	if (argc > 1 && strcmp(argv[1], "write") == 0)
		return act_write();
	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	fixture_begin();
	begun = time(NULL);
	if (!mkdtemp(folder) || setenv("TMPDIR", folder, 1) != 0)
		must(errno, "make a folder");
	progress_fd = memfd_create("progress", MFD_CLOEXEC);
	must(posix_fallocate(progress_fd, 0, sizeof(*progress)), "get memory");
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED, progress_fd, 0);
	test_kills("target", target_kill_one, n_times);
	test_kills("controller", controller_kill_one, n_times);
	test_left();
	rmdir(folder);
	return tap_done();
}
