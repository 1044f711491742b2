#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`rastrum trcrpt`, AIX's report command: each of its options and -O settings is honoured, or refused with the reason; columns,
pages and exit statuses.
"""
import calendar
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import posix_log  # noqa: E402
from hook_trace import Trace  # noqa: E402
from tap import RASTRUM, done, ok, rastrum, same, slurp  # noqa: E402

HEADING = "ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT"
USAGE, UNUSABLE, DAMAGED, IO = 2, 1, 3, 4
THREADX = "tests/data/threadx/priority_inversion.trx"
OURS = r"""
010 1.0 L=APPL "speed" "is" $D1%U4
011 1.0 L=SVC "take" "lock" $D1%U4
012 1.0 L=KERN "@two" "lines" \n "of text"
013 1.0 L=INT "tick"
015 1.0 "@hidden" $SKIP
"""
SECOND = 1795254232  # of the log, in UTC
ZONE = {"TZ": "Asia/Tokyo"}


def hooks(clock=1000000):
    """Hooks 010 to 013 of threads 7, 8 and 9 on two cores, 100 ticks apart; 015 is not shown."""
    trace = Trace(4, "little", clock)
    trace.entry(0x0100, 0, [1500])
    trace.entry(0x0110, 0, [3], thread=8, core=0)
    trace.entry(0x0120, 0, thread=9)
    trace.entry(0x0150, 0)
    trace.entry(0x0130, 0)
    return trace.data


def processes(later=0):
    """Two processes, four events a second apart, with the time of day."""
    log = posix_log.Log()
    log.add("attributes", posix_log.ATTRIBUTES, posix_log.attributes())
    log.add("clock", posix_log.PAIR, posix_log.pair(0, 0, SECOND * 10**9 + later))
    log.add("demo", posix_log.TASK, posix_log.task(100, 100, b"demo"))
    log.add("worker", posix_log.TASK, posix_log.task(100, 101, b"worker"))
    log.add("other", posix_log.TASK, posix_log.task(200, 200, b"other"))
    log.add("type", posix_log.TYPE, posix_log.event_type(70, b"beat"))
    log.add("events", posix_log.EVENTS, posix_log.events(
        posix_log.event(70, 0, tid=100), posix_log.event(70, 10**9), posix_log.event(70, 2 * 10**9, pid=200, tid=200),
        posix_log.event(70, 3 * 10**9, tid=100)))
    return log.add("end", posix_log.END, posix_log.end(4)).bytes()


class Folder:
    def __init__(self, path):
        self.path = path

    def put(self, name, data):
        """Templates lie apart, since those beside a trace are used by themselves."""
        path = os.path.join(self.path, "templates" if name.endswith(".trcfmt") else "", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path


def body(run):
    """The lines below the heading of the columns."""
    return run.out.partition("INTERRUPT\n")[2].splitlines()


def ids(run):
    return [line[:4].strip() for line in run.lines if re.match(r"[0-9A-F]{3}", line)]


# --- the whole table of options ---------------------------------------------------------------------------------------

def check_letters(f):
    """Section "Options of the report command": every letter, in order."""
    trace, log, ours = f.put("hooks.bin", hooks()), f.put("beats.log", processes()), f.put("ours.trcfmt", OURS)
    bad = f.put("bad.trcfmt", "010 1.0 X17\n")

    def report(*words, path=trace, **more):
        return rastrum("trcrpt", *words, path, **more)

    run = rastrum("trcrpt", "-c", "-t", bad)
    ok(run.status == UNUSABLE and "T08" in run.err and ELAPSED not in run.out, "-c finds an error in a template, and makes no report",
       run.out, run.err)
    run = rastrum("trcrpt", "-c", "-t", ours)
    ok(run.status == 0 and "ok, 5 templates" in run.out, "-c finds none", run.out)
    ok(rastrum("trcrpt", "-c").status == 0 and rastrum("trcrpt", "-c", "-t", "absent").status == UNUSABLE,
       "-c checks the templates that are there, and a file that is not there is unusable")
    same(ids(report("-C", "0")), ["011"], "-C takes one processor")
    same(len(ids(report("-C", "0,1"))), 5, "-C takes several")
    same(len(ids(report("-C", "all"))), 5, "-C all takes all")
    same(ids(report("-d", "010,0130")), ["010", "013"], "-d takes hooks of three digits, and four")
    same(ids(report("-d", "010 011", "-d", "012")), ["010", "011", "012"], "-d takes blanks between them, and may be repeated")
    same(ids(rastrum("trcrpt", "-d", "01e,064", THREADX))[:2], ["01E", "064"], "-d takes ids of other dialects, in either case")
    same(set(ids(rastrum("trcrpt", "-d", "TX_TRACE_MUTEX_GET", THREADX))), {"034"}, "-d takes names of events")
    same(ids(report("-k", "010,015")), ["011", "012", "013"], "-k leaves hooks out")
    same(ids(report("-d", "010,011", "-k", "010")), ["011"], "-k leaves out what -d takes")
    for letter, value, reason in (("-l", "proc", "components"), ("-M", "rare", "lightweight"), ("-@", "all", "partitions")):
        run = report(letter, value)
        ok(run.status == USAGE and f"{letter}: " in run.err and reason in run.err and not run.out, f"{letter} is refused with the reason",
           run.err)
    dates = [time.strftime("%m%d%H%M%S%y", time.gmtime(SECOND + 9 * 3600 + n)) for n in range(4)]
    same(len(body(report("-s", dates[1], path=log, env=ZONE))), 3, "-s takes entries from a local date on")
    same(len(body(report("-e", dates[1], path=log, env=ZONE))), 2, "-e takes those up to a date")
    same(len(body(report("-s", dates[1], "-e", dates[2], path=log, env=ZONE))), 2, "-s and -e take those between")
    for word in ("1", "130112000026", "023012000026", "010112006026", "0101120000260"):
        run = report("-s", word, path=log)
        ok(run.status == USAGE and "mmddhhmmssyy" in run.err, f"-s {word} is no date", run.err)
    run = report("-s", dates[1])
    ok(run.status == USAGE and "time of day" in run.err, "-s is refused where the time of day is not recorded", run.err)
    ok(HEADING not in report("-h").out and len(report("-h").lines) == 5, "-h leaves headings out", report("-h").out)
    ok(re.search(r"^010   speed$", rastrum("trcrpt", "-j", "-t", ours).out, re.M), "-j lists ids and labels")
    ok(re.search(r"^034   mutex get$", rastrum("trcrpt", "-j", THREADX).out, re.M), "-j lists those of a trace's dialect")
    parts = [f.put(f"part{n}.log", processes(n * 10**9 // 2)) for n in range(2)]
    same(rastrum("trcrpt", *parts).out.count("*** "), 2, "several files are reported one after the other")
    merged = rastrum("trcrpt", "-m", *parts)
    same([line[4:35] for line in body(merged)], [f"{n / 2:14.9f}{500 * (n > 0):15.6f}  " for n in range(8)], "-m merges them by time")
    ok(merged.status == 0 and "and 1 more, merged by time" in merged.out and "*** " not in merged.out, "in one report", merged.out, merged.err)
    check_merging(f, parts)
    elf = rastrum("trcrpt", "-n", RASTRUM, "-O", "ids=on", THREADX)
    ok(elf.status == 0 and len(body(elf)) == len(body(rastrum("trcrpt", THREADX))), "-n takes a program's names", elf.err)
    lists = {"nm": "0000000000401130 T main\n", "nm -S": "0000000000401130 0000000000000010 t main\n", "a map of perf": "401130 10 main\n"}
    for kind, text in lists.items():
        run = rastrum("trcrpt", "-h", "-n", f.put("list.txt", text), f.put("switches.log", golden("switches")))
        ok("address=main+0x6" in run.out and run.status == 0, f"-n takes a list of symbols: {kind}", run.out, run.err)
    run = rastrum("trcrpt", "-n", f.put("hidden.txt", "0000000000000000 T _text\n"), THREADX)
    ok(run.status == USAGE and "hides" in run.err, "-n refuses a list whose addresses the kernel hides, with the reason", run.err)
    ok(rastrum("trcrpt", "-n", ours, THREADX).status == USAGE, "-n refuses a file that is no program")
    out = os.path.join(f.path, "report.txt")
    run = report("-o", out)
    ok(run.status == 0 and not run.out and slurp(out).decode() == report().out, "-o writes to a file", run.err)
    ok(report("-o", trace).status == USAGE and slurp(trace) == hooks(), "-o does not overwrite the trace")
    same(len(body(report("-p", "100", path=log))), 3, "-p takes processes by number")
    same(len(body(report("-p", "other,worker", path=log))), 2, "-p takes programs by name")
    ok(len(ids(rastrum("trcrpt", "-p", "low", THREADX))) == 34, "-p takes names of threads where there are no processes")
    same(ids(report("-T", "8,9")), ["011", "012"], "-T takes threads by number")
    ok(report("-T", "eight").status == USAGE, "-T takes numbers only")
    ok("  speed is 1500" in report("-t", ours).out and "unknown hook 010" in report().out, "-t gives templates")
    run = report("-t", "absent.trcfmt")
    ok(run.status == UNUSABLE and "absent.trcfmt" in run.err, "-t with a file that is not there is unusable", run.err)
    run = report("-v", "-t", ours)
    ok(f"reading {trace}" in run.err and f"reading templates: {ours}" in run.err and "built-in/aix.trcfmt" in run.err,
       "-v names each file", run.err)
    ok("note:" in report("-t", f.put("rkh.trcfmt", "# dialect: rkh\n")).err and
       not report("-q", "-t", f.put("rkh.trcfmt", "# dialect: rkh\n")).err, "-q is quiet")
    wide = report("-x", "-t", ours).out.partition("ID  PROCESS NAME   I/SYSTEM CALL ")[2].splitlines()
    ok(wide and wide[2].startswith("011 thread 8       take "), "-x has columns with the program and the system call", *wide[:3])
    check_raw(f, trace)
    help_page = rastrum("trcrpt", "--help").out
    letters = set(re.findall(r"^  -(.), ", help_page, re.M))
    same(letters, set("cCdDeGhjkKlMmnoprtTsvxqO@"), "no other letters are there")


def check_every_letter(f):
    """The letters and settings of the original: whether each is honoured, so that something else comes than without it, or refused."""
    log, ours, broken = f.put("switches.log", golden("switches")), f.put("posix.trcfmt", '# dialect: posix\n106 1.0 "@" "mine"\n'), f.put("e.trcfmt", "010 1.0 X17\n")
    out = os.path.join(f.path, "o.txt")
    hooks_trace = f.put("hooks.bin", hooks())
    page = rastrum("trcrpt", "--help").out
    manual = open("man/rastrum-trcrpt.1", encoding="utf-8").read()
    plain = {log: rastrum("trcrpt", log, env=ZONE).out, hooks_trace: rastrum("trcrpt", hooks_trace, env=ZONE).out}
    honoured = {"c": ["-t", broken], "C": ["1"], "d": ["106"], "D": ["tidhk"], "e": ["010100000000"], "G": [], "h": [], "j": [], "k": ["106"],
                "K": ["tidhk"], "n": [f.put("list.txt", "401130 T main\n")], "o": [out], "O": ["ids=off"], "p": ["worker"], "r": [],
                "s": ["010100000050"], "t": [ours], "T": ["101"], "v": [], "x": []}
    refused = {"l": "proc", "M": "common", "@": "1"}
    for letter, words in honoured.items():
        path = hooks_trace if letter == "r" else log
        run = rastrum("trcrpt", f"-{letter}", *words, *([] if letter in "cG" else [path]), env=ZONE)
        ok(run.status == (letter == "c") and (run.out != plain[path] or (letter == "v" and "reading" in run.err)) and "-x" in page,
           f"-{letter} is honoured", run.status, run.out, run.err)
    twice = rastrum("trcrpt", "-m", log, log)
    ok(twice.status == 0 and len(body(twice)) == 2 * len(body(rastrum("trcrpt", log))), "-m is honoured", twice.err)
    for letter, value in refused.items():
        run = rastrum("trcrpt", f"-{letter}", value, log)
        ok(run.status == USAGE and run.err.startswith(f"rastrum: -{letter}: ") and len(run.err) > 80 and len(run.err.splitlines()) == 1 and not run.out,
           f"-{letter} is refused, with a sentence that says why", run.err)
    for letter in [*honoured, *refused, "m"]:
        ok(re.search(rf"^  -{letter}, ", page, re.M) and re.search(rf"^\.It Fl {letter} ,", manual, re.M), f"-{letter} is in the help and in the manual")
    settings = {"2line": "on", "cpuid": "on", "exec": "on", "hist": "on", "ids": "off", "pid": "on", "tid": "on", "svc": "on", "filename": "on",
                "starttime": "0.000000003", "endtime": "0.000000003", "pagesize": "4", "timestamp": "3"}
    for name, value in settings.items():
        run = rastrum("trcrpt", "-O", f"{name}={value}", log, env=ZONE)
        ok(run.status == 0 and run.out != plain[log], f"-O {name}={value} is honoured", run.out, run.err)
    both = rastrum("trcrpt", "-m", "-O", "removedups=on", log, log)
    same(len(body(both)), len(body(rastrum("trcrpt", log))), "-O removedups=on is honoured")
    for name in ("component", "PURR", "reportedcpus"):
        ok(len(rastrum("trcrpt", "-O", f"{name}=on", log).err) > 60, f"-O {name}=on is refused, with a sentence that says why")
    for name in [*settings, "removedups", "component", "PURR", "reportedcpus"]:
        ok(re.search(rf"(^\.It Cm {name}\b|Cm .*\b{name}\b|^\.Cm {name}$)", manual, re.M), f"-O {name} is in the manual")


ELAPSED = "ELAPSED_SEC"


def check_merging(f, parts):
    """The original merges the files of a trace, one for each processor."""
    one = rastrum("trcrpt", "-h", "-m", parts[0])
    same(one.out, rastrum("trcrpt", "-h", parts[0]).out, "one trace merged with none reads as it is")
    chosen = rastrum("trcrpt", "-m", "-h", "-O", "starttime=1,endtime=2", "-p", "demo,worker", *parts)
    same([line.split()[1] for line in chosen.lines], ["1.000000000", "1.500000000", "2.000000000"][:2] , "what is chosen is chosen from all")
    evens, odds = Trace(4, "little", 1000000), Trace(8, "big", 1000000)
    for n in range(8):
        (odds if n % 2 else evens).stamp = 100 * n
        (odds if n % 2 else evens).entry(0x0100 + 0x10 * n, 0)
    paths = [f.put("odds.bin", odds.data), f.put("evens.bin", evens.data)]
    run = rastrum("trcrpt", "-m", "-h", *paths)
    same(ids(run), [f"01{n}" for n in range(8)], "recordings of one clock are merged by ticks")
    same([line[4:35] for line in run.lines], [f"{n / 10000:14.9f}{0.1 * (n > 0):15.6f}  " for n in range(8)],
         "elapsed times count from the first of all, deltas from line to line")
    run = rastrum("trcrpt", "-m", paths[0], THREADX)
    ok(run.status == USAGE and "cannot be merged" in run.err, "clocks that have nothing in common are refused", run.err)
    run = rastrum("trcrpt", "-m", "-r", *paths)
    ok(run.status == USAGE and "-m" in run.err and not run.out, "-r does not merge, and says why", run.err)
    run = rastrum("trcrpt", "-m", "-h", paths[1], f.put("cut.bin", odds.data[:-3]))
    ok(run.status == DAMAGED and "DAMAGE" in run.out and ids(run) == [f"01{n}" for n in range(7)], "damage of one is shown among the others",
       run.out, run.err)
    run = rastrum("trcrpt", "-m", "-h", "-O", "hist=on", *paths)
    same(run.out.count("            1  01"), 8, "each has its counts")


def check_raw(f, trace):
    out = os.path.join(f.path, "raw.bin")
    run = rastrum("trcrpt", "-r", "-o", out, trace)
    same(rastrum("trcrpt", "-h", out).out, rastrum("trcrpt", "-h", trace).out, "-r writes entries that read the same")
    ok(run.status == 0 and slurp(out)[:6] == b"RSTA\1\1", "in a stream of their own", run.err)
    same(ids(rastrum("trcrpt", "-h", "-", stdin=rastrum("trcrpt", "-r", "-d", "010,013", trace).bytes)), ["010", "013"],
         "-r writes the chosen ones")
    for word in (4, 8):
        whole = Trace(word, "big")
        whole.entry(0x0110, 5, [1, 2, 3, 4, 5], thread=3, core=2)
        whole.entry(0x0120, 6, [7], b"seven")
        whole.entry(0x0060, 0, [12])
        whole.entry(0x0110, 8)
        again = rastrum("trcrpt", "-r", "-", stdin=whole.data).bytes
        same(rastrum("report", "-f", "jsonl", "-", stdin=again).out, rastrum("report", "-f", "jsonl", "-", stdin=whole.data).out,
             f"{8 * word} bits: data, bytes, threads, cores and losses stay")
    run = rastrum("trcrpt", "-r", THREADX)
    ok(run.status == USAGE and "hook words" in run.err and not run.out, "-r is refused for other dialects, with the reason", run.err)


# --- the whole table of settings --------------------------------------------------------------------------------------

def check_settings(f):
    trace, log, ours = f.put("hooks.bin", hooks()), f.put("beats.log", processes()), f.put("ours.trcfmt", OURS)

    def report(*settings, path=trace, more=()):
        return rastrum("trcrpt", "-t", ours, *[word for one in settings for word in ("-O", one)], *more, path)

    same(body(report())[:2], ["010    0.000000000       0.000000  speed is 1500",
                              "011    0.000100000       0.100000          take lock 3"], "without settings: id, both times, text")
    run = report("2line=on")
    ok("ID    ELAPSED_SEC     DELTA_MSEC\n        APPL    SYSCALL KERNEL  INTERRUPT\n"
       "010    0.000000000       0.000000\n        speed is 1500\n011 " in run.out, "2line=on has two lines for each entry", run.out)
    columns = {"cpuid": ("CPU ", "1   "), "exec": ("PROCESS NAME   ", "thread 7       "), "tid": ("TID        ", "7          "),
               "pid": ("PID        ", "-          "), "svc": ("I/SYSTEM CALL   ", "-               "),
               "filename": ("FILENAME            ", "hooks.bin           ")}
    for name, (heading, cell) in columns.items():
        run = report(f"{name}=on")
        ok(f"ID  {heading}  ELAPSED_SEC " in run.out and f"\n010 {cell}   0.000000000 " in run.out, f"{name}=on adds its column", run.out)
        row = body(run)[0]
        head = next(line for line in run.lines if line.startswith("ID"))
        same(row.index("speed"), head.index("APPL"), "and the text stands below its heading")
        same(report(f"{name}=on", f"{name}=off").out, report().out, f"{name}=off takes it away")
    same(report("exec=on,pid=on").out, report("exec=on pid=on").out, "blanks part settings, too")
    run = report("exec=on,pid=on", path=log)
    ok(body(run)[0].startswith("046 demo           100        ") and run.out.index("ELAPSED_SEC") and
       re.match(r"046 .{40}\d\.\d{9} ", "046 " + body(run)[0][4:]) is None and body(run)[0][43] == "0" and body(run)[0][44] == " ",
       "with exec and pid the elapsed time ends in column 43, as published", body(run)[0])
    ok(body(report("ids=off"))[0].startswith("   0.000000000 ") and "ID" not in report("ids=off").out.replace("APPL", ""), "ids=off has no ids",
       report("ids=off").out)
    hist = report("hist=on").out.partition("\nID          COUNT  HOOK\n")[2]
    same(hist.splitlines(), ["010             1  speed", "011             1  take", "012             1  two", "013             1  tick"],
         "hist=on counts hooks below the report")
    twice = f.put("twice.log", processes())
    both = rastrum("trcrpt", "-m", "-O", "removedups=on", log, twice)
    ok(len(body(both)) == 4 and "4 duplicates left out" in both.err, "removedups=on leaves out what is twice in files", both.out, both.err)
    same([ids(report("starttime=0.0001")), ids(report("endtime=0.0001")), ids(report("starttime=0.0001,endtime=0.0002"))],
         [["011", "012", "013"], ["010", "011"], ["011", "012"]], "starttime and endtime are seconds since the first entry")
    run = rastrum("trcrpt", "-O", "starttime=1", THREADX)
    ok(run.status == USAGE and "frequency" in run.err, "they are refused where the clock is not known, with the reason", run.err)
    stamps = {0: ("  ELAPSED_SEC     DELTA_MSEC ", "   0.000200000       0.100000 "), 1: ("  ELAPSED_SEC ", "      0.000200 "),
              2: ("  ELAPSED_USEC    DELTA_USEC ", "           200            100 "), 3: ("  APPL", "  ")}
    for number, (heading, cell) in stamps.items():
        run = report(f"timestamp={number}")
        ok(f"ID  {heading}" in run.out and any(line.startswith(f"012 {cell}") for line in run.lines), f"timestamp={number}", run.out)
    run = report("timestamp=4", path=log)
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(SECOND + 1))
    ok(f"046  {when}.000000000Z  " in run.out and calendar.timegm(time.gmtime(SECOND)) == SECOND, "timestamp=4 has the time of day", run.out)
    run = report("timestamp=4")
    ok(run.status == USAGE and "time of day" in run.err, "timestamp=4 is refused where it is not recorded", run.err)
    check_pages(report)
    for name in ("component", "PURR", "reportedcpus"):
        run = report(f"{name}=on")
        ok(run.status == USAGE and f"{name}=on: " in run.err and len(run.err) > 60 and report(f"{name}=off").status == 0,
           f"{name}=on is refused with the reason", run.err)
    for word in ("pid", "pid=yes", "pids=on", "timestamp=5", "pagesize=501", "starttime=x", "endtime=1.2.3", "=on"):
        run = report(word)
        ok(run.status == USAGE and "-O" in run.err and len(run.err.splitlines()) == 1, f"-O {word} is refused", run.err)


def check_pages(report):
    """Five lines of text: 012 has two."""
    run = report("pagesize=3")
    pages = run.out.split("\f")
    same([page.count(HEADING) for page in pages], [1] * len(pages), "pagesize: each page has the heading")
    ok(len(pages) == 3 and all(page.splitlines()[0] == HEADING for page in pages[1:]), "pages begin with a form feed", run.out)
    same([len(page.splitlines()) for page in pages[1:]], [3, 2], "and have so many lines")
    ok("\f" not in report("pagesize=0").out and "\f" not in report("pagesize=500").out, "pagesize=0 has no pages")
    ok("\f" not in report("pagesize=3", more=["-h"]).out, "-h leaves the headings of pages out, too")
    same(report("pagesize=1").out.count("\f"), 3, "a page has one entry at least; one that a template hides makes none")


# --- Linux as AIX shows it ---------------------------------------------------------------------------------------------

def golden(name):
    """The bytes of a golden of POSIX logs."""
    lines = open(f"tests/goldens/posix/{name}.hex", encoding="utf-8").read().partition("# options:")[0].splitlines()
    return bytes.fromhex("".join(line.split("#")[0] for line in lines))


def check_hooks(f):
    """The goldens have the whole reports; this is what selects, counts, lists and replaces."""
    log = f.put("switches.log", golden("switches"))

    def report(*options):
        return rastrum("trcrpt", "-h", *options, log)

    same(ids(report("-d", "106")), ["106"] * 4, "-d takes the hooks that events are shown as")
    same(sorted(set(ids(report("-d", "10c,040")))), ["040", "10C"], "in either case, and with others")
    same(ids(report("-d", "041")), [], "not by the numbers that the log has for them")
    same(sorted(set(ids(report("-k", "106")))), ["040", "100", "10C"], "-k leaves them out")
    same(len(ids(report("-d", "sched_wait"))), 2, "they keep their names")
    same(report("-O", "hist=on").out.partition("HOOK\n")[2].splitlines(),
         ["106             4  DISPATCH", "10C             4  DISPATCH IDLE PROCESS", "040             1  POSIX_TRACE_UNNAMED_USEREVENT",
          "100             1  FLIH"],
         "hist=on counts them together")
    listed = rastrum("trcrpt", "-j", log).lines
    ok("106   DISPATCH" in listed and not any("thread runs" in line for line in listed), "-j lists them in place of the events", *listed)
    own = f.put("own.trcfmt", '# dialect: posix\n106 1.1 L=INT "@D" "go "$TID" as "$HD" of "$TRACEID\n')
    run = report("-t", own, "-d", "106")
    ok(run.lines[0].endswith(" " * 12 + "go 101 as 0000 of 106") and not run.err, "a template of one's own for a hook replaces ours", run.out, run.err)
    same(rastrum("template", "check", "--lint", own).status, 0, "and is right by itself")
    plain = rastrum("report", "-f", "text", log).out
    ok("runs on processor" in plain and "dispatch" not in plain, "other reports show the events as they are", plain)


# --- what the report says of its trace, and statuses ------------------------------------------------------------------

def check_lines(f):
    """The cases of kind line, each as the second entry of a trace of a clock of 1 GHz."""
    n = 0
    for line in open("tests/data/aix/cases.tsv", encoding="utf-8"):
        row = line.rstrip("\n").split("\t")
        if line.startswith("#") or len(row) < 10 or row[1] != "line" or "timer" in row[8]:
            continue
        n += 1
        template, entry, expected = (re.sub(r"\\([nt\\])", lambda m: {"n": "\n", "t": "\t", "\\": "\\"}[m[1]], row[i]) for i in (2, 7, 9))
        trace = Trace(4, "big", 10**9)
        for stamp, data in ((0, b"\x0f\xf9\0\0"), (105984, bytes.fromhex(entry))):
            trace.data += data
            trace.put(1, 7, stamp)
        path = f.put("case.trcfmt", template.replace("\\\n", "\\\n") + "\n0FF 1.0 \"first\"\n")
        run = rastrum("trcrpt", "-h", "-t", path, "-", stdin=trace.data)
        same("\n".join(run.lines[1:]), expected, f"case {row[0]}")
    ok(n >= 6, "all cases of lines are run", n)


def check_statuses(f):
    trace = f.put("hooks.bin", hooks())
    for words, status, what in (([trace], 0, "a report"), (["absent.bin"], UNUSABLE, "a trace that is not there"),
                                ([f.put("none.bin", "no trace\n" * 9)], UNUSABLE, "bytes that are no trace"),
                                ([f.put("cut.bin", hooks()[:-5])], DAMAGED, "a trace that is cut, of which the rest is given"),
                                ([], USAGE, "no trace"), (["-z", trace], USAGE, "a letter that there is not"),
                                (["-o", "/dev/full", trace], IO, "a disk that is full")):
        run = rastrum("trcrpt", *words)
        ok(run.status == status and (status == 0 or run.err.startswith("rastrum: ")), f"status {status}: {what}", run.status, run.err)
    run = rastrum("trcrpt", "-t", f.put("bad.trcfmt", "010 1.0 X17\n"), trace)
    ok(run.status == 0 and "T08" in run.err and "unknown hook 010" in run.out, "a bad template never stops a report", run.err)
    run = rastrum("trcrpt", "-d", "0AA", trace)
    ok(run.status == 0 and "no entry is among those asked for" in run.err and HEADING in run.out, "a report of nothing says so", run.err)


def check_preface(f):
    log = f.put("beats.log", processes())
    run = rastrum("trcrpt", log, env=ZONE)
    head = run.out.partition("\n\nID ")[0].splitlines()
    same(head, [time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(SECOND + 9 * 3600)), "System: tower", f"Trace: {log}, dialect posix",
                "Clock: 1000000000 Hz"], "above the columns stands when and where it was recorded")


def check_names(f):
    """Links."""
    link = os.path.join(f.path, "trcrpt")
    os.symlink(os.path.abspath(RASTRUM), link)
    trace = f.put("hooks.bin", hooks())
    run = subprocess.run([link, "-h", trace], capture_output=True, check=False, text=True)
    same(run.stdout, rastrum("trcrpt", "-h", trace).out, "called trcrpt, the program is that command")


with tempfile.TemporaryDirectory(prefix="rastrum-trcrpt-") as folder:
    for check in (check_letters, check_every_letter, check_settings, check_hooks, check_lines, check_statuses, check_preface, check_names):
        check(Folder(folder))
sys.exit(done())
