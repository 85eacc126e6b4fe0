"""Draws the figures of the documentation: ``python docs/images/draw_figures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import lindy
from lindy import plots
from lindy.data import read_examples, samples, toy_gaussians, toy_shape
from lindy.evaluation import evaluate
from lindy.report import learning_curve

HERE = Path(__file__).parent


def toys() -> None:
    """Boundaries, regions and a path on Gaussians."""
    toy = toy_gaussians(100, variances=0.5, random_state=3)
    models = {
        "Gaussian naive Bayes": lindy.GaussianNaiveBayes(variance="shared"),
        "perceptron": lindy.Perceptron(),
        "MIRA": lindy.Mira(),
        "SVM": lindy.SVM(),
    }
    fitted = {name: model.fit(toy.X_train, toy.y_train) for name, model in models.items()}
    plots.save(plots.decision_boundary(fitted, toy), HERE / "boundary.png", dpi=100)
    three = toy_gaussians(150, means=[(-2, -1), (2, -1), (0, 2)], variances=[1, 0.6, 0.8], random_state=1)
    model = lindy.MaxEnt().fit(three.X_train, three.y_train)
    plots.save(plots.decision_regions(model, three), HERE / "regions.png", dpi=100)
    traced = lindy.Perceptron(trace=1, average=False, epochs=10).fit(toy.X_train, toy.y_train)
    plots.save(plots.weight_path(traced.trace_), HERE / "path.png", dpi=100)


def kernels() -> None:
    """Shapes that no line separates, with a linear machine and two kernels."""
    machines = {
        "linear SVM": lindy.SVM(),
        "polynomial, degree 2": lindy.KernelSVM(kernel="poly", degree=2, gamma=1.0, C=10.0),
        "RBF": lindy.KernelSVM(kernel="rbf", gamma=2.0, C=10.0),
    }
    figure, grid = plt.subplots(3, 3, figsize=(11, 10))
    for row, shape in zip(grid, ("xor", "rings", "moons"), strict=True):
        data = toy_shape(shape, 200, random_state=1)
        for ax, (name, machine) in zip(row, machines.items(), strict=True):
            machine.fit(data.X_train, data.y_train)
            plots.decision_regions(machine, data, ax=ax)
            ax.get_legend().remove()
            ax.set(
                title=f"{shape}, {name}: {machine.score(data.X_test, data.y_test):.0%}", xlabel="", ylabel=""
            )
    figure.tight_layout()
    figure.savefig(HERE / "kernels.png", dpi=80, metadata={"Software": None})
    plt.close(figure)


def reviews() -> None:
    """Curves and results on the sample reviews."""
    train, test = (read_examples(str(samples.path(name))) for name in ("reviews-train", "reviews-test"))
    model = lindy.TextClassifier().fit(train.texts, train.labels)
    truth = np.array(test.labels.to_pylist())
    predicted, probabilities = model.predict(test.texts), model.predict_proba(test.texts)
    result = evaluate(truth, predicted)
    plots.save(plots.confusion(result.confusion, result.labels), HERE / "confusion.png", dpi=100)
    ax = plots.reliability(predicted == truth, probabilities.max(axis=1))
    plots.save(ax, HERE / "reliability.png", dpi=100)
    curve = learning_curve(lindy.TextClassifier(), train.texts, train.labels)
    scores = {"training": curve.training, "held out": curve.held_out}
    plots.save(
        plots.learning_curve(curve.sizes, scores, {"held out": curve.intervals}),
        HERE / "learning.png",
        dpi=100,
    )
    rows = lindy.text.TfidfVectorizer(sublinear_tf=True).fit_csr(train.texts)
    labels = np.array(train.labels.to_pylist())
    solvers = ("dual", "lbfgs", "newton", "conjugate-gradient", "gradient-descent")
    histories = {
        solver: lindy.MaxEnt(solver=solver, C=30.0, tol=1e-8, max_iter=1000).fit(rows, labels).history_
        for solver in solvers
    }
    plots.save(plots.objective_by_time(histories), HERE / "objective.png", dpi=100)


def digits() -> None:
    """Weights of pixels."""
    data = load_digits()
    model = lindy.MaxEnt(C=0.1).fit(data.data / 16, data.target)
    plots.save(plots.weight_pictures(model.W_, (8, 8), model.classes_), HERE / "digits.png", dpi=100)


if __name__ == "__main__":
    toys()
    kernels()
    reviews()
    digits()
