#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The window of a store that was cut: figures of it are those of --from and --to on the original."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import RASTRUM, done, ok, same  # noqa: E402

# A few recordings of each dialect, and how they are read.
RECORDINGS = (
    ("tests/data/threadx/priority_inversion.trx", ["--clock-hz", "1G"]),
    ("tests/data/threadx/tracex-samples/demo_netx_udp.trx", []),
    ("tests/data/liteos/m_arm32_full_agent/dump.txt", []),
    ("tests/data/liteos/a_arm32_smp4_core_count/online.tlv", ["--opt", "variant=a"]),
    ("tests/data/rkh/r1_default.bin", ["--clock-hz", "1k"]),
    ("tests/goldens/posix/tasks.hex", []),
    ("tests/goldens/compact/kernel.hex", ["--clock-hz", "1M"]),
    ("tests/goldens/aix/effects.hex", ["--clock-hz", "1M"]),
)

# What does not depend on the states at the window's begin, as spans do: of each table, the columns.
FIGURES = {
    "services": ("kind", "service", "calls", "share"),
    "losses": ("kind", "places", "events"),
}
COMMANDS = (
    ("draw", ["-o", "-"], r'class="g">[^:<]*: ([^<]*)<'),
    ("curt", [], r"Elapsed time.*"),
    ("splat", [], r"Elapsed time.*"),
)


def run(*args):
    return subprocess.run([RASTRUM, *args], capture_output=True, check=False, text=True, errors="surrogateescape")


def recording(path, folder):
    """Goldens are written as bytes."""
    if not path.endswith(".hex"):
        return path
    name = f"{folder}/{os.path.basename(path)[:-4]}.bin"
    lines = [line.split("#")[0] for line in open(path, encoding="utf-8") if not line.startswith("#")]
    with open(name, "wb") as file:
        file.write(bytes.fromhex("".join(lines)))
    return name


def window_of(path, options):
    """From an event to an event, away from both ends; None where all events are at one moment."""
    lines = run("report", "-q", "-f", "jsonl", *options, path).stdout.splitlines()
    moments = sorted({json.loads(line)["ts"] for line in lines if '"ts":' in line})
    return (moments[len(moments) // 3], moments[-(len(moments) // 4) - 1]) if len(moments) > 3 else None


def tables(path, *options):
    """The window, and the figures of stats."""
    found, window = {}, None
    for line in run("stats", "-q", "--json", *options, path).stdout.splitlines():
        table = json.loads(line)
        window = table.get("window", window)
        columns = [column["name"] for column in table["columns"]]
        wanted = [columns.index(name) for name in FIGURES.get(table["table"], ()) if name in columns]
        if wanted:
            found[table["table"]] = sorted(str([row[n] for n in wanted]) for row in table["rows"] if row[columns.index("kind")] != "span")
    return window, found


def lines_with(pattern, *args):
    return re.findall(pattern, run(*args).stdout)


def check_one(path, options, folder):
    source, store = recording(path, folder), f"{folder}/cut.rsx"
    window = window_of(source, options)
    limits = [*options, "--from", str(window[0]), "--to", str(window[1])]
    cut = run("cut", "-q", *limits, source, "-o", store)
    faults = [cut.stderr] if cut.returncode not in (0, 3) else []

    def compare(what, got, expected):
        if got != expected:
            faults.append(f"{what}: {got}, in the window {expected}")

    got, expected = tables(store), tables(source, *limits)
    compare("window", got[0], {"from": window[0], "to": window[1]})
    compare("stats", got, expected)
    parts = str(max(1, (window[1] - window[0]) // 4))
    compare("check", run("check", "-q", f"{folder}/rules", store).stdout, run("check", "-q", *limits, f"{folder}/rules", source).stdout)
    compare("stats --per", tables(store, "--per", parts), tables(source, "--per", parts, *limits))
    for command, more, pattern in COMMANDS if path.startswith("tests/data/threadx/p") else ():
        compare(command, lines_with(pattern, command, "-q", *more, store), lines_with(pattern, command, "-q", *more, *limits, source))
    ok(not faults, f"{path}: figures of a cut are those of the window", *faults)


def check_states(folder):
    """Where the window begins with a thread's own event, what cores do is known as well."""
    path, store = RECORDINGS[0][0], f"{folder}/cut.rsx"
    limits = [*RECORDINGS[0][1], "--from", "338924112", "--to", "350952829"]
    run("cut", "-q", *limits, path, "-o", store)
    figures = [run("stats", "-q", "--json", *more).stdout.splitlines()[0] for more in ([store], [*limits, path])]
    rows = [[row for row in json.loads(line)["rows"] if row[1] or row[3] == "low"] for line in figures]
    same(rows[0], rows[1], "load of the core, and of a thread whose states are known, are those of the window")
    query = "select core, thread, round(share, 3) from stats_load where core = 0 or thread = 'low'"
    same(run("query", "-q", "-f", "csv", store, query).stdout.splitlines()[1:], ["0,,100.0", ",low,65.856"], "query has the same")


with tempfile.TemporaryDirectory(prefix="rastrum-window-") as place:
    with open(f"{place}/rules", "w", encoding="utf-8") as rules:
        rules.write("few: count(event '*') >= 1 per 100\nmany: count(event '*') < 100000 per 1000\n")
    for one, how in RECORDINGS:
        check_one(one, how, place)
    check_states(place)
sys.exit(done())
