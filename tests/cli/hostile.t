#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Input that was made to do harm: each is read by every command within the memory and the time that docs/LIMITS.md
promises, and ends with a sentence, not with a signal.
"""
import bz2
import json
import lzma
import os
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

sys.dont_write_bytecode = True
sys.path[:0] = ["tests", "bench"]
import gen_compact as compact  # noqa: E402
import posix_log  # noqa: E402
from tap import IS_RELEASE, RASTRUM, Result, done, ok, same, sample  # noqa: E402

# A sanitizer's program maps terabytes, and is slow.
IS_CHECKED = os.environ.get("BUILD") in ("asan", "tsan")
MIB = 1 << 20
UNPACKED_MIB = 256 + 256 + 64  # what is unpacked, what is known of it, the program
SECONDS = 60 if IS_CHECKED else 10
TMP = tempfile.mkdtemp(prefix="rastrum-hostile-")
WAYS = (("report",), ("report", "-f", "jsonl"), ("info",), ("info", "--json"))


def kept(name, data):
    path = os.path.join(TMP, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


def packed(name, *parts):
    """A gzip file; a part is bytes, or bytes and how often."""
    pack = zlib.compressobj(1, zlib.DEFLATED, 31)
    out = b""
    for part in parts:
        data, n = part if isinstance(part, tuple) else (part, 1)
        each = max(1, MIB // len(data))
        for done_ in range(0, n, each):
            out += pack.compress(data * min(each, n - done_))
    return kept(name, out + pack.flush())


def limited(memory_mib, *words, stdin=None):
    """Runs the program with so much memory and processor time; returns its Result, or None if it took too long."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        if not IS_CHECKED:
            resource.setrlimit(resource.RLIMIT_AS, (memory_mib * MIB, memory_mib * MIB))
    try:
        run = subprocess.run([RASTRUM, *words], stdin=stdin or subprocess.DEVNULL, capture_output=True, check=False,
                             timeout=30 * SECONDS, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return None
    return None if run.returncode == -signal.SIGXCPU else Result(run)


def survives(path, sentence, status=3, memory_mib=256, ways=WAYS, says=None, options=(), is_piped=False):
    """Every way ends in time, within the memory, with this exit status, and says it."""
    faults = []
    for way in sample(ways, every=4):
        with open(path, "rb") as file:
            run = limited(memory_mib, *way, *options, *(["-"] if is_piped else [path]), stdin=file if is_piped else None)
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
    marks = kept("marks.rtc", b"\xf5\x65\xff" * (8 * MIB))
    survives(marks, "compact: marks of blocks that are none, two bytes apart", options=("-d", "compact"))
    survives(marks, "and in pieces", options=("-d", "compact"), is_piped=True)
    for n_odd in (0, 1, 2):
        path = kept(f"gaps{n_odd}.rtc", compact_gaps(n_odd, 300))
        survives(path, f"compact: a loss and damage at the end of a full batch ({n_odd} alone before them)")
        run = limited(256, "report", "-q", "-f", "jsonl", path)
        lines = [json.loads(line) for line in run.lines if line.startswith("{")] if run else []
        ok(sum("damage" in line for line in lines) == 300, "and each has its row",
           f"{sum('damage' in line for line in lines)} rows of damage")


def check_objects():
    """More semaphores than states are kept of: the limit is where the table of them has just grown."""
    n, out = 140000, [compact.block(b"n", b"\0" + compact.number(1000000) + b"\0")]
    for first in range(0, n, 20):
        out.append(compact.block(b"e", b"".join(compact.number(12 << 2 | 2) + compact.number(1) + compact.number(i) + b"\3"
                                                for i in range(first, min(first + 20, n))), first, first))
    survives(kept("objects.rtc", b"".join(out)), "compact: more objects than states are kept of", status=0,
             memory_mib=1024, ways=[("stats",), ("explain",), ("report", "-q", "--intervals")])


# --- ThreadX: memory of a target --------------------------------------------------------------------------------------


def ulongs(word, *numbers):
    return struct.pack(f"<{len(numbers)}{'Q' if word == 8 else 'I'}", *numbers)


def txtb_head(n_registry, n_ring, word=4):
    registry_at, ring_at = 12 * word, 12 * word + n_registry
    return (ulongs(word, 0x54585442, 0xFFFFFFFF, 0, registry_at) + struct.pack("<HH", 0, 32) + bytes(word - 4) +
            ulongs(word, ring_at, ring_at, ring_at + n_ring, ring_at, 0xAAAAAAAA, 0xBBBBBBBB, 0xCCCCCCCC))


def slot(address, name, word=4):
    """Of the registry: a live thread."""
    return struct.pack("<BBBB", 0, 1, 0, 0) + bytes(word - 4) + ulongs(word, address, 0, 0) + name.ljust(32, b"\0")


def txtb(ring, registry=b"", word=4):
    """A dump of a trace buffer: header, registry, ring of entries."""
    return txtb_head(len(registry), len(ring), word) + registry + ring


def entry(thread, number, id, word=4):
    return ulongs(word, thread, 5, id, number, 1, 2, 3, 4)


def check_threadx():
    many = kept("types.trx", txtb(b"".join(entry(0x2000, n, n) for n in range(65536))))
    survives(many, "threadx: 65,536 types of events", status=0)
    # A multiplication by this constant takes them to 1, 2, 3, …
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    flood = kept("flood.trx", txtb(b"".join(entry(n * inverse % (1 << 64) or 1, n, 6, word=8) for n in range(200000)), word=8))
    survives(flood, "threadx: thread pointers made to meet in one slot of a table", status=0)
    # As many as make 150 MiB of objects and threads, if all were kept.
    slots = b"".join(slot(n * 16, b"object") for n in range(200000))
    survives(kept("objects.trx", txtb(entry(0x2000, 0, 6), slots)), "threadx: more objects than are kept", status=0,
             says="only the first 131072 objects are kept")
    threads = kept("threads.trx", txtb(b"".join(entry(0x1000 + 4 * n, n, 6) for n in range(200000))))
    survives(threads, "threadx: more threads than are kept", status=0,
             says="only the first 65536 threads are distinguished")
    same(json.loads(limited(256, "info", "--json", threads).out)["events"], 200000, "and all events are there")
    survives("tests/data/threadx/basic_objects.trx", "threadx: --opt custom=/dev/zero", status=2,
             options=("--opt", "custom=/dev/zero"), says="of the input only 16 MiB are read")
    # 300 MiB of the same object: 48 bytes of the file say as much as one; the file has not 2 MiB.
    bomb = packed("bomb.trx.gz", txtb_head(300 * MIB, 32), (slot(0x10, b"object"), 300 * MIB // 48))
    survives(bomb, "threadx: an archive of endless objects", memory_mib=UNPACKED_MIB,
             says="of what was unpacked only 256 MiB are read")
    # The same of small members, as often as it takes.
    slots = slot(0x10, b"object") * (MIB // 48)
    for name, pack in (("bz2", bz2.compress), ("xz", lzma.compress)):
        bomb = kept("bomb.trx." + name, pack(txtb_head(300 * MIB, 32)) + pack(slots) * 300)
        survives(bomb, f"threadx: the same in {name}", memory_mib=UNPACKED_MIB, ways=(("info",),),
                 says="of what was unpacked only 256 MiB are read")


def check_locks():
    """A thread that gives thousands of mutexes back in the order in which it took them; and a ring of threads that wait."""
    own, n = 0x80050005, 2000 if IS_CHECKED else 20000

    def mutex(i):
        return 0x60000000 + i * 0x40

    def thread(i):
        return 0x20008000 + i * 0x100

    def row(who, number, *words):
        return (who, own, number, words)

    holds = [row(thread(0), 52, mutex(i), 0xFFFFFFFF, 0, 0) for i in range(n)]
    holds += [row(thread(0), 57, mutex(i), thread(0), 1, 0) for i in range(n)]
    ring = [row(thread(i), 52, mutex(i), 0xFFFFFFFF, 0, 0) for i in range(n * 3 // 4)]
    for i in range(n * 3 // 4):
        after = (i + 1) % (n * 3 // 4)
        ring += [row(thread(i), 52, mutex(after), 0xFFFFFFFF, thread(after), 1), row(thread(i), 2, thread(i), 13, 0, thread(after))]
    for name, rows in (("holds.trx", holds), ("ring.trx", ring)):
        path = kept(name, txtb(b"".join(ulongs(4, who, own_, number, at, *words)
                                        for at, (who, own_, number, words) in enumerate(rows, start=1))))
        survives(path, f"threadx: {len(rows)} events of locks, {name}", status=0, memory_mib=512,
                 ways=[("explain",), ("splat",), ("diff", path)])
    survives(kept("threads40.trx", txtb(b"".join(entry(thread(i), i, 6) for i in range(n // 2)))),
             "threadx: a profile for each of many threads", status=0, ways=[("convert", "-t", "speedscope", "-o", "/dev/null")])


def check_many_files():
    """Each file is due with a batch of its own and with its end: nothing may look at all of them then."""
    n = 100 if IS_CHECKED else 800  # each is open meanwhile
    with open("tests/data/threadx/priority_inversion.trx", "rb") as file:
        dump = file.read()
    paths = [kept(f"many{i}.trx", dump) for i in range(n)]
    out = os.path.join(TMP, "many.rsx")
    run = limited(1024, "merge", "-q", *paths[1:], "-o", out, paths[0])
    ok(run and run.status == 0, f"merge: {n} small files", run and run.err)
    whole, one = (json.loads(limited(512, "info", "--json", path).out)["events"] for path in (out, paths[0]))
    same(whole, n * one, "and their events are all there")
    for path in paths:
        os.unlink(path)


# --- LiteOS: what must be gathered ----------------------------------------------------------------------------------


def check_liteos():
    with open("tests/data/liteos/a_arm32_default/dump.txt", "rb") as file:
        lines = file.read().splitlines(keepends=True)
    head, rows = lines[:4], lines[4:-1]
    endless = kept("endless.txt", b"".join(head) + b"".join(rows) * (40 * MIB // sum(map(len, rows))))
    survives(endless, "liteos: a text without end, by a pipe", is_piped=True, says="is read up to 32 MiB")
    survives(endless, "and from a file: no dump has so many rows", says="more rows than one dump can have")
    noise = kept("noise.txt", b"".join(head) + b"x\n\n" * (24 * MIB // 3))
    survives(noise, "liteos: a text of endless damage", is_piped=True)
    with open("tests/data/liteos/a_arm32_default/offline.bin", "rb") as file:
        buffer = file.read()
    with open("fuzz/corpus/fuzz_liteos_buffer/far_stamp", "rb") as file:
        far = kept("far.bin", file.read())
    survives(far, "liteos: one damaged stamp near the end of 64 bits", status=0,
             ways=[("diff", far), ("stats",), ("explain",), ("draw",), ("report", "--intervals")])
    survives(far, "and more parts than a table may have are refused before they are made", status=2,
             ways=[("stats", "--per", "100")], says="has more than 10000 parts")
    survives(kept("endless.bin", buffer + bytes(40 * MIB)), "liteos: a buffer without end, by a pipe", is_piped=True,
             says="is read up to 32 MiB")


# --- POSIX logs: blocks without end ---------------------------------------------------------------------------------


def check_link():
    """A sender without end: memory stays, it is reported at once, and the first SIGINT ends the report."""
    with open("tests/data/liteos/a_arm32_default/dump.txt", "rb") as file:
        lines = file.read().splitlines(keepends=True)
    run = subprocess.Popen([RASTRUM, "report", "--listen", "tcp:127.0.0.1:0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    port = int(re.search(rb"listening on port (\d+)", run.stderr.readline())[1])
    told = []
    ear = threading.Thread(target=lambda: told.extend(run.stderr), daemon=True)
    ear.start()
    with socket.create_connection(("127.0.0.1", port)) as sender:
        sender.sendall(b"".join(lines[:4]))
        for _ in range(80):
            sender.sendall(b"".join(lines[4:-1]) * (MIB // sum(map(len, lines[4:-1]))))
        with open(f"/proc/{run.pid}/status", encoding="utf-8") as file:
            peak = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
        begin = time.monotonic()
        run.send_signal(signal.SIGINT)
        run.wait(SECONDS)
    ear.join()
    ok(IS_CHECKED or peak < 128 * 1024, "liteos: 80 MiB of text by a link take less than 128 MiB", f"{peak} KiB")
    ok(time.monotonic() - begin < SECONDS / 2, "the first SIGINT ends the report")
    ok(any(b"is read up to 32 MiB" in line for line in told), "what is left out is reported", b"".join(told).decode())


def check_rkh():
    survives("tests/data/rkh/r1_default.bin",
             "rkh: --opt symbols=/dev/zero", status=0, options=("--opt", "symbols=/dev/zero"),
             says="of the input only 64 MiB are read")


def check_posix():
    fields = [(b"field%d" % n, 2, 1) for n in range(32)]

    def said(name):
        return posix_log.block(posix_log.TYPE, posix_log.event_type(70, name, *fields)) + posix_log.block(
            posix_log.EVENTS, posix_log.events(posix_log.event(70, 1, bytes(32)), posix_log.event(70, 2, bytes(40))))

    head = posix_log.header() + posix_log.block(posix_log.ATTRIBUTES, posix_log.attributes())
    types = packed("types.log.gz", head, (said(b"one") + said(b"two"), 40000))
    survives(types, "posix: a type that is described anew 80,000 times", status=0, memory_mib=UNPACKED_MIB,
             says="so many types that later descriptions are not kept")
    same(json.loads(limited(UNPACKED_MIB, "info", "--json", types).out)["events"], 160000, "and all events are there")
    smallest = posix_log.block(posix_log.PAIR, posix_log.pair(1, 1))
    event = posix_log.block(posix_log.EVENTS, posix_log.events(posix_log.event(70, 1)))
    late = posix_log.block(posix_log.TYPE, posix_log.event_type(70, b"late"))
    blocks = packed("blocks.log.gz", head, (smallest, 3 << 20), event, late)
    survives(blocks, "posix: more blocks than are looked at ahead", status=0, memory_mib=400, says="late")
    # Each block of memory makes addresses be looked up anew; there are many modules, and none has them.
    modules = b"".join(posix_log.block(posix_log.MODULE, posix_log.module(100, 0x1000 * n, 16, 0, b"/x"))
                       for n in range(16384))
    again = posix_log.block(posix_log.MODULE, posix_log.module(100, 8, 1, 0, b"/y")) + event
    survives(packed("modules.log.gz", head, modules, (again, 500000)),
             "posix: memory that is told of without end", status=0, memory_mib=UNPACKED_MIB)


def check_headerless():
    log = posix_log.Log().add("", posix_log.TYPE, posix_log.event_type(70, b"kept"))
    for n in range(3):
        log.add("", posix_log.EVENTS, posix_log.events(posix_log.event(70, 10 * n), posix_log.event(70, 10 * n + 1)))
    data = log.add("", posix_log.END, posix_log.end(6)).bytes()
    head = posix_log.HEADER_BYTES
    for what, bytes_ in (("zeros over the header", bytes(head) + data[head:]), ("a header cut off", data[head:]),
                         ("an odd number of bytes cut off", data[head - 13:]), ("a header damaged", data[:12] + b"\xff" * 4 + data[16:])):
        path = kept("bare.log", bytes_)
        for is_piped in (False, True):
            survives(path, f"posix: {what}: the blocks are read, {'piped' if is_piped else 'from a file'}",
                     options=("-d", "posix"), says="header of the log is missing", is_piped=is_piped)
        run = limited(256, "report", "-q", "-d", "posix", "-f", "jsonl", path)
        same([json.loads(line)["ts"] for line in run.lines if '"name":"kept"' in line], [0, 1, 10, 11, 20, 21],
             f"{what}: with all events")
    survives("README.md", "posix: what has no block is no log", options=("-d", "posix"), says="the header of the log is damaged")


# --- contexts and cores ---------------------------------------------------------------------------------------------


def twins(word_pairs):
    """Events of these threads, and a registry of live threads with names."""
    registry = b"".join(slot(address, name) for address, name in word_pairs)
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
check_objects()
check_threadx()
if IS_RELEASE:  # what these cost is the point
    check_locks()
    check_many_files()
check_liteos()
check_link()
check_rkh()
check_posix()
check_headerless()
check_names()
sys.exit(done())
