#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Texts depend on more than the bytes of an event: names that come late or change, the length of the payload, the thread. Each is as if it
were made anew, whatever came before it, and by however many threads.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path[:0] = ["tests", "bench"]
import gen_compact as compact  # noqa: E402
import posix_log as log  # noqa: E402
from tap import RASTRUM, done, golden_bytes, ok, same  # noqa: E402

TMP = tempfile.mkdtemp(prefix="rastrum-late-")
CLOCK, TASK = 0, 1
TASK_SWITCH, SEMAPHORE_GIVE = 1, 12
N = 3000


def kept(name, data):
    path = os.path.join(TMP, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def template(text):
    return kept("own.trcfmt", text.encode())


def lines(*words, data=None):
    """What the report of a file prints, or of a pipe, whose names come with its bytes."""
    run = subprocess.run([RASTRUM, "report", *words], input=data, capture_output=True, timeout=120, check=False)
    return run.stdout.decode().splitlines()


# --- compact: a task that is named behind its first events ----------------------------------------------------------


def records(event, time, *values):
    return compact.number(event << 2 | len(values)) + compact.number(time) + b"".join(map(compact.number, values))


def named_late():
    """Events of task 5, which has a name from the second third on."""
    out, n = compact.block(b"n", bytes([CLOCK]) + compact.number(1000000) + b"\0"), 0
    for part in range(3):
        if part == 1:
            out += compact.block(b"n", bytes([TASK]) + compact.number(5) + b"\6worker")
        for _ in range(N // 20):
            out += compact.block(b"e", b"".join(records(TASK_SWITCH, 1, 5) if i % 10 == 0 else records(SEMAPHORE_GIVE, 1, 7, 3)
                                                for i in range(20)), n, n)
            n += 20
    return kept("late.bin", out)


LATE = named_late()
found = lines("-f", "jsonl", LATE)
same([sum('"name":"worker"' in line for line in found[i * N:i * N + N]) > N // 2 for i in range(3)], [False, True, True],
     "a task has its name in JSON from where it is named on")
same([lines("-f", form, "--threads", "3", LATE) == lines("-f", form, LATE) for form in ("text", "jsonl", "csv", "aix")], [True] * 4,
     "by three threads, too")
path = template('# dialect: compact\nSEMAPHORE_GIVE 1.0 L=APPL "@" "given by " $EXECPATH ", count " $count\n')
given = ["worker" in line.split("given by")[1] for line in lines("--templates", path, LATE) if "given by" in line]
third = len(given) // 3
# A batch that is read when the name is known has it from its first event on.
ok(third and not any(given[:third // 2]) and all(given[third:]), "and in the midst of a text that was the same before", third, given.count(True))
same(lines("--templates", path, "--threads", "2", LATE), lines("--templates", path, LATE), "by two threads, too")

# --- RKH: an event pool that is named, and named anew ---------------------------------------------------------------


class Frames:
    """RKH's frames, with a checksum."""

    def __init__(self):
        self.bytes, self.n = bytearray(b"\x7e"), 0

    def put(self, ident, body):
        self.n += 1
        frame = bytes([ident, (self.n - 1) & 255]) + self.n.to_bytes(4, "little") + body
        for byte in frame + bytes([-sum(frame) & 255]):
            self.bytes += bytes([0x7d, byte ^ 0x20]) if byte in (0x7e, 0x7d) else bytes([byte])
        self.bytes += b"\x7e"


frames = Frames()
frames.put(0xa6, b"\0\x20\0\0blinky\0")
frames.put(0xa7, b"\5evTick\0")
for name in (None, b"mypool", b"other"):
    if name:
        frames.put(0xb2, b"\0" + name + b"\0")
    for _ in range(N):
        frames.put(0x43, b"\0\x20\0\0\5\1\1\2")
pool = lines("-", data=bytes(frames.bytes))
counts = [sum(name in line for line in pool) for name in ("event pool 1", "mypool", "other")]
ok(all(count > N // 2 for count in counts), "the event pool of an event is what it was named last", counts)

# --- POSIX: lengths, and entries with hook words in front of events -------------------------------------------------

text = log.header() + log.block(log.ATTRIBUTES, log.attributes(), 0) + log.block(log.TYPE, log.event_type(65, b"bare"), 1)
text += log.block(log.EVENTS, log.events(*[log.event(65, 1000 + i, b"abcdefgh"[:i % 9]) for i in range(18)], first=1000, last=1017), 2)
found = lines("--templates", template('# dialect: posix\nbare 1.0 L=APPL "@" "length " $HL%U2\n'), "--type", "bare", kept("lengths.rst", text))
lengths = [int(line.split()[-1]) for line in found]
ok(len(lengths) == 18 and all(b - a == 1 for a, b in zip(lengths[:9], lengths[1:9])) and lengths[9:] == lengths[:9],
   "$HL is the length of each payload", lengths)

hooks = kept("hooks.rst", golden_bytes("tests/goldens/posix/hooks.hex"))
own = template('# dialect: posix\nEVENT_32 1.0 "@" "bytes " X4 " type " $HT " generic " $GENERIC " pointer " $DATAPOINTER\n')
together = [line for line in lines("--templates", own, hooks) if "pointer" in line]
alone = [line for line in lines("--templates", own, "--type", "EVENT_32", hooks) if "pointer" in line]
same(together and [line.split("bytes")[1] for line in together], [line.split("bytes")[1] for line in alone],
     "an event reads the same behind an entry with a hook word and without it")

shutil.rmtree(TMP)
sys.exit(done())
