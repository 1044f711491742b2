# SPDX-License-Identifier: MIT
"""The recordings of the relations: those of the tree, and simulated ones, with what the program says of each, kept."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../truth"))
import conversions  # noqa: E402
import rtos_sim  # noqa: E402
from tap import rastrum  # noqa: E402

CORES = {"core_msg": 1, "count": 1}
KERNELS = [("threadx", {}), ("liteos_m", CORES), ("threadx", {"cores": 2}), ("liteos_a", CORES), ("threadx", {"keep": 300}),
           ("liteos_a", {"cores": 2}), ("threadx", {"word": 8, "endian": ">"}), ("liteos_m", {"tlv": True, **CORES}),
           ("threadx", {"isr": False}), ("liteos_m", {"keep": 300, **CORES})]
SCENARIOS = ("wild", "rules", "inversion")  # 30 recordings with the kernels


class Said:
    """What the program says of a file, read once for each command."""

    def __init__(self, path, options=(), env=None):
        self.path, self.options, self.env, self.kept = path, tuple(options), env, {}

    def run(self, command, *words):
        key = (command, *words)
        if key not in self.kept:
            self.kept[key] = rastrum(command, *words, *self.options, self.path, env=self.env)
        return self.kept[key]

    def lines(self, command, *words):
        return [json.loads(line) for line in self.run(command, "-q", *words).lines]

    def events(self, *words):
        """Events, losses and damages, in their order."""
        return self.lines("report", "-f", "jsonl", *words)

    def stamps(self):
        """Moments at which there are events, in order."""
        return sorted({row["ts"] for row in self.events() if "name" in row})

    def intervals(self, *words):
        return self.lines("report", "--intervals", "-f", "jsonl", *words)

    def tables(self, *words):
        """{table: its rows, each {column: cell}}, and "window" as one more table."""
        found = {}
        for table in self.lines("stats", "--json", *words):
            names = [column["name"] for column in table["columns"]]
            found[table["table"]] = [dict(zip(names, row)) for row in table["rows"]]
            found["window"] = [table["window"]] if table["window"] else []
        return found

    def units(self):
        """{(table, column): the unit of its figures}"""
        return {(table["table"], column["name"]): column["unit"] for table in self.lines("stats", "--json") for column in table["columns"]}

    def findings(self, *words):
        return [row for row in self.lines("explain", "--json", *words) if "finding" in row]


def written(command, path, *words):
    """What is said of a file that a command writes."""
    if os.path.exists(path):
        os.unlink(path)
    run = rastrum(command, "-q", *words, "-o", path)
    assert run.status in (0, 3), (command, words, run.status, run.err)
    return Said(path)


class Recording(Said):
    """A recording, and how it is made where it is simulated: (scenario, kernel, how)."""

    def __init__(self, name, path, made=None):
        super().__init__(path)
        self.name, self.made = name, made

    def run(self, command, *words):
        self.make()
        return super().run(command, *words)

    def make(self):
        """Simulates it when it is first asked for."""
        if self.made and not os.path.exists(self.path):
            scenario, kernel, how = self.made
            self.options = tuple(rtos_sim.make(self.path, scenario, dialect=kernel, **how)["opts"])

    def like(self, path, env=None, words=()):
        """Another file that is read in the same way, or the same one in another way."""
        return Said(path, (*self.options, *words), env)

    def again(self, path, **changes):
        """The same simulated system, recorded in another way. (what is said of it, its truth)"""
        scenario, kernel, how = self.made
        truth = rtos_sim.make(path, scenario, dialect=kernel, **{**how, **changes})
        return Said(path, truth["opts"]), truth


def tree():
    """All recordings of tests/data, and the goldens."""
    paths = conversions.recordings()
    for folder, _, names in sorted(os.walk("tests/data")):
        paths += [os.path.join(folder, name) for name in sorted(names) if name.endswith((".trx", ".bin", ".tlv", "dump.txt"))]
    for path in dict.fromkeys(paths):
        if path != conversions.NO_TRACE:
            yield Recording(os.path.relpath(path, conversions.TMP.name) if path.startswith(conversions.TMP.name) else path, path)


def simulated():
    for seed, scenario in enumerate(SCENARIOS, 1):
        for kernel, how in KERNELS:
            name = " ".join([scenario, kernel, *(f"{key}={value}" for key, value in how.items())])
            yield Recording(name, conversions.path_of(name.replace(" ", "-")), (scenario, kernel, {"seed": seed, **how}))


def corpus():
    """All of them; simulated ones are spread among those of the tree."""
    places = [(n / len(some), recording) for some in (list(tree()), list(simulated())) for n, recording in enumerate(some)]
    return [recording for _, recording in sorted(places, key=lambda place: place[0])]


def any_of(recording):
    """Whether it can be read at all."""
    return recording.run("info", "--json").status in (0, 3)
