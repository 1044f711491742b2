# SPDX-License-Identifier: MIT
from build import Goal, Encoder

TEXT = b"a message of the task\0"


def numbered(name, values, n_made):
    """Counted on without a gap up to the last that was made."""
    return [] if values and values == list(range(n_made - len(values), n_made)) else [
        f"{name}: {values[:3]} to {values[-3:]} of {n_made}"]


def whole(row):
    """Whether an entry is all that its program has put into it."""
    args = row["args"]
    if row["name"] == "0F4":
        return args["d2"] == ~args["d1"] & 0xffffffff and args["d5"] == args["d1"]
    if row["name"] == "0F5":
        return bytes.fromhex(args["bytes"]) == TEXT[:args["d1"] % len(TEXT)]
    return True


def check_dump(dump, printed, rastrum):
    """What is there is whole and without a gap up to the end; losses before it are reported in front of it."""
    rows = rastrum.rows(dump)
    events = [row for row in rows if "name" in row]
    faults = [f"not whole: {row['name']} {row['args']}" for row in events if not whole(row)]
    if rows[0].get("lost") != printed["lost"] or not printed["lost"] or len(events) != len(rows) - 1:
        faults.append(f"{rows[0]} in front, {printed['lost']} lost")
    for hook, key in (("0F4", "steps"), ("0F5", "steps")):
        faults += numbered(hook, [row["args"]["d1"] for row in events if row["name"] == hook], printed[key])
    for number, key in ((15, "ticks"), (24, "timers")):
        faults += numbered(key, [row["args"]["d1"] for row in events
                                 if row["name"] == "0F1" and row["args"]["data"] == number], printed[key])
    # On; five for a step, two for an interrupt; off.
    made = 2 + 5 * printed["steps"] + 2 * (printed["ticks"] + printed["timers"])
    if len(events) + printed["lost"] != made:
        faults.append(f"{len(events)} here, {printed['lost']} lost, {made} made")
    report = rastrum.text(dump, "--format", "aix").splitlines()
    for start, level in (("0F4", 35), ("0F3", 43), ("0F0", 51), ("0F1", 59)):
        lines = [line for line in report if line.startswith(start)]
        if not lines or any(line[level - 1] != " " or line[level] == " " for line in lines):
            faults.append(f"{start} does not stand in column {level}: {lines[:1]}")
    if not any(line.endswith('is "a message"') for line in report):
        faults.append("no message is read")
    return faults


ENCODER = Encoder(
    name="aix",
    sources=["embed/aix/record.c", "embed/aix/channel.c", "embed/core/bytes.c"],
    headers=["embed/aix/sys/trcmacros.h"],
    record_path=["rastrum_aix_record"],
    check=check_dump,
    demo=["--format", "aix", "--limit", "10"],
    goals=[
        Goal("m3 -O2", "hook, one word", 64), Goal("m0 -O2", "hook, one word", 84),
        Goal("m3 -O2", "channel off", 8), Goal("m0 -O2", "channel off", 8),
    ],
)
