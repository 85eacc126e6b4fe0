"""Which labs there are: one per lecture, in one or more scripts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Lab:
    """A lecture and the scripts that work through it, in the order of its sections."""

    number: int
    name: str
    title: str
    lecture: str
    parts: tuple[str, ...]

    @property
    def scripts(self) -> tuple[Path, ...]:
        """The files, in order."""
        return tuple(_HERE / self.name / f"{part}.py" for part in self.parts)


LABS = (
    Lab(
        1,
        "lxmls",
        "Naive Bayes to SVM, on points and on reviews",
        "LxMLS: the classification day of a summer school's lab guide",
        ("naive_bayes", "features", "online", "maxent", "svm", "comparison"),
    ),
    Lab(
        2,
        "may",
        "Seven models for book reviews",
        "May: lecture notes on linear models",
        ("counting", "practice", "weights"),
    ),
    Lab(
        3,
        "mcdonald",
        "From counting to margins",
        "McDonald: slides on linear classifiers, of the same summer school",
        ("counting", "likelihood", "margins", "regularization", "kernels", "structures"),
    ),
    Lab(
        4,
        "johansson",
        "Dense, sparse and Pegasos",
        "Johansson: slides of a course on machine learning for language technology",
        ("perceptron", "optimization"),
    ),
    Lab(
        5,
        "amato",
        "Spam and digits",
        "Amato: slides of a course on artificial intelligence",
        ("inference", "smoothing", "digits", "features", "perceptron", "margins"),
    ),
)
