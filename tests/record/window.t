#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A part of a log is read by the heads of its blocks, or by the spans behind its end: the report is the same as by reading all of
it, and blocks that are left out are not looked at."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from posix_log import END, block, end_spans  # noqa: E402
from tap import BUILD, CHECKERS, RASTRUM, built, done, ok, same, spread  # noqa: E402

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
		const unsigned int data[4] = { i * 2654435761u, (unsigned int)number, i * 2246822519u, i * 3266489917u };

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
# Coverage is complete with the first few of each kind, and each costs whole reports.
PART = 8 if BUILD == "cover" else 1
N_WINDOWS, N_WRONG = 24 // PART // spread(2) or 1, 16 // PART // spread(2) or 1
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


def written(name, data):
    with open(f"{folder}/{name}", "wb") as file:
        file.write(data)
    return f"{folder}/{name}"


def with_end(data, body):
    """The log with another last block."""
    at, _, _ = list(blocks(data))[-1]
    return bytes(data[:at]) + block(END, bytes(body), struct.unpack_from("<Q", data, at + 16)[0])


def differing(log, *parts):
    """Of some parts, those that are not shown as if all was read."""
    return [part for part in parts if run("report", *part, log) != all_read("report", *part, log)]


random.seed(20)
with tempfile.TemporaryDirectory() as folder:
    program = built(PROGRAM, f"{folder}/program", *CHECKERS, "-pthread", "-x", "none", f"build/{BUILD}/libposixtrace.a")
    env = {**os.environ, "POSIX_TRACE_CONSUMER": os.path.abspath(f"build/{BUILD}/posix-trace-consumer")}
    for kind in ("threads", "zstd", "h: children"):
        log, faults = f"{folder}/{kind[0]}.rst", []
        same(subprocess.run([program, log, kind], env=env, check=False).returncode, 0, f"{kind}: a log is recorded")
        ticks = [json.loads(line)["ts"] for line in run("report", "-f", "jsonl", log)[1].splitlines() if line.startswith(b'{"seq"')]
        for window in windows(ticks, N_WINDOWS):
            words = ["report", *window, *random.choice(SHOWN), log]
            if run(*words) != all_read(*words):
                faults.append(" ".join(words))
        ok(len(ticks) > 150000 and not faults, f"{kind}: {N_WINDOWS} parts are shown as if all was read", len(ticks), *faults)

        with open(log, "rb") as file:
            found = end_spans(file.read())
        ok(len(found) > 4, f"{kind}: its end has spans", found)

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


    with open(f"{folder}/t.rst", "rb") as file:
        data = file.read()
    found, last = list(blocks(data)), str(ticks[-30000])
    parts = [["--last", "3"], ["--limit", "3"], ["--from", last, "--limit", "3"], ["--to", last, "-f", "csv"]]
    at, _, n = found[-1]
    short = written("short.rst", with_end(data, data[at + 24:at + 80]))
    ok(not end_spans(with_end(data, data[at + 24:at + 80])) and not differing(short, *parts)
       and all(run("report", *part, short)[1] == run("report", *part, f"{folder}/t.rst")[1] for part in parts),
       "a log of before, without spans, is shown as one with them", differing(short, *parts))
    same(differing(written("cut.rst", data[:at]), *parts), [], "so is one that has no end")
    same(differing(written("cut.rst", data[:-n // 2 // 8 * 8]), *parts), [], "and one that is cut in its end")
    wrong = []
    for k in range(N_WRONG):
        bad = bytearray(data)
        bad[random.randrange(at, len(data))] ^= 1 << k % 8
        wrong += differing(written("bad.rst", bad), *parts[:3])
    same(wrong, [], "an end with any wrong byte is not believed")

    body, n_spans = data[at + 24:], len(end_spans(data))
    wrong, codes = [], set()
    for k in range(16 // PART):
        bad = bytearray(body)
        place = 56 + 40 * random.randrange(1, n_spans)
        struct.pack_into("<Q", bad, place, struct.unpack_from("<Q", bad, place)[0] + 8 * random.randint(1, 9))
        wrong += differing(written("bad.rst", with_end(data, bad)), *parts)
    same(wrong, [], "nor are spans that begin where no block does")
    for k in range(60 // PART):
        bad = bytearray(body)
        for _ in range(1 + k % 3):
            bad[random.randrange(56, len(bad))] = random.choice([0, 1, 0x7f, 0xff, random.randrange(256)])
        lie = written("bad.rst", with_end(data, bad))
        codes |= {run("report", *part, lie)[0] for part in parts[:3]}
    ok(codes <= {0, 2, 3}, "whatever they say, a report comes to an end", codes)

    inner = [i for i in range(1, len(found) - 1) if all(kind == 5 for _, kind, _ in found[i - 1:i + 2])]
    for where, what in ((0, "magic"), (4, "kind"), (8, "length"), (30, "first stamp"), (40, "number of events")):
        bad = bytearray(data)
        place, _, _ = found[inner[-8]]
        bad[place + where] ^= 0x11
        bad = written("bad.rst", bad)
        words = ["--from", str(ticks[-60000])]
        same(differing(bad, [], words, ["--last", "60000"]), [], f"a block in a span with another {what} is found when it is read")

sys.exit(done())
