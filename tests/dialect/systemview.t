#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SystemView's recordings against the facts that an independent reader found in them: counts, losses, names, the clock."""
import collections
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, rastrum, same  # noqa: E402

FOLDER = "tests/data/systemview/"


def rows(*words, stdin=b""):
    """The exit status and the rows of a report."""
    got = rastrum("report", "--format", "jsonl", *words, stdin=stdin)
    return got.status, [json.loads(line) for line in got.out.splitlines()]


def counts(found):
    """How often each event that every recorder has occurs."""
    return dict(collections.Counter(row["name"] for row in found if row.get("name")))


def names(found):
    return {row["args"]["task"]: row["args"]["name"] for row in found if row.get("name") == "TASK_INFO"}


for name in ("real_restart", "real_overflow", "real_shift2"):
    path = FOLDER + name + ".bin"
    with open(FOLDER + name + ".json", encoding="utf-8") as file:
        facts = json.load(file)
    status, found = rows(path)
    events = [row for row in found if row.get("name") in facts["counts"] or "args" in row]
    known = counts(found)
    same(status, 0, f"{name}: it is recognised and read")
    same(len(events), facts["events"], f"{name}: as many events")
    same({key: known.get(key) for key in facts["counts"]}, facts["counts"], f"{name}: as many of each")
    same(names(found), facts["tasks"], f"{name}: the names of tasks")
    info = rastrum("info", path).out
    info = info.decode() if isinstance(info, bytes) else info
    same(f"{facts['lost']} events lost, in {facts['gaps']} places" in info, facts["lost"] > 0, f"{name}: its losses")
    with open(path, "rb") as file:
        status, piped = rows("-", stdin=file.read())
    same(counts(piped), known, f"{name}: the same from a pipe")
done()
