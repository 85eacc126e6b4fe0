"""Writers that are killed, run out of disk, or meet each other."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from lindy.errors import OutputError
from lindy.files.output_guard import protecting
from lindy.modelfile import read_model, write_model

HERE = Path(__file__).parent


@pytest.mark.parametrize(("way", "kills"), [("write_model", 60), ("save", 60), ("train", 20)])
def test_a_killed_writer_leaves_the_old_or_the_new_model(way, kills):
    command = [sys.executable, "-m", "tests.hostile.kill_writer", "--kills", str(kills), "--way", way]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE.parents[1])
    found = json.loads(done.stdout)
    assert found["old"] + found["new"] == kills
    assert found["left over"] == 0
    if way == "write_model":
        assert found["amid"] > 0  # the kills did come while files were being written


def test_a_full_disk_leaves_the_old_model(tmp_path):
    path = tmp_path / "model"
    write_model(path, {"generation": 1}, {"W": np.ones(10)})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OutputError, match="larger than is allowed"):
            write_model(path, {"generation": 2}, {"W": np.ones(100_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert read_model(path).header == {"generation": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


WRITER = """
import select
import sys
import numpy as np
from lindy.modelfile import write_model
name = sys.argv[2]
n = 0
while select.select([sys.stdin], [], [], 0) == ([], [], []):  # until it is closed
    n += 1
    write_model(sys.argv[1], {"writer": name, "n": n}, {"W": np.full(20_000 + n, float(name))})
"""


def test_two_writers_at_once_leave_one_valid_model(tmp_path):
    path = tmp_path / "model"
    write_model(path, {"writer": "0", "n": 0}, {"W": np.zeros(20_000)})
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, name], stdin=subprocess.PIPE) for name in ("1", "2")]
    seen: Counter[str] = Counter()
    while min(seen["1"], seen["2"]) < 60:
        model = read_model(path)
        writer, n = model.header["writer"], model.header["n"]
        assert model.arrays["W"].shape == (20_000 + n,)
        assert (model.arrays["W"] == float(writer)).all()
        seen[writer] += 1
        assert [writer.poll() for writer in writers] == [None, None]
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0, 0]
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


INTERRUPTED = """
import sys
import numpy as np
from lindy.modelfile import write_model
W = np.zeros(300_000)
sys.stdout.write("ready\\n")
sys.stdout.flush()
while True:
    write_model(sys.argv[1], {}, {"W": W})
"""


def test_ctrl_c_leaves_no_temporary_file(tmp_path):
    path = tmp_path / "model"
    for wait in (0.0, 0.01, 0.02, 0.03):
        command = [sys.executable, "-c", INTERRUPTED, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
            writer.stdout.readline()
            while not path.exists():
                time.sleep(0.001)
            time.sleep(wait)
            writer.send_signal(signal.SIGINT)
            assert b"KeyboardInterrupt" in writer.communicate()[1]
        assert [entry.name for entry in tmp_path.iterdir()] == ["model"]
        assert read_model(path).arrays["W"].size == 300_000


@pytest.mark.parametrize("done", [True, False], ids=["after the rename", "before the rename"])
def test_an_interrupt_around_the_rename_is_told_as_it_is(done, tmp_path, monkeypatch):
    path, outputs, rename = tmp_path / "model", [], os.replace

    def interrupted(source, target):
        if done:
            rename(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt), protecting(force=False, outputs=outputs):
        write_model(path, {}, {})
    assert outputs == ([str(path)] if done else [])
    assert [entry.name for entry in tmp_path.iterdir()] == (["model"] if done else [])
