#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rastrum record --sched: the kernel's switches between the events of programs; what happens when it does not tell them."""
import ctypes
import json
import os
import platform
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, CHECKERS, RASTRUM, Faults, built, done, ok, rastrum, rastrum_as_nobody, same, skip  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="rastrum-sched-")
PATIENCE = 30
SWITCHES = {"sched_in", "sched_wait", "sched_preempt", "sched_exit"}

# threads N: a sleeper and a worker make N ticks each; the sleeper sleeps before each, the worker works.
THREADS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <trace.h>
#include <unistd.h>

static trace_event_id_t tick;
static unsigned n_ticks;

static void *sleeper(void *unused)
{
	pthread_setname_np(pthread_self(), "sleeper");
	for (unsigned i = 0; i < n_ticks; i++) {
		usleep(1000);
		posix_trace_event(tick, &i, sizeof i);
	}
	return unused;
}

static void *worker(void *unused)
{
	volatile unsigned work = 0;

	pthread_setname_np(pthread_self(), "worker");
	for (unsigned i = 0; i < n_ticks; i++) {
		for (unsigned k = 0; k < 300000; k++)
			work += k;
		posix_trace_event(tick, &i, sizeof i);
	}
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const what[])(void *) = { sleeper, worker };
	pthread_t threads[2];

	puts("ready");
	fflush(stdout);
	n_ticks = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	posix_trace_eventid_open("tick", &tick);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, what[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 3;
}
"""


def at(name):
    return os.path.join(FOLDER, name)


def compiled(source, name, *words):
    return built(source, at(name), *words)


def record(*words, log="log.rst", **how):
    return rastrum("record", "--sched", "-o", at(log), *words, **how)


def rows_of(name="log.rst"):
    """With losses, which have no name."""
    return [json.loads(line) for line in rastrum("report", "-f", "jsonl", at(name)).lines]


def events(name="log.rst"):
    return [row for row in rows_of(name) if "name" in row]


def facts(name="log.rst"):
    return json.loads(rastrum("info", "--json", at(name)).out)


def counts(rows):
    found = {}
    for row in rows:
        found[row.get("name")] = found.get(row.get("name"), 0) + 1
    return found


def until(holds):
    end = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


# --- what keeps it from being had ------------------------------------------------------------------------------------

FILTERS = {"x86_64": (0xC000003E, 298), "aarch64": (0xC00000B7, 241)}  # architecture as seccomp has it, perf_event_open


def without_perf(error):
    """For a child: system calls as they are, but perf_event_open() gives this error."""
    architecture, number = FILTERS[platform.machine()]
    code = b"".join(struct.pack("HBBI", *row) for row in (
        (0x20, 0, 0, 4), (0x15, 0, 3, architecture), (0x20, 0, 0, 0), (0x15, 0, 1, number),
        (0x06, 0, 0, 0x00050000 | error), (0x06, 0, 0, 0x7FFF0000)))
    buffer = ctypes.create_string_buffer(code)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer)))
    libc = ctypes.CDLL(None)

    def confine(_code=buffer):  # which the program only points to
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
            os._exit(99)
    return confine


def refused(error):
    run = subprocess.run([RASTRUM, "record", "--sched", "-o", at("refused.rst"), "--", "touch", at("ran")], capture_output=True,
                         text=True, check=False, preexec_fn=without_perf(error))
    return run.returncode, run.stderr


REFUSALS = {1: (4, "a filter of system calls"), 38: (5, "which there is not"), 13: (4, "a filter of system calls")}
if platform.machine() in FILTERS:
    for error, (status, what) in REFUSALS.items():
        got, err = refused(error)
        ok(got == status and what in err and err.count("\n") == 1, f"perf_event_open() with error {error} is reported in a sentence",
           got, err)
    same((os.path.exists(at("refused.rst")), os.path.exists(at("ran"))), (False, False), "then there is no log, and no program ran")
else:
    skip("perf_event_open() with an error is reported in a sentence", "no filter for this processor")

PARANOID = "/proc/sys/kernel/perf_event_paranoid"
with open(at("paranoid"), "w", encoding="utf-8") as out:
    out.write("3\n")
hidden = f"mount --bind {at('paranoid')} {PARANOID} && exec {os.path.abspath(RASTRUM)} record --sched -o {at('x.rst')} -- true"
if platform.machine() in FILTERS and subprocess.run(["unshare", "-m", "sh", "-c", f"mount --bind {at('paranoid')} {PARANOID}"],
                                                    capture_output=True, check=False).returncode == 0:
    run = subprocess.run(["unshare", "-m", "sh", "-c", hidden], capture_output=True, text=True, check=False,
                         preexec_fn=without_perf(13))
    ok(run.returncode == 4 and f"{PARANOID} is 3" in run.stderr and "sysctl kernel.perf_event_paranoid=2" in run.stderr,
       "which setting forbids it, and what would allow it, is reported", run.returncode, run.stderr)
else:
    skip("which setting forbids it, and what would allow it, is reported", "no file can be put over the setting")

# --- between the events of a program ---------------------------------------------------------------------------------

# toucher N: N pages, each for the first time; then time for the consumer to find its modules.
TOUCH = r"""
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <trace.h>
#include <unistd.h>

__attribute__((noinline, no_sanitize("address", "undefined", "thread"))) static void touch(volatile char *at, int n, long page)
{
	for (int i = 0; i < n; i++)
		at[i * page] = 1;
}

int main(int argc, char **argv)
{
	const long page = sysconf(_SC_PAGESIZE);
	const int n = atoi(argv[1]);
	char *memory = mmap(NULL, (size_t)(n * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, NULL, 0);
	madvise(memory, (size_t)(n * page), MADV_NOHUGEPAGE);
	touch(memory, n, page);
	usleep(300000);
	return argc != 2;
}
"""
TOUCHER = compiled(TOUCH, "toucher", *CHECKERS, "-pthread", "-x", "none", f"build/{BUILD}/libposixtrace.a")
PROGRAM = compiled(THREADS, "threads", *CHECKERS, "-pthread", "-x", "none", f"build/{BUILD}/libposixtrace.a")
result = record("--", PROGRAM, 200)
if result.status in (4, 5) and "--sched" in result.err:
    skip("the kernel's switches are recorded", result.err.strip().replace("#", ""))
    sys.exit(done())
rows = events()
same((result.status, result.out, facts()["details"]["complete"]), (3, "ready\n", True), "a program runs as it does without")
found = counts(rows)
ok(found.get("tick") == 400 and found.get("sched_wait", 0) > 200 and found.get("sched_exit", 0) >= 3,
   "its events are there, and switches of its threads", found)
out_of_order = [row["seq"] for before, row in zip(rows, rows[1:]) if row["ns"] < before["ns"]]
same(out_of_order, [], "all in order of time")


def walk(rows, has_beginnings=True):
    """What contradicts who runs where, as the switches tell it, and how often each thread waits. Of a thread that was never
    switched it is known that it does not run if has_beginnings, but for the first: a program waits in a pipe to be started, and
    on a busy machine it may still be on its way there. Behind a gap nothing is known of a thread up to its next switch. A gap
    may be on any processor, and it began behind the last switch there."""
    places, faults, waits = {}, Faults(), {}  # places: of a thread its processor, None while it is away
    if has_beginnings:
        places.update((row["context"]["id"], "unknown") for row in [row for row in rows if row.get("name") in SWITCHES][:1])
    n_sure = {row["core"]: 0 for row in rows if row.get("name") in SWITCHES}  # faults up to the last switch of a processor
    for row in rows:
        if "name" not in row:
            del faults[min(n_sure.values(), default=0):]
            places.clear()
            has_beginnings = False
            continue
        thread, name = row["context"]["id"], row["name"]
        place = places.get(thread, None if has_beginnings else "unknown")
        if name == "sched_in":
            if place not in (None, "unknown"):
                faults.append(f"{row['seq']}: {row['context']['name']} comes, and runs already")
            if row["core"] in places.values():
                faults.append(f"{row['seq']}: processor {row['core']} has a thread already")
            places[thread] = row["core"]
        elif name in SWITCHES:
            if place not in (row["core"], "unknown"):
                faults.append(f"{row['seq']}: {row['context']['name']} leaves processor {row['core']}, and is at {place}")
            places[thread] = None
            waits[thread] = waits.get(thread, 0) + (name == "sched_wait")
        elif name == "tick" and place != "unknown":
            if place is None:
                faults.append(f"{row['seq']}: {row['context']['name']} ticks, and does not run")
            elif row["core"] not in (None, place):
                faults.append(f"{row['seq']}: {row['context']['name']} ticks on another processor")
        if name in SWITCHES:
            n_sure[row["core"]] = len(faults)
    return faults, waits


faults, waits = walk(rows_of())
same(faults[:5], [], "threads come and go in turn, one on a processor, and make their events while they run")
named = {row["context"]["name"]: row["context"]["id"] for row in rows if row["name"] in SWITCHES}
ok({"sleeper", "worker"} <= {name.split(" ")[0] for name in named}, "threads have their names", named)
sleeper = next((row["context"]["id"] for row in rows if row["context"]["name"].startswith("sleeper")), None)
away, times = 0, 0
for row in rows:
    if row["context"]["id"] == sleeper:
        away += row["name"] == "sched_wait"
        if row["name"] == "tick":
            times, away = times + (away > 0), 0
same(times, 200, "a thread that sleeps has waited before each of its events")
text = rastrum("report", "--type", "sched_*", at("log.rst")).out
ok(" waits, and leaves processor" in text and " runs on processor " in text and " ends on processor " in text,
   "switches read as sentences", text[:400])
ok(all(facts()["counts"].get(name) == found.get(name) for name in SWITCHES), "info counts them", facts()["counts"])

record("--", "sh", "-c", "sleep 0.05; true | cat")
names = {(row["context"]["name"], row["name"]) for row in events() if row["name"] in SWITCHES}
ok({("sleep", "sched_wait"), ("sleep", "sched_exit"), ("cat", "sched_exit")} <= names,
   "programs without trace points, and those that they start, are known by name", sorted(names))

rastrum("record", "--faults", "-o", at("log.rst"), "--", TOUCHER, 40)
hooks = [line for line in rastrum("trcrpt", "-d", "100", at("log.rst")).lines if "LR = touch" in line]
touched = sorted(int(line.split("address=")[1].split()[0], 16) for line in hooks)
same(len(touched), 40, "page faults: each page that a program touches is one, at the instruction")
ok(all(b - a == os.sysconf("SC_PAGESIZE") for a, b in zip(touched, touched[1:])), "with the address that was missing", *map(hex, touched))
ok(any(row["name"] == "sched_in" for row in events()), "and switches are there, too")

record("--", "nice", "-n", "5", "sleep", "0.3")
priorities = {row["prio"] for row in events() if row["name"] in SWITCHES and row["context"]["name"] == "sleep"}
same(priorities, {120 + min(os.nice(0) + 5, 19)}, "threads have priorities, as the kernel counts them")
dispatched = [line for line in rastrum("trcrpt", at("log.rst")).lines if "dispatch: cmd='sleep'" in line]
ok(dispatched and all(f"priority={max(priorities)} " in line for line in dispatched), "which trcrpt shows as $PRI", *dispatched)

record("--filter", "tick,!sched_preempt", "--", PROGRAM, 20)
found = counts(events())
ok(found["tick"] == 40 and found["sched_wait"] > 20 and "sched_preempt" not in found,
   "--filter need not name them, and may leave them out", found)
record("--filter", "!posix_trace_start,!posix_trace_stop", "--", PROGRAM, 20)
found = counts(events())
ok(found["sched_wait"] > 20 and "posix_trace_start" not in found, "they are there when the start of the stream is filtered out",
   found)
record("--log-size", "32Ki", "--", PROGRAM, 2000)
rows = events()
ok(rows and facts()["loss"]["events"] > 0 and "sched_in" in counts(rows) and rows[-1]["ns"] - rows[1]["ns"] > 0,
   "they count for a log that keeps the newest", facts()["loss"])

# --- a process that runs ---------------------------------------------------------------------------------------------

target = subprocess.Popen([PROGRAM, "3000"], stdout=subprocess.PIPE)
target.stdout.readline()
time.sleep(0.2)
result = record("--pid", target.pid, "--duration", "0.5")
rows = events()
ok(result.status == 0 and len(counts(rows)) > 3, "a process that runs is attached to", result.err)
same({row["context"]["name"].split(" ")[0] for row in rows if row["name"] == "sched_wait"} >= {"sleeper"}, True, "all its threads are known")
faults, waits = walk(rows_of(), has_beginnings=False)
same(faults[:5], [], "whose switches are reported once each")
target.kill()
target.communicate()

# --- flight recorders ------------------------------------------------------------------------------------------------

run = subprocess.Popen([RASTRUM, "record", "--sched", "--ring", "1Mi", "--snapshot-on", "USR1,EXIT", "-o", at("flight.rst"), "--",
                        PROGRAM, "1500"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
run.stdout.readline()
time.sleep(0.7)
run.send_signal(signal.SIGUSR1)
until(lambda: os.path.exists(at("flight-1.rst")))
run.communicate(timeout=PATIENCE)
for number, what in ((1, "a snapshot has the switches between the events"), (2, "the last one, too")):
    rows = rows_of(f"flight-{number}.rst")
    faults, _ = walk(rows)
    ok(counts(rows).get("sched_wait", 0) > 100 and not faults and rows == sorted(rows, key=lambda row: row["ns"]), what, faults[:5],
       counts(rows))
    same([row for row in rows if "lost" in row], [], "and none is missing, up to its end")

# --- meanwhile, and without rastrum ----------------------------------------------------------------------------------

run = subprocess.Popen([RASTRUM, "record", "--sched", "-o", at("killed.rst"), "--", PROGRAM, "4000"], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, start_new_session=True)
run.stdout.readline()
until(lambda: os.path.exists(at("killed.rst")))
follow = subprocess.Popen([RASTRUM, "report", "--follow", "--type", "sched_wait", at("killed.rst")], stdout=subprocess.PIPE)
killer = threading.Timer(PATIENCE, follow.kill)
killer.start()
line = follow.stdout.readline().decode()
ok(" waits" in line and run.poll() is None, "report --follow shows switches while the program runs", line)
for _ in range(100):  # however busy the machine is
    follow.stdout.readline()
killer.cancel()
follow.kill()
follow.communicate()
run.kill()
ok(until(lambda: facts("killed.rst")["details"]["complete"]), "when rastrum is killed, the log is completed")
run.stdout.close()
run.stderr.close()
faults, _ = walk(rows_of("killed.rst"))
ok(not faults and counts(events("killed.rst")).get("sched_wait", 0) > 50, "with the switches until then", faults[:5],
   counts(events("killed.rst")))

# --- without rights --------------------------------------------------------------------------------------------------

if os.getuid() == 0:
    with open(PARANOID, encoding="utf-8") as file:
        level = int(file.read())
    result = rastrum_as_nobody(FOLDER, "record", "--sched", "-o", at("nobody.rst"), "--", PROGRAM, 50)
    if level > 2:
        ok(result.status == 4 and PARANOID in result.err, "a user that is not root is refused, as the kernel's setting demands", result.err)
    else:
        ok(result.status == 3 and not walk(rows_of("nobody.rst"))[0], "a user that is not root may record a program, too", result.err)
else:
    skip("a user that is not root may record a program, too", "the tests above were run by one")
shutil.rmtree(FOLDER)
sys.exit(done())
