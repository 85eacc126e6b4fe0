"""The pictures of ``lindy plot``, one function per kind."""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from lindy import plots
from lindy.cli.io.console import Notes
from lindy.cli.io.reading import (
    read_for,
    read_labelled,
    require_one_label,
    text_names,
    vectorizer_of,
    wanted_columns,
)
from lindy.cli.options.row_options import division_of
from lindy.cli.parsing import UsageError
from lindy.estimators.learners import learners_with, usual_learners
from lindy.plots.style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _toy_learner(name: str, **options: Any) -> Any:
    from lindy.cli.options.learner_options import named_learner
    from lindy.plots.boundary import toy_learner

    if name != "naive-bayes":
        named_learner(name, [], 0)  # which says what is wrong with a name
    return toy_learner(name, **{"random_state": 0} | options)


def _shape(args: argparse.Namespace) -> Any:
    from lindy.data import toy_shape

    return toy_shape(args.shape, max(args.points, 8), random_state=args.seed)


def boundary(args: argparse.Namespace) -> Axes:
    """Learners on two Gaussians, or on a shape; their accuracies go to stdout."""
    names = args.learner or (
        ["svm", "kernel-svm"] if args.shape else ["naive-bayes", *usual_learners("plot")]
    )
    found = plots.boundaries(
        {name: _toy_learner(name) for name in names},
        points=max(args.points, 8),
        variance=1.0 if args.variance is None else args.variance,
        balance=0.5 if args.balance is None else args.balance,
        shape=args.shape,
        seed=args.seed,
    )
    print(found)  # noqa: T201
    return found.ax


def regions(args: argparse.Namespace) -> Axes:
    """One learner on three Gaussians, or on a shape."""
    from lindy.data import toy_gaussians

    three = [(-2, -1), (2, -1), (0, 2)]
    toy: Any = (
        _shape(args)
        if args.shape
        else toy_gaussians(args.points, means=three, variances=0.8, random_state=args.seed)
    )
    (name,) = _only_one(args, "kernel-svm" if args.shape else "maxent")
    return plots.decision_regions(_toy_learner(name).fit(toy.X_train, toy.y_train), toy)


def path(args: argparse.Namespace) -> Axes:
    """Draw the regularisation path of a table, or the weights of an online learner on two Gaussians."""
    if args.input:
        return _penalties(args)
    from lindy.data import toy_gaussians

    toy = toy_gaussians(args.points, variances=0.5, random_state=args.seed)
    (name,) = _only_one(args, "perceptron")
    learner = _toy_learner(name, trace=args.every, epochs=args.epochs, average=False)
    if not hasattr(learner, "trace"):
        raise UsageError(
            f"{name} does not keep the path of its weights", f"use {' or '.join(learners_with('trace'))}"
        )
    return plots.weight_path(learner.fit(toy.X_train, toy.y_train).trace_)


def _penalties(args: argparse.Namespace) -> Axes:
    """Fit MaxEnt, or the SVM, along penalties to four fifths of a table; the others are held out."""
    from lindy.linear import regularization_path

    (name,) = _only_one(args, "maxent")
    learner = _toy_learner(name)
    if name not in ("maxent", "svm"):
        raise UsageError(f"{name} has no path of penalties", "use maxent or svm")
    vectorizer, learned, held_out = _divided(args)
    names = vectorizer.get_feature_names_out().tolist()
    found = regularization_path(*learned, penalty=args.penalty, learner=learner, names=names)
    return plots.regularization_path(found, found.score(*held_out))


def objective(args: argparse.Namespace) -> Axes:
    """Objective against time, per optimiser."""
    from lindy.linear import MaxEnt
    from lindy.linear.optimizers import SOLVERS

    rows, y = _rows(args)
    histories = {}
    able = {name: solver for name, solver in SOLVERS.items() if solver.handles("log", "l2")}
    # of those that prove nothing, the one of the lectures
    for solver in [name for name in able if able[name].certifies or name == "sgd"]:
        with warnings.catch_warnings():
            # that an optimiser does not reach the end is what the picture shows
            warnings.simplefilter("ignore")
            learner = MaxEnt(solver=solver, tol=1e-10, max_iter=100, n_jobs=args.threads)
            histories[solver] = learner.fit(rows, y).history_
    return plots.objective_by_time(histories)


def epochs(args: argparse.Namespace) -> Axes:
    """Training and held-out accuracy of an online learner, epoch by epoch."""
    (name,) = _only_one(args, "perceptron")
    learner = _toy_learner(name, epochs=args.epochs, random_state=args.seed)
    if not hasattr(learner, "held_out"):
        raise UsageError(f"{name} does not learn in epochs", f"use {' or '.join(learners_with('held_out'))}")
    _, learned, held_out = _divided(args)
    scores: list[tuple[float, float]] = []
    # the same order of rows each time, so that n epochs are the first n of more
    for n in range(1, args.epochs + 1):
        fitted = _toy_learner(name, epochs=n, random_state=args.seed).fit(*learned)
        scores.append((_accuracy(fitted, *learned), _accuracy(fitted, *held_out)))
    return plots.accuracy_by_epoch(*zip(*scores, strict=True))


def learning_curve(args: argparse.Namespace) -> Axes:
    """Accuracy by the number of training examples, of what ``train`` would take unless learners are named."""
    from lindy.report.measure import learning_curve as measure
    from lindy.textclassifier import TextClassifier

    args.takes_several = True
    examples: Any = read_labelled(args, Notes(args.quiet), data=args.input[0])
    columns, division = text_names(examples, wanted_columns(args)), division_of(args, examples)
    curves = {
        name: measure(
            TextClassifier(learner=name, columns=columns, n_jobs=args.threads),
            examples.texts,
            examples.labels,
            args.seed,
            division=division,
        )
        for name in args.learner or ["auto"]
    }
    first = next(iter(curves.values()))
    if len(curves) == 1:
        scores = {"training": first.training, "held out": first.held_out}
        by = "" if args.learner else "as 'lindy train' chooses on the rows that are not held out: "
        Notes(args.quiet)(f"drawn {by}{first.recipe}")
        ax = plots.learning_curve(first.sizes, scores, {"held out": first.intervals}, measure=first.measure)
        ax.set_title(plain(first.recipe, 120), fontsize="small", wrap=True)
        return ax
    scores = {name: curve.held_out for name, curve in curves.items()}
    return plots.learning_curve(first.sizes, scores, measure=first.measure)


def weights(args: argparse.Namespace) -> Axes:
    """Show the largest weights of a class."""
    from lindy.cli.commands.explain import known_label
    from lindy.explain import inspect
    from lindy.textclassifier import load

    model = load(args.input[0])
    label = known_label(model, args.class_label)
    label = model.classes_.tolist()[-1] if label is None else label
    found = inspect(model, top=20, label=label)
    return plots.top_features(found.top.get(label, []), label=str(label), measure=found.measure)


def confusion(args: argparse.Namespace) -> Axes:
    """Confusion: true against predicted labels."""
    model, texts, truth = _model_and_table(args)
    result = model.evaluate(texts, truth)
    return plots.confusion(result.confusion, result.labels)


def f1_by_frequency(args: argparse.Namespace) -> Axes:
    """Draw the F1 of each label by how often it was learned from."""
    from lindy.evaluation import evaluate_labels
    from lindy.explain import inspect

    model, said, truth = _labels_of_table(args)
    learned = {str(own.label): own.examples for own in inspect(model, top=1).classes}
    labels = [own for own in evaluate_labels(truth, said, model.classes_).labels if own.support]
    counts = [learned.get(str(own.label), 0) for own in labels]
    return plots.f1_by_frequency(counts, [own.f1 for own in labels], [own.label for own in labels])


def threshold(args: argparse.Namespace) -> Axes:
    """Precision, recall and F1 of a label by its threshold."""
    from lindy.cli.commands.explain import known_label

    model, said, truth = _labels_of_table(args)
    label = known_label(model, args.class_label)
    known = model.classes_.tolist()
    k = int(model.class_counts_.argmax()) if label is None else known.index(label)
    has = truth.among(np.array(sorted({*truth.names.tolist(), *known}), object))
    column = has.names.tolist().index(known[k])
    cut = float(np.broadcast_to(model.rule_.to_state(), len(known))[k])
    return plots.threshold_curve(has.signs(column) > 0, said.values[:, k], cut, label=str(known[k]))


def cooccurrence(args: argparse.Namespace) -> Axes:
    """Which labels of a table go together."""
    from lindy.core.column import is_list
    from lindy.core.targets import as_lists

    args.takes_several = True
    examples = read_labelled(args, Notes(args.quiet), data=args.input[0])
    if not is_list(examples.labels):
        raise UsageError(
            f"plot cooccurrence is for tables of several labels per text, and {args.input[0]} has one",
            "name what stands between labels with --label-separator, or the columns with --labels a,b,c",
        )
    return plots.label_cooccurrence(as_lists(examples.labels))


def _labels_of_table(args: argparse.Namespace) -> tuple[Any, Any, Any]:
    """Return a model of several labels, what it says of a table, and the labels there."""
    from lindy.core.targets import as_lists
    from lindy.textclassifier import load

    model = load(args.input[0], n_jobs=args.threads)
    if not model.several_labels:
        raise UsageError(
            f"plot {args.kind} is for models of several labels per text, and {args.input[0]} gives one",
            "draw its confusion or reliability",
        )
    examples: Any = read_for(model, args, Notes(quiet=True), data=args.input[1])
    return model, model.predictions(examples.texts), as_lists(examples.labels)


def reliability(args: argparse.Namespace) -> Axes:
    """Whether probabilities come true; those of several labels per text, all pairs of a text and a label together."""
    from lindy.textclassifier import load

    if load(args.input[0]).several_labels:
        model, said, truth = _labels_of_table(args)
        if not said.are_probabilities:
            raise UsageError(f"{args.input[0]} gives no probabilities", "train it without --calibrate none")
        names = model.classes_
        known = truth.only(np.flatnonzero(np.isin(truth.names, names)))
        return plots.label_reliability(known.among(names), said.values)
    model, texts, truth = _model_and_table(args)
    if not model.has_probabilities:
        raise UsageError(f"{args.input[0]} gives no probabilities", "train it without --calibrate none")
    probabilities = model.predict_proba(texts)
    predicted = model.classes_[probabilities.argmax(axis=1)]
    right = np.array([str(label) for label in predicted]) == np.array(truth)
    return plots.reliability(right, probabilities.max(axis=1))


def _only_one(args: argparse.Namespace, default: str) -> list[str]:
    names = args.learner or [default]
    if len(names) != 1:
        raise UsageError(f"plot {args.kind} draws one learner", "give --learner once")
    return list(names)


def _accuracy(learner: Any, rows: Any, y: Any) -> float:
    return float(np.mean(learner.predict(rows) == y))


def _examples(args: argparse.Namespace) -> Any:
    args.takes_several = True
    return require_one_label(read_labelled(args, Notes(quiet=True), data=args.input[0]), "plot")


def _rows(args: argparse.Namespace) -> tuple[Any, Any]:
    from lindy.core.targets import as_targets
    from lindy.text import TfidfVectorizer

    examples = _examples(args)
    words = TfidfVectorizer(sublinear_tf=True, n_jobs=args.threads)
    rows = vectorizer_of(examples, args, words).fit_csr(examples.texts)
    return rows, as_targets(examples.labels).codes


def _divided(args: argparse.Namespace) -> tuple[Any, tuple[Any, Any], tuple[Any, Any]]:
    """Return a vectorizer, rows and class numbers to learn from, and a fifth held out, whose words it does not know."""
    from lindy.core.targets import as_targets
    from lindy.text import TfidfVectorizer

    examples = _examples(args)
    y = as_targets(examples.labels).codes
    kept, held = division_of(args, examples).hold_out(y, 0.2, args.seed)
    vectorizer = vectorizer_of(examples, args, TfidfVectorizer(sublinear_tf=True, n_jobs=args.threads))
    rows = vectorizer.fit_csr(examples.inputs.take(kept).values)
    return vectorizer, (rows, y[kept]), (vectorizer.transform_csr(examples.inputs.take(held).values), y[held])


def _model_and_table(args: argparse.Namespace) -> tuple[Any, Any, list[str]]:
    from lindy.textclassifier import load

    model = load(args.input[0], n_jobs=args.threads)
    if model.several_labels:
        raise UsageError(
            f"plot {args.kind} is for models of one label per text, and {args.input[0]} gives several",
            "draw its f1-by-frequency, threshold or reliability",
        )
    examples: Any = read_for(model, args, Notes(quiet=True), data=args.input[1])
    return model, examples.texts, examples.labels.to_pylist()
