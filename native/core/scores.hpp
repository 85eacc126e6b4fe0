// X · W + b for sparse rows and feature-major weights.
#pragma once

#include <algorithm>

#include "core/csr.hpp"
#include "core/mapped_file.hpp"
#include "core/threads.hpp"

namespace lindy {

inline constexpr std::int64_t rows_per_chunk = 256;

// score = Σ_j x_j·w_j for `Quads` times four of n_classes neighbouring classes, kept in registers: so few
// instructions for a value let the processor wait for the weights of many at once.
template <int Quads, class Value, class Weight>
inline void score_quads(Row<Value> row, const Weight* weights, std::int64_t n_classes, Weight* score) {
    typedef Weight Quad __attribute__((vector_size(4 * sizeof(Weight))));
    Quad sum[Quads] = {};
    for (std::ptrdiff_t k = 0; k < row.size; ++k) {
        const Weight* w = weights + row.index[k] * n_classes;
        const Weight v = static_cast<Weight>(row.value[k]);
        for (int q = 0; q < Quads; ++q) {
            Quad own;
            __builtin_memcpy(&own, w + 4 * q, sizeof own);
            sum[q] += v * own;
        }
    }
    __builtin_memcpy(score, sum, sizeof sum);
}

// The same for a few classes.
template <class Value, class Weight>
inline void score_rest(Row<Value> row, const Weight* weights, std::int64_t n_classes, std::int64_t n_rest,
                       Weight* score) {
    std::fill(score, score + n_rest, Weight{0});
    for (std::ptrdiff_t k = 0; n_rest && k < row.size; ++k) {
        const Weight* w = weights + row.index[k] * n_classes;
        const Weight v = static_cast<Weight>(row.value[k]);
        for (std::int64_t c = 0; c < n_rest; ++c) score[c] += v * w[c];
    }
}

// The scores of one row.
template <class Value, class Weight>
inline void score_row(Row<Value> row, const Weight* weights, const Weight* bias, std::int64_t n_classes,
                      Weight* score) {
    if (n_classes == 1) {
        score[0] = dot(row, weights) + bias[0];
        return;
    }
    std::int64_t c = 0;
    const auto add = [&]<int Quads>() {
        score_quads<Quads>(row, weights + c, n_classes, score + c);
        c += 4 * Quads;
    };
    while (n_classes - c >= 32) add.template operator()<4>();
    switch ((n_classes - c) / 4) {  // the last 4 to 28 at once
        case 7:
            add.template operator()<7>();
            break;
        case 6:
            add.template operator()<6>();
            break;
        case 5:
            add.template operator()<5>();
            break;
        case 4:
            add.template operator()<4>();
            break;
        case 3:
            add.template operator()<3>();
            break;
        case 2:
            add.template operator()<2>();
            break;
        case 1:
            add.template operator()<1>();
    }
    score_rest(row, weights + c, n_classes, n_classes - c, score + c);
    for (c = 0; c < n_classes; ++c) score[c] += bias[c];
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
