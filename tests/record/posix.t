#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Logs of POSIX traces beyond what a golden can hold: whole files against streams, many blocks, names from real programs."""
import json
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import posix_log as log  # noqa: E402
from tap import RASTRUM, difference, done, ok, rastrum, same, skip  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="rastrum-posix-")


def file_of(data, name="log.rst"):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


def report(*words, stdin=b""):
    result = rastrum("report", "-f", "jsonl", *words, stdin=stdin)
    return result, [json.loads(line) for line in result.lines]


def info(*words, stdin=b""):
    return json.loads(rastrum("info", "--json", *words, stdin=stdin).out)


NO_END = ("the log has no end: its program still runs ({}), or was killed and its consumer with it, "
          "or this is not the whole log (copy it again)")
LATER = NO_END.format("read it again later")

# --- goldens as files -------------------------------------------------------------------------------------------------

for name, (make, _) in log.GOLDENS.items():
    data = make().bytes()
    path = file_of(data)
    by_file, by_stream = rastrum("report", path), rastrum("report", "-", stdin=data)
    if name in ("tsc", "tasks"):  # what comes late is known in a file only
        continue
    ok(by_file.lines == by_stream.lines and by_file.status == by_stream.status,
       f"{name} reads the same as a file and as a stream", *difference(by_file.lines, by_stream.lines))

_, rows = report(file_of(log.ticks().bytes()))
same([row["ns"] for row in rows], [0, 1500000], "the clock pairs of a file give the frequency")
facts = info(file_of(log.ticks().bytes()))
same(facts["clock"]["hz"], 2000000000, "and info has it")
same((facts["clock"]["pairs"], facts["clock"]["error_ns"]), (2, 55), "info has the error of the worst clock pair")
same((facts["target"], facts["wall_ns"]), ("tower", 1795254231999500000), "and host and time of day of the first event")
words = rastrum("info", file_of(log.ticks().bytes())).out
ok("\ndate        2026-11-21T09:43:51.999500000Z, to 55 ns (2 clock pairs)\n" in words and "\ntarget      tower\n" in words,
   "in words, too", words)
older = file_of(log.Log(clock=2, hz=10**9).add("clock pair", log.PAIR, log.pair(1000, 5000)).add("events", log.EVENTS,
                log.events(log.event(64, 2000), first=2000, last=2000)).bytes())
same(info(older)["clock"]["error_ns"], None, "an older log does not have the error: null")
words = rastrum("info", older).out
ok("(1 clock pair; its error is not recorded)\n" in words, "in words, too", words)
facts = info(file_of(log.ticks().bytes()))
same(facts["details"]["first_event"], "2026-11-21T09:43:51.999500000Z", "an event before the first pair has its wall clock")
same(facts["details"]["complete"], False, "a log without an end is not complete")
path = file_of(log.tasks().bytes())
result, rows = report(path)
same((result.status, result.err), (0, f"rastrum: {path}: note: {NO_END.format('--follow goes on with it')}\n"),
     "but it is not damaged")
same([row["context"]["name"] for row in rows[:5]], ["seven", "late", "200/7", "seven", "bad\\x07name"],
     "names that come late hold from the beginning in a file")
_, rows = report(file_of(log.ticks().bytes()), "--clock-hz", 1000000000)
same([row["ns"] for row in rows], [0, 3000000], "--clock-hz overrides the frequency of the log")

# --- long logs -------------------------------------------------------------------------------------------------------

N_BLOCKS, N_EACH = 60, 500
long = log.with_program().add("type", log.TYPE, log.event_type(65, b"count", (b"n", log.UNSIGNED, 4)))
for i in range(N_BLOCKS):
    long.add("", log.EVENTS, log.events(*(
        log.event(65, 2000 + i * N_EACH + j, struct.pack("<I", i * N_EACH + j), address=0x400000 + j % 300 * 16)
        for j in range(N_EACH))))
long.add("", log.END, log.end(N_BLOCKS * N_EACH))
data = long.bytes()
path = file_of(data, "long.rst")
for how, (result, rows) in {"file": report(path), "stream": report("-", stdin=data)}.items():
    ok([row["args"]["n"] for row in rows] == list(range(N_BLOCKS * N_EACH)) and result.status == 0,
       f"a {how} of many blocks gives every event once, in order", result.err)
result, rows = report("--join", path, path)
ok([row["args"]["n"] for row in rows] == 2 * list(range(N_BLOCKS * N_EACH)) and result.status == 0,
   "joined logs are read one after the other", result.err)
result, rows = report("--join", path, file_of(b"no log"))
ok(result.status == 3 and len([row for row in rows if "seq" in row]) == N_BLOCKS * N_EACH and "damage" in rows[-1],
   "a joined file that is no log is damage behind the first one", result.err)
cut = data[:len(data) - 200]
result, rows = report(file_of(cut))
ok(result.status == 3 and len([r for r in rows if "seq" in r]) >= (N_BLOCKS - 1) * N_EACH,
   "a log cut within its last blocks loses these only", result.err)
torn = bytearray(data)
torn[len(data) // 2] ^= 0xFF
for how, (result, rows) in {"file": report(file_of(torn)), "stream": report("-", stdin=bytes(torn))}.items():
    ok(result.status == 3 and len([r for r in rows if "seq" in r]) == (N_BLOCKS - 1) * N_EACH
       and len([r for r in rows if "damage" in r]) == 1, f"one bad byte in a {how} costs one block", result.err)
noise = data[:len(data) // 2] + os.urandom(300000) + data[len(data) // 2:]
result, rows = report("-", stdin=noise)
ok(result.status == 3 and len([r for r in rows if "seq" in r]) >= (N_BLOCKS - 2) * N_EACH,
   "foreign bytes in a stream cost themselves and the block that they tear", result.err)

# --- logs without an end ----------------------------------------------------------------------------------------------

whole, cut = log.losses().bytes(), log.losses().bytes()[:-len(log.block(log.END, log.end(0)))]
is_told = {"a whole log": (whole, []), "a log whose end is missing": (cut, [NO_END.format("--follow goes on with it")])}
for what, (data, notes) in is_told.items():
    path = file_of(data)
    facts = info(path)
    same((facts["details"]["complete"], facts["notes"]), (not notes, notes), f"{what}: info reports whether it has an end")
    result = rastrum("report", path)
    same((result.status, result.err), (0, "".join(f"rastrum: {path}: note: {n}\n" for n in notes)), f"{what}: and report")
    same(info("-", stdin=data)["notes"], [LATER] if notes else [], f"{what}: also from a pipe")
same(rastrum("report", "-q", file_of(cut)).err, "", "--quiet leaves the note out")
same(rastrum("report", "--limit", "1", file_of(cut)).err, "", "what is not read to its end has none")
first, second = file_of(whole, "first.rst"), file_of(cut, "second.rst")
OVERLAP = "this log begins in front of the end of the one before, by the same clock: logs are joined in the order in which they are given"
same(info("--join", first, second)["notes"], [f"{second}: {OVERLAP}", f"{second}: {NO_END.format('--follow goes on with it')}"],
     "of joined logs the one without an end is named")
same(info("--join", second, first)["notes"], [NO_END.format("--follow goes on with it"), f"{first}: {OVERLAP}"], "but for the first")
noise = log.losses().raw("", b"not zeros").bytes()
facts = info(file_of(noise))
same((facts["details"]["complete"], facts["notes"], len(facts["damage"])), (True, [], 1), "bytes behind the end are damage only")


def growing(words, give, stop, sentence):
    """A report of an input that is not over: what it says before its end, and then."""
    with subprocess.Popen([RASTRUM, "report", "-f", "jsonl", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as run:
        give(run.stdin)
        seen = [json.loads(run.stdout.readline()) for _ in range(4)]  # two losses, two events
        is_silent = not select.select([run.stderr], [], [], 0.3)[0]
        stop(run)
        out, err = run.communicate(timeout=60)
    ok("seq" in seen[-1] and is_silent, f"{sentence}: no note while it may go on", seen)
    return out, err.decode()


def write_to(pipe):
    pipe.write(cut)
    pipe.flush()


_, err = growing(["-"], write_to, lambda run: None, "a pipe that is open")
same(err, f"rastrum: standard input: note: {LATER}\n", "but when it is closed")
path = file_of(cut, "grows.rst")


def finish(run):
    with open(path, "ab") as out:
        out.write(whole[len(cut):])
    run.stdout.readline()  # what only the end counts
    run.send_signal(signal.SIGINT)


_, err = growing(["--follow", path], lambda pipe: None, finish, "a file that is followed")
same(err, "", "nor when the end has come")

# --- ring areas that are cut ------------------------------------------------------------------------------------------

CUT = "the file is cut in the ring area; what stood behind is missing"
PLACE, PLACES = 4096, 4
ring = log.Log(area=PLACES * PLACE, place=PLACE)
for i in range(3):
    run = log.block(log.EVENTS, log.events(*(log.event(64, 1000 * i + j) for j in range(50))), 10 + i)
    ring.raw("", run + bytes(PLACE - len(run)))
ring.raw("", bytes(PLACE))
behind = len(ring.bytes())
for kind, _, body in log.program():
    ring.add("", kind, body)
data = ring.add("", log.END, log.end(150), sequence=13).bytes()


def damages_of(data):
    """Of a file and a pipe, which are to say the same."""
    by_file, by_pipe = report(file_of(data)), report("-", stdin=data)
    found = [[(r["damage"]["offset"], r["damage"]["what"]) for r in rows if "damage" in r] for _, rows in (by_file, by_pipe)]
    ok(found[0] == found[1] and by_file[0].status == by_pipe[0].status == (3 if found[0] else 0),
       f"{len(data)} bytes of a ring log: a file and a pipe give the same", found, by_file[0].err)
    return found[0]


same(damages_of(data), [], "a ring log that is whole is not damaged")
same(damages_of(data[:behind]), [], "nor is one of which no byte of the area is missing")
same(damages_of(data[:behind - 8]), [(behind - 8, CUT)], "a ring log that is cut in its area is damaged where it ends")
same(damages_of(data[:log.HEADER_BYTES + 2 * PLACE]), [(log.HEADER_BYTES + 2 * PLACE, CUT)], "also between two places")
_, rows = report(file_of(data[:log.HEADER_BYTES + 2 * PLACE]))
ok([r["ts"] for r in rows if "seq" in r] == [*range(50), *range(1000, 1050)] and "damage" in rows[-1],
   "its events are read, and the damage is reported behind them")
same(damages_of(data[:log.HEADER_BYTES + PLACE + 100])[-1][1], CUT, "also in the middle of a block")
for n in (0, 64, PLACE):
    same(damages_of(ring.bytes()[:log.HEADER_BYTES] + bytes(n)), [], f"a ring log with {n} empty bytes has just begun")

# --- heads -----------------------------------------------------------------------------------------------------------

for sentence, head, status, words in (
        ("another version", {"version": 2}, 5, "version"),
        ("another byte order", {"order": 2}, 5, "byte order"),
        ("another word size", {"word": 4}, 5, "word size"),
        ("a feature that no dialect knows", {"needs": 128}, 5, "feature"),
        ("another content", {"content": 9}, 5, "something else")):
    result = rastrum("report", "--dialect", "posix", "-", stdin=log.Log(**head).bytes())
    ok(result.status == status and words in result.err, f"a log of {sentence} is refused, with the reason",
       f"{result.status} {result.err}")
result = rastrum("report", "-", stdin=log.header()[:100])
ok(result.status == 3 and "cut" in result.err, "a header that is cut is reported", f"{result.status} {result.err}")
result, rows = report("-", stdin=log.Log().bytes())
ok(result.status == 0 and not rows, "a log of nothing but its header has no events", result.err)
facts = info("-", stdin=log.Log(host=b"bad\x1b\xffhost", start=(-62135596801, 7)).bytes())["details"]
same((facts["host"], facts["started"]), ("bad\\x1b\\xffhost", "0000-12-31T23:59:59.000000007Z"),
     "facts of the header are made safe to show")

# --- names that mean something to templates --------------------------------------------------------------------------

names = [b"POSIX_TRACE_START", b"posix_at", b"LOST", b"010", b"a b\tc", b"\"quoted\\", b"x" * 64]
odd = log.with_program()
for i, each in enumerate(names):
    odd.add("", log.TYPE, log.event_type(65 + i, each, (b"003", log.UNSIGNED, 1), (b"$x \"", log.UNSIGNED, 1)))
odd.add("", log.EVENTS, log.events(*(log.event(65 + i, 2000 + i, b"\1\2") for i in range(len(names)))))
result, rows = report("-", stdin=odd.bytes())
ok(result.status == 0 and len(rows) == len(names) and all(row["args"]["003"] == 1 for row in rows),
   "names of events and fields may be anything", result.out, result.err)

# --- what people see of fields ----------------------------------------------------------------------------------------

mixed = log.with_program()
mixed.add("", log.EVENTS, log.events(log.event(3, 0, b"\0\0\0\0", pid=7, tid=7)))
mixed.add("", log.EVENTS, log.events(log.event(64, 1, b"hello"), log.event(64, 2, b"\0\1"), log.event(64, 3, pid=0, tid=0)))
mixed.add("", log.EVENTS, log.events(log.event(64, 4, b"hello", pid=200), log.event(64, 5)))
for how, (_, rows) in {"file": report(file_of(mixed.bytes())), "stream": report("-", stdin=mixed.bytes())}.items():
    system, *rows = rows
    same((system["args"]["process"], [row["text"] for row in rows]),
         (7, ['text="hello", address=0x401136', "data=0001, address=0x401136", "address=0x401136",
          'text="hello", address=0x401136, process=200', "address=0x401136, process='demo'"]),
         f"a {how}: the process is named when another one has user events, and text goes before its bytes")
    same([row["args"]["process"] for row in rows] + [rows[0]["args"]["data"], rows[0]["args"]["text"]],
         [100, 100, 0, 200, 100, "68656c6c6f", "hello"], f"a {how}: the fields are all there")
os.mkdir(os.path.join(FOLDER, "templates"))  # beside the traces it would be found by itself
template = os.path.join(FOLDER, "templates", "mine.trcfmt")
with open(template, "w", encoding="utf-8") as out:
    out.write('# dialect: posix\nPOSIX_TRACE_UNNAMED_USEREVENT 1.0 "@" $process ":" $address\n')
same([row["text"] for row in report("--templates", template, file_of(mixed.bytes()))[1]][1:3], ["demo : 0x401136"] * 2,
     "and a template can name them")
with open(template, "w", encoding="utf-8") as out:
    out.write('# dialect: posix\nPOSIX_TRACE_UNNAMED_USEREVENT 1.0 "@" $PID\n')
same([row["text"] for row in report("--templates", template, file_of(mixed.bytes()))[1]][1:], ["100", "100", "0", "200", "100"],
     "$PID is the process")

# --- many of everything ----------------------------------------------------------------------------------------------

flood = log.Log()
flood.add("", log.EVENTS, log.events(*(log.event(i % 65536, i, pid=i % 7, tid=i + 1, address=i * 8 + 8)
                                       for i in range(20000))))
result, rows = report("-", stdin=flood.bytes())
ok(result.status == 0 and len(rows) == 20000, "each event may be of a type, thread and place of its own", result.err)

# --- a full disk -----------------------------------------------------------------------------------------------------

# A log with a ring area that has holes, in memory that is full: reading it must not ask for more.
with open(os.path.join(FOLDER, "fill.sh"), "w", encoding="utf-8") as out:
    out.write("""mount -t tmpfs -o size=1m none "$1/full" || exit 99
cp --sparse=always "$1/area.rst" "$1/full/area.rst"
cat /dev/zero > "$1/full/rest" 2> /dev/null
"$2" report -f jsonl "$1/full/area.rst"
""")
os.mkdir(os.path.join(FOLDER, "full"))
holes = log.Log(area=64 * 4096, place=4096)
first = log.block(log.EVENTS, log.events(log.event(64, 2000)), 1)
holes.raw("one place is used", first + bytes(64 * 4096 - len(first)))
holes.add("attributes", log.ATTRIBUTES, log.attributes(policy=3, log_policy=1), sequence=0)
file_of(holes.add("end", log.END, log.end(1), sequence=2).bytes(), "area.rst")
run = subprocess.run(["unshare", "-m", "sh", os.path.join(FOLDER, "fill.sh"), FOLDER, os.path.abspath(RASTRUM)],
                     capture_output=True, check=False) if shutil.which("unshare") else None
SENTENCE = "a log with holes is read where there is no room for anything"
if run is None or run.returncode == 99 or b"unshare" in run.stderr:
    skip(SENTENCE, "no file system may be mounted here")
else:
    result = rastrum("report", "-f", "jsonl", os.path.join(FOLDER, "area.rst"))
    ok((run.returncode, run.stdout) == (result.status, result.bytes) and b'"ts":2000' in run.stdout, SENTENCE, run, result.out)

# --- symbols ---------------------------------------------------------------------------------------------------------

SOURCE = """
#ifndef STEP
#define STEP 1
#endif
int first(int x) { return x + STEP; }
static int __attribute__((noinline)) second(int x) { return x * 3; }
int main(int n, char **words) { (void)words; return first(n) + second(n); }
"""


def compiled(name, *flags):
    path = os.path.join(FOLDER, name)
    run = subprocess.run(["gcc", "-O0", "-Wl,--build-id=sha1", *flags, "-x", "c", "-o", path, "-"],
                         input=SOURCE.encode(), capture_output=True, check=False)
    return path if run.returncode == 0 else None


def words_of(tool, *words):
    return subprocess.run([tool, *words], capture_output=True, text=True, check=False).stdout


def map_of(path):
    """The build id, {name: address}, and [(offset in the file, address, size)] of what is loaded."""
    build_id = bytes.fromhex(re.search(r"Build ID: (\w+)", words_of("readelf", "-nW", path)).group(1))
    symbols = {name: int(value, 16) for value, name in
               re.findall(r"^ *\d+: (\w+) +\d+ FUNC +\w+ +\w+ +\d+ (\w+)", words_of("readelf", "-sW", path), re.M)}
    loads = [tuple(int(n, 16) for n in found) for found in
             re.findall(r"^ +LOAD +(\w+) (\w+) \w+ (\w+)", words_of("readelf", "-lW", path), re.M)]
    return build_id, symbols, loads


def log_of_calls(path, build_id, loads, addresses, bias=0x7F0000000000):
    calls = log.Log()
    for offset, address, size in loads:
        page = address & 0xFFF
        calls.add("", log.MODULE, log.module(100, bias + address - page, size + page, offset - page, path.encode(), build_id))
    calls.add("", log.EVENTS, log.events(*(log.event(64, i, address=bias + each) for i, each in enumerate(addresses))))
    return calls.bytes()


def places(data, *words):
    return [row["text"].split(",")[0].removeprefix("address=") for row in report(file_of(data), *words)[1]]


for kind, flags in (("position-independent", ["-fpie", "-pie"]), ("fixed", ["-fno-pie", "-no-pie"])):
    program = compiled(f"program-{kind}", *flags) if shutil.which("readelf") else None
    if not program:
        skip(f"addresses of a {kind} program get names", "no compiler or no readelf")
        continue
    BUILD_ID, SYMBOLS, LOADS = map_of(program)
    at = [SYMBOLS["first"] + 5, SYMBOLS["second"] + 1, SYMBOLS["main"]]
    expected = ["first+0x5", "second+0x1", "main"]
    same(places(log_of_calls(program, BUILD_ID, LOADS, at)), expected, f"addresses of a {kind} program get names")
    other = bytes([BUILD_ID[0] ^ 1]) + BUILD_ID[1:]
    base = os.path.basename(program)
    ok(all(p.startswith(base + "+0x") for p in places(log_of_calls(program, other, LOADS, at))),
       f"another build of a {kind} program gives no names, and the offset in the file is shown")
    ok(all(p.startswith(base + "+0x") for p in places(log_of_calls(program, b"", LOADS, at))),
       f"a {kind} program without a build id gives no names")
    gone = "/gone/" + base
    same(places(log_of_calls(gone, BUILD_ID, LOADS, at), "--opt", f"symbols={FOLDER}"), expected,
         f"a {kind} program is found in another folder")
    stripped = program + "-stripped"
    shutil.copy(program, stripped)
    if subprocess.run(["strip", stripped], check=False).returncode == 0:
        debug = os.path.join(FOLDER, "debug", ".build-id", BUILD_ID.hex()[:2])
        os.makedirs(debug, exist_ok=True)
        shutil.copy(program, os.path.join(debug, BUILD_ID.hex()[2:] + ".debug"))
        same(places(log_of_calls("/gone/else", BUILD_ID, LOADS, at), "--opt", f"symbols={FOLDER}/debug"), expected,
             f"and by its build id ({kind})")
    whole, fails = open(program, "rb").read(), []
    for n in list(range(0, len(whole), 997)) + list(range(0, 64, 3)):
        bad = bytearray(whole if n % 2 else whole[:n])
        for bit in range(0, len(bad), 501):
            bad[(bit + n) % len(bad)] ^= 1 << n % 8
        with open(os.path.join(FOLDER, base), "wb") as broken:
            broken.write(bad)
        result = rastrum("report", file_of(log_of_calls(gone, BUILD_ID, LOADS, at)), "--opt", f"symbols={FOLDER}")
        if result.status != 0:
            fails.append(f"{n}: {result.status} {result.err}")
    ok(not fails, f"a {kind} program that is broken anywhere does no harm", *fails)

# --- programs of several processes, and one that calls exec -----------------------------------------------------------


def programs_log(images, place=0):
    """Each image is (pid, its modules, the addresses that it calls from); with a place as a ring log, its places turned."""
    turn, runs, at = log.Log(area=4 * place, place=place), [], 0
    for pid, modules, addresses in images:
        for each in modules:
            turn.add("", log.MODULE, log.module(pid, *each))
        called = log.events(*(log.event(64, at + i, pid=pid, tid=pid, address=each) for i, each in enumerate(addresses)))
        at += len(addresses)
        if place:
            runs.append(log.block(log.EVENTS, called, turn.sequence))
            turn.sequence += 1
        else:
            turn.add("", log.EVENTS, called)
    turn.add("", log.END, log.end(at))
    area = b"".join(run + bytes(place - len(run)) for run in runs[2:] + runs[:2])
    return turn.bytes()[:log.HEADER_BYTES] + area + turn.bytes()[log.HEADER_BYTES:]


FIXED = ("-fno-pie", "-no-pie")
both = [compiled("before", *FIXED), compiled("behind", *FIXED, "-Dfirst=third", "-Dsecond=fourth", "-DSTEP=2")]
if not all(both) or not shutil.which("readelf"):
    skip("a process has the functions of the program that it ran at the time", "no compiler or no readelf")
else:
    maps = [map_of(path) for path in both]
    ok(maps[0][0] != maps[1][0], "two programs have build ids of their own")  # which names of functions do not count for
    memory = [[(a & ~0xFFF, n + (a & 0xFFF), offset - (a & 0xFFF), path.encode(), build_id) for offset, a, n in loads]
              for path, (build_id, _, loads) in zip(both, maps)]
    calls = [maps[0][1]["first"] + 5, maps[0][1]["second"] + 1]
    same([maps[1][1]["third"] + 5, maps[1][1]["fourth"] + 1], calls, "and functions at the same addresses")
    before, behind = ["first+0x5", "second+0x1"], ["third+0x5", "fourth+0x1"]
    # A parent, its child after the fork, another program, the child after exec, and the parent again.
    images = [(100, memory[0], calls), (200, memory[0], calls), (300, memory[1], calls), (200, memory[1], calls),
              (100, [], calls)]
    expected = before + before + behind + behind + before
    same(places(programs_log(images)), expected, "a process has the functions of the program that it ran at the time")
    same(places(programs_log(images[:4], 4096)), expected[:8], "in a ring log, too")
    _, rows = report("-", stdin=programs_log(images))
    same([row["text"].split(",")[0].removeprefix("address=") for row in rows], expected, "and in a stream")
    same(places(programs_log([(100, [], calls), (100, memory[1], calls)])), behind + behind,
         "a first description holds for the events before it, too")

fifo = os.path.join(FOLDER, "fifo")
os.mkfifo(fifo)
for strange in (fifo, "/dev/zero", "/proc/self/mem", FOLDER, "/dev/tty"):
    found = places(log_of_calls(strange, b"\1" * 20, [(0, 0, 4096)], [16]))
    same(found, [os.path.basename(strange) + "+0x10"], f"{os.path.basename(strange)[:9]} as a module is not waited for")
result = rastrum("report", "--opt", "symbols=", "-", stdin=log.Log().bytes())
same(result.status, 2, "an empty folder of symbols is refused")

shutil.rmtree(FOLDER)
sys.exit(done())
