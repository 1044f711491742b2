#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Perfetto's protobuf: protoc decodes what `convert -t perfetto` writes without a field that is not known, and all is in it."""
import collections
import json
import math
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from conversions import INVERSION, LOST, convert, every_recording, lines, path_of
from tap import Faults, done, least, ok, rastrum, same, skip

TOKEN = re.compile(rb'\s*(?:(\w+)(?:: (?:"((?:[^"\\]|\\.)*)"|(\S+))| (\{))|(\}))')
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b'"': b'"', b"'": b"'", b"\\": b"\\"}


def text_of(escaped):
    return re.sub(rb"\\([0-7]{3}|.)", lambda found: bytes([int(found.group(1), 8)]) if len(found.group(1)) == 3 else ESCAPES[found.group(1)],
                  escaped).decode("utf-8", "surrogateescape")


def number_of(word):
    """A whole number, a real one, or a constant's name."""
    for read in (lambda text: int(text, 0), float):
        try:
            return read(word.decode())
        except ValueError:
            pass
    return word.decode()


def messages(data):
    """The packets of what protoc prints: {field: [values]}."""
    stack, at = [collections.defaultdict(list)], 0
    for found in TOKEN.finditer(data):
        name, text, word, opens, closes = found.groups()
        if closes:
            stack.pop()
        elif opens:
            inner = collections.defaultdict(list)
            stack[-1][name.decode()].append(inner)
            stack.append(inner)
        else:
            stack[-1][name.decode()].append(text_of(text) if text is not None else number_of(word))
        at = found.end()
    assert not data[at:].strip() and len(stack) == 1, data[at:at + 100]
    return stack[0]["packet"]


def decode(data):
    run = subprocess.run(["protoc", "--decode=Trace", "-Itests", "tests/perfetto.proto"], input=data, capture_output=True, check=False)
    return messages(run.stdout) if run.returncode == 0 else run.stderr.decode()


class Interned:
    """What stands for what, as far as the packets have told it; each may use only what was told since the state was cleared."""

    def __init__(self, packets):
        self.packets, self.faults = packets, []
        tables = {}
        for packet in packets:
            if packet["sequence_flags"] and packet["sequence_flags"][0] & 1:
                tables = {"names": {}, "notes": {}, "words": {}, "categories": {}}
            for told in packet["interned_data"]:
                for kind, key, value in (("names", "event_names", "name"), ("notes", "debug_annotation_names", "name"),
                                         ("words", "debug_annotation_string_values", "str"), ("categories", "event_categories", "name")):
                    tables[kind].update({each["iid"][0]: each[value][0] for each in told[key]})
            for event in packet["track_event"]:
                self.resolve(event, tables)

    def resolve(self, event, tables):
        try:
            event["name"] = [tables["names"][iid] for iid in event["name_iid"]]
            event["categories"] = [tables["categories"][iid] for iid in event["category_iids"]]
            event["notes"] = {tables["notes"][note["name_iid"][0]]: value_of(note, tables) for note in event["debug_annotations"]}
        except KeyError as error:
            self.faults.append(f"nothing has told number {error}")
            event["name"], event["categories"], event["notes"] = ["?"], ["?"], {}


def value_of(note, tables):
    if note["string_value_iid"]:
        return tables["words"][note["string_value_iid"][0]]
    if note["pointer_value"]:
        return hex(note["pointer_value"][0])
    if note["array_values"]:
        return [value_of(item, tables) for item in note["array_values"]]
    values = note["uint_value"] + note["int_value"] + note["double_value"] + note["string_value"]
    return values[0] if values else []


def slices(packets):
    """(track, begin, end, name, kind, notes): begins and ends of each track, in the order of time, as readers pair them."""
    found, order = [], collections.defaultdict(list)
    for packet in packets:
        for event in packet["track_event"]:
            if event["type"][0] in ("TYPE_SLICE_BEGIN", "TYPE_SLICE_END"):
                order[event["track_uuid"][0]].append((packet["timestamp"][0], event))
    for track, events in order.items():
        opened = []
        for at, event in sorted(events, key=lambda each: each[0]):
            if event["type"][0] == "TYPE_SLICE_BEGIN":
                opened.append((at, event))
            else:
                begin, first = opened.pop()
                found.append((track, begin, at, first["name"][0], first["categories"][0], first["notes"]))
        assert not opened, "a slice has no end"
    return found


def tracks_of(packets):
    return {track["uuid"][0]: track["name"][0] if track["name"] else "" for packet in packets for track in packet["track_descriptor"]}


def shown(value):
    """A text as annotations have it: what cannot be shown is \\xNN, where JSON has escapes of its own."""
    return re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\x{ord(found[0]):02x}", value) if isinstance(value, str) else value


def fields_of(line):
    """The report's fields without those that are absent, by the names of their annotations."""
    return {key + "_" if key in ("seq", "core", "prio", "text") else key: shown(value) for key, value in line["args"].items() if value is not None}


def compare_events(path, faults, packets, report):
    expected = [line for line in report if "seq" in line]
    got = [event for packet in packets for event in packet["track_event"] if event["categories"] == ["event"]]
    faults.compare(f"{path}: events", [(event["name"][0], event["notes"]["seq"], event["notes"]["text"], event["notes"].get("core"), event["notes"].get("prio"))
                                       for event in got],
                   [(line["name"], line["seq"], line["text"], line["core"], line["prio"]) for line in expected])
    for event, line in zip(got, expected):
        wanted = fields_of(line)
        found = {key: event["notes"].get(key) for key in wanted}
        faults.compare(f"{path}: fields of {line['seq']}", {key: float(value) if isinstance(wanted[key], float) else value for key, value in found.items()}, wanted)
    losses = [packet for packet in packets for event in packet["track_event"] if event["categories"] == ["loss"]]
    if expected:
        faults.compare(f"{path}: losses", (len(losses), sum(bool(packet["previous_packet_dropped"]) for packet in packets)),
                       (sum("lost" in line or "damage" in line for line in report),) * 2)
    return expected


def compare_intervals(path, faults, packets, intervals, first):
    wanted = collections.Counter((line["kind"], line["from_seq"], line["to_seq"], line["certainty"]) for line in intervals if line["kind"] != "level")
    paired = slices(packets)
    faults.compare(f"{path}: intervals", collections.Counter((kind, notes.get("from_seq"), notes.get("to_seq"), notes["certainty"])
                                                             for _, _, _, _, kind, notes in paired), wanted)
    if first is not None:
        faults.compare(f"{path}: times", sorted((begin, end) for _, begin, end, *_ in paired),
                       sorted((max(line["from"] - first, 0), max(line["to"] - first, 0)) for line in intervals if line["kind"] != "level"))
    # JSON has neither NaN nor infinity.
    values = [(event["counter_value"] or event["double_counter_value"])[0] for packet in packets for event in packet["track_event"] if event["type"] == ["TYPE_COUNTER"]]
    faults.compare(f"{path}: levels", [value if math.isfinite(value) else None for value in values],
                   [line["value"] if line["value"] is None or line["value"] < 2**63 else float(line["value"]) for line in intervals if line["kind"] == "level"])


def is_woken(line):
    return line["kind"] == "thread" and line["by"] is not None and not isinstance(line["by"], int) and line["from_seq"] is not None


def compare_flows(path, faults, packets, intervals):
    events = [event for packet in packets for event in packet["track_event"]]
    flows = collections.Counter(flow for event in events for flow in event["flow_ids"])
    kinds = collections.Counter(event["name"][0] for event in events if event["categories"] in (["wake"], ["send"]))
    faults.compare(f"{path}: flows", (kinds["wakes"], len(flows), set(flows.values()) - {2}),
                   (sum(map(is_woken, intervals)), kinds["wakes"] + kinds["sends"], set()))
    faults.compare(f"{path}: what is sent is received", kinds["sends"], kinds["receives"])


def identity(entity):
    return entity["kind"], entity["id"], entity.get("process")


def switches_of(intervals):
    """(core, when, what runs from then on) of the intervals of cores, as Linux counts: an interrupt is no switch."""
    found, runs = [], {}
    for line in intervals:
        if line["kind"] != "core" or line["state"] == "interrupt":
            continue
        core = line["subject"]
        is_thread = line["state"] == "running" and isinstance(line["object"], dict)
        now = identity(line["object"]) if is_thread else line["state"]
        if runs.get(core) != now:
            found.append((core, line["from"], now))
        runs[core] = now
    return found


STATES = {"waiting": 1, "ended": 16}
DEEP = ("lock", "memory", "io")


def compare_switches(path, faults, packets, intervals, first):
    bundles = [(bundle["cpu"][0], event) for packet in packets for bundle in packet["ftrace_events"] for event in bundle["event"]]
    switches = [(core, event["timestamp"][0], event["sched_switch"][0]) for core, event in bundles if event["sched_switch"]]
    switches = sorted(switches, key=lambda each: each[:2])
    wanted = sorted(((core, max(at - first, 0), now) for core, at, now in switches_of(intervals)), key=lambda each: each[:2])
    faults.compare(f"{path}: switches", [each[:2] for each in switches], [each[:2] for each in wanted])
    numbers = set((switch["next_pid"][0], now) for (_, _, switch), (_, _, now) in zip(switches, wanted))
    faults.compare(f"{path}: numbers of threads", (len(numbers), len(numbers)), (len({tid for tid, _ in numbers}), len({now for _, now in numbers})))
    faults.compare(f"{path}: number of idle", {tid for tid, now in numbers if now == "idle"} - {0}, set())
    faults.compare(f"{path}: sched_waking", sum(bool(event["sched_waking"]) for _, event in bundles), sum(map(is_woken, intervals)))
    begins = {(identity(line["subject"]), max(line["from"] - first, 0)): line for line in intervals if line["kind"] == "thread"}
    runs = {}
    for (core, at, switch), (_, _, now) in zip(switches, wanted):
        tid, before = runs.get(core, (0, None))
        runs[core] = switch["next_pid"][0], now
        if switch["prev_pid"][0] != tid:
            faults.append(f"{path}: core {core} leaves {switch['prev_comm']} at {at}, which does not run")
        line = begins.get((before, at))
        if line and line["state"] in STATES:
            deep = 4 if line["reason"] == "suspended" else 2 if line["reason"] in DEEP else STATES[line["state"]]
            faults.compare(f"{path}: state of {switch['prev_comm'][0]} at {at}", switch["prev_state"][0], deep)
    return len(switches)


def compare(path, faults):
    run, data = convert(path, "perfetto", "--clock-hz", "1G", "--opt", "sentences=yes")
    packets = decode(data) if run.status in (0, 3) else run.err
    if isinstance(packets, str):
        faults.append(f"{path}: {packets}")
        return 0, 0
    faults.compare(f"{path}: unknown fields", unknown_in(packets), set())
    for fault in Interned(packets).faults:
        faults.append(f"{path}: {fault}")
    used = {event["track_uuid"][0] for packet in packets for event in packet["track_event"]}
    faults.compare(f"{path}: tracks without a name", used - tracks_of(packets).keys(), set())
    report = lines(path, "--clock-hz", "1G")
    expected = compare_events(path, faults, packets, report)
    intervals = [line for line in lines(path, "--intervals", "--clock-hz", "1G") if line["from"] != line["to"]]
    is_timed = expected and json.loads(run_info(path))["clock"]["hz"] == 10 ** 9
    first = expected[0]["ts"] if is_timed else None
    compare_intervals(path, faults, packets, intervals, first)
    compare_flows(path, faults, packets, intervals)
    n_switches = compare_switches(path, faults, packets, intervals, first) if is_timed else 0
    return len(expected), n_switches


def unknown_in(message):
    """Numbers in place of names: protoc knows no such field."""
    found = {key for key in message if key.isdigit()} if isinstance(message, dict) else set()
    for values in message.values() if isinstance(message, dict) else [message]:
        for value in values:
            if isinstance(value, dict):
                found |= unknown_in(value)
    return found


def run_info(path):
    return rastrum("info", "-q", "--json", "--clock-hz", "1G", path).out


def check_all():
    sentence = "protoc decodes all, and each event, interval, level, flow and switch is there"
    faults, paths = Faults(), every_recording()
    counts = [compare(path, faults) for path in paths]
    n_events, n_switches = (sum(count[i] for count in counts) for i in (0, 1))
    ok(not faults and n_events > least(10000) and n_switches > least(400), f"{sentence}: {n_events} events, {n_switches} switches of {len(paths)} recordings", *faults)


def decoded(path, *options):
    packets = decode(convert(path, "perfetto", "--clock-hz", "1G", *options)[1])
    Interned(packets)
    return packets


def check_inversion():
    packets = decoded(INVERSION)
    tracks = tracks_of(packets)
    waits = [(tracks[track], end - begin, notes["object"]) for track, begin, end, name, _, notes in slices(packets) if name == "waiting (lock)"]
    same(sorted(waits), sorted([("high", 6657979, "resource (plain)"), ("high", 6623278, "resource (plain)"), ("high", 6628906, "resource (plain)"),
                                ("high", 26528884 - 6657979 - 6623278 - 6628906, "resource (plain)")]), "the inversion's waits for the mutex are in it")
    threads = {thread["thread_name"][0]: (thread["pid"][0], thread["tid"][0]) for packet in packets for track in packet["track_descriptor"] for thread in track["thread"]}
    processes = {process["pid"][0]: process["process_name"][0] for packet in packets for track in packet["track_descriptor"] for process in track["process"]}
    ok({"low", "medium", "high"} <= threads.keys() and len({tid for _, tid in threads.values()}) == len(threads) and
       {processes.get(pid) for pid, _ in threads.values()} == {"threadx"}, "threads have numbers of their own, in the process of the target", threads, processes)
    switches = [switch for packet in packets for bundle in packet["ftrace_events"] for event in bundle["event"] for switch in event["sched_switch"]]
    numbers = {switch["next_comm"][0]: switch["next_pid"][0] for switch in switches}
    ok(all(numbers[name] == threads[name][1] for name in ("low", "medium", "high")), "switches name threads by the numbers of their tracks", numbers, threads)
    ok(not any("text" in event["notes"] for packet in packets for event in packet["track_event"]), "sentences are there only where they are asked for")
    names = {event["notes"].get("mutex_ptr name") for packet in packets for event in packet["track_event"]}
    ok("resource (plain)" in names, "a number that an object has stands beside the object's name", names)


def check_losses():
    packets = decoded(LOST)
    marks = [event["notes"] for packet in packets for event in packet["track_event"] if event["categories"] == ["loss"]]
    ok(marks and all("reason" in mark for mark in marks) and sum(bool(packet["previous_packet_dropped"]) for packet in packets) == len(marks),
       "each loss is a mark, and a packet that says that packets before it are lost", marks)
    packets = decoded("tests/data/liteos/a_arm32_smp4_core_count/offline.bin")
    n_lost = sum(bool(bundle["lost_events"]) for packet in packets for bundle in packet["ftrace_events"])
    n_marks = sum(event["categories"] == ["loss"] for packet in packets for event in packet["track_event"])
    ok(not n_marks or n_lost, "bundles of cores say that events are lost", n_marks, n_lost)


def check_queues():
    dump = path_of("queues.trx")
    with open(dump, "wb") as file:
        file.write(rastrum("bench", "gen", "--events", "20000").bytes)
    packets = decoded(dump)
    sides = collections.defaultdict(dict)
    for packet in packets:
        for event in packet["track_event"]:
            if event["categories"] == ["send"]:
                sides[event["flow_ids"][0]][event["name"][0]] = (packet["timestamp"][0], event["notes"]["object"])
    whole = [side for side in sides.values() if side.keys() == {"sends", "receives"} and side["sends"][0] <= side["receives"][0] and
             side["sends"][1] == side["receives"][1]]
    ok(whole and len(whole) == len(sides), f"flows go from what sends to what receives from the same queue later: {len(whole)}", len(sides))


def check_clock():
    found = [(path, json.loads(rastrum("info", "-q", "--json", path).out)) for path in every_recording()]
    found = [path for path, info in found if info.get("clock", {}).get("pairs") and info["clock"]["hz"]]
    faults = Faults()
    for path in found:
        packets, report = decode(convert(path, "perfetto")[1]), [line for line in lines(path) if line.get("wall_ns") is not None]
        clocks = [{clock["clock_id"][0]: clock["timestamp"][0] for clock in packet["clock_snapshot"][0]["clocks"]} for packet in packets if packet["clock_snapshot"]]
        walls = {line["ns"]: line["wall_ns"] for line in report}
        faults.compare(f"{path}: the first snapshot", [(each[6], each[1]) for each in clocks[:1]], [(0, walls[0])] if walls else [])
    ok(found and not faults, f"where the time of day is known, a snapshot of the clocks has that of the first event: {len(found)}", *faults)


if shutil.which("protoc"):
    for check in (check_all, check_inversion, check_losses, check_queues, check_clock):
        check()
else:
    skip("protoc decodes what convert writes", "no protoc")
sys.exit(done())
