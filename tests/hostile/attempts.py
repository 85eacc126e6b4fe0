"""One call of one method with one oddity, and what is wrong about its outcome."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.hostile.estimators import NAMED, Subject, arguments
from tests.hostile.malformed import DENSE
from tests.hostile.odd_arrays import Kind

from lindy.core.csr import Csr

WIDE = 1 << 16  # columns of a matrix that is compared by its values only
FITS = ("fit", "partial_fit", "fit_transform", "fit_csr", "fit_examples", "path")
"""Methods that begin with an unfitted estimator; to them a matrix of another width is as good as any."""


@dataclass(frozen=True)
class Attempt:
    """A method of an estimator, and the argument of it that is odd."""

    subject: Subject
    method: str
    others: tuple[str, ...]
    argument: str

    def __str__(self) -> str:
        return f"{self.subject}.{self.method}, {self.argument}"

    def wrong(self, kind: Kind) -> str | None:
        """Return what is wrong about the outcome of this kind; None if nothing is."""
        says, found = self._outcome(kind.make)
        if says == "broken":
            return str(found)
        if says == "refused" and not found.strip():
            return "refused without a word"
        if not self.subject.takes_matrices or self._by_definition(kind):
            return None  # a named error, or an answer
        return self._refused_wrongly(says) if kind.clean is None else self._taken_wrongly(kind, says, found)

    def _refused_wrongly(self, says: str) -> str | None:
        return None if says == "refused" else "taken, and should be refused"

    def _taken_wrongly(self, kind: Kind, says: str, found: Any) -> str | None:
        clean_says, clean = self._clean(kind.clean)
        if says != clean_says:
            return f"{says}, though the clean form is {clean_says}: {found}"[:300]
        same = says == "refused" or _same(found, clean)
        return None if same else "another result than that of the clean form"

    def _by_definition(self, kind: Kind) -> bool:
        """Whether a kind means something else to this estimator.

        Document frequencies count the rows that store a column, be it a zero, as scikit-learn's do; who reads texts
        takes words.
        """
        if kind.name == "list of words":
            return self.subject.takes_texts
        return kind.stored and hasattr(self.subject.fitted(), "document_frequency_")

    def _clean(self, form: Any) -> tuple[str, Any]:
        key = self, np.asarray(form).dtype.str, np.asarray(form).tobytes()
        if key not in _OUTCOMES:
            _OUTCOMES[key] = self._outcome(lambda: form)
        return _OUTCOMES[key]

    def _outcome(self, odd: Callable[[], Any]) -> tuple[str, Any]:
        """Return ``taken`` and the numbers, ``refused`` and the message, or ``broken`` and what was raised."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                return "taken", list(_numbers(self._call(odd())))
            except (*NAMED, NotImplementedError) as error:  # the latter by a method that only its parent has
                return "refused", str(error)
            except Exception as error:
                return "broken", f"{type(error).__name__}: {error}"[:300]

    def _call(self, odd: Any) -> Any:
        unfitted = self.method in FITS
        model = self.subject.make() if unfitted else self.subject.fitted()
        if self.method == "path" or not hasattr(model, self.method):
            model = self.subject.fitted()
        call = getattr(model, self.method)
        given: dict[str, Any] = {}
        X, y = self.subject.sample
        if "y" in self.others and y is not None:
            given["y"] = y
        if self.argument in ("X", "width"):
            return call(odd, **arguments(given, list(self.others), call))
        return call(X, **arguments(given | {self.argument: odd}, list(self.others), call))


_OUTCOMES: dict[Any, tuple[str, Any]] = {}  # of clean forms, each asked for by many kinds


def _numbers(value: Any) -> Iterator[Any]:
    """Yield the arrays in a result; a fitted estimator's are what it says of the clean matrix."""
    if hasattr(value, "fit"):
        for name in ("predict", "decision_function", "predict_proba", "transform"):
            method = getattr(value, name, None)
            if callable(method) and getattr(value, "n_features_in_", 4) == 4:
                yield from _numbers(method(DENSE))
    elif isinstance(value, Csr):
        yield value.to_dense() if value.n_columns < WIDE else value.values
    elif hasattr(value, "toarray"):
        yield value.toarray() if value.shape[1] < WIDE else value.data
    elif isinstance(value, list | tuple | Iterator):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, np.ndarray | np.generic | float | int | str | bool):
        yield np.asarray(value)


def _same(found: list[Any], clean: list[Any]) -> bool:
    return len(found) == len(clean) and all(
        a.shape == b.shape
        and (
            np.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=False)
            if a.dtype.kind in "fiub" and b.dtype.kind in "fiub"
            else (a == b).all()
        )
        for a, b in zip(found, clean, strict=True)
    )


def attempts(subject: Subject) -> Iterator[Attempt]:
    """Yield what can be tried on an estimator: every method with every argument that there are kinds for."""
    for method, others in subject.methods():
        yield Attempt(subject, method, tuple(others), "X")
        if subject.takes_matrices and method not in FITS:
            yield Attempt(subject, method, tuple(others), "width")
        for argument in ("y", "sample_weight"):
            if subject.takes_matrices and argument in others and not _ignores(subject, method, argument):
                yield Attempt(subject, method, tuple(others), argument)


def _ignores(subject: Subject, method: str, argument: str) -> bool:
    """Whether a method takes the argument only because scikit-learn's protocol has it."""
    return argument == "y" and Attempt(subject, method, ("y",), "y")._outcome(lambda: None)[0] == "taken"
