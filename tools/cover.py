#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Coverage by room: which share of the lines of src/ the tests of BUILD=cover have run.

	tools/cover.py build/cover		prints a line for each room; status 1 where one is below its floor
	tools/cover.py build/cover ROOM	prints the lines of that room that no test has run

gcc counts a line for each object that was compiled from it; a line has run if it ran in one of them.
"""
import collections
import glob
import json
import os
import subprocess
import sys

FLOORS = "tools/cover.tsv"


def counted(build):
    """{file: {line: times}} of all sources, from the counters that the tests left."""
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    data = glob.glob(f"{build}/obj/**/*.gcno", recursive=True)
    for start in range(0, len(data), 50):
        out = subprocess.run(["gcov", "--json-format", "--stdout", *data[start : start + 50]], capture_output=True, check=True)
        for text in out.stdout.splitlines():
            for file in json.loads(text)["files"]:
                for line in file["lines"]:
                    lines[os.path.normpath(file["file"])][line["line_number"]] += line["count"]
    return lines


def room_of(path):
    parts = os.path.dirname(path).split("/")
    deep = parts[:2] == ["src", "dialect"] or parts[:2] == ["src", "record"] or parts[:2] == ["src", "template"]
    return "/".join(parts[: 3 if deep else 2])


def rooms_of(lines):
    """{room: (lines that ran, lines)} of src/ without its tests."""
    rooms = collections.defaultdict(lambda: [0, 0])
    for path, counts in lines.items():
        if path.startswith("src/") and not path.endswith(("_test.c", "_test.h")):
            rooms[room_of(path)][0] += sum(1 for count in counts.values() if count)
            rooms[room_of(path)][1] += len(counts)
    return rooms


def floors():
    with open(FLOORS, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {room: float(floor) for room, floor in rows}


def print_rooms(rooms, least):
    below = []
    print(f"{'room':28} {'lines':>7} {'run':>7} {'share':>7} {'floor':>7}")
    for room in sorted(rooms):
        ran, n_lines = rooms[room]
        share = 100 * ran / n_lines
        floor = least.get(room)
        print(f"{room:28} {n_lines:7} {ran:7} {share:6.1f}% " + (f"{floor:6.1f}%" if floor is not None else "   none"))
        if floor is None or share < floor:
            below.append(room)
    ran, n_lines = (sum(room[i] for room in rooms.values()) for i in (0, 1))
    print(f"{'all':28} {n_lines:7} {ran:7} {100 * ran / n_lines:6.1f}%")
    return below


def print_missing(lines, room):
    for path in sorted(path for path in lines if room_of(path) == room and not path.endswith("_test.c")):
        for number in sorted(number for number, count in lines[path].items() if not count):
            print(f"{path}:{number}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    lines = counted(sys.argv[1])
    if len(sys.argv) == 3:
        print_missing(lines, sys.argv[2])
        return
    least = floors()
    rooms = rooms_of(lines)
    below = print_rooms(rooms, least)
    gone = sorted(set(least) - set(rooms))
    for room in below:
        print(f"cover: {room} is below its floor or has none: tools/cover.py {sys.argv[1]} {room} lists what no test runs", file=sys.stderr)
    for room in gone:
        print(f"cover: {FLOORS} has a floor of {room}, of which no line is compiled", file=sys.stderr)
    sys.exit(1 if below or gone else 0)


main()
