#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of functions tell apart in a stack trace: a room has no two static functions of one name, and no name fits any file."""
import collections
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import Faults, done, ok, slurp  # noqa: E402

STATIC = re.compile(r"^static (?:inline |_Noreturn |__attribute__\(\([^)]*\)+ )*(?:const )?[\w ]+?[ \*]+(\w+)\(", re.M)
GENERIC = {"add", "begin", "done", "fail", "fill", "find", "fits", "goes_on", "holds", "is_own", "is_told", "keep", "look", "look_at", "make",
           "next", "put", "put_number", "read", "run", "take", "tell", "walk"}


def main():
    files = collections.defaultdict(set)
    for path in sorted(glob.glob("src/**/*.c", recursive=True)):
        if not path.endswith("_test.c"):
            for name in STATIC.findall(slurp(path).decode()):
                files[os.path.dirname(path), name].add(os.path.basename(path))
    ok(len(files) > 5000, "static functions are found", len(files))
    twice = [f"{room}: {name}() is in {', '.join(sorted(found))}" for (room, name), found in files.items() if name != "__attribute__" and len(found) > 1]
    ok(not twice, "no two static functions of a room have one name", *Faults(twice))
    generic = [f"{room}: {name}() in {', '.join(sorted(found))}" for (room, name), found in files.items() if name in GENERIC]
    ok(not generic, "no function has a name that fits any file", *Faults(generic))


main()
sys.exit(done())
