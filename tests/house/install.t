#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `make install` puts where, that it works from there, and that programs can be built against it."""
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
from tap import BUILD, done, make_install, ok, rastrum, same, skip, slurp  # noqa: E402

SANITIZERS = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"]}.get(BUILD, [])
DUMP = os.path.abspath("tests/data/threadx/basic_objects.trx")
COMPLETIONS = {"rastrum.bash": "share/bash-completion/completions/rastrum", "_rastrum": "share/zsh/site-functions/_rastrum",
               "rastrum.fish": "share/fish/vendor_completions.d/rastrum.fish"}
PROGRAM = """
#include <rastrum/rastrum.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	struct rst_trace *trace;
	struct rst_error err;
	const struct rst_batch *batch;
	size_t n = 0;

	if (argc < 2 || rst_trace_open(&trace, argv[1], NULL, &err) < 0)
		return 1;
	while (rst_trace_next(trace, &batch, &err) == RST_OK)
		n += batch->n_events;
	printf("%zu events\\n", n);
	return rst_trace_free(trace) != NULL;
}
"""


def run(*words, **how):
    return subprocess.run(words, capture_output=True, text=True, check=False, **how)


def is_fine(result, sentence):
    return ok(result.returncode == 0, sentence, *result.stderr.splitlines()[-10:])


def page_names(page):
    """What a manual page is found by: a link for each."""
    names = slurp(page).decode().split(".Sh NAME")[1].split(".Nd")[0]
    return re.findall(r"^\.Nm (\S+)", names, re.M)


AIX_NAMES = ["curt", "splat", "trace", "trcevgrp", "trcoff", "trcon", "trcrpt", "trcstop", "trcupdate"]


def check_aix(root):
    """Links by the names of AIX's commands."""
    for name in AIX_NAMES:
        shown = run(f"{root}/usr/libexec/rastrum/aix/{name}", "--help")
        ok(shown.returncode == 0 and shown.stdout.startswith("usage: rastrum ") and "AIX" in shown.stdout, f"called {name} the program is AIX's command",
           shown.stdout[:200], shown.stderr)


def check_files(root):
    version = rastrum("--version").out.split()[1]
    wanted = ["bin/rastrum", "lib/librastrum.a", "lib/librastrum.so", "lib/librastrum.so.0.1",
              f"lib/librastrum.so.{version}", "lib/pkgconfig/rastrum.pc"]
    wanted += ["lib/libposixtrace.a", "lib/libposixtrace.so", "lib/libposixtrace.so.0",
               f"lib/libposixtrace.so.{version}", "lib/pkgconfig/posixtrace.pc", "lib/posixtrace/libtrace.a",
               "lib/posixtrace/libtrace.so", "lib/rastrum/librastrum-preload.so", "libexec/rastrum/posix-trace-consumer",
               "libexec/rastrum/rastrum-bench", "libexec/rastrum/rastrum-view", "libexec/rastrum/rastrum-timeline"]
    wanted += [f"libexec/rastrum/aix/{name}" for name in AIX_NAMES]
    wanted += ["lib/libaixtrace.a", "lib/libaixtrace.so", "lib/libaixtrace.so.0", f"lib/libaixtrace.so.{version}", "lib/pkgconfig/aixtrace.pc"]
    wanted += glob.glob("include/*.h") + [h for kind in ("posixtrace", "aixtrace") for h in glob.glob(f"include/{kind}/**/*.h", recursive=True)]
    wanted += ["include/rastrum/" + os.path.basename(h) for h in glob.glob("include/rastrum/*.h")]
    for page in glob.glob("man/*.[1-9]"):
        wanted += [f"share/man/man{page[-1]}/{name}.{page[-1]}" for name in {os.path.basename(page)[:-2], *page_names(page)}]
    wanted += [f"share/man/man3/{name}.3" for page in pages.pages() for name in page.names]
    wanted += ["share/rastrum/templates/" + os.path.basename(t) for t in glob.glob("templates/*.trcfmt")]
    wanted += ["share/rastrum/installed"]
    wanted += [f"share/doc/rastrum/{page}" for page in ["README.md", "LICENSE", *glob.glob("CHANGELOG.md"), *glob.glob("docs/*.md")]]
    wanted += ["share/doc/rastrum/examples/priority_inversion.trx"]
    wanted += [f"share/doc/rastrum/{path}" for path in [*glob.glob("examples/posix/*.c"), *glob.glob("examples/aix/*"), *glob.glob("examples/read/*.c")]]
    wanted += [COMPLETIONS[os.path.basename(path)] for path in glob.glob("completion/*")]
    absent = [path for path in wanted if not os.path.exists(f"{root}/usr/{path}")]
    ok(not absent and len(wanted) > 10, "everything is put where it belongs", *absent)
    found = [os.path.join(d, f) for d, _, files in os.walk(root) for f in files]
    strange = [f for f in found if os.path.relpath(f, f"{root}/usr") not in wanted]
    ok(not strange, "and nothing else", *strange)
    same(run(f"{root}/usr/bin/rastrum", "--version").stdout, f"rastrum {version}\n", "the installed program runs")
    leaks = [f for f in found if f.endswith((".pc", ".h")) and root in open(f, encoding="utf-8").read()]
    ok(not leaks, "no installed text names the staging folder", *leaks)
    return version


def check_pages(root):
    """A function is found by its own name, also where its page has another one."""
    folder = f"{root}/usr/share/man"
    texts = {name: open(f"{folder}/man3/{name}.3", encoding="utf-8").read() for page in pages.pages() for name in page.names}
    led = {name: re.fullmatch(r"\.so (man3/.*)\n", text) for name, text in texts.items()}
    wrong = [name for name, to in led.items()
             if f".Nm {name}" not in (open(f"{folder}/{to[1]}", encoding="utf-8").read() if to else texts[name])]
    ok(not wrong and sum(map(bool, led.values())) > 70, "each public function has its manual page by its own name", *wrong)
    if shutil.which("man"):
        shown = run("man", "-M", folder, "posix_trace_attr_getlogsize", env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "80"})
        ok("posix_trace_attr_setstreamsize" in shown.stdout and shown.returncode == 0, "man shows it", shown.stderr)
    else:
        skip("man shows it", "no man")


def defined(path, *options):
    """The names that a library defines for others."""
    listed = run("nm", "-g", "--defined-only", *options, path)
    return set(re.findall(r"^[0-9a-f]+ [A-Z] (\w+)", listed.stdout, re.M))


def check_names(root):
    declared = set()
    for header in glob.glob("include/rastrum/*.h"):
        text = open(header, encoding="utf-8").read()
        declared |= set(re.findall(r"RST_PUBLIC\b[^;(]*?\b(rst_\w+)\(", text))
    ok(len(declared) > 10, "the headers declare functions", *declared)
    for name, options in (("librastrum.so", ["-D"]), ("librastrum.a", [])):
        sentence = f"{name} offers what the headers declare, and no other names"
        if SANITIZERS:
            skip(sentence, "sanitizers add names")
            continue
        names = defined(f"{root}/usr/lib/{name}", *options)
        ok(names == declared, sentence, f"lacking: {sorted(declared - names)}", f"too many: {sorted(names - declared)}")


def check_linking(root, version):
    env = {**os.environ, "PKG_CONFIG_SYSROOT_DIR": root, "PKG_CONFIG_LIBDIR": f"{root}/usr/lib/pkgconfig",
           "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1", "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1"}
    source, program = f"{root}/program.c", f"{root}/program"
    with open(source, "w", encoding="utf-8") as out:
        out.write(PROGRAM)
    same(run("pkg-config", "--modversion", "rastrum", env=env).stdout.strip(), version, "pkg-config knows the version")
    cflags = run("pkg-config", "--cflags", "rastrum", env=env).stdout.split()
    libs = run("pkg-config", "--libs", "rastrum", env=env).stdout.split()
    static = run("pkg-config", "--static", "--libs", "rastrum", env=env).stdout.split()
    compile_it = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *SANITIZERS, source, *cflags]

    is_fine(run(*compile_it, "-o", program, *libs), "a program links with the shared library")
    needed = run("readelf", "-d", program).stdout
    ok("[librastrum.so.0.1]" in needed, "and needs it in this version", needed)
    at = {**os.environ, "LD_LIBRARY_PATH": f"{root}/usr/lib"}
    same(run(program, DUMP, env=at).stdout, "223 events\n", "and reads a dump")

    static = ["-l:librastrum.a" if word == "-lrastrum" else word for word in static]
    is_fine(run(*compile_it, "-o", program, *static), "a program links with the static library")
    ok("librastrum" not in run("readelf", "-d", program).stdout, "and needs no shared one")
    same(run(program, DUMP).stdout, "223 events\n", "and reads a dump, too")

    if shutil.which("g++"):
        shutil.copy(source, source + "c")
        is_fine(run("g++", "-std=c++11", "-Wall", "-Werror", *SANITIZERS, source + "c", *cflags, "-o", program, *libs),
                "so does a program in C++")
    else:
        skip("so does a program in C++", "no g++")


def is_note(line, path):
    """Notes about what was guessed, and what is damaged in the recording: docs and manual pages tell of both."""
    return re.match(rf"rastrum: {re.escape(path)}: (note|byte \d+|\d+ losses and damages in all)\b", line)


def check_reports(root, folder):
    """Each recording, shown by the installed program with the installed templates."""
    env = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder}
    paths = sorted(path for path in glob.glob("tests/data/*/**/*", recursive=True) if os.path.isfile(path))
    paths = [path for path in paths if not path.endswith((".md", ".json", ".txt", ".py", ".c", ".h", ".def", ".elf"))]
    texts, strange = 0, []
    for path in paths:
        shown = subprocess.run([f"{root}/usr/bin/rastrum", "report", path], capture_output=True, check=False, env=env)
        texts += shown.returncode in (0, 3) and len(shown.stdout) > 0
        lines = shown.stderr.decode(errors="replace").splitlines()
        if "no dialect recognises" not in "".join(lines):
            strange += [line for line in lines if not is_note(line, path)]
    ok(texts > 70, "the installed program shows every recording", f"{texts} of {len(paths)}")
    ok(not strange, "without a warning about its own templates", len(strange), *strange[:10])
    listed = run(f"{root}/usr/bin/rastrum", "template", "list", "--dialect", "threadx", env=env)
    ok(f"{root}/usr/share/rastrum/templates/threadx.trcfmt" in listed.stdout and ".." not in listed.stdout,
       "and names them by their plain path", listed.stdout[:300], listed.stderr)


def check_paths(root, folder, install):
    """The build was made for another prefix than it is installed with."""
    ok({os.path.basename(name) for name in re.findall(r"^  CC +(\S+)", install.stdout, re.M)} ==
       {"launch.c", "installed.c", "control.c"}, "another prefix builds anew what holds a path of it, and nothing else",
       *re.findall("^  CC.*", install.stdout, re.M)[:10])
    for path in ("lib/libposixtrace.a", "lib/libposixtrace.so", "bin/rastrum"):
        held = open(f"{root}/usr/{path}", "rb").read()
        ok(b"/usr/libexec/rastrum/posix-trace-consumer" in held and b"/usr/local/libexec" not in held,
           f"{path} looks for the consumer where it is installed")
    again = make_install(folder, f"{folder}/again", "/usr")
    ok(again.returncode == 0 and "  CC " not in again.stdout, "the same prefix builds nothing anew")
    page = open(f"{root}/usr/share/man/man7/rastrum-preload.7", encoding="utf-8").read()
    ok("/usr/lib/rastrum/librastrum-preload.so" in page and "/usr/local" not in page,
       "the manual names the library where it is installed")


def check_running(folder, root):
    """Without the links and archives that only building needs, as in a package."""
    if SANITIZERS:
        skip("--system finds its libraries where nothing is built", "a sanitizer's library is in no program that has none")
        return
    bare = f"{folder}/bare"
    shutil.copytree(root, bare, symlinks=True)
    for path in glob.glob(f"{bare}/usr/lib/*.so") + glob.glob(f"{bare}/usr/lib/*.a"):
        os.remove(path)
    env = {name: value for name, value in os.environ.items() if not name.startswith("POSIX_TRACE_")}
    recorded = run(f"{bare}/usr/bin/rastrum", "record", "--system", "-o", f"{folder}/run.rst", "--", "sleep", "0.01", env=env)
    is_fine(recorded, "--system finds its libraries where nothing is built")
    shown = run(f"{bare}/usr/bin/rastrum", "report", "--type", "sys_sleep*", f"{folder}/run.rst")
    ok("sleep" in shown.stdout, "and records what the program waits for", shown.stdout, shown.stderr)


def listing(root):
    """Every file, link and folder below root, and what files hold."""
    found = {}
    for place, folders, files in os.walk(root):
        found.update({os.path.relpath(os.path.join(place, name), root): None for name in folders})
        for name in files:
            path = os.path.join(place, name)
            found[os.path.relpath(path, root)] = os.readlink(path) if os.path.islink(path) else open(path, "rb").read()
    return found


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def check_uninstall(folder):
    """In a root of its own, and in one that others share: an empty folder, neighbours, and a file among ours."""
    alone, shared = f"{folder}/alone", f"{folder}/shared"
    make_install(folder, alone, "/opt/tracing")
    ok(len(listing(alone)) > 100, "a second prefix is filled")
    is_fine(make_install(folder, alone, "/opt/tracing", "uninstall"), "`make uninstall` ends well")
    same(listing(alone), {}, "and leaves nothing, not even a folder that was made")

    put(f"{shared}/usr/share/man/man1/other.1", "another manual page")
    put(f"{shared}/usr/lib/libother.so", "another library")
    os.makedirs(f"{shared}/usr/bin")
    before = listing(shared)
    for _ in range(2):
        make_install(folder, shared, "/usr")
    mine = "usr/share/rastrum/templates/mine.trcfmt"
    put(f"{shared}/{mine}", "# dialect: threadx\n")
    is_fine(make_install(folder, shared, "/usr", "uninstall"), "what was installed twice is removed once")
    left = listing(shared)
    added = sorted(left.keys() - before.keys())
    same(added, ["usr/share/rastrum", "usr/share/rastrum/templates", mine], "a file that came later stays, with its folders")
    same({path: left.get(path, "removed") for path in before}, before, "and so does all that was there before, also an empty folder")
    again = make_install(folder, shared, "/usr", "uninstall")
    ok(again.returncode != 0 and "there is no " + shared in again.stderr and listing(shared) == left,
       "where nothing is installed, `make uninstall` says so and fails", again.stderr)


def check_bench(root):
    """`rastrum bench` is the work of a program of its own, which a package may leave out."""
    words, program = [f"{root}/usr/bin/rastrum", "bench", "gen", "--events", "4"], f"{root}/usr/libexec/rastrum/rastrum-bench"
    made = subprocess.run(words, capture_output=True, check=False)
    ok(made.returncode == 0 and len(made.stdout) > 128, "the installed program starts rastrum-bench", made.stderr)
    os.rename(program, program + ".gone")
    sentence = "without rastrum-bench, `rastrum bench` says what it lacks, with exit status 5"
    if os.path.exists("/usr/libexec/rastrum/rastrum-bench"):
        skip(sentence, "there is one in /usr, too")
    else:
        lone = run(*words)
        ok(lone.returncode == 5 and "needs rastrum-bench" in lone.stderr and not lone.stdout, sentence, lone.stderr)
    same(run(*words[:2], "--help").returncode, 0, "but its options are still listed")
    os.rename(program + ".gone", program)


def check_all(folder):
    root = f"{folder}/root"
    installed = make_install(folder, root, "/usr")
    if not is_fine(installed, "`make install` ends well"):
        return
    check_paths(root, folder, installed)
    check_reports(root, folder)
    version = check_files(root)
    check_names(root)
    check_pages(root)
    check_bench(root)
    check_aix(root)
    if shutil.which("pkg-config"):
        check_linking(root, version)
    else:
        skip("programs link with the libraries", "no pkg-config")
    check_running(folder, root)
    check_uninstall(folder)


with tempfile.TemporaryDirectory(prefix="rastrum-install-") as folder:
    check_all(folder)
sys.exit(done())
