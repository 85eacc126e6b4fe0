"""What a release consists of: one version everywhere, licences of what is inside, and a smoke test that can fail."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import lindy

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_the_same_everywhere():
    version = PROJECT["project"]["version"]
    assert lindy.__version__ == version
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", cited, re.MULTILINE)[1] == version
    listed = re.findall(
        r"^## ([0-9.]+) \((.*)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert listed[0] == (version, re.search(r"^date-released: (.*)$", cited, re.MULTILINE)[1])


def test_changed_models_come_first_in_the_changelog():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = text.split(f"\n## {lindy.__version__} ", 1)[1].split("\n## ", 1)[0]
    sections = re.findall(r"^### (.*)$", newest, re.MULTILINE)
    assert sections[0] == "Changed models"
    assert len(sections) == len(set(sections))
    entries = re.findall(r"^- (?:.|\n(?!- |\n))*", newest, re.MULTILINE)
    assert len(entries) == len({" ".join(entry.split()) for entry in entries}), "an entry stands there twice"


def test_licences_of_what_is_inside_the_wheel_go_with_it(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "release"))
    import bill

    kept = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "licences").glob("*.txt")}
    marks = {
        "BSD-3-Clause": "Neither the name",
        "MIT": "Permission is hereby granted",
        "Unicode-3.0": "UNICODE LICENSE V3",
    }
    for part in bill.PARTS:
        if part.licence in marks:
            name = part.name.split()[0].lower()
            assert marks[part.licence] in " ".join(kept.pop(name).split()), part.name
    assert not kept, "licences of things that release/bill.py does not name"
    assert PROJECT["project"]["license-files"] == ["LICENSE", "licences/*.txt"]
    assert "licences" in PROJECT["tool"]["scikit-build"]["sdist"]["include"]


def test_the_smoke_test_trains_and_predicts(tmp_path):
    done = subprocess.run(
        [sys.executable, "-P", str(ROOT / "release" / "smoke.py"), "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PATH": str(Path(sys.executable).parent)},
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["accuracy"] > 0.8
    assert said["first_model_s"] > 0


def test_a_wheel_that_is_too_large_is_refused(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "release"))
    import trial

    wheel = tmp_path / "large.whl"
    with wheel.open("wb") as file:
        file.truncate(trial.LARGEST)
    with pytest.raises(SystemExit, match="12,000,000"):
        trial.tried(sys.executable, wheel, tmp_path)


def test_every_extra_can_be_installed_from_a_clone() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    start = (ROOT / "docs" / "guide" / "start.md").read_text(encoding="utf-8")
    table = start.partition("## Installation")[2].partition("\n## ")[0]
    assert set(extras) - {"all"} <= set(re.findall(r"`(\w+)`", table))
    named = 0
    for page in (
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "docs" / "deployment").iterdir(),
    ):
        text = page.read_text(encoding="utf-8")
        for extra in re.findall(r"'(?:lindy|\.|/clone)\[(\w+)\]'", text):
            assert extra in extras
            named += 1
        assert "'lindy[" not in text or "'.[" in text or "/clone[" in text, (
            f"{page}: only of the released package"
        )
    assert named > 5


def test_an_extra_is_added_to_what_is_installed() -> None:
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "lindy[serve]"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "Requirement already satisfied: lindy[serve]" in done.stdout
    assert "Would install" not in done.stdout
