"""The public names exist, and reaching for them is all it takes."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lindy

ROOT = Path(lindy.__file__).parent
LAZY = sorted(path for path in ROOT.glob("**/__init__.py") if "with lazy_imports" in path.read_text())
ROOMS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))


@pytest.mark.parametrize("name", lindy.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(lindy, name) is not None
    assert name in dir(lindy)


def test_rooms_are_there_without_importing_them() -> None:
    code = "import lindy; assert lindy.text.CountVectorizer and lindy.textbook"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("path", LAZY, ids=lambda path: path.parent.name)
def test_a_package_exports_the_imports_of_its_lazy_block_and_imports_none_of_them(path: Path) -> None:
    names = re.findall(r"^ +from \S+ import \S+ as (\w+)$", path.read_text(), re.MULTILINE)
    package = ".".join(path.relative_to(ROOT.parent).parent.parts)
    code = f"""
import importlib, sys
import {package} as package
names = {names!r}
assert names and not set(names) & vars(package).keys() - {{sub.rpartition('.')[2] for sub in sys.modules}}
assert sorted(package.__all__) == sorted(names if {package!r} != "lindy" else set(names) - {{*{ROOMS!r}}})
assert set(names) <= set(dir(package))
assert all(getattr(package, name) is getattr(importlib.reload(package), name) for name in names)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_packages_can_be_imported_by_many_threads_at_once() -> None:
    packages = [".".join(path.relative_to(ROOT.parent).parent.parts) for path in LAZY]
    code = f"""
import builtins, importlib, sys, threading
sys.setswitchinterval(1e-6)
before, found = builtins.__import__, []
threads = [threading.Thread(target=lambda name=name: found.append(importlib.import_module(name).__all__))
           for name in {packages!r}]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert all(found) and len(found) == len(threads) and builtins.__import__ is before
"""
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
