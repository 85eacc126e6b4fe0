// Minimises the quadratic model of proximal Newton: coordinate descent finds which weights are zero and the
// signs of the others, then conjugate gradient moves all of these together.
//
// Coordinate descent is quick to find the signs and slow to balance features that occur together. With the
// signs held, what is left is a smooth quadratic: conjugate gradient with the diagonal as preconditioner, for
// a single output on a copy of the columns that is laid out row by row.
#pragma once

#include <limits>

#include "linear/primal/coordinate.hpp"

namespace lindy {

template <class Value>
class Descent {
  public:
    // `rows` is room for a copy of the columns, kept from one model to the next.
    Descent(const Columns<Value>& x, RowCopy<Value>& rows, const QuadraticModel& model, const Pairs& pairs,
            const BiasSteps& bias)
        : x_(x), rows_(rows), model_(model), pairs_(pairs), bias_(bias) {}

    // At most max_epochs of coordinate descent, fewer when the violations of a full epoch sum to at most
    // `tolerance`; then at most max_products of conjugate gradient. After a full epoch, only pairs that were
    // not at rest are visited. Returns the number of epochs and products.
    int run(double tolerance, int max_epochs, int max_products) {
        int epochs = 0;
        if (descend(tolerance, max_epochs, epochs)) return epochs;
        return epochs + polish(max_products);
    }

  private:
    // The epochs of coordinate descent; true if they reached the tolerance.
    bool descend(double tolerance, int max_epochs, int& epoch) {
        std::vector<std::int64_t> awake(static_cast<std::size_t>(pairs_.size));
        bool full = true;
        std::size_t n_awake = 0;
        while (epoch < max_epochs) {
            ++epoch;
            double violation = 0;
            const std::size_t visits = full ? awake.size() : n_awake;
            n_awake = 0;
            for (std::size_t v = 0; v < visits; ++v) {
                const std::int64_t q = full ? static_cast<std::int64_t>(v) : awake[v];
                const double missed = minimise_pair(x_, model_, pairs_, q);
                violation += missed;
                if (missed > 0 || pairs_.w[q] != 0) awake[n_awake++] = q;
            }
            if (bias_.b)
                for (std::int64_t k = 0; k < model_.n_outputs; ++k) minimise_bias(model_, bias_, k);
            const bool done = violation <= tolerance;
            if (done && full) return true;
            full = done;
        }
        return false;
    }

    using Vector = std::vector<double>;

    // A coordinate that is not at zero: a pair, or the bias of an output (pair < 0).
    struct Free {
        std::int64_t pair;
        std::int64_t output;
        double* z;
        double slope;  // of the model with the signs held
        double curvature;
        double l1;
        double l2;
    };

    // Conjugate gradient over the weights that are not zero; returns the products. Weights that would change
    // their sign become zero. Where that loses the decrease, the way is gone again with care: it ends at the
    // first change, and the next one begins there.
    int polish(int max_products) {
        int products = 0;
        for (int budget = max_products; products < budget;) {
            collect_free();
            if (free_.empty()) break;
            products += conjugate_gradient(budget - products);
            if (careful_) {
                move(direction_, direction_scores_);
                if (!crossed_) break;
            } else {
                if (move_within_signs()) break;
                careful_ = true;
                budget += max_products;
            }
        }
        return products;
    }

    void collect_free() {
        free_.clear();
        curve(model_.step, !model_.p);
        for (std::int64_t q = 0; q < pairs_.size; ++q)
            if (pairs_.w[q] != 0)
                add_free({q, pairs_.output[q], pairs_.w + q, pairs_.slope[q], pairs_.curvature[q], model_.l1,
                          model_.l2});
        for (std::int64_t k = 0; bias_.b && k < model_.n_outputs; ++k)
            if (bias_.l1 == 0 || bias_.b[k] != 0)
                add_free({-1, k, bias_.b + k, bias_.slope[k], bias_.curvature[k], bias_.l1, bias_.l2});
    }

    void add_free(Free f) {
        f.curvature += f.l2;
        if (!(f.curvature > 0)) return;
        f.slope += along_column(f) + f.l2 * *f.z + (*f.z > 0 ? f.l1 : -f.l1);
        free_.push_back(f);
    }

    // curved_ ← D·s; `done` says that s is D·s already.
    void curve(const double* s, bool done) {
        const std::int64_t n = model_.n_rows, size = model_.n_outputs * n;
        curved_.assign(s, s + size);
        if (done) return;
        for (std::int64_t i = 0; !model_.p && i < size; ++i)
            curved_[static_cast<std::size_t>(i)] *= model_.h[i];
        if (!model_.p) return;
        Vector mean(static_cast<std::size_t>(n), 0.0);
        for (std::int64_t i = 0; i < size; ++i) mean[static_cast<std::size_t>(i % n)] += model_.p[i] * s[i];
        for (std::int64_t i = 0; i < size; ++i)
            curved_[static_cast<std::size_t>(i)] =
                model_.h[i] * (s[i] - mean[static_cast<std::size_t>(i % n)]);
    }

    // Σ_i x_i·curved_i of a coordinate.
    double along_column(const Free& f) const {
        const double* u = curved_.data() + f.output * model_.n_rows;
        if (f.pair >= 0) return dot(x_.column(pairs_.column[f.pair]), u);
        double sum[4] = {0, 0, 0, 0};
        for (std::int64_t i = 0; i < model_.n_rows; ++i) sum[i & 3] += u[i];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }

    // s ← Xv over the free coordinates.
    void scores(const Vector& v, Vector& s) const {
        s.assign(static_cast<std::size_t>(model_.n_outputs * model_.n_rows), 0.0);
        for (std::size_t c = 0; c < free_.size(); ++c) add_along(free_[c], v[c], s);
    }

    // s += the scores of a change of one coordinate.
    void add_along(const Free& f, double change, Vector& s) const {
        double* to = s.data() + f.output * model_.n_rows;
        if (f.pair >= 0) return axpy(change, x_.column(pairs_.column[f.pair]), to);
        for (std::int64_t i = 0; i < model_.n_rows; ++i) to[i] += change;
    }

    // product ← (XᵀDX + l2)·v over the free coordinates.
    void curved_product(const Vector& v, Vector& product) {
        const std::size_t m = free_.size();
        if (model_.p) {
            scores(v, direction_scores_);
            curve(direction_scores_.data(), false);
            for (std::size_t c = 0; c < m; ++c) product[c] = along_column(free_[c]);
        } else {
            row_products(v, product);
        }
        for (std::size_t c = 0; c < m; ++c) product[c] += free_[c].l2 * v[c];
    }

    // The same without l2 for a single output: each row gives x_i·(h_i·(x_i·v)), and is read once.
    void row_products(const Vector& v, Vector& product) const {
        const bool bias = !free_.empty() && free_.back().pair < 0;
        std::fill(product.begin(), product.end(), 0.0);
        for (std::int64_t i = 0; i < model_.n_rows; ++i) {
            const Row<Value> row = rows_.row(static_cast<std::size_t>(i));
            const double t = model_.h[i] * (dot(row, v.data()) + (bias ? v.back() : 0.0));
            axpy(t, row, product.data());
            if (bias) product.back() += t;
        }
    }

    void lay_out_free() {
        std::vector<std::int32_t> which;
        for (const Free& f : free_)
            if (f.pair >= 0) which.push_back(pairs_.column[f.pair]);
        lay_out_rows(x_, which.data(), static_cast<std::int64_t>(which.size()), model_.n_rows, rows_);
    }

    // direction_ ≈ the way from here to the minimum with signs held, direction_scores_ = X·direction_.
    int conjugate_gradient(int max_products) {
        const std::size_t m = free_.size();
        crossed_ = false;
        if (!model_.p) lay_out_free();
        Vector residual(m), p(m), product(m);
        direction_.assign(m, 0.0);
        double square = 0;
        for (std::size_t c = 0; c < m; ++c) {
            residual[c] = -free_[c].slope;
            p[c] = residual[c] / free_[c].curvature;
            square += residual[c] * p[c];
        }
        const double enough = forcing * forcing * square;
        int products = 0;
        while (square > enough && products < max_products) {
            ++products;
            curved_product(p, product);
            double bend = 0;
            for (std::size_t c = 0; c < m; ++c) bend += p[c] * product[c];
            double t = square / bend;
            if (!(bend > 0) || !std::isfinite(t)) break;
            const double room = careful_ ? to_first_crossing(p) : std::numeric_limits<double>::infinity();
            if (room <= t) t = room, crossed_ = true;
            double next = 0;
            for (std::size_t c = 0; c < m; ++c) {
                direction_[c] += t * p[c];
                residual[c] -= t * product[c];
                next += residual[c] * residual[c] / free_[c].curvature;
            }
            for (std::size_t c = 0; c < m; ++c)
                p[c] = residual[c] / free_[c].curvature + next / square * p[c];
            square = next;
            if (crossed_) break;
        }
        scores(direction_, direction_scores_);
        return std::max(products, 1);
    }

    // How far from z + direction along p the first sign changes.
    double to_first_crossing(const Vector& p) const {
        double room = std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < free_.size(); ++c) {
            const double z = *free_[c].z + direction_[c];
            if (free_[c].l1 > 0 && z * p[c] < 0) room = std::min(room, -z / p[c]);
        }
        return room;
    }

    // Goes along the direction, or half of it, with weights that would change their sign set to zero, if the
    // model shrinks.
    bool move_within_signs() {
        for (const double share : {1.0, 0.5, 0.25}) {
            Vector change(direction_), scores(direction_scores_);
            for (double& d : change) d *= share;
            for (double& s : scores) s *= share;
            for (std::size_t c = 0; c < free_.size(); ++c) {
                const double z = *free_[c].z;
                if (free_[c].l1 == 0 || z * (z + change[c]) > 0) continue;
                add_along(free_[c], -z - change[c], scores);
                change[c] = -z;
            }
            if (!(model_change(change, scores) < 0)) continue;
            move(change, scores);
            return true;
        }
        return false;
    }

    // What a change of the free coordinates, with these scores, adds to the model with the signs held.
    double model_change(const Vector& change, const Vector& scores) {
        curve(scores.data(), false);
        double linear = 0, square = 0;
        for (std::size_t c = 0; c < free_.size(); ++c) {
            linear += free_[c].slope * change[c];
            square += free_[c].l2 * change[c] * change[c];
        }
        for (std::size_t i = 0; i < scores.size(); ++i) square += scores[i] * curved_[i];
        return linear + 0.5 * square;
    }

    void move(const Vector& change, const Vector& scores) {
        const std::int64_t n = model_.n_rows, size = model_.n_outputs * n;
        for (std::size_t c = 0; c < free_.size(); ++c) {
            const double z = *free_[c].z, moved = z + change[c];
            const bool stops = free_[c].l1 > 0 && std::abs(moved) <= 1e-12 * std::abs(z);
            *free_[c].z = stops ? 0.0 : moved;
        }
        for (std::int64_t i = 0; i < size; ++i) {
            const double moved = scores[static_cast<std::size_t>(i)];
            model_.step[i] += model_.p ? moved : model_.h[i] * moved;
            if (model_.p) model_.mean[i % n] += model_.p[i] * moved;
        }
    }

    static constexpr double forcing = 0.03;  // the residual of conjugate gradient shrinks by this

    Columns<Value> x_;
    RowCopy<Value>& rows_;
    QuadraticModel model_;
    Pairs pairs_;
    BiasSteps bias_;
    bool careful_ = false, crossed_ = false;
    Vector direction_, direction_scores_, curved_;
    std::vector<Free> free_;
};

}  // namespace lindy
