"""The models of a service: loaded at the start, asked by name, replaced as a whole or not at all."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import UnsetType

from lindy.errors import ModelFileError, did_you_mean
from lindy.features.inputs import KINDS
from lindy.files.system import BYTES, NO_WAITING
from lindy.textclassifier import TextClassifier, load
from lindy.web.http.problems import Problem
from lindy.web.messages import ModelEntry

_VERSION = 12  # digits of the fingerprint that name a version
_LISTED = 20  # labels that a message names at the most


class LoadedModel:
    """A model and what clients call it.

    ``fingerprint`` is the SHA-256 of the file that was loaded, and ``version`` its first digits. ``trained_at`` is when
    the file was written: files hold no time, so that the same training gives the same bytes.
    ``takes`` says what it classifies: "texts", "records" (rows of several columns), "features" (with values) or "mail".
    """

    def __init__(self, name: str, path: str, *, threads: int | None = 1) -> None:
        self.name, self.path = name, path
        self.classifier, status, self.fingerprint = _loaded(path, threads)
        self.size, self.version = status.st_size, self.fingerprint[:_VERSION]
        self.trained_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(status.st_mtime))
        kind = self.classifier.vectorizer_.takes
        self.form, self.of_mail = KINDS[kind], self.classifier.columns_.get("text_is") == "mail"
        self.takes = "mail" if self.of_mail else kind
        if self.form.sent_as is None:
            raise ModelFileError(
                f"{path}: a model of {self.form.holds}, which the service cannot answer for",
                "serve models of texts, of tables or of features with values",
            )
        self.labels = [str(label) for label in self.classifier.classes_.tolist()]
        hierarchy = self.classifier.hierarchy_
        self.all_labels = self.labels if hierarchy is None else hierarchy.all_names
        self.columns: dict[str, list[str]] | None = None
        if self.classifier.columns is not None:
            self.columns = {role: list(names) for role, names in self.classifier.columns.items() if names}

    @property
    def text_column(self) -> str:
        """The column of tables that holds the texts of a model of texts."""
        return self.classifier.columns_.get("text") or "text"

    @cached_property
    def mail_words(self) -> Any:
        """The converter of raw messages to texts, as in training; None for a model of something else."""
        if not self.of_mail:
            return None
        from lindy.data.mail import MailWords

        return MailWords.from_state(self.classifier.columns_, None)

    @cached_property
    def thresholds(self) -> dict[str, float] | None:
        """From which probability (or score) on each of several labels is given; None where a text gets one label."""
        numbers = self.classifier.label_thresholds
        return None if numbers is None else dict(zip(self.labels, numbers.tolist(), strict=True))

    def check_input(self, given: Any) -> None:
        """Raise a problem if an example of a request is of another kind than the model takes."""
        if isinstance(given, str) != (self.form.sent_as == "text"):
            own = self.form.sent_as
            raise Problem(
                400, "wrong-inputs", f"the model {self.name!r} takes {self.takes}: send '{own}' or '{own}s'"
            )

    def check_tables(self, why: str) -> None:
        """Raise a problem, which says why, if the model's examples are no rows of tables."""
        if not self.form.in_tables:
            raise Problem(400, "wrong-inputs", why)

    def entry(self, is_default: bool) -> ModelEntry:
        """Return what the list of models says about it."""
        return ModelEntry(
            name=self.name,
            classes=self.labels,
            recipe=self.classifier.recipe_,
            default=is_default,
            columns=self.columns,
            text_column=self.text_column if self.form.sent_as == "text" else None,
            takes=self.takes,
            version=self.version,
            trained_at=self.trained_at,
            file=os.path.basename(self.path),
            thresholds=self.thresholds,
        )

    def known_label(self, label: str) -> Any:
        """Return the class that is written so."""
        if label not in self.labels:
            listed = ", ".join(repr(own[:100]) for own in self.labels[:_LISTED])
            more = len(self.labels) - _LISTED
            others = f" and {more:,} more, which /v1/models lists" if more > 0 else ""
            raise Problem(
                400,
                "unknown-label",
                f"the model {self.name!r} has no label {label[:100]!r}."
                f" {did_you_mean(label[:100], self.labels)}Its labels are {listed}{others}",
            )
        return self.classifier.classes_.tolist()[self.labels.index(label)]


def _loaded(path: str, threads: int | None) -> tuple[TextClassifier, os.stat_result, str]:
    """Return a model, and the state and the SHA-256 of the file that it is from, whoever replaces it meanwhile."""
    while True:
        try:
            number = os.open(path, os.O_RDONLY | NO_WAITING | BYTES)  # a pipe must not make this wait
        except OSError as error:
            load(path)  # which has better words for it, as a rule
            raise ModelFileError(
                f"cannot read the model file {path}: {error.strerror}", "check the path and its permissions"
            ) from error
        try:
            status = os.fstat(number)
            classifier = load(path, n_jobs=threads)
            if os.path.samestat(status, os.stat(path)):
                with open(number, "rb", closefd=False) as file:
                    return classifier, status, hashlib.file_digest(file, "sha256").hexdigest()
        finally:
            os.close(number)


class ModelRegistry:
    """Models by name; the first is the default one."""

    def __init__(self, models: Sequence[LoadedModel]) -> None:
        self.models = {model.name: model for model in models}
        self.default = models[0]

    @classmethod
    def load(cls, paths: Sequence[str], *, threads: int | None = 1) -> ModelRegistry:
        """Load model files, each called by the stem of its name."""
        return cls([LoadedModel(name, path, threads=threads) for name, path in _named(paths).items()])

    def __call__(self, name: str | UnsetType | None) -> LoadedModel:
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
