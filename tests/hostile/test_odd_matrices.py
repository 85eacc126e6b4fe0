"""Odd matrices, labels and weights: refused in words, or taken as their clean form, by every estimator."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from tests.hostile.attempts import attempts
from tests.hostile.estimators import Subject, estimator_classes, subjects
from tests.hostile.malformed import OTHER_FORMATS
from tests.hostile.odd_arrays import KINDS, Kind

from lindy import MultinomialNaiveBayes, TextClassifier
from lindy.core.csr import as_csr
from lindy.features import DictVectorizer, TableVectorizer
from lindy.text import CountVectorizer

SHARE = 16  # every so manieth kind is tried on a method here, all of them by ``make torture``


def some_kinds(argument: str, name: str) -> list[Kind]:
    """Return a share of the kinds, another one for every method."""
    return KINDS[argument][zlib.crc32(name.encode()) % SHARE :: SHARE]


def test_there_are_many_kinds() -> None:
    assert len([kind for kind in KINDS["X"] if kind.clean is None]) >= 77
    for kinds in KINDS.values():
        assert len({kind.name for kind in kinds}) == len(kinds)


def test_estimators_are_found_by_themselves() -> None:
    names = set(estimator_classes())
    assert {"SVM", "KernelSVM", "Nystroem", "TfidfTransformer", "CountVectorizer", "JointMira"} <= names
    assert "TextClassifier" in names


@pytest.mark.parametrize("subject", subjects(), ids=str)
def test_every_method_refuses_or_takes_what_it_should(subject: Subject) -> None:
    wrong = {
        f"{attempt}: {kind}": complaint
        for attempt in attempts(subject)
        for kind in some_kinds(attempt.argument, str(attempt))
        if (complaint := attempt.wrong(kind))
    }
    assert wrong == {}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("kind", KINDS["X"], ids=str)
def test_every_kind_where_all_matrices_come_in(kind: Kind) -> None:
    if kind.clean is None:
        with pytest.raises((ValueError, TypeError), match=r"\w"):
            as_csr(kind.make())
    else:
        np.testing.assert_array_equal(as_csr(kind.make()).to_dense(), kind.clean)


@pytest.mark.parametrize(
    "name", ["CSC far row", "CSC indptr beyond the values", "BSR column beyond the last"]
)
def test_who_reads_texts_does_not_look_into_a_matrix(name: str) -> None:
    """SciPy crashes on the way to the rows of these."""
    X, y = OTHER_FORMATS[name], ["a", "b", "a"]
    model = TextClassifier(learner="naive-bayes").fit(["good", "bad", "fine"], y)
    for call in (
        CountVectorizer().fit,
        DictVectorizer().fit,
        TableVectorizer(text=["words"]).fit,
        model.predict,
        lambda X: model.roles_of(X, y),
    ):
        with pytest.raises(ValueError, match=r"[Ee]xpected .*got a?"):
            call(X)


def test_what_a_score_is_given_is_checked() -> None:
    X, y = np.eye(3), ["a", "b", "a"]
    model = MultinomialNaiveBayes().fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, y[:2])
    with pytest.raises(ValueError, match="Negative values"):
        model.score(X, y, [1, -1, 1])
    with pytest.raises(ValueError, match="zero for every row"):
        model.score(X, y, [0, 0, 0])
    assert model.score(X, y, 2.0) == model.score(X, y)


def test_messages_say_what_to_do() -> None:
    X, y = np.eye(3), ["a", "b", "a"]
    model = MultinomialNaiveBayes()
    with pytest.raises(ValueError, match=r"X is a masked array with masked entries.*filled"):
        model.fit(np.ma.masked_equal(X, 1), y)
    with pytest.raises(ValueError, match=r"X must hold numbers; got datetime64"):
        model.fit(X.astype("M8[s]"), y)
    with pytest.raises(TypeError, match="labels must all have one type; got int and str"):
        model.fit(X, np.array(["a", 1, "a"], object))
    with pytest.raises(ValueError, match="the sum of sample_weight is too small"):
        model.fit(X, y, [5e-324, 0, 0])
