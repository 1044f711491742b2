# SPDX-License-Identifier: MIT
"""How figures, events and intervals of two readings differ, as sentences."""
import collections
import json

# What says which row it is; all other columns are figures.
KEYS = ("kind", "core", "process", "thread", "interrupt", "id", "lock", "queue", "pool", "service", "span", "machine", "state", "next",
        "event", "reason", "unit")


def key_of(row):
    return tuple(json.dumps(row[key]) for key in KEYS if key in row)


def is_same(name, got, expected):
    """Whether two cells are the same figure: JSON has some decimals of it."""
    if isinstance(got, float) or isinstance(expected, float):
        return got is not None and expected is not None and abs(got - expected) <= (6e-4 if name == "mean_level" else 6e-5)
    return got == expected


def rows(what, got, expected, without=()):
    """Rows of the two, wherever they stand: those of one only, and cells that differ."""
    sides = []
    for side in (got, expected):
        found = collections.defaultdict(list)
        for row in side:
            row = {name: cell for name, cell in row.items() if name not in without}
            found[key_of(row)].append(row)
        sides.append(found)
    for key in {**sides[0], **sides[1]}:
        mine, theirs = (side.get(key, []) for side in sides)
        label = " ".join(cell.strip('"') for cell in key if cell != "null")
        if len(mine) != len(theirs):
            yield f"{what}: {label}: {len(mine)} rows, expected {len(theirs)}"
        for one, other in zip(mine, theirs):
            cells = [f"{name} {one.get(name)!r}, expected {other.get(name)!r}" for name in {**one, **other}
                     if name not in one or name not in other or not is_same(name, one[name], other[name])]
            if cells:
                yield f"{what}: {label}: " + "; ".join(cells[:4])


def tables(got, expected, without=(), ignored=()):
    """The differences of all tables."""
    for name in {**got, **expected}:
        if name not in ignored:
            yield from rows(name, got.get(name, []), expected.get(name, []), without)


def lists(what, got, expected):
    """The first place in which two lists differ."""
    if len(got) != len(expected):
        yield f"{what}: {len(got)}, expected {len(expected)}"
    for n, (one, other) in enumerate(zip(got, expected)):
        if one != other:
            yield f"{what} {n}: {one!r}, expected {other!r}"
            return


def name_of(entity):
    """Of a thread or object, by its name: bits of a generation may be others in another recording."""
    return (entity["kind"], entity["name"] or entity["id"]) if isinstance(entity, dict) else entity


def subject_of(interval):
    return interval["kind"], name_of(interval["subject"])


def is_vaguer(interval, other):
    """Whether all that the one says of the state is said by the other, which may say more: of nested interrupts it has the outermost one."""
    return (interval["state"] == other["state"] and interval.get("value") == other.get("value")
            and (interval["reason"] in (None, "other") or interval["reason"] == other["reason"])
            and (interval["object"] is None or interval["state"] == "interrupted" or name_of(interval["object"]) == name_of(other["object"]))
            and (interval["core"] is None or interval["core"] == other["core"]))


def uncovered(intervals, full, first, last):
    """Intervals that one recording proves in a window, and another that has more of the same does not show."""
    by_subject = collections.defaultdict(list)
    for interval in full:
        by_subject[subject_of(interval)].append(interval)
    for interval in intervals:
        begin, end = max(first, interval["from"]), min(last, interval["to"])
        if interval["certainty"] != "exact" or interval["state"] == "unknown" or begin >= end:
            continue
        shown = sum(max(0, min(end, other["to"]) - max(begin, other["from"])) for other in by_subject[subject_of(interval)]
                    if is_vaguer(interval, other))
        if shown < end - begin:
            yield (f"exact {interval['kind']} {interval['subject']} {interval['state']} {interval['reason']} {interval['object']} "
                   f"{interval.get('value')} {begin}-{end}: {end - begin - shown} ticks of it are not in the full one")
