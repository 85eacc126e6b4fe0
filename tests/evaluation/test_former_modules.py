"""Names of packages that were modules before."""

from __future__ import annotations

import importlib

import pytest

from lindy.evaluation import Calibrator, Evaluation
from lindy.evaluation.audit.table_audit import Audit


@pytest.mark.parametrize(
    ("package", "value"), [("metrics", Evaluation), ("calibration", Calibrator), ("audit", Audit)]
)
def test_a_former_module_has_its_names_and_says_where_they_are(package: str, value: type) -> None:
    former = importlib.import_module(f"lindy.evaluation.{package}")
    with pytest.warns(DeprecationWarning, match=rf"^lindy\.evaluation\.{package}\..* is {value.__module__}"):
        assert getattr(former, value.__name__) is value
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = former.nothing
