"""The five sentences at the top of a report: true, and grammatical in every case."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from lindy.evaluation import evaluate
from lindy.evaluation.predictions import Predictions
from lindy.report.confusion import largest_confusions
from lindy.report.measure import LearningCurve, Outcome
from lindy.report.summary import Measured, percent, sentences


def said(truth: list[str], predicted: list[str], learned: list[str] | None = None, **more: Any) -> list[str]:
    """Return the sentences about some predictions as plain text."""
    names = np.unique([*truth, *predicted])
    best = np.searchsorted(names, predicted)
    answers = Predictions(best, np.eye(len(names))[best], are_probabilities=True)
    seen = Outcome(answers, np.array(truth, object), np.array(predicted, object), answers.confidence)
    result = evaluate(seen.truth, seen.predicted)
    counts = Counter(truth if learned is None else learned)
    usual = max(counts, key=lambda label: counts[label])
    measured = Measured(
        result=result,
        right=seen.right,
        usual=usual,
        usual_right=seen.truth == usual,
        simple_right=more.pop("simple_right", None),
        confusions=largest_confusions(result, seen),
        learned=dict(counts),
        **more,
    )
    lines = [html.unescape(re.sub(r"<[^>]*>", "", line)) for line in sentences(measured)]
    assert len(lines) == 5
    for line in lines:
        assert re.fullmatch(r"[A-Z][^\n]*[^ .]\.", line), line
        assert not re.search(r"\b1 (texts|rows|errors)\b|  | [,.;:]", line), line
    return lines


def test_two_classes() -> None:
    truth, predicted = ["a"] * 50 + ["b"] * 50, ["b"] * 6 + ["a"] * 47 + ["b"] * 47
    good, against, errs, helps, sure = said(truth, predicted, ["a"] * 60 + ["b"] * 40)
    assert good == "The model gave the right label to 91 of the 100 texts it was tested on (91%)."
    assert against.startswith(
        "Always answering “a”, the most common label, would be right for 50 of them (50%);"
    )
    assert against.endswith("the model is clearly better than that.")
    assert errs == "Of its 9 errors, 6 are “a” taken for “b” and 3 the reverse."
    assert "cannot be said" in helps
    assert sure.startswith("With 100 texts to test on, these figures are rough")
    assert "between 84% and 95% right" in sure


def test_no_error() -> None:
    good, _, errs, helps, _ = said(["a", "b", "b"], ["a", "b", "b"])
    assert good == "The model gave the right label to all 3 texts it was tested on."
    assert errs == "It made no error on these texts."
    assert "no error to learn from" in helps


def test_one_error() -> None:
    _, _, errs, _, sure = said(["a", "b", "b"], ["a", "b", "a"])
    assert errs == "Its only error is “b” taken for “a”."
    assert sure.startswith("With only 3 texts to test on, these figures say little")


def test_one_text() -> None:
    good, against, errs, _, sure = said(["a"], ["a"], ["a", "b"])
    assert good == "The model gave the one text it was tested on the right label."
    assert "one of the most common labels, would be right for this one" in against
    assert errs == "It made no error on this text."
    assert sure.startswith("With only 1 text to test on")
    assert said(["a"], ["b"], ["a", "b"])[0] == "The model gave the one text it was tested on a wrong label."


def test_nothing_right() -> None:
    good, against, errs, _, _ = said(["a", "a"], ["b", "b"], ["a", "a", "b"])
    assert good == "The model gave a wrong label to both texts it was tested on."
    assert against.endswith("the model did slightly worse than that.")
    assert errs == "Both of its errors are “a” taken for “b”."
    assert said(["a"] * 4, ["b"] * 3 + ["a"], ["a", "b"])[2] == "All 3 of its errors are “a” taken for “b”."


def test_many_classes() -> None:
    truth = [f"class {i % 75}" for i in range(750)]
    predicted = [t if i % 7 else "class 1" for i, t in enumerate(truth)]
    predicted[2] = predicted[77] = predicted[152] = "class 9"
    _, _, errs, _, sure = said(truth, predicted)
    wrong = sum(t != p for t, p in zip(truth, predicted, strict=True))
    assert errs.startswith(
        f"The most frequent of its {wrong} errors is “class 2” taken for “class 9”, 3 times;"
    )
    assert "it is worst at recognising “class 2”, where it found" in errs
    assert "fairly reliable" in sure


def test_no_two_errors_alike() -> None:
    errs = said(["a", "b", "c", "d"], ["b", "c", "a", "d"])[2]
    assert errs == "It made 3 errors, no two of them alike; one is “a” taken for “b”."


def test_labels_that_were_never_learned() -> None:
    _, _, errs, helps, _ = said(["a", "b", "new", "new"], ["a", "a", "b", "b"], ["a", "b"])
    assert errs.endswith("2 of them could not be avoided, since the label was not in the training data.")
    assert helps == "First of all it needs training texts with the label that it never saw: “new”."
    errs = said(["a", "new"], ["a", "a"], ["a", "b"])[2]
    assert errs == "Its only error is “new” taken for “a”, a label that was not in the training data."


@pytest.mark.parametrize(
    ("before", "after", "said_of_it"),
    [
        (0.8, 0.9, "would probably help: with 80 instead of 40 of them, the share of right labels on others rose"),
        (0.8, 0.81, "may help: "),
        (0.8, 0.8, "would hardly help: with 80 instead of 40 of them, the share of right labels on others stayed"),
        (0.8, 0.7, "would hardly help: with 80 instead of 40 of them, the share of right labels on others fell"),
        (1.0, 1.0, "would hardly help: "),
    ],
)  # fmt: skip
def test_what_more_examples_would_do(before: float, after: float, said_of_it: str) -> None:
    curve = LearningCurve([20, 40, 80], [1.0] * 3, [0.5, before, after], [(0.0, 1.0)] * 3, 100)
    truth, predicted = ["a", "b"] * 50, ["a", "b"] * 49 + ["b", "b"]
    helps = said(truth, predicted, curve=curve, doubted=0)[3]
    assert said_of_it in helps
    assert said(truth, predicted, curve=curve, doubted=1)[3].endswith("looks wrong and should be checked.")
    assert "; 3 training texts have labels" in said(truth, predicted, curve=curve, doubted=3)[3]
    assert "too few" in said(truth, predicted, curve=None, doubted=0)[3]
    few = said(truth, predicted, ["a"] * 3 + ["b"] * 20, curve=curve, doubted=0)[3]
    assert few.endswith("“a” was learned from only 3 texts.")


def test_a_lead_over_a_simple_method() -> None:
    truth = ["a", "b"] * 50
    predicted = ["b", "b", *truth[2:]]
    close, worse = np.ones(100, bool), np.ones(100, bool)
    close[:3], worse[:50] = False, False
    assert said(truth, predicted, simple_right=close)[1].endswith("its lead over counting words may be luck.")
    assert said(truth, predicted, simple_right=worse)[1].endswith("clearly better than counting words.")
    assert (
        "simply counting words for all of them" in said(truth, predicted, simple_right=np.ones(100, bool))[1]
    )


def test_texts_that_were_learned_from_prove_nothing() -> None:
    assert "too good" in said(["a", "b"], ["a", "a"], was_trained_on=True)[4]


def test_rows_of_a_table() -> None:
    assert "2 of the 3 rows" in said(["a", "b", "b"], ["a", "b", "a"], noun="row")[0]


def test_labels_stay_text() -> None:
    assert "“<script>” taken for “b”" in said(["<script>", "b"], ["b", "b"])[2]


@pytest.mark.parametrize(
    ("share", "n", "expected"),
    [
        (0.999, 100, "99%"),
        (0.001, 100, "1%"),
        (1.0, 100, "100%"),
        (0.0, 9, "0%"),
        (0.9999, 9999, "99.9%"),
        (0.5, 300, "50.0%"),
    ],
)
def test_only_all_is_everything(share: float, n: int, expected: str) -> None:
    assert percent(share, n) == expected
