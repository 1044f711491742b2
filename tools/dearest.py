#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command that prints as `prove --timer` does, and then prints which twenty tests took the most processor time.

	tools/dearest.py prove -j2 --timer ...

Ends with the command's status.
"""
import re
import subprocess
import sys

N_SHOWN = 20
TIMED = re.compile(r"\] (\S+) \.+.* (\d+) ms .*= +([\d.]+) CPU\)")


def main():
    costs = []
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True, errors="replace") as run:
        for line in run.stdout:
            print(line, end="", flush=True)
            found = TIMED.search(line)
            if found:
                costs.append((float(found[3]), int(found[2]) / 1000, found[1]))
    costs.sort(reverse=True)
    print(f"The dearest of {len(costs)} tests, which took {sum(cost for cost, _, _ in costs):.0f} s of processor time:")
    for cost, seconds, name in costs[:N_SHOWN]:
        print(f"{cost:8.1f} s {seconds:8.1f} s of clock  {name}")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
