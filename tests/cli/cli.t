#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whole commands as users type them: options, inputs, outputs, exit statuses."""
import bz2
import gzip
import json
import lzma
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import RASTRUM, done, golden_bytes, ok, rastrum, same, skip, slurp  # noqa: E402

DATA = "tests/data/threadx/"
BASIC = DATA + "basic_objects.trx"
SMP = DATA + "smp_ulong64.trx"
ISR = DATA + "isr_nested.trx"
SECOND = DATA + "second_boundary_linux64.trx"
WRAPPED = DATA + "wrapped_ring_linux64.trx"
COMMANDS = ("report", "info", "bench")
GOOD, USAGE, DAMAGED, IO = 0, 2, 3, 4

TMP = tempfile.mkdtemp(prefix="rastrum-cli-")


def in_tmp(name, data=None):
    path = os.path.join(TMP, name)
    if data is not None:
        with open(path, "wb") as out:
            out.write(data)
    return path


def golden(name):
    return golden_bytes(f"tests/goldens/threadx/{name}.hex")


def events(path, *options):
    """The events of a report, without their running number."""
    return [{k: v for k, v in json.loads(line).items() if k != "seq"}
            for line in rastrum("report", "-q", "-f", "jsonl", path, *options).lines]


def fails(status, words, sentence, *fragments, env=None):
    run = rastrum(*words, env=env)
    missing = [f for f in fragments if f not in run.err]
    ok(run.status == status and run.err.startswith("rastrum: ") and not missing and not run.out, sentence,
       f"status {run.status}, expected {status}", f"stderr: {run.err}", f"lacks: {missing}", f"stdout: {run.out[:200]}")


# --- usage --------------------------------------------------------------------------------------------------------


def check_usage():
    run = rastrum()
    ok(run.status == USAGE and "usage: rastrum COMMAND" in run.err and not run.out, "without a command it prints the usage")
    fails(USAGE, ["cook", BASIC], "an unknown command is reported", "'cook'", "--help")
    fails(USAGE, ["report"], "a report without a file is reported", "report needs a file", "--help")
    fails(USAGE, ["info"], "info without a file is reported", "--help")
    fails(USAGE, ["bench"], "bench without a word is reported", "bench needs a subcommand", "read, record, template")
    fails(USAGE, ["bench", "speed"], "an unknown measurement is reported", "'speed'", "read, record, template, limit, view, gen")
    fails(USAGE, ["bench", "limit", "--runs", "0"], "no runs are too few")
    fails(USAGE, ["bench", "gen", "--word", "5"], "an impossible word size is reported")
    for word in ("--wrong", "-W", "-qW"):
        fails(USAGE, ["report", word, BASIC], f"the unknown option {word} is reported", f"'{word}'", "see `rastrum report --help`")
    for words, near in ((["repport", BASIC], "did you mean report?"), (["help", "inof"], "did you mean info?"), (["--hlep"], "no option '--hlep'; did you mean --help?"),
                        (["verison"], "did you mean version?"), (["bench", "gen", "--word", "5"], "--word is 4 or 8"),
                        (["tmplate", "list"], "did you mean template?"), (["template", "chekc", "x"], "did you mean check?"),
                        (["report", "--fromat=csv", BASIC], "did you mean --format?"),
                        (["record", "--size", "1", "true"], "did you mean --data-size, --log-size or --stream-size?"),
                        (["report", "-f", "jsnol", BASIC], "did you mean jsonl?"),
                        (["report", "--time", "tick", BASIC], "did you mean ticks?"),
                        (["report", "--columns", "time,thred", BASIC], "did you mean thread?"),
                        (["report", "-d", "thread", BASIC], "did you mean threadx?"),
                        (["report", "--opt", "wrp=9", BASIC], "did you mean wrap?"),
                        (["record", "--log-policy", "lop", "true"], "did you mean loop?"),
                        (["template", "check", "--dump", "reslove", "templates/rkh.trcfmt"], "did you mean resolve?"),
                        (["template", "list", "-d", "rhk"], "did you mean rkh?"),
                        (["template", "doc", "TX_TRACE_MUTEXGET"], "did you mean TX_TRACE_MUTEX_GET?"),
                        (["template", "eval", "templates/threadx.trcfmt", "--entry", "00", "--event", "TX_TRACE_MUTEXGET"],
                         "did you mean TX_TRACE_MUTEX_GET?"),
                        (["report", "--t=x", BASIC], "'--t' is ambiguous; it could be --type, --to, --time, --templates, --threads, --tcp")):
        fails(USAGE, words, f"`{' '.join(words[:4])}` gets a suggestion", near)
    fails(USAGE, ["report", "--zebra", BASIC], "what is like no option gets none", "see `rastrum report --help`")
    fails(USAGE, ["report", BASIC, "--format"], "a missing value is reported", "--format needs a value", "text|aix|jsonl|csv")
    fails(USAGE, ["report", BASIC, "-n"], "so behind a letter", "--limit needs a value")
    fails(USAGE, ["report", "--quiet=yes", BASIC], "a value where none belongs is reported", "--quiet takes no value")
    for number in ("many", "", "-1", "0x", "1.5"):
        fails(USAGE, ["report", "--limit", number, BASIC], f"'{number}' is no number", f"'{number}'")
    fails(USAGE, ["report", "--limit", "18446744073709551616", BASIC], "a number that is too large is reported",
          "18446744073709551616 is too large")
    for rate in ("0", "0Hz", "1.5", "fast", "1e20", "-1M"):
        fails(USAGE, ["report", "--clock-hz", rate, BASIC], f"'{rate}' is no frequency of a clock", f"'{rate}'", "168MHz")
    fails(USAGE, ["report", "--format", "xml", BASIC], "a bad choice is reported with the good ones", "'xml'",
          "text, aix, jsonl, csv")
    fails(USAGE, ["report", "--time", "sundial", BASIC], "a bad form of time is reported with the good ones",
          "ticks, ns, rel, clock")
    fails(USAGE, ["report", "--opt", "wrap", BASIC], "a setting without a value is reported", "key=value")
    fails(USAGE, ["report", "--opt", "speed=9", BASIC], "an unknown setting is reported", "'speed'", "info --dialects")
    fails(USAGE, ["report", "--opt", "word=5", BASIC], "a bad value of a setting is reported", "word", "5", "4|8")
    fails(USAGE, ["report", "--dialect", "latin", BASIC], "an unknown dialect is reported", "'latin'", "info --dialects")
    for words in (["--dialect", "latin"], ["--opt", "speed=9"], ["--opt", "word=5"]):
        run = rastrum("report", *words, BASIC)
        ok(BASIC not in run.err, f"and {' '.join(words)} is no fault of the file", run.err)
    same(rastrum("report", "-d", "ThreadX", BASIC).bytes, rastrum("report", BASIC).bytes, "names of dialects may have capitals")
    fails(USAGE, ["report", "--core", "65535", BASIC], "a core that cannot be is reported", "'65535'")
    fails(USAGE, ["report", "--from", "noon", BASIC], "a moment that is none is reported", "'noon'", "250us")
    fails(USAGE, ["report", "--from", "5ms", BASIC], "a time without a frequency is reported", "--clock-hz")
    fails(USAGE, ["report", "--time", "ns", BASIC], "so are nanoseconds", "--clock-hz", "--time ticks")
    fails(USAGE, ["report", "--opt", "custom=" + in_tmp("bad.trc", b"Start\n1, x\n"), BASIC],
          "a bad line of a custom event file is reported", "line 2")


def check_help():
    for words in (["--help"], ["help"], ["-h"]):
        run = rastrum(*words)
        ok(run.status == GOOD and all(f"\n  {c} " in run.out for c in COMMANDS) and not run.err,
           f"`rastrum {words[0]}` lists the commands", run.out)
    for command in COMMANDS:
        run = rastrum(command, "--help")
        ok(run.status == GOOD and run.out.startswith(f"usage: rastrum {command} ") and "\n  -h, --help " in run.out and
           not run.err, f"`rastrum {command} --help` tells its usage and options", run.out)
        for words in ((command, "-h"), (command, "--he" if command != "report" else "--hel"), ("help", command)):
            same(rastrum(*words).out, run.out, f"so does `rastrum {' '.join(words)}`")
    for word in ("--version", "-V", "version"):
        run = rastrum(word)
        ok(run.status == GOOD and re.fullmatch(r"rastrum \d+\.\d+\.\d+\n", run.out), f"{word} gives the version", run.out)
    run = rastrum("info", "--dialects")
    ok(run.status == GOOD and re.search(r"^threadx +\S", run.out, re.M) and "--opt wrap=N" in run.out,
       "the dialects and their settings are listed", run.out)
    ok(max(map(len, run.lines)) <= 79, "within 80 columns", max(run.lines, key=len))
    ok(re.search(r"^  --opt tssz=1\|2\|4    bytes of a time stamp", run.out, re.M) and
       re.search(r"^  --opt version=\S+\n {22}release", run.out, re.M),
       "what settings mean begins in one column, below those that are very long", run.out)
    rows = [json.loads(line) for line in rastrum("info", "--dialects", "--json").lines]
    ok(any(r["dialect"] == "threadx" and {"key", "values", "what"} <= set(r["settings"][0]) for r in rows),
       "and in JSON", rows)


def check_spelling():
    want = rastrum("report", "-f", "csv", "-q", BASIC)
    for words in (["-fcsv", "-q", BASIC], ["--format=csv", "--quiet", BASIC], ["--format", "csv", "-q", "--", BASIC],
                  [BASIC, "-qfcsv"], ["--form", "csv", "--quie", BASIC], ["--form=csv", "--q", BASIC], ["-f", "text", "-f", "csv", BASIC]):
        same(rastrum("report", *words).bytes, want.bytes, f"`{' '.join(words[:-1])}` spells the same")
    odd = in_tmp("-odd.trx", slurp(BASIC))
    run = subprocess.run([os.path.abspath(RASTRUM), "report", "-fcsv", "--", "-odd.trx"], cwd=os.path.dirname(odd),
                         capture_output=True, check=False)
    same(run.stdout, want.bytes, "behind -- a name may begin with a dash")


# --- inputs -------------------------------------------------------------------------------------------------------


def check_bad_inputs():
    fails(IO, ["report", in_tmp("nowhere")], "a file that is not there is reported", "nowhere", "No such file")
    fails(IO, ["info", in_tmp("nowhere")], "to info, too", "nowhere", "No such file")
    fails(IO, ["report", in_tmp("no\x1b[31m\nwhere")], "a name of control characters steers no terminal", "no\\x1b[31m\\x0awhere")
    wrong = in_tmp("escape.trx", b"Start\n1\x1b[31m, x\xff\n")
    fails(USAGE, ["report", "--opt", f"custom={wrong}", BASIC], "nor does a line of a custom event file", "1\\x1b[31m, x\\xff")
    fails(DAMAGED, ["report", TMP], "a directory with anything in it is refused", "not the parts of one recording")
    fails(DAMAGED, ["report", in_tmp("empty", b"")], "an empty file is reported", "byte 0", "empty")
    text = in_tmp("notes.txt", b"The quick brown fox jumps over the lazy dog.\n" * 50)
    fails(DAMAGED, ["report", text], "a file of another kind is reported", "notes.txt", "no dialect", "--dialect")
    fails(DAMAGED, ["report", "-d", "threadx", text], "and what it lacks, when a dialect is named", "byte 0",
          "no trace header")
    fails(DAMAGED, ["report", in_tmp("head", slurp(BASIC)[:30])], "a dump cut in its header is reported", "byte 0",
          "inside the trace header", "dump as many bytes")
    cut = in_tmp("cut.trx", slurp(BASIC)[:5000])
    run = rastrum("report", "-f", "jsonl", cut)
    lines = [json.loads(line) for line in run.lines]
    n_seq = sum("seq" in line for line in lines)
    ok(run.status == DAMAGED and n_seq == (5000 - 48 - 20 * 48) // 32 and "damage" in lines[-1],
       "of a cut dump everything is given that is there", run.err, run.status, n_seq, lines[-1])
    ok("byte " in run.err and "cut here" in run.err, "and where it is cut is reported", run.err)
    info = json.loads(rastrum("info", "--json", cut).out)
    ok(info["damage"] and info["details"]["truncated"] is True and info["events"] == n_seq, "info counts the damage",
       info["damage"])
    run = rastrum("report", "-q", BASIC, in_tmp("nowhere"), SMP)
    ok(run.status == IO and len(run.lines) == 223 + 140 + 2 * 2, "the other files are given though one is bad", run.err)


def records(data, put):
    return "".join(put(at, data[at:at + 16]) for at in range(0, len(data), 16))


def intel_hex(data):
    def line(kind, at, chunk):
        body = bytes([len(chunk), at >> 8 & 255, at & 255, kind]) + chunk
        return f":{(body + bytes([-sum(body) & 255])).hex().upper()}\n"
    return (line(4, 0, b"\x20\x00") + records(data, lambda at, chunk: line(0, at, chunk)) + line(1, 0, b"")).encode()


def s_records(data):
    def line(kind, address, chunk):
        body = bytes([len(address) + len(chunk) + 1]) + address + chunk
        return f"S{kind}{(body + bytes([~sum(body) & 255])).hex().upper()}\n"
    return (line(0, b"\0\0", b"dump") + records(data, lambda at, c: line(3, (0x20000000 + at).to_bytes(4, "big"), c)) +
            line(7, b"\x20\0\0\0", b"")).encode()


def xxd_plain(data):
    """As `xxd -p` prints it."""
    return "".join(data[at:at + 30].hex() + "\n" for at in range(0, len(data), 30)).encode()


def check_wrapped_inputs():
    data, want = slurp(BASIC), rastrum("report", BASIC).bytes
    same(rastrum("report", "-", stdin=data).bytes, want, "- is standard input")
    wrappings = (("gz", "gzip", gzip.compress(data)), ("xz", "xz", lzma.compress(data)), ("bz2", "bzip2", bz2.compress(data)), ("hex", "Intel HEX", intel_hex(data)),
                 ("srec", "S-record", s_records(data)), ("xxd-p", "hex", xxd_plain(data)),
                 ("hex.gz", "gzip, Intel HEX", gzip.compress(intel_hex(data))))
    for end, name, wrapped in wrappings:
        path = in_tmp("dump." + end, wrapped)
        run = rastrum("report", path)
        ok(run.status == GOOD and run.bytes == want, f"a dump as .{end} gives the same", run.err, run.lines[:1])
        same(rastrum("report", "-", stdin=wrapped).bytes, want, f"so does .{end} on standard input")
        got = json.loads(rastrum("info", "--json", path).out)["details"]["wrapping"]
        ok(name.lower() in (got or "").lower(), f"info says that .{end} was taken off", got)
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-q", "-f", BASIC, "-o", in_tmp("dump.zst")], check=True)
        same(rastrum("report", in_tmp("dump.zst")).bytes, want, "a dump as .zst gives the same")
    else:
        skip("a dump as .zst gives the same", "no zstd")
    run = rastrum("report", "-f", "jsonl", in_tmp("cut.gz", gzip.compress(data)[:-1500]))
    ok(run.status == DAMAGED and len(run.lines) > 10 and any('"damage"' in line for line in run.lines),
       "of a cut gzip file everything is given that can be unpacked", run.err, len(run.lines))


def check_several():
    alone = [events(path) for path in (BASIC, SMP)]
    run = rastrum("report", "-f", "jsonl", BASIC, SMP)
    rows = [json.loads(line) for line in run.lines]
    same([row.pop("seq") for row in rows], list(range(len(rows))), "lines are numbered through several files")
    same([row.pop("source") for row in rows], [0] * 223 + [1] * 140, "source says from which file a line is")
    same(rows, alone[0] + alone[1], "and the events are those of each file")
    head = rastrum("report", "-f", "csv", BASIC, SMP).lines
    ok(head[0].startswith("seq,source,ts,") and len(head) == 1 + 223 + 140, "CSV has one heading for several files")
    infos = [json.loads(line) for line in rastrum("info", "--json", BASIC, SMP).lines]
    same([(i["file"], i["events"]) for i in infos], [(BASIC, 223), (SMP, 140)], "info gives one object for each file")


def check_join():
    both = golden("two-dumps-overlapping")
    half = len(both) // 2
    first, second = in_tmp("first.trx", both[:half]), in_tmp("second.trx", both[half:])
    whole = events(in_tmp("both.trx", both))
    joined = rastrum("report", "-f", "jsonl", "--join", first, second)
    same([json.loads(line)["ts"] for line in joined.lines], [10, 20, 30, 40, 50],
         "of joined dumps what both hold is given once")
    same(events(first, "-j", second), whole, "two files joined are as one file with both dumps")
    ok("source" not in joined.out and joined.status == GOOD, "and one trace", joined.err)
    same(json.loads(rastrum("info", "--json", "-j", first, second).out)["details"]["dumps"], 2, "info counts the dumps")
    fails(IO, ["report", "-j", first, in_tmp("nowhere")], "a part that is not there is reported", "nowhere")


# --- outputs ------------------------------------------------------------------------------------------------------


def check_outputs():
    want = rastrum("report", BASIC).bytes
    out = in_tmp("out.txt", b"something longer than nothing" * 5000)
    run = rastrum("report", BASIC, "-o", out)
    ok(run.status == GOOD and not run.out and slurp(out) == want, "-o writes to the file instead", run.err)
    same(rastrum("report", BASIC, "-o", "-").bytes, want, "-o - is standard output")
    precious = in_tmp("precious.trx", slurp(ISR))
    for command in ("report", "info"):
        fails(USAGE, [command, BASIC, "-o", precious], f"{command} makes no report of another recording", precious,
              "a recording (threadx)", "remove this one")
    same(slurp(precious), slurp(ISR), "which stays as it is")
    for form in ("text", "aix", "jsonl", "csv"):
        runs = [rastrum("report", "-f", form, BASIC, "-o", out) for _ in range(2)]
        ok(runs[1].status == GOOD and not runs[1].err, f"an older report ({form}) is written over", runs[1].err)
    fails(IO, ["report", BASIC, "-o", in_tmp("no/such/folder")], "a file that cannot be made is reported", "cannot write")
    rastrum("info", "--json", BASIC, "--output", out)
    same(slurp(out), rastrum("info", "--json", BASIC).bytes, "info writes to a file, too")
    run = rastrum("report", BASIC, "-o", "/dev/full")
    ok(run.status == IO and run.err == "rastrum: /dev/full: cannot write: No space left on device\n",
       "a file that cannot be written is named", run.err)
    for words in (["report", BASIC], ["info", BASIC], ["report", "--last", "3", BASIC], ["bench", "gen", "--events", "99"],
                  ["--help"], ["--version"], ["report", "--help"], ["template", "list"], ["info", "--dialects"]):
        with open("/dev/full", "wb") as full:
            run = subprocess.run([RASTRUM, *words], stdout=full, stderr=subprocess.PIPE, check=False)
        ok(run.returncode == IO and (words[0] == "bench" or run.stderr.startswith(b"rastrum: standard output: cannot write")) and
           b"No space left" in run.stderr,
           f"{' '.join(words[:2])} tells of a full disk",
           run.returncode, run.stderr)
    big = in_tmp("big.trx", rastrum("bench", "gen", "--events", "20000").bytes)
    for form in ("text", "aix", "jsonl", "csv"):
        with subprocess.Popen([RASTRUM, "report", "-f", form, big], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            run.stdout.readline()
            run.stdout.close()
            said = run.stderr.read()
            ok(run.wait(60) == GOOD and not said, f"a reader of {form} that goes away is no fault", run.returncode, said)


def on_terminal(*words, env=None):
    """What the program writes to a terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm", **(env or {})})
        os.execv(RASTRUM, [RASTRUM, *words])
    got = b""
    try:
        while chunk := os.read(fd, 65536):
            got += chunk
    except OSError:
        pass  # the other side is closed
    os.waitpid(pid, 0)
    os.close(fd)
    return got


def check_terminal(*words):
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as reason:  # a bare chroot has no terminals
        skip("a terminal gets colours", reason)
        return
    ok(b"\033[" in on_terminal(*words, env={"NO_COLOR": ""}), "a terminal gets colours")
    ok(b"\033[" not in on_terminal(*words, env={"NO_COLOR": "1"}), "unless NO_COLOR is set")
    ok(b"\033[" not in on_terminal(*words, env={"NO_COLOR": "", "TERM": "dumb"}), "or it is dumb")
    ok(b"\033[" not in on_terminal(*words, "--color", "never", env={"NO_COLOR": ""}), "or --color is never")


def check_color():
    plain = rastrum("report", BASIC).bytes
    ok(b"\033" not in plain, "a file gets no colours")
    colored = rastrum("report", "--color", "always", BASIC).bytes
    ok(b"\033[" in colored, "--color always gives some")
    same(re.sub(rb"\033\[[0-9;]*m", b"", colored), plain.replace(b"'", b""), "and nothing else but quotes around names")
    same(rastrum("report", "--color", "always", BASIC, env={"NO_COLOR": "1"}).bytes, colored,
         "--color always is stronger than NO_COLOR")
    check_terminal("report", "-n", "20", BASIC)
    ok("\033" not in rastrum("report", "-f", "jsonl", "--color", "always", BASIC).out, "JSON Lines has no colours ever")


def check_quiet():
    for command in ("report", "info"):
        words = [command, SECOND] + (["--json"] if command == "info" else [])
        run = rastrum(*words)
        ok("note: time stamps are taken to wrap" in run.err and run.status == GOOD,
           f"{command} tells what was guessed", run.err)
        same(rastrum(*words, "--quiet").err, "", f"{command} --quiet does not")
    run = rastrum("info", "-q", in_tmp("cut2.trx", slurp(BASIC)[:5000]))
    ok("cut here" in run.out and run.status == DAMAGED, "damage is reported all the same", run.err)


# --- what is shown ------------------------------------------------------------------------------------------------


def selects(sentence, path, options, keep):
    got = events(path, *options)
    want = [event for event in events(path) if keep(event)]
    ok(want, f"{sentence}: there are some")
    same(got, want, sentence)


def check_counts():
    rows = events(BASIC)
    same(events(BASIC, "--limit", "7"), rows[:7], "--limit gives the first ones")
    same(events(BASIC, "-n", "1000"), rows, "--limit beyond the end gives all")
    same(events(BASIC, "-n", "0"), [], "--limit 0 gives none")
    same(events(BASIC, "--last", "7"), rows[-7:], "--last gives the last ones")
    same(events(BASIC, "--last", "1000"), rows, "--last beyond the beginning gives all")
    same(events(BASIC, "--last", "0"), [], "--last 0 gives none")
    same(events(BASIC, "-n", "20", "--last", "5"), rows[15:20], "--last of --limit gives the last of the first")
    same(events(BASIC, "--last", "3", "-t", "TX_TRACE_ISR_*"),
         [r for r in rows if r["name"].startswith("TX_TRACE_ISR_")][-3:], "--last counts what is selected")
    numbers = [json.loads(line)["seq"] for line in rastrum("report", "-fjsonl", "-t", "3", BASIC).lines]
    same(numbers, list(range(len(numbers))), "lines are numbered as they are given out")


def check_moments():
    first = 251685616
    low, high = first + 36464, first + 81271
    for sentence, moments in (("ticks", (f"{low}", f"{high}")), ("ticks in hexadecimal", (hex(low), hex(high))),
                              ("ticks since the first event", ("+36464", "+81271"))):
        selects(f"--from and --to take {sentence}", BASIC, ["--from", moments[0], "--to", moments[1]],
                lambda e: low <= e["ts"] <= high)
    selects("--from alone", BASIC, ["--from", str(high)], lambda e: e["ts"] >= high)
    selects("--to alone", BASIC, ["--to", str(low)], lambda e: e["ts"] <= low)
    same(events(BASIC, "--from", str(high), "--to", str(low)), [], "no moment is between a later and an earlier one")
    rows = events(BASIC, "--clock-hz", "1G")
    for low, high in (("36464ns", "81271ns"), ("36.464us", "81.271us"), ("0.036464ms", "0.081271ms"),
                      ("0.000036464s", "0.000081271s"), ("+36464ns", "+81.271us")):
        same(events(BASIC, "--clock-hz", "1G", "--from", low, "--to", high),
             [r for r in rows if 36464 <= r["ns"] <= 81271], f"--from {low} --to {high} need and use the frequency")


def check_selection():
    selects("--type takes a name", BASIC, ["-t", "TX_TRACE_QUEUE_SEND"], lambda e: e["name"] == "TX_TRACE_QUEUE_SEND")
    selects("--type takes a pattern", BASIC, ["--type", "tx_trace_queue_*"],
            lambda e: e["name"].startswith("TX_TRACE_QUEUE_"))
    selects("--type takes a number", BASIC, ["-t", "83"], lambda e: e["id"] == 83)
    selects("--type takes a service", BASIC, ["-t", "tx_queue_send"], lambda e: e["name"] == "TX_TRACE_QUEUE_SEND")
    selects("--type takes a service of several words", BASIC, ["-t", "internal thread*"], lambda e: e["id"] in (1, 2))
    selects("--type takes a list", BASIC, ["-t", "1,TX_TRACE_ISR_EXIT,4096"], lambda e: e["id"] in (1, 4, 4096))
    selects("--type may be given again", BASIC, ["-t", "1", "-t", "2"], lambda e: e["id"] in (1, 2))
    same(events(BASIC, "-t", "NOTHING"), [], "--type that nothing fits gives none")
    selects("--type leaves out what has a ! in front", BASIC, ["-t", "!tx_trace_queue_*"],
            lambda e: not e["name"].startswith("TX_TRACE_QUEUE_"))
    selects("in any case", BASIC, ["-t", "TX_TRACE_QUEUE_*,!TX_TRACE_QUEUE_SEND", "-t", "!83"],
            lambda e: e["name"].startswith("TX_TRACE_QUEUE_") and e["name"] != "TX_TRACE_QUEUE_SEND" and e["id"] != 83)
    selects("--context does so, too", BASIC, ["-c", "!isr,!Main*"], lambda e: e["context"]["name"] not in ("isr", "main thread"))
    selects("--context takes a thread", BASIC, ["-c", "producer"], lambda e: e["context"]["name"] == "producer")
    selects("--context takes kinds and patterns", BASIC, ["--context", "isr,*thread"],
            lambda e: e["context"]["kind"] == "isr" or e["context"]["name"].endswith(("thread", "Thread")))
    selects("--context takes an address", BASIC, ["-c", "0x5662b9d0"], lambda e: e["context"]["id"] == "0x5662b9d0")
    selects("--object takes a name", BASIC, ["--object", "queue one"], lambda e: "0x56629f80" in e["args"].values())
    selects("--object takes an address", BASIC, ["--object", "0x56629f80"],
            lambda e: "0x56629f80" in e["args"].values())
    selects("--core takes a list", SMP, ["--core", "1,3"], lambda e: e["core"] in (1, 3))
    selects("selections narrow each other", SMP, ["--core", "0,1", "-t", "TX_TRACE_MUTEX_*", "-c", "smp worker ?"],
            lambda e: e["core"] in (0, 1) and "_MUTEX_" in e["name"] and e["context"]["name"].startswith("smp worker"))
    lost = in_tmp("lost.trx", golden("slot-empty"))
    ok(any("lost" in event for event in events(lost, "-t", "NOTHING")), "loss is reported whatever is selected")


def check_order():
    by_time, by_file = events(WRAPPED), events(WRAPPED, "--order", "file")
    ok(by_time != by_file, "--order file is another order")
    same(sorted(by_file, key=lambda e: e["ts"]), sorted(by_time, key=lambda e: e["ts"]),
         "of the same events with the same times")
    n_newest = 285  # the current slot
    same(by_file, by_time[-n_newest:] + by_time[:-n_newest], "that of the slots")
    same(events(WRAPPED, "--order", "time"), by_time, "--order time is the usual one")


def check_times():
    rows = events(ISR, "--clock-hz", "1G", "-n", "50")

    def column(*options):
        return [line.split()[0] for line in rastrum("report", "-n", "50", *options, ISR).lines]
    ticks, ns = [str(r["ts"]) for r in rows], [r["ns"] for r in rows]
    seconds = [f"{n // 10**9}.{n % 10**9:09}" for n in ns]
    same(column(), ticks, "text shows ticks when no frequency is known")
    same(column("--clock-hz", "1G"), seconds, "and seconds since the first event when it is")
    for rate in ("1e9", "1GHz", "1000.000MHz", "1000000000Hz"):
        same(column("--clock-hz", rate), seconds, f"which {rate} is a way to write")
    same(column("--clock-hz", "1G", "--time", "ticks"), ticks, "--time ticks")
    same(column("--clock-hz", "1000M", "--time", "ns"), [str(n) for n in ns], "--time ns")
    same(column("--clock-hz", "1000000000", "--time", "rel"), seconds, "--time rel")
    same(column("--clock-hz", "1G", "--time", "clock"), [f"00:00:{s.zfill(12)}" for s in seconds], "--time clock")
    same(column("--time", "rel"), [str(n) for n in ns], "--time rel without a frequency counts ticks")
    deltas = [line.split()[1] for line in rastrum("report", "-n", "50", "--columns", "+delta", ISR).lines[1:]]
    same(deltas, [f"+{b - a}" for a, b in zip(ns, ns[1:])], "text shows the ticks since the event before")
    same([r["ns"] for r in events(ISR, "--clock-hz", "168M", "-n", "50")], [n * 1000 // 168 for n in ns],
         "JSON has nanoseconds at any frequency")
    same(json.loads(rastrum("info", "--json", "--clock-hz", "168M", ISR).out)["clock"]["hz"], 168000000,
         "info has the frequency")


def check_info_words():
    run = rastrum("info", BASIC)
    for fragment in ("events      223", "queue one", "TX_TRACE_QUEUE_SEND", "tx_queue_send", "name_size",
                     "producer", "loss        none"):
        ok(fragment in run.out, f"info says '{fragment}'", run.out[:300])
    ok(run.status == GOOD and "p1" not in run.out, "and leaves raw words out")


# --- templates ----------------------------------------------------------------------------------------------------

ALONE = {"RASTRUM_TEMPLATES": "", "XDG_CONFIG_HOME": TMP}  # no templates but those built in
SEND = "TX_TRACE_QUEUE_SEND"


def templates(name, *stanzas, dialect="threadx"):
    return in_tmp(name, "\n".join([f"# dialect: {dialect}", *stanzas, ""]).encode())


def texts(*words, path=BASIC, env=None):
    """What a report with these words gives as text of one type, once each, and what it says."""
    run = rastrum("report", "-f", "jsonl", "-t", SEND, *words, path, env={**ALONE, **(env or {})})
    return {json.loads(line)["text"] for line in run.lines}, run


def check_templates():
    first = templates("a.trcfmt", f'{SEND} 1.0 "@" "first: " $enqueued%D4')
    second = templates("b.trcfmt", f'{SEND} 1.0 "@" second')
    before, _ = texts()
    ok(len(before) > 1 and not any("queue_ptr=" in text for text in before), "events read as sentences", before)
    got, run = texts("--templates", first)
    ok(run.status == GOOD and not run.err and all(re.fullmatch(r"first: \d+", text) for text in got),
       "a template of the user's takes the place of the one there is", got, run.err)
    same(rastrum("report", "-t", "TX_TRACE_MUTEX_*", "--templates", first, BASIC, env=ALONE).out,
         rastrum("report", "-t", "TX_TRACE_MUTEX_*", BASIC, env=ALONE).out, "and leaves others alone")
    same(texts("--templates", first, "--templates", second)[0], {"second"}, "of several files the last counts")
    same(texts("--templates", second, "--templates", first)[0], got, "in the order in which they are given")
    ok(rastrum("report", "--templates", f"{second},{first}", BASIC, env=ALONE).status == IO,
       "a comma belongs to the path")
    folder = in_tmp("folder")
    os.mkdir(folder)
    for path in (first, second):
        shutil.copy(path, folder)
    same(texts("--templates", folder)[0], {"second"}, "a folder has its files in the order of their names")
    same(texts(env={"RASTRUM_TEMPLATES": f"{first}:{second}"})[0], {"second"}, "$RASTRUM_TEMPLATES names files, too")
    same(texts("--templates", first, env={"RASTRUM_TEMPLATES": second})[0], got, "which stand below --templates")
    own = in_tmp("home")
    os.makedirs(os.path.join(own, "rastrum", "templates"))
    shutil.copy(second, os.path.join(own, "rastrum", "templates"))
    same(texts(env={"XDG_CONFIG_HOME": own})[0], {"second"}, "the user's own need not be named")
    same(texts("--templates", templates("c.trcfmt", f'{SEND} 1.0 "@" other', dialect="aix"))[0], before,
         "templates of another dialect are not for these events")
    fails(IO, ["report", "--templates", in_tmp("nowhere"), BASIC], "templates that are not there are reported", "nowhere", env=ALONE)
    fails(IO, ["report", BASIC], "so are those of the environment", "nowhere", "RASTRUM_TEMPLATES",
          env={**ALONE, "RASTRUM_TEMPLATES": in_tmp("nowhere")})
    for path in (BASIC, SMP, BASIC):
        rows = events(path, "-t", SEND)
        alone = rastrum("report", "-f", "jsonl", "-t", SEND, "--templates", first, path, SMP, BASIC, env=ALONE)
        said = [json.loads(line) for line in alone.lines]
        same([row["text"] for row in said if row["source"] == 0], [f"first: {row['args']['enqueued']}" for row in rows],
             f"a template finds its fields in each of several traces ({os.path.basename(path)} first)")
        same([row["text"] for row in said if row["source"] == 2],
             [f"first: {row['args']['enqueued']}" for row in events(BASIC, "-t", SEND)], "also in the last of them")


def check_template_faults():
    bad = templates("bad.trcfmt", f'{SEND} 1.0 "@" X17', 'TX_TRACE_MUTEX_GET 1.0 "@" $wait_option,NEVER never')
    got, run = texts("--templates", bad)
    ok(run.status == GOOD and re.fullmatch(rf"rastrum: {re.escape(bad)}:2:\d+: error T08: {SEND}: .*\n", run.err) and
       got == texts()[0], "a bad template is reported with its place, and its event reads as without it", got, run.err)
    run = rastrum("report", "-q", "--templates", bad, BASIC, BASIC, env=ALONE)
    same([line.split(": ")[2] for line in run.err.splitlines()], ["error T08", "error T07"],
         "one that does not fit its event is reported once, however many traces there are")
    same(run.lines, rastrum("report", BASIC, BASIC, env=ALONE).lines, "and its events read as without it, too")
    twice = templates("twice.trcfmt", f'{SEND} 1.0 "@" one', f'{SEND} 1.0 "@" two')
    got, run = texts("--templates", twice)
    ok(got == {"two"} and "warning T16" in run.err, "a warning is reported", got, run.err)
    ok(not texts("-q", "--templates", twice)[1].err, "but not with --quiet")
    _, run = texts("--templates", templates("short.trcfmt", f'{SEND} 1.0 "@" G9 X16'))
    ok(run.status == GOOD and "note: " in run.err and "*TRUNC*" in run.err and "*TRUNC*" in run.out,
       "texts that are cut are reported", run.err)


def check_template_files():
    useless = {"no dialect": in_tmp("nodialect.trcfmt", f'{SEND} 1.0 "@" x\n'.encode()),
               "another dialect": templates("other.trcfmt", '010 1.0 "@" x', dialect="aix"),
               "a misspelt one": templates("misspelt.trcfmt", f'{SEND} 1.0 "@" x', dialect="threadxx"),
               "no template": templates("none.trcfmt"), "no file": in_tmp("emptyfolder"), "a trace": BASIC}
    os.mkdir(useless["no file"])
    for what, path in useless.items():
        got, run = texts("--templates", path)
        ok(run.status == GOOD and f"rastrum: {path}: note: " in run.err and "# dialect: threadx" in run.err and
           run.err.count("note") == 1 and got == texts()[0], f"a file of templates that does nothing is reported: {what}", run.err)
        ok(not texts("-q", "--templates", path)[1].err, "but not with --quiet")
    first = templates("first.trcfmt", f'{SEND} 1.0 "@" first', dialect=" ThreadX")
    ok(texts("--templates", first)[0] == {"first"} and not texts("--templates", first)[1].err, "a dialect is named in any case")
    shutil.copy(first, useless["no file"])
    shutil.copy(useless["no dialect"], useless["no file"])
    ok(not texts("--templates", useless["no file"])[1].err, "a folder of which one file is used is not told")
    bad = [f'{SEND} 1.0 "@" "\\n"'] * 1100 + ['TX_TRACE_MUTEX_GET 1.0 "@" X17']
    run = texts("-q", "--templates", templates("many.trcfmt", *bad))[1]
    ok(run.err.count("error T08") == 1, "an error behind a thousand warnings is reported", run.err)


def check_template_inputs():
    before = slurp(templates("kept.trcfmt", f'{SEND} 1.0 "@" kept'))
    kept, home = in_tmp("kept.trcfmt"), in_tmp("keep/rastrum/templates")
    os.makedirs(home)
    shutil.copy(kept, home)
    own = os.path.join(home, "kept.trcfmt")
    os.symlink(kept, in_tmp("link.trcfmt"))
    for output, words, env in ((kept, ["--templates", kept], {}), (in_tmp("link.trcfmt"), ["--templates", kept], {}),
                               (kept, [], {"RASTRUM_TEMPLATES": kept}), (own, ["--templates", home], {}),
                               (own, [], {"RASTRUM_TEMPLATES": home}), (own, [], {"XDG_CONFIG_HOME": in_tmp("keep")})):
        fails(USAGE, ["report", *words, "-o", output, BASIC], "a file of templates is not overwritten", "would be overwritten",
              env={**ALONE, **env})
        same(slurp(output), before, "and stays as it was")
    fails(IO, ["report", "--templates", in_tmp("nowhere"), "--templates", kept, "-o", kept, BASIC],
          "not even when others cannot be read", "nowhere", env=ALONE)
    same(slurp(kept), before, "and stays as it was")
    ok(rastrum("report", "--templates", kept, "-o", in_tmp("free.trcfmt"), BASIC, env=ALONE).status == GOOD and
       b"kept" in slurp(in_tmp("free.trcfmt")), "others may be")
    fails(USAGE, ["report", "--templates", "-", "-"], "standard input is not both templates and a trace", "2 times", env=ALONE)
    fails(USAGE, ["report", BASIC], "nor named by the environment", "RASTRUM_TEMPLATES", env={**ALONE, "RASTRUM_TEMPLATES": "-"})
    run = rastrum("report", "-t", SEND, "--templates", "-", BASIC, env=ALONE, stdin=before)
    ok(run.status == GOOD and not run.err and all(line.endswith(" kept") for line in run.lines), "but may be templates", run.err)


def check_template_lines():
    lines = templates("lines.trcfmt", f'{SEND} 1.0 "@" one \\n two', 'TX_TRACE_RUNNING 1.0 "@" $SKIP')
    run = rastrum("report", "-t", SEND, "--templates", lines, BASIC, env=ALONE).lines
    ok(len(run) % 2 == 0 and all(a.index("one") == b.index("two") for a, b in zip(run[::2], run[1::2])),
       "further lines of a text begin below the first", *run[:4])
    colored = rastrum("report", "-t", SEND, "--templates", lines, "--color", "always", BASIC, env=ALONE).out
    same(re.sub(r"\x1b\[[\d;]*m", "", colored).splitlines(), run, "colours take no column")
    run = rastrum("report", "-n", "1", "--templates", lines, BASIC, env=ALONE)
    ok("creates queue" in run.lines[0], "what a template leaves out is no event for --limit", run.out)
    stop = templates("stop.trcfmt", f'{SEND} 1.0 "@" last $STOP')
    run = rastrum("report", "--templates", stop, BASIC, SMP, env=ALONE)
    ok(run.status == GOOD and run.lines[-1].endswith(" last") and run.out.count("  last") == 1,
       "$STOP ends a report", run.lines[-1])
    empty = rastrum("report", "--templates", templates("empty.trcfmt", f'{SEND} 1.0 "@"'), BASIC, env=ALONE).lines
    ok(not [line for line in empty if line.endswith(" ")], "no line ends in blanks")


def check_aix():
    run = rastrum("report", "-f", "aix", "--clock-hz", "1M", BASIC, env=ALONE).lines
    rows = events(BASIC, "--clock-hz", "1M")
    heading = "ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT"
    ok(run[0] == heading and len(run) == 1 + len(rows), "the AIX layout has its heading", run[0])
    same([line[:4].strip() for line in run[1:]], [f"{row['id']:03X}" for row in rows], "ids are hexadecimal")
    same([line[4:18].strip() for line in run[1:]], [f"{row['ns'] / 1e9:.9f}" for row in rows], "time is in seconds")
    ns = [row["ns"] for row in rows]
    same([line[18:33].strip() for line in run[2:]], [f"{(b - a) / 1e6:.6f}" for a, b in zip(ns, ns[1:])],
         "the distance to the line before in milliseconds")
    same([line[35:].strip() for line in run[1:]], [row["text"] for row in rows], "texts are those of other formats")
    same(sorted({len(line) - len(line[34:].lstrip()) for line in run[1:] if line[34:].strip()} - {35, 43, 51, 59}), [],
         "and begin under their level")
    run = rastrum("report", "-f", "aix", BASIC, SMP, env=ALONE).lines
    ok(run[0] == heading.replace("_SEC ", "_TICK").replace("_MSEC", "_TICK") and run.count(run[0]) == 1,
       "without a frequency it has ticks", run[0])
    same([line for line in run if line.startswith("***")], [f"*** {BASIC}, in ticks", f"*** {SMP}, in ticks"],
         "each of several traces has a line")
    run = rastrum("report", "-f", "aix", "--last", "2", BASIC, env=ALONE).lines
    ok(len(run) == 3 and run[0].startswith("ID "), "--last does not count the heading", *run)
    run = rastrum("report", "-f", "aix", in_tmp("cut.trx", slurp(BASIC)[:5000]), env=ALONE)
    ok(run.status == DAMAGED and "\n*** DAMAGE at byte " in run.out, "damage is a line", run.out[-300:])


# --- bench --------------------------------------------------------------------------------------------------------


def check_bench_gen():
    gen = ["bench", "gen", "--events", "500"]
    plain = rastrum(*gen)
    same(rastrum(*gen).bytes, plain.bytes, "a generated dump is the same each time")
    ok(rastrum(*gen, "--seed", "7").bytes != plain.bytes, "but with another seed")
    rastrum(*gen, "-o", in_tmp("gen.trx"))
    same(slurp(in_tmp("gen.trx")), plain.bytes, "-o writes it to a file")
    want = events(in_tmp("gen.trx"))
    layouts = [["--word", w, "--endian", e] for w in ("4", "8") for e in ("little", "big")]
    for options in layouts + [["--wrapped", "123"], ["--name-size", "18"], ["--cores", "4"], ["--mask", "0xffff"]]:
        path, sentence = in_tmp("gen.trx", rastrum(*gen, *options).bytes), " ".join(options)
        run = rastrum("report", "-f", "jsonl", path)
        got = [{k: v for k, v in json.loads(line).items() if k != "seq"} for line in run.lines]
        ok(run.status == GOOD and len(got) == 500, f"a dump generated with {sentence} can be read", run.err, len(got))
        if options[0] in ("--word", "--wrapped"):
            same([(e["ts"], e["name"], e["context"]["name"]) for e in got],
                 [(e["ts"], e["name"], e["context"]["name"]) for e in want], f"and {sentence} tells the same story")


def check_closed_descriptors():
    saved, cut = TMP + "/saved", TMP + "/closed.trx"
    with open(BASIC, "rb") as dump, open(cut, "wb") as out:
        out.write(dump.read()[:2600])
    run = subprocess.run(f"{RASTRUM} report -o {saved} {cut} > /dev/null 2>&-", shell=True, check=False)
    written = open(saved, encoding="utf-8").read()
    ok(run.returncode == DAMAGED and written and "rastrum:" not in written,
       "what goes to a closed standard descriptor does not go into a file", run.returncode, written[:300])


def check_bench_rows():
    dump = in_tmp("gen.trx", rastrum("bench", "gen", "--events", "2000").bytes)
    n_rows = {"limit": 5, "read": 11, "--sink": 3}
    for words in (["limit", "--events", "2000"], ["read", "--events", "2000"], ["read", dump], ["read", "--sink", "perfetto,sqlite", dump]):
        run = rastrum("bench", *words, "--runs", "1")
        rows = dict(re.findall(r"^(\w+) +\d+ +[\d.]+ +[\d.]+ +[\d.]+ ns/event +([\d.]+)$", run.out, re.M))
        ratios = dict(re.findall(r"^ratio (\w+) ([\d.]+)$", run.out, re.M))
        unit = [name for name in rows if name not in ratios]
        ok(run.status == GOOD and len(rows) == n_rows.get(words[1], n_rows[words[0]]) and run.lines[0].split()[:2] == ["name", "bytes"],
           f"bench {words[0]} prints its rows", run.out, run.err)
        ok(len(unit) == 1 and rows[unit[0]] == "1.00" and all(rows[name] == ratios[name] for name in ratios),
           f"bench {words[0]} prints ratios to its own floor", run.out)
    run = rastrum("bench", "read", "--sink", "all", "--once", dump)
    ok(run.status == GOOD and not run.out and not run.err, "bench read --sink all --once writes each format without a word", run.out, run.err)
    fails(USAGE, ["bench", "read", "--sink", "perfeto", dump], "bench read --sink suggests a format", "did you mean perfetto?")
    fails(USAGE, ["bench", "read", "--once", dump], "bench read --once needs formats", "--sink")
    fails(IO, ["bench", "read", in_tmp("nowhere")], "bench read tells of a file that is not there", "nowhere")


try:
    for check in (check_usage, check_help, check_spelling, check_bad_inputs, check_wrapped_inputs, check_several,
                  check_join, check_outputs, check_color, check_quiet, check_counts, check_moments, check_selection,
                  check_order, check_times, check_info_words, check_templates,
                  check_template_faults, check_template_files, check_template_inputs, check_template_lines, check_aix, check_bench_gen, check_bench_rows,
                  check_closed_descriptors):
        check()
finally:
    shutil.rmtree(TMP)
sys.exit(done())
