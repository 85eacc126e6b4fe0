// Kernels as objects that compute rows: of sparse rows, of a given matrix, and compositions of them.
#include "bind/kernels.hpp"

#include <numeric>

#include "bind/choices.hpp"
#include "kernels/row_kernels.hpp"

namespace lindy {

namespace {

void bind_rows(nb::module_& module) {
    def_floats(
        module, "row_kernel",
        []<class Value>(const Rows<Value>& x, const Rows<Value>& z, const std::string& kind, double gamma,
                        double coef0, int degree) -> Kernel {
            require(x.n_columns >= 0 && x.n_columns == z.n_columns, "both must have the same columns");
            require(degree >= 0 && degree <= 1000, "degree must lie in 0..1000");
            const auto kernel = choose<RowKernel>("the kernel of rows", kind,
                                                  {"linear", "poly", "rbf", "cosine", "intersection"});
            const RowKernelOptions options{kernel, gamma, coef0, degree};
            return held(std::make_unique<CsrKernel<Value>>(x, z, options), x, z);
        },
        "X"_a, "Z"_a, "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "The kernel of two lists of sparse rows.");
    def_floats(
        module, "precomputed_kernel",
        []<class Value>(const In2<Value>& matrix) -> Kernel {
            auto kernel =
                std::make_unique<PrecomputedKernel<Value>>(matrix.data(), height(matrix), width(matrix));
            return held(std::move(kernel), matrix);
        },
        "matrix"_a, "The kernel whose values are given.");
}

void check_rows(const KernelSource& source, std::int64_t first, std::int64_t last) {
    require(0 <= first && first <= last && last <= source.n_rows, "rows out of range");
}

void bind_source(nb::module_& module) {
    nb::class_<KernelSource> type(module, "Kernel", "A kernel between two lists of examples.");
    def_floats(
        type, "block",
        []<class Value>(const Kernel& kernel, std::int64_t first, std::int64_t last, Out2<Value> out,
                        int threads) {
            check_rows(*kernel, first, last);
            require(has_shape(out, last - first, kernel->n_columns),
                    "out must have a row for each of first … last−1 and all columns");
            std::vector<std::int64_t> ids(static_cast<std::size_t>(last - first));
            std::iota(ids.begin(), ids.end(), first);
            const Targets all{nullptr, 0, kernel->n_columns};
            if constexpr (std::is_same_v<Value, double>) {
                kernel_block(*kernel, ids.data(), last - first, all, out.data(), threads);
            } else {
                std::vector<double> wide(out.size());
                kernel_block(*kernel, ids.data(), last - first, all, wide.data(), threads);
                std::copy(wide.begin(), wide.end(), out.data());
            }
        },
        "first"_a, "last"_a, "out"_a, "threads"_a, "out = κ(x_i, z_j) for rows first … last−1.");
    def_floats(
        type, "symmetric_block",
        []<class Value>(const Kernel& kernel, std::int64_t first, std::int64_t last, Out2<Value> matrix,
                        int threads) {
            check_rows(*kernel, first, last);
            require(
                kernel->n_rows == kernel->n_columns && has_shape(matrix, kernel->n_rows, kernel->n_columns),
                "the kernel and the matrix must be square");
            symmetric_block(*kernel, first, last, matrix.data(), threads);
        },
        "first"_a, "last"_a, "matrix"_a, "threads"_a,
        "Fill rows first … last−1 of a symmetric matrix up to the diagonal, and the columns that mirror "
        "them.");
    type.def_ro("n_rows", &KernelSource::n_rows)
        .def_ro("n_columns", &KernelSource::n_columns)
        .def_prop_ro("cost", &KernelSource::cost, "Of a value, in nanoseconds, roughly.")
        .def("diagonal", unlocked([](const Kernel& kernel, bool of_rows, Out<double> out) {
                 const std::int64_t n = of_rows ? kernel->n_rows : kernel->n_columns;
                 require(length(out) == n, "out must have one entry per example");
                 for (std::int64_t i = 0; i < n; ++i)
                     out.data()[i] = of_rows ? kernel->self_row(i) : kernel->self_column(i);
             }),
             "of_rows"_a, "out"_a, "out = κ(x_i, x_i), or κ(z_j, z_j).")
        .def("scores",
             unlocked([](const Kernel& kernel, std::int64_t first, std::int64_t last, In2<double> weight,
                         Out2<double> out, int threads) {
                 check_rows(*kernel, first, last);
                 require(height(weight) == kernel->n_columns,
                         "weight must have one row per column of the kernel");
                 require(height(out) == last - first && out.shape(1) == weight.shape(1),
                         "out must have the rows first … last−1 and the columns of weight");
                 kernel_scores(*kernel, first, last, weight.data(), width(weight), out.data(), threads);
             }),
             "first"_a, "last"_a, "weight"_a, "out"_a, "threads"_a,
             "out = the rows first … last−1 of the kernel times weight.");
}

void bind_compositions(nb::module_& module) {
    module.def("pair_kernel", unlocked([](const Kernel& a, const Kernel& b, bool product) -> Kernel {
                   require(a->n_rows == b->n_rows && a->n_columns == b->n_columns,
                           "both kernels must be between the same examples");
                   return std::make_shared<PairKernel>(a, b, product);
               }),
               "a"_a, "b"_a, "product"_a, "The sum or the product of two kernels.");
    module.def("scaled_kernel", unlocked([](const Kernel& inner, double factor) -> Kernel {
                   return std::make_shared<ScaledKernel>(inner, factor);
               }),
               "inner"_a, "factor"_a, "A multiple of a kernel.");
    module.def("normalised_kernel", unlocked([](const Kernel& inner, bool same, int threads) -> Kernel {
                   require(!same || inner->n_rows == inner->n_columns,
                           "only a square kernel has the same examples");
                   return std::make_shared<NormalisedKernel>(inner, same, threads);
               }),
               "inner"_a, "same"_a, "threads"_a, "κ(x, z) / √(κ(x, x)·κ(z, z)).");
    module.def("subset_kernel", unlocked([](const Kernel& inner, In<std::int32_t> members) -> Kernel {
                   require(inner->n_rows == inner->n_columns, "only a square kernel has subsets");
                   require_below(members, inner->n_rows, "no such example");
                   return std::make_shared<SubsetKernel>(inner, vector_of(members));
               }),
               "inner"_a, "members"_a, "A square kernel of some of its examples.");
}

}  // namespace

void bind_kernels(nb::module_& module) {
    bind_source(module);
    bind_rows(module);
    bind_compositions(module);
}

}  // namespace lindy
