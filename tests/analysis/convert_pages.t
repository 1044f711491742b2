#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""speedscope and Mermaid themselves, from the npm registry, in Debian's chromium: they open what `convert` writes for them."""
import http.server
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "view"))
from conversions import INVERSION, LOST, TMP, convert, every_recording, lines
from devtools import CHROMIUM, Browser
from tap import Faults, done, ok, rastrum, same, skip, slurp

PACKAGES = {"speedscope": "package/dist/release/", "mermaid": "package/dist/mermaid.min.js"}
RKH, OBJECTS = "tests/data/rkh/r1_default.bin", "tests/data/threadx/basic_objects.trx"
# Names that mean something to Mermaid, each as long as the one in whose place it stands.
HOSTILE = ((b"consumer", b"a;b#\"<%%"), (b"queue one", b"end\0\0\0\0\0\0"), (b"producer", b"x->>y: z"), (b"flags one", b"\"\nloop \xc3\xa4"))


def fetch():
    """Puts the packages' pages into the folder that is served; or why not."""
    if not shutil.which("npm"):
        return "no npm"
    run = subprocess.run(["npm", "pack", "--silent", *PACKAGES], cwd=TMP.name, capture_output=True, text=True, check=False)
    if run.returncode:
        return "the registry does not answer"
    for name in run.stdout.split():
        prefix = PACKAGES[name.split("-")[0]]
        with tarfile.open(os.path.join(TMP.name, name)) as archive:
            for member in archive.getmembers():
                if member.isfile() and member.name.startswith(prefix) and "/" not in member.name[len(prefix):]:
                    member.name = os.path.basename(member.name)
                    archive.extract(member, TMP.name)
    return None


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *words):
        super().__init__(*words, directory=TMP.name)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A page that is left does not wait for its files."""


def serve():
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def save(name, data):
    """Each under a name of its own: the browser keeps what it has got, and asks in whole seconds for what is newer."""
    with open(os.path.join(TMP.name, name), "wb") as file:
        file.write(data)


# --- speedscope ---------------------------------------------------------------------------------------------------


TITLE = "(document.body ? document.body.innerText : '')"


def profiles_of(browser, address, name):
    """The names of all profiles, as the page lists them."""
    browser.open("about:blank")
    browser.open(f"{address}/index.html#profileURL={address}/{name}")
    title = browser.until(TITLE + r".match(/^(.*) \((1)\/(\d+)\)$/m)?.slice(1).join('|')")
    name, _, count = title.split("|")
    names, count = [name], int(count)
    for number in range(2, count + 1):
        browser.key("n")
        names.append(browser.until(TITLE + rf".match(/^(.*) \({number}\/{count}\)$/m)?.[1]"))
    return names


def check_speedscope(address):
    browser = Browser(has_webgl=True)
    try:
        for path, expected in ((INVERSION, ["low", "high", "medium", "collector", "core 0"]),
                               (RKH, ["server", "cli0", "cli1", "cli2", "cli3", "my"])):
            name = os.path.basename(path) + ".json"
            save(name, convert(path, "speedscope", "--clock-hz", "50M")[1])
            same(sorted(profiles_of(browser, address, name)), sorted(expected), f"speedscope opens {os.path.basename(path)} and lists the threads")
        save("lost.json", convert(LOST, "speedscope")[1])
        names = profiles_of(browser, address, "lost.json")
        ok("losses and damage" in names, "and a trace with losses", names)
        save("stacks.txt", convert(INVERSION, "collapsed", "--clock-hz", "50M")[1])
        browser.open("about:blank")
        browser.open(f"{address}/index.html#profileURL={address}/stacks.txt")
        ok(browser.until("/stacks\\.txt/.test(document.title)"), "and collapsed stacks", browser.run("document.title"))
        same(browser.errors, [], "without an error in its console")
        same([url for url in browser.requests if not url.startswith((address, "about:", "data:", "blob:"))], [], "and nothing is fetched from elsewhere")
    finally:
        browser.close()


# --- Mermaid ------------------------------------------------------------------------------------------------------

FETCH = "fetch('trace.mmd', {cache: 'no-store'}).then(answer => answer.text())"
PARSE = f"{FETCH}.then(text => mermaid.parse(text)).then(result => result.diagramType, error => 'ERROR ' + error.message)"


def check_mermaid(address, paths):
    save("mermaid.html", b"<!doctype html><meta charset=utf-8><link rel=icon href=data:,><script src=mermaid.min.js></script><div id=at></div>")
    browser = Browser()
    faults = Faults()
    try:
        browser.open(f"{address}/mermaid.html")
        browser.until("window.mermaid && true")
        for path in paths:
            for diagram, kind in (("sequence", "sequence"), ("state", "stateDiagram")):
                run, data = convert(path, "mermaid", "--opt", f"diagram={diagram}")
                if run.status not in (0, 3):
                    faults.append(f"{path}: {run.err}")
                    continue
                save("trace.mmd", data)
                faults.compare(f"{path}: {diagram}", browser.run(PARSE), kind)
        ok(not faults, f"Mermaid's parser takes the diagrams of {len(paths)} recordings", *faults)
        save("trace.mmd", convert(RKH, "mermaid")[1])
        drawn = browser.run(f"{FETCH}.then(text => mermaid.render('picture', text)).then(result => result.svg)")
        ok("<svg" in drawn and "server" in drawn and "TOUT_REQ" in drawn, "and draws them with their names", drawn[:200])
        data = slurp(OBJECTS)
        for name, other in HOSTILE:
            data = data.replace(name, other)
        save("hostile.trx", data)
        save("trace.mmd", convert(os.path.join(TMP.name, "hostile.trx"), "mermaid")[1])
        drawn = browser.run(f"{FETCH}.then(text => mermaid.render('hostile', text)).then(result => {{ at.innerHTML = result.svg; return at.textContent }})")
        ok(all(name in drawn for name in ('a;b#"<%%', "(end)", "x->>y: z", '"\\x0aloop \u00e4')), "names that mean something to Mermaid are names", drawn[:200], drawn[-1500:])
        same(browser.errors, [], "without an error in its console")
    finally:
        browser.close()


# --- what stands in the diagrams ----------------------------------------------------------------------------------


def check_content():
    machines = [line for line in lines(RKH, "--intervals") if line["kind"] == "machine" and line["from"] != line["to"]]
    expected, now = {}, {}
    for line in machines:
        name, state = line["subject"]["name"], line["object"]["name"]
        if name in now:
            expected[name, now[name], state] = expected.get((name, now[name], state), 0) + 1
        now[name] = state
    text = convert(RKH, "mermaid", "--opt", "diagram=state", "--opt", "limit=1000")[1].decode()
    names, got = {}, {}
    for line in text.splitlines():
        words = line.split()
        if words[0] == "state" and words[2] == "as":
            names[words[3]] = words[1].strip('"')
        elif words[0].startswith("M"):
            got[names[words[0].split("S")[0]], names[words[0]], names[words[2]]] = int(words[4])
    same(got, expected, "transitions of state machines are those from one interval to the next")
    text = convert(OBJECTS, "mermaid", "--opt", "limit=10000")[1].decode()
    table = json.loads(rastrum("stats", "-q", "--format", "json", "--table", "queues", OBJECTS).out)
    names = [column["name"] for column in table["columns"]]
    queue, = (dict(zip(names, row)) for row in table["rows"] if row[0] == "queue")
    same([text.count(": sends\n"), text.count(": receives\n"), text.count(": asks to receive\n")], [queue["sends"], queue["receives"], queue["waits"]],
         "messages of a queue are those that its statistics count; what a thread waits for it receives once it is woken")
    first = [line.strip() for line in text.splitlines() if "queue one" in line or ": asks to receive" in line or ": sends" in line or ": receives" in line][:6]
    same(first, ["participant P4 as queue one (queue)", "P3->>P4: sends", "P4->>P5: receives", "P5-->>P4: asks to receive", "P3->>P4: sends", "P4->>P5: receives"],
         "arrows are in the order of events")
    text = convert(RKH, "mermaid", "--opt", "limit=30")[1].decode()
    ok(sum("->>" in line or "-x" in line for line in text.splitlines()) == 30 and "more messages are left out" in text, "a diagram is bounded, and a note says by how much", text[-200:])
    ok("LOST" in convert(LOST, "mermaid", "--opt", "limit=10000")[1].decode(), "losses are notes")


check_content()
REASON = fetch() if CHROMIUM else "no chromium"
if REASON:
    skip("speedscope and Mermaid open what is written for them", REASON)
else:
    ADDRESS = serve()
    check_speedscope(ADDRESS)
    check_mermaid(ADDRESS, every_recording())
sys.exit(done())
