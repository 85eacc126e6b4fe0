"""``lindy lab``: the lectures' exercises, worked through in the terminal."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

from lindy.cli.options.shared import add_force
from lindy.cli.parsing import UsageError, example_commands, refuse
from lindy.errors import OutputError

if TYPE_CHECKING:
    from lindy.labs.catalog import Lab
    from lindy.labs.script import Cell, Script


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "lab",
        epilog=example_commands("lindy lab", "lindy lab 1 --exercises"),
        help="work through the exercises of five lectures",
        description=(
            "Run a lab: every exercise and worked example of a lecture, with its figures.\n"
            "Without a number, list the labs and their lectures."
        ),
    )
    parser.add_argument("number", nargs="?", metavar="N", help="number or name of the lab")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="PATH",
        help="folder with the public corpora; default: $LINDY_DATA, or else the embedded ones",
    )
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        metavar="FOLDER",
        help="where figures and notebooks go; default: out/labs/NAME",
    )
    parser.add_argument("--part", metavar="PART", help="run only this script of the lab")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--exercises",
        action="store_true",
        help="hand out the questions and hints without answers, run nothing",
    )
    which.add_argument(
        "--solutions", action="store_true", help="show the code of the solutions with what it prints"
    )
    parser.add_argument(
        "--notebook",
        action="store_true",
        help="write Jupyter notebooks, PART.ipynb with room for your solutions and PART-solutions.ipynb;"
        " with --exercises or --solutions only one of them",
    )
    parser.add_argument(
        "--grade",
        nargs="+",
        type=Path,
        metavar="NOTEBOOK",
        help="run notebooks with students' solutions, and list which of their checks pass; their code is run as it is",
    )
    add_force(parser)
    parser.set_defaults(run=lab)


def lab(args: argparse.Namespace) -> None:
    """List the labs, show the exercises or solutions of one, write notebooks of it, or run it."""
    from lindy.labs.catalog import LABS, PUBLIC
    from lindy.labs.script import read_script

    _check_options(args)
    if args.grade:
        _grade(args.grade)
        return
    if args.number is None:
        sys.stdout.write("\n\n".join(_listed(lab) for lab in LABS) + "\n")
        corpora = (f"   {name}: {own.place}\n      {own.files}\n" for name, own in PUBLIC.items())
        sys.stdout.write(f"\npublic corpora, if the folder of --data has them:\n{''.join(corpora)}")
        return
    chosen = next((lab for lab in LABS if args.number in (str(lab.number), lab.name)), None)
    if chosen is None:
        names = ", ".join(f"{lab.number} ({lab.name})" for lab in LABS)
        raise UsageError(f"there is no lab {args.number!r}", f"there are {names}")
    if args.part is not None and args.part not in chosen.parts:
        raise UsageError(
            f"lab {chosen.name} has no part {args.part!r}", f"its parts are {', '.join(chosen.parts)}"
        )
    if args.data is not None and not args.data.is_dir():
        raise UsageError(
            f"--data {args.data}: there is no such folder", "give the folder that holds the corpora"
        )
    output = args.output or Path("out/labs") / chosen.name
    scripts = [read_script(path) for path in chosen.scripts if args.part in (None, path.stem)]
    if args.notebook:
        _write_notebooks(scripts, output, args)
        return
    for script in scripts:
        rule = "=" * len(script.title)
        sys.stdout.write(f"\n{script.title}\n{rule}\n\n{_plain(script.introduction)}\n")
        if args.exercises:
            sys.stdout.writelines(_handed_out(cell) for cell in script.cells)
        else:
            _run(script, output, args.data, solutions=args.solutions)


def _check_options(args: argparse.Namespace) -> None:
    """Refuse options that would have no effect."""
    if args.grade:
        if args.number is not None:
            raise UsageError(
                f"argument N: --grade runs notebooks, and no lab {args.number!r}", "leave it out"
            )
        others = ("data", "output", "part", "exercises", "solutions", "notebook", "force")
        refuse(args, others, "--grade runs the notebooks that it names, and nothing else")
    elif args.number is None:
        every = ("data", "output", "part", "exercises", "solutions", "notebook", "force")
        refuse(args, every, "it is about one lab, and none is named", "name one, such as: lindy lab 1")
    if args.exercises and not args.notebook:
        refuse(args, ["output"], "exercises alone go to stdout", "add --notebook, or leave it out")
    if args.exercises or args.notebook:
        refuse(args, ["data"], "nothing is run")


def _grade(notebooks: list[Path]) -> None:
    """Print a table of the checks of each notebook."""
    from lindy.labs.grading import grade

    for path in notebooks:
        grades = grade(path)
        wide = max(len(own.check) for own in grades)
        passed = sum(own.result == "passed" for own in grades)
        sys.stdout.write(f"{path}: {passed} of {len(grades)} checks passed\n")
        for own in grades:
            *_, last = own.message.splitlines() or [""]
            why = "" if own.result == "passed" else f"  {last}"
            sys.stdout.write(f"  {own.check:<{wide}}  {own.result:<7}{why}\n".rstrip() + "\n")


def _listed(lab: Lab) -> str:
    from lindy.labs.script import read_script

    lines = [f"{lab.number}  {lab.title}", f"   {lab.lecture}"]
    wide = max(len(part) for part in lab.parts)
    lines += [
        f"   {part:<{wide}}  {read_script(path).title}"
        for part, path in zip(lab.parts, lab.scripts, strict=True)
    ]
    return "\n".join(lines)


def _write_notebooks(scripts: list[Script], output: Path, args: argparse.Namespace) -> None:
    from lindy.files.atomic import atomic_write, make_folder
    from lindy.labs.notebook import notebook

    kinds = [kind for kind in (False, True) if not (args.exercises if kind else args.solutions)]
    paths = {
        output / f"{script.path.stem}{'-solutions' if solutions else ''}.ipynb": (script, solutions)
        for script in scripts
        for solutions in kinds
    }
    there = [path for path in paths if path.exists()]
    if there and not args.force:
        raise OutputError(
            f"{there[0]} exists: what was written into it would be lost",
            "Give another folder with --output, or replace the notebooks with --force.",
        )
    make_folder(output)
    for path, (script, solutions) in paths.items():
        with atomic_write(path, text=True) as file:
            file.write(notebook(script, solutions=solutions))
        sys.stdout.write(f"notebook: {path}\n")


def _handed_out(cell: Cell) -> str:
    """Return what a student gets of a cell: the question, or the code that goes with it."""
    if cell.prose:
        return f"\n{_plain(cell.text)}\n"
    return f"\n{indent(cell.text, '    ')}\n" if cell.given else ""


def _plain(prose: str) -> str:
    """Return prose as a terminal shows it: headings are underlined, formulas are in Unicode."""
    from lindy.labs.plain_math import plain

    return re.sub("^#+ (.*)$", lambda m: f"{m[1]}\n{'-' * len(m[1])}", plain(prose), flags=re.MULTILINE)


def _run(script: Script, output: Path, data: Path | None, *, solutions: bool) -> None:
    """Run the cells and show what they print; with ``solutions`` their code too, and no hints."""
    from lindy.labs.running import play
    from lindy.labs.stage import wrapped

    for played in play(script, output, data, capture=solutions):
        if played.cell.prose:
            asked = played.cell.question if solutions else played.cell.text
            sys.stdout.write(_plain(f"\n{asked}\n\n"))
            sys.stdout.flush()
        elif solutions:
            sys.stdout.write(f"{indent(played.cell.text, '    ')}\n\n{played.text}")
        for figure in played.figures:
            sys.stdout.write(f"figure: {figure.path} ({figure.caption})\n")
        sys.stdout.writelines(f"\n{wrapped(remark)}\n" for remark in played.remarks)
