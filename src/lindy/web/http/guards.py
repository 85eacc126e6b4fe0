"""Who may ask: the Host and Origin of a request, its token, the headers that every answer carries, and who asked.

A page of another site can make a browser send requests to loopback, and can give its own name the address of
loopback (DNS rebinding). So the Host must be a name of this service, and a request that says which page it comes from
must come from one of ours.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Iterable

from lindy.web.http.problems import Problem
from lindy.web.http.requests import Request

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = (
    ("Content-Security-Policy", CSP),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
SHORTEST_TOKEN = 16

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_MOST_REMEMBERED = 1000
_LONGEST_ADDRESS = 50  # characters


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def client_of(request: Request) -> str:
    """Return the address of who asks: that of the connection, or what a proxy on this machine says of it."""
    if not request.forwarded_for or not is_loopback(request.peer):
        return request.peer
    named = [part.strip() for part in request.forwarded_for.decode("latin-1").split(",")]
    # the last one is the proxy's own word; what stands before it anybody may have written
    others = (name for name in reversed(named) if name and not is_loopback(name))
    return next(others, request.peer)[:_LONGEST_ADDRESS]


class Guard:
    """The checks of every request, before anything else.

    Parameters
    ----------
    host : str
        The address that the service listens on. On all addresses (``0.0.0.0``), every one of them is a name of it.
    names : names of this service beside its address, such as the one that a proxy in front of it has
    token : str or None
    """

    def __init__(self, host: str, names: Iterable[str] = (), token: str | None = None) -> None:
        self._token = None if token is None else token.encode()
        self._names = {name.lower() for name in names} | {host.lower()}
        self._any_address = not is_loopback(host) and _is_any(host)
        if is_loopback(host) or self._any_address:
            self._names.update(_LOOPBACK_NAMES)
        if self._any_address:
            self._names.add(socket.gethostname().lower())
        self._remembered: set[bytes] = set()  # Host headers that were found good

    def check(self, request: Request, *, is_free: bool) -> None:
        """Refuse a request of another site, and one without the token unless what it asks for ``is_free``."""
        if request.host not in self._remembered:
            self._check_host(request.host)
        if request.origin is not None:
            self._check_origin(request)
        if self._token is not None and not is_free:
            self._check_token(request.authorization)

    def _check_host(self, host: bytes) -> None:
        name = _host_name(host)
        if name not in self._names and not (self._any_address and _is_address(name)):
            raise Problem(
                421,
                "wrong-host",
                f"this service is not called {name[:100]!r}; ask it by its address, or start it with --allow-host NAME",
            )
        if len(self._remembered) < _MOST_REMEMBERED:
            self._remembered.add(host)

    def _check_origin(self, request: Request) -> None:
        _, slashes, place = (request.origin or b"").partition(b"://")
        if not slashes or place.lower() != request.host.lower():
            raise Problem(
                403,
                "wrong-origin",
                "a page of another site may not use this service; call it from the site's own server",
            )

    def _check_token(self, authorization: bytes) -> None:
        assert self._token is not None
        scheme, _, token = authorization.partition(b" ")
        right = hmac.compare_digest(token, self._token)
        if scheme.lower() != b"bearer" or not right:
            given = "the token is wrong" if authorization else "a token is needed"
            raise Problem(
                401,
                "token-needed",
                f"{given}; send the header 'Authorization: Bearer TOKEN' with the token of this service",
                headers=((b"www-authenticate", b"Bearer"),),
            )


def _is_any(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _host_name(host: bytes) -> str:
    """Return the name in ``name:port``, without the brackets of an IPv6 address."""
    text = host.decode("latin-1").lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.rpartition(":")[0] if ":" in text else text
