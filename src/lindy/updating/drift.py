"""Whether new rows look different from those that a model was trained on: words, labels, and both together.

unknown words    the share of the new rows' words that the model does not know. Words that occurred once in the
                 training are as many as unknown ones to expect (Good and Turing): n₁ / n
labels           w = √Σ_k (p_k − q_k)² / q_k for shares q before and p now (Cohen's effect size: 0.1 is small, 0.3
                 medium, 0.5 large), and the χ² test that both come from the same shares
domain           naive Bayes learns to tell old rows from one half of the new ones, and is tried on the other half.
                 The old rows are those kept with the model, or else only their numbers of words: then it is the
                 share of new rows that are recognised which is known. 0.5 is chance
words            z = δ / √(1/(a + 1) + 1/(b + 1)), δ the difference of log odds of a word among new and old ones, with
                 one occurrence added to each of a (new) and b (old) (after Monroe, Colaresi & Quinn, 2008)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.bayes.multinomial import MultinomialNaiveBayes
from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.targets import union_of_names
from lindy.estimators.learners import InputKind
from lindy.evaluation.metrics.intervals import wilson
from lindy.linear.perceptron import stacked
from lindy.text.vectorizer import weight_option
from lindy.text.vocabulary.vocabulary_merge import Grown
from lindy.updating.model_parts import Parts, Rows

Array = NDArray[np.float64]

MANY_UNKNOWN = 0.1
"""Share of unknown words, beyond those to expect, that is worth a warning."""
MEDIUM = 0.3
"""Cohen's medium effect, from which other shares of labels are worth a warning, if chance cannot explain them."""
CHANCE = 0.01
RECOGNISED = 0.75
"""Share of rows whose domain is recognised, halfway between chance and always, that is worth a warning."""
MOST_ROWS = 5000
FEWEST_ROWS = 20


@dataclass(frozen=True, slots=True)
class Drift:
    """The differences of new rows from those of the training.

    Attributes
    ----------
    unknown, expected : shares of words that the model does not know; None where they are not known
    label_effect, label_p : effect size and p-value of other shares of labels
    recognised : share of rows whose domain, old or new, naive Bayes tells; None where nothing is known of the old ones
    recognised_of : "rows" where old rows were kept, "new rows" where only the new ones could be tried
    words : the words that changed most, with z: more frequent (above 0) or rarer now
    warnings : what should not pass without a word
    """

    unknown: float | None
    expected: float | None
    label_effect: float
    label_p: float
    recognised: float | None
    recognised_of: str
    words: list[tuple[str, float]]
    warnings: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON can hold them."""
        return {
            "unknown words": self.unknown,
            "expected unknown words": self.expected,
            "label effect size": self.label_effect,
            "label p-value": self.label_p,
            "domain recognised": self.recognised,
            "domain recognised of": self.recognised_of,
            "words": [[word, round(z, 2)] for word, z in self.words],
            "warnings": self.warnings,
        }


def compare_data(model: Any, rows: Rows, *, top: int = 10) -> Drift:
    """Compare new rows with what is known of those that a model was trained on; the model stays as it is."""
    before = Parts.of(model)
    effect, p = label_shift(before.classes, before.counts, rows)
    unknown = expected = recognised = None
    tried, of, words = 0, "new rows", list[tuple[str, float]]()
    if before.learner.input_kind.has_columns and before.vectorizer.takes != "images":
        grown = _grown(before, rows)
        X = _some(grown.vectorizer, rows)
        tried = X.shape[0]
        old = _old_counts(before, grown)
        if grown.unknown is not None and grown.unknown[1]:
            unknown = grown.unknown[0] / grown.unknown[1]
        if old is not None:
            seen, counted = old
            first = grown.vectorizer.parts[0][1].n_columns  # of words beside characters, only words are told
            expected = _expected(seen[:first]) if _takes_all(before) else None
            new = counted(X)
            sums = np.bincount(new.indices, new.values, new.n_columns).astype(np.float64)
            words = changed_words(grown.vectorizer, seen[:first], sums[:first], top)
            recognised = _recognised_by_counts(seen, new)
        if getattr(model, "kept_", None) is not None:
            recognised, of = _recognised_by_rows(model, grown.vectorizer, X), "rows"
    said = _warnings(unknown, expected, (effect, p), (recognised, of, tried))
    return Drift(unknown, expected, effect, p, recognised, of, words, said)


def label_shift(classes: NDArray[Any], counts: NDArray[Any], rows: Rows) -> tuple[float, float]:
    """Return Cohen's w of the new shares of labels against the old ones, and the p-value of the χ² test."""
    from scipy.special import chdtrc

    wanted = union_of_names(classes, rows.labels.names)
    old, new = np.zeros(len(wanted)), np.zeros(len(wanted))
    old[np.searchsorted(wanted, classes)] = counts
    new[np.searchsorted(wanted, rows.labels.names)] = rows.labels.counts
    q = (old + 0.5) / (old + 0.5).sum()  # a class without rows has a share too, below that of one row
    w = float(np.sqrt((np.square(new / new.sum() - q) / q).sum()))
    both = np.stack([old, new])
    fitted = both.sum(axis=1, keepdims=True) * both.sum(axis=0) / both.sum()
    chi2 = float((np.square(both - fitted) / np.maximum(fitted, 1e-300)).sum())
    return w, float(chdtrc(max(len(wanted) - 1, 1), chi2))


def changed_words(vectorizer: Any, old: Array, new: Array, top: int) -> list[tuple[str, float]]:
    """Return the columns whose share changed most, with z, the largest first."""
    if not old.sum() or not new.sum():
        return []
    odds = [numerics.log((n + 1.0) / (n.sum() - n + 1.0)) for n in (new, old)]
    z = (odds[0] - odds[1]) / np.sqrt(1.0 / (new + 1.0) + 1.0 / (old + 1.0))
    order = np.argsort(-np.abs(z), kind="stable")[:top]
    return list(zip(vectorizer.names_of(order), z[order].tolist(), strict=True))


def _grown(before: Parts, rows: Rows) -> Grown:
    from lindy.errors import UpdateError
    from lindy.text.vocabulary.vocabulary_merge import unchanged

    if before.learner.input_kind is InputKind.WORDS:
        return unchanged(before.vectorizer)
    try:
        return before.vectorizer.grown(rows.texts, before.n_rows, **weight_option(rows.weight))  # type: ignore[no-any-return]
    except UpdateError:  # labels and rows are compared all the same
        return unchanged(before.vectorizer)


def _some(vectorizer: Any, rows: Rows) -> Csr:
    """Return the vectors of the new rows; of very many, of every so-manieth."""
    apart = -(-len(rows) // MOST_ROWS)
    X: Csr = vectorizer.transform_csr(rows.texts)
    return X if apart == 1 else X.take(np.arange(0, len(rows), apart))


def _old_counts(before: Parts, grown: Grown) -> tuple[Array, Any] | None:
    """Return how often the earlier rows had each column, and what is counted of rows; None if it is not known."""
    learner, total = before.learner, np.zeros(grown.vectorizer.n_columns)
    if grown.documents is not None:
        total[grown.places[0]] = grown.documents
        return total, _present
    if isinstance(counts := getattr(learner, "counts_", None), Csr):
        features = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        total[grown.places[0]] = np.bincount(features, counts.values, counts.shape[0])
        return total, learner._counted
    return None


def _present(X: Csr) -> Csr:
    """Return rows that say which columns they hold."""
    return Csr(X.indptr, X.indices, (X.values != 0).astype(X.values.dtype), X.n_columns)


def _sizes(X: Csr) -> Csr:
    """Return rows without signs, which hashed words and standardised numbers have: naive Bayes takes none."""
    return Csr(X.indptr, X.indices, np.abs(X.values), X.n_columns)


def _takes_all(before: Parts) -> bool:
    """Whether no word was left out, so that the words of a single text are known."""
    parts = [part for _, part in before.vectorizer.parts]
    return all(getattr(part, "min_df", 1) == 1 and not getattr(part, "_closed", False) for part in parts)


def _expected(seen: Array) -> float:
    """Return the share of unknown words to expect: that of words that were seen once."""
    return float((seen == 1).sum() / max(seen.sum(), 1.0))


def _recognised_by_counts(old: Array, X: Csr) -> float | None:
    """Return the share of new rows that naive Bayes finds nearer to the other half of them than to the old rows.

    The old counts are scaled to the size of the half: otherwise smoothing would tell both apart by their sizes.
    """
    n = X.shape[0]
    if n < FEWEST_ROWS or not old.sum():
        return None
    right, halves = 0, _halves(n)
    for fold in (0, 1):
        learned, tried = X.take(halves[1 - fold]), X.take(halves[fold])
        new = np.bincount(learned.indices, learned.values, X.n_columns)
        scaled = old * (new.sum() / old.sum())
        lead = numerics.log((new + 1.0) / (new.sum() + len(new))) - numerics.log(
            (scaled + 1.0) / (scaled.sum() + len(new))
        )
        rows = np.repeat(np.arange(tried.shape[0]), np.diff(tried.indptr))
        right += int((np.bincount(rows, tried.values * lead[tried.indices], tried.shape[0]) > 0).sum())
    return right / n


def _recognised_by_rows(model: Any, vectorizer: Any, X: Csr) -> float | None:
    """Return how often naive Bayes, fitted to one half of old and new rows, knows which the others are."""
    texts = model.kept_.examples()
    apart = -(-len(texts) // MOST_ROWS)
    old, new = vectorizer.transform_csr(texts[::apart]), X
    n = min(old.shape[0], new.shape[0])
    if n < FEWEST_ROWS:
        return None
    parts = [_sizes(X.take(np.linspace(0, X.shape[0] - 1, n).astype(np.int64))) for X in (old, new)]
    right, halves = 0, _halves(n)
    for fold in (0, 1):
        learned = [own.take(halves[1 - fold]) for own in parts]
        y = np.repeat([0, 1], len(halves[1 - fold]))
        judge = MultinomialNaiveBayes(class_prior="uniform").fit(stacked(*learned), y)
        tried = [judge.predict(own.take(halves[fold])) for own in parts]
        right += sum(int(np.count_nonzero(said == label)) for label, said in enumerate(tried))
    return float(right / (2 * n))


def _halves(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return two halves of n rows, drawn at random: rows that follow each other may be alike."""
    order = np.random.default_rng(0).permutation(n)
    return np.sort(order[: n // 2]), np.sort(order[n // 2 :])


def _warnings(
    unknown: float | None,
    expected: float | None,
    labels: tuple[float, float],
    domain: tuple[float | None, str, int],
) -> list[str]:
    said = []
    if unknown is not None and expected is not None and unknown - expected > MANY_UNKNOWN:
        said.append(
            f"{unknown:.0%} of the new rows' words are unknown to the model; {expected:.0%} were to be expected"
        )
    effect, p = labels
    if effect >= MEDIUM and p < CHANCE:
        size = "large" if effect >= 0.5 else "medium"
        said.append(
            f"the labels have other shares than in the training (effect size {effect:.2f}, {size}; p = {p:.1g})"
        )
    recognised, of, n = domain
    if recognised is not None and wilson(recognised, n)[0] > RECOGNISED:
        said.append(
            f"{recognised:.0%} of the {of} are recognised as old or new by their words: the texts are different"
        )
    return said
