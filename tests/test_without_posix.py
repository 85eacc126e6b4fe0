"""Lindy where POSIX is missing, as on Windows: the same commands, the same bytes, and a clear word for what fails."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from lindy.data import samples

SCRIPT = Path(__file__).with_name("without_posix.py")
SAMPLES = Path(samples.__file__).parent
TRAIN, TEST = (str(SAMPLES / f"reviews-{part}.csv") for part in ("train", "test"))
SVM = ["--learner", "svm", "--quiet"]
COMMANDS = [
    ["train", TRAIN, "-o", "auto.lindy", "--quiet"],
    ["train", TRAIN, "-o", "svm.lindy", *SVM],
    ["train", TRAIN, "-o", "large.lindy", *SVM, "--memory", "1000"],
    ["train", TRAIN, "-o", "workers.lindy", "--learner", "naive-bayes", "--on", "processes", "--quiet"],
    ["predict", "auto.lindy", TEST, "-o", "predicted.csv"],
    ["evaluate", "auto.lindy", TEST, "--json"],
    ["explain", "auto.lindy", "a joy to read", "--json"],
    ["report", "svm.lindy", TEST, "-o", "report.html", "--quiet"],
    ["update", "svm.lindy", TEST, "-o", "updated.lindy", "--quiet"],
    ["convert", TEST, "folder", "--to", "folder"],
    ["train", TRAIN, "-o", "svm.lindy", *SVM],  # in the place of a model that this process has loaded
]


def run(what: str, *given: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", str(SCRIPT), what, *given]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_module_can_be_imported(tmp_path):
    done = run("import", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 300


def test_commands_write_the_same_bytes(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    printed = []
    for folder, what in ((here, "everything"), (there, "run")):
        folder.mkdir()
        done = run(what, json.dumps(COMMANDS), folder=folder)
        assert done.returncode == 0, done.stderr + done.stdout
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    names = {path.relative_to(here) for path in here.rglob("*")}
    assert len(names) > len(COMMANDS)
    assert names == {path.relative_to(there) for path in there.rglob("*")}
    for name in names:
        assert (here / name).is_dir() or (here / name).read_bytes() == (there / name).read_bytes(), name
    assert (there / "large.lindy").read_bytes() == (there / "svm.lindy").read_bytes()


@pytest.fixture
def model(tmp_path) -> Path:
    done = run("run", json.dumps([["train", TRAIN, "-o", "model.lindy", *SVM]]), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "model.lindy"


def test_one_process_serves_and_ends_when_it_is_told_to(model):
    command = [
        sys.executable,
        "-P",
        str(SCRIPT),
        "serve",
        str(model),
        "--port",
        "0",
        "--feedback",
        "kept.csv",
    ]
    with subprocess.Popen(command, cwd=model.parent, stderr=subprocess.PIPE, text=True) as server:
        try:
            begun = server.stderr.readline()
            address = re.search(r"http://\S+/", begun)
            assert address, begun + server.stderr.read()
            said = _asked(f"{address[0]}v1/predict", {"text": "a joy to read"})
            assert said["results"][0]["label"] in ("positive", "negative")
            _asked(f"{address[0]}v1/feedback", {"text": "dull", "label": "negative"})
            table = urllib.request.Request(
                f"{address[0]}v1/table", Path(TEST).read_bytes(), {"content-type": "text/csv"}
            )
            with urllib.request.urlopen(table, timeout=60) as reply:
                assert len(reply.read().splitlines()) == len(Path(TEST).read_bytes().splitlines())
            with urllib.request.urlopen(f"{address[0]}metrics", timeout=60) as reply:
                assert "process_cpu_seconds_total" in reply.read().decode()
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 0, server.stderr.read()
            assert server.stderr.read() == "ended\n"
        finally:
            server.kill()
    assert "dull" in (model.parent / "kept.csv").read_text(encoding="utf-8")


def _asked(address: str, message: dict[str, str]) -> dict:
    request = urllib.request.Request(
        address, json.dumps(message).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.loads(reply.read() or b"{}")


def test_several_processes_are_refused_with_a_reason(model):
    done = run("serve", str(model), "--port", "0", "--workers", "2", folder=model.parent)
    assert done.returncode == 1
    assert "--workers 2: this system has no fork" in done.stderr
    assert "Traceback" not in done.stderr
