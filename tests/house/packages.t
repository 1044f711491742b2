#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Debian packages: what packaging/debian says is true, they please lintian; in a fresh Debian they are installed, do their
work, and are removed without a trace. `make soak` builds them twice: alike.

Building needs debhelper, the fresh Debian needs lintian, mmdebstrap, root and a mirror: `tools/need.sh packages` installs what it can.
"""
import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import BUILD, IS_SOAK, done, ok, rastrum, same, skip, slurp  # noqa: E402

DEBIAN = "packaging/debian"
LIBRARIES = {"librastrum.so": "librastrum0.1", "libposixtrace.so": "libposixtrace0", "libaixtrace.so": "libaixtrace0"}
# Of one locale, zone, umask and home, and of another one.
HOMES = [{"LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/root"}, {"LC_ALL": "C", "TZ": "Asia/Tokyo", "HOME": "/nonexistent"}]
READER = r"""
#include <rastrum/rastrum.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	const struct rst_batch *batch;
	struct rst_trace *trace;
	size_t n = 0;

	if (argc < 2 || rst_trace_open(&trace, argv[1], NULL, NULL) < 0)
		return 1;
	while (rst_trace_next(trace, &batch, NULL) == RST_OK)
		n += batch->n_events;
	printf("%s %zu\n", rst_version(), n);
	return rst_trace_free(trace) != NULL;
}
"""


def run(*words, **how):
    return subprocess.run(words, check=False, text=True, **{"capture_output": True, "stdin": subprocess.DEVNULL, **how})


def is_fine(result, sentence):
    return ok(result.returncode == 0, sentence, f"status {result.returncode}", *(result.stdout + result.stderr).splitlines()[-9:])


def text(path):
    return slurp(path).decode()


# --- what packaging/debian says -------------------------------------------------------------------------------------


def packages(words):
    """The development packages that a list names."""
    return set(re.findall(r"\b(?:lib[\w.+-]+|zlib1g)-dev\b", words)) - {"libc6-dev"}


def check_texts():
    licence = text("LICENSE").split("\n\n", 2)
    copying = text(f"{DEBIAN}/copyright")
    terms = copying.split("\nLicense: MIT\n", 2)[-1]
    same(" ".join(terms.replace("\n .\n", "\n").split()), " ".join(licence[2].split()), "debian/copyright has the text of LICENSE")
    ok(licence[1].replace("Copyright (c) ", "Copyright: ") in copying, "and its holders", licence[1])
    control = text(f"{DEBIAN}/control")
    building = re.search(r"^Build-Depends:(.*?)^\S", control, re.M | re.S).group(1)
    needed = packages(re.search(r'^build="(.*)"', text("tools/need.sh"), re.M).group(1))
    same(packages(building), needed, "the packages are built with what tools/need.sh installs")
    static = re.search(r"^Package: librastrum-dev$.*?^Depends:(.*?)^\S", control, re.M | re.S).group(1)
    # libdw and SQLite are opened by dlopen(), and rastrum-view and rastrum-timeline are no libraries: their headers are for building only.
    same(packages(static), needed - {"libdw-dev", "libmicrohttpd-dev", "libncurses-dev", "libsqlite3-dev"}, "librastrum-dev brings what programs that are linked statically need")
    version = rastrum("--version").out.split()[1]
    newest = re.match(r"rastrum \(([\d.]+)-\S+\) ", text(f"{DEBIAN}/changelog"))
    same(newest and newest.group(1), version, "debian/changelog begins with this version")
    released = re.findall(r"^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$", text("CHANGELOG.md"), re.M)
    same(released[:1], [version], "and so does CHANGELOG.md, behind what is not released yet")


def check_symbols(library, package):
    sentence = f"{package}.symbols lists the names that {library} offers"
    if BUILD != "release":
        skip(sentence, "sanitizers add names")
        return
    names = set(re.findall(r" [A-Z] (\w+)$", run("nm", "-D", "--defined-only", f"build/{BUILD}/{library}").stdout, re.M))
    listed = set(re.findall(r"^ (\w+)@Base ", text(f"{DEBIAN}/{package}.symbols"), re.M))
    ok(names and names == listed, sentence, f"lacking: {sorted(names - listed)}", f"too many: {sorted(listed - names)}")


# --- building -------------------------------------------------------------------------------------------------------


def build(folder, home):
    """Without optimisation in `make check`, where the compiler would take longer than all the rest."""
    options = "nocheck" if home is HOMES[1] else "" if IS_SOAK else "noopt"
    env = {**os.environ, **home, "DEB_BUILD_OPTIONS": options}
    return run("tools/deb.sh", folder, *([] if home is HOMES[0] else ["-b"]), env=env, umask=0o022 if home is HOMES[0] else 0o077)


def debs(folder):
    return sorted(os.path.basename(path) for path in glob.glob(f"{folder}/*.deb"))


def check_twice(first, folder):
    second = f"{folder}/elsewhere"
    is_fine(build(second, HOMES[1]), "they are built a second time, elsewhere and without tests")
    same(debs(second), debs(first), "the same packages")
    differing = [name for name in debs(first) if not os.path.exists(f"{second}/{name}") or
                 not filecmp.cmp(f"{first}/{name}", f"{second}/{name}", shallow=False)]
    same(differing, [], "and every byte of them is the same")


def check_lintian(first):
    if not shutil.which("lintian"):
        skip("lintian finds nothing, not even what is for information", "no lintian")
        return
    suppressed = [] if IS_SOAK else ["--suppress-tags", "hardening-no-fortify-functions"]  # which needs optimisation
    found = run("lintian", "--allow-root", "-I", "--fail-on", "error,warning,info", *suppressed, *glob.glob(f"{first}/*.changes"))
    is_fine(found, "lintian finds nothing, not even what is for information")


# --- a fresh Debian -------------------------------------------------------------------------------------------------


def mirror():
    """Lines for apt, of the Debian that this machine has them from; none where it has no lists of Debian."""
    if not shutil.which("apt-get"):
        return []
    listed = run("apt-get", "indextargets", "--format", "$(ORIGIN)|deb $(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages")
    rows = [line.split("|") for line in listed.stdout.splitlines()]
    return sorted({line for origin, line in rows if origin == "Debian" and line.endswith(" main")})


def obstacle():
    """Why there can be no fresh Debian here."""
    if os.getuid() != 0:
        return "only root can make a fresh Debian"
    if not shutil.which("mmdebstrap"):
        return "no mmdebstrap"
    if not mirror():
        return "apt has no list of Debian's packages"
    if run("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt").returncode:
        return "nothing can be mounted here"
    return None


class Chroot:
    """A Debian of what is essential, a compiler and pkg-config, in memory that is mounted."""

    def __init__(self, folder):
        self.place = f"{folder}/fresh"
        self.root = f"{self.place}/root"
        os.mkdir(self.place)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", self.place], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.place], check=True)

    def make(self):
        """Returns the result of mmdebstrap."""
        options = ["--mode=root", "--format=directory", "--variant=essential", "--include=apt,gcc,libc6-dev,pkgconf",
                   "--skip=cleanup/apt/lists", "--dpkgopt=force-unsafe-io"]
        made = run("mmdebstrap", *options, "", self.root, "-", input="\n".join(mirror()) + "\n", stdin=None)
        if made.returncode == 0:
            for kind, place in (("proc", "proc"), ("tmpfs", "dev/shm")):
                os.makedirs(f"{self.root}/{place}", exist_ok=True)
                subprocess.run(["mount", "-t", kind, "-o", "mode=1777" if kind == "tmpfs" else "ro", kind,
                                f"{self.root}/{place}"], check=True)
            shutil.copy("/etc/resolv.conf", f"{self.root}/etc/resolv.conf")
        return made

    def run(self, *words, user="nobody:nogroup"):
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TMPDIR": "/tmp",
               "DEBIAN_FRONTEND": "noninteractive"}
        return run("chroot", *(["--userspec=" + user] if user else []), self.root, *words, env=env, timeout=300)

    def apt(self, *words):
        return self.run("apt-get", "-y", "-q", "--no-install-recommends", *words, user=None)

    def listing(self):
        """Every path but those of apt's and dpkg's own books."""
        kept = re.compile(r"/(proc|dev|tmp|var/(log|cache)/(apt|debconf|dpkg|ldconfig)[^/]*|var/lib/(apt|dpkg)|etc/ld\.so\.cache)(/|$)")
        found = [os.path.join(place, name) for place, folders, files in os.walk(self.root) for name in folders + files]
        return {path[len(self.root):] for path in found if not kept.match(path[len(self.root):])}

    def put(self, path, content):
        with open(f"{self.root}/{path}", "w", encoding="utf-8") as out:
            out.write(content)


def check_recorder(debian, version):
    """libposixtrace-dev alone: an example is built as its first lines say and records, for a plain user."""
    is_fine(debian.apt("install", f"/packages/libposixtrace0_{version}.deb", f"/packages/libposixtrace-dev_{version}.deb"),
            "libposixtrace-dev is installed with nothing but its library")
    source = "/usr/share/doc/libposixtrace-dev/examples/default_attributes.c"
    example = "/usr/share/doc/libposixtrace-dev/examples/periodic.c"
    for path in (source, example):
        built = debian.run("sh", "-c", f"cc -Wall -Wextra -Werror {path} $(pkg-config --cflags --libs posixtrace) -pthread "
                           f"-o /tmp/{os.path.basename(path)[:-2]}")
        is_fine(built, f"{os.path.basename(path)} is built with pkg-config's words")
    is_fine(debian.run("/tmp/default_attributes"), "a program that is linked with the library runs")
    is_fine(debian.run("sh", "-c", "cd /tmp && ./periodic"), "one that records a log runs, too")
    built = debian.run("sh", "-c", f"cc {source} -L$(pkg-config --variable=tracelibdir posixtrace) -ltrace -o /tmp/ltrace && /tmp/ltrace")
    is_fine(built, "a program that asks for -ltrace finds it")


def check_reader(debian, version):
    dump = "/usr/share/doc/rastrum/examples/priority_inversion.trx"
    names = [f"/packages/{name}_{version}.deb" for name in ("rastrum", "librastrum0.1", "librastrum-dev")]
    is_fine(debian.apt("install", *names), "the other packages are installed, with what they need")
    same(debian.run("rastrum", "report", dump).stdout, rastrum("report", "tests/data/threadx/priority_inversion.trx").out,
         "the installed program reports a dump as that of this tree does")
    listed = debian.run("rastrum", "template", "list", "--dialect", "threadx").stdout
    ok("/usr/share/rastrum/templates/threadx.trcfmt" in listed, "with the templates of its package", listed[:200])
    shown = [name for name in debian.run("sh", "-c", "ls /tmp").stdout.split() if name.endswith(".rst")]
    logs = debian.run("sh", "-c", "cd /tmp && rastrum report *.rst")
    ok(shown and logs.returncode == 0 and logs.stdout, "and the example's log", shown, logs.stderr)
    recorded = debian.run("rastrum", "record", "--system", "-o", "/tmp/sleep.rst", "--", "sleep", "0.01")
    is_fine(recorded, "a plain user records a program that was never changed")
    slept = debian.run("rastrum", "report", "--type", "sys_sleep*", "/tmp/sleep.rst")
    ok("sleep" in slept.stdout and slept.returncode == 0, "and what it waited for is in the log", slept.stdout, slept.stderr)

    debian.put("tmp/reader.c", READER)
    for words, kind in (("$(pkg-config --cflags --libs rastrum)", "the shared library"),
                        ("$(pkg-config --static --libs rastrum | sed s/-lrastrum/-l:librastrum.a/)", "the static one")):
        read = debian.run("sh", "-c", f"cc -Wall -Werror /tmp/reader.c {words} -o /tmp/reader && /tmp/reader {dump}")
        n_events = len(rastrum("report", "--format", "jsonl", "tests/data/threadx/priority_inversion.trx").lines)
        same((read.stdout, read.stderr), (f"{version.split('-')[0]} {n_events}\n", ""), f"a program is linked with {kind} and reads it")


def check_aix(debian, version):
    """libaixtrace-dev: a program with AIX's calls starts a session of its own, and the installed trcrpt reports it."""
    is_fine(debian.apt("install", *[f"/packages/{name}_{version}.deb" for name in ("libaixtrace0", "libaixtrace-dev")]),
            "libaixtrace-dev is installed with its library")
    examples = "/usr/share/doc/libaixtrace-dev/examples"
    built = debian.run("sh", "-c", f"cc -Wall -Wextra -Werror -o /tmp/hooks {examples}/hooks.c $(pkg-config --cflags --libs aixtrace)")
    is_fine(built, "its example is built with pkg-config's words")
    is_fine(debian.run("/tmp/hooks", "/tmp/hooks.rst"), "and records a session")
    links = debian.run("sh", "-c", "find /usr/libexec /usr/lib -name trcrpt").stdout.split()
    report = debian.run(*links[:1], "-t", f"{examples}/hooks.trcfmt", "/tmp/hooks.rst") if links else None
    ok(report and report.returncode == 0 and report.stdout.count("\n010 ") == 4 and report.stdout.count("\n011 ") == 4,
       "which the link trcrpt reports with the example's templates", links, report and report.stdout, report and report.stderr)


def check_removal(debian, before):
    names = [name.split("_")[0] for name in debs(f"{debian.root}/packages") if "dbgsym" not in name]
    state = debian.run("dpkg-query", "-W", "-f", "${Status}\n", *names)
    same(set(state.stdout.splitlines()), {"install ok installed"}, "all of them are in order")
    same(debian.run("dpkg", "--verify", *names).stdout, "", "and no file of them has changed")
    is_fine(debian.apt("purge", "--autoremove", *names), "they are purged")
    shutil.rmtree(f"{debian.root}/packages")
    after = debian.listing()
    same((sorted(after - before), sorted(before - after)), ([], []), "and nothing is left, and nothing else gone")


def check_fresh(first, folder):
    sentence = "the packages are installed in a fresh Debian, work, and leave nothing"
    why = obstacle()
    if why:
        skip(sentence, why)
        return
    with Chroot(folder) as debian:
        made = debian.make()
        if made.returncode and re.search(r"resolve|connect|[Ff]ailed to fetch|[Uu]nable to fetch", made.stderr):
            skip(sentence, "the mirror cannot be reached")
            return
        if not is_fine(made, "a fresh Debian is made"):
            return
        before = debian.listing()
        os.mkdir(f"{debian.root}/packages")
        for name in debs(first):
            shutil.copy(f"{first}/{name}", f"{debian.root}/packages")
        version = debs(first)[0].split("_", 1)[1][:-len(".deb")]
        check_recorder(debian, version)
        check_reader(debian, version)
        check_aix(debian, version)
        check_removal(debian, before)


def check_packages(folder):
    first = f"{folder}/first"
    if not is_fine(build(first, HOMES[0]), "the packages are built, and pass the tests that are built with them"):
        return
    version = debs(first)[0].split("_", 1)[1]
    wanted = [f"{name}_{version}" for name in ("libaixtrace-dev", "libaixtrace0", "libaixtrace0-dbgsym", "libposixtrace-dev", "libposixtrace0",
                                               "libposixtrace0-dbgsym", "librastrum-dev", "librastrum0.1", "librastrum0.1-dbgsym", "rastrum",
                                               "rastrum-dbgsym")]
    same(debs(first), sorted(wanted), "all of them")
    check_lintian(first)
    if IS_SOAK:
        check_twice(first, folder)
    else:
        skip("they are built a second time, elsewhere, and every byte is the same", "`make soak` does")
    check_fresh(first, folder)


def main():
    check_texts()
    for library, package in LIBRARIES.items():
        check_symbols(library, package)
    if BUILD != "release":
        skip("the packages are built", "once, with the tests of the release build")
    elif not shutil.which("dpkg-buildpackage") or not shutil.which("dh"):
        skip("the packages are built", "no debhelper; `tools/need.sh packages` installs it")
    else:
        with tempfile.TemporaryDirectory(prefix="rastrum-packages-") as folder:
            check_packages(folder)


# What is mounted goes with this process, however it ends.
if os.getuid() == 0 and "OWN_MOUNTS" not in os.environ and run("unshare", "-m", "true").returncode == 0:
    os.execvpe("unshare", ["unshare", "-m", sys.executable, *sys.argv], {**os.environ, "OWN_MOUNTS": "yes"})
main()
sys.exit(done())
