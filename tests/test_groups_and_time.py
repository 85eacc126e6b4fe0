"""Groups and times on every way through the library: whoever learns is watched, and so is what is scored.

Rows are features of which the largest value is the number of the row, so that a learner's rows say which ones they are,
whatever was done on the way to it. Every learner that scores rows it has not learned from is checked against the
groups and times themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from lindy import Mira, Perceptron, TextClassifier
from lindy.core.csr import Csr, as_csr
from lindy.core.feature_rows import FeatureRows
from lindy.core.targets import OneLabel
from lindy.data import SplitPolicy
from lindy.errors import DataError, LindyWarning
from lindy.estimators.base import Classifier
from lindy.evaluation import criterion, out_of_fold
from lindy.evaluation.audit.table_audit import label_errors
from lindy.evaluation.calibration import calibrators
from lindy.evaluation.criterion import Criterion, Metric
from lindy.linear import SVM
from lindy.linear.stream import StreamClassifier
from lindy.report.measure import learning_curve
from lindy.tuning import Space, tune
from lindy.tuning.automatic import Limits, choose
from lindy.tuning.feature_row_recipes import FeatureRowRecipes
from lindy.tuning.held_out import Task

_FIRST = 1000  # above all other values

pytestmark = pytest.mark.filterwarnings(f"ignore::{LindyWarning.__module__}.{LindyWarning.__name__}")


@dataclass
class Case:
    """Rows of three classes, with the group and the time of each."""

    codes: Any
    groups: Any
    times: Any
    kind: tuple[bool, bool]

    @property
    def labels(self) -> list[str]:
        return [f"class {code}" for code in self.codes.tolist()]

    @property
    def conditions(self) -> dict[str, Any]:
        by_group, by_time = self.kind
        return {"groups": self.groups if by_group else None, "time": self.times if by_time else None}

    @property
    def division(self) -> SplitPolicy:
        return SplitPolicy.of(len(self.codes), **self.conditions)

    @property
    def rows(self) -> Csr:
        rng = np.random.default_rng(0)
        X = rng.random((len(self.codes), 6)).astype(np.float32)
        X[np.arange(len(X)), self.codes] += 1.5
        return as_csr(np.column_stack([X, _FIRST + np.arange(len(X), dtype=np.float32)]))

    @property
    def features(self) -> FeatureRows:
        return FeatureRows(self.rows, [f"f{i}" for i in range(7)])

    def check(self, learned: list[int], scored: list[int]) -> None:
        assert not set(learned) & set(scored)
        if self.kind[0]:
            assert not set(self.groups[learned].tolist()) & set(self.groups[scored].tolist())
        if self.kind[1]:
            assert self.times[learned].max() <= self.times[scored].min()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n = draw(st.integers(36, 60))
    seed = draw(st.integers(0, 2**20))
    rng = np.random.default_rng(seed)
    kind = draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    groups = rng.integers(0, draw(st.sampled_from([2, 3, 8, 30])), n)
    times = rng.integers(0, draw(st.sampled_from([2, 4, 50])), n)
    if draw(st.booleans()):  # conversations follow each other
        groups = np.sort(groups)[np.argsort(np.argsort(times, kind="stable"))]
    codes = rng.choice(3, n, p=[0.5, 0.4, 0.1]) if draw(st.booleans()) else rng.integers(0, 2, n)
    assume(len(set(codes.tolist())) == codes.max() + 1 > 1)
    assume(len(set(groups.tolist())) > 1 and len(set(times.tolist())) > 1)
    return Case(codes, groups, times, kind)


def numbers(X: Any) -> list[int]:
    """Return which rows these are."""
    csr = as_csr(X)
    return [
        round(float(csr.values[a:b].max())) - _FIRST for a, b in zip(csr.indptr, csr.indptr[1:], strict=False)
    ]


@dataclass
class Watch:
    """What each learner learned from, and the pairs of that and of what it scored."""

    learned: list[tuple[Any, list[int]]] = field(default_factory=list)
    pairs: list[tuple[list[int], list[int]]] = field(default_factory=list)

    def scored(self, learner: Any, rows: list[int]) -> None:
        """Note a pair; one of a path of learners has learned what the latest did, and one may look at its own rows."""
        own = [learned for who, learned in self.learned if who is learner] or [self.learned[-1][1]]
        if sorted(rows) != sorted(own[-1]):
            self.pairs.append((own[-1], rows))


@contextmanager
def watched() -> Iterator[Watch]:
    """Watch all learners: what they fit, what they score, and what they hold out to stop early."""
    watch, plain, early = Watch(), Classifier._rows, StreamClassifier._learn

    def rows(self: Any, X: Any, *, reset: bool = False) -> Csr:
        csr: Csr = plain(self, X, reset=reset)
        if reset:
            watch.learned.append((self, numbers(csr)))
        else:
            watch.scored(self, numbers(csr))
        return csr

    def learn(self: Any, state: Any, data: Any, course: Any, **more: Any) -> Any:
        if (held := more.get("watched")) is not None:
            watch.pairs.append((numbers(data.X), numbers(held.X)))
        else:
            assert not course.held_out, "rows are drawn one by one"
        return early(self, state, data, course, **more)

    with mock.patch.object(Classifier, "_rows", rows), mock.patch.object(StreamClassifier, "_learn", learn):
        yield watch


PATHS: dict[str, Any] = {
    "the automatic recipe": lambda case: TextClassifier().fit(case.features, case.labels, **case.conditions),
    "the automatic recipe of a sample": lambda case: choose(
        Task(case.features, OneLabel.of(case.codes), division=case.division),
        FeatureRowRecipes(case.features).candidates(SimpleNamespace(weighting="auto")),
        Limits(size=1800, fewest=10),
    ),
    "the best calibration": lambda case: TextClassifier(learner="maxent", calibration="best").fit(
        case.features, case.labels, **case.conditions
    ),
    "early stopping": lambda case: TextClassifier(learner="mira", early_stop=0.2).fit(
        case.features, case.labels, **case.conditions
    ),
    "the automatic recipe that stops early": lambda case: TextClassifier(early_stop=0.2).fit(
        case.features, case.labels, **case.conditions
    ),
    "a threshold": lambda case: TextClassifier(learner="svm", metric="f1:class 1").fit(
        case.features, case.labels, **case.conditions
    ),
    "cross-validation": lambda case: out_of_fold(SVM(), case.rows, case.codes, division=case.division),
    "a search with folds": lambda case: searched(case, k=3),
    "a search with a dev part": lambda case: searched(case, dev=0.3),
    "an audit": lambda case: label_errors(
        SVM(), case.rows, OneLabel(np.arange(3), case.codes), 0, case.division
    ),
    "a learning curve": lambda case: learning_curve(
        TextClassifier(learner="svm"), case.features, case.labels, points=2, division=case.division
    ),
}


def searched(case: Case, **how: Any) -> None:
    features = FeatureRowRecipes(case.features).given()
    space = Space(
        [features], ["counts"], {"svm": [{"C": 0.01}, {"C": 0.1}], "perceptron": [{"held_out": 0.2}]}
    )
    tune(case.features, case.labels, space=space, **how, **case.conditions)


@pytest.mark.parametrize("path", PATHS)
def test_no_learner_sees_what_it_is_judged_by(path: str) -> None:
    seen: list[int] = []

    @settings(max_examples=12, phases=[Phase.generate])  # a smaller case would say no more, and take minutes
    @given(cases())
    def holds(case: Case) -> None:
        with watched() as watch:
            try:
                PATHS[path](case)
            except DataError as error:
                if "held out" not in str(error) and "too few examples" not in str(error):
                    raise
        seen.append(len(watch.pairs))
        for learned, scored in watch.pairs:
            case.check(learned, scored)

    holds()
    assert sum(map(bool, seen)) > len(seen) / 2  # most cases can be divided


@settings(max_examples=30)
@given(cases(), st.sampled_from(["log-loss", "macro-f1", "f1"]))
def test_calibrators_and_thresholds_are_found_on_other_rows(case: Case, metric: str) -> None:
    rng = np.random.default_rng(1)
    K = int(case.codes.max()) + 1
    scores = rng.normal(size=(len(case.codes), 1 if K == 2 else K))
    scores[:, 0] = np.arange(len(case.codes)) - 20.5  # which row it is
    pairs: list[tuple[list[int], list[int]]] = []

    def which(values: Any) -> list[int]:
        return np.round(np.atleast_2d(np.asarray(values).T).T[:, 0] + 20.5).astype(int).tolist()

    fit = calibrators.fit_calibrator

    def fit_calibrator(own: Any, *rest: Any, **more: Any) -> Any:
        made = fit(own, *rest, **more)
        return lambda held: pairs.append((which(own), which(held))) or made(held)

    own = Criterion(Metric.of("f1:b" if metric == "f1" else metric), 1 if metric == "f1" else -1)
    with (
        mock.patch.object(calibrators, "fit_calibrator", fit_calibrator),
        mock.patch.object(criterion, "fit_calibrator", fit_calibrator),
    ):
        if metric == "log-loss":
            gains = own.gains(scores, case.codes, case.division)
            assert len(gains) <= len(case.codes)
            calibrators.fit_calibrator(scores, case.codes, K, division=case.division)
    if metric != "log-loss":
        offsets = Criterion._offsets
        found: list[list[int]] = []

        def noted(self: Criterion, values: Any, y: Any) -> Any:
            found.append(len(values))
            return offsets(self, values, y)

        with mock.patch.object(Criterion, "_offsets", noted):
            own.gains(scores, case.codes, case.division)
        expected = [len(train) for train, _ in case.division.splits(case.codes, 5)]
        assert found == expected
    for learned, scored in pairs:
        case.check(learned, scored)


def test_a_model_is_judged_by_rows_with_their_groups() -> None:
    rng = np.random.default_rng(0)
    case = Case(rng.integers(0, 3, 90), np.arange(90) // 6, rng.permutation(90), (True, False))
    given: list[tuple[int, Any]] = []
    fit, rule = calibrators.fit_calibrator, Criterion.rule

    def fit_calibrator(scores: Any, *rest: Any, **more: Any) -> Any:
        given.append((len(scores), more["division"].groups))
        return fit(scores, *rest, **more)

    def rule_of(self: Any, scores: Any, y: Any, division: SplitPolicy) -> Any:
        given.append((len(scores), division.groups))
        return rule(self, scores, y, division)

    weight = np.ones(90)
    weight[:6] = 0  # such rows are not there
    with (
        mock.patch("lindy.evaluation.criterion.fit_calibrator", fit_calibrator),
        mock.patch.object(Criterion, "rule", rule_of),
    ):
        model = TextClassifier(learner="svm", metric="macro-f1", calibration="best")
        model.fit(case.features, case.labels, weight, groups=case.groups)
    (calibrated, groups), (ruled, others) = given
    assert calibrated == len(groups) == 84
    assert groups.tolist() == [own // 6 - 1 for own in range(6, 90)]
    assert ruled == 84
    assert others.tolist() == groups.tolist()


@pytest.mark.parametrize("conditions", ["groups", "time"])
def test_of_texts_only_the_model_itself_is_given_all(conditions: str) -> None:
    words = np.array(["red", "green", "blue", "sweet", "sour"])
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 120)
    texts = [" ".join([*rng.choice(words, 3), "good" if code else "bad"]) for code in codes.tolist()]
    fits: list[int] = []
    plain = Classifier._examples

    def examples(self: Any, *given: Any, **more: Any) -> Any:
        found = plain(self, *given, **more)
        fits.append(len(found.y))
        return found

    with mock.patch.object(Classifier, "_examples", examples):
        TextClassifier().fit(texts, codes, **{conditions: np.arange(120) // 4})
    assert len(fits) > 1
    assert fits.count(120) == 1  # not even with a weight of 0: what a solver begins with must not know them


@pytest.mark.parametrize("learner", [Perceptron, Mira])
def test_a_learner_of_its_own_holds_out_groups(learner: Any) -> None:
    rng = np.random.default_rng(0)
    case = Case(rng.integers(0, 2, 60), np.arange(60) // 6, rng.permutation(60), (True, False))
    with watched() as watch:
        model = learner(held_out=0.2).fit(case.rows, case.codes, groups=case.groups)
    (pair,) = watch.pairs
    case.check(*pair)
    assert len(pair[1]) == 12
    assert len(model.history_.held_out) == model.n_iter_


def test_learners_that_draw_rows_themselves_are_refused() -> None:
    learner = SVM(solver="sgd", solver_options={"held_out": 0.2})
    case = Case(np.arange(40) % 2, np.arange(40) // 4, np.arange(40), (True, False))
    with pytest.raises(ValueError, match="SVM draws the rows that it holds out itself"):
        TextClassifier(learner=learner).fit(case.features, case.labels, groups=case.groups)


def test_where_nothing_can_be_held_out_the_model_says_so() -> None:
    codes = np.repeat([0, 1], 20)
    case = Case(codes, codes, np.arange(40), (True, False))
    model = TextClassifier().fit(case.features, case.labels, groups=case.groups)
    assert "no example can be held out to compare recipes" in model.why_[0]
    assert (
        "groups or times are such that no example can be held out: probabilities are guesses"
        in model.why_[-1]
    )
    early = TextClassifier(learner="perceptron", early_stop=0.2).fit(
        case.features, case.labels, groups=case.groups
    )
    assert early.learner_.held_out == 0
