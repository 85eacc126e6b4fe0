"""Metadata routing: weights reach the methods of lindy's estimators through those of scikit-learn."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import Pipeline

from lindy import SVM, MultinomialNaiveBayes, TextClassifier
from lindy.data.splits.split_policy import FREE
from lindy.estimators.learners import learner_classes
from lindy.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer, UnionVectorizer

TEXTS = ["a wonderful warm book", "wonderful and wise", "a dull long book", "dull and empty"] * 10
LABELS = ["good", "good", "bad", "bad"] * 10
WEIGHT = np.arange(1.0, 41.0)


@pytest.fixture(autouse=True)
def _routing() -> Any:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def requests(estimator: Any) -> dict[str, dict[str, Any]]:
    routing = estimator.get_metadata_routing()
    return {method: dict(getattr(routing, method).requests) for method in ("fit", "score")}


class Weighed(MultinomialNaiveBayes):
    """Notes the sums of the weights that reach it."""

    seen: list[tuple[str, float | None]] = []  # which clones share

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Weighed:
        self.seen.append(("fit", None if sample_weight is None else float(np.sum(sample_weight))))
        return super().fit(X, y, sample_weight)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        self.seen.append(("score", None if sample_weight is None else float(np.sum(sample_weight))))
        return super().score(X, y, sample_weight)


@pytest.fixture
def weighed() -> Weighed:
    Weighed.seen.clear()
    return Weighed()


def test_nothing_is_requested_until_it_is_asked_for() -> None:
    weight = {"sample_weight": None}
    assert requests(SVM()) == {"fit": weight, "score": weight}
    divided = {"groups": None, "time": None}
    assert requests(TextClassifier()) == {"fit": weight | divided, "score": weight}


def test_what_counts_rows_gets_their_weights() -> None:
    for vectorizer in (
        CountVectorizer(),
        HashingVectorizer(),
        UnionVectorizer(vectorizers=[]),
        TfidfTransformer(),
    ):
        assert requests(vectorizer) == {"fit": {"sample_weight": True}, "score": {}}
    refused = clone(CountVectorizer().set_fit_request(sample_weight=False))
    assert requests(refused) == {"fit": {"sample_weight": False}, "score": {}}


@pytest.mark.parametrize("name", learner_classes())
def test_every_learner_states_what_it_takes(name: str) -> None:
    learner: Any = learner_classes()[name]()
    assert requests(learner)["score"] == {"sample_weight": None}
    if taken := requests(learner)["fit"]:
        assert set(taken) - {"groups", "time"} == {"sample_weight"}
        assert requests(learner.set_fit_request(sample_weight=True))["fit"] == taken | {"sample_weight": True}
    else:
        assert not hasattr(learner, "set_fit_request")


def test_requests_are_set_kept_by_clones_and_not_shared() -> None:
    asked = SVM().set_fit_request(sample_weight="importance").set_score_request(sample_weight=False)
    copy = clone(asked)
    assert requests(copy) == {"fit": {"sample_weight": "importance"}, "score": {"sample_weight": False}}
    copy.set_fit_request(sample_weight=True)
    assert requests(asked)["fit"] == {"sample_weight": "importance"}
    assert requests(SVM())["fit"] == {"sample_weight": None}


def test_what_cannot_be_requested() -> None:
    with pytest.raises(TypeError, match=r"Unexpected args: 'groups' in fit\. Accepted arguments are"):
        SVM().set_fit_request(groups=True)
    with pytest.raises(ValueError, match="True, False, None or another name; got 'no name'"):
        SVM().set_fit_request(sample_weight="no name")
    assert not hasattr(SVM(), "set_transform_request")
    assert not hasattr(TfidfVectorizer(), "set_score_request")
    assert hasattr(TfidfTransformer(), "set_transform_request")
    with pytest.raises(TypeError, match="Unexpected args"):
        TextClassifier().set_fit_request(source=True)


def test_a_pipeline_passes_weights_to_the_learner(weighed: Weighed) -> None:
    asked = weighed.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    pipeline = Pipeline([("rows", CountVectorizer()), ("learner", asked)])
    scores = cross_val_score(pipeline, TEXTS, LABELS, params={"sample_weight": WEIGHT}, cv=2)
    assert scores.tolist() == [1.0, 1.0]
    assert [method for method, _ in Weighed.seen] == ["fit", "score"] * 2
    sums = [total for _, total in Weighed.seen]
    assert sums[0] + sums[1] == sums[2] + sums[3] == WEIGHT.sum()


def test_a_refused_request_passes_nothing(weighed: Weighed) -> None:
    pipeline = Pipeline([("rows", CountVectorizer()), ("learner", weighed)])
    with pytest.raises(
        UnsetMetadataPassedError, match=r"\[sample_weight\] are passed but are not explicitly"
    ):
        pipeline.fit(TEXTS, LABELS, sample_weight=WEIGHT)
    weighed.set_fit_request(sample_weight=False)
    pipeline.set_params(rows=CountVectorizer().set_fit_request(sample_weight=False))
    with pytest.raises(TypeError, match="not routed to any object"):
        pipeline.fit(TEXTS, LABELS, sample_weight=WEIGHT)
    assert not Weighed.seen


def test_a_grid_search_passes_weights_to_a_text_classifier(weighed: Weighed) -> None:
    model = TextClassifier(learner=weighed).set_fit_request(sample_weight=True)
    model.set_score_request(sample_weight=True)
    search = GridSearchCV(model, {"learner__alpha": [0.5, 1.0]}, cv=2)
    search.fit(TEXTS, LABELS, sample_weight=WEIGHT)
    fits = [total for method, total in Weighed.seen if method == "fit"]
    assert len(fits) == 5
    assert fits[-1] == WEIGHT.sum()
    assert None not in fits


def test_groups_reach_the_splitter_and_the_text_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    groups, seen = np.arange(40) // 4 % 5, []
    monkeypatch.setattr(
        "lindy.textclassifier.SplitPolicy.of",
        lambda n_rows, own, time: seen.append((n_rows, sorted(set(own)), time)) or FREE,
    )
    model = TextClassifier(learner="naive-bayes").set_fit_request(groups=True)
    scores = cross_val_score(model, TEXTS, LABELS, params={"groups": groups}, cv=GroupKFold(5))
    assert len(scores) == 5
    assert sorted(kept for _, kept, _ in seen) == [
        [g for g in range(5) if g != out] for out in range(4, -1, -1)
    ]


def test_a_wish_is_noted_without_scikit_learn() -> None:
    code = (
        "import sys; from lindy import SVM\n"
        "SVM().set_fit_request(sample_weight=True)\n"
        "assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
