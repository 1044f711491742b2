#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What librastrum-preload.so costs: functions one by one, in nanoseconds, and real programs where they are installed, in
processor time of the program and its children, for each request where it serves. Each workload is run plainly, preloaded
without tracing, and traced into a log, one after the other, several times; medians are printed, their ratios to the
plain run, and how many events there were. What the consumer of the log does is its own time, and not in it.

After `make check`: tests/preload/measure.py [ROUNDS [WORKLOAD...]].
"""
import glob
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

OUT = os.path.abspath(f"build/{os.environ.get('BUILD', 'release')}")
STAGE = os.path.join(OUT, "test/tests/preload")
MODES = ("plain", "preloaded", "traced")
FOLDER = tempfile.mkdtemp(prefix="rastrum-preload-")
os.chmod(FOLDER, 0o755)
PYTHON = """
import queue, threading
work, done = queue.Queue(64), queue.Queue()
def consume():
    while (n := work.get()) is not None:
        done.put(sum(range(n)))
threads = [threading.Thread(target=consume) for _ in range(4)]
for thread in threads: thread.start()
for _ in range(60000): work.put(50)
for _ in threads: work.put(None)
for thread in threads: thread.join()
"""
SQLITE = """
PRAGMA journal_mode=WAL;
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) INSERT INTO t SELECT i, hex(i) FROM n;
CREATE INDEX i ON t(b);
SELECT count(*), sum(length(b)) FROM t WHERE b > '5';
UPDATE t SET b = b || 'x' WHERE a % 3 = 0;
"""


def variables(mode):
    words = {}
    if mode != "plain":
        words["LD_PRELOAD"] = f"{OUT}/librastrum-preload.so"
    if mode == "traced":
        words["LD_PRELOAD"] += f" {STAGE}/stream.so"
        words.update(PRELOAD_LOG=os.path.join(FOLDER, "trace.rst"), PRELOAD_STREAM_BYTES=str(16 << 20),
                     POSIX_TRACE_CONSUMER=f"{OUT}/posix-trace-consumer")
    return words


def environment(mode):
    return {**os.environ, **variables(mode)}


def start(mode, *words, **how):
    return subprocess.Popen(words, env=environment(mode), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **how)


def finish(process):
    """Seconds of the processor."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.args
    return usage.ru_utime + usage.ru_stime


def seconds(mode, *words):
    return {"ms": 1000 * finish(start(mode, *words, stdin=subprocess.DEVNULL))}


def output_of(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout


def made(name, content):
    path = os.path.join(FOLDER, name)
    if not os.path.exists(path):
        with open(path, "wb") as file:
            file.write(content())
    return path


def numbers():
    rows = list(range(500000))
    random.Random(1).shuffle(rows)
    return "".join(f"{n}\n" for n in rows).encode()


def python(mode):
    return seconds(mode, "/usr/bin/python3", "-c", PYTHON)


def compress(mode):
    return seconds(mode, "xz", "-0", "-T2", "-k", "-c", made("random", lambda: os.urandom(8 << 20)))


def sort(mode):
    return seconds(mode, "sort", "--parallel=4", "-S", "4M", "-n", made("numbers", numbers))


def shell(mode):
    return seconds(mode, "sh", "-c", "i=0; while [ $i -lt 200 ]; do echo $i | sed s/1/2/; i=$((i + 1)); done")


def sqlite(mode):
    for old in glob.glob(os.path.join(FOLDER, "data.sqlite*")):
        os.remove(old)
    return seconds(mode, "sqlite3", os.path.join(FOLDER, "data.sqlite"), SQLITE)


def cost(mode):
    run = subprocess.run([f"{STAGE}/cost"], env=environment(mode), stdout=subprocess.PIPE, text=True, check=True)
    return {name + "_ns": float(value) for name, value in (line.split() for line in run.stdout.splitlines())}


def until(holds):
    for _ in range(200):
        if holds():
            return
        time.sleep(0.05)
    raise TimeoutError


def redis(mode):
    requests = 60000
    server = start(mode, "redis-server", "--port", "5997", "--save", "")
    client = ("redis-cli", "-p", "5997")
    until(lambda: subprocess.run([*client, "ping"], capture_output=True, check=False).stdout == b"PONG\n")
    output_of("redis-benchmark", "-p", "5997", "-q", "-n", str(requests), "-c", "20", "-t", "get")
    subprocess.run([*client, "shutdown", "nosave"], capture_output=True, check=False)
    return {"request_us": 1e6 * finish(server) / requests}


def postgres_tools():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    return found[-1] if found and shutil.which("setpriv") and os.getuid() == 0 else None


def postgres(mode, kind):
    tools, folder = postgres_tools(), os.path.join(FOLDER, "postgres")
    user = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")
    there = ("-h", folder, "-p", "5998")
    is_new = not os.path.exists(folder)
    if is_new:
        os.mkdir(folder)
        shutil.chown(folder, "postgres", "postgres")
        output_of(*user, f"{tools}/initdb", "-D", f"{folder}/data", "-A", "trust")
    os.chmod(FOLDER, 0o777)
    for old in glob.glob(os.path.join(FOLDER, "trace.rst")):
        os.remove(old)
    preload = ("env", *(f"{name}={value}" for name, value in variables(mode).items()))
    server = start("plain", *user, *preload, f"{tools}/postgres", "-D", f"{folder}/data", "-k", folder, "-p", "5998", "-c", "listen_addresses=",
                   stdin=subprocess.DEVNULL)
    until(lambda: subprocess.run([f"{tools}/pg_isready", *there], capture_output=True, check=False).returncode == 0)
    if is_new:
        output_of(*user, f"{tools}/createdb", *there, "bench")
        output_of(*user, f"{tools}/pgbench", *there, "-q", "-i", "-s", "2", "bench")
    result = output_of(*user, f"{tools}/pgbench", *there, *kind, "-n", "-c", "4", "bench")
    assert "number of failed transactions: 0 " in result, result
    output_of(*user, f"{tools}/pg_ctl", "-D", f"{folder}/data", "-m", "fast", "-w", "stop")
    return {"transaction_us": 1e6 * finish(server) / (4 * int(kind[-1]))}


WORKLOADS = {
    "cost": (cost, f"{STAGE}/cost"),
    "xz": (compress, shutil.which("xz")),
    "sort": (sort, shutil.which("sort")),
    "python": (python, "/usr/bin/python3"),
    "sqlite": (sqlite, shutil.which("sqlite3")),
    "sh": (shell, shutil.which("sed")),
    "redis": (redis, shutil.which("redis-server") and shutil.which("redis-benchmark")),
    "postgres-read": (lambda mode: postgres(mode, ("-S", "-t", "10000")), postgres_tools()),
    "postgres-write": (lambda mode: postgres(mode, ("-t", "1000")), postgres_tools()),
}


def events():
    """Of the last log, and how many were lost."""
    def end():
        return json.loads(output_of(f"{OUT}/rastrum", "info", "--json", os.path.join(FOLDER, "trace.rst")))
    until(lambda: end()["details"]["complete"])
    return end()["details"]["end"]


def measure(name, rounds):
    run, there = WORKLOADS[name]
    if not there:
        print(f"# {name}: not here")
        return
    rows = {}
    for _ in range(rounds):
        for mode in MODES:
            for row, value in run(mode).items():
                rows.setdefault(row, {}).setdefault(mode, []).append(value)
    for row, values in rows.items():
        plain, preloaded, traced = (statistics.median(values[mode]) for mode in MODES)
        print(f"{name + ' ' + row:30}{plain:12.2f}{preloaded:12.2f}{traced:12.2f}"
              f"{preloaded / plain:8.3f}{traced / plain:8.3f}", flush=True)
    print(f"# {name}: {events()}", flush=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"{'workload':30}{'plain':>12}{'preloaded':>12}{'traced':>12}{'ratio':>8}{'ratio':>8}")
    try:
        for name in sys.argv[2:] or WORKLOADS:
            measure(name, rounds)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


main()
