// An unpenalised bias makes the dual feasible only where Σ_i coefficient_ik = 0 for every output k. The
// passes of dual coordinate ascent come close; this makes it hold, by small changes to the dual variables of
// a few rows (and the weights with them), so that the rows' terms add up to a duality gap.
#pragma once

#include <algorithm>
#include <cmath>

#include "linear/dual/dual.hpp"

namespace lindy {

// out = Σ_i coefficient_i, the row's factor of x_i in W, per output.
template <class Value, class Weight>
void bias_residual(const DualPass<Value, Weight>& p, bool joint, double* out) {
    std::fill(out, out + p.stride, 0.0);
    for (std::int64_t i = 0; i < p.x.n_rows; ++i) {
        const Weight* dual = p.dual + i * p.stride;
        if (p.n_outputs == 1) {
            out[0] += p.y[i] == 1 ? dual[0] : -dual[0];
        } else {
            for (std::int64_t k = 0; k < p.stride; ++k) out[k] -= dual[k];
            for (const std::int32_t y : p.labels(i)) out[y] += joint ? p.c[i] : 2.0 * dual[y];
        }
    }
}

// Adds change·x_i to column k of w, by its scales.
template <class Value, class Weight>
inline void update_column(const DualPass<Value, Weight>& p, std::int64_t i, std::int64_t k, Weight change) {
    const Row<Value> x = p.x.row(i);
    for (std::ptrdiff_t j = 0; j < x.size; ++j) {
        const std::int64_t at = x.index[j] * p.stride + k;
        const Weight step = change * static_cast<Weight>(x.value[j]);
        p.w[at] += p.scale ? step * p.scale[at] : step;
    }
}

// Shares of a row's room that the rounds may use: first a little of many rows, in the end all of any.
inline constexpr double repair_shares[] = {0.1, 0.5, 1.0};

// Signed variables s·α, 0 ≤ α (≤ C if bounded): α moves by at most a share of its distance to the bounds.
template <class Value, class Weight>
void repair_signed(const DualPass<Value, Weight>& p, bool bounded, double* residual, double enough) {
    for (std::int64_t k = 0; k < p.n_outputs; ++k) {
        const std::int64_t positive = p.n_outputs == 1 ? 1 : k;
        for (const double share : repair_shares)
            for (std::int64_t i = 0; i < p.x.n_rows && std::abs(residual[k]) > enough; ++i) {
                Weight& alpha = p.dual[i * p.stride + k];
                const double sign = p.has_label(i, positive) ? 1 : -1;
                const bool down = sign * residual[k] > 0;
                const double above = bounded ? p.c[i] - alpha : static_cast<double>(alpha);
                double room = share * std::min(static_cast<double>(alpha), above);
                if (share == 1.0) room = down ? static_cast<double>(alpha) : above;
                const double wish = std::min(std::abs(residual[k]), room);
                if (wish <= 0) continue;
                const Weight next = static_cast<Weight>(alpha + (down ? -wish : wish));
                const double change = sign * (static_cast<double>(next) - alpha);
                alpha = next;
                update_column(p, i, k, static_cast<Weight>(change));
                residual[k] += change;
            }
    }
}

// Variables on a simplex: mass moves from outputs that have too much to those that have too little, within
// rows that have some on both.
template <class Value, class Weight>
void repair_simplex(const DualPass<Value, Weight>& p, double* residual, double enough) {
    const std::int64_t K = p.n_outputs;
    auto worst = [&] { return *std::max_element(residual, residual + K); };
    for (const double share : repair_shares)
        for (std::int64_t i = 0; i < p.x.n_rows && worst() > enough; ++i) {
            Weight* z = p.dual + i * p.stride;
            for (std::int64_t from = 0; from < K; ++from)
                for (std::int64_t to = 0; to < K && residual[from] < -enough; ++to) {
                    if (residual[to] <= enough) continue;
                    const double held = z[from];
                    const double room = share == 1.0 ? held : share * std::min<double>(held, z[to]);
                    const double wish = std::min({room, -residual[from], residual[to]});
                    if (wish <= 0) continue;
                    const Weight change = static_cast<Weight>(wish);
                    z[from] = std::max(static_cast<Weight>(z[from] - wish), Weight{0});
                    z[to] = static_cast<Weight>(z[to] + wish);
                    update_column(p, i, from, change);
                    update_column(p, i, to, -change);
                    residual[from] += wish;
                    residual[to] -= wish;
                }
        }
}

}  // namespace lindy
