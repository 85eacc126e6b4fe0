"""scikit-learn's own tests of its vectorizers, run on lindy's classes.

The installed scikit-learn's test module is imported a second time, while the names it imports stand for ours.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from types import ModuleType
from typing import Any

import pytest
import sklearn.feature_extraction.text as theirs

from lindy import text as ours
from lindy.text.analysis import analyzer

SUBSTITUTES: dict[str, Any] = {
    "CountVectorizer": ours.CountVectorizer,
    "HashingVectorizer": ours.HashingVectorizer,
    "TfidfTransformer": ours.TfidfTransformer,
    "TfidfVectorizer": ours.TfidfVectorizer,
    "strip_accents_ascii": analyzer.strip_accents_ascii,
    "strip_accents_unicode": analyzer.strip_accents_unicode,
}
EXCLUDED = {
    "test_countvectorizer_sort_features_64bit_sparse_indices": "calls the private method _sort_features",
    "test_vectorizers_do_not_have_set_output": "ours have, with sparse columns: a ColumnTransformer may ask for it",
}


def suite() -> ModuleType:
    """Return the test module, made anew with our names in it."""
    spec = importlib.util.find_spec("sklearn.feature_extraction.tests.test_text")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for name, substitute in SUBSTITUTES.items():
            patch.setattr(theirs, name, substitute)
        spec.loader.exec_module(module)
    sys.modules[spec.name] = module  # where pickle looks for the suite's functions
    return module


def with_listed_arguments(test: Any) -> Any:
    """Return the test with parameters as lists: pytest no longer takes iterators, of which the suite has some."""
    test.pytestmark = [
        pytest.mark.parametrize(mark.args[0], list(mark.args[1]), **mark.kwargs).mark
        if mark.name == "parametrize"
        else mark
        for mark in getattr(test, "pytestmark", [])
    ]
    return test


pytestmark = pytest.mark.filterwarnings("ignore")  # the suite asks for those it expects
SUITE = suite()
TESTS = {name: test for name, test in vars(SUITE).items() if name.startswith("test_") and callable(test)}
globals().update({name: with_listed_arguments(TESTS[name]) for name in TESTS if name not in EXCLUDED})


def test_the_suite_is_there_and_tests_our_classes() -> None:
    assert len(TESTS) > 60
    assert set(EXCLUDED) <= set(TESTS)
    assert all(vars(SUITE)[name] is substitute for name, substitute in SUBSTITUTES.items())
    assert all(inspect.isfunction(test) for test in TESTS.values())
