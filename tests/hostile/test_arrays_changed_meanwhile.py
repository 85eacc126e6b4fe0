"""Another thread changes the arrays of a matrix while the compiled core reads them: wrong results, never a crash."""

from __future__ import annotations

import subprocess
import sys

import pytest

HAMMER = """
import sys, threading, warnings
import numpy as np, scipy.sparse as sp
import lindy
from lindy.text import TfidfTransformer

warnings.simplefilter("ignore")
X = sp.random(2000, 4000, density=0.01, format="csr", random_state=0, dtype=np.float64)
X.data += 0.1
y, weight = np.arange(2000) % 3, np.ones(2000)
C = X.tocsc()
kept = [(array, array.copy()) for M in (X, C) for array in (M.indices, M.indptr, M.data, y, weight)]
MAKE = {
    "svm": lambda: lindy.SVM(max_iter=3),
    "maxent": lambda: lindy.MaxEnt(max_iter=3),
    "naive Bayes": lindy.MultinomialNaiveBayes,
    "perceptron": lambda: lindy.Perceptron(epochs=1),
    "mira": lambda: lindy.Mira(epochs=1),
    "kernel": lambda: lindy.KernelSVM(kernel="rbf", max_iter=10),
}
make = MAKE[sys.argv[1]]
model, weighting = make().fit(X, y), TfidfTransformer().fit(X)
calls = [
    lambda: make().fit(X, y, sample_weight=weight),
    lambda: model.predict(X),
    lambda: weighting.transform(X),
    lambda: make().fit(C, y),
]
done = threading.Event()

def spoil():
    while not done.wait(0.001):  # in which a call can pass the checks
        for M in (X, C):
            M.indices[:] = 10**9
            M.indptr[1:-1] = 10**6
            M.indices[:] = -5
            M.data[::7] = np.nan
        y[::3], weight[::5] = 10**6, -1e300
        for array, before in kept:
            array[:] = before

thread = threading.Thread(target=spoil)
thread.start()
answered = 0
try:
    while answered < (6 if sys.argv[1] == "kernel" else 25):  # the others were refused
        for call in calls:
            try:
                call()
                answered += 1
            except (ValueError, RuntimeError):
                pass
finally:
    done.set()
    thread.join()
"""


@pytest.mark.parametrize("learner", ["svm", "maxent", "naive Bayes", "perceptron", "mira", "kernel"])
def test_no_call_crashes(learner: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HAMMER, learner], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-500:]
