#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What each pass makes of templates: tests/goldens/template/NAME.trcfmt and its dumps NAME.PASS (`template check --dump`).

`BLESS=1 tests/template/passes.t` writes what is given now as what must be; the change is then read by a person.
"""
import glob
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import difference, done, ok, rastrum  # noqa: E402

PASSES = "lex", "parse", "resolve", "code"


def dump_of(path, pass_name, bits):
    return rastrum("template", "check", "--dump", pass_name, "--env", bits, path)


def check(path, pass_name, bits):
    result = dump_of(path, pass_name, bits)
    golden = f"{path.removesuffix('.trcfmt')}.{pass_name}{'' if bits == 32 else bits}"
    name = os.path.basename(golden)
    ok(result.status == 0, f"{os.path.basename(path)} has no errors when {pass_name} is shown", result.err)
    if os.environ.get("BLESS"):
        with open(golden, "w", encoding="utf-8") as out:
            out.write(result.out)
    expected = open(golden, encoding="utf-8").read().splitlines() if os.path.exists(golden) else []
    faults = difference(result.lines, expected)
    ok(expected and not faults, f"{name} is what the pass makes of it", *faults)


FILES = sorted(glob.glob("tests/goldens/template/*.trcfmt"))
ok(FILES, "there are templates")
for file in FILES:
    for one in PASSES:
        check(file, one, 32)
    if not file.endswith("events.trcfmt"):
        check(file, "code", 64)
unknown = rastrum("template", "check", "--dump", "nothing", FILES[0])
ok(unknown.status == 2 and "lex, parse, resolve, code" in unknown.err, "a pass that is not there is refused, and those are named")
sys.exit(done())
