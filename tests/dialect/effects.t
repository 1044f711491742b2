#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What events do: every event of every dialect has effects, or a reason why it has none."""
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import done, ok, rastrum  # noqa: E402

# What the events that stand for all of a kind do, only their program or nobody knows.
OF_PROGRAMS = {
    "threadx": {"TX_TRACE_USER_EVENT_START", "TML_TRACE_USER_EVENT_START", "TX_TRACE_UNKNOWN"},
    "rkh": {"RKH_TE_USER"},
    "liteos": {"LOS_TRACE_UNKNOWN"},
    "compact": set(),
    "posix": set(),
}
# What the effects of a dialect answer: who runs, who waits, who owns, how full, what is at work.
ANSWERS = {
    "threadx": {"schedule", "wake", "acquire", "release", "send", "receive", "level", "interrupt_in"},
    "rkh": {"begin", "end", "state", "send", "receive", "level", "allocate", "free"},
    "liteos": {"switch", "wake", "acquire", "release", "send", "receive", "interrupt_in"},
    "compact": {"switch", "wake", "wait", "acquire", "release", "send", "receive", "level", "begin", "end", "interrupt_in"},
    "posix": {"switch", "wake", "acquire", "release", "send", "receive"},
}


def events(dialect):
    """(name, what `template doc` shows of it) of all events."""
    text = rastrum("template", "doc", "--dialect", dialect, "*").out
    for block in re.split(rf"\n\n(?=\S+\n{dialect}, event)", text):
        yield block.split("\n")[0], block


for dialect, of_programs in OF_PROGRAMS.items():
    blocks = dict(events(dialect))
    neither = {name for name, block in blocks.items() if not re.search(r"^effects:$|^no effects: \S", block, re.M)}
    ok(len(blocks) > 20 and neither == of_programs, f"each event of {dialect} has effects, or a reason why it has none",
       sorted(neither ^ of_programs))
    kinds = set()
    for block in blocks.values():
        effects = re.search(r"^effects:\n((?:  .*\n)+)", block, re.M)
        kinds |= {line.split()[0] for line in effects[1].splitlines()} if effects else set()
    ok(ANSWERS[dialect] <= kinds, f"the effects of {dialect} answer who does what to what", sorted(ANSWERS[dialect] - kinds))
sys.exit(done())
