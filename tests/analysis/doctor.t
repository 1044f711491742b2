#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`rastrum doctor`: each diagnosis is made of a recording that has the fault, with what to change, and none of a healthy one."""
import fcntl
import glob
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import tty

sys.dont_write_bytecode = True
sys.path[:0] = ["tests", "tests/truth"]
import rtos_sim  # noqa: E402
from tap import IS_SOAK, RASTRUM, done, golden_bytes, ok, rastrum, same, slurp, terminal, wait_until  # noqa: E402
from threadx_events import ISR, OWN_PRIORITY, THREAD, image  # noqa: E402

TMP = tempfile.TemporaryDirectory()
CLOCK = ("--clock-hz", "100MHz")
INVERSION = "tests/data/threadx/priority_inversion.trx"
seen = set()


def at(name):
    return os.path.join(TMP.name, name)


def save(name, data):
    with open(at(name), "wb") as file:
        file.write(data)
    return at(name)


def golden(name):
    """The bytes of a golden."""
    return save(name.replace("/", "-"), golden_bytes(f"tests/goldens/{name}.hex"))


def simulated(name, scenario="healthy", **how):
    rtos_sim.make(at(name), scenario, **how)
    return at(name)


def diagnoses(*words, stdin=b""):
    """{diagnosis: its object}, and the exit status."""
    run = rastrum("doctor", "--json", *words, stdin=stdin)
    found = {}
    for line in run.lines:
        row = json.loads(line)
        found.setdefault(row["diagnosis"], row)
    seen.update(found)
    return found, run.status


def finds(sentence, words, wanted, status=1, **lines):
    """Exactly these diagnoses; lines: what stands in the code, or else in the words, of some of them."""
    found, got = diagnoses(*words)
    faults = [f"{name}: {found[name]}" for name, line in lines.items()
              if name in found and line not in " ".join(filter(None, (found[name][key] for key in ("code", "change", "text", "evidence"))))]
    ok(set(found) == set(wanted) and got == status and not faults, sentence, f"{sorted(found)}, status {got}", *faults)
    return found


def dump(stamps, mask=0xFFFFFFFF, objects=(), **how):
    """A dump of ThreadX with events of a thread 't' at these stamps: user events, unless `events` are given."""
    rows = how.get("events") or [(THREAD, OWN_PRIORITY, 4096, (n, 0, 0, 0)) for n in range(len(stamps))]
    data = bytearray(image([(1, THREAD, "t", 0, 0), *objects], rows))
    data[4:8] = struct.pack("<I", mask)
    ring = len(data) - 32 * len(rows)
    for n, stamp in enumerate(stamps):
        data[ring + 32 * n + 12:ring + 32 * n + 16] = struct.pack("<I", stamp)
    return bytes(data)


# --- nothing ----------------------------------------------------------------------------------------------------------

def check_healthy():
    kernels = [("threadx", {"start": 0xFFFF0000}), ("threadx", {"cores": 2, "word": 8, "endian": ">"}),
               ("liteos_m", {"core_msg": 1, "count": 1}), ("liteos_m", {"tlv": True}),
               ("liteos_a", {"params": 7, "cores": 2, "core_msg": 1, "count": 1})]
    faults = []
    for n, (dialect, how) in enumerate(kernels):
        for seed in range(1, 6 if IS_SOAK else 2):
            path = simulated(f"healthy{n}", dialect=dialect, seed=seed, **how)
            found, status = diagnoses(*(CLOCK if dialect == "threadx" else ()), path)
            faults += [f"{dialect} {how} seed {seed}: {found}"] if found or status else []
    ok(not faults, "nothing is wrong with healthy simulated kernels", *faults)
    run = rastrum("doctor", *CLOCK, INVERSION)
    same((run.status, run.out, run.err), (0, "nothing wrong with 96 events\n", ""), "which is said, and the status is 0")
    recordings = sorted(set(glob.glob("tests/data/rkh/r*.bin")) - {f"tests/data/rkh/{name}.bin" for name in ("r3_nochk_nots", "r7_overrun512")})
    found = {path: diagnoses(path) for path in recordings}
    ok(len(found) > 5 and all(pair == ({}, 0) for pair in found.values()), "nor with whole recordings of RKH's recorder", *map(str, found.items()))
    run = rastrum("record", "--quiet", "--system", "--sched", "-o", at("sort.rst"), "--", "sort", __file__)
    if run.status == 0:
        finds("nor with a program under record --system --sched", [at("sort.rst")], [], 0)


# --- what is missing --------------------------------------------------------------------------------------------------

def check_losses():
    finds("a dump without an event names the switch", [golden("threadx/ring-empty")], ["empty"], empty="-DTX_ENABLE_EVENT_TRACE")
    found = finds("lost events: the rate, the ring and the baud rate that would hold them", ["tests/data/rkh/d2_droppedruns.bin"], ["lost"],
                  lost="#define RKH_CFG_TRC_SIZEOF_STREAM (512u + 1024u)\nrastrum report -d rkh --serial DEVICE --baud 57600")
    same((found["lost"]["weight"], found["lost"]["text"]), ("error", "Events are lost: 153 of 3628, 4.2 %, in 34 places."), "the count is that of the recording")
    same(found["lost"]["events"], [104, 105], "with the events beside the first place")
    found = finds("damage: where, how much, and how to send it again", ["tests/data/rkh/d1_bitflips.bin"], ["damage"], 3,
                  damage="stty -F /dev/ttyACM0 115200 raw -echo")
    ok("the first at byte 2286: wrong checksum" in found["damage"]["evidence"], "with the first byte", str(found))
    finds("a loss because of damage is not one of memory", [golden("compact/memory-cut")], ["damage", "lost", "clock_unknown"], 3, lost="Transfer it again")
    finds("the size of a stream of <trace.h> that is large enough", [golden("posix/loss")], ["lost"], lost="posix_trace_attr_setstreamsize(&attr, 1048576);")
    finds("a recorder that began anew", [golden("compact/loss")], ["lost", "reset", "clock_unknown"], reset="the recorder began anew")
    finds("a reset between two dumps", [*CLOCK, save("boots", dump([10, 50, 90]) + dump([5, 6, 7]))], ["reset"], reset=".noinit")


def check_transfer():
    path = save("crlf.trx", slurp(INVERSION).replace(b"\n", b"\r\n"))
    finds("a transfer in text mode", [*CLOCK, path], ["text_mode"], text_mode="raw -echo")
    run = rastrum("doctor", *CLOCK, path)
    same(run.err, "", "what is a diagnosis is no note on standard error")


# --- the clock --------------------------------------------------------------------------------------------------------

def check_clock():
    finds("a clock of unknown rate", [INVERSION], ["clock_unknown"], clock_unknown="--clock-hz 168MHz")
    finds("events without stamps", ["tests/data/rkh/r3_nochk_nots.bin"], ["clock_unknown"], clock_unknown="#define RKH_CFG_TRC_TSTAMP_EN 1")
    finds("a clock that stands", [save("stands", dump([77] * 40))], ["clock_stands"], clock_stands="|= 1u << 24; /* DEMCR.TRCENA */")
    finds("a clock that counts events", [save("counts", dump(range(100, 180, 2)))], ["clock_counts"], clock_counts="#define TX_TRACE_TIME_SOURCE")
    steps, stamp = [], 0
    for n in range(60):
        stamp = (stamp + (40000 if n % 20 == 19 else 100 + n)) % 65536
        steps.append(stamp)
    finds("a clock that may have wrapped unseen", [*CLOCK, save("wraps", dump(steps, 0xFFFF))], ["clock_wraps"], clock_wraps="Stamps wrap after 655.4 us")
    found, _ = diagnoses(*CLOCK, save("no-wraps", dump(steps, 0xFFFFFFFF)))
    ok("clock_wraps" not in found, "not with a wider counter", str(found))
    finds("fewer stamps prove nothing", [*CLOCK, save("few", dump([77] * 20))], [], 0)


# --- names ------------------------------------------------------------------------------------------------------------

def check_names():
    sim = rtos_sim.KERNELS["threadx"](cores=1, seed=1)
    sim.run(rtos_sim.SCENARIOS["healthy"](sim))
    sim.write(at("full"), registry=4)
    found = finds("a registry that is full, and one that is large enough", [*CLOCK, at("full")], ["registry_full"],
                  registry_full="tx_trace_enable(trace_buffer, sizeof(trace_buffer), 20);")
    ok("All 4 places are taken; 12 of 13 threads have no name" in found["registry_full"]["evidence"], "with what is missing", str(found))
    sim.write(at("enough"), registry=len(sim.things))
    finds("a registry that is just large enough is not too small", [*CLOCK, at("enough")], [], 0)
    found, _ = diagnoses("tests/data/liteos/m_arm32_default/offline.bin")
    same(found["nameless"]["code"], "#define LOSCFG_TRACE_OBJ_MAX_NUM 4", "threads without names, and how many names are to be kept")


# --- what is recorded -------------------------------------------------------------------------------------------------

def check_coverage():
    path = simulated("short", seed=2, keep=150)
    found = finds("a ring that is too short for the longest wait", [*CLOCK, path], ["buffer_short"])
    code = re.fullmatch(r"tx_trace_enable\(trace_buffer, (\d+) \* 1024, 28\);", found["buffer_short"]["code"])
    size = os.path.getsize(path)
    ok(code and 5 * size < int(code[1]) * 1024 < 10 * size, "with the size that ten of these waits need", str(found))
    ok(len(found["buffer_short"]["events"]) == 2, "and the events at both ends of it")
    finds("a long ring of the same program is long enough", [*CLOCK, simulated("long", seed=2, keep=1200)], [], 0)
    finds("switches that are not recorded", [golden("posix/counters")], ["no_switches"], no_switches="rastrum record --sched")
    other = (1, THREAD + 0x100, "u", 0, 0)
    rows = [(THREAD + 0x100 * (n % 2), OWN_PRIORITY, 4096, (n, 0, 0, 0)) for n in range(40)]
    stamps = [n * n for n in range(40)]
    finds("events of several threads prove that there were switches", [*CLOCK, save("user", dump(stamps, objects=[other], events=rows))], ["no_switches"],
          no_switches="tx_trace_event_unfilter(TX_TRACE_INTERNAL_EVENTS);")
    finds("those of one thread do not", [*CLOCK, save("alone", dump(stamps))], [], 0)
    rows = [(ISR if n % 4 == 3 else THREAD, THREAD if n % 4 == 3 else OWN_PRIORITY, 4096, (n, 0, 0, 0)) for n in range(40)]
    finds("interrupts that are not recorded", [*CLOCK, save("isr", dump(stamps, events=rows))], ["no_interrupts"], no_interrupts="tx_trace_isr_enter_insert(number);")
    finds("frames of LiteOS that are too short", [simulated("short.bin", dialect="liteos_m", params=3, core_msg=1, count=1)], ["short_events"],
          short_events="#define LOSCFG_TRACE_FRAME_MAX_PARAMS 6")
    found = finds("what a loss leaves unknown", [simulated("lose.bin", dialect="liteos_m", seed=2, lose=2, core_msg=1, count=1)], ["lost", "unknown_share"],
                  unknown_share="no event is lost")
    stats = rastrum("stats", at("lose.bin")).out
    shares = re.search(r"unknown: cores (\S+ %), threads (\S+ %)", stats)
    ok(shares and round(float(shares[2].split()[0])) == int(re.match(r"Much is unknown: (\d+) %", found["unknown_share"]["text"])[1]),
       "the share is that of stats", str(found), stats)
    found, _ = diagnoses("tests/data/liteos/hw_arm32_userbuf/offline.bin")
    ok("TRACE_SEM_FLAG" in found["no_reasons"]["code"], "waits without a reason", str(found))


def check_vendors():
    finds("an older ThreadX", [*CLOCK, golden("threadx/isr-bare-priorities")], ["vendor"], vendor="an older ThreadX")
    udp = "tests/data/threadx/tracex-samples/demo_netx_udp.trx"
    found, _ = diagnoses(udp)
    ok("--opt netx=old" in found["vendor"]["code"], "events that NetX and NetX Duo number alike", str(found))
    found, _ = diagnoses("--opt", "netx=old", udp)
    ok("vendor" not in found, "not when it is said which one it is", str(found))
    run = rastrum("doctor", "tests/data/rkh/d5_midstream.bin")
    ok("guess: The target's configuration is not in the recording" in " ".join(run.out.split()), "a stream that begins in the middle", run.out)
    found, _ = diagnoses("tests/data/threadx/second_boundary_linux64.trx")
    same(found["guess"]["code"], "--opt wrap=1000000000", "a guess has the option that says it")


# --- how it is shown --------------------------------------------------------------------------------------------------

def check_output():
    run = rastrum("doctor", INVERSION, at("crlf.trx"))
    ok(run.out.startswith(f"{INVERSION}:\nwarning: clock unknown: ") and f"\n\n{at('crlf.trx')}:\nwarning: text mode: " in run.out,
       "several traces have their names as headings", run.out)
    sources = [json.loads(line)["source"] for line in rastrum("doctor", "--json", INVERSION, at("crlf.trx")).lines]
    same(sources, [0, 1, 1], "and their numbers in JSON")
    weights = [json.loads(line)["weight"] for line in rastrum("doctor", "--json", "tests/data/rkh/d5_midstream.bin").lines]
    same(weights, sorted(weights, key=["error", "warning", "hint"].index), "what weighs most comes first")
    text, status = terminal([os.path.abspath(RASTRUM), "doctor", "--no-pager", "--color", "never", *CLOCK, at("short")], 80)
    wide = [line for line in text.splitlines() if len(line) > 80]
    ok(status == 1 and text and not wide, "a terminal of 80 columns holds all lines", *wide)
    text, _ = terminal([os.path.abspath(RASTRUM), "doctor", "--no-pager", INVERSION], 80, env={**os.environ, "TERM": "xterm"})
    ok("\033[33mwarning:\033[0m" in text and "\033[1m--clock-hz 168MHz\033[0m" in text, "there with colours", text)
    run = rastrum("doctor", "--duration", "1", INVERSION)
    ok(run.status == 2 and "files are read to their end" in run.err, "a file takes no duration", run.err)
    run = rastrum("doctor", at("absent"))
    same(run.status, 4, "a file that is not there")


# --- live inputs ------------------------------------------------------------------------------------------------------

def check_pipe():
    """The other end stays open: only --duration ends it."""
    with subprocess.Popen([RASTRUM, "doctor", "--json", "-d", "rkh", "--duration", "300ms", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as doctor:
        doctor.stdin.write(slurp("tests/data/rkh/d2_droppedruns.bin")[:20000])
        doctor.stdin.flush()
        out = doctor.stdout.read()
        doctor.stdin.close()
        status = doctor.wait()
    names = [json.loads(line)["diagnosis"] for line in out.splitlines()]
    same((names, status), (["lost"], 1), "a live input is looked at for the time that the user gives")


def check_serial():
    """All bytes are read, then Ctrl-C ends it."""
    try:
        board, far = pty.openpty()
    except OSError:
        return
    tty.setraw(far)
    data = slurp("tests/data/rkh/r1_default.bin")
    with subprocess.Popen([RASTRUM, "doctor", "--json", "-d", "rkh", "--serial", os.ttyname(far), "--baud", "38400"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as doctor:
        while data:
            data = data[os.write(board, data[:1024]):]
        left = bytearray(4)
        wait_until(lambda: struct.unpack("i", fcntl.ioctl(far, termios.FIONREAD, bytes(left)))[0] == 0, doctor)
        doctor.send_signal(signal.SIGINT)
        found = {row["diagnosis"]: row for row in map(json.loads, doctor.stdout.read().splitlines())}
        status = doctor.wait()
    os.close(board)
    os.close(far)
    seen.update(found)
    ok("link_full" in found and "--baud 57600" in found["link_full"]["code"] and status == 1, "a serial line that is full, and the rate that is not", f"{found}, {status}")


for check in (check_healthy, check_losses, check_transfer, check_clock, check_names, check_coverage, check_vendors, check_output, check_pipe, check_serial):
    check()
listed = set(re.findall(r"^(\w+)  ", rastrum("doctor", "--list").out, re.M))
same(sorted(listed - seen), [], "each diagnosis of --list has been made here")
sys.exit(done())
