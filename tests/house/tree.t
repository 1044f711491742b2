#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The source tree itself: inclusion goes one way, the style is kept, headers stand alone, manual pages are sound."""
import glob
import os
import re
import shutil
import subprocess
import tempfile

# Rooms, lowest first; each may include itself and what its row names (docs/ARCHITECTURE.md).
ROOMS = {
    "rastrum": {"rastrum"},
    "base": {"rastrum"},
    "log": set(),
    "record": {"log"},
    "preload": set(),
    "embed": set(),
    "input": {"rastrum", "base"},
    "symbol": {"rastrum", "base"},
    "model": {"rastrum", "base"},
    "dialect": {"rastrum", "base", "log", "input", "symbol", "model", "preload"},  # the table of its events only
    "template": {"rastrum", "base", "model"},
    "report": {"rastrum", "base", "model", "template"},
    "cli": {"rastrum", "base", "model", "template", "input", "symbol", "dialect", "report", "log", "record"},
    "bench": {"rastrum", "base", "model", "template", "dialect", "report", "log", "record", "cli", "embed"},
}
# The same within src/record, lowest first: each may include itself and those before it.
RECORD = ["rendezvous", "kernel", "buffer", "process", "consumer", "posix", "bridge"]
# A command of several files has a sub-room of src/cli, which its cmd_NAME.c alone puts together.
CLI = ["record", "report", "template"]
LONGEST = 700

n_run = 0


def ok(passed, sentence, *faults):
    global n_run
    n_run += 1
    print(f"{'ok' if passed else 'not ok'} {n_run} - {sentence}")
    for fault in [f for f in faults if f.strip()][:10]:
        print(f"# {fault}")


def skip(sentence, why):
    global n_run
    n_run += 1
    print(f"ok {n_run} - {sentence} # SKIP {why}")


def sources(*ends):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        files = listed.stdout.split("\n")
    else:  # a tree without its history, as in a package
        files = [os.path.join(d, f)[2:] for d, _, fs in os.walk(".") if "/build" not in d for f in fs]
    return sorted(f for f in files if f.endswith(ends) and os.path.exists(f))


def room_of(path):
    for prefix, room in (("include/rastrum/", "rastrum"), ("embed/", "embed"), ("bench/", "bench")):
        if path.startswith(prefix):
            return room
    found = re.match(r"src/(\w+)/", path)
    return found.group(1) if found else None


def included_room(name):
    return name.split("/")[0]


def is_above(one, other):
    return one in RECORD and other in RECORD and RECORD.index(one) > RECORD.index(other)


def check_rooms():
    """Every folder with code is a room that the tables above know; docs/ARCHITECTURE.md lists those of src/record likewise."""
    faults = set()
    for path in sources(".c", ".h"):
        room, parts = room_of(path), path.split("/")
        if parts[0] == "src" and room not in ROOMS:
            faults.add(f"{path}: {room} is no room that this test knows")
        if room == "record" and parts[2] not in RECORD:
            faults.add(f"{path}: {parts[2]} is no room of src/record that this test knows")
    listed = re.findall(r"^\| `src/record/(\w+)/`", open("docs/ARCHITECTURE.md", encoding="utf-8").read(), re.M)
    if listed != RECORD:
        faults.add(f"docs/ARCHITECTURE.md lists {', '.join(listed)}; the order is {', '.join(RECORD)}")
    ok(not faults, "every room is known, and docs/ARCHITECTURE.md lists those of src/record in their order", *sorted(faults))


def may_use_command(path, command):
    return command in CLI and path.startswith((f"src/cli/{command}/", f"src/cli/cmd_{command}.c"))


def check_layers():
    faults = []
    for path in sources(".c", ".h"):
        room = room_of(path)
        if room is None or path.endswith("_test.c"):
            continue
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            found = re.match(r'#include [<"]((?:rastrum|\w+)/[^>"]+)[>"]', line)
            if not found:
                continue
            other = included_room(found.group(1))
            if other in ROOMS and other != room and other not in ROOMS[room]:
                faults.append(f"{path}:{number}: {room} may not include {found.group(1)}")
            theirs = re.match(r"record/(\w+)/", found.group(1))
            if room == "record" and theirs and is_above(theirs.group(1), path.split("/")[2]):
                faults.append(f"{path}:{number}: a lower room may not include {found.group(1)}")
            theirs = re.match(r"cli/(\w+)/", found.group(1))
            if room == "cli" and theirs and not may_use_command(path, theirs.group(1)):
                faults.append(f"{path}:{number}: {found.group(1)} is of cli/{theirs.group(1)} and its command only")
            if room == "dialect" and other == "dialect":
                own = re.match(r"src/dialect/(\w+)/", path)
                theirs = re.match(r"dialect/(\w+)/", found.group(1))
                if own and theirs and own.group(1) != theirs.group(1):
                    faults.append(f"{path}:{number}: a dialect may not include another")
            if room == "embed" and not path.startswith("embed/check/"):
                own, theirs = path.split("/")[1], found.group(1).split("/")[1]
                if theirs not in (own, "core", "port") or (own in ("core", "port") and theirs not in (own, "port")):
                    faults.append(f"{path}:{number}: embed/{own} may not include embed/{theirs}")
    ok(not faults, "inclusion goes from upper rooms to lower ones only", *faults)


def readme_rows():
    """What embed/README.md tells to copy, line by line: the words, and files from the top. A line with + adds to the first."""
    first = None
    for line in open("embed/README.md", encoding="utf-8"):
        columns = line.split("|")
        if len(columns) != 5 or "`port/`" not in line and not columns[2].startswith(" + "):
            continue
        files, folder = set(first or []) if columns[2].startswith(" + ") else set(), ""
        for name in re.findall(r"`([\w./*]+)`", columns[2]):
            folder = name.rpartition("/")[0] or folder
            pattern = f"embed/{folder}/{name.rpartition('/')[2] or '**'}"
            files |= {path for path in glob.glob(pattern, recursive=True) if re.search(r"(?<!_test)\.[ch]$", path)}
        first = first or files
        yield columns[1].strip(), files


def check_embed_readme():
    faults, n_rows = [], 0
    for words, files in readme_rows():
        n_rows += 1
        for path in sorted(files):
            lacking = set(re.findall(r'#include "(embed/[^"]+)"', open(path, encoding="utf-8").read())) - files
            faults += [f"to {words}: {path} includes {other}" for other in sorted(lacking)]
    ok(n_rows > 8 and not faults, "embed/README.md tells to copy all that the copied files include", *faults)


def check_style():
    if not shutil.which("clang-format"):
        skip("C files have the committed style", "no clang-format")
        return
    files = sources(".c", ".h", ".inc")
    run = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], capture_output=True, text=True)
    ok(run.returncode == 0, "C files have the committed style", *run.stderr.split("\n"))


def check_headers():
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for header in sources(".h"):
            if not header.startswith(("include/", "src/", "embed/", "bench/")):
                continue
            languages = [("c", ["gcc", "-std=gnu11", "-D_GNU_SOURCE"])]
            if header.startswith(("include/", "embed/")) and shutil.which("g++"):
                languages.append(("cc", ["g++", "-std=c++11"]))
            for end, compiler in languages:
                source = os.path.join(folder, "alone." + end)
                with open(source, "w", encoding="utf-8") as out:
                    out.write(f'#include "{os.path.abspath(header)}"\n#include "{os.path.abspath(header)}"\n')
                run = subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Iinclude", "-Isrc",
                                      "-I.", source], capture_output=True, text=True)
                if run.returncode:
                    faults.append(f"{header} as {end}: {run.stderr.splitlines()[0] if run.stderr else 'failed'}")
    ok(not faults, "every header stands alone and may be included twice, public ones in C++ too", *faults)


def check_heads():
    faults = [f for f in sources(".c", ".h", ".inc", ".def", ".sh", ".mk") if "SPDX-License-Identifier: MIT" not in
              "".join(open(f, encoding="utf-8").readlines()[:3])]
    ok(not faults, "every source file names its licence", *faults)
    long = [f for f in sources(".c", ".h", ".inc") if sum(1 for _ in open(f, encoding="utf-8")) > LONGEST]
    ok(not long, f"no C file is longer than {LONGEST} lines", *long)


def check_manuals():
    pages = sources(*(f".{n}" for n in range(1, 9)))
    pages = [p for p in pages if p.startswith("man/")]
    if not shutil.which("mandoc"):
        skip("manual pages are sound", "no mandoc")
        return
    run = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True)
    ok(pages and run.returncode == 0, "manual pages are sound", *run.stdout.split("\n"))
    texts = {page: open(page, encoding="utf-8").read() for page in pages}
    system = re.compile(r"^\.Dd .*\n\.ds doc-volume-operating-system Linux\n\.Dt .*\n\.Os Linux\n", re.M)
    ok(all(map(system.search, texts.values())), "and are pages of Linux, not of BSD, whatever shows them",
       *(page for page, text in texts.items() if not system.search(text)))
    dialects = {name for name in os.listdir("src/dialect") if os.path.isdir(f"src/dialect/{name}")}
    absent = [f"{page}: rastrum-{name}(7)" for page in ("man/rastrum.1", "man/rastrum-report.1", "man/rastrum-info.1")
              for name in sorted(dialects) if f".Xr rastrum-{name} 7" not in texts[page].split(".Sh SEE ALSO")[1]]
    ok(not absent, "those of the commands lead to the page of each dialect", *absent)


def check_links():
    faults = []
    for document in sources(".md"):
        text = open(document, encoding="utf-8").read()
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
            if not os.path.exists(os.path.join(os.path.dirname(document), target)):
                faults.append(f"{document} points to {target}, which is not there")
    ok(not faults, "documents point to files that exist", *faults)


check_rooms()
check_layers()
check_embed_readme()
check_style()
check_headers()
check_heads()
check_manuals()
check_links()
print(f"1..{n_run}")
