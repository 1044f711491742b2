#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Live reading: slow, split and broken senders over pipes, pseudo-terminals, sockets and a growing file."""
import fcntl
import json
import os
import pty
import random
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from tap import RASTRUM, done, ok, rastrum, same, skip, slurp  # noqa: E402

# --- what boards say ---------------------------------------------------------------------------------------------

HEAD = b"\x7e"
DIALECT = ["--dialect", "rkh"]
USER_EVENT, UNSIGNED_32, FLAG, ESCAPE = 0xC3, 0x05, 0x7E, 0x7D


def event(number):
    """The frame of an RKH user event whose stamp is its number plus 1."""
    plain = struct.pack("<BBIBI", USER_EVENT, number & 0xFF, number + 1, UNSIGNED_32, number)
    plain += bytes([-sum(plain) & 0xFF])
    return b"".join(bytes([ESCAPE, c ^ 0x20]) if c in (FLAG, ESCAPE) else bytes([c]) for c in plain) + bytes([FLAG])


def stream(n_events, first=0):
    return b"".join(event(i) for i in range(first, first + n_events))


# How long the program may take on a machine that has other things to do, too; a test waits no longer than it takes.
PATIENCE = 60

# --- the program -------------------------------------------------------------------------------------------------

class Reader:
    """A report that runs: its lines as they come, each with the moment when it came."""

    def __init__(self, *words, stdin=subprocess.DEVNULL, plain=False):
        words = [*words] if plain else ["--format", "jsonl", *words]
        self.run = subprocess.Popen([RASTRUM, "report", *map(str, words)], stdin=stdin, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE)
        self.lines, self.times, self.rest, self.err = [], [], b"", ""
        self.open = [self.run.stdout, self.run.stderr]

    def look(self, seconds):
        """Takes what comes within so many seconds, at once when something is there. False: nothing was."""
        ready = select.select(self.open, [], [], max(seconds, 0))[0]
        for file in ready:
            got = os.read(file.fileno(), 1 << 16)
            if not got:
                self.open.remove(file)
            elif file is self.run.stderr:
                self.err += got.decode()
            else:
                *whole, self.rest = (self.rest + got).split(b"\n")
                self.lines += whole
                self.times += [time.monotonic()] * len(whole)
        return bool(ready)

    def until(self, holds, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while self.open and not holds() and time.monotonic() < end:
            self.look(end - time.monotonic())
        return holds()

    def has_events(self, n_events, seconds=PATIENCE):
        return self.until(lambda: len(self.stamps()) >= n_events, seconds)

    def says(self, words, seconds=PATIENCE):
        return self.until(lambda: words in self.err, seconds)

    def rows(self):
        return [json.loads(line) for line in self.lines]

    def stamps(self):
        return [row["ts"] for row in self.rows() if "seq" in row]

    def n_lost(self):
        return sum("lost" in row for row in self.rows())

    def port(self):
        self.says("listening on port ")
        return int(re.search(r"on port (\d+)", self.err).group(1))

    def stop(self, number=signal.SIGINT, seconds=PATIENCE):
        """Ends the program and returns its exit status, None when it does not end."""
        if number:
            self.run.send_signal(number)
        self.until(lambda: False, seconds)
        try:
            return self.run.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.run.kill()
            self.run.wait()
            return None

    def notes(self, number):
        """Whether a signal would be noted: the program does something of its own about it."""
        with open(f"/proc/{self.run.pid}/status", encoding="ascii") as file:
            return bool(int(re.search(r"SigCgt:\s+(\S+)", file.read()).group(1), 16) >> (number - 1) & 1)

    def await_noted(self, number, is_noted):
        end = time.monotonic() + PATIENCE
        while self.notes(number) != is_noted and time.monotonic() < end:
            self.look(0.02)
        return self.notes(number) == is_noted

    def faults(self):
        return [f"stderr: {self.err}", f"{len(self.lines)} lines, the last: {self.lines[-1:]}"]


def numbers(n_events, first=0):
    return [i + 1 for i in range(first, first + n_events)]


def check_end(reader, n_events, what, number=signal.SIGINT):
    status = reader.stop(number)
    ok(status == 0 and reader.stamps() == numbers(n_events), what, f"status {status}, {len(reader.stamps())} events",
       *reader.faults())


def cut(n_events):
    """How far into a stream so many events and a part of the next one reach."""
    return len(HEAD + stream(n_events)) + 2


class Terminal:
    """A pseudo-terminal whose far end stands for the board, under a name that another one can take."""

    def __init__(self, name):
        self.board, far = pty.openpty()
        self.far = os.ttyname(far)
        self.name = name
        os.close(far)
        if os.path.lexists(name):
            os.unlink(name)
        os.symlink(self.far, name)

    def send(self, data):
        while data:
            data = data[os.write(self.board, data[:1024]):]

    def line(self):
        """Flags and rates, as the kernel keeps them."""
        far = os.open(self.far, os.O_RDWR | os.O_NOCTTY)
        line = bytearray(44)
        fcntl.ioctl(far, 0x802C542A, line)  # TCGETS2
        os.close(far)
        return struct.unpack("4I20x2I", line)

    def await_raw(self, seconds=PATIENCE):
        """What is sent before the reader has set the line, the line changes."""
        end = time.monotonic() + seconds
        while self.line()[3] and time.monotonic() < end:
            time.sleep(0.02)

    def close(self):
        os.close(self.board)


# --- the tests ---------------------------------------------------------------------------------------------------

def check_pipe(folder):
    saved = os.path.join(folder, "pipe")
    reader = Reader(*DIALECT, "--save", saved, "-", stdin=subprocess.PIPE)
    sent, n_shown = b"", []
    for i in range(4):
        part = (HEAD if i == 0 else b"") + event(i)
        for piece in (part[:3], part[3:]):
            reader.run.stdin.write(piece)
            reader.run.stdin.flush()
            time.sleep(0.05)
        reader.has_events(i + 1)
        n_shown.append(len(reader.stamps()))
        sent += part
    ok(n_shown == [1, 2, 3, 4], "each event of a pipe is shown when it is complete", n_shown, *reader.faults())
    reader.run.stdin.close()
    check_end(reader, 4, "the end of a pipe ends the report", number=None)
    same(slurp(saved), sent, "--save keeps what came by a pipe")
    text = rastrum("report", *DIALECT, saved)
    ok(text.status == 0 and len(text.lines) == 4, "what was saved can be reported", text.out, text.err)


def check_terminal_pacing(folder):
    """115200 baud are 11520 bytes a second."""
    n_events = 150
    terminal = Terminal(os.path.join(folder, "paced"))
    reader = Reader(*DIALECT, "--serial", terminal.name)
    terminal.await_raw()
    n_shown, start, n_sent = [], time.monotonic(), 0
    for i in range(n_events):
        for byte in (HEAD if i == 0 else b"") + event(i):
            reader.look(start + n_sent / 11520 - time.monotonic())
            terminal.send(bytes([byte]))
            n_sent += 1
        if i % 10 == 9:
            reader.has_events(i + 1)
            n_shown.append(len(reader.stamps()))
    ok(reader.stamps() == numbers(n_events) and n_shown == [*range(10, n_events + 1, 10)],
       "at 115200 baud, byte by byte, each event is shown before the next one comes", n_shown, *reader.faults())
    same(reader.n_lost(), 0, "a slow sender is no lost one")
    check_end(reader, n_events, "an interrupted report ends well, with all that was read")
    terminal.close()


def check_terminal_line(folder):
    terminal = Terminal(os.path.join(folder, "line"))
    saved = os.path.join(folder, "line.saved")
    reader = Reader(*DIALECT, "--serial", terminal.name, "--baud", 250000, "--save", saved)
    terminal.await_raw()
    i_flags, o_flags, c_flags, l_flags, _, rate = terminal.line()
    ok(rate == 250000, "the line gets the rate, also one that has no constant", rate)
    ok(not o_flags and not l_flags and not i_flags & ~1 and c_flags & 0o60 == 0o60 and not c_flags & 0o500,
       "the line is raw: eight bits, no parity, one stop bit", oct(i_flags), oct(o_flags), oct(c_flags), oct(l_flags))
    sent = bytes(range(256)) * 8 + HEAD + stream(3)
    terminal.send(sent)
    end = time.monotonic() + PATIENCE
    while len(slurp(saved)) < len(sent) and time.monotonic() < end:
        reader.look(0.05)
    status = reader.stop()
    ok(status == 0 and slurp(saved) == sent, "every byte goes through a serial line as it is", status,
       *reader.faults())
    terminal.close()


def check_terminal_sender(folder):
    """The sender is killed within a frame, another one goes on: the line stays."""
    terminal = Terminal(os.path.join(folder, "killed"))
    saved = os.path.join(folder, "killed.saved")
    reader = Reader(*DIALECT, "--serial", terminal.name, "--save", saved)
    terminal.await_raw()
    data = HEAD + stream(300)
    for start, end in ((0, cut(90)), (cut(90), cut(201)), (cut(201), len(data))):
        sender = subprocess.Popen([sys.executable, "-c",
                                   "import os, sys, time\n"
                                   "data = sys.stdin.buffer.read()\n"
                                   "for i in range(0, len(data), 100): os.write(1, data[i:i + 100])\n"
                                   "os.write(2, b'.'); time.sleep(60)"],
                                  stdin=subprocess.PIPE, stdout=terminal.board, stderr=subprocess.PIPE)
        sender.stdin.write(data[start:end])
        sender.stdin.close()
        sender.stderr.read(1)
        sender.kill()
        sender.wait()
        sender.stderr.close()
    reader.has_events(300)
    check_end(reader, 300, "killing and restarting the sender loses nothing that was sent", signal.SIGTERM)
    ok(slurp(saved) == data, "--save keeps what several senders sent")
    terminal.close()


def check_terminal_unplugged(folder):
    name, saved = os.path.join(folder, "plug"), os.path.join(folder, "plug.saved")
    terminal = Terminal(name)
    data = HEAD + stream(20)
    reader = Reader(*DIALECT, "--serial", name, "--save", saved)
    terminal.await_raw()
    terminal.send(data[:cut(5)])
    reader.has_events(5)
    os.unlink(name)
    terminal.close()
    ok(reader.says("the link is lost"), "a device that goes is announced", *reader.faults())
    ok(reader.until(lambda: reader.n_lost() == 1), "a loss is shown at once, where the link was lost",
       *reader.faults())
    time.sleep(0.5)
    terminal = Terminal(name)
    ok(reader.says("the link is back"), "a device that comes back is taken up again", *reader.faults())
    terminal.send(data[cut(5):])
    reader.has_events(20)
    ok(reader.stamps() == numbers(20), "a frame that a lost device cut in two is read as one", *reader.faults())
    kinds = ["lost" if "lost" in row else "event" for row in reader.rows()]
    ok(kinds.count("lost") == 1 and 0 < kinds.index("lost") < 20, "the loss stands between events", kinds)
    check_end(reader, 20, "a link that was lost is no failure")
    ok(slurp(saved) == data, "--save goes on after a loss")
    terminal.close()


def check_tcp_listen(folder):
    saved = os.path.join(folder, "listen.saved")
    reader = Reader(*DIALECT, "--listen", "tcp:127.0.0.1:0", "--save", saved, "--send", "start")
    port, data, cuts = reader.port(), HEAD + stream(600), (0, cut(100), cut(400) - 1, cut(400), None)
    commands = []
    for start, end in zip(cuts, cuts[1:]):
        with socket.create_connection(("127.0.0.1", port)) as sender:
            sender.settimeout(10)
            commands.append(sender.recv(64))
            sender.sendall(data[start:end])
        reader.until(lambda: False, 0.1)
    reader.has_events(600)
    ok(reader.stamps() == numbers(600) and reader.n_lost() >= 3,
       "senders that connect one after the other are one trace, with losses between", reader.n_lost(),
       *reader.faults())
    same(commands, [b"\1\0\0\0\0\0\r\n"] * 4, "commands are sent each time that the link comes up")
    check_end(reader, 600, "a listener is ended by a signal")
    ok(slurp(saved) == data, "--save keeps the bytes of all senders")


def send_error(kind, address):
    """0, or why what is sent there is not taken: of a datagram the next call returns it."""
    with socket.socket(socket.AF_INET, kind) as sender:
        try:
            sender.connect(address)
            sender.sendall(HEAD + stream(1))
            time.sleep(0.05)
            sender.sendall(stream(1, 1))
        except OSError as error:
            return error.errno
    return 0


def check_listen_where():
    """Other machines reach a listener only if they are to: 127.0.0.2 stands for another address of this machine."""
    for kind, name in ((socket.SOCK_STREAM, "tcp"), (socket.SOCK_DGRAM, "udp")):
        for address, is_open in (("", False), ("[::]:", True), ("0.0.0.0:", True)):
            if address == "[::]:" and not socket.has_dualstack_ipv6():
                continue
            reader = Reader(*DIALECT, "--listen", f"{name}:{address}0")
            port = reader.port()
            for host, reaches in (("127.0.0.2", is_open), ("127.0.0.1", True)):
                error = send_error(kind, (host, port))
                ok((error == 0) == reaches,
                   f"--listen {name}:{address}PORT {'is' if reaches else 'is not'} reached through {host}", error)
            reader.stop()


def check_tcp_connect():
    with socket.create_server(("127.0.0.1", 0)) as board:
        board.settimeout(10)
        port = board.getsockname()[1]
        data = HEAD + stream(40)
        reader = Reader(*DIALECT, "--tcp", f"127.0.0.1:{port}", "--send", "stop,mask=0x30000000",
                        "--send", "dump")
        commands = []
        for part in (data[:cut(11)], data[cut(11):]):
            link, _ = board.accept()
            link.settimeout(10)
            got = b""
            while len(got) < 24:
                more = link.recv(64)
                if not more:
                    break
                got += more
            commands.append(got)
            link.sendall(part)
            link.close()
        reader.has_events(40)
        ok(reader.stamps() == numbers(40), "a peer that closes is connected to again", *reader.faults())
        same(commands, [b"\2\0\0\0\0\0\r\n\3\x30\0\0\0\0\r\n\4\0\0\0\0\0\r\n"] * 2,
             "commands are seven bytes and a line feed, in the order given")
        check_end(reader, 40, "a connecting report is ended by a signal", signal.SIGTERM)
    with socket.create_server(("127.0.0.1", 0)) as board:
        board.settimeout(10)
        reader = Reader(*DIALECT, "--tcp", f"127.0.0.1:{board.getsockname()[1]}", "--limit", 2)
        link, _ = board.accept()
        link.sendall(HEAD + stream(3))
        status = reader.stop(number=None)
        ok(status == 0 and reader.stamps() == [1, 2], "--limit ends a report though the link is still there", status,
           *reader.faults())
        link.close()
        run = rastrum("report", "--tcp", f"127.0.0.1:{board.getsockname()[1]}", "--limit", 0, "-f", "csv",
                      timeout=PATIENCE)
        ok(run.status == 0 and len(run.lines) == 1, "--limit 0 ends at once, with the heading, though nothing comes",
           run.status, run.out, run.err)
        run = rastrum("report", "--tcp", f"127.0.0.1:{board.getsockname()[1]}", "--limit", 0, "-d", "none",
                      timeout=PATIENCE)
        same(run.status, 2, "it is checked all the same")
    run = rastrum("report", "--tcp", f"127.0.0.1:{port}", timeout=PATIENCE)
    ok(run.status == 4 and "cannot connect" in run.err, "a port that is closed from the start is reported", run.err)


def check_closed():
    """A connection that is closed without an error is complete: a dump by nc(1), for instance."""
    data = HEAD + stream(30)
    with socket.create_server(("127.0.0.1", 0)) as board:
        board.settimeout(10)
        address = f"127.0.0.1:{board.getsockname()[1]}"
        for words, sentence in ((["--once"], "--once ends where the other end closes the connection"),
                                ([], "without it the next connection is waited for")):
            reader = Reader(*DIALECT, "--tcp", address, *words)
            link, _ = board.accept()
            ok(reader.says("connected; Ctrl-C ends"), "a report that waits says what it waits for", *reader.faults())
            link.sendall(data)
            link.close()
            if not words:
                reader.says("the other end has closed the connection; waiting for the next one")
            status = reader.stop(number=None if words else signal.SIGINT)
            ok(status == 0 and reader.stamps() == numbers(30) and reader.n_lost() == 0 and
               ("waiting for the next" in reader.err) == (not words), sentence + ", and nothing is lost", status, *reader.faults())
    reader = Reader(*DIALECT, "--listen", "tcp:127.0.0.1:0", "--once")
    with socket.create_connection(("127.0.0.1", reader.port())) as sender:
        sender.sendall(data)
    status = reader.stop(number=None)
    ok(status == 0 and reader.stamps() == numbers(30) and reader.n_lost() == 0, "so it is with one sender", status, *reader.faults())


def check_doubt(folder):
    """Bytes that mean nothing: a wrong rate gives such."""
    noise = bytes(random.Random(7).randbytes(40000))
    for dialect in ("rkh", "liteos"):
        terminal = Terminal(os.path.join(folder, "noise-" + dialect))
        reader = Reader("--dialect", dialect, "--serial", terminal.name)
        terminal.await_raw()
        ok(reader.says("reading at 115200 baud, 8N1; Ctrl-C ends"), "a serial report says that it has begun", *reader.faults())
        sender = threading.Thread(target=terminal.send, args=(noise,))
        sender.start()
        ok(reader.says("bytes and hardly an event of them: are --baud and --dialect right?"),
           f"of noise that is no {dialect} it is asked whether the rate is right", *reader.faults())
        while reader.look(0.3) or sender.is_alive():
            continue
        reader.stop()
        sender.join()
        same(reader.err.count("hardly an event"), 1, "once")
        terminal.close()
    terminal = Terminal(os.path.join(folder, "good"))
    reader = Reader(*DIALECT, "--serial", terminal.name)
    terminal.await_raw()
    sender = threading.Thread(target=terminal.send, args=(noise[:30] + HEAD + stream(3000),))
    sender.start()
    reader.until(lambda: 3000 in reader.stamps()[-1:])
    sender.join()
    reader.stop()
    ok(len(reader.stamps()) > 2900 and "hardly" not in reader.err, "but not of events behind a little noise", *reader.faults())
    terminal.close()


def check_burst():
    """A stream that comes faster than it is read, which is no reason for a doubt."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        reader = Reader("--tcp", f"127.0.0.1:{server.getsockname()[1]}", "--once")
        peer, _ = server.accept()
        with peer:
            peer.sendall(HEAD + stream(5000))
        ok(reader.until(lambda: reader.stamps()[-1:] == numbers(5000)[-1:]) and "hardly" not in reader.err,
           "nor of events that come all at once, of a dialect that is still to be recognised", *reader.faults())
        reader.stop(number=None)


def check_holder(folder):
    terminal = Terminal(os.path.join(folder, "held"))
    reader = Reader(*DIALECT, "--serial", terminal.name)
    terminal.await_raw()
    run = rastrum("report", *DIALECT, "--serial", terminal.name, timeout=PATIENCE)
    ok(run.status == 4 and f"process {reader.run.pid} (rastrum) has it" in run.err, "a device that is busy: the process that has it", run.err)
    reader.stop()
    terminal.close()


def check_udp():
    reader = Reader(*DIALECT, "--listen", "udp:127.0.0.1:0")
    data, at = HEAD + stream(3000), 0
    address = ("127.0.0.1", reader.port())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as board:
        for size in (1, 5, 0, 2, 10000, 700, len(data) - 10708):
            board.sendto(data[at:at + size], address)
            at += size
            time.sleep(0.02)
    reader.has_events(3000)
    check_end(reader, 3000, "datagrams of any size are read in the order in which they come")


def check_udp_dropped():
    """More than the system has room for comes while the program stands still."""
    n_events = 30000
    reader = Reader(*DIALECT, "--listen", "udp:127.0.0.1:0")
    address = ("127.0.0.1", reader.port())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as board:
        board.sendto(HEAD + event(0), address)
        reader.has_events(1)
        reader.run.send_signal(signal.SIGSTOP)
        for i in range(1, n_events):
            board.sendto(event(i), address)
        reader.run.send_signal(signal.SIGCONT)
        reader.says("datagrams dropped")
        ok(reader.until(lambda: reader.rows()[-1:] and reader.rows()[-1].get("lost", 0) is None),
           "what was dropped behind the last datagram is shown at once", *reader.faults())
        n_before = len(reader.stamps())
        reader.run.send_signal(signal.SIGSTOP)
        for i in range(n_events, 2 * n_events):
            board.sendto(event(i), address)
        reader.run.send_signal(signal.SIGCONT)
        reader.until(lambda: len(reader.err.splitlines()) > 2)
        board.sendto(event(2 * n_events), address)
        reader.until(lambda: reader.stamps()[-1:] == [2 * n_events + 1])
    status, rows = reader.stop(), reader.rows()
    told = [int(n) for n in re.findall(r"datagrams dropped .*: (\d+)", reader.err)]
    marks = [i for i, row in enumerate(rows) if row.get("lost", 0) is None]
    ok(status == 0 and len(marks) >= 2 and "in all, datagrams" in reader.err.splitlines()[-1], "datagrams that the system dropped "
       "are reported when it happens, and at the end how many there were", status, marks, *reader.faults())
    ok(0 < n_before < n_events and len(reader.stamps()) + told[-1] == 2 * n_events + 1,
       "every datagram is shown or counted as dropped", len(reader.stamps()), told)
    jumps = [i for i in range(1, len(rows)) if "ts" in rows[i] and rows[i].get("seq") and
             rows[i]["ts"] - next(row["ts"] for row in rows[i - 1::-1] if "seq" in row) > 1]
    ok(jumps and all(any(0 < at - mark <= 2 for mark in marks) for at in jumps),
       "wherever events are missing the report says that datagrams were dropped", jumps, marks)


def check_follow(folder):
    path, saved = os.path.join(folder, "growing"), os.path.join(folder, "growing.saved")
    data = HEAD + stream(30)
    with open(path, "wb", buffering=0) as file:
        file.write(data[:cut(2)])
        reader = Reader(*DIALECT, "--follow", path, "--save", saved)
        reader.has_events(2)
        for at in range(cut(2), len(data), 7):
            file.write(data[at:at + 7])
            time.sleep(0.005)
        reader.has_events(30)
        ok(reader.stamps() == numbers(30), "a file is followed as it grows",
           *reader.faults())
    os.rename(path, path + ".1")
    with open(path, "wb") as file:
        file.write(stream(5, 30))
    reader.has_events(35)
    ok(reader.stamps() == numbers(35) and reader.n_lost() == 1, "a file that takes the name is read from its beginning",
       *reader.faults())
    with open(path, "wb") as file:
        file.write(stream(2, 35))
    reader.has_events(37)
    check_end(reader, 37, "a file that was cut is read from its beginning")
    ok(slurp(saved) == data + stream(7, 30), "--save keeps what was followed")


def check_recognised(folder):
    """No --dialect: the first bytes must do, however slowly they come."""
    data, at = slurp("tests/data/rkh/r1_default.bin"), 0
    terminal = Terminal(os.path.join(folder, "unknown"))
    reader = Reader("--serial", terminal.name)
    terminal.await_raw()
    while at < len(data) and (not reader.lines or at < 4000):
        terminal.send(data[at:at + 20])
        at += 20
        reader.look(0.005)
    ok(reader.lines, "the dialect is recognised while bytes still come", *reader.faults())
    whole = os.path.join(folder, "whole")
    with open(whole, "wb") as file:
        file.write(data[:at])
    expected = rastrum("report", "--dialect", "rkh", "-f", "jsonl", whole).lines
    reader.until(lambda: len(reader.lines) >= len(expected) - 1)
    ok(len(reader.lines) >= len(expected) - 1, "what came before the dialect was known is shown, too",
       f"{len(reader.lines)} lines, {len(expected)} expected", *reader.faults())
    same(reader.stop(), 0, "a recognised link ends well")
    terminal.close()
    reader = Reader("--listen", "udp:127.0.0.1:0")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as board:
        for _ in range(100):
            board.sendto(b"nothing that anybody knows " * 40, ("127.0.0.1", reader.port()))
        reader.says("no dialect recognises")
        for at in range(0, 80000, 1000):
            board.sendto(data[at % len(data):][:1000], ("127.0.0.1", reader.port()))
            time.sleep(0.002)
        reader.has_events(100)
    first = reader.rows()[0].get("damage") if reader.lines else None
    status, n_told = reader.stop(), reader.err.count("waiting for some that one does")
    ok(status == 0 and n_told == 1 and first and first["what"] == "no dialect recognises these bytes" and first["bytes"] >= 40000,
       "more than 64 KiB that no dialect knows are given up, reported once, and damage; what comes then is recognised", first,
       *reader.faults())
    run = rastrum("report", "-", stdin=b"nothing that anybody knows")
    ok(run.status == 3 and "no dialect recognises" in run.err, "a pipe that no dialect knows is reported", run.err)


def check_midstream():
    """No configuration frame is there to say what the target was built with."""
    path = "tests/data/rkh/d5_midstream.bin"
    data = slurp(path)
    reader = Reader(*DIALECT, "--listen", "tcp:127.0.0.1:0")
    with socket.create_connection(("127.0.0.1", reader.port())) as sender:
        n_due, n_early = [], []
        for at in range(0, 1200, 60):
            sender.sendall(data[at:at + 60])
            told = rastrum("report", *DIALECT, "-f", "jsonl", "--opt", "sender=1", "--opt", "quelwm=1", "--opt", "mplwm=1", "-",
                           stdin=data[:at + 60])
            n_due.append(len([line for line in told.lines if "seq" in json.loads(line)]))
            reader.has_events(n_due[-1])
            n_early.append(len(reader.stamps()))
        sender.sendall(data[1200:3000])
        for at in range(3000, len(data), 100):
            sender.sendall(data[at:at + 100])
        n_events = len([line for line in rastrum("report", *DIALECT, "-f", "jsonl", path).lines if "seq" in json.loads(line)])
        reader.has_events(n_events)
    status = reader.stop()
    ok(status == 0 and n_events == len(reader.stamps()) > 1500 and n_early == n_due and "sender=1" in reader.err,
       "of a stream that is joined in the middle each event is read as in a file, and at once", status, n_events, n_early, n_due,
       *reader.faults())


def check_silence(folder):
    terminal = Terminal(os.path.join(folder, "silent"))
    reader = Reader(*DIALECT, "--serial", terminal.name)
    terminal.await_raw()
    reader.open.remove(reader.run.stdout)
    reader.run.stdout.close()
    same(reader.stop(number=None), 0, "a live report ends when its reader is gone, though nothing comes")
    reader = Reader("--serial", terminal.name, "--format", "csv", plain=True)
    reader.await_noted(signal.SIGINT, True)
    status = reader.stop()
    ok(status == 0, "an interrupted report of a silent link ends well", status, *reader.faults())
    reader = Reader(*DIALECT, "--serial", terminal.name)
    terminal.await_raw()
    terminal.send(HEAD + event(0) + event(1)[:3])
    reader.has_events(1)
    status = reader.stop()
    ok(status == 0 and reader.stamps() == [1], "a frame that the user cut off is no failure", status,
       *reader.faults())
    terminal.close()


def check_signals(folder):
    reader = Reader(*DIALECT, "--listen", "tcp:127.0.0.1:0", "--save", os.path.join(folder, "stuck"))
    room = fcntl.fcntl(reader.run.stdout, fcntl.F_GETPIPE_SZ)
    reader.open.remove(reader.run.stdout)
    with socket.create_connection(("127.0.0.1", reader.port())) as sender:
        sender.sendall(HEAD + stream(5000))
        end = time.monotonic() + PATIENCE
        while struct.unpack("i", fcntl.ioctl(reader.run.stdout, termios.FIONREAD, b"0000"))[0] < room - 4096:
            if time.monotonic() > end:
                break
            time.sleep(0.02)
        reader.run.send_signal(signal.SIGINT)
        reader.await_noted(signal.SIGINT, False)
        status = reader.stop()
    same(status, -signal.SIGINT, "a second signal ends a report whose output is not taken")
    reader.run.stdout.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reader = Reader(*DIALECT, "--listen", "udp:127.0.0.1:0")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    address = ("127.0.0.1", reader.port())
    reader.run.send_signal(signal.SIGINT)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as board:
        board.sendto(HEAD + stream(1), address)
    reader.has_events(1)
    check_end(reader, 1, "a signal that was ignored stays ignored, another one ends the report", signal.SIGTERM)


def check_company(folder):
    """Other processes that want the same device or port."""
    terminal = Terminal(os.path.join(folder, "shared"))
    reader = Reader(*DIALECT, "--serial", terminal.name)
    terminal.await_raw()
    run = rastrum("report", *DIALECT, "--serial", terminal.name, timeout=PATIENCE)
    ok(run.status == 4 and "busy" in run.err, "a second reader of a device is refused, as each would get a part", run.err)
    terminal.send(HEAD + stream(3))
    reader.has_events(3)
    check_end(reader, 3, "the first reader goes on")
    terminal.close()
    reader = Reader(*DIALECT, "--listen", "tcp:[::1]:0") if socket.has_dualstack_ipv6() else None
    if not reader:
        return
    address = ("::1", reader.port())
    run = rastrum("report", *DIALECT, "--listen", f"tcp:[::1]:{address[1]}", timeout=PATIENCE)
    ok(run.status == 4 and "in use" in run.err, "a port that is taken is reported", run.err)
    for _ in range(2 * PATIENCE):
        socket.create_connection(address).close()
    with socket.create_connection(address) as sender:
        sender.sendall(HEAD + stream(2))
        reader.has_events(2)
    check_end(reader, 2, "senders that send nothing do not keep the next one waiting")


def resident_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


def soak(terminal, run, chunks, n_due, seconds):
    """Sends the chunks as fast as they are taken. Returns how many events were shown and damaged, and the memory at each."""
    n_shown = n_lost = at = 0
    rest, sizes, chunk, end = b"", [], b"", time.monotonic() + seconds
    os.set_blocking(terminal.board, False)
    while n_shown + n_lost < n_due and time.monotonic() < end:
        if at == len(chunk):
            chunk, at = next(chunks, b""), 0
            sizes.append(resident_kb(run.pid))
        readable, writable, _ = select.select([run.stdout], [terminal.board] if chunk else [], [], 1)
        if writable:
            at += os.write(terminal.board, chunk[at:at + 4096])
        if readable:
            rest += os.read(run.stdout.fileno(), 1 << 20)
            whole = rest.rfind(b"\n") + 1
            n_shown += rest.count(b"\n0C3 ", 0, whole) + rest.startswith(b"0C3 ")
            n_lost += rest.count(b"*** DAMAGE at byte", 0, whole)
            rest = rest[whole:]
    return n_shown, n_lost, sizes


def check_soak(folder):
    """LIVE_FRAMES=10000000 makes it a long run, which LIVE_SECONDS bounds."""
    n_frames, seconds = (int(os.environ.get(name, usual)) for name, usual in
                         (("LIVE_FRAMES", "400000"), ("LIVE_SECONDS", "120")))
    n_chunk, n_damaged = 256 * 40, 102
    good = stream(n_chunk)
    damaged = b"".join(event(i) if i % 100 != 50 else event(i)[:-3] + event(i)[-1:] for i in range(n_chunk))
    n_chunks = n_frames // n_chunk // 3 * 3 + 1
    terminal = Terminal(os.path.join(folder, "soak"))
    with subprocess.Popen([RASTRUM, "report", *DIALECT, "--serial", terminal.name, "-f", "aix"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        terminal.await_raw()
        terminal.send(HEAD)
        n_shown, n_lost, sizes = soak(
            terminal, run, (damaged if i % 3 == 1 else good for i in range(n_chunks)), n_chunks * n_chunk, seconds)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE)
    ok(n_shown + n_lost == n_chunks * n_chunk and n_lost == n_chunks // 3 * n_damaged,
       "every frame of a long damaged stream is shown or reported as damaged",
       f"{n_shown} shown, {n_lost} lost of {n_chunks * n_chunk}")
    # Until then names, contexts and texts that are kept have come.
    ok(run.returncode == 0 and sizes[-1] - sizes[len(sizes) // 2] < 512, "memory stays as it is however much comes",
       run.returncode, sizes[:5], sizes[-5:])
    terminal.close()


def check_usage(folder):
    path = os.path.join(folder, "some")
    with open(path, "wb") as file:
        file.write(HEAD + stream(2))
    template = os.path.join(folder, "some.trcfmt")
    with open(template, "w", encoding="ascii") as file:
        file.write("# dialect: rkh\n")
    for words, what in (
            ([path, "--serial", "/dev/null"], "no room for files"),
            (["--serial", "/dev/null", "--tcp", "localhost:1"], "one live input"),
            (["--follow"], "one file"),
            (["--follow", path, path], "one file"),
            (["--follow", "-"], "by its name"),
            (["--save", path + ".out", "-o", path + ".out", "--tcp", "localhost:1"], "another file"),
            (["--baud", "0", "--serial", "/dev/null"], "--baud needs a rate"),
            (["--tcp", "localhost:65536"], "no such port"),
            (["--listen", "tcp:99999999999999999999"], "no such port"),
            (["--save", template, "--templates", template, "--listen", "udp:0"], "overwritten"),
            (["--baud", "9600", path], "--baud goes with --serial"),
            (["--once", "--serial", "/dev/null"], "--once goes with --tcp"),
            (["--save", path + ".saved", path], "--save keeps a live input"),
            (["--save", path, "--follow", path], "overwritten"),
            (["--send", "start", "--follow", path], "--send needs a link"),
            (["--send", "go", "--tcp", "localhost:1"], "no command 'go'"),
            (["--send", "mask=0x100000000", "--tcp", "localhost:1"], "no command 'mask="),
            (["--listen", "1234"], "tcp:PORT or udp:PORT"),
            (["--tcp", "1234"], "no address"),
            (["--dialect", "threadx", "--listen", "udp:0"], "as a whole")):
        run = rastrum("report", *words, timeout=PATIENCE)
        ok(run.status == 2 and what in run.err, f"`report {' '.join(words[:2])}` is refused: {what}", run.status,
           run.err)
    ok(slurp(path) == HEAD + stream(2), "the input is not overwritten by --save")
    for words, what in ((["--serial", path], "serial device"), (["--serial", path + ".none"], "cannot open"),
                        (["--follow", path + ".none"], "cannot open"), (["--follow", folder], "cannot open")):
        run = rastrum("report", *DIALECT, *words, timeout=PATIENCE)
        ok(run.status == 4 and what in run.err, f"what cannot be taken up is reported at once: {words[0]}, {what}",
           run.status, run.err)


def has_terminals():
    """A machine in a box may have none to give."""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


# Those with True need a pseudo-terminal.
CHECKS = ((check_pipe, False), (check_terminal_pacing, True), (check_terminal_line, True), (check_terminal_sender, True),
          (check_terminal_unplugged, True), (check_tcp_listen, False), (check_listen_where, False),
          (check_tcp_connect, False), (check_closed, False), (check_doubt, True), (check_burst, False), (check_holder, True),
          (check_udp, False), (check_udp_dropped, False), (check_follow, False),
          (check_recognised, True), (check_midstream, False), (check_silence, True), (check_signals, False),
          (check_company, True), (check_soak, True), (check_usage, False))


def main():
    # A shell that runs this in the background has it ignored, and so would the program.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    terminals = has_terminals()
    for check, wants_terminal in CHECKS:
        if wants_terminal and not terminals:
            skip(f"live reading, {check.__name__}", "this machine gives no pseudo-terminals")
            continue
        with tempfile.TemporaryDirectory() as folder:
            check(*[folder][:check.__code__.co_argcount])
    return done()


sys.exit(main())
