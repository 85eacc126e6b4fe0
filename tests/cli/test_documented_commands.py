"""Every command that the README and the documentation show is understood by the command line, option by option."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from lindy.cli.app import parser
from lindy.cli.parsing import UsageError

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINE = re.compile(r"^(?:    |)(?:\$ )?(?:[^`|#]*\| )?(lindy [a-z]+\b[^\n]*(?:\\\n[^\n]*)*)$", re.MULTILINE)
FENCE = re.compile(r"^```(?:text|console|sh|bash)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^(?:    [^\n]*\n)+", re.MULTILINE)
PLACEHOLDER = re.compile(r"[…]|\bNAME\b|\[")


def commands(page: Path) -> list[str]:
    """Return the commands in the blocks of a page; those with a placeholder are no commands."""
    text = page.read_text(encoding="utf-8")
    blocks = FENCE.findall(text) + INDENTED.findall(re.sub(FENCE, "", text))
    found = [command for block in blocks for command in LINE.findall(block)]
    return [command for command in found if not PLACEHOLDER.search(command)]


SHOWN = [(str(page.relative_to(ROOT)), command) for page in PAGES for command in commands(page)]


def test_commands_are_found() -> None:
    pages = {page for page, _ in SHOWN}
    assert len(SHOWN) > 60
    assert {"README.md", "docs/guide/start.md", "docs/guide/mail.md", "docs/guide/serving.md"} <= pages


@pytest.mark.parametrize(("page", "command"), SHOWN)
def test_documented_command_is_understood(page: str, command: str) -> None:
    unquoted = re.sub(r"""(['"])[|;]\1""", "MARK", command)  # an argument, not the shell's
    words = shlex.split(unquoted.replace("\\\n", " "), comments=True)
    stop = next(
        (i for i, word in enumerate(words) if word in ("|", "||", ">", "&&", ";", "<", "&", "2>")), len(words)
    )
    try:
        wanted = parser().parse_args(words[1:stop])
    except (UsageError, SystemExit) as error:
        pytest.fail(f"{page} shows a command that is not understood: {command}\n{error}")
    assert wanted.command == words[1]
