# SPDX-License-Identifier: MIT
from build import Goal, Encoder


def numbered(rows, name, key, first):
    """The events `name`, whose value `key` counts on without a gap up to the last that was made."""
    values = [row["args"][key] for row in rows]
    return [] if values == list(range(first - len(values), first)) and values else [
        f"{name}: {values[:3]} to {values[-3:]} of {first}"]


def check_dump(dump, printed, rastrum):
    """What is there is whole and without a gap up to the end; before it is as much as the first block says."""
    rows = rastrum.rows(dump, "--dialect", "compact")
    faults = [f"row {i}: {row}" for i, row in enumerate(rows) if "name" not in row]
    steps = [row for row in rows if row.get("name") == "STEP"]
    interrupts = [row for row in rows if row.get("name") == "INTERRUPT"]
    faults += [f"not whole: {row['args']}" for row in steps if row["args"]["b"] != ~row["args"]["a"] & 0xffffffff]
    faults += numbered(steps, "steps", "a", printed["steps"])
    for number, count in ((15, "ticks"), (24, "timers")):
        faults += numbered([row for row in interrupts if row["args"]["a"] == number], count, "b", printed[count])
    before = rastrum.details(dump, "--dialect", "compact")["events_before"]
    if before + len(rows) != printed["recorded"] or printed["lost"] or not before:
        faults.append(f"{before} before, {len(rows)} here, {printed['recorded']} recorded, {printed['lost']} lost")
    if printed["mix lost"]:
        faults.append(f"{printed['mix lost']} events of the mix were lost")
    rastrum.measured["mean bytes on the link"] = printed["mix bytes"] / printed["mix events"]
    return faults


ENCODER = Encoder(
    name="compact",
    sources=["embed/compact/compact.c", "embed/compact/take.c", "embed/core/cells.c", "embed/core/bits.c"],
    headers=["embed/compact/compact.h", "embed/compact/events.h"],
    demo=["--limit", "12"],
    record_path=["rastrum_compact_2", "compact_turn"],
    check=check_dump,
    goals=[
        Goal("m3 -O2", "event", 45, "SystemView 117"), Goal("m0 -O2", "event", 60, "SystemView 194"),
        Goal("m3 -O2", "mean bytes on the link", 5, "SystemView about 6"),
        Goal("m0 -O2", "mean bytes on the link", 5, "SystemView about 6"),
    ],
)
