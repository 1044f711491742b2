#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Parts of large ThreadX dumps: what is shown of a part is the same whether the rest was read, as of a pipe, or left out, as of a file.
TRIALS=N tries N random dumps for each kind.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import RASTRUM, difference, done, ok  # noqa: E402

TRIALS = int(os.environ.get("TRIALS", "1"))
N_EVENTS = 30000
ISR, INIT = 0xFFFFFFFF, 0xF0F0F0F0
ENTER, EXIT, THREAD_CREATE, THREAD_DELETE, QUEUE_CREATE, USER = 3, 4, 100, 103, 60, 4096

# What is asked of each dump; {at} are moments in it.
REPORTS = [
    ["--last", "1"],
    ["--last", "{some}"],
    ["--last", "{many}", "-f", "jsonl"],
    ["--last", "{some}", "-f", "csv"],
    ["--last", "{some}", "--color", "always"],
    ["--last", "{some}", "--columns", "+delta,+core,+event,+priority", "--time", "ticks"],
    ["--from", "+{early}", "--to", "+{late}"],
    ["--from", "+{late}", "--columns", "+delta", "--color", "always"],
    ["--from", "+{late}", "-f", "jsonl", "-c", "isr"],
    ["--from", "+{middle}", "--limit", "5", "-f", "aix"],
    ["--from", "+{late}", "--last", "3"],
    ["--to", "+{early}", "-f", "csv"],
]


def image(words, events, objects, current, slots=None, size=32):
    """A dump; events are (thread, priority, id word, stamp, 4 words), None is a slot that was never written."""
    order, width, mask = words
    word = f"{order}{{}}{'I' if width == 4 else 'Q'}"
    header, item = (48, 16 + size) if width == 4 else (96, 32 + size)
    base = 0x20000000
    ring = base + header + item * len(objects)
    slots = slots or len(events)
    out = struct.pack(word.format(4), 0x54585442, mask, base, base + header)
    out += struct.pack(f"{order}HH", 0, size) + b"\0" * (width - 4)
    out += struct.pack(word.format(7), ring, ring, ring + 8 * width * slots, ring + 8 * width * current, 0xAAAAAAAA, 0xBBBBBBBB, 0xCCCCCCCC)
    for kind, address, name in objects:
        out += struct.pack("4B", 0, kind, 0, 0) + b"\0" * (width - 4) + struct.pack(word.format(3), address, 0, 0)
        out += name.encode().ljust(size, b"\0")
    pack = struct.Struct(word.format(8)).pack
    return out + b"".join(pack(*event) if event else b"\0" * (8 * width) for event in events)


def make_events(rng, n_cores, n_threads, modulus, jitter):
    """Threads begin one after the other, some late; interrupts nest; objects come and go at one address."""
    events, ticks = [], rng.randrange(1 << 30)
    starts = sorted([0] * 3 + [rng.choice([rng.randrange(60), rng.randrange(N_EVENTS)]) for _ in range(n_threads)])
    late = [(rng.randrange(N_EVENTS), rng.choice([USER + rng.randrange(99), 20, 60, 300])) for _ in range(4)]
    nested = [[] for _ in range(n_cores)]
    late_core = rng.randrange(N_EVENTS)
    alive, changes = 3, [rng.randrange(N_EVENTS) for _ in range(rng.choice([0, 2]))]
    for n in range(N_EVENTS):
        while alive < len(starts) and starts[alive] <= n:
            alive += 1
        core = rng.randrange(n_cores) if n >= late_core else 0
        thread = 0x1000 + 0x100 * rng.choice([0, 1, 2, max(0, alive - 1), rng.randrange(alive)])
        number = rng.choice([1, 2, 87, 63, USER])
        number = next((what for at, what in late if at == n), number)
        words = [rng.randrange(4) for _ in range(4)]
        priority = 0x80050000 | rng.randrange(32)
        dice = rng.random()
        if nested[core]:
            thread, priority = ISR, nested[core][-1]
            if dice < 0.3:
                number, words[2] = EXIT, len(nested[core])
                nested[core].pop()
        elif dice < 0.02:
            thread, priority = ISR, rng.choice([0, thread])
        if number != EXIT and dice > 0.95 and len(nested[core]) < 3:
            nested[core].append(rng.choice([0, thread, thread]) if thread != ISR else priority)
            thread, priority, number, words[2] = ISR, nested[core][-1], ENTER, len(nested[core])
        if n in changes:
            number = rng.choice([THREAD_CREATE, THREAD_DELETE, QUEUE_CREATE])
            words[0] = rng.choice([0x1000, 0x1100, 0x5000, 0x9000])
        if n < 5:
            thread, priority = INIT, 0
        ticks += rng.randrange(300)
        if jitter and rng.random() < 0.001:
            ticks = max(0, ticks - rng.randrange(1000))
        events.append((thread, priority, number | core << 24, ticks % modulus, *words))
    return events


def make_dump(rng, kind):
    """The bytes of a dump, and options."""
    order, width = rng.choice("<<>"), rng.choice([4, 4, 8])
    bits = {"short": 20, "wide": 64}.get(kind, 32)
    width = 8 if bits > 32 else width
    n_threads = 120 if kind == "threads" else rng.randrange(2, 20)
    events = make_events(rng, rng.choice([1, 1, 3]), n_threads, 1 << bits, kind != "short")
    names = ["t", "main", "the thread with a name of length"]
    objects = [(1, 0x1000 + 0x100 * i, f"{rng.choice(names)[:28]} {i}" if rng.random() < 0.8 else "") for i in range(n_threads)]
    objects += [(3, 0x1000, "a queue")] if rng.random() < 0.3 else []
    current, more, options = 0, b"", []
    if kind == "round":
        current = rng.randrange(1, N_EVENTS)
    elif kind == "empty":
        current = N_EVENTS - rng.randrange(1, 20000)
        events[current:] = [None] * (N_EVENTS - current)
    elif kind == "holes":
        events[rng.randrange(10, N_EVENTS)] = None
    elif kind == "wrap":
        options = ["--opt", f"wrap={rng.choice([5000, 1000003])}"]
    elif kind == "down":
        events = [(*event[:3], -event[3] % (1 << bits), *event[4:]) for event in events]
    elif kind == "second":
        events = [(*event[:3], event[3] * 1000 % 1000000000, *event[4:]) for event in events]
        order, width = "<", 4
    elif kind == "order":
        current, options = rng.randrange(1, N_EVENTS), ["--order", "file"]
    elif kind == "more":
        more = image((order, width, (1 << bits) - 1), events[:500], objects, 0)
    if current and kind in ("round", "order"):
        events = events[-current:] + events[:-current]
    dump = image((order, width, (1 << bits) - 1), events, objects, current) + more
    return (dump[:-8 * width * 100] if kind == "cut" else dump), options


def fault_of(path, dump, words):
    """How what is shown of the file differs from what is shown of the pipe."""
    def run(operand, data):
        process = subprocess.run([RASTRUM, "report", *words, operand], input=data, capture_output=True, check=False)
        return process.returncode, process.stdout, process.stderr.replace(path.encode(), b"standard input")
    with_rest, without = run("-", dump), run(path, None)
    if with_rest == without:
        return []
    parts = [difference(a.splitlines(), b.splitlines()) if isinstance(a, bytes) else [f"{a} {b}"] for a, b in zip(without, with_rest) if a != b]
    return [f"{' '.join(words)}:", *sum(parts, [])]


def check(folder, kind, seed):
    rng = random.Random(f"{kind} {seed}")
    dump, options = make_dump(rng, kind)
    path = f"{folder}/dump.trx"
    with open(path, "wb") as file:
        file.write(dump)
    span = {"short": 1 << 20}.get(kind, N_EVENTS * 150)
    values = {"some": rng.randrange(1, 50), "many": rng.randrange(1, N_EVENTS), "early": span * rng.randrange(1, 4) // 10,
              "middle": span // 2, "late": span * rng.randrange(6, 10) // 10}
    faults = []
    for words in REPORTS:
        faults += fault_of(path, dump, [word.format(**values) for word in words] + options)
    return faults


def check_deletion(folder):
    """A thread that is deleted by the last event of a part, its own, makes another context in the next part, which has nothing else."""
    long, short = (1, 0x1000, "a name that is long"), (1, 0x2000, "b")
    part = 4096
    events = []
    for n in range(3 * part + 50):
        thread = short[1] if n >= 2 * part or (n % 3 and n < part - 1) else long[1]
        number, words = (61, [long[1], 0, 0, 0]) if n == part - 1 else (87, [1, 0, 0, 0])
        events.append((thread, 0x80050001, number, 1000 + n, *words))
    dump = image(("<", 4, 0xFFFFFFFF), events, [long, short], 0)
    path = f"{folder}/deletion.trx"
    with open(path, "wb") as file:
        file.write(dump)
    faults = fault_of(path, dump, ["--last", "3"]) + fault_of(path, dump, ["--last", "3", "--color", "always"])
    ok(not faults, "a part whose thread was deleted in front of it is read", *faults)


with tempfile.TemporaryDirectory() as top:
    check_deletion(top)
    for shape in ("plain", "threads", "round", "empty", "short", "wide", "holes", "wrap", "down", "second", "order", "more", "cut"):
        found = []
        for trial in range(TRIALS):
            found += [f"{shape} {trial}: {fault}" for fault in check(top, shape, trial)]
        ok(not found, f"parts of dumps of the kind '{shape}' are the same with and without the rest", *found[:20])
sys.exit(done())
