#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""TXTB: ThreadX's events come back as they were; those of other recordings as the same threads, switches and interrupts."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from conversions import convert, every_recording, lines, path_of, recordings
from tap import Faults, difference, done, least, ok, rastrum, same

UNKNOWN = "(unknown)"


def converted(path, *options):
    out = path_of("x.trx")
    if os.path.exists(out):
        os.remove(out)
    run, _ = convert(path, "txtb", *options, out=out)
    return run, out


def told(path, *options):
    """The text of a report; a damaged recording's own losses have other words."""
    return [line for line in rastrum("report", "-q", *options, path).out.splitlines() if not line.startswith("*** ")]


def check_native():
    """All of ThreadX's own: words of 32 bits, and of 64 where addresses have them."""
    faults, n_events, n_paths = Faults(), 0, 0
    for path in every_recording():
        if "threadx" not in path:
            continue
        report = told(path)
        if not report:
            continue
        word = "64" if " 0x5555" in "\n".join(report) or "smp_ulong64" in path or "64-bits" in path else "32"
        run, out = converted(path, "--opt", f"word={word}")
        if run.status not in (0, 3):
            faults.append(f"{path}: {run.err}")
            continue
        theirs = told(out)
        faults.extend(f"{path}: {fault}" for fault in difference(theirs, report)[:3])
        n_events += len(report)
        n_paths += 1
    ok(not faults and n_events > least(6000) and n_paths > least(25), f"{n_events} events of {n_paths} dumps are the same, as text, byte by byte", *faults)


def named(interval, names):
    what = interval["object"]
    if interval["state"] != "running":
        return (interval["state"], what if interval["state"] == "interrupt" else None)
    return ("unknown", None) if what["name"] == UNKNOWN else ("running", names.get((what["kind"], what["id"]), what["name"] or str(what["id"]))[:31])


def cores_of(path):
    """{core: [(what, from the first event on)]}"""
    intervals = [json.loads(line) for line in rastrum("report", "-q", "--intervals", "-f", "jsonl", path).out.splitlines()]
    cores = [interval for interval in intervals if interval["kind"] == "core"]
    names = {}
    for interval in intervals:
        for what in (interval["subject"], interval["object"]):
            if isinstance(what, dict) and what["name"]:
                names.setdefault((what["kind"], what["id"]), what["name"])
    if not cores:
        return {}
    first, found = min(interval["from"] for interval in cores), {}
    for interval in cores:
        parts = found.setdefault(interval["core"] or 0, [])
        what = named(interval, names)
        if not parts or parts[-1][0] != what:
            parts.append((what, interval["from"] - first))
    return found


def threads_of(report):
    """{id: names} of threads that make events; a name may come later, or change."""
    found = {}
    for line in report:
        if "seq" in line and line["context"]["kind"] == "thread" and line["context"]["name"] != UNKNOWN:
            found.setdefault(line["context"]["id"], set()).add(line["context"]["name"] or str(line["context"]["id"]))
    return found


def subjects_of(path):
    """The same of threads that have states."""
    found = {}
    for line in rastrum("report", "-q", "--intervals", "-f", "jsonl", path).out.splitlines():
        interval = json.loads(line)
        subject = interval["subject"]
        if interval["kind"] == "thread" and interval["state"] not in ("unknown", "created", "ended") and subject["name"] != UNKNOWN:
            found.setdefault((subject["id"], subject.get("process")), set()).add(subject["name"] or str(subject["id"]))
    return found


def bare(cores):
    """Between a thread that stops and the next one nothing is known: ThreadX's events give that time to the next one."""
    found = {}
    for core, parts in cores.items():
        for n, (what, at) in enumerate(parts):
            neighbours = [parts[k][0] for k in (n - 1, n + 1) if 0 <= k < len(parts)]
            if what[0] == "unknown" and len(neighbours) == 2 and neighbours[0][0] == neighbours[1][0] == "running":
                continue
            if n and parts[n - 1][0][0] == "unknown" and what[0] == "running" and n > 1 and parts[n - 2][0][0] == "running":
                at = parts[n - 1][1]
            if not found.get(core) or found[core][-1][0] != what:
                found.setdefault(core, []).append((what, at))
    return found


def check_others():
    faults, n_parts, n_paths, n_threads = Faults(), 0, 0, 0
    for path in every_recording():
        report = lines(path)
        if "threadx" in path or not any("seq" in line for line in report):
            continue
        run, out = converted(path)
        status = rastrum("report", "-q", path).status
        if run.status != status:
            faults.append(f"{path}: status {run.status}, expected {status}: {run.err}")
            continue
        theirs = lines(out)
        threads = subjects_of(path) or threads_of(report)
        for (number, _), those in threads.items() if subjects_of(path) else ():
            those |= threads_of(report).get(number, set())
        n_threads += len(threads)
        n_paths += 1
        names = set().union(*threads_of(theirs).values(), *subjects_of(out).values())
        # A name that shows bytes as \xNN was recorded so for the reader of the dump: its backslashes are \x5c then.
        names |= {name.replace("\\x5c", "\\") for name in names}
        lost = [those for those in threads.values() if not {name[:31] for name in those} & names and not all(map(str.isdigit, those))]
        if lost:
            faults.append(f"{path}: threads {lost} are missing: {names}")
        if all(line["context"]["kind"] != "unknown" for line in report if "seq" in line):
            faults.compare(f"{path}: threads that have states", min(len(subjects_of(out)), len(subjects_of(path))), len(subjects_of(path)))
        # What an idle core does has no place but an interrupt.
        if any(line["context"]["kind"] == "idle" for line in report if "seq" in line):
            continue
        ours = cores_of(path)
        has_switches = any(line.get("name") in ("TASK_SWITCH", "sched_in") for line in report)
        # In recordings of LiteOS with several cores a task may run on two at once.
        if has_switches and (len(ours) == 1 or "liteos" not in path):
            # Of an interrupt whose begin is not recorded no event of ThreadX has the number.
            has_begins = any(line.get("name") in ("HWI_RESPONSE_IN", "ISR_ENTER") for line in report) and all("seq" in line for line in report)
            got, expected = ({core: [(("interrupt", None) if what[0] == "interrupt" and (not has_begins or not what[1]) else what, at) for what, at in parts]
                              for core, parts in bare(cores).items()} for cores in (cores_of(out), ours))
            for core, parts in expected.items():
                faults.extend(f"{path}: core {core}: {fault}" for fault in difference(got.get(core, []), parts))
            n_parts += sum(map(len, ours.values()))
    ok(not faults and n_paths > least(50), f"of {n_paths} others all {n_threads} threads, and the {n_parts} intervals of cores with switches, are the same", *faults)


def switches_of(path):
    table = json.loads(rastrum("stats", "-q", "--table", "threads", "--format", "json", path).out.splitlines()[0])
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    return {row["thread"]: (row["switches"], row["preemptions"], row["blocks"]) for row in rows if not row["thread"].startswith(UNKNOWN)}


def check_stats():
    path = "tests/data/liteos/m_arm32_full_agent/online.tlv"
    run, out = converted(path)
    ours, theirs = switches_of(path), switches_of(out)
    ok(run.status == 0 and len(ours) > 5 and {name[:31]: row for name, row in ours.items()} == theirs,
       "stats has the same threads, switches, preemptions and waits", ours, theirs)
    ours, theirs = (json.loads(rastrum("info", "-q", "--json", name).out) for name in (path, out))
    ok(theirs["dialect"] == "threadx" and theirs["events"] >= ours["events"], "info has the events", str(theirs)[:300])


def dump_64(stamps):
    """A dump of 64-bit words by hand: events 4096 of the thread 0x1000 at these time stamps."""
    base, n_slots = 0x2000, len(stamps)
    ring = base + 96
    end = ring + 64 * n_slots
    words = [0x54585442, 2**64 - 1, base, base + 96, 32 << 16, ring, ring, end, ring, 0, 0, 0]
    for stamp in stamps:
        words += [0x1000, 5, 4096, stamp, 1, 2, 3, 4]
    return b"".join(word.to_bytes(8, "little") for word in words)


def check_time():
    path, first = path_of("long.trx"), 2**40
    with open(path, "wb") as file:
        file.write(dump_64([first, first + 1000, first + 2**34, first + 2**34 + 1000, first + 3 * 2**34]))
    out = path_of("long32.trx")
    run = rastrum("convert", path, "-t", "txtb", "-o", out)
    at = [line["ts"] for line in lines(out)]
    ok(run.status == 0 and at == [0, 100, 2**34 // 10, (2**34 + 1000) // 10, 3 * 2**34 // 10] and "10 ticks of the recording" in run.err,
       "time stamps are divided so that 32 bits are enough, and a note says so", at, run.err)


def check_notes():
    path = "tests/data/liteos/m_arm32_full_agent/online.tlv"
    run = rastrum("convert", path, "-t", "txtb")
    ok(run.status == 0 and run.bytes[:4] == b"BTXT", "it goes to standard output, too", run.err)
    notes = run.err.splitlines()
    ok(len(notes) < 8 and all(len(line) < 400 for line in notes) and any("not expressed: fields of" in line for line in notes) and
       any("user events: 4096 is " in line for line in notes), "a bounded summary says what is not expressed", *notes)
    run = rastrum("convert", "-q", path, "-t", "txtb")
    same(run.err, "", "and nothing with -q")
    run = rastrum("convert", next(name for name in recordings() if "names-hostile" in name and "liteos" in name), "-t", "txtb")
    ok(run.status == 0 and "1 name is cut to 31 bytes" in run.err, "long names are cut, and counted", run.err)
    run, out = converted("tests/data/rkh/d2_droppedruns.bin")
    lost, theirs = ([line["lost"] for line in lines(name) if "lost" in line] for name in ("tests/data/rkh/d2_droppedruns.bin", out))
    ok(run.status == 0 and len(lost) > 5 and theirs == lost, "lost events are slots without an event, which readers count", lost, theirs)
    run, out = converted("tests/data/rkh/d1_bitflips.bin")
    ok(run.status == 3 and any("lost" in line for line in lines(out)), "damage is a loss, and the exit status 3", run.err)


check_native()
check_others()
check_stats()
check_time()
check_notes()
sys.exit(done())
