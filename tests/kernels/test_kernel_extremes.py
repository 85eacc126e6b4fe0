"""Every fit ends: with finite scores, or with an error that says what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from lindy import KernelPerceptron, KernelSVM

rng = np.random.default_rng(0)
DATA = {
    "tiny": rng.normal(size=(40, 3)) * 1e-300,
    "denormal": np.full((40, 3), 5e-324) * rng.integers(0, 3, (40, 3)),
    "large": rng.normal(size=(40, 3)) * 1e100,
    "too large": rng.normal(size=(40, 3)) * 1e200,
    "zeros": np.zeros((40, 3)),
    "constant": np.ones((40, 3)),
    "two rows": np.array([[0.0], [1.0]]),
    "of all sizes": np.c_[rng.normal(size=40) * 1e8, rng.normal(size=40) * 1e-8],
}
LEARNERS = [
    KernelSVM(max_iter=500),
    KernelSVM(kernel="poly", C=1e6, max_iter=500),
    KernelSVM(loss="multiclass_hinge", max_iter=500),
    KernelSVM(kernel="cosine", multiclass="one-vs-one", max_iter=500),
    KernelPerceptron(),
]


@pytest.mark.filterwarnings("ignore:KernelSVM stopped")
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("name", DATA)
def test_finite_or_named(name, learner):
    X = DATA[name]
    y = np.arange(len(X)) % min(3, len(X))
    longest = 1e150 if isinstance(learner, KernelSVM) else 1e75  # γ = 1 and a square: the fourth power
    if np.abs(X).max() > longest:
        with pytest.raises(ValueError, match="scale the features"):
            learner.fit(X, y)
        return
    learner.fit(X, y)
    assert np.isfinite(learner.decision_function(X)).all()


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_one_class_is_refused(learner):
    with pytest.raises(ValueError, match="class"):
        learner.fit([[0.0], [1.0]], [1, 1])
