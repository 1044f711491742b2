# SPDX-License-Identifier: MIT
"""What an encoder's row is, and how a program is built, run and counted."""
import dataclasses
import json
import os
import re
import subprocess
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
EVENTS = 500  # in a count
ICOUNT_SHIFT = 6  # qemu: one instruction takes 2^6 ns
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
C99 = ["-std=c99", "-ffreestanding", *WARNINGS]


@dataclasses.dataclass
class Goal:
    """At most so many: of instructions where `count` is a name of check_counts[], else of bytes."""
    target: str  # "m3 -O2", "m0 -Os", "host"
    count: str  # a name of check_counts[], "record path" or "whole"
    limit: float
    peer: str = ""  # what the original costs, in words


@dataclasses.dataclass
class Encoder:
    name: str
    sources: list  # the encoder's own and those of embed/core, from the top folder
    check: typing.Callable  # (path of the dump, what the program printed: dict, Rastrum) to a list of complaints
    sending: list = dataclasses.field(default_factory=list)  # sources that only get bytes out: not weighed
    choices: dict = dataclasses.field(default_factory=dict)  # optional sources: path to what is defined with them
    headers: list = dataclasses.field(default_factory=list)  # what programs include: the amalgamation's header
    record_path: list = dataclasses.field(default_factory=list)  # functions that every record runs through
    goals: list = dataclasses.field(default_factory=list)
    defines: list = dataclasses.field(default_factory=list)  # -D…, for all targets
    variants: list = dataclasses.field(default_factory=list)  # lists of other -D… that it must compile with, too
    host_port: list = dataclasses.field(default_factory=list)  # -DRASTRUM_PORT_…; none: the single-threaded one
    host_sources: list = dataclasses.field(default_factory=list)  # more for the host, such as its port's
    demo: list = None  # options of `rastrum report` that show its dump in the demo
    may_call: str = "memcpy"  # what the application supplies, a regular expression
    targets: tuple = ("m3", "m0", "rv32")  # where it is recorded and counted


@dataclasses.dataclass
class Target:
    name: str
    words: str  # for tables
    prefix: str
    flags: list
    machine: str
    clock_hz: int
    sources: list
    link: str
    qemu: str
    qemu_flags: tuple = ()


TARGETS = {t.name: t for t in [
    Target("m3", "Cortex-M3", "arm-none-eabi-", ["-mcpu=cortex-m3", "-mthumb", "-DRASTRUM_PORT_CORTEX_M"],
           "mps2-an385", 25_000_000, ["start_cortex_m.c", "board_mps2.c", "systick.c"], "cortex_m.ld", "qemu-system-arm"),
    Target("m0", "Cortex-M0", "arm-none-eabi-", ["-mcpu=cortex-m0", "-mthumb", "-DRASTRUM_PORT_CORTEX_M"],
           "microbit", 16_000_000, ["start_cortex_m.c", "board_microbit.c", "systick.c"], "cortex_m.ld",
           "qemu-system-arm"),
    Target("rv32", "RISC-V RV32IMAC", "riscv64-unknown-elf-",
           ["-march=rv32imac_zicsr", "-mabi=ilp32", "-msmall-data-limit=0", "-mcmodel=medany", "-DRASTRUM_PORT_RISCV"], "virt", 10_000_000,
           ["start_riscv.c", "board_virt.c"], "riscv.ld", "qemu-system-riscv32", ["-bios", "none"]),
]}
COMMON = ["semihosting.c", "print.c", "memory.c"]


class Failed(Exception):
    pass


def run(command, **how):
    done = subprocess.run(command, capture_output=True, text=True, **how)
    if done.returncode:
        raise Failed(f"{' '.join(command)}\n{done.stdout}{done.stderr}".strip())
    return done.stdout


def compile_one(compiler, flags, source, target_object):
    run([*compiler, *flags, "-I.", "-c", source, "-o", target_object], cwd=TOP)
    return target_object


class Program:
    """An encoder's program for one target, one optimisation and one purpose ("record" or "count")."""

    def __init__(self, encoder, target, level, purpose, folder):
        self.encoder, self.target, self.level, self.purpose = encoder, target, level, purpose
        self.folder = os.path.join(folder, f"{encoder.name}-{target.name}{level}-{purpose}")
        os.makedirs(self.folder, exist_ok=True)
        self.elf = os.path.join(self.folder, "program.elf")
        self.encoder_objects = []
        self.build()

    def build(self):
        target, encoder = self.target, self.encoder
        compiler = [target.prefix + "gcc"]
        flags = [*C99, *target.flags, self.level, "-g", "-ffunction-sections", "-include", "embed/check/stamp.h",
                 f"-DCHECK_EVENTS={EVENTS}u", *encoder.defines]
        if self.purpose == "count":
            flags.append("-DCHECK_COUNT")
        flags.append(f"-DCHECK_CLOCK_HZ={target.clock_hz}")
        for source in encoder.sources:
            name = os.path.join(self.folder, "encoder_" + os.path.basename(source)[:-2] + ".o")
            self.encoder_objects.append(compile_one(compiler, flags, source, name))
        # The programs around it may use what the compiler offers; volatile loops keep it from calling memcpy() in itself.
        own = [f for f in flags if f != "-pedantic"] + ["-std=gnu11", "-fno-tree-loop-distribute-patterns"]
        objects = []
        for source in encoder.sending:
            name = os.path.join(self.folder, "sending_" + os.path.basename(source)[:-2] + ".o")
            objects.append(compile_one(compiler, flags, source, name))
        for source in [f"{encoder.name}.c", f"{self.purpose}_main.c", "nothing.c", *COMMON, *target.sources]:
            name = os.path.join(self.folder, source[:-2] + ".o")
            objects.append(compile_one(compiler, own, os.path.join("embed/check", source), name))
        run([*compiler, *target.flags, "-nostdlib", "-Wl,--gc-sections", "-T", os.path.join(HERE, target.link),
             *self.encoder_objects, *objects, "-lgcc", "-o", self.elf], cwd=TOP)

    def symbols(self):
        """Name to (address, size)."""
        found = {}
        for line in run([self.target.prefix + "nm", "-S", self.elf]).splitlines():
            words = line.split()
            if len(words) == 4:
                found[words[3]] = (int(words[0], 16), int(words[1], 16))
        return found

    def sizes(self):
        """Bytes of flash of the whole encoder, before the linker leaves out unused functions."""
        lines = run([self.target.prefix + "size", *self.encoder_objects]).splitlines()[1:]
        return sum(int(line.split()[0]) + int(line.split()[1]) for line in lines)

    def qemu(self, *more, seconds=60):
        command = [self.target.qemu, "-M", self.target.machine, "-nographic", "-monitor", "none", "-serial", "none",
                   "-semihosting-config", "enable=on,target=native", *self.target.qemu_flags, *more, "-kernel", self.elf]
        try:
            done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.elf} did not end within {seconds} s")
        if done.returncode:
            raise Failed(f"{self.elf}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def numbers(self, *more):
        """The lines that the program printed, "NAME NUMBER" as a dictionary."""
        return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1])
                for line in self.qemu(*more).splitlines() if re.fullmatch(r".+ \d+", line)}

    def count_by_clock(self):
        """Instructions a record, from virtual time: {name: instructions}."""
        printed = self.numbers("-icount", f"shift={ICOUNT_SHIFT}")
        per_tick = 1e9 / self.target.clock_hz / 2 ** ICOUNT_SHIFT
        return {name[:-7]: (printed[name] - printed[name[:-7] + " base"]) * per_tick / EVENTS
                for name in printed if name.endswith(" record")}

    def count_by_trace(self):
        """The same by writing down every instruction between the marks."""
        log = os.path.join(self.folder, "trace")
        names = [name[:-7] for name in self.numbers("-singlestep", "-d", "exec,nochain", "-D", log)
                 if name.endswith(" record")]
        symbols = self.symbols()
        begin, end = (f"{symbols[m][0] & ~1:08x}" for m in ("mark_begin", "mark_end"))
        runs, is_on = [], False
        with open(log, encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith("Trace"):
                    continue
                pc = line.split("/")[1][-8:]
                if pc == begin:
                    is_on = True
                    runs.append(0)
                elif pc == end:
                    is_on = False
                runs[-1:] = [runs[-1] + is_on] if runs else []
        os.remove(log)
        return {name: (runs[2 * i] - runs[2 * i + 1]) / EVENTS for i, name in enumerate(names)}


class Rastrum:
    """The reader."""

    def __init__(self, program):
        self.program = program
        self.measured = {}  # what a check of a dump measures besides: name to number, for goals and the table

    def details(self, dump, *options):
        """What info --json has of the header."""
        done = subprocess.run([self.program, "info", "--json", *options, dump], capture_output=True,
                              text=True, cwd=TOP)
        if done.returncode not in (0, 3):
            raise Failed(f"{self.program} info {dump}: status {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)["details"]

    def rows(self, dump, *options):
        """report --format jsonl, parsed."""
        done = subprocess.run([self.program, "report", "--format", "jsonl", *options, dump], capture_output=True,
                              text=True, cwd=TOP)
        if done.returncode not in (0, 3):
            raise Failed(f"{self.program} report {dump}: status {done.returncode}\n{done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def text(self, dump, *options):
        done = subprocess.run([self.program, "report", *options, dump], capture_output=True, text=True, cwd=TOP)
        if done.returncode not in (0, 3):
            raise Failed(f"{self.program} report {dump}: status {done.returncode}\n{done.stderr}")
        return done.stdout
