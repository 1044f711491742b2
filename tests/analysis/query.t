#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Questions in SQL: the tables have what reports and statistics have, and a question can only read."""
import csv
import io
import json
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from conversions import INVERSION, RECORDINGS, TMP, lines, recordings
from tap import Faults, built, done, ok, rastrum, same, sample, skip

def rows(path, sql, *options):
    run = rastrum("query", "-q", "--json", *options, path, sql)
    if run.status not in (0, 3):
        return run.err
    answer = json.loads(run.out)
    names = [column["name"] for column in answer["columns"]]
    return [dict(zip(names, row)) for row in answer["rows"]]


# --- the tables ---------------------------------------------------------------------------------------------------


def name_of(context):
    """As JSON Lines call it."""
    return context and context["name"]


def expected_events(path):
    found = []
    for line in lines(path):
        if "seq" not in line:
            continue
        found.append({"seq": line["seq"], "ts": line["ts"], "ns": line["ns"], "wall_ns": line.get("wall_ns"), "name": line["name"],
                      "context": name_of(line["context"]), "context_kind": line["context"]["kind"], "context_id": line["context"]["id"],
                      "process": line.get("process", {}).get("id"), "interrupted": name_of(line.get("interrupted")),
                      "core": line["core"], "depth": line.get("depth", 0), "priority": line["prio"], "threshold": line.get("threshold"),
                      "args": line["args"], "text": line["text"]})
    return found


def expected_losses(path):
    found, seq = [], 0
    for line in lines(path):
        if "seq" in line:
            seq = line["seq"] + 1
        elif "damage" in line:
            found.append((seq, "damage", None, line["damage"]["offset"], line["damage"]["bytes"], line["damage"]["what"]))
        elif "lost" in line:
            found.append((seq, "loss", line["lost"], None, None, None))
    return found


def entity(thing):
    if thing is None or isinstance(thing, int):
        return (None, thing, None if thing is None else str(thing))
    return (thing["kind"], thing["id"], thing["name"] if thing["name"] is not None else str(thing["id"]))


def whole(value):
    """SQL has whole numbers up to 2^63 - 1; larger ones are real, which SQLite shows with 15 digits."""
    return float(f"{value:.15g}") if isinstance(value, int) and value >= 1 << 63 else value


def expected_intervals(path):
    found = []
    for line in lines(path, "--intervals"):
        if line["from"] == line["to"]:
            continue  # they have no time
        found.append((line["kind"], *entity(line["subject"]), *entity(line["object"]), line["state"], line["reason"], line["core"],
                      line["from"], line["to"], line["from_seq"], line["to_seq"], entity(line["by"])[2], line["certainty"], whole(line.get("value"))))
    return found


INTERVALS = "SELECT kind, subject_kind, subject_id, subject, object_kind, object_id, object, state, reason, core, from_ts, to_ts, " \
            "from_seq, to_seq, by, certainty, value FROM intervals"


def is_near(one, other):
    """`stats` rounds reals."""
    return abs(one - other) < 0.001 if isinstance(one, float) and isinstance(other, (int, float)) else one == other


def check_tables(paths):
    events, losses, intervals, counts, stats = Faults(), Faults(), Faults(), Faults(), Faults()
    n_events = n_losses = n_intervals = n_stats = 0
    for path in paths:
        got = rows(path, "SELECT seq, ts, ns, wall_ns, name, context, context_kind, context_id, process, interrupted, core, depth, priority, threshold, "
                         "args, text FROM events")
        if isinstance(got, str):
            events.append(f"{path}: {got}")
            continue
        for row in got:
            row["args"] = json.loads(row["args"])
        expected = expected_events(path)
        for row, line in zip(got, expected):  # where JSON has no name, tables have that of the text
            for key in ("context", "interrupted"):
                row[key] = row[key] if line[key] or not row[key] else None
        n_events += len(expected)
        events.compare(f"{path}: number", len(got), len(expected))
        events += [f"{path}: {g} is not {e}" for g, e in zip(got, expected) if g != e][:1]
        if expected:  # markers in front of everything have no place in time
            got = [tuple(row.values()) for row in rows(path, "SELECT seq, kind, events, offset, bytes, CASE kind WHEN 'damage' THEN reason END FROM losses")]
            losses.compare(path, got, expected_losses(path))
            n_losses += len(got)
        got = [tuple(row.values()) for row in rows(path, INTERVALS)]
        expected = expected_intervals(path)
        n_intervals += len(expected)
        intervals.compare(f"{path}: number", len(got), len(expected))
        intervals += [f"{path}: {g} is not {e}" for g, e in zip(got, expected) if g != e][:1]
        info = json.loads(rastrum("info", "-q", "--json", path).out)
        got = {row["name"]: row["count"] for row in rows(path, "SELECT name, count FROM event_counts")}
        counts.compare(path, got, info["counts"])
        for line in [] if path.startswith(TMP.name) and len(path) % 4 else rastrum("stats", "-q", "--json", path).out.splitlines():
            table = json.loads(line)
            answer = json.loads(rastrum("query", "-q", "--json", path, f"SELECT * FROM stats_{table['table']}").out)
            names = [column["name"] for column in answer["columns"]][1:]
            # JSON has the most that fits only of columns in which it is not the figure itself.
            columns = {column["name"]: n for n, column in enumerate(table["columns"])}
            keep = [columns.get(name, columns.get(name.removesuffix("_max"))) for name in names]
            got = [row[1:] for row in answer["rows"]]
            expected = [[row[n] for n in keep] for row in table["rows"]]
            n_stats += len(expected)
            stats += [f"{path}: {table['table']}: {g} is not {e}" for g, e in zip(got, expected) if not all(map(is_near, g, e))]
            stats.compare(f"{path}: {table['table']}", len(got), len(expected))
    ok(not events and n_events > 1000, f"{n_events} events are those of the report, with all that it has of each", *events)
    ok(not losses and n_losses > 50, f"{n_losses} losses and damages are those of the report, where they happened", *losses)
    ok(not intervals and n_intervals > 500, f"{n_intervals} intervals are those of the report", *intervals)
    ok(not counts, "events are counted as `info` counts them", *counts)
    ok(not stats and n_stats > 200, f"{n_stats} rows of statistics are those of `stats`", *stats)


def check_schema():
    schema = rastrum("query", "--schema")
    database = sqlite3.connect(":memory:")
    database.executescript(schema.out)
    names = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
    missing = Faults()
    for name in sorted(names):
        run = rastrum("query", INVERSION, f"SELECT * FROM {name}")
        if run.status or not run.out:
            missing.append(f"{name}: {run.err}")
        expected = [row[0] for row in database.execute(f"SELECT * FROM {name}").description]
        missing.compare(name, run.lines[0].split() if run.lines else None, expected)
    ok(len(names) > 30 and not missing, f"{len(names)} tables and views of --schema are there, with their columns", *missing)
    ok(max(map(len, schema.lines)) < 100, "--schema can be read")
    database.close()


def check_sources():
    first = rows("tests/data/rkh/r1_default.bin", "SELECT count(*) AS n FROM events")[0]["n"]
    run = rastrum("query", "-q", "--json", "tests/data/rkh/r1_default.bin", INVERSION,
                  "SELECT t.source, t.path, t.events, t.first_seq, min(e.seq), max(e.seq), count(*) FROM traces t JOIN events e USING (source) "
                  "GROUP BY t.source")
    own = json.loads(rastrum("info", "--json", INVERSION).out)["events"]
    same(json.loads(run.out)["rows"], [[0, "tests/data/rkh/r1_default.bin", first, 0, 0, first - 1, first],
                                       [1, INVERSION, own, first, first, first + own - 1, own]],
         "several traces are in one database, and numbers of events go on")
    whole = rows(INVERSION, "SELECT sum(duration) AS d FROM intervals WHERE kind = 'thread' AND subject = 'high'")[0]["d"]
    part = rows(INVERSION, "SELECT sum(duration) AS d, min(from_ts) AS f, max(to_ts) AS t FROM intervals WHERE kind = 'thread' AND subject = 'high'",
                "--from", "340000000", "--to", "350000000")[0]
    same((part, whole > part["d"]), ({"d": 10000000, "f": 340000000, "t": 350000000}, True), "a window cuts intervals, as in statistics")
    timed = rows(INVERSION, "SELECT max(ns) AS ns, (SELECT unit FROM traces) AS unit, (SELECT max(duration) FROM waits) AS wait FROM events",
                 "--clock-hz", "1M")
    same(timed, [{"ns": 42254170000, "unit": "ns", "wait": 42039161000}], "with a clock, durations are in nanoseconds")


# --- answers ------------------------------------------------------------------------------------------------------


def check_formats():
    sql = "SELECT 1 AS one, 'a,\"b' AS text, NULL AS none, 2.5 AS real, 'x' || char(10) || 'y' AS two, 9e999 AS huge"
    run = rastrum("query", "-f", "csv", INVERSION, sql)
    same(list(csv.reader(io.StringIO(run.out))), [["one", "text", "none", "real", "two", "huge"], ["1", 'a,"b', "", "2.5", "x\ny", "Inf"]], "CSV")
    answer = json.loads(rastrum("query", "--json", INVERSION, sql).out)
    same((answer["table"], answer["columns"][0], answer["rows"], answer["window"]["to"], answer["unknown"]),
         ("query", {"name": "one", "unit": None}, [[1, 'a,"b', None, 2.5, "x\ny", None]], 375677302, 0), "JSON has the shape of all tables")
    run = rastrum("query", INVERSION, "SELECT thread, runs FROM running ORDER BY runs")
    same(run.lines, ["thread     runs", "collector     1", "medium        5", "high         11", "low          15"], "columns are aligned, numbers to the right")
    run = rastrum("query", INVERSION, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000) SELECT x, x % 2 AS odd FROM n")
    ok(len(run.lines) == 100001 and run.lines[100000].split() == ["100000", "0"], "an answer may be long")
    run = rastrum("query", INVERSION, "SELECT 'a' || char(27) || 'b' AS x")
    same(run.lines[1], "a\\x1bb", "what cannot be printed does not reach the terminal")
    path = os.path.join(TMP.name, "out.csv")
    run = rastrum("query", "-f", "csv", "-o", path, INVERSION, "SELECT 7 AS x")
    with open(path, encoding="utf-8") as file:
        same((run.out, file.read()), ("", "x\n7\n"), "-o names a file")


def check_refusals():
    faults = Faults()
    for sql, what in (("DELETE FROM traces", "a question can only read"), ("INSERT INTO losses (seq) VALUES (1)", "a question can only read"),
                      ("CREATE TABLE x (y)", "a question can only read"), ("DROP TABLE traces", "a question can only read"),
                      (f"ATTACH '{TMP.name}/made' AS x", "a question can only read"), ("PRAGMA user_version = 3", "a question can only read"),
                      ("PRAGMA journal_mode = WAL", "a question can only read"), ("VACUUM", "a question can only read"),
                      ("UPDATE sqlite_master SET sql = 1", "SQL: "),
                      ("SELECT zzz FROM events", "no such column: zzz; see `rastrum query --schema`"), ("SELEC 1", "syntax error"),
                      ("SELECT 1; SELECT 2", "more than one statement"), ("", "no statement"), ("/* nothing */", "no statement"),
                      ("SELECT json('{') FROM traces", "malformed JSON")):
        run = rastrum("query", INVERSION, sql)
        if run.status != 2 or what not in run.err or len(run.err.splitlines()) != 1:
            faults.append(f"{sql}: {run.status} {run.err} {run.out[:80]}")
    ok(not faults and not os.path.exists(f"{TMP.name}/made"), "what could write, and what is no SQL, is refused: status 2", *faults)
    check_cage()
    same(rows(INVERSION, "SELECT count(*) AS n FROM pragma_table_info('events')")[0]["n"], 18, "what only looks is not refused")
    same(rows(INVERSION, "SELECT DISTINCT key FROM events, json_each(args) WHERE name = 'TX_TRACE_MUTEX_CREATE'"),
         [{"key": "mutex_ptr"}, {"key": "inheritance"}, {"key": "stack_ptr"}], "nor functions with rows")
    for words, status, what in ((["x.trx"], 2, "query needs a file, and a question"), (["/nonexistent", "SELECT 1"], 4, "cannot open"),
                                ([INVERSION, "SELECT 1", "-f", "xml"], 2, "there is no format 'xml'"),
                                ([INVERSION, "SELECT 1", "--from", "x"], 2, "'x'")):
        run = rastrum("query", *words)
        ok(run.status == status and what in run.err and not run.out, f"`query {' '.join(words[:2])[-40:]}`: status {status}", run.err, run.out)
    run = rastrum("query", "-q", "tests/data/rkh/d1_bitflips.bin", "SELECT count(*) AS n FROM losses WHERE kind = 'damage'")
    ok(run.status == 3 and int(run.lines[1]) > 0, "damaged input: what can be read is answered from, status 3", run.out)


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x < 4"
CALL = "SELECT t.a, i.name FROM (SELECT fts3_tokenizer('simple', x'4141414141414141') AS a LIMIT 1) t, " \
       "pragma_table_info('fts3tokenize' || substr(t.a, 1, 0)) i"
# 400 values of half a megabyte in one row of an aggregate.
BIG = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 500) SELECT " + \
      ", ".join(f"group_concat(hex(zeroblob(500 + {n})))" for n in range(400)) + " FROM c"
WIDE = "SELECT " + ", ".join(f"hex(zeroblob(500000 + {n}))" for n in range(20))


def check_cage():
    """What questions may use stands in lists; each refusal is one sentence that names what is refused."""
    faults = Faults()
    for sql, what in ((CALL, "a question cannot call fts3_tokenizer()"), ("SELECT hex(fts3_tokenizer('simple'))", "a question cannot call fts3_tokenizer()"),
                      ("SELECT FTS3_Tokenizer('simple', x'4141414141414141')", "a question cannot call fts3_tokenizer()"),
                      ("SELECT load_extension('x')", "a question cannot call load_extension()"), ("SELECT rtreecheck('x')", "rtreecheck()"),
                      ("SELECT 'a' MATCH 'b'", "a question cannot call match()"), ("SELECT * FROM sqlite_stmt", "no such table: sqlite_stmt"),
                      ("SELECT count(*) FROM dbstat", "no such table: dbstat"), ("SELECT * FROM fts3tokenize('simple', 'a')", "no such table: fts3tokenize"),
                      ("SELECT * FROM pragma_database_list", "a question cannot read the table pragma_database_list"),
                      ("SELECT count(*) FROM pragma_module_list", "a question cannot read the table pragma_module_list"),
                      ("CREATE VIRTUAL TABLE temp.x USING fts5(y)", "SELECT, not CREATE"), ("DROP VIEW events", "SELECT, not DROP"),
                      ("ATTACH 'x' AS y", "SELECT, not ATTACH"), ("PRAGMA writable_schema = 1", "SELECT, not PRAGMA writable_schema"),
                      ("SELECT ?", "a parameter"), ("SELECT count(*) FROM events WHERE ts > :from", "a parameter"),
                      ('SELECT sum("to" - "from") FROM intervals', "no such column: "), ('SELECT "from" FROM intervals', "did you mean from_"),
                      ('SELECT * FROM events WHERE name = "zzz"', "a text stands in single quotes: 'zzz'"), ("SELECT nam FROM events", "did you mean name?"),
                      ("SELECT * FROM event", "did you mean events?"), ("SELECT cont(*) FROM events", "did you mean count?")):
        run = rastrum("query", INVERSION, sql)
        if run.status != 2 or what not in run.err or len(run.err.splitlines()) != 1 or run.out:
            faults.append(f"{sql}: {run.status} {run.err} {run.out[:80]}")
    ok(not faults, "what a question may call and read stands in a list, the rest is named and refused: status 2", *faults)
    same([list(rows(INVERSION, sql)[0].values()) for sql in (
        "WITH c AS (SELECT 1 UNION SELECT 2) SELECT count(*) FROM c", "SELECT count(*) > 30 FROM sqlite_schema", "SELECT length(hex(randomblob(8)))",
        "SELECT sum(value) FROM json_each(json_array(1, 2, 4))", "SELECT count(*) OVER () FROM (SELECT 5)", "SELECT date('2026-11-28', '+1 day')",
        "SELECT json_extract('{\"a\":[1,2]}', '$.a[1]')", "SELECT upper(group_concat(name, '')) LIKE 'TX%' FROM (SELECT name FROM types LIMIT 2)")],
         [[2], [1], [16], [7], [1], ["2026-11-29"], [2], [1]], "texts, numbers, dates, JSON, aggregates and windows are not refused")
    for form, out in (("table", "x\n1\n2\n3\n"), ("csv", "x\n1\n2\n3\n"), ("json", [[1], [2], [3]])):
        run = rastrum("query", "-f", form, "--timeout", "10ms", INVERSION, ENDLESS)
        same((run.status, json.loads(run.out)["rows"] if form == "json" else run.out, run.err), (4, out, "rastrum: the question takes longer than 10 ms (--timeout)\n"),
             f"a question without end ends with --timeout: {form} has the rows that there are, status 4")
    for sql, what in (("SELECT length(randomblob(900000000))", "a value or row of the question is longer than 1 MiB"),
                      (WIDE, "a row of the answer is longer than 16 MiB"), (BIG, "the question needs more than 128 MiB of memory")):
        run = rastrum("query", INVERSION, sql)
        same((run.status, run.err), (4, f"rastrum: {what}\n"), f"{what}: status 4")
    for value in ("x", "5%", "-1", "1e99", "99999999999999999999"):
        run = rastrum("query", "--timeout", value, INVERSION, "SELECT 1")
        ok(run.status == 2 and f"--timeout cannot be '{value}'" in run.err, f"--timeout {value}: status 2", run.err)
    same([rastrum("query", "--timeout", value, INVERSION, "SELECT 1").status for value in ("0", "60", "2min")], [0, 0, 0], "--timeout takes seconds, and units")
    run = rastrum("query", "--timeout", "0.01", INVERSION, ENDLESS)
    ok(run.status == 4 and "takes longer than 10 ms" in run.err, "… with decimals", run.err)


WITHOUT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void *dlopen(const char *name, int flags)
{
	return name && strstr(name, "sqlite") ? 0 : ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(name, flags);
}
"""


def check_without():
    sentence = "without SQLite a sentence tells what to install: status 5"
    if os.environ.get("BUILD", "release") != "release":
        skip(sentence, "a sanitizer's build")
        return
    library = built(WITHOUT, os.path.join(TMP.name, "without.so"), "-shared", "-fPIC")
    run = rastrum("query", INVERSION, "SELECT 1", env={"LD_PRELOAD": library})
    ok(run.status == 5 and not run.out and "which is not installed; install libsqlite3.so.0 (package libsqlite3-0)" in run.err, sentence, run.err)
    rules = os.path.join(TMP.name, "x.rules")
    with open(rules, "w", encoding="utf-8") as file:
        file.write('lost() == 0\nnone "SELECT 1"\n')
    run = rastrum("check", rules, INVERSION, env={"LD_PRELOAD": library})
    ok(run.status == 5 and not run.out and ".rules:2:1: questions in SQL need SQLite" in run.err, "likewise a rule in SQL", run.err)
    run = rastrum("query", "--schema", env={"LD_PRELOAD": library})
    ok(run.status == 0 and "CREATE VIEW events" in run.out, "but the schema is known", run.err)


check_tables(RECORDINGS + sample(recordings()[len(RECORDINGS):], every=4))
check_schema()
check_sources()
check_formats()
check_refusals()
check_without()
sys.exit(done())
