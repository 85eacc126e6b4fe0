"""Models of several labels per text learn from further rows, and become one, label by label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lindy import SVM, LindyError, MaxEnt, TextClassifier, UpdateError, load, merge
from lindy.core.column_remap import ColumnRemap, UpdateBatch
from lindy.core.csr import as_csr
from lindy.core.targets import ManyLabels
from lindy.errors import ModelFileError
from lindy.linear import OneVsRest
from lindy.modelfile import read_model, write_model
from lindy.updating import merge_models, update
from tests.test_several_labels import recipes

A, B = recipes(160, 0), recipes(140, 1)
NEW = (B[0], [[*own, "plain"] if "dish the" in text else own for text, own in zip(*B, strict=True)])
GO_ON = ["svm", "maxent", "nb-svm", "perceptron", "mira"]


def saved(model: TextClassifier, path: Path) -> bytes:
    model.save(path)
    return path.read_bytes()


def right(model: TextClassifier, texts: list[str], labels: list[list[str]]) -> float:
    said = model.predict(texts)
    return float(np.mean([set(own) == set(true) for own, true in zip(said, labels, strict=True)]))


@pytest.mark.parametrize("learner", GO_ON)
def test_every_label_learns_from_further_rows(learner: str, tmp_path: Path) -> None:
    few = A[0][:25], A[1][:25]
    saved(TextClassifier(learner=learner).fit(*few), tmp_path / "a.lindy")
    model, test = load(tmp_path / "a.lindy"), recipes(200, 5)
    before = right(model, *test)
    done = update(model, *NEW, batches=4)
    assert done.n_before == 25
    assert model.n_examples == 165
    assert done.new_classes == ["plain"]
    assert model.classes_.tolist() == ["fish", "oven", "plain", "sauce", "spice"]
    lists = [*few[1], *NEW[1]]
    assert model.class_counts_.tolist() == [sum(k in own for own in lists) for k in model.classes_]
    assert done.progress is not None
    assert done.progress.measure == "example F1"
    old = [[label for label in own if label != "plain"] for own in model.predict(test[0])]
    assert np.mean([set(a) == set(b) for a, b in zip(old, test[1], strict=True)]) >= before - 0.02
    saved(model, tmp_path / "u.lindy")
    again = load(tmp_path / "u.lindy")
    np.testing.assert_array_equal(again.predict_proba(test[0]), model.predict_proba(test[0]))
    assert again.predict(test[0]).tolist() == model.predict(test[0]).tolist()


def test_an_update_solves_the_problem_of_each_label_alone() -> None:
    rng = np.random.default_rng(3)
    X, Z = (np.round(rng.random((n, 12)) * (rng.random((n, 12)) < 0.4), 2) for n in (60, 40))
    Z[:, 11] = 0.0  # a column that no further row has
    y = (rng.random((60, 3)) < 0.4).astype(int)
    z = (rng.random((40, 3)) < 0.4).astype(int)
    for learner in (SVM(), MaxEnt()):
        model = OneVsRest(learner=learner).fit(X, y)
        move = ColumnRemap(np.arange(12), 12)
        batch = UpdateBatch(as_csr(Z), ManyLabels.of_indicator(z), None, move, 60)
        after = model.updated(batch)
        np.testing.assert_array_equal(after.W_[11], model.W_[11])
        for k in range(3):
            alone = type(learner)().fit(X, y[:, k])
            alone.W_, alone.b_ = model.W_[:, [k]], model.b_[[k]]
            own = UpdateBatch(batch.X, batch.y.one_vs_rest(k), None, move, 60)
            alone = alone.updated(own)
            np.testing.assert_allclose(after.W_[:, k], alone.W_[:, 0], atol=2e-3)
            np.testing.assert_allclose(after.b_[k], alone.b_[0], atol=2e-3)
        assert after.certificate_ is not None
        assert after.certificate_.gap == pytest.approx(after.gap_bounds_.sum())


COUNTING = ["naive-bayes", "bernoulli-naive-bayes", "complement-naive-bayes"]


@pytest.mark.parametrize("name", COUNTING)
def test_counting_models_of_parts_are_those_of_all_rows(name: str, tmp_path: Path) -> None:
    def new() -> TextClassifier:
        return TextClassifier(learner=name, ngrams=(1, 2), n_jobs=1)

    for file, rows in {"a": A, "b": NEW}.items():
        saved(new().fit(*rows), tmp_path / f"{file}.lindy")
    parts = [load(tmp_path / f"{file}.lindy", n_jobs=1) for file in "ab"]
    whole = new().fit(A[0] + NEW[0], A[1] + NEW[1])
    merged = merge_models(parts)
    assert merged.how == "adds"
    for made in (merged.model, parts[0].partial_fit(*NEW)):
        assert made.vectorizer_.vocabulary_ == whole.vectorizer_.vocabulary_
        assert made.classes_.tolist() == whole.classes_.tolist()
        assert made.class_counts_.tolist() == whole.class_counts_.tolist()
        ours, theirs = made.learner_.to_state()[1], whole.learner_.to_state()[1]
        assert ours.keys() == theirs.keys()
        for array in ours:
            np.testing.assert_array_equal(ours[array], theirs[array])
        np.testing.assert_array_equal(made.learner_.W_, whole.learner_.W_)
        np.testing.assert_array_equal(made.learner_.b_, whole.learner_.b_)


def test_forged_counts_of_labels_are_refused(tmp_path: Path) -> None:
    saved(TextClassifier(learner="naive-bayes").fit(*A), tmp_path / "a.lindy")
    file = read_model(tmp_path / "a.lindy")
    wrong = np.array(file.arrays["learner.class_count"])
    wrong[0] = wrong[-1] + 1
    write_model(tmp_path / "f.lindy", file.header, dict(file.arrays) | {"learner.class_count": wrong})
    with pytest.raises(ModelFileError, match="more than all rows"):
        load(tmp_path / "f.lindy")


def test_labels_that_are_announced_are_known_and_never_given() -> None:
    model = TextClassifier(learner="svm").fit(*A)
    old = dict(zip(model.classes_, model.rule_.thresholds, strict=True))
    model.partial_fit(*recipes(20, 9), classes=["later", "never"])
    assert model.classes_.tolist() == ["fish", "later", "never", "oven", "sauce", "spice"]
    assert not {"later", "never"} & {label for own in model.predict(B[0]) for label in own}
    for label, threshold in zip(model.classes_, model.rule_.thresholds, strict=True):
        assert threshold == pytest.approx(old.get(label, threshold))
        assert 0 < threshold < max(old.values()) + 1e-9


def test_thresholds_are_found_again_where_the_old_ones_are_wrong() -> None:
    model = TextClassifier(learner="maxent").fit(*A)
    model.rule_ = type(model.rule_)(np.full(4, 0.999))
    done = update(model, *recipes(300, 4), batches=5)
    assert "found on 300 new rows" in " ".join(done.said)
    assert (np.asarray(model.rule_.thresholds) < 0.999).all()
    model = TextClassifier(learner="maxent").fit(*A)
    assert "those of before the update" in " ".join(update(model, *recipes(50, 4), batches=5).said)


def test_kept_rows_make_the_same_bytes_as_training_on_all(tmp_path: Path) -> None:
    def new() -> TextClassifier:
        return TextClassifier(learner="svm", min_df=2, keep_rows=True, n_jobs=1)

    saved(new().fit(*A), tmp_path / "a.lindy")
    whole = saved(new().fit(A[0] + NEW[0], A[1] + NEW[1]), tmp_path / "both.lindy")
    model = load(tmp_path / "a.lindy", n_jobs=1).partial_fit(*NEW)
    assert saved(model, tmp_path / "u.lindy") == whole
    merged = merge_models([load(tmp_path / "a.lindy", n_jobs=1), new().fit(*NEW)])
    assert merged.how == "rows"
    saved(merged.model, tmp_path / "m.lindy")
    assert load(tmp_path / "m.lindy").predict(A[0]).tolist() == model.predict(A[0]).tolist()


def test_merged_weights_are_the_mean_over_the_models_that_know_the_label() -> None:
    first, second = TextClassifier(learner="svm").fit(*A), TextClassifier(learner="svm").fit(*NEW)
    merged = merge_models([first, second])
    assert merged.how == "mean"
    model, word = merged.model, "salmon"
    assert model.n_examples == 300
    assert model.class_counts_.sum() == first.class_counts_.sum() + second.class_counts_.sum()

    def bias(own: TextClassifier, label: str) -> float:
        return float(own.learner_.b_[own.classes_.tolist().index(label)])

    for label in first.classes_:
        mean = (160 * bias(first, label) + 140 * bias(second, label)) / 300
        assert bias(model, label) == pytest.approx(mean, abs=1e-6)
    assert bias(model, "plain") == pytest.approx(bias(second, "plain"), abs=1e-6)
    assert word in model.vectorizer_.vocabulary_
    assert right(model, *recipes(100, 8)) > 0.5


def test_models_of_one_and_of_several_labels_stay_apart() -> None:
    several, one = (
        TextClassifier(learner="svm").fit(*A),
        TextClassifier(learner="svm").fit(["one", "other"], ["x", "y"]),
    )
    with pytest.raises(UpdateError, match="number of labels per text is 'several' and 'one'"):
        merge([several, one])
    with pytest.raises(LindyError, match="several labels per row"):
        one.partial_fit(*A)
    several.partial_fit(["salmon trout"], ["fish"])  # lists of one
    assert several.n_examples == 161
