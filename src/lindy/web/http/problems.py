"""Everything that can be wrong with a request, in the one shape in which clients are told."""

from __future__ import annotations

import errno
import re
from typing import Any

import msgspec

from lindy.errors import LindyError, MissingPackageError, OutputError
from lindy.web.messages import ErrorBody, ErrorReply


class Problem(Exception):  # noqa: N818  # of the request, as in RFC 9457
    """A request that cannot be answered: the status, a code for programs, and a message for people.

    ``detail`` is for programs as well, such as the names that would have been right.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        detail: dict[str, Any] | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.detail, self.headers = (
            status,
            code,
            message,
            detail,
            headers,
        )

    def body(self) -> bytes:
        """Return the problem as JSON."""
        detail = msgspec.UNSET if self.detail is None else self.detail
        return msgspec.json.encode(ErrorReply(ErrorBody(self.code, self.message, detail)))


def from_error(error: Exception, code: str = "unusable-input") -> Problem:
    """Return the problem of a request whose contents the library refused, or which the service could not store."""
    if isinstance(error, MissingPackageError):
        return Problem(415, "not-supported", f"this service cannot read it: {error}")
    if isinstance(error, OutputError):
        return Problem(503, "disk-full", f"the service has no room: {error}")
    hint = without_options(error.hint) if isinstance(error, LindyError) and error.hint else ""
    return Problem(400, code, f"{error}. {hint}" if hint else str(error))


_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
_OPTION = re.compile(r"(?<![\w-])--[a-z]|\blindy [a-z]|\b(?:iconv|jq|pip install)\b|= in Python|`[a-z_]+=")
_ASIDE = re.compile(r" \([^()]*(?:(?<![\w-])--[a-z]|`[a-z_]+=)[^()]*\)")
_CLAUSE = re.compile(r"(; |, or )")


def full_disk(error: OSError) -> Problem | None:
    """Return the problem that a disk of the service is full; None for other errors of the system."""
    if error.errno not in _FULL:
        return None
    return Problem(
        503,
        "disk-full",
        "the service has no room left on its disk; tell whoever runs it",
        headers=((b"retry-after", b"60"),),
    )


def without_options(advice: str) -> str:
    """Return advice without what only who types a command can do: clauses that name options or other programs."""
    sentences = re.split(r"(?<=[.?!]) +(?=[A-Z\"'])", _ASIDE.sub("", advice.strip()))
    kept = filter(None, map(_without_options, sentences))
    return " ".join(kept)


def _without_options(sentence: str) -> str:
    first, *others = _CLAUSE.split(sentence)
    clauses = [("", first), *zip(others[::2], others[1::2], strict=True)]
    kept = [(mark, clause) for mark, clause in clauses if not _OPTION.search(clause)]
    if len(kept) == len(clauses):
        return sentence
    if (
        not kept or _OPTION.search(first) or first.startswith("If ")
    ):  # what is left would be half of a thought
        return ""
    return "".join(mark + clause for mark, clause in kept).rstrip(".,;:") + "."


class ClientGoneError(Exception):
    """The client closed the connection before it had its answer: there is nobody left to tell."""
