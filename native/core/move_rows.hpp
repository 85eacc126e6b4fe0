// Rows of a sparse matrix copied to a place in another.
#pragma once

#include <algorithm>

#include "core/csr.hpp"
#include "core/mapped_file.hpp"
#include "core/threads.hpp"

namespace lindy {

// Copies row which(i) of x, for i in 0 … n−1, to starts[i] of indices and values, its columns moved by
// `shift`.
template <class Value, class Which>
void move_rows(CsrView<Value> x, std::int64_t n, Which which, const std::int64_t* starts, std::int32_t shift,
               std::int32_t* indices, Value* values, int n_threads) {
    constexpr std::int64_t size = 256;
    parallel_chunks((n + size - 1) / size, n_threads, [&](std::int64_t chunk) {
        for (std::int64_t i = chunk * size; i < std::min(n, (chunk + 1) * size); ++i) {
            const Row<Value> row = x.row(which(i));
            for (std::ptrdiff_t k = 0; k < row.size; ++k) indices[starts[i] + k] = row.index[k] + shift;
            std::copy_n(row.value, row.size, values + starts[i]);
        }
        Maps::get().keep_down();  // both may be in files, and are passed faster than the keeper looks
    });
}

}  // namespace lindy
