# SPDX-License-Identifier: MIT
"""Relations of ways to run the program: byte for byte the same."""
import os

import differ
import parts

ASKED = (("report",), ("report", "-f", "jsonl"), ("stats",), ("explain",))
FORMATTED = (("report",), ("report", "-f", "jsonl"), ("report", "-f", "csv"), ("convert", "-t", "jsonl"), ("convert", "-t", "csv"))


def compare(what, one, other, asked):
    for words in asked:
        got, expected = one.run(*words), other.run(*words)
        if (got.status, got.out, got.err) != (expected.status, expected.out, expected.err):
            yield f"{what}: {' '.join(words)}: status {got.status}, expected {expected.status}"
            yield from differ.lists("line", got.lines + got.err.splitlines(), expected.lines + expected.err.splitlines())


def threads(recording, _):
    yield from compare("--threads 3", recording.like(recording.path, words=("--threads", "3")), recording, FORMATTED)


def locale(recording, _):
    for name in ("C", "tr_TR.UTF-8"):
        yield from compare(name, recording.like(recording.path, {"LC_ALL": name, "LANG": name, "TZ": "Asia/Tokyo"}), recording, ASKED)


def index(recording, folder):
    """What is asked first leaves an index, and the others may use it."""
    at = recording.stamps()[len(recording.stamps()) // 2:][:1]
    asked = (("info",), ("report", "--last", "5"), *ASKED[:1], *((("report", "--from", str(ts)),) if (ts := at and at[0]) else ()), ("stats",))
    env = {"XDG_CACHE_HOME": f"{folder}/cache", "RASTRUM_CACHE_MINSIZE": "1", "RASTRUM_CACHE_DISABLE": ""}
    for what in ("the first time", "with an index"):
        yield from compare(what, recording.like(recording.path, env), recording, asked)


def order_of_files(recording, folder):
    """Parts of one recording, which have one clock, merged in either order; and tables of several files."""
    if not parts.has_window(recording):
        return
    paths = parts.halves(recording, folder)
    one = parts.merged(folder, *paths)
    tables, events = one.tables(), one.events()
    other = parts.merged(folder, *paths[::-1])
    yield from differ.tables(other.tables(), tables, ("core", "process"), ("losses",))
    yield from differ.lists("event", [(row.get("ts"), row.get("name"), row.get("text")) for row in other.events()],
                            [(row.get("ts"), row.get("name"), row.get("text")) for row in events])
