#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads that have ended before the consumer looked are known by name all the same."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, CHECKERS, built, done, rastrum, same  # noqa: E402

PATIENCE = 30
FOLDER = tempfile.mkdtemp(prefix="rastrum-names-")

# names [LOG]: threads that live for no time, one after another; the last one has its name from main() and lives until exit().
NAMES = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <trace_point_np.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static void name_self(const char *kind, const int *number)
{
	char name[16];

	snprintf(name, sizeof name, "%s-%d", kind, *number);
	pthread_setname_np(pthread_self(), name);
}

static void *early(void *number)
{
	name_self("early", number);
	POSIX_TRACE_EVENT_NP(event, *(int *)number);
	return NULL;
}

static void *late(void *number)
{
	POSIX_TRACE_EVENT_NP(event, *(int *)number);
	name_self("late", number);
	return NULL;
}

static void *leaver(void *number)
{
	POSIX_TRACE_EVENT_NP(event, *(int *)number);
	name_self("leaver", number);
	pthread_exit(NULL);
}

static void *stays(void *number)
{
	POSIX_TRACE_EVENT_NP(event, *(int *)number);
	pthread_barrier_wait(&barrier);
	pause();
	return NULL;
}

int main(int argc, char **argv)
{
	static void *(*const kinds[])(void *) = { early, late, leaver };
	pthread_t thread;
	trace_id_t trid = -1;
	int number;

	if (argc > 1 && (posix_trace_create_withlog(0, NULL, open(argv[1], O_RDWR | O_CREAT, 0600), &trid) != 0 ||
		posix_trace_start(trid) != 0))
		return 1;
	for (number = 0; number < 9; number++) {
		pthread_create(&thread, NULL, kinds[number % 3], &number);
		pthread_join(thread, NULL);
	}
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, stays, &number);
	pthread_barrier_wait(&barrier);
	pthread_setname_np(thread, "stays");
	exit(0);
}
"""
EXPECTED = [f"{('early', 'late', 'leaver')[n % 3]}-{n}" for n in range(9)] + ["stays"]


def at(name):
    return os.path.join(FOLDER, name)


def names_of(log):
    rows = [json.loads(line) for line in rastrum("report", "-f", "jsonl", "-t", "event", at(log)).lines]
    return [row["context"].get("name") for row in rows]


PROGRAM = built(NAMES, at("names"), *CHECKERS, "-x", "none", f"build/{BUILD}/libposixtrace.a", "-pthread")
rastrum("record", "-o", at("recorded.rst"), "--", PROGRAM)
same(names_of("recorded.rst"), EXPECTED, "threads that ended at once are known by the names that they had at their end")
ENV = {**os.environ, "POSIX_TRACE_CONSUMER": os.path.abspath(f"build/{BUILD}/posix-trace-consumer")}
subprocess.run([PROGRAM, at("own.rst")], check=True, timeout=PATIENCE, env=ENV)
end = time.monotonic() + PATIENCE
while names_of("own.rst") != EXPECTED and time.monotonic() < end:  # the consumer ends the log behind the program
    time.sleep(0.05)
same(names_of("own.rst"), EXPECTED, "so they are in the log of a program that traces itself")
shutil.rmtree(FOLDER)
done()
