// Sparse rows, and the four functions that all linear algebra here is made of.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lindy {

template <class Value>
struct Row {
    const std::int32_t* index;
    const Value* value;
    std::ptrdiff_t size;
};

// A matrix of n_rows × n_columns in compressed sparse rows; it borrows its arrays.
// Its maker has checked that indptr is monotonic and that every index is in range.
// Dense rows store all columns in their order, and share one list of indices, 0 … n_columns − 1: values is
// the array as it came. Kernels need not know; those that gain by it ask.
template <class Value>
struct CsrView {
    const std::int64_t* indptr;
    const std::int32_t* indices;
    const Value* values;
    std::int64_t n_rows;
    std::int64_t n_columns;
    std::int64_t own_indices = -1;  // all bits: every row has its own; none: the rows are dense

    bool dense() const { return own_indices == 0; }
    Row<Value> row(std::int64_t i) const {
        const std::int64_t begin = indptr[i];
        return {indices + (begin & own_indices), values + begin,
                static_cast<std::ptrdiff_t>(indptr[i + 1] - begin)};
    }
};

// x · w for one dense column; four partial sums in a fixed order, so every machine adds alike.
template <class Value, class Weight>
inline Weight dot(Row<Value> x, const Weight* w) {
    Weight a = 0, b = 0, c = 0, d = 0;
    std::ptrdiff_t k = 0;
    for (; k + 4 <= x.size; k += 4) {
        a += static_cast<Weight>(x.value[k]) * w[x.index[k]];
        b += static_cast<Weight>(x.value[k + 1]) * w[x.index[k + 1]];
        c += static_cast<Weight>(x.value[k + 2]) * w[x.index[k + 2]];
        d += static_cast<Weight>(x.value[k + 3]) * w[x.index[k + 3]];
#if defined(__x86_64__)
        // keeps the four sums in registers of their own: collecting scattered weights into one vector is
        // slower
        asm("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d));
#endif
    }
    if (k < x.size) a += static_cast<Weight>(x.value[k]) * w[x.index[k]];
    if (k + 1 < x.size) b += static_cast<Weight>(x.value[k + 1]) * w[x.index[k + 1]];
    if (k + 2 < x.size) c += static_cast<Weight>(x.value[k + 2]) * w[x.index[k + 2]];
    return (a + b) + (c + d);
}

// The same sum, in the same order, of weights that have been gathered.
template <class Value, class Weight>
inline Weight dense_dot(const Value* x, const Weight* w, std::ptrdiff_t size) {
    Weight sums[4] = {};
    std::ptrdiff_t k = 0;
    for (; k + 4 <= size; k += 4)
        for (std::ptrdiff_t j = 0; j < 4; ++j) sums[j] += static_cast<Weight>(x[k + j]) * w[k + j];
    for (std::ptrdiff_t j = 0; k + j < size; ++j) sums[j] += static_cast<Weight>(x[k + j]) * w[k + j];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Eight entries of a dense column, from anywhere.
template <class Weight>
struct Gathered {
    typedef Weight Vector __attribute__((vector_size(8 * sizeof(Weight))));

    // Forced inline: a vector that is returned would be passed in other registers by other levels.
    [[gnu::always_inline]] static inline Vector of(const Weight* w, const std::int32_t* index) {
        return Vector{w[index[0]], w[index[1]], w[index[2]], w[index[3]],
                      w[index[4]], w[index[5]], w[index[6]], w[index[7]]};
    }
    template <class Value>
    [[gnu::always_inline]] static inline Vector values(const Value* v) {
        typedef Value Raw __attribute__((vector_size(8 * sizeof(Value))));
        Raw raw;
        __builtin_memcpy(&raw, v, sizeof raw);
        return __builtin_convertvector(raw, Vector);
    }
};

// The same for the long rows of texts: sixteen partial sums. meanwhile(k) is called once for every sixteen
// entries, with the number of the first: time to prefetch what comes later.
template <class Value, class Weight, class Meanwhile>
[[gnu::always_inline]] inline Weight long_dot(Row<Value> x, const Weight* w, Meanwhile meanwhile) {
    using Eight = Gathered<Weight>;
    typename Eight::Vector a{}, b{};
    std::ptrdiff_t k = 0;
    for (; k + 16 <= x.size; k += 16) {
        meanwhile(k);
        a += Eight::values(x.value + k) * Eight::of(w, x.index + k);
        b += Eight::values(x.value + k + 8) * Eight::of(w, x.index + k + 8);
    }
    Weight rest = 0;
    for (; k < x.size; ++k) rest += static_cast<Weight>(x.value[k]) * w[x.index[k]];
    a += b;
    return (((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]))) + rest;
}

template <class Value, class Weight>
[[gnu::always_inline]] inline Weight long_dot(Row<Value> x, const Weight* w) {
    return long_dot(x, w, [](std::ptrdiff_t) {});
}

// w += a · x for one dense column; four at a time, because no column comes twice.
template <class Value, class Weight>
inline void axpy(Weight a, Row<Value> x, Weight* w) {
    std::ptrdiff_t k = 0;
    for (; k + 4 <= x.size; k += 4) {
        Weight sum[4];
        for (int j = 0; j < 4; ++j) sum[j] = w[x.index[k + j]] + a * static_cast<Weight>(x.value[k + j]);
        for (int j = 0; j < 4; ++j) w[x.index[k + j]] = sum[j];
    }
    for (; k < x.size; ++k) w[x.index[k]] += a * static_cast<Weight>(x.value[k]);
}

// The same for the long rows of texts: eight at a time.
template <class Value, class Weight>
[[gnu::always_inline]] inline void long_axpy(Weight a, Row<Value> x, Weight* w) {
    using Eight = Gathered<Weight>;
    std::ptrdiff_t k = 0;
    for (; k + 8 <= x.size; k += 8) {
        const typename Eight::Vector sum = Eight::of(w, x.index + k) + a * Eight::values(x.value + k);
        for (int j = 0; j < 8; ++j) w[x.index[k + j]] = sum[j];
    }
    for (; k < x.size; ++k) w[x.index[k]] += a * static_cast<Weight>(x.value[k]);
}

// ‖x‖², with four partial sums in a fixed order.
template <class Value>
inline double sq_norm(Row<Value> x) {
    double sum[4] = {};
    std::ptrdiff_t k = 0;
    for (; k + 4 <= x.size; k += 4)
        for (int j = 0; j < 4; ++j) sum[j] += static_cast<double>(x.value[k + j]) * x.value[k + j];
    for (int j = 0; k < x.size; ++k, ++j) sum[j] += static_cast<double>(x.value[k]) * x.value[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace lindy
