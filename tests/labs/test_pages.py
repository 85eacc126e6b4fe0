"""The pages of the labs: solutions are folded with their output, and nothing runs off a narrow window."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lindy.labs.catalog import LABS
from lindy.labs.running import play
from lindy.labs.script import read_script
from tests.chromium import Browser

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "extensions"))

import labs as pages  # noqa: E402


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    opened = Browser()
    yield opened
    opened.driver.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the smallest part of a lab."""
    script = read_script(next(path for path in LABS[4].scripts if path.stem == "inference"))
    figures = tmp_path_factory.mktemp("figures")
    blocks = [
        block for played in play(script, figures, capture=True) for block in pages.cell(played, Path("f"))
    ]
    return "\n\n".join(blocks)


def test_a_solution_is_folded_with_its_output(page: str) -> None:
    begin = page.index("<details><summary>Solution</summary>")
    folded = page[begin : page.index("</details>", begin)]
    assert "full table: 10 · 2^256" in folded
    assert page.count("<details><summary>Solution</summary>") == 4
    outside = "".join(part.partition("</details>")[2] for part in page.split("<details>"))
    assert "most probable digit is 6" not in outside


def test_what_is_given_is_not_folded(page: str) -> None:
    outside = "".join(part.partition("</details>")[2] for part in page.split("<details>"))
    assert "pixel_31 = [0.01," in outside
    assert "import numpy" not in outside


def test_hints_are_folded(page: str) -> None:
    assert page.count("<details><summary>Hint</summary>") == page.count("Hint") == 3


def test_the_weeks_count_the_exercises_of_their_parts() -> None:
    text = (ROOT / "docs" / "labs" / "lecturers.md").read_text(encoding="utf-8")
    counts = {
        (str(lab.number), path.stem): sum(not (cell.prose or cell.given) for cell in read_script(path).cells)
        for lab in LABS
        for path in lab.scripts
    }
    rows = re.findall(r"^\| \d+ \| [^|]+ \| ([^|]+) \| (\d+) \|$", text, re.MULTILINE)
    named = [re.findall(r"lab (\d) `(\w+)`", parts) for parts, _ in rows]
    assert sorted(part for parts in named for part in parts) == sorted(counts)
    assert [int(total) for _, total in rows] == [sum(counts[part] for part in parts) for parts in named]


@pytest.mark.needs_system("chromium", "chromedriver")
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_long_lines_and_wide_tables_scroll_where_they_are(
    width: int, browser: Browser, tmp_path: Path
) -> None:
    css = (ROOT / "docs" / "static" / "page.css").read_text(encoding="utf-8")
    cells = "".join(f"<td>a_column_of_the_number_{i}</td>" for i in range(12))
    (tmp_path / "page.html").write_text(
        f"<!doctype html><meta name=viewport content='width=device-width'><style>{css}</style><div class=main><div"
        f" class=content><details open><div class=highlight><pre>{'word ' * 80}</pre></div></details>"
        f"<div class=table-wrapper><table><tr>{cells}</tr></table></div></div></div>",
        encoding="utf-8",
    )
    browser.resize(width)
    browser.show(f"file://{tmp_path / 'page.html'}")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    inner = (
        "return [...document.querySelectorAll('pre, .table-wrapper')].map(e => e.scrollWidth > e.clientWidth)"
    )
    assert browser.run(inner) == [True, True]
