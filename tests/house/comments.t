#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Comments fit 110 columns, and what they name exists: functions, structs, files."""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import Faults, done, ok  # noqa: E402

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
COLUMNS = 110
# A table or an example in a comment stands as it is: its lines are indented, or are rows between bars.
TABLE = re.compile(r"\s*\*(\t|\s{2,}|\s*\|)")
# Names of systems that we describe and do not have; parts of names; examples.
FOREIGN = re.compile(r"(TX|tx|LOS|OsTrace|RKH|rkh)\w+|_\w+|STAP_PROBE_ASM|my\.trcfmt|tx_\w+\.c")


def sources():
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h", "*.inc", "*.def", "*.cc", "*.S"], capture_output=True, text=True, check=False).stdout.split()
    return listed or [path for kind in ("c", "h", "inc", "def") for path in glob.glob(f"**/*.{kind}", recursive=True) if not path.startswith("build/")]


def is_comment(text):
    return text.startswith(("/*", "//"))


def read_all():
    """{path: (text, comments as (line, text))}, and the words of all code."""
    files, words = {}, set()
    for path in sources():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        found = [(text.count("\n", 0, match.start()) + 1, match[0]) for match in COMMENT.finditer(text) if is_comment(match[0])]
        files[path] = text, found
        words.update(re.findall(r"\w+", COMMENT.sub(lambda match: " " if is_comment(match[0]) else match[0], text)))
    return files, words


def check_columns(files):
    wide = Faults()
    for path, (_, comments) in files.items():
        for number, comment in comments if not path.endswith(".def") else ():
            for n, line in enumerate(comment.split("\n")):
                if len(line.expandtabs(8)) > COLUMNS and not TABLE.match(line):
                    wide.append(f"{path}:{number + n}: {len(line.expandtabs(8))} columns")
    ok(not wide, f"comments have at most {COLUMNS} columns; clang-format looks at code", *wide)


def check_clauses(files):
    """A comment that begins with a relative clause has no verb, or has to be read twice."""
    found = Faults(f"{path}:{line}" for path, (_, comments) in files.items() for line, comment in comments if re.match(r"/\*[\s*]*What ", comment))
    ok(not found, "no comment begins with What", *found)


def check_names(files, words):
    stale = Faults()
    system = system_words()
    for path, (_, comments) in files.items():
        for line, comment in comments:
            for name in re.findall(r"\b([A-Za-z_]\w*)\(\)", comment) + re.findall(r"\b(?:struct|enum) ([a-z]\w+)", comment):
                if name not in words and name not in system and not FOREIGN.fullmatch(name):
                    stale.append(f"{path}:{line}: {name}")
    ok(not stale, "functions and structs that comments name exist", *stale)


def system_words():
    """Words of the headers that the C library and our libraries install."""
    words = set()
    for path in glob.glob("/usr/include/*.h") + glob.glob("/usr/include/*-linux-gnu/**/*.h", recursive=True):
        with open(path, encoding="latin-1") as file:
            words.update(re.findall(r"\w+", file.read()))
    return words


def check_files(files):
    stale = Faults()
    names = {os.path.basename(path) for path in subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=False).stdout.split()}
    for path, (_, comments) in files.items():
        for line, comment in comments:
            for name in re.findall(r"(?<![\w.*])([a-z]\w*\.(?:c|def|t|py|trcfmt|md))\b", comment):
                if names and name not in names and not FOREIGN.fullmatch(name):
                    stale.append(f"{path}:{line}: {name}")
    ok(not stale, "files that comments name exist", *stale)


FILES, WORDS = read_all()
check_columns(FILES)
check_clauses(FILES)
check_names(FILES, WORDS)
check_files(FILES)
sys.exit(done())
