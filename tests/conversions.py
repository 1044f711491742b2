# SPDX-License-Identifier: MIT
"""What tests of `convert` and `query` share: recordings of every dialect, and what the report has of them."""
import json
import os
import tempfile

from tap import rastrum, sample, slurp

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


NO_TRACE = "tests/data/liteos/m_arm32_full_agent/client_commands.bin"  # what a client sends


def damages_of(data):
    """Names of damages, and what is left of the bytes: cut, without a piece, with other bytes, and with bytes of nothing in between."""
    third, half = len(data) // 3, len(data) // 2
    return {"cut": data[:-third - 5], "hole": data[:half + 3] + data[half + 100:], "zeros": data[:half] + bytes(64) + data[half + 64:],
            "inverted": bytes(byte ^ 0xff if n > third and n % 1999 < 3 else byte for n, byte in enumerate(data)),
            "noise": data[:half + 1] + bytes(n * 37 & 255 for n in range(50)) + data[half + 1:]}


def damaged_recordings():
    """A recording of each dialect that has one, damaged in several ways."""
    found = []
    for path in (INVERSION, "tests/data/rkh/r1_default.bin", "tests/data/liteos/a_arm32_default/online.tlv",
                 "tests/data/liteos/a_arm32_smp4_core_count/offline.bin", *(path for path in recordings() if path.endswith(("/posix-loss", "/compact-kernel", "/aix-words_32")))):
        for name, data in damages_of(slurp(path)).items():
            found.append(path_of("-".join(["damaged", *os.path.relpath(path, TMP.name if path.startswith(TMP.name) else "tests/data").split("/"), name])))
            with open(found[-1], "wb") as file:
                file.write(data)
    return found


def every_recording():
    """recordings(), all others of tests/data, and damaged ones: the first ones, and a sample of the others."""
    found = recordings()
    for folder, _, names in sorted(os.walk("tests/data")):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith((".trx", ".bin", ".tlv")) and path not in (*found, NO_TRACE):
                found.append(path)
    found += damaged_recordings()
    return found[:len(RECORDINGS)] + sample(found[len(RECORDINGS):])


def lines(path, *options):
    return [json.loads(line) for line in rastrum("report", "-q", "-f", "jsonl", *options, path).out.splitlines()]


def convert(path, form, *options, out=None):
    """(the run, what it wrote); with a name: to that file, or folder."""
    run = rastrum("convert", "-q", "-t", form, *options, path, *(["-o", out] if out else []))
    return run, slurp(out) if out and os.path.isfile(out) else run.bytes
