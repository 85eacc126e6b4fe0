// Sums that do not depend on the order of their addends.
#include "core/exact_sums.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bind/rows.hpp"

namespace lindy {

static void sum_exactly(const In2<double>& values, Out2<std::int64_t> limbs) {
    const auto n = height(values), K = width(values);
    require(has_shape(limbs, K, exact_limbs), "limbs must be columns × EXACT_LIMBS");
    const double* v = values.data();
    require(std::all_of(v, v + n * K, [](double value) { return std::isfinite(value); }),
            "only finite numbers have an exact sum");
    for (std::int64_t c = 0; c < K; ++c) {
        ExactSum sum(limbs.data() + c * exact_limbs);
        for (std::int64_t i = 0; i < n; ++i) sum.add(v[i * K + c]);
        sum.carry();
    }
}

void bind_exact_sums(nb::module_& module) {
    module.attr("EXACT_LIMBS") = exact_limbs;
    module.def("sum_exactly", unlocked(&sum_exactly), "values"_a, "limbs"_a,
               "Add the columns of values to exact sums, columns × EXACT_LIMBS limbs of 32 bits; the unit is "
               "2^-1074.");
    def_floats(
        module, "sum_fixed",
        []<class Value>(const Rows<Value>& x, const In2<double>& R, int exponent, Out2<std::int64_t> sums,
                        std::optional<double> largest) {
            require(height(R) == x.n_rows, "R must be rows × outputs");
            require(height(sums) == x.n_columns && sums.shape(1) == R.shape(1),
                    "the sums must be columns × outputs");
            require(exponent >= -1000 && exponent <= 1000, "the exponent must lie in -1000 … 1000");
            const double scale = std::ldexp(1.0, exponent);
            double largest_r = 0, largest_x = largest.value_or(0);
            bool numbers = largest_x == largest_x;  // max passes over NaN
            for (std::size_t i = 0; i < R.size(); ++i) {
                const double r = std::abs(R.data()[i]);
                largest_r = std::max(largest_r, r);
                numbers &= r == r;
            }
            for (std::int64_t k = 0; !largest && k < x.stored(); ++k) {
                const double v = std::abs(static_cast<double>(x.values[k]));
                largest_x = std::max(largest_x, v);
                numbers &= v == v;
            }
            if (!(numbers && largest_r * scale * largest_x < 0x1p62))
                throw std::overflow_error("an addend exceeds the bound of the fixed-point sums");
            add_fixed<Value>(x, R.data(), width(R), scale, sums.data());
        },
        "X"_a, "R"_a, "exponent"_a, "sums"_a, "largest"_a = nb::none(),
        "Add XᵀR in quanta of 2^-exponent to the whole numbers of sums, columns × outputs; largest is "
        "that of |values|, where it is known.");
}

}  // namespace lindy
