"""Models that hardly ever predict a class are spoken about, others are not."""

from __future__ import annotations

import numpy as np

from lindy import TextClassifier
from lindy.evaluation.diagnostics import concern, joined_labels, lone_labels

LABELS = ["ham", "spam"]


def rows(*counts: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return (truth, answer) from (true class, answered class, rows)."""
    pairs = [(y, answer) for y, answer, n in counts for _ in range(n)]
    truth, answer = zip(*pairs, strict=True)
    return np.array(truth), np.array(answer)


def test_a_class_that_is_hardly_ever_predicted_is_named_with_what_to_do() -> None:
    said = concern(*rows((0, 0, 940), (0, 1, 2), (1, 0, 50), (1, 1, 8)), LABELS)
    assert said == (
        "spam is hardly ever predicted: 8 of its 58 held-out texts are found (recall 0.14); train with"
        " `metric='f1:spam'`, or with balanced classes, `class_weight='balanced'`"
    )


def test_a_constant_answer_is_called_so() -> None:
    said = concern(*rows((0, 0, 99), (1, 0, 1)), LABELS, what="texts of this table")
    assert said is not None
    assert said.startswith(
        "the model is no better than always answering ham: macro F1 0.497 on 100 texts of this"
    )
    assert "`metric='f1:spam'`" in said


def test_texts_that_say_nothing_need_other_advice() -> None:
    said = concern(*rows((0, 0, 50), (1, 0, 50)), LABELS)
    assert said is not None
    assert said.endswith("check the texts and labels, or train on more examples")


def test_several_classes_are_listed_the_rarest_first() -> None:
    said = concern(
        *rows((0, 0, 100), (1, 0, 20), (2, 0, 10), (2, 2, 1), (3, 3, 30), (4, 4, 30)), list("abcde")
    )
    assert said is not None
    assert (
        "2 classes are hardly ever predicted; held-out texts that are found: c (1 of 11), b (0 of 20)" in said
    )
    assert "`metric='macro-f1'`" in said


def test_nothing_is_said_without_reason() -> None:
    good = rows((0, 0, 90), (1, 1, 8), (1, 0, 2))
    assert concern(*good, LABELS) is None
    assert concern(*rows((0, 0, 55), (1, 0, 40), (1, 1, 9)), LABELS) is None  # it is not a rare class
    assert concern(*rows((0, 0, 20), (1, 0, 5)), LABELS) is None  # too few rows to tell
    assert (
        concern(*rows((0, 0, 90), (1, 1, 30), (2, 0, 4)), [*LABELS, "other"]) is None
    )  # too few of that class
    assert concern(*rows((0, 0, 99), (1, 0, 1)), LABELS, metric="recall@precision:0.9") is None
    assert concern(np.full(50, -1), np.zeros(50, int), LABELS) is None  # labels that are no classes


def test_who_has_asked_for_f1_gets_other_advice() -> None:
    said = concern(*rows((0, 0, 99), (1, 0, 1)), LABELS, metric="f1:spam")
    assert said is not None
    assert said.endswith("more training examples would help most")


def test_a_model_of_even_classes_that_is_right_no_more_often_than_a_constant() -> None:
    wrong = [(k, (k + 1) % 4, 20) for k in range(4)]
    said = concern(*rows(*wrong, *[(k, k, 5) for k in range(4)]), list("abcd"))
    assert said == (
        "the model is no better than always answering a: 20.0% of 100 held-out texts are right, 25.0% by that answer"
        " alone; check the texts and labels, or train on more examples"
    )
    assert (
        concern(
            *rows(*[(k, (k + 1) % 4, 17) for k in range(4)], *[(k, k, 8) for k in range(4)]), list("abcd")
        )
        is None
    )


def test_labels_that_look_like_none() -> None:
    assert lone_labels(np.ones(29, np.int64)) is None  # too few to tell
    assert lone_labels(np.array([20, 20])) is None
    assert lone_labels(np.array([20, *[1] * 20])) is None
    said = lone_labels(np.array([19, *[1] * 20]))
    assert said is not None
    assert said.startswith("20 of 39 examples have a label that no other example has")
    assert "`label=`" in said


def test_labels_that_are_several_are_named() -> None:
    said = joined_labels(["anger", "anger|fear", "fear", "fear | joy", "joy", "joy|love"])
    assert said is not None
    assert said.startswith("2 labels, such as anger|fear, are others joined by '|'")
    assert joined_labels(["a;b", "a", "b", "b;a"]) is not None
    tags = joined_labels(
        ["a|b", "b|c", "a|c", "a|d", "b|d|c"]
    )  # none of them alone, and fewer than their combinations
    assert tags is not None
    assert tags.startswith("5 labels, such as a|b,")
    for labels in (
        ["anger", "fear", "anger|fear"],  # once may be a name
        ["Salem, OR", "Portland, OR", "Portland, ME"],  # the parts are no labels
        ["a|", "|a", "a", "b"],
        [1, 2, 3],
        [],
    ):
        assert joined_labels(labels) is None


def test_a_model_of_joined_labels_says_so() -> None:
    texts = [f"{word} number {i}" for word in ("one", "two", "three", "four") for i in range(5)]
    labels = [label for label in ("a", "b", "a|b", "b|a") for _ in range(5)]
    model = TextClassifier(learner="naive-bayes").fit(texts, labels)
    assert [said for said in model.concerns_ if "joined by '|'" in said]
