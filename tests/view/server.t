#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The server of `rastrum view`: who gets an answer, what it has, and that it is bounded."""
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from scheduler import Schedule
from tap import RASTRUM, done, ok, rastrum, same

DUMP = "tests/data/threadx/priority_inversion.trx"
BUILD = os.environ.get("BUILD", "release")


class Server:
    """A running `rastrum view`, and requests to it."""

    def __init__(self, *words):
        self.process = subprocess.Popen([RASTRUM, "view", "--no-browser", "--port", "0", *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.link = self.process.stdout.readline().strip()
        self.port, self.token = int(self.link.split(":")[2].split("/")[0]), self.link.partition("token=")[2]

    def ask(self, path, token=True, method="GET", **headers):
        """(status, body, headers)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        if token:
            headers["Authorization"] = f"Bearer {self.token}"
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body, dict(answer.getheaders())

    def json(self, path):
        status, body, _ = self.ask(path)
        return json.loads(body) if status == 200 else {"status": status, **json.loads(body)}

    def wait(self):
        for _ in range(3000):
            info = self.json("/api/info")
            if info["done"]:
                return info
        return info

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.process.wait(timeout=30)


def check_doors(server):
    ok(server.link.startswith("http://127.0.0.1:") and len(server.token) >= 16, "one line with the address and a token", server.link)
    same(server.ask("/api/info", token=False)[0], 401, "without the token: 401")
    same(server.ask("/api/info?token=" + "0" * len(server.token), token=False)[0], 401, "with a wrong one: 401")
    same(server.ask("/", token=False)[0], 401, "the page, too, needs it")
    same(server.ask(f"/?token={server.token}", token=False)[0], 200, "in the link it opens the page")
    cookie = server.ask(f"/?token={server.token}", token=False)[2].get("Set-Cookie", "")
    ok("HttpOnly" in cookie and "SameSite=Strict" in cookie, "which gets a cookie for what follows", cookie)
    same(server.ask("/app.js", token=False, Cookie=cookie.partition(";")[0])[0], 200, "with which the rest of it comes")
    for name, value, status in (("Host", "example.org", 403), ("Host", f"example.org:{server.port}", 403),
                                ("Host", f"localhost:{server.port}", 200), ("Origin", "http://example.org", 403),
                                ("Origin", "null", 403), ("Origin", f"http://127.0.0.1:{server.port}", 200)):
        same(server.ask("/api/info", **{name: value})[0], status, f"{name}: {value}: {status}")
    same(server.ask("/api/info", method="POST")[0], 405, "POST: 405")
    same(server.ask("/../../etc/passwd")[0], 404, "paths lead nowhere but to what there is: 404")
    headers = server.ask("/")[2]
    ok("default-src 'none'" in headers["Content-Security-Policy"] and headers["X-Content-Type-Options"] == "nosniff",
       "answers forbid the browser to fetch anything from elsewhere", headers)


def check_answers(server):
    info = server.wait()
    wanted = json.loads(rastrum("info", "--json", DUMP).out)
    same([info[key] for key in ("events", "first_ts", "last_ts", "damage")], [wanted["events"], wanted["first_ts"], wanted["last_ts"], False],
         "/api/info agrees with `rastrum info`")
    tracks = server.json("/api/tracks")["tracks"]
    ok({("thread", "high"), ("thread", "low"), ("lock", "resource (plain)"), ("core", "0")} <= {(t["kind"], t["name"]) for t in tracks},
       "/api/tracks has threads, locks and cores", tracks)
    events = server.json("/api/events?from=333801383&to=333801564")["events"]
    lines = [json.loads(line) for line in rastrum("report", "-f", "jsonl", "--from", "333801383", "--to", "333801564", DUMP).lines]
    same(events, lines, "/api/events has what `report -f jsonl` has")
    same(len(server.json("/api/events?limit=3")["events"]), 3, "as many as the limit")
    found = server.json("/api/search?q=start%20high")
    ok(found["tracks"] and all("start high" in json.dumps(event) for event in found["events"]) and found["events"], "/api/search finds names", found)
    for table in info["tables"]:
        same(server.json(f"/api/stats/{table}"), json.loads(rastrum("stats", "--table", table, "--json", DUMP).out), f"/api/stats/{table} is the table of `stats`")


def check_tiles(server):
    intervals = [json.loads(line) for line in rastrum("report", "--intervals", "-f", "jsonl", DUMP).lines]
    thread = next(t for t in server.json("/api/tracks")["tracks"] if (t["kind"], t["name"]) == ("thread", "high"))
    answer = server.json(f"/api/tiles?width=1000&tracks={thread['id']}")
    tiles = [(t["from"], t["to"], t["state"]) for t in answer["tracks"][0]["tiles"]]
    wanted = sorted((i["from"], i["to"], i["state"]) for i in intervals if i["kind"] == "thread" and i["subject"]["name"] == "high")
    same(tiles, wanted, "where there is room, tiles are the intervals")
    for width in (1, 7, 50):
        answer = server.json(f"/api/tiles?width={width}")
        ok(max(len(track["tiles"]) for track in answer["tracks"]) <= 2 * width + 2, f"width={width}: as many tiles as can be seen")
        wrong = [track for track in answer["tracks"] for a, b in zip(track["tiles"], track["tiles"][1:]) if a["to"] > b["from"]]
        ok(not wrong, "in order, without overlap", wrong[:1])


def check_bad_requests(server):
    for path in ("/api/tiles?width=0", "/api/tiles?width=x", "/api/tiles?from=9&to=9", "/api/tiles?tracks=1,,2", "/api/tiles?tracks=99999",
                 "/api/tiles?from=-1", "/api/events?limit=0", "/api/events?limit=99999999", "/api/events?from=abc", "/api/search", "/api/search?q="):
        answer = server.json(path)
        ok(answer.get("status") == 400 and answer.get("error"), f"{path}: 400, with a sentence", answer)
    same(server.json("/api/stats/nothing")["status"], 404, "a table that there is not: 404")
    same(server.json("/api/tiles?from=0&to=18446744073709551615&width=8192")["cut"], False, "the widest window is answered")


def check_large(folder):
    """Many connections at once, and answers that stay small."""
    schedule = Schedule(5, n_threads=200, n_events=20000)
    path = os.path.join(folder, "large.trx")
    with open(path, "wb") as out:
        out.write(schedule.dump())
    server = Server(path)
    server.wait()
    body = server.ask("/api/tiles?width=8192")[1]
    ok(len(body) < 512 * 1024 and json.loads(body), "tiles of a large trace are less than 512 KiB", len(body))
    statuses = []

    def ask():
        try:
            statuses.append(server.ask("/api/tiles?width=300")[0])
        except OSError:
            statuses.append(0)

    threads = [threading.Thread(target=ask) for _ in range(150)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ok(set(statuses) <= {0, 200} and statuses.count(200) >= 50, "many connections at once are answered, or refused", sorted(set(statuses)))
    same(server.ask("/api/info")[0], 200, "and the server goes on")
    same(server.stop(signal.SIGTERM), 0, "SIGTERM ends it")


def check_usage():
    for words, sentence in ((["view"], "needs a file"), (["view", DUMP, DUMP], "one trace"), (["view", "--port", "99999", DUMP], "--port")):
        run = rastrum(*words)
        ok(run.status == 2 and sentence in run.err, f"rastrum {' '.join(words)}: wrong usage", run.err)
    same(rastrum("view", "--no-browser", "/nonexistent").status, 4, "a file that is not there")


with tempfile.TemporaryDirectory(prefix="rastrum-view-") as work:
    served = Server(DUMP)
    check_doors(served)
    check_answers(served)
    check_tiles(served)
    check_bad_requests(served)
    same(served.stop(), 0, "Ctrl-C ends the server")
    check_large(work)
    check_usage()
sys.exit(done())
