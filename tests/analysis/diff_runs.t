#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`rastrum diff` of two runs of one Linux program, made by hand: the system gives other numbers to its processes and threads, and
loads it at another address, but threads, processes and locks are what they were.
"""
import json
import os
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from posix_log import (ADDRESS, BYTES, END, EVENTS, SIGNED, TEXT, TYPE, UNSIGNED, Log, end, event, event_type, events,  # noqa: E402
                       word)
from tap import done, ok, rastrum, same  # noqa: E402

MS, US = 1000000, 1000
TYPES = {
    "sys_program_begin": (("name", TEXT, 16), ("path", TEXT, 0)),
    "sys_module": (("start", UNSIGNED, 8), ("size", SIGNED, 8), ("offset", SIGNED, 8), ("build_id", BYTES, 24), ("path", TEXT, 0)),
    "sys_thread_begin": (("start", ADDRESS, 8), ("creator", SIGNED, 8)),
    "sys_process_begin": (("parent", SIGNED, 8),),
    "sys_mutex_wait": (("mutex", ADDRESS, 8), ("holder", SIGNED, 8)),
    "sys_mutex_acquire": (("mutex", ADDRESS, 8),),
    "sys_mutex_release": (("mutex", ADDRESS, 8),),
    "sys_sleep_begin": (("nanoseconds", SIGNED, 8),),
    "sys_sleep_end": (("nanoseconds", SIGNED, 8), ("result", SIGNED, 8), ("error", SIGNED, 8)),
}
IDS = {name: 65 + i for i, name in enumerate(TYPES)}


class Run:
    """A program with four workers without names, a lock of its own, one on the heap, and a child."""

    def __init__(self, base, heap, pid, tids, begin_order, held=50 * US, has_fifth=False):
        self.base, self.heap, self.pid, self.tids, self.held = base, heap, pid, tids, held
        self.now, self.events = 1000, []
        self.tell("sys_program_begin", struct.pack("16s", b"pool") + b"/nowhere/pool")
        self.tell("sys_module", word(base, 0x2000, 0) + bytes(24) + b"/nowhere/pool")
        self.tell("sys_module", word(base + 0x3000, 0x2000, 0x3000) + bytes(24) + b"/nowhere/pool")
        self.tell("sys_process_begin", word(pid), pid=pid + 1, tid=pid + 1)
        for i in begin_order:
            self.tell("sys_thread_begin", word(base + 0x1199, pid), tid=tids[i])
        if has_fifth:
            self.tell("sys_thread_begin", word(base + 0x1300, pid), tid=tids[4])
            self.sleep(pid, tids[4], MS)
            self.sleep(pid, tids[4], MS)
        for n in range(40):
            self.work(n)
        self.sleep(pid + 1, pid + 1, MS)

    def tell(self, name, data, tid=None, pid=None, after=US):
        self.now += after
        self.events.append(event(IDS[name], self.now, data, pid=pid or self.pid, tid=tid or self.pid, address=0))

    def sleep(self, pid, tid, length):
        self.tell("sys_sleep_begin", word(length), pid=pid, tid=tid)
        self.tell("sys_sleep_end", word(length, 0, 0), pid=pid, tid=tid, after=length)

    def work(self, n):
        """The workers sleep one, two, three and four milliseconds: that shows which is which."""
        worker, other = self.tids[n % 4], self.tids[(n + 1) % 4]
        for lock, held in ((self.base + 0x40A0, self.held), (self.heap, 20 * US)):
            self.tell("sys_mutex_wait", word(lock, other), tid=worker)
            self.tell("sys_mutex_release", word(lock), tid=other, after=held // 2)
            self.tell("sys_mutex_acquire", word(lock), tid=worker)
            self.tell("sys_mutex_release", word(lock), tid=worker, after=held)
        self.sleep(self.pid, worker, (n % 4 + 1) * MS)

    def write(self, path):
        log = Log()
        for name, fields in TYPES.items():
            log.add(name, TYPE, event_type(IDS[name], name.encode(), *((f.encode(), kind, size) for f, kind, size in fields)))
        log.add("events", EVENTS, events(*self.events)).add("end", END, end(len(self.events)))
        with open(path, "wb") as out:
            out.write(log.bytes())
        return path


def changes(*words):
    rows = set()
    for line in rastrum("diff", "--json", *words).lines:
        table = json.loads(line)
        names = [column["name"] for column in table["columns"]]
        rows |= {tuple(dict(zip(names, row))[name] for name in ("change", "what", "of")) for row in table["rows"]}
    return rows


with tempfile.TemporaryDirectory(prefix="rastrum-runs-") as work:
    path = os.path.join
    once = Run(0x555500000000, 0x7F0000001000, 100, [110, 111, 112, 113], [0, 1, 2, 3]).write(path(work, "once.rst"))
    again = Run(0x666600000000, 0x7E0000002000, 5110, [5112, 5113, 5114, 5115], [3, 1, 0, 2]).write(path(work, "again.rst"))
    slow = Run(0x444400000000, 0x7D0000003000, 107, [110, 112, 113, 114], [1, 0, 3, 2], held=500 * US).write(path(work, "slow.rst"))
    more = Run(0x333300000000, 0x7C0000003000, 300, [310, 311, 312, 313, 314], [0, 1, 2, 3], has_fifth=True).write(path(work, "more.rst"))
    locks = rastrum("stats", "--table", "locks", "--format", "csv", once).out
    ok("pool+0x40a0" in locks, "a lock of a program is called by the place in its file", locks)
    same(changes(once, again), set(), "threads by function and order of creation, processes by program, locks by place: nothing has changed")
    same(rastrum("diff", "--fail-on", "any", once, again).status, 0, "exit status 0")
    everything = {(what, of) for _, what, of in changes("--all", once, again)}
    ok({("hold", "pool+0x40a0"), ("run", "pool/5112")} <= everything, "all of them have been compared", *map(str, everything))
    found = changes(once, slow)
    ok(("slower", "hold", "pool+0x40a0") in found, "a lock that is held longer is found", *map(str, found))
    ok(not [f for f in found if f[0] in ("new", "gone")], "and nothing is new or gone", *map(str, found))
    ok(not [f for f in found if "sleep" in f[1]], "each worker is compared with itself, though numbers occur again", *map(str, found))
    same(rastrum("diff", "--fail-on", "slower", once, slow).status, 1, "exit status 1")
    same({f for f in changes(once, more) if f[1] == "thread"}, {("new", "thread", "pool/314")}, "a thread with another function is new")
sys.exit(done())
