#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rastrum merge: a merged trace has every event, loss and name of its sources, and keeps what is of one apart from the others."""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import RASTRUM, done, golden_files, ok, rastrum, same, sample, spread  # noqa: E402

# What a merged trace has in its own way: numbers and names of processes and cores; time of other clocks.
OWN = ("seq", "ns", "wall_ns", "process", "core", "target")
THREADX = sorted(glob.glob("tests/data/threadx/*.trx"))


def run(*args, stdin=None):
    return subprocess.run([RASTRUM, *args], input=stdin, capture_output=True, check=False)


class Rows:
    """What a report of a trace has."""

    def __init__(self, path):
        result = run("report", "-q", "-f", "jsonl", path)
        self.status = result.returncode
        self.rows = [json.loads(line) for line in result.stdout.decode("utf-8", "replace").splitlines()]

    def keys(self, without):
        return collections.Counter(key_of(row, without) for row in self.rows)


def key_of(row, without):
    row = {key: value for key, value in row.items() if key not in OWN + without}
    return re.sub(r"processor \d+", "processor", json.dumps(row, sort_keys=True))


def names_of(path):
    """All names of objects, threads and types."""
    info = json.loads(run("info", "--json", path).stdout)
    names = {(each["kind"], each["name"]) for each in info["objects"] if each["name"]}
    return names | {each["name"] for each in info["events_by_type"]} if "events_by_type" in info else names


def check_pair(folder, first, second, known):
    """How the merged trace of two differs from both."""
    path = f"{folder}/pair.rsx"
    merged = run("merge", first, second, "-o", path)
    if merged.returncode not in (0, 3):
        return [f"{first} {second}: status {merged.returncode} {merged.stderr[:200]}"]
    rows, sources = Rows(path), [known[first], known[second]]
    without = ()
    if b"several clocks" in merged.stderr or b"share no clock" in merged.stderr:
        without = ("ts", "text")
    wanted = sources[0].keys(without) + sources[1].keys(without)
    faults = [f"{first} {second}: lacks {key}" for key in wanted - rows.keys(without)]
    faults += [f"{first} {second}: has {key}" for key in rows.keys(without) - wanted]
    if rows.status != max(source.status for source in sources):
        faults.append(f"{first} {second}: status {rows.status}")
    cut = run("report", "-q", "-f", "jsonl", "-", stdin=run("cut", "-q", path, "-o", "-").stdout)
    if cut.stdout != run("report", "-q", "-f", "jsonl", path).stdout:
        faults.append(f"{first} {second}: a cut of all of it differs")
    faults += [f"{first} {second}: lacks the name {name}" for name in (names_of(first) | names_of(second)) - names_of(path)]
    return faults


def check_goldens(folder):
    known = {path: Rows(path) for path in golden_files(folder)}
    paths = [path for path, rows in known.items() if rows.rows and rows.status in (0, 3)]
    ok(len(paths) > 50, "there are traces to merge", len(paths))
    for distance in (0, 1, 17):
        faults = []
        for n, path in sample(list(enumerate(paths))):
            faults += check_pair(folder, path, paths[(n + distance) % len(paths)], known)
        ok(not faults, f"merged traces have every event, loss, damage and name of their sources ({distance})", *faults[:10])


def running(path):
    """Of each thread: its figures, of which none depends on the length of the trace."""
    tables = [json.loads(line) for line in rastrum("stats", "-q", "--table", "threads", "--format", "json", path).lines]
    columns = [column["name"] for column in tables[0]["columns"]]
    places = [columns.index(name) for name in ("running", "ready", "waiting", "blocks")]
    return collections.Counter((str(row[columns.index("thread")]).split(" (0x")[0], *[str(row[place]) for place in places]) for row in tables[0]["rows"])


def check_figures(folder):
    """Threads of one trace run as if the other were not there, and not behind its end."""
    path = f"{folder}/figures.rsx"
    faults = []
    for first, second in zip(THREADX, THREADX[1:] + THREADX[:1]):
        run("merge", "-q", first, second, "-o", path)
        got, wanted = running(path), running(first) + running(second)
        faults += [f"{first} {second}: {row}" for row in (wanted - got) + (got - wanted)]
    ok(not faults, "stats of a merged trace has the figures of its sources", *faults[:10])
    run("merge", "-q", THREADX[0], THREADX[0], "-o", path)
    same(running(path), running(THREADX[0]) + running(THREADX[0]), "also where both have the same ids")
    again = f"{folder}/again.rsx"
    run("merge", "-q", path, THREADX[-1], "-o", again)
    same(running(again), running(path) + running(THREADX[-1]), "a merged trace can be merged again")


def check_order(folder):
    path = f"{folder}/order.rsx"
    merged = rastrum("merge", *THREADX[:2], "-o", path)
    times = [json.loads(line)["ts"] for line in rastrum("report", "-q", "-f", "jsonl", path).lines]
    same(times, sorted(times), "events of one clock are in the order of time")
    ok("taken as those of one" in merged.err, "that it is one clock is said to be taken for granted", merged.err)
    one, two = f"{folder}/slow.rsx", f"{folder}/quick.rsx"
    rastrum("cut", "-q", "--clock-hz", "1000", THREADX[0], "-o", one)
    rastrum("cut", "-q", "--clock-hz", "2000", THREADX[1], "-o", two)
    apart = rastrum("merge", one, two, "-o", path)
    processes = [json.loads(line)["process"]["name"] for line in rastrum("report", "-q", "-f", "jsonl", path).lines]
    same(processes, sorted(processes, reverse=True), "traces without a common clock stand one behind the other")
    ok("share no clock" in apart.err and "share no clock" in rastrum("info", path).err + rastrum("info", path).out,
       "which is said when they are merged, and by info", apart.err)


def check_losses(folder):
    """A loss of one trace leaves the states of the other known."""
    lossy = next(path for path in golden_files(folder) if path.endswith("compact-loss"))
    path = f"{folder}/lossy.rsx"
    run("merge", "-q", lossy, THREADX[0], "-o", path)
    got = {row[0]: row[1:] for row in running(path)}
    ok(all(got.get(row[0]) == row[1:] for row in running(THREADX[0])), "a loss concerns its own trace only")
    damaged = f"{folder}/damaged.trx"
    open(damaged, "wb").write(open(THREADX[0], "rb").read()[:-100])
    merged, source = run("merge", "-q", damaged, THREADX[1], "-o", path), run("report", "-q", damaged)
    same(merged.returncode, source.returncode, "merging a damaged trace ends as reading it does")
    same(run("report", "-q", path).returncode, source.returncode, "and so does reading the merged trace")


def check_usage(folder):
    copy, path = f"{folder}/copy.trx", f"{folder}/all.rsx"
    open(copy, "wb").write(open(THREADX[0], "rb").read())
    for command in ("cut", "merge"):
        refused = rastrum(command, copy, "-o", f"{folder}/all.json")
        ok(refused.status == 2 and ".rsx" in refused.err and not os.path.exists(f"{folder}/all.json"),
           f"{command} refuses a name that does not end in .rsx", refused.err)
    refused = rastrum("merge", copy, path.replace("all", "none"), "-o", path)
    ok(refused.status == 4 and not os.path.exists(path), "a source that is not there ends it", refused.err)
    same(rastrum("merge", copy).status, 2, "without -o nothing is merged")
    same(rastrum("merge", "-o", path).status, 2, "without a source nothing is merged")
    same(rastrum("merge", "-q", copy, THREADX[1], "-o", path).status, 0, "two traces are merged")
    before = rastrum("report", "-q", path).out
    os.remove(copy)
    same(rastrum("report", "-q", path).out, before, "the sources may be removed")
    ok(rastrum("merge", "-q", path, THREADX[1], "-o", path).status == 2 and rastrum("report", "-q", path).out == before,
       "no source is written over")
    full = subprocess.run([RASTRUM, "merge", "-q", *THREADX, "-o", "-"], stdout=open("/dev/full", "wb"), stderr=subprocess.PIPE, check=False)
    ok(full.returncode == 4 and b"No space" in full.stderr, "a full disk is an error of output", full.stderr)


def check_damage(folder):
    """A merged store that is cut, or has a bit turned."""
    path = f"{folder}/whole.rsx"
    run("merge", "-q", *THREADX[:2], "-o", path)
    whole, clean = bytearray(open(path, "rb").read()), run("report", "-q", "-f", "jsonl", path).stdout
    faults = []
    for n in range(32, len(whole) - 16, max(1, len(whole) * spread(6) // 60)):
        cut = run("report", "-q", "-f", "jsonl", "-", stdin=bytes(whole[:n]))
        if cut.returncode != 3:
            faults.append(f"{n} bytes: status {cut.returncode}")
    for n in range(0, len(whole) * 8, max(1, len(whole) * 8 * spread(6) // 200)):
        whole[n // 8] ^= 1 << n % 8
        turned = run("report", "-q", "-f", "jsonl", "-d", "store", "-", stdin=bytes(whole))
        whole[n // 8] ^= 1 << n % 8
        if turned.returncode not in (0, 3, 5) or (turned.returncode == 0 and turned.stdout != clean):
            faults.append(f"bit {n}: status {turned.returncode}")
    ok(not faults, "a damaged merged store gives what is whole, and says so", *faults)


with tempfile.TemporaryDirectory(prefix="rastrum-merge-") as place:
    check_goldens(place)
    check_figures(place)
    check_order(place)
    check_losses(place)
    check_usage(place)
    check_damage(place)
done()
