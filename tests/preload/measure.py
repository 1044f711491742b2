#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What librastrum-preload.so costs: functions one by one, and real programs where they are installed. Each workload is run
plainly, preloaded while nobody traces, and traced into a log, one after the other, several times; medians are printed, and
their ratio to the plain run. After `make check`: tests/preload/measure.py [ROUNDS [WORKLOAD...]].
"""
import glob
import os
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


def environment(mode, log="trace.rst"):
    words = dict(os.environ)
    if mode != "plain":
        words["LD_PRELOAD"] = f"{OUT}/librastrum-preload.so"
    if mode == "traced":
        words["LD_PRELOAD"] += f" {STAGE}/stream.so"
        words.update(PRELOAD_LOG=os.path.join(FOLDER, log), PRELOAD_STREAM_BYTES=str(64 << 20),
                     POSIX_TRACE_KEEPER=f"{OUT}/posix-trace-keeper")
    return words


def timed(mode, *words, stdin=b""):
    begin = time.monotonic()
    subprocess.run(words, env=environment(mode), input=stdin, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def python(mode):
    return {"seconds": timed(mode, "/usr/bin/python3", "-c", PYTHON)}


def sqlite(mode):
    path = os.path.join(FOLDER, "data.sqlite")
    for old in glob.glob(path + "*"):
        os.remove(old)
    return {"seconds": timed(mode, "sqlite3", path, stdin=SQLITE.encode())}


def cost(mode):
    run = subprocess.run([f"{STAGE}/cost"], env=environment(mode), stdout=subprocess.PIPE, text=True, check=True)
    return {name + "_ns": float(value) for name, value in (line.split() for line in run.stdout.splitlines())}


def tools_of_postgres():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    return found[-1] if found else None


def as_postgres(*words, mode="plain", **how):
    return subprocess.run(["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *words],
                          env=environment(mode, "postgres/trace.rst"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=True, **how).stdout


def postgres_begin(tools, folder):
    os.mkdir(folder)
    shutil.chown(folder, "postgres", "postgres")
    as_postgres(f"{tools}/initdb", "-D", f"{folder}/data", "-A", "trust")


def postgres(mode):
    """The server is what is traced; pgbench is not. Time for a transaction."""
    tools, folder = tools_of_postgres(), os.path.join(FOLDER, "postgres")
    is_new = not os.path.exists(folder)
    if is_new:
        postgres_begin(tools, folder)
    as_postgres(f"{tools}/pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/server.log", "-o",
                f"-k {folder} -p 5998 -c listen_addresses=", "start", mode=mode)
    there = ("-h", folder, "-p", "5998")
    try:
        if is_new:
            as_postgres(f"{tools}/createdb", *there, "bench")
            as_postgres(f"{tools}/pgbench", *there, "-q", "-i", "-s", "5", "bench")
        result = {}
        for name, words in (("select", ("-S",)), ("update", ())):
            said = as_postgres(f"{tools}/pgbench", *there, *words, "-c", "4", "-T", "5", "bench")
            assert "number of failed transactions: 0 " in said, said
            tps = float(said.split("tps = ")[1].split()[0])
            result[name + "_us"] = 1e6 / tps
        return result
    finally:
        as_postgres(f"{tools}/pg_ctl", "-D", f"{folder}/data", "-m", "fast", "-w", "stop")


WORKLOADS = {"cost": (cost, f"{STAGE}/cost"), "python": (python, "/usr/bin/python3"), "sqlite": (sqlite, shutil.which("sqlite3")),
             "postgres": (postgres, tools_of_postgres() and shutil.which("setpriv") and os.getuid() == 0)}


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
        print(f"{name + ' ' + row:24}{plain:12.3f}{preloaded:12.3f}{traced:12.3f}"
              f"{preloaded / plain:10.3f}{traced / plain:10.3f}", flush=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"{'workload':24}{'plain':>12}{'preloaded':>12}{'traced':>12}{'ratio':>10}{'ratio':>10}")
    try:
        for name in sys.argv[2:] or WORKLOADS:
            measure(name, rounds)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


main()
