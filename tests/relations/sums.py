# SPDX-License-Identifier: MIT
"""Relations of tables and intervals: the figures are added up from the intervals once more."""
import collections
import itertools
import json

import parts

STATES = ("running", "ready", "waiting", "interrupted", "idle", "unknown")
REASONS = ("sleep", "lock", "semaphore", "queue", "flags", "memory", "io", "join", "child", "suspended", "other")


class Sums:
    """What intervals of a kind come to, for each subject."""

    def __init__(self, intervals, kind, scale, first, last):
        self.scale, self.times = scale, collections.defaultdict(collections.Counter)
        for interval in intervals:
            if interval["kind"] == kind:
                subject = json.dumps(interval["subject"])
                ticks = max(0, min(last, interval["to"]) - max(first, interval["from"]))
                self.times[subject][interval["state"]] += ticks
                if interval["state"] == "waiting":
                    self.times[subject][f"waiting_{interval['reason']}"] += ticks

    def of(self, *names):
        """[the times of these names, of each subject], in order."""
        return sorted(tuple(times[name] * self.scale for name in names) for times in self.times.values())


def compare(what, rows, names, expected, margin):
    """Rows and subjects in the order of their figures; one of nothing but zeros may be missing. Where an id is used again, or a thread
    has another name, subjects may share a row: their sum is compared."""
    got = sorted(found for row in rows if any(found := tuple(row[name] or 0 for name in names)))
    expected = [found for found in expected if any(found)]
    if len(got) != len(expected):
        got, expected = ([tuple(map(sum, zip(*found)))] if found else [] for found in (got, expected))
    for one, other in itertools.zip_longest(got, expected, fillvalue=(0,) * len(names)):
        if any(abs(a - b) > margin for a, b in zip(one, other)):
            yield f"{what}: {names} {one}, the intervals have {other}"
            return


def tables_are_sums(recording, _):
    return of_window(recording, recording.tables(), 0, 1 << 64)


def windows_are_sums(recording, _):
    """The figures of a window are those of the whole, of which it is a part."""
    first, last = parts.window_of(recording)
    return of_window(recording, recording.tables("--from", str(first), "--to", str(last)), first, last)


def of_window(recording, tables, first, last):
    intervals = recording.intervals()
    hz = json.loads(recording.run("info", "--json").out)["clock"]["hz"]
    scale = 1e9 / hz if hz and recording.units()["load", "running"] == "ns" else 1
    margin = len(intervals) if scale != 1 else 0  # each duration is rounded
    of_kind = {kind: Sums(intervals, kind, scale, first, last) for kind in ("thread", "core", "lock", "interrupt")}
    threads = [row for row in tables["load"] if row["kind"] == "thread"]
    for names in (STATES[:4], *((f"waiting_{reason}",) for reason in REASONS)):
        yield from compare("load of threads", threads, names, of_kind["thread"].of(*names), margin)
    yield from compare("threads", tables["threads"], STATES[:3], of_kind["thread"].of(*STATES[:3]), margin)
    cores = [row for row in tables["load"] if row["kind"] == "core"]
    yield from compare("load of cores", cores, ("running", "idle"), of_kind["core"].of("running", "idle"), margin)
    yield from compare("interrupted cores", cores, ("interrupted",), of_kind["core"].of("interrupt"), margin)
    yield from compare("locks", tables["locks"], ("total_hold", "unknown"), of_kind["lock"].of("held", "unknown"), margin)
    levels = collections.defaultdict(list)
    for interval in intervals:
        if interval["kind"] == "level" and max(first, interval["from"]) < min(last, interval["to"]) and interval["subject"]["kind"] in ("queue", "semaphore"):
            levels[json.dumps(interval["subject"])].append(interval["value"])
    shown = collections.Counter(row["max_level"] for row in tables["queues"] if row["kind"] in ("queue", "semaphore") and row["max_level"] is not None)
    others = shown - collections.Counter(max(values) for values in levels.values())  # what no event of the window names has no row
    if others:
        yield f"queues: max_level {sorted(others)}, which no level of the intervals is"
