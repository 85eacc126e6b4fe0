"""Linear classifiers: the functions that scikit-learn's ``fit`` calls once X and y are checked.

Both minimise what scikit-learn minimises, to a proven relative gap: tol^1.5 for LIBLINEAR's problems, tol² for the
logistic loss of all classes, whose solvers come closer. The distance of the weights from the optimum goes with the
root of the gap; it is then within ``tol`` times their norm (tests compare with a tight fit). A solver that does not
prove that gap within ``max_iter`` rounds leaves the fit to scikit-learn, with its warnings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.accel.small_work import PRODUCTS, needs_loading
from lindy.accel.table import UnsupportedError

if TYPE_CHECKING:
    from lindy.linear.problem import Solution

_LEAST_GAP = 1e-12  # relative: below it, float64 proves little
_PASSES = 20  # over the rows that a fit takes at the least


def fit_liblinear(
    X: Any,
    y: Any,
    C: float,
    fit_intercept: bool,
    intercept_scaling: float,
    class_weight: Any,
    penalty: str,
    dual: bool,
    verbose: int,
    max_iter: int,
    tol: float,
    random_state: Any = None,
    multi_class: str = "ovr",
    loss: str = "logistic_regression",
    epsilon: float = 0.1,  # noqa: ARG001 - of regression
    sample_weight: Any = None,
) -> tuple[NDArray[Any], Any, NDArray[Any]]:
    """Minimise ½‖w‖² (or ‖w‖₁) + C·Σ loss for each class against the rest; the bias is one of the weights."""
    losses = {"squared_hinge": "squared_hinge", "hinge": "hinge", "logistic_regression": "log_ovr"}
    if loss not in losses or multi_class != "ovr":
        raise UnsupportedError(f"multi_class={multi_class!r}, loss={loss!r}")
    if fit_intercept and intercept_scaling != 1:
        raise UnsupportedError("intercept_scaling is not 1")
    _check_usual(X, verbose)
    from sklearn.svm._base import _get_liblinear_solver_type
    from sklearn.utils import check_random_state, compute_class_weight
    from sklearn.utils.validation import _check_sample_weight

    _get_liblinear_solver_type(multi_class, penalty, loss, dual)  # refuses what LIBLINEAR has not
    classes, codes = np.unique(y, return_inverse=True)
    weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
    prices = compute_class_weight(class_weight, classes=classes, y=y, sample_weight=sample_weight)
    _check_weights(weight, prices, codes, len(classes))
    n_outputs = 1 if len(classes) == 2 else len(classes)
    needs_loading("lindy.linear.problem", X.nnz * n_outputs * _PASSES / PRODUCTS)
    fits = [
        minimise(X, labels, losses[loss], C, own, penalty, fit_intercept, True, max_iter, tol**1.5)
        for labels, own in _problems(codes, prices, weight, len(classes))
    ]
    check_random_state(random_state).randint(
        np.iinfo("i").max
    )  # LIBLINEAR's seed: a generator moves on by it
    n_iter = np.repeat([fit.n_iter for fit in fits], n_outputs // len(fits)).astype(np.int32)
    coef = fits[0].W.T if len(fits) == 1 else np.hstack([fit.W for fit in fits]).T
    bias = np.concatenate([fit.b for fit in fits])
    return coef.astype(np.float64, copy=False), bias.astype(np.float64) if fit_intercept else 0.0, n_iter


def _problems(
    codes: NDArray[Any], prices: NDArray[Any], weight: NDArray[Any] | None, n_classes: int
) -> list[tuple[Any, Any]]:
    """Return the labels and weights of each problem: LIBLINEAR weighs a class only where it is not among the rest."""
    from lindy.core.targets import OneLabel

    codes = codes.astype(np.int32)
    if n_classes == 2 or np.all(prices == 1):
        return [(OneLabel(np.arange(n_classes), codes), _product(weight, prices, codes))]
    both = [(codes == k).astype(np.int32) for k in range(n_classes)]
    return [
        (OneLabel(np.arange(2), own), _product(weight, np.array([1.0, prices[k]]), own))
        for k, own in enumerate(both)
    ]


def _product(weight: NDArray[Any] | None, prices: NDArray[Any], codes: NDArray[Any]) -> NDArray[Any] | None:
    if np.all(prices == 1):
        return weight
    own: NDArray[Any] = prices[codes].astype(np.float64)
    return own if weight is None else own * weight


def logistic_path(
    X: Any,
    y: Any,
    *,
    classes: Any,
    Cs: Any = 10,
    fit_intercept: bool = True,
    max_iter: int = 100,
    tol: float = 1e-4,
    verbose: int = 0,
    solver: str = "lbfgs",
    coef: Any = None,
    class_weight: Any = None,
    dual: bool = False,  # noqa: ARG001 - LIBLINEAR's
    penalty: str = "l2",
    intercept_scaling: float = 1.0,  # noqa: ARG001 - LIBLINEAR's
    random_state: Any = None,  # noqa: ARG001 - the optimum does not depend on it
    check_input: bool = True,
    max_squared_sum: Any = None,  # noqa: ARG001 - a step size
    sample_weight: Any = None,
    l1_ratio: float | None = None,
    n_threads: int = 1,  # noqa: ARG001 - results do not depend on it
    callback_ctx: Any = None,  # noqa: ARG001 - told of the fit as a whole
    estimator: Any = None,
) -> tuple[NDArray[Any], Any, NDArray[Any]]:
    """Minimise the logistic loss for each of some C; the optimum does not depend on where a fit begins."""
    if solver == "liblinear":
        raise UnsupportedError("solver='liblinear' is accelerated within")
    if hasattr(estimator, "_skl_callbacks"):
        raise UnsupportedError("callbacks follow each iteration")
    from sklearn.utils import check_array, compute_class_weight
    from sklearn.utils.validation import _check_sample_weight

    if check_input:
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        y = check_array(y, ensure_2d=False, dtype=None)
    _check_usual(X, verbose)
    n_outputs, n_columns = 1 if len(classes) == 2 else len(classes), X.shape[1] + bool(fit_intercept)
    if coef is not None and coef.shape not in ((n_outputs, n_columns), (n_outputs * n_columns,)):
        raise UnsupportedError(f"coef to begin with has the shape {coef.shape}")
    from lindy.core.targets import OneLabel

    codes = np.searchsorted(classes, y).astype(np.int32)
    weight = None
    if sample_weight is not None or class_weight is not None:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, copy=True)
    if class_weight is not None:
        prices = compute_class_weight(class_weight, classes=classes, y=y, sample_weight=weight)
        weight *= prices[codes]
    _check_weights(weight, np.ones(1), codes, len(classes))
    Cs = Cs if hasattr(Cs, "__len__") else np.logspace(-4, 4, Cs)
    needs_loading("lindy.linear.problem", X.nnz * n_outputs * _PASSES * len(Cs) / PRODUCTS)
    labels = OneLabel(np.arange(len(classes)), codes)
    coefs, n_iter, previous = [], np.zeros(len(Cs), np.int32), None
    for i, C in enumerate(Cs):
        previous = minimise(
            X, labels, "log", C, weight, penalty, fit_intercept, False, max_iter, tol**2, l1_ratio, previous
        )
        n_iter[i] = previous.n_iter
        both = np.vstack([previous.W, previous.b[None, :]]) if fit_intercept else previous.W
        coefs.append(both[:, 0] if n_outputs == 1 else both.T)
    return np.array(coefs, np.float64), np.asarray(Cs), n_iter


def _check_usual(X: Any, verbose: int) -> None:
    if not hasattr(X, "indptr"):
        raise UnsupportedError("X is dense")
    if X.format != "csr" or X.dtype != np.float64:
        raise UnsupportedError(f"X is {X.format} of {X.dtype}, not csr of float64")
    if verbose:
        raise UnsupportedError("verbose: scikit-learn's solver reports its own iterations")


def _check_weights(
    weight: NDArray[Any] | None, prices: NDArray[Any], codes: NDArray[Any], n_classes: int
) -> None:
    if n_classes < 2:
        raise UnsupportedError("there is only one class")
    if np.any(prices <= 0) or (weight is not None and np.any(weight < 0)):
        raise UnsupportedError("weights that are not positive")
    if weight is not None and np.any(np.bincount(codes, weight, n_classes) == 0):
        raise UnsupportedError("a class without weight")


def minimise(
    X: Any,
    labels: Any,
    loss: str,
    C: float,
    weight: NDArray[Any] | None,
    penalty: str | None,
    fit_intercept: bool,
    penalize_intercept: bool,
    max_iter: int,
    gap: float,
    l1_ratio: float | None = None,
    start: Solution | None = None,
) -> Solution:
    """Return the proven minimum of penalty + C·Σ weight·loss."""
    from lindy.core.csr import as_csr
    from lindy.linear import optimizers
    from lindy.linear.problem import Options, Problem

    share = {"l2": 0.0, "l1": 1.0, "elasticnet": l1_ratio or 0.0}.get(penalty or "l2", 0.0)
    total = X.shape[0] if weight is None else float(weight.sum())
    strength = 0.0 if np.isinf(C) else 1 / (float(C) * total)
    if strength == 0 or max_iter < 1 or gap < _LEAST_GAP:
        raise UnsupportedError(
            "no penalty" if strength == 0 else f"max_iter={max_iter}, relative gap {gap:.0e}"
        )
    problem = Problem(
        as_csr(X),
        labels,
        loss,
        l2=strength * (1 - share),
        l1=strength * share,
        weight=weight,
        bias=bool(fit_intercept),
        penalize_bias=penalize_intercept,
    )
    options = Options(tol=gap, max_iter=int(max_iter), start=start)
    solution = optimizers.minimise(problem, options)
    proof = solution.certificate
    if proof is None or not proof.reached or not np.isfinite(solution.b).all():
        raise UnsupportedError(f"no relative gap of {gap:.0e} within max_iter={max_iter}")
    return solution
