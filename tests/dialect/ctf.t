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
    check_round_trip(top)
done()
