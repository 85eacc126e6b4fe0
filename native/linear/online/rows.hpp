// What surrounds the online loop: keys of rows, the weights a run ends with, the vote of all weights it met.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/csr.hpp"
#include "core/threads.hpp"

namespace lindy {

inline std::uint64_t mix(std::uint64_t h) {
    h = (h ^ (h >> 32)) * 0x94d049bb133111ebu;
    return h ^ (h >> 29);
}

// The product of the low halves.
inline std::uint64_t low_product(std::uint64_t a, std::uint64_t b) {
    return (a & 0xffffffffu) * (b & 0xffffffffu);
}

// Two rounds, so that no sum of these is linear in the values; a zero is not there.
inline std::uint64_t mixed(std::uint32_t column, double value) {
    std::uint64_t h =
        std::bit_cast<std::uint64_t>(value) ^ low_product(column + std::uint64_t{1}, 0x9e3779b1u);
    h ^= low_product(h, h >> 32) + (h << 7);
    return value != 0 ? low_product(h ^ 0x85ebca77u, h >> 32) : 0;
}

// ‖x‖², added up in eight parts.
template <class Value>
double sq_norm_in_parts(Row<Value> row) {
    double squares[8] = {};
    for (std::ptrdiff_t k = 0; k < row.size; ++k) {
        const auto v = static_cast<double>(row.value[k]);
        squares[k % 8] += v * v;
    }
    return ((squares[0] + squares[4]) + (squares[1] + squares[5])) +
           ((squares[2] + squares[6]) + (squares[3] + squares[7]));
}

// key[i] depends on the label and the nonzeros of row i, in whatever order they are stored, and on nothing
// else; sq_norm[i] = ‖x_i‖².
template <class Value>
void row_keys(CsrView<Value> x, const std::int32_t* y, std::uint64_t* key, double* sq_norm) {
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        const Row<Value> row = x.row(i);
        std::uint64_t h = mix(static_cast<std::uint64_t>(y[i]) + 0x9e3779b97f4a7c15u);
        for (std::ptrdiff_t k = 0; k < row.size; ++k)
            h += mixed(static_cast<std::uint32_t>(row.index[k]), static_cast<double>(row.value[k]));
        key[i] = mix(h);
        sq_norm[i] = sq_norm_in_parts(row);
    }
}

template <class Value>
bool same_row(Row<Value> p, Row<Value> q) {
    if (p.size != q.size) return false;
    for (std::ptrdiff_t k = 0; k < p.size; ++k)
        if (p.index[k] != q.index[k] || p.value[k] != q.value[k]) return false;
    return true;
}

// repeats[j] = 1 if the row order[j] is stored as order[j−1] is and has its label.
template <class Value>
void repeated_rows(CsrView<Value> x, const std::int32_t* y, const std::int32_t* order, std::int64_t count,
                   bool* repeats) {
    for (std::int64_t j = 0; j < count; ++j)
        repeats[j] =
            j > 0 && y[order[j]] == y[order[j - 1]] && same_row(x.row(order[j]), x.row(order[j - 1]));
}

// out = factor_k · W − U/total, without U factor_k · W; out may be W.
template <class Weight>
void online_weights(std::int64_t n_features, std::int64_t K, const Weight* W, const Weight* U,
                    const double* factor, double total, Weight* out) {
    for (std::int64_t j = 0; j < n_features; ++j)
        for (std::int64_t k = 0; k < K; ++k) {
            const std::int64_t at = j * K + k;
            const double w = factor[k] * static_cast<double>(W[at]);
            out[at] = static_cast<Weight>(U ? w - static_cast<double>(U[at]) / total : w);
        }
}

// The changes of a perceptron: class up[m] gained and down[m] lost step[m] · (x_row[m], 1), and the weights
// that resulted lived for life[m].
struct Votes {
    std::int64_t size;
    const std::int64_t* row;
    const std::int32_t *up, *down;
    const double *step, *life;
    int n_classes;
    bool bias;
};

// votes[i, k] = the time for which the weights gave row i of x the label k; `first_life` is that of the zero
// weights.
template <class Value, class Support>
void vote(CsrView<Value> x, CsrView<Support> support, const Votes& votes, double first_life, double* out,
          int n_threads) {
    parallel_chunks(x.n_rows, n_threads, [&](std::int64_t i) {
        const int K = votes.n_classes;
        std::vector<double> dense(static_cast<std::size_t>(x.n_columns), 0.0),
            score(static_cast<std::size_t>(K), 0.0);
        const Row<Value> row = x.row(i);
        for (std::ptrdiff_t k = 0; k < row.size; ++k)
            dense[static_cast<std::size_t>(row.index[k])] = row.value[k];
        double* own = out + i * K;
        own[K == 2 ? 1 : 0] += first_life;  // a tie goes to class 1 of two, otherwise to the first
        for (std::int64_t m = 0; m < votes.size; ++m) {
            const double change =
                votes.step[m] * (dot(support.row(votes.row[m]), dense.data()) + (votes.bias ? 1 : 0));
            int best = 0;
            if (K == 2) {
                score[0] += votes.up[m] == 1 ? change : -change;
                best = score[0] >= 0 ? 1 : 0;
            } else {
                score[static_cast<std::size_t>(votes.up[m])] += change;
                score[static_cast<std::size_t>(votes.down[m])] -= change;
                for (int k = 1; k < K; ++k)
                    if (score[static_cast<std::size_t>(k)] > score[static_cast<std::size_t>(best)]) best = k;
            }
            own[best] += votes.life[m];
        }
    });
}

}  // namespace lindy
