# SPDX-License-Identifier: MIT
from build import Goal, Encoder

USER = "TX_TRACE_USER_EVENT_START+"
SOURCES = [("steps", "thread"), ("ticks", "isr"), ("timers", "isr")]  # user events by their offset
MASK = 0xffffffff


def whole(row):
    """Every field of a user event follows from its number."""
    number = row["args"]["info1"]
    return row["args"]["info2"] == ~number & MASK and row["args"]["info3"] == number * 3 & MASK


def right_thread(row):
    return row["context"]["name"] == ("producer", "consumer")[row["args"]["info4"] % 2]


def check_dump(dump, printed, rastrum):
    """The memory as it is: every event whole, each source's without a gap up to its last, overwritten ones counted."""
    rows = rastrum.rows(dump, "--dialect", "threadx")
    faults = []
    for offset, (source, context) in enumerate(SOURCES):
        mine = [row for row in rows if row["name"] == f"{USER}{offset}"]
        numbers = [row["args"]["info1"] for row in mine]
        if not numbers or numbers != list(range(printed[source] - len(numbers), printed[source])):
            faults.append(f"{source}: {numbers[:3]} to {numbers[-3:]} of {printed[source]}")
        faults += [f"not whole: {row}" for row in mine if not whole(row) or row["context"]["kind"] != context]
        if context == "thread":
            faults += [f"wrong thread: {row}" for row in mine if not right_thread(row)]
    puts = [row for row in rows if row["name"] == "TX_TRACE_SEMAPHORE_PUT"]
    if not puts or any("semaphore 'items'" not in row["text"] for row in puts):
        faults.append(f"the semaphore has no name: {puts[:1]}")
    stamps = [row["ts"] for row in rows]
    if stamps != sorted(stamps):
        faults.append("stamps step back")
    if not printed["overwritten"] or len(rows) + printed["overwritten"] != printed["recorded"]:
        faults.append(f"{len(rows)} here, {printed['overwritten']} overwritten, {printed['recorded']} recorded")
    return faults


ENCODER = Encoder(
    name="threadx",
    sources=[f"embed/threadx/tx_trace_{part}.c" for part in ("insert", "enable", "registry", "products", "off")],
    choices={"embed/threadx/tx_trace_interrupt.c": "TX_TRACE_INTERRUPT_CONTROL_WANTED"},
    headers=["embed/threadx/tx_trace.h"] + [f"embed/threadx/{product}_trace.h" for product in ("fx", "nx", "ux")],
    defines=["-DTX_ENABLE_EVENT_TRACE"],
    variants=[[], ["-DTX_ENABLE_EVENT_TRACE", "-DTX_MISRA_ENABLE", "-DTX_TRACE_ORIGINAL_COUNTS=1"],
              ["-DTX_ENABLE_EVENT_TRACE", "-DTX_TRACE_WORD_BITS=64", "-DRASTRUM_N_CORES=2", "-DRASTRUM_CORE()=1u"]],
    record_path=["_tx_trace_user_event_insert", "entry_store"],
    check=check_dump,
    demo=["--clock-hz", "25M", "--limit", "10"],
    goals=[
        Goal("host", "user event", 60, "ThreadX 308 with a mutex"),
        Goal("m3 -O2", "user event", 70), Goal("m0 -O2", "user event", 90),
    ],
)
