// Checks of a matrix as it enters, its rows moved, and products with dense weights.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "bind/bind.hpp"
#include "core/kept_columns.hpp"
#include "core/move_rows.hpp"
#include "core/scores.hpp"

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
static Survey survey(const std::int32_t* columns, std::int64_t size, std::uint32_t width) {
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
static std::tuple<std::int64_t, bool> check_csr(const In<std::int64_t>& indptr,
                                                const In<std::int32_t>& indices, std::int64_t n_columns) {
    require(indptr.size() >= 1, "indptr must have one more entry than there are rows");
    const std::int64_t n_rows = static_cast<std::int64_t>(indptr.size()) - 1;
    const std::int64_t stored = static_cast<std::int64_t>(indices.size());
    const std::int64_t* p = indptr.data();
    const std::int32_t* columns = indices.data();
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
static std::int64_t first_non_finite(const In<Value>& values) {
    const Value* v = values.data();
    const std::int64_t size = static_cast<std::int64_t>(values.size());
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

template <class Value, class Weight>
static void bind_scores(nb::module_& module) {
    module.def(
        "scores",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In2<Weight>& weights, const In<Weight>& bias, Out2<Weight> out, int threads) {
            const auto x = csr_view(indptr, indices, values, static_cast<std::int64_t>(weights.shape(0)));
            const std::int64_t n_classes = static_cast<std::int64_t>(weights.shape(1));
            require(static_cast<std::int64_t>(bias.size()) == n_classes,
                    "bias must have one entry per class");
            require(static_cast<std::int64_t>(out.shape(0)) == x.n_rows &&
                        static_cast<std::int64_t>(out.shape(1)) == n_classes,
                    "out must be rows × classes");
            nb::gil_scoped_release released;
            scores(x, weights.data(), bias.data(), n_classes, out.data(), threads);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("weights"), nb::arg("bias"),
        nb::arg("out").noconvert(), nb::arg("threads"), "out = X · weights + bias, row by row.");
}

template <class Value>
static void bind_row_norms(nb::module_& module) {
    module.def(
        "row_norms",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           Out<double> out) {
            const auto x = csr_view(indptr, indices, values, INT32_MAX);
            require(static_cast<std::int64_t>(out.size()) == x.n_rows, "out must have one entry per row");
            nb::gil_scoped_release released;
            for (std::int64_t i = 0; i < x.n_rows; ++i) out.data()[i] = sq_norm(x.row(i));
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("out").noconvert(),
        "out[i] = the squared Euclidean norm of row i.");
}

// Whether the n rows of x that `which` names have room from their starts on.
template <class Value, class Which>
static void require_room(const CsrView<Value>& x, std::int64_t n, Which which, const std::int64_t* starts,
                         std::int64_t room) {
    bool inside = true;
    for (std::int64_t i = 0; i < n && inside; ++i) {
        const std::int64_t row = which(i);
        inside = row >= 0 && row < x.n_rows && starts[i] >= 0 && starts[i] + x.row(row).size <= room;
    }
    require(inside, "rows must be rows of the matrix, and have room");
}

template <class Value>
static void bind_move_rows(nb::module_& module) {
    module.def(
        "move_rows",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const std::optional<In<std::int64_t>>& rows, const In<std::int64_t>& starts, std::int32_t shift,
           Out<std::int32_t> to_indices, Out<Value> to_values, int threads) {
            const auto x = csr_view(indptr, indices, values, INT32_MAX);
            const auto n = static_cast<std::int64_t>(starts.size());
            require(to_indices.size() == to_values.size(), "there must be as many indices as values");
            require(rows ? rows->size() == starts.size() : n <= x.n_rows, "every row must have a start");
            const auto move = [&](auto which) {
                require_room(x, n, which, starts.data(), static_cast<std::int64_t>(to_values.size()));
                nb::gil_scoped_release released;
                move_rows(x, n, which, starts.data(), shift, to_indices.data(), to_values.data(), threads);
            };
            if (rows)
                move([at = rows->data()](std::int64_t i) { return at[i]; });
            else
                move([](std::int64_t i) { return i; });
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("rows").none(), nb::arg("starts"),
        nb::arg("shift"), nb::arg("to_indices").noconvert(), nb::arg("to_values").noconvert(),
        nb::arg("threads"),
        "Copy the given rows, or for None the first ones, to their starts in other arrays, columns moved.");
}

template <class Value>
static void bind_take_kept_columns(nb::module_& module) {
    module.def(
        "take_kept_columns",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<std::int64_t>& rows, const In<std::uint8_t>& kept, const In<std::int64_t>& ends,
           Out<std::int64_t> to_indptr, Out<std::int32_t> to_indices, Out<Value> to_values) {
            const auto x = csr_view(indptr, indices, values, static_cast<std::int64_t>(kept.size()));
            const auto n = static_cast<std::int64_t>(rows.size());
            std::int64_t needed = 0;
            for (std::int64_t i = 0; i < n; ++i) {
                const std::int64_t row = rows.data()[i];
                require(row >= 0 && row < x.n_rows, "rows must be rows of the matrix");
                needed += x.row(row).size;
            }
            require(static_cast<std::int64_t>(to_indptr.size()) == n + 1 &&
                        static_cast<std::int64_t>(to_values.size()) >= needed + 1 &&
                        to_indices.size() == to_values.size(),
                    "the rows, and one value more, must have room");
            require(ends.size() > 0 && ends.data()[ends.size() - 1] == x.n_columns,
                    "the last part must end with the columns");
            nb::gil_scoped_release released;
            take_kept_columns(x, rows.data(), n, kept.data(), ends.data(),
                              static_cast<std::int64_t>(ends.size()), to_indptr.data(), to_indices.data(),
                              to_values.data());
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("rows"), nb::arg("kept"),
        nb::arg("ends"), nb::arg("to_indptr").noconvert(), nb::arg("to_indices").noconvert(),
        nb::arg("to_values").noconvert(),
        "Copy rows without the columns that are not kept; what is left of every part, up to its end, gets "
        "length 1.");
}

// The columns that every row stores. A walk over the rows that ends where none is left, as it soon does for
// texts: `rows_with` is i for a column that all of the first i rows have. What lies outside the columns that
// are left is not looked up.
static std::vector<std::int32_t> columns_of_all_rows(const In<std::int64_t>& indptr,
                                                     const In<std::int32_t>& indices,
                                                     std::int64_t n_columns) {
    const auto n = static_cast<std::int32_t>(indptr.size()) - 1;
    std::vector<std::int32_t> found;
    std::int32_t first = 0, last = static_cast<std::int32_t>(n_columns) - 1;  // that may be left
    if (n > 0) {
        const std::int32_t* const row = indices.data() + indptr.data()[0];
        const std::int32_t* const end = indices.data() + indptr.data()[1];
        if (row == end) return found;
        const auto [least, most] = std::minmax_element(row, end);
        first = *least, last = *most;
    }
    const std::int32_t begin = first;
    std::vector<std::int32_t> rows_with(static_cast<std::size_t>(last - begin + 1), 0);
    for (std::int32_t i = 0; i < n; ++i) {
        std::int32_t least = last, most = first - 1;
        const auto width = static_cast<std::uint32_t>(last - first);
        for (std::int64_t k = indptr.data()[i]; k < indptr.data()[i + 1]; ++k) {
            const std::int32_t j = indices.data()[k];
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

// out[p] = Σ_i x_ij and out[P + p] = Σ_i x²_ij for the column j = columns[p]; columns ascend.
template <class Value>
static void bind_column_sums(nb::module_& module) {
    module.def(
        "column_sums",
        [](const In<std::int32_t>& indices, const In<Value>& values, const In<std::int32_t>& columns,
           Out2<double> out) {
            require(indices.size() == values.size() && out.shape(0) == 2 && out.shape(1) == columns.size(),
                    "out must be 2 × columns");
            std::fill_n(out.data(), out.size(), 0.0);
            if (!columns.size()) return;
            const std::size_t n_places = columns.size();
            for (std::size_t p = 1; p < n_places; ++p)
                require(columns.data()[p - 1] < columns.data()[p], "columns must ascend");
            nb::gil_scoped_release released;
            const std::int32_t first = columns.data()[0];
            const auto width = static_cast<std::uint32_t>(columns.data()[n_places - 1] - first);
            std::vector<std::int64_t> place(std::size_t{width} + 1, -1);
            for (std::size_t p = 0; p < n_places; ++p)
                place[static_cast<std::size_t>(columns.data()[p] - first)] = static_cast<std::int64_t>(p);
            for (std::size_t k = 0; k < indices.size(); ++k) {
                const auto at = static_cast<std::uint32_t>(indices.data()[k] - first);
                if (at > width) continue;
                const std::int64_t p = place[at];
                if (p < 0) continue;
                const double x = static_cast<double>(values.data()[k]);
                out.data()[p] += x;
                out.data()[static_cast<std::int64_t>(n_places) + p] += x * x;
            }
        },
        nb::arg("indices"), nb::arg("values"), nb::arg("columns"), nb::arg("out").noconvert(),
        "Sums and sums of squares of some columns, which ascend.");
}

void bind_csr(nb::module_& module) {
    bind_column_sums<float>(module);
    bind_column_sums<double>(module);
    module.def("columns_of_all_rows", &columns_of_all_rows, nb::arg("indptr"), nb::arg("indices"),
               nb::arg("n_columns"), nb::call_guard<nb::gil_scoped_release>(),
               "The columns that every row stores, ascending.");
    bind_move_rows<float>(module);
    bind_move_rows<double>(module);
    bind_take_kept_columns<float>(module);
    bind_take_kept_columns<double>(module);
    module.def(
        "check_csr", &check_csr, nb::arg("indptr"), nb::arg("indices"), nb::arg("n_columns"),
        nb::call_guard<nb::gil_scoped_release>(),
        "-1 if indptr is monotonic and all indices are in range, otherwise the first bad row; and whether "
        "some row names a column twice.");
    module.def("first_non_finite", &first_non_finite<float>, nb::arg("values"),
               nb::call_guard<nb::gil_scoped_release>(), "-1, or the position of the first NaN or infinity.");
    module.def("first_non_finite", &first_non_finite<double>, nb::arg("values"),
               nb::call_guard<nb::gil_scoped_release>());
    bind_row_norms<float>(module);
    bind_row_norms<double>(module);
    bind_scores<float, float>(module);
    bind_scores<double, float>(module);
    bind_scores<float, double>(module);
    bind_scores<double, double>(module);
}

}  // namespace lindy
