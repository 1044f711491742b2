#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Part of `make demo`: a Cortex-M3 under qemu records with each encoder, and `rastrum report` shows the dumps."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build
import rows


def main():
    folder, rastrum = os.path.abspath(sys.argv[1]), sys.argv[2]
    m3 = build.TARGETS["m3"]
    for tool in (m3.prefix + "gcc", m3.qemu):
        if not shutil.which(tool):
            print(f"(left out: there is no {tool}; `make embed-check` installs it)")
            return
    for encoder in rows.encoders():
        if encoder.demo is None:
            continue
        program = build.Program(encoder, m3, "-Os", "record", folder)
        program.qemu("-icount", f"shift={build.ICOUNT_SHIFT}")
        command = [rastrum, "report", *encoder.demo, os.path.relpath(os.path.join(program.folder, "dump.bin"))]
        print(f"\n$ {' '.join(command)}", flush=True)
        subprocess.run(command)


main()
