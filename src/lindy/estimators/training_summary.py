"""The record of a training that is kept with a model: solver, rounds, mistakes, and its certificate."""

from __future__ import annotations

import math
from typing import Any

_CERTIFICATE = {"objective": float, "gap": float, "relative gap": float, "tolerance": float, "reached": bool}


def training_summary(learner: Any) -> dict[str, Any]:
    """Return what a learner says about its training that is worth keeping with the model: solver, rounds, proof."""
    summary: dict[str, Any] = {}
    if isinstance(solver := getattr(learner, "solver_", None), str):
        summary["solver"] = solver
    if (rounds := getattr(learner, "n_iter_", None)) is not None:
        summary["rounds"] = int(rounds)
    if (mistakes := getattr(learner, "mistakes_", None)) is not None:
        summary["mistakes"] = int(mistakes)
    proof = getattr(learner, "certificate_", None)
    if proof is not None and math.isfinite(proof.gap):  # without a penalty there may be none to prove
        summary["certificate"] = {
            "objective": float(proof.objective),
            "gap": float(proof.gap),
            "relative gap": float(proof.relative_gap),
            "tolerance": float(proof.tol),
            "reached": bool(proof.reached),
        }
    return summary


def training_facts(training: dict[str, Any]) -> dict[str, str]:
    """Return such a summary in words."""
    facts = {}
    if "rounds" in training:
        by = f" by {training['solver']}" if "solver" in training else ""
        facts["training"] = f"{training['rounds']:,} rounds{by}"
    if proof := training.get("certificate"):
        kept = "within" if proof["reached"] else "NOT within"
        facts["certificate"] = (
            f"objective {proof['objective']:.6g}, at most {proof['relative gap']:.1e} of it above the optimum"
            f" ({kept} the tolerance {proof['tolerance']:.0e})"
        )
    return facts


def check_training(stored: Any) -> dict[str, Any]:
    """Return a summary that came from a file, which must be one."""
    known = {"solver": str, "rounds": int, "mistakes": int, "certificate": dict}
    sound = isinstance(stored, dict) and all(type(stored[name]) is known.get(name) for name in stored)
    proof = stored.get("certificate", {}) if sound else {}
    if not sound or (proof and {name: type(value) for name, value in proof.items()} != _CERTIFICATE):
        raise ValueError("the stored summary of the training is malformed")
    return dict(stored)
