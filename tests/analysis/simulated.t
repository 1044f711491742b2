#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Statistics of generated schedules, whose truth the simulator knows (tests/scheduler.py)."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from scheduler import Schedule
from tap import Faults, done, ok, rastrum

N_SCHEDULES = 25


def table(name, path, *options):
    """The rows of a table as dictionaries."""
    run = rastrum("stats", "--table", name, "--json", *options, path)
    answer = json.loads(run.out)
    names = [column["name"] for column in answer["columns"]]
    return answer, [dict(zip(names, row)) for row in answer["rows"]]


def compare_load(schedule, path, faults):
    answer, rows = table("load", path)
    sums = schedule.sums()
    for row in rows:
        if row["kind"] != "thread":
            continue
        truth = sums.pop(row["thread"])
        for column in ("running", "ready", "waiting", "interrupted"):
            faults.compare(f"{path}: {row['thread']} {column}", row[column], truth[column])
        for reason in ("sleep", "lock", "semaphore"):
            faults.compare(f"{path}: {row['thread']} waiting for {reason}", row[f"waiting_{reason}"] or 0, truth[reason])
    faults.compare(f"{path}: threads that are not in the table", list(sums), [])
    core, = [row for row in rows if row["kind"] == "core"]
    running = sum(row["running"] for row in rows if row["kind"] == "thread")
    start = schedule.events[len(schedule.threads) - 1][0] - schedule.events[0][0]
    faults.compare(f"{path}: running of the core, with the initialisation", core["running"], start + running)
    window = answer["window"]["to"] - answer["window"]["from"]
    faults.compare(f"{path}: the core's time", core["running"] + core["interrupted"] + core["idle"] + core["unknown"], window)


def compare_parts(path, faults):
    """The parts of --per sum up to the whole."""
    _, whole = table("load", path)
    _, parts = table("load", path, "--per", "777")
    key = ("kind", "core", "thread", "interrupt")
    for row in whole:
        mine = [part for part in parts if all(part[k] == row[k] for k in key)]
        for column in ("running", "ready", "waiting", "interrupted", "idle"):
            faults.compare(f"{path}: {row} {column}", sum(part[column] or 0 for part in mine), row[column] or 0)


loads, sums_of_parts = Faults(), Faults()
with tempfile.TemporaryDirectory(prefix="rastrum-simulated-") as folder:
    for seed in range(N_SCHEDULES):
        schedule = Schedule(seed)
        path = os.path.join(folder, f"{seed}.trx")
        with open(path, "wb") as out:
            out.write(schedule.dump())
        compare_load(schedule, path, loads)
        compare_parts(path, sums_of_parts)
ok(not loads, "load: what each thread did is what the simulator knows, to the tick", *loads)
ok(not sums_of_parts, "the parts of --per sum up to the whole", *sums_of_parts)
sys.exit(done())
