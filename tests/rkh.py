# SPDX-License-Identifier: MIT
"""A small decoder of RKH streams: frames into calls (tests/embed/rkh_replay.c), configurations into switches."""
import struct

FLAG, ESCAPE, TURNED = 0x7e, 0x7d, 0x20
TCFG = 0xac

# Types of arguments by id, in 8-bit form: group and number. The widths of types are in a configuration.
EVENTS = """
00 ptr nblk bsize|01 ptr nblk mp_nmin|02 ptr nblk|20 ptr ptr ne|21 ptr ne|22 ptr ne que_nmin|23 ptr ne que_nmin|24 ptr|25 ptr
26 ptr|40 ptr u8 u8|41 ptr u8|42 ptr sig u8 u8 ne que_nmin|43 ptr sig sndr u8 u8 ne que_nmin
44 ptr sig sndr u8 u8 ne que_nmin|45 ptr u8|46 ptr u8|47 ptr sig|48 ptr sig|60 ptr ptr|61 ptr ptr|62 ptr ptr ptr|63 ptr ptr
64 ptr ptr|65 ptr ptr|66 ptr u8 u8|67 ptr u8 u8|68 ptr ptr|69 ptr|6a ptr sig|6b ptr|6c ptr|6d ptr|6e ptr|6f ptr
70 u8 ptr ptr fptr|71 ptr sig ptr|80 ptr sig|81 ptr ptr ntick ntick|82 ptr ntick ntick|83 ptr sig ptr|84 ptr|a0|a1
a2 u8 u32 es nblk|a3 es sig u8 u8 nblk mp_nmin ptr|a4 sig u8 u8|a5 sig u8 u8 nblk mp_nmin ptr|a6 ptr str|a7 sig str
a8 ptr str|a9 fptr|aa fptr sndr sndr|ab te str|ad str u16|ae ptr str|af ptr ptr str|b0 ptr ptr str|b1 ptr str|b2 u8 str
b3 ptr str|b4 ptr str
"""
ARGUMENTS = {int(row.split()[0], 16): row.split()[1:] for row in EVENTS.replace("\n", "|").split("|") if row.strip()}
OPTIONS = ["sender", "rtfil", "user", "all", "mp", "que", "sma", "tmr", "sm", "fwk", "assert", "que_low", "mp_low",
           "fil_sma", "fil_signal", "seq", "stamp", "chk"]
SWITCHES = {"sender": "SMA_TRC_SNDR_EN", "rtfil": "TRC_RTFIL_EN", "user": "TRC_USER_TRACE_EN", "all": "TRC_ALL_EN",
            "mp": "TRC_MP_EN", "que": "TRC_QUE_EN", "sma": "TRC_SMA_EN", "tmr": "TRC_TMR_EN", "sm": "TRC_SM_EN",
            "fwk": "TRC_FWK_EN", "assert": "TRC_ASSERT_EN", "que_low": "QUE_GET_LWMARK_EN", "mp_low": "MP_GET_LWM_EN",
            "fil_sma": "TRC_RTFIL_SMA_EN", "fil_signal": "TRC_RTFIL_SIGNAL_EN", "seq": "TRC_NSEQ_EN",
            "stamp": "TRC_TSTAMP_EN", "chk": "TRC_CHK_EN"}


class Bad(Exception):
    pass


class Config:
    """What a target was built with: until it is announced, what readers take for granted."""

    def __init__(self, te=1):
        self.te, self.version, self.pools = te, 0x3400, 4
        self.on = {name: name not in ("sender", "que_low", "mp_low") for name in OPTIONS}
        self.width = {"sig": 1, "ts": 4, "ptr": 4, "ntick": 2, "nblk": 1, "ne": 1, "es": 2, "bsize": 1}

    def announce(self, body):
        self.version, options, a, b, c, d, e, hz = struct.unpack("<HIBBBBBH", body)
        self.on = {name: bool(options >> bit & 1) for bit, name in enumerate(OPTIONS)}
        self.width = {"sig": a >> 4, "ts": a & 15, "ptr": b >> 4, "ntick": b & 15, "nblk": c >> 4, "ne": c & 15,
                      "es": d & 15, "bsize": e >> 4}
        self.pools = e & 15
        return hz

    def of(self, kind):
        """Bytes of a type; 0 when it is absent."""
        fixed = {"u8": 1, "u16": 2, "u32": 4, "te": self.te, "fptr": self.width["ptr"],
                 "sndr": self.width["ptr"] * self.on["sender"], "mp_nmin": self.width["nblk"] * self.on["mp_low"],
                 "que_nmin": self.width["ne"] * self.on["que_low"]}
        return fixed[kind] if kind in fixed else self.width[kind]

    def switches(self):
        """As arguments of a compiler."""
        values = {f"RKH_CFG_{SWITCHES[name]}": int(on) for name, on in self.on.items()}
        bits = {name: 8 * n for name, n in self.width.items()}
        values.update({"RKH_CFG_FWK_SIZEOF_EVT": bits["sig"], "RKH_CFGPORT_TRC_SIZEOF_TSTAMP": bits["ts"],
                       "RKH_CFGPORT_TRC_SIZEOF_PTR": bits["ptr"], "RKH_CFGPORT_TRC_SIZEOF_FUN_PTR": bits["ptr"],
                       "RKH_CFG_TMR_SIZEOF_NTIMER": bits["ntick"], "RKH_CFG_MP_SIZEOF_NBLOCK": bits["nblk"],
                       "RKH_CFG_QUE_SIZEOF_NELEM": bits["ne"], "RKH_CFG_FWK_SIZEOF_EVT_SIZE": bits["es"],
                       "RKH_CFG_MP_SIZEOF_BSIZE": bits["bsize"], "RKH_CFG_FWK_MAX_EVT_POOL": self.pools,
                       "RKH_CFG_TRC_SIZEOF_TE_ID": 8 * self.te, "RKH_VERSION_CODE": self.version,
                       "RKH_CFG_TRC_SM_EXE_ACT_EN": 1})
        return [f"-D{name}={value}" for name, value in values.items()]


def frames(stream):
    """The bytes between flags, from the first one on."""
    return [part for part in stream[stream.index(FLAG) + 1:].split(bytes([FLAG]))[:-1] if part]


def unstuff(frame):
    out, is_escaped = bytearray(), False
    for byte in frame:
        if byte == ESCAPE and not is_escaped:
            is_escaped = True
        else:
            out.append(byte ^ TURNED if is_escaped else byte)
            is_escaped = False
    if is_escaped:
        raise Bad("escape at the end")
    return bytes(out)


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, n_bytes):
        if self.at + n_bytes > len(self.data):
            raise Bad("too short")
        self.at += n_bytes
        return int.from_bytes(self.data[self.at - n_bytes:self.at], "little")

    def text(self):
        end = self.data.find(0, self.at)
        if end < 0:
            raise Bad("no end of a text")
        found, self.at = self.data[self.at:end], end + 1
        return "s" + found.hex()

    def memory(self):
        n_bytes = self.number(1)
        if self.at + n_bytes > len(self.data):
            raise Bad("too short")
        self.at += n_bytes
        return "s" + self.data[self.at - n_bytes:self.at].hex()


def elements(cursor, config):
    sizes = [1, 1, 2, 2, 4, 4, 4, None, None, config.of("ptr"), config.of("fptr"), config.of("sig")]
    while cursor.at < len(cursor.data):
        form = cursor.number(1)
        kind = form & 15
        if kind >= len(sizes):
            raise Bad("kind of element")
        value = cursor.text() if kind == 7 else cursor.memory() if kind == 8 else cursor.number(sizes[kind])
        yield f"e{kind}.{form >> 4}.{value}"


class Stream:
    """calls: (frame as it was sent, line for the replay)."""

    def __init__(self, data, te=1):
        self.config, self.calls, self.n_bad = Config(te), [], 0
        self.seq = None
        for frame in frames(data):
            try:
                self.calls.append((frame, self.call(unstuff(frame))))
            except Bad:
                self.n_bad += 1

    def short(self, ident):
        """An id as it is in 8 bits."""
        shift = 8 * self.te_bits()
        return ident if self.config.te == 1 else (ident >> shift) << 5 | ident & 31

    def te_bits(self):
        return self.config.te - 1

    def call(self, body):
        config, cursor = self.config, Cursor(body)
        ident = cursor.number(config.te)
        if self.short(ident) == TCFG:
            if len(body) not in (config.te + 13, config.te + 14):
                raise Bad("configuration")
            return f"{ident} 0 {config.announce(body[config.te:config.te + 13])}"
        if config.on["chk"]:
            if sum(body) & 255:
                raise Bad("checksum")
            cursor.data = body[:-1]
        return self.record(ident, cursor)

    def record(self, ident, cursor):
        config, short, gap = self.config, self.short(ident), 0
        seq = cursor.number(1) if config.on["seq"] else None
        stamp = cursor.number(config.of("ts")) if config.on["stamp"] else 0
        if 0xc0 <= short < 0xe0:
            words = list(elements(cursor, config))
        elif short not in ARGUMENTS:
            raise Bad("id")
        else:
            words = [cursor.text() if kind == "str" else str(cursor.number(config.of(kind)))
                     for kind in ARGUMENTS[short] if kind == "str" or config.of(kind)]
        if cursor.at != len(cursor.data):
            raise Bad("too long")
        if seq is not None:
            gap = (seq - (255 if self.seq is None else self.seq) - 1) % 256
            self.seq = seq
        skip = f"skip {gap}\n" if gap else ""
        return f"{skip}{ident} {stamp} {' '.join(words)}"

    def lines(self):
        return "".join(line + "\n" for _, line in self.calls)

    def bytes(self):
        """What a recorder must give: a flag, then each frame with one behind it."""
        return bytes([FLAG]) + b"".join(frame + bytes([FLAG]) for frame, _ in self.calls)
