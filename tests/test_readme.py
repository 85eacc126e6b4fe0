"""The README's tables are those of the records that the benchmarks wrote."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_tables_are_those_of_the_records(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import readme

    page = readme.README.read_text(encoding="utf-8")
    assert {found[1] for found in readme.TABLE.finditer(page)} == set(readme.TABLES)
    assert {path.stem for path in readme.RECORDS.glob("*.json")} == set(readme.TABLES)
    assert readme.renewed(page) == page, "run python -m benchmarks.readme"


def test_a_figure_changed_by_hand_is_noticed(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import readme

    page = readme.README.read_text(encoding="utf-8")
    changed = page.replace("×", "0×")
    assert readme.renewed(changed).split("<!-- end of table -->")[0] == page.split("<!-- end of table -->")[0]
