#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`rastrum diff` over generated schedules (tests/scheduler.py): what has changed is found, and noise is no change."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from scheduler import Schedule
from tap import done, ok, rastrum, same

N_EVENTS = 12000


class Slower(Schedule):
    """One thread computes six times as long."""

    def live(self, thread):
        for what in super().live(thread):
            yield 6 * what if isinstance(what, int) and thread.name == "thread 2" else what


class Renamed(Schedule):
    def __init__(self, seed):
        super().__init__(seed, n_events=N_EVENTS)
        self.threads[1].name, self.locks[2].name = "newcomer", "new lock"


def write(folder, name, schedule):
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(schedule.dump())
    return path


def tables(*words):
    """{table: rows as dictionaries}, and the run."""
    run = rastrum("diff", "--json", *words)
    result = {}
    for line in run.lines:
        table = json.loads(line)
        names = [column["name"] for column in table["columns"]]
        result[table["table"]] = [dict(zip(names, row)) for row in table["rows"]]
    return result, run


def changes(found):
    return {(row["change"], row["what"], row["of"]) for rows in found.values() for row in rows}


def check_noise(paths):
    found, run = tables(paths[0], paths[0])
    ok(run.status == 0 and not changes(found), "a trace does not differ from itself", run.err, *changes(found))
    wrong = [str(change) for other in paths[1:] for change in changes(tables(paths[0], other)[0])]
    ok(not wrong, "and schedules that differ by chance only have no change", *wrong)
    everything = changes(tables("--all", paths[0], paths[1])[0])
    ok({"same", "unsure"} <= {change for change, *_ in everything}, "--all shows what is the same, and what is unsure")


def check_slower(before, after):
    found = changes(tables(before, after)[0])
    ok(("slower", "run", "thread 2") in found, "the runs of a thread that computes longer are slower", *map(str, found))
    ok(("more", "load", "thread 2") in found, "and its load is more")
    ok(not [f for f in found if f[0] == "slower" and f[2] == "thread 2" and f[1] != "run" and not f[1].startswith("wait")],
       "what has not changed is not called slower", *map(str, found))
    run, = [row for row in tables(before, after)[0]["durations"] if (row["what"], row["of"]) == ("run", "thread 2")]
    ok(run["after"] > run["before"] and run["by"] > 20 and run["chance"] < 0.1, "with the medians, the change, and its chance", run)
    back = changes(tables(after, before)[0])
    ok(("faster", "run", "thread 2") in back and ("less", "load", "thread 2") in back, "and the other way round it is faster")


def check_unknown():
    """Threads of which a damaged recording does not tell enough may have run as long as before."""
    found, _ = tables("--all", "-q", "tests/data/liteos/a_be32_core_count/online.tlv", "tests/data/liteos/corrupt/a_be32_core_count_dropped.tlv")
    loads = [row for row in found["amounts"] if row["what"] == "load"]
    ok(len(loads) > 5 and all(row["change"] == "unsure" and row["after"] < row["after_max"] for row in loads),
       "a load is unsure where unknown time may make up for the difference, or make one", *loads)


def check_presence(before, after):
    found = changes(tables(before, after)[0])
    wanted = {("new", "thread", "newcomer"), ("gone", "thread", "thread 1"), ("new", "lock", "new lock"), ("gone", "lock", "mutex 2")}
    ok(wanted <= found, "threads and locks that only one of the traces has are new or gone", *map(str, wanted - found))
    ok(not [f for f in found if f[1] in ("run", "latency") and f[0] in ("new", "gone")],
       "and what they do is no change of its own", *map(str, found))


def check_findings():
    """A recording with priority inversions against one without: what was found is gone, and the other way round new."""
    bad, good = "tests/data/threadx/priority_inversion.trx", "tests/data/threadx/basic_objects.trx"
    words = ("finding", "priority_inversion: high, low, resource (plain)")
    ok(("gone", *words) in changes(tables(bad, good)[0]), "a finding that the second trace has not is gone", *map(str, changes(tables(bad, good)[0])))
    ok(("new", *words) in changes(tables(good, bad)[0]), "and the other way round it is new")


def check_fail_on(before, slower):
    for words, status in (("any", 1), ("slower", 1), ("slower:10%", 1), ("slower:100000%", 0), ("new", 0), ("new,more", 1), ("gone,new", 0)):
        same(rastrum("diff", "--fail-on", words, before, slower).status, status, f"--fail-on {words}: exit status {status}")
    same(rastrum("diff", "--fail-on", "any", before, before).status, 0, "--fail-on any without a change: exit status 0")
    run = rastrum("diff", "--fail-on", "slow", before, slower)
    ok(run.status == 2 and "'slow'" in run.err and "slower" in run.err, "an unknown change is wrong usage", run.err)
    run = rastrum("diff", "--fail-on", "slower:x", before, slower)
    ok(run.status == 2 and "'x'" in run.err, "and so is what is no percentage", run.err)


def check_usage(path):
    for words in ([path], [path] * 3):
        run = rastrum("diff", *words)
        ok(run.status == 2 and "two" in run.err, f"{len(words)} file: wrong usage", run.err)
    run = rastrum("diff", path, "/nonexistent")
    same(run.status, 4, "a file that is not there")
    run = rastrum("diff", path, "tests/data/rkh/r1_default.bin", "--clock-hz", "1M")
    same(run.status, 0, "traces of different systems can be compared")


def check_clock(before, slower):
    ticks = {(r["what"], r["of"]): r for r in tables(before, slower)[0]["durations"]}
    ns = {(r["what"], r["of"]): r for r in tables("--clock-hz", "1M", before, slower)[0]["durations"]}
    # Ranges of histograms have their own places in nanoseconds: the median may move by a 64th.
    wrong = [str(key) for key in ticks if key not in ns or abs(ns[key]["after"] / 1000 / ticks[key]["after"] - 1) > 1 / 32]
    ok(ticks and not wrong, "with the clock's frequency, lengths of time are in nanoseconds", *wrong)


def check_text(before, slower):
    run = rastrum("diff", before, slower)
    ok(run.lines[0].endswith("figures compared (--all shows what is unsure)") and " slower" in run.lines[0], "text begins with a sum", run.lines[0])
    ok(any(line.split()[:4] == ["slower", "run", "thread", "2"] for line in run.lines), "and has the changes as tables", *run.lines)
    ok(max(map(len, run.lines)) < 160, "lines are not too long")


with tempfile.TemporaryDirectory(prefix="rastrum-diff-") as work:
    plain = [write(work, f"{seed}.trx", Schedule(seed, n_events=N_EVENTS)) for seed in range(5)]
    slow = write(work, "slow.trx", Slower(7, n_events=N_EVENTS))
    check_noise(plain)
    check_unknown()
    check_slower(plain[0], slow)
    check_presence(plain[0], write(work, "renamed.trx", Renamed(1)))
    check_findings()
    check_fail_on(plain[0], slow)
    check_usage(plain[0])
    check_clock(plain[0], slow)
    check_text(plain[0], slow)
sys.exit(done())
