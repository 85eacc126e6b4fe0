"""MNIST: naive Bayes, MaxEnt and others on pixels that are on or off, alone and with shapes; against scikit-learn.

python -m benchmarks.digits

CPU seconds of one thread, features and fit, without reading; accuracy on the 10,000 test images.
"""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.harness import corpus_folder, cpu_seconds


def main() -> None:
    import lindy
    from lindy.images import PixelFeatures, ShapeFeatures, read_images, side_by_side

    folder = corpus_folder("mnist")
    if folder is None:
        sys.exit("the corpus mnist is not there: set LINDY_DATA to the folder of the corpora")
    train, test = (read_images(folder / "mnist.npz", part=part) for part in ("train", "test"))
    pixels, shapes = PixelFeatures(), ShapeFeatures(n_jobs=1)

    def both(images: Any) -> Any:
        return side_by_side([pixels.transform_csr(images), shapes.transform_csr(images)])

    making, X = cpu_seconds(lambda: pixels.fit_csr(train.images))
    measuring, _ = cpu_seconds(lambda: shapes.fit_csr(train.images))
    print(f"pixels of {len(train.images):,} images: {making:.2f} s, shapes: {measuring:.2f} s")
    feature_sets = {
        "pixels": (X, pixels.transform_csr(test.images)),
        "pixels and shapes": (both(train.images), both(test.images)),
    }
    learners = {
        "naive Bayes (Bernoulli)": lambda: lindy.BernoulliNaiveBayes(n_jobs=1),
        "perceptron": lambda: lindy.Perceptron(epochs=5),
        "MIRA": lambda: lindy.Mira(epochs=5),
        "MaxEnt": lambda: lindy.MaxEnt(solver="sgd", lam=1e-4, solver_options={"epochs": 30}, n_jobs=1),
        "SVM": lambda: lindy.SVM(solver="pegasos", loss="hinge", lam=1e-3, n_jobs=1),
    }
    for features, (rows, test_rows) in feature_sets.items():
        for name, make in learners.items():
            learner = make()
            seconds, _ = cpu_seconds(lambda learner=learner, rows=rows: learner.fit(rows, train.labels))
            accuracy = 100 * learner.score(test_rows, test.labels)
            print(f"{features:18}{name:24}{seconds:7.2f} s  {accuracy:.2f} %", flush=True)
    rivals(*feature_sets["pixels"], train.labels, test.labels)


def rivals(rows: Any, test_rows: Any, y: Any, test_y: Any) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB

    X, T = rows.to_scipy(), test_rows.to_scipy()
    for rival in (BernoulliNB(), LogisticRegression(C=1 / (1e-4 * len(y)), solver="saga", tol=1e-2)):
        seconds, _ = cpu_seconds(lambda rival=rival: rival.fit(X, y))
        print(
            f"{'pixels':18}{'sk ' + type(rival).__name__:24}{seconds:7.2f} s  {100 * rival.score(T, test_y):.2f} %"
        )


if __name__ == "__main__":
    main()
