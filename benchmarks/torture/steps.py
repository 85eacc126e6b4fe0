"""Default fits of the stochastic solvers on any data: where they end between all weights 0 and the optimum.

Run with ``python -m benchmarks.torture steps [-- SEEDS]``. Every kind of table, share of sense in the labels and λ is
fitted by lindy's ``solver="sgd"`` and ``"subgradient"`` and by scikit-learn's ``SGDClassifier``, with their default
steps and ten thousand visits. 0 % is the optimum, 100 % the objective of all weights 0; lindy promises never to end
above that.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier
from tests.hostile.tables import KINDS, labels_of, rows_of

from lindy import SVM, MaxEnt

ROWS, LAMBDAS, SENSE = 500, (1e-6, 1e-4, 1e-2, 1.0, 10.0), (0.0, 0.5, 1.0)
LEARNERS: dict[str, tuple[Any, str | None]] = {
    "hinge": (SVM(loss="hinge", solver="sgd"), "hinge"),
    "squared hinge": (SVM(solver="sgd"), "squared_hinge"),
    "multiclass hinge": (SVM(loss="multiclass_hinge", solver="subgradient"), None),
    "log, one-vs-rest": (MaxEnt(multiclass="one-vs-rest", solver="sgd"), "log_loss"),
    "log, multinomial": (MaxEnt(solver="sgd"), None),
}
ABOVE = 1e-6  # relative: what rounding may add to the objective of all weights 0


def problems(kind: str, seeds: int) -> Iterator[tuple[Any, Any, float]]:
    """Yield rows, labels and λ."""
    for seed in range(seeds):
        for K in (2, 4):
            for sense in SENSE:
                rng = np.random.default_rng([seed, K, int(10 * sense)])
                X = rows_of(kind, rng, ROWS)
                y = labels_of(X, K, sense, rng)
                for lam in LAMBDAS:
                    yield X, y, lam


def objectives(
    learner: Any, loss: str | None, X: Any, y: Any, lam: float
) -> tuple[float, float, float, float]:
    """Return the objective of ours, of scikit-learn's, of all weights 0 and of the optimum."""
    model = learner.set_params(lam=lam).fit(X, y)
    ours, theirs = model.objective(X, y), np.nan
    best = type(model)(**model.get_params()).set_params(solver="auto", tol=1e-2, max_iter=2000).fit(X, y)
    if loss is not None:
        rival = SGDClassifier(loss=loss, alpha=lam, max_iter=10_000 // ROWS, tol=None, random_state=0).fit(
            X, y
        )
        model.W_, model.b_ = np.ascontiguousarray(rival.coef_.T), rival.intercept_.copy()
        theirs = model.objective(X, y)
    model.W_, model.b_ = np.zeros_like(best.W_), np.zeros_like(best.b_)
    zero = model.objective(X, y)
    return ours, theirs, zero, min(best.objective(X, y), ours, zero)


def main(seeds: int) -> None:
    """Print how far from the optimum both end, and fail if lindy ever ends above all weights 0."""
    print(f"{seeds} seeds, {ROWS} rows, λ from {LAMBDAS[0]:g} to {LAMBDAS[-1]:g}, 2 and 4 classes.\n")
    print("| rows | loss | fits | lindy above 0 | median | worst | scikit-learn above 0 | median |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    broken = 0
    for kind in KINDS:
        for name, (learner, loss) in LEARNERS.items():
            found = np.array([objectives(learner, loss, *problem) for problem in problems(kind, seeds)])
            ours, theirs, zero, best = found.T
            way = np.maximum(zero - best, 1e-9 * zero)
            above, rivals = ours > zero * (1 + ABOVE), theirs > zero * (1 + ABOVE)
            broken += int(above.sum())
            share, other = (ours - best) / way, (theirs - best) / way
            known = ["not measured", ""] if loss is None else [f"{rivals.sum()}", f"{np.median(other):.1%}"]
            cells = [
                kind,
                name,
                len(found),
                above.sum(),
                f"{np.median(share):.1%}",
                f"{share.max():.1%}",
                *known,
            ]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    if broken:
        sys.exit(f"{broken} default fits of lindy ended above the objective of all weights 0")


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # that labels without sense cannot be learned, and that optima are rough
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
