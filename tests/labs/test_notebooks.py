"""Labs as notebooks: valid, without answers where they are exercises, and with solutions that run."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from lindy.cli.app import run
from lindy.labs.catalog import LABS
from lindy.labs.notebook import ROOM, notebook, room
from lindy.labs.script import read_script

SCRIPTS = [path for lab in LABS for path in lab.scripts]
FIRST = [(lab.name, min(lab.scripts, key=lambda path: path.stat().st_size)) for lab in LABS]


def sources(text: str, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_notebooks_are_valid_and_exercises_have_no_answers(path: Path) -> None:
    script = read_script(path)
    code = [cell for cell in script.cells if not cell.prose]
    for solutions in (False, True):
        text = notebook(script, solutions=solutions)
        nbformat.validate(nbformat.reads(text, as_version=4))
        rooms = [cell.text if solutions or cell.given else room(cell) for cell in code]
        assert sources(text, "code") == rooms
        assert all(own.startswith(ROOM) for own, cell in zip(rooms, code, strict=True) if own != cell.text)
        given = [line for own in rooms for line in own.splitlines() if line.startswith("check.")]
        assert given == re.findall(r"^check\..*$", path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_hint_is_a_cell_of_its_own_folded_behind_its_exercise(path: Path) -> None:
    script = read_script(path)
    cells = sources(notebook(script, solutions=False), "markdown")
    hints = [text for text in cells if text.startswith("<details><summary>Hint</summary>\n\n")]
    assert len(hints) == sum(cell.text.count("Hint: ") for cell in script.cells if cell.prose)
    assert not any("Hint" in text for text in cells if text not in hints)


@pytest.mark.parametrize(("name", "path"), FIRST, ids=[name for name, _ in FIRST])
def test_solutions_run_in_a_kernel(
    name: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LINDY_DATA", raising=False)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    sheet = nbformat.reads(notebook(read_script(path), solutions=True), as_version=4)
    NotebookClient(sheet, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs: list[Any] = [output for cell in sheet.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output["output_type"] == "error"]
    printed = "".join(output.get("text", "") for output in outputs)
    assert "False" not in printed
    source = path.read_text(encoding="utf-8")
    kinds = {kind for output in outputs if output["output_type"] == "display_data" for kind in output["data"]}
    assert ("image/png" in kinds) == ("show(" in source)
    assert ("text/markdown" in kinds) == ("say(" in source or "show(" in source)
    titles = ["".join(output["data"].get("text/markdown", "")) for output in outputs if "data" in output]
    captions = re.findall(r'show\([^"]*"[\w-]+", "([^"{]+)"', source)
    assert all(f"**{caption}**" in titles for caption in captions)
    assert os.listdir(tmp_path) in ([], ["ipython"])  # pictures are in the notebook


def test_the_command_writes_both_kinds_and_keeps_what_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["lab", "5", "--part", "margins", "--notebook", "--output", str(tmp_path)]
    assert run(words) == 0
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["margins-solutions.ipynb", "margins.ipynb"]
    (tmp_path / "margins.ipynb").write_text("my solution", encoding="utf-8")
    capsys.readouterr()
    assert run(words) == 1
    assert "margins.ipynb exists: what was written into it would be lost" in capsys.readouterr().err
    assert (tmp_path / "margins.ipynb").read_text(encoding="utf-8") == "my solution"
    assert run([*words, "--solutions", "--force"]) == 0
    assert (tmp_path / "margins.ipynb").read_text(encoding="utf-8") == "my solution"
    assert run([*words, "--exercises", "--force"]) == 0
    assert ROOM in (tmp_path / "margins.ipynb").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert run(["lab", "1", "--notebook", "--output", str(tmp_path / "file")]) == 1
    assert "file" in capsys.readouterr().err
