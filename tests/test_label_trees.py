"""Label trees in TextClassifier, model files and commands: when there is one, what is said, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy import TextClassifier, load
from lindy.errors import DataError, ModelFileError, UpdateError
from lindy.evaluation.decisions import SeveralLabels
from lindy.evaluation.predictions import Predictions
from lindy.evaluation.top_values import TopValues
from lindy.linear import SVM, LabelTree, OneVsRest
from lindy.modelfile.files import read_model, write_model
from lindy.tuning.tree_step import takes_tree


def labelled(n_labels: int, each: int = 6, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Return texts with one or two labels, each of which has a word of its own, among other words."""
    rng = np.random.default_rng(seed)
    second = rng.integers(n_labels, size=each * n_labels)
    own = [sorted({i % n_labels, int(k) if i % 3 == 0 else i % n_labels}) for i, k in enumerate(second)]
    others = ["one", "two", "three", "four", "five"]
    texts = [" ".join([*(f"word{k}" for k in ks), *rng.choice(others, 3)]) for ks in own]
    return texts, [[f"label{k}" for k in ks] for ks in own]


@pytest.fixture(scope="module")
def several() -> tuple[list[str], list[list[str]]]:
    return labelled(60)


@pytest.fixture(scope="module")
def model(several: tuple[list[str], list[list[str]]]) -> TextClassifier:
    return TextClassifier(tree=True, trees=2).fit(*several)


def test_a_tree_is_taken_where_it_is_asked_for_or_labels_are_many() -> None:
    assert takes_tree(None, 1000, "")
    assert not takes_tree(None, 999, "")
    assert not takes_tree(None, 5000, "naive Bayes")
    assert takes_tree(True, 2, "")
    assert not takes_tree(False, 5000, "")
    with pytest.raises(DataError, match="naive Bayes"):
        takes_tree(True, 5000, "naive Bayes")


def test_thousands_of_labels_are_learned_by_a_tree() -> None:
    texts, labels = labelled(1000, each=2)
    made = TextClassifier(trees=1, calibration="none").fit(texts, labels)
    assert isinstance(made.learner_, LabelTree)
    assert made.why_[0] == (
        "a label tree of 9 nodes each over 1,000 labels (from 1,000 labels on, unless told otherwise)"
    )
    assert "those dropped change the sum of the scores" in made.why_[1]
    assert isinstance(TextClassifier(learner="svm", fast=False).fit(*labelled(20)).learner_, OneVsRest)


def test_labels_and_probabilities(model: TextClassifier, several: Any) -> None:
    texts, labels = several
    assert isinstance(model.learner_, LabelTree)
    assert model.recipe_.endswith("label tree of SVM (C=1)")
    given = model.predict(texts)
    right = [set(own) == set(has) for own, has in zip(given, labels, strict=True)]
    assert np.mean(right) > 0.6
    p = model.predict_proba(texts)
    assert p.shape == (len(texts), 60)
    said = model.predictions(texts)
    assert isinstance(said.values, TopValues)
    np.testing.assert_array_equal(p, said.values.dense)
    thresholds = model.label_thresholds
    assert thresholds is not None
    assert [set(own) for own in given] == [set(model.classes_[row >= thresholds]) for row in p]
    of_top = SeveralLabels(thresholds)(said)
    of_dense = SeveralLabels(thresholds)(Predictions(said.best, p, True))
    assert of_top.chosen.rows() == of_dense.chosen.rows()  # type: ignore[union-attr]
    np.testing.assert_array_equal(said.ranked(5), Predictions(said.best, p, True).ranked(5))


def test_probabilities_come_true_on_texts_that_were_not_learned(model: TextClassifier) -> None:
    texts, labels = labelled(60, seed=1)
    p = model.predict_proba(texts)
    truth = np.array([[name in own for name in model.classes_] for own in labels])
    assert abs(p.sum() - truth.sum()) < 0.25 * truth.sum()
    assert model.learner_.calibration_ != (1.0, 0.0)


def test_one_label_per_text() -> None:
    texts, labels = labelled(50)
    single = [own[0] for own in labels]
    made = TextClassifier(tree=True, trees=1).fit(texts, single)
    assert isinstance(made.learner_, LabelTree)
    assert not made.several_labels
    assert made.score(texts, single) > 0.7
    assert made.predictions(texts).values[np.arange(3), made.predictions(texts).best[:3]].min() > 0


def test_a_saved_tree_answers_the_same(model: TextClassifier, several: Any, tmp_path: Path) -> None:
    path = tmp_path / "tree.lindy"
    model.save(path)
    again = load(path)
    texts = several[0][:40]
    assert again.predict_proba(texts).tobytes() == model.predict_proba(texts).tobytes()
    assert again.predict(texts).tolist() == model.predict(texts).tolist()
    assert again.why_ == model.why_
    assert again.explain(texts[0]).label == model.explain(texts[0]).label


FORGERIES: dict[str, Any] = {
    "a cycle": lambda arrays: arrays["learner.tree0.starts"].fill(0),
    "children out of range": lambda arrays: arrays["learner.tree0.labels"].__iadd__(1),
    "features of another vocabulary": lambda arrays: arrays["learner.tree1.features"].__iadd__(10_000),
    "a falling calibration": lambda arrays: arrays["learner.tree.calibration"].fill(-1),
    "no tree": lambda arrays: [arrays.pop(name) for name in list(arrays) if ".tree1." in name],
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_file_is_refused(model: TextClassifier, tmp_path: Path, forgery: str) -> None:
    path = tmp_path / "tree.lindy"
    model.save(path)
    file = read_model(path)
    arrays = {name: np.array(array) for name, array in file.arrays.items()}
    FORGERIES[forgery](arrays)
    write_model(path, file.header, arrays)
    with pytest.raises(ModelFileError):
        load(path)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"learner": "naive-bayes"}, "svm or maxent"),
        ({"learner": "nb-svm"}, "weighs the features"),
        ({"calibration": "isotonic"}, "sigmoid"),
        ({"metric": "macro-f1"}, "micro-F1"),
        ({"learner": SVM(loss="multiclass_hinge")}, "svm or maxent"),
    ],
)
def test_options_that_no_tree_has(several: Any, options: dict[str, Any], why: str) -> None:
    with pytest.raises(DataError, match=why):
        TextClassifier(tree=True, **options).fit(*several)


def test_without_a_tree_thousands_of_labels_are_learned_by_one_vs_rest_in_sparse_weights() -> None:
    made = TextClassifier(tree=False, calibration="none").fit(*labelled(1000, each=2))
    assert isinstance(made.learner_, LabelTree)
    assert made.learner_.exact
    assert "one-vs-rest SVM" in made.recipe_
    assert made.why_[0].startswith("one-vs-rest of 1,000 labels, each by all texts, in sparse weights")


def test_a_tree_is_not_updated_and_says_why(
    model: TextClassifier, several: tuple[list[str], list[list[str]]]
) -> None:
    with pytest.raises(
        UpdateError, match="cannot learn from further rows: its labels were divided by all rows"
    ):
        model.partial_fit(several[0][:5], several[1][:5])
