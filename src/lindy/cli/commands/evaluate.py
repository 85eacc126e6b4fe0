"""``lindy evaluate``: how good a model is on a labelled table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from lindy.cli.io.chunked_reading import ExampleChunks
from lindy.cli.io.console import Notes, as_options, clean, print_json, table_format
from lindy.cli.io.evaluation_tables import (
    render,
    render_coverage,
    render_labels,
    render_reliability,
    render_thresholds,
)
from lindy.cli.io.reading import begin_reading
from lindy.cli.options.decision_options import add_coverage, label_sets
from lindy.cli.options.fasttext_flags import add_strict, load_strictly
from lindy.cli.options.shared import (
    add_columns,
    add_force,
    add_id,
    add_inputs,
    add_spreadsheet_safe,
    add_threads_quiet_json,
    at_least,
    between_0_and_1,
    check_spreadsheet_safe,
)
from lindy.cli.parsing import UsageError, example_commands, refuse
from lindy.data.formats.registry import TABLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.data import TextData
    from lindy.evaluation import LabelEvaluation, Predictions
    from lindy.evaluation.metrics.label_metrics import StreamingLabelMetrics
    from lindy.evaluation.metrics.streaming_metrics import StreamingMetrics
    from lindy.textclassifier import TextClassifier

RESAMPLES = 500
_MOST_UNKNOWN = 20


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "evaluate",
        epilog=example_commands(
            "lindy evaluate reviews.lindy test.csv",
            "lindy evaluate reviews.lindy test.csv --mistakes wrong.xlsx",
            "lindy evaluate model.bin test.ft --fasttext 5",
        ),
        help="compare a model's predictions with the labels of a table",
        description="Compare a model's predictions with a table's labels: accuracy, precision, recall, F1, confusion,"
        " log loss and calibration. --json also has Brier score, MCC, areas under the ROC and precision-recall curves,"
        " top-k accuracy, all averages, and an interval for every figure.",
    )
    parser.add_argument("model", help="model file")
    add_inputs(parser, "table with texts and labels; '-' is stdin")
    add_columns(parser, label=True)
    parser.add_argument(
        "--precision",
        type=between_0_and_1,
        metavar="P",
        help="also find, for each class, how probable a label must be to be right in a share P of the cases: thresholds"
        " for 'lindy predict --reject'",
    )
    parser.add_argument(
        "--reliability",
        action="store_true",
        help="show how well the probabilities match the outcomes, bin by bin",
    )
    add_coverage(parser, "also say how well sets of labels keep their promise, and how large they are")
    parser.add_argument(
        "--mistakes",
        metavar="FILE",
        help="write all wrong predictions, the most confident first, to view in a spreadsheet: row, label, prediction,"
        f" text; its name sets the format: {', '.join(f'.{name}' for name in TABLES)}",
    )
    parser.add_argument(
        "--fasttext",
        nargs="?",
        const=1,
        type=at_least(1),
        metavar="K",
        help="print only the three lines of 'fasttext test': how many rows have labels, precision and recall of the"
        " first K labels (default: 1)",
    )
    add_id(parser)
    add_strict(parser)
    add_spreadsheet_safe(parser)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=evaluate)


def evaluate(args: argparse.Namespace) -> None:
    """Load, predict, compare."""
    note = Notes(args.quiet)
    if args.mistakes:
        check_mistakes(args.mistakes)
    elif args.id:
        raise UsageError("argument --id: it has no effect without --mistakes", "add --mistakes FILE")
    check_spreadsheet_safe(args, table_format(args.mistakes, "--mistakes") if args.mistakes else None)
    if args.fasttext is not None:
        refuse(
            args,
            ("precision", "reliability", "coverage", "mistakes"),
            "--fasttext prints its three numbers only",
        )
    begun = begin_reading(args, parts=True)
    from lindy.evaluation.metrics.label_metrics import StreamingLabelMetrics

    classifier = load_strictly(args)
    check_probabilities(args, classifier)
    parts = ExampleChunks(classifier, args, note, begun)
    if args.fasttext is not None:
        report_as_fasttext(classifier, parts, note, args)
        return
    seen = Seen(classifier, args)
    seen.look(parts, note)
    names = parts.names or []
    roles = seen.roles()
    if roles:
        used = " and ".join(roles)
        note(
            f"warning: this table was used for {used}: expect worse figures on texts that the model has not seen"
        )
    if seen.mistakes is not None:
        seen.mistakes.write(args, names)
        note(f"wrote {seen.mistakes.n:,} mistakes to {args.mistakes}, the most confident first")
    if isinstance(seen.tally, StreamingLabelMetrics):
        coverage = None if seen.coverage is None else seen.coverage.to_dict()
        report_labels(seen.tally.evaluation(), classifier.metric_, roles, note, coverage, as_json=args.json)
    else:
        report(seen, seen.tally, names, roles, note, args)


def report(
    seen: Seen,
    tally: StreamingMetrics,
    names: list[str],
    roles: list[str],
    note: Notes,
    args: argparse.Namespace,
) -> None:
    """Write the figures of a model that gives one label to a text."""
    from lindy.data.columns.label_cleaning import escaped
    from lindy.evaluation.metrics.hierarchical import with_hierarchy

    classifier = seen.classifier
    unknown = tally.unknown(names)
    if unknown:
        listed = ", ".join(f"{escaped(label)} ({count:,})" for label, count in unknown.items())
        note(
            f"warning: {sum(unknown.values()):,} of {tally.n:,} rows have labels that the model does not know; they"
            f" count as wrong: {listed}"
        )
    aimed = aim(classifier, tally)
    with note.progress("comparing"):
        result = with_hierarchy(tally.evaluation(names), classifier.hierarchy_)
    thresholds = None
    if args.precision is not None:
        found = tally.thresholds(args.precision).tolist()
        thresholds = dict(zip(tally.classes, found, strict=True))
    for said in aimed.concerns:
        note(f"warning: {said}")
    weighted = seen.weighted_accuracy
    if args.json:
        record = result.to_dict() | {"used_for": roles, "unknown_labels": unknown}
        record |= {"metric": classifier.metric, "concerns": [as_options(said) for said in aimed.concerns]}
        record |= {} if weighted is None else {"weighted_accuracy": weighted}
        record |= {} if thresholds is None else {"thresholds": thresholds}
        record |= {} if seen.coverage is None else {"coverage": seen.coverage.to_dict()}
        print_json(record)
        return
    sys.stdout.write(aimed.line + render(result, unknown))
    if weighted is not None:
        sys.stdout.write(
            f"accuracy by the weights of the rows: {weighted:.4f}; all other figures count every row once\n"
        )
    if args.reliability and result.probabilities is not None:  # None where no label is one of the model's
        sys.stdout.write(render_reliability(result.probabilities.reliability, seen.own_calibration_error))
    if thresholds is not None:
        sys.stdout.write(render_thresholds(thresholds))
    if seen.coverage is not None:
        sys.stdout.write(render_coverage(**seen.coverage.to_dict()))


class Seen:
    """The evaluation of labelled examples as they come: how the model does, and whether it knows them."""

    def __init__(self, classifier: TextClassifier, args: argparse.Namespace) -> None:
        from lindy.cli.io.mistakes import Mistakes
        from lindy.data.columns.fingerprints import RunningFingerprint
        from lindy.evaluation.coverage import CoverageTally
        from lindy.evaluation.metrics.label_metrics import StreamingLabelMetrics
        from lindy.evaluation.metrics.reliability import Bins
        from lindy.evaluation.metrics.streaming_metrics import StreamingMetrics

        self.classifier = classifier
        self._names = [str(label) for label in classifier.classes_]
        self.tally: StreamingMetrics | StreamingLabelMetrics = (
            StreamingLabelMetrics(self._names, classifier.rule_.to_state(), classifier.hierarchy_)
            if classifier.rule_ is not None and classifier.rule_.several
            else StreamingMetrics(
                self._names,
                resamples=RESAMPLES if args.json else 0,
                keep_chosen=args.precision is not None,
            )
        )
        self.mistakes = Mistakes(args.id) if args.mistakes else None
        self.weighted_accuracy: float | None = None
        self._mark = RunningFingerprint() if any(classifier.seen_.values()) else None
        self._path: str | None = None
        self._roles: list[str] = []
        has_own = classifier.calibrator_ is not None and classifier.learner_.has_probabilities
        self._own = Bins() if args.reliability and has_own else None
        self._sets = label_sets(args, classifier)
        self.coverage = None if self._sets is None else CoverageTally(args.coverage)

    def look(self, parts: ExampleChunks, note: Notes) -> None:
        """Predict all examples and count what comes out."""
        with note.progress("predicting") as advance:
            for examples, numbers in parts:
                classes, done = parts.class_numbers()[numbers], 0
                self._mark_rows(examples)
                count, best = self._counting(examples, numbers, classes), []
                pairs = self._pairs(examples, classes)
                for batch in examples.inputs.chunks():
                    rows = slice(done, done + len(batch))
                    predicted = self.classifier.predictions(batch)
                    wrong = count(rows, predicted)
                    if self.coverage is not None and self._sets is not None:
                        self.coverage.add(*pairs(rows), self._sets(predicted))
                    if self.mistakes is not None:
                        self.mistakes.add(examples, numbers[rows], wrong, predicted, done, self._names)
                    if self._own is not None:
                        from lindy.evaluation.metrics.reliability import top_labels

                        own = self.classifier.predictions(batch, calibrated=False).values
                        self._own.add(*top_labels(own, classes[rows]))
                    best.append(predicted.best)
                    done += len(batch)
                    advance(len(batch))
                self._weigh(examples, classes, best)

    def _counting(
        self, examples: TextData, numbers: NDArray[Any], classes: NDArray[Any]
    ) -> Callable[[slice, Predictions], NDArray[Any]]:
        """Return a function that counts what is said of some of the examples, and returns which of them are wrong."""
        import numpy as np

        from lindy.core.column import is_list
        from lindy.core.targets import as_lists
        from lindy.errors import DataError
        from lindy.evaluation.metrics.streaming_metrics import StreamingMetrics

        tally = self.tally
        if isinstance(tally, StreamingMetrics):
            if is_list(examples.labels):
                raise DataError(
                    f"{examples.table.path}: rows have several labels, and the model gives one to each text",
                    "Name another column with --label; --label-separator none keeps joined labels whole.",
                )

            def count(rows: slice, predicted: Predictions) -> NDArray[Any]:
                tally.add(numbers[rows], classes[rows], predicted)
                return np.flatnonzero(classes[rows] != predicted.best)

            return count
        truth = as_lists(examples.labels)
        every = np.arange(len(truth))
        return lambda rows, predicted: np.flatnonzero(
            tally.add(truth.take(every[rows]), predicted)["subset_accuracy"] == 0
        )

    def _pairs(self, examples: TextData, classes: NDArray[Any]) -> Callable[[slice], tuple[Any, Any]]:
        """Return a function that pairs some of the examples with the class numbers of their true labels."""
        import numpy as np

        from lindy.core.targets import as_lists

        if not self.classifier.several_labels:
            return lambda rows: (np.arange(rows.stop - rows.start), classes[rows])
        truth, known = as_lists(examples.labels), {name: k for k, name in enumerate(self._names)}
        numbers = np.array([known.get(str(name), -1) for name in truth.names.tolist()], np.intp)

        def pairs(rows: slice) -> tuple[Any, Any]:
            found, codes = truth.take(np.arange(rows.start, rows.stop)).pairs
            return found, numbers[codes]

        return pairs

    def roles(self) -> list[str]:
        """Return what the examples were used for when the model was made."""
        if self._mark is not None:
            self._roles += self.classifier.roles_by_mark(self._mark.digits())
            self._mark = None
        return list(dict.fromkeys(self._roles))

    @property
    def own_calibration_error(self) -> float | None:
        """The calibration error that the model would have without its calibrator; None if it has no say."""
        return None if self._own is None else self._own.curve().error

    def _mark_rows(self, examples: TextData) -> None:
        if self._mark is None:
            return
        table, labels = examples.table, examples.labels
        assert labels is not None
        if table.find is not None:  # feature rows and images, which are a single part
            self._roles = self.classifier.roles_of(examples.texts, labels)
            self._mark = None
            return
        for rows in table.inputs:
            if rows.start or self._path not in (None, table.path):  # every file has a mark of its own
                self._roles += self.classifier.roles_by_mark(self._mark.digits())
                self._mark = type(self._mark)()
            self._mark.add(self.classifier.as_input(examples.texts[rows]), labels[rows])
        self._path = table.path

    def _weigh(self, examples: TextData, classes: NDArray[Any], best: list[NDArray[Any]]) -> None:
        """Find the share of the rows' weights that is right, where a Vowpal Wabbit file, a single part, has weights."""
        weight = getattr(examples.texts, "weight", None)
        if self.classifier.several_labels or weight is None or not weight.any():
            return
        import numpy as np

        self.weighted_accuracy = float(np.average(classes == np.concatenate(best), weights=weight))


def check_probabilities(args: argparse.Namespace, classifier: TextClassifier) -> None:
    """Raise if figures about probabilities are asked of a model that has none."""
    for option, asked in (("--precision", args.precision is not None), ("--reliability", args.reliability)):
        if asked and classifier.several_labels:
            raise UsageError(
                f"argument {option}: the model gives any number of labels to a text",
                f"leave out {option}",
            )
        if asked and not classifier.has_probabilities:
            raise UsageError(
                f"argument {option}: the model has no probabilities", "train it without --calibrate none"
            )


def check_mistakes(path: str) -> None:
    """Raise before any work if the mistakes cannot be written."""
    table_format(path, "--mistakes")
    if path == "-":
        raise UsageError(
            "argument --mistakes: stdout is already used for the figures", "name a file, such as mistakes.csv"
        )


class Aim(NamedTuple):
    """The criterion that a model was trained for: a line about its value here, and what should be known about it."""

    line: str
    concerns: list[str]


def aim(classifier: TextClassifier, tally: StreamingMetrics) -> Aim:
    """Return how the model does by its own metric, where that is not in the table anyway, and concerns."""
    from lindy.evaluation.criterion import Criterion
    from lindy.evaluation.diagnostics import concern_of_counts

    counts = tally.class_counts()
    said = concern_of_counts(
        counts.actual,
        counts.called,
        counts.right,
        tally.classes,
        what="texts of this table",
        metric=classifier.metric,
    )
    concerns = [said] if said else []
    if classifier.metric == "accuracy" or not counts.actual.any():
        return Aim("", concerns)
    criterion = Criterion.of(classifier.metric, classifier.classes_, classifier.class_counts_)
    if not criterion.of_probabilities:
        figure = f"{criterion.figure_of_counts(counts.actual, counts.called, counts.right):.4f}"
    elif tally.log_loss is not None:
        figure = f"{tally.log_loss:.4f}"
    else:
        return Aim("", concerns)
    if criterion.metric.precision is not None:
        called = int(counts.called_of_all[criterion.target])
        precision = int(counts.right[criterion.target]) / called if called else 0.0
        figure += f"; precision {precision:.4f}"
    return Aim(f"trained for {clean(classifier.metric)}: {clean(criterion.title)}: {figure}\n", concerns)


def report_as_fasttext(
    classifier: TextClassifier, parts: ExampleChunks, note: Notes, args: argparse.Namespace
) -> None:
    """Write the three numbers that 'fasttext test' prints, in its form."""
    import numpy as np

    from lindy.core.targets import as_lists
    from lindy.evaluation.metrics.top_counts import EPSILON, TopCounts

    least = EPSILON if getattr(classifier.learner_, "loss", None) == "hs" else -np.inf
    counts = TopCounts([str(label) for label in classifier.classes_], args.fasttext, least)
    with note.progress("predicting") as advance:
        for examples, _ in parts:
            truth, done = as_lists(examples.labels), 0
            for batch in examples.inputs.chunks():
                rows = range(done, done + len(batch))
                counts.add(truth.take(np.array(rows)), classifier.predictions(batch))
                done += len(batch)
                advance(len(batch))
    if counts.left_out:
        note(
            f"note: {counts.left_out:,} rows have no label that the model knows; as in fastText, they do not count"
        )
    figures = {"N": counts.n, f"P@{args.fasttext}": counts.precision, f"R@{args.fasttext}": counts.recall}
    if args.json:
        print_json({name: None if np.isnan(value) else value for name, value in figures.items()})
        return
    sys.stdout.write(
        "".join(f"{name}\t{value if name == 'N' else f'{value:.3g}'}\n" for name, value in figures.items())
    )


def report_labels(
    result: LabelEvaluation,
    metric: str,
    roles: list[str],
    note: Notes,
    coverage: Mapping[str, Any] | None = None,
    *,
    as_json: bool,
) -> None:
    """Write the figures of a model that gives any number of labels to a text."""
    if unknown := result.unknown:
        listed = ", ".join(f"{label!r} ({count:,})" for label, count in list(unknown.items())[:_MOST_UNKNOWN])
        more = f" and {len(unknown) - _MOST_UNKNOWN:,} more" if len(unknown) > _MOST_UNKNOWN else ""
        note(
            f"warning: the model does not know {len(unknown):,} of the labels; they count as missed, with an F1 of 0:"
            f" {listed}{more}"
        )
    if as_json:
        record = result.to_dict() | {"used_for": roles, "metric": metric}
        print_json(record | ({} if coverage is None else {"coverage": coverage}))
        return
    if metric != "micro-f1":  # which comes first anyway
        sys.stdout.write(f"trained for {clean(metric)}: {result.figure(metric):.4f}\n")
    sys.stdout.write(render_labels(result))
    if coverage is not None:
        sys.stdout.write(render_coverage(**coverage))
