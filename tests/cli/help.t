#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What --help shows, of every command and subcommand; and its examples, which are run as they stand."""
import fcntl
import os
import pty
import re
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, RASTRUM, built, done, ok, rastrum, same, skip, terminal  # noqa: E402

BUILD_FLAGS = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"], "cover": ["--coverage"]}.get(BUILD, [])
DUMP, STREAM = "tests/data/threadx/priority_inversion.trx", "tests/data/rkh/r1_default.bin"
TMP = tempfile.mkdtemp(prefix="rastrum-help-")
USAGE, IO = 2, 4
WIDTH = 80


def part(text, title):
    """The lines below a title."""
    return text.partition(f"\n{title}:\n")[2].partition("\n\n")[0].splitlines()


COMMANDS = [line.split()[0] for line in part(rastrum("--help").out, "Commands")]


# --- how it looks -------------------------------------------------------------------------------------------------


def check_page(words, run):
    name = f"`rastrum {' '.join(words)}`"
    ok(run.status == 0 and not run.err and run.out.startswith(f"usage: rastrum {' '.join(words[:-1])}"), f"{name} begins with its usage",
       run.out[:200], run.err)
    ok(max(map(len, run.lines)) < WIDTH and not re.search(r" $", run.out, re.M), f"{name} fits {WIDTH} columns", max(run.lines, key=len))
    titles = re.findall(r"^(\S.*):$", run.out, re.M)
    ok(len(titles) == len(set(titles)) and (len(titles) > 1 or len(words) > 2 or words[0] in ("completion", "trcon", "trcoff")), f"{name} has groups", titles)
    ok(f"`man rastrum-{words[0]}` has more." in run.out and os.path.exists(f"man/rastrum-{words[0]}.1"), f"{name} names its manual page")


def check_pages():
    whole = rastrum("--help")
    ok(len(COMMANDS) >= 6 and max(map(len, whole.lines)) < WIDTH, "the program's help fits, too", max(whole.lines, key=len))
    for command in COMMANDS:
        run = rastrum(command, "--help")
        check_page([command, "--help"], run)
        # AIX's trcrpt has another -h.
        for words in ([command, "-h"] if "-h, --help" in run.out else [command, "--help"], ["help", command]):
            same(rastrum(*words).out, run.out, f"`rastrum {' '.join(words)}` is the same")
        for sub in [line.split()[0] for line in part(run.out, "Subcommands") if re.match(r"  \S", line)]:
            run = rastrum(command, sub, "-h")
            check_page([command, sub, "-h"], run)
            same(rastrum("help", command, sub).out, run.out, f"`rastrum help {command} {sub}` is the same")
    own = rastrum("help", "template", "doc").out
    ok("--dialect" in own and "--templates" in own and "--entry" not in own and "--lint" not in own, "a subcommand has its own options only", own)
    ok("template eval" not in own and "template doc" in own, "and examples", own)


def check_ends():
    run = rastrum()
    ok(run.status == USAGE and not run.out and len(run.err.splitlines()) <= 4 and all(f" {c}" in run.err for c in COMMANDS) and
       "rastrum --help" in run.err, "without a word it says in a few lines what there is", run.err)
    for words in (["--help"], ["help", "report"], ["record", "-h"]):
        with open("/dev/full", "wb") as full:
            run = subprocess.run([RASTRUM, *words], stdout=full, stderr=subprocess.PIPE, check=False)
        ok(run.returncode == IO and b"No space left" in run.stderr, f"`{' '.join(words)}` into a full disk fails", run.stderr)
    for words, what in ((["help", "tempalte"], "did you mean template?"), (["help", "template", "evla"], "did you mean eval?"),
                        (["template"], "check, list, eval, test, doc"), (["template", "check"], "needs FILE...; see `rastrum template check --help`"),
                        (["template", "eval", "a", "b"], "has a word too many: 'b'"),
                        (["template", "doc", "x", "--entry", "00"], "`template doc` has no option --entry"),
                        (["bench", "gen", "--peer"], "`bench gen` has no option --peer"), (["bench", "limit", "x"], "a word too many")):
        run = rastrum(*words)
        ok(run.status == USAGE and what in run.err and not run.out, f"`{' '.join(words)}`: {what}", run.err)


def check_terminal():
    env = {**os.environ, "TERM": "xterm", "PAGER": "cat"}
    env.pop("NO_COLOR", None)
    try:
        shown, status = terminal([RASTRUM, "report", "--help"], WIDTH, env)
    except OSError as error:
        skip("help on a terminal", error)
        return
    ok(status == 0 and "\x1b[1mWhat to show:\x1b[22m" in shown, "titles are bold on a terminal", shown[:300])
    same(re.sub(r"\x1b\[\d+m", "", shown), rastrum("report", "--help").out, "and nothing else is different")
    shown, _ = terminal([RASTRUM, "report", "--help"], WIDTH, {**env, "NO_COLOR": "1"})
    ok("\x1b" not in shown, "but with NO_COLOR")
    shown, _ = terminal([RASTRUM, "report", "--help"], WIDTH, {**env, "PAGER": "sed s/^/P:/"})
    ok(all(line.startswith("P:") for line in shown.splitlines()), "the pager shows it", shown[:200])


# --- examples -----------------------------------------------------------------------------------------------------

APP = """
#include <trace.h>
#include <stdlib.h>
#include <time.h>
int main(void)
{
	const struct timespec pause = { 0, 2000000 };
	const char *seconds = getenv("APP_SECONDS");
	trace_event_id_t beat;

	if (posix_trace_eventid_open("beat", &beat))
		return 1;
	for (int i = 0; i < 500 * (seconds ? atoi(seconds) : 1) / 2; i++) {
		posix_trace_event(beat, &i, sizeof i);
		nanosleep(&pause, NULL);
	}
	return 0;
}
"""
HOOKS = '# dialect: aix\n010 1.0 L=APPL "MOTOR" "speed" X4\n'
MINE = '# dialect: threadx\nTX_TRACE_MUTEX_GET 1.0 "@" "takes" $mutex_ptr\n'


def prepare():
    """What the examples name."""
    os.mkdir(TMP + "/bin")
    os.symlink(os.path.abspath(RASTRUM), TMP + "/bin/rastrum")
    for name in ("dump.trx", "before.trx", "after.trx"):
        shutil.copy(DUMP, f"{TMP}/{name}")
    shutil.copy(STREAM, f"{TMP}/run.bin")
    os.makedirs(TMP + "/.config/fish/completions")
    for name, text in (("hooks.trcfmt", HOOKS), ("mine.trcfmt", MINE), ("words.txt", "pear\napple\n" * 5000),
                       ("timing.rules", "lost() == 0\nrun(thread *) <= 100%\n")):
        with open(f"{TMP}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    built(APP, TMP + "/app", "-x", "none", f"build/{BUILD}/libposixtrace.a", "-pthread", *BUILD_FLAGS)
    consumer = os.environ.get("POSIX_TRACE_CONSUMER") or os.path.abspath(f"build/{BUILD}/posix-trace-consumer")
    return {**os.environ, "HOME": TMP, "PATH": f"{TMP}/bin:{os.environ['PATH']}", "POSIX_TRACE_CONSUMER": consumer}


def run_in_tmp(command, env):
    return subprocess.run(["bash", "-c", command], cwd=TMP, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, check=False)


def has_port(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def run_listening(command, env):
    """One that waits for a connection: it gets one, with what a board sends."""
    port = int(re.search(r"tcp:(\d+)", command).group(1))
    if not has_port(port):
        return None
    with subprocess.Popen(["bash", "-c", "exec " + command], cwd=TMP, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        for _ in range(200):
            try:
                with socket.create_connection(("127.0.0.1", port)) as link, open(STREAM, "rb") as stream:
                    link.sendall(stream.read())
                break
            except OSError:
                time.sleep(0.05)
        out, err = program.communicate(timeout=60)
    return subprocess.CompletedProcess(command, program.returncode, out, err)


def run_attaching(command, env):
    """One that records a process, in place of whose number stands that of ours."""
    with subprocess.Popen([TMP + "/app"], env={**env, "APP_SECONDS": "3"}) as app:
        time.sleep(0.2)
        run = run_in_tmp(command.replace("1234", str(app.pid)).replace("10s", "1s"), env)
        app.kill()
    return run


def run_viewing(command, env):
    """A server: it prints its link, and is ended."""
    port = re.search(r"--port (\d+)", command)
    if port and not has_port(int(port[1])):
        return None
    with subprocess.Popen(["bash", "-c", "exec " + command], cwd=TMP, env={**env, "BROWSER": "true"}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as program:
        link = program.stdout.readline()
        program.terminate()
        _, err = program.communicate(timeout=60)
    return subprocess.CompletedProcess(command, program.returncode, link, err)


def run_watching(command, env):
    """A program that wants a terminal: its examples are typed in one, and q ends them (tests/view/timeline.t has the rest)."""
    controller, user = pty.openpty()
    fcntl.ioctl(user, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen(["bash", "-c", "exec " + command], cwd=TMP, env={**env, "TERM": "xterm"}, stdin=user, stdout=user, stderr=user,
                          start_new_session=True) as program:
        os.close(user)
        seen = b""
        while b"help" not in seen and select.select([controller], [], [], 20)[0]:
            seen += os.read(controller, 65536)
        os.write(controller, b"q")
        while select.select([controller], [], [], 20)[0]:
            try:
                seen += os.read(controller, 65536)
            except OSError:  # the program has ended
                break
        program.wait(timeout=20)
    os.close(controller)
    return subprocess.CompletedProcess(command, program.returncode, seen, b"")


# Examples whose work is made small.
SMALL = {"rastrum bench read": " --events 2000 --runs 1", "rastrum bench record": " --events 2000 --runs 1"}


def check_example(command, env):
    sentence = f"example: {command}"
    if BUILD_FLAGS and "--system" in command:
        skip(sentence, "the preload library of a sanitizer's build is not for programs without one")
        return
    if "jq" in command and not shutil.which("jq"):
        skip(sentence, "no jq")
        return
    run = run_watching(command, env) if command.startswith("rastrum timeline") else \
        run_viewing(command, env) if command.startswith("rastrum view") else \
        run_listening(command, env) if "--listen" in command else run_attaching(command, env) if "1234" in command else \
        run_in_tmp(command + SMALL.get(command, ""), env)
    if run is None:
        skip(sentence, "its port is taken")
        return
    is_quiet = command.startswith(("eval", "rastrum record", "rastrum trace")) or ">" in command or "-o" in command
    ok(run.returncode == 0 and (run.stdout or is_quiet), sentence, run.returncode, run.stdout[:300], run.stderr.decode()[:600])
    ok(b"--filter" not in run.stderr and b"no trace point" not in run.stderr and b"note: no " not in run.stderr, "and does what it says",
       run.stderr.decode()[:600])


def check_examples():
    env = prepare()
    for command in COMMANDS:
        lines = part(rastrum(command, "--help").out, "Examples")
        examples = [line[2:] for line in lines if re.match(r"  \S", line)]
        ok(3 <= len(examples) <= 5 and len(lines) >= 2 * len(examples), f"{command} has examples, and what comes of each", *lines)
        for example in examples:
            check_example(example, env)
    logs = [name for name in ("app.rst", *([] if BUILD_FLAGS else ["sort.rst"])) if not rastrum("report", f"{TMP}/{name}").lines]
    ok(not logs, "what was recorded is there", *logs, *os.listdir(TMP))


try:
    for check in (check_pages, check_ends, check_terminal, check_examples):
        check()
finally:
    shutil.rmtree(TMP)
sys.exit(done())
