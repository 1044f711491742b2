# SPDX-License-Identifier: MIT
"""Relations of simulated systems that are recorded in several ways: other words, one event more, some events less."""
import json

import commands
import differ
import recordings
import rkh
import rtos_sim
from tap import slurp

USER = {"threadx": 0x1FF0, "liteos_m": 0xFFFFFFF9, "liteos_a": 0xFFFFFFF9}
# What a kernel records within a call: a thread that records an event of its own before one of these has returned from the call, which
# then is not what suspended it.
WITHIN = {"threadx": {1, 2, 3, 4, 5, 6, 56}, "liteos_m": {0x44, 0x45}, "liteos_a": {0x41, 0x44, 0x45}}


def has_words(recording):
    """liteos_m has pointers of 32 bits."""
    return recording.made is not None and recording.made[1] != "liteos_m" and recording.made[2].get("keep") is None


def without_addresses(tables):
    """Rows without ids, which are addresses; so are names of things that have none."""
    return {name: [{column: cell for column, cell in row.items() if column != "id"} for row in rows] for name, rows in tables.items()}


def words_change_nothing(recording, folder):
    kernel = recording.made[1]
    ways = [{"word": word, "endian": order} for word in (4, 8) for order in "<>"] if kernel == "threadx" else [{"ptr": 4}, {"ptr": 8}]
    expected = None
    for way in ways:
        said, _ = recording.again(f"{folder}/words", **way)
        tables = without_addresses(said.tables())
        if expected is not None:
            yield from (f"{way}: {fault}" for fault in differ.tables(tables, expected))
        expected = tables if expected is None else expected


# --- one event more ----------------------------------------------------------------------------------------------------

def can_add(recording):
    return recording.made is not None and not recording.made[2].get("keep") and not recording.made[2].get("tlv")


def with_user_events(kernel, events):
    """Events with user events among them: at the moment, on the core and in the thread of one that is there, before it."""
    found = []
    for n, event in enumerate(events):
        if n % 7 == 5 and isinstance(event.ctx, rtos_sim.Thread) and event.id not in WITHIN[kernel]:
            user = rtos_sim.Event()
            for name in rtos_sim.Event.__slots__:
                setattr(user, name, getattr(event, name))
            user.id, user.args, user.about, user.shows = USER[kernel], (1, 2, 3, 4), set(), set()
            found.append(user)
        found.append(event)
    return found


def uncounted(tables):
    """Without how often events occur, which is in the table of services."""
    return {**tables, "services": [{**row, "share": None} for row in tables["services"] if not row["service"].startswith(("USER", "TX_TRACE_USER"))]}


def event_without_effects(recording, folder):
    scenario, kernel, how = recording.made
    path = f"{folder}/more"
    recording.again(path, **how)
    simulator = rtos_sim.make.last
    n_events = len(simulator.events)
    simulator.events = with_user_events(kernel, simulator.events)
    simulator.write(path)
    more = recording.like(path)
    if len(more.events()) != len(simulator.events) or len(simulator.events) == n_events:
        yield f"{len(more.events())} events, expected {len(simulator.events)}, of {n_events}"
    yield from differ.tables(uncounted(more.tables()), uncounted(recording.tables()))
    kept = ("finding", "from", "to", "text", "certain")
    yield from differ.lists("finding", *([[row[name] for name in kept] for row in said.findings()] for said in (more, recording)))


# --- some events less --------------------------------------------------------------------------------------------------

def is_numbered(recording):
    """RKH streams whose frames have numbers, so that a missing one is told."""
    return recording.name.startswith("tests/data/rkh/r") and "nots" not in recording.name and "nonseq" not in recording.name


def can_lose(recording):
    return recording.made is not None or is_numbered(recording)


def lossy_and_full(recording, folder):
    if recording.made is None:
        frames = rkh.frames(slurp(recording.path))
        gone = range(len(frames) // 2, len(frames) // 2 + 9)
        path = f"{folder}/lossy"
        with open(path, "wb") as file:
            file.write(b"\x7e" + b"".join(frame + b"\x7e" for n, frame in enumerate(frames) if n not in gone))
        return recording.like(path), recording
    if recording.made[1] != "threadx" and recording.made[2].get("count"):
        full, _ = recording.again(f"{folder}/full", keep=None)
        lossy, _ = recording.again(f"{folder}/lossy", keep=None, lose=2)
        return lossy, full
    full, _ = recording.again(f"{folder}/full", keep=None)
    lossy, _ = recording.again(f"{folder}/lossy", keep=len(full.events()) * 2 // 3)
    return lossy, full


def loss_proves_no_more(recording, folder):
    """The clock is given: without one, thresholds of findings are shares of the window."""
    lossy, full = (recordings.Said(said.path, (*said.options, "--clock-hz", "100M")) for said in lossy_and_full(recording, folder))
    stamps = lossy.stamps()
    yield from differ.uncovered(lossy.intervals(), full.intervals(), stamps[0], stamps[-1])
    known = {(row["finding"], json.dumps(row["subjects"])) for row in full.findings()}
    for row in lossy.findings():
        if row["certain"] and row["finding"] != "loss" and (row["finding"], json.dumps(row["subjects"])) not in known:
            yield f"certain finding that the full one has not: {row['text']}"
    # The count of an event is one of the recording, and a filter of the target changes it.
    rules = commands.rules_file(folder, [rule[0] for rule in commands.rules_of(full) if not rule[0].startswith("count")])
    for one, other in zip(commands.checked(lossy, rules), commands.checked(full, rules)):
        if one["rule"] != "lost() == 0" and one["result"] != "undecided" and other["result"] not in (one["result"], "undecided"):
            yield f"{one['rule']}: {one['result']}, of the full one {other['result']}"
