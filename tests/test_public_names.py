"""The public names exist, and reaching for them is all it takes."""

from __future__ import annotations

import subprocess
import sys

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
