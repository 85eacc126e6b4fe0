// Dense linear algebra whose bits do not depend on a BLAS.
#include "core/dense.hpp"

#include "bind/bind.hpp"

namespace lindy {

void bind_dense(nb::module_& module) {
    module.def("dot", unlocked([](const In<double>& a, const In<double>& b, int threads) {
                   require(a.size() == b.size(), "a and b must have the same length");
                   return ordered_dot(a.data(), b.data(), length(a), threads);
               }),
               "a"_a, "b"_a, "threads"_a = 1, "a · b.");
    module.def("matmul",
               unlocked([](const In2<double>& a, const In2<double>& b, Out2<double> out, int threads) {
                   require(width(a) == height(b), "b must have as many rows as a has columns");
                   require(height(out) == height(a) && width(out) == width(b),
                           "out must be rows of a × columns of b");
                   matmul(a.data(), b.data(), out.data(), height(a), width(a), width(b), threads);
               }),
               "a"_a, "b"_a, "out"_a, "threads"_a, "out = a · b.");
    module.def(
        "solve_positive", unlocked([](Out2<double> a, Out2<double> b) {
            require(height(a) == width(a) && height(a) == height(b),
                    "a must be square, with as many rows as b");
            return solve_positive(a.data(), b.data(), height(b), width(b));
        }),
        "a"_a, "b"_a,
        "b becomes a⁻¹ · b for a symmetric positive definite a, which is overwritten; false if it is not "
        "positive definite.");
    module.def(
        "eigen", unlocked([](Out2<double> a, Out<double> values) {
            require(height(a) == width(a) && height(a) == length(values),
                    "a must be square, with one entry of values per row");
            return SymmetricEigen(a.data(), values.data(), height(a)).run();
        }),
        "a"_a, "values"_a,
        "The eigenvalues of a symmetric a, in no order, and its eigenvectors in the rows of a; false if they "
        "do not settle.");
}

}  // namespace lindy
