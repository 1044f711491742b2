# SPDX-License-Identifier: MIT
"""Relations of what is written: other names, other formats, files that are read back."""
import csv
import io
import json

import differ
import parts
import recordings


# --- anonymise ---------------------------------------------------------------------------------------------------------

def numbers_of(tables):
    """{table: its rows, of which only numbers and histograms are left}: no text, for names are others, and so is the order of rows."""
    return {name: sorted(json.dumps({column: cell for column, cell in row.items() if isinstance(cell, (int, float, list))}, sort_keys=True)
                         for row in rows) for name, rows in tables.items()}


def anonymise_keeps_figures(recording, folder):
    other = recordings.written("anonymise", f"{folder}/other.rsx", *recording.options, recording.path)
    got, expected = numbers_of(other.tables()), numbers_of(recording.tables())
    for name, rows in expected.items():
        yield from differ.lists(name, got.get(name, []), rows)
    kept = ("finding", "from", "to", "severity", "certain", "evidence")
    yield from differ.lists("finding", *(sorted(json.dumps([row[name] for name in kept]) for row in said.findings())
                                         for said in (other, recording)))


# --- reports -----------------------------------------------------------------------------------------------------------

COLUMNS = ("seq", "ts", "ns", "name", "id", "core", "prio", "text")


def flat(row):
    """An event of JSON as CSV has it."""
    found = {name: "" if row[name] is None else str(row[name]) for name in COLUMNS}
    found |= {f"context_{name}": "" if row["context"][name] is None else str(row["context"][name]) for name in ("kind", "id", "name")}
    return found


def reports_are_same(recording, _):
    events = [row for row in recording.events() if "name" in row]
    table = list(csv.DictReader(io.StringIO(recording.run("report", "-q", "-f", "csv").out, newline="")))
    table = [row for row in table if row["seq"]]
    expected = [flat(row) for row in events]
    yield from differ.lists("CSV", [{name: row[name] for name in expected[0]} for row in table] if expected else table, expected)
    lines = recording.run("report", "-q", "-f", "text", "--time", "ticks", "--head", "never", "--columns", "time,core,event").lines
    lines = [line.split() for line in lines if line.strip() and not line.startswith(("***", "---"))]
    yield from differ.lists("text", [line for line in lines if line],
                            [[str(row["ts"]), "-" if row["core"] is None else str(row["core"]), *row["name"].split()] for row in events])


# --- stores and TXTB ---------------------------------------------------------------------------------------------------

def store_keeps_figures(recording, folder):
    store = recordings.written("cut", f"{folder}/all.rsx", *recording.options, recording.path)
    yield from differ.tables(store.tables(), recording.tables())
    yield from differ.lists("event", store.events(), recording.events())
    yield from differ.lists("interval", store.intervals(), recording.intervals())


def is_txtb(recording):
    is_threadx = recording.made and recording.made[1] == "threadx" or recording.name.endswith(".trx") or recording.name.startswith("threadx-")
    return is_threadx and parts.has_window(recording)


def txtb_keeps_figures(recording, folder):
    """A dump of ThreadX gives all that it had, but where a run begins."""
    again = recordings.written("convert", f"{folder}/again.trx", "-t", "txtb", "--opt", "word=64", *recording.options, recording.path)
    yield from differ.tables(again.tables(), recording.tables())
