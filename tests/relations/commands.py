# SPDX-License-Identifier: MIT
"""Relations of commands: the figures of `stats` are those of all others."""
import collections
import contextlib
import functools
import json
import re
import sqlite3

import differ
import viewer
from tap import rastrum

MARGIN = 0.0011  # of a share in a verdict, which has three decimals


# --- databases ---------------------------------------------------------------------------------------------------------

@functools.cache
def schema():
    """{table: its columns}: what databases have of tables, which is all but histograms."""
    found = re.findall(r"CREATE TABLE stats_(\w+) \(source INTEGER,(.*?)\);", rastrum("query", "--schema").out, re.S)
    return {name: re.findall(r'"(\w+)"', columns) for name, columns in found if name != "tables"}


def listed(tables):
    """The tables of `stats` as databases have them: NAME_max is always there, and JSON has it if it differs from NAME."""
    return {name: [{column: row[column] if column in row else row[column.removesuffix("_max")] for column in schema()[name]} for row in rows]
            for name, rows in tables.items() if name in schema()}


def queried(said):
    """All tables in one answer."""
    parts = [f"SELECT '{table}', json_array({quoted(columns)}) FROM stats_{table}" for table, columns in schema().items()]
    found = {table: [] for table in schema()}
    run = rastrum("query", "-q", "--json", *said.options, said.path, " UNION ALL ".join(parts))
    for table, row in json.loads(run.out)["rows"]:
        found[table].append(dict(zip(schema()[table], json.loads(row))))
    return found


def quoted(columns):
    return ", ".join(f'"{column}"' for column in columns)


def stored(said, folder):
    path = f"{folder}/whole.db"
    rastrum("convert", "-q", "-t", "sqlite", *said.options, said.path, "-o", path)
    with contextlib.closing(sqlite3.connect(path)) as database:
        return {table: [dict(zip(columns, row)) for row in database.execute(f"SELECT {quoted(columns)} FROM stats_{table}")]
                for table, columns in schema().items()}


def databases_are_stats(recording, folder):
    expected = listed(recording.tables())
    yield from (f"query: {fault}" for fault in differ.tables(queried(recording), expected))
    yield from (f"SQLite: {fault}" for fault in differ.tables(stored(recording, folder), expected))


# --- check -------------------------------------------------------------------------------------------------------------

def is_plain(name):
    return isinstance(name, str) and re.fullmatch(r"[\w .+-]+", name) and not name.isdigit() and name.strip() == name


def named(rows, column):
    """Rows whose name is that of no other row, and that select no other: `server` is also the word for `server/200`."""
    count = collections.Counter(str(row[column]).split("/", maxsplit=1)[0] for row in rows)
    return [row for row in rows if is_plain(row[column]) and count[row[column]] == 1]


def rules_of(recording):
    """(a rule, which bounds of its verdict to look at, the figure of stats, whether the recording tells all of it)"""
    tables, found = recording.tables(), []
    unit = recording.units()["threads", "running"]
    span = sum(row["to"] - row["from"] for row in tables["window"])
    unknown = {row["thread"]: row["unknown"] for row in tables["load"] if row["kind"] == "thread"}
    for row in named(tables["threads"], "thread"):
        name, is_whole = f'thread "{row["thread"]}"', not unknown.get(row["thread"])
        found.append((f"run({name}) >= 0%", "min max", row["share"], is_whole))
        found.append((f"run({name}) >= 0{unit}", "max", row["run_max"], is_whole))
        if unit == "ticks" and span:
            found.append((f"ready({name}) >= 0%", "min max", 100 * row["ready"] / span, is_whole))
            found.append((f"wait({name}) >= 0%", "min max", 100 * row["waiting"] / span, is_whole))
    for row in named(tables["locks"], "lock"):
        found.append((f'hold({row["kind"]} "{row["lock"]}") >= 0{unit}', "max", row["max_hold"], not row["unknown"]))
    for row in named(tables["queues"], "queue"):
        if re.fullmatch(r"[a-z_]+", row["kind"]):
            found.append((f'level({row["kind"]} "{row["queue"]}") >= 0', "max", row["max_level"], True))
    for row in named(tables["stacks"], "thread"):
        found.append((f'stack_free(thread "{row["thread"]}") >= 0', "min", row["least_free"], True))
    if all(not row["uncounted"] and not row["damaged"] for row in tables["losses"]):
        found.append(("lost() == 0", "max", sum(row["events"] or 0 for row in tables["losses"]), True))
    counts = collections.Counter(row["name"] for row in recording.events() if "name" in row)
    found += [(f"count(event {name}) == {count}", "min max", count, False) for name, count in sorted(counts.items())[:4]
              if re.fullmatch(r"[A-Za-z_]\w+", name)]
    return found


def rules_file(folder, rules):
    path = f"{folder}/all.rules"
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(rules) + "\n")
    return path


def checked(said, rules, *words):
    run = rastrum("check", "-q", "--json", *words, *said.options, rules, said.path)
    return [json.loads(line) for line in run.lines] if run.status in (0, 1, 3) else [{"status": run.status, "error": run.err}]


def check_is_stats(recording, folder):
    rules = rules_of(recording)
    verdicts = checked(recording, rules_file(folder, [rule[0] for rule in rules])) if rules else []
    if len(verdicts) != len(rules):
        yield f"{len(verdicts)} verdicts of {len(rules)} rules: {verdicts[:1]}"
        return
    for (rule, bounds, figure, is_whole), verdict in zip(rules, verdicts):
        low, high = verdict["min"], verdict["max"]
        if figure is None or "comes later than events" in (verdict["reason"] or ""):
            continue
        if low is None:
            if figure and is_whole or rule.startswith("count") and verdict["result"] == "fail":
                yield f"{rule}: {verdict['result']}, {verdict['reason']}; stats has {figure}"
        elif bounds == "max" and abs(high - figure) > MARGIN or bounds == "min" and abs(low - figure) > MARGIN or \
                bounds == "min max" and not low - MARGIN <= figure <= high + MARGIN:
            yield f"{rule}: {low} to {high}; stats has {figure}"


# --- the page ----------------------------------------------------------------------------------------------------------

def page_is_stats(recording, _):
    server = viewer.Server(*recording.options, recording.path)
    try:
        names, got = server.wait()["tables"], {}
        for name in names:
            answer = server.json(f"/api/stats/{name}?limit=1000")
            columns = [column["name"] for column in answer["columns"]]
            got[name] = [dict(zip(columns, row)) for row in answer["rows"]]
            while answer["rows"] and len(got[name]) % 1000 == 0:
                answer = server.json(f"/api/stats/{name}?limit=1000&offset={len(got[name])}")
                got[name] += [dict(zip(columns, row)) for row in answer["rows"]]
        findings = server.json("/api/findings?limit=1000")
    finally:
        server.stop()
    yield from differ.tables(got, {name: rows for name, rows in recording.tables().items() if name != "window"})
    kept = ("finding", "from", "to", "text", "certain")
    yield from differ.lists("finding", *([tuple(row[name] for name in kept) for row in rows]
                                         for rows in (findings["findings"], recording.findings())))


# --- curt and splat ----------------------------------------------------------------------------------------------------

SCALES = {"ticks": 1, "msec": 1e6, "sec": 1e9}


def curt_threads(text):
    """[(running, share, dispatches, preemptions, name)] of the summary of threads, and the scale of its times."""
    part = text.partition("Application Summary (by Tid)")[2].partition("\n\n")[2].partition("\n\n")[0]
    scale = re.search(r"\((ticks|msec)\)", part)
    rows = re.findall(r"^ +≥?([\d.]+) +≥?([\d.]+) +(\d+) +(\d+)  (.*)$", part, re.M)
    return rows, SCALES[scale[1]] if scale else 1


def curt_and_splat_are_stats(recording, _):
    """Shares are left out: curt's are of the time of all cores."""
    tables = recording.tables()
    rows, scale = curt_threads(recording.run("curt", "-q").out)
    half = scale / 20000 + 1 if scale > 1 else 0
    got = sorted((float(time) * scale, int(switches), int(preemptions)) for time, _, switches, preemptions, _ in rows if float(time))
    expected = sorted((row["running"], row["switches"], row["preemptions"]) for row in tables["threads"] if row["running"] > half)
    if len(got) != len(expected):
        yield f"curt: {len(got)} threads, stats has {len(expected)} that ran"
    for one, other in zip(got, expected):
        if abs(one[0] - other[0]) > half or one[1:] != other[1:]:
            yield f"curt: {one}, stats has {other}"
    total = re.search(r"All Locks: +(\d+) +(\d+) +(?:N/A|≥?[\d.]+) +≥?([\d.]+)", recording.run("splat", "-q").out)
    locks = [row for row in tables["locks"] if row["kind"] in ("mutex", "rwlock")]
    expected = (len(locks), sum(row["acquisitions"] for row in locks), sum(row["total_wait"] for row in locks))
    unit = 1 if recording.units()["locks", "total_wait"] == "ticks" else 1e9
    got = (int(total[1]), int(total[2]), float(total[3]) * unit) if total else None
    if not got or got[:2] != expected[:2] or abs(got[2] - expected[2]) > (unit / 2e6 + 1 if unit > 1 else 0):
        yield f"splat: {got}, stats has {expected}"
