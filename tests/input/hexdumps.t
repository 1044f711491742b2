#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Memory that tools have printed as text (tests/data/hexdump/) reads like the memory itself, and so does what they print now."""
import glob
import json
import os
import random
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, golden_bytes, ok, rastrum, same, skip  # noqa: E402

FOLDER = "tests/data/hexdump"
WORDS = "tests/goldens/threadx/words-of-32-bits-{}-endian.hex"
DUMP = "tests/data/threadx/isr_nested.trx"
RKH = "tests/data/rkh/r1_default.bin"
# What is printed as numbers, and so has an order of bytes.
NUMBERS = ("gdb-xh", "gdb-xw", "gdb-xg", "gdb-session", "gdb-p-words", "lldb-words", "xxd-e", "hexdump.txt", "od.txt", "od-Ad",
           "od-Ax-tx4", "openocd-mdw", "openocd-mdh", "jlink-mem32", "uboot")
STYLES = (("gdb-p", "C array"), ("xxd-i", "C array"), ("gdb", "gdb-style"), ("lldb-bytes", "lldb-style"), ("lldb-words", "gdb-style"),
          ("xxd", "xxd-style"), ("uboot", "xxd-style"), ("hexdump-C", "hexdump-style"), ("od-Ax-tx1z", "hexdump-style"),
          ("hexdump", "od-style"), ("od", "od-style"), ("openocd", "OpenOCD-style"), ("jlink", "J-Link-style"))


def slurp(path):
    with open(path, "rb") as file:
        return file.read()


def golden(order):
    return golden_bytes(WORDS.format(order))


def report(data, *options):
    return rastrum("report", "-f", "jsonl", "-", *options, stdin=data)


def wrapping(data):
    return json.loads(rastrum("info", "--json", "-", stdin=data).out)["details"]["wrapping"]


def check_files():
    want = {order: report(golden(order)) for order in ("little", "big")}
    ok(all(run.status == 0 and len(run.lines) > 1 for run in want.values()), "the dumps themselves are good",
       want["little"].err, want["big"].err)
    files = sorted(glob.glob(FOLDER + "/*.txt"))
    ok(len(files) >= 25, "there are files of all tools", len(files))
    for path in files:
        name, data = os.path.basename(path), slurp(path)
        order = "big" if "-big" in name else "little"
        run = report(data)
        ok(run.bytes == want[order].bytes and run.status == 0 and not run.err, f"{name} reads like the dump", run.err, run.lines[:1])
        style = next(style for start, style in STYLES if name.startswith(start))
        suffix = f" of {order}-endian words" if name.startswith(NUMBERS) else ""
        got = wrapping(data)
        ok(got.startswith(style) and got.endswith(suffix) and (suffix or "words" not in got), "and info shows how it was printed", got)


def check_tools():
    """What stands on this machine, over whole recordings; words also of a dialect without a magic number."""
    commands = (("od",), ("od", "-A", "x", "-t", "x1"), ("od", "-t", "x4"), ("xxd",), ("xxd", "-e"), ("xxd", "-i"), ("hexdump", "-C"),
                ("hexdump",))
    for path in (DUMP, RKH):
        want = rastrum("report", "-f", "jsonl", path)
        for command in commands:
            sentence = f"{os.path.basename(path)} by {' '.join(command)} reads like itself"
            if not shutil.which(command[0]):
                skip(sentence, f"no {command[0]}")
                continue
            text = subprocess.run([*command, path], capture_output=True, check=True).stdout
            ok(report(text).bytes == want.bytes, sentence, wrapping(text))


def check_damage():
    """Lines that are lost or damaged anywhere: what is there keeps its place, and the exit status is 3."""
    text, want = slurp(FOLDER + "/xxd.txt"), report(golden("little"))
    lines = text.splitlines(keepends=True)
    for n in range(1, len(lines) - 1):
        run = report(b"".join(lines[:n] + lines[n + 1:]), "-d", "threadx")
        ok(run.status == 3 and f"line {n + 1}: 16 bytes are missing here" in run.err, f"without row {n + 1}: reported", run.err)
    run = report(b"".join(lines[:-2]))
    ok(run.status == 3 and len(run.lines) > 1 and "the dump is cut" in run.err, "without its last rows the dump is cut", run.err)
    numbers = random.Random(7)
    for _ in range(20):
        data = bytearray(text)
        data[numbers.randrange(len(text))] = numbers.randrange(33, 127)
        run = report(bytes(data), "-d", "threadx")
        ok(run.status in (0, 2, 3) and "sanitizer" not in run.err.lower(), "a character that is another does no harm", run.err)
    same(report(b"$ xxd dump.trx\n" + text).bytes, want.bytes, "the command may stand in front")
    same(rastrum("report", "-f", "jsonl", FOLDER + "/gdb-xw-big.txt", "-d", "threadx").bytes, report(golden("big")).bytes,
         "a dialect that is named chooses the order of bytes")


def check_unknown():
    run = report(subprocess.run(["od", "-A", "x", "-t", "x4", "README.md"], capture_output=True, check=True).stdout)
    ok(run.status == 3 and "this input, wrapped in od-style dump of little-endian words: it is no trace of threadx" in run.err,
       "the message about a dump that is no trace shows how it was read", run.err)
    for number, text in enumerate(("0x20001000: started\n0x20001008: stopped\n", "10:41:42 main: 4142\n10:41:43 main: 4344\n")):
        run = report(text.encode())
        ok(run.status == 3 and "this input: it is no trace of threadx" in run.err, f"a log is no dump ({number + 1})", run.err)


def main():
    check_files()
    check_tools()
    check_damage()
    check_unknown()
    return done()


sys.exit(main())
