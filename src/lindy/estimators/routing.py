"""Metadata routing: which arguments beside X and y scikit-learn passes on to an estimator inside another one.

It is the protocol of ``sklearn.utils.metadata_routing``: ``set_fit_request(sample_weight=True)`` notes a wish, and a
search or a pipeline of scikit-learn asks ``get_metadata_routing`` for all wishes. Only that imports scikit-learn.
"""

from __future__ import annotations

import inspect
from copy import deepcopy
from typing import Any, ClassVar

METHODS = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
    "transform",
    "inverse_transform",
)
_UNCHANGED = "$UNCHANGED$"  # scikit-learn's word for an argument that was not given
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Requests(dict[str, dict[str, Any]]):
    """The requests for metadata, by method and argument; scikit-learn's ``clone`` copies them."""

    def __sklearn_clone__(self) -> Requests:
        return deepcopy(self)


class _Setter:
    """The method ``set_fit_request`` or its like, of estimators whose method takes more than X and y."""

    def __init__(self, method: str) -> None:
        self.method = method

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        accepted = metadata_of(estimator, self.method)
        if not accepted:
            raise AttributeError(
                f"{owner.__name__} has no set_{self.method}_request: its {self.method} takes no metadata"
            )

        def set_request(**wishes: bool | str | None) -> Any:
            """Say whether scikit-learn passes an argument on: True, False, None (an error), or another name."""
            requests = Requests(deepcopy(getattr(estimator, "_metadata_request", {})))
            for name, wish in wishes.items():
                if name not in accepted:
                    raise TypeError(
                        f"Unexpected args: {name!r} in {self.method}. Accepted arguments are: {accepted}"
                    )
                if not (wish is None or isinstance(wish, bool) or wish == _UNCHANGED or _is_name(wish)):
                    raise ValueError(
                        f"The request for {name} should be True, False, None or another name; got {wish!r}"
                    )
                if wish != _UNCHANGED:
                    requests.setdefault(self.method, {})[name] = wish
            estimator._metadata_request = requests
            return estimator

        set_request.__name__ = f"set_{self.method}_request"
        return set_request


class Routed:
    """An estimator that says which metadata it wants."""

    _unrouted: ClassVar[frozenset[str]] = frozenset({"X", "y", "raw_documents"})
    """Arguments that are not metadata."""
    _wanted: ClassVar[frozenset[str]] = frozenset()
    """Metadata that are passed on unless it is said otherwise."""

    set_fit_request = _Setter("fit")
    set_partial_fit_request = _Setter("partial_fit")
    set_predict_request = _Setter("predict")
    set_predict_proba_request = _Setter("predict_proba")
    set_predict_log_proba_request = _Setter("predict_log_proba")
    set_decision_function_request = _Setter("decision_function")
    set_score_request = _Setter("score")
    set_transform_request = _Setter("transform")
    set_inverse_transform_request = _Setter("inverse_transform")

    def get_metadata_routing(self) -> Any:
        """Return what scikit-learn shall pass on to each method, as its ``MetadataRequest``."""
        from sklearn.utils.metadata_routing import MetadataRequest

        routing = MetadataRequest(owner=self)
        wishes = getattr(self, "_metadata_request", {})
        for method in METHODS:
            for name in metadata_of(self, method):
                wish = wishes.get(method, {}).get(name, True if name in self._wanted else None)
                getattr(routing, method).add_request(param=name, alias=wish)
        return routing


def metadata_of(estimator: Any, method: str) -> list[str]:
    """Return the arguments of a method, if there is such, that scikit-learn may route."""
    function = getattr(estimator, method, None)
    if function is None:
        return []
    parameters = inspect.signature(function).parameters.values()
    return sorted(p.name for p in parameters if p.kind in _BY_NAME and p.name not in estimator._unrouted)


def _is_name(wish: Any) -> bool:
    return isinstance(wish, str) and wish.isidentifier()
