"""Problems for the tests of the primal optimisers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import strategies as st

from lindy.core.csr import as_csr
from lindy.core.targets import OneLabel
from lindy.linear.losses import LOSSES as ALL_LOSSES
from lindy.linear.problem import Problem

LOSSES = tuple(name for name, loss in ALL_LOSSES.items() if loss.smooth)
BIASES: tuple[dict[str, Any], ...] = ({}, {"penalize_bias": True}, {"bias": False})


def textbook_loss(problem: Problem) -> str:
    """Return the textbook's name of the problem's loss."""
    if problem.joint:
        return "softmax"
    return "logistic" if problem.loss in ("log", "log_ovr") else problem.loss


def random_problem(
    loss: str = "log",
    n_classes: int = 3,
    *,
    seed: int = 0,
    rows: int = 120,
    columns: int = 30,
    density: float = 0.15,
    weighted: bool = False,
    dtype: Any = np.float64,
    **fields: Any,
) -> Problem:
    """Sparse rows whose labels depend on them; every class occurs, some rows are empty."""
    rng = np.random.default_rng(seed)
    X: Any = scipy.sparse.random(rows, columns, density, format="csr", rng=rng, dtype=dtype)
    X.data = rng.normal(size=X.nnz).astype(dtype)
    hidden = rng.normal(size=(columns, n_classes))
    y = (X @ hidden + 0.5 * rng.normal(size=(rows, n_classes))).argmax(axis=1).astype(np.int32)
    y[:n_classes] = np.arange(n_classes)
    weight = rng.random(rows) + 0.1 if weighted else None
    fields.setdefault("l2", 0.01)
    return Problem(as_csr(X), OneLabel(np.arange(n_classes), y), loss, weight=weight, **fields)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Small problems of every kind: empty rows and columns, classes without rows, weights of zero."""
    rows, columns = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    K = draw(st.integers(2, 4))
    cells = draw(
        st.lists(st.sampled_from([0, 0, 0, 1, -2, 0.5]), min_size=rows * columns, max_size=rows * columns)
    )
    y = draw(st.lists(st.integers(0, K - 1), min_size=rows, max_size=rows))
    weight = draw(st.none() | st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=rows, max_size=rows))
    if weight is not None and not any(weight):
        weight[0] = 1.0
    X = np.array(cells, draw(st.sampled_from([np.float32, np.float64]))).reshape(rows, columns)
    return Problem(
        as_csr(X),
        OneLabel(np.arange(K), np.array(y, np.int32)),
        draw(st.sampled_from(LOSSES)),
        l2=draw(st.sampled_from([0.01, 1.0])),
        weight=None if weight is None else np.array(weight),
        **draw(st.sampled_from(BIASES)),
    )
