"""The tables of the README and of the manual are those of the records that the benchmarks wrote."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_tables_are_those_of_the_records(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import readme

    tables = {path: path.read_text(encoding="utf-8") for path in readme.PAGES}
    assert {found[1] for found in readme.TABLE.finditer(tables[readme.README])} == set(readme.TABLES)
    assert {path.stem for path in readme.RECORDS.glob("*.json")} == set(readme.TABLES)
    for page in tables.values():
        assert readme.TABLE.search(page)
        assert readme.renewed(page) == page, "run python -m benchmarks.readme"


def test_a_figure_changed_by_hand_is_noticed(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import readme

    page = readme.README.read_text(encoding="utf-8")
    changed = page.replace("×", "0×")
    assert readme.renewed(changed).split("<!-- end of table -->")[0] == page.split("<!-- end of table -->")[0]
