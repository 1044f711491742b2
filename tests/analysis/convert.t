#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Formats of other tools: what their readers find in them is what the report has."""
import collections
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from conversions import INVERSION, LOST, TMP, convert, every_recording, lines, path_of
from tap import RASTRUM, Faults, done, least, ok, rastrum, same, skip, slurp, wait_until

FORMATS = [line.split()[0] for line in rastrum("convert", "-t", "list").lines if line[:1] not in (" ", "")]


# --- formats ------------------------------------------------------------------------------------------------------


def check_reports(paths):
    faults = Faults()
    for path in paths:
        for form, options in (("jsonl", []), ("csv", []), ("jsonl", ["what=intervals"]), ("csv", ["what=intervals"])):
            words = [word for option in options for word in ("--opt", option)]
            run, data = convert(path, form, *words)
            report = rastrum("report", "-q", "-f", form, *(["--intervals"] if options else []), path)
            faults.compare(f"{path}: {form} {options}", (run.status, data), (report.status, report.bytes))
    ok(not faults, f"jsonl and csv of {len(paths)} recordings are what `report` writes", *faults)


def check_sqlite(paths):
    faults = Faults()
    for path in paths:
        out = path_of("x.db")
        run, _ = convert(path, "sqlite", out=out)
        if run.status not in (0, 3):
            faults.append(f"{path}: {run.err}")
            continue
        database = sqlite3.connect(out)
        one = lambda sql: database.execute(sql).fetchone()[0]
        info = json.loads(rastrum("info", "-q", "--json", path).out)
        faults.compare(f"{path}: whole", (one("PRAGMA integrity_check"), one("PRAGMA application_id")), ("ok", 0x52617374))
        faults.compare(f"{path}: events", one("SELECT count(*) FROM events"), info["events"])
        faults.compare(f"{path}: counts", dict(database.execute("SELECT name, count FROM event_counts")), info["counts"])
        intervals = [line for line in lines(path, "--intervals") if line["from"] != line["to"]]
        faults.compare(f"{path}: intervals", one("SELECT count(*) FROM intervals"), len(intervals))
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
            database.execute(f"SELECT * FROM {name}").fetchall()
        database.close()
    ok(not faults, f"{len(paths)} recordings as databases: SQLite finds them sound, and counts are those of `info`", *faults)
    if shutil.which("sqlite3"):
        convert(INVERSION, "sqlite", out=path_of("y.db"))
        run = subprocess.run(["sqlite3", path_of("y.db"), "SELECT thread, runs FROM running"], capture_output=True, text=True, check=False)
        same(run.stdout.split(), ["low|15", "medium|5", "high|11", "collector|1"], "sqlite3 answers from it")
    else:
        skip("sqlite3 answers from it", "no sqlite3")


def chrome_ticks(number):
    return round(number * 1000)


def check_chrome_of(path, faults):
    run, data = convert(path, "chrome", "--clock-hz", "1G")
    if run.status not in (0, 3):
        return faults.append(f"{path}: {run.err}")
    records = json.loads(data)["traceEvents"]
    by = collections.defaultdict(list)
    for record in records:
        by[record["ph"]].append(record)
    tracks = {(record["pid"], record["tid"]): record["args"]["name"] for record in by["M"] if record["name"] == "thread_name"}
    report = lines(path, "--clock-hz", "1G")
    events = [line for line in report if "seq" in line]
    gaps = [line for line in report if "seq" not in line and "run" not in line]
    got = [(record["args"]["seq"], record["name"], record["args"]["text"], record["args"]["fields"], record["args"].get("core"), record["args"].get("prio"))
           for record in by["i"] if record["cat"] == "event"]
    faults.compare(f"{path}: events", got, [(line["seq"], line["name"], line["text"], line["args"], line["core"], line["prio"]) for line in events])
    if events:
        faults.compare(f"{path}: losses", sum(record["cat"] == "loss" for record in by["i"]), len(gaps))
    first = min((line["ts"] for line in events[:1]), default=0)
    intervals = [line for line in lines(path, "--intervals", "--clock-hz", "1G") if line["from"] != line["to"]]
    expected = collections.Counter((line["kind"], line["state"], line["reason"], line["from_seq"], line["to_seq"])
                                   for line in intervals if line["kind"] != "level")
    got = collections.Counter((r["cat"], r["args"].get("state"), r["args"].get("reason"), r["args"].get("from_seq"), r["args"].get("to_seq"))
                              for r in by["X"])
    faults.compare(f"{path}: intervals", got, expected)
    times = sorted((chrome_ticks(r["ts"]), chrome_ticks(r["dur"])) for r in by["X"])
    rate = lines_rate(path)
    if rate == 1e9:
        faults.compare(f"{path}: times", times, sorted((max(line["from"] - first, 0), line["to"] - max(line["from"], first)) for line in intervals if line["kind"] != "level"))
    faults.compare(f"{path}: levels", len(by["C"]), sum(line["kind"] == "level" for line in intervals))
    woken = sum(line["kind"] == "thread" and line["by"] is not None and not isinstance(line["by"], int) and line["from_seq"] is not None for line in intervals)
    faults.compare(f"{path}: flows", (len(by["s"]), [r["id"] for r in by["s"]]), (woken, [r["id"] for r in by["f"]]))
    missing = {(r["pid"], r["tid"]) for kind in "Xsf" for r in by[kind]} - tracks.keys()
    faults.compare(f"{path}: tracks without a name", missing, set())
    return None


def lines_rate(path):
    return json.loads(rastrum("info", "-q", "--json", "--clock-hz", "1G", path).out)["clock"]["hz"]


def check_chrome(paths):
    faults = Faults()
    for path in paths:
        check_chrome_of(path, faults)
    ok(not faults, f"chrome: {len(paths)} recordings have all events with their fields, intervals, levels, wake-ups, losses, and names of tracks", *faults)
    run, data = convert(INVERSION, "chrome", "--clock-hz", "1G")
    spans = [r for r in json.loads(data)["traceEvents"] if r["ph"] == "X" and r["args"].get("reason") == "lock"]
    same((len(spans), spans[0]["name"], spans[0]["ts"], spans[0]["dur"], spans[0]["args"]["object"], spans[0]["args"]["by"] if "by" in spans[0]["args"] else None),
         (4, "waiting (lock)", 2949.571, 6657.979, "resource (plain)", None), "the inversion's waits for the mutex are in it")
    run = rastrum("convert", INVERSION, "-t", "chrome")
    ok("not known, so times are ticks" in run.err and json.loads(run.out)["otherData"]["ts"] == "ticks", "without a clock times are ticks, and a note tells it", run.err)


def check_jq():
    if not shutil.which("jq"):
        skip("jq reads jsonl and chrome", "no jq")
        return
    asked = [subprocess.run(["jq", *words], input=convert(INVERSION, form, "--clock-hz", "1G")[1], capture_output=True, check=False).stdout.split()
             for form, words in (("jsonl", ["-s", "length, (map(select(.name == \"TX_TRACE_MUTEX_GET\")) | length)"]),
                                 ("chrome", [".traceEvents | map(select(.ph == \"X\" and .args.reason == \"lock\")) | length"]))]
    same(asked, [[b"96", b"8"], [b"4"]], "jq reads jsonl and chrome")


# --- the command --------------------------------------------------------------------------------------------------


def check_list():
    with open("docs/FORMATS.md", encoding="utf-8") as file:
        document = file.read()
    with open("man/rastrum-convert.1", encoding="utf-8") as file:
        page = file.read().split(".Sh FORMATS")[1]
    missing = [name for name in FORMATS if f"| `{name}` |" not in document or name not in page]
    ok(len(FORMATS) >= 4 and not missing, "each format of -t list is in docs/FORMATS.md and in the manual", *missing)
    run = rastrum("convert", "-t", "list")
    ok(all(f"  {word}" in run.out for word in ("keeps", "leaves out")) and max(map(len, run.lines)) < 80, "-t list has what each keeps and leaves out")


def check_refusals():
    taken = path_of("taken")
    os.mkdir(taken)
    with open(os.path.join(taken, "x"), "w", encoding="utf-8"):
        pass
    copy = shutil.copy(INVERSION, path_of("copy.json"))
    for words, status, what in (([INVERSION], 2, "no format is given"), ([INVERSION, "-o", path_of("x.xyz")], 2, "no format is given"),
                                ([INVERSION, "-t", "chorme"], 2, "did you mean chrome?"), ([INVERSION, "-t", "sqlite"], 2, "sqlite needs a file; give its name with -o"),
                                ([], 2, "convert needs a file"), ([INVERSION, INVERSION, "-t", "chrome"], 2, "has one trace"),
                                ([copy, "-t", "chrome", "-o", copy], 2, "this is an input"), ([INVERSION, "-t", "chrome", "-o", copy], 2, "this is a recording"),
                                ([INVERSION, "-t", "jsonl", "--opt", "what=evnts"], 2, "did you mean events?"),
                                ([INVERSION, "-t", "jsonl", "--from", "x"], 2, "'x'"), (["/nonexistent", "-t", "jsonl"], 4, "cannot open"),
                                ([INVERSION, "-o", "/nonexistent/x.db"], 4, "cannot write"), ([INVERSION, "-t", "chrome", "-o", "/dev/full"], 4, "No space left")):
        run = rastrum("convert", *words)
        ok(run.status == status and what in run.err, f"`convert {' '.join(word.split('/')[-1] for word in words)}`: status {status}", run.status, run.err)
    same(slurp(copy), slurp(INVERSION), "what is refused is as it was")


def leftovers():
    return sorted(name for name in os.listdir(TMP.name) if ".part." in name)


def has_nameless(pid):
    """Whether it has a file open that has no name yet."""
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    except OSError:  # a descriptor is closed meanwhile
        return False
    return any(link.endswith("(deleted)") for link in links)


def stopped(form, number):
    """(status, whether there is an output, how many parts) of a conversion that gets a signal while it waits for input."""
    read, write = os.pipe()
    out = path_of("cut-" + form)
    with subprocess.Popen([RASTRUM, "convert", "-q", "-t", form, "-o", out, "-"], stdin=read, stderr=subprocess.DEVNULL) as program:
        os.close(read)
        os.write(write, slurp(LOST)[:4000])
        wait_until(lambda: leftovers() or has_nameless(program.pid), program)
        program.send_signal(number)
        program.wait()
        os.close(write)
    return program.returncode, os.path.exists(out), len(leftovers())


def stopped_at_once():
    """The status of a conversion that gets SIGBUS while it makes its file, or just behind that."""
    with subprocess.Popen([RASTRUM, "convert", "-q", "-t", "sqlite", "-o", path_of("early"), "-"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        while not leftovers() and program.poll() is None:
            pass
        program.send_signal(signal.SIGBUS)
        program.wait()
    return program.returncode


def check_whole():
    """Nothing looks like a result that is none."""
    same(leftovers(), [], "no conversion has left a part")
    out = path_of("kept.json")
    with open(out, "w", encoding="utf-8") as file:
        file.write("old")
    run = rastrum("convert", INVERSION, "-o", out, "--from", "x")
    same((run.status, slurp(out), leftovers()), (2, b"old", []), "a conversion that fails leaves the file that was there")
    for form in FORMATS:
        out = path_of(f"damaged-{form}")
        run = rastrum("convert", "-q", "tests/data/rkh/d1_bitflips.bin", "-t", form, "-o", out)
        ok(run.status == 3 and os.path.exists(out), f"{form}: damaged input gives an output, and status 3", run.status, run.err)
    # SIGBUS is what a page of an input gives that cannot be read.
    for form, number, status in (("chrome", signal.SIGINT, -signal.SIGINT), ("chrome", signal.SIGBUS, 4), ("ctf", signal.SIGTERM, -signal.SIGTERM),
                                 ("ctf", signal.SIGBUS, 4), ("sqlite", signal.SIGBUS, 4)):
        same(stopped(form, number), (status, False, 0), f"{form}: a conversion that {number.name} ends leaves no file")
    same(({stopped_at_once() for _ in range(least(40))}, leftovers()), ({4}, []), "however early SIGBUS comes, a conversion ends and leaves no part")
    os.umask(0o027)
    rastrum("convert", INVERSION, "-o", path_of("mode.json"))
    same(oct(os.stat(path_of("mode.json")).st_mode & 0o777), "0o640", "files have the usual rights")


PATHS = every_recording()
check_list()
check_reports(PATHS)
check_sqlite(PATHS)
check_jq()
check_chrome(PATHS)
check_refusals()
check_whole()
sys.exit(done())
