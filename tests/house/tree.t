#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The source tree itself: inclusion and calls go one way, the style is kept, headers stand alone, manual pages are sound."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, ok, skip, slurp  # noqa: E402

# The rooms, lowest first: a folder with code, or a file that puts rooms below it together. Each includes itself and what its
# row lists, which stands above it here; "and below" adds what that room may include. docs/ARCHITECTURE.md has the same table.
ROOMS = {
    "include/rastrum": [],
    "include": [],
    "src/base": ["include/rastrum"],
    "src/log": [],
    "src/record/rendezvous": [],
    "src/record/kernel": ["src/log"],
    "src/record/buffer": ["src/record/kernel", "src/record/rendezvous", "src/log", "include"],
    "src/record/process": ["src/record/buffer and below"],
    "src/record/consumer": ["src/record/process and below"],
    "src/record/posix": ["src/record/consumer and below"],
    "src/record/bridge": ["src/record/posix and below"],
    "include/posixtrace": ["include"],
    "src/preload": ["include"],
    "include/aixtrace": ["include"],
    "src/aixtrace": ["include/aixtrace", "include", "src/record/rendezvous"],
    "embed/port": [],
    "embed/core": ["embed/port"],
    "embed/compact": ["embed/core and below"],
    "embed/rkh": ["embed/core and below"],
    "embed/liteos": ["embed/core and below"],
    "embed/threadx": ["embed/core and below"],
    "embed/aix": ["embed/core and below"],
    "embed/check": ["embed/*"],
    "src/input": ["src/base and below"],
    "src/input/live": ["src/input and below"],
    "src/symbol": ["src/base and below"],
    "src/model": ["src/base and below"],
    "src/dialect": ["src/model and below", "src/input", "src/symbol"],
    "src/dialect/threadx": ["src/dialect and below"],
    "src/dialect/rkh": ["src/dialect and below"],
    "src/dialect/liteos": ["src/dialect and below"],
    "src/dialect/compact": ["src/dialect and below"],
    "src/dialect/ctf": ["src/dialect and below"],
    "src/dialect/percepio": ["src/dialect and below"],
    "src/dialect/systemview": ["src/dialect and below"],
    "src/dialect/aix": ["src/dialect and below"],
    "src/dialect/posix": ["src/dialect and below", "src/symbol", "src/log", "src/preload", "include"],
    "src/dialect/store": ["src/dialect and below", "src/log"],
    "src/dialect/registry.c": ["src/dialect", "src/dialect/*"],
    "src/trace": ["src/dialect and below"],
    "src/trace/value": ["src/trace and below"],
    "src/container": ["src/trace and below", "src/dialect/store", "src/log"],
    "src/state": ["src/base and below"],
    "src/tracks": ["src/base and below", "src/log"],
    "src/template/language": ["src/base and below"],
    "src/template/syntax": ["src/template/language and below"],
    "src/template/set": ["src/template/syntax and below"],
    "src/template/update": ["src/template/set and below"],
    "src/template/machine": ["src/template/set and below", "src/trace/value"],
    "src/template/compile": ["src/template/machine and below"],
    "src/template/dump": ["src/template/compile and below"],
    "src/select": ["src/trace and below", "src/template/language"],
    "src/summary": ["src/select and below", "src/trace/value"],
    "src/lines": ["src/select and below", "src/template/compile and below"],
    "src/index": ["src/select and below", "src/template/set and below", "src/container and below", "src/tracks"],
    "src/analysis/table": ["src/select and below"],
    "src/analysis": ["src/analysis/table and below"],
    "src/analysis/stats": ["src/analysis and below"],
    "src/analysis/diff": ["src/analysis and below"],
    "src/analysis/explain": ["src/analysis and below"],
    "src/analysis/doctor": ["src/analysis/stats and below", "src/trace"],
    "src/database": ["src/analysis/stats and below", "src/analysis/explain", "src/lines and below"],
    "src/export": ["src/database and below", "src/dialect and below", "src/tracks"],
    "src/query": ["src/analysis and below", "src/database and below"],
    "src/picture": ["src/select and below", "src/tracks"],
    "src/job": ["src/analysis/stats and below", "src/lines and below", "src/analysis/explain", "src/query", "src/trace and below", "src/dialect/store"],
    "src/view/session": ["src/job and below", "src/picture and below", "src/input/live"],
    "src/view/server": ["src/view/session and below"],
    "src/view/terminal": ["src/view/session and below"],
    "src/cli": ["src/job and below", "src/summary", "src/analysis/diff", "src/analysis/doctor", "src/index and below", "src/input/live", "src/record/posix and below", "src/aixtrace"],
    "src/cli/record": ["src/cli and below"],
    "src/cli/report": ["src/cli and below"],
    "src/cli/analysis": ["src/cli/report and below"],
    "src/cli/check": ["src/cli/analysis and below"],
    "src/cli/query": ["src/cli/analysis and below", "src/database"],
    "src/cli/template": ["src/cli and below", "src/template/dump", "src/template/update"],
    "src/cli/aix": ["src/cli/record and below", "src/cli/analysis and below", "src/cli/template and below"],
    "src/cli/cmd_check.c": ["src/cli/check and below"],
    "src/cli/cmd_explain.c": ["src/cli/analysis and below"],
    "src/cli/cmd_doctor.c": ["src/cli/analysis and below"],
    "src/cli/cmd_record.c": ["src/cli/record and below"],
    "src/cli/cmd_report.c": ["src/cli/report and below"],
    "src/cli/cmd_stats.c": ["src/cli/analysis and below"],
    "src/cli/cmd_diff.c": ["src/cli/analysis and below"],
    "src/cli/cmd_view.c": ["src/cli/analysis and below"],
    "src/cli/cmd_convert.c": ["src/cli/analysis and below", "src/export"],
    "src/cli/cmd_query.c": ["src/cli/query and below"],
    "src/cli/cmd_draw.c": ["src/cli/analysis and below", "src/picture"],
    "src/cli/cmd_template.c": ["src/cli/template and below"],
    "src/cli/cmd_timeline.c": ["src/cli/analysis and below"],
    "src/cli/main": ["src/cli and below"],
    "src/programs": ["src/cli/analysis and below", "src/view/server", "src/view/terminal", "src/view/session and below"],
    "bench": ["src/cli and below", "src/cli/report", "src/export", "embed/threadx"],
    "bench/record": ["bench and below", "include/aixtrace"],
    "bench/main.c": ["bench/record and below"],
}
# Folders that are parts of the room they lie in: it and they include each other.
PARTS = {"src/input/wrapping": "src/input", "embed/aix/sys": "embed/aix", "include/posixtrace/sys": "include/posixtrace", "include/aixtrace/sys": "include/aixtrace"}
# Code that may include every room.
FREE = ("tests/", "fuzz/", "examples/")
LONGEST = 580

def sources(*ends):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        files = listed.stdout.split("\n")
    else:  # a tree without its history, as in a package
        files = [os.path.join(d, f)[2:] for d, _, fs in os.walk(".") if "/build" not in d for f in fs]
    return sorted(f for f in files if f.endswith(ends) and os.path.exists(f))


def room_of(path):
    """The room of a file: itself, or its folder; None: the folder is no room."""
    folder = os.path.dirname(path)
    return path if path in ROOMS else PARTS.get(folder, folder if folder in ROOMS else None)


def below(items):
    """Rooms that the items of a row stand for."""
    rooms = set()
    for item in items:
        name = item.removesuffix(" and below")
        rooms |= {room for room in ROOMS if room.startswith(name[:-1])} if name.endswith("/*") else {name}
        if name != item:
            rooms |= below(ROOMS[name])
    return rooms


def check_rooms():
    """A room that includes only what stands above it cannot be in a cycle."""
    unknown = {os.path.dirname(path) for path in sources(".c", ".h", ".def") if not path.startswith(FREE)
               and room_of(path) is None}
    ok(not unknown, "every folder with code is a room that this test lists", *sorted(unknown))
    names = list(ROOMS)
    upward = [f"{room} may include {other}, which does not stand above it" for i, room in enumerate(names)
              for other in sorted(below(ROOMS[room])) if other not in names[:i] and other != room]
    ok(not upward, "rooms are in order: none may include one that comes later, so there is no cycle", *upward)
    gone = [name for name in [*ROOMS, *PARTS] if not os.path.exists(name)]
    ok(not gone, "every listed room is there", *gone)


DOCUMENT_NAMES = {"public headers": "include/rastrum", "`trace.h`": "include", "`trace_*_np.h`": "include", "include/aixtrace": "include/aixtrace",
                  "`preload/events.def`": "src/preload"}


def document_items(cell):
    """The third column of docs/ARCHITECTURE.md as a row of ROOMS."""
    for item in [] if cell in ("–", "nothing but libc") else cell.split(", "):
        yield DOCUMENT_NAMES.get(item) or (item if item.startswith(("embed/", "bench")) else f"src/{item}")


def document_rooms():
    """Folder of each row of docs/ARCHITECTURE.md that is a room here, and what it may include."""
    with open("docs/ARCHITECTURE.md", encoding="utf-8") as file:
        rows = re.findall(r"^\| (`.*?) \| .* \| (.*?) \|$", file.read().split("## Rooms")[1].split("\n## ")[0], re.M)
    for first, last in rows:
        for folder in re.findall(r"`([\w/]+)/`", first):
            if folder in ROOMS:
                yield folder, set(document_items(last))


def check_document():
    """Rows for files, such as src/dialect/registry.c, are the test's own."""
    documented = dict(document_rooms())
    wrong = [f"{folder}: documented {sorted(documented.get(folder, ['not at all']))}, here {sorted(set(items))}"
             for folder, items in ROOMS.items() if os.path.isdir(folder) and folder != "include"
             and set(items) != documented.get(folder)]
    ok(not wrong, "docs/ARCHITECTURE.md says of each room what it may include", *wrong)
    folders = [room for room in ROOMS if room in documented]
    ok(folders == list(documented), "and lists them in this order", *(
        f"{a}, here {b}" for a, b in zip(documented, folders) if a != b))


def included(path):
    """Line number and path of each file of ours that a file includes."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            found = re.match(r'#include [<"]([^>"]+)[>"]', line)
            for name in (f"src/{found[1]}", f"include/{found[1]}", found[1]) if found else []:
                if os.path.exists(name):
                    yield number, name
                    break


def check_layers():
    faults = []
    for path in sources(".c", ".h"):
        if path.startswith(FREE) or re.search(r"_test\.[ch]$", path):
            continue
        room = room_of(path)
        may = below(ROOMS.get(room, [])) | {room}
        faults += [f"{path}:{number}: {room} may not include {other}" for number, other in included(path)
                   if room_of(other) not in may]
    ok(not faults, "inclusion goes from upper rooms to lower ones only", *faults)


def object_rooms():
    """The source of each object of this build that belongs to a room, and the names that it defines and that it needs."""
    folder = f"build/{os.environ.get('BUILD', 'release')}/obj/"
    objects = {}
    for path in sorted(glob.glob(folder + "**/*.o", recursive=True)):
        source = path.removeprefix(folder).removesuffix(".o") + ".c"
        if os.path.exists(source) and not source.endswith("_test.c") and room_of(source) in ROOMS:
            objects[path] = source, set(), set()
    if not objects:
        return []
    listed = subprocess.run(["nm", "-g", "-A", *objects], capture_output=True, text=True, check=True).stdout
    for path, kind, name in re.findall(r"^(\S+):\S* +([BCDRTVWU]) (\S+)$", listed, re.M):
        objects[path][1 + (kind == "U")].add(name)
    return list(objects.values())


def floors(arrows):
    """Rooms by height: a room of floor 0 needs no other, a room of floor 5 needs one of floor 4."""
    height = {}
    for room in ROOMS:
        height[room] = max((height[other] + 1 for other in arrows.get(room, ())), default=0)
    for floor in range(max(height.values()) + 1):
        yield f"floor {floor}: {', '.join(room.removeprefix('src/') for room in ROOMS if height[room] == floor and room in arrows)}"


# Libraries in front of others, and recorders for boards: they define names of the C library or of a foreign kernel.
IN_FRONT = ("src/preload/", "src/aixtrace/", "embed/")


def check_symbols():
    """A call or a variable may go up without an include, through a public header: so the names in the objects are compared, too."""
    objects = object_rooms()
    if not objects and "BUILD" not in os.environ:
        skip("calls go from upper rooms to lower ones only", "nothing is built")
        return
    names, homes, arrows, faults = list(ROOMS), {}, {}, []
    for source, defined, _ in objects:
        for name in defined:
            homes.setdefault(name, []).append(source)
    for source, _, needed in objects:
        room = room_of(source)
        arrows.setdefault(room, set())
        for name in sorted(needed):
            rooms = {room_of(home) for home in homes.get(name, []) if not home.startswith(IN_FRONT) or room_of(home) == room}
            lower = {other for other in rooms if names.index(other) <= names.index(room)}
            if rooms and not lower:
                faults.append(f"{source} needs {name} of {', '.join(sorted(rooms))}, which stands above {room}")
            arrows[room] |= lower - {room}
    ok(len(objects) > 500 and not faults, "calls go from upper rooms to lower ones only", *faults)
    for line in floors(arrows) if not faults else ():
        print(f"# {line}")


def readme_rows():
    """What embed/README.md lists to be copied, line by line: the words, and files from the top. A line with + adds to the first."""
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
    ok(n_rows > 8 and not faults, "embed/README.md lists all that the copied files include", *faults)


def check_style():
    if not shutil.which("clang-format"):
        skip("C files have the committed style", "no clang-format")
        return
    files = sources(".c", ".h", ".inc")
    run = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], capture_output=True, text=True)
    ok(run.returncode == 0, "C files have the committed style", *run.stderr.split("\n"))


def included_first():
    """Headers that a file of the build includes before all others: the build compiles them alone."""
    found = set()
    for path in sources(".c"):
        first = re.search(r'^#include "(.+)"', slurp(path).decode(), re.M)
        if first and path.startswith(("src/", "bench/")):
            found |= {first[1], f"src/{first[1]}"}
    return found


def has_guard(header):
    text = re.sub(r"/\*.*?\*/", "", slurp(header).decode(), flags=re.S).strip()
    return re.fullmatch(r"#ifndef (\w+)\n#define \1\n.*#endif", text, re.S)


def check_headers():
    faults = []
    built = {header for header in included_first() if os.path.exists(header) and has_guard(header)}
    with tempfile.TemporaryDirectory() as folder:
        for header in sources(".h"):
            if not header.startswith(("include/", "src/", "embed/", "bench/")) or header in built:
                continue
            languages = [("c", ["gcc", "-std=gnu11", "-D_GNU_SOURCE"])]
            if header.startswith(("include/", "embed/")) and shutil.which("g++"):
                languages.append(("cc", ["g++", "-std=c++11"]))
            for end, compiler in languages:
                source = os.path.join(folder, "alone." + end)
                with open(source, "w", encoding="utf-8") as out:
                    out.write(f'#include "{os.path.abspath(header)}"\n#include "{os.path.abspath(header)}"\n')
                run = subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Iinclude", "-Iinclude/aixtrace", "-Isrc",
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
    contract = re.search(r"^struct dialect \{\n(.*?)^\};", open("src/dialect/dialect.h", encoding="utf-8").read(), re.M | re.S)[1]
    members = re.findall(r";(?= /\*|\s*$)", re.sub(r"/\*.*?\*/", "", contract, flags=re.S), re.M)
    ok(0 < len(members) <= 16, "a dialect promises at most 16 things; what few need is apart", str(len(members)))


def shown_lines(page):
    """As a terminal of 80 columns shows it, without what makes letters bold."""
    run = subprocess.run(["mandoc", "-T", "utf8", page], capture_output=True, check=False)
    return re.sub(".\x08", "", run.stdout.decode()).splitlines()


def check_manuals():
    pages = sources(*(f".{n}" for n in range(1, 9)))
    pages = [p for p in pages if p.startswith("man/")]
    if not shutil.which("mandoc"):
        skip("manual pages are sound", "no mandoc")
        return
    run = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True)
    ok(pages and run.returncode == 0, "manual pages are sound", *run.stdout.split("\n"))
    texts = {page: open(page, encoding="utf-8").read() for page in pages}
    long = [f"{page}: {line.strip()}" for page in pages for line in shown_lines(page) if len(line) > 80]
    ok(not long, "they fit 80 columns", *long)
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


# What only a dialect's own room may name in code. Comments may give examples.
DIALECT_ROOMS = ("src/state/", "src/tracks/", "src/select/", "src/summary/", "src/lines/", "src/analysis/", "src/database/", "src/export/", "src/query/", "src/picture/", "src/view/", "src/model/", "src/symbol/", "web/",
                 "src/cli/analysis/", "src/cli/check/", "src/cli/cmd_stats.c", "src/cli/cmd_explain.c", "src/cli/cmd_doctor.c", "src/cli/cmd_check.c", "src/cli/cmd_diff.c",
                 "src/cli/cmd_draw.c", "src/cli/cmd_convert.c", "src/cli/cmd_query.c", "src/cli/destination.", "src/cli/query/", "src/cli/aix/cmd_curt.c", "src/cli/aix/cmd_splat.c", "include/rastrum/")
DIALECT_WORDS = re.compile(r"threadx|liteos|tracex|\brkh|\bposix|compact|aix|percepio|\bTX_|\bLOS_|pthread", re.I)
# Words that stand for something else, each with its reason.
DIALECT_EXCEPTIONS = [
    ("src/lines/", re.compile(r"\b\w*(format_aix|aix_|_aix|AIX)\w*|\"aix\""), "the layout of AIX's own reports, for any dialect"),
    ("src/cli/cmd_", re.compile(r"in the layout of AIX's \w+"), "likewise"),
    ("src/export/format_txtb.c", re.compile(r"\bTX_\w+|\"threadx\"|\bTML?_TRACE_\w+|ThreadX's|TraceX"), "a format of ThreadX's"),
    ("src/export/txtb_write.c", re.compile(r"\bTraceX\b"), "likewise"),
    ("src/analysis/doctor/advice.c", re.compile(r".*"), "what to change on the target is a table by the dialect's name"),
    ("src/analysis/doctor/notes.c", re.compile(r".*"), "likewise, of what readers note"),
    ("src/tracks/", re.compile(r"\bposix_fallocate\b"), "a call of the C library"),
    ("src/view/", re.compile(r"\bpthread_\w+"), "likewise: the server has threads"),
    ("src/lines/worker", re.compile(r"\bpthread\w*"), "likewise: threads that format"),
    ("src/lines/blocks.", re.compile(r"\bpthread_\w+"), "likewise"),
    ("src/cli/destination.", re.compile(r"\bpthread_\w+|\bPTHREAD_\w+"), "likewise: a thread waits for signals"),
    ("src/analysis/stats/advice.c", re.compile(r'"(posix|liteos|threadx|aix|compact|rkh)"'), "what to record to know more, by dialect"),
    ("src/analysis/stats/curt.", re.compile(r"\b\w*[Pp]thread\w*"), "curt's section of calls of the threads library, as AIX's command has it"),
    ("src/cli/aix/cmd_curt.c", re.compile(r"\bpthreads\b|\w*has_pthreads\b|\bAIX\b"), "likewise; and what of its options is AIX's"),
    ("src/cli/aix/cmd_splat.c", re.compile(r"\bAIX\b"), "likewise"),
    ("src/analysis/stats/askers.c", re.compile(r"\basks_compact\b"), "a list is compacted"),
]


def without_comments(text):
    """The same lines, with nothing in place of comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: "\n" * found[0].count("\n"), text, flags=re.S)


def check_dialects():
    """A room above or below the dialects that knew one would be wrong for the next."""
    faults, n_files = [], 0
    for path in sources(".c", ".h", ".def"):
        if not path.startswith(DIALECT_ROOMS) or re.search(r"_test\.[ch]$", path):
            continue
        n_files += 1
        for number, line in enumerate(without_comments(open(path, encoding="utf-8").read()).split("\n"), 1):
            for room, words, _reason in DIALECT_EXCEPTIONS:
                line = words.sub("", line) if path.startswith(room) else line
            if not line.startswith("#include") and DIALECT_WORDS.search(line):
                faults.append(f"{path}:{number}: {line.strip()}")
    ok(n_files > 50 and not faults, "states, reports and the model name no dialect", *faults)


check_rooms()
check_document()
check_dialects()
check_layers()
check_symbols()
check_embed_readme()
check_style()
check_headers()
check_heads()
check_manuals()
check_links()
sys.exit(done())
