#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real LiteOS trace buffers against facts that another reader computed (tests/data/liteos/README.md)."""
import glob
import json
import os
import re
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from liteos import HERE, Reading, core_word, facts_of, layout_of, number, short  # noqa: E402
from tap import Faults, done, ok, rastrum, slurp  # noqa: E402

VARIANTS = {"liteos_a": "a", "liteos_m": "m", "huawei_v5": "h5"}
HWI_IN, HWI_OUT = 0x24, 0x25


def read_events_table(path="src/dialect/liteos/events.def"):
    """(case, number) to (constant, [field])."""
    text, table = open(path, encoding="utf-8").read(), {}
    rows = re.findall(r'^(EVENT|HUAWEI|ONLY_A)\((0x\w+), (\w+), "[^"]*",\s*FIELDS\((.*?)\),\s*(?:NO_)?EFFECT', text, re.M | re.S)
    for case, number, constant, fields in rows:
        table["EVENT" if case == "ONLY_A" else case, int(number, 16)] = (constant, re.findall(r"\((\w+)\)", fields))
    return table


TABLE = read_events_table()


def fields_of(kind, variant, n_params):
    """Names of identity and params."""
    if kind >= 0xfffffff0 or not TABLE["EVENT", kind][1]:
        return ["identity"] + [f"param{i + 1}" for i in range(n_params)]
    return (variant == "huawei_v5" and TABLE.get(("HUAWEI", kind)) or TABLE["EVENT", kind])[1]


class Buffer(Reading):
    """A buffer, what it must give, and what it gives."""

    def __init__(self, path):
        super().__init__(path)
        self.path, self.facts, self.layout = path, facts_of(path), layout_of(path)
        self.variant = self.layout["dump"]
        self.info_run = rastrum("info", "--json", path)
        self.info = json.loads(self.info_run.out)

    def slots(self):
        """Written slots in the order in which they must come: by count, else by time, else as the ring has them."""
        slots = self.facts["slots"]
        order = self.facts.get("oldest_first") or [i for i, slot in enumerate(slots) if slot]
        key = 7 if self.layout["count"] else 4
        return [slots[i] for i in sorted(order, key=lambda i: slots[i][key])]


def check_header(buffer):
    faults, details = Faults(), buffer.info["details"]
    for key, value in buffer.facts["header"].items():
        faults.compare(key, number(details.get(key)), value)
    for key in ("maxObjCount", "maxRecordCount", "used_slots", "wrapped", "CurEvtIndex", "time_inversions"):
        if key in buffer.facts:
            faults.compare(key, details.get(key), buffer.facts[key])
    faults.compare("clock", buffer.info["clock"]["hz"], buffer.facts["header"]["clockFreq"])
    faults.compare("form", details.get("form"), "offline")
    return faults


def check_layout(buffer):
    faults, details = Faults(), buffer.info["details"]
    for key, value in buffer.layout.items():
        if key in ("pid", "core", "count"):
            faults.compare(key, details[key], bool(value))
        elif key == "dump":
            faults.compare("variant", details["variant"], value)
        elif key != "smp":
            faults.compare(key, details[key], value)
    return faults


def check_objects(buffer):
    faults, expected = Faults(), {}
    for ident, prio, name in buffer.facts["objects"]:
        expected.setdefault((ident, prio, name), ("thread", ident, name, prio))
    got = [(o["kind"], o["id"], o["name"], o["prio"]) for o in buffer.info["objects"]]
    faults.compare("objects", got, list(expected.values()))
    return faults


def check_counts(buffer):
    faults = Faults()
    faults.compare("events", len(buffer.rows), buffer.facts["used_slots"])
    faults.compare("events in info", buffer.info["events"], buffer.facts["used_slots"])
    faults.compare("counts", buffer.info["counts"], buffer.facts["by_name"])
    faults.compare("loss", buffer.info["loss"], {"events": 0, "gaps": 0})
    faults.compare("damage", buffer.info["damage"], [])
    faults.compare("lines that are events", len(buffer.rows), len(buffer.lines))
    faults.compare("exit status", (buffer.run.status, buffer.info_run.status), (0, 0))
    return faults


def check_events(buffer):
    faults = Faults()
    for row, slot in zip(buffer.rows, buffer.slots()):
        kind, name, task, _, time, _, core, _, _, _ = slot
        at = f"event {row['seq']} ({name}) "
        faults.compare(at + "name", (row["id"], row["name"]), (kind, name))
        faults.compare(at + "time", row["ts"], time)
        faults.compare(at + "core", row["core"], core and core[0])
        if row["context"]["kind"] == "thread":
            faults.compare(at + "task", row["context"]["id"], task)
        elif row["context"]["kind"] != "isr":
            faults.append(f"{at}has the context {row['context']}")
        if core and kind not in (HWI_IN, HWI_OUT):
            faults.compare(at + "in an interrupt", row["context"]["kind"] == "isr", core[1] != 0)
        if kind in (HWI_IN, HWI_OUT):
            faults.compare(at + "context", row["context"]["name"], f"isr {slot[5]}")
    return faults


def args_of(buffer, slot):
    """The arguments that a slot must give, in order."""
    kind, _, _, pid, _, identity, core, count, lr, params = slot
    present = params[:core[3]] if core else params
    names = fields_of(kind, buffer.variant, len(present))
    args = dict(zip(names, [identity] + present))
    args.update({name: None for name in names if name not in args})
    args["curTask"] = slot[2]
    if pid is not None:
        args["curPid"] = pid
    if core:
        args["core"] = core_word(core, buffer.layout["endian"] == "big")
        args.update(zip(("cpuid", "hwiActive", "taskLockCnt", "paramCount"), core))
    if count is not None:
        args["eventCount"] = count
    args.update({f"linkReg{i + 1}": value for i, value in enumerate(lr or [])})
    return list(args.items())


def check_args(buffer):
    faults = Faults()
    for row, slot in zip(buffer.rows, buffer.slots()):
        got = [(name, number(value)) for name, value in row["args"].items()]
        faults.compare(f"event {row['seq']} ({row['name']})", got, args_of(buffer, slot))
    return faults


def check_names(buffer):
    """Contexts of tasks that an object record names have that name."""
    faults = Faults()
    names = {ident: name for ident, _, name in buffer.facts["objects"]}
    for row in buffer.rows:
        context = row["context"]
        if context["kind"] == "thread":
            faults.compare(f"event {row['seq']} of {context['id']}", context["name"], names.get(context["id"]))
    return faults


def check_file_order(buffer):
    faults = Faults()
    rows = Reading("--order", "file", buffer.path).lines
    stamps = [slot[4] for slot in buffer.facts["slots"] if slot]
    faults.compare("times", [row["ts"] for row in rows], stamps)
    return faults


def check_buffer(path):
    buffer, name = Buffer(path), short(path)
    faults = Faults()
    faults.compare("dialect", buffer.info["dialect"], "liteos")
    ok(not faults, f"{name} is recognised", *faults)
    groups = [("has the header's facts", check_header), ("has its objects", check_objects),
              ("has as many events of each name", check_counts), ("has its events in order", check_events),
              ("has their arguments in payload order", check_args), ("has names of tasks", check_names),
              ("gives the slots as they lie when asked to", check_file_order)]
    if buffer.facts["used_slots"]:
        groups.append(("shows its layout", check_layout))
    for sentence, check in groups:
        faults = check(buffer)
        ok(not faults, f"{name} {sentence}", *faults)
    return buffer


def check_options(buffer):
    """Without being told anything but the dialect, and told all, the same comes out; also by a pipe."""
    layout, path = buffer.layout, buffer.path
    told = ["--dialect", "liteos"]
    for key in ("ptr", "core", "count", "lr", "params"):
        told += ["--opt", f"{key}={layout[key]}"]
    told += ["--opt", f"variant={VARIANTS[layout['dump']]}"]
    same = rastrum("report", "-f", "jsonl", "--dialect", "liteos", path)
    ok(same.out == buffer.run.out, f"{path} reads the same with --dialect liteos")
    same = rastrum("report", "-f", "jsonl", *told, path)
    ok(same.out == buffer.run.out, f"{path} reads the same when every setting is given", same.err)
    same = rastrum("report", "-f", "jsonl", "-", stdin=slurp(path))
    ok(same.out == buffer.run.out, f"{path} reads the same by a pipe", same.err)


# --- buffers made here: what the fixtures do not have ------------------------------------------------------------

def make(n_slots=20, first=0, big=False, total=None, objects=(), frame=None):
    """A buffer of liteos_a as shipped, with core word and count: frame(i) may change the words of a frame."""
    order = ">" if big else "<"
    size, at = 48, 24 + 40 * len(objects)
    body = b"".join(struct.pack(order + "II32s", *o) for o in objects)
    for i in range(n_slots):
        n = (i - first) % n_slots
        words = {"type": 0x45, "task": 1 + n % 3, "pid": 4, "gap": 0, "time": 1000 + 10 * n, "identity": 1 + (n + 1) % 3,
                 "core": core_word([0, 0, 0, 3], big), "count": 100 + n, "p1": 5, "p2": 4, "p3": 6}
        words.update(frame(n, words) if frame else {})
        body += struct.pack(order + "IIIIQIIIIII", *list(words.values())[:11])
    length = at + n_slots * size
    head = struct.pack(order + "IIIHHHHHH", 0x12345678, 1000000, 0, (length if total is None else total) % 65536, 40, size,
                       24, at, 0)
    return head + body


def read(data, *options):
    reading = Reading(*options, "-", stdin=data)
    info = rastrum("info", "--json", *options, "-", stdin=data)
    return reading.lines, json.loads(info.out) if info.out else {}, reading.run


def check_length():
    """totalLen has 16 bits."""
    data = make(3000, first=1234)
    lines, info, run = read(data)
    counts = [row["args"].get("eventCount") for row in lines]
    ok(len(data) > 65536 and counts == list(range(100, 3100)), "a buffer of more than 64 KiB is read in full", run.err,
       len(lines))
    ok(info["details"]["CurEvtIndex"] == 1234 and info["details"]["wrapped"], "its oldest slot is found")
    ok(info["details"]["earlier_events"] == 100, "and how many events were before it, by its count", info["details"])
    lines, info, run = read(data + bytes(100))
    ok(len(lines) == 3000 and info["details"]["trailing_bytes"] == 100 and not info["damage"],
       "what stands behind the buffer is not read as frames", run.err)


def check_cut():
    data = make(20)
    cut = data[:24 + 12 * 48 + 7]
    lines, info, run = read(cut)
    rows = [line for line in lines if "seq" in line]
    ok(len(rows) == 12 and run.status == 3, "a buffer that is cut gives the frames that are whole", run.err)
    ok([d["offset"] for d in info["damage"]] == [24 + 12 * 48] and info["damage"][0]["bytes"] == len(data) - 24 - 12 * 48,
       "what is missing is damage, from the frame that is cut", info["damage"])


def check_frames():
    data = make(20, frame=lambda n, words: {"type": 0x12345, "time": words["time"] << 50} if n in (7, 8) else {})
    lines, info, run = read(data)
    rows = [line for line in lines if "seq" in line]
    ok([row["args"]["eventCount"] for row in rows] == [n for n in range(100, 120) if n not in (107, 108)],
       "frames of an unlisted number whose time is out of all order are left out", run.err)
    ok([(d["offset"], d["bytes"]) for d in info["damage"]] == [(24 + 7 * 48, 96)] and info["loss"]["events"] == 0,
       "and told once, as damage", info["damage"], info["loss"])
    position = next(i for i, line in enumerate(lines) if "damage" in line)
    ok(position == 7, "at their place among the events", position)
    data = make(20, frame=lambda n, words: {"count": 100 + n + (5 if n >= 10 else 0)})
    lines, info, run = read(data)
    ok(info["loss"] == {"events": 5, "gaps": 1} and {"lost": 5, "ts": 1090} == lines[10],
       "numbers that the count leaves out are a loss", info["loss"], lines[10])
    check_numbers()


# What a program may define: a number of a listed module, modules of its own, several bits, the module MAX.
UNLISTED = [0x47, 0x1a, 0x20f, 0x4001, 0x8000000f, 0x10000, 0x12345, 0x80000001, 0x145, 0xf0]


def check_numbers():
    """Numbers that no table lists."""
    data = make(20, frame=lambda n, words: {"type": UNLISTED[n], "core": core_word([0, 0, 0, 2], False), "p1": 7 + n,
                                            "p2": 0, "p3": 0} if n < len(UNLISTED) else {})
    lines, info, run = read(data)
    rows = lines[:len(UNLISTED)]
    ok([(row["id"], row["name"]) for row in rows] == [(n, f"LOS_TRACE_UNKNOWN+{n:#x}") for n in UNLISTED] and
       run.status == 0 and not info["damage"], "numbers that no kernel lists are events", run.err, rows[:2])
    ok(all(list(row["args"].items())[:4] == [("identity", 1 + (n + 1) % 3), ("param1", 7 + n), ("param2", 0),
                                             ("eventType", UNLISTED[n])] for n, row in enumerate(rows)),
       "with their identity, the params that the core word counts, and their number", rows[:2])
    alone, _, run = read(make(20, frame=lambda n, words: {"type": UNLISTED[n % len(UNLISTED)]}))
    ok(len(alone) == 20 and run.status == 0, "also where a ring has no others", run.err, len(alone))
    texts = [row["text"] for row in rows]
    ok("records event 0x47 of module TASK: " in texts[0] and " 0x10000: " in texts[5] and " 0x80000001 of module MAX" in texts[7]
       and texts[0].endswith("with 7, 0 [process 4]"), "the sentence has all of the number, and each param that was counted", texts)
    notes = [[note for note in read(make(20, frame=lambda n, words, k=kind: {"type": k} if n == 7 else {}))[1]["notes"]
              if "damage" in note] for kind in (0x145, 0x4001, 0x47, 5)]
    ok([len(note) for note in notes] == [1, 0, 0, 1] and "0x145" in notes[0][0],
       "one that has not one module's bit is doubted in a note: a bit turned over makes such", notes)
    check_doubtful()


def check_doubtful():
    """What makes a frame of an unlisted number none. The others stay."""
    faults = {"gap": {"gap": 1}, "process": {"pid": 0x10000}, "reserved bits": {"core": 0x100000 | 3 << 16},
              "number of params": {"core": 4 << 16}, "params that are not counted": {"core": 1 << 16},
              "time": {"time": 1 << 60}, "count": {"count": 1 << 30}}
    for what, words in faults.items():
        for kind in (0x4001, 0xfffffff3):
            lines, info, run = read(make(20, frame=lambda n, _, w=words, k=kind: {"type": k, **w} if n == 7 else {}))
            n_rows = sum("seq" in line for line in lines)
            ok((n_rows, [d["offset"] for d in info["damage"]], run.status) == (19, [24 + 7 * 48], 3),
               f"a frame of number {kind:#x} whose {what} cannot be is damage", run.err, n_rows)
    filled = bytearray(make(20))
    filled[24 + 5 * 48:24 + 8 * 48] = b"\xff" * 144
    filled[24 + 9 * 48:24 + 10 * 48] = b"\xff" * 48
    filled[24 + 8 * 48:24 + 8 * 48 + 4] = struct.pack("<I", 0xfffffff3)
    lines, info, run = read(bytes(filled))
    ok(sum("seq" in line for line in lines) == 16 and [d["bytes"] for d in info["damage"]] == [144, 48],
       "memory that was erased is no user event, and one between is", run.err, info["damage"])
    lines, info, _ = read(make(20, frame=lambda n, words: {"type": 0x11, "core": core_word([0, 0, 0, 1], False), "p2": 0, "p3": 0}
                               if n == 3 else {}))
    ok(lines[3]["name"] == "SYS_START" and lines[3]["args"]["param1"] == 5 and not info["damage"],
       "SYS_START is an event where a program records it", lines[3])


def check_order():
    swap = {5: 6, 6: 5}
    data = make(20, first=7, frame=lambda n, words: {"count": 100 + swap.get(n, n)})
    lines, info, _ = read(data)
    ok([row["args"]["eventCount"] for row in lines] == list(range(100, 120)), "frames out of order are sorted by count")
    data = make(20, first=7, frame=lambda n, words: {"count": (0xfffffff8 + n) & 0xffffffff})
    lines, info, run = read(data)
    ok([row["args"]["eventCount"] for row in lines] == [(0xfffffff8 + n) & 0xffffffff for n in range(20)] and
       info["loss"]["gaps"] == 0, "a count that goes round keeps the order", run.err, info["loss"])


def check_headers():
    data = bytearray(make(20))
    data[16:18] = b"\x07\x00"  # frameSize
    lines, info, run = read(bytes(data))
    ok(sum("seq" in line for line in lines) == 20 and [d["offset"] for d in info["damage"]] == [16],
       "a wrong frameSize is reported, and the right one found", run.err, info["damage"])
    lines, info, run = read(bytes(data + data[24:72]))
    ok(sum("seq" in line for line in lines) == 20 and info["details"]["trailing_bytes"] == 48,
       "the buffer then ends where totalLen says, whatever follows", run.err, info["details"]["trailing_bytes"])
    data = bytearray(make(20))
    data[20:22] = b"\xff\xff"  # frameOffset
    _, _, run = read(bytes(data))
    ok(run.status == 3 and "frameOffset" in run.err and "byte 20" in run.err,
       "a frameOffset outside of the buffer is named with its place", run.err)
    _, _, run = read(b"\x78\x56\x34\x12" + bytes(8), "--dialect", "liteos")
    ok(run.status == 3 and "byte 12" in run.err, "a header that is cut is damage", run.err)
    _, _, run = read(make(20), "--opt", "core=0")
    ok(run.status == 0, "a setting that contradicts the frames is obeyed", run.err)
    _, _, run = read(make(20), "--opt", "params=9")
    ok(run.status == 3 and "48 bytes" in run.err, "a layout that does not fit the frame's size is refused", run.err)
    for wrong in ("variant=x", "ptr=5", "core=2", "count=yes", "lr=3", "params=64"):
        _, _, run = read(make(20), "--opt", wrong)
        ok(run.status == 2 and wrong in run.err, f"--opt {wrong} is refused", run.err)


def check_registers():
    """Link registers: no kernel's configuration sets them, but the source has them."""
    body = b"".join(struct.pack("<IIIIQI5I3I4x", 0x45, 1, 4, 0, 1000 + 10 * n, 2,
                                *[0x40010000 + 4 * n + 256 * i for i in range(5)], 5, 4, 6) for n in range(20))
    data = struct.pack("<IIIHHHHHH", 0x12345678, 1000000, 0, 24 + len(body), 40, 64, 24, 24, 0) + body
    lines, info, run = read(data, "--opt", "lr=5", "--opt", "variant=a")
    ok(len(lines) == 20 and info["details"]["lr"] == 5 and lines[0]["args"]["linkReg2"] == "0x40010100" and
       lines[0]["args"]["newPriority"] == 6, "link registers are fields", run.err, lines[:1])


def check_both_orders():
    little, big = read(make(20, objects=[(1, 5, b"one"), (2, 6, b"two")])), \
        read(make(20, big=True, objects=[(1, 5, b"one"), (2, 6, b"two")]))
    for one, other in zip(little[0], big[0]):
        other["args"]["core"] = one["args"]["core"]
        other["text"] = one["text"]
    ok(little[0] == big[0] and big[1]["details"]["endian"] == "big", "a big-endian buffer gives the same events")
    ok([line["context"]["name"] for line in little[0][:3]] == ["one", "two", None], "with names of tasks",
       little[0][:3])


def check_join():
    data = make(20)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("a", "b", "c")]
        for path, content in zip(paths, (data, data[:10], make(5, frame=lambda n, words: {"time": 5000 + n}))):
            with open(path, "wb") as out:
                out.write(content)
        joined = Reading("--join", *paths)
        ok(len(joined.rows) == 25 and "damage" in joined.lines[20],
           "joined buffers follow each other, and one that cannot be read is damage there", joined.run.err)


BUFFERS = sorted(glob.glob(HERE + "*/offline*.bin"))
ok(len(BUFFERS) == 11, "all eleven buffers are there", f"{len(BUFFERS)} found")
ok(len(TABLE) > 50, "the table of events can be read", f"{len(TABLE)} rows")
for buffer_path in BUFFERS:
    check_options(check_buffer(buffer_path))
check_length()
check_cut()
check_frames()
check_order()
check_headers()
check_registers()
check_both_orders()
check_join()
sys.exit(done())
