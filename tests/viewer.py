# SPDX-License-Identifier: MIT
"""A running `rastrum view`, for tests of its server and its page."""
import http.client
import json
import signal
import subprocess
import time

from tap import RASTRUM


class Server:
    """A running `rastrum view`, and requests to it."""

    def __init__(self, *words, process=None):
        self.process = process or subprocess.Popen([RASTRUM, "view", "--no-browser", "--port", "0", *words], stdout=subprocess.PIPE,
                                                   stderr=subprocess.PIPE)
        self.link = self.process.stdout.readline().decode().strip()
        self.port, self.token = int(self.link.split(":")[2].split("/")[0]), self.link.partition("token=")[2]

    def ask(self, path, token=True, method="GET", timeout=300, **headers):
        """(status, body, headers)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        if token:
            headers["Authorization"] = f"Bearer {self.token}"
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body, dict(answer.getheaders())

    def json(self, path):
        status, body, _ = self.ask(path)
        return json.loads(body) if status == 200 else {"status": status, **json.loads(body)}

    def wait(self):
        """What /api/info has once the trace is read to its end."""
        while True:
            info = self.json("/api/info")
            if info["done"]:
                return info
            time.sleep(0.02)

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.process.wait(timeout=30)
