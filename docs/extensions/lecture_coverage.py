"""The page ``labs/coverage``: what the lectures ask for, where it is in lindy, and which test shows it.

The page is made from ``coverage.toml``. A public name, a script or a test that does not exist fails the build.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from lindy.labs.catalog import LABS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "docs" / "labs" / "coverage.toml"
ORIGIN = "<!-- written by docs/extensions/lecture_coverage.py -->"

Item = dict[str, Any]


def lectures() -> list[dict[str, Any]]:
    """Return the lectures with their items."""
    return _source()["lecture"]


def named_only() -> list[dict[str, str]]:
    """Return what lectures name without explaining it, and lindy does not build."""
    return _source()["named"]


def _source() -> dict[str, Any]:
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


def faults() -> list[str]:
    """Return what is claimed and does not exist."""
    scripts = {f"{lab.name}/{part}" for lab in LABS for part in lab.parts}
    found = []
    for lecture in lectures():
        for item in lecture["items"]:
            place = f"{lecture['name']}, {item['section']}"
            found += [f"{place}: there is no {name}" for name in item["names"] if not _exists(name)]
            found += [f"{place}: there is no test {test}" for test in item["tests"] if not _is_test(test)]
            found += [] if item["lab"] in scripts else [f"{place}: there is no script {item['lab']}"]
            found += [] if item["tests"] else [f"{place}: no test shows it"]
    return found


def _exists(name: str) -> bool:
    """Return whether a dotted name can be reached, importing modules on the way."""
    module, _, last = name.rpartition(".")
    try:
        home = importlib.import_module(module)
    except ImportError:
        return False
    if hasattr(home, last):
        return True
    return importlib.util.find_spec(name) is not None


def _is_test(test: str) -> bool:
    path, _, function = test.partition("::")
    return function in _tests_in(path)


@cache
def _tests_in(path: str) -> set[str]:
    file = ROOT / "tests" / path
    if not file.is_file():
        return set()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def page() -> str:
    """Return the page."""
    total = sum(len(lecture["items"]) for lecture in lectures())
    text = [
        ORIGIN,
        "# Coverage",
        f"Everything that the five lectures state, ask for or show, {total} items in the order of their pages: the lab"
        " that works through it, where it is in lindy (names below `lindy.`), and the tests that show it (files below"
        " `tests/`). All of them are there; what the lectures only name, and lindy leaves out, is"
        " [at the end](#named-and-not-built). The build fails if one of the names, labs or tests does not exist.",
    ]
    for lecture in lectures():
        rows = ["| section | what it asks | in lindy | shown by |", "| --- | --- | --- | --- |"]
        rows += [_row(item) for item in lecture["items"]]
        text += [f"## {lecture['name']}: {lecture['about']}", "\n".join(rows)]
    rows = ["| named | where | in lindy |", "| --- | --- | --- |"]
    rows += [f"| {item['what']} | {item['where']} | {item['why']} |" for item in named_only()]
    text += [
        "## Named and not built",
        "The lectures mention these without explaining them. lindy is a toolkit for linear models and their kernels,"
        " and does not have them.",
        "\n".join(rows),
    ]
    return "\n\n".join(text) + "\n"


def _row(item: Item) -> str:
    folder, _, part = item["lab"].partition("/")
    number = next(lab.number for lab in LABS if lab.name == folder)
    asks = item["asks"].replace("|", "\\|")
    names = "<br>".join(_short(name) for name in item["names"]) or "NumPy"
    tests = "; ".join(_in_words(test) for test in item["tests"])
    return f"| {item['section']} | {asks} ([{part}]({number}-{folder}.md)) | {names} | {tests} |"


def _short(name: str) -> str:
    """Return a name in code, without lindy; of the textbook's only the last part, which is long enough."""
    last = name.rpartition(".")[2]
    return f"textbook: `{last}`" if name.startswith("lindy.textbook.") else f"`{name.removeprefix('lindy.')}`"


def _in_words(test: str) -> str:
    """Return a test as a sentence, which can be broken into lines, and its file."""
    path, _, function = test.partition("::")
    return f"{function.removeprefix('test_').replace('_', ' ')} (*{path}*)"


def write_page(app: Any) -> None:
    """Check what is claimed, and write the page."""
    if wrong := faults():
        raise ValueError("docs/labs/coverage.toml is not true:\n  " + "\n  ".join(wrong))
    path = Path(app.srcdir) / "labs" / "coverage.md"
    if not path.exists() or path.read_text(encoding="utf-8") != page():
        path.write_text(page(), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the page when a build begins."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
