#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README.md from top to bottom, as a newcomer would: each command as it is written, in order, in a tree of its own."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, RASTRUM, done, ok, rastrum, same, terminal  # noqa: E402

HERE = os.getcwd()
COLUMNS = 80
with open("README.md", encoding="utf-8") as file:
    README = file.read()


def tree(folder):
    """The files of this tree, and a copy of what is built: installing with another prefix links programs anew."""
    for entry in os.listdir(HERE):
        if entry not in ("build", ".git"):
            os.symlink(f"{HERE}/{entry}", f"{folder}/{entry}")
    shutil.copytree(f"build/{BUILD}", f"{folder}/build/{BUILD}", symlinks=True,
                    ignore=shutil.ignore_patterns("test", "fuzz"))


def blocks():
    """(line, language, text) of each fenced block, and the file name that the paragraph before it gives, if any."""
    for found in re.finditer(r"(?:`([\w.]+)`:\n\n)?```(\w*)\n(.*?)```", README, re.S):
        yield README[:found.start(3)].count("\n") + 1, found[2], found[3], found[1]


def run(script, home, folder):
    env = {"DEMO_SECONDS": "5", **{k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "RASTRUM")}}
    env |= {"HOME": home, "BUILD": BUILD, "TERM": "xterm", "PAGER": "cat", "NO_COLOR": "1"}
    return terminal(["bash", "-euc", f"exec 2>&1\n{script}"], COLUMNS, env, folder)


def commands(script):
    """A block's commands, one by one; here documents stay whole."""
    return re.findall(r"^[^\n]*<<'END'\n.*?^END$|^[^\n]+$", script, re.S | re.M)


work = tempfile.mkdtemp(prefix="rastrum-readme-")
home = f"{work}/home"
clone = f"{work}/clone"
os.makedirs(home)
os.makedirs(clone)
tree(clone)
settings, faults, wide, outputs = "", [], [], {}
for line, language, text, name in blocks():
    if language == "c" and name:
        with open(f"{clone}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    if language != "sh":
        continue
    for command in commands(text):
        if BUILD != "release" and command.startswith("cc "):
            command += " -fsanitize=" + {"asan": "address,undefined", "tsan": "thread"}[BUILD]
        output, status = run(f"{settings}{command}", home, clone)
        if command.startswith("export "):
            settings += command + "\n"
        outputs[command] = output
        if status != 0:
            faults.append(f"README.md:{line}: {command}: status {status}: {output.strip()[-300:]}")
        wide += [f"{command}: {row}" for row in output.split("\n") if len(row) > COLUMNS and not row.startswith('{"')]
ok(not faults and len(outputs) >= 12, "every command of the README runs as it is written", *faults)
ok(not wide, "what it prints fits 80 columns", *wide[:5])
wide = [row for _, _, text, _ in blocks() for row in text.split("\n") if len(row.expandtabs(4)) > COLUMNS]
ok(not wide, "and so do the commands, programs and outputs in it", *wide[:5])


def output_of(part):
    return next((text for command, text in outputs.items() if part in command), "")


ok("waits for mutex 'resource (plain)', held by 'low'" in output_of("--clock-hz 1G"), "the dump shows the inversion",
   output_of("--clock-hz 1G")[:200])
page = output_of("rastrum stats --clock-hz 1G").replace("\r", "")
ok(page.count("\n") > 15 and page in README, "what stats prints is in the README", page)
ok(output_of("rastrum report run.rst").count("cycle_end") == 3, "the program's events are there", output_of("rastrum report run.rst"))
ok("high    -> 'resource (plain)' of 'low'" in output_of("--templates"), "the template of one's own is used",
   output_of("--templates"))
ok(output_of("--type 'sys_thread*").count("mutex") >= 1, "threads of a program that was not changed wait for a mutex",
   output_of("--type 'sys_thread*"))

# --- the picture, figures and length -----------------------------------------------------------------------------------

with open("docs/images/report.svg", encoding="utf-8") as file:
    picture = file.read()
shell = ("$RASTRUM report --color=always --clock-hz 1G --from 2.8ms --to 9.7ms tests/data/threadx/priority_inversion.trx"
         " | tools/terminal_svg.py 'rastrum report --clock-hz 1G --from 2.8ms --to 9.7ms priority_inversion.trx'")
same(subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False, env={**os.environ, "RASTRUM": RASTRUM}).stdout, picture,
     "the picture is what the command prints (the test has the command that makes it)")
with open("docs/images/inversion.svg", encoding="utf-8") as file:
    picture = file.read()
drawn = rastrum("draw", "--clock-hz", "1G", "--from", "0.3ms", "--to", "11ms", "tests/data/threadx/priority_inversion.trx").out
same(drawn.replace("priority_inversion.trx", "dump.trx"), picture, "the picture of the timeline is what draw makes")
with open("docs/SPEED.md", encoding="utf-8") as file:
    speed = file.read()
figures = re.findall(r"\d+\.\d+", re.search(r"^Recording costs.*?\n\n", README, re.S | re.M)[0])
ok(figures and all(figure in speed for figure in figures), "its figures are those of docs/SPEED.md", figures)
words = re.sub(r"^```\n.*?^```$", "", README, flags=re.S | re.M).split()  # without what commands print
ok(len(words) < 1250, "it is short", len(words))
shutil.rmtree(work)
sys.exit(done())
