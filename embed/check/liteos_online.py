# SPDX-License-Identifier: MIT
import importlib.util
import os

from kit import HERE, Goal, Voice

spec = importlib.util.spec_from_file_location("liteos", os.path.join(HERE, "liteos.py"))
liteos = importlib.util.module_from_spec(spec)
spec.loader.exec_module(liteos)


def judge(dump, said, rastrum):
    """Nobody empties the ring: the oldest messages are there."""
    rows = rastrum.rows(dump)
    return liteos.judge_rows(rows, said, False) + [f"damage: {row}" for row in rows if "name" not in row]


VOICE = Voice(
    name="liteos_online",
    sources=liteos.SOURCES,
    headers=liteos.VOICE.headers,
    choices=liteos.VOICE.choices,
    defines=[*liteos.DEFINES, "-DLOSCFG_RECORDER_MODE_ONLINE"],
    record_path=["OsTraceHook", "event_special", "OsTraceDataSend", "OsTraceMessageEnd", "CalcCrc16"],
    judge=judge,
    demo=["--limit", "6"],
    goals=[
        Goal("host", "event", 600, "liteos_a 5013"), Goal("host", "masked out", 8, "liteos_a 43"),
    ],
)
