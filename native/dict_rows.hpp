// Rows that were written down name by name, put into the order of their columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "buffer.hpp"

namespace lindy {

// Renumbers the columns (rank == nullptr: they stay), sorts every row by column and sums the values of one
// column, in the order in which they came.
inline void order_rows(Buffer<std::int64_t>& indptr, Buffer<std::int32_t>& indices, Buffer<double>& values,
                       const std::int32_t* rank) {
    Buffer<std::uint64_t> order;  // column, then place within the row
    Buffer<double> row;
    std::size_t begin = 0, to = 0;
    for (std::size_t i = 1; i < indptr.size(); ++i) {
        const auto end = static_cast<std::size_t>(indptr[i]);
        order.clear();
        bool ascending = true;
        std::uint64_t before = 0;
        for (std::size_t k = begin; k < end; ++k) {
            const std::int32_t column = rank ? rank[indices[k]] : indices[k];
            const std::uint64_t entry = static_cast<std::uint64_t>(column) << 32 | (k - begin);
            ascending &= before <= entry;
            before = entry;
            order.push(entry);
        }
        if (!ascending) std::sort(order.begin(), order.end());
        row.clear();
        row.append(values.data() + begin, end - begin);
        const std::size_t first = to;
        for (const std::uint64_t entry : order) {
            const auto column = static_cast<std::int32_t>(entry >> 32);
            const double value = row[entry & 0xFFFFFFFFu];
            if (to > first && indices[to - 1] == column) {
                values[to - 1] += value;
                continue;
            }
            indices[to] = column;
            values[to++] = value;
        }
        begin = end;
        indptr[i] = static_cast<std::int64_t>(to);
    }
    indices.resize(to);
    values.resize(to);
}

}  // namespace lindy
