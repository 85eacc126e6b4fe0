"""The Dockerfile and the systemd unit of the documentation: what they run is run here, only at other places."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.servers import started

FOLDER = Path(__file__).parents[2] / "docs" / "deployment"
LINDY = str(Path(sys.executable).with_name("lindy"))
TOKEN = "0123456789abcdef0123456789abcdef"


def unit(reviews: Path, folder: Path) -> str:
    """Return the unit with the places of this machine."""
    shutil.copy(reviews, folder / "model.lindy")
    text = (FOLDER / "lindy.service").read_text()
    for there, here in (
        ("/opt/lindy/bin/lindy", LINDY),
        ("/srv/lindy/", f"{folder}/"),
        ("/var/lib/lindy/", f"{folder}/"),
    ):
        assert there in text
        text = text.replace(there, here)
    return text


@pytest.mark.needs_system("systemd-analyze")
def test_systemd_takes_the_unit(reviews: Path, tmp_path: Path) -> None:
    path = tmp_path / "lindy.service"
    path.write_text(unit(reviews, tmp_path))
    command = ["systemd-analyze", "verify", "--man=no", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_unit_starts_reloads_and_ends(reviews: Path, tmp_path: Path) -> None:
    commands = dict(re.findall(r"^(Exec\w+)=(.*)$", unit(reviews, tmp_path), re.MULTILINE))
    subprocess.run(shlex.split(commands["ExecStartPre"]), check=True, timeout=120, capture_output=True)
    assert commands["ExecReload"] == "/bin/kill -HUP $MAINPID"
    with started([*shlex.split(commands["ExecStart"]), "--port", "0"], subprocess.DEVNULL) as server:
        assert server.ask("/v1/predict", {"text": "a wonderful book"}).status == 200
        correction = {"text": "a wonderful book", "label": "negative"}
        assert server.ask("/v1/feedback", correction).json()["stored"] is True
        server.signal(signal.SIGHUP)
        server.wait_for("loaded again: model")
    assert "wonderful" in (tmp_path / "corrections.csv").read_text()


def instructions() -> dict[str, str]:
    """Return the instructions of the Dockerfile, each with its last argument."""
    lines = (FOLDER / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))


def test_the_container_answers_and_is_healthy(reviews: Path, tmp_path: Path) -> None:
    steps = instructions()
    assert steps["STOPSIGNAL"] == "SIGTERM"
    (tmp_path / "token").write_text(TOKEN)
    places = {
        "lindy": LINDY,
        "0.0.0.0": "127.0.0.1",
        "/run/secrets/token": str(tmp_path / "token"),
        "/models/model.lindy": str(reviews),
    }
    words = [*json.loads(steps["ENTRYPOINT"]), *json.loads(steps["CMD"])]
    assert set(places) <= set(words)
    with started([*(places.get(word, word) for word in words), "--port", "0"], subprocess.DEVNULL) as server:
        right = {"Authorization": f"Bearer {TOKEN}"}
        assert server.ask("/v1/predict", {"text": "a"}).status == 401
        assert server.ask("/v1/predict", {"text": "a"}, headers=right).status == 200
        python, *check = json.loads(steps["HEALTHCHECK"].partition("CMD")[2])
        assert python == "python"
        assert f":{steps['EXPOSE']}/" in check[-1]
        check[-1] = check[-1].replace(f":{steps['EXPOSE']}/", f":{server.port}/")
        assert subprocess.run([sys.executable, *check], check=False, timeout=60).returncode == 0
    ended = subprocess.run([sys.executable, *check], check=False, timeout=60, capture_output=True)
    assert ended.returncode == 1


def test_what_the_images_install_is_an_extra_of_the_package() -> None:
    project = (FOLDER.parents[1] / "pyproject.toml").read_text()
    assert "lindy[serve]" in instructions()["RUN"]
    assert re.search(r"^serve = \[", project, re.MULTILINE)
    oldest = re.search(r'requires-python = ">=3\.(\d+)"', project)
    image = re.fullmatch(r"python:3\.(\d+)-slim", instructions()["FROM"])
    assert oldest
    assert image
    assert int(image[1]) >= int(oldest[1])
