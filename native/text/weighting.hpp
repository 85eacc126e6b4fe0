// Weights of counted words, row by row: tf-idf, BM25, any scaling of columns, and the norms.
//
// The arithmetic follows scikit-learn's to the last bit: products in the type that C's promotion gives, sums
// one after the other in double, division by the norm instead of multiplication by its inverse. Rows do not
// depend on each other, so any number of threads gives the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/csr.hpp"
#include "core/threads.hpp"

namespace lindy {

enum class Norm { none, l1, l2, max };

// Calls body<norm>(): the norm is known when the loops are compiled.
template <class Body>
void with_norm(Norm norm, Body body) {
    switch (norm) {
        case Norm::none:
            return body.template operator()<Norm::none>();
        case Norm::l1:
            return body.template operator()<Norm::l1>();
        case Norm::l2:
            return body.template operator()<Norm::l2>();
        case Norm::max:
            return body.template operator()<Norm::max>();
    }
}

namespace weighting {

inline constexpr std::int64_t rows_per_chunk = 256;

// v as Value, the largest finite one where it would overflow.
template <class Value, class Product>
inline Value finite(Product v) {
    constexpr Product top = std::numeric_limits<Value>::max();
    // values, not references to them: one instruction each instead of a branch
    const Product high = v < -top ? -top : v;
    return static_cast<Value>(top < high ? top : high);
}

// What a row's norm is made of, one value after the other: Σ|v|, Σv² (for float each square is rounded to
// float first, as C does it), or max|v|; in double.
template <Norm norm, class Value>
inline void measure(double& size, Value v) {
    if constexpr (norm == Norm::l1) size += static_cast<double>(std::abs(v));
    if constexpr (norm == Norm::l2) {
        const Value square = v * v;
        size += static_cast<double>(square);
    }
    if constexpr (norm == Norm::max) size = std::max(size, static_cast<double>(std::abs(v)));
}

template <Norm norm, class Value>
inline double measured(const Value* v, std::ptrdiff_t n) {
    double size = 0;
    for (std::ptrdiff_t k = 0; k < n; ++k) measure<norm>(size, v[k]);
    return size;
}

// v ← v / ‖v‖, where size is what was measured of v; a row of zeros stays as it is.
template <Norm norm, class Value>
inline void divide(Value* v, std::ptrdiff_t n, double size) {
    constexpr double largest = std::numeric_limits<double>::max();
    constexpr double smallest = norm == Norm::l2 ? static_cast<double>(std::numeric_limits<Value>::min())
                                                 : std::numeric_limits<double>::denorm_min();
    if (!(size >= smallest && size <= largest)) {
        // the sum left the range of the numbers, or the row is zero: measure it in units of its largest value
        const auto top = static_cast<Value>(measured<Norm::max>(v, n));
        if (top == 0) return;
        for (std::ptrdiff_t k = 0; k < n; ++k) v[k] /= top;
        size = measured<norm>(v, n);
    }
    const double length = norm == Norm::l2 ? std::sqrt(size) : size;
    for (std::ptrdiff_t k = 0; k < n; ++k) v[k] = static_cast<Value>(static_cast<double>(v[k]) / length);
}

// n values: term(value) · scale written to out, then divided by their norm while they are in the cache.
// scales may be null: all 1.
template <Norm norm, class In, class Value, class Scale, class Term>
inline void weigh_values(const In* values, std::ptrdiff_t n, Term term, const Scale* scales, Value* out) {
    double size = 0;
    if (scales) {
        for (std::ptrdiff_t k = 0; k < n; ++k) {
            out[k] = finite<Value>(term(values[k]) * scales[k]);
            measure<norm>(size, out[k]);
        }
    } else {
        for (std::ptrdiff_t k = 0; k < n; ++k) {
            out[k] = finite<Value>(term(values[k]));
            measure<norm>(size, out[k]);
        }
    }
    if constexpr (norm != Norm::none) divide<norm>(out, n, size);
}

// One row, of which the scales of its columns are gathered into scratch first, in a loop short enough for
// many cache misses to be under way at once.
template <Norm norm, class Value, class Scale, class Term>
inline void weigh_row(Row<Value> x, Term term, const Scale* scale, Scale* scratch, Value* out) {
    for (std::ptrdiff_t k = 0; scale && k < x.size; ++k) scratch[k] = scale[x.index[k]];
    weigh_values<norm>(x.value, x.size, term, scale ? scratch : nullptr, out);
}

template <Norm norm, class Value, class Scale, class TermOf>
void weigh_rows(CsrView<Value> x, TermOf term_of, const Scale* scale, Value* out, int n_threads) {
    const std::int64_t n_chunks = (x.n_rows + rows_per_chunk - 1) / rows_per_chunk;
    parallel_chunks(n_chunks, n_threads, [&](std::int64_t chunk) {
        const std::int64_t begin = chunk * rows_per_chunk, end = std::min(x.n_rows, begin + rows_per_chunk);
        std::ptrdiff_t longest = 0;
        for (std::int64_t i = begin; i < end; ++i) longest = std::max(longest, x.row(i).size);
        std::vector<Scale> scratch(scale ? static_cast<std::size_t>(longest) : 0);
        for (std::int64_t i = begin; i < end; ++i)
            weigh_row<norm>(x.row(i), term_of(x.row(i)), scale, scratch.data(), out + x.indptr[i]);
    });
}

}  // namespace weighting

// v ← v / ‖v‖.
template <class Value>
void normalize_row(Norm norm, Value* v, std::ptrdiff_t n) {
    with_norm(norm, [&]<Norm kind>() {
        if constexpr (kind != Norm::none) weighting::divide<kind>(v, n, weighting::measured<kind>(v, n));
    });
}

// Weighs rows one by one as they are made: value · scale[column], then divided by the row's norm. scale may
// be null: all 1.
template <class Value, class Scale>
class RowWeigher {
  public:
    RowWeigher(const Scale* scale, Norm norm) : scale_(scale), norm_(norm) {}

    void operator()(const std::int32_t* indices, Value* values, std::int64_t size) {
        with_norm(norm_, [&]<Norm norm>() {
            if (norm != Norm::none || scale_) weigh<norm>(indices, values, size);
        });
    }

  private:
    template <Norm norm>
    void weigh(const std::int32_t* indices, Value* values, std::int64_t size) {
        if (scale_ && scratch_.size() < static_cast<std::size_t>(size))
            scratch_.resize(static_cast<std::size_t>(size));
        weighting::weigh_row<norm>(Row<Value>{indices, values, size}, std::identity{}, scale_,
                                   scratch_.data(), values);
    }

    const Scale* scale_;
    Norm norm_;
    std::vector<Scale> scratch_;
};

// out_ij = term_of(x_i)(x_ij) · scale[j], every row divided by its norm. scale may be null: all 1. out may be
// the values of x itself.
template <class Value, class Scale, class TermOf>
void weigh_rows(CsrView<Value> x, TermOf term_of, const Scale* scale, Norm norm, Value* out, int n_threads) {
    with_norm(norm, [&]<Norm kind>() { weighting::weigh_rows<kind>(x, term_of, scale, out, n_threads); });
}

// 1 + log tf, read from a table so that NumPy's logarithm, which scikit-learn takes, is kept to the last bit.
template <class Value>
struct SublinearTable {
    const Value* entries;  // null: tf stays as it is
    std::int32_t size;

    // The caller knows that tf is a whole number inside the table; anything else must only not crash.
    Value operator()(Value tf) const {
        const bool inside = tf >= 0 && tf < static_cast<Value>(size);
        return entries[inside ? static_cast<std::int32_t>(tf) : 0];
    }
};

// What tf-idf makes of counts while their rows are written: sublinear(tf) · scale[column], rows divided by
// their norm. scale may be null: all 1.
template <class Value>
struct CountWeights {
    SublinearTable<Value> sublinear{nullptr, 0};
    const Value* scale = nullptr;
    Norm norm = Norm::none;
};

// tf-idf: sublinear(tf) · scale[column].
template <class Value, class Scale>
void tf_idf(CsrView<Value> x, SublinearTable<Value> sublinear, const Scale* scale, Norm norm, Value* out,
            int n_threads) {
    if (sublinear.entries)
        weigh_rows(x, [=](Row<Value>) { return sublinear; }, scale, norm, out, n_threads);
    else
        weigh_rows(x, [](Row<Value>) { return std::identity{}; }, scale, norm, out, n_threads);
}

// BM25: idf[column] · (k1 + 1)·tf / (tf + k1·(1 − b + b·|x| / average)) with |x| = Σ tf.
template <class Value>
void bm25(CsrView<Value> x, const double* idf, double k1, double b, double average, Norm norm, Value* out,
          int n_threads) {
    const auto term_of = [=](Row<Value> row) {
        double length = 0;
        for (std::ptrdiff_t k = 0; k < row.size; ++k) length += static_cast<double>(row.value[k]);
        const double relative = std::min(length / average, std::numeric_limits<double>::max());
        const double saturation = k1 * (1 - b + b * relative);
        // tf in the denominator of a fraction: tf → ∞ and tf → 0 both stay finite
        return [saturation, k1](Value value) {
            const double tf = static_cast<double>(value);
            return tf > 0 ? (k1 + 1) / (1 + saturation / tf) : 0.0;
        };
    };
    weigh_rows(x, term_of, idf, norm, out, n_threads);
}

// The largest value if all are whole numbers from 0 to below 2^24, otherwise −1.
template <class Value>
std::int64_t largest_count(const Value* values, std::int64_t size) {
    constexpr std::int64_t block =
        4096;  // between two looks at whether to give up, so that the loop vectorises
    Value top = 0;
    for (std::int64_t begin = 0; begin < size; begin += block) {
        const std::int64_t end = std::min(size, begin + block);
        int wrong = 0;
        for (std::int64_t k = begin; k < end; ++k) {
            const Value inside = std::min(std::max(values[k], Value{0}), Value{(1 << 24) - 1});
            wrong |= static_cast<Value>(static_cast<std::int32_t>(inside)) != values[k];
            top = std::max(top, inside);
        }
        if (wrong) return -1;
    }
    return static_cast<std::int64_t>(top);
}

// df[j] += number of rows that store column j.
inline void document_frequency(const std::int32_t* indices, std::int64_t size, std::int32_t* df) {
    for (std::int64_t k = 0; k < size; ++k) ++df[indices[k]];
}

}  // namespace lindy
