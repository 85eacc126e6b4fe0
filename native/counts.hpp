// Class-wise sums of rows: what every counting model is estimated from.
//
// A feature is seen with few of the classes, so the sums are kept sparse: per feature the classes that have
// seen it, in ascending order, and how much of it.
#pragma once

#include <vector>

#include "csr.hpp"
#include "huge_pages.hpp"

namespace lindy {

struct Counts {
    std::vector<std::int64_t> indptr;   // one entry per feature, and one more
    std::vector<std::int32_t> classes;  // one entry per count
    std::vector<double> values;

    void append(std::int32_t label, double value) {
        if (value == 0) return;
        classes.push_back(label);
        values.push_back(value);
    }
    void end_feature() { indptr.push_back(static_cast<std::int64_t>(classes.size())); }
};

// The numbers 0 … n−1 in ascending order of their key, equal ones in their order; end[k] is where key k ends.
inline std::vector<std::int32_t> sorted_by_key(const std::int32_t* key, std::int64_t n, std::int64_t n_keys,
                                               HugeVector<std::int64_t>& end) {
    end.assign(static_cast<std::size_t>(n_keys) + 1, 0);
    for (std::int64_t i = 0; i < n; ++i) ++end[static_cast<std::size_t>(key[i]) + 1];
    for (std::size_t k = 1; k < end.size(); ++k) end[k] += end[k - 1];
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
        order[static_cast<std::size_t>(end[static_cast<std::size_t>(key[i])]++)] =
            static_cast<std::int32_t>(i);
    return order;
}

// counts[j][c] = Σ weight_i · x_ij over the rows i of class c, added up in a table of all features × classes:
// the fastest way while the table stays in the cache. The sums are added in the order of the rows.
template <class Value>
Counts class_counts_in_table(CsrView<Value> x, const std::int32_t* y, const double* weight,
                             std::int64_t n_classes) {
    std::vector<double> table(static_cast<std::size_t>(x.n_columns * n_classes), 0.0);
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        const Row<Value> row = x.row(i);
        double* sums = table.data() + y[i];
        const double w = weight ? weight[i] : 1.0;
        for (std::ptrdiff_t k = 0; k < row.size; ++k)
            sums[row.index[k] * n_classes] += w * static_cast<double>(row.value[k]);
    }
    Counts counts;
    counts.indptr.reserve(static_cast<std::size_t>(x.n_columns) + 1);
    counts.indptr.push_back(0);
    for (std::int64_t j = 0; j < x.n_columns; ++j) {
        for (std::int64_t c = 0; c < n_classes; ++c)
            counts.append(static_cast<std::int32_t>(c), table[static_cast<std::size_t>(j * n_classes + c)]);
        counts.end_feature();
    }
    return counts;
}

// The same where the table would be large and mostly zero. Counting sorts bring the stored values into
// the order (feature, class, row), so that every sum is added up in the order of the rows.
template <class Value>
Counts class_counts(CsrView<Value> x, const std::int32_t* y, const double* weight, std::int64_t n_classes) {
    constexpr std::ptrdiff_t soon = 16;
    struct Entry {
        std::int32_t row;
        Value value;
    };
    HugeVector<std::int64_t> end;
    const std::vector<std::int32_t> rows = sorted_by_key(y, x.n_rows, n_classes, end);

    end.assign(static_cast<std::size_t>(x.n_columns) + 1, 0);
    const std::int64_t stored = x.indptr[x.n_rows];
    for (std::int64_t k = 0; k < stored; ++k) ++end[static_cast<std::size_t>(x.indices[k]) + 1];
    for (std::size_t j = 1; j < end.size(); ++j) end[j] += end[j - 1];
    HugeVector<Entry> entries(static_cast<std::size_t>(stored));
    const auto next = [&](std::int32_t j) -> std::int64_t& { return end[static_cast<std::size_t>(j)]; };
    for (const std::int32_t i : rows) {
        const Row<Value> row = x.row(i);
        for (std::ptrdiff_t k = 0; k < row.size; ++k) {
            if (k + soon < row.size) __builtin_prefetch(entries.data() + next(row.index[k + soon]), 1);
            entries[static_cast<std::size_t>(next(row.index[k])++)] = {i, row.value[k]};
        }
    }

    Counts counts;
    counts.indptr.reserve(end.size());
    counts.indptr.push_back(0);
    counts.classes.reserve(static_cast<std::size_t>(stored));
    counts.values.reserve(static_cast<std::size_t>(stored));
    for (std::size_t j = 0, at = 0; j + 1 < end.size(); ++j) {
        while (at < static_cast<std::size_t>(end[j])) {
            const std::int32_t label = y[entries[at].row];
            double sum = 0;
            for (; at < static_cast<std::size_t>(end[j]) && y[entries[at].row] == label; ++at)
                sum += (weight ? weight[entries[at].row] : 1.0) * static_cast<double>(entries[at].value);
            counts.append(label, sum);
        }
        counts.end_feature();
    }
    return counts;
}

// a + b, feature by feature; both have the same features.
inline Counts add_counts(CsrView<double> a, CsrView<double> b) {
    Counts sum;
    sum.indptr.reserve(static_cast<std::size_t>(a.n_rows) + 1);
    sum.classes.reserve(static_cast<std::size_t>(a.indptr[a.n_rows]));
    sum.values.reserve(static_cast<std::size_t>(a.indptr[a.n_rows]));
    sum.indptr.push_back(0);
    for (std::int64_t j = 0; j < a.n_rows; ++j) {
        const Row<double> p = a.row(j), q = b.row(j);
        std::ptrdiff_t i = 0, k = 0;
        while (i < p.size || k < q.size) {
            if (k == q.size || (i < p.size && p.index[i] < q.index[k])) {
                sum.append(p.index[i], p.value[i]);
                ++i;
            } else if (i == p.size || q.index[k] < p.index[i]) {
                sum.append(q.index[k], q.value[k]);
                ++k;
            } else {
                sum.append(p.index[i], p.value[i] + q.value[k]);
                ++i;
                ++k;
            }
        }
        sum.end_feature();
    }
    return sum;
}

}  // namespace lindy
