// Checks of a matrix as it enters, and what its columns have in common.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/csr.hpp"

namespace lindy {

// Finds columns that a row names twice. Every column has a byte for the number of the last row that named it,
// counted from 1 to 255 and then anew; where the columns are so many more than the entries that the bytes
// would cost more, rows are sorted instead.
class Repetitions {
  public:
    Repetitions(std::int64_t n_columns, std::int64_t n_stored)
        : n_columns_(n_columns / 64 <= n_stored ? static_cast<std::size_t>(n_columns) : 0) {}

    // Columns must be in range.
    bool in(const std::int32_t* begin, const std::int32_t* end) {
        if (n_columns_ == 0) {
            sorted_.assign(begin, end);
            std::sort(sorted_.begin(), sorted_.end());
            return std::adjacent_find(sorted_.begin(), sorted_.end()) != sorted_.end();
        }
        if (++row_ == 0 || last_.empty()) {
            last_.assign(n_columns_, 0);
            row_ = 1;
        }
        std::uint8_t* const last = last_.data();
        const std::uint8_t row = row_;
        bool again = false;
        for (const std::int32_t* column = begin; column != end; ++column) {
            again |= last[*column] == row;
            last[*column] = row;
        }
        return again;
    }

  private:
    std::size_t n_columns_;  // 0 if rows are sorted
    std::uint8_t row_ = 0;
    std::vector<std::uint8_t> last_;
    std::vector<std::int32_t> sorted_;
};

// What all columns together tell: whether one is out of range, and how many are not below the one that
// follows, in the same row or the next.
struct Survey {
    bool outside;
    std::int64_t falls;
};

// In pieces without a way out of the loop, so that it becomes vector code.
inline Survey survey(const std::int32_t* columns, std::int64_t size, std::uint32_t width) {
    std::uint32_t outside = 0;
    std::int64_t falls = 0;
    for (std::int64_t begin = 0; begin < size; begin += 4096) {
        const std::int64_t end = std::min<std::int64_t>(begin + 4096, size - 1);
        std::int32_t here = 0;
        for (std::int64_t k = begin; k < end; ++k) {
            outside |= static_cast<std::uint32_t>(columns[k]) >= width;  // below 0 counts as very large
            here += columns[k] >= columns[k + 1];
        }
        falls += here;
    }
    if (size > 0) outside |= static_cast<std::uint32_t>(columns[size - 1]) >= width;
    return {outside != 0, falls};
}

// The number of the first bad row, −1 if the structure is sound; and whether some row names a column twice.
inline std::tuple<std::int64_t, bool> check_csr(const std::int64_t* p, std::int64_t n_rows,
                                                const std::int32_t* columns, std::int64_t stored,
                                                std::int64_t n_columns) {
    if (p[0] != 0) return {0, false};
    const std::uint32_t width = static_cast<std::uint32_t>(std::clamp<std::int64_t>(n_columns, 0, 1LL << 31));
    auto [outside, falls] = survey(columns, stored, width);
    for (std::int64_t i = 0; i < n_rows; ++i) {
        if (p[i + 1] < p[i] || p[i + 1] > stored) return {i, false};
        const auto is_outside = [width](std::int32_t j) { return static_cast<std::uint32_t>(j) >= width; };
        if (outside && std::any_of(columns + p[i], columns + p[i + 1], is_outside)) return {i, false};
        const bool at_end = p[i + 1] > p[i] && p[i + 1] < stored;
        falls -= at_end && columns[p[i + 1] - 1] >= columns[p[i + 1]];
    }
    if (p[n_rows] != stored) return {std::max<std::int64_t>(n_rows - 1, 0), false};
    if (falls == 0) return {-1, false};  // the columns of every row increase
    Repetitions repetitions(width, stored);
    bool repeats = false;
    for (std::int64_t i = 0; i < n_rows && !repeats; ++i)
        repeats = repetitions.in(columns + p[i], columns + p[i + 1]);
    return {-1, repeats};
}

// −1 if all values are finite, otherwise the position of the first that is not.
template <class Value>
std::int64_t first_non_finite(const Value* v, std::int64_t size) {
    using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
    const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<Value>::infinity());
    for (std::int64_t begin = 0; begin < size; begin += 4096) {
        const std::int64_t end = std::min<std::int64_t>(begin + 4096, size);
        Bits found = 0;  // without a way out of the loop, so that it becomes vector code
        for (std::int64_t k = begin; k < end; ++k)
            found |= (std::bit_cast<Bits>(v[k]) & exponent) == exponent;
        if (!found) continue;
        return std::find_if_not(v + begin, v + end, [](Value x) { return std::isfinite(x); }) - v;
    }
    return -1;
}

// The columns that every row stores. A walk over the rows that ends where none is left, as it soon does for
// texts: `rows_with` is i for a column that all of the first i rows have. What lies outside the columns that
// are left is not looked up.
template <class Value>
std::vector<std::int32_t> columns_of_all_rows(const CsrView<Value>& x) {
    const auto n = static_cast<std::int32_t>(x.n_rows);
    if (x.dense()) return {x.indices, x.indices + (x.n_rows > 0 ? x.n_columns : 0)};
    std::vector<std::int32_t> found;
    std::int32_t first = 0, last = static_cast<std::int32_t>(x.n_columns) - 1;  // that may be left
    if (n > 0) {
        const std::int32_t* const row = x.indices + x.indptr[0];
        const std::int32_t* const end = x.indices + x.indptr[1];
        if (row == end) return found;
        const auto [least, most] = std::minmax_element(row, end);
        first = *least, last = *most;
    }
    const std::int32_t begin = first;
    std::vector<std::int32_t> rows_with(static_cast<std::size_t>(last - begin + 1), 0);
    for (std::int32_t i = 0; i < n; ++i) {
        std::int32_t least = last, most = first - 1;
        const auto width = static_cast<std::uint32_t>(last - first);
        for (std::int64_t k = x.indptr[i]; k < x.indptr[i + 1]; ++k) {
            const std::int32_t j = x.indices[k];
            if (static_cast<std::uint32_t>(j - first) > width) continue;
            std::int32_t& rows = rows_with[static_cast<std::size_t>(j - begin)];
            if (rows != i) continue;
            ++rows;
            least = std::min(least, j), most = std::max(most, j);
        }
        if (most < least) return found;
        first = least, last = most;
    }
    for (std::int32_t j = first; j <= last; ++j)
        if (rows_with[static_cast<std::size_t>(j - begin)] == n) found.push_back(j);
    return found;
}

// out[p] = Σ_i x_ij and out[P + p] = Σ_i x²_ij for the column j = columns[p]; the P columns ascend.
template <class Value>
void column_sums(const CsrView<Value>& x, const std::int32_t* columns, std::int64_t P, double* out) {
    std::fill_n(out, 2 * P, 0.0);
    if (P == 0) return;
    const std::int32_t first = columns[0];
    const auto width = static_cast<std::uint32_t>(columns[P - 1] - first);
    std::vector<std::int64_t> place(std::size_t{width} + 1, -1);
    for (std::int64_t p = 0; p < P; ++p) place[static_cast<std::size_t>(columns[p] - first)] = p;
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        const Row<Value> row = x.row(i);
        for (std::ptrdiff_t k = 0; k < row.size; ++k) {
            const auto at = static_cast<std::uint32_t>(row.index[k] - first);
            if (at > width || place[at] < 0) continue;
            const double value = static_cast<double>(row.value[k]);
            out[place[at]] += value;
            out[P + place[at]] += value * value;
        }
    }
}

}  // namespace lindy
