# SPDX-License-Identifier: MIT
"""Debian's chromium without a screen, driven over its DevTools protocol: opens a page, types, clicks, looks, and keeps what went wrong."""
import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium")
WAIT = 60  # seconds until something is given up


class Socket:
    """A web socket to this machine (RFC 6455): what is sent is masked, and messages may come in several frames."""

    def __init__(self, url):
        host, port, path = re.match(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=WAIT)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.file = self.socket.makefile("rb")
        if b"101" not in self.file.readline():
            raise OSError("chromium refuses the web socket")
        while self.file.readline() not in (b"\r\n", b""):
            pass

    def send(self, text):
        data = text.encode()
        length = bytes([0x80 | len(data)]) if len(data) < 126 else \
            bytes([0x80 | 126]) + struct.pack(">H", len(data)) if len(data) < 65536 else bytes([0x80 | 127]) + struct.pack(">Q", len(data))
        mask = os.urandom(4)
        self.socket.sendall(b"\x81" + length + mask + bytes(byte ^ mask[i & 3] for i, byte in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, second = self.file.read(2)
            length = second & 0x7F
            if length == 126:
                length, = struct.unpack(">H", self.file.read(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.file.read(8))
            part = self.file.read(length)
            if first & 0x0F in (0, 1):
                text += part
                if first & 0x80:
                    return text.decode()


KEYS = {"Enter": ("\r", 13), "Escape": ("", 27), "Home": ("", 36), "End": ("", 35), "ArrowUp": ("", 38), "ArrowDown": ("", 40),
        "ArrowLeft": ("", 37), "ArrowRight": ("", 39)}


class Browser:
    """One page. errors: what its console and its scripts complained about; requests: the addresses that it asked for."""

    def __init__(self, width=1280, height=800, has_webgl=False):
        self.folder = tempfile.mkdtemp(prefix="rastrum-chromium-")
        words = [CHROMIUM, "--headless=new", "--no-sandbox", "--enable-unsafe-swiftshader" if has_webgl else "--disable-gpu", "--no-first-run", "--remote-debugging-port=0",
                 "--disable-background-networking", f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        address = None
        for line in self.process.stderr:
            found = re.search(r"DevTools listening on (ws://\S+)", line)
            if found:
                address = found[1]
                break
        if not address:
            raise OSError("chromium does not start")
        self.socket = Socket(address)
        self.number, self.errors, self.requests, self.session = 0, [], [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def call(self, method, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == number:
                if "error" in answer:
                    raise OSError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.take(answer)

    def take(self, event):
        what, how = event.get("method"), event.get("params", {})
        if what == "Runtime.exceptionThrown":
            details = how["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif what == "Runtime.consoleAPICalled" and how["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in how["args"]))
        elif what == "Log.entryAdded" and how["entry"]["level"] == "error":
            self.errors.append(how["entry"]["text"] + " " + how["entry"].get("url", ""))
        elif what == "Network.requestWillBeSent":
            self.requests.append(how["request"]["url"])

    def resize(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def open(self, url):
        self.call("Page.navigate", url=url)

    def run(self, script):
        """The value of an expression in the page; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise OSError(answer["exceptionDetails"].get("exception", {}).get("description", "the script failed"))
        return answer["result"].get("value")

    def until(self, script):
        """Waits until an expression is true; what it was last."""
        end = time.monotonic() + WAIT
        while True:
            value = self.run(script)
            if value or time.monotonic() > end:
                return value
            time.sleep(0.05)

    def key(self, key, shift=False):
        text, code = KEYS.get(key, (key, ord(key.upper()) if len(key) == 1 else 0))
        how = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **({"text": text} if text else {}), **how)
        self.call("Input.dispatchKeyEvent", type="keyUp", **how)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y, **how):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **how)

    def drag(self, start, end, shift=False):
        how = {"button": "left", "modifiers": 8 if shift else 0}
        self.mouse("mousePressed", *start, clickCount=1, **how)
        for step in (0.3, 0.7, 1):
            self.mouse("mouseMoved", *(a + (b - a) * step for a, b in zip(start, end)), buttons=1, **how)
        self.mouse("mouseReleased", *end, clickCount=1, **how)

    def click(self, x, y, count=1):
        for n in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", clickCount=n)
            self.mouse("mouseReleased", x, y, button="left", clickCount=n)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
