#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Levels of RKH are those after the event: shown on recordings of the real recorder."""
import glob
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, ok, rastrum  # noqa: E402

# Event: noun, field of the object, field of the level (None: it is 0), what it does to the level.
EVENTS = {
    "RKH_TE_MP_GET": ("memory pool", "memPool", "nFree", -1),
    "RKH_TE_MP_PUT": ("memory pool", "memPool", "nFree", 1),
    "RKH_TE_QUE_GET": ("queue", "queue", "nElem", -1),
    "RKH_TE_QUE_GET_LAST": ("queue", "queue", None, -1),
    "RKH_TE_QUE_FIFO": ("queue", "queue", "nElem", 1),
    "RKH_TE_QUE_LIFO": ("queue", "queue", "nElem", 1),
    "RKH_TE_SMA_GET": ("active object", "ao", "nElem", -1),
    "RKH_TE_SMA_FIFO": ("active object", "ao", "nElem", 1),
    "RKH_TE_SMA_LIFO": ("active object", "ao", "nElem", 1),
    "RKH_TE_FWK_AE": ("event pool", "poolId", "nUsed", 1),
    "RKH_TE_FWK_GCR": ("event pool", "poolId", "nUsed", -1),
}
NOUNS = sorted({row[0] for row in EVENTS.values()})
NOUN_WORDS = {noun: ("an " if noun[0] in "ae" else "a ") + noun for noun in NOUNS}


def steps(path):
    """(noun, level before, what the event before did, level, what this one did), without those across a loss."""
    last = {}
    for line in rastrum("report", "--quiet", "--format", "jsonl", path).lines:
        event = json.loads(line)
        if "name" not in event:
            last = {}
            continue
        row, args = EVENTS.get(event["name"]), event["args"]
        if not row or row[1] not in args or (row[2] and row[2] not in args):
            continue
        noun, object_field, level_field, change = row
        level = args[level_field] if level_field else 0
        key = noun, args[object_field]
        if key in last:
            yield noun, *last[key], level, change
        last[key] = level, change


counts = {noun: [0, 0, 0] for noun in NOUNS}  # steps that fit levels after, levels before, neither
for path in sorted(glob.glob("tests/data/rkh/r*.bin")):
    if "overrun" in path or "filter" in path:  # steps are missing there
        continue
    for noun, before, change_before, level, change in steps(path):
        is_after, is_before = level == before + change, level == before + change_before
        if not is_after and not is_before:
            counts[noun][2] += 1
        elif is_after != is_before:
            counts[noun][0 if is_after else 1] += 1
for noun in NOUNS:
    after, before, neither = counts[noun]
    ok(after > 100 and before == 0, f"the level of {NOUN_WORDS[noun]} is the one after the event",
       f"after {after}, before {before}, neither {neither}")
sys.exit(done())
