"""Kernels of texts against the enumeration of all their features."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lindy import KernelPerceptron, KernelSVM
from lindy.kernels import Mismatch, Spectrum, Subsequence, check_kernel
from lindy.text.analysis.whole_texts import as_sequences, text_of
from lindy.textbook import string_kernels as textbook

TEXTS = st.lists(st.text("abc", max_size=8), min_size=1, max_size=4)


@settings(max_examples=20)
@given(X=TEXTS, Z=TEXTS, k=st.integers(1, 4))
def test_spectrum(X, Z, k):
    features = [[textbook.spectrum_features(s, k) for s in side] for side in (X, Z)]
    expected = [[textbook.dot(a, b) for b in features[1]] for a in features[0]]
    np.testing.assert_array_equal(Spectrum(k)(X, Z), expected)


@settings(max_examples=20)
@given(X=TEXTS, Z=TEXTS, n=st.integers(1, 4), lam=st.sampled_from([0.3, 0.5, 1.0]))
def test_subsequence(X, Z, n, lam):
    features = [[textbook.subsequence_features(s, n, lam) for s in side] for side in (X, Z)]
    expected = [[textbook.dot(a, b) for b in features[1]] for a in features[0]]
    np.testing.assert_allclose(Subsequence(n, lam)(X, Z), expected, rtol=1e-12, atol=1e-15)
    recursion = [[textbook.subsequence_kernel(s, t, n, lam) for t in Z] for s in X]
    np.testing.assert_allclose(recursion, expected, rtol=1e-12, atol=1e-15)


@settings(max_examples=20)
@given(X=TEXTS, Z=TEXTS, k=st.integers(1, 3), m=st.integers(0, 3), spare=st.integers(0, 1))
def test_mismatch(X, Z, k, m, spare):
    m = min(m, k)
    alphabet = "abcd"[: 3 + spare]
    features = [[textbook.mismatch_features(s, k, m, alphabet) for s in side] for side in (X, Z)]
    expected = [[textbook.dot(a, b) for b in features[1]] for a in features[0]]
    np.testing.assert_array_equal(Mismatch(k, m, len(alphabet))(X, Z), expected)


def test_lodhis_example():
    # "cat" and "car" share c-a with λ² each; normalised by 2λ⁴ + λ⁶
    lam = 0.7
    K = Subsequence(2, lam).normalized()(["cat", "car"])
    assert K[0, 1] == pytest.approx(lam**4 / (2 * lam**4 + lam**6))


@pytest.mark.parametrize(
    "kernel", [Spectrum(2), Subsequence(3, 0.6), Mismatch(3, 1), Subsequence() + Spectrum()]
)
@settings(max_examples=5)
@given(X=st.lists(st.text(max_size=20), min_size=2, max_size=20))
def test_matrices_of_any_text_are_those_of_a_kernel(kernel, X):
    assert check_kernel(kernel, X, tol=1e-9).is_kernel
    K = kernel.normalized()(X)
    assert (np.abs(np.diag(K) - 1) < 1e-12)[np.diag(kernel(X)) > 0].all()


def test_threads_and_blocks_give_the_same_bits():
    X = [f"text number {i * i} {'ab' * (i % 7)}" for i in range(60)]
    whole = Subsequence(4)(X, n_jobs=1)
    np.testing.assert_array_equal(whole, Subsequence(4)(X, n_jobs=3))
    alone = np.vstack([Subsequence(4)([x], X) for x in X])
    np.testing.assert_allclose(whole, alone, rtol=1e-13)


@settings(max_examples=30)
@given(texts=st.lists(st.text(max_size=8), max_size=5))
def test_texts_survive_as_rows(texts):
    rows = as_sequences(texts)
    assert [text_of(rows, i) for i in range(len(texts))] == texts


@pytest.mark.parametrize("kernel", ["spectrum", "subsequence", "mismatch"])
@pytest.mark.parametrize("learner", [KernelSVM, KernelPerceptron])
def test_learners_take_texts(kernel, learner):
    good = ["a joy to read", "joyful and moving", "enjoyed every page", "what a joyride"]
    bad = ["dull and long", "so dull", "dullest book", "the dullness of it"]
    model = learner(kernel=kernel).fit(good + bad, ["good"] * 4 + ["bad"] * 4)
    assert model.predict(["joyous", "dulled"]).tolist() == ["good", "bad"]
    assert set(model.support_vectors_) <= set(good + bad)
    again = learner.from_state(*model.to_state(), model.classes_)
    np.testing.assert_array_equal(again.decision_function(bad), model.decision_function(bad))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Spectrum()("one text"), ValueError, "string object received"),
        (lambda: Spectrum()(["a", 3]), TypeError, "text 1 is a int"),
        (lambda: Subsequence(decay=1.5), ValueError, "decay must be at most 1"),
        (lambda: Mismatch(3, 4), ValueError, "mismatches must be a whole number from 0 to 3"),
    ],
)
def test_mistakes_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_stored_support_that_is_no_text_is_refused():
    model = KernelSVM(kernel="spectrum").fit(["aaab", "abab", "bbba", "bbbb"], [0, 0, 1, 1])
    params, arrays = model.to_state()
    for symbol in (0.5, -3.0, 1e9):
        damaged = arrays["support.values"].copy()
        damaged[0] = symbol
        with pytest.raises(ValueError, match="are no characters"):
            KernelSVM.from_state(
                params | {"kernel": "subsequence"}, arrays | {"support.values": damaged}, [0, 1]
            )
