#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Input that was made to do harm: each is read by every command within the memory and the time that docs/LIMITS.md
promises, and ends with a sentence, not with a signal.
"""
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from tap import RASTRUM, Result, done, ok  # noqa: E402

# A sanitizer's program maps terabytes, and is slow.
IS_CHECKED = os.environ.get("BUILD") in ("asan", "tsan")
MIB = 1 << 20
SECONDS = 60 if IS_CHECKED else 10
TMP = tempfile.mkdtemp(prefix="rastrum-hostile-")
WAYS = (("report",), ("report", "-f", "jsonl"), ("info",), ("info", "--json"))


def kept(name, data):
    path = os.path.join(TMP, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


def limited(memory_mib, *words, stdin=None):
    """Runs the program with so much memory; Result with its seconds, or None: it took too long."""
    def limit():
        if not IS_CHECKED:
            resource.setrlimit(resource.RLIMIT_AS, (memory_mib * MIB, memory_mib * MIB))
    begin = time.monotonic()
    try:
        run = subprocess.run([RASTRUM, *words], stdin=stdin or subprocess.DEVNULL, capture_output=True, check=False,
                             timeout=SECONDS, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return None
    result = Result(run)
    result.seconds = time.monotonic() - begin
    return result


def survives(path, sentence, status=3, memory_mib=256, ways=WAYS, says=None, options=()):
    """Every way ends in time, within the memory, with this exit status, and says it on stderr."""
    faults = []
    for way in ways:
        run = limited(memory_mib, *way, *options, path)
        if run is None:
            faults.append(f"{' '.join(way)}: more than {SECONDS} s")
        elif run.status != status or (says and says not in run.err + run.out):
            faults.append(f"{' '.join(way)}: status {run.status}: {run.err[:300]}")
    ok(not faults, sentence, *faults)


# --- compact: a stream of blocks ------------------------------------------------------------------------------------


def crc16(data):
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def compact_block(core, first_event, records):
    body = bytes([ord("e"), len(records), core]) + struct.pack("<III", first_event, 0, 0) + records
    return b"\xf5" + body + struct.pack("<H", crc16(body))


def compact_gaps(n_odd, n):
    """Blocks of a core too many, each behind a loss: two markers at once, so that one of them meets a full batch."""
    record = bytes([32 << 2, 1])
    out, first = compact_block(0, 0, record), 1
    for i in range(n):
        out += compact_block(64, first, record)
        first += 1000 * (i + 1 >= n_odd)
    return out


def check_compact():
    for n_odd in (0, 1, 2):
        path = kept(f"gaps{n_odd}.rtc", compact_gaps(n_odd, 300))
        survives(path, f"compact: a loss and damage at the end of a full batch ({n_odd} alone before them)")
        run = limited(256, "report", "-q", "-f", "jsonl", path)
        lines = [json.loads(line) for line in run.lines if line.startswith("{")] if run else []
        ok(sum("damage" in line for line in lines) == 300, "and each has its row",
           f"{sum('damage' in line for line in lines)} rows of damage")


check_compact()
sys.exit(done())
