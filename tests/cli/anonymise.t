#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rastrum anonymise: no name and no text of the trace is in the store, and all figures are."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import RASTRUM, done, golden_files, least, ok, rastrum, same, sample  # noqa: E402

THREADX = sorted(glob.glob("tests/data/threadx/*.trx"))


def run(*args):
    return subprocess.run([RASTRUM, *args], capture_output=True, check=False)


def bytes_of(path):
    """All of a store, and what is packed in it."""
    data, found = open(path, "rb").read(), b""
    for frame in re.finditer(re.escape(b"\x28\xb5\x2f\xfd"), data):
        found += subprocess.run(["zstd", "-dcq"], input=data[frame.start():], capture_output=True, check=False).stdout
    return data + found


def rows_of(path):
    result = run("report", "-q", "-f", "jsonl", path)
    return result.returncode, [json.loads(line) for line in result.stdout.decode("utf-8", "replace").splitlines()]


def is_like_text(value):
    """Words of AIX whose bytes are characters are taken for text."""
    return isinstance(value, int) and value >= 1 << 29 and all(32 <= byte < 127 for byte in value.to_bytes(8, "big").lstrip(b"\0"))


def frame(rows):
    """What must stay: types, threads by their number, priorities, numbers, and the distances of time."""
    kept = []
    for row in rows:
        numbers = {key: value for key, value in row.get("args", {}).items()
                   if isinstance(value, (int, float)) and not is_like_text(value)}
        kept.append((row.get("name"), row.get("id"), row.get("context", {}).get("id"), row.get("prio"), row.get("core"),
                     row.get("lost"), row.get("ts"), row.get("wall_ns"), numbers))
    return kept


def texts_of(path, rows):
    """Names and texts that may not be left, without those that are too short to be told from chance."""
    info = json.loads(run("info", "--json", path).stdout)
    texts = {each["name"] for each in info["objects"] if each["name"]}
    texts |= {row[key]["name"] for row in rows for key in ("context", "process") if row.get(key) and row[key].get("name")}
    texts |= {info["target"], os.path.basename(path)}
    texts |= {value for row in rows for key, value in row.get("args", {}).items()
              if key not in ("filter", "old_filter", "new_filter") and isinstance(value, str) and not value.startswith("0x") and " " in value}
    ours = {"unknown", "init", "idle", "isr", "thread", "none", "thing"}  # which is in "nothing"
    types = " ".join(row["name"] for row in rows if "name" in row)
    return {text for text in texts if text and len(text) >= 5 and text not in ours and text not in types
            and not text.startswith(("isr ", "task ", "0x", "thread "))}


def check_goldens(folder):
    faults, n_texts = [], 0
    out = f"{folder}/out.rsx"
    for path in sample(golden_files(folder)):
        status, rows = rows_of(path)
        if status not in (0, 3) or not rows:
            continue
        written = run("anonymise", "-q", path, "-o", out)
        again, others = rows_of(out)
        if written.returncode != status or again != status:
            faults.append(f"{path}: status {written.returncode}, {again}, of the source {status}")
        if frame(others) != frame(rows):
            faults.append(f"{path}: " + next((f"{a} {b}" for a, b in zip(frame(rows), frame(others)) if a != b), "count"))
        data = bytes_of(out)
        texts = texts_of(path, rows)
        n_texts += len(texts)
        faults += [f"{path}: has {text}" for text in texts if text.encode() in data]
    ok(not faults, "stores of all goldens have their events, losses and numbers, and none of their names and texts", *faults[:10])
    ok(n_texts > least(50), "which were searched for", n_texts)
    packed = next(path for path in golden_files(folder) if path.endswith("/posix-user-events"))
    run("cut", "-q", packed, "-o", out)
    ok(any(text.encode() in bytes_of(out) and text.encode() not in open(out, "rb").read() for text in texts_of(packed, rows_of(packed)[1])),
       "also where payloads are packed")


def figures(path):
    tables = {}
    for line in run("stats", "-q", "--format", "json", path).stdout.splitlines():
        table = json.loads(line)
        numbers = [n for n, column in enumerate(table["columns"]) if column["unit"] and not column["name"].endswith("_at")]
        tables[table["table"]] = sorted(str([row[n] for n in numbers]) for row in table["rows"])
    return tables


def intervals_of(path):
    """Kind, state, times and thread of each interval; a thread is the number of its first interval."""
    threads, kept = {}, []
    for line in run("report", "-q", "--intervals", "-f", "jsonl", path).stdout.decode("utf-8", "replace").splitlines():
        row = json.loads(line)
        names = tuple(json.dumps(row.get(key)) for key in ("context", "thread", "object", "process", "by"))
        names = tuple(threads.setdefault(name, len(threads)) for name in names)
        kept.append((names, {key: value for key, value in row.items() if isinstance(value, (int, float)) or key == "state"}))
    return kept


def check_figures(folder):
    out, faults, apart, n_intervals = f"{folder}/figures.rsx", [], [], 0
    for path in sample(THREADX) + [path for path in golden_files(folder) if "/posix-" in path]:
        run("anonymise", "-q", path, "-o", out)
        faults += [f"{path}: {name}" for name, rows in figures(path).items() if figures(out).get(name) != rows]
        n_intervals += len(intervals_of(path))
        if intervals_of(path) != intervals_of(out):
            apart.append(path)
    ok(not faults, "stats of the store has the figures of the trace", *faults)
    ok(not apart and n_intervals > 100, "its intervals are those of the trace up to names", n_intervals, *apart)


def check_options(folder):
    source, out = THREADX[0], f"{folder}/options.rsx"
    names = [row["context"]["name"] for row in rows_of(source)[1] if row.get("context", {}).get("kind") == "thread"]
    run("anonymise", "-q", "--keep", names[0], source, "-o", out)
    others = rows_of(out)[1]
    kept = {row["context"]["name"] for row in others if row["context"]["kind"] == "thread"}
    ok(names[0] in kept and not (set(names) - {names[0]}) & kept, "--keep keeps a name, and no other", kept)
    renamed = [row["context"]["name"] for row in others if row["context"]["kind"] == "thread"]
    pairs = set(zip(names, renamed))
    ok(len(pairs) == len(set(names)), "a name is replaced by the same one everywhere", pairs)
    run("anonymise", "-q", "--hide-times", source, "-o", out)
    before, after = ([row["ts"] for row in rows_of(path)[1] if "name" in row] for path in (source, out))
    same(after, [max(0, ts - before[0]) for ts in before], "with --hide-times ticks count from the first event")
    ok(before[0] != 0, "which they did not before")
    refused = rastrum("anonymise", source, "-o", f"{folder}/x.txt")
    ok(refused.status == 2 and ".rsx" in refused.err, "a name that does not end in .rsx is refused", refused.err)
    same(rastrum("anonymise", source).status, 2, "without -o nothing is written")
    refused = rastrum("anonymise", *THREADX[:2], "-o", out)
    ok(refused.status == 2 and "one trace" in refused.err, "one trace at a time", refused.err)
    merged = f"{folder}/merged.rsx"
    run("merge", "-q", *THREADX[:2], "-o", merged)
    run("anonymise", "-q", merged, "-o", out)
    data = bytes_of(out)
    ok(not any(os.path.basename(path).encode() in data for path in THREADX[:2]), "a merged trace does not keep the names of its files")
    same(frame(rows_of(out)[1]), frame(rows_of(merged)[1]), "and keeps its events")


def check_bytes(folder):
    """What no field shows: words of AIX that hold text, rests of texts, and all of a recording with the time of day."""
    out, log = f"{folder}/bytes.rsx", next(path for path in golden_files(folder) if path.endswith("/posix-switches"))
    for options in ([], ["--hide-times"]):
        run("anonymise", "-q", *options, log, "-o", out)
        infos = [json.loads(run("info", "--json", path).stdout) for path in (log, out)]
        same(infos[1]["wall_ns"], None if options else infos[0]["wall_ns"] or "a time",
             f"the time of day is there, and with --hide-times it is not ({options})")
        ok(infos[0]["target"] and infos[1]["target"] == "host-1", "the host has another name", infos[1]["target"])
    aix = [path for path in golden_files(folder) if "/aix-" in path]
    left, n_texts = [], 0
    for path in aix:
        run("anonymise", "-q", path, "-o", out)
        texts = set(re.findall(rb"[ -~]{6,}", open(path, "rb").read()))
        n_texts += len(texts)
        left += [f"{path}: {text}" for text in texts if text in bytes_of(out)]
    ok(not left and n_texts, "text in the words of AIX is replaced", n_texts, *left)


with tempfile.TemporaryDirectory(prefix="rastrum-anonymise-") as place:
    check_goldens(place)
    check_figures(place)
    check_options(place)
    check_bytes(place)
done()
