/* SPDX-License-Identifier: MIT */
/*
 * The life of a stream: create, start, stop, clear, shutdown, and what each does in each state. How a stream
 * becomes full by its policy is reported in policies_test.c, logs in log_test.c.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct shape plain = { .size = 64 * 1024 };
static const struct shape until_full = { .size = 64 * 1024, .policy = POSIX_TRACE_UNTIL_FULL };

/* --- create --------------------------------------------------------------------------------------------- */

static void *give_tid(void *ret_tid)
{
	*(_Atomic pid_t *)ret_tid = (pid_t)syscall(SYS_gettid);
	sleep_ms(100);
	return NULL;
}

static int create_for(pid_t pid)
{
	trace_id_t trid;
	int error = posix_trace_create(pid, NULL, &trid);

	if (error == 0)
		posix_trace_shutdown(trid);
	return error;
}

static int exit_now(void *unused)
{
	(void)unused;
	return 0;
}

static pid_t make_zombie(void)
{
	pid_t pid = fork();
	siginfo_t info;

	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	return pid;
}

static int create_as_nobody(void *pid)
{
	if (setgid(65534) != 0 || setuid(65534) != 0)
		return 100;
	return create_for(*(pid_t *)pid);
}

static void test_create_pids(void)
{
	pthread_t thread;
	_Atomic pid_t tid = 0;
	pid_t zombie = make_zombie(), own = getpid();
	int error = create_for(-1);

	is_number((unsigned)create_for(getpid()), 0, "6 create: a process traces itself by its pid");
	is_number((unsigned)create_for(0), 0, "6 create: pid 0 is the calling process");
	ok(error == EINVAL || error == ESRCH, "16.28 create: pid -1 is refused");
	is_number((unsigned)create_for(zombie), ESRCH, "16.28 create: a zombie is ESRCH");
	waitpid(zombie, NULL, 0);
	is_number((unsigned)create_for(zombie), ESRCH, "3 create: a process that is gone is ESRCH");
	pthread_create(&thread, NULL, give_tid, &tid);
	while (tid == 0)
		sleep_ms(1);
	is_number((unsigned)create_for(tid), ESRCH, "16.28 create: a thread's number is ESRCH");
	pthread_join(thread, NULL);
	if (geteuid() != 0)
		skip("3 create: a process of another user is EPERM", "not root, cannot become another user");
	else
		is_number((unsigned)WEXITSTATUS(in_child(create_as_nobody, &own)), EPERM,
			"3 create: a process of another user is EPERM");
	ok(in_child(exit_now, NULL) == 0, "1 create: children end as ever after all this");
}

static void test_create_many(void)
{
	trace_id_t trid[TRACE_SYS_MAX + 1];
	const struct shape small = { .size = 4096 };
	trace_attr_t attr;
	int n = 0, error = 0;

	shape_attr(&small, &attr);
	while (n <= TRACE_SYS_MAX && (error = posix_trace_create(getpid(), &attr, &trid[n])) == 0)
		n++;
	ok(n >= _POSIX_TRACE_SYS_MAX, "2.1 create: as many streams as _POSIX_TRACE_SYS_MAX exist at once");
	ok(n <= TRACE_SYS_MAX && error == EAGAIN, "3 create: more streams than TRACE_SYS_MAX are EAGAIN");
	ok(posix_trace_shutdown(trid[0]) == 0 && posix_trace_create(getpid(), &attr, &trid[0]) == 0,
		"3 create: after a shutdown there is room for another stream");
	for (int i = 0; i < n; i++)
		error |= posix_trace_shutdown(trid[i]) != 0 ? 1024 : 0;
	ok(error < 1024, "6.3 shutdown: every one of many streams ends");
}

/* --- start and stop ------------------------------------------------------------------------------------- */

static bool is_status(trace_id_t trid, int running, int full)
{
	struct posix_trace_status_info status = stream_status(trid);

	return status.posix_stream_status == running && status.posix_stream_full_status == full;
}

static void test_start_stop(void)
{
	trace_id_t trid = stream_make(&plain);
	struct seen_list list;
	struct seen event;
	int automatic = -1;

	ok(is_status(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL),
		"6 create: a stream is suspended and not full");
	must(posix_trace_stop(trid), "stop");
	ok(!read_one(trid, &event), "6 stop: stopping a suspended stream records nothing and is no error");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	ok(!read_one(trid, &event), "6 start: events before the first start have no effect");
	is_number((unsigned)posix_trace_start(trid), 0, "6 start: a suspended stream is started");
	ok(is_status(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL), "6 start: it is running then");
	is_number((unsigned)posix_trace_start(trid), 0, "6 start: starting a running stream is no error");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 2);
	is_number((unsigned)posix_trace_stop(trid), 0, "6 stop: a running stream is stopped");
	ok(is_status(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL), "6 stop: it is suspended then");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 3);
	list = read_all(trid);
	ok(list.n == 3 && list.event[0].info.posix_event_id == POSIX_TRACE_START &&
			list.event[1].info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT &&
			list.event[2].info.posix_event_id == POSIX_TRACE_STOP,
		"6 start, stop: one START, the events between, one STOP, and nothing of the time after");
	ok(list.n == 3 && number_of(&list.event[1]) == 2, "6 stop: recorded events stay readable after it");
	ok(list.n == 3 && list.event[0].n == sizeof(trace_event_set_t),
		"5 start: the data of START is the filter in force");
	if (list.n == 3 && list.event[2].n == sizeof(automatic))
		memcpy(&automatic, list.event[2].data, sizeof(automatic));
	is_number((unsigned)automatic, 0, "5 stop: the data of STOP is an int, 0 for posix_trace_stop()");
	seen_free(&list);
	must(posix_trace_start(trid), "start");
	ok(read_one(trid, &event) && event.info.posix_event_id == POSIX_TRACE_START,
		"6 start: a stopped stream is started again, with a START event");
	posix_trace_shutdown(trid);
}

static void test_start_caller(void)
{
	trace_id_t trid = stream_make(&plain);
	struct seen_list list;
	struct seen start = { 0 }, stop = { 0 };

	must(posix_trace_start(trid), "start");
	must(posix_trace_stop(trid), "stop");
	list = read_all(trid);
	if (list.n == 2) {
		start = list.event[0];
		stop = list.event[1];
	}
	ok(start.info.posix_pid == getpid() && stop.info.posix_pid == getpid(),
		"5 start, stop: their events are the calling process's");
	ok(start.info.posix_thread_id == pthread_self() && stop.info.posix_thread_id == pthread_self(),
		"5 start, stop: their events are the calling thread's");
	ok(start.info.posix_prog_address && stop.info.posix_prog_address &&
			start.info.posix_prog_address != stop.info.posix_prog_address,
		"5 start, stop: their address is the place of the call");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_max_data(void)
{
	const struct shape tight = { .size = 64 * 1024, .data_size = 8 };
	trace_id_t trid = stream_make(&tight);
	struct seen event = { 0 };

	must(posix_trace_start(trid), "start");
	ok(read_one(trid, &event) && event.n == sizeof(trace_event_set_t) &&
			event.info.posix_truncation_status == POSIX_TRACE_NOT_TRUNCATED,
		"5 start: max-data-size does not cut system events");
	posix_trace_shutdown(trid);
}

/* --- full streams --------------------------------------------------------------------------------------- */

static void stream_overfill(trace_id_t trid)
{
	struct posix_trace_status_info status;

	do
		for (unsigned int i = 0; i < 1000; i++)
			put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
	while ((status = stream_status(trid)).posix_stream_full_status == POSIX_TRACE_NOT_FULL);
	for (unsigned int i = 0; i < 10000; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
}

static void test_full_until(void)
{
	trace_id_t trid = stream_make(&until_full);
	struct seen_list list;

	must(posix_trace_start(trid), "start");
	stream_overfill(trid);
	ok(is_status(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL),
		"6 status: an UNTIL_FULL stream that filled up is suspended and full");
	is_number(
		(unsigned)posix_trace_start(trid), 0, "16.5 start: on a full UNTIL_FULL stream it returns 0");
	ok(is_status(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL), "16.5 start: and changes nothing");
	is_number((unsigned)posix_trace_stop(trid), 0, "16.5 stop: on a full UNTIL_FULL stream it returns 0");
	ok(is_status(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL), "16.5 stop: and changes nothing");
	list = read_all(trid);
	is_number(count_type(&list, POSIX_TRACE_STOP), 1, "16.5 stop: and records no second STOP");
	ok(find_type(&list, POSIX_TRACE_START, 1) > find_type(&list, POSIX_TRACE_STOP, 0),
		"16.5 start: and records no second START");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

/*
 * It overwrites what is oldest: what holds for start on a full stream is for those that stop when they are
 * full.
 */
static void test_full_loop_again(void)
{
	trace_id_t trid = stream_make(&plain);
	struct seen_list list;

	must(posix_trace_start(trid), "start");
	stream_overfill(trid);
	must(posix_trace_stop(trid), "stop");
	ok(posix_trace_start(trid) == 0 && is_status(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_FULL),
		"16.4 start: a full LOOP stream that was stopped is started, and stays full");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 4711);
	list = read_all(trid);
	ok(list.n > 3 && list.event[list.n - 3].info.posix_event_id == POSIX_TRACE_STOP &&
			list.event[list.n - 2].info.posix_event_id == POSIX_TRACE_START &&
			number_of(&list.event[list.n - 1]) == 4711,
		"16.4 start: STOP, START and what comes then are its newest events");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_full_loop(void)
{
	trace_id_t trid = stream_make(&plain);
	struct seen_list list;
	int automatic = -1;

	must(posix_trace_start(trid), "start");
	stream_overfill(trid);
	ok(is_status(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_FULL),
		"6 status: a LOOP stream is running and full");
	is_number((unsigned)posix_trace_stop(trid), 0, "16.4 stop: a full LOOP stream is stopped");
	ok(is_status(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL),
		"16.4 stop: it is suspended and stays full");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 0xdead);
	list = read_all(trid);
	ok(list.n && list.event[list.n - 1].info.posix_event_id == POSIX_TRACE_STOP,
		"16.4 stop: STOP is the last event of a full LOOP stream");
	if (list.n)
		memcpy(&automatic, list.event[list.n - 1].data, sizeof(automatic));
	is_number((unsigned)automatic, 0, "16.4 stop: and it was not automatic");
	ok(is_status(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL),
		"6 stop: a stream stopped by its caller stays suspended when it was read empty");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

/* --- clear ---------------------------------------------------------------------------------------------- */

static void test_clear_running(void)
{
	trace_id_t trid = stream_run(&plain);
	trace_event_id_t type = type_open("life: cleared");
	char name[TRACE_EVENT_NAME_MAX + 1] = "";
	trace_event_set_t filter;
	int is_member = 0;
	struct seen event = { 0 };

	put_number(type, 1);
	is_number((unsigned)posix_trace_clear(trid), 0, "6.2 clear: a running stream is cleared");
	ok(is_status(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL), "6.2 clear: running stays running");
	ok(!read_one(trid, &event), "16.8 clear: events of before are lost, and no START is recorded");
	put_number(type, 2);
	ok(read_one(trid, &event) && number_of(&event) == 2, "6.2 clear: the events after it are recorded");
	ok(posix_trace_get_filter(trid, &filter) == 0 &&
			posix_trace_eventset_ismember(POSIX_TRACE_START, &filter, &is_member) == 0 &&
			is_member,
		"16.8 clear: the filter is kept");
	ok(posix_trace_eventid_get_name(trid, type, name) == 0 && strcmp(name, "life: cleared") == 0,
		"6.2 clear: the names are kept");
	posix_trace_shutdown(trid);
}

static void test_clear_others(void)
{
	trace_id_t trid = stream_run(&plain);
	struct posix_trace_status_info status;
	struct seen event = { 0 };

	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	must(posix_trace_stop(trid), "stop");
	must(posix_trace_clear(trid), "clear");
	ok(is_status(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL),
		"6.2 clear: suspended stays suspended");
	ok(!read_one(trid, &event), "6.2 clear: a suspended stream loses its events, STOP too");
	must(posix_trace_start(trid), "start");
	stream_overfill(trid);
	must(posix_trace_clear(trid), "clear");
	status = stream_status(trid);
	is_number((unsigned)status.posix_stream_full_status, POSIX_TRACE_NOT_FULL,
		"6.2 clear: a full LOOP stream is not full then");
	is_number((unsigned)status.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
		"16.8 clear: the overrun is forgotten");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 7);
	ok(read_one(trid, &event) && event.info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT &&
			number_of(&event) == 7,
		"16.8 clear: no OVERFLOW is reported for what was overwritten before it");
	posix_trace_shutdown(trid);
	trid = stream_run(&until_full);
	stream_overfill(trid);
	must(posix_trace_clear(trid), "clear");
	ok(is_status(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL),
		"6.2 clear: a stream that stopped itself is suspended and not full then");
	ok(!read_one(trid, &event), "6.2 clear: the automatic stop is not reported");
	ok(is_status(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL),
		"6.2 clear: and it does not start by itself");
	ok(posix_trace_start(trid) == 0 && is_status(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL),
		"6.2 clear: it can be started");
	posix_trace_shutdown(trid);
}

/* --- shutdown and trids --------------------------------------------------------------------------------- */

static int count_answers(trace_id_t trid, int expected)
{
	trace_attr_t attr;
	struct posix_trace_status_info status;
	struct posix_trace_event_info info;
	struct timespec past = { 0, 0 };
	trace_event_set_t set;
	trace_event_id_t type;
	char name[TRACE_EVENT_NAME_MAX + 1], bytes[8];
	int flag, n = 0;
	size_t size;

	posix_trace_eventset_empty(&set);
	const int got[] = { posix_trace_flush(trid), posix_trace_clear(trid), posix_trace_start(trid),
		posix_trace_stop(trid), posix_trace_get_attr(trid, &attr),
		posix_trace_get_status(trid, &status), posix_trace_get_filter(trid, &set),
		posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), posix_trace_close(trid),
		posix_trace_rewind(trid), posix_trace_trid_eventid_open(trid, "x", &type),
		posix_trace_eventid_get_name(trid, POSIX_TRACE_START, name),
		posix_trace_eventtypelist_getnext_id(trid, &type, &flag),
		posix_trace_eventtypelist_rewind(trid),
		posix_trace_getnext_event(trid, &info, bytes, 8, &size, &flag),
		posix_trace_timedgetnext_event(trid, &info, bytes, 8, &size, &flag, &past),
		posix_trace_trygetnext_event(trid, &info, bytes, 8, &size, &flag),
		posix_trace_shutdown(trid) };

	for (size_t i = 0; i < sizeof(got) / sizeof(got[0]); i++)
		n += got[i] != expected;
	return n;
}

static void test_shutdown(void)
{
	trace_id_t trid = stream_run(&plain), other = stream_run(&plain);
	struct seen event = { 0 };

	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	is_number((unsigned)posix_trace_shutdown(trid), 0, "6.3 shutdown: unread events do not hinder it");
	is_number((unsigned)count_answers(trid, EINVAL), 0,
		"6.3 shutdown: all functions refuse its trid with EINVAL then");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 2);
	ok(read_one(other, &event) && number_of(&event) == 1 && read_one(other, &event) &&
			number_of(&event) == 2,
		"1 streams: another stream is not touched by it");
	posix_trace_shutdown(other);
	is_number((unsigned)count_answers(-1, EINVAL), 0, "3 trid: -1 is EINVAL everywhere");
	is_number((unsigned)count_answers(0x7fffffff, EINVAL), 0,
		"3 trid: a number never given is EINVAL everywhere");
	is_number((unsigned)count_answers((trace_id_t)0x80000000, EINVAL), 0,
		"3 trid: the least number is EINVAL everywhere");
}

static void test_wrong_kind(void)
{
	trace_id_t trid = stream_make(&plain);

	is_number((unsigned)posix_trace_flush(trid), EINVAL, "3 flush: a stream without log is EINVAL");
	is_number((unsigned)posix_trace_close(trid), EINVAL, "16.13 close: an active stream is EINVAL");
	is_number((unsigned)posix_trace_rewind(trid), EINVAL, "16.13 rewind: an active stream is EINVAL");
	ok(posix_trace_start(trid) == 0 && is_status(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL),
		"16.13 close, rewind: and without effect");
	posix_trace_shutdown(trid);
}

/* --- independence --------------------------------------------------------------------------------------- */

static void test_two_streams(void)
{
	trace_id_t first = stream_run(&plain), second = stream_run(&plain);
	struct seen event = { 0 };
	bool has_both;

	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 5);
	has_both = read_one(first, &event) && number_of(&event) == 5;
	has_both &= read_one(second, &event) && number_of(&event) == 5;
	ok(has_both, "1 streams: an event goes to every running stream of its process");
	must(posix_trace_stop(first), "stop");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 6);
	ok(read_one(first, &event) && event.info.posix_event_id == POSIX_TRACE_STOP &&
			!read_one(first, &event) && read_one(second, &event) && number_of(&event) == 6,
		"1 streams: stopping one does not stop the other");
	posix_trace_shutdown(first);
	posix_trace_shutdown(second);
}

int main(void)
{
	fixture_begin();
	test_create_pids();
	test_create_many();
	test_start_stop();
	test_start_caller();
	test_max_data();
	test_full_until();
	test_full_loop();
	test_full_loop_again();
	test_clear_running();
	test_clear_others();
	test_shutdown();
	test_wrong_kind();
	test_two_streams();
	return tap_done();
}
