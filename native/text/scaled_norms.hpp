// The lengths of rows that are scaled by log-count ratios.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/csr.hpp"
#include "core/isa.hpp"
#include "core/threads.hpp"

#define LINDY_KERNELS "text/scaled_norms.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

// out[i·K + k] = ‖(floor + |r_k|) ∘ x_i‖₂, the length of row i under the scaling of every class.
template <class Value, class Ratio>
void scaled_norms(CsrView<Value> x, const Ratio* ratios, std::int64_t n_classes, double floor, double* out,
                  int n_threads) {
    constexpr std::int64_t rows_per_chunk = 64;
    const auto kernel = LINDY_SELECT(scaled_norms_of_rows<Value, Ratio>);
    const std::int64_t n_chunks = (x.n_rows + rows_per_chunk - 1) / rows_per_chunk;
    parallel_chunks(n_chunks, n_threads, [&](std::int64_t chunk) {
        const std::int64_t begin = chunk * rows_per_chunk;
        kernel(x, ratios, n_classes, floor, out, begin, std::min(x.n_rows, begin + rows_per_chunk));
    });
}

}  // namespace lindy
