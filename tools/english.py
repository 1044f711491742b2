#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sentences that a reader may have to read twice, in comments of C and JavaScript and in the text of Markdown and manual pages.

	tools/english.py [-v] [FILE|FOLDER...]	how many of a thousand, by room; -v lists each: file, line, why, sentence
	tools/english.py --rooms		a row for each room, as tools/english.tsv has them: suspected and hard ones of a thousand

It is a help for rewriting and no judge: a sentence may be right though it is listed, and wrong though it is not. The kinds:

	inverted	begins with "Of …", "What …", "Whose …", "Without which …", and asks nothing
	none		"is none", "are none": it defines by what is not
	clauseless	"NULL: memory ran out": say "Returns NULL if memory ran out"
	that		"that of", "those of" twice, or "that which": repeat the noun
	told		threads, code and files that "tell", "know", "ask", "believe"
	long		more than 34 words, or more than four commas
	negated		two negations in one clause

All but the last two are hard: the sentence has to be turned round, and not only cut.
"""
import collections
import os
import re
import sys

ROOTS = ["src", "include", "embed", "docs", "man", "web", "README.md", "HACKING.md"]
SPEAKERS = "thread|program|process|code|function|file|log|event|reader|writer|recorder|dialect|template|record|row|list|table|index"
VERBS = "tells?|says?|knows?|asks?|believes?|wants?|hears?|may know|is told|are told|is asked|are asked"
NO = "no|not|nothing|never|none|nobody"
KINDS = {
    "inverted": re.compile(r"^(Of|What|Whose|(Behind|In front of|Besides|Beyond|From|With|To) what|Without which)\b(?!.*\?$)"),
    "none": re.compile(r"\b(is|are|was|were|be|has|have) none\b|\bnone of (which|whom|what)\b", re.I),
    "clauseless": re.compile(r"^(NULL|false|true|0|-1|RST_\w+)\s*:\s"),
    "that": re.compile(r"\b(that|those) of\b.*\b(that|those) of\b|\bthat which\b", re.I),
    "told": re.compile(rf"\b({SPEAKERS})s? ({VERBS})\b", re.I),
    "negated": re.compile(rf"\b({NO})\b[^,;:.]*\b({NO}|without|unless)\b", re.I),
}
SOFT = {"long", "negated"}
WORDS_MAX, COMMAS_MAX, WORDS_MIN = 34, 4, 4


def c_prose(text):
    """(line, text) of each comment."""
    for found in re.finditer(r"/\*(.*?)\*/|//([^\n]*)", text, re.S):
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"\n[ \t]*\*?[ \t]?", "\n", found[1] or found[2] or "")


def page_prose(text):
    """(line, text) of each paragraph, and of long cells of tables; code is left out."""
    is_code, block, at = False, [], 1
    for number, line in enumerate([*text.splitlines(), ""], 1):
        is_code ^= line.startswith("```")
        if not is_code and line.strip() and not line.startswith(("```", "|", "    ", "\t", ".", "#", "<", "![")):
            block.append(line)
            continue
        if block:
            yield at, "\n".join(block)
        block, at = [], number + 1
        for cell in line.strip("|").split("|") if line.startswith("|") and not is_code else []:
            if len(cell.split()) > 6:
                yield number, cell


def script_prose(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*#\s?(.*)", line)
        if found and not line.startswith("#!"):
            yield number, found[1]


PROSE = {r"\.(c|h|js|def|S)$": c_prose, r"\.(md|[1-9])$": page_prose, r"\.(sh|mk)$": script_prose}


def sentences(text):
    text = re.sub(r"\s*\n\s*[-*]\s+", "\n\n", re.sub(r"`[^`]*`", "X", text))
    for paragraph in re.split(r"\n\s*\n", text):
        words = re.sub(r"\s+", " ", paragraph).strip(" *-")
        n_letters = sum(letter.isalpha() or letter == " " for letter in words)
        if not words or re.match(r"SPDX|-{3,}|=|@|clang-format", words) or n_letters < 0.7 * len(words):
            continue
        yield from (one for one in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9])", words) if len(one.split()) >= WORDS_MIN)


def kinds_of(sentence):
    found = [name for name, pattern in KINDS.items() if pattern.search(sentence)]
    return found + ["long"] * (len(sentence.split()) > WORDS_MAX or sentence.count(",") > COMMAS_MAX)


def files_of(roots):
    for root in roots:
        if os.path.isfile(root):
            yield root
        for folder, folders, names in os.walk(root):
            folders.sort()
            yield from (os.path.join(folder, name) for name in sorted(names))


def room_of(path):
    """A room of src/ has a row of its own, as each other folder of the top has."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "src" else parts[0]


def looked_at(roots):
    """(file, line, sentence, its kinds) of every sentence."""
    for path in files_of(roots):
        prose = next((read for pattern, read in PROSE.items() if re.search(pattern, path)), None)
        if not prose:
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for line, block in prose(text):
            for sentence in sentences(block):
                yield path, line, sentence, kinds_of(sentence)


def rooms_of(roots):
    """{room: [sentences, suspected, hard]}"""
    rooms = collections.defaultdict(lambda: [0, 0, 0])
    for path, _, _, kinds in looked_at(roots):
        counts = rooms[room_of(path)]
        counts[0] += 1
        counts[1] += bool(kinds)
        counts[2] += bool(set(kinds) - SOFT)
    return rooms


def per_thousand(counts):
    """How many of a thousand sentences are suspected, and are hard, rounded up."""
    n, n_bad, n_hard = counts
    return -(-1000 * n_bad // n), -(-1000 * n_hard // n)


def main():
    roots = [word for word in sys.argv[1:] if not word.startswith("-")] or ROOTS
    if "-v" in sys.argv:
        for path, line, sentence, kinds in looked_at(roots):
            if kinds:
                print(f"{path}:{line}: {','.join(kinds)}: {sentence[:150]}")
    rooms = rooms_of(roots)
    if "--rooms" in sys.argv:
        for room, counts in sorted(rooms.items()):
            print(room, *per_thousand(counts), sep="\t")
        return
    rooms["all"] = [sum(counts) for counts in zip(*rooms.values())]
    for room, counts in sorted(rooms.items(), key=lambda item: per_thousand(item[1])):
        n_bad, n_hard = per_thousand(counts)
        print(f"{n_bad:5} of 1000, {n_hard:5} hard, of {counts[0]:6} sentences: {room}")


if __name__ == "__main__":
    main()
