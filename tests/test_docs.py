"""Every example of the README and the documentation runs, and the reference has every name."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

import lindy
from lindy.estimators.learners import REGISTRY

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def extension(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a module of the documentation's own extensions."""
    monkeypatch.syspath_prepend(str(ROOT / "docs/extensions"))
    return importlib.import_module(name)


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if re.search("^```(python|console)$", page.read_text("utf-8"), re.MULTILINE)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = extension("examples", monkeypatch)
    text = page.read_text(encoding="utf-8")
    shown = examples.run_examples(text, page.name, tmp_path)
    assert len(shown) == len(examples.BLOCK.findall(text))


def test_what_examples_print_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = extension("examples", monkeypatch)
    blocks = ["python\nx = 2\n", "python\nprint(x + 1)\n", "console\n$ echo one \\\n  two\n$ echo three\n"]
    source = ["\n".join(f"```{block}```\n" for block in blocks)]
    examples.show_examples(None, "page", source)
    assert "```python\nx = 2\n```\n\n```python" in source[0]
    assert "print(x + 1)\n```\n\n```{code-block} text\n:class: printed\n3\n```" in source[0]
    assert "$ echo one \\\n  two\none two\n\n$ echo three\nthree\n```" in source[0]


@pytest.mark.parametrize(
    "block",
    ["python\n1 / 0\n", "console\n$ lindy train nowhere.csv\n", "console\n$ lindy train nowhere.csv | cat\n",
     "console\n$ echo a\nb\n"],
)  # fmt: skip
def test_an_example_that_fails_is_an_error(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = extension("examples", monkeypatch)
    with pytest.raises(examples.ExampleError, match="page: an example failed"):
        examples.run_examples(f"```{block}```\n", "page", tmp_path)


def test_the_reference_has_every_room_and_every_public_name(monkeypatch: pytest.MonkeyPatch) -> None:
    reference = extension("reference_page", monkeypatch)
    assert set(reference.rooms()) <= set(reference.TITLES)
    documented = set(re.findall(r"^\.\. auto\w+:: (\S+)$", reference.page(), flags=re.MULTILINE))
    assert {f"lindy.{name}" for name in lindy.__all__ if name != "__version__"} <= documented
    for room in reference.rooms():
        module = importlib.import_module(f"lindy.{room}")
        for name in module.__all__:
            assert {f"lindy.{room}.{name}", f"lindy.{name}"} & documented, (room, name)


def test_every_learner_has_a_page_that_says_when_to_use_it() -> None:
    pages = [*(ROOT / "docs/textbook").glob("*.py"), ROOT / "docs/concepts/baselines.md"]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    assert all("## When to use " in text for text in texts)
    for _, name in REGISTRY.values():
        assert any(re.search(rf"\b{name}\b", text) for text in texts), name


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")), ids=lambda page: page.name)
def test_links_of_pages_beside_the_manual_lead_to_files(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", text)
    assert links or page.name not in ("README.md", "SECURITY.md")
    assert [link for link in links if not (ROOT / link).exists()] == []
