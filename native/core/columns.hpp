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
// present ones.
template <class Value>
void append_columns(ColumnCopy<Value>& copy, CsrView<Value> x, const std::int32_t* position,
                    std::int64_t n_new) {
    const auto before = static_cast<std::int32_t>(copy.starts.size() - 1);
    const auto for_each_wanted = [&](auto body) {
        for (std::int64_t i = 0; i < x.n_rows; ++i) {
            const Row<Value> row = x.row(i);
            for (std::ptrdiff_t k = 0; k < row.size; ++k)
                if (const std::int32_t place = position[row.index[k]]; place >= before)
                    body(static_cast<std::size_t>(place - before), static_cast<std::int32_t>(i),
                         row.value[k]);
        }
    };
    std::vector<std::int64_t> next(static_cast<std::size_t>(n_new) + 1, 0);
    next[0] = copy.starts.back();
    for_each_wanted([&](std::size_t column, std::int32_t, Value) { ++next[column + 1]; });
    for (std::size_t c = 1; c < next.size(); ++c) next[c] += next[c - 1];
    copy.starts.insert(copy.starts.end(), next.begin() + 1, next.end());
    std::int32_t* rows = copy.rows.resize(static_cast<std::size_t>(next.back()));
    Value* values = copy.values.resize(static_cast<std::size_t>(next.back()));
    for_each_wanted([&](std::size_t column, std::int32_t i, Value value) {
        const std::int64_t at = next[column]++;
        rows[at] = i;
        values[at] = value;
    });
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
