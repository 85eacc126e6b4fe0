"""The models of a service: loaded at the start, asked by name, replaced as a whole or not at all."""

from __future__ import annotations

import hashlib
import os
import weakref
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import UnsetType

from lindy.errors import ModelFileError, did_you_mean
from lindy.system import BYTES, IS_POSIX, NO_WAITING, read_at
from lindy.textclassifier import TextClassifier, load
from lindy.web.messages import ModelEntry
from lindy.web.problems import Problem

_BLOCK = 1 << 20  # bytes that are read at once


class Served:
    """A model and what clients call it.

    ``takes`` says what it classifies: "texts", "records" (rows of several columns), "features" (with values) or "mail".
    """

    def __init__(self, name: str, path: str, *, threads: int | None = 1) -> None:
        self.name, self.path = name, path
        self.classifier: TextClassifier = load(path, n_jobs=threads)
        self._file = _opened(path)  # the fingerprint is of what was loaded, whatever happens to the name
        self.size = os.fstat(self._file).st_size
        close = weakref.finalize(self, os.close, self._file)
        if not IS_POSIX:  # nobody could replace a file that is open
            self.fingerprint  # noqa: B018
            close()
        vectorizer = self.classifier.vectorizer_
        dictionaries = vectorizer.takes_dicts and not vectorizer.takes_bags
        if vectorizer.takes_pictures or dictionaries:
            what = "dictionaries of features" if dictionaries else "images"
            raise ModelFileError(
                f"{path}: a model of {what}, which the service cannot answer for",
                "serve models of texts, of tables or of features with values",
            )
        self.labels = [str(label) for label in self.classifier.classes_.tolist()]
        self.columns: dict[str, list[str]] | None = None
        if self.classifier.columns is not None:
            self.columns = {role: list(names) for role, names in self.classifier.columns.items() if names}
        self.takes = self._takes()

    def _takes(self) -> str:
        if self.columns is not None:
            return "records"
        if self.classifier.vectorizer_.takes_bags:
            return "features"
        return "mail" if self.classifier.columns_.get("text_is") == "mail" else "texts"

    @cached_property
    def mail_words(self) -> Any:
        """What makes texts of raw messages, as in training."""
        from lindy.data.mail import MailWords

        return MailWords.from_state(self.classifier.columns_, None)

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the file."""
        digest, place = hashlib.sha256(), 0
        # by place: threads, and workers that were forked, share the position of an open file
        while data := read_at(self._file, _BLOCK, place):
            digest.update(data)
            place += len(data)
        return digest.hexdigest()

    def entry(self, is_default: bool) -> ModelEntry:
        """Return what the list of models says about it."""
        return ModelEntry(
            self.name, self.labels, self.classifier.recipe_, is_default, self.columns, self.takes
        )

    def known_label(self, label: str) -> Any:
        """Return the class that is written so."""
        if label not in self.labels:
            raise Problem(
                400,
                "unknown-label",
                f"the model {self.name!r} has no label {label[:100]!r}; /v1/models lists its labels",
            )
        return self.classifier.classes_.tolist()[self.labels.index(label)]


def _opened(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | NO_WAITING | BYTES)  # a pipe must not make this wait
    except OSError as error:
        raise ModelFileError(
            f"cannot read the model file {path}: {error.strerror}", "check the path and its permissions"
        ) from error


class Shelf:
    """Models by name; the first is the default one."""

    def __init__(self, models: Sequence[Served]) -> None:
        self.models = {model.name: model for model in models}
        self.default = models[0]

    @classmethod
    def load(cls, paths: Sequence[str], *, threads: int | None = 1) -> Shelf:
        """Load model files, each called by the stem of its name."""
        return cls([Served(name, path, threads=threads) for name, path in _named(paths).items()])

    def __call__(self, name: str | UnsetType | None) -> Served:
        """Return the model of a name; the default one without."""
        if not isinstance(name, str):
            return self.default
        model = self.models.get(name)
        if model is None:
            guess = did_you_mean(name[:100], self.models)
            raise Problem(
                404,
                "unknown-model",
                f"there is no model {name[:100]!r}. {guess}There are: {', '.join(self.models)}",
                {"models": list(self.models)},
            )
        return model

    def entries(self) -> list[ModelEntry]:
        """Return what the list of models says."""
        return [model.entry(model is self.default) for model in self.models.values()]


def _named(paths: Sequence[str]) -> dict[str, str]:
    """Return the files by the stems of their names; the second of a name gets a number."""
    named: dict[str, str] = {}
    for path in paths:
        stem = Path(path).stem or "model"
        name, number = stem, 2
        while name in named:
            name, number = f"{stem}-{number}", number + 1
        named[name] = path
    return named
