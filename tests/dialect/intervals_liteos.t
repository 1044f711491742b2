#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Intervals of LiteOS recordings against their switch records: what left the core, and how, and what runs then."""
import collections
import glob
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from liteos import HERE, Reading, short  # noqa: E402
from tap import Faults, done, ok, rastrum  # noqa: E402

TASK = 0xffff
# los_task_pri.h: bits of a status that mean an end, a wait; the others leave the task ready.
ENDED, WAITING = {"a": 0x500, "m": 0x101, "h": 0x101}, {"a": 0x238, "m": 0x2a, "h": 0x2a}


def state_of(status, kernel):
    return "ended" if status & ENDED[kernel] else "waiting" if status & WAITING[kernel] else "ready"


def intervals_of(path):
    """Each task's intervals in order, by the number of the task."""
    run, tasks = rastrum("report", "--intervals", "-f", "jsonl", path), collections.defaultdict(list)
    for interval in map(json.loads, run.lines):
        if interval["kind"] == "thread":
            tasks[interval["subject"]["id"] & TASK].append(interval)
    for intervals in tasks.values():
        intervals.sort(key=lambda interval: (interval["from"], interval["to"]))
    return run, tasks


def state_behind(intervals, row):
    """What the task does behind the event; None: nothing that lasts."""
    begun = [i for i in intervals if i["from_seq"] == row["seq"]]
    lasting = [i for i in intervals if i["from"] <= row["ts"] < i["to"]]
    return (begun + lasting + [{"state": None}])[0]["state"]


def check_cover(tasks):
    faults = Faults()
    for number, intervals in tasks.items():
        faults.compare(f"ids of task {number}", len({i["subject"]["id"] for i in intervals}), 1)
        for one, other in zip(intervals, intervals[1:]):
            if one["to"] > other["from"]:
                faults.append(f"task {number} does two things at {other['from']}")
            if one["to"] < other["from"] and other["state"] not in ("created", "ready"):
                faults.append(f"task {number} does nothing at {one['to']}")
    return faults


def check_switches(path, events, tasks):
    """
    Exceptions: a notice at the same time makes everything unknown; behind a switch after which a mask hid others, the next
    event is of another task; and the scripted cores of liteos_a run a task on two at once.
    """
    rows, skipped = events.rows, {events.rows[-1]["ts"]} | {notice["ts"] for notice in events.notices}
    kernel, faults, n = short(path)[0], Faults(), 0
    has_cores = kernel == "a" and any(row["core"] for row in rows)
    for row, following in zip(rows, rows[1:]):
        if row["name"] != "TASK_SWITCH" or row["ts"] in skipped:
            continue
        old, new, n = row["args"]["curTask"] & TASK, row["args"]["newTaskId"] & TASK, n + 1
        was, runs = state_behind(tasks[old], row), state_behind(tasks[new], row)
        if old != new and was is not None:
            faults.compare(f"event {row['seq']}: task {old}", was, state_of(row["args"]["oldTaskStatus"], kernel))
        is_hidden = not has_cores and following["args"]["curTask"] & TASK != new
        if runs is not None and not (runs == "unknown" and (has_cores or is_hidden)):
            faults.compare(f"event {row['seq']}: task {new}", runs, "running")
    return faults, n


N_SWITCHES = 0
for recording in sorted(glob.glob(HERE + "*/offline.bin") + glob.glob(HERE + "*/online.tlv")):
    reading = Reading(recording)
    intervals_run, by_task = intervals_of(recording)
    ok(intervals_run.status == 0 and by_task, f"{short(recording)} has intervals", intervals_run.err)
    cover = check_cover(by_task)
    ok(not cover, f"{short(recording)}: a task is one thread, and does one thing at a time", *cover)
    wrong, n_switches = check_switches(recording, reading, by_task)
    N_SWITCHES += n_switches
    ok(not wrong, f"{short(recording)}: states follow its {n_switches} switch records", *wrong[:5])
ok(N_SWITCHES > 2400, "there are many switches", N_SWITCHES)
sys.exit(done())
