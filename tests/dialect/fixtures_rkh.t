#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""RKH streams against facts that another decoder computed (tests/data/rkh/README.md)."""
import glob
import json
import os
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import Faults, done, ok, rastrum, same, slurp  # noqa: E402

TOLD = {"d5_midstream": ("sender=1", "quelwm=1", "mplwm=1")}  # what a stream without an announcement cannot tell
ADDRESSES = {"active_object", "state", "pseudostate", "function", "memory", "timer", "queue"}
DAMAGE = {"bad_checksum": "wrong checksum", "unknown_id": "unknown event id", "aborted_escape": "escape"}


def options(name):
    return [word for setting in TOLD.get(name, ()) for word in ("--opt", setting)]


def number(value):
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value


def elements(args):
    """Values of a user event's elements, however many fields they were put into."""
    return list(args.values())


def announced(args):
    """An announcement's arguments with the halves of its bytes apart."""
    halves = {"evt_ts": ("sizeofSig", "sizeofTStamp"), "ptr_ntimer": ("sizeofPtr", "sizeofNTimer"),
              "nblk_nelem": ("sizeofNBlock", "sizeofNElem"), "esize": (None, "sizeofEvtSize"),
              "bsize_pools": ("sizeofBSize", "maxPools")}
    apart = {}
    for key, value in args.items():
        apart.update({halves[key][0]: value >> 4, halves[key][1]: value & 15} if key in halves else {key: value})
    apart.pop(None, None)
    if "name" in args and "sig" not in args and "userEvt" not in args:  # names lose an & as they do everywhere
        apart["name"] = args["name"].removeprefix("&")
    return apart


def check_args(row, expected):
    args = {key: value for key, value in row["args"].items() if key != "nseq"}
    if "data" in expected:
        return [number(v) for v in elements(args)] == [e[2] for e in expected["data"]]
    return list((k, number(v)) for k, v in args.items()) == list(announced(expected).items())


def name_of(facts, constant):
    """User events have the names that the target gives them."""
    word, _, event = constant.partition("RKH_TE_USER+")
    return constant if word else facts["user_events"].get(event, constant)


def check_record(faults, at, row, record, name):
    faults.compare(f"{at} name", row["name"], name)
    faults.compare(f"{at} id", row["id"], record["id"])
    faults.compare(f"{at} sequence number", row["args"].get("nseq"), record.get("seq"))
    if not check_args(row, record["args"]):
        faults.append(f"{at} args: {row['args']!r}, expected {record['args']!r}")


def gaps_before(lines):
    """The events, and how many frames were lost or damaged just before each."""
    rows, lost = [], 0
    for line in lines:
        if "lost" in line:
            lost += line["lost"]
        elif "damage" in line:
            lost += damage_of(line)
        else:
            rows.append((line, lost))
            lost = 0
    return rows


def check_events(faults, facts, lines):
    rows = gaps_before(lines)
    pairs = list(zip(rows, facts["first_records"])) + [(rows[-1], facts["last_record"])]
    for n, ((row, lost), record) in enumerate(pairs):
        check_record(faults, f"record {n}", row, record, name_of(facts, record["name"]))
        faults.compare(f"record {n} lost before", lost, record.get("gap", 0))
    faults.compare("events", len(rows), facts["stats"]["valid"])
    faults.compare("numbers of the lines", [row["seq"] for row, _ in rows], list(range(len(rows))))
    stamps = [row["ts"] for row, _ in rows]
    if stamps != sorted(stamps):
        faults.append("time steps back")


def check_time(faults, facts, lines):
    """Ticks are the stamps, unwrapped; an announcement stands at the time of what comes behind it."""
    config = facts["config"] or {"ts": 1, "tssz": 4}
    rows = [row for row, _ in gaps_before(lines)]
    if not config["ts"]:
        return faults.compare("ticks without stamps", [row["ts"] for row in rows], list(range(len(rows))))
    for n, (row, record) in enumerate(list(zip(rows, facts["first_records"])) + [(rows[-1], facts["last_record"])]):
        if "ts" in record:
            faults.compare(f"record {n} ts", row["ts"] % (1 << 8 * config["tssz"]), record["ts"])
    return None


def last_names(objects, kinds):
    names = {}
    for item in objects:
        if item["kind"] in kinds:
            names[int(str(item["id"]), 0)] = item["name"]
    return names


def check_names(faults, facts, info):
    objects = info["objects"]
    faults.compare("symbols", last_names(objects, ADDRESSES), {int(k, 16): v for k, v in facts["symbols"].items()})
    faults.compare("signals", last_names(objects, {"signal"}), {int(k): v for k, v in facts["signals"].items()})
    faults.compare("pools", last_names(objects, {"event_pool"}), {int(k): v for k, v in facts["pools"].items()})
    faults.compare("user events", info["details"]["user_events"], facts["user_events"])


def check_config(faults, facts, info):
    got = info["details"]["config"]
    if got is not None:
        got = dict(got, options=got["options"].split())
    faults.compare("config", got, facts["config"])
    expected_hz = facts["config"]["ts_hz"] if facts["config"] and facts["config"]["ts"] else None
    faults.compare("clock", info["clock"]["hz"], expected_hz)


def damage_of(line):
    return "damage" in line and "the first flag" not in line["damage"]["what"] and "the last flag" not in line["damage"]["what"]


def missing(lines):
    """How many sequence numbers are missing before each event, beyond those of damaged frames."""
    last, n_damaged, is_session = None, 0, False
    for line in lines:
        n_damaged += damage_of(line)
        if "damage" in line or "lost" in line:
            continue
        seq = line["args"].get("nseq")
        if seq is None:
            is_session = True
        elif last is not None and not (is_session and seq == 0) and (seq - last - 1) % 256 > n_damaged:
            yield (seq - last - 1) % 256 - n_damaged
        if seq is not None:
            last, is_session, n_damaged = seq, False, 0


def check_loss(faults, facts, info, lines):
    """One line for one thing: of missing numbers those that damaged frames have are not lost as well."""
    stats = facts["stats"]
    gaps = list(missing(lines))
    faults.compare("loss", info["loss"], {"events": sum(gaps), "gaps": len(gaps)})
    if not any(damage_of(line) for line in lines):
        faults.compare("loss without damage", info["loss"], {"events": stats["lost"], "gaps": stats["gaps"]})
    damage = [line["damage"] for line in lines if "damage" in line]
    bad = sum(stats[key] for key in ("bad_checksum", "unknown_id", "malformed", "aborted_escape"))
    ends = (stats["prefix_bytes"] > 0) + (stats["trailing_bytes"] > 0)
    faults.compare("damage rows", len(damage), bad + ends)
    for key, words in DAMAGE.items():
        faults.compare(f"damage rows for {key}", sum(words in d["what"] for d in damage), stats[key])
    faults.compare("damage in info", [(d["offset"], d["bytes"]) for d in info["damage"]],
                   [(d["offset"], d["bytes"]) for d in damage])


def check_accounted(faults, facts, path, damage):
    """What is damaged lies between flags, or at the ends."""
    data = slurp(path)
    for d in damage:
        run = data[d["offset"]:d["offset"] + d["bytes"]]
        before = d["offset"] == 0 or data[d["offset"] - 1] == 0x7e
        after = d["offset"] + d["bytes"] == len(data) or data[d["offset"] + d["bytes"]] == 0x7e
        if 0x7e in run or not before or not after:
            faults.append(f"damage at {d['offset']} is not a frame")


def check(path):
    name = os.path.basename(path).removesuffix(".bin")
    facts = json.load(open(path.replace(".bin", ".expected.json"), encoding="utf-8"))
    info = rastrum("info", "--json", *options(name), path)
    report = rastrum("report", "-f", "jsonl", *options(name), path)
    told, lines = json.loads(info.out), [json.loads(line) for line in report.lines]
    parts = {"counts frames": lambda f: f.compare("stats", told["details"]["stats"], facts["stats"]),
             "counts events": lambda f: f.compare("counts", told["counts"], {name_of(facts, k): n for k, n in facts["counts"].items()}),
             "tells its configuration": lambda f: check_config(f, facts, told),
             "tells its names": lambda f: check_names(f, facts, told),
             "gives its events": lambda f: check_events(f, facts, lines),
             "gives their time": lambda f: check_time(f, facts, lines),
             "tells loss and damage": lambda f: check_loss(f, facts, told, lines),
             "puts damage where it is": lambda f: check_accounted(f, facts, path, told["damage"])}
    same(told["dialect"], "rkh", f"{name} is recognised")
    for what, part in parts.items():
        faults = Faults()
        part(faults)
        ok(not faults, f"{name} {what}", *faults)
    is_damaged = any("damage" in line for line in lines)
    same((info.status, report.status), (3, 3) if is_damaged else (0, 0), f"{name} ends with the right status")
    check_piped(name, path, lines)


def check_piped(name, path, lines):
    """A pipe has no look ahead: all is the same but names, which hold from where they are given."""
    piped = rastrum("report", "-f", "jsonl", *options(name), "-", stdin=slurp(path))
    rows = [json.loads(line) for line in piped.lines]
    for row in rows + lines:
        row.pop("text", None)
        row.pop("context", None)
    ok(rows == lines, f"{name} gives the same when it comes through a pipe",
       *[f"{a} / {b}" for a, b in zip(rows, lines) if a != b])


def check_symbols():
    """Names from another file, for a stream that has none."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(slurp("tests/data/rkh/r1_default.bin"))
        file.flush()
        plain = rastrum("report", *options("d5_midstream"), "tests/data/rkh/d5_midstream.bin")
        named = rastrum("report", "--opt", f"symbols={file.name}", "tests/data/rkh/d5_midstream.bin")
    ok("server_busy" not in plain.out and "server_busy" in named.out, "names are taken from a file of symbols")
    same(len(named.lines), len(plain.lines), "and with them what the target is like")


def check_guess():
    """What is not announced is seen by the lengths of frames, or by what is announced later."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        start, whole = (slurp(f"tests/data/rkh/{name}.bin") for name in ("d5_midstream", "r2_ts16_sig16"))
        told = rastrum("report", "-f", "jsonl", *options("d5_midstream"), "tests/data/rkh/d5_midstream.bin")
        seen = rastrum("report", "-f", "jsonl", "tests/data/rkh/d5_midstream.bin")
        same(seen.lines, told.lines, "a file without an announcement gives the same when nothing is said of it")
        ok("sender=1" in seen.err, "and what was guessed is reported", seen.err)
        file.write(whole[20000:] + whole)
        file.flush()
        stats = json.loads(rastrum("info", "--json", file.name).out)["details"]["stats"]
        same((stats["malformed"], stats["bad_checksum"]), (0, 0), "what is announced later holds for what came before")
        same(stats["frames"], stats["valid"], "and every frame is valid")
    ok(start[0] != 0x7e, "(the first one begins within a frame)")


def check_names_hold():
    """In a file a name holds for the events before it."""
    rows = [json.loads(line) for line in rastrum("report", "-f", "jsonl", "tests/data/rkh/r1_default.bin").lines]
    first = next(row for row in rows if row["name"] == "RKH_TE_SMA_REG")
    named = next(n for n, row in enumerate(rows) if row["name"] == "RKH_TE_FWK_AO")
    ok(rows.index(first) < named, "an active object is registered before it is named")
    same((first["context"]["name"], first["text"]), ("server", "server is registered with priority 0"),
         "and has its name all the same")


def frame(*parts):
    body = b"".join(parts)
    body += bytes([-sum(body) & 0xff])
    return b"".join(bytes([0x7d, b ^ 0x20]) if b in (0x7d, 0x7e) else bytes([b]) for b in body) + b"~"


def check_many_names():
    """One address, named over and over, between events of the active object that is there."""
    data = b"~" + b"".join(
        frame(struct.pack("<BBII", 0xa6, 2 * n & 0xff, n, 64), b"name%d\0" % (n % 3)) +
        frame(struct.pack("<BBIIII", 0x62, 2 * n + 1 & 0xff, n, 64, 64, 64)) for n in range(40000))
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        run = rastrum("report", "-f", "csv", "--dialect", "rkh", file.name, timeout=30)
    ok(run.status == 0 and len(run.lines) == 80001, "names without end do not slow reading down", run.err, len(run.lines))


def check_user_names():
    """User events go by the name that the target gives them, and by their number."""
    path = "tests/data/rkh/r1_default.bin"
    named, numbered = (rastrum("report", "-f", "jsonl", "-t", name, path) for name in ("ut_mix", "RKH_TE_USER+0"))
    ok(len(named.lines) > 1 and named.lines == numbered.lines, "a user event is found by its name and its number")
    same({json.loads(line)["name"] for line in named.lines}, {"UT_MIX"}, "and has its name in JSON")
    same({line.split(",")[3] for line in rastrum("report", "-f", "csv", "-t", "UT_MIX", path).lines[1:]}, {"UT_MIX"},
         "and in CSV")
    ok("UT_MIX" in rastrum("report", "-t", "UT_MIX", path).out, "and in text")
    with tempfile.NamedTemporaryFile("w", suffix=".trcfmt") as file:
        for name in ("UT_MIX", "RKH_TE_USER+0"):
            file.seek(0)
            file.truncate()
            file.write(f'# dialect: rkh\n{name} 1.0 L=APPL "@mix" "a mix of " $data1", frame " $nseq\n')
            file.flush()
            run = rastrum("report", "-f", "jsonl", "-t", "UT_MIX", "--templates", file.name, path)
            row = json.loads(run.lines[0])
            same(row["text"], f'a mix of {row["args"]["data1"]}, frame {row["args"]["nseq"]}',
                 f"a template for {name} holds for it")


def check_csv_args():
    """Arguments of CSV are those of JSON: numbers of signals and pools are decimal in both."""
    path = "tests/data/rkh/r1_default.bin"
    first = [rastrum("report", "-f", form, "-t", "RKH_TE_FWK_AE", "--limit", "1", path).lines[-1] for form in ("jsonl", "csv")]
    args = json.loads(first[0])["args"]
    ok(f'sig={args["sig"]};poolId={args["poolId"]};' in first[1], "signals and pools are numbers in CSV as in JSON", *first)


def check_renamed():
    """Through a pipe a name holds from where it comes."""
    def name(seq, text):
        return frame(struct.pack("<BBIB", 0xab, seq, seq, 1), text + b"\0")

    def event(seq):
        return frame(struct.pack("<BBIBB", 0xc1, seq, seq, 1, 9))
    data = b"~" + event(0) + name(1, b"ONE") + event(2) + name(3, b"OTHER") + event(4)
    run = rastrum("report", "-f", "jsonl", "-t", "RKH_TE_USER+1", "-d", "rkh", "-", stdin=data)
    same([json.loads(line)["name"] for line in run.lines], ["RKH_TE_USER+1", "ONE", "OTHER"],
         "a user event that gets a name, or another one, has it from there on")


def check_many_elements():
    """Elements are told apart, however many a program would record; numbers have the width that it asked for."""
    def event(seq, elements):
        return frame(struct.pack("<BBI", 0xc1, seq, seq), elements)
    data = b"~" + event(0, bytes([0x11, 7]) * 1023 + b"\x07end\0") + event(1, bytes([1, 7]) * 1025) + \
        event(2, struct.pack("<BbBHBI", 0x40, -3, 0x83, 500, 0x86, 0xbeef))
    rows = [json.loads(line) for line in rastrum("report", "-f", "jsonl", "-d", "rkh", "-", stdin=data).lines]
    same(list(rows[0]["args"].items())[-2:], [("data1023", 7), ("data1024", "end")], "1024 elements are told apart")
    same(rows[1]["args"], {"nseq": 1, "data": "0107" * 1025}, "more than that are given as bytes")
    same(rows[2]["text"], "data1=  -3, data2=     500, data3=0x0000beef", "numbers are as wide as the program says")
    same(rows[2]["args"], {"nseq": 2, "data1": -3, "data2": 500, "data3": 0xbeef}, "and are numbers in JSON")


def check_contexts():
    """Queues and timers belong to active objects, and events that are allocated to their senders."""
    rows = [json.loads(line) for line in rastrum("report", "-f", "jsonl", "tests/data/rkh/r1_default.bin").lines]
    known = {row["name"] for row in rows if row["context"]["kind"] == "thread"}
    ok({"RKH_TE_QUE_FIFO", "RKH_TE_TMR_STOP", "RKH_TE_TMR_TOUT", "RKH_TE_FWK_AE", "RKH_TE_FWK_STATE"} <= known,
       "queues, timers and events have the context that they belong to", *known)
    unknown = sum(row["context"]["kind"] == "unknown" for row in rows)
    ok(unknown * 100 < 15 * len(rows), "few events have no context", unknown, len(rows))
    stopped = next(row for row in rows if row["name"] == "RKH_TE_TMR_STOP")
    started = [row for row in rows if row["name"] == "RKH_TE_TMR_START" and row["seq"] < stopped["seq"] and
               row["args"]["timer"] == stopped["args"]["timer"]]
    same(stopped["context"]["id"], started[-1]["args"]["ao"], "a timer is whose it was started for")


def check_one_subject():
    """RKH's own recorder announces `hsm` and `my` for one address: what begins under one name ends under the other."""
    for name in ("r1_default", "r2_ts16_sig16", "r5_teid16", "r7_overrun512"):
        lines = rastrum("report", "-f", "jsonl", "--intervals", f"tests/data/rkh/{name}.bin").lines
        spans = [row for row in map(json.loads, lines) if row.get("kind") == "span"]
        starts = [row for row in spans if row["subject"]["name"] == "RKH_TE_SM_INIT"]
        same((len(starts), [row for row in spans if row["to_seq"] is None]), (6, []), f"{name}: each start of a machine ends")


FILES = sorted(glob.glob("tests/data/rkh/*.bin"))
ok(len(FILES) == 15, "there are fixtures")
for file_path in FILES:
    check(file_path)
check_symbols()
check_guess()
check_names_hold()
check_user_names()
check_csv_args()
check_renamed()
check_contexts()
check_one_subject()
check_many_elements()
check_many_names()
sys.exit(done())
