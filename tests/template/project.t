#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Templates in the folder of a recording are found by themselves, below those that the user names."""
import json
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from hook_trace import Trace  # noqa: E402
from tap import done, ok, rastrum, same, skip, slurp  # noqa: E402

USAGE = 2
DUMP = "tests/data/threadx/priority_inversion.trx"


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


def text_of(*words, **more):
    """The texts of all events, each once."""
    return sorted({json.loads(line)["text"] for line in rastrum("report", "-f", "jsonl", *words, **more).lines if '"text"' in line})


def check_places(folder):
    recording = Trace(4, "big")
    recording.entry(0x0100, 1)
    trace = put(f"{folder}/a/board.bin", recording.data)
    put(f"{folder}/a/motor.trcfmt", '010 1.0 "@" "beside it"\n')
    put(f"{folder}/a/notes.txt", '010 1.0 "@" "no template"\n')
    put(f"{folder}/a/other.trcfmt", '# dialect: threadx\n010 1.0 "@" "of another dialect"\n')
    same(text_of(trace), ["beside it"], "a template beside the recording is used")
    ok(rastrum("trcrpt", "-h", trace).out.endswith("  beside it\n"), "by trcrpt, too")
    ok("  beside it\n" in rastrum("report", "board.bin", cwd=f"{folder}/a").out, "where its path has no folder, too")
    ok("010" in rastrum("trcrpt", "-j", trace).out and "reading templates" in rastrum("trcrpt", "-v", trace).err, "lists have it")
    put(f"{folder}/home/rastrum/templates/mine.trcfmt", '010 1.0 "@" "mine"\n011 1.0 "@" "mine"\n')
    named = put(f"{folder}/named.trcfmt", '010 1.0 "@" "named"\n')
    mine = {"XDG_CONFIG_HOME": f"{folder}/home"}
    same(text_of(trace, env=mine), ["beside it"], "it takes the place of yours")
    same(text_of(trace, env={**mine, "RASTRUM_TEMPLATES": named}), ["named"], "but not of one that the environment names")
    same(text_of("--templates", named, trace), ["named"], "or the command line")
    with open(trace, "rb") as file:
        same(text_of("-", stdin=file.read()), ["unknown hook 010 type 9 data 0001"], "standard input lies beside nothing")
    second = put(f"{folder}/b/board.bin", recording.data)
    put(f"{folder}/b/motor.trcfmt", '010 1.0 "@" "of b"\n')
    same(rastrum("report", "-q", trace, second).out.count("beside it"), 1, "each recording has those of its own folder")
    ok("of b" in rastrum("report", "-q", trace, second).out, "also in one report")
    same(text_of("--join", trace, second), ["beside it"], "parts of one trace have those of the first")
    run = rastrum("report", "-o", f"{folder}/a/motor.trcfmt", trace)
    ok(run.status == USAGE and "templates are read from this file" in run.err and b"beside it" in slurp(f"{folder}/a/motor.trcfmt"),
       "a report is not written over it", run.err)
    run = rastrum("trcrpt", "-o", f"{folder}/a/motor.trcfmt", trace)
    ok(run.status == USAGE and b"beside it" in slurp(f"{folder}/a/motor.trcfmt"), "by trcrpt neither", run.err)
    dump = put(f"{folder}/two/dump.trx", slurp(DUMP))
    one = put(f"{folder}/two/one.trcfmt", '# dialect: threadx\nTX_TRACE_MUTEX_GET 1.0 "@" one\n')
    put(f"{folder}/two/two.trcfmt", '# dialect: threadx\nTX_TRACE_MUTEX_GET 1.0 "@" two\nTX_TRACE_MUTEX_GTE 1.0 "@" three\n')
    run = rastrum("report", "--templates", one, "--type", "TX_TRACE_MUTEX_GET", dump)
    ok(all(line.endswith("one") for line in run.lines) and run.err.count("W07") == 1 and "TX_TRACE_MUTEX_GTE" in run.err,
       "a template that another one goes before is no misspelt name", run.out, run.err)
    put(f"{folder}/a/motor.trcfmt", "010 1.0 X17\n")
    run = rastrum("report", trace)
    ok(run.status == 0 and "motor.trcfmt:1:9" in run.err and "T08" in run.err, "its errors are reported", run.err)


def check_folder(folder):
    """A recording that is a folder, and effects."""
    os.makedirs(f"{folder}/c")
    shutil.copy(DUMP, f"{folder}/c/dump.trx")
    put(f"{folder}/c/own.trcfmt", '# dialect: threadx\nTX_TRACE_MUTEX_GET 1.0 "@" "takes it"\n')
    ok("takes it" in text_of(f"{folder}/c/dump.trx"), "events with names have templates beside them, too")
    own = Trace(4, "big")
    own.entry(0x0100, 1)
    own.entry(0x0110, 1)
    put(f"{folder}/d/one.bin", own.data)
    put(f"{folder}/d/own.trcfmt", '# effect: begin name="work"\n010 1.0 "@" "in the folder"\n# effect: end name="work"\n011 1.0 "@" "end"\n')
    run = rastrum("report", "-f", "jsonl", f"{folder}/d")
    ok("in the folder" in run.out, "a recording that is a folder has those in it", run.out, run.err)
    spans = rastrum("report", "--intervals", f"{folder}/d/one.bin")
    ok("work" in spans.out, "their effects count", spans.out, spans.err)


def check_owners(folder):
    """What others put into a folder that everyone may write to."""
    if os.geteuid() != 0:
        skip("templates of other users beside a recording are passed over", "this needs root")
        return
    own = Trace(4, "big")
    own.entry(0x0100, 1)
    trace = put(f"{folder}/e/one.bin", own.data)
    path = put(f"{folder}/e/own.trcfmt", '010 1.0 "@" "theirs"\n')
    os.chown(path, 4321, 4321)
    run = rastrum("report", trace)
    ok("theirs" not in run.out and "own.trcfmt cannot be read and is passed over: it belongs to another user" in run.err,
       "templates of other users beside a recording are passed over", run.out, run.err)
    os.rename(path, f"{folder}/e/mine")
    os.chown(f"{folder}/e/mine", 0, 0)
    os.symlink("mine", path)
    os.chown(path, 4321, 4321, follow_symlinks=False)
    run = rastrum("report", trace)
    ok("theirs" not in run.out and "it belongs to another user" in run.err, "and so are links of other users, whosever the file is", run.out, run.err)
    os.rename(f"{folder}/e/mine", path)
    os.chown(path, 4321, 4321)
    os.chown(trace, 4321, 4321)
    ok("theirs" in rastrum("report", trace).out, "those of the owner of the recording are used")
    os.chown(path, 0, 0)
    ok("theirs" in rastrum("report", trace).out, "and those of root")


with tempfile.TemporaryDirectory(prefix="rastrum-project-") as top:
    for check in (check_places, check_folder, check_owners):
        check(top)
sys.exit(done())
