"""Model files of every learner, forged part by part with a checksum that agrees.

Whatever stands in the header or in an array, loading raises ModelFileError, or gives a model that answers.
"""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lindy
from lindy.errors import LindyError, ModelFileError
from lindy.estimators.learners import learner_classes
from lindy.explain import inspect
from lindy.modelfile import read_model, write_model

TEXTS = ["a fine warm book", "dull and long", "wonderful wise book", "empty dull pages"] * 5
LABELS = ["good", "bad"] * 10
NEED_WORDS = ("lexicon", "word-lists")  # given with the learner
MODELS: dict[str, Any] = {name: {"learner": name} for name in learner_classes() if name not in NEED_WORDS} | {
    "the automatic recipe": {},
    "hashed": {"learner": "svm", "vectorizer": lindy.text.HashingVectorizer(n_features=64)},
    "a string kernel": {"learner": lindy.KernelSVM(kernel=lindy.kernels.Spectrum(2))},
    "a metric": {"learner": "maxent", "metric": "f1:good"},
}
DEEP: list[Any] = []
for _ in range(900):
    DEEP = [DEEP]
VALUES = [10**30, 10**400, 2**28, -1, 0, 1e308, "x", None, [], {}, True, DEEP, [1, 2, 3], {"a": 1}]
SLOW = 5.0  # seconds of the processor, which only something unbounded takes


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where values stand; of long lists the first three."""
    yield path
    if isinstance(tree, dict | list):
        for key, value in list(tree.items() if isinstance(tree, dict) else enumerate(tree))[:30]:
            if not (isinstance(tree, list) and key > 2):
                yield from places(value, (*path, key))


def changed(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return the tree with another value in one place."""
    tree = copy.deepcopy(tree)
    at = tree
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return tree


def arrays_like(array: Any) -> Iterator[Any]:
    yield array[:-1]
    yield array[:0]
    yield np.concatenate([array, array])
    yield array.reshape(-1)
    yield array.astype(np.int64 if array.dtype.kind == "f" else np.float64)
    yield np.full_like(array, 1e38 if array.dtype.kind == "f" else np.iinfo(array.dtype).max)


def forgeries(header: dict[str, Any], arrays: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any], Any]]:
    for path in places(header):
        if path and path[0] not in ("why", "recipe", "seen"):
            for value in VALUES:
                yield (*path, str(value)[:20]), changed(header, path, value), arrays
    for name, array in arrays.items():
        for number, other in enumerate(arrays_like(array)):
            yield (name, number), header, {**arrays, name: np.ascontiguousarray(other)}
        yield (name, "missing"), header, {key: value for key, value in arrays.items() if key != name}


def use(model: Any) -> None:
    """Ask a model everything that shows its parts; errors of lindy say that the file is damaged."""
    for ask in (
        lambda: model.predict(TEXTS[:2]),
        lambda: model.explain("a fine dull book"),
        lambda: inspect(model),
    ):
        try:
            ask()
        except LindyError:
            continue
    if model.has_probabilities:
        try:
            p = model.predict_proba(TEXTS[:2])
        except LindyError:
            return
        assert (p >= 0).all()
        np.testing.assert_allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize("name", MODELS)
def test_forged_parts_are_refused_or_harmless(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lindy.TextClassifier(**MODELS[name]).fit(TEXTS, LABELS).save(path)
    file = read_model(path)
    header, arrays = file.header, {key: np.array(array) for key, array in file.arrays.items()}
    refused = 0
    for what, forged_header, forged_arrays in forgeries(header, arrays):
        try:
            write_model(path, forged_header, forged_arrays)
        except ValueError:  # what the form of the file has no room for
            continue
        begin = time.process_time()
        try:
            model = lindy.load(path)
        except ModelFileError:
            refused += 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            use(model)
        assert time.process_time() - begin < SLOW, what
    assert refused > 100


def test_support_texts_that_are_no_texts_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(**MODELS["a string kernel"]).fit(TEXTS, LABELS).save(path)
    file = read_model(path)
    for symbol in (0.0, 0.5, -3.0, 0x110001):
        arrays = {key: np.array(array) for key, array in file.arrays.items()}
        arrays["learner.support.values"][7] = symbol
        write_model(tmp_path / "forged.lindy", file.header, arrays)
        with pytest.raises(ModelFileError, match="no characters"):
            lindy.load(tmp_path / "forged.lindy")


def test_a_learner_of_other_columns_is_refused(tmp_path: Path) -> None:
    """Also one whose file does not say how many there are."""
    path, other = tmp_path / "model.lindy", tmp_path / "other.lindy"
    for name in ("svm", "majority"):
        lindy.TextClassifier(learner=name).fit(TEXTS, LABELS).save(path)
        lindy.TextClassifier(learner=name).fit(["a few words"] * 2, ["bad", "good"]).save(other)
        file, less = read_model(path), read_model(other)
        own = {key: array for key, array in less.arrays.items() if key.startswith("learner.")}
        mixed = {key: own.get(key, array) for key, array in file.arrays.items()}
        write_model(path, file.header, mixed)
        with pytest.raises(ModelFileError, match=r"the learner has \d+ features, the vectorizer \d+"):
            lindy.load(path)
