#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`make soak`: clocks that step forward and back while a program records. Recordings of each dialect, sound but for their stamps, which jump
by random amounts; and programs that are recorded while each look at the clock of the day, of the recorder and of the program, finds
another time. Every command ends with a documented status, all agree on how many events there are, and no time is negative or longer
than the recording. STEPS: how many recordings (default 70). SEED: of a run that is to be repeated.
"""
import json
import os
import shutil
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path[:0] = ["tests", "bench"]
import gen_compact as compact  # noqa: E402
import gen_liteos as liteos  # noqa: E402
import posix_log as posix  # noqa: E402
import rkh  # noqa: E402
from soaking import begin, count, generator, run, shown, verdict  # noqa: E402
from tap import IS_RELEASE, Faults, built, done, ok, skip, slurp  # noqa: E402

N_STEPS = count("STEPS", 70)
HZ = ["--clock-hz", "1G"]
THREADX = "tests/data/threadx/priority_inversion.trx"
RKH = "tests/data/rkh/r1_default.bin"
# Of a single thread, core, lock or interrupt: what cannot be longer than the recording.
BOUNDED = {
    "load": ("running", "ready", "waiting", "interrupted", "idle", "unknown"),
    "threads": ("running", "ready", "waiting", "run_max", "latency_max"),
    "locks": ("max_wait", "max_hold"),
    "queues": ("full", "empty", "max_wait", "max_age"),
    "interrupts": ("max", "total", "max_gap"),
    "latency": ("max",),
}
RULES = b"lost: lost() == 0\nruns: run(thread *) < 1s\nready: ready(thread *) < 100ms per 1s\nwaits: wait(thread *) < 10s\n"


def stamps(random_, n, bits, start=None):
    """n stamps that go on in small steps, and jump now and then, forward or back."""
    now = random_.randrange(1 << min(bits, 40)) if start is None else start
    each = random_.choice((3, 10, 50, 1000))
    for _ in range(n):
        now += random_.randrange(1, 1000)
        if random_.randrange(each) == 0:
            now += random_.choice((-1, 1)) * random_.randrange(1 << random_.randrange(1, bits))
        yield now % (1 << bits)


# --- recordings whose stamps step: (bytes, events or None where the recording says it) ----------------------------------


def of_threadx(random_):
    data = bytearray(slurp(THREADX))
    base, = struct.unpack_from("<I", data, 8)
    ring, end, now = (at - base for at in struct.unpack_from("<3I", data, 24))
    places = range(ring, min(end, now), 32)
    for at, stamp in zip(places, stamps(random_, len(places), 32)):
        struct.pack_into("<I", data, at + 12, stamp)
    return bytes(data), None


def of_compact(random_):
    """Each block has a stamp; its events follow it by a distance of their own."""
    data = compact.block(b"n", b"".join(bytes([kind]) + compact.number(n) + bytes([len(text)]) + text.encode() for kind, n, text in compact.NAMES))
    below, n = random_.randrange, 0
    turns = compact.events(below)
    for stamp in stamps(random_, 40, 32):
        records, n_here = b"", below(1, 6)
        for event, values in (next(turns) for _ in range(n_here)):
            passed = random_.choice((3, 160, below(1 << below(1, 32))))
            records += bytes([event << 2 | len(values)]) + compact.number(passed) + b"".join(map(compact.number, values))
        data += compact.block(b"e", records, n, stamp)
        n += n_here
    return data, n


def of_liteos(random_):
    word = struct.Struct("<I").pack
    out = [liteos.message(1, (1, word(0x12345678)), (2, word(1)), (8, word(50000000)))]
    out += [liteos.message(2, (1, word(0x10000 | i)), (2, word(10)), (3, (b"worker_%d" % i).ljust(32, b"\0"))) for i in range(1, liteos.TASKS + 1)]
    n = 200
    for (kind, task, identity, params, _), stamp in zip(liteos.story(random_, n), stamps(random_, n, 64)):
        out.append(liteos.message(3, (2, word(kind)), (3, struct.pack("<Q", stamp)), (5, word(task)), (6, word(identity)),
                                  (7, struct.pack("<3I", *(params + (0,) * 3)[:3]))))
    return b"".join(out), n


def stuffed(body):
    return b"".join(bytes([rkh.ESCAPE, byte ^ rkh.TURNED]) if byte in (rkh.FLAG, rkh.ESCAPE) else bytes([byte]) for byte in body)


def of_rkh(random_):
    data = slurp(RKH)
    stream, out = rkh.Stream(data), []
    config = stream.config
    n_stamp, at = config.of("ts"), config.te + config.on["seq"]
    frames = rkh.frames(data)
    for frame, stamp in zip(frames, stamps(random_, len(frames), 8 * n_stamp)):
        body = bytearray(rkh.unstuff(frame))
        if config.on["stamp"] and stream.short(int.from_bytes(body[:config.te], "little")) != rkh.TCFG:
            body[at:at + n_stamp] = stamp.to_bytes(n_stamp, "little")
            body[-1] = -sum(body[:-1]) & 255
        out.append(stuffed(body))
    flag = bytes([rkh.FLAG])
    return flag + flag.join(out) + flag, None


def of_aix(random_):
    n, out = 200, b"RSTA" + bytes([1, 1, 4, 0]) + struct.pack(">I", 1000000) + bytes([1 | 4, 0, 0, 0])
    for stamp in stamps(random_, n, 32):
        hook = random_.choice((0x010, 0x011, 0x106, 0x10C))
        out += struct.pack(">5I", hook << 20 | 0xA << 16, random_.randrange(100), random_.randrange(2), random_.randrange(1, 9), stamp)
    return out, n


def of_posix(random_):
    """Switches and locks of threads; pairs of clocks, whose clock of the day steps, and in the other way the counter."""
    log = posix.Log(clock=random_.choice((posix.MONOTONIC, posix.TSC)), hz=1000000000)
    for kind, note, body in posix.program():
        log.add(note, kind, body)
    for number, name in ((65, b"sched_in"), (66, b"sched_wait"), (67, b"sched_preempt")):
        log.add(note, posix.TYPE, posix.event_type(number, name))
    fields = {68: (b"sys_mutex_wait", (b"mutex", posix.ADDRESS, 8), (b"holder", posix.SIGNED, 8)), 69: (b"sys_mutex_acquire", (b"mutex", posix.ADDRESS, 8)),
              70: (b"sys_mutex_release", (b"mutex", posix.ADDRESS, 8))}
    for number, row in fields.items():
        log.add("", posix.TYPE, posix.event_type(number, *row))
    data = {68: posix.word(0x7F00, 101), 69: posix.word(0x7F00), 70: posix.word(0x7F00)}
    n_blocks, n = 20, 0
    is_counter = random_.random() < 0.5
    ticks = list(stamps(random_, n_blocks * 10, 62)) if is_counter else sorted(stamps(random_, n_blocks * 10, 40))
    days = stamps(random_, n_blocks, 62)
    for i, day in enumerate(days):
        some = ticks[10 * i:10 * i + 10]
        at = random_.choice(some)
        log.add("", posix.PAIR, posix.pair(at, at + random_.choice((0, 0, random_.randrange(-1000, 1000))), day, random_.choice((None, 40))))
        body = posix.events(*(posix.event(number, stamp, data.get(number, b""), tid=random_.randrange(100, 104), cpu=random_.randrange(2))
                              for stamp, number in zip(some, random_.choices((65, 66, 67, 68, 69, 70, posix.UNNAMED), k=len(some)))))
        n += len(some)
        log.add("", posix.EVENTS, body)
    return log.add("", posix.END, posix.end(n)).bytes(), n


MAKERS = {"threadx": of_threadx, "compact": of_compact, "liteos": of_liteos, "rkh": of_rkh, "aix": of_aix, "posix": of_posix}


# --- what the commands say --------------------------------------------------------------------------------------------


class Asked:
    """One recording, and what is wrong with the answers about it."""

    def __init__(self, name, path, folder):
        self.name, self.path, self.folder, self.faults = name, path, folder, Faults()

    def at(self, name):
        return os.path.join(self.folder, name)

    def ask(self, *words, statuses=(0, 3)):
        """Lines of an answer; none after a fault."""
        result = run(*words)
        fault = verdict(result, statuses)
        if fault:
            self.faults.append(f"{self.name}: {' '.join(map(str, words))}: {fault}")
            return []
        return result.lines

    def json(self, *words, **how):
        try:
            return [json.loads(line) for line in self.ask(*words, **how)]
        except ValueError as error:
            self.faults.append(f"{self.name}: {' '.join(map(str, words))}: {error}")
            return []

    def agree(self, what, n, n_events):
        if n != n_events:
            self.faults.append(f"{self.name}: {what} has {n} events, info {n_events}")

    def check_counts(self, n_events):
        for order in ("time", "file"):
            rows = self.json("report", "-q", "-f", "jsonl", "--order", order, self.path)
            self.agree(f"report in the order of {order}", sum("seq" in row for row in rows), n_events)
        chrome = self.ask("convert", "-q", *HZ, "-t", "chrome", self.path)
        try:
            rows = json.loads("\n".join(chrome))["traceEvents"]
            self.agree("convert -t chrome", sum(row.get("cat") == "event" for row in rows), n_events)
            if any(row.get("dur", 0) < 0 for row in rows):
                self.faults.append(f"{self.name}: chrome: a duration below 0")
        except ValueError as error:
            self.faults.append(f"{self.name}: chrome: {error}")
        for words, factor in ((("cut", "-q", self.path), 1), (("merge", "-q", self.path, self.path), 2)):
            out = self.at("part.rsx")
            self.ask(*words, "-o", out)
            info = self.json("info", "--json", out)
            self.agree(words[0], info[0]["events"] if info else None, factor * n_events)
            if os.path.exists(out):
                os.unlink(out)

    def check_times(self, first, last):
        for row in self.json("report", "-q", "--intervals", "-f", "jsonl", self.path):
            if "from" in row and not first <= row["from"] <= row["to"] <= last:
                self.faults.append(f"{self.name}: an interval from {row['from']} to {row['to']} in {first} to {last}")
        for table in self.json("stats", "-q", "--json", "--table", ",".join(BOUNDED), self.path):
            units = [column["unit"] for column in table["columns"]]
            names = [column["name"] for column in table["columns"]]
            for row in table["rows"]:
                cells = dict(zip(names, row))
                for name, unit in zip(names, units):
                    if unit is not None and isinstance(cells[name], (int, float)) and cells[name] < 0 and not name.endswith("_at"):
                        self.faults.append(f"{self.name}: stats: {table['table']}.{name} is {cells[name]}")
                for name in BOUNDED[table["table"]]:
                    if cells.get("kind") != "process" and units[names.index(name)] == "ticks" and (cells[name] or 0) > last - first:
                        self.faults.append(f"{self.name}: stats: {table['table']}.{name} is {cells[name]} of {last - first}")

    def check(self, n_expected):
        info = self.json("info", "--json", self.path)
        if not info:
            return
        n_events, first, last = info[0]["events"], info[0]["first_ts"], info[0]["last_ts"]
        if n_expected is not None and n_events != n_expected:
            self.faults.append(f"{self.name}: info has {n_events} events of {n_expected}")
        self.check_counts(n_events)
        self.check_times(min(first, last), max(first, last))
        self.json("explain", "--json", self.path)
        rules = self.at("rules")
        with open(rules, "wb") as file:
            file.write(RULES)
        self.json("check", "--json", *HZ, rules, self.path, statuses=(0, 1, 3))


def check_dialects(folder):
    for dialect, maker in MAKERS.items():
        faults, n_inputs = [], max(1, N_STEPS // len(MAKERS))
        for n in range(n_inputs):
            path = os.path.join(folder, f"{dialect}-{n}")
            data, n_events = maker(generator(f"{dialect} {n}"))
            with open(path, "wb") as file:
                file.write(data)
            asked = Asked(os.path.basename(path), path, folder)
            asked.check(n_events)
            faults += asked.faults
            if not asked.faults:
                os.unlink(path)
        ok(not faults, f"{dialect}: {n_inputs} recordings whose clock steps", *shown(faults))


# --- a recorder whose clock of the day steps ------------------------------------------------------------------------------

SHIM = r"""
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now)
{
	static unsigned long long state;
	int result = (int)syscall(SYS_clock_gettime, clock, now);
	if (clock != CLOCK_REALTIME || result)
		return result;
	if (!state)
		state = strtoull(getenv("STEP_SEED"), NULL, 10) ^ (unsigned long long)getpid() << 32;
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	now->tv_sec += (time_t)(state >> 33) % 2000000 - 1000000;
	return 0;
}
"""


def check_recorder(folder):
    sentence = "programs that are recorded while the clock of the day steps: nothing is lost, and no time is wrong"
    if not IS_RELEASE:
        return skip(sentence, "a sanitizer wants to be the first library")
    shim = built(SHIM, os.path.join(folder, "step.so"), "-shared", "-fPIC")
    faults, n_programs = [], max(1, N_STEPS // 10)
    for n in range(n_programs):
        log = os.path.join(folder, f"recorded-{n}.rst")
        result = run("record", "--system", "-q", "-o", log, "--", "sh", "-c", "for i in 1 2 3; do /bin/true; done; exit 7",
                     env={"LD_PRELOAD": shim, "STEP_SEED": str(generator(n).randrange(1 << 60))}, memory_mib=1 << 20)
        fault = verdict(result, (7,))
        if fault:
            faults.append(f"record {n}: {fault}")
            continue
        asked = Asked(f"record {n}", log, folder)
        asked.check(None)
        info = asked.json("info", "--json", log)
        if info and not info[0]["details"]["complete"]:
            asked.faults.append(f"record {n}: the log is not complete")
        faults += asked.faults
    return ok(not faults, sentence, *shown(faults))


def main():
    begin()
    folder = tempfile.mkdtemp(prefix="rastrum-soak-clocks-")
    check_dialects(folder)
    check_recorder(folder)
    has_failed = done()
    if has_failed:
        print(f"# files: {folder}")
    else:
        shutil.rmtree(folder)
    return has_failed


sys.exit(main())
