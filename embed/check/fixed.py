# SPDX-License-Identifier: MIT
from build import Goal, Encoder

SOURCES = ["STEP", "TICK", "DEVICE"]


def check_dump(dump, printed, rastrum):
    """Each event whole, each source in its order, recorded = read + lost."""
    rows = rastrum.rows(dump, "--dialect", "compact")
    faults, last = [f"row {i}: {row}" for i, row in enumerate(rows) if row.get("name") not in SOURCES], {}
    for i, row in enumerate(rows):
        if row.get("name") not in SOURCES:
            continue
        source, a, b = SOURCES.index(row["name"]), row["args"]["a"], row["args"]["b"]
        if b != ~(a + source) & 0xffffffff:
            faults.append(f"row {i} is no record: {row}")
        if a <= last.get(source, -1):
            faults.append(f"row {i}: record {a} of {row['name']} after {last[source]}")
        last[source] = a
    stamps = [row["ts"] for row in rows if "ts" in row]
    if stamps != sorted(stamps):
        faults.append("stamps step back")
    if len(last) != len(SOURCES):
        faults.append(f"sources seen: {sorted(last)}")
    lost = rastrum.details(dump, "--dialect", "compact")["lost_before"]
    if len(rows) != printed["taken"] or lost != printed["lost"] or printed["taken"] + printed["lost"] != printed["recorded"]:
        faults.append(f"{len(rows)} rows, {lost} lost before, but {printed}")
    return faults


ENCODER = Encoder(
    name="fixed",
    sources=["embed/core/event.c", "embed/core/cells.c", "embed/core/bits.c"],
    sending=["embed/compact/plain.c", "embed/compact/take.c", "embed/compact/compact.c"],
    demo=["--limit", "12"],
    headers=["embed/compact/plain.h", "embed/compact/events.h"],
    record_path=["rastrum_event"],
    check=check_dump,
    goals=[
        Goal("m3 -O2", "event", 26), Goal("m3 -Os", "event", 26),
        Goal("m0 -O2", "event", 32), Goal("m0 -Os", "event", 32),
        Goal("m3 -Os", "record path", 160), Goal("m0 -Os", "record path", 160),
    ],
)
