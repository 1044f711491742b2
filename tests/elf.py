#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Small ELF files for tests: a header, sections for code and data, and a table of symbols, for either size and byte order.

Run as a program it writes tests/data/symbols/*.elf, the programs of the goldens: `tests/elf.py`. tests/cli/symbols.t
compares them with what it would write.
"""
import os
import struct

ARM, X86_64, PPC = 40, 62, 20
NOTYPE, OBJECT, FUNC, SECTION, FILE = 0, 1, 2, 3, 4
EXEC, DYN, REL = 2, 3, 1
CODE, DATA = 1, 2  # the sections that symbols are in
CODE_AT, DATA_AT, SECTION_BYTES = 0x8000, 0x20000000, 0x10000
ABSOLUTE = 0xfff1


def elf(symbols, bits=32, big=False, machine=ARM, kind=EXEC, stripped=False, build_id=None,
        load=None, code_at=CODE_AT, data_at=DATA_AT):
    """
    symbols: (name, address, size, type, section), with a sixth member True for one that is local. A FILE begins the local
    symbols of a source file. load: (place in the file, address, bytes) of a program header. Sections have no bytes in the file, but for the tables.
    """
    order, is_64 = ">" if big else "<", bits == 64
    names, strings = {"": 0}, bytearray(b"\0")

    def name_of(text):
        if text not in names:
            names[text] = len(strings)
            strings.extend(text.encode("utf-8", "surrogateescape") + b"\0")
        return names[text]

    def symbol(name, address=0, size=0, kind=NOTYPE, section=0, is_local=False):
        is_local = is_local or kind == FILE
        info = (0 if is_local else 1) << 4 | kind
        if is_64:
            return struct.pack(order + "IBBHQQ", name_of(name), info, 0, ABSOLUTE if kind == FILE else section, address, size)
        return struct.pack(order + "IIIBBH", name_of(name), address, size, info, 0, ABSOLUTE if kind == FILE else section)

    local = [one for one in symbols if (len(one) > 5 and one[5]) or (len(one) > 3 and one[3] == FILE)]
    table = symbol("") + b"".join(symbol(*one) for one in local + [one for one in symbols if one not in local])
    note = b""
    if build_id:
        note = struct.pack(order + "III", 4, len(build_id), 3) + b"GNU\0" + build_id
    heads = "\0.text\0.data\0.symtab\0.strtab\0.shstrtab\0.note.gnu.build-id\0"
    # name, type, flags, address, bytes in the file, size in memory, link, info, size of an entry
    sections = [("", 0, 0, 0, b"", 0, 0, 0, 0), (".text", 8, 6, code_at, b"", SECTION_BYTES, 0, 0, 0),
                (".data", 8, 3, data_at, b"", SECTION_BYTES, 0, 0, 0)]
    if build_id:
        sections.append((".note.gnu.build-id", 7, 2, 0, note, len(note), 0, 0, 0))
    if not stripped:
        sections.append((".symtab", 2, 0, 0, table, len(table), len(sections) + 1, len(local) + 1, 24 if is_64 else 16))
        sections.append((".strtab", 3, 0, 0, bytes(strings), len(strings), 0, 0, 0))
    sections.append((".shstrtab", 3, 0, 0, heads.encode(), len(heads), 0, 0, 0))
    head_bytes, program = (64, b"") if is_64 else (52, b"")
    if load:
        offset, address, size = load
        program = (struct.pack(order + "IIQQQQQQ", 1, 5, offset, address, address, size, size, 4) if is_64 else
                   struct.pack(order + "IIIIIIII", 1, offset, address, address, size, size, 5, 4))
    at = head_bytes + len(program)
    bodies, rows = b"", b""
    for name, section_kind, flags, address, body, size, link, info, entry in sections:
        offset = at + len(bodies) if section_kind not in (0, 8) else 0
        rows += struct.pack(order + ("IIQQQQIIQQ" if is_64 else "IIIIIIIIII"), heads.index("\0" + name + "\0") + 1 if name else 0,
                            section_kind, flags, address, offset, size, link, info, 4 if section_kind else 0, entry)
        bodies += body + bytes(-len(body) % 8)
    head = b"\x7fELF" + bytes([2 if is_64 else 1, 2 if big else 1, 1]) + bytes(9)
    head += struct.pack(order + ("HHIQQQIHHHHHH" if is_64 else "HHIIIIIHHHHHH"), kind, machine, 1, code_at,
                        head_bytes if load else 0, at + len(bodies), 0, head_bytes, 56 if is_64 else 32, 1 if load else 0, 64 if is_64 else 40, len(sections), len(sections) - 1)
    return head + program + bodies + rows


def data(name, address, size=4, **more):
    return (name, address, size, OBJECT, DATA, *more.values())


def code(name, address, size=0x20, **more):
    return (name, address, size, FUNC, CODE, *more.values())


PROGRAMS = {
    "threadx": elf([data("thread_0", 0x2000beef, 176), data("worker_thread", 0x20008000, 176), code("thread_entry", 0x1001)],
                   code_at=0x1000),
    "rkh": elf([data("pump_sma", 0x20000010), data("_ZN5valve4idleE", 0x20000100), data("valve_busy", 0x20000140),
                ("a.c", 0, 0, FILE), code("on_entry", 0x8001, 0x20, local=True),
                ("b.c", 0, 0, FILE), code("on_entry", 0x8021, 0x20, local=True)]),
    "liteos": elf([data("console_mutex", 0x4000), code("uart_isr", 0x40001000)], code_at=0x40001000, data_at=0x4000),
    "compact": elf([data("packet_store", 0x20001000, 4096), data("heap", 0x400, 64)], data_at=0x20001000),
    "posix": elf([code("_ZN4pump5startEi", 0x1008)], bits=64, machine=X86_64, kind=DYN, build_id=b"\xab" * 20,
                 load=(0x2000, 0x1000, 0x1000), code_at=0x1000),
    "big": elf([data("elsewhere", 0x30000000)], big=True, machine=PPC, data_at=0x30000000),
    # Everything that src/symbol/*_test.c asks for, once for each kind of machine.
    "thumb": elf([("$t", 0x8000, 0, NOTYPE, CODE, True), ("a.c", 0, 0, FILE), code("start", 0x8001, 0x10, local=True),
                  data("count", 0x20000004, local=True), ("b.c", 0, 0, FILE), code("start", 0x8011, 0x10, local=True),
                  code("alone", 0x8021, 0x10, local=True), code("no_size", 0x8101, 0), code("after", 0x8141, 8),
                  code("last", 0xa001, 0), ("weak_name", 0x8041, 8, FUNC, CODE), code("count", 0x8051, 4),
                  ("Reset_Handler", 0x8200, 0, NOTYPE, CODE), ("__data_start", 0x20000000, 0, NOTYPE, DATA),
                  data("table", 0x20000000, 64), ("SIZE", 0x40, 0, NOTYPE, ABSOLUTE), ("absent", 0, 0, FUNC, 0)]),
    "be64": elf([code("_RNvC5crate4main", 0x123456789000, 0x40), code("_ZN2ns6worker3runEi", 0x123456789040, 0x40),
                 data("_ZN2ns5countE", 0x7fff00001000, 8)], bits=64, big=True, machine=21, code_at=0x123456789000,
                data_at=0x7fff00001000),
    "object": elf([code("start", 0)], kind=REL),
    "stripped": elf([], stripped=True),
}


def main():
    for name, content in PROGRAMS.items():
        with open(f"tests/data/symbols/{name}.elf", "wb") as out:
            out.write(content)


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    main()
