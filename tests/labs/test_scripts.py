"""Every lab runs on what comes with lindy, in the terminal and for the pages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lindy.cli.app import run
from lindy.errors import DataError
from lindy.labs import book_reviews, say, show, table
from lindy.labs.catalog import LABS
from lindy.labs.running import play
from lindy.labs.script import paragraphs, read_script
from lindy.labs.stage import staged

SCRIPTS = [path for lab in LABS for path in lab.scripts]
PUBLIC = re.compile(r"^from (lindy[\w.]*) import|^import (lindy[\w.]*)", re.MULTILINE)


@pytest.fixture(autouse=True)
def _embedded_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LINDY_DATA", raising=False)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_script_runs(path: Path, tmp_path: Path) -> None:
    script = read_script(path)
    played = list(play(script, tmp_path, capture=True))
    assert [part.cell for part in played] == list(script.cells)
    printed = "".join(part.text for part in played)
    assert "False" not in printed  # the checks of a script print what they find
    figures = [figure for part in played for figure in part.figures]
    assert len({figure.path for figure in figures}) == len(figures)
    assert all(figure.path.stat().st_size > 1000 for figure in figures)
    for remark in (remark for part in played for remark in part.remarks):
        for sentence in re.split(r"(?<=[.?]) ", remark):
            if re.search(r"in the test\b|test examples", sentence):
                assert re.search(r"\d% to \d|95 %: |same ones", sentence), "a test set without an interval"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_scripts_are_short_and_use_public_names(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 230  # with the tables and starters that are handed out
    assert not re.search(r"import _|\._[a-z]", source)
    rooms = {first or second for first, second in PUBLIC.findall(source)}
    deeper = ("lindy.textbook.", "lindy.data.mail")
    assert all(room.count(".") <= 1 or room.startswith(deeper) for room in rooms)


def test_figures_of_one_lab_have_different_names() -> None:
    for lab in LABS:
        source = "".join(path.read_text(encoding="utf-8") for path in lab.scripts)
        names = re.findall(r'show\([^"]*"([\w-]+)", ', source)
        assert len(set(names)) == len(names)


def test_cells_keep_their_lines() -> None:
    for path in SCRIPTS:
        lines = path.read_text(encoding="utf-8").splitlines()
        for cell in read_script(path).cells:
            if not cell.prose:
                assert lines[cell.line - 1] == cell.text.splitlines()[0]


def test_a_failing_cell_shows_its_line(tmp_path: Path) -> None:
    path = tmp_path / "lab.py"
    path.write_text('"""A lab."""\n\nx = 1\n\n# %% [markdown]\n# Divide.\n\n# %%\nx / 0\n', encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as caught:
        list(play(read_script(path), tmp_path, capture=True))
    assert caught.traceback[-1].lineno + 1 == 9
    assert Path(str(caught.traceback[-1].path)) == path


def test_paragraphs_keep_fenced_blocks_whole() -> None:
    assert paragraphs("a\nb\n\n```text\nc\n\nd\n```\n\ne") == ["a\nb", "```text\nc\n\nd\n```", "e"]


def test_lab_lists_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lab"]) == 0
    listed = capsys.readouterr().out
    for lab in LABS:
        assert f"{lab.number}  {lab.title}" in listed
        assert lab.lecture in listed
        assert all(str(path) not in listed for path in lab.scripts)
    assert run(["lab", "1", "--part", "features", "--output", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "g(x) = [1, 0, 1]" in shown
    assert (tmp_path / "exercise-1-3.png").exists()
    assert run(["lab", "lxmls", "--exercises"]) == 0
    shown = capsys.readouterr().out
    assert "Exercise 1.8" in shown
    assert "Hint:" in shown
    assert "recall of the rare class," not in shown
    assert run(["lab", "lxmls", "--part", "features", "--solutions", "--output", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "Hint:" not in shown
    assert "    x = g.fit_transform([sentence]).toarray()\n" in shown
    assert shown.index('    print("g(x) ="') < shown.index("g(x) = [1, 0, 1]")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["9"], "there is no lab '9'"),
        (["1", "--part", "kernels"], "has no part 'kernels'"),
        (["1", "--data", "nowhere"], "--data nowhere: there is no such folder"),
        (["1", "--exercises", "--solutions"], "not allowed with argument"),
    ],
)
def test_lab_called_wrongly(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lab", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_script_runs_by_itself(tmp_path: Path) -> None:
    path = LABS[0].scripts[1]
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "figure: out/labs/exercise-1-3.png" in done.stdout


REVIEWS = {
    "positive": "good:2 good_book:1 #label#:positive\ngood:3 #label#:positive\n" * 5,
    "negative": "bad:2 good_book:1 #label#:negative\nbad:3 a:b:1 #label#:negative\n" * 5,
}


def test_reviews_are_read_from_the_data_folder(tmp_path: Path) -> None:
    books = tmp_path / "books"
    books.mkdir()
    for name, text in REVIEWS.items():
        (books / f"{name}.review").write_text(text, encoding="utf-8")
    with staged(tmp_path, tmp_path):
        reviews = book_reviews()
    assert reviews.words == ["bad", "good", "good_book"]  # a:b occurs at most four times in training
    assert (reviews.X_train.shape, reviews.X_test.shape) == ((16, 3), (4, 3))
    assert sorted(reviews.y_test) == ["negative"] * 2 + ["positive"] * 2
    assert set(reviews.X_train.data) == {1.0, 2.0, 3.0}
    assert str(reviews).startswith("Amazon book reviews: 16 reviews")


def test_reviews_that_are_cut_already(tmp_path: Path) -> None:
    (tmp_path / "train.review").write_text(REVIEWS["positive"] + REVIEWS["negative"], encoding="utf-8")
    with staged(tmp_path, tmp_path), pytest.raises(DataError, match=r"no test\.review"):
        book_reviews()
    (tmp_path / "test.review").write_bytes(b"good:1\n")
    with staged(tmp_path, tmp_path), pytest.raises(DataError, match=r"test\.review"):
        book_reviews()
    (tmp_path / "test.review").write_text("good:1 #label#:positive\n", encoding="utf-8")
    with staged(tmp_path, tmp_path):
        reviews = book_reviews()
    assert reviews.words == ["a:b", "bad", "good", "good_book"]
    assert reviews.X_test.toarray().tolist() == [[0, 0, 1, 0]]


def test_a_data_folder_without_reviews_is_said(tmp_path: Path) -> None:
    with staged(tmp_path, tmp_path):
        reviews = book_reviews()
    assert str(reviews).startswith(f"embedded book reviews (there are no .review files in {tmp_path}): 1,200")


def test_reviews_of_other_domains(tmp_path: Path) -> None:
    for place, extra in (("processed_acl/kitchen", "knife"), ("books", "plot")):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        for name, text in REVIEWS.items():
            (folder / f"{name}.review").write_text(text.replace("good:", f"{extra}:"), encoding="utf-8")
    with staged(tmp_path, tmp_path):
        kitchen, books = book_reviews(domain="kitchen"), book_reviews()
        assert kitchen.words == ["bad", "good_book", "knife"]
        assert books.words == ["bad", "good_book", "plot"]
        assert str(kitchen).startswith("Amazon kitchen reviews: 16")
        with pytest.raises(DataError, match="has no folder dvd") as refused:
            book_reviews("dvd")
        assert "https://" in str(refused.value.hint)
    with pytest.raises(ValueError, match="Did you mean 'kitchen'"):
        book_reviews("kitchens")
    with pytest.raises(DataError, match="no data folder is named"), staged(tmp_path, None):
        book_reviews("electronics")


def test_tables_align_numbers_right(capsys: pytest.CaptureFixture[str]) -> None:
    table(("name", "share", "n"), [("a", 0.5, 10), ("bb", 0.25, 9)], digits=2)
    assert capsys.readouterr().out == "name  share   n\na      0.50  10\nbb     0.25   9\n"


def test_show_writes_into_the_stage(tmp_path: Path) -> None:
    from lindy import plots

    with staged(tmp_path / "figures", None) as stage:
        show(plots.objective_by_round([3.0, 2.0]), "falls", "It falls")
    assert [(figure.path, figure.caption) for figure in stage.figures] == [
        (tmp_path / "figures" / "falls.png", "It falls")
    ]
    assert stage.figures[0].path.exists()


def test_what_a_cell_says_is_one_paragraph_beside_what_it_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lab.py"
    path.write_text(
        '"""A lab."""\n\nfrom lindy.labs import say\n\n# %%\nprint(1)\nsay(f"It is {2 * 3}.", "So.")\n',
        encoding="utf-8",
    )
    *_, played = play(read_script(path), tmp_path, capture=True)
    assert (played.text, played.remarks) == ("1\n", ("It is 6. So.",))
    say("word " * 40)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 106
