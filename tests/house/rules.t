#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of POSIX tracing and their tests name each other: tests/posix/RULES.md and the choices of docs/POSIX.md.

A test is a text in tests/posix/FILE_test.c that begins with its section: "6.2 clear: ...". Where it is made of parts, a
conversion like %s stands for anything. The last rule is about the source: who writes JSON.
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, ok  # noqa: E402

TEXT = r'"((?:[^"\\\n]|\\.)*)"'
SECTION = re.compile(r"(\d+(?:\.\d+)?|np \w+)(?: [\w ]+)?: ")


def texts(path):
    """String literals, those that stand side by side as one."""
    with open(path, encoding="utf-8") as source:
        return ["".join(re.findall(TEXT, found[0])).replace('\\"', '"')
                for found in re.finditer(rf"{TEXT}(?:\s*{TEXT})*", source.read())]


def rows(path, n_columns):
    """Of tables with so many columns: their first one, and tests as (FILE, words), or none where it says that there is none."""
    for line in open(path, encoding="utf-8"):
        cells = [cell.strip() for cell in line.strip("|\n ").split(" | ")]
        if len(cells) != n_columns or not re.match(r"\d|np ", cells[0]):
            continue
        parts, file = [], None
        for part in [] if re.match(r"no(ne$| test: )", cells[-1]) else cells[-1].split("; "):
            named = re.match(r"(\w+): ", part)
            if named and named[1] in TESTS:
                file, part = named[1], part[named.end():]
            parts.append((file, part))
        yield cells[0], parts


TESTS = {os.path.basename(path)[:-len("_test.c")]: texts(path) for path in sorted(glob.glob("tests/posix/*_test.c"))}
RULES, CHOICES = list(rows("tests/posix/RULES.md", 3)), list(rows("docs/POSIX.md", 4))
ok(len(RULES) > 150 and len(CHOICES) == 32 and sum(map(len, TESTS.values())) > 1000, "rules, choices and tests are found",
   len(RULES), len(CHOICES))
for name, table in (("rule", RULES), ("choice", CHOICES)):
    absent = [f"{section}: {file}: {words}" for section, parts in table for file, words in parts
              if not any(words in text for text in TESTS.get(file, []))]
    ok(not absent, f"each test that a {name} names is there", *absent)
told = {(file, section) for sections, parts in RULES for file, _ in parts for section in sections.split(", ")}
untold = [f"{file}: {text}" for file, found in TESTS.items() for text in found
          if (section := SECTION.match(text)) and (file, section[1]) not in told]
ok(not untold, "each section that tests of a file are of has a rule that names one of them", *untold)

# JSON: base/json.h writes it. By hand it is written where that costs too much, and searched for where inputs are recognised.
BY_HAND = {"src/export/format_chrome.c", "src/lines/format_jsonl.c", "src/input/foreign.c"}
pasted = {path: texts_of for path in glob.glob("src/**/*.[ch]", recursive=True) if not path.endswith("_test.c")
          and (texts_of := [text for text in texts(path) if re.search(r'":(?! )', text)])}
ok(pasted.keys() == BY_HAND, "JSON is written by base/json.h: no text has a key with its quotes",
   *(f"{path}: {text}" for path, found in pasted.items() if path not in BY_HAND for text in found),
   *(f"{path} has none any more" for path in BY_HAND - pasted.keys()))
sys.exit(done())
