#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rastrum record around a program: its arguments, status, signals and files. What is recorded is in record_events.t."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import RASTRUM, done, ok, rastrum, same, wait_until  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="rastrum-record-")
PYTHON = sys.executable
PATIENCE = 30


def at(name):
    return os.path.join(FOLDER, name)


def record(*words, log="log.rst"):
    return rastrum("record", "-o", at(log), *words)


def begun(*words, **how):
    """A recording that runs, in a process group of its own; its program has printed a line, and the log has its name."""
    run = subprocess.Popen([RASTRUM, "record", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           start_new_session=True, **how)
    run.stdout.readline()
    end = time.monotonic() + PATIENCE
    while left_over() and time.monotonic() < end:
        time.sleep(0.01)
    return run


def ended(run):
    out, err = run.communicate(timeout=PATIENCE)
    return run.returncode, out.decode(), err.decode()


def is_whole(name="log.rst"):
    result = rastrum("info", "--json", at(name))
    return result.status == 0 and json.loads(result.out)["details"]["complete"]


def left_over():
    return [name for name in os.listdir(FOLDER) if name.endswith(".new")]


# --- words -----------------------------------------------------------------------------------------------------------

REFUSED = {
    (): "record needs a program, or --pid",
    ("--pid", "1", "--", "true"): "leaves no room for a program",
    ("--pid", "0"): "needs the number of a process",
    ("--pid", "1", "--system"): "--system has to be there when a program begins",
    ("--ring", "1Mi", "--log-size", "1Mi", "--", "true"): "--ring has no log",
    ("--ring", "0", "--", "true"): "take 1 byte",
    ("--stream-size", "4Gi", "--", "true"): "take 1 byte",
    ("--snapshot-on", "USR1", "--", "true"): "--snapshot-on goes with --ring",
    ("--ring", "1Mi", "--snapshot-on", "INT", "--", "true"): "cannot be 'INT'",
    ("--ring", "1Mi", "--snapshot-on", "KILL", "--", "true"): "cannot be 'KILL'",
    ("--ring", "1Mi", "--snapshot-on", "USR1,USR2", "--", "true"): "there is a signal already",
    ("--log-policy", "loop", "--", "true"): "needs --log-size",
    ("--log-policy", "append", "--log-size", "1Mi", "--", "true"): "has no --log-size",
    ("--log-size", "0", "--", "true"): "cannot be 0",
    ("--data-size", "65529", "--", "true"): "at most 65528",
    ("--duration", "soon", "--", "true"): "cannot be 'soon'",
    ("--duration", "0", "--", "true"): "cannot be '0'",
    ("--filter", "x" * 64, "--", "true"): "no event can have the name",
    ("--filter", "!", "--", "true"): "no event can have the name ''",
    ("-o", "-", "--", "true"): "writes to standard output, too",
}
for words, what in REFUSED.items():
    result = rastrum("record", *words)
    ok(result.status == 2 and what in result.err and result.err.count("\n") == 1,
       f"`record {' '.join(words)[:50]}` is refused in a sentence", result.status, result.err)
same([name for name in os.listdir(".") if name.endswith(".rst")], [], "and leaves no file")

# --- the program -----------------------------------------------------------------------------------------------------

result = record("--", "sh", "-c", "cat; echo out; echo err >&2; exit 7")
same((result.status, result.out), (7, "out\n"), "a program's status and output are its own")
ok("err\n" in result.err and re.search(r"log\.rst: \d+ events, [\d.]+ (bytes|[KM]iB); no trace point was met, try --system\n$", result.err),
   "its errors, too, and one line at the end reports what was recorded", result.err)
ok(is_whole(), "the log is complete then")
same(record("-q", "--", "sh", "-c", "echo err >&2").err, "err\n", "--quiet leaves that line out")
run = subprocess.run([os.path.abspath(RASTRUM), "record", "--", "/bin/true"], cwd=FOLDER, capture_output=True, check=False)
ok(run.returncode == 0 and is_whole("true.rst"), "without -o the log has the program's name, in this folder", run.stderr)
for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGUSR2):
    same(record("--", "sh", "-c", f"kill -{int(number)} $$").status, 128 + number,
         f"a program that {number.name} kills gives {128 + number}")
same(record("--", "/nonexistent/program").status, 127, "a program that is not there gives 127, as in shells")
same(record("printf", "%s|", "-o", "--help").out, "-o|--help|", "what stands behind the program is the program's, without -- too")
result = record("--", "no-such-program")
ok(result.status == 127 and "no such program in PATH" in result.err, "one that is not in PATH, too", result.err)
for path, what in (("/etc/passwd", "Permission denied"), ("/", "Is a directory")):
    result = record("--", path)
    ok(result.status == 126 and what in result.err, f"{path}, which cannot be run, gives 126", result.err)
with open(at("bad"), "w", encoding="utf-8") as out:
    out.write("#!/nonexistent/interpreter\n")
os.chmod(at("bad"), 0o755)
before = open(at("log.rst"), "rb").read()
same(record("--", at("bad")).status, 127, "a script whose interpreter is missing gives 127")
same((open(at("log.rst"), "rb").read() == before, left_over()), (True, []), "and the older log stays, with nothing beside it")
with open(at("plain"), "w", encoding="utf-8") as out:
    out.write('echo "$0 $@"\n')
os.chmod(at("plain"), 0o755)
same(record("--", at("plain"), "a b", "c").out, f"{at('plain')} a b c\n", "a script without #! runs, as in shells")
same(rastrum("record", "-o", at("log.rst"), "--", "plain", env={"PATH": "/nonexistent:" + FOLDER}).out.strip()[-5:], "plain",
     "a program is found in PATH")


def signals_of(words):
    """Which are blocked, which are ignored; without 32 and 33, which are libc's own and change with its first thread."""
    told = subprocess.run([*words, "grep", "-E", "Sig(Ign|Blk)", "/proc/self/status"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, restore_signals=True, check=False).stdout
    return [int(line.split()[1], 16) & ~(3 << 31) for line in told.splitlines()]


same(signals_of([RASTRUM, "record", "-q", "-o", at("log.rst"), "--"]), signals_of([]), "a program begins with the signals it would have")
DESCRIPTORS = ["sh", "-c", "ls /proc/$$/fd"]
same(subprocess.run([RASTRUM, "record", "-q", "-o", at("log.rst"), "--", *DESCRIPTORS], capture_output=True, check=False).stdout,
     subprocess.run(DESCRIPTORS, capture_output=True, check=False).stdout, "and with no descriptor of ours")

# --- signals ---------------------------------------------------------------------------------------------------------

ASLEEP = "echo; exec sleep 30"
STUBBORN = f"""
import signal, sys, time
got = []
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda n, _: got.append(n))
print(flush=True)
while len(got) < int(sys.argv[1]):
    time.sleep(0.02)
print(*map(int, got), flush=True)
"""
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    run = begun("-o", at("log.rst"), "--", "sh", "-c", ASLEEP)
    run.send_signal(number)
    status, _, err = ended(run)
    same((status, is_whole()), (128 + number, True), f"{number.name} goes on to the program, and the log is complete")
run = begun("-o", at("log.rst"), "--", PYTHON, "-c", STUBBORN, "3")
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
    run.send_signal(number)
    time.sleep(0.3)
status, out, err = ended(run)
same((status, out), (0, "15 2 15\n"), "a program that catches signals decides itself when to end")


def on_terminal(*words, shown=b"", key=b"", wait=None, out=None, then=None):
    """
    Runs with a terminal of its own, but for standard output where `out` is its file; sends the key, or calls `then`, when the
    pattern `wait` was shown. What was shown, and the status.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        if out:
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), 1)
        os.execv(RASTRUM, [RASTRUM, "record", *words])
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            break
        if wait and re.search(wait, shown):
            if then:
                then()
            os.write(terminal, key)
            wait = None
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    return shown.decode().replace("\r\n", "\n"), status


shown, status = on_terminal("-o", at("log.rst"), "--", "sh", "-c", "echo ready; exec sleep 30", wait=b"ready\r\n", key=b"\x03")
same((status, is_whole()), (130, True), "Ctrl-C on a terminal ends the program, and the log is complete")
shown, status = on_terminal("-o", at("log.rst"), "--", PYTHON, "-c", STUBBORN.replace("print(flush", "print('ready', flush"), "1",
                            wait=b"ready\r\n", key=b"\x03")
ok(status == 0 and re.search(r"ready\n\^C2\n", shown), "and comes to it once", repr(shown))
lines = "for i in 1 2 3; do echo out $i; sleep 0.4; done"
TWO_COUNTS = rb"(?s)(\r\d+ events?, [\d.]+ KiB, 0 lost.*){2}"
shown, status = on_terminal("-o", at("log.rst"), "--", "sh", "-c", lines)
ok(re.fullmatch(r"out 1\nout 2\nout 3\nrastrum: .*/log\.rst: \d+ events[^\r]*\n", shown),
   "while a program has the terminal, its lines are all that is shown", repr(shown))
os.mkfifo(at("enough"))
shown, status = on_terminal("-o", at("log.rst"), "--", "sh", "-c", f"{lines}; read word < {at('enough')}", out=at("program.out"), wait=TWO_COUNTS,
                            then=lambda: open(at("enough"), "w", encoding="utf-8").close())
same(open(at("program.out"), encoding="utf-8").read(), "out 1\nout 2\nout 3\n", "what goes into a file is the program's alone")
counts = re.findall(r"\r\d+ events?, [\d.]+ KiB, 0 lost", shown)
ok(len(counts) >= 2, "and a terminal that is left to us shows counts while the program runs", repr(shown))
ok(re.search(r"\r *\rrastrum: .*/log\.rst: \d+ events, [\d.]+ KiB\n$", shown), "which the last line replaces", repr(shown))
with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
    shown, status = on_terminal("-o", at("log.rst"), "--pid", str(other.pid), wait=TWO_COUNTS, then=other.stdin.close)
ok(len(re.findall(r"\r\d+ events?, [\d.]+ KiB, 0 lost", shown)) >= 2, "so does one with --pid", repr(shown))
shown, status = on_terminal("-q", "-o", at("log.rst"), "--", "sleep", "0.7", out="/dev/null")
same(shown, "", "--quiet shows none")
shown, status = on_terminal("-o", at("log.rst"), "--", "sh", "-c", "stty raw <&2; sleep 0.8; stty -raw <&2", out="/dev/null")
same(len(re.findall(r"lost", shown)), 0, "nor does a program that draws on the whole terminal meet any")
ok("\r" not in record("--", "sleep", "0.8").err, "without a terminal there are none")

for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGUSR1):
    for extra in ([], ["--system"], ["--filter", "none_of_them"]):
        if extra == ["--system"] and ("asan" in RASTRUM or "tsan" in RASTRUM):
            continue
        result = record(*extra, "--", "sh", "-c", f"kill -{int(number)} $$")
        rows = [json.loads(line) for line in rastrum("report", "-f", "jsonl", at("log.rst")).lines]
        killed = [row for row in rows if row["name"] == "sys_process_killed"]
        same((result.status, f"the program was killed by {number.name} (" in result.err, len(killed),
              killed and killed[0]["args"]["signal"], killed and killed[0]["text"]),
             (128 + number, True, 1, int(number), f"sh is killed by {number.name}"),
             f"a program that {number.name} kills is reported, also in the log {' '.join(extra)}".strip())
result = record("--filter", "!SYS_*", "--", "sh", "-c", "kill -9 $$")
same((result.status, "sys_process_killed" in rastrum("report", at("log.rst")).out), (137, False),
     "unless that event is left out")
result = record("--", "sh", "-c", "kill -9 $$")
ok("no trace point was met" in result.err, "it does not count as a trace point", result.err)
run = begun("-o", at("log.rst"), "--", "sh", "-c", "echo; sleep 1")
run.kill()
ended(run)
end = time.monotonic() + PATIENCE
while not is_whole() and time.monotonic() < end:
    time.sleep(0.1)
ok(is_whole(), "when rastrum is killed, its consumer completes the log")

# --- time ------------------------------------------------------------------------------------------------------------

run = begun("--duration", "0.3", "-o", at("log.rst"), "--", "sh", "-c", "echo runs; read word; exit 3", stdin=subprocess.PIPE)
wait_until(is_whole, run)
lives = run.poll() is None
result = ended(run)
same((lives, result[0]), (True, 3), "--duration ends the recording, not the program")
shown = rastrum("report", "-f", "jsonl", at("log.rst"))
rows = [json.loads(line) for line in shown.lines]
ok(rows and rows[-1]["ns"] > 2.9e8, "which took that long", rows[-1:], *result, shown.status, shown.err)

# --- files -----------------------------------------------------------------------------------------------------------

with open(at("mine.txt"), "w", encoding="utf-8") as out:
    out.write("precious\n")
result = record("--", "true", log="mine.txt")
ok(result.status == 2 and "no Rastrum log" in result.err and open(at("mine.txt"), encoding="utf-8").read() == "precious\n",
   "a file that is no log is not overwritten", result.err)
result = record("--force", "--", "true", log="mine.txt")
ok(result.status == 0 and is_whole("mine.txt"), "--force does it", result.err)
result = record("--", "sh", "-c", "kill -9 $$", log="esc\x1b[31m.rst")
ok("\x1b" not in result.err and "esc\\x1b[31m.rst: 3 events" in result.err, "no name steers the terminal", result.err)
result = record("--", "no\x1b[31mprogram")
ok("\x1b" not in result.err and "no\\x1b[31mprogram" in result.err, "that of a program neither", result.err)
open(at("empty"), "w", encoding="utf-8").close()
ok(record("--", "true", log="empty").status == 0 and is_whole("empty"), "an empty file is taken")
run = begun("-o", at("log.rst"), "--", "sh", "-c", "echo; exec sleep 30")
result = record("--", "true")
ok(result.status == 2 and "another recording" in result.err, "a file that another recording writes is refused", result.err)
run.terminate()
ended(run)
ok(is_whole() and record("--", "true").status == 0, "until that has ended")
for name, status, what in (("no/such/folder", 4, "No such file"), ("", 4, "Is a directory")):
    result = record("--", "true", log=name)
    ok(result.status == status and what in result.err, f"-o {name or 'FOLDER'} reports why it cannot be written", result.err)
os.mkfifo(at("fifo"))
reader = subprocess.Popen([RASTRUM, "report", "-f", "jsonl", at("fifo")], stdout=subprocess.PIPE)
result = record("--", "true", log="fifo")
names = [json.loads(line)["name"] for line in reader.communicate(timeout=PATIENCE)[0].splitlines()]
same((result.status, result.err, names), (0, "", ["POSIX_TRACE_START", "POSIX_TRACE_STOP"]), "a log goes into a named pipe")
result = record("--log-size", "1Mi", "--", "true", log="/dev/null")
ok(result.status == 2 and "no --log-size" in result.err, "but not one that goes round", result.err)
result = record("--", "touch", at("ran"), log="/dev/full")
ok(result.status == 4 and re.fullmatch("rastrum: /dev/full: cannot begin .*: No space left on device\n", result.err) and not os.path.exists(at("ran")),
   "when not even the log's head can be written, the program is not run", result.err)


def with_files(n):
    """A recording by a process that may have so many open files."""
    return subprocess.run(["sh", "-c", f"ulimit -n {n}; exec {RASTRUM} record -o {at('log.rst')} -- true"], capture_output=True,
                          text=True, check=False)


refused = [result.stderr for result in map(with_files, range(12, 24)) if "ulimit -Hn" in result.stderr]
ok(refused and all(text.startswith("rastrum: cannot trace process") for text in refused),
   "where there are too few descriptors, the limit is reported", *refused[:1])


def on_broken_pipe(command):
    """What comes of a recording whose log loses its reader while the program runs."""
    begun, gone = at("begun"), at("gone")
    os.mkfifo(begun)
    os.mkfifo(gone)
    reader = subprocess.Popen(["sh", "-c", f"exec < {at('fifo')}; read line < {begun}; exec < /dev/null; echo > {gone}"])
    result = record("--", "sh", "-c", f"echo > {begun}; read line < {gone}; {command}", log="fifo")
    reader.wait()
    os.unlink(begun)
    os.unlink(gone)
    return result


result = on_broken_pipe("true")
ok(result.status == 4 and "not everything could be written to the log: Broken pipe" in result.err,
   "a log that could not be written gives 4 when the program itself was content", result.status, result.err)
result = on_broken_pipe("exit 3")
same((result.status, "Broken pipe" in result.err), (3, True), "and the program's own status when not")
same(left_over(), [], "no file is left over")
sys.exit(done())
