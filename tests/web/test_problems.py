"""What is wrong with a request, in words for people who type no commands."""

from __future__ import annotations

import pytest

from lindy.errors import DataError, MissingPackageError, OutputError
from lindy.web.http.problems import from_error, without_options


@pytest.mark.parametrize(
    ("advice", "left"),
    [
        ("Give every column its own name.", "Give every column its own name."),
        ("Name it with --label.", ""),
        ("Name it with `label=`.", ""),
        ("Check the file, or name its format with `format=`.", "Check the file."),
        ("read the sheet 'x', and not 'y' (`sheet=` names another)", "read the sheet 'x', and not 'y'"),
        (
            "Check that the file is complete, or name its format with --format.",
            "Check that the file is complete.",
        ),
        ("It is a binary file. If it is UTF-16, name it with --encoding utf-16-le.", "It is a binary file."),
        ("If the first line is a text already: add --format lines.", ""),
        ("Add a first line; for texts alone, add --format lines.", "Add a first line."),
        ("A JSON array becomes JSON Lines by: jq -c '.[]'.", ""),
        (
            "a.xlsx: read the sheet 'x', and not 'y' (--sheet names another)",
            "a.xlsx: read the sheet 'x', and not 'y'",
        ),
        ("Put fields between double quotes -- or none.", "Put fields between double quotes -- or none."),
    ],
)
def test_advice_without_options(advice: str, left: str) -> None:
    assert without_options(advice) == left


def test_a_message_stays_whole_whatever_it_quotes() -> None:
    problem = from_error(DataError("the table: no column '--x'", "Name one with --text."))
    assert (problem.status, problem.message) == (400, "the table: no column '--x'")
    assert from_error(MissingPackageError("workbooks need openpyxl", "pip install x")).status == 415
    assert from_error(OutputError("no room", "make some")).status == 503
