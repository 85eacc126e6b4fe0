// Class-wise sums of rows: what every counting model is estimated from.
//
// A feature is seen with few of the classes, so the sums are kept sparse: per feature the classes that have
// seen it, in ascending order, and how much of it.
#pragma once

#include <vector>

#include "core/csr.hpp"
#include "core/huge_pages.hpp"
#include "core/sparse_rows.hpp"

namespace lindy {

using Counts = SparseRows<double>;  // a row per feature, a column per class

// The numbers 0 … n−1 in ascending order of their key, equal ones in their order; end[k] is where key k ends.
inline std::vector<std::int32_t> sorted_by_key(const std::int32_t* key, std::int64_t n, std::int64_t n_keys,
                                               std::vector<std::int64_t>& end) {
    end.assign(static_cast<std::size_t>(n_keys) + 1, 0);
    for (std::int64_t i = 0; i < n; ++i) ++end[static_cast<std::size_t>(key[i]) + 1];
    for (std::size_t k = 1; k < end.size(); ++k) end[k] += end[k - 1];
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
        order[static_cast<std::size_t>(end[static_cast<std::size_t>(key[i])]++)] =
            static_cast<std::int32_t>(i);
    return order;
}

// The classes of rows: row i has class y[i], or where rows may have several, row row_of[e] has class y[e],
// in ascending order of rows.
struct RowClasses {
    const std::int32_t* y;
    const std::int32_t* row_of;  // or null
    std::int64_t size, n_classes;

    std::int64_t row(std::int64_t e) const { return row_of ? row_of[e] : e; }
};

// counts[j][c] = Σ weight_i · x_ij over the rows i of class c, added up in a table of all features × classes:
// the fastest way while the table stays in the cache. The sums are added in the order of the rows.
template <class Value>
Counts class_counts_in_table(CsrView<Value> x, const RowClasses& classes, const double* weight) {
    const std::int64_t n_classes = classes.n_classes;
    std::vector<double> table(static_cast<std::size_t>(x.n_columns * n_classes), 0.0);
    for (std::int64_t e = 0; e < classes.size; ++e) {
        const std::int64_t i = classes.row(e);
        const Row<Value> row = x.row(i);
        double* sums = table.data() + classes.y[e];
        const double w = weight ? weight[i] : 1.0;
        for (std::ptrdiff_t k = 0; k < row.size; ++k)
            sums[row.index[k] * n_classes] += w * static_cast<double>(row.value[k]);
    }
    Counts counts;
    counts.indptr.reserve(static_cast<std::size_t>(x.n_columns) + 1);
    counts.indptr.push(0);
    for (std::int64_t j = 0; j < x.n_columns; ++j) {
        const double* sums = table.data() + j * n_classes;
        for (std::int64_t c = 0; c < n_classes; ++c)
            if (sums[c] != 0) counts.push(static_cast<std::int32_t>(c), sums[c]);
        counts.end_row();
    }
    return counts;
}

// The same where the table would be large and mostly zero: class by class in one column of it, of which only
// the features that the class has seen are looked at; then the counts are dealt out to their features.
template <class Value>
Counts class_counts_by_class(CsrView<Value> x, const RowClasses& classes, const double* weight) {
    constexpr std::size_t soon = 16;
    constexpr std::ptrdiff_t ahead_of_row = soon;
    const auto n_columns = static_cast<std::size_t>(x.n_columns);
    std::vector<std::int64_t> end_of_class;
    const std::vector<std::int32_t> places =
        sorted_by_key(classes.y, classes.size, classes.n_classes, end_of_class);
    HugeVector<double> column(n_columns, 0.0);
    HugeVector<std::int32_t> next(n_columns + 1, 0);  // where a feature's next count goes
    Buffer<std::int32_t> seen;                        // by this class; a feature whose sum was 0 again, twice
    Buffer<std::int32_t> features;                    // of all counts, class by class
    Buffer<double> sums;
    std::vector<std::size_t> end_of_counts;  // per class
    for (std::size_t c = 0, r = 0; c + 1 < end_of_class.size(); ++c) {
        seen.clear();
        for (; r < static_cast<std::size_t>(end_of_class[c]); ++r) {
            const std::int64_t i = classes.row(places[r]);
            const Row<Value> row = x.row(i);
            const double w = weight ? weight[i] : 1.0;
            for (std::ptrdiff_t k = 0; k < row.size; ++k) {
                if (k + ahead_of_row < row.size)
                    __builtin_prefetch(column.data() + row.index[k + ahead_of_row], 1);
                double& sum = column[static_cast<std::size_t>(row.index[k])];
                if (sum == 0) seen.push(row.index[k]);
                sum += w * static_cast<double>(row.value[k]);
            }
        }
        for (std::size_t e = 0; e < seen.size(); ++e) {
            const std::size_t ahead = static_cast<std::size_t>(seen[std::min(e + soon, seen.size() - 1)]);
            __builtin_prefetch(column.data() + ahead, 1);
            __builtin_prefetch(next.data() + ahead + 1, 1);
            double& sum = column[static_cast<std::size_t>(seen[e])];
            if (sum == 0) continue;
            features.push(seen[e]);
            sums.push(sum);
            ++next[static_cast<std::size_t>(seen[e]) + 1];
            sum = 0;
        }
        end_of_counts.push_back(features.size());
    }

    Counts counts;
    counts.indptr.resize(n_columns + 1)[0] = 0;
    for (std::size_t j = 0; j < n_columns; ++j) counts.indptr[j + 1] = next[j + 1] += next[j];
    counts.indices.resize(features.size());
    counts.values.resize(features.size());
    for (std::size_t c = 0, e = 0; c < end_of_counts.size(); ++c)
        for (; e < end_of_counts[c]; ++e) {
            __builtin_prefetch(next.data() + features[std::min(e + 2 * soon, features.size() - 1)], 1);
            const auto ahead = static_cast<std::size_t>(features[std::min(e + soon, features.size() - 1)]);
            __builtin_prefetch(counts.values.data() + next[ahead], 1);
            const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(features[e])]++);
            counts.indices[at] = static_cast<std::int32_t>(c);
            counts.values[at] = sums[e];
        }
    return counts;
}

// The sums in the way that is faster for their number; both ways give the same bits.
template <class Value>
Counts class_counts(CsrView<Value> x, const RowClasses& classes, const double* weight) {
    constexpr std::int64_t most_cells = std::int64_t{1} << 20;  // of a table in the cache
    return x.n_columns <= most_cells / classes.n_classes ? class_counts_in_table(x, classes, weight)
                                                         : class_counts_by_class(x, classes, weight);
}

// a + b, feature by feature; both have the same features.
inline Counts add_counts(CsrView<double> a, CsrView<double> b) {
    Counts sum;
    sum.indptr.reserve(static_cast<std::size_t>(a.n_rows) + 1);
    sum.indices.reserve(static_cast<std::size_t>(a.indptr[a.n_rows]));
    sum.values.reserve(static_cast<std::size_t>(a.indptr[a.n_rows]));
    sum.indptr.push(0);
    for (std::int64_t j = 0; j < a.n_rows; ++j) {
        const Row<double> p = a.row(j), q = b.row(j);
        std::ptrdiff_t i = 0, k = 0;
        while (i < p.size || k < q.size) {
            const bool in_p = k == q.size || (i < p.size && p.index[i] <= q.index[k]);
            const bool in_q = i == p.size || (k < q.size && q.index[k] <= p.index[i]);
            const std::int32_t label = in_p ? p.index[i] : q.index[k];
            const double value = (in_p ? p.value[i++] : 0.0) + (in_q ? q.value[k++] : 0.0);
            if (value != 0) sum.push(label, value);
        }
        sum.end_row();
    }
    return sum;
}

}  // namespace lindy
