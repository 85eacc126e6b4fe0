"""The page ``commands``: every command of ``lindy`` with its arguments and options, as its parser has them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from lindy.cli.app import GROUPS, parser

ORIGIN = "<!-- written by docs/extensions/command_pages.py -->"
_NO_OPTIONS = (argparse._HelpAction, argparse._SubParsersAction)


def page() -> str:
    """Return the page."""
    (commands,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    says = {choice.dest: choice.help for choice in commands._choices_actions}
    rows = ["| | command | |", "| --- | --- | --- |"]
    rows += [
        f"| {title if name == names[0] else ''} | [`lindy {name}`](#lindy-{name}) | {says[name]} |"
        for title, names in GROUPS.items()
        for name in names
    ]
    sections = [_section(name, command) for name, command in commands.choices.items()]
    about = (
        "`lindy COMMAND --help` prints the same in the terminal. Results go to stdout, everything else to stderr;"
        " `-` is stdin or stdout. The exit code is 0 when the work is done, 1 when the data or a file could not be"
        " used, 2 when the command was called wrongly, 130 after Ctrl-C, and 141 when whoever read the output went"
        " away, as in `lindy predict … | head`."
    )
    return "\n\n".join([ORIGIN, "# Command line", about, "\n".join(rows), *sections]) + "\n"


def _section(name: str, command: argparse.ArgumentParser, level: int = 2) -> str:
    """Return what a command does, and a table of what it takes for each of its groups of options."""
    parts = [f"{'#' * level} lindy {name}"]
    if command.description:
        first, _, rest = command.description.partition("\n")
        parts.append(_escaped(first))
        if rest.strip():  # a table, laid out for the terminal
            parts.append(f"```text\n{rest.strip(chr(10))}\n```")
    if command.epilog:
        parts.append(f"```text\n{command.epilog}\n```")
    for group in command._action_groups:
        actions = [
            action
            for action in group._group_actions
            if action.help not in (None, argparse.SUPPRESS) and not isinstance(action, _NO_OPTIONS)
        ]
        if not actions:
            continue
        title = {"positional arguments": "Arguments", "options": "Options"}.get(
            group.title or "", group.title or ""
        )
        parts.append(
            f"**{title[:1].upper()}{title[1:]}**"
            + (f": {_escaped(group.description)}" if group.description else "")
        )
        parts.append("\n".join(["| | |", "| --- | --- |", *(_row(action, command) for action in actions)]))
    for kind in (action for action in command._actions if isinstance(action, argparse._SubParsersAction)):
        parts += [_section(f"{name} {choice}", part, level + 1) for choice, part in kind.choices.items()]
    return "\n\n".join(parts)


def _row(action: argparse.Action, command: argparse.ArgumentParser) -> str:
    """Return the line of an argument or an option."""
    form = command.formatter_class(command.prog)
    name = form._format_action_invocation(action)
    return (
        f"| {'<br>'.join(f'`{each}`' for each in name.split(', '))} | {_escaped(form._expand_help(action))} |"
    )


def _escaped(text: str) -> str:
    """Return text as Markdown: nothing in it is markup, or ends a cell."""
    for mark in "\\|<*_[]`":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def write_page(app: Any) -> None:
    """Write the page."""
    path = Path(app.srcdir) / "commands.md"
    if not path.exists() or path.read_text(encoding="utf-8") != page():
        path.write_text(page(), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the page when a build begins."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
