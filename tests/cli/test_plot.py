"""``lindy plot``: every kind makes a picture, and wrong calls say what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lindy import TextClassifier
from lindy.cli.commands.plot import KINDS
from lindy.data import samples
from lindy.report.measure import learning_curve
from tests.cli.conftest import Command
from tests.report.test_label_report import dishes


@pytest.fixture(scope="module")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the sample reviews."""
    from lindy.cli.app import run

    path = tmp_path_factory.mktemp("plot") / "reviews.lindy"
    assert run(["train", str(samples.path("reviews-train")), "-o", str(path), "-q"]) == 0
    return path


@pytest.fixture(scope="module")
def dishes_and_tags(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A table of several labels per text, and a model of it."""
    from lindy.cli.app import run

    folder = tmp_path_factory.mktemp("tags")
    table, model = folder / "tags.jsonl", folder / "tags.lindy"
    texts, tags = dishes(150, 0)
    rows = ({"text": text, "tags": own} for text, own in zip(texts, tags, strict=True))
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run(["train", str(table), "--label", "tags", "-o", str(model), "-q"]) == 0
    return {"MODEL": model, "TABLE": table}


@pytest.mark.parametrize(
    "kind", ["f1-by-frequency", "threshold", "cooccurrence", "reliability", "learning-curve"]
)
def test_pictures_of_several_labels(
    kind: str, dishes_and_tags: dict[str, Path], tmp_path: Path, lindy: Command
) -> None:
    words = KINDS[kind].partition(":")[0].split()
    options = [] if "MODEL" in words else ["--label", "tags"]
    picture = tmp_path / "picture.svg"
    told = lindy("plot", kind, *(dishes_and_tags[word] for word in words), *options, "-o", picture)
    assert told.code == 0, told.err
    assert "<svg" in picture.read_text(encoding="utf-8")


def test_a_confusion_is_of_one_label_per_text(
    dishes_and_tags: dict[str, Path], tmp_path: Path, lindy: Command
) -> None:
    told = lindy("plot", "confusion", *dishes_and_tags.values(), "-o", tmp_path / "p.png")
    assert told.code == 2
    assert "for models of one label per text" in told.err
    assert "f1-by-frequency, threshold or reliability" in told.err


def test_pictures_of_several_labels_refuse_models_of_one(
    reviews: Path, tmp_path: Path, lindy: Command
) -> None:
    told = lindy("plot", "threshold", reviews, samples.path("reviews-test"), "-o", tmp_path / "p.png")
    assert told.code == 2
    assert "is for models of several labels" in told.err
    told = lindy("plot", "cooccurrence", samples.path("reviews-train"), "-o", tmp_path / "p.png")
    assert told.code == 2
    assert "is for tables of several labels" in told.err


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"f1-by-frequency", "threshold", "cooccurrence"}))
def test_every_kind_makes_a_picture(kind: str, reviews: Path, tmp_path: Path, lindy: Command) -> None:
    given = {"MODEL": reviews, "TABLE": samples.path("reviews-train")}
    inputs = [given[word] for word in KINDS[kind].partition(":")[0].split() if word in given]
    fewer = ["--epochs", 3] if kind in ("epochs", "path") else []
    told = lindy("plot", kind, *inputs, "-o", tmp_path / "picture.png", *fewer)
    assert told.code == 0, told.err
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_a_learning_curve_draws_and_names_what_train_would_take(tmp_path: Path, lindy: Command) -> None:
    curve = tmp_path / "c.svg"
    told = lindy("plot", "learning-curve", samples.path("reviews-train"), "-o", curve)
    assert told.code == 0, told.err
    examples = samples.load("reviews-train")
    recipe = learning_curve(TextClassifier(), examples.texts, examples.labels).recipe
    assert f"as 'lindy train' chooses on the rows that are not held out: {recipe}" in told.err
    assert f"<!-- {recipe} -->" in curve.read_text(encoding="utf-8")
    named = lindy("plot", "learning-curve", samples.path("reviews-train"), "--learner", "nb", "-o", curve)
    assert "drawn words 1, counts; naive Bayes" in named.err


def test_pictures_can_be_svg(tmp_path: Path, lindy: Command) -> None:
    told = lindy("plot", "boundary", "--learner", "svm", "--points", 20, "-o", tmp_path / "b.svg")
    assert told.code == 0, told.err
    assert "<svg" in (tmp_path / "b.svg").read_text(encoding="utf-8")


def test_boundaries_come_with_accuracies(tmp_path: Path, lindy: Command) -> None:
    options = ("--variance", 0.3, "--balance", 0.8, "--seed", 4, "--points", 60, "-o", tmp_path / "b.png")
    told = lindy("plot", "boundary", "--learner", "svm", "--learner", "naive-bayes", *options)
    assert told.code == 0, told.err
    head, *rows = [line.split() for line in told.out.splitlines()]
    assert head == ["train", "dev", "test"]
    assert [row[0] for row in rows] == ["Bayes", "svm", "naive-bayes"]


def test_a_table_has_a_path_of_penalties(tmp_path: Path, lindy: Command) -> None:
    told = lindy(
        "plot", "path", samples.path("reviews-test"), "-o", tmp_path / "p.svg", "--learner", "maxent"
    )
    assert told.code == 0, told.err
    assert "<svg" in (tmp_path / "p.svg").read_text(encoding="utf-8")


def test_a_table_of_one_class_has_no_path(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "t.csv"
    table.write_text("text,label\n" + "good book,pos\nfine book,pos\n" * 5)
    told = lindy("plot", "path", table, "-o", tmp_path / "p.svg")
    assert told.code == 1
    assert "one class" in told.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["confusion"], "takes MODEL TABLE"),
        (["boundary", "x.csv"], "takes no input"),
        (["boundary", "-o", "x.bmp"], "cannot save"),
        (["path", "--learner", "svm"], "does not keep the path"),
        (["regions", "--learner", "svm", "--learner", "mira"], "draws one learner"),
        (["nonsense"], "invalid choice"),
        (["boundary", "--variance", "0"], "not a number above 0"),
        (["boundary", "--balance", "2"], "not a number above 0 and up to 1"),
        (["boundary", "--variance", "2", "--shape", "xor"], "leave out --shape"),
        (["regions", "--balance", "0.3"], "'plot boundary'"),
        (["path", "a.csv", "b.csv"], "takes [TABLE]"),
        (["path", "a.csv", "--learner", "perceptron"], "no path of penalties"),
    ],
)
def test_wrong_calls_say_what_is_wrong(words: list[str], said: str, lindy: Command) -> None:
    told = lindy("plot", *words)
    assert told.code == 2
    assert said in told.err


@pytest.mark.parametrize("kind", ["epochs", "objective", "path"])
def test_pictures_of_learners_take_no_combinations_for_classes(
    kind: str, tmp_path: Path, lindy: Command
) -> None:
    table = tmp_path / "tags.csv"
    cells = ["a|b", "a", "b|c", "c", "a|c", "b", "a|b|c", ""] * 5
    table.write_text("label,text\n" + "".join(f"{cell},word {row}\n" for row, cell in enumerate(cells)))
    done = lindy("plot", kind, table, "-o", tmp_path / "p.png")
    assert done.code == 1
    assert "rows have several labels" in done.err
