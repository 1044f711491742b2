#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
`make soak`: disks that give EIO in the middle. A library before libc makes one random call, or all from it on, fail on files below a folder:
reading (read, pread, a page that is mapped) and writing (write, pwrite, fsync, ftruncate, fallocate, rename, linkat). A command then says so in one
sentence and ends with status 4; nothing stands under the final name but what stood there before, and nothing beside it. Without its cache a command
gives what it gives with it. A program that is recorded goes on to its own status, and what is in its log can be read.
FAULTS: how many (default 400). SEED: of a run that is to be repeated.
"""
import gzip
import json
import mmap
import os
import shutil
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from soaking import begin, count, generator, run, shown, verdict  # noqa: E402
from tap import IS_RELEASE, built, done, ok, skip, slurp  # noqa: E402

N_FAULTS = count("FAULTS", 400)
IO_ERROR = 4
INPUTS = ["tests/data/threadx/priority_inversion.trx", "tests/data/threadx/isr_nested.trx", "tests/data/rkh/r1_default.bin",
          "tests/data/liteos/a_arm32_smp4_core_count/offline.bin", "tests/data/liteos/a_arm32_default/online.tlv",
          "tests/data/liteos/a_arm32_default/dump.txt"]
READING, WRITING = "read,pread,map", "write,pwrite,fsync,ftruncate,fallocate,rename,link"

# What fails is chosen by the environment: EIO_CALL is the number of the call, counted in all processes together; EIO_STAYS: those behind it, too;
# EIO_UNDER: below which folder; EIO_KINDS: which calls; EIO_PROGRAM: of which program; EIO_TELL: a file that counts calls and failures.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct told { _Atomic unsigned int n_calls, n_struck; };

static struct told *told;
static const char *under, *kinds;
static unsigned int which;
static bool stays;

__attribute__((constructor)) static void begin(void)
{
	const char *tell = getenv("EIO_TELL"), *program = getenv("EIO_PROGRAM"), *call = getenv("EIO_CALL");
	char self[4096] = "";
	int fd = tell && readlink("/proc/self/exe", self, sizeof(self) - 1) > 0 ? open(tell, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	under = getenv("EIO_UNDER");
	kinds = getenv("EIO_KINDS");
	which = call ? (unsigned int)atoi(call) : 0;
	stays = getenv("EIO_STAYS") != NULL;
	if (!program || strcmp(strrchr(self, '/') + 1, program) == 0)
		told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	syscall(SYS_close, fd);
}

static bool strikes_path(const char *kind, const char *path)
{
	const char *found;

	if (!told || !under || !path || strncmp(path, under, strlen(under)) != 0)
		return false;
	found = strstr(kinds, kind);
	while (found && ((found > kinds && found[-1] != ',') || (found[strlen(kind)] != ',' && found[strlen(kind)])))
		found = strstr(found + 1, kind);
	if (!found)
		return false;
	unsigned int number = ++told->n_calls;
	if (!which || number < which || (number > which && !stays))
		return false;
	told->n_struck++;
	errno = EIO;
	return true;
}

static bool strikes(const char *kind, int fd)
{
	const int saved = errno;
	char link[64], path[4096];

	if (!told)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	errno = saved;
	if (n <= 0)
		return false;
	path[n] = '\0';
	return strikes_path(kind, path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t read(int fd, void *at, size_t n) { return strikes("read", fd) ? -1 : syscall(SYS_read, fd, at, n); }
ssize_t write(int fd, const void *at, size_t n) { return strikes("write", fd) ? -1 : syscall(SYS_write, fd, at, n); }
ssize_t pread(int fd, void *at, size_t n, off_t from) { return strikes("pread", fd) ? -1 : syscall(SYS_pread64, fd, at, n, from); }
ssize_t pread64(int fd, void *at, size_t n, off_t from) { return strikes("pread", fd) ? -1 : syscall(SYS_pread64, fd, at, n, from); }
ssize_t pwrite(int fd, const void *at, size_t n, off_t to) { return strikes("pwrite", fd) ? -1 : syscall(SYS_pwrite64, fd, at, n, to); }
ssize_t pwrite64(int fd, const void *at, size_t n, off_t to) { return strikes("pwrite", fd) ? -1 : syscall(SYS_pwrite64, fd, at, n, to); }
ssize_t writev(int fd, const struct iovec *parts, int n) { return strikes("write", fd) ? -1 : syscall(SYS_writev, fd, parts, n); }
int fsync(int fd) { return strikes("fsync", fd) ? -1 : (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return strikes("fsync", fd) ? -1 : (int)syscall(SYS_fdatasync, fd); }
int ftruncate(int fd, off_t n) { return strikes("ftruncate", fd) ? -1 : (int)syscall(SYS_ftruncate, fd, n); }
int ftruncate64(int fd, off_t n) { return strikes("ftruncate", fd) ? -1 : (int)syscall(SYS_ftruncate, fd, n); }
int fallocate(int fd, int how, off_t at, off_t n) { return strikes("fallocate", fd) ? -1 : (int)syscall(SYS_fallocate, fd, how, at, n); }
int posix_fallocate(int fd, off_t at, off_t n) { return strikes("fallocate", fd) ? EIO : NEXT(posix_fallocate)(fd, at, n); }
int posix_fallocate64(int fd, off_t at, off_t n) { return strikes("fallocate", fd) ? EIO : NEXT(posix_fallocate64)(fd, at, n); }
int rename(const char *from, const char *to) { return strikes_path("rename", to) ? -1 : NEXT(rename)(from, to); }
int renameat(int a, const char *from, int b, const char *to) { return strikes_path("rename", to) ? -1 : NEXT(renameat)(a, from, b, to); }
int renameat2(int a, const char *from, int b, const char *to, unsigned int how)
{
	return strikes_path("rename", to) ? -1 : NEXT(renameat2)(a, from, b, to, how);
}
int linkat(int a, const char *from, int b, const char *to, int how)
{
	return (b == AT_FDCWD ? strikes_path("link", to) : strikes("link", b)) ? -1 : NEXT(linkat)(a, from, b, to, how);
}

/* Pages from the EIO_PAGE-th on cannot be read: a copy stands for the file, and is shorter. */
void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t from)
{
	const char *first = getenv("EIO_PAGE");
	size_t n_good = first ? (size_t)atoi(first) * 4096 : 0;
	int copy;

	if (fd < 0 || !(protection & PROT_READ) || (protection & PROT_WRITE) || from || !first || n <= n_good || !strikes("map", fd))
		return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, from);
	copy = memfd_create("bad disk", MFD_CLOEXEC);
	for (size_t done = 0; done < n_good; done += 4096) {
		char page[4096];
		syscall(SYS_pread64, fd, page, sizeof(page), done);
		syscall(SYS_pwrite64, copy, page, sizeof(page), done);
	}
	void *mapped = (void *)syscall(SYS_mmap, at, n, protection, flags, copy, from);
	syscall(SYS_close, copy);
	return mapped;
}
void *mmap64(void *at, size_t n, int protection, int flags, int fd, off_t from) { return mmap(at, n, protection, flags, fd, from); }
"""


class Disk:
    """A folder whose files fail, and what is wrong with those who met that."""

    def __init__(self, top, shim):
        self.folder, self.shim, self.tell = os.path.join(top, "disk"), shim, os.path.join(top, "told")
        self.faults = []
        self.n_calls = self.n_struck = 0
        self.clear()

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)

    def at(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, data):
        with open(self.at(name), "wb") as file:
            file.write(data)
        return self.at(name)

    def names(self):
        return sorted(os.listdir(self.folder))

    def run(self, *words, kinds, call=0, stays=False, page=None, program="rastrum", env=None, stdin=None, memory_mib=1 << 20):
        """The Result of a command on this disk, on which that call fails; 0: none does, and calls are counted."""
        with open(self.tell, "wb") as file:
            file.write(bytes(8))
        disk = {"LD_PRELOAD": self.shim, "EIO_TELL": self.tell, "EIO_UNDER": self.folder + "/", "EIO_KINDS": kinds, "EIO_CALL": str(call),
                "EIO_PROGRAM": program, **({"EIO_STAYS": "1"} if stays else {}), **({"EIO_PAGE": str(page)} if page is not None else {}), **(env or {})}
        if stdin:
            with open(stdin, "rb") as file:
                result = run(*words, env=disk, stdin=file, memory_mib=memory_mib)
        else:
            result = run(*words, env=disk, memory_mib=memory_mib)
        self.n_calls, self.n_struck = struct.unpack("<II", slurp(self.tell))
        return result

    def wrong(self, what, fault, result=None):
        self.faults.append(f"{what}: {fault}" + (f"; it said: {result.err[-300:]}" if result else ""))


def sentence_fault(result):
    """What is wrong with how a command reports that its disk fails."""
    lines = [line for line in result.err.splitlines() if line.startswith("rastrum: ")]
    told = [line for line in lines if "Input/output error" in line or "disk" in line]
    return "" if len(told) == 1 else f"{len(told)} sentences about it"


def number_of(n, random_):
    return random_.randrange(1, n + 1)


# --- reading ------------------------------------------------------------------------------------------------------------

ASKED = (("report",), ("report", "-q", "-f", "jsonl"), ("info",), ("info", "--json"), ("stats",), ("stats", "--json"), ("explain",), ("query", "SELECT COUNT(*) FROM events"),
         ("check", "RULES"), ("curt",), ("splat",), ("draw",), ("diff", "SELF"), ("convert", "-t", "jsonl"))
MADE = (("cut", "x.rsx"), ("merge", "x.rsx"), ("convert", "x.db"), ("convert", "x.json"), ("convert", "x.jsonl"), ("convert", "-t", "ctf", "x.ctf"),
        ("convert", "-t", "perfetto", "x.pft"), ("convert", "-t", "csv", "x.csv"), ("convert", "-t", "vcd", "x.vcd"), ("convert", "-t", "speedscope", "x.ss"))
# Their manual pages say that the file is made empty first: so it is there after a failure.
REPORTED = (("report", "x.txt"), ("stats", "x.txt"), ("explain", "x.txt"), ("draw", "x.svg"))


def words_of(asked, path, disk):
    """The words of a command that prints."""
    if asked[0] == "query":
        return ["query", path, asked[1]]
    if asked[0] == "check":
        return ["check", disk.put("rules", b"lost: lost() == 0\n"), path]
    return [*(path if word == "SELF" else word for word in asked), path]


def words_to(made, path, disk):
    """The words of a command that makes a file, and the file."""
    out = disk.at(made[-1])
    return [made[0], "-q" if made[0] != "draw" else "--no-pager", *(["--clock-hz", "1G"] if made[0] == "convert" else []), *made[1:-1], path, "-o", out], out


def fails_well(disk, what, result):
    """One sentence, status 4; whether that is so."""
    fault = verdict(result, (IO_ERROR,)) or sentence_fault(result)
    if fault:
        disk.wrong(what, fault, result)
    return not fault


def fail_reading(disk, random_, n):
    """A file, mapped or packed, or standard input, of which a part cannot be read."""
    disk.clear()
    data = slurp(random_.choice(INPUTS))
    way = random_.choice(("file", "packed", "input"))
    path = disk.put("input.gz" if way == "packed" else "input", gzip.compress(data) if way == "packed" else data)
    makes = random_.random() < 0.5
    choice = random_.choice(MADE + REPORTED if makes else ASKED)
    given = "-" if way == "input" and "SELF" not in choice else path
    words, out = words_to(choice, given, disk) if makes else (words_of(choice, given, disk), None)
    what = f"reading {n}: {' '.join(words)}"
    before = disk.names()
    n_pages = (os.path.getsize(path) + mmap.PAGESIZE - 1) // mmap.PAGESIZE
    how = {"kinds": READING, "stdin": path if given == "-" else None, "page": random_.randrange(n_pages)}
    disk.run(*words, **how)
    if out:
        shutil.rmtree(out, ignore_errors=True)
        if os.path.exists(out):
            os.unlink(out)
    if not disk.n_calls:
        return disk.wrong(what, "no call was counted")
    result = disk.run(*words, call=number_of(disk.n_calls, random_), stays=True, **how)
    if disk.n_struck and fails_well(disk, what, result) and set(disk.names()) - {out and choice in REPORTED and choice[-1]} != set(before):
        disk.wrong(what, f"left {set(disk.names()) - set(before)}", result)
    return None


# --- writing ------------------------------------------------------------------------------------------------------------


def fail_writing(disk, random_, n):
    """A file that is made where there is none, or in the place of one."""
    disk.clear()
    path = os.path.abspath(random_.choice(INPUTS))
    made = random_.choice(MADE + REPORTED)
    words, out = words_to(made, path, disk)
    what = f"writing {n}: {' '.join(words)}"
    disk.run(*words, kinds=WRITING)
    disk.clear()
    if not disk.n_calls:
        return disk.wrong(what, "no call was counted")
    call, stays = number_of(disk.n_calls, random_), random_.random() < 0.5
    has_older = made[2:] != ("x.ctf",) and random_.random() < 0.5
    before = b""
    if has_older:
        before = b"older"
        if made[-1].endswith(".rsx"):  # which replaces only stores
            shutil.copy(STORE, out)
            before = slurp(STORE)
        else:
            disk.put(made[-1], before)
    result = disk.run(*words, kinds=WRITING, call=call, stays=stays)
    if not disk.n_struck:
        return None  # the older file asked for fewer calls
    if not fails_well(disk, f"{what}, call {call}{' and all behind it' if stays else ''}", result):
        return None
    if made in REPORTED:
        has_older = disk.names() == [made[-1]]
        before = slurp(out) if has_older else b""
    if disk.names() != ([made[-1]] if has_older else []):
        disk.wrong(what, f"call {call}: left {disk.names()}", result)
    elif has_older and slurp(out) != before:
        disk.wrong(what, f"call {call}: the older file is another one", result)
    return None


# --- the cache ----------------------------------------------------------------------------------------------------------


def fail_cache(disk, random_, n):
    """The index in the cache cannot be written, or not be read: the answer is the same."""
    disk.clear()
    path = os.path.abspath(random_.choice(INPUTS))
    words = random_.choice((["info", path], ["report", path], ["report", "--last", "3", path], ["info", "--json", path], ["report", "--from", "+1000", path]))
    env = {"XDG_CACHE_HOME": disk.folder, "RASTRUM_CACHE_MINSIZE": "1"}
    plain = run(*words)
    env["RASTRUM_CACHE_DISABLE"] = ""
    has_index = random_.random() < 0.5
    if has_index:
        run(*words, env=env)
    kinds = f"{WRITING},read,pread"
    disk.run(*words, kinds=kinds, env=env)
    if not disk.n_calls:
        return
    if not has_index:
        disk.clear()
    result = disk.run(*words, kinds=kinds, env=env, call=number_of(disk.n_calls, random_), stays=random_.random() < 0.5)
    what = f"cache {n}: {' '.join(words)}{', with an index' if has_index else ''}"
    if result is None or (result.status, result.out, result.err) != (plain.status, plain.out, plain.err):
        disk.wrong(what, f"another answer: status {result and result.status}", result)
    left = [name for _, _, names in os.walk(disk.folder) for name in names if ".part" in name]
    if left:
        disk.wrong(what, f"left {left}")


# --- recording ----------------------------------------------------------------------------------------------------------

POLICIES = ([], ["--log-size", "64Ki"], ["--compress"], ["--log-size", "1Mi", "--log-policy", "until-full"], ["--ring", "1Mi"])


def fail_recording(disk, random_, n):
    """The log cannot be written: the program goes on, to its own status."""
    disk.clear()
    own = random_.choice((0, 7))
    more = random_.choice(POLICIES)
    program = random_.choice(("posix-trace-consumer", "rastrum"))
    words = ["record", "--system", *more, "-o", disk.at("log.rst"), "--", "sh", "-c",
             f"for i in 1 2 3 4 5 6 7 8 9; do read line </dev/null; /bin/true; done; echo done; exit {own}"]
    kinds = f"{WRITING},read,pread"
    what = f"recording {n}: {program}: {' '.join(words[:-3])}"
    disk.run(*words, kinds=kinds, program=program)
    disk.clear()
    if not disk.n_calls:
        return
    call, stays = number_of(disk.n_calls, random_), random_.random() < 0.7
    what += f", call {call} of {disk.n_calls}{' and all behind it' if stays else ''}"
    result = disk.run(*words, kinds=kinds, program=program, call=call, stays=stays)
    if result is None:
        disk.wrong(what, "does not end")
        return
    if not disk.n_struck:
        return
    has_run = "done" in result.out
    if result.status not in ((own or IO_ERROR, own) if has_run else (IO_ERROR,)):
        disk.wrong(what, f"status {result.status}, the program's is {own}, and it {'has run' if has_run else 'has not run'}", result)
    # A call that is made for better, such as one that gives room back, may fail without a word, if the log is whole.
    log = disk.at("log-1.rst" if "--ring" in more else "log.rst")
    info = run("info", "--json", log) if os.path.exists(log) else None
    events = json.loads(info.out) if info and info.status == 0 else {"details": {}}
    is_whole = events["details"].get("complete") and "a snapshot of 0 events" not in result.err
    if "Input/output error" not in result.err and "disk fails" not in result.err and not is_whole:
        disk.wrong(what, "does not say it", result)
    for name in disk.names():
        info = run("info", disk.at(name))
        fault = verdict(info, (0, 3))
        if fault:
            disk.wrong(what, f"{name}: {fault}")
        if not name.endswith(".rst"):
            disk.wrong(what, f"left {name}", result)


def main():
    global STORE
    begin()
    if not IS_RELEASE:
        skip("disks that fail", "a sanitizer wants to be the first library")
        return done()
    top = tempfile.mkdtemp(prefix="rastrum-soak-eio-")
    shim = built(SHIM, os.path.join(top, "eio.so"), "-shared", "-fPIC", "-ldl")
    STORE = os.path.join(top, "older.rsx")
    run("cut", "-q", INPUTS[0], "-o", STORE)
    kinds = (("reading", fail_reading, 0.4, "a disk that cannot be read: a sentence, status 4, and no file"),
             ("writing", fail_writing, 0.35, "one that cannot be written to: the same, and the older file stays"),
             ("cache", fail_cache, 0.15, "a cache that cannot be read or written to changes no answer"),
             ("recording", fail_recording, 0.1, "a log that cannot be written: the program goes on, and the rest can be read"))
    for name, fail, share, sentence in kinds:
        disk, n_tried, n_struck = Disk(top, shim), max(1, int(N_FAULTS * share)), 0
        for n in range(n_tried):
            fail(disk, generator(f"{name} {n}"), n)
            n_struck += disk.n_struck > 0
        ok(not disk.faults, f"{sentence} ({n_tried})", *shown(disk.faults))
        ok(n_struck * 4 >= n_tried or n_tried < 20, f"{name}: many of the faults were met", n_struck, n_tried)
    shutil.rmtree(top)
    return done()


sys.exit(main())
