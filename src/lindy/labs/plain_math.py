r"""LaTeX formulas as a terminal shows them: ``$\hat y = \arg\max_y w_y \cdot x$`` becomes ŷ = argmax_y w_y·x."""

from __future__ import annotations

import re

SYMBOLS = {
    "alpha": "α",
    "gamma": "γ",
    "delta": "δ",
    "Delta": "Δ",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "xi": "ξ",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "varphi": "φ",
    "phi": "φ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "omega": "ω",
    "ell": "ℓ",
    "sum": "Σ",
    "prod": "Π",
    "cdot": "·",
    "times": "×",
    "otimes": "⊗",
    "pm": "±",
    "le": "≤",
    "ge": "≥",
    "ne": "≠",
    "approx": "≈",
    "propto": "∝",
    "in": "∈",
    "forall": "∀",
    "nabla": "∇",
    "partial": "∂",
    "infty": "∞",
    "leftarrow": "←",
    "to": "→",
    "mid": " | ",
    "ldots": "…",
    "dots": "…",
    "cdots": "…",
    "langle": "⟨",
    "rangle": "⟩",
    "lVert": "‖",
    "rVert": "‖",
    "star": "★",
    "top": "ᵀ",
    "quad": "   ",
    "qquad": "      ",
}
SUPERSCRIPTS = str.maketrans("0123456789-nT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿᵀ")
ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304"}
WHOLE = {("hat", "y"): "ŷ", ("hat", "w"): "ŵ", ("tilde", "y"): "ỹ"}
GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"


def plain(prose: str) -> str:
    """Return prose with its formulas in Unicode."""
    prose = re.sub(r"\$\$(.+?)\$\$", lambda m: f"    {formula(m[1])}", prose, flags=re.DOTALL)
    prose = re.sub(r"(?<![\\$])\$([^$]+?)(?<!\\)\$", lambda m: formula(m[1]), prose)
    return prose.replace(r"\$", "$")


def formula(latex: str) -> str:
    """Return a formula in Unicode, in one line."""
    text = " ".join(latex.split())
    text = re.sub(r"\\tag\{([^}]*)\}", r"\\qquad(\1)", text)
    text = re.sub(r"\\(left|right|bigl|bigr|Bigl|Bigr|displaystyle|limits)(?![a-zA-Z])", "", text)
    text = re.sub(r"\\(?:text|mathrm|mathbf|operatorname|mathcal)" + GROUP, r"\1", text)
    text = text.replace("^*", "*")
    before = ""
    while before != text:  # from the inside to the outside
        before = text
        text = re.sub(r"\\[dt]?frac" + GROUP + GROUP, _quotient, text)
        text = re.sub(r"\\sqrt" + GROUP, lambda m: f"√{_bracketed(m[1])}", text)
        text = re.sub(r"\\(hat|tilde|bar) ?(?:\{(\w)\}|(\w))", _accented, text)
        text = re.sub(r"\^" + GROUP, lambda m: _raised(m[1]), text)
        text = re.sub(r"_" + GROUP, lambda m: f"_{m[1]}" if len(m[1]) < 3 else f"_({m[1]})", text)
    text = re.sub(r"\^(\w)", lambda m: _raised(m[1]), text)
    text = text.replace(r" \rVert", r"\rVert")
    text = re.sub(r"\\(arg)\s*\\(max|min)", r"\1\2", text)
    text = re.sub(r"(_\\[a-zA-Z]+) (?=[\w\\])", r"\1\\,", text)
    text = re.sub(r"\\([a-zA-Z]+)(?: (?![-+]))?(?=(\w|\\)?)", _symbol, text)
    text = text.replace(r"\{", "{").replace(r"\}", "}").replace(r"\|", "‖").replace(r"\,", " ")
    text = re.sub(r"\s*([≤≥≠≈∝∈←→×=])\s*", r" \1 ", text.replace("\\;", " ").replace("\\!", ""))
    text = re.sub(r"\s*·\s*", "·", text).replace("-", "−")
    return re.sub(r"(?<=\S) {2}(?=\S)", " ", text).strip()


def _symbol(found: re.Match[str]) -> str:
    """Return a symbol, or a name such as log with a space before a letter."""
    return SYMBOLS.get(found[1], found[1] + (" " if found[2] and found[2] != "_" else ""))


def _quotient(found: re.Match[str]) -> str:
    return f"{_bracketed(found[1])}/{_bracketed(found[2])}"


def _bracketed(text: str) -> str:
    return text if re.fullmatch(r"\\?[\w'.]+|\\lVert.*?\\rVert|\|[^|]*\|", text) else f"({text})"


def _raised(text: str) -> str:
    return text.translate(SUPERSCRIPTS) if re.fullmatch("-?[0-9]+|[nT]", text) else f"^{_bracketed(text)}"


def _accented(found: re.Match[str]) -> str:
    letter = found[2] or found[3]
    return WHOLE.get((found[1], letter), letter + ACCENTS[found[1]])
