# SPDX-License-Identifier: MIT
from build import Goal, Encoder

NUMBERS = {0xc0: 0, 0xc1: 15, 0xc2: 24}  # by event


def check_dump(dump, printed, rastrum):
    """Each frame whole, each source in its order, recorded = read + lost."""
    faults, last, rows = [], {}, rastrum.rows(dump)
    faults += [f"damage: {row}" for row in rows if "damage" in row]
    events = [row for row in rows if "name" in row]
    gaps = sum(row["lost"] for row in rows if "lost" in row)
    for row in events:
        if row["id"] not in NUMBERS:
            continue
        number, count, turned = NUMBERS[row["id"]], row["args"]["data1"], row["args"]["data2"]
        turned = int(turned, 16) if isinstance(turned, str) else turned
        if count + number ^ turned != 0xffffffff:
            faults.append(f"no record: {row}")
        if count <= last.get(number, -1):
            faults.append(f"record {count} of {number} after {last[number]}")
        last[number] = count
    if set(last) != set(NUMBERS.values()):
        faults.append(f"sources seen: {sorted(last)}")
    names = {row["name"] for row in events}
    if "RKH_TE_FWK_TCFG" not in names or "RKH_TE_SM_TRN" not in names:
        faults.append(f"seen: {sorted(names)}")
    if "idle" not in rastrum.text(dump):
        faults.append("states have no names")
    n_frames = len(events) - 1  # the configuration is none of the recorded
    if n_frames + printed["lost"] != printed["recorded"] or gaps > printed["lost"] or printed["lost"] == 0:
        faults.append(f"{n_frames} frames, {gaps} of gaps, but {printed}")
    return faults


ENCODER = Encoder(
    name="rkh",
    sources=[f"embed/rkh/rkhtrc_{part}.c" for part in ("record", "filter", "stream", "symbol", "user")],
    sending=["embed/rkh/rkhtrc_raw.c"],  # for programs that put bytes of their own between frames
    headers=["embed/rkh/rkhtrc.h"],
    defines=['-DRKH_CONFIG_H="embed/check/rkh_config.h"'],
    variants=[[], ["-DRKH_CFG_TRC_SMALL_EN=1", "-DRKH_CFG_FWK_ASSERT_EN=1"], ["-DRKH_CFG_TRC_EN=0"],
              ["-DRKH_CFG_TRC_RTFIL_EN=0", "-DRKH_CFG_TRC_SIZEOF_TE_ID=16", "-DRKH_CFGPORT_TRC_SIZEOF_PTR=64"]],
    demo=["--type", "RKH_TE_SM*,RKH_TE_USER*", "--limit", "12"],
    may_call=r"rkh_trc_getts|rkh_trc_flush|rkh_assert",
    record_path=["rkh_trc_address_", "rkh_trc_end", "rkh_trc_frame_put_"],
    check=check_dump,
    goals=[
        Goal("host", "one address", 80, "RKH 350, QP/Spy 315 with a mutex"),
        Goal("host", "one address, recursive mutex", 200, "RKH 432, QP/Spy 315"),
        Goal("m0 -Os", "whole", 1200, "RKH 1676"),
    ],
)
