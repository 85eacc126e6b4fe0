// Dense linear algebra whose bits do not depend on a BLAS.
#include "core/dense.hpp"

#include "bind/bind.hpp"

namespace lindy {

static std::int64_t rows(const auto& matrix) {
    return static_cast<std::int64_t>(matrix.shape(0));
}
static std::int64_t columns(const auto& matrix) {
    return static_cast<std::int64_t>(matrix.shape(1));
}

void bind_dense(nb::module_& module) {
    module.def(
        "dot",
        [](const In<double>& a, const In<double>& b, int threads) {
            require(a.size() == b.size(), "a and b must have the same length");
            nb::gil_scoped_release released;
            return ordered_dot(a.data(), b.data(), static_cast<std::int64_t>(a.size()), threads);
        },
        nb::arg("a"), nb::arg("b"), nb::arg("threads") = 1, "a · b.");
    module.def(
        "matmul",
        [](const In2<double>& a, const In2<double>& b, Out2<double> out, int threads) {
            require(columns(a) == rows(b), "b must have as many rows as a has columns");
            require(rows(out) == rows(a) && columns(out) == columns(b),
                    "out must be rows of a × columns of b");
            nb::gil_scoped_release released;
            matmul(a.data(), b.data(), out.data(), rows(a), columns(a), columns(b), threads);
        },
        nb::arg("a"), nb::arg("b"), nb::arg("out").noconvert(), nb::arg("threads"), "out = a · b.");
    module.def(
        "solve_positive",
        [](Out2<double> a, Out2<double> b) {
            require(rows(a) == columns(a) && rows(a) == rows(b), "a must be square, with as many rows as b");
            nb::gil_scoped_release released;
            return solve_positive(a.data(), b.data(), rows(b), columns(b));
        },
        nb::arg("a").noconvert(), nb::arg("b").noconvert(),
        "b becomes a⁻¹ · b for a symmetric positive definite a, which is overwritten; false if it is not "
        "positive definite.");
    module.def(
        "eigen",
        [](Out2<double> a, Out<double> values) {
            require(rows(a) == columns(a) && rows(a) == static_cast<std::int64_t>(values.size()),
                    "a must be square, with one entry of values per row");
            nb::gil_scoped_release released;
            return SymmetricEigen(a.data(), values.data(), rows(a)).run();
        },
        nb::arg("a").noconvert(), nb::arg("values").noconvert(),
        "The eigenvalues of a symmetric a, in no order, and its eigenvectors in the rows of a; false if they "
        "do "
        "not settle.");
}

}  // namespace lindy
