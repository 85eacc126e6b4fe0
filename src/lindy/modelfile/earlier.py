"""Names that earlier versions gave to the options of learners, so that their model files can still be read."""

from __future__ import annotations

from typing import Any

_NAMES = {
    "averaging": "average",
    "bias": "fit_intercept",
    "penalize_bias": "penalize_intercept",
    "learning_rate": "eta0",
    "prior": "class_prior",
}
_VALUES: dict[tuple[str, str], Any] = {
    ("average", "average"): True,
    ("average", "last"): False,
    ("class_prior", "empirical"): None,
    ("penalty", "none"): None,
}


def present_parameters(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the stored options of a learner under the names and with the values of this version."""
    parameters = {}
    for old, value in stored.items():
        name = _NAMES.get(old, old)
        parameters[name] = _VALUES.get((name, value), value) if isinstance(value, str) else value
    options = parameters.get("solver_options")
    if isinstance(options, dict):
        pairs = [["batch_size" if key == "batch" else key, value] for key, value in options["pairs"]]
        parameters["solver_options"] = {"pairs": pairs}
    return parameters
