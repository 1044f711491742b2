#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What work and memory grow with. Work is counted in instructions, by valgrind, so that a busy machine changes nothing: a dump
whose ids were made to meet in the slots of tables takes what an ordinary one of its size takes, and one of four times the
size four times as much. Memory is what the kernel counts while a recording comes by a pipe: that of ten times the events
is the same.
"""
import array
import fcntl
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import posix_log  # noqa: E402
from tap import IS_RELEASE, RASTRUM, done, ok, skip  # noqa: E402

TMP = tempfile.mkdtemp(prefix="rastrum-growth-")
EVENTS = 40000
WAYS = (("report",), ("report", "--intervals"), ("info",), ("stats",))
GOLDEN = 0x9E3779B97F4A7C15  # by which src/base/map.h multiplies last
WORD_MASK = (1 << 64) - 1
THREAD_RESUME, MUTEX_GET, MUTEX_PUT, THREAD_CREATE, THREAD_DELETE = 1, 52, 57, 100, 101

# --- work -------------------------------------------------------------------------------------------------------------


def dump(name, rows):
    """A dump of ThreadX with words of 64 bits; rows are thread, event, information words."""
    ring = b"".join(struct.pack("<8Q", thread, 5, number, stamp, *words)
                    for stamp, (thread, number, *words) in enumerate(rows, start=1))
    at = 12 * 8
    head = struct.pack("<4Q", 0x54585442, 0xFFFFFFFF, 0, at) + struct.pack("<HHI", 0, 32, 0) + struct.pack(
        "<7Q", at, at, at + len(ring), at, 0xAAAAAAAA, 0xBBBBBBBB, 0xCCCCCCCC)
    path = os.path.join(TMP, name)
    with open(path, "wb") as out:
        out.write(head + ring)
    return path


def unmixed(value):
    """What `x ^ x >> 32` takes to value."""
    return value ^ value >> 32


def many_ids(n, id_of):
    """Each thread takes a mutex of its own, wakes the next thread, and gives the mutex back; no id comes twice."""
    rows = []
    for i in range(n // 3):
        thread, mutex, other = (id_of(3 * i + k + 1) for k in range(3))
        rows += [(thread, MUTEX_GET, mutex, 0, 0, 0), (thread, THREAD_RESUME, other, 3, 0, other),
                 (thread, MUTEX_PUT, mutex, thread, 1, 0)]
    return rows


def one_id(n):
    """One address is created and deleted again and again, and used in between."""
    return [(0x2000, (THREAD_CREATE, THREAD_RESUME, THREAD_DELETE)[i % 3], 0x3000, 3, 0, 0) for i in range(n)]


def instructions(path, way):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", RASTRUM, *way, path],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    return int(found[1]) if found and run.returncode == 0 else None


def check_work():
    inverse = pow(GOLDEN, -1, 1 << 64)
    hostile = {
        "made to meet in one slot by the factor of the table": lambda i: i * inverse & WORD_MASK,
        "made to meet where nothing random is mixed in": lambda i: unmixed(i * inverse & WORD_MASK),
        "without lower bits": lambda i: i << 40,
    }
    sentence = "40,000 events with ids {} cost what ordinary ones cost: {}"
    if not shutil.which("valgrind") or not IS_RELEASE:
        for what in hostile:
            skip(sentence.format(what, "all"), "needs valgrind and a release build")
        return
    ordinary = dump("ordinary.trx", many_ids(EVENTS, lambda i: 0x20000000 + 0x98 * i))
    usual = {way: instructions(ordinary, way) for way in WAYS}
    for what, id_of in hostile.items():
        path = dump("hostile.trx", many_ids(EVENTS, id_of))
        for way in WAYS:
            n = instructions(path, way)
            ok(n and usual[way] and n < 1.25 * usual[way], sentence.format(what, " ".join(way)), n, usual[way])
    few, many = dump("few.trx", one_id(EVENTS // 4)), dump("many.trx", one_id(EVENTS))
    for way in WAYS:
        n, n_many = instructions(few, way), instructions(many, way)
        ok(n and n_many and n_many < 1.25 * 4 * n, f"one id with ever new lives costs each time the same: {' '.join(way)}",
           n, n_many)


# --- memory -----------------------------------------------------------------------------------------------------------


def recording(n_events):
    """A log with switches of two threads, and spans that begin and end."""
    log = posix_log.with_program()
    for number, name in ((65, b"sched_in"), (66, b"sched_wait"), (67, b"work:begin"), (68, b"work:end")):
        log.add("type", posix_log.TYPE, posix_log.event_type(number, name))
    for first in range(0, n_events, 1000):
        rows = [posix_log.event((65, 67, 68, 66)[i % 4], 2000 + 10 * i, tid=100 + i // 4 % 2, cpu=0)
                for i in range(first, first + 1000)]
        log.add("events", posix_log.EVENTS, posix_log.events(*rows, first=2000 + 10 * first, last=2000 + 10 * (first + 999)))
    return log.bytes()


def is_waiting(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0] == "S"


def peak_kib(data, way):
    """The most memory that the program has had when it has read all of data by a pipe and waits for more."""
    left = array.array("i", [1])
    with open(os.devnull, "wb") as nowhere, subprocess.Popen(
            [RASTRUM, *way, "-"], stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere) as run:
        run.stdin.write(data)
        run.stdin.flush()
        give_up = time.monotonic() + 60
        n_quiet = 0
        while n_quiet < 5 and time.monotonic() < give_up:
            fcntl.ioctl(run.stdin, termios.FIONREAD, left)
            n_quiet = n_quiet + 1 if left[0] == 0 and is_waiting(run.pid) else 0
            time.sleep(0.02)
        with open(f"/proc/{run.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read())[1])


def check_memory():
    sentence = "ten times the events take the same memory: "
    if not IS_RELEASE:
        skip(sentence + "all", "a sanitizer keeps what is freed")
        return
    few, many = recording(10000), recording(100000)
    for way in (("report",), ("report", "-f", "jsonl"), ("report", "--intervals"), ("info",), ("info", "--json")):
        n, n_many = peak_kib(few, way), peak_kib(many, way)
        # A byte for each event more would be 88 KiB; the kernel counts pages of threads of its own with it.
        ok(n_many < n + 512, sentence + " ".join(way), f"{n} KiB", f"{n_many} KiB")


try:
    check_work()
    check_memory()
finally:
    shutil.rmtree(TMP)
sys.exit(done())
