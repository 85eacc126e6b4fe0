"""Real servers for the tests: processes of their own on loopback, and clients for them."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_PATIENCE = 120  # seconds, which only a hang can take

_WITH_LIMITS = """
import json, sys
from lindy.web.http.request_limits import Limits
from lindy.web.start import Settings, serve
options = json.loads(sys.argv[1])
if (room := options.pop("room", None)) is not None:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))  # to the process, a disk that is full
serve(Settings(**options | {"limits": Limits(**options.pop("limits", {}))}))
"""


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        """The error, which has the one shape."""
        (name, error), *others = self.json().items()
        assert name == "error"
        assert not others
        assert set(error) - {"detail"} == {"code", "message"}
        return dict(error)


@dataclass
class Server:
    """A service in a process of its own."""

    process: subprocess.Popen[bytes]
    host: str
    port: int
    lines: list[str] = field(default_factory=list)

    def ask(
        self,
        path: str,
        body: Any = None,
        *,
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request, with a body of JSON unless it is bytes already."""
        sent = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None and "Content-Type" not in sent:
            sent["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(self.host, self.port, timeout=_PATIENCE)
        try:
            connection.request(method or ("GET" if body is None else "POST"), path, body, sent)
            response = connection.getresponse()
            read = response.read()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, read)
        finally:
            connection.close()

    def connect(self) -> socket.socket:
        """Return a connection that has said nothing yet."""
        return socket.create_connection((self.host, self.port), timeout=_PATIENCE)

    def raw(self, data: bytes) -> bytes:
        """Send bytes, and return everything that comes until the server closes."""
        with self.connect() as sock:
            sock.sendall(data)
            return rest(sock)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait_for(self, pattern: str) -> str:
        """Return the line of the server's stderr that matches, when it comes."""
        with self._news:
            found: list[str] = []
            while not (found := [line for line in self.lines if re.search(pattern, line)]):
                assert self._news.wait(_PATIENCE), f"{pattern!r} never came: {self.lines}"
            return found[0]

    def end(self) -> int:
        """End the server as its user would, and return its exit code."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        return self.process.wait(_PATIENCE)

    def __post_init__(self) -> None:
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.lines.append(line.decode().rstrip("\n"))
                self._news.notify_all()


def rest(sock: socket.socket) -> bytes:
    """Return what comes until the other side closes."""
    parts = []
    try:
        while part := sock.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def drip(sock: socket.socket, drop: bytes) -> bytes:
    """Send a byte 20 times a second until the other side closes, and return what it said."""
    ended = threading.Event()

    def go_on() -> None:
        try:
            while not ended.wait(0.05):
                sock.sendall(drop)
        except OSError:
            pass

    sending = threading.Thread(target=go_on)
    sending.start()
    answer = rest(sock)
    ended.set()
    sending.join()
    return answer


@contextmanager
def started(command: list[str], stdout: Any, code: int = 0) -> Iterator[Server]:
    """Run a command that serves, until the block ends; ``code`` is with what it must end."""
    process = subprocess.Popen(
        command, stdout=stdout, stderr=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    )
    server = Server(process, "127.0.0.1", 0)
    try:
        line = server.wait_for(r"serving .* at http://|error:")
        found = re.search(r"http://\[?([^/\]]+)\]?:(\d+)/", line)
        assert found, server.lines
        server.host, server.port = found[1], int(found[2])
        yield server
        assert server.end() == code, server.lines
        assert not [line for line in server.lines if "Traceback" in line], server.lines
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@contextmanager
def serving(*words: str | Path, stdout: Any = subprocess.DEVNULL, code: int = 0) -> Iterator[Server]:
    """Run ``lindy serve`` with some words, on a free port; ``code`` is with what it must end."""
    command = [sys.executable, "-m", "lindy", "serve", *map(str, words), "--port", "0"]
    with started(command, stdout, code) as server:
        yield server


@contextmanager
def limited(models: list[Path], limits: dict[str, Any], **options: Any) -> Iterator[Server]:
    """Run a service with other limits than the usual ones; ``room`` is how many bytes a file of it may have."""
    settings = {"models": [str(path) for path in models], "port": 0, "limits": limits, **options}
    with started([sys.executable, "-c", _WITH_LIMITS, json.dumps(settings)], subprocess.DEVNULL) as server:
        yield server
