# SPDX-License-Identifier: MIT
"""The test protocol for scripts, as tap.h is for C, and how they run the program."""
import fcntl
import glob
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import traceback

RASTRUM = os.environ.get("RASTRUM", "build/release/rastrum")
BUILD = os.environ.get("BUILD", "release")
IS_RELEASE = BUILD == "release"
IS_SOAK = "SOAK" in os.environ
# A program that is linked with a library of this build is compiled with these; else as users compile it.
CHECKERS = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"], "cover": ["--coverage"]}.get(BUILD, [])

# With ASan, two thirds of a short run of the program are for leaks and for the borders of globals. Scripts that start it hundreds of
# times do without; programs of tests and all other scripts look for both, among them those that run each command and each format.
OFTEN = {"anonymise.t", "cli.t", "convert.t", "convert_stacks.t", "cut.t", "directory.t", "fixtures.t", "fixtures_liteos_stream.t",
         "hostile.t", "index.t", "intervals.t", "merge.t", "objects.t", "query.t", "simulated.t"}
if os.path.basename(sys.argv[0]) in OFTEN:
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0:report_globals=0"

# Templates of the user must not change what they see.
os.environ.pop("RASTRUM_TEMPLATES", None)
os.environ["XDG_CONFIG_HOME"] = "/proc/nonexistent"  # where not even root can make it
# Nor what they leave in the user's cache.
os.environ["RASTRUM_CACHE_DISABLE"] = "1"
# Nor must a pager wait for a key.
os.environ["PAGER"] = "cat"
# What a shell or nohup starts in the background ignores these, and so would the programs that tests interrupt.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)

_counts = {"run": 0, "failed": 0}


def spread(every):
    """How far what sample() takes of a corpus is apart: sanitizers make a start of the program five times as slow."""
    return 1 if IS_SOAK else {"release": max(1, every // 2), "cover": every}.get(BUILD, every * 2)


def sample(found, every=6):
    """All of them in `make soak`; in `make check` a part: one of half as many as `every` in release, fewer in other builds."""
    return found[::spread(every)]


def least(n):
    """How many a test must see: n of all, a part of them of a sample."""
    return n if IS_SOAK else max(1, n * 3 // (4 * spread(6)))


def wait_until(holds, process):
    """Until holds() is true, or the process has ended."""
    handle = os.pidfd_open(process.pid)
    while not holds() and not select.select([handle], [], [], 0.01)[0]:
        pass
    os.close(handle)


def golden_bytes(path):
    """The bytes that a golden holds in hexadecimal; # begins a comment."""
    with open(path, encoding="utf-8") as lines:
        return b"".join(bytes.fromhex(line.split("#")[0]) for line in lines)


def golden_files(folder):
    """Writes the bytes of each golden to a file in folder; returns the paths."""
    paths = []
    for path in sorted(glob.glob("tests/goldens/*/*.hex")):
        paths.append(f"{folder}/{path.split('/')[-2]}-{os.path.basename(path)[:-4]}")
        with open(paths[-1], "wb") as file:
            file.write(golden_bytes(path))
    return paths


def ok(passed, sentence, *faults):
    """One TAP line; faults are shown when it failed."""
    _counts["run"] += 1
    _counts["failed"] += not passed
    print(f"{'' if passed else 'not '}ok {_counts['run']} - {sentence}", flush=True)
    if not passed:
        for fault in faults[:10]:
            for line in str(fault).splitlines() or [""]:
                print(f"#   {line[:400]}")
    return bool(passed)


def same(got, expected, sentence):
    return ok(got == expected, sentence, f"     got: {got!r}", f"expected: {expected!r}")


def difference(got, expected):
    """The first line in which two lists of lines differ, as faults for ok(); none when they are the same."""
    if got == expected:
        return []
    got, expected = [*got, "(nothing)"], [*expected, "(nothing)"]
    n = next(i for i, pair in enumerate(zip(got, expected)) if pair[0] != pair[1])
    return [f"line {n + 1}", f"     got: {got[n]}", f"expected: {expected[n]}"]


class Faults(list):
    """What was found wrong, for ok()."""

    def compare(self, what, got, expected):
        if got != expected:
            self.append(f"{what}: {got!r}, expected {expected!r}")


def _fail_by_exception(kind, value, trace):
    """Where a script ended by an exception: prove shows sentences of failed tests, and nothing of standard error."""
    line = traceback.extract_tb(trace)[0].lineno
    ok(False, f"the script runs to its end: line {line}: {kind.__name__}: {value}", *traceback.format_exception(kind, value, trace))
    print(f"1..{_counts['run']}", flush=True)


sys.excepthook = _fail_by_exception


def skip(sentence, why):
    _counts["run"] += 1
    print(f"ok {_counts['run']} - {sentence} # SKIP {why}", flush=True)


def done():
    """Prints the plan and returns the exit status."""
    print(f"1..{_counts['run']}", flush=True)
    return _counts["failed"] != 0


class Result:
    """What a run of the program gave."""

    def __init__(self, run):
        self.status, self.bytes = run.returncode, run.stdout
        self.out = run.stdout.decode("utf-8", "surrogateescape")
        self.err = run.stderr.decode("utf-8", "surrogateescape")

    @property
    def lines(self):
        return self.out.splitlines()


def slurp(path):
    with open(path, "rb") as file:
        return file.read()


def rastrum(*words, stdin=b"", env=None, timeout=60, cwd=None):
    """Runs the program. stdin is bytes; env adds to the environment."""
    run = subprocess.run([os.path.abspath(RASTRUM), *map(str, words)], input=stdin, capture_output=True, timeout=timeout, check=False, cwd=cwd,
                         env={**os.environ, **(env or {})})
    return Result(run)


def terminal(argv, columns, env=None, cwd=None):
    """(what a program writes to a terminal of so many columns, its exit status); line ends are as in a file."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL, env=env, cwd=cwd) as program:
        os.close(slave)
        text = b""
        while True:
            try:
                some = os.read(master, 65536)
            except OSError:
                some = b""
            if not some:
                break
            text += some
    os.close(master)
    return text.decode(errors="replace").replace("\r\n", "\n"), program.returncode


def rastrum_as_nobody(folder, *words):
    """Runs copies of the program and of the consumer: the source tree may be where only root can look."""
    os.chmod(folder, 0o777)
    program, consumer = os.path.join(folder, "nobodys-rastrum"), os.path.join(folder, "nobodys-consumer")
    shutil.copy(RASTRUM, program)
    shutil.copy(os.environ["POSIX_TRACE_CONSUMER"], consumer)
    return Result(subprocess.run([program, *map(str, words)], user=65534, group=65534, extra_groups=[], cwd=folder, timeout=60,
                                 capture_output=True, check=False, env={**os.environ, "POSIX_TRACE_CONSUMER": consumer}))


def built(source, path, *words):
    """Compiles a C program's text; its path."""
    run = subprocess.run(["gcc", "-g", "-O1", "-Iinclude", "-x", "c", "-", "-o", path, *words], input=source.encode(),
                         capture_output=True, check=False)
    ok(run.returncode == 0, f"{os.path.basename(path)} is built", run.stderr.decode())
    return path


def library_flags():
    """What a program that is linked with librastrum.a needs besides, as packaging/rastrum.pc.in lists it."""
    with open("packaging/rastrum.pc.in", encoding="utf-8") as file:
        return next(line for line in file if line.startswith("Libs.private:")).split()[1:]


def make_install(folder, root, prefix, word="install"):
    """`make install` from a copy of the build in folder: other tests run from the build, and paths in it depend on prefix."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    copy = f"{folder}/build"
    if not os.path.exists(copy):
        tests = {"test", "fuzz"}
        shutil.copytree(f"build/{BUILD}", copy, symlinks=True,
                        ignore=lambda at, names: tests & set(names) if at == f"build/{BUILD}" else set())
    return subprocess.run(["make", word, f"BUILD={BUILD}", f"OUT={copy}", f"DESTDIR={root}", f"PREFIX={prefix}"],
                          capture_output=True, text=True, check=False, env=env)
