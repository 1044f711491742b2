# SPDX-License-Identifier: MIT
import importlib.util
import os

from build import HERE, Goal, Encoder

spec = importlib.util.spec_from_file_location("liteos", os.path.join(HERE, "liteos.py"))
liteos = importlib.util.module_from_spec(spec)
spec.loader.exec_module(liteos)


def check_dump(dump, printed, rastrum):
    """Nothing drains the ring: the oldest messages are there."""
    rows = rastrum.rows(dump)
    return liteos.check_rows(rows, printed, False) + [f"damage: {row}" for row in rows if "name" not in row]


ENCODER = Encoder(
    name="liteos_online",
    sources=liteos.SOURCES,
    headers=liteos.ENCODER.headers,
    choices=liteos.ENCODER.choices,
    defines=[*liteos.DEFINES, "-DLOSCFG_RECORDER_MODE_ONLINE"],
    record_path=["OsTraceHook", "event_special", "OsTraceDataSend", "OsTraceMessageEnd", "CalcCrc16"],
    check=check_dump,
    demo=["--limit", "6"],
    goals=[
        Goal("host", "event", 600, "liteos_a 5013"), Goal("host", "masked out", 8, "liteos_a 43"),
    ],
)
