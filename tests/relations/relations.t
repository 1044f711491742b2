#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Relations that hold for any recording: what two ways to ask for the same must both say. All recordings of the tree and 30 simulated
ones in `make soak`; in `make check` every relation has some of them, and each relation others.

    ONLY=WORD       the relations whose name has the word
    RECORDING=WORD  likewise the recordings; then all of them
"""
import os
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True
sys.path[:0] = ["tests", os.path.dirname(__file__)]
import commands  # noqa: E402
import counts  # noqa: E402
import formats  # noqa: E402
import kernels  # noqa: E402
import parts  # noqa: E402
import recordings  # noqa: E402
import sums  # noqa: E402
import ways  # noqa: E402
from tap import IS_SOAK, done, ok, spread  # noqa: E402

# name, which recordings it needs, what gives its faults, and in how many recordings of `make check` and of `make soak` it does not hold
# yet. These counts may only fall:
#
#   cuts, halves    a cut begins without the states, owners and levels that were known there
#   later begin     an item that is sent may go to a reader whose wait is older than the recording: the level is not exact
#   check           a thread that has the id of an earlier one is one subject with it in stats, and another one for a rule
#   TXTB            has no place for the begin of a run
#   order of files  where both halves have a loss at one moment, the first file's counts for both
RELATIONS = (
    ("a cut has the figures of its window", parts.has_window, parts.cut_is_window, (0, 23)),
    ("a cut has the findings and verdicts of its window", parts.has_window, parts.cut_is_judged_as_window, (0, 24)),
    ("a later begin proves nothing more", parts.has_window, parts.later_begin_proves_no_more, (0, 0)),
    ("halves merged are the whole", parts.has_window, parts.halves_are_whole, (0, 25)),
    ("query and SQLite have the figures of stats", recordings.any_of, commands.databases_are_stats, (0, 0)),
    ("tables are the sums of intervals", recordings.any_of, sums.tables_are_sums, (0, 0)),
    ("windows are the sums of their part of the intervals", parts.has_window, sums.windows_are_sums, (0, 0)),
    ("check measures what stats shows", recordings.any_of, commands.check_is_stats, (0, 5)),
    ("the page has the figures of stats", recordings.any_of, commands.page_is_stats, (0, 0)),
    ("curt and splat have the figures of stats", recordings.any_of, commands.curt_and_splat_are_stats, (0, 0)),
    ("anonymise keeps every figure", recordings.any_of, formats.anonymise_keeps_figures, (0, 0)),
    ("JSON, CSV and text are the same events", recordings.any_of, formats.reports_are_same, (0, 0)),
    ("a store has all figures of its source", recordings.any_of, formats.store_keeps_figures, (0, 0)),
    ("a TXTB that was written reads back", formats.is_txtb, formats.txtb_keeps_figures, (0, 1)),
    ("threads change nothing", recordings.any_of, ways.threads, (0, 0)),
    ("the locale changes nothing", recordings.any_of, ways.locale, (0, 0)),
    ("an index changes nothing", recordings.any_of, ways.index, (0, 0)),
    ("the order of files changes nothing", recordings.any_of, ways.order_of_files, (0, 1)),
    ("word size and byte order change nothing", kernels.has_words, kernels.words_change_nothing, (0, 0)),
    ("an event without effects changes no figure", kernels.can_add, kernels.event_without_effects, (0, 0)),
    ("losing events proves nothing more", kernels.can_lose, kernels.loss_proves_no_more, (0, 0)),
    ("counts are those of events and intervals", recordings.any_of, counts.counts_are_of_intervals, (0, 0)),
)
N_RECORDINGS = 6  # that a relation has in `make check`


def chosen(corpus, needs, number):
    """All that fit; in `make check` a few, by a number made of their names: a recording that is added changes few choices."""
    fitting = list(filter(needs, corpus))
    n_wanted = max(1, len(corpus) // spread(2 * (len(corpus) // N_RECORDINGS)))
    return sorted(fitting, key=lambda recording: zlib.crc32(f"{number} {recording.name}".encode()))[:n_wanted]


def hold(number, name, needs, relation, known, folder):
    only = os.environ.get("RECORDING")
    some = list(filter(needs, (each for each in CORPUS if only in each.name))) if only else chosen(CORPUS, needs, number)
    faults, n_wrong = [], 0
    for recording in some:
        found = [f"{recording.name}: {fault}" for fault in relation(recording, folder)]
        faults += found[:10 if only else 2]
        n_wrong += bool(found)
    most = known[IS_SOAK]
    ok(some and n_wrong <= most, f"{name}: {len(some)} recordings, {n_wrong} differ, at most {most} do", *faults)


CORPUS = recordings.corpus()
with tempfile.TemporaryDirectory(prefix="rastrum-relations-") as place:
    for row in enumerate(RELATIONS):
        if os.environ.get("ONLY", "") in row[1][0]:
            hold(row[0], *row[1], place)
sys.exit(done())
