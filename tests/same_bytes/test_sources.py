"""No fit reaches BLAS, LAPACK or NumPy's own exp and log: sources do not call them, with the exceptions named here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import lindy

ROOT = Path(lindy.__file__).parent
FORBIDDEN = {
    *(
        "dot",
        "vdot",
        "inner",
        "matmul",
        "einsum",
        "tensordot",
        "linalg",
        "convolve",
        "correlate",
        "cov",
        "corrcoef",
    ),
    *("exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "logaddexp", "power"),
    *("sin", "cos", "tan", "tanh", "arctan", "hypot"),
}
# rooms that fit nothing, and files whose results are looked at or given away, but never become part of a model
ELSEWHERE = ("textbook", "labs", "plots", "report", "data", "cli")
ALLOWED = {
    "evaluation/drift.py": "how much features and figures differ, as they are printed",
    "evaluation/metrics/hierarchical.py": "figures of predictions in a hierarchy, as they are printed",
    "evaluation/metrics/label_metrics.py": "figures of predictions, as they are printed; sums of whole numbers",
    "evaluation/audit/label_audit.py": "which labels are learned from the same words, as an audit says",
    "evaluation/audit/label_noise.py": "which labels an audit suspects",
    "evaluation/metrics/ranking.py": "the log loss of predictions",
    "evaluation/metrics/significance.py": "p-values, as they are printed",
    "explain/inspection.py": "odds, as they are printed",
    "kernels/matrices.py": "eigenvalues in a report on a kernel",
    "progress.py": "how much is done, which is only shown",
    "text/tfidf.py": "what stands in for scikit-learn has NumPy's logarithm; rows of models have lindy's",
    "text/weighting/tfidf_transformer.py": "the same",
    "linear/background_weights.py": "a product of sparse matrices, which SciPy computes itself",
    "linear/optimizers/linear_program.py": "a product of sparse matrices, which SciPy computes itself",
}


def calls(path: Path) -> Iterator[str]:
    """Yield what a file takes of NumPy or the C library that depends on the CPU."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield f"line {node.lineno}: @"
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            ("scipy.linalg", "numpy.linalg")
        ):
            yield f"line {node.lineno}: {node.module}"
        if (
            isinstance(node, ast.Attribute)
            and node.attr in FORBIDDEN
            and ast.unparse(node.value) in ("np", "math")
        ):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def test_only_lindys_own_numerics_where_models_are_fitted() -> None:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name.split("/")[0] not in ELSEWHERE and (here := list(calls(path))):
            found[name] = here
    assert sorted(found) == sorted(ALLOWED), found
