/* SPDX-License-Identifier: MIT */
/*
 * Targets that change what they are: system calls they may make, sessions, descriptors, children, process
 * numbers.
 */
#include "tests/posix/player.h"
#include "tests/tap.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_seccomp(void)
{
	struct player player = player_make("confine", getuid());
	trace_id_t trid = stream_of(player.pid, &player_alone), other;

	player_go(&player);
	ok(comes_true(has_numbers, &trid), "15 seccomp: a program is traced");
	fact_await(player.pid, "Seccomp:\t2");
	count_numbers(trid);
	ok(comes_true(has_numbers, &trid), "15 seccomp: also when it has confined itself");
	is_number((unsigned)posix_trace_create(player.pid, NULL, &other), EPERM,
		"15 seccomp: others may not trace it then");
	must(posix_trace_shutdown(trid), "shutdown");
	sleep_ms(100);
	ok(waitpid(player.pid, NULL, WNOHANG) == 0, "15 seccomp: the end of the stream does it no harm");
	player_kill(&player);
}

static void test_acts(void)
{
	static const struct {
		const char *act;
		unsigned int n;
		const char *sentence;
	} parts[] = {
		{ "daemon", N_NUMBERS, "15 targets: a daemon is traced behind its forks" },
		{ "storm", N_CHILDREN, "15 targets: many children, each of which has its event" },
		{ "vfork", N_NUMBERS, "15 targets: what a child of vfork() execs" },
		{ "clone", N_NUMBERS, "15 targets: children in the memory of their parent" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct player player = player_make(parts[i].act, getuid());
		trace_id_t trid = stream_of(player.pid, &player_inherited);
		size_t n = 0;

		player_go(&player);
		player_end(&player);
		for (unsigned int waited = 0; n < parts[i].n && waited < 10000; waited += 10) {
			n += count_numbers(trid);
			sleep_ms(10);
		}
		is_number(n, parts[i].n, parts[i].sentence);
		must(posix_trace_shutdown(trid), "shutdown");
	}
}

static void test_close(void)
{
	struct player player = player_make("close", getuid());
	trace_id_t trid = stream_of(player.pid, &player_alone), later;

	player_go(&player);
	ok(comes_true(has_numbers, &trid), "15 targets: one that closes all descriptors");
	sleep_ms(50); /* now they are closed */
	later = stream_of(player.pid, &player_alone);
	ok(comes_true(has_numbers, &later), "15 targets: is traced into streams that are made later, too");
	must(posix_trace_shutdown(trid) || posix_trace_shutdown(later), "shutdown");
	player_kill(&player);
}

/* A child with the number of another; -1: we may not choose. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&pid, .set_tid_size = 1
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static void test_reuse(void)
{
	static const char sentence[] =
		"15 reuse: a process with the number of a dead one has no part in its streams";
	struct player player = player_make("some", getuid());
	trace_id_t old = stream_of(player.pid, &player_alone), young;
	pid_t pid;

	player_go(&player);
	player_end(&player);
	is_number(count_numbers(old), N_NUMBERS, "15 reuse: a target has ended");
	sleep_ms(20); /* processes that began in the same hundredth of a second cannot be distinguished */
	pid = fork_as(player.pid);
	if (pid == 0)
		player_again("on", NULL);
	if (pid != player.pid) {
		skip(sentence, "the number of a child cannot be chosen here");
	} else {
		young = stream_of(pid, &player_alone);
		ok(comes_true(has_numbers, &young) && count_numbers(old) == 0, sentence);
		must(posix_trace_shutdown(young), "shutdown");
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	must(posix_trace_shutdown(old), "shutdown");
}

int main(int argc, char **argv)
{
	int status;

	if (player_main(argc, argv, &status))
		return status;
	fixture_begin();
	test_seccomp();
	test_acts();
	test_close();
	test_reuse();
	return tap_done();
}
