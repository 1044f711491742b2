# SPDX-License-Identifier: MIT
from build import Goal, Encoder

MASK = 0xffffffff
SOURCES = [f"embed/liteos/{name}.c" for name in (
    "los_trace", "trace_event", "trace_object", "trace_offline", "trace_online", "trace_pipeline", "trace_pipeline_ring",
    "trace_tlv", "trace_agent", "trace_print", "trace_text", "trace_lock")] + ["embed/core/bytes.c"]
DEFINES = ['-DRASTRUM_LITEOS_CONFIG_H="embed/check/liteos_config.h"']


def numbers_of(rows, name, at):
    """The values of the user events `name`, and which of them are not whole: the last value is all bits of the one before
    turned over."""
    values = [list(row["args"].values())[:3] for row in rows if row["name"] == name]
    values = [[int(v, 16) if isinstance(v, str) else v for v in row] for row in values]
    return [row[at] for row in values], [f"{name} is not whole: {row}" for row in values if row[at + 1] != ~row[at] & MASK]


def numbered(what, numbers, n_made, keeps_newest):
    """Without a gap: from the first one on, or up to the last."""
    first = n_made - len(numbers) if keeps_newest else 0
    return [] if numbers and numbers == list(range(first, first + len(numbers))) else [
        f"{what}: {numbers[:3]} to {numbers[-3:]} of {n_made}"]


def check_rows(rows, printed, keeps_newest):
    events = [row for row in rows if "name" in row and "cmd" not in row["args"]]  # a start is no event of the program
    steps, faults = numbers_of(events, "USER_1", 0)
    faults += numbered("steps", steps, printed["steps"], keeps_newest)
    for number, count in ((15, "ticks"), (24, "timers")):
        own = [row for row in events if row["name"] == "USER_2" and list(row["args"].values())[0] in (number, hex(number))]
        numbers, broken = numbers_of(own, "USER_2", 1)
        faults += broken + numbered(count, numbers, printed[count], keeps_newest)
    n_made = 2 + 4 * printed["steps"] + 3 * (printed["ticks"] + printed["timers"])
    if len(events) + printed["lost"] != n_made or not printed["lost"]:
        faults.append(f"{len(events)} events and {printed['lost']} lost of {n_made}")
    return faults


def check_dump(dump, printed, rastrum):
    """A flight recorder: the newest events are there."""
    rows = rastrum.rows(dump, "--opt", "variant=m")
    return check_rows(rows, printed, True) + [f"damage: {row}" for row in rows if "name" not in row]


ENCODER = Encoder(
    name="liteos",
    sources=SOURCES,
    headers=[f"embed/liteos/{name}.h" for name in (
        "los_trace", "los_trace_pri", "trace_pipeline", "trace_pipeline_ring", "los_dev_trace")],
    choices={"embed/liteos/trace_pipeline_serial.c": "LOSCFG_TRACE_PIPELINE_SERIAL",
             "embed/liteos/trace_shell.c": "LOSCFG_TRACE_CONTROL_VIA_SHELL",
             "embed/liteos/los_dev_trace.c": "LOSCFG_DRIVERS_TRACE"},
    defines=DEFINES,
    record_path=["OsTraceHook", "event_special"],
    check=check_dump,
    demo=["--opt", "variant=m", "--limit", "10"],
    goals=[
        Goal("host", "event", 70, "liteos_a 151"), Goal("host", "masked out", 8, "liteos_a 43"),
    ],
)
