#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Small dumps, written as annotated hex, and what each must give: tests/goldens/DIALECT/*.hex.

    42 54 58 54              # bytes, then a comment to the end of the line
    # options: --opt wrap=9  one run of `report -f jsonl`, with these words behind; what follows belongs to it
    # trcrpt: -h -x          one run of `trcrpt` instead, with these words in front
    # expect: {"seq":0,…     its output, line by line
    # expect-status: 3       its exit status, if not 0
    # expect-stderr: text    a part of what it says on standard error

`BLESS=1 tests/dialect/goldens.t [FILE...]` writes what is given now as what must be; the change is then read by a person.
"""
import glob
import os
import re
import shlex
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import difference, done, ok, rastrum  # noqa: E402

RUN = re.compile(r"# (options|trcrpt):(.*)")
EXPECT = re.compile(r"# expect(-status|-stderr)?:(?: (.*))?")


class Run:
    def __init__(self, kind, options):
        self.kind, self.options = kind, options.strip()
        self.out, self.err, self.status = [], [], 0


def read_golden(path):
    """The bytes, the lines that hold them, and the runs."""
    data, head, runs = bytearray(), [], []
    for line in open(path, encoding="utf-8").read().splitlines():
        expect = EXPECT.fullmatch(line)
        if RUN.fullmatch(line):
            runs.append(Run(*RUN.fullmatch(line).groups()))
        elif expect and expect.group(1) == "-status":
            runs[-1].status = int(expect.group(2))
        elif expect:
            (runs[-1].err if expect.group(1) else runs[-1].out).append(expect.group(2) or "")
        else:
            head.append(line)
            data += bytes.fromhex(line.split("#")[0])
    return bytes(data), head, runs


def run_of(run, data):
    if run.kind == "trcrpt":
        return rastrum("trcrpt", *shlex.split(run.options), "-", stdin=data)
    return rastrum("report", "-f", "jsonl", "-", *shlex.split(run.options), stdin=data)


def said(result):
    """What it says on standard error, without what differs from place to place."""
    return [line.removeprefix("rastrum: ").removeprefix("standard input: ") for line in result.err.splitlines()]


def bless(path):
    data, head, runs = read_golden(path)
    for run in runs or [Run("options", "")]:
        result = run_of(run, data)
        head.append(f"# {run.kind}: {run.options}".rstrip())
        head += [f"# expect: {line}" for line in result.lines]
        head += [f"# expect-status: {result.status}"] if result.status else []
        head += [f"# expect-stderr: {line}" for line in said(result)]
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(head) + "\n")


def check(path):
    data, _, runs = read_golden(path)
    name = os.path.relpath(path, "tests/goldens").removesuffix(".hex")
    ok(any("--intervals" in run.options for run in runs) and any("--intervals" not in run.options for run in runs),
       f"{name} says what must come of it, events and intervals")
    for run in runs:
        result = run_of(run, data)
        faults = difference(result.lines, run.out)
        if result.status != run.status:
            faults.append(f"exit status {result.status}, expected {run.status}")
        faults += [f"says nothing of '{part}': {result.err}" for part in run.err if part not in result.err]
        if not run.err and result.err:
            faults.append(f"complains: {result.err}")
        options = " " + re.sub(r"tests/goldens/\S*/", "", run.options) if run.options else ""
        ok(not faults, f"{name} gives what it must{' by trcrpt' * (run.kind == 'trcrpt')}{options and ' with' + options}", *faults)


FILES = sys.argv[1:] or sorted(glob.glob("tests/goldens/*/*.hex"))
if os.environ.get("BLESS"):
    for file in FILES:
        bless(file)
ok(FILES, "there are goldens")
for file in FILES:
    check(file)
sys.exit(done())
