// Checks of a matrix as it enters, and products with dense weights.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>

#include "bind.hpp"
#include "scores.hpp"

namespace lindy {

// Finds columns that a row names twice. Every column has a bit, set by the row and then taken back; where the
// columns are so many more than the entries that the bits would cost more, rows are sorted instead.
class Repetitions {
  public:
    Repetitions(std::int64_t n_columns, std::int64_t n_stored)
        : bits_(n_columns / 64 <= 16 * n_stored ? static_cast<std::size_t>(n_columns / 64 + 1) : 0) {}

    // Columns must be in range. Rows in increasing order, the usual ones, need no memory.
    bool in(const std::int32_t* begin, const std::int32_t* end) {
        if (std::adjacent_find(begin, end, std::greater_equal<>()) == end) return false;
        if (bits_.empty()) {
            sorted_.assign(begin, end);
            std::sort(sorted_.begin(), sorted_.end());
            return std::adjacent_find(sorted_.begin(), sorted_.end()) != sorted_.end();
        }
        std::uint64_t* const bits = bits_.data();
        std::uint64_t again = 0;
        for (const std::int32_t* column = begin; column != end; ++column) {
            const auto at = static_cast<std::uint32_t>(*column);
            std::uint64_t& word = bits[at / 64];
            const std::uint64_t bit = std::uint64_t{1} << at % 64;
            again |= word & bit;
            word |= bit;
        }
        for (const std::int32_t* column = begin; column != end; ++column)
            bits[static_cast<std::uint32_t>(*column) / 64] = 0;
        return again != 0;
    }

  private:
    std::vector<std::uint64_t> bits_;
    std::vector<std::int32_t> sorted_;
};

// The number of the first bad row, −1 if the structure is sound; and whether some row names a column twice.
static std::tuple<std::int64_t, bool> check_csr(const In<std::int64_t>& indptr,
                                                const In<std::int32_t>& indices, std::int64_t n_columns) {
    require(indptr.size() >= 1, "indptr must have one more entry than there are rows");
    const std::int64_t n_rows = static_cast<std::int64_t>(indptr.size()) - 1;
    const std::int64_t stored = static_cast<std::int64_t>(indices.size());
    const std::int64_t* p = indptr.data();
    if (p[0] != 0) return {0, false};
    const std::uint32_t width = static_cast<std::uint32_t>(std::clamp<std::int64_t>(n_columns, 0, 1LL << 31));
    Repetitions repetitions(width, stored);
    bool repeats = false;
    for (std::int64_t i = 0; i < n_rows; ++i) {
        if (p[i + 1] < p[i] || p[i + 1] > stored) return {i, false};
        const std::int32_t *begin = indices.data() + p[i], *end = indices.data() + p[i + 1];
        std::uint32_t outside = 0;  // without a way out of the loop, so that it becomes vector code
        for (const std::int32_t* column = begin; column != end; ++column)
            outside |= static_cast<std::uint32_t>(*column) >= width;  // below 0 counts as very large
        if (outside) return {i, false};
        repeats = repeats || repetitions.in(begin, end);
    }
    return {p[n_rows] == stored ? -1 : std::max<std::int64_t>(n_rows - 1, 0), repeats};
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
