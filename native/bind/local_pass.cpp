// Passes of dual coordinate ascent over one partition of several.
#include "linear/dual/local_pass.hpp"

#include <algorithm>

#include "bind/bind.hpp"

namespace lindy {

namespace {

template <class Value>
void local_pass(const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
                std::int64_t n_columns, const In<std::int32_t>& y, const In<double>& C,
                const In<std::int32_t>& order, Out2<double> alpha, Out2<double> V) {
    const CsrView<Value> x = csr_view(indptr, indices, values, n_columns);
    const auto K = static_cast<std::int64_t>(alpha.shape(1));
    const auto bias = static_cast<std::int64_t>(V.shape(0)) - n_columns;
    require(
        static_cast<std::int64_t>(y.size()) == x.n_rows && C.size() == y.size() && alpha.shape(0) == y.size(),
        "y, C and alpha must have one entry per row");
    require((bias == 0 || bias == 1) && static_cast<std::int64_t>(V.shape(1)) == K,
            "V must be columns × outputs, with a last row for a bias");
    const std::int32_t* o = order.data();
    require(std::all_of(o, o + order.size(), [&](std::int32_t i) { return i >= 0 && i < x.n_rows; }),
            "order must hold numbers of rows");
    nb::gil_scoped_release released;
    const auto n_visits = static_cast<std::int64_t>(order.size());
    visit_rows(x, LocalPass{y.data(), C.data(), o, n_visits, K, bias == 1}, alpha.data(), V.data());
}

template <class Value>
void bind_one(nb::module_& module) {
    module.def("local_pass", &local_pass<Value>, nb::arg("indptr"), nb::arg("indices"), nb::arg("values"),
               nb::arg("n_columns"), nb::arg("y"), nb::arg("C"), nb::arg("order"),
               nb::arg("alpha").noconvert(), nb::arg("V").noconvert(),
               "Hinge steps of the rows in order; changes alpha and V.");
}

}  // namespace

void bind_local_pass(nb::module_& module) {
    bind_one<float>(module);
    bind_one<double>(module);
}

}  // namespace lindy
