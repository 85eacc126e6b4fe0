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

// Dense rows meet W in tiles of four rows and up to twelve outputs, in registers. Every sum has the order that
// it has for sparse rows, so that both give the same bits. W, as the sums, is in lines of whole vectors.
typedef double Four __attribute__((vector_size(32)));
static constexpr std::int64_t tile_rows = 4;

static inline std::int64_t in_fours(std::int64_t K) {
    return (K + 3) / 4 * 4;
}

// The same of one output: four partial sums, as in dot().
template <class Value>
static inline void dense_dots(const Value* const* x, std::int64_t d, const double* w, double* out) {
    typedef Value Raw __attribute__((vector_size(4 * sizeof(Value))));
    Four sum[tile_rows] = {};
    std::int64_t j = 0;
    for (; j + 4 <= d; j += 4) {
        Four own;
        __builtin_memcpy(&own, w + j, sizeof own);
        for (int r = 0; r < tile_rows; ++r) {
            Raw raw;
            __builtin_memcpy(&raw, x[r] + j, sizeof raw);
            sum[r] += __builtin_convertvector(raw, Four) * own;
        }
    }
    for (int r = 0; r < tile_rows; ++r) {
        for (std::int64_t k = j; k < d; ++k) sum[r][k - j] += static_cast<double>(x[r][k]) * w[k];
        out[r] = (sum[r][0] + sum[r][1]) + (sum[r][2] + sum[r][3]);
    }
}

// n ≤ 4 rows, and the outputs from c on that `Width` vectors hold.
template <int Width, class Value>
static inline void dense_outputs(const Value* const* x, std::int64_t d, const double* w, std::int64_t K,
                                 std::int64_t c, std::int64_t n, double* scores) {
    Four sum[tile_rows][Width] = {};
    w += c;
    for (std::int64_t j = 0; j < d; ++j, w += in_fours(K)) {
        Four own[Width];
        __builtin_memcpy(own, w, sizeof own);
        for (int r = 0; r < tile_rows; ++r) {
            const double v = static_cast<double>(x[r][j]);
            for (int k = 0; k < Width; ++k) sum[r][k] += v * own[k];
        }
    }
    for (std::int64_t r = 0; r < n; ++r)
        __builtin_memcpy(scores + r * K + c, sum[r],
                         static_cast<std::size_t>(std::min<std::int64_t>(4 * Width, K - c)) * sizeof(double));
}

// W in lines of whole vectors.
static inline std::vector<double> padded(const double* w, std::int64_t d, std::int64_t K) {
    std::vector<double> lines(static_cast<std::size_t>(K > 1 ? d * in_fours(K) : 0), 0.0);
    for (std::int64_t j = 0; K > 1 && j < d; ++j) std::copy_n(w + j * K, K, lines.data() + j * in_fours(K));
    return lines;
}

// S of dense rows; `lines` is W, padded.
template <class Value>
static inline void score_dense(CsrView<Value> x, const double* w, const double* lines, std::int64_t K,
                               double* scores, std::int64_t first, std::int64_t last) {
    const std::int64_t d = x.n_columns;
    for (std::int64_t i = first; i < last; i += tile_rows, scores += tile_rows * K) {
        const std::int64_t n = std::min(tile_rows, last - i);
        const Value* rows[tile_rows];
        for (std::int64_t r = 0; r < tile_rows; ++r) rows[r] = x.values + (i + (r < n ? r : 0)) * d;
        if (K == 1) {
            double out[tile_rows];
            dense_dots(rows, d, w, out);
            std::copy(out, out + n, scores);
            continue;
        }
        for (std::int64_t c = 0; c < K;) {
            const std::int64_t left = (in_fours(K) - c) / 4;
            if (left >= 3) {
                dense_outputs<3>(rows, d, lines, K, c, n, scores), c += 12;
            } else if (left == 2) {
                dense_outputs<2>(rows, d, lines, K, c, n, scores), c += 8;
            } else {
                dense_outputs<1>(rows, d, lines, K, c, n, scores), c += 4;
            }
        }
    }
}

// S_i = x_iᵀW for the rows first … last−1.
template <class Value>
void score_rows(CsrView<Value> x, const double* w, std::int64_t K, double* scores, std::int64_t first,
                std::int64_t last) {
    if (x.dense()) {
        const auto lines = padded(w, x.n_columns, K);
        return score_dense(x, w, lines.data(), K, scores + first * K, first, last);
    }
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

// Adds x_ij·r_i, for the dense rows i = first … last−1, to the sums of the columns of a range; `sums` are lines
// of whole vectors, `residuals` those of the first of the rows.
template <class Value>
static inline void add_dense(CsrView<Value> x, const double* residuals, std::int64_t K, double* sums,
                             ColumnRange range, std::int64_t first, std::int64_t last) {
    const std::int64_t d = x.n_columns, stride = in_fours(K);
    for (std::int64_t c = 0; c < K; c += 4)
        for (std::int64_t i = first; i < last; i += tile_rows) {
            const std::int64_t n = std::min(tile_rows, last - i);
            Four r[tile_rows] = {};
            const Value* rows[tile_rows];
            for (std::int64_t t = 0; t < tile_rows; ++t) {
                rows[t] = x.values + (i + (t < n ? t : 0)) * d;
                if (t < n)
                    __builtin_memcpy(
                        r + t, residuals + (i - first + t) * K + c,
                        static_cast<std::size_t>(std::min<std::int64_t>(4, K - c)) * sizeof(double));
            }
            for (std::int64_t j = range.first; j < range.last; ++j) {
                Four sum;
                __builtin_memcpy(&sum, sums + j * stride + c, sizeof sum);
                for (std::int64_t t = 0; t < tile_rows; ++t) sum += static_cast<double>(rows[t][j]) * r[t];
                __builtin_memcpy(sums + j * stride + c, &sum, sizeof sum);
            }
        }
}

// The same of one output, whose sums lie side by side.
template <class Value>
static inline void add_dense_output(CsrView<Value> x, const double* residuals, double* sums,
                                    ColumnRange range, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
        const double r = residuals[i - first];
        const Value* row = x.values + i * x.n_columns;
        for (std::int64_t j = range.first; j < range.last; ++j) sums[j] += r * static_cast<double>(row[j]);
    }
}

// Rows of X that stay in a near cache while all outputs meet them.
static constexpr std::int64_t cached_rows = 32;

template <class Value>
static inline void add_dense_range(CsrView<Value> x, const double* residuals, std::int64_t K,
                                   double* gradient, ColumnRange range) {
    if (K == 1) return add_dense_output(x, residuals, gradient, range, 0, x.n_rows);
    std::vector<double> sums(static_cast<std::size_t>(x.n_columns * in_fours(K)), 0.0);
    for (std::int64_t i = 0; i < x.n_rows; i += cached_rows)
        add_dense(x, residuals + i * K, K, sums.data(), range, i, std::min(i + cached_rows, x.n_rows));
    for (std::int64_t j = range.first; j < range.last; ++j)
        std::copy_n(sums.data() + j * in_fours(K), K, gradient + j * K);
}

// G = XᵀR, row after row.
template <class Value>
void add_rows(CsrView<Value> x, const double* residuals, std::int64_t K, double* gradient) {
    if (x.dense()) return add_dense_range(x, residuals, K, gradient, {0, x.n_columns});
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
    if (x.dense()) return add_dense_range(x, residuals, K, gradient, range);
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        const Row<Value> row = x.row(i);
        add_row(sorted ? between(row, range) : sifted(row, range, index, value), residuals + i * K, K,
                gradient);
    }
}
