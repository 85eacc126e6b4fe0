"""The service under load: its stack against others, predictions against its own echo, memory, and bad neighbours.

python -m benchmarks.service [--seconds 3] [--rounds 3] [--requests 100000] [--no-stacks]

Load comes from ``wrk`` (Debian's package of that name) with 32 connections on loopback, to one process; the texts are
the first 1,000 of the test file, one after the other. Stacks take turns, and so do echo and predictions; the median of
the rounds counts.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import corpus_folder
from benchmarks.service_stacks import STACKS

CONNECTIONS = 32
TEXTS = 1000
_LUA = """
local bodies, n, next_one = {}, 0, 0
for line in io.lines("%s") do
  n = n + 1
  bodies[n] = line
end
wrk.headers["Content-Type"] = "application/json"
local requests = {}
function init(args)
  for i = 1, n do requests[i] = wrk.format("POST", nil, nil, bodies[i]) end
end
function request()
  next_one = next_one %% n + 1
  return requests[next_one]
end
"""


@dataclass(frozen=True)
class Load:
    """What wrk measured, and the processor time that the server took."""

    rate: float
    p99: float
    errors: int
    requests: int
    cpu: float


@contextmanager
def started(command: list[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                if process.poll() is not None:
                    raise SystemExit(f"failed: {' '.join(command)}") from None
                time.sleep(0.002)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process and its children."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    total = 0.0
    for own in (process, *children):
        fields = Path(f"/proc/{own}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def memory_mb(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def load(process: int, port: int, path: str, seconds: float, script: Path) -> Load:
    before = cpu_seconds(process)
    words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds:g}s", "--latency", f"-s{script}"]
    done = subprocess.run(
        [*words, f"http://127.0.0.1:{port}{path}"], capture_output=True, text=True, check=True
    )
    used = cpu_seconds(process) - before

    def found(pattern: str) -> str:
        match = re.search(pattern, done.stdout)
        return match[1] if match else "0"

    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", done.stdout).groups()  # type: ignore[union-attr]
    requests = int(found(r"(\d+) requests in"))
    errors = sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", done.stdout)))
    return Load(
        rate=float(found(r"Requests/sec:\s+([\d.]+)")),
        p99=float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit],
        errors=errors + int(found(r"Non-2xx or 3xx responses: (\d+)")),
        requests=requests,
        cpu=1e6 * used / max(requests, 1),
    )


def middle(loads: list[Load]) -> Load:
    return Load(
        *(statistics.median(getattr(one, name) for one in loads) for name in ("rate", "p99")),
        sum(one.errors for one in loads),
        sum(one.requests for one in loads),
        statistics.median(one.cpu for one in loads),
    )


def compare_stacks(seconds: float, rounds: int, script: Path) -> None:
    print(f"{CONNECTIONS} connections, one process; JSON is decoded, checked and sent back")
    print(f"{'':50}requests/s   p99 ms   CPU µs/request   errors")
    with ExitStack() as stack:
        servers = {}
        for name in STACKS:
            port = free_port()
            command = [sys.executable, "-m", "benchmarks.service_stacks", name, str(port)]
            servers[name] = (stack.enter_context(started(command, port)).pid, port)
        loads: dict[str, list[Load]] = {name: [] for name in STACKS}
        for _ in range(rounds):
            for name, (process, port) in servers.items():
                loads[name].append(load(process, port, "/echo", seconds, script))
        for name, own in loads.items():
            one = middle(own)
            print(f"{name:50}{one.rate:10,.0f}{one.p99:9.1f}{one.cpu:17.0f}{one.errors:9}")


def tables() -> tuple[Path, Path, str]:
    """Return SMS messages to train and to ask with, or the embedded sample where they are absent."""
    corpus = corpus_folder("sms-spam")
    if corpus is not None:
        return corpus / "train.csv.gz", corpus / "test.csv.gz", "SMS messages"
    from lindy.data import samples

    return samples.path("reviews-train"), samples.path("reviews-test"), "the embedded reviews"


def script_file(folder: Path, test: Path) -> Path:
    """Write what wrk sends."""
    from lindy.data import read_examples

    bodies, script = folder / "bodies", folder / "post.lua"
    texts = list(read_examples(test).texts)[:TEXTS]
    bodies.write_text("".join(json.dumps({"text": str(text)}) + "\n" for text in texts))
    script.write_text(_LUA % bodies)
    return script


def model_file(folder: Path, data: Path) -> Path:
    """Train a model with the defaults."""
    path = folder / "model.lindy"
    subprocess.run(
        [sys.executable, "-m", "lindy", "train", str(data), "-o", str(path), "--quiet"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return path


def serve_command(model: Path, port: int) -> list[str]:
    return [str(Path(sys.executable).with_name("lindy")), "serve", str(model), "--port", str(port)]


def start_seconds(model: Path) -> float:
    """Return how long it takes from the command to the first answer."""
    port, begun = free_port(), time.perf_counter()
    with started(serve_command(model, port), port):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/ready").read()
        return time.perf_counter() - begun


def against_echo(model: Path, seconds: float, rounds: int, script: Path) -> None:
    echo_port, port = free_port(), free_port()
    echo = [sys.executable, "-m", "benchmarks.service_stacks", list(STACKS)[-1], str(echo_port)]
    with started(echo, echo_port) as first, started(serve_command(model, port), port) as second:
        loads: tuple[list[Load], list[Load]] = ([], [])
        for _ in range(rounds):
            loads[0].append(load(first.pid, echo_port, "/echo", seconds, script))
            loads[1].append(load(second.pid, port, "/v1/predict", seconds, script))
        print("\n                  requests/s   p99 ms   CPU µs/request   errors")
        for name, own in zip(("echo", "/v1/predict"), loads, strict=True):
            one = middle(own)
            print(f"{name:16}{one.rate:12,.0f}{one.p99:9.1f}{one.cpu:17.0f}{one.errors:9}")
        ratios = [b.rate / a.rate for a, b in zip(*loads, strict=True)]
        print(
            f"predictions reach {statistics.median(ratios):.0%} of the echo's rate (rounds: {shown(ratios)})"
        )


def shown(ratios: list[float]) -> str:
    return ", ".join(f"{ratio:.0%}" for ratio in ratios)


def memory(model: Path, requests: int, script: Path) -> None:
    port = free_port()
    with started(serve_command(model, port), port) as server:
        load(server.pid, port, "/v1/predict", 1, script)
        before, done, errors = memory_mb(server.pid), 0, 0
        while done < requests:
            one = load(server.pid, port, "/v1/predict", 2, script)
            done, errors = done + one.requests, errors + one.errors
        after = memory_mb(server.pid)
        print(f"\nmemory before {before:.1f} MB, after {done:,} requests {after:.1f} MB; {errors} errors")


def neighbours(model: Path, seconds: float, script: Path) -> None:
    port = free_port()
    with started(serve_command(model, port), port) as server, ExitStack() as stack:
        alone = load(server.pid, port, "/v1/predict", seconds, script)
        for _ in range(1000):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            half.sendall(b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        beside = load(server.pid, port, "/v1/predict", seconds, script)
        said: list[str] = []
        upload = threading.Thread(target=lambda: said.append(gigabyte(port)))
        upload.start()
        large = load(server.pid, port, "/v1/predict", seconds, script)
        upload.join()
        print("\n                                    requests/s   p99 ms   errors")
        for name, one in (
            ("alone", alone),
            ("beside 1,000 half-open connections", beside),
            ("and beside a body of 1 GB", large),
        ):
            print(f"{name:36}{one.rate:10,.0f}{one.p99:9.1f}{one.errors:9}")
        print(f"the body of 1 GB: {said[0]}; memory {memory_mb(server.pid):.1f} MB")


def gigabyte(port: int) -> str:
    """Send a gigabyte without saying so before, and return how far it came and what was answered."""
    sent, block = 0, b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
    with socket.create_connection(("127.0.0.1", port)) as sock:
        head = b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        sock.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(1024):
                sock.sendall(block)
                sent += 1
        except OSError:
            pass
        try:
            status = sock.recv(1 << 16).split(b"\r\n")[0].decode()
        except OSError:
            status = "connection closed"
    return f"{status or 'connection closed'} after {sent} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--no-stacks", action="store_true")
    args = parser.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is missing: apt-get install wrk")
    with tempfile.TemporaryDirectory() as folder:
        train, test, name = tables()
        script = script_file(Path(folder), test)
        if not args.no_stacks:
            compare_stacks(args.seconds, args.rounds, script)
        model = model_file(Path(folder), train)
        starts = [start_seconds(model) for _ in range(3)]
        print(f"\na model of {name}; from the command to the first answer: {min(starts):.2f} s (best of 3)")
        against_echo(model, args.seconds, args.rounds, script)
        memory(model, args.requests, script)
        neighbours(model, args.seconds, script)


if __name__ == "__main__":
    main()
