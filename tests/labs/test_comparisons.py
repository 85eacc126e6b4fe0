"""Options are chosen on held-out data, and verdicts are given only where the interval allows one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from lindy import MaxEnt, MultinomialNaiveBayes
from lindy.data import folds, toy_gaussians
from lindy.labs import Judged, choose, judged, judged_table, verdict, verdicts


def answers(name: str, right: int, of: int, start: int = 0) -> Judged:
    """Return answers of which those from ``start`` on are right."""
    return Judged(name, (np.arange(of) >= start) & (np.arange(of) < start + right))


def test_an_accuracy_has_its_interval() -> None:
    found = answers("A", 48, 80)
    assert str(found) == "60.0% (49.0% to 70.0%)"
    assert found.interval[0] < 0.55 < found.interval[1], "48 of 80 are no proof against 0.55"


def test_a_verdict_needs_an_interval_without_0() -> None:
    best, chance = answers("letters", 48, 80), answers("always no", 44, 80, start=20)
    assert verdict(best, chance).endswith("which 80 test examples cannot tell from chance.")
    clear = verdict(answers("A", 90, 100), answers("B", 60, 100))
    assert clear.startswith("A against B: 30.0 points more (95 %: ")
    assert clear.endswith("which 100 test examples show.")
    assert verdict(answers("B", 60, 100), answers("A", 90, 100)) == clear, "the better one is named first"


def test_four_wins_of_four_are_no_verdict() -> None:
    """The bootstrap's interval leaves 0 out, but McNemar's p is 1/8."""
    assert "cannot tell" in verdict(answers("A", 14, 100), answers("B", 10, 100))


def test_p_of_several_pairs_holds_for_all_of_them() -> None:
    one, other = answers("A", 50, 100), answers("B", 39, 100, start=3)  # 3 + 8 against 0
    alone = (one, other)
    assert verdict(*alone).endswith("show.")
    several = verdicts([alone] * 60)
    assert all(said.endswith("cannot tell from chance.") for said in several)
    assert "for all 60" in several[0]


def test_the_same_answers() -> None:
    assert (
        verdict(answers("a", 5, 9), answers("b", 5, 9))
        == "A and b are right on the same ones of 9 test examples."
    )


def test_as_many_right_on_other_rows() -> None:
    said = verdict(answers("a", 40, 100), answers("b", 40, 100, start=10))
    assert said.startswith("A and b are right on as many, though not the same, of 100 test examples (95 %: −")


def test_a_table_and_a_sentence_round_alike(capsys: pytest.CaptureFixture[str]) -> None:
    found = answers("A", 323, 400)  # 0.8075
    judged_table("model", [found])
    shown = capsys.readouterr().out.splitlines()[1].split()[1]
    assert f"{100 * float(shown):.1f}%" == str(found).split()[0]


def test_the_choice_is_that_of_held_out_parts() -> None:
    toy = toy_gaussians(200, variances=2.0, random_state=1)
    values = (10.0, 0.1, 0.001)
    chosen = choose(MaxEnt(), "lam", values, toy.X_train, toy.y_train)
    part, means = folds(toy.y_train, 5), []
    for lam in values:
        scores = []
        for number in range(5):
            kept = part != number
            model = MaxEnt(lam=lam).fit(toy.X_train[kept], toy.y_train[kept])
            scores.append(model.score(toy.X_train[~kept], toy.y_train[~kept]))
        means.append(np.mean(scores))
    assert chosen.held_out == pytest.approx(means, abs=5e-4)
    assert chosen.best == values[int(np.argmax(means))]
    assert chosen.model.lam == chosen.best
    found = judged("MaxEnt", chosen.model.fit(toy.X_train, toy.y_train), toy.X_test, toy.y_test)
    assert len(found.right) == 100


def test_of_equal_values_the_first_is_chosen() -> None:
    X, y = np.repeat([[1.0], [-1.0]], 10, axis=0), np.repeat([1, 0], 10)
    assert choose(MaxEnt(), "lam", (0.1, 0.01), X, y).best == 0.1


def test_words_that_only_held_out_texts_have_are_unknown_there() -> None:
    """Every row has a word of its own: unknown words must not make held-out rows impossible under all classes."""
    y = np.repeat(["a", "b"], 10)
    telling = np.column_stack([y == "a", y == "b"]).astype(float)
    X = scipy.sparse.csr_matrix(np.column_stack([telling, np.eye(20)]))
    chosen = choose(MultinomialNaiveBayes(), "interpolation", (0.5,), X, y)
    assert chosen.held_out == [1.0]
