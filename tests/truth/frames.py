# SPDX-License-Identifier: MIT
"""The bytes of ThreadX's trace buffer and of LiteOS's events, for rtos_sim.py. Written from the formats; holds no kernel code."""
import struct

_TABLE = []
for _byte in range(256):
    _crc = _byte << 8
    for _ in range(8):
        _crc = (_crc << 1 ^ 0x1021 if _crc & 0x8000 else _crc << 1) & 0xFFFF
    _TABLE.append(_crc)


def crc16(data):
    crc = 0
    for byte in data:
        crc = crc << 8 & 0xFFFF ^ _TABLE[crc >> 8 ^ byte]
    return crc


def txtb_layout(word, name_bytes):
    """Sizes of the header, of an object and of an event."""
    size = (4 * word if word == 4 else 8 + 3 * word) + name_bytes
    return 48 if word == 4 else 96, (size + word - 1) // word * word, 8 * word


def txtb_header(endian, word, mask, base, n_objects, n_events, current, name_bytes):
    header, size, event = txtb_layout(word, name_bytes)
    letter = "I" if word == 4 else "Q"
    registry = base + header
    ring = registry + n_objects * size
    return (struct.pack(endian + letter * 4, 0x54585442, mask, base, registry) + struct.pack(endian + "HH", 0, name_bytes)
            + (b"\0" * 4 if word == 8 else b"")
            + struct.pack(endian + letter * 7, ring, ring, ring + n_events * event, ring + current * event, 0xAAAAAAAA, 0xBBBBBBBB, 0xCCCCCCCC))


NAMES = {}  # of LiteOS's events, by number
for _first, _names in (
        (0x10, "SYS_ERROR SYS_START SYS_STOP"),
        (0x20, "HWI_CREATE HWI_CREATE_SHARE HWI_DELETE HWI_DELETE_SHARE HWI_RESPONSE_IN HWI_RESPONSE_OUT HWI_ENABLE HWI_DISABLE HWI_TRIGGER "
               "HWI_SETPRI HWI_CLEAR HWI_SETAFFINITY HWI_SENDIPI"),
        (0x40, "TASK_CREATE TASK_PRIOSET TASK_DELETE TASK_SUSPEND TASK_RESUME TASK_SWITCH TASK_SIGNAL"),
        (0x80, "SWTMR_CREATE SWTMR_DELETE SWTMR_START SWTMR_STOP SWTMR_EXPIRED"),
        (0x100, "MEM_ALLOC MEM_ALLOC_ALIGN MEM_REALLOC MEM_FREE MEM_INFO_REQ MEM_INFO"),
        (0x200, "QUEUE_CREATE QUEUE_DELETE QUEUE_RW"),
        (0x400, "EVENT_CREATE EVENT_DELETE EVENT_READ EVENT_WRITE EVENT_CLEAR"),
        (0x800, "SEM_CREATE SEM_DELETE SEM_PEND SEM_POST"),
        (0x1000, "MUX_CREATE MUX_DELETE MUX_PEND MUX_POST")):
    for _n, _name in enumerate(_names.split()):
        NAMES[_first + _n] = _name


class Layout:
    """Where the members of a LiteOS event lie, as options of the kernel's configuration say."""

    def __init__(self, options):
        self.P = options["ptr"]
        self.pc = "I" if self.P == 4 else "Q"
        self.fields = []
        at = 0
        for name, size, n in (("type", 4, 1), ("task", 4, 1), ("pid", 4, int(options["pid"])), ("time", 8, 1), ("identity", self.P, 1),
                              ("core", 4, int(options["core"])), ("count", 4, int(options["count"])), ("lr", self.P, options["lr"]),
                              ("params", self.P, options["params"])):
            if n:
                at = (at + size - 1) // size * size
                self.fields.append((name, at, size, n))
                at += size * n
        self.frame = (at + 7) // 8 * 8
