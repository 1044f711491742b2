#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rastrum cut: stores show what their sources showed, whatever part of them is damaged."""
import glob
import json
import os
import re
import shlex
import resource
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import IS_RELEASE, RASTRUM, difference, done, ok, rastrum, same, sample, skip, spread  # noqa: E402

# Of the report, not of how the input is read: goldens with others of these are compared without a selection.
SELECTING = ("-t", "--type", "-c", "--context", "--from", "--to", "--object", "--core")
READING = ("-d", "--dialect", "--opt", "--clock-hz", "--order", "-q")
FORMATS = ("jsonl", "text", "csv", "aix")


def golden(path):
    """The bytes of a golden, and the options of its runs that cut and report both have."""
    data, runs = bytearray(), set()
    for line in open(path, encoding="utf-8").read().splitlines():
        options = re.fullmatch(r"# options:(.*)", line)
        if options:
            runs.add(options.group(1).strip())
        elif not line.startswith("# expect"):
            data += bytes.fromhex(line.split("#")[0])
    known = SELECTING + READING
    words = [shlex.split(run) for run in sorted(runs)]
    plain = [[word for word in run if word != "--intervals"] for run in words]
    return bytes(data), [run for run in plain if all(word.split("=")[0] in known for word in run if word.startswith("-"))]


def bytes_of(*args, stdin=None):
    return subprocess.run([RASTRUM, *args], input=stdin, capture_output=True, check=False)


def lines_of(result, is_part):
    """Without texts where a part is selected: some repeat what an event that was left out said."""
    return [re.sub(rb',"text":.*', b"", line) if is_part else line for line in result.stdout.splitlines()]


def faults_of(data, options, more):
    """How the reports of a source and of its store differ."""
    source = bytes_of("report", *more, "-", *options, stdin=data)
    if source.returncode == 2:
        return []
    store = bytes_of("cut", "-q", "-o", "-", "-", *options, stdin=data)
    again = bytes_of("report", *more, "-", *[word for word in options if word == "-q"], stdin=store.stdout)
    is_part = any(word in SELECTING for word in options)
    faults = difference(lines_of(again, is_part), lines_of(source, is_part))
    if again.returncode != source.returncode:
        faults.append(f"status {again.returncode}, of the source {source.returncode}")
    if not is_part:
        faults += difference(again.stderr.splitlines(), source.stderr.splitlines())
    return faults


def check_goldens():
    """All runs of each golden; of a sample of them every third where starting a program is slow, so that each still has some."""
    step = 1 if IS_RELEASE else 3
    for number, path in enumerate(sample(sorted(glob.glob("tests/goldens/*/*.hex")), every=4)):
        data, runs = golden(path)
        runs = runs[number % step::step] or runs[:1]
        faults = []
        for options in runs:
            for form in FORMATS[:1] if any(word in SELECTING for word in options) else FORMATS:
                faults += [f"{options} {form}: {fault}" for fault in faults_of(data, options, ["-f", form])]
            if not any(word in SELECTING for word in options):
                faults += [f"{options} intervals: {fault}" for fault in faults_of(data, options, ["--intervals"])]
        name = os.path.relpath(path, "tests/goldens").removesuffix(".hex")
        ok(not faults, f"the store of {name} shows what it showed", *faults)


def check_selections(folder):
    """Each selection of a real recording, and of its store, comes to the same."""
    source, store = "tests/data/threadx/demo_threadx.trx", f"{folder}/all.rsx"
    source = source if os.path.exists(source) else sorted(glob.glob("tests/data/threadx/*.trx"))[0]
    first = rastrum("cut", source, "-o", store)
    ok(first.status == 0 and not first.out, "cut writes nothing but the store", first.err)
    lines = rastrum("report", "-f", "jsonl", source).lines
    half = re.search(r'"ts":(\d+)', lines[len(lines) // 2])[1]
    faults = []
    for words in (["--from", half], ["--to", half], ["-t", "*QUEUE*"], ["--core", "0"], ["-c", "isr"]):
        part = f"{folder}/part.rsx"
        rastrum("cut", *words, source, "-o", part)
        faults += difference(rastrum("report", "-f", "jsonl", part).lines, rastrum("report", "-f", "jsonl", *words, source).lines)
        again = f"{folder}/again.rsx"
        rastrum("cut", *words, store, "-o", again)
        faults += difference([open(again, "rb").read().hex()], [open(part, "rb").read().hex()])
    ok(not faults, "the same selection of trace and store is the same", *faults)
    infos = [rastrum("info", "--json", path).out.replace(path, "PATH") for path in (source, store)]
    same(infos[1], infos[0], "info of both is the same")
    return store


def check_usage(store):
    before = open(store, "rb").read()
    refused = rastrum("cut", store, "-o", store)
    ok(refused.status == 2 and open(store, "rb").read() == before, "the source is never written over", refused.err)
    same(rastrum("cut", store).status, 2, "without -o nothing is cut")
    same(rastrum("cut", "-o", "/nonexistent/x.rsx", store).status, 4, "a file that cannot be made is an error of output")
    full = subprocess.run([RASTRUM, "cut", store, "-o", "-"], stdout=open("/dev/full", "wb"), stderr=subprocess.PIPE, check=False)
    ok(full.returncode == 4 and b"No space" in full.stderr, "so is a full disk", full.stderr)


def check_cuts(store):
    """A store that ends anywhere: never more than it had, no crash, and said so."""
    whole, lines = open(store, "rb").read(), rastrum("report", "-f", "jsonl", store).lines
    step = max(1, len(whole) * spread(6) // 150)
    faults = []
    for n in [*range(32, len(whole) - 16, step), len(whole) - 17]:
        part = bytes_of("report", "-f", "jsonl", "-", stdin=whole[:n])
        given = [line for line in part.stdout.decode().splitlines() if not line.startswith('{"damage"')]
        if part.returncode != 3 or given != lines[:len(given)]:
            faults.append(f"{n} bytes: status {part.returncode}, {part.stderr[:200]}")
    ok(not faults, "a store that is cut anywhere gives what is whole, and says that it is cut", *faults)


def check_bits(store):
    whole, clean = bytearray(open(store, "rb").read()), bytes_of("report", "-f", "jsonl", store)
    faults = []
    for n in range(0, len(whole) * 8, max(1, len(whole) * 8 * spread(6) // 300)):
        whole[n // 8] ^= 1 << n % 8
        turned = bytes_of("report", "-f", "jsonl", "-d", "store", "-", stdin=bytes(whole))
        whole[n // 8] ^= 1 << n % 8
        if turned.returncode not in (0, 3, 5) or (turned.returncode == 0 and turned.stdout != clean.stdout):
            faults.append(f"bit {n}: status {turned.returncode}, {turned.stderr[:200]}")
    ok(not faults, "no bit that is turned gives other events without a word", *faults)


def check_boundaries(folder):
    """A store of several segments that ends with a block: each segment in front is read to its last row."""
    source, path = f"{folder}/segments.trx", f"{folder}/segments.rsx"
    subprocess.run([RASTRUM, "bench", "gen", "--events", "150000", "-o", source], check=True, stdout=subprocess.DEVNULL)
    rastrum("cut", "-q", source, "-o", path)
    whole, at, faults, wanted = open(path, "rb").read(), 32, [], []
    while whole[at:at + 4] == b"RSBK":
        kind, n_bytes, row = (int.from_bytes(whole[at + start:at + end], "little") for start, end in ((4, 8), (8, 16), (16, 24)))
        wanted.append((at, row))
        at += 32 + (n_bytes + 7) // 8 * 8
    ok(len({row for _, row in wanted}) > 3, "a store of several segments", wanted)
    for at, row in wanted:
        part = bytes_of("info", "--json", "-", stdin=whole[:at])
        n_events = json.loads(part.stdout)["events"] if part.stdout else None
        if part.returncode != 3 or n_events != row:
            faults.append(f"{at} bytes: status {part.returncode}, {n_events} events of {row}, {part.stderr[:100]}")
    ok(not faults, "one that ends with a block has all rows of it, and is cut", *faults)


def is_writing(pid, folder):
    """Whether the process has written to a file of the folder, which may have no name."""
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            at = f"/proc/{pid}/fd/{fd}"
            if os.readlink(at).startswith(os.path.realpath(folder)) and not os.readlink(at).endswith("long.trx") and os.stat(at).st_size > 1 << 20:
                return True
    except OSError:
        pass
    return False


def check_killed(folder):
    """The name appears with the whole file only, and a writer that is ended in any way leaves nothing else."""
    path, source = f"{folder}/killed.rsx", f"{folder}/long.trx"
    subprocess.run([RASTRUM, "bench", "gen", "--events", "1000000", "-o", source], check=True, stdout=subprocess.DEVNULL)
    before = sorted(os.listdir(folder))
    for number in (signal.SIGKILL, signal.SIGTERM):
        with subprocess.Popen([RASTRUM, "cut", "-q", source, "-o", path], stderr=subprocess.DEVNULL) as cut:
            while cut.poll() is None and not is_writing(cut.pid, folder):
                pass
            cut.send_signal(number)
        if cut.returncode == 0:
            skip(f"a store whose writer was ended by {number.name} leaves nothing", "it had ended before")
            os.unlink(path)
        else:
            same(sorted(os.listdir(folder)), before, f"a store whose writer was ended by {number.name} leaves nothing")
    same(rastrum("cut", "-q", source, "-o", path).status, 0, "the next one is written")
    same(rastrum("info", "--json", path).out.replace(path, source), rastrum("info", "--json", source).out, "which is whole")
    gone = subprocess.run(f"'{RASTRUM}' cut -q '{source}' -o - | head -c 1000; exit ${{PIPESTATUS[0]}}", shell=True, executable="/bin/bash",
                          capture_output=True, check=False)
    same((gone.returncode, gone.stderr), (0, b""), "a reader of standard output that closes its end is no error")


def check_full(folder):
    """A disk that is full at any byte: that is an error of output, and the file of before stays."""
    source, path = sorted(glob.glob("tests/data/threadx/*.trx"))[0], f"{folder}/full.rsx"
    rastrum("cut", "-q", source, "-o", path)
    before, faults = open(path, "rb").read(), []
    for n in range(0, len(before), max(1, len(before) * spread(4) // 40)):
        for command in ("cut", "merge", "anonymise")[:2 if n > len(before) * 3 // 4 else 3]:  # the last writes less
            full = subprocess.run([RASTRUM, command, "-q", source, "-o", path], capture_output=True, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)))
            if full.returncode != 4 or b"File too large" not in full.stderr or open(path, "rb").read() != before:
                faults.append(f"{command}, {n} bytes: status {full.returncode}, {full.stderr}")
    faults += glob.glob(f"{path}.part.*")
    ok(not faults, "a file that gets no more room anywhere is an error of output; the one of before stays, and nothing else", *faults)


with tempfile.TemporaryDirectory(prefix="rastrum-cut-") as place:
    check_goldens()
    made = check_selections(place)
    check_usage(made)
    check_cuts(made)
    check_bits(made)
    check_boundaries(place)
    check_killed(place)
    check_full(place)
sys.exit(done())
