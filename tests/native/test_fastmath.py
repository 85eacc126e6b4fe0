"""The kernels' exp, log, softplus and sigmoid against NumPy in extended precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lindy import _native


def _apply(name: str, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    out = np.empty_like(x)
    getattr(_native, name)(x, out)
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("name", "reference", "low", "high"),
    [
        ("fast_exp", np.exp, -80.0, 80.0),
        ("fast_log", np.log, 1e-30, 1e30),
        ("fast_softplus", lambda x: np.logaddexp(0, x), -80.0, 80.0),
        ("fast_sigmoid", lambda x: 1 / (1 + np.exp(-x)), -80.0, 80.0),
    ],
)
def test_relative_error_is_a_few_units_in_the_last_place(
    dtype: Any, name: str, reference: Any, low: float, high: float
) -> None:
    random = np.random.default_rng(0)
    x = random.uniform(low, high, 20_000) if low < 0 else np.exp(random.uniform(-69, 69, 20_000))
    x = np.concatenate([x, random.uniform(0.5, 2, 5_000) if low > 0 else random.uniform(-1, 1, 5_000)])
    x = x.astype(dtype)
    exact = reference(x.astype(np.longdouble))
    error = np.abs(_apply(name, x) - exact) / np.maximum(np.abs(exact), np.finfo(dtype).tiny)
    assert error.max() < 4 * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extremes_stay_finite(dtype: Any) -> None:
    big = np.array([np.finfo(dtype).max, -np.finfo(dtype).max, 0.0, 1e4, -1e4], dtype)
    for name in ("fast_exp", "fast_softplus", "fast_sigmoid"):
        assert np.isfinite(_apply(name, big)).all()
    np.testing.assert_array_equal(_apply("fast_softplus", big)[[0, 3]], big[[0, 3]])
    assert _apply("fast_exp", np.zeros(1, dtype))[0] == 1
    assert _apply("fast_log", np.ones(1, dtype))[0] == 0
    assert np.isfinite(_apply("fast_log", np.zeros(1, dtype))).all()
