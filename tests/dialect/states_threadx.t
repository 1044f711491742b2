#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What threads, cores, locks and levels of ThreadX did: `report --intervals` of dumps of real targets, held against TraceX's
execution profile, which other hands computed, and against what later events of the same dump record.
"""
import bisect
import collections
import glob
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import Faults, done, ok, rastrum, same  # noqa: E402

DATA = "tests/data/threadx/"

# Where TraceX's rule is not right: ticks that we give more (less) than it does, and why.
DIFFERENCES = {
    # Tracing began long before the first thread ran, without an event of the switch: how long the initialisation ran on is not
    # known. TraceX gives all of it to the thread that comes next.
    "late_enable_linux64_dirty_ram": {"0x60a7c030": -46058, "unknown": 46058},
    # A mutex is given back while preemption is disabled, so the resume names the thread that gives; the switch follows at
    # the end of the service, which no event shows. TraceX gives the tick up to the next event to that thread, four times.
    "demo_netx_tcp": {"0x141c0": -4000, "0x14514": 4000},
    # Interrupts without events that enter and leave: two events of one are 1,000 ticks apart, which TraceX gives to the thread. And three
    # times the timer interrupts a thread that waits already, before the switch; TraceX gives the tick up to it to that thread.
    "demo_netx_udp": {"interrupt": 1000, "0xed64": 3000, "0xf7f0": -4000},
}
# TraceX knows one core, and mixes the events of four.
ONE_CORE_RULE = {"smp_ulong64"}


class Dump:
    """A dump's events, what they must give by TraceX, and its intervals."""

    def __init__(self, path):
        self.name = os.path.basename(path).removesuffix(".trx")
        with open(path.replace(".trx", ".expected.json"), encoding="utf-8") as file:
            facts = json.load(file)
        self.profile = (facts.get("tracex_with_true_modulus") or facts["tracex"])["execution_profile_ticks"]
        self.events = [json.loads(line) for line in rastrum("report", "--quiet", "-f", "jsonl", path).lines]
        self.intervals = [json.loads(line) for line in
                          rastrum("report", "--quiet", "--intervals", "-f", "jsonl", path).lines]

    def of(self, kind, **values):
        return [one for one in self.intervals if one["kind"] == kind and
                all(one[key] == value for key, value in values.items())]


def called(thing):
    return thing["name"] if isinstance(thing, dict) else thing


def span(intervals):
    return sum(one["to"] - one["from"] for one in intervals)


def profile_of(dump):
    """Ticks as TraceX's profile counts them, and those of which nothing is known."""
    ticks = collections.Counter()
    for one in dump.of("thread", state="running"):
        ticks[one["subject"]["id"]] += one["to"] - one["from"]
    for one in dump.of("core"):
        if one["state"] == "running" and one["object"]["kind"] == "init":
            ticks["initialize"] += one["to"] - one["from"]
        elif one["state"] != "running":
            ticks[one["state"]] += one["to"] - one["from"]
    return ticks


def compare_profile(dump):
    ticks = profile_of(dump)
    expected = collections.Counter(dump.profile)
    expected.update(DIFFERENCES.get(dump.name, {}))
    faults = Faults()
    for name in sorted({*ticks, *expected}):
        faults.compare(f"{dump.name}: {name}", ticks[name], expected[name])
    ok(not faults, f"{dump.name}: each thread, interrupts, initialisation and idle time have the ticks of TraceX's profile"
       + (", but where its rule is wrong" if dump.name in DIFFERENCES else ""), *faults)


def pieces(intervals):
    """Intervals that follow each other without a gap, joined."""
    joined = []
    for begin, end in sorted((one["from"], one["to"]) for one in intervals):
        if joined and joined[-1][1] == begin:
            joined[-1][1] = end
        else:
            joined.append([begin, end])
    return joined


def check_cores(dump):
    """What a core runs is running, there and nowhere else; and never two threads on one core."""
    faults = Faults()
    running = [one for one in dump.of("core", state="running") if one["object"]["kind"] == "thread"]
    for key in {(one["core"], one["object"]["id"]) for one in running}:
        faults.compare(f"core {key[0]}, thread {key[1]}",
                       pieces(one for one in dump.of("thread", state="running", core=key[0])
                              if one["subject"]["id"] == key[1]),
                       pieces(one for one in running if (one["core"], one["object"]["id"]) == key))
    faults.compare("ticks of all", span(running), span(dump.of("thread", state="running")))
    ok(running and not faults, f"{dump.name}: a core runs a thread exactly while that thread runs there", *faults)


# Event: object, the word that has the level before the call.
LEVELS = {
    "TX_TRACE_QUEUE_SEND": ("queue_ptr", "enqueued"),
    "TX_TRACE_QUEUE_FRONT_SEND": ("queue_ptr", "enqueued"),
    "TX_TRACE_QUEUE_RECEIVE": ("queue_ptr", "enqueued"),
    "TX_TRACE_SEMAPHORE_GET": ("semaphore_ptr", "current_count"),
    "TX_TRACE_SEMAPHORE_PUT": ("semaphore_ptr", "current_count"),
    "TX_TRACE_SEMAPHORE_CEILING_PUT": ("semaphore_ptr", "current_count"),
    "TX_TRACE_BLOCK_ALLOCATE": ("pool_ptr", "remaining_blocks"),
}


def check_levels(dump):
    """Each event records the level before it; ours is the one after the event before. Returns how many were compared."""
    faults, n_compared = Faults(), 0
    levels = collections.defaultdict(list)
    for one in dump.of("level"):
        levels[one["subject"]["id"]].append((one["from"], one["to"], one["value"]))
    for line in levels.values():
        line.sort()
    for event in dump.events:
        if event["name"] not in LEVELS:
            continue
        object_field, level_field = LEVELS[event["name"]]
        line = levels[event["args"][object_field]]
        n = bisect.bisect_left(line, (event["ts"],)) - 1  # the one that began before
        if n >= 0 and line[n][1] >= event["ts"]:
            n_compared += 1
            faults.compare(f"event {event['seq']}", line[n][2], event["args"][level_field])
    if n_compared:
        ok(not faults, f"{dump.name}: the level after each event is what the next one records", *faults)
    return n_compared


DUMPS = {dump.name: dump for dump in
         map(Dump, sorted(glob.glob(DATA + "*.trx")) + sorted(glob.glob(DATA + "tracex-samples/*.trx")))}
N_COMPARED = 0
for DUMP in DUMPS.values():
    if DUMP.name not in ONE_CORE_RULE:
        compare_profile(DUMP)
    check_cores(DUMP)
    N_COMPARED += check_levels(DUMP)
ok(N_COMPARED > 1000, "levels of many events were compared", N_COMPARED)


# --- priority inversion: low holds the mutex, high waits for it, medium keeps low from running ------------------------------

DUMP = DUMPS["priority_inversion"]
STAMPS = {event["seq"]: event["ts"] for event in DUMP.events}
NAMES = {event["seq"]: event["name"] for event in DUMP.events}
OWNED = sorted(DUMP.of("lock"), key=lambda one: one["from"])
same([(called(one["subject"]), called(one["object"]), one["state"]) for one in OWNED],
     [("resource (plain)", who, "held") for who in ("low", "high")] * 4,
     "priority inversion: low and high own the mutex in turn, four times")
WAITS = sorted((one for one in DUMP.of("thread", state="waiting", reason="lock")), key=lambda one: one["from"])
same([(called(one["subject"]), called(one["object"])) for one in WAITS], [("high", "resource (plain)")] * 4,
     "only high waits for it, with the reason lock")
FAULTS = Faults()
for LOW, HIGH, WAIT in zip(OWNED[::2], OWNED[1::2], WAITS):
    if not LOW["from"] < WAIT["from"] < LOW["to"]:
        FAULTS.append(f"high waits at {WAIT['from']}, while low does not own it")
    FAULTS.compare("low gives it back in", NAMES[LOW["to_seq"]], "TX_TRACE_MUTEX_PUT")
    FAULTS.compare("the event behind that", NAMES[LOW["to_seq"] + 1], "TX_TRACE_THREAD_RESUME")
    if not STAMPS[LOW["to_seq"]] <= HIGH["from"] <= STAMPS[LOW["to_seq"] + 1]:
        FAULTS.append(f"high owns it from {HIGH['from']}, not between the put and the resume")
    FAULTS.compare("the wait ends with the resume", WAIT["to_seq"], LOW["to_seq"] + 1)
ok(not FAULTS, "the mutex is handed over to high between low's put and high's resume, where its wait ends", *FAULTS)

LAST_INIT = max(event["ts"] for event in DUMP.events if event["context"]["kind"] == "init")
same([one for one in DUMP.of("thread", state="running") if one["from"] < LAST_INIT], [],
     "before the initialisation ends no thread runs, whatever was decided")
same(called(min(DUMP.of("thread", state="running"), key=lambda one: one["from"])["subject"]), "collector",
     "then the thread runs that was decided last")

# --- others -----------------------------------------------------------------------------------------------------------

DUMP = DUMPS["preemption_threshold"]
READY = [one for one in DUMP.of("thread", state="ready") if called(one["subject"]) == "prio 8 victim"]
RUNS = [one for one in DUMP.of("thread", state="running") if called(one["subject"]) == "prio 8 victim"]
ok(READY and all(any(one["to"] == run["from"] for run in RUNS) for one in READY),
   "a thread that the threshold of another keeps from running is ready until it runs", READY)
# The kernel takes a thread whose priority it changes out of the ready list, and puts it back.
MOVED = {event["seq"]: event["args"]["thread_ptr"] for event in DUMP.events
         if event["name"] == "TX_TRACE_THREAD_SUSPEND" and event["args"]["new_state"] == 14}
ok(len(MOVED) > 3, "threads change their priority", MOVED)
same([one for one in DUMP.of("thread") if MOVED.get(one["from_seq"]) == one["subject"]["id"]], [],
     "a change of its priority does not make a thread stop running")

for PATH, N_INTERRUPTS in ((f"{DATA}tracex-samples/demo_netx_udp.trx", 26), ("tests/data/cases/isr_without_enter_events.trx", 6)):
    TABLE = json.loads(rastrum("stats", "--quiet", "--table", "interrupts", "--json", PATH).out)
    COLUMNS = [column["name"] for column in TABLE["columns"]]
    same([(row[COLUMNS.index("interrupt")], row[COLUMNS.index("count")]) for row in TABLE["rows"]], [("isr", N_INTERRUPTS)],
         f"{PATH}: an interrupt of one event counts, and has a name")

DUMP = DUMPS["isr_nested"]
OPEN = []
DEEPEST = 0
FAULTS = Faults()
for ONE in sorted(DUMP.of("interrupt"), key=lambda one: (one["from"], -one["to"])):
    while OPEN and OPEN[-1] <= ONE["from"]:
        OPEN.pop()
    if OPEN and OPEN[-1] < ONE["to"]:
        FAULTS.append(f"interrupt {ONE['subject']} at {ONE['from']} ends behind the one that it interrupts")
    OPEN.append(ONE["to"])
    DEEPEST = max(DEEPEST, len(OPEN))
ok(not FAULTS and DEEPEST == 3, "interrupts nest, three deep", DEEPEST, *FAULTS)
same({one["subject"] for one in DUMP.of("interrupt")}, {0, 17, 42, 99}, "each interrupt has its number")

DUMP = DUMPS["smp_ulong64"]
same({one["subject"] for one in DUMP.of("core")}, {0, 1, 2, 3}, "each of four cores has its states")
FAULTS = Faults()
for THREAD in {one["subject"]["id"] for one in DUMP.of("thread")}:
    RUNS = sorted((one["from"], one["to"]) for one in DUMP.of("thread", state="running") if one["subject"]["id"] == THREAD)
    FAULTS += [f"{THREAD}: {one} and {after}" for one, after in zip(RUNS, RUNS[1:]) if one[1] > after[0]]
ok(not FAULTS, "a thread runs on one core at a time", *FAULTS)
sys.exit(done())
