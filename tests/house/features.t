#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that ask for the trace option as the standard says, at compile time and at run time, find it."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, CHECKERS, done, ok, skip  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="rastrum-features-")
FLAGS = ["-Iinclude/posixtrace", "-Iinclude", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

# What POSIX.1-2017 lets a program rely on: options in <unistd.h>, limits in <limits.h>, types in <sys/types.h>.
ASKING = r"""
#include <unistd.h>
#if !defined(_POSIX_TRACE) || _POSIX_TRACE <= 0
#error "there is no tracing"
#endif
#if _POSIX_TRACE_EVENT_FILTER <= 0 || _POSIX_TRACE_INHERIT <= 0 || _POSIX_TRACE_LOG <= 0
#error "an option of tracing is missing"
#endif
#include <limits.h>
#if TRACE_EVENT_NAME_MAX < _POSIX_TRACE_EVENT_NAME_MAX || TRACE_NAME_MAX < _POSIX_TRACE_NAME_MAX || \
	TRACE_SYS_MAX < _POSIX_TRACE_SYS_MAX || TRACE_USER_EVENT_MAX < _POSIX_TRACE_USER_EVENT_MAX || PATH_MAX < 256
#error "a limit is less than the least"
#endif
#include <sys/types.h>

struct all {
	trace_attr_t attr;
	trace_id_t trid;
	trace_event_id_t id;
	trace_event_set_t set;
	pid_t pid;
	char name[TRACE_NAME_MAX];
};

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <trace.h>

static long (*const function)(int) = sysconf;

int main(void)
{
	struct all all;
	long edition = sysconf(_SC_TRACE), again;

	if (edition <= 0 || edition != _POSIX_TRACE || sysconf(_SC_TRACE_EVENT_FILTER) <= 0 || sysconf(_SC_TRACE_INHERIT) <= 0 ||
		sysconf(_SC_TRACE_LOG) <= 0)
		return puts("sysconf() knows no tracing"), 1;
	if (sysconf(_SC_TRACE_NAME_MAX) != TRACE_NAME_MAX || sysconf(_SC_TRACE_EVENT_NAME_MAX) != TRACE_EVENT_NAME_MAX ||
		sysconf(_SC_TRACE_SYS_MAX) != TRACE_SYS_MAX || sysconf(_SC_TRACE_USER_EVENT_MAX) != TRACE_USER_EVENT_MAX)
		return puts("sysconf() has other limits"), 1;
	if (sysconf(_SC_PAGESIZE) < 1 || sysconf(_SC_PAGESIZE) != function(_SC_PAGESIZE))
		return puts("sysconf() has another page size"), 1;
	errno = 0;
	again = sysconf(-1);
	if (again != -1 || errno != EINVAL)
		return puts("sysconf() knows what there is not"), 1;
	memset(&all, 0, sizeof all);
	if (posix_trace_attr_init(&all.attr) != 0 || posix_trace_attr_setname(&all.attr, "features") != 0 ||
		posix_trace_attr_getname(&all.attr, all.name) != 0 || strcmp(all.name, "features") != 0)
		return puts("attributes do not work"), 1;
	if (posix_trace_create(0, &all.attr, &all.trid) != 0 || posix_trace_eventid_open("event", &all.id) != 0 ||
		posix_trace_eventset_fill(&all.set, POSIX_TRACE_SYSTEM_EVENTS) != 0 ||
		posix_trace_set_filter(all.trid, &all.set, POSIX_TRACE_SET_EVENTSET) != 0 || posix_trace_shutdown(all.trid) != 0)
		return puts("a stream cannot be had"), 1;
	all.pid = getpid();
	return all.pid > 0 ? 0 : 1;
}
"""

# Without a word about POSIX, names that are not of C are the program's.
STRICT = "#include <limits.h>\n#ifdef TRACE_NAME_MAX\n#error \"a name of the program's\"\n#endif\nint main(void) { return 0; }\n"

WAYS = [("gcc", "c", "-std=c99", "-D_POSIX_C_SOURCE=200809L"), ("gcc", "c", "-std=gnu11"),
        ("clang", "c", "-std=c11", "-D_XOPEN_SOURCE=700"), ("g++", "cc", "-std=c++11"), ("clang++", "cc", "-std=c++17")]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)


def at(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


for compiler, end, *options in WAYS:
    way = " ".join([compiler, *options])
    if not shutil.which(compiler):
        skip(f"{way}: a program that asks for tracing gets it", f"no {compiler}")
        continue
    program = os.path.join(FOLDER, "asking")
    source = at(f"asking.{end}", ASKING)
    checkers = CHECKERS if "clang" not in compiler else []
    if BUILD != "release" and not checkers:
        skip(f"{way}: a program that asks for tracing gets it", "the library is gcc's with sanitizers")
        continue
    built = run(compiler, *options, *FLAGS, *checkers, source, f"build/{BUILD}/libposixtrace.a", "-pthread", "-o", program)
    ok(built.returncode == 0, f"{way}: options, limits and types are where the standard has them", *built.stderr.splitlines()[:5])
    ran = run(program) if built.returncode == 0 else None
    ok(ran and ran.returncode == 0, f"{way}: sysconf() gives the same, and otherwise what the C library gives", ran and ran.stdout)
built = run("gcc", "-std=c99", *FLAGS, "-fsyntax-only", at("strict.c", STRICT))
ok(built.returncode == 0, "strict C has no names of tracing in <limits.h>", built.stderr)
text = open("packaging/posixtrace.pc.in", encoding="utf-8").read()
ok("Cflags: -I${includedir}/posixtrace -I${includedir}\n" in text, "pkg-config gives the folder with these headers")
shutil.rmtree(FOLDER)
done()
