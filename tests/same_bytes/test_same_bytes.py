"""The same bytes whatever kernels of BLAS, NumPy and the C library the CPU brings with it, at every level of the core.

One machine stands in for others: ``OPENBLAS_CORETYPE`` chooses the kernels of another CPU, ``LINDY_ISA`` caps those of
the core, ``NPY_DISABLE_CPU_FEATURES`` takes NumPy's wide ones away and ``GLIBC_TUNABLES`` those of the C library.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lindy import _native

HERE = Path(__file__).parent
WIDEST = _native.isa()  # of this CPU
LEVELS = ("baseline", "avx2", "avx512")
# the level that the kernels of each OpenBLAS core need of the CPU
CORES = {
    "Prescott": "baseline",
    "Nehalem": "baseline",
    "Haswell": "avx2",
    "Zen": "avx2",
    "SkylakeX": "avx512",
}


def possible(level: str) -> bool:
    """Whether this CPU has the instructions of a level."""
    return LEVELS.index(level) <= LEVELS.index(WIDEST)


def without_wide_kernels() -> dict[str, dict[str, str]]:
    """Return the environments in which NumPy or the C library believes to be on an older CPU."""
    dispatched = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return {
        "NumPy": {"NPY_DISABLE_CPU_FEATURES": " ".join(dispatched)},
        "C library": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"},
    }


@cache
def printed(threads: str = "1", **environment: str) -> str:
    """Return what the fits print in an environment."""
    ran = subprocess.run(
        [sys.executable, str(HERE / "fits.py"), threads],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def differences(one: str, other: str) -> list[str]:
    """Return the names of the fits that differ."""
    pairs = zip(one.splitlines(), other.splitlines(), strict=True)
    return [a.split("\t")[0] for a, b in pairs if a != b]


@pytest.mark.parametrize("level", list(filter(possible, LEVELS)))
@pytest.mark.parametrize("core", [core for core, level in CORES.items() if possible(level)])
def test_no_blas_level_or_number_of_threads_changes_a_fit(core: str, level: str) -> None:
    for threads in ("1", "2"):
        other = printed(threads, OPENBLAS_CORETYPE=core, LINDY_ISA=level)
        assert differences(printed(), other) == [], f"{threads} threads"


@pytest.mark.parametrize("environment", without_wide_kernels().values(), ids=list(without_wide_kernels()))
def test_no_kernels_of_numpy_or_the_c_library_change_a_fit(environment: dict[str, str]) -> None:
    assert differences(printed(), printed(**environment)) == []


@pytest.mark.parametrize("core", [core for core, level in CORES.items() if possible(level)])
def test_proofs_and_their_oracles_hold_with_every_blas(core: str) -> None:
    """Tests of ill-conditioned tables, which once passed or failed with the kernels of the machine's BLAS."""
    files = [HERE.parent / "linear" / name for name in ("test_extreme_data.py", "test_proximal_newton.py")]
    chosen = "different_sizes or a_million_times or reached_their_margins"
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n0",
            "-p",
            "no:cacheprovider",
            *map(str, files),
            "-k",
            chosen,
        ],
        env=os.environ | {"OPENBLAS_CORETYPE": core},
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
