// Weights of counted words.
#include "bind.hpp"
#include "weighting.hpp"

namespace lindy {

static Norm norm_named(const std::string& name) {
    if (name == "none") return Norm::none;
    if (name == "l1") return Norm::l1;
    if (name == "l2") return Norm::l2;
    if (name == "max") return Norm::max;
    throw nb::value_error("norm must be none, l1, l2 or max");
}

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
            require(!sublinear || sublinear->size() > 0, "sublinear must not be empty");
            const Norm kind = norm_named(norm);
            nb::gil_scoped_release released;
            SublinearTable<Value> table{nullptr, 0};
            if (sublinear) table = {sublinear->data(), static_cast<std::int64_t>(sublinear->size())};
            const TfIdf<Value, Scale> weigh{table, scale ? scale->data() : nullptr};
            weigh_rows(x, weigh, kind, out.data(), threads);
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
            weigh_rows(x, Bm25<Value>{idf.data(), k1, b, average}, kind, out.data(), threads);
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

static void count_documents(const In<std::int32_t>& indices, Out<std::int64_t> df) {
    const std::int64_t n_columns = static_cast<std::int64_t>(df.size());
    for (std::size_t k = 0; k < indices.size(); ++k)
        require(indices.data()[k] >= 0 && indices.data()[k] < n_columns, "an index is out of range");
    document_frequency(indices.data(), static_cast<std::int64_t>(indices.size()), df.data());
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
    module.def("document_frequency", &count_documents, nb::arg("indices"), nb::arg("df").noconvert(),
               nb::call_guard<nb::gil_scoped_release>(),
               "Adds to df how often each column occurs among indices: in how many rows it is stored.");
}

}  // namespace lindy
