#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Comments and documents are plain English: no room has more sentences that must be read twice than tools/english.tsv allows."""
import sys

sys.dont_write_bytecode = True
sys.path[:0] = ["tests", "tools"]
import english  # noqa: E402
from tap import done, ok, same  # noqa: E402

GOAL = (30, 3)


def allowed():
    """{room: (suspected, hard) of a thousand sentences}"""
    with open("tools/english.tsv", encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    return {room: (int(n_bad), int(n_hard)) for room, n_bad, n_hard in rows}


def check_kinds():
    """Each kind is found, and a plain sentence is not."""
    for sentence, kinds in (("Of a plan whose texts are rare none are kept.", ["inverted"]), ("What the log has is read.", ["inverted"]),
                            ("What does a block have?", []), ("The owner is none of which", ["none"]),
                            ("NULL: memory ran out, or it is gone.", ["clauseless"]), ("Returns NULL if memory ran out.", []),
                            ("It adds that of the row to that of the part.", ["that"]), ("A reader may know the clock.", ["told"]),
                            ("It is not read where nothing is lost.", ["negated"]), ("word " * 35, ["long"])):
        same(english.kinds_of(sentence), kinds, f"'{sentence[:50].strip()}' is {', '.join(kinds) or 'plain'}")


def main():
    check_kinds()
    rows, rooms = allowed(), english.rooms_of(english.ROOTS)
    for room, counts in sorted(rooms.items()):
        found, most = english.per_thousand(counts), rows.get(room, GOAL)
        ok(found[0] <= most[0] and found[1] <= most[1], f"{room} is plain English", f"of 1,000 sentences {found[0]} are suspected and {found[1]} hard",
           f"allowed are {most[0]} and {most[1]}; tools/english.py -v {room} lists them")
    same(sorted(set(rows) - set(rooms)), [], "every row of tools/english.tsv is of a room")


main()
sys.exit(done())
