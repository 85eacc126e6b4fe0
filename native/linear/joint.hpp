// Learning over joint features f(x, y): one weight vector, and for each example a group of candidate rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/csr.hpp"
#include "linear/online/online.hpp"

namespace lindy {

// Example i has the rows starts[i] … starts[i+1]−1, each a candidate; gold[i] is the row of the right one.
// cost[row] is ρ(candidate, gold) ≥ 0, and 0 for the gold row. Columns increase within a row.
template <class Value>
struct Candidates {
    CsrView<Value> rows;
    const std::int64_t* starts;
    const std::int64_t* gold;
    const double* cost;
};

template <class Value>
inline double dot_rows(Row<Value> a, Row<Value> b) {
    double sum = 0;
    std::ptrdiff_t i = 0, j = 0;
    while (i < a.size && j < b.size) {
        if (a.index[i] == b.index[j])
            sum += static_cast<double>(a.value[i++]) * static_cast<double>(b.value[j++]);
        else if (a.index[i] < b.index[j])
            ++i;
        else
            ++j;
    }
    return sum;
}

// ‖a − b‖²
template <class Value>
inline double sq_distance(Row<Value> a, Row<Value> b) {
    return std::max(sq_norm(a) + sq_norm(b) - 2 * dot_rows(a, b), 0.0);
}

struct JointRule {
    bool passive_aggressive;  // otherwise the perceptron, with steps of eta
    double eta;
    double C;
    Aggression aggression;
    Constraints constraints;
    std::int64_t k;  // of k_best
};

// τ of MIRA for a loss and D = ‖f(x,y) − f(x,ŷ)‖².
inline double joint_step(const JointRule& rule, double loss, double D) {
    if (!rule.passive_aggressive) return rule.eta;
    const double more = rule.aggression == Aggression::pa2 ? 1 / (2 * rule.C) : 0;
    if (D + more == 0) return 0;
    return rule.aggression == Aggression::pa1 ? std::min(rule.C, loss / D) : loss / (D + more);
}

// The smallest change of w that meets several constraints w·d_c ≥ ρ_c at once, d_c = f(x,y) − f(x,c), up to
// the slack that C allows (McDonald). Dual, with ℓ_c = ρ_c − w·d_c and the products G_ce = d_c·d_e:
//     max Σ α_c ℓ_c − ½ αᵀGα,  α ≥ 0   (PA-I: Σα ≤ C;  PA-II: 1/(2C) is added to all of G)
// Ascent that moves weight between the two whose gradients differ most; what is left of C is one of them,
// with the gradient 0.
class JointConstraints {
  public:
    std::vector<std::int64_t> rows;  // of the candidates
    std::vector<double> alpha;

    // Takes the constraints of the rows; those whose features are all the right one's cannot be met, and go.
    template <class Value>
    void take(const Candidates<Value>& data, std::int64_t gold, double softness) {
        const Row<Value> right = data.rows.row(gold);
        std::erase_if(rows,
                      [&](std::int64_t c) { return c == gold || sq_distance(right, data.rows.row(c)) == 0; });
        const std::size_t m = rows.size();
        std::vector<double> with_right(m);
        for (std::size_t c = 0; c < m; ++c) with_right[c] = dot_rows(right, data.rows.row(rows[c]));
        products_.resize(m * m);
        for (std::size_t c = 0; c < m; ++c)
            for (std::size_t e = 0; e <= c; ++e)
                products_[c * m + e] = products_[e * m + c] =
                    sq_norm(right) - with_right[c] - with_right[e] + softness +
                    dot_rows(data.rows.row(rows[c]), data.rows.row(rows[e]));
    }

    // Finds alpha for the losses ℓ; false if no finite change meets the constraints.
    bool solve(std::vector<double> gradient, double cap) {
        const auto m = static_cast<std::ptrdiff_t>(rows.size());
        alpha.assign(rows.size(), 0.0);
        const double most = *std::max_element(gradient.begin(), gradient.end());
        double left = cap, slope = 0;
        for (std::ptrdiff_t move = 0; move < moves_per_constraint * m; ++move) {
            std::ptrdiff_t up = rest, down = rest;
            for (std::ptrdiff_t c = 0; c < m; ++c) {
                if (gradient[c] > value(gradient, up)) up = c;
                const bool lower = down == rest && !(left > 0) ? true : gradient[c] < value(gradient, down);
                if (alpha[c] > 0 && lower) down = c;
            }
            slope = value(gradient, up) - value(gradient, down);
            if (up == down || !(slope > close * most)) return true;
            const double curvature = product(up, up) + product(down, down) - 2 * product(up, down);
            double& room = down == rest ? left : alpha[down];
            const double delta = slope >= room * std::max(curvature, 0.0) ? room : slope / curvature;
            if (!std::isfinite(delta)) return false;
            room -= delta;
            (up == rest ? left : alpha[up]) += delta;
            for (std::ptrdiff_t c = 0; c < m; ++c) gradient[c] -= delta * (product(c, up) - product(c, down));
        }
        return std::isfinite(cap) || slope <= rough * most;
    }

  private:
    static constexpr std::ptrdiff_t rest = -1, moves_per_constraint = 1000;
    static constexpr double close = 1e-10, rough = 1e-3;  // shares of the largest loss

    static double value(const std::vector<double>& gradient, std::ptrdiff_t c) {
        return c == rest ? 0.0 : gradient[c];
    }
    double product(std::ptrdiff_t c, std::ptrdiff_t e) const {
        return c == rest || e == rest ? 0.0 : products_[c * static_cast<std::ptrdiff_t>(rows.size()) + e];
    }

    std::vector<double> products_;
};

// One online learner over candidates; the mean of the weights after steps 1 … t is w − late / t, where late
// sums (step − 1)·change.
template <class Value>
class JointOnline {
  public:
    std::int64_t mistakes = 0, impossible = -1;  // the example whose constraints no finite change meets

    JointOnline(const Candidates<Value>& data_, const JointRule& rule_, double* w_, double* late_,
                std::int64_t step_)
        : data(data_), rule(rule_), w(w_), late(late_), step(step_) {}

    void run(const std::int64_t* order, std::int64_t n_order) {
        const bool several = rule.passive_aggressive && (rule.constraints == Constraints::k_best ||
                                                         rule.constraints == Constraints::all);
        for (std::int64_t t = 0; t < n_order && impossible < 0; ++t, ++step) {
            score(order[t]);
            if (several)
                against_several(order[t]);
            else
                against_one(order[t]);
        }
    }

  private:
    const Candidates<Value>& data;
    const JointRule& rule;
    double *w, *late;
    std::int64_t step;
    std::vector<double> scores_;
    std::int64_t best_ = 0;  // the candidate with the highest score, from the example's first on
    JointConstraints constraints_;

    void score(std::int64_t i) {
        const std::int64_t begin = data.starts[i], size = data.starts[i + 1] - begin;
        scores_.resize(static_cast<std::size_t>(size));
        for (std::int64_t c = 0; c < size; ++c) scores_[c] = dot(data.rows.row(begin + c), w);
        best_ = std::max_element(scores_.begin(), scores_.end()) - scores_.begin();
        mistakes += begin + best_ != data.gold[i];
    }

    double loss(std::int64_t i, std::int64_t c) const {
        return scores_[c] - scores_[data.gold[i] - data.starts[i]] + data.cost[data.starts[i] + c];
    }

    void against_one(std::int64_t i) {
        const std::int64_t begin = data.starts[i], gold = data.gold[i];
        std::int64_t rival = best_;
        if (rule.constraints == Constraints::max_loss) {
            rival = gold - begin;
            for (std::int64_t c = 0; c < data.starts[i + 1] - begin; ++c)
                if (begin + c != gold && (begin + rival == gold || loss(i, c) > loss(i, rival))) rival = c;
        }
        if (begin + rival == gold || (rule.passive_aggressive && !(loss(i, rival) > 0))) return;
        const Row<Value> right = data.rows.row(gold), wrong = data.rows.row(begin + rival);
        const double tau =
            joint_step(rule, loss(i, rival), rule.passive_aggressive ? sq_distance(right, wrong) : 0);
        move(tau, right);
        move(-tau, wrong);
    }

    void against_several(std::int64_t i) {
        const std::int64_t begin = data.starts[i], gold = data.gold[i];
        auto& rows = constraints_.rows;
        rows.resize(scores_.size());
        std::iota(rows.begin(), rows.end(), begin);
        if (rule.constraints == Constraints::k_best && rule.k < static_cast<std::int64_t>(rows.size())) {
            std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
                return scores_[a - begin] > scores_[b - begin];
            });
            rows.resize(static_cast<std::size_t>(rule.k));
        }
        if (std::none_of(rows.begin(), rows.end(), [&](std::int64_t c) { return loss(i, c - begin) > 0; }))
            return;
        constraints_.take(data, gold, rule.aggression == Aggression::pa2 ? 1 / (2 * rule.C) : 0);
        if (rows.empty()) return;
        std::vector<double> losses;
        for (const std::int64_t c : rows) losses.push_back(loss(i, c - begin));
        const double cap =
            rule.aggression == Aggression::pa1 ? rule.C : std::numeric_limits<double>::infinity();
        if (!constraints_.solve(std::move(losses), cap)) {
            impossible = i;
            return;
        }
        for (std::size_t c = 0; c < rows.size(); ++c) {
            if (constraints_.alpha[c] == 0) continue;
            move(constraints_.alpha[c], data.rows.row(gold));
            move(-constraints_.alpha[c], data.rows.row(rows[c]));
        }
    }

    void move(double by, Row<Value> row) {
        axpy(by, row, w);
        axpy(static_cast<double>(step) * by, row, late);
    }
};

// One pass of dual ascent for  mean_i max_c (ρ_c + w·f_c − w·f_gold) + λ/2 ‖w‖²:  every example moves weight
// of its alpha (not negative, of sum 1) from its lowest to its highest gradient, a few times;
// w = scale · Σ_i Σ_c alpha_c (f_gold − f_c) with scale = 1/(λn) is kept up.
template <class Value>
void joint_dual(const Candidates<Value>& data, double scale, const std::int64_t* order, std::int64_t n_order,
                double* alpha, double* w, int moves) {
    std::vector<double> gradient;
    for (std::int64_t t = 0; t < n_order; ++t) {
        const std::int64_t i = order[t], begin = data.starts[i], size = data.starts[i + 1] - begin;
        gradient.resize(static_cast<std::size_t>(size));
        for (int move = 0; move < moves; ++move) {
            std::int64_t up = 0, down = -1;
            for (std::int64_t c = 0; c < size; ++c) {
                gradient[c] = dot(data.rows.row(begin + c), w) + data.cost[begin + c];
                if (gradient[c] > gradient[up]) up = c;
                if (alpha[begin + c] > 0 && (down < 0 || gradient[c] < gradient[down])) down = c;
            }
            const double slope = gradient[up] - gradient[down];
            if (up == down || !(slope > 0)) break;
            const Row<Value> rising = data.rows.row(begin + up), falling = data.rows.row(begin + down);
            const double curvature = scale * sq_distance(rising, falling);
            const double room = alpha[begin + down];
            const double delta = slope >= room * curvature ? room : slope / curvature;
            alpha[begin + up] += delta;
            alpha[begin + down] = delta == room ? 0 : room - delta;
            axpy(scale * delta, falling, w);
            axpy(-scale * delta, rising, w);
        }
    }
}

// out += Σ_row share[row] · x_row
template <class Value>
void sum_rows(CsrView<Value> rows, const double* share, double* out) {
    for (std::int64_t i = 0; i < rows.n_rows; ++i)
        if (share[i] != 0) axpy(share[i], rows.row(i), out);
}

}  // namespace lindy
