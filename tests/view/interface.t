#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/VIEW.md has every path, parameter and key of the server of `rastrum view`, and no other."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import Faults, done, ok, same, slurp
from viewer import Server

PAGE = slurp("docs/VIEW.md").decode()
SECTIONS = {m[1]: m[2] for m in re.finditer(r"^### `(\S+)`\n(.*?)(?=^##)", PAGE, re.S | re.M)}
ROUTES = {m + ("TABLE" if m.endswith("/") else "") for m in re.findall(r'^\t\{ "(/api/[^"]*)"', slurp("src/view/server/routes.c").decode(), re.M)}
SOURCES = {name: slurp(f"src/view/server/{name}").decode() for name in sorted(os.listdir("src/view/server")) if name.endswith(".c")}
GOOD = {"/api/info": "/api/info", "/api/tracks": "/api/tracks", "/api/tiles": "/api/tiles?width=3", "/api/arrows": "/api/arrows",
        "/api/details": "/api/details?track=0&at=340000000", "/api/events": "/api/events?limit=3", "/api/search": "/api/search?q=low&limit=2",
        "/api/stats/TABLE": "/api/stats/threads?limit=1", "/api/findings": "/api/findings"}
STATS = {"table", "columns", "rows", "window", "unknown"}  # as rastrum-stats(1) has them


def check_paths():
    same(sorted(set(SECTIONS) - {"/"}), sorted(ROUTES), "docs/VIEW.md has a section for each path, and no other")
    server = Server("tests/data/threadx/priority_inversion.trx")
    server.wait()
    for path in sorted(ROUTES - {"/api/live"}):
        status, body, headers = server.ask(GOOD[path])
        ok(status == 200 and headers["Content-Type"] == "application/json", f"{path} answers", status, body[:200])
        keys = set(json.loads(body)) - (STATS if path == "/api/stats/TABLE" else set())
        ok(not [key for key in keys if f"`{key}`" not in SECTIONS[path] and f'"{key}"' not in SECTIONS[path]], f"docs/VIEW.md has the keys of {path}", keys)
    for path, extra in (("/api/tracks", "tracks"), ("/api/tiles", "tracks"), ("/api/arrows", "arrows")):
        keys = {key for item in server.json(GOOD[path])[extra] for key in item}
        ok(not [key for key in keys if f"`{key}`" not in SECTIONS[path] and f'"{key}"' not in SECTIONS[path]], f"and of its {extra}", keys)
    tiles = [tile for width in (3, 300) for track in server.json(f"/api/tiles?width={width}")["tracks"] for tile in track["tiles"]]
    keys = {key for tile in tiles for key in tile}
    ok(len(keys) > 10 and not [key for key in keys if f"`{key}`" not in SECTIONS["/api/tiles"]], "and of tiles", keys)
    same(server.ask("/api/nothing")[0], 404, "there is no other path")
    server.stop()


def check_parameters():
    """Each parameter that a source reads is named where its path is, or in the table of those that are shared."""
    read = {p for text in SOURCES.values() for p in re.findall(r'(?:parameter\(request, |parameter_number\(\s*request, answer, |GET_ARGUMENT_KIND, )"(\w+)"', text)}
    shared = set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in PAGE.splitlines() if re.match(r"\| `(trace|from|limit|offset)`", line) and line.count("|") == 4)))
    written = shared | {name for text in SECTIONS.values() for m in re.findall(r"Parameters:(.*?)(?=\.\s|\n\n)", text + "\n\n", re.S) for name in re.findall(r"`(\w+)`", m)}
    same(sorted(read - written - {"token"}), [], "every parameter that is read is in docs/VIEW.md")
    same(sorted(written - read), [], "every parameter of docs/VIEW.md is read")


def check_statuses():
    # By number in answer_fail(), by name where the library's are used.
    names = {"BAD_REQUEST": 400, "UNAUTHORIZED": 401, "FORBIDDEN": 403, "METHOD_NOT_ALLOWED": 405, "SERVICE_UNAVAILABLE": 503, "OK": 200}
    given = {int(n) for text in SOURCES.values() for n in re.findall(r"\b([45]0\d)[,)]", text)}
    given |= {names[n] for text in SOURCES.values() for n in re.findall(r"MHD_HTTP_(OK|FORBIDDEN|UNAUTHORIZED|METHOD_NOT_ALLOWED|SERVICE_UNAVAILABLE)\b", text)}
    given |= {400, 500} if any("400 : 500" in text for text in SOURCES.values()) else set()
    same(sorted(int(n) for n in re.findall(r"^\| (\d{3}) \|", PAGE, re.M)), sorted(given), "docs/VIEW.md has every status that is given")


def check_limits():
    faults = Faults()
    for name, where in (("WIDTH_MAX", "answer_tiles.c"), ("ARROWS_LIMIT", "answer_arrows.c"), ("TRACKS_LIMIT", "answer_tracks.c"), ("FINDINGS_LIMIT", "answer_info.c"),
                        ("DETAILS_EVENTS", "../session/details.c"), ("CONNECTIONS_MAX", "http.c"), ("ROWS_MAX", "answer_stats.c")):
        number = re.search(rf"{name} = (\d+)", slurp(f"src/view/server/{where}").decode())[1]
        if not re.search(rf"\b{number}\b", PAGE):
            faults.append(f"{name} is {number}")
    ok(not faults, "limits are those of the sources", *faults)


check_paths()
check_parameters()
check_statuses()
check_limits()
sys.exit(done())
