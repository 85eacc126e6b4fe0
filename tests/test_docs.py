"""Every Python example of the README and the documentation runs, and the reference has every name."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import lindy

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page", [p for p in PAGES if python_blocks(p)], ids=lambda p: str(p.relative_to(ROOT))
)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in python_blocks(page):
        exec(compile(block, str(page), "exec"), names)


def test_the_reference_has_every_room_and_every_public_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs/extensions"))
    reference = importlib.import_module("reference_page")
    assert set(reference.rooms()) <= set(reference.TITLES)
    documented = set(re.findall(r"^\.\. auto\w+:: (\S+)$", reference.page(), flags=re.MULTILINE))
    assert {f"lindy.{name}" for name in lindy.__all__ if name != "__version__"} <= documented
    for room in reference.rooms():
        module = importlib.import_module(f"lindy.{room}")
        for name in module.__all__:
            assert {f"lindy.{room}.{name}", f"lindy.{name}"} & documented, (room, name)
