"""From a fitted pipeline of scikit-learn to a ``TextClassifier``, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy import text
from lindy.errors import DataError
from lindy.linear.maxent import MaxEnt
from lindy.linear.svm import SVM
from lindy.textclassifier import TextClassifier

_WEIGHTS = ("norm", "use_idf", "smooth_idf", "sublinear_tf")
_PARTS = (
    "CountVectorizer, TfidfVectorizer or HashingVectorizer, perhaps TfidfTransformer, and LinearSVC or"
    " LogisticRegression"
)


def from_sklearn(pipeline: Any) -> TextClassifier:
    """Return a fitted pipeline of scikit-learn as a ``TextClassifier``, which can be saved, explained and served.

    It may have CountVectorizer (and TfidfTransformer), TfidfVectorizer or HashingVectorizer, and LinearSVC or
    LogisticRegression. Predictions are the same, but for scores that differ in the digits that float32 has not.
    """
    from lindy.modelfile.text_classifiers import unpack

    steps = [step for _, step in getattr(pipeline, "steps", []) if step is not None and step != "passthrough"]
    names = [type(step).__name__ for step in steps]
    if len(steps) not in (2, 3) or names[1:-1] not in ([], ["TfidfTransformer"]):
        raise DataError(
            f"from_sklearn takes a pipeline of {_PARTS}", f"this one has {', '.join(names) or 'no steps'}"
        )
    vectorizer = _vectorizer_of(steps[0], steps[1] if len(steps) == 3 else getattr(steps[0], "_tfidf", None))
    learner = _learner_of(steps[-1])
    config, arrays = vectorizer.to_state()
    params, learner_arrays = learner.to_state()
    header = {
        "kind": "text classifier",
        "vectorizer": config,
        "learner": {"name": learner.spec.name, "params": params},
        "classes": steps[-1].classes_.tolist(),
        "class_counts": [0] * len(steps[-1].classes_),
        "columns": {},
        "recipe": f"from scikit-learn: {' + '.join(names)}",
    }
    kept = {f"vectorizer.{name}": array for name, array in arrays.items()}
    kept |= {f"learner.{name}": array for name, array in learner_arrays.items()}
    model = TextClassifier()
    unpack(model, header, kept, None)
    return model


def _vectorizer_of(found: Any, weights: Any) -> Any:
    name = type(found).__name__
    if type(found).__module__ != "sklearn.feature_extraction.text":
        raise DataError(f"from_sklearn cannot read {name}", f"give a pipeline of {_PARTS}")
    params = found.get_params(deep=False)
    if name != "HashingVectorizer":
        params["vocabulary"] = found.vocabulary_
    if weights is not None:
        if name == "HashingVectorizer":
            raise DataError("hashed terms have no idf in lindy", "leave out TfidfTransformer")
        name, params = "TfidfVectorizer", params | weights.get_params(deep=False) | {"dtype": np.float64}
    made = getattr(text, name)(**params)
    if made._native_options() is None:
        raise DataError(
            f"{name} has a function of Python or an unusual token_pattern",
            "a model file holds no code of yours",
        )
    if name != "HashingVectorizer":
        made._given_vocabulary()
    if weights is not None and weights.use_idf:
        made.idf_ = weights.idf_
    elif weights is not None:
        made._tfidf = made.new_transformer()
    return made


def _learner_of(found: Any) -> Any:
    name = type(found).__name__
    if name == "LinearSVC" and found.multi_class == "ovr":
        made: Any = SVM(loss=found.loss, C=float(found.C), penalize_intercept=True)
    elif name == "LogisticRegression":
        made = MaxEnt(C=float(found.C)) if np.isfinite(found.C) else MaxEnt(penalty=None)
    else:
        raise DataError(f"from_sklearn cannot read {name}", f"give a pipeline of {_PARTS}")
    made.fit_intercept = bool(found.fit_intercept)
    made.classes_ = found.classes_
    intercept = np.broadcast_to(np.asarray(found.intercept_, np.float64), (len(found.coef_),))
    made._unpack({"W": np.ascontiguousarray(found.coef_.T), "b": np.ascontiguousarray(intercept)})
    return made


def to_sklearn(model: TextClassifier) -> Any:
    """Return a fitted ``TextClassifier`` as a pipeline of scikit-learn.

    It has the vectorizer, and LinearSVC or LogisticRegression. That needs a vectorizer with scikit-learn's parameters
    alone, a learner of these two kinds, and labels that follow from the highest score. Options of the fit, such as
    the penalty, are not carried over but for C.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.svm import LinearSVC

    learner = model.learner_
    joint = isinstance(learner, SVM) and learner.loss not in ("hinge", "squared_hinge")
    usual = type(learner) is SVM or (type(learner) is MaxEnt and learner.multiclass == "multinomial")
    if not usual or joint or model.rule_ is not None or model.calibrator_ is not None:
        raise DataError(
            f"scikit-learn has no estimator that predicts as this model does: {model.recipe_}",
            'models of learner="svm" or "maxent" without calibration, thresholds and costs can be given to it',
        )
    classifier = (
        LinearSVC(loss=learner.loss) if isinstance(learner, SVM) else LogisticRegression()
    ).set_params(C=float(learner.C))
    classifier.classes_, classifier.n_features_in_ = model.classes_, model.vectorizer_.n_columns
    classifier.coef_ = np.asarray(learner.coef_, np.float64)
    classifier.intercept_ = np.asarray(learner.intercept_, np.float64)
    return Pipeline([("vectorizer", _sklearn_vectorizer(model.vectorizer_)), ("classifier", classifier)])


def _sklearn_vectorizer(vectorizer: Any) -> Any:
    import sklearn.feature_extraction.text as theirs

    kind = getattr(theirs, type(vectorizer).__name__, None)
    if kind is None or not type(vectorizer).__module__.startswith("lindy.text"):
        raise DataError(
            f"scikit-learn has no {type(vectorizer).__name__}", "use CountVectorizer or TfidfVectorizer"
        )
    params, usual = vectorizer.get_params(deep=False), type(vectorizer)().get_params(deep=False)
    shared = kind().get_params(deep=False)
    own = [
        name for name in params.keys() - shared.keys() - {"n_jobs", "n_merges"} if params[name] != usual[name]
    ]
    if own or params["analyzer"] not in ("word", "char", "char_wb"):
        what = ", ".join(own) or params["analyzer"]
        raise DataError(f"scikit-learn's {kind.__name__} cannot do {what}", "leave it out")
    made = kind(**{name: params[name] for name in shared})
    if kind is theirs.HashingVectorizer:
        return made
    made.set_params(vocabulary=dict(vectorizer.vocabulary_))._validate_vocabulary()
    if kind is theirs.TfidfVectorizer:
        made._tfidf = theirs.TfidfTransformer(**{name: params[name] for name in _WEIGHTS})
        made._tfidf.n_features_in_ = vectorizer.n_columns
        if made.use_idf:
            made.idf_ = np.asarray(vectorizer.idf_, np.float64)
    return made
