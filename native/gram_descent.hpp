// The quadratic model of one output in its own coordinates: when the working set is small and the outputs are
// independent, the matrix H = XᵀDX of the model is formed once, and coordinate descent needs no rows any
// more.
#pragma once

#include <vector>

#include "coordinate.hpp"
#include "isa.hpp"

namespace lindy {

// H[a·M + c] = Σ_i h_i·x_ia·x_ic over the m columns named by `which`; with `bias` the last of the M
// coordinates is a column of ones. Rows are visited one by one, their values first laid out row by row.
template <class Value>
void gram(const Columns<Value>& x, const std::int32_t* which, std::int64_t m, bool bias, const double* h,
          std::int64_t n_rows, RowCopy<Value>& rows, double* H) {
    const std::int64_t M = m + (bias ? 1 : 0);
    lay_out_rows(x, which, m, n_rows, rows);
    std::fill(H, H + M * M, 0.0);
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const Row<Value> row = rows.row(static_cast<std::size_t>(i));
        for (std::ptrdiff_t a = 0; a < row.size; ++a) {
            const double scaled = h[i] * static_cast<double>(row.value[a]);
            double* line = H + row.index[a] * M;
            for (std::ptrdiff_t c = 0; c <= a; ++c)
                line[row.index[c]] += scaled * static_cast<double>(row.value[c]);
            if (bias) H[m * M + row.index[a]] += scaled;
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
