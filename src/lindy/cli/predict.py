"""``lindy predict``: one output row for every input row."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from lindy.cli.options import (
    UsageError,
    add_columns,
    add_inputs,
    add_threads_quiet_json,
    as_number,
    at_least,
    numbers_by_label,
)
from lindy.cli.output import Notes, opened
from lindy.cli.reading import begin_reading, read_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.evaluation.decisions import Decision
    from lindy.textclassifier import TextClassifier


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "predict",
        help="predict the label of each text of a table",
        description="Predict the label of each text of a table; writes one row per text: the label and its"
        " probability, or its score where the model was trained with --calibrate none.",
    )
    parser.add_argument("model", help="model file")
    add_inputs(parser, "table with texts; '-' is stdin")
    parser.add_argument(
        "--output", "-o", metavar="FILE", default="-", help="where to write (.csv or .jsonl); default: stdout"
    )
    parser.add_argument(
        "--proba", action="store_true", help="also write the probability (or score) of every class"
    )
    parser.add_argument(
        "--top-k",
        type=at_least(1),
        metavar="K",
        default=1,
        help="also write the next best labels and their probabilities, K in all",
    )
    parser.add_argument(
        "--reject",
        type=thresholds,
        metavar="P or LABEL=P,…",
        help="leave the label empty where its probability is below P (or below its own LABEL=P): better no label than"
        " a wrong one",
    )
    parser.add_argument(
        "--cost",
        type=cost,
        action="append",
        metavar="TRUE:PREDICTED=COST",
        help="what a confusion costs (others cost 1): the label of least expected cost is predicted; repeatable",
    )
    add_columns(parser, label=False)
    add_threads_quiet_json(parser, json="write JSON lines instead of CSV")
    parser.set_defaults(run=predict)


def predict(args: argparse.Namespace) -> None:
    """Load, predict, write."""
    note = Notes(args.quiet)
    begun = begin_reading(args)
    from lindy.data.batches import batches
    from lindy.textclassifier import load

    classifier = load(args.model, n_jobs=args.threads)
    examples = read_for(classifier, args, note, need_label=False, begun=begun)
    files, n_texts = examples.table.files, len(examples.texts)
    decide = decision(args, classifier)
    rejected, done = 0, 0
    with opened(args.output) as out, note.progress("predicting", n_texts) as advance:
        writer = Writer(
            out,
            names=[str(label) for label in classifier.classes_],
            measure="probability" if classifier.has_probabilities else "score",
            top=min(args.top_k, len(classifier.classes_)),
            every=args.proba,
        )
        as_json = args.json or args.output.endswith((".jsonl", ".ndjson"))
        if not as_json:
            writer.head(with_files=files is not None)
        write = writer.json_rows if as_json else writer.csv_rows
        for batch in batches(examples.texts):
            answer = classifier.answers(batch)
            codes = decide(answer)
            rejected += int((codes < 0).sum())
            write(answer.values, codes, None if files is None else files[done : done + len(batch)])
            done += len(batch)
            advance(len(batch))
    if args.reject is not None:
        note(f"rejected {rejected:,} of {n_texts:,} texts ({rejected / n_texts:.1%}): their label is empty")
    if args.output != "-":
        note(f"wrote {n_texts:,} predictions to {args.output}")


def decision(args: argparse.Namespace, classifier: TextClassifier) -> Decision:
    """Return the rule that ``--cost`` and ``--reject`` ask for."""
    from lindy.evaluation.decisions import Decision, cost_matrix, named_numbers

    limits, costs = None, None
    try:
        if args.reject is not None:
            default = args.reject.get(None, 0.0)
            by_label = {label: p for label, p in args.reject.items() if label is not None}
            limits = named_numbers(by_label, classifier.classes_, default)
        if args.cost:
            costs = cost_matrix(dict(args.cost), classifier.classes_)
    except ValueError as error:
        raise UsageError(str(error), "labels are written as in the training table") from None
    rule = Decision(costs, limits)
    if rule.needs_probabilities and not classifier.has_probabilities:
        raise UsageError(
            "--reject and --cost need probabilities, which this model does not have",
            "train it without --calibrate none",
        )
    return rule


def thresholds(text: str) -> dict[str | None, float]:
    """Return {None: 0.8} for ``0.8`` and {"spam": 0.9, "ham": 0.6} for ``spam=0.9,ham=0.6``."""
    limits: dict[str | None, float] = {label or None: p for label, p in numbers_by_label(text).items()}
    if not all(0 <= limit <= 2 for limit in limits.values()):  # above 1: never
        raise argparse.ArgumentTypeError(f"{text!r} is neither a probability nor LABEL=PROBABILITY,…")
    return limits


def cost(text: str) -> tuple[tuple[str, str], float]:
    """Return (("ham", "spam"), 10.0) for ``ham:spam=10``."""
    pair, _, number = text.rpartition("=")
    true, colon, predicted = pair.partition(":")
    value = as_number(number)
    if not colon or not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not TRUE:PREDICTED=COST with a cost of at least 0")
    return (true, predicted), value


class Writer(NamedTuple):
    """Writes a row for each text: its label and what speaks for it, a probability or a score.

    Attributes
    ----------
    out : text file
    names : list of str, the labels
    measure : "probability" or "score"
    top : int, how many labels are written, the best first
    every : bool, whether the measure of every label is written
    """

    out: IO[str]
    names: list[str]
    measure: str
    top: int
    every: bool

    def head(self, *, with_files: bool) -> None:
        """Write the first line of a CSV file."""
        more = [f"{what}_{k}" for k in range(2, self.top + 1) for what in ("label", self.measure)]
        header = ["label", self.measure, *more, *(self.names if self.every else [])]
        csv.writer(self.out, lineterminator="\n").writerow(["file"] * with_files + header)

    def csv_rows(self, values: NDArray[Any], codes: NDArray[Any], files: Sequence[str] | None) -> None:
        """Write the rows of texts, from their values (texts × labels), label numbers and files."""
        import numpy as np

        from lindy import _native

        written = [_field(name) for name in self.names]
        columns: list[Any] = []
        if files is not None:
            columns.append(([_field(file) for file in files], np.arange(len(files))))
        for ranked in (codes, *self._runners_up(values, codes)):
            columns += [(written, ranked.astype(np.int64)), _best(values, ranked).astype(np.float64)]
        if self.every:
            columns += [np.ascontiguousarray(column, np.float64) for column in values.T]
        self.out.write(_native.delimited_lines(columns))

    def json_rows(self, values: NDArray[Any], codes: NDArray[Any], files: Sequence[str] | None) -> None:
        """Write the same rows as JSON lines."""
        names, measure = self.names, self.measure
        plural = {"probability": "probabilities", "score": "scores"}[measure]
        others = [runner_up.tolist() for runner_up in self._runners_up(values, codes)]
        best = _best(values, codes).tolist()
        for i, (row, k) in enumerate(zip(values.tolist(), codes.tolist(), strict=True)):
            record: dict[str, Any] = {} if files is None else {"file": files[i]}
            record |= {"label": names[k] if k >= 0 else None, measure: round(best[i], 6)}
            if self.top > 1:
                record["next"] = [{"label": names[o[i]], measure: round(row[o[i]], 6)} for o in others]
            if self.every:
                record[plural] = {name: round(p, 6) for name, p in zip(names, row, strict=True)}
            self.out.write(json.dumps(record, ensure_ascii=False) + "\n")

    def _runners_up(self, values: NDArray[Any], codes: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the labels in second, third, … place, behind each row's own (behind the best one if it has none)."""
        if self.top < 2:
            return []
        import numpy as np

        leader = np.where(codes < 0, values.argmax(axis=1), codes)
        ranked = values.astype(np.float64)
        ranked[np.arange(len(values)), leader] = np.inf
        order = np.argsort(-ranked, axis=1, kind="stable")
        return [order[:, k] for k in range(1, self.top)]


def _field(text: str) -> str:
    """Return a text as a field of a CSV file."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([text, ""])
    return line.getvalue()[:-1]


def _best(values: NDArray[Any], codes: NDArray[Any]) -> NDArray[Any]:
    """Return the value of each row's label, of the best one where there is no label."""
    best: NDArray[Any] = values[range(len(values)), codes]
    rejected = codes < 0
    best[rejected] = values[rejected].max(axis=1)
    return best
