"""Formulas as a terminal shows them."""

from __future__ import annotations

import pytest

from lindy.labs.plain_math import plain


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"$\hat y = \arg\max_y w \cdot f(x, y)$", "ŷ = argmax_y w·f(x, y)"),
        (r"$P(x \mid y)$", "P(x | y)"),
        (r"$|Y| \cdot |F|^n$", "|Y|·|F|ⁿ"),
        (r"$\frac{1 + n_{yj}}{J + \sum_i n_{yi}}$", "(1 + n_yj)/(J + Σ_i n_yi)"),
        (r"$\frac{\lambda}{2} \lVert w \rVert^2$", "λ/2 ‖w‖²"),
        (r"$(A^T A)^{-1} A^T B$", "(Aᵀ A)⁻¹ Aᵀ B"),
        (r"$e^{-\text{score}}$", "e^(−score)"),
        (r"$\sqrt{2} x_1$", "√2 x_1"),
        (r"$\min_w \log(w_{y^*} \cdot x)$", "min_w log(w_y*·x)"),
        (r"$\frac{1}{2} \log Z$", "1/2 log Z"),
        (r"$\theta \leftarrow \theta + \eta x_1 + \ldots + x_n$", "θ ← θ + ηx_1 + … + x_n"),
        (r"$\arg\max_\theta P(X \mid \theta)$", "argmax_θ P(X | θ)"),
        (r"costs \$5", "costs $5"),
    ],
)
def test_formulas_in_a_line(latex: str, shown: str) -> None:
    assert plain(latex) == shown


def test_a_formula_on_its_own_line_has_its_number() -> None:
    assert plain("so\n\n$$a = b. \\tag{1.9}$$\n\nthen") == "so\n\n    a = b.       (1.9)\n\nthen"
