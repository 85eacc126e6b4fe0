// Rows that were written down name by name, put into the order of their columns.
#pragma once

#include "core/sorted_row.hpp"
#include "core/sparse_rows.hpp"

namespace lindy {

// Renumbers the columns (rank == nullptr: they stay), sorts every row by column and sums the values of one
// column.
inline void order_rows(SparseRows<double>& rows, const std::int32_t* rank) {
    auto& [indptr, indices, values] = rows;
    if (rank)
        for (std::int32_t& column : indices) column = rank[column];
    RowOrder<double> order;
    std::size_t begin = 0, to = 0;
    for (std::size_t i = 1; i < indptr.size(); ++i) {
        const auto end = static_cast<std::size_t>(indptr[i]);
        to += order(indices.data() + begin, values.data() + begin, end - begin, indices.data() + to,
                    values.data() + to);
        indptr[i] = static_cast<std::int64_t>(to);
        begin = end;
    }
    indices.resize(to);
    values.resize(to);
}

}  // namespace lindy
