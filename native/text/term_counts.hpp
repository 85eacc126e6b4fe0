// How long the row of a text is, from the columns of its terms and without putting them in order.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "text/weighting.hpp"

namespace lindy {

// ‖c‖ of the counts c of one text at a time, which comes as codes (column << 1 | whether the sign is
// negative).
class TermCounts {
  public:
    struct Bounds {
        double least, most;
    };

    // Between which numbers the norm is, as far as a look at each term can tell: as if all columns that share
    // a place were one, of one sign. An odd number of terms in a place is an odd count in one of its columns.
    Bounds bounds(Norm norm, const std::uint32_t* codes, std::size_t n) {
        if (norm == Norm::none) return {1, 1};
        if (norm != Norm::l2) return {0, static_cast<double>(n)};
        std::uint64_t squares = 0, odd = 0;
        for (std::size_t k = 0; k < n; ++k) squares += 2 * std::uint64_t{shared_[place(codes[k])]++} + 1;
        for (std::size_t k = 0; k < n; ++k) odd += std::exchange(shared_[place(codes[k])], 0) & 1;
        return {std::sqrt(static_cast<double>(odd)), std::sqrt(static_cast<double>(squares))};
    }

    // The norm, counted in a table of open addresses.
    double norm(Norm norm, const std::uint32_t* codes, std::size_t n) {
        if (norm == Norm::none) return 1;
        const std::size_t size = std::bit_ceil(2 * n + 1);
        if (size > table_.size()) table_.resize(size);
        std::fill_n(table_.data(), size, Count{0, 0});
        std::int64_t sum = 0, squares = 0, largest = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint32_t key = (codes[k] >> 1) + 1;  // 0: nothing is there
            std::size_t at = key & (size - 1);
            while (table_[at].key != key && table_[at].key != 0) at = (at + 1) & (size - 1);
            const std::int64_t before = table_[at].times, sign = 1 - 2 * std::int64_t{codes[k] & 1};
            table_[at] = {key, static_cast<std::int32_t>(before + sign)};
            sum += std::abs(before + sign) - std::abs(before);
            squares += 2 * before * sign + 1;
        }
        if (norm == Norm::l2) return std::sqrt(static_cast<double>(squares));
        if (norm == Norm::l1) return static_cast<double>(sum);
        for (std::size_t at = 0; at < size; ++at)
            largest = std::max(largest, std::abs(std::int64_t{table_[at].times}));
        return static_cast<double>(largest);
    }

  private:
    struct Count {
        std::uint32_t key;
        std::int32_t times;
    };
    static constexpr std::size_t n_places = 1 << 12;  // which stay in the cache
    static std::size_t place(std::uint32_t code) { return code >> 1 & (n_places - 1); }

    std::vector<std::uint32_t> shared_ = std::vector<std::uint32_t>(n_places);
    std::vector<Count> table_;
};

}  // namespace lindy
