# SPDX-License-Identifier: MIT
import struct

from kit import Goal, Voice


def judge(dump, said, _rastrum):
    """Each cell whole, each source in its order, recorded = taken + lost."""
    faults, last = [], {}
    data = open(dump, "rb").read()
    cells = list(struct.iter_unpack("<IIII", data))
    for i, (_stamp, ident, a, b) in enumerate(cells):
        if b != ~(a + ident - 1) & 0xffffffff:
            faults.append(f"cell {i} is no record: {ident:#x} {a:#x} {b:#x}")
        if a <= last.get(ident, -1):
            faults.append(f"cell {i}: record {a} of {ident} after {last[ident]}")
        last[ident] = a
    stamps = [c[0] for c in cells]
    if stamps != sorted(stamps):
        faults.append("stamps step back")
    if set(last) != {1, 16, 25}:
        faults.append(f"sources seen: {sorted(last)}")
    if len(cells) != said["taken"] or said["taken"] + said["lost"] != said["recorded"]:
        faults.append(f"{len(cells)} cells, but {said}")
    return faults


VOICE = Voice(
    name="fixed",
    sources=["embed/core/event.c", "embed/core/cells.c", "embed/core/bits.c"],
    headers=["embed/core/event.h"],
    record_path=["rastrum_event"],
    judge=judge,
    goals=[
        Goal("m3 -O2", "event", 26), Goal("m3 -Os", "event", 26),
        Goal("m0 -O2", "event", 32), Goal("m0 -Os", "event", 32),
        Goal("m3 -Os", "record path", 160), Goal("m0 -Os", "record path", 160),
    ],
)
