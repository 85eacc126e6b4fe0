// Counting kernels of the generative models.
#include "bayes/counts.hpp"
#include "bayes/distinct_rows.hpp"
#include "bayes/shared_scores.hpp"
#include "bind/rows.hpp"

namespace lindy {

void bind_bayes(nb::module_& module) {
    def_floats(
        module, "class_counts",
        []<class Value>(const Rows<Value>& x, const In<std::int32_t>& y,
                        const std::optional<In<double>>& weight, std::int64_t n_classes,
                        const std::optional<In<std::int32_t>>& row_of) {
            require(length(y) == (row_of ? length(*row_of) : x.n_rows), "y must have one entry per row");
            require(x.n_rows <= INT32_MAX && x.stored() <= INT32_MAX,
                    "there can be at most 2^31 - 1 rows and values at a time");
            require(n_classes >= 1, "there must be a class");
            require(length(y) <= INT32_MAX, "there can be at most 2^31 - 1 classes of rows at a time");
            require(!weight || length(*weight) == x.n_rows, "weight must have one entry per row");
            require_below(y, n_classes, "y must hold class numbers");
            if (row_of) require_below(*row_of, x.n_rows, "row_of must hold row numbers");
            const RowClasses classes{y.data(), data_or_null(row_of), length(y), n_classes};
            return class_counts<Value>(x, classes, data_or_null(weight));
        },
        "X"_a, "y"_a, "weight"_a, "n_classes"_a, "row_of"_a = nb::none(),
        "The (weighted) sum of the rows of each class, as sparse rows: features × classes. Where rows may "
        "have several classes, row row_of[e] has class y[e].");
    module.def("add_counts", unlocked([](const Rows<double>& a, const Rows<double>& b) {
                   require(a.n_rows == b.n_rows, "both must have the same features");
                   return add_counts(a, b);
               }),
               "a"_a, "b"_a, "The sum of two sparse features × classes matrices with ascending classes.");
    module.def("distinct_rows", unlocked([](const Rows<double>& x) {
                   require(x.n_rows <= INT32_MAX, "there can be at most 2^31 - 1 features");
                   Distinct found = distinct_rows(x);
                   return std::tuple(std::move(found.row_of), std::move(found.first_feature));
               }),
               "X"_a,
               "The number of each row among the different ones, and where each of those first appears.");
    def_floats(
        module, "shared_scores",
        []<class Value>(const Rows<Value>& x, const In2<double>& rows, const In<std::int32_t>& row_of,
                        const In<double>& bias, Out2<double> out, int threads) {
            require(length(row_of) == x.n_columns, "row_of must have one entry per column");
            require(length(bias) == width(rows), "bias must have one entry per class");
            require(has_shape(out, x.n_rows, width(rows)), "out must be rows × classes");
            const SharedRows shared{rows.data(), row_of.data(), bias.data(), width(rows)};
            shared_scores<Value>(x, shared, out.data(), threads);
        },
        "X"_a, "rows"_a, "row_of"_a, "bias"_a, "out"_a, "threads"_a,
        "out = X · rows[row_of] + bias; row_of holds row numbers, as distinct_rows gives them.");
}

}  // namespace lindy
