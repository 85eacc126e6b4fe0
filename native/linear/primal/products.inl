// Kernels of linear/primal/products.hpp, compiled once per instruction-set level. Every sum has a fixed
// order: over the non-zeros of a row as stored, over rows from top to bottom.

// Rows of W or G are touched at random, so the next few are asked for ahead of time.
static constexpr std::ptrdiff_t ahead = 8;
static inline void fetch_row(const double* row, std::int64_t K) {
    for (std::int64_t c = 0; c < K; c += 8) __builtin_prefetch(row + c);
    __builtin_prefetch(row + K - 1);
}

// out[c] = Σ_k x_k · w[index_k·K + c] for c < Width, the sums held in registers.
template <int Width, class Value>
static inline void scores_block(Row<Value> x, const double* w, std::int64_t K, double* out) {
    double sum[Width] = {};
    for (std::ptrdiff_t k = 0; k < x.size; ++k) {
        if (k + ahead < x.size) fetch_row(w + x.index[k + ahead] * K, Width);
        const double v = static_cast<double>(x.value[k]);
        const double* row = w + x.index[k] * K;
        for (int c = 0; c < Width; ++c) sum[c] += v * row[c];
    }
    for (int c = 0; c < Width; ++c) out[c] = sum[c];
}

template <class Value>
static inline void scores_row(Row<Value> x, const double* w, std::int64_t K, double* out) {
    if (K == 1) {
        out[0] = dot(x, w);
        return;
    }
    for (std::int64_t c = 0; c < K;) {
        const std::int64_t left = K - c;
        if (left >= 32) {
            scores_block<32>(x, w + c, K, out + c), c += 32;
        } else if (left >= 20) {
            scores_block<20>(x, w + c, K, out + c), c += 20;
        } else if (left >= 16) {
            scores_block<16>(x, w + c, K, out + c), c += 16;
        } else if (left >= 8) {
            scores_block<8>(x, w + c, K, out + c), c += 8;
        } else if (left >= 4) {
            scores_block<4>(x, w + c, K, out + c), c += 4;
        } else if (left == 3) {
            scores_block<3>(x, w + c, K, out + c), c += 3;
        } else if (left == 2) {
            scores_block<2>(x, w + c, K, out + c), c += 2;
        } else {
            scores_block<1>(x, w + c, K, out + c), c += 1;
        }
    }
}

// S_i = x_iᵀW for the rows first … last−1.
template <class Value>
void score_rows(CsrView<Value> x, const double* w, std::int64_t K, double* scores, std::int64_t first,
                std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) scores_row(x.row(i), w, K, scores + i * K);
}

template <int Width>
static inline void add_block(double v, const double* r, double* g) {
    for (int c = 0; c < Width; ++c) g[c] += v * r[c];
}

static inline void add_scaled(double v, const double* r, std::int64_t K, double* g) {
    std::int64_t c = 0;
    for (; c + 8 <= K; c += 8) add_block<8>(v, r + c, g + c);
    if (c + 4 <= K) add_block<4>(v, r + c, g + c), c += 4;
    if (c + 2 <= K) add_block<2>(v, r + c, g + c), c += 2;
    if (c < K) g[c] += v * r[c];
}

// G_j += x_j·r for one row x.
template <class Value>
static inline void add_row(Row<Value> x, const double* r, std::int64_t K, double* gradient) {
    if (K == 1) return axpy(r[0], x, gradient);
    for (std::ptrdiff_t k = 0; k < x.size; ++k) {
        if (k + ahead < x.size) fetch_row(gradient + x.index[k + ahead] * K, K);
        add_scaled(static_cast<double>(x.value[k]), r, K, gradient + x.index[k] * K);
    }
}

// G = XᵀR, row after row.
template <class Value>
void add_rows(CsrView<Value> x, const double* residuals, std::int64_t K, double* gradient) {
    for (std::int64_t i = 0; i < x.n_rows; ++i) add_row(x.row(i), residuals + i * K, K, gradient);
}

// The part of x in a range of columns: cut out by bisection.
template <class Value>
static inline Row<Value> between(Row<Value> x, ColumnRange range) {
    const std::int32_t* end = x.index + x.size;
    const std::int32_t* from = std::lower_bound(x.index, end, range.first);
    const std::int32_t* to = std::lower_bound(from, end, range.last);
    return {from, x.value + (from - x.index), to - from};
}

// The same, for rows in any order: sifted into a buffer.
template <class Value>
static inline Row<Value> sifted(Row<Value> x, ColumnRange range, std::int32_t* index, Value* value) {
    std::ptrdiff_t size = 0;
    for (std::ptrdiff_t k = 0; k < x.size; ++k) {
        index[size] = x.index[k];
        value[size] = x.value[k];
        size += x.index[k] >= range.first && x.index[k] < range.last;
    }
    return {index, value, size};
}

// The rows of G = XᵀR that belong to one range of columns, over all rows of X in order: whoever owns the
// range, and wherever it is cut, each sum is the same.
template <class Value>
void add_columns(CsrView<Value> x, const double* residuals, std::int64_t K, double* gradient,
                 ColumnRange range, bool sorted, std::int32_t* index, Value* value) {
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        const Row<Value> row = x.row(i);
        add_row(sorted ? between(row, range) : sifted(row, range, index, value), residuals + i * K, K,
                gradient);
    }
}
