// How much some rows have in common: the squared length of their mean.
//
//     Σ_j x̄_j²,   or with scales, averaged over the outputs,   (1/K)·Σ_j Σ_k (s_jk·x̄_j)²
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/buffer.hpp"
#include "core/csr.hpp"

namespace lindy {

// `share` says how much each of the n rows counts, and adds up to 1; `squares`, s² of columns × outputs in
// rows of `stride`, may be null. The root of a rounded square is the number itself.
template <class Value, class Scale>
double mean_square(CsrView<Value> x, const std::int32_t* rows, const double* share, std::int64_t n,
                   const Scale* squares, std::int64_t stride, std::int64_t n_outputs) {
    Buffer<double> mean(static_cast<std::size_t>(x.n_columns));
    std::fill(mean.begin(), mean.end(), 0.0);
    for (std::int64_t k = 0; k < n; ++k) axpy(share[k], x.row(rows[k]), mean.data());
    if (!squares) return sq_norm(Row<double>{nullptr, mean.data(), x.n_columns});
    double sum = 0;
    for (std::int64_t j = 0; j < x.n_columns; ++j) {
        const double m = mean[static_cast<std::size_t>(j)];
        if (m == 0) continue;  // most columns are in none of these rows
        const Scale* own = squares + j * stride;
        double parts[2] = {};
        for (std::int64_t k = 0; k < n_outputs; ++k) {
            const double scaled = static_cast<double>(std::sqrt(own[k])) * m;
            parts[k & 1] += scaled * scaled;
        }
        sum += parts[0] + parts[1];
    }
    return sum / static_cast<double>(n_outputs);
}

}  // namespace lindy
