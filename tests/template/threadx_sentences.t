#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Every event of ThreadX, FileX, NetX and USBX as a sentence: it says each of the event's words, or the word is listed here
with the reason. The words of an event differ from each other, so that one cannot stand for another.

`PRINT=1 tests/template/threadx_sentences.t` prints the sentences, with these words and with zeros, to be read by a person.
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import Faults, done, ok, rastrum, same  # noqa: E402
from threadx_events import ISR, OWN_PRIORITY, THREAD, image, read_events_table  # noqa: E402

TABLE = read_events_table()

# Type in the registry and name of the object that each information word of this type is.
OBJECTS = {"THREAD": 1, "TIMER": 2, "QUEUE": 3, "SEMAPHORE": 4, "MUTEX": 5, "EVENT_FLAGS": 6, "BLOCK_POOL": 7,
           "BYTE_POOL": 8, "MEDIA": 9, "FILE": 10, "IP": 11, "PACKET_POOL": 12, "TCP": 13, "UDP": 14, "HOST_DEVICE": 21,
           "HOST_INTERFACE": 22, "HOST_ENDPOINT": 23, "HOST_CLASS": 24, "USB_DEVICE": 25, "DEVICE_INTERFACE": 26,
           "DEVICE_ENDPOINT": 27, "DEVICE_CLASS": 28}

# A value of each list, and the words that it must give.
CONSTANTS = {"thread_state": (6, "semaphore|TX_SEMAPHORE_SUSP"), "wait_option": (7, "7 ticks"),
             "get_option": (3, "TX_AND_CLEAR"), "set_option": (2, "keeps only"), "inherit": (1, "TX_INHERIT"),
             "activate": (1, "TX_AUTO_ACTIVATE"), "open_type": (2, "FX_OPEN_FOR_READ_FAST"),
             "seek_from": (3, "FX_SEEK_BACK"), "packet_status": (0xBBBBBBBB, "NX_DRIVER_TX_DONE"),
             "tcp_state": (5, "NX_TCP_ESTABLISHED"), "usb_error": (0x5C, "UX_TRANSFER_TIMEOUT")}
OTHER_STATE = {"thread_state": (3, "suspended|TX_SUSPENDED"), "tcp_state": (3, "NX_TCP_SYN_SENT")}

NAMED = 0x20100000  # addresses of objects: this, and more for each type and word


def object_of(kind, place):
    address = NAMED + OBJECTS[kind] * 0x1000 + place * 0x100
    return OBJECTS[kind], address, f"{kind.lower()} {place}", 4 * 71, 1


def word_of(field, place):
    """The word, and the pattern that a sentence must have for it."""
    kind, name, constants = field
    if kind in OBJECTS:
        row = object_of(kind, place)
        return row[1], re.escape(row[2])
    if kind == "ENUM":
        value, pattern = (OTHER_STATE if place > 1 and constants in OTHER_STATE else CONSTANTS)[constants]
        return value, pattern
    if kind == "IPV4":
        return 0x0A000000 + 256 * place + 9, rf"10\.0\.{place}\.9"
    if kind in ("ADDRESS", "STACK"):
        return 0x20400000 + 0x100 * place, f"0x{0x20400000 + 0x100 * place:x}"
    value = {"month": 7, "ip_version_4_or_6": 4, "type_of_service": 0x40000 * place}.get(name, 31 + 10 * place)
    return value, rf"\b(0x{value:x}|0*{value:X}|0*{value})\b" if name != "ip_version_4_or_6" else r"0\.0\.0\.\d+"


# --- what is left out, and why --------------------------------------------------------------------------------------

# By the name of the field: in every event that has it.
LEFT_OUT = {
    "stack_ptr": "an address on the stack of the caller, for measuring stacks",
    "preempt_disable": "a counter inside of the kernel",
    "source_ptr": "where the message comes from",
    "destination_ptr": "where the message goes to",
}
# (constant, field)
LEFT_OUT_OF = {
    ("TX_TRACE_TIME_SLICE", "system_state"): "the depth of the interrupt",
    ("TX_TRACE_THREAD_SLEEP", "thread_state"): "a thread that runs is ready",
    ("TX_TRACE_QUEUE_RECEIVE", "wait_option"): "the queue has messages: no wait",
    ("TX_TRACE_SEMAPHORE_GET", "wait_option"): "the semaphore has a count: no wait",
    ("TX_TRACE_BLOCK_ALLOCATE", "wait_option"): "the block is there: no wait",
    ("TX_TRACE_BYTE_ALLOCATE", "wait_option"): "the memory is there: no wait",
    ("TX_TRACE_SEMAPHORE_PUT", "current_count"): "0 while threads wait",
    ("TX_TRACE_SEMAPHORE_CEILING_PUT", "current_count"): "0 while threads wait",
    ("TX_TRACE_SEMAPHORE_CEILING_PUT", "ceiling"): "of no importance while threads wait",
    ("TX_TRACE_MUTEX_GET", "ownership_count"): "printed of a mutex that the caller holds",
    ("TX_TRACE_MUTEX_PUT", "ownership_count"): "printed of a mutex that the caller holds",
    ("FX_TRACE_FILE_OPEN", "file_name"): "the name of the file itself is printed",
    ("FX_TRACE_MEDIA_SPACE_AVAILABLE", "available_bytes_ptr"): "where the result goes",
    ("NX_TRACE_INTERNAL_RARP_RECEIVE", "header_word_1"): "the same in all messages of a kind",
    ("NX_TRACE_INTERNAL_RARP_SEND", "header_word_1"): "the same in all messages of a kind",
    ("NX_TRACE_IP_RAW_PACKET_RECEIVE", "wait_option"): "the packet is there: no wait",
    ("NX_TRACE_PACKET_COPY", "wait_option"): "the packet is there: no wait",
    ("NX_TRACE_PACKET_DATA_APPEND", "pool_ptr"): "the pool that further packets would come from",
    ("NX_TRACE_PACKET_DATA_RETRIEVE", "bytes_copied"): "where the result goes",
    ("NX_TRACE_ND_CACHE_IP_ADDRESS_FIND", "physical_msw"): "where the result goes",
    ("NX_TRACE_ND_CACHE_IP_ADDRESS_FIND", "physical_lsw"): "where the result goes",
}
# Bits that are printed as the names of those that are set.
FLAGS = {"attributes", "errors", "needed_status", "actual_status"}


def is_left_out(constant, field, words):
    kind, name, _ = field
    if name in LEFT_OUT or name in FLAGS or (constant, name) in LEFT_OUT_OF:
        return True
    # A socket belongs to one IP instance.
    return kind == "IP" and any(word and word[0] in ("TCP", "UDP") for word in words)


# --- all events -----------------------------------------------------------------------------------------------------

def all_objects():
    rows = [(1, THREAD, "caller", 0, 0)]
    return rows + [object_of(kind, place) for kind in OBJECTS for place in range(1, 5)]


def sentences(words_of, thread=THREAD, priority=OWN_PRIORITY):
    """Of every event, with the words that the function gives."""
    events = [(thread, priority, number, words_of(number)) for number in TABLE]
    run = rastrum("report", "-f", "jsonl", "-", stdin=image(all_objects(), events))
    same(run.status, 0, "a dump with every event is read")
    rows = [json.loads(line) for line in run.lines]
    same([row["id"] for row in rows], list(TABLE), "and gives every event")
    return rows


def distinct(number):
    return [word_of(field, place)[0] if field else 0 for place, field in enumerate(words_padded(number), start=1)]


def words_padded(number):
    words = TABLE[number][1]
    return words + [None] * (4 - len(words))


def check_words(rows):
    for row in rows:
        constant, words = TABLE[row["id"]]
        faults = Faults()
        for place, field in enumerate(words, start=1):
            if field and not is_left_out(constant, field, words) and not re.search(word_of(field, place)[1], row["text"]):
                faults.append(f"{field[1]} is not in: {row['text']}")
        if faults:
            ok(False, f"the sentence of {constant} has all words", *faults)
    ok(True, "every sentence was compared with the words of its event")


def check_language(rows, which):
    faults = [row["name"] + ": " + row["text"] for row in rows
              if re.search(r"  |\$|\bnobody\b|\bsomebody\b|\(\)|,,| [,;)]|^$", row["text"])
              or not re.match(r"(caller|isr|the time slice of|a time slice) ", row["text"])]
    ok(not faults, f"sentences {which} are whole and begin with what acts", *faults)


# --- how it ended -----------------------------------------------------------------------------------------------------

OTHER, INHERITED = 0x20101100, 0x80050002  # thread 1; of priority 2, with threshold 5
Q, S, M, F, B, T = (object_of(kind, 1)[1] for kind in ("QUEUE", "SEMAPHORE", "MUTEX", "EVENT_FLAGS", "BLOCK_POOL", "TIMER"))
FOREVER = 0xFFFFFFFF
SITUATIONS = (
    (69, (Q, 1, FOREVER, 70), "caller sends to queue queue 1, 70 of 71 enqueued before"),
    (69, (Q, 1, FOREVER, 71), "caller waits to send to queue queue 1, which is full, 71 of 71 enqueued (TX_WAIT_FOREVER)"),
    (69, (Q, 1, 0, 71), "caller finds queue queue 1 full, 71 of 71 enqueued (TX_NO_WAIT)"),
    (69, (0x1234, 1, 5, 3), "caller sends to queue 0x1234, 3 enqueued before (at most 5 ticks)"),
    (63, (Q, 1, 0, 0), "caller sends to the front of queue queue 1, 0 of 71 enqueued before"),
    (68, (Q, 1, 0, 0), "caller finds queue queue 1 empty (TX_NO_WAIT)"),
    (68, (Q, 1, 5, 0), "caller waits for queue queue 1 (at most 5 ticks)"),
    (68, (Q, 1, 5, 2), "caller receives from queue queue 1, 2 enqueued before"),
    (83, (S, 5, 2, 0), "caller takes semaphore semaphore 1, count 2 before"),
    (83, (S, 0, 0, 0), "caller finds semaphore semaphore 1 at 0 (TX_NO_WAIT)"),
    (88, (S, 0, 0, 0), "caller puts semaphore semaphore 1, count 0 before"),
    (88, (S, 0, 1, 0), "caller puts semaphore semaphore 1 and wakes the waiting thread"),
    (80, (S, 2, 0, 3), "caller puts semaphore semaphore 1, count 2 before, ceiling 3"),
    (80, (S, 3, 0, 3), "caller fails to put semaphore semaphore 1, its count is its ceiling, 3 (TX_CEILING_EXCEEDED)"),
    (52, (M, 5, 0, 0), "caller takes mutex mutex 1"),
    (52, (M, 5, THREAD, 1), "caller takes mutex mutex 1 again (held once before)"),
    (52, (M, 5, 0, 2), "caller takes mutex mutex 1 again (held 2 times before)"),
    (52, (M, 5, OTHER, 1), "caller waits for mutex mutex 1, held by thread 1 (at most 5 ticks)"),
    (52, (M, 0, OTHER, 1), "caller finds mutex mutex 1 held by thread 1 (TX_NO_WAIT)"),
    (57, (M, THREAD, 1, 0), "caller releases mutex mutex 1"),
    (57, (M, THREAD, 2, 0), "caller releases mutex mutex 1 (held 2 times before, 1 left)"),
    (57, (M, OTHER, 1, 0), "caller fails to put mutex mutex 1, which thread 1 holds (TX_NOT_OWNED)"),
    (57, (M, 0, 0, 0), "caller fails to put mutex mutex 1, which no thread holds (TX_NOT_OWNED)"),
    (32, (F, 3, 1, 0), "caller gets 0x3 of event flags event_flags 1 (TX_OR), 0x1 were set before"),
    (32, (F, 3, 1, 2), "caller wants 0x3 of event flags event_flags 1 (TX_AND), 0x1 were set before"),
    (32, (F, 3, 7, 3), "caller gets 0x3 of event flags event_flags 1 (TX_AND_CLEAR), 0x7 were set before"),
    (32, (F, 3, 0, 1), "caller wants 0x3 of event flags event_flags 1 (TX_OR_CLEAR), 0x0 were set before"),
    (10, (B, 0, 0, 0), "caller finds no free block in block pool block_pool 1 (TX_NO_WAIT)"),
    (10, (B, 0, 5, 0), "caller waits for a block of block pool block_pool 1 (at most 5 ticks)"),
    (10, (B, 0x40, 5, 2), "caller allocates block 0x40 of block pool block_pool 1 (2 free before)"),
    (1, (THREAD, 14, 0, 0), "caller returns to the ready list"),
    (1, (THREAD, 3, 0, 0), "caller becomes ready, it was suspended"),
    (1, (OTHER, 13, 0, OTHER), "caller resumes thread 1, which waited for a mutex (next to run: thread 1)"),
    (2, (THREAD, 13, 0, OTHER), "caller is suspended to wait for a mutex (next to run: thread 1)"),
    (2, (THREAD, 14, 0, 0), "caller leaves the ready list to change its priority"),
    (2, (OTHER, 3, 0, 0), "caller suspends thread 1, which is now TX_SUSPENDED"),
    (6, (0, 0, 0, 0), "caller runs at priority 5"),
    (123, (T, 1, 0, 0), "caller changes timer timer 1 to expire once, after 1 tick"),
    (123, (T, 10, 1, 0), "caller changes timer timer 1 to expire after 10 ticks and then every tick"),
    (384, (0x20, 0x0A000001, 0, 0x2030), "caller sends raw packet 0x2030 to 10.0.0.1 on IP 0x20"),
    (384, (0x20, 0x2030, 0x0A000001, 0x80000), "caller sends raw packet 0x2030 to 10.0.0.1 on IP 0x20 with type of service 0x80000"),
    (242, (0x1234, 4, 5, 0), "caller allocates 5 bytes for file 0x1234, up to 4 bytes requested"),
    (999, (0x5C, 0x20, 0, 0), "caller reports USB error UX_TRANSFER_TIMEOUT of object 0x20"),
    (999, (0xABC, 0, 0, 0), "caller reports USB error 2748"),
    (5000, (0, 48, 0xFFFFFFFE, 9), "caller records user event 5000: 0, 48 (0x30), -2 (0xfffffffe), 9"),
    (2000, (0x20001000, 0, 0, 0), "caller records user event 2000: 536875008 (0x20001000), 0, 0, 0"),
)


def check_situations():
    events = [(THREAD, OWN_PRIORITY, number, words) for number, words, _ in SITUATIONS]
    events += [(ISR, OTHER, 5, (Q, 0, 0, 0)), (ISR, OTHER, 5, (0, 0, 0, 0)), (THREAD, INHERITED, 6, (0, 0, 0, 0))]
    expected = [row[2] for row in SITUATIONS] + [
        f"the time slice of thread 1 ends (next to run: 0x{Q:x})", "the time slice of thread 1 ends",
        "caller runs at priority 2, preemption threshold 5"]
    run = rastrum("report", "-f", "jsonl", "-", stdin=image(all_objects(), events))
    for line, sentence in zip(run.lines, expected):
        same(json.loads(line)["text"].replace("'", ""), sentence, sentence)
    same(len(run.lines), len(expected), "that was all")


ROWS = sentences(distinct)
ZEROS = sentences(lambda number: [0, 0, 0, 0])
if os.environ.get("PRINT"):
    for one, zero in zip(ROWS, ZEROS):
        print(f"# {one['id']:4} {one['text']}\n#      {zero['text']}")
check_words(ROWS)
check_language(ROWS, "with words")
check_language(ZEROS, "with zeros")
check_situations()
sys.exit(done())
