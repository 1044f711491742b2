#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`rastrum timeline` in a real terminal, which tmux is: what stands on the screen, and what keys change."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import RASTRUM, done, ok, rastrum, same, skip  # noqa: E402
from threadx_events import OWN_PRIORITY, THREAD, image  # noqa: E402

DUMP = "tests/data/threadx/priority_inversion.trx"
OTHER = "tests/data/threadx/isr_nested.trx"
USAGE = 2
PROGRAM = os.path.abspath(RASTRUM)
PATIENCE = 30
n_terminals = 0


class Terminal:
    """A terminal with a shell line in it: the timeline, then its exit status."""

    def __init__(self, *words, columns=80, lines=24, env=""):
        global n_terminals
        n_terminals += 1
        self.tmux = ["tmux", "-L", f"rastrum-{os.getpid()}-{n_terminals}", "-f", "/dev/null"]
        line = " ".join(f"'{word}'" for word in words)
        command = f"echo before; env -u NO_COLOR LC_ALL=C.UTF-8 {env} '{PROGRAM}' timeline {line}; echo \"status $?\"; exec sleep 600"
        self.run("new-session", "-d", "-x", str(columns), "-y", str(lines), "sh", "-c", command)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("kill-server")

    def run(self, *words):
        return subprocess.run([*self.tmux, *words], capture_output=True, text=True, errors="replace").stdout

    def screen(self, *options):
        return self.run("capture-pane", "-p", *options)

    def wait(self, pattern):
        """The screen, once it has the pattern and is drawn to its end; without it after a long time: as it is then."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, screen := self.screen()) and time.monotonic() < end:
            time.sleep(0.05)
        end = min(end, time.monotonic() + 1)  # what follows a trace may change for ever
        while (before := screen) != (screen := self.screen()) and time.monotonic() < end:
            time.sleep(0.05)
        return screen

    def type(self, *keys, wait=None):
        for key in keys:
            self.run("send-keys", "--", key)
        return self.wait(wait) if wait else None

    def resize(self, columns, lines):
        self.run("resize-window", "-x", str(columns), "-y", str(lines))

    def begun(self):
        """The screen of a trace that was read to its end."""
        end = time.monotonic() + PATIENCE
        while ((screen := self.screen()).count("\n") < 4 or "events" not in screen or "reading" in screen) and time.monotonic() < end:
            time.sleep(0.05)
        return screen

    def pid(self):
        shell = self.run("display-message", "-p", "#{pane_pid}").strip()
        return int(subprocess.run(["pgrep", "-P", shell], capture_output=True, text=True).stdout.split()[0])


def row(screen, name):
    return next((line for line in screen.splitlines() if line[1:].startswith(name)), "")


def check_picture():
    with Terminal(DUMP) as terminal:
        screen = terminal.begun()
        ok(all(re.search(rf"^{title}$", screen, re.M) for title in ("Cores", "Threads", "Locks", "Levels")), "groups have titles", screen)
        ok(row(screen, "high").count("╳") > 10 and "█" in row(screen, "high"), "a wait for a lock and running look different", screen)
        ok("╳ waiting for a lock" in screen and "█ running" in screen, "a legend says which is which", screen)
        ok("low" in row(screen, "resource")[16:], "a lock has the name of its owner in it", screen)
        ok("96 events" in screen and max(map(len, screen.splitlines())) <= 80, "80 columns are enough", screen)
        colors = terminal.screen("-e")
        ok(re.search(r"\x1b\[[0-9;]*34m█", colors) and re.search(r"\x1b\[[0-9;]*31m╳", colors), "states have colours", colors)


def check_plain():
    for words, env, name in (([], "NO_COLOR=1", "NO_COLOR"), (["--color=never"], "", "--color=never")):
        with Terminal(*words, DUMP, env=env) as terminal:
            terminal.begun()
            screen = terminal.screen("-e")
            ok(not re.search(r"\x1b\[(?:\d+;)*3[0-7]", screen) and "█" in screen and "╳" in screen, f"no colours with {name}, and states differ",
               screen)
    for words, env, name in ((["--ascii"], "", "--ascii"), ([], "LC_ALL=C", "a locale that is not UTF-8")):
        with Terminal(*words, DUMP, env=env) as terminal:
            screen = terminal.begun()
            ok(screen.isascii() and "xxxx" in row(screen, "high") and "####" in row(screen, "low"), f"ASCII only with {name}", screen)


def check_sizes():
    with Terminal(DUMP, columns=40, lines=10) as terminal:
        screen = terminal.begun()
        ok("core 0" in screen and "running" in screen and max(map(len, screen.splitlines())) <= 40, "40 columns and 10 lines show something", screen)
        screen = terminal.type("End", *["Down"] * 7, wait="resource")
        ok("resource" in screen, "rows that find no room scroll", screen)
        terminal.resize(200, 50)
        screen = terminal.wait(r"start medium[^\n]{150}")
        ok(re.search(r"start medium[^\n]{150}", screen), "a terminal that grows is filled", screen)
        terminal.resize(20, 5)
        screen = terminal.wait("too small")
        ok("too small" in screen, "one that is too small is told so", screen)
        terminal.resize(80, 24)
        ok("Threads" in terminal.wait("Threads"), "and the picture comes back")


def check_keys():
    with Terminal(DUMP) as terminal:
        whole = terminal.begun()
        near = terminal.type("w", "w", "w", wait=r"\n.*\+\d+")
        ok("42254170 ticks" in whole and re.search(r"\b144\d{5} ticks", terminal.wait(r"\b144\d{5} ticks")), "w zooms in", near)
        moved = terminal.type("d", wait=r"\n {16}[^ 0]|\n {17,}\d")
        ok(moved.splitlines()[1] != whole.splitlines()[1], "d goes on in time", moved)
        same(terminal.type("0", wait="42254170 ticks").splitlines()[1], whole.splitlines()[1], "0 shows the whole")
        terminal.type("Down", "Down", "Down", wait="▸high")
        step = terminal.type("Right", wait=r"high: waiting for a lock resource")
        ok(re.search(r"high: waiting for a lock resource \(plain\), 66\d{5} ticks", step), "Right goes to the next interval, and the line says what it is",
           step)
        details = terminal.type("Enter", wait="events that begin and end it")
        explained = re.search(r"from +\+\d+ ticks \((\d+)\)", details)
        ok(explained and explained[1] == "336372703", "Enter shows the interval with its moments", details)
        ok("336372703" in details.partition("events that")[2], "and the event that began it", details)
        screen = terminal.type("Escape", "m", wait="measures from here")
        screen = terminal.type("Right", wait=r"\([1-9]\d* ticks from the mark\)")
        ok(re.search(r"\([1-9]\d* ticks from the mark\)", screen) and "M" in screen.splitlines()[2], "m measures", screen)
        help_text = terminal.type("?", wait="Keys")
        ok("zoom in, around the cursor" in help_text, "? shows the keys", help_text)
        screen = terminal.type("Escape", "p", wait="Pinned")
        ok(re.search(r"Pinned\n▸high", screen), "p pins a row to the top", screen)
        screen = terminal.type("h", wait="1 hidden")
        ok(not row(screen, "high"), "h hides it", screen)
        screen = terminal.type("H", "t", "m", "e", "d", "*", "Enter", wait=r"Threads\n.*medium")
        ok(row(screen, "medium") and not row(screen, "low"), "t shows only tracks whose names match", screen)


def check_findings():
    expected = len(rastrum("explain", "--format", "jsonl", DUMP).lines) if rastrum("explain", "--format", "jsonl", DUMP).status < USAGE else 0
    with Terminal(DUMP) as terminal:
        terminal.begun()
        screen = terminal.type("f", wait="waited 6657979")
        ok("'high' (priority 4) waited 6657979 ticks" in screen, "f shows the findings", screen)
        screen = terminal.type("Enter", wait="1 of ")
        count = re.search(r"1 of (\d+): 'high'", screen)
        ok(count and (not expected or int(count[1]) == expected), "Enter goes to one", expected, screen)
        ok("▸high" in screen, "and selects the row that it is about", screen)
        ok(re.search(r"9986969 ticks|998\d{4} ticks", screen), "and shows its time, with some around it", screen)
        ok("2 of" in terminal.type("]", wait="2 of "), "] goes to the next")
        ok("1 of" in terminal.type("[", wait="1 of "), "[ goes back")


def check_search():
    with Terminal(DUMP) as terminal:
        terminal.begun()
        screen = terminal.type("/", "m", "e", "d", "i", "u", "m", "Enter", wait=r"1 of \d+: medium")
        ok("▸medium" in screen, "a search finds rows by their names", screen)
        screen = terminal.type("n", "n", wait=r"3 of \d+: ")
        ok(re.search(r"3 of \d+: .*medium", screen), "then events by their text", screen)
        ok("2 of" in terminal.type("N", wait=r"2 of \d+"), "N goes back")
        screen = terminal.type("/", "z", "z", "z", "Enter", wait="no track and no event")
        ok('no track and no event has "zzz"' in screen, "what is not found is said", screen)


def check_end():
    with Terminal(DUMP) as terminal:
        terminal.begun()
        screen = terminal.type("q", wait="status")
        same(screen.split(), ["before", "status", "0"], "q ends it, and the screen is as it was")
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with Terminal(DUMP) as terminal:
            terminal.begun()
            os.kill(terminal.pid(), number)
            screen = terminal.wait("status")
            ok(f"status {status}" in screen and "Threads" not in screen, f"{number.name} ends it, by the signal, and the screen is as it was", screen)
    with Terminal(DUMP) as terminal:
        terminal.begun()
        pid = terminal.pid()
        os.kill(pid, signal.SIGTSTP)
        screen = terminal.wait(r"^before\n")
        ok("Threads" not in screen, "SIGTSTP gives the screen back", screen)
        os.kill(pid, signal.SIGCONT)
        ok("Threads" in terminal.wait("Threads"), "and SIGCONT takes it again")


def check_refusals():
    run = rastrum("timeline", DUMP)
    ok(run.status == USAGE and "terminal" in run.err and not run.out and len(run.err.splitlines()) <= 2, "without a terminal a sentence says so",
       run.status, run.err)
    with Terminal("/nonexistent.trx") as terminal:
        screen = terminal.wait("status")
        ok("status 4" in screen and "nonexistent" in screen, "a file that is not there is named", screen)


def check_hostile():
    """Names of threads that are control characters, wide characters, markup; each of the threads runs."""
    names = ["\x1b[2J\x1b]0;x", "日本語の名前", "<b>&amp;", "a\tb\rc", "\x7f\x9b2J"]
    threads = [(1, THREAD + 256 * i, name, 0, 0) for i, name in enumerate(names)]
    events = [(THREAD + 256 * (i % 5), OWN_PRIORITY, 1, (THREAD + 256 * ((i + 1) % 5), 0, 0, 0)) for i in range(100)]
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/hostile.trx", "wb") as file:
            file.write(image(threads, events))
        with Terminal(folder + "/hostile.trx") as terminal:
            screen = terminal.begun()
            ok("hostile.trx" in screen and "100 events" in screen, "hostile names change nothing on the screen but their rows", screen)
            ok("日本語の名前" in screen and "<b>&amp;" in screen and "\\x1b" in screen, "wide names are shown, and control characters as numbers", screen)
            ok("status" in terminal.type("Enter", "Escape", "q", wait="status"), "and it ends as always", terminal.screen())


def check_window():
    with Terminal("--from", "336372703", "--to", "343030682", "--tracks", "high,low", DUMP) as terminal:
        screen = terminal.begun()
        ok("6657979 ticks" in screen and row(screen, "high") and not row(screen, "medium"), "--from, --to and --tracks choose", screen)


def check_follow():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/run.bin"
        with open("tests/data/rkh/r1_default.bin", "rb") as file:
            whole = file.read()
        with open(path, "wb") as file:
            file.write(whole[:len(whole) // 2])
        with Terminal("--follow", path) as terminal:
            screen = terminal.wait(r"\d+ events")
            before = int((re.search(r"(\d+) events", screen) or [0, 0])[1])
            with open(path, "ab") as file:
                file.write(whole[len(whole) // 2:])
            end = time.monotonic() + PATIENCE
            while int((re.search(r"(\d+) events", terminal.screen()) or [0, 0])[1]) <= before and time.monotonic() < end:
                time.sleep(0.05)
            screen = terminal.screen()
            after = int((re.search(r"(\d+) events", screen) or [0, 0])[1])
            ok(after > before > 0, "--follow shows what comes", before, after, screen)
            screen = terminal.type("q", wait="status")
            ok("status" in screen, "and q ends it", screen)


def check_follow_key():
    """F holds the window, and lets it go on; what is followed may become shorter."""
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/run.bin"
        with open("tests/data/rkh/r1_default.bin", "rb") as file:
            whole = file.read()
        with open(path, "wb") as file:
            file.write(whole[:len(whole) // 2])
        with Terminal("--follow", path) as terminal:
            terminal.wait(r"\d+ events.*following")
            ok("stays where it is" in terminal.type("F", wait="stays"), "F holds the window", terminal.screen())
            screen = terminal.type("F", wait="is followed")
            ok("the end of the trace is followed" in screen and "following" in screen, "and follows again", screen)
            os.truncate(path, 10)
            with open(path, "ab") as file:
                file.write(whole[10:200])
            time.sleep(0.5)
            screen = terminal.type("?", wait="Keys")
            ok("Keys" in screen, "a file that is cut while it is followed does not end it", screen)
            screen = terminal.type("Escape", "q", wait="status")
            ok(re.search(r"status [03]", screen), "q still does", screen)


def check_vanished():
    """A file that is taken away, or is another one, while it is looked at."""
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/gone.trx"
        shutil.copy(DUMP, path)
        with Terminal(path) as terminal:
            terminal.begun()
            os.unlink(path)
            screen = terminal.type("Down", "Down", "Down", "Enter", wait="No such file")
            ok("gone.trx" in screen and "No such file" in screen, "of a file that is gone, details have a sentence instead of events", screen)
            screen = terminal.type("Escape", wait="96 events")
            ok("96 events" in screen and "Threads" in screen, "its picture stays", screen)
            screen = terminal.type("/", *"zzz", "Enter", wait="no track")
            ok('no track has "zzz"; ' in screen and "no event" not in screen, "and a search has the same sentence", screen)
            shutil.copy(OTHER, path)
            screen = terminal.type("Enter", wait="Details")
            ok("Details" in screen, "another file in its place ends nothing", screen)
            ok("status 0" in terminal.type("Escape", "q", wait="status"), "q ends it", terminal.screen())


def check_losses():
    """Slots that are empty between others."""
    with tempfile.TemporaryDirectory() as folder:
        events = [(0 if i in (30, 31, 70) else THREAD + 256 * (i % 2), OWN_PRIORITY, 1, (THREAD + 256 * ((i + 1) % 2), 0, 0, 0)) for i in range(100)]
        with open(folder + "/lossy.trx", "wb") as file:
            file.write(image([(1, THREAD, "one", 0, 0), (1, THREAD + 256, "two", 0, 0)], events))
        with Terminal(folder + "/lossy.trx") as terminal:
            screen = terminal.begun()
            ok("97 events" in screen and "2 losses" in screen, "losses are counted at the top", screen)
            marked = [line for line in screen.splitlines() if "!" in line]
            ok(marked, "and marked in time", screen)


def check_many_threads():
    """More rows than any screen has."""
    with tempfile.TemporaryDirectory() as folder:
        threads = [(1, THREAD + 256 * i, f"t{i}", 0, 0) for i in range(3000)]
        events = [(THREAD + 256 * (i % 3000), OWN_PRIORITY, 1, (THREAD + 256 * ((i + 1) % 3000), 0, 0, 0)) for i in range(6000)]
        with open(folder + "/many.trx", "wb") as file:
            file.write(image(threads, events))
        with Terminal(folder + "/many.trx") as terminal:
            screen = terminal.begun()
            ok("6000 events" in screen and max(map(len, screen.splitlines())) <= 80, "thousands of threads leave the screen whole", screen)
            screen = terminal.type("/", "t", "2", "9", "9", "9", "Enter", wait="▸t2999")
            ok("▸t2999" in screen, "a search goes to the last of them", screen)
            screen = terminal.type("Up", wait="▸t2998")
            ok("▸t2998" in screen, "and its neighbour is beside it", screen)
            ok("status 0" in terminal.type("q", wait="status"), "q ends it")


def check_several():
    with Terminal(DUMP, OTHER) as terminal:
        screen = terminal.begun()
        ok("priority_inversion.trx" in screen, "of several traces the first is shown", screen)
        screen = terminal.type(">", wait="isr_nested.trx")
        ok("isr_nested.trx" in screen and "priority_inversion.trx" not in screen, "> shows the next", screen)
        screen = terminal.type("<", wait="priority_inversion.trx")
        ok("priority_inversion.trx" in screen, "< goes back", screen)
        ok("status 0" in terminal.type("q", wait="status"), "q ends all")


if not shutil.which("tmux"):
    skip("rastrum timeline in a terminal", "no tmux")
else:
    check_picture()
    check_plain()
    check_sizes()
    check_keys()
    check_findings()
    check_search()
    check_end()
    check_refusals()
    check_window()
    check_hostile()
    check_follow()
    check_follow_key()
    check_vanished()
    check_losses()
    check_many_threads()
    check_several()
sys.exit(done())
