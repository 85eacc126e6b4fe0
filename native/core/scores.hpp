// X · W + b for sparse rows and feature-major weights.
#pragma once

#include <algorithm>

#include "core/csr.hpp"
#include "core/threads.hpp"

namespace lindy {

inline constexpr std::int64_t rows_per_chunk = 256;

template <class Value, class Weight>
void scores(CsrView<Value> x, const Weight* weights, const Weight* bias, std::int64_t n_classes, Weight* out,
            int n_threads) {
    const std::int64_t n_chunks = (x.n_rows + rows_per_chunk - 1) / rows_per_chunk;
    parallel_chunks(n_chunks, n_threads, [&](std::int64_t chunk) {
        const std::int64_t end = std::min(x.n_rows, (chunk + 1) * rows_per_chunk);
        for (std::int64_t i = chunk * rows_per_chunk; i < end; ++i) {
            const Row<Value> row = x.row(i);
            if (n_classes == 1) {
                out[i] = dot(row, weights) + bias[0];
                continue;
            }
            Weight* score = out + i * n_classes;
            std::fill(score, score + n_classes, Weight{0});
            for (std::ptrdiff_t k = 0; k < row.size; ++k) {
                const Weight* w = weights + row.index[k] * n_classes;
                const Weight v = static_cast<Weight>(row.value[k]);
                for (std::int64_t c = 0; c < n_classes; ++c) score[c] += v * w[c];
            }
            for (std::int64_t c = 0; c < n_classes; ++c) score[c] += bias[c];
        }
    });
}

}  // namespace lindy
