# SPDX-License-Identifier: MIT
"""`make amalgam`: all of an encoder in one header and one source file, for projects that copy files."""
import os
import re

import build

INCLUDE = re.compile(r'#include "(embed/[^"]+)"\n')
SPDX = re.compile(r"/\* SPDX-License-Identifier: MIT \*/\n")
# What a program may choose that is more than a header.
PORT_SOURCES = {"embed/port/port_pthread.c": "RASTRUM_PORT_PTHREAD", "embed/port/port_c11.c": "RASTRUM_PORT_C11"}


class Amalgam:
    def __init__(self, encoder):
        self.encoder = encoder
        self.done = set()  # headers that are in

    def inline(self, path):
        """The text of a file with ours in the place of each #include, each header where it first comes. Those that
        port.h chooses from stand in branches, so what two of them include is in both."""
        text = SPDX.sub("", open(os.path.join(build.TOP, path), encoding="utf-8").read(), count=1)

        def one(found):
            header = found.group(1)
            if header in self.done:
                return ""
            if not header.startswith("embed/port/") or header == "embed/port/port.h":
                self.done.add(header)
            return self.inline(header)

        return f"\n/* --- {path} --- */\n\n" + INCLUDE.sub(one, text).lstrip("\n")

    def header(self):
        parts = []
        for path in self.encoder.headers:
            if path not in self.done:
                self.done.add(path)
                parts.append(self.inline(path))
        return "".join(parts)

    def source(self):
        parts = [self.inline(path) for path in self.encoder.sources + self.encoder.sending]
        for path, choice in {**self.encoder.choices, **PORT_SOURCES}.items():
            parts.append(f"\n#ifdef {choice}\n{self.inline(path)}\n#endif\n")
        return "".join(parts)


def write(encoder, folder):
    """Writes both files; returns the path of the source."""
    amalgam = Amalgam(encoder)
    name = f"rastrum_{encoder.name}"
    head = (f"/* SPDX-License-Identifier: MIT */\n/* Rastrum's recorder for targets, {encoder.name}: all of it in two files, "
            f"made of the files named below. */\n")
    header = amalgam.header()
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".h"), "w", encoding="utf-8") as out:
        guard = name.upper() + "_H"
        out.write(f"{head}#ifndef {guard}\n#define {guard}\n{header}\n#endif\n")
    path = os.path.join(folder, name + ".c")
    with open(path, "w", encoding="utf-8") as out:
        out.write(f'{head}#include "{name}.h"\n{amalgam.source()}')
    return path


def main():
    import argparse

    import rows
    options = argparse.ArgumentParser()
    options.add_argument("--folder", default="build/amalgam")
    options.add_argument("encoders", nargs="*")
    given = options.parse_args()
    for encoder in rows.encoders(given.encoders):
        if encoder.headers:
            path = write(encoder, given.folder)
            print(f"{path[:-2]}.h, {os.path.basename(path)}")


if __name__ == "__main__":
    main()
