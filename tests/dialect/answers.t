#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Every dialect is asked the same questions: who runs, who waits for what and why, who owns what, how full something is, what is at
work. The answers come from the printed intervals of its goldens and of ThreadX's recordings alone; what a dialect cannot answer, because its recordings
do not tell, stands here with the reason.
"""
import collections
import glob
import json
import re
import shlex
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import Faults, done, golden_bytes, ok, rastrum  # noqa: E402

QUESTIONS = {
    "who runs": lambda it: it["kind"] == "core" and it["state"] == "running" and (it["subject"], word(it["object"])),
    "who waits for what, and why": lambda it: it["kind"] == "thread" and it["state"] == "waiting" and (
        word(it["subject"]), it["reason"], word(it["object"])),
    "who owns what": lambda it: it["kind"] == "lock" and it["state"] == "held" and (word(it["subject"]), word(it["object"])),
    "how full something is": lambda it: it["kind"] == "level" and (word(it["subject"]), it["value"]),
    "what is at work": lambda it: it["kind"] == "span" and (word(it["subject"]), word(it["object"])),
    "what interrupts what": lambda it: it["kind"] == "interrupt" and (it["subject"], word(it["object"])),
}
# What a golden answers, read from its bytes by hand; a text is the reason why no recording of the dialect answers.
ANSWERS = {
    "threadx": {
        "who runs": ("threadx/isr-nested.hex", (0, "thread worker")),
        "who waits for what, and why": ("threadx/priority_inversion.trx", ("thread high", "lock", "mutex resource (plain)")),
        "who owns what": ("threadx/priority_inversion.trx", ("mutex resource (plain)", "thread low")),
        "how full something is": ("threadx/address-reused.hex", ("semaphore gate", 1)),
        "what is at work": "events are of services, not of work that begins and ends",
        "what interrupts what": ("threadx/isr-nested.hex", (42, "thread worker")),
    },
    "liteos": {
        "who runs": ("liteos/interrupts.hex", (0, "thread 2")),
        "who waits for what, and why": ("liteos/ring-wrapped.hex", ("thread main", "semaphore", "semaphore 3")),
        "who owns what": ("liteos/sentences-a.hex", ("mutex 0x7", "thread 5")),
        "how full something is": ("liteos/count-gap.hex", ("semaphore 3", 1)),
        "what is at work": "events are of the kernel, not of work that begins and ends",
        "what interrupts what": ("liteos/interrupts.hex", (45, "thread 2")),
    },
    "rkh": {
        "who runs": "events are about active objects, and do not show that a thread runs",
        "who waits for what, and why": "an active object never waits inside of a step",
        "who owns what": "there are no locks",
        "how full something is": ("rkh/sentences.hex", ("event_pool poolA", 4)),
        "what is at work": ("rkh/work.hex", ("span 5", "thread 0x20000010")),
        "what interrupts what": "interrupts are no events",
    },
    "compact": {
        "who runs": ("compact/kernel.hex", (0, "thread motor")),
        "who waits for what, and why": ("compact/kernel.hex", ("thread motor", "semaphore", "semaphore items")),
        "who owns what": ("compact/sentences.hex", ("mutex bus", "thread motor")),
        "how full something is": ("compact/kernel.hex", ("queue orders", 3)),
        "what is at work": ("compact/sentences.hex", ("span refill", "thread motor")),
        "what interrupts what": ("compact/kernel.hex", (15, "thread display")),
    },
    "percepio": {
        "who runs": ("percepio/story.hex", (0, "thread motor")),
        "who waits for what, and why": ("percepio/story.hex", ("thread motor", "queue", "queue orders")),
        "who owns what": ("percepio/story.hex", ("mutex bus", "thread display")),
        "how full something is": ("percepio/story.hex", ("queue orders", 1)),
        "what is at work": ("percepio/story.hex", ("span refill", "thread motor")),
        "what interrupts what": ("percepio/story.hex", (1792, "thread display")),
    },
    "systemview": {
        "who runs": ("systemview/story.hex", (0, "thread motor")),
        "who waits for what, and why": ("systemview/story.hex", ("thread motor", "queue", "queue orders")),
        "who owns what": ("systemview/story.hex", ("mutex bus", "thread display")),
        "how full something is": ("systemview/story.hex", ("memory 3", 17)),
        "what is at work": ("systemview/story.hex", ("span refill", "thread motor")),
        "what interrupts what": ("systemview/story.hex", (54, "thread display")),
    },
    "posix": {
        "who runs": ("posix/predefined.hex", (0, "thread worker")),
        "who waits for what, and why": ("posix/preloaded.hex", ("thread worker", "lock", "mutex 0x7f00")),
        "who owns what": ("posix/shared.hex", ("mutex memfd:x+0x10", "thread 100/100")),
        "how full something is": ("posix/counters.hex", ("unknown c:balance", -1)),
        "what is at work": ("posix/preloaded.hex", ("span server+0x2010", "thread server/101")),
        "what interrupts what": "interrupts are the kernel's, which records switches only",
    },
    "aix": {
        "who runs": ("aix/effects.hex", (1, "thread 8")),
        "who waits for what, and why": ("aix/effects.hex", ("thread 8", "lock", "mutex 0x10")),
        "who owns what": ("aix/effects.hex", ("mutex 0x10", "thread 7")),
        "how full something is": ("aix/effects.hex", ("queue 0x20", 4)),
        "what is at work": ("aix/effects.hex", ("span render", "thread 7")),
        "what interrupts what": ("aix/effects.hex", (5, "thread 7")),
    },
}
# Why a thread waits for an object of a kind.
REASONS = {"mutex": "lock", "rwlock": "lock", "queue": "queue", "semaphore": "semaphore", "event_flags": "flags",
           "block_pool": "memory", "byte_pool": "memory", "event_pool": "memory", "packet_pool": "memory"}
# What selects or shows events otherwise is not about intervals.
OTHERS = ("-c", "--col", "-t", "--type", "--from", "--to", "--limit", "-n", "--time", "--context", "--object", "--core", "--format",
          "-f", "--source", "--intervals")


def word(entity):
    return f"{entity['kind']} {entity['name'] or entity['id']}" if isinstance(entity, dict) else entity


def runs_of(path):
    """Events and intervals of a golden or a recording."""
    if not path.endswith(".hex"):
        for more in [], ["--intervals"]:
            yield [json.loads(line) for line in rastrum("report", "-q", *more, "-f", "jsonl", path).lines]
        return
    lines = open(path, encoding="utf-8").read().splitlines()
    data = golden_bytes(path)
    runs = [match[1] for match in (re.fullmatch(r"# options:(.*)", line) for line in lines) if match]
    options = shlex.split(runs[0]) if runs else []
    options = [] if any(option.startswith(OTHERS) for option in options) else options
    for more in [], ["--intervals"]:
        yield [json.loads(line) for line in rastrum("report", "-q", *more, "-f", "jsonl", *options, "-", stdin=data).lines]


def check_who_runs(path, events, intervals, faults):
    """A thread that makes an event does not wait then, and has not ended; a switch may be recorded by another one."""
    states = collections.defaultdict(list)
    for it in intervals:
        if it["kind"] == "thread":
            states[it["subject"]["id"]].append(it)
    for event in events:
        if "name" not in event or (event["context"] or {}).get("kind") != "thread" or "SWITCH" in event["name"].upper():
            continue
        for it in states[event["context"]["id"]]:
            if it["from"] < event["ts"] < it["to"] and it["state"] in ("ready", "waiting", "created", "ended"):
                faults.append(f"{path}: {it['state']} while it makes event {event['seq']}: {it}")


def check_waits(path, intervals, faults):
    owned = [it for it in intervals if it["kind"] == "lock" and it["state"] == "held" and it["certainty"] == "exact"]
    for it in intervals:
        if it["kind"] != "thread" or it["state"] != "waiting" or not it["object"]:
            continue
        expected = REASONS.get(it["object"]["kind"], it["reason"])
        if it["reason"] not in (expected, "other"):
            faults.append(f"{path}: waits for {word(it['object'])} with reason {it['reason']}")
        for lock in owned:
            is_its_own = lock["object"]["id"] == it["subject"]["id"] and lock["subject"]["id"] == it["object"]["id"]
            if it["reason"] == "lock" and is_its_own and max(lock["from"], it["from"]) < min(lock["to"], it["to"]):
                faults.append(f"{path}: waits for the lock that it owns: {it} and {lock}")


found = collections.defaultdict(set)
for dialect in ANSWERS:
    runs, waits = Faults(), Faults()
    for path in sorted(glob.glob(f"tests/goldens/{dialect}/*.hex") + glob.glob(f"tests/data/{dialect}/*.trx")):
        events, intervals = runs_of(path)
        name = "/".join(path.split("/")[2:])
        check_who_runs(name, events, intervals, runs)
        check_waits(name, intervals, waits)
        for question, answer in QUESTIONS.items():
            found[dialect, question] |= {(name, given) for given in map(answer, intervals) if given}
    ok(not runs, f"{dialect}: a thread that makes an event neither waits nor has ended", *runs)
    ok(not waits, f"{dialect}: the reason of a wait fits its object, and nothing waits for what it owns", *waits)
for dialect, answers in ANSWERS.items():
    for question, answer in answers.items():
        given = found[dialect, question]
        if isinstance(answer, str):
            ok(not given, f"{dialect} does not tell {question}: {answer}", *sorted(given, key=str))
        else:
            ok(answer in given, f"{dialect} tells {question}", f"expected: {answer}", *sorted(given, key=str))
sys.exit(done())
