#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Rastrum logs of POSIX traces made by hand (docs/LOG.md), for tests: independent of the writer in src/log/.

Run as a program it writes the bytes of tests/goldens/posix/*.hex anew; `BLESS=1 tests/dialect/goldens.t FILE` then adds what
comes of them.
"""
import os
import struct
import sys

BLOCK_MAGIC = 0x4B4C4252
HEADER_BYTES = 272
ATTRIBUTES, TYPE, MODULE, PAIR, EVENTS, LOSS, TASK, END, RAW, SESSION = range(1, 11)
MONOTONIC, TSC = 1, 2
SIGNED, UNSIGNED, REAL, ADDRESS, TEXT, BYTES = range(1, 7)
ERROR, START, STOP, FILTER, OVERFLOW, RESUME, FLUSH_START, FLUSH_STOP = range(1, 9)
UNNAMED = 64
NO_CPU = 0xFFFF
NEEDS_AREA, NEEDS_ZSTD, NEEDS_PACKED = 1, 2, 4
ZSTD, PACKED = 1, 2  # flags of a block


def _crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


_TABLE = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def padded(data):
    return data + bytes(-len(data) % 8)


def header(clock=MONOTONIC, hz=0, area=0, place=0, version=1, order=1, word=8, needs=None, content=1,
           start=(1795254232, 5), pid=100, host=b"tower", command=b"./demo -v"):
    head = struct.pack("<8sHBBIIIIIQQQqII64s128sI", b"RASTRUM\n", version, order, word, HEADER_BYTES, 0,
                       (NEEDS_AREA if area else 0) if needs is None else needs, content, clock, hz, area, place,
                       *start, pid, host, command, 0)
    return head + struct.pack("<I", crc32c(head))


def block(kind, body, sequence=0, flags=0):
    def head(crc):
        return struct.pack("<IHHIIQ", BLOCK_MAGIC, kind, flags, len(body), crc, sequence)
    return padded(head(crc32c(head(0) + body)) + body)


def attributes(name=b"demo", version=b"Rastrum 0.1.0", stream=65536, log=0, data=256, created=(1795254232, 5), resolution=1,
               policy=3, log_policy=4, inheritance=0, pid=100):
    return struct.pack("<QQQqIIIIII64s64s", stream, log, data, *created, resolution, policy, log_policy, inheritance,
                       pid, version, name)


def end_spans(data):
    """Of a log whose end has spans: (offset, first tick, last tick, events, blocks, core, flags) of each."""
    n, size = struct.unpack_from("<II", data, len(data) - 8)
    at = len(data) - size
    if not HEADER_BYTES <= at <= len(data) - 88 or struct.unpack_from("<IH", data, at) != (BLOCK_MAGIC, END) or not n or 24 + 56 + 40 * n + 8 > size:
        return []
    return [struct.unpack_from("<QQQQIHH", data, len(data) - 8 - 40 * (n - i)) for i in range(n)]


def event_type(number, name, *fields):
    return struct.pack("<II64s", number, len(fields), name) + b"".join(
        struct.pack("<32sII", *field) for field in fields)


def module(pid, address, size, offset, path, build_id=b""):
    return struct.pack("<IIQQQI28s", pid, len(path), address, size, offset, len(build_id), build_id) + path


def pair(ticks, monotonic, realtime=1795254232000000005, error=None):
    """Without an error it is as older logs have it."""
    return struct.pack("<Qqq", ticks, monotonic, realtime) + (struct.pack("<Q", error) if error is not None else b"")


def event(number, ticks, data=b"", pid=100, tid=101, address=0x401136, cpu=0, flags=0, length=None):
    return padded(struct.pack("<HHHHQQIIQ", number, flags, len(data) if length is None else length, cpu, ticks, address,
                              pid, tid, 0x7F0000001000 + tid if tid else 0) + data)


def events(*given, first=0, last=0, n=None):
    return struct.pack("<QQII", first, last, len(given) if n is None else n, 0) + b"".join(given)


def number(value):
    """7 bits in each byte, the lowest first."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


class Unpacker:
    """Events of a packed body, as they are in one that is not (docs/LOG.md, "Packed events")."""

    def __init__(self, body):
        self.first, self.last, self.n, _ = struct.unpack_from("<QQII", body)
        self.body, self.at, self.ticks = body, 24, self.first
        self.sites, self.threads, self.thread = {}, {}, (0, 0, 0, 0)

    def byte(self):
        self.at += 1
        return self.body[self.at - 1]

    def number(self):
        value, shift = 0, 0
        while (byte := self.byte()) & 0x80:
            value, shift = value | (byte & 0x7F) << shift, shift + 7
        return value | byte << shift

    def event(self):
        lead = self.byte()
        if lead & 0x40:
            what, site = self.byte(), list(self.sites.get(lead & 0x3F, (None,) * 4))
            self.sites[lead & 0x3F] = [self.number() if what >> i & 1 else site[i] for i in range(4)]
        if lead & 0x80:
            slot = self.byte()
            if slot & 0x80:
                self.threads[slot & 0x7F] = tuple(self.number() for _ in range(4))
            self.thread = self.threads[slot & 0x7F]
        self.ticks = (self.ticks + self.number()) % 2**64
        kind, address, length, flags = self.sites[lead & 0x3F]
        pid, tid, thread, cpu = self.thread
        data = self.body[self.at:self.at + length]
        self.at += length
        return padded(struct.pack("<HHHHQQIIQ", kind, flags, length, cpu - 1 if cpu else NO_CPU, self.ticks, address, pid, tid, thread) + data)

    def plain(self):
        return self.body[:24] + b"".join(self.event() for _ in range(self.n))


def packed(body):
    """The same events packed: tables in the order in which things come, another choice than that of src/log."""
    first, last, n, _ = struct.unpack_from("<QQII", body)
    out, at, before, sites, threads, now = bytearray(body[:24]), 24, first, {}, {}, (0, 0, 0, 0)
    for _ in range(n):
        kind, flags, length, cpu, ticks, address, pid, tid, thread = struct.unpack_from("<HHHHQQIIQ", body, at)
        data = body[at + 40:at + 40 + length]
        at += 40 + (length + 7) // 8 * 8
        site, place = (kind, address, length, flags), (pid, tid, thread, 0 if cpu == NO_CPU else cpu + 1)
        slot = next((i for i, known in sites.items() if known == site), None)
        lead, parts = slot, b""
        if slot is None:
            slot = next((i for i, known in sites.items() if known[:2] == site[:2]), len(sites) % 64)
            old = sites.get(slot, (None,) * 4)
            what = sum(1 << i for i in range(4) if old[i] != site[i])
            lead, parts, sites[slot] = slot | 0x40, bytes([what]) + b"".join(number(v) for v, o in zip(site, old) if v != o), site
        if place != now:
            known = next((i for i, given in threads.items() if given == place), None)
            if known is None:
                known = len(threads) % 128
                threads[known] = place
                parts += bytes([known | 0x80]) + b"".join(map(number, place))
            else:
                parts += bytes([known])
            lead, now = lead | 0x80, place
        out += bytes([lead]) + parts + number((ticks - before) % 2**64) + data
        before = ticks
    return bytes(out)


def frame(data):
    """A frame of zstd whose blocks are stored as they are (RFC 8878, 3.1.1): one segment, its size in eight bytes."""
    out = struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data))
    parts = [data[at:at + 100000] for at in range(0, len(data), 100000)] or [b""]
    for i, part in enumerate(parts):
        out += struct.pack("<I", len(part) << 3 | (i + 1 == len(parts)))[:3] + part
    return out


def framed(body):
    """A packed body with its events as a frame."""
    return body[:24] + frame(body[24:])


def changed(log, change, needs):
    """A log without a ring area with another body and other flags of its blocks of events, and with these incompatible features."""
    events_flags = (PACKED if needs & NEEDS_PACKED else 0) | (ZSTD if needs & NEEDS_ZSTD else 0)
    head = bytearray(log[:HEADER_BYTES])
    struct.pack_into("<I", head, 20, needs)
    struct.pack_into("<I", head, 268, crc32c(head[:268]))
    out, at = bytes(head), HEADER_BYTES
    while at + 24 <= len(log):
        magic, kind, flags, length, _, sequence = struct.unpack_from("<IHHIIQ", log, at)
        if magic != BLOCK_MAGIC:
            raise ValueError(f"no block at {at}")
        body = log[at + 24:at + 24 + length]
        at += 24 + (length + 7) // 8 * 8
        out += block(kind, *((change(body), sequence, events_flags) if kind == EVENTS else (body, sequence, flags)))
    return out


def pack_log(log):
    return changed(log, packed, NEEDS_PACKED)


def zip_log(log):
    return changed(log, lambda body: framed(packed(body)), NEEDS_PACKED | NEEDS_ZSTD)


def unpack_log(log):
    return changed(log, lambda body: Unpacker(body).plain(), 0)


def loss(n, first=0):
    return struct.pack("<QQ", n, first)


def task(pid, tid, name, priority=None):
    """Logs of older versions have no priority."""
    return struct.pack("<II16s", pid, tid, name) + (b"" if priority is None else struct.pack("<iI", priority, 0))


def end(n, lost=0, overwritten=0, reason=0):
    return struct.pack("<QQQIIIIIIII", n, lost, overwritten, 0, 0, 0, 0, 0, 0, reason, 0)


def session(mode, channels, left_out):
    words = [0] * 64
    for hook in left_out:
        words[hook // 64] |= 1 << hook % 64
    return struct.pack("<II64Q", mode, channels, *words)


def event_set(*ids):
    words = [0] * 17
    for number in ids:
        words[number // 64] |= 1 << number % 64
    return struct.pack("<17Q", *words)


class Log:
    """A log in parts, each with a note; sequence numbers count by themselves."""

    def __init__(self, **head):
        self.parts, self.sequence = [("header", header(**head))], 0

    def add(self, note, kind, body, **more):
        self.parts.append((note, block(kind, body, more.pop("sequence", self.sequence), **more)))
        self.sequence += 1
        return self

    def raw(self, note, data):
        self.parts.append((note, data))
        return self

    def bytes(self):
        return b"".join(data for _, data in self.parts)

    def hex(self, title):
        lines = [f"# {title}"]
        for note, data in self.parts:
            for at in range(0, len(data), 24):
                line = data[at:at + 24].hex(" ")
                lines.append(f"{line:<72}# {note}" if at == 0 else line)
        return "\n".join(lines) + "\n"


# --- goldens ---------------------------------------------------------------------------------------------------------

def program():
    return [(ATTRIBUTES, "attributes", attributes()), (PAIR, "clock pair", pair(1000, 1000)),
            (TASK, "process 100 is demo", task(100, 100, b"demo")), (TASK, "thread 101 is worker", task(100, 101, b"worker"))]


def with_program(**head):
    log = Log(**head)
    for kind, note, body in program():
        log.add(note, kind, body)
    return log


def predefined():
    main = {"tid": 100}
    log = with_program().add("type 65 is tick", TYPE, event_type(65, b"tick"))
    log.add("all predefined events", EVENTS, events(
        event(START, 2000, event_set(), **main), event(FILTER, 2100, event_set() + event_set(STOP, 65, 77), **main),
        event(FILTER, 2200, event_set(65) + event_set(*range(1, 64)), **main),
        event(OVERFLOW, 2300, pid=0, tid=0, address=0, cpu=NO_CPU),
        event(RESUME, 2400, pid=0, tid=0, address=0, cpu=NO_CPU),
        event(FLUSH_START, 2500, pid=0, tid=0, address=0, cpu=1), event(FLUSH_STOP, 2600, pid=0, tid=0, address=0),
        event(ERROR, 2700, struct.pack("<i", 28), pid=0, tid=0, address=0),
        event(ERROR, 2750, struct.pack("<i", 4711), pid=0, tid=0, address=0),
        event(UNNAMED, 2800, b"\x01\x02"), event(STOP, 2900, struct.pack("<i", 1), pid=0, tid=0, address=0),
        event(START, 3000, event_set(*range(1088)), **main), event(START, 3100, event_set(*range(64, 100)), **main),
        event(START, 3200, b"short", **main), event(STOP, 3300, struct.pack("<i", 0), **main)))
    return log.add("end", END, end(15))


def sets():
    everything = range(1, 1088)
    system, user = range(1, 64), range(64, 1088)

    def without(given, *ids):
        return event_set(*(each for each in given if each not in ids))

    def change(ticks, old, new):
        return event(FILTER, ticks, old + new, tid=100)

    log = with_program().add("type 65 is tick", TYPE, event_type(65, b"tick"))
    log.add("type 66 has an empty name", TYPE, event_type(66, b""))
    log.add("filters", EVENTS, events(
        change(2000, event_set(), without(everything, FILTER)), change(2001, without(everything, FILTER), event_set(*everything)),
        change(2002, without(everything, STOP, 65, 66, 67), without(everything, *range(1, 20))),
        change(2003, event_set(*system, 65), without([*system, 65, 66], START)),
        change(2004, event_set(*user), without([START, *user], 65)), change(2005, event_set(66, 67), event_set(9)),
        event(66, 2010), event(67, 2011)))
    return log.add("end", END, end(8))


def users():
    log = with_program()
    log.add("type 65 is bare", TYPE, event_type(65, b"bare"))
    log.add("type 66 has fields of all kinds", TYPE, event_type(
        66, b"full", (b"s", SIGNED, 2), (b"u", UNSIGNED, 4), (b"where", ADDRESS, 8), (b"t", TEXT, 6), (b"b", BYTES, 3)))
    log.add("type 67 has names that clash", TYPE, event_type(
        67, b"clash", (b"address", UNSIGNED, 1), (b"x", UNSIGNED, 1), (b"x", UNSIGNED, 1), (b"", UNSIGNED, 1)))
    log.add("type 68 ends with text", TYPE, event_type(68, b"note", (b"n", UNSIGNED, 2), (b"text", TEXT, 0)))
    full = struct.pack("<hIQ6s3s", -2, 4000000000, 0x7FFF0010, b"abc", b"\x01\x02\x03")
    log.add("user events", EVENTS, events(
        event(65, 2000), event(65, 2001, b"\x00\x01\xff"), event(65, 2002, b"hello, world\n\0"),
        event(65, 2003, "größer".encode()), event(65, 2004, b"\xc3("), event(65, 2005, b"A"),
        event(66, 2010, full), event(66, 2011, full + b"\x09\x0a"), event(66, 2012, full + b" and more"),
        event(66, 2013, full[:7], flags=1), event(66, 2014, full[:7]), event(65, 2015, b"cut he", flags=1),
        event(67, 2020, b"\1\2\3\4"), event(68, 2021, b"\7\0seven"), event(70, 2030, b"\0")))
    return log.add("end", END, end(15))


def counters():
    """Levels of every type: what a temperature, a share, a balance and a sum that grows over everything look like."""
    log = with_program()
    names = {65: (b"celsius", REAL, 8, "<d"), 66: (b"share", REAL, 4, "<f"), 67: (b"balance", SIGNED, 4, "<i"),
             68: (b"total", UNSIGNED, 8, "<Q"), 69: (b"debt", SIGNED, 8, "<q"), 70: (b"n", UNSIGNED, 4, "<I")}
    steps = {65: [20.5, 21.25, -3.75, float("nan"), float("inf"), 19.0], 66: [0.25, 0.1, 0.75, 1e-7, 0.1, 0.5],
             67: [2, -1, -5, 3, 0, -1], 68: [1, 2**64 - 1, 2**63, 2**53 + 1, 7, 0],
             69: [-2**63, -1, 2**63 - 1, 0, -7, -2], 70: [1, 2, 3, 2, 1, 2]}
    for kind, (name, form, n_bytes, _) in names.items():
        log.add(f"type {kind} is c:{name.decode()}:counter", TYPE,
                event_type(kind, b"c:" + name + b":counter", (b"value", form, n_bytes)))
    log.add("counters", EVENTS, events(*(
        event(kind, 2000 + 1000 * i + kind, struct.pack(names[kind][3], steps[kind][i]))
        for i in range(6) for kind in names)))
    return log.add("end", END, end(36))


def described_later():
    log = with_program().add("type 65", TYPE, event_type(65, b"count"))
    log.add("before", EVENTS, events(event(65, 2000, b"\5\0\0\0")))
    log.add("described", TYPE, event_type(65, b"count", (b"n", UNSIGNED, 4)))
    log.add("described", EVENTS, events(event(65, 2001, b"\6\0\0\0")))
    log.add("said again without fields: nothing changes", TYPE, event_type(65, b"count"))
    log.add("described", EVENTS, events(event(65, 2002, b"\7\0\0\0")))
    log.add("described otherwise", TYPE, event_type(65, b"count", (b"low", UNSIGNED, 2), (b"high", UNSIGNED, 2)))
    log.add("otherwise", EVENTS, events(event(65, 2003, b"\x08\0\1\0")))
    log.add("another name", TYPE, event_type(65, b"other\x1b[31m\xff"))
    log.add("another", EVENTS, events(event(65, 2004, b"\x09\0")))
    log.add("of a system event", TYPE, event_type(2, b"mine", (b"n", UNSIGNED, 4)))
    log.add("of an event beyond all", TYPE, event_type(65536, b"far"))
    log.add("unchanged", EVENTS, events(event(START, 2005, event_set())))
    return log.add("end", END, end(6))


def tasks():
    log = Log().add("thread 7 of process 100", TASK, task(100, 7, b"seven"))
    log.add("events", EVENTS, events(
        event(UNNAMED, 1, tid=7), event(UNNAMED, 2, tid=8), event(UNNAMED, 3, pid=200, tid=7), event(UNNAMED, 4, tid=7),
        event(UNNAMED, 5, pid=300, tid=300), event(UNNAMED, 6, tid=0), event(UNNAMED, 7, pid=0, tid=0)))
    log.add("thread 8 comes late, real-time", TASK, task(100, 8, b"late", 57))
    log.add("process 300 has execed", TASK, task(300, 300, b"bad\x07name"))
    log.add("thread 7 is renamed", TASK, task(100, 7, b"sixteen bytes ok", 120))
    log.add("events", EVENTS, events(event(UNNAMED, 8, tid=7), event(UNNAMED, 9, tid=8),
                                     event(UNNAMED, 10, pid=300, tid=300)))
    log.add("thread 7 is nice from now on", TASK, task(100, 7, b"sixteen bytes ok", 130))
    log.add("a priority beyond all", TASK, task(300, 300, b"bad\x07name", 1 << 30))
    log.add("events", EVENTS, events(event(UNNAMED, 11, tid=7), event(UNNAMED, 12, pid=300, tid=300)))
    return log


def switches():
    def change(number, ticks, tid, cpu, data=b""):
        return event(number, ticks, data, tid=tid, address=0, cpu=cpu)
    log = with_program()
    for number, name in ((65, b"sched_in"), (66, b"sched_wait"), (67, b"sched_preempt"), (68, b"sched_exit")):
        log.add(f"type {number}", TYPE, event_type(number, name))
    log.add("switches, and an event between them", EVENTS, events(
        change(65, 2000, 101, 1), event(UNNAMED, 2001, tid=101, cpu=1), change(66, 2002, 101, 1), change(65, 2003, 100, 1),
        change(67, 2004, 100, 1), change(65, 2005, 101, 0), change(68, 2006, 101, 0), change(65, 2007, 100, 1, b"own")))
    log.add("described: a program's own", TYPE, event_type(66, b"sched_wait", (b"n", UNSIGNED, 4)))
    log.add("own", EVENTS, events(change(66, 2008, 100, 1, b"\5\0\0\0")))
    log.add("page faults", TYPE, event_type(13, b"page_fault", (b"fault_address", ADDRESS, 8)))
    log.add("one", EVENTS, events(event(13, 2009, struct.pack("<Q", 0x7F0000001000), tid=101, cpu=1)))
    return log.add("end", END, end(10))


def sessions():
    hook, all_but_two = struct.pack("<II", 0x010A0005, 7), set(range(4096)) - {0x010, 0x1F0}
    log = with_program().add("channel 0, hook 011 is left out", SESSION, session(1, 1, [0x011]))
    log.add("an event", EVENTS, events(event(32, 2000, hook)))
    log.add("the filter has changed: channels 0 and 2, hooks 010 and 1F0 alone", SESSION, session(2, 5, all_but_two))
    log.add("one more", EVENTS, events(event(32, 2100, hook)))
    return log.add("end", END, end(2))


def hooks():
    """Entries with hook words of both sizes (ids 32 and 33, two more for each channel), and what is none."""
    def narrow(hook, *words, rest=b""):
        return struct.pack(f"<{1 + len(words)}I", hook, *words) + rest

    def wide(flags, length, hook, *words, rest=b""):
        return struct.pack(f"<{1 + len(words)}Q", flags << 48 | length << 32 | hook, *words) + rest
    log = with_program().add("entries of each shape", EVENTS, events(
        event(32, 2000, narrow(0x01090005)), event(32, 2100, narrow(0x010A0006, 1500)), event(32, 2200, narrow(0x010E0007, 1, 2, 3, 4, 0xFFFFFFFB)),
        event(32, 2300, narrow(0x01180005, 7, rest=b"hello")), event(32, 2400, narrow(0x01610001)), event(33, 2500, wide(0x8000, 0, 0x01001234)),
        event(33, 2600, wide(0x8000, 40, 0x13400005, 1, 2, 3, 4, 2**64 - 5)), event(33, 2700, wide(0xC000, 5, 0x01200000, 7, rest=b"world")),
        event(33, 2800, wide(0xA000, 8, 0x12340000, 9)), event(34, 2900, narrow(0x01180003, 7, rest=b"one")),
        event(47, 3000, wide(0xC000, 3, 0x01100000, 7, rest=b"two"))))
    log.add("a switch and a user event between hooks", EVENTS, events(
        event(32, 3100, narrow(0x010A0006, 1)), event(UNNAMED, 3150, b"own"), event(32, 3200, narrow(0x010A0006, 2), tid=100, cpu=1)))
    log.add("what is no entry, or is cut", EVENTS, events(
        event(32, 3300), event(32, 3400, b"\1\2\3"), event(32, 3500, narrow(0x01030000, 1)), event(32, 3600, narrow(0x010E0000, 1, 2)),
        event(32, 3700, narrow(0x01181000, 7, rest=b"cut at four"), flags=1), event(32, 3800, narrow(0x01180005)), event(33, 3900, narrow(0x01090005)),
        event(33, 4000, wide(0x8000, 48, 0x01100000, 1, 2, 3, 4, 5)), event(33, 4100, wide(0x8001, 0, 0x01100000)),
        event(33, 4200, wide(0x8000, 7, 0x01100000, 1)), event(32, 4300, narrow(0x010A0006, 3, rest=b"more than it has"))))
    return log.add("end", END, end(25))


def losses():
    log = with_program().add("loss", LOSS, loss(7, 1500)).add("events", EVENTS, events(event(UNNAMED, 2000)))
    log.add("loss", LOSS, loss(3, 2001)).add("events", EVENTS, events(event(UNNAMED, 2100)))
    return log.add("end, which counts two more", END, end(2, 12))


def damages():
    def one(n):
        return events(event(UNNAMED, n))
    log = with_program()
    bad = bytearray(block(EVENTS, one(2000), 50))
    bad[60] ^= 1
    log.raw("wrong checksum", bytes(bad)).add("good", EVENTS, one(2001)).raw("foreign bytes", b"what is this").raw("", bytes(4))
    log.add("good", EVENTS, one(2002)).add("too short", PAIR, b"1234").add("compressed", EVENTS, one(2003), flags=1)
    log.add("more events than bytes", EVENTS, events(event(UNNAMED, 2004), n=2))
    log.add("no head", EVENTS, b"123").add("a kind from the future", 77, b"future")
    log.add("a length beyond the block", EVENTS, events(event(UNNAMED, 2005), event(UNNAMED, 2006, length=999)))
    log.add("good", EVENTS, one(2007))
    return log.raw("the last block is cut", block(EVENTS, one(2008), 99)[:50])


def compressed():
    """Events as frames, beside a block that is packed only; and frames that are none."""
    def some(first, n):
        return packed(events(*(event(UNNAMED, first + i, bytes([i])) for i in range(n)), first=first, last=first + n - 1))
    log = Log(needs=NEEDS_PACKED | NEEDS_ZSTD)
    for kind, note, body in program():
        log.add(note, kind, body)
    log.add("a frame", EVENTS, framed(some(2000, 3)), flags=ZSTD | PACKED).add("no frame", EVENTS, some(2010, 2), flags=PACKED)
    bad = bytearray(framed(some(2020, 3)))
    bad[24] ^= 1
    log.add("what is no frame", EVENTS, bytes(bad), flags=ZSTD | PACKED)
    log.add("a frame that is cut", EVENTS, framed(some(2030, 3))[:-2], flags=ZSTD | PACKED)
    few = some(2040, 3)
    log.add("a frame with fewer events", EVENTS, few[:24] + frame(few[24:-2]), flags=ZSTD | PACKED)
    log.add("a frame of a body without its head", EVENTS, b"123", flags=ZSTD | PACKED)
    log.add("a frame again", EVENTS, framed(some(2050, 1)), flags=ZSTD | PACKED)
    return log.add("end", END, end(13))


def area_cut():
    place = 4096
    log = Log(area=2 * place, place=place)
    log.raw("events in the first place", block(EVENTS, events(event(UNNAMED, 1000), event(UNNAMED, 1001)), 5))
    return log.raw("the second place, and what stood behind, are missing", bytes(8))


def area():
    place = 4096
    def at(*blocks):
        return b"".join(blocks) + bytes(place - sum(map(len, blocks)))
    def run(number, n):
        return block(EVENTS, events(*(event(UNNAMED, 1000 * number + i) for i in range(n))), number)
    log = Log(area=3 * place, place=place)
    log.raw("places: 9 and 10, 5 with a loss, 7", b"")
    log.raw("", at(run(9, 2), run(10, 1)))
    log.raw("", at(run(5, 1), block(LOSS, loss(4), 6)))
    log.raw("", at(run(7, 2)))
    log.sequence = 0
    log.add("attributes", ATTRIBUTES, attributes(policy=3, log_policy=1, log=8000))
    log.add("process 100 is demo", TASK, task(100, 100, b"demo"), sequence=1)
    log.add("type of what is not there yet", TYPE, event_type(UNNAMED, b"x", (b"n", UNSIGNED, 2)), sequence=8)
    return log.add("end, which counts two more lost than were found", END, end(20, 6, 13), sequence=11)


def ticks():
    log = Log(clock=TSC, hz=3000000000)
    log.add("clock pair", PAIR, pair(2000000, 5000, 1795254232000000000, error=40))
    log.add("events", EVENTS, events(event(UNNAMED, 1000000), event(UNNAMED, 4000000)))
    return log.add("clock pair, 2 GHz later", PAIR, pair(8000000, 3005000, 1795254232003000000, error=55))


def few_ticks():
    log = Log(clock=TSC, hz=3000000000)
    log.add("clock pair", PAIR, pair(2000000, 5000)).add("too near", PAIR, pair(8000000, 1004000))
    return log.add("events", EVENTS, events(event(UNNAMED, 2000000), event(UNNAMED, 5000000))).add("end", END, end(2))


def modules():
    def calls(start, *given):
        return events(*(event(UNNAMED, start + i, pid=pid, tid=pid, address=address)
                        for i, (pid, address) in enumerate(given)))
    log = Log()
    log.add("lib of 100", MODULE, module(100, 0x10000, 0x1000, 0x2000, b"/nowhere/liba.so.1", b"\xab" * 20))
    log.add("lib of 200 at the same place", MODULE, module(200, 0x10000, 0x1000, 0, b"/nowhere/b\x01c"))
    log.add("calls", EVENTS, calls(1, (100, 0x10010), (200, 0x10010), (100, 0x10010), (100, 0x11000), (300, 0x10010),
                                   (100, 0x20010), (100, 0)))
    log.add("another lib over it", MODULE, module(100, 0xF000, 0x2000, 0, b"plugin", b"\1" * 28))
    log.add("a lib that comes late", MODULE, module(100, 0x20000, 0x1000, 0, b"/late.so"))
    log.add("a lie about its length", MODULE, module(100, 0, 2**64 - 1, 0, b"/whole/path")[:-5])
    log.add("calls", EVENTS, calls(11, (100, 0x10010), (200, 0x10010), (100, 0x20010)))
    return log


def word(*numbers):
    return struct.pack(f"<{len(numbers)}q", *numbers)


def preloaded():
    """Programs that were never changed: what librastrum-preload.so tells of them (src/preload/events.def)."""
    names = ("sys_program_begin", "sys_module", "sys_thread_begin", "sys_thread_name", "sys_mutex_wait", "sys_mutex_acquire",
             "sys_process_begin", "sys_read_begin", "sys_read_end", "sys_signal_begin", "sys_sleep_begin")
    kinds = {"name": (TEXT, 16), "path": (TEXT, 0), "build_id": (BYTES, 24), "start": (UNSIGNED, 8), "function": (ADDRESS, 8),
             "mutex": (ADDRESS, 8), "handler": (ADDRESS, 8)}
    fields = (("name", "path"), ("start", "size", "offset", "build_id", "path"), ("function", "creator"), ("thread", "name"),
              ("mutex", "holder"), ("mutex",), ("parent",), ("file", "bytes"), ("file", "result", "error"),
              ("signal", "handler", "sender"), ("nanoseconds",))
    ids = {name: 65 + i for i, name in enumerate(names)}
    log = Log()
    for name, given in zip(names, fields):
        log.add(f"type {ids[name]} is {name}", TYPE, event_type(ids[name], name.encode(), *(
            (b"start" if field == "function" else field.encode(), *kinds.get(field, (SIGNED, 8))) for field in given)))
    log.add("type 80 only has the name", TYPE, event_type(80, b"sys_mutex_wait", (b"mutex", ADDRESS, 8)))

    def tell(name, ticks, data=b"", **more):
        return event(ids.get(name, name), ticks, data, **{"pid": 100, "tid": 100, "address": 0, **more})
    inside = 0x10010
    log.add("a program, its memory and its threads", EVENTS, events(
        tell("sys_program_begin", 1000, struct.pack("16s", b"server") + b"/usr/bin/server"),
        tell("sys_module", 1001, word(0x10000, 0x1000, 0x2000) + b"\xab" * 20 + bytes(4) + b"/usr/bin/server"),
        tell("sys_thread_begin", 1002, word(inside, 100), tid=101),
        tell("sys_thread_begin", 1003, word(inside, 100), tid=102),
        tell("sys_thread_name", 1004, word(102) + struct.pack("16s", b"worker"), tid=102),
        tell("sys_mutex_wait", 1005, word(0x7F00, 101), tid=102, address=inside + 8),
        tell("sys_mutex_acquire", 251005, word(0x7F00), tid=102, address=inside + 8),
        tell("sys_signal_begin", 251006, word(17, inside, 0), tid=101, address=inside + 16)))
    log.add("a child of the same name", EVENTS, events(
        tell("sys_process_begin", 260000, word(100), pid=200, tid=200, address=inside),
        tell("sys_read_begin", 261000, word(3, 4096), pid=200, tid=200, address=inside),
        tell("sys_read_end", 271000, word(3, -1, 4), pid=200, tid=200, address=inside),
        tell("sys_sleep_begin", 272000, word(1500000), pid=200, tid=200, address=inside),
        tell("sys_program_begin", 280000, struct.pack("16s", b"helper") + b"/usr/bin/helper", pid=200, tid=200)))
    log.add("lies", EVENTS, events(
        tell("sys_module", 290000, word(0, -1, 0)), tell("sys_module", 290001, word(0, -1, 0) + bytes(24) + b"x" * 600),
        tell("sys_thread_begin", 290002, word(1)), tell("sys_thread_name", 290003, word(102)),
        tell("sys_mutex_wait", 290004, word(0x7F00)), tell(80, 290005, word(0x7F00)),
        tell("sys_process_begin", 290006, word(200), pid=200, tid=200),
        tell("sys_read_begin", 290007, word(3, 1), pid=200, tid=200, address=0x999)))
    return log.add("end", END, end(21))


def shared():
    """A mutex that a process shares with its child, and what may stand in such events."""
    fields = {"sys_shared_memory": (("start", UNSIGNED, 8), ("size", SIGNED, 8), ("device", UNSIGNED, 8), ("inode", SIGNED, 8),
                                    ("offset", UNSIGNED, 8), ("file", TEXT, 0)),
              "sys_memory_unmap": (("start", UNSIGNED, 8), ("size", SIGNED, 8)),
              "sys_mutex_wait": (("mutex", ADDRESS, 8), ("holder", SIGNED, 8)), "sys_mutex_acquire": (("mutex", ADDRESS, 8),),
              "sys_mutex_release": (("mutex", ADDRESS, 8),)}
    ids = {name: 65 + i for i, name in enumerate(fields)}
    log = Log()
    for name, given in fields.items():
        log.add(f"type {ids[name]} is {name}", TYPE, event_type(ids[name], name.encode(), *(
            (field.encode(), kind, size) for field, kind, size in given)))

    def tell(pid, ticks, name, *numbers, text=b""):
        return event(ids[name], ticks, word(*numbers) + text, pid=pid, tid=pid, address=0)
    log.add("the parent has the mutex at 0x7000, the child at 0x9000", EVENTS, events(
        tell(200, 1000, "sys_shared_memory", 0x9000, 0x1000, 1, 5, 0, text=b"memfd:x"),
        tell(200, 1001, "sys_mutex_wait", 0x9010, 100),
        tell(100, 2000, "sys_shared_memory", 0x7000, 0x1000, 1, 5, 0, text=b"memfd:x"),
        tell(100, 2001, "sys_mutex_release", 0x7010),
        tell(200, 2100, "sys_mutex_acquire", 0x9010)))
    log.add("the parent gives the memory back, and has a mutex of its own there", EVENTS, events(
        tell(100, 3000, "sys_memory_unmap", 0x7000, 0x1000), tell(100, 3100, "sys_mutex_wait", 0x7010, 101),
        tell(100, 3200, "sys_mutex_acquire", 0x7010)))
    log.add("lies", EVENTS, events(tell(100, 4000, "sys_shared_memory", 0x7000), tell(100, 4001, "sys_memory_unmap"),
                                   tell(100, 4002, "sys_shared_memory", -1, -1, -1, -1, -1), tell(100, 4003, "sys_mutex_release", -1)))
    return log.add("end", END, end(12))


GOLDENS = {
    "shared": (shared, "A mutex that two processes share is one, though they have it at different addresses."),
    "preloaded": (preloaded, "Programs that were never changed: who they are, what lies where, which thread waits for whom."),
    "predefined": (predefined, "Each predefined event, with data as they should be, and START with others."),
    "sets": (sets, "Event sets in words: names, or all and which are missing. Types without a name are called by their number."),
    "user-events": (users, "User events: without and with fields, too long, too short and cut data, names that clash."),
    "counters": (counters, "Counters: real, with a sign, as large as can be, NaN and infinite."),
    "described-later": (described_later, "A description holds for what comes behind it."),
    "tasks": (tasks, "Threads and processes: named, not named, renamed, numbers that are used again. No end: a crash."),
    "switches": (switches, "The kernel's switches between events; then events of their names that are none."),
    "sessions": (sessions, "What a session of AIX's trace records; the filter that was set last is shown."),
    "hooks": (hooks, "Entries with hook words between events: of each shape and both sizes, on three channels; and what is none."),
    "loss": (losses, "Losses stand where they happened; what only the end counts comes last."),
    "damage": (damages, "What can be wrong with a block, each once."),
    "compressed": (compressed, "Blocks whose events are frames of zstd, beside one that is packed only; and what is no such frame."),
    "ring-area": (area, "A ring area: blocks in the order written, whatever their places; what was overwritten in front of them."),
    "ring-area-cut": (area_cut, "A ring area that is cut: descriptions are behind it before events are in it, so they are missing."),
    "tsc": (ticks, "A file takes the frequency of the clock pairs, 2 GHz; what comes as a stream that of the header, 3."),
    "tsc-pairs-too-near": (few_ticks, "Clock pairs less than 1 ms apart: the header tells the frequency."),
    "modules": (modules, "Names of addresses: by process, replaced, late, and of files that are not there."),
}


def write_goldens(folder="tests/goldens/posix"):
    os.makedirs(folder, exist_ok=True)
    for name, (make, title) in GOLDENS.items():
        with open(f"{folder}/{name}.hex", "w", encoding="utf-8") as out:
            out.write(make().hex(title))


if __name__ == "__main__":
    assert len(header()) == HEADER_BYTES and crc32c(b"123456789") == 0xE3069283
    write_goldens()
    sys.exit(0)
