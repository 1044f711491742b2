#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`rastrum stats`: the page, tables over time, several files, mistakes; and figures that TraceX computes by the same rule."""
import csv
import glob
import io
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import Faults, done, golden_bytes, ok, rastrum, same

THREADX = "tests/data/threadx/"
INVERSION = THREADX + "priority_inversion.trx"
LITEOS = "tests/data/liteos/m_arm32_full_agent/offline.bin"
# TraceX knows one core, and gives the first thread of a recording that begins late all the time before it: tests/dialect/states_threadx.t
OTHER_RULE = {"smp_ulong64", "late_enable_linux64_dirty_ram"}


def table(name, path, *options):
    """The table as JSON, and its rows as dictionaries."""
    answer = json.loads(rastrum("stats", "-q", "--table", name, "--json", *options, path).out)
    names = [column["name"] for column in answer["columns"]]
    return answer, [dict(zip(names, row)) for row in answer["rows"]]


def widest(lines):
    return max((len(line) for line in lines), default=0)


# --- the page -----------------------------------------------------------------------------------------------------------

def check_page():
    run = rastrum("stats", INVERSION)
    same(run.status, 0, "a trace that is whole gives status 0")
    same(run.lines[:2], [INVERSION + " (threadx): 96 events in 42254170 ticks", "1 core, 4 threads; nothing lost"],
         "the page begins with the file, its dialect, its window, and how far it can be trusted")
    ok("low          75.2 %  31754606  10454077         0" in run.out, "then what each thread did", *run.lines)
    faults = Faults()
    paths = [path for path in sorted(glob.glob("tests/data/*/**/*", recursive=True))
             if path.endswith((".trx", ".tlv")) or re.search(r"(offline|r\d_\w+)\.bin$", path)]
    for path in paths:
        page = rastrum("stats", "-q", path)
        if len(page.lines) > 23 or widest(page.lines[2:]) > 80:
            faults.append(f"{path}: {len(page.lines)} lines, {widest(page.lines[2:])} columns")
        if any("nothing recorded" in line for line in page.lines):
            faults.append(f"{path}: a table that has nothing")
    ok(len(paths) > 30 and not faults, "it fits on a screen of 24 lines and 80 columns for every recording", *faults)
    damaged = rastrum("stats", "tests/data/liteos/corrupt/a_be32_core_count_dropped.tlv")
    ok(damaged.status == 3 and damaged.lines[1].endswith("43 events lost in 40 places, 41 places damaged; "
                                                         "unknown: cores 12.3 %, threads 69.4 %"),
       "what is lost, damaged or unknown stands in its head", *damaged.lines[:2])
    same([line for line in damaged.lines if line.startswith("to know more")],
         ["to know more: record without losses: a larger buffer, a faster link, fewer types"], "and what to record to know more")
    ok("core 0                      87–100 %  ≥ 25.83 ms" in damaged.out, "a share is a range, and a time has a sign, where it may be larger",
       *damaged.lines)
    silent = rastrum("stats", "tests/data/threadx/wrapped_ring_linux64.trx")
    ok("to know more: a larger buffer, or an earlier start of the recording" in silent.lines, "also where nothing is lost", *silent.lines[:3])
    colored = rastrum("stats", "--color=always", INVERSION)
    same(re.sub("\033\\[\\d*m", "", colored.out), run.out, "colours change nothing else")
    several = rastrum("stats", INVERSION, LITEOS)
    same([line for line in several.lines if "events in" in line],
         [run.lines[0], LITEOS + " (liteos): 754 events in 30.3 ms"], "each of several files has its page")
    named = rastrum("stats", "--table", "latency", INVERSION, LITEOS)
    ok(sum("events in" in line for line in named.lines) == 2, "and its head above the tables that are named", *named.lines)
    empty = rastrum("stats", "--from", "1000000000", INVERSION)
    ok(empty.status == 0 and empty.lines[0].endswith(": 0 events"), "a window without an event has an empty page", *empty.lines)


# --- tables -------------------------------------------------------------------------------------------------------------

def check_tables():
    listed = rastrum("stats", "--list")
    ok(listed.status == 0 and widest(listed.lines) <= 80, "--list fits into 80 columns")
    names = [line.split()[0] for line in listed.lines if not line.startswith(" ")]
    ok({"load", "threads", "latency", "processes"} <= set(names), "and has the tables", *names)
    faults = Faults()
    for name in names:
        shown, _ = table(name, INVERSION)
        rows = list(csv.reader(io.StringIO(rastrum("stats", "--table", name, "-f", "csv", INVERSION).out)))
        plain = [column["name"] for column in shown["columns"]]
        bare = [re.sub("_(ticks|percent|bytes|ns)$", "", head) for head in rows[0][1:]]
        # JSON has what the recording allows at most only where this is more than what it proves.
        bare = [head for head in bare if head in plain or head.removesuffix("_max") not in bare]
        faults.compare(f"{name}: columns of CSV", bare, [name for name in plain if name in bare])
        faults.compare(f"{name}: rows of CSV", len(rows) - 1, len(shown["rows"]))
    ok(not faults, "CSV and JSON of every table have the same columns and rows", *faults)
    _, rows = table("latency", INVERSION)
    # init resumes low at 333468088, which runs first at 333753733; and so on: see `rastrum report`.
    same([(row["thread"], row["count"], row["max"], row["max_at"], row["max_by"]) for row in rows],
         [("low", 1, 285645, 333753733, "init"), ("medium", 5, 170223, 333696648, "init"),
          ("high", 9, 139788, 333638141, "init"), ("collector", 1, 0, 333558933, "init")],
         "latency: from the wake to the run, the longest with its moment and what woke the thread")
    _, threads = table("threads", INVERSION)
    same([(row["thread"], row["priority"], row["switches"], row["preemptions"], row["blocks"], row["wakeups"]) for row in threads],
         [("low", 20, 13, 12, 0, 1), ("medium", 10, 5, 0, 4, 5), ("high", 4, 9, 0, 8, 9), ("collector", 1, 1, 0, 1, 1)],
         "threads: switches, and what ended the runs")
    bars = rastrum("stats", "--table", "latency", INVERSION)
    ok("latencies of high: 9" in bars.out and "#" in bars.out, "text draws histograms below a table that is named")


def check_manual():
    """Every table and column has its place in the manual."""
    with open("man/rastrum-stats.1", encoding="utf-8") as file:
        tables = file.read().split(".Sh TABLES")[1].split(".Sh ")[0].split(".Ss ")[1:]
    written = {part.split("\n")[0]: re.findall(r"^\.It Va (\w+)", part, re.M) for part in tables}
    listed = {}
    for line in rastrum("stats", "--list").lines:
        if not line.startswith(" "):
            columns = listed.setdefault(line.split()[0], [])
        elif not line.startswith("   "):
            columns.append(line.split()[0])
    faults = Faults()
    for name in sorted({*written, *listed}):
        faults.compare(f"table {name}", written.get(name), listed.get(name))
    ok(not faults, "the manual has all tables and columns, in the order of --list", *faults)


def check_curt():
    run = rastrum("curt", "--clock-hz", "1G", INVERSION)
    titles = [line.strip() for line in run.lines if line.strip().endswith(("Summary", "Summary (by Tid)", "number 0"))]
    same((run.status, titles), (0, ["System Summary", "Processor Summary  processor number 0", "Application Summary (by Tid)",
                                    "Flih Summary"]), "curt: the sections for which the trace has something")
    # 42253097 of 42254170 ns are the threads' and the initialisation's, 1073 are the interrupts'.
    ok("      42.2531        100.00        100.00  APPLICATION" in run.out and
       "       0.0011          0.00          0.00  FLIH" in run.out and "Avg. Thread Affinity = 1.00" in run.out,
       "curt: what the processor did, in milliseconds", *run.lines[8:24])
    ok("      31.7546       75.1514          13         12  low (0x565d8fd0)" in run.out,
       "curt: what each thread ran, how often it got the processor and lost it", *run.lines)
    ok("       4         0.0011        0.00     0.0003     0.0002     0.0004  0" in run.out, "curt: interrupts", *run.lines[-3:])
    wide = [path for path in sorted(glob.glob("tests/data/threadx/*.trx")) for words in ("curt", "splat")
            if widest(line for line in rastrum(words, "-q", path).lines if "trx" not in line) > 80]
    same(wide, [], "curt and splat: in 80 columns")
    ticks = rastrum("curt", INVERSION)
    ok("     31754606       75.1514" in ticks.out and "(ticks)" in ticks.out, "curt: in ticks, where the clock is not known")
    ok(rastrum("curt").status == 2, "curt: needs a file")


def golden(name):
    """A recording that stands in hexadecimal."""
    return golden_bytes(f"tests/goldens/{name}.hex")


def check_curt_letters():
    """Each letter of IBM's page of curt has its meaning here, or is refused with the reason."""
    plain = rastrum("curt", "--clock-hz", "1G", INVERSION)

    def curt(*letters):
        return rastrum("curt", "--clock-hz", "1G", "-i", INVERSION, *letters)

    same((curt().status, curt().out), (0, plain.out), "curt -i: the input")
    window = rastrum("curt", "--clock-hz", "1G", "--from", "0.32s", "--to", "0.33s", INVERSION)
    same((curt("-f", "0.32", "-l", "0.33").out, window.out != plain.out), (window.out, True), "curt -f, -l: from and to, in seconds")
    same(curt("-e").out, plain.out, "curt -e: times of calls are elapsed times anyway")
    same(curt("-n", "tests/data/symbols/list.txt").status, 0, "curt -n: a list of symbols")
    threads = curt("-t")
    ok(threads.out.startswith(plain.out) and re.search(r"^Report for Thread Id: 0x565d8fd0  low\n  running +31\.7546  \(msec\)$", threads.out, re.M) and
       re.search(r"^  preempted +12$", threads.out, re.M), "curt -t: a report for each thread", *threads.lines[-40:])
    failed = curt("-s")
    ok(failed.out.startswith(plain.out) and "Errors Returned by System Calls" in failed.out and "no call that failed" in failed.out, "curt -s: calls that failed", *failed.lines[-4:])
    failed = rastrum("curt", "-q", "-s", "-", stdin=golden("compact/sentences"))
    ok("       3         4  ALLOCATE\n" in failed.out and "  RELEASE\n" not in failed.out, "with their numbers", *failed.lines)
    calls = rastrum("curt", "-q", "-P", "-i", "-", stdin=golden("posix/preloaded"))
    ok("Pthread Calls Summary" in calls.out and re.search(r"^ +\d+ +\d+ +[\d.]+ +[\d.]+  sys_mutex_wait$", calls.out, re.M) and
       "sys_read_begin" not in calls.out, "curt -P: calls of the threads library", *calls.lines[-30:])
    ok(re.search(r"^Report for Process: \S+\n  running ", rastrum("curt", "-q", "-p", "-", stdin=golden("posix/preloaded")).out, re.M), "curt -p: a report for each process")
    ok("no calls of the threads library" in curt("-P").out and "Report for" not in curt("-p").out, "curt -P, -p: nothing is made up")
    for letter, value, reason in (("-r", "PURR", "register"), ("-m", "names", "kernel"), ("-a", "names", "names of their processes")):
        run = curt(letter, value)
        ok(run.status == 2 and run.err.startswith(f"rastrum: {letter}: ") and reason in run.err and not run.out, f"curt {letter} is refused with the reason", run.err)
    ok("-f is a number of seconds" in curt("-f", "now").err, "curt: a moment that is no number is refused")
    letters = set(re.findall(r"^  -(.), ", rastrum("curt", "--help").out, re.M))
    same(letters, set("inomaflrehpstP") | {"q"}, "curt: no other letters are there, but -q")


def check_parts():
    text = rastrum("stats", "--per", "20000000", INVERSION)
    firsts = [line.split()[0] for line in text.lines[1:] if not line.startswith(" ")]
    same(firsts, ["333423132", "353423132", "373423132"], "over time, each part of the window stands once in text")
    _, rows = table("load", INVERSION, "--per", "20000000")
    same(sorted({(row["from"], row["to"]) for row in rows}),
         [(333423132, 353423132), (353423132, 373423132), (373423132, 375677302)], "and has its begin and end for programs")
    same([row["running"] for row in rows if row["kind"] == "core"], [20000000 - 281, 20000000 - 261 - 351, 2254170 - 180],
         "time is cut at the borders of parts: each is a part less its interrupts")
    late = rastrum("stats", "--per", "10ms", "-q", LITEOS)
    ok(late.status == 0 and len(late.lines) > 10, "a length in milliseconds needs the clock, which may be read with the events", late.err)


def check_mistakes():
    for words, status, part in (
        (("--per", "100ns", LITEOS), 2, "more than 10000 parts of 100ns"),
        (("--per", "0", LITEOS), 2, "'0' is no length of time"),
        (("--per", "1ms", INVERSION), 2, "--clock-hz"),
        (("--table", "laod", INVERSION), 2, "did you mean load?"),
        (("-f", "xml", INVERSION), 2, "it is one of text, csv, json"),
        ((), 2, "stats"),
    ):
        run = rastrum("stats", "-q", *words)
        ok(run.status == status and part in run.err and not run.out, f"stats {' '.join(words)} is refused: {part}", run.err, run.out)


# --- TraceX -------------------------------------------------------------------------------------------------------------

def check_tracex():
    profiles, switches, n = Faults(), Faults(), 0
    for path in sorted(glob.glob(THREADX + "*.expected.json")):
        name = os.path.basename(path).removesuffix(".expected.json")
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        tracex = facts["tracex"] | (facts.get("tracex_with_true_modulus") or {})
        if name in OTHER_RULE:
            continue
        n += 1
        dump = path.replace(".expected.json", ".trx")
        _, load = table("load", dump)
        names = {entry["ptr"]: entry["name"] for entry in facts["registry"]}
        profile = {names.get(key, key): ticks for key, ticks in tracex["execution_profile_ticks"].items()}
        core, = [row for row in load if row["kind"] == "core"]
        ours = {row["thread"]: row["running"] for row in load if row["kind"] == "thread" and row["running"]}
        ours |= {"interrupt": core["interrupted"], "idle": core["idle"], "initialize": core["running"] - sum(ours.values())}
        for key in sorted({*ours, *profile}):
            profiles.compare(f"{name}: {key}", ours.get(key, 0), profile.get(key, 0))
        _, threads = table("threads", dump)
        n_switches = sum(row["switches"] for row in threads)
        if core["idle"]:
            switches += [f"{name}: {n_switches} switches, TraceX {tracex['context_switches']}"] if n_switches > tracex["context_switches"] else []
        else:
            switches.compare(f"{name}: switches", n_switches, tracex["context_switches"])
    ok(n >= 9 and not profiles, "load: running of threads, interrupts, idle and initialisation are TraceX's profile", *profiles)
    ok(not switches, "threads: switches are TraceX's; where the core idles, TraceX counts the ways to idle and back, too", *switches)


check_page()
check_tables()
check_manual()
check_curt()
check_curt_letters()
check_parts()
check_mistakes()
check_tracex()
sys.exit(done())
