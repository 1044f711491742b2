#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings of recordings whose figures were computed by hand, and none in healthy ones."""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import Faults, done, golden_bytes, ok, rastrum, same

INVERSION = "tests/data/threadx/priority_inversion.trx"


def explain(*args):
    """The findings as objects."""
    run = rastrum("explain", "--json", *args)
    return [json.loads(line) for line in run.out.splitlines()]


def check_inversion():
    found = explain(INVERSION)
    same([(f["finding"], f["severity"], f["subjects"], f["certain"]) for f in found],
         4 * [("priority_inversion", "error", ["high", "low", "resource (plain)", "medium"], True)],
         "a thread waits for a lock whose holder a less urgent thread keeps from running: each of four times")
    # Waits from the suspension of 'high' to its resumption; 'medium' runs from its resumption to its suspension.
    waited = [6657979, 6623278, 6628906, 6618721]
    ran = [340488235 - 338924593, 350952829 - 349407844, 361404112 - 359863584, 371860032 - 370317711]
    faults = Faults()
    for finding, wait, other in zip(found, waited, ran):
        faults.compare("sentence", finding["text"],
                       f"'high' (priority 4) waited {wait} ticks for mutex 'resource (plain)', which 'low' (priority 20) held, "
                       f"while 'medium' ran for {other} ticks; nothing bounds this time. With priority inheritance 'high' would "
                       f"have waited {wait - other} ticks.")
    ok(not faults, "its sentence says for how long, and what inheritance would have done", *faults)
    same([(f["from"], f["to"], f["evidence"]) for f in found[:1]], [(336372422, 343030682, [24, 25, 27, 30, 31, 32])],
         "it reaches from the request to the end of the wait, and its evidence is what each thread did")
    text = rastrum("explain", INVERSION).out.split("\n\n")[0].splitlines()
    same(text, ["error: priority inversion: 'high' (priority 4) waited 6657979 ticks for mutex",
                "  'resource (plain)', which 'low' (priority 20) held, while 'medium' ran for",
                "  1563642 ticks; nothing bounds this time. With priority inheritance 'high'",
                "  would have waited 5094337 ticks.",
                "    336372422  high    waits for mutex 'resource (plain)', held by 'low' (TX_WAIT_FOREVER)",
                "    336372703  high    is suspended to wait for a mutex (next to run: 'low')",
                "    338924593  low     resumes 'medium', which waited for a semaphore (next to run: 'medium')",
                "    340488235  medium  is suspended to wait for a semaphore (next to run: 'low')",
                "    343030361  low     releases mutex 'resource (plain)'",
                "    343030682  low     resumes 'high', which waited for a mutex (next to run: 'high')"],
         "text has the sentence and the lines of the report that prove it")


def check_tracex():
    """As many as TraceX counts where another thread ran; it calls those nondeterministic."""
    faults = Faults()
    for path in sorted(glob.glob("tests/data/threadx/**/*.trx", recursive=True)):
        with open(path.replace(".trx", ".expected.json"), encoding="utf-8") as file:
            counted = json.load(file)["tracex"]["priority_inversions_nondeterministic"]
        faults.compare(path, len(explain("--kind", "priority_inversion", path)), counted)
    ok(not faults, "there are as many inversions as TraceX finds in each recording", *faults)


def check_options():
    same(len(explain("--threshold", "priority_inversion=1550000", "--kind", "priority_*", INVERSION)), 1,
         "--threshold leaves out what is below it: one of four ran for more than 1550000 ticks")
    same([f["text"] for f in explain("--kind", "!priority_inversion,long_wait", INVERSION)][:1],
         ["'high' waited 6657979 ticks for mutex 'resource (plain)', which 'low' held."],
         "--kind chooses kinds; a long wait is a finding where it is not told as a part of an inversion")
    same(explain("-c", "collector", INVERSION), [], "--context shows only findings about these threads …")
    same(len(explain("-c", "medium", INVERSION)), 4, "… and looks at all threads to find them")
    bad = rastrum("explain", "--threshold", "long_wait=soon", INVERSION)
    ok(bad.status == 2 and "long_wait" in bad.err, "a threshold that cannot be read is wrong usage", bad.err)
    bad = rastrum("explain", "--threshold", "long_wiat=1", INVERSION)
    ok(bad.status == 2 and "did you mean long_wait" in bad.err, "a kind that is misspelt gets a suggestion", bad.err)


check_inversion()
check_tracex()
check_options()
lost = rastrum("explain", "--json", "-q", "-", stdin=golden_bytes("tests/goldens/compact/loss.hex"))
lost = [json.loads(line) for line in lost.lines]
# Events at 6, 51, 52, 91, 93 (a new run begins at 92); 3, 4 and 3 are lost behind the first, the third and the fourth.
same([(each["finding"], each["severity"], each["from"], each["to"], each["evidence"]) for each in lost],
     [("loss", "warning", 6, 93, [0, 1, 2, 3, 4])], "losses are one finding, with the events next to them")
ok("3 losses, with 10 lost events; what happened in 86 ticks (98.9 % of the window)" in lost[0]["text"],
   "which says how many events, and how much time is not known", lost[0]["text"])
two_of = {"diff": ["tests/data/threadx/basic_objects.trx"], "check": ["examples/check/periodic.rules"]}
for command in "stats", "explain", "check", "diff", "draw", "curt", "splat":
    result = rastrum(command, "--from", "1s", *two_of.get(command, []), "tests/data/threadx/priority_inversion.trx")
    ok(result.status == 2 and len(result.err.splitlines()) == 1 and "--clock-hz" in result.err,
       f"{command} with a time and without a clock prints one sentence", result.status, result.err)
sys.exit(done())
