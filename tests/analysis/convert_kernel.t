#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CTF, profile lttng-kernel: from what babeltrace2 reads, a test rebuilds what cores did; it is what the intervals have."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from conversions import INVERSION, convert, every_recording, lines, path_of
from tap import Faults, done, least, ok, rastrum, skip

EVENT = re.compile(r"\[(\d+)\] \(\+[\d?]+\) (?:\S+ )?(\w+): \{ cpu_id = (\d+) \}, \{ ?(.*?) ?\}$")
FIELD = re.compile(r'(\w+) = (?:"((?:[^"\\]|\\.)*)"|(-?\d+))')
READY, SLEEPS, DEAD = 0, 1, 64


def read(out):
    """(exit status, [(at, name, core, fields)], lost events, what babeltrace2 complained of)"""
    run = subprocess.run(["babeltrace2", "--clock-cycles", out], capture_output=True, check=False)
    events = []
    for line in run.stdout.decode("utf-8", "replace").splitlines():
        found = EVENT.match(line)
        if not found:
            raise ValueError(line)
        fields = {key: int(number) if number else text for key, text, number in FIELD.findall(found.group(4))}
        events.append((int(found.group(1)), found.group(2), int(found.group(3)), fields))
    lost = sum(map(int, re.findall(rb"Tracer discarded (\d+) event", run.stderr)))
    return run.returncode, events, lost, run.stderr[-300:]


def thread_of(entity):
    """Names may come later than their threads."""
    return json.dumps([entity["kind"], entity["id"], entity.get("process")])


def coalesced(parts):
    """[(what, from)]: neighbours that are the same are one."""
    return [part for n, part in enumerate(parts) if not n or parts[n - 1][0] != part[0]]


class Core:
    """What a core did, as a reader of sched_switch and irq_handler_* takes it."""

    def __init__(self):
        self.current, self.irqs, self.parts = None, [], []

    def show(self, at):
        what = ("interrupt", self.irqs[-1]) if self.irqs else self.current
        while self.parts and self.parts[-1][1] == at:
            self.parts.pop()
        self.parts.append((what, at))


def core_event(core, event, faults):
    at, name, _, fields = event
    if name == "sched_switch":
        before = ("thread", fields["prev_tid"])
        faults.compare(f"{event}: leaves", before if core.current else None, core.current)
        faults.compare(f"{event}: interrupts are over", core.irqs, [])
        kind = "idle" if fields["next_tid"] == 0 else "thread"
        core.current = (kind, fields["next_tid"])
    elif name == "irq_handler_entry":
        core.irqs.append(fields["irq"])
    elif name == "irq_handler_exit":
        faults.compare(f"{event}: the innermost interrupt", core.irqs.pop() if core.irqs else None, fields["irq"])
    core.show(at)


def rebuilt(events, faults):
    """Cores, [(thread, when it leaves, what it does then)], {thread: calls}"""
    cores, left, open_calls, n_calls = {}, [], {}, 0
    for event in events:
        at, name, number, fields = event
        core = cores.setdefault(number, Core())
        if name in ("sched_switch", "irq_handler_entry", "irq_handler_exit"):
            if name == "sched_switch" and core.current and core.current[0] == "idle":
                core.current = ("thread", 0)
            core_event(core, event, faults)
            if name == "sched_switch":
                left.append((fields["prev_tid"], at, fields["prev_state"]))
        elif name.startswith("syscall_entry_"):
            faults.compare(f"{event}: one call at a time", open_calls.get(core.current), None)
            open_calls[core.current] = name[len("syscall_entry_"):]
            n_calls += 1
        elif name.startswith("syscall_exit_"):
            faults.compare(f"{event}: the call that began", open_calls.pop(core.current, None), name[len("syscall_exit_"):])
    return cores, left, n_calls


def expected_cores(intervals, first):
    """{core: [(what, from)]} with threads by what intervals call them"""
    cores = {}
    for interval in intervals:
        if interval["kind"] != "core":
            continue
        if interval["state"] == "running":
            what = ("thread", thread_of(interval["object"]))
        elif interval["state"] == "interrupt":
            what = ("interrupt", interval["object"] if interval["object"] is not None else -1)
        else:
            what = (interval["state"], None)
        cores.setdefault(interval["core"] or 0, []).append((what, interval["from"] - first))
    return {core: coalesced(sorted(parts, key=lambda part: part[1])) for core, parts in cores.items()}


def named(parts, tids, unknown):
    """The same as intervals have it: tids are what they stand for, found on first use, one for one."""
    return coalesced([(("unknown", None) if what is None or what in unknown else
                       ("idle", None) if what[0] == "idle" else
                       ("thread", tids.get(what[1])) if what[0] == "thread" else what, at) for what, at in parts])


def tids_of(cores, expected, unknown, faults, path):
    """{tid: thread}, from what runs at the same time"""
    tids = {}
    for number, core in cores.items():
        at_of = dict((at, what) for what, at in expected.get(number, []))
        for what, at in core.parts:
            theirs = at_of.get(at)
            if what and what[0] == "thread" and what not in unknown and theirs and theirs[0] == "thread":
                faults.compare(f"{path}: the thread of tid {what[1]} at {at}", theirs[1], tids.setdefault(what[1], theirs[1]))
    faults.compare(f"{path}: each thread has a tid of its own", len(set(tids.values())), len(tids))
    return tids


def compare_threads(path, intervals, first, left, wakes, tids, faults):
    """What threads do when they have left; what woke them."""
    of_thread, states = {thread: tid for tid, thread in tids.items()}, {}
    for interval in intervals:
        tid = of_thread.get(thread_of(interval["subject"])) if interval["kind"] == "thread" else None
        if tid is None:
            continue
        states.setdefault(tid, []).append((interval["from"] - first, interval["to"] - first, interval["state"]))
        if interval["by"] and interval["certainty"] == "exact" and interval["by"] != interval["subject"] and (tid, interval["from"] - first) not in wakes:
            faults.append(f"{path}: no sched_waking of {interval}")
    numbers = {"ready": READY, "waiting": SLEEPS, "unknown": SLEEPS, "created": SLEEPS, "ended": DEAD, None: DEAD}
    for tid, at, state in left:
        if tid in tids:
            what = next((what for begin, end, what in states.get(tid, []) if begin <= at < end), None)
            faults.compare(f"{path}: {tids[tid]} leaves at {at}, is {what}", state, numbers.get(what))


def compare(path, faults):
    """(switches, services) that were compared"""
    out = path_of("x.ctf")
    shutil.rmtree(out, ignore_errors=True)
    run, _ = convert(path, "ctf", "--opt", "profile=lttng-kernel", out=out)
    report = lines(path)
    expected = [line for line in report if "seq" in line]
    if run.status not in (0, 3):
        faults.append(f"{path}: {run.err}")
        return 0, 0
    if not expected:
        return 0, 0
    faults.compare(f"{path}: no files are left over", sorted(re.sub(r"\d+", "N", name) for name in set(os.listdir(out))),
                   sorted(re.sub(r"\d+", "N", name) for name in os.listdir(out) if re.fullmatch(r"metadata|stream_\d+", name)))
    status, events, lost, complaint = read(out)
    faults.compare(f"{path}: {complaint}: status", status, 0)
    faults.compare(f"{path}: in the order of time", [event[0] for event in events], sorted(event[0] for event in events))
    gaps = [line for line in report if "seq" not in line and "run" not in line]
    faults.compare(f"{path}: lost events", lost, sum(line["lost"] or 1 if "lost" in line else 1 for line in gaps))
    first = expected[0]["ts"]
    intervals = [json.loads(line) for line in rastrum("report", "-q", "--intervals", "-f", "jsonl", path).out.splitlines()]
    own = Faults()
    cores, left, n_calls = rebuilt(events, own)
    faults.extend(f"{path}: {fault}" for fault in own[:3])
    unknown = {("thread", fields[side + "_tid"]) for _, name, _, fields in events if name == "sched_switch"
               for side in ("prev", "next") if fields[side + "_comm"] == "(unknown)"}
    theirs = expected_cores(intervals, first)
    tids = tids_of(cores, theirs, unknown, faults, path)
    for number, parts in theirs.items():
        ours = named(cores[number].parts, tids, unknown) if number in cores else []
        while parts and parts[0][0][0] == "unknown":
            parts = parts[1:]
        while ours and ours[0][0][0] == "unknown":
            ours = ours[1:]
        faults.compare(f"{path}: core {number}", ours, parts)
    wakes = {(fields["tid"], at) for at, name, _, fields in events if name == "sched_waking"}
    compare_threads(path, intervals, first, left, wakes, tids, faults)
    return len(left), n_calls


def check_all():
    sentence = "what cores did is rebuilt from sched_switch and irq_handler_*"
    if not shutil.which("babeltrace2"):
        skip(sentence, "no babeltrace2")
        return
    faults, n_switches, n_calls, paths = Faults(), 0, 0, every_recording()
    for path in paths:
        switches, calls = compare(path, faults)
        n_switches += switches
        n_calls += calls
    ok(not faults and n_switches > least(2000) and n_calls > least(1000),
       f"{sentence}: {n_switches} switches, {n_calls} services of {len(paths)} recordings; losses and wake-ups, too", *faults)


def check_priorities():
    """A thread has its first known priority from its first switch on; one without events has that of its registration."""
    sentence = "switches to threads have the priorities that are known"
    if not shutil.which("babeltrace2"):
        skip(sentence, "no babeltrace2")
        return
    out = path_of("priorities.ctf")
    shutil.rmtree(out, ignore_errors=True)
    convert(INVERSION, "ctf", "--opt", "profile=lttng-kernel", out=out)
    _, events, _, _ = read(out)
    unknown = {fields[side + "_comm"] for _, name, _, fields in events if name == "sched_switch" for side in ("prev", "next")
               if fields[side + "_prio"] < 0}
    ok(unknown <= {"(unknown)", "init"} | {name for name in unknown if name.startswith("swapper/")}, sentence, unknown)


def check_metadata():
    out = path_of("y.ctf")
    run = rastrum("convert", "-q", INVERSION, "-t", "ctf", "--opt", "profile=lttng-kernel", "-o", out)
    with open(os.path.join(out, "metadata"), encoding="utf-8") as file:
        text = file.read()
    wanted = ['domain = "kernel"', 'tracer_name = "lttng-modules"', "tracer_major = 2", 'name = "sched_switch"', "_prev_state", "cpu_id"]
    ok(run.status == 0 and all(word in text for word in wanted), "the metadata has what readers of kernel traces look for", text[:1500])
    run = rastrum("convert", INVERSION, "-t", "ctf", "--opt", "profile=kernel", "-o", path_of("z.ctf"))
    ok(run.status == 2 and "lttng-kernel" in run.err and not os.path.exists(path_of("z.ctf")), "a profile that there is not is named", run.err)
    run = rastrum("convert", INVERSION, "-t", "ctf", "--opt", "profil=generic", "-o", path_of("z.ctf"))
    ok(run.status == 2 and "profil" in run.err, "an option that there is not, too", run.err)


check_all()
check_priorities()
check_metadata()
sys.exit(done())
