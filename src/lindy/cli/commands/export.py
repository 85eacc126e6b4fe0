"""``lindy export``: a model as a page or as a JavaScript module."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes, opened, print_json, write_page
from lindy.cli.io.reading import read_for
from lindy.cli.options.decision_options import add_decision, add_label_limits, decision, label_limits
from lindy.cli.options.shared import add_columns, add_force, add_threads_quiet_json
from lindy.cli.parsing import UsageError, example_commands, refuse_reading
from lindy.sanitize import size

if TYPE_CHECKING:
    from lindy.textclassifier import TextClassifier

_MOST_EXAMPLES = 6
_TYPES = {".mjs": ".d.mts", ".js": ".d.ts"}


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "export",
        epilog=example_commands(
            "lindy export reviews.lindy reviews.html", "lindy export reviews.lindy --js reviews.mjs"
        ),
        help="write a model as a page or as a JavaScript module",
        description=(
            "Write a model as one HTML page that works without a network and can be mailed: type a text, see its"
            " label, its probabilities and what each word adds. Or write it as an ES module for other pages and for"
            " Node (18 or newer), which exports predict and explain. Both give the scores of the model to the last bit."
        ),
    )
    parser.add_argument("model", help="model file")
    parser.add_argument("page", nargs="?", metavar="FILE", help="page to write; '-' is stdout")
    parser.add_argument(
        "--js",
        metavar="FILE",
        help="module to write, .mjs or .js; its type declarations are written beside it",
    )
    parser.add_argument(
        "--title", help="heading of the page; default: the question which of the labels it is"
    )
    parser.add_argument(
        "--examples",
        metavar="TABLE",
        help="table with texts to click on the page, some of every label; default: words that speak for the labels",
    )
    add_decision(parser)
    add_label_limits(parser)
    parser.add_argument(
        "--small",
        action="store_true",
        help="round the weights to eight bits and leave out features whose weights are then 0; says what that costs,"
        " measured on --test",
    )
    parser.add_argument("--test", metavar="TABLE", help="labelled table to measure the loss of --small on")
    add_columns(parser, label=True)
    add_force(parser)
    add_threads_quiet_json(
        parser, json="print the files, their sizes and the loss of --small as JSON on stdout"
    )
    parser.set_defaults(run=export)


def export(args: argparse.Namespace) -> None:
    """Load, make smaller if asked, write."""
    note = Notes(args.quiet)
    check(args)
    from lindy.textclassifier import load

    model = load(args.model, n_jobs=args.threads)
    rule = decision(args, model), label_limits(args, model)
    record: dict[str, Any] = {"features": model.vectorizer_.n_columns}
    examples = page_examples(model, args) if args.examples else None
    with note.progress("exporting"):
        exported, loss = made_smaller(model, args, note) if args.small else (model, None)
        texts = written(exported, args, rule, examples)
        whole = written(model, args, rule, examples) if loss is not None else texts
    for name, text in texts.items():
        if name == args.page:
            write_page(name, text, Notes(quiet=True))
        else:
            write_module(name, text)
    sizes = {name: len(text.encode("utf-8")) for name, text in texts.items()}
    for name, n_bytes in sizes.items():
        before = f" instead of {size(len(whole[name].encode('utf-8')))}" if whole[name] != texts[name] else ""
        if name != "-":
            note(f"wrote {name} ({size(n_bytes)}{before})")
    record["files"] = sizes
    if loss is not None:
        left = exported.vectorizer_.n_columns
        note(f"{left:,} of {record['features']:,} features are left; {loss}")
        record |= {
            "features_left": left,
            "files_before": {name: len(text.encode("utf-8")) for name, text in whole.items()},
            "loss": {name: getattr(loss, name) for name in loss.__slots__},
        }
    if args.json:
        print_json(record)


def check(args: argparse.Namespace) -> None:
    """Raise before any work if nothing is to be written, or where it cannot be, or options contradict each other."""
    from pathlib import Path

    from lindy.files.atomic import check_writable
    from lindy.files.output_guard import MODULE, PAGE

    if not args.page and not args.js:
        raise UsageError(
            "there is nothing to write", "name a page, 'lindy export MODEL page.html', or add --js module.mjs"
        )
    if args.json and args.page == "-":
        raise UsageError(
            "argument --json: the page goes to stdout already", "write it to a file, or leave one out"
        )
    if args.title is not None and not args.page:
        raise UsageError("argument --title: it is the heading of a page", "leave it out, or name a page")
    if args.examples is not None and not args.page:
        raise UsageError("argument --examples: they are shown on a page", "leave it out, or name a page")
    if args.small and not args.test:
        raise UsageError(
            "argument --small: it changes the model, and what that costs must be measured",
            "add --test TABLE with labelled texts that the model was not trained on",
        )
    if args.test and not args.small:
        raise UsageError(
            "argument --test: it measures the loss of --small", "add --small, or see 'lindy evaluate'"
        )
    if not args.examples:
        refuse_reading(args)
    if args.js and os.path.splitext(args.js)[1] not in _TYPES:
        raise UsageError(
            f"argument --js: {args.js!r} does not end in .mjs or .js", "browsers and Node go by the name"
        )
    if args.page and args.page != "-":
        check_writable(Path(args.page), PAGE)
    for name in (args.js, types_beside(args.js)) if args.js else ():
        check_writable(Path(name), MODULE)


def types_beside(module: str) -> str:
    """Return the name of the type declarations of a module: module.d.mts."""
    stem, suffix = os.path.splitext(module)
    return stem + _TYPES[suffix]


def page_examples(model: TextClassifier, args: argparse.Namespace) -> list[Any]:
    """Return texts or records of a table, some of every label where it has labels."""
    from lindy.errors import DataError
    from lindy.web.page_examples import varied

    quiet = Notes(quiet=True)
    try:
        found = read_for(model, args, quiet, data=args.examples)
    except DataError:
        found = read_for(model, args, quiet, need_label=False, data=args.examples)
    texts = found.inputs.written.to_pylist()
    chosen = varied(texts, found, _MOST_EXAMPLES)
    if model.columns is None:
        return [texts[i] for i in chosen]
    records: list[dict[str, Any]] = found.texts.to_pylist()
    return [records[i] for i in chosen]


def written(
    model: TextClassifier,
    args: argparse.Namespace,
    rule: tuple[Any, Any],
    examples: list[Any] | None = None,
) -> dict[str, str]:
    """Return the files to write and what goes into each."""
    from lindy.web.export import module_text, module_types, page_text

    files = {}
    if args.page:
        files[args.page] = page_text(model, *rule, title=args.title or "", examples=examples)
    if args.js:
        files |= {args.js: module_text(model, *rule), types_beside(args.js): module_types(model)}
    return files


def write_module(name: str, text: str) -> None:
    """Write a module or its type declarations."""
    from lindy.files.output_guard import MODULE

    with opened(name, MODULE) as out:
        out.write(text)


def made_smaller(model: TextClassifier, args: argparse.Namespace, note: Notes) -> Any:
    """Return the model with fewer and shorter weights, and what that has cost on the table of ``--test``."""
    from lindy.web.export import lost, smaller

    small = smaller(model)
    test = read_for(model, args, note, data=args.test)
    roles = model.roles_of(test.texts, test.labels)
    if roles:
        note(
            f"warning: {args.test} was used for {' and '.join(roles)}: the loss on texts that the model has not seen"
            " may be another"
        )
    labels: Any = test.labels
    return small, lost(model, small, test.texts, labels.to_pylist())
