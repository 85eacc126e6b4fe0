"""``lindy demo``: the whole way on the embedded sample, command by command."""

from __future__ import annotations

import argparse
import importlib.util
import shlex
import sys
from pathlib import Path
from typing import Any

from lindy.cli.parsing import example_commands, refuse
from lindy.errors import OutputError

NEW_REVIEWS = (
    "A warm, funny and generous book; I finished it in one sitting and lent it to my sister.",
    "The plot drags, the jokes fall flat and nobody edited the last hundred pages.",
    "Not bad at all, though the middle chapters could have been shorter.",
)


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "demo",
        epilog=example_commands("lindy demo", "lindy demo --tables tables"),
        help="show the commands at work on embedded reviews",
        description=(
            "Train, evaluate, predict, explain and report on the embedded book reviews, showing each command."
        ),
    )
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        metavar="FOLDER",
        default=Path("out/demo"),
        help="where the demo's files go",
    )
    parser.add_argument(
        "--tables",
        type=Path,
        metavar="FOLDER",
        help="only write the embedded tables (reviews, opinions, messages, tickets, intents, languages) to this folder",
    )
    parser.set_defaults(run=demo)


def demo(args: argparse.Namespace) -> None:
    """Run the commands one after the other, or only write the tables that come with lindy."""
    from lindy.data import samples

    if args.tables is not None:
        refuse(args, ["output"], "--tables names the folder, and nothing else is written")
        write_tables(
            args.tables, {f"{name}.csv": samples.path(name).read_bytes() for name in samples.names()}
        )
        return
    folder = (
        args.output.absolute() if str(args.output).startswith("-") else args.output
    )  # no option of a step
    files = {f"{name}.csv": samples.path(name).read_bytes() for name in ("reviews-train", "reviews-test")}
    files["new.txt"] = "".join(f"{review}\n" for review in NEW_REVIEWS).encode()
    write(folder, files)
    model = folder / "reviews.lindy"
    step("Train on 300 labelled reviews", "train", folder / "reviews-train.csv", "-o", model)
    step("Evaluate on 100 reviews it has not seen", "evaluate", model, folder / "reviews-test.csv")
    step("Predict three new reviews", "predict", model, folder / "new.txt", "--proba")
    why = folder / "explanation.html"
    step("Explain the third one", "explain", model, NEW_REVIEWS[2], "--top", 8, "--html", why)
    step("Look into the model", "inspect", model, "--top", 5)
    if importlib.util.find_spec("matplotlib") is None:
        sys.stdout.write(
            "\nWith matplotlib (pip install 'lindy[plots]') the demo also draws figures and a report.\n"
        )
    else:
        with_figures(folder, model)
    sys.stdout.write(f"\nAll files are in {folder}. 'lindy --help' lists the commands.\n")
    if importlib.util.find_spec("uvicorn") is None:
        sys.stdout.write("With pip install 'lindy[serve]' the model has a page to try it on.\n")
        return
    words = ["lindy", "serve", str(model), "--test", str(folder / "reviews-test.csv")]
    sys.stdout.write(f"To try the model on a page: {shlex.join(words)}, then open http://127.0.0.1:8000/\n")


def write_tables(folder: Path, tables: dict[str, bytes]) -> None:
    """Write tables to a folder, which may be one that the user works in: nothing of theirs is replaced."""
    for name, content in tables.items():
        path = folder / name
        if path.exists() and (not path.is_file() or path.read_bytes() != content):
            raise OutputError(f"{path}: there is another {name} already", "name another folder")
    write(folder, tables)
    *most, last = tables
    sys.stdout.write(f"{', '.join(most)} and {last} are in {folder}\n")


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Write files to a folder."""
    from lindy.files.atomic import atomic_write, make_folder

    make_folder(folder)
    for name, content in files.items():
        with atomic_write(folder / name) as file:
            file.write(content)


def with_figures(folder: Path, model: Path) -> None:
    """Draw, and write the report."""
    step("Draw five learners on two Gaussians", "plot", "boundary", "-o", folder / "boundary.png")
    test, train = folder / "reviews-test.csv", folder / "reviews-train.csv"
    step("Write a report", "report", model, test, "--train", train, "-o", folder / "report.html")


def step(title: str, *words: object) -> None:
    """Show one command and run it."""
    from lindy.cli.app import run

    args = [str(word) for word in words]
    sys.stdout.write(f"\n# {title}\n$ lindy {shlex.join(args)}\n")
    sys.stdout.flush()
    code = run(args)
    if code:
        sys.exit(code)
