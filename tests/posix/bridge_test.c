/* SPDX-License-Identifier: MIT */
/*
 * Trace points as programs for <sys/sdt.h> and for Perfetto write them: <trace_probe_np.h>,
 * <trace_scope_np.h>.
 */
#include <trace_probe_np.h>
#include <trace_scope_np.h>
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h> /* changes nothing any more */
#endif

#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <trace_bridge_np.h>
#include <unistd.h>

static const struct shape roomy = { .size = 1 << 20, .data_size = 1024 };

static trace_id_t trid;
static struct seen_list list;

/* All tests read the same stream, each what it recorded. */
static void list_read(void)
{
	seen_free(&list);
	list = read_all(trid);
}

static const char *name_of(size_t i)
{
	static char name[TRACE_EVENT_NAME_MAX + 1];

	if (i >= list.n || posix_trace_eventid_get_name(trid, list.event[i].info.posix_event_id, name) != 0)
		return "(none)";
	return name;
}

/* The names of all events that were recorded since the last look. */
static void names_are(const char *expected, const char *sentence)
{
	char names[1000] = "";

	list_read();
	for (size_t i = 0; i < list.n; i++) {
		strcat(names, i ? " " : "");
		strcat(names, name_of(i));
	}
	is_text(names, expected, sentence);
}

/* Number n, from 1, of an event's data that are 8 bytes each. */
static long long value_of(size_t event, size_t n)
{
	long long number = 0;

	if (event < list.n && list.event[event].n >= 8 * n)
		memcpy(&number, list.event[event].data + 8 * (n - 1), 8);
	return number;
}

static double real_of(size_t event, size_t n)
{
	long long bits = value_of(event, n);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* --- probes --------------------------------------------------------------------------------------------- */

#define PROVIDER pool
#define TAKE	 take

static void test_probe_names(void)
{
	DTRACE_PROBE(pool, opened);
	STAP_PROBE(pool, opened);
	DTRACE_PROBE1(PROVIDER, TAKE, 1);
	STAP_PROBE1(PROVIDER, TAKE, 2);
	names_are("pool:opened pool:opened pool:take pool:take",
		"np probe: an event is called provider:name, and both may be macros");
	ok(list.n == 4 && list.event[0].n == 0 &&
			list.event[0].info.posix_event_id == list.event[1].info.posix_event_id,
		"np probe: DTRACE_PROBE and STAP_PROBE are one");
	ok(value_of(2, 1) == 1 && value_of(3, 1) == 2, "np probe: in many places it is one type");
}

static void test_probe_widths(void)
{
	const signed char narrow = -1;
	const unsigned char high = 200;
	unsigned int word = 4000000000u;
	long long wide = -5000000000ll;
	size_t size = SIZE_MAX;
	bool is = true;
	float single = 0.25f;
	char text[20] = "text";
	enum { BLUE = 7 } color = BLUE;

	DTRACE_PROBE11(pool, widths, narrow, high, word, wide, size, is, single, 2.5, text, test_probe_widths,
		color);
	list_read();
	ok(list.n == 1 && list.event[0].n == 88, "np probe: every argument takes 8 bytes");
	ok(value_of(0, 1) == -1 && value_of(0, 2) == 200 && value_of(0, 3) == 4000000000ll &&
			value_of(0, 4) == -5000000000ll && value_of(0, 5) == -1 && value_of(0, 6) == 1 &&
			value_of(0, 11) == 7,
		"np probe: whatever the width of an integer, its value is kept");
	ok(real_of(0, 7) == 0.25 && real_of(0, 8) == 2.5, "np probe: floating point numbers are doubles");
	ok(value_of(0, 9) == (long long)(intptr_t)text &&
			value_of(0, 10) == (long long)(intptr_t)test_probe_widths,
		"np probe: arrays, functions and text are addresses");
}

static void test_probe_counts(void)
{
	bool is_right = true;

	DTRACE_PROBE1(counts, one, 1);
	DTRACE_PROBE2(counts, two, 1, 2);
	DTRACE_PROBE3(counts, three, 1, 2, 3);
	DTRACE_PROBE4(counts, four, 1, 2, 3, 4);
	DTRACE_PROBE5(counts, five, 1, 2, 3, 4, 5);
	DTRACE_PROBE6(counts, six, 1, 2, 3, 4, 5, 6);
	DTRACE_PROBE7(counts, seven, 1, 2, 3, 4, 5, 6, 7);
	DTRACE_PROBE8(counts, eight, 1, 2, 3, 4, 5, 6, 7, 8);
	DTRACE_PROBE9(counts, nine, 1, 2, 3, 4, 5, 6, 7, 8, 9);
	DTRACE_PROBE10(counts, ten, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	DTRACE_PROBE11(counts, eleven, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
	DTRACE_PROBE12(counts, twelve, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	list_read();
	for (size_t i = 0; i < list.n; i++)
		for (size_t n = 1; n <= i + 1; n++)
			is_right &= list.event[i].n == 8 * (i + 1) && value_of(i, n) == (long long)n;
	ok(is_right && list.n == 12, "np probe: one to twelve arguments are recorded in order");
}

static int n_calls;

static int count_call(void)
{
	return ++n_calls;
}

static void probe_evaluating(void)
{
	DTRACE_PROBE1(pool, evaluating, count_call());
}

static void test_evaluation(void)
{
	n_calls = 0;
	probe_evaluating();
	is_number((unsigned)n_calls, 1, "np probe: an argument is evaluated once");
	must(posix_trace_shutdown(trid), "shut down");
	probe_evaluating();
	TRACE_EVENT_INSTANT("pool", "evaluating", "n", count_call());
	is_number((unsigned)n_calls, 1, "np probe: and not at all while no stream traces");
	trid = stream_run(&roomy);
}

static void probe_in_handler(int signal)
{
	TRACE_EVENT("handler", "run", "signal", signal);
	errno = EIO;
	DTRACE_PROBE1(handler, signalled, signal);
	ok(errno == EIO, "np probe: errno is kept");
}

static void test_handler(void)
{
	signal(SIGUSR1, probe_in_handler);
	raise(SIGUSR1);
	names_are("handler:run:begin handler:signalled handler:run:end",
		"np probe: a signal handler may have probes and scopes");
}

/* Which of them has the bare name depends on how the compiler orders them. */
static bool is_variant(size_t i, const char *name)
{
	const char *got = name_of(i);
	size_t n = strlen(name);

	return strncmp(got, name, n) == 0 && (!got[n] || (got[n] == '~' && got[n + 1] >= '2'));
}

static trace_event_id_t type_of(size_t i)
{
	return i < list.n ? list.event[i].info.posix_event_id : 0;
}

static void test_other_fields(void)
{
	double ratio = 0.5;
	bool are_variants = true;

	for (int i = 0; i < 2; i++) {
		DTRACE_PROBE1(pool, differs, i);
		DTRACE_PROBE1(pool, differs, ratio);
		DTRACE_PROBE2(pool, differs, i, i);
	}
	list_read();
	for (size_t i = 0; i < 6; i++)
		are_variants &= is_variant(i, "pool:differs") && type_of(i) == type_of((i + 3) % 6);
	ok(are_variants && type_of(0) != type_of(1) && type_of(1) != type_of(2) && type_of(0) != type_of(2),
		"np probe: what has the name but other fields is a type of its own");
	POSIX_TRACE_EVENT_NP(point_differs, ratio);
	POSIX_TRACE_EVENT_NP(point_differs, n_calls);
	list_read();
	ok(is_variant(0, "point_differs") && is_variant(1, "point_differs") && type_of(0) != type_of(1),
		"np point: so it is with trace points");
}

static void test_twelve_fields(void)
{
	int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11;
	const char l = 12;
	int array[4] = { 0 }, *at = array;

	POSIX_TRACE_EVENT_NP(twelve_fields, a, b, c, d, e, f, g, h, i, j, k, l);
	POSIX_TRACE_EVENT_NP(array_field, array);
	list_read();
	ok(list.n == 2 && list.event[0].n == 45 && list.event[0].data[40] == 11 &&
			list.event[0].data[44] == 12,
		"np point: a trace point has up to twelve fields, as wide as they are");
	ok(list.n == 2 && list.event[1].n == sizeof(at) && memcmp(list.event[1].data, &at, sizeof(at)) == 0,
		"np point: an array is the address of its first element");
}

/* --- scopes --------------------------------------------------------------------------------------------- */

static int leave_early(int how)
{
	TRACE_EVENT("scope", "outer");
	if (how == 0)
		return 0;
	{
		TRACE_EVENT("scope", "inner", "how", how);
	}
	for (int i = 0; i < 2; i++) {
		TRACE_EVENT("scope", "turn");
		if (how == 1)
			break;
	}
	return 1;
}

/* The text of field n of the last event, all of whose fields are texts. */
static const char *text_of(size_t n)
{
	static char text[POSIX_TRACE_TEXT_BYTES_NP + 1];

	if (list.n == 0 || list.event[list.n - 1].n < (n + 1) * POSIX_TRACE_TEXT_BYTES_NP)
		return "(none)";
	memcpy(text, list.event[list.n - 1].data + n * POSIX_TRACE_TEXT_BYTES_NP, POSIX_TRACE_TEXT_BYTES_NP);
	return text;
}

static void test_texts(void)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
	const char whole[4] = { 'f', 'u', 'l', 'l' };
	char array[16] = "array", *pointer = array;
	const char *none = NULL, *next = letters;
	char first[POSIX_TRACE_TEXT_BYTES_NP + 1] = "";

	POSIX_TRACE_EVENT_NP(texts, "literal", array, pointer, none);
	memset(array, 'x', sizeof array - 1); /* the event has a copy */
	list_read();
	is_text(text_of(0), "literal", "np point: a literal is kept as text");
	is_text(text_of(1), "array", "np point: a char array is kept as text");
	is_text(text_of(2), "array", "np point: what a char pointer points to is kept as text");
	is_text(text_of(3), "", "np point: a null pointer is an empty text");
	POSIX_TRACE_EVENT_NP(bounded, letters, whole, next++);
	list_read();
	memcpy(first, letters, POSIX_TRACE_TEXT_BYTES_NP);
	is_text(text_of(0), first, "np point: the first 64 bytes of a longer text are kept");
	is_text(text_of(1), "full", "np point: of an array without NUL no more than it has");
	ok(next == letters + 1, "np point: a text is evaluated once");
}

static void test_scopes(void)
{
	leave_early(0);
	names_are("scope:outer:begin scope:outer:end", "np scope: a block that is left by return ends");
	leave_early(1);
	names_are("scope:outer:begin scope:inner:begin scope:inner:end scope:turn:begin scope:turn:end "
		  "scope:outer:end",
		"np scope: blocks nest, and break leaves one");
	ok(value_of(1, 1) == 1 && list.event[1].n == 8 && list.event[2].n == 0,
		"np scope: values belong to the beginning");
	leave_early(2);
	is_number((list_read(), list.n), 8, "np scope: each turn of a loop is one");
}

static void test_scope_and_streams(void)
{
	must(posix_trace_shutdown(trid), "shut down");
	{
		TRACE_EVENT("scope", "before");
		trid = stream_run(&roomy);
		TRACE_EVENT("scope", "after");
	}
	names_are("scope:after:begin scope:after:end",
		"np scope: what began before a stream traced has no end either");
}

static void test_scope_events(void)
{
	char long_text[100];
	const char *text = "why";

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[99] = 0;
	TRACE_EVENT_BEGIN("render", "wait");
	TRACE_EVENT_BEGIN("render", "draw", "frame", 7, "why", text);
	TRACE_EVENT_INSTANT("render", "skip", "why", long_text, "n", -1, "none", (const char *)NULL);
	TRACE_EVENT_END("render");
	TRACE_EVENT_END("render", "n_lines", 3);
	TRACE_COUNTER("render", "queued", n_calls);
	TRACE_COUNTER("render", "load", 0.5);
	names_are("render:wait:begin render:draw:begin render:skip render:end render:end "
		  "render:queued:counter render:load:counter",
		"np scope: names are category, name and what it is");
	ok(list.n == 7 && list.event[1].n == 72 && value_of(1, 1) == 7 &&
			memcmp(list.event[1].data + 8, "why\0\0\0\0\0", 8) == 0,
		"np scope: text is kept as text, in 64 bytes");
	ok(list.n == 7 && list.event[2].n == 136 && memcmp(list.event[2].data, long_text, 64) == 0 &&
			value_of(2, 9) == -1 && value_of(2, 10) == 0,
		"np scope: and is cut there; a NULL is empty text");
	ok(list.n == 7 && list.event[3].n == 0 && value_of(4, 1) == 3, "np scope: an end may have values");
	ok(value_of(5, 1) == n_calls && real_of(6, 1) == 0.5, "np scope: a counter has its value");
}

static void test_eight_pairs(void)
{
	bool is_right = true;

	TRACE_EVENT_INSTANT(
		"render", "eight", "a", 1, "b", 2, "c", 3, "d", 4, "e", 5, "f", 6, "g", 7, "h", 8);
	list_read();
	for (size_t n = 1; n <= 8; n++)
		is_right &= value_of(0, n) == (long long)n;
	ok(is_right && list.n == 1 && list.event[0].n == 64, "np scope: an event has up to eight values");
}

static pthread_barrier_t both;

static void *run_nested(void *name)
{
	(void)name;
	pthread_barrier_wait(&both);
	for (int i = 0; i < 500; i++) {
		TRACE_EVENT("thread", "outer");
		TRACE_EVENT("thread", "inner");
	}
	return NULL;
}

/* Whether begins and ends of a thread are those of nested blocks. */
static bool is_nested(pthread_t thread)
{
	static const char *const cycle[] = { "thread:outer:begin", "thread:inner:begin", "thread:inner:end",
		"thread:outer:end" };
	unsigned int n = 0;

	for (size_t i = 0; i < list.n; i++)
		if (pthread_equal(list.event[i].info.posix_thread_id, thread) &&
			strcmp(name_of(i), cycle[n++ % 4]) != 0)
			return false;
	return n == 2000;
}

static void test_threads(void)
{
	pthread_t one, other;

	pthread_barrier_init(&both, NULL, 2);
	must(pthread_create(&one, NULL, run_nested, NULL), "create a thread");
	must(pthread_create(&other, NULL, run_nested, NULL), "create a thread");
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	list_read();
	ok(is_nested(one) && is_nested(other), "np scope: beginnings and ends nest in each thread by itself");
	pthread_barrier_destroy(&both);
}

/* --- the bridge ----------------------------------------------------------------------------------------- */

static void test_bridge(void)
{
	trace_event_set_t set;
	bool is_there = access("/sys/kernel/tracing/user_events_data", F_OK) == 0;
	int error;

	is_number((unsigned)posix_trace_bridge_np(NULL), 0, "np bridge: to end it is no error at any time");
	posix_trace_eventset_empty(&set);
	posix_trace_eventset_add(type_open("bridged"), &set);
	error = posix_trace_bridge_np(&set);
	ok(error == (is_there ? 0 : ENOTSUP) || error == EACCES || error == EPERM,
		"np bridge: a kernel without user_events is ENOTSUP");
	put_number(type_open("bridged"), 5);
	names_are("bridged", "np bridge: streams have their events in any case");
	posix_trace_bridge_np(NULL);
}

int main(void)
{
	fixture_begin();
	trid = stream_run(&roomy);
	test_probe_names();
	test_probe_widths();
	test_probe_counts();
	test_evaluation();
	test_handler();
	test_other_fields();
	test_twelve_fields();
	test_texts();
	test_scopes();
	test_scope_and_streams();
	test_scope_events();
	test_eight_pairs();
	test_threads();
	test_bridge();
	seen_free(&list);
	posix_trace_shutdown(trid);
	return tap_done();
}
