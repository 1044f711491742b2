#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packed blocks of events, those in frames of zstd, and those of before: the same events read the same in all forms. The other
forms are made here, by the words of docs/LOG.md, not by src/log."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import posix_log as log  # noqa: E402
from tap import BUILD, CHECKERS, done, ok, rastrum, same  # noqa: E402

FORMATS = [("text",), ("jsonl",), ("csv",), ("aix",)]
DAMAGED = {"damage", "ring-area-cut"}  # bytes of these are not whole blocks
CONSUMER = os.path.abspath(f"build/{BUILD}/posix-trace-consumer")
EXAMPLE = "examples/posix/periodic.c"


def file_of(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


def needs(data):
    return struct.unpack_from("<I", data, 20)[0]


def compare(what, one, other):
    """Two logs of the same events, as files and as streams."""
    if needs(other) & log.NEEDS_ZSTD:
        what += ", compressed"
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        paths = file_of(first, "log.rst", one), file_of(second, "log.rst", other)
        for (form,) in FORMATS:
            shown = [rastrum("report", "-f", form, path) for path in paths]
            ok(shown[0].status == 0 or what in log.GOLDENS, f"{what}: {form} ends well", shown[0].err)
            same(shown[1].out, shown[0].out, f"{what}: {form} is the same in both forms")
            same(shown[1].status, shown[0].status, f"{what}: and so is the status")
        shown = [rastrum("report", "-", stdin=data) for data in (one, other)]
        same(shown[1].out, shown[0].out, f"{what}: and of a stream")


for name, (make, _) in log.GOLDENS.items():
    data = make().bytes()
    if name not in DAMAGED and not needs(data) & (log.NEEDS_AREA | log.NEEDS_ZSTD):
        packed = log.pack_log(data)
        ok(len(packed) <= len(data), f"{name}: packed events are not longer")
        same(log.unpack_log(packed), data, f"{name}: and come back byte by byte")
        compare(name, data, packed)
        compare(name, data, log.zip_log(data))

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "run.rst")
    program = os.path.join(folder, "program")
    subprocess.run(["gcc", *CHECKERS, "-pthread", "-Iinclude", EXAMPLE, f"build/{BUILD}/libposixtrace.a", "-o", program], check=True)
    env = {**os.environ, "POSIX_TRACE_CONSUMER": CONSUMER}
    same(subprocess.run([program, path], env=env, check=False).returncode, 0, "a program is recorded")
    with open(path, "rb") as file:
        data = file.read()
    ok(needs(data) & log.NEEDS_PACKED, "its log is packed")
    plain = log.unpack_log(data)
    ok(len(rastrum("report", path).lines) > 50, "it has events")
    ok(len(plain) > len(data), "as it was before it has more bytes", len(plain), len(data))
    compare("a recorded program", data, plain)
    compare("a recorded program", plain, log.zip_log(plain))
    at = data.index(struct.pack("<IHH", log.BLOCK_MAGIC, log.EVENTS, log.PACKED))
    length = struct.unpack_from("<I", data, at + 8)[0]
    first = data[at + 24:at + 24 + length]
    for note, body in (("a site that was not given", first[:24] + bytes([5]) + first[25:]), ("fewer bytes than events", first[:60])):
        bad = log.block(log.EVENTS, body, struct.unpack_from("<Q", data, at + 16)[0], log.PACKED)
        shown = rastrum("report", file_of(folder, "bad.rst", data[:at] + bad + data[at + 24 + (length + 7) // 8 * 8:]))
        same(shown.status, 3, f"{note}: the status is 3")
        ok("not well formed" in shown.err, f"{note}: the sentence names the events", shown.err)
    unknown = log.block(log.EVENTS, first, struct.unpack_from("<Q", data, at + 16)[0], 8)
    shown = rastrum("report", file_of(folder, "unknown.rst", data[:at] + unknown + data[at + 24 + (length + 7) // 8 * 8:]))
    ok(shown.status == 3 and "a form that this version does not know" in shown.err, "a flag that is not known is named", shown.err)



def unzipped(body):
    """A packed body of one whose events are a frame."""
    return body[:24] + subprocess.run(["zstd", "-dc"], input=body[24:], stdout=subprocess.PIPE, check=True).stdout


def kinds_of(data):
    """Flags of the blocks of events of a log without ring area."""
    at, flags = log.HEADER_BYTES, []
    while at < len(data):
        _, kind, flag, length = struct.unpack_from("<IHHI", data, at)
        flags += [flag] * (kind == log.EVENTS)
        at += 24 + (length + 7) // 8 * 8
    return flags


def unzip_log(data):
    """A log of `--compress` with plain events: short blocks are packed only."""
    flags = iter(kinds_of(data))
    return log.changed(data, lambda body: log.Unpacker(unzipped(body) if next(flags) & log.ZSTD else body).plain(), 0)


with tempfile.TemporaryDirectory() as folder:
    path, program = os.path.join(folder, "run.rst"), os.path.join(folder, "program")
    subprocess.run(["gcc", *CHECKERS, "-pthread", "-Iinclude", EXAMPLE, f"build/{BUILD}/libposixtrace.a", "-o", program], check=True)
    run = rastrum("record", "--compress", "-q", "-o", path, "--", program, os.path.join(folder, "own.rst"))
    ok(run.status == 0, "a program is recorded and compressed", run.err)
    with open(path, "rb") as file:
        data = file.read()
    ok(needs(data) == log.NEEDS_PACKED | log.NEEDS_ZSTD and log.ZSTD | log.PACKED in kinds_of(data), "its log has frames")
    if shutil.which("zstd"):
        compare("a compressed recording", data, unzip_log(data))
    else:
        print("# no zstd: the frames are not unpacked by another program")
    for note, words in (("a ring", ["--ring", "1Mi"]), ("a log that drops its oldest events", ["--log-size", "1Mi"])):
        run = rastrum("record", "--compress", *words, "-o", path, "--", "true")
        ok(run.status == 2 and "--compress" in run.err, f"{note} cannot be compressed", run.status, run.err)
    run = rastrum("record", "--compress", "-q", "--log-size", "1Mi", "--log-policy", "until-full", "-o", path, "--", "true")
    ok(run.status == 0, "one that is full can", run.err)
    empty = os.path.join(folder, "libzstd.so.1")
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", empty], input=b"int nothing;\n", check=True)
    script = file_of(folder, "consumer", f"#!/bin/sh\nLD_LIBRARY_PATH={folder} exec {CONSUMER}\n".encode())
    os.chmod(script, 0o755)
    run = rastrum("record", "--compress", "-o", path, "--", "true", env={"POSIX_TRACE_CONSUMER": script})
    ok(run.status == 5 and "needs zstd" in run.err and "libzstd1" in run.err, "without zstd there is a sentence", run.status, run.err)

sys.exit(done())
