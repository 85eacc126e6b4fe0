// Weights of counted words.
#include "text/weighting.hpp"

#include "bind/bind.hpp"
#include "bind/norm.hpp"
#include "text/log_count_ratio.hpp"
#include "text/scaled_norms.hpp"

namespace lindy {

// Bindings of kernels take out as the array to fill; it may be the array of the values.
template <class Value>
static void require_out(const CsrView<Value>& x, const Out<Value>& out) {
    require(static_cast<std::int64_t>(out.size()) == x.indptr[x.n_rows], "out must have the size of values");
}

template <class Value, class Scale>
static void bind_tf_idf(nb::module_& module) {
    module.def(
        "tf_idf",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           std::optional<In<Value>> sublinear, std::optional<In<Scale>> scale, std::int64_t n_columns,
           const std::string& norm, Out<Value> out, int threads) {
            const auto x = csr_view(indptr, indices, values, n_columns);
            require_out(x, out);
            require(!scale || static_cast<std::int64_t>(scale->size()) == n_columns,
                    "scale must have one entry per column");
            require(!sublinear || (sublinear->size() > 0 && sublinear->size() <= 1 << 24),
                    "sublinear must have between 1 and 2**24 entries");
            const Norm kind = norm_named(norm);
            nb::gil_scoped_release released;
            SublinearTable<Value> table{nullptr, 0};
            if (sublinear) table = {sublinear->data(), static_cast<std::int32_t>(sublinear->size())};
            tf_idf(x, table, scale ? scale->data() : nullptr, kind, out.data(), threads);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("sublinear").none(),
        nb::arg("scale").none(), nb::arg("n_columns"), nb::arg("norm"), nb::arg("out").noconvert(),
        nb::arg("threads"), "out = tf · scale[column], each row divided by its norm.");
}

template <class Value>
static void bind_bm25(nb::module_& module) {
    module.def(
        "bm25",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<double>& idf, double k1, double b, double average, const std::string& norm,
           Out<Value> out, int threads) {
            const auto x = csr_view(indptr, indices, values, static_cast<std::int64_t>(idf.size()));
            require_out(x, out);
            const Norm kind = norm_named(norm);
            nb::gil_scoped_release released;
            bm25(x, idf.data(), k1, b, average, kind, out.data(), threads);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("idf"), nb::arg("k1"), nb::arg("b"),
        nb::arg("average"), nb::arg("norm"), nb::arg("out").noconvert(), nb::arg("threads"),
        "out = idf[column] · (k1 + 1)·tf / (tf + k1·(1 − b + b·|row| / average)), divided by the row's "
        "norm.");
}

template <class Value>
static void bind_largest_count(nb::module_& module) {
    module.def(
        "largest_count",
        [](const In<Value>& values) {
            return largest_count(values.data(), static_cast<std::int64_t>(values.size()));
        },
        nb::arg("values"), nb::call_guard<nb::gil_scoped_release>(),
        "The largest value if all are whole numbers from 0 to below 2**24, otherwise -1.");
}

// Classes of rows, of which negative ones do not count.
template <class Value>
static void require_classes(const CsrView<Value>& x, const In<std::int32_t>& y, std::int64_t n_classes) {
    require(x.n_rows < std::int64_t{1} << std::numeric_limits<Value>::digits,
            "too many rows to count in this type of number");
    require(static_cast<std::int64_t>(y.size()) == x.n_rows, "y must have one entry per row");
    for (std::size_t i = 0; i < y.size(); ++i)
        require(y.data()[i] < n_classes, "y must hold class numbers, below 0 for rows that do not count");
}

template <class Value>
static void bind_log_count_ratio(nb::module_& module) {
    module.def(
        "log_count_ratio",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<std::int32_t>& y, std::int64_t n_classes, double alpha, Out2<Value> out, int threads) {
            const auto n_features = static_cast<std::int64_t>(out.shape(0));
            const auto n_outputs = static_cast<std::int64_t>(out.shape(1));
            const auto x = csr_view(indptr, indices, values, n_features);
            require_classes(x, y, n_classes);
            require(n_classes >= 1 && (n_outputs == 1 || n_outputs == n_classes),
                    "out must have one column, or one per class");
            nb::gil_scoped_release released;
            std::vector<Value> apart;  // the counts, unless there is room for them in out
            Value* counts = out.data();
            if (n_outputs != n_classes) {
                apart.resize(static_cast<std::size_t>(n_features * n_classes));
                counts = apart.data();
            } else {
                std::fill(counts, counts + n_features * n_classes, Value{0});
            }
            std::vector<std::int64_t> sums(static_cast<std::size_t>(n_classes), 0);
            count_documents_by_class(x, y.data(), n_classes, counts, sums.data());
            log_count_ratio(counts, sums.data(), n_classes, n_features, x.n_rows, alpha, n_outputs,
                            out.data(), threads);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("y"), nb::arg("n_classes"),
        nb::arg("alpha"), nb::arg("out").noconvert(), nb::arg("threads"),
        "out = log of each column's smoothed share of the rows of a class over its share of the other rows; "
        "with "
        "one column in out, for the last class.");
}

template <class Value>
static void bind_class_counts(nb::module_& module) {
    module.def(
        "count_documents_by_class",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<std::int32_t>& y, Out2<Value> counts, Out<std::int64_t> sums) {
            const auto n_classes = static_cast<std::int64_t>(counts.shape(1));
            const auto x = csr_view(indptr, indices, values, static_cast<std::int64_t>(counts.shape(0)));
            require_classes(x, y, n_classes);
            require(static_cast<std::int64_t>(sums.size()) == n_classes,
                    "sums must have one entry per class");
            nb::gil_scoped_release released;
            count_documents_by_class(x, y.data(), n_classes, counts.data(), sums.data());
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("y"), nb::arg("counts").noconvert(),
        nb::arg("sums").noconvert(),
        "Add 1 to the counts, columns × classes, for every value that is not 0 of a row with a class.");
    module.def(
        "log_count_ratio_of_counts",
        [](const In2<Value>& counts, const In<std::int64_t>& sums, std::int64_t n_rows, double alpha,
           Out2<Value> out, int threads) {
            const auto n_features = static_cast<std::int64_t>(counts.shape(0));
            const auto n_classes = static_cast<std::int64_t>(counts.shape(1));
            const auto n_outputs = static_cast<std::int64_t>(out.shape(1));
            require(static_cast<std::int64_t>(out.shape(0)) == n_features &&
                        static_cast<std::int64_t>(sums.size()) == n_classes &&
                        (n_outputs == 1 || n_outputs == n_classes),
                    "out must be columns × 1 or columns × classes, and sums have one entry per class");
            nb::gil_scoped_release released;
            bool sound = true;
            for (std::int64_t j = 0; j < n_features; ++j) {
                std::int64_t row = 0;  // whole, since a sum of floats may be rounded down to what is allowed
                for (std::int64_t k = 0; k < n_classes; ++k) {
                    const auto count = static_cast<double>(counts.data()[j * n_classes + k]);
                    const bool counted = count >= 0 && count <= static_cast<double>(n_rows);
                    sound &= counted;
                    row += counted ? static_cast<std::int64_t>(count) : 0;
                }
                sound &= row <= n_rows;
            }
            require(sound, "counts must lie between 0 and the number of rows");
            log_count_ratio(counts.data(), sums.data(), n_classes, n_features, n_rows, alpha, n_outputs,
                            out.data(), threads);
        },
        nb::arg("counts"), nb::arg("sums"), nb::arg("n_rows"), nb::arg("alpha"), nb::arg("out").noconvert(),
        nb::arg("threads"), "The ratios of counts, columns × classes, and their sums.");
}

template <class Value, class Ratio>
static void bind_scaled_norms(nb::module_& module) {
    module.def(
        "scaled_norms",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In2<Ratio>& ratios, double floor, Out2<double> out, int threads) {
            const auto x = csr_view(indptr, indices, values, static_cast<std::int64_t>(ratios.shape(0)));
            const auto n_classes = static_cast<std::int64_t>(ratios.shape(1));
            require(static_cast<std::int64_t>(out.shape(0)) == x.n_rows &&
                        static_cast<std::int64_t>(out.shape(1)) == n_classes,
                    "out must be rows × classes");
            nb::gil_scoped_release released;
            scaled_norms(x, ratios.data(), n_classes, floor, out.data(), threads);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("ratios"), nb::arg("floor"),
        nb::arg("out").noconvert(), nb::arg("threads"),
        "out[i, k] = the euclidean length of row i, column j scaled by floor + |ratios[j, k]|.");
}

static void count_documents(const In<std::int32_t>& indices, Out<std::int32_t> df) {
    const auto n_columns = static_cast<std::uint32_t>(df.size());
    const auto size = static_cast<std::int64_t>(indices.size());
    bool outside = false;
    for (std::int64_t k = 0; k < size; ++k)
        outside |= static_cast<std::uint32_t>(indices.data()[k]) >= n_columns;
    require(!outside, "an index is out of range");
    document_frequency(indices.data(), size, df.data());
}

void bind_weighting(nb::module_& module) {
    bind_tf_idf<float, float>(module);
    bind_tf_idf<float, double>(module);
    bind_tf_idf<double, float>(module);
    bind_tf_idf<double, double>(module);
    bind_bm25<float>(module);
    bind_bm25<double>(module);
    bind_largest_count<float>(module);
    bind_largest_count<double>(module);
    bind_log_count_ratio<float>(module);
    bind_log_count_ratio<double>(module);
    bind_class_counts<float>(module);
    bind_class_counts<double>(module);
    bind_scaled_norms<float, float>(module);
    bind_scaled_norms<float, double>(module);
    bind_scaled_norms<double, float>(module);
    bind_scaled_norms<double, double>(module);
    module.def("document_frequency", &count_documents, nb::arg("indices"), nb::arg("df").noconvert(),
               nb::call_guard<nb::gil_scoped_release>(),
               "Adds to df how often each column occurs among indices: in how many rows it is stored.");
}

}  // namespace lindy
