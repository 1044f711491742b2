# SPDX-License-Identifier: MIT
"""What tests of `convert` and `query` share: recordings of every dialect, and what the report has of them."""
import json
import os
import tempfile

from tap import rastrum, slurp

INVERSION, LOST = "tests/data/threadx/priority_inversion.trx", "tests/data/rkh/d2_droppedruns.bin"
# With and without losses, damage, several cores, a clock.
RECORDINGS = [INVERSION, "tests/data/rkh/r1_default.bin", LOST, "tests/data/rkh/d1_bitflips.bin",
              "tests/data/liteos/a_arm32_smp4_core_count/offline.bin", "tests/data/liteos/a_lp64_smp2_reset_filter/offline.bin"]
TMP = tempfile.TemporaryDirectory()


def path_of(name):
    return os.path.join(TMP.name, name)


def recordings():
    """Those above, and the goldens that are no more than bytes."""
    found = list(RECORDINGS)
    for folder, _, names in sorted(os.walk("tests/goldens")):
        for name in sorted(names):
            if not name.endswith(".hex") or "/template" in folder:
                continue
            path = path_of(os.path.basename(folder) + "-" + name[:-4])
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                try:
                    data = bytes.fromhex("".join("".join(line.split("#")[0] for line in file).split()))
                except ValueError:
                    continue
            with open(path, "wb") as file:
                file.write(data)
            found.append(path)
    return found


def lines(path, *options):
    return [json.loads(line) for line in rastrum("report", "-q", "-f", "jsonl", *options, path).out.splitlines()]


def convert(path, form, *options, out=None):
    """(the run, what it wrote); with a name: to that file, or folder."""
    run = rastrum("convert", "-q", "-t", form, *options, path, *(["-o", out] if out else []))
    return run, slurp(out) if out and os.path.isfile(out) else run.bytes
