#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What must hold of the intervals of any recording, whatever its dialect: checked here, from the printed lines alone, on every
golden and every recording in tests/data.
"""
import csv
import glob
import io
import json
import os
import re
import shlex
import sys
from collections import defaultdict

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import Faults, done, golden_bytes, least, ok, rastrum, sample  # noqa: E402

KEYS = ["kind", "subject", "object", "state", "reason", "core", "from", "to", "from_seq", "to_seq", "by", "certainty"]
STATES = {
    "thread": {"running", "ready", "waiting", "interrupted", "created", "ended", "unknown"},
    "core": {"running", "idle", "interrupt", "unknown"},
    "lock": {"held", "unknown"},
    "interrupt": {None}, "span": {None}, "level": {None}, "machine": {None},
}
REASONS = {"sleep", "lock", "semaphore", "queue", "flags", "memory", "io", "join", "child", "suspended", "other"}


class Trace:
    """The events of a recording: stamps by sequence number, and behind which events something is lost."""

    def __init__(self, lines):
        self.ticks, self.names, self.gaps, latest, last = {}, {}, [], None, -1
        for line in lines:
            event = json.loads(line)
            if "name" not in event:
                self.gaps.append(last)
                continue
            # A stamp that goes back counts as the latest one before it.
            latest = event["ts"] if latest is None else max(latest, event["ts"])
            last = event["seq"]
            self.ticks[last], self.names[last] = latest, event["name"]
        self.begin, self.end = (min(self.ticks.values()), latest) if self.ticks else (0, 0)


def key_of(entity):
    """A thread of Linux whose id was another's before has another name: a log has no events of its end."""
    words = ("kind", "id", "name") if IS_POSIX else ("kind", "id")
    return json.dumps({word: entity[word] for word in words} if isinstance(entity, dict) else entity)


def check_form(intervals, trace, faults):
    for it in intervals:
        fault = None
        if [key for key in it if key != "value"] != KEYS or ("value" in it) != (it["kind"] == "level"):
            fault = "has other keys"
        elif it["state"] not in STATES[it["kind"]]:
            fault = "has a state of another kind"
        elif (it["reason"] in REASONS) != (it["state"] == "waiting"):
            fault = "has no reason to wait, or one without waiting"
        elif not trace.begin <= it["from"] < it["to"] <= trace.end:
            fault = "is empty, or reaches out of the window"
        elif it["certainty"] == "exact" and trace.ticks.get(it["from_seq"]) != it["from"]:
            fault = "is exact and does not begin at its event"
        elif it["state"] == "unknown" and it["certainty"] != "unknown":
            fault = "is certain of something unknown"
        elif (it["from_seq"] is None and it["from"] != trace.begin or
              it["to_seq"] is None and it["to"] != trace.end) and not trace.gaps:
            fault = "has no event at an end inside the window"
        if fault:
            faults.append(f"{fault}: {it}")


def check_loss(intervals, trace, faults):
    for it in intervals:
        for gap in trace.gaps:
            reaches = it["to_seq"] > gap if it["to_seq"] is not None else gap >= 0 and it["to"] > trace.ticks[gap]
            if it["certainty"] == "exact" and it["from_seq"] <= gap and reaches:
                faults.append(f"is exact across a loss: {it}")


def tracks(intervals, kind):
    """The intervals of each subject, by their beginnings."""
    found = defaultdict(list)
    for it in intervals:
        if it["kind"] == kind:
            found[key_of(it["subject"])].append(it)
    return {subject: sorted(track, key=lambda it: (it["from"], it["to"])) for subject, track in found.items()}


def check_threads(intervals, trace, faults):
    for subject, track in tracks(intervals, "thread").items():
        is_created = track[0]["from_seq"] is not None and (track[0]["state"] == "created" or not IS_THREADX)
        if track[0]["from"] != trace.begin and not is_created and not trace.gaps:
            faults.append(f"{subject} begins inside the window without its creation: {track[0]}")
        is_deleted = track[-1]["to_seq"] is not None and (
            not IS_THREADX or trace.names[track[-1]["to_seq"]] == "TX_TRACE_THREAD_DELETE")
        if track[-1]["to"] != trace.end and not is_deleted and not trace.gaps:
            faults.append(f"{subject} ends inside the window without its deletion: {track[-1]}")
        for before, after in zip(track, track[1:]):
            if IS_POSIX and before["state"] == after["state"] == "unknown":
                continue  # several threads that had one id and name in turn
            # Behind its deletion the id may be that of another thread, which is created.
            if before["to"] > after["from"] or before["to"] < after["from"] and None in (before["to_seq"], after["from_seq"]):
                faults.append(f"{subject} has a gap or an overlap: {before} and {after}")


def check_cores(intervals, trace, faults):
    running = defaultdict(list)
    for it in intervals:
        if it["kind"] == "thread" and it["state"] == "running" and it["core"] is not None:
            running[it["core"]].append((it["from"], it["to"], key_of(it["subject"])))
    cores = tracks(intervals, "core")
    for subject, track in cores.items():
        if track[0]["from"] != trace.begin or track[-1]["to"] != trace.end or any(
                before["to"] != after["from"] for before, after in zip(track, track[1:])):
            faults.append(f"core {subject} does not cover the window")
    for core, spans in running.items():
        spans.sort()
        for before, after in zip(spans, spans[1:]):
            if before[1] > after[0]:
                faults.append(f"two threads run on core {core}: {before} and {after}")
        shown = defaultdict(int)
        for it in cores.get(str(core), []):
            if it["state"] == "running" and it["object"] and it["object"]["kind"] == "thread":
                shown[key_of(it["object"])] += it["to"] - it["from"]
        summed = defaultdict(int)
        for begin, end, subject in spans:
            summed[subject] += end - begin
        if dict(shown) != dict(summed):
            faults.append(f"core {core} runs {dict(shown)}, its threads run {dict(summed)}")


def check_apart(intervals, kind, of, faults):
    for subject, track in tracks([it for it in intervals if of(it)], kind).items():
        for before, after in zip(track, track[1:]):
            if before["to"] > after["from"]:
                faults.append(f"{kind} {subject} overlaps itself: {before} and {after}")


def check_nesting(intervals, kind, of, faults):
    """Two of one track are apart, or one lies in the other."""
    groups = defaultdict(list)
    for it in intervals:
        if it["kind"] == kind:
            groups[of(it)].append((it["from"], -it["to"]))
    for group, spans in groups.items():
        stack = []
        for begin, end in sorted(spans):
            while stack and stack[-1] <= begin:
                stack.pop()
            if stack and -end > stack[-1]:
                faults.append(f"{kind} of {group} from {begin} to {-end} crosses another one")
            stack.append(-end)


def is_shared(it):
    return isinstance(it["subject"], dict) and it["subject"]["kind"] not in ("mutex",)


def faults_of(data, options):
    faults = Faults()
    events = rastrum("report", "-q", "-f", "jsonl", *options, "-", stdin=data)
    run = rastrum("report", "-q", "--intervals", "-f", "jsonl", *options, "-", stdin=data)
    faults.compare("the exit status", run.status, events.status)
    trace, intervals = Trace(events.lines), [json.loads(line) for line in run.lines]
    if not trace.ticks:
        faults.compare("intervals without events", intervals, [])
        return faults, set()
    check_form(intervals, trace, faults)
    if not faults:
        check_loss(intervals, trace, faults)
        check_threads(intervals, trace, faults)
        check_cores(intervals, trace, faults)
        check_apart(intervals, "level", lambda it: True, faults)
        check_apart(intervals, "machine", lambda it: True, faults)
        check_apart(intervals, "lock", lambda it: not is_shared(it), faults)
        check_nesting(intervals, "interrupt", lambda it: it["core"], faults)
    rows = list(csv.reader(io.StringIO(rastrum("report", "-q", "--intervals", "-f", "csv", *options, "-", stdin=data).out)))
    faults.compare("rows of CSV", len(rows), len(intervals) + 1)
    faults.compare("begins in CSV", [row[rows[0].index("from")] for row in rows[1:]], [str(it["from"]) for it in intervals])
    return faults, {it["kind"] for it in intervals}


def goldens():
    """(name, bytes, options of the first run)"""
    for path in sorted(glob.glob("tests/goldens/*/*.hex")):
        lines = open(path, encoding="utf-8").read().splitlines()
        runs = [match.group(1) for match in (re.fullmatch(r"# options:(.*)", line) for line in lines) if match]
        words = shlex.split(runs[0]) if runs else []
        yield os.path.relpath(path, "tests/goldens"), golden_bytes(path), words


def recordings():
    for path in sorted(glob.glob("tests/data/threadx/**/*.trx", recursive=True) + glob.glob("tests/data/rkh/*.bin") +
                       glob.glob("tests/data/liteos/**/*", recursive=True)):
        if os.path.isfile(path) and not path.endswith((".json", ".md", ".c", ".h", ".elf", ".txt")):
            with open(path, "rb") as file:
                yield os.path.relpath(path, "tests/data"), file.read(), []


IS_POSIX = IS_THREADX = False
KINDS = defaultdict(set)
N_READ = defaultdict(int)
for name, data, options in sample([*goldens(), *recordings()], every=3):
    # What selects or shows events otherwise is not about intervals.
    if any(word.startswith(("-c", "--col", "-t", "--type", "--from", "--to", "--limit", "-n", "--time", "--context", "--object",
                            "--core", "--format", "-f", "--source")) for word in options):
        options = []
    if rastrum("info", "--json", *options, "-", stdin=data).status in (1, 2, 4):
        continue
    IS_POSIX, IS_THREADX = name.startswith("posix/"), name.startswith("threadx/")
    faults, kinds = faults_of(data, options)
    ok(not faults, f"intervals of {name}", *faults)
    KINDS[name.split("/")[0]] |= kinds
    N_READ[name.split("/")[0]] += 1
for dialect, kinds in {"threadx": {"thread", "core", "lock", "level", "interrupt"}, "liteos": {"thread", "core"},
                       "compact": {"thread", "core", "level"}, "posix": {"thread"}, "rkh": {"level", "machine"}}.items():
    ok(kinds <= KINDS[dialect], f"{dialect} has intervals of {', '.join(sorted(kinds))}", sorted(KINDS[dialect]))
    ok(N_READ[dialect] >= least(5), f"several recordings of {dialect} were read", N_READ[dialect])
sys.exit(done())
