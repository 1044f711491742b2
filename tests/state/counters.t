#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A counter keeps its type, real or whole, with a sign or without, from its field to every output: tests/posix_log.py has the log."""
import csv
import io
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import posix_log
from tap import done, ok, rastrum, same, skip
from viewer import Server

NAN, INF = float("nan"), float("inf")
# As posix_log.counters() has them. What is recorded at the very end of the log has no length, and is no interval.
LEVELS = {
    "c:celsius": [20.5, 21.25, -3.75, NAN, INF, 19],
    "c:share": [0.25, 0.1, 0.75, 1e-7, 0.1, 0.5],
    "c:balance": [2, -1, -5, 3, 0, -1],
    "c:total": [1, 2**64 - 1, 2**63, 2**53 + 1, 7, 0],
    "c:debt": [-2**63, -1, 2**63 - 1, 0, -7, -2],
    "c:n": [1, 2, 3, 2, 1],
}


def plain(value, exact=True):
    """A value to compare: NaN is a word, since it equals nothing; exact False: as the nearest double."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return value if exact else float(value)


def json_of(value):
    return None if isinstance(value, float) and not math.isfinite(value) else value


def check(got, sentence, expected=lambda value: value, exact=True):
    same({name: [plain(value, exact) for value in values] for name, values in got.items()},
         {name: [plain(expected(value), exact) for value in values] for name, values in LEVELS.items()}, sentence)


def by_name(pairs):
    found = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def check_report(path):
    lines = [json.loads(line) for line in rastrum("report", "--intervals", "-f", "jsonl", path).lines]
    levels = [line for line in lines if line["kind"] == "level"]
    check(by_name((line["subject"]["name"], line["value"]) for line in levels), "report --intervals, JSON Lines: NaN and infinity are null",
          json_of)
    rows = csv.DictReader(io.StringIO(rastrum("report", "--intervals", "-f", "csv", path).out))
    found = by_name((row["subject_name"], row["value"]) for row in rows if row["kind"] == "level")
    check({name: [float(text) if re.search(r"[.EN]", text) else int(text) for text in texts] for name, texts in found.items()}, "CSV")
    words = re.findall(r"unknown (c:\w+): level (\S+)$", rastrum("report", "--intervals", path).out, re.M)
    same(by_name(words), found, "and text say the same, to the digit")


def check_sql(path, folder):
    database = os.path.join(folder, "counters.db")
    rastrum("convert", "-t", "sqlite", path, "-o", database)
    question = "SELECT subject, value, typeof(value) FROM intervals WHERE kind = 'level' ORDER BY from_ts"
    rows = sqlite3.connect(database).execute(question).fetchall()
    check(by_name(row[:2] for row in rows), "SQLite: NaN is NULL, from 2^63 on a whole number is REAL",
          lambda value: None if plain(value) == "NaN" else float(value) if value >= 2**63 else value)
    types = {name: {kind for other, _, kind in rows if other == name} for name in LEVELS}
    same(types, {"c:celsius": {"real", "null"}, "c:share": {"real"}, "c:balance": {"integer"}, "c:total": {"integer", "real"},
                 "c:debt": {"integer"}, "c:n": {"integer"}}, "and each value has its type")
    answer = json.loads(rastrum("query", "--json", path, question).out)
    same([[plain(cell) for cell in row] for row in answer["rows"]],
         [[name, None if isinstance(value, float) and math.isinf(value) else float(f"{value:.15g}") if kind == "real" else value, kind]
          for name, value, kind in rows], "`query`, which loads no file, has the same; JSON has no infinity")


def check_chrome(path):
    events = json.loads(rastrum("convert", "-t", "chrome", path, "-o", "-").out)["traceEvents"]
    check(by_name((event["name"], event["args"]["level"]) for event in events if event["ph"] == "C"), "Chrome: C events", json_of)


def check_perfetto(path):
    if not shutil.which("protoc"):
        skip("Perfetto: counter_value or double_counter_value", "protoc is not installed")
        return
    data = rastrum("convert", "-t", "perfetto", path, "-o", "-").bytes
    text = subprocess.run(["protoc", "--decode=Trace", "-Itests", "tests/perfetto.proto"], input=data, capture_output=True, check=True).stdout.decode()
    names = dict(re.findall(r'track_descriptor \{\s+uuid: (\d+)\s+name: "([^"]*)"', text))
    found = re.findall(r"type: TYPE_COUNTER\s+track_uuid: (\d+)\s+(counter_value|double_counter_value): (\S+)", text)
    check(by_name((names[track], int(word) if kind == "counter_value" else float(word)) for track, kind, word in found),
          "Perfetto: counter_value, or double_counter_value for real numbers and from 2^63 on",
          lambda value: float(value) if value >= 2**63 else value)


def vcd_value(kind, word):
    """What a reader makes of a change of a variable."""
    if kind == "real":
        return float(word[1:])
    bits = int(word[1:], 2)
    return bits - 2**64 if kind == "integer" and bits >= 2**63 else bits


def check_vcd(path):
    text = rastrum("convert", "-t", "vcd", path, "-o", "-").out
    variables = {code: (kind, name) for kind, code, name in re.findall(r"\$var (\w+) 64 (\S+) (\S+) \$end", text)}
    same({name: kind for kind, name in variables.values()},
         {"c:celsius": "real", "c:share": "real", "c:balance": "integer", "c:total": "reg", "c:debt": "integer", "c:n": "integer"},
         "VCD: variables are real, integer, or reg, which has no sign")
    changes, _, end = text.split("$end\n")[-1].rpartition("\n#")
    changes = [(variables[code], word) for word, code in re.findall(r"^([rb]\S+) (\S+)$", changes, re.M) if code in variables]
    check(by_name((name, vcd_value(kind, word)) for (kind, name), word in changes), "and their changes are the values")
    ok({"rNAN", "bx"} <= {line.split()[0] for line in end.splitlines() if line}, "at the end none is known: a real variable is NaN then", end)


def ranges(values):
    values = [value for value in values if plain(value) != "NaN"]
    return min(values), max(values)


def check_rules(path, folder):
    rules = os.path.join(folder, "levels.rules")
    with open(rules, "w", encoding="utf-8") as file:
        file.writelines(f"level(object {name}) >= 5\n" for name in LEVELS)
    results = [json.loads(line) for line in rastrum("check", "--json", rules, path).lines]
    same([(result["measured"], result["min"], result["max"]) for result in results],
         [(len(values), *map(json_of, ranges(values))) for values in LEVELS.values()], "check: the least and the most that was measured")
    same([result["violations"][0]["value"] for result in results],
         [None if name == "c:celsius" else ranges(values)[0] for name, values in LEVELS.items()],
         "and the worst is the one that is farthest out: NaN is in no range")
    rows = json.loads(rastrum("query", "--json", path, "SELECT object, least, most FROM levels").out)["rows"]
    same({name: [float(f"{value:.15g}") for value in pair if value is not None] for name, *pair in rows},
         {name: [float(f"{value:.15g}") for value in ranges(values) if json_of(value) is not None] for name, values in LEVELS.items()},
         "the view levels says the same")
    good = os.path.join(folder, "good.rules")
    with open(good, "w", encoding="utf-8") as file:
        file.write("level(object c:share) 0.0000001..0.75\nlevel(object c:balance) > -5.5\nlevel(object c:balance) -5..3\n"
                   "level(object c:total) <= 18446744073709551615\nlevel(object c:debt) >= -9223372036854775808\n")
    run = rastrum("check", good, path)
    ok(run.status == 0, "a float of 0.1 is 0.1, -5 is below 0, and 2^64-1 is no more than it is", run.out)


def check_pictures(path):
    svg = tree.fromstring(rastrum("draw", path, "-o", "-").out)
    labels = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text") if element.get("class") == "q" and element.get("x") == "10.0"]
    same(labels, ["-3.75 to 21.25", "most 0.75", "-5 to 3", "most 1.845E+19", "-9.2E+18 to 9.2E+18", "most 3"],
         "draw: each row has its range; a number that is too long has an exponent")
    steps = [element.get("d") for element in svg.iter("{http://www.w3.org/2000/svg}path") if element.get("fill") == "#bfe3f5"]
    ok(len(steps) == len(LEVELS) and not re.search("nan|inf", "".join(steps), re.I), "and steps that are numbers", steps)


def check_view(path):
    server = Server(path)
    try:
        server.wait()
        tracks = {track["id"]: track["name"] for track in server.json("/api/tracks")["tracks"] if track["kind"] == "level"}
        numbers = ",".join(map(str, tracks))
        answer = server.json(f"/api/tiles?tracks={numbers}&width=8192")
        tiles = {tracks[track["id"]]: track["tiles"] for track in answer["tracks"]}
        check({name: [tile["value"] for tile in some] for name, some in tiles.items()}, "view: tiles have the values", json_of)
        same({name: [tile["value_text"] for tile in some if "value_text" in tile] for name, some in tiles.items()},
             {"c:celsius": ["NAN", "INF"], "c:share": [], "c:balance": [], "c:n": [],
              "c:total": [str(value) for value in LEVELS["c:total"] if value > 2**53],
              "c:debt": [str(value) for value in LEVELS["c:debt"] if abs(value) > 2**53]},
             "and as text what a reader of JSON would lose")
        answer = server.json(f"/api/tiles?tracks={numbers}&width=1")
        same({tracks[track["id"]]: [(tile["least"], tile["most"]) for tile in track["tiles"]] for track in answer["tracks"]},
             {name: [ranges([value for value in values if json_of(value) is not None])] for name, values in LEVELS.items()},
             "one tile for all has the least and the most that is finite")
    finally:
        server.stop()


with tempfile.TemporaryDirectory() as work:
    log = os.path.join(work, "counters.rst")
    with open(log, "wb") as out:
        out.write(posix_log.counters().bytes())
    check_report(log)
    check_sql(log, work)
    check_chrome(log)
    check_perfetto(log)
    check_vcd(log)
    check_rules(log, work)
    check_pictures(log)
    check_view(log)
sys.exit(done())
