#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A part of a log is read by the heads of its blocks: the report is the same as by reading all of it, and blocks that are
left out are not looked at."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import RASTRUM, built, done, ok, same  # noqa: E402

BUILD = os.environ.get("BUILD", "release")
CHECKERS = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"], "cover": ["--coverage"]}.get(BUILD, [])
PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <trace.h>
#include <unistd.h>

static void *work(void *argument)
{
	const long number = (long)argument;
	trace_event_id_t types[2];

	posix_trace_eventid_open("short", &types[0]);
	posix_trace_eventid_open(number < 2 ? "short" : "a_type_that_comes_later", &types[1]);
	pthread_setname_np(pthread_self(), number ? "worker" : "first");
	for (unsigned int i = 0; i < 60000; i++) {
		const unsigned int data[4] = { i, (unsigned int)number, 7, 7 };

		posix_trace_event(types[i / 997 % 2], data, 4 * (1 + i % 4));
		if (i % 2000 == 0)
			usleep(2000);
		if (i == 40000 && number == 1)
			pthread_setname_np(pthread_self(), "renamed-longer");
	}
	return NULL;
}

/* FILE KIND: threads, compressed, children. */
int main(int n, char **words)
{
	const char kind = words[2][0];
	trace_attr_t attr;
	trace_id_t trid;
	pthread_t threads[3];

	posix_trace_attr_init(&attr);
	posix_trace_attr_setstreamsize(&attr, 16 << 20);
	posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND);
	posix_trace_attr_setinherited(&attr, kind == 'h' ? POSIX_TRACE_INHERITED : POSIX_TRACE_CLOSE_FOR_CHILD);
	posix_trace_attr_setcompress_np(&attr, kind == 'z');
	if (n != 3 || posix_trace_create_withlog(0, &attr, open(words[1], O_RDWR | O_CREAT | O_TRUNC, 0644), &trid))
		return 1;
	posix_trace_start(trid);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	usleep(15000);
	if (kind == 'h' && fork() == 0) {
		work((void *)3L);
		_exit(0);
	}
	pthread_create(&threads[2], NULL, work, (void *)2L);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
	return posix_trace_shutdown(trid);
}
"""
SHOWN = [[], ["-f", "jsonl"], ["-f", "csv"], ["--limit", "7"], ["--columns", "+delta,+core"], ["-f", "aix"], ["--head", "always"],
         ["-t", "a_type*"], ["--time", "ticks"]]


def run(*words):
    got = subprocess.run([RASTRUM, *words], capture_output=True, check=False)
    return got.returncode, got.stdout, got.stderr


def all_read(*words):
    """With a setting that names a folder, all of a log is read."""
    return run(words[0], "--opt", "symbols=/", *words[1:])


def blocks(data):
    """(offset, kind, bytes with the head) of each block."""
    at = 272
    while at < len(data):
        _, kind, _, length = struct.unpack_from("<IHHI", data, at)
        yield at, kind, 24 + (length + 7) // 8 * 8
        at += 24 + (length + 7) // 8 * 8


def windows(ticks, n):
    for k in range(n):
        first, last = sorted(random.sample(range(len(ticks)), 2))
        if k % 3 == 0:
            last = min(first + random.randint(0, 50), len(ticks) - 1)
        yield random.choice([["--from", str(ticks[first])], ["--to", str(ticks[last])],
                             ["--from", str(ticks[first]), "--to", str(ticks[last])],
                             ["--last", str(random.choice([1, 5, 100, 5000, len(ticks) - first]))]])


random.seed(20)
with tempfile.TemporaryDirectory() as folder:
    program = built(PROGRAM, f"{folder}/program", *CHECKERS, "-pthread", "-x", "none", f"build/{BUILD}/libposixtrace.a")
    env = {**os.environ, "POSIX_TRACE_CONSUMER": os.path.abspath(f"build/{BUILD}/posix-trace-consumer")}
    for kind in ("threads", "zstd", "h: children"):
        log, faults = f"{folder}/{kind[0]}.rst", []
        same(subprocess.run([program, log, kind], env=env, check=False).returncode, 0, f"{kind}: a log is recorded")
        ticks = [json.loads(line)["ts"] for line in run("report", "-f", "jsonl", log)[1].splitlines() if line.startswith(b'{"seq"')]
        for window in windows(ticks, 24):
            words = ["report", *window, *random.choice(SHOWN), log]
            if run(*words) != all_read(*words):
                faults.append(" ".join(words))
        ok(len(ticks) > 150000 and not faults, f"{kind}: 24 parts are shown as if all was read", len(ticks), *faults)

    with open(f"{folder}/t.rst", "rb") as file:
        data = bytearray(file.read())
    found = list(blocks(data))
    among = [found[i] for i in range(1, len(found) - 1) if all(kind == 5 for _, kind, _ in found[i - 1:i + 2])]
    at, _, n = among[len(among) // 2]
    data[at + n // 2] ^= 1
    bad = f"{folder}/bad.rst"
    with open(bad, "wb") as file:
        file.write(data)
    for words in (["report"], ["report", "-f", "jsonl"], ["info"]):
        one, other = run(*words, bad), all_read(*words, bad)
        ok(one[0] == 3 and one == other and f"byte {at}:".encode() in one[2] + one[1], f"{' '.join(words)}: a wrong byte is found when it is read", one[0], one[2])
    same(run("report", "--limit", "3", bad), run("report", "--limit", "3", f"{folder}/t.rst"), "and not before")
    same(run("report", "--last", "3", bad), run("report", "--last", "3", f"{folder}/t.rst"), "nor behind it")

sys.exit(done())
