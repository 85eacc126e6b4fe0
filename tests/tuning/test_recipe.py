"""The line that says what a model is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lindy import (
    SVM,
    KernelPerceptron,
    KernelSVM,
    MaxEnt,
    Mira,
    MultinomialNaiveBayes,
    Perceptron,
    TextClassifier,
)
from lindy.tuning.recipe import learner_in_words

CASES = [
    (MaxEnt(lam=1.0), "MaxEnt (lam=1)"),
    (MaxEnt(C=2.0), "MaxEnt (C=2)"),
    (MaxEnt(penalty=None), "MaxEnt (penalty=None)"),
    (SVM(l1_ratio=0.3), "SVM (C=1)"),
    (SVM(penalty="elasticnet", l1_ratio=0.3), "SVM (C=1, l1_ratio=0.3, penalty=elasticnet)"),
    (Mira(lam=2.0), "MIRA (lam=2)"),
    (Mira(variant="PA", C=3.0), "MIRA (variant=PA)"),
    (Mira(k=2), "MIRA (C=1)"),
    (Mira(constraints="k-best", k=2), "MIRA (C=1, constraints=k-best, k=2)"),
    (MultinomialNaiveBayes(interpolation=0.5), "naive Bayes (interpolation=0.5)"),
    (Perceptron(patience=7), "perceptron"),
    (KernelSVM(kernel="rbf", degree=5), "kernel SVM (C=1)"),
    (KernelPerceptron(kernel="linear", gamma=2.0), "kernel perceptron (kernel=linear)"),
]
OTHER: dict[str, Any] = {
    "C": 0.01,
    "lam": 0.3,
    "l1_ratio": 0.9,
    "alpha": 7.0,
    "patience": 1,
    "k": 3,
    "gamma": 0.1,
    "degree": 3,
    "coef0": 4.0,
    "length": 2,
    "decay": 0.9,
}


@pytest.mark.parametrize(("learner", "line"), CASES, ids=[line for _, line in CASES])
def test_only_options_with_an_effect_are_shown(learner: Any, line: str) -> None:
    assert learner_in_words(learner) == line


@pytest.mark.parametrize("learner", [learner for learner, _ in CASES], ids=[line for _, line in CASES])
def test_idle_options_change_nothing(learner: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.poisson(1.0, (40, 5)).astype(float), rng.integers(0, 2, 40)
    expected = learner.fit(X, y).predict(X)
    score = "decision_function" if hasattr(learner, "decision_function") else "joint_log_proba"
    values = getattr(learner, score)(X)
    for name in learner.idle_options:
        again = type(learner)(**learner.get_params(deep=False) | {name: OTHER[name]}).fit(X, y)
        assert (getattr(again, score)(X) == values).all(), name
        assert (again.predict(X) == expected).all()


def test_a_model_says_one_price() -> None:
    texts, labels = ["good book", "bad book", "good film", "bad film"], ["+", "-", "+", "-"]
    model = TextClassifier(learner=MaxEnt(lam=1.0)).fit(texts, labels)
    assert model.recipe_.endswith("; MaxEnt (lam=1)")
