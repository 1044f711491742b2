#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Makes a trace of entries with hook words of any size (src/dialect/aix/README.md), for measurements: equal parameters give
equal bytes.

    bench/gen_aix.py EVENTS 4|8 >FILE

The second parameter is the bytes of a word. Ten hooks that no template knows, with no, one or five data words, of eight threads
on two cores.
"""

import argparse
import random
import struct
import sys

HAS_CORES, IS_STAMPED = 1, 4
TYPES = {0: 0x9, 1: 0xA, 5: 0xE}


def write(n_events, word_bytes, out):
    rnd = random.Random(5)
    now = 0
    out.write(b'RSTA' + bytes([1, 1, word_bytes, 0]) + struct.pack('>I', 1000000) +
              bytes([HAS_CORES | IS_STAMPED, 0, 0, 0]))
    for _ in range(n_events):
        now += rnd.randrange(3, 160)
        hook = 0x010 + rnd.randrange(10)
        n_words = rnd.choice((0, 1, 1, 5, 5))
        hook_data = rnd.randrange(65536)
        thread, core = rnd.randrange(1, 9), rnd.randrange(2)
        data = [rnd.choice((rnd.randrange(100), 0x20000000 + rnd.randrange(1 << 20))) for _ in range(n_words)]
        stamp = now & 0xffffffff
        if word_bytes == 4:
            word = hook << 20 | TYPES[n_words] << 16 | hook_data
            out.write(struct.pack('>%dI' % (n_words + 4), word, *data, core, thread, stamp))
        else:
            word = 0x8000 << 48 | 8 * n_words << 32 | hook << 20 | hook_data
            out.write(struct.pack('>%dQ' % (n_words + 3), word, *data, core, thread << 32 | stamp))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('events', type=int)
    parser.add_argument('word', type=int, choices=(4, 8), help='bytes of a word')
    args = parser.parse_args()
    write(args.events, args.word, sys.stdout.buffer)


if __name__ == '__main__':
    main()
