"""Everything that can be wrong with a request, in the one shape in which clients are told."""

from __future__ import annotations

from typing import Any

import msgspec

from lindy.errors import LindyError
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
    """Return the problem of a request whose contents the library refused."""
    hint = error.hint if isinstance(error, LindyError) else None
    message = f"{error}. {hint}" if hint else str(error)
    return Problem(400, code, message)


class ClientGoneError(Exception):
    """The client closed the connection before it had its answer: there is nobody left to tell."""
