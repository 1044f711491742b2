# SPDX-License-Identifier: MIT
"""What the scripts of `make soak` share: a seed that can be given, a count that can be given, recordings of every dialect."""
import os
import random
import resource
import select
import shutil
import signal
import subprocess
import time

from conversions import recordings
from tap import IS_RELEASE, RASTRUM, Result, slurp

SEED = int(os.environ.get("SEED") or time.time_ns() % 10**9)
MIB = 1 << 20
# Only a guard: nothing is slow because it took long.
PATIENCE = 120 if IS_RELEASE else 1200
DOCUMENTED = (0, 3)  # of a command that reads damaged input: rastrum(1), EXIT STATUS


def count(name, default):
    """How often: $NAME, or the number that takes a minute."""
    return max(1, int(os.environ.get(name) or default))


def begin():
    """Prints the seed, which reproduces this run."""
    print(f"# SEED={SEED}", flush=True)


def generator(n):
    """Of the n-th case alone, so that it does not depend on those before it."""
    return random.Random(f"{SEED} {n}")


def limit(memory_mib=1024):
    """For preexec_fn. A sanitizer's program maps terabytes."""
    if IS_RELEASE:
        resource.setrlimit(resource.RLIMIT_AS, (memory_mib * MIB, memory_mib * MIB))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(*words, env=None, stdin=subprocess.DEVNULL, memory_mib=1024, cwd=None):
    """The Result of the program; None when it does not end."""
    try:
        return Result(subprocess.run([os.path.abspath(RASTRUM), *map(str, words)], stdin=stdin, capture_output=True, check=False,
                                     timeout=PATIENCE, cwd=cwd, env={**os.environ, **(env or {})}, preexec_fn=lambda: limit(memory_mib)))
    except subprocess.TimeoutExpired:
        return None


def verdict(result, statuses=DOCUMENTED):
    """What is wrong with the end of a run; "" if nothing is."""
    if result is None:
        return f"does not end within {PATIENCE} s"
    status = result if isinstance(result, int) else result.status
    told = "" if isinstance(result, int) else ": " + result.err[-300:]
    if status < 0:
        return f"ended by {signal.Signals(-status).name}{told}"
    return "" if status in statuses else f"status {status}{told}"


def small_recordings(n_max=256 * 1024):
    """(path, bytes) of recordings of each dialect."""
    more = ["tests/data/liteos/a_arm32_default/online.tlv", "tests/data/liteos/a_arm32_default/dump.txt"]
    found = [(path, slurp(path)) for path in [*recordings(), *more]]
    return [(path, data) for path, data in found if 0 < len(data) <= n_max]


def mutated(random_, data):
    """The bytes with some flipped, cut out, put in, doubled or cleared."""
    data = bytearray(data)
    for _ in range(random_.choice((1, 1, 2, 3, 8, 40))):
        at, n = random_.randrange(len(data) + 1), random_.choice((1, 2, 4, 8, 16, 100))
        piece = data[at:at + n]
        way = random_.randrange(7)
        if way <= 1 and at < len(data):
            data[at] ^= 1 << random_.randrange(8)
        elif way == 2:
            del data[at:at + n]
        elif way == 3:
            data[at:at] = random_.randbytes(n)
        elif way == 4:
            data[at:at] = piece * random_.choice((1, 2, 50))
        elif way == 5:
            data[at:at + len(piece)] = random_.choice((b"\0", b"\xff", b"\x7f", b"\x80")) * len(piece)
        elif random_.random() < 0.2:
            del data[at:]
    return bytes(data)


def shown(faults, n_max=10):
    return [f"SEED={SEED} reproduces it", *faults[:n_max]]


def programs_copied(top):
    """Copies of the program and of what it needs to record, where every user can run them: {name: path}."""
    folder = os.path.join(top, "bin")
    os.mkdir(folder, 0o755)
    names = ("rastrum", "posix-trace-consumer", "librastrum-preload.so", "libposixtrace.so.0")
    places = {name: os.path.join(os.path.dirname(os.path.abspath(RASTRUM)), name) for name in names}
    return {name: shutil.copy(path, folder) for name, path in places.items()}


def processes_of(path):
    """Of a program that no one else runs, because its file is a copy."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += [int(pid)] if os.readlink(f"/proc/{pid}/exe") == path else []
        except OSError:
            pass  # it has ended meanwhile
    return found


def wait_for_ends(paths):
    """Until no process runs one of these programs; what still runs after a long time, in words."""
    end = time.monotonic() + PATIENCE
    while (pids := [pid for path in paths for pid in processes_of(path)]) and time.monotonic() < end:
        try:
            handle = os.pidfd_open(pids[0])
        except ProcessLookupError:
            continue
        select.select([handle], [], [], PATIENCE)
        os.close(handle)
    return [f"{os.path.basename(path)}: process {pid}" for path in paths for pid in processes_of(path)]
