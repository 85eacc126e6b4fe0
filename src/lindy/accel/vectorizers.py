"""Vectorizers: texts are read by lindy's vectorizer of the same name, which has the same parameters and results.

The fitted attributes become scikit-learn's; lindy's vectorizer is kept beside the object for ``transform`` (not in
it, so that pickles are scikit-learn's alone) as long as what it was made from is unchanged.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, cast

from lindy.accel.lazy_vocabulary import complete, defer, is_deferred
from lindy.accel.searches import read_once, same_params, shares_readings
from lindy.accel.small_work import CHARACTERS, needs_loading
from lindy.accel.table import UnsupportedError


@dataclass(slots=True)
class _Twin:
    """lindy's vectorizer, and what it was made from."""

    vectorizer: Any
    params: dict[str, Any]
    vocabulary: Any  # None while it is deferred
    idf: Any
    shared: bool = False  # with vectorizers of other candidates of a search


_TWINS: weakref.WeakKeyDictionary[Any, _Twin] = weakref.WeakKeyDictionary()


def fit(self: Any, raw_documents: Any, y: Any = None) -> Any:  # noqa: ARG001 - scikit-learn's signature
    """Learn the terms and their idf, without weighing them."""
    unfitted = _unfitted(self, raw_documents)
    _adopt(
        self,
        read_once(("fit", type(self)), self.get_params(), raw_documents, lambda: unfitted.fit(raw_documents)),
    )
    return self


def fit_transform(self: Any, raw_documents: Any, y: Any = None) -> Any:  # noqa: ARG001 - scikit-learn's signature
    """Learn the terms and return their counts or weights."""
    unfitted = _unfitted(self, raw_documents)

    def read() -> tuple[Any, Any]:
        X = unfitted.fit_transform(raw_documents)
        return unfitted, X

    twin, X = read_once(("fit_transform", type(self)), self.get_params(), raw_documents, read)
    _adopt(self, twin)
    return _as_configured(X)


def transform(self: Any, raw_documents: Any) -> Any:
    """Return the counts or weights of known terms."""
    twin = _fitted(self, raw_documents)
    return _as_configured(read_once(twin, {}, raw_documents, lambda: twin.transform(raw_documents)))


def transform_hashed(self: Any, X: Any) -> Any:
    """Return the counts of hashed terms."""
    if not hasattr(X, "__len__"):
        raise UnsupportedError("texts come one by one, and may be more than memory holds")
    params = self.get_params(deep=False)
    twin = _TWINS.get(self)
    if twin is None or not same_params(twin.params, params):
        twin = _TWINS[self] = _Twin(_new(self, X, params), params, None, None)
    return _as_configured(twin.vectorizer.transform(X))


def feature_names(self: Any, input_features: Any = None) -> Any:  # noqa: ARG001 - scikit-learn's signature
    """Return the terms in the order of their columns, without making ``vocabulary_``."""
    twin = _TWINS.get(self)
    if twin is None or not is_deferred(self):
        raise UnsupportedError("vocabulary_ is there")
    return twin.vectorizer.get_feature_names_out()


def _unfitted(self: Any, raw_documents: Any) -> Any:
    from sklearn import get_config

    if not get_config()["skip_parameter_validation"]:
        self._validate_params()
    return _new(self, raw_documents, self.get_params(deep=False))


def _new(self: Any, raw_documents: Any, params: dict[str, Any]) -> Any:
    """Return lindy's unfitted vectorizer of the same parameters; ``UnsupportedError`` where it would not be faster."""
    name = type(self).__name__
    if type(self).__module__ != "sklearn.feature_extraction.text":
        raise UnsupportedError(f"{name} is a subclass of its own")
    for step in ("preprocessor", "tokenizer", "analyzer", "strip_accents"):
        if callable(params[step]):
            raise UnsupportedError(f"{step} is a function of Python")
    if params["input"] == "file":
        raise UnsupportedError("open files can be read only once")
    if isinstance(raw_documents, str) or not hasattr(raw_documents, "__len__"):
        raise UnsupportedError("texts are not a list or an array")
    if params["input"] == "content":
        needs_loading("lindy.text.count", _characters(raw_documents) / CHARACTERS)
    from lindy import text

    twin = getattr(text, name)(**params)
    if twin._native_options() is None:
        raise UnsupportedError("token_pattern is not one that the core knows")
    self.build_analyzer()  # warns of stop words that no token can be, once per list
    twin._stop_words_id = id(twin.stop_words)
    return twin


def _characters(raw_documents: Any) -> int:
    return sum(len(text) for text in raw_documents if isinstance(text, str | bytes))


def _adopt(self: Any, twin: Any) -> None:
    """Set the fitted attributes of scikit-learn's vectorizer."""
    self.fixed_vocabulary_ = twin.fixed_vocabulary_
    if twin.fixed_vocabulary_:
        self.vocabulary_ = twin.vocabulary_
    else:
        defer(self, _vocabulary)
    if hasattr(self, "use_idf"):
        from sklearn.feature_extraction.text import TfidfTransformer

        names = ("norm", "use_idf", "smooth_idf", "sublinear_tf")
        self._tfidf = TfidfTransformer(**{name: getattr(self, name) for name in names})
        self._tfidf.n_features_in_ = twin.n_columns
        if self.use_idf:
            self._tfidf.idf_ = twin.idf_.copy() if shares_readings() else twin.idf_
    _keep(self, twin, self.get_params(deep=False))


def _vocabulary(self: Any) -> dict[str, int]:
    own = _TWINS[self]
    terms = own.vectorizer.vocabulary_
    own.vocabulary = dict(terms) if own.shared else terms
    return cast("dict[str, int]", own.vocabulary)


def _keep(self: Any, twin: Any, params: dict[str, Any]) -> None:
    _TWINS[self] = _Twin(twin, params, vars(self).get("vocabulary_"), _idf(self), shares_readings())


def _fitted(self: Any, raw_documents: Any) -> Any:
    """Return lindy's vectorizer with the terms and weights that scikit-learn's has now."""
    params, twin = self.get_params(deep=False), _TWINS.get(self)
    if twin is not None and twin.vocabulary is not vars(self).get("vocabulary_"):
        twin = None
    if twin is not None and twin.idf is _idf(self) and same_params(twin.params, params):
        return twin.vectorizer
    complete(self)
    if "vocabulary_" not in vars(self):
        raise UnsupportedError("the vectorizer is not fitted")
    if _characters(raw_documents) < len(self.vocabulary_):
        raise UnsupportedError("few texts for a vectorizer that was fitted elsewhere")
    made = _new(self, raw_documents, params | {"vocabulary": self.vocabulary_})
    made._given_vocabulary()
    if hasattr(self, "_tfidf"):
        weights = self._tfidf.get_params()
        if any(params[name] != weights[name] for name in weights):
            raise UnsupportedError("the parameters of the weights were changed after fit")
        if self.use_idf:
            made.idf_ = self._tfidf.idf_
        else:
            made._tfidf = made.new_transformer()
    _keep(self, made, params)
    return made


def _idf(self: Any) -> Any:
    return getattr(getattr(self, "_tfidf", None), "idf_", None)


def _as_configured(X: Any) -> Any:
    """Return a sparse matrix of the kind that scikit-learn is configured to make."""
    from sklearn.utils._sparse import _align_api_if_sparse

    return _align_api_if_sparse(X.copy() if shares_readings() else X)
