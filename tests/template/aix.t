#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Entries of AIX through templates into the layout of AIX's reports: what `template eval` makes of an entry by itself, a report
makes of it in its trace, for both word sizes and byte orders.
"""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from hook_trace import Trace  # noqa: E402
from tap import done, ok, rastrum, same  # noqa: E402

TEMPLATES = r"""
010 1.0 L=APPL "speed" "is" $D1%U4 "from" $TID X2
011 1.0 L=SVC "@" X2 X4 X4 \n "then" $D5%D4 "in" $HL
012 1.0 L=KERN "@" HB "of" $HOOKENV {{ $DATAPOINTER = 2 * $WORDSIZE }} LOOP HB {A1}
013 1.0 L=INT "begins" starttimer(0x13, $TID)
014 1.0 L=INT "@" "took" endtimer(0x13, $TID) "on" $CPUID
015 1.0 "@" $SKIP
1345 1.0 "@" four $TRACEID
017 1.0 "@" X17
"""


def make(word, order):
    trace = Trace(word, order)
    trace.entry(0x0100, 0x0201, [1500])
    trace.entry(0x0110, 0xabcd, [0x11223344, 0x55667788, 3, 4, -5])
    trace.entry(0x0120, 9, [5], b"bytes")
    trace.entry(0x0130, 0)
    trace.entry(0x0150, 0)
    trace.entry(0x0140, 0)
    trace.entry(0x0060, 0, [12])
    trace.entry(0x0160, 0, [255])
    trace.entry(0x0170, 0)
    return trace


def expected(word):
    """As the columns of an AIX report have it. Codes of two and four bytes read from the hook data on."""
    five = "ABCD 11223344 55667788" if word == 4 else "ABCD 00000000 11223344"
    last, length = ("-5", "0014") if word == 4 else ("-5", "0028")
    words = {4: ("A", "9", "255"), 8: ("8000", "8000", "255")}[word]
    full = f"{255:0{2 * word}X}"
    return f"""ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT
010    0.000000000       0.000000  speed is 1500 from 7 0201
011    0.000100000       0.100000          {five}
                                           then {last} in {length}
012    0.000200000       0.100000                  5 of {8 * word} b y t e s
013    0.000300000       0.100000                          begins
014    0.000500000       0.200000                          took [200 usec] on 1
*** LOST 12 events: the recorder had no room for them
016    0.000700000       0.200000                  unknown hook 016 type {words[0]} data 0000 {full}
017    0.000800000       0.100000                  unknown hook 017 type {words[1]} data 0000
"""


with tempfile.TemporaryDirectory(prefix="rastrum-aix-") as folder:
    ours = os.path.join(folder, "ours.trcfmt")
    with open(ours, "w", encoding="utf-8") as out:
        out.write(TEMPLATES)
    for word in (4, 8):
        for order in ("big", "little"):
            name = f"{8 * word} bits, {order}-endian"
            trace = make(word, order)
            run = rastrum("report", "--format", "aix", "--templates", ours, "-", stdin=trace.data)
            same(run.out, expected(word), f"{name}: every level, timer, loop, loss and unknown hook")
            ok(run.status == 0 and "T08" in run.err, f"{name}: a template with an error is reported, and not used", run.err)
    trace = Trace(8, "little")
    trace.entry(0x1345, 1)
    trace.entry(0x1340, 1)
    run = rastrum("report", "--format", "aix", "--templates", ours, "-", stdin=trace.data)
    ok("\n1345   0.000000000       0.000000                  four 1345\n" in run.out and
       "\n134    0.000100000       0.100000                  unknown hook 134 type 8000 data 0001\n" in run.out,
       "ids of four digits, and of three", run.out)

    # Error numbers are of the system that recorded the entry: 8 in the header's flags is AIX. Both systems in one stream.
    errors = os.path.join(folder, "errors.trcfmt")
    for word in (4, 8):
        with open(errors, "w", encoding="utf-8") as out:
            out.write(f'010 1.0 "@" G{word} EW G{word} EW, ETIMEDOUT "late", EREMCHG "changed"\n')
        linux, aix = Trace(word, "little"), Trace(word, "big", flags=13)
        for number in (2, 78, 110):
            linux.entry(0x0100, 0, [number])
            aix.entry(0x0100, 0, [number])
        for name, data, names in (("Linux", linux.data, ["ENOENT", "EREMCHG changed", "ETIMEDOUT late"]),
                                  ("AIX", aix.data, ["ENOENT", "ETIMEDOUT late", "EMEDIA"]),
                                  ("both", linux.data + aix.data, ["ENOENT", "EREMCHG changed", "ETIMEDOUT late", "ENOENT", "ETIMEDOUT late", "EMEDIA"])):
            def told(data):
                run = rastrum("report", "--format", "aix", "--templates", errors, "-", stdin=data)
                return [" ".join(line.split()[3:]) for line in run.lines if line.startswith("010")]

            same(told(data), names, f"{8 * word} bits: error numbers have the names of {name}")
            with open(f"{folder}/errors.rsta", "wb") as out:
                out.write(data)
            rastrum("trcrpt", "-r", "-o", f"{folder}/raw.rsta", f"{folder}/errors.rsta")
            with open(f"{folder}/raw.rsta", "rb") as raw:
                same(told(raw.read()), names, "and so they have behind trcrpt -r")

    # The same entry, in a trace and by itself.
    entry = "010A0005000005DC"
    trace = Trace(4, "little")
    trace.entry(0x0100, 5, [1500])
    alone = rastrum("template", "eval", "--entry", entry, "--context", "tid=7", ours)
    run = rastrum("report", "--format", "jsonl", "--templates", ours, "-", stdin=trace.data)
    ok(alone.status == 0 and f'"text":"{alone.out.strip()}"' in run.out, "a trace reads as its entries by themselves", alone.out, run.out)

    # 007: the last good one.
    seven = os.path.join(folder, "seven.trcfmt")
    bad = os.path.join(folder, "bad.trcfmt")
    with open(seven, "w", encoding="utf-8") as out:
        out.write('007 1.0 L=APPL "@" "none for" $TRACEID\n')
    with open(bad, "w", encoding="utf-8") as out:
        out.write('007 1.0 L=APPL "@" A4, 1 {{ LOOP A4 { X1 } }}\n')
    trace = make(4, "big")
    run = rastrum("report", "--format", "aix", "--templates", seven, "-", stdin=trace.data)
    ok("  none for 016\n" in run.out, "a file's 007 takes the place of the built-in one", run.out)
    run = rastrum("report", "--format", "aix", "--templates", seven, "--templates", bad, "-", stdin=trace.data)
    ok("  none for 016\n" in run.out and "seven" not in run.err and "bad.trcfmt" in run.err,
       "a 007 with an error leaves its place to the one before", run.out, run.err)
    run = rastrum("report", "--format", "aix", "--templates", bad, "-", stdin=trace.data)
    ok("unknown hook 016" in run.out, "or to the built-in one", run.out, run.err)
    own = rastrum("report", "-t", "016,11*,1345", "-", stdin=trace.data)
    ok(own.out.count("\n") == 2 and "  016  " in own.out and "LOST" in own.out, "hooks are chosen as they are printed",
       own.out)
    # Context and place as columns, and events without a template.
    path = "tests/data/rkh/r1_default.bin"
    wide = rastrum("report", "--format", "aix", "--columns", "+thread,+core", "-t", "RKH_TE_SM_TRN,RKH_TE_MP_GET", path).lines
    same(wide[0], "ID  PROCESS NAME   CPU   ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT",
         "a thread and a core have columns of their own")
    ok(any(line.startswith("062 server         -  ") and line.index("server goes") == wide[0].index("APPL") for line in wide),
       "with the name in its column, and the text in its own", *wide[:4])
    ok(any(line.startswith("001 -              -  ") for line in wide), "an unknown one is a dash", *wide[:4])
    plain = rastrum("report", "--format", "aix", "-t", "UT_MIX,RKH_TE_USER+30", path).lines
    ok(any("  UT_MIX data1=-71, " in line for line in plain) and any(line.endswith("  RKH_TE_USER+30") for line in plain),
       "an event without a template says which it is", *plain[:4])
done()
