"""The pages for those who come from another toolkit: everything that they call lindy's runs; fastText's commands."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from lindy.data import samples
from tests.cli.conftest import Command

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
PAGES = sorted(GUIDE.glob("from-*.md"))


def ours(page: Path) -> list[str]:
    """Return the code of the last column of the page's tables."""
    lines = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    rows = [line for line in lines.splitlines() if line.startswith("|")]
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row.rsplit(" | ", 1)[1])]


@pytest.fixture
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for part in ("train", "test"):
        shutil.copy(samples.path(f"reviews-{part}"), f"{part}.csv")


@pytest.mark.usefixtures("_place")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_commands_and_snippets_run(page: Path, lindy: Command) -> None:
    names: dict[str, Any] = {}
    for block in re.findall(
        r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        exec(compile(block, str(page), "exec"), names)
    for code in ours(page):
        if code.startswith("lindy "):
            outcome = lindy(*shlex.split(code)[1:])
            assert outcome.code == 0, f"{code}\n{outcome.err}"
        elif not code.startswith("-"):
            exec(compile(code, f"{page}: {code}", "exec"), names)


def test_there_are_tables_on_every_page() -> None:
    assert [page.stem for page in PAGES] == [
        "from-fasttext",
        "from-liblinear",
        "from-scikit-learn",
        "from-vowpal-wabbit",
    ]
    for page in PAGES:
        assert sum(code.startswith("lindy ") for code in ours(page)) >= 5
        assert sum(not code.startswith("lindy ") for code in ours(page)) >= 4


@pytest.mark.parametrize(
    ("word", "here"),
    [
        ("supervised", "lindy train FILE -o MODEL"),
        ("test", "lindy evaluate MODEL FILE"),
        ("test-label", "lindy evaluate MODEL FILE"),
        ("predict-prob", "lindy predict MODEL FILE --proba"),
        ("quantize", "--max-features"),
    ],
)
def test_commands_of_fasttext_say_what_is_meant(word: str, here: str, lindy: Command) -> None:
    outcome = lindy(word, "-input", "train.txt")
    assert outcome.code == 2
    assert not outcome.out
    assert outcome.err.startswith(f"error: unknown command '{word}'\nhint:  in lindy this is ")
    assert here in outcome.err
