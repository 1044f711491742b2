#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`rastrum draw`: what is in the picture, and what is not."""
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as tree

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from scheduler import Schedule
from tap import done, ok, rastrum, same
from threadx_events import OWN_PRIORITY, THREAD, image

DUMP = "tests/data/threadx/priority_inversion.trx"
SVG = "{http://www.w3.org/2000/svg}"
WINDOW = ("--from", "333750000", "--to", "345000000")
RUNNING, WAITING_FOR_LOCK = "#0072b2", "#d55e00"


class Picture:
    def __init__(self, *words):
        self.run = rastrum("draw", *words)
        self.root = tree.fromstring(self.run.out)
        self.texts = [element.text for element in self.root.iter(SVG + "text")]

    def bars(self, fill):
        """(x, y, width) of the bars of a colour, without the legend."""
        height = float(self.root.get("height"))
        found = [(float(r.get("x")), float(r.get("y")), float(r.get("width"))) for r in self.root.iter(SVG + "rect") if r.get("fill") == fill]
        return [bar for bar in found if bar[1] < height - 60]

    def y_of(self, label):
        return next(float(e.get("y")) for e in self.root.iter(SVG + "text") if e.text == label and e.get("x") == "10.0")

    def of_row(self, label, fill):
        y = self.y_of(label)
        return sorted((x, width) for x, top, width in self.bars(fill) if y - 16 < top < y + 6)


def check_inversion():
    picture = Picture(DUMP, *WINDOW)
    ok({"Cores", "Threads", "Locks", "high", "medium", "low", "resource (plain)", "core 0"} <= set(picture.texts),
       "groups, threads and locks have their names", picture.texts)
    ok({"running", "ready", "waiting for a lock", "held"} <= set(picture.texts), "and a legend says what is what")
    # The axis is 790 pixels of 11,250,000 ticks from 160 on; the mutex is asked for at 336372703, and had at 343030682.
    (x, width), = picture.of_row("high", WAITING_FOR_LOCK)
    scale = 790 / 11250000
    ok(abs(x - 160 - (336372703 - 333750000) * scale) < 0.1 and abs(width - (343030682 - 336372703) * scale) < 0.1,
       "the wait for the mutex stands where it was, as long as it was", x, width)
    (medium, width), = [bar for bar in picture.of_row("medium", RUNNING) if bar[1] > 5]
    ok(abs(medium - 160 - (338924593 - 333750000) * scale) < 0.1, "and in it what ran meanwhile", medium)


def check_plain():
    first = rastrum("draw", DUMP, *WINDOW)
    for name, value in (("TZ", "Asia/Tokyo"), ("LC_ALL", "C"), ("COLUMNS", "40"), ("NO_COLOR", "1"), ("TERM", "dumb")):
        same(rastrum("draw", DUMP, *WINDOW, env={name: value}).bytes, first.bytes, f"the same bytes with {name}={value}")
    ok(not re.search(r"<script|<image|<foreignObject|href|@import|\bon\w+=|url\((?!#)", first.out), "no script, nothing from outside")
    links = set(re.findall(r"https?://[^\"]*", first.out))
    same(links, {"http://www.w3.org/2000/svg"}, "no address but that of SVG's names")


def check_tracks():
    picture = Picture(DUMP, *WINDOW, "--tracks", "high,res*", "--width", "640")
    ok({"high", "resource (plain)"} <= set(picture.texts) and not {"medium", "collector", "Cores"} & set(picture.texts),
       "--tracks shows only these rows", picture.texts)
    same(picture.root.get("width"), "640", "--width is the picture's")
    run = rastrum("draw", DUMP, "--tracks", "nothing")
    ok(run.status == 2 and "no track" in run.err, "a name that no track has is wrong usage", run.err)
    for width in ("100", "20000"):
        run = rastrum("draw", DUMP, "--width", width)
        ok(run.status == 2 and "320" in run.err, f"and so is --width {width}", run.err)
    run = rastrum("draw", DUMP, DUMP)
    ok(run.status == 2 and "one trace" in run.err, "and more than one trace", run.err)


def check_names(folder):
    """Names with markup and control characters are text."""
    path = os.path.join(folder, "hostile.trx")
    name = "<script>&\"'\x01"
    events = [(THREAD, OWN_PRIORITY, 1, (THREAD, 0, 0, THREAD)), (THREAD, OWN_PRIORITY, 112, (5, 0, 0, 0))]
    with open(path, "wb") as out:
        out.write(image([(1, THREAD, name, 5, 0)], events))
    picture = Picture(path)
    ok(any("<script>&\"'" in text and "x01" in text for text in picture.texts), "a name with markup is drawn as text", picture.texts)


def check_large(folder):
    """More segments than pixels: the picture stays small, and the times of the bars are right on the whole."""
    schedule = Schedule(3, n_events=12000)
    path = os.path.join(folder, "large.trx")
    with open(path, "wb") as out:
        out.write(schedule.dump())
    picture = Picture(path, "--width", "600")
    ok(len(picture.run.out) < 300000, "what is narrower than a pixel is summed up", len(picture.run.out))
    run = rastrum("draw", "-o", os.path.join(folder, "x.svg"), path)
    ok(run.status == 0 and not run.out and os.path.getsize(os.path.join(folder, "x.svg")) > 1000, "-o writes a file", run.err)


def check_loss(folder):
    picture = Picture("tests/data/rkh/d2_droppedruns.bin")
    ok("events lost" in picture.texts, "losses are drawn, and explained", picture.texts[-6:])
    path = os.path.join(folder, "empty")
    with open(path, "wb") as out:
        out.write(image([(1, THREAD, "t", 5, 0)], [(THREAD, OWN_PRIORITY, 112, (5, 0, 0, 0))]))
    run = rastrum("draw", path)
    ok(run.status == 2 and "no time" in run.err, "a window without time cannot be drawn", run.err)


with tempfile.TemporaryDirectory(prefix="rastrum-draw-") as work:
    check_inversion()
    check_plain()
    check_tracks()
    check_names(work)
    check_large(work)
    check_loss(work)
sys.exit(done())
