#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of CTF 1.8 that are written here: values, time, merging, losses, damage, and our own traces read back."""
import json
import os
import struct
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, ok, rastrum, same  # noqa: E402

UUID = bytes(range(16))
TEXT = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; } := uint8_t;
typealias integer { size = 32; align = 8; } := uint32_t;
typealias integer { size = 64; align = 8; } := uint64_t;
trace {
    major = 1; minor = 8; byte_order = %(order)s; uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f";
    packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };
};
env { hostname = "board"; tracer_name = "test"; };
clock { name = mono; freq = 1000000; offset_s = %(offset)d; };
stream {
    id = 0;
    packet.context := struct { uint32_t packet_size; uint32_t content_size; uint64_t timestamp_begin;
        uint32_t events_discarded; uint32_t packet_seq_num; uint32_t cpu_id; };
    event.header := struct { uint8_t id; integer { size = 16; align = 8; map = clock.mono.value; } timestamp; };
    event.context := struct { uint32_t _vtid; uint32_t _vpid; integer { size = 8; align = 8; encoding = UTF8; } _procname[8]; };
};
event { id = 1; stream_id = 0; name = "p:number"; fields := struct { uint32_t _a; integer { size = 3; signed = true; } _b;
    integer { size = 5; } _c; }; };
event { id = 2; stream_id = 0; name = "p:shapes"; fields := struct { uint8_t n; struct { uint8_t x; string s; } list[n];
    enum : uint8_t { ONE = 1, FEW = 2 ... 5 } which; variant <which> { string ONE; uint8_t FEW; } value; }; };
"""


def packet(order, events, begin=0, discarded=0, number=0, cpu=1, size=None):
    """A packet; events are (id, stamp, fields)."""
    mark = {"le": "<", "be": ">"}[order]
    body = b"".join(struct.pack(mark + "BHII8s", i, t & 0xffff, 7, 6, b"task") + fields for i, t, fields in events)
    n = 24 + 28 + len(body)
    sizes = 8 * (size or n)
    return (struct.pack(mark + "I", 0xc1fc1fc1) + UUID + struct.pack(mark + "I", 0)
            + struct.pack(mark + "IIQIII", sizes, sizes, begin, discarded, number, cpu) + body)


def write(folder, streams, order="le", offset=0, text=TEXT):
    os.makedirs(folder)
    with open(os.path.join(folder, "metadata"), "w") as file:
        file.write(text % {"order": order, "offset": offset})
    for name, data in streams.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    return folder


def report(path, *words):
    ran = rastrum("report", "-f", "jsonl", path, *words)
    return ran, [json.loads(line) for line in ran.lines]


def names(rows):
    return [row["name"] for row in rows if "name" in row]


def number(order, a, b, c):
    bits = (b & 7) | c << 3 if order == "le" else (b & 7) << 5 | c
    return struct.pack("<I" if order == "le" else ">I", a) + bytes([bits])


def check_values(top, order):
    shapes = b"\x02\x05one\0\x06\0" + b"\x01" + b"text\0"
    few = b"\x00\x03\x09"
    none = b"\x00\x01\0"
    data = packet(order, [(1, 5, number(order, 70000, -2, 17)), (2, 65530, shapes), (2, 3, few), (2, 4, none)])
    ran, rows = report(write(os.path.join(top, order), {"s": data}, order, 100))
    same(ran.status, 0, order + ": the trace is whole")
    same([row["args"].get("a") for row in rows][:1] + [rows[0]["args"]["b"], rows[0]["args"]["c"]], [70000, -2, 17],
         order + ": integers of whole bytes and of bits")
    same(rows[1]["args"]["list"], [{"x": 5, "s": "one"}, {"x": 6, "s": ""}], order + ": structures are objects")
    same([rows[1]["args"]["which"], rows[1]["args"]["value"]], ["ONE", "text"], order + ": labels and variants")
    same([rows[2]["args"]["which"], rows[2]["args"]["value"]], ["FEW", 9], order + ": a range has one label")
    same(rows[3]["args"]["value"], "", order + ": an empty text is empty")
    same([row["ts"] for row in rows], [5, 65530, 65539, 65540], order + ": short stamps are unwrapped")
    same(rows[0]["wall_ns"], 100000005000, order + ": the time of day has the clock's offset")
    context, process = rows[0]["context"], rows[0]["process"]
    same([context["id"], context["name"], process["id"], rows[0]["core"]], [7, "task", 6, 1], order + ": contexts")


def check_merge(top):
    def one(t):
        return (1, t, number("le", t, 0, 0))

    session = os.path.join(top, "session")
    write(os.path.join(session, "a", "deep"), {"x": packet("le", [one(10), one(30)]), "y": packet("le", [one(20)], cpu=2)}, offset=5)
    write(os.path.join(session, "b"), {"x": packet("le", [one(15), one(25)])}, offset=5)
    os.makedirs(os.path.join(session, "b", "index"))
    ran, rows = report(session)
    same([row["args"]["a"] for row in rows], [10, 15, 20, 25, 30], "streams of all folders are merged by time")
    with tarfile.open(os.path.join(top, "session.tar"), "w", format=tarfile.USTAR_FORMAT) as tar:
        tar.add(session, "session")
    packed = os.path.join(top, "session.tar")
    same(names(report(packed)[1]), names(rows), "a tar file is read as its folder")
    same(names(report(packed, "--dialect", "ctf")[1]), names(rows), "and so it is if the dialect is named")
    os.truncate(packed, open(packed, "rb").read().rindex(b"ustar"))
    ran, rows = report(packed)
    same([ran.status, any("tar file" in row["damage"]["what"] for row in rows if "damage" in row)], [3, True], "a tar file that is cut is damaged")


def check_losses(top):
    events = [(1, 1, number("le", 1, 0, 0))]
    data = packet("le", events, discarded=2) + packet("le", events, 10, 5, 1) + packet("le", events, 20, 5, 4)
    path = write(os.path.join(top, "lost"), {"s": data})
    ran, rows = report(path)
    same([(row["lost"], row.get("packets")) for row in rows if "lost" in row], [(2, None), (3, None), (None, 2)],
         "discarded events and missing packets are rows")
    loss = json.loads(rastrum("info", "--json", path).out)["loss"]
    same([loss["events"], loss["packets"], ran.status], [5, 2, 0], "info counts both, and a loss is no damage")


def check_damage(top):
    events = [(1, t, number("le", t, 0, 0)) for t in (1, 2, 3)]
    whole = packet("le", events)
    cases = {"cut": (whole[:-2], 2), "unknown id": (packet("le", [events[0], (9, 2, b"????")]) + whole, 4),
             "lying size": (packet("le", events[:1], size=150) + whole, 4), "junk": (b"junk" + whole, 3)}
    for name, (data, n) in cases.items():
        ran, rows = report(write(os.path.join(top, name), {"s": data}))
        same([len(names(rows)), ran.status], [n, 3], name + ": every whole event, and status 3")
        ok(any("damage" in row for row in rows), name + ": the damage is a row")
    ran, rows = report(write(os.path.join(top, "odd"), {"s": whole, "notes.txt": b"nothing"}))
    same([len(names(rows)), ran.status], [3, 0], "a file that is no stream is passed over")
    ok("notes.txt" in ran.err, "and is named")


def check_descriptions(top):
    cases = {"deep": "struct { " * 200, "no end": "trace { major = 1;", "no type": "event { fields := struct { nothing x; }; };",
             "huge": "typealias integer { size = 65; } := a;", "no length": "event { fields := struct { string a[b]; }; };",
             "no rate": "clock { name = c; freq = 0; };",
             "no clock": "stream { event.header := struct { integer { size = 8; map = clock.x.value; } t; }; };"}
    for name, text in cases.items():
        ran, rows = report(write(os.path.join(top, name), {"s": b"12345678"}, text="/* CTF 1.8 */ " + text))
        same([ran.status, len(ran.err.splitlines()), rows], [3, 1, []], name + ": one sentence, and status 3")


PLAIN = "/* CTF 1.8 */ typealias integer { size = 8; align = 8; } := u8; typealias integer { size = 32; align = 8; } := u32; "


def check_limits(top):
    """Each limit of docs/LIMITS.md, and its sentence."""
    chain = "typedef u8 t0[1]; " + "".join("typedef t%d t%d[1]; " % (i, i + 1) for i in range(300))
    doubled = "struct s0 { u8 a; }; " + "".join("struct s%d { struct s%d a, b; }; " % (i + 1, i) for i in range(20))
    many = "".join("u8 f%d; " % i for i in range(1025))
    lengths = "".join("u8 n%d; " % i for i in range(257)) + "".join("u8 a%d[n%d]; " % (i, i) for i in range(257))
    values = "".join("struct { u8 n; u8 a[n]; } s%d; " % i for i in range(3841))
    event = "event { fields := struct { %s }; };"
    refused = {
        "types within types": (chain + event % "t300 x;", "nested too deeply"),
        "types": (doubled + event % "struct s20 x;", "more types"),
        "fields": (event % many, "more fields"),
        "lengths of headers": ("trace { packet.header := struct { %s }; };" % lengths, "too many fields have lengths"),
        "lengths": (event % ("struct { %s } all;" % values), "too many fields have lengths"),
        "compared names": (event % ("struct { u8 n; %s } all;" % "".join("u8 a%d[n]; " % i for i in range(12000))), "too many fields have lengths"),
        "classes of events": ("event { };" * 65537, "too many events"),
        "classes of streams": ("stream { };" * 4097, "too many streams"),
        "memory": ("enum : u8 { " + "a," * 3000000 + " };", "more memory than 256 MiB"),
    }
    for name, (text, word) in refused.items():
        ran = rastrum("info", write(os.path.join(top, name), {"s": b"1"}, text=(PLAIN + text).replace("%", "%%")))
        same([ran.status, len(ran.err.splitlines()), word in ran.err], [3, 1, True], name + ": one sentence")
    path = write(os.path.join(top, "long"), {"s": b"1"}, text=PLAIN)
    os.truncate(os.path.join(path, "metadata"), (64 << 20) + 1)
    same(["more than 64 MiB" in rastrum("info", path).err], [True], "the length of a description is limited")
    damaged = {
        "elements": (event % "u32 n; struct { } a[n];", struct.pack("<I", 4000000000), "more elements than its bits"),
        "characters": (event % "string s;", b"x" * (2 << 20) + b"\0", "too large"),
        "packets": ("stream { packet.context := struct { u8 packet_size; }; };", b"\x08" * ((1 << 20) + 1), "more packets than can be read"),
        "streams": ("trace { packet.header := struct { u32 stream_instance_id; }; }; stream { packet.context := struct { u8 packet_size; }; };",
                    b"".join(struct.pack("<IB", i, 40) for i in range(16385)), "more streams than can be read"),
    }
    for name, (text, data, word) in damaged.items():
        ran = rastrum("info", write(os.path.join(top, name), {"s": data}, text=PLAIN + text))
        same([ran.status, word in ran.out + ran.err], [3, True], name + ": what is left out is damage")
    packed = os.path.join(top, "traces.tar")
    with tarfile.open(packed, "w", format=tarfile.USTAR_FORMAT) as tar:
        path = os.path.join(write(os.path.join(top, "one"), {}, text=PLAIN), "metadata")
        for i in range(4097):
            tar.add(path, "t%d/metadata" % i)
    ran = rastrum("info", packed)
    same([ran.status, "more traces than can be read" in ran.out + ran.err], [3, True], "traces: what is left out is damage")


def check_labels(top):
    text = PLAIN + "trace { byte_order = le; }; event { fields := struct { enum : u8 { A = 2 ... 5, B = 4 ... 9, C = 3, D = 9 ... 8 } v[8]; " \
        "enum : integer { size = 8; align = 8; signed = true; } { N = -128 ... -2, Z = -1 ... 127, M = -3 } s[4]; }; };"
    row = report(write(os.path.join(top, "labels"), {"s": bytes([1, 2, 3, 4, 6, 9, 10, 255, 128, 253, 255, 127])}, text=text))[1][0]
    same(row["args"], {"v": [1, "A", "A", "A", "B", "B", 10, 255], "s": ["N", "N", "Z", "Z"]}, "the first label that contains a value is shown")
    labels = "".join("l%d = %d, " % (i, 3 * i) for i in range(20000))
    text = PLAIN + "event { fields := struct { u32 n; enum : u32 { %s } v[n]; }; };" % labels
    data = struct.pack("<I", 30000) + b"".join(struct.pack("<I", i) for i in range(30000))
    row = report(write(os.path.join(top, "many"), {"s": data}, text=text))[1][0]
    same(row["args"]["v"], [i if i % 3 else "l%d" % (i // 3) for i in range(30000)], "thousands of labels are found")


ZEPHYR = """/* CTF 1.8 */ typealias integer { size = 8; align = 8; } := uint8_t; typealias integer { size = 32; align = 8; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 8; align = 8; encoding = ASCII; } := text_t;
struct head { uint32_t timestamp; uint8_t id; }; trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct head; };
"""
THREAD, SEMAPHORE, RESULT = "uint32_t thread_id; text_t name[20]; ", "uint32_t id; ", "uint32_t id; uint32_t timeout; int32_t ret; "
ZEPHYR_EVENTS = {"thread_switched_out": THREAD, "thread_switched_in": THREAD, "thread_ready": THREAD, "thread_pending": THREAD,
                 "thread_suspend": THREAD, "thread_name_set": THREAD, "isr_enter": "", "isr_exit": "", "isr_exit_to_scheduler": "", "idle": "",
                 "semaphore_give_enter": SEMAPHORE, "semaphore_take_blocking": SEMAPHORE, "semaphore_take_exit": RESULT,
                 "mutex_lock_blocking": SEMAPHORE, "mutex_lock_exit": RESULT, "mutex_unlock_enter": SEMAPHORE,
                 "timer_start": SEMAPHORE, "timer_stop": SEMAPHORE}
IDS = {"T": 0x600, "A": 0x100, "B": 0x200, "idle": 0x300, "M": 0x400, "S": 0x500}


def zephyr_event(core, at, name, of=None):
    """An event; of is the thread or object."""
    data = struct.pack("<IB", at, list(ZEPHYR_EVENTS).index(name))
    if ZEPHYR_EVENTS[name] == THREAD:
        data += struct.pack("<I20s", IDS[of], of.encode())
    elif ZEPHYR_EVENTS[name]:
        data += struct.pack("<I", IDS[of]) + (struct.pack("<Ii", 0, 0) if ZEPHYR_EVENTS[name] == RESULT else b"")
    return data + (b"" if core is None else struct.pack("<I", core))


def zephyr_text(has_cores):
    more = "uint32_t core_id; " if has_cores else ""
    return ZEPHYR + "".join("event { name = %s; id = %d; fields := struct { %s%s}; };\n" % (name, i, fields, more)
                            for i, (name, fields) in enumerate(ZEPHYR_EVENTS.items()))


def intervals(path, kind):
    """(subject, state or object, reason, from, to, certainty) of each interval of a kind."""
    def name(what):
        return what and (what if isinstance(what, int) else what.get("name") or what.get("id"))

    rows = [json.loads(line) for line in rastrum("report", "--intervals", "-f", "jsonl", path).lines]
    return sorted(([name(row["subject"]), row.get("state"), row.get("reason"), name(row["object"]), row["from"], row["to"], row["certainty"]]
                   for row in rows if row["kind"] == kind), key=repr)


def check_zephyr(top):
    story = [(10, "thread_switched_in", "A"), (20, "mutex_lock_exit", "M"), (30, "isr_enter"), (32, "semaphore_give_enter", "S"),
             (33, "thread_ready", "B"), (35, "isr_exit"), (40, "thread_switched_out", "A"), (42, "thread_switched_in", "B"),
             (50, "mutex_lock_blocking", "M"), (51, "thread_pending", "B"), (55, "thread_switched_out", "B"), (57, "thread_switched_in", "A"),
             (60, "mutex_unlock_enter", "M"), (61, "thread_ready", "B"), (65, "thread_switched_out", "A"), (66, "thread_switched_in", "B"),
             (70, "mutex_lock_exit", "M"), (75, "semaphore_take_blocking", "S"), (80, "thread_switched_out", "B"),
             (81, "thread_switched_in", "idle"), (90, "idle"), (100, "isr_enter"), (101, "thread_ready", "B"), (102, "isr_exit_to_scheduler"),
             (103, "thread_switched_out", "idle"), (104, "thread_switched_in", "B"), (110, "semaphore_take_exit", "S"),
             (130, "thread_suspend", "B"), (132, "thread_switched_out", "B"), (133, "thread_switched_in", "A"), (140, "thread_name_set", "A")]
    path = write(os.path.join(top, "zephyr"), {"channel0_0": b"".join(zephyr_event(None, *row) for row in story)}, text=zephyr_text(False))
    ran, rows = report(path)
    same([ran.status, [row["ts"] for row in rows]], [0, [row[0] for row in story]], "zephyr: stamps without a clock are ticks")
    unknown = [[0, "unknown", None, None, a, b, "unknown"] for a, b in ((40, 42), (55, 57), (65, 66), (80, 81), (103, 104), (132, 133))]
    truth = {
        "thread": [["A", "interrupted", None, None, 30, 35, "exact"]]
        + [["A", "running", None, None, a, b, "exact"] for a, b in ((10, 30), (35, 40), (57, 65), (133, 140))]
        + [["A", "unknown", None, None, a, b, "unknown"] for a, b in ((40, 57), (65, 133))]
        + [["B", "ready", None, None, a, b, "exact"] for a, b in ((33, 42), (61, 66), (101, 104))]
        + [["B", "running", None, None, a, b, "exact"] for a, b in ((42, 55), (66, 80), (104, 132))]
        + [["B", "unknown", None, None, 10, 33, "unknown"], ["B", "waiting", "lock", "0x400", 55, 61, "exact"],
           ["B", "waiting", "semaphore", "0x500", 80, 101, "exact"], ["B", "waiting", "suspended", None, 132, 140, "exact"]],
        "core": [[0, "idle", None, None, 81, 100, "exact"], [0, "idle", None, None, 102, 103, "exact"],
                 [0, "interrupt", None, None, 30, 35, "exact"], [0, "interrupt", None, None, 100, 102, "exact"]]
        + [[0, "running", None, who, a, b, "exact"] for who, a, b in
           (("A", 10, 30), ("A", 35, 40), ("A", 57, 65), ("A", 133, 140), ("B", 42, 55), ("B", 66, 80), ("B", 104, 132))] + unknown,
        "lock": [["0x400", "held", None, "A", 20, 60, "exact"], ["0x400", "held", None, "B", 61, 140, "exact"]],
        "interrupt": [[None, None, None, "A", 30, 35, "exact"], [None, None, None, None, 100, 102, "exact"]],
    }
    for kind, rows in truth.items():
        same(intervals(path, kind), sorted(rows, key=repr), "zephyr: intervals of each " + kind)
    packed = "tests/data/cases/zephyr_ctf.tar"
    same([[row["ts"] / 1000, row["name"]] for row in report(packed)[1]], [list(row[:2]) for row in story], "zephyr: the kept trace is this story")
    cores = [(10, "thread_switched_in", "A", 0), (12, "thread_switched_in", "B", 1), (20, "thread_switched_out", "A", 0),
             (22, "thread_switched_in", "idle", 0), (30, "thread_switched_out", "B", 1)]
    path = write(os.path.join(top, "smp"), {"s": b"".join(zephyr_event(row[3], *row[:3]) for row in cores)}, text=zephyr_text(True))
    same([row[:1] + row[3:6] for row in intervals(path, "core") if row[1] == "running"], [[0, "A", 10, 20], [1, "B", 12, 30]],
         "zephyr: cores are told apart where events have one")
    timers = [(10, "thread_switched_in", "A"), (20, "timer_start", "T"), (30, "timer_stop", "T"), (40, "timer_start", "T")]
    path = write(os.path.join(top, "timers"), {"s": b"".join(zephyr_event(None, *row) for row in timers)}, text=zephyr_text(False))
    table = json.loads(rastrum("stats", "--table", "timers", "--json", path).out)
    row = dict(zip([column["name"] for column in table["columns"]], table["rows"][0]))
    same([row["timer"], row["started"], row["stopped"], row["expired"]], ["0x600", 2, 1, None], "zephyr: timers start and stop")


KERNEL = """/* CTF 1.8 */ typealias integer { size = 32; align = 8; signed = true; } := i32; typealias integer { size = 32; align = 8; } := u32;
typealias integer { size = 8; align = 8; encoding = UTF8; } := ch; trace { major = 1; minor = 8; byte_order = le; };
env { hostname = "h"; domain = "kernel"; tracer_name = "lttng-modules"; };
clock { name = c; freq = 1000; offset_s = 5; };
stream { packet.context := struct { u32 cpu_id; }; event.header := struct { u32 id; integer { size = 32; align = 8; map = clock.c.value; } timestamp; }; };
event { id = 0; name = "sched_switch"; fields := struct { ch _prev_comm[4]; i32 _prev_tid; i32 _prev_state; ch _next_comm[4]; i32 _next_tid; }; };
event { id = 1; name = "sched_wakeup"; fields := struct { ch _comm[4]; i32 _tid; }; };
event { id = 2; name = "irq_handler_entry"; fields := struct { i32 _irq; string _name; }; };
event { id = 3; name = "irq_handler_exit"; fields := struct { i32 _irq; }; };
event { id = 4; name = "softirq_entry"; fields := struct { u32 _vec; }; }; event { id = 5; name = "softirq_exit"; fields := struct { u32 _vec; }; };
event { id = 6; name = "syscall_entry_read"; fields := struct { u32 _fd; }; }; event { id = 7; name = "syscall_exit_read"; fields := struct { i32 _ret; }; };
"""


def check_kernel(top):
    def event(number, at, fields):
        return struct.pack("<II", number, at) + fields

    def switch(at, old, state, new):
        names = {0: b"swap", 1: b"one", 2: b"two"}
        return event(0, at, struct.pack("<4sii4si", names[old], old, state, names[new], new))

    first = (struct.pack("<I", 0) + switch(10, 0, 0, 1) + event(6, 12, struct.pack("<I", 3)) + event(2, 20, struct.pack("<i", 7) + b"eth\0")
             + event(3, 24, struct.pack("<i", 7)) + event(4, 25, struct.pack("<I", 3)) + event(1, 26, struct.pack("<4si", b"two", 2))
             + event(5, 28, struct.pack("<I", 3)) + switch(30, 1, 1024, 2) + switch(50, 2, 1, 1) + event(7, 55, struct.pack("<i", 9))
             + switch(60, 1, 64, 0))
    path = write(os.path.join(top, "kernel"), {"c_0": first, "c_1": struct.pack("<I", 1) + switch(15, 0, 0, 0)}, text=KERNEL)
    rows = report(path)[1]
    same([row["context"]["name"] for row in rows if row["core"] == 0],
         ["idle", "one", "isr 7", "isr 7", "isr 65539", "isr 65539", "isr 65539", "one", "two", "one", "one"],
         "kernel: the context of an event is what had its core")
    same([row[:3] + row[4:] for row in intervals(path, "thread") if row[1] != "interrupted"], sorted(
        [["one", "running", None, 10, 20, "exact"], ["one", "running", None, 24, 25, "exact"], ["one", "running", None, 28, 30, "exact"],
           ["one", "ready", None, 30, 50, "exact"], ["one", "running", None, 50, 60, "exact"], ["two", "ready", None, 26, 30, "exact"],
           ["two", "running", None, 30, 50, "exact"], ["two", "unknown", None, 10, 26, "unknown"], ["two", "waiting", "other", 50, 60, "exact"]], key=repr),
         "kernel: intervals of each thread")
    same([[row[0], *row[4:6]] for row in intervals(path, "interrupt")], [[65539, 25, 28], [7, 20, 24]],
         "kernel: interrupts and softirqs are apart")
    same([[row[0], *row[4:]] for row in intervals(path, "span")], [["read", 12, 55, "exact"]], "kernel: system calls are spans")


def check_dates(top):
    text = "/* CTF 1.8 */ trace { byte_order = le; }; clock { name = c; freq = 1000; %s }; stream { event.header := struct {" \
        " integer { size = 8; align = 8; map = clock.c.value; } t; }; }; event { name = e; };"
    dates = [report(write(os.path.join(top, name), {"s": b"\7"}, text=text.replace("%s", more)))[1][0].get("wall_ns")
             for name, more in (("none", ""), ("absolute", "absolute = TRUE;"), ("far", "offset_s = 5;"))]
    same(dates, [None, 7000000, 5007000000], "a clock without an offset tells no date, unless it says that it does")




def check_round_trip(top):
    source = "tests/data/threadx/basic_objects.trx"
    folder = os.path.join(top, "converted")
    rastrum("convert", "-q", "-t", "ctf", "-o", folder, source)
    same(names(report(folder)[1]), names(report(source)[1]), "our own traces are read back")


with tempfile.TemporaryDirectory() as top:
    for order in ("le", "be"):
        check_values(top, order)
    check_merge(top)
    check_losses(top)
    check_damage(top)
    check_descriptions(top)
    check_limits(top)
    check_labels(top)
    check_dates(top)
    check_zephyr(top)
    check_kernel(top)
    check_round_trip(top)
done()
