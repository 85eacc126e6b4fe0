// Checks of a matrix as it enters, its rows moved, and products with dense weights.
#include "bind/rows.hpp"
#include "core/check_csr.hpp"
#include "core/kept_columns.hpp"
#include "core/move_rows.hpp"
#include "core/scores.hpp"

namespace lindy {

static std::tuple<std::int64_t, bool> check_arrays(const In<std::int64_t>& indptr,
                                                   const In<std::int32_t>& indices, std::int64_t n_columns) {
    require(indptr.size() >= 1, "indptr must have one more entry than there are rows");
    return check_csr(indptr.data(), length(indptr) - 1, indices.data(), length(indices), n_columns);
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

void bind_csr(nb::module_& module) {
    module.def("check_csr", unlocked(&check_arrays), "indptr"_a, "indices"_a, "n_columns"_a,
               "-1 if indptr is monotonic and all indices are in range, otherwise the first bad row; and "
               "whether some row names a column twice.");
    def_floats(
        module, "first_non_finite",
        []<class Value>(const In<Value>& values) { return first_non_finite(values.data(), length(values)); },
        "values"_a, "-1, or the position of the first NaN or infinity.");
    def_floats(
        module, "columns_of_all_rows",
        []<class Value>(const Rows<Value>& x) { return columns_of_all_rows(x); }, "X"_a,
        "The columns that every row stores, ascending.");
    def_floats(
        module, "column_sums",
        []<class Value>(const Rows<Value>& x, const In<std::int32_t>& columns, Out2<double> out) {
            require(has_shape(out, 2, length(columns)), "out must be 2 × columns");
            for (std::size_t p = 1; p < columns.size(); ++p)
                require(columns.data()[p - 1] < columns.data()[p], "columns must ascend");
            column_sums(x, columns.data(), length(columns), out.data());
        },
        "X"_a, "columns"_a, "out"_a, "Sums and sums of squares of some columns, which ascend.");
    def_floats(
        module, "row_norms",
        []<class Value>(const Rows<Value>& x, Out<double> out) {
            require(length(out) == x.n_rows, "out must have one entry per row");
            for (std::int64_t i = 0; i < x.n_rows; ++i) out.data()[i] = sq_norm(x.row(i));
        },
        "X"_a, "out"_a, "out[i] = the squared Euclidean norm of row i.");
    def_float_pairs(
        module, "scores",
        []<class Value, class Weight>(const Rows<Value>& x, const In2<Weight>& weights,
                                      const In<Weight>& bias, Out2<Weight> out, int threads) {
            require(height(weights) == x.n_columns, "weights must have one row per column");
            require(length(bias) == width(weights), "bias must have one entry per class");
            require(has_shape(out, x.n_rows, width(weights)), "out must be rows × classes");
            scores(x, weights.data(), bias.data(), width(weights), out.data(), threads);
        },
        "X"_a, "weights"_a, "bias"_a, "out"_a, "threads"_a, "out = X · weights + bias, row by row.");
    def_floats(
        module, "move_rows",
        []<class Value>(const Rows<Value>& x, const std::optional<In<std::int64_t>>& rows,
                        const In<std::int64_t>& starts, std::int32_t shift, Out<std::int32_t> to_indices,
                        Out<Value> to_values, int threads) {
            const std::int64_t n = length(starts);
            require(to_indices.size() == to_values.size(), "there must be as many indices as values");
            require(rows ? length(*rows) == n : n <= x.n_rows, "every row must have a start");
            const auto move = [&](auto which) {
                require_room(x, n, which, starts.data(), length(to_values));
                move_rows<Value>(x, n, which, starts.data(), shift, to_indices.data(), to_values.data(),
                                 threads);
            };
            if (rows)
                move([at = rows->data()](std::int64_t i) { return at[i]; });
            else
                move([](std::int64_t i) { return i; });
        },
        "X"_a, "rows"_a, "starts"_a, "shift"_a, "to_indices"_a, "to_values"_a, "threads"_a,
        "Copy the given rows, or for None the first ones, to their starts in other arrays, columns moved.");
    def_floats(
        module, "take_kept_columns",
        []<class Value>(const Rows<Value>& x, const In<std::int64_t>& rows, const In<std::uint8_t>& kept,
                        const In<std::int64_t>& ends, Out<std::int64_t> to_indptr,
                        Out<std::int32_t> to_indices, Out<Value> to_values) {
            require(length(kept) == x.n_columns, "kept must have one entry per column");
            require_below(rows, x.n_rows, "rows must be rows of the matrix");
            std::int64_t needed = 1;
            for (std::size_t i = 0; i < rows.size(); ++i) needed += x.row(rows.data()[i]).size;
            require(length(to_indptr) == length(rows) + 1 && length(to_values) >= needed &&
                        to_indices.size() == to_values.size(),
                    "the rows, and one value more, must have room");
            require(ends.size() > 0 && ends.data()[ends.size() - 1] == x.n_columns,
                    "the last part must end with the columns");
            take_kept_columns<Value>(x, rows.data(), length(rows), kept.data(), ends.data(), length(ends),
                                     to_indptr.data(), to_indices.data(), to_values.data());
        },
        "X"_a, "rows"_a, "kept"_a, "ends"_a, "to_indptr"_a, "to_indices"_a, "to_values"_a,
        "Copy rows without the columns that are not kept; what is left of every part, up to its end, gets "
        "length 1.");
}

}  // namespace lindy
