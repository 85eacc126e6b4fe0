// Rows as they would be if some columns did not exist: those are left out, and what is left has length 1.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/csr.hpp"

namespace lindy {

// Copies rows[0 … n) of x without the columns where kept is 0. The columns are in parts, of which each ends
// before ends[p]; a row has its parts one after the other, and each of them is divided by the length of what
// is left of it. indptr gets n + 1 entries; indices and values have room for
// the rows as they are, and for one value more.
template <class Value>
void take_kept_columns(CsrView<Value> x, const std::int64_t* rows, std::int64_t n, const std::uint8_t* kept,
                       const std::int64_t* ends, std::int64_t n_parts, std::int64_t* indptr,
                       std::int32_t* indices, Value* values) {
    std::int64_t size = 0;
    indptr[0] = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const Row<Value> row = x.row(rows[i]);
        std::ptrdiff_t k = 0;
        for (std::int64_t p = 0; p < n_parts; ++p) {
            const std::int64_t begin = size;
            for (; k < row.size && row.index[k] < ends[p]; ++k) {
                indices[size] = row.index[k];
                values[size] = row.value[k];
                size += kept[row.index[k]] != 0;
            }
            const double square = sq_norm(
                Row<Value>{indices + begin, values + begin, static_cast<std::ptrdiff_t>(size - begin)});
            const Value length = square > 0 ? static_cast<Value>(std::sqrt(square)) : Value{1};
            for (std::int64_t at = begin; at < size; ++at) values[at] /= length;
        }
        indptr[i + 1] = size;
    }
}

}  // namespace lindy
