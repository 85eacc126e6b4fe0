"""scikit-learn's own test files pass under acceleration, from its installed package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = {  # which tests of it, and how many have to pass at the least
    "feature_extraction.tests.test_text": ("", 120),
    "svm.tests.test_svm": ("", 120),
    "linear_model.tests.test_logistic": ("csr or sparse", 55),
    "tests.test_multiclass": ("", 50),
}
# The rest of test_logistic, on dense data that lindy leaves to scikit-learn, takes minutes on a busy machine.
WHOLE = {
    "linear_model.tests.test_logistic": ("", 280),
    "tests.test_calibration": ("", 110),
    "tests.test_pipeline": ("", 90),
}
if os.environ.get("LINDY_WHOLE_FILES"):
    FILES |= WHOLE
DESELECTED: dict[str, tuple[str, str]] = {}  # name of a test: (version of scikit-learn, reason)


@pytest.mark.parametrize("file", FILES)
def test_file_passes(file: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--no-header",
        "-c",
        "/dev/null",
        "--rootdir",
        str(tmp_path),
    ]
    command += ["-p", "no:randomly", "-p", "no:cacheprovider", "-p", "tests.accel.eager", "-W", "ignore"]
    command += [f"--deselect={name}" for name in DESELECTED]
    chosen, least = FILES[file]
    done = subprocess.run(
        [*command, "-k", chosen, "--pyargs", f"sklearn.{file}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= least


def test_few_tests_are_deselected_and_each_has_a_reason_and_this_version() -> None:
    assert len(DESELECTED) <= sum(least for _, least in FILES.values()) * 0.02
    for version, reason in DESELECTED.values():
        assert sklearn.__version__.startswith(version)
        assert len(reason) > 20
