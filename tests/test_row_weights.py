"""A weight is a number of rows: a row of weight 2 is two rows, and a row of weight 0 is none.

For every learner that takes weights and every weighting: in memory, in parts on disk, on the processes engine, and in
updates. What is counted is the same to the last bit; optima are compared by what their certificates prove.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import lindy.data.chunks.batch_input
import lindy.text.analysis.documents
from lindy import TextClassifier, stream
from lindy.baselines import LeastSquares
from lindy.bayes import MultinomialNaiveBayes
from lindy.cli.app import run
from lindy.distributed.cluster_fit import fit_partitions
from lindy.distributed.partitions import Wanted
from lindy.distributed.processes import Processes
from lindy.estimators.learners import learner_classes
from lindy.evaluation.criterion import Criterion
from lindy.evaluation.outcomes import Outcomes
from lindy.features import ConjunctionVectorizer, CopyVectorizer, MisspellingVectorizer
from lindy.features.token_conjunctions import TokenConjunctions
from lindy.linear import SVM, MaxEnt, Mira, NaiveBayesSVM, Perceptron
from lindy.linear.convex import ConvexClassifier
from lindy.stream import workspace as workspaces
from lindy.text import (
    Bm25Vectorizer,
    CountVectorizer,
    HashingVectorizer,
    LogCountRatioVectorizer,
    TfidfVectorizer,
    UnionVectorizer,
)
from lindy.text.weighting.weighting_registry import WEIGHTINGS
from lindy.tuning import Space, tune
from lindy.updating import merge
from tests.partitioned import corpus, cut

TABLE = corpus(classes=3, rows=60)
TEXTS, LABELS = np.array(TABLE["text"].to_pylist(), object), np.array(TABLE["label"].to_pylist(), object)
WEIGHT = np.random.default_rng(0).integers(0, 4, len(TEXTS)).astype(np.float64)
REPEATED = np.repeat(np.arange(len(TEXTS)), WEIGHT.astype(int))
WITH_LISTS = {"lexicon"}

LEARNERS = {
    name: kind
    for name, kind in sorted(learner_classes().items())
    if name not in WITH_LISTS and "sample_weight" in inspect.signature(kind.fit).parameters
}


def weighing(learner: Any, **options: Any) -> TextClassifier:
    return TextClassifier(learner=learner, calibration="none", **options)


def assert_same_words(a: TextClassifier, b: TextClassifier) -> None:
    """Everything that the vectorizers and the counts of rows hold is the same, to the last bit."""
    (config, arrays), (other, others) = a.vectorizer_.to_state(), b.vectorizer_.to_state()
    assert config == other
    assert {name: array.tolist() for name, array in arrays.items()} == {
        name: array.tolist() for name, array in others.items()
    }
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a.class_counts_.tolist() == b.class_counts_.tolist()


def assert_same_model(a: TextClassifier, b: TextClassifier, texts: Any, labels: Any) -> None:
    """Both are the model of these texts: the same scores, or weights that are as good in the same problem."""
    assert_same_words(a, b)
    if isinstance(a.learner_, ConvexClassifier):
        rows = b.vectorizer_.transform_csr(texts)
        ours, theirs = (model.learner_.objective(rows, labels) for model in (a, b))
        tol = max(model.learner_.tol for model in (a, b))  # the relative gap that certificates have proved
        assert abs(ours - theirs) <= (tol + 1e-6) * theirs  # weights are in float32
        return
    scores = [np.asarray(model.decision_function(TEXTS), float) for model in (a, b)]
    assert np.allclose(*scores, rtol=1e-10, atol=1e-10)


def learner_of(name: str) -> Any:
    kind: Any = LEARNERS[name]
    return kind(tol=1e-6) if "tol" in kind._parameter_names() else kind()


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_and_weighting(name: str, weighting: str) -> None:
    weighted = weighing(learner_of(name), weighting=weighting).fit(TEXTS, LABELS, WEIGHT)
    repeated = weighing(learner_of(name), weighting=weighting).fit(TEXTS[REPEATED], LABELS[REPEATED])
    assert_same_model(weighted, repeated, TEXTS[REPEATED], LABELS[REPEATED])
    there = (np.arange(len(TEXTS)) % 3 > 0).astype(np.float64)
    rows = np.flatnonzero(there)
    without = weighing(learner_of(name), weighting=weighting).fit(TEXTS, LABELS, there)
    removed = weighing(learner_of(name), weighting=weighting).fit(TEXTS[rows], LABELS[rows])
    assert_same_model(without, removed, TEXTS[rows], LABELS[rows])


VARIANTS = [
    Perceptron(shuffle=False),
    Perceptron(shuffle="random"),
    Perceptron(average="vote"),
    Mira(constraints="all"),
    Mira(shuffle=False),
    MaxEnt(solver="sgd", lam=1e-3),
    SVM(loss="hinge", solver="pegasos", lam=0.1),
    SVM(loss="hinge", solver="subgradient", lam=0.1),
    LeastSquares(solver="conjugate-gradient"),
]


@pytest.mark.parametrize("learner", VARIANTS, ids=repr)
def test_other_ways_to_learn(learner: Any) -> None:
    weighted = weighing(learner, weighting="tfidf").fit(TEXTS, LABELS, WEIGHT)
    repeated = weighing(learner, weighting="tfidf").fit(TEXTS[REPEATED], LABELS[REPEATED])
    scores = [model.decision_function(TEXTS) for model in (weighted, repeated)]
    assert np.allclose(*scores, rtol=1e-5, atol=1e-5)  # visits in a row are added up in float32
    assert getattr(weighted.learner_, "t_", 0) == getattr(repeated.learner_, "t_", 0)


def test_rows_of_a_matrix() -> None:
    rows = CountVectorizer(max_features=50).fit_transform(TEXTS)
    weighted = weighing("perceptron").fit(rows, LABELS, WEIGHT)
    repeated = weighing("perceptron").fit(rows[REPEATED], LABELS[REPEATED])
    assert np.allclose(
        weighted.decision_function(rows), repeated.decision_function(rows), rtol=1e-10, atol=1e-10
    )


OPTIONS: dict[str, dict[str, Any]] = {
    "min_df": {"min_df": 3},
    "share of min_df": {"min_df": 0.1},
    "min_count": {"min_count": 4},
    "max_features": {"max_features": 40},
    "chi2": {"select": "chi2:30"},
    "information gain": {"select": "information-gain:30"},
    "count": {"select": "count:30"},
    "df": {"select": "df:30"},
    "characters": {"ngrams": (1, 2), "chars": (2, 3), "min_df": 2},
    "balanced": {"class_weight": "balanced"},
    "given words": {"vectorizer": TfidfVectorizer(vocabulary=["good", "bad", "the", "film"])},
    "rare words": {"vectorizer": CountVectorizer(oov=3)},
    "subwords": {"vectorizer": TfidfVectorizer(analyzer="bpe", n_merges=60)},
    "prefixes": {
        "vectorizer": CountVectorizer(
            analyzer="char_wb", ngram_range=(2, 3), affixes="prefix", max_features=30
        )
    },
    "max_df": {"vectorizer": TfidfVectorizer(max_df=0.4)},
    "hashed": {"vectorizer": HashingVectorizer(n_features=64)},
    "union": {
        "vectorizer": UnionVectorizer(
            vectorizers=[("a", CountVectorizer(min_df=2)), ("b", TfidfVectorizer())]
        )
    },
}


VECTORIZERS: dict[str, Any] = {
    "counts": CountVectorizer(min_df=2),
    "tf-idf": TfidfVectorizer(max_df=0.5),
    "chosen": TfidfVectorizer(select="chi2:30"),
    "BM25": Bm25Vectorizer(),
    "log-count ratio": LogCountRatioVectorizer(),
    "union": OPTIONS["union"]["vectorizer"],
    "misspellings": MisspellingVectorizer(min_df=2),
    "copies": CopyVectorizer(),
    "token conjunctions": TokenConjunctions(min_df=2),
    "conjunctions": ConjunctionVectorizer(vectorizer=CountVectorizer(max_features=20), min_df=3),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_of_words(option: str) -> None:
    weighted = weighing("perceptron", **OPTIONS[option]).fit(TEXTS, LABELS, WEIGHT)
    repeated = weighing("perceptron", **OPTIONS[option]).fit(TEXTS[REPEATED], LABELS[REPEATED])
    assert_same_model(weighted, repeated, TEXTS[REPEATED], LABELS[REPEATED])


@pytest.mark.parametrize("name", VECTORIZERS)
def test_vectorizers_on_their_own(name: str) -> None:
    weighted, repeated = VECTORIZERS[name].fresh(), VECTORIZERS[name].fresh()
    rows = weighted.fit(TEXTS, LABELS, sample_weight=WEIGHT).transform(TEXTS).toarray()
    assert np.array_equal(rows, repeated.fit(TEXTS[REPEATED], LABELS[REPEATED]).transform(TEXTS).toarray())
    assert weighted.get_feature_names_out().tolist() == repeated.get_feature_names_out().tolist()
    at_once = VECTORIZERS[name].fresh().fit_transform(TEXTS, LABELS, sample_weight=WEIGHT)
    assert np.array_equal(at_once.toarray(), rows)


def test_words_of_callables() -> None:
    options = {"analyzer": str.split, "min_df": 2, "max_features": 50}
    weighted, repeated = CountVectorizer(**options), CountVectorizer(**options)
    there = WEIGHT > 0
    weighted.fit_csr(TEXTS[there], weight=WEIGHT[there])
    repeated.fit_csr(TEXTS[REPEATED])
    assert weighted.vocabulary_ == repeated.vocabulary_


def test_a_class_of_weight_0_is_none() -> None:
    labels = np.where(np.arange(len(TEXTS)) == 5, "rare", LABELS)
    weight = np.where(labels == "rare", 0.0, 1.0)
    for learner in ("naive-bayes", "svm", "perceptron", "kernel-svm"):
        model = weighing(learner).fit(TEXTS, labels, weight)
        assert model.classes_.tolist() == sorted(set(LABELS))
        assert len(model.class_counts_) == len(model.classes_)


def test_nothing_of_a_row_of_weight_0_is_in_the_file(tmp_path: Path) -> None:
    texts = [*TEXTS, "unmistakable"]
    model = weighing("naive-bayes", keep_rows=True).fit(
        texts, [*LABELS, LABELS[0]], [*np.ones(len(TEXTS)), 0.0]
    )
    model.columns_ = {}
    model.save(tmp_path / "m.lindy")
    assert b"unmistakable" not in (tmp_path / "m.lindy").read_bytes()
    assert "unmistakable" not in model.vectorizer_.get_feature_names_out()
    assert len(model.kept_) == len(TEXTS)


def test_groups_and_times_go_with_their_rows() -> None:
    groups, labels = [f"g{i % 7}" for i in range(len(TEXTS))], np.where(LABELS == "negative", "-", "+")
    rows = np.flatnonzero(WEIGHT)
    weighted = TextClassifier(learner="svm").fit(TEXTS, labels, WEIGHT, groups=groups)
    removed = TextClassifier(learner="svm").fit(
        TEXTS[rows], labels[rows], WEIGHT[rows], groups=[groups[i] for i in rows]
    )
    assert np.array_equal(weighted.predict_proba(TEXTS), removed.predict_proba(TEXTS))


@pytest.mark.parametrize("learner", ["auto", "svm"])
def test_rows_of_weight_0_are_removed_before_anything_is_held_out(learner: str) -> None:
    rows = np.flatnonzero(WEIGHT)
    ones = (WEIGHT > 0).astype(float)
    weighted = TextClassifier(learner=learner).fit(TEXTS, LABELS, ones)
    removed = TextClassifier(learner=learner).fit(TEXTS[rows], LABELS[rows], np.ones(len(rows)))
    assert weighted.recipe_ == removed.recipe_
    assert np.array_equal(weighted.predict_proba(TEXTS), removed.predict_proba(TEXTS))
    assert weighted.outcomes_.cells.tolist() == removed.outcomes_.cells.tolist()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 5.0]), min_size=12, max_size=12),
    st.sampled_from(sorted(WEIGHTINGS)),
)
def test_any_whole_weights(weight: list[float], weighting: str) -> None:
    texts, labels = TEXTS[:12], np.array(["a", "b", "c"] * 4)
    weight = [*weight[:9], *(w + 1 for w in weight[9:])]  # some row of every class is there
    repeated = np.repeat(np.arange(12), np.array(weight, int))
    options = {"weighting": weighting, "ngrams": (1, 2), "min_df": 2}
    a = weighing("perceptron", **options).fit(texts, labels, weight)
    b = weighing("perceptron", **options).fit(texts[repeated], labels[repeated])
    assert_same_words(a, b)
    assert np.allclose(a.decision_function(TEXTS), b.decision_function(TEXTS), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_fractions_scale(weighting: str) -> None:
    """Three rows of a third are one row; nothing is left out for weighing little."""
    weight = np.where(WEIGHT > 0, WEIGHT, 1.0)
    thrice = np.repeat(np.arange(len(TEXTS)), 3)
    whole = weighing("svm", weighting=weighting).fit(TEXTS, LABELS, weight)
    thirds = weighing("svm", weighting=weighting).fit(TEXTS[thrice], LABELS[thrice], weight[thrice] / 3)
    assert (
        whole.vectorizer_.get_feature_names_out().tolist()
        == thirds.vectorizer_.get_feature_names_out().tolist()
    )
    assert np.allclose(whole.class_counts_, thirds.class_counts_)
    rows = [model.vectorizer_.transform_csr(TEXTS) for model in (whole, thirds)]
    assert np.allclose(rows[0].values, rows[1].values, rtol=1e-5)
    tiny = weighing("svm", weighting=weighting).fit(TEXTS, LABELS, weight * 1e-3)
    assert tiny.vectorizer_.n_columns == whole.vectorizer_.n_columns


def test_a_model_with_fractions_is_saved_and_updated(tmp_path: Path) -> None:
    weight = np.where(WEIGHT > 0, WEIGHT, 1.0) / 2
    for weighting in ("tfidf", "bm25"):
        model = weighing("naive-bayes", weighting=weighting).fit(TEXTS, LABELS, weight)
        model.save(tmp_path / "m.lindy")
        loaded = TextClassifier.load(tmp_path / "m.lindy")
        assert loaded.class_counts_.tolist() == model.class_counts_.tolist()
        whole = weighing("naive-bayes", weighting=weighting).fit(
            [*TEXTS, *TEXTS], [*LABELS, *LABELS], [*weight, *weight]
        )
        loaded.partial_fit(TEXTS, LABELS, sample_weight=weight)
        rows = [own.vectorizer_.transform_csr(TEXTS).values for own in (loaded, whole)]
        assert np.allclose(*rows, rtol=1e-4)


HALF = len(TEXTS) // 2
UPDATED = {
    "naive Bayes": ("naive-bayes", "counts"),
    "naive Bayes on tf-idf": ("naive-bayes", "tfidf"),
    "perceptron": ("perceptron", "tfidf"),
    "perceptron on BM25": ("perceptron", "bm25"),
    "mira": ("mira", "counts"),
    "svm": (SVM(tol=1e-9), "tfidf"),
}


@pytest.mark.parametrize("how", UPDATED)
def test_updates(how: str) -> None:
    learner, weighting = UPDATED[how]
    first, second = REPEATED[REPEATED < HALF], REPEATED[REPEATED >= HALF]
    a = weighing(learner, weighting=weighting).fit(TEXTS[:HALF], LABELS[:HALF], WEIGHT[:HALF])
    a.partial_fit(TEXTS[HALF:], LABELS[HALF:], sample_weight=WEIGHT[HALF:])
    b = weighing(learner, weighting=weighting).fit(TEXTS[first], LABELS[first])
    b.partial_fit(TEXTS[second], LABELS[second])
    assert_same_words(a, b)
    tolerance = 1e-10 if isinstance(learner, str) else 1e-4
    assert np.allclose(a.decision_function(TEXTS), b.decision_function(TEXTS), rtol=tolerance, atol=tolerance)


def test_updates_of_kept_rows() -> None:
    options = {"weighting": "tfidf", "keep_rows": True}
    a = weighing("perceptron", **options).fit(TEXTS[:HALF], LABELS[:HALF], WEIGHT[:HALF])
    a.partial_fit(TEXTS[HALF:], LABELS[HALF:], sample_weight=WEIGHT[HALF:])
    b = weighing("perceptron", **options).fit(TEXTS[REPEATED], LABELS[REPEATED])
    assert_same_words(a, b)
    assert np.allclose(a.decision_function(TEXTS), b.decision_function(TEXTS))


def test_merged_models() -> None:
    def parts(rows: list[Any], weights: list[Any]) -> Any:
        fits = zip(rows, weights, strict=True)
        return merge([weighing("naive-bayes").fit(TEXTS[own], LABELS[own], weight) for own, weight in fits])

    halves = [np.arange(HALF), np.arange(HALF, len(TEXTS))]
    weighted = parts(halves, [WEIGHT[own] for own in halves])
    repeated = parts([REPEATED[REPEATED < HALF], REPEATED[REPEATED >= HALF]], [None, None])
    assert_same_words(weighted, repeated)
    assert np.array_equal(weighted.predict_proba(TEXTS), repeated.predict_proba(TEXTS))


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let batches go to files, and their words be counted in parts of some hundred bytes."""
    monkeypatch.setattr(lindy.data.chunks.batch_input, "PER_BYTE", 10**9)
    monkeypatch.setattr(workspaces, "LEAST", 2000 << 5)
    monkeypatch.setattr(workspaces, "LEAST_PART", 2000)
    monkeypatch.setattr(workspaces, "default_memory", lambda: 2000 << 5)
    monkeypatch.setattr(stream, "_LARGE", 256)
    monkeypatch.setattr(lindy.text.analysis.documents, "BATCH_BYTES", 600)


def in_batches(weight: NDArray[Any] | None, rows: NDArray[Any]) -> list[tuple[Any, ...]]:
    parts = np.array_split(rows, 5)
    return [
        (TEXTS[own].tolist(), LABELS[own].tolist(), *([] if weight is None else [weight[own]]))
        for own in parts
    ]


@pytest.mark.usefixtures("on_disk")
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("learner", ["naive-bayes", "perceptron", "mira", "svm", "nb-svm", "maxent"])
def test_in_parts(learner: str, weighting: str) -> None:
    options = {"weighting": weighting, "ngrams": (1, 2), "min_df": 2}
    weighted = weighing(learner_of(learner), **options).fit(in_batches(WEIGHT, np.arange(len(TEXTS))))
    repeated = weighing(learner_of(learner), **options).fit(in_batches(None, REPEATED))
    assert_same_model(weighted, repeated, TEXTS[REPEATED], LABELS[REPEATED])


@pytest.mark.usefixtures("on_disk")
def test_parts_are_the_whole() -> None:
    for options in ({"min_count": 3}, {"max_features": 60}, {"select": "chi2:50"}, {"chars": (2, 3)}):
        parts = weighing("perceptron", **options).fit(in_batches(WEIGHT, np.arange(len(TEXTS))))
        whole = weighing("perceptron", **options).fit(TEXTS, LABELS, WEIGHT)
        assert_same_model(parts, whole, TEXTS, LABELS)


def test_a_batch_of_nothing_but_weight_0() -> None:
    batches = [(TEXTS[:20].tolist(), LABELS[:20].tolist(), np.ones(20)), (["a zero"], ["none"], [0.0])]
    model = weighing("naive-bayes").fit(batches)
    assert "none" not in model.classes_
    assert model.class_counts_.sum() == 20


PARTITIONED = [
    ("naive-bayes", "counts"),
    (MaxEnt(tol=1e-9), "tfidf"),
    (MaxEnt(tol=1e-9), "bm25"),
    (SVM(tol=1e-9), "tfidf"),
    (NaiveBayesSVM(tol=1e-9), "tfidf"),
    (SVM(loss="hinge", penalize_intercept=True, tol=1e-3, max_iter=2000), "tfidf"),
    (Perceptron(), "tfidf"),
    (Mira(), "bm25"),
]


def on_processes(
    learner: Any, weighting: str, table: pa.Table, weight: str | None, parts: int = 3
) -> TextClassifier:
    model = weighing(learner, weighting=weighting, min_df=2)
    with Processes("frame_part", cut(table, parts), (Wanted("text", "label", weight=weight),), 1) as engine:
        fit_partitions(model, engine)
    return model


@pytest.mark.parametrize(("learner", "weighting"), PARTITIONED, ids=str)
def test_on_processes(learner: Any, weighting: str) -> None:
    table = TABLE.append_column("times", pa.array(WEIGHT))
    parts = 1 if isinstance(learner, Perceptron | Mira) else 3  # which depend on the rows of a partition
    weighted = on_processes(learner, weighting, table, "times", parts)
    repeated = on_processes(learner, weighting, TABLE.take(pa.array(REPEATED)), None, parts)
    assert_same_model(weighted, repeated, TEXTS[REPEATED], LABELS[REPEATED])


def test_a_partition_of_nothing_but_weight_0() -> None:
    table = TABLE.append_column("times", pa.array(np.where(np.arange(len(TEXTS)) < 40, 0.0, 1.0)))
    model = on_processes("naive-bayes", "counts", table, "times", 5)
    removed = on_processes("naive-bayes", "counts", TABLE.slice(40), None)
    assert_same_model(model, removed, TEXTS[40:], LABELS[40:])


def write(path: Path, rows: NDArray[Any], weight: NDArray[Any] | None) -> Path:
    lines = ["label,text" + ("" if weight is None else ",times")]
    for i in rows.tolist():
        text = TEXTS[i].replace('"', '""')
        lines.append(f'{LABELS[i]},"{text}"' + ("" if weight is None else f",{weight[i]:g}"))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "how", [[], ["--on", "processes", "--workers", "1"]], ids=["one process", "partitions"]
)
def test_the_command_line(how: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    everyone = np.arange(len(TEXTS))
    data = (
        write(tmp_path / "weighted.csv", everyone, WEIGHT),
        write(tmp_path / "repeated.csv", REPEATED, None),
    )
    models = []
    for path, more in zip(data, (["--weight", "times"], []), strict=True):
        target = tmp_path / f"{path.stem}.lindy"
        args = ["train", str(path), "--learner", "maxent", "--param", "tol=1e-9", *how, *more]
        assert run([*args, "-o", str(target)]) == 0
        said = capsys.readouterr()
        if more and not how:
            n = int((WEIGHT == 0).sum())
            assert f"left out {n} of 60 rows, whose weight 'times' is 0" in said.err
            assert f"on {int(WEIGHT.sum())} texts" in said.out + said.err
        models.append(TextClassifier.load(target))
    assert_same_model(*models, TEXTS[REPEATED], LABELS[REPEATED])


NUMBERS = np.random.default_rng(1).normal(size=len(TEXTS))
PLACES = np.random.default_rng(2).choice(["north", "south", "west"], len(TEXTS))
MIXED = {"text": ["text"], "numeric": ["size"], "category": ["place"]}


def mixed(rows: NDArray[Any]) -> pa.Table:
    return pa.table({"text": TEXTS[rows].tolist(), "size": NUMBERS[rows], "place": PLACES[rows].tolist()})


@pytest.mark.parametrize("learner", ["svm", "naive-bayes", "perceptron", "gaussian-naive-bayes"])
def test_tables_of_several_columns(learner: str) -> None:
    everyone = np.arange(len(TEXTS))
    weighted = weighing(learner_of(learner), columns=MIXED).fit(mixed(everyone), LABELS, WEIGHT)
    repeated = weighing(learner_of(learner), columns=MIXED).fit(mixed(REPEATED), LABELS[REPEATED])
    ours, theirs = (model.vectorizer_.numbers_["size"] for model in (weighted, repeated))
    assert (ours.shift, ours.scale) == pytest.approx((theirs.shift, theirs.scale), rel=1e-12)
    assert weighted.vectorizer_.categories_ == repeated.vectorizer_.categories_
    scores = [model.decision_function(mixed(everyone)) for model in (weighted, repeated)]
    assert np.allclose(*scores, atol=1e-3)  # of a solver that stops at 1e-6


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_features_with_values(weighting: str) -> None:
    features = [{word: float(text.count(word)) for word in set(text.split()[:12])} for text in TEXTS]
    options = {"weighting": weighting, "min_df": 3, "max_features": 40}
    weighted = weighing("perceptron", **options).fit(features, LABELS, WEIGHT)
    repeated = weighing("perceptron", **options).fit([features[i] for i in REPEATED], LABELS[REPEATED])
    assert_same_words(weighted, repeated)
    assert np.allclose(
        weighted.decision_function(features), repeated.decision_function(features), rtol=1e-10, atol=1e-10
    )


def test_weights_of_a_vowpal_wabbit_file(tmp_path: Path) -> None:
    lines = [
        f"{label.replace(' ', '-')} {w:g} | {text.split()[0]} {text.split()[1]}"
        for text, label, w in zip(
            [t.replace("|", " ").replace(":", " ") for t in TEXTS], LABELS, WEIGHT, strict=True
        )
    ]
    (tmp_path / "all.vw").write_text("\n".join(lines) + "\n", encoding="utf-8")
    there = [line for line, w in zip(lines, WEIGHT, strict=True) if w]
    (tmp_path / "some.vw").write_text("\n".join(there) + "\n", encoding="utf-8")
    models = []
    for name in ("all", "some"):
        target = tmp_path / f"{name}.lindy"
        assert (
            run(["train", str(tmp_path / f"{name}.vw"), "--learner", "svm", "-o", str(target), "--quiet"])
            == 0
        )
        models.append(TextClassifier.load(target))
    assert_same_words(*models)


def test_searches_do_not_see_rows_of_weight_0() -> None:
    rows = np.flatnonzero(WEIGHT)
    options = {"space": Space(learners={"naive-bayes": [{}], "svm": [{}]}), "strategy": "grid", "dev": 0.25}
    weighted = tune(TEXTS, LABELS, sample_weight=WEIGHT, **options)
    removed = tune(TEXTS[rows], LABELS[rows], sample_weight=WEIGHT[rows], **options)
    assert [(r.recipe, r.gain) for r in weighted.results] == [(r.recipe, r.gain) for r in removed.results]


def test_recipes_are_compared_by_the_weights_of_held_out_rows() -> None:
    y, answer = np.array([0, 1, 1, 2, 0]), np.array([0, 1, 0, 2, 1])
    weight, times = np.array([1.0, 3.0, 2.0, 1.0, 5.0]), np.array([1, 3, 2, 1, 5])
    for metric in ("accuracy", "macro-f1", "f1:b"):
        criterion = Criterion.of(metric, np.array(["a", "b", "c"]), np.bincount(y))
        repeated = criterion.gains_of(np.repeat(answer, times), np.repeat(y, times))
        weighted = criterion.gains_of(answer, y, weight)
        assert criterion.figure(weighted) == pytest.approx(criterion.figure(repeated))
        assert criterion.constant(y, weight) == pytest.approx(criterion.constant(np.repeat(y, times)))
    outcomes = Outcomes.of_codes(y, answer, None, 3, weight)
    assert (
        outcomes.cells.tolist()
        == Outcomes.of_codes(np.repeat(y, times), np.repeat(answer, times), None, 3).cells.tolist()
    )


def test_pipelines_of_scikit_learn() -> None:
    import sklearn
    from sklearn.pipeline import make_pipeline

    with sklearn.config_context(enable_metadata_routing=True):
        words = TfidfVectorizer()
        learner = MultinomialNaiveBayes().set_fit_request(sample_weight=True)
        weighted = make_pipeline(words, learner).fit(TEXTS, LABELS, sample_weight=WEIGHT)
    repeated = make_pipeline(TfidfVectorizer(), MultinomialNaiveBayes()).fit(
        TEXTS[REPEATED], LABELS[REPEATED]
    )
    assert np.allclose(weighted.predict_proba(TEXTS), repeated.predict_proba(TEXTS), rtol=1e-10)
