// Checks of a matrix as it enters, and products with dense weights.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "bind.hpp"
#include "scores.hpp"

namespace lindy {

// −1 if the structure is sound, otherwise the number of the first bad row.
static std::int64_t check_csr(const In<std::int64_t>& indptr, const In<std::int32_t>& indices,
                              std::int64_t n_columns) {
    require(indptr.size() >= 1, "indptr must have one more entry than there are rows");
    const std::int64_t n_rows = static_cast<std::int64_t>(indptr.size()) - 1;
    const std::int64_t stored = static_cast<std::int64_t>(indices.size());
    const std::int64_t* p = indptr.data();
    if (p[0] != 0) return 0;
    for (std::int64_t i = 0; i < n_rows; ++i) {
        if (p[i + 1] < p[i] || p[i + 1] > stored) return i;
        bool outside = false;  // without a way out of the loop, so that it becomes vector code
        for (std::int64_t k = p[i]; k < p[i + 1]; ++k)
            outside |= indices.data()[k] < 0 || indices.data()[k] >= n_columns;
        if (outside) return i;
    }
    return p[n_rows] == stored ? -1 : std::max<std::int64_t>(n_rows - 1, 0);
}

// Whether some row names a column twice. Rows in increasing order, the usual ones, need no memory; the others
// set one bit per column they name, unless there are far more columns than values: then they are sorted.
static bool has_duplicates(const In<std::int64_t>& indptr, const In<std::int32_t>& indices) {
    std::vector<std::int32_t> sorted;
    std::vector<std::uint64_t> named;
    for (std::size_t i = 0; i + 1 < indptr.size(); ++i) {
        const std::int32_t* begin = indices.data() + indptr.data()[i];
        const std::int32_t* end = indices.data() + indptr.data()[i + 1];
        if (std::adjacent_find(begin, end, std::greater_equal<>()) == end) continue;
        if (named.empty() && sorted.empty()) {
            const auto last =
                static_cast<std::size_t>(*std::max_element(indices.data(), indices.data() + indices.size()));
            if (last / 64 <= indices.size() + 1024) named.resize(last / 64 + 1);
        }
        if (named.empty()) {
            sorted.assign(begin, end);
            std::sort(sorted.begin(), sorted.end());
            if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return true;
            continue;
        }
        std::uint64_t again = 0;
        for (const std::int32_t* column = begin; column != end; ++column) {
            std::uint64_t& bits = named[static_cast<std::uint32_t>(*column) / 64];
            const std::uint64_t own = std::uint64_t{1} << (*column & 63);
            again |= bits & own;
            bits |= own;
        }
        if (again) return true;
        for (const std::int32_t* column = begin; column != end; ++column)
            named[static_cast<std::uint32_t>(*column) / 64] = 0;
    }
    return false;
}

// −1 if all values are finite, otherwise the position of the first that is not.
template <class Value>
static std::int64_t first_non_finite(const In<Value>& values) {
    const Value* v = values.data();
    const std::int64_t size = static_cast<std::int64_t>(values.size());
    for (std::int64_t begin = 0; begin < size; begin += 4096) {
        const std::int64_t end = std::min<std::int64_t>(begin + 4096, size);
        bool all = true;  // without a way out of the loop, so that it becomes vector code
        for (std::int64_t k = begin; k < end; ++k) all &= std::abs(v[k]) <= std::numeric_limits<Value>::max();
        if (all) continue;
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
    module.def("check_csr", &check_csr, nb::arg("indptr"), nb::arg("indices"), nb::arg("n_columns"),
               nb::call_guard<nb::gil_scoped_release>(),
               "-1 if indptr is monotonic and all indices are in range, otherwise the first bad row.");
    module.def("has_duplicates", &has_duplicates, nb::arg("indptr"), nb::arg("indices"),
               nb::call_guard<nb::gil_scoped_release>(),
               "Whether some row of a checked matrix names a column twice.");
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
