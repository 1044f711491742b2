#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Probes of <sys/sdt.h> and events of Perfetto as the compiler and the report see them: in C and C++, for programs that
are not changed, beside <sys/sdt.h>, and what is refused."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, CHECKERS, done, ok, rastrum, same, skip  # noqa: E402

OUT = os.path.abspath(f"build/{BUILD}")
ENV = {**os.environ, "POSIX_TRACE_CONSUMER": f"{OUT}/posix-trace-consumer"}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wdouble-promotion",
            "-Wcast-qual", "-Wvla", "-Wundef", "-Werror"]

# A program that traces itself into the file that it is given; work() is the test's.
FRAME = r"""
#include <fcntl.h>
#include <stdio.h>
#include <trace.h>

static void work(void);

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	trace_attr_t attr;
	trace_id_t trid;

	posix_trace_attr_init(&attr);
	posix_trace_attr_setmaxdatasize(&attr, 1024);
	if (posix_trace_create_withlog(0, &attr, fd, &trid) != 0 || posix_trace_start(trid) != 0)
		return 1;
	work();
	return posix_trace_shutdown(trid) != 0;
}
"""

# As a program for systemtap is, with what its dtrace -h makes.
UNCHANGED = r"""
#define SDT_USE_VARIADIC
#include <sys/sdt.h>
#include <fcntl.h>
#define POOL_TAKE(arg1, arg2) DTRACE_PROBE2(pool, take, arg1, arg2)
#define POOL_EMPTY() DTRACE_PROBE(pool, empty)

static void work(void)
{
	struct { unsigned char kind; long number; const char *name; } item = { 3, -9, "x" };
	char array[4] = "abc";

	POOL_TAKE(item.kind, item.number);
	POOL_EMPTY();
	STAP_PROBE3(pool, three, item.name, (void *)0, array);
	STAP_PROBEV(pool, none);
	STAP_PROBEV(pool, some, 1, 2u, 3ll);
}
"""

# As a program for Perfetto is, but for main().
PERFETTO = r"""
#include <perfetto.h>
PERFETTO_DEFINE_CATEGORIES(
	perfetto::Category("game").SetDescription("what the player sees"),
	perfetto::Category("net.debug").SetTags("debug"));
PERFETTO_TRACK_EVENT_STATIC_STORAGE();

static void draw_player(int number)
{
	TRACE_EVENT("game", "draw player", "number", number);
	if (TRACE_EVENT_CATEGORY_ENABLED("game"))
		TRACE_EVENT_INSTANT("game", "enabled");
}

static void work(void)
{
	TRACE_EVENT("game", "draw");
	draw_player(1);
	TRACE_EVENT_BEGIN("game", "sleep", "reason", "tired");
	TRACE_EVENT_END("game");
	TRACE_COUNTER("game", "frame rate", 120);
}
"""
PERFETTO_EVENTS = [
    ("game:draw:begin", {}), ("game:draw player:begin", {"number": 1}), ("game:enabled", {}), ("game:draw player:end", {}),
    ("game:sleep:begin", {"reason": "tired"}), ("game:end", {}), ("game:frame rate:counter", {"value": 120}),
    ("game:draw:end", {})]

PLUS_PLUS = r"""
#include <string>
#include <trace_probe_np.h>
#include <trace_scope_np.h>

enum class color : unsigned char { red, blue = 200 };
enum shade { light, dark };

inline int in_inline(int x)
{
	TRACE_EVENT("cxx", "inline", "x", x);
	DTRACE_PROBE1(cxx, inline_probe, x);
	return x;
}

template <class T> T in_template(T x)
{
	TRACE_EVENT("cxx", "template", "x", x);
	return x;
}

struct account {
	long balance = -5;
	void show() const
	{
		DTRACE_PROBE2(cxx, member, balance, sizeof(*this) == sizeof(long));
	}
};

static void thrower()
{
	TRACE_EVENT("cxx", "thrower");
	throw 1;
}

template <class T> void in_template_text(const T &text)
{
	POSIX_TRACE_EVENT_NP(cxx_text, text);
}

static void kinds()
{
	const unsigned char high = 200;
	unsigned long long most = ~0ull;
	float single = 0.25f;
	char text[] = "text";
	const char *null = nullptr;

	TRACE_EVENT_INSTANT("cxx", "kinds", "color", color::blue, "shade", dark, "high", high, "most", most,
		"single", single, "text", text, "null", null, "is", true);
	POSIX_TRACE_EVENT_NP(cxx_point, single, high, most);
	std::string string = "a string";
	POSIX_TRACE_EVENT_NP(cxx_texts, "literal", text, null, string, std::string(70, 'x'), high);
	in_template_text(string);
	in_template_text("literal");
	DTRACE_PROBE2(cxx, numbers, null != nullptr, -1);
}

static void work(void)
{
	in_inline(1);
	in_template(2);
	in_template(2.5);
	account().show();
	try {
		thrower();
	} catch (int) {
		TRACE_EVENT_INSTANT("cxx", "caught");
	}
	kinds();
	auto lambda = [](int n) { TRACE_COUNTER("cxx", "lambda", n); };
	lambda(4);
}
"""
PLUS_PLUS_EVENTS = [
    ("cxx:inline:begin", {"x": 1}), ("cxx:inline_probe", {"arg1": 1}), ("cxx:inline:end", {}),
    ("cxx:template:begin", {"x": 2}), ("cxx:template:end", {}),
    ("cxx:template:begin", {"x": 2.5}), ("cxx:template:end", {}),
    ("cxx:member", {"arg1": -5, "arg2": 1}),
    ("cxx:thrower:begin", {}), ("cxx:thrower:end", {}), ("cxx:caught", {}),
    ("cxx:kinds", {"color": 200, "shade": 1, "high": 200, "most": 2**64 - 1, "single": 0.25, "text": "text", "null": "",
                   "is": 1}),
    ("cxx_point", {"single": 0.25, "high": 200, "most": 2**64 - 1}),
    ("cxx_texts", {"text": "text", "null": "", "string": "a string", "std::string(70, 'x')": "x" * 64, "high": 200,
                   "text2": "literal"}),
    ("cxx_text", {"text": "a string"}), ("cxx_text", {"text": "literal"}),
    ("cxx:numbers", {"arg1": 0, "arg2": -1}),
    ("cxx:lambda:counter", {"value": 4})]


def run(*words, **how):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, **{"env": ENV, **how})


def is_fine(result, sentence):
    return ok(result.returncode == 0, sentence, f"status {result.returncode}", *result.stderr.splitlines()[:10])


def file_of(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def compiled(compiler, source, program, *options):
    built = run(compiler, "-O1", "-g", *options, "-Iinclude", "-c", source, "-o", program + ".o")
    if built.returncode:
        return built
    return run(compiler, *CHECKERS, "-pthread", program + ".o", f"{OUT}/libposixtrace.a", "-o", program)


def recorded(program):
    """Names and fields of the user events that it leaves, variants (~2) under their common name."""
    if not os.path.exists(program):
        return [("not built", {})]
    result = run(program, program + ".rst")
    if result.returncode:
        return [(f"status {result.returncode}", result.stderr)]
    rows = [json.loads(line) for line in rastrum("report", "-f", "jsonl", program + ".rst").lines]
    return [(row["name"].split("~")[0], {k: v for k, v in row["args"].items() if k not in ("address", "process")})
            for row in rows if not row["name"].startswith("POSIX_TRACE_")]


def addresses_out(events):
    return [(name, {k: v for k, v in args.items() if not str(v).startswith("0x")}) for name, args in events]


UNCHANGED_EVENTS = [("pool:take", {"arg1": 3, "arg2": -9}), ("pool:empty", {}), ("pool:three", {}), ("pool:none", {}),
                    ("pool:some", {"arg1": 1, "arg2": 2, "arg3": 3})]


def check_unchanged(folder, compiler, end):
    """Nothing of <sys/sdt.h> is needed when ours comes first."""
    source = file_of(folder, f"unchanged.{end}", UNCHANGED + FRAME)
    program = f"{folder}/unchanged-{compiler}"
    os.makedirs(f"{folder}/sys", exist_ok=True)
    file_of(folder, "sys/sdt.h", "#ifndef _SYS_SDT_H\n#error read\n#endif\n")
    is_fine(compiled(compiler, source, program, "-Wall", "-Werror", f"-I{folder}", "-include", "trace_probe_np.h"),
            f"{compiler}: a program for <sys/sdt.h> compiles with -include trace_probe_np.h")
    events = recorded(program)
    same(addresses_out(events), UNCHANGED_EVENTS, f"{compiler}: and records its probes")
    three = events[2][1] if len(events) > 2 else {}
    ok(sorted(three) == ["arg1", "arg2", "arg3"] and int(str(three["arg1"]), 0) != 0 and int(str(three["arg2"]), 0) == 0,
       f"{compiler}: text and arrays as addresses, as <sys/sdt.h> has them", three)


def check_both(folder, compiler, end):
    sentence = f"{compiler}: behind <sys/sdt.h> each probe is both"
    if run(compiler, "-E", "-include", "sys/sdt.h", "-x", "c", "/dev/null").returncode:
        skip(sentence, "no <sys/sdt.h>")
        return
    source = file_of(folder, f"both.{end}", UNCHANGED.replace("#include <fcntl.h>", "#include <trace_probe_np.h>") + FRAME)
    program = f"{folder}/both-{compiler}"
    is_fine(compiled(compiler, source, program, "-Wall", "-Werror"), sentence)
    same(addresses_out(recorded(program)), UNCHANGED_EVENTS, f"{compiler}: they are recorded")
    notes = run("readelf", "--notes", program).stdout
    names = [line.split()[1] for line in notes.splitlines() if line.strip().startswith("Name:")]
    same(sorted(names), ["empty", "none", "some", "take", "three"], f"{compiler}: and the notes of <sys/sdt.h> are there")


def check_perfetto(folder, compiler, end):
    os.makedirs(f"{folder}/perfetto", exist_ok=True)
    file_of(folder, "perfetto/perfetto.h", "#include <trace_scope_np.h>\n")
    source = file_of(folder, f"perfetto.{end}", PERFETTO + FRAME)
    program = f"{folder}/perfetto-{compiler}"
    is_fine(compiled(compiler, source, program, *WARNINGS, f"-I{folder}/perfetto"),
            f"{compiler}: a program for Perfetto compiles")
    same(recorded(program), PERFETTO_EVENTS, f"{compiler}: and records its events")


def check_plus_plus(folder, compiler):
    source = file_of(folder, "plus.cc", PLUS_PLUS + FRAME)
    for standard in ("-std=c++11", "-std=c++17"):
        for more in ([], ["-fPIC", "-O0"]):
            program = f"{folder}/plus"
            what = " ".join([compiler, standard, *more])
            is_fine(compiled(compiler, source, program, standard, *WARNINGS, *more), f"{what}: a program compiles")
            same(recorded(program), PLUS_PLUS_EVENTS,
                 f"{what}: inline functions, templates, members, lambdas and exceptions are recorded")


def check_c(folder, compiler):
    """The recorder's own tests are built with all warnings by one compiler; here by another."""
    result = run(compiler, "-std=gnu11", "-D_GNU_SOURCE", *WARNINGS, "-Iinclude", "-Isrc", "-I.", "-fsyntax-only",
                 "tests/posix/bridge_test.c")
    is_fine(result, f"{compiler}: <trace_probe_np.h> and <trace_scope_np.h> give no warning in C")


REFUSED = {
    "a key without a value is refused": 'TRACE_EVENT_INSTANT("a", "b", "key");',
    "a ninth value is refused": 'TRACE_EVENT_INSTANT("a", "b", ' + ", ".join(f'"k", {n}' for n in range(9)) + ");",
    "a name that is no literal is refused": 'const char *name = "b"; TRACE_EVENT_INSTANT("a", name);',
    "a name of more than 63 characters is refused": f'TRACE_EVENT_INSTANT("a", "{"b" * 62}");',
    "a structure is refused": 'struct { int a; } s = { 1 }; TRACE_EVENT_INSTANT("a", "b", "s", s);',
    "a structure in a point is refused": 'struct { int a; } s = { 1 }; POSIX_TRACE_EVENT_NP(b, s);',
    "another number of arguments is refused": "DTRACE_PROBE2(a, b, 1);",
}


def check_refused(folder, compiler, end):
    head = "#include <trace_probe_np.h>\n#include <trace_scope_np.h>\nstatic void work(void)\n{\n"
    for sentence, text in {**REFUSED, "": f'TRACE_EVENT_INSTANT("a", "{"b" * 61}");'}.items():
        source = file_of(folder, f"refused.{end}", f"{head}{text}\n}}\n{FRAME}")
        status = compiled(compiler, source, f"{folder}/refused", "-w").returncode
        if sentence:
            ok(status != 0, f"{compiler}: {sentence}")
        else:
            ok(status == 0, f"{compiler}: one of 63 is taken")


def check_library(folder):
    """Points of a library that is loaded and unloaded, in both languages."""
    for compiler, end in (("gcc", "c"), ("g++", "cc")):
        if not shutil.which(compiler):
            skip(f"{compiler}: a library that is loaded twice records twice", f"no {compiler}")
            continue
        head = 'extern "C" void tell(int n);\n' if end == "cc" else "void tell(int n);\n"
        source = file_of(folder, f"library.{end}", "#include <trace_scope_np.h>\n" + head +
                         'void tell(int n)\n{\n\tTRACE_EVENT("library", "tell", "n", n);\n}\n')
        loader = file_of(folder, "loader.c", r"""
#include <dlfcn.h>
static void work(void)
{
	for (int i = 0; i < 2; i++) {
		void *library = dlopen(LIBRARY, RTLD_NOW);
		void (*tell)(int) = library ? (void (*)(int))dlsym(library, "tell") : 0;

		if (tell)
			tell(i);
		if (library)
			dlclose(library);
	}
}
""" + FRAME)
        library, program = f"{folder}/library-{end}.so", f"{folder}/loader-{end}"
        is_fine(run(compiler, "-O1", "-fPIC", "-shared", *CHECKERS, "-Iinclude", source, "-o", library),
                f"{compiler}: a library with scopes is built")
        is_fine(run("gcc", "-O1", "-Iinclude", *CHECKERS, f'-DLIBRARY="{library}"', loader, "-o", program, f"-L{OUT}",
                    "-lposixtrace", f"-Wl,-rpath,{OUT}", "-ldl", "-Wl,--no-as-needed"), "and a program that loads it")
        same(recorded(program), [("library:tell:begin", {"n": 0}), ("library:tell:end", {}),
                                 ("library:tell:begin", {"n": 1}), ("library:tell:end", {})],
             f"{compiler}: a library that is loaded twice records twice")


with tempfile.TemporaryDirectory(prefix="rastrum-bridge-") as temporary:
    for c, cxx in (("gcc", "g++"), ("clang", "clang++")):
        if CHECKERS and c == "clang":
            continue  # the checkers of the library are gcc's
        if shutil.which(c):
            check_c(temporary, c)
            check_unchanged(temporary, c, "c")
            check_both(temporary, c, "c")
            check_perfetto(temporary, c, "c")
            check_refused(temporary, c, "c")
        else:
            skip(f"{c} compiles probes and scopes", f"no {c}")
        if shutil.which(cxx):
            check_unchanged(temporary, cxx, "cc")
            check_both(temporary, cxx, "cc")
            check_perfetto(temporary, cxx, "cc")
            check_plus_plus(temporary, cxx)
            check_refused(temporary, cxx, "cc")
        else:
            skip(f"{cxx} compiles probes and scopes", f"no {cxx}")
    check_library(temporary)
sys.exit(done())
