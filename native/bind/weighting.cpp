// Weights of counted words.
#include "text/weighting.hpp"

#include "bind/choices.hpp"
#include "bind/rows.hpp"
#include "text/log_count_ratio.hpp"
#include "text/scaled_norms.hpp"

namespace lindy {

// Classes of rows, of which negative ones do not count.
template <class Value>
static void require_classes(const Rows<Value>& x, const In<std::int32_t>& y, std::int64_t n_classes) {
    require(x.n_rows < std::int64_t{1} << std::numeric_limits<Value>::digits,
            "too many rows to count in this type of number");
    require(length(y) == x.n_rows, "y must have one entry per row");
    for (std::size_t i = 0; i < y.size(); ++i)
        require(y.data()[i] < n_classes, "y must hold class numbers, below 0 for rows that do not count");
}

// Whether each column was counted in at most so many rows.
template <class Value>
static bool is_counted(const In2<Value>& counts, std::int64_t n_rows) {
    bool sound = true;
    for (std::int64_t j = 0; j < height(counts); ++j) {
        std::int64_t row = 0;  // whole, since a sum of floats may be rounded down to what is allowed
        for (std::int64_t k = 0; k < width(counts); ++k) {
            const auto count = static_cast<double>(counts.data()[j * width(counts) + k]);
            const bool counted = count >= 0 && count <= static_cast<double>(n_rows);
            sound &= counted;
            row += counted ? static_cast<std::int64_t>(count) : 0;
        }
        sound &= row <= n_rows;
    }
    return sound;
}

// Those that fill `out` may be given the array of the values itself.
static void bind_weights(nb::module_& module) {
    def_float_pairs(
        module, "tf_idf",
        []<class Value, class Scale>(const Rows<Value>& x, const std::optional<In<Value>>& sublinear,
                                     const std::optional<In<Scale>>& scale, const std::string& norm,
                                     Out<Value> out, int threads) {
            require(length(out) == x.stored(), "out must have the size of values");
            require(!scale || length(*scale) == x.n_columns, "scale must have one entry per column");
            require(!sublinear || (sublinear->size() > 0 && sublinear->size() <= 1 << 24),
                    "sublinear must have between 1 and 2**24 entries");
            const Norm kind = norm_named(norm);
            SublinearTable<Value> table{nullptr, 0};
            if (sublinear) table = {sublinear->data(), static_cast<std::int32_t>(sublinear->size())};
            tf_idf<Value>(x, table, data_or_null(scale), kind, out.data(), threads);
        },
        "X"_a, "sublinear"_a, "scale"_a, "norm"_a, "out"_a, "threads"_a,
        "out = tf · scale[column], each row divided by its norm.");
    def_floats(
        module, "bm25",
        []<class Value>(const Rows<Value>& x, const In<double>& idf, double k1, double b, double average,
                        const std::string& norm, Out<Value> out, int threads) {
            require(length(idf) == x.n_columns, "idf must have one entry per column");
            require(length(out) == x.stored(), "out must have the size of values");
            const Norm kind = norm_named(norm);
            bm25<Value>(x, idf.data(), k1, b, average, kind, out.data(), threads);
        },
        "X"_a, "idf"_a, "k1"_a, "b"_a, "average"_a, "norm"_a, "out"_a, "threads"_a,
        "out = idf[column] · (k1 + 1)·tf / (tf + k1·(1 − b + b·|row| / average)), divided by the row's "
        "norm.");
    def_float_pairs(
        module, "scaled_norms",
        []<class Value, class Ratio>(const Rows<Value>& x, const In2<Ratio>& ratios, double floor,
                                     Out2<double> out, int threads) {
            require(height(ratios) == x.n_columns, "ratios must have one row per column");
            require(has_shape(out, x.n_rows, width(ratios)), "out must be rows × classes");
            scaled_norms<Value>(x, ratios.data(), width(ratios), floor, out.data(), threads);
        },
        "X"_a, "ratios"_a, "floor"_a, "out"_a, "threads"_a,
        "out[i, k] = the euclidean length of row i, column j scaled by floor + |ratios[j, k]|.");
}

static void bind_counts(nb::module_& module) {
    def_floats(
        module, "largest_count",
        []<class Value>(const In<Value>& values) { return largest_count(values.data(), length(values)); },
        "values"_a, "The largest value if all are whole numbers from 0 to below 2**24, otherwise -1.");
    module.def("document_frequency", unlocked([](const In<std::int32_t>& indices, Out<std::int32_t> df) {
                   require_below(indices, length(df), "an index is out of range");
                   document_frequency(indices.data(), length(indices), df.data());
               }),
               "indices"_a, "df"_a,
               "Adds to df how often each column occurs among indices: in how many rows it is stored.");
    def_floats(
        module, "count_documents_by_class",
        []<class Value>(const Rows<Value>& x, const In<std::int32_t>& y, Out2<Value> counts,
                        Out<std::int64_t> sums) {
            require_classes(x, y, width(counts));
            require(height(counts) == x.n_columns, "counts must have one row per column");
            require(length(sums) == width(counts), "sums must have one entry per class");
            count_documents_by_class<Value>(x, y.data(), width(counts), counts.data(), sums.data());
        },
        "X"_a, "y"_a, "counts"_a, "sums"_a,
        "Add 1 to the counts, columns × classes, for every value that is not 0 of a row with a class.");
    def_floats(
        module, "log_count_ratio_of_counts",
        []<class Value>(const In2<Value>& counts, const In<std::int64_t>& sums, std::int64_t n_rows,
                        double alpha, Out2<Value> out, int threads) {
            const std::int64_t n_classes = width(counts), n_outputs = width(out);
            require(height(out) == height(counts) && length(sums) == n_classes &&
                        (n_outputs == 1 || n_outputs == n_classes),
                    "out must be columns × 1 or columns × classes, and sums have one entry per class");
            require(is_counted(counts, n_rows), "counts must lie between 0 and the number of rows");
            log_count_ratio(counts.data(), sums.data(), n_classes, height(counts), n_rows, alpha, n_outputs,
                            out.data(), threads);
        },
        "counts"_a, "sums"_a, "n_rows"_a, "alpha"_a, "out"_a, "threads"_a,
        "The ratios of counts, columns × classes, and their sums.");
    def_floats(
        module, "log_count_ratio",
        []<class Value>(const Rows<Value>& x, const In<std::int32_t>& y, std::int64_t n_classes, double alpha,
                        Out2<Value> out, int threads) {
            const std::int64_t n_features = height(out), n_outputs = width(out);
            require(n_features == x.n_columns, "out must have one row per column");
            require_classes(x, y, n_classes);
            require(n_classes >= 1 && (n_outputs == 1 || n_outputs == n_classes),
                    "out must have one column, or one per class");
            std::vector<Value> apart;  // the counts, unless there is room for them in out
            if (n_outputs != n_classes) apart.resize(static_cast<std::size_t>(n_features * n_classes));
            Value* const counts = apart.empty() ? out.data() : apart.data();
            std::fill_n(counts, n_features * n_classes, Value{0});
            std::vector<std::int64_t> sums(static_cast<std::size_t>(n_classes), 0);
            count_documents_by_class<Value>(x, y.data(), n_classes, counts, sums.data());
            log_count_ratio(counts, sums.data(), n_classes, n_features, x.n_rows, alpha, n_outputs,
                            out.data(), threads);
        },
        "X"_a, "y"_a, "n_classes"_a, "alpha"_a, "out"_a, "threads"_a,
        "out = log of each column's smoothed share of the rows of a class over its share of the other rows; "
        "with one column in out, for the last class.");
}

void bind_weighting(nb::module_& module) {
    bind_weights(module);
    bind_counts(module);
}

}  // namespace lindy
