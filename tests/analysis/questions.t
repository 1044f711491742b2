#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The questions that come first, docs/FORMATS.md: the views of `convert -t sqlite` answer them as the report's events and intervals do."""
import collections
import json
import os
import re
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from conversions import convert, lines, path_of, recordings
from tap import Faults, done, ok, rastrum, same, sample


def called(entity):
    if not isinstance(entity, dict):
        return None if entity is None else str(entity)
    return entity["name"] if entity["name"] is not None else str(entity["id"])


def kind(intervals, name, state=None):
    return [line for line in intervals if line["kind"] == name and (state is None or line["state"] == state)]


def length(line):
    return line["to"] - line["from"]


def grouped(rows, key):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def sums(groups):
    """(key…, how many, how long together, the longest)."""
    return [(*key, len(rows), sum(map(length, rows)), max(map(length, rows))) for key, rows in groups.items()]


def ready(intervals, is_woken):
    return [line for line in kind(intervals, "thread", "ready") if (line["by"] is not None) == is_woken]


def identity(entity):
    return json.dumps(entity["id"] if isinstance(entity, dict) else entity)


def locks_waited_for(intervals):
    waits = [line for line in kind(intervals, "thread", "waiting") if line["reason"] == "lock"]
    groups = grouped(waits, lambda line: (called(line["object"]), identity(line["object"])))
    return [(name, *rest) for name, _, *rest in sums(groups)]


def levels(intervals):
    groups = grouped(kind(intervals, "level"), lambda line: (called(line["subject"]), identity(line["subject"])))
    return [(name, min(known, default=None), max(known, default=None), len(rows)) for (name, _), rows in groups.items()
            for known in [[row["value"] for row in rows if row["value"] is not None]]]


def processes(intervals):
    groups = grouped(kind(intervals, "thread", "running"), lambda line: (called(line["subject"]), identity(line["subject"])))
    return [(name, *rest) for name, _, *rest in sums(groups)]


# Of each view: what is asked of it, and the same of events and intervals.
QUESTIONS = {
    "event_counts": ("name, count, first_ts, last_ts", lambda events, _: [
        (name, len(rows), min(row["ts"] for row in rows), max(row["ts"] for row in rows)) for name, rows in grouped(events, lambda row: row["name"]).items()]),
    "running": ("thread, runs, running, longest", lambda _, intervals: processes(intervals)),
    "waits": ("thread, reason, object, duration, from_ts, to_seq", lambda _, intervals: [
        (called(line["subject"]), line["reason"], called(line["object"]), length(line), line["from"], line["to_seq"]) for line in kind(intervals, "thread", "waiting")]),
    "wakeups": ("thread, by, duration, from_ts, from_seq", lambda _, intervals: [
        (called(line["subject"]), called(line["by"]), length(line), line["from"], line["from_seq"]) for line in ready(intervals, True)]),
    "preemptions": ("thread, duration, from_ts, certainty", lambda _, intervals: [
        (called(line["subject"]), length(line), line["from"], line["certainty"]) for line in ready(intervals, False)]),
    "holds": ("lock, owner, duration, from_ts", lambda _, intervals: [
        (called(line["subject"]), called(line["object"]), length(line), line["from"]) for line in kind(intervals, "lock", "held")]),
    "contention": ("lock, waits, waited, longest", lambda _, intervals: locks_waited_for(intervals)),
    "interrupts": ("interrupt, core, count, total, longest", lambda _, intervals: sums(grouped(
        kind(intervals, "interrupt"), lambda line: (line["subject"], line["core"])))),
    "spans": ("span, count, total, longest", lambda _, intervals: sums(grouped(kind(intervals, "span"), lambda line: (called(line["subject"]),)))),
    "levels": ("object, least, most, changes", lambda _, intervals: levels(intervals)),
    "unknown_times": ("kind, subject, duration, from_ts", lambda _, intervals: [
        (line["kind"], called(line["subject"]), length(line), line["from"]) for line in intervals if line["state"] == "unknown"]),
}


def ordered(rows):
    return sorted(rows, key=lambda row: [(value is None, str(value)) for value in row])


def has_ticks(path):
    return json.loads(rastrum("info", "-q", "--json", path).out)["clock"]["hz"] is None


def main():
    made = path_of("made.trx")
    with open(made, "wb") as file:
        file.write(rastrum("bench", "gen", "--events", "20000", "--cores", "2").bytes)
    faults, answered = Faults(), collections.Counter()
    known = recordings()
    with_spans = [path for path in known if path.endswith("rkh-renamed")]  # few of those that count in ticks have spans
    paths = [path for path in dict.fromkeys(sample(known, every=3) + with_spans) if has_ticks(path)] + [made]
    for path in paths:
        out = path_of("questions.db")
        run, _ = convert(path, "sqlite", out=out)
        if run.status not in (0, 3):
            faults.append(f"{path}: {run.err}")
            continue
        database = sqlite3.connect(out)
        events = [line for line in lines(path) if "seq" in line]
        intervals = [line for line in lines(path, "--intervals") if line["from"] != line["to"]]
        for view, (columns, expected) in QUESTIONS.items():
            rows = database.execute(f"SELECT {columns} FROM {view}").fetchall()
            answered[view] += len(rows)
            faults.compare(f"{path}: {view}", ordered(rows), ordered(expected(events, intervals)))
        database.close()
        os.remove(out)
    ok(not faults, f"the views of {len(paths)} recordings have what events and intervals have", *faults)
    same([view for view in QUESTIONS if not answered[view]], [], "each of them has an answer somewhere")
    with open("docs/FORMATS.md", encoding="utf-8") as file:
        listed = re.findall(r"^\d+\. .*`(\w+)`", file.read(), re.M)
    same(listed[:10], list(QUESTIONS)[:10], "docs/FORMATS.md lists the ten questions with their views")


main()
sys.exit(done())
