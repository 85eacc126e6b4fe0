// Coordinate descent on the quadratic model of proximal Newton, over a working set of columns.
//
//     minimise over Δ (pairs of feature j and output k) and δ (bias)
//         Σ_ik u_ik·s_ik + ½ Σ_i s_iᵀ·D_i·s_i + ½·l2·‖w + Δ‖² + l1·‖w + Δ‖₁,      s = XΔ + δ
//
// with u the derivatives and D_i the curvatures of the losses: diag(h_i) for independent outputs, and
// h_i·(diag(p_i) − p_i·p_iᵀ)/… for softmax, whose outputs are coupled through the mean step
// m_i = Σ_k p_ik·s_ik. One coordinate is minimised exactly by soft thresholding (Yuan, Ho and Lin 2012,
// newGLMNET).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/columns.hpp"

namespace lindy {

// The quadratic model. Arrays over rows are output-major (n_outputs × n_rows).
struct QuadraticModel {
    std::int64_t n_rows;
    std::int64_t n_outputs;
    const double* h;  // curvature weights; weight·p for softmax
    const double* p;  // probabilities for softmax, otherwise null
    double* step;     // s for softmax; h·s for independent outputs, which saves one access per non-zero
    double* mean;     // m for softmax, otherwise unused
    double l1;
    double l2;
};

// One coordinate per pair: column of the working set, output, weight, derivative and curvature at s = 0.
struct Pairs {
    std::int64_t size;
    const std::int32_t* column;
    const std::int32_t* output;
    double* w;
    const double* slope;
    const double* curvature;
};

// The bias of each output (null without one): its value, derivative and curvature at s = 0, and its penalty.
struct BiasSteps {
    double* b;
    const double* slope;
    const double* curvature;
    double l1;
    double l2;
};

// For each pair (c, k): Σ_i x_ic·u_ik and Σ_i x_ic²·d_ik, with u and d output-major.
template <class Value>
void pair_moments(const Columns<Value>& x, const Pairs& pairs, std::int64_t n_rows, const double* u,
                  const double* d, double* slope, double* curvature) {
    for (std::int64_t q = 0; q < pairs.size; ++q) {
        const Row<Value> column = x.column(pairs.column[q]);
        const double* uk = u + pairs.output[q] * n_rows;
        const double* dk = d + pairs.output[q] * n_rows;
        double first[2] = {0, 0}, second[2] = {0, 0};
        for (std::ptrdiff_t a = 0; a < column.size; ++a) {
            const double v = static_cast<double>(column.value[a]);
            first[a & 1] += v * uk[column.index[a]];
            second[a & 1] += v * v * dk[column.index[a]];
        }
        slope[q] = first[0] + first[1];
        curvature[q] = second[0] + second[1];
    }
}

// Σ_i x_i·(D·s)_i of one pair: what the steps so far add to its derivative.
template <class Value>
inline double curved_slope(Row<Value> column, const QuadraticModel& model, std::int64_t k) {
    const double* s = model.step + k * model.n_rows;
    if (!model.p) return dot(column, s);
    const double* h = model.h + k * model.n_rows;
    double sum[4] = {0, 0, 0, 0};
    for (std::ptrdiff_t a = 0; a < column.size; ++a) {
        const std::int32_t i = column.index[a];
        sum[a & 3] += static_cast<double>(column.value[a]) * h[i] * (s[i] - model.mean[i]);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <class Value>
inline void add_step(Row<Value> column, const QuadraticModel& model, std::int64_t k, double change) {
    double* s = model.step + k * model.n_rows;
    const double* h = model.h + k * model.n_rows;
    if (!model.p) {
        for (std::ptrdiff_t a = 0; a < column.size; ++a)
            s[column.index[a]] += h[column.index[a]] * (static_cast<double>(column.value[a]) * change);
        return;
    }
    const double* p = model.p + k * model.n_rows;
    for (std::ptrdiff_t a = 0; a < column.size; ++a) {
        const std::int32_t i = column.index[a];
        const double moved = static_cast<double>(column.value[a]) * change;
        s[i] += moved;
        model.mean[i] += p[i] * moved;
    }
}

// How far −g is from the subgradients of l1·|w|.
inline double optimality(double w, double g, double l1) {
    if (w == 0) return std::max(std::abs(g) - l1, 0.0);
    return std::abs(g + (w > 0 ? l1 : -l1));
}

// argmin_v ½·(v − target)² + amount·|v|
inline double threshold(double target, double amount) {
    return target > amount ? target - amount : target < -amount ? target + amount : 0.0;
}

// Minimises over one pair; returns how far its optimality condition was violated before.
template <class Value>
inline double minimise_pair(const Columns<Value>& x, const QuadraticModel& model, const Pairs& pairs,
                            std::int64_t q) {
    const Row<Value> column = x.column(pairs.column[q]);
    const double curvature = pairs.curvature[q] + model.l2;
    if (!(curvature > 0)) return 0;
    const double w = pairs.w[q];
    const double g = pairs.slope[q] + curved_slope(column, model, pairs.output[q]) + model.l2 * w;
    const double violation = optimality(w, g, model.l1);
    const double moved = threshold(w - g / curvature, model.l1 / curvature);
    if (moved != w) {
        pairs.w[q] = moved;
        add_step(column, model, pairs.output[q], moved - w);
    }
    return violation;
}

// Adds a change of the bias of output k to the steps.
inline void add_bias_step(const QuadraticModel& model, std::int64_t k, double change) {
    double* s = model.step + k * model.n_rows;
    const double* h = model.h + k * model.n_rows;
    for (std::int64_t i = 0; i < model.n_rows; ++i) {
        s[i] += model.p ? change : h[i] * change;
        if (model.p) model.mean[i] += model.p[k * model.n_rows + i] * change;
    }
}

// Minimises over the bias of output k: a feature that every row has.
inline void minimise_bias(const QuadraticModel& model, const BiasSteps& bias, std::int64_t k) {
    const double curvature = bias.curvature[k] + bias.l2;
    if (!(curvature > 0)) return;
    const double* s = model.step + k * model.n_rows;
    const double* h = model.h + k * model.n_rows;
    double sum[4] = {0, 0, 0, 0};
    for (std::int64_t i = 0; i < model.n_rows; ++i)
        sum[i & 3] += model.p ? h[i] * (s[i] - model.mean[i]) : s[i];
    const double g = bias.slope[k] + ((sum[0] + sum[1]) + (sum[2] + sum[3])) + bias.l2 * bias.b[k];
    const double change = threshold(bias.b[k] - g / curvature, bias.l1 / curvature) - bias.b[k];
    bias.b[k] += change;
    add_bias_step(model, k, change);
}

// Anderson's extrapolation of the last epochs (Bertrand and Massias 2021): the affine combination of the
// points whose combined change is smallest. A slow linear convergence becomes about that of conjugate
// gradient.
class Extrapolation {
  public:
    std::vector<double> mixed, last;

    // Takes the point of one epoch; true every few epochs, when `mixed` is worth a try and `last` is the
    // point.
    bool add(std::vector<double> point) {
        points_.push_back(std::move(point));
        if (points_.size() <= memory) return false;
        double gram[memory][memory], share[memory];
        for (std::size_t a = 0; a < memory; ++a)
            for (std::size_t c = 0; c <= a; ++c) {
                double sum = 0;
                for (std::size_t q = 0; q < points_[0].size(); ++q)
                    sum += (points_[a + 1][q] - points_[a][q]) * (points_[c + 1][q] - points_[c][q]);
                gram[a][c] = gram[c][a] = sum;
            }
        const bool found = combination(gram, share);
        if (found) {
            mixed.assign(points_[0].size(), 0.0);
            for (std::size_t a = 0; a < memory; ++a)
                for (std::size_t q = 0; q < mixed.size(); ++q) mixed[q] += share[a] * points_[a + 1][q];
            last = std::move(points_.back());
        }
        points_.clear();
        return found;
    }

  private:
    static constexpr std::size_t memory = 5;

    // share ∝ gram⁻¹·1, summing to 1; false if there is none.
    static bool combination(double (&gram)[memory][memory], double (&share)[memory]) {
        double trace = 0;
        for (std::size_t a = 0; a < memory; ++a) trace += gram[a][a], share[a] = 1;
        for (std::size_t a = 0; a < memory; ++a) gram[a][a] += 1e-12 * trace;
        for (std::size_t a = 0; a < memory; ++a) {
            if (!(gram[a][a] > 0)) return false;
            for (std::size_t c = a + 1; c < memory; ++c) {
                const double factor = gram[c][a] / gram[a][a];
                for (std::size_t e = a; e < memory; ++e) gram[c][e] -= factor * gram[a][e];
                share[c] -= factor * share[a];
            }
        }
        double sum = 0;
        for (std::size_t a = memory; a-- > 0;) {
            for (std::size_t c = a + 1; c < memory; ++c) share[a] -= gram[a][c] * share[c];
            share[a] /= gram[a][a];
            sum += share[a];
        }
        for (double& value : share) value /= sum;
        return std::isfinite(sum) && sum != 0;
    }

    std::vector<std::vector<double>> points_;
};

// s[k] += Σ_c x_c·Δ over all pairs: the scores of a step.
template <class Value>
void step_scores(const Columns<Value>& x, const Pairs& pairs, const double* change, std::int64_t n_rows,
                 double* s) {
    for (std::int64_t q = 0; q < pairs.size; ++q)
        if (change[q] != 0) axpy(change[q], x.column(pairs.column[q]), s + pairs.output[q] * n_rows);
}

}  // namespace lindy
