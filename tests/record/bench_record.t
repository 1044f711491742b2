#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`rastrum bench record`: its rows, and how many instructions an event takes (times are for quiet machines)."""
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import IS_RELEASE, done, ok, rastrum, same, skip  # noqa: E402

GOALS = ["posix_event_4", "posix_event_64", "posix_event_off", "macro_4", "macro_off", "hook_2", "hook_off", "posix_event_4_2threads"]
# With the five or six of the loop around it.
INSTRUCTIONS = {"posix_event_4": 100, "posix_event_64": 130, "posix_event_off": 20, "macro_4": 60, "macro_off": 6}
USAGE, UNSUPPORTED = 2, 5


def check_rows():
    run = rastrum("bench", "record", "--runs", "1", "--events", "20000")
    rows = re.findall(r"^(\w+) +\d+ +[\d.]+ +[\d.]+ +[\d.]+ ns/event +([\d.]+)$", run.out, re.M)
    ratios = re.findall(r"^ratio (\w+) ([\d.]+)$", run.out, re.M)
    ok(run.status == 0 and rows and rows[0] == ("ring", "1.00"), "the ring comes first and is the unit", run.out, run.err)
    same([name for name, _ in ratios][:8], GOALS, "the eight ratios with goals come first")
    same(ratios, rows[1:], "every other row has its ratio")


def check_once():
    run = rastrum("bench", "record", "posix_event_4", "--events", "1000")
    ok(run.status == 0 and not run.out and not run.err, "one row runs without a word", run.out, run.err)
    run = rastrum("bench", "record", "nothing")
    ok(run.status == USAGE and "'nothing'" in run.err, "an unknown row is reported", run.err)


def check_peers():
    sentence = "peers are measured, or reported to be absent"
    run = rastrum("bench", "record", "--runs", "1", "--events", "20000", "--peer")
    ok("shared_posix_event_4" in run.out if run.status == 0 else run.status == UNSUPPORTED and "bench-peer" in run.err,
       sentence, run.out, run.err)


def check_instructions():
    sentence = "an event takes no more instructions than it may: "
    if not shutil.which("valgrind") or not IS_RELEASE:
        for name in INSTRUCTIONS:
            skip(sentence + name, "needs valgrind and a release build")
        return
    counts = dict(re.findall(r"^instructions (\w+) ([\d.]+)$", rastrum("bench", "record", "--instructions", timeout=240).out, re.M))
    for name, most in INSTRUCTIONS.items():
        ok(name in counts and float(counts[name]) <= most, sentence + name, counts)


for check in (check_rows, check_once, check_peers, check_instructions):
    check()
sys.exit(done())
