#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces that are viewed while they grow, and files that are cut or taken away meanwhile."""
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import RASTRUM, done, ok, rastrum, same, slurp
from viewer import Server

STREAM = "tests/data/rkh/r1_default.bin"
DUMP = "tests/data/threadx/priority_inversion.trx"


class Live:
    """An open /api/live."""

    def __init__(self, server, query=""):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        self.connection.request("GET", "/api/live" + query, headers={"Authorization": f"Bearer {server.token}"})
        self.answer = self.connection.getresponse()

    def next(self):
        """(event, data), or None where it has ended."""
        name = None
        while True:
            line = self.answer.readline().decode()
            if not line:
                return None
            if line.startswith("event: "):
                name = line[7:].strip()
            if line.startswith("data: "):
                return name, json.loads(line[6:])

    def until(self, wanted):
        """The first event that fits; None where it has ended before."""
        while True:
            event = self.next()
            if event is None or wanted(event):
                return event


def check_growing(folder):
    path = os.path.join(folder, "growing.bin")
    whole = slurp(STREAM)
    n_all = json.loads(rastrum("info", "--json", STREAM).out)["events"]
    with open(path, "wb") as out:
        out.write(whole[:len(whole) // 2])
    server = Server("--follow", path)
    live = Live(server)
    same((live.answer.status, live.answer.getheader("Content-Type")), (200, "text/event-stream"), "/api/live is a stream of events")
    name, data = live.until(lambda event: event[1]["events"])
    ok(name == "grew" and 0 < data["events"] < n_all and not data["done"], "which tells how far the trace has come", name, data)
    tracks = server.json("/api/tracks")["tracks"]
    tiles = server.json("/api/tiles?width=50")["tracks"]
    ok(tracks and any(track["tiles"] for track in tiles), "what has come is there to be drawn", tracks)
    with open(path, "ab") as out:
        out.write(whole[len(whole) // 2:])
    name, data = live.until(lambda event: event[1]["events"] >= n_all - 1)
    ok(name == "grew" and data["last_ts"] > data["first_ts"], "what is appended is seen", name, data)
    ok(server.json("/api/events?limit=5")["events"], "the events of a file that is followed are there, too")
    same([server.json("/api/info")[key] for key in ("live", "done")], [True, False], "it goes on")
    os.unlink(path)
    time.sleep(0.3)
    same(server.json("/api/tiles?width=50")["tracks"] != [], True, "a file that vanishes stays on the screen")
    started = time.monotonic()
    same(server.stop(signal.SIGTERM), 0, "SIGTERM ends the server, though a live connection is open")
    ok(time.monotonic() - started < 20, "and does not wait for it")
    same(live.until(lambda event: False), None, "whose stream ends")


def check_pipe():
    process = subprocess.Popen([RASTRUM, "view", "--no-browser", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    server = Server(process=process)
    same([server.json("/api/info")[key] for key in ("events", "dialect", "done")], [0, None, False], "of a pipe nothing is known before it gives something")
    same(server.json("/api/tiles"), {"from": 0, "to": 0, "tracks": [], "cut": False}, "and there is nothing to draw")
    for path in ("/api/tracks", "/api/findings", "/api/arrows", "/api/stats/load"):
        ok("status" not in server.json(path), f"{path} is empty", server.json(path))
    process.stdin.write(slurp(STREAM))
    process.stdin.flush()
    live = Live(server)
    ok(live.until(lambda event: event[1]["events"] > 0), "what comes through it is shown at once")
    answer = server.json("/api/events")
    ok(answer["status"] == 409 and "pipe" in answer["error"], "its events cannot be read once more: 409, with a sentence", answer)
    process.stdin.close()
    wanted = json.loads(rastrum("info", "--json", STREAM).out)
    name, data = live.until(lambda event: event[1]["done"])
    same((name, data["events"]), ("done", wanted["events"]), "where it ends, the stream of events says so")
    same(live.next(), None, "and ends")
    same(server.stop(), 0, "and the server goes on until it is ended")


def check_open_tiles(folder):
    """What has begun and not ended is drawn, too."""
    whole = slurp(STREAM)
    path = os.path.join(folder, "open.bin")
    with open(path, "wb") as out:
        out.write(whole)
    server = Server("--follow", path)
    live = Live(server)
    live.until(lambda event: event[1]["events"] > 0)
    tiles = [tile for track in server.json("/api/tiles?width=50")["tracks"] for tile in track["tiles"]]
    info = server.json("/api/info")  # behind the tiles: more may come between
    ok(all(tile["to"] <= info["last_ts"] for tile in tiles), "tiles end at the last event at the latest", tiles[-3:])
    server.stop()


def check_cut(folder):
    """A file that is cut, emptied or taken away while it is viewed."""
    path = os.path.join(folder, "cut.trx")
    for what, change in (("cut", lambda: os.truncate(path, 600)), ("emptied", lambda: os.truncate(path, 0)), ("taken away", lambda: os.unlink(path)),
                         ("something else", lambda: shutil.copy(STREAM, path))):
        shutil.copy(DUMP, path)
        server = Server(path)
        server.wait()
        change()
        statuses = [server.ask(request)[0] for request in ("/api/info", "/api/tiles", "/api/tracks", "/api/findings", "/api/stats/load")]
        same(statuses, [200] * 5, f"a file that is {what} while it is viewed: what was read is shown")
        status, body, _ = server.ask("/api/events")
        answer = json.loads(body)
        ok(status in (200, 500) and (status == 200 or answer["error"]), "and its events are those that are there, or there is a sentence", status, body[:300])
        ok(server.stop() in (0, 3), "and it ends as usual")


def check_cut_while_read(folder):
    path = os.path.join(folder, "large.trx")
    rastrum("bench", "gen", "--events", "3000000", "-o", path)
    server = Server(path)
    os.truncate(path, 40000)
    info = server.wait()
    ok(info["events"] < 3000000 and "shorter" in (info["failure"] or ""), "a file that is cut while it is read: what came before is shown, and a sentence", info)
    same(server.ask("/api/tiles")[0], 200, "and the server goes on")
    same(server.stop(), 3, "its status says that the file is damaged")


def check_usage(folder):
    for words, status in ((["--follow", "/nonexistent"], 4), (["--follow", STREAM, STREAM], 2), (["--follow", "-"], 2), (["--follow", folder], 4)):
        run = rastrum("view", "--no-browser", *words)
        ok(run.status == status and run.err and not run.out, f"rastrum view {' '.join(words)}: status {status}", run.status, run.err)


with tempfile.TemporaryDirectory(prefix="rastrum-live-") as work:
    check_growing(work)
    check_pipe()
    check_open_tiles(work)
    check_cut(work)
    check_cut_while_read(work)
    check_usage(work)
sys.exit(done())
