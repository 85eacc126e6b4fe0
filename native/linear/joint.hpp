// Learning over joint features f(x, y): one weight vector, and for each example a group of candidate rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/csr.hpp"

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
    int variant;    // 0: PA, 1: PA-I, 2: PA-II
    bool max_loss;  // against the worst violation of the margin, otherwise against a wrong prediction
};

// τ of MIRA for a loss and D = ‖f(x,y) − f(x,ŷ)‖².
inline double joint_step(const JointRule& rule, double loss, double D) {
    if (!rule.passive_aggressive) return rule.eta;
    if (rule.variant == 2) return loss / (D + 1 / (2 * rule.C));
    if (D == 0) return 0;
    return rule.variant == 0 ? loss / D : std::min(rule.C, loss / D);
}

// Visits the examples of `order`; returns how many were predicted wrong. The mean of the weights after steps
// 1 … t is w − late / t, where late sums (step − 1)·change.
template <class Value>
std::int64_t joint_online(const Candidates<Value>& data, const JointRule& rule, const std::int64_t* order,
                          std::int64_t n_order, double* w, double* late, std::int64_t step) {
    std::int64_t mistakes = 0;
    for (std::int64_t t = 0; t < n_order; ++t, ++step) {
        const std::int64_t i = order[t], gold = data.gold[i];
        const double own = dot(data.rows.row(gold), w);
        std::int64_t best = -1, worst = -1;
        double best_score = 0, worst_loss = 0, best_loss = 0;
        for (std::int64_t c = data.starts[i]; c < data.starts[i + 1]; ++c) {
            const double score = c == gold ? own : dot(data.rows.row(c), w);
            const double loss = score - own + data.cost[c];
            if (best < 0 || score > best_score) best = c, best_score = score, best_loss = loss;
            if (c != gold && (worst < 0 || loss > worst_loss)) worst = c, worst_loss = loss;
        }
        mistakes += best != gold;
        const std::int64_t rival = rule.max_loss ? worst : best;
        const double loss = rule.max_loss ? worst_loss : best_loss;
        if (rival < 0 || rival == gold || (rule.passive_aggressive && !(loss > 0))) continue;
        const Row<Value> right = data.rows.row(gold), wrong = data.rows.row(rival);
        const double tau = joint_step(rule, loss, rule.passive_aggressive ? sq_distance(right, wrong) : 0);
        axpy(tau, right, w);
        axpy(-tau, wrong, w);
        const double later = static_cast<double>(step) * tau;
        axpy(later, right, late);
        axpy(-later, wrong, late);
    }
    return mistakes;
}

// One pass of dual ascent for  mean_i max_c (ρ_c + w·f_c − w·f_gold) + λ/2 ‖w‖²:  every example moves weight
// of its alpha (not negative, of sum 1) from its lowest to its highest gradient, a few times; w = scale · Σ_i
// Σ_c alpha_c (f_gold − f_c) with scale = 1/(λn) is kept up.
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
