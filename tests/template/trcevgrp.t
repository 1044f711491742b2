#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`rastrum trcevgrp`, and groups of hooks in trcrpt."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from hook_trace import Trace  # noqa: E402
from tap import RASTRUM, done, ok, rastrum, same  # noqa: E402

USAGE, IO = 2, 4
TMP = tempfile.mkdtemp(prefix="rastrum-trcevgrp-")
ENV = {**os.environ, "XDG_CONFIG_HOME": TMP}
FILE = f"{TMP}/rastrum/hook-groups"
RESERVED = ["tidhk", "gka", "linux"]
TIDHK = 'tidhk - Hooks needed to display thread name (reserved) "106,10C,134,139,465"'


def run(*words, **more):
    return rastrum("trcevgrp", *words, env={**ENV, **more})


def names(*words):
    return [line.split()[0] for line in run("-l", *words).lines]


def content():
    return open(FILE, encoding="utf-8").read()


def check_list():
    same(names(), RESERVED, "there are groups of AIX and one of ours")
    same(run("-l", "tidhk").lines, [TIDHK], "a line is as AIX lists it")
    same(names("linux", "tidhk"), ["linux", "tidhk"], "-l takes names")
    for word, what in (("tidkh", "did you mean tidhk?"), ("x", "tidhk, gka, linux")):
        result = run("-l", word)
        ok(result.status == USAGE and what in result.err and f"'{word}'" in result.err, f"one that there is not: {what}", result.err)
    same(rastrum("trcevgrp", "-l", env={**os.environ, "XDG_CONFIG_HOME": "", "HOME": ""}).lines, run("-l").lines, "they need no home")


def check_changes():
    result = run("-a", "-d", "the motor (left)", "-h", "10a 011,0110", "motor")
    ok(result.status == 0 and not result.out and not result.err, "-a makes a group", result.err)
    same(content(), 'motor - the motor (left) (user) "10A,011"\n', "hooks are normalised, each once")
    run("-a", "-d", 'a - b (user)', "-h", "0123", "b.2")
    same(run("-l", "motor", "b.2").lines, ['motor - the motor (left) (user) "10A,011"', 'b.2 - a - b (user) (user) "0123"'], "and listed")
    same(run("-u", "-h", "012", "motor").status, 0, "-u changes hooks")
    same(run("-u", "-d", "left", "motor").status, 0, "or the description")
    same(run("-l", "motor").lines, ['motor - left (user) "012"'], "and leaves the other")
    result = run("-r", "b.2", "motor")
    ok(result.status == 0 and names() == RESERVED and content() == "", "-r removes groups", result.err, content())
    same(sorted(os.listdir(f"{TMP}/rastrum")), ["hook-groups"], "nothing else is left in the folder")


def check_refused():
    run("-a", "-d", "one", "-h", "010", "one")
    before = content()
    for words, what in (((), "one of -l, -a, -u and -r"), (("-l", "-r"), "one of -l, -a, -u and -r"), (("-a", "x"), "-a needs both"),
                        (("-a", "-d", "x", "-h", "010"), "one group"), (("-a", "-d", "x", "-h", "010", "two", "words"), "no words"),
                        (("-u", "one"), "-u needs"), (("-l", "-h", "010"), "-a and -u only"), (("-r",), "needs the name"),
                        (("-r", "two"), "no group of hooks 'two'"), (("-u", "-d", "x", "two"), "no group of hooks 'two'"),
                        (("-r", "one", "gka"), "reserved"), (("-u", "-d", "x", "tidhk"), "reserved"), (("-a", "-d", "x", "-h", "010", "gka"), "reserved"),
                        (("-a", "-d", "x", "-h", "010", "one"), "there already"), (("-a", "-d", "x", "-h", "01", "two"), "'01' is no hook"),
                        (("-a", "-d", "x", "-h", "010,01Z", "two"), "'01Z' is no hook"), (("-a", "-d", "x", "-h", ", ", "two"), "at least one hook"),
                        (("-a", "-d", 'say "x"', "-h", "010", "two"), "without double quotes"), (("-a", "-d", "a\nb", "-h", "010", "two"), "one line"),
                        (("-a", "-d", "x", "-h", "010", "two words"), "cannot name a group"), (("-a", "-d", "x", "-h", "010", "a" * 65), "64 at the most")):
        result = run(*words)
        ok(result.status == USAGE and what in result.err and len(result.err.splitlines()) == 1 and content() == before,
           f"{' '.join(words)[:50]!r}: {what}", result.status, result.err)
    for text, what in (("what\n", "'what'"), ('x - y (user) "01"\n', "'01' is no hook"), ('x y - z (user) "010"\n', "'x y - z"), ('x - y "010"\n', "'x - y"),
                       ('x - (user) "010"\n', "'x -"), ('x - y (user) "010" z\n', "no group")):
        with open(FILE, "w", encoding="utf-8") as file:
            file.write("# mine\n\n" + text)
        result = run("-l")
        ok(result.status == USAGE and what in result.err and FILE in result.err and "NAME - DESCRIPTION" in result.err, f"a bad line: {text!r}", result.err)
        same(run("-a", "-d", "x", "-h", "010", "new").status, USAGE, "nothing is added to such a file")
    os.unlink(FILE)
    os.mkdir(FILE)
    result = run("-l")
    ok(result.status == IO and FILE in result.err, "a folder in its place is no file of groups", result.err)
    os.rmdir(FILE)
    ok(run("-a", "-d", "x", "-h", "010", "x", XDG_CONFIG_HOME="/proc/nonexistent").status == IO, "where nothing can be written, nothing is")
    ok(run("-a", "-d", "x", "-h", "010", "x", XDG_CONFIG_HOME="", HOME="").status == USAGE, "without a home there is no place for groups")
    with open("/dev/full", "wb") as full:
        ended = subprocess.run([RASTRUM, "trcevgrp", "-l"], stdout=full, stderr=subprocess.PIPE, env=ENV, check=False)
    ok(ended.returncode == IO and b"No space left" in ended.stderr, "a full disk", ended.stderr)


def check_together():
    """Programs that change the file at once lose nothing."""
    group = [subprocess.Popen([RASTRUM, "trcevgrp", "-a", "-d", "x", "-h", f"{n:03X}", f"g{n}"], env=ENV) for n in range(16, 32)]
    ok(not any(one.wait() for one in group) and sorted(names()) == sorted(RESERVED + [f"g{n}" for n in range(16, 32)]), "sixteen at once", names())
    run("-r", *[f"g{n}" for n in range(16, 32)])


def check_report():
    trace = Trace(4, "big", 1000)
    for n in range(4):
        trace.stamp = n
        trace.entry(0x0100 + 0x10 * n, 0)
    path = f"{TMP}/trace.bin"
    with open(path, "wb") as file:
        file.write(trace.data)
    run("-a", "-d", "ends", "-h", "010,013", "ends")
    run("-a", "-d", "mid", "-h", "011", "mid")

    def ids(*words):
        return [line.split()[0] for line in rastrum("trcrpt", "-h", *words, path, env=ENV).lines]

    same(ids("-D", "ends"), ["010", "013"], "trcrpt -D takes a group")
    same(ids("-D", "ends,mid"), ["010", "011", "013"], "and several")
    same(ids("-D", "ends", "-d", "012"), ["010", "012", "013"], "with hooks besides")
    same(ids("-K", "ends"), ["011", "012"], "-K leaves groups out")
    same(ids("-D", "ends mid", "-k", "010"), ["011", "013"], "blanks part names, and -k goes before")
    same(rastrum("trcrpt", "-G", env=ENV).out, run("-l").out, "-G lists them, without a trace")
    for letter in "DK":
        result = rastrum("trcrpt", f"-{letter}", "none", path, env=ENV)
        ok(result.status == USAGE and "no group of hooks 'none'" in result.err and not result.out, f"-{letter} with a group that there is not", result.err)
    link = f"{TMP}/trcevgrp"
    os.symlink(os.path.abspath(RASTRUM), link)
    same(subprocess.run([link, "-l", "tidhk"], capture_output=True, check=False, text=True, env=ENV).stdout.splitlines(), [TIDHK],
         "called trcevgrp, the program is that command")


for check in (check_list, check_changes, check_refused, check_together, check_report):
    check()
shutil.rmtree(TMP)
sys.exit(done())
