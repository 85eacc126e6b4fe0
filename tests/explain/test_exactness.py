"""Explanations add up: for every learner and every representation."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.explain.representations import REPRESENTATIONS, SIGNED, TEXTS, combinations, model

WORDS = [
    *" ".join(TEXTS).split(),
    "zzyzx",
    "İİ",
    "ﬁ",
    "é",
    "e\u0301",
    "ΣΑΣ",
    "İstanbul",
    "a",
    "\ud800",
    "x\x00y",
]
GAPS = [" ", "  ", "\n", ", ", " \t ", "\u2003"]
texts = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), max_size=12).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)


def magnitude(*parts: np.ndarray) -> float:
    finite = [np.abs(part[np.isfinite(part)]).sum() for part in parts]
    return 1.0 + float(sum(finite))


@pytest.mark.parametrize("several", [False, True], ids=["two classes", "three classes"])
@pytest.mark.parametrize(("learner", "representation"), combinations())
def test_the_running_total_ends_in_the_score(learner: str, representation: str, several: bool) -> None:
    fitted = model(learner, representation, several)
    for text in [TEXTS[1], "", "dull dull dull warm zzyzx", " İstanbul  été ﬁne "]:
        e = fitted.explain(text, flips=0)
        decision = np.asarray(fitted.decision_function([text]), np.float64).reshape(-1)
        size = magnitude(e.added, e.bias)
        np.testing.assert_allclose(e.summed_decision, decision, rtol=0, atol=1e-9 * size)
        np.testing.assert_array_equal(e.decision, decision)
        assert np.abs(e.rounding).max() <= 1e-6 * size
        for lines in (e.running_total(), e.running_total(3), e.running_total(in_text_order=True)):
            np.testing.assert_allclose(lines[-1].total, e.scores, rtol=0, atol=1e-9 * size)
        assert e.label == fitted.predict([text])[0]


@pytest.mark.parametrize("learner", ["svm", "perceptron in 64 bits", "maxent", "mira", "multinomial"])
@settings(max_examples=40, deadline=None)
@given(text=texts, several=st.booleans(), representation=st.sampled_from(list(REPRESENTATIONS)))
def test_sums_hold_for_any_text(learner: str, text: str, several: bool, representation: str) -> None:
    if representation.startswith(("hash", "words")):
        text = text.replace("\ud800", "")  # hashing refuses what has no UTF-8
    fitted = model(learner, representation, several)
    e = fitted.explain(text, flips=0)
    decision = np.asarray(fitted.decision_function([text]), np.float64).reshape(-1)
    np.testing.assert_allclose(e.summed_decision, decision, rtol=0, atol=1e-9 * magnitude(e.added, e.bias))
    if e.found:
        lead = e.against()[0]
        np.testing.assert_allclose(e.credit().sum(), lead.sum(), rtol=0, atol=1e-9 * magnitude(lead))
        pieces = e.segments()
        assert "".join(piece.text for piece in pieces) == text
        np.testing.assert_allclose(
            sum(piece.credit for piece in pieces), lead.sum(), rtol=0, atol=1e-9 * magnitude(lead)
        )


@pytest.mark.parametrize("name", [*REPRESENTATIONS, *SIGNED])
@settings(max_examples=40, deadline=None)
@given(text=texts)
@example(text="")
def test_every_term_of_the_text_is_found_where_it_stands(name: str, text: str) -> None:
    vectorizer = model("least squares", name, False).vectorizer_
    for part in [v for _, v in getattr(vectorizer, "vectorizers", [(name, vectorizer)])]:
        if hasattr(part, "n_features"):
            text = text.replace("\ud800", "")
        columns = part.transform_csr([text]).without_zeros().indices.astype(np.int64)
        names = part.names_of(columns)
        found = part.occurrences(text, columns)
        if callable(part.analyzer):
            assert found == []
            continue
        expected = Counter(part.build_analyzer()(text))
        counted: Counter[int] = Counter()
        terms: dict[int, set[str]] = {}
        for o in found:
            counted.update(o.feature.tolist())
            for i, spelt in o.terms.items():
                terms.setdefault(i, set()).update(spelt)
            assert (o.last > o.first).all()
            assert ((o.spans >= 0) & (o.spans <= len(text))).all()
        for i, own in enumerate(names):
            assert counted[i] == sum(expected[term] for term in terms.get(i, [own]))


def test_infinite_log_probabilities_stay_where_they_belong() -> None:
    e = model("maximum likelihood", "counts", True).explain("warm and wise")
    assert np.isneginf(e.scores).any()
    assert e.label == "good"
    assert np.isfinite(e.scores[e.classes.index("good")])
    assert np.isposinf(e.against()[0]).any()
    assert np.isfinite(e.credit()).all()
