# SPDX-License-Identifier: MIT
"""Relations of counts: what tables, findings and rules count is counted once more in the events and intervals."""
import collections
import json
import re

import commands
import sums

EDGES = ("SYS_START", "SYS_STOP", "POSIX_TRACE_START", "POSIX_TRACE_STOP")  # of the recorder


def by_thread(intervals):
    """[the intervals of a thread, in their order, without those that have no length]"""
    found = collections.defaultdict(list)
    for interval in intervals:
        if interval["kind"] == "thread" and interval["from"] < interval["to"]:
            found[json.dumps(interval["subject"])].append(interval)
    return list(found.values())


def changes(intervals):
    """(the state before, the interval that begins another state) of a thread. An interrupted thread still has its core."""
    last = None
    for interval in intervals:
        state = "running" if interval["state"] == "interrupted" else interval["state"]
        before = last[0] if last and last[1] == interval["from"] else "unknown"
        core = interval["core"] if state == "running" else None
        if before != state or core is not None and last[2] not in (None, core):
            yield before, state, interval
        last = (state, interval["to"], core if core is not None or not last else last[2])


def counts_are_of_intervals(recording, folder):
    tables, intervals = recording.tables(), recording.intervals()
    yield from wakes_and_blocks(tables, intervals)
    yield from contentions(tables, intervals)
    yield from emptiness(recording, tables, intervals)
    yield from leaks(tables)
    if not tables["losses"]:
        yield from nestings(tables, intervals)
        yield from periods(recording, folder)
    yield from late_wakes(recording, intervals)


def wakes_and_blocks(tables, intervals):
    """A thread is woken if it may run and could not before; it blocks if it ran and waits. Threads that share a row, as the recording has
    two ids of one thread, are left out: their intervals continue each other."""
    woken, blocked = [], []
    for thread in by_thread(intervals):
        found = list(changes(thread))
        woken.append((sum(state in ("ready", "running") and (before in ("waiting", "created") or interval["by"] is not None)
                          for before, state, interval in found),))
        blocked.append((sum(before == "running" and state == "waiting" for before, state, _ in found),))
    if len(woken) == len(tables["threads"]):
        yield from sums.compare("threads", tables["threads"], ("wakeups",), sorted(woken), 0)
        yield from sums.compare("threads", tables["threads"], ("blocks",), sorted(blocked), 0)


def lock_of(thing):
    """The kind and the name of a lock, as a table has them."""
    return thing["kind"], str(thing["id"] if thing["name"] is None else thing["name"])


def contentions(tables, intervals):
    """An acquisition is contended if the thread waited for the lock since it last got it: if all acquisitions have a
    hold, their number is known, else there are at least as many waits."""
    waits, holds = collections.defaultdict(list), collections.defaultdict(list)
    for interval in intervals:
        if interval["kind"] == "lock" and interval["state"] == "held" and interval["from_seq"] is not None and interval["certainty"] == "exact":
            holds[lock_of(interval["subject"])].append((interval["from"], json.dumps(interval["object"])))
        elif interval["kind"] == "thread" and interval["reason"] == "lock" and interval["object"] and interval["to_seq"] is not None:
            waits[lock_of(interval["object"]), json.dumps(interval["subject"])].append(interval["to"])
    for row in tables["locks"]:
        last, expected, lock = {}, 0, (row["kind"], row["lock"])
        for at, owner in sorted(holds[lock]):
            expected += any(last.get(owner, -1) < end <= at for end in waits[lock, owner])
            last[owner] = at
        if len(holds[lock]) == row["acquisitions"] and row["contended"] != expected:
            yield f"locks: {row['lock']} was contended {row['contended']} times, by the intervals {expected} times"
        most = sum(len(ends) for (waited, _), ends in waits.items() if waited == lock)
        if row["contended"] > most:
            yield f"locks: {row['lock']} was contended {row['contended']} times, the intervals have {most} waits"


def emptiness(recording, tables, intervals):
    """A queue is empty while its level is 0, and full while it is its capacity."""
    hz = json.loads(recording.run("info", "--json").out)["clock"]["hz"]
    scale = 1e9 / hz if hz and recording.units()["load", "running"] == "ns" else 1
    levels = collections.defaultdict(list)
    for interval in intervals:
        if interval["kind"] == "level" and interval["subject"]["name"]:
            levels[interval["subject"]["name"]].append((interval["value"], (interval["to"] - interval["from"]) * scale))
    for row in commands.named(tables["queues"], "queue"):
        found = levels[row["queue"]]
        margin = len(found) if scale != 1 else 0
        for name, level in ("empty", 0), ("full", row["capacity"]):
            expected = sum(length for value, length in found if value == level)
            if row["kind"] == "queue" and found and row[name] is not None and abs(row[name] - expected) > margin:
                yield f"queues: {row['queue']} is {name} for {row[name]}, the intervals have {expected}"


def leaks(tables):
    """What is not freed of a pool is what its threads have not freed."""
    pools = collections.defaultdict(collections.Counter)
    for row in tables["memory"]:
        sign = -1 if row["kind"] == "leak" else 1
        for name in "leaks", "leaked":
            pools[row["pool"], row["process"]][name] += sign * (row[name] or 0)
    for pool, counts in pools.items():
        if any(counts.values()):
            yield f"memory: pool {pool} has {dict(counts)} more than its threads"


def nestings(tables, intervals):
    """An interrupt is nested if it begins and ends within another one of its core."""
    cores = collections.defaultdict(list)
    for interval in intervals:
        if interval["kind"] == "interrupt" and None not in (interval["from_seq"], interval["to_seq"]):
            cores[interval["core"]].append(interval)
    least = sum(any(other["from_seq"] < one["from_seq"] and one["to_seq"] < other["to_seq"]
                    for other in some) for some in cores.values() if len(some) < 2000 for one in some)
    shown = sum(row["nested"] for row in tables["interrupts"])
    if shown < least:
        yield f"interrupts: {shown} are nested, the intervals have {least}"


def periods(recording, folder):
    """Between so many events lie one less periods. Where the recorder starts or stops, one or two of them are not known."""
    events = recording.events()
    names = collections.Counter(row["name"] for row in events if "name" in row)
    n_edges = sum(names[name] for name in EDGES)
    some = [name for name, count in sorted(names.items()) if count > 1 and re.fullmatch(r"[A-Za-z_]\w+", name)][:4]
    if not some or any("run" in row for row in events):
        return
    unit = recording.units()["threads", "running"]
    for name, verdict in zip(some, commands.checked(recording, commands.rules_file(folder, [f"period(event {name}) >= 0{unit}" for name in some]))):
        if not names[name] - 1 - 2 * n_edges <= verdict.get("measured", -1) <= names[name] - 1:
            yield f"check: {verdict.get('measured')} periods of {names[name]} events {name}"


def late_wakes(recording, intervals):
    """A thread that was woken late had waited before."""
    before = {}
    for thread in by_thread(intervals):
        for one, other in zip(thread, thread[1:]):
            before[thread[0]["subject"]["name"], other["from"], other["state"]] = one["state"]
    for finding in recording.findings():
        if finding["finding"] == "late_wakeup":
            state = before.get((finding["subjects"][0], finding["from"], "ready"), "waiting")
            if state not in ("waiting", "unknown"):
                yield f"explain: {finding['text']} It was {state} before"
