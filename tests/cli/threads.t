#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--threads: several threads write what one writes, byte by byte, whatever the trace and its templates are."""
import glob
import gzip
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path[:0] = ["tests", "bench"]
import gen_compact as compact  # noqa: E402
from tap import RASTRUM, Faults, done, golden_files, ok, rastrum, same, sample  # noqa: E402

TMP = tempfile.mkdtemp(prefix="rastrum-threads-")
DUMP = "tests/data/threadx/priority_inversion.trx"
LONG = f"{TMP}/long.trx"
# Where the sanitizer is, it is slow.
N_LONG = "40k" if os.environ.get("BUILD") == "tsan" else "200k"

TEMPLATES = {
    "timers": 'TX_TRACE_QUEUE_SEND 1.0 "@" endtimer(1,1) " since the last" starttimer(1,1)\n',
    "$SKIP": 'TX_TRACE_QUEUE_SEND 1.0 "@" $SKIP\n',
    "$STOP": 'TX_TRACE_MUTEX_DELETE 1.0 "@" "the end" $STOP\nTX_TRACE_SEMAPHORE_PUT 1.0 "@" "put"\n',
    "lines that are counted": 'TX_TRACE_MUTEX_GET 1.0 "@" "in line " $RELLINENO\n',
    "processors, in a part of a sentence": 'part_of 1.0 "@" "of " $TOTALCPUS\nTX_TRACE_MUTEX_GET 1.0 "@" $part_of\n',
    "what the thread is in": 'TX_TRACE_MUTEX_GET 1.0 "@" "in " $UNDERWAY\n',
    "sentences of two lines": 'TX_TRACE_MUTEX_GET 1.0 "@" "one" \\n "two"\n',
}


def run(*args, stdin=subprocess.DEVNULL):
    result = subprocess.run([RASTRUM, *args], stdin=stdin, capture_output=True, timeout=120, check=False)
    return result.returncode, result.stdout, result.stderr


def check_same(paths, ways, threads, sentence):
    faults = Faults()
    for path in paths:
        for way in ways:
            expected = run(*way, "--threads", "1", path)
            for n in threads:
                if run(*way, "--threads", n, path) != expected:
                    faults.append(f"{' '.join(way)} --threads {n} {path}")
    ok(paths and not faults, sentence, *faults)


def check_damaged():
    """Empty slots, unknown events, wrong stamps and a second dump: what is wrong is told once, wherever it is read."""
    bytes_of = open(LONG, "rb").read()
    choose = random.Random(20)
    paths = []
    for n in sample(range(6), every=2):
        damaged = bytearray(bytes_of)
        for _ in range(choose.choice((1, 3, 40))):
            at = choose.randrange(len(damaged) // 32 // 50, len(damaged) // 32 - 300) * 32
            n_bytes = choose.choice((1, 4, 32, 32 * 200))
            damaged[at:at + n_bytes] = bytes(n_bytes) if choose.random() < 0.5 else choose.randbytes(n_bytes)
        if n % 3 == 2:
            damaged = damaged[:len(damaged) - 32 * choose.randrange(3000)] if n == 5 else damaged + bytes_of
        paths.append(f"{TMP}/damaged-{n}.trx")
        with open(paths[-1], "wb") as file:
            file.write(damaged)
    check_same(paths, [*WAYS, ("report", "--columns", "+core,+delta", "--head", "always")], ("2", "3"), "a long dump with damage")


def check_cut():
    """Damage that is not the dialect's: a packed dump that is cut, and more damages in front of the first event than a batch has."""
    with open(LONG, "rb") as file:
        packed = gzip.compress(file.read(), 1)
    cut, marks = f"{TMP}/cut.trx.gz", f"{TMP}/marks.rtc"
    with open(cut, "wb") as file:
        file.write(packed[:-300])
    check_same([cut], [*WAYS, ("report", "--last", "5")], ("2", "3"), "a packed dump that is cut")
    name, give = compact.number(0) + b"\2x0", compact.number(12 << 2 | 2) + compact.number(1) + compact.number(0) + b"\3"
    with open(marks, "wb") as file:
        file.write((compact.block(b"n", b"\3" + name) + bytes(7)) * 1500)
        file.write(b"".join(compact.block(b"e", give * 20, n, n) for n in range(0, 8000, 20)))
    check_same([marks], [*WAYS, ("report", "-f", "csv")], ("2", "3"), "damage in front of all events")
    faults = len([line for line in rastrum("report", marks).lines if line.startswith("***")])
    ok(faults > 1024, "of which there is more than a batch has", faults)


def check_templates():
    for what, text in sample(list(TEMPLATES.items()), every=2):
        path = f"{TMP}/own.trcfmt"
        with open(path, "w", encoding="utf-8") as file:
            file.write("# dialect: threadx\n" + text)
        check_same([LONG, DUMP], [("report", "--templates", path), ("report", "-f", "csv", "--templates", path)], ("2", "3"),
                   f"templates with {what}")


def check_input():
    expected = rastrum("report", DUMP)
    with open(DUMP, "rb") as file:
        same(run("report", "--threads", "2", "-", stdin=file)[:2], (0, expected.bytes), "standard input is read by one thread")
    same(rastrum("report", "--threads", "0", DUMP).bytes, expected.bytes, "0: as many threads as there are processors")
    same(rastrum("report", "--threads", "100000", DUMP).bytes, expected.bytes, "more threads than there can be are as many as there can be")
    refused = rastrum("report", "--threads", "two", DUMP)
    ok(refused.status == 2 and "--threads" in refused.err, "a word is no number of threads", refused.err)
    several = [DUMP, LONG, DUMP]
    for way in (("report",), ("report", "-f", "jsonl"), ("convert", "-t", "csv")):
        ok(run(*way, *several) == run(*way, "--threads", "2", *several), f"several files: {' '.join(way)}")
    for more in (("--limit", "3000"), ("--last", "20"), ("--from", "+1000"), ("--intervals",), ("-f", "aix"), ("-c", "!idle"), ("-t", "*QUEUE*")):
        ok(run("report", *more, LONG) == run("report", "--threads", "2", *more, LONG), f"with {' '.join(more)}")


def check_output():
    with open("/dev/full", "wb") as full:
        ends = [subprocess.run([RASTRUM, "report", "--threads", n, LONG], stdout=full, stderr=subprocess.PIPE, timeout=120, check=False)
                for n in ("1", "3")]
    same([(end.returncode, end.stderr) for end in ends][1], (ends[0].returncode, ends[0].stderr), "a full disk ends a report as it does with one thread")
    ok(ends[0].returncode != 0 and b"cannot write" in ends[0].stderr, "with its message", ends[0].stderr)
    reader = subprocess.Popen([RASTRUM, "report", "--threads", "3", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first = reader.stdout.readline()
    reader.stdout.close()
    ok(first and reader.wait(timeout=120) == 0 and not reader.stderr.read(), "a reader that has seen enough ends it, too")


ok(rastrum("bench", "gen", "--events", N_LONG, "-o", LONG).status == 0, "a long dump is there")
WAYS = [("report",), ("report", "-f", "jsonl")]
check_same([LONG], [*WAYS, ("report", "-f", "csv"), ("report", "--columns", "+delta,+core,+priority,+event"), ("convert", "-t", "jsonl")],
           ("2", "3", "7"), "a long dump, in every format")
check_same(sample(golden_files(TMP)), WAYS, ("2",), "the goldens, damaged ones too, with what is printed about them")
check_same(sample(sorted(glob.glob("tests/data/*/*.trx") + glob.glob("tests/data/*/*.bin"))),
           [("report", "--color", "always", "--head", "always"), ("convert", "-t", "csv")], ("3",), "recordings, with heads and colours")
check_damaged()
check_cut()
check_templates()
check_input()
check_output()
sys.exit(done())
