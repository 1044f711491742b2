#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`make embed-check`: builds every encoder for every target, runs it under qemu while interrupts fire inside records, checks
the dump, counts instructions two ways, weighs the code, and prints the table with its goals. Arguments: names of encoders.
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
import build
import rows

# What an encoder may call beside itself; the last is how compilers jump by a table on Cortex-M0.
MAY_CALL = re.compile(r"memcpy|memset|check_\w+|board_stamp|rastrum_port_\w+|__gnu_thumb1_case_\w+")

# Of what is measured; anything else is instructions.
UNITS = {"record path": "bytes of flash", "whole": "bytes of flash", "memory besides the ring": "bytes of memory",
         "mean bytes on the link": "bytes an event"}


class Check:
    def __init__(self, folder, rastrum):
        self.folder, self.rastrum = folder, rastrum
        self.n_faults = 0
        self.measured = {}  # (encoder, target and level, what) to a number

    def fault(self, words):
        self.n_faults += 1
        print(f"not ok  {words}", flush=True)

    def attempt(self, words, step, *arguments):
        try:
            faults = step(*arguments)
        except build.Failed as failed:
            faults = [str(failed)]
        except (KeyError, ValueError, TypeError, IndexError) as failed:  # a check of a dump did not find what it looked for
            faults = [f"{type(failed).__name__}: {failed}"]
        if faults:
            self.fault(words + ":\n    " + "\n    ".join(faults[:5]))
        else:
            print(f"ok      {words}", flush=True)

    def languages(self, encoder):
        """C99 and C++ on the host, with every warning, and no call of a library."""
        flags = ["-include", "embed/check/stamp.h", "-ffreestanding", *build.WARNINGS]
        for compiler in (["gcc", "-std=c99"], ["g++", "-x", "c++", "-std=c++11"]):
            if not shutil.which(compiler[0]):
                return [f"no {compiler[0]}"]
            for defines in [encoder.defines, *encoder.variants]:
                for source in [*encoder.sources, *encoder.sending, *encoder.choices]:
                    build.compile_one(compiler, [*defines, *flags], source, os.path.join(self.folder, "language.o"))
        return []

    def calls(self, program):
        undefined, defined = set(), set()
        for line in build.run([program.target.prefix + "nm", *program.encoder_objects]).splitlines():
            words = line.split()
            if len(words) >= 2:
                (undefined if words[-2] == "U" else defined).add(words[-1])
        may_call = (MAY_CALL, re.compile(program.encoder.may_call))
        return [f"it calls {name}" for name in sorted(undefined - defined)
                if not any(may.fullmatch(name) for may in may_call)]

    def record(self, encoder, target, level):
        """Records while interrupts fire, then checks the dump."""
        program = build.Program(encoder, target, level, "record", self.folder)
        faults = self.calls(program)
        printed = program.numbers("-icount", f"shift={build.ICOUNT_SHIFT}")
        for what, at_least in (("interrupts", 100), ("in-encoder", 10), ("nested", 1)):
            if printed[what] < at_least:
                faults.append(f"{what}: {printed[what]}, too few to prove anything")
        self.rastrum.measured.clear()
        faults += encoder.check(os.path.join(program.folder, "dump.bin"), printed, self.rastrum)
        for name, value in self.rastrum.measured.items():
            self.measured[encoder.name, f"{target.name} {level}", name] = value
        if "memory" in printed:
            self.measured[encoder.name, f"{target.name} {level}", "memory besides the ring"] = printed["memory"]
        return faults

    def count(self, encoder, target, level):
        program = build.Program(encoder, target, level, "count", self.folder)
        where = f"{target.name} {level}"
        by_clock, by_trace = program.count_by_clock(), program.count_by_trace()
        for name, value in by_trace.items():
            self.measured[encoder.name, where, name] = value
        symbols = program.symbols()
        missing = [name for name in encoder.record_path if name not in symbols]
        self.measured[encoder.name, where, "record path"] = sum(
            symbols[name][1] for name in encoder.record_path if name in symbols)
        self.measured[encoder.name, where, "whole"] = program.sizes()
        return [f"no function {name}" for name in missing] + [
            f"{name}: {by_clock[name]:.2f} instructions by the clock, {by_trace[name]:.2f} by the trace"
            for name in by_trace if abs(by_clock[name] - by_trace[name]) > 0.5]

    def host(self, encoder):
        """callgrind: two numbers of events, subtracted, so that all but the events cancels out."""
        program = os.path.join(self.folder, f"{encoder.name}-host")
        build.run(["gcc", "-std=gnu99", "-O2", "-g", *build.WARNINGS, "-include", "embed/check/stamp.h", "-DCHECK_COUNT",
                 "-DCHECK_CLOCK_HZ=1000000", *encoder.defines, *encoder.host_port, "-I.", *encoder.sources, *encoder.sending,
                 *encoder.host_sources,
                 f"embed/check/{encoder.name}.c", "embed/check/host_main.c", "embed/check/nothing.c", "-pthread", "-o",
                 program], cwd=build.TOP)
        for name in build.run([program]).splitlines():
            costs = {}
            for which in ("record", "base"):
                few, many = (self.callgrind(program, name, which, n) for n in (1000, 3000))
                costs[which] = (many - few) / 2000
            self.measured[encoder.name, "host", name] = costs["record"] - costs["base"]
        return []

    @staticmethod
    def callgrind(program, name, which, n_events):
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, name, which,
                               str(n_events)], capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found:
            raise build.Failed(f"valgrind of {program}: {done.stderr}")
        return int(found.group(1))

    def goals(self, encoder):
        faults = []
        for goal in encoder.goals:
            value = self.measured.get((encoder.name, goal.target, goal.count))
            if value is None:
                faults.append(f"{goal.count} on {goal.target} was not measured")
            elif value > goal.limit:
                faults.append(f"{goal.count} on {goal.target}: {value:.1f}, more than {goal.limit:g}")
        return faults

    def ports(self):
        """Each port where it belongs, in both languages; the one with BASEPRI records, too."""
        host = ["-O2", *build.WARNINGS]
        for flags in (["-DRASTRUM_PORT_PTHREAD", "-D_POSIX_C_SOURCE=200809L"], ["-DRASTRUM_PORT_C11"], []):
            for compiler in (["gcc", "-std=c99"], ["gcc", "-std=c11"], ["g++", "-x", "c++", "-std=c++11"]):
                sources = ["embed/core/event.c"]
                if "-DRASTRUM_PORT_PTHREAD" in flags:
                    sources.append("embed/port/port_pthread.c")
                elif flags and compiler[1] != "-std=c99":
                    sources.append("embed/port/port_c11.c")
                for source in sources:
                    build.compile_one(compiler, [*host, *flags], source, os.path.join(self.folder, "port.o"))
        if not shutil.which("qemu-system-arm"):
            return []
        fixed, = rows.encoders(["fixed"])
        m3 = build.TARGETS["m3"]
        basepri = dataclasses.replace(m3, flags=[f for f in m3.flags if "PORT" not in f] +
                                      ["-DRASTRUM_PORT_CORTEX_M_BASEPRI"])
        program = build.Program(fixed, basepri, "-O2", "record", os.path.join(self.folder, "basepri"))
        printed = program.numbers("-icount", f"shift={build.ICOUNT_SHIFT}")
        return ["no interrupt came"] * (not printed["in-encoder"]) + fixed.check(
            os.path.join(program.folder, "dump.bin"), printed, self.rastrum)

    def amalgam(self, encoder, target):
        """One header and one source: both languages, and the same dump."""
        if not encoder.headers:
            return ["its row names no headers"]
        folder = os.path.join(self.folder, "amalgam")
        one = dataclasses.replace(encoder, sources=[amalgam.write(encoder, folder)], sending=[])
        faults = self.languages(one)
        if target:
            program = build.Program(one, target, "-Os", "record", os.path.join(self.folder, "amalgam"))
            printed = program.numbers("-icount", f"shift={build.ICOUNT_SHIFT}")
            faults += encoder.check(os.path.join(program.folder, "dump.bin"), printed, self.rastrum)
        return faults

    def table(self, chosen):
        """The goals with what was measured; then what was measured besides."""
        goals = {(v.name, g.target, g.count): g for v in chosen for g in v.goals}
        print("\n| encoder | record | target | measured | goal | original |\n|---|---|---|---|---|---|")
        for (name, where, what), goal in goals.items():
            value = self.measured.get((name, where, what))
            print(f"| {name} | {what} | {where} | {'not measured' if value is None else self.number(what, value)} | "
                  f"<= {goal.limit:g} | {goal.peer} |")
        print("\n| encoder | also measured | target | |\n|---|---|---|---|")
        for (name, where, what), value in self.measured.items():
            if (name, where, what) not in goals:
                print(f"| {name} | {what} | {where} | {self.number(what, value)} |")

    @staticmethod
    def number(what, value):
        unit = UNITS.get(what, "instructions")
        return f"{value:.0f} {unit}" if unit.startswith("bytes of") else f"{value:.1f} {unit}"

    def check(self, encoder):
        self.attempt(f"{encoder.name}: C99 and C++ without a warning", self.languages, encoder)
        for target in (build.TARGETS[t] for t in encoder.targets if t in build.TARGETS):
            if not shutil.which(target.prefix + "gcc") or not shutil.which(target.qemu):
                print(f"skip    {encoder.name} on {target.words}: no {target.prefix}gcc or no {target.qemu}")
                continue
            for level in ("-Os", "-O2"):
                self.attempt(f"{encoder.name}: records whole on {target.words} {level}, interrupts inside them",
                             self.record, encoder, target, level)
                self.attempt(f"{encoder.name}: both counts agree on {target.words} {level}",
                             self.count, encoder, target, level)
        self.attempt(f"{encoder.name}: as one header and one source", self.amalgam, encoder,
                     build.TARGETS["m3"] if shutil.which("qemu-system-arm") else None)
        if shutil.which("valgrind"):
            self.attempt(f"{encoder.name}: counted on the host", self.host, encoder)
        else:
            print(f"skip    {encoder.name} on the host: no valgrind")
        self.attempt(f"{encoder.name}: goals", self.goals, encoder)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--folder", default="build/embed-check")
    options.add_argument("--rastrum", default="build/release/rastrum")
    options.add_argument("encoders", nargs="*")
    given = options.parse_args()
    folder = os.path.abspath(given.folder)
    os.makedirs(folder, exist_ok=True)
    check = Check(folder, build.Rastrum(os.path.abspath(given.rastrum)))
    chosen = rows.encoders(given.encoders)
    check.attempt("ports: each compiles where it belongs, BASEPRI records", check.ports)
    for encoder in chosen:
        check.check(encoder)
    check.table(chosen)
    return 1 if check.n_faults or not chosen else 0


sys.exit(main())
