// Smooth training objectives in matrix form. With scores S = XW (+ b), all of them are
//
//     loss Σ_i weight_i·ℓ(S_i, y_i),   gradient G = XᵀR with R = ∂loss/∂S,   Hessian product Xᵀ(D·(XV)),
//
// so three passes make every primal method: scores (rows in parallel), losses (rows in parallel) and Xᵀ·R
// (ranges of columns in parallel, each owner reading all rows). No pass needs a transposed copy of X or one
// gradient per thread, and none adds in an order that depends on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/csr.hpp"
#include "core/isa.hpp"
#include "core/threads.hpp"
#include "linear/losses.hpp"
#include "linear/primal/products.hpp"

namespace lindy {

// What the losses know of the rows: class numbers, weights (or null for 1), and the scale 1/Σweights. The
// hinges are taken as their envelopes around multipliers (optimizers/augmented_lagrangian.py), rows × outputs
// in units of the weights, with their σ and the margins asked for: of one output those of the two classes, of
// several ρ[predicted, true], or null for 1.
struct LabelledRows {
    LossName loss;
    const std::int32_t* y;
    const double* weight;
    double scale;
    std::int64_t n_rows;
    std::int64_t n_outputs;
    const double* margin = nullptr;
    const double* multipliers = nullptr;
    double sigma = 0;

    // Whether the outputs of a row depend on each other.
    bool joint() const { return n_outputs > 1 && is_joint(loss); }

    // The rows from `first` on, counted from 0.
    LabelledRows part(std::int64_t first, std::int64_t last) const {
        LabelledRows rows = *this;
        rows.y = y + first;
        rows.weight = weight ? weight + first : nullptr;
        rows.multipliers = multipliers ? multipliers + first * n_outputs : nullptr;
        rows.n_rows = last - first;
        return rows;
    }
};

// Whether output c stands for class y; a single output stands for class 1.
inline bool is_own(std::int32_t y, std::int64_t c, std::int64_t n_outputs) {
    return n_outputs == 1 ? y == 1 : y == c;
}

// A joint curvature is weight·(diag(d) − share·d·dᵀ): softmax has d = p and share 1, the envelope σ·[z moves]
// and 1 / Σ d.
inline double curve_share(const LabelledRows& rows, const double* d) {
    if (is_smooth(rows.loss)) return 1.0;
    double sum = 0;
    for (std::int64_t c = 0; c < rows.n_outputs; ++c) sum += d[c];
    return sum > 0 ? 1.0 / sum : 0.0;
}

}  // namespace lindy

#define LINDY_KERNELS "linear/primal/objective.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

inline constexpr std::int64_t loss_rows_per_chunk = 256;

inline double sum_losses(const LabelledRows& rows, const double* scores, const double* bias,
                         double* residuals, double* curves, int n_threads) {
    const auto kernel = LINDY_SELECT(loss_rows);
    return sum_chunks(rows.n_rows, loss_rows_per_chunk, n_threads,
                      [&](std::int64_t first, std::int64_t last) {
                          return kernel(rows, scores, bias, residuals, curves, first, last);
                      });
}

inline void curvature_product(const LabelledRows& rows, const double* curves, double* u, int n_threads) {
    const auto kernel = LINDY_SELECT(curve_rows);
    range_chunks(
        rows.n_rows, loss_rows_per_chunk, n_threads,
        [&](std::int64_t first, std::int64_t last, std::int64_t) { kernel(rows, curves, u, first, last); });
}

inline double conjugates(const LabelledRows& rows, const double* u, int n_threads) {
    const auto kernel = LINDY_SELECT(conjugate_rows);
    return sum_chunks(rows.n_rows, loss_rows_per_chunk, n_threads,
                      [&](std::int64_t first, std::int64_t last) { return kernel(rows, u, first, last); });
}

// Slope and curvature of the loss in t, of every output (a joint loss: of all, in the first), at the scores
// S + b + t·A; t has an entry per output.
inline void line_slopes(const LabelledRows& rows, const double* scores, const double* bias,
                        const double* along, const double* t, double* slope, double* curve, int n_threads) {
    const std::int64_t K = rows.n_outputs;
    const auto kernel = LINDY_SELECT(line_rows);
    std::vector<double> part(
        static_cast<std::size_t>((rows.n_rows + loss_rows_per_chunk - 1) / loss_rows_per_chunk * 2 * K));
    range_chunks(rows.n_rows, loss_rows_per_chunk, n_threads,
                 [&](std::int64_t first, std::int64_t last, std::int64_t chunk) {
                     double* out = part.data() + chunk * 2 * K;
                     kernel(rows.part(first, last), scores + first * K, bias, along + first * K, t, out,
                            out + K);
                 });
    std::fill(slope, slope + K, 0.0);
    std::fill(curve, curve + K, 0.0);
    for (std::size_t at = 0; at < part.size(); at += static_cast<std::size_t>(2 * K))
        for (std::int64_t c = 0; c < K; ++c) {
            slope[c] += part[at + static_cast<std::size_t>(c)];
            curve[c] += part[at + static_cast<std::size_t>(K + c)];
        }
}

// The mean of the hinges themselves, without their envelopes.
inline double hinge_values(const LabelledRows& rows, const double* scores, const double* bias,
                           int n_threads) {
    const auto kernel = LINDY_SELECT(hinge_rows);
    return sum_chunks(
        rows.n_rows, loss_rows_per_chunk, n_threads,
        [&](std::int64_t first, std::int64_t last) { return kernel(rows, scores, bias, first, last); });
}

// H = Σ_i D_i, the Hessian in the bias alone (K × K).
inline void bias_hessian(const LabelledRows& rows, const double* curves, double* out) {
    const std::int64_t K = rows.n_outputs;
    std::fill(out, out + K * K, 0.0);
    for (std::int64_t i = 0; i < rows.n_rows; ++i) {
        const double* d = curves + i * K;
        if (!rows.joint()) {
            for (std::int64_t c = 0; c < K; ++c) out[c * K + c] += d[c];
            continue;
        }
        const double share = curve_share(rows, d);
        const double w = rows.scale * (rows.weight ? rows.weight[i] : 1.0);
        for (std::int64_t c = 0; c < K; ++c) {
            const double wp = w * d[c];
            out[c * K + c] += wp;
            for (std::int64_t e = 0; e < K; ++e) out[c * K + e] -= wp * d[e] * share;
        }
    }
}

}  // namespace lindy
