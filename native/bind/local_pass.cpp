// Passes of dual coordinate ascent over one partition of several.
#include "linear/dual/local_pass.hpp"

#include "bind/rows.hpp"

namespace lindy {

void bind_local_pass(nb::module_& module) {
    def_floats(
        module, "local_pass",
        []<class Value>(const Rows<Value>& x, const In<std::int32_t>& y, const In<double>& C,
                        const In<std::int32_t>& order, Out2<double> alpha, Out2<double> V) {
            const std::int64_t K = width(alpha), bias = height(V) - x.n_columns;
            require(length(y) == x.n_rows && C.size() == y.size() && alpha.shape(0) == y.size(),
                    "y, C and alpha must have one entry per row");
            require((bias == 0 || bias == 1) && width(V) == K,
                    "V must be columns × outputs, with a last row for a bias");
            require_below(order, x.n_rows, "order must hold numbers of rows");
            const LocalPass pass{y.data(), C.data(), order.data(), length(order), K, bias == 1};
            visit_rows<Value>(x, pass, alpha.data(), V.data());
        },
        "X"_a, "y"_a, "C"_a, "order"_a, "alpha"_a, "V"_a,
        "Hinge steps of the rows in order; changes alpha and V.");
}

}  // namespace lindy
