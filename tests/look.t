#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What people see: columns, colours and lines of the text report, on terminals of several widths and in files."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

sys.dont_write_bytecode = True
from tap import RASTRUM, done, ok, rastrum, same  # noqa: E402

THREADX, RKH = "tests/data/threadx/priority_inversion.trx", "tests/data/rkh/r1_default.bin"
SMP, ISR = "tests/data/threadx/smp_ulong64.trx", "tests/data/threadx/isr_nested.trx"
COLOR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(columns, *words, **env):
    """What the program writes to a terminal of so many columns, line ends as they are in a file."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "PAGER": "cat", "NO_COLOR": "", **env}
    with subprocess.Popen([RASTRUM, *words], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL, env=environment):
        os.close(slave)
        text = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                piece = b""
            if not piece:
                break
            text += piece
    os.close(master)
    return text.decode().replace("\r\n", "\n")


def words_of(text):
    return " ".join(text.split())


# --- columns ----------------------------------------------------------------------------------------------------

plain = rastrum("report", "-n", "40", THREADX).lines
ok(all(re.match(r" *\d+  (init|low|medium|high|collector|isr( over \w+)?) +\S", line) for line in plain), "a line is time, thread and text", *plain[:3])
ok("TX_TRACE" not in "".join(plain), "the constant is not said beside a sentence")
rows = rastrum("report", "-n", "40", "-f", "csv", THREADX).lines[1:]
ok(any("low  " in line and not re.search(r"low +low ", line) for line in plain), "nor the thread twice")
ok(all(line.split("  ")[-1].strip() in row for line, row in zip(plain, rows)), "CSV has the whole sentence", plain[0], rows[0])
line = rastrum("report", "-n", "1", "--columns", "+event,-time", THREADX).lines[0]
ok(re.match(r"init +TX_TRACE_RUNNING +\S", line), "--columns +NAME and -NAME change what is there", line)
same(rastrum("report", "-n", "1", "--columns", "text", THREADX).lines, ["init runs"] if "init runs" in rows[0] else
     [rows[0].split(",")[-5].strip('"')], "--columns text is the sentence, with its subject")
line = rastrum("report", "-n", "2", "--columns", "delta,core,time", THREADX).lines[1]
ok(re.match(r" *\d+ +\+\d+ +0$", line), "columns stand in their order, whatever the list's", line)
run = rastrum("report", "--columns", "time,sauce", THREADX)
ok(run.status == 2 and "no column 'sauce'" in run.err and "thread" in run.err, "a column that is not there is refused, and those are named",
   run.err)
cores = [line.split()[1] for line in rastrum("report", SMP).lines]
ok({"0", "1", "2", "3"} <= set(cores), "of several cores there is a column", cores[:5])
ok(re.search(r"  isr over \S+ ", rastrum("report", ISR).out), "an interrupt shows what it interrupted")
ok(re.search(r"^ *\d+\.\d{4}  ", rastrum("report", RKH).out, re.M), "10 kHz need four decimals")
ok(re.search(r"^ *\d+\.\d{4}  -  ", rastrum("report", RKH).out, re.M), "a thread that is not known is -")
unwritten = rastrum("report", "-n", "1", "-t", "TX_TRACE_MUTEX_GET", "--templates", "-", THREADX,
                    stdin=b"# dialect: threadx\nTX_TRACE_MUTEX_GET 1.0 \"@\"\n").lines
ok(unwritten[0].endswith("TX_TRACE_MUTEX_GET"), "a text that is empty is the constant", unwritten)

# --- heads ------------------------------------------------------------------------------------------------------

ok(not plain[0].startswith("#"), "into a pipe goes no head")
head = rastrum("report", "--head", "always", "-n", "1", THREADX).lines
ok(head[0] == f"# {THREADX}" and head[1].split() == ["ticks", "thread", "text"], "a head names file and columns", *head)
ok(head[1].index("thread") == head[2].index("init") and head[1].index("text") == head[2].rindex("  ") + 2, "each over its column", *head)
several = rastrum("report", "-n", "100000", THREADX, SMP).lines
ok(several[0] == f"# 0: {THREADX}" and f"# 1: {SMP}" in several, "of several files each has one, with its number", several[0])
ok("seconds" in rastrum("report", "--head", "always", "-n", "1", "--clock-hz", "1M", THREADX).lines[1], "and says what time is in")

# --- terminals --------------------------------------------------------------------------------------------------

for width in (60, 80, 100, 140):
    shown = COLOR.sub("", on_terminal(width, "report", THREADX)).splitlines()
    ok(max(map(len, shown)) <= width, f"no line is wider than a terminal of {width} columns", max(shown, key=len))
    ok(("delta" in shown[1]) == (width >= 110), f"the distance to the line before {'is' if width >= 110 else 'is not'} there", shown[1])
    file = rastrum("report", "--columns", "+delta" if width >= 110 else "-delta", "--head", "always", THREADX).out.replace("'", "")
    same(words_of(" ".join(shown)), words_of(file), "and nothing is left out")
shown = COLOR.sub("", on_terminal(60, "report", "-t", "tx_thread_create", THREADX)).splitlines()[2:]
ok(len(shown) > 4 and shown[1].startswith(" " * shown[0].index("creates")) and shown[1].strip(), "further lines begin below the text",
   *shown[:3])
shown = on_terminal(80, "report", "-t", "tx_mutex_get", "-n", "1", THREADX)
ok("'" not in shown and re.search(r"mutex \x1b\[\d+mresource \(plain\)\x1b\[39m", shown), "names are coloured in place of quotes", shown)
shown = on_terminal(80, "report", "-t", "tx_mutex_get", "-n", "1", THREADX, NO_COLOR="1")
ok("'resource (plain)'" in shown and "\x1b" not in shown, "and in quotes without colours", shown)
sys.exit(done())
