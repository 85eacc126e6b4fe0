"""Every Python example of the README and the documentation runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lindy.learners import HOMES

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


def test_the_reference_lists_every_learner() -> None:
    page = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    assert [name for _, name in HOMES.values() if f".. autoclass:: lindy.{name}\n" not in page] == []
