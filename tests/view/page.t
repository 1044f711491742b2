#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of `rastrum view` in a real browser: what it shows, what its keys do, and that nothing leaves the machine."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import shutil

sys.dont_write_bytecode = True
sys.path[0:0] = ["tests", "tests/view"]
from devtools import CHROMIUM, Browser  # noqa: E402
from tap import RASTRUM, done, ok, rastrum, same, skip, slurp  # noqa: E402

DUMP = "tests/data/threadx/priority_inversion.trx"
LOSSES = "tests/data/rkh/d2_droppedruns.bin"
FOLDER = tempfile.mkdtemp(prefix="rastrum-page-")
PAGE = "import('./app.js').then(({ page }) => "


# --- without a browser ---------------------------------------------------------------------------------------------------

EMBEDDED = slurp("src/view/server/assets.c").decode()
absent = [path for path in glob.glob("web/*")
          if "each(%s, %s)" % tuple(os.path.basename(path).split(".")) not in EMBEDDED]
ok(not absent, "each file of web/ is in the program", *absent)
foreign = [f"{path}: {word}" for path in glob.glob("web/*") for word in ("http://", "https://", "innerHTML = `", "eval(")
           if word in slurp(path).decode().replace("http://www.w3.org/2000/svg", "")]
ok(not foreign, "none of them fetches anything from elsewhere, or makes markup of text", *foreign)

if not CHROMIUM:
    skip("the page in a browser", "chromium is not installed")
    sys.exit(done())


class Viewed:
    """A server and its page."""

    def __init__(self, browser, *paths):
        self.browser = browser
        self.process = subprocess.Popen([RASTRUM, "view", "--no-browser", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()
        self.server = self.url.split("?")[0]
        browser.open(self.url)
        browser.until("document.querySelector('#facts')?.textContent")
        self.wait()

    def wait(self):
        """Until nothing is asked for any more and everything is painted."""
        self.browser.until(PAGE + "page.panes.length && page.panes.every((pane) => pane.clock && !pane.pending && !pane.tiles.n_running))")

    def of(self, script):
        return self.browser.run(PAGE + script + ")")

    def close(self):
        self.process.terminate()
        self.process.wait(10)


def stats(table, *options):
    answer = json.loads(rastrum("stats", "-q", "--table", table, "--json", *options).out)
    return answer["rows"]


browser = Browser()

# --- one trace -----------------------------------------------------------------------------------------------------------

view = Viewed(browser, DUMP)
events = json.loads(rastrum("info", "--json", DUMP).out)["events"]
text = browser.run("document.querySelector('#facts').textContent")
ok(text.startswith(f"{events} events ") and "nothing lost" in text, "the page opens and gives the number of events", text)
labels = view.of("page.pane.rows.all.filter((row) => row.track).map((row) => row.track.label)")
same(labels[:6], ["core 0", "interrupt 0", "low", "high", "medium", "collector"], "cores, interrupts and threads have rows")
ok({"resource (plain)", "start high", "start medium"} <= set(labels), "and locks and semaphores", labels)
painted = view.of("[...page.pane.canvas.getContext('2d').getImageData(200, 60, 400, 300).data].filter((byte, n) => n % 4 === 0 && byte === 0).length")
ok(painted > 1000, "they are painted", painted)

found = [json.loads(line) for line in rastrum("explain", "--json", DUMP).out.splitlines()]
same(browser.run("[...document.querySelectorAll('.finding')].map((one) => one.lastChild.textContent)"), [finding["text"] for finding in found],
     "the findings are those of explain")
browser.click(500, 400)
browser.key("]")
view.wait()
window = view.of("[page.pane.api.ticks(page.pane.from).toString(), page.pane.api.ticks(page.pane.to).toString()].map(Number)")
ok(window[0] < found[0]["from"] < found[0]["to"] < window[1] and window[1] - window[0] < 2 * (found[0]["to"] - found[0]["from"]),
   "a finding jumps to its place", window, found[0]["from"], found[0]["to"])
same(view.of("page.pane.rows.byId.get(page.pane.chosen.track).label"), "high", "and chooses the thread that it is about")

for key, sentence, holds in (
        ("w", "W zooms in", lambda a, b: b[1] - b[0] < a[1] - a[0]), ("s", "S zooms out", lambda a, b: b[1] - b[0] > a[1] - a[0]),
        ("a", "A goes back", lambda a, b: b[0] < a[0] and b[1] < a[1]), ("d", "D goes on", lambda a, b: b[0] > a[0] and b[1] > a[1])):
    before = view.of("[page.pane.from, page.pane.to]")
    browser.key(key)
    after = view.of("[page.pane.from, page.pane.to]")
    ok(holds(before, after), sentence, before, after)
before = view.of("[page.pane.from, page.pane.to]")
browser.mouse("mouseWheel", 500, 300, deltaX=0, deltaY=-200)
browser.until(PAGE + f"page.pane.to - page.pane.from < {before[1] - before[0]})")
after = view.of("[page.pane.from, page.pane.to]")
ok(after[1] - after[0] < before[1] - before[0], "the wheel zooms", before, after)
browser.drag((500, 300), (400, 300))
ok(view.of("page.pane.from") > after[0], "dragging moves", after)

browser.key("0")
whole = view.of("[page.pane.from, page.pane.to, page.pane.full.from, page.pane.full.to]")
same(whole[:2], whole[2:], "0 shows the whole trace")
browser.drag((400, 300), (600, 300), shift=True)
area = view.of("[page.pane.area.from, page.pane.area.to].map((at) => page.pane.api.ticks(at).toString())")
expected = stats("load", "--from", area[0], "--to", area[1], DUMP)
browser.until(PAGE + "page.panel.current.drawn === page.pane.area)")
shown = browser.until("[...document.querySelectorAll('#panel tbody tr')].map((row) => row.firstChild.textContent).includes('low')"
                      " && [...document.querySelectorAll('#panel tbody tr')].map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent))")
same([row for row in shown or [] if row[0] == "low"],
     [["low", f"{row[5]:.1f} %", str(row[6])] for row in expected if row[3] == "low"], "the statistics of an area are those of stats")

browser.key("Escape")
browser.click(560, 262)
details = browser.until("document.querySelector('#panel h3')?.textContent")
same(details, "thread high", "what is clicked has its details")
ok(browser.run("document.querySelector('#panel .body').textContent").count("certainty") == 1, "with all that is known")
ahead = view.of("page.pane.chosen.at")
browser.key("ArrowRight")
ok(browser.until(PAGE + f"page.pane.chosen.at > {ahead})"), "the arrow keys go from interval to interval")
browser.key("ArrowDown")
same(view.of("page.pane.rows.byId.get(page.pane.chosen.track).label"), "medium", "and from track to track")
browser.key("p")
same(view.of("page.pane.rows.all.filter((row) => row.isPinned).map((row) => row.track.label)"), ["medium"], "P pins a track")

browser.key("/")
browser.type("releases mutex")
browser.key("Enter")
browser.until(PAGE + "page.panel.events.found?.events.length)")
lines = browser.until("document.querySelectorAll('#panel tr.near').length && document.querySelectorAll('#panel tr.jump').length")
expected = [line for line in rastrum("report", DUMP).lines if "releases mutex" in line]
same(lines, len(expected), "the search finds the events that report has")
browser.key("b")
ok("notes=" in browser.until("location.hash.includes('notes=') && location.hash"), "a bookmark is in the link")
kept = browser.run("location.hash")
browser.open("about:blank")
browser.open(view.url + kept)
view.wait()
browser.until(PAGE + "page.pane.marks.length)")
same(view.of("[page.pane.marks.length, page.pane.rows.pinned.length]"), [1, 1], "which brings it, and what is pinned, back")

browser.key("t")
same(browser.run("document.documentElement.className"), "dark", "T makes it dark")
svg = view.of("page.pane.svg()")
ok(svg.startswith("<svg") and "resource (plain)" in svg and "<script" not in svg, "the picture can be saved as SVG")
browser.key("?")
ok(browser.run("document.querySelector('dialog').open && document.querySelectorAll('dialog tr').length") > 30, "? shows all keys")
view.close()

# --- several, damaged, hostile ---------------------------------------------------------------------------------------------

view = Viewed(browser, DUMP, LOSSES)
same(view.of("page.panes.map((pane) => pane.info.dialect)"), ["threadx", "rkh"], "several traces are beside each other")
ok(view.of("page.panes[1].losses.length") > 0, "losses have their marks")
view.close()

names = os.path.join(FOLDER, "names.trx")
image = bytearray(slurp(DUMP))
for name, other in ((b"medium\0", b"<b>x&\"\0"), (b"collector\0", b"\x1b[31m\x07\xff<i>\0"[:10])):
    at = image.find(name)
    ok(at > 0, "a name is in the dump")
    image[at:at + len(name)] = other
with open(names, "wb") as out:
    out.write(image)
view = Viewed(browser, names)
shown = view.of("page.pane.rows.tracks.map((track) => track.name)")
ok(any('<b>x&"' in name for name in shown), "markup in names is text", shown)
same(browser.run("document.querySelectorAll('b, i').length"), 0, "and makes no element")
view.close()

browser.dark(True)
same(browser.until(PAGE + "page.theme === 'dark')"), True, "a system that becomes dark makes the page dark")
browser.dark(False)
browser.resize(3840, 2160)
view = Viewed(browser, DUMP)
ok(view.of("page.pane.canvas.width > 2500 && page.pane.width * 1.5 - page.pane.canvas.clientWidth < 1"), "on a large screen everything is larger")
ok(view.of("(page.pane.paint(), page.pane.paintMs)") is not None, "and is painted")
server = view.server
view.close()
browser.until("document.querySelector('#state').textContent || (" + PAGE + "page.pane.zoom(0.1)), false)")
ok("does not answer" in browser.run("document.querySelector('#state').textContent"), "a server that has ended is reported")

elsewhere = [url for url in browser.requests if not url.startswith(("http://127.0.0.1:", "about:", "data:", "blob:"))]
ok(browser.requests and not elsewhere, "no request leaves the machine", *elsewhere)
wrong = [error for error in browser.errors if "ERR_CONNECTION_REFUSED" not in error and "Failed to fetch" not in error]
ok(not wrong, "the console has no error", *wrong[:10])
browser.close()
shutil.rmtree(FOLDER)
sys.exit(done())
