#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions of `rastrum trace`: a program in the manner of IBM's manual, modes, filters, channels, and what ends a session."""
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, RASTRUM, done, ok, rastrum, same, skip  # noqa: E402

GOOD, USAGE, IO = 0, 2, 4
ROOT, TMP = os.getcwd(), tempfile.mkdtemp(prefix="rastrum-trace-")
os.chmod(TMP, 0o755)  # for the other user
SANITIZERS = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"]}.get(BUILD, [])
# "Examples of coding and formatting events" of AIX's guide has such a program and such a stanza.
LOOP = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/trcctl.h>
#include <sys/trcmacros.h>
#include <sys/trchkid.h>

int main(void)
{
	if (trcstart("-ad -o loop.rst")) {
		perror("trcstart");
		exit(1);
	}
	if (trcon(0)) {
		perror("trcon");
		exit(1);
	}
	for (int i = 1; i < 11; i++)
		TRCHKL1T(HKWD_USER1, i);
	TRCHKL2(HKWD_USER1 | 5, 7, -1);
	TRCHKL1(HKWD_USER1 | 6, 0x123456789ab);
	TRCHKL0(0x01300009);
	trcgent(0, 0x01100000, 7, 5, "hello");
	utrchook(0x01200000, 1, 2, 3, 4, 5);
	utrchook64(0x01210000, 1, 2, 3, 4, 5);
	if (trcoff(0)) {
		perror("trcoff");
		exit(1);
	}
	TRCHKL1(HKWD_USER1, 99);
	if (trcstop(0)) {
		perror("trcstop");
		exit(1);
	}
	return trcstop(0) != -1;
}
"""
STANZA = """* User event HKWD_USER1 Formatting Rules
010 1.0 L=APPL "USER EVENT - HKWD_USER1" O2.0 \\n \\
	"The # of loop iterations =" U4 \\n \\
	"The elapsed time of the last loop = " \\
	endtimer(0x010,0x010) starttimer(0x010,0x010)
"""
# So many hooks of each of some ids, and so many children with one.
APP = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/trcmacros.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, n_children = argc > 2 ? atoi(argv[2]) : 0;

	for (int i = 0; i < n_children; i++)
		if (fork() == 0) {
			TRCHKL1(0x01500000, i);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < n; i++) {
		TRCHKL1(0x01000000, i);
		TRCHKL2(0x01100000, i, n);
		TRCGEN(0, 0x01200000, i, 4, "abcd");
		TRCGEN(1, 0x01400000, i, 4, "efgh");
	}
	return 3;
}
"""
# Hooks that are rare before, in and after a flood of two others, which two threads record.
FLOOD = r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/trcmacros.h>

static int n;

static void *flood(void *second)
{
	for (int i = 0; i < n; i++)
		if (second)
			TRCGEN(0, 0x01200000, i, 8, "abcdefgh");
		else
			TRCHKL2(0x01000000, i, n);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	n = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < 5; i++)
		TRCHKL1(0x01500000, i);
	TRCGEN(0, 0x01700000, 1, 5, "early");
	for (int turn = 0; turn < 3; turn++) {
		pthread_create(&threads[0], NULL, flood, NULL);
		pthread_create(&threads[1], NULL, flood, argv);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		TRCHKL1(0x01600000, turn);
	}
	return 0;
}
"""


# Ten hooks after a line of input.
WAITER = r"""
#include <sys/trcmacros.h>
#include <unistd.h>

int main(void)
{
	char byte = 'r';

	if (write(1, &byte, 1) != 1 || read(0, &byte, 1) != 1)
		return 1;
	for (int i = 0; i < 10; i++)
		TRCHKL1(0x01000000, i);
	return 0;
}
"""


def has_counter():
    """Whether the kernel's clock is the counter that the recorder reads in its restartable sequence (kvm-clock is another)."""
    with open("/sys/devices/system/clocksource/clocksource0/current_clocksource", encoding="ascii") as file:
        return file.read().strip() == "tsc"


def compiled(name, text, compiler=("gcc", "-O1")):
    """A program with libaixtrace, as its users build one."""
    source, out, build = f"{TMP}/{name}.c", f"{TMP}/{name}", f"{ROOT}/build/{BUILD}"
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    run = subprocess.run([compiler[0], *SANITIZERS, *compiler[1:], "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{ROOT}/include", f"-I{ROOT}/include/aixtrace", source, "-o",
                          out, f"-L{build}", f"-Wl,-rpath,{build},--no-as-needed", "-laixtrace", "-lposixtrace"], capture_output=True, text=True, check=False)
    ok(run.returncode == 0, f"{name}.c compiles with the headers of AIX's names, {' '.join(compiler)}", *run.stderr.splitlines()[:10])
    return out


def call(*words, **how):
    env = dict(os.environ, RASTRUM=os.path.abspath(RASTRUM), HOME=TMP, XDG_CONFIG_HOME=f"{TMP}/config")
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd=TMP, timeout=120, env=env, stdin=subprocess.DEVNULL, **how)


def trace(*words, **how):
    return call(os.path.abspath(RASTRUM), *words, **how)


def events(name):
    run = rastrum("report", "-f", "jsonl", f"{TMP}/{name}")
    return [event for event in map(json.loads, run.lines) if "args" in event], run


def counts(name):
    """Hooks of a log, without the session's own."""
    found = {}
    for event in events(name)[0]:
        if event["name"] not in ("001", "002"):
            found[event["name"]] = found.get(event["name"], 0) + 1
    return found


def check_manual():
    program = compiled("loop", LOOP)
    run = call(program)
    ok(run.returncode == 0 and not run.stderr, "the manual's program starts a session, records, and ends it", run.returncode, run.stderr)
    got, report = events("loop.rst")
    same([e["name"] for e in got], ["001"] + ["010"] * 12 + ["013", "011", "012", "0121", "002"], "its log has each entry, and no other")
    ok(report.status == GOOD, "which reads without a complaint", report.err)
    fields = [e["args"] for e in got]
    same([f["d1"] for f in fields[1:11]], list(range(1, 11)), "data words are as they were given")
    same((fields[11]["data"], fields[11]["d1"], fields[11]["d2"], fields[11]["d5"]), (5, 7, 0xffffffff, 0), "two words are recorded as five")
    same(fields[12]["d1"], 0x123456789ab, "a value of more than 32 bits is not cut")
    same((fields[14]["d1"], fields[14]["bytes"]), (7, "68656c6c6f"), "a generic entry has its bytes")
    same({e["context"]["name"] for e in got[1:-1]}, {"loop"}, "entries are of the program")
    with open(f"{TMP}/stanza", "w", encoding="utf-8") as file:
        file.write(STANZA)
    text = rastrum("trcrpt", "-t", f"{TMP}/stanza", f"{TMP}/loop.rst").out
    ok("ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT" in text, "trcrpt reports it in AIX's columns", text[:400])
    ok("The # of loop iterations = 10\n" in text and "The elapsed time of the last loop = [" in text, "by the manual's stanza", text[:800])
    ok("channel 0 records from here" in text, "and the session's own entries by the stanzas that are built in", text[:400])


# The device, and whatever else programs open and control.
OTHERS = r"""
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/trcmacros.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int flags = argc > 5 ? O_WRONLY : O_RDONLY, device = open("/dev/systrctl", flags), n = -1, ends[2];
	int file = open(argv[1], O_CREAT | O_EXCL | O_RDWR, 0640);
	struct stat st;

	TRCHKL0(HKWD_USER1);
	if (device < 0 || ioctl(device, TRCON, 0) != -1 || errno != ENODEV)
		return 1;
	if (file < 0 || fstat(file, &st) || (st.st_mode & 0777) != 0640)
		return 2;
	if (ioctl(file, TRCON, 0) != -1 || errno != ENOTTY)
		return 3;
	if (open("/dev/systrctl/none", flags) != -1 || errno != ENOENT)
		return 4;
	if (pipe(ends) || write(ends[1], "four", 4) != 4 || ioctl(ends[0], FIONREAD, &n) || n != 4)
		return 5;
	return 0;
}
"""
FORTIFIED = ["-O2", "-D_FILE_OFFSET_BITS=64", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]


def check_command_line():
    """What trcstart() starts is shown as it was given."""
    shown = compiled("shown", '#include <sys/trcctl.h>\nint main(int n, char **v) { return n > 1 && (trcstart(v[1]) || trcstop(0)); }')
    for words in ("-a -o shown.rst", "-da -o shown.rst", "-o shown.rst"):
        same(call(shown, words).returncode, 0, f"trcstart(\"{words}\")")
        line = next(line for line in rastrum("trcrpt", "-q", f"{TMP}/shown.rst").lines if line.startswith("Session:"))
        ok(line.endswith(f"rastrum trace {words if 'a' in words.split()[0] else '-a ' + words}"), "has -a once in the report's heading", line)


def check_device():
    """AIX's programs open /dev/systrctl: whatever way a compiler and headers of libc call open() and ioctl()."""
    with open(f"{ROOT}/examples/aix/device.c", encoding="utf-8") as file:
        example = file.read()
    os.umask(0o022)
    for i, compiler in enumerate((["gcc", "-O0"], ["gcc", *FORTIFIED], ["g++", "-x", "c++", "-O2"], ["clang", "-Wno-unknown-warning-option", *FORTIFIED])):
        if not shutil.which(compiler[0]) or (BUILD == "asan" and compiler[0] == "clang"):
            skip(f"the device with {compiler[0]}", "it is not there, or has other sanitizers")
            continue
        run = call(compiled(f"device{i}", example, compiler), f"device{i}.rst")
        same((run.returncode, run.stderr), (0, ""), "a program controls a session through /dev/systrctl")
        same([e["args"]["d1"] for e in events(f"device{i}.rst")[0] if e["name"] == "010"], list(range(1, 11)), "which records what it has switched on")
        same(call(compiled(f"others{i}", OTHERS, compiler), f"file{i}").returncode, 0, "and other files, pipes and errors are as without")
    text = rastrum("trcrpt", "-t", "examples/aix/device.trcfmt", f"{TMP}/device0.rst").out
    ok("turn 10" in text and "the last one took" in text, "its templates say so", text[-400:])


def check_modes(app):
    run = trace("trace", "-x", f"{app} 10", "-o", "x.rst")
    same((run.returncode, run.stderr), (3, ""), "-x runs a program and has its exit status")
    same(counts("x.rst"), {"010": 10, "011": 10, "012": 10}, "and records its hooks of channel 0")
    trace("trace", "-x", f"{app} 10", "-j", "010,0110", "-o", "j.rst")
    same(counts("j.rst"), {"010": 10, "011": 10}, "-j records these hooks alone")
    trace("trace", "-x", f"{app} 80", "-j", "010", "-o", "errors.rst")
    with open(f"{TMP}/errors", "w", encoding="utf-8") as file:
        file.write('010 1.0 L=APPL "@" G4 E4\n')
    text = rastrum("trcrpt", "-t", f"{TMP}/errors", f"{TMP}/errors.rst").out
    ok("EREMCHG\n" in text and "ETIMEDOUT" not in text, "error numbers in a session's log are those of Linux", text[-300:])
    trace("trace", "-x", f"{app} 10", "-k", "010,011", "-o", "k.rst")
    same(counts("k.rst"), {"012": 10}, "-k records all but these")
    trace("trcevgrp", "-a", "-d", "hooks of the test", "-h", "010,011,012", "mine")
    trace("trace", "-x", f"{app} 10", "-J", "mine", "-o", "group.rst")
    same(counts("group.rst"), {"010": 10, "011": 10, "012": 10}, "-J takes a group")
    recorded = []
    for _ in range(12):
        trace("trace", "-x", f"{app} 1 3", "-o", "alone.rst")
        recorded.append(counts("alone.rst").get("015"))
    same(recorded, [None] * 12, "children are not recorded, however soon the program is begun")
    trace("trace", "-x", f"{app} 1 3", "-P", "p", "-o", "children.rst")
    same(counts("children.rst").get("015"), 3, "but with -P they are")
    trace("trace", "-x", f"{app} 20000", "-l", "-T", "64Ki", "-o", "ring.rst")
    last = [e["args"]["d1"] for e in events("ring.rst")[0] if e["name"] == "010"]
    ok(last and last[-1] == 19999 and len(last) < 20000, "-l keeps the newest entries", len(last), last[-3:])
    trace("trace", "-x", f"{app} 20000", "-f", "-T", "64Ki", "-o", "single.rst")
    first = [e["args"]["d1"] for e in events("single.rst")[0] if e["name"] == "010"]
    ok(first and first[0] == 0 and len(first) < 20000, "-f keeps the oldest", len(first))
    trace("trace", "-x", f"{app} 20000", "-L", "256Ki", "-T", "64Ki", "-o", "loop-log.rst")
    ok(os.path.getsize(f"{TMP}/loop-log.rst") < 1 << 20, "-L bounds the log", os.path.getsize(f"{TMP}/loop-log.rst"))


def session(*words, **how):
    """One in the foreground, which records when this returns; its end is that of its standard input."""
    env = dict(os.environ, RASTRUM=os.path.abspath(RASTRUM), HOME=TMP, XDG_CONFIG_HOME=f"{TMP}/config")
    process = subprocess.Popen([os.path.abspath(RASTRUM), "trace", *words], cwd=TMP, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, **how)
    until(lambda: process.poll() is not None or trace("trcon").returncode == GOOD)
    return process


def until(holds):
    for _ in range(600):
        if holds():
            return True
        time.sleep(0.05)
    return False


def check_targets(app):
    waiter = compiled("waiter", WAITER)
    known, other = (subprocess.Popen([waiter], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2))
    for process in (known, other):
        process.stdout.read(1)
    running = session("-A", str(known.pid), "-o", "pids.rst")
    for process in (known, other):
        process.communicate(b"x")
    running.communicate()
    got = [e for e in events("pids.rst")[0] if e["name"] == "010"]
    same({e["process"]["id"] for e in got}, {known.pid}, "-A records the process that was named, and no other")
    same((len(got), running.returncode), (10, GOOD), "from then on; the end of the input ends the session")
    run = trace("trace", "-a", "-A", "1", "-o", "init.rst")
    ok(run.returncode in (USAGE, IO) and "-A: cannot trace process '1'" in run.stderr, "one that may not be traced is refused", run.stderr)
    running = session("-X", f"{app} 4", "-P", "p", "-o", "lasting.rst")
    until(lambda: not any(name == "app" for name in children(running.pid)))
    same(running.poll(), None, "with -X the session goes on when its program has ended")
    same((trace("trcstop").returncode, running.wait(30)), (GOOD, 3), "until trcstop, and has the program's exit status")
    same(counts("lasting.rst"), {"010": 4, "011": 4, "012": 4}, "its log has the program's hooks")
    trace("trace", "-x", f"{app} 20000", "-L", "256Ki", "-T", "64Ki", "-s", "-o", "first.rst")
    first = [e["args"]["d1"] for e in events("first.rst")[0] if e["name"] == "010"]
    ok(first[:1] == [0] and len(first) < 20000, "-s: a full log keeps the oldest entries", len(first))


def children(pid):
    """The names of the programs that run as children of a process."""
    found = subprocess.run(["ps", "-o", "stat=,comm=", "--ppid", str(pid)], capture_output=True, text=True, check=False).stdout.splitlines()
    return [line.split()[1] for line in found if not line.startswith("Z")]


def ring(name, program, *words):
    run = trace("trace", "-x", f"{program} 100000", "-l", "-T", "64Ki", "-o", name, *words)
    same((run.returncode, run.stderr), (0, ""), f"a circular session {' '.join(words)} ends well")
    got, report = events(name)
    ok(report.status == GOOD, "its log reads without a complaint", report.err)
    return got


def check_rings():
    """Nothing here depends on time: what floods is decided by the bytes that it records."""
    program = compiled("flood", FLOOD)
    got = ring("rings.rst", program)
    names = [e["name"] for e in got]
    same({name: names.count(name) for name in ("015", "017", "016")}, {"015": 5, "017": 1, "016": 3}, "rare hooks survive a flood of two others")
    same([e["args"]["d1"] for e in got if e["name"] == "015"], list(range(5)), "with what they recorded")
    same(names[:7], ["001"] + ["015"] * 5 + ["017"], "before, ")
    same(sorted({e["args"]["d1"] for e in got if e["name"] == "003"}), [0x100, 0x120], "the hooks that flood are said to be common from there on")
    same(names.count("003"), 2, "once each")
    last = {name: max(e["args"]["d1"] for e in got if e["name"] == name) for name in ("010", "012")}
    ok(99999 in last.values(), "of them the newest entries are kept", last)
    off = got[-1]["args"]
    info = rastrum("info", f"{TMP}/rings.rst").out
    lost = int(re.search(r"loss +(\d+) events", info).group(1))
    same(lost + names.count("010") + names.count("012"), 600000, "every entry of the flood is in the log, or counted as lost")
    ok(0 < off["d1"] <= lost and off["d2"] == 0, "hook 002 has what was overwritten, by ring", off, lost)
    times = [e["ns"] for e in got]
    same(times, sorted(times), "entries of both rings are in order of time")
    cores = {e.get("core") for e in got if e["name"] in ("015", "016")}
    if has_counter():
        ok(None not in cores, "rare ones have their processor, too", cores)
    else:
        skip("rare ones have their processor, too", "the kernel's clock is not the time stamp counter, so no sequence knows its processor")

    got = ring("listed.rst", program, "--common", "010,012")
    names = [e["name"] for e in got]
    same((names.count("003"), names.count("015"), names.count("016")), (0, 5, 3), "--common lists hooks of the flood")
    got = ring("kept.rst", program, "--rare", "010,015", "--common", "012")
    names = [e["name"] for e in got]
    ok(names.count("003") == 0 and got[-1]["args"]["d2"] > 0, "a hook of --rare stays rare, whatever it does", got[-1]["args"])
    trace("trcevgrp", "-a", "-d", "hooks of the flood", "-h", "010,012", "common")
    names = [e["name"] for e in ring("group.rst", program)]
    same((names.count("003"), names.count("015")), (0, 5), "a group of the name common has the same meaning")
    trace("trcevgrp", "-r", "common")
    got = ring("some.rst", program, "-j", "010,015")
    same({e["name"] for e in got} - {"001", "002", "003"}, {"010", "015"}, "-j chooses of both")


def check_heading(app):
    """What a log says of its session."""
    for name, words, mode, hooks, line in (
            ("all.rst", ["-f"], "single", "all", "Tracing all hooks."),
            ("only.rst", ["-l", "-j", "010,0150"], "circular", "010,015", "Tracing only these hooks, 010,015"),
            ("but.rst", ["-k", "012"], "alternate", "all but 012", "Tracing all hooks but these, 012")):
        trace("trace", "-x", f"{app} 3", *words, "-o", name)
        text = " ".join(rastrum("info", f"{TMP}/{name}").out.split())
        ok(f"session mode {mode}, channels 0, hooks {hooks}" in text, f"info shows mode, channel and hooks of a session {' '.join(words)}", text[-300:])
        head = rastrum("trcrpt", f"{TMP}/{name}").lines
        same(head[5:6], [line], "and trcrpt its hooks")
        ok(head[4].startswith(f"Session: {mode}, channel 0; ") and f"trace -x {app} 3 {words[0]}"[:90] in head[4] and head[1].startswith("System: "),
           "and how it was called, where", head[:6])
    run = trace("trace", "-agk", "011", "-o", "channel.rst")
    call(app, "1")
    trace("trcstop", "1")
    ok("mode alternate, channels 1, hooks all but 011" in " ".join(rastrum("info", f"{TMP}/channel.rst").out.split()), "a channel is its own", run.stderr)
    run = trace("trace", "-x", f"{app} 3", "-m", "the third try", "-o", "all.rst", "-c")
    ok("trace_name the third try" in " ".join(rastrum("info", f"{TMP}/all.rst").out.split()), "-m is the name of the log", run.stderr)
    ok("session mode single" in " ".join(rastrum("info", f"{TMP}/all.rst.old").out.split()), "-c keeps the older one")


def check_channels(app):
    run = trace("trace", "-a", "-o", "system.rst")
    same((run.returncode, run.stdout, run.stderr), (GOOD, "", ""), "-a returns without a word")
    run = trace("trace", "-a", "-o", "second.rst")
    ok(run.returncode == IO and "session" in run.stderr and not os.path.exists(f"{TMP}/second.rst"), "a second session of channel 0 is refused", run.stderr)
    run = trace("trace", "-a", "-g", "-o", "generic.rst")
    same((run.returncode, run.stdout), (GOOD, "1\n"), "-g prints its channel")
    call(app, "5")
    same(trace("trcoff").returncode, GOOD, "trcoff lets it pause")
    call(app, "7")
    same(trace("trcon").returncode, GOOD, "trcon lets it go on")
    call(app, "2")
    same((trace("trcstop").returncode, trace("trcstop", "1").returncode), (GOOD, GOOD), "trcstop ends each")
    same(counts("system.rst"), {"010": 7, "011": 7, "012": 7}, "all processes were recorded, those of the pause were not")
    same(counts("generic.rst"), {"014": 14}, "and what was for channel 1 is in its log")
    same([e["name"] for e in events("system.rst")[0] if e["name"] in ("001", "002")], ["001", "002", "001", "002"], "the log says when it paused")
    run = trace("trcstop")
    ok(run.returncode == IO and "no session" in run.stderr, "there is none any more", run.stderr)


def is_good_log(name):
    """Complete, without damage, and each thread's entries in the order in which it recorded them."""
    got, report = events(name)
    numbers = {}
    for event in got:
        if event["name"] == "010":
            numbers.setdefault(event["context"]["id"], []).append(event["args"]["d1"])
    return report.status == GOOD and all(given == sorted(given) for given in numbers.values()) and got


def check_kills(app):
    """At instants that differ from run to run."""
    random.seed()
    waits = [random.random() * 0.05 for _ in range(5)]
    for i, wait in enumerate(waits):
        name = f"random{i}.rst"
        running = session("-o", name, stderr=subprocess.DEVNULL)
        program = subprocess.Popen([app, "30000"])
        time.sleep(wait)
        running.kill()
        running.wait()
        program.wait()
        ok(until(lambda: "complete             yes" in rastrum("info", f"{TMP}/{name}").out) and is_good_log(name),
           "a session killed at any instant leaves a complete log", wait)
    flood = f"{TMP}/flood"
    running = session("-l", "-T", "64Ki", "-o", "programs.rst")
    for wait in waits:
        program = subprocess.Popen([flood, "10000000"])
        time.sleep(wait)
        program.kill()
        program.wait()
    call(flood, "10")
    running.communicate()
    got = is_good_log("programs.rst")
    ok(got and [e["name"] for e in got].count("016") == 3 and got[-1]["name"] == "002", "and so do programs killed at any instant, for a ring in memory", waits)


def check_users(app):
    if os.geteuid() != 0:
        skip("two users", "root alone can be two users")
        return
    own = {"user": 65534, "group": 65534, "extra_groups": []}
    if call(app, "0", **own).returncode != 3:
        skip("two users", "the other user may not read the build")
        return
    os.makedirs(f"{TMP}/other")
    os.chown(f"{TMP}/other", 65534, 65534)
    same((trace("trace", "-a", "-o", "root.rst").returncode, trace("trace", "-a", "-o", "other/other.rst", **own).returncode), (GOOD, GOOD),
         "two users have a session each of the same channel")
    call(app, "3")
    call(app, "5", **own)
    same((trace("trcstop", **own).returncode, trace("trcstop", **own).returncode), (GOOD, IO), "each ends its own alone")
    same(trace("trcstop").returncode, GOOD, "the other goes on until its user ends it")
    same((counts("root.rst")["010"], counts("other/other.rst")["010"]), (3, 5), "and has the hooks of its user's programs alone")


def unaccepting(name):
    """A socket of this name at which no more connections find room, and what holds it so."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(name)
    listener.listen(0)
    kept, error = [listener], 0
    while error == 0:
        kept.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        kept[-1].setblocking(False)
        error = kept[-1].connect_ex(name)
    return kept


def squat(uid):
    """Another user takes the names that sessions of a user had when every user could: what is to be closed when it may end."""
    ready, end = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        kept = [unaccepting(f"\0rastrum-trace-{uid}-{os.stat('/dev/shm').st_dev:x}-{channel}") for channel in range(8)]
        os.write(ready[1], bytes([len(kept)]))
        os.close(end[1])
        os.read(end[0], 1)
        os._exit(0)
    os.close(ready[1])
    ok(os.read(ready[0], 1) == b"\x08", "another user takes names")
    return end[1]


def check_squatter(app):
    if os.geteuid() != 0:
        skip("a squatter", "root alone can be another user, too")
        return
    squatter = squat(0)
    same(call(app, "1").returncode, 3, "programs begin nevertheless")
    same([trace(word).returncode for word in ("trcon", "trcoff", "trcstop")], [IO] * 3, "there is no session, and no command waits for one")
    same(trace("trcevgrp", "-l").returncode, GOOD, "nor does trcevgrp")
    same(trace("trace", "-a", "-o", "squat.rst").returncode, GOOD, "a session begins")
    call(app, "3")
    same((trace("trcstop").returncode, counts("squat.rst").get("010")), (GOOD, 3), "records, and ends")
    os.close(squatter)
    os.wait()


def check_unanswered(app):
    """A session that takes no connections, or no requests, delays no program; commands say that it does not answer."""
    place = f"/dev/shm/posix-trace-{os.getuid()}/session-0"
    trace("trace", "-a", "-o", "stopped.rst")
    pid = int(subprocess.run(["pgrep", "-f", "trace -a -o stopped.rst"], capture_output=True, text=True, check=False).stdout.split()[0])
    os.kill(pid, signal.SIGSTOP)
    until(lambda: open(f"/proc/{pid}/stat", encoding="utf-8").read().split(")")[1].split()[0] == "T")
    same(call(app, "3").returncode, 3, "a program begins while the session's process is stopped")
    run = trace("trcon")
    ok(run.returncode == IO and "does not answer" in run.stderr and "kill -CONT" in run.stderr, "a request says so, and what to try", run.stderr)
    os.kill(pid, signal.SIGCONT)
    same(trace("trcstop").returncode, GOOD, "the session goes on, and ends")
    same(os.path.exists(place), False, "its socket is gone")

    kept = unaccepting(place)
    same(call(app, "3").returncode, 3, "a program begins while none accepts its connection")
    run = trace("trcstop")
    ok(run.returncode == IO and "does not answer" in run.stderr, "which trcstop says", run.stderr)
    run = trace("trace", "-a", "-o", "full.rst")
    ok(run.returncode == IO and "there is a session on channel 0" in run.stderr, "the channel is taken", run.stderr)
    for one in kept:
        one.close()
    same(trace("trcstop").returncode, IO, "a socket that a killed session left is no session")
    same((trace("trace", "-a", "-o", "full.rst").returncode, trace("trcstop").returncode), (GOOD, GOOD), "and the next one has its place")


def check_files(app):
    """The log of a session is what trcrpt reads, and -c replaces nothing but logs."""
    run = trace("trcrpt", "-q")
    ok(run.returncode == USAGE and "trcfile" in run.stderr, "trcrpt without a file says which log it looks for", run.stderr)
    trace("trace", "-a")
    trace("trcstop")
    run = trace("trcrpt")
    ok(run.returncode == GOOD and "record --sched --system" in run.stderr and len(run.stderr.splitlines()) == 1, "a session of which no program recorded a hook: what to try", run.stderr)
    trace("trace", "-a")
    call(app, "2")
    trace("trcstop")
    with open(f"{TMP}/who.trcfmt", "w", encoding="utf-8") as file:
        file.write('010 1.0 L=APPL "is of" $PID "," $TID\n')
    run = trace("trcrpt", "-h", "-d", "010", "-O", "pid=on,tid=on", "-t", "who.trcfmt")
    rows = [line.split() for line in run.stdout.splitlines()]
    ok(run.returncode == GOOD and not run.stderr and len(rows) == 2 and all(row[1] != "0" and row[1:3] == [row[-2].rstrip(","), row[-1].strip(",")] or
       row[1:3] == [row[-3], row[-1]] for row in rows), "trcrpt without a file reads the session's log; $PID and $TID are as in its columns", run.stdout, run.stderr)
    with open(f"{TMP}/trcfile.old", "w", encoding="utf-8") as file:
        file.write("precious")
    run = trace("trace", "-a", "-c")
    ok(run.returncode == USAGE and "trcfile.old" in run.stderr and "--force" in run.stderr and open(f"{TMP}/trcfile.old", encoding="utf-8").read() == "precious" and
       counts("trcfile").get("010") == 2, "-c does not replace a file that is no log", run.stderr)
    os.remove(f"{TMP}/trcfile.old")
    os.mkfifo(f"{TMP}/trcfile.old")
    same(trace("trace", "-a", "-c").returncode, USAGE, "nor does it wait for a pipe")
    os.remove(f"{TMP}/trcfile.old")
    for _ in range(2):
        same([trace("trace", "-a", "-c").returncode, trace("trcstop").returncode], [GOOD, GOOD], "but an older log")
    ok(counts("trcfile.old").get("010") is None, "which is the last one then")


# In a mount namespace: memory of its own for streams, and a disk that is full long before the session ends.
FULL = """mount -t tmpfs -o mode=1777,size=64m tmpfs /dev/shm && mkdir -p full && mount -t tmpfs -o size=256k tmpfs full || exit 99
"$1" trace -x "$2 25000" $3 -o full/log.rst
status=$?
cp full/log.rst "$4"
exit $status
"""


def check_disk(app):
    """A disk that fills while a session writes: hooks 010 to 012 of each turn take more than a hundred bytes."""
    for mode, words in (("alternate", ""), ("single", "-f -T 8Mi"), ("circular", "-l -T 8Mi")):
        name = f"full-{mode}.rst"
        run = call("unshare", "-rm", "sh", "-c", FULL, "sh", os.path.abspath(RASTRUM), app, words, name)
        if run.returncode in (1, 99) and not os.path.exists(f"{TMP}/{name}"):
            skip(f"a full disk, {mode}", "nothing can be mounted here")
            continue
        ok(run.returncode == IO and "No space left on device" in run.stderr and len(run.stderr.splitlines()) == 1,
           f"a disk that fills is an error of a session of mode {mode}, with the reason", run.returncode, run.stderr)
        got, report = events(name)
        first = [e["args"]["d1"] for e in got if e["name"] == "010"]
        ok(len(first) > 500 and "damage" not in report.err, "its log has what found room, without damage", len(first), report.err)
        if mode == "circular":
            ok("complete             no" in rastrum("info", f"{TMP}/{name}").out, "and says that more was to come")
            continue
        same(first, list(range(len(first))), "from the first entry on")
        lost = int(re.search(r"loss +(\d+) events", rastrum("info", f"{TMP}/{name}").out).group(1))
        ok(75000 <= lost + len(got) <= 75002, "and counts the others as lost", lost, len(got))


def check_ends(app):
    trace("trace", "-a", "-o", "killed.rst")
    call(app, "1000")
    time.sleep(1.5)
    pids = subprocess.run(["pgrep", "-f", "trace -a -o killed.rst"], capture_output=True, text=True, check=False).stdout.split()
    for pid in pids:
        os.kill(int(pid), signal.SIGKILL)
    time.sleep(1)
    names = [name for name in os.listdir(TMP) if name.startswith("killed.rst")]
    ok(len(names) == 1 and counts(names[0]).get("010") == 1000, "the log of a session that was killed has what came before", names)
    same(trace("trcstop").returncode, IO, "and its channel is free")
    check_kills(app)
    trace("trace", "-a", "-o", "gone.rst")
    call(app, "10")
    same(trace("trcstop", "-d").returncode, GOOD, "trcstop -d ends it")
    ok(counts("gone.rst").get("010", 0) == 0, "and throws entries away", counts("gone.rst"))
    run = trace("trace", "-a", "-o", "/dev/full")
    call(app, "10")
    run = trace("trcstop")
    ok(run.returncode == IO, "a full disk is an error of trcstop", run.returncode, run.stderr)


# Of the synopsis of IBM's page "trace Daemon" (7.1): what shows that a letter is refused, or None where a function above shows what it does.
LETTERS = {"a": None, "g": None, "f": None, "l": None, "c": None, "d": None, "j": None, "J": None, "k": None, "K": None, "m": None, "o": None, "s": None,
           "A": None, "x": None, "X": None, "P": None, "L": None, "T": None, "h": None,
           "b": ([], "memory"), "B": ([], "memory"), "C": (["all"], "processors"), "e": (["reset"], "components"), "I": ([], "interrupts"),
           "M": ([], "modules"), "n": ([], "symbols"), "p": ([], "processor"), "r": (["PURR"], "registers"), "t": (["1"], "threads"),
           "W": ([], "partitions"), "@": (["all"], "partitions")}


def check_letters(app):
    """Each letter of the original: what it does is shown here or above, or it is refused with a sentence that says why."""
    page, manual, source = trace("trace", "--help").stdout, open(f"{ROOT}/man/rastrum-trace.1", encoding="utf-8").read(), open(__file__, encoding="utf-8").read()
    for letter, refused in LETTERS.items():
        ok(re.search(rf"^  -{letter}, ", page, re.M) and re.search(rf"^\.It Fl {letter} ,", manual, re.M), f"-{letter} is in the help and in the manual")
        if refused:
            run = trace("trace", f"-{letter}", *refused[0], "-o", "refused.rst")
            ok(run.returncode == USAGE and run.stderr.startswith(f"rastrum: -{letter}: ") and refused[1] in run.stderr and len(run.stderr) > 50 and
               len(run.stderr.splitlines()) == 1, f"-{letter} is refused, with a sentence that says why", run.stderr)
        else:
            ok(re.search(rf'"-[a-z]*{letter}[a-z]*"', source), f"-{letter} is used by a test")
    same(set(re.findall(r"^  -(.), ", page, re.M)), set(LETTERS), "there are no other letters")
    same(trace("trace", "-h").returncode, GOOD, "-h prints the help")
    trace("trcevgrp", "-a", "-d", "hooks of the test", "-h", "010,011", "two")
    trace("trace", "-x", f"{app} 10", "-K", "two", "-o", "K.rst")
    same(counts("K.rst"), {"012": 10}, "-K records all but the hooks of a group")
    trace("trace", "-a", "-d", "-o", "delayed.rst")
    call(app, "5")
    trace("trcon")
    call(app, "7")
    trace("trcstop", "-s")
    same(counts("delayed.rst").get("010"), 7, "-d records from trcon on; trcstop -s ends it as without")
    with open(f"{TMP}/other.txt", "w", encoding="utf-8") as file:
        file.write("no log")
    run = trace("trace", "-x", f"{app} 1", "-o", "other.txt")
    ok(run.returncode != 3 and "force" in run.stderr, "a file that is no log is not overwritten", run.stderr)
    same(trace("trace", "-x", f"{app} 1", "-o", "other.txt", "--force").returncode, 3, "but with --force it is")


def check_subcommands(app):
    """A person's session, to standard output: `-o -`."""
    env = dict(os.environ, HOME=TMP, XDG_CONFIG_HOME=f"{TMP}/config")
    with open(f"{TMP}/stdout.rst", "wb") as log:
        lines = f"!{app} 5\ntrcon\n!{app} 7 >&2\ntrcoff\n!{app} 2\nq\n!{app} 3\n".encode()
        run = subprocess.run([os.path.abspath(RASTRUM), "trace", "-d", "-o", "-"], cwd=TMP, env=env, input=lines, stdout=log, stderr=subprocess.PIPE, timeout=120, check=False)
    same(run.returncode, GOOD, "a session is led by lines of its input")
    same(counts("stdout.rst").get("010"), 7, "! runs a command, trcon and trcoff frame it, q ends; -o - is standard output")
    run = subprocess.run([os.path.abspath(RASTRUM), "trace", "-d", "-o", "lines.rst"], cwd=TMP, env=env, input=b"?\nquit\n", capture_output=True, timeout=120, check=False)
    ok(run.returncode == GOOD and b"!COMMAND" in run.stdout, "? lists what can be said", run.stdout)


def check_refused():
    for words, what in ((["-j", "xyz"], "no hook"), (["-J", "nobody"], "no group"), (["-f", "-l"], "never"),
                        (["-T", "1Mi", "-L", "1Mi"], "half"), (["-s"], "-L"), (["-l", "-L", "1Mi"], "-T"), (["-g"], "background"),
                        (["-j", "010", "-k", "011"], "both"), (["-P", "x", "-A", "1"], "-P"), (["word"], "options"), (["--rare", "010"], "-l"), (["-l", "--common", "xyz"], "no hook")):
        run = trace("trace", *words, "-o", "refused.rst")
        ok(run.returncode == USAGE and what in run.stderr and len(run.stderr.splitlines()) == 1, f"trace {' '.join(words)} is refused with a reason", run.stderr)
    ok(not os.path.exists(f"{TMP}/refused.rst"), "and leaves no file")


try:
    check_manual()
    check_device()
    check_command_line()
    program = compiled("app", APP)
    check_modes(program)
    check_targets(program)
    check_rings()
    check_heading(program)
    check_channels(program)
    check_users(program)
    check_squatter(program)
    check_unanswered(program)
    check_files(program)
    check_disk(program)
    check_ends(program)
    check_letters(program)
    check_subcommands(program)
    check_refused()
finally:
    shutil.rmtree(TMP)
sys.exit(done())
