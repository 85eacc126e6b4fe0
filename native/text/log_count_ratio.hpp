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
inline constexpr double smallest = 1e-30;    // a value whose square is still an ordinary number
inline constexpr std::ptrdiff_t ahead = 24;  // how many entries early the ratios of a column are fetched

// a − b, and 0 where only rounding keeps them apart: a word that says nothing must not be blown up by a norm.
inline double difference(double a, double b) {
    const double d = a - b;
    return std::abs(d) <= 1e-13 * std::max({1.0, std::abs(a), std::abs(b)}) ? 0.0 : d;
}

}  // namespace ratio

// counts[j·K + y_i] += step for every value x_ij ≠ 0, and sums[y_i] as often: in how many rows of each class
// a column occurs. Rows with a negative y_i do not count; with the step −1 rows are taken out again. Whole
// numbers are exact while there are fewer rows than 2^24 (float) or 2^53 (double).
template <class Value, class Count>
void count_documents_by_class(CsrView<Value> x, const std::int32_t* y, std::int64_t n_classes, int step,
                              Count* counts, std::int64_t* sums) {
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        if (y[i] < 0) continue;
        const Row<Value> row = x.row(i);
        Count* column = counts + y[i];
        std::int64_t found = 0;
        for (std::ptrdiff_t k = 0; k < row.size; ++k) {
            const bool stored = row.value[k] != 0;
            column[row.index[k] * n_classes] += static_cast<Count>(stored ? step : 0);
            found += stored;
        }
        sums[y[i]] += step * found;
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

// sum[k] = Σ_j (x_j·(floor + |r_jk|)·unit)² for Quads·4 classes from r on, kept in registers: every other
// entry in a sum of its own, so that none waits for the one before.
template <int Quads, class Value, class Ratio>
void scaled_squares(Row<Value> row, const Ratio* r, std::int64_t n_classes, double floor, double unit,
                    double* sum) {
    typedef Ratio Raw __attribute__((vector_size(4 * sizeof(Ratio))));
    typedef double Quad __attribute__((vector_size(4 * sizeof(double))));
    Quad squares[2][Quads] = {};
    const auto add = [&](std::ptrdiff_t k, int bank) {
        const Ratio* from = r + row.index[k] * n_classes;
        const double v = static_cast<double>(row.value[k]) * unit;
        for (int q = 0; q < Quads; ++q) {
            Raw raw;
            __builtin_memcpy(&raw, from + 4 * q, sizeof raw);
            const Quad scaled = v * (floor + __builtin_convertvector(raw < 0 ? -raw : raw, Quad));
            squares[bank][q] += scaled * scaled;
        }
    };
    std::ptrdiff_t k = 0;
    for (; k + 2 <= row.size; k += 2) {
        if (k + ratio::ahead + 2 <= row.size) {
            __builtin_prefetch(r + row.index[k + ratio::ahead] * n_classes);
            __builtin_prefetch(r + row.index[k + ratio::ahead + 1] * n_classes);
        }
        add(k, 0);
        add(k + 1, 1);
    }
    if (k < row.size) add(k, 0);
    for (int q = 0; q < Quads; ++q) squares[0][q] += squares[1][q];
    __builtin_memcpy(sum, squares[0], sizeof squares[0]);
}

// The same for a single class.
template <class Value, class Ratio>
double scaled_square(Row<Value> row, const Ratio* r, std::int64_t n_classes, double floor, double unit) {
    double sum = 0;
    for (std::ptrdiff_t k = 0; k < row.size; ++k) {
        const double v = static_cast<double>(row.value[k]) * unit;
        const double scaled = v * (floor + static_cast<double>(std::abs(r[row.index[k] * n_classes])));
        sum += scaled * scaled;
    }
    return sum;
}

// out[i·K + k] = ‖(floor + |r_k|) ∘ x_i‖₂, the length of row i under the scaling of every class.
template <class Value, class Ratio>
void scaled_norms(CsrView<Value> x, const Ratio* ratios, std::int64_t n_classes, double floor, double* out,
                  int n_threads) {
    const std::int64_t n_chunks = (x.n_rows + ratio::rows_per_chunk - 1) / ratio::rows_per_chunk;
    parallel_chunks(n_chunks, n_threads, [&](std::int64_t chunk) {
        const std::int64_t end = std::min(x.n_rows, (chunk + 1) * ratio::rows_per_chunk);
        for (std::int64_t i = chunk * ratio::rows_per_chunk; i < end; ++i) {
            const Row<Value> row = x.row(i);
            double* sum = out + i * n_classes;
            Value top = 0;
            for (std::ptrdiff_t k = 0; k < row.size; ++k) top = std::max(top, std::abs(row.value[k]));
            std::fill(sum, sum + n_classes, 0.0);
            if (top == 0) continue;
            // far from 1, in units of the largest value, so that no square leaves the range of the numbers
            const bool near = top > ratio::smallest && top < 1 / ratio::smallest;
            const double unit = near ? 1.0 : 1 / std::max(static_cast<double>(top), 1e-300);
            std::int64_t c = 0;
            for (; c + 16 <= n_classes; c += 16)
                scaled_squares<4>(row, ratios + c, n_classes, floor, unit, sum + c);
            for (; c + 4 <= n_classes; c += 4)
                scaled_squares<1>(row, ratios + c, n_classes, floor, unit, sum + c);
            for (; c < n_classes; ++c) sum[c] = scaled_square(row, ratios + c, n_classes, floor, unit);
            for (c = 0; c < n_classes; ++c)
                sum[c] = std::min(std::sqrt(sum[c]) / unit, std::numeric_limits<double>::max());
        }
    });
}

}  // namespace lindy
