/* SPDX-License-Identifier: MIT */
/* Switches of our own threads, as the real kernel reports them; skipped where it does not. */
#include "record/kernel/switches.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/kernel/clock.h"
#include "tests/tap.h"

enum { SLEEPS = 20, RECORDS_MAX = 100000, FULL_LOOKS = 50, PATIENCE_SECONDS = 60 };

struct seen {
	unsigned n[PERF_OTHER + 1];
	bool is_ordered, is_of_us, was_again;
	unsigned n_inside; /* times that a thread was away within a sleep */
};

struct sleeper {
	uint32_t tid;
	uint64_t from[SLEEPS], to[SLEEPS];
};

static enum log_clock clock_in_use;

static void *sleep_often(void *argument)
{
	const struct timespec pause = { 0, 2000000 };
	struct sleeper *sleeper = argument;

	sleeper->tid = (uint32_t)syscall(SYS_gettid);
	for (int i = 0; i < SLEEPS; i++) {
		sleeper->from[i] = clock_ticks(clock_in_use);
		nanosleep(&pause, NULL);
		sleeper->to[i] = clock_ticks(clock_in_use);
	}
	return NULL;
}

static bool is_inside(const struct sleeper *sleeper, uint64_t ticks)
{
	for (int i = 0; i < SLEEPS; i++)
		if (ticks > sleeper->from[i] && ticks < sleeper->to[i])
			return true;
	return false;
}

static struct seen take_all(struct switches *switches, const struct sleeper *sleeper)
{
	const struct switches_record *record;
	struct seen seen = { .is_ordered = true, .is_of_us = true };
	const uint64_t now = clock_ticks(clock_in_use);
	uint64_t last = 0;
	enum perf_kind before = PERF_OTHER;

	for (unsigned n = 0; n < RECORDS_MAX && (record = switches_peek(switches, now)); n++) {
		enum perf_kind kind = record->what.kind;
		bool is_sleeper = record->what.tid == sleeper->tid && kind < PERF_N_SWITCHES;

		seen.n[kind] += record->what.tid == sleeper->tid; /* a sanitizer has threads of its own */
		seen.is_ordered &= record->ticks >= last && record->ticks <= now;
		seen.is_of_us &= record->what.pid == (uint32_t)getpid();
		seen.was_again |= is_sleeper && (kind == PERF_IN) == (before == PERF_IN);
		seen.n_inside += is_sleeper && kind == PERF_WAIT && is_inside(sleeper, record->ticks);
		before = is_sleeper ? kind : before;
		last = record->ticks;
		switches_take(switches);
	}
	return seen;
}

/* A thread that was joined still has to end. */
static void run_sleeper(struct sleeper *sleeper)
{
	const struct timespec pause = { 0, 1000000 };
	pthread_t thread;

	pthread_create(&thread, NULL, sleep_often, sleeper);
	pthread_join(thread, NULL);
	while (syscall(SYS_tgkill, getpid(), sleeper->tid, 0) == 0)
		nanosleep(&pause, NULL);
}

static void check_reported(struct switches *switches)
{
	struct sleeper sleeper = { 0 };
	struct seen seen;
	bool is_any;

	run_sleeper(&sleeper);
	switches_are_many(switches, &is_any);
	ok(is_any, "there is something to be read");
	seen = take_all(switches, &sleeper);
	ok(seen.is_ordered, "switches come in order of time, none later than now");
	ok(seen.is_of_us, "all are of our process");
	ok(seen.n[PERF_FORK] == 1 && seen.n[PERF_EXIT] == 1, "a thread begins and ends");
	ok(!seen.was_again, "it comes and goes in turn");
	ok(seen.n_inside >= SLEEPS, "it waits when it sleeps, by the stream's clock (%u)", seen.n_inside);
	ok(take_all(switches, &sleeper).n_inside == 0, "all comes once");
	run_sleeper(&sleeper);
	switches_discard(switches);
	ok(take_all(switches, &sleeper).n_inside == 0, "what is discarded does not come");
}

static void check_recorder(struct switches_config config)
{
	struct sleeper sleeper = { 0 };
	struct switches *switches;
	struct seen seen;

	config.is_recorder = true;
	ok(switches_open(&switches, &config) == 0, "a recorder begins");
	run_sleeper(&sleeper);
	switches_begin(switches);
	seen = take_all(switches, &sleeper);
	ok(seen.is_ordered && seen.n[PERF_EXIT] == 1 && seen.n_inside >= SLEEPS,
		"it gives the same when it is read");
	switches_begin(switches);
	ok(take_all(switches, &sleeper).n_inside == seen.n_inside, "and once more");
	switches_close(switches);
}

/* Two threads that pass a byte to and fro on one processor, until it is enough. */
struct passing {
	int there[2], back[2];
	atomic_bool is_enough;
	cpu_set_t processor;
};

static void *pass_back(void *argument)
{
	struct passing *passing = argument;
	char byte;

	pthread_setaffinity_np(pthread_self(), sizeof passing->processor, &passing->processor);
	while (read(passing->there[0], &byte, 1) == 1 && write(passing->back[1], &byte, 1) == 1)
		continue;
	return NULL;
}

static void *pass_on(void *argument)
{
	struct passing *passing = argument;
	char byte = 0;

	pthread_setaffinity_np(pthread_self(), sizeof passing->processor, &passing->processor);
	while (!atomic_load(&passing->is_enough) && write(passing->there[1], &byte, 1) == 1 &&
		read(passing->back[0], &byte, 1) == 1)
		continue;
	close(passing->there[1]);
	return NULL;
}

/* The records that came from rings that are written meanwhile. A loss is in front of a switch of the same
 * processor. */
struct look {
	unsigned n_switches, n_losses;
	bool is_ordered, is_in_turn, is_lost_in_front;
};

static struct look look_at(struct switches *switches)
{
	struct look look = { .is_ordered = true, .is_in_turn = true, .is_lost_in_front = true };
	bool is_known[CPU_SETSIZE] = { false }, is_behind_loss = false;
	const uint64_t until = switches_begin(switches);
	const struct switches_record *record;
	uint32_t running[CPU_SETSIZE];
	uint64_t last = 0;

	for (; (record = switches_peek(switches, until)); switches_take(switches)) {
		const struct perf_record *what = &record->what;
		const uint32_t cpu = what->cpu, tid = what->kind == PERF_IN ? what->tid : 0;

		look.is_ordered &= record->ticks >= last && record->ticks <= until;
		last = record->ticks;
		look.n_losses += what->kind == PERF_LOST;
		is_behind_loss |= what->kind == PERF_LOST;
		if (what->kind >= PERF_N_SWITCHES)
			continue;
		look.is_lost_in_front &= !is_behind_loss || !is_known[cpu];
		look.is_in_turn &= !is_known[cpu] || running[cpu] == (tid ? 0 : what->tid);
		is_behind_loss = false;
		is_known[cpu] = true;
		running[cpu] = tid;
		look.n_switches++;
	}
	return look;
}

/* The first processor that we may use is for the two, the last one for us. */
static void choose_processors(cpu_set_t *ret_before, cpu_set_t *ret_theirs)
{
	cpu_set_t ours;
	size_t first = CPU_SETSIZE, last = 0;

	pthread_getaffinity_np(pthread_self(), sizeof *ret_before, ret_before);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, ret_before))
			continue;
		first = cpu < first ? cpu : first;
		last = cpu;
	}
	CPU_ZERO(&ours);
	CPU_ZERO(ret_theirs);
	CPU_SET(last, &ours);
	CPU_SET(first, ret_theirs);
	pthread_setaffinity_np(pthread_self(), sizeof ours, &ours);
}

static void check_looks(struct switches *switches)
{
	const time_t end = time(NULL) + PATIENCE_SECONDS;
	unsigned n_full = 0, n_before = 0, n_shrunk = 0, n_bad = 0;

	while (n_full < FULL_LOOKS && time(NULL) < end) {
		struct look look = look_at(switches);

		n_bad += !look.is_ordered || !look.is_in_turn || !look.is_lost_in_front;
		n_shrunk += look.n_losses == 0 && look.n_switches < n_before;
		n_before = look.n_switches;
		n_full += look.n_losses > 0;
	}
	ok(n_full == FULL_LOOKS && n_bad == 0,
		"while the kernel writes over what is copied, only the oldest is lost (%u of %u)", n_bad,
		n_full);
	ok(n_shrunk == 0, "and until then each look has what the one before had (%u)", n_shrunk);
}

/* Looks at rings that two threads fill, until one has been full for many looks. */
static void check_busy_recorder(struct switches_config config)
{
	struct passing passing = { .is_enough = false };
	struct switches *switches;
	pthread_t threads[2];
	cpu_set_t before;

	choose_processors(&before, &passing.processor);
	config.is_recorder = true;
	if (switches_open(&switches, &config) != 0 || pipe(passing.there) != 0 || pipe(passing.back) != 0)
		abort();
	pthread_create(&threads[0], NULL, pass_on, &passing);
	pthread_create(&threads[1], NULL, pass_back, &passing);
	check_looks(switches);
	atomic_store(&passing.is_enough, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_setaffinity_np(pthread_self(), sizeof before, &before);
	switches_close(switches);
	close(passing.there[0]);
	close(passing.back[0]);
	close(passing.back[1]);
}

static int next_fd(void)
{
	int fd = dup(1);

	close(fd);
	return fd;
}

static void check_memory(struct switches_config config)
{
	struct switches *switches = NULL;
	int error = ENOMEM, free_fd = next_fd();
	long n = 0;

	config.is_recorder = true;
	for (; error == ENOMEM && n < 100; n++) {
		tap_fail_alloc_after(n);
		error = switches_open(&switches, &config);
		tap_fail_alloc_after(-1);
		if (error && next_fd() != free_fd)
			break;
	}
	ok(error == 0 && n > 4, "without memory there are none, and nothing stays open (%ld)", n);
	switches_close(switches);
	ok(next_fd() == free_fd, "nor afterwards");
	switches_close(NULL);
}

static void check_names(void)
{
	ok(strcmp(switches_name(PERF_IN), "sched_in") == 0 &&
			strcmp(switches_name(PERF_EXIT), "sched_exit") == 0,
		"the types of events have names");
	ok(!switches_name(PERF_N_SWITCHES) && !switches_name(PERF_OTHER), "other records are no events");
}

int main(void)
{
	struct switches_config config = { .pid = (uint32_t)getpid(), .is_inherited = true };
	struct switches *switches;
	int error;

	check_names();
	clock_in_use = config.clock = clock_choose();
	error = switches_open(&switches, &config);
	if (error == EACCES || error == EPERM || error == ENOSYS) {
		ok(true, "the kernel reports our switches # SKIP perf_event_open() is not permitted here");
		return tap_done();
	}
	ok(error == 0, "the kernel reports our switches");
	check_reported(switches);
	switches_close(switches);
	config.clock = clock_in_use = LOG_CLOCK_MONOTONIC;
	ok(switches_open(&switches, &config) == 0, "and with the kernel's clock");
	check_reported(switches);
	switches_close(switches);
	check_recorder(config);
	check_busy_recorder(config);
	check_memory(config);
	config.pid = 0x7ffffffe;
	ok(switches_open(&switches, &config) == ESRCH, "a process that is not there has none");
	return tap_done();
}
