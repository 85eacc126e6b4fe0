"""``lindy lab``: the lectures' exercises, worked through in the terminal."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lindy.cli.options import UsageError

if TYPE_CHECKING:
    from lindy.labs.catalog import Lab


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "lab",
        help="work through the exercises of five lectures",
        description=(
            "Run a lab: every exercise and worked example of a lecture, with its figures.\n"
            "Without a number, list the labs and their scripts."
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
        "--output", "-o", type=Path, metavar="FOLDER", help="where figures go; default: out/labs/NAME"
    )
    parser.add_argument("--part", metavar="PART", help="run only this script of the lab")
    parser.add_argument(
        "--exercises", action="store_true", help="show the exercises with their hints, run nothing"
    )
    parser.set_defaults(run=lab)


def lab(args: argparse.Namespace) -> None:
    """List the labs, show the exercises of one, or run it."""
    from lindy.labs.catalog import LABS, PUBLIC
    from lindy.labs.script import read_script

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
    for path in chosen.scripts:
        if args.part in (None, path.stem):
            script = read_script(path)
            rule = "=" * len(script.title)
            sys.stdout.write(f"\n{script.title}\n{rule}\n\n{script.introduction}\n")
            if args.exercises:
                sys.stdout.writelines(f"\n{_plain(cell.text)}\n" for cell in script.cells if cell.prose)
            else:
                _run(script, output, args.data)


def _listed(lab: Lab) -> str:
    from lindy.labs.script import read_script

    lines = [f"{lab.number}  {lab.title}", f"   {lab.lecture}"]
    wide = max(len(part) for part in lab.parts)
    lines += [
        f"   {part:<{wide}}  {read_script(path).title}\n   {'':<{wide}}  {path}"
        for part, path in zip(lab.parts, lab.scripts, strict=True)
    ]
    return "\n".join(lines)


def _plain(prose: str) -> str:
    """Return prose as a terminal shows it: headings are underlined."""
    return re.sub("^#+ (.*)$", lambda m: f"{m[1]}\n{'-' * len(m[1])}", prose, flags=re.MULTILINE)


def _run(script: Any, output: Path, data: Path | None) -> None:
    from lindy.labs.running import play

    for played in play(script, output, data, capture=False):
        if played.cell.prose:
            sys.stdout.write(f"\n{_plain(played.cell.text)}\n\n")
            sys.stdout.flush()
        for figure in played.figures:
            sys.stdout.write(f"figure: {figure.path} ({figure.caption})\n")
