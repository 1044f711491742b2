#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a conversion leaves that ends early: nothing that looks like a result, in any format; and several files at once."""
import os
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from conversions import INVERSION, LOST, NO_TRACE, convert, path_of
from tap import RASTRUM, Faults, done, ok, rastrum, same, slurp

SMP = "tests/data/threadx/smp_ulong64.trx"


def formats():
    """[(name, options)] of all that there are, with each profile of CTF."""
    found = [(line.split()[0], ()) for line in rastrum("convert", "-t", "list").out.splitlines() if re.match(r"\w", line)]
    return [*found, ("ctf", ("--opt", "profile=lttng-kernel"))]


def left_in(folder):
    return sorted(os.listdir(folder))


def has_output(pid, folder):
    """Whether it has a file there open, with a name or without one."""
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        try:
            if os.readlink(f"/proc/{pid}/fd/{descriptor}").startswith(folder + "/"):
                return True
        except OSError:
            continue  # it was closed meanwhile
    return False


def ended_by(number, form, options, folder):
    """Its exit status, what is left in the folder, and whether it had begun: the signal comes when it has read some, and waits for more."""
    os.makedirs(folder)
    read, write = os.pipe()
    with subprocess.Popen([RASTRUM, "convert", "-q", "-t", form, *options, "-o", os.path.join(folder, "out"), "-"], stdin=read, stderr=subprocess.DEVNULL) as program:
        os.close(read)
        os.write(write, slurp(LOST)[:4000])
        begun = False
        for _ in range(3000):
            begun = bool(left_in(folder)) or has_output(program.pid, folder)
            if begun:
                break
            time.sleep(0.02)
        program.send_signal(number)
        program.wait()
        os.close(write)
    return program.returncode, left_in(folder), begun


def check_signals():
    all_formats = formats()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        faults = Faults()
        for n, (form, options) in enumerate(all_formats):
            faults.compare(form, ended_by(number, form, options, path_of(f"signal{number}-{n}")), (-number, [], True))
        ok(not faults and len(all_formats) > 6, f"{number.name} ends a conversion to each of {len(all_formats)} formats, and nothing is left", *faults)
    faults = Faults()
    for n, (form, options) in enumerate(all_formats):
        status, left, _ = ended_by(signal.SIGKILL, form, options, path_of(f"killed-{n}"))
        if status != -signal.SIGKILL or not all(name.startswith("out.part.") for name in left):
            faults.append(f"{form}: {status}, {left}")
    ok(not faults, "SIGKILL leaves nothing under the name of the output", *faults)


def contents(path):
    """Names and bytes of a file, or of all files of a folder; {}: there is none."""
    if os.path.isdir(path):
        return {name: slurp(os.path.join(path, name)) for name in left_in(path)}
    return {"": slurp(path)} if os.path.exists(path) else {}


def check_instants():
    """Killed while it reads, writes, or gives the output its name: at twelve instants of the time that a whole one takes."""
    dump, faults, n_killed = path_of("instants.trx"), Faults(), 0
    rastrum("bench", "gen", "--events", "3000", "-o", dump)
    for n, (form, options) in enumerate(formats()):
        folder = path_of(f"instants-{n}")
        os.makedirs(folder)
        whole, out = os.path.join(folder, "whole"), os.path.join(folder, "out")
        begin = time.monotonic()
        rastrum("convert", "-q", "-t", form, *options, "-o", whole, dump)
        took, expected = time.monotonic() - begin, contents(whole)
        if not expected:
            faults.append(f"{form}: no output of a whole conversion")
        for instant in range(1, 13):
            with subprocess.Popen([RASTRUM, "convert", "-q", "-t", form, *options, "-o", out, dump], stderr=subprocess.DEVNULL) as program:
                time.sleep(took * instant / 12)
                program.kill()
                n_killed += program.wait() != 0
            got = contents(out)
            if got not in ({}, expected):
                faults.append(f"{form}: killed at {instant} of 12, a file of {sum(map(len, got.values()))} bytes")
            if got:
                subprocess.run(["rm", "-r", out], check=True)
    ok(not faults and n_killed, "killed at any instant, a conversion leaves its whole output under that name, or none", f"{n_killed} killed", *faults)


def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, 64 * 1024))


def check_full():
    """A limit of the size of files is as a disk that is full."""
    dump, faults = path_of("large.trx"), Faults()
    rastrum("bench", "gen", "--events", "20000", "-o", dump)
    for n, (form, options) in enumerate(formats()):
        folder = path_of(f"full-{n}")
        os.makedirs(folder)
        # One state in a row is one line of few bytes: this is a format of sums.
        run = subprocess.run([RASTRUM, "convert", "-q", "-t", form, *options, "-o", os.path.join(folder, "out"), dump], preexec_fn=small_files,
                             capture_output=True, check=False)
        size = sum(entry.stat().st_size for entry in os.scandir(folder))
        if run.returncode == 0 and size < 64 * 1024:
            continue
        faults.compare(f"{form}: {run.stderr[:200]}", (run.returncode, left_in(folder)), (4, []))
    ok(not faults, "what cannot be written has status 4, and nothing is left", *faults)


def check_several():
    for form, extension, options in (("chrome", ".json", ()), ("ctf", ".ctf", ()), ("txtb", ".trx", ("--opt", "word=64")), ("perfetto", ".pftrace", ())):
        folder = path_of(f"several-{form}")
        run = rastrum("convert", "-q", INVERSION, SMP, "-t", form, *options, "-o", folder)
        expected = ["priority_inversion" + extension, "smp_ulong64" + extension]
        same((run.status, left_in(folder)), (0, expected), f"{form}: several traces are one output each, in a folder")
        if form == "ctf":
            continue
        _, alone = convert(SMP, form, *options)
        same(slurp(os.path.join(folder, expected[1])), alone, f"{form}: the same as by itself")
    run = rastrum("convert", "-q", INVERSION, "/nonexistent.trx", SMP, "-t", "chrome", "-o", path_of("some"))
    same((run.status, left_in(path_of("some"))), (4, ["priority_inversion.json", "smp_ulong64.json"]), "those that can be read are converted")
    run = rastrum("convert", "-q", INVERSION, f"./{INVERSION}", "-t", "chrome", "-o", path_of("twice"))
    ok(run.status == 2 and "would be one output" in run.err and not os.path.exists(path_of("twice")), "inputs of one name are refused", run.err)
    run = rastrum("convert", INVERSION, SMP, "-t", "chrome")
    ok(run.status == 2 and "name a folder with -o" in run.err, "they need a folder", run.err)
    run = rastrum("convert", INVERSION, SMP, "-t", "chrome", "-o", INVERSION)
    ok(run.status in (2, 4) and slurp(INVERSION)[:4] == b"BTXT", "which is none of the inputs", run.err)
    copy = path_of("copy.trx")
    with open(copy, "wb") as file:
        file.write(slurp(INVERSION))
    run = rastrum("convert", copy, "-t", "txtb", "-o", copy)
    ok(run.status == 2 and slurp(copy) == slurp(INVERSION), "the input is not written over", run.err)


def check_no_trace():
    faults = Faults()
    for n, (form, options) in enumerate(formats()):
        folder = path_of(f"none-{n}")
        os.makedirs(folder)
        run = rastrum("convert", "-q", "-t", form, *options, "-o", os.path.join(folder, "out"), NO_TRACE)
        if "no dialect recognises this input" not in run.err:
            faults.append(f"{form}: {run.err}")
        faults.compare(form, (run.status, left_in(folder)), (3, []))
    ok(not faults, "of what is no trace no format has an output", *faults)


check_signals()
check_instants()
check_full()
check_no_trace()
check_several()
sys.exit(done())
