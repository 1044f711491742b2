#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of the recorder are built as their first lines say, run, and what they leave is read; so are the programs
of the manual pages; and a program finds the recorder by pkg-config, by its own name and as -ltrace."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import pages  # noqa: E402
from tap import BUILD, CHECKERS, RASTRUM, done, library_flags, make_install, ok, rastrum, same, skip  # noqa: E402

OUT = os.path.abspath(f"build/{BUILD}")
PRIVATE = library_flags()
ENV = {**os.environ, "POSIX_TRACE_CONSUMER": f"{OUT}/posix-trace-consumer"}

# The calls and headers of the textbooks' program: a buffer without room for a NUL, attributes that were not initialised.
TEXTBOOK = r"""
#include <sys/types.h>
#include <stdio.h>
#include <trace.h>
#include <time.h>
#include <limits.h>
#include <errno.h>

#define TRY(call) if ((errno = (call)) != 0) { perror(#call); return errno; }

int main (void)
{
	trace_attr_t attr;
	trace_id_t trid;
	char name [TRACE_NAME_MAX], when [LINE_MAX];
	struct timespec time;
	int policy;
	size_t size;

	TRY (posix_trace_create (0, NULL, &trid))
	TRY (posix_trace_get_attr (trid, &attr))
	TRY (posix_trace_attr_getgenversion (&attr, name))
	printf ("version %s\n", name);
	TRY (posix_trace_attr_getname (&attr, name))
	printf ("name <%s>\n", name);
	TRY (posix_trace_attr_getcreatetime (&attr, &time))
	(void) strftime (when, sizeof (when), "%Y", localtime (&time.tv_sec));
	printf ("created in %s\n", when);
	TRY (posix_trace_attr_getclockres (&attr, &time))
	printf ("resolution %ld\n", time.tv_nsec);
	TRY (posix_trace_attr_getstreamfullpolicy (&attr, &policy))
	switch (policy) {
	case POSIX_TRACE_LOOP: printf ("stream LOOP\n"); break;
	case POSIX_TRACE_UNTIL_FULL: printf ("stream UNTIL_FULL\n"); break;
	case POSIX_TRACE_FLUSH: printf ("stream FLUSH\n"); break;
	default: printf ("stream ?\n");
	}
	TRY (posix_trace_attr_getlogfullpolicy (&attr, &policy))
	switch (policy) {
	case POSIX_TRACE_LOOP: printf ("log LOOP\n"); break;
	case POSIX_TRACE_UNTIL_FULL: printf ("log UNTIL_FULL\n"); break;
	case POSIX_TRACE_APPEND: printf ("log APPEND\n"); break;
	default: printf ("log ?\n");
	}
	TRY (posix_trace_attr_getmaxdatasize (&attr, &size))
	printf ("data %d\n", (int) size);
	TRY (posix_trace_attr_getmaxusereventsize (&attr, size, &size))
	printf ("user %d\n", (int) size);
	TRY (posix_trace_attr_getmaxsystemeventsize (&attr, &size))
	printf ("system %d\n", (int) size);
	TRY (posix_trace_attr_getstreamsize (&attr, &size))
	printf ("size %d\n", (int) size);
	return 0;
}
"""


def run(*words, timeout=60, **how):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=timeout, **{"env": ENV, **how})


def is_fine(result, sentence):
    return ok(result.returncode == 0, sentence, f"status {result.returncode}", *result.stderr.splitlines()[-10:])


def compiled(source, program, *options, compiler="gcc", libraries=("libposixtrace.a",)):
    """Compiles without checkers, and links with libraries of this build."""
    built = run(compiler, "-O2", "-g", "-Wall", "-Wextra", "-Werror", *options, "-Iinclude", "-c", source,
                "-o", program + ".o")
    if built.returncode:
        return built
    needed = PRIVATE if "librastrum.a" in libraries else []
    return run(compiler, *CHECKERS, "-pthread", program + ".o", *[f"{OUT}/{name}" for name in libraries], *needed, "-o", program)


def events_of(path, *options):
    """The events of a log."""
    return [json.loads(line) for line in rastrum("report", "--format", "jsonl", *options, path).lines]


def named(events, name):
    return [event for event in events if event.get("name") == name]


def fields(events, name):
    return [event["args"][name] for event in events]


# --- attributes -----------------------------------------------------------------------------------------------------


def check_attributes(folder):
    source, program = "examples/posix/default_attributes.c", f"{folder}/default_attributes"
    is_fine(compiled(source, program + "99", "-std=c99", "-pedantic"), "the default attributes compile as C99")
    if shutil.which("g++"):
        shutil.copy(source, program + ".cc")
        is_fine(compiled(program + ".cc", program + "cc", "-std=c++11", "-pedantic", compiler="g++"), "and as C++")
    else:
        skip("and as C++", "no g++")
    told = dict(re.findall(r"^(\S.*?)  +(.*)$", run(program).stdout, re.M))
    wanted = {"generation version": r"rastrum [\d.]+", "trace name": '""',
              "creation time": r"20\d\d-[\d-]+ [\d:.]+ UTC", "clock resolution": r"0\.\d{9} s",
              "stream-full policy": "POSIX_TRACE_LOOP",
              "log-full policy": "POSIX_TRACE_LOOP", "inheritance": "POSIX_TRACE_CLOSE_FOR_CHILD",
              "stream-min-size": r"[1-9]\d+ bytes", "log-max-size": r"[1-9]\d+ bytes",
              "max-data-size": r"[1-9]\d+ bytes",
              "largest user event": r"[1-9]\d+ bytes with [1-9]\d+ bytes of data",
              "largest system event": r"[1-9]\d+ bytes",
              "limits": r"[1-9]\d* streams, [1-9]\d+ user event types, event names of [1-9]\d+ characters"}
    wrong = [f"{key}: {told.get(key)}" for key, text in wanted.items() if not re.fullmatch(text, told.get(key, ""))]
    ok(not wrong and len(told) == len(wanted), "and print a sensible value for each attribute", *wrong)


def check_textbook(folder):
    with open(f"{folder}/textbook.c", "w", encoding="utf-8") as out:
        out.write(TEXTBOOK)
    is_fine(compiled(f"{folder}/textbook.c", f"{folder}/textbook"), "a textbook's program compiles as it stands")
    text = r"version rastrum \S+\nname <>\ncreated in 20\d\d\nresolution [1-9]\d*\nstream LOOP\nlog LOOP\n" \
           r"data [1-9]\d*\nuser [1-9]\d*\nsystem [1-9]\d*\nsize [1-9]\d*\n"
    told = run(f"{folder}/textbook")
    ok(told.returncode == 0 and re.fullmatch(text, told.stdout), "and prints sensible values", told.stdout, told.stderr)


# --- the others -----------------------------------------------------------------------------------------------------


def check_periodic(folder):
    log = f"{folder}/periodic.rst"
    told = run(f"{folder}/periodic", log)
    found = re.fullmatch(r"200 cycles, (\d+) overruns, 0 events lost: .*\n", told.stdout)
    ok(found and int(found[1]) >= 4, "periodic: a task notices its overruns", told.stdout, told.stderr)
    events = events_of(log)
    same(fields(named(events, "cycle_begin"), "cycle"), list(range(200)), "periodic: every cycle is in the log")
    overruns = named(events, "overrun")
    ok(found and len(overruns) == int(found[1]), "periodic: every overrun is, too")
    ok({49, 99, 149, 199} <= set(fields(overruns, "cycle")) and all(n >= 1 for n in fields(overruns, "missed")),
       "periodic: in the cycles that take too long", *fields(overruns, "cycle"))
    verdicts = [json.loads(line) for line in rastrum("check", "--json", "examples/check/periodic.rules", log).out.splitlines()]
    ok(len(verdicts) > 5 and all(verdict["result"] in ("pass", "fail") for verdict in verdicts), "periodic: each rule of examples/check is decided", *verdicts)
    relaxed = "lost() == 0\nlatency(event cycle_begin -> event cycle_end) < 10min\nperiod(event cycle_begin) < 10min\nnone \"SELECT 1 WHERE 0\"\n"
    checked = rastrum("check", "--strict", "-", log, stdin=relaxed.encode())
    same((checked.status, [line for line in checked.lines if "ok" in line and "# SKIP" in line]), (0, []), "periodic: rules that it keeps pass")
    switches = rastrum("check", "-", log, stdin=b"run(thread periodic) < 10min\n")
    ok("# SKIP undecided: the recording does not tell" in switches.out, "periodic: without switches it is not known how long it runs", switches.out)


def check_producer_consumer(folder):
    log = f"{folder}/queue.rst"
    told = run(f"{folder}/producer_consumer", log)
    same(told.stdout, f"90 items went through the queue. What happened: rastrum report {log}\n",
         "producer_consumer: says how to go on")
    events = events_of(log)
    items = sorted(range(100, 130)) + list(range(200, 230)) + list(range(300, 330))
    same(sorted(fields(named(events, "produced"), "item")), items, "producer_consumer: each item is produced once")
    same(sorted(fields(named(events, "consumed"), "item")), items, "producer_consumer: and consumed once")
    same(fields(named(events, "produced"), "item"), fields(named(events, "consumed"), "item"),
         "producer_consumer: in the same order, as events of all threads are in order")
    lengths = fields([e for e in events if e.get("name") in ("produced", "consumed", "must_wait")], "n_queued")
    ok(lengths and 0 <= min(lengths) <= max(lengths) <= 4, "producer_consumer: the queue is never longer than it may be")
    threads = {(e["context"]["id"], e["context"]["name"]) for e in events if e.get("name") in ("produced", "consumed")}
    same(sorted(re.sub(r"/\d+$", "", name) for _, name in threads), ["consumer"] * 2 + ["producer"] * 3,
         "producer_consumer: threads have names")
    same(len({name for _, name in threads}), 5, "producer_consumer: which tell them apart")


def check_flight_recorder(folder):
    wanted, crash = f"{folder}/wanted.rst", f"{folder}/crash.rst"
    command = [f"{folder}/flight_recorder", wanted, crash]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENV) as flight:
        line = flight.stdout.readline()
        flight.send_signal(signal.SIGUSR1)
        status = flight.wait(60)
    same(line, f"recording; to see: kill -USR1 {flight.pid}\n", "flight_recorder: says how to see what it does")
    same(status, -signal.SIGSEGV, "flight_recorder: dies of the signal that it handled")
    events = events_of(wanted)
    ok(events and events[-1].get("name") == "snapshot_wanted", "flight_recorder: a snapshot holds all until it was asked for")
    events = events_of(crash)
    same([e.get("name") for e in events[-2:]], ["sensor_read", "crash"], "flight_recorder: the last one ends with the crash")
    ok(len(events) > 2 and int(str(events[-2]["args"]["from"]), 0) == 0 and events[-2]["args"]["sensor"] == 3,
       "flight_recorder: and shows what led to it", events[-2:])
    turns = fields(named(events, "turn_begin"), "turn")
    same(turns, list(range(turns[0], 800)) if turns else [0], "flight_recorder: its run of events has no holes")
    # How much a stream holds depends on how many processors there may ever be.
    same(len(named(events, "POSIX_TRACE_OVERFLOW")), int(bool(turns) and turns[0] > 0),
         "flight_recorder: and tells when older ones were overwritten")


def check_self_reader(folder):
    for way in ("wait", "poll"):
        told = run(f"{folder}/self_reader", way)
        lines = re.findall(r"^\d+\.\d{9}  thread \d+  (.*)$", told.stdout, re.M)
        same(lines, ["posix_trace_start", *(f"step {n}" for n in range(1, 6)), "done"],
             f"self_reader {way}: reads every event in order")


def check_scopes(folder):
    log = f"{folder}/scopes.rst"
    told = run(f"{folder}/scopes", log)
    ok(re.fullmatch(r"20 frames \(.+\): rastrum report .*\n", told.stdout), "scopes: renders", told.stdout, told.stderr)
    events = events_of(log)
    open_scopes, nested = [], []
    for event in events:
        category, _, kind = str(event.get("name")).rpartition(":")
        if kind == "begin":
            open_scopes.append(category)
        elif kind == "end":
            nested.append(bool(open_scopes) and (category in (open_scopes[-1], "frame")))
            del open_scopes[-1:]
    ok(len(nested) == 60 and all(nested) and not open_scopes, "scopes: every end is that of the last beginning", nested)
    same(fields(named(events, "frame:render:begin"), "number"), list(range(20)), "scopes: every frame is there")
    same(fields(named(events, "cache:hits:counter"), "value")[-1:], [13], "scopes: the counter counts")
    same(fields(named(events, "cache:lookup"), "arg1"), list(range(20)), "scopes: so are the probes")
    same(fields(named(events, "frame:draw:begin"), "texture")[:2], ["water", "stone"], "scopes: text is text")


# --- programs of the manual pages -----------------------------------------------------------------------------------------

LIBRARIES = {"rastrum/": ["librastrum.a"], "sys/trc": ["libaixtrace.a", "libposixtrace.a"]}  # by what a page includes
PAGE_STATUS = {"posix_trace_snapshot_np.3": -signal.SIGABRT}  # what the page shows dies


def check_pages(folder):
    """All are made in one folder: one reads the log that another has written."""
    shown = [(page.path, text) for path in sorted(glob.glob("man/*.[37]")) for page in [pages.Page(path)]
             for text in page.examples()]
    shown.sort(key=lambda example: "argv" in example[1])
    for number, (path, text) in enumerate(shown):
        name, program = os.path.basename(path), f"{folder}/page{number}"
        operands = ["tests/data/threadx/priority_inversion.trx"] if "rastrum/" in text else [f"{folder}/run.rst"]
        with open(program + ".c", "w", encoding="utf-8") as out:
            out.write(text)
        libraries = next((LIBRARIES[header] for header in LIBRARIES if f"#include <{header}" in text), ["libposixtrace.a"])
        if not is_fine(compiled(program + ".c", program, "-Iinclude/aixtrace", libraries=libraries), f"the program of {name} compiles"):
            continue
        told = run(program, *[os.path.abspath(path) for path in operands if "argv" in text], cwd=folder, env={**ENV, "RASTRUM": os.path.abspath(RASTRUM)})
        same(told.returncode, PAGE_STATUS.get(name, 0), "and runs")
    ok(len(shown) >= 14, "manual pages show whole programs", len(shown))
    same(run(f"{folder}/page{[name for name, _ in shown].index('man/posix_trace_open.3')}", f"{folder}/run.rst").stdout,
         "3 events, 0 lost\n", "the log that one writes is read by another")


def check_figures(folder):
    """The program prints each cell that `rastrum stats --json` has, and the findings of `rastrum explain`."""
    program = f"{folder}/figures"
    if not is_fine(compiled("examples/read/figures.c", program, libraries=["librastrum.a"]), "figures compiles"):
        return
    for path in ("tests/data/threadx/priority_inversion.trx", "tests/data/rkh/r1_default.bin"):
        told = run(program, path)
        same((told.returncode, told.stderr), (0, ""), f"figures of {path}")
        got = [tuple(line.split("\t")[:4]) for line in told.stdout.splitlines()]
        tables = [json.loads(line) for line in rastrum("stats", "--json", path).lines]
        wanted = [(table["table"], str(row), column["name"], shown(cell)) for table in tables
                  for row, cells in enumerate(table["rows"]) for column, cell, before in zip(table["columns"], cells, [None, *cells])
                  if cell is not None and not isinstance(cell, list) and not ("most_of" in column and cell == before)]
        here = [(*figure[:3], shown(figure[3])) for figure in got if figure[0] not in ("findings", "rules") and not figure[3].endswith("; ")]
        same(here, wanted, "are those of rastrum stats")
        findings = [json.loads(line)["text"] for line in rastrum("explain", "--json", path).lines]
        same([figure[3] for figure in got if figure[0] == "findings" and figure[2] == "text"], findings, "and those of rastrum explain")
        ok(("rules", "0", "result", "pass") in got, "and the rule holds", *[figure for figure in got if figure[0] == "rules"])


def shown(cell):
    """A cell of JSON, or its text, in one form: numbers with decimals may be written with more or fewer of them."""
    try:
        return f"{float(cell):.3f}"
    except ValueError:
        return cell


# --- what is installed ----------------------------------------------------------------------------------------------


def check_names(root):
    declared = set()
    for header in ("include/trace.h", "include/trace_bridge_np.h", "include/trace_hook_np.h"):
        with open(header, encoding="utf-8") as text:
            declared |= set(re.findall(r"^(?:int|void|long) (posix_trace_\w+)\(", text.read(), re.M))
    for name, options in (("libposixtrace.so", ["-D"]), ("libposixtrace.a", [])):
        listed = run("nm", "-g", "--defined-only", *options, f"{root}/usr/lib/{name}").stdout
        names = set(re.findall(r"^[0-9a-f]+ [A-Z] (\w+)", listed, re.M))
        ok(names == declared, f"{name} offers what its headers declare, and no other names",
           f"lacking: {sorted(declared - names)}", f"too many: {sorted(names - declared)}")


def check_linking(root, folder):
    env = {**ENV, "PKG_CONFIG_SYSROOT_DIR": root, "PKG_CONFIG_LIBDIR": f"{root}/usr/lib/pkgconfig",
           "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1", "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1"}
    at = {**ENV, "LD_LIBRARY_PATH": f"{root}/usr/lib"}
    source, program = "examples/posix/producer_consumer.c", f"{folder}/installed"

    def package(*words):
        return run("pkg-config", *words, "posixtrace", env=env).stdout.split()

    trace_libraries = package("--variable=tracelibdir")[0].removeprefix(root)
    same(trace_libraries, "/usr/lib/posixtrace", "the .pc file names a directory for -ltrace")
    same(sorted(os.listdir(root + trace_libraries)), ["libtrace.a", "libtrace.so"], "in which nothing else is")
    ways = {"the shared library": package("--cflags", "--libs"),
            "the static library": [w if w != "-lposixtrace" else "-l:libposixtrace.a" for w in
                                   package("--static", "--cflags", "--libs")],
            "-ltrace": [*package("--cflags"), f"-L{root}{trace_libraries}", "-ltrace"],
            "-ltrace, static": [*package("--cflags"), f"-L{root}{trace_libraries}", "-l:libtrace.a"]}
    for name, words in ways.items():
        is_fine(run("gcc", source, "-Wall", "-Werror", *CHECKERS, *words, "-o", program), f"a program links with {name}")
        needed = "libposixtrace.so" in run("readelf", "-d", program).stdout
        same(needed, "static" not in name, "and needs the shared one when it should")
        is_fine(run(program, f"{folder}/installed.rst", env=at), "and records")
        same(len(named(events_of(f"{folder}/installed.rst"), "consumed")), 90, "what can be read")


def check_linking_aix(root, folder):
    """A program that was written for AIX starts the session of the installed program."""
    env = {**ENV, "PKG_CONFIG_SYSROOT_DIR": root, "PKG_CONFIG_LIBDIR": f"{root}/usr/lib/pkgconfig",
           "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1", "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1"}
    words = run("pkg-config", "--cflags", "--libs", "aixtrace", env=env).stdout.split()
    program, log = f"{folder}/hooks", f"{folder}/hooks.rst"
    is_fine(run("gcc", "examples/aix/hooks.c", "-Wall", "-Werror", *CHECKERS, *words, "-o", program), "a program of AIX links with libaixtrace")
    is_fine(run(program, log, env={**ENV, "LD_LIBRARY_PATH": f"{root}/usr/lib", "RASTRUM": f"{root}/usr/bin/rastrum"}), "and records")
    shown = run(f"{root}/usr/bin/rastrum", "trcrpt", "-t", "examples/aix/hooks.trcfmt", log)
    same((shown.returncode, len(re.findall(r"^01[01] ", shown.stdout, re.M))), (0, 8), "hooks that trcrpt shows")


def check_installed(folder):
    root = f"{folder}/root"
    installed = make_install(folder, root, "/usr")
    if not is_fine(installed, "`make install` ends well"):
        return
    ok(os.access(f"{root}/usr/libexec/rastrum/posix-trace-consumer", os.X_OK), "the consumer is installed")
    if CHECKERS:
        skip("the libraries offer what their headers declare", "sanitizers add names")
    else:
        check_names(root)
    if shutil.which("pkg-config"):
        check_linking(root, folder)
        check_linking_aix(root, folder)
    else:
        skip("programs link with the libraries", "no pkg-config")


with tempfile.TemporaryDirectory(prefix="rastrum-examples-") as temporary:
    for each in sorted(glob.glob("examples/posix/*.c")):
        what = os.path.basename(each)[:-2]
        is_fine(compiled(each, f"{temporary}/{what}"), f"{what} compiles")
    check_attributes(temporary)
    check_textbook(temporary)
    check_periodic(temporary)
    check_producer_consumer(temporary)
    check_flight_recorder(temporary)
    check_self_reader(temporary)
    check_scopes(temporary)
    check_pages(temporary)
    check_figures(temporary)
    check_installed(temporary)
sys.exit(done())
