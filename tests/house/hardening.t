#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the compiler and the linker put into everything that is installed, to make an error of ours harder to use."""
import platform
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, done, ok, skip  # noqa: E402

PROGRAMS = ["rastrum", "rastrum-bench", "rastrum-view", "rastrum-timeline", "posix-trace-consumer"]
LIBRARIES = ["librastrum.so", "libposixtrace.so", "librastrum-preload.so"]
ARCHIVES = ["librastrum.a", "libposixtrace.a"]
FLAGS = ["-fstack-protector-strong", "-fstack-clash-protection"]
FLAGS += ["-fcf-protection"] if platform.machine() == "x86_64" else []


def readelf(name, *words):
    return subprocess.run(["readelf", "-W", *words, f"build/{BUILD}/{name}"], capture_output=True, text=True,
                          check=True).stdout


def check_compiled(name):
    """The compiler notes in each unit of the debug information what it was called with."""
    text = readelf(name, "--debug-dump=info", "--dwarf-depth=1")
    units = re.findall(r"DW_AT_producer.*(GNU C.*|clang.*)", text)
    weak = [flag for flag in FLAGS if not units or not all(flag in unit for unit in units)]
    if units and "clang" in units[0]:
        skip(f"{name}: compiled with {' '.join(FLAGS)}", "clang does not note its options")
    else:
        ok(not weak, f"{name}: each of its units is compiled with {' '.join(FLAGS)}", *weak)


def check_checked(name):
    """Calls whose buffers are checked end in _chk."""
    names = re.findall(r"\bUND (__\w+_chk)\b", readelf(name, "--dyn-syms"))
    ok(names, f"{name}: the C library checks the buffers that it is given", *names)


def check_linked(name):
    dynamic, segments = readelf(name, "-d"), readelf(name, "-l")
    ok("GNU_RELRO" in segments and re.search(r"FLAGS_1\).*\bNOW\b", dynamic),
       f"{name}: its tables of functions are bound when it is loaded, and cannot be written", dynamic)
    ok(re.search(r"GNU_STACK .* RW ", segments) and not re.search(r"LOAD .* RWE ", segments),
       f"{name}: no memory of it can be written and run", segments)


def check_paths(name):
    """Libraries are looked for where the system has them; the preload library finds the recorder that it belongs to."""
    paths = re.findall(r"R(?:UN)?PATH\).*\[(.*)\]", readelf(name, "-d"))
    wanted = ["$ORIGIN:$ORIGIN/.."] if "preload" in name else []
    ok(paths == wanted, f"{name}: libraries are looked for nowhere else than where they are installed", paths)


def main():
    if BUILD != "release":
        skip("what is installed is hardened", "only the release build is installed")
        return
    for name in PROGRAMS + LIBRARIES + ARCHIVES:
        check_compiled(name)
    for name in PROGRAMS + LIBRARIES:
        if "preload" not in name: # it gives no buffers of its own to the C library
            check_checked(name)
        check_linked(name)
        check_paths(name)
    for name in PROGRAMS:
        ok(re.search(r"FLAGS_1\).*\bPIE\b", readelf(name, "-d")), f"{name}: it may lie anywhere in memory")


main()
sys.exit(done())
