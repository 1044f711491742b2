#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`rastrum template update` and trcupdate: versions, undo files, errors, gzip, and a master that is written whole or not at all.
src/template/update/update_test.c has what becomes of the text.
"""
import gzip
import os
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from hook_trace import Trace  # noqa: E402
from tap import RASTRUM, Result, done, ok, rastrum, same, slurp  # noqa: E402

FIRST = "* /etc/trcfmt\n"
FOUND, USAGE, IO = 1, 2, 4
MASTER = '# dialect: aix\n05A 1.1 L=APPL "speed" X4\n05C 1.0 "c"\n134 1.0 "exec"\n'


class Folder:
    """A working directory."""

    def __init__(self, path):
        self.path, self.program = path, os.path.abspath(RASTRUM)

    def put(self, name, text):
        path = os.path.join(self.path, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def get(self, name):
        return slurp(os.path.join(self.path, name)).decode()

    def has(self, name):
        return os.path.exists(os.path.join(self.path, name))

    def run(self, *words, program=(), env=None, **more):
        run = subprocess.run([*(program or (self.program, "template", "update")), *words], cwd=self.path, capture_output=True, check=False,
                             stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})}, **more)
        return Result(run)

    def update(self, text, *words, master=MASTER):
        """(the run, the master behind it)"""
        self.put("m.trcfmt", master)
        self.put("n.trc", FIRST + text)
        if self.has("n.undo.trc"):
            os.unlink(os.path.join(self.path, "n.undo.trc"))
        run = self.run("-t", "m.trcfmt", *words, "n")
        return run, self.get("m.trcfmt")


def check_table(f):
    """The table of the specification, row by row."""
    for master, text, words, what, note in (
            ("05A 1.0", "+ 05A 1.1", [], "05A 1.1\n", "05A: version 1.0 replaced by 1.1"),
            ("05A 1.1", "+ 05A 1.0", [], "05A 1.1\n", "05A: version 1.1 stays, since 1.0 is older"),
            ("05A 1.1", "+ 05A 1.1", [], "05A 1.1\n", "05A: version 1.1 replaced by 1.1"),
            ("05A 1.1", "+ 05A 1.0", ["-o"], "05A 1.0\n", "05A: version 1.1 replaced by 1.0"),
            ("# none", "+ 05B 1.0", [], "# none\n05B 1.0\n", "05B: added, version 1.0"),
            ("05C 1.0", "- 05C", [], "", "05C: deleted, version 1.0"),
            ("05A 1.0", "+ 05A 2.0\n- 05A", [], "", "05A: deleted, version 2.0"),
            ("134 1.0", "+ 1340 1.1", [], "1340 1.1\n", "134: version 1.0 replaced by 1.1")):
        run, now = f.update(text + "\n", *words, master=master + "\n")
        ok(run.status == 0 and now == what and note in run.out + run.err, f"{master}, {text!r} {' '.join(words)}", run.out, run.err, now)
    run, now = f.update("- 0FF\n+ 05A 1.0\n")
    ok(run.status == 0 and now == MASTER and "0FF: there is none to delete" in run.err and "nothing is changed" in run.err,
       "a hook that is not there is noted, and the rest is done", run.err)
    ok(not f.has("n.undo.trc"), "an update that changes nothing leaves the undo file of one that did")


def check_undo(f):
    run, now = f.update('+ 05A 1.2 L=APPL "speed" \\\nX2\n- 05C\n+ 05B 1.0 "b"\n+ 05B 1.1 "bb"\n- 134\n+ 134 0.9 "again"\n')
    ok(run.status == 0 and now == '# dialect: aix\n05A 1.2 L=APPL "speed" \\\nX2\n05B 1.1 "bb"\n134 0.9 "again"\n', "several changes", run.err, now)
    undo = f.get("n.undo.trc")
    ok(undo.startswith(FIRST) and undo.index("+ 134 1.0") < undo.index("+ 05A 1.1"), "the undo file has them the other way round", undo)
    run = f.run("-o", "-t", "m.trcfmt", "n.undo")
    same(sorted(f.get("m.trcfmt").splitlines()), sorted(MASTER.splitlines()), "fed back with -o it restores the same stanzas")
    ok(run.status == 0 and f.has("n.undo.undo.trc"), "and has an undo file itself", run.err)
    os.mkdir(os.path.join(f.path, "deep"))
    f.put("deep/d.trc", FIRST + "- 134\n")
    f.run("-t", "m.trcfmt", "deep/d")
    ok(f.has("d.undo.trc") and not f.has("deep/d.undo.trc"), "it is written in the working directory")


def check_errors(f):
    """Each error of the parser that a line can have; nothing is changed, whatever stands in front of it."""
    for text, number in (("05A 2.0\n", "T01"), ("+ 5A 2.0\n", "T01"), ("- 05\n", "T01"), ("- 05C 1.0\n", "T01"), ("+ 05A\n", "T02"),
                         ("+ 05A one\n", "T02"), ("+ 05A 2.0 L=USER\n", "T03"), ('+ 05A 2.0 "x\n', "T04"), ("+ 05A 2.0 LOOP HB { X1\n", "T05"),
                         ("+ 05A 2.0 X1,\n", "T06"), ('+ 05A 2.0 D2, zz "x"\n', "T07"), ("+ 05A 2.0 X17\n", "T08"),
                         ("+ 05A 2.0 \\q\n", "T09"), ("+ 05A 2.0 LOOP\n", "T10"), ("+ 05A 2.0 BITFLAGS\n", "T11"),
                         ("+ 05A 2.0 " + "LOOP X1 { " * 65 + "X1" + " }" * 65 + "\n", "T14"),
                         ("+ 05A 2.0 " + "".join(f"{{{{ $m{n}_ = 1 }}}} " for n in range(256)) + "\n", "T14"),
                         ("+ 05A 2.0 {{ $x = }}\n", "T12"), ("+ 05A 2.0 {{ $HD = 1 }}\n", "T13"), ("+ 05A 2.0 endtimer(1)\n", "T15"),
                         ("# effect: fly\n+ 05A 2.0\n", "T17")):
        run, now = f.update('+ 05B 1.0 "good"\n- 134\n' + text)
        ok(run.status == FOUND and f"error {number}" in run.err and "n.trc:" in run.err and "nothing is changed" in run.err and now == MASTER and
           not f.has("n.undo.trc"), f"{text[:60]!r} is {number}, and nothing is changed", run.err, now)
        check = f.run("check", "n.trc", program=(f.program, "template"))
        ok(check.status == FOUND and f"error {number}" in check.err, "`template check` finds it, too", check.err)
    f.put("n.trc", "# a comment\n" + FIRST + "- 134\n")
    run = f.run("-t", "m.trcfmt", "n")
    ok(run.status == FOUND and '"* /etc/trcfmt"' in run.err and f.get("m.trcfmt") == MASTER, "a file without its first line is refused", run.err)
    f.put("n.trc", FIRST + "+ 05A 2.0 X4\n- 134\n")
    check = f.run("check", "n.trc", program=(f.program, "template"))
    ok(check.status == 0 and "ok, 1 template" in check.out, "a good update file is one for `template check`", check.out, check.err)
    for words, status, what in ((["-t", "m.trcfmt", "absent"], IO, "an update file that is not there"),
                                (["-t", "absent.trcfmt", "n"], IO, "a master that is not there"), (["-t", ".", "n"], IO, "a folder as master"),
                                (["-t", "m.trcfmt"], USAGE, "no name"), (["-t", "m.trcfmt", "-x", "05A", "n"], USAGE, "a name with -x"),
                                (["-t", "odd.trcfmt", "n"], USAGE, "a master of no dialect")):
        f.put("odd.trcfmt", "# dialect: odd\n")
        run = f.run(*words)
        ok(run.status == status and run.err.startswith("rastrum: ") and len(run.err.splitlines()) == 1, f"{what}: status {status}", run.status,
           run.err)


def check_master(f):
    run, _ = f.update("- 134\n", "-v")
    ok([line for line in run.err.splitlines() if "reading m.trcfmt" in line or "reading n.trc" in line or "writing" in line] == run.err.splitlines()
       and len(run.err.splitlines()) == 4, "-v names the files as they are opened", run.err)
    run = f.run("-t", "m.trcfmt", "-x", "05c 05A0,0FF")
    ok(run.out == '05C 1.0 "c"\n05A 1.1 L=APPL "speed" X4\n' and "no stanza of 0FF" in run.err and run.status == 0,
       "-x prints stanzas of the master", run.out, run.err)
    packed = f.put("m.gz", gzip.compress(MASTER.encode()))
    run = f.run("-t", "m.gz", "n")
    ok(run.status == 0 and gzip.decompress(slurp(packed)).decode() == MASTER.replace('134 1.0 "exec"\n', ""),
       "a master that is compressed by gzip is unpacked, changed and packed", run.err)
    trace = Trace(4, "big")
    trace.entry(0x05A0, 1, [2])
    run = rastrum("trcrpt", "-h", "-t", packed, "-", stdin=trace.data)
    ok("  speed 00010000" in run.out, "reports read it, too", run.out, run.err)
    run = f.run("-t", f.put("cut.gz", gzip.compress(MASTER.encode())[:-12]), "n")
    ok(run.status == IO and "damaged" in run.err, "one that is cut is refused", run.err)
    f.put("m.trcfmt", MASTER)
    os.chmod(os.path.join(f.path, "m.trcfmt"), 0o640)
    os.symlink("m.trcfmt", os.path.join(f.path, "link.trcfmt"))
    run = f.run("-t", "link.trcfmt", "n")
    state = os.lstat(os.path.join(f.path, "m.trcfmt"))
    ok(run.status == 0 and os.path.islink(os.path.join(f.path, "link.trcfmt")) and stat.S_IMODE(state.st_mode) == 0o640 and
       "134" not in f.get("m.trcfmt"), "a link stays one, and the file keeps its mode", run.err)
    left = set(os.listdir(f.path))
    ok(not [name for name in left if name.startswith("m.trcfmt.")], "no other file is left", *left)


def check_default(f):
    """Without -t it is the user's own file, which every report finds."""
    env = {"XDG_CONFIG_HOME": os.path.join(f.path, "config"), "HOME": "/nonexistent"}
    f.put("n.trc", FIRST + '+ 05A 1.0 L=APPL "@" "five A"\n')
    run = f.run("n", env=env)
    ok(run.status == 0 and f.get("config/rastrum/templates/aix.trcfmt") == '# dialect: aix\n05A 1.0 L=APPL "@" "five A"\n',
       "your own file is made when there is none", run.err)
    trace = Trace(4, "big")
    trace.entry(0x05A0, 1)
    run = rastrum("trcrpt", "-h", "-", stdin=trace.data, env=env)
    ok("  five A\n" in run.out, "and reports find it", run.out, run.err)
    run = f.run("-x", "05A", env=env)
    same(run.out, '05A 1.0 L=APPL "@" "five A"\n', "-x prints from it")
    run = f.run("n", env={"XDG_CONFIG_HOME": "", "HOME": ""})
    ok(run.status == USAGE and "-t" in run.err, "without a home a file must be named", run.err)


def check_whole(f):
    """Where the new file cannot be written the old one stays as it is: no room on the disk, and many updates at once."""
    f.put("m.trcfmt", MASTER)
    f.put("n.trc", FIRST + "- 134\n" + "".join(f'+ {n:03X} 1.0 "{"x" * 90}"\n' for n in range(0x100, 0x120)))
    run = f.run("-t", "m.trcfmt", "n", program=("bash", "-c", 'trap "" XFSZ; ulimit -f 1; exec "$0" template update "$@"', f.program))
    ok(run.status == IO and "cannot write" in run.err and f.get("m.trcfmt") == MASTER and
       not [name for name in os.listdir(f.path) if ".trcfmt." in name or ".trc." in name], "where there is no room nothing is changed, and nothing left",
       run.err, *os.listdir(f.path))
    names = [f"p{n}" for n in range(12)]
    for n, name in enumerate(names):
        f.put(f"{name}.trc", FIRST + f"+ {0x200 + n:03X} 1.0\n")
    programs = [subprocess.Popen([f.program, "template", "update", "-t", "m.trcfmt", name], cwd=f.path, stdout=subprocess.DEVNULL) for name in names]
    ended = [program.wait() for program in programs]
    ok(not any(ended) and all(f"{0x200 + n:03X} 1.0\n" in f.get("m.trcfmt") for n in range(len(names))),
       "updates at one time wait for each other, and none is lost", ended, f.get("m.trcfmt"))


def check_name(f):
    link = os.path.join(f.path, "trcupdate")
    os.symlink(f.program, link)
    f.put("m.trcfmt", MASTER)
    f.put("n.trc", FIRST + "- 134\n")
    run = f.run("-t", "m.trcfmt", "n", program=(link,))
    ok(run.status == 0 and run.out == "134: deleted, version 1.0\n", "called trcupdate, the program is that command", run.out, run.err)
    ok("usage: rastrum template update" in f.run("--help", program=(link,)).out, "with its help")


for check in (check_table, check_undo, check_errors, check_master, check_default, check_whole, check_name):
    with tempfile.TemporaryDirectory(prefix="rastrum-update-") as folder:
        check(Folder(folder))
sys.exit(done())
