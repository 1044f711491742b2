#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`make soak`: 1,000 streams of 20 users at once, each with a log; half of them are of another process of their user. Every log is read and is
complete, has its user's events and no other user's names; no user gets into the directory of another; nothing is left in the end.
USERS and STREAMS: how many users (default 20), with so many streams each (default 50). Root only: others cannot become another user.
"""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from soaking import PATIENCE, begin, count, limit, processes_of, programs_copied, run, shown, verdict, wait_for_ends  # noqa: E402
from tap import IS_RELEASE, RASTRUM, Faults, built, done, ok, skip  # noqa: E402

N_USERS, N_STREAMS, N_EVENTS = count("USERS", 20), count("STREAMS", 50), 500
FIRST_UID = 61000

SOURCE = r"""
/* streams FOLDER UID STREAMS EVENTS: half of the streams are of this process, half of a child. It tells when all run, waits for a line, records. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <trace.h>
#include <unistd.h>

static void must(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(1);
}

static void record(const char *uid, const char *who, int n)
{
	trace_event_id_t type;
	char name[64];

	snprintf(name, sizeof name, "u%s-%s", uid, who);
	must(posix_trace_eventid_open(name, &type), "open a type");
	for (int i = 0; i < n; i++)
		posix_trace_event(type, &i, sizeof i);
}

int main(int argc, char **argv)
{
	int n = atoi(argv[3]), n_events = atoi(argv[4]), go[2];
	trace_id_t trid[64];
	trace_attr_t attr;
	char path[4096], line[8];
	pid_t child;
	int status;

	(void)argc;
	must(pipe(go) ? errno : 0, "pipe");
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(go[1]);
		if (read(go[0], line, 1) == 1)
			record(argv[2], "child", n_events);
		_exit(0);
	}
	close(go[0]);
	must(posix_trace_attr_init(&attr), "attr");
	must(posix_trace_attr_setstreamsize(&attr, 65536), "size");
	must(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND), "policy");
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/%s-%d.rst", argv[1], i % 2 ? "child" : "own", i);
		int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		must(fd < 0 ? errno : 0, path);
		must(posix_trace_create_withlog(i % 2 ? child : getpid(), &attr, fd, &trid[i]), "create");
		close(fd);
		must(posix_trace_start(trid[i]), "start");
	}
	printf("ready\n");
	fflush(stdout);
	if (!fgets(line, sizeof line, stdin))
		return 1;
	must(write(go[1], "g", 1) == 1 ? 0 : errno, "go");
	record(argv[2], "own", n_events);
	waitpid(child, &status, 0);
	must(status, "the child");
	for (int i = 0; i < n; i++)
		must(posix_trace_shutdown(trid[i]), "shutdown");
	return 0;
}
"""


class User:
    """A process with streams, in a folder that only its user may enter."""

    def __init__(self, top, program, uid):
        self.uid, self.folder = uid, os.path.join(top, f"user-{uid}")
        os.mkdir(self.folder, 0o700)
        os.chown(self.folder, uid, uid)
        self.shared = f"/dev/shm/posix-trace-{uid}"
        self.process = subprocess.Popen([program, self.folder, str(uid), str(N_STREAMS), str(N_EVENTS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, user=uid, group=uid, extra_groups=[], cwd=self.folder, preexec_fn=lambda: limit(512))

    def is_ready(self):
        return self.process.stdout.readline() == b"ready\n"

    def end(self):
        try:
            _, err = self.process.communicate(b"go\n", timeout=PATIENCE)
            return f"status {self.process.returncode}: {err.decode()}" if self.process.returncode else ""
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            return f"does not end within {PATIENCE} s"
        except BrokenPipeError:
            return "ended before its time"

    def logs(self):
        return sorted(os.path.join(self.folder, name) for name in os.listdir(self.folder))

    def log_faults(self):
        faults = [] if len(self.logs()) == N_STREAMS else [f"user {self.uid}: {len(self.logs())} logs"]
        for path in self.logs():
            result = run("info", "--json", path)
            fault = verdict(result, (0,))
            if fault:
                faults.append(f"{path}: {fault}")
                continue
            info = json.loads(result.out)
            own = f"u{self.uid}-{'own' if '/own-' in path else 'child'}"
            names = {name: n for name, n in info["counts"].items() if name.startswith("u")}
            n_lost = info["loss"]["events"]
            if not info["details"]["complete"] or info["damages"]:
                faults.append(f"{path}: it is not complete")
            if set(names) - {own} or names.get(own, 0) + n_lost < N_EVENTS or names.get(own, 0) > N_EVENTS:
                faults.append(f"{path}: {names}, {n_lost} lost of {N_EVENTS} events {own}")
        return faults


def foreign_faults(users):
    """What a user gets from the directory of the next one, while all record."""
    faults = []
    for user, other in zip(users, users[1:] + users[:1]):
        about = os.stat(other.shared)
        if (about.st_uid, stat.S_IMODE(about.st_mode)) != (other.uid, 0o700):
            faults.append(f"{other.shared}: of {about.st_uid}, mode {about.st_mode:o}")
        look = subprocess.run(["ls", other.shared, other.folder], user=user.uid, group=user.uid, extra_groups=[], capture_output=True, check=False)
        if look.stdout.strip() or look.stderr.count(b"Permission denied") != 2:
            faults.append(f"user {user.uid} sees of user {other.uid}: {look.stdout} {look.stderr}")
        for name in os.listdir(other.shared):
            if os.stat(os.path.join(other.shared, name)).st_uid not in (other.uid, 0):
                faults.append(f"{other.shared}/{name} is another user's")
    return faults


def left(users, consumer):
    """What stays once the consumers have gone, in words."""
    found = wait_for_ends([consumer])
    return found + [os.path.join(user.shared, name) for user in users if os.path.isdir(user.shared) for name in os.listdir(user.shared)]


def main():
    begin()
    if os.geteuid() != 0:
        skip("1,000 streams of 20 users", "only root can become another user")
        return done()
    if not IS_RELEASE:
        skip("1,000 streams of 20 users", "1,000 consumers with a sanitizer need too much memory")
        return done()
    top = tempfile.mkdtemp(prefix="rastrum-soak-users-")
    os.chmod(top, 0o755)
    consumer = programs_copied(top)["posix-trace-consumer"]
    os.environ["POSIX_TRACE_CONSUMER"] = consumer
    library = os.path.join(os.path.dirname(RASTRUM), "libposixtrace.a")
    program = built(SOURCE, os.path.join(top, "streams"), "-Iinclude/posixtrace", "-x", "none", library, "-pthread")
    taken = [uid for uid in range(FIRST_UID, FIRST_UID + N_USERS) if os.path.exists(f"/dev/shm/posix-trace-{uid}")]
    ok(not taken, "the users are new", taken)
    users = [User(top, program, FIRST_UID + i) for i in range(N_USERS)]
    n_all = N_USERS * N_STREAMS
    ready = [user.uid for user in users if not user.is_ready()]
    ok(not ready, f"{N_USERS} users: {n_all} streams run at once", *ready)
    consumers = len(processes_of(consumer))
    ok(consumers == n_all, "each has a consumer", consumers)
    ok(not (faults := foreign_faults(users)), "no user gets into the directory of another", *shown(faults))
    faults = Faults(f"user {user.uid}: {fault}" for user in users if (fault := user.end()))
    ok(not faults, "all streams are shut down", *shown(faults))
    faults = [fault for user in users for fault in user.log_faults()]
    ok(not faults, "every log is complete, with its user's events and no other user's names", *shown(faults))
    ok(not (found := left(users, consumer)), "no consumer and no file is left", *found)
    for user in users:
        if os.path.isdir(user.shared):
            shutil.rmtree(user.shared)
    shutil.rmtree(top)
    return done()


sys.exit(main())
