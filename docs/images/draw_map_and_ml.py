"""Draw map-and-ml.svg: maximum likelihood and the posterior estimate of word probabilities meet as data comes in.

python docs/images/draw_map_and_ml.py        (needs matplotlib)
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from lindy import MultinomialNaiveBayes

TRUTH = np.array([0.5, 0.3, 0.15, 0.05])
TOKENS = np.unique(np.geomspace(2, 20_000, 60).astype(int))
BLUE, ORANGE = "#3a6ea5", "#d9822b"


def estimates() -> tuple[np.ndarray, np.ndarray]:
    """Return P(w | y) by maximum likelihood and with alpha = 1, after each number of tokens of one text."""
    tokens = np.random.default_rng(3).choice(len(TRUTH), TOKENS[-1], p=TRUTH)
    counts = [np.bincount(tokens[:n], minlength=len(TRUTH))[None, :] for n in TOKENS]
    likely, posterior = (
        np.array([np.exp(MultinomialNaiveBayes(alpha=k).fit(X, [0]).W_[:, 0]) for X in counts])
        for k in (0.0, 1.0)
    )
    return likely, posterior


def draw(path: Path) -> None:
    """Write the figure."""
    mpl.rcParams.update({"svg.hashsalt": "lindy", "svg.fonttype": "none", "font.family": "sans-serif"})
    likely, posterior = estimates()
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for w, share in enumerate(TRUTH):
        left.axhline(share, color="0.8", linewidth=1, zorder=0)
        left.plot(TOKENS, likely[:, w], color=BLUE, label="maximum likelihood" if w == 0 else None)
        left.plot(TOKENS, posterior[:, w], color=ORANGE, label="posterior, alpha = 1" if w == 0 else None)
    left.set(
        xscale="log", ylim=(0, 1), xlabel="tokens seen", ylabel="P(w | y)", title="Four words of one class"
    )
    left.legend(frameon=False, fontsize=9)
    right.plot(TOKENS, np.abs(likely - posterior).sum(axis=1), color="0.2", label="measured")
    right.plot(TOKENS, 0.6 * len(TRUTH) / TOKENS, color="0.6", linestyle=":", label="shrinks as 1 / tokens")
    right.set(
        xscale="log",
        yscale="log",
        xlabel="tokens seen",
        title="How far the two are apart",
    )
    right.legend(frameon=False, fontsize=9)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    draw(Path(__file__).with_name("map-and-ml.svg"))
