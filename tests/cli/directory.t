#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A directory as one trace: the parts of a recording in the order of their names, and what is refused."""
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, ok, rastrum, same, slurp  # noqa: E402

RKH, THREADX = "tests/data/rkh/r1_default.bin", "tests/data/threadx/basic_objects.trx"


def lines_of(*words):
    """Every row, without the names of inputs and the offsets in them."""
    rows = [json.loads(line) for line in rastrum("report", "-f", "jsonl", *words).lines]
    return [{key: value for key, value in row.items() if key not in ("source", "offset")} for row in rows]


def write_parts(folder, names, data):
    """Cuts data into as many parts as there are names, at uneven places."""
    os.mkdir(folder)
    cuts = [len(data) * i // len(names) + i % 3 for i in range(len(names))] + [len(data)]
    cuts[0] = 0
    for name, begin, end in zip(names, cuts, cuts[1:]):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data[begin:end])


def check_whole(folder, names, what):
    write_parts(folder, names, slurp(RKH))
    same(lines_of(folder), lines_of(RKH), what)


with tempfile.TemporaryDirectory() as top:
    def path_of(name):
        return os.path.join(top, name)

    numbered = [f"part{n}.bin" for n in range(1, 13)]
    check_whole(path_of("numbers"), numbered, "parts with numbers in their names are one trace, part2 before part10")
    check_whole(path_of("split"), ["xa" + letter for letter in "abcdefg"], "so are those of split(1)")
    check_whole(path_of("one"), ["whole"], "and a directory with one file is that file")
    os.mkdir(os.path.join(path_of("numbers"), "index"))
    with open(os.path.join(path_of("numbers"), ".notes"), "w", encoding="utf-8") as file:
        file.write("no trace")
    with open(os.path.join(path_of("numbers"), "own.trcfmt"), "w", encoding="utf-8") as file:
        file.write("# dialect: rkh\n")
    same(lines_of(path_of("numbers") + "/"), lines_of(RKH), "directories in it, hidden files and templates are no parts")

    paths = [os.path.join(path_of("numbers"), name) for name in numbered]
    same(lines_of(path_of("numbers")), lines_of("--join", *paths), "it is what --join makes of the files")
    info = json.loads(rastrum("info", "--json", path_of("numbers")).out)
    ok(info.get("path", info.get("file")) == path_of("numbers") and info["dialect"] == "rkh", "info names the directory", info)
    same(lines_of("--dialect", "rkh", path_of("numbers")), lines_of(RKH), "its dialect may be named")

    os.remove(paths[4])
    result = rastrum("report", path_of("numbers"))
    ok(result.status == 3 and "part" in result.err, "what a missing part leaves broken is damage, with the name of the file", result.err)

    write_parts(path_of("dump"), ["d0"], slurp(THREADX))
    same(lines_of(path_of("dump")), lines_of(THREADX), "a dump in a directory is read as a whole")

    write_parts(path_of("mixed"), ["README", "part1.bin"], slurp(RKH))
    result = rastrum("report", path_of("mixed"))
    ok(result.status == 3 and "'README' and 'part1.bin'" in result.err and "--join" in result.err and not result.out, "files that belong together by no name are refused, with what to try", result.err)
    write_parts(path_of("text"), ["a1", "a2"], b"This is no trace at all.\n" * 9)
    result = rastrum("report", path_of("text"))
    ok(result.status == 3 and "a1" in result.err and "no dialect recognises" in result.err, "parts that no dialect recognises are refused by the first one's name", result.err)
    os.mkdir(path_of("empty"))
    result = rastrum("report", path_of("empty"))
    ok(result.status == 3 and path_of("empty") in result.err and "no file in this directory" in result.err, "an empty directory is refused", result.err)
    result = rastrum("report", "--dialect", "nothing", path_of("one"))
    ok(result.status == 2, "a dialect that is not there is wrong usage", result.err)
    result = rastrum("report", "--join", RKH, path_of("one"))
    ok(result.status == 4 and "directory" in result.err, "a directory is not joined to a file", result.err)

done()
