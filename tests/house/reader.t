#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reading a trace does not begin the recorder, and what measures the product is not in the program that users run."""
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, RASTRUM, done, ok, rastrum, same, skip  # noqa: E402

TRACE = "tests/data/threadx/basic_objects.trx"
# Of src/record/posix/load.c, bench/ and embed/.
BEGINS, MEASURES = {"load_begin", "load_end"}, {"gen_threadx", "floor_make", "record_bench", "txtb_put_event"}


def symbols(name):
    listed = subprocess.run(["nm", f"build/{BUILD}/{name}"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^[0-9a-f]* +[a-zA-Z] (\w+)$", listed, re.M))


def constructor_bytes(path):
    sections = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"\.init_array +INIT_ARRAY +\w+ \w+ (\w+)", sections).group(1), 16)


def check_symbols():
    for name in ("libposixtrace.so", "libposixtrace.a", "rastrum-bench"):
        ok(BEGINS <= symbols(name), f"{name} begins the recorder when it is loaded", BEGINS - symbols(name))
    for name in ("rastrum", "posix-trace-consumer"):
        ok(not BEGINS & symbols(name), f"{name} does not", BEGINS & symbols(name))
    ok(MEASURES <= symbols("rastrum-bench"), "rastrum-bench has the generators and measurements",
       MEASURES - symbols("rastrum-bench"))
    ok(not MEASURES & symbols("rastrum"), "rastrum has none of them", MEASURES & symbols("rastrum"))


def check_constructors():
    sentence = "no constructor runs in rastrum that an empty program has not"
    if BUILD != "release":
        skip(sentence, "sanitizers add constructors")
        return
    with tempfile.TemporaryDirectory(prefix="rastrum-reader-") as folder:
        subprocess.run(["gcc", "-pie", "-x", "c", "-", "-o", f"{folder}/empty"], input="int main(void) { return 0; }",
                       text=True, check=True)
        same(constructor_bytes(RASTRUM), constructor_bytes(f"{folder}/empty"), sentence)


def system_calls(*words):
    """The calls of a run that name a file, or that only the recorder makes."""
    with tempfile.TemporaryDirectory(prefix="rastrum-reader-") as folder:
        ran = subprocess.run(["strace", "-f", "-e", "trace=%file,membarrier", "-o", f"{folder}/calls", RASTRUM, *words],
                             capture_output=True, text=True, check=False)
        with open(f"{folder}/calls", encoding="utf-8", errors="replace") as file:
            return ran.returncode, [line for line in file if "/dev/shm" in line or "membarrier" in line]


def check_calls():
    readers = (["info", TRACE], ["report", TRACE], ["template", "list", "--dialect", "threadx"], ["--version"])
    sentences = [f"rastrum {words[0]} opens nothing where processes meet" for words in readers]
    if not shutil.which("strace") or BUILD != "release":
        for sentence in [*sentences, "rastrum record does"]:
            skip(sentence, "needs strace and a release build")
        return
    for words, sentence in zip(readers, sentences):
        status, calls = system_calls(*words)
        ok(status == 0 and not calls, sentence, status, *calls)
    status, calls = system_calls("record", "-o", "/dev/null", "--duration", "10ms", "--", "true")
    ok(status == 0 and any("/dev/shm" in line for line in calls), "rastrum record does", status, *calls)


same(rastrum("info", TRACE).status, 0, "the program reads a trace")
check_symbols()
check_constructors()
check_calls()
sys.exit(done())
