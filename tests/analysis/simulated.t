#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Statistics of generated schedules, whose truth the simulator knows (tests/scheduler.py)."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from scheduler import Schedule
from tap import Faults, done, ok, rastrum, sample

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


def runs_of(thread):
    """(state, reason, begin, end, ticks without interrupts): what a thread did, interrupts within runs."""
    result = []
    for state, reason, _, begin, end in thread.history:
        is_run = state in ("running", "interrupted")
        ticks = 0 if state == "interrupted" else end - begin
        if is_run and result and result[-1][0] == "running":
            result[-1] = ("running", None, result[-1][2], end, result[-1][4] + ticks)
        else:
            result.append(("running" if is_run else state, reason, begin, end, ticks))
    return result


def compare_threads(schedule, path, faults):
    _, rows = table("threads", path)
    _, latencies = table("latency", path)
    acted = {context for _, context, *_ in schedule.events}
    by_name = {row["thread"]: row for row in rows}
    latency_by_name = {row["thread"]: row for row in latencies}
    for thread in schedule.threads:
        row, did = by_name[thread.name], runs_of(thread)
        pairs = list(zip(did, did[1:]))
        ran = [before[4] for before, _ in pairs if before[0] == "running"]
        # Without a pause between, a wake and the run are one step of the history.
        waits = [before[4] if before[0] == "ready" else 0 for n, (before, after) in enumerate(pairs)
                 if after[0] == "running" and (before[0] == "waiting" or n == 0 or pairs[n - 1][0][0] == "waiting")]
        truth = {
            "priority": thread.priority if thread.address in acted else None,
            "switches": sum(after[0] == "running" for _, after in pairs),
            "preemptions": sum(before[0] == "running" and after[0] == "ready" for before, after in pairs),
            "blocks": sum(before[0] == "running" and after[0] == "waiting" for before, after in pairs),
            "wakeups": 1 + sum(before[0] == "waiting" for before, _ in pairs),
            "run_max": max(ran, default=None),
            "latency_max": max(waits, default=None),
        }
        for column, expected in truth.items():
            faults.compare(f"{path}: {thread.name} {column}", row[column], expected)
        for column, lengths in (("run_p50", ran), ("latency_p50", waits)):
            median = sorted(lengths)[(len(lengths) - 1) // 2] if lengths else 0
            if abs((row[column] or 0) - median) > median / 64:
                faults.append(f"{path}: {thread.name} {column}: {row[column]}, expected {median} within 1/64")
        latency = latency_by_name.get(thread.name, {})
        faults.compare(f"{path}: {thread.name} latency count", latency.get("count", 0), len(waits))
        faults.compare(f"{path}: {thread.name} latency total", latency.get("total", 0), sum(waits))


def compare_locks(schedule, path, faults):
    _, rows = table("locks", path)
    rows = {row["lock"]: row for row in rows}
    end = schedule.now
    for lock in schedule.locks:
        row, holds = rows.get(lock.name, {}), [(end_ - begin, end_) for _, begin, end_ in lock.holds]
        waits = [(end_ - begin, end_) for thread in schedule.threads for state, reason, what, begin, end_ in thread.history
                 if reason == "lock" and what == lock.name]
        whole = [ticks for ticks, end_ in holds if end_ < end]
        over = [ticks for ticks, end_ in waits if end_ < end]
        truth = {
            "acquisitions": len(holds),
            "total_hold": sum(ticks for ticks, _ in holds),
            "max_hold": max(whole, default=None),
            "total_wait": sum(ticks for ticks, _ in waits),
            "max_wait": max(over, default=None),
            "unknown": 0,
        }
        for column, expected in truth.items():
            faults.compare(f"{path}: {lock.name} {column}", row.get(column), expected)


def compare_interrupts(schedule, path, faults):
    _, rows = table("interrupts", path)
    entered, lengths = None, []
    for at, _, _, number, _ in schedule.events:
        if number == 3:
            entered = at
        elif number == 4:
            lengths.append(at - entered)
    row, = rows
    truth = {"count": len(lengths), "total": sum(lengths), "max": max(lengths)}
    for column, expected in truth.items():
        faults.compare(f"{path}: interrupt {column}", row[column], expected)


def compare_parts(path, faults):
    """The parts of --per sum up to the whole, also where what is counted is longer than a part."""
    tables = {
        "load": (("kind", "core", "thread", "interrupt"), ("running", "ready", "waiting", "interrupted", "idle")),
        "threads": (("thread",), ("running", "switches", "preemptions", "blocks", "wakeups")),
        "latency": (("thread",), ("count", "total")),
    }
    for name, (key, columns) in tables.items():
        _, whole = table(name, path)
        _, parts = table(name, path, "--per", "77")
        for row in whole:
            mine = [part for part in parts if all(part[k] == row[k] for k in key)]
            for column in columns:
                faults.compare(f"{path}: {name} {row} {column}", sum(part[column] or 0 for part in mine), row[column] or 0)
        if name == "latency":
            longest = max(part["max"] for part in parts)
            faults.compare(f"{path}: the longest latency", longest, max(row["max"] for row in whole))


loads, threads, locks, interrupts, sums_of_parts = (Faults() for _ in range(5))
with tempfile.TemporaryDirectory(prefix="rastrum-simulated-") as folder:
    for seed in sample(range(N_SCHEDULES)):
        schedule = Schedule(seed)
        path = os.path.join(folder, f"{seed}.trx")
        with open(path, "wb") as out:
            out.write(schedule.dump())
        compare_load(schedule, path, loads)
        compare_threads(schedule, path, threads)
        compare_locks(schedule, path, locks)
        compare_interrupts(schedule, path, interrupts)
        compare_parts(path, sums_of_parts)
ok(not loads, "load: what each thread did is what the simulator knows, to the tick", *loads)
ok(not threads, "threads, latency: runs, what ended them and how soon threads ran are what the simulator knows", *threads)
ok(not locks, "locks: who held and awaited each, how often and how long, is what the simulator knows", *locks)
ok(not interrupts, "interrupts: their number and lengths are what the simulator knows", *interrupts)
ok(not sums_of_parts, "the parts of --per sum up to the whole", *sums_of_parts)
sys.exit(done())
