#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Makes a compact stream of any size (src/dialect/compact/README.md), for measurements: equal parameters give equal bytes.

    bench/gen_compact.py EVENTS >FILE

Six tasks with names use semaphores, a mutex, queues and memory; of thirteen events in turn three are of an interrupt.
"""

import argparse
import random
import struct
import sys

CHECKED_FROM, PAYLOAD_MOST = 0xffff, 110
CLOCK, TASK, INTERRUPT, SEMAPHORE, MUTEX, QUEUE, POOL, FLAGS, COUNTER = 0, 1, 2, 3, 4, 5, 7, 8, 10

NAMES = [(CLOCK, 1000000, '')] + \
    [(TASK, n, 'task_' + s) for n, s in enumerate(['main', 'net', 'log', 'io', 'ui', 'idle_work'], 1)] + \
    [(INTERRUPT, 1, 'irq1'), (INTERRUPT, 2, 'irq2'), (SEMAPHORE, 1, 'items'), (SEMAPHORE, 2, 'room'),
     (MUTEX, 1, 'lock'), (QUEUE, 1, 'jobs'), (QUEUE, 2, 'replies'), (FLAGS, 1, 'ready'), (POOL, 1, 'heap'),
     (COUNTER, 1, 'level')]


def table_row(byte):
    sum_ = byte << 8
    for _ in range(8):
        sum_ = ((sum_ << 1) ^ 0x1021 if sum_ & 0x8000 else sum_ << 1) & 0xffff
    return sum_


TABLE = [table_row(byte) for byte in range(256)]


def checksum(data):
    sum_ = CHECKED_FROM
    for byte in data:
        sum_ = ((sum_ << 8) & 0xffff) ^ TABLE[(sum_ >> 8) ^ byte]
    return sum_


def number(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def block(kind, records, first=0, stamp=0):
    data = struct.pack('<cBBIII', kind, len(records), 0, first, 0, stamp & 0xffffffff) + records
    return b'\xf5' + data + struct.pack('<H', checksum(data))


def turn(below):
    """Numbers of events and their values; `below` gives a number from its first argument up to below its second."""
    yield 1, (below(1, 7),)
    yield 10, (below(1, 3),)
    yield 11, (below(1, 3), below(0, 9))
    yield 14, (1,)
    yield 16, (below(1, 3), below(0, 16))
    yield 15, (1,)
    yield 8, (below(1, 3),)
    yield 12, (below(1, 3), below(0, 9))
    yield 9, ()
    yield 2, (below(1, 7),)
    yield 20, (1, 0x20000000 + 64 * below(0, 1000), below(8, 400))
    yield 24, (1, below(0, 1000))
    yield 17, (below(1, 3), below(0, 16))


def events(below):
    while True:
        yield from turn(below)


def write(n_events, out):
    below = random.Random(7).randrange
    out.write(block(b'n', b''.join(bytes([kind]) + number(n) + bytes([len(text)]) + text.encode()
                                   for kind, n, text in NAMES)))
    records, first, stamp, now = b'', 0, 0, 0
    for count, (event, values) in zip(range(n_events), events(below)):
        passed = below(3, 160)
        record = bytes([event << 2 | len(values)]) + number(passed) + b''.join(map(number, values))
        if len(records) + len(record) > PAYLOAD_MOST:
            out.write(block(b'e', records, first, stamp))
            records, first, stamp = b'', count, now
        records += record
        now += passed
    out.write(block(b'e', records, first, stamp))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('events', type=int)
    write(parser.parse_args().events, sys.stdout.buffer)


if __name__ == '__main__':
    main()
