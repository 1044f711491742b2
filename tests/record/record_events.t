#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What rastrum record records: programs with trace points, their descendants, processes that run, flight recorders."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, CHECKERS, RASTRUM, built, done, make_install, ok, rastrum, rastrum_as_nobody, same, skip  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="rastrum-record-")
PATIENCE = 30

# ticker N MICROSECONDS [fork]: so many events `tick` with their numbers, each tenth one followed by a `tock`.
TICKER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trace.h>
#include <unistd.h>

static void __attribute__((noinline)) make_ticks(unsigned n, useconds_t pause)
{
	trace_event_id_t tick, tock;

	posix_trace_eventid_open("tick", &tick);
	posix_trace_eventid_open("tock", &tock);
	posix_trace_eventid_describe_np(tick, (struct posix_trace_field_np[]){ { "n", POSIX_TRACE_UNSIGNED_NP, 4 } }, 1);
	for (unsigned i = 0; i < n; i++) {
		posix_trace_event(tick, &i, sizeof i);
		if (i % 10 == 9)
			posix_trace_event(tock, "tock", 4);
		if (pause)
			usleep(pause);
	}
}

int main(int argc, char **argv)
{
	puts("ready");
	fflush(stdout);
	if (argc > 3 && fork() == 0) {
		make_ticks((unsigned)atoi(argv[1]), (useconds_t)atoi(argv[2]));
		return 0;
	}
	make_ticks((unsigned)atoi(argv[1]), (useconds_t)atoi(argv[2]));
	while (wait(NULL) > 0)
		;
	puts("done");
	return 5;
}
"""


def at(name):
    return os.path.join(FOLDER, name)


def compiled(source, name, *words):
    return built(source, at(name), *words)


TICK = compiled(TICKER, "ticker", *CHECKERS, "-pthread", "-x", "none", f"build/{BUILD}/libposixtrace.a")


def record(*words, log="log.rst", **how):
    return rastrum("record", "-o", at(log), *words, **how)


def events(name="log.rst"):
    return [json.loads(line) for line in rastrum("report", "-f", "jsonl", at(name)).lines]


def facts(name="log.rst"):
    return json.loads(rastrum("info", "--json", at(name)).out)


def ticks(rows):
    return [row["args"]["n"] for row in rows if row.get("name") == "tick"]


def names(rows):
    return {row["name"] for row in rows if row.get("name") and not row["name"].startswith("POSIX_TRACE_")}


def is_run(numbers):
    """Whether they follow one another without a gap."""
    return bool(numbers) and numbers == list(range(numbers[0], numbers[-1] + 1))


def ready(words, **how):
    """Runs it; it has said `ready`."""
    run = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           start_new_session=True, **how)
    run.stdout.readline()
    return run


def ended(run):
    out, err = run.communicate(timeout=PATIENCE)
    return run.returncode, out.decode(), err.decode()


def until(holds):
    end = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


# --- programs --------------------------------------------------------------------------------------------------------

result = record("--", TICK, 1000, 100)
rows = events()
same((result.status, result.out), (5, "ready\ndone\n"), "a program with trace points runs as it does alone")
same(ticks(rows), list(range(1000)), "and each of its events is in the log, from the first on")
same(len({row["context"]["id"] for row in rows if row.get("name") == "tick"}), 1, "as one thread's")
told = re.search(r"log\.rst: (\d+) events, ", result.err)
same(told and int(told.group(1)), facts()["events"], "the last line has the number of events")
text = rastrum("report", "--type", "tick", at("log.rst")).out
ok("make_ticks+" in text, "a report names the function that made them", text[:300])

ok(record("--", "true").err.endswith("; no trace point was met, try --system\n"), "where nothing was recorded, the reason is reported")
ok(record("--filter", "toc", "--", TICK, 10, 0).err.endswith("; --filter let no event through\n"), "also with a filter")
result = record("--", TICK, 500, 200, "fork")
rows = events()
same((len(ticks(rows)), len({row["context"]["id"] for row in rows if row.get("name") == "tick"})), (1000, 2),
     "children are recorded into the same log")
result = record("--", "sh", "-c", f"{TICK} 100 100; {TICK} 100 100 & wait")
same((result.status, sorted(ticks(events()))), (0, sorted([*range(100)] * 2)),
     "so are programs that a shell starts, which has no trace points")
# The shell ends some time after the first tick, however slowly a busy machine begins a program, and long before the last one.
result = record("--", "sh", "-c", f"(setsid {TICK} 2000 5000 >{at('said')} 2>&1 &) ; until grep -q ready {at('said')}; do sleep 0.01; done; "
                "sleep 0.3")
found = ticks(events())
ok(0 < len(found) < 2000 and is_run(found), "what goes on when the program has ended is recorded until then", found)

# --- what was where --------------------------------------------------------------------------------------------------

# Programs that live for milliseconds. Both lie at the same addresses, and neither has a function of the other's.
BRIEF = r"""
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <trace.h>
#include <unistd.h>

void __attribute__((noinline)) FUNCTION(trace_event_id_t id)
{
	posix_trace_event(id, "x", 1);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	trace_event_id_t id;

	posix_trace_eventid_open("brief", &id);
	FUNCTION(id);
	if (argc > 1 && strcmp(argv[1], "fork") == 0 && fork() == 0) {
		FUNCTION(id);
		_exit(0);
	}
	wait(NULL);
	if (argc > 1 && strcmp(argv[1], "die") == 0)
		raise(SIGKILL);
	if (argc > 2 && strcmp(argv[1], "load") == 0)
		((void (*)(trace_event_id_t))dlsym(dlopen(argv[2], RTLD_NOW), "from_plugin"))(id);
	if (argc > 1 && argv[1][0] == '/')
		execv(argv[1], argv + 1);
	return 0;
}
"""
LINKED = (*CHECKERS, "-no-pie", "-fno-pie", "-rdynamic", "-pthread", "-x", "none", f"build/{BUILD}/libposixtrace.a", "-ldl")
EARLY = compiled(BRIEF.replace("FUNCTION", "early_bird"), "early", *LINKED)
LATE = compiled(BRIEF.replace("FUNCTION", "late_riser"), "late", *LINKED)
PLUGIN = compiled('#include <trace.h>\nvoid from_plugin(trace_event_id_t id) { posix_trace_event(id, "y", 1); __asm__ volatile(""); }',
                  "plugin.so", *CHECKERS, "-shared", "-fPIC")


def brief(log="log.rst"):
    """Of each event `brief`: its thread, without the number that tells namesakes apart, and the function that made it."""
    text = rastrum("report", "--type", "brief", at(log)).out
    return re.findall(r"^\s*[\d.]+\s+(?:[\d-]+\s+)?(\w+)\S*\s+brief .*\baddress=(\w+)", text, re.M)


FIRST, SECOND = ("early", "early_bird"), ("late", "late_riser")
for words, wanted, sentence in (
        (("sh", "-c", f"{EARLY}; {LATE}; {EARLY}"), [FIRST, SECOND, FIRST], "programs that are gone at once have names"),
        ((EARLY, LATE, EARLY), [FIRST, SECOND, FIRST], "each program that a process was, by exec, has its own"),
        ((LATE, "fork"), [SECOND, SECOND], "so has a child"),
        (("sh", "-c", f"{EARLY} die; {LATE} die"), [FIRST, SECOND], "a program that is killed"),
        ((EARLY, "load", PLUGIN), [FIRST, ("early", "from_plugin")], "and what a program has loaded since"),
):
    record("--", *words)
    same(brief(), wanted, sentence)
record("--ring", "1Mi", "--", "sh", "-c", f"{EARLY}; {LATE} fork; {EARLY} {LATE}", log="brief.rst")
same(brief("brief-1.rst"), [FIRST, SECOND, SECOND, FIRST, SECOND], "in a flight recorder, too")
record("--", "sh", "-c", f"for i in $(seq 300); do {LATE}; done; {EARLY}")
same(brief(), [SECOND] * 300 + [FIRST], "however many they are")

# --- filters ---------------------------------------------------------------------------------------------------------

for words, wanted in (("tick", {"tick"}), ("tock,other", {"tock"}), ("!tock", {"tick"}), ("!tock,!tick", set())):
    result = record("--filter", words, "--", TICK, 300, 100)
    rows = events()
    same((names(rows), len(ticks(rows))), (wanted, 300 if "tick" in wanted else 0), f"--filter {words} holds from the first event")
same("POSIX_TRACE_START" in {row["name"] for row in events()}, True, "and keeps events of the trace system")
record("--", TICK, 1, 100)
rows = events()
same((rows[0]["text"], rows[-1]["text"]), ("recording begins", "recording ends"), "a log has the beginning and the end of the recording")
record("--filter", "!tock", "--", TICK, 1, 100)
same(events()[0]["text"], "recording begins, which leaves out tock", "and what it leaves out")
for spelling in ("posix_trace_start", "POSIX_TRACE_START", "Posix_Trace_S*T"):
    record("--filter", f"!{spelling}", "--", TICK, 10, 100)
    rows = events()
    same(("POSIX_TRACE_START" in [row["name"] for row in rows], names(rows), len(ticks(rows))), (False, {"tick", "tock"}, 10),
         f"--filter !{spelling} leaves that type out")
record("--filter", "POSIX_TRACE_START,tick", "--", TICK, 10, 100)
same((names(events()), [name for name in facts()["counts"] if name.lower() == "posix_trace_start"]),
     ({"tick"}, ["POSIX_TRACE_START"]), "and opens no type of that name")
for words in ("TICK", "Tick"):
    result = record("--filter", words, "--", TICK, 20, 0)
    same((len(ticks(events())), "from here on" in result.err), (20, False), f"case is ignored: --filter {words} holds from the first event, too")
record("--filter", "!TICK", "--", TICK, 20000, 100)
ok(len(ticks(events())) < 16000, "or goes out", len(ticks(events())))
record("--filter", "!posix_trace_*", "--", TICK, 10, 100)
same({row["name"] for row in events()} - {"tick", "tock"}, set(), "unless they are left out by name")
record("--filter", "t?ck", "--filter", "!toc*", "--", TICK, 1500, 2000)
rows = events()
places = [row["ns"] for row in rows if row.get("name") == "tock"]
ok(len(ticks(rows)) == 1500, "a pattern misses nothing that is wanted", len(ticks(rows)))
ok(max(places, default=0) < rows[-1]["ns"] / 2, "and soon leaves out what is not", len(places), places[-1:])

# --- sizes -----------------------------------------------------------------------------------------------------------

result = record("--data-size", 2, "--filter", "tick,tock", "--", TICK, 100, 100)
rows = [row for row in events() if row.get("name") in ("tick", "tock")]
for row in rows:
    del row["args"]["address"], row["args"]["process"]
same([row["args"] for row in rows if row["name"] == "tock"], [{"cut": 1, "data": "746f", "text": "to"}] * 10,
     "--data-size keeps the first bytes of an event's data, and marks them as cut")
same([row["args"] for row in rows if row["name"] == "tick"], [{"cut": 1, "n": None}] * 100,
     "a field that it goes through is not known")
result = record("--data-size", 4, "--filter", "tick,tock", "--", TICK, 10, 100)
rows = [row for row in events() if row.get("name") in ("tick", "tock")]
same(([row["args"]["n"] for row in rows[:10]], rows[10]["args"]["text"], {"cut" in row["args"] for row in rows}),
     ([*range(10)], "tock", {False}), "data of just that length are whole, and are not marked")
result = record("--stream-size", "4k", "--", TICK, 300000, 0)
lost = re.search(r"(\d+) lost, try a larger --stream-size", result.err)
numbers = facts()
ok(lost and int(lost.group(1)) == numbers["loss"]["events"] > 0, "what was lost is reported, and in the log", result.err, numbers["loss"])
same(len(ticks(events())) + numbers["loss"]["events"] >= 300000, True, "nothing is lost that is not counted")
result = record("--log-size", "64k", "--", TICK, 20000, 10)
found = ticks(events())
ok(is_run(found) and found[-1] == 19999 and "overwritten" in result.err, "--log-size keeps the newest events", result.err, found[:3])
ok("later events are not" not in result.err, "and does not report that later events are missing", result.err)
result = record("--log-size", "64k", "--log-policy", "until-full", "--", TICK, 20000, 10)
found = ticks(events())
ok(is_run(found) and found[0] == 0 and found[-1] < 19999 and "later events are not in it" in result.err,
   "--log-policy until-full the oldest", result.err, found[-3:])

# --- a process that runs ---------------------------------------------------------------------------------------------

target = ready([TICK, 12000, 1000])  # it outlives three recordings, however busy the machine is
time.sleep(0.2)
result = record("--pid", target.pid, "--duration", "0.5")
found = ticks(events())
ok(result.status == 0 and is_run(found) and found[0] > 0 and len(found) > 50, "--pid attaches to a process that runs", result.err,
   len(found), found[:2])
ok(target.poll() is None, "which goes on when the time is over")
attached = subprocess.Popen([RASTRUM, "record", "--pid", str(target.pid), "-o", at("again.rst")], stderr=subprocess.PIPE)
time.sleep(0.5)
attached.send_signal(signal.SIGINT)
status, again = (attached.wait(PATIENCE), ticks(events("again.rst")))
attached.stderr.close()
ok(status == 0 and is_run(again) and again[0] > found[-1], "and can be attached to again; a signal ends that", status, again[:2])
result = record("--pid", target.pid)
found = ticks(events())
same((result.status, is_run(found), found[-1:], ended(target)[:2]), (0, True, [11999], (5, "done\n")),
     "without a time the recording ends with the process")
result = record("--pid", target.pid)
ok(result.status == 4 and "there is no such process" in result.err, "a process that is gone is none", result.err)
if os.getuid() == 0:
    others = subprocess.Popen(["sleep", "60"], user=65534, group=65534, extra_groups=[])
    result = rastrum("record", "--pid", others.pid, "-o", at("others.rst"), "--duration", "0.1")
    ok(result.status == 0, "root may record another user's process", result.err)
    others.kill()
    others.wait()
    denied = rastrum_as_nobody(FOLDER, "record", "--pid", os.getpid(), "-o", at("nobody.rst"))
    ok(denied.status == 4 and "may not be traced by you" in denied.err and not os.path.exists(at("nobody.rst")),
       "others only their own", denied.status, denied.err)

# --- flight recorders ------------------------------------------------------------------------------------------------

run = ready([RASTRUM, "record", "--ring", "32k", "--snapshot-on", "USR1,EXIT", "-o", at("flight.rst"), "--", TICK, 3000, 1000])
for number in (1, 2):
    time.sleep(0.7)
    run.send_signal(signal.SIGUSR1)
    until(lambda n=number: os.path.exists(at(f"flight-{n}.rst")))
status, out, err = ended(run)
found = [ticks(events(f"flight-{n}.rst")) for n in (1, 2, 3)]
same((status, out, os.path.exists(at("flight.rst"))), (5, "done\n", False), "a flight recorder has no log, and the program's status")
ok(all(is_run(numbers) for numbers in found) and found[0][-1] < found[1][-1] < found[2][-1] == 2999,
   "each snapshot is the newest run of events, that at the end the last", [numbers[-1:] for numbers in found])
ok(found[2][0] > 0, "which has overwritten the oldest", found[2][:1])
same(len(re.findall(r"flight-[123]\.rst: a snapshot of \d+ events", err)), 3, "each is reported in a line")
record("--ring", "32k", "--", TICK, 10, 0, log="flight.rst")
same(ticks(events("flight-4.rst")), [*range(10)], "the next recording takes the next number")
record("--ring", "1Mi", "--", "sh", "-c", f"{TICK} 50 0; kill -9 $$", log="crash.rst")
rows = events("crash-1.rst")
same(ticks(rows), [*range(50)], "a program that is killed leaves its snapshot")
ok(all("address=make_ticks+0x" in row["text"] for row in rows if row.get("name") == "tick"),
   "whose addresses have names, though the program is no more", *rows[1:2])

# --- meanwhile, and without rastrum ----------------------------------------------------------------------------------

run = ready([RASTRUM, "record", "-o", at("live.rst"), "--", TICK, 3000, 1000])
until(lambda: os.path.exists(at("live.rst")))
follow = subprocess.Popen([RASTRUM, "report", "--follow", "--type", "tick", "-f", "jsonl", at("live.rst")], stdout=subprocess.PIPE,
                          bufsize=0)
line = json.loads(follow.stdout.readline())
ok(line["args"]["n"] == 0 and run.poll() is None, "report --follow shows events while the program runs", line)
ended(run)
rest = follow.communicate(timeout=PATIENCE)[0]
same((follow.returncode, rest.count(b"\n")), (0, 2999), "to the last one, and ends with the log")

run = ready([RASTRUM, "record", "-o", at("killed.rst"), "--", "sh", "-c", f"{TICK} 1500 1000; touch {at('ran')}"])
time.sleep(0.5)
run.kill()
ended(run)
ok(until(lambda: facts("killed.rst")["details"]["complete"]), "when rastrum is killed, the log is completed")
found = ticks(events("killed.rst"))
ok(is_run(found) and found[0] == 0 and len(found) > 100, "with all events until then", len(found))
ok(until(lambda: os.path.exists(at("ran"))), "and the program runs on to its end")

# --- what it leaves ---------------------------------------------------------------------------------------------------

MEETING = f"/dev/shm/posix-trace-{os.getuid()}"


def left_by(run):
    return [name for name in os.listdir(MEETING) if f"-{run.pid}-" in name]


reader = subprocess.Popen([RASTRUM, "report", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
until(lambda: open(f"/proc/{reader.pid}/stat", encoding="utf-8").read().split()[2] == "S")
same(left_by(reader), [], "rastrum itself leaves nothing where processes meet")
reader.communicate()
target = ready([TICK, 100, 10000])
same(sorted(name[0] for name in left_by(target)), ["c", "n"], "unlike a program with trace points, while it runs")
ended(target)
same(left_by(target), [], "and no longer")

# --- --system --------------------------------------------------------------------------------------------------------

os.makedirs(at("there/bin"))
os.makedirs(at("there/lib/rastrum"))
shutil.copy(RASTRUM, at("there/bin/rastrum"))


def system(*words, preload=None):
    env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"} | ({"LD_PRELOAD": preload} if preload else {})
    # What is asked for comes in front of the address sanitizer, which wants to be first.
    env["ASAN_OPTIONS"] = "verify_asan_link_order=0:" + env.get("ASAN_OPTIONS", "")
    run = subprocess.run([at("there/bin/rastrum"), "record", "-q", "-o", at("log.rst"), "--system", "--", *words],
                         capture_output=True, text=True, check=False, env=env)
    return run.returncode, run.stdout, run.stderr


status, _, err = system("true")
ok(status == 5 and "librastrum-preload.so" in err, "--system without its libraries reports what is missing", status, err)
LIBRARIES = [compiled("int unused;", f"there/lib/rastrum/{name}", "-shared", "-fPIC")
             for name in ("librastrum-preload.so", "libposixtrace.so.0")]
SHOW = ("sh", "-c", "echo $LD_PRELOAD")
same(system(*SHOW), (0, ":".join(LIBRARIES) + "\n", ""), "--system loads its libraries first")
same(system(*SHOW, preload=LIBRARIES[1]), (0, ":".join([LIBRARIES[1], *LIBRARIES]) + "\n", ""),
     "behind those that were asked for before")
static = compiled("int main(void) { return 0; }", "static", "-static")
status, _, err = system(static)
ok(status == 2 and "linked statically" in err, "a program that is linked statically is refused", status, err)
with open(at("script"), "w", encoding="utf-8") as out:
    out.write(f"#! {static} -x\n")
os.chmod(at("script"), 0o755)
status, _, err = system(at("script"))
ok(status == 2 and "linked statically" in err, "and a script of one", status, err)
loader = compiled("int main(void) { return 0; }", "loader", "-Wl,--dynamic-linker=/lib/ld-other.so.1")
status, _, err = system(loader)
ok(status == 2 and "another loader" in err, "one with another loader, too", status, err)
own = compiled("int main(void) { return 0; }", "rights")
os.chmod(own, 0o4755)
same(system(own)[0], 0, "set-user-ID to the same user is no obstacle")
if os.getuid() == 0:
    os.chown(own, 65534, 65534)
    os.chmod(own, 0o4755)
    status, _, err = system(own)
    ok(status == 2 and "gets rights by being started" in err, "to another it is", status, err)
else:
    skip("to another it is", "only root can make such a file")

# An unchanged shell with the real libraries: the installed ones, not those of the build folder.
STORY = "sleep 0.01; (exit 4); echo $0 | cat; exit 3"


def told(name):
    return [row for row in events() if row["name"] == name]


if CHECKERS:
    skip("a program that was never changed keeps its output and status", "sanitizers must be loaded first")
else:
    shutil.rmtree(at("there"))
    made = make_install(FOLDER, at("there"), "")
    ok(made.returncode == 0, "Rastrum is installed", made.stderr)
    same(system("sh", "-c", STORY, "fine"), (3, "fine\n", ""), "a program that was never changed keeps its output and status")
    programs = [row["args"]["name"] for row in told("sys_program_begin")]
    same((programs[0], sorted(programs[1:])), ("sh", ["cat", "sleep"]), "its programs are reported")
    slept = told("sys_sleep_begin")
    ok(len(slept) == 1 and slept[0]["context"]["name"] == "sleep" and " sleeps for 10 ms (at " in slept[0]["text"],
       "and what they wait for", slept)
    same(len(told("sys_fork") + told("sys_vfork")), 4, "and their making")
    same({row["args"]["status"] for row in told("sys_process_exit")} >= {3, 4}, True, "and their end")
    waited = [row["text"] for row in told("sys_child_wait_end")]
    ok(waited and all(re.search(r"^sh goes on after [\d.]+ [mu]?s: process \d+ has ended$", text) for text in waited), "and for how long", *waited)
shutil.rmtree(FOLDER, ignore_errors=True)
sys.exit(done())
