"""KernelSVM: the optimum that others find, its proof, its forms, its model file."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.svm import SVC

from lindy import KernelSVM
from lindy.kernels import RBF, Polynomial, check_kernel
from lindy.textbook import kernel_svm as textbook


def blobs(n: int = 150, classes: int = 3, seed: int = 0, spread: float = 1.0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(classes, 4)) * 2
    y = rng.integers(0, classes, n)
    return centres[y] + spread * rng.normal(size=(n, 4)), y


def dual_objective(K, sign, beta):
    return sign @ beta - 0.5 * beta @ K @ beta


def svc_objective(model, X, y, C):
    """The dual objective of a binary SVC."""
    beta = np.zeros(len(y))
    beta[model.support_] = np.asarray(model.dual_coef_)[0]
    K = RBF(1 / (X.shape[1] * X.var()))(X)  # gamma='scale'
    return dual_objective(K, np.where(y == model.classes_[1], 1.0, -1.0), beta)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("dtype", ["auto", "float32"])
def test_the_optimum_is_that_of_libsvm(C, dtype):
    X, y = blobs(classes=2, spread=2.0)
    ours = KernelSVM(C=C, tol=1e-7, dtype=dtype).fit(X, y)
    theirs = SVC(C=C, tol=1e-8).fit(X, y)
    best = svc_objective(theirs, X, y, C)
    found = ours.objective(X, y) * C * len(y)
    assert found == pytest.approx(best, rel=1e-6 if dtype == "auto" else 1e-5)  # float32 rounds the kernel
    assert ours.certificate_.reached
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-4)


@pytest.mark.parametrize("seed", range(3))
def test_the_textbook_finds_the_same_coefficients(seed):
    X, y = blobs(60, classes=2, seed=seed, spread=1.5)
    sign = np.where(y == 1, 1.0, -1.0)
    K = RBF(0.3)(X)
    beta = textbook.smo(K, sign, 1.0, 1e-10)
    model = KernelSVM(kernel=RBF(0.3), tol=1e-10, dtype="float64").fit(X, y)
    ours = np.zeros(len(y))
    ours[model.support_] = model.dual_coef_[0]
    np.testing.assert_allclose(ours, beta, atol=1e-6)
    primal, dual = textbook.objectives(K, sign, 1.0, ours, float(model.b_[0]))
    assert primal / len(y) == pytest.approx(model.certificate_.objective, rel=1e-9)
    assert primal - dual == pytest.approx(model.certificate_.gap * len(y), abs=1e-9)


def test_one_vs_one_predicts_as_libsvm_does():
    X, y = blobs(200, classes=4, spread=1.5)
    ours = KernelSVM(multiclass="one-vs-one", tol=1e-8, dtype="float64").fit(X, y)
    theirs = SVC(tol=1e-8, break_ties=True).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert len(ours.support_) == len(theirs.support_)


def test_one_vs_rest_is_one_machine_per_class():
    X, y = blobs(120, classes=3)
    together = KernelSVM(tol=1e-9, dtype="float64", gamma=0.2).fit(X, y)
    for c in range(3):
        alone = KernelSVM(tol=1e-9, dtype="float64", gamma=0.2).fit(X, y == c)
        np.testing.assert_allclose(together.decision_function(X)[:, c], alone.decision_function(X), atol=1e-5)


def test_crammer_and_singer_agrees_with_the_linear_machine():
    from lindy import SVM

    X, y = blobs(100, classes=3, spread=2.0)
    ours = KernelSVM(kernel="linear", loss="multiclass_hinge", tol=1e-7, dtype="float64").fit(X, y)
    linear = SVM(loss="multiclass_hinge", fit_intercept=False, tol=1e-7).fit(X, y)
    assert ours.certificate_.objective == pytest.approx(linear.certificate_.objective, rel=1e-6)
    assert ours.objective(X, y) == pytest.approx(ours.certificate_.objective, rel=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), linear.decision_function(X), atol=2e-3)


def test_crammer_and_singer_with_two_classes_and_a_cost():
    X, y = blobs(80, classes=2, spread=2.0)
    cost = np.array([[0.0, 2.0], [1.0, 0.0]])
    model = KernelSVM(loss="multiclass_hinge", cost=cost, tol=1e-6, dtype="float64").fit(X, y)
    assert model.certificate_.reached
    assert model.objective(X, y) == pytest.approx(model.certificate_.objective, rel=1e-9)


def test_shrinking_the_cache_and_threads_change_nothing_but_the_time():
    X, y = blobs(400, classes=2, spread=3.0)
    options = {"C": 1000.0, "tol": 1e-6, "dtype": "float64"}
    plain = KernelSVM(shrinking=False, **options).fit(X, y)
    shrunk = KernelSVM(shrinking=True, **options).fit(X, y)
    assert shrunk.n_iter_ > 3000  # long enough for shrinking to begin
    assert shrunk.objective(X, y) == pytest.approx(plain.objective(X, y), rel=1e-6)
    small = KernelSVM(shrinking=False, cache_size=0.01, **options).fit(X, y)
    np.testing.assert_array_equal(small.dual_coef_, plain.dual_coef_)
    for n_jobs in (3,):
        again = KernelSVM(shrinking=True, n_jobs=n_jobs, **options).fit(X, y)
        np.testing.assert_array_equal(again.dual_coef_, shrunk.dual_coef_)


def test_kernels_by_name_as_object_precomputed_and_callable_are_one():
    X, y = blobs(120, classes=3)
    T = X[:40] + 0.1
    named = KernelSVM(kernel="poly", degree=3, gamma=0.5).fit(X, y)
    kernel = Polynomial(3, 0.5, 1.0)
    made = KernelSVM(kernel=kernel).fit(X, y)
    np.testing.assert_array_equal(named.decision_function(T), made.decision_function(T))
    computed = KernelSVM(kernel="precomputed", tol=1e-6).fit(kernel(X), y)
    called = KernelSVM(kernel=lambda A, B: (A @ B.T / 2 + 1) ** 3, tol=1e-6).fit(X, y)
    close = KernelSVM(kernel=kernel, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(
        computed.decision_function(kernel(T, X)), close.decision_function(T), atol=1e-3
    )
    np.testing.assert_allclose(called.decision_function(T), close.decision_function(T), atol=1e-3)
    sparse = KernelSVM(kernel=kernel).fit(scipy.sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(sparse.decision_function(T), made.decision_function(T))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kernel": RBF(0.1) + Polynomial()},
        {"multiclass": "one-vs-one"},
        {"loss": "multiclass_hinge"},
    ],
    ids=str,
)
def test_a_saved_model_predicts_the_same(options):
    X, y = blobs(90, classes=3)
    model = KernelSVM(**options).fit(X, y)
    again = KernelSVM.from_state(*model.to_state(), model.classes_)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))


def test_damaged_states_are_refused():
    X, y = blobs(50, classes=2)
    params, arrays = KernelSVM().fit(X, y).to_state()
    changes = {
        "support": (arrays["support"][::-1].copy(), "must be ascending"),
        "dual_coef": (arrays["dual_coef"][1:], "dual_coef must be finite, of shape"),
        "gamma": (np.array([-1.0]), "gamma must be"),
        "support.indices": (arrays["support.indices"] + 1000, "Malformed"),
        "b": (np.array([np.inf]), "array b must be finite"),
    }
    for name, (array, message) in changes.items():
        with pytest.raises(ValueError, match=message):
            KernelSVM.from_state(params, arrays | {name: array}, [0, 1])
    for kernel in ('{"name": "no"}', "{", '{"name":' * 5000):
        with pytest.raises(ValueError, match="not a kernel"):
            KernelSVM.from_state(params | {"kernel": kernel}, arrays, [0, 1])


def test_support_vectors_and_influences_make_up_the_score():
    X, y = blobs(80, classes=2)
    model = KernelSVM().fit(X, y)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    added = model.influences(X[:1], 1, 0)
    np.testing.assert_array_equal(model.influences(X[:1], 0, 1), -added)
    assert added.sum() + model.b_[0] == pytest.approx(model.decision_function(X[:1])[0])


def test_weights_are_repetitions():
    X, y = blobs(60, classes=3)
    weight = np.arange(60) % 3
    repeated = KernelSVM().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    weighted = KernelSVM().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(repeated.decision_function(X), weighted.decision_function(X), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:KernelSVM stopped")
@pytest.mark.parametrize("function", [lambda A, B: -np.abs(A @ B.T), lambda A, B: np.sin(9 * A @ B.T)])
def test_a_function_that_is_no_kernel_ends_with_finite_scores(function):
    X, y = blobs(60, classes=2, spread=3.0)
    assert not check_kernel(function(X, X)).is_kernel
    model = KernelSVM(kernel=function, max_iter=100).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_what_is_not_reached_is_said():
    X, y = blobs(60, classes=2, spread=3.0)
    with pytest.warns(UserWarning, match=r"stopped after 60 steps with a relative gap of .*; tol=1.0e-04"):
        model = KernelSVM(max_iter=1, C=1e4).fit(X, y)
    assert not model.certificate_.reached


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "gauss"}, "kernel must be one of"),
        ({"kernel": 3}, "kernel must be a name"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"gamma": "wide"}, "gamma must be 'scale'"),
        ({"C": 0.0}, "C must be a finite number above 0"),
        ({"loss": "log"}, "loss must be one of"),
        ({"cost": "distance"}, "cost needs"),
        ({"kernel": "precomputed"}, "square matrix"),
        ({"kernel": "poly", "degree": 90, "gamma": 1e6}, "not a finite number"),
        ({"kernel": lambda A, B: A}, "one value for every pair"),
    ],
)
def test_mistakes_are_named(options, message):
    X, y = blobs(30, classes=2)
    with pytest.raises(ValueError, match=message):
        KernelSVM(**options).fit(X, y)


@pytest.mark.parametrize("far", [0.0, 1e8])
def test_the_scale_of_values_far_from_zero(far: float) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((30, 4)) + far, rng.integers(2, size=30)
    gamma = KernelSVM(gamma="scale").fit(X, y).kernel_.gamma
    assert gamma == pytest.approx(1 / (4 * X.var()), rel=1e-6)
