#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""collapsed, speedscope, vcd: what is read back of them are the intervals of the report."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from conversions import INVERSION, LOST, convert, every_recording, lines, path_of
from tap import Faults, done, ok, rastrum, same, skip

CLOCK = ("--clock-hz", "1G")


def entity(value):
    if isinstance(value, dict):
        return value["name"] if value["name"] is not None else str(value["id"])
    return str(value)


def label(line):
    """What an interval is called in the stacks."""
    if line["kind"] == "span":
        return entity(line["subject"])
    if line["kind"] in ("core", "lock", "machine") and line["object"] is not None and line["state"] != "unknown":
        return ("interrupt " if isinstance(line["object"], int) else "") + entity(line["object"])
    text = (line["state"] or "unknown") + (f" ({line['reason']})" if line["reason"] else "")
    return text + (f": {entity(line['object'])}" if line["state"] == "waiting" and line["object"] is not None else "")


def intervals_of(path):
    """Those of some length, or None where ticks are no nanoseconds."""
    info = json.loads(rastrum("info", "-q", "--json", *CLOCK, path).out)
    if info["clock"]["hz"] != 10 ** 9:
        return None
    # The zero of times is that of the first event, which need not be the earliest.
    events = [line for line in lines(path, *CLOCK) if "seq" in line]
    first, found = next((line["ts"] - line["ns"] for line in events if line["ns"]), events[0]["ts"] if events else 0), []
    for line in lines(path, "--intervals", *CLOCK):
        line["from"], line["to"] = max(line["from"] - first, 0), max(line["to"] - first, 0)
        if line["from"] < line["to"]:
            found.append(line)
    return found if not overlaps(found) else None


def overlaps(intervals):
    """Contexts of one thread that is renamed while nothing is known of it."""
    ends = {}
    for line in sorted((line for line in intervals if line["kind"] == "thread" and line["state"] == "unknown"), key=lambda line: line["from"]):
        if ends.get(str(line["subject"]["id"]), 0) > line["from"]:
            return True
        ends[str(line["subject"]["id"])] = line["to"]
    return False


def totals(intervals, kind):
    counts = collections.Counter()
    for line in intervals:
        if line["kind"] == kind:
            counts[label(line)] += line["to"] - line["from"]
    return counts


# --- collapsed ----------------------------------------------------------------------------------------------------


def check_collapsed(paths):
    faults = Faults()
    for path in paths:
        run, data = convert(path, "collapsed", *CLOCK)
        if run.status not in (0, 3):
            faults.append(f"{path}: {run.err}")
        rows = [line.rpartition(" ") for line in data.decode("utf-8", "surrogateescape").splitlines()]
        faults.compare(f"{path}: order", [row[0] for row in rows], sorted({row[0] for row in rows}, key=os.fsencode))
        intervals = intervals_of(path)
        if intervals is None:
            continue
        got = collections.Counter()
        for stack, _, number in rows:
            got[stack.split(";")[-1]] += int(number)
        for name, ticks in totals(intervals, "thread").items():
            faults.compare(f"{path}: {name}", got[name.replace(";", ":")], ticks)
    ok(not faults, f"collapsed: of {len(paths)} recordings, times of states are those of the intervals", *faults)
    _, data = convert(INVERSION, "collapsed", *CLOCK, "--opt", "time=running")
    same([line.split(";")[0] for line in data.decode().splitlines()], ["collector", "high", "low", "medium"], "time=running leaves waiting out")


# --- speedscope ---------------------------------------------------------------------------------------------------


def replay(profile, frames):
    """Time in each frame; raises where something is not closed as it was opened."""
    stack, counts, now = [], collections.Counter(), 0
    for event in profile["events"]:
        assert event["at"] >= now, "time steps back"
        now = event["at"]
        name = frames[event["frame"]]["name"]
        if event["type"] == "O":
            stack.append((name, now))
        else:
            opened, since = stack.pop()
            assert opened == name, f"{name} closes {opened}"
            counts[name] += now - since
    assert not stack, "left open"
    assert profile["startValue"] <= now <= profile["endValue"] or not profile["events"], "beyond the end"
    return counts


def check_speedscope_of(path, faults):
    run, data = convert(path, "speedscope", *CLOCK)
    if run.status not in (0, 3):
        return faults.append(f"{path}: {run.err}")
    document = json.loads(data)
    intervals = intervals_of(path)
    sums = {"thread": collections.Counter(), "core": collections.Counter()}
    gaps = 0
    for profile in document["profiles"]:
        try:
            counts = replay(profile, document["shared"]["frames"])
        except AssertionError as fault:
            return faults.append(f"{path}: {profile['name']}: {fault}")
        if profile["name"] == "losses and damage":
            gaps = sum(event["type"] == "O" for event in profile["events"])
        else:
            sums["core" if profile["name"].startswith("core ") else "thread"].update(counts)
    if intervals is None:
        return None
    for kind in ("thread", "core"):
        for name, ticks in totals(intervals, kind).items():
            faults.compare(f"{path}: {kind}: {name}", sums[kind][name], ticks)
    for name, ticks in totals(intervals, "span").items():
        faults.compare(f"{path}: span {name}", sums["thread"][name], ticks)
    if intervals:
        faults.compare(f"{path}: losses", gaps, sum("seq" not in line for line in lines(path)))
    return None


def check_speedscope(paths):
    faults = Faults()
    for path in paths:
        check_speedscope_of(path, faults)
    ok(not faults, f"speedscope: of {len(paths)} recordings, frames close as they opened, and last as long as the intervals", *faults)
    document = json.loads(convert(INVERSION, "speedscope", "--clock-hz", "50M")[1])
    same(([profile["name"] for profile in document["profiles"]], document["profiles"][0]["unit"]),
         (["low", "high", "medium", "collector", "core 0"], "nanoseconds"), "there is a profile for each thread and core")
    same(json.loads(convert(INVERSION, "speedscope")[1])["profiles"][0]["unit"], "none", "without a clock times have no unit")


# --- vcd ----------------------------------------------------------------------------------------------------------


def read_vcd(text):
    """({code: (scope, type, name)}, [(time, code, value)])"""
    variables, changes, scope, now = {}, [], None, 0
    head, _, body = text.partition("$enddefinitions $end\n")
    for line in head.splitlines():
        words = line.split() or [""]
        if words[0] == "$scope":
            scope = words[2]
        elif words[0] == "$var":
            assert words[3] not in variables, "a code twice"
            variables[words[3]] = (scope, words[1], words[4])
    for line in body.splitlines():
        if line[0] == "#":
            assert int(line[1:]) >= now, "time steps back"
            now = int(line[1:])
        elif line[0] in "sb":
            value, code = line[1:].split(" ")
            changes.append((now, code, value if line[0] == "s" else "x" if "x" in value else int(value, 2)))
        elif line[0] == "r":
            value, code = line[1:].split(" ")
            changes.append((now, code, "x" if value.lower() == "nan" else float(value)))
        elif line[0] in "01x":
            changes.append((now, line[1:], line[0]))
    return variables, changes, now


def vcd_word(text):
    return re.sub(r"[ \[\]$\\]", "_", text)


def vcd_intervals(variables, changes, end):
    """Counts of (scope, type, from, to, value)."""
    counts, last = collections.Counter(), {}
    kinds = {code: (scope, "integer" if scope == "levels" else kind) for code, (scope, kind, _) in variables.items()}
    for now, code, value in changes + [(end, code, None) for code in variables]:
        if code in last and last[code][0] < now:
            counts[kinds[code] + (last[code][0], now, last[code][1])] += 1
        is_signed = variables[code][1] == "integer" and isinstance(value, int) and value >= 1 << 63
        last[code] = (now, value - (1 << 64) if is_signed else value)
    return counts


def check_vcd_of(path, faults):
    run, data = convert(path, "vcd", *CLOCK)
    if run.status not in (0, 3):
        return faults.append(f"{path}: {run.err}")
    try:
        variables, changes, end = read_vcd(data.decode())
    except (AssertionError, ValueError) as fault:
        return faults.append(f"{path}: {fault}")
    intervals = intervals_of(path)
    if intervals is None:
        return None
    got = vcd_intervals(variables, changes, end)
    kinds = {"thread": ("threads", "string"), "core": ("cores", "string"), "lock": ("locks", "string"), "machine": ("machines", "string"),
             "level": ("levels", "integer"), "interrupt": ("interrupts", "wire")}
    expected = collections.Counter()
    for line in intervals:
        if line["kind"] == "span" or line["state"] == "unknown" or (line["kind"] == "level" and line["value"] is None):
            continue
        value = "1" if line["kind"] == "interrupt" else line["value"] if line["kind"] == "level" else vcd_word(label(line))
        expected[kinds[line["kind"]] + (line["from"], line["to"], value)] += 1
    wrong = [item for item in expected if got[item] != expected[item]]
    faults.compare(f"{path}: intervals that are not in it", wrong[:3], [])
    running = sum(ticks for (scope, form, a, b, value), n in got.items() if scope == "threads" and form == "wire" and value == "1" for ticks in [n * (b - a)])
    faults.compare(f"{path}: wires of running", running, totals(intervals, "thread")["running"])
    return None


def check_vcd(paths):
    faults = Faults()
    for path in paths:
        check_vcd_of(path, faults)
    ok(not faults, f"vcd: of {len(paths)} recordings, changes are the begins and ends of the intervals", *faults)
    scales = [convert(INVERSION, "vcd", *(["--clock-hz", hz] if hz else []))[1].decode().splitlines()[1] for hz in ("50M", "1M", "3", None)]
    same(scales, ["$timescale 10 ns $end", "$timescale 1 us $end", "$timescale 1 ns $end", "$timescale 1 ns $end"],
         "the unit of time is one that ticks are whole numbers of, else nanoseconds")


def check_gtkwave(paths):
    """Its converter reads all of it: what comes back are the same changes."""
    if not shutil.which("vcd2fst"):
        skip("GTKWave's converter finds the same changes", "no vcd2fst")
        return
    faults = Faults()
    for path in paths:
        _, data = convert(path, "vcd", *CLOCK, out=path_of("x.vcd"))
        if b"$var" not in data or not any(line[:1] == b"#" and line != b"#0" for line in data.splitlines()):
            continue  # its format has no place for a file in which nothing happens
        subprocess.run(["vcd2fst", path_of("x.vcd"), path_of("x.fst")], check=True, capture_output=True)
        back = subprocess.run(["fst2vcd", path_of("x.fst")], check=True, capture_output=True).stdout
        back = re.sub(rb"(?:\\\d{3})+", lambda found: bytes(int(code, 8) for code in found.group()[1:].split(b"\\")), back).replace(b'\\"', b'"').decode()
        sets = []
        for text in (data.decode(), back):
            variables, changes, _ = read_vcd(text)
            last, found = {}, collections.Counter()
            for now, code, value in changes:
                if last.get(code) != value:
                    found[variables[code] + (now, value)] += 1
                last[code] = value
            sets.append(found)
        faults.compare(path, sets[1], sets[0])
    ok(not faults, "GTKWave's converter finds the same changes", *faults)


def check_damage():
    for form in ("collapsed", "speedscope", "vcd"):
        run, data = convert("tests/data/rkh/d1_bitflips.bin", form)
        ok(run.status == 3 and data, f"{form}: of a damaged trace there is all that could be read, and the status is 3", run.err)
    text = convert(LOST, "speedscope")[1]
    ok(b"\"LOST " in text, "speedscope: losses are frames", text[-300:])


PATHS = every_recording()
check_collapsed(PATHS)
check_speedscope(PATHS)
check_vcd(PATHS)
check_gtkwave(PATHS)
check_damage()
sys.exit(done())
