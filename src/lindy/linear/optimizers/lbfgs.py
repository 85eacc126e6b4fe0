"""Limited-memory BFGS (Liu and Nocedal 1989): SciPy's driver over one native loss-and-gradient call.

    W ← W − t·H·∇P(W),   H an estimate of the inverse Hessian from the last ``memory`` steps

One round is usually one evaluation; the bias is eliminated (P is minimised over b for each W). Stops on the relative
duality gap (`lindy.linear.objective`). The method keeps 2·``memory`` vectors of the size of W; ``memory`` (default
10) is taken from ``options.extra``.
"""

from __future__ import annotations

import numpy as np

from lindy.linear.objective import Array, Objective
from lindy.linear.optimizers._watch import Watch
from lindy.linear.problem import Options, Problem, Solution


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise by L-BFGS."""
    from scipy.optimize import OptimizeResult, minimize

    objective = Objective(problem, options.n_jobs)
    watch = Watch(objective, options)
    at = objective.buffers()
    x = objective.start(options.start)  # the last point asked for, with its best bias
    gradient = np.empty_like(x)
    accepted = x.copy()
    free = slice(0, objective.n_weights if objective.smooth_bias else objective.size)

    def value_and_gradient(point: Array) -> tuple[float, Array]:
        nonlocal gradient
        x[free] = point
        value, gradient = objective.evaluate_best_bias(x, at)
        return value, gradient[free]

    def each_round(intermediate_result: OptimizeResult) -> None:
        value = float(intermediate_result.fun)
        if not np.array_equal(intermediate_result.x, x[free]):
            value, _ = value_and_gradient(intermediate_result.x)
        accepted[:] = x
        watch.record(value)
        if watch.arrived(accepted, value, gradient):
            raise StopIteration

    result = minimize(
        value_and_gradient,
        x[free].copy(),
        jac=True,
        method="L-BFGS-B",
        callback=each_round,
        options={
            "maxcor": options.extra.get("memory", 10),
            "maxiter": options.max_iter,
            "maxfun": 20 * options.max_iter,
            "maxls": 50,
            "ftol": 0.0,
            "gtol": 0.0,
        },
    )
    return watch.solution(accepted, int(result.nit))
