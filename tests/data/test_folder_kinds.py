"""What a folder holds is told by the names in it: messages, a table in parts, or texts."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lindy.data import convert, read_chunks, read_table
from lindy.data.formats.folder_kinds import folder_format
from lindy.errors import DataError, NoRowsError

HAM = "From: anna@friends.example\nSubject: tea\n\nAt four?"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def part(path: Path, *texts: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"text": pa.array(texts, pa.string())}), path)


def test_messages_texts_and_a_mixture(tmp_path: Path) -> None:
    write(tmp_path / "ham" / "1.eml", HAM)
    assert folder_format(str(tmp_path)) == "mail"
    assert read_table(tmp_path).has_messages
    assert read_table(tmp_path).column("subject").to_pylist() == ["tea"]
    write(tmp_path / "spam" / "1.txt", "win")
    with pytest.raises(DataError, match=r"some files are mail \(.*1\.eml\), others are not \(.*1\.txt\)"):
        read_table(tmp_path)
    with pytest.raises(DataError, match="some of them are mail, others are not"):
        read_table([tmp_path / "ham", tmp_path / "spam"])
    assert read_table(tmp_path, "folder").column("text").to_pylist() == [HAM, "win"]
    assert read_table(tmp_path / "spam").column("label").to_pylist() == ["spam"]


def test_a_maildir_and_its_subfolders(tmp_path: Path) -> None:
    for folder in ("cur", "new", "tmp", ".Spam/cur", ".Spam/new", ".notes"):
        (tmp_path / "box" / folder).mkdir(parents=True)
    write(tmp_path / "box" / "cur" / "17.M1:2,S", HAM)
    write(tmp_path / "box" / "tmp" / "18", HAM)
    write(tmp_path / "box" / ".Spam" / "new" / "19.M2", HAM)
    table = read_table(tmp_path / "box")
    assert table.column("label").to_pylist() == ["box", "Spam"]
    assert any("read as classes of their own: Spam" in remark for remark in table.remarks)
    assert read_table(tmp_path / "box" / ".Spam").column("label").to_pylist() == ["Spam"]
    outer = read_table(tmp_path)
    assert set(outer.column("label").to_pylist()) == {"box"}
    assert any(f"skipped: {tmp_path / 'box' / '.Spam'}" in remark for remark in outer.remarks)


def test_an_empty_maildir(tmp_path: Path) -> None:
    for folder in ("cur", "new"):
        (tmp_path / folder).mkdir()
    with pytest.raises(DataError, match="there is no message in the Maildir"):
        read_table(tmp_path)


def test_parquet_files_and_partitions(tmp_path: Path) -> None:
    part(tmp_path / "year=2023" / "part-0.parquet", "a", "b")
    part(tmp_path / "year=2024" / "label=x%20y" / "part-0.parquet")
    part(tmp_path / "year=2024" / "label=x%20y" / "part-1.parquet", "c")
    write(tmp_path / "_SUCCESS")
    write(tmp_path / "_temporary" / "part-7.parquet", "half")
    write(tmp_path / ".part-0.parquet.crc", "x")
    with pytest.raises(DataError, match="other columns"):
        read_table(tmp_path)
    part(tmp_path / "year=2023" / "label=__HIVE_DEFAULT_PARTITION__" / "part-0.parquet", "a", "b")
    (tmp_path / "year=2023" / "part-0.parquet").unlink()
    table = read_table(tmp_path)
    assert table.column("text").to_pylist() == ["a", "b", "c"]
    assert table.column("year").to_pylist() == ["2023", "2023", "2024"]
    assert table.column("label").to_pylist() == [None, None, "x y"]
    assert table.place(2) == f"{tmp_path / 'year=2024' / 'label=x%20y' / 'part-1.parquet'}, row 1"
    assert table.name == str(tmp_path)
    assert [own.number(own.num_rows - 1) for own in read_chunks(tmp_path)] == [2, 3]
    assert convert(tmp_path, tmp_path / "all.jsonl").rows == 3


def test_a_folder_of_tables_of_another_format(tmp_path: Path) -> None:
    write(tmp_path / "t" / "part-0.csv", "text,label\na,b\n")
    write(tmp_path / "t" / "part-1.csv", "text,label\n")
    assert read_table(tmp_path / "t").column("text").to_pylist() == ["a"]
    write(tmp_path / "texts" / "good" / "1.csv", "a text, as it is")
    assert read_table(tmp_path / "texts").column("label").to_pylist() == ["good"]
    part(tmp_path / "deep" / "x" / "1.parquet", "a")
    with pytest.raises(DataError, match="expected a partition such as"):
        read_table(tmp_path / "deep")


def test_a_table_without_rows_among_others_is_passed_over(tmp_path: Path) -> None:
    full, header = write(tmp_path / "a.csv", "text,label\na,b\n"), write(tmp_path / "b.csv", "text,label\n")
    nothing = write(tmp_path / "c.csv")
    for several in ([full, header, nothing], [nothing, header, full]):
        assert read_table(several).column("text").to_pylist() == ["a"]
    with pytest.raises(NoRowsError, match=r"b\.csv: there is a header but no row"):
        read_table([header, nothing])
    (tmp_path / "none").mkdir()
    with pytest.raises(NoRowsError, match="there is no table in the folder"):
        read_table(tmp_path / "none", "parquet")


def test_parquet_beside_other_files_is_told(tmp_path: Path) -> None:
    part(tmp_path / "year=2024" / "part-0.parquet", "a text")
    write(tmp_path / "notes.txt", "made by hand")
    with pytest.raises(
        DataError, match=r"some files are Parquet \(.*part-0\.parquet\), others are not \(.*notes\.txt\)"
    ):
        read_table(tmp_path)
    (tmp_path / "notes.txt").rename(tmp_path / "_notes.txt")
    assert read_table(tmp_path).column("text").to_pylist() == ["a text"]
