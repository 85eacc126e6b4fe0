"""Numbers at the ends of what float64 can hold, and data that leave nothing to learn: 200 kinds of them.

A fit of finite numbers gives finite weights, scores and probabilities that sum to 1, or an error that names the reason.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from tests.hostile.estimators import NAMED, Subject, subjects

from lindy.estimators.learners import learner_classes
from lindy.linear import LabelTree  # whose probabilities are those of each label by itself
from lindy.linear.losses import LOSSES
from lindy.linear.optimizers import SOLVERS

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(0.5, (40, 8)).astype(float)
TWO = (COUNTS[:, 0] > 0).astype(int)
THREE = np.where(COUNTS[:, 1] > 0, 2, TWO)
SIZES = (
    *(5e-324, 1e-310, 1e-300, 1e-200, 1e-154, 1e-100, 1e-38, 1e-12),
    *(1e12, 2.0**53 + 2, 1e20, 1e38, 1e100, 1e154, 1e200, 1e300, 1.7e308),
)
STRENGTHS = (5e-324, 1e-300, 1e-150, 1e-30, 1e-12, 1e12, 1e30, 1e150, 1e300, 1.7e308)


@dataclass(frozen=True)
class Oddity:
    """Rows, labels and weights that are odd, or how strongly the learner shall follow them."""

    name: str
    X: Any
    y: Any = field(default_factory=lambda: TWO)
    weight: Any = None
    strength: float | None = None

    def __str__(self) -> str:
        return self.name


def _placed(size: float) -> Iterator[Oddity]:
    """Yield the counts with a size in one place, in a column, in a row, in all places, and next to its inverse."""
    for sign, word in ((1.0, ""), (-1.0, "-")):
        cell = COUNTS.copy()
        cell[3, 2] = sign * size
        yield Oddity(f"a cell of {word}{size:g}", cell)
    column, row, both = COUNTS.copy(), COUNTS.copy(), COUNTS.copy()
    column[:, 1], row[5] = size, size
    both[:, 1], both[:, 2] = size * TWO, (1 / size if size > 1e-300 else 1e300) * TWO
    yield Oddity(f"a column of {size:g}", column, THREE)
    yield Oddity(f"a row of {size:g}", sp.csr_matrix(row))
    with np.errstate(over="ignore"):
        scaled = COUNTS * size
    yield Oddity(f"counts times {size:g}", np.where(np.isfinite(scaled), scaled, size), THREE)
    yield Oddity(f"columns of {size:g} and of its inverse", both)


def _shapes() -> Iterator[Oddity]:
    """Yield data that leave little or nothing to learn."""
    ones, zeros = np.ones_like(COUNTS), np.zeros_like(COUNTS)
    rare = np.where(np.arange(40) == 7, 1, 0)
    yield Oddity("zeros", zeros)
    yield Oddity("zeros of three classes", zeros, THREE)
    yield Oddity("stored zeros", sp.csr_matrix((np.zeros(8), (np.arange(8), np.arange(8))), shape=(40, 8)))
    yield Oddity("negative zeros", -zeros)
    yield Oddity("ones", ones)
    yield Oddity("ones of three classes", ones, THREE)
    yield Oddity("duplicate columns", np.hstack([COUNTS, COUNTS]))
    yield Oddity("columns that cancel", np.hstack([COUNTS, -COUNTS]))
    yield Oddity("nearly duplicate columns", np.hstack([COUNTS, COUNTS * (1 + 1e-15)]))
    yield Oddity("the label as a column", np.column_stack([TWO, COUNTS]))
    yield Oddity("the label as a column, times 1e100", np.column_stack([TWO * 1e100, COUNTS]))
    yield Oddity("one column", COUNTS[:, :1])
    yield Oddity("one column of zeros", zeros[:, :1])
    yield Oddity("more columns than rows", np.hstack([COUNTS] * 9))
    yield Oddity("rows of zeros", COUNTS * (np.arange(40) % 2)[:, None])
    yield Oddity("one row that is not zero", COUNTS * rare[:, None])
    yield Oddity("one row", COUNTS[:1], np.array([1]))
    yield Oddity("two rows", COUNTS[:2], np.array([0, 1]))
    yield Oddity("two equal rows with two labels", ones[:2], np.array([0, 1]))
    yield Oddity("two rows of zeros with two labels", zeros[:2], np.array([0, 1]))
    yield Oddity("equal rows with all labels", np.repeat(COUNTS[:8], 5, axis=0), np.arange(40) % 3)
    yield Oddity("one class", COUNTS, np.zeros(40, int))
    yield Oddity("a class of one row", COUNTS, rare)
    yield Oddity("a class of one row of zeros", COUNTS * (1 - rare)[:, None], rare)
    yield Oddity("every row a class", COUNTS, np.arange(40))
    yield Oddity("labels at random", COUNTS, np.arange(40) % 2)
    yield Oddity("labels of 2⁵³ and 2⁵³ + 1", COUNTS, np.where(TWO, 2**53, 2**53 + 1))
    yield Oddity("counts at 2⁵³ + 1", np.where(COUNTS > 0, 2**53 + 1, 0))
    yield Oddity("the least and the largest int64", np.where(COUNTS > 0, 2**63 - 1, -(2**63)))
    yield Oddity("the largest uint64", np.where(COUNTS > 0, np.uint64(2**64 - 1), np.uint64(0)))
    yield Oddity("columns far from zero", COUNTS + 1e9)
    yield Oddity("columns very far from zero", COUNTS + 1e15)
    yield Oddity("columns of growing size", COUNTS * 10.0 ** (np.arange(8) * 30 - 100))
    yield Oddity("rows of growing size", COUNTS * 10.0 ** (np.arange(40) * 5 - 100)[:, None], THREE)
    yield Oddity(
        "signs that alternate at 1e150", 1e150 * np.where(np.indices(COUNTS.shape).sum(0) % 2, 1, -1)
    )
    yield Oddity("noise at 1e-160", RNG.normal(size=COUNTS.shape) * 1e-160, THREE)
    for value in (1e-45, 1e-38, 1e18, 1e30, 3.4e38):
        yield Oddity(f"float32 counts times {value:g}", np.minimum(COUNTS * value, 3.4e38).astype(np.float32))
    for word, weight in {
        "of 1e-300": np.full(40, 1e-300),
        "of 5e-324": np.full(40, 5e-324),
        "of 1e300": np.full(40, 1e300),
        "of one class only": TWO.astype(float),
        "of one row only": rare.astype(float),
        "from 1e-100 to 1e100": 10.0 ** (np.arange(40) * 5 - 100),
        "of 1e12": np.full(40, 1e12),
    }.items():
        yield Oddity(f"weights {word}", COUNTS, weight=weight)


def _strengths() -> Iterator[Oddity]:
    for strength in STRENGTHS:
        yield Oddity(f"strength {strength:g}", COUNTS, strength=strength)
        yield Oddity(f"strength {strength:g}, three classes", COUNTS, THREE, strength=strength)
        yield Oddity(f"strength {strength:g}, counts times 1e12", COUNTS * 1e12, strength=strength)
        yield Oddity(f"strength {strength:g}, counts times 1e-12", COUNTS * 1e-12, THREE, strength=strength)
        yield Oddity(f"strength {strength:g}, labels at random", COUNTS, np.arange(40) % 2, strength=strength)


ODDITIES: list[Oddity] = [
    *(oddity for size in SIZES for oddity in _placed(size)),
    *_shapes(),
    *_strengths(),
]


def number_subjects() -> list[Subject]:
    """Return every estimator of rows, and the linear ones with every solver, loss and penalty that go together."""
    found = [subject for subject in subjects() if subject.takes_matrices and not subject.options]
    for kind in learner_classes().values():
        known = kind._parameter_names()
        if not {"solver", "penalty"} <= set(known):
            continue
        losses = [name for name in LOSSES if _takes(kind, name)] if "loss" in known else [None]
        for loss in losses:
            for penalty in ("l2", "l1", "elasticnet", None):
                for solver in SOLVERS.values():
                    if not solver.handles(loss or kind()._loss(), penalty or "none"):
                        continue
                    named = (("loss", loss),) if loss else ()
                    found.append(Subject(kind, (*named, ("penalty", penalty), ("solver", solver.name))))
    return found


def _takes(kind: type, loss: str) -> bool:
    try:
        kind(loss=loss).fit(COUNTS, TWO)
    except ValueError:
        return False
    return True


def with_strength(subject: Subject, strength: float | None) -> Any | None:
    """Return the unfitted estimator with a strength; None if it has none."""
    model = subject.make()
    if strength is None:
        return model
    names = list(model.spec.strengths) if hasattr(model, "spec") else []
    return model.set_params(**{names[0]: strength}) if names else None


def verdict(model: Any, oddity: Oddity, *, strict: bool = True) -> str:
    """Fit, and return ``finite``, ``refused``, or what is wrong about what came out.

    If ``strict``, so are warnings of NumPy's, which tell nobody what to do.
    """
    given = {} if oddity.weight is None else {"sample_weight": oddity.weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if strict:
            warnings.simplefilter("error", RuntimeWarning)
        try:
            model.fit(oddity.X, oddity.y, **given)
            return _judged(model, oddity.X)
        except NAMED as error:
            return "refused" if str(error).strip() else "refused without a word"
        except Exception as error:
            return f"{type(error).__name__}: {error}, at {_place(error)}"[:250]


def _place(error: BaseException) -> str:
    """Return the line of lindy that an error came from."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/lindy/" in frame.filename]
    return f"{frames[-1].filename.rpartition('/lindy/')[2]}:{frames[-1].lineno}" if frames else "?"


def _joint(model: Any) -> bool:
    """Whether its scores are log P(x, y), which is -inf where a class is impossible."""
    return "joint" in getattr(model, "capabilities", ())


def _judged(model: Any, X: Any) -> str:
    for name in ("coef_", "intercept_", "decision_function", "predict_proba", "transform"):
        found = getattr(model, name, None)
        if found is None:
            continue
        value = found(X) if callable(found) else found
        values = value.toarray() if sp.issparse(value) else np.asarray(value)
        if np.isnan(values).any() or (
            np.isinf(values).any() and not (name == "decision_function" and _joint(model))
        ):
            return f"{name} is not finite"
        if (
            name == "predict_proba"
            and not np.allclose(values.sum(axis=1), 1)
            and not isinstance(model, LabelTree)
        ):
            return "probabilities do not sum to 1"
    if hasattr(model, "predict") and not np.isin(model.predict(X), model.classes_).all():
        return "predicts what is no class"
    return "finite"
