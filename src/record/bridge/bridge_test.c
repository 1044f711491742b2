/* SPDX-License-Identifier: MIT */
/*
 * The bridge with a file and a function in place of the kernel: which events it registers and writes. One
 * test uses the real kernel.
 */
#include "record/bridge/bridge.h"
#include "record/bridge/user_events.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <trace_point_np.h>
#include <unistd.h>

static void must(bool holds, const char *step)
{
	if (holds)
		return;
	printf("Bail out! %s\n", step);
	exit(1);
}

/* --- the replaced kernel -------------------------------------------------------------------------------- */

static struct fake {
	char path[40];
	int fd;	  /* the file, to look at */
	off_t at; /* what was looked at last ends there */
	struct registered {
		char description[USER_EVENTS_DESCRIPTION_MAX];
		_Atomic uint32_t *enabled; /* NULL after it is dropped */
	} events[32];
	unsigned int n_events, n_dropped, n_bad;
	const char *refused; /* descriptions that begin so are EADDRINUSE */
	bool forks;	     /* at the next request, once */
	int child_status;
} fake;

static int fake_add(const struct user_events_add *add, uint32_t *ret_index)
{
	struct registered *event = &fake.events[fake.n_events];
	const char *description = (const char *)(uintptr_t)add->description;

	fake.n_bad += add->size != 28 || add->enable_size != 4 || add->enable_bit != 0 || add->flags != 0 ||
		      add->enable_address % 4 != 0 || strlen(description) >= sizeof(event->description);
	if (fake.refused && strncmp(description, fake.refused, strlen(fake.refused)) == 0) {
		errno = EADDRINUSE;
		return -1;
	}
	must(fake.n_events < 31, "too many events");
	strcpy(event->description, description);
	event->enabled = (_Atomic uint32_t *)(uintptr_t)add->enable_address;
	*ret_index = fake.n_events++;
	return 0;
}

static int fake_drop(const struct user_events_drop *drop)
{
	fake.n_bad += drop->size != 16 || drop->disable_bit != 0 || drop->reserved || drop->also_reserved;
	for (unsigned int i = 0; i < fake.n_events; i++)
		if (fake.events[i].enabled == (void *)(uintptr_t)drop->disable_address) {
			fake.events[i].enabled = NULL;
			fake.n_dropped++;
			return 0;
		}
	errno = ENOENT;
	return -1;
}

/* A child that begins while its parent's thread is in the midst of it. */
static void fake_fork(void)
{
	pid_t child;

	fake.forks = false;
	child = fork();
	if (child == 0) {
		alarm(10);
		_exit(posix_trace_bridge_np(NULL));
	}
	waitpid(child, &fake.child_status, 0);
}

/* The numbers are those of the kernel's header on 64-bit machines. */
static int fake_control(int fd, unsigned long request, void *argument)
{
	struct user_events_add *add = argument;
	uint32_t index = 0;
	int status;

	if (fake.forks)
		fake_fork();
	fake.n_bad += fcntl(fd, F_GETFD) != FD_CLOEXEC;
	if (request == 0x40082a02)
		return fake_drop(argument);
	fake.n_bad += request != 0xc0082a00;
	status = fake_add(add, &index);
	if (status == 0)
		add->write_index = index;
	return status;
}

static const struct bridge_kernel kernel = { fake.path, fake_control };

/* The event with this name that was registered last. */
static struct registered *event_registered(const char *name)
{
	size_t n = strlen(name);

	for (unsigned int i = fake.n_events; i-- > 0;)
		if (strncmp(fake.events[i].description, name, n) == 0 && fake.events[i].description[n] == ' ')
			return &fake.events[i];
	return NULL;
}

static void event_enable(const char *name, bool is_on)
{
	struct registered *event = event_registered(name);

	must(event && event->enabled, name);
	atomic_store(event->enabled, is_on);
}

static void is_described(const char *name, const char *description)
{
	const struct registered *event = event_registered(name);
	char sentence[100];

	snprintf(sentence, sizeof(sentence), "bridge: %s is registered", name);
	is_text(event ? event->description : "(not registered)", description, sentence);
}

/* Takes the bytes that were written since the last call. */
static size_t take_written(void *ret_bytes, size_t size)
{
	ssize_t n = pread(fake.fd, ret_bytes, size, fake.at);

	must(n >= 0, "read what was written");
	fake.at += n;
	return (size_t)n;
}

/* In front of the bytes stands the index of the event with this name. */
static void is_written(const char *name, const void *bytes, size_t n_bytes, const char *sentence)
{
	struct registered *event = event_registered(name);
	unsigned char got[8192] = { 0 };
	size_t n = take_written(got, sizeof(got));
	uint32_t index;

	memcpy(&index, got, sizeof(index));
	ok(event && n == n_bytes + 4 && index == (uint32_t)(event - fake.events) &&
			memcmp(got + 4, bytes, n_bytes) == 0,
		"%s", sentence);
}

static void is_nothing_written(const char *sentence)
{
	unsigned char got[16];

	is_number(take_written(got, sizeof(got)), 0, sentence);
}

/* --- types ---------------------------------------------------------------------------------------------- */

static trace_event_id_t number_type, text_type, plain_type;

static trace_event_id_t type_make(const char *name, const struct posix_trace_field_np *fields, size_t n)
{
	trace_event_id_t id = 0;

	must(posix_trace_eventid_open(name, &id) == 0, "open a type");
	must(n == 0 || posix_trace_eventid_describe_np(id, fields, n) == 0, "describe a type");
	return id;
}

static const struct posix_trace_field_np numbers_fields[] = {
	{ "count", POSIX_TRACE_SIGNED_NP, 4 },
	{ "a->size", POSIX_TRACE_UNSIGNED_NP, 8 },
	{ "ratio", POSIX_TRACE_REAL_NP, 8 },
	{ "at", POSIX_TRACE_ADDRESS_NP, 8 },
	{ "flag", POSIX_TRACE_UNSIGNED_NP, 1 },
};
static const struct posix_trace_field_np text_fields[] = {
	{ "n", POSIX_TRACE_UNSIGNED_NP, 2 },
	{ "words", POSIX_TRACE_TEXT_NP, 0 },
};
static const struct posix_trace_field_np odd_fields[] = {
	{ "2nd; x", POSIX_TRACE_TEXT_NP, 16 },
	{ "key", POSIX_TRACE_BYTES_NP, 5 },
};
static const struct posix_trace_field_np large_fields[] = {
	{ "page", POSIX_TRACE_BYTES_NP, 4096 },
};

static void types_make(void)
{
	struct posix_trace_field_np many[32];
	char names[32][32];

	for (int i = 0; i < 32; i++) {
		snprintf(names[i], sizeof(names[i]), "a_long_field_name_%d", i);
		many[i] = (struct posix_trace_field_np){ names[i], POSIX_TRACE_SIGNED_NP, 4 };
	}
	number_type = type_make("bridge:numbers", numbers_fields, 5);
	text_type = type_make("bridge:text", text_fields, 2);
	plain_type = type_make("bridge:plain", NULL, 0);
	type_make("7 odd;names", odd_fields, 2);
	type_make("bridge:many", many, 32);
	type_make("bridge:large", large_fields, 1);
}

static trace_event_set_t set_of(trace_event_id_t one, trace_event_id_t other)
{
	trace_event_set_t set;

	posix_trace_eventset_empty(&set);
	posix_trace_eventset_add(one, &set);
	posix_trace_eventset_add(other, &set);
	return set;
}

/* --- tests ---------------------------------------------------------------------------------------------- */

static bool is_enabled(void)
{
	POSIX_TRACE_POINT_NP(bridge_point);
	return POSIX_TRACE_IS_ENABLED_NP();
}

static void test_without_kernel(void)
{
	static const struct bridge_kernel none = { "/proc/no such file", fake_control };
	trace_event_set_t set = set_of(text_type, plain_type);

	is_number((unsigned)bridge_set(&none, NULL), 0, "bridge: to end what never began is no error");
	is_number((unsigned)bridge_set(&none, &set), ENOTSUP,
		"bridge: a kernel without user_events is ENOTSUP");
	ok(!is_enabled(), "bridge: and enables no trace point");
}

/* In a child, since a process has one kernel. */
static void test_real_kernel(void)
{
	trace_event_set_t set = set_of(text_type, plain_type);
	bool is_there = access(bridge_user_events.path, F_OK) == 0;
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(posix_trace_bridge_np(&set));
	waitpid(child, &status, 0);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
	printf("# this kernel %s: %s\n", is_there ? "has user_events" : "has no user_events, or no tracefs",
		strerror(status));
	ok(is_there ? status == 0 || status == EACCES || status == EPERM
		    : status == ENOTSUP || status == EACCES,
		"bridge: the kernel that is here bridges, forbids it, or has no user_events");
}

static void test_describing(void)
{
	trace_event_set_t all;

	posix_trace_eventset_fill(&all, POSIX_TRACE_ALL_EVENTS);
	is_number((unsigned)bridge_set(&kernel, &all), 0, "bridge: all types are taken");
	is_described("bridge_numbers", "bridge_numbers s32 count;u64 a__size;u64 ratio_bits;u64 at;u8 flag");
	is_described("bridge_text", "bridge_text u16 n;__rel_loc char[] words");
	is_described("bridge_plain", "bridge_plain __rel_loc u8[] data");
	is_described("_7_odd_names", "_7_odd_names char[16] _2nd__x;struct bytes key 5");
	is_described("bridge_many", "bridge_many __rel_loc u8[] data");
	is_described("bridge_large", "bridge_large __rel_loc u8[] data");
	ok(event_registered("posix_trace_unnamed_userevent") != NULL &&
			!event_registered("posix_trace_start"),
		"bridge: the unnamed user event is one of them, and no system event is");
	is_number(fake.n_bad, 0, "bridge: requests are as the kernel requires");
}

static void test_writing_fields(void)
{
	static const unsigned char numbers[29] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	unsigned char wanted[29] = { 1, 2, 3 };

	posix_trace_event(number_type, numbers, sizeof(numbers));
	is_nothing_written("bridge: an event that is not enabled is not written");
	event_enable("bridge_numbers", true);
	errno = 77;
	posix_trace_event(number_type, numbers, sizeof(numbers));
	is_number((unsigned)errno, 77, "bridge: errno is kept");
	is_written("bridge_numbers", numbers, 29, "bridge: one that is enabled is, without any stream");
	posix_trace_event(number_type, numbers, 3);
	is_written("bridge_numbers", wanted, 29, "bridge: data that are too short are filled up with zeros");
	posix_trace_event(plain_type, numbers, 3);
	is_nothing_written("bridge: others stay disabled");
}

static void test_writing_rest(void)
{
	static const unsigned char ten[10] = { 1, 2, 3 }, many[6000] = { 1 };
	static unsigned char wanted[1028] = { 0, 0, 10, 0, 1, 2, 3 };

	event_enable("bridge_plain", true);
	posix_trace_event(plain_type, ten, sizeof(ten));
	is_written(
		"bridge_plain", wanted, 14, "bridge: data without a description have their length in front");
	posix_trace_event(plain_type, many, sizeof(many));
	memcpy(wanted, (const unsigned char[]){ 0, 0, 0, 4, 1, 0, 0 }, 7);
	is_written("bridge_plain", wanted, 1028, "bridge: and are cut at 1024 bytes");
	event_enable("bridge_text", true);
	posix_trace_event(text_type, (const char[]){ 5, 0, 'h', 'i' }, 4);
	is_written(
		"bridge_text", (const char[]){ 5, 0, 0, 0, 3, 0, 'h', 'i', 0 }, 9, "bridge: text gets a NUL");
	posix_trace_event(text_type, NULL, 0);
	is_written("bridge_text", (const char[]){ 0, 0, 0, 0, 1, 0, 0 }, 7,
		"bridge: an event without data has the least that the kernel requires");
	event_enable("bridge_plain", false);
	posix_trace_event(plain_type, ten, sizeof(ten));
	is_nothing_written("bridge: nothing is written any more when the kernel has disabled the event");
}

static void put_in_handler(int signal)
{
	posix_trace_event(plain_type, &signal, sizeof(signal));
}

static void test_handler(void)
{
	event_enable("bridge_plain", true);
	signal(SIGUSR1, put_in_handler);
	raise(SIGUSR1);
	is_written("bridge_plain", (const char[]){ 0, 0, 4, 0, SIGUSR1, 0, 0, 0 }, 8,
		"bridge: a signal handler's event is written");
}

/* makes_bridge: whether the child makes a bridge of its own. */
static void put_in_child(bool makes_bridge)
{
	trace_event_set_t set = set_of(text_type, plain_type);
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		int error = makes_bridge ? bridge_set(&kernel, &set) : 0;

		posix_trace_event(plain_type, "c", 1);
		_exit(error);
	}
	waitpid(child, &status, 0);
	must(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child ends well");
}

static void test_child(void)
{
	put_in_child(false);
	is_nothing_written("bridge: a child has none");
	put_in_child(true);
	is_written("bridge_plain", (const char[]){ 0, 0, 1, 0, 'c' }, 5, "bridge: until it makes one");
	posix_trace_event(plain_type, "p", 1);
	is_written("bridge_plain", (const char[]){ 0, 0, 1, 0, 'p' }, 5, "bridge: which is not its parent's");
}

static void test_with_stream(void)
{
	const char wanted[] = { 0, 0, 4, 0, 'a', 'b', 'c', 'd' };
	struct posix_trace_event_info info;
	int none = 0, n_events = 0;
	char data[16];
	trace_id_t trid;
	size_t n;

	must(posix_trace_create(0, NULL, &trid) == 0 && posix_trace_start(trid) == 0, "make a stream");
	posix_trace_event(plain_type, "abcd", 4);
	while (posix_trace_trygetnext_event(trid, &info, data, sizeof(data), &n, &none) == 0 && !none)
		n_events += info.posix_event_id == plain_type && n == 4 && memcmp(data, "abcd", 4) == 0;
	is_number((unsigned)n_events, 1, "bridge: a stream has the event as well");
	is_written("bridge_plain", wanted, 8, "bridge: and the kernel has it once");
	must(posix_trace_shutdown(trid) == 0, "shut down");
	posix_trace_event(plain_type, "abcd", 4);
	is_written("bridge_plain", wanted, 8, "bridge: the end of the stream is not that of the bridge");
}

static void test_choosing(void)
{
	trace_event_set_t set = set_of(text_type, plain_type);
	unsigned int n_before = fake.n_events;

	is_number((unsigned)bridge_set(&kernel, &set), 0, "bridge: another set takes the place of the first");
	is_number(fake.n_dropped, n_before - 2, "bridge: types that are not in it are dropped");
	is_number(fake.n_events, n_before, "bridge: and those that are there already stay");
	posix_trace_event(number_type, "abcd", 4);
	is_nothing_written("bridge: a type that was dropped is not written");
	set = set_of(text_type, number_type);
	fake.refused = "bridge_numbers";
	is_number((unsigned)bridge_set(&kernel, &set), EADDRINUSE,
		"bridge: an error of the kernel is returned");
	posix_trace_event(text_type, (const char[]){ 1, 0, 'x' }, 3);
	is_written("bridge_text", (const char[]){ 1, 0, 0, 0, 2, 0, 'x', 0 }, 8,
		"bridge: the other types are bridged all the same");
	fake.refused = NULL;
	is_number((unsigned)bridge_set(&kernel, &set), 0, "bridge: and another attempt succeeds");
}

/* The program closes descriptors that are not its own, and opens others. */
static void test_closed_descriptor(void)
{
	trace_event_set_t set = set_of(text_type, number_type);
	char other[] = "/tmp/bridge-other-XXXXXX";
	int file = mkstemp(other), fds[8];
	struct stat st;

	for (int fd = 512; fd < 520; fd++)
		close(fd);
	for (int i = 0; i < 8; i++)
		must((fds[i] = fcntl(file, F_DUPFD, 512)) >= 0, "duplicate");
	posix_trace_event(text_type, (const char[]){ 1, 0, 'x' }, 3);
	ok(fstat(file, &st) == 0 && st.st_size == 0,
		"bridge: nothing goes to another file that has the closed descriptor's number");
	is_number((unsigned)bridge_set(&kernel, &set), 0, "bridge: the next bridge_set() begins anew");
	must(truncate(fake.path, fake.at = 0) == 0, "empty the file");
	event_enable("bridge_text", true);
	posix_trace_event(text_type, (const char[]){ 1, 0, 'x' }, 3);
	is_written("bridge_text", (const char[]){ 1, 0, 0, 0, 2, 0, 'x', 0 }, 8, "bridge: and writes");
	for (int i = 0; i < 8; i++)
		close(fds[i]);
	close(file);
	unlink(other);
}

static void test_end(void)
{
	ok(is_enabled(), "bridge: trace points are enabled while it is on");
	fake.forks = true;
	is_number((unsigned)bridge_set(&kernel, NULL), 0, "bridge: NULL ends it");
	ok(WIFEXITED(fake.child_status) && WEXITSTATUS(fake.child_status) == 0,
		"bridge: a child that begins meanwhile can end its own");
	ok(!is_enabled(), "bridge: and disables them");
	posix_trace_event(text_type, "abcd", 4);
	is_nothing_written("bridge: nothing is written any more");
	is_number(fake.n_bad, 0, "bridge: no request was bad");
}

int main(void)
{
	alarm(60);
	strcpy(fake.path, "/tmp/bridge-test-XXXXXX");
	must((fake.fd = mkstemp(fake.path)) >= 0, "make a file");
	types_make();
	test_real_kernel();
	test_without_kernel();
	test_describing();
	test_writing_fields();
	test_writing_rest();
	test_handler();
	test_child();
	test_with_stream();
	test_choosing();
	test_closed_descriptor();
	test_end();
	close(fake.fd);
	unlink(fake.path);
	return tap_done();
}
