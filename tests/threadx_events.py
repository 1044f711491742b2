# SPDX-License-Identifier: MIT
"""The table of ThreadX events as tests read it, and dumps made of rows."""
import re
import struct

THREAD, INIT, ISR = 0x20008000, 0xF0F0F0F0, 0xFFFFFFFF
OWN_PRIORITY = 0x80050005  # priority 5, threshold 5


def read_events_table(path="src/dialect/threadx/events.def"):
    """id to (constant, [(type, field, list) or None for each information word])."""
    text = open(path, encoding="utf-8").read()
    table = {}
    for number, constant, fields in re.findall(r'^EVENT\((\d+), (\w+), "[^"]*",\s*FIELDS\((.*?)\),\s*[A-Z_]+[()]', text,
                                               re.M | re.S):
        words = [(kind, *(name.split(", ") + [""])[:2]) if name else None
                 for kind, name in re.findall(r"(\w+)(?:\(([^()]*)\))?", fields)]
        table[int(number)] = (constant, words)
    return table


def image(objects, events, name_bytes=32):
    """
    A dump of 32-bit words, low byte first. Objects are (type, address, name, p1, p2), events (thread, priority word, id,
    the four information words); the time goes up by 1.
    """
    base = 0x20000000
    registry = base + 48
    ring = registry + len(objects) * (16 + name_bytes)
    end = ring + 32 * len(events)
    out = struct.pack("<4IHH7I", 0x54585442, 0xFFFFFFFF, base, registry, 0, name_bytes, ring, ring, end, ring,
                      0xAAAAAAAA, 0xBBBBBBBB, 0xCCCCCCCC)
    for kind, address, name, *parameters in objects:
        out += struct.pack("<4B3I", 0, kind, 0, 0, address, *parameters) + (name if isinstance(name, bytes) else name.encode()).ljust(name_bytes, b"\0")
    for stamp, (thread, priority, number, words) in enumerate(events, start=1):
        out += struct.pack("<8I", thread, priority, number, stamp, *words)
    return out
