// Kernels of linear/primal/objective.hpp, compiled once per instruction-set level. Every sum has a fixed
// order: over the non-zeros of a row as stored, over classes from left to right, over rows from top to
// bottom.

namespace fastmath {
#include "core/fastmath.inl"
}
namespace losses {
#include "linear/losses.inl"
}
namespace row_products {
#include "linear/primal/products.inl"
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

// The margin that row i asks of output c: ρ of one output, ρ[c, y] of several, or 1.
static inline double asked(const LabelledRows& rows, std::int64_t i, std::int64_t c) {
    if (!rows.margin) return 1.0;
    return rows.n_outputs == 1 ? rows.margin[rows.y[i]] : rows.margin[c * rows.n_outputs + rows.y[i]];
}

// The envelope of the hinge around the multiplier a, max_v v·slack − (v − a)² / 2σ over v in [0, 1]: attained
// at v = clip(a + σ·slack), its derivative in the slack is v.
static inline void smoothed_hinge_piece(const double* s, const double* t, const double* rho, const double* a,
                                        double sigma, std::int64_t count, double* loss, double* slope,
                                        double* curve) {
    for (std::int64_t c = 0; c < count; ++c) {
        const double slack = rho[c] - t[c] * s[c];
        const double wish = a[c] + sigma * slack;
        const double v = wish < 0 ? 0.0 : wish > 1 ? 1.0 : wish;
        loss[c] = v * slack - (v - a[c]) * (v - a[c]) / (2 * sigma);
        slope[c] = -t[c] * v;
        curve[c] = wish > 0 && wish < 1 ? sigma : 0.0;
    }
}

// The point of the simplex nearest to v, and the number of its positive entries; `order` is scratch.
static inline void project_on_simplex(const double* v, std::int64_t K, double* order, double* z) {
    for (std::int64_t c = 0; c < K; ++c) order[c] = v[c];
    double tau = 0, sum = -1.0;
    for (std::int64_t k = 0; k < K; ++k) {  // the largest first, until the next is below the threshold
        std::int64_t top = k;
        for (std::int64_t c = k + 1; c < K; ++c)
            if (order[c] > order[top]) top = c;
        const double value = order[top];
        order[top] = order[k];
        if (k > 0 && value * static_cast<double>(k + 1) <= sum + value) break;
        sum += value;
        tau = sum / static_cast<double>(k + 1);
    }
    for (std::int64_t c = 0; c < K; ++c) z[c] = v[c] > tau ? v[c] - tau : 0.0;
}

// The envelope of Crammer and Singer's hinge around the multipliers a of one row:
// max_z ⟨z, ρ + s⟩ − s_y − ‖z − a‖² / 2σ over the simplex, attained at the projection z of a + σ·(ρ + s).
static inline double smoothed_multiclass_row(const LabelledRows& rows, std::int64_t i, const double* score,
                                             const double* bias, double* z, double* curve, double* scratch) {
    const std::int64_t K = rows.n_outputs;
    const double* a = rows.multipliers + i * K;
    double* wish = scratch + K;
    double* slack = scratch + 2 * K;
    for (std::int64_t c = 0; c < K; ++c) {
        slack[c] = asked(rows, i, c) + score[c] + bias[c];
        wish[c] = a[c] + rows.sigma * slack[c];
    }
    project_on_simplex(wish, K, scratch, z);
    double loss = -(score[rows.y[i]] + bias[rows.y[i]]);
    for (std::int64_t c = 0; c < K; ++c) {
        loss += z[c] * slack[c] - (z[c] - a[c]) * (z[c] - a[c]) / (2 * rows.sigma);
        curve[c] = z[c] > 0 ? rows.sigma : 0.0;
    }
    return loss;
}

static inline double row_weight(const LabelledRows& rows, std::int64_t i) {
    return rows.scale * (rows.weight ? rows.weight[i] : 1.0);
}

// The binary losses of all outputs of rows first … last−1, in pieces that run along the classes, or down the
// rows when there is one output. `own` gets the loss of every row, unless it is null.
static inline double binary_loss_rows(const LabelledRows& rows, const double* scores, const double* bias,
                                      double* residuals, double* curves, std::int64_t first,
                                      std::int64_t last, double* own = nullptr) {
    double s[piece] = {}, t[piece] = {}, rho[piece], loss[piece], slope[piece], curve[piece];
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
        if (!is_smooth(rows.loss)) {
            for (std::int64_t q = 0; q < count; ++q) rho[q] = K == 1 ? asked(rows, i + q, 0) : 1.0;
            smoothed_hinge_piece(s, t, rho, rows.multipliers + at, rows.sigma, count, loss, slope, curve);
        } else {
            lose(s, t, count, loss, slope, curve);
        }
        for (std::int64_t q = 0; q < count; ++q) {
            const double w = row_weight(rows, K == 1 ? i + q : i);
            total += w * loss[q];
            residuals[at + q] = w * slope[q];
            curves[at + q] = w * curve[q];
            if (own) own[K == 1 ? i + q : i] = c + q == 0 || K == 1 ? w * loss[q] : own[i] + w * loss[q];
        }
        at += count;
    }
    return total;
}

// Losses of the rows first … last−1 and, per row, the weighted residual ∂/∂s and what the curvature needs:
// d of curve_share (joint losses) or the weighted second derivatives (the others). Returns Σ weight·loss.
double loss_rows(const LabelledRows& rows, const double* scores, const double* bias, double* residuals,
                 double* curves, std::int64_t first, std::int64_t last) {
    if (!rows.joint()) return binary_loss_rows(rows, scores, bias, residuals, curves, first, last);
    const std::int64_t K = rows.n_outputs;
    double total = 0;
    if (!is_smooth(rows.loss)) {
        std::vector<double> scratch(static_cast<std::size_t>(3 * K));
        for (std::int64_t i = first; i < last; ++i) {
            const double w = row_weight(rows, i);
            double* r = residuals + i * K;
            total +=
                w * smoothed_multiclass_row(rows, i, scores + i * K, bias, r, curves + i * K, scratch.data());
            for (std::int64_t c = 0; c < K; ++c) r[c] *= w;
            r[rows.y[i]] -= w;
        }
        return total;
    }
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

// The same, with the loss of every row by itself.
void losses_of_rows(const LabelledRows& rows, const double* scores, const double* bias, double* residuals,
                    double* curves, double* own) {
    if (!rows.joint()) {
        binary_loss_rows(rows, scores, bias, residuals, curves, 0, rows.n_rows, own);
        return;
    }
    for (std::int64_t i = 0; i < rows.n_rows; ++i)
        own[i] = loss_rows(rows, scores, bias, residuals, curves, i, i + 1);
}

// u ← D_i·u, the Hessian of row i's loss in its scores: a joint one, or the curvatures themselves.
static inline void curve_row(const LabelledRows& rows, std::int64_t i, const double* d, double* u) {
    const std::int64_t K = rows.n_outputs;
    if (!rows.joint()) {
        for (std::int64_t c = 0; c < K; ++c) u[c] *= d[c];
        return;
    }
    const double w = row_weight(rows, i);
    double mean = 0;
    for (std::int64_t c = 0; c < K; ++c) mean += d[c] * u[c];
    mean *= curve_share(rows, d);
    for (std::int64_t c = 0; c < K; ++c) u[c] = w * d[c] * (u[c] - mean);
}

void curve_rows(const LabelledRows& rows, const double* curves, double* u, std::int64_t first,
                std::int64_t last) {
    const std::int64_t K = rows.n_outputs;
    for (std::int64_t i = first; i < last; ++i) curve_row(rows, i, curves + i * K, u + i * K);
}

// The same for dense rows, some at a time.
template <class Value>
static inline void hessian_dense(CsrView<Value> x, const LabelledRows& rows, bool bias, const double* curves,
                                 const double* V, double* G, std::int64_t first, std::int64_t last) {
    const std::int64_t K = rows.n_outputs, d = x.n_columns, stride = row_products::in_fours(K);
    const auto lines = row_products::padded(V, d, K);
    std::vector<double> sums(static_cast<std::size_t>(K > 1 ? d * stride : 0), 0.0);
    std::vector<double> u(static_cast<std::size_t>(row_products::cached_rows * K));
    for (std::int64_t i = first; i < last; i += row_products::cached_rows) {
        const std::int64_t end = std::min(i + row_products::cached_rows, last);
        row_products::score_dense(x, V, lines.data(), K, u.data(), i, end);
        for (std::int64_t r = i; r < end; ++r) {
            double* own = u.data() + (r - i) * K;
            for (std::int64_t c = 0; bias && c < K; ++c) own[c] += V[d * K + c];
            curve_row(rows, r, curves + r * K, own);
            for (std::int64_t c = 0; bias && c < K; ++c) G[d * K + c] += own[c];
        }
        if (K == 1)
            row_products::add_dense_output(x, u.data(), G, {0, d}, i, end);
        else
            row_products::add_dense(x, u.data(), K, sums.data(), {0, d}, i, end);
    }
    for (std::int64_t j = 0; K > 1 && j < d; ++j)
        for (std::int64_t c = 0; c < K; ++c) G[j * K + c] += sums[static_cast<std::size_t>(j * stride + c)];
}

// What the rows first … last−1 add to G = ∇²·V, columns × outputs with a last row for a bias: D_i·(x_iᵀV),
// spread over the columns of x_i while the row is at hand. Rows without curvature are left out.
template <class Value>
void hessian_rows(CsrView<Value> x, const LabelledRows& rows, bool bias, const double* curves,
                  const double* V, double* G, std::int64_t first, std::int64_t last) {
    if (x.dense()) return hessian_dense(x, rows, bias, curves, V, G, first, last);
    const std::int64_t K = rows.n_outputs;
    std::vector<double> u(static_cast<std::size_t>(K));
    const double* vb = V + x.n_columns * K;
    double* gb = G + x.n_columns * K;
    for (std::int64_t i = first; i < last; ++i) {
        const double* d = curves + i * K;
        bool curved = false;
        for (std::int64_t c = 0; c < K; ++c) curved |= d[c] != 0;
        if (!curved) continue;
        row_products::scores_row(x.row(i), V, K, u.data());
        if (bias)
            for (std::int64_t c = 0; c < K; ++c) u[static_cast<std::size_t>(c)] += vb[c];
        curve_row(rows, i, d, u.data());
        row_products::add_row(x.row(i), u.data(), K, G);
        if (bias)
            for (std::int64_t c = 0; c < K; ++c) gb[c] += u[static_cast<std::size_t>(c)];
    }
}

// Adds the diagonal of ∇², columns × outputs with a last row for a bias.
template <class Value>
void diagonal_rows(CsrView<Value> x, const LabelledRows& rows, bool bias, const double* curves, double* G) {
    const std::int64_t K = rows.n_outputs;
    std::vector<double> u(static_cast<std::size_t>(K));
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        const double* d = curves + i * K;
        const double share = rows.joint() ? curve_share(rows, d) : 0.0;
        const double w = rows.joint() ? row_weight(rows, i) : 1.0;
        for (std::int64_t c = 0; c < K; ++c)
            u[static_cast<std::size_t>(c)] = w * (d[c] - share * d[c] * d[c]);
        const Row<Value> row = x.row(i);
        for (std::ptrdiff_t k = 0; k < row.size; ++k) {
            const auto v = static_cast<double>(row.value[k]);
            row_products::add_scaled(v * v, u.data(), K, G + row.index[k] * K);
        }
        if (bias) row_products::add_scaled(1.0, u.data(), K, G + x.n_columns * K);
    }
}

// Slope and curvature of the loss of all rows in t, at the scores S + b + t·A.
void line_rows(const LabelledRows& rows, const double* scores, const double* bias, const double* along,
               const double* t, double* slope, double* curve) {
    const std::int64_t K = rows.n_outputs, size = rows.n_rows * K;
    std::vector<double> room(static_cast<std::size_t>(4 * size));
    double *moved = room.data(), *r = moved + size, *d = r + size, *u = d + size;
    for (std::int64_t i = 0; i < rows.n_rows; ++i)
        for (std::int64_t c = 0; c < K; ++c) moved[i * K + c] = scores[i * K + c] + t[c] * along[i * K + c];
    loss_rows(rows, moved, bias, r, d, 0, rows.n_rows);
    std::copy(along, along + size, u);
    const bool joint = rows.joint();
    for (std::int64_t i = 0; i < rows.n_rows; ++i) {
        curve_row(rows, i, d + i * K, u + i * K);
        for (std::int64_t c = 0; c < K; ++c) {
            slope[joint ? 0 : c] += r[i * K + c] * along[i * K + c];
            curve[joint ? 0 : c] += u[i * K + c] * along[i * K + c];
        }
    }
}

// Σ weight·hinge of the rows first … last−1: one per output, or Crammer and Singer's.
double hinge_rows(const LabelledRows& rows, const double* scores, const double* bias, std::int64_t first,
                  std::int64_t last) {
    const std::int64_t K = rows.n_outputs;
    double total = 0;
    for (std::int64_t i = first; i < last; ++i) {
        const double* s = scores + i * K;
        double loss = 0;
        if (rows.joint()) {
            for (std::int64_t c = 0; c < K; ++c)
                loss = std::max(loss, asked(rows, i, c) + s[c] + bias[c] - s[rows.y[i]] - bias[rows.y[i]]);
        } else {
            for (std::int64_t c = 0; c < K; ++c) {
                const double sign = is_own(rows.y[i], c, K) ? 1.0 : -1.0;
                loss += std::max(0.0, asked(rows, i, c) - sign * (s[c] + bias[c]));
            }
        }
        total += row_weight(rows, i) * loss;
    }
    return total;
}

// Σ −ρ·v of the hinges, whose dual variables v are |u|, or u + e_y of the joint one (with ρ[y, y] = 0).
static inline double hinge_conjugates(const LabelledRows& rows, const double* u, std::int64_t first,
                                      std::int64_t last) {
    const std::int64_t K = rows.n_outputs;
    double total = 0;
    for (std::int64_t i = first; i < last; ++i)
        for (std::int64_t c = 0; c < K; ++c)
            total -= asked(rows, i, c) * (rows.joint() ? u[i * K + c] : std::abs(u[i * K + c]));
    return total;
}

// The conjugate of a piece of p in its domain.
template <class Loss>
static void conjugate_piece(const double* p, std::int64_t count, double* out) {
    for (std::int64_t c = 0; c < count; c += lanes) store_lanes(Loss::conjugate(load_lanes(p + c)), out + c);
}

// Σ weight·ℓ*(u_i / weight) over the rows of u, which must lie in the domain: p = u + e_y for softmax, whose
// conjugate is a sum over the outputs, and p = |u| for the margin losses.
double conjugate_rows(const LabelledRows& rows, const double* u, std::int64_t first, std::int64_t last) {
    if (!is_smooth(rows.loss)) return hinge_conjugates(rows, u, first, last);
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
