"""The course companion: every page runs, says that both agree, and together they show the whole textbook."""

from __future__ import annotations

import pydoc
import re
from pathlib import Path

import pytest

import lindy.textbook
from lindy.labs.running import play
from lindy.labs.script import read_script

PAGES = sorted((Path(__file__).parents[2] / "docs" / "textbook").glob("*.py"))
CODE = re.compile(r"^# Code: (lindy\.textbook\.(\w+)\.\w+)$", re.MULTILINE)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_textbook_and_learner_agree(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LINDY_DATA", raising=False)
    played = list(play(read_script(path), tmp_path, capture=True))
    printed = "".join(part.text for part in played)
    assert "agree" in printed
    assert "False" not in printed
    assert any(part.figures for part in played)
    source = path.read_text(encoding="utf-8")
    assert "$$" in source
    names = CODE.findall(source)
    assert names
    assert all(callable(pydoc.locate(name)) for name, _ in names)


def test_pages_show_the_textbook_that_is_there() -> None:
    folder = Path(lindy.textbook.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    shown = {module for path in PAGES for _, module in CODE.findall(path.read_text(encoding="utf-8"))}
    assert shown <= modules
    assert len(shown) >= 20


def test_the_index_leads_to_every_page() -> None:
    index = (PAGES[0].parent / "index.md").read_text(encoding="utf-8")
    assert all(f"{{doc}}`{path.stem}`" in index for path in PAGES)
