// Which features have the same counts. Most words of a large vocabulary are seen once or twice, with one
// class: a million features share a few thousand different rows, and so do their weights.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "core/csr.hpp"

namespace lindy {

struct Distinct {
    std::vector<std::int32_t> row_of;         // per feature, the number of its row
    std::vector<std::int64_t> first_feature;  // per different row, the first feature that has it
};

inline std::uint64_t hash_of(Row<double> row) {
    std::uint64_t hash = static_cast<std::uint64_t>(row.size);
    for (std::ptrdiff_t e = 0; e < row.size; ++e) {
        hash = (hash ^ static_cast<std::uint64_t>(row.index[e])) * 0x9e3779b97f4a7c15u;
        hash = (hash ^ (hash >> 29) ^ std::bit_cast<std::uint64_t>(row.value[e])) * 0xbf58476d1ce4e5b9u;
    }
    return hash ^ (hash >> 32);
}

inline bool same(Row<double> a, Row<double> b) {
    return a.size == b.size && std::equal(a.index, a.index + a.size, b.index) &&
           std::equal(a.value, a.value + a.size, b.value);
}

// Rows are numbered in the order in which they first appear.
inline Distinct distinct_rows(CsrView<double> rows) {
    // most rows have one count, a small one: those are found by class and count
    constexpr std::int64_t few = 256;
    const std::int64_t n_lone = std::min<std::int64_t>(rows.n_columns, 4096);
    Distinct found;
    found.row_of.resize(static_cast<std::size_t>(rows.n_rows));
    std::vector<std::int32_t> slots(1024, -1);  // row numbers by hash; at most half full
    std::vector<std::int32_t> lone(static_cast<std::size_t>(n_lone * few), -1);
    const auto slot_of = [&](Row<double> row) -> std::int32_t& {
        if (row.size == 1 && row.index[0] < n_lone && row.value[0] >= 0 && row.value[0] < few &&
            row.value[0] == std::trunc(row.value[0]))
            return lone[static_cast<std::size_t>(row.index[0] * few +
                                                 static_cast<std::int64_t>(row.value[0]))];
        std::size_t at = hash_of(row) & (slots.size() - 1);
        while (slots[at] >= 0 &&
               !same(row, rows.row(found.first_feature[static_cast<std::size_t>(slots[at])])))
            at = (at + 1) & (slots.size() - 1);
        return slots[at];
    };
    for (std::int64_t j = 0; j < rows.n_rows; ++j) {
        std::int32_t& slot = slot_of(rows.row(j));
        if (slot >= 0) {
            found.row_of[static_cast<std::size_t>(j)] = slot;
            continue;
        }
        const std::int32_t number = static_cast<std::int32_t>(found.first_feature.size());
        slot = found.row_of[static_cast<std::size_t>(j)] = number;
        found.first_feature.push_back(j);
        if (2 * found.first_feature.size() < slots.size()) continue;
        slots.assign(2 * slots.size(), -1);
        for (std::int32_t r = 0; r <= number; ++r)
            slot_of(rows.row(found.first_feature[static_cast<std::size_t>(r)])) = r;
    }
    return found;
}

}  // namespace lindy
