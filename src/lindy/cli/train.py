"""``lindy train``: from a table to a saved model."""

from __future__ import annotations

import ast
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lindy.cli import options
from lindy.cli.manners import Notes, size
from lindy.errors import DataError, LindyError

if TYPE_CHECKING:
    from lindy.data import TextData
    from lindy.textclassifier import TextClassifier


def train(
    data: Annotated[
        str, typer.Argument(help="Table with texts and labels (CSV, TSV, JSONL, Parquet); '-' is stdin.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Model file to write; default: the table's name.lindy."
        ),
    ] = None,
    text: options.Text = None,
    label: options.Label = None,
    learner: Annotated[
        str, typer.Option("--learner", metavar="NAME", help="What to train: naive-bayes.")
    ] = "naive-bayes",
    ngrams: Annotated[
        str, typer.Option("--ngrams", metavar="N or M-N", help="Word n-grams as features, e.g. 1 or 1-2.")
    ] = "1",
    min_df: Annotated[
        int, typer.Option("--min-df", min=1, metavar="N", help="Leave out words in fewer than N texts.")
    ] = 1,
    max_features: Annotated[
        int | None, typer.Option("--max-features", min=1, metavar="N", help="Keep the N most frequent words.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param", metavar="NAME=VALUE", help="An option of the learner, e.g. alpha=0.5; repeatable."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of learners that draw at random.")] = 0,
    format: options.Format = None,  # noqa: A002
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Train a classifier on a table and save it."""
    note = Notes(quiet)
    began = time.perf_counter()
    target = output or default_output(data)
    from lindy.modelfile import check_writable

    check_writable(target)
    shortest, longest = parse_ngrams(ngrams)
    from lindy.data import read_examples
    from lindy.textclassifier import TextClassifier

    model = TextClassifier(
        learner=named_learner(learner, param or [], seed),
        ngrams=(shortest, longest),
        min_df=min_df,
        max_features=max_features,
        n_jobs=threads,
    )
    with note.progress("reading"):
        examples = read_examples(data, text=text, label=label, format=format)
    note(examples.columns.why)
    with note.progress("learning"):
        fit(model, examples, data)
    model.columns_ = {"text": examples.columns.text, "label": examples.columns.label or ""}
    model.save(target)
    summary = {
        "model": str(target),
        "learner": learner,
        "examples": len(examples.texts),
        "classes": {str(c): int(n) for c, n in zip(model.classes_, model.class_counts_, strict=True)},
        "features": int(model.learner_.n_features_in_),
        "bytes": target.stat().st_size,
        "seconds": round(time.perf_counter() - began, 3),
    }
    note(describe(summary))
    if as_json:
        sys.stdout.write(json.dumps(summary, ensure_ascii=False) + "\n")


def fit(model: TextClassifier, examples: TextData, data: str) -> None:
    """Fit, and say which table it was when texts, labels or options do not allow it."""
    try:
        model.fit(examples.texts, examples.labels)
    except LindyError:
        raise
    except (ValueError, TypeError) as error:
        raise DataError(f"{data}: {error}", "check the table, --ngrams, --min-df and --param") from error


def default_output(data: str) -> Path:
    """Return where the model goes when the user did not say: ``reviews.csv.gz`` → ``reviews.lindy``."""
    if data == "-":
        raise DataError("the model needs a file name when the table comes from stdin", "add -o model.lindy")
    name = Path(data).name
    return Path(name.split(".")[0] + ".lindy" if "." in name[1:] else name + ".lindy")


def parse_ngrams(value: str) -> tuple[int, int]:
    """Return (1, 2) for ``1-2`` and (2, 2) for ``2``."""
    shortest, _, longest = value.partition("-")
    try:
        pair = int(shortest), int(longest or shortest)
    except ValueError:
        pair = 0, 0
    if not 1 <= pair[0] <= pair[1]:
        raise typer.BadParameter(f"{value!r} is not N or M-N with 1 ≤ M ≤ N", param_hint="--ngrams")
    return pair


def named_learner(name: str, params: list[str], seed: int) -> Any:
    """Return the learner of that name with the given ``name=value`` options and, if it draws at random, the seed."""
    from lindy.learners import learner_class

    try:
        kind: Any = learner_class(name)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--learner") from None
    known = kind().get_params()
    given = {"random_state": seed} if "random_state" in known else {}
    for param in params:
        key, equals, value = param.partition("=")
        if not equals or key not in known:
            options = ", ".join(key for key in known if key not in ("n_jobs", "random_state"))
            raise typer.BadParameter(
                f"{param!r} is not an option of {name} ({options})", param_hint="--param"
            )
        given[key] = parse_value(value)
    return kind(**given)


def parse_value(text: str) -> Any:
    """Return a number, True, False, None or a list as Python writes them; anything else is text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def describe(summary: dict[str, Any]) -> str:
    """Return the two lines that ``train`` ends with."""
    counts = sorted(summary["classes"].items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name} {count:,}" for name, count in counts[:6])
    more = f" and {len(counts) - 6} more" if len(counts) > 6 else ""
    return (
        f"trained {summary['learner']} on {summary['examples']:,} texts, {len(counts)} classes ({shown}{more}),"
        f" {summary['features']:,} features\n"
        f"saved {summary['model']} ({size(summary['bytes'])}) after {summary['seconds']:.2f} s"
    )
