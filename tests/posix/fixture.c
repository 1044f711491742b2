/* SPDX-License-Identifier: MIT */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000 };

void fixture_begin(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0); /* children must not print their parent's lines again */
	alarm(FIXTURE_SECONDS);
}

void must(int error, const char *step)
{
	if (error == 0)
		return;
	printf("Bail out! %s: %s\n", step, strerror(error));
	exit(1);
}

void skip(const char *sentence, const char *reason)
{
	ok(true, "%s # SKIP %s", sentence, reason);
}

/* --- streams -------------------------------------------------------------------------------------------- */

void shape_attr(const struct shape *shape, trace_attr_t *ret_attr)
{
	must(posix_trace_attr_init(ret_attr), "initialise attributes");
	if (shape->size)
		must(posix_trace_attr_setstreamsize(ret_attr, shape->size), "set the stream's size");
	if (shape->data_size)
		must(posix_trace_attr_setmaxdatasize(ret_attr, shape->data_size), "set the data's size");
	if (shape->log_size)
		must(posix_trace_attr_setlogsize(ret_attr, shape->log_size), "set the log's size");
	if (shape->policy)
		must(posix_trace_attr_setstreamfullpolicy(ret_attr, shape->policy), "set the policy");
	if (shape->log_policy)
		must(posix_trace_attr_setlogfullpolicy(ret_attr, shape->log_policy), "set the log's policy");
	if (shape->inheritance)
		must(posix_trace_attr_setinherited(ret_attr, shape->inheritance), "set inheritance");
}

trace_id_t stream_make(const struct shape *shape)
{
	trace_attr_t attr;
	trace_id_t trid;

	shape_attr(shape, &attr);
	must(posix_trace_create(getpid(), &attr, &trid), "create a stream");
	must(posix_trace_attr_destroy(&attr), "destroy attributes");
	return trid;
}

trace_id_t stream_make_log(const struct shape *shape, int fd)
{
	trace_attr_t attr;
	trace_id_t trid;

	shape_attr(shape, &attr);
	must(posix_trace_create_withlog(getpid(), &attr, fd, &trid), "create a stream with a log");
	must(posix_trace_attr_destroy(&attr), "destroy attributes");
	return trid;
}

void filter_with(trace_id_t trid, int what)
{
	trace_event_set_t set;

	must(posix_trace_eventset_fill(&set, what), "fill a set");
	must(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), "set the filter");
}

static void start_alone(trace_id_t trid)
{
	trace_event_set_t set;

	must(posix_trace_eventset_empty(&set), "empty a set");
	must(posix_trace_eventset_add(POSIX_TRACE_START, &set), "add to a set");
	must(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), "set the filter");
	must(posix_trace_start(trid), "start");
}

trace_id_t stream_run(const struct shape *shape)
{
	trace_id_t trid = stream_make(shape);

	start_alone(trid);
	return trid;
}

trace_id_t stream_run_log(const struct shape *shape, int fd)
{
	trace_id_t trid = stream_make_log(shape, fd);

	start_alone(trid);
	return trid;
}

struct posix_trace_status_info stream_status(trace_id_t trid)
{
	struct posix_trace_status_info status;

	must(posix_trace_get_status(trid, &status), "get the status");
	return status;
}

trace_event_id_t type_open(const char *name)
{
	trace_event_id_t type;

	must(posix_trace_eventid_open(name, &type), "open an event type");
	return type;
}

void put_number(trace_event_id_t type, unsigned int number)
{
	posix_trace_event(type, &number, sizeof(number));
}

void put_numbers(unsigned int first, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, first + i);
}

struct posix_trace_status_info stream_flush(trace_id_t trid)
{
	struct posix_trace_status_info all = { 0 };

	must(posix_trace_flush(trid), "flush");
	for (int i = 0; i < PATIENCE_MS; i++) {
		struct posix_trace_status_info now = stream_status(trid);

		now.posix_stream_overrun_status |= all.posix_stream_overrun_status;
		now.posix_log_overrun_status |= all.posix_log_overrun_status;
		if (all.posix_stream_flush_error != 0)
			now.posix_stream_flush_error = all.posix_stream_flush_error;
		all = now;
		if (now.posix_stream_flush_status == POSIX_TRACE_NOT_FLUSHING)
			return all;
		sleep_ms(1);
	}
	must(ETIMEDOUT, "flush");
	return all;
}
/* --- consumers ------------------------------------------------------------------------------------------ */

static bool has_open(const char *process, const struct stat *log)
{
	char path[300];
	struct stat status;

	for (int fd = 3; fd < 10; fd++) {
		snprintf(path, sizeof(path), "/proc/%s/fd/%d", process, fd);
		if (stat(path, &status) == 0 && status.st_dev == log->st_dev && status.st_ino == log->st_ino)
			return true;
	}
	return false;
}

pid_t consumer_of(int log)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	struct stat status;
	pid_t found = 0;

	fstat(log, &status);
	while (processes && !found && (entry = readdir(processes)) != NULL) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && pid != getpid() && has_open(entry->d_name, &status))
			found = pid;
	}
	if (processes)
		closedir(processes);
	return found;
}

/* --- events --------------------------------------------------------------------------------------------- */

bool read_one(trace_id_t trid, struct seen *ret_event)
{
	int unavailable = -1;

	must(posix_trace_trygetnext_event(trid, &ret_event->info, ret_event->data, sizeof(ret_event->data),
		     &ret_event->n, &unavailable),
		"read an event");
	return !unavailable;
}

static struct seen *list_next(struct seen_list *list)
{
	if (list->n == list->room) {
		list->room = list->room ? 2 * list->room : 1024;
		list->event = realloc(list->event, list->room * sizeof(*list->event));
		if (!list->event)
			must(ENOMEM, "keep the events");
	}
	return &list->event[list->n];
}

struct seen_list read_all(trace_id_t trid)
{
	struct seen_list list = { 0 };

	while (read_one(trid, list_next(&list)))
		list.n++;
	return list;
}

struct seen_list read_rest(trace_id_t trid)
{
	struct seen_list list = { 0 };

	for (;; list.n++) {
		struct seen *event = list_next(&list);
		int unavailable = -1;

		must(posix_trace_getnext_event(
			     trid, &event->info, event->data, sizeof(event->data), &event->n, &unavailable),
			"read an event of a log");
		if (unavailable)
			return list;
	}
}

int open_log(int fd, trace_id_t *ret_trid)
{
	int error = posix_trace_open(fd, ret_trid);

	for (int waited = 0; error == EINVAL && waited < PATIENCE_MS; waited++) {
		sleep_ms(1);
		error = posix_trace_open(fd, ret_trid);
	}
	return error;
}

struct seen_list read_log(int fd)
{
	struct seen_list list = { 0 };
	trace_id_t trid;

	if (open_log(fd, &trid) != 0)
		return list;
	list = read_rest(trid);
	must(posix_trace_close(trid), "close a log");
	return list;
}

void seen_free(struct seen_list *list)
{
	free(list->event);
	*list = (struct seen_list){ 0 };
}

size_t count_type(const struct seen_list *list, trace_event_id_t type)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += list->event[i].info.posix_event_id == type;
	return n;
}

size_t find_type(const struct seen_list *list, trace_event_id_t type, size_t from)
{
	while (from < list->n && list->event[from].info.posix_event_id != type)
		from++;
	return from;
}

unsigned int number_of(const struct seen *event)
{
	unsigned int number = 0;

	memcpy(&number, event->data, event->n < sizeof(number) ? event->n : sizeof(number));
	return number;
}

bool is_run(const struct seen_list *list, trace_event_id_t type, unsigned int *ret_first, size_t *ret_n)
{
	size_t i = find_type(list, type, 0);

	*ret_n = 0;
	*ret_first = i < list->n ? number_of(&list->event[i]) : 0;
	for (; i < list->n; i = find_type(list, type, i + 1))
		if (number_of(&list->event[i]) != *ret_first + (unsigned int)(*ret_n)++)
			return false;
	return true;
}

bool ends_with_stop(const struct seen_list *list, bool is_automatic)
{
	int got = -1;

	if (list->n == 0 || list->event[list->n - 1].info.posix_event_id != POSIX_TRACE_STOP)
		return false;
	memcpy(&got, list->event[list->n - 1].data, sizeof(got));
	return (got != 0) == is_automatic;
}

bool is_ordered(const struct seen_list *list)
{
	for (size_t i = 1; i < list->n; i++)
		if (time_ns(&list->event[i].info.posix_timestamp) <
			time_ns(&list->event[i - 1].info.posix_timestamp))
			return false;
	return true;
}

/* --- files, children, time ------------------------------------------------------------------------------ */

int file_without_name(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = memfd_create("log", MFD_CLOEXEC);
	if (fd < 0)
		must(errno, "make a file");
	return fd;
}

int in_child(int (*function)(void *), void *argument)
{
	pid_t pid = fork();
	int status = 0;

	if (pid < 0)
		must(errno, "fork");
	if (pid == 0) {
		alarm(FIXTURE_SECONDS);
		_exit(function(argument));
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

void *memory_shared(size_t n_bytes)
{
	void *memory = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		must(errno, "map shared memory");
	return memory;
}

void sleep_ms(unsigned int milliseconds)
{
	struct timespec time = { milliseconds / 1000, (long)(milliseconds % 1000) * 1000000 };

	while (nanosleep(&time, &time) < 0 && errno == EINTR)
		;
}

int64_t time_ns(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return time_ns(&now);
}

bool comes_true(bool (*holds)(void *), void *argument)
{
	for (int waited = 0; waited < PATIENCE_MS; waited++) {
		if (holds(argument))
			return true;
		sleep_ms(1);
	}
	return holds(argument);
}
