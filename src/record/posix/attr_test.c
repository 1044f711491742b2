/* SPDX-License-Identifier: MIT */
/* Attributes and sets of event types: XSH 2.11.2 and the pages of their functions. */
#include "record/buffer/pool.h"
#include "record/posix/stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

static void check_defaults(void)
{
	trace_attr_t attr;
	struct timespec time;
	char text[TRACE_NAME_MAX];
	size_t size;
	int value;

	ok(posix_trace_attr_init(&attr) == 0, "an object is initialised");
	ok(posix_trace_attr_getname(&attr, text) == 0 && text[0] == '\0', "a fresh name is empty");
	ok(posix_trace_attr_getgenversion(&attr, text) == 0 && strncmp(text, "rastrum ", 8) == 0,
		"the generation version has origin and version");
	ok(posix_trace_attr_getcreatetime(&attr, &time) == 0 && time.tv_sec == 0 && time.tv_nsec == 0,
		"a fresh object has no creation time");
	ok(posix_trace_attr_getclockres(&attr, &time) == 0 && time.tv_sec == 0 && time.tv_nsec > 0,
		"the clock has a resolution");
	ok(posix_trace_attr_getinherited(&attr, &value) == 0 && value == POSIX_TRACE_CLOSE_FOR_CHILD,
		"children are not traced by default");
	ok(posix_trace_attr_getstreamfullpolicy(&attr, &value) == 0 && value == POSIX_TRACE_LOOP,
		"a stream policy that is not set shows as LOOP");
	ok(posix_trace_attr_getlogfullpolicy(&attr, &value) == 0 && value == POSIX_TRACE_LOOP,
		"the log's is LOOP");
	ok(posix_trace_attr_getstreamsize(&attr, &size) == 0 && size > 0, "a stream has a size");
	ok(posix_trace_attr_getlogsize(&attr, &size) == 0 && size > 0, "and a log");
	ok(posix_trace_attr_getmaxdatasize(&attr, &size) == 0 && size > 0, "and the data of events");
}

static void check_bad_objects(void)
{
	trace_attr_t attr;
	size_t size;
	int value;

	memset(&attr, 0x5a, sizeof(attr));
	ok(posix_trace_attr_getstreamsize(&attr, &size) == EINVAL &&
			posix_trace_attr_setlogsize(&attr, 1) == EINVAL &&
			posix_trace_attr_setname(&attr, "name") == EINVAL &&
			posix_trace_attr_destroy(&attr) == EINVAL,
		"an object that was never initialised is EINVAL");
	posix_trace_attr_init(&attr);
	ok(posix_trace_attr_destroy(&attr) == 0 && posix_trace_attr_getinherited(&attr, &value) == EINVAL,
		"one that is destroyed as well");
	ok(posix_trace_attr_init(&attr) == 0 && posix_trace_attr_getinherited(&attr, &value) == 0,
		"until it is initialised again");
	ok(posix_trace_attr_init(NULL) == EINVAL && posix_trace_attr_getinherited(NULL, &value) == EINVAL &&
			posix_trace_attr_getinherited(&attr, NULL) == EINVAL &&
			posix_trace_attr_setname(&attr, NULL) == EINVAL,
		"and no object at all");
}

static void check_setters(void)
{
	trace_attr_t attr;
	char text[TRACE_NAME_MAX], longest[2 * TRACE_NAME_MAX];
	size_t size;
	int value;

	posix_trace_attr_init(&attr);
	ok(posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED) == 0 &&
			posix_trace_attr_setinherited(&attr, 7) == EINVAL &&
			posix_trace_attr_getinherited(&attr, &value) == 0 && value == POSIX_TRACE_INHERITED,
		"a bad inheritance is refused, and changes nothing");
	ok(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_FLUSH) == 0 &&
			posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_APPEND) == EINVAL &&
			posix_trace_attr_setstreamfullpolicy(&attr, 0) == EINVAL &&
			posix_trace_attr_getstreamfullpolicy(&attr, &value) == 0 &&
			value == POSIX_TRACE_FLUSH,
		"a stream may flush, but not append");
	ok(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND) == 0 &&
			posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_FLUSH) == EINVAL &&
			posix_trace_attr_getlogfullpolicy(&attr, &value) == 0 && value == POSIX_TRACE_APPEND,
		"a log may append, but not flush");
	ok(posix_trace_attr_setlogsize(&attr, 12345) == 0 && posix_trace_attr_getlogsize(&attr, &size) == 0 &&
			size == 12345,
		"sizes are kept as they are set");
	memset(longest, 'n', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	ok(posix_trace_attr_setname(&attr, longest) == 0 && posix_trace_attr_getname(&attr, text) == 0 &&
			strlen(text) == TRACE_NAME_MAX - 1,
		"a name that is too long is cut so that TRACE_NAME_MAX bytes hold it");
	ok(posix_trace_attr_setname(&attr, "short") == 0 && posix_trace_attr_getname(&attr, text) == 0 &&
			strcmp(text, "short") == 0,
		"a short one is whole");
}

static void check_event_sizes(void)
{
	trace_attr_t attr;
	size_t size, before = 0, system;
	bool grows = true;

	posix_trace_attr_init(&attr);
	posix_trace_attr_setmaxdatasize(&attr, 100);
	for (size_t length = 0; length <= 100; length++) {
		posix_trace_attr_getmaxusereventsize(&attr, length, &size);
		grows = grows && size >= before && size >= length;
		before = size;
	}
	ok(grows, "the size of an event never gets less with its data");
	ok(posix_trace_attr_getmaxusereventsize(&attr, SIZE_MAX, &size) == 0 && size == before,
		"data beyond max-data-size cost nothing");
	ok(posix_trace_attr_getmaxsystemeventsize(&attr, &system) == 0 &&
			system >= 2 * sizeof(trace_event_set_t),
		"system events are not cut by it");
}

static void check_resolving(void)
{
	trace_attr_t attr, resolved;

	ok(attr_resolve(NULL, false, &resolved) == 0 &&
			resolved.posix_trace_stream_policy == POSIX_TRACE_LOOP,
		"without a log LOOP is the default");
	ok(attr_resolve(NULL, true, &resolved) == 0 &&
			resolved.posix_trace_stream_policy == POSIX_TRACE_FLUSH,
		"with one it is FLUSH");
	posix_trace_attr_init(&attr);
	ok(attr_resolve(&attr, true, &resolved) == 0 &&
			resolved.posix_trace_stream_policy == POSIX_TRACE_FLUSH,
		"also for an object in which no policy was set");
	posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP);
	ok(attr_resolve(&attr, true, &resolved) == 0 &&
			resolved.posix_trace_stream_policy == POSIX_TRACE_LOOP,
		"one that was set stays");
	posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_FLUSH);
	ok(attr_resolve(&attr, false, &resolved) == EINVAL, "FLUSH without a log is refused");
	posix_trace_attr_init(&attr);
	posix_trace_attr_setmaxdatasize(&attr, LOG_DATA_MAX + 1);
	ok(attr_resolve(&attr, false, &resolved) == EINVAL, "sizes that cannot work are refused then");
	posix_trace_attr_setmaxdatasize(&attr, 0);
	ok(attr_resolve(&attr, false, &resolved) == 0, "events without data can");
	posix_trace_attr_setlogsize(&attr, 0);
	ok(attr_resolve(&attr, false, &resolved) == 0 && attr_resolve(&attr, true, &resolved) == EINVAL,
		"a log without room is refused where there is a log");
	posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND);
	ok(attr_resolve(&attr, true, &resolved) == 0, "and has a limit");
	memset(&attr, 0, sizeof(attr));
	ok(attr_resolve(&attr, false, &resolved) == EINVAL, "a bad object is refused");
}

static int set_has(const trace_event_set_t *set, trace_event_id_t id)
{
	int is_member = -1;

	return posix_trace_eventset_ismember(id, set, &is_member) == 0 ? is_member : -1;
}

static void check_sets(void)
{
	trace_event_set_t set;

	ok(posix_trace_eventset_empty(&set) == 0 && set_has(&set, 1) == 0 && set_has(&set, 1087) == 0,
		"an empty set has no member");
	ok(posix_trace_eventset_add(65, &set) == 0 && posix_trace_eventset_add(65, &set) == 0 &&
			set_has(&set, 65) > 0 && set_has(&set, 64) == 0 && set_has(&set, 66) == 0,
		"a type may be added twice");
	ok(posix_trace_eventset_del(65, &set) == 0 && posix_trace_eventset_del(65, &set) == 0 &&
			set_has(&set, 65) == 0,
		"and be taken away twice");
	ok(posix_trace_eventset_fill(&set, POSIX_TRACE_WOPID_EVENTS) == 0 &&
			set_has(&set, POSIX_TRACE_START) == 0,
		"no system event is without a process");
	ok(posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS) == 0 &&
			set_has(&set, POSIX_TRACE_START) > 0 && set_has(&set, POSIX_TRACE_ERROR) > 0 &&
			set_has(&set, 63) > 0 && set_has(&set, POSIX_TRACE_UNNAMED_USEREVENT) == 0,
		"system events are the predefined ones, and not the user's");
	ok(posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS) == 0 && set_has(&set, 1) > 0 &&
			set_has(&set, 64) > 0 && set_has(&set, 64 + TRACE_USER_EVENT_MAX - 1) > 0,
		"all events are also those that are opened later");
	ok(posix_trace_eventset_fill(&set, 0) == EINVAL && posix_trace_eventset_fill(&set, 4) == EINVAL &&
			set_has(&set, 1) > 0,
		"a bad choice is refused, and the set stays as it was");
	ok(posix_trace_eventset_add(0, &set) == EINVAL &&
			posix_trace_eventset_add(64 + TRACE_USER_EVENT_MAX, &set) == EINVAL &&
			posix_trace_eventset_del(UINT32_MAX, &set) == EINVAL && set_has(&set, 0) == -1,
		"bad identifiers are refused");
	ok(posix_trace_eventset_empty(NULL) == EINVAL && posix_trace_eventset_fill(NULL, 1) == EINVAL &&
			posix_trace_eventset_add(1, NULL) == EINVAL && set_has(NULL, 1) == -1,
		"and no set at all");
}

static void check_sysconf(void)
{
	ok(posix_trace_sysconf_np(_SC_TRACE) == 200809 && posix_trace_sysconf_np(_SC_TRACE_LOG) == 200809 &&
			posix_trace_sysconf_np(_SC_TRACE_INHERIT) == 200809 &&
			posix_trace_sysconf_np(_SC_TRACE_EVENT_FILTER) == 200809,
		"all four options are here");
	ok(posix_trace_sysconf_np(_SC_TRACE_SYS_MAX) == TRACE_SYS_MAX &&
			posix_trace_sysconf_np(_SC_TRACE_NAME_MAX) == TRACE_NAME_MAX,
		"and their limits");
	ok(posix_trace_sysconf_np(_SC_PAGESIZE) == -1, "other names are not answered");
}

static void check_info(void)
{
	const struct log_event event = {
		.type = 65, .flags = LOG_EVENT_CUT, .cpu = LOG_NO_CPU, .pid = 7, .tid = 8, .address = 0x1234
	};
	struct posix_trace_event_info info;

	event_info(&event, 5000000001, 9, &info);
	ok(info.posix_event_id == 65 && info.posix_pid == 7 && info.posix_tid_np == 8 &&
			info.posix_cpu_np == -1 && info.posix_sequence_np == 9 &&
			info.posix_prog_address == (void *)0x1234,
		"an event is shown as it was");
	ok(info.posix_timestamp.tv_sec == 5 && info.posix_timestamp.tv_nsec == 1, "at its time");
	ok(info.posix_truncation_status == POSIX_TRACE_TRUNCATED_RECORD, "and with what was cut");
	event_info(&event, -1, 0, &info);
	ok(info.posix_timestamp.tv_sec == -1 && info.posix_timestamp.tv_nsec == 999999999,
		"a time before zero has nanoseconds that count upwards");
}

/* The attributes in a log may be anything. */
static void check_taking(void)
{
	struct log_attributes logged = { .stream_size = 1,
		.log_size = 2,
		.data_size = 3,
		.created_seconds = -4,
		.created_nanoseconds = 5,
		.resolution_nanoseconds = 1000000006,
		.stream_policy = POSIX_TRACE_FLUSH,
		.log_policy = POSIX_TRACE_APPEND,
		.inheritance = POSIX_TRACE_INHERITED,
		.name = "name" };
	trace_attr_t attr;

	memset(logged.version, 'v', sizeof(logged.version));
	memset(&attr, 0x5a, sizeof(attr));
	attr_take(&logged, &attr);
	ok(attr_is_valid(&attr) && attr.posix_trace_stream_size == 1 && attr.posix_trace_log_size == 2 &&
			attr.posix_trace_data_size == 3 &&
			attr.posix_trace_stream_policy == POSIX_TRACE_FLUSH &&
			attr.posix_trace_log_policy == POSIX_TRACE_APPEND &&
			attr.posix_trace_inheritance == POSIX_TRACE_INHERITED,
		"sizes and policies of a log are taken");
	ok(attr.posix_trace_created.posix_trace_seconds == -4 &&
			attr.posix_trace_created.posix_trace_nanoseconds == 5 &&
			attr.posix_trace_resolution.posix_trace_seconds == 1 &&
			attr.posix_trace_resolution.posix_trace_nanoseconds == 6,
		"and times");
	ok(strlen(attr.posix_trace_version) == TRACE_NAME_MAX - 1 &&
			strcmp(attr.posix_trace_name, "name") == 0,
		"and texts, which end where they must");
}

int main(void)
{
	check_defaults();
	check_bad_objects();
	check_setters();
	check_event_sizes();
	check_resolving();
	check_sets();
	check_sysconf();
	check_info();
	check_taking();
	return tap_done();
}
