// Some columns of a sparse matrix, copied out of it: what coordinate methods visit again and again.
#pragma once

#include <vector>

#include "core/buffer.hpp"
#include "core/csr.hpp"

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
    std::vector<std::int64_t> starts{0};
    Buffer<std::int32_t> rows;
    Buffer<Value> values;
};

// Appends column j of X at place position[j], for those that are not negative: the n_new places after the
// present ones. Most values are not wanted: one bit per column says so, from a near cache, and each row is
// sifted without a branch. What is wanted is kept row by row, so that X is read once, and then sorted by
// column.
template <class Value>
void append_columns(ColumnCopy<Value>& copy, CsrView<Value> x, const std::int32_t* position,
                    std::int64_t n_new) {
    const auto before = static_cast<std::int32_t>(copy.starts.size() - 1);
    std::vector<std::uint64_t> wanted(static_cast<std::size_t>(x.n_columns) / 64 + 1, 0);
    for (std::int64_t j = 0; j < x.n_columns; ++j)
        if (position[j] >= before) wanted[static_cast<std::size_t>(j) / 64] |= std::uint64_t{1} << (j % 64);
    std::vector<std::int64_t> next(static_cast<std::size_t>(n_new) + 1, 0);
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
        const std::size_t kept = place.size();
        std::int32_t* to = place.resize(kept + size) + kept;
        Value* v = value.resize(kept + size) + kept;
        for (std::size_t a = 0; a < size; ++a) {
            to[a] = position[row.index[hit[a]]] - before;
            v[a] = row.value[hit[a]];
            ++next[static_cast<std::size_t>(to[a]) + 1];
        }
        ends[static_cast<std::size_t>(i)] = kept + size;
    }
    next[0] = copy.starts.back();
    for (std::size_t c = 1; c < next.size(); ++c) next[c] += next[c - 1];
    copy.starts.insert(copy.starts.end(), next.begin() + 1, next.end());
    std::int32_t* rows = copy.rows.resize(static_cast<std::size_t>(next.back()));
    Value* values = copy.values.resize(static_cast<std::size_t>(next.back()));
    for (std::size_t i = 0, a = 0; i < ends.size(); ++i)
        for (; a < ends[i]; ++a) {
            const auto at = next[static_cast<std::size_t>(place[a])]++;
            rows[at] = static_cast<std::int32_t>(i);
            values[at] = value[a];
        }
}

// Columns laid out row by row: what methods visit that use all of them at once.
template <class Value>
struct RowCopy {
    std::vector<std::int64_t> starts;
    Buffer<std::int32_t> place;
    Buffer<Value> values;

    Row<Value> row(std::size_t i) const {
        const auto first = static_cast<std::size_t>(starts[i]);
        return {place.data() + first, values.data() + first,
                static_cast<std::ptrdiff_t>(starts[i + 1] - starts[i])};
    }
};

// Lays out the m columns named by `which`; their numbers in the rows are their places there, ascending.
template <class Value>
void lay_out_rows(const Columns<Value>& x, const std::int32_t* which, std::int64_t m, std::int64_t n_rows,
                  RowCopy<Value>& copy) {
    std::vector<std::int64_t> next(static_cast<std::size_t>(n_rows) + 1, 0);
    for (std::int64_t q = 0; q < m; ++q) {
        const Row<Value> c = x.column(which[q]);
        for (std::ptrdiff_t a = 0; a < c.size; ++a) ++next[static_cast<std::size_t>(c.index[a]) + 1];
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_rows); ++i) next[i + 1] += next[i];
    copy.starts = next;
    std::int32_t* place = copy.place.resize(static_cast<std::size_t>(next.back()));
    Value* values = copy.values.resize(static_cast<std::size_t>(next.back()));
    for (std::int64_t q = 0; q < m; ++q) {
        const Row<Value> c = x.column(which[q]);
        for (std::ptrdiff_t a = 0; a < c.size; ++a) {
            const auto at = next[static_cast<std::size_t>(c.index[a])]++;
            place[at] = static_cast<std::int32_t>(q);
            values[at] = c.value[a];
        }
    }
}

}  // namespace lindy
