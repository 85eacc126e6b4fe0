"""``lindy predict``: one output row for every input row."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from lindy.cli import options
from lindy.cli.manners import Notes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.data import TextData
    from lindy.textclassifier import TextClassifier


def predict(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    data: Annotated[str, typer.Argument(help="Table with texts; '-' is stdin.")],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write (.csv or .jsonl); '-' is stdout."
        ),
    ] = "-",
    text: options.Text = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also write every class's probability.")] = False,
    format: options.Format = None,  # noqa: A002
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON lines instead of CSV.")] = False,
) -> None:
    """Predict the label of each text of a table."""
    note = Notes(quiet)
    from lindy.textclassifier import batches, load

    classifier = load(model, n_jobs=threads)
    with note.progress("reading"):
        examples = read_for(classifier, data, text, None, format, need_label=False)
    note(examples.columns.why)
    json_lines = as_json or output.endswith((".jsonl", ".ndjson"))
    with opened(output) as out, note.progress("predicting", len(examples.texts)) as advance:
        names = [str(label) for label in classifier.classes_]
        write = _json_rows if json_lines else _csv_rows
        if not json_lines:
            csv.writer(out, lineterminator="\n").writerow(["label", "probability", *(names if proba else [])])
        for batch in batches(examples.texts):
            write(out, names, classifier.predict_proba(batch), proba)
            advance(len(batch))
    if output != "-":
        note(f"wrote {len(examples.texts):,} predictions to {output}")


def read_for(
    classifier: TextClassifier,
    data: str,
    text: str | None,
    label: str | None,
    format: str | None,  # noqa: A002
    *,
    need_label: bool,
) -> TextData:
    """Read a table, preferring the columns that the model was trained on where the table has them."""
    from lindy.data import examples_of, read_table

    table = read_table(data, format=format)
    present = {role: name for role, name in classifier.columns_.items() if name in table.column_names}
    return examples_of(
        table, text=text or present.get("text"), label=label or present.get("label"), need_label=need_label
    )


@contextmanager
def opened(output: str) -> Iterator[IO[str]]:
    """Open stdout for ``-``, otherwise a file that appears only when it is complete."""
    if output == "-":
        yield sys.stdout
        return
    from lindy.modelfile import atomic_write

    with atomic_write(output, text=True) as file:
        yield file


def _csv_rows(out: IO[str], names: list[str], probabilities: NDArray[Any], every: bool) -> None:
    writer = csv.writer(out, lineterminator="\n")
    tops = probabilities.max(axis=1).tolist()
    columns = [[names[k] for k in probabilities.argmax(axis=1)], [f"{p:.6g}" for p in tops]]
    if every:
        columns += [[f"{p:.6g}" for p in column] for column in probabilities.T]
    writer.writerows(zip(*columns, strict=True))


def _json_rows(out: IO[str], names: list[str], probabilities: NDArray[Any], every: bool) -> None:
    for row in probabilities:
        best = int(row.argmax())
        record: dict[str, Any] = {"label": names[best], "probability": round(float(row[best]), 6)}
        if every:
            record["probabilities"] = {name: round(float(p), 6) for name, p in zip(names, row, strict=True)}
        out.write(json.dumps(record, ensure_ascii=False) + "\n")
