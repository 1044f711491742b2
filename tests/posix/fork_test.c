/* SPDX-License-Identifier: MIT */
/* Children: which are traced into which stream, which may control it, and what names they share. */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct shape closed = { .size = 65536 };
static const struct shape inherited = { .size = 65536, .inheritance = POSIX_TRACE_INHERITED };

/* --- tracing -------------------------------------------------------------------------------------------- */

static int put_one(void *number)
{
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, *(unsigned int *)number);
	return 0;
}

static int put_in_grandchild(void *number)
{
	put_one(number);
	return in_child(put_one, number);
}

static void test_closed(void)
{
	trace_id_t trid = stream_run(&closed);
	unsigned int number = 1;
	struct seen event = { 0 };

	in_child(put_one, &number);
	ok(!read_one(trid, &event), "13 fork: by default a child is not traced");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 2);
	ok(read_one(trid, &event) && number_of(&event) == 2, "13 fork: its parent still is");
	posix_trace_shutdown(trid);
}

static int put_identity(void *ret_pid)
{
	*(pid_t *)ret_pid = getpid();
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 7);
	return 0;
}

static void test_inherited(void)
{
	trace_id_t trid = stream_run(&inherited), other = stream_run(&closed);
	pid_t *pid = memory_shared(sizeof(*pid));
	unsigned int number = 5;
	struct seen_list list;
	struct seen event = { 0 };

	in_child(put_identity, pid);
	ok(read_one(trid, &event) && number_of(&event) == 7, "13 fork: with INHERITED a child is traced");
	ok(event.info.posix_pid == *pid && event.info.posix_tid_np == *pid && *pid != getpid(),
		"13 fork: its events have its process and thread");
	ok(!read_one(other, &event), "13 fork: into inherited streams, and no other");
	in_child(put_in_grandchild, &number);
	list = read_all(trid);
	ok(list.n == 2 && list.event[0].info.posix_pid != list.event[1].info.posix_pid,
		"13 fork: grandchildren are traced, too");
	ok(is_ordered(&list), "14 fork: events of several processes come in the order of time");
	seen_free(&list);
	posix_trace_shutdown(trid);
	posix_trace_shutdown(other);
}

static void test_raw_fork(void)
{
	trace_id_t trid = stream_run(&inherited);
	struct seen event = { 0 };
	pid_t pid;

	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	read_one(trid, &event);
	pid = (pid_t)syscall(SYS_fork);
	if (pid == 0) {
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, 2);
		syscall(SYS_exit_group, 0);
	}
	waitpid(pid, NULL, 0);
	ok(read_one(trid, &event) && number_of(&event) == 2 && event.info.posix_pid == pid &&
			event.info.posix_tid_np == pid,
		"15 fork: a child made by the system call itself is noticed");
	posix_trace_shutdown(trid);
}

static _Atomic bool is_over;

static void *put_all_the_while(void *unused)
{
	while (!is_over)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	return unused;
}

/* The other threads are gone in the child, in whatever they were doing. */
static void test_fork_of_threads(void)
{
	const struct shape shape = { .size = 8192, .inheritance = POSIX_TRACE_INHERITED };
	trace_id_t trid = stream_run(&shape);
	pthread_t thread[3];
	bool is_good = true;
	struct seen event;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, put_all_the_while, NULL);
	for (unsigned int round = 0; round < 40; round++)
		is_good &= in_child(put_one, &round) == 0;
	is_over = true;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	ok(is_good, "10 event: the child of a process with many threads may record at once");
	must(posix_trace_clear(trid), "clear");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 99);
	ok(read_one(trid, &event) && number_of(&event) == 99,
		"13 fork: children that ended anywhere stall no process");
	posix_trace_shutdown(trid);
}

static _Noreturn void record_until_killed(void)
{
	for (;;)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, 3);
}

static void test_killed_child(void)
{
	const struct shape shape = { .size = 8192, .inheritance = POSIX_TRACE_INHERITED };
	trace_id_t trid = stream_run(&shape);
	trace_event_id_t mine = type_open("fork: of the parent");
	bool is_good = true;

	for (unsigned int round = 0; round < 60; round++) {
		pid_t pid = fork();
		struct seen_list list;
		size_t at;

		if (pid == 0)
			record_until_killed();
		usleep(500 + 211 * (round % 9));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		put_number(mine, round);
		list = read_all(trid);
		at = find_type(&list, mine, 0);
		is_good &= at < list.n && number_of(&list.event[at]) == round;
		seen_free(&list);
	}
	ok(is_good, "15 fork: a child that is killed inside an event stalls neither reader nor recorder");
	posix_trace_shutdown(trid);
}

/* --- many children -------------------------------------------------------------------------------------- */

enum { N_CHILDREN = 8, N_EACH = 2000 };

static int put_each(void *type)
{
	for (unsigned int i = 0; i < N_EACH; i++)
		put_number(*(trace_event_id_t *)type, i);
	return 0;
}

static void test_many_children(void)
{
	const struct shape shape = {
		.size = 4 << 20, .policy = POSIX_TRACE_UNTIL_FULL, .inheritance = POSIX_TRACE_INHERITED
	};
	trace_id_t trid = stream_run(&shape);
	trace_event_id_t type[N_CHILDREN];
	struct seen_list list;
	bool is_whole = true, is_own = true;

	for (int i = 0; i < N_CHILDREN; i++) {
		char name[32];

		snprintf(name, sizeof(name), "fork: child %d", i);
		type[i] = type_open(name);
		if (fork() == 0)
			_exit(put_each(&type[i]));
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	list = read_all(trid);
	for (int i = 0; i < N_CHILDREN; i++) {
		unsigned int first;
		size_t n, at = find_type(&list, type[i], 0);
		pid_t pid = at < list.n ? list.event[at].info.posix_pid : 0;

		is_whole &= is_run(&list, type[i], &first, &n) && n == N_EACH && first == 0;
		for (; at < list.n; at = find_type(&list, type[i], at + 1))
			is_own &= list.event[at].info.posix_pid == pid;
	}
	ok(is_whole, "13 fork: of many children at once each event is there, each child's in order");
	ok(is_own && is_ordered(&list), "13 fork: each has its own process, all in the order of time");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

/* --- control -------------------------------------------------------------------------------------------- */

static int refuse_all(void *argument)
{
	trace_id_t trid = *(trace_id_t *)argument;
	struct posix_trace_status_info status;
	struct posix_trace_event_info info;
	struct timespec past = { 0, 0 };
	trace_event_set_t set;
	trace_event_id_t id;
	trace_attr_t attr;
	char name[TRACE_EVENT_NAME_MAX + 1];
	size_t n;
	int flag, n_bad = 0;

	posix_trace_eventset_empty(&set);
	const int got[] = { posix_trace_clear(trid), posix_trace_flush(trid),
		posix_trace_get_attr(trid, &attr), posix_trace_get_status(trid, &status),
		posix_trace_get_filter(trid, &set),
		posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET),
		posix_trace_trid_eventid_open(trid, "x", &id),
		posix_trace_eventid_get_name(trid, POSIX_TRACE_START, name),
		posix_trace_eventtypelist_getnext_id(trid, &id, &flag),
		posix_trace_eventtypelist_rewind(trid),
		posix_trace_getnext_event(trid, &info, name, 8, &n, &flag),
		posix_trace_timedgetnext_event(trid, &info, name, 8, &n, &flag, &past),
		posix_trace_trygetnext_event(trid, &info, name, 8, &n, &flag), posix_trace_start(trid),
		posix_trace_stop(trid), posix_trace_shutdown(trid), posix_trace_close(trid),
		posix_trace_rewind(trid), posix_trace_getfd_np(trid, &flag), posix_trace_snapshot_np(trid, 1),
		posix_trace_getevents_np(trid, name, sizeof(name), &n) };
	for (size_t i = 0; i < sizeof(got) / sizeof(got[0]); i++)
		n_bad += got[i] != EINVAL;
	return n_bad;
}

static void test_control(void)
{
	trace_id_t trid = stream_run(&inherited), other = stream_run(&closed), opened;
	int fd = file_without_name();
	trace_id_t log = stream_run_log(&closed, fd);
	struct seen event = { 0 };

	is_number((unsigned)in_child(refuse_all, &other), 0,
		"17 fork: a trid does not work in a child, whatever the call");
	is_number((unsigned)in_child(refuse_all, &trid), 0,
		"16.26 fork: nor does that of an inherited stream, which traces the child");
	is_number((unsigned)in_child(refuse_all, &log), 0, "13 fork: nor does that of a stream with log");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 3);
	ok(read_one(trid, &event) && number_of(&event) == 3 && read_one(other, &event) &&
			number_of(&event) == 3,
		"13 fork: what the child tried has done nothing to the streams");
	must(posix_trace_shutdown(log), "shut down");
	must(posix_trace_open(fd, &opened), "open a log");
	is_number((unsigned)in_child(refuse_all, &opened), 0, "1 fork: nor does that of an opened log");
	posix_trace_close(opened);
	posix_trace_shutdown(trid);
	posix_trace_shutdown(other);
	close(fd);
}

static int trace_itself(void *parents)
{
	trace_id_t trid = stream_run(&closed);
	struct seen event = { 0 };

	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 12);
	if (!read_one(trid, &event) || number_of(&event) != 12 || event.info.posix_pid != getpid())
		return 1;
	if (trid != *(trace_id_t *)parents && refuse_all(parents) != 0)
		return 2;
	return posix_trace_shutdown(trid);
}

static void test_child_controls(void)
{
	trace_id_t trid = stream_run(&closed);
	struct seen event;

	is_number((unsigned)in_child(trace_itself, &trid), 0, "13 fork: a child may make streams of its own");
	ok(!read_one(trid, &event), "13 fork: they do not touch its parent's");
	posix_trace_shutdown(trid);
	trid = stream_run(&inherited);
	is_number((unsigned)in_child(trace_itself, &trid), 0,
		"13 fork: a traced child may make streams of its own");
	ok(read_one(trid, &event) && number_of(&event) == 12, "13 fork: and is traced by its parent as well");
	posix_trace_shutdown(trid);
}

static int exit_with_streams(void *unused)
{
	stream_run(&closed);
	(void)unused;
	return 0;
}

static int wait_and_put(void *pipe_end)
{
	char byte;

	for (unsigned int i = 0; i < 1000; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
	if (read(*(int *)pipe_end, &byte, 1) != 0)
		return 1;
	for (unsigned int i = 0; i < 100000; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
	return 0;
}

static void test_shutdown_while_traced(void)
{
	trace_id_t trid = stream_run(&inherited);
	int fds[2], status = -1;
	pid_t pid;

	is_number((unsigned)in_child(exit_with_streams, NULL), 0,
		"13 exit: a process that ends with streams ends well");
	if (pipe(fds) != 0)
		must(errno, "make a pipe");
	pid = fork();
	if (pid == 0) {
		close(fds[1]);
		_exit(wait_and_put(&fds[0]));
	}
	is_number((unsigned)posix_trace_shutdown(trid), 0, "13 shutdown: while a child is traced");
	close(fds[0]);
	close(fds[1]);
	waitpid(pid, &status, 0);
	is_number((unsigned)status, 0, "13 shutdown: the child runs on, untraced");
}

/* The controller ends first; its child, traced into its log, goes on and then ends as it pleases. */
static int control_and_leave(void *argument)
{
	int *fd = argument, fds[2];
	const struct shape shape = {
		.size = 1 << 20, .log_policy = POSIX_TRACE_APPEND, .inheritance = POSIX_TRACE_INHERITED
	};

	if (pipe(fds) != 0)
		return 1;
	stream_run_log(&shape, fd[0]);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1234);
	if (fork() == 0) {
		int code;

		close(fds[1]);
		code = wait_and_put(&fds[0]);
		if (write(fd[1], &code, sizeof(code)) != (ssize_t)sizeof(code))
			_exit(1);
		_exit(0);
	}
	return 0;
}

static void test_controller_leaves(void)
{
	int fds[2], code = -1, argument[2] = { file_without_name(), -1 };
	struct seen_list list;

	if (pipe(fds) != 0)
		must(errno, "make a pipe");
	argument[1] = fds[1];
	in_child(control_and_leave, argument);
	close(fds[1]);
	ok(read(fds[0], &code, sizeof(code)) == (ssize_t)sizeof(code) && code == 0,
		"13 exit: when the controller ends, the processes that it traced run on");
	list = read_log(argument[0]);
	ok(list.n > 0 && number_of(&list.event[0]) == 1234, "13 exit: and its log is complete");
	seen_free(&list);
	close(fds[0]);
	close(argument[0]);
}

/* --- control events, filters, names --------------------------------------------------------------------- */

static int child_hold(void *pipe_end)
{
	char byte;

	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	return read(*(int *)pipe_end, &byte, 1) == 0 ? 0 : 1;
}

static void test_one_event_per_stream(void)
{
	trace_id_t trid = stream_make(&inherited);
	trace_event_set_t set;
	struct seen_list list;
	int fds[2];
	pid_t pid[3];

	if (pipe(fds) != 0)
		must(errno, "make a pipe");
	for (int i = 0; i < 3; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			close(fds[1]);
			_exit(child_hold(&fds[0]));
		}
	}
	must(posix_trace_eventset_empty(&set), "empty a set");
	must(posix_trace_start(trid), "start");
	must(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), "set the filter");
	must(posix_trace_stop(trid), "stop");
	close(fds[1]);
	for (int i = 0; i < 3; i++)
		waitpid(pid[i], NULL, 0);
	list = read_all(trid);
	ok(count_type(&list, POSIX_TRACE_START) == 1 && count_type(&list, POSIX_TRACE_FILTER) == 1 &&
			count_type(&list, POSIX_TRACE_STOP) == 1,
		"16.16 fork: START, FILTER and STOP are one per stream, however many processes it traces");
	seen_free(&list);
	close(fds[0]);
	posix_trace_shutdown(trid);
}

static void test_filter_in_child(void)
{
	trace_id_t trid = stream_run(&inherited);
	trace_event_set_t set;
	unsigned int number = 8;
	struct seen event = { 0 };

	must(posix_trace_eventset_empty(&set), "empty a set");
	must(posix_trace_eventset_add(POSIX_TRACE_UNNAMED_USEREVENT, &set), "add to a set");
	must(posix_trace_eventset_add(POSIX_TRACE_FILTER, &set), "add to a set");
	must(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), "set the filter");
	in_child(put_one, &number);
	ok(!read_one(trid, &event), "13 fork: the filter holds for children, too");
	must(posix_trace_stop(trid), "stop");
	posix_trace_shutdown(trid);
}

struct ids {
	trace_event_id_t first, second;
};

static int open_two(void *argument)
{
	struct ids *ids = argument;

	ids->first = type_open("fork: known before");
	ids->second = type_open("fork: opened by a child");
	put_number(ids->second, 1);
	return 0;
}

static void test_names(void)
{
	trace_id_t trid = stream_run(&inherited);
	struct ids *ids = memory_shared(sizeof(*ids)), *other = memory_shared(sizeof(*other));
	trace_event_id_t before = type_open("fork: known before");
	char name[TRACE_EVENT_NAME_MAX + 1] = "";
	struct seen event = { 0 };

	in_child(open_two, ids);
	in_child(open_two, other);
	ok(ids->first == before, "13 fork: a child has the names of its parent");
	ok(ids->second != 0 && ids->second == other->second,
		"17 fork: children of an inherited stream give the same names the same identifiers");
	ok(read_one(trid, &event) &&
			posix_trace_eventid_get_name(trid, event.info.posix_event_id, name) == 0 &&
			strcmp(name, "fork: opened by a child") == 0,
		"8 fork: the stream has the names that a child has opened");
	posix_trace_shutdown(trid);
}

static int copy_of_map(void *before)
{
	if (type_open("fork: in the copy") != *(trace_event_id_t *)before)
		return 1;
	type_open("fork: only in the child");
	return 0;
}

static void test_copied_names(void)
{
	trace_event_id_t before = type_open("fork: in the copy"), id = 0;
	trace_id_t trid = stream_run(&closed);
	char name[TRACE_EVENT_NAME_MAX + 1];
	bool is_seen = false;
	int flag = 0;

	is_number((unsigned)in_child(copy_of_map, &before), 0,
		"13 fork: a child that is not traced keeps its copy of the names");
	while (posix_trace_eventtypelist_getnext_id(trid, &id, &flag) == 0 && !flag)
		is_seen |= posix_trace_eventid_get_name(trid, id, name) == 0 &&
			   strcmp(name, "fork: only in the child") == 0;
	ok(!is_seen, "13 fork: names that it opens are its own");
	posix_trace_shutdown(trid);
}

int main(void)
{
	fixture_begin();
	test_copied_names();
	test_closed();
	test_inherited();
	test_raw_fork();
	test_fork_of_threads();
	test_killed_child();
	test_many_children();
	test_control();
	test_child_controls();
	test_shutdown_while_traced();
	test_controller_leaves();
	test_one_event_per_stream();
	test_filter_in_child();
	test_names();
	return tap_done();
}
