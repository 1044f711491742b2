#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Streams of Percepio's recorder: counts of events, losses, names and times are those that an independent decoder found. Bytes
that are no event cost themselves and no more; a stream in pieces reads as the whole.
"""
import collections
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, ok, rastrum  # noqa: E402

DATA = "tests/data/percepio/"
FACTS = {  # events, events lost, places, first and last ticks, some counts
    "real_drop32.psf": (6496, 2848, 53, 1000, 721961, {}),
    "made_interleaved2.psf": (2764, 0, 0, 5000, 103780, {"ISR_BEGIN": 519, "ISR_RESUME": 286, "STATEMACHINE_STATECHANGE": 490}),
    "real_baremetal2.core0.psf": (1440, 0, 0, 5000, 103780, {"ISR_BEGIN": 275}),
}


def rows(path, *more):
    result = rastrum("report", "--format", "jsonl", *more, path)
    return result, [json.loads(line) for line in result.out.splitlines()]


def events(all_rows):
    return [row for row in all_rows if "name" in row]


for name, (n_events, n_lost, n_places, first, last, counts) in FACTS.items():
    result, found = rows(DATA + name)
    real = events(found)
    lost = [row["lost"] for row in found if "lost" in row]
    ok(len(real) == n_events, f"{name}: {n_events} events are read without --dialect")
    ok((sum(lost), len(lost)) == (n_lost, n_places), f"{name}: {n_lost} events are lost in {n_places} places")
    ok((real[0]["ts"], real[-1]["ts"]) == (first, last), f"{name}: first and last times are right")
    seen = collections.Counter(row["name"] for row in real)
    ok(all(seen[key] == n for key, n in counts.items()), f"{name}: counts of some events are right")

_, found = rows(DATA + "made_interleaved2.psf")
ok({row["core"] for row in events(found)} == {0, 1}, "events of two cores in one stream keep their core")
_, found = rows(DATA + "real_drop32.psf")
ok("consumer" in {row["context"]["name"] for row in events(found)}, "tasks have their names")

with open(DATA + "real_baremetal2.core0.psf", "rb") as file:
    whole = file.read()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "damaged.psf")
    middle = len(whole) - 4000
    while whole[middle + 2:middle + 4] == b"\0\0":
        middle += 4
    with open(path, "wb") as file:
        file.write(whole + b"\xff" * 90 + whole)
    result, found = rows(path)
    ok(result.status == 3, "bytes that are no event: exit status 3")
    ok(len(events(found)) == 2 * 1440, "all events around them are read")
    ok([row["damage"]["bytes"] for row in found if "damage" in row] == [90], "the damage has the bytes that were put in")
    ok([row["run"] for row in found if "run" in row] == [2], "a header in place of an event begins a run")
    with open(path, "wb") as file:
        file.write(whole[:-3])
    result, found = rows(path)
    ok(result.status == 3 and len(events(found)) == 1439, "a cut event is damage")

done()
