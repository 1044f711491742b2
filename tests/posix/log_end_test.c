/* SPDX-License-Identifier: MIT */
/* How logs end: files without room, controllers that end in any way, and what goes on unaffected. */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct shape plain = { .size = 1 << 20, .log_policy = POSIX_TRACE_APPEND };

/* --- no room -------------------------------------------------------------------------------------------- */

/*
 * A file's greatest size holds for the memory of a stream as well: it must have room, and its log must not.
 */
enum { FILE_LIMIT = 3 << 20, N_ROUNDS = 200, N_ROUND = 5000 };

static void limit_files(rlim_t n_bytes)
{
	const struct rlimit limit = { n_bytes, n_bytes };
	struct sigaction action = { .sa_handler = SIG_DFL };

	sigaction(SIGXFSZ, &action, NULL); /* deadly: it must never come */
	setrlimit(RLIMIT_FSIZE, &limit);
}

static int create_without_room(void *unused)
{
	trace_attr_t attr;
	trace_id_t trid;

	(void)unused;
	limit_files(1000);
	shape_attr(&plain, &attr);
	return posix_trace_create(getpid(), &attr, &trid);
}

/* Records and flushes until the log is full; the error in the status. */
static int flush_until_error(trace_id_t trid)
{
	int error = 0;

	for (unsigned int i = 0; i < N_ROUNDS && error == 0; i++) {
		put_numbers(i * N_ROUND, N_ROUND);
		error = stream_flush(trid).posix_stream_flush_error;
	}
	return error;
}

static int log_over_limit(void *fd)
{
	trace_id_t trid;
	int error;

	limit_files(FILE_LIMIT);
	trid = stream_run_log(&plain, *(int *)fd);
	error = flush_until_error(trid);
	if (error != EFBIG && error != ENOSPC)
		return 1;
	if (stream_status(trid).posix_stream_flush_error != 0)
		return 2;
	put_numbers(N_ROUNDS * N_ROUND, N_ROUND);
	error = posix_trace_shutdown(trid);
	if (error != EFBIG && error != ENOSPC)
		return 3;
	return posix_trace_shutdown(trid) == EINVAL ? 0 : 4;
}

/* Complete, though it found no room: a run of the oldest events, STOP, and how many are missing. */
static void check_oldest(int fd, const char *where)
{
	struct posix_trace_status_info status = { 0 };
	struct seen_list list = { 0 };
	unsigned int first;
	trace_id_t trid;
	int error;
	size_t n;

	error = open_log(fd, &trid);
	if (error == 0) {
		status = stream_status(trid);
		list = read_rest(trid);
		posix_trace_close(trid);
	}
	ok(error == 0, "3 shutdown: on %s a log has an end all the same", where);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first == 0 && n > 100 &&
			ends_with_stop(&list, true),
		"12 log: on %s it holds a run of the oldest events, and STOP", where);
	ok(status.posix_lost_np > 0 && status.posix_log_full_status == POSIX_TRACE_FULL &&
			status.posix_log_overrun_status == POSIX_TRACE_OVERRUN &&
			(status.posix_stream_flush_error == EFBIG ||
				status.posix_stream_flush_error == ENOSPC),
		"12 log: on %s its status has losses and error (%zu and %llu)", where, n,
		status.posix_lost_np);
	seen_free(&list);
}

static void test_no_room(void)
{
	int fd = file_without_name(), status = in_child(log_over_limit, &fd);

	ok(WIFEXITED(status), "12 log: no signal comes when the file may grow no more");
	ok(WIFEXITED(status) && WEXITSTATUS(status) != 1,
		"12 flush: an error that comes later is shown by posix_stream_flush_error");
	ok(WIFEXITED(status) && WEXITSTATUS(status) != 2, "7 get_status: it resets the flush error");
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		"3 shutdown: a log that found no room is EFBIG or ENOSPC, and the trid is gone");
	check_oldest(fd, "a file that may grow no more");
	close(fd);
	status = in_child(create_without_room, NULL);
	ok(WIFEXITED(status) && WEXITSTATUS(status) != 0,
		"3 create: where no file may be so large it is an error, and no signal comes");
}

enum { N_DISK = 40000 };

/*
 * Disks that are too small for a log; places of 64 KiB and of one page. All events are in the stream until
 * the end.
 */
static const struct disk {
	const char *size;
	struct shape log;
} disks[] = {
	{ "size=128k", { .size = 4 << 20, .log_policy = POSIX_TRACE_APPEND } },
	{ "size=128k", { .size = 4 << 20, .log_policy = POSIX_TRACE_UNTIL_FULL, .log_size = 16 << 20 } },
	{ "size=128k", { .size = 4 << 20, .log_policy = POSIX_TRACE_LOOP, .log_size = 16 << 20 } },
	{ "size=64k",
		{ .size = 4 << 20, .log_policy = POSIX_TRACE_LOOP, .log_size = 1 << 16, .data_size = 8 } },
};

static bool fill_disk(const struct disk *disk, int fd)
{
	struct shape shape = disk->log;
	trace_id_t trid;

	shape.policy = POSIX_TRACE_UNTIL_FULL;
	trid = stream_run_log(&shape, fd);
	put_numbers(0, N_DISK);
	return posix_trace_shutdown(trid) == ENOSPC;
}

static void check_newest(int fd)
{
	struct seen_list list = read_log(fd);
	unsigned int first;
	bool is_newest;
	size_t n;

	ok(list.n > 0, "3 shutdown: on a full disk a LOOP log has an end all the same");
	is_newest = is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && n > 500 && first > 0 &&
		    first + n == N_DISK && ends_with_stop(&list, false);
	ok(is_newest, "12 log LOOP: on a full disk it holds a run of the newest events (%zu), and STOP", n);
	seen_free(&list);
}

static void end_on_disk(const struct disk *disk, const char *folder)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/log", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ok(fill_disk(disk, fd), "3 shutdown: a full disk is ENOSPC");
	if (disk->log.log_policy == POSIX_TRACE_LOOP)
		check_newest(fd);
	else
		check_oldest(fd, "a full disk");
	close(fd);
}

/* In a name space of its own, so that nothing stays mounted. */
static void test_full_disk(void)
{
	bool may_mount = unshare(CLONE_NEWNS) == 0 && mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
	char folder[] = "/tmp/posix-disk-XXXXXX";

	if (!mkdtemp(folder))
		must(errno, "make a folder");
	for (size_t i = 0; i < sizeof(disks) / sizeof(disks[0]); i++) {
		if (!may_mount || mount("none", folder, "tmpfs", 0, disks[i].size) != 0) {
			skip("3 shutdown: a full disk is ENOSPC", "no file system may be mounted here");
			continue;
		}
		end_on_disk(&disks[i], folder);
		umount2(folder, MNT_DETACH);
	}
	rmdir(folder);
}

/* --- how a controller may end --------------------------------------------------------------------------- */

enum { N_LAST = 5000 };
static int log_fd;

static void run_last(void)
{
	stream_run_log(&plain, log_fd);
	put_numbers(0, N_LAST);
}

static int end_by_exit(void *unused)
{
	(void)unused;
	run_last();
	exit(0);
}

static int end_by_quick_exit(void *unused)
{
	(void)unused;
	run_last();
	_exit(0);
}

static int end_by_kill(void *unused)
{
	(void)unused;
	run_last();
	return kill(getpid(), SIGKILL);
}

static int end_by_abort(void *unused)
{
	struct rlimit none = { 0, 0 };

	(void)unused;
	setrlimit(RLIMIT_CORE, &none);
	run_last();
	abort();
}

static int end_by_exec(void *unused)
{
	(void)unused;
	run_last();
	execl("/bin/true", "true", (char *)NULL);
	return 1;
}

static int end_with_group(void *unused)
{
	(void)unused;
	setpgid(0, 0);
	run_last();
	return kill(0, SIGKILL);
}

static const struct ending {
	const char *name;
	int (*run)(void *);
} endings[] = {
	{ "exit()", end_by_exit },
	{ "_exit()", end_by_quick_exit },
	{ "SIGKILL", end_by_kill },
	{ "abort()", end_by_abort },
	{ "exec", end_by_exec },
	{ "SIGKILL to its process group", end_with_group },
};

static void check_last(const char *name)
{
	struct seen_list list = read_log(log_fd);
	unsigned int first;
	size_t n;

	ok(list.n > 0, "17 log: a controller that ends by %s leaves a complete log", name);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && n == N_LAST &&
			ends_with_stop(&list, 0),
		"6.3 log: all events before %s are in it, and STOP", name);
	seen_free(&list);
}

static void test_ending(const struct ending *ending)
{
	log_fd = file_without_name();
	in_child(ending->run, NULL);
	check_last(ending->name);
	close(log_fd);
}

/* The new program runs on while its log is finished. */
static void test_exec_alive(void)
{
	pid_t pid;

	log_fd = file_without_name();
	pid = fork();
	if (pid == 0) {
		run_last();
		execl("/bin/sleep", "sleep", "30", (char *)NULL);
		_exit(1);
	}
	check_last("exec of a program that lives on");
	ok(waitpid(pid, NULL, WNOHANG) == 0,
		"16.25 exec: a controller's streams are shut down, the new program runs");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(log_fd);
}
/* --- the consumer is not seen --------------------------------------------------------------------------- */

static int look_for_children(void *unused)
{
	int fds[2], fd = file_without_name(), status;
	trace_id_t trid;
	char byte;

	(void)unused;
	if (pipe(fds) != 0)
		return 1;
	trid = stream_run_log(&plain, fd);
	if (waitpid(-1, &status, WNOHANG) != -1 || errno != ECHILD)
		return 2;
	close(fds[1]);
	if (read(fds[0], &byte, 1) != 0) /* hangs if another process holds the other end */
		return 3;
	if (posix_trace_shutdown(trid) != 0)
		return 4;
	return waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD ? 0 : 5;
}

static void test_consumer_hidden(void)
{
	int code = WEXITSTATUS(in_child(look_for_children, NULL));

	ok(code != 2 && code != 5, "15 log: no child that waitpid() could see belongs to a log");
	is_number((unsigned)code, 0, "15 log: no process keeps the descriptors of the process that made it");
}
int main(void)
{
	fixture_begin();
	test_no_room();
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		test_ending(&endings[i]);
	test_exec_alive();
	test_consumer_hidden();
	test_full_disk(); /* last: it leaves the name space of file systems */
	return tap_done();
}
