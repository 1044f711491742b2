#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The index beside large inputs: reports are the same with and without it, whatever happened to it or to the input."""
import glob
import mmap
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import IS_RELEASE, RASTRUM, difference, done, ok, same, sample, skip, spread  # noqa: E402

del os.environ["RASTRUM_CACHE_DISABLE"]

# What an index is read for, and, first, what leaves one.
REPORTS = [
    ["report"],
    ["info"],
    ["info", "--json"],
    ["report", "--last", "1"],
    ["report", "--last", "7", "-f", "jsonl"],
    ["report", "--last", "3", "-f", "csv"],
    ["report", "--last", "4", "-f", "aix"],
    ["report", "--last", "2", "--columns", "+delta,+core,+event,+priority"],
    ["report", "--last", "5", "--head", "always"],
    ["report", "--from", "+{half}"],
    ["report", "--from", "+{half}", "--to", "+{most}", "-f", "jsonl"],
    ["report", "--to", "+{half}", "--limit", "3"],
    ["report", "--from", "+{most}", "--last", "2", "--time", "ticks"],
    ["report", "--from", "+{half}", "-t", "*mutex*"],
    ["report", "--from", "99999999999999999999"],
]


class Place:
    """A folder of the user's cache, and how a program is run with it."""

    def __init__(self, top, name="cache", **more):
        self.folder = f"{top}/{name}"
        self.env = {**os.environ, "XDG_CACHE_HOME": self.folder, "RASTRUM_CACHE_MINSIZE": "1", **more}

    def run(self, *args, **env):
        run = subprocess.run([RASTRUM, *args], capture_output=True, check=False, stdin=subprocess.DEVNULL, env={**self.env, **env})
        return run.returncode, run.stdout, run.stderr

    def plain(self, *args):
        return self.run(*args, RASTRUM_CACHE_DISABLE="1")

    def files(self):
        return sorted(glob.glob(f"{self.folder}/rastrum/*"))

    def index(self):
        files = self.files()
        return files[0] if len(files) == 1 else None

    def is_used(self, *args):
        """Whether the command reads by the index, which it notes by the file's time."""
        index = self.index()
        if not index:
            return False
        os.utime(index, ns=(1, 1))
        self.run(*args)
        return os.path.exists(index) and os.stat(index).st_mtime_ns != 1


def faults_of(place, path, options, reports=REPORTS):
    """How runs differ from those without an index: the first may leave one, the second may use it."""
    faults = []
    _, out, _ = place.plain("info", "--json", path, *options)
    spans = [int(n) for n in re.findall(rb'"(?:first|last)_ts":(\d+)', out)]
    span = spans[1] - spans[0] if len(spans) == 2 and spans[1] > spans[0] else 100
    for report in reports:
        words = [word.format(half=span // 2, most=span * 9 // 10) for word in report]
        without = place.plain(*words, path, *options)
        for _ in range(2):
            with_one = place.run(*words, path, *options)
            if with_one == without:
                continue
            faults.append(f"{os.path.basename(path)} {options}: {' '.join(words)}: status {with_one[0]}, without {without[0]}")
            faults += difference(with_one[1].splitlines(), without[1].splitlines())
            faults += difference(with_one[2].splitlines(), without[2].splitlines())
    return faults


def golden(path):
    """The bytes of a golden, and options of its runs that say how the input is read."""
    data, options = bytearray(), [[]]
    for line in open(path, encoding="utf-8").read().splitlines():
        if line.startswith("# options:"):
            words = line[10:].split()
            if words and all(re.match(r"-d$|--dialect|--opt|--clock-hz|--order", word) for word in words[::2]) and "=" not in words[0]:
                options.append(words)
        elif not line.startswith("#"):
            data += bytes.fromhex(line.split("#")[0])
    return bytes(data), options[-1]


def inputs(top):
    for path in sample(sorted(set(glob.glob("tests/goldens/*/*.hex")) - set(glob.glob("tests/goldens/template/*"))), every=4):
        data, options = golden(path)
        name = f"{top}/inputs/{path.split('/')[-2]}/{os.path.basename(path)[:-4]}"
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as file:
            file.write(data)
        yield name, options
    for path in sample(sorted(glob.glob("tests/data/threadx/*.trx") + glob.glob("tests/data/rkh/r*.bin"))):
        yield path, []


def check_goldens(top):
    """Each in a cache of its own: a golden that has an index, and one that has none, read the same. Each has all reports, in
    other builds than release every fourth: starting a program is slow there."""
    step = 1 if IS_RELEASE else 4

    def one(job):
        number, (path, options) = job
        place = Place(top, f"cache-{number}")
        return faults_of(place, path, options, REPORTS[number % step::step]), len(place.files()), path
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, enumerate(inputs(top))))
    for dialect in ("aix", "compact", "liteos", "posix", "rkh", "threadx"):
        faults = [fault for found, _, path in results if f"/{dialect}/" in path for fault in found]
        ok(not faults, f"reports of {dialect} are the same without an index, with the first one, and with one that is there", *faults)
        ok(any(n for _, n, path in results if f"/{dialect}/" in path), f"inputs of {dialect} have an index")


def make_dump(path, n_events, *more):
    subprocess.run([RASTRUM, "bench", "gen", "--events", str(n_events), "-o", path, *more], check=True, stdout=subprocess.DEVNULL)
    return path


def check_segments(top):
    """A trace of some segments: most of it is passed over."""
    place = Place(top, "segments")
    dump = make_dump(f"{top}/segments.trx", 200000, "--wrapped", "70001")
    ok(place.run("info", dump)[0] == 0 and place.index(), "the first info leaves an index")
    faults = faults_of(place, dump, [])
    ok(not faults, "a trace of several segments reads the same by its index", *faults)
    for words in (["info"], ["report", "--last", "10"], ["report", "--from", "+1"], ["report", "--to", "+9"]):
        ok(place.is_used(*words, dump), f"{words[0]} {' '.join(words[1:])} uses the index", place.files())
    for words in (["report"], ["report", "--last", "9", "-t", "*mutex*"], ["report", "--last", "9", "--limit", "20"]):
        ok(not place.is_used(*words, dump), f"{' '.join(words)} reads the file itself")
    size = os.path.getsize(place.index())
    ok(size * 3 <= os.path.getsize(dump), "the index is no more than a third of its input", size)
    same([os.stat(path).st_mode & 0o777 for path in (place.index(), os.path.dirname(place.index()))], [0o600, 0o700],
         "nobody else may read it, nor look for it")
    cut = f"{top}/cut.trx"
    shutil.copy(dump, cut)
    os.truncate(cut, os.path.getsize(dump) - 3200)
    lasts = [words for words in REPORTS if words[:2] == ["report", "--last"] and "aix" not in words]
    for number, words in enumerate(lasts):
        ahead = Place(top, f"ahead{number}")
        ok(ahead.run(*words, dump) == ahead.plain(*words, dump) and not ahead.files(),
           f"{' '.join(words)} of a dump without an index reads only some of its parts, to the same lines")
        ok(ahead.run(*words, cut) == ahead.plain(*words, cut) and ahead.is_used(*words, cut),
           f"{' '.join(words)} reads a dump that has no parts ahead, for its index")
    linked = f"{top}/linked.trx"
    os.link(dump, linked)
    ok(place.run("report", "--last", "3", linked) == place.plain("report", "--last", "3", linked), "the file under another name reads the same")
    status, out, err = place.run("report", place.index())
    ok(status == 5 and not out and b"is an index of a trace" in err, "an index alone is no trace, and says so", status, err)
    return place, dump


def check_options(place, dump):
    """What changes how the bytes are read has an index of its own; what needs other files has none."""
    before = len(place.files())
    faults = faults_of(place, dump, ["--clock-hz", "1000000"], REPORTS[:4] + [["report", "--from", "250us"]])
    ok(not faults and len(place.files()) == before + 1, "another clock has another index", *faults, place.files())
    before = len(place.files())
    place.run("info", "--symbols", "tests/data/symbols/threadx.elf", dump)
    place.run("info", "--join", dump, dump)
    ok(len(place.files()) == before, "names of programs and joined files have none")
    place.run("report", "--limit", "5", "--clock-hz", "7", dump)
    ok(len(place.files()) == before, "nor has what is not read to its end")


def check_stale(top):
    """However the input changes: it is found out, and the next index is of what it is now."""
    def append(path):
        with open(path, "ab") as file:
            file.write(b"\0" * 64)

    def rewrite(path):
        """The same size and times."""
        about = os.stat(path)
        with open(path, "r+b") as file:
            file.seek(about.st_size - 32 * 1000)
            entry = file.read(32)
            file.seek(about.st_size - 32 * 500)
            file.write(entry)
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))

    def cut(path):
        os.truncate(path, os.path.getsize(path) - 3200)

    def replace(path):
        make_dump(f"{path}.new", 20000, "--seed", "5")
        about = os.stat(path)
        os.utime(f"{path}.new", ns=(about.st_atime_ns, about.st_mtime_ns))
        os.rename(f"{path}.new", path)

    for change in (append, rewrite, cut, replace):
        place, dump = Place(top, f"stale-{change.__name__}"), make_dump(f"{top}/stale-{change.__name__}.trx", 20000)
        place.run("info", dump)
        was_used = place.is_used("info", dump)
        change(dump)
        faults = faults_of(place, dump, [], [["info"], ["report", "--last", "3"], ["report", "--from", "+100000"]])
        ok(was_used and not faults, f"an input that was changed by '{change.__name__}' reads as it is now", was_used, *faults)
        for path in place.files():
            os.unlink(path)
        place.run("info", dump)
        ok(place.is_used("info", dump), "and gets an index of its own")


def check_mapped(top):
    """Stores into a shared mapping do not change the times of a file: while a process may store, there is no index."""
    place, dump = Place(top, "mapped"), make_dump(f"{top}/mapped.trx", 20000)
    with open(dump, "r+b") as file:
        ring = mmap.mmap(file.fileno(), 0)
    place.run("info", dump)
    ok(not place.index(), "a file that a process has mapped for writing has no index")
    ring.close()
    place.run("info", dump)
    ok(place.is_used("info", dump), "and one when the mapping is gone")
    with open(dump, "r+b") as file:
        ring = mmap.mmap(file.fileno(), 0)
    ring[len(ring) - 32 * 1000:len(ring) - 32 * 999] = ring[len(ring) - 32 * 500:len(ring) - 32 * 499]
    faults = faults_of(place, dump, [], [["info"], ["report", "--last", "3"]])
    ok(not faults, "what is stored while an index is there is read", *faults)
    ring.close()
    if os.access("/dev/shm", os.W_OK):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            place, dump = Place(top, "memory"), make_dump(f"{folder}/memory.trx", 20000)
            place.run("info", dump)
            ok(not place.index(), "a file in memory, whose times stores never change, has none")


def check_checksums(top):
    """Bytes that changed without any trace in the file's marks are found where they are used."""
    place, dump = Place(top, "sums"), make_dump(f"{top}/sums.trx", 20000)
    place.run("info", dump)
    index = place.index()
    whole = bytearray(open(index, "rb").read())
    # The index of a file that had other bytes at its end: its checksums of the input are wrong, all of its own are right.
    source = whole.rfind(b"RSBK\x05\0\0\0")
    n_bytes = int.from_bytes(whole[source + 8:source + 16], "little")
    at = source + 32 + n_bytes - 4
    whole[at] ^= 1
    crc = crc32c(whole[source + 32:source + 32 + n_bytes])
    whole[source + 24:source + 28] = crc.to_bytes(4, "little")
    whole[source + 28:source + 32] = crc32c(whole[source:source + 28]).to_bytes(4, "little")
    with open(index, "wb") as file:
        file.write(whole)
    os.utime(index, ns=(1, 1))
    without = place.plain("report", "--last", "5", dump)
    ok(place.run("report", "--last", "5", dump) == without and os.stat(index).st_mtime_ns != 1 and open(index, "rb").read() != whole,
       "other bytes of the input than the index was made of are found out, and the index is made anew")
    ok(place.is_used("report", "--last", "5", dump), "which is used")


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def check_damage(top):
    """An index that is turned or cut anywhere is no worse than none, and one that is whole takes its place."""
    place, dump = Place(top, "damage"), make_dump(f"{top}/damage.trx", 3000)
    place.run("info", dump)
    index = place.index()
    whole = open(index, "rb").read()
    reports = [["info"], ["report", "--last", "4"], ["report", "--from", "+200000", "-f", "jsonl"]]
    expected = [place.plain(*words, dump) for words in reports]
    faults, n_anew, n_tried = [], 0, 0
    for n in range(0, len(whole), max(1, len(whole) * spread(6) // 60)):
        for damaged in (whole[:n] + bytes([whole[n] ^ 0x10]) + whole[n + 1:], whole[:n]):
            for words, wanted in zip(reports, expected):
                with open(index, "wb") as file:
                    file.write(damaged)
                if place.run(*words, dump) != wanted:
                    faults.append(f"byte {n} of {len(whole)}, {len(damaged)} there: {words}")
                n_tried += 1
                n_anew += open(index, "rb").read() != damaged
    ok(not faults, "an index that is damaged anywhere changes nothing", *faults)
    ok(n_anew > n_tried // 4, "and is made anew where it is looked at", n_anew, n_tried)


def check_killed(top):
    """A writer that is killed leaves nothing that is used."""
    place, dump = Place(top, "killed"), make_dump(f"{top}/killed.trx", 100000)
    with subprocess.Popen([RASTRUM, "report", dump], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=place.env) as writer:
        writer.stdout.read(100000)
        open_files = [os.path.realpath(path) for path in glob.glob(f"/proc/{writer.pid}/fd/*")]
        writer.send_signal(signal.SIGKILL)
    ok(any(place.folder in path for path in open_files), "a report that is read slowly writes an index meanwhile", *open_files)
    ok(not [path for path in place.files() if not path.endswith(".part")], "one that is killed leaves none", place.files())
    with subprocess.Popen([RASTRUM, "report", dump], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=place.env) as writer:
        writer.stdout.read(1000)
        writer.stdout.close()
    ok(not place.index(), "nor does one whose reader went away")
    place.run("info", dump)
    ok(place.index() and place.is_used("info", dump), "the next one does")


def check_places(top):
    """Where there is no place for an index, everything works without."""
    dump = make_dump(f"{top}/places.trx", 3000)
    plain = Place(top, "none").plain("report", dump)
    occupied = f"{top}/occupied"
    open(occupied, "w", encoding="ascii").close()
    os.makedirs(f"{top}/open/rastrum")
    os.chmod(f"{top}/open/rastrum", 0o777)
    for what, env in (("no home", {"XDG_CACHE_HOME": "", "HOME": ""}), ("a file in place of the folder", {"XDG_CACHE_HOME": occupied}),
                      ("a folder that cannot be made", {"XDG_CACHE_HOME": "/proc/nonexistent"}),
                      ("a folder that others may write to", {"XDG_CACHE_HOME": f"{top}/open"})):
        runs = [Place(top, "none").run("report", dump, **env) for _ in range(2)]
        ok(runs == [plain, plain], f"{what}: the report is the same, without a word")
    same(os.listdir(f"{top}/open/rastrum"), [], "nothing is written where others may write")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    place = Place(top, "limited")
    run = subprocess.run([RASTRUM, "report", dump], capture_output=True, check=False, env=place.env, preexec_fn=limit)
    ok((run.returncode, run.stdout, run.stderr) == plain and not place.index(), "nor where files may not be as large")
    os.makedirs(f"{top}/tiny")
    command = f'mount -t tmpfs -o size=16k tmpfs "{top}/tiny" && exec "$@"'
    run = subprocess.run(["unshare", "-rm", "sh", "-c", command, "sh", RASTRUM, "report", dump], capture_output=True, check=False,
                         env=Place(top, "tiny").env)
    sentence = "a full disk: the report is the same, without a word"
    if b"unshare" in run.stderr or b"mount" in run.stderr:
        skip(sentence, run.stderr.decode().strip())
    else:
        ok((run.returncode, run.stdout, run.stderr) == plain, sentence, run.returncode, run.stderr)
    place = Place(top, "small", RASTRUM_CACHE_MINSIZE="100M")
    place.run("info", dump)
    ok(not place.files(), "an input that is not large has no index")


def check_two_at_once(top):
    place, dump = Place(top, "two"), make_dump(f"{top}/two.trx", 100000)
    _, expected, _ = place.plain("report", dump)
    both = [subprocess.Popen([RASTRUM, "report", dump], stdout=subprocess.PIPE, env=place.env) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        outs = list(pool.map(lambda process: process.communicate()[0], both))
    ok(outs == [expected, expected], "two reports at once are both whole")
    ok(place.index() and place.is_used("report", "--last", "2", dump), "and leave one index", place.files())


def check_bound(top):
    """The oldest go first."""
    dumps = [make_dump(f"{top}/bound{n}.trx", 20000, "--seed", str(n + 1)) for n in range(4)]
    place = Place(top, "bound")
    place.run("info", dumps[0])
    size = os.stat(place.index()).st_blocks * 512
    place.env["RASTRUM_CACHE_MAXSIZE"] = str(size * 5 // 2)
    first = place.index()
    for dump in dumps[1:]:
        place.run("info", dump)
        place.run("info", dumps[0])  # it is of use
        time.sleep(0.02)
    total = sum(os.stat(path).st_blocks * 512 for path in place.files())
    ok(total <= size * 5 // 2 and len(place.files()) == 2, "the folder has no more than it may", total, size)
    ok(first in place.files(), "the one that was used last stays")


top_folder = tempfile.mkdtemp(prefix="rastrum-index-", dir="/var/tmp")  # /tmp may be in memory
try:
    check_goldens(top_folder)
    check_options(*check_segments(top_folder))
    check_stale(top_folder)
    check_mapped(top_folder)
    check_checksums(top_folder)
    check_damage(top_folder)
    check_killed(top_folder)
    check_places(top_folder)
    check_two_at_once(top_folder)
    check_bound(top_folder)
finally:
    shutil.rmtree(top_folder)
sys.exit(done())
