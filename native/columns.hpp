// Some columns of a sparse matrix, copied out of it: what coordinate methods visit again and again.
#pragma once

#include <vector>

#include "buffer.hpp"
#include "csr.hpp"

namespace lindy {

// Columns of the working set, compressed: rows[starts[c] … starts[c + 1]) of column c.
template <class Value>
struct Columns {
    const std::int64_t* starts;
    const std::int32_t* rows;
    const Value* values;

    Row<Value> column(std::int64_t c) const {
        return {rows + starts[c], values + starts[c], static_cast<std::ptrdiff_t>(starts[c + 1] - starts[c])};
    }
};

// Some columns of a matrix, copied out of it.
template <class Value>
struct ColumnCopy {
    std::vector<std::int64_t> starts;
    Buffer<std::int32_t> rows;
    Buffer<Value> values;
};

// Copies column j of X to place position[j] of n_columns, if that is not negative. Most values are not
// wanted: one bit per column says so, from a near cache, and each row is sifted without a branch. What is
// wanted is kept row by row, so that X is read once, and then sorted by column.
template <class Value>
ColumnCopy<Value> gather_columns(CsrView<Value> x, const std::int32_t* position, std::int64_t n_columns) {
    std::vector<std::uint64_t> wanted(static_cast<std::size_t>(x.n_columns) / 64 + 1, 0);
    for (std::int64_t j = 0; j < x.n_columns; ++j)
        if (position[j] >= 0) wanted[static_cast<std::size_t>(j) / 64] |= std::uint64_t{1} << (j % 64);
    ColumnCopy<Value> copy;
    copy.starts.assign(static_cast<std::size_t>(n_columns) + 1, 0);
    Buffer<std::int32_t> hits, place;
    Buffer<Value> value;
    std::vector<std::size_t> ends(static_cast<std::size_t>(x.n_rows));
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        const Row<Value> row = x.row(i);
        std::int32_t* hit = hits.resize(static_cast<std::size_t>(row.size));
        std::size_t size = 0;
        for (std::ptrdiff_t k = 0; k < row.size; ++k) {
            const auto j = static_cast<std::size_t>(row.index[k]);
            hit[size] = static_cast<std::int32_t>(k);
            size += wanted[j / 64] >> (j % 64) & 1;
        }
        const std::size_t before = place.size();
        std::int32_t* to = place.resize(before + size) + before;
        Value* v = value.resize(before + size) + before;
        for (std::size_t a = 0; a < size; ++a) {
            to[a] = position[row.index[hit[a]]];
            v[a] = row.value[hit[a]];
            ++copy.starts[static_cast<std::size_t>(to[a]) + 1];
        }
        ends[static_cast<std::size_t>(i)] = before + size;
    }
    for (std::size_t c = 1; c < copy.starts.size(); ++c) copy.starts[c] += copy.starts[c - 1];
    std::vector<std::int64_t> next(copy.starts);
    std::int32_t* rows = copy.rows.resize(place.size());
    Value* values = copy.values.resize(place.size());
    for (std::size_t i = 0, a = 0; i < ends.size(); ++i)
        for (; a < ends[i]; ++a) {
            const auto at = next[static_cast<std::size_t>(place[a])]++;
            rows[at] = static_cast<std::int32_t>(i);
            values[at] = value[a];
        }
    return copy;
}

}  // namespace lindy
