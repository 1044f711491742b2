#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recording where something is in the way: a full /dev/shm, name spaces, other users, files that others change."""
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
from tap import BUILD, RASTRUM, Result, built, done, ok, rastrum, same, skip, slurp, wait_until  # noqa: E402

SANITIZERS = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"]}.get(BUILD, [])
# The checker of leaks needs /proc, which some of these programs have not; python is built without a checker.
os.environ["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"
FOLDER = tempfile.mkdtemp(prefix="rastrum-guard-")
PROGRAM = os.path.abspath(RASTRUM)
PATIENCE = 60
NO_BOX = "no mount name space of its own is to be had here"

# What a program that is recorded does, by its argument.
ACTOR = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <trace_point_np.h>
#include <unistd.h>

static void put(const char *name, int n)
{
	trace_event_id_t id;

	posix_trace_eventid_open(name, &id);
	for (int i = 0; i < n; i++)
		posix_trace_event(id, &i, sizeof i);
}

/* Types with fields, as many as are wanted. */
static void many(int n)
{
	for (int i = 0; i < n; i++) {
		struct posix_trace_field_np fields[32];
		char name[64], names[32][32];
		trace_event_id_t id;

		snprintf(name, sizeof name, "type_%d", i);
		posix_trace_eventid_open(name, &id);
		for (int f = 0; f < 32; f++) {
			snprintf(names[f], sizeof names[f], "field_%d", f);
			fields[f] = (struct posix_trace_field_np){ names[f], POSIX_TRACE_SIGNED_NP, 4 };
		}
		posix_trace_eventid_describe_np(id, fields, 32);
		posix_trace_event(id, fields, 128);
	}
}

static void fill(void)
{
	if (system("cat /dev/zero > /dev/shm/fill 2>/dev/null") == 0)
		exit(9);
}

static void in_child(const char *name, int n)
{
	if (fork() == 0) {
		put(name, n);
		exit(0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "many") == 0) {
		many(500);
	} else if (strcmp(what, "fill") == 0) {
		put("begun", 1);
		fill();
		many(500);
	} else if (strcmp(what, "wait") == 0) { /* for a line from outside */
		put("begun", 1);
		puts("ready");
		fflush(stdout);
		getchar();
		many(500);
	} else if (strcmp(what, "put") == 0) {
		put(argv[2], atoi(argv[3]));
	} else if (strcmp(what, "fork") == 0) {
		put("parent", 10);
		in_child("child", 100);
	} else if (strcmp(what, "chroot") == 0) {
		if (chroot(argv[2]) != 0 || chdir("/") != 0)
			return 8;
		put("parent", 10);
		in_child("child", 100);
	} else if (strcmp(what, "log") == 0) { /* traces itself */
		trace_id_t trid;
		int fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
		int error = posix_trace_create_withlog(0, NULL, fd, &trid);

		printf("%d\n", error);
		return error != 0 || posix_trace_shutdown(trid) != 0;
	} else if (strcmp(what, "sleep") == 0) {
		put("begun", 10);
		puts("ready");
		fflush(stdout);
		getchar();
		put("ended", 10);
	}
	return 0;
}
"""


def at(name):
    return os.path.join(FOLDER, name)


def boxed(script, size="16m", **how):
    """Runs a script of sh with a /dev/shm of its own, of that size, in FOLDER."""
    inside = f"mount -t tmpfs -o mode=1777,size={size} tmpfs /dev/shm && cd {FOLDER} && rm -f there || exit 99; {script}"
    return Result(subprocess.run(["unshare", "-m", "sh", "-c", inside], capture_output=True, timeout=PATIENCE,
                                 check=False, **how))


def counts(log):
    """Of a log: how many events of each type there are."""
    rows = rastrum("report", "-f", "jsonl", at(log)).lines
    names = [json.loads(row).get("name", "") for row in rows]
    return {name: names.count(name) for name in set(names)}


def end_of(log):
    return json.loads(rastrum("info", "--json", at(log)).out)["details"]["end"]


# --- a full /dev/shm -------------------------------------------------------------------------------------------------

FILL = "cat /dev/zero > /dev/shm/fill 2>/dev/null"


def check_full():
    run = boxed(f"{FILL}; {at('actor')} many")
    same((run.status, run.err), (0, ""), "a program that opens types while /dev/shm is full lives")
    run = boxed(f"{at('actor')} fill")
    same((run.status, run.err), (0, ""), "also where /dev/shm becomes full while it runs")
    run = boxed(f"{PROGRAM} record -o full.rst -- {at('actor')} fill")
    named = [name for name in counts("full.rst") if name.startswith("type_")]
    same((run.status, len(named)), (0, 500), "what is recorded has room for its names before it begins")
    run = boxed(f"{FILL}; {PROGRAM} record -o none.rst -- {at('actor')} many")
    ok(run.status == 4 and "not enough memory" in run.err, "a recording that finds no room is refused", run.err)


def check_full_attached():
    """A program that has a map of its own already, which is sparse."""
    run = boxed(f"""{at('actor')} wait < go > there & exec 3> go
        until [ -s there ]; do sleep 0.01; done
        {PROGRAM} record -o attached.rst --pid $! 3>&- & recorder=$!
        until [ -s attached.rst ]; do sleep 0.01; done
        {FILL}; exec 3>&-; wait $recorder; echo $?""")
    found, end = counts("attached.rst"), end_of("attached.rst")
    n_named = sum(found[name] for name in found if name.startswith("type_"))
    n_unnamed = found.get("POSIX_TRACE_UNNAMED_USEREVENT", 0)
    ok(run.out.endswith("0\n") and n_unnamed > 0 and n_named + n_unnamed == 500,
       "events whose types found no room for their names are recorded without", run.status, run.err, found)
    ok(end.get("unnamed", 0) >= n_unnamed and found.get("POSIX_TRACE_ERROR") == 1,
       "the log says so, at its end and in an event of the trace system's own", end)
    ok(re.search(r"; \d+ types of events had no room", run.err), "and so does the recorder", run.err)


def check_full_system():
    if BUILD == "tsan":
        skip(BOXED[check_full_system], "the thread sanitizer must be loaded first")
        return
    run = boxed(f"""{PROGRAM} record --system -o system.rst -- {sys.executable} -c '
import os, threading
try:
    with open("/dev/shm/fill", "wb", buffering=0) as file:
        while file.write(bytes(4096)) == 4096:
            pass
except OSError:
    pass
threads = [threading.Thread(target=os.getpid) for _ in range(5)]
[t.start() for t in threads], [t.join() for t in threads]
os.spawnvp(os.P_WAIT, "true", ["true"])'""")
    ok(run.status == 0 and "no trace point" not in run.err,
       "with --system, a program that was never changed lives when /dev/shm becomes full", run.status, run.err)


# --- where no page can be made ----------------------------------------------------------------------------------------

def check_children():
    os.makedirs(at("empty"), exist_ok=True)
    run = boxed(f"{PROGRAM} record -o chroot.rst -- {at('actor')} chroot {at('empty')}")
    found = counts("chroot.rst")
    same((run.status, found.get("parent"), found.get("child")), (0, 10, 100),
         "a child that is forked where there is neither /proc nor /dev/shm is recorded")
    run = boxed(f"{PROGRAM} record -o shm.rst -- sh -c '{FILL}; {at('actor')} fork'")
    found = counts("shm.rst")
    same((run.status, found.get("parent"), found.get("child")), (0, 10, 100),
         "a program that begins while /dev/shm is full is recorded, and so are its children")


def check_pid_space():
    for words, what in (("", "another one's /proc"), ("--mount-proc ", "its own /proc")):
        run = boxed(f"{PROGRAM} record -o space.rst -- unshare -pf {words}sh -c '{at('actor')} fork; {at('actor')} put again 5'")
        found = counts("space.rst")
        same((run.status, found.get("parent"), found.get("child"), found.get("again")), (0, 10, 100, 5),
             f"programs of a pid name space that has {what} are recorded, and so are their children")


# --- what others do to the log, and to its consumer ---------------------------------------------------------------------

def recorded(meanwhile, *words, how="sleep"):
    """A recording of the actor, and what is done to it (a function of its process) before the actor goes on."""
    run = subprocess.Popen([PROGRAM, "record", *words, "-o", at("log.rst"), "--", at("actor"), how], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout.readline()
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not (os.path.exists(at("log.rst")) and os.path.getsize(at("log.rst")) > 1500):
        time.sleep(0.01)
    meanwhile(run)
    return run


def ended(run):
    out, err = run.communicate(b"\n", timeout=PATIENCE)
    for name in os.listdir(FOLDER):
        if name.startswith(("log.rst", "moved.rst")):
            os.unlink(at(name))
    return run.returncode, err.decode()


def overwrite(_run):
    with open(at("log.rst"), "r+b") as file:
        file.write(bytes(100))


def check_log():
    for what, meanwhile, status, sentence in (
            ("cut", lambda _: os.truncate(at("log.rst"), 0), 4, "changed or cut the file"),
            ("overwritten", overwrite, 4, "changed or cut the file"),
            ("removed", lambda _: os.unlink(at("log.rst")), 4, "the log is lost"),
            ("renamed", lambda _: os.rename(at("log.rst"), at("moved.rst")), 0, "has another name now"),
            ("left alone", lambda _: None, 0, " events, ")):
        got = ended(recorded(meanwhile))
        ok(got[0] == status and sentence in got[1] and "no trace point" not in got[1],
           f"a log that is {what} while it is recorded: {sentence}", *got)


def consumers_of_log():
    """A log begins as a file without a name, so that its descriptor is known by the file and not by its link."""
    def is_of_log(pid):
        try:
            return os.path.samefile(f"/proc/{pid}/fd/5", at("log.rst"))
        except OSError:
            return False
    with os.popen("ps -eo pid=,comm=,args=") as rows:
        return [int(row.split()[0]) for row in rows if "posix-trace-con" in row and is_of_log(row.split()[0])]


def check_consumer():
    """A consumer that is stopped, as by a debugger, must not keep its recorder."""
    for number in (signal.SIGINT, signal.SIGTERM):
        consumers = []

        def stop(_run):
            consumers.extend(consumers_of_log())
            for consumer in consumers:
                os.kill(consumer, signal.SIGSTOP)

        run = recorded(stop)
        run.stdin.close()
        time.sleep(0.5)
        waits = run.poll() is None
        run.send_signal(number)
        try:
            status = run.wait(20)
        except subprocess.TimeoutExpired:
            run.kill()
            status = None
        err = run.stderr.read().decode()
        for consumer in consumers:
            os.kill(consumer, signal.SIGCONT)
        ok(consumers and waits and status == 4 and "does not answer" in err,
           f"{number.name} ends a recorder whose consumer was stopped", consumers, waits, status, err)
        end, is_whole = time.monotonic() + PATIENCE, False
        while not is_whole and time.monotonic() < end:
            time.sleep(0.05)
            info = rastrum("info", "--json", at("log.rst"))
            is_whole = info.status == 0 and json.loads(info.out)["details"]["complete"]
        ok(is_whole, "a consumer that goes on then completes the log")
        os.unlink(at("log.rst"))


def has_pending(pid, number):
    """Whether a signal waits until the process reads it."""
    pending = re.search(r"^ShdPnd:\s*(\w+)", slurp(f"/proc/{pid}/status").decode(), re.M)[1]
    return int(pending, 16) >> number - 1 & 1


def stopped_before_end(run):
    """Stops the consumers; whether the recorder then still waits for them."""
    consumers = consumers_of_log()
    for consumer in consumers:
        os.kill(consumer, signal.SIGSTOP)
    return consumers if b"waiting for the log's consumer" in run.stderr.readline() else []


def check_end_of_both():
    """The program ends while the recorder waits for the consumer, and so the recorder reads SIGCHLD there."""
    for seconds in (1, 4, 16):  # a slow machine needs more until the log is there
        consumers = []
        run = recorded(lambda run: consumers.extend(stopped_before_end(run)), "--duration", str(seconds))
        if consumers:
            break
        ended(run)
    actor = int(slurp(f"/proc/{run.pid}/task/{run.pid}/children").split()[0])
    run.stdin.close()
    wait_until(lambda: b"State:\tZ" in slurp(f"/proc/{actor}/status") and not has_pending(run.pid, signal.SIGCHLD), run)
    for consumer in consumers:
        os.kill(consumer, signal.SIGCONT)
    try:
        status = run.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        run.kill()
        status = None
    same(status, 0, "a program may end while the recorder waits for its log, after --duration")
    os.unlink(at("log.rst"))


def check_limits():
    run = subprocess.run(["sh", "-c", f"ulimit -f 2000; exec {PROGRAM} record -o {at('small.rst')} -- true"], capture_output=True,
                         text=True, timeout=PATIENCE, check=False)
    ok(run.returncode == 4 and "`ulimit -f`" in run.stderr and "memory" in run.stderr,
       "a limit on files that is below the stream's size is named", run.stderr)
    old = os.umask(0o002)
    rastrum("record", "-o", at("mine.rst"), "--", "true")
    same(f"{os.stat(at('mine.rst')).st_mode & 0o777:o}", "600", "a log is for its user alone")
    os.chmod(at("mine.rst"), 0o644)
    rastrum("record", "-o", at("mine.rst"), "--", "true")
    same(f"{os.stat(at('mine.rst')).st_mode & 0o777:o}", "644", "one in the place of another one may be read by the same users")
    rastrum("record", "--ring", "64k", "-o", at("mine.rst"), "--", "true")
    same(f"{os.stat(at('mine-1.rst')).st_mode & 0o777:o}", "600", "so is a snapshot")
    os.umask(old)


# --- other users ------------------------------------------------------------------------------------------------------

def check_planted_consumer():
    """Another user's program of the consumer's name, where every user may put one."""
    if os.getuid() != 0:
        skip("a consumer beside the program is not started where others may put it", "not root")
        return
    folder, trap = at("public"), at("trapped")
    os.makedirs(folder, exist_ok=True)
    program, consumer = os.path.join(folder, "actor"), os.path.join(folder, "posix-trace-consumer")
    shutil.copy(at("actor"), program)
    for plant, mode, is_run in ((f"#!/bin/sh\ntouch {trap}\n", 0o1777, False), (None, 0o1777, False), (None, 0o755, True)):
        if plant:
            with open(consumer, "w", encoding="utf-8") as file:
                file.write(plant)
            os.chmod(consumer, 0o755)
            os.chown(consumer, 65534, 65534)
        else:
            os.unlink(consumer)
            shutil.copy(os.environ["POSIX_TRACE_CONSUMER"], consumer)
        os.chmod(folder, mode)
        env = {name: value for name, value in os.environ.items() if name != "POSIX_TRACE_CONSUMER"}
        run = subprocess.run([program, "log", at("own.rst")], capture_output=True, text=True, timeout=PATIENCE, check=False, env=env)
        ok((run.stdout == "0\n") == is_run and not os.path.exists(trap),
           f"a consumer beside the program is {'' if is_run else 'not '}started: "
           f"{'another user' if plant else 'root'}'s, in a folder of mode {mode:o}", run.stdout, run.stderr)


def check_squatted():
    """Another user has the names of users' folders in /dev/shm, and fills that of its own with what look like rings."""
    if os.getuid() != 0:
        skip("other users cannot block recordings", "not root")
        return
    os.makedirs(at("nobodys"), exist_ok=True)
    os.chown(at("nobodys"), 65534, 65534)
    become = "setpriv --reuid {0} --regid {0} --clear-groups"
    nobody, other = become.format(65534), become.format(64321)
    run = boxed(f"""
        {other} mkdir -m 700 /dev/shm/posix-trace-65534; {other} ln -s / /dev/shm/posix-trace-0
        {PROGRAM} record -o roots.rst -- {at("actor")} put root 3
        {nobody} {PROGRAM} record -o nobodys/own.rst -- {at("actor")} put own 4
        {nobody} {at("actor")} wait < go > there & exec 3> go
        until [ -s there ]; do sleep 0.01; done
        {PROGRAM} record -o by_root.rst --pid $! 3>&- & recorder=$!
        until [ -s by_root.rst ]; do sleep 0.01; done
        exec 3>&-; wait $recorder; rm there""")
    found = [counts(log) for log in ("roots.rst", "nobodys/own.rst", "by_root.rst")]
    same((run.status, found[0].get("root"), found[1].get("own"), found[2].get("type_499")), (0, 3, 4, 1),
         "taking the names of users' folders blocks neither them nor root")
    run = boxed(f"""
        {nobody} {at("actor")} wait < go > there & exec 3> go; target=$!
        until [ -s there ]; do sleep 0.01; done
        cd /dev/shm/posix-trace-65534
        page=$(ls | grep ^c | cut -c2-)
        for i in $(seq 80); do {nobody} touch r${{page%-0}}-$i; done; cd {FOLDER}
        {PROGRAM} record -o by_root.rst --pid $target --duration 0.2 3>&-; echo $?
        {nobody} {PROGRAM} record -o nobodys/own.rst --pid $target --duration 0.2 3>&-; echo $?
        exec 3>&-; wait""")
    same(run.out.split(), ["0", "4"], "files that look like rings are a limit for their user, not for root")
    ok("too many streams" in run.err, "which is reported", run.err)


def check_folder():
    run = boxed(f"mkdir -m 755 /dev/shm/posix-trace-{os.getuid()}; {PROGRAM} record -o none.rst -- true")
    ok(run.status == 4 and f"posix-trace-{os.getuid()}" in run.err and "`chmod 700`" in run.err,
       "a folder of the user's own that others may enter is reported, with what to do", run.err)


def check_dead_space():
    """All processes of a pid name space end at once: nothing is left that would be cleaned up by them."""
    run = boxed(f"""
        for i in 1 2 3; do
            unshare -pf --mount-proc sh -c '
                {PROGRAM} record --ring 64k -o left.rst -- {at("actor")} sleep > there < go & exec 3> go
                until [ -s there ]; do sleep 0.01; done; kill -9 $$'
            rm there
        done 2>/dev/null
        {PROGRAM} record -o young.rst -- true; ls /dev/shm/posix-trace-0 | grep -c ^r
        touch -d '1 minute ago' /dev/shm/posix-trace-0/*
        {PROGRAM} record --ring 64k -o living.rst -- {at("actor")} sleep > there < go & exec 3> go
        until [ -s there ]; do sleep 0.01; done; touch -d '1 minute ago' /dev/shm/posix-trace-0/*
        unshare -pf --mount-proc {PROGRAM} record -o other.rst -- true
        ls /dev/shm/posix-trace-0 | cut -c1 | tr -d '\n'
        echo; exec 3>&-; wait; ls /dev/shm/posix-trace-0 | grep -c ^r""", size="64m")
    n_young, kinds, n_rings = run.out.split()
    # Of the recording that goes on; the program that has just ended has left nothing.
    ok(int(n_young) > 0 and kinds == "cnr" and n_rings == "0",
       "what a dead name space has left is swept, and what processes of another one still use is not", run.out)


# Each with what holds, for machines that cannot try it.
BOXED = {
    check_full: "a full /dev/shm ends no program",
    check_full_attached: "events whose types found no room for their names are recorded without",
    check_full_system: "with --system, a program that was never changed lives when /dev/shm becomes full",
    check_children: "children that can have no page are recorded",
    check_pid_space: "programs of other pid name spaces are recorded",
    check_dead_space: "what a dead name space has left is swept",
    check_squatted: "taking the names of users' folders blocks neither them nor root",
    check_folder: "a folder of the user's own that others may enter is reported, with what to do",
}


def main():
    os.mkfifo(at("go"))
    built(ACTOR, at("actor"), *SANITIZERS, "-x", "none", f"build/{BUILD}/libposixtrace.a", "-pthread")
    os.chmod(FOLDER, 0o755)
    has_box = boxed("true").status == 0
    for check, sentence in BOXED.items():
        if has_box:
            check()
        else:
            skip(sentence, NO_BOX)
    for check in (check_planted_consumer, check_log, check_consumer, check_end_of_both, check_limits):
        check()


main()
shutil.rmtree(FOLDER)
sys.exit(done())
