#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real LiteOS streams, damaged ones, and text dumps against facts that another reader computed (tests/data/liteos)."""
import binascii
import glob
import os
import re
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from liteos import HERE, Reading, core_word, facts_of, info_of, layout_of, number, short  # noqa: E402
from tap import Faults, done, ok, rastrum, same, slurp  # noqa: E402

MASK = 0xffffffff
CORE = ("cpuid", "hwiActive", "taskLockCnt", "paramCount")


# --- one event ------------------------------------------------------------------------------------------------------

def check_args(faults, at, args, event, big, text_core):
    """Identity and params stand first, under names of the table; what was not given is null or not there."""
    identity, core, count, params, pid = (event[key] for key in ("identity", "core", "count", "params", "pid"))
    tail = {"curPid": pid, "eventCount": count}
    for key, value in tail.items():
        faults.compare(at + key, args.get(key), value)
    if core and not text_core:
        faults.compare(at + "core", args["core"], core_word(core, big))
    else:
        faults.compare(at + "core", args.get("core"), None)
    for key, value in zip(CORE, (core or [None] * 4)[:3] + [core[3] if core and not text_core else None]):
        faults.compare(at + key, args.get(key), value)
    faults.compare(at + "curTask", args.get("curTask"), event["task"])
    values = [number(value) for name, value in args.items() if name not in ("curTask", "curPid", "core", "eventCount", *CORE)]
    if not values:
        return
    faults.compare(at + "identity", values[0], identity)
    known = [value for value in values[1:] if value is not None]
    n_given = core[3] if core and not text_core else len(params)
    faults.compare(at + "params", known, params[:n_given][:len(known)])
    if core and not text_core:
        faults.compare(at + "number of params", len(known), min(n_given, len(values) - 1))


def check_row(faults, row, event, big=False, text_core=False):
    at = f"event {row['seq']} ({event['name']}) "
    faults.compare(at + "name", (row["id"], row["name"]), (event["type"], event["name"]))
    faults.compare(at + "time", row["ts"], event["time"])
    faults.compare(at + "core", row["core"], event["core"] and event["core"][0])
    if row["context"]["kind"] == "thread":
        faults.compare(at + "task", number(row["context"]["id"]), event["task"])
    check_args(faults, at, row["args"], event, big, text_core)


def event_of(message):
    names = ("type", "name", "task", "pid", "time", "identity", "core", "count", "lr", "params")
    return dict(zip(names, message))


# --- streams --------------------------------------------------------------------------------------------------------

def expected_events(facts):
    """Events in the order in which a file gives them; slots of a dump that were never written are none."""
    events = [event_of(message[2:]) for message in facts["list"] if message[1] == "EVENT" and message[2]]
    if events and facts["by_type"]["NOTIFY"] == 0:
        events.sort(key=lambda event: event["time"] if event["count"] is None else event["count"])
    return events


def check_details(path, info, facts, layout):
    faults, details = Faults(), info["details"]
    faults.compare("dialect", info["dialect"], "liteos")
    faults.compare("form", details["form"], "stream")
    faults.compare("messages", details["messages"], facts["messages"])
    faults.compare("by_type", details["by_type"], facts["by_type"])
    faults.compare("skipped bytes", details["skipped_bytes"], facts["skipped_bytes"])
    faults.compare("damage and loss", (info["damage"], info["loss"]["events"]), ([], 0))
    faults.compare("repaired", details["repaired"], 0)
    heads = [message[2:] for message in facts["list"] if message[1] == "HEAD"]
    faults.compare("clock", info["clock"]["hz"], heads[0][2])
    faults.compare("version", details["version"], heads[0][1])
    for key in ("endian", "ptr", "lr", "params"):
        faults.compare(key, details[key], layout[key])
    for key in ("pid", "core", "count"):
        faults.compare(key, details[key], bool(layout[key]))
    faults.compare("variant", details["variant"], layout["dump"])
    counts = dict(info["counts"])
    n_notices = [counts.pop(name, 0) for name in ("SYS_START", "SYS_STOP")]
    faults.compare("notices", sum(n_notices), facts["by_type"]["NOTIFY"])
    faults.compare("counts", counts, {name: n for name, n in facts["by_name"].items() if name in counts})
    ok(not faults, f"{short(path)} has the facts of its stream", *faults)


def check_names(path, rows, facts):
    """A task is named by the last OBJ before the event, or by the first that there is."""
    first, latest, faults, row_at = {}, {}, Faults(), 0
    for message in facts["list"]:
        if message[1] == "OBJ":
            first.setdefault(message[2], message[4])
    for message in facts["list"]:
        if message[1] == "OBJ":
            latest[message[2]] = message[4]
        if message[1] != "EVENT" or not message[2]:
            continue
        row, task = rows[row_at], message[4]
        row_at += 1
        if row["context"]["kind"] == "thread":
            name = latest.get(task, first.get(task)) or None
            faults.compare(f"event {row['seq']} of {task}", row["context"]["name"], name)
    ok(not faults, f"{short(path)} has tasks named by what was sent before", *faults)


def check_notices(path, reading, facts):
    """Starts and stops stand between the events between which they were sent, at the time of one of these."""
    expected, faults, n_events = [], Faults(), 0
    for message in facts["list"]:
        if message[1] == "NOTIFY":
            expected.append(({0x11: "SYS_START", 0x12: "SYS_STOP"}[message[2]], n_events))
        n_events += message[1] == "EVENT"
    lines = [line for line in reading.lines if "seq" in line]
    got = [(line["name"], i - n) for n, (i, line) in enumerate((i, line) for i, line in enumerate(lines) if "cmd" in line["args"])]
    faults.compare("notices", got, expected)
    times = [line["ts"] for line in lines]
    for i, line in enumerate(lines):
        at = i + 1 if line["name"] == "SYS_START" and i + 1 < len(lines) else i - 1
        if "cmd" in line["args"]:
            faults.compare(f"time of line {i}", line["ts"], times[at])
            faults.compare(f"context of line {i}", line["context"]["kind"], "unknown")
    ok(not faults and expected, f"{short(path)} shows starts and stops at their places", *faults)


def check_stream(path):
    facts, layout = facts_of(path), layout_of(path)
    info, reading = info_of(path), Reading(path)
    check_details(path, info, facts, layout)
    expected, faults, rows = expected_events(facts), Faults(), reading.rows
    if "list_note" in facts:  # only the first and last 1500 messages are listed
        n_first = sum(1 for message in facts["list"][:1500] if message[1] == "EVENT")
        rows = rows[:n_first] + rows[-(len(expected) - n_first):]
    faults.compare("number of events", len(reading.rows), facts["by_type"]["EVENT"] - info["details"]["empty"])
    for row, event in zip(rows, expected):
        check_row(faults, row, event, layout["endian"] == "big")
    ok(not faults and len(rows) == len(expected), f"{short(path)} has its events in order", *faults)
    if facts["by_type"]["NOTIFY"] and "list_note" not in facts:
        check_names(path, rows, facts)
        check_notices(path, reading, facts)
    piped = Reading("-", stdin=slurp(path))
    if facts["by_type"]["NOTIFY"]:
        # A name that comes later is not known yet to a pipe.
        ok([row["args"] for row in piped.rows] == [row["args"] for row in reading.rows] and not piped.damage and
           not piped.lost, f"{short(path)} gives the same events by a pipe", piped.run.err)
    else:
        ok(sorted(row["ts"] for row in piped.rows) == sorted(row["ts"] for row in reading.rows) and not piped.lost and
           not piped.damage, f"{short(path)} gives the same events by a pipe, as the slots lie", piped.run.err)


# --- damaged streams --------------------------------------------------------------------------------------------------

def find_rows(rows, events):
    """Where the rows stand in the events; None when they are no part of them in order."""
    places, at = [], 0
    for row in rows:
        key = (row["id"], row["ts"], row["args"].get("eventCount"))
        while at < len(events) and (events[at]["type"], events[at]["time"], events[at]["count"]) != key:
            at += 1
        if at == len(events):
            return None
        places.append(at)
        at += 1
    return places


def check_corrupt(path):
    facts, source = facts_of(path), HERE + re.match(r"\S+", facts_of(path)["source"])[0]
    info, reading, faults = info_of(path), Reading(path), Faults()
    details, repairs = info["details"], [d for d in reading.damage if "type was wrong" in d["what"]]
    faults.compare("messages", details["messages"], facts["recoverable_messages"])
    faults.compare("by_type", details["by_type"], facts["by_type"])
    faults.compare("repaired", details["repaired"], len(repairs))
    if len(repairs) < facts.get("type_byte_flips", 0):
        faults.append(f"only {len(repairs)} type bytes are put right")
    ok(not faults, f"{short(path)} gives exactly the messages that can be had", *faults)
    check_damage(path, facts, info, reading, repairs)
    # What the source has in its first bytes.
    events = [event_of(message[2:]) for message in facts_of(source)["list"] if message[1] == "EVENT"]
    places = find_rows(reading.rows, events)
    ok(places is not None, f"{short(path)} gives events of its source only, in order")
    if places:
        ok(sum(reading.lost) == places[-1] - places[0] + 1 - len(places) == info["loss"]["events"],
           f"{short(path)} says how many events are lost between those that are not", sum(reading.lost))
    piped = Reading("-", stdin=slurp(path))
    ok([row["args"] for row in piped.rows] == [row["args"] for row in reading.rows] and
       piped.damage == [{**d} for d in reading.damage] and sum(piped.lost) == sum(reading.lost),
       f"{short(path)} gives the same by a pipe", piped.run.err)


def check_damage(path, facts, info, reading, repairs):
    data, big = slurp(path), facts["layout"]["endian"] == "big"
    lengths = [6 + struct.unpack_from(">H" if big else "<H", data, d["offset"] + 1)[0] for d in repairs]
    n_bytes = sum(d["bytes"] for d in reading.damage) - len(repairs) + sum(lengths)
    ends, faults = 0, Faults()
    faults.compare("bytes that are of no use", n_bytes, facts["unused_bytes"])
    for damage in reading.damage:
        if damage["offset"] < ends or damage["offset"] + damage["bytes"] > len(data):
            faults.append(f"{damage} is not behind byte {ends}, or behind the end")
        ends = damage["offset"] + damage["bytes"]
    faults.compare("damage in info", [(d["offset"], d["bytes"]) for d in info["damage"]],
                   [(d["offset"], d["bytes"]) for d in reading.damage])
    faults.compare("exit status", reading.run.status, 3)
    ok(not faults, f"{short(path)} says where the damage is", *faults)


# --- streams made here: what the fixtures do not have -----------------------------------------------------------------

def crc16(data):
    return binascii.crc_hqx(data, 0)


def message(kind, *elements, big=False):
    body = b"".join(struct.pack("BB", tag, len(value)) + value for tag, value in elements)
    return struct.pack(">BBHH" if big else "<BBHH", 0xff, kind, len(body), crc16(body)) + body


def words(*values, big=False, ptr=4):
    return struct.pack((">" if big else "<") + ("I" if ptr == 4 else "Q") * len(values), *values)


def head(hz=1000000, version=1, big=False):
    return message(1, (1, words(0x12345678, big=big)), (2, words(version, big=big)), (8, words(hz, big=big)), big=big)


def notify(command, big=False):
    return message(0, (1, words(command, big=big)), (2, words(0xdeadbeef, big=big)), big=big)


def task(ident, name, big=False):
    return message(2, (1, words(ident, big=big)), (2, words(10, big=big)), (3, name.ljust(32, b"\0")), big=big)


def event(n, kind=0x45, time=None, count=True, big=False, ptr=4, params=(5, 4, 6), pid=None, core=None, lr=None,
          task_id=1):
    """A TASK_SWITCH, or as said, with the elements that are given."""
    elements = [(1, words(core, big=big))] if core is not None else []
    elements += [(2, words(kind, big=big)), (3, words(1000 + 10 * n if time is None else time, big=big, ptr=8))]
    elements += [(4, words(n, big=big))] if count else []
    elements += [(5, words(task_id, big=big)), (6, words(2, big=big, ptr=ptr))]
    elements += [(7, words(*params, big=big, ptr=ptr))] if params else []
    elements += [(8, words(pid, big=big))] if pid is not None else []
    elements += [(9, words(*lr, big=big, ptr=ptr))] if lr else []
    return message(3, *elements, big=big)


def read(data, *options):
    """As a file, so that it is there as a whole."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return Reading(*options, file.name)


def counts(reading):
    return [row["args"].get("eventCount") for row in reading.rows]


def check_order():
    data = notify(0x11) + head() + b"".join(event(n) for n in (0, 1, 3, 2, 5, 6, 4, 7)) + notify(0x12)
    sorted_file, kept, piped = read(data), read(data, "--order", "file"), Reading("-", stdin=data)
    same(counts(sorted_file), list(range(8)), "events of a file that changed places are put in the order of their counts")
    same(counts(kept), [0, 1, 3, 2, 5, 6, 4, 7], "--order file gives them as they were sent")
    same(counts(piped), counts(kept), "a pipe gives them as they were sent")
    ok(not sorted_file.lost and not kept.lost and not piped.lost, "an event that comes late is not lost")
    data = head() + b"".join(event(n, time=t, count=False) for n, t in enumerate((10, 20, 40, 30, 50)))
    same([row["ts"] for row in read(data).rows], [10, 20, 30, 40, 50], "without counts they are sorted by time")
    data = head() + b"".join(event((0xfffffffc + n) & MASK, time=n) for n in (0, 1, 2, 4, 3, 5, 6))
    reading = read(data)
    ok([row["ts"] for row in reading.rows] == list(range(7)) and not reading.lost, "counts may go round")


def check_restarts():
    data = head() + b"".join(event(n) for n in range(700)) + head() + b"".join(event(n, time=9000000 + n) for n in range(5))
    for reading in (read(data), Reading("-", stdin=data)):
        ok(counts(reading) == [*range(700), *range(5)] and not reading.lost, "a target that starts anew has lost nothing")
    data = data.replace(head(), b"", 2).replace(head(), b"")
    reading = read(data)
    ok(counts(reading) == [*range(700), *range(5)] and not reading.lost, "nor has one whose HEAD is not there")
    data = head() + event(0) + event(1) + notify(0x12) + notify(0x11) + head() + event(2) + event(5)
    for reading in (read(data), Reading("-", stdin=data)):
        same((counts(reading), reading.lost), ([0, 1, 2, 5], [2]), "a count that goes on over a restart tells losses")
    data = head() + event(0) + event(1) + head(big=True, hz=5) + event(2, big=True) + event(3, big=True)
    reading = read(data)
    same((counts(reading), reading.damage), ([0, 1, 2, 3], []), "another target's byte order may follow")
    data = event(0) + event(1) + notify(0x12) + head(hz=1000) + event(2)
    same([row["ns"] for row in read(data).rows], [0, 10000000, 20000000], "a file whose first HEAD is missing has its clock "
         "from a later one")


def check_elements():
    reading = read(head() + event(0, params=(), count=False, ptr=8) + event(1, params=(), count=False, ptr=8))
    args = reading.rows[0]["args"]
    ok("curPid" not in args and args["newTaskId"] == 2 and args["oldPriority"] is None,
       "elements that the target dropped are absent, not zero", args)
    reading = read(head() + event(0, pid=7, lr=(0x1000, 0x2000, 0x3000, 0x4000, 0x5000)))
    ok(reading.rows[0]["args"]["linkReg2"] == "0x2000" and reading.rows[0]["args"]["curPid"] == 7,
       "link registers are fields", reading.rows[0]["args"])
    reading = read(head() + b"".join(event(n, ptr=4 + 4 * (n & 1), pid=n if n & 2 else None) for n in range(40)))
    same(counts(reading), list(range(40)), "events may differ in what they have")
    dump = head(version=0) + task(0, b"") + b"".join(event(n) for n in (5, 6, 2, 3, 4)) + \
        message(3, (2, words(0)), (3, words(0, ptr=8)), (4, words(0)), (5, words(0)), (6, words(0)), (7, words(0, 0, 0))) * 3
    reading = read(dump)
    same((counts(reading), reading.lost, reading.damage), ([2, 3, 4, 5, 6], [], []),
         "a dump of a ring begins with its oldest event, and slots never written are none")


def check_mends():
    good = [head(), task(1, b"one"), event(0), event(1), event(2), notify(0x12)]
    for i, kind in enumerate(("HEAD", "OBJ", "EVENT", "EVENT", "EVENT", "NOTIFY")):
        bad = [bytearray(part) for part in good]
        bad[i][1] ^= 0x10
        reading, at = read(b"".join(bad)), sum(map(len, good[:i])) + 1
        ok(len(reading.rows) == 3 and len(reading.damage) == 1 and reading.damage[0]["offset"] == at and
           reading.damage[0]["bytes"] == 1 and kind in reading.damage[0]["what"] and not reading.lost,
           f"a wrong type of message {i} ({kind}) is put right, and told", reading.damage)
    data = b"".join(good)
    wrong = data.replace(event(1), event(1)[:-1] + b"\x55")
    reading = read(wrong)
    same((counts(reading), reading.lost, [(d["offset"], d["bytes"]) for d in reading.damage]),
         ([0, 2], [1], [(wrong.index(event(1)[:12]), len(event(1)))]), "a message whose check is wrong is damage and a loss")
    hidden = event(1)[:20] + event(2) + event(3)
    same(counts(read(head() + event(0) + hidden)), [0, 2, 3], "a message inside of one that is cut is found")
    reading = read(head() + event(0) + event(1)[:-3])
    ok(counts(reading) == [0] and reading.damage[0]["what"] == "the last message is cut" and
       reading.damage[0]["bytes"] == len(event(1)) - 3, "a message that the end cuts is damage", reading.damage)
    same(counts(read(head() + event(0) + event(1)[:20] + event(2)[:10] + notify(0x12))), [0],
         "two messages that are cut are none")


def check_joins():
    data = slurp(HERE + "a_arm32_smp4_core_count/online.tlv")[:20000]
    whole = read(data).events()
    with tempfile.TemporaryDirectory() as folder:
        for cuts in ((7,), (10000,), (10001, 10002, 10003), (4999, 10010, 19999)):
            paths = []
            for i, (start, end) in enumerate(zip((0, *cuts), (*cuts, len(data)))):
                paths.append(os.path.join(folder, str(i)))
                with open(paths[-1], "wb") as part:
                    part.write(data[start:end])
            reading = Reading("--dialect", "liteos", "--join", *paths)
            ok([e["args"] for e in reading.events()] == [e["args"] for e in whole],
               f"a recording cut at {cuts} goes on in the next file", reading.run.err)


# --- texts ------------------------------------------------------------------------------------------------------------

def text_events(path):
    """Events of the buffer that the text was printed from. Words of 64 bits lose their upper half in print."""
    name = os.path.basename(path).replace("dump", "offline").replace(".txt", ".bin")
    facts, layout = facts_of(os.path.join(os.path.dirname(path), name)), layout_of(path)
    order = facts["oldest_first"] or [i for i, slot in enumerate(facts["slots"]) if slot]
    events = [event_of(facts["slots"][i]) for i in order]
    for item in events:
        item["identity"] &= MASK
        item["params"] = [value & MASK for value in item["params"]]
        if layout["smp"] and item["core"] and layout["dump"] == "liteos_a":
            item["core"][2] -= item["core"][2] > 0
    events.sort(key=lambda item: item["time"] if item["count"] is None else item["count"])
    return facts, layout, events


def check_text(path):
    facts, layout, events = text_events(path)
    info, reading, faults = info_of(path), Reading(path), Faults()
    details = info["details"]
    for key, value in (("form", "text"), ("dumps", 1), ("variant", layout["dump"]), ("clockFreq", dict(
            facts["header"])["clockFreq"]), ("lr", layout["lr"]), ("params", layout["params"]), ("CurEvtIndex",
                                                                                                 facts["CurEvtIndex"]),
                       ("CurObjIndex", facts["CurObjIndex"]), ("maxRecordCount", facts["maxRecordCount"]),
                       ("used_slots", facts["used_slots"]), ("shifted_columns", layout["dump"] == "liteos_m"),
                       ("pid", bool(layout["pid"])), ("core", bool(layout["core"])), ("count", bool(layout["count"]))):
        faults.compare(key, details.get(key), value)
    faults.compare("dialect", info["dialect"], "liteos")
    faults.compare("damage and loss", (info["damage"], info["loss"]["events"]), ([], 0))
    faults.compare("counts", info["counts"], facts["by_name"])
    objects = {}
    for ident, prio, name in facts["objects"]:
        objects.setdefault((ident, prio, name), (ident, name, prio))
    faults.compare("objects", [(o["id"], o["name"], o["prio"]) for o in info["objects"]], list(objects.values()))
    ok(not faults, f"{short(path)} has the facts of its buffer", *faults)
    faults = Faults()
    faults.compare("number of events", len(reading.rows), len(events))
    for row, item in zip(reading.rows, events):
        check_row(faults, row, item, text_core=True)
    ok(not faults, f"{short(path)} has the events of its buffer in order", *faults)
    check_terminals(path, reading)


def check_terminals(path, reading):
    """What a terminal's log makes of the text."""
    text = slurp(path)
    lines = text.split(b"\n")
    forms = {
        "by a pipe": text,
        "with CR LF": text.replace(b"\n", b"\r\n"),
        "with CR CR LF": text.replace(b"\n", b"\r\r\n"),
        "with blanks cut off at line ends": b"\n".join(line.rstrip() for line in lines),
        "with times in front of lines": b"\n".join(b"[12:34:%02d.%03d] " % (i // 40 % 60, i % 997) + line
                                                   for i, line in enumerate(lines)),
        "with one blank between fields": re.sub(rb" +", b" ", text),
        "with tabs between fields": re.sub(rb" +", b"\t", text),
        "with columns set by hand": re.sub(rb" {5,}", b"    ", text),
        "with other lines around it": b"OHOS # trace_dump 0\n" + text + b"OHOS # \nwhat else: 0x12\n",
    }
    for what, form in forms.items():
        other = Reading("-", stdin=form)
        ok(other.events() == reading.events() and not other.damage and not other.lost, f"{short(path)} reads the same {what}",
           other.run.err, other.damage[:3], len(other.rows))


# As guides show it (OpenHarmony's on the kernel's trace, and on its device for programs): the last columns are set by hand.
GUIDE = b"""*******TraceInfo begin*******
clockFreq = 1000000
CurEvtIndex = 2
Index   Time(cycles)      EventType      CurTask   Identity      params
0       0x3e8             0x45           0x1       0x2           0x1f         0x4       0x0
1       0x1770            0xfffffff1     0x2       0x1           0x1          0x8       0x1f
*******TraceInfo end*******
"""


def check_guides():
    tabbed = b"".join(b"\t\t" + line for line in GUIDE.splitlines(True))
    for what, text in (("of a guide", GUIDE), ("in a comment, behind tabs,", tabbed), ("with one blank", re.sub(rb" +", b" ", GUIDE)),
                       ("without first lines", GUIDE[GUIDE.index(b"Index"):])):
        reading = Reading("-", stdin=text)
        same([(row["ts"], row["id"], list(row["args"].values())[:4]) for row in reading.rows],
             [(1000, 0x45, [2, 0x1f, 4, 0]), (6000, 0xfffffff1, [1, 1, 8, 0x1f])], f"a dump {what} is read in full")
        ok("read by the blanks between them" in reading.run.err, "and a note states how", reading.run.err)
    wrong = Reading("-", stdin=GUIDE.replace(b"0x1770 ", b"6000   "))
    ok(len(wrong.rows) == 1 and "field Time is missing or no hexadecimal" in wrong.damage[0]["what"] and wrong.run.status == 3,
       "a row that cannot be read names its field", wrong.damage)


def check_damaged_text():
    path = HERE + "a_arm32_smp4_core_count/dump.txt"
    text, whole = slurp(path), Reading(path)
    lines = text.split(b"\n")
    starts = [sum(len(line) + 1 for line in lines[:i]) for i in range(len(lines))]
    damages = {
        "has lost a character": lambda line: line[:40] + line[41:],
        "has a strange character": lambda line: line[:28] + b"\xff" + line[29:],
        "is cut": lambda line: line[:100],
        "has something behind it": lambda line: line.rstrip() + b"   x",
        "is another program's": lambda line: b"hello",
    }
    for what, spoil in damages.items():
        changed = list(lines)
        changed[200] = spoil(changed[200])
        reading = Reading("-", stdin=b"\n".join(changed))
        ok(len(reading.rows) == len(whole.rows) - 1 and sum(reading.lost) == 1 and reading.run.status == 3 and
           [d["offset"] for d in reading.damage] == [starts[200]], f"a row that {what} is damage and a loss",
           reading.damage, reading.lost, len(reading.rows))
    reading = Reading("-", stdin=b"\n".join(lines[:100] + lines[110:]))
    same((len(reading.rows), reading.lost), (len(whole.rows) - 10, [10]), "rows that are not there are a loss")
    path = HERE + "a_arm32_default/dump.txt"
    plain = slurp(path).split(b"\n")
    reading = Reading("-", stdin=b"\n".join(plain[:100] + plain[103:]))
    same(reading.lost, [3], "also where events are not counted")
    check_parts(plain, Reading(path))


def check_parts(lines, whole):
    """Of liteos_a as shipped: the first lines, the title, the write index or the end are not there."""
    reading = Reading("-", stdin=b"\n".join(lines[:60]))
    ok(len(reading.rows) == 56 and reading.damage[-1]["what"] == "the end of the dump is missing",
       "a dump that is cut gives its rows and tells that its end is missing", reading.damage)
    reading = Reading("-", stdin=b"\n".join(lines[30:]))
    ok(len(reading.rows) == len(lines) - 30 - 2 and reading.damage[0]["what"] == "the beginning of the dump is missing",
       "rows without a title are read by their widths", reading.damage, len(reading.rows))
    without = [line for line in lines if b"CurEvtIndex" not in line]
    reading = Reading("-", stdin=b"\n".join(without))
    ok(reading.events() == whole.events(), "without the write index the oldest row is found by time")
    slots = Reading("--order", "file", HERE + "a_arm32_default/dump.txt")
    same([row["ts"] for row in slots.rows], [slot[4] for slot in facts_of(HERE + "a_arm32_default/offline.bin")["slots"]],
         "--order file gives the rows as they lie")
    twice = Reading("-", stdin=b"\n".join(lines + lines))
    ok(twice.events() == whole.events() and not twice.lost, "a dump that is there twice is given once", len(twice.rows))


def check_many_dumps():
    folder = HERE + "a_lp64_smp2_reset_filter/"
    before, after = slurp(folder + "dump_before_reset.txt"), slurp(folder + "dump.txt")
    one, two = Reading(folder + "dump_before_reset.txt"), Reading(folder + "dump.txt")
    both = Reading("-", stdin=before + after)
    same([row["ts"] for row in both.rows], [row["ts"] for row in one.rows + two.rows], "dumps follow each other")
    joined = Reading("--join", folder + "dump_before_reset.txt", folder + "dump.txt")
    same([row["ts"] for row in joined.rows], [row["ts"] for row in both.rows], "also in files that are joined")


def check_forms_joined():
    """Each form has its end and its details, whichever is last."""
    text = HERE + "a_arm32_default/dump.txt"
    data = head() + b"".join(event(n) for n in (0, 1, 4)) + event(5)[:-9]
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        words = ("--join", file.name, text)
        reading, info = Reading(*words), info_of(*words)
        alone = (info_of(file.name)["details"], info_of(text)["details"])
    ok(len(reading.rows) == 3 + 249 and reading.lost == [2] and reading.damage[0]["what"] == "the last message is cut",
       "a cut stream in front of a text tells of the cut", len(reading.rows), reading.lost, reading.damage)
    inner = info["details"].pop("text")
    alone[1].pop("wrapping")
    ok(info["clock"]["hz"] == 1000000 and ["50000000 Hz" in note for note in info["notes"]] == [True],
       "the first clock holds, and a note tells of the other", info["clock"], info["notes"])
    same((info["details"], inner), alone, "and both give their details, the second form's in a group of its own")


def check_settings():
    """What a setting cannot change is said; what it can, it does."""
    given = [word for key in ("ptr=4", "core=1", "count=0", "lr=5", "params=3") for word in ("--opt", key)]
    stream, text = HERE + "a_arm32_default/online.tlv", HERE + "a_arm32_default/dump.txt"
    notes = [note for note in info_of(stream, *given)["notes"] if "--opt" in note]
    ok(len(notes) == 1 and "ptr= core= count= lr= params=: this does nothing here" in notes[0],
       "settings that a stream's messages make idle are reported once", notes)
    same(Reading(*given, stream).events(), Reading(stream).events(), "and change nothing")
    same([note for note in info_of(stream, "--opt", "variant=a")["notes"] if "--opt" in note], [],
         "a setting that is used is not told of")
    notes = [note for note in info_of(text, *given)["notes"] if "--opt" in note]
    ok(len(notes) == 2 and "--opt ptr=:" in notes[0] and "--opt core= count= lr=:" in notes[1],
       "a setting that a text's titles give need not be set", notes)
    reading = Reading("--opt", "params=2", text)
    ok(not reading.rows and all("--opt params=" in d["what"] for d in reading.damage),
       "rows that have not as many params as the user says are damage", reading.damage[:3], len(reading.rows))
    lines = slurp(text).split(b"\n")[30:]
    run = rastrum("report", "--opt", "core=1", "-", stdin=b"\n".join(lines))
    ok(run.status == 3 and "no dump" in run.err, "without titles rows are read as the user says", run.status, run.err)
    at = len(b"0       0x1138a219        0x45           0x4       0x9       0x4           ")
    longer = [line[:at] + b"".join(b"0x%-11x" % (0x8000 + i) for i in range(5)) + line[at:] if len(line) > at else line
              for line in lines]
    one, five = (Reading(*told, "-", stdin=b"\n".join(text))
                 for told, text in (((), lines), (("--opt", "lr=5"), longer)))
    ok(len(five.rows) == len(one.rows) > 100 and
       all({**a["args"], **{f"linkReg{i + 1}": hex(0x8000 + i) for i in range(5)}} == b["args"]
           for a, b in zip(one.rows, five.rows)), "also with link registers, which look like params",
       five.run.err, one.rows[:1], five.rows[:1])
    info = info_of("--opt", "ptr=8", "--opt", "core=0", "-", stdin=b"\n".join(lines))
    notes = [note for note in info["notes"] if "--opt" in note]
    ok(len(notes) == 1 and "--opt ptr=:" in notes[0], "only pointers a text without titles cannot have", notes)


def check_numbers():
    """Numbers that no table lists, in a stream and in a text, are events with all that was recorded."""
    numbers = [0x47, 0x13, 0x4001, 0x10000, 0x12345, 0x80000001, 5]
    reading = read(head() + b"".join(event(n, kind=kind, params=(n + 1, 0, 0x20001000)) for n, kind in enumerate(numbers)))
    same([(row["name"], [row["args"][f"param{i}"] for i in (1, 2, 3)], row["args"]["eventType"]) for row in reading.rows],
         [(f"LOS_TRACE_UNKNOWN+{kind:#x}", [n + 1, 0, 0x20001000], kind) for n, kind in enumerate(numbers)],
         "an event of a stream is one whatever its number")
    text = HERE + "a_arm32_default/dump.txt"
    lines, whole = slurp(text).split(b"\n"), Reading(text)
    at = len(b"0       0x1138a219        ")
    changed = [line[:at] + b"0x%-12x " % numbers[i % len(numbers)] + line[at + 15:] if line[8:10] == b"0x" else line
               for i, line in enumerate(lines)]
    for what, form in (("some", lines[:100] + changed[100:]), ("all", changed)):
        reading = Reading("-", stdin=b"\n".join(form))
        ok(len(reading.rows) == len(whole.rows) and not reading.damage and not reading.lost and reading.run.status == 0 and
           sum(row["name"].startswith("LOS_TRACE_UNKNOWN+") for row in reading.rows) > 100,
           f"and a row of a text, if {what} are such", reading.damage[:2], reading.lost[:2], len(reading.rows))
    many = read(head() + b"".join(event(n, kind=0x10000 + n, params=(n, 1)) for n in range(1500)))
    ok([row["args"]["eventType"] for row in many.rows] == [0x10000 + n for n in range(1500)] and
       all(row["args"]["param1"] == n for n, row in enumerate(many.rows)), "also more of them than types are kept", len(many.rows))


def check_bounds():
    """What a stream makes up without end is not kept without end."""
    info = info_of("-", stdin=head() + b"".join(event(n, task_id=n) for n in range(20000)))
    ok(info["events"] == 20000 and any("so many tasks" in note for note in info["notes"]),
       "of very many tasks only so many are kept apart", info["notes"], info["events"])
    info = info_of("-", stdin=head() + b"".join(task(n, b"n%d" % n) for n in range(33000)) + event(1))
    ok(len(info["objects"]) == 32768 and any("so many" in note for note in info["notes"]),
       "of names without end no more than so many are kept", info["notes"], len(info["objects"]))


STREAMS = sorted(glob.glob(HERE + "*/online.tlv") + glob.glob(HERE + "*/client_dump*.tlv"))
CORRUPT = sorted(glob.glob(HERE + "corrupt/*.tlv"))
TEXTS = sorted(glob.glob(HERE + "*/dump*.txt"))
same((len(STREAMS), len(CORRUPT), len(TEXTS)), (17, 15, 10), "all streams, damaged streams and texts are there")
for stream in STREAMS:
    check_stream(stream)
for stream in CORRUPT:
    check_corrupt(stream)
check_order()
check_restarts()
check_elements()
check_mends()
check_joins()
for dump in TEXTS:
    check_text(dump)
check_guides()
check_damaged_text()
check_settings()
check_many_dumps()
check_forms_joined()
check_bounds()
check_numbers()
sys.exit(done())
