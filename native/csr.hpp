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
// Whoever builds one has checked that indptr is monotonic and that every index is in range.
template <class Value>
struct CsrView {
    const std::int64_t* indptr;
    const std::int32_t* indices;
    const Value* values;
    std::int64_t n_rows;
    std::int64_t n_columns;

    Row<Value> row(std::int64_t i) const {
        const std::int64_t begin = indptr[i];
        return {indices + begin, values + begin, static_cast<std::ptrdiff_t>(indptr[i + 1] - begin)};
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

// w += a · x for one dense column.
template <class Value, class Weight>
inline void axpy(Weight a, Row<Value> x, Weight* w) {
    for (std::ptrdiff_t k = 0; k < x.size; ++k) w[x.index[k]] += a * static_cast<Weight>(x.value[k]);
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
