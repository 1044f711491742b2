#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules of `check`: verdicts that were computed by hand, wrong rules with their columns, losses, formats."""
import json
import os
import struct
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from scheduler import Schedule
from tap import Faults, done, ok, rastrum, same
from threadx_events import INIT, image

INVERSION = "tests/data/threadx/priority_inversion.trx"
LOST = "tests/data/rkh/d2_droppedruns.bin"
TMP = tempfile.TemporaryDirectory()
A, B, MUTEX, QUEUE = 0x1000, 0x1100, 0x8000, 0x9000
RESUME, SUSPEND, ISR_ENTER, ISR_EXIT, MUTEX_GET, MUTEX_PUT, QUEUE_RECEIVE, QUEUE_SEND, SLEEP = 1, 2, 3, 4, 52, 57, 68, 69, 112
USER = 4096


def rules_file(*rules):
    path = os.path.join(TMP.name, "x.rules")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(rules) + "\n")
    return path


def check(rules, *args):
    return rastrum("check", *args[:-1], rules_file(*rules), args[-1])


def verdicts(rules, *args):
    """{title: verdict as an object}"""
    run = check(rules, "--json", *args)
    found = [json.loads(line) for line in run.out.splitlines()]
    return {each["title"]: each for each in found}


def results(rules, *args):
    return [v["result"] for v in verdicts(rules, *args).values()]


def dump(name, events, objects=((1, A, "a", 0, 0), (1, B, "b b", 0, 0), (5, MUTEX, "m", 0, 0), (3, QUEUE, "q", 0, 4))):
    """A dump of (stamp, thread, id, words)."""
    rows = [(thread, 0x80050005, number, words) for _, thread, number, words in events]
    data = bytearray(image(list(objects), rows))
    for n, (stamp, *_) in enumerate(events):
        struct.pack_into("<I", data, len(data) - 32 * (len(events) - n) + 12, stamp)
    path = os.path.join(TMP.name, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def beats(name="beats.trx"):
    """Event +904 at 0, 100, 210, 300; +905 at 30, 150, 260; the trace ends at 500."""
    stamps = [(1000, 0), (1030, 1), (1100, 0), (1150, 1), (1210, 0), (1260, 1), (1300, 0), (1500, 2)]
    return dump(name, [(at, A, USER + which, [0, 0, 0, 0]) for at, which in stamps])


PING, PONG, BEGIN_JOB = (f"event TX_TRACE_USER_EVENT_START+{n}" for n in (0, 1, 5))


def check_moments():
    path = beats()
    found = verdicts([f"l: latency({PING} -> {PONG}) < 60ticks", f"p: period({PING}) 90ticks..110ticks",
                      f"q: period({PING}) 95 ticks .. 105 ticks", f"m: latency({PING} -> {PONG}) 31ticks..300ticks",
                      f"once: period(event TX_TRACE_USER_EVENT_START+2) < 1ticks", f"later: latency({PING} -> {PING}) >= 90ticks",
                      f"none: latency(event TX_TRACE_USER_EVENT_START+2 -> {PING}) < 1000ticks"], path)
    same((found["l"]["result"], found["l"]["broken"], found["l"]["measured"], found["l"]["min"], found["l"]["max"]),
         ("fail", 1, 3, 30, 50), "latency() is from each A to the first B behind it; an A without its B breaks the rule at the end")
    same([(v["from"], v["to"], v["value"], v["by"], v["ended"]) for v in found["l"]["violations"]], [(1300, 1500, 200, 141, False)],
         "… by how much it has waited too long already")
    same((found["p"]["result"], found["p"]["measured"], found["p"]["min"], found["p"]["max"]), ("pass", 3, 90, 110),
         "period() is between neighbours, and both ends of a range are in it")
    same((found["q"]["result"], [(v["value"], v["by"], v["side"], v["evidence"]) for v in found["q"]["violations"]]),
         ("fail", [(110, 5, "above", [2, 4]), (90, 5, "below", [4, 6])]), "a violation has its side, its size and its events")
    same((found["m"]["result"], found["m"]["broken"]), ("fail", 1), "too early is as wrong as too late")
    same((found["once"]["result"], found["later"]["result"], found["none"]["result"]), ("undecided", "pass", "undecided"),
         "what occurs once has no period; an event may be its own B; nothing behind the last A within the limit decides nothing")
    same(results([f"period({PING}) < 110ticks", f"period({PING}) <= 110ticks", f"period({PING}) > 90ticks",
                  f"period({PING}) >= 90ticks", f"period({PING}) == 100ticks"], path),
         ["fail", "pass", "fail", "pass", "fail"], "<, <=, >, >= and == mean what they say, to the tick")
    same(results([f"period({PING}) <= 110us", f"period({PING}) < 110us", f"period({PING}) < 0.1101ms",
                  f"period({PING}) 0.00009s..110000 ns"], "--clock-hz", "1M", path),
         ["pass", "fail", "pass", "pass"], "times are compared exactly, in each unit")
    same(results([f"count({PING}) == 4", f"count({PING}) < 4", "count(event TX_TRACE_USER_EVENT_START+*) >= 8",
                  "count(event NO_SUCH) == 0", f"count({PING}) >= 1 per 100ticks", f"count({PING}) <= 1 per 100ticks"], path),
         ["pass", "fail", "pass", "pass", "fail", "pass"],
         "count() is of all matching events; an event that does not occur has 0; with per, of each part")
    found = verdicts([f"x: count({PING}) == 1 per 100ticks"], path)["x"]
    same((found["measured"], found["broken"], [(v["from"], v["value"]) for v in found["violations"]]),
         (5, 1, [(1400, 0)]), "parts are 1000, 1100, 1200, 1300 and 1400; the last has none")


def check_threads():
    """
    a runs 1000-1100, 1200-1230 and 1410-1510, sleeps 1100-1200 and from 1510 on, and waits for m 1230-1410. b runs in between;
    it has m 1120-1400, a 1410-1450. Before 1000 it is not known what b did. The window is 900-1900.
    """
    path = dump("threads.trx", [
        (900, INIT, RESUME, [A, 0, 0, A]), (1000, INIT, RESUME, [B, 0, 0, A]),
        (1010, A, SLEEP, [10, 0, 0, 0]), (1100, A, SUSPEND, [A, 4, 0, B]),
        (1120, B, MUTEX_GET, [MUTEX, 0, 0, 0]), (1200, B, RESUME, [A, 4, 0, A]), (1220, A, MUTEX_GET, [MUTEX, 0xFFFFFFFF, B, 1]),
        (1230, A, SUSPEND, [A, 13, 0, B]), (1400, B, MUTEX_PUT, [MUTEX, B, 1, 0]),
        (1410, B, RESUME, [A, 13, 0, A]), (1450, A, MUTEX_PUT, [MUTEX, A, 1, 0]),
        (1500, A, SLEEP, [10, 0, 0, 0]), (1510, A, SUSPEND, [A, 4, 0, B]), (1900, B, USER, [0, 0, 0, 0])])
    found = verdicts(["lock: wait(thread a, mutex m) <= 180ticks", "wait: wait(thread a) < 180ticks", "no wait: wait(thread a, queue q) < 1ticks",
                      "hold: hold(mutex m) < 280ticks", "run: run(thread a) < 100ticks", 'ready: ready(thread "b b") < 30ticks',
                      "part: run(thread a) < 50% per 100ticks", "sum: run(thread a) <= 99ticks per 100ticks",
                      "later: latency(event TX_TRACE_MUTEX_PUT -> thread a) < 11ticks"], path)
    figures = {title: (v["result"], v["measured"], v["min"], v["max"], [(w["from"], w["to"], w["value"]) for w in v["violations"]])
               for title, v in found.items()}
    same(figures.pop("lock"), ("pass", 1, 180, 180, []), "wait() for an object: each single wait for it")
    same(figures.pop("wait"), ("fail", 2, 100, 180, [(1510, 1900, 390), (1230, 1410, 180)]),
         "wait() for anything: a wait that the trace ends in counts where it is too long already")
    same(figures.pop("no wait"), ("pass", 0, None, None, []), "what never happens does not last too long")
    same(figures.pop("hold"), ("fail", 2, 40, 280, [(1120, 1400, 280)]), "hold(): each single time that a thread has the lock")
    same(figures.pop("run"), ("fail", 3, 30, 100, [(1000, 1100, 100), (1410, 1510, 100)]), "run() with a time: each single run")
    same(figures.pop("ready"), ("fail", 3, 30, 100, [(1000, 1100, 100), (1200, 1230, 30), (1410, 1510, 100)]),
         "ready(): each single time that it could run and did not")
    same(figures.pop("part"), ("fail", 10, 0.0, 100.0, [(1000, 1100, 100.0), (1400, 1500, 90.0)]), "run() with % per part")
    same(figures.pop("sum"), ("fail", 10, 0, 100, [(1000, 1100, 100)]), "run() with a time per part: what it comes to")
    same(figures.pop("later"), ("fail", 1, 10, 10, [(1450, 1900, 450)]), "latency() to a thread is until it runs")
    same(results(['run(thread "b b") <= 66%', 'run(thread "b b") < 77%', 'run(thread "b b") <= 77%', "run(thread a) == 23%",
                  "run(thread *) < 78%", "run(thread a) < 22.9%", "ready(thread a) <= 10%", "wait(thread a) == 67%"], path),
         ["fail", "undecided", "pass", "pass", "pass", "fail", "pass", "pass"],
         "a share is decided where what is not known cannot change it")
    same(results(["level(queue q) <= 1", "stack_free(thread a) > 5", "hold(mutex *) < 1ms", "hold(mutex x) < 1ms",
                  "duration(span x) < 1ms"], "--clock-hz", "1M", path),
         ["undecided", "undecided", "pass", "undecided", "undecided"], "what the recording does not tell, or have, is undecided")
    same(results(["run(thread A) <= 100ticks", "run(thread b?b) <= 390ticks", "run(thread 0x1000) <= 99ticks"], path),
         ["pass", "pass", "fail"], "names match whatever their case, with * and ?, and ids are names")
    same([verdicts(["x: run(thread a) <= 99ticks"], "--from", at, path)["x"]["broken"] for at in ("0", "1050", "1450")], [2, 1, 0],
         "--from and --to choose the window: a run that is cut counts for nothing")


def check_faults():
    wrong = [
        ("count(event A) == 0 == 1", 21), ("latncy(event A -> event B) < 2ms", 1), ("run(worker) < 2%", 5), ("run(thred worker) < 2%", 5),
        ("run(event worker) < 2%", 5), ("latency(event A event B) < 2ms", 17), ("latency(event A) < 2ms", 16),
        ("count(event A) < 2ms", 18), ("period(event A) < 2", 19), ("period(event A) 3ms..2ms", 17), ("period(event A)", 16),
        ("period(event A) < 2ms per 10ms", 23), ("run(thread A) < 2% per 10", 24), ("run(thread A) < 2%% ", 17), ("run(thread ) < 2%", 12),
        ("run thread A < 2%", 5), ('run(thread "A) < 2%', 12), ("count(event A) < 0", 18), ("count(event A) != 0", 16),
        ("count(event A) = 0", 16), ("period(event A) < 2 parsecs", 19), ("title: run(thread A) < 5 lightyears", 24), (": lost() == 0", 1),
        ("count(event A) == 1.5", 19), ("lost(event A) == 0", 6), ("wait(thread A, B) < 2ms", 16), ("run(thread A, thread B) < 2%", 13),
        ("hold(thread A) < 2ms", 6), ("period(event A) 2..3ms", 17), ("period(event A) 2ms", 20), ("run(thread A) < 2%   # c", 0),
        ("run(thread my thread) < 2%", 0), ("run(thread A < 2%", 14), ("wait(thread A mutex B) < 2%", 15), ("wait(thread A, mutex resource (plain)) < 9%", 0), ("run(thread 'A B') < 2%", 0), ("latency(event A b -> event (c)) < 1ticks", 0), ("run(thread A (b) < 2%", 18), ("ä: run(worker) < 2%", 8), ("none SELECT", 6), ("level(queue q) < 50%", 18),
        ("level(queue q) >= -5", 0), ("level(queue q) < 30.5", 0), ("level(queue q) -2.5..1e", 22), ("level(queue q) -5..-6", 16),
        ("level(queue q) < -1%", 18), ("level(queue q) < 0", 0), ("level(queue q) > --5", 18), ("stack_free(thread A) >= -5", 25),
        ("count(event A) > -1", 18), ("period(event A) > -1ms", 19), ("stack_free(thread A) < 30.5", 24), ("run(thread A) < 2% per -1ms", 24),
        ("level(queue q) < 0.0000000000000000001", 18), ("level(queue q) -5..2.25  # c", 0),
        ("count(event A) < 99999999999999999999", 18), ("period(event A) <", 18), ("period(event A) 2ms..", 22),
        ("run(thread A) < 2% per", 23), ("run(thread A) < 2% per 0ms", 24),
        ("count(event A{}) == 0", 15), ("count(event A{a}) == 0", 16), ("count(event A{a=}) == 0", 17), ("count(event A{a=1) == 0", 20),
        ("count(event A{a==1}) == 0", 17), ("count(event A{a=1,}) == 0", 19), ("count(event A{a=b c}) == 0", 19), ('count(event A{a="x) == 0', 17),
        ("count(event {a=1}) == 0", 13), ("count(event A{a=1}b) == 0", 19), ("level(event A{a=1}) == 0", 14),
        ("count(event A{a=0,b=0,c=0,d=0,e=0,f=0,g=0,h=0,i=0}) == 0", 47), ("count(event A{a=0,b=0,c=0,d=0,e=0,f=0,g=0,h=0}) == 0", 0),
        ("latency(event A b { c = 1 , 'd e' = \"}\" } -> event \"{\"{f=-0x1}) < 1ticks", 0), ("run(thread A{b) < 2%", 0)]
    faults = Faults()
    for rule, column in wrong:
        run = check([rule], INVERSION)
        if not column:
            faults.compare(rule, run.status, 0)
        else:
            faults.compare(rule, (run.status, run.out), (2, ""))
            faults.compare(rule, run.err.split(".rules:")[-1].split(": ")[0], f"1:{column}")
    ok(not faults, f"{len(wrong)} rules, right and wrong: wrong ones are refused with status 2, and the column points at the wrong word", *faults)
    run = check(["lost() == 0", "latncy(event A -> event B) < 2ms", "", "run(thred A) < 2%", "hold(mutx m) < 1ms"], INVERSION)
    same(run.err.replace(TMP.name + "/", "").splitlines(), [
        "x.rules:2:1: there is no metric 'latncy'; did you mean latency?",
        "x.rules:4:5: there is no kind 'thred'; did you mean thread?",
        "x.rules:5:6: there is no kind 'mutx'; did you mean mutex?"],
         "each wrong line is reported, with what was probably meant; nothing is checked")
    run = check(["# nothing"], INVERSION)
    ok(run.status == 2 and ":1:1: there is no rule" in run.err, "a file without a rule is wrong", run.err)
    run = check(["period(event A) < 2ms"], INVERSION)
    ok(run.status == 2 and ".rules:1:17:" in run.err and "--clock-hz" in run.err and not run.out,
       "a time, and a trace without the frequency of its clock: --clock-hz is advised", run.err)
    run = check(['a: none "SELECT \\"name\\", nam FROM events"', "lost() == 0", 'none "DELETE FROM losses"', 'none "SELECT 1; SELECT 2"',
                 "latncy(event A) < 1", 'none ""'], INVERSION)
    same((run.status, run.out, run.err.replace(TMP.name + "/", "").splitlines()), (2, "", [
        "x.rules:1:27: SQL: no such column: nam; did you mean name?",
        "x.rules:3:7: a question can only read: SELECT, not DELETE",
        "x.rules:4:16: SQL: there is more than one statement",
        "x.rules:5:1: there is no metric 'latncy'; did you mean latency?",
        "x.rules:6:7: SQL: there is no statement in it"]),
         "wrong SQL is reported with its place, among the other wrong lines")
    run = rastrum("check", "/nonexistent", INVERSION)
    same(run.status, 4, "rules that cannot be read: status 4")


def check_fields():
    """The recording creates the threads low (priority 20), high (4), medium (10) and collector (1), and one mutex."""
    make = "event TX_TRACE_THREAD_CREATE"
    counts = {"": 4, "{priority=20}": 1, "{priority=0x14}": 1, "{priority=2}": 0, "{ thread_ptr = low, priority=20 }": 1, "{thread_ptr=low,priority=4}": 0,
              "{stack_size=2048}": 4, "{'priority'='20'}": 1, "{thread_ptr=LOW}": 0, "{thread_ptr=l*}": 0, "{thread_ptr=0x565d8fd0}": 1, "{priority=-20}": 0}
    found = verdicts([f"count({make}{text}) == {n}" for text, n in counts.items()], INVERSION)
    same([(title, v["result"], v["max"]) for title, v in found.items()],
         [(f"count({make}{text}) == {n}", "pass", n) for text, n in counts.items()],
         "{field=value}: a number however it is written, or the text that reports show; all of them must hold")
    same(results(['count(event *{mutex_ptr="resource (plain)", inheritance=TX_NO_INHERIT}) == 1', f"latency({make}{{priority=20}} -> {make}{{priority=10}}) == 58397ticks",
                  f"period({make}{{stack_size=2048}}) >= 28052ticks", f"period({make}{{stack_size=2048}}) > 30000ticks"], INVERSION),
         ["pass", "pass", "pass", "fail"], "texts with blanks, and constants; in each metric of events")
    words = dump("words.trx", [(1000 + n, A, USER, [word, 0, 0, 0]) for n, word in enumerate((5, 0xFFFFFFFF, 0xFFFFFFFE, 0))])
    field = next(iter(json.loads(rastrum("report", "-f", "jsonl", words).out.splitlines()[0])["args"]))
    same(results([f"count({PING}{{{field}={value}}}) == {n}" for value, n in (("5", 1), ("-1", 1), ("0xffffffff", 1), ("-0", 1), ("7", 0), ("-5", 0))], words),
         ["pass"] * 6, "a word without a type is also the negative number that reports show")
    found = verdicts([f"a: count({make}{{prioriti=20}}) == 0", f"b: period({make}{{priority=99}}) < 5ticks", f"c: count({make}{{stack_ptr=0}}) == 0"], INVERSION)
    same([(v["result"], v["reason"]) for v in found.values()], [
        ("undecided", "event 'TX_TRACE_THREAD_CREATE' has no field 'prioriti': did you mean priority?"),
        ("undecided", "no event 'TX_TRACE_THREAD_CREATE' has {priority=99}"),
        ("undecided", "event 'TX_TRACE_THREAD_CREATE' has no field 'stack_ptr': it is one of thread_ptr, priority, stack_start_ptr, stack_size")],
         "a field that no such event has leaves a rule undecided, also count()")


def check_sql():
    waits = [row for row in stats_rows() if row[3] == "high"]
    long_ones = 'long: none "SELECT thread, duration, from_ts, to_ts, from_seq, to_seq FROM waits WHERE reason = \'lock\' AND duration > 6000000"'
    rules = [long_ones, 'none "SELECT * FROM waits WHERE duration < 0"', 'load: none "SELECT thread FROM stats_load WHERE thread = \'high\' AND share > 9"',
             'words: none "SELECT seq, text FROM events WHERE text LIKE \'%high%\'"', 'args: none "SELECT 1 FROM events WHERE args ->> \'inheritance\' = 1"']
    found = verdicts(rules, INVERSION)
    same([v["result"] for v in found.values()], ["fail", "pass", "fail", "fail", "pass"], "rules in SQL: a row breaks the rule")
    violations = found["long"]["violations"]
    ok(waits and [v["row"]["duration"] for v in violations] == sorted((v["row"]["duration"] for v in violations), reverse=True) and
       all(v["to"] - v["from"] == v["row"]["duration"] and v["evidence"] == [v["row"]["from_seq"], v["row"]["to_seq"]] for v in violations) and
       sum(v["row"]["duration"] for v in violations) <= waits[0][13], "with its columns, when, and the events", violations)
    same((found["load"]["broken"], found["load"]["violations"]), (1, [{"row": {"thread": "high"}, "from": None, "to": None, "evidence": []}]),
         "a row without a moment has none")
    run = check(rules, INVERSION)
    ok(run.status == 1 and "#   row: thread high, duration 6657979," in run.out and "#     event 25: 336372703" in run.out and
       "#   also: " in run.out, "TAP has the row, and the lines of its events", run.out)
    root = xml.etree.ElementTree.fromstring(check(rules, "-f", "junit", INVERSION).out)
    ok("thread high, duration 6657979" in root.find(".//failure").get("message"), "so has JUnit XML", root)
    found = results(['a: none "SELECT * FROM waits WHERE duration < 0"', 'b: none "SELECT * FROM event_counts"', 'c: none "SELECT * FROM losses"',
                     'd: none "SELECT 1 FROM losses WHERE events > 100000"'], "-q", LOST)
    same(found, ["undecided", "fail", "fail", "pass"],
         "over a loss no row leaves a rule undecided, unless the question reads the losses itself")
    sql = "SELECT 1 AS one, NULL AS empty, 2.5 AS real, 9e999 AS huge, 'a' || char(10) AS text"
    answer = json.loads(rastrum("query", "--json", INVERSION, sql).out)
    row = verdicts([f'values: none "{sql}"'], INVERSION)["values"]["violations"][0]["row"]
    same(row, dict(zip((column["name"] for column in answer["columns"]), answer["rows"][0])), "check writes a value as query does")
    run = check(["lost() == 0", 'none "SELECT 1"'], "/nonexistent")
    ok(run.status == 4 and "ok 2 - none" in run.out and "# SKIP undecided" in run.out, "a trace that is not there: undecided, status 4", run.out)


def check_cage():
    """Rules may come from anywhere: what they may call, read and cost is limited as that of questions."""
    run = check(["lost() == 0", "a: none \"SELECT t.a, i.name FROM (SELECT fts3_tokenizer('simple', x'4141414141414141') AS a LIMIT 1) t, "
                 "pragma_table_info('fts3tokenize' || substr(t.a,1,0)) i\"", "none \"SELECT count(*) FROM dbstat\""], INVERSION)
    same((run.status, run.out, [line.split(".rules:")[1] for line in run.err.splitlines()]),
         (2, "", ["2:42: a question cannot call fts3_tokenizer()", "3:7: SQL: no such table: dbstat; see `rastrum query --schema`"]),
         "a rule that calls or reads what is in no list is a wrong rule")
    endless = 'none "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c WHERE x<{}"'
    found = verdicts([f"a: {endless.format(0)}", f"b: {endless.format(3)}", 'c: none "SELECT 1 WHERE length(randomblob(900000000)) < 0"', "d: lost() == 0"],
                     "--timeout", "10ms", INVERSION)
    same([(v["result"], v["broken"], v["reason"]) for v in found.values()],
         [("undecided", 0, "the question takes longer than 10 ms (--timeout)"), ("fail", 2, None),
          ("undecided", 0, "a value or row of the question is longer than 1 MiB"), ("pass", 0, None)],
         "a rule that takes too long or too much is undecided, unless it is broken by then; the others are tested")
    run = check([endless.format(3)], "--timeout", "10ms", INVERSION)
    ok(run.status == 1 and "#   2 rows or more\n" in run.out, "… and by how many rows at the least", run.out)
    run = check(["lost() == 0"], "--timeout", "soon", INVERSION)
    ok(run.status == 2 and "--timeout cannot be 'soon'" in run.err and not run.out, "--timeout that is no time: status 2", run.err)


def stats_rows():
    return json.loads(rastrum("stats", "--table", "load", "--json", INVERSION).out)["rows"]


def check_losses():
    """Two threads of a log; 3 events lost."""
    found = results(["lost() == 0", "lost() > 0", "count(event *) == 0", "count(event RKH_NO_SUCH) == 0",
                     "count(event *) > 1", "period(event RKH_NO_SUCH) < 5ticks"], "-q", LOST)
    same(found, ["fail", "pass", "fail", "undecided", "pass", "undecided"],
         "over a loss a count is undecided, unless what is seen decides it; lost() == 0 is broken")


EDGES = """# dialect: threadx
# effect: gap phase=enters
TX_TRACE_USER_EVENT_START+8 1.0 "recording begins"
# effect: gap phase=leaves
TX_TRACE_USER_EVENT_START+9 1.0 "recording stops"
# effect: gap
TX_TRACE_USER_EVENT_START+7 1.0 "events are lost"
# effect: begin name="job"
TX_TRACE_USER_EVENT_START+5 1.0 "job begins"
# effect: end name="job"
TX_TRACE_USER_EVENT_START+6 1.0 "job ends"
"""
START, STOP, LOSE, BEGIN, END = 8, 9, 7, 5, 6


def recorded(name, *moments):
    """A dump of (stamp, user event), and how it is read."""
    path = os.path.join(TMP.name, "edges.trcfmt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(EDGES)
    return "--templates", path, dump(name, [(at, A, USER + which, [0, 0, 0, 0]) for at, which in moments])


def check_edges():
    """Where a recording begins and stops nothing is lost; a pause leaves undecided what it cuts, and nothing else."""
    whole = recorded("whole.trx", (1000, START), (1010, 0), (1020, BEGIN), (1030, 1), (1040, END), (1050, 0), (1060, BEGIN), (1065, 1), (1070, STOP))
    rules = [f"latency({PING} -> {PONG}) < 25ticks", f"period({PING}) == 40ticks", "duration(span job) == 20ticks", 'none "SELECT 1 WHERE 0"',
             f"count({PING}) == 2", "lost() == 0", f"count({PING}) >= 1 per 30ticks"]
    same(results(rules, *whole), ["pass"] * 7, "a recording that begins and stops is decided: its ends are no losses")
    same(results([f"latency({PING} -> {PONG}) < 15ticks", "duration(span job) < 10ticks", f"latency({PONG} -> {PING}) < 5ticks"], *whole),
         ["fail", "fail", "fail"], "… and what breaks a rule breaks it")
    late = recorded("late.trx", (1000, START), (1010, 0), (1015, 1), (1020, 0), (1070, STOP))
    same([(v["from"], v["to"], v["ended"]) for v in verdicts([f"x: latency({PING} -> {PONG}) < 30ticks"], *late)["x"]["violations"]], [(1020, 1070, False)],
         "an A that has waited too long when the recording stops breaks the rule")
    same(results([f"latency({PING} -> {PONG}) < 60ticks"], *late), ["pass"], "one that may still have its B does not")
    pause = recorded("pause.trx", (1000, START), (1010, 0), (1020, 1), (1030, BEGIN), (1040, END), (1050, 0), (1055, BEGIN), (1060, STOP), (1300, START),
                     (1310, END), (1320, 1), (1330, 0), (1340, 1), (1400, STOP))
    found = verdicts(["cut: latency({} -> {}) < 400ticks".format(PING, PONG), "late: latency({} -> {}) < 9ticks".format(PING, PONG),
                      "job: duration(span job) < 400ticks", "lost: lost() == 0", f"two: count({PING}) == 3", f"more: count({PING}) >= 3", f"few: count({PING}) < 3",
                      'sql: none "SELECT 1 WHERE 0"', f"parts: count({PING}) <= 1 per 50ticks"], *pause)
    same({title: v["result"] for title, v in found.items()},
         {"cut": "undecided", "late": "fail", "job": "undecided", "lost": "pass", "two": "undecided", "more": "pass", "few": "fail", "sql": "pass", "parts": "undecided"},
         "a pause is no loss, but what it cuts and what happens in it is undecided")
    ok("pauses" in found["cut"]["reason"] and found["lost"]["max"] == 0, "the reason says that the recording pauses", found["cut"], found["lost"])
    same(results([f"latency({PONG} -> {BEGIN_JOB}) < 100ticks", f"count({PING}) >= 1 per 400ticks"], *pause), ["pass", "pass"],
         "what lies on one side of a pause is decided")
    lost = recorded("lost.trx", (1000, START), (1010, 0), (1020, 1), (1030, LOSE), (1040, 0), (1050, 1), (1060, STOP))
    found = verdicts([f"x: latency({PING} -> {PONG}) < 25ticks"], *lost)["x"]
    same((found["result"], found["reason"]), ("undecided", "events are lost in 1 place, and what is lost may break the rule"), "a gap without a phase is a loss")


def check_formats():
    rules = ["a <b>: run(thread medium) < 1%", "run(thread medium) < 40%", "# comment", "c #3: run(thread no) < 1%  # why"]
    run = check(rules, INVERSION)
    same([line for line in run.lines if not line.startswith("#")],
         ["1..3", "not ok 1 - a <b>", "ok 2 - run(thread medium) < 40%",
          "ok 3 - c \\#3 # SKIP undecided: the trace has no thread 'no'"], "TAP has the plan and a line for each rule")
    same(run.status, 1, "a broken rule: exit 1")
    same([check(rules[1:], INVERSION).status, check(rules[1:], "--strict", INVERSION).status], [0, 1],
         "an undecided rule: exit 0, with --strict 1")
    suite = xml.etree.ElementTree.fromstring(check(rules, "-f", "junit", INVERSION).out).find("testsuite")
    same((suite.attrib["tests"], suite.attrib["failures"], suite.attrib["skipped"],
          [(case.attrib["name"], [child.tag for child in case]) for case in suite]),
         ("3", "1", "1", [("a <b>", ["failure"]), ("run(thread medium) < 40%", []), ("c #3", ["skipped"])]),
         "JUnit has a suite with failures and skips")
    run = rastrum("check", rules_file("lost() == 0", "x: run(thread low) > 99%"), INVERSION, beats())
    same((run.status, [line for line in run.lines if line.startswith(("1..", "ok", "not"))]),
         (1, ["1..4", f"ok 1 - lost() == 0 ({INVERSION})", f"not ok 2 - x ({INVERSION})", f"ok 3 - lost() == 0 ({TMP.name}/beats.trx)",
              f"ok 4 - x ({TMP.name}/beats.trx) # SKIP undecided: the trace has no thread 'low'"]),
         "each rule is tested on each trace")
    run = rastrum("check", rules_file("lost() == 0"), "/nonexistent", INVERSION)
    same((run.status, run.lines[0], run.lines[2]), (4, "1..2", f"ok 2 - lost() == 0 ({INVERSION})"),
         "a trace that cannot be read leaves its rules undecided: exit 4")
    run = rastrum("check", "-", INVERSION, stdin=b"lost() == 0\r\n")
    same((run.status, run.lines), (0, ["1..1", "ok 1 - lost() == 0", "#   1 measured: 0", "# 1 rule on 1 trace: 1 ok, 0 not ok, 0 undecided"]),
         "rules may come by standard input, and TAP ends with a summary")
    run = rastrum("check", rules_file("lost() == 0", "run(thread hihg) < 1%", "run(thread low) > 99%", "run(thread a) >= 0%"), INVERSION, beats())
    same((run.status, [line.replace(TMP.name + "/", "") for line in run.lines[-3:]]),
         (1, ["# 4 rules on 2 traces: 3 ok, 1 not ok, 4 undecided", "# 1 rule is about something that no trace has:",
              "#   x.rules:2: the trace has no thread 'hihg'"]), "… of all traces, which names the rules that are about nothing")
    run = rastrum("check", "--strict", rules_file("run(thread hihg) < 1%"), INVERSION)
    same((run.status, run.lines), (1, ["1..1", "ok 1 - run(thread hihg) < 1% # SKIP undecided: the trace has no thread 'hihg': did you mean high?",
                                       "# 1 rule on 1 trace: 0 ok, 0 not ok, 1 undecided", "# 1 rule is about something that no trace has:",
                                       f"#   {TMP.name}/x.rules:1: the trace has no thread 'hihg': did you mean high?"]),
         "a name that is probably misspelt is undecided, and named again in the end")


def compare_schedule(seed, faults):
    """Counts and greatest values, and verdicts at these values and one below, against the truth of the simulator."""
    schedule = Schedule(seed)
    path = os.path.join(TMP.name, f"{seed}.trx")
    with open(path, "wb") as file:
        file.write(schedule.dump())
    truth, end = {}, schedule.now
    for thread in schedule.threads:
        for state in ("ready", "waiting"):
            truth[f"{'wait' if state == 'waiting' else state}(thread \"{thread.name}\")"] = [
                to - begin for kind, _, _, begin, to in thread.history if kind == state and to < end]
        for lock in schedule.locks:
            truth[f"wait(thread \"{thread.name}\", mutex \"{lock.name}\")"] = [
                to - begin for _, reason, what, begin, to in thread.history if reason == "lock" and what == lock.name and to < end]
    for lock in schedule.locks:
        truth[f"hold(mutex \"{lock.name}\")"] = [to - begin for _, begin, to in lock.holds if to < end]
    found = verdicts([f"rule {n}: {rule} <= 10ticks" for n, rule in enumerate(truth)], path)
    for n, (rule, lengths) in enumerate(truth.items()):
        verdict = found[f"rule {n}"]
        faults.compare(f"{seed}: {rule}", (verdict["measured"], verdict["max"]), (len(lengths), max(lengths, default=None)))
    some = {rule: max(lengths) for rule, lengths in truth.items() if lengths and not rule.startswith("wait(thread")}
    if some:
        faults.compare(f"{seed}: at the greatest value", set(results([f"{rule} < {most}ticks" for rule, most in some.items()], path)),
                       {"fail"})
    # What a thread did before it is first seen is not known, so that a share may be undecided, but never wrong.
    window = end - schedule.events[0][0]
    shares = {name: 100 * states["running"] / window for name, states in schedule.sums().items()}
    found = results([rule for name, share in shares.items() for rule in (
        f"run(thread \"{name}\") <= {share + 0.001:.3f}%", f"run(thread \"{name}\") >= {max(share - 0.001, 0):.3f}%")], path)
    if "fail" in found or "pass" not in found:
        faults.append(f"{seed}: shares of running: {found}")
    for thread in schedule.threads:
        lengths, ran = [], 0
        for (state, _, _, begin, to), after in zip(thread.history, thread.history[1:]):
            ran += to - begin if state == "running" else 0
            if state in ("running", "interrupted") and after[0] not in ("running", "interrupted"):
                lengths, ran = [*lengths, ran], 0
        verdict = verdicts([f"x: run(thread \"{thread.name}\") <= 10ticks"], path)["x"]
        faults.compare(f"{seed}: runs of {thread.name}", (verdict["measured"], verdict["max"]),
                       (len(lengths), max(lengths, default=None)))


def check_simulated():
    faults = Faults()
    for seed in range(12):
        compare_schedule(seed, faults)
    ok(not faults, "what rules measure of simulated schedules is the truth, to the tick", *faults)


def check_example():
    run = rastrum("check", "--clock-hz", "1G", "examples/check/periodic.rules", INVERSION)
    same((run.status, [line[:6] for line in run.lines if "ok " in line[:7]]), (1, ["ok 1 -", "not ok", "ok 3 -", "ok 4 -", "ok 5 -", "ok 6 -"]),
         "the rules of the example are rules")


check_moments()
check_threads()
check_simulated()
check_example()
check_faults()
check_fields()
check_sql()
check_cage()
check_losses()
check_edges()
check_formats()
sys.exit(done())
