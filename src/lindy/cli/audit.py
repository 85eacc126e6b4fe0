"""``lindy audit``: what may be wrong with a table of labelled texts."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from dataclasses import asdict, replace
from typing import IO, TYPE_CHECKING, Any

from lindy.cli.options import (
    add_columns,
    add_force,
    add_seed,
    add_threads_quiet_json,
    at_least,
    between_0_and_1,
)
from lindy.cli.output import Notes, clean, opened, print_json, table, usable
from lindy.cli.reading import read_labelled, vectorizer_of
from lindy.overwriting import TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lindy.data import TextData
    from lindy.evaluation.audit import Audit, Finding

EXPLAINED = {
    "label error": "the other texts suggest another label",
    "contradiction": "the same text has another label elsewhere",
    "duplicate": "another row has the same text and label",
    "near duplicate": "another row has nearly the same words",
    "empty": "there is no text",
    "no words": "there is no word of at least two letters",
}
FIELDS = ["kind", "row", "label", "suggestion", "score", "other_row", "text"]
SNIPPET = 72


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "audit",
        help="find label errors, duplicates and other trouble in a table",
        description="Find likely label errors (confident disagreement of learners that did not see the row), texts with"
        " two labels, duplicates, near duplicates, empty texts, rare classes and labels of several spellings. Rows are"
        " counted from 1, without the header.",
    )
    parser.add_argument("data", help="table with texts and labels; '-' is stdin")
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="write all findings (.csv or .jsonl), one per row; '-' is stdout",
    )
    parser.add_argument(
        "--show", type=at_least(0), metavar="N", default=5, help="findings of each kind to show; default: 5"
    )
    parser.add_argument(
        "--similarity",
        type=between_0_and_1,
        metavar="J",
        default=0.8,
        help="share of words and word pairs that near duplicates have in common; default: 0.8",
    )
    add_seed(parser, "seed of the folds")
    add_columns(parser, label=True)
    add_force(parser)
    add_threads_quiet_json(parser, json="print all findings as one JSON object on stdout")
    parser.set_defaults(run=audit)


def audit(args: argparse.Namespace) -> None:
    """Read, look, tell."""
    note = Notes(args.quiet)
    import numpy as np

    from lindy.data.labels import encode_labels
    from lindy.data.records import row_texts
    from lindy.evaluation.audit import audit as look
    from lindy.linear import SVM
    from lindy.text import TfidfVectorizer

    data = read_labelled(args, note)
    labels, texts = encode_labels(data.labels), row_texts(data.texts)
    with note.progress("looking"), usable(args.data):
        words = TfidfVectorizer(sublinear_tf=True, dtype=np.float32, n_jobs=args.threads)
        vectorizer = vectorizer_of(data, args, words)
        learner = SVM(random_state=args.seed, n_jobs=args.threads)
        found = look(
            data.texts.sorted() if data.table.has_bags else texts,
            labels,
            vectorizer.fit_csr(data.texts),
            learner,
            similarity=args.similarity,
            random_state=args.seed,
            n_jobs=args.threads,
        )
    data = replace(data, texts=texts)
    if args.output:
        with opened(args.output, TABLE) as out:
            write(out, found, data, as_json=args.output.endswith((".jsonl", ".ndjson")))
        note(f"wrote {len(found.findings):,} findings to {args.output}")
    if args.json:
        print_json(summary(found, data))
    elif args.output != "-":
        sys.stdout.write(render(found, data, args.show))


def records(found: Audit, data: TextData) -> Iterator[dict[str, Any]]:
    """Yield every finding as plain values; rows from 1."""
    for f in found.findings:
        yield {
            "kind": f.kind,
            "row": data.table.number(f.row),
            "label": f.label,
            "suggestion": f.suggestion,
            "score": None if f.score is None else round(f.score, 4),
            "other_row": None if f.other is None else data.table.number(f.other),
            "text": data.texts[f.row].as_py(),
        }


def write(out: IO[str], found: Audit, data: TextData, *, as_json: bool) -> None:
    """Write one finding per row."""
    if as_json:
        for record in records(found, data):
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
        return
    writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records(found, data))


def summary(found: Audit, data: TextData) -> dict[str, Any]:
    """Return everything as plain values."""
    return {
        "rows": found.rows,
        "classes": found.classes,
        "rare_classes": found.rare,
        "spellings": [asdict(spellings) for spellings in data.spellings],
        "findings": list(records(found, data)),
    }


def render(found: Audit, data: TextData, show: int) -> str:
    """Return an audit as text: the counts, then the first findings of each kind."""
    counts = sorted(found.classes.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{clean(name)} {count:,}" for name, count in counts[:8])
    more = f" and {len(counts) - 8} more" if len(counts) > 8 else ""
    lines = [f"{found.rows:,} texts, {len(counts)} class{'es' * (len(counts) != 1)}: {shown}{more}"]
    if found.rare:
        names = ", ".join(map(clean, found.rare[:8])) + (" …" if len(found.rare) > 8 else "")
        lines.append(
            f"rare classes: {names} (give them more examples, or train with --class-weight balanced)"
        )
    for spellings in data.spellings:
        what = "merged" if spellings.merged else "merge? (--merge-labels case)"
        lines.append(f"label written in several ways: {clean(spellings)}: {what}")
    rows = [[f"{len(found.of(kind)):,}", kind, why] for kind, why in EXPLAINED.items() if found.of(kind)]
    if not rows:
        return "\n".join([*lines, "nothing suspicious found"]) + "\n"
    lines += ["", *(f"{n:>8}  {kind:<15} {why}" for n, kind, why in rows)]
    for kind in EXPLAINED:
        if (findings := found.of(kind)) and kind != "empty" and show:
            lines += ["", _listed(kind, findings, data, show)]
    return "\n".join(lines) + "\n"


def _listed(kind: str, findings: list[Finding], data: TextData, show: int) -> str:
    head = {
        "label error": ["label error", "label", "better", "sure"],
        "contradiction": ["contradiction", "label", "other", "row"],
        "near duplicate": ["near duplicate", "label", "like row", "J"],
        "duplicate": ["duplicate", "label", "of row"],
        "no words": ["no words", "label"],
    }[kind]
    rows = [[*head, "text"]]
    for f in findings[:show]:
        cells = {
            "better": f.suggestion or "",
            "other": f.suggestion or "",
            "sure": "" if f.score is None else f"{f.score:.3f}",
            "J": "" if f.score is None else f"{f.score:.2f}",
        }
        row = "" if f.other is None else f"row {data.table.number(f.other):,}"
        cells |= {"row": row, "like row": row, "of row": row, "label": f.label}
        rows.append(
            [
                f"row {data.table.number(f.row):,}",
                *(clean(cells[name]) for name in head[1:]),
                snippet(data, f.row),
            ]
        )
    return table(rows, left=len(rows[0]))


def snippet(data: TextData, row: int) -> str:
    """Return the beginning of a text on one line."""
    text = clean(" ".join(data.texts[row].as_py()[: 4 * SNIPPET].split()))
    return text if len(text) <= SNIPPET else text[: SNIPPET - 1] + "…"
