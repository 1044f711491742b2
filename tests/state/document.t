#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/STATES.md: every effect has a row, and every example is what a unit test of src/state expects."""
import glob
import re

n_run = 0


def ok(passed, sentence, *faults):
    global n_run
    n_run += 1
    print(f"{'ok' if passed else 'not ok'} {n_run} - {sentence}")
    for fault in faults:
        print(f"# {fault}")


def expected_texts():
    """Texts of the unit tests; a text in several lines is one."""
    for path in glob.glob("src/state/*_test.c"):
        source = open(path, encoding="utf-8").read()
        for literals in re.findall(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*', source):
            yield "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


document = open("docs/STATES.md", encoding="utf-8").read()
table = document.split("## What comes out of each effect")[1].split("\n## ")[0]
words = {word for row in re.findall(r"^\| ([a-z_, ]+?)(?: \(\w+\))? \|", table, re.M) for word in row.split(", ")}
kinds = open("src/model/effect_words.c", encoding="utf-8").read()
effects = set(re.findall(r"\[RST_EFFECT_\w+\] = \"(\w+)\"", kinds)) - {"none"}
ok(len(effects) > 15 and effects <= words, "docs/STATES.md has a row for each effect", *sorted(effects - words))
examples = [re.sub(r"\s+", " ", text) for text in re.findall(r"`([^`]*\d\)? (?:exact|inferred|unknown)[^`]*)`", document)]
texts = set(expected_texts())
ok(len(examples) > 15 and set(examples) <= texts, "each example is what a unit test expects",
   *sorted(set(examples) - texts))
print(f"1..{n_run}")
