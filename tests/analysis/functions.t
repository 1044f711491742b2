#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions of questions in SQL: each gives what Python computes from the rows of the tables, over real recordings."""
import bisect
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from conversions import INVERSION, RECORDINGS
from tap import Faults, done, ok, rastrum, same

CLOCK = ("--clock-hz", "1M")


def rows(path, sql, *options):
    run = rastrum("query", "-q", "--json", *options, path, sql)
    if run.status not in (0, 3):
        return [(run.err,)]
    return [tuple(row) for row in json.loads(run.out)["rows"]]


def nearest(numbers, p):
    return sorted(numbers)[max(1, math.ceil(p * len(numbers) / 100)) - 1]


def ranges(numbers):
    found = {}
    for number in numbers:
        low = 1 << (abs(math.floor(number)).bit_length() - 1) if math.floor(number) else 0
        pair = (low, 2 * low - 1) if low else (0, 0)
        pair = pair if number >= 0 else (-pair[1], -pair[0])
        found[pair] = found.get(pair, 0) + 1
    return [{"from": low, "to": high, "count": count} for (low, high), count in sorted(found.items())]


def check_aggregates():
    faults, n_groups = Faults(), 0
    for path in RECORDINGS:
        groups = {}
        for kind, duration in rows(path, "SELECT kind, duration FROM intervals"):
            groups.setdefault(kind, []).append(duration)
        n_groups += len(groups)
        got = rows(path, "SELECT kind, percentile(duration, 0), percentile(duration, 50), percentile(duration, 99.9), percentile(duration, 100), "
                         "histogram(duration) FROM intervals GROUP BY kind")
        for kind, *found, histogram in got:
            faults.compare(f"{path}: {kind}", found, [nearest(groups[kind], p) for p in (0, 50, 99.9, 100)])
            faults.compare(f"{path}: {kind}", json.loads(histogram), ranges(groups[kind]))
    ok(n_groups > 5 and not faults, f"percentile() and histogram() of {n_groups} groups are those of Python", *faults)
    numbers = [3, -4, 0.5, -0.5, -0.0, 9, 1 << 40, None]
    listed = ", ".join("(NULL)" if number is None else f"({number})" for number in numbers)
    known = numbers[:-1]
    ranks = (0, 20, 40, 60, 80, 100)
    columns = ", ".join(f"percentile(n, {p})" for p in ranks)
    same(rows(INVERSION, f"WITH x(n) AS (VALUES {listed}) SELECT histogram(n), {columns} FROM x"),
         [(json.dumps(ranges(known)).replace(" ", ""), *(float(nearest(known, p)) for p in ranks))], "reals, negative numbers and NULL")
    numbers = [-(1 << 63), -3, 0, 255, 256, (1 << 63) - 1]
    listed = ", ".join(f"({number})" for number in numbers)
    same(rows(INVERSION, f"WITH x(n) AS (VALUES {listed}) SELECT {columns} FROM x")[0], tuple(nearest(numbers, p) for p in ranks),
         "whole numbers of all sizes keep their order")
    same(rows(INVERSION, "WITH x(n) AS (VALUES (9007199254740993), (1)) SELECT percentile(n, 100) FROM x"), [(9007199254740993,)], "whole numbers are exact")
    same(rows(INVERSION, "SELECT percentile(ts, 50), histogram(ts) FROM events WHERE seq < 0"), [(None, None)], "of no rows they are NULL")


def check_state_at():
    faults, n = Faults(), 0
    columns = "kind, subject, state, object, from_ts, to_ts, from_seq, to_seq, by, certainty"
    for path in RECORDINGS:
        intervals = rows(path, f"SELECT {columns} FROM intervals")
        for ts in sorted({row[4] for row in intervals})[::40] + sorted({row[5] for row in intervals})[-1:]:
            expected = [row for row in intervals if row[4] <= ts < row[5]]
            n += len(expected)
            faults.compare(f"{path} at {ts}", sorted(map(repr, rows(path, f"SELECT {columns} FROM state_at({ts})"))), sorted(map(repr, expected)))
    ok(n > 50 and not faults, f"state_at() has the {n} intervals that have begun and not ended", *faults)
    same(rows(INVERSION, "SELECT count(*) FROM (SELECT max(ts) AS t FROM events WHERE name = 'TX_TRACE_MUTEX_GET'), state_at(t)"),
         rows(INVERSION, "SELECT count(*) FROM intervals, (SELECT max(ts) AS t FROM events WHERE name = 'TX_TRACE_MUTEX_GET') WHERE from_ts <= t AND t < to_ts"),
         "its argument may come from a row")


def expected_pairs(events, begin, end, key):
    """An end closes the open begin of its context and key; a new begin replaces an open one."""
    found, begun = [], {}
    for identity, context, name, seq, ts, args in events:
        value = json.loads(args).get(key) if key else None
        if name not in (begin, end) or (key and value is None):
            continue
        place = (identity, context, value)
        if name == end and place in begun:
            found.append((context, value, begun[place][0], seq, begun[place][1], ts))
        begun.pop(place, None)
        if name == begin:
            begun[place] = (seq, ts)
    return found


def check_pairs():
    faults, n = Faults(), 0
    cases = [(INVERSION, "TX_TRACE_MUTEX_GET", "TX_TRACE_MUTEX_PUT", key) for key in ("mutex_ptr", None, "absent")]
    for path in RECORDINGS:
        names = [name for name, in rows(path, "SELECT name FROM event_counts LIMIT 3")]
        cases += [(path, one, other, None) for one in names for other in names]
    for path, begin, end, key in cases:
        events = rows(path, "SELECT json_array(source, context_kind, context_id, process), context, name, seq, ts, args FROM events")
        words = ", ".join(f"'{word}'" for word in (begin, end, key) if word)
        expected = expected_pairs(events, begin, end, key)
        n += len(expected)
        faults.compare(f"{path}: {words}", rows(path, f"SELECT context, value, from_seq, to_seq, from_ts, to_ts FROM pairs({words})"), expected)
    ok(n > 100 and not faults, f"pairs() has the {n} pairs that a walk over the events finds", *faults)
    same(rows(INVERSION, "SELECT DISTINCT duration = 1000 * (to_ts - from_ts) FROM pairs('TX_TRACE_MUTEX_GET', 'TX_TRACE_MUTEX_PUT')", *CLOCK), [(1,)],
         "durations are in nanoseconds with a clock")


def of_state(intervals, kind, state):
    return [row for row in intervals if row[2] == kind and state in (None, row[3])]


def check_overlaps():
    faults, n = Faults(), 0
    for path in RECORDINGS:
        intervals = rows(path, "SELECT rowid, source, kind, state, from_ts, to_ts FROM interval_rows WHERE kind IN ('thread', 'lock') ORDER BY from_ts")
        for one, other in ((("thread", "waiting"), ("lock", "held")), (("thread", None), ("thread", "running"))):
            first, second = (of_state(intervals, *words) for words in (one, other))
            begins = [row[4] for row in second]
            expected = sorted((max(a[4], b[4]), min(a[5], b[5])) for a in first for b in second[:bisect.bisect_left(begins, a[5])]
                              if a[1] == b[1] and a[0] != b[0] and max(a[4], b[4]) < min(a[5], b[5]))
            words = ", ".join("NULL" if word is None else f"'{word}'" for word in one + other)
            n += len(expected)
            faults.compare(f"{path}: {words}", sorted(rows(path, f"SELECT from_ts, to_ts FROM overlaps({words})")), expected)
    ok(n > 100 and not faults, f"overlaps() has the {n} times that a comparison of each with each finds", *faults)
    same(rows(INVERSION, "SELECT subject, other, sum(duration) FROM overlaps('lock', 'held', 'thread', 'waiting') WHERE other_reason = 'lock' "
                         "AND other_object = subject GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 1"),
         rows(INVERSION, "SELECT a.subject, b.subject, sum(min(a.to_ts, b.to_ts) - max(a.from_ts, b.from_ts)) FROM intervals a JOIN intervals b "
                         "ON a.from_ts < b.to_ts AND b.from_ts < a.to_ts WHERE a.kind = 'lock' AND a.state = 'held' AND b.kind = 'thread' "
                         "AND b.state = 'waiting' AND b.reason = 'lock' AND b.object = a.subject GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 1"),
         "each row names both")


def expected_load(intervals, step):
    found = {}
    for source, subject, core, state, begin, end in intervals:
        for n in range(begin // step, (end - 1) // step + 1):
            part = min(end, (n + 1) * step) - max(begin, n * step)
            row = found.setdefault((source, n * step, subject, core if state == "running" else None), [0, 0])
            row[0] += part if state == "running" else 0
            row[1] += part
    return sorted(map(repr, ((*key, *row) for key, row in found.items())))


def check_load():
    faults, n = Faults(), 0
    for path in RECORDINGS:
        intervals = rows(path, "SELECT source, subject, core, state, coalesce(from_ns, from_ts), coalesce(to_ns, to_ts) FROM interval_rows "
                               "WHERE kind = 'thread' AND state IN ('running', 'unknown') AND from_ts < to_ts")
        if not intervals:
            continue
        length = max(row[5] for row in intervals) - min(row[4] for row in intervals)
        names = dict(rows(path, "SELECT thing, name FROM things"))
        for step in {length // 3 + 1, length // 50 + 1}:
            expected = expected_load([(row[0], names[row[1]], *row[2:]) for row in intervals], step)
            n += len(expected)
            if len(set(names.values())) == len(names):
                faults.compare(f"{path}: {step}", sorted(map(repr, rows(path, f"SELECT source, at, thread, core, running, running_max FROM load({step})"))), expected)
    ok(n > 100 and not faults, f"load() has the {n} sums of pieces of intervals", *faults)
    same([rows(INVERSION, sql)[0][0] for sql in ("SELECT sum(running) FROM load(7777777)", "SELECT sum(running) FROM load(99999999)")],
         2 * [rows(INVERSION, "SELECT sum(running) FROM running")[0][0]], "whatever the step, the sums are those of the view running")


def check_findings():
    faults, n = Faults(), 0
    for path in RECORDINGS:
        found = [json.loads(line) for line in rastrum("explain", "-q", "--json", path).lines]
        expected = [(0, *(line[key] for key in ("finding", "severity", "from", "to")), line["subjects"], line["text"], int(line["certain"])) for line in found]
        got = [(*row[:5], json.loads(row[5]), *row[6:]) for row in
               rows(path, "SELECT source, finding, severity, from_ts, to_ts, subjects, text, certain FROM findings")]
        n += len(expected)
        faults.compare(path, got, expected)
    ok(n > 10 and not faults, f"the table findings has the {n} findings of `explain`, in their order", *faults)


def check_refusals():
    faults = Faults()
    for sql, what in (("SELECT * FROM load(0)", "step is a whole number from 1 on"), ("SELECT * FROM load('x')", "step is a whole number from 1 on"),
                      ("SELECT * FROM load(1)", "more than 100000 such steps"), ("SELECT * FROM load", "call it as load(step)"),
                      ("SELECT * FROM pairs('x')", "call it as pairs(begin, end[, key])"), ("SELECT * FROM state_at(1, 2)", "too many arguments"),
                      ("SELECT * FROM overlap_rows(1, 2, 3, 4)", "a question cannot read the table overlap_rows"), ("SELECT * FROM lod(1)", "did you mean load?"),
                      ("SELECT percentile(ts, 101) FROM events", "p is a number from 0 to 100"), ("SELECT percentile(ts, ts) FROM events", "p is a number from"),
                      ("SELECT percentile(seq, seq) FROM events", "the same for all rows"), ("SELECT histogram('x')", "x is a number"),
                      ("SELECT percentile('x', 5)", "x is a number"), ("SELECT percentile(1, 2) OVER ()", "may not be used as a window function"),
                      ("SELECT * FROM pairs('a', 'b', NULL, 4)", "too many arguments")):
        run = rastrum("query", INVERSION, sql)
        if run.status != 2 or what not in run.err or len(run.err.splitlines()) != 1:
            faults.append(f"{sql}: {run.status} {run.err}")
    ok(not faults, "wrong arguments are told in one sentence: status 2", *faults)
    run = rastrum("query", "--timeout", "50ms", INVERSION, "SELECT count(*) FROM overlaps('thread', NULL, 'thread', NULL) a, "
                  "overlaps('thread', NULL, 'thread', NULL) b, overlaps('thread', NULL, 'thread', NULL) c, overlaps('thread', NULL, 'thread', NULL) d")
    same((run.status, run.err), (4, "rastrum: the question takes longer than 50 ms (--timeout)\n"), "--timeout holds inside of them, too")


check_aggregates()
check_state_at()
check_pairs()
check_overlaps()
check_load()
check_findings()
check_refusals()
sys.exit(done())
