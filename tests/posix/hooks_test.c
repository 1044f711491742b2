/* SPDX-License-Identifier: MIT */
/*
 * <trace_hook_np.h>: what its functions refuse, and that they change nothing then. Sessions are
 * tests/cli/trace.t.
 */
#include "tests/posix/fixture.h"
#include "tests/posix/player.h"
#include "tests/tap.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <trace_hook_np.h>
#include <unistd.h>

enum { HOOK = 0x010 };

static const struct shape plain = { .size = 1 << 20, .policy = POSIX_TRACE_LOOP }, inherited = {
	.size = 1 << 20, .policy = POSIX_TRACE_LOOP, .inheritance = POSIX_TRACE_INHERITED
};
static const struct posix_trace_hooks_np one_hook = { { 1ull << HOOK } }, no_hook;

static int create(const struct shape *shape, int log, trace_id_t *ret_trid)
{
	trace_attr_t attr;

	shape_attr(shape, &attr);
	must(posix_trace_attr_setrare_np(&attr, 1), "setrare_np");
	return log < 0 ? posix_trace_create(0, &attr, ret_trid)
		       : posix_trace_create_withlog(0, &attr, log, ret_trid);
}

static void test_attributes(void)
{
	trace_attr_t never = { 0 }, attr;
	int has_ring = 7;

	is_number((unsigned)posix_trace_attr_setrare_np(&never, 1), EINVAL,
		"np hooks: setrare of an object that was not initialised is EINVAL");
	is_number((unsigned)posix_trace_attr_getrare_np(&never, &has_ring), EINVAL,
		"np hooks: and so is getrare");
	shape_attr(&plain, &attr);
	is_number((unsigned)posix_trace_attr_setrare_np(NULL, 1), EINVAL, "np hooks: no object is EINVAL");
	is_number((unsigned)posix_trace_attr_getrare_np(&attr, NULL), EINVAL,
		"np hooks: nowhere to put the attribute is EINVAL");
	is_number((unsigned)has_ring, 7, "np hooks: which is left alone by errors");
	must(posix_trace_attr_getrare_np(&attr, &has_ring), "getrare_np");
	is_number((unsigned)has_ring, 0, "np hooks: streams have one ring at first");
}

/* Two rings are for streams whose events stay in memory and are overwritten. */
static void test_create(void)
{
	static const struct shape full = { .size = 1 << 20, .policy = POSIX_TRACE_UNTIL_FULL };
	const int log = file_without_name();
	trace_id_t trid;

	is_number((unsigned)create(&full, -1, &trid), EINVAL,
		"np hooks: a rare ring of a stream that ends when it is full is EINVAL");
	is_number(
		(unsigned)create(&plain, log, &trid), EINVAL, "np hooks: and so is one of a stream with log");
	is_number((unsigned)create(&plain, -1, &trid), 0, "np hooks: a stream with policy LOOP may have one");
	must(posix_trace_shutdown(trid), "posix_trace_shutdown");
	close(log);
}

/* A number that no stream has; one that has been shut down is another. */
static void test_bad_trid(trace_id_t trid)
{
	struct posix_trace_rings_np rings;
	struct posix_trace_hooks_np hooks;

	ok(posix_trace_set_hooks_np(trid, &no_hook) == EINVAL &&
			posix_trace_get_hooks_np(trid, &hooks) == EINVAL,
		"np hooks: set_hooks and get_hooks of no stream are EINVAL");
	ok(posix_trace_set_rare_np(trid, &no_hook, &no_hook) == EINVAL &&
			posix_trace_get_rare_np(trid, &rings) == EINVAL,
		"np hooks: set_rare and get_rare of no stream are EINVAL");
	is_number((unsigned)posix_trace_attach_np(trid, getpid(), POSIX_TRACE_INHERITED), EINVAL,
		"np hooks: attach to no stream is EINVAL");
}

static void test_filter(void)
{
	const trace_id_t trid = stream_make(&plain);
	struct posix_trace_hooks_np hooks;
	struct posix_trace_rings_np rings;

	must(posix_trace_set_hooks_np(trid, &one_hook), "set_hooks_np");
	ok(posix_trace_set_hooks_np(trid, NULL) == EINVAL && posix_trace_get_hooks_np(trid, NULL) == EINVAL,
		"np hooks: null pointers are EINVAL");
	must(posix_trace_get_hooks_np(trid, &hooks), "get_hooks_np");
	ok(memcmp(&hooks, &one_hook, sizeof(hooks)) == 0, "np hooks: and the filter is as it was set");
	ok(posix_trace_set_rare_np(trid, &no_hook, &no_hook) == EINVAL &&
			posix_trace_get_rare_np(trid, &rings) == EINVAL,
		"np hooks: set_rare and get_rare of a stream without a rare ring are EINVAL");
	must(posix_trace_shutdown(trid), "posix_trace_shutdown");
	test_bad_trid(trid);
	test_bad_trid((trace_id_t)-1);
}

static void test_rings(void)
{
	struct posix_trace_rings_np rings;
	trace_id_t trid;

	must(create(&plain, -1, &trid), "create");
	must(posix_trace_set_rare_np(trid, &one_hook, &no_hook), "set_rare_np");
	ok(posix_trace_set_rare_np(trid, NULL, &no_hook) == EINVAL &&
			posix_trace_set_rare_np(trid, &no_hook, NULL) == EINVAL &&
			posix_trace_get_rare_np(trid, NULL) == EINVAL,
		"np hooks: null pointers are EINVAL, too, with a rare ring");
	must(posix_trace_get_rare_np(trid, &rings), "get_rare_np");
	ok(memcmp(&rings.posix_common_hooks, &one_hook, sizeof(one_hook)) == 0 &&
			rings.posix_common_lost == 0 && rings.posix_rare_lost == 0,
		"np hooks: and the rings are as they were set");
	must(posix_trace_set_rare_np(trid, &one_hook, &one_hook), "set_rare_np");
	must(posix_trace_get_rare_np(trid, &rings), "get_rare_np");
	ok(memcmp(&rings.posix_common_hooks, &no_hook, sizeof(no_hook)) == 0,
		"np hooks: a hook of both lists is rare");
	must(posix_trace_shutdown(trid), "posix_trace_shutdown");
}

/* --- posix_trace_attach_np() ---------------------------------------------------------------------------- */

static pid_t child_make(bool is_nobody)
{
	const pid_t pid = fork();

	if (pid == 0) {
		if (is_nobody && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
			_exit(1);
		pause();
		_exit(0);
	}
	if (is_nobody)
		fact_await(pid, "Uid:\t65534"); /* NOBODY */
	return pid;
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_attach(void)
{
	const trace_id_t own = stream_make(&plain), trid = stream_make(&inherited);
	pid_t pid = child_make(false);

	is_number((unsigned)posix_trace_attach_np(own, pid, POSIX_TRACE_INHERITED), EINVAL,
		"np hooks: attach to a stream that no other process can open is EINVAL");
	is_number((unsigned)posix_trace_attach_np(trid, pid, 77), EINVAL,
		"np hooks: another inheritance is EINVAL");
	ok(posix_trace_attach_np(trid, 0, POSIX_TRACE_INHERITED) == EINVAL &&
			posix_trace_attach_np(trid, -1, POSIX_TRACE_INHERITED) == EINVAL,
		"np hooks: and so is a number that no process can have");
	child_end(pid);
	is_number((unsigned)posix_trace_attach_np(trid, pid, POSIX_TRACE_INHERITED), ESRCH,
		"np hooks: a process that is gone is ESRCH");
	if (geteuid() == 0) {
		pid = child_make(true);
		is_number((unsigned)posix_trace_attach_np(trid, pid, POSIX_TRACE_INHERITED), EPERM,
			"np hooks: another user's process is EPERM");
		child_end(pid);
	} else {
		skip("np hooks: another user's process is EPERM", "root alone can be two users");
	}
	must(posix_trace_shutdown(own), "posix_trace_shutdown");
	must(posix_trace_shutdown(trid), "posix_trace_shutdown");
}

/* Nothing is returned; the stream shows whether anything was recorded. */
static void test_types(void)
{
	const uint32_t entry[2] = { HOOK << 20 | 2 << 16, 7 };
	const trace_id_t trid = stream_run(&plain);
	struct seen event;

	posix_trace_hook_np(POSIX_TRACE_HOOK_FIRST_NP - 1, entry[0], entry, sizeof(entry));
	posix_trace_hook_np(POSIX_TRACE_HOOK_LAST_NP + 1, entry[0], entry, sizeof(entry));
	ok(!read_one(trid, &event), "np hooks: a type that is none of a hook is not recorded");
	errno = 77;
	posix_trace_hook_np(POSIX_TRACE_HOOK_FIRST_NP, entry[0], entry, sizeof(entry));
	is_number((unsigned)errno, 77, "np hooks: errno is kept");
	ok(read_one(trid, &event) && event.info.posix_event_id == POSIX_TRACE_HOOK_FIRST_NP &&
			event.n == sizeof(entry) && memcmp(event.data, entry, sizeof(entry)) == 0,
		"np hooks: one of a hook is, as it was given");
	must(posix_trace_shutdown(trid), "posix_trace_shutdown");
}

int main(void)
{
	fixture_begin();
	test_attributes();
	test_create();
	test_filter();
	test_rings();
	test_attach();
	test_types();
	return tap_done();
}
