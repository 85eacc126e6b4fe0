// Sums that do not depend on the order of their addends.
#include "core/exact_sums.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "bind/bind.hpp"

namespace lindy {

namespace {

void sum_exactly(const In2<double>& values, Out2<std::int64_t> limbs) {
    const auto n = static_cast<std::int64_t>(values.shape(0)), K = static_cast<std::int64_t>(values.shape(1));
    require(static_cast<std::int64_t>(limbs.shape(0)) == K &&
                static_cast<std::int64_t>(limbs.shape(1)) == exact_limbs,
            "limbs must be columns × EXACT_LIMBS");
    const double* v = values.data();
    require(std::all_of(v, v + n * K, [](double value) { return std::isfinite(value); }),
            "only finite numbers have an exact sum");
    nb::gil_scoped_release released;
    for (std::int64_t c = 0; c < K; ++c) {
        ExactSum sum(limbs.data() + c * exact_limbs);
        for (std::int64_t i = 0; i < n; ++i) sum.add(v[i * K + c]);
        sum.carry();
    }
}

template <class Value>
void sum_fixed(const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
               std::int64_t n_columns, const In2<double>& R, int exponent, Out2<std::int64_t> sums,
               std::optional<double> largest) {
    const CsrView<Value> x = csr_view(indptr, indices, values, n_columns);
    require(static_cast<std::int64_t>(R.shape(0)) == x.n_rows, "R must be rows × outputs");
    require(static_cast<std::int64_t>(sums.shape(0)) == n_columns && sums.shape(1) == R.shape(1),
            "the sums must be columns × outputs");
    require(exponent >= -1000 && exponent <= 1000, "the exponent must lie in -1000 … 1000");
    const double scale = std::ldexp(1.0, exponent);
    nb::gil_scoped_release released;
    double largest_r = 0, largest_x = largest.value_or(0);
    bool numbers = largest_x == largest_x;  // max passes over NaN
    for (std::size_t i = 0; i < R.size(); ++i) {
        const double r = std::abs(R.data()[i]);
        largest_r = std::max(largest_r, r);
        numbers &= r == r;
    }
    for (std::size_t k = 0; !largest && k < values.size(); ++k) {
        const double v = std::abs(static_cast<double>(values.data()[k]));
        largest_x = std::max(largest_x, v);
        numbers &= v == v;
    }
    if (!(numbers && largest_r * scale * largest_x < 0x1p62))
        throw std::overflow_error("an addend exceeds the bound of the fixed-point sums");
    add_fixed(x, R.data(), static_cast<std::int64_t>(R.shape(1)), scale, sums.data());
}

template <class Value>
void bind_fixed(nb::module_& module) {
    module.def("sum_fixed", &sum_fixed<Value>, nb::arg("indptr"), nb::arg("indices"), nb::arg("values"),
               nb::arg("n_columns"), nb::arg("R"), nb::arg("exponent"), nb::arg("sums").noconvert(),
               nb::arg("largest") = nb::none(),
               "Add XᵀR in quanta of 2^-exponent to the whole numbers of sums, columns × outputs; largest is "
               "that of |values|, where it is known.");
}

}  // namespace

void bind_exact_sums(nb::module_& module) {
    module.attr("EXACT_LIMBS") = exact_limbs;
    module.def("sum_exactly", &sum_exactly, nb::arg("values"), nb::arg("limbs").noconvert(),
               "Add the columns of values to exact sums, columns × EXACT_LIMBS limbs of 32 bits; the unit is "
               "2^-1074.");
    bind_fixed<float>(module);
    bind_fixed<double>(module);
}

}  // namespace lindy
