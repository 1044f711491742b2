#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The server of `rastrum view` under hostile requests and with hostile traces: clear words, small answers, bounded memory."""
import json
import os
import random
import re
import signal
import socket
import struct
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import Faults, done, ok, same, skip, slurp
from threadx_events import THREAD, image
from viewer import Server

DUMP = "tests/data/threadx/priority_inversion.trx"
ANSWER_MAX = 512 * 1024
MEMORY_MAX = 256 * 1024  # KiB
N_THREADS = 1000000
HAS_SANITIZER = os.environ.get("BUILD", "release") != "release"
LAST = 2**64 - 1


def raw(server, request, timeout=30):
    """The status line that bytes get; "" where the connection is closed without one."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=timeout) as link:
        try:
            link.sendall(request)
            link.shutdown(socket.SHUT_WR)
            return link.makefile("rb").readline().decode("latin-1").strip()
        except OSError:
            return ""


def goes_on(server):
    return server.ask("/api/info")[0] == 200


def check_doors(server):
    """Nothing but the right token, Host and Origin opens any path."""
    paths = ["/", "/app.js", "/api/info", "/api/tracks", "/api/tiles", "/api/arrows", "/api/details?track=0&at=1", "/api/events", "/api/search?q=x",
             "/api/stats/load", "/api/findings", "/api/live", "/nothing"]
    faults = Faults()
    for path in paths:
        faults.compare(f"{path} without a token", server.ask(path, token=False)[0], 401)
        faults.compare(f"{path} with a foreign Host", server.ask(path, Host="example.org")[0], 403)
        faults.compare(f"{path} with a foreign Origin", server.ask(path, Origin="https://example.org")[0], 403)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
            faults.compare(f"{method} {path}", server.ask(path, method=method)[0], 405)
    ok(not faults, "no path opens without the token, or to another site, or to another method than GET", *faults)
    for method in ("GET", "HEAD"):
        same(server.ask("/api/info", method=method)[0], 200, f"{method}: 200")
    same(server.ask("/api/info", method="HEAD")[1], b"", "HEAD has no body")
    bad = [server.token[:-1], server.token + "0", server.token.upper() + " ", "", "*", "\u00e9" * 32]
    same([server.ask("/api/info", token=False, Authorization=f"Bearer {t}".encode())[0] for t in bad], [401] * len(bad), "tokens that are nearly right are wrong")


def check_paths(server):
    paths = ["/..", "/../", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/api/../etc/passwd", "/api/stats/../info",
             "/api/stats/", "/api/stats/%00", "/api/info/", "/API/INFO", "/api", "/index.html%00.js", "/web/app.js", "/./app.js", "/api/stats/" + "x" * 4000]
    got = {path: server.ask(path)[0] for path in paths}
    ok(set(got.values()) == {404}, "paths lead nowhere but to what there is", got)
    for what, request in (("no request", b"\0\xff\r\n\r\n"), ("half a request", b"GET /api/info HTTP/1.1\r\nHost: 127"), ("HTTP/0.9", b"GET /api/info\r\n\r\n"),
                          ("a very long path", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n"),
                          ("very many headers", b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20000 + b"\r\n"),
                          ("a request without Host", b"GET /api/info HTTP/1.0\r\n\r\n"),
                          ("two Hosts", f"GET /api/info HTTP/1.1\r\nHost: example.org\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode()),
                          ("a body that never comes", f"POST /api/info HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 99999999999\r\n\r\n".encode())):
        answer = raw(server, request)
        ok("200" not in answer and goes_on(server), f"{what}: no answer but a refusal, and the server goes on", answer)


def check_parameters(server):
    """Ranges that are huge, empty, reversed, or no numbers."""
    numbers = ["", "-1", "nan", "NaN", "inf", "1e9", "0x10", "+1", " 1", "1 ", "18446744073709551616", "9" * 400, "1.5", "%00", "%F0%9F%A6%84", "1;2", "1,2"]
    names = {"/api/tiles": ("from", "to", "width"), "/api/tracks": ("offset", "limit"), "/api/arrows": ("from", "to", "limit"), "/api/events": ("from", "to", "limit", "first"),
             "/api/details": ("track", "at"), "/api/findings": ("offset", "limit"), "/api/stats/load": ("from", "to", "offset", "limit"), "/api/info": ("trace",)}
    faults = Faults()
    for path, parameters in names.items():
        for parameter in parameters:
            for number in numbers:
                status, body, _ = server.ask(f"{path}?{parameter}={number.replace(' ', '%20').replace('+', '%2B')}")
                if status != (404 if "%00" in number else 400) or not json.loads(body).get("error"):
                    faults.append(f"{path}?{parameter}={number}: {status} {body[:80]}")
    ok(not faults, "what is no number gets 400 and a sentence", *faults)
    faults = Faults()
    for path in ("/api/tiles", "/api/arrows", "/api/events", "/api/stats/load"):
        faults.compare(f"{path} reversed", server.ask(f"{path}?from=9&to=8")[0], 400)
        for window in (f"from=0&to={LAST}", f"from={LAST - 1}&to={LAST}", "from=0&to=1", f"from={LAST - 1}"):
            status, body, _ = server.ask(f"{path}?{window}&limit=10" if path != "/api/tiles" else f"{path}?{window}&width=8192")
            faults.compare(f"{path}?{window}", (status, len(body) < ANSWER_MAX), (200, True))
    ok(not faults, "reversed windows get 400, any other window an answer", *faults)
    lists = ["1,", ",1", "1,,2", "x", "99999", "1 2", "-1", "4294967296", "18446744073709551617"]
    same([server.ask(f"/api/tiles?tracks={text.replace(' ', '%20')}")[0] for text in lists], [400] * len(lists), "lists of tracks that cannot be read get 400")
    same([server.ask(f"/api/events?seqs={text}")[0] for text in ("x", "2,1", "1,1", "1,", ",".join(map(str, range(2000))))], [400] * 5, "and so do lists of events")
    same(server.ask("/api/tiles?tracks=" + ",".join(["0"] * 9))[0], 200, "a track may be asked for more than once")
    odd = ["%3Cscript%3E", "%27%22", "%5C", "%FF%FE", "a" * 5000, "%0A", "%5B", "*"]
    got = [server.ask(f"/api/search?q={text}") for text in odd]
    ok(all(status == 200 and json.loads(body) for status, body, _ in got), "any text may be searched for", [status for status, _, _ in got])


def check_crowd(server):
    """A thousand connections, of which most never send a whole request."""
    links = []
    for n in range(1000):
        link = socket.socket()
        link.settimeout(5)
        try:
            link.connect(("127.0.0.1", server.port))
            link.sendall(b"GET /api/info HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " if n % 2 else b"G")
        except OSError:
            pass
        links.append(link)
    status, began = 0, time.monotonic()
    while status != 200 and time.monotonic() - began < 60:
        try:
            status = server.ask("/api/info", timeout=60)[0]
        except OSError:  # refused, because there are too many
            time.sleep(0.5)
    same(status, 200, "a thousand connections that do not go on: the server gets rid of them")
    for link in links:
        link.close()
    slow = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    began = time.monotonic()
    try:
        while time.monotonic() - began < 60:
            slow.sendall(b"X")
            time.sleep(0.5)
    except OSError:
        pass
    ok(time.monotonic() - began < 60, "one that sends a byte now and then is closed")
    slow.close()
    statuses = []

    def ask():
        try:
            statuses.append(server.ask(random.choice(("/api/info", "/api/tiles", "/api/search?q=x", "/api/events")), timeout=60)[0])
        except OSError:
            statuses.append(0)

    threads = [threading.Thread(target=ask) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ok(set(statuses) <= {0, 200} and statuses.count(200) >= 100, "two hundred requests at once are answered, or refused", sorted(set(statuses)), statuses.count(200))


def check_streams(server):
    """Live connections have a limit of their own, so that they keep nobody out."""
    request = f"GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode()
    links = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(40)]
    for link in links:
        link.sendall(request)
    lines = [link.makefile("rb").readline() for link in links]
    statuses = sorted({line.split()[1] for line in lines if line})
    ok(statuses in ([b"200"], [b"200", b"503"]), "forty live connections: some are refused with 503, or have ended", statuses)
    same(server.ask("/api/info")[0], 200, "and others are answered")
    for link in links:
        link.close()


def memory(server):
    """KiB of memory that no file backs."""
    return sum(int(re.search(rf"{key}:\s+(\d+)", slurp(f"/proc/{server.process.pid}/status").decode())[1]) for key in ("RssAnon", "RssShmem"))


def check_many_threads(folder):
    """A dump with a million threads, each of which is readied once."""
    path = os.path.join(folder, "threads.trx")
    whole = image([], [])
    ring = 0x20000000 + 48
    end = ring + 32 * N_THREADS
    with open(path, "wb") as out:
        out.write(struct.pack("<4IHH7I", 0x54585442, 0xFFFFFFFF, 0x20000000, ring, 0, 32, ring, ring, end, ring, 0xAAAAAAAA, 0xBBBBBBBB, 0xCCCCCCCC)[:len(whole)])
        for first in range(0, N_THREADS, 10000):
            out.write(b"".join(struct.pack("<8I", 0x30000000 + 16 * n, 0x80050005, 1, n + 1, 0x30000000 + 16 * (n ^ 1), 4, 0, 0) for n in range(first, first + 10000)))
    server = Server(path)
    info = server.wait()
    same(info["events"], N_THREADS, "a trace of a million threads is read")
    faults = Faults()
    for request in ("/api/info", "/api/tracks", "/api/tiles", "/api/tiles?width=8192", "/api/arrows?limit=2000", "/api/findings", "/api/search?q=0x3",
                    *(f"/api/stats/{table}" for table in info["tables"])):
        status, body, _ = server.ask(request, timeout=60)
        if status != 200 or len(body) >= ANSWER_MAX or not json.loads(body):
            faults.append(f"{request}: {status}, {len(body)} bytes")
    ok(not faults, "every answer is less than 512 KiB", *faults)
    answer, n, ids = {"next": 0}, 0, set()
    while answer["next"] is not None:
        answer = server.json(f"/api/tracks?offset={answer['next']}")
        n += 1
        ids.update(track["id"] for track in answer["tracks"])
    same((len(ids), n > 1), (answer["total"], True), "all tracks are there, in parts")
    answer = server.json("/api/stats/threads")
    ok(answer["next"] and answer["total"] > len(answer["rows"]) > 100, "tables that have no room say how many rows they have", answer["total"])
    if HAS_SANITIZER:
        skip("memory is bounded", "sanitizers have memory of their own")
    else:
        ok(memory(server) < MEMORY_MAX, "memory is bounded", memory(server))
    same(server.stop(signal.SIGTERM), 0, "and it ends")


NAMES = ["<script>alert(1)</script>", "</script><!--", "\"quotes\"", "back\\slash", "a\x01b\x1b[31mred", "tab\tline\nend", "&amp;", "\u202egnp", "x" * 31, "'; DROP TABLE", "%s%n", "{}"]


def check_names(folder):
    path = os.path.join(folder, "names.trx")
    objects = [(1, THREAD + 0x100 * n, name.encode()[:31].decode("utf-8", "ignore"), 0, 0) for n, name in enumerate(NAMES)]
    events = [(THREAD + 0x100 * (n % len(NAMES)), 0x80050005, 1, [THREAD + 0x100 * ((n + 1) % len(NAMES)), 4, 0, THREAD + 0x100 * ((n + 1) % len(NAMES))]) for n in range(200)]
    with open(path, "wb") as out:
        out.write(image(objects, events))
    server = Server(path)
    server.wait()
    bodies = {request: server.ask(request) for request in ("/api/tracks", "/api/tiles", "/api/arrows", "/api/findings", "/api/stats/threads", "/api/search?q=script", "/api/events?limit=1000")}
    faults = [f"{request}: {status}" for request, (status, body, _) in bodies.items() if status != 200 or not json.loads(body)]
    faults += [f"{request}: a control character" for request, (_, body, _) in bodies.items() if re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", body)]
    faults += [f"{request}: {headers['Content-Type']}" for request, (_, _, headers) in bodies.items() if headers["Content-Type"] != "application/json" or headers["X-Content-Type-Options"] != "nosniff"]
    ok(not faults, "names with markup and control characters are escaped, in JSON that says that it is none but that", *faults)
    names = {track["name"] for track in json.loads(bodies["/api/tracks"][1])["tracks"] if track["kind"] == "thread"}
    ok({"<script>alert(1)</script>", "\"quotes\"", "%s%n"} <= names, "and come as they are", names)
    server.stop()


with tempfile.TemporaryDirectory(prefix="rastrum-hostile-") as work:
    served = Server(DUMP)
    served.wait()
    check_doors(served)
    check_paths(served)
    check_parameters(served)
    check_streams(served)
    check_crowd(served)
    same(served.stop(), 0, "after all that it ends as usual")
    check_names(work)
    check_many_threads(work)
sys.exit(done())
