#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The ThreadX encoder as ThreadX's own recorder: in a kernel so small that it has only what the recorder looks at."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, ok, rastrum, skip  # noqa: E402

KINDS = [("thread", "THREAD"), ("timer", "TIMER"), ("event_flags", "EVENT_FLAGS_GROUP"), ("queue", "QUEUE"),
         ("semaphore", "SEMAPHORE"), ("mutex", "MUTEX"), ("block_pool", "BLOCK_POOL"), ("byte_pool", "BYTE_POOL")]
MEMBERS = {  # of each kind's structure, besides its name and its successor
    "thread": "VOID *tx_thread_stack_start; ULONG tx_thread_stack_size; UINT tx_thread_priority; "
              "UINT tx_thread_preempt_threshold;",
    "timer": "struct { ULONG tx_timer_internal_re_initialize_ticks; } tx_timer_internal;",
    "queue": "UINT tx_queue_capacity;",
    "mutex": "UINT tx_mutex_inherit;",
    "block_pool": "ULONG tx_block_pool_size;",
    "byte_pool": "ULONG tx_byte_pool_size;",
}
SOURCES = [f"embed/threadx/tx_trace_{part}.c" for part in ("insert", "enable", "registry", "products", "interrupt",
                                                          "kernel", "off")]
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", "-DTX_TRACE_KERNEL", "-DTX_ENABLE_EVENT_TRACE"]


def structure(kind, name):
    prefix = "tx_event_flags_group" if kind == "event_flags" else f"tx_{kind}"
    return (f"typedef struct TX_{name}_STRUCT {{ CHAR *{prefix}_name; {MEMBERS.get(kind, '')} "
            f"struct TX_{name}_STRUCT *{prefix}_created_next; }} TX_{name};\n")


def created(kind, name):
    return f"extern TX_{name} *_tx_{kind}_created_ptr; extern ULONG _tx_{kind}_created_count;\n"


# What ThreadX 6.4 declares, in the header where it does: a recorder that finds a name here finds it there.
PORT = """
#ifndef TX_PORT_H
#define TX_PORT_H
typedef void VOID;
typedef char CHAR; typedef unsigned char UCHAR; typedef unsigned short USHORT; typedef unsigned int UINT;
typedef WORD ULONG;
#ifdef __cplusplus
extern "C" {
#endif
#define TX_INTERRUPT_SAVE_AREA UINT interrupt_save;
#define TX_DISABLE interrupt_save = kernel_lock();
#define TX_RESTORE kernel_unlock(interrupt_save);
UINT kernel_lock(VOID); VOID kernel_unlock(UINT before); UINT _tx_thread_interrupt_control(UINT posture);
#ifdef PORT_LINUX /* as ports/linux/gnu has it: a semicolon at the end, and a statement before */
struct kernel_time { long tv_sec; long tv_nsec; };
extern struct kernel_time _tx_linux_time_stamp;
VOID kernel_clock(struct kernel_time *now);
#define TX_TRACE_TIME_SOURCE ((ULONG) (_tx_linux_time_stamp.tv_nsec));
#define TX_TRACE_PORT_EXTENSION kernel_clock(&_tx_linux_time_stamp);
#endif
#ifdef PORT_CORTEX_M /* a register, and a state that has the number of the exception */
#define TX_TRACE_TIME_SOURCE *((volatile ULONG *) 0xE0001004)
#define TX_TRACE_TIME_MASK 0xFFFFFFFFUL
UINT _get_ipsr(VOID);
#define TX_THREAD_GET_SYSTEM_STATE() (_tx_thread_system_state | _get_ipsr())
#endif
#ifdef __cplusplus
}
#endif
#endif
"""

API = """
#ifndef TX_API_H
#define TX_API_H
#include "tx_port.h"
#define TX_SUCCESS ((UINT) 0x00)
#define TX_SIZE_ERROR ((UINT) 0x05)
#define TX_NOT_DONE ((UINT) 0x20)
#define TX_FEATURE_NOT_ENABLED ((UINT) 0xFF)
#define TX_TRACE_ALL_EVENTS 0x000007FF
#define TX_TRACE_INTERNAL_EVENTS 0x00000001
#define TX_TRACE_INTERRUPT_CONTROL_EVENT 0x00000010
#define TX_TRACE_SEMAPHORE_EVENTS 0x00000080
#define TX_TRACE_USER_EVENTS 0x80000000UL
#define tx_trace_enable _tx_trace_enable
#define tx_interrupt_control _tx_trace_interrupt_control
""" + "".join(structure(*kind) for kind in KINDS) + """
#endif
"""

INITIALIZE = """
#ifndef TX_INITIALIZE_H
#define TX_INITIALIZE_H
#define TX_INITIALIZE_IN_PROGRESS ((ULONG) 0xF0F0F0F0UL)
#define TX_INITIALIZE_ALMOST_DONE ((ULONG) 0xF0F0F0F1UL)
#define TX_INITIALIZE_IS_FINISHED ((ULONG) 0x00000000UL)
#endif
"""

THREAD = """
#ifndef TX_THREAD_H
#define TX_THREAD_H
#ifdef __cplusplus
extern "C" {
#endif
""" + created(*KINDS[0]) + """
extern volatile ULONG _tx_thread_system_state; extern volatile UINT _tx_thread_preempt_disable;
extern TX_THREAD *_tx_thread_current_ptr; VOID _tx_thread_system_preempt_check(VOID);
UINT _tx_thread_smp_core_get(VOID);
#ifndef TX_THREAD_GET_SYSTEM_STATE
#define TX_THREAD_GET_SYSTEM_STATE() _tx_thread_system_state
#endif
#define TX_THREAD_GET_CURRENT(a) (a) = _tx_thread_current_ptr;
#ifdef __cplusplus
}
#endif
#endif
"""

# As a source of the kernel would: tx_api.h, then tx_trace.h, macros without semicolons, the entry's members by name.
PROGRAM = """
#include <stdio.h>
#include <string.h>
#include "tx_api.h"
#include "tx_block_pool.h"
#include "tx_byte_pool.h"
#include "tx_event_flags.h"
#include "tx_mutex.h"
#include "tx_queue.h"
#include "tx_semaphore.h"
#include "tx_timer.h"
#include "embed/threadx/tx_trace.h"

volatile ULONG _tx_thread_system_state; volatile UINT _tx_thread_preempt_disable;
TX_THREAD *_tx_thread_current_ptr;
static UINT depth, n_checks;
UINT kernel_lock(VOID) { return depth++; }
VOID kernel_unlock(UINT before) { depth = before; }
UINT _tx_thread_interrupt_control(UINT posture) { return posture ^ 1; }
UINT _tx_thread_smp_core_get(VOID) { return 2; }
#ifdef PORT_LINUX
struct kernel_time _tx_linux_time_stamp;
VOID kernel_clock(struct kernel_time *now) { now->tv_nsec += 1000; }
#endif
VOID _tx_thread_system_preempt_check(VOID) { n_checks += _tx_thread_preempt_disable == 0; }
DEFINITIONS
static ULONG memory[1024];

int main(int n, char **path)
{
	TX_TRACE_BUFFER_ENTRY *entry;
	ULONG stamp;
	TX_INTERRUPT_SAVE_AREA

	TX_TRACE_INITIALIZE
	LISTS
	_tx_thread_current_ptr = &thread_b;
	if (tx_trace_enable(memory, sizeof(memory), 20) != TX_SUCCESS || n_checks != 1)
		return 1;
	TX_DISABLE
	entry = _tx_trace_buffer_current_ptr;
	TX_TRACE_IN_LINE_INSERT(TX_TRACE_BLOCK_ALLOCATE, &block_pool_a, 0, 3, 4, TX_TRACE_INTERNAL_EVENTS)
	stamp = entry->tx_trace_buffer_entry_time_stamp;
	if (entry->tx_trace_buffer_entry_time_stamp == stamp)
		entry->tx_trace_buffer_entry_information_field_2 = 0x1234;
	TX_RESTORE
	_tx_thread_system_state = 1;
	_tx_trace_isr_enter_insert(9);
	if (tx_interrupt_control(1) != 0 || depth)
		return 2;
	_tx_thread_current_ptr = 0;
	_tx_trace_isr_exit_insert(9);
	FILE *out = fopen(path[n - 1], "wb");
	return fwrite(memory, sizeof(memory), 1, out) != 1 || fclose(out);
}
"""


def definitions():
    """One or two objects of each kind, and the kernel's list of them."""
    text, lists = "", ""
    for kind, name in KINDS:
        prefix = "tx_event_flags_group" if kind == "event_flags" else f"tx_{kind}"
        text += f"TX_{name} *_tx_{kind}_created_ptr; ULONG _tx_{kind}_created_count; static TX_{name} {kind}_a, {kind}_b;\n"
        lists += (f"{kind}_a.{prefix}_name = (CHAR *)\"{kind} a\"; {kind}_b.{prefix}_name = (CHAR *)\"{kind} b\"; "
                  f"{kind}_a.{prefix}_created_next = &{kind}_b; {kind}_b.{prefix}_created_next = &{kind}_a; "
                  f"_tx_{kind}_created_ptr = &{kind}_a; _tx_{kind}_created_count = 2;\n")
    lists += ("thread_b.tx_thread_priority = 300; thread_b.tx_thread_preempt_threshold = 5; "
              "queue_a.tx_queue_capacity = 7; byte_pool_b.tx_byte_pool_size = 99;\n")
    return PROGRAM.replace("DEFINITIONS", text).replace("LISTS", lists)


def write(folder):
    files = {"tx_port.h": PORT, "tx_api.h": API, "tx_initialize.h": INITIALIZE, "tx_thread.h": THREAD,
             "program.c": definitions()}
    files.update({f"tx_{kind}.h": f'#ifdef __cplusplus\nextern "C" {{\n#endif\n{created(kind, name)}'
                                  "#ifdef __cplusplus\n}\n#endif\n" for kind, name in KINDS[1:]})
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write("/* A kernel of our own. */\n" + text)


def compiled(words):
    run = subprocess.run(words, capture_output=True, text=True)
    return run.stderr.splitlines()[:6] or ["it failed"] if run.returncode else []


def check_languages(folder):
    for compiler in (["gcc", "-std=c99"], ["g++", "-x", "c++", "-std=c++11"]):
        if not shutil.which(compiler[0]):
            skip(f"{compiler[0]} compiles it", f"no {compiler[0]}")
            continue
        faults = []
        for more in ([], ["-DTX_MISRA_ENABLE"], ["-DTX_THREAD_SMP_MAX_CORES=4"], ["-UTX_ENABLE_EVENT_TRACE"],
                     ["-DPORT_LINUX"], ["-DPORT_LINUX", "-DTX_MISRA_ENABLE"], ["-DPORT_CORTEX_M"], ["-DTX_NO_TIMER"]):
            for source in SOURCES:
                faults += compiled([*compiler, *STRICT, "-DWORD=unsigned int", *more, f"-I{folder}", "-c", source, "-o",
                                    os.path.join(folder, "one.o")])
        ok(not faults, f"{' '.join(compiler)}: each file is compiled inside a kernel without a warning", *faults)


def check_image(folder, word, more, core, where=""):
    program, image = (os.path.join(folder, name) for name in ("program", "image.trx"))
    faults = compiled(["gcc", "-std=c99", "-O1", *STRICT, f"-DWORD={word}", *more, f"-I{folder}",
                       os.path.join(folder, "program.c"), *SOURCES, "-o", program])
    name = word + where
    if not ok(not faults and subprocess.run([program, image]).returncode == 0, f"{name}: the program runs", *faults):
        return
    rows = [json.loads(line) for line in rastrum("report", "--format", "jsonl", image).lines]
    names = [row["name"].replace("TX_TRACE_", "") for row in rows]
    contexts = [row["context"]["name"] for row in rows]
    ok(names == ["RUNNING", "RUNNING", "BLOCK_ALLOCATE", "ISR_ENTER", "INTERRUPT_CONTROL", "ISR_EXIT"],
       f"{name}: what the kernel records is there", names)
    ok(contexts == ["thread b"] * 3 + ["isr"] * 3 and rows[2]["prio"] == 300 and {row["core"] for row in rows} == {core},
       f"{name}: with its thread, priority and core", *rows)
    if "-DPORT_LINUX" in more:
        ok([row["ts"] for row in rows] == [1000 * n for n in range(1, 7)], f"{name}: with the port's clock", *rows)
    ok(rows[2]["args"]["memory_ptr"] == "0x1234", f"{name}: the kernel patches its entries by their names", rows[2])
    objects = {o["name"]: (o["p1"], o["p2"], o["priority"]) for o in
               json.loads(rastrum("info", "--json", image).out)["objects"]}
    expected = {f"{kind} {which}": (0, 0, 0 if kind == "thread" else None) for kind, _ in KINDS for which in "ab"}
    expected.update({"thread b": (0, 0, 300), "queue a": (7 * (8 if "long" in word else 4), 0, None),
                     "byte_pool b": (99, 0, None)})
    ok(list(objects.items()) == list(expected.items()),
       f"{name}: what was created before tracing began is registered, in ThreadX's order", objects)


# On a target of 32 bits: numbers keep all of a word, and addresses give no warning.
WIDE = """
#include "embed/threadx/tx_trace.h"
_Static_assert(TX_TRACE_WORD_(0x123456789abcdULL) == 0x123456789abcdULL, "a number is cut");
ULONG words(const VOID *address, int number);
ULONG words(const VOID *address, int number) { return TX_TRACE_WORD_(address) + TX_TRACE_WORD_(number); }
"""


def check_wide_words(folder):
    if not shutil.which("clang"):
        skip("words of 64 bits are whole on a target of 32", "no clang")
        return
    path = os.path.join(folder, "wide.c")
    with open(path, "w", encoding="utf-8") as out:
        out.write(WIDE)
    faults = compiled(["clang", "--target=thumbv7m-none-eabi", "-ffreestanding", "-std=c11", "-Wall", "-Wextra", "-Werror",
                       "-I.", "-DTX_ENABLE_EVENT_TRACE", "-DTX_TRACE_WORD_BITS=64", "-fsyntax-only", path])
    ok(not faults, "words of 64 bits are whole on a target of 32", *faults)


with tempfile.TemporaryDirectory() as scratch:
    write(scratch)
    check_languages(scratch)
    check_wide_words(scratch)
    check_image(scratch, "unsigned int", [], 0)
    check_image(scratch, "unsigned long", ["-DTX_THREAD_SMP_MAX_CORES=4"], 2, " on several cores")
    check_image(scratch, "unsigned int", ["-DPORT_LINUX"], 0, " with the clock of the Linux port")
sys.exit(done())
