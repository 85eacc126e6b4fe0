// Weights of counted words, row by row: tf-idf, BM25, any scaling of columns, and the norms.
//
// The arithmetic follows scikit-learn's to the last bit: products in the type that C's promotion gives, sums
// one after the other in double, division by the norm instead of multiplication by its inverse. Rows do not
// depend on each other, so any number of threads gives the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "csr.hpp"
#include "threads.hpp"

namespace lindy {

enum class Norm { none, l1, l2, max };

namespace weighting {

inline constexpr std::int64_t rows_per_chunk = 256;

// v as Value, the largest finite one where it would overflow.
template <class Value, class Product>
inline Value finite(Product v) {
    constexpr Product top = std::numeric_limits<Value>::max();
    return static_cast<Value>(std::min(std::max(v, -top), top));
}

template <class Value>
inline Value largest(const Value* v, std::ptrdiff_t size) {
    Value top = 0;
    for (std::ptrdiff_t k = 0; k < size; ++k) top = std::max(top, std::abs(v[k]));
    return top;
}

// Σ|v| or Σv² (not yet its root) in double; for float the squares are rounded to float first, as C does it.
template <class Value>
inline double summed(const Value* v, std::ptrdiff_t size, Norm norm) {
    double sum = 0;
    if (norm == Norm::l1)
        for (std::ptrdiff_t k = 0; k < size; ++k) sum += static_cast<double>(std::abs(v[k]));
    else
        for (std::ptrdiff_t k = 0; k < size; ++k) {
            const Value square = v[k] * v[k];
            sum += static_cast<double>(square);
        }
    return sum;
}

}  // namespace weighting

// v ← v / ‖v‖ for one row; a row of zeros stays as it is.
template <class Value>
inline void normalise(Value* v, std::ptrdiff_t size, Norm norm) {
    if (norm == Norm::none || size == 0) return;
    if (norm == Norm::max) {
        const Value top = weighting::largest(v, size);
        if (top > 0)
            for (std::ptrdiff_t k = 0; k < size; ++k) v[k] /= top;
        return;
    }
    double sum = weighting::summed(v, size, norm);
    const double smallest = norm == Norm::l1 ? std::numeric_limits<double>::denorm_min()
                                             : static_cast<double>(std::numeric_limits<Value>::min());
    if (!(sum >= smallest && sum <= std::numeric_limits<double>::max())) {
        // the sum left the range of the numbers, or the row is zero: measure it in units of its largest value
        const Value top = weighting::largest(v, size);
        if (top == 0) return;
        for (std::ptrdiff_t k = 0; k < size; ++k) v[k] /= top;
        sum = weighting::summed(v, size, norm);
    }
    const double length = norm == Norm::l1 ? sum : std::sqrt(sum);
    for (std::ptrdiff_t k = 0; k < size; ++k) v[k] = static_cast<Value>(static_cast<double>(v[k]) / length);
}

// 1 + log tf, read from a table so that NumPy's logarithm, which scikit-learn takes, is kept to the last bit.
template <class Value>
struct SublinearTable {
    const Value* entries;  // null: tf stays as it is
    std::int64_t size;

    // The caller knows that tf is a whole number inside the table; anything else must only not crash.
    Value operator()(Value tf) const {
        if (!entries) return tf;
        const bool inside = tf >= 0 && tf < static_cast<Value>(size);
        return entries[inside ? static_cast<std::int64_t>(tf) : 0];
    }
};

// The weights of a tf-idf row: sublinear(tf) · scale[column].
template <class Value, class Scale>
struct TfIdf {
    SublinearTable<Value> sublinear;
    const Scale* scale;  // null: all 1

    void operator()(Row<Value> x, Value* out) const {
        for (std::ptrdiff_t k = 0; k < x.size; ++k) {
            const Value tf = sublinear(x.value[k]);
            out[k] = scale ? weighting::finite<Value>(tf * scale[x.index[k]]) : tf;
        }
    }
};

// The weights of a BM25 row: idf · (k1 + 1)·tf / (tf + k1·(1 − b + b·|x| / average)), where |x| = Σ tf.
template <class Value>
struct Bm25 {
    const double* idf;
    double k1, b, average;

    void operator()(Row<Value> x, Value* out) const {
        double length = 0;
        for (std::ptrdiff_t k = 0; k < x.size; ++k) length += static_cast<double>(x.value[k]);
        const double relative = std::min(length / average, std::numeric_limits<double>::max());
        const double saturation = k1 * (1 - b + b * relative);
        for (std::ptrdiff_t k = 0; k < x.size; ++k) {
            const double tf = static_cast<double>(x.value[k]);
            // tf in the denominator of a fraction: tf → ∞ and tf → 0 both stay finite
            const double share = tf > 0 ? (k1 + 1) / (1 + saturation / tf) : 0;
            out[k] = weighting::finite<Value>(idf[x.index[k]] * share);
        }
    }
};

// out_i = weigh(x_i) / ‖weigh(x_i)‖; out may be the values of x itself.
template <class Value, class Weigh>
void weigh_rows(CsrView<Value> x, Weigh weigh, Norm norm, Value* out, int n_threads) {
    using weighting::rows_per_chunk;
    const std::int64_t n_chunks = (x.n_rows + rows_per_chunk - 1) / rows_per_chunk;
    parallel_chunks(n_chunks, n_threads, [&](std::int64_t chunk) {
        const std::int64_t end = std::min(x.n_rows, (chunk + 1) * rows_per_chunk);
        for (std::int64_t i = chunk * rows_per_chunk; i < end; ++i) {
            const Row<Value> row = x.row(i);
            Value* v = out + x.indptr[i];
            weigh(row, v);
            normalise(v, row.size, norm);
        }
    });
}

// The largest value if all are whole numbers from 0 to below 2^24, otherwise −1.
template <class Value>
std::int64_t largest_count(const Value* values, std::int64_t size) {
    std::int32_t top = 0;
    for (std::int64_t k = 0; k < size; ++k) {
        const Value v = values[k];
        if (!(v >= 0 && v < Value{1 << 24})) return -1;
        const auto whole = static_cast<std::int32_t>(v);
        if (static_cast<Value>(whole) != v) return -1;
        top = std::max(top, whole);
    }
    return top;
}

// df[j] += number of rows that store column j.
inline void document_frequency(const std::int32_t* indices, std::int64_t size, std::int64_t* df) {
    for (std::int64_t k = 0; k < size; ++k) ++df[indices[k]];
}

}  // namespace lindy
