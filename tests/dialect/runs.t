#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A recording that begins anew in one input: a board was reset, two dumps follow each other, the parts of a joined trace are of two boots. In every
dialect it is a row, time goes on behind it, nothing lasts over it, and it is neither loss nor damage. What only looks like it is none: a
clock that wraps, a dump that overlaps with the one before, an event out of order.
"""
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import posix_log as log  # noqa: E402
from tap import Faults, done, golden_bytes, ok, rastrum, same  # noqa: E402

LITEOS = "tests/data/liteos/a_arm32_smp4_core_count/"
FOLDER = tempfile.mkdtemp()


def golden(name):
    """The bytes of a golden."""
    return golden_bytes(f"tests/goldens/{name}.hex")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def put(name, data):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def text_dump(first):
    """A dump of liteos_m with four rows, a millisecond apart, in which two tasks take turns."""
    rows = "".join("%-7d 0x%-15x 0x45           0x%-7x 0x%-11x 0xa          0x4          0xc          \n" % (
        n, first + 50000 * n, 1 + n % 2, 2 - n % 2) for n in range(4))
    return ("*******TraceInfo begin*******\nclockFreq = 50000000\nCurEvtIndex = 0\n"
            "Index   Time(cycles)      EventType      CurTask   Identity      params    \n" + rows +
            "*******TraceInfo end*******\n").encode()


def posix_one(base, realtime):
    """A log with three events, 10 ns apart, and a clock pair in front of them."""
    parts = log.Log().add("", log.ATTRIBUTES, log.attributes()).add("", log.TYPE, log.event_type(70, b"tick"))
    parts.add("", log.PAIR, log.pair(base, base, realtime))
    stamps = [base + 10 * n for n in (1, 2, 3)]
    parts.add("", log.EVENTS, log.events(*[log.event(70, stamp) for stamp in stamps], first=stamps[0], last=stamps[-1]))
    return b"".join(data for _, data in parts.add("", log.END, log.end(3)).parts)


def lines_of(*words):
    run = rastrum("report", "-f", "jsonl", *words)
    return [json.loads(line) for line in run.lines], run


def faults_of(words, n_runs, status=0):
    """What is wrong with the report and the summary of a recording of so many further runs."""
    faults = Faults()
    lines, run = lines_of(*words)
    info = json.loads(rastrum("info", "--json", *words).out)
    events = [line["ts"] for line in lines if "seq" in line]
    faults.compare("exit status", run.status, status)
    faults.compare("numbers of the runs", [line["run"] for line in lines if "run" in line], [*range(2, n_runs + 2)])
    faults.compare("runs of info", [each["run"] for each in info["runs"]], [*range(1, n_runs + 2)])
    faults.compare("events of the runs of info", sum(each["events"] for each in info["runs"]), info["events"])
    faults.compare("span of info", (info["first_ts"], info["last_ts"]), (min(events), max(events)))
    for n, line in enumerate(lines):
        before = [each["ts"] for each in lines[:n] if "ts" in each]
        behind = [each["ts"] for each in lines[n + 1:] if "seq" in each]
        if "run" in line and (line["ts"] != max(before) or min(behind) <= line["ts"]):
            faults.append(f"run {line['run']} is at {line['ts']}: {max(before)} is in front of it, {min(behind)} behind")
    return faults


def faults_of_selected(words, n_runs, status):
    """What is wrong with each run by itself: the runs are the whole, and a run has the figures of the same time and of its cut."""
    faults = Faults()
    whole = [line for line in lines_of(*words)[0] if "seq" in line]
    runs = json.loads(rastrum("info", "--json", *words).out)["runs"]
    selected = []
    for each in runs:
        lines, run = lines_of("--run", str(each["run"]), *words)
        events = [line for line in lines if "seq" in line]
        selected += events
        faults.compare(f"exit status of run {each['run']}", run.status, status)
        faults.compare(f"run {each['run']}", (len(events), min(line["ts"] for line in events), max(line["ts"] for line in events)),
                       (each["events"], each["first_ts"], each["last_ts"]))
    faults.compare("events of all runs", [line["text"] for line in selected], [line["text"] for line in whole])
    cut, window = os.path.join(FOLDER, "run.rsx"), ["--from", str(runs[0]["first_ts"]), "--to", str(runs[0]["last_ts"])]
    rastrum("cut", "-q", "--run", "1", *words, "-o", cut)
    for command in ["stats", "--json"], ["report", "--intervals", "-f", "jsonl"], ["explain", "--json"]:
        figures = [figures_of(*command, *each) for each in (["--run", "1", *words], window + words, [cut])]
        faults.compare(f"{command[0]} of run 1 and of the same time", figures[0], figures[1])
        if status == 0:  # damage has no time: it is in every window, and stands elsewhere in a cut
            faults.compare(f"{command[0]} of run 1 and of its cut", figures[0], figures[2])
    return faults


def figures_of(*words):
    """What a command says, without the name of its input."""
    return re.sub(r'"file":"[^"]*",?', "", rastrum(*words, "-q").out)


def check(sentence, words, n_runs, status=0):
    words = words if isinstance(words, list) else [words]
    faults = faults_of(words, n_runs, status) or faults_of_selected(words, n_runs, status)
    ok(not faults, sentence, *faults)


# --- every dialect ------------------------------------------------------------------------------------------------------

later, earlier = LITEOS + "offline.bin", LITEOS + "offline_before_reset.bin"
reset_text = put("reset.txt", text_dump(0x35a4e900) + b"\nreset\nboot...\n" + text_dump(0x5f5e100))
two_dumps = put("two.trx", golden("threadx/two-runs"))
check("liteos: a terminal's log with dumps of two runs", reset_text, 1)
check("liteos: a stream that begins anew with NOTIFY and HEAD", put("stream.tlv", golden("liteos/stream-reset")), 1)
check("liteos: two buffers in one file, the second of an earlier time", put("two.bin", read(later) + read(earlier)), 1)
check("liteos: two buffers joined", ["--join", later, earlier], 1)
check("liteos: two dumps of rings as messages", put("two.tlv", read(LITEOS + "client_dump.tlv") +
                                                     read(LITEOS + "client_dump_before_reset.tlv")), 1)
check("threadx: a second dump whose clock is behind", two_dumps, 1)
check("threadx: the same in two files that are joined", ["--join", put("1.trx", golden("threadx/two-runs")[:288]),
                                                         put("2.trx", golden("threadx/two-runs")[288:])], 1)
check("rkh: a second announcement", put("loss.rkh", golden("rkh/loss")), 1, 3)
check("compact: numbers that step back", put("twice.rct", golden("compact/kernel") * 2), 1)
check("aix: a second header", put("twice.aix", golden("aix/words_32") * 2), 1)

boot = 1795254232000000005
first, second = put("1.rst", posix_one(10**10, boot)), put("2.rst", posix_one(2 * 10**9, boot + 700 * 10**9))
same_boot = put("3.rst", posix_one(9 * 10**9, boot - 10**9))
check("posix: a log of another boot, joined", ["--join", first, second], 1)
wall = re.findall(r"^(\S+)Z ", rastrum("report", "--time", "utc", "--join", first, second).out, re.M)
same([wall[2], wall[3]], ["2026-11-21T09:43:52.000000035", "2026-11-21T09:55:32.000000015"], "posix: each run has its own time of the day")
check("posix: a third log goes on in its own run", ["--join", first, second, put("4.rst", posix_one(3 * 10**9, boot + 701 * 10**9))], 1)

# --- one run --------------------------------------------------------------------------------------------------------------

for words, status, sentence in (
        (["--run", "3"], 2, "there is no run 3; the recording has runs 1 to 2"),
        (["--run", "0"], 2, "'0' is no run"),
        (["--run", "first"], 2, "'first' is no run"),
        (["--run", "2", "--from", "soon"], 2, "'soon' is no moment")):
    for command in [["report"], ["stats"], ["explain"], ["draw", "-o", "-"], ["cut", "-o", os.path.join(FOLDER, "none.rsx")]]:
        run = rastrum(*command, *words, two_dumps)
        ok(run.status == status and sentence in run.err and not run.out and run.err.count("\n") == 1, f"{command[0]} {' '.join(words)}: {sentence}",
           run.err, run.out)
run = rastrum("stats", "--run", "2", put("alone.trx", golden("threadx/step-back")))
ok(run.status == 2 and "the recording has one run" in run.err, "a recording of one run has no second one", run.err)
run = rastrum("report", "--run", "1", "-", stdin=read(two_dumps))
ok(run.status == 2 and "can be read only once" in run.err, "a pipe cannot be read twice", run.err)
same([line["ts"] for line in lines_of("--run", "2", "--from", "+61", two_dumps)[0]], [1000061, 1000071, 1000081, 1000091, 1000101],
     "--from narrows a run")
same([line["ts"] for line in lines_of("--run", "1", "--to", "+200", "-n", "2", two_dumps)[0]], [1000000, 1000010], "… and --to does not widen it")
count = put("count.rules", b"a: count(event *) == 6\n")
for command, words, wanted in (("check", [count], "ok 1"), ("query", ["-f", "csv"], "6\n")):
    run = rastrum(command, "--run", "2", *words, two_dumps, *(["select count(*) as n from events"] if command == "query" else []))
    ok(run.status == 0 and wanted in run.out, f"{command} is about the run", run.out, run.err)
made = rastrum("convert", "--run", "2", "-t", "chrome", two_dumps, "-o", "-")
ok(made.status == 0 and '"name":"RUN"' not in made.out, "a file that is converted has the run only", made.err)
mixed = put("mixed.rsx", b"")
rastrum("merge", "-q", two_dumps, put("stream.tlv", golden("liteos/stream-reset")), "-o", mixed)
run = rastrum("report", "--run", "2", mixed)
ok(run.status == 2 and "do not follow each other in time" in run.err, "traces that are merged without a common clock have no time for a run", run.err)
rastrum("cut", "-q", "--from", "1000020", two_dumps, "-o", mixed)
same([line["ts"] for line in lines_of("--run", "2", mixed)[0]], [line["ts"] for line in lines_of("--run", "2", two_dumps)[0]],
     "a part of a recording has the numbers of the recording")

# --- no new run ---------------------------------------------------------------------------------------------------------

check("liteos: two buffers of one run, in one file", put("one.bin", read(earlier) + read(later)), 0)
check("liteos: a later dump of the same run", put("one.txt", read(LITEOS + "dump_before_reset.txt") + read(LITEOS + "dump.txt")), 0)
check("liteos: the same dump twice", put("same.txt", golden("liteos/text-short-times") * 2), 0)
check("liteos: times of 32 bits that wrap", put("short.txt", golden("liteos/text-short-times")), 0)
check("threadx: the same dump twice", put("same.trx", golden("threadx/two-runs")[:288] * 2), 0)
check("threadx: an event out of order", put("back.trx", golden("threadx/step-back")), 0)
check("posix: an earlier log of the same boot", ["--join", first, same_boot], 0)
ok("by the same clock" in rastrum("report", "--join", first, same_boot).err, "posix: … is said to be one")
beside = rastrum("report", put("12.rst", read(first) + read(second)))
ok(beside.status == 3 and "another log begins here" in beside.out and "RUN 2" in beside.out and beside.out.count("0.000000000") == 1,
   "posix: a log behind another one in a file is said to be one, and its times go on", beside.out)

# --- what becomes of it ---------------------------------------------------------------------------------------------------

store = os.path.join(FOLDER, "reset.rsx")
rastrum("cut", reset_text, "-o", store)
same(lines_of(store)[0], lines_of(reset_text)[0], "a store has the same rows")
same(rastrum("report", "--intervals", "-f", "jsonl", store).out, rastrum("report", "--intervals", "-f", "jsonl", reset_text).out,
     "… and the same intervals")
table = rastrum("stats", "--table", "threads", "--format", "csv", reset_text)
ok(table.out.count(",1000000,1000000,1000000,1000000,") == 2, "no run of a thread lasts over it", table.out, table.err)
ok("nothing lost" in rastrum("stats", reset_text).out, "it is no loss")
rules = put("run.rules", b"a: latency(event TASK_SWITCH -> event TASK_SWITCH) < 2ms\nb: period(event TASK_SWITCH) 0.99ms..1.01ms\nc: lost() <= 0\n")
judged = rastrum("check", rules, reset_text)
ok(judged.status == 0 and judged.out.count("6 measured") == 2, "rules are decided, and no distance over it is measured", judged.out)
for form, mark in ("chrome", b'"name":"RUN","cat":"run"'), ("perfetto", b"RUN"), ("speedscope", b"RUN 2"):
    path = os.path.join(FOLDER, form)
    made = rastrum("convert", "-t", form, reset_text, "-o", path)
    ok(made.status == 0 and mark in read(path), f"{form} has it", made.err)
made = rastrum("convert", "-t", "ctf", reset_text, "-o", os.path.join(FOLDER, "ctf"))
ok(made.status == 0 and b'name = "RUN"' in read(os.path.join(FOLDER, "ctf", "metadata")), "ctf has it", made.err)
drawn = rastrum("draw", reset_text, "-o", "-")
ok("recording begins anew" in drawn.out, "a picture has it", drawn.err)

for root, _, names in os.walk(FOLDER, topdown=False):
    for name in names:
        os.unlink(os.path.join(root, name))
    os.rmdir(root)
sys.exit(done())
