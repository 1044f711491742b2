#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Makes a large file of AIX templates with every construct of the language, and entries for it: input for
`rastrum bench template` and for tests. The same seed gives the same files.

    gen_trcfmt.py [--lines 3000] [--seed 1] [--entries N --entries-out FILE] > templates.trcfmt

An entry is a line: the bits of its words, a blank, hook word and data in hexadecimal.
"""
import argparse
import random

WORDS = ("open close read write poll wake sleep queue dequeue lock unlock map unmap start finish retry drop send recv "
         "flush commit abort attach detach grow shrink").split()
NAMES = "fd len off addr flags mode rc vnode inode blk cnt prio cpu qid seq state owner port chan mask".split()
FLAGS = "BUSY DIRTY WANT ASYNC SYNC READ WRITE DONE ERR LOCKED PINNED SHARED".split()
ERRORS = "EPERM ENOENT EINTR EIO EINVAL EBUSY".split()
SCALARS = ["X1", "X2", "X4", "XW", "U1", "U2", "U4", "UW", "D1", "D2", "D4", "o2", "o4", "B1", "B0.8", "HT", "$HD",
           "$D1", "$D2%U4", "$D3%D4", "$HL%U2", "E2"]
MOVES = ["G4", "O2.0", "O1", "R1", "R0", "W1", "G4.4 B0.4", "W2", "O0.4 B0.4"]


class Templates:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def word(self):
        return self.random.choice(WORDS)

    def name(self):
        return self.random.choice(NAMES)

    def scalar(self):
        return self.random.choice(SCALARS)

    def macro(self):
        name, pick = "v" + self.name(), self.random
        value, sign = pick.choice(["X1", "U2", "$HD", "$D1", "7"]), pick.choice("+-*/")
        return f"{{{{ ${name} = {value} {sign} {pick.randint(1, 9)} }}}} ${name}%{pick.choice(['X4', 'U4', 'D4', 'B0.8'])}"

    def timers(self):
        hook = self.random.randint(0x300, 0x3FF)
        return f"endtimer(0x{hook:03X},$D1) starttimer(0x{hook:03X},$D1)"

    def item(self, depth):
        kind, pick = self.random.randrange(16), self.random
        if kind == 0:
            return f'"{self.word()} "'
        if kind == 1:
            return f"{self.name()}={self.scalar()}"
        if kind == 2:
            return f'"{self.word()}: " {self.scalar()}'
        if kind == 3:
            return f"\\n \\t {self.name()}=$D{pick.randint(1, 5)}"
        if kind == 4:
            return f"`{self.word()} $HD%U2 of $D1`"
        if kind == 5 and depth:
            return self.switch(depth - 1)
        if kind == 6 and depth:
            return "LOOP HB {%s}" % pick.choice(["X0", "X1", "A0", '"." X1'])
        if kind == 7:
            return self.macro()
        if kind == 8:
            return self.bitflags()
        if kind == 9:
            return pick.choice(MOVES)
        if kind == 10:
            return f"A{pick.choice([4, 8, 16])}.{pick.choice([8, 12, 16])}"
        if kind == 11:
            return "pid=$PID tid=$TID cpu=$CPUID"
        if kind == 12:
            return f"$9{pick.randrange(16):02X}"
        if kind == 13:
            return self.timers()
        if kind == 14:
            return f"{self.word()} {self.name()} {self.scalar()}"
        return self.scalar()

    def case_body(self, depth):
        return self.random.choice([f'"{self.word()}"', self.word().upper(),
                                   "{ %s }" % self.body(depth, 1 + self.random.randrange(3))])

    def switch(self, depth):
        selector, values = self.random.choice([
            ("$HD", [f"{i:X}" for i in range(12)]), ("X1", [f"{i:02X}" for i in range(9)]),
            ("U2", [str(i) for i in range(9)]), ("$HOOKENV", ["32", "64"]), ("HT", ["1", "2", "6", "9", "A", "E"]),
            ("B0.2", ["0", "1", "10", "11"]), ("E2", list(ERRORS))])
        self.random.shuffle(values)
        cases = [f"{value} {self.case_body(depth)}" for value in values[:self.random.randint(1, len(values))]]
        if self.random.random() < .7:
            cases.append('\\* "other"' if self.random.random() < .5 else "\\* { $HD }")
        return selector + ", \\\n\t" + ", \\\n\t".join(cases)

    def bitflags(self):
        rows, pick = [], self.random
        for i in range(pick.randint(1, 5)):
            if pick.random() < .25:
                rows.append(f'& 0{3 << (2 * i):X} {1 << (2 * i):X} "{pick.choice(FLAGS)} "')
            elif pick.random() < .4:
                rows.append(f'{1 << i:X} "{pick.choice(FLAGS)[0]}" "-"')
            else:
                rows.append(f'{1 << i:X} "{pick.choice(FLAGS)} "')
        return f"BITFLAGS {pick.choice(['$HD', 'X2', '$D1%X4', '$D2'])}, \\\n\t" + ", \\\n\t".join(rows)

    def body(self, depth, n_items):
        return " ".join(self.item(depth) for _ in range(n_items))

    def stanza(self, hook):
        pick = self.random
        comment = [f"# {self.word()} {self.word()}"] if pick.random() < .2 else []
        label = pick.choice(['"%s %s"', '"@%s %s"', '"%s.%s"']) % (self.word().upper(), self.word())
        parts = [self.body(2, pick.randint(1, 4)) for _ in range(pick.randint(1, 5))]
        level = pick.choice(["", " L=APPL", " L=SVC", " L=KERN", " L=INT"])
        return comment + [f"{hook} {pick.randint(1, 3)}.{pick.randint(0, 30)}{level} {label} \\\n\t"
                          + " \\\n\t".join(parts)]

    def entry(self, hook):
        pick = self.random

        def words(n):
            return "".join(f"{pick.getrandbits(32):08X}" for _ in range(n))

        def variable():
            return bytes(pick.randrange(256) for _ in range(pick.randint(1, 64))).hex().upper()

        if len(hook) == 3 and pick.random() < .6:
            shape = pick.choice([9, 0xA, 0xE, 0xE, 8])
            if shape == 8:
                data = variable()
                return f"32 {hook}8{len(data) // 2:04X}{words(1)}{data}"
            return f"32 {hook}{shape:X}{pick.randrange(64):04X}{words({9: 0, 0xA: 1, 0xE: 5}[shape])}"
        n_words, hook = pick.randint(0, 5), hook if len(hook) == 4 else hook + "0"
        if pick.random() < .2:
            data = variable()
            return f"64 C000{len(data) // 2:04X}{hook}{pick.randrange(64):04X}{words(2)}{data}"
        return f"64 8000{8 * n_words:04X}{hook}{pick.randrange(64):04X}{words(2 * n_words)}"


SUBROUTINES = ["X2 U2", '" [" $HD "]"', 'BITFLAGS $HD, 1 "R" "-", 2 "W" "-"', "G4 {{ $first }} X4",
               '$HD, 1 "on", 0 "off", \\* "??"']


def hook_of(number):
    """Three digits as long as they last, then four that do not end in 0."""
    if number < 0x900:
        return f"{number:03X}"
    high = 0xA001 + number
    return f"{high + (high % 16 == 0):04X}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--entries", type=int, default=0)
    parser.add_argument("--entries-out")
    args = parser.parse_args()

    templates, hooks = Templates(args.seed), []
    lines = [f"# generated templates, seed {args.seed}",
             '007 1.0 L=KERN "UNKNOWN HOOK" id $TRACEID type HT data $HD \\\n'
             "\t$GENERIC, 1 { $D1 len HB \\n LOOP HB {X1} }, \\* { $D1 $D2 $D3 $D4 $D5 }",
             '008 1.0 "@DEFAULT" $HD $D1 $D2 $D3 $D4 $D5']
    lines += [f'9{i:02X} 1.{i} "" {templates.random.choice(SUBROUTINES)}' for i in range(16)]
    n_lines = sum(line.count("\n") + 1 for line in lines)
    while n_lines < args.lines - 12:
        hooks.append(hook_of(0x101 + len(hooks)))
        added = templates.stanza(hooks[-1])
        n_lines += sum(line.count("\n") + 1 for line in added)
        lines += added
    lines += ["# end of list"] * (args.lines - n_lines)
    print("\n".join(lines))
    if args.entries:
        with open(args.entries_out, "w", encoding="ascii") as out:
            for _ in range(args.entries):
                out.write(templates.entry(templates.random.choice(hooks)) + "\n")


main()
