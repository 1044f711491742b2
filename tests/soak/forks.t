#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`make soak`: fork bombs of traced children. A program forks thousands of descendants, of which some exec, some exit at once, some are killed, some
fork on, more than the system lets it have. It is recorded by `record --system`, and by a stream of its own that its children inherit. The recording
ends, the program's status is kept, what is not in the log is told as lost, the log can be read, and no process or file is left.
CHILDREN: how many in all (default 8000). SEED: of a run that is to be repeated; the system's order of things is not.
"""
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from soaking import PATIENCE, begin, count, generator, programs_copied, run, shown, verdict, wait_for_ends  # noqa: E402
from tap import IS_RELEASE, RASTRUM, Faults, built, done, ok, skip  # noqa: E402

N_CHILDREN = count("CHILDREN", 8000)
N_EACH = 1000  # of one program
UID = 61900
PROCESSES_MOST = 16
OWN_STATUS = 7

SOURCE = r"""
/*
 * bomb SEED CHILDREN COUNTS [LOG]: forks so many descendants. COUNTS is a file of what happened; LOG: of a stream that they inherit.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#ifdef HAS_STREAM
#include <trace.h>
#endif
#include <unistd.h>

struct counts { _Atomic unsigned int n_forks, n_refused, n_killed, n_execs, n_begun, n_recorded; };

static struct counts *counts;
static unsigned int n_most;
static unsigned long long state;

static unsigned int below(unsigned int n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(state >> 33) % n;
}

#ifdef HAS_STREAM
static trace_event_id_t type;

static void must(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(1);
}

static trace_id_t stream_begin(const char *path)
{
	trace_attr_t attr;
	trace_id_t trid;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	must(fd < 0 ? errno : 0, path);
	must(posix_trace_attr_init(&attr), "attr");
	must(posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED), "inherited");
	must(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND), "policy");
	must(posix_trace_create_withlog(getpid(), &attr, fd, &trid), "create");
	must(posix_trace_eventid_open("child_event", &type), "type");
	must(posix_trace_start(trid), "start");
	return trid;
}

static void record(void)
{
	unsigned int pid = (unsigned int)getpid();

	counts->n_begun++;
	posix_trace_event(type, &pid, sizeof pid);
	counts->n_recorded++;
}
#else
static void record(void)
{
}
#endif

static void live(unsigned int depth);

static void child(unsigned int depth)
{
	unsigned int fate = below(8);

	record();
	if (fate == 0)
		_exit(0);
	if (fate == 1) {
		counts->n_execs++;
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	if (fate == 2)
		abort();
	if (fate == 3) {
		usleep(below(2000));
		_exit(3);
	}
	if (depth < 12)
		live(depth + 1);
	record();
	_exit(0);
}

/* Forks some children, kills some of them, waits for some: the first process gets the others. */
static void live(unsigned int depth)
{
	unsigned int n = depth ? below(5) : 1;

	for (unsigned int i = 0; i < n; i++) {
		if (counts->n_forks >= n_most)
			return;
		unsigned long long own = state;
		below(2);
		pid_t pid = fork();
		if (pid == 0) {
			state = own ^ (unsigned long long)getpid() << 20;
			child(depth);
		}
		if (pid < 0) {
			counts->n_refused++;
			usleep(below(5000));
			continue;
		}
		counts->n_forks++;
		if (below(6) == 0) {
			if (below(2))
				usleep(below(1000));
			kill(pid, SIGKILL);
			counts->n_killed++;
		}
		if (below(2))
			waitpid(pid, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	int fd = argc > 3 ? open(argv[3], O_RDWR | O_CLOEXEC) : -1;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGABRT, SIG_DFL);
	counts = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED)
		return 1;
	/* Of this user, recorder and consumer included; root has no limit. */
	setrlimit(RLIMIT_NPROC, &(struct rlimit){ PROCESSES_MOST, PROCESSES_MOST });
	state = strtoull(argv[1], NULL, 10);
	n_most = (unsigned int)atoi(argv[2]);
#ifdef HAS_STREAM
	trace_id_t trid = stream_begin(argv[4]);
#endif
	while (counts->n_forks < n_most) {
		live(0);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	/* The consumer of a log is a child by now, too, but in a group of its own. */
	while (waitpid(0, NULL, 0) > 0 || errno == EINTR)
		;
#ifdef HAS_STREAM
	must(posix_trace_shutdown(trid), "shutdown");
#endif
	return 7;
}
"""


class Bomb:
    """One program that forks, as a user that may have few processes."""

    def __init__(self, place, programs, number):
        self.place, self.programs, self.number = place, programs, number
        self.counts, self.log = os.path.join(place, "counts"), os.path.join(place, f"log-{number}.rst")
        with open(self.counts, "wb") as file:
            file.write(bytes(24))
        if os.geteuid() == 0:
            os.chown(self.counts, UID, UID)

    def words(self, name):
        return [self.programs[name], str(generator(self.number).randrange(1 << 60)), str(N_EACH), self.counts]

    def run(self, *words):
        """(status, what it said); None: it does not end."""
        def become():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        user = {"user": UID, "group": UID, "extra_groups": []} if os.geteuid() == 0 else {}
        with subprocess.Popen(words, cwd=self.place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=become,
                              start_new_session=True, env={**os.environ, "POSIX_TRACE_CONSUMER": self.programs["posix-trace-consumer"]}, **user) as process:
            try:
                return process.wait(PATIENCE), process.communicate(timeout=PATIENCE)[1].decode(errors="replace")
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                return None, ""

    def counted(self):
        names = ("forks", "refused", "killed", "execs", "begun", "recorded")
        with open(self.counts, "rb") as file:
            return dict(zip(names, struct.unpack("<6I", file.read())))

    def read(self, faults):
        """info of the log, which report reads, too."""
        result = run("info", "--json", self.log)
        fault = verdict(result, (0,)) or verdict(run("report", "-q", "-f", "csv", self.log), (0,))
        if fault:
            faults.append(f"{self.log}: {fault}")
            return None
        info = json.loads(result.out)
        if not info["details"]["complete"] or info["damages"]:
            faults.append(f"{self.log}: it is not complete")
        return info


def left(programs, shared):
    """What stays once consumers and children have gone. Files of processes that are dead are swept when the next stream is made."""
    found = wait_for_ends([programs[name] for name in ("posix-trace-consumer", "rastrum", "plain", "traced")])
    return found, sorted(os.listdir(shared)) if os.path.isdir(shared) else []


def record_faults(counts, info, err):
    """`record --system`: each fork that went on has its event, or is lost."""
    n_lost, told = info["loss"]["events"], re.search(r"; (\d+) lost", err)
    if n_lost != int(told[1] if told else 0):
        yield f"{n_lost} are lost in the log; it said: {err}"
    n_begun = info["counts"].get("sys_process_begin", 0)
    # Those that are killed may be dead before they begin.
    if not counts["forks"] - counts["killed"] <= n_begun + n_lost or n_begun > counts["forks"] + 1:
        yield f"{n_begun} processes begin, {n_lost} events are lost"


def stream_faults(counts, info, _):
    """A stream that children inherit: what they recorded is there, or is lost."""
    n_found, n_lost = info["counts"].get("child_event", 0), info["loss"]["events"]
    if n_found + n_lost < counts["recorded"] or n_found > counts["begun"]:
        yield f"{n_found} events, {n_lost} lost"


def check_bomb(bomb, words, faults_of, faults):
    """Its counts. Adds what is wrong with its status and its log."""
    status, err = bomb.run(*words)
    counts = bomb.counted()
    if status != OWN_STATUS:
        faults.append(f"{bomb.number}: status {status}, {counts}: {err[-300:]}")
        return counts
    info = bomb.read(faults)
    faults += [f"{bomb.number}: {fault}: {counts}" for fault in faults_of(counts, info, err)] if info else []
    return counts


def check_recorded(bomb, faults):
    return check_bomb(bomb, [bomb.programs["rastrum"], "record", "--system", "-o", bomb.log, "--", *bomb.words("plain")], record_faults, faults)


def check_inherited(bomb, faults):
    return check_bomb(bomb, [*bomb.words("traced"), bomb.log], stream_faults, faults)


def main():
    begin()
    if not IS_RELEASE:
        skip("fork bombs of traced children", "a sanitizer's program is too large to be forked so often")
        return done()
    top = tempfile.mkdtemp(prefix="rastrum-soak-forks-")
    os.chmod(top, 0o755)
    place = os.path.join(top, "place")
    os.mkdir(place)
    uid = os.geteuid() or UID
    os.chown(place, uid, uid)
    shared = f"/dev/shm/posix-trace-{uid}"
    programs = programs_copied(top)
    library = os.path.join(os.path.dirname(RASTRUM), "libposixtrace.a")
    most = f"-DPROCESSES_MOST={PROCESSES_MOST if os.geteuid() == 0 else 100000}"
    programs["plain"] = built(SOURCE, os.path.join(top, "bin", "plain"), most)
    programs["traced"] = built(SOURCE, os.path.join(top, "bin", "traced"), most, "-DHAS_STREAM", "-Iinclude/posixtrace", "-x", "none", library, "-pthread")
    n_programs = max(1, N_CHILDREN // N_EACH // 2)
    for check, sentence in ((check_recorded, "record --system"), (check_inherited, "a stream that is inherited")):
        faults, all_counts = Faults(), {}
        for number in range(n_programs):
            for name, n in check(Bomb(place, programs, f"{check.__name__}-{number}"), faults).items():
                all_counts[name] = all_counts.get(name, 0) + n
        print(f"# {sentence}: {all_counts}")
        ok(not faults, f"{sentence}: {n_programs} programs that fork {N_EACH} times each keep their status, and what is lost is told", *shown(faults))
        ok(os.geteuid() or N_CHILDREN < 4000 or all_counts["refused"], "some forks were refused", all_counts)
        processes, files = left(programs, shared)
        ok(not processes, "no process is left", *processes)
        print(f"# {len(files)} files of the dead")
    # A stream of another process sweeps what the dead have left.
    status, err = Bomb(place, programs, "last").run(programs["rastrum"], "record", "-q", "-o", "last.rst", "--", "/bin/true")
    ok(status == 0, "one more recording", err)
    processes, files = left(programs, shared)
    ok(not processes and len(files) <= 1, "and then no file of the dead is left", *processes, *files)
    if os.geteuid() == 0:
        shutil.rmtree(shared, ignore_errors=True)
    shutil.rmtree(top)
    return done()


sys.exit(main())
