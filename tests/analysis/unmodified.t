#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`rastrum record --sched --system`, then `rastrum stats`: a program with threads that contains no tracing. It prints for each thread
what the kernel has counted in /proc/self/task/TID/schedstat: nanoseconds that it ran, and that it was ready.
"""
import json
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, built, done, ok, rastrum, same, skip  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="rastrum-unmodified-")
ATTEMPTS = 4  # what the host takes away from a virtual machine, the kernel counts otherwise than switches show it
N_TURNS = 40

# Three threads contend for a mutex on one processor; each sleeps while it has it every fifth time, so that others wait.
SOURCE = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void work(long microseconds)
{
	struct timespec now;
	long end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	end = now.tv_sec * 1000000 + now.tv_nsec / 1000 + microseconds;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec * 1000000 + now.tv_nsec / 1000 < end);
}

static void *contender(void *name)
{
	char path[64];
	unsigned long long ran, ready;
	FILE *file;

	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 40; i++) {
		pthread_mutex_lock(&mutex);
		work(600);
		if (i % 5 == 0)
			usleep(1000);
		pthread_mutex_unlock(&mutex);
		work(300);
	}
	usleep(50);
	snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", gettid());
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu %llu", &ran, &ready) != 2)
		return NULL;
	fclose(file);
	printf("%s %llu %llu\n", (char *)name, ran, ready);
	return NULL;
}

int main(void)
{
	static char names[][16] = { "anna", "bert", "carl" };
	pthread_t threads[3];
	cpu_set_t cores, one;

	sched_getaffinity(0, sizeof cores, &cores);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &cores))
			CPU_SET(i, &one);
	sched_setaffinity(0, sizeof one, &one);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, contender, names[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
"""


def at(name):
    return os.path.join(FOLDER, name)


def table(name):
    answer = json.loads(rastrum("stats", "-q", "--table", name, "--json", at("log.rst")).out)
    names = [column["name"] for column in answer["columns"]]
    return [dict(zip(names, row)) for row in answer["rows"]]


def kernel(text):
    """{thread: (ran, ready)}"""
    return {words[0]: (int(words[1]), int(words[2])) for words in map(str.split, text.splitlines()) if len(words) == 3}


if BUILD in ("asan", "tsan"):
    skip("stats of a program that contains no tracing", "the preload library of a sanitizer's build is not for programs without one")
    sys.exit(done())
program = built(SOURCE, at("program"), "-pthread")
for attempt in range(ATTEMPTS):
    result = rastrum("record", "--system", "--sched", "-o", at("log.rst"), "--force", "--", program)
    if result.status in (4, 5) and "--sched" in result.err:
        skip("stats of a program that contains no tracing", result.err.strip().replace("#", ""))
        sys.exit(done())
    counted = kernel(result.out)
    threads = {row["thread"]: row for row in table("threads")}
    if not counted or all(abs(threads.get(name, {"running": 0})["running"] / ran - 1) <= 0.03 for name, (ran, _) in counted.items()):
        break
same(result.status, 0, "a program that contains no tracing is recorded")
if len(counted) != 3:
    skip("its threads ran as long as the kernel counts", "this kernel counts none: /proc/self/task/TID/schedstat")
else:
    off = {name: (threads[name]["running"], ran) for name, (ran, _) in counted.items()}
    ok(all(abs(ours / ran - 1) <= 0.03 for ours, ran in off.values()), "its threads ran as long as the kernel counts, within 3 %", off)
    # Of a thread that slept, the recording does not show since when it was ready.
    off = {name: (threads[name]["ready"], ready) for name, (_, ready) in counted.items()}
    ok(all(0 < ours < 1.03 * ready + 1e6 for ours, ready in off.values()), "they were ready no longer than the kernel counts", off)
latencies = {row["thread"]: row for row in table("latency")}
ok({"anna", "bert", "carl"} & set(latencies) and all(row["total"] <= threads[name]["ready"] for name, row in latencies.items()),
   "and how long they took from the release of the mutex to running is part of that", latencies)
ok(all(row["max_by"] in ("anna", "bert", "carl") for row in latencies.values()), "with the thread that released it", latencies)
locks = table("locks")
ok(len(locks) == 1 and 1 <= locks[0]["contended"] <= locks[0]["acquisitions"] <= 3 * N_TURNS and locks[0]["total_wait"] > 0,
   "the mutex was waited for", *locks)
load = {row["thread"]: row for row in table("load")}
ok(all(load[name]["waiting_lock"] and load[name]["waiting_sleep"] for name in ("anna", "bert", "carl")),
   "each thread has waited for the mutex, and has slept", load)
page = rastrum("stats", "-q", at("log.rst"))
ok(page.status == 0 and len(page.lines) <= 23 and all(word in page.out for word in ("load", "threads", "locks")),
   "the page has load, threads and locks", *page.lines)
lines = [line.split()[0] for line in page.lines if line]
ok({"anna", "bert", "carl"} <= set(lines) and "rastrum" not in lines, "and threads that did nothing take no lines of it", *page.lines)
shutil.rmtree(FOLDER)
sys.exit(done())
