#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`make soak`: `rastrum timeline` shows recordings of every dialect of which random bytes were changed, while random keys are typed.
It must end by `q` with a documented status, never by a signal, within bounded memory, and must say why a status is not 0.
MUTANTS: how many (default 400). SEED: of a run that is to be repeated.
"""
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from soaking import PATIENCE, begin, count, generator, limit, mutated, shown, small_recordings, verdict  # noqa: E402
from tap import RASTRUM, done, ok  # noqa: E402

N_MUTANTS = count("MUTANTS", 400)
ESCAPE = b"\x1b"
ARROWS = [b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1bOA", b"\x1bOB", b"\x1bOC", b"\x1bOD", b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1b[F"]
KEYS = [*ARROWS, *(bytes([c]) for c in b"wwwasd0mfpht?e[]H/+-=nNgGcxrvlbijkouz \r\r\t"), b"/a\r", b"/*\r", b"t*\r", b"\x7f"]
# 4: the memory that it may have is used up, or nothing is left of the input; 5: a log of another machine, or of what is no POSIX trace.
DOCUMENTED = (0, 3, 4, 5)


class Shown:
    """The timeline in a terminal of its own."""

    def __init__(self, words, columns, lines):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.errors = tempfile.TemporaryFile()

        def become():
            limit()
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.program = subprocess.Popen([RASTRUM, "timeline", *words], stdin=slave, stdout=slave, stderr=self.errors, preexec_fn=become,
                                        env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "ESCDELAY": "20"})
        os.close(slave)
        self.is_open = True
        self.n_bytes = 0

    def read(self, seconds):
        """Takes what it draws; False: nothing came, or it has closed the terminal."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            n = len(os.read(self.master, 65536))
        except OSError:
            n = 0
        self.is_open = n > 0
        self.n_bytes += n
        return self.is_open

    def type(self, keys):
        try:
            os.write(self.master, keys)
        except OSError:
            self.is_open = False

    def end(self):
        """Leaves what it may be in, and quits; its status, None: it did not end."""
        end = time.monotonic() + PATIENCE
        while self.is_open and time.monotonic() < end:
            self.type(ESCAPE)  # not together with the q, or it would be another key
            while self.read(0.05):
                pass
            if self.is_open:
                self.type(b"q")
            while self.read(0.05):
                pass
        try:
            return self.program.wait(max(1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.program.kill()
            self.program.wait()
            return None
        finally:
            os.close(self.master)

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-300:]


def one(folder, n, originals):
    """Shows the n-th mutant; what is wrong, and its status."""
    random_ = generator(n)
    name, data = originals[random_.randrange(len(originals))]
    path = os.path.join(folder, f"mutant-{n}")
    with open(path, "wb") as file:
        file.write(mutated(random_, data))
    words = ["--ascii"] if random_.random() < 0.1 else []
    shown_ = Shown([*words, path], random_.choice((20, 40, 80, 200)), random_.choice((5, 10, 24, 60)))
    while shown_.is_open and not shown_.n_bytes:
        if not shown_.read(PATIENCE):
            break
    for _ in range(random_.randrange(40)):
        shown_.type(random_.choice(KEYS))
        while shown_.read(0):
            pass
        if not shown_.is_open:
            break
    status = shown_.end()
    fault = verdict(status, DOCUMENTED)
    if fault or not status:
        said = shown_.said() if fault else ""
    else:
        said = shown_.said()
        fault = "" if said.strip() else f"status {status} without a word"
    if not fault:
        os.unlink(path)
    return f"mutant {n} of {name}, {os.path.basename(path)} is kept: {fault}; {said}" if fault else "", status


def main():
    begin()
    originals = small_recordings()
    folder = tempfile.mkdtemp(prefix="rastrum-soak-timeline-")
    faults, statuses = [], {}
    for n in range(N_MUTANTS):
        fault, status = one(folder, n, originals)
        statuses[status] = statuses.get(status, 0) + 1
        faults += [fault] if fault else []
    print(f"# statuses: {statuses}")
    ok(not faults, f"timeline: {N_MUTANTS} changed recordings, each ends by q with a documented status", *shown(faults))
    ok(statuses.get(0) and statuses.get(3), "some were shown as if they were sound, some as damaged", statuses)
    if not faults:
        os.rmdir(folder)
    else:
        print(f"# inputs: {folder}")
    return done()


sys.exit(main())
