"""scikit-learn's estimator contract without scikit-learn: parameters, routing, saved state, what learners declare."""
