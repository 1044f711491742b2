/* SPDX-License-Identifier: MIT */
/* Arguments that functions refuse, errors that they never return, and that they leave errno alone. */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOBODY = 65534, DATA_MOST = 65528 };

static const struct shape logged = { .size = 65536, .log_policy = POSIX_TRACE_APPEND };

/* --- create_withlog refuses what create refuses --------------------------------------------------------- */

struct request {
	pid_t pid;
	int fd;
};

static int request_make(void *argument)
{
	const struct request *request = argument;
	trace_attr_t attr;
	trace_id_t trid;
	int error;

	shape_attr(&logged, &attr);
	error = posix_trace_create_withlog(request->pid, &attr, request->fd, &trid);
	return error ? error : posix_trace_shutdown(trid);
}

static int request_as_nobody(void *argument)
{
	return setgid(NOBODY) != 0 || setuid(NOBODY) != 0 ? 255 : request_make(argument);
}

static int create_when_full(struct request *request)
{
	trace_id_t trid[TRACE_SYS_MAX];
	trace_attr_t attr;
	int n = 0, error;

	shape_attr(&(struct shape){ .size = 4096 }, &attr);
	while (n < TRACE_SYS_MAX && posix_trace_create(getpid(), &attr, &trid[n]) == 0)
		n++;
	error = request_make(request);
	while (n > 0)
		posix_trace_shutdown(trid[--n]);
	return error;
}

static int create_with_attr(int byte, int fd)
{
	trace_attr_t attr;
	trace_id_t trid;

	memset(&attr, byte, sizeof(attr));
	return posix_trace_create_withlog(getpid(), &attr, fd, &trid);
}

static void test_create_withlog(void)
{
	struct request request = { .pid = -1, .fd = file_without_name() };
	char kept[16] = "";
	pid_t gone = fork();

	if (gone == 0)
		_exit(0);
	waitpid(gone, NULL, 0);
	must(pwrite(request.fd, "what was there", 14, 0) != 14, "write a file");
	is_number((unsigned)request_make(&request), EINVAL, "3 create_withlog: pid -1 is EINVAL");
	request.pid = gone;
	is_number(
		(unsigned)request_make(&request), ESRCH, "3 create_withlog: a process that is gone is ESRCH");
	request.pid = getpid();
	is_number((unsigned)create_when_full(&request), EAGAIN,
		"3 create_withlog: more streams than TRACE_SYS_MAX are EAGAIN");
	is_number((unsigned)create_with_attr(0x5a, request.fd), EINVAL,
		"3 create_withlog: attributes that were not initialised are EINVAL");
	if (geteuid() != 0)
		skip("3 create_withlog: a process of another user is EPERM", "not root");
	else
		is_number((unsigned)WEXITSTATUS(in_child(request_as_nobody, &request)), EPERM,
			"3 create_withlog: a process of another user is EPERM");
	ok(pread(request.fd, kept, sizeof(kept) - 1, 0) == 14 && strcmp(kept, "what was there") == 0,
		"3 create_withlog: what was refused has not touched the file");
	is_number((unsigned)request_make(&request), 0, "3 create_withlog: and the file serves afterwards");
	close(request.fd);
}

/* --- sizes ---------------------------------------------------------------------------------------------- */

static int create_sized(size_t size, size_t data_size)
{
	trace_attr_t attr;
	trace_id_t trid;
	int error;

	must(posix_trace_attr_init(&attr), "initialise attributes");
	must(posix_trace_attr_setstreamsize(&attr, size), "set the stream's size");
	must(posix_trace_attr_setmaxdatasize(&attr, data_size), "set the data's size");
	error = posix_trace_create(getpid(), &attr, &trid);
	return error ? error : posix_trace_shutdown(trid);
}

static void test_sizes(void)
{
	trace_attr_t attr;
	trace_id_t trid;
	struct seen event = { 0 };

	is_number((unsigned)create_sized(1, 64), 0, "4 create: a stream of one byte is made");
	is_number((unsigned)create_sized(0, 64), EINVAL, "4 create: one of no bytes is EINVAL");
	is_number((unsigned)create_sized(65536, DATA_MOST), 0, "4 create: data of 65528 bytes are kept");
	is_number((unsigned)create_sized(65536, DATA_MOST + 1), EINVAL,
		"4 create: to keep longer data is EINVAL");
	must(posix_trace_attr_init(&attr), "initialise attributes");
	must(posix_trace_attr_setmaxdatasize(&attr, 0), "set the data's size");
	must(posix_trace_create(getpid(), &attr, &trid), "create a stream that keeps no data");
	filter_with(trid, POSIX_TRACE_SYSTEM_EVENTS);
	must(posix_trace_start(trid), "start");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	ok(read_one(trid, &event) && event.n == 0 &&
			event.info.posix_truncation_status == POSIX_TRACE_TRUNCATED_RECORD,
		"4 create: with a max-data-size of 0 no data are kept, and that is reported");
	posix_trace_shutdown(trid);
}

/* --- errno ---------------------------------------------------------------------------------------------- */

enum { KEPT = 7777 };

static unsigned int n_changed;

/* Behind each call; its error does not matter. */
static void look_at_errno(int error, const char *name)
{
	if (errno != KEPT) {
		printf("# %s, which gave %d, has set errno to %d\n", name, error, errno);
		n_changed++;
	}
	errno = KEPT;
}

static void call_attributes(void)
{
	trace_attr_t attr;
	char name[TRACE_NAME_MAX + 1];
	int value;

	look_at_errno(posix_trace_attr_init(&attr), "attr_init");
	look_at_errno(posix_trace_attr_setname(&attr, "a name"), "attr_setname");
	look_at_errno(posix_trace_attr_getname(&attr, name), "attr_getname");
	look_at_errno(posix_trace_attr_setlogfullpolicy(&attr, 99), "attr_setlogfullpolicy");
	look_at_errno(posix_trace_attr_destroy(&attr), "attr_destroy");
	look_at_errno(posix_trace_attr_getinherited(&attr, &value), "attr_getinherited");
}

static void call_on(trace_id_t trid)
{
	struct timespec past = { 1, 0 };
	struct posix_trace_status_info status;
	struct posix_trace_event_info info;
	trace_event_set_t set;
	trace_event_id_t type;
	trace_attr_t attr;
	char name[TRACE_EVENT_NAME_MAX + 1];
	int flag;
	size_t n;

	posix_trace_eventset_empty(&set);
	look_at_errno(posix_trace_start(trid), "start");
	look_at_errno(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), "set_filter");
	look_at_errno(posix_trace_get_filter(trid, &set), "get_filter");
	look_at_errno(posix_trace_trid_eventid_open(trid, "errors: a name", &type), "trid_eventid_open");
	look_at_errno(posix_trace_eventid_get_name(trid, type, name), "eventid_get_name");
	look_at_errno(posix_trace_eventtypelist_getnext_id(trid, &type, &flag), "eventtypelist_getnext_id");
	look_at_errno(posix_trace_eventtypelist_rewind(trid), "eventtypelist_rewind");
	look_at_errno(posix_trace_get_attr(trid, &attr), "get_attr");
	look_at_errno(posix_trace_get_status(trid, &status), "get_status");
	look_at_errno(posix_trace_trygetnext_event(trid, &info, name, 8, &n, &flag), "trygetnext_event");
	for (int i = 0; i < 3; i++)
		look_at_errno(posix_trace_timedgetnext_event(trid, &info, name, 8, &n, &flag, &past),
			"timedgetnext_event");
	clock_gettime(CLOCK_REALTIME, &past);
	past.tv_sec++;
	posix_trace_clear(trid);
	alarm(1);
	errno = KEPT;
	look_at_errno(posix_trace_timedgetnext_event(trid, &info, name, 8, &n, &flag, &past),
		"timedgetnext_event that waits");
	alarm(300);
	errno = KEPT;
	look_at_errno(posix_trace_getfd_np(trid, &flag), "getfd_np");
	look_at_errno(posix_trace_getevents_np(trid, name, 8, &n), "getevents_np");
	look_at_errno(posix_trace_flush(trid), "flush");
	look_at_errno(posix_trace_clear(trid), "clear");
	look_at_errno(posix_trace_stop(trid), "stop");
	look_at_errno(posix_trace_snapshot_np(trid, -1), "snapshot_np");
	look_at_errno(posix_trace_rewind(trid), "rewind");
	look_at_errno(posix_trace_close(trid), "close");
	look_at_errno(posix_trace_shutdown(trid), "shutdown");
}

static void do_nothing(int number)
{
	(void)number;
}

static void call_streams(void)
{
	int file = file_without_name(), text = file_without_name();
	struct sigaction action = { .sa_handler = do_nothing };
	trace_attr_t attr;
	trace_id_t trid = -1;

	must(write(text, "no log", 6) != 6, "write a file");
	shape_attr(&logged, &attr);
	sigaction(SIGALRM, &action, NULL);
	errno = KEPT;
	look_at_errno(posix_trace_create(getpid(), NULL, &trid), "create");
	call_on(trid);
	look_at_errno(posix_trace_create_withlog(getpid(), &attr, file, &trid), "create_withlog");
	call_on(trid);
	look_at_errno(posix_trace_open(file, &trid), "open");
	call_on(trid);
	call_on(-1);
	look_at_errno(posix_trace_create(0x7fffffff, NULL, &trid), "create for no process");
	look_at_errno(posix_trace_create_withlog(getpid(), &attr, 987, &trid), "create_withlog of no file");
	look_at_errno(posix_trace_open(text, &trid), "open of a text");
	look_at_errno(posix_trace_open(-1, &trid), "open of no file");
	look_at_errno(posix_trace_open_incomplete_np(text, &trid), "open_incomplete_np");
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	close(text);
	close(file);
}

static void test_errno(void)
{
	errno = KEPT;
	call_attributes();
	call_streams();
	is_number(n_changed, 0, "1 errors: functions return their error and leave errno alone");
}

/* --- no EINTR ------------------------------------------------------------------------------------------- */

static _Atomic unsigned int n_caught;

static void count_signal(int number)
{
	(void)number;
	n_caught++;
}

static timer_t storm_begin(void)
{
	struct sigaction action = { .sa_handler = count_signal };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec often = { { 0, 300000 }, { 0, 300000 } };
	timer_t timer;

	sigaction(SIGUSR1, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &often, NULL) != 0)
		must(errno, "make a timer");
	return timer;
}

/* How many of the calls did not give 0. */
static int control_once(int fd)
{
	trace_event_set_t set;
	trace_id_t trid;
	int n_bad = 0;

	posix_trace_eventset_empty(&set);
	if ((fd < 0 ? posix_trace_create(getpid(), NULL, &trid)
		    : posix_trace_create_withlog(getpid(), NULL, fd, &trid)) != 0)
		return 1;
	n_bad += posix_trace_start(trid) != 0;
	n_bad += posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET) != 0;
	n_bad += posix_trace_stop(trid) != 0;
	n_bad += posix_trace_shutdown(trid) != 0;
	if (fd >= 0)
		n_bad += posix_trace_open(fd, &trid) != 0 || posix_trace_close(trid) != 0;
	return n_bad;
}

static void test_no_eintr(void)
{
	int n_bad = 0, fd = file_without_name();
	timer_t timer = storm_begin();

	for (int64_t end = now_ns(CLOCK_MONOTONIC) + 300000000; now_ns(CLOCK_MONOTONIC) < end && !n_bad;)
		n_bad += control_once(-1);
	for (int i = 0; i < 10 && !n_bad; i++)
		n_bad += control_once(fd);
	timer_delete(timer);
	is_number((unsigned)n_bad, 0,
		"16.19 create, start, stop, set_filter, open: no EINTR in a storm of signals");
	ok(n_caught > 20, "16.19 create, start, stop, set_filter, open: of which there were some (%u)",
		n_caught);
	close(fd);
}

int main(void)
{
	fixture_begin();
	test_create_withlog();
	test_sizes();
	test_errno();
	test_no_eintr();
	return tap_done();
}
