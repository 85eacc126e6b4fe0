"""200 numeric oddities × every estimator, and every solver with every loss and penalty that go together; and rivals.

    python -m benchmarks.torture.numbers [--subjects N]

A fit gives finite weights, scores and probabilities that sum to 1, or an error that names the reason, within 5 seconds.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial

from tests.hostile.estimators import Subject
from tests.hostile.odd_numbers import ODDITIES, Oddity, number_subjects, verdict, with_strength

from benchmarks.torture._children import verdicts
from benchmarks.torture._rivals import rivals

LIMIT = 5.0  # seconds
MOST_HANGS = 10
COLUMNS = ("fits", "finite", "refused", "hangs", "crashes", "not finite", "unnamed")
RIVAL_STRENGTHS = {"SGDClassifier": "alpha", "MultinomialNB": "alpha"}  # of the others: C


def column(verdict: str) -> str:
    """Return what a verdict counts as."""
    if verdict in ("finite", "refused"):
        return verdict
    if verdict.startswith("crash"):
        return "crashes"
    if verdict == "hang":
        return "hangs"
    return "not finite" if "finite" in verdict or "sum to 1" in verdict else "unnamed"


def fits(
    subject: Subject, strengthen: Callable[[Subject, float | None], object]
) -> list[tuple[Oddity, object]]:
    """Return the oddities that apply to an estimator, each with the unfitted estimator."""
    weighted = "sample_weight" in inspect.signature(subject.make().fit).parameters
    made = [
        (oddity, strengthen(subject, oddity.strength))
        for oddity in ODDITIES
        if weighted or oddity.weight is None
    ]
    return [(oddity, model) for oddity, model in made if model is not None]


def rival_with_strength(subject: Subject, strength: float | None) -> object:
    """Return an unfitted rival with a strength."""
    model = subject.make()
    if strength is not None:
        setattr(model, RIVAL_STRENGTHS.get(subject.kind.__name__, "C"), strength)
    return model


def abused(
    plan: list[tuple[Oddity, object]], name: str, complaints: list[str], *, strict: bool
) -> Counter[str]:
    """Return how often what happened to an estimator; if ``strict``, warnings of NumPy's are failures."""
    counts: Counter[str] = Counter()
    calls = [partial(verdict, model, oddity, strict=strict) for oddity, model in plan]
    for (oddity, _), answer in zip(plan, verdicts(calls, LIMIT, MOST_HANGS), strict=False):
        counts["fits"] += 1
        counts[column(answer)] += 1
        if column(answer) not in ("finite", "refused"):
            complaints.append(f"{name}: {oddity}: {answer}")
    return counts


def line(name: str, counts: Counter[str]) -> str:
    """Return one line of the table."""
    return f"{name:28}" + "".join(f"{counts[name]:>11,}" for name in COLUMNS)


def main() -> int:
    """Print the tables; 1 if lindy breaks the promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subjects", type=int, help="only so many estimators of lindy")
    options = parser.parse_args()
    print(f"{len(ODDITIES)} oddities, of weights and strengths only where there are any; limit {LIMIT:g} s")
    print(
        "not finite: weights, scores or probabilities, without an error (naive Bayes scores are log P: -inf is 0)"
    )
    print(
        "unnamed: an error that does not say what is wrong with the data; of lindy also a warning of NumPy's"
    )
    print(f"a toolkit that hangs {MOST_HANGS} times is not tried further\n")
    print(" " * 28 + "".join(f"{name:>11}" for name in COLUMNS))
    complaints: list[str] = []
    total: Counter[str] = Counter()
    own = number_subjects()[: options.subjects]
    for subject in own:
        total += abused(fits(subject, with_strength), str(subject), complaints, strict=True)
    print(line(f"lindy, {len(own)} combinations", total), flush=True)
    found, missing = rivals()
    for rival in found:
        print(
            line(rival.kind.__name__, abused(fits(rival, rival_with_strength), "", [], strict=False)),
            flush=True,
        )
    for name in missing:
        print(f"{name}: not installed, not measured")
    for complaint in complaints:
        print("lindy breaks its promise:", complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
