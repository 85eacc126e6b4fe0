"""Every learner learns from further rows as it says, or refuses with its reason."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lindy
from lindy import (
    SVM,
    LeastSquares,
    Lexicon,
    MaxEnt,
    MultinomialNaiveBayes,
    NaiveBayesSVM,
    Perceptron,
    TextClassifier,
    UpdateError,
    load,
)
from lindy.errors import ConvergenceWarning
from lindy.estimators.learners import REGISTRY, UPDATES, learner_class
from lindy.text import CountVectorizer, HashingVectorizer, TfidfVectorizer, UnionVectorizer
from lindy.updating import update
from tests.updating.examples import made

A = made(80, ["x", "y"], 1, 0, 60)
B = made(60, ["x", "y", "z"], 2, 30, 90)
LISTS = {"x": ["x1", "x2"], "y": ["y1", "y2"], "z": ["z1"]}
COUNTING = [name for name in REGISTRY if learner_class(name).adds_up]
OF_LABELS = ("lexicon",)
"""Its words are those of the labels that were there when it was trained."""
EXACT = [
    name for name in COUNTING if learner_class(name).spec.input_kind != "weights" and name not in OF_LABELS
]


def learner_of(name: str) -> Any:
    return Lexicon(words=LISTS) if name == "lexicon" else learner_class(name)()


def saved(model: TextClassifier, path: Path) -> bytes:
    model.save(path)
    return path.read_bytes()


def both(first: Any = A, second: Any = B) -> Any:
    return first[0] + second[0], first[1] + second[1]


@pytest.mark.parametrize("name", list(REGISTRY))
def test_every_learner_says_how_it_learns_more_and_does_so(name: str, tmp_path: Path) -> None:
    assert learner_class(name)().updates in UPDATES
    model = TextClassifier(learner=learner_of(name), n_jobs=1).fit(*A)
    model.save(tmp_path / "a.lindy")
    model = load(tmp_path / "a.lindy", n_jobs=1)
    before = (tmp_path / "a.lindy").read_bytes()
    if not model.learner_.updates:
        with pytest.raises(UpdateError, match="cannot learn from further rows: ") as refused:
            model.partial_fit(*B)
        assert model.learner_.fixed in str(refused.value)
        assert saved(model, tmp_path / "same.lindy") == before
        return
    assert not model.learner_.fixed
    model.partial_fit(*B)
    assert model.classes_.tolist() == ["x", "y", "z"]
    assert model.class_counts_.tolist() == [both()[1].count(label) for label in "xyz"]
    model.save(tmp_path / "u.lindy")
    again = load(tmp_path / "u.lindy", n_jobs=1)
    np.testing.assert_array_equal(again.predict_proba(B[0]), model.predict_proba(B[0]))
    if name not in ("majority", "random", "lexicon"):
        assert again.score(*B) > 0.6


@pytest.mark.parametrize("name", [name for name in REGISTRY if name not in OF_LABELS])
def test_kept_rows_make_the_same_bytes_as_training_on_all(name: str, tmp_path: Path) -> None:
    def new() -> TextClassifier:
        return TextClassifier(learner=learner_of(name), min_df=2, keep_rows=True, n_jobs=1)

    saved(new().fit(*A), tmp_path / "a.lindy")
    model = load(tmp_path / "a.lindy", n_jobs=1).partial_fit(*B)
    assert saved(model, tmp_path / "u.lindy") == saved(new().fit(*both()), tmp_path / "both.lindy")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", EXACT)
def test_counting_models_are_those_of_both_parts(name: str, seed: int, tmp_path: Path) -> None:
    first = made(20 + seed, ["x", "y"], seed, 0, 40)
    second = made(10, ["y", "z"][: 1 + seed % 2], 50 + seed, 20, 80)

    def new() -> TextClassifier:
        lengths = (1, 1 + seed % 2)
        chars = (2, 3) if seed % 3 == 2 and name != "categorical-naive-bayes" else None
        return TextClassifier(learner=name, ngrams=lengths, chars=chars, n_jobs=1)

    saved(new().fit(*first), tmp_path / "a.lindy")
    model = load(tmp_path / "a.lindy", n_jobs=1).partial_fit(*second)
    whole = saved(new().fit(*both(first, second)), tmp_path / "both.lindy")
    assert saved(model, tmp_path / "u.lindy") == whole
    one_by_one = load(tmp_path / "a.lindy", n_jobs=1)
    for text, label in zip(*second, strict=True):
        one_by_one.partial_fit([text], [label])
    assert saved(one_by_one, tmp_path / "steps.lindy") == whole


def test_weights_count_as_in_training(tmp_path: Path) -> None:
    weight = np.random.default_rng(0).integers(1, 4, len(A[0]) + len(B[0])).astype(float)
    whole = TextClassifier(learner="naive-bayes", n_jobs=1).fit(*both(), weight)
    model = TextClassifier(learner="naive-bayes", n_jobs=1).fit(*A, weight[: len(A[0])])
    model.partial_fit(*B, sample_weight=weight[len(A[0]) :])
    assert saved(model, tmp_path / "u.lindy") == saved(whole, tmp_path / "both.lindy")


def test_rows_are_forgotten_by_their_age() -> None:
    half_life = 25.0
    n = len(A[0]) + len(B[0])
    age = np.arange(n - 1, -1, -1)
    # all rows of the first training are as old as its last one
    age[: len(A[0])] = len(B[0])
    whole = MultinomialNaiveBayes()
    vectorizer = CountVectorizer(analyzer="unicode_words")
    X = vectorizer.fit_csr(both()[0], order="seen")
    whole.fit(X, np.array(both()[1], object), 0.5 ** (age / half_life))
    model = TextClassifier(learner="naive-bayes", n_jobs=1).fit(*A).partial_fit(*B, forget=half_life)
    np.testing.assert_allclose(model.learner_.W_, whole.W_, rtol=1e-12)
    np.testing.assert_allclose(model.learner_.b_, whole.b_, rtol=1e-12)


@pytest.mark.parametrize(
    "name", ["naive-bayes", "perceptron", "mira", "svm", "maxent", "nb-svm", "gaussian-naive-bayes"]
)
def test_a_model_that_forgets_follows_labels_that_have_changed(name: str) -> None:
    texts = made(300, ["x", "y"], 5)
    turned = [{"x": "y", "y": "x"}[label] for label in texts[1]]
    accuracy = {}
    for forget in (None, 40.0):
        model = TextClassifier(learner=name, n_jobs=1).fit(*texts)
        model.partial_fit(texts[0][:150], turned[:150], forget=forget)
        accuracy[forget] = model.score(texts[0][150:], turned[150:])
    assert accuracy[40.0] > accuracy[None]


def test_a_half_life_must_be_a_number_of_rows() -> None:
    model = TextClassifier(learner="naive-bayes").fit(*A)
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(UpdateError, match="half-life"):
            model.partial_fit(*B, forget=wrong)


def test_idf_runs_on() -> None:
    model = TextClassifier(learner="svm", n_jobs=1).fit(*A).partial_fit(*B)
    whole = TfidfVectorizer(analyzer="unicode_words", sublinear_tf=True, dtype=np.float32)
    whole.fit_csr(both()[0], order="seen")
    assert model.vectorizer_.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    np.testing.assert_array_equal(model.vectorizer_.idf_, whole.idf_)


def test_words_that_no_new_row_has_keep_their_part_of_the_score() -> None:
    """Weights are divided by what idf has grown by, so that w·x stays what it was before rows are scaled."""
    vectorizer = TfidfVectorizer(norm=None, dtype=np.float32)
    for learner in (SVM(), MaxEnt(), NaiveBayesSVM()):
        model = TextClassifier(learner=learner, vectorizer=vectorizer, n_jobs=1).fit(*A)
        old = dict(zip(model.vectorizer_.get_feature_names_out(), model.learner_.W_[:, 0], strict=True))
        scale = dict(zip(model.vectorizer_.get_feature_names_out(), model.vectorizer_.idf_, strict=True))
        model.partial_fit(["unheard unheard", "of of"], ["x", "y"])
        new = dict(zip(model.vectorizer_.get_feature_names_out(), model.learner_.W_[:, 0], strict=True))
        idf = dict(zip(model.vectorizer_.get_feature_names_out(), model.vectorizer_.idf_, strict=True))
        for word, weight in old.items():
            assert new[word] * idf[word] == pytest.approx(weight * scale[word], rel=1e-5, abs=1e-7)


@pytest.mark.parametrize(
    "learner", [SVM(), MaxEnt(), MaxEnt(multiclass="one-vs-rest"), NaiveBayesSVM()], ids=str
)
def test_what_was_solved_is_certified(learner: Any) -> None:
    model = TextClassifier(learner=learner, n_jobs=1).fit(*A).partial_fit(*B)
    proof = model.learner_.certificate_
    assert proof is not None
    assert proof.reached
    assert model.training_["certificate"]["reached"]


def test_many_old_rows_hold_a_weight_more_than_few() -> None:
    """The same further rows move a model of ten times as many rows less."""
    moved = []
    for times in (1, 10):
        model = TextClassifier(learner="svm", n_jobs=1, calibration="none").fit(A[0] * times, A[1] * times)
        before = model.decision_function(A[0])
        model.partial_fit(A[0], [{"x": "y", "y": "x"}[label] for label in A[1]])
        moved.append(np.abs(model.decision_function(A[0]) - before).mean())
    assert moved[1] < 0.5 * moved[0]


@pytest.mark.parametrize(
    ("learner", "reason"),
    [
        (SVM(loss="hinge"), "has a kink"),
        (SVM(penalty="l1", C=10.0), "penalty 'l1'"),
        (Perceptron(average="vote"), "vote"),
        (LeastSquares(solver="conjugate-gradient"), "products"),
    ],
    ids=str,
)
def test_what_cannot_go_on_without_its_rows_says_so(learner: Any, reason: str) -> None:
    model = TextClassifier(learner=learner, n_jobs=1).fit(*A)
    with pytest.raises(UpdateError, match=reason):
        model.partial_fit(*B)
    model = TextClassifier(learner=learner, keep_rows=True, n_jobs=1).fit(*A).partial_fit(*B)
    assert model.classes_.tolist() == ["x", "y", "z"]


def test_a_stochastic_solver_goes_on_with_its_own_steps() -> None:
    learner = SVM(lam=1e-3, solver="sgd", solver_options={"epochs": 5})
    model = TextClassifier(learner=learner, n_jobs=1).fit(*A)
    done = update(model, *B)
    assert done.how == "goes on"
    assert model.learner_.t_ == pytest.approx(5 * (len(A[0]) + len(B[0])))


def test_an_online_learner_visits_new_rows_as_often_as_old_ones() -> None:
    model = TextClassifier(learner=Perceptron(epochs=7), n_jobs=1).fit(*A)
    visits = model.learner_.t_ / len(A[0])
    model.partial_fit(*B)
    assert model.learner_.t_ <= round(visits) * len(B[0]) + visits * len(A[0]) + 1e-9
    assert model.learner_.t_ > visits * len(A[0])


def test_hashed_and_united_columns_stay_or_move() -> None:
    union = UnionVectorizer(vectorizers=[("w", TfidfVectorizer()), ("h", HashingVectorizer(n_features=64))])
    model = TextClassifier(learner="svm", vectorizer=union, n_jobs=1).fit(*A)
    n = model.vectorizer_.n_columns
    model.partial_fit(*B)
    assert model.vectorizer_.n_columns > n
    assert model.score(*B) > 0.6


def test_announced_labels_are_there_before_their_rows() -> None:
    model = (
        TextClassifier(learner="naive-bayes")
        .fit(*A)
        .partial_fit(A[0][:5], A[1][:5], classes=["x", "y", "new"])
    )
    assert model.classes_.tolist() == ["new", "x", "y"]
    assert model.predict_proba(["x1"]).shape == (1, 3)


def test_the_first_partial_fit_is_a_fit(tmp_path: Path) -> None:
    first = TextClassifier(learner="naive-bayes").partial_fit(*A)
    assert saved(first, tmp_path / "a") == saved(
        TextClassifier(learner="naive-bayes").fit(*A), tmp_path / "b"
    )


def test_a_failed_update_leaves_the_model_as_it_was(tmp_path: Path) -> None:
    model = TextClassifier(learner="svm", n_jobs=1).fit(*A)
    before = saved(model, tmp_path / "a.lindy")
    for X, y in ((["one"], ["x", "y"]), ([], []), (["one"], [3]), (["one"], None)):
        with pytest.raises((ValueError, TypeError)):
            model.partial_fit(X, y)
        assert saved(model, tmp_path / "b.lindy") == before


def test_rows_without_words_change_no_word() -> None:
    model = TextClassifier(learner="naive-bayes").fit(*A)
    n = model.vectorizer_.n_columns
    model.partial_fit(["", "!"], ["x", "x"])
    assert model.vectorizer_.n_columns == n
    assert model.class_counts_.sum() == len(A[0]) + 2


def test_words_that_were_chosen_or_given_stay() -> None:
    for options in (
        {"max_features": 20},
        {"select": "chi2:20"},
        {"vectorizer": CountVectorizer(vocabulary=["x1", "y1"])},
    ):
        model = TextClassifier(learner="naive-bayes", **options).fit(*A)
        names = model.vectorizer_.get_feature_names_out().tolist()
        done = update(model, *B)
        assert model.vectorizer_.get_feature_names_out().tolist() == names
        assert any("stay what they are" in line for line in done.said)


def test_a_file_remembers_the_limits_of_its_words(tmp_path: Path) -> None:
    model = TextClassifier(learner="naive-bayes", min_df=3).fit(*A)
    model.save(tmp_path / "a.lindy")
    again = load(tmp_path / "a.lindy")
    assert again.vectorizer_.min_df == 3
    done = update(again, ["rare word word", "other word", "third word"], ["x", "y", "x"])
    assert "word" in again.vectorizer_.vocabulary_
    assert "rare" not in again.vectorizer_.vocabulary_
    assert any("too rare" in line for line in done.said)


def test_rare_words_and_texts_are_not_in_a_file_unless_asked_for(tmp_path: Path) -> None:
    texts, labels = [*A[0], "zyxsecret x1"], [*A[1], "x"]
    plain = saved(TextClassifier(learner="svm", min_df=2).fit(texts, labels), tmp_path / "a.lindy")
    assert b"zyxsecret" not in plain
    model = TextClassifier(learner="svm", min_df=2, keep_rows=True).fit(texts, labels)
    assert model.kept_ is not None
    assert model.kept_.texts() == texts
    model.save(tmp_path / "b.lindy")
    again = load(tmp_path / "b.lindy").partial_fit(["zyxsecret y"], ["y"])
    assert "zyxsecret" in again.vectorizer_.vocabulary_


def test_balanced_classes_go_by_all_rows(tmp_path: Path) -> None:
    model = TextClassifier(learner="svm", class_weight="balanced", n_jobs=1).fit(*A)
    model.save(tmp_path / "a.lindy")
    assert load(tmp_path / "a.lindy").class_weight == "balanced"
    given = TextClassifier(learner="svm", class_weight={"x": 2.0, "y": 1.0}, n_jobs=1).fit(*A)
    given.save(tmp_path / "b.lindy")
    again = load(tmp_path / "b.lindy", n_jobs=1)
    assert again.class_weight == {"x": 2.0, "y": 1.0}
    assert again.partial_fit(*B).score(*B) > 0.6


def test_a_foreign_learner_is_refused() -> None:
    from sklearn.linear_model import LogisticRegression

    model = TextClassifier(learner=LogisticRegression()).fit(*A)
    with pytest.raises(UpdateError, match="another library"):
        model.partial_fit(*B)


def test_more_than_255_classes_can_be_saved(tmp_path: Path) -> None:
    texts, labels = [f"w{i} shared" for i in range(600)], [f"c{i % 300:03d}" for i in range(600)]
    model = TextClassifier(learner="naive-bayes").fit(texts, labels)
    model.save(tmp_path / "a.lindy")
    assert load(tmp_path / "a.lindy").predict(["w7"]).tolist() == ["c007"]


def rows_of_a_table(n: int, first: int) -> Any:
    table = [{"t": f"word{first + i % 2} x{i % 3}", "c": "abcd"[(first + i) % 4]} for i in range(n)]
    return table, [str(i % 2) for i in range(n)]


def test_tables_bring_new_words_and_categories(tmp_path: Path) -> None:
    def new() -> TextClassifier:
        return TextClassifier(learner="naive-bayes", columns={"text": ["t"], "category": ["c"]}, n_jobs=1)

    parts = [
        ([row for row in rows_of_a_table(20, 0)[0] if row["c"] in "bd"], ["0", "1"] * 5),
        rows_of_a_table(10, 6),
    ]
    saved(new().fit(*parts[0]), tmp_path / "a.lindy")
    model = load(tmp_path / "a.lindy", n_jobs=1).partial_fit(*parts[1])
    whole = saved(new().fit(*both(parts[0], parts[1])), tmp_path / "both.lindy")
    assert saved(model, tmp_path / "u.lindy") == whole
    merged = lindy.merge([new().fit(*part) for part in parts])
    assert saved(merged, tmp_path / "m.lindy") == whole
    saved(new().set_params(keep_rows=True).fit(*parts[0]), tmp_path / "k.lindy")
    kept = load(tmp_path / "k.lindy", n_jobs=1).partial_fit(*parts[1])
    assert kept.kept_ is not None
    assert kept.kept_.examples() == both(parts[0], parts[1])[0]
    whole = saved(new().set_params(keep_rows=True).fit(*both(parts[0], parts[1])), tmp_path / "both.lindy")
    assert saved(kept, tmp_path / "u.lindy") == whole


def test_numbers_of_a_table_are_scaled_as_before() -> None:
    rows, labels = rows_of_a_table(20, 0)
    rows = [row | {"n": float(i % 2)} for i, row in enumerate(rows)]
    model = TextClassifier(learner="svm", columns={"text": ["t"], "numeric": ["n"]}, n_jobs=1).fit(
        rows, labels
    )
    before = model.vectorizer_.numbers_
    model.partial_fit([row | {"n": row["n"] * 100} for row in rows], labels)
    assert model.vectorizer_.numbers_ == before
    other = TextClassifier(learner="svm", columns={"text": ["t"], "numeric": ["n"]}, n_jobs=1)
    other.fit([row | {"n": row["n"] * 100} for row in rows], labels)
    with pytest.raises(UpdateError, match="different kinds"):
        lindy.merge([model, other])


@pytest.mark.parametrize("name", ["naive-bayes", "svm"])
def test_images_keep_their_pixels(name: str) -> None:
    images = np.zeros((20, 5, 5), np.uint8)
    images[::2, 1], images[1::2, :, 3] = 200, 200
    labels = ["lies", "stands"] * 10
    model = TextClassifier(learner=name, n_jobs=1).fit(images, labels)
    n = model.vectorizer_.n_columns
    model.partial_fit(images[:6], labels[:6])
    assert model.vectorizer_.n_columns == n
    assert model.score(images, labels) == 1.0
    with pytest.raises(ValueError, match="pixels"):
        model.partial_fit(np.zeros((2, 4, 4), np.uint8), ["lies", "stands"])


def test_features_with_values_are_refused() -> None:
    features = [{"a": 1.0, "b": 2.0}, {"c": 1.0}] * 3
    model = TextClassifier(learner="naive-bayes").fit(features, ["x", "y"] * 3)
    with pytest.raises(UpdateError, match="train again on both files"):
        model.partial_fit(features, ["x", "y"] * 3)


@pytest.mark.parametrize(
    "learner", [MaxEnt(lam=0.0), MaxEnt(C=np.inf), SVM(lam=0.0), MaxEnt(penalty=None)], ids=str
)
def test_without_a_penalty_nothing_stands_for_the_earlier_rows(learner: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = TextClassifier(learner=learner, calibration="none").fit(["good", "bad"] * 5, ["p", "n"] * 5)
    with pytest.raises(UpdateError, match="without a penalty, nothing can stand for the rows that are gone"):
        update(model, ["good text"], ["p"])
