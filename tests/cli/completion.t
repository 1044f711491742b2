#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Command lines that are completed: what `rastrum complete` answers, and what real shells make of it when tab is pressed."""
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import RASTRUM, done, ok, rastrum, same, skip, slurp  # noqa: E402

DUMP = "tests/data/threadx/priority_inversion.trx"
TMP = tempfile.mkdtemp(prefix="rastrum-completion-")
SCRIPTS = {"bash": "completion/rastrum.bash", "zsh": "completion/_rastrum", "fish": "completion/rastrum.fish"}

# --- rastrum complete -----------------------------------------------------------------------------------------------


def answer(*words, index=None):
    """The first line, and the candidates without what they mean. The cursor is in the last word, unless index says where."""
    run = rastrum("complete", len(words) - 1 if index is None else index, *words)
    first, *rest = run.lines or [""]
    return first, [line.split("\t")[0] for line in rest], run


def check_answer(words, kind, candidates, sentence, index=None):
    first, got, run = answer(*words, index=index)
    ok((first, got) == (kind, candidates) and run.status == 0 and not run.err, sentence, f"got: {first} {got}",
       f"expected: {kind} {candidates}", run.err)


def check_words():
    commands = [*re.findall(r"&command_(\w+),", open("src/cli/main/commands.c", encoding="utf-8").read()), "help"]
    check_answer([""], "words 0", commands, "the first word is a command")
    check_answer(["re"], "words 0", ["report", "record"], "that begins as it is written")
    check_answer(["--"], "words 0", ["--help", "--version"], "or one of two options")
    check_answer(["help", "te"], "words 0", ["template"], "behind help stands a command")
    check_answer(["help", "template", ""], "words 0", ["check", "list", "eval", "test", "doc", "update"], "and its subcommand")
    check_answer(["template", "", "x"], "words 0", ["check", "list", "eval", "test", "doc", "update"], "behind template a subcommand", index=1)
    check_answer(["completion", ""], "words 0", ["bash", "zsh", "fish"], "behind completion a shell")
    check_answer(["repport", ""], "words 0", [], "behind what is no command nothing")
    check_answer(["report", "x"], "files 0", [], "operands of report are files")
    check_answer(["template", "check", "x"], "files 0", [], "those of `template check`, too")
    check_answer(["record", "-o", "x", "--", "ls", "-"], "program 4", [], "behind the program of record stand its own words")
    check_answer(["record", "l"], "program 1", [], "which begin with its name")
    check_answer(["record", "-q", "l"], "program 2", [], "behind the options")


def check_options():
    for command in ("report", "info", "stats", "explain", "doctor", "check", "diff", "convert", "query", "draw", "view", "timeline", "template", "record", "bench"):
        _, got, _ = answer(command, "--")
        told = {line.split()[0 if line.startswith("      ") else 1] for line in rastrum(command, "--help").lines
                if line.startswith(("  -", "      --"))}
        ok(told and set(got) == told, f"the options of {command} are those of its help", sorted(set(got) ^ told))
    check_answer(["report", "--form"], "words 0", ["--format"], "options are completed")
    check_answer(["report", "x", "--", "--form"], "files 0", [], "but not behind --")
    check_answer(["record", "--log-"], "words 0", ["--log-size", "--log-policy"], "in the order of the help")
    check_answer(["template", "doc", "--"], "words 0", ["--templates", "--dialect", "--help"], "a subcommand has its own only")
    described = answer("report", "--format")[2].lines[1].split("\t")
    ok(len(described) == 2 and described[1] in " ".join(rastrum("report", "--help").out.split()), "and each has what it means", described)


def check_values():
    check_answer(["report", "--format", ""], "words 0", ["text", "aix", "jsonl", "csv"], "values of a list that is fixed")
    check_answer(["report", "--format=j"], "words 9", ["jsonl"], "behind an equals sign")
    check_answer(["report", "--form=j"], "words 7", ["jsonl"], "behind a name that is cut")
    check_answer(["report", "-fj"], "words 2", ["jsonl"], "behind a letter")
    check_answer(["report", "-qfj"], "words 3", ["jsonl"], "and behind several")
    check_answer(["report", "-f", "c", DUMP], "words 0", ["csv"], "before the file", index=2)
    check_answer(["report", "--limit", ""], "words 0", [], "a number is not guessed")
    check_answer(["report", "-o", "x"], "files 0", [], "an output is a file")
    check_answer(["report", "-d", "r"], "words 0", ["rkh"], "a dialect")
    check_answer(["report", "--columns", "time,+t"], "list 6", ["time", "thread", "text"], "columns are a list")
    check_answer(["report", "--send", "st"], "list 0", ["start", "stop"], "commands to a board")
    check_answer(["report", "--listen", "t"], "part 0", ["tcp:"], "the kind of a port, which goes on")
    check_answer(["record", "--snapshot-on", "USR1,E"], "list 5", ["EXIT"], "signals")
    check_answer(["record", "--log-policy", ""], "words 0", ["append", "loop", "until-full"], "policies")
    check_answer(["bench", "gen", "--word", ""], "words 0", ["4", "8"], "numbers of which there are two")
    _, got, _ = answer("record", "--pid", "")
    ok(str(os.getpid()) in got, "processes that can be traced", got[:20])


def check_settings():
    check_answer(["report", "--opt", "en"], "part 0", ["endian="], "settings, which go on behind the equals sign")
    check_answer(["report", "--opt", "endian="], "words 7", ["little", "big"], "with their values")
    check_answer(["report", "--opt=endian=b"], "words 13", ["big"], "also behind another equals sign")
    check_answer(["report", "--opt", "custom=x"], "files 7", [], "or files")
    check_answer(["report", "-d", "compact", "--opt", ""], "part 0", [], "those of the dialect that is named")
    check_answer(["report", "--opt", "pt", "-dLiteOS"], "part 0", ["ptr="], "wherever it stands", index=2)


def check_names():
    check_answer(["report", "-c", "h", DUMP], "list 0", ["high"], "threads are those of the recording", index=2)
    check_answer(["report", DUMP, "-c", "low,!h"], "list 5", ["high"], "in a list, and behind !")
    check_answer(["report", DUMP, "--object", "res"], "list 0", ["resource (plain)"], "objects, too")
    check_answer(["report", DUMP, "-t", "TX_TRACE_MUTEX"], "list 0",
                 ["TX_TRACE_MUTEX_CREATE", "TX_TRACE_MUTEX_GET", "TX_TRACE_MUTEX_PUT"], "and types")
    check_answer(["report", DUMP, "-t", "tx_mutex"], "list 0", ["tx_mutex_create", "tx_mutex_get", "tx_mutex_put"], "by their services, too")
    check_answer(["report", "-c", "h"], "list 0", [], "without a recording there are none")
    check_answer(["report", TMP + "/nowhere", "-c", "h"], "list 0", [], "nor of one that is not there")
    check_answer(["report", TMP, "-c", "h"], "list 0", [], "nor of a folder")
    os.mkfifo(TMP + "/pipe")
    check_answer(["report", TMP + "/pipe", "-c", "h"], "list 0", [], "a pipe is not waited for")
    _, got, _ = answer("template", "doc", "RKH_TE_MP_")
    ok(len(got) > 2 and all(name.startswith("RKH_TE_MP_") for name in got), "events are those that a dialect has", got)


def check_patience():
    sentence = "the answer about a recording that is large comes soon"
    if os.environ.get("BUILD") == "tsan":
        skip(sentence, "the thread sanitizer holds signals back until the next system call")
        return
    with open(TMP + "/noise.bin", "wb") as file:
        file.write(slurp("tests/data/rkh/r1_default.bin"))
        file.truncate(1 << 37)
    before = time.monotonic()
    run = answer("report", "-d", "rkh", TMP + "/noise.bin", "-c", "")[2]
    ok(time.monotonic() - before < 10 and run.status == 0, sentence, time.monotonic() - before, run.err)
    os.unlink(TMP + "/noise.bin")


def check_strange():
    """Names in a recording are bytes of strangers."""
    data = slurp(DUMP)
    place = data.index(b"resource (plain)\0")
    path = TMP + "/strange.trx"
    for name, wanted in ((b"re\x1b[31m\nx", ["re\\x1b[31m\\x0ax"]), (b"re,source", []), (b"re$(id)`ls`\"'\\ ", ["re$(id)`ls`\"'\\ "]), (b"!re", [])):
        with open(path, "wb") as file:
            file.write(data[:place] + name.ljust(17, b"\0") + data[place + 17:])
        run = rastrum("complete", "3", "report", path, "--object", "")
        got = [line.split("\t")[0] for line in run.lines[1:] if line.startswith(("re", "!re"))]
        ok(got == wanted and "\x1b" not in run.out, f"an object called {name!r} is {'' if wanted else 'not '}offered", run.lines)
    for words in (["9", "report"], ["-1", "report"], ["x", "report"], ["0"], []):
        run = rastrum("complete", *words)
        ok(run.status == 2 and not run.out and run.err.startswith("rastrum: "), f"`complete {' '.join(words)}` is refused", run.status, run.err)


def check_scripts():
    for shell, path in SCRIPTS.items():
        run = rastrum("completion", shell)
        ok(run.status == 0 and run.bytes == slurp(path), f"`rastrum completion {shell}` prints {path}", run.err)
    run = rastrum("completion", "tcsh")
    ok(run.status == 2 and "'tcsh'" in run.err and "bash, zsh, fish" in run.err, "other shells are refused", run.err)
    ok("complete" not in rastrum("--help").out.split(), "`complete` is not for people")


def has_terminals():
    """A bare chroot has none."""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


# --- shells ---------------------------------------------------------------------------------------------------------


class Shell:
    """An interactive shell on a terminal. A key writes its line to a file, so that nothing is read off the screen but lists."""

    def __init__(self, argv, setup, env):
        self.line_path, self.count = f"{TMP}/line", 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(TMP)
            os.execvpe(argv[0], argv, {**os.environ, "TERM": "xterm", "PS1": "> ", "HOME": TMP, "XDG_CONFIG_HOME": f"{TMP}/.config", "LINE": self.line_path, **env})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        self.send(setup + "\necho rea''dy\n")
        self.wait_for(lambda text: "> " in text.partition("ready")[2])

    def send(self, text):
        os.write(self.fd, text.encode())

    def wait_for(self, is_done, patience=20):
        """What the shell writes until then."""
        text, end = "", time.monotonic() + patience
        while not is_done(text) and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    text += os.read(self.fd, 65536).decode("utf-8", "replace")
                except OSError:
                    break
        return text

    def complete(self, text, keys="\t", listed=None):
        """The line after a tab, and what the screen showed; a list is waited for until this is in it."""
        if os.path.exists(self.line_path):
            os.unlink(self.line_path)
        self.send("\x05\x15" + text + keys)
        shown = self.wait_for(lambda text: listed in text) if listed else ""
        self.send("\x18\x04")
        shown += self.wait_for(lambda _: os.path.exists(self.line_path) and os.path.getsize(self.line_path))
        self.send("\x15")
        line = open(self.line_path, encoding="utf-8").read() if os.path.exists(self.line_path) else "(nothing)"
        return line.rstrip("\n"), shown

    def end(self):
        self.send("\x15\nexit\n")
        self.wait_for(lambda _: False, 0.3)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


# A line that is typed, and what a tab makes of it. In all of these one candidate is left.
LINES = (
    ("rastrum rep", "rastrum report "),
    ("rastrum report --form", "rastrum report --format "),
    ("rastrum report --format js", "rastrum report --format jsonl "),
    ("rastrum report --format=js", "rastrum report --format=jsonl "),
    ("rastrum report -fjs", "rastrum report -fjsonl "),
    ("rastrum template ch", "rastrum template check "),
    ("rastrum report dump", "rastrum report dump.trx "),
    ("rastrum report -o dump", "rastrum report -o dump.trx "),
    ("rastrum report --output=dump", "rastrum report --output=dump.trx "),
    ("rastrum report --opt endian=b", "rastrum report --opt endian=big "),
    ("rastrum report --opt custom=dum", "rastrum report --opt custom=dump.trx "),
    ("rastrum report dump.trx -c hi", "rastrum report dump.trx -c high"),
    ("rastrum report dump.trx -c low,hi", "rastrum report dump.trx -c low,high"),
    ("rastrum report dump.trx --context=low,hi", "rastrum report dump.trx --context=low,high"),
    ("rastrum report two\\ words.trx --object res", "rastrum report two\\ words.trx --object resource\\ \\(plain\\)"),
    ("rastrum report 'two words.trx' --object res", "rastrum report 'two words.trx' --object resource\\ \\(plain\\)"),
    ("rastrum help te", "rastrum help template "),
    ("./rastrum inf", "./rastrum info "),
)


def check_lines(shell, complete, lines):
    for typed, wanted in lines:
        got = complete(typed)
        ok(got == wanted, f"{shell}: `{typed}` and tab", f"     got: {got!r}", f"expected: {wanted!r}")


def environment():
    """A folder with the program under its name, and recordings."""
    os.symlink(os.path.abspath(RASTRUM), TMP + "/rastrum")
    for name in ("dump.trx", "two words.trx"):
        shutil.copy(DUMP, f"{TMP}/{name}")
    return {"PATH": TMP + os.pathsep + os.environ["PATH"]}


def check_bash(env):
    shell = Shell(["bash", "--norc", "--noprofile", "-i"],
                  "bind 'set enable-bracketed-paste off' 'set show-all-if-ambiguous on' 'set completion-query-items 0' 2>/dev/null; "
                  "bind 'set page-completions off'; eval \"$(rastrum completion bash)\"; "
                  "dump() { printf '%s\\n' \"$READLINE_LINE\" > \"$LINE\"; }; bind -x '\"\\C-x\\C-d\": dump'", env)
    check_lines("bash", lambda typed: shell.complete(typed)[0], LINES)
    for typed, wanted in (("rastrum report dump.trx --object \"res", "rastrum report dump.trx --object \"resource (plain)\""),
                          ("rastrum report dump.trx --object 'res", "rastrum report dump.trx --object 'resource (plain)'"),
                          ("rastrum report dump.trx --object=\"res", "rastrum report dump.trx --object=\"resource (plain)\""),
                          ("rastrum report ~/dump.trx -c hi", "rastrum report ~/dump.trx -c high"),
                          ("true; rastrum rep", "true; rastrum report "),
                          ("rastrum report --listen tc", "rastrum report --listen tcp:"),
                          ("rastrum report --limit ", "rastrum report --limit ")):
        got = shell.complete(typed)[0]
        ok(got == wanted, f"bash: `{typed}` and tab", f"     got: {got!r}", f"expected: {wanted!r}")
    _, shown = shell.complete("rastrum report --co", listed="--color")
    ok("--context" in shown and "--columns" in shown and "--core" in shown and "--color" in shown, "bash lists what is possible", shown)
    same(shell.complete("rastrum record -q -- ./rast")[0], "rastrum record -q -- ./rastrum ", "behind record bash completes another program")
    line = shell.complete("rastrum report --object res two\\ words.trx", keys="\x02" * len(" two\\ words.trx") + "\t")[0]
    same(line, "rastrum report --object resource\\ \\(plain\\) two\\ words.trx", "bash completes in the middle of a line, too")
    shell.end()


def check_zsh(env):
    shell = Shell(["zsh", "-f", "-i"],
                  "PS1='> '; unsetopt zle_bracketed_paste prompt_sp 2>/dev/null; zle_bracketed_paste=(); bindkey -e; "
                  "autoload -Uz compinit; compinit -D; eval \"$(rastrum completion zsh)\"; "
                  "dump() { print -r -- $BUFFER > $LINE }; zle -N dump; bindkey '^X^D' dump", env)
    check_lines("zsh", lambda typed: shell.complete(typed)[0], ZSH_LINES)
    _, shown = shell.complete("rastrum report --co", listed="only events of these threads")
    ok("--context" in shown and "only events of these threads" in shown, "zsh lists what is possible, and what it means", shown)
    same(shell.complete("rastrum record -q -- ./rast")[0], "rastrum record -q -- ./rastrum ", "behind record zsh completes another program")
    shell.end()
    os.mkdir(TMP + "/functions")
    with open(TMP + "/functions/_rastrum", "wb") as file:
        file.write(rastrum("completion", "zsh").bytes)
    shell = Shell(["zsh", "-f", "-i"], "PS1='> '; fpath=(~/functions $fpath); bindkey -e; autoload -Uz compinit; compinit -D; "
                  "dump() { print -r -- $BUFFER > $LINE }; zle -N dump; bindkey '^X^D' dump", env)
    same([shell.complete(typed)[0] for typed, _ in ZSH_LINES[:2]], [wanted for _, wanted in ZSH_LINES[:2]],
         "zsh finds the installed file by itself")
    shell.end()


# A comma follows a member of a list, which goes away when a blank is typed.
ZSH_LINES = tuple((typed, wanted + "," if wanted.endswith(("high", "\\(plain\\)")) else wanted) for typed, wanted in LINES)


def check_fish(env):
    """fish says by itself what a tab would offer."""
    def offered(line):
        run = subprocess.run(["fish", "--no-config", "-c", f"source completion.fish; complete -C {quoted(line)}"], cwd=TMP,
                             env={**os.environ, "HOME": TMP, "XDG_CONFIG_HOME": f"{TMP}/.config", **env}, capture_output=True, check=False, text=True)
        return [row.split("\t") for row in run.stdout.splitlines()]

    def quoted(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    with open(TMP + "/completion.fish", "wb") as file:
        file.write(rastrum("completion", "fish").bytes)
    for line, wanted in (("rastrum rep", ["report"]), ("rastrum report --form", ["--format"]), ("rastrum report --format=js", ["--format=jsonl"]),
                         ("rastrum report --format js", ["jsonl"]), ("rastrum report -fjs", ["-fjsonl"]),
                         ("rastrum report dump", ["dump.trx"]), ("rastrum report --output=dump", ["--output=dump.trx"]),
                         ("rastrum report dump.trx -c hi", ["high"]), ("rastrum report dump.trx -c low,hi", ["low,high"]),
                         ("rastrum report 'two words.trx' --object res", ["resource (plain)"]),
                         ("rastrum report two\\ words.trx --object \"res", ["resource (plain)"]),
                         ("rastrum report --opt endian=b", ["endian=big"]), ("rastrum report --opt custom=dum", ["custom=dump.trx"]),
                         ("rastrum help te", ["template"]), ("rastrum record -q -- ./rast", ["./rastrum"])):
        got = offered(line)
        same([row[0] for row in got], wanted, f"fish: `{line}` and tab")
    rows = dict(row for row in offered("rastrum report --co") if len(row) == 2)
    ok(set(rows) == {"--context", "--core", "--columns", "--color"} and "threads" in rows["--context"],
       "fish lists what is possible, and what it means", rows)


try:
    for check in (check_words, check_options, check_values, check_settings, check_names, check_patience, check_strange, check_scripts):
        check()
    SHELLS = {"bash": check_bash, "zsh": check_zsh, "fish": check_fish}
    ENV = environment()
    for name, check in SHELLS.items():
        if not shutil.which(name) or (name != "fish" and not has_terminals()):
            skip(f"{name} completes command lines", f"no {'terminal' if shutil.which(name) else name}")
        else:
            check(ENV)
finally:
    shutil.rmtree(TMP)
sys.exit(done())
