// Kernels as objects that compute rows: of sparse rows, of a given matrix, and compositions of them.
#include "bind/kernels.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <numeric>

#include "kernels/row_kernels.hpp"

namespace lindy {

namespace {

RowKernel row_kernel(const std::string& name) {
    const std::pair<const char*, RowKernel> kernels[] = {
        {"linear", RowKernel::linear}, {"poly", RowKernel::polynomial},           {"rbf", RowKernel::rbf},
        {"cosine", RowKernel::cosine}, {"intersection", RowKernel::intersection},
    };
    for (const auto& [own, kernel] : kernels)
        if (name == own) return kernel;
    throw nb::value_error(("there is no kernel of rows called " + name).c_str());
}

template <class Value>
void bind_rows(nb::module_& module) {
    module.def(
        "row_kernel",
        [](In<std::int64_t> x_indptr, In<std::int32_t> x_indices, In<Value> x_values,
           In<std::int64_t> z_indptr, In<std::int32_t> z_indices, In<Value> z_values, std::int64_t n_columns,
           const std::string& kind, double gamma, double coef0, int degree) -> Kernel {
            require(n_columns >= 0, "n_columns must not be negative");
            require(degree >= 0 && degree <= 1000, "degree must lie in 0..1000");
            const auto x = csr_view(x_indptr, x_indices, x_values, n_columns);
            const auto z = csr_view(z_indptr, z_indices, z_values, n_columns);
            return held(std::make_unique<CsrKernel<Value>>(
                            x, z, RowKernelOptions{row_kernel(kind), gamma, coef0, degree}),
                        x_indptr, x_indices, x_values, z_indptr, z_indices, z_values);
        },
        "x_indptr"_a, "x_indices"_a, "x_values"_a, "z_indptr"_a, "z_indices"_a, "z_values"_a, "n_columns"_a,
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "The kernel of two lists of sparse rows.");
}

template <class Value>
void bind_precomputed(nb::module_& module) {
    module.def(
        "precomputed_kernel",
        [](In2<Value> matrix) -> Kernel {
            return held(std::make_unique<PrecomputedKernel<Value>>(
                            matrix.data(), static_cast<std::int64_t>(matrix.shape(0)),
                            static_cast<std::int64_t>(matrix.shape(1))),
                        matrix);
        },
        "matrix"_a, "The kernel whose values are given.");
}

void check_rows(const KernelSource& source, std::int64_t first, std::int64_t last) {
    require(0 <= first && first <= last && last <= source.n_rows, "rows out of range");
}

template <class Out>
void bind_block(nb::class_<KernelSource>& type) {
    type.def(
        "block",
        [](const Kernel& kernel, std::int64_t first, std::int64_t last, Out2<Out> out, int threads) {
            check_rows(*kernel, first, last);
            require(static_cast<std::int64_t>(out.shape(0)) == last - first &&
                        static_cast<std::int64_t>(out.shape(1)) == kernel->n_columns,
                    "out must have a row for each of first … last−1 and all columns");
            nb::gil_scoped_release released;
            std::vector<std::int64_t> ids(static_cast<std::size_t>(last - first));
            std::iota(ids.begin(), ids.end(), first);
            const Targets all{nullptr, 0, kernel->n_columns};
            if constexpr (std::is_same_v<Out, double>) {
                kernel_block(*kernel, ids.data(), last - first, all, out.data(), threads);
            } else {
                std::vector<double> wide(out.size());
                kernel_block(*kernel, ids.data(), last - first, all, wide.data(), threads);
                std::copy(wide.begin(), wide.end(), out.data());
            }
        },
        "first"_a, "last"_a, "out"_a, "threads"_a, "out = κ(x_i, z_j) for rows first … last−1.");
}

template <class Out>
void bind_symmetric(nb::class_<KernelSource>& type) {
    type.def(
        "symmetric_block",
        [](const Kernel& kernel, std::int64_t first, std::int64_t last, Out2<Out> matrix, int threads) {
            check_rows(*kernel, first, last);
            require(kernel->n_rows == kernel->n_columns &&
                        static_cast<std::int64_t>(matrix.shape(0)) == kernel->n_rows &&
                        matrix.shape(1) == matrix.shape(0),
                    "the kernel and the matrix must be square");
            nb::gil_scoped_release released;
            symmetric_block(*kernel, first, last, matrix.data(), threads);
        },
        "first"_a, "last"_a, "matrix"_a, "threads"_a,
        "Fill rows first … last−1 of a symmetric matrix up to the diagonal, and the columns that mirror "
        "them.");
}

void bind_source(nb::module_& module) {
    nb::class_<KernelSource> type(module, "Kernel", "A kernel between two lists of examples.");
    bind_block<double>(type);
    bind_block<float>(type);
    bind_symmetric<double>(type);
    bind_symmetric<float>(type);
    type.def_ro("n_rows", &KernelSource::n_rows)
        .def_ro("n_columns", &KernelSource::n_columns)
        .def_prop_ro("cost", &KernelSource::cost, "Of a value, in nanoseconds, roughly.")
        .def(
            "diagonal",
            [](const Kernel& kernel, bool of_rows, Out<double> out) {
                const std::int64_t n = of_rows ? kernel->n_rows : kernel->n_columns;
                require(static_cast<std::int64_t>(out.size()) == n, "out must have one entry per example");
                nb::gil_scoped_release released;
                for (std::int64_t i = 0; i < n; ++i)
                    out.data()[i] = of_rows ? kernel->self_row(i) : kernel->self_column(i);
            },
            "of_rows"_a, "out"_a, "out = κ(x_i, x_i), or κ(z_j, z_j).")
        .def(
            "scores",
            [](const Kernel& kernel, std::int64_t first, std::int64_t last, In2<double> weight,
               Out2<double> out, int threads) {
                check_rows(*kernel, first, last);
                require(static_cast<std::int64_t>(weight.shape(0)) == kernel->n_columns,
                        "weight must have one row per column of the kernel");
                require(static_cast<std::int64_t>(out.shape(0)) == last - first &&
                            out.shape(1) == weight.shape(1),
                        "out must have the rows first … last−1 and the columns of weight");
                nb::gil_scoped_release released;
                kernel_scores(*kernel, first, last, weight.data(), static_cast<std::int64_t>(weight.shape(1)),
                              out.data(), threads);
            },
            "first"_a, "last"_a, "weight"_a, "out"_a, "threads"_a,
            "out = the rows first … last−1 of the kernel times weight.");
}

void bind_compositions(nb::module_& module) {
    module.def(
        "pair_kernel",
        [](const Kernel& a, const Kernel& b, bool product) -> Kernel {
            require(a->n_rows == b->n_rows && a->n_columns == b->n_columns,
                    "both kernels must be between the same examples");
            return std::make_shared<PairKernel>(a, b, product);
        },
        "a"_a, "b"_a, "product"_a, "The sum or the product of two kernels.");
    module.def(
        "scaled_kernel",
        [](const Kernel& inner, double factor) -> Kernel {
            return std::make_shared<ScaledKernel>(inner, factor);
        },
        "inner"_a, "factor"_a, "A multiple of a kernel.");
    module.def(
        "normalised_kernel",
        [](const Kernel& inner, bool same, int threads) -> Kernel {
            require(!same || inner->n_rows == inner->n_columns, "only a square kernel has the same examples");
            nb::gil_scoped_release released;
            return std::make_shared<NormalisedKernel>(inner, same, threads);
        },
        "inner"_a, "same"_a, "threads"_a, "κ(x, z) / √(κ(x, x)·κ(z, z)).");
    module.def(
        "subset_kernel",
        [](const Kernel& inner, In<std::int32_t> members) -> Kernel {
            require(inner->n_rows == inner->n_columns, "only a square kernel has subsets");
            for (std::size_t k = 0; k < members.size(); ++k)
                require(members.data()[k] >= 0 && members.data()[k] < inner->n_rows, "no such example");
            return std::make_shared<SubsetKernel>(
                inner, std::vector<std::int32_t>(members.data(), members.data() + members.size()));
        },
        "inner"_a, "members"_a, "A square kernel of some of its examples.");
}

}  // namespace

void bind_kernels(nb::module_& module) {
    bind_source(module);
    bind_rows<float>(module);
    bind_rows<double>(module);
    bind_precomputed<float>(module);
    bind_precomputed<double>(module);
    bind_compositions(module);
}

}  // namespace lindy
