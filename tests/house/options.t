#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Manual pages and program agree: options of each command, commands, settings of each dialect."""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, ok, rastrum, skip  # noqa: E402

HELP = re.compile(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?(?:  .*)?$", re.M)
PAGE = re.compile(r"^\.It (?:Fl (\w) , )?Fl Fl ([\w-]+)(?: Ar (\S+))?$", re.M)


def page(name):
    try:
        with open(f"man/{name}", encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def options(pattern, text):
    """{name: (letter, argument)}"""
    return {name: (letter or None, argument or None) for letter, name, argument in pattern.findall(text)}


def check_command(command):
    name, text = f"rastrum-{command}.1", page(f"rastrum-{command}.1")
    sentence = f"{name} has the options of `rastrum {command}`, with their letters and values"
    if text is None:
        skip(sentence, f"no man/{name}")
        return
    in_help = options(HELP, rastrum(command, "--help").out)
    in_page = options(PAGE, text)
    ok(in_help and in_help == in_page, sentence,
       *(f"--{n}: program {in_help.get(n)}, page {in_page.get(n)}" for n in sorted(in_help.keys() | in_page.keys())
         if in_help.get(n) != in_page.get(n)))


COMMANDS = re.findall(r"^  (\w+) +\S", rastrum("--help").out.split("\nCommands:\n")[1].split("\n\n")[0], re.M)
ok(len(COMMANDS) >= 3, "the program lists its commands", COMMANDS)
for each in COMMANDS:
    check_command(each)

MAIN = page("rastrum.1")
if MAIN is None:
    skip("rastrum.1 names every command", "no man/rastrum.1")
else:
    absent = [c for c in COMMANDS if f"rastrum-{c} 1" not in MAIN]
    ok(not absent, "rastrum.1 names the page of every command", *absent)

for dialect in map(json.loads, rastrum("info", "--dialects", "--json").lines):
    PATH = f"rastrum-{dialect['dialect']}.7"
    if not os.path.exists("man/" + PATH):
        skip(f"{PATH} has the settings of the dialect", f"no man/{PATH}")
        continue
    in_dialect = {s["key"]: s["values"] for s in dialect["settings"]}
    on_page = dict(re.findall(r"^\.It Cm ([\w-]+) Ns = Ns Ar (\S+)$", page(PATH), re.M))
    ok(in_dialect == on_page, f"{PATH} has the settings of the dialect, with their values", f"program: {in_dialect}",
       f"page: {on_page}")
sys.exit(done())
