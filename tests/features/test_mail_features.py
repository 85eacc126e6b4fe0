"""What only the training texts tell about a text: misspelled words, and copies of it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lindy import TextClassifier, load
from lindy.features import CopyVectorizer, MisspellingVectorizer
from lindy.features.copies import MOST
from lindy.features.spans import SPANS

MASS = "dear {}, you have won a prize of a thousand pounds in our great lottery, call this number now to claim it"
NAMES = ["ann", "bob", "eve", "joe", "sue"]


def distance_one(a: str, b: str) -> bool:
    """Whether one slip, not in the last letter, makes b of a: by the definition."""
    letters = "abcd"
    slips = {a[:i] + a[i + 1 :] for i in range(len(a) - 1)}  # a letter too few
    slips |= {a[:i] + c + a[i + 1 :] for i in range(len(a) - 1) for c in letters}
    slips |= {a[:i] + c + a[i:] for i in range(len(a)) for c in letters}
    slips |= {a[:i] + a[i + 1] + a[i] + a[i + 2 :] for i in range(len(a) - 1)}
    return b != a and b in slips


@given(
    frequent=st.lists(st.text("abcd", min_size=4, max_size=8), min_size=1, max_size=4),
    others=st.lists(st.text("abcd", min_size=4, max_size=8), max_size=6),
)
@settings(max_examples=50, deadline=None)
def test_a_misspelling_is_one_slip_from_a_frequent_word(frequent: list[str], others: list[str]) -> None:
    vectorizer = MisspellingVectorizer(min_df=3).fit([" ".join(frequent)] * 3)
    known = {word for word in frequent if len(word) >= 5}
    assert set(vectorizer.frequent_) == known
    expected = {
        word
        for word in others
        if len(word) >= 5 and word not in known and any(distance_one(own, word) for own in known)
    }
    assert set(vectorizer.misspelled(" ".join(others))) == expected


def test_known_words_numbers_and_endings_are_not_misspelled() -> None:
    texts = ["your account number"] * 6 + ["he may acount", "an acount more", "numbers", "a recount"]
    vectorizer = MisspellingVectorizer().fit(texts)
    assert vectorizer.frequent_ == ["your", "account", "number"][1:]
    assert vectorizer.known_ == ["acount"]  # in two texts: it is a word of these people
    assert vectorizer.misspelled("accounts acount nunber acc0unt my_acccount acccount") == [
        "nunber",
        "acccount",
    ]


def test_a_training_text_is_no_witness_for_its_own_words() -> None:
    texts = ["your account number"] * 6 + ["this accoumt", "this accoumt", "an accuont"]
    rows = MisspellingVectorizer().fit_csr(texts).to_dense()
    assert rows.any(axis=1).tolist() == [False] * 6 + [True] * 3
    later = MisspellingVectorizer().fit(texts).transform_csr(["this accoumt", "an accuont"]).to_dense()
    assert later.any(axis=1).tolist() == [False, True]  # two training texts have the first


def test_copies_are_counted_without_the_text_itself() -> None:
    texts = [MASS.format(name) for name in NAMES] + [
        "a letter to a friend about tea and the weather of today, love"
    ]
    vectorizer = CopyVectorizer()
    rows = vectorizer.fit_csr(texts)
    assert rows.to_dense()[:5].argmax(axis=1).tolist() == [SPANS.index("3-4")] * 5
    assert not rows.to_dense()[5].any()
    assert vectorizer.copies([MASS.format("tom"), texts[5], "", "tea"]).tolist() == [5, 0, 0, 0]
    headers = MASS.format("tom") + "\n\n" + " ".join(f"received_{i}" for i in range(200))
    assert vectorizer.copies([headers]).tolist() == [5]


def test_copies_keep_a_bounded_number_of_bands_and_no_text() -> None:
    texts = [f"{MASS.format(name)} {i} {i * 7} {i * 11} {i * 13}" for i in range(3000) for name in NAMES[:2]]
    vectorizer = CopyVectorizer().fit(texts)
    config, arrays = vectorizer.to_state()
    assert set(config) == {"kind", "length"}
    assert len(arrays["bands"]) <= MOST
    again = CopyVectorizer.from_state(config, arrays)
    np.testing.assert_array_equal(again.copies(texts[:50]), vectorizer.copies(texts[:50]))


@pytest.mark.parametrize("learner", ["naive-bayes", "svm", "auto"])
def test_in_a_saved_classifier_that_explains(learner: str, tmp_path: Any) -> None:
    spam = [MASS.format(name) for name in NAMES * 4]
    ham = [f"hello {a}, tea with {b} at four, bring the account" for a, b in itertools.permutations(NAMES, 2)]
    extra = [MisspellingVectorizer(), CopyVectorizer()]
    model = TextClassifier(learner=learner, extra=extra).fit(spam + ham, ["spam"] * 20 + ["ham"] * 20)
    model.save(tmp_path / "m.lindy")
    again = load(tmp_path / "m.lindy")
    text = MASS.format("tom").replace("lottery", "lottry").replace("number", "numbber")
    np.testing.assert_array_equal(again.decision_function([text]), model.decision_function([text]))
    names = again.explain(text).names
    assert "misspelled=2" in names
    assert any(name.startswith("copies=") for name in names)
    assert "misspelled words and copies" in again.recipe_ or learner == "auto"


@pytest.mark.parametrize(
    "hostile", ["", "x" * 300_000, "aé" * 100_000, "_" * 1000, "\ud800 \x00", "a b " * 50_000]
)
def test_hostile_texts_are_harmless(hostile: str) -> None:
    for kind in (MisspellingVectorizer(min_df=1), CopyVectorizer()):
        kind.fit([hostile, "a normal text of a normal length"])
        assert kind.transform_csr([hostile, hostile]).n_columns == len(SPANS)


@pytest.mark.parametrize("kind", [MisspellingVectorizer, CopyVectorizer])
def test_bad_input_is_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match="string object received"):
        kind().fit("one text")
    with pytest.raises(TypeError, match="text 1 is a int"):
        kind().fit(["a", 5])
    with pytest.raises(ValueError, match="not fitted"):
        kind().transform(["a"])
    with pytest.raises(ValueError, match="'length' parameter"):
        kind(length=0).fit(["a text"])


def test_forged_states_are_refused() -> None:
    config, arrays = MisspellingVectorizer(min_df=1).fit(["account"]).to_state()
    for broken in ({**config, "min_df": 0}, {**config, "length": -1}):
        with pytest.raises(ValueError, match="parameter"):
            MisspellingVectorizer.from_state(broken, arrays)
    with pytest.raises(ValueError, match="lacks the array"):
        MisspellingVectorizer.from_state(config, {})
    other = {**arrays, "frequent.terms": np.frombuffer(b"acc0unt", np.uint8)}
    with pytest.raises(ValueError, match="not such as are looked at"):
        MisspellingVectorizer.from_state(config, other)
    config, arrays = CopyVectorizer().fit([MASS.format(name) for name in NAMES]).to_state()
    for wrong in (
        {},
        {**arrays, "times": arrays["times"] * 0},
        {**arrays, "bands": arrays["bands"][::-1]},
        {**arrays, "bands": arrays["bands"][1:]},
        {**arrays, "bands": arrays["bands"].astype(np.int64)},
    ):
        with pytest.raises(ValueError, match="saved"):
            CopyVectorizer.from_state(config, wrong)
