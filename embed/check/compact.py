# SPDX-License-Identifier: MIT
from kit import Goal, Voice


def judge(dump, said, rastrum):
    return []


VOICE = Voice(
    name="compact",
    sources=["embed/compact/compact.c", "embed/compact/take.c", "embed/core/cells.c", "embed/core/bits.c"],
    record_path=["rastrum_compact_2", "compact_turn"],
    judge=judge,
    goals=[
        Goal("m3 -O2", "event", 45, "SystemView 117"), Goal("m0 -O2", "event", 60, "SystemView 194"),
    ],
)
