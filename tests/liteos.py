# SPDX-License-Identifier: MIT
"""What the scripts for LiteOS share: its recordings, the facts about them, and what the program gives of them."""
import json
import os

from tap import rastrum

HERE = "tests/data/liteos/"


def short(path):
    return path.removeprefix(HERE)


def facts_of(path):
    with open(path + ".expected.json", encoding="utf-8") as file:
        return json.load(file)


def layout_of(path):
    with open(os.path.dirname(path) + "/layout.json", encoding="utf-8") as file:
        return json.load(file)["layout"]


def number(value):
    return int(value, 16) if isinstance(value, str) else value


def core_word(core, big):
    cpu, active, lock, params = core
    return cpu << 24 | active << 20 | lock << 16 | params << 12 if big else cpu | active << 8 | lock << 12 | params << 16


class Reading:
    """What the program gives of an input."""

    def __init__(self, *words, stdin=b""):
        self.run = rastrum("report", "-f", "jsonl", *words, stdin=stdin)
        self.lines = [json.loads(line) for line in self.run.lines]
        # What a stream says between events stands among them, too.
        self.rows = [line for line in self.lines if "seq" in line and "cmd" not in line["args"]]
        self.notices = [line for line in self.lines if "cmd" in line.get("args", ())]
        self.lost = [line["lost"] for line in self.lines if "lost" in line]
        self.damage = [line["damage"] for line in self.lines if "damage" in line]

    def events(self):
        """The rows without what depends on the place in the output."""
        return [{key: row[key] for key in row if key not in ("seq", "source")} for row in self.rows]


def info_of(*words, stdin=b""):
    return json.loads(rastrum("info", "--json", *words, stdin=stdin).out)
