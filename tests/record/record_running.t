#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
rastrum record --sched against the kernel's own counter: how long each thread has run between two of its marks, as `report
--intervals` has it, and as /proc/self/task/TID/schedstat counts it.
"""
import json
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, CHECKERS, built, done, ok, rastrum, same, skip  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="rastrum-running-")
BOUND = 0.02
ATTEMPTS = 12  # what the host takes away from a virtual machine, the kernel counts otherwise than switches show it
THREADS = {"sleeper", "worker", "contender1", "contender2"}

# running CORES: one thread sleeps and works in turn, one works, two contend for a mutex; each for some 150 ms of processor time.
SOURCE = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <trace.h>
#include <unistd.h>

enum { TURNS = 150 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static trace_event_id_t mark;

/* The kernel adds to its counter when a thread leaves its processor: so it does first. */
static uint64_t run_ns(void)
{
	char path[64];
	unsigned long long ns = 0;
	FILE *file;

	usleep(50);
	snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", gettid());
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu", &ns) != 1)
		exit(9);
	fclose(file);
	return ns;
}

static void set_mark(void)
{
	uint64_t ns = run_ns();

	posix_trace_event(mark, &ns, sizeof ns);
}

static int64_t used_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void work(void)
{
	int64_t end = used_ns() + 1000000;

	while (used_ns() < end)
		continue;
}

static void *sleeper(void *unused)
{
	pthread_setname_np(pthread_self(), "sleeper");
	set_mark();
	for (int i = 0; i < TURNS; i++) {
		usleep(1000);
		work();
	}
	set_mark();
	return unused;
}

static void *worker(void *unused)
{
	pthread_setname_np(pthread_self(), "worker");
	set_mark();
	for (int i = 0; i < TURNS; i++)
		work();
	set_mark();
	return unused;
}

static void *contender(void *name)
{
	pthread_setname_np(pthread_self(), name);
	set_mark();
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&mutex);
		work();
		pthread_mutex_unlock(&mutex);
		sched_yield();
	}
	set_mark();
	return name;
}

int main(int argc, char **argv)
{
	static const struct posix_trace_field_np field = { "ran", POSIX_TRACE_UNSIGNED_NP, 8 };
	static char names[][16] = { "contender1", "contender2" };
	void *(*const what[])(void *) = { sleeper, worker, contender, contender };
	void *const arguments[] = { NULL, NULL, names[0], names[1] };
	pthread_t threads[4];
	cpu_set_t cores, one;

	if (argc > 1 && sched_getaffinity(0, sizeof cores, &cores) == 0) {
		CPU_ZERO(&one);
		for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
			if (CPU_ISSET(i, &cores))
				CPU_SET(i, &one);
		if (sched_setaffinity(0, sizeof one, &one) != 0)
			return 8;
	}
	posix_trace_eventid_open("mark", &mark);
	posix_trace_eventid_describe_np(mark, &field, 1);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, what[i], arguments[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
"""


def at(name):
    return os.path.join(FOLDER, name)


def running(rows, intervals, hz):
    """By the name of each thread that has set two marks: how long it ran between them, by its states and by the kernel, in ns."""
    marks, found = {}, {}
    for row in rows:
        if row["name"] == "mark":
            marks.setdefault(row["context"]["id"], []).append(row)
    for thread, (first, last) in ((thread, (rows[0], rows[-1])) for thread, rows in marks.items() if len(rows) == 2):
        ticks = sum(max(0, min(i["to"], last["ts"]) - max(i["from"], first["ts"])) for i in intervals
                    if i["kind"] == "thread" and i["state"] == "running" and i["subject"]["id"] == thread)
        found[first["context"]["name"].split("/")[0]] = (ticks * 1e9 / hz, last["args"]["ran"] - first["args"]["ran"])
    return found


def record(*words):
    result = rastrum("record", "--sched", "-o", at("log.rst"), "--", PROGRAM, *words)
    if result.status in (4, 5) and "--sched" in result.err:
        skip("running time is that of the kernel's counter", result.err.strip().replace("#", ""))
        sys.exit(done())
    rows = [json.loads(line) for line in rastrum("report", "-f", "jsonl", at("log.rst")).lines]
    intervals = [json.loads(line) for line in rastrum("report", "--intervals", "-f", "jsonl", at("log.rst")).lines]
    hz = json.loads(rastrum("info", "--json", at("log.rst")).out)["clock"]["hz"]
    return result, running([row for row in rows if "name" in row], intervals, hz), [row for row in rows if "name" not in row]


PROGRAM = built(SOURCE, at("running"), *CHECKERS, "-pthread", "-x", "none", f"build/{BUILD}/libposixtrace.a")
if not os.path.exists("/proc/self/schedstat"):
    skip("running time is that of the kernel's counter", "this kernel counts none: /proc/self/schedstat")
    sys.exit(done())
for words, where in (([], "on any processor"), (["one"], "on one processor")):
    for attempt in range(ATTEMPTS):
        result, found, losses = record(*words)
        off = {name: round((ours - kernel) / kernel, 4) for name, (ours, kernel) in found.items()}
        if all(abs(share) <= BOUND for share in off.values()):
            break
    same((result.status, losses), (0, []), f"threads that sleep, work and contend are recorded {where}")
    same(set(found), THREADS, "each has set its marks")
    ok(found and all(abs(share) <= BOUND for share in off.values()),
       f"each has run as long as the kernel counts, within {BOUND:.0%}, {where}", found, off, f"attempt {attempt + 1}")
shutil.rmtree(FOLDER)
sys.exit(done())
