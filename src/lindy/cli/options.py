"""Options that several commands share, declared once."""

from __future__ import annotations

from typing import Annotated

import typer

Text = Annotated[str | None, typer.Option("--text", metavar="COLUMN", help="Column with the texts.")]
Label = Annotated[str | None, typer.Option("--label", metavar="COLUMN", help="Column with the labels.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="csv, tsv, jsonl, parquet or lines (one text per line); by default from the file's name.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", min=1, metavar="N", help="Threads; default: all cores. Never changes the result."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No remarks and no progress bar, only errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]
