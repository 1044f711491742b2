#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The version stands in the Makefile; every other place has the same one."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, library_flags, ok, rastrum, same, skip, slurp  # noqa: E402

OUT = f"build/{os.environ.get('BUILD', 'release')}"
CHECKERS = {"build/asan": ["-fsanitize=address,undefined"], "build/tsan": ["-fsanitize=thread"]}.get(OUT, [])
# Each place of both headers; the numbers are those of the preprocessor.
PROGRAM = r"""
#include <rastrum/version.h>
#include <trace.h>
#include <stdio.h>
#if RASTRUM_VERSION != RASTRUM_VERSION_NUMBER(RASTRUM_VERSION_MAJOR, RASTRUM_VERSION_MINOR, RASTRUM_VERSION_PATCH) || \
	POSIX_TRACE_VERSION_NP != RASTRUM_VERSION
#error "the numbers differ"
#endif
#if RASTRUM_VERSION_NUMBER(1, 0, 0) <= RASTRUM_VERSION_NUMBER(0, 999, 999) || \
	POSIX_TRACE_VERSION_NUMBER_NP(0, 2, 0) <= POSIX_TRACE_VERSION_NUMBER_NP(0, 1, 999)
#error "a later version is no greater number"
#endif
int main(void)
{
	char version[TRACE_NAME_MAX];
	trace_attr_t attr;

	if (posix_trace_attr_init(&attr) != 0 || posix_trace_attr_getgenversion(&attr, version) != 0)
		return 1;
	puts(RASTRUM_VERSION_STRING);
	puts(POSIX_TRACE_VERSION_STRING_NP);
	puts(rst_version());
	puts(version);
	return 0;
}
"""
HEADERS = r"""
#include <rastrum/version.h>
#include <trace_version_np.h>
RASTRUM_VERSION_STRING POSIX_TRACE_VERSION_STRING_NP
"""


def run(*words, **how):
    return subprocess.run(words, capture_output=True, text=True, check=False, **how)


def check_program(folder, version):
    libraries = [f"{OUT}/librastrum.a", f"{OUT}/libposixtrace.a", *library_flags()]
    for compiler, name, options in (("gcc", "program.c", ["-std=c11"]), ("g++", "program.cc", ["-std=c++11"])):
        sentence = f"the macros and functions of the libraries give the Makefile's version, with {compiler}"
        if not shutil.which(compiler):
            skip(sentence, f"no {compiler}")
            continue
        with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
            out.write(PROGRAM)
        built = run(compiler, *options, "-Wall", "-Wextra", "-Wundef", "-Wpedantic", "-Werror", *CHECKERS, "-Iinclude",
                    f"{folder}/{name}", *libraries, "-o", f"{folder}/program")
        printed = run(f"{folder}/program").stdout if built.returncode == 0 else built.stderr
        same(printed, f"{version}\n{version}\n{version}\nrastrum {version}\n", sentence)


def check_writing(folder):
    shutil.copytree("include", f"{folder}/include")
    script = os.path.abspath("tools/version.sh")
    for version in ("12.345.6", "0.2.0"):
        written = run(script, version, cwd=folder)
        text = run("gcc", "-E", "-P", f"-I{folder}/include", "-x", "c", "-", input=HEADERS).stdout
        major, minor, patch = version.split(".")
        same((written.returncode, re.sub(r'[" \n]', "", text.splitlines()[-1])), (0, f"{major}.{minor}.{patch}" * 2),
             f"`make version` writes {version} into both headers")
    before = slurp(f"{folder}/include/rastrum/version.h")
    for wrong in ("1.2", "1.2.3-rc1", "1.2.1000", ""):
        written = run(script, wrong, cwd=folder)
        ok(written.returncode == 2 and "usage" in written.stderr and slurp(f"{folder}/include/rastrum/version.h") == before,
           f"and refuses '{wrong}'", written.stderr)


def check_names(version):
    """The dynamic linker compares these names."""
    major, minor, _ = version.split(".")
    number = f"{major}.{minor}" if major == "0" else major
    for path, wanted in (("librastrum.so", f"librastrum.so.{number}"), ("libposixtrace.so", "libposixtrace.so.0")):
        name = re.search(r"SONAME.*\[(.*)\]", run("readelf", "-d", f"{OUT}/{path}").stdout).group(1)
        same(name, wanted, f"{path} is loaded as {wanted}")
        ok(os.path.exists(f"{OUT}/{name}"), "and is there under that name")


def main():
    version = re.search(r"^VERSION := (.*)$", slurp("Makefile").decode(), re.M).group(1)
    same(rastrum("--version").out, f"rastrum {version}\n", "`rastrum --version` prints the Makefile's version")
    check_names(version)
    with tempfile.TemporaryDirectory(prefix="rastrum-version-") as folder:
        check_program(folder, version)
        check_writing(folder)


main()
sys.exit(done())
