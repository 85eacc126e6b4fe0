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
        ("naive_bayes", "features", "online", "maxent", "svm", "comparison", "yourself"),
    ),
    Lab(
        2,
        "may",
        "Seven models for book reviews",
        "May: lecture notes on linear models",
        ("counting", "practice", "subwords", "weights"),
    ),
    Lab(
        3,
        "mcdonald",
        "From counting to margins",
        "McDonald: slides on linear classifiers, of the same summer school",
        ("counting", "likelihood", "margins", "regularization", "kernels", "structures", "yourself"),
    ),
    Lab(
        4,
        "johansson",
        "Dense, sparse and Pegasos",
        "Johansson: slides of a course on machine learning for language technology",
        ("perceptron", "optimization", "yourself"),
    ),
    Lab(
        5,
        "amato",
        "Spam and digits",
        "Amato: slides of a course on artificial intelligence",
        ("inference", "smoothing", "digits", "features", "perceptron", "margins"),
    ),
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A public corpus that the labs use if the data folder holds it: where it is published, and its files there."""

    place: str
    files: str


PUBLIC = {
    "Amazon reviews": Corpus(
        "https://www.cs.jhu.edu/~mdredze/datasets/sentiment/",
        "processed_acl.tar.gz, unpacked: processed_acl/books/positive.review and negative.review (also dvd,"
        " electronics, kitchen)",
    ),
    "SMS Spam Collection": Corpus(
        "https://archive.ics.uci.edu/dataset/228/sms+spam+collection",
        "sms-spam/train.csv and test.csv, with the columns label and text",
    ),
    "MNIST": Corpus(
        "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz", "mnist/mnist.npz, as it is"
    ),
}
"""The public corpora by name."""
