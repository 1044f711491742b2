#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What people see: columns, colours and lines of the text report, on terminals of several widths and in files."""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import RASTRUM, done, ok, rastrum, same, terminal  # noqa: E402

THREADX, RKH = "tests/data/threadx/priority_inversion.trx", "tests/data/rkh/r1_default.bin"
SMP, ISR = "tests/data/threadx/smp_ulong64.trx", "tests/data/threadx/isr_nested.trx"
COLOR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(columns, *words, **env):
    environment = {**os.environ, "TERM": "xterm", "PAGER": "cat", "NO_COLOR": "", **env}
    return terminal([RASTRUM, *words], columns, environment)[0]


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

# --- pagers -----------------------------------------------------------------------------------------------------

shown = on_terminal(80, "report", "-n", "2", THREADX, PAGER="sed s/^/P:/")
ok(shown.count("P:") == 4 and "\x1b[" in shown, "a terminal gets its report from the pager, in colour", shown)
ok("P:" not in on_terminal(80, "report", "-n", "2", "--no-pager", THREADX, PAGER="sed s/^/P:/"), "--no-pager has none")
ok("P:" in on_terminal(80, "info", THREADX, PAGER="sed s/^/P:/"), "info has one, too")
ok("runs" in on_terminal(80, "report", "-n", "2", THREADX, PAGER="nosuchpager"), "a pager that is not there is not used")

# --- selection --------------------------------------------------------------------------------------------------

for words, wanted in (
        (("-t", "mutex"), "no event has the type 'mutex'; did you mean TX_TRACE_MUTEX_"),
        (("-t", "TX_TRACE_MUTEXX_GET"), "did you mean TX_TRACE_MUTEX_GET"),
        (("-c", "hihg"), "no event is of a thread 'hihg'; did you mean high?"),
        (("-c", "zebra"), "; there are "),
        (("--object", "resource"), "did you mean resource (plain)?"),
        (("--from", "+9", "--to", "+5"), "--to is before --from"),
        (("--from", "0", "--to", "1000000"), "--to is before the first event"),
        (("--from", "99999999999"), "--from is behind the last event"),
        (("--core", "1"), "no event is on a core"),
        (("-c", "low", "-t", "tx_event_flags_create"), "no event matches all that was asked for")):
    run = rastrum("report", *words, THREADX)
    ok(run.status == 0 and not run.lines and wanted in run.err and run.err.count("note:") == 1, f"{' '.join(words)} chooses nothing, and why",
       run.err)
    ok(not rastrum("report", "-q", *words, THREADX).err, "--quiet says nothing")
ok(not rastrum("report", "-t", "mutex", "-n", "0", THREADX).err, "nor does a report that ends before the trace")
every, some, rest = (len(rastrum("report", *words, THREADX).lines) for words in ((), ("-t", "tx_mutex*"), ("-t", "!tx_mutex*")))
ok(some and rest and some + rest == every, "! leaves types out", every, some, rest)
every, some, rest = (len(rastrum("report", *words, THREADX).lines) for words in ((), ("-c", "LOW"), ("-c", "!low")))
ok(some and rest and some + rest == every, "and threads", every, some, rest)

GOLDEN = "tests/goldens/posix/preloaded.hex"
log = bytes.fromhex("".join(line.split("#")[0] for line in open(GOLDEN, encoding="utf-8") if not line.startswith("#")))
rows = [json.loads(line) for line in rastrum("report", "-f", "jsonl", "-", stdin=log).lines]
cells = list(csv.DictReader(io.StringIO(rastrum("report", "-f", "csv", "-", stdin=log).out)))
named = [row for row in rows if "context" in row and (row["context"]["name"] or "").split("/")[0] == "server"]


def chosen(word):
    return {json.loads(line)["context"]["id"] for line in rastrum("report", "-f", "jsonl", "-c", word, "-", stdin=log).lines
            if "context" in json.loads(line)}


ids = {row["context"]["id"] for row in named}
ok(len(ids) > 1 and chosen("server") == ids, "a name is that of all threads that have it", ids)
ok(all(chosen(f"server/{n}") == {n} for n in ids), "and with a number of one of them", *(chosen(f"server/{n}") for n in ids))
ok(all(isinstance(row["context"]["id"], int) for row in rows if "context" in row), "ids that are counted are numbers")
ok(all(str(row["context"]["id"]) == cell["context_id"] for row, cell in zip((r for r in rows if "seq" in r), cells)), "CSV has them alike")
pairs = [(f"{name}={value}", cell["args"].split(";")) for row, cell in zip((r for r in rows if "seq" in r), cells)
         for name, value in row["args"].items() if name in ("process", "holder", "address") and value is not None]
ok(pairs and all(pair in args for pair, args in pairs), "and fields, too", *(pair for pair in pairs if pair[0] not in pair[1]))

# --- info and messages ------------------------------------------------------------------------------------------

BAD = "tests/data/rkh/d1_bitflips.bin"
run = rastrum("info", BAD)
head = run.out.split("\n\n")[0].splitlines()
ok(run.status == 3 and not run.err and sum("damage" in line for line in head) == 1 and len(head) <= 9, "many damages are few lines",
   run.err, *head)
info = json.loads(rastrum("info", "--json", BAD).out)
ok(info["damages"] == len(info["damage"]) and f"{info['damages']} places" in run.out and "wrong checksum" in run.out, "their number and kind",
   info["damages"])
ok("`rastrum info`" not in rastrum("info", "--json", BAD).err, "info does not refer to info")
order = [run.out.index(word) for word in ("events  ", "Events by thread", "Events by type", "Objects", "Header")]
ok(order == sorted(order), "the header comes last", order)
ok(re.search(r"stack_start 0x[0-9a-f]+ ", rastrum("info", THREADX).out), "addresses are hexadecimal")
with tempfile.TemporaryDirectory() as folder:
    name = os.fsencode(folder) + b"/bad\xff\x1b[31m\nname.trx"
    with open(name, "wb") as file, open(THREADX, "rb") as data:
        file.write(data.read())
    for words in (("info",), ("info", "--json"), ("report", "--head", "always", "-n", "1"), ("report", "-f", "aix", "-n", "1", "-t", "x")):
        run = rastrum(*words, os.fsdecode(name))
        ok(run.status == 0 and b"\x1b" not in run.bytes and "\x1b" not in run.err and b"\xff" not in run.bytes and
           b"\nname" not in run.bytes, f"{' '.join(words)}: a name of a file is no escape sequence, nor lines", run.bytes[:80])
    run = rastrum("info", "--json", os.fsdecode(name))
    ok(json.loads(run.bytes.decode("utf-8"))["file"].endswith("\\x0aname.trx") or "\\xff" in run.out, "JSON is UTF-8", run.bytes[:90])
    run = rastrum("report", os.fsdecode(name) + "x")
    ok(run.status == 4 and "\x1b" not in run.err and run.err.count("\n") == 1, "nor in a message", repr(run.err))
for data, what in ((b"PK\3\4" + 99 * b"x", "a zip file; unpack it first: unzip -p"), (b"\x7fELF" + 99 * b"\2", "an ELF file"),
                   (b"\0" * 99, "nothing but bytes 00"), (b'{"a": 1}', "this is JSON; give the recording itself"),
                   (b"\xd4\xc3\xb2\xa1" + 99 * b"\2", "pcap"), (b"# a page of text\n" * 9, "no trace of threadx, ")):
    run = rastrum("report", "-", stdin=data)
    ok(run.status == 3 and what in run.err, f"told: {what}", run.err)
for dialect in ("threadx", "liteos", "rkh", "posix", "compact", "aix"):
    run = rastrum("report", "-d", dialect, "-", stdin=b"PK\3\4" + 99 * b"x")
    ok(run.status == 3 and "a zip file; unpack it first" in run.err and not run.out, f"also with -d {dialect}", run.err)
sys.exit(done())
