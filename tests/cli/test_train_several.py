"""``lindy train`` of tables with several labels per row: what is found, said and kept for later tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lindy.textclassifier import TextClassifier
from tests.cli.conftest import Command


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, list[str]]]:
    rng = np.random.default_rng(3)
    chosen = [[f"l{k}" for k in sorted(rng.permutation(6)[: rng.integers(0, 4)])] for _ in range(200)]
    return [(f"text {i} about {' '.join(own)}", own) for i, own in enumerate(chosen)]


def written(path: Path, rows: list[tuple[str, list[str]]], separator: str = "|") -> Path:
    path.write_text("text,label\n" + "".join(f"{text},{separator.join(own)}\n" for text, own in rows))
    return path


def trained(lindy: Command, path: Path, *options: object) -> tuple[TextClassifier, str]:
    model = path.with_suffix(".lindy")
    done = lindy("train", path, "--learner", "svm", "-o", model, *options)
    assert done.code == 0, done.err
    return TextClassifier.load(model), done.err


def test_joined_labels_are_learned_one_by_one_and_that_is_said(
    lindy: Command, tmp_path: Path, rows: list[tuple[str, list[str]]]
) -> None:
    path = written(tmp_path / "a.csv", rows)
    model, said = trained(lindy, path)
    assert (
        "labels are several per row, joined by '|' (6 labels): --label-separator none keeps them whole"
        in said
    )
    assert said.index("joined by") < said.index("trained")
    assert model.several_labels
    assert model.classes_.tolist() == [f"l{k}" for k in range(6)]
    assert model.columns_["label_separator"] == "|"
    other = tmp_path / "b.csv"
    other.write_text("text,label\ntext about l1 l2,l1|l2\nnothing,\n")  # too few to be found by content
    judged = lindy("evaluate", tmp_path / "a.lindy", other, "--json")
    assert judged.code == 0, judged.err
    assert "micro_f1" in json.loads(judged.out)


def test_labels_that_are_kept_whole_are_classes(
    lindy: Command, tmp_path: Path, rows: list[tuple[str, list[str]]]
) -> None:
    path = written(tmp_path / "a.csv", rows)
    model, said = trained(lindy, path, "--label-separator", "none")
    assert "several per row" not in said
    assert not model.several_labels
    assert set(model.classes_) == {"|".join(own) for _, own in rows if own}
    judged = lindy("evaluate", tmp_path / "a.lindy", path)
    assert judged.code == 0
    assert "several per row" not in judged.err


def test_all_forms_make_the_same_model(
    lindy: Command, tmp_path: Path, rows: list[tuple[str, list[str]]]
) -> None:
    names = [f"l{k}" for k in range(6)]
    lists, columns = tmp_path / "b.jsonl", tmp_path / "c.csv"
    lists.write_text("".join(json.dumps({"text": text, "label": own}) + "\n" for text, own in rows))
    columns.write_text(
        f"text,{','.join(names)}\n"
        + "".join(f"{text},{','.join(str(int(name in own)) for name in names)}\n" for text, own in rows)
    )
    models = [
        trained(lindy, written(tmp_path / "a.csv", rows, ";"), "--label-separator", ";")[0],
        trained(lindy, lists)[0],
        trained(lindy, columns, "--labels", "l?")[0],
    ]
    texts = [text for text, _ in rows[:20]]
    for model in models[1:]:
        assert [tuple(own) for own in model.predict(texts)] == [
            tuple(own) for own in models[0].predict(texts)
        ]
    assert lindy("evaluate", tmp_path / "c.lindy", columns).code == 0
    assert lindy("evaluate", tmp_path / "c.lindy", lists).code == 0
    assert lindy("evaluate", tmp_path / "b.lindy", tmp_path / "a.csv").code == 0


def test_a_comparison_finds_joined_labels_and_says_so(
    lindy: Command, tmp_path: Path, rows: list[tuple[str, list[str]]]
) -> None:
    path = written(tmp_path / "a.csv", rows)
    done = lindy("compare", path, "--learner", "nb", "--learner", "majority")
    assert "labels are several per row, joined by '|'" in done.err


def test_a_report_of_the_training_is_one_of_several_labels(
    lindy: Command, tmp_path: Path, rows: list[tuple[str, list[str]]]
) -> None:
    path, page = written(tmp_path / "a.csv", rows), tmp_path / "a.html"
    model, said = trained(lindy, path, "--report", page)
    assert model.several_labels
    assert said.count("labels are several per row, joined by '|'") == 1
    assert "micro-F1" in page.read_text(encoding="utf-8")
    trained(lindy, path, "--report", page, "--test", path)
    with_groups = tmp_path / "b.csv"
    with_groups.write_text(
        "".join(
            f"{line},{'group' if n == 0 else n // 3}\n"
            for n, line in enumerate(path.read_text().split("\n")[:-1])
        )
    )
    trained(lindy, with_groups, "--report", page, "--group", "group")
    assert "micro-F1" in page.read_text(encoding="utf-8")


def test_tune_searches_for_all_labels_together(
    lindy: Command, tmp_path: Path, rows: list[tuple[str, list[str]]]
) -> None:
    path, dev = written(tmp_path / "a.csv", rows[:150]), written(tmp_path / "dev.csv", rows[150:])
    small = ("--ngrams", "1", "--points", "2", "--strategy", "grid")
    for more, metric in (((), "micro-f1"), (("--dev", dev, "--metric", "example-f1"), "example-f1")):
        done = lindy("tune", path, *small, *more, "-o", tmp_path / "t.lindy", "--json")
        assert done.code == 0, done.err
        best = json.loads(done.out)["best"]
        assert best[0][metric] >= best[-1][metric]
        assert all("naive" not in entry["says"] for entry in best)
        model = TextClassifier.load(tmp_path / "t.lindy")
        assert model.several_labels
        assert f"of {len(best)} recipes" in model.why_[0] or len(best) == 10
        assert f"for {metric}" in model.why_[-1]


def test_the_automatic_recipe_says_what_it_compared(
    lindy: Command, tmp_path: Path, rows: list[tuple[str, list[str]]]
) -> None:
    path = written(tmp_path / "a.csv", rows)
    done = lindy("train", path, "-o", tmp_path / "a.lindy", "--metric", "macro-f1")
    assert done.code == 0, done.err
    assert "compared 2 recipes on 200 held-out texts by macro F1" in done.err
    fast = lindy("train", path, "-o", tmp_path / "a.lindy", "--fast")
    recipe = TextClassifier.load(tmp_path / "a.lindy").recipe_
    assert recipe.startswith("words 1-2, tf-idf; one-vs-rest SVM")
    assert "compared" not in fast.err
