"""The backend: documents to texts and addresses of subjects, and probabilities to suggestions."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from annif.backend.backend import AnnifLearningBackend
from annif.exception import ConfigurationException, NotInitializedException, NotSupportedException
from annif.suggestion import SuggestionBatch
from annif.util import boolean
from scipy.sparse import csr_array

from lindy import LindyError, TextClassifier, load


def _lengths(text: str) -> tuple[int, int]:
    shortest, _, longest = str(text).partition("-")
    return int(shortest), int(longest or shortest)


OPTIONS: dict[str, Any] = {
    "learner": str,
    "fast": boolean,
    "thorough": boolean,
    "ngrams": _lengths,
    "chars": _lengths,
    "weighting": str,
    "min_df": int,
    "metric": str,
    "keep_rows": boolean,
}
"""The settings of a project that are options of ``TextClassifier``, and how each is read."""


class LindyBackend(AnnifLearningBackend):
    """A model of lindy, in one file of the project's data; subjects are kept by their addresses."""

    name = "lindy"
    MODEL_FILE = "model.lindy"

    _model: TextClassifier | None = None

    @property
    def _path(self) -> str:
        return os.path.join(self.datadir, self.MODEL_FILE)

    def initialize(self, parallel: bool = False) -> None:
        """Load the model, if that has not been done; it is read only, and processes may share it."""
        if self._model is not None:
            return
        if not os.path.exists(self._path):
            raise NotInitializedException(f"model {self._path} not found", backend_id=self.backend_id)
        self.debug(f"loading model from {self._path}")
        self._model = load(self._path, n_jobs=1 if parallel else None)

    def _options(self, params: dict[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in params.items() if name in OPTIONS}
        try:
            return {name: OPTIONS[name](value) for name, value in given.items()}
        except ValueError as error:
            raise ConfigurationException(str(error), backend_id=self.backend_id) from error

    def _examples(self, corpus: Any) -> tuple[list[str], list[list[str]]]:
        """Return the texts of documents with subjects, and the addresses of those."""
        if corpus == "cached":
            raise NotSupportedException("lindy keeps no preprocessed documents: train without --cached")
        subjects = self.project.subjects
        found = [
            (doc.text, [subjects[subject_id].uri for subject_id in doc.subject_set])
            for doc in corpus.documents
            if len(doc.subject_set)
        ]
        if not found:
            raise NotSupportedException("there is no document with a subject to learn from")
        texts, labels = map(list, zip(*found, strict=True))
        return texts, labels

    def _train(self, corpus: Any, params: dict[str, Any], jobs: int = 0) -> None:
        texts, labels = self._examples(corpus)
        self.info(f"learning from {len(texts)} documents")
        model = TextClassifier(**self._options(params), n_jobs=jobs or None)
        self._fitted(lambda: model.fit(texts, list(map(set, labels))))

    def _learn(self, corpus: Any, params: dict[str, Any]) -> None:  # noqa: ARG002
        self.initialize()
        model, (texts, labels) = self._model, self._examples(corpus)
        self.info(f"learning from {len(texts)} further documents")
        self._fitted(lambda: model.partial_fit(texts, list(map(set, labels))))

    def _fitted(self, fit: Any) -> None:
        """Fit a model and save it; whatever lindy refuses is said as Annif says it."""
        try:
            self._model = fit()
            self._model.save(self._path)
        except (LindyError, ValueError) as error:
            hint = getattr(error, "hint", None)
            raise NotSupportedException(f"{error} ({hint})" if hint else str(error)) from error

    def _suggest_batch(self, documents: list[Any], params: dict[str, Any]) -> SuggestionBatch:
        model, limit = self._model, int(params["limit"])
        told = model.predictions([doc.text for doc in documents])
        values = told.values if told.known is None else told.values * (told.known > 0)[:, None]
        subjects = self.project.subjects
        ids = [subjects.by_uri(uri, warnings=False) for uri in model.classes_.tolist()]
        kept = np.array([place for place, own in enumerate(ids) if own is not None], np.intp)
        columns = np.array([ids[place] for place in kept.tolist()], np.int64)
        values = values[:, kept]
        first = np.argsort(-values, axis=1, kind="stable")[:, :limit]
        p = np.take_along_axis(values, first, axis=1).astype(np.float32)
        rows, places = np.nonzero(p > 0)
        found = (p[rows, places], (rows, columns[first[rows, places]]))
        return SuggestionBatch(csr_array(found, shape=(len(documents), len(subjects)), dtype=np.float32))
