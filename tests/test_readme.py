"""Tables, pictures and RESULTS.md are those of the records that the benchmarks wrote."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


def test_tables_are_those_of_the_records():
    from benchmarks import readme

    pages = readme.pages()
    assert {"endtoend", "default", "accuracy"} <= {
        found[1] for found in readme.TABLE.finditer(pages[readme.README])
    }
    assert ROOT / "docs" / "index.md" in pages
    for path, text in pages.items():
        assert {found[1] for found in readme.TABLE.finditer(text)} <= set(readme.TABLES), path
        assert readme.renewed(text) == text, f"{path}: run python -m benchmarks.readme"


def test_every_table_can_be_made_of_its_record():
    from benchmarks import readme, results

    kept = results.records()
    for name, table in readme.TABLES.items():
        if "figures" in kept.get(name, {}):
            assert table(kept[name]["figures"]).count("\n") >= 2, name


def test_results_are_those_of_the_records():
    from benchmarks import pictures, results

    text = results.RESULTS.read_text(encoding="utf-8")
    assert text == results.rendered(results.records(), pictures.shown()), "run python -m benchmarks.readme"


def test_pictures_show_the_figures_of_the_records():
    from benchmarks import pictures, results

    kept = results.records()
    for topic, file, _ in pictures.shown():
        drawn = pictures.described(pictures.FOLDER / file)
        assert drawn == pictures.digest(kept[topic]["figures"]), "run python -m benchmarks.pictures"
    assert {path.name for path in pictures.FOLDER.glob("*")} == {file for _, file, _ in pictures.shown()}


def test_every_record_belongs_to_a_topic():
    from benchmarks import results

    assert set(results.QUICK) <= set(results.TOPICS)
    names = {path.stem for path in results.RECORDS.glob("*.json")}
    assert names - {"instructions"} <= set(results.TOPICS)
    for topic in names:
        assert json.loads((results.RECORDS / f"{topic}.json").read_text(encoding="utf-8"))["topic"] == topic


def test_a_figure_changed_by_hand_is_noticed():
    from benchmarks import pictures, readme, results

    page = readme.README.read_text(encoding="utf-8")
    changed = page.replace("×", "0×")
    assert changed != page
    assert readme.renewed(changed).split("<!-- end of table -->")[0] == page.split("<!-- end of table -->")[0]
    kept = results.records()
    text = results.rendered(kept)
    kept["startup"]["printed"][0] += "!"
    assert results.rendered(kept) != text
    assert pictures.digest([{"cpu": 1.0}]) != pictures.digest([{"cpu": 1.1}])


def test_what_was_measured_beside_other_work_says_so():
    from benchmarks import results

    kept = {
        "topic": "startup", "command": "python -m benchmarks.startup", "date": "2026-11-17", "commit": "abc",
        "machine": "a machine", "quiet": {"wrong": ["others use 1.50 processors"]}, "printed": ["1 ms"],
    }  # fmt: skip
    assert "on a busy machine (others use 1.50 processors)" in results.rendered({"startup": kept})
    assert "busy" not in results.rendered({"startup": kept | {"quiet": {"wrong": []}}})
