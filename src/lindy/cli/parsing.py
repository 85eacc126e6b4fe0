"""Parsing of arguments: what ``argparse`` is taught about help, empty names, wrong words and hints.

``argparse`` because it is there: a larger library for it would take longer to import than all the rest.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

from lindy.errors import LindyError, did_you_mean, near_name


class UsageError(LindyError):
    """A command that was called wrongly."""


_MANY = 8  # options that the line of usage does not list one by one


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, whose width ``argparse`` would ask a slow module for with every option."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_terminal_width() - 2)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        """Add the line of usage, in which many options are one word: what each does is listed below it."""
        listed = list(actions)
        kept = [action for action in listed if action.required or not action.option_strings]
        if usage is None and len(listed) - len(kept) > _MANY:
            words = self._format_usage(None, kept, (), "").split()
            usage = " ".join(["%(prog)s", "[options]", *words[len(self._prog.split()) :]])
        super().add_usage(usage, listed, groups, prefix)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Wrap a paragraph; what has lines of its own stays as it is written."""
        if "\n" in text:
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


@functools.cache
def _terminal_width() -> int:
    try:
        return int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return 80


_NAMED = ("COLUMN", "FILE", "FOLDER", "PATH", "SHEET", "TABLE")


def not_empty(text: str, as_type: Any = str) -> Any:
    """Return a name; an empty one is a variable that was not set, and must not pass for an option that was left out."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return as_type(text)


class _Named(argparse._ActionsContainer):
    """Adds arguments; one that names a file or a column does not take an empty name."""

    def add_argument(self, *names: Any, **settings: Any) -> Any:
        """Add an argument."""
        if settings.get("metavar") in _NAMED:
            settings["type"] = functools.partial(not_empty, as_type=settings.get("type", str))
        return super().add_argument(*names, **settings)


class Group(_Named, argparse._ArgumentGroup):
    """Arguments that stand together in the help; those of a higher ``rank`` stand further down."""

    rank = 0


class Parser(_Named, argparse.ArgumentParser):
    """A parser that raises ``UsageError`` and shows its epilog as it is written."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", _Help)
        super().__init__(allow_abbrev=False, **settings)

    def add_argument_group(self, *words: Any, rank: int = 0, **settings: Any) -> Group:
        """Add a group of arguments; those of a higher rank stand further down."""
        group = Group(self, *words, **settings)
        group.rank = rank
        self._action_groups.append(group)
        self._action_groups.sort(key=lambda other: getattr(other, "rank", 0))
        return group

    def shared_group(self, title: str, rank: int) -> Group:
        """Return the group of that title, below the command's own options; it is added when it is first asked for."""
        found = next((group for group in self._action_groups if group.title == title), None)
        return found if isinstance(found, Group) else self.add_argument_group(title, rank=rank)

    def print_help(self, file: Any = None) -> None:
        """Write the help; unlike in argparse, it is an error if that is not possible."""
        (file or sys.stdout).write(self.format_help())

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse all arguments; about one that is not known, the command says which it has.

        ``usual`` of what is returned tells, for every name of it, the option and what that is by default.
        """
        wanted, unknown = self.parse_known_args(args, namespace)
        command = self._chosen(list(args or ()))
        if unknown:
            word = unknown[0].partition("=")[0]
            guess = _guess(word, command) if word.startswith("-") else ""
            raise UsageError(
                f"unrecognized arguments: {' '.join(unknown)}",
                f"{guess}'{command.prog} --help' lists what it takes",
            )
        options = [
            action
            for action in command._actions
            if action.option_strings and action.help != argparse.SUPPRESS
        ]
        wanted.usual = {action.dest: (action.option_strings[0], action.default) for action in options}
        return wanted

    def _chosen(self, words: list[str]) -> argparse.ArgumentParser:
        """Return the parser of the command that the words name."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                found = next((word for word in words if word in action.choices), None)
                return self if found is None else action.choices[found]
        return self

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse ``--option=--``, which ``argparse`` would take for an option with an empty list."""
        words = [] if args is None else list(args)
        for word in words[: words.index("--")] if "--" in words else words:
            if re.fullmatch(r"--[^=]+=--|-[a-z]=?--", word):
                self.error(f"argument {word[:-2].rstrip('=')}: '--' is not a value")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong, with a near name where there is one."""
        hint = f"'{self.prog} --help' lists what it takes"
        choice = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if choice:
            guess = did_you_mean(choice[1], re.findall(r"'(.*?)'", choice[2]))
            hint = f"{guess[:1].lower()}{guess[1:]}{hint}"
        if message == "the following arguments are required: data":
            hint = f"'-' reads standard input; {hint}"
        raise UsageError(message, hint)


class CommandsParser(Parser):
    """The parser of a program, whose help lists its commands in groups."""

    groups: dict[str, tuple[str, ...]]

    def format_help(self) -> str:
        """Return the help: usage, what the program is, the groups of commands, then the options."""
        (commands,) = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        listed = {choice.dest: choice for choice in commands._choices_actions}
        help_ = self._get_formatter()
        help_.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        help_.add_text(self.description)
        for title, names in self.groups.items():
            help_.start_section(title)
            help_.add_arguments([listed[name] for name in names if name in listed])
            help_.end_section()
        help_.start_section("options")
        help_.add_arguments([action for action in self._actions if action.option_strings])
        help_.end_section()
        help_.add_text(self.epilog)
        return help_.format_help()


def example_commands(*commands: str) -> str:
    """Return what the help of a command ends with."""
    return "\n".join(["examples:", *(f"  {command}" for command in commands)])


def _guess(word: str, command: argparse.ArgumentParser) -> str:
    """Return what may have been meant by an option that is not known: another one, or an option of a learner."""
    name = word.lstrip("-")
    known = {option.lstrip("-"): option for option in command._option_string_actions}
    near = near_name(name, known)
    if near is None and "param" in known:
        from lindy.estimators.learners import learners_with, options_of_learners

        if own := near_name(name.replace("-", "_"), options_of_learners()):
            return f"{own} is an option of learners, e.g. --learner {learners_with(own)[0]} --param {own}=VALUE; "
    return "" if near is None else f"did you mean {known[near]!r}? "


class FormerName(argparse.Action):
    """The former name of an option: it is not in the help, does the same, and says the new name (``const``)."""

    def __call__(self, _parser: Any, namespace: argparse.Namespace, values: Any, option: Any = None) -> None:
        """Keep the value."""
        sys.stderr.write(f"note: {option} is called {self.const} now\n")
        setattr(namespace, self.dest, values)


class Once(argparse.Action):
    """An option that has one value: a second one is refused instead of taking the place of the first."""

    def __call__(self, _parser: Any, namespace: argparse.Namespace, values: Any, option: Any = None) -> None:
        """Keep the value."""
        if getattr(namespace, self.dest) is not None:
            raise UsageError(f"argument {option}: given twice, expected one column", "leave one of them out")
        setattr(namespace, self.dest, values)


READING = (
    "text", "numeric", "category", "label", "strict", "merge_labels", "label_bins", "label_separator", "format",
    "encoding", "sheet", "header_row", "longest_row", "skip_bad", "text_is", "contacts", "headers",
)  # fmt: skip
"""The options that say how a table is read."""


def refuse(args: argparse.Namespace, names: Iterable[str], why: str, hint: str = "leave it out") -> None:
    """Raise if one of some options was given: if it is not what it is by default."""
    for name in names:
        option, usual = args.usual.get(name, (name, None))
        if getattr(args, name, usual) != usual:
            raise UsageError(f"argument {option}: {why}", hint)


def refuse_reading(args: argparse.Namespace) -> None:
    """Raise if something says how the table of ``--test`` is read, where there is none."""
    if not args.test:
        refuse(args, READING, "it says how the table of --test is read, and there is none")
