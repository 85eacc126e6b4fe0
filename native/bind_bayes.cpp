// Counting kernels of the generative models.
#include "bind.hpp"
#include "counts.hpp"

namespace lindy {

template <class Value>
static void bind_class_counts(nb::module_& module) {
    module.def(
        "class_counts",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<std::int32_t>& y, std::optional<In<double>> weight, Out2<double> counts,
           Out<double> totals) {
            const auto x = csr_view(indptr, indices, values, static_cast<std::int64_t>(counts.shape(0)));
            const std::int64_t n_classes = static_cast<std::int64_t>(counts.shape(1));
            require(static_cast<std::int64_t>(y.size()) == x.n_rows, "y must have one entry per row");
            require(!weight || weight->size() == y.size(), "weight must have one entry per row");
            require(static_cast<std::int64_t>(totals.size()) == n_classes,
                    "totals must have one entry per class");
            for (std::size_t i = 0; i < y.size(); ++i)
                require(y.data()[i] >= 0 && y.data()[i] < n_classes, "y must hold class numbers");
            nb::gil_scoped_release released;
            class_counts(x, y.data(), weight ? weight->data() : nullptr, n_classes, counts.data(),
                         totals.data());
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("y"), nb::arg("weight").none(),
        nb::arg("counts").noconvert(), nb::arg("totals").noconvert(),
        "Adds the (weighted) rows of each class to its column of counts, and the rows' weights to totals.");
}

void bind_bayes(nb::module_& module) {
    bind_class_counts<float>(module);
    bind_class_counts<double>(module);
}

}  // namespace lindy
