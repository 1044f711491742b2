#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every example of the documents is run, and of the manual pages; the manual of templates leaves nothing out; every public
function has a page, which agrees with its header.

A fenced block `trcfmt` is saved as example.trcfmt, or under the name behind that word. A block `console` has commands
behind "$ ", and below each exactly what it prints, warnings included. They are run by sh in a folder of the document's
own, in which tests/ and templates/ lie as in the top folder. BLESS=1 writes what comes now into the document: read the
diff.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import pages  # noqa: E402
from tap import RASTRUM, done, ok  # noqa: E402

MANUAL = ["docs/TEMPLATES.md", "docs/TEMPLATES-REFERENCE.md", "docs/TEMPLATES-DIAGNOSES.md"]
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
TOP = os.getcwd()


class Example:
    """A command, what it is to print, and where it stands."""

    def __init__(self, line, command, expected):
        self.line, self.command, self.expected = line, command, expected


def commands(body, line):
    """The examples of a console block that begins at this line."""
    found = []
    for text in body.splitlines():
        if text.startswith("$ "):
            found.append(Example(line, text[2:], ""))
        elif found and found[-1].command.endswith("\\"):
            found[-1].command += "\n" + text
        elif found:
            found[-1].expected += text + "\n"
        line += 1
    return found


def new_folder():
    """A folder to run commands in: rastrum is on its path, and nothing of this user's is seen."""
    folder = tempfile.mkdtemp(prefix="rastrum-manual-")
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(os.path.abspath(RASTRUM), os.path.join(folder, "bin", "rastrum"))
    for name in ("tests", "templates"):
        os.symlink(os.path.join(TOP, name), os.path.join(folder, name))
    return folder


def run(folder, command):
    """All that it prints, warnings included; a signal that killed it is reported, too."""
    env = {**os.environ, "PATH": os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"], "HOME": folder,
           "XDG_CONFIG_HOME": os.path.join(folder, ".config"), "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    env.pop("RASTRUM_TEMPLATES", None)
    got = subprocess.run(["sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=60, check=False)
    told = got.stdout.decode("utf-8", "replace")
    return told if 0 <= got.returncode < 128 else f"{told}(died with {got.returncode})\n"


def check_document(path, text):
    """Runs the examples. Returns the text as it should read."""
    folder, pieces, at = new_folder(), [], 0
    for block in BLOCK.finditer(text):
        kind, name, body = block.groups()
        line = text.count("\n", 0, block.start(3)) + 1
        if kind == "trcfmt":
            with open(os.path.join(folder, name or "example.trcfmt"), "w", encoding="utf-8") as file:
                file.write(body)
        elif kind == "console":
            told = ""
            for example in commands(body, line):
                got = run(folder, example.command)
                told += f"$ {example.command}\n{got}"
                ok(got == example.expected, f"{path}:{example.line}: {example.command[:90]}", "got:", got, "expected:",
                   example.expected)
            pieces += [text[at:block.start(3)], told]
            at = block.end(3)
    shutil.rmtree(folder)
    return "".join(pieces) + text[at:]


def documents():
    for path in sorted(["README.md", "HACKING.md", *glob.glob("docs/*.md"), *glob.glob("src/**/*.md", recursive=True),
                        *glob.glob("templates/*.md")]):
        text = pages.read(path)
        if any(block.group(1) == "console" for block in BLOCK.finditer(text)):
            yield path, text


# --- manual pages ---------------------------------------------------------------------------------------------------

LITERAL = re.compile(r"^\.Bd -literal.*\n((?:(?!\.Ed).*\n)*)\.Ed$", re.M)
CUSTOM = "Start\n4096, Motor step, MS, (255,0,0), (0,0,255), axis, position\nEnd\n"


def check_page(path):
    """What a page shows below a command is how the command's output begins. Only what needs no other program is run."""
    folder = new_folder()
    for recording in glob.glob("tests/data/threadx/*.trx"):
        os.symlink(os.path.join(TOP, recording), os.path.join(folder, os.path.basename(recording)))
    with open(os.path.join(folder, "events.txt"), "w", encoding="utf-8") as file:
        file.write(CUSTOM)
    text, n_shown = pages.read(path), 0
    for block in LITERAL.finditer(text):
        shown = re.sub(r"^\\&", "", block.group(1).replace("\\e\n", "\\\n"), flags=re.M)
        if "$ rastrum record" in shown or "~/" in shown or "jq " in shown:
            continue
        for example in commands(shown, text.count("\n", 0, block.start(1)) + 1):
            if example.command.startswith("rastrum"):
                got = run(folder, example.command)
                n_shown += example.expected != ""
                ok(got.startswith(example.expected), f"{path}:{example.line}: {example.command[:70]}", "got:", got[:600],
                   "expected:", example.expected)
    shutil.rmtree(folder)
    return n_shown


# --- pages of functions -----------------------------------------------------------------------------------------------


def check_functions():
    """Each public function and macro has one page, with the prototype and the errors that its header has."""
    declared, all_pages = list(pages.functions()), pages.pages()
    by_name, several, wrong, errors = {}, [], [], []
    for page in all_pages:
        several += [f"{page.path}: {name} has {by_name[name].path}, too" for name in page.names if name in by_name]
        by_name.update({name: page for name in page.names})
    known = {function.name for function in declared} | pages.macros() | {"librastrum"}
    ok(len(declared) > 75 and not known - set(by_name), "each public function and macro has a manual page",
       *sorted(known - set(by_name)))
    ok(not several and not set(by_name) - known, "and one only; no page is of what no header has", *several,
       *sorted(set(by_name) - known))
    for function in [f for f in declared if f.name in by_name]:
        page = by_name[function.name]
        kind, parameters = page.prototypes.get(function.name, (None, []))
        if kind != function.type or function.parameters not in (parameters, [words[:-1] for words in parameters]):
            wrong.append(f"{page.path}: {function.name}: {kind} {parameters}, in {function.header} {function.type} "
                         f"{function.parameters}")
        if function.errors != page.errors[function.name]:
            errors.append(f"{page.path}: {function.name}: {sorted(page.errors[function.name])}, in {function.header} "
                          f"{sorted(function.errors or ['no list'])}")
    ok(not wrong, "the pages show the prototypes of the headers", *wrong)
    ok(not errors, "and list the errors that the headers list", *errors)
    absent = [f"{page.path} {section}" for page in all_pages for section in ("LIBRARY", "ATTRIBUTES")
              if section not in page.sections]
    ok(not absent, "they say which library it is, and which threads may call it", *absent)


# --- paths ------------------------------------------------------------------------------------------------------------

PATH = re.compile(r"`((?:src|include|tests|docs|man|bench|embed|fuzz|tools|examples|templates|packaging)/[\w./*+-]+)`")
MADE_UP = ("NAME", "DIALECT", "/beat", "_beat", "-beat", "src/export", "cmd_count", "rastrum-count", "format_ticks")  # what recipes make


def check_paths():
    """Files that the documents for contributors name."""
    named = [(path, name) for path in ("docs/ARCHITECTURE.md", "HACKING.md", "src/record/README.md")
             for name in PATH.findall(prose_of(path)) if not any(word in name for word in MADE_UP)]
    absent = [f"{path}: {name}" for path, name in named if not glob.glob(name)]
    ok(not absent and len(named) > 120, "documents name files that are there", len(named), *absent)


# --- figures ----------------------------------------------------------------------------------------------------------

# What the README says of speed, and the row of docs/SPEED.md that has it.
FIGURES = [(r"An event of 4 bytes takes ([\d]+)\s+instructions", r"\| `posix_event_4`: .*\| ([\d]+) \(100\) \|"),
           (r"That is ([\d.]+)\s+to [\d.]+ times", r"\| `posix_event_4`: [^|]*\|[^|]*\| ([\d.]+)–[\d.]+ \|"),
           (r"to ([\d.]+) times a loop", r"where it is cheap \|.*–([\d.]+) rings \|"),
           (r"and ([\d]+) to ([\d]+) times where", r"kvm-clock.*\| ([\d]+)–([\d]+) rings \|"),
           (r"turned into text in ([\d.]+)\s+times", r"\| text \|[^|]*\| \**([\d.]+)\** \|")]


def check_figures():
    readme, speed = pages.read("README.md"), pages.read("docs/SPEED.md")
    for said, measured in FIGURES:
        found, row = re.search(said, readme), re.search(measured, speed)
        ok(found and row and found.groups() == row.groups(), "README has the figure of docs/SPEED.md",
           said, found and found.groups(), row and row.groups())


# --- nothing is left out --------------------------------------------------------------------------------------------


def words_of(path, pattern):
    """What the rows of a table in the source name."""
    return re.findall(pattern, pages.read(path), re.M)


def blocks_of(text, kind):
    return "\n".join(block.group(3) for block in BLOCK.finditer(text) if block.group(1) == kind)


def check_named(words, where, what):
    absent = [word for word, pattern in words if not re.search(pattern, where, re.M)]
    ok(words and not absent, f"the manual has {what}", "absent: " + " ".join(absent) if words else "the table is empty")


def anchor_of(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def prose_of(path):
    return re.sub(r"^```.*?^```$", "", pages.read(path), flags=re.M | re.S)


def check_anchors():
    """Links to sections, of the same document or another one."""
    paths = [path for path in glob.glob("**/*.md", recursive=True) if not path.startswith("build/")]
    anchors = {path: {anchor_of(heading) for heading in re.findall(r"^#+ (.*)$", prose_of(path), re.M)} for path in paths}
    absent, n_links = [], 0
    for path in paths:
        for target, anchor in re.findall(r"\]\(([\w./-]*)#([^)]+)\)", prose_of(path)):
            document = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            n_links += 1
            absent += [] if anchor in anchors.get(document, set()) else [f"{path}: {target}#{anchor}"]
    ok(not absent and n_links > 100, "links to sections of documents lead there", n_links, *absent)


def check_whole(text):
    examples, told = blocks_of(text, "trcfmt"), blocks_of(text, "console")
    letters = sorted(set(words_of("src/template/language/codes.c", r"^\s*\[CODE_\w+\] = \{ '(\w)'")))
    macros = words_of("src/template/language/macros.c", r'^\s*\{ "(\w+)", MACRO_')
    numbers = words_of("src/template/language/diag.c", r'\{ "([A-Z]\d\d)", ')
    sources = [p for p in glob.glob("src/template/*/*.c") + glob.glob("src/cli/**/*.c", recursive=True) if not p.endswith("_test.c")]
    used = {n for path in sources for n in words_of(path, r'"([TWA]\d\d)"')}
    ok(used <= set(numbers), "each number that is reported has its row in the table", *sorted(used - set(numbers)))
    codes = [(w, rf"(?:^|[\s{{=`(,%])\$?{w}[0-9WBT]") for w in letters if w != "s"] + [("s", r"%[num]s\b")]
    check_named(codes, examples, "an example of each code")
    check_named([(w, rf"\${w}\b") for w in macros], examples, "an example of each built-in macro")
    check_named([(w, rf"^#+ {w}\b") for w in numbers], text, "a paragraph on each number of a diagnosis")
    check_named([(w, rf"\b(?:error|warning|advice) {w}\b") for w in numbers if w[0] != "R"], told,
                "an example of each error, warning and advice")


for each, was in documents():
    now = check_document(each, was)
    if os.environ.get("BLESS") and now != was:
        with open(each, "w", encoding="utf-8") as out:
            out.write(now)
check_whole("".join(map(pages.read, MANUAL)))
check_anchors()
check_functions()
check_figures()
check_paths()
N_SHOWN = sum(map(check_page, sorted(glob.glob("man/*.[17]"))))
ok(N_SHOWN >= 4, "manual pages show what commands print", N_SHOWN)
sys.exit(done())
