"""What the library says names its arguments; the command line makes its options of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lindy
from lindy.cli.io.console import as_options

ROOT = Path(lindy.__file__).parent
OPTION = re.compile(r"(?<![\w\"(;-])--[a-z][a-z-]{2,}(?![a-z:-])")  # no property of a style
HELP = (
    "accel/__main__.py",
    "data/formats/registry.py",
    "tuning/text_options.py",
)  # hold the help of commands, beside what they are about
OTHERS = (  # options of other programs, and commands as a whole
    "lindy report --train",
    "pip install --upgrade",
    "takes them with --named_labels",
)


def constants(path: Path) -> Iterator[ast.Constant]:
    """The strings of a module that are not docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node


def test_the_library_does_not_name_options_of_the_command_line() -> None:
    rooms = {path.relative_to(ROOT).parts[0] for path in ROOT.rglob("*.py")} - {"cli", "labs", "web"}
    found = [
        f"{path.relative_to(ROOT)}, line {node.lineno}: {text}"
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] in rooms and path.relative_to(ROOT).as_posix() not in HELP
        for node in constants(path)
        if OPTION.search(text := str(node.value)) and not any(other in text for other in OTHERS)
    ]
    assert not found, (
        "write `label=` or `format='lines'` between backticks, of which the command line makes options"
    )


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Name it with `label=`.", "Name it with --label."),
        ("add `format='lines'`, or `encoding=\"auto\"`", "add --format lines, or --encoding auto"),
        ("leave out `keep_rows=True`", "leave out --keep-rows"),
        (
            "`metric='f1:not spam'` and `class_weight='balanced'`",
            "--metric f1:not spam and --class-weight balanced",
        ),
        ("name a folder with `folder=`, or `target_format=`", "name a folder with --cache, or --to"),
        ("e.g. C=0.5, `code` and spam=5", "e.g. C=0.5, `code` and spam=5"),
    ],
)
def test_arguments_become_options(said: str, shown: str) -> None:
    assert as_options(said) == shown
