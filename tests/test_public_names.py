"""The public names exist, and reaching for them is all it takes."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lindy


@pytest.mark.parametrize("name", lindy.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(lindy, name) is not None
    assert name in dir(lindy)


def test_rooms_are_there_without_importing_them() -> None:
    code = "import lindy; assert lindy.text.CountVectorizer and lindy.textbook"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        lindy.nonsense  # noqa: B018


def test_the_textbook_imports_only_numpy_and_the_standard_library() -> None:
    for path in (Path(lindy.__file__).parent / "textbook").glob("**/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                top = name.partition(".")[0]
                assert (
                    name.startswith("lindy.textbook") or top == "numpy" or top in sys.stdlib_module_names
                ), (path, name)
