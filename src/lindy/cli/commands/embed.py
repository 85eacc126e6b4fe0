"""``lindy embed``: vectors of words, learned from texts without labels."""

from __future__ import annotations

import argparse
import os
from typing import Any

from lindy.cli.io.console import Notes, print_json, usable
from lindy.cli.options.shared import (
    add_force,
    add_inputs,
    add_seed,
    add_threads_quiet_json,
    at_least,
    reading,
    shown,
)
from lindy.cli.parsing import example_commands
from lindy.data.formats.registry import FORMATS


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "embed",
        epilog=example_commands(
            "lindy embed all-mails.csv -o mails.safetensors",
            "lindy embed 2024.csv 2025.csv -o mails.safetensors --dimensions 100",
        ),
        help="learn word vectors from texts without labels",
        description="Learn a vector for every frequent word from texts that need no labels, for 'lindy train"
        " --embedding': with a hundred labelled texts and many others, a model knows which words mean alike. They are"
        " the singular vectors of the tf-idf matrix of the words; the same texts and seed give the same bytes.",
    )
    add_inputs(parser, "table with texts")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="file of vectors to write, e.g. vectors.safetensors",
    )
    parser.add_argument(
        "--dimensions",
        type=at_least(1, 4096),
        metavar="N",
        default=256,
        help="numbers per vector; default: 256",
    )
    parser.add_argument(
        "--min-df",
        type=at_least(1),
        metavar="N",
        default=2,
        help="leave out words in fewer texts; default: 2",
    )
    group = reading(parser)
    group.add_argument("--text", metavar="COLUMN", help="with the texts; default: found by name or content")
    group.add_argument("--format", choices=FORMATS, metavar="NAME", help="default: by the file's name")
    add_seed(parser, "seed of the directions from which the search begins")
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=embed)


def embed(args: argparse.Namespace) -> None:
    """Read, learn, write."""
    note = Notes(args.quiet)
    from lindy.data import read_examples
    from lindy.features.learned_vectors import learn_vectors, write_vectors
    from lindy.files.atomic import check_writable

    check_writable(args.output)
    with note.progress("reading"):
        examples = read_examples(args.data, args.text, None, need_label=False, format=args.format)
    with note.progress("learning"), usable(shown(args.data)):
        vectors = learn_vectors(
            examples.texts, args.dimensions, min_df=args.min_df, seed=args.seed, n_jobs=args.threads
        )
    write_vectors(args.output, vectors)
    n, d = vectors.matrix.shape
    note(f"wrote {args.output}: vectors of {d:,} numbers for {n:,} words, from {len(examples.texts):,} texts")
    if args.json:
        record = {"vectors": args.output, "words": n, "dimensions": d, "texts": len(examples.texts)}
        print_json(record | {"bytes": os.stat(args.output).st_size})
