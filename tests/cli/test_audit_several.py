"""``lindy audit`` of several tables: what one table of all rows gives, with the file beside each row."""

from __future__ import annotations

import json
import random

import pytest

import lindy.cli.io.reading
import lindy.data.chunks.delimited_parts
from lindy.cli.app import run

HEADER = "label,text\n"


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Return a folder with all rows in one table, and the same rows in three."""
    draw = random.Random(0)
    words = {"good": ["fine", "lovely", "happy", "joy"], "bad": ["awful", "sad", "poor", "worse"]}
    lines = []
    for number in range(150):
        label = draw.choice(["good", "bad"])
        lines.append(f"{label},{' '.join(draw.choices(words[label], k=6))} number{number}\n")
    text = lines[3].partition(",")[2]
    lines[60], lines[140] = f"good,{text}", f"bad,{text}"
    lines[90] = ",no label here\n"
    (tmp_path / "all.csv").write_text(HEADER + "".join(lines))
    for name, own in (("a", lines[:40]), ("b", lines[40:100]), ("c", lines[100:])):
        (tmp_path / f"{name}.csv").write_text(HEADER + "".join(own))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def audited(capsys, *args: str) -> dict:
    assert run(["audit", *args, "--json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("large", [False, True], ids=["whole", "in parts"])
def test_findings_are_those_of_one_table(large, tables, capsys, monkeypatch):
    sample = []
    if large:
        monkeypatch.setattr(lindy.cli.io.reading, "AT_ONCE", 10)
        monkeypatch.setattr(lindy.data.chunks.delimited_parts, "BLOCK", 700)
        sample = ["--sample", "120"]
    whole = audited(capsys, "all.csv", *sample)
    several = audited(capsys, "a.csv", "b.csv", "c.csv", *sample)
    begins = {"a.csv": 0, "b.csv": 40, "c.csv": 100}
    assert {"a.csv", "b.csv", "c.csv"} >= {own["file"] for own in several["findings"]} > {"c.csv"}
    for own in several["findings"]:
        own["line"] += begins[own.pop("file")]
    assert several == whole


def test_a_pattern_names_them(tables, capsys):
    (tables / "all.csv").unlink()
    assert audited(capsys, "*.csv")["rows"] == 149


@pytest.mark.parametrize("large", [False, True], ids=["whole", "in parts"])
def test_a_sheet_corrects_them(large, tables, capsys, monkeypatch):
    with monkeypatch.context() as changed:
        sample = []
        if large:
            changed.setattr(lindy.cli.io.reading, "AT_ONCE", 10)
            changed.setattr(lindy.data.chunks.delimited_parts, "BLOCK", 700)
            sample = ["--sample", "120"]
        for inputs, sheet in ((["all.csv"], "one.csv"), (["a.csv", "b.csv", "c.csv"], "three.csv")):
            assert run(["audit", *inputs, *sample, "-o", sheet]) == 0
    assert "lindy audit a.csv b.csv c.csv --apply three.csv" in capsys.readouterr().err
    assert (tables / "three.csv").read_text().startswith("row,file,line,")
    assert run(["audit", "all.csv", "--apply", "one.csv", "-o", "clean.csv"]) == 0
    assert run(["audit", "a.csv", "b.csv", "c.csv", "--apply", "three.csv", "-o", "cleaned.csv"]) == 0
    assert (tables / "clean.csv").read_bytes() == (tables / "cleaned.csv").read_bytes()
    assert (tables / "clean.csv").read_text().count("\n") < 151


def test_other_columns_are_refused(tables, capsys):
    (tables / "d.csv").write_text("label,text,author\ngood,fine words,me\n")
    assert run(["audit", "a.csv", "d.csv"]) == 1
    assert "d.csv: other columns than a.csv: only one of them has 'author'" in capsys.readouterr().err
