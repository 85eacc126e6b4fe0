// Log-count ratios: how much more often a word occurs with a class than without it, and rows scaled by them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/csr.hpp"
#include "core/fastmath.hpp"
#include "core/threads.hpp"

namespace lindy {

namespace ratio {

inline constexpr std::int64_t features_per_chunk = 4096;
inline constexpr std::int64_t rows_per_chunk = 64;
inline constexpr std::ptrdiff_t ahead = 24;  // how many entries early the ratios of a column are fetched

// a − b, and 0 where only rounding keeps them apart: a word that says nothing must not be blown up by a norm.
inline double difference(double a, double b) {
    const double d = a - b;
    return std::abs(d) <= 1e-13 * std::max({1.0, std::abs(a), std::abs(b)}) ? 0.0 : d;
}

}  // namespace ratio

// counts[j·K + y_i] += 1 for every value x_ij ≠ 0: in how many rows of each class a column occurs; returns
// the sum of every class's counts. Rows with a negative y_i do not count. Each thread counts its own range of
// columns: whole numbers add up alike in any order, and they are exact while there are fewer rows than 2^24
// (float) or 2^53 (double).
template <class Value, class Count>
std::vector<std::int64_t> count_documents_by_class(CsrView<Value> x, const std::int32_t* y,
                                                   std::int64_t n_classes, Count* counts, int n_threads) {
    const std::int64_t n_parts = std::max(n_threads, 1);
    const std::int64_t width = (x.n_columns + n_parts - 1) / n_parts;
    std::vector<std::int64_t> sums(static_cast<std::size_t>(n_parts * n_classes));
    parallel_chunks(n_parts, n_threads, [&](std::int64_t part) {
        const std::int64_t begin = part * width, end = std::min(x.n_columns, begin + width);
        for (std::int64_t i = 0; i < x.n_rows; ++i) {
            if (y[i] < 0) continue;
            const Row<Value> row = x.row(i);
            Count* column = counts + y[i];
            std::int64_t found = 0;
            for (std::ptrdiff_t k = 0; k < row.size; ++k) {
                const std::int64_t j = row.index[k];
                if (j < begin || j >= end || row.value[k] == 0) continue;
                column[j * n_classes] += 1;
                ++found;
            }
            sums[static_cast<std::size_t>(part * n_classes + y[i])] += found;
        }
    });
    for (std::size_t at = static_cast<std::size_t>(n_classes); at < sums.size(); ++at)
        sums[at % static_cast<std::size_t>(n_classes)] += sums[at];
    sums.resize(static_cast<std::size_t>(n_classes));
    return sums;
}

// With p_jk = α + c_jk and q_jk = α + Σ_k' c_jk' − c_jk, the smoothed counts of column j with and without
// class k:
//     out[j·O + k] = log(p_jk / Σ_j p_jk) − log(q_jk / Σ_j q_jk)
// for all classes (O = K; out may be counts itself), or for the last one only (O = 1).
template <class Count>
void log_count_ratio(const Count* counts, const std::vector<std::int64_t>& sums, std::int64_t n_features,
                     std::int64_t n_rows, double alpha, std::int64_t n_outputs, Count* out, int n_threads) {
    const auto n_classes = static_cast<std::int64_t>(sums.size());
    const std::int64_t first = n_classes - n_outputs;
    const std::int64_t all = std::accumulate(sums.begin(), sums.end(), std::int64_t{0});
    const double smoothing = alpha * static_cast<double>(n_features);
    std::vector<double> offset;
    for (const std::int64_t sum : sums)
        offset.push_back(fastmath::log(smoothing + static_cast<double>(sum)) -
                         fastmath::log(smoothing + static_cast<double>(all - sum)));
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

// out[i·K + k] = ‖(floor + |r_k|) ∘ x_i‖₂, the length of row i under the scaling of every class, in one pass.
template <class Value, class Ratio>
void scaled_norms(CsrView<Value> x, const Ratio* ratios, std::int64_t n_classes, double floor, double* out,
                  int n_threads) {
    const std::int64_t n_chunks = (x.n_rows + ratio::rows_per_chunk - 1) / ratio::rows_per_chunk;
    parallel_chunks(n_chunks, n_threads, [&](std::int64_t chunk) {
        const std::int64_t end = std::min(x.n_rows, (chunk + 1) * ratio::rows_per_chunk);
        for (std::int64_t i = chunk * ratio::rows_per_chunk; i < end; ++i) {
            const Row<Value> row = x.row(i);
            double* __restrict sum = out + i * n_classes;
            // in units of the largest value, so that no square leaves the range of the numbers
            double top = 0;
            for (std::ptrdiff_t k = 0; k < row.size; ++k)
                top = std::max(top, static_cast<double>(std::abs(row.value[k])));
            std::fill(sum, sum + n_classes, 0.0);
            if (top == 0) continue;
            for (std::ptrdiff_t k = 0; k < row.size; ++k) {
                if (k + ratio::ahead < row.size) {
                    const Ratio* later = ratios + row.index[k + ratio::ahead] * n_classes;
                    __builtin_prefetch(later);
                    __builtin_prefetch(later + n_classes - 1);
                }
                const Ratio* __restrict r = ratios + row.index[k] * n_classes;
                const double v = static_cast<double>(row.value[k]) / top;
                for (std::int64_t c = 0; c < n_classes; ++c) {
                    const double scaled = v * (floor + static_cast<double>(std::abs(r[c])));
                    sum[c] += scaled * scaled;
                }
            }
            for (std::int64_t c = 0; c < n_classes; ++c)
                sum[c] = std::min(std::sqrt(sum[c]) * top, std::numeric_limits<double>::max());
        }
    });
}

}  // namespace lindy
