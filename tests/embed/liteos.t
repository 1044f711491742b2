#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The LiteOS encoder against recordings of the kernels' own recorders: the calls that were recorded give the same bytes."""
import binascii
import glob
import itertools
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from liteos import HERE, Reading, facts_of  # noqa: E402
from tap import done, ok, same, sample, slurp  # noqa: E402

SETS = ["a_arm32_default", "a_arm32_smp4_core_count", "a_be32_core_count", "a_lp64_smp2_reset_filter",
        "hw_arm32_userbuf", "m_arm32_default", "m_arm32_full_agent"]
VARIANT = {"liteos_a": "A", "liteos_m": "M", "huawei_v5": "H5"}
SANITIZE = {"asan": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"], "tsan": ["-fsanitize=thread"]}
NOTIFY, HEAD, OBJ, EVENT = range(4)
START, STOP = 0x11, 0x12
TASK_CREATE, TASK_PRIOSET = 0x40, 0x41


def switches(layout, online=False, objects=0):
    given = [f"-DRASTRUM_LITEOS_{VARIANT[layout['dump']]}", f"-DRASTRUM_LITEOS_POINTER_BYTES={layout['ptr']}",
             f"-DLOSCFG_TRACE_FRAME_MAX_PARAMS={layout['params']}", f"-DLOSCFG_TRACE_OBJ_MAX_NUM={objects}",
             "-DLOSCFG_BASE_CORE_TSK_LIMIT=128", "-DRASTRUM_LITEOS_KEEP_ALL"]
    names = {"core": "LOSCFG_TRACE_FRAME_CORE_MSG", "count": "LOSCFG_TRACE_FRAME_EVENT_COUNT", "smp": "LOSCFG_KERNEL_SMP"}
    given += [f"-D{name}" for key, name in names.items() if layout[key]]
    given += ["-DLOSCFG_RECORDER_MODE_ONLINE"] if online else []
    given += ["-DREPLAY_BIG_ENDIAN", "-Wno-scalar-storage-order"] if layout["endian"] == "big" else []
    return given


class Replay:
    """The recorder of one layout, and the calls that it is to be given."""

    def __init__(self, folder, layout, more=(), **how):
        self.folder, self.layout, self.lines = folder, layout, []
        self.program = os.path.join(folder, "replay")
        built = subprocess.run(
            ["gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I.",
             *SANITIZE.get(os.environ.get("BUILD"), []), *switches(layout, **how), *more,
             "tests/embed/liteos_replay.c", "-o", self.program], capture_output=True, text=True)
        if built.returncode:
            sys.exit(f"Bail out! {built.stderr}")

    def call(self, *words):
        self.lines.append(" ".join(str(word) for word in words))

    def event(self, event):
        task, params, core = event["task"], event["params"], event["core"] or [0, 0, 0, len(event["params"])]
        locks = core[2] - 1 if self.layout["smp"] and event["core"] else core[2]
        self.call("event", event["type"], task, event["pid"] or 0, event["time"], event["identity"], core[0], core[1],
                  locks, event["count"] or 0, core[3], *params[:core[3]])

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self):
        ran = subprocess.run([self.program], input="\n".join(self.lines) + "\n", capture_output=True, text=True,
                             errors="surrogateescape")
        if ran.returncode:
            sys.exit(f"Bail out! {ran.stdout}{ran.stderr}")
        return ran.stdout.split()


def first_difference(got, expected):
    at = next((i for i, pair in enumerate(zip(got, expected)) if pair[0] != pair[1]), min(len(got), len(expected)))
    return (f"{len(got)} and {len(expected)} bytes, first difference at {at}",
            f"     got: {got[max(at - 8, 0):at + 56].hex()}", f"expected: {expected[max(at - 8, 0):at + 56].hex()}")


def same_bytes(got, expected, sentence):
    return ok(got == expected, sentence, *first_difference(got, expected))


# --- online ---------------------------------------------------------------------------------------------------------

def core_of(word, big):
    return [word >> 24, word >> 20 & 15, word >> 16 & 15, word >> 12 & 15] if big else \
        [word & 255, word >> 8 & 15, word >> 12 & 15, word >> 16 & 15]


def messages(data, layout):
    """A stream taken apart: (type, {tag: bytes}); this reader knows nothing of ours."""
    order, at = (">" if layout["endian"] == "big" else "<"), 0
    while at < len(data):
        magic, kind, length, crc = struct.unpack_from(order + "BBHH", data, at)
        body = data[at + 6:at + 6 + length]
        assert magic == 255 and crc == binascii.crc_hqx(body, 0)
        elements, place = {}, 0
        while place < length:
            elements[body[place]] = body[place + 2:place + 2 + body[place + 1]]
            place += 2 + body[place + 1]
        yield kind, elements
        at += 6 + length


def event_of(elements, layout):
    big = layout["endian"] == "big"

    def word(tag):
        return int.from_bytes(elements[tag], "big" if big else "little") if tag in elements else None

    params = elements[7]
    return {"core": core_of(word(1), big) if 1 in elements else None, "type": word(2), "time": word(3), "count": word(4),
            "task": word(5), "identity": word(6), "pid": word(8),
            "params": [int.from_bytes(params[i:i + layout["ptr"]], "big" if big else "little")
                       for i in range(0, len(params), layout["ptr"])]}


def replay_stream(replay, parts, layout):
    """Each message as the call that it came from: a start sends its head and objects itself, a new task its object."""
    order = "big" if layout["endian"] == "big" else "little"
    at, told = 0, None

    def number(elements, tag):
        return int.from_bytes(elements[tag], order)

    def task(elements):
        replay.call("task", number(elements, 1), number(elements, 2), elements[3].split(b"\0")[0].decode())
        return number(elements, 1)

    while at < len(parts):
        kind, elements = parts[at]
        at += 1
        if kind == NOTIFY and number(elements, 1) == START:
            for identity in range(256):
                replay.call("notask", identity)
            while at < len(parts) and parts[at][0] in (HEAD, OBJ):
                if parts[at][0] == HEAD:
                    replay.call("clock", number(parts[at][1], 8))
                else:
                    task(parts[at][1])
                at += 1
            replay.call("start")
        elif kind == NOTIFY:
            replay.call("stop")
        elif kind == OBJ:
            told = task(elements)
            after = event_of(parts[at][1], layout) if at < len(parts) and parts[at][0] == EVENT else {"type": 0}
            if after["type"] not in (TASK_CREATE, TASK_PRIOSET) or after["identity"] != told:
                replay.call("object", TASK_CREATE, told)
                told = None
        else:
            event = event_of(elements, layout)
            if event["type"] in (TASK_CREATE, TASK_PRIOSET) and event["identity"] != told:
                replay.call("notask", event["identity"])
            told = None
            replay.event(event)


def check_stream(name, data, layout, folder):
    replay = Replay(folder, layout, online=True)
    replay.call("init", 0)
    replay.call("out", replay.file("online.tlv"))
    replay_stream(replay, list(messages(data, layout)), layout)
    replay.call("lost")
    said = replay.run()
    same_bytes(slurp(replay.file("online.tlv")), data, f"{name}: the calls of the stream give the stream")
    same(said, ["0"], f"{name}: and nothing is counted lost")


def check_vectors(folder):
    """The messages of both byte orders that were computed by hand, put together as streams; then the checksum alone."""
    with open(HERE + "tlv_vectors.json", encoding="utf-8") as file:
        vectors = json.load(file)["vectors"]
    for order in ("little", "big"):
        kinds = {v["what"].split(" ")[0] + " " + v["what"].split(" ")[1]: bytes.fromhex(v["hex"])
                 for v in vectors if v["endian"] == order}
        begin = kinds["NOTIFY start"] + kinds["HEAD online,"]
        layout = {"endian": order, "ptr": 4, "params": 3, "core": 0, "count": 0, "smp": False, "dump": "liteos_m"}
        check_stream(f"{order}-endian vectors of liteos_m", begin + kinds["OBJ id"] + kinds["EVENT liteos_m"] +
                     kinds["NOTIFY stop"], layout, folder)
        layout |= {"ptr": 8, "core": 1, "count": 1, "dump": "liteos_a"}
        check_stream(f"{order}-endian vectors of liteos_a", begin + kinds["EVENT liteos_a"], layout, folder)
    with open(HERE + "crc16_vectors.json", encoding="utf-8") as file:
        vectors = json.load(file)["vectors"]
    replay = Replay(folder, layout, online=True)
    for vector in vectors:
        data, times = (vector["hex"], 1) if vector["repeat"] is None else vector["repeat"]
        replay.call("crc", times, data)
    same([int(word) for word in replay.run()], [int(vector["crc"], 16) for vector in vectors],
         "checksums are those of the vectors")


# --- offline --------------------------------------------------------------------------------------------------------

def event_of_slot(slot):
    names = ("type", "name", "task", "pid", "time", "identity", "core", "count", "lr", "params")
    return dict(zip(names, slot))


def replay_ring(replay, facts):
    """In the order of writing, at the places where they were written; generations as they were at each."""
    slots, at = facts["slots"], facts.get("CurEvtIndex", 0)
    is_full = all(slots)
    if is_full:
        for _ in range(at):
            replay.event(event_of_slot(slots[0]))
    for slot in slots[at:] + slots[:at] if is_full else slots[:at]:
        event = event_of_slot(slot)
        if facts["maxObjCount"]:
            replay.call("generation", event["task"] & 0xffff, event["task"] >> 16)
            event["task"] &= 0xffff
            if event["type"] & 0xfffffff0 == TASK_CREATE:
                replay.call("generation", event["identity"] & 0xffff, event["identity"] >> 16)
                event["identity"] &= 0xffff
        replay.event(event)


def replay_objects(replay, facts):
    objects, at = facts["objects"], facts.get("CurObjIndex", 0)
    is_full = all(entry is not None and entry[0] for entry in objects)
    if is_full:
        replay.call("object_index", at)
    for identity, priority, name in objects[at:] + objects[:at] if is_full else objects[:at]:
        replay.call("generation", identity & 0xffff, (identity >> 16) - 1)
        replay.call("task", identity & 0xffff, priority, name)
        replay.call("object", TASK_PRIOSET, identity & 0xffff)


def shifted_in(text):
    """What liteos_m found on its stack: the fourth column of numbers."""
    row = next(line for line in text.decode().splitlines() if line.startswith("0  ") and line.count("0x") > 4)
    return "-DRASTRUM_LITEOS_SHIFTED_IN=" + [word for word in row.split() if word.startswith("0x")][3]


def check_ring(name, which, layout, folder):
    path = f"{HERE}{name}/offline{which}"
    facts, data = facts_of(path + ".bin"), slurp(path + ".bin")
    text = f"{HERE}{name}/dump{which}.txt"
    more = [shifted_in(slurp(text))] if layout["dump"] == "liteos_m" and os.path.exists(text) else []
    replay = Replay(folder, layout, more, objects=facts["maxObjCount"])
    replay.call("clock", facts["header"]["clockFreq"])
    replay.call("init", len(data))
    if which == "_after_reset":
        replay_ring(replay, facts_of(f"{HERE}{name}/offline_before_reset.bin"))
        replay.call("reset")
    replay_ring(replay, facts)
    replay_objects(replay, facts)
    replay.call("stop")
    replay.call("ring", len(data), replay.file("ring"))
    replay.call("dump", 0, replay.file("text"))
    replay.call("dump", 1, replay.file("client"))
    replay.call("lost")
    said = replay.run()
    at = facts.get("CurEvtIndex", 0)
    same_bytes(slurp(replay.file("ring")), data, f"{name}{which}: the calls that are in the ring give the ring")
    same(said, [str(at) if all(facts["slots"]) else "0"], f"{name}{which}: frames written over are counted")
    for file, name_of in (("text", text), ("client", f"{HERE}{name}/client_dump{which}.tlv")):
        if os.path.exists(name_of):
            same_bytes(slurp(replay.file(file)), slurp(name_of), f"{name}{which}: its dump as {file} is the kernel's")


def check_order(name, folder):
    """The defects put right: the text of liteos_m in its columns, as our reader wants it."""
    with open(f"{HERE}{name}/layout.json", encoding="utf-8") as file:
        layout = json.load(file)["layout"]
    facts = facts_of(f"{HERE}{name}/offline.bin")
    replay = Replay(folder, layout, ["-URASTRUM_LITEOS_KEEP_ALL"], objects=facts["maxObjCount"])
    replay.call("clock", facts["header"]["clockFreq"])
    replay.call("init", facts["header"]["totalLen"])
    replay_ring(replay, facts)
    replay.call("stop")
    replay.call("ring", facts["header"]["totalLen"], replay.file("ring.bin"))
    replay.call("dump", 0, replay.file("dump.txt"))
    replay.run()
    ring, text = (Reading(replay.file(file), "--opt", "variant=m") for file in ("ring.bin", "dump.txt"))
    same([(row["ts"], row["name"], row["args"]) for row in text.rows],
         [(row["ts"], row["name"], row["args"]) for row in ring.rows],
         f"{name}: put right, the text says what the ring does")
    ok(ring.rows and not text.damage and not ring.damage, f"{name}: and neither is damaged", text.damage, ring.damage)


# --- configurations -------------------------------------------------------------------------------------------------

OPTIONS = [
    [], ["-DLOSCFG_KERNEL_TRACE=0"],
    ["-DLOSCFG_TRACE_FRAME_CORE_MSG", "-DLOSCFG_TRACE_FRAME_EVENT_COUNT=1", "-DLOSCFG_TRACE_OBJ_MAX_NUM=8",
     "-DLOSCFG_KERNEL_SMP", "-DRASTRUM_LITEOS_KEEP_ALL", "-DLOSCFG_TRACE_PIPELINE_SERIAL", "-DYES=1",
     "-DLOSCFG_TRACE_CONTROL_AGENT=YES"],
    ["-DLOS_TRACE_FRAME_LR", "-DLOSCFG_TRACE_FRAME_MAX_PARAMS=0", "-DLOSCFG_TRACE_CLIENT_INTERACT=0"],
]
USE = """
void use(int number, void *pointer);
void use(int number, void *pointer)
{
	LOS_TRACE(SEM_PEND, number, number, number);
	LOS_TRACE(EVENT_WRITE, pointer, 1, 2);
	LOS_TRACE(TASK_SIGNAL, 1, 2, 3);
	LOS_TRACE(HWI_RESPONSE_IN, number);
	LOS_TRACE_EASY(3, pointer, number);
	LOS_TRACE_EASY(number, 1);
	(void)number, (void)pointer;
}
"""
LANGUAGES = [["gcc", "-std=c99"], ["g++", "-x", "c++", "-std=c++11"]]


def compiled(folder, language, given):
    """All of it in one unit; what the compiler says, and the names that are missing."""
    unit, made = os.path.join(folder, "all.c"), os.path.join(folder, "all.o")
    sources = [path for path in glob.glob("embed/liteos/*.c") if not path.endswith("_test.c")]
    with open(unit, "w", encoding="utf-8") as out:
        out.write("".join(f'#include "{path}"\n' for path in [*sorted(sources), "embed/core/bytes.c"]) + USE)
    run = subprocess.run([*language, "-ffreestanding", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", *given, "-c",
                          unit, "-o", made], capture_output=True, text=True)
    if run.returncode:
        return [" ".join([*language, *given]), *run.stderr.splitlines()[:3]]
    names = {line.split()[-1] for line in subprocess.run(["nm", "-u", made], capture_output=True, text=True).stdout.splitlines()}
    board = {"UartPuts", "uart_putc", "uart_hwiCreate", "uart_read", "uart_wait_adapt"}
    missing = {name for name in names if not any(known in name for known in {"memcpy", "memset"} | board)}
    return [" ".join([*language, *given, "calls", *missing])] if missing else []


def check_configurations(folder):
    faults, n_compiled = [], 0
    for variant in VARIANT.values():
        for mode in ([], ["-DLOSCFG_RECORDER_MODE_ONLINE"]):
            for n_bytes, options in sample(list(itertools.product((4, 8), OPTIONS))):
                for language in LANGUAGES:
                    faults += compiled(folder, language, [
                        f"-DRASTRUM_LITEOS_{variant}", f"-DRASTRUM_LITEOS_POINTER_BYTES={n_bytes}", *mode, *options])
                    n_compiled += 1
    ok(not faults, f"{n_compiled} configurations compile as C99 and C++11 and call nothing but memcpy and memset", *faults)


# --- programs -------------------------------------------------------------------------------------------------------

RECORDER = sorted(path for path in glob.glob("embed/liteos/*.c") if not path.endswith("_test.c"))
PORT = ["-DRASTRUM_PORT_PTHREAD"]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def gcc(*words):
    return subprocess.run(["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I.", *words], capture_output=True, text=True)


def symbols(path, *words):
    return {line.split()[-1] for line in subprocess.run(["nm", *words, path], capture_output=True, text=True).stdout.splitlines()}


def check_small(folder):
    """What a ring alone costs: linked as boards do, nothing of dumps, text and messages is in it."""
    main = write(folder, "main.c", '''
#include "embed/liteos/los_trace.h"
static uint64_t memory[128];
int main(void)
{
	LOS_TraceInit(memory, sizeof(memory));
	LOS_TRACE(SEM_PEND, 1, 2, 3);
	return 0;
}
''')
    program = os.path.join(folder, "small")
    sources = [path for path in RECORDER if "serial" not in path and "pipeline_ring" not in path]
    built = gcc("-O1", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", main, *sources, "-o", program)
    names = symbols(program)
    unwanted = {"LOS_TraceRecordDump", "OsTraceRecordDump", "OsTraceInfoDisplay", "OsTraceDataSend", "OsTraceDataEncode",
                "OsTraceErrorHex", "text_hex", "g_traceDumpHook"}
    ok(built.returncode == 0 and "OsTraceHook" in names and not names & unwanted,
       "a program that only records has no code for dumps, texts and messages", built.stderr[:400], names & unwanted)


def check_ports(folder):
    """A port that files of core/ would not see is refused; in the header that all see it is in all."""
    objects = []
    for what in ("#define RASTRUM_PORT_PTHREAD", "#define RASTRUM_N_CORES 2"):
        config = write(folder, "config.h", f"{what}\n")
        run = gcc(f'-DRASTRUM_LITEOS_CONFIG_H="{config}"', "-c", "embed/liteos/los_trace.c", "-o", os.path.join(folder, "x.o"))
        ok(run.returncode != 0 and "core/ does not see it" in run.stderr and "RASTRUM_CONFIG_H" in run.stderr,
           f"a header for LiteOS's settings that has {what} is refused, with what to do", run.stderr[:300])
    config = write(folder, "config.h", "#define RASTRUM_PORT_PTHREAD\n#define RASTRUM_LITEOS_M\n")
    for source in ("embed/liteos/los_trace.c", "embed/liteos/trace_pipeline_ring.c", "embed/core/bytes.c"):
        objects.append(os.path.join(folder, os.path.basename(source) + ".o"))
        run = gcc(f'-DRASTRUM_CONFIG_H="{config}"', "-c", source, "-o", objects[-1])
        ok(run.returncode == 0, f"{source} compiles with one header for all settings", run.stderr[:300])
    ok(all("rastrum_port_lock" in symbols(path, "-u") for path in (objects[0], objects[2])),
       "and the lock that it chooses is in core/, too")


def check_code_of_kernels(folder):
    """What code for the originals writes."""
    config = write(folder, "config.h", '''
const struct rastrum_liteos_task *my_task(unsigned int task_id);
#define RASTRUM_LITEOS_TASK_CB(id) my_task(id)
#define LOSCFG_TRACE_OBJ_MAX_NUM 2
''')
    main = write(folder, "main.c", '''
#define _POSIX_C_SOURCE 200809L
#include "embed/liteos/los_trace.h"

static enum TraceState seen = TRACE_STOPED;

#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_pipeline.h"
#include "embed/liteos/trace_tlv.h"
#include <signal.h>
#include <stdio.h>

static const LosTaskCB task = { 1, 7, "one" };

const LosTaskCB *my_task(unsigned int task_id)
{
	return task_id == 1 ? &task : NULL;
}

static int is_held(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, SIGUSR1);
}

int main(void)
{
	static uint64_t memory[128];
	UINT32 intSave, inner;
	TraceMsgTlvBody *body = NULL;

	LOS_TraceInit(memory, sizeof(memory));
	printf("%d", is_held());
	TRACE_LOCK(intSave);
	printf("%d", is_held());
	PIPE_LOCK(inner);
	LOS_TRACE(TASK_CREATE, 1, 2, 3);
	PIPE_UNLOCK(inner);
	printf("%d", is_held());
	TRACE_UNLOCK(intSave);
	printf("%d", is_held());
	LOS_TraceStop();
	TRACE_ERROR("%d", 1);
	g_traceDumpHook(FALSE);
	printf(" %d %d %d\\n", (int)seen, (int)LOS_TraceRecordGet()->objSize, (int)sizeof(*body));
	return 0;
}
''')
    program = os.path.join(folder, "kernel")
    built = gcc("-O1", "-g", *SANITIZE.get(os.environ.get("BUILD"), []), f'-DRASTRUM_LITEOS_CONFIG_H="{config}"', *PORT, main,
                *[path for path in RECORDER if "serial" not in path], "embed/core/bytes.c", "embed/port/port_pthread.c",
                "-pthread", "-o", program)
    ran = subprocess.run([program], capture_output=True, text=True) if built.returncode == 0 else None
    same((built.stderr[:500], ran and ran.stdout), ("", "0110 3 40 2\n"),
         "states, locks of 32 bits that nest, tasks of the program's own header: as the originals have them")


def check_amalgam(folder):
    made = subprocess.run([sys.executable, "embed/check/amalgam.py", "--folder", folder, "liteos"], capture_output=True, text=True)
    path, faults = os.path.join(folder, "rastrum_liteos.o"), []
    chosen = {"LOSCFG_TRACE_PIPELINE_SERIAL": "g_serialOps", "LOSCFG_TRACE_CONTROL_VIA_SHELL": "OsShellCmdTraceDump",
              "LOSCFG_DRIVERS_TRACE": "DevTraceRegister"}
    for language in LANGUAGES:
        for given in ([], [f"-D{name}" for name in chosen]):
            run = subprocess.run([*language, "-Wall", "-Wextra", "-Werror", *given, "-I", folder, "-c",
                                  os.path.join(folder, "rastrum_liteos.c"), "-o", path], capture_output=True, text=True)
            got = {name for name in chosen.values() if any(name in symbol for symbol in symbols(path, "--defined-only"))}
            if run.returncode or got != (set(chosen.values()) if given else set()):
                faults.append(f"{language[0]} {given}: {run.stderr[:300]} {got}")
    ok(made.returncode == 0 and not faults, "the two files have serial line, shell and device for those who choose them",
       made.stderr[:300], *faults)


def main():
    for name in SETS:
        with open(f"{HERE}{name}/layout.json", encoding="utf-8") as file:
            layout = json.load(file)["layout"]
        for which in ("", "_before_reset", "_after_reset"):
            if os.path.exists(f"{HERE}{name}/offline{which}.bin.expected.json"):
                with tempfile.TemporaryDirectory() as folder:
                    check_ring(name, which, layout, folder)
        with tempfile.TemporaryDirectory() as folder:
            check_stream(name, slurp(f"{HERE}{name}/online.tlv"), layout, folder)
    with tempfile.TemporaryDirectory() as folder:
        check_vectors(folder)
        check_order("m_arm32_default", folder)
        check_configurations(folder)
        check_small(folder)
        check_ports(folder)
        check_code_of_kernels(folder)
        check_amalgam(folder)
    return done()


sys.exit(main())
