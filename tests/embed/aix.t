#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
include/aixtrace and embed/aix keep in step: both have the names of AIX's headers, and one program that is compiled with each records
the same entries.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, RASTRUM, done, ok, rastrum, same, slurp  # noqa: E402

ROOT, TMP = os.getcwd(), tempfile.mkdtemp(prefix="rastrum-aix-")
SANITIZE = {"asan": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"], "tsan": ["-fsanitize=thread"]}.get(BUILD, [])
HEADERS = ["trcctl.h", "trchkid.h", "trcmacros.h"]
# Sessions are processes, which boards do not have; flags of trcstop() are no names of AIX, but ours.
ONLY_HOSTED = {"TRCON", "TRCOFF", "TRCSTOP", "trcstart", "TRCSTOP_SERIALISE", "TRCSTOP_DISCARD"}
# Every call there is. With words of 64 bits hooks of 32 bits are those of 64, so that only what is of 64 bits is compared.
CALLS = r"""
static void calls_of_32_bits(void)
{
	const char *const text = "hello";
	unsigned int n = 0;

	TRCHKL0(HKWD_USER1);
	TRCHKL0(HKWD_USER1 | 0xffff);
	TRCHKL1(0x01110001, ++n);
	TRCHKL2(0x01120002, 1, -2);
	TRCHKL3(0x01130003, 1, 2, 0xfffffffe);
	TRCHKL4(0x01140004, 1, 2, 3, 4);
	TRCHKL5(0x01150005, 1, 2, 3, 4, 5);
	TRCHKL0T(0x01160000);
	TRCHKL1T(0x01110001, ++n);
	TRCHKL2T(0x01120002, 1, 2);
	TRCHKL3T(0x01130003, 1, 2, 3);
	TRCHKL4T(0x01140004, 1, 2, 3, 4);
	TRCHKL5T(0x01150005, 1, 2, 3, 4, 5);
	TRCHKL2(0x01f90007, 8, 9);
	TRCGEN(0, 0x01200000, 7, 5, text);
	TRCGENT(0, 0x01200000, n, 0, text);
	TRCGEN(1, 0x01200000, 7, 5, text);
	TRCGEN(8, 0x01200000, 7, 5, text);
	trcgen(0, 0x01210000, 8, 4, text);
	trcgent(0, 0x01220000, 9, 3, text);
	trcgenk(0, 0x01230000, 10, 2, text);
	trcgenkt(0, 0x01240000, 11, 1, text);
	utrchook(0x01300006, 1, 2, 3, 4, 5);
	trchook(0x01310007, 6, 7, 8, 9, 10);
	trchk(0x01400001);
	trchkt(0x01410001);
	trchkl(0x01420001, 1);
	trchklt(0x01430001, 2);
	trchkg(0x01440001, 1, 2, 3, 4, 5);
	trchkgt(0x01450001, 5, 4, 3, 2, 1);
}
"""
WIDE = r"""
static void calls_of_64_bits(void)
{
	utrchook64(0x01500006, 1, 2, 3, 4, 0x123456789abcdef0);
	trchook64(0x01511234, 0xffffffffffffffff, 2, 3, 4, 5);
	utrchook64(0x80000028abcd0001, 1, 2, 3, 4, 5);
}
"""
HOSTED = "#include <stdio.h>\n#include <sys/trcmacros.h>\n" + CALLS + WIDE + r"""
int main(void)
{
	if (trcstart("-a -o hosted.rst"))
		return 1;
	calls_of_32_bits();
	calls_of_64_bits();
	return trcstop(0);
}
"""
BOARD = r"""
#include <stdio.h>
#define RASTRUM_N_CORES 1
#define RASTRUM_STAMP() board_now++
static unsigned int board_now;
#include "embed/core/bytes.c"
#include "embed/aix/channel.c"
#include "embed/aix/record.c"
#include "embed/aix/sys/trcmacros.h"
""" + CALLS + "#if RASTRUM_AIX_WORD_BYTES == 8\n" + WIDE + "#endif\n" + r"""
static struct rastrum_aix trace;
static rastrum_aix_word_t memory[2048];

int main(void)
{
	char bytes[512];
	uint32_t n;

	if (!rastrum_aix_open(0, &trace, memory, 2048, 0) || trcon(0))
		return 1;
#if RASTRUM_AIX_WORD_BYTES == 8
	calls_of_64_bits();
	if (0)
#endif
		calls_of_32_bits();
	if (trcoff(0) || trcstop(0))
		return 1;
	while ((n = rastrum_aix_take(0, bytes, sizeof(bytes))) != 0)
		fwrite(bytes, 1, n, stdout);
	return 0;
}
"""


def names(folder):
    """What the headers offer by names that AIX may have, without those of ours."""
    found = set()
    for name in HEADERS:
        text = re.sub(r"/\*.*?\*/", "", slurp(f"{folder}/{name}").decode(), flags=re.S)
        found |= set(re.findall(r"^#define ((?:TRC|trc|HKWD_)\w*)", text, re.M))
        found |= set(re.findall(r"^(?:static inline )?(?:void|int) (u?trc\w+)\(", text, re.M))
    return found


def compiled(name, text, *words):
    out = f"{TMP}/{name}"
    with open(f"{out}.c", "w", encoding="utf-8") as file:
        file.write(text)
    run = subprocess.run(["gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", *SANITIZE, f"{out}.c", "-o", out, *words],
                         capture_output=True, text=True, check=False)
    ok(run.returncode == 0, f"the program compiles {name}", *run.stderr.splitlines()[:9])
    return out


def entries(path):
    """Ids and data of entries, without the facility's own."""
    run = rastrum("report", "-f", "jsonl", path)
    rows = [(event["name"], event["args"]) for event in map(json.loads, run.lines) if "args" in event]
    return [row for row in rows if int(row[0], 16) >= 0x10]


def main():
    hosted, board = names("include/aixtrace/sys"), names("embed/aix/sys")
    same(sorted(hosted - board), sorted(ONLY_HOSTED), "programs on Linux have the names of boards, and those of sessions")
    same(sorted(board - hosted), [], "boards have no other ones")
    called = set(re.findall(r"\b((?:TRC|u?trc|HKWD_)\w+)", CALLS + WIDE + HOSTED + BOARD))
    same(sorted((hosted & board) - called), [], "the program below has each of them")
    for name in HEADERS:
        for folder in ("include/aixtrace", "embed/aix"):
            run = subprocess.run(["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Iinclude", f"-I{folder}", "-I.", "-fsyntax-only", "-xc", "-"],
                                 input=f"#include <sys/{name}>\n#include <sys/{name}>\n", capture_output=True, text=True, check=False)
            ok(run.returncode == 0, f"<sys/{name}> of {folder} compiles alone, and twice", run.stderr)

    out = compiled("hosted", HOSTED, f"-I{ROOT}/include", f"-I{ROOT}/include/aixtrace", f"-L{ROOT}/build/{BUILD}",
                   f"-Wl,-rpath,{ROOT}/build/{BUILD}", "-laixtrace", "-lposixtrace")
    run = subprocess.run([out], cwd=TMP, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL,
                         env=dict(os.environ, RASTRUM=os.path.abspath(RASTRUM), HOME=TMP))
    ok(run.returncode == 0, "on Linux it records", run.returncode, run.stderr)
    log = entries(f"{TMP}/hosted.rst")
    made = {}
    for word in (4, 8):
        out = compiled(f"board_{8 * word}", BOARD, f"-I{ROOT}", f"-I{ROOT}/embed/core", f"-DRASTRUM_AIX_WORD_BYTES={word}")
        run = subprocess.run([out], capture_output=True, check=False, timeout=60)
        ok(run.returncode == 0, f"as on a board with words of {8 * word} bits, too", run.returncode, run.stderr)
        with open(f"{TMP}/{word}.bin", "wb") as file:
            file.write(run.stdout)
        made[word] = entries(f"{TMP}/{word}.bin")
    n_narrow = len(made[4])
    ok(n_narrow == 28 and len(made[8]) == 3 and len(log) == n_narrow + 3, "each call is an entry, but those into other channels", n_narrow,
       len(made[8]), len(log))
    for got, wanted in zip(log, made[4] + made[8]):
        same(got, wanted, f"hook {wanted[0]}: the same entry")


try:
    main()
finally:
    shutil.rmtree(TMP)
sys.exit(done())
