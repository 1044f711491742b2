# SPDX-License-Identifier: MIT
"""What the public headers declare, and what the manual pages of section 3 say of it."""
import glob
import re
import shlex

FUNCTION_HEADERS = ["include/trace.h", "include/trace_bridge_np.h", "include/trace_hook_np.h",
                    "include/aixtrace/sys/trcctl.h", "include/aixtrace/sys/trchkid.h", *sorted(glob.glob("include/rastrum/*.h"))]
MACRO_HEADERS = ["include/rastrum/version.h", "include/trace_point_np.h", "include/trace_probe_np.h", "include/trace_scope_np.h",
                 "include/aixtrace/sys/trcmacros.h"]
# The macros of these headers that are for programs: names of other tracers, and these.
MACRO = re.compile(r"^#define ((?:DTRACE|STAP|TRACE|PERFETTO)_\w+|TRC(?:HKL|GEN)\w*|POSIX_TRACE_(?:POINT|EVENT)_NP|RASTRUM_VERSION)\b", re.M)
# A comment, or the declaration of a function (or the head of an inline one) that begins a line.
ITEM = re.compile(r"/\*(?P<comment>.*?)\*/|^(?:RST_PUBLIC |static inline )?(?P<type>\w[\w ]*?[ *]+)(?P<name>\w+)"
                  r"\((?P<parameters>[^;{}#]*?)\)\s*(?:POSIX_TRACE_NOPLT_NP)?\s*[;{]", re.M | re.S)
ERROR = re.compile(r"\b(?:RST_)?E[A-Z_]*[A-Z0-9]\b")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def words(text):
    """The tokens of a type or parameter, so that blanks do not count."""
    return re.findall(r"\w+|[*&]", text)


class Function:
    """A declaration: where it stands, its type, its parameters, and the errors that its header lists (None: no list)."""

    def __init__(self, header, found, errors):
        self.header, self.name, self.type = header, found["name"], words(found["type"])
        self.parameters = [words(p) for p in found["parameters"].split(",") if p.strip() != "void"]
        # What returns a status or an error number has errors; a list for others would be that of a neighbour.
        self.errors = errors if self.type in (["int"], ["enum", "rst_status"]) else set()


def functions():
    """All that the public headers declare. A list "Errors:" in a comment is for what follows it, down to the next one."""
    for header in FUNCTION_HEADERS:
        errors = None
        for found in ITEM.finditer(read(header).replace("POSIX_TRACE_RESTRICT_NP", "restrict")):
            if found["name"] is None:
                listed = re.search(r"Errors: (.*)", found["comment"], re.S)
                errors = set(ERROR.findall(listed[1])) if listed else errors
            elif not found["name"].endswith("_"):
                yield Function(header, found, errors)


def macros():
    return {name for header in MACRO_HEADERS for name in MACRO.findall(read(header))}


class Page:
    """A manual page: the names in its head, and by function the prototype and the errors."""

    def __init__(self, path):
        self.path, self.sections = path, {}
        heading = ""
        for line in read(path).splitlines():
            if line.startswith(".Sh "):
                heading = line[4:]
                self.sections[heading] = []
            elif heading:
                self.sections[heading].append(line)
        self.names = [line[4:].rstrip(" ,") for line in self.sections["NAME"] if line.startswith(".Nm ")]
        self.prototypes = dict(self._prototypes())
        self.errors = self._errors()

    def _prototypes(self):
        """name: (words of its type, words of each parameter with its name)"""
        kind, name, parameters = [], "", []
        for line in self.sections.get("SYNOPSIS", []):
            macro, *arguments = shlex.split(line)
            if macro == ".Ft":
                kind = words(" ".join(arguments))
            elif macro == ".Fn":
                yield arguments[0], (kind, [words(p) for p in arguments[1:] if p != "void"])
            elif macro == ".Fo":
                name, parameters = arguments[0], []
            elif macro == ".Fa":
                parameters.append(words(arguments[0]))
            elif macro == ".Fc":
                yield name, (kind, parameters)

    def _errors(self):
        """Each list is for the functions that the sentence in front of it names; "The function", "These": for all."""
        errors = {name: set() for name in self.names}
        subjects, is_list = [], False
        for line in self.sections.get("ERRORS", []):
            if line.startswith(".Bl "):
                is_list = True
            elif line == ".El":
                subjects, is_list = [], False
            elif line == ".Pp" and not is_list:
                subjects = []
            elif is_list and line.startswith(".It Bq Er "):
                for name in subjects:
                    errors.setdefault(name, set()).update(ERROR.findall(line))
            elif not is_list and line.startswith(".Fn "):
                subjects.append(line.split()[1])
            elif not is_list and re.match(r"(These functions|The function) fails? if:$", line):
                subjects = list(self.names)
        return errors

    def examples(self):
        """The whole programs that it shows."""
        for section in self.sections.values():
            for block in re.findall(r"^\.Bd -literal.*\n((?:(?!\.Ed).*\n)*)\.Ed$", "\n".join(section), re.M):
                if "int main(" in block:
                    yield re.sub(r"^\\&", "", block, flags=re.M).replace("\\e", "\\")


def pages():
    return [Page(path) for path in sorted(glob.glob("man/*.3"))]
