#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Names and texts of inputs were made to do harm: escape sequences, line ends, quotes, controls of direction, bytes that are no UTF-8,
markup, formulas. Every command shows them in every format as text and nothing else. Commands and formats are those that the program
names, so that a new one is tested, or missed here, without being listed.
"""
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
sys.path[:0] = ["tests", "bench"]
import hostile_names as hostile  # noqa: E402
from tap import Faults, RASTRUM, done, ok, rastrum, same, skip, slurp  # noqa: E402
from viewer import Server  # noqa: E402

TMP = tempfile.TemporaryDirectory()
PATH = os.path.abspath(TMP.name)
# What changes what stands around it, or ends a line (src/base/text.c).
INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
INPUTS = {}


def save(name, data):
    path = os.path.join(PATH, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


# --- what outputs must be ---------------------------------------------------------------------------------------------

def check_text(data, has_tabs=True):
    """Printable UTF-8 in lines, none of which was forged."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        return f"no UTF-8: {fault}, {data[max(0, fault.start - 40):fault.end + 20]!r}"
    found = INVISIBLE.search(text)
    if found or (not has_tabs and "\t" in text):
        at = found.start() if found else text.index("\t")
        return f"{text[at]!r} in {text[max(0, at - 60):at + 30]!r}"
    forged = [line for line in text.split("\n") if line.startswith(hostile.FORGED)]
    return f"a forged line: {forged[0]!r}" if forged else None


def check_json(data):
    """A value on each line, or one of several lines."""
    fault = check_text(data, has_tabs=False)
    if fault:
        return fault
    try:
        for line in data.decode().splitlines():
            json.loads(line)
    except ValueError:
        try:
            json.loads(data)
        except ValueError as error:
            return f"no JSON: {error}, {data[max(0, getattr(error, 'pos', 0) - 60):getattr(error, 'pos', 0) + 30]!r}"
    return None


def check_csv(data):
    """Tables with a heading each, apart by an empty line; all rows have as many cells."""
    fault = check_text(data)
    if fault:
        return fault
    width = 0
    for row in csv.reader(io.StringIO(data.decode(), newline="")):
        if not row:
            width = 0
        elif width and len(row) != width:
            return f"{len(row)} cells in place of {width}: {row}"
        width = len(row)
    return None


def check_xml(data):
    fault = check_text(data)
    try:
        root = xml.fromstring(data)
    except xml.ParseError as error:
        return fault or f"no XML: {error}"
    odd = {element.tag.rpartition("}")[2] for element in root.iter()} & {"script", "b", "foreignObject", "a"}
    return fault or (f"elements {odd}" if odd else None)


def check_tap(data):
    odd = [line for line in data.decode("utf-8", "replace").splitlines() if not re.match(r"(not )?ok \d|\d+\.\.\d|TAP |#|  |\Z", line)]
    return check_text(data) or (f"no line of TAP: {odd[0]!r}" if odd else None)


def check_collapsed(data):
    odd = [line for line in data.decode("utf-8", "replace").splitlines() if not re.fullmatch(r"[^;]+(;[^;]+)* \d+", line)]
    return check_text(data, has_tabs=False) or (f"no stack: {odd[0]!r}" if odd else None)


def check_vcd(data):
    """A name is one word."""
    odd = [line for line in data.decode("utf-8", "replace").splitlines()
           if line.startswith(("$var", "$scope")) and not re.fullmatch(r"\$var \w+ \d+ \S+ \S+( \[\S+\])? \$end|\$scope module \S+ \$end", line)]
    return check_text(data) or (f"a name of several words: {odd[0]!r}" if odd else None)


MERMAID = re.compile(r"sequenceDiagram|stateDiagram-v2|\s*(participant \w+ as .*|\w+( ?[-=]+>>?\+?-?| ?-[x)]|-->>?) ?\w+ ?:.*|Note (over|left of|right of) \w+(,\w+)? ?:.*|"
                     r"state \".*\" as \w+( \{)?|\[\*\] --> \w+|\w+ --> (\w+|\[\*\])( ?:.*)?|\}|%%.*|activate \w+|deactivate \w+|direction \w+|)")


def check_mermaid(data):
    """Statements, and no markup in the words of people."""
    odd = [line for line in data.decode("utf-8", "replace").splitlines() if not MERMAID.fullmatch(line) or re.search(r"<[/b!s]", line)]
    return check_text(data) or (f"no statement: {odd[0]!r}" if odd else None)


def check_sqlite(path):
    with sqlite3.connect(path) as database:
        database.text_factory = bytes
        if database.execute("PRAGMA integrity_check").fetchall() != [(b"ok",)]:
            return "the database is damaged"
        for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in database.execute(f'SELECT * FROM "{name.decode()}"'):
                for cell in row:
                    fault = check_text(cell) if isinstance(cell, bytes) else None
                    if fault:
                        return f"{name.decode()}: {fault}"
        for args, in database.execute("SELECT args FROM event_rows WHERE args NOT NULL"):
            json.loads(args)
    return None


def fields_of(data):
    """(number, kind, value) of a message of protobuf, or None."""
    found, at = [], 0

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            value, shift, at = value | (data[at] & 0x7F) << shift, shift + 7, at + 1
            if data[at - 1] < 0x80 or shift > 63:
                return value
    try:
        while at < len(data):
            key = number()
            if key & 7 == 0:
                found.append((key >> 3, 0, number()))
            elif key & 7 in (1, 5):
                at += 8 if key & 7 == 1 else 4
            elif key & 7 == 2:
                n = number()
                if at + n > len(data):
                    return None
                found.append((key >> 3, 2, data[at:at + n]))
                at += n
            else:
                return None
    except IndexError:
        return None
    return found if at == len(data) else None


def check_perfetto(data):
    """What is no message is a text."""
    fields = fields_of(data)
    for _, kind, value in fields or []:
        if kind == 2:
            fault = check_text(value) if fields_of(value) is None else check_perfetto(value)
            if fault:
                return fault
    return None if fields is not None else "no protobuf"


def check_ctf(path):
    with open(os.path.join(path, "metadata"), "rb") as file:
        fault = check_text(file.read().replace(b"\t", b" "))
    if fault or not shutil.which("babeltrace2"):
        return fault
    run = subprocess.run(["babeltrace2", path], capture_output=True, check=False)
    return f"babeltrace2: {run.stderr[-300:]!r}" if run.returncode else check_text(run.stdout)


def check_txtb(path):
    """Names are bytes of a fixed size; read again, they are what they were."""
    return check_json(rastrum("report", "-q", "-f", "jsonl", path).bytes)


def check_trcrpt(data):
    """Pages end with a form feed, as AIX's do."""
    return check_text(data.replace(b"\n\f", b"\n\n"))


CHECKS = {"text": check_text, "table": check_text, "aix": check_text, "columns": check_text, "csv": check_csv, "json": check_json, "jsonl": check_json, "tap": check_tap,
          "junit": check_xml, "svg": check_xml, "sqlite": check_sqlite, "chrome": check_json, "perfetto": check_perfetto, "speedscope": check_json,
          "collapsed": check_collapsed, "vcd": check_vcd, "mermaid": check_mermaid, "txtb": check_txtb, "ctf": check_ctf}
SETTINGS = {"what": "intervals", "sentences": "yes", "time": "running", "diagram": "state", "limit": "30", "profile": "lttng-kernel", "word": "64"}


# --- the commands -----------------------------------------------------------------------------------------------------

class Command:
    """A command, and how it is tried."""

    def __init__(self, name):
        self.name, self.faults, self.n_runs, self.n_bytes = name, Faults(), 0, 0
        self.help = rastrum("help", name).out

    def formats(self):
        """As its help has them: -f, --format text|csv|json."""
        found = re.search(r"--format ([a-z|]+)$", self.help, re.M)
        return found.group(1).split("|") if found else []

    def run(self, check, *words, statuses=(0, 1, 3), **more):
        run = rastrum(self.name, *words, **more)
        self.n_runs += 1
        self.n_bytes += len(run.bytes)
        what = " ".join([self.name, *(word for word in map(str, words) if PATH not in word)]).encode("unicode_escape").decode()
        if run.status not in statuses:
            self.faults.append(f"{what}: status {run.status}: {run.err.strip()[-200:]!r}")
        for data, how in ((run.bytes, check), (run.err.encode("utf-8", "surrogateescape"), check_text)):
            fault = how(data)
            if fault:
                self.faults.append(f"{what}: {fault}")
        return run

    def each_format(self, *words, options=()):
        for name in self.formats():
            if name not in CHECKS:
                self.faults.append(f"no check is known for the format {name}")
            else:
                self.run(CHECKS[name], "-f", name, *options, *words)

    def done(self):
        ok(not self.faults and self.n_bytes > 0, f"{self.name} shows hostile names as text and nothing else ({self.n_runs} runs)", *self.faults)


def inputs():
    return list(INPUTS.values())


# The recordings of every dialect at once; how they are read is the same for all.
CLOCK = ["--clock-hz", "1M"]


def try_report(command):
    command.each_format(*inputs(), options=["-q"])
    for name in ("text", "jsonl", "csv"):
        command.run(CHECKS[name], "-q", "--intervals", "-f", name, *inputs())
    command.run(check_text, "--columns", "time,delta,core,thread,priority,event,text", *inputs())
    command.run(check_text, "--no-such-option" + hostile.PIECES[0].decode(), statuses=(2,))


def try_info(command):
    command.run(check_text, *inputs())
    command.run(check_json, "--json", *inputs())
    command.run(check_text, *(path + "\x1b[1m\u202e" for path in inputs()), statuses=(4,))


def try_stats(command):
    tables = ",".join(re.findall(r"^(\w+)  ", rastrum("stats", "--list").out, re.M))
    command.run(check_text, "-q", *inputs())
    command.each_format(*inputs(), options=["-q", "--table", tables])


def try_explain(command):
    command.run(check_text, "-q", *inputs())
    command.run(check_json, "-q", "--json", *inputs())


def try_doctor(command):
    command.run(check_text, "-q", *inputs(), statuses=(1, 3))
    command.run(check_json, "-q", "--json", *inputs(), statuses=(1, 3))


RULES = """ready(thread *) < 1%
run(thread *) < 1%
count(event *) < 1
level(queue *) <= 1
none "SELECT name, text, args FROM events"
"""


def try_check(command):
    good = save("good<]]>.rules", RULES.encode())
    command.each_format(good, *inputs(), options=["-q", *CLOCK])
    bad = save("bad\x1b\n.rules", b'run(thread </script>]]>"*) < 1ns\nlatency(event a\x1b[1m -> event b) < 1ns\n')
    command.run(check_text, bad, inputs()[0], statuses=(2, 3))


def try_diff(command):
    stores = [path for name, path in INPUTS.items() if name.startswith("store-")]
    for before, after in ((INPUTS["threadx"], stores[0]), (INPUTS["posix"], INPUTS["liteos"]), *zip(stores, [*stores[1:], stores[0]])):
        command.each_format(before, after, options=["-q", "--all", *CLOCK])


QUESTIONS = ("SELECT * FROM events", "SELECT * FROM objects, (SELECT * FROM intervals LIMIT 20)", "SELECT name AS \"a\x1b]0;x\x07\nb\", char(27, 10, 155, 34, 44, 8238) FROM types",
             "SELECT * FROM traces")


def try_query(command):
    for question in QUESTIONS:
        command.each_format(*inputs(), question, options=["-q"])
    command.run(check_text, "-q", inputs()[0], "SELECT * FROM no\x1b[1mtable", statuses=(2,))


def try_trcrpt(command):
    for words in (["-O", "pid=on,tid=on,exec=on,svc=on,filename=on,cpuid=on,hist=on,ids=on"], ["-x"], ["-O", "2line=on"]):
        command.run(check_trcrpt, "-q", *words, *inputs())
    command.run(check_text, "-j")


def try_convert(command):
    """All inputs at once to a folder, whose files have names of inputs, too."""
    for block in re.split(r"^(?=\w)", rastrum("convert", "-t", "list").out, flags=re.M)[1:]:
        name = block.split()[0]
        for setting in [None, *re.findall(r"--opt (\w+)=", block)]:
            if setting and setting not in SETTINGS:
                command.faults.append(f"{name}: the setting {setting} is not known here")
            if name not in CHECKS:
                command.faults.append(f"no check is known for the format {name}")
            out = os.path.join(PATH, f"{name}-{setting}")
            command.run(check_text, "-q", "-t", name, *(["--opt", f"{setting}={SETTINGS[setting]}"] if setting else []), *CLOCK, *inputs(), "-o", out, statuses=(0, 2, 3))
            written = [os.path.join(out, path) for path in sorted(os.listdir(out))] if os.path.isdir(out) else [out]
            for path in written:
                check = CHECKS[name]
                fault = check(path) if check in (check_ctf, check_sqlite, check_txtb) else check(slurp(path))
                command.faults += [f"{name} {setting}: {fault}"] if fault else []
                command.n_bytes += 1
            if os.path.isdir(out) and len(written) < len(INPUTS) - 3:
                command.faults.append(f"{name} {setting}: only {written}")


def try_at_once(command):
    command.run(check_text, "-q", *inputs())


def try_draw(command):
    for path in inputs():
        command.run(check_xml, "-q", path)


def try_store(command):
    """What it says, and its store, which is read as all others."""
    for n, path in enumerate(inputs()):
        out = os.path.join(PATH, f"{command.name}-{n}.rsx")
        command.run(check_text, *([path] if command.name != "merge" else [path, INPUTS["posix"]]), "-o", out)
        again = rastrum("info", out)
        command.n_bytes += len(again.bytes)
        fault = check_text(again.bytes)
        command.faults += [f"{command.name} of {os.path.basename(path)!r}: {fault}"] if fault else []


def try_template(command):
    events = save("t\x1b\n.trcfmt", "# dialect: posix\x1b[1m\nbare 1.0 L=INT \"a\x1b[31m\u202e\" \\n \xff\nnone \x1b\n".encode("latin-1", "replace"))
    for word in ("check", "list", "test"):
        command.run(check_text, word, events, statuses=(0, 1, 2, 3))
    command.run(check_text, "eval", events, "--event", "bare\x1b", "--entry", "00", statuses=(0, 1, 2, 3))
    command.run(check_text, "doc", "no\x1b[1mname\n", statuses=(0, 1, 2, 3))


def try_trcevgrp(command):
    home = {"XDG_CONFIG_HOME": os.path.join(PATH, "config"), "HOME": PATH}
    command.run(check_text, "-a", "-d", "bad\x1b[1m\ntext", "-h", "010", "grp", statuses=range(5), env=home)
    command.run(check_text, "-l", statuses=range(5), env=home)
    command.n_bytes += 1


def try_completion(command):
    for shell in ("bash", "zsh", "fish"):
        command.run(check_text, shell)


def try_view(command):
    if not os.path.exists(os.path.join(os.path.dirname(RASTRUM), "rastrum-view")):
        command.n_bytes = 1
        return
    server = Server(*[path for name, path in INPUTS.items() if name in ("threadx", "posix", "store-posix")])
    server.wait()
    for trace in range(3):
        for path in ("/api/info", "/api/tracks", "/api/tiles?width=300", "/api/arrows", "/api/events", "/api/search?q=FORGED", "/api/findings", "/api/stats/load",
                     "/api/stats/threads", "/api/details?track=1&at=100"):
            status, body, _ = server.ask(f"{path}{'&' if '?' in path else '?'}trace={trace}")
            fault = check_json(body) if status in (200, 400, 404) else f"status {status}"
            command.faults += [f"{path}: {fault}"] if fault else []
            command.n_bytes += len(body)
    server.stop()


# Names of inputs are in none of these, or they have a terminal, which timeline.t looks at.
WITHOUT = {"trace", "trcon", "trcoff", "trcstop", "record", "bench", "timeline"}
TRIED = {"report": try_report, "info": try_info, "stats": try_stats, "explain": try_explain, "doctor": try_doctor, "check": try_check, "diff": try_diff, "convert": try_convert, "query": try_query,
         "curt": try_at_once, "splat": try_at_once, "trcrpt": try_trcrpt, "trcevgrp": try_trcevgrp, "draw": try_draw, "cut": try_store,
         "merge": try_store, "anonymise": try_store, "view": try_view, "template": try_template, "completion": try_completion}


# --- what can be recovered --------------------------------------------------------------------------------------------

def restored(text):
    """The bytes that were recorded: each \\xNN is its byte."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes.fromhex(match.group(1).decode()), text.encode())


def check_restored():
    rows = [json.loads(line) for line in rastrum("report", "-q", "-f", "jsonl", INPUTS["posix"]).out.splitlines()]
    texts = {restored(row["args"]["text"]) for row in rows if row.get("name", "").startswith("bare ") and "text" in row["args"]}
    wanted = {piece + b"\n" for piece in hostile.PIECES if all(c >= 32 or c in b"\n\t" for c in piece) and 127 not in piece and hostile_is_text(piece)}
    ok(wanted <= texts and len(wanted) > 5, "texts of events can be recovered from JSON Lines", wanted - texts)
    names = {restored(row["context"]["name"]) for row in rows if "context" in row}
    same(sorted(piece[:16] for piece in hostile.PIECES if piece[:16] not in names), [], "and so can names of threads")
    fields = {restored(name) for row in rows for name in row.get("args", ())}
    same(sorted(piece[:31] for piece in hostile.PIECES if piece[:31] not in fields), [], "of fields")
    fixed = {restored(row["args"]["t"]) for row in rows if "t" in row.get("args", ())}
    same(sorted(piece[:23] for piece in hostile.PIECES if piece[:23] not in fixed), [], "and fields that are text, whatever bytes they have")


def hostile_is_text(piece):
    try:
        return not INVISIBLE.search(piece.decode())
    except UnicodeDecodeError:
        return False


def make_inputs():
    for name, make in (("threadx", hostile.threadx), ("posix", hostile.posix), ("compact", hostile.of_compact), ("aix", hostile.aix), ("liteos", hostile.liteos), ("rkh", hostile.rkh)):
        # The name of a file is a name, too.
        INPUTS[name] = save(f"{name[0]}\x1b[1m\n{hostile.FORGED}<&>\"',\udcff\u202e;=", make())
    for name, path in (("threadx", "tests/data/threadx/priority_inversion.trx"), ("posix", None), ("rkh", "tests/data/rkh/r1_default.bin"),
                       ("liteos", "tests/data/liteos/a_arm32_default/online.tlv")):
        plain = os.path.join(PATH, f"{name}.rsx")
        source = path or save("plain.rst", hostile.posix_log.with_program().add("types", 2, hostile.posix_log.event_type(65, b"count", (b"number", 2, 4), (b"words", 5, 0))).add(
            "events", 5, hostile.posix_log.events(*[hostile.posix_log.event(65, 2000 + i, b"\1\0\0\0some text") for i in range(9)])).add("end", 8, hostile.posix_log.end(9)).bytes())
        rastrum("cut", "-q", source, "-o", plain)
        INPUTS[f"store-{name}"] = save(f"store-{name}.rsx", hostile.store(slurp(plain)))
    events = re.findall(r'^EVENT\(\d+, (\w+)', slurp("src/dialect/threadx/events.def").decode(), re.M)
    INPUTS["store-known"] = save("store-known.rsx", hostile.store(slurp(os.path.join(PATH, "threadx.rsx")), [name.encode() for name in events]))


def check_messages():
    """What is said of files that are damaged, or absent, whose names are hostile, too."""
    faults = []
    for name in ("threadx", "posix", "liteos"):
        for path in (save(f"{os.path.basename(INPUTS[name])}.cut", slurp(INPUTS[name])[:-7]), INPUTS[name] + ".absent"):
            said = rastrum("report", path).err
            fault = check_text(said.encode("utf-8", "surrogateescape"))
            faults += [f"{path!r}: {fault or 'nothing is said'}"] if fault or not said else []
    ok(not faults, "messages have no bytes of names that change a terminal", *faults)


def main():
    make_inputs()
    names = re.findall(r"^  (\w+)  +\S", rastrum("help").out.split("Commands:")[1].split("\n\n")[0], re.M)
    same(sorted(set(names) - set(TRIED) - WITHOUT), [], "every command is tried here, or shows no names of inputs")
    wanted = sys.argv[1:] or names
    for name in names:
        if name in TRIED and name in wanted:
            command = Command(name)
            TRIED[name](command)
            command.done()
    check_restored()
    check_messages()
    if not shutil.which("babeltrace2"):
        skip("babeltrace2 reads the CTF", "there is none")
    return done()


if __name__ == "__main__":
    sys.exit(main())
