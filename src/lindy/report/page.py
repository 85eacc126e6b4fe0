"""The page itself, section by section."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from lindy import __version__, plots
from lindy.evaluation import Evaluation, evaluate
from lindy.evaluation.intervals import wilson
from lindy.explain import Inspection, inspect
from lindy.explain.html import bar, fragment, page
from lindy.explain.inspection import called_with
from lindy.report.figures import figure
from lindy.report.measure import (
    Outcome,
    RowNaming,
    learning_curve,
    listed,
    numbered,
    outcome,
    pick,
    suspected_labels,
    unfitted,
)
from lindy.textclassifier import TextClassifier
from lindy.visible import html_table, inert

_TEMPLATE = Path(__file__).with_name("page.html")
_RESAMPLES = 500  # for the intervals that have no formula
_MOST_CLASSES = 30  # in the confusion matrix; of the largest ones, in the lists of words


def report(
    model: TextClassifier,
    texts: Any,
    labels: Any,
    *,
    train: tuple[Any, Any] | None = None,
    rows: RowNaming = numbered,
    train_rows: RowNaming = numbered,
    title: str = "Model report",
    facts: Mapping[str, str] | None = None,
    commands: str = "",
    mistakes: int = 8,
    random_state: int = 0,
) -> str:
    """Return a report on a model as one HTML page.

    Parameters
    ----------
    model : fitted TextClassifier
    texts, labels : the labelled texts to test on, which the model must not have seen
    train : (texts, labels) or None
        What it was trained on, for the learning curve.
    rows, train_rows : callable
        What an example (from 0) to test on, or trained on, is called: its row in a file, for example.
    title : str
    facts : dict from str to str
        What else is to be said about the data: files, how they were split.
    commands : str
        The commands that make the model and the report.
    mistakes : int
        How many of the most confident mistakes are explained.
    random_state : int
        Of the examples that the learning curve holds out.
    """
    found = inspect(model, top=12)
    seen = outcome(model, texts, labels)
    names = np.array([str(label) for label in model.classes_], object)
    probable = (None, None) if seen.probabilities is None else (seen.probabilities, names)
    result = evaluate(seen.truth, seen.predicted, *probable, resamples=_RESAMPLES, random_state=random_state)
    sections = {
        "title": inert(title),
        "numbers": _numbers(result, found),
        "trained": _trained(found, facts or {}),
        "metrics": _metrics(result),
        "confusion": _confusion(result),
        "reliability": _reliability(seen),
        "curves": _curves(model, train, random_state),
        "words": _words(found),
        "mistakes": _mistakes(model, texts, seen, mistakes, rows),
        "label_errors": "" if train is None else _label_errors(model, *train, random_state, train_rows),
        "again": _again(commands, random_state),
    }
    return page(title, Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(sections))


def _name(label: Any) -> str:
    return f"<bdi>{inert(label)}</bdi>"


def _bounds(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"<br>{interval[0]:.3f} to {interval[1]:.3f}"


def _share(share: float, n: int) -> str:
    low, high = wilson(share, n) if n else (0.0, 1.0)
    return f"{share:.3f} <small>({low:.3f} to {high:.3f})</small>"


def _numbers(result: Evaluation, found: Inspection) -> str:
    low, high = result.interval
    cells = [
        (f"{result.accuracy:.1%}", f"accuracy<br>{low:.1%} to {high:.1%} with 95 % confidence"),
        (f"{result.macro_f1:.3f}", f"mean F1 of the classes{_bounds(result.intervals.get('macro_f1'))}"),
        (f"{result.examples:,}", "examples tested on"),
        (f"{sum(c.examples for c in found.classes):,}", "examples learned from"),
        (f"{len(found.classes):,}", "classes"),
        (f"{found.n_features:,}", "features"),
    ]
    return (
        '<div class="numbers">'
        + "".join(f"<div><b>{value}</b><small>{what}</small></div>" for value, what in cells)
        + "</div>"
    )


def _trained(found: Inspection, facts: Mapping[str, str]) -> str:
    rows = [[inert(key), inert(value)] for key, value in facts.items()]
    if found.columns.get("text"):
        said = f"text “{found.columns['text']}”, label “{found.columns.get('label', '')}”"
        rows.append(["columns", inert(said)])
    rows += [
        ["recipe", inert(found.recipe)],
        ["learner", f"<code>{inert(called_with(found.learner, found.parameters))}</code>"],
        ["weights", f"{found.n_weights:,}, of which {found.nonzero:,} are not 0"],
        *([key, inert(value)] for key, value in found.facts().items()),
    ]
    classes = [["class", "examples", "share"]]
    classes += [[_name(c.label), f"{c.examples:,}", f"{c.share:.1%}"] for c in found.classes[:100]]
    pairs = "".join(f"<dt>{key}</dt><dd>{value}</dd>" for key, value in rows)
    return f'<div class="grid"><dl>{pairs}</dl><div>{html_table(classes)}</div></div>'


def _metrics(result: Evaluation) -> str:
    called = result.confusion.sum(axis=0)
    rows = [["class", "precision", "recall", "F1", "examples"]]
    rows += [
        [
            _name(c.label),
            _share(c.precision, int(called[i])),
            _share(c.recall, c.support),
            f"{c.f1:.3f}",
            f"{c.support:,}",
        ]
        for i, c in enumerate(result.classes)
    ]
    said = "In brackets: 95 % intervals, Wilson's for shares, by the bootstrap for the others."
    tables = f'<div class="side"><div>{html_table(rows)}</div><div>{html_table(_overall(result))}</div></div>'
    return f"{tables}<p><small>{said}</small></p>"


def _overall(result: Evaluation) -> list[list[str]]:
    """Return the figures of all classes together, with their intervals."""
    figures: list[tuple[str, float | None, tuple[float, float] | None]] = [
        ("accuracy", result.accuracy, result.interval),
        ("mean F1 of the classes", result.macro_f1, result.intervals.get("macro_f1")),
        ("Matthews correlation", result.mcc, result.intervals.get("mcc")),
    ]
    if (p := result.probabilities) is not None:
        figures += [
            ("log loss", p.log_loss, p.intervals.get("log_loss")),
            ("Brier score", p.brier, p.intervals.get("brier")),
            ("area under the ROC curve", p.roc_auc, p.intervals.get("roc_auc")),
            ("expected calibration error", p.reliability.error, None),
        ]
    rows = [["", "", ""]]
    for name, value, bounds in figures:
        if value is not None:
            shown = "" if bounds is None else f"<small>({bounds[0]:.3f} to {bounds[1]:.3f})</small>"
            rows.append([name, f"{value:.3f}", shown])
    return rows


def _confusion(result: Evaluation) -> str:
    n, labels = result.confusion, result.labels
    if len(labels) > _MOST_CLASSES:
        largest = np.sort(np.argsort(-n.sum(axis=1), kind="stable")[:_MOST_CLASSES])
        n, labels = n[np.ix_(largest, largest)], [labels[i] for i in largest.tolist()]
    ax = plots.confusion(n, labels)
    said = "True classes in rows, predicted ones in columns; shades are shares of the row."
    return f"<div><h3>Confusion</h3>{figure(ax, said)}</div>"


def _reliability(seen: Outcome) -> str:
    if seen.probabilities is None:
        return ""
    ax = plots.reliability(seen.right, seen.confidence)
    said = "Predictions by the probability they were given, and how many of them were right."
    return f"<div><h3>Do probabilities come true?</h3>{figure(ax, said)}</div>"


def _curves(model: TextClassifier, train: tuple[Any, Any] | None, random_state: int) -> str:
    parts = []
    if train is not None:
        curve = learning_curve(unfitted(model), *train, random_state)
        scores = {"training": curve.training, "held out": curve.held_out}
        ax = plots.learning_curve(curve.sizes, scores, {"held out": curve.intervals})
        said = (
            f"Accuracy by the number of training examples, tested on {curve.n_held_out:,} training examples that were"
            " held out; the band is Wilson's interval. If the upper curve falls and the lower one still rises, more"
            " examples help."
        )
        parts.append(f"<div><h3>Would more examples help?</h3>{figure(ax, said)}</div>")
    history = getattr(model.learner_, "history_", None)
    if history is not None and len(history.objective) > 2 and len(history.seconds) == len(history.objective):
        ax = plots.objective_by_round(history.objective)
        parts.append(f"<div><h3>Training</h3>{figure(ax, 'The objective, round by round.')}</div>")
    return "\n".join(parts)


def _words(found: Inspection) -> str:
    what = "odds ratio" if found.measure == "odds ratio" else "weight"
    blocks = []
    largest = sorted(found.classes, key=lambda c: -c.examples)[:_MOST_CLASSES]
    for summary in largest:
        ranked = found.top.get(summary.label, [])
        if not ranked:
            continue
        finite = [value for _, value in ranked if np.isfinite(value)]
        top = max(finite, default=1.0)
        rows = [["feature", what, ""]]
        rows += [[_name(name), f"{value:.3g}".replace("inf", "∞"), bar(value, top)] for name, value in ranked]
        blocks.append(f"<div><h3>{_name(summary.label)}</h3>{html_table(rows)}</div>")
    if not blocks:
        return "<p>This learner has no weights to show.</p>"
    return f'<p>The features with the largest {what} for each class.</p><div class="grid words">{"".join(blocks)}</div>'


def _mistakes(model: TextClassifier, texts: Any, seen: Outcome, most: int, rows: RowNaming) -> str:
    worst = seen.confident_mistakes(most)
    if not len(worst):
        return "<p>No text got a wrong label.</p>"
    wrong = int((~seen.right).sum())
    parts = [f"<p>{wrong:,} of {len(seen.truth):,} labels are wrong. The most confident ones:</p>"]
    known = {str(label): label for label in model.classes_.tolist()}
    for i, text in zip(worst.tolist(), listed(pick(texts, worst)), strict=True):
        truth, predicted = seen.truth[i], seen.predicted[i]
        sure = (
            f"{seen.confidence[i]:.1%}"
            if seen.probabilities is not None
            else f"score {seen.confidence[i]:.3g}"
        )
        other = known.get(truth)
        x = text if isinstance(text, dict) else str(text)
        piece = fragment(model.explain(x, flips=20), top=10, other=other)
        parts.append(
            f"<details><summary>{inert(rows(i))}: {_name(predicted)} ({sure}), but the label is {_name(truth)}"
            f"</summary>{piece}</details>"
        )
    return "\n".join(parts)


def _label_errors(
    model: TextClassifier, texts: Any, labels: Any, random_state: int, names: RowNaming, most: int = 12
) -> str:
    found = suspected_labels(model, texts, labels, random_state)
    said = "learners that had not seen the example contradict its label, the surest first"
    if not found:
        return f"<h3>Likely label errors</h3><p>None among the training examples where {said}.</p>"
    doubtful = listed(pick(texts, np.array([finding.row for finding in found[:most]])))
    rows = [["example", "label", "suggested label", "margin", "text"]]
    rows += [
        [inert(names(f.row)), _name(f.label), _name(f.suggestion), f"{f.score or 0.0:.2f}", _excerpt(text)]
        for f, text in zip(found[:most], doubtful, strict=True)
    ]
    intro = f"<p>{len(found):,} training examples where {said}:</p>"
    return f'<h3>Likely label errors</h3>{intro}<div class="examples">{html_table(rows)}</div>'


def _excerpt(x: Any, most: int = 160) -> str:
    text = ", ".join(f"{name}: {value}" for name, value in x.items()) if isinstance(x, dict) else str(x)
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return f'<span dir="auto">{inert(shown)}</span>'


def _again(commands: str, random_state: int) -> str:
    about = f"lindy {__version__}; the seed of the learning curve is {random_state}."
    lines = [f"<p>{about} Results do not depend on the number of threads.</p>"]
    if commands:
        lines.append(f"<pre>{inert(commands)}</pre>")
    return "\n".join(lines)
