// Kernels of linear/primal/gram_descent.hpp, compiled once per instruction-set level.

// One epoch of coordinate descent over the M coordinates; g is kept at slope + H·Δ. Returns the violations.
template <class Entry>
static double gram_epoch(const GramModel<Entry>& model, double* g, double* w) {
    const std::int64_t M = model.size;
    double violation = 0;
    for (std::int64_t q = 0; q < M; ++q) {
        const double curvature = model.H[q * M + q] + model.l2[q];
        if (!(curvature > 0)) continue;
        const double slope = g[q] + model.l2[q] * w[q];
        violation += optimality(w[q], slope, model.l1[q]);
        const double moved = threshold(w[q] - slope / curvature, model.l1[q] / curvature);
        const double change = moved - w[q];
        if (change == 0) continue;
        w[q] = moved;
        const Entry* line = model.H + q * M;
        for (std::int64_t c = 0; c < M; ++c) g[c] += change * line[c];
    }
    return violation;
}

// The model at w, where g = slope + H·(w − start).
template <class Entry>
static double gram_value(const GramModel<Entry>& model, const double* start, const double* g,
                         const double* w) {
    double total = 0;
    for (std::int64_t q = 0; q < model.size; ++q)
        total += 0.5 * (model.slope[q] + g[q]) * (w[q] - start[q]) + 0.5 * model.l2[q] * w[q] * w[q] +
                 model.l1[q] * std::abs(w[q]);
    return total;
}

template <class Entry>
int descend_gram(const GramModel<Entry>& model, double* w, double tolerance, int max_epochs) {
    const std::int64_t M = model.size;
    const std::vector<double> start(w, w + M);
    std::vector<double> g(model.slope, model.slope + M), other(g);
    Extrapolation extrapolation;
    for (int epoch = 1; epoch <= max_epochs; ++epoch) {
        if (gram_epoch(model, g.data(), w) <= tolerance) return epoch;
        if (!extrapolation.add(std::vector<double>(w, w + M))) continue;
        const std::vector<double>& mixed = extrapolation.mixed;
        std::copy(model.slope, model.slope + M, other.begin());
        for (std::int64_t q = 0; q < M; ++q) {
            const double change = mixed[static_cast<std::size_t>(q)] - start[static_cast<std::size_t>(q)];
            const Entry* line = model.H + q * M;
            if (change != 0)
                for (std::int64_t c = 0; c < M; ++c) other[static_cast<std::size_t>(c)] += change * line[c];
        }
        if (gram_value(model, start.data(), other.data(), mixed.data()) <
            gram_value(model, start.data(), g.data(), w)) {
            std::copy(mixed.begin(), mixed.end(), w);
            g.swap(other);
        }
    }
    return max_epochs;
}
