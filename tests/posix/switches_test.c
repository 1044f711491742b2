/* SPDX-License-Identifier: MIT */
/* The kernel's switches in logs: they follow the state of the stream, whatever its filter lets through. */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { SLEEPS = 20, FEW = 10 };

static void sleep_often(int n)
{
	for (int i = 0; i < n; i++)
		sleep_ms(1);
}

/* Runs, sleeping; stands still, sleeping; runs, sleeping. */
static void record_switches(int log)
{
	trace_attr_t attr;
	trace_id_t trid;
	int value = -1;

	must(posix_trace_attr_init(&attr), "initialise attributes");
	ok(posix_trace_attr_getswitches_np(&attr, &value) == 0 && value == 0,
		"np switches: a stream has none unless they are wanted");
	ok(posix_trace_attr_setswitches_np(&attr, 7) == 0 &&
			posix_trace_attr_getswitches_np(&attr, &value) == 0 && value == 3,
		"np switches: page faults are wanted with them");
	ok(posix_trace_attr_setswitches_np(&attr, 4) == 0 &&
			posix_trace_attr_getswitches_np(&attr, &value) == 0 &&
			value == POSIX_TRACE_SWITCHES_NP,
		"np switches: they are wanted or not");
	must(posix_trace_create_withlog(0, &attr, log, &trid), "create a stream with switches");
	ok(posix_trace_get_attr(trid, &attr) == 0 && posix_trace_attr_getswitches_np(&attr, &value) == 0 &&
			value == 1,
		"np switches: the status of a stream has them");
	posix_trace_attr_destroy(&attr);
	ok(posix_trace_attr_setswitches_np(&attr, 1) == EINVAL &&
			posix_trace_attr_getswitches_np(&attr, &value) == EINVAL,
		"np switches: EINVAL for attributes that are none");
	must(posix_trace_start(trid), "start");
	sleep_often(SLEEPS);
	must(posix_trace_stop(trid), "stop");
	sleep_often(SLEEPS);
	must(posix_trace_start(trid), "start");
	sleep_often(SLEEPS);
	must(posix_trace_shutdown(trid), "shut down");
}

/* How often a thread of ours began to wait, while the stream ran and while it did not. */
static void count_waits(int log, size_t ret_n[2])
{
	struct seen_list list = read_log(log);
	bool is_running = false;

	ret_n[0] = ret_n[1] = 0;
	for (size_t i = 0; i < list.n; i++) {
		const struct posix_trace_event_info *info = &list.event[i].info;

		if (info->posix_event_id == POSIX_TRACE_START || info->posix_event_id == POSIX_TRACE_STOP)
			is_running = info->posix_event_id == POSIX_TRACE_START;
		ret_n[is_running] += info->posix_event_id == POSIX_TRACE_SCHED_WAIT_NP &&
				     info->posix_tid_np == getpid() && info->posix_cpu_np >= 0;
	}
	ok(is_ordered(&list), "np switches: a log with them is in order of time");
	seen_free(&list);
}

static void test_switches(void)
{
	int log = file_without_name();
	size_t n[2];

	record_switches(log);
	count_waits(log, n);
	ok(n[1] >= 2 * SLEEPS, "np switches: a log has the switches of its process (%zu)", n[1]);
	is_number(n[0], 0, "np switches: and no switch of the time when the stream was stopped");
	close(log);
}

/* --- whatever is filtered, and after posix_trace_clear() ------------------------------------------------ */

struct course {
	const char *sentence;
	unsigned int types; /* bit n: predefined type n is filtered out, before the stream starts */
	bool pauses, clears;
	size_t n_least, n_most;
};

#define TYPE(id) (1u << POSIX_TRACE_##id)
#define ALL_SYSTEM                                                                               \
	(TYPE(ERROR) | TYPE(START) | TYPE(STOP) | TYPE(FILTER) | TYPE(OVERFLOW) | TYPE(RESUME) | \
		TYPE(FLUSH_START) | TYPE(FLUSH_STOP))

static const struct course courses[] = {
	{ "with no filter", 0, false, false, FEW, FEW + 2 },
	{ "with POSIX_TRACE_START filtered out", TYPE(START), false, false, FEW, FEW + 2 },
	{ "with all types of the standard filtered out", ALL_SYSTEM, false, false, FEW, FEW + 2 },
	{ "with POSIX_TRACE_STOP filtered out, and no switch of the pause", TYPE(STOP), true, false, 2 * FEW,
		2 * FEW + 2 },
	{ "with START and STOP filtered out, and no switch of the pause", TYPE(START) | TYPE(STOP), true,
		false, 2 * FEW, 2 * FEW + 2 },
	{ "after posix_trace_clear()", 0, false, true, FEW, FEW + 2 },
};

static trace_id_t course_begin(const struct course *course, int policy, int log)
{
	trace_event_set_t set;
	trace_attr_t attr;
	trace_id_t trid;

	must(posix_trace_attr_init(&attr), "initialise attributes");
	must(posix_trace_attr_setswitches_np(&attr, 1), "want switches");
	must(posix_trace_attr_setstreamfullpolicy(&attr, policy), "set the policy");
	must(posix_trace_create_withlog(0, &attr, log, &trid), "create a stream with switches");
	posix_trace_eventset_empty(&set);
	for (trace_event_id_t id = POSIX_TRACE_ERROR; id <= POSIX_TRACE_FLUSH_STOP; id++)
		if (course->types >> id & 1)
			posix_trace_eventset_add(id, &set);
	must(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), "set the filter");
	posix_trace_attr_destroy(&attr);
	return trid;
}

static void course_run(const struct course *course, int log)
{
	trace_id_t trid = course_begin(course, POSIX_TRACE_FLUSH, log);

	must(posix_trace_start(trid), "start");
	sleep_often(FEW);
	if (course->clears) {
		must(posix_trace_clear(trid), "clear");
		sleep_often(FEW);
	}
	if (course->pauses) {
		must(posix_trace_stop(trid), "stop");
		sleep_often(2 * FEW);
		must(posix_trace_start(trid), "start");
		sleep_often(FEW);
	}
	must(posix_trace_shutdown(trid), "shut down");
}

static void test_course(const struct course *course)
{
	int log = file_without_name();
	struct seen_list list;
	size_t n = 0;

	course_run(course, log);
	list = read_log(log);
	for (size_t i = 0; i < list.n; i++)
		n += list.event[i].info.posix_event_id == POSIX_TRACE_SCHED_WAIT_NP &&
		     list.event[i].info.posix_tid_np == getpid();
	ok(n >= course->n_least && n <= course->n_most,
		"np switches: those of the running stream are there %s (%zu of %zu)", course->sentence, n,
		course->n_least);
	seen_free(&list);
	close(log);
}

/*
 * An UNTIL_FULL stream stops by itself, and runs again when it has been flushed: the events of that are
 * filtered out.
 */
static void test_full(void)
{
	const struct course course = { .types = TYPE(START) | TYPE(STOP) };
	struct posix_trace_status_info status;
	int log = file_without_name();
	struct seen_list list;
	trace_id_t trid;
	size_t n = 0;

	trid = course_begin(&course, POSIX_TRACE_UNTIL_FULL, log);
	must(posix_trace_start(trid), "start");
	sleep_often(FEW);
	do {
		put_numbers(0, 1000);
		must(posix_trace_get_status(trid, &status), "get the status");
	} while (status.posix_stream_full_status != POSIX_TRACE_FULL);
	sleep_often(2 * FEW);
	stream_flush(trid);
	sleep_often(FEW);
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(log);
	for (size_t i = 0; i < list.n; i++)
		n += list.event[i].info.posix_event_id == POSIX_TRACE_SCHED_WAIT_NP &&
		     list.event[i].info.posix_tid_np == getpid();
	ok(n >= 2 * FEW && n <= 2 * FEW + 4,
		"np switches: no switch is of the time when the stream was full and stopped, though START "
		"and STOP are filtered out (%zu of %d)",
		n, 2 * FEW);
	seen_free(&list);
	close(log);
}

/* --- system types --------------------------------------------------------------------------------------- */

static bool lists_type(trace_id_t trid, trace_event_id_t wanted)
{
	trace_event_id_t id;
	bool has = false;
	int is_end = 0;

	must(posix_trace_eventtypelist_rewind(trid), "begin the list of types");
	while (posix_trace_eventtypelist_getnext_id(trid, &id, &is_end) == 0 && !is_end)
		has |= id == wanted;
	return has;
}

static void test_types(void)
{
	static const struct course all = { .types = ALL_SYSTEM };
	const struct shape plain = { .size = 65536 };
	char name[TRACE_EVENT_NAME_MAX + 1] = "";
	int log = file_without_name();
	trace_id_t with = course_begin(&all, POSIX_TRACE_FLUSH, log), without = stream_make(&plain);
	trace_event_id_t id = 0, own;
	struct seen_list list;

	ok(lists_type(with, POSIX_TRACE_SCHED_WAIT_NP) && !lists_type(without, POSIX_TRACE_SCHED_WAIT_NP),
		"np switches: they are system types of streams that have them, and of no others");
	ok(posix_trace_eventid_get_name(with, POSIX_TRACE_SCHED_WAIT_NP, name) == 0 &&
			strcmp(name, "sched_wait") == 0 &&
			posix_trace_trid_eventid_open(with, "sched_wait", &id) == 0 &&
			id == POSIX_TRACE_SCHED_WAIT_NP,
		"np switches: their types have names, and are found by them");
	own = type_open("sched_wait");
	ok(own > POSIX_TRACE_UNNAMED_USEREVENT, "np switches: a program may have a type with such a name");
	filter_with(with, POSIX_TRACE_SYSTEM_EVENTS);
	must(posix_trace_start(with), "start");
	sleep_often(FEW);
	put_number(own, 1);
	must(posix_trace_shutdown(with), "shut down");
	list = read_log(log);
	ok(list.n == 1 && list.event[0].info.posix_event_id == own,
		"np switches: a filter of POSIX_TRACE_SYSTEM_EVENTS leaves them out (%zu)", list.n);
	seen_free(&list);
	must(posix_trace_shutdown(without), "shut down");
	close(log);
}

static bool are_refused(void)
{
	int log = file_without_name(), error;
	trace_attr_t attr;
	trace_id_t trid;

	must(posix_trace_attr_init(&attr), "initialise attributes");
	must(posix_trace_attr_setswitches_np(&attr, 1), "want switches");
	error = posix_trace_create_withlog(0, &attr, log, &trid);
	if (error == 0)
		must(posix_trace_shutdown(trid), "shut down");
	close(log);
	return error == EACCES || error == EPERM || error == ENOSYS;
}

int main(void)
{
	fixture_begin();
	if (are_refused()) {
		skip("np switches: a log has the switches of its process", "perf_event_open() is refused");
		return tap_done();
	}
	test_switches();
	for (size_t i = 0; i < sizeof courses / sizeof courses[0]; i++)
		test_course(&courses[i]);
	test_full();
	test_types();
	return tap_done();
}
