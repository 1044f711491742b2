#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parts of a recording: figures of a cut are those of the window, and the parts merged are the whole."""
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

# Commands whose output for a cut is that for the window, and their operands in front of the file and behind it.
COMMANDS = (
    ("stats", ["--json"], []),
    ("stats", ["--json", "--per", "100000"], []),
    ("report", ["--intervals", "-f", "jsonl"], []),
    ("explain", ["--json"], []),
    ("explain", [], []),
    ("check", ["{rules}"], []),
    ("query", ["-f", "csv"], ["select * from intervals"]),
    ("query", ["-f", "csv"], ["select seq, ts, name from events"]),
    ("query", ["-f", "csv"], ["select from_ts, to_ts, first_seq, events from traces"]),
)
# Formats of one dialect are formats of all.
DRAWN = (("draw", ["-o", "-"], []), ("curt", [], []), ("splat", [], []))


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


def output(command, path, folder, how=()):
    """What a command writes, without the names of its inputs."""
    name, before, behind = command
    before = [word.format(rules=f"{folder}/rules") for word in before]
    text = run(name, "-q", *how, *before, path, *behind).stdout
    return text.replace(path, "FILE").replace(os.path.basename(path), "FILE").splitlines()


def differences(commands, got, expected, folder):
    """Of two recordings, each a path and how it is read."""
    faults = []
    for command in commands:
        lines = output(command, got[0], folder, got[1]), output(command, expected[0], folder, expected[1])
        if lines[0] != lines[1]:
            first = next((pair for pair in zip(*lines) if pair[0] != pair[1]), ("", ""))
            faults.append(f"{command}: {first[0][:400]}, expected {first[1][:400]} ({len(lines[0])} and {len(lines[1])} lines)")
    return faults


def check_window(source, options, window, folder, commands):
    store, limits = f"{folder}/cut.rsx", [*options, "--from", str(window[0]), "--to", str(window[1])]
    cut = run("cut", "-q", *limits, source, "-o", store)
    faults = [cut.stderr] if cut.returncode not in (0, 3) else []
    return faults + differences(commands, (store, []), (source, limits), folder)


def check_one(path, options, folder):
    source = recording(path, folder)
    window = window_of(source, options)
    commands = COMMANDS + (DRAWN if path.startswith("tests/data/threadx/p") else ())
    faults = check_window(source, options, window, folder, commands)
    ok(not faults, f"{path}: figures of a cut are those of the window", *faults)
    if path in (RECORDINGS[0][0], RECORDINGS[3][0]):
        faults = []
        for n in range(1, 5):
            step = (window[1] - window[0]) // 9
            faults += check_window(source, options, (window[0] + n * step + n, window[1] - n * step), folder, COMMANDS[:3])
        ok(not faults, f"{path}: also where the window begins and ends between events", *faults)


def check_merge(path, options, folder):
    """Parts, in any order and with events that two of them have, are the recording again."""
    source = recording(path, folder)
    window = window_of(source, options)
    parts = [f"{folder}/{name}.rsx" for name in ("first", "middle", "last", "merged")]
    for part, limits in zip(parts, (["--to", str(window[0])], ["--from", str(window[0]), "--to", str(window[1])],
                                    ["--from", str(window[1])])):
        run("cut", "-q", *options, *limits, source, "-o", part)
    run("merge", "-q", parts[2], parts[0], parts[1], "-o", parts[3])
    commands = [*COMMANDS[:5], ("report", ["-f", "jsonl"], [])]
    faults = differences(commands, (parts[3], []), (source, options), folder)
    ok(not faults, f"{path}: its parts merged are the whole", *faults)
    run("merge", "-q", parts[1], parts[0], "-o", parts[3])
    faults = differences(COMMANDS[:4], (parts[3], []), (source, [*options, "--to", str(window[1])]), folder)
    ok(not faults, f"{path}: two of three parts are a longer part", *faults)


def check_missing(folder):
    """The part between two others is not there."""
    source = RECORDINGS[0][0]
    parts = [f"{folder}/{name}.rsx" for name in ("first", "last", "merged")]
    run("cut", "-q", "--to", "338924112", source, "-o", parts[0])
    run("cut", "-q", "--from", "350952829", source, "-o", parts[1])
    run("merge", "-q", *parts[:2], "-o", parts[2])
    rows = [json.loads(line) for line in run("report", "-q", "-f", "jsonl", parts[2]).stdout.splitlines()]
    lost = [(n, row["lost"]) for n, row in enumerate(rows) if "lost" in row]
    same((len(rows), lost), (75, [(27, 22)]), "a part that is not there is a loss of its events")


def check_chain(folder):
    """A cut of a cut, a selection, and other names keep what is carried."""
    path, options = RECORDINGS[0]
    first, second = f"{folder}/first.rsx", f"{folder}/second.rsx"
    run("cut", "-q", *options, "--from", "335000000", "--to", "360000000", path, "-o", first)
    run("cut", "-q", "--from", "338924112", "--to", "350952829", first, "-o", second)
    limits = [*options, "--from", "338924112", "--to", "350952829"]
    same(differences(COMMANDS, (second, []), (path, limits), folder), [], "a cut of a cut carries the states, too")
    run("cut", "-q", *limits, "-c", "low", path, "-o", first)
    commands = (COMMANDS[0], COMMANDS[2], *COMMANDS[6:])  # explain finds more in all of it
    selection = [row for command in commands for row in differences([command], (first, []), (path, [*limits, "-c", "low"]), folder)]
    same(selection, [], "figures of a selection are those of the selection in the whole recording")
    run("anonymise", "-q", second, "-o", first)
    figures = [[row[4:] for row in json.loads(output(COMMANDS[0], store, folder)[0])["rows"]] for store in (first, second)]
    with open(first, "rb") as file:
        names = re.findall(rb"medium|collector", file.read())
    same((sorted(map(str, figures[0])), names), (sorted(map(str, figures[1])), []), "other names leave the figures, and none is given away")


def check_damage(folder):
    """Without all that it carries, a part is a recording of its own, and the damage is told."""
    store = f"{folder}/cut.rsx"
    run("cut", "-q", "--from", "338924112", "--to", "350952829", RECORDINGS[0][0], "-o", store)
    with open(store, "rb") as file:
        data = bytearray(file.read())
    at = data.index(b"RSBK\x06")
    data[at + 40] ^= 1
    with open(store, "wb") as file:
        file.write(data)
    info = run("info", store)
    ok(info.returncode == 3 and "checksum of this block is wrong" in info.stdout and "part  " not in info.stdout,
       "damage of what a part carries is told", info.stdout, info.stderr)
    ok("12.03 ms" in run("stats", "-q", "--clock-hz", "1G", store).stdout, "figures are those of its events then")


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
        rules.write("few: count(event '*') >= 1 per 100\nmany: count(event '*') < 100000 per 1000\nload: run(thread *) 10%..90%\n")
    for one, how in RECORDINGS:
        check_one(one, how, place)
    for one, how in (RECORDINGS[0], RECORDINGS[3], RECORDINGS[4], RECORDINGS[6]):
        check_merge(one, how, place)
    check_states(place)
    check_missing(place)
    check_chain(place)
    check_damage(place)
sys.exit(done())
