// Kernels of linear/primal/objective.hpp, compiled once per instruction-set level. Every sum has a fixed
// order: over the non-zeros of a row as stored, over classes from left to right, over rows from top to
// bottom.

namespace fastmath {
#include "core/fastmath.inl"
}
namespace losses {
#include "linear/losses.inl"
}

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

// Functions of single numbers are evaluated on pieces of this many, a whole number of vectors at any level.
static constexpr std::int64_t piece = 64;
typedef double Doubles __attribute__((vector_size(LINDY_VECTOR_BYTES)));
static constexpr std::int64_t lanes = LINDY_VECTOR_BYTES / sizeof(double);

static inline Doubles load_lanes(const double* from) {
    Doubles v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
static inline void store_lanes(Doubles v, double* to) {
    __builtin_memcpy(to, &v, sizeof v);
}

// A margin loss of a piece of scores s with signs t = ±1, its derivative and its second derivative in s. The
// first `count` scores are wanted; there is room for whole vectors.
template <class Loss>
static void margin_piece(const double* s, const double* t, std::int64_t count, double* loss, double* slope,
                         double* curve) {
    for (std::int64_t c = 0; c < count; c += lanes) {
        const Doubles sign = load_lanes(t + c);
        const auto at = Loss::at(sign * load_lanes(s + c), Doubles{} + 1.0);
        store_lanes(at.value, loss + c);
        store_lanes(-sign * at.slope, slope + c);
        store_lanes(at.curvature, curve + c);
    }
}

static inline double row_weight(const LabelledRows& rows, std::int64_t i) {
    return rows.scale * (rows.weight ? rows.weight[i] : 1.0);
}

// The binary losses of all outputs of rows first … last−1, in pieces that run along the classes, or down the
// rows when there is one output.
static inline double binary_loss_rows(const LabelledRows& rows, const double* scores, const double* bias,
                                      double* residuals, double* curves, std::int64_t first,
                                      std::int64_t last) {
    double s[piece] = {}, t[piece] = {}, loss[piece], slope[piece], curve[piece];
    const std::int64_t K = rows.n_outputs;
    const auto lose =
        losses::with_margin_loss(rows.loss, [](auto loss) { return margin_piece<decltype(loss)>; });
    double total = 0;
    for (std::int64_t at = first * K; at < last * K;) {
        const std::int64_t i = at / K, c = at % K;
        const std::int64_t count = std::min(piece, K == 1 ? last - i : K - c);
        for (std::int64_t q = 0; q < count; ++q) {
            s[q] = scores[at + q] + (K == 1 ? bias[0] : bias[c + q]);
            t[q] = (K == 1 ? rows.y[i + q] == 1 : rows.y[i] == c + q) ? 1.0 : -1.0;
        }
        lose(s, t, count, loss, slope, curve);
        for (std::int64_t q = 0; q < count; ++q) {
            const double w = row_weight(rows, K == 1 ? i + q : i);
            total += w * loss[q];
            residuals[at + q] = w * slope[q];
            curves[at + q] = w * curve[q];
        }
        at += count;
    }
    return total;
}

// Losses of the rows first … last−1 and, per row, the weighted residual ∂/∂s and what the curvature needs:
// the probabilities (softmax) or the weighted second derivatives (binary losses). Returns Σ weight·loss.
double loss_rows(const LabelledRows& rows, const double* scores, const double* bias, double* residuals,
                 double* curves, std::int64_t first, std::int64_t last) {
    if (!rows.joint()) return binary_loss_rows(rows, scores, bias, residuals, curves, first, last);
    const std::int64_t K = rows.n_outputs;
    double total = 0;
    for (std::int64_t i = first; i < last; ++i) {
        const double w = row_weight(rows, i);
        double* r = residuals + i * K;
        double* p = curves + i * K;
        for (std::int64_t c = 0; c < K; ++c) p[c] = scores[i * K + c] + bias[c];
        const double own = p[rows.y[i]];
        const auto sum = losses::Softmax::at(p, K, p);
        total += w * (sum.log_sum + (sum.top - own));
        for (std::int64_t c = 0; c < K; ++c) r[c] = w * p[c];
        r[rows.y[i]] -= w;
    }
    return total;
}

// u_i ← D_i·u_i, the Hessian of the loss in the scores: weight·(diag(p) − p·pᵀ) or the curvatures themselves.
void curve_rows(const LabelledRows& rows, const double* curves, double* u, std::int64_t first,
                std::int64_t last) {
    const std::int64_t K = rows.n_outputs;
    for (std::int64_t i = first; i < last; ++i) {
        const double* d = curves + i * K;
        double* v = u + i * K;
        if (!rows.joint()) {
            for (std::int64_t c = 0; c < K; ++c) v[c] *= d[c];
            continue;
        }
        const double w = row_weight(rows, i);
        double mean = 0;
        for (std::int64_t c = 0; c < K; ++c) mean += d[c] * v[c];
        for (std::int64_t c = 0; c < K; ++c) v[c] = w * d[c] * (v[c] - mean);
    }
}

// The conjugate of a piece of p in its domain.
template <class Loss>
static void conjugate_piece(const double* p, std::int64_t count, double* out) {
    for (std::int64_t c = 0; c < count; c += lanes) store_lanes(Loss::conjugate(load_lanes(p + c)), out + c);
}

// Σ weight·ℓ*(u_i / weight) over the rows of u, which must lie in the domain: p = u + e_y for softmax, whose
// conjugate is a sum over the outputs, and p = |u| for the margin losses.
double conjugate_rows(const LabelledRows& rows, const double* u, std::int64_t first, std::int64_t last) {
    const std::int64_t K = rows.n_outputs;
    const auto conjugate =
        rows.joint()
            ? conjugate_piece<losses::Softmax>
            : losses::with_margin_loss(rows.loss, [](auto loss) { return conjugate_piece<decltype(loss)>; });
    double p[piece] = {}, value[piece];
    double total = 0;
    for (std::int64_t at = first * K; at < last * K; at += piece) {
        const std::int64_t count = std::min(piece, last * K - at);
        for (std::int64_t q = 0; q < count; ++q) {
            const std::int64_t i = (at + q) / K;
            const double w = row_weight(rows, i);
            const double a = w > 0 ? u[at + q] / w : 0.0;
            const double own = is_own(rows.y[i], (at + q) % K, K) ? 1.0 : 0.0;
            p[q] = rows.joint() ? std::max(a + own, 0.0) : std::abs(a);
        }
        conjugate(p, count, value);
        for (std::int64_t q = 0; q < count; ++q) total += row_weight(rows, (at + q) / K) * value[q];
    }
    return total;
}

// Eight running sums, added pairwise at the end.
double dot_range(const double* a, const double* b, std::int64_t first, std::int64_t last) {
    double sum[8] = {};
    std::int64_t i = first;
    for (; i + 8 <= last; i += 8)
        for (int lane = 0; lane < 8; ++lane) sum[lane] += a[i + lane] * b[i + lane];
    for (int lane = 0; i < last; ++i, ++lane) sum[lane] += a[i] * b[i];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}
