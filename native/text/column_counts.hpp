// The columns that were found in one text, in ascending order, and how often each was found.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/buffer.hpp"
#include "core/isa.hpp"
#include "core/radix.hpp"
#include "text/place_ranks.hpp"

#define LINDY_KERNELS "text/column_counts.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

// What one text has of n_columns columns. Each is a bit, and each word of 64 of them a bit of a summary: what
// is set there is read in order, and its rank is where a column is counted. That takes half as long as
// sorting, unless the summary is longer than the text.
class ColumnCounts {
  public:
    explicit ColumnCounts(std::uint32_t n_columns) : n_columns_(n_columns) {}

    [[gnu::always_inline]] void push(std::uint32_t column, std::uint32_t times) {
        entries_.push(std::uint64_t{column} << 32 | times);
    }
    void push_all(const std::uint32_t* columns, std::size_t n, std::uint32_t times) {
        const std::size_t before = entries_.size();
        std::uint64_t* to = entries_.resize(before + n) + before;
        for (std::size_t i = 0; i < n; ++i) to[i] = std::uint64_t{columns[i]} << 32 | times;
    }

    // Puts what was pushed in order, and begins anew; returns the number of columns.
    std::size_t finish() {
        const std::size_t n = entries_.size(), n_summary = (std::size_t{n_columns_} >> 12) + 1;
        columns_.resize(n + room), counts_.resize(n + room);
        const std::size_t n_distinct = n_summary <= n ? count(n_summary) : sort();
        entries_.clear();
        return n_distinct;
    }
    const std::uint32_t* columns() const { return columns_.data(); }
    const std::int32_t* counts() const { return counts_.data(); }

  private:
    static constexpr std::size_t room = 4;

    std::size_t count(std::size_t n_summary) {
        const std::size_t n = entries_.size();
        if (!words_.size()) {
            words_ = Buffer<PlaceWord>((std::size_t{n_columns_} >> 6) + 1);
            summary_ = Buffer<std::uint64_t>(n_summary);
            std::fill(words_.begin(), words_.end(), PlaceWord{0, 0});
            std::fill(summary_.begin(), summary_.end(), 0);
        }
        return LINDY_SELECT(count_columns)(entries_.data(), n, words_.data(), summary_.data(), n_summary,
                                           touched_.resize(n + room), columns_.data(), counts_.data());
    }

    std::size_t sort() {
        radix_sort(entries_, other_, 32, 32 + std::bit_width(n_columns_));
        std::size_t n = 0;
        for (std::uint64_t last = ~std::uint64_t{0}; const std::uint64_t entry : entries_) {
            const std::uint64_t column = entry >> 32;
            if (column != last) columns_[n] = static_cast<std::uint32_t>(column), counts_[n++] = 0;
            counts_[n - 1] += static_cast<std::int32_t>(entry);
            last = column;
        }
        return n;
    }

    std::uint32_t n_columns_;
    Buffer<std::uint64_t> entries_, other_;  // column << 32 | how often
    Buffer<std::uint32_t> columns_, touched_;
    Buffer<std::int32_t> counts_;
    Buffer<PlaceWord> words_;
    Buffer<std::uint64_t> summary_;
};

}  // namespace lindy
