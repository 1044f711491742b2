#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/FIGURES.md defines every figure that a command shows, once, with its unit and its bounds, and no other."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import Faults, done, ok, rastrum

TRACE = "tests/data/threadx/priority_inversion.trx"
UNITS = {"time": "ns", "histogram": "ns", "moment": "ticks", "%": "%", "bytes": "bytes", "count": None, "number": None, "word": None}
EDGES = {"", "inside", "whole", "event", "whole, or inside"}
UNKNOWN = {"", "bounded", "open", "least", "sample"}


def written():
    """{section: {figure: (unit, edges, unknown, definition)}}, and what is wrong with rows."""
    sections, faults = {}, Faults()
    with open("docs/FIGURES.md", encoding="utf-8") as page:
        for part in page.read().split("\n## ")[2:]:
            figures = sections.setdefault(part.split("\n")[0], {})
            for line in re.findall(r"^\| `.*", part, re.M):
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                unit, definition, edges, unknown = cells[1:5]
                faults += [line] * (len(cells) != 6 or unit not in UNITS or edges not in EDGES or unknown not in UNKNOWN or not definition)
                for name in re.findall(r"`([^`]+)`", cells[0]):
                    faults += [f"twice: {name}"] * (name in figures)
                    figures[name] = unit, edges, unknown
    return sections, faults


def shown():
    """{table: {column: (unit, whether it is bounded)}} of what commands show."""
    tables = {}
    for line in rastrum("stats", "--json", "--clock-hz", "1G", TRACE).lines + rastrum("diff", "--json", "--clock-hz", "1G", TRACE, TRACE).lines:
        table = json.loads(line)
        name = table["table"] if table["table"] not in ("durations", "amounts", "presence") else f"diff {table['table']}"
        tables[name] = {column["name"]: column["unit"] for column in table["columns"] if not column.get("most_of")}
    return tables


def pairs(names):
    """The names behind which NAME_max stands."""
    return sorted(name for name, behind in zip(names, names[1:]) if behind == f"{name}_max")


def bounded():
    """{table: columns that are bounded}: SQL has their NAME_max always, CSV too."""
    schema = rastrum("query", "--schema").out
    found = {name: pairs(re.findall(r'"(\w+)"', body)) for name, body in re.findall(r"CREATE TABLE stats_(\w+) \((.*?)\);", schema, re.S)}
    heads = [line for line in rastrum("diff", "-f", "csv", TRACE, TRACE).lines if line.startswith("table,")]
    for name, head in zip(("durations", "amounts", "presence"), heads):
        found[f"diff {name}"] = pairs(re.sub("_(ticks|percent)(?=,|$)", "", head).split(","))
    return found


def check_tables(sections):
    columns, units, bounds = Faults(), Faults(), Faults()
    limits = bounded()
    for table, found in shown().items():
        figures = sections.get(table, {})
        columns.compare(table, sorted(figures), sorted(found))
        for name in found.keys() & figures.keys():
            units.compare(f"{table}: {name}", UNITS[figures[name][0]], found[name])
        if table in limits:
            bounds.compare(table, sorted(name for name, (_, _, unknown) in figures.items() if unknown in ("bounded", "open")), limits[table])
    ok(not columns, "each column of stats and diff has its row, and each row its column", *columns)
    ok(not units, "with its unit", *units)
    ok(len(limits) > 13 and not bounds, "what is bounded or open has NAME_max, and nothing else", *bounds)


def check_lists(sections):
    for command in ("check", "explain"):
        names = [line.split()[0] for line in rastrum(command, "--list").lines if re.match(r"\w", line)]
        ok(names and sorted(sections.get(command, {})) == sorted(names), f"each figure of {command} --list has its row", *names)
    schema = rastrum("query", "--schema").out
    views = {name: {column for column in re.findall(r"(?:AS |, |^ *)(\w+)(?=,|\n| FROM)", body, re.M)}
             for name, body in re.findall(r"CREATE VIEW (\w+) AS SELECT (.*?);", schema, re.S)}
    missing = [name for name in sections.get("query", {}) if name.split(".")[1] not in views.get(name.split(".")[0], ())]
    figures = {f"{view}.{column}" for view, columns in views.items() for column in columns
               if column in {"count", "runs", "running", "running_max", "longest", "share", "share_max", "waits", "waited", "total", "mean", "least",
                             "most", "changes", "duration"} and view not in ("events", "intervals")}
    ok(not missing and figures <= sections.get("query", {}).keys(), "the figures of SQL's views have theirs", *missing,
       *sorted(figures - sections.get("query", {}).keys()))


def main():
    sections, faults = written()
    ok(len(sections) > 15 and not faults, "each row has a unit, a definition, edges and the unknown, and each figure has one row", *faults)
    ok(set(sections) - {"curt and splat"} == set(shown()) | {"check", "explain", "query"}, "the page has the tables that there are", *sections)
    check_tables(sections)
    check_lists(sections)
    for page in ("README.md", "docs/ARCHITECTURE.md", "docs/STATES.md"):
        with open(page, encoding="utf-8") as text:
            ok("FIGURES.md" in text.read(), f"{page} names the page")
    return done()


sys.exit(main())
