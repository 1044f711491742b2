#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
librastrum-preload.so in programs that were never changed: they do what they always do, traced or not, and what is told of
them is true. The programs are in tests/preload/, each scene of actor.c checks itself.
"""
import collections
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, Faults, done, ok, rastrum, same, skip  # noqa: E402

OUT = os.path.abspath(f"build/{BUILD}")
STAGE = os.path.join(OUT, "test/tests/preload")
ACTOR = os.path.join(STAGE, "actor")
FOLDER = tempfile.mkdtemp(prefix="rastrum-preload-")
SCENES = {"locks": 0, "robust": 0, "shared": 0, "free": 0, "conditions": 0, "threads": 0, "cancel": 0, "signals": 0, "processes": 42,
          "files": 0, "libraries": 0, "errno": 0, "storm": 0}
# The sanitizers want to be loaded first; behind the library they work as well.
SANITIZER = {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", "")}


if BUILD == "tsan":
    skip("a preloaded program is what it always is", "the thread sanitizer bears no library in front of it")
    sys.exit(done())


def run(*words, log=None, preloaded=True, **more):
    libraries = [f"{OUT}/librastrum-preload.so"] * preloaded + [f"{STAGE}/stream.so"] * (log is not None)
    environment = {**os.environ, **(SANITIZER if BUILD == "asan" else {}), **more}
    environment.update(LD_PRELOAD=" ".join(libraries), POSIX_TRACE_CONSUMER=f"{OUT}/posix-trace-consumer")
    if log:
        environment["PRELOAD_LOG"] = log
    return subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          check=False)


def read(log):
    """The events of a log once it has its end, with the fields and the context beside each other."""
    for _ in range(200):
        if json.loads(rastrum("info", "--json", log).out)["details"]["complete"]:
            break
        subprocess.run(["sleep", "0.05"], check=True)
    rows = [json.loads(line) for line in rastrum("report", "-f", "jsonl", log).lines]
    return [event_of(row) if "name" in row else row for row in rows]


def event_of(row):
    """A thread's name is a field of some, and not the event's."""
    args = {("called" if key == "name" else key): value for key, value in (row.get("args") or {}).items()}
    context = row["context"] or {}
    return {"name": row["name"], "tid": context.get("id"), "who": context.get("name"), "text": row.get("text"), **args}


def trace(*words, expected=0, **more):
    log = os.path.join(FOLDER, f"{os.path.basename(words[0])}-{words[-1].replace('/', '_')}.rst")
    result = run(*words, log=log, **more)
    ok(result.returncode == expected, f"{' '.join([os.path.basename(words[0]), *words[1:]])} is what it always is while it is traced",
       f"status {result.returncode}", result.stderr)
    return [event for event in read(log) if not str(event.get("name")).startswith("POSIX_TRACE_")]


def named(events, *names):
    return [event for event in events if event.get("name") in names]


def names(events):
    return [event.get("name") for event in events]


def count(events):
    return collections.Counter(names(events))


# --- no stream traces ----------------------------------------------------------------------------------------------------

for scene, status in SCENES.items():
    result = run(ACTOR, scene)
    ok(result.returncode == status, f"{scene}: a preloaded program is what it always is while no stream traces",
       f"status {result.returncode}", result.stderr)

events = {scene: trace(ACTOR, scene, expected=status) for scene, status in SCENES.items()}
for scene, found in events.items():
    ok(not [e for e in found if "lost" in e or "damage" in e], f"{scene}: no event is lost")
    mine = [e for e in found if any(word in e for word in ("cut", "rest", "data", "data_"))]
    ok(not mine, f"{scene}: all data are described", *mine)

# --- locks ------------------------------------------------------------------------------------------------------------

locks = events["locks"]
waits, begun = named(locks, "sys_mutex_wait"), named(locks, "sys_thread_begin")
main_thread = named(locks, "sys_thread_create")[0]["tid"]
same([(e["tid"] != main_thread, e["holder"]) for e in waits[:3]], [(True, main_thread)] * 3,
     "the wait for a mutex has the number of its owner")
same(names(named([e for e in locks if e["tid"] == waits[0]["tid"]], "sys_mutex_wait", "sys_mutex_acquire", "sys_mutex_release")),
     ["sys_mutex_wait", "sys_mutex_acquire", "sys_mutex_release"], "it gets the mutex, and gives it back")
answer = json.loads(rastrum("stats", "--table", "services", "--json", os.path.join(FOLDER, "actor-signals.rst")).out)
columns = [column["name"] for column in answer["columns"]]
services = {row[columns.index("service")]: dict(zip(columns, row)) for row in answer["rows"]}
same([name for name in services if name.endswith("_end") or name.startswith("POSIX_TRACE_")], [], "what ends a call is no service, nor is the recorder")
waits = services["sys_child_wait_begin"]
ok(waits["total"] and waits["total"] >= waits["total_wait"] > 0, "a call that waits is timed from its begin to its end", waits)
order = [(e["name"], e["tid"] == main_thread) for e in
         named(locks, "sys_mutex_wait", "sys_mutex_release", "sys_mutex_acquire")[:3]]
same(order, [("sys_mutex_wait", False), ("sys_mutex_release", True), ("sys_mutex_acquire", False)],
     "its release is recorded before it is acquired")
same([e["error"] for e in named(locks, "sys_mutex_give_up")], [110, 110, 35], "a wait that fails has its error")
same([e["name"] for e in locks if "rwlock" in e],
     ["sys_rwlock_read_wait", "sys_rwlock_release", "sys_rwlock_read_acquire", "sys_rwlock_release",
      "sys_rwlock_write_wait", "sys_rwlock_release", "sys_rwlock_write_acquire", "sys_rwlock_release"],
     "read-write locks are reported alike")
if BUILD == "release":
    called = {re.search(r"(?:mutex|lock) ('[^']+'|0x\w+)", e["text"]).group(1) for e in
              named(locks, "sys_mutex_wait", "sys_rwlock_read_wait", "sys_rwlock_write_wait")}
    ok({"'mutex'", "'rwlock'"} <= called, "a lock of the program has the name of its variable", *called)
same(count(events["free"]), {"sys_program_begin": 1, "sys_process_exit": 1}, "what no thread waits for is not recorded")
same([e["text"] for e in events["robust"] if "mutex" in e["name"] and "ENOTRECOVERABLE" in e["text"]] != [], True,
     "a mutex that is lost for ever is reported as such")
same(len(named(events["robust"], "sys_mutex_recover")), 4, "each time one is got whose owner died, that is told")
same([e["text"] for e in named(events["robust"], "sys_mutex_recover") if "whose owner died holding it" in e["text"]] != [], True,
     "in words, too")
every = trace(ACTOR, "free", RASTRUM_SYSTEM="locks", PRELOAD_STREAM_BYTES=str(64 << 20))
first = {name: next(e[name] for e in every if name in e) for name in ("mutex", "rwlock")}
every = count(e for e in every if any(e.get(name) == lock for name, lock in first.items()))  # the recorder's own come last
same(every, {name: 100000 for name in ("sys_mutex_acquire", "sys_mutex_release", "sys_rwlock_read_acquire", "sys_rwlock_release")},
     "on request every lock that is taken and given back is reported")

# --- locks of several processes ---------------------------------------------------------------------------------------

shared = events["shared"]
log = os.path.join(FOLDER, "actor-shared.rst")
rows = [json.loads(line) for line in rastrum("report", "--intervals", "-f", "jsonl", log).lines]
KINDS = ("mutex", "rwlock", "semaphore", "condition", "barrier")


def things_of(kind):
    """The processes that name each thing of this kind, and the addresses that they have for it, by the name in sentences."""
    found = collections.defaultdict(set)
    for e in shared:
        if kind in e:
            word = "lock" if kind == "rwlock" else kind
            found[re.search(f"{word} '?([^', ]+)", e["text"]).group(1)].add((e["process"], e[kind]))
    return found


things = {kind: things_of(kind) for kind in KINDS}
both = {kind: sorted(re.sub(r"^sem\..*\+", "named+", name) for name, at in found.items() if len({process for process, _ in at}) == 2)
        for kind, found in things.items()}
places = {kind: [name.split("+")[0] for name in names] for kind, names in both.items()}
same(places, {"mutex": ["memfd:actor"], "rwlock": ["memfd:actor"], "condition": ["memfd:actor"], "barrier": ["memfd:actor"],
              "semaphore": ["SYSV00000000", "anonymous", "memfd:actor", "named"]},
     "a lock that processes share is one, of each kind and in each kind of memory")
moved = [name for found in things.values() for name, at in found.items()
         if name.startswith(("memfd:", "SYSV")) and len({process for process, _ in at}) == 2 and len({address for _, address in at}) != 2]
same(moved, [], "though they have it at different addresses")
owners = collections.defaultdict(list)
for row in rows:
    if row["kind"] == "lock" and row["object"]:
        owners[row["subject"]["id"]].append(row["object"]["name"])
both_hold = [names for names in owners.values() if "child" in names and "actor" in names]
same(both_hold, [["actor", "child"]] * 2, "a mutex and a read-write lock have holders of both processes")
answer = json.loads(rastrum("stats", "--table", "locks", "--json", log).out)
columns = [column["name"] for column in answer["columns"]]
counts = sorted(tuple(row[columns.index(name)] for name in ("kind", "acquisitions", "contended")) for row in answer["rows"])
same(counts, [("mutex", 1, 0)] + [("mutex", 1, 1)] * 3 + [("rwlock", 1, 1)], "and each lock is counted once")
used_again = [re.search(r"mutex (\S+), held", e["text"]).group(1) for e in named(shared, "sys_mutex_wait")][1:]
ok(used_again[0] == "'memfd:actor+0x2000'" and used_again[1].startswith("0x7"),
   "another part of the file at an address is another lock, and a lock of the process there is its own", *used_again)

# --- conditions, semaphores, threads --------------------------------------------------------------------------------------

conditions = events["conditions"]
consumer = named(conditions, "sys_thread_begin")[0]["tid"]
same(names([e for e in conditions if e["tid"] == consumer and e["name"] != "sys_module"]),
     ["sys_thread_begin", *["sys_condition_wait", "sys_condition_wake"] * 3, "sys_mutex_release", "sys_semaphore_wait",
      "sys_semaphore_acquire", "sys_semaphore_wait", "sys_semaphore_give_up", "sys_barrier_begin", "sys_barrier_end",
      "sys_thread_exit"], "a consumer's life is reported from its begin to its exit")
same([e["waiters"] for e in named(conditions, "sys_condition_signal")], [1], "a signal has the number of waiting threads")
same(len(named(conditions, "sys_semaphore_post")), 1, "a post is recorded when a thread waits for it")

threads = events["threads"]
same([e["called"] for e in named(threads, "sys_thread_name")], ["leaver"], "a thread's name is reported")
same({e["who"] for e in named(threads, "sys_thread_exit")} - {"leaver"}, {f"actor/{e['tid']}" for e in
     named(threads, "sys_thread_begin")[1:]}, "it has it from there on; without one it has its maker's and a number")
same(len(named(threads, "sys_thread_begin")), len(named(threads, "sys_thread_exit")),
     "a thread exits once, by return, pthread_exit or cancellation")
same([e["text"].split()[-3] for e in named(threads, "sys_thread_create_failed")], ["EAGAIN"], "a thread that cannot be made is reported")
begun = {e["tid"] for e in named(threads, "sys_thread_begin")}
joined = {e["thread"] for e in named(threads, "sys_join_begin") if e["thread"]}
ok(joined and joined <= begun, "a join has the number of the joined thread", f"{joined} {begun}")

# --- signals ------------------------------------------------------------------------------------------------------------

signals = events["signals"]
by_handler = [e["text"] for e in named(signals, "sys_signal_begin")]
ok(any("receives SIGUSR2 from process 'actor' and runs handler with_info" in text for text in by_handler) or BUILD != "release",
   "a signal has its sender and the handler's name", *by_handler)
lost = [text for text in by_handler if "runs handler on_leave" in text]
same(len(lost), 2, "a handler that is left by a jump was begun")
same(len(named(signals, "sys_signal_begin")) - len(named(signals, "sys_signal_end")), 2, "and has no end; all others have one")

# --- processes -----------------------------------------------------------------------------------------------------------

processes = events["processes"]
parent = named(processes, "sys_vfork")[0]["process"]
mine = [e for e in processes if e["process"] == parent]
children = [e["child"] for e in named(processes, "sys_fork")]
same([e["process"] for e in named(processes, "sys_process_begin")], children, "the beginning of a child is recorded")
same(named(processes, "sys_write_begin"), [], "nothing is reported by a child that borrows its parent's memory")
same([e["path"] for e in named(processes, "sys_exec")], ["/bin/sh", "sh", "/bin/sh", "/nonexistent"], "an exec has the path")
same([e["path"] for e in named(processes, "sys_spawn")], ["/bin/sh", "sh", "/nonexistent", "/bin/true"], "and so does a spawn")
same([e["called"] for e in named(processes, "sys_program_begin") if e["process"] != parent], ["sh"] * 5 + ["true", "sh"],
     "programs that are begun record what they are, but for one whose environment lacks the library")
same([e["status"] for e in named(mine, "sys_process_exit")], [42], "the end of a process has its status")
statuses = [e["text"] for e in named(processes, "sys_child_wait_end")]
ok(len(statuses) == 8 and all(re.search(r"goes on.*: process \d+ has ended", text) for text in statuses), "a wait for children has the child that ended",
   *statuses)

# --- files -----------------------------------------------------------------------------------------------------------------

files = events["files"]
pairs = ("write", "sync", "file_lock", "read", "poll", "epoll", "accept", "connect", "receive", "send")
faults = Faults()
for pair in pairs:
    faults.compare(pair, len(named(files, f"sys_{pair}_begin")), len(named(files, f"sys_{pair}_end")))
    faults.compare(f"{pair} is there", named(files, f"sys_{pair}_begin") != [], True)
ok(not faults, "whatever begins has an end", *faults)
same(len(named(files, "sys_poll_begin")), 2, "a poll that does not wait is not recorded")
same([e["result"] for e in named(files, "sys_receive_end")][:2], [5, 5], "a call with MSG_DONTWAIT is not recorded")
same([named(files, f"sys_{end}_end")[-1]["result"] for end in ("send", "receive")], [7, 7],
     "a call that moves several messages is recorded with their bytes")
same(len(named(files, "sys_file_lock_end")), 1, "a lock of a file that is given back is not recorded as one that is taken")
if BUILD == "release":
    places = {re.search(r"\(at (\w+)\+0x[0-9a-f]+\)$", e["text"]).group(1) for e in named(files, "sys_accept_begin", "sys_sync_begin")}
    same(places, {"peer_answer", "scene_files"}, "the place of an event is the caller in the program")

modules = [e for e in named(files, "sys_module") if e["path"] == os.path.realpath(ACTOR)]
same(len(modules), 1, "a program records once where it lies")
ok(re.fullmatch("[0-9a-f]{48}", modules[0]["build_id"]) and modules[0]["build_id"].strip("0"), "and its build id", *modules)
same(names(files).index("sys_module") < names(files).index("sys_sync_begin"), True, "before its first event")

libraries = [e["text"] for e in named(events["libraries"], "sys_sleep_begin")]
same(["(at plugin_nap+" in text for text in libraries], [True, True], "libraries that come and go have names")

# --- storm -----------------------------------------------------------------------------------------------------------------

storm = count(events["storm"])
same(storm["sys_thread_begin"], storm["sys_thread_exit"], "in a storm as many threads exit as begin")
same(storm["sys_signal_begin"], storm["sys_signal_end"], "and as many handlers end")
same(storm["sys_mutex_wait"], storm["sys_mutex_acquire"], "and all mutexes that are waited for are got")

# --- several recorders ---------------------------------------------------------------------------------------------------------

for program, how in (("own", "beside it"), ("own-visible", "instead of the library's"), ("own-shared", "that is the library's, too")):
    log, other = os.path.join(FOLDER, "own.rst"), os.path.join(FOLDER, "other.rst")
    result = run(os.path.join(STAGE, program), log, log=other)
    ok(result.returncode == 0, f"a program that traces itself runs with a recorder {how}", result.stderr)
    mine, theirs = read(log), read(other)
    same([e["number"] for e in named(mine, "own_event")], [7], "and its own log has its own events")
    same(count(theirs).get("sys_thread_begin"), 1, "and the other log has the library's")
    same("sys_thread_begin" in count(mine), program != "own", "which its own log has when there is one recorder")

# --- what programs find ------------------------------------------------------------------------------------------------

shown = subprocess.run(["nm", "-D", "--defined-only", f"{OUT}/librastrum-preload.so"], capture_output=True, text=True, check=True)
found = [line.split()[-1] for line in shown.stdout.splitlines() if "asan" not in line and "ubsan" not in line]
c_library = ctypes.CDLL(None)
ok(found and all(hasattr(c_library, name) for name in found), "only functions of the C library are shown",
   *[name for name in found if not hasattr(c_library, name)])

# --- templates -----------------------------------------------------------------------------------------------------------------

listed = rastrum("template", "list", "--dialect", "posix").out
known = {line.split('"')[1] for line in open("src/preload/events.def", encoding="utf-8") if line.startswith("EVENT(")}
ok(known and all(name in listed for name in known), "every event has a sentence", *[n for n in known if n not in listed])
ok("release" not in BUILD or all(e["text"] and "?" not in e["text"] for found in events.values() for e in found),
   "and no sentence lacks a field")

shutil.rmtree(FOLDER, ignore_errors=True)
sys.exit(done())
