// The quadratic model of one output in its own coordinates: when the working set is small and the outputs are
// independent, the matrix H = XᵀDX of the model is formed once, and coordinate descent needs no rows any
// more.
#pragma once

#include <vector>

#include "coordinate.hpp"
#include "isa.hpp"

namespace lindy {

// H[a·M + c] = Σ_i h_i·x_ia·x_ic over m columns; with `bias` the last of the M coordinates is a column of
// ones. Rows are visited one by one, their values first laid out row by row.
template <class Value>
void gram(const Columns<Value>& x, std::int64_t m, bool bias, const double* h, std::int64_t n_rows,
          double* H) {
    const std::int64_t M = m + (bias ? 1 : 0);
    std::vector<std::int64_t> next(static_cast<std::size_t>(n_rows) + 1, 0);
    for (std::int64_t q = 0; q < m; ++q) {
        const Row<Value> c = x.column(q);
        for (std::ptrdiff_t a = 0; a < c.size; ++a) ++next[static_cast<std::size_t>(c.index[a]) + 1];
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_rows); ++i) next[i + 1] += next[i];
    const std::vector<std::int64_t> starts(next);
    std::vector<std::int32_t> place(static_cast<std::size_t>(starts.back()));
    std::vector<Value> value(place.size());
    for (std::int64_t q = 0; q < m; ++q) {
        const Row<Value> c = x.column(q);
        for (std::ptrdiff_t a = 0; a < c.size; ++a) {
            const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(c.index[a])]++);
            place[at] = static_cast<std::int32_t>(q);
            value[at] = c.value[a];
        }
    }
    std::fill(H, H + M * M, 0.0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_rows); ++i) {
        const auto first = static_cast<std::size_t>(starts[i]),
                   last = static_cast<std::size_t>(starts[i + 1]);
        for (std::size_t a = first; a < last; ++a) {
            const double scaled = h[i] * static_cast<double>(value[a]);
            double* line = H + place[a] * M;
            for (std::size_t c = first; c <= a; ++c) line[place[c]] += scaled * static_cast<double>(value[c]);
            if (bias) H[m * M + place[a]] += scaled;
        }
        if (bias) H[m * M + m] += h[i];
    }
    for (std::int64_t a = 0; a < M; ++a)
        for (std::int64_t c = 0; c < a; ++c) H[c * M + a] = H[a * M + c];
}

// minimise  slope·Δ + ½·Δᵀ·H·Δ + ½·Σ l2·(w + Δ)² + Σ l1·|w + Δ|  over `size` coordinates with their own
// penalties.
struct GramModel {
    std::int64_t size;
    const double* H;
    const double* slope;
    const double* l1;
    const double* l2;
};

}  // namespace lindy

// descend_gram(model, w, tolerance, max_epochs): w becomes w + Δ. Ends when the violations of an epoch sum to
// at most `tolerance`; returns the epochs.
#define LINDY_KERNELS "gram_descent.inl"
#include "for_each_isa.hpp"
