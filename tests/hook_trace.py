# SPDX-License-Identifier: MIT
"""Recordings of entries with hook words, made by hand (src/dialect/aix/README.md), for tests: independent of embed/aix."""


class Trace:
    """A recording, made by hand."""

    def __init__(self, word, order, clock=1000000, flags=5):
        self.word, self.order, self.stamp = word, order, 0
        self.data = b"RSTA\1" + bytes([order == "big", word, 0]) + clock.to_bytes(4, order) + bytes([flags, 0, 0, 0])

    def put(self, *numbers, size=None):
        for number in numbers:
            self.data += (number % 2 ** (8 * (size or self.word))).to_bytes(size or self.word, self.order)

    def entry(self, hook, data, words=(), variable=None, thread=7, core=1):
        """hook: four digits. 32 bits know none, one, or five words."""
        length = len(variable) if variable is not None else 0
        if self.word == 8:
            flags = 0xc000 if variable is not None else 0x8000
            self.put(flags << 48 | (length or 8 * len(words) * (variable is None)) << 32 | hook << 16 | data)
        else:
            kind = 8 if variable is not None else (9, 10, 14)[min(len(words), 2)]
            words = (*words, 0, 0, 0, 0)[:5] if len(words) > 1 else words
            self.put(hook >> 4 << 20 | kind << 16 | (data if variable is None else length))
        self.put(*words)
        if variable is not None:
            self.data += variable + bytes(-length % self.word)
        self.stamp += 100
        self.put(core)
        self.put(*([thread << 32 | self.stamp] if self.word == 8 else [thread, self.stamp]))
