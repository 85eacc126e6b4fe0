"""Requests of the same moment are predicted one right after the other.

Between two requests the loop parses, decodes, encodes and sends, which drives the model's tables out of the processor's
cache, and the model drives out all of that. So a request for one short text waits until the loop has begun all requests
that have arrived, and their texts then go through the model in a row. Nobody waits for requests that are still to come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from lindy.web.model_registry import LoadedModel

Reply = TypeVar("Reply")
Waiting = tuple["asyncio.Future[Reply]", str]


class MicroBatcher(Generic[Reply]):
    """Collects the texts of a turn of the loop.

    Parameters
    ----------
    predict : function of a model and texts, which returns one reply for each; an error is that of the text that it is
        also raised for alone
    most : int
        As many texts at most are given to it at once.
    """

    def __init__(self, predict: Callable[[LoadedModel, list[str]], list[Reply]], most: int) -> None:
        self._predict, self._most = predict, most
        self._waiting: dict[LoadedModel, list[Waiting[Reply]]] = {}

    def __call__(self, served: LoadedModel, text: str) -> asyncio.Future[Reply]:
        """Return the reply to come."""
        loop = asyncio.get_running_loop()
        reply: asyncio.Future[Reply] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._answer)
        self._waiting.setdefault(served, []).append((reply, text))
        return reply

    def _answer(self) -> None:
        collected, self._waiting = self._waiting, {}
        for served, waiting in collected.items():
            for first in range(0, len(waiting), self._most):
                self._reply(served, waiting[first : first + self._most])

    def _reply(self, served: LoadedModel, waiting: list[Waiting[Reply]]) -> None:
        try:
            replies = self._predict(served, [text for _, text in waiting])
        except Exception as error:
            if len(waiting) > 1:  # what is wrong with one text must not become another's error
                for one in waiting:
                    self._reply(served, [one])
            elif not waiting[0][0].done():
                waiting[0][0].set_exception(error)
            return
        for (future, _), reply in zip(waiting, replies, strict=True):
            if not future.done():  # its client may be gone
                future.set_result(reply)
