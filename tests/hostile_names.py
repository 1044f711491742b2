# SPDX-License-Identifier: MIT
"""Recordings of every dialect whose names and texts were made to do harm where they are shown."""
import re
import struct
import zlib

import gen_compact as compact
import posix_log
from hook_trace import Trace
from rkh import ESCAPE, FLAG, TURNED, frames, unstuff
from tap import slurp
from threadx_events import OWN_PRIORITY, THREAD, image, read_events_table

# A line of this must never stand by itself: a name has no line end of its own.
FORGED = "FORGED"
PIECES = [b"\x1b]0;PWN\x07", b"n\n" + FORGED.encode() + b" 1\r", b"q\"u'o;t,e|<&>`$(x)", b"b\xe2\x80\xaei\xe2\x81\xa6d\xd8\x9ci", b"bad\xff\xc3(\xed\xa0\x80",
          b"c1\xc2\x9b31m\xc2\x85", b"</script><b>", b"]]>--><!--", b"=cmd|'/C x'!A0", b"bs\\x0a\\n\\", b"tab\t\x7fdel", b"\xe4\xbb\xbb\xf0\x9f\x98\x80\xf0\x9f\x98\x80",
          b"$end #{}%s%n", b"a;b c\xe2\x80\xa8z", b"-1+1", b"@x\xef\xbb\xbfy"]


def shaped(name):
    """A hostile name of as many bytes, always the same one for a name."""
    n = len(name)
    fitting = [piece for piece in PIECES if len(piece) < n] or [b"\n", b"\x1b", b"\xff", b'"', b"<", b"\xc2", b"="]
    piece = fitting[zlib.crc32(name) % len(fitting)]
    return piece + name[len(piece):]


def threadx():
    """Every event of every object, with objects of every kind, all of them named."""
    kinds = [1, 1, 1, 2, 3, 4, 5, 6, 7, 8]
    addresses = [THREAD + 0x100 * i for i in range(2 * len(PIECES))]
    objects = [(kinds[i % len(kinds)], address, PIECES[i % len(PIECES)][:30] + bytes([65 + i % 26]), 5, 0) for i, address in enumerate(addresses)]
    threads = [o[1] for o in objects if o[0] == 1]
    table = read_events_table()
    rows = []
    for turn in range(4):
        for i, (number, (_, words)) in enumerate(sorted(table.items())):
            values = [0] * 4
            for place, word in enumerate(words[:4]):
                if word:
                    wanted = {"THREAD": 1, "TIMER": 2, "QUEUE": 3, "SEMAPHORE": 4, "MUTEX": 5, "EVENT_FLAGS": 6, "BLOCK_POOL": 7, "BYTE_POOL": 8}.get(word[2])
                    of_kind = [o[1] for o in objects if wanted in (None, o[0])]
                    values[place] = of_kind[(i + turn + place) % len(of_kind)]
            rows.append((threads[(i + turn) % len(threads)], OWN_PRIORITY, number, values))
    # One holds a lock, others wait for it.
    lock = next(o[1] for o in objects if o[0] == 5)
    for i in range(40):
        who = threads[i % len(threads)]
        rows += [(who, OWN_PRIORITY, 52, (lock, 0xFFFFFFFF, threads[(i + 1) % len(threads)], 1)), (who, OWN_PRIORITY, 57, (lock, 0, 0, 0))]
    return image(objects, rows)


def posix():
    log = posix_log.Log(host=PIECES[0], command=b"./" + PIECES[1] + PIECES[2])
    log.add("attributes", posix_log.ATTRIBUTES, posix_log.attributes(name=PIECES[3], version=PIECES[4]))
    log.add("clock pair", posix_log.PAIR, posix_log.pair(1000, 1000))
    log.add("memory", posix_log.MODULE, posix_log.module(100, 0x400000, 0x10000, 0, b"/tmp/" + PIECES[0] + PIECES[5], b"12345678"))
    for i, piece in enumerate(PIECES):
        log.add("a thread", posix_log.TASK, posix_log.task(100, 100 + i, piece[:16]))
        log.add("a type", posix_log.TYPE, posix_log.event_type(70 + i, piece, (piece[:31], posix_log.UNSIGNED, 4), (b"t", posix_log.TEXT, 24),
                                                              (piece[:30] + b"2", posix_log.TEXT, 0)))
        log.add("a type without fields", posix_log.TYPE, posix_log.event_type(100 + i, b"bare " + piece))
    for number, name in ((65, b"sched_in"), (66, b"sched_wait"), (67, b"sched_preempt")):
        log.add("switches", posix_log.TYPE, posix_log.event_type(number, name))
    given, ticks = [], 2000
    for i, piece in enumerate(PIECES):
        tid = 100 + i
        for number, data in ((65, b""), (70 + i, struct.pack("<I", i) + piece[:23].ljust(24, b"\0") + piece + b" and more"), (100 + i, piece), (100 + i, piece + b"\n\0"), (66, b"")):
            given.append(posix_log.event(number, ticks, data, tid=tid, cpu=i % 2))
            ticks += 10
    log.add("events", posix_log.EVENTS, posix_log.events(*given))
    return log.add("end", posix_log.END, posix_log.end(len(given))).bytes()


def of_compact():
    names = [(kind, n, PIECES[(kind + n) % len(PIECES)] + b"%d" % n) for kind, n, text in compact.NAMES if kind != compact.CLOCK]
    names += [(11, n, piece) for n, piece in enumerate(PIECES[:8])] + [(12, 0, PIECES[1])]
    head = b"".join(bytes([kind]) + compact.number(n) + bytes([len(text)]) + text for kind, n, text in names)
    out = compact.block(b"n", bytes([0]) + compact.number(1000000) + b"\0")
    for at in range(0, len(names), 4):
        out += compact.block(b"n", b"".join(bytes([k]) + compact.number(n) + bytes([len(t)]) + t for k, n, t in names[at:at + 4]))
    assert head
    below = __import__("random").Random(7).randrange
    records, first = b"", 0
    for count, (event, values) in zip(range(260), compact.events(below)):
        records += bytes([event << 2 | len(values)]) + compact.number(40) + b"".join(map(compact.number, values))
        if len(records) > 80:
            out += compact.block(b"e", records, first, 40 * first)
            records, first = b"", count + 1
    return out


def aix():
    trace = Trace(8, "little")
    for i, piece in enumerate(PIECES):
        trace.entry(0x0100 + 16 * (i % 3), i, (i, 2, 3), thread=7 + i % 2)
        trace.entry(0x0110, i, (len(piece),), variable=piece + b"\0", thread=7)
    return trace.data


def liteos():
    data = slurp("tests/data/liteos/a_arm32_smp4_core_count/offline.bin")
    for name in (b"dyn_26", b"dyn_30", b"tcpip_thread", b"dyn_41", b"SendToSer", b"TestTraceTsk", b"app_Task", b"dyn_36"):
        data = data.replace(name + b"\0", shaped(name) + b"\0")
    return data


# Names of objects, signals, user events; text of assertions (tests/rkh.py).
NAMES_OF_RKH = (0xA6, 0xA7, 0xA8, 0xAB, 0xAD, 0xAE, 0xAF, 0xB0, 0xB1, 0xB2, 0xB3, 0xB4)


def rkh():
    out = bytes([FLAG])
    for frame in frames(slurp("tests/data/rkh/r1_default.bin")):
        try:
            plain = unstuff(frame)
        except Exception:  # pylint: disable=broad-except
            continue
        turned = plain[:-1]
        if plain[0] in NAMES_OF_RKH:
            turned = re.sub(rb"[A-Za-z_][ -~]{2,}(?=\0)", lambda match: shaped(match.group()), turned)
        turned += bytes([(plain[-1] + sum(plain[:-1]) - sum(turned)) & 0xFF])
        for byte in turned:
            out += bytes([ESCAPE, byte ^ TURNED]) if byte in (FLAG, ESCAPE) else bytes([byte])
        out += bytes([FLAG])
    return out


def store(data, keeps=()):
    """A store with other names and the right checksums: what somebody may give away. keeps: texts that stay."""
    out, at, dialects = bytearray(data), 32, (b"threadx", b"posix", b"liteos", b"rkh", b"compact", b"aix", b"store")
    while data[at:at + 4] == b"RSBK":
        kind, n = struct.unpack_from("<IQ", data, at + 4)
        if kind == 1:
            out[at + 32:at + 32 + n] = _texts(data[at + 32:at + 32 + n], (*dialects, *keeps))
            struct.pack_into("<I", out, at + 24, zlib_crc32c(out[at + 32:at + 32 + n]))
            struct.pack_into("<I", out, at + 28, zlib_crc32c(out[at:at + 28]))
        at += 32 + (n + 7) // 8 * 8
    return bytes(out)


def zlib_crc32c(data):
    return posix_log.crc32c(bytes(data))


def _texts(payload, keeps):
    """Each text of four bytes and more in place of another one: its length + 1, its bytes."""
    out, at = bytearray(payload), 0
    while at < len(payload):
        n = payload[at] - 1
        text = payload[at + 1:at + 1 + n]
        if 4 <= n < 100 and len(text) == n and re.fullmatch(rb"[A-Za-z_][\w .,:$/()>@+-]*", text):
            if text not in keeps:
                out[at + 1:at + 1 + n] = shaped(text)
            at += n
        at += 1
    return bytes(out)
