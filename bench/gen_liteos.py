#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Makes a LiteOS trace buffer of any size, for measurements: equal parameters give equal bytes.

    bench/gen_liteos.py [--frames N] [--core] [--params N] [--first SLOT] >FILE
    bench/gen_liteos.py --stream [--frames N] [--core] [--params N] >FILE

With --stream it is what an online build of liteos_m sends: the same events as messages.

Frames are those of liteos_a, 4-byte pointers, low byte first. Tasks switch, interrupts come, semaphores, queues and memory
are used, and users record events; the numbers are plausible, not measured.
"""
import argparse
import binascii
import random
import struct
import sys

TASKS = 24
SWITCH, HWI_IN, HWI_OUT, SEM_PEND, SEM_POST, QUEUE_RW, MEM_ALLOC, MEM_FREE, USER = (
    0x45, 0x24, 0x25, 0x802, 0x803, 0x202, 0x100, 0x103, 0xfffffff1)


def step(rng, task):
    """(type, identity, params) of one event, and the task that runs behind it."""
    kind = rng.choice((SWITCH, SWITCH, SEM_PEND, SEM_POST, QUEUE_RW, MEM_ALLOC, MEM_FREE, USER))
    if kind == SWITCH:
        other = 0x10000 | rng.randrange(1, TASKS + 1)
        return (kind, other, (rng.randrange(31), 0x10, rng.randrange(31), 4)), other
    rows = {SEM_PEND: (rng.randrange(8), (rng.randrange(4), 0xffffffff)), SEM_POST: (rng.randrange(8), (0, rng.randrange(4))),
            QUEUE_RW: (rng.randrange(4), (16, 32, rng.randrange(4), 3, 13, 0)),
            MEM_ALLOC: (0x40000000, (0x40100000 + 16 * rng.randrange(4096), rng.randrange(512))),
            MEM_FREE: (0x40000000, (0x40100000 + 16 * rng.randrange(4096),)), USER: (rng.randrange(100), (1, 2))}
    identity, params = rows[kind]
    return (kind, identity, params), task


def story(rng, n_frames):
    """(type, task, identity, params, in an interrupt) of each frame."""
    task, n = 0x10001, 0
    while n < n_frames:
        if rng.randrange(8) == 0 and n + 3 <= n_frames:
            number = rng.randrange(32, 64)
            yield HWI_IN, task, number, (), 1
            yield SEM_POST, task, rng.randrange(8), (0, 1), 1
            yield HWI_OUT, task, number, (), 1
            n += 3
        else:
            (kind, identity, params), after = step(rng, task)
            yield kind, task, identity, params, 0
            task, n = after, n + 1


def message(kind, *elements):
    """Elements are (tag, bytes); the check is CRC-16/XMODEM."""
    body = b"".join(bytes((tag, len(value))) + value for tag, value in elements)
    return struct.pack("<BBHH", 0xff, kind, len(body), binascii.crc_hqx(body, 0)) + body


def stream(rng, args):
    """A head, names, and events."""
    def word(number):
        return struct.pack("<I", number)
    time = 1000000
    yield message(1, (1, word(0x12345678)), (2, word(1)), (8, word(50000000)))
    for i in range(1, TASKS + 1):
        yield message(2, (1, word(0x10000 | i)), (2, word(10)), (3, (b"worker_%d" % i).ljust(32, b"\0")))
    for n, (kind, task, identity, params, active) in enumerate(story(rng, args.frames)):
        time += rng.randrange(20, 400)
        kept = (params + (0,) * args.params)[:args.params]
        core = ((1, word(n & 1 | active << 8 | min(len(params), args.params) << 16)),) if args.core else ()
        count = ((4, word(n)),) if args.core else ()
        yield message(3, *core, (2, word(kind)), (3, struct.pack("<Q", time)), *count, (5, word(task)), (6, word(identity)),
                      (7, struct.pack(f"<{args.params}I", *kept)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stream", action="store_true", help="messages, not a buffer")
    parser.add_argument("--frames", type=int, default=1000000)
    parser.add_argument("--core", action="store_true", help="with core word and event count")
    parser.add_argument("--params", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="slot of the oldest frame")
    args = parser.parse_args()
    rng, slots, time = random.Random(1), [], 1000000
    if args.stream:
        sys.stdout.buffer.writelines(stream(rng, args))
        return
    rest = struct.Struct("<" + "II" * args.core + f"{args.params}I")
    padding = bytes(-(28 + rest.size) % 8)
    for n, (kind, task, identity, params, active) in enumerate(story(rng, args.frames)):
        time += rng.randrange(20, 400)
        kept = (params + (0,) * args.params)[:args.params]
        word = (n & 1 | active << 8 | min(len(params), args.params) << 16, n) if args.core else ()
        slots.append(struct.pack("<IIIIQI", kind, task, 4, 0, time, identity) + rest.pack(*word, *kept) + padding)
    objects = b"".join(struct.pack("<II32s", 0x10000 | i, 10, b"worker_%d" % i) for i in range(1, TASKS + 1))
    first = args.first % args.frames
    body = objects + b"".join(slots[len(slots) - first:] + slots[:len(slots) - first])
    sys.stdout.buffer.write(struct.pack("<IIIHHHHHH", 0x12345678, 50000000, 0, (24 + len(body)) % 65536, 40, len(slots[0]),
                                        24, 24 + len(objects), 0) + body)


if __name__ == "__main__":
    main()
