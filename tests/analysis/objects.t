#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of objects (locks, queues, …): figures of generated schedules (tests/scheduler.py), and of recordings, by hand."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from scheduler import MUTEX_GET, SEMAPHORE_GET, SEMAPHORE_PUT, SLEEP, Schedule
from tap import Faults, done, ok, rastrum, same, sample
from threadx_events import OWN_PRIORITY, THREAD, image

N_SCHEDULES = 25
THREADX = "tests/data/threadx"


def table(name, path, *options):
    """A table's object, and its rows as dictionaries."""
    run = rastrum("stats", "--table", name, "--json", *options, path)
    answer = json.loads(run.out)
    names = [column["name"] for column in answer["columns"]]
    return answer, [dict(zip(names, row)) for row in answer["rows"]]


def compare_locks(schedule, path, faults):
    rows = {row["lock"]: row for row in table("locks", path)[1]}
    for lock in schedule.locks:
        row = rows.pop(lock.name, None)
        if not row:
            faults.compare(f"{path}: holds of {lock.name}, which is not in the table", lock.holds, [])
            continue
        waits = [(t.name, begin, end) for t in schedule.threads for state, reason, thing, begin, end in t.history
                 if state == "waiting" and thing == lock.name]
        whole_waits = [wait for wait in waits if wait[2] < schedule.now]
        holds = [(owner.name, begin, end) for owner, begin, end in lock.holds]
        whole_holds = holds[:-1] if lock.owner else holds
        truth = {
            "kind": "mutex", "acquisitions": len(holds), "contended": len(whole_waits),
            "total_wait": sum(end - begin for _, begin, end in waits),
            "max_wait": max((end - begin for _, begin, end in whole_waits), default=None),
            "total_hold": sum(end - begin for _, begin, end in holds),
            "max_hold": max((end - begin for _, begin, end in whole_holds), default=None), "unknown": 0,
        }
        for column, expected in truth.items():
            faults.compare(f"{path}: {lock.name} {column}", row[column], expected)
        for column, intervals in (("max_wait", whole_waits), ("max_hold", whole_holds)):
            longest = [(name, end) for name, begin, end in intervals if end - begin == row[column]]
            if intervals and (row[f"{column}_thread"], row[f"{column}_at"]) not in longest:
                faults.append(f"{path}: {lock.name} {column}: {row[f'{column}_thread']} at {row[f'{column}_at']}: not of {longest}")
    faults.compare(f"{path}: locks that there are not", list(rows), [])


def compare_parts(path, faults):
    """The parts of --per sum up to the whole, also where what is counted is longer than a part."""
    tables = {
        "locks": ("lock", ("acquisitions", "contended", "total_wait", "total_hold")),
        "queues": ("queue", ("sends", "receives", "total_wait", "waits")),
        "services": ("service", ("calls", "blocked", "total_wait")),
        "interrupts": ("interrupt", ("count", "total", "nested")),
    }
    for name, (key, columns) in tables.items():
        parts = table(name, path, "--per", "777")[1]
        for row in table(name, path)[1]:
            mine = [part for part in parts if part[key] == row[key]]
            for column in columns:
                faults.compare(f"{path}: {name} {row[key]} {column}", sum(part[column] or 0 for part in mine), row[column])


def compare_semaphores(schedule, path, faults):
    rows = {row["queue"]: row for row in table("queues", path)[1]}
    for semaphore in schedule.semaphores:
        calls = [number for _, _, _, number, words in schedule.events if words[0] == semaphore.address]
        waits = [(begin, end) for t in schedule.threads for state, _, thing, begin, end in t.history
                 if state == "waiting" and thing == semaphore.name]
        row = rows.get(semaphore.name, dict.fromkeys(("sends", "receives", "total_wait"), 0))
        for column, expected in (("sends", calls.count(SEMAPHORE_PUT)), ("receives", calls.count(SEMAPHORE_GET)),
                                 ("total_wait", sum(end - begin for begin, end in waits))):
            faults.compare(f"{path}: {semaphore.name} {column}", row[column], expected)


def compare_services(schedule, path, faults):
    rows = {row["service"]: row for row in table("services", path)[1]}
    for number, name, reason in ((SEMAPHORE_GET, "TX_TRACE_SEMAPHORE_GET", "semaphore"), (MUTEX_GET, "TX_TRACE_MUTEX_GET", "lock"),
                                 (SLEEP, "TX_TRACE_THREAD_SLEEP", "sleep")):
        calls = [event for event in schedule.events if event[3] == number]
        if not calls:
            continue
        waits = [end - begin for t in schedule.threads for _, why, _, begin, end in t.history if why == reason]
        got = rows[name]
        faults.compare(f"{path}: {name}", (got["calls"], got["blocked"], got["total_wait"]), (len(calls), len(waits), sum(waits)))


def check_schedules():
    locks, semaphores, services, sums_of_parts = Faults(), Faults(), Faults(), Faults()
    with tempfile.TemporaryDirectory(prefix="rastrum-objects-") as folder:
        for seed in sample(range(N_SCHEDULES)):
            schedule = Schedule(seed)
            path = os.path.join(folder, f"{seed}.trx")
            with open(path, "wb") as out:
                out.write(schedule.dump())
            compare_locks(schedule, path, locks)
            compare_semaphores(schedule, path, semaphores)
            compare_services(schedule, path, services)
            compare_parts(path, sums_of_parts)
    ok(not locks, "locks: who had them and waited for them, how often and how long, is what the simulator knows", *locks)
    ok(not semaphores, "queues: what went into semaphores and out of them, and the waits, is what the simulator knows", *semaphores)
    ok(not services, "services: how often each was called, how often and how long it made threads wait", *services)
    ok(not sums_of_parts, "the parts of --per sum up to the whole", *sums_of_parts)


def check_locks():
    answer, rows = table("locks", f"{THREADX}/priority_inversion.trx")
    row, = rows
    # Four rounds: low takes it, high waits for it and gets it when low gives it back.
    same({key: row[key] for key in ("lock", "acquisitions", "contended", "contention", "max_hold", "max_hold_thread", "max_wait",
                                    "max_wait_thread")},
         {"lock": "resource (plain)", "acquisitions": 8, "contended": 4, "contention": 50, "max_hold": 343030361 - 333801383,
          "max_hold_thread": "low", "max_wait": 343030682 - 336372703, "max_wait_thread": "high"},
         "locks: a mutex that low has while high waits for it, four times")
    same((row["max_hold_at"], row["max_wait_at"], answer["unknown"]), (343030361, 343030682, 0), "with the moments of the longest")


def check_queues():
    rows = {row["queue"]: row for row in table("queues", f"{THREADX}/basic_objects.trx")[1]}
    row = rows["queue one"]
    # 20 sends and one to the front; the consumer waits four times, then the message is handed over.
    same((row["sends"], row["receives"], row["max_level"], row["max_level_at"], row["capacity"], row["waits"]),
         (21, 21, 4, 262123480, 10, 4), "queues: 21 messages, four of them at a time")
    same(row["max_wait"], 262123099 - 251915207, "the longest wait is the first one")
    same((row["full"], rows["sema one"]["sends"], rows["flags one"]["kind"]), (0, 2, "event_flags"), "it was never full")


def check_memory(folder):
    pool, path = 0x9000, os.path.join(folder, "leaks.trx")
    steps = [(THREAD, 21, (pool, 0x100000, 4000, 0)),       # byte pool create
             (THREAD, 20, (pool, 0x100100, 40, 0)),         # allocates
             (THREAD + 256, 20, (pool, 0x100200, 50, 0)),
             (THREAD, 27, (pool, 0x100200, 0, 3900)),       # releases the other's
             (THREAD, 20, (pool, 0x100300, 60, 0)),
             (THREAD + 256, 20, (pool, 0, 5000, 0)),        # is refused
             (THREAD, 27, (pool, 0x100400, 0, 3900))]       # what was allocated before the window
    with open(path, "wb") as out:
        out.write(image([(1, THREAD, "a", 0, 0), (1, THREAD + 256, "b", 0, 0), (8, pool, "pool", 0, 4000)],
                        [(thread, OWN_PRIORITY, number, words) for thread, number, words in steps]))
    rows = table("memory", path)[1]
    row = next(row for row in rows if row["kind"] == "byte_pool")
    same({key: row[key] for key in ("pool", "capacity", "unit", "allocations", "frees", "failed", "total", "largest", "leaks", "leaked",
                                    "unmatched")},
         {"pool": "pool", "capacity": 4000, "unit": "bytes", "allocations": 3, "frees": 2, "failed": 1, "total": 150, "largest": 60,
          "leaks": 2, "leaked": 100, "unmatched": 1}, "memory: what was allocated of a pool, given back, refused and leaked")
    same([(row["pool"], row["thread"], row["leaks"], row["leaked"]) for row in rows if row["kind"] == "leak"],
         [("pool", "a", 2, 100)], "by the thread that allocated it")
    parts = table("memory", path, "--per", "3")[1]
    same([row["leaks"] for row in parts if row["kind"] == "byte_pool"], [1, 1, None],
         "with --per a leak belongs to the part in which it was allocated")
    blocks = next(row for row in table("memory", f"{THREADX}/basic_objects.trx")[1] if row["kind"] == "block_pool")
    same((blocks["capacity"], blocks["least_free"], blocks["max_used"], blocks["allocations"], blocks["leaks"]), (8, 7, 1, 20, 0),
         "of a block pool the least free is known, too")


def check_services():
    path = f"{THREADX}/basic_objects.trx"
    answer, rows = table("services", path)
    counts = {}
    for line in rastrum("report", "-f", "jsonl", path).lines:
        event = json.loads(line)
        counts[event["name"]] = counts.get(event["name"], 0) + 1
    same({row["service"]: row["calls"] for row in rows}, counts, "services: calls are the events of each type")
    receive = next(row for row in rows if row["service"] == "TX_TRACE_QUEUE_RECEIVE")
    queue = next(row for row in table("queues", path)[1] if row["queue"] == "queue one")
    same((receive["blocked"], receive["total_wait"], receive["max_wait_thread"]), (queue["waits"], queue["total_wait"], "consumer"),
         "and the waits for a queue are those of its receives")
    same(answer["unknown"], 0, "nothing is unknown there")


def check_stacks():
    faults, n_seen = Faults(), 0
    for name in sorted(os.listdir(f"{THREADX}/tracex-samples")):
        if not name.endswith(".expected.json"):
            continue
        path = f"{THREADX}/tracex-samples/{name}"
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        stacks = facts.get("tracex", facts)["stack"].values()
        # TraceX shows a stack without an address as free; no row says so here.
        truth = sorted((stack["size"], stack["min_available"]) for stack in stacks if stack["min_available"] != stack["size"])
        rows = table("stacks", path.replace(".expected.json", ".trx"))[1]
        faults.compare(name, sorted((row["size"], row["least_free"]) for row in rows if row["samples"]), truth)
        n_seen += len(truth)
    ok(n_seen > 10 and not faults, "stacks: the least free of each is what TraceX shows", *faults)
    rows = table("stacks", f"{THREADX}/priority_inversion.trx")[1]
    ok(rows and all(row["least_free"] is None and row["outside"] for row in rows),
       "threads that run on stacks of the host have addresses outside, and no figure")


def intervals(path, kind):
    found = [json.loads(line) for line in rastrum("report", "--intervals", "--format", "jsonl", path).lines]
    return [interval for interval in found if interval["kind"] == kind]


def check_interrupts():
    faults = Faults()
    for name in sorted(os.listdir(THREADX)):
        if not name.endswith(".expected.json") or "smp" in name:
            continue
        with open(f"{THREADX}/{name}", encoding="utf-8") as file:
            facts = json.load(file)
        facts = facts.get("tracex", facts)
        rows = table("interrupts", f"{THREADX}/{name.replace('.expected.json', '.trx')}")[1]
        faults.compare(f"{name} interrupts", sum(row["count"] for row in rows), find(facts, "interrupts"))
        faults.compare(f"{name} nested", sum(row["nested"] for row in rows), find(facts, "nested_interrupts"))
    ok(not faults, "interrupts: how many there were, and how many nested, is what an independent reader counts", *faults)
    path = f"{THREADX}/isr_nested.trx"
    rows = {row["interrupt"]: row for row in table("interrupts", path)[1]}
    for number, row in rows.items():
        mine = [i for i in intervals(path, "interrupt") if str(i["subject"]) == number]
        lengths = [i["to"] - i["from"] for i in mine]
        begins = sorted(i["from"] for i in mine)
        gaps = [b - a for a, b in zip(begins, begins[1:])]
        faults.compare(f"{number}", (row["total"], row["max"], row["min_gap"], row["max_gap"], row["mean"]),
                       (sum(lengths), max(lengths), min(gaps), max(gaps), int(sum(lengths) / len(lengths) + 0.5)))
    ok(not faults, "their lengths and the distances of their begins are those of the intervals", *faults)


def find(facts, key):
    """The value of a key, however deep it lies."""
    if isinstance(facts, dict):
        if key in facts and isinstance(facts[key], int):
            return facts[key]
        facts = list(facts.values())
    for inner in facts if isinstance(facts, list) else []:
        found = find(inner, key)
        if found is not None:
            return found
    return None


def check_machines():
    path = "tests/data/rkh/r1_default.bin"
    rows = table("machines", path, "--clock-hz", "1G")[1]
    of = {}
    for interval in intervals(path, "machine"):
        of.setdefault(interval["subject"]["name"], []).append(interval)
    faults = Faults()
    for name, states in of.items():
        totals, moves = {}, {}
        for interval in states:
            state = interval["object"]["name"]
            totals[state] = totals.get(state, 0) + interval["to"] - interval["from"]
        for before, after in zip(states, states[1:]):
            move = (before["object"]["name"], after["object"]["name"])
            moves[move] = moves.get(move, 0) + 1
        mine = [row for row in rows if row["machine"] == name]
        faults.compare(f"{name} states", {row["state"]: row["total"] for row in mine if row["kind"] == "state"}, totals)
        faults.compare(f"{name} transitions",
                       {(row["state"], row["next"]): row["count"] for row in mine if row["kind"] == "transition"}, moves)
    ok(of and not faults, "machines: the time in each state and the transitions are those of the intervals", *faults)
    counts = {}
    for span in intervals(path, "span"):
        if span["to_seq"] is None:  # its machine has another name later
            continue
        key = (span["object"]["name"], span["subject"]["name"])
        counts[key] = counts.get(key, 0) + 1
    got = {(row["machine"], row["event"]): row["count"] for row in rows if row["kind"] == "dispatch" and row["max"] is not None}
    ok(got == counts, "and each event that a machine handled is one of its dispatches", sorted(set(got.items()) ^ set(counts.items())))


def expected_timers(path, begins, ends, expires, creations):
    """Of each timer: starts, stops, expiries, the longest time from one expiry to the next, and that from a start to the first."""
    found, last = {}, {}
    for line in rastrum("report", "-q", "-f", "jsonl", path).lines:
        row = json.loads(line)
        if "name" not in row:
            last.clear()
        elif row["name"] in begins + ends + expires + creations:
            timer = row["args"].get("timer") or row["args"].get("object")
            figures = found.setdefault(timer, {"started": 0, "stopped": 0, "expired": 0, "max": None, "first_max": None})
            for column, names in (("started", begins), ("stopped", ends), ("expired", expires)):
                figures[column] += row["name"] in names
            kind, at = last.pop(timer, (None, 0))
            if row["name"] in expires and kind:
                column = "first_max" if kind == "start" else "max"
                figures[column] = max(figures[column] or 0, row["ns"] - at)
            if row["name"] in begins + expires:
                last[timer] = "start" if row["name"] in begins else "expiry", row["ns"]
    return sorted(map(repr, found.values()))


def check_timers():
    faults, n = Faults(), 0
    tmr = ("RKH_TE_TMR_START",), ("RKH_TE_TMR_STOP",), ("RKH_TE_TMR_TOUT",), ("RKH_TE_TMR_INIT",)
    freertos = ("TIMER_START", "TIMER_RESET", "TIMER_CHANGEPERIOD"), ("TIMER_STOP",), ("TIMER_EXPIRED",), ("TIMER_CREATE", "TIMER_DELETE")
    for path, names in (("tests/data/rkh/r1_default.bin", tmr), ("tests/data/percepio/real_drop32.psf", freertos)):
        rows = table("timers", path)[1]
        expected = expected_timers(path, *names)
        n += sum(row["expired"] or 0 for row in rows)
        faults.compare(path, sorted(repr({key: row[key] for key in ("started", "stopped", "expired", "max", "first_max")}) for row in rows), expected)
        parts = table("timers", path, "--per", "777")[1]
        for row in rows:
            for column in ("started", "stopped", "expired"):
                faults.compare(f"{path}: {column} of all parts", sum(part[column] or 0 for part in parts if part["timer"] == row["timer"]), row[column])
    ok(n > 20 and not faults, f"timers: starts, stops, {n} expiries and the longest times are those of the events", *faults)


def check_titles():
    titles = [line.split(":")[0] for line in rastrum("stats", "-q", "--table", "interrupts", f"{THREADX}/isr_nested.trx").lines if " of " in line]
    same(titles[:2], ["lengths of interrupt 17", "lengths of interrupt 0"], "a histogram of a subject that is a number has its kind in the title")


def check_page():
    path = "tests/data/rkh/r1_default.bin"
    same(table("threads", path)[1], [], "threads: none where the recording does not show that threads run")
    page = rastrum("stats", path).lines
    ok(len(page) <= 24 and max(map(len, page)) <= 80 and any("machines (" in line for line in page)
       and any("queues (" in line for line in page), "its page has the tables that have something, in 80 columns", *page)


def check_spans():
    path = "tests/data/rkh/r1_default.bin"
    rows = table("spans", path, "--clock-hz", "1G")[1]
    found = intervals(path, "span")
    totals = {}
    for span in found:
        totals[span["subject"]["name"]] = totals.get(span["subject"]["name"], 0) + span["to"] - span["from"]
    same({row["span"]: row["total"] for row in rows}, totals, "spans: the sums of time are those of the intervals")
    open_at_the_end = {span["subject"]["name"] for span in found if span["to_seq"] is None}
    ok(not [row for row in rows if row["span"] not in open_at_the_end and row["self"] != row["total"]],
       "what an active object does at a time is one span: it takes all of its time itself")


def check_losses():
    path = "tests/data/rkh/d2_droppedruns.bin"
    answer, rows = table("losses", path, "--clock-hz", "1G")
    info = json.loads(rastrum("info", "--json", path).out)
    lost = [row for row in rows if row["kind"] == "loss"]
    same((sum(row["count"] for row in lost), sum(row["events"] for row in lost)), (find(info, "gaps"), find(info, "lost")),
         "losses: as many places and events as the sequence numbers tell")
    events = [json.loads(line) for line in rastrum("report", "-f", "jsonl", "--clock-hz", "1G", path).lines]
    uncertain, before, is_lost = 0, 0, False
    for event in events:
        is_gap = "name" not in event
        if not is_gap:
            uncertain += event["ts"] - before if is_lost else 0
            before = event["ts"]
        is_lost = is_gap
    same(sum(row["uncertain"] for row in rows), uncertain, "with the time between the events around them")
    window = answer["window"]["to"] - answer["window"]["from"]
    ok(abs(answer["unknown"] - uncertain / window) < 1e-5, "which is what the table calls unknown", answer["unknown"], uncertain / window)


def check_splat():
    path = f"{THREADX}/priority_inversion.trx"
    run = rastrum("splat", "--clock-hz", "1G", path)
    # 8 acquisitions in 42.25417 ms, four of which waited 26.528884 ms together; held 40.507717 ms.
    ok(run.status == 0 and "          Mutex:         1              8           189.330           0.026529" in run.out,
       "splat: how many locks of each kind, how often they were acquired, and the waits", run.err, *run.lines)
    ok("resource (plain)        M        8       4  50.0000 100.0000   189.330   95.8668" in run.out,
       "splat: a line for each lock", *run.lines)
    ok("  LOCK            8       0.938214       9.228978       5.063465      40.507717" in run.out and
       "  WAIT            4       6.618721       6.657979       6.632221      26.528884" in run.out,
       "splat: how long it was held and waited for, in milliseconds", *run.lines)
    ok(" low                            4    0.00       0      86.90          0.00" in run.out and
       " high                           4  100.00       4       8.97         62.78" in run.out,
       "splat: and by which thread", *run.lines)
    ok(max(len(line) for line in run.lines if "trx" not in line) <= 80, "splat: in 80 columns")
    ticks = rastrum("splat", path)
    ok("      40507717" in ticks.out and "N/A" in ticks.out, "splat: in ticks, where the clock is not known", *ticks.lines)
    ok("All Locks:         0" in rastrum("splat", "tests/data/rkh/r1_default.bin").out,
       "splat: a recording without locks has none")
    ok(rastrum("splat").status == 2, "splat: needs a file")


def check_splat_letters():
    """Each letter of IBM's page of splat has its meaning here, or is refused with the reason."""
    path = f"{THREADX}/priority_inversion.trx"
    plain = rastrum("splat", "--clock-hz", "1G", path)

    def splat(*letters):
        return rastrum("splat", "--clock-hz", "1G", "-i", path, *letters)

    same((splat().status, splat().out, splat("-da", "-sa", "-S", "100").out), (0, plain.out, plain.out), "splat -i: the input; -d a and -s a are the default")
    basic = splat("-d", "b")
    ok("Lock Activity" in basic.out and " low " not in basic.out and " low " in splat("-d", "t").out, "splat -d b: without threads", *basic.lines)
    same((splat("-l", "0x565d8ec0").out, "All Locks:         0" in splat("-l", "565d8ec1").out), (plain.out, True), "splat -l: the lock of an address")
    same((splat("-c", "mutex").out, "All Locks:         0" in splat("-c", "rwlock").out), (plain.out, True), "splat -c: locks of a kind")
    one = splat("-S", "1")
    same(sum(line.startswith((" low", " high")) for line in one.lines), 1, "splat -S: no more lines than that")
    window = rastrum("splat", "--clock-hz", "1G", "--from", "0.32s", "--to", "0.33s", path)
    same((splat("-t", "0.32", "-T", "0.33").out, window.out != plain.out), (window.out, True), "splat -t, -T: from and to, in seconds")
    for letters, reason in ((("-C", "4"), "processors"), (("-p",), "register"), (("-d", "f"), "functions"), (("-s", "c"), "processor time"),
                            (("-s", "s"), "spinning"), (("-s", "S"), "spinning"), (("-s", "x"), "a, e, l or m"), (("-d", "z"), "b, t or a"), (("-l", "zz"), "hexadecimal")):
        run = splat(*letters)
        ok(run.status == 2 and run.err.startswith(f"rastrum: {letters[0]}") and reason in run.err and not run.out, f"splat {' '.join(letters)} is refused with the reason", run.err)
    with tempfile.TemporaryDirectory(prefix="rastrum-splat-") as folder:
        same((splat("-o", f"{folder}/out").out, open(f"{folder}/out", encoding="utf-8").read()), ("", plain.out), "splat -o: a file")


def check_splat_order():
    """-s: three locks whose figures differ in each order."""
    dump = Schedule(1).dump()

    def rows(letter):
        lines = rastrum("splat", "-q", "-i", "-", "-s", letter, "-d", "b", stdin=dump).lines
        begin = next(i for i, line in enumerate(lines) if line.startswith("******") and " * " in line)
        return [line.split() for line in lines[begin + 1:lines.index("*" * 79, begin)]]  # mutex N M acquired waits %miss %total rate %held

    for letter, column in (("a", 3), ("m", 5), ("e", 8)):
        figures = [float(row[column]) for row in rows(letter)]
        ok(len(set(figures)) > 1 and figures == sorted(figures, reverse=True), f"splat -s {letter}: the largest first", figures)
    same([row[1] for row in rows("l")], ["0", "1", "2"], "splat -s l: by address")


check_schedules()
check_locks()
check_splat()
check_splat_letters()
check_splat_order()
check_queues()
with tempfile.TemporaryDirectory(prefix="rastrum-memory-") as memory:
    check_memory(memory)
check_services()
check_stacks()
check_interrupts()
check_machines()
check_timers()
check_titles()
check_page()
check_spans()
check_losses()
sys.exit(done())
