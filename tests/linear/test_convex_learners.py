"""SVM and MaxEnt: parameters, conversions, probabilities, paths, what is reported."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.svm import LinearSVC
from tests.oracles import logistic_regression, radius

from lindy import SVM, MaxEnt
from lindy.errors import ConvergenceWarning


def text_like(n_classes: int = 4, rows: int = 300, columns: int = 800, seed: int = 0):
    """Unit rows of few positive values, as tf-idf makes them; float32."""
    rng = np.random.default_rng(seed)
    X = scipy.sparse.random(rows, columns, 0.02, format="csr", rng=rng, dtype=np.float32)
    norms = np.maximum(np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel()), 1e-9)
    X = scipy.sparse.csr_matrix(scipy.sparse.diags(1 / norms) @ X, dtype=np.float32)
    hidden = rng.normal(size=(columns, n_classes))
    y = (X @ hidden + 0.3 * rng.normal(size=(rows, n_classes))).argmax(axis=1)
    return X, y


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_svm_finds_liblinears_optimum(loss: str, C: float, n_classes: int) -> None:
    X, y = text_like(n_classes)
    ours = SVM(loss=loss, C=C, penalize_intercept=True, tol=1e-8).fit(X, y)
    theirs = LinearSVC(loss=loss, C=C, dual=True, tol=1e-9, max_iter=200_000, random_state=0).fit(X, y)
    l2 = 1 / (C * len(y))
    both = np.column_stack([theirs.coef_, theirs.intercept_])
    side = np.where(y[:, None] == theirs.classes_, 1, -1)[:, -len(both) :]
    slack = np.maximum(0, 1 - side * theirs.decision_function(X).reshape(side.shape))
    reached = (slack ** (2 if "squared" in loss else 1)).sum() / len(y) + 0.5 * l2 * np.square(both).sum()
    bound = ours.certificate_.objective - ours.certificate_.gap
    assert bound <= reached * (1 + 1e-12)
    assert reached - bound <= 1e-6 * reached  # theirs has arrived too
    atol = radius(ours.certificate_.gap, l2) + radius(reached - bound, l2)
    np.testing.assert_allclose(np.column_stack([ours.coef_, ours.intercept_]), both, atol=atol)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_maxent_finds_scikit_learns_optimum(C: float, n_classes: int) -> None:
    X, y = text_like(n_classes)
    ours = MaxEnt(C=C, tol=1e-12).fit(X, y)
    theirs = logistic_regression(X, y, C=C)
    atol = 1e-6 + radius(ours.certificate_.gap, 1 / (C * len(y)))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=atol)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=atol)


def test_lam_and_c_are_the_same_parameter() -> None:
    X, y = text_like()
    by_c = SVM(C=2.0).fit(X, y)
    by_lam = SVM(lam=1 / (2.0 * len(y))).fit(X, y)
    np.testing.assert_allclose(by_c.W_, by_lam.W_, rtol=1e-6)


@pytest.mark.parametrize(
    "model", [SVM(), SVM(loss="multiclass_hinge"), MaxEnt(), MaxEnt(multiclass="one-vs-rest")]
)
def test_the_certificate_is_the_objective_and_holds(model: SVM | MaxEnt) -> None:
    X, y = text_like()
    fitted = model.fit(X, y)
    assert fitted.certificate_.reached
    assert fitted.objective(X, y) == pytest.approx(fitted.certificate_.objective, rel=1e-5)
    params = model.get_params() | {"tol": 1e-9}
    exact = type(model)(**params).fit(X, y).certificate_.objective
    assert exact <= fitted.certificate_.objective <= exact + fitted.certificate_.gap * (1 + 1e-6)
    assert len(fitted.history_.objective) == len(fitted.history_.seconds) > 0


def test_probabilities_of_both_multiclass_forms() -> None:
    X, y = text_like()
    for model in (MaxEnt().fit(X, y), MaxEnt(multiclass="one-vs-rest").fit(X, y)):
        P = model.predict_proba(X)
        np.testing.assert_allclose(P.sum(axis=1), 1)
        np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))


def test_support_vectors_rebuild_the_weights_and_have_no_room() -> None:
    X, y = text_like()
    for loss in ("hinge", "squared_hinge", "multiclass_hinge"):
        model = SVM(loss=loss, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(model.dual_coef_ @ X[model.support_], model.coef_, atol=1e-10)
        slack = model.slacks(X, y)
        others = np.setdiff1d(np.arange(len(y)), model.support_)
        assert slack[others].max(initial=0) < 1e-4
        assert (model.margin_width_ > 0).all()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "multiclass_hinge"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_slacks_make_up_the_objective(loss: str, n_classes: int) -> None:
    """The mean of the slacks (or their squares) and ½·l2·‖W‖² are the objective, with costs too."""
    X, y = text_like(n_classes)
    cost = None
    if loss == "multiclass_hinge":
        cost = np.random.default_rng(0).uniform(0.5, 3, (n_classes, n_classes))
        np.fill_diagonal(cost, 0.0)
    model = SVM(loss=loss, lam=0.01, cost=cost, tol=1e-8).fit(X, y)
    slack = model.slacks(X, y)
    losses = slack**2 if loss == "squared_hinge" else slack
    half = 0.0025 if loss == "multiclass_hinge" and n_classes == 2 else 0.005  # W is w₁ − w₀ there
    value = losses.sum(axis=1).mean() + half * np.square(model.W_.astype(float)).sum()
    assert value == pytest.approx(model.certificate_.objective, rel=1e-6)


def test_balanced_class_weights_are_scikit_learns() -> None:
    X, y = text_like(3)
    y[y == 2] = np.where(np.arange((y == 2).sum()) % 4, 0, 2)
    ours = MaxEnt(class_weight="balanced", tol=1e-12).fit(X, y)
    theirs = logistic_regression(X, y, class_weight="balanced")
    atol = 1e-6 + radius(ours.certificate_.gap, 1 / len(y))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=atol)


@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
def test_warm_starts_with_every_penalty(penalty: str) -> None:
    X, y = text_like()
    model = MaxEnt(penalty=penalty, tol=1e-7, warm_start=True).fit(X, y)
    first, objective = model.n_iter_, model.certificate_.objective
    assert model.fit(X, y).n_iter_ <= max(1, first / 2)
    assert model.certificate_.objective == pytest.approx(objective, rel=2e-7)


def test_hard_margin_of_two_points_and_of_inseparable_ones() -> None:
    X, y = np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([0, 1])
    model = SVM(loss="hinge", C=np.inf, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_, [[1.0, 0.0]], atol=1e-6)
    np.testing.assert_allclose(model.intercept_, [-1.0], atol=1e-6)
    np.testing.assert_allclose(model.margin_width_, [1.0], atol=1e-6)
    with pytest.raises(ValueError, match="cannot be separated"):
        SVM(loss="hinge", C=np.inf).fit(np.array([[0.0], [1.0], [0.0]]), np.array([0, 1, 1]))


def test_path_is_warm_and_ends_where_single_fits_end() -> None:
    X, y = text_like()
    grid = [0.01, 0.1, 1.0, 10.0]
    models = list(MaxEnt(tol=1e-8).path(X, y, grid[::-1]))
    assert [model.C for model in models] == grid
    for model in models:
        alone = MaxEnt(C=model.C, tol=1e-8).fit(X, y)
        assert model.certificate_.objective == pytest.approx(alone.certificate_.objective, rel=2e-8)


def test_warm_start_needs_hardly_any_passes() -> None:
    X, y = text_like()
    model = SVM(tol=1e-6, warm_start=True).fit(X, y)
    first = model.n_iter_
    assert model.fit(X, y).n_iter_ < first / 2


def test_early_stop_says_how_far_and_what_to_do() -> None:
    X, y = text_like()
    with pytest.warns(ConvergenceWarning, match=r"after 1 rounds.*relative gap of .*Raise max_iter"):
        SVM(max_iter=1, tol=1e-12).fit(X, y)


@pytest.mark.parametrize("model", [MaxEnt(penalty=None), SVM(penalty=None), MaxEnt(C=np.inf)], ids=repr)
@pytest.mark.filterwarnings("error")
def test_without_a_penalty_a_fit_ends_in_silence_or_says_how_far(model: SVM | MaxEnt) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    fitted = type(model)(**model.get_params()).fit(X, y)
    assert fitted.certificate_.reached
    assert fitted.certificate_.gap == np.inf
    hurried = type(model)(**{**model.get_params(), "max_iter": 1, "tol": 1e-9})
    with pytest.warns(ConvergenceWarning, match=r"gradient of .* times that at W = 0"):
        hurried.fit(X, y)


@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet"])
@pytest.mark.parametrize("form", [{}, {"penalize_intercept": True}, {"fit_intercept": False}], ids=str)
def test_objective_is_that_of_the_certificate(penalty: str, form: dict[str, bool]) -> None:
    X, y = text_like()
    model = MaxEnt(penalty=penalty, tol=1e-6, **form).fit(X, y)
    assert model.objective(X, y) == pytest.approx(model.certificate_.objective, rel=1e-6)


def test_class_weight_is_a_weight_of_rows() -> None:
    X, y = text_like(2)
    by_class = MaxEnt(class_weight={0: 3.0, 1: 1.0}, tol=1e-10).fit(X, y)
    by_row = MaxEnt(tol=1e-10).fit(X, y, sample_weight=np.where(y == 0, 3.0, 1.0))
    np.testing.assert_allclose(by_class.W_, by_row.W_, atol=1e-10)


def test_wrong_parameters_are_refused_by_name() -> None:
    X, y = text_like()
    wrong = {
        "C must be positive": SVM(C=0),
        "lam must be": SVM(lam=-1),
        "penalty must be": SVM(penalty="l3"),
        "loss must be": SVM(loss="log"),
        "cost needs": SVM(cost=np.eye(4)),
        "cost must be": SVM(loss="multiclass_hinge", cost=np.eye(4)),
        "tol must be": MaxEnt(tol=0),
        "max_iter must be": MaxEnt(max_iter=0),
        "multiclass must be": MaxEnt(multiclass="ovo"),
        "needs the gradient": SVM(loss="hinge", solver="lbfgs"),
        "hard margin": SVM(C=np.inf),
    }
    for message, model in wrong.items():
        with pytest.raises(ValueError, match=message):
            model.fit(X, y)


@pytest.mark.parametrize(
    "model",
    [
        MaxEnt(solver="proximal-newton"),
        SVM(solver="proximal-newton"),
        MaxEnt(solver="auto"),
    ],
    ids=repr,
)
def test_the_elastic_net_goes_from_l2_to_l1(model: SVM | MaxEnt) -> None:
    X, y = text_like(2, rows=100, columns=100)
    for l1_ratio, penalty in ((0, "l2"), (0.0, "l2"), (1, "l1")):
        mixed = clone(model).set_params(penalty="elasticnet", l1_ratio=l1_ratio, C=10.0, tol=1e-8).fit(X, y)
        plain = clone(model).set_params(penalty=penalty, solver="auto", C=10.0, tol=1e-8).fit(X, y)
        assert mixed.certificate_.objective == pytest.approx(plain.certificate_.objective, rel=1e-7)


def test_an_l1_solver_asked_for_the_l2_penalty_is_still_refused() -> None:
    X, y = text_like(2, rows=100, columns=100)
    with pytest.raises(ValueError, match="not penalty='l2'"):
        MaxEnt(solver="proximal-newton", penalty="l2").fit(X, y)
    with pytest.raises(ValueError, match="needs the curvature"):
        SVM(loss="hinge", solver="proximal-newton", penalty="elasticnet", l1_ratio=0.0).fit(X, y)


def test_one_class_is_a_named_error() -> None:
    with pytest.raises(ValueError, match="at least 2 classes"):
        MaxEnt().fit([[1.0], [2.0]], ["a", "a"])
