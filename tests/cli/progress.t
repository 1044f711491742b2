#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The line on a terminal while work lasts, and the line at the end of a report."""
import gzip
import os
import pty
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import posix_log  # noqa: E402
from tap import RASTRUM, done, ok, rastrum, same, skip, slurp, wait_until  # noqa: E402

THREADX, RKH = "tests/data/threadx/priority_inversion.trx", "tests/data/rkh/r1_default.bin"
STREAM = "tests/data/liteos/m_arm32_full_agent/online.tlv"
SMP, DROPPED = "tests/data/threadx/smp_ulong64.trx", "tests/data/rkh/d2_droppedruns.bin"
WAITING = ["-"]  # standard input is read first
FIRST_S = 0.7  # longer than the half second in which nothing is shown
LINE = re.compile(rb"\r(\d+) events, (?:(\d+) %, )?\d+\.\d M/s ")

folder = tempfile.TemporaryDirectory()


def in_tmp(name, content):
    path = os.path.join(folder.name, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def terminal():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False  # a bare chroot has none
    return True


def all_of(master):
    text = b""
    try:
        while piece := os.read(master, 65536):
            text += piece
    except OSError:
        pass  # the other side is closed
    os.close(master)
    return text


def sleeps(run):
    """Whether the program waits for something, which is its input."""
    with open(f"/proc/{run.pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def progress_of(*words, late=b""):
    """What stands on a terminal that is standard error; standard input is empty, or `late`, and keeps the program waiting."""
    master, slave = pty.openpty()
    with subprocess.Popen([RASTRUM, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=slave) as run:
        os.close(slave)
        wait_until(lambda: sleeps(run), run)  # however long it takes to start
        time.sleep(FIRST_S)
        run.stdin.write(late)
        run.stdin.close()
        return all_of(master)


def check_share(what, *words, ahead=6):
    """After the first batch the progress is its share of all events, which in these files are of about one size; some readers are ahead of their rows."""
    n_all = len(rastrum("report", "-f", "csv", *words[1:]).lines) - 1
    text = progress_of(words[0], *WAITING, *words[1:])
    found = LINE.search(text)
    expected = 100 * int(found[1]) / n_all if found else None
    ok(found and found[2] and 10 < expected < 50 and -6 < int(found[2]) - expected < ahead, f"{what}: the share that is read is shown in percent",
       text[-300:], f"expected {expected}")


def with_blocks(n):
    log = posix_log.with_program()
    for first in range(0, n, 64):
        log.add("events", posix_log.EVENTS, posix_log.events(*(posix_log.event(65, 2000 + i) for i in range(first, first + 64)), first=first))
    return log


def check_progress():
    dump = os.path.join(folder.name, "dump.trx")
    rastrum("bench", "gen", "--events", "3000", "--wrapped", "500", "-o", dump)
    blocks = with_blocks(64 * 50).bytes()
    packed = in_tmp("r1.gz", gzip.compress(slurp(RKH)))
    check_share("a file of RKH", "report", RKH)
    check_share("`rastrum info`", "info", RKH)
    check_share("a packed file", "report", packed)
    check_share("a dump of ThreadX", "report", dump)
    check_share("a dump in the order of the file", "report", "--order", "file", dump)
    check_share("a stream of LiteOS", "report", STREAM, ahead=35)
    check_share("a POSIX log", "report", in_tmp("blocks.rst", blocks))
    for form, *options in (("jsonl",), ("chrome",), ("txtb",), ("ctf", "--opt", "profile=lttng-kernel")):
        text = progress_of("convert", "-q", "-t", form, *options, "-o", os.path.join(folder.name, f"out-{form}"), *WAITING, late=slurp(RKH))
        ok(LINE.search(text) and text.endswith(b"\r" + b" " * 48 + b"\r"), f"a conversion to {form} shows its progress, too", text[-300:])
    text = progress_of("report", *WAITING, late=slurp(RKH))
    found = LINE.search(text)
    ok(found and found[2] is None, "a pipe has no known size and no percent", text[-300:])
    ok(text.endswith(b"\r" + b" " * 48 + b"\r"), "the line is taken away at the end", text[-100:])


def check_end_line():
    def said(*words):
        return rastrum("report", *words).err.splitlines()

    same(said(THREADX), [], "a report into a pipe ends without a word")
    same(said("--head", "always", THREADX), [f"rastrum: {THREADX}: 96 events, none lost, no damage"],
         "--head always: the last line has the number of events, loss and damage")
    same(said(THREADX, SMP), [f"rastrum: {THREADX}: 96 events, none lost, no damage",
                              f"rastrum: {SMP}: 140 events, none lost, no damage"], "of several files each has its own")
    same(said("-t", "*MUTEX*", "--head", "always", THREADX), [f"rastrum: {THREADX}: 17 of 96 events, none lost, no damage"],
         "a selection is said to be one")
    same(said("--head", "always", DROPPED), [f"rastrum: {DROPPED}: 3475 events, 153 lost, no damage"], "losses are counted")
    for words in (["--head", "never"], ["-q"], ["-f", "jsonl"], ["-n", "5"], ["--last", "5"]):
        same(said(*words, THREADX, THREADX), [], f"none with {' '.join(words)}")


def check_last_line():
    master, slave = pty.openpty()
    with subprocess.Popen([RASTRUM, "report", THREADX], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave) as run:
        os.close(slave)
        lines = all_of(master).decode().splitlines()
    same((run.returncode, lines[-1]), (0, f"rastrum: {THREADX}: 96 events, none lost, no damage"), "on a terminal it stands below the report")
    same(len(lines), 2 + 96 + 1, "and nothing else does")


if __name__ == "__main__":
    if terminal():
        check_progress()
        check_last_line()
    else:
        skip("the share that is read is shown", "there are no terminals here")
    check_end_line()
    sys.exit(done())
