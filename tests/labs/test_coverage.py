"""The coverage page claims nothing that is not there, and leaves out no test of a lecture."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from lindy.labs.catalog import LABS

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "docs" / "extensions"))

import lecture_coverage as coverage  # noqa: E402


def test_every_name_script_and_test_exists() -> None:
    assert coverage.faults() == []


@pytest.mark.parametrize(
    "missing",
    [
        {"names": ["lindy.Perceptronn"]},
        {"names": ["lindy.nowhere.Perceptron"]},
        {"lab": "lxmls/nothing"},
        {"tests": ["labs/test_lxmls.py::test_nothing"]},
        {"tests": ["labs/test_nowhere.py::test_eq_1_8"]},
        {"tests": []},
    ],
)
def test_what_does_not_exist_is_found(missing: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    item = coverage.lectures()[0]["items"][0] | missing
    monkeypatch.setattr(coverage, "lectures", lambda: [{"name": "X", "items": [item]}])
    assert len(coverage.faults()) == 1


def test_every_test_of_a_lecture_is_named() -> None:
    named = {test for lecture in coverage.lectures() for item in lecture["items"] for test in item["tests"]}
    for lab in LABS:
        tree = ast.parse((HERE / f"test_{lab.name}.py").read_text(encoding="utf-8"))
        tests = {
            f"labs/test_{lab.name}.py::{node.name}"
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        }
        assert tests <= named


def test_every_script_is_named() -> None:
    named = {item["lab"] for lecture in coverage.lectures() for item in lecture["items"]}
    assert named == {f"{lab.name}/{part}" for lab in LABS for part in lab.parts}


def test_the_page_has_a_row_for_every_item() -> None:
    page = coverage.page()
    items = [item for lecture in coverage.lectures() for item in lecture["items"]]
    assert all(f"| {item['section']} |" in page for item in items)
    assert len(items) >= 120
    assert not re.search("◐|in part", page)


def test_what_is_only_named_is_said_to_be_absent() -> None:
    page = coverage.page()
    for what in (
        "k-nearest neighbours",
        "decision trees",
        "neural networks",
        "regression",
        "conditional random fields",
    ):
        assert f"\n| {what}" in page
