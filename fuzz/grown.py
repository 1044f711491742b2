#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Writes the seeds of corpora that ask to be grown (fuzz/grow.h): fuzz/corpus/fuzz_NAME/grown_*. Each is a small input that is
well formed and a tail that says which part of it is repeated, and which number in that part counts up.
"""
import os
import struct
import sys

sys.path.insert(0, "tests")
sys.dont_write_bytecode = True
import posix_log  # noqa: E402

MARK = 0xB0


def tail(start, length, counter, size=0):
    return struct.pack("<HHBB", start, length - 1, counter, MARK | size)


def seed(fuzzer, name, choice, data, *grown):
    with open(os.path.join("fuzz/corpus/fuzz_" + fuzzer, "grown_" + name), "wb") as out:
        out.write(bytes([choice]) + data + tail(*grown))


def compact(core, first_event, records):
    return b"\xf5" + bytes([ord("e"), len(records), core]) + struct.pack("<III", first_event, 0, 0) + records + b"\0\0"


def threadx():
    """A header that the fuzzer settles, room for three objects, and events."""
    head, slots = bytes(48), b"".join(struct.pack("<BBBBIII", 0, 1, 0, 0, 0x2000 + n, 0, 0) + b"thread".ljust(32, b"\0")
                                      for n in range(3))
    event = struct.pack("<8I", 0x2000, 5, 6, 1, 1, 2, 3, 4)
    settled, summary = 8, 4 << 4
    for field, name in ((0, "threads"), (8, "types"), (12, "stamps")):
        for choice, how, size in ((settled | summary, "", 3), (settled, "_report", 0)):
            seed("threadx", name + how, choice, head + event * 6, 48, 32, field, size)
    seed("threadx", "objects", settled | summary, head[:8] + b"\3" + head[9:] + slots + event * 2, 48, 48, 4, 3)


def liteos():
    """A text that does not end, by chunks; rows and lines that are none."""
    with open("tests/data/liteos/a_arm32_default/dump.txt", "rb") as file:
        lines = file.read().splitlines(keepends=True)
    head = b"".join(lines[:4])
    for line, what in ((lines[4], "rows"), (b"x\n\n", "noise")):
        at = len(head)
        seed("liteos_stream", "text_" + what, 8 | 15 << 4, head + line * 3, at, len(line), 255, 3)
        seed("liteos_text", what, 4 << 1, head + line * 3, at, len(line), 255, 1)


def main():
    threadx()
    liteos()
    record = bytes([32 << 2, 1])
    stream = compact(0, 0, record) + compact(64, 1000, record) + compact(1, 7, record)
    at = len(compact(0, 0, record))
    for choice, name in ((128, "text"), (128 | 8, "summary"), (128 | 4 | 15 << 3, "chunks")):
        seed("compact", "loss_" + name, choice, stream, at, at, 4, 0)
    seed("compact", "marks", 8, b"\xf5\x65\xff" * 100, 0, 300, 255, 3)
    fields = [(b"a", 2, 4), (b"b", 2, 4)]
    head = posix_log.header()
    kind = posix_log.block(posix_log.TYPE, posix_log.event_type(70, b"name", *fields))
    event = posix_log.block(posix_log.EVENTS, posix_log.events(posix_log.event(70, 1, bytes(8))))
    task = posix_log.block(posix_log.TASK, posix_log.task(100, 100, b"name"))
    module = posix_log.block(posix_log.MODULE, posix_log.module(100, 0x401000, 0x1000, 0, b"/x"))
    for what, part, counter in (("types", kind + event, 24 + 8), ("tasks", task + event, 24 + 8), ("modules", module + event, 32),
                                ("threads", event, 24 + 24 + 28), ("addresses", event, 24 + 24 + 16)):
        for choice, name in ((1 | 4 << 2, "summary"), (1, "text"), (3 | 10 << 2, "chunks")):
            seed("posix", f"{what}_{name}", choice, head + part + event, len(head), len(part), counter, 3 if name == "summary" else 0)


main()
