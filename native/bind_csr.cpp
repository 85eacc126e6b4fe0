// Checks of a matrix as it enters, and products with dense weights.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

#include "bind.hpp"
#include "scores.hpp"

namespace lindy {

// Finds columns that a row names twice. A column is stamped with a number of the row, anew every 255 rows;
// where the columns are so many that clearing the stamps would cost more, rows are sorted instead.
class Repetitions {
  public:
    Repetitions(std::int64_t n_rows, std::int64_t n_columns, std::int64_t n_stored)
        : n_columns_(static_cast<std::size_t>(n_columns)), stamped_(n_columns <= n_stored * 4096 / n_rows) {}

    // Columns must be in range.
    bool in(const std::int32_t* begin, const std::int32_t* end) {
        if (!stamped_) {
            sorted_.assign(begin, end);
            std::sort(sorted_.begin(), sorted_.end());
            return std::adjacent_find(sorted_.begin(), sorted_.end()) != sorted_.end();
        }
        if (row_++ % 255 == 0) stamp_.assign(n_columns_, 255);
        const unsigned char own = static_cast<unsigned char>(row_ % 255);
        unsigned char* const stamp = stamp_.data();
        unsigned again = 0;
        for (const std::int32_t* column = begin; column != end; ++column) {
            again += stamp[*column] == own;
            stamp[*column] = own;
        }
        return again != 0;
    }

  private:
    std::size_t n_columns_;
    bool stamped_;
    std::int64_t row_ = 0;
    std::vector<std::int32_t> sorted_;
    std::vector<unsigned char> stamp_;
};

// Loops over a row or more without a way out: that makes them vector code.

// Whether every column is larger than the one before.
static bool rising(const std::int32_t* begin, const std::int32_t* end) {
    std::int32_t falls = 0;
    for (const std::int32_t* column = begin; column + 1 < end; ++column) falls |= column[0] >= column[1];
    return falls == 0;
}

static bool outside(const std::int32_t* begin, const std::int32_t* end, std::int32_t n_columns) {
    std::int32_t any = 0;
    for (const std::int32_t* column = begin; column != end; ++column)
        any |= *column < 0 || *column >= n_columns;
    return any != 0;
}

// Whether all exponents are below the one of infinities and NaNs.
template <class Value>
static bool finite(const Value* begin, const Value* end) {
    using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits exponent = std::bit_cast<Bits>(std::numeric_limits<Value>::infinity());
    Bits any = 0;
    for (const Value* v = begin; v != end; ++v) any |= (std::bit_cast<Bits>(*v) & exponent) == exponent;
    return any == 0;
}

// The number of the first bad row, −1 if the structure is sound; and whether some row names a column twice.
static std::tuple<std::int64_t, bool> check_csr(const In<std::int64_t>& indptr,
                                                const In<std::int32_t>& indices, std::int64_t n_columns) {
    require(indptr.size() >= 1, "indptr must have one more entry than there are rows");
    const std::int64_t n_rows = static_cast<std::int64_t>(indptr.size()) - 1;
    const std::int64_t stored = static_cast<std::int64_t>(indices.size());
    const std::int64_t* p = indptr.data();
    if (p[0] != 0) return {0, false};
    Repetitions repetitions(std::max<std::int64_t>(n_rows, 1), n_columns, stored);
    bool repeats = false;
    const std::int32_t columns = static_cast<std::int32_t>(std::min<std::int64_t>(n_columns, INT32_MAX));
    for (std::int64_t i = 0; i < n_rows; ++i) {
        if (p[i + 1] < p[i] || p[i + 1] > stored) return {i, false};
        const std::int32_t *begin = indices.data() + p[i], *end = indices.data() + p[i + 1];
        if (begin == end) continue;
        if (rising(begin, end)) {  // the usual row: its ends tell the range, and nothing comes twice
            if (*begin < 0 || end[-1] >= columns) return {i, false};
            continue;
        }
        if (outside(begin, end, columns)) return {i, false};
        repeats = repeats || repetitions.in(begin, end);
    }
    return {p[n_rows] == stored ? -1 : std::max<std::int64_t>(n_rows - 1, 0), repeats};
}

// −1 if all values are finite, otherwise the position of the first that is not.
template <class Value>
static std::int64_t first_non_finite(const In<Value>& values) {
    const Value* v = values.data();
    const std::int64_t size = static_cast<std::int64_t>(values.size());
    for (std::int64_t begin = 0; begin < size; begin += 4096) {
        const std::int64_t end = std::min<std::int64_t>(begin + 4096, size);
        if (finite(v + begin, v + end)) continue;
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

void bind_csr(nb::module_& module) {
    module.def(
        "check_csr", &check_csr, nb::arg("indptr"), nb::arg("indices"), nb::arg("n_columns"),
        nb::call_guard<nb::gil_scoped_release>(),
        "-1 if indptr is monotonic and all indices are in range, otherwise the first bad row; and whether "
        "some row names a column twice.");
    module.def("first_non_finite", &first_non_finite<float>, nb::arg("values"),
               nb::call_guard<nb::gil_scoped_release>(), "-1, or the position of the first NaN or infinity.");
    module.def("first_non_finite", &first_non_finite<double>, nb::arg("values"),
               nb::call_guard<nb::gil_scoped_release>());
    bind_scores<float, float>(module);
    bind_scores<double, float>(module);
    bind_scores<float, double>(module);
    bind_scores<double, double>(module);
}

}  // namespace lindy
