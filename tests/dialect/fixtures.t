#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real ThreadX dumps against facts that another reader computed (tests/data/threadx/README.md)."""
import collections
import csv
import glob
import io
import json
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import Faults, done, ok, rastrum  # noqa: E402
from threadx_events import read_events_table  # noqa: E402

PLAIN = {"NUMBER", "HEX", "IPV4", "ENUM"}  # fields that JSON has as numbers; all others are addresses


TABLE = read_events_table()


def event_facts(number):
    """Constant and fields of an id, listed or not."""
    if number in TABLE:
        return TABLE[number]
    first, constant = next(row for row in ((4096, "TX_TRACE_USER_EVENT_START"), (1025, "TML_TRACE_USER_EVENT_START"),
                                           (0, "TX_TRACE_UNKNOWN")) if number >= row[0])
    return f"{constant}+{number - first}", [("NUMBER", f"info{i}") for i in range(1, 5)]


def args_of(event):
    """The arguments that the event's words must give, in order."""
    args, fields = {}, event_facts(event["id"])[1]
    if event["id"] == 384 and int(event["info"][2], 16) & 0xFF00FFFF:  # no type of service: NetX before NetX Duo
        fields = [fields[0], fields[3], fields[1], fields[2]]
    for number, (word, field) in enumerate(zip(event["info"], fields), start=1):
        if field:
            args[field[1]] = int(word, 16) if field[0] in PLAIN else word
        elif int(word, 16):
            args[f"info_{number}"] = int(word, 16)
    return args


def context_name(context):
    if context["kind"] == "thread":
        return context["name"] or "?" + context["id"]
    return context["kind"]


def edges(facts, rows):
    """Pairs of (row, expected) for the first and the last events."""
    first, last = facts["first_events"], facts["last_events"]
    return list(zip(rows, first)) + list(zip(rows[len(rows) - len(last):], last))


def check_header(facts, info):
    faults = Faults()
    shared = [key for key in facts if key in info["details"]]
    for key in shared:
        faults.compare(key, info["details"][key], facts[key])
    for key in ("file_size", "word_size", "endian", "timer_valid_mask", "buffer_current", "wrapped", "trailing_bytes"):
        if key not in shared:
            faults.append(f"{key} is not told")
    return faults


def check_registry(facts, info):
    faults = Faults()
    registered = [o for o in info["objects"] if "index" in o]
    faults.compare("number of objects", len(registered), len(facts["registry"]))
    by_index = {o["index"]: o for o in registered}
    for slot in facts["registry"]:
        got = by_index.get(slot["index"], {})
        expected = {"kind": slot["type_name"], "id": slot["ptr"]}
        expected.update({k: slot[k] for k in ("available", "type", "p1", "p2", "name", "name_hex", "priority")})
        expected["deleted"] = True if slot["available"] else None
        if slot["type_name"] == "queue":
            expected["capacity"] = slot["p1"] // (facts["word_size"] * (slot["p2"] or 1))
        for key, value in expected.items():
            faults.compare(f"slot {slot['index']} {key}", got.get(key), value)
    return faults


def check_counts(facts, info, rows):
    faults = Faults()
    by_id = collections.Counter(str(row["id"]) for row in rows)
    names = collections.Counter(row["name"] for row in rows)
    contexts = collections.Counter(context_name(row["context"]) for row in rows)
    faults.compare("events", len(rows), facts["events"])
    faults.compare("events in info", info["events"], facts["events"])
    faults.compare("counts by id", dict(by_id), facts["counts_by_id"])
    faults.compare("counts by context", dict(contexts), facts["counts_by_context"])
    faults.compare("counts by core", dict(collections.Counter(str(r["core"]) for r in rows)), facts["counts_by_core"])
    faults.compare("counts in info", info["counts"], dict(names))
    faults.compare("cores in info", info["cores"], facts["counts_by_core"])
    faults.compare("contexts in info", info["contexts"], facts["counts_by_context"])
    faults.compare("numbers of the lines", [row["seq"] for row in rows], list(range(len(rows))))
    return faults


def check_events(facts, rows):
    faults = Faults()
    for row, event in edges(facts, rows):
        at = f"event {event['i']} "
        kind = event["context"] if event["context"] in ("isr", "init") else "thread"
        faults.compare(at + "context", context_name(row["context"]), event["context"])
        faults.compare(at + "kind of context", row["context"]["kind"], kind)
        faults.compare(at + "raw context", row["context"]["id"], event["context_raw"])
        faults.compare(at + "id", row["id"], event["id"])
        faults.compare(at + "name", row["name"], event_facts(event["id"])[0])
        faults.compare(at + "core", row["core"], event["core"])
        faults.compare(at + "priority", row["prio"], event.get("priority"))
        faults.compare(at + "threshold", row.get("threshold"), event.get("threshold"))
        faults.compare(at + "interrupted", row.get("interrupted", {}).get("id"), event.get("interrupted"))
        faults.compare(at + "is in an interrupt", row.get("depth", 0) > 0, kind == "isr")
    return faults


def check_args(facts, rows):
    faults = Faults()
    for row, event in edges(facts, rows):
        faults.compare(f"event {event['i']} ({row['name']})", list(row["args"].items()), list(args_of(event).items()))
    return faults


def check_time(facts, info, rows):
    faults = Faults()
    span = facts.get("span_ticks_true", facts["span_ticks_mask_wrap"])
    stamps = [row["ts"] for row in rows]
    n_first = len(facts["first_events"])
    excess = facts["span_ticks_mask_wrap"] - span  # what unwrapping at the mask adds in between
    faults.compare("first ts", stamps[0], facts["first_ts"])
    faults.compare("span", stamps[-1] - stamps[0], span)
    faults.compare("first ts in info", info["first_ts"], facts["first_ts"])
    faults.compare("last ts in info", info["last_ts"], stamps[-1])
    faults.compare("direction", info["clock"]["direction"], facts["ts_direction"])
    for n, (row, event) in enumerate(edges(facts, rows)):
        rel = event["rel"] - (excess if n >= n_first else 0)
        faults.compare(f"event {event['i']} ts", row["ts"], facts["first_ts"] + rel)
        faults.compare(f"event {event['i']} ns", row["ns"], None)
    if stamps != sorted(stamps):
        faults.append("ts steps back")
    return faults


def args_text(args):
    return ";".join(f"{name}={value}" for name, value in args.items())


def check_csv(facts, rows, text):
    faults = Faults()
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    faults.compare("rows", len(table), len(rows))
    for line, row in zip(table, rows):
        context, over = row["context"], row.get("interrupted", {})
        expected = {"seq": row["seq"], "ts": row["ts"], "ns": "", "name": row["name"], "id": row["id"],
                    "context_kind": context["kind"], "context_id": context["id"], "context_name": context["name"] or "",
                    "core": row["core"], "prio": "" if row["prio"] is None else row["prio"],
                    "threshold": row.get("threshold", ""), "args": args_text(row["args"]), "text": row["text"],
                    "interrupted_kind": over.get("kind", ""), "interrupted_id": over.get("id", ""),
                    "interrupted_name": over.get("name") or "", "depth": row.get("depth", "")}
        for key, value in expected.items():
            faults.compare(f"line {row['seq']} {key}", line[key], str(value))
    return faults


def check_text(facts, rows, lines):
    faults = Faults()
    faults.compare("lines", len(lines), len(rows))
    names = {slot["ptr"]: slot["name"] for slot in facts["registry"] if slot["type_name"] == "thread"}
    for line, row in zip(lines, rows):
        number = int(line.split()[0])
        faults.compare(f"line {row['seq']} ts", number, row["ts"])
        shown = line.split("  ")[-1].strip()
        if not row["text"].endswith(shown) and not shown.startswith(row["name"]):
            faults.append(f"line {row['seq']}: {line!r} has neither {row['name']} nor {row['text']!r}")
    for line, event in edges(facts, lines):
        if "interrupted" in event:
            over = "idle" if event["interrupted"] == "0x0" else names.get(event["interrupted"], event["interrupted"])
            if not re.search(rf"  isr(/\d)? over {re.escape(over)} ", line):
                faults.append(f"event {event['i']} does not say that it interrupted {over}: {line!r}")
    return faults


def check_run(runs, info, n_lines, n_rows):
    faults = Faults()
    for name, run in runs.items():
        faults.compare(f"exit status of {name}", run.status, 0)
        if re.search(r"byte \d+|wrong|ERROR", run.err):
            faults.append(f"{name} complains: {run.err}")
    faults.compare("loss", info["loss"], {"events": 0, "gaps": 0})
    faults.compare("damage", info["damage"], [])
    faults.compare("lines that are events", n_rows, n_lines)
    return faults


def check_dump(path):
    facts = json.load(open(path.replace(".trx", ".expected.json"), encoding="utf-8"))
    runs = {name: rastrum("report", "-f", name, path) for name in ("jsonl", "csv", "text")}
    runs["info"] = rastrum("info", "--json", path)
    info = json.loads(runs["info"].out)
    lines = [json.loads(line) for line in runs["jsonl"].lines]
    rows = [line for line in lines if "seq" in line]
    groups = (
        ("is read to the end without a complaint", lambda: check_run(runs, info, len(lines), len(rows))),
        ("has the header's facts", lambda: check_header(facts, info)),
        ("has the registry's objects", lambda: check_registry(facts, info)),
        ("has as many events of each id, context and core", lambda: check_counts(facts, info, rows)),
        ("has its first and last events right, with who was interrupted", lambda: check_events(facts, rows)),
        ("has their arguments in payload order", lambda: check_args(facts, rows)),
        ("has their times, unwrapped", lambda: check_time(facts, info, rows)),
        ("says the same in CSV", lambda: check_csv(facts, rows, runs["csv"].out)),
        ("says the same in text, with what was interrupted", lambda: check_text(facts, rows, runs["text"].lines)),
    )
    name = path.split("/")[-1].removesuffix(".trx")
    for sentence, check in groups:
        faults = check()
        ok(not faults, f"{name} {sentence}", *faults)


def check_cut_follower(path, n_bytes):
    """A dump, the end of its memory, and the beginning of another dump."""
    with open(path, "rb") as file:
        data = file.read()
    cut = [line for line in map(json.loads, rastrum("report", "-f", "jsonl", "-", stdin=data + data[:n_bytes]).lines)
           if "damage" in line]
    ok(len(cut) == 1 and cut[0]["damage"]["offset"] == len(data) and cut[0]["damage"]["bytes"] == n_bytes,
       f"a second dump that is cut after {n_bytes} bytes is reported", cut)


DUMPS = sorted(glob.glob("tests/data/threadx/**/*.trx", recursive=True))
ok(len(DUMPS) == 15, "all fifteen dumps are there", f"{len(DUMPS)} found")
ok(len(TABLE) > 600, "the table of events can be read", f"{len(TABLE)} rows")
for dump in DUMPS:
    check_dump(dump)
for n_of_second in (4, 20, 47):
    check_cut_follower("tests/data/threadx/basic_objects.trx", n_of_second)
sys.exit(done())
