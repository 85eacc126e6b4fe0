// X · W + b where many features have the same row of W: W[j] = rows[row_of[j]]. Scoring waits for memory, and
// the different rows fit the caches where W does not.
#pragma once

#include <algorithm>

#include "core/csr.hpp"
#include "core/isa.hpp"
#include "core/scores.hpp"
#include "core/threads.hpp"

namespace lindy {

struct SharedRows {
    const double* rows;          // different rows × classes
    const std::int32_t* row_of;  // per feature
    const double* bias;          // per class
    std::int64_t n_classes;
};

}  // namespace lindy

#define LINDY_KERNELS "bayes/shared_scores.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

template <class Value>
void shared_scores(CsrView<Value> x, const SharedRows& w, double* out, int n_threads) {
    const auto kernel = LINDY_SELECT(shared_scores_of_rows<Value>);
    const std::int64_t n_chunks = (x.n_rows + rows_per_chunk - 1) / rows_per_chunk;
    parallel_chunks(n_chunks, n_threads, [&](std::int64_t chunk) {
        kernel(x, w, chunk * rows_per_chunk, std::min(x.n_rows, (chunk + 1) * rows_per_chunk), out);
    });
}

}  // namespace lindy
