#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`--symbols`: programs that compilers have made, what is refused, what is shown where. Goldens have one run of each dialect."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import elf  # noqa: E402
from tap import built, done, golden_bytes, ok, rastrum, same, skip  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="rastrum-symbols-")
DATA = "tests/data/symbols"


def path_of(name):
    return os.path.join(FOLDER, name)


def file_of(name, content):
    with open(path_of(name), "wb") as out:
        out.write(content)
    return path_of(name)


def golden(name):
    """The bytes of a golden, as a file."""
    return file_of(name.replace("/", "-"), golden_bytes(f"tests/goldens/{name}.hex"))


def frame(number, kind, body):
    """An event of RKH: no stamp options, checksum, flag."""
    content = bytes([kind, number]) + body
    content += bytes([-sum(content) & 0xff])
    return content.replace(b"\x7d", b"\x7d\x5d").replace(b"\x7e", b"\x7d\x5e") + b"\x7e"


def texts(*words):
    result = rastrum("report", "-f", "jsonl", *words)
    return [json.loads(line)["text"] for line in result.lines]


def check_committed():
    for name, content in elf.PROGRAMS.items():
        ok(open(f"{DATA}/{name}.elf", "rb").read() == content, f"{name}.elf is what tests/elf.py writes")
    same(sorted(os.path.basename(path) for path in glob.glob(f"{DATA}/*.elf")), sorted(f"{name}.elf" for name in elf.PROGRAMS),
         "and there are no others")


def check_refused():
    trace = golden("threadx/thread-unregistered")
    whole = open(f"{DATA}/thumb.elf", "rb").read()
    for path, status, sentence, why in (
            ("Makefile", 2, "this is no ELF file; give the program as the linker wrote it (.elf, .axf, .out)",
             "a file of another kind"),
            ("tests", 2, "this is no ELF file", "a folder"),
            (f"{DATA}/object.elf", 2, "this is an object file, which has no addresses before it is linked", "an object file"),
            (path_of("none.elf"), 4, "cannot open: No such file or directory", "a file that is not there"),
            (file_of("cut.elf", whole[:-100]), 3, "the section headers cannot be read", "a file that was cut")):
        for command in ("report", "info"):
            result = rastrum(command, "--symbols", path, trace)
            ok(result.status == status and not result.out and len(result.err.splitlines()) == 1 and path in result.err and
               sentence in result.err, f"{command}: {why} is refused in one sentence, status {status}", result.status, result.err)


def check_info():
    trace = golden("threadx/thread-unregistered")
    result = rastrum("info", "--symbols", f"{DATA}/threadx.elf", trace)
    ok("\nsymbols     2 of 2 addresses named\n" in result.out, "info counts the addresses that are named", result.out)
    data = json.loads(rastrum("info", "--json", "--symbols", f"{DATA}/threadx.elf", trace).out)
    same(data["symbols"], {"addresses": 2, "named": 2}, "and so does info --json")
    same([(one["kind"], one["id"], one["name"]) for one in data["objects"]],
         [("thread", "0x20008000", "worker"), ("thread", "0x2000beef", "thread_0"), ("function", "0x1000", "thread_entry")],
         "objects are those of the recording, and what symbols name; the recording's names go first")
    unnamed = "\n7 without a name: --symbols PROGRAM names those that are variables of it\n"
    ok(unnamed in rastrum("info", "tests/data/rkh/d5_midstream.bin").out and "without a name" not in result.out,
       "info says what would name threads that are addresses")
    plain = rastrum("info", "--json", trace).out
    ok('"symbols"' not in plain, "without --symbols there is no such key", plain)
    both = rastrum("report", "--symbols", f"{DATA}/big.elf", "--symbols", f"{DATA}/threadx.elf", trace)
    ok("thread_0" in both.out, "of several programs the one that has the address names it", both.out)


def check_kinds():
    result = json.loads(rastrum("info", "--json", "--symbols", f"{DATA}/rkh.elf", golden("rkh/work")).out)
    same([(one["kind"], one["name"]) for one in result["objects"] if one["kind"] != "signal"],
         [("active_object", "pump_sma"), ("memory", "valve::idle"), ("memory", "valve_busy")],
         "an address that several fields have is one object, of the kind that its context has")


def check_selection():
    trace = golden("threadx/thread-unregistered")
    words = ["--symbols", f"{DATA}/threadx.elf"]
    same(len(texts("--context", "thread_0", *words, trace)), 1, "--context takes the name of a symbol")
    same(len(texts("--object", "thread_0", *words, trace)), 1, "and so does --object")
    result = rastrum("report", "--object", "thread_1", *words, trace)
    ok("thread_0" in result.err, "and a name that is spelled nearly so is suggested", result.err)
    same(len(texts("--object", "packet_store", "--symbols", f"{DATA}/compact.elf", golden("compact/kernel"))), 2,
         "--object takes the name of memory")
    same(texts("--last", "1", *words, trace), texts(*words, trace)[-1:], "--last shows the same names")
    csv = rastrum("report", "-f", "csv", *words, trace).out
    ok("thread_ptr=0x2000beef" in csv and "'thread_0'" in csv, "CSV keeps the address and has the name in the text", csv)


def check_pipe():
    """Names do not depend on how the input comes."""
    for name, program in (("rkh/work", "rkh"), ("liteos/huawei-timer", "liteos"), ("compact/kernel", "compact")):
        path = golden(name)
        of_file = rastrum("report", "-f", "jsonl", "--symbols", f"{DATA}/{program}.elf", path)
        of_pipe = rastrum("report", "-f", "jsonl", "--symbols", f"{DATA}/{program}.elf", "-", stdin=open(path, "rb").read())
        same(of_pipe.lines, of_file.lines, f"{name}: a pipe gives what a file gives")


SOURCE = """
extern "C" {
struct actor { int x[8]; };
actor pump_sma = { { 1 } };
int on_entry(int a)
{
	return a + pump_sma.x[0];
}
int main() { return on_entry(2); }
void _start() { main(); }
}
namespace valve {
struct state { int x[4]; };
state idle = { { 1 } }, busy = { { 2 } };
int guard(const state *a, long b) { return a->x[0] + (int)b; }
}
"""


def compiled(name, compiler, *flags):
    with open(path_of("fw.cc"), "w", encoding="utf-8") as out:
        out.write(SOURCE)
    run = subprocess.run([compiler, "-O0", "-fno-exceptions", "-fno-asynchronous-unwind-tables", "-nostdlib", "-static", "-no-pie", *flags,
                          "-Wl,-Ttext=0x8000", "-Wl,-Tdata=0x20000000", "-o", path_of(name), path_of("fw.cc")],
                         capture_output=True, text=True, check=False)
    return path_of(name) if run.returncode == 0 else None


def addresses_of(path):
    lines = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines()
    return {words[2]: int(words[0], 16) for words in (line.split() for line in lines) if len(words) == 3}


def stream_of(at, thumb):
    """A stream of RKH about what a program has at these addresses."""
    def word(name, more=0):
        return ((at[name] & ~thumb) + more).to_bytes(4, "little")
    head = golden_bytes("tests/goldens/rkh/work.hex")
    head = head[:head.index(b"\x7e", 1) + 1]
    stamp = bytes(4)
    return head + b"".join((
        frame(0x10, 0x61 + 1, stamp + word("pump_sma") + word("_ZN5valve4idleE") + word("_ZN5valve4busyE")),
        frame(0x11, 0x70, stamp + b"\x01" + word("pump_sma") + word("_ZN5valve4busyE") + word("on_entry", thumb)),
        frame(0x12, 0x70, stamp + b"\x01" + word("pump_sma") + word("_ZN5valve4busyE") + word("_ZN5valve5guardEPKNS_5stateEl", thumb + 4)),
    ))


def check_compiled(name, compiler, thumb, *flags):
    program = compiled(name, compiler, *flags) if shutil.which(compiler) and shutil.which("nm") else None
    if not program:
        skip(f"{name}: a program of {compiler} names what the trace has", f"no {compiler} or nm")
        return
    stream = file_of(f"{name}.rkh", stream_of(addresses_of(program), thumb))
    words = ["-t", "RKH_TE_SM_TRN", "-t", "RKH_TE_SM_EXE_ACT"]
    expected = ["pump_sma goes from state 'valve::idle' to 'valve::busy'",
                "pump_sma runs entry action on_entry of state 'valve::busy'",
                "pump_sma runs entry action valve::guard(valve::state const*, long)+0x4 of state 'valve::busy'"]
    same(texts(*words, "--symbols", program, stream), expected, f"{name}: a program of {compiler} names what the trace has")
    objects = json.loads(rastrum("info", "--json", "--symbols", program, stream).out)["objects"]
    sources = {one["name"]: one.get("source") for one in objects}
    if "-g" in flags:
        same([sources.get("on_entry"), sources.get("valve::guard(valve::state const*, long)+0x4")], ["fw.cc:6", "fw.cc:15"],
             f"{name}: and info has file and line of functions")
    else:
        same(set(sources.values()), {None}, f"{name}: without debug information there are no lines")
    stripped = program + "-stripped"
    shutil.copy(program, stripped)
    strip = compiler.replace("g++", "strip")
    if shutil.which(strip) and subprocess.run([strip, stripped], check=False).returncode == 0:
        result = rastrum("report", "--symbols", stripped, *words, stream)
        ok(result.status == 0 and "0x20000" in result.out and
           result.err == f"rastrum: {stream}: note: {stripped} has no symbols, it is stripped: give the file as the linker wrote it\n",
           f"{name}: a stripped one names nothing, and a note reports that", result.err)


NO_LIBDW = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void *dlopen(const char *name, int flags)
{
	(void)flags;
	return name && strstr(name, "libdw") ? 0 : ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(name, flags);
}
"""


def check_without_library():
    program = compiled("lines", "g++", "-g") if shutil.which("g++") and shutil.which("nm") else None
    if not program or os.environ.get("BUILD", "release") != "release":
        skip("without libdw a note reports that lines are not shown", "no g++ or nm, or a sanitizer's build")
        return
    stream = file_of("lines.rkh", stream_of(addresses_of(program), 0))
    library = built(NO_LIBDW, path_of("no_libdw.so"), "-shared", "-fPIC")
    result = rastrum("info", "--symbols", program, stream, env={"LD_PRELOAD": library})
    ok(result.status == 0 and "on_entry" in result.out and "fw.cc" not in result.out and
       "files and lines are not shown, since libdw.so.1 (package libdw1) is not installed" in result.out,
       "without libdw a note reports that lines are not shown", result.out, result.err)


def check_wrong_program():
    trace = golden("threadx/thread-unregistered")
    wide = file_of("wide.elf", elf.elf([elf.data("elsewhere", 0x30000000)], bits=64, machine=elf.X86_64, data_at=0x30000000))
    result = rastrum("report", "--symbols", wide, trace)
    ok(f"{wide} is a program of 64 bits, and the addresses of the trace have 32: its names may be wrong" in result.err,
       "a note reports a program of another size", result.err)
    ok(f"no address of the trace is in {wide}: is that the program that was recorded?" in result.err,
       "and one that has no address of the trace", result.err)
    log = golden("posix/modules")
    for path, sentence in ((f"{DATA}/threadx.elf", "has no build id, by which logs know programs: link it with -Wl,--build-id"),
                           (file_of("other.elf", elf.elf([elf.code("main", 0x1000)], bits=64, build_id=b"\xcd" * 20)),
                            "no module of the log has the build id of ")):
        result = rastrum("report", "--symbols", path, log)
        ok(sentence in result.err and path in result.err, f"in a log of programs: {sentence}", result.err)
    result = rastrum("info", "--symbols", f"{DATA}/posix.elf", log)
    ok("\nsymbols     1 of " in result.out, "info counts the calls of a log that are named", result.out)


def check_hostile_names():
    program = file_of("hostile.elf", elf.elf([elf.data("a\x1b[2J\n\udcff", 0x2000beef), elf.data("x" * 5000, 0x20008000)]))
    result = rastrum("report", "-f", "jsonl", "--symbols", program, golden("threadx/thread-unregistered"))
    ok(json.loads(result.lines[1])["context"]["name"] == "a\\x1b[2J\\x0a\\xff", "strange bytes of names are shown as such",
       result.lines[1])


check_committed()
check_refused()
check_info()
check_kinds()
check_selection()
check_pipe()
check_compiled("host", "g++", 0, "-g")
check_compiled("host-bare", "g++", 0)
check_compiled("arm", "arm-none-eabi-g++", 1, "-g", "-mcpu=cortex-m4", "-mthumb")
check_compiled("arm-dwarf4", "arm-none-eabi-g++", 1, "-g", "-gdwarf-4", "-mcpu=cortex-m4", "-mthumb")
check_without_library()
check_wrong_program()
check_hostile_names()
shutil.rmtree(FOLDER)
sys.exit(done())
