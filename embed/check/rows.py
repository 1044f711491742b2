# SPDX-License-Identifier: MIT
"""The encoders: every program NAME.c of this folder that has a row NAME.py."""
import glob
import importlib.util
import os

import build


def encoders(names=()):
    found = []
    for path in sorted(glob.glob(os.path.join(build.HERE, "*.c"))):
        row = path[:-2] + ".py"
        if os.path.exists(row):
            spec = importlib.util.spec_from_file_location(os.path.basename(row)[:-3], row)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            found.append(module.ENCODER)
    return [v for v in found if not names or v.name in names]
