#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of objects (locks, queues, …): figures of generated schedules (tests/scheduler.py), and of recordings, by hand."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from scheduler import Schedule
from tap import Faults, done, ok, rastrum, same

N_SCHEDULES = 25
THREADX = "tests/data/threadx"


def table(name, path, *options):
    """A table's object, and its rows as dictionaries."""
    run = rastrum("stats", "--table", name, "--json", *options, path)
    answer = json.loads(run.out)
    names = [column["name"] for column in answer["columns"]]
    return answer, [dict(zip(names, row)) for row in answer["rows"]]


def compare_locks(schedule, path, faults):
    rows = {row["lock"]: row for row in table("locks", path)[1]}
    for lock in schedule.locks:
        row = rows.pop(lock.name, None)
        if not row:
            faults.compare(f"{path}: holds of {lock.name}, which is not in the table", lock.holds, [])
            continue
        waits = [(t.name, begin, end) for t in schedule.threads for state, reason, thing, begin, end in t.history
                 if state == "waiting" and thing == lock.name]
        whole_waits = [wait for wait in waits if wait[2] < schedule.now]
        holds = [(owner.name, begin, end) for owner, begin, end in lock.holds]
        whole_holds = holds[:-1] if lock.owner else holds
        truth = {
            "kind": "mutex", "acquisitions": len(holds), "contended": len(whole_waits),
            "total_wait": sum(end - begin for _, begin, end in waits),
            "max_wait": max((end - begin for _, begin, end in whole_waits), default=None),
            "total_hold": sum(end - begin for _, begin, end in holds),
            "max_hold": max((end - begin for _, begin, end in whole_holds), default=None), "unknown": 0,
        }
        for column, expected in truth.items():
            faults.compare(f"{path}: {lock.name} {column}", row[column], expected)
        for column, intervals in (("max_wait", whole_waits), ("max_hold", whole_holds)):
            longest = [(name, end) for name, begin, end in intervals if end - begin == row[column]]
            if intervals and (row[f"{column}_thread"], row[f"{column}_at"]) not in longest:
                faults.append(f"{path}: {lock.name} {column}: {row[f'{column}_thread']} at {row[f'{column}_at']}: not of {longest}")
    faults.compare(f"{path}: locks that there are not", list(rows), [])


def compare_parts(path, faults):
    """The parts of --per sum up to the whole, also where what is counted is longer than a part."""
    tables = {"locks": ("lock", ("acquisitions", "contended", "total_wait", "total_hold"))}
    for name, (key, columns) in tables.items():
        parts = table(name, path, "--per", "777")[1]
        for row in table(name, path)[1]:
            mine = [part for part in parts if part[key] == row[key]]
            for column in columns:
                faults.compare(f"{path}: {name} {row[key]} {column}", sum(part[column] or 0 for part in mine), row[column])


def check_schedules():
    locks, sums_of_parts = Faults(), Faults()
    with tempfile.TemporaryDirectory(prefix="rastrum-objects-") as folder:
        for seed in range(N_SCHEDULES):
            schedule = Schedule(seed)
            path = os.path.join(folder, f"{seed}.trx")
            with open(path, "wb") as out:
                out.write(schedule.dump())
            compare_locks(schedule, path, locks)
            compare_parts(path, sums_of_parts)
    ok(not locks, "locks: who had them and waited for them, how often and how long, is what the simulator knows", *locks)
    ok(not sums_of_parts, "the parts of --per sum up to the whole", *sums_of_parts)


def check_locks():
    answer, rows = table("locks", f"{THREADX}/priority_inversion.trx")
    row, = rows
    # Four rounds: low takes it, high waits for it and gets it when low gives it back.
    same({key: row[key] for key in ("lock", "acquisitions", "contended", "contention", "max_hold", "max_hold_thread", "max_wait",
                                    "max_wait_thread")},
         {"lock": "resource (plain)", "acquisitions": 8, "contended": 4, "contention": 50, "max_hold": 343030361 - 333801383,
          "max_hold_thread": "low", "max_wait": 343030682 - 336372703, "max_wait_thread": "high"},
         "locks: a mutex that low has while high waits for it, four times")
    same((row["max_hold_at"], row["max_wait_at"], answer["unknown"]), (343030361, 343030682, 0), "with the moments of the longest")


check_schedules()
check_locks()
sys.exit(done())
