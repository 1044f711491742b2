#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
One small recording for each kind of finding, with figures computed by hand, and one beside it that is healthy. The recordings are
dumps of ThreadX; a line of a story is a moment, who, and what.
"""
import json
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from scheduler import OBJECT_MUTEX, OBJECT_SEMAPHORE, OBJECT_THREAD, Schedule
from tap import Faults, done, ok, rastrum, same
from threadx_events import INIT, ISR, image

OBJECT_QUEUE, OBJECT_BYTE_POOL, OBJECT_PACKET_POOL = 3, 8, 12
FOREVER = 0xFFFFFFFF
STACK, STACK_BYTES = 0x40000, 1000
SLEEPS, SEMAPHORE, MUTEX, COMPLETED, READY = 4, 6, 13, 1, 0
THREADS = {"a": (0x1000, 5), "b": (0x1100, 10), "c": (0x1200, 20)}
MUTEXES = {"m": 0x8000, "n": 0x8100, "g": 0x8200}
OTHERS = {"s": 0xC000, "q": 0xD000, "pool": 0xE000, "packets": 0xF000}
FOLDER = tempfile.mkdtemp(prefix="rastrum-findings-")


class Story:
    """Events at moments; the thread's priority may be raised."""

    def __init__(self):
        self.events, self.raised, self.current, self.following = [], {}, None, None

    def add(self, at, who, number, *words):
        context, priority = (who, 0) if isinstance(who, int) else THREADS[who]
        priority = self.raised.get(who, priority)
        second = priority << 16 | priority
        if isinstance(who, int):  # what it interrupts
            second = THREADS[self.current][0] if who == ISR and self.current else 0
        self.events.append((at, context, second, number, [*words, 0, 0, 0, 0][:4]))

    def start(self, *names, first):
        """All are ready at 1; the first one runs."""
        for name in names:
            self.add(1, INIT, 1, THREADS[name][0], 9, 0, THREADS[first][0])
        self.current = first

    def suspend(self, at, who, state, then=None, n_free=500):
        self.add(at, who, 2, THREADS[who][0], state, STACK + n_free, THREADS[then][0] if then else 0)
        self.current = then

    def resume(self, at, who, whom, state, then=None):
        self.add(at, who, 1, THREADS[whom][0], state, 0, THREADS[then or whom][0])
        self.following = then or whom
        if who != ISR:
            self.current = self.following

    def get(self, at, who, mutex, owner=None, wait=FOREVER):
        self.add(at, who, 52, MUTEXES[mutex], wait, THREADS[owner][0] if owner else 0, int(owner is not None))

    def put(self, at, who, mutex):
        self.add(at, who, 57, MUTEXES[mutex], THREADS[who][0], 1)

    def user(self, at, who):
        self.add(at, who, 5000)

    def interrupt(self, begin, end, number, *inside):
        self.following = None
        self.add(begin, ISR, 3, 0, number, 1)
        for step in inside:
            step()
        self.add(end, ISR, 4, 0, number, 1)
        self.current, self.following = self.following or self.current, None

    def path(self, name):
        objects = [(OBJECT_THREAD, THREADS[n][0], n, STACK, STACK_BYTES) for n in THREADS]
        objects += [(OBJECT_MUTEX, address, n, 0, 0) for n, address in MUTEXES.items()]
        objects += [(OBJECT_SEMAPHORE, OTHERS["s"], "s", 0, 0), (OBJECT_QUEUE, OTHERS["q"], "q", 8, 1),
                    (OBJECT_BYTE_POOL, OTHERS["pool"], "pool", 0, 4096), (OBJECT_PACKET_POOL, OTHERS["packets"], "packets", 128, 30)]
        out = bytearray(image(objects, [event[1:] for event in self.events]))
        first = len(out) - 32 * len(self.events)
        for n, event in enumerate(self.events):
            struct.pack_into("<I", out, first + 32 * n + 12, event[0])
        path = os.path.join(FOLDER, name.replace(" ", "-") + ".trx")
        with open(path, "wb") as file:
            file.write(out)
        return path


def explain(story, name, *options):
    path = story if isinstance(story, str) else story.path(name)
    run = rastrum("explain", "--json", *options, path)
    found = [json.loads(line) for line in run.out.splitlines()]
    events = [json.loads(line) for line in rastrum("report", "-f", "jsonl", path).out.splitlines()]
    times = {event["seq"]: event["ts"] for event in events if "ts" in event}
    for finding in found:
        for seq in finding["evidence"]:
            if not finding["from"] <= times[seq] <= finding["to"]:
                ok(False, f"{name}: event {seq} of {finding['finding']} lies between its ends", str(finding))
    return found


def expect(found, kind, severity, subjects, ends, sentence, name):
    """Exactly one finding."""
    same([(f["finding"], f["severity"], f["subjects"], (f["from"], f["to"]), f["text"], f["certain"]) for f in found],
         [(kind, severity, subjects, ends, sentence, True)], name)


# --- locks --------------------------------------------------------------------------------------------------------------


def inversion(has_inheritance):
    """c holds m from 20; a asks at 30 and waits from 31; b is ready from 50, and runs 50 to 80 unless c has a's priority."""
    story = Story()
    story.start("a", "b", "c", first="a")
    story.suspend(2, "a", SLEEPS, "b")
    story.suspend(3, "b", SLEEPS, "c")
    story.get(20, "c", "m")
    story.interrupt(28, 30, 7, lambda: story.resume(29, ISR, "a", SLEEPS))
    story.get(31, "a", "m", "c")
    story.suspend(32, "a", MUTEX, "c")
    if has_inheritance:
        story.raised["c"] = 5
        story.user(40, "c")
        story.interrupt(49, 51, 7, lambda: story.resume(50, ISR, "b", SLEEPS, "c"))
        story.user(60, "c")
    else:
        story.interrupt(49, 51, 7, lambda: story.resume(50, ISR, "b", SLEEPS))
        story.user(60, "b")
        story.suspend(81, "b", SLEEPS, "c")
    story.put(100, "c", "m")
    story.raised.clear()
    story.resume(101, "c", "a", MUTEX)
    story.user(110, "a")
    story.put(120, "a", "m")
    story.suspend(130, "a", SLEEPS, "b" if has_inheritance else "c")
    if has_inheritance:
        story.suspend(141, "b", SLEEPS, "c")
    story.user(1000, "c")
    return story


def check_inversion():
    expect(explain(inversion(False), "inversion"), "priority_inversion", "error", ["a", "c", "m", "b"], (31, 101),
           "'a' (priority 5) waited 69 ticks for mutex 'm', which 'c' (priority 20) held, while 'b' ran for 30 ticks; nothing "
           "bounds this time. With priority inheritance 'a' would have waited 39 ticks.",
           "priority inversion: for how long, by whom, and what inheritance would have done")
    expect(explain(inversion(True), "inheritance", "--kind", "!long_wait,!long_hold"), "priority_inversion", "note",
           ["a", "c", "m", "b"], (31, 101),
           "'a' (priority 5) waited 69 ticks for mutex 'm', which 'c' (priority 20) held. Priority inheritance bounded the wait: "
           "'b' was ready and did not run.", "an inversion that inheritance bounds is a note")


def check_short_inversion():
    """The same with a window so long that the wait, which inheritance bounds, is a hundredth of it."""
    story = inversion(True)
    story.user(7000, "c")
    same(explain(story, "short inversion"), [], "a bounded inversion that is shorter than a late wake-up is no finding")


def two_locks(first_gate=None, second_gate=None, is_crossed=True):
    """a takes m and n, then c takes n and m, one after the other."""
    story = Story()
    story.start("a", "c", first="a")
    for begin, who, gate, locks in ((10, "a", first_gate, "mn"), (60, "c", second_gate, "nm" if is_crossed else "mn")):
        if gate:
            story.get(begin, who, gate)
        story.get(begin + 1, who, locks[0])
        story.get(begin + 5, who, locks[1])
        story.put(begin + 8, who, locks[1])
        story.put(begin + 9, who, locks[0])
        if gate:
            story.put(begin + 11, who, gate)
        if who == "a":
            story.suspend(50, "a", SLEEPS, "c")
    story.user(100, "c")
    return story


def check_lock_order():
    expect(explain(two_locks(), "orders"), "lock_order", "warning", ["m", "n"], (11, 65),
           "'a' takes mutex 'n' while it holds mutex 'm', and 'c' takes mutex 'm' while it holds mutex 'n'. When they do so at one "
           "time, each waits for the other for ever.", "lock-order inversion: which threads take which locks in which order")
    same(explain(two_locks(is_crossed=False), "one order"), [], "one order is none")
    same(explain(two_locks("g", "g"), "gate"), [], "nor are two orders inside of a third lock …")
    same([f["finding"] for f in explain(two_locks("g"), "half a gate")], ["lock_order"], "… unless one of them is outside of it")


def deadlock():
    """a holds m and waits for n from 41; c holds n and waits for m from 61 to the end at 200, while b computes."""
    story = Story()
    story.start("a", "b", "c", first="b")
    story.suspend(5, "b", SLEEPS, "a")
    story.get(10, "a", "m")
    story.suspend(20, "a", SLEEPS, "c")
    story.get(30, "c", "n")
    story.interrupt(38, 40, 7, lambda: story.resume(39, ISR, "a", SLEEPS))
    story.get(41, "a", "n", "c")
    story.suspend(42, "a", MUTEX, "c")
    story.get(61, "c", "m", "a")
    story.suspend(62, "c", MUTEX)
    story.interrupt(198, 200, 7)
    return story


def check_deadlock():
    found = explain(deadlock(), "deadlock", "--kind", "deadlock")
    expect(found, "deadlock", "error", ["a", "c"], (41, 200),
           "Deadlock of 2 threads: 'a' waits for mutex 'n', which 'c' holds and 'c' waits for mutex 'm', which 'a' holds. It lasts "
           "to the end, for 138 ticks.", "deadlock: the cycle of waits, and since when it is closed")
    waits = {f["finding"] for f in explain(deadlock(), "deadlock", "--kind", "deadlock,long_wait", "--threshold", "long_wait=100")}
    alone = [f["subjects"] for f in explain(deadlock(), "deadlock", "--kind", "long_wait", "--threshold", "long_wait=100")]
    same((waits, alone), ({"deadlock"}, [["a", "n"], ["c", "m"]]), "the waits of a deadlock are a part of it, and findings without it")


def check_waits():
    """b holds m from 10 to 400; c, less urgent, waits from 51 to 401 of 1000 ticks."""
    story = Story()
    story.start("b", "c", first="b")
    story.get(10, "b", "m")
    story.suspend(20, "b", SLEEPS, "c")
    story.get(50, "c", "m", "b")
    story.suspend(51, "c", MUTEX)
    story.interrupt(388, 390, 7, lambda: story.resume(389, ISR, "b", SLEEPS))
    story.put(400, "b", "m")
    story.resume(401, "b", "c", MUTEX, "b")
    story.suspend(410, "b", SLEEPS, "c")
    story.put(420, "c", "m")
    story.user(1000, "c")
    path = story.path("waits")
    found = explain(path, "waits")
    expect(found, "long_wait", "warning", ["c", "m"], (50, 401), "'c' waited 350 ticks for mutex 'm', which 'b' held.",
           "a long wait: the thread and the lock")
    expect(explain(path, "holds", "--kind", "long_hold"), "long_hold", "warning", ["m", "b"], (10, 400),
           "'b' held mutex 'm' for 390 ticks, while 'c' waited for it.", "a long critical section: the lock and its holder")
    same(explain(path, "short", "--threshold", "long_wait=351", "--threshold", "long_hold=391"), [],
         "below their thresholds they are none")


# --- scheduling ---------------------------------------------------------------------------------------------------------


def check_starvation():
    """a and b wake each other ten times; c, which is ready from 1 on, never runs."""
    story = Story()
    story.start("b", "c", first="b")
    at = 2
    for _ in range(10):
        story.resume(at + 5, "b", "a", SEMAPHORE)
        story.suspend(at + 20, "a", SEMAPHORE, "b")
        at += 30
    story.user(at, "b")
    found = explain(story, "starvation")
    same([(f["finding"], f["severity"], f["subjects"], f["from"], f["to"]) for f in found],
         [("starvation", "warning", ["c"], 1, 302)], "starvation: a thread is ready all the time and others run")
    ok(found and found[0]["text"].startswith("'c' starved: it was ready for 301 ticks and did not run, to the end; meanwhile "),
       "its sentence says for how long, and what ran", str(found))


def check_late():
    """a is woken at 500 by an interrupt, but b, which is less urgent, goes on until 600."""
    def story(is_late):
        story = Story()
        story.start("a", "b", first="a")
        for n in range(4):
            story.suspend(10 + 100 * n, "a", SLEEPS, "b")
            story.interrupt(99 + 100 * n, 101 + 100 * n, 7,
                            lambda n=n: story.resume(100 + 100 * n, ISR, "a", SLEEPS))
            story.user(103 + 100 * n, "a")
        story.suspend(410, "a", SLEEPS, "b")
        story.interrupt(499, 501, 7, lambda: story.resume(500, ISR, "a", SLEEPS, "b" if is_late else "a"))
        if is_late:
            story.user(560, "b")
            story.suspend(600, "b", SLEEPS, "a")
        story.user(610, "a")
        story.user(1000, "a")
        return story

    expect(explain(story(True), "late"), "late_wakeup", "warning", ["a"], (500, 600),
           "'a' was woken and ran only 100 ticks later; meanwhile 'b' ran.", "a late wake-up, and what ran instead")
    same(explain(story(False), "in time"), [], "a thread that runs at once is not late")


def check_period():
    """a sleeps, and wakes at 100, 200, … 1000 and then at 1300."""
    def story(last):
        story = Story()
        story.start("a", "b", first="a")
        for n in range(1, 11):
            at = 100 * n if n < 10 else last
            story.suspend(100 * n - 90, "a", SLEEPS, "b")
            story.interrupt(at - 1, at + 1, 7, lambda at=at: story.resume(at, ISR, "a", SLEEPS))
            story.user(at + 3, "a")
        story.user(last + 50, "a")
        return story

    expect(explain(story(1200), "period"), "missed_period", "warning", ["a"], (900, 1200),
           "'a' wakes every 100 ticks, and here after 300 ticks: it missed 2 periods; meanwhile 'b' ran.",
           "a missed period: how long it is, and how many are missed")
    same(explain(story(1030), "jitter"), [], "a wake-up that is a third of the period late misses none")
    same(explain(story(1100), "round"), [], "nor is a thread that sleeps late by one period: its work may take so long")

    story = Story()
    story.start("a", "b", first="a")
    for n in range(1, 11):
        at = 100 * n if n < 10 else 1200
        story.suspend(at - 90, "a", SLEEPS, "b")
        if n == 9:
            story.get(895, "b", "m")
        story.interrupt(at - 1, at + 1, 7, lambda at=at: story.resume(at, ISR, "a", SLEEPS))
        story.user(at + 3, "a")
        if n == 9:
            story.get(910, "a", "m", "b")
            story.suspend(911, "a", MUTEX, "b")
            story.put(1080, "b", "m")
            story.resume(1081, "b", "a", MUTEX)
            story.put(1090, "a", "m")
    story.user(1250, "a")
    expect(explain(story, "period and lock", "--kind", "missed_period"), "missed_period", "warning", ["a", "m"], (900, 1200),
           "'a' wakes every 100 ticks, and here after 300 ticks: it missed 2 periods; it waited 170 ticks for mutex 'm', and "
           "meanwhile 'b' ran.", "a period that is missed because of a lock names the lock")

    story = Story()
    story.start("a", "b", "c", first="a")
    for n in range(1, 9):
        story.suspend(100 * n - 90, "a", SLEEPS, "b")
        story.interrupt(100 * n - 1, 100 * n + 1, 7, lambda n=n: story.resume(100 * n, ISR, "a", SLEEPS))
        story.user(100 * n + 3, "a")
    story.suspend(810, "a", SLEEPS, "b")
    story.interrupt(899, 901, 7, lambda: story.resume(900, ISR, "a", SLEEPS, "b"))
    for at in range(910, 1210, 60):
        story.suspend(at, "b", SEMAPHORE, "c")
        story.resume(at + 30, "c", "b", SEMAPHORE)
    story.suspend(1210, "b", SEMAPHORE, "a")
    story.suspend(1220, "a", SLEEPS, "c")
    story.interrupt(1249, 1251, 7, lambda: story.resume(1250, ISR, "a", SLEEPS))
    story.user(1260, "a")
    how = ("--kind", "missed_period,starvation", "--threshold", "starvation=200")
    same([(f["finding"], f["subjects"]) for f in explain(story, "starved period", *how)],
         [("starvation", ["c"]), ("starvation", ["a"])],
         "the periods that a thread misses because it starves are told by its starvation")
    same([(f["finding"], f["subjects"]) for f in explain(story, "starved period", "--kind", "missed_period")], [("missed_period", ["a"])],
         "and are told where starvation is not looked for")


# --- interrupts ---------------------------------------------------------------------------------------------------------


def check_interrupts():
    story = Story()
    story.start("b", first="b")
    for n in range(10):
        story.interrupt(100 * n + 50, 100 * n + 52, 3)
    story.user(1010, "b")
    story.interrupt(1100, 1300, 3)
    story.user(2000, "b")
    expect(explain(story, "long interrupt"), "long_interrupt", "warning", [3], (1100, 1300),
           "interrupt 3 took 200 ticks; nothing else ran on its core meanwhile.", "a long interrupt: its number")
    story = Story()
    story.start("b", first="b")
    for n in range(10):
        story.interrupt(100 * n + 50, 100 * n + 52, 3)
    for n in range(40):
        story.interrupt(1100 + 5 * n, 1102 + 5 * n, 9)
    story.user(3000, "b")
    expect(explain(story, "storm"), "interrupt_storm", "warning", [9], (1100, 1297),
           "A storm of interrupt 9: it came 40 times in 197 ticks, and took 40.6 % of that time.",
           "an interrupt storm: its number, how often it came, and which share it took; the timer beside it is none")


# --- queues, memory, polling --------------------------------------------------------------------------------------------


def check_queue():
    story = Story()
    story.start("b", first="b")
    for n in range(2):
        story.add(10 + n, "b", 69, OTHERS["q"], 0, 0, n)
    healthy = explain(story, "full")
    for n in range(3):
        story.add(20 + n, "b", 69, OTHERS["q"], 0, 0, 2)
    story.user(30, "b")
    same(healthy, [], "a queue that is full is no overflow")
    found = explain(story, "overflow")
    same([(f["finding"], f["severity"], f["subjects"], f["evidence"]) for f in found],
         [("queue_overflow", "warning", ["q"], [3, 4, 5])], "a queue overflow: the queue, and each message that it refused")


def check_memory():
    def story(frees):
        story = Story()
        story.start("b", first="b")
        for n in range(20):
            story.add(10 + 50 * n, "b", 20, OTHERS["pool"], 0x100 * (n + 1), 64, 0)
            if frees(n):
                story.add(30 + 50 * n, "b", 27, OTHERS["pool"], 0x100 * (n + 1), 0, 0)
        story.user(1100, "b")
        return story

    found = explain(story(lambda n: n % 2), "leak")
    same([(f["finding"], f["severity"], f["subjects"], f["text"]) for f in found],
         [("memory_leak", "warning", ["pool"],
           "'b' allocated 10 blocks (640 bytes) of byte pool 'pool' that are not freed in this recording; 10 others were freed, all sooner.")],
         "a memory leak: the pool, how many blocks, and which thread allocates them")
    same(explain(story(lambda n: n != 3), "no leak"), [], "one block that lives to the end is none")
    same(explain(story(lambda n: n > 5), "beginning"), [], "nor is what is allocated at the beginning and kept")


def memory(path, *options):
    """Of `stats --table memory`: by name of the pool, what is not empty."""
    table = json.loads(rastrum("stats", "--table", "memory", "--json", *options, path).out)
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    return {row["pool"]: row for row in rows if row["kind"] != "leak"}


def check_packets():
    """nx_packet_release names no pool; nx_packet_copy and nx_packet_transmit_release call services with events of their own."""
    def story(frees):
        story, n_free = Story(), 30
        story.start("b", first="b")
        for n in range(20):
            at, packet = 10 + 50 * n, 0x100 * (n + 1)
            if n % 2:
                story.add(at, "b", 387, 0x9000, packet, OTHERS["packets"], FOREVER)
            story.add(at + 1, "b", 386, OTHERS["packets"], packet, 0, n_free)
            n_free -= 1
            if frees(n):
                if n % 3:
                    story.add(at + 20, "b", 395, packet, 0xAAAAAAAA, n_free)
                story.add(at + 21, "b", 394, packet, 0xAAAAAAAA, n_free)
                n_free += 1
        story.user(1100, "b")
        return story

    def figures(path):
        row = memory(path)["packets"]
        return [row[name] for name in ("unit", "least_free", "allocations", "frees", "leaks", "unmatched")]

    path = story(lambda n: True).path("packets")
    same((figures(path), list(memory(path)), explain(path, "packets")), (["packets", 29, 20, 20, 0, 0], ["packets"], []),
         "packets that are all released: no leak in stats, no finding, and no heap")
    path = story(lambda n: n % 2).path("lost packets")
    same((figures(path), [f["text"] for f in explain(path, "packets")]),
         (["packets", 19, 20, 10, 10, 0], ["'b' allocated 10 blocks of packet pool 'packets' that are not freed in this recording; "
                                           "10 others were freed, all sooner."]),
         "a leak of packets: stats and explain count the same")


def check_resized():
    """LiteOS records a resizing before it happens: what becomes of the block is not known."""
    how = ("--opt", "variant=a", "--opt", "params=3")
    path = "tests/data/liteos/realloc.bin"
    row = memory(path, *how)["0x30000000"]
    same(([row[name] for name in ("allocations", "frees", "leaks", "unmatched", "untracked")], rastrum("explain", "--json", *how, path).out),
         ([6, 6, None, 0, 6], ""), "blocks that are resized are no leak, neither in stats nor in explain")


def check_polling():
    def story(n_tries, waits):
        story = Story()
        story.start("b", first="b")
        for n in range(n_tries):
            story.add(10 + 10 * n, "b", 83, OTHERS["s"], 0, 0)
            if waits:
                story.suspend(12 + 10 * n, "b", SLEEPS)
                story.interrupt(15 + 10 * n, 17 + 10 * n, 7, lambda n=n: story.resume(16 + 10 * n, ISR, "b", SLEEPS))
        story.user(10 * n_tries + 50, "b")
        return story

    expect(explain(story(20, False), "polling"), "busy_polling", "warning", ["b", "s"], (10, 200),
           "'b' tried 20 times in a row to get something from semaphore 's', in 190 ticks without waiting; nothing was there.",
           "busy polling: the thread, the object, how often")
    same(explain(story(20, True), "polling with waits"), [], "a thread that sleeps between its tries is not busy")
    same(explain(story(15, False), "few tries"), [], "nor is one that tries a few times")


def check_stack():
    def story(n_free):
        story = Story()
        story.start("a", "b", first="a")
        story.suspend(10, "a", SLEEPS, "b", n_free)
        story.user(20, "b")
        return story

    expect(explain(story(100), "stack"), "stack_low", "warning", ["a"], (10, 10),
           "The stack of 'a' has 100 of 1000 bytes free here, the least of all events that show it.",
           "a stack that is nearly full: the thread, and how much is free")
    same(explain(story(101), "stack with room"), [], "with more than a tenth free it is none")
    same(explain(story(2000), "another stack"), [], "nor where a thread runs on another stack")
    expect(explain(story(-20), "overflow"), "stack_low", "warning", ["a"], (10, 10),
           "The stack of 'a' has 0 of 1000 bytes free here, the least of all events that show it.",
           "an address shortly behind the end has overflowed the stack")
    same(explain(story(-200), "far away"), [], "one far behind it is of another stack")


def check_errors():
    def story(*words):
        story = Story()
        story.start("a", "b", first="a")
        story.user(5, "a")
        story.add(10, "a", *words)
        story.user(20, "a")
        return story

    not_owned = "it puts a mutex that it does not own"
    expect(explain(story(999, 0x08, 0, 0), "USBX error"), "error_reported", "error", ["a"], (5, 10),
           "The target reports an error of 'a': USBX error (error_code 8).", "an error of USBX: which, and of which thread")
    expect(explain(story(57, MUTEXES["m"], 0, 0), "put free"), "error_reported", "warning", ["a"], (5, 10),
           f"The target reports an error of 'a': {not_owned} (mutex 'm').", "a mutex is put that no thread holds: the call is refused")
    held = story(52, MUTEXES["m"], FOREVER, 0, 0)
    held.suspend(30, "a", SLEEPS, "b")
    held.add(40, "b", 57, MUTEXES["m"], THREADS["a"][0], 1)
    held.add(50, "b", 57, MUTEXES["m"], THREADS["a"][0], 1)
    held.user(60, "b")
    found = explain(held, "put another's")
    same([(f["finding"], f["subjects"], f["text"], f["evidence"]) for f in found],
         [("error_reported", ["b"], f"The target reports an error of 'b': {not_owned} (mutex 'm'), 2 times in 10 ticks.", [6, 7])],
         "so it is where another thread holds it; the same error twice is one finding")
    ended = story(52, MUTEXES["m"], FOREVER, 0, 0)
    ended.suspend(30, "a", SLEEPS, "b")
    ended.add(40, "b", 115, THREADS["a"][0], SLEEPS)
    ended.add(41, "b", 57, MUTEXES["m"], THREADS["a"][0], 1)
    ended.user(60, "b")
    same([f["finding"] for f in explain(ended, "terminated")], [], "ThreadX puts the mutexes of a thread that it terminates: no error")

    rkh = explain("tests/data/rkh/r8_assert.bin", "assertion")
    same([(f["finding"], f["severity"], f["text"]) for f in rkh][0],
         ("error_reported", "error", 'The target reports an error: assertion failed ("app/h.c", line 63).'),
         "a failed assertion of RKH comes first, with its file and line")
    same({(f["finding"], f["severity"], f["text"].split(": ")[1].split(",")[0]) for f in rkh[1:]},
         {("error_reported", "warning", "signal dropped")}, "behind it the signals that its machines drop")
    rules = os.path.join(FOLDER, "errors.rules")
    with open(rules, "w", encoding="utf-8") as file:
        file.write("errors() == 0\n")
    same([rastrum("check", rules, path).status for path in (story(999, 8, 0, 0).path("one"), ended.path("none"))], [1, 0],
         "errors() counts what `explain` finds")


def check_contradiction():
    def story(is_woken):
        story = Story()
        story.start("a", "b", first="a")
        story.suspend(10, "a", SEMAPHORE, "b")
        story.user(20, "b")
        if is_woken:
            story.resume(25, "b", "a", SEMAPHORE)
        story.user(30, "a")
        story.suspend(40, "a", SEMAPHORE, "b")
        story.user(50, "b")
        return story

    expect(explain(story(False), "contradiction"), "contradiction", "warning", ["a"], (10, 30),
           "The recording contradicts itself: 'a' stops to wait, and then has an event though nothing woke it.",
           "a thread that has an event though nothing woke it")
    same(explain(story(True), "woken"), [], "one that was woken is none")


# --- generated schedules ------------------------------------------------------------------------------------------------


def true_inversions(schedule):
    """(waiter, lock, ticks that less urgent threads ran while the holder was ready), from the simulator's own history."""
    result = []
    for waiter in schedule.threads:
        for state, reason, thing, begin, end in waiter.history:
            if state != "waiting" or reason != "lock":
                continue
            lock, = [l for l in schedule.locks if l.name == thing]
            ran = blame(schedule, waiter, lock, begin, end, 0)
            if ran:
                result.append((waiter.name, lock.name, begin, end, ran))
    return sorted(result)


def overlap(a, b, c, d):
    return max(a, c), min(b, d)


def blame(schedule, waiter, lock, begin, end, depth):
    """Runs of less urgent threads while a holder was ready; where it waits for a lock itself, of that lock's holder."""
    total = 0
    for owner, since, until in lock.holds if depth < 8 else []:
        first, last = overlap(since, until, begin, end)
        if first >= last or owner is waiter or owner.priority <= waiter.priority:
            continue
        for state, reason, thing, since, until in owner.history:
            left, right = overlap(since, until, first, last)
            if left >= right:
                continue
            if state == "ready":
                for other in schedule.threads:
                    if other is owner or other is waiter or other.priority <= waiter.priority:
                        continue
                    for doing, _, _, since, until in other.history:
                        x, y = overlap(since, until, left, right)
                        total += max(0, y - x) if doing == "running" else 0
            elif state == "waiting" and reason == "lock":
                inner, = [l for l in schedule.locks if l.name == thing]
                total += blame(schedule, waiter, inner, left, right, depth + 1)
    return total


def check_generated():
    wrong, orders = Faults(), Faults()
    n_inversions = 0
    for seed in range(30):
        schedule = Schedule(seed, n_events=500)
        path = os.path.join(FOLDER, "schedule.trx")
        with open(path, "wb") as file:
            file.write(schedule.dump())
        found = [f for f in explain(path, f"schedule {seed}")]
        truth = true_inversions(schedule)
        n_inversions += len(truth)
        got = sorted((f["subjects"][0], f["subjects"][2], f["to"], int(f["text"].split(" ran for ")[1].split()[0]))
                     for f in found if f["finding"] == "priority_inversion")
        wrong.compare(f"schedule {seed}", got, sorted((w, l, end, ran) for w, l, _, end, ran in truth))
        orders.compare(f"schedule {seed}", [f for f in found if f["finding"] in ("deadlock", "lock_order", "loss")], [])
    ok(not wrong and n_inversions > 50, f"in generated schedules each inversion is found, and no other, with its ticks",
       *wrong, str(n_inversions))
    ok(not orders, "locks that are always taken in one order give neither deadlocks nor inversions of their order", *orders)


check_inversion()
check_lock_order()
check_short_inversion()
check_deadlock()
check_waits()
check_starvation()
check_late()
check_period()
check_interrupts()
check_queue()
check_memory()
check_packets()
check_resized()
check_polling()
check_stack()
check_errors()
check_contradiction()
check_generated()
sys.exit(done())
