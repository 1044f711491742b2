#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Input that was made to do harm: each is read by every command within the memory and the time that docs/LIMITS.md
promises, and ends with a sentence, not with a signal.
"""
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import posix_log  # noqa: E402
from tap import RASTRUM, Result, done, ok, same  # noqa: E402

# A sanitizer's program maps terabytes, and is slow.
IS_CHECKED = os.environ.get("BUILD") in ("asan", "tsan")
MIB = 1 << 20
SECONDS = 60 if IS_CHECKED else 10
TMP = tempfile.mkdtemp(prefix="rastrum-hostile-")
WAYS = (("report",), ("report", "-f", "jsonl"), ("info",), ("info", "--json"))


def kept(name, data):
    path = os.path.join(TMP, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


def limited(memory_mib, *words, stdin=None):
    """Runs the program with so much memory; Result with its seconds, or None: it took too long."""
    def limit():
        if not IS_CHECKED:
            resource.setrlimit(resource.RLIMIT_AS, (memory_mib * MIB, memory_mib * MIB))
    begin = time.monotonic()
    try:
        run = subprocess.run([RASTRUM, *words], stdin=stdin or subprocess.DEVNULL, capture_output=True, check=False,
                             timeout=SECONDS, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return None
    result = Result(run)
    result.seconds = time.monotonic() - begin
    return result


def survives(path, sentence, status=3, memory_mib=256, ways=WAYS, says=None, options=()):
    """Every way ends in time, within the memory, with this exit status, and says it on stderr."""
    faults = []
    for way in ways:
        run = limited(memory_mib, *way, *options, path)
        if run is None:
            faults.append(f"{' '.join(way)}: more than {SECONDS} s")
        elif run.status != status or (says and says not in run.err + run.out):
            faults.append(f"{' '.join(way)}: status {run.status}: {run.err[:300]}")
    ok(not faults, sentence, *faults)


# --- compact: a stream of blocks ------------------------------------------------------------------------------------


def crc16(data):
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def compact_block(core, first_event, records):
    body = bytes([ord("e"), len(records), core]) + struct.pack("<III", first_event, 0, 0) + records
    return b"\xf5" + body + struct.pack("<H", crc16(body))


def compact_gaps(n_odd, n):
    """Blocks of a core too many, each behind a loss: two markers at once, so that one of them meets a full batch."""
    record = bytes([32 << 2, 1])
    out, first = compact_block(0, 0, record), 1
    for i in range(n):
        out += compact_block(64, first, record)
        first += 1000 * (i + 1 >= n_odd)
    return out


def check_compact():
    for n_odd in (0, 1, 2):
        path = kept(f"gaps{n_odd}.rtc", compact_gaps(n_odd, 300))
        survives(path, f"compact: a loss and damage at the end of a full batch ({n_odd} alone before them)")
        run = limited(256, "report", "-q", "-f", "jsonl", path)
        lines = [json.loads(line) for line in run.lines if line.startswith("{")] if run else []
        ok(sum("damage" in line for line in lines) == 300, "and each has its row",
           f"{sum('damage' in line for line in lines)} rows of damage")


# --- ThreadX: memory of a target --------------------------------------------------------------------------------------


def ulongs(word, *numbers):
    return struct.pack(f"<{len(numbers)}{'Q' if word == 8 else 'I'}", *numbers)


def txtb(ring, registry=b"", word=4):
    """A dump of a trace buffer: header, registry, ring of entries."""
    registry_at, ring_at = 12 * word, 12 * word + len(registry)
    return (ulongs(word, 0x54585442, 0xFFFFFFFF, 0, registry_at) + struct.pack("<HH", 0, 32) + bytes(word - 4) +
            ulongs(word, ring_at, ring_at, ring_at + len(ring), ring_at, 0xAAAAAAAA, 0xBBBBBBBB, 0xCCCCCCCC) +
            registry + ring)


def entry(thread, number, id, word=4):
    return ulongs(word, thread, 5, id, number, 1, 2, 3, 4)


def check_threadx():
    many = kept("types.trx", txtb(b"".join(entry(0x2000, n, n) for n in range(65536))))
    survives(many, "threadx: 65,536 types of events", status=0)
    # A multiplication by this constant takes them to 1, 2, 3, …
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    flood = kept("flood.trx", txtb(b"".join(entry(n * inverse % (1 << 64) or 1, n, 6, word=8) for n in range(200000)), word=8))
    survives(flood, "threadx: thread pointers made to meet in one slot of a table", status=0)


# --- contexts and cores ---------------------------------------------------------------------------------------------


def twins(word_pairs):
    """Events of these threads, and a registry of live threads with names."""
    registry = b"".join(struct.pack("<BBBB", 0, 1, 0, 0) + ulongs(4, address, 0, 0) + name.ljust(32, b"\0")
                        for address, name in word_pairs)
    return txtb(b"".join(entry(address, n, 6) for n, (address, _) in enumerate(word_pairs)), registry)


def contexts_of(path):
    """info's counts by context; none when a key comes twice."""
    def unique(pairs):
        return dict(pairs) if len(dict(pairs)) == len(pairs) else {}
    return json.loads(limited(256, "info", "--json", path).out, object_pairs_hook=unique).get("contexts", {})


def check_names():
    path = kept("names.trx", twins([(0x10, b"a"), (0x20, b"a"), (0x30, b"a (0x10)"), (0x40, b"isr"), (0x50, b"b"),
                                    (0xFFFFFFFF, b"")]))
    got = contexts_of(path)
    ok(len(got) == 6 and sum(got.values()) == 6, "each context has a row of its own, also with names that look alike", got)
    for folder in sorted(os.listdir("tests/data/liteos")):
        path = f"tests/data/liteos/{folder}/online.tlv"
        if os.path.exists(path):
            events = json.loads(limited(256, "info", "--json", path).out)["events"]
            same(sum(contexts_of(path).values()), events, f"{path}: counts by context are of all events, no key comes twice")
    again = kept("again.log", posix_log.header() + posix_log.block(
        posix_log.EVENTS, posix_log.events(posix_log.event(70, 1, cpu=300), posix_log.event(70, 2, cpu=65534), posix_log.event(70, 3, cpu=0xFFFF))))
    cores = json.loads(limited(256, "info", "--json", again).out)["cores"]
    ok(cores == {"300": 1, "65534": 1}, "cores beyond 255 are counted", cores)
    run = limited(256, "report", "-q", "-f", "jsonl", "--core", "300", again)
    ok(len(run.lines) == 1 and '"core":300' in run.out, "and can be chosen", run.out)


check_compact()
check_threadx()
check_names()
sys.exit(done())
