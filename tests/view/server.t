#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The server of `rastrum view`: who gets an answer, what it has, and that it is bounded."""
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
from viewer import Server

DUMP = "tests/data/threadx/priority_inversion.trx"
OTHER = "tests/data/threadx/isr_nested.trx"


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


def check_fetches(server):
    """Browsers say who asks: a page of another port has our cookie, since cookies have no port."""
    for site, mode, status in (("same-origin", "cors", 200), ("none", "navigate", 200), ("cross-site", "navigate", 200),
                               ("cross-site", "no-cors", 403), ("same-site", "cors", 403)):
        same(server.ask("/api/info", **{"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode})[0], status, f"{mode} from {site}: {status}")
    same(server.ask("/")[2]["Cross-Origin-Resource-Policy"], "same-origin", "no other page may use the answers")


def check_browser():
    """Command lines can be read by every user: the browser gets a file that only its user may read."""
    with tempfile.TemporaryDirectory() as folder:
        opener, said = f"{folder}/opener", f"{folder}/said"
        os.mkfifo(said)
        with open(opener, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\necho \"$#\" \"$1\" >{said}\n")
        os.chmod(opener, 0o700)
        env = {**os.environ, "BROWSER": opener, "XDG_RUNTIME_DIR": folder}
        process = subprocess.Popen([RASTRUM, "view", DUMP], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        server = Server(process=process)
        with open(said, encoding="utf-8") as file:
            n_words, path = file.read().split()
        with open(path, encoding="utf-8") as file:
            page = file.read()
        ok(n_words == "1" and server.token not in path and os.stat(path).st_mode & 0o777 == 0o600 and path.startswith(folder),
           "the browser is given a file that only its user may read", n_words, path)
        ok(f"url={server.link}" in page, "which leads to the link", page)
        ok(server.token not in open(f"/proc/{process.pid}/cmdline", encoding="utf-8").read(), "no command line has the token")
        server.stop()
        ok(not os.path.exists(path), "and is gone with the server")


def check_port(server):
    run = rastrum("view", "--no-browser", "--port", str(server.port), DUMP)
    ok(run.status == 4 and "Address already in use; use another --port" in run.err, "a port that is taken: status 4, and what to do", run.err)


def check_answers(server):
    info = server.wait()
    wanted = json.loads(rastrum("info", "--json", DUMP).out)
    same([info[key] for key in ("events", "first_ts", "last_ts", "damage", "percent")], [wanted["events"], wanted["first_ts"], wanted["last_ts"], False, 100],
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


def check_parts(server):
    """Statistics of an area."""
    window = ("336302729", "343986675")
    for table in ("load", "threads", "locks"):
        wanted = json.loads(rastrum("stats", "--table", table, "--json", "--from", window[0], "--to", window[1], DUMP).out)
        same(server.json(f"/api/stats/{table}?from={window[0]}&to={window[1]}"), wanted, f"/api/stats/{table} of a window is the table of `stats --from --to`")
    answer = server.json("/api/stats/threads?limit=1")
    same((len(answer["rows"]), answer["next"]), (1, 1), "rows may be asked for in parts")
    rest = server.json(f"/api/stats/threads?offset={answer['next']}")
    same(answer["rows"] + rest["rows"], server.json("/api/stats/threads")["rows"], "which together are the table")


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
        wrong = [(track["id"], a, b) for track in answer["tracks"] for a, b in zip(track["tiles"], track["tiles"][1:]) if a["to"] > b["from"]]
        ok(not wrong, "in order, without overlap", wrong[:1])


def check_findings(server):
    answer = server.json("/api/findings")
    wanted = [json.loads(line) for line in rastrum("explain", "--json", DUMP).lines]
    same((answer["findings"], answer["done"]), (wanted, True), "/api/findings has what `explain --json` has")
    answer = server.json("/api/findings?offset=1&limit=1")
    same((answer["findings"], answer["next"]), (wanted[1:2], 2), "also one by one")
    evidence = wanted[0]["evidence"]
    answer = server.json("/api/events?seqs=" + ",".join(map(str, evidence)))
    same((answer["seqs"], len(answer["events"])), (evidence, len(evidence)), "and /api/events has the events that prove one, by their numbers")


def check_arrows(server):
    intervals = [json.loads(line) for line in rastrum("report", "--intervals", "-f", "jsonl", DUMP).lines]
    names = {t["id"]: t["name"] for t in server.json("/api/tracks")["tracks"]}
    wakes = sorted((i["from"], i["by"]["name"], i["subject"]["name"]) for i in intervals if i["kind"] == "thread" and i["by"])
    arrows = server.json("/api/arrows")["arrows"]
    same(sorted((a["to"]["ts"], a["from"]["name"], names[a["to"]["track"]]) for a in arrows if a["kind"] == "wake"), wakes,
         "/api/arrows has an arrow for each wake of `report --intervals`")
    few = server.json("/api/arrows?limit=3")
    same((few["arrows"], few["cut"]), (arrows[:3], True), "as many as the limit, those first that end first")


def check_details(server):
    intervals = [json.loads(line) for line in rastrum("report", "--intervals", "-f", "jsonl", DUMP).lines]
    track = next(t for t in server.json("/api/tracks")["tracks"] if (t["kind"], t["name"]) == ("thread", "high"))
    interval = next(i for i in intervals if i["kind"] == "thread" and i["subject"]["name"] == "high" and i["reason"] == "lock")
    answer = server.json(f"/api/details?track={track['id']}&at={(interval['from'] + interval['to']) // 2}")
    got = answer["interval"]
    same([got[key] for key in ("from", "to", "state", "reason", "from_seq", "to_seq", "certainty", "object")],
         [interval[key] for key in ("from", "to", "state", "reason", "from_seq", "to_seq", "certainty")] + [interval["object"]["name"]],
         "/api/details has all facts of an interval")
    same(answer["seqs"], [interval["from_seq"], interval["to_seq"]], "with the events that began and ended it")
    interval = next(i for i in intervals if i["kind"] == "thread" and i["subject"]["name"] == "high" and i["state"] == "running")
    answer = server.json(f"/api/details?track={track['id']}&at={interval['from']}")
    ok(answer["events"] and all(e["context"]["name"] == "high" for e in answer["events"]), "where a thread ran, with the events of the thread", answer)
    same(server.json(f"/api/details?track={track['id']}&at=1")["interval"], None, "before the first event there is none")
    for path in ("/api/details", "/api/details?track=9999&at=1", "/api/details?track=x&at=1"):
        same(server.json(path).get("status"), 400, f"{path}: 400")


def check_messages(folder):
    """Messages of generated recordings: each was sent before it was received, in the order of its queue."""
    path = os.path.join(folder, "messages.trx")
    with open(path, "wb") as out:
        out.write(rastrum("bench", "gen", "--events", "20000").bytes)
    server = Server(path)
    server.wait()
    arrows = [a for a in server.json("/api/arrows?limit=2000")["arrows"] if a["kind"] == "message"]
    ok(arrows and all(a["from"]["ts"] <= a["to"]["ts"] for a in arrows), "messages are received after they are sent", arrows[:3])
    queues = {}
    for arrow in arrows:
        queues.setdefault(arrow["object"], []).append(arrow["from"]["seq"])
    ok(all(seqs == sorted(set(seqs)) for seqs in queues.values()), "in the order in which they were sent", {k: v[:20] for k, v in queues.items()})
    tracks = {t["id"]: t for t in server.json("/api/tracks")["tracks"]}
    ok({t["object"] for t in tracks.values() if t["kind"] == "level"} >= {"queue"}, "queues are levels")
    answer = server.json("/api/tiles?width=200")
    levels = [t for track in answer["tracks"] if tracks[track["id"]]["kind"] == "level" for t in track["tiles"] if "count" in t]
    ok(levels and all(t["least"] <= t["most"] for t in levels), "of which tiles have the least and greatest figure", levels[:2])
    server.stop()


def check_places(folder):
    """Events out of the middle of a trace of several places, in any order of asking, are those of `rastrum report`."""
    path = os.path.join(folder, "long.trx")
    rastrum("bench", "gen", "--events", "300000", "-o", path)
    whole = rastrum("report", "-f", "jsonl", path).lines
    server = Server(path)
    server.wait()

    def facts(event):
        """All but the number of the line in its answer."""
        return {key: value for key, value in event.items() if key != "seq"}

    for begin in (290000, 70000, 5, 200000, 299990):
        first = json.loads(whole[begin])["ts"]
        begin = next(n for n in range(max(begin - 50, 0), begin + 1) if json.loads(whole[n])["ts"] == first)
        answer = server.json(f"/api/events?from={first}&limit=7")
        same(([facts(event) for event in answer["events"]], answer["seqs"]),
             ([facts(json.loads(line)) for line in whole[begin:begin + 7]], list(range(begin, min(begin + 7, len(whole))))),
             f"events from number {begin} on are those of the report, with their numbers")
    seqs = [131073, 250000]
    answer = server.json(f"/api/events?seqs={seqs[0]},{seqs[1]}")
    same(([facts(event) for event in answer["events"]], answer["seqs"]), ([facts(json.loads(whole[n])) for n in seqs], seqs), "single events are found by their numbers")
    wanted = [n for n in range(150000, len(whole)) if "mutex" in whole[n].lower()][:5]
    answer = server.json(f"/api/search?q=mutex&limit=5&first=150000")
    same(answer["seqs"], wanted, "a search may begin in the middle")
    answer = server.json(f"/api/search?q=mutex&limit=5&from={answer['next']['from']}&first={answer['next']['first']}")
    ok(answer["seqs"] and answer["seqs"][0] > wanted[-1], "and goes on where it was cut", answer["seqs"], wanted)
    os.rename(path, f"{path}.old")
    same(server.ask("/api/events?limit=1")[0], 500, "when the file is gone, its events are, too")
    server.stop()


def check_second_reader(folder):
    """Of a large file findings and tables are made beside the tracks, and are the same."""
    path = os.path.join(folder, "large.trx")
    rastrum("bench", "gen", "--events", "600000", "-o", path)
    server = Server(path)
    shares = [server.json("/api/info")["percent"]]
    while shares[-1] < 100:
        shares.append(server.json("/api/info")["percent"])
    ok(shares == sorted(shares) and 0 <= shares[0], "while it is read, /api/info has how much of it is", shares)
    info = server.wait()
    same(info["events"], 600000, "of a large file all events are there")
    answer = server.json("/api/findings")
    while not answer["done"]:
        answer = server.json("/api/findings")
    wanted = [json.loads(line) for line in rastrum("explain", "--json", path).lines]
    ok(wanted and answer["total"] == len(wanted), "it has as many findings as `explain` has", answer["total"], len(wanted))
    same(answer["findings"], wanted[:len(answer["findings"])], "which are the same")
    for table in ("load", "threads", "queues"):
        same(server.json(f"/api/stats/{table}"), json.loads(rastrum("stats", "--table", table, "--json", path).out), f"and /api/stats/{table} is the table of `stats`")
    same(server.stop(), 0, "and it ends")
    server = Server(path)
    same(server.stop(), 0, "also while both are reading")


def check_two_traces():
    server = Server(DUMP, OTHER)
    for number, path in enumerate((DUMP, OTHER)):
        wanted = json.loads(rastrum("info", "--json", path).out)
        info = server.json(f"/api/info?trace={number}")
        while not info["done"]:
            info = server.json(f"/api/info?trace={number}")
        same((info["file"], info["events"]), (path, wanted["events"]), f"trace={number} is {path}")
        same(server.json(f"/api/stats/load?trace={number}"), json.loads(rastrum("stats", "--table", "load", "--json", path).out), "with tables of its own")
    same([t["path"] for t in server.json("/api/info")["traces"]], [DUMP, OTHER], "/api/info has the names of both")
    same(server.json("/api/info?trace=2")["status"], 400, "there is no third one: 400")
    same(server.stop(), 0, "and both end")


def check_bad_requests(server):
    for path in ("/api/tiles?width=0", "/api/tiles?width=x", "/api/tiles?from=9&to=8", "/api/tiles?tracks=1,,2", "/api/tiles?tracks=99999",
                 "/api/tiles?from=-1", "/api/events?limit=0", "/api/events?limit=99999999", "/api/events?from=abc", "/api/search", "/api/search?q="):
        answer = server.json(path)
        ok(answer.get("status") == 400 and answer.get("error"), f"{path}: 400, with a sentence", answer)
    same(server.json("/api/stats/nothing")["status"], 404, "a table that there is not: 404")
    same(server.json("/api/tiles?from=0&to=18446744073709551615&width=8192")["cut"], False, "the widest window is answered")
    same(server.json("/api/tiles?from=9&to=9")["tracks"], [], "and one of a single moment, as a trace of one moment has it, is empty")


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


def check_cut(work):
    """Times of a cut count from the first event of the trace that it was cut from; its window begins at its own first event."""
    store = f"{work}/cut.rsx"
    rastrum("cut", "-q", "--from", "338924112", "--to", "350952829", DUMP, "-o", store)
    with_zero = Server(store)
    info = with_zero.wait()
    same([info[key] for key in ("zero_ts", "first_ts", "last_ts")], [333423132, 338924112, 350952829], "a cut begins at its own first event")
    same(with_zero.stop(), 0, "which the server says until it is ended")


def check_lanes():
    """Spans that overlap, among them some whose begin is not recorded, stand in lanes of their own, as long as they are."""
    path = "tests/data/systemview/real_shift2.bin"
    server = Server(path)
    server.wait()
    spans = {track["id"] for track in server.json("/api/tracks")["tracks"] if track["kind"] == "span"}
    tiles = [tile for track in server.json("/api/tiles?width=8192")["tracks"] if track["id"] in spans for tile in track["tiles"]]
    server.stop()
    wanted = [json.loads(line) for line in rastrum("report", "-q", "-f", "jsonl", "--intervals", path).lines]
    window = max(line["to"] for line in wanted) - min(line["from"] for line in wanted)
    long = sorted((line["from"], line["to"]) for line in wanted if line["kind"] == "span" and 100 * (line["to"] - line["from"]) > window)
    found = sorted((tile["from"], tile["to"]) for tile in tiles if "count" not in tile and 100 * (tile["to"] - tile["from"]) > window)
    ok(len(long) > 20 and found == long, f"the {len(long)} longest spans are as long as their intervals, also where they overlap",
       *sorted(set(found) ^ set(long))[:6])


def check_usage():
    for words, sentence in ((["view"], "needs a file"), (["view", *[DUMP] * 17], "16 traces"), (["view", "--port", "99999", DUMP], "--port")):
        run = rastrum(*words)
        ok(run.status == 2 and sentence in run.err, f"rastrum {' '.join(words)}: wrong usage", run.err)
    same(rastrum("view", "--no-browser", "/nonexistent").status, 4, "a file that is not there")


with tempfile.TemporaryDirectory(prefix="rastrum-view-") as work:
    served = Server(DUMP)
    check_doors(served)
    check_fetches(served)
    check_port(served)
    check_answers(served)
    check_tiles(served)
    check_parts(served)
    check_findings(served)
    check_arrows(served)
    check_details(served)
    check_bad_requests(served)
    same(served.stop(), 0, "Ctrl-C ends the server")
    check_browser()
    check_messages(work)
    check_places(work)
    check_second_reader(work)
    check_two_traces()
    check_large(work)
    check_cut(work)
    check_lanes()
    check_usage()
sys.exit(done())
