"""The page and its files: one HTML shell for all views, and what it loads, read once at the start."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from lindy.web.http.problems import Problem
from lindy.web.http.requests import Request, Response

SHELL = "index.html"

_FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is sent."""

    content: bytes
    content_type: bytes
    etag: bytes


class StaticFiles:
    """The files of the page by their paths below ``/static/``. Only what is here at the start is ever sent."""

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._files = {
            path.relative_to(folder).as_posix(): _read(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix in _TYPES
        }

    def respond(self, request: Request, name: str) -> Response:
        """Return the file of a name; 304 to a browser that has it already."""
        file = self._files.get(name)
        if file is None:
            raise Problem(404, "not-found", f"there is no file {name[:100]!r}")
        headers = (
            (b"content-type", file.content_type),
            (b"cache-control", b"no-cache"),
            (b"etag", file.etag),
        )
        if file.etag in (tag.strip() for tag in request.if_none_match.split(b",")):
            return Response(304, headers)
        return Response(200, headers, file.content)


def _read(path: Path) -> StaticFile:
    content = path.read_bytes()
    etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'.encode()
    return StaticFile(content, _TYPES[path.suffix].encode(), etag)
