// X · W + b for sparse rows and feature-major weights.
#pragma once

#include <algorithm>

#include "core/csr.hpp"
#include "core/mapped_file.hpp"
#include "core/threads.hpp"

namespace lindy {

inline constexpr std::int64_t rows_per_chunk = 256;

// The scores of one row.
template <class Value, class Weight>
inline void score_row(Row<Value> row, const Weight* weights, const Weight* bias, std::int64_t n_classes,
                      Weight* score) {
    if (n_classes == 1) {
        score[0] = dot(row, weights) + bias[0];
        return;
    }
    std::fill(score, score + n_classes, Weight{0});
    for (std::ptrdiff_t k = 0; k < row.size; ++k) {
        const Weight* w = weights + row.index[k] * n_classes;
        const Weight v = static_cast<Weight>(row.value[k]);
        for (std::int64_t c = 0; c < n_classes; ++c) score[c] += v * w[c];
    }
    for (std::int64_t c = 0; c < n_classes; ++c) score[c] += bias[c];
}

template <class Value, class Weight>
void scores(CsrView<Value> x, const Weight* weights, const Weight* bias, std::int64_t n_classes, Weight* out,
            int n_threads) {
    range_chunks(x.n_rows, rows_per_chunk, n_threads,
                 [&](std::int64_t first, std::int64_t last, std::int64_t) {
                     for (std::int64_t i = first; i < last; ++i)
                         score_row(x.row(i), weights, bias, n_classes, out + i * n_classes);
                     Maps::get().keep_down();  // rows in files are read faster than the keeper looks
                 });
}

}  // namespace lindy
