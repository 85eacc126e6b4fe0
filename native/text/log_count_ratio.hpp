// Log-count ratios: how much more often a word occurs with a class than without it.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/csr.hpp"
#include "core/fastmath.hpp"
#include "core/threads.hpp"

namespace lindy {

namespace ratio {

inline constexpr std::int64_t features_per_chunk = 4096;

// a − b, and 0 where only rounding keeps them apart: a word that says nothing must not be blown up by a norm.
inline double difference(double a, double b) {
    const double d = a - b;
    return std::abs(d) <= 1e-13 * std::max({1.0, std::abs(a), std::abs(b)}) ? 0.0 : d;
}

}  // namespace ratio

// counts[j·K + y_i] += 1 for every value x_ij ≠ 0, and sums[y_i] as often: in how many rows of each class a
// column occurs. Rows with a negative y_i do not count. Whole numbers are exact while there are fewer rows
// than 2^24 (float) or 2^53 (double).
template <class Value, class Count>
void count_documents_by_class(CsrView<Value> x, const std::int32_t* y, std::int64_t n_classes, Count* counts,
                              std::int64_t* sums) {
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        if (y[i] < 0) continue;
        const Row<Value> row = x.row(i);
        Count* column = counts + y[i];
        std::int64_t found = 0;
        for (std::ptrdiff_t k = 0; k < row.size; ++k) {
            const bool stored = row.value[k] != 0;
            column[row.index[k] * n_classes] += static_cast<Count>(stored);
            found += stored;
        }
        sums[y[i]] += found;
    }
}

// With p_jk = α + c_jk and q_jk = α + Σ_k' c_jk' − c_jk, the smoothed counts of column j with and without
// class k:
//     out[j·O + k] = log(p_jk / Σ_j p_jk) − log(q_jk / Σ_j q_jk)
// for all classes (O = K; out may be counts itself), or for the last one only (O = 1).
template <class Count>
void log_count_ratio(const Count* counts, const std::int64_t* sums, std::int64_t n_classes,
                     std::int64_t n_features, std::int64_t n_rows, double alpha, std::int64_t n_outputs,
                     Count* out, int n_threads) {
    const std::int64_t first = n_classes - n_outputs;
    const std::int64_t all = std::accumulate(sums, sums + n_classes, std::int64_t{0});
    const double smoothing = alpha * static_cast<double>(n_features);
    std::vector<double> offset;
    for (std::int64_t k = 0; k < n_classes; ++k)
        offset.push_back(fastmath::log(smoothing + static_cast<double>(sums[k])) -
                         fastmath::log(smoothing + static_cast<double>(all - sums[k])));
    std::vector<double> logs;  // of α + 0, α + 1, …: no count exceeds the number of rows
    for (std::int64_t c = 0; c <= n_rows; ++c) logs.push_back(fastmath::log(alpha + static_cast<double>(c)));

    const std::int64_t n_chunks = (n_features + ratio::features_per_chunk - 1) / ratio::features_per_chunk;
    parallel_chunks(n_chunks, n_threads, [&](std::int64_t chunk) {
        const std::int64_t end = std::min(n_features, (chunk + 1) * ratio::features_per_chunk);
        for (std::int64_t j = chunk * ratio::features_per_chunk; j < end; ++j) {
            const Count* c = counts + j * n_classes;
            std::size_t total = 0;
            for (std::int64_t k = 0; k < n_classes; ++k) total += static_cast<std::size_t>(c[k]);
            for (std::int64_t o = 0; o < n_outputs; ++o) {
                const auto with = static_cast<std::size_t>(c[first + o]);
                out[j * n_outputs + o] = static_cast<Count>(ratio::difference(
                    logs[with] - logs[total - with], offset[static_cast<std::size_t>(first + o)]));
            }
        }
    });
}

}  // namespace lindy
