"""One page about a comparison of learners: the table, the intervals as a picture, the learning curves."""

from __future__ import annotations

from collections.abc import Mapping

from lindy import __version__, plots
from lindy.evaluation.compare import Comparison
from lindy.explain.explanation_html import page
from lindy.plots.style import COLOURS, GREY, plain
from lindy.report.figures import canvas, figure
from lindy.sanitize import html_name, html_table, inert


def comparison_report(
    result: Comparison, *, title: str, facts: Mapping[str, str] | None = None, commands: str = ""
) -> str:
    """Return a comparison as one HTML page that needs no network and runs no script."""
    about = {
        **(facts or {}),
        "texts to learn from": f"{result.train_rows:,}",
        "texts to test on": f"{result.test_rows:,}",
        "features": f"{result.n_features:,}",
        "wrong with every learner": f"{result.never_right:,}",
    }
    pairs = "".join(f"<dt>{inert(what)}</dt><dd>{inert(value)}</dd>" for what, value in about.items())
    parts = [f"<h1>{inert(title)}</h1>", _results(result), '<div class="grid">', _intervals(result)]
    if result.curve:
        sizes = list(next(iter(result.curve.values())))
        scores = {r.name: [result.curve[r.name][n] for n in sizes] for r in result.results}
        parts.append(
            figure(
                plots.learning_curve(
                    sizes, scores, measure=result.curve_metric, ax=canvas(2.8 + 0.1 * len(scores))
                ),
                f"{result.curve_metric.capitalize()} against the number of training texts",
            )
        )
    parts += ["</div>", "<h2>What was compared</h2>", f"<dl>{pairs}</dl>"]
    parts.append(f"<p>lindy {__version__}. Accuracies do not depend on the number of threads; times do.</p>")
    if commands:
        parts.append(f"<pre>{inert(commands)}</pre>")
    return page(title, "\n".join(parts))


def _results(result: Comparison) -> str:
    rows = [[html_name(name), *(inert(cell) for cell in rest)] for name, *rest in result.cells()]
    rows[1][0] = f"<b>{rows[1][0]}</b>"
    for row, size in zip(rows, ["bytes", *(f"{r.size:,}" for r in result.results)], strict=True):
        row.append(size)
    return f'<div class="pinned">{html_table(rows)}</div>' + (
        f'<p class="note">p: {inert(result.test)}; above 0.05 the difference may be luck.'
        " same mistakes: share of the best learner's mistakes that are made too.</p>"
    )


def _intervals(result: Comparison) -> str:
    ax = canvas(0.9 + 0.28 * len(result.results))
    for i, r in enumerate(reversed(result.results)):
        low, high = r.interval
        ax.plot([low, high], [i, i], color=GREY, linewidth=2)
        ax.plot([r.accuracy], [i], marker="o", color=COLOURS[0])
    ax.set_yticks(range(len(result.results)), [plain(r.name, 24) for r in reversed(result.results)])
    what = "share of texts with exactly their labels" if result.several_labels else "accuracy"
    ax.set(xlabel=f"{what}, with its 95% interval")
    return figure(ax, f"{what.capitalize()} of the learners with 95% intervals")
