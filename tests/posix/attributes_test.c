/* SPDX-License-Identifier: MIT */
/*
 * Attributes: the values of a fresh object, what setters take and refuse, and what a stream made with it
 * really has.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- a fresh object ------------------------------------------------------------------------------------- */

static void test_defaults(void)
{
	trace_attr_t attr;
	char text[TRACE_NAME_MAX + 1];
	struct timespec time;
	int value;
	size_t size;

	memset(&attr, 0xa5, sizeof(attr));
	is_number((unsigned)posix_trace_attr_init(&attr), 0,
		"4 attributes: an object of any content is initialised");
	memset(text, 'x', sizeof(text));
	is_number((unsigned)posix_trace_attr_getname(&attr, text), 0,
		"4 attributes: a fresh object has a name");
	is_text(text, "", "4 attributes: the default name is empty");
	is_number((unsigned)posix_trace_attr_getgenversion(&attr, text), 0,
		"4 attributes: a fresh object has a generation version");
	ok(memchr(text, 0, TRACE_NAME_MAX) && text[0],
		"4 attributes: the generation version is a text that fits TRACE_NAME_MAX bytes with its NUL");
	ok(posix_trace_attr_getclockres(&attr, &time) == 0 && time_ns(&time) >= 1 &&
			time_ns(&time) <= 1000000000,
		"4 attributes: the clock's resolution is between a nanosecond and a second");
	ok(posix_trace_attr_getcreatetime(&attr, &time) == 0 && time_ns(&time) == 0,
		"4 attributes: a fresh object's creation time is 0");
	ok(posix_trace_attr_getstreamfullpolicy(&attr, &value) == 0 && value == POSIX_TRACE_LOOP,
		"16.3 attributes: an object whose policy was not set has LOOP");
	ok(posix_trace_attr_getlogfullpolicy(&attr, &value) == 0 && value == POSIX_TRACE_LOOP,
		"4 attributes: the default log policy is LOOP");
	ok(posix_trace_attr_getinherited(&attr, &value) == 0 && value == POSIX_TRACE_CLOSE_FOR_CHILD,
		"4 attributes: by default children are not traced");
	ok(posix_trace_attr_getstreamsize(&attr, &size) == 0 && size > 0,
		"4 attributes: there is a default stream size");
	ok(posix_trace_attr_getlogsize(&attr, &size) == 0 && size > 0,
		"4 attributes: there is a default log size");
	ok(posix_trace_attr_getmaxdatasize(&attr, &size) == 0 && size > 0,
		"4 attributes: there is a default max-data-size");
	is_number((unsigned)posix_trace_attr_destroy(&attr), 0, "4 attributes: an object is destroyed");
	is_number((unsigned)posix_trace_attr_init(&attr), 0,
		"4 attributes: a destroyed object can be initialised again");
	posix_trace_attr_destroy(&attr);
}

/* --- names ---------------------------------------------------------------------------------------------- */

static void test_names(void)
{
	trace_attr_t attr;
	char text[TRACE_NAME_MAX + 8], name[TRACE_NAME_MAX + 8];

	must(posix_trace_attr_init(&attr), "initialise attributes");
	ok(posix_trace_attr_setname(&attr, "engine") == 0 && posix_trace_attr_getname(&attr, text) == 0 &&
			strcmp(text, "engine") == 0,
		"4 attributes: a name that was set is given back");
	memset(name, 'n', sizeof(name));
	name[TRACE_NAME_MAX - 1] = 0;
	ok(posix_trace_attr_setname(&attr, name) == 0 && posix_trace_attr_getname(&attr, text) == 0 &&
			strcmp(text, name) == 0,
		"4 attributes: a name of TRACE_NAME_MAX-1 characters is kept whole");
	name[TRACE_NAME_MAX - 1] = 'n';
	name[TRACE_NAME_MAX + 5] = 0;
	memset(text, 'x', sizeof(text));
	ok(posix_trace_attr_setname(&attr, name) == 0 && posix_trace_attr_getname(&attr, text) == 0 &&
			strlen(text) == TRACE_NAME_MAX - 1,
		"4 attributes: a name longer than TRACE_NAME_MAX is cut to TRACE_NAME_MAX-1");
	ok(text[TRACE_NAME_MAX] == 'x',
		"16.2 attributes: getname writes no more than TRACE_NAME_MAX bytes, NUL included");
	ok(posix_trace_attr_setname(&attr, "") == 0 && posix_trace_attr_getname(&attr, text) == 0 && !text[0],
		"4 attributes: a name can be made empty again");
	posix_trace_attr_destroy(&attr);
}

/* --- values --------------------------------------------------------------------------------------------- */

typedef int (*set_value)(trace_attr_t *, int);
typedef int (*get_value)(const trace_attr_t *, int *);

static const struct choice {
	const char *name;
	set_value set;
	get_value get;
	int good[3], bad[5];
	size_t n_good, n_bad;
} choices[] = {
	{ "stream-full-policy", posix_trace_attr_setstreamfullpolicy, posix_trace_attr_getstreamfullpolicy,
		{ POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH },
		{ 0, -1, POSIX_TRACE_APPEND, 99, 0x7fffffff }, 3, 5 },
	{ "log-full-policy", posix_trace_attr_setlogfullpolicy, posix_trace_attr_getlogfullpolicy,
		{ POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND },
		{ 0, -1, POSIX_TRACE_FLUSH, 99, 0x7fffffff }, 3, 5 },
	{ "inheritance", posix_trace_attr_setinherited, posix_trace_attr_getinherited,
		{ POSIX_TRACE_INHERITED, POSIX_TRACE_CLOSE_FOR_CHILD, POSIX_TRACE_INHERITED },
		{ -1, 2, 99, 0x7fffffff, -99 }, 3, 5 },
};

static void test_choice(const struct choice *choice)
{
	trace_attr_t attr;
	bool is_good = true, is_refused = true, is_kept = true;
	int value;

	must(posix_trace_attr_init(&attr), "initialise attributes");
	for (size_t i = 0; i < choice->n_good; i++)
		is_good &= choice->set(&attr, choice->good[i]) == 0 && choice->get(&attr, &value) == 0 &&
			   value == choice->good[i];
	for (size_t i = 0; i < choice->n_bad; i++) {
		is_refused &= choice->set(&attr, choice->bad[i]) == EINVAL;
		is_kept &= choice->get(&attr, &value) == 0 && value == choice->good[choice->n_good - 1];
	}
	ok(is_good, "4 attributes: every value of %s can be set and is given back", choice->name);
	ok(is_refused, "4 attributes: a bad value of %s is EINVAL", choice->name);
	ok(is_kept, "4 attributes: a refused value leaves %s as it was", choice->name);
	posix_trace_attr_destroy(&attr);
}

typedef int (*set_size)(trace_attr_t *, size_t);
typedef int (*get_size)(const trace_attr_t *, size_t *);

static const struct measure {
	const char *name;
	set_size set;
	get_size get;
} measures[] = {
	{ "stream-min-size", posix_trace_attr_setstreamsize, posix_trace_attr_getstreamsize },
	{ "log-max-size", posix_trace_attr_setlogsize, posix_trace_attr_getlogsize },
	{ "max-data-size", posix_trace_attr_setmaxdatasize, posix_trace_attr_getmaxdatasize },
};

static void test_measure(const struct measure *measure)
{
	trace_attr_t attr;
	size_t size = 0;

	must(posix_trace_attr_init(&attr), "initialise attributes");
	ok(measure->set(&attr, 12345) == 0 && measure->get(&attr, &size) == 0 && size == 12345,
		"4 attributes: %s can be set and is given back", measure->name);
	posix_trace_attr_destroy(&attr);
}

/* --- sizes of events ------------------------------------------------------------------------------------ */

static size_t user_size(const trace_attr_t *attr, size_t n)
{
	size_t size = 0;

	must(posix_trace_attr_getmaxusereventsize(attr, n, &size), "get an event's size");
	return size;
}

static void test_event_sizes(void)
{
	trace_attr_t attr;
	size_t system_size = 0;
	bool is_rising = true, is_enough = true;

	must(posix_trace_attr_init(&attr), "initialise attributes");
	must(posix_trace_attr_setmaxdatasize(&attr, 256), "set the data's size");
	for (size_t n = 1; n < 300; n++) {
		is_rising &= user_size(&attr, n) >= user_size(&attr, n - 1);
		is_enough &= user_size(&attr, n) >= (n < 256 ? n : 256);
	}
	ok(is_rising, "4 attributes: the size of a user event does not decrease with the length of its data");
	ok(is_enough, "4 attributes: the size of a user event is not less than its data");
	is_number(user_size(&attr, 5000), user_size(&attr, 256),
		"4 attributes: data longer than max-data-size counts as max-data-size");
	is_number(user_size(&attr, (size_t)-1), user_size(&attr, 256),
		"4 attributes: the greatest length of a size_t is no overflow");
	ok(posix_trace_attr_getmaxsystemeventsize(&attr, &system_size) == 0 &&
			system_size >= 2 * sizeof(trace_event_set_t),
		"4 attributes: the size of a system event holds the data of a FILTER event");
	posix_trace_attr_destroy(&attr);
}

/* --- objects that are none ------------------------------------------------------------------------------ */

static bool is_refused_everywhere(trace_attr_t *attr)
{
	char text[TRACE_NAME_MAX + 1];
	struct timespec time;
	size_t size;
	int value;
	bool is_refused = true;
	trace_id_t trid;
	const int answers[] = {
		posix_trace_attr_destroy(attr),
		posix_trace_attr_getclockres(attr, &time),
		posix_trace_attr_getcreatetime(attr, &time),
		posix_trace_attr_getgenversion(attr, text),
		posix_trace_attr_getname(attr, text),
		posix_trace_attr_setname(attr, "x"),
		posix_trace_attr_getinherited(attr, &value),
		posix_trace_attr_setinherited(attr, POSIX_TRACE_INHERITED),
		posix_trace_attr_getlogfullpolicy(attr, &value),
		posix_trace_attr_setlogfullpolicy(attr, POSIX_TRACE_LOOP),
		posix_trace_attr_getstreamfullpolicy(attr, &value),
		posix_trace_attr_setstreamfullpolicy(attr, POSIX_TRACE_LOOP),
		posix_trace_attr_getlogsize(attr, &size),
		posix_trace_attr_setlogsize(attr, 65536),
		posix_trace_attr_getmaxdatasize(attr, &size),
		posix_trace_attr_setmaxdatasize(attr, 64),
		posix_trace_attr_getmaxsystemeventsize(attr, &size),
		posix_trace_attr_getmaxusereventsize(attr, 8, &size),
		posix_trace_attr_getstreamsize(attr, &size),
		posix_trace_attr_setstreamsize(attr, 65536),
		posix_trace_create(getpid(), attr, &trid),
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		is_refused &= answers[i] == EINVAL;
	return is_refused;
}

static void test_strangers(void)
{
	trace_attr_t attr;

	memset(&attr, 0, sizeof(attr));
	ok(is_refused_everywhere(&attr), "4 attributes: all functions refuse an object of zeros with EINVAL");
	memset(&attr, 0x5a, sizeof(attr));
	ok(is_refused_everywhere(&attr),
		"4 attributes: all functions refuse an object that was not initialised with EINVAL");
	must(posix_trace_attr_init(&attr), "initialise attributes");
	must(posix_trace_attr_destroy(&attr), "destroy attributes");
	ok(is_refused_everywhere(&attr), "4 attributes: all functions refuse a destroyed object with EINVAL");
}

/* --- what a stream has ---------------------------------------------------------------------------------- */

static void fill_attr(trace_attr_t *ret_attr)
{
	const struct shape shape = { .size = 70001,
		.data_size = 77,
		.log_size = 300000,
		.policy = POSIX_TRACE_UNTIL_FULL,
		.log_policy = POSIX_TRACE_APPEND,
		.inheritance = POSIX_TRACE_INHERITED };

	shape_attr(&shape, ret_attr);
	must(posix_trace_attr_setname(ret_attr, "sensors"), "set the name");
}

static void check_stream_attr(const trace_attr_t *attr, const char *owner)
{
	char name[TRACE_NAME_MAX + 1];
	size_t size = 0;
	int value = 0;

	posix_trace_attr_getname(attr, name);
	ok(strcmp(name, "sensors") == 0, "4 get_attr: %s has the name of its attributes", owner);
	ok(posix_trace_attr_getstreamsize(attr, &size) == 0 && size >= 70001,
		"4 get_attr: %s has at least the requested size", owner);
	ok(posix_trace_attr_getmaxdatasize(attr, &size) == 0 && size >= 77,
		"4 get_attr: %s keeps at least the requested data", owner);
	ok(posix_trace_attr_getstreamfullpolicy(attr, &value) == 0 && value == POSIX_TRACE_UNTIL_FULL,
		"4 get_attr: %s has the policy of its attributes", owner);
	ok(posix_trace_attr_getlogfullpolicy(attr, &value) == 0 && value == POSIX_TRACE_APPEND,
		"4 get_attr: %s has the log policy of its attributes", owner);
	ok(posix_trace_attr_getlogsize(attr, &size) == 0 && size == 300000,
		"4 get_attr: %s has the log size of its attributes", owner);
	ok(posix_trace_attr_getinherited(attr, &value) == 0 && value == POSIX_TRACE_INHERITED,
		"4 get_attr: %s has the inheritance of its attributes", owner);
}

static void test_copies(void)
{
	trace_attr_t attr, got;
	trace_id_t first, second;
	int value;

	fill_attr(&attr);
	must(posix_trace_create(getpid(), &attr, &first), "create a stream");
	must(posix_trace_create(getpid(), &attr, &second), "create another stream with the same attributes");
	must(posix_trace_attr_setname(&attr, "changed"), "set the name");
	must(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP), "set the policy");
	must(posix_trace_attr_destroy(&attr), "destroy attributes");
	memset(&got, 0x3c, sizeof(got));
	is_number((unsigned)posix_trace_get_attr(first, &got), 0,
		"2 get_attr: an object that was never initialised is filled in");
	check_stream_attr(&got, "a stream whose attributes were changed and destroyed since");
	must(posix_trace_attr_setname(&got, "mine"), "set the name of the copy");
	must(posix_trace_get_attr(second, &got), "get attributes");
	check_stream_attr(&got, "a second stream of one object");
	ok(posix_trace_attr_destroy(&got) == 0 && posix_trace_get_attr(second, &got) == 0 &&
			posix_trace_attr_getinherited(&got, &value) == 0,
		"4 get_attr: what it gave is a copy of its own");
	posix_trace_shutdown(first);
	posix_trace_shutdown(second);
}

static void test_created(void)
{
	const struct shape plain = { 0 };
	trace_attr_t attr;
	struct timespec created, resolution;
	int64_t before = now_ns(CLOCK_REALTIME), after;
	trace_id_t trid = stream_make(&plain);
	char version[TRACE_NAME_MAX + 1];

	after = now_ns(CLOCK_REALTIME);
	must(posix_trace_get_attr(trid, &attr), "get attributes");
	must(posix_trace_attr_getcreatetime(&attr, &created), "get the creation time");
	ok(time_ns(&created) >= before && time_ns(&created) <= after,
		"4 get_attr: the creation time is CLOCK_REALTIME when the stream was made");
	ok(posix_trace_attr_getclockres(&attr, &resolution) == 0 && time_ns(&resolution) >= 1 &&
			time_ns(&resolution) <= 1000000000,
		"14 get_attr: the resolution of the stamps is reported");
	ok(posix_trace_attr_getgenversion(&attr, version) == 0 && version[0] &&
			strlen(version) < TRACE_NAME_MAX,
		"4 get_attr: a stream has a generation version");
	posix_trace_shutdown(trid);
}

static int policy_of(trace_id_t trid)
{
	trace_attr_t attr;
	int policy = 0;

	must(posix_trace_get_attr(trid, &attr), "get attributes");
	must(posix_trace_attr_getstreamfullpolicy(&attr, &policy), "get the policy");
	return policy;
}

static void test_resolved(void)
{
	const struct shape plain = { 0 };
	trace_attr_t attr;
	trace_id_t trid;
	int fd = file_without_name();

	trid = stream_make(&plain);
	is_number((unsigned)policy_of(trid), POSIX_TRACE_LOOP,
		"16.3 create: a policy that was not set becomes LOOP without log");
	posix_trace_shutdown(trid);
	trid = stream_make_log(&plain, fd);
	is_number((unsigned)policy_of(trid), POSIX_TRACE_FLUSH,
		"16.3 create_withlog: a policy that was not set becomes FLUSH");
	posix_trace_shutdown(trid);
	must(posix_trace_create(getpid(), NULL, &trid), "create without attributes");
	is_number((unsigned)policy_of(trid), POSIX_TRACE_LOOP,
		"4 create: no attributes are all defaults, LOOP");
	posix_trace_shutdown(trid);
	must(posix_trace_create_withlog(getpid(), NULL, fd, &trid), "create with log, without attributes");
	is_number((unsigned)policy_of(trid), POSIX_TRACE_FLUSH,
		"4 create_withlog: no attributes are all defaults, FLUSH");
	posix_trace_shutdown(trid);
	close(fd);
	must(posix_trace_attr_init(&attr), "initialise attributes");
	is_number((unsigned)posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_FLUSH), 0,
		"4 attributes: the setter accepts FLUSH");
	is_number((unsigned)posix_trace_create(getpid(), &attr, &trid), EINVAL,
		"4 create: FLUSH without log is EINVAL");
	must(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP), "set the policy");
	must(posix_trace_attr_setstreamsize(&attr, (size_t)-1), "set a stream size of SIZE_MAX");
	int error = posix_trace_create(getpid(), &attr, &trid);
	ok(error == ENOMEM || error == EINVAL, "4 create: a stream size of SIZE_MAX is refused");
}

int main(void)
{
	fixture_begin();
	test_defaults();
	test_names();
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		test_choice(&choices[i]);
	for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++)
		test_measure(&measures[i]);
	test_event_sizes();
	test_strangers();
	test_copies();
	test_created();
	test_resolved();
	return tap_done();
}
