# SPDX-License-Identifier: MIT
"""Relations of a recording and its parts: windows, cuts, halves."""
import collections
import json

import commands
import differ
import recordings

# What a merged trace has in its own way.
OF_MERGED = ("seq", "process", "target")


def has_window(recording):
    return recordings.any_of(recording) and len(recording.stamps()) >= 8


def window_of(recording):
    stamps = recording.stamps()
    return stamps[len(stamps) // 4], stamps[len(stamps) * 3 // 4]


def cut(recording, folder, *words):
    """What is said of a part of the recording."""
    return recordings.written("cut", f"{folder}/cut{''.join(words)}.rsx", *words, *recording.options, recording.path)


def cut_and_window(recording, folder):
    first, last = window_of(recording)
    words = ("--from", str(first), "--to", str(last))
    return cut(recording, folder, *words), words


def cut_is_window(recording, folder):
    part, words = cut_and_window(recording, folder)
    return differ.tables(part.tables(), recording.tables(*words))


def verdicts(said, rules, *words):
    """What check says of rules, without the name of the file."""
    return [{name: value for name, value in row.items() if name != "file"} for row in commands.checked(said, rules, *words)]


def cut_is_judged_as_window(recording, folder):
    part, words = cut_and_window(recording, folder)
    rules = commands.rules_file(folder, [rule[0] for rule in commands.rules_of(recording)])
    yield from differ.lists("finding", part.findings(), recording.findings(*words))
    yield from differ.lists("verdict", verdicts(part, rules), verdicts(recording, rules, *words))


def later_begin_proves_no_more(recording, folder):
    begin, _ = window_of(recording)
    part = cut(recording, folder, "--from", str(begin))
    return differ.uncovered(part.intervals(), recording.intervals(), begin, recording.stamps()[-1])


def halves(recording, folder):
    stamps = recording.stamps()
    before, behind = stamps[len(stamps) // 2 - 1:len(stamps) // 2 + 1]
    return cut(recording, folder, "--to", str(before)).path, cut(recording, folder, "--from", str(behind)).path


def merged(folder, *paths):
    return recordings.written("merge", f"{folder}/merged.rsx", *paths)


def halves_are_whole(recording, folder):
    whole = merged(folder, *halves(recording, folder))
    sides = [collections.Counter(json.dumps({name: value for name, value in row.items() if name not in OF_MERGED}, sort_keys=True)
                                 for row in said.events()) for said in (whole, recording)]
    yield from (f"event: lacks {row}" for row in list(sides[1] - sides[0])[:3])
    yield from (f"event: has {row}" for row in list(sides[0] - sides[1])[:3])
    yield from differ.tables(whole.tables(), recording.tables())
