"""A joint classifier as the header and the arrays of a model file, and back; see ``text_classifiers``."""

from __future__ import annotations

from typing import Any

import numpy as np

import lindy.features
import lindy.images  # noqa: F401  # whose vectorizers a model file may hold
from lindy import joint
from lindy.estimators.serialization import (
    check_arrays,
    check_training,
    pack_parameters,
    training_summary,
    unpack_parameters,
)

KIND = "joint classifier"
_MAPS = ("BlockMap", "ProductMap")
_LEARNERS = {
    "perceptron": "JointPerceptron",
    "mira": "JointMira",
    "maxent": "JointMaxEnt",
    "svm": "JointSVM",
}
_FUNCTIONS = ("cost",)  # only fit needs them


def pack(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the arrays of a fitted `JointClassifier`.

    Raises
    ------
    TypeError
        If its features are a function, or its learner is none of lindy's.
    """
    features, feature_arrays = model.features_.to_state()
    learner = model.learner_
    name = next((own for own, kind in _LEARNERS.items() if type(learner) is getattr(joint, kind)), None)
    if name is None:
        raise TypeError(f"{type(learner).__name__} is not one of lindy's joint learners and cannot be saved")
    given = learner.get_params(deep=False)
    plain, _ = pack_parameters({key: value for key, value in given.items() if key not in _FUNCTIONS})
    header = {
        "kind": KIND,
        "features": features,
        "learner": {"name": name, "params": plain},
        "training": model.training_,
    }
    arrays = {f"features.{key}": array for key, array in feature_arrays.items()}
    return header, arrays | {"learner.w": learner.w_}


def unpack(model: Any, header: dict[str, Any], arrays: dict[str, Any], n_jobs: int | None) -> None:
    """Make an unfitted `JointClassifier` the one that was packed; any exception says that it was none."""
    if header["kind"] != KIND:
        raise ValueError(f"it holds a {header['kind']}")
    config, stored = header["features"], header["learner"]
    maps = {getattr(joint, name).kind: getattr(joint, name) for name in _MAPS}
    if config["kind"] not in maps:
        raise ValueError(f"unknown kind of features {config['kind']!r}; expected one of {sorted(maps)}")
    own = {n.removeprefix("features."): a for n, a in arrays.items() if n.startswith("features.")}
    features = maps[config["kind"]].from_state(config, own)
    kind = getattr(joint, _LEARNERS[stored["name"]])
    learner = kind(**_checked(kind, unpack_parameters(stored["params"], {})))
    weights = {n: a for n, a in arrays.items() if not n.startswith("features.")}
    check_arrays(weights, {"learner.w": ("F",)}, 2)
    learner.w_ = np.asarray(weights["learner.w"], np.float64)
    if len(learner.w_) != features.n_columns:
        raise ValueError(f"the learner has {len(learner.w_)} weights for {features.n_columns} features")
    model.training_ = check_training(header["training"])
    learner.n_jobs = n_jobs
    model.learner = model.learner_ = learner
    model.features = model.features_ = features


def _checked(kind: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Return stored options of a learner, each of the type of its default; None stands for a number."""
    defaults = kind().get_params()
    for name, value in params.items():
        default = defaults.get(name)
        known = name in defaults and name not in _FUNCTIONS
        types: Any = (int, float, type(None)) if default is None else type(default)
        types = (int, float) if types is float else types
        if not known or not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
            raise ValueError(f"the stored learner has the option {name}={value!r}")
    return params


def training_of(learner: Any) -> dict[str, Any]:
    """Return rounds and mistakes of an online learner, rounds and certificate of the others."""
    mistakes = getattr(learner, "mistakes_", None)
    if mistakes is None:
        return training_summary(learner)
    return {"rounds": len(mistakes), "mistakes": int(sum(mistakes))}
