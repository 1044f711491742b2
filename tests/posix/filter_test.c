/* SPDX-License-Identifier: MIT */
/* Sets of event types, and filters made of them: the types in a stream's filter are not recorded. */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct shape plain = { .size = 65536 };

static bool is_in(trace_event_id_t id, const trace_event_set_t *set)
{
	int is_member = 0;

	must(posix_trace_eventset_ismember(id, set, &is_member), "look for a member");
	return is_member != 0;
}

static trace_event_set_t set_of(trace_event_id_t first, trace_event_id_t second)
{
	trace_event_set_t set;

	must(posix_trace_eventset_empty(&set), "empty a set");
	if (first)
		must(posix_trace_eventset_add(first, &set), "add to a set");
	if (second)
		must(posix_trace_eventset_add(second, &set), "add to a set");
	return set;
}

/* --- sets ----------------------------------------------------------------------------------------------- */

static const trace_event_id_t system_types[] = { POSIX_TRACE_ERROR, POSIX_TRACE_START, POSIX_TRACE_STOP,
	POSIX_TRACE_FILTER, POSIX_TRACE_OVERFLOW, POSIX_TRACE_RESUME, POSIX_TRACE_FLUSH_START,
	POSIX_TRACE_FLUSH_STOP };

static bool has_system_types(const trace_event_set_t *set, bool expected)
{
	for (size_t i = 0; i < sizeof(system_types) / sizeof(system_types[0]); i++)
		if (is_in(system_types[i], set) != expected)
			return false;
	return true;
}

/* How many of all types that a process can ever open are in a set. */
static unsigned int count_user_types(const trace_event_set_t *set)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < TRACE_USER_EVENT_MAX; i++)
		n += is_in(POSIX_TRACE_UNNAMED_USEREVENT + i, set);
	return n;
}

static void test_fill(void)
{
	trace_event_id_t mine = type_open("filter: mine"), later;
	trace_event_set_t set;

	memset(&set, 0xee, sizeof(set));
	must(posix_trace_eventset_empty(&set), "empty a set");
	ok(has_system_types(&set, false) && !is_in(mine, &set) && !is_in(POSIX_TRACE_UNNAMED_USEREVENT, &set),
		"9 eventset_empty: no type is in an empty set");
	is_number((unsigned)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS), 0,
		"9 eventset_fill: SYSTEM_EVENTS is taken");
	ok(has_system_types(&set, true), "9 eventset_fill: SYSTEM_EVENTS are all predefined system types");
	ok(count_user_types(&set) == 0, "9 eventset_fill: SYSTEM_EVENTS has no user type");
	is_number((unsigned)posix_trace_eventset_fill(&set, POSIX_TRACE_WOPID_EVENTS), 0,
		"9 eventset_fill: WOPID_EVENTS is taken");
	ok(count_user_types(&set) == 0, "9 eventset_fill: WOPID_EVENTS has no user type");
	is_number((unsigned)posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS), 0,
		"9 eventset_fill: ALL_EVENTS is taken");
	later = type_open("filter: opened afterwards");
	ok(has_system_types(&set, true) && is_in(mine, &set) && is_in(POSIX_TRACE_UNNAMED_USEREVENT, &set),
		"9 eventset_fill: ALL_EVENTS has every system and user type");
	ok(is_in(later, &set) && count_user_types(&set) == TRACE_USER_EVENT_MAX,
		"9 eventset_fill: ALL_EVENTS has the user types opened afterwards");
	is_number((unsigned)posix_trace_eventset_fill(&set, 0), EINVAL,
		"9 eventset_fill: another number is EINVAL");
	ok(is_in(mine, &set), "9 eventset_fill: an error leaves the set alone");
}

static void test_members(void)
{
	trace_event_id_t mine = type_open("filter: mine");
	trace_event_set_t set = set_of(0, 0), copy;
	int is_member = 77;

	ok(posix_trace_eventset_add(mine, &set) == 0 && is_in(mine, &set), "9 eventset_add: a type is added");
	ok(posix_trace_eventset_add(mine, &set) == 0 && is_in(mine, &set),
		"9 eventset_add: adding a member is no error");
	copy = set;
	ok(posix_trace_eventset_del(mine, &set) == 0 && !is_in(mine, &set),
		"9 eventset_del: a type is removed");
	ok(posix_trace_eventset_del(mine, &set) == 0 && !is_in(mine, &set),
		"9 eventset_del: deleting a type that is not a member is no error");
	ok(is_in(mine, &copy), "2 sets: an assigned set is a set of its own");
	ok(posix_trace_eventset_ismember(mine, &set, &is_member) == 0 && is_member == 0,
		"9 eventset_ismember: 0 is stored for what is not a member");
	is_number((unsigned)posix_trace_eventset_add(1000000, &set), EINVAL,
		"3 eventset_add: no type is EINVAL");
	is_number((unsigned)posix_trace_eventset_del(1000000, &set), EINVAL,
		"3 eventset_del: no type is EINVAL");
	is_number((unsigned)posix_trace_eventset_ismember(1000000, &set, &is_member), EINVAL,
		"3 eventset_ismember: no type is EINVAL");
}

/* --- filters -------------------------------------------------------------------------------------------- */

static bool filter_is(trace_id_t trid, const trace_event_set_t *expected)
{
	trace_event_set_t got;

	return posix_trace_get_filter(trid, &got) == 0 && memcmp(&got, expected, sizeof(got)) == 0;
}

static void test_arithmetic(void)
{
	trace_event_id_t one = type_open("filter: one"), two = type_open("filter: two");
	trace_id_t trid = stream_make(&plain);
	trace_event_set_t none = set_of(0, 0), first = set_of(one, 0), second = set_of(two, 0),
			  both = set_of(one, two);
	struct seen event;

	ok(filter_is(trid, &none), "9 filter: a new stream has an empty filter");
	ok(posix_trace_set_filter(trid, &first, POSIX_TRACE_SET_EVENTSET) == 0 && filter_is(trid, &first),
		"9 set_filter: works before the stream is started");
	ok(posix_trace_set_filter(trid, &second, POSIX_TRACE_ADD_EVENTSET) == 0 && filter_is(trid, &both),
		"9 set_filter: ADD is the union");
	ok(posix_trace_set_filter(trid, &first, POSIX_TRACE_SUB_EVENTSET) == 0 && filter_is(trid, &second),
		"9 set_filter: SUB is the difference");
	ok(posix_trace_set_filter(trid, &first, POSIX_TRACE_SET_EVENTSET) == 0 && filter_is(trid, &first),
		"9 set_filter: SET replaces");
	is_number((unsigned)posix_trace_set_filter(trid, &both, 0), EINVAL,
		"9 set_filter: a bad how is EINVAL");
	is_number((unsigned)posix_trace_set_filter(trid, &both, 4), EINVAL,
		"9 set_filter: any how but the three is EINVAL");
	ok(filter_is(trid, &first), "9 set_filter: an error leaves the filter alone");
	posix_trace_eventset_add(two, &first);
	ok(!filter_is(trid, &first), "9 set_filter: the set is copied");
	ok(!read_one(trid, &event),
		"9 set_filter: while the stream is suspended no FILTER event is recorded");
	posix_trace_shutdown(trid);
}

static void test_filter_event(void)
{
	trace_event_id_t one = type_open("filter: one"), two = type_open("filter: two");
	const struct shape tight = { .size = 65536, .data_size = 8 };
	trace_id_t trid = stream_make(&tight);
	trace_event_set_t first = set_of(one, 0), second = set_of(two, POSIX_TRACE_START), both[2];
	struct seen event = { 0 };

	must(posix_trace_set_filter(trid, &first, POSIX_TRACE_SET_EVENTSET), "set the filter");
	must(posix_trace_start(trid), "start");
	ok(read_one(trid, &event) && event.info.posix_event_id == POSIX_TRACE_START &&
			event.n == sizeof(first) && memcmp(event.data, &first, sizeof(first)) == 0,
		"5 START: its data is the filter in force");
	must(posix_trace_set_filter(trid, &second, POSIX_TRACE_SET_EVENTSET), "set the filter");
	ok(read_one(trid, &event) && event.info.posix_event_id == POSIX_TRACE_FILTER,
		"9 set_filter: while the stream runs a FILTER event is recorded");
	memcpy(both, event.data, sizeof(both));
	ok(event.n == sizeof(both) && memcmp(&both[0], &first, sizeof(first)) == 0 &&
			memcmp(&both[1], &second, sizeof(second)) == 0,
		"16.14 FILTER: its data is the old and the new set, in this order, uncut");
	ok(event.info.posix_pid == getpid() && event.info.posix_thread_id == pthread_self() &&
			event.info.posix_prog_address,
		"5 FILTER: process, thread and address are those of the call");
	must(posix_trace_set_filter(trid, &second, POSIX_TRACE_SET_EVENTSET), "set the filter");
	ok(read_one(trid, &event) && event.info.posix_event_id == POSIX_TRACE_FILTER &&
			event.n == sizeof(both) && memcmp(event.data, &both[1], sizeof(both[1])) == 0,
		"16.15 FILTER: one is recorded when nothing changes");
	posix_trace_shutdown(trid);
}

static void test_effect(void)
{
	trace_event_id_t one = type_open("filter: one"), two = type_open("filter: two");
	trace_id_t trid = stream_run(&plain), open = stream_run(&plain);
	trace_event_set_t set = set_of(one, POSIX_TRACE_FILTER);
	struct seen event = { 0 };

	must(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), "set the filter");
	put_number(one, 1);
	put_number(two, 2);
	ok(read_one(trid, &event) && event.info.posix_event_id == two && !read_one(trid, &event),
		"9 filter: the types in it are not recorded, others are");
	ok(read_one(open, &event) && event.info.posix_event_id == one,
		"9 filter: other streams are not touched");
	must(posix_trace_set_filter(trid, &set, POSIX_TRACE_SUB_EVENTSET), "set the filter");
	put_number(one, 3);
	while (read_one(trid, &event) && event.info.posix_event_id == POSIX_TRACE_FILTER)
		;
	ok(event.info.posix_event_id == one && number_of(&event) == 3,
		"9 filter: it takes effect at once for the next event of the caller");
	posix_trace_shutdown(trid);
	posix_trace_shutdown(open);
}

static void test_no_trace(void)
{
	const struct shape shape = { .size = 32768, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_event_id_t one = type_open("filter: one");
	trace_id_t trid = stream_run(&shape);
	trace_event_set_t set = set_of(one, POSIX_TRACE_FILTER);
	struct posix_trace_status_info status;

	must(posix_trace_set_filter(trid, &set, POSIX_TRACE_ADD_EVENTSET), "set the filter");
	for (unsigned int i = 0; i < 50000; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
	stream_status(trid);
	for (unsigned int i = 0; i < 100; i++)
		put_number(one, i);
	status = stream_status(trid);
	ok(status.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN && status.posix_lost_now_np == 0,
		"9 filter: a filtered event leaves no trace in a full stream, not even an overrun");
	posix_trace_shutdown(trid);
}

static void test_control_events(void)
{
	const struct shape shape = { .size = 32768, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid = stream_make(&shape);
	struct posix_trace_status_info status;
	struct seen_list list;
	struct seen event;

	filter_with(trid, POSIX_TRACE_SYSTEM_EVENTS);
	must(posix_trace_start(trid), "start");
	ok(!read_one(trid, &event) && stream_status(trid).posix_stream_status == POSIX_TRACE_RUNNING,
		"16.9 filter: a filtered START is not recorded, and the stream runs");
	filter_with(trid, POSIX_TRACE_SYSTEM_EVENTS);
	must(posix_trace_stop(trid), "stop");
	ok(!read_one(trid, &event) && stream_status(trid).posix_stream_status == POSIX_TRACE_SUSPENDED,
		"16.9 filter: filtered FILTER and STOP are not recorded, and the stream is suspended");
	must(posix_trace_start(trid), "start");
	for (unsigned int i = 0; i < 50000; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
	status = stream_status(trid);
	ok(status.posix_stream_status == POSIX_TRACE_SUSPENDED &&
			status.posix_stream_full_status == POSIX_TRACE_FULL,
		"16.9 filter: a stream that filters STOP still stops by itself");
	list = read_all(trid);
	is_number(count_type(&list, POSIX_TRACE_STOP), 0, "16.9 filter: that STOP is not reported");
	ok(stream_status(trid).posix_stream_status == POSIX_TRACE_RUNNING,
		"16.9 filter: and it starts again when it is empty");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_filtered_gap(void)
{
	const struct shape shape = { .size = 32768 };
	trace_id_t trid = stream_make(&shape);
	struct seen_list list;
	unsigned int first;
	size_t n;

	filter_with(trid, POSIX_TRACE_SYSTEM_EVENTS);
	must(posix_trace_start(trid), "start");
	put_numbers(0, 20000);
	ok(stream_status(trid).posix_stream_overrun_status == POSIX_TRACE_OVERRUN,
		"16.9 filter: a loss sets the overrun though OVERFLOW is filtered");
	list = read_all(trid);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first + n == 20000 && list.n == n,
		"16.9 filter: filtered OVERFLOW and RESUME are not reported, and the newest run is");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_filtered_log(void)
{
	const struct shape shape = {
		.size = 1 << 20, .log_size = 8000, .log_policy = POSIX_TRACE_UNTIL_FULL
	};
	int fd = file_without_name();
	trace_id_t trid = stream_make_log(&shape, fd);
	struct posix_trace_status_info status;
	struct seen_list list;

	filter_with(trid, POSIX_TRACE_SYSTEM_EVENTS);
	must(posix_trace_start(trid), "start");
	put_numbers(0, 10);
	stream_flush(trid); /* while there is room for its events */
	put_numbers(10, 5000);
	status = stream_flush(trid);
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(list.n > 100 && count_type(&list, POSIX_TRACE_UNNAMED_USEREVENT) == list.n &&
			status.posix_log_full_status == POSIX_TRACE_FULL,
		"16.9 filter: nor are FLUSH_START, FLUSH_STOP and the STOP of a full log in the log");
	seen_free(&list);
	close(fd);
}

static void test_refusals(void)
{
	trace_event_set_t set = set_of(0, 0);

	is_number((unsigned)posix_trace_get_filter(-1, &set), EINVAL,
		"3 get_filter: a trid that is none is EINVAL");
	is_number((unsigned)posix_trace_set_filter(-1, &set, POSIX_TRACE_SET_EVENTSET), EINVAL,
		"3 set_filter: a trid that is none is EINVAL");
}

/* --- while others record -------------------------------------------------------------------------------- */

static _Atomic bool is_over;

static void *put_both(void *type)
{
	while (!is_over) {
		put_number(*(trace_event_id_t *)type, 1);
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, 2);
	}
	return NULL;
}

static void test_under_load(void)
{
	trace_event_id_t one = type_open("filter: one");
	trace_id_t trid = stream_run(&plain);
	trace_event_set_t set = set_of(one, POSIX_TRACE_FILTER);
	pthread_t thread[2];
	unsigned int n_worst = 0;

	must(posix_trace_set_filter(trid, &set, POSIX_TRACE_ADD_EVENTSET), "set the filter");
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, put_both, &one);
	for (int round = 0; round < 50; round++) {
		struct seen event;
		unsigned int n = 0;

		set = set_of(one, 0);
		must(posix_trace_set_filter(trid, &set, POSIX_TRACE_SUB_EVENTSET), "set the filter");
		must(posix_trace_set_filter(trid, &set, POSIX_TRACE_ADD_EVENTSET), "set the filter");
		must(posix_trace_clear(trid), "clear");
		for (int i = 0; i < 1000 && read_one(trid, &event); i++)
			n += event.info.posix_event_id == one;
		n_worst = n > n_worst ? n : n_worst;
	}
	is_over = true;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	/* Each thread may have looked at the filter of before and have been interrupted then. */
	ok(n_worst <= 2, "9 filter: threads that record all the while obey it from their next event on");
	posix_trace_shutdown(trid);
}

int main(void)
{
	fixture_begin();
	test_fill();
	test_members();
	test_arithmetic();
	test_filter_event();
	test_effect();
	test_no_trace();
	test_control_events();
	test_filtered_gap();
	test_filtered_log();
	test_refusals();
	test_under_load();
	return tap_done();
}
