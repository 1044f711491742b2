#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Perfetto's protobuf: protoc decodes what `convert -t perfetto` writes without a field that is not known, and all is in it."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from conversions import INVERSION, convert, lines, recordings
from tap import Faults, done, ok, rastrum, same, skip

TOKEN = re.compile(rb'\s*(?:(\w+)(?:: (?:"((?:[^"\\]|\\.)*)"|(\S+))| (\{))|(\}))')
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b'"': b'"', b"'": b"'", b"\\": b"\\"}


def text_of(escaped):
    return re.sub(rb"\\([0-7]{3}|.)", lambda found: bytes([int(found.group(1), 8)]) if len(found.group(1)) == 3 else ESCAPES[found.group(1)],
                  escaped).decode("utf-8", "surrogateescape")


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
            stack[-1][name.decode()].append(text_of(text) if text is not None else int(word, 0) if word[:1].isdigit() or word[:1] == b"-" else word.decode())
        at = found.end()
    assert not data[at:].strip() and len(stack) == 1, data[at:at + 100]
    return stack[0]["packet"]


def decode(data):
    run = subprocess.run(["protoc", "--decode=Trace", "-Itests", "tests/perfetto.proto"], input=data, capture_output=True, check=False)
    return messages(run.stdout) if run.returncode == 0 else run.stderr.decode()


def notes_of(event):
    return {note["name"][0]: (note["int_value"] + note["string_value"] + note["legacy_json_value"])[0] for note in event["debug_annotations"]}


def slices(packets, names):
    """(track, begin, end, name, notes): begins and ends of each track, in the order of time, as readers pair them."""
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
                found.append((track, begin, at, names[first["name_iid"][0]], first["categories"][0], notes_of(first)))
        assert not opened, "a slice has no end"
    return found


def compare(path, faults):
    run, data = convert(path, "perfetto", "--clock-hz", "1G")
    packets = decode(data) if run.status in (0, 3) else run.err
    if isinstance(packets, str):
        return faults.append(f"{path}: {packets}")
    unknown = {key for packet in packets for key in packet if key.isdigit()} | \
              {key for packet in packets for event in packet["track_event"] for key in event if key.isdigit()}
    faults.compare(f"{path}: unknown fields", unknown, set())
    names = {name["iid"][0]: name["name"][0] if name["name"] else "" for packet in packets for interned in packet["interned_data"] for name in interned["event_names"]}
    tracks = {track["uuid"][0]: track["name"][0] for packet in packets for track in packet["track_descriptor"]}
    events = [(packet["timestamp"][0], event) for packet in packets for event in packet["track_event"]]
    faults.compare(f"{path}: tracks without a name", {event["track_uuid"][0] for _, event in events} - tracks.keys(), set())
    report = lines(path, "--clock-hz", "1G")
    expected = [line for line in report if "seq" in line]
    got = [(names[event["name_iid"][0]], notes_of(event)) for _, event in events if event["categories"] == ["event"]]
    faults.compare(f"{path}: events", [(name, notes["seq"], notes["text"], json.loads(notes["fields"])) for name, notes in got],
                   [(line["name"], line["seq"], line["text"], line["args"]) for line in expected])
    if expected:
        faults.compare(f"{path}: losses", sum(event["categories"] == ["loss"] for _, event in events), len(report) - len(expected))
    intervals = [line for line in lines(path, "--intervals", "--clock-hz", "1G") if line["from"] != line["to"]]
    wanted = collections.Counter((line["kind"], line["from_seq"], line["to_seq"], line["certainty"]) for line in intervals if line["kind"] != "level")
    paired = slices(packets, names)
    faults.compare(f"{path}: intervals", collections.Counter((kind, notes.get("from_seq"), notes.get("to_seq"), notes["certainty"])
                                                             for _, _, _, _, kind, notes in paired), wanted)
    if json.loads(run_info(path))["clock"]["hz"] == 10 ** 9 and expected:
        first = expected[0]["ts"]
        faults.compare(f"{path}: times", sorted((begin, end) for _, begin, end, *_ in paired),
                       sorted((max(line["from"] - first, 0), max(line["to"] - first, 0)) for line in intervals if line["kind"] != "level"))
    faults.compare(f"{path}: levels", [event["counter_value"][0] for _, event in events if event["type"] == ["TYPE_COUNTER"]],
                   [line["value"] for line in intervals if line["kind"] == "level" and line.get("value") is not None])
    flows = collections.Counter(flow for _, event in events for flow in event["flow_ids"])
    woken = sum(line["kind"] == "thread" and line["by"] is not None and not isinstance(line["by"], int) and line["from_seq"] is not None for line in intervals)
    faults.compare(f"{path}: flows", (len(flows), set(flows.values()) - {2}), (woken, set()))
    return len(expected)


def run_info(path):
    return rastrum("info", "-q", "--json", "--clock-hz", "1G", path).out


def check():
    sentence = "protoc decodes all, and each event, interval, level and wake-up is there"
    if not shutil.which("protoc"):
        skip(sentence, "no protoc")
        return
    faults, paths = Faults(), recordings()
    n_events = sum(compare(path, faults) or 0 for path in paths)
    ok(not faults and n_events > 10000, f"{sentence}: {n_events} events of {len(paths)} recordings", *faults)
    packets = decode(convert(INVERSION, "perfetto", "--clock-hz", "1G")[1])
    names = {name["iid"][0]: name["name"][0] for packet in packets for interned in packet["interned_data"] for name in interned["event_names"]}
    tracks = {track["uuid"][0]: track["name"][0] for packet in packets for track in packet["track_descriptor"]}
    waits = [(tracks[track], end - begin, notes["object"]) for track, begin, end, name, _, notes in slices(packets, names) if name == "waiting (lock)"]
    same(sorted(waits), sorted([("high", 6657979, "resource (plain)"), ("high", 6623278, "resource (plain)"), ("high", 6628906, "resource (plain)"),
                                ("high", 26528884 - 6657979 - 6623278 - 6628906, "resource (plain)")]), "the inversion's waits for the mutex are in it")


check()
sys.exit(done())
