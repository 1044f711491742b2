/* SPDX-License-Identifier: MIT */
/* Names and identifiers of event types: one map for a process and its descendants, seen by every stream. */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct shape plain = { .size = 16384 };

static const struct predefined {
	trace_event_id_t id;
	const char *name;
} predefined[] = {
	{ POSIX_TRACE_ERROR, "posix_trace_error" },
	{ POSIX_TRACE_START, "posix_trace_start" },
	{ POSIX_TRACE_STOP, "posix_trace_stop" },
	{ POSIX_TRACE_FILTER, "posix_trace_filter" },
	{ POSIX_TRACE_OVERFLOW, "posix_trace_overflow" },
	{ POSIX_TRACE_RESUME, "posix_trace_resume" },
	{ POSIX_TRACE_FLUSH_START, "posix_trace_flush_start" },
	{ POSIX_TRACE_FLUSH_STOP, "posix_trace_flush_stop" },
	{ POSIX_TRACE_UNNAMED_USEREVENT, "posix_trace_unnamed_userevent" },
};
enum { N_PREDEFINED = sizeof(predefined) / sizeof(predefined[0]) };

static bool has_name(trace_id_t trid, trace_event_id_t id, const char *expected)
{
	char name[TRACE_EVENT_NAME_MAX + 1];

	return posix_trace_eventid_get_name(trid, id, name) == 0 && strcmp(name, expected) == 0;
}

static void test_predefined(void)
{
	trace_id_t trid = stream_make(&plain);
	trace_event_id_t id;
	bool is_same = true;

	for (size_t i = 0; i < N_PREDEFINED; i++)
		ok(has_name(trid, predefined[i].id, predefined[i].name), "5 names: a new stream has %s",
			predefined[i].name);
	for (size_t i = 0; i < N_PREDEFINED; i++)
		is_same &= posix_trace_trid_eventid_open(trid, predefined[i].name, &id) == 0 &&
			   id == predefined[i].id && posix_trace_eventid_open(predefined[i].name, &id) == 0 &&
			   id == predefined[i].id;
	ok(is_same, "5 names: a predefined name is opened as the type that it is");
	ok(posix_trace_eventid_open("POSIX_TRACE_START", &id) == 0 && id == POSIX_TRACE_START &&
			posix_trace_trid_eventid_open(trid, "POSIX_TRACE_UNNAMED_USEREVENT", &id) == 0 &&
			id == POSIX_TRACE_UNNAMED_USEREVENT,
		"5 names: the name of its constant is opened as that type, too");
	ok(posix_trace_eventid_open("POSIX_TRACE_STAR", &id) == 0 && id > POSIX_TRACE_UNNAMED_USEREVENT,
		"5 names: a part of it is a name as any other");
	posix_trace_shutdown(trid);
}

static void test_open(void)
{
	trace_event_id_t early, again, other;
	char longest[TRACE_EVENT_NAME_MAX + 3];
	trace_id_t trid, second;

	is_number((unsigned)posix_trace_eventid_open("names: early", &early), 0,
		"8 eventid_open: works with no stream at all");
	trid = stream_make(&plain);
	second = stream_make(&plain);
	ok(has_name(trid, early, "names: early"), "8 eventid_open: is remembered for streams made later");
	ok(posix_trace_eventid_open("names: early", &again) == 0 && again == early,
		"8 eventid_open: a known name has the identifier it had");
	ok(posix_trace_eventid_open("names: other", &other) == 0 && other != early &&
			other > POSIX_TRACE_UNNAMED_USEREVENT,
		"8 eventid_open: another name has another identifier");
	ok(has_name(trid, other, "names: other") && has_name(second, other, "names: other"),
		"8 names: all streams of a process have a name opened after they were made");
	memset(longest, 'e', sizeof(longest));
	longest[TRACE_EVENT_NAME_MAX] = 0;
	ok(posix_trace_eventid_open(longest, &again) == 0 && has_name(trid, again, longest),
		"16.2 eventid_open: a name of exactly TRACE_EVENT_NAME_MAX characters is kept whole");
	longest[TRACE_EVENT_NAME_MAX] = 'e';
	longest[TRACE_EVENT_NAME_MAX + 1] = 0;
	is_number((unsigned)posix_trace_eventid_open(longest, &again), ENAMETOOLONG,
		"8 eventid_open: a longer name is ENAMETOOLONG");
	is_number((unsigned)posix_trace_trid_eventid_open(trid, longest, &again), ENAMETOOLONG,
		"8 trid_eventid_open: a longer name is ENAMETOOLONG");
	posix_trace_shutdown(trid);
	posix_trace_shutdown(second);
}

static void test_trid_open(void)
{
	trace_id_t trid = stream_make(&plain), second = stream_make(&plain);
	trace_event_id_t early, later, third;

	is_number((unsigned)posix_trace_trid_eventid_open(trid, "names: prepared", &early), 0,
		"8 trid_eventid_open: a name may be opened before the application does");
	ok(posix_trace_eventid_open("names: prepared", &later) == 0 && later == early,
		"8 trid_eventid_open: the application gets the same identifier later");
	ok(posix_trace_trid_eventid_open(second, "names: prepared", &third) == 0 && third == early,
		"8 trid_eventid_open: two streams of one process agree");
	is_number((unsigned)posix_trace_trid_eventid_open(-1, "names: prepared", &third), EINVAL,
		"3 trid_eventid_open: a trid that is none is EINVAL");
	posix_trace_shutdown(trid);
	posix_trace_shutdown(second);
}

static void test_get_name(void)
{
	trace_id_t trid = stream_make(&plain);
	char name[TRACE_EVENT_NAME_MAX + 1] = "kept";

	is_number((unsigned)posix_trace_eventid_get_name(trid, 1087, name), EINVAL,
		"8 eventid_get_name: an identifier without a name is EINVAL");
	is_number((unsigned)posix_trace_eventid_get_name(trid, 0, name), EINVAL,
		"8 eventid_get_name: identifier 0 is EINVAL");
	is_number((unsigned)posix_trace_eventid_get_name(trid, 0xffffffffu, name), EINVAL,
		"8 eventid_get_name: the greatest number is EINVAL");
	is_text(name, "kept", "8 eventid_get_name: an error leaves the buffer alone");
	posix_trace_shutdown(trid);
}

static void test_equal(void)
{
	trace_id_t trid = stream_make(&plain);
	trace_event_id_t one = type_open("names: one"), two = type_open("names: two");

	ok(posix_trace_eventid_equal(trid, one, one) != 0, "8 eventid_equal: an identifier equals itself");
	ok(posix_trace_eventid_equal(trid, one, two) == 0,
		"8 eventid_equal: identifiers of two names differ");
	ok(posix_trace_eventid_equal(trid, POSIX_TRACE_UNNAMED_USEREVENT, POSIX_TRACE_UNNAMED_USER_EVENT) !=
			0,
		"16.1 eventid_equal: the unnamed user event is one type in both spellings");
	is_number((unsigned)posix_trace_eventid_equal(-1, one, one), 0,
		"3 eventid_equal: 0 for a trid that is none");
	posix_trace_shutdown(trid);
}

/* --- the list of types ---------------------------------------------------------------------------------- */

enum { MANY = 4096 };

static size_t list_types(trace_id_t trid, unsigned char seen[MANY])
{
	trace_event_id_t id = 0;
	int unavailable = 0;
	size_t n = 0;

	memset(seen, 0, MANY);
	while (posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable) == 0 && !unavailable &&
		n < MANY) {
		if (id < MANY)
			seen[id]++;
		n++;
	}
	return n;
}

static void test_list(void)
{
	trace_id_t trid = stream_make(&plain), second = stream_make(&plain);
	trace_event_id_t mine = type_open("names: listed"), id = 4711;
	unsigned char seen[MANY], again[MANY];
	int unavailable = 0;
	bool is_once = true, is_known = true, has_all = true;
	size_t n = list_types(trid, seen);

	for (unsigned int i = 0; i < MANY; i++) {
		char name[TRACE_EVENT_NAME_MAX + 1];

		is_once &= seen[i] <= 1;
		is_known &= (posix_trace_eventid_get_name(trid, i, name) == 0) == seen[i];
	}
	for (size_t i = 0; i < N_PREDEFINED; i++)
		has_all &= seen[predefined[i].id] == 1;
	ok(is_once, "8 eventtypelist: no type comes twice");
	ok(has_all && seen[mine] == 1, "8 eventtypelist: all predefined types and the process's own come");
	ok(is_known, "8 eventtypelist: what comes has a name, and what has a name comes");
	ok(posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable) == 0 && unavailable && id == 4711,
		"8 eventtypelist: at the end it is unavailable, returns 0 and stores nothing");
	ok(list_types(second, again) == n && memcmp(seen, again, MANY) == 0,
		"8 eventtypelist: each trid has its own place in the list");
	type_open("names: added at the end");
	ok(posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable) == 0 && !unavailable &&
			has_name(trid, id, "names: added at the end"),
		"8 eventtypelist: a type that was added meanwhile appears");
	is_number((unsigned)posix_trace_eventtypelist_rewind(trid), 0, "8 eventtypelist: it is rewound");
	is_number(list_types(trid, again), n + 1, "8 eventtypelist: and begins anew then");
	posix_trace_shutdown(trid);
	posix_trace_shutdown(second);
}

static void test_system_types(void)
{
	trace_id_t trid = stream_make(&plain);
	unsigned char seen[MANY];
	unsigned int n = 0;

	list_types(trid, seen);
	for (unsigned int i = 0; i < POSIX_TRACE_UNNAMED_USEREVENT; i++)
		n += seen[i];
	is_number(n, N_PREDEFINED - 1, "16.18 names: there are no system types but the predefined ones");
	posix_trace_shutdown(trid);
}

/* --- many threads, many processes ----------------------------------------------------------------------- */

enum { N_OPENERS = 4, N_NAMES = 50 };
struct opener {
	trace_event_id_t id[N_NAMES];
};

static void *open_names(void *argument)
{
	struct opener *opener = argument;

	for (unsigned int i = 0; i < N_NAMES; i++) {
		char name[TRACE_EVENT_NAME_MAX + 1];

		snprintf(name, sizeof(name), "names: racing %u", i);
		opener->id[i] = type_open(name);
	}
	return NULL;
}

static bool openers_agree(const struct opener *opener)
{
	for (unsigned int i = 0; i < N_NAMES; i++)
		for (unsigned int j = 0; j < i; j++)
			if (opener[0].id[i] == opener[0].id[j])
				return false;
	for (unsigned int k = 1; k < N_OPENERS; k++)
		if (memcmp(&opener[0], &opener[k], sizeof(*opener)) != 0)
			return false;
	return true;
}

static void test_racing_threads(void)
{
	static struct opener opener[N_OPENERS];
	pthread_t thread[N_OPENERS];

	for (unsigned int i = 0; i < N_OPENERS; i++)
		pthread_create(&thread[i], NULL, open_names, &opener[i]);
	for (unsigned int i = 0; i < N_OPENERS; i++)
		pthread_join(thread[i], NULL);
	ok(openers_agree(opener),
		"8 eventid_open: threads that open the same names at once get the same identifiers");
}

static int open_in_child(void *ret_id)
{
	*(trace_event_id_t *)ret_id = type_open("names: from an inherited child");
	return 0;
}

static void test_fork(void)
{
	const struct shape shape = { .size = 16384, .inheritance = POSIX_TRACE_INHERITED };
	trace_id_t trid = stream_run(&shape);
	trace_event_id_t *id = memory_shared(sizeof(*id)), mine;

	in_child(open_in_child, id);
	mine = type_open("names: from an inherited child");
	ok(*id != 0 && mine == *id, "8 names: parent and inherited child have one map");
	ok(has_name(trid, *id, "names: from an inherited child"),
		"8 names: the stream has what a child has opened");
	posix_trace_shutdown(trid);
}

/* --- limits; last, for the map is full then ------------------------------------------------------------- */

static int fill_map(void *unused)
{
	trace_id_t trid = stream_make(&plain);
	unsigned char seen[MANY];
	unsigned int n_user = 0;
	trace_event_id_t id = 0, known = type_open("names: known");
	struct seen event = { 0 };

	(void)unused;
	for (unsigned int i = 0; i < 2 * TRACE_USER_EVENT_MAX; i++) {
		char name[TRACE_EVENT_NAME_MAX + 1];

		snprintf(name, sizeof(name), "names: one of many %u", i);
		if (posix_trace_eventid_open(name, &id) != 0)
			return 1;
		if (id == POSIX_TRACE_UNNAMED_USEREVENT)
			break;
	}
	if (id != POSIX_TRACE_UNNAMED_USEREVENT)
		return 2;
	list_types(trid, seen);
	for (unsigned int i = POSIX_TRACE_UNNAMED_USEREVENT; i < MANY; i++)
		n_user += seen[i];
	if (n_user != TRACE_USER_EVENT_MAX)
		return 3;
	if (posix_trace_trid_eventid_open(trid, "names: too late", &id) != 0 ||
		id != POSIX_TRACE_UNNAMED_USEREVENT)
		return 4;
	if (type_open("names: known") != known)
		return 5;
	must(posix_trace_start(trid), "start");
	put_number(id, 9);
	read_one(trid, &event);
	return read_one(trid, &event) && event.info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT &&
			       number_of(&event) == 9
		       ? 0
		       : 6;
}

static int fill_half(void *first)
{
	for (unsigned int i = 0; i < TRACE_USER_EVENT_MAX; i++) {
		char name[TRACE_EVENT_NAME_MAX + 1];
		trace_event_id_t id;

		snprintf(name, sizeof(name), "names: shared limit %u", *(unsigned int *)first + i);
		must(posix_trace_eventid_open(name, &id), "open an event type");
	}
	return 0;
}

static int fill_from_children(void *unused)
{
	const struct shape shape = { .size = 16384, .inheritance = POSIX_TRACE_INHERITED };
	trace_id_t trid = stream_run(&shape);
	trace_event_id_t id = 0;
	unsigned int first = 0;

	(void)unused;
	in_child(fill_half, &first);
	must(posix_trace_eventid_open("names: parent after children", &id), "open an event type");
	posix_trace_shutdown(trid);
	return id == POSIX_TRACE_UNNAMED_USEREVENT ? 0 : 1;
}

static void test_limits(void)
{
	int code = WEXITSTATUS(in_child(fill_map, NULL));

	ok(code != 1 && code != 2, "8 eventid_open: without room it returns 0 and the unnamed user event");
	ok(code == 0 || code > 3, "2.1 names: TRACE_USER_EVENT_MAX types exist, the unnamed one included");
	ok(code == 0 || code > 4, "8 trid_eventid_open: it counts against the same limit");
	ok(code == 0 || code > 5, "8 eventid_open: a known name is found when there is no room");
	is_number((unsigned)code, 0, "8 eventid_open: events of what found no room are recorded as unnamed");
	is_number((unsigned)WEXITSTATUS(in_child(fill_from_children, NULL)), 0,
		"16.24 names: a tree of processes shares one limit");
}

int main(void)
{
	fixture_begin();
	test_open();
	test_predefined();
	test_trid_open();
	test_get_name();
	test_equal();
	test_list();
	test_system_types();
	test_racing_threads();
	test_fork();
	test_limits();
	return tap_done();
}
