#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings that a transfer in text mode has changed: each LF has become CR LF."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, ok, rastrum, same, slurp  # noqa: E402

RECORDINGS = ["threadx/priority_inversion.trx", "threadx/stop_on_full.trx", "threadx/basic_objects.trx", "rkh/d1_bitflips.bin",
              "rkh/r3_nochk_nots.bin", "liteos/a_be32_core_count/offline.bin", "liteos/a_arm32_default/client_dump.tlv"]
UNDONE = "in text mode had put a CR (0d) in front of each LF (0a)"
DOUBT = "each LF (0a) has a CR (0d) in front"


def changed(data):
    return data.replace(b"\n", b"\r\n")


def report(data, *words):
    """As a file, which is looked at as a whole."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recording")
        with open(path, "wb") as file:
            file.write(data)
        return rastrum("report", "-f", "jsonl", path, *words)


def check_undone(name, data):
    plain, file, pipe = report(data), report(changed(data)), rastrum("report", "-f", "jsonl", "-", stdin=changed(data))
    ok(file.out == plain.out and file.status == plain.status and UNDONE in file.err, f"{name} is read as it was before",
       file.err)
    ok(pipe.status == plain.status and UNDONE in pipe.err, f"{name} by a pipe, too", pipe.err)
    ok(UNDONE not in plain.err and DOUBT not in plain.err, f"nothing is said of {name} as it is", plain.err)


def check_others():
    dump = slurp("tests/data/threadx/priority_inversion.trx")
    alone = report(changed(dump).replace(b"\r\n", b"\n", 1))
    ok(UNDONE not in alone.err and DOUBT not in alone.err, "nothing is undone where one LF has no CR", alone.err)
    cut = report(changed(dump)[:6000])
    ok(DOUBT in cut.err and UNDONE not in cut.err and cut.status == 3, "of a dump that is cut, too, it is only said", cut.err)
    # A thread whose address has 0d 0a in it, in each event: the dump is right as it is.
    right = dump.replace(b"\n", b"\x0b").replace(b"\xb0\x98\x5d\x56", b"\xb0\x0d\x0a\x56")
    kept = report(right)
    ok(right.count(b"\r\n") > 20 and UNDONE not in kept.err and DOUBT not in kept.err and "0x560a0db0" in kept.out,
       "a dump that has CR LF in an address stays as it is", kept.err)
    named = report(changed(dump), "--dialect", "threadx")
    ok(UNDONE in named.err, "a dialect that is named changes nothing", named.err)
    info = rastrum("info", "--json", "-", stdin=changed(dump))
    ok('"CR LF for LF"' in info.out, "info gives it as a wrapping", info.out[:300])


for recording in RECORDINGS:
    check_undone(recording, slurp(f"tests/data/{recording}"))
with tempfile.TemporaryDirectory() as top:
    store = os.path.join(top, "part.rsx")
    same(rastrum("cut", "tests/data/threadx/priority_inversion.trx", "-o", store).status, 0, "a store is made")
    check_undone("a store", slurp(store))
check_others()
sys.exit(done())
