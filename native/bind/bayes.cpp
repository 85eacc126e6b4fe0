// Counting kernels of the generative models.
#include <nanobind/stl/tuple.h>

#include "bayes/counts.hpp"
#include "bayes/distinct_rows.hpp"
#include "bayes/shared_scores.hpp"
#include "bind/text.hpp"

namespace lindy {

using Indptr = In<std::int64_t>;
using Indices = In<std::int32_t>;

template <class Value>
static void bind_class_counts(nb::module_& module) {
    module.def(
        "class_counts",
        [](const Indptr& indptr, const Indices& indices, const In<Value>& values, std::int64_t n_columns,
           const Indices& y, std::optional<In<double>> weight, std::int64_t n_classes) {
            const auto x = csr_view(indptr, indices, values, n_columns);
            require(static_cast<std::int64_t>(y.size()) == x.n_rows, "y must have one entry per row");
            require(x.n_rows <= INT32_MAX && indices.size() <= INT32_MAX,
                    "there can be at most 2^31 - 1 rows and values at a time");
            require(n_classes >= 1, "there must be a class");
            require(!weight || weight->size() == y.size(), "weight must have one entry per row");
            for (std::size_t i = 0; i < y.size(); ++i)
                require(y.data()[i] >= 0 && y.data()[i] < n_classes, "y must hold class numbers");
            Counts counts;
            {
                nb::gil_scoped_release released;
                counts = class_counts(x, y.data(), weight ? weight->data() : nullptr, n_classes);
            }
            return to_numpy(std::move(counts));
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("n_columns"), nb::arg("y"),
        nb::arg("weight").none(), nb::arg("n_classes"),
        "The (weighted) sum of the rows of each class, as sparse rows: features × classes.");
}

static RowArrays<double> add(const Indptr& indptr, const Indices& classes, const In<double>& values,
                             const Indptr& indptr2, const Indices& classes2, const In<double>& values2,
                             std::int64_t n_classes) {
    const auto a = csr_view(indptr, classes, values, n_classes);
    const auto b = csr_view(indptr2, classes2, values2, n_classes);
    require(a.n_rows == b.n_rows, "both must have the same features");
    Counts sum;
    {
        nb::gil_scoped_release released;
        sum = add_counts(a, b);
    }
    return to_numpy(std::move(sum));
}

static std::tuple<Array<std::int32_t>, Array<std::int64_t>> distinct(const Indptr& indptr,
                                                                     const Indices& classes,
                                                                     const In<double>& values,
                                                                     std::int64_t n_classes) {
    const auto rows = csr_view(indptr, classes, values, n_classes);
    require(rows.n_rows <= INT32_MAX, "there can be at most 2^31 - 1 features");
    Distinct found;
    {
        nb::gil_scoped_release released;
        found = distinct_rows(rows);
    }
    return {to_numpy(std::move(found.row_of)), to_numpy(std::move(found.first_feature))};
}

template <class Value>
static void bind_shared_scores(nb::module_& module) {
    module.def(
        "shared_scores",
        [](const Indptr& indptr, const Indices& indices, const In<Value>& values, const In2<double>& rows,
           const Indices& row_of, const In<double>& bias, Out2<double> out, int threads) {
            const auto x = csr_view(indptr, indices, values, static_cast<std::int64_t>(row_of.size()));
            const std::int64_t n_classes = static_cast<std::int64_t>(rows.shape(1));
            require(static_cast<std::int64_t>(bias.size()) == n_classes,
                    "bias must have one entry per class");
            require(static_cast<std::int64_t>(out.shape(0)) == x.n_rows &&
                        static_cast<std::int64_t>(out.shape(1)) == n_classes,
                    "out must be rows × classes");
            nb::gil_scoped_release released;
            shared_scores(x, SharedRows{rows.data(), row_of.data(), bias.data(), n_classes}, out.data(),
                          threads);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("rows"), nb::arg("row_of"),
        nb::arg("bias"), nb::arg("out").noconvert(), nb::arg("threads"),
        "out = X · rows[row_of] + bias; row_of holds row numbers, as distinct_rows gives them.");
}

void bind_bayes(nb::module_& module) {
    bind_class_counts<float>(module);
    bind_class_counts<double>(module);
    module.def("add_counts", &add, nb::arg("indptr"), nb::arg("classes"), nb::arg("values"),
               nb::arg("indptr2"), nb::arg("classes2"), nb::arg("values2"), nb::arg("n_classes"),
               "The sum of two sparse features × classes matrices with ascending classes.");
    module.def("distinct_rows", &distinct, nb::arg("indptr"), nb::arg("classes"), nb::arg("values"),
               nb::arg("n_classes"),
               "The number of each row among the different ones, and where each of those first appears.");
    bind_shared_scores<float>(module);
    bind_shared_scores<double>(module);
}

}  // namespace lindy
