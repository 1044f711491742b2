#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SystemView's recordings against the facts that an independent reader found in them: counts, losses, names, the clock."""
import collections
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, rastrum, same  # noqa: E402

FOLDER = "tests/data/systemview/"


def rows(*words, stdin=b""):
    """The exit status and the rows of a report."""
    got = rastrum("report", "--format", "jsonl", *words, stdin=stdin)
    return got.status, [json.loads(line) for line in got.out.splitlines()]


def counts(found):
    """How often each event that every recorder has occurs."""
    return dict(collections.Counter(row["name"] for row in found if row.get("name")))


def names(found):
    return {row["args"]["task"]: row["args"]["name"] for row in found if row.get("name") == "TASK_INFO"}


for name in ("real_restart", "real_overflow", "real_shift2"):
    path = FOLDER + name + ".bin"
    with open(FOLDER + name + ".json", encoding="utf-8") as file:
        facts = json.load(file)
    status, found = rows(path)
    events = [row for row in found if row.get("name") in facts["counts"] or "args" in row]
    known = counts(found)
    same(status, 0, f"{name}: it is recognised and read")
    same(len(events), facts["events"], f"{name}: as many events")
    same({key: known.get(key) for key in facts["counts"]}, facts["counts"], f"{name}: as many of each")
    same(names(found), facts["tasks"], f"{name}: the names of tasks")
    info = rastrum("info", path).out
    info = info.decode() if isinstance(info, bytes) else info
    same(f"{facts['lost']} events lost, in {facts['gaps']} places" in info, facts["lost"] > 0, f"{name}: its losses")
    with open(path, "rb") as file:
        status, piped = rows("-", stdin=file.read())
    same(counts(piped), known, f"{name}: the same from a pipe")


def spent(intervals):
    """Ticks in which the core runs a task, is idle, or is in an interrupt; and how often a task waits, for how long, for what."""
    cores, waits = collections.Counter(), collections.Counter()
    for it in intervals:
        if it.get("kind") == "core":
            cores[it["object"]["id"] if it["state"] == "running" else it["state"]] += it["to"] - it["from"]
        elif it.get("kind") == "thread" and it["state"] == "waiting":
            waits[it["subject"]["id"], it["from"], it["to"]] += 1
    return cores, waits


def simulated(events):
    """The same by the events alone: a task that takes itself out of the ready list waits from its next switch to TASK_START_READY."""
    cores, waits, leaves, left, calls = collections.Counter(), collections.Counter(), set(), {}, collections.defaultdict(list)
    runs, interrupts, before = "unknown", 0, events[0]["ts"]
    placing = ("xQueueReceive", "xQueueSemaphoreTake", "ulTaskGenericNotifyTake", "vTaskPlaceOnEventList", "vTaskDelay",
               "vTaskPlaceOnUnorderedEventList", "vTaskPlaceOnEventListRestricted", "xTaskDelayUntil", "xEventGroupWaitBits")
    for event in events:
        name, at, args = event["name"], event["ts"], event["args"]
        cores["interrupt" if interrupts else runs] += at - before
        before = at
        open_calls = calls[runs]
        if name in ("TASK_START_EXEC", "IDLE"):
            to = args["task"] if name == "TASK_START_EXEC" else "idle"
            if runs != to and runs in leaves:
                left[runs] = at
            leaves.discard(runs)
            runs, interrupts = to, 0
        elif name == "ISR_ENTER":
            interrupts += 1
        elif name in ("ISR_EXIT", "ISR_TO_SCHEDULER"):
            interrupts -= 1
        elif name == "TASK_STOP_READY" and args["task"] == runs:
            leaves.add(runs)
        elif name == "TASK_START_READY":
            leaves.discard(args["task"])
            if args["task"] in left:
                waits[args["task"], left.pop(args["task"]), at] += 1
        elif name == "END_CALL" and event["id"] == 28:
            ids = [number for number, _ in open_calls]
            if args["event"] in ids:
                del open_calls[len(ids) - 1 - ids[::-1].index(args["event"]):]
        elif event["id"] >= 150:
            if name == "uxListRemove" and open_calls and open_calls[-1][1] in placing and not interrupts:
                leaves.add(runs)
            open_calls.append((event["id"], name))
    for task, at in left.items():
        waits[task, at, events[-1]["ts"]] += 1
    return cores, waits


EVENTS = [row for row in rows(FOLDER + "real_freertos11_begin.bin")[1] if "args" in row]
got_cores, got_waits = spent(rows(FOLDER + "real_freertos11_begin.bin", "--intervals")[1])
cores, waits = simulated(EVENTS)
same(got_cores, cores, "FreeRTOS 11: each task, idle and the interrupts have the core for so long")
same(got_waits, waits, "FreeRTOS 11: each task waits from its switch to TASK_START_READY")
same(sum(waits.values()), 46, "FreeRTOS 11: so many waits were compared")
for name, idle in ("real_restart", 19429), ("real_shift2", 32378):
    same(spent(rows(FOLDER + name + ".bin", "--intervals")[1])[0]["idle"], idle, f"{name}: the core is idle as long as the program says")
# FreeRTOS 10 records no sign that motor waits for ever in xQueueGenericReceive, nor that it does not.
SILENT = bytes.fromhex(
    10 * "00" + "0a64 180dc0843d80d8f1168080808002020a" "09800805056d6f746f720a" "0980100307646973706c61790a" "0680080a" "0680100a" "0480080a"
    "5c0a8018800cffffffff0f000a" "0480100a" "0680080a" "0480080a" "0480100a")
LEFT = [(it["state"], it["from"], it["to"]) for it in rows("--dialect", "systemview", "--opt", "set=freertos10", "--intervals", "-", stdin=SILENT)[1]
        if it["kind"] == "thread" and it["subject"]["name"] == "motor" and it["from"] >= 60]
same(LEFT, [("running", 60, 80), ("unknown", 80, 90), ("ready", 90, 100), ("running", 100, 110)],
     "FreeRTOS 10: a task that leaves its core behind a call that may block is unknown until it is made ready")
sys.exit(done())
