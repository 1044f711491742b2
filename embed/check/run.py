#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`make embed-check`: builds every voice for every target, runs it under qemu while interrupts fire inside records, judges
the dump, counts instructions two ways, weighs the code, and prints the table with its goals. Arguments: names of voices.
"""
import argparse
import dataclasses
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import amalgam
import kit
import rows

# What a voice may call beside itself; the last is how compilers jump by a table on Cortex-M0.
MAY_CALL = re.compile(r"memcpy|memset|check_\w+|board_stamp|rastrum_port_\w+|__gnu_thumb1_case_\w+")

# Of what is measured; anything else is instructions.
UNITS = {"record path": "bytes of flash", "whole": "bytes of flash", "memory besides the ring": "bytes of memory",
         "mean bytes on the link": "bytes an event"}


class Check:
    def __init__(self, folder, rastrum):
        self.folder, self.rastrum = folder, rastrum
        self.n_faults = 0
        self.measured = {}  # (voice, target and level, what) to a number

    def fault(self, words):
        self.n_faults += 1
        print(f"not ok  {words}", flush=True)

    def attempt(self, words, step, *arguments):
        try:
            faults = step(*arguments)
        except kit.Failed as failed:
            faults = [str(failed)]
        except (KeyError, ValueError, TypeError, IndexError) as failed:  # a judge did not find what it looked for
            faults = [f"{type(failed).__name__}: {failed}"]
        if faults:
            self.fault(words + ":\n    " + "\n    ".join(faults[:5]))
        else:
            print(f"ok      {words}", flush=True)

    def languages(self, voice):
        """C99 and C++ on the host, with every warning, and no call of a library."""
        flags = ["-include", "embed/check/stamp.h", "-ffreestanding", *kit.WARNINGS]
        for compiler in (["gcc", "-std=c99"], ["g++", "-x", "c++", "-std=c++11"]):
            if not shutil.which(compiler[0]):
                return [f"no {compiler[0]}"]
            for defines in [voice.defines, *voice.variants]:
                for source in [*voice.sources, *voice.sending, *voice.choices]:
                    kit.compile_one(compiler, [*defines, *flags], source, os.path.join(self.folder, "language.o"))
        return []

    def calls(self, program):
        undefined, defined = set(), set()
        for line in kit.run([program.target.prefix + "nm", *program.voice_objects]).splitlines():
            words = line.split()
            if len(words) >= 2:
                (undefined if words[-2] == "U" else defined).add(words[-1])
        may_call = (MAY_CALL, re.compile(program.voice.may_call))
        return [f"it calls {name}" for name in sorted(undefined - defined)
                if not any(may.fullmatch(name) for may in may_call)]

    def record(self, voice, target, level):
        """Records while interrupts fire, then has the dump judged."""
        program = kit.Program(voice, target, level, "record", self.folder)
        faults = self.calls(program)
        said = program.say("-icount", f"shift={kit.ICOUNT_SHIFT}")
        for what, at_least in (("interrupts", 100), ("in-voice", 10), ("nested", 1)):
            if said[what] < at_least:
                faults.append(f"{what}: {said[what]}, too few to prove anything")
        self.rastrum.measured.clear()
        faults += voice.judge(os.path.join(program.folder, "dump.bin"), said, self.rastrum)
        for name, value in self.rastrum.measured.items():
            self.measured[voice.name, f"{target.name} {level}", name] = value
        if "memory" in said:
            self.measured[voice.name, f"{target.name} {level}", "memory besides the ring"] = said["memory"]
        return faults

    def count(self, voice, target, level):
        program = kit.Program(voice, target, level, "count", self.folder)
        where = f"{target.name} {level}"
        by_clock, by_trace = program.count_by_clock(), program.count_by_trace()
        for name, value in by_trace.items():
            self.measured[voice.name, where, name] = value
        symbols = program.symbols()
        missing = [name for name in voice.record_path if name not in symbols]
        self.measured[voice.name, where, "record path"] = sum(
            symbols[name][1] for name in voice.record_path if name in symbols)
        self.measured[voice.name, where, "whole"] = program.sizes()
        return [f"no function {name}" for name in missing] + [
            f"{name}: {by_clock[name]:.2f} instructions by the clock, {by_trace[name]:.2f} by the trace"
            for name in by_trace if abs(by_clock[name] - by_trace[name]) > 0.5]

    def host(self, voice):
        """callgrind: two numbers of events, subtracted, so that all but the events cancels out."""
        program = os.path.join(self.folder, f"{voice.name}-host")
        kit.run(["gcc", "-std=gnu99", "-O2", "-g", *kit.WARNINGS, "-include", "embed/check/stamp.h", "-DCHECK_COUNT",
                 "-DCHECK_CLOCK_HZ=1000000", *voice.defines, *voice.host_port, "-I.", *voice.sources, *voice.sending,
                 *voice.host_sources,
                 f"embed/check/{voice.name}.c", "embed/check/host_main.c", "embed/check/nothing.c", "-pthread", "-o",
                 program], cwd=kit.TOP)
        for name in kit.run([program]).splitlines():
            costs = {}
            for which in ("record", "base"):
                few, many = (self.callgrind(program, name, which, n) for n in (1000, 3000))
                costs[which] = (many - few) / 2000
            self.measured[voice.name, "host", name] = costs["record"] - costs["base"]
        return []

    @staticmethod
    def callgrind(program, name, which, n_events):
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, name, which,
                               str(n_events)], capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found:
            raise kit.Failed(f"valgrind of {program}: {done.stderr}")
        return int(found.group(1))

    def goals(self, voice):
        faults = []
        for goal in voice.goals:
            value = self.measured.get((voice.name, goal.target, goal.count))
            if value is None:
                faults.append(f"{goal.count} on {goal.target} was not measured")
            elif value > goal.limit:
                faults.append(f"{goal.count} on {goal.target}: {value:.1f}, more than {goal.limit:g}")
        return faults

    def ports(self):
        """Each port where it belongs, in both languages; the one with BASEPRI records, too."""
        host = ["-O2", *kit.WARNINGS]
        for flags in (["-DRASTRUM_PORT_PTHREAD", "-D_POSIX_C_SOURCE=200809L"], ["-DRASTRUM_PORT_C11"], []):
            for compiler in (["gcc", "-std=c99"], ["gcc", "-std=c11"], ["g++", "-x", "c++", "-std=c++11"]):
                sources = ["embed/core/event.c"]
                if "-DRASTRUM_PORT_PTHREAD" in flags:
                    sources.append("embed/port/port_pthread.c")
                elif flags and compiler[1] != "-std=c99":
                    sources.append("embed/port/port_c11.c")
                for source in sources:
                    kit.compile_one(compiler, [*host, *flags], source, os.path.join(self.folder, "port.o"))
        if not shutil.which("qemu-system-arm"):
            return []
        fixed, = rows.voices(["fixed"])
        m3 = kit.TARGETS["m3"]
        basepri = dataclasses.replace(m3, flags=[f for f in m3.flags if "PORT" not in f] +
                                      ["-DRASTRUM_PORT_CORTEX_M_BASEPRI"])
        program = kit.Program(fixed, basepri, "-O2", "record", os.path.join(self.folder, "basepri"))
        said = program.say("-icount", f"shift={kit.ICOUNT_SHIFT}")
        return ["no interrupt came"] * (not said["in-voice"]) + fixed.judge(
            os.path.join(program.folder, "dump.bin"), said, self.rastrum)

    def amalgam(self, voice, target):
        """One header and one source: both languages, and the same dump."""
        if not voice.headers:
            return ["its row names no headers"]
        folder = os.path.join(self.folder, "amalgam")
        one = dataclasses.replace(voice, sources=[amalgam.write(voice, folder)], sending=[])
        faults = self.languages(one)
        if target:
            program = kit.Program(one, target, "-Os", "record", os.path.join(self.folder, "amalgam"))
            said = program.say("-icount", f"shift={kit.ICOUNT_SHIFT}")
            faults += voice.judge(os.path.join(program.folder, "dump.bin"), said, self.rastrum)
        return faults

    def table(self, chosen):
        """The goals with what was measured; then what was measured besides."""
        goals = {(v.name, g.target, g.count): g for v in chosen for g in v.goals}
        print("\n| voice | record | target | measured | goal | original |\n|---|---|---|---|---|---|")
        for (name, where, what), goal in goals.items():
            value = self.measured.get((name, where, what))
            print(f"| {name} | {what} | {where} | {'not measured' if value is None else self.number(what, value)} | "
                  f"<= {goal.limit:g} | {goal.peer} |")
        print("\n| voice | also measured | target | |\n|---|---|---|---|")
        for (name, where, what), value in self.measured.items():
            if (name, where, what) not in goals:
                print(f"| {name} | {what} | {where} | {self.number(what, value)} |")

    @staticmethod
    def number(what, value):
        unit = UNITS.get(what, "instructions")
        return f"{value:.0f} {unit}" if unit.startswith("bytes of") else f"{value:.1f} {unit}"

    def check(self, voice):
        self.attempt(f"{voice.name}: C99 and C++ without a warning", self.languages, voice)
        for target in (kit.TARGETS[t] for t in voice.targets if t in kit.TARGETS):
            if not shutil.which(target.prefix + "gcc") or not shutil.which(target.qemu):
                print(f"skip    {voice.name} on {target.words}: no {target.prefix}gcc or no {target.qemu}")
                continue
            for level in ("-Os", "-O2"):
                self.attempt(f"{voice.name}: records whole on {target.words} {level}, interrupts inside them",
                             self.record, voice, target, level)
                self.attempt(f"{voice.name}: both counts agree on {target.words} {level}",
                             self.count, voice, target, level)
        self.attempt(f"{voice.name}: as one header and one source", self.amalgam, voice,
                     kit.TARGETS["m3"] if shutil.which("qemu-system-arm") else None)
        if shutil.which("valgrind"):
            self.attempt(f"{voice.name}: counted on the host", self.host, voice)
        else:
            print(f"skip    {voice.name} on the host: no valgrind")
        self.attempt(f"{voice.name}: goals", self.goals, voice)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--folder", default="build/embed-check")
    options.add_argument("--rastrum", default="build/release/rastrum")
    options.add_argument("voices", nargs="*")
    given = options.parse_args()
    folder = os.path.abspath(given.folder)
    os.makedirs(folder, exist_ok=True)
    check = Check(folder, kit.Rastrum(os.path.abspath(given.rastrum)))
    chosen = rows.voices(given.voices)
    check.attempt("ports: each compiles where it belongs, BASEPRI records", check.ports)
    for voice in chosen:
        check.check(voice)
    check.table(chosen)
    return 1 if check.n_faults or not chosen else 0


sys.exit(main())
