// One pass of dual coordinate ascent over the rows of a partition, one after the other (Hsieh et al. 2008),
// for the hinge:
//
//     problem   min ½‖W‖² + Σ_i C_i·Σ_k max(0, 1 − s_ik·w_k·x_i),   w_k = Σ_i s_ik·α_ik·x_i,   0 ≤ α_ik ≤ C_i
//     step      α as ``Hinge::step`` has it,   w ← w + (change of α)·s·x
//
// W is that of all partitions. A bias is a column of ones.
#pragma once

#include "core/csr.hpp"
#include "linear/losses.hpp"

namespace lindy {

struct LocalPass {
    const std::int32_t* y;      // class numbers
    const double* C;            // per row
    const std::int32_t* order;  // the rows to visit, one after the other
    std::int64_t n_visits;
    std::int64_t n_outputs;
    bool bias;
};

// V is (columns + bias) × outputs, alpha rows × outputs; both are changed.
template <class Value>
void visit_rows(CsrView<Value> x, const LocalPass& pass, double* alpha, double* V) {
    const std::int64_t K = pass.n_outputs;
    for (std::int64_t visit = 0; visit < pass.n_visits; ++visit) {
        const std::int64_t i = pass.order[visit];
        const Row<Value> row = x.row(i);
        double square = pass.bias ? 1.0 : 0.0;
        for (std::ptrdiff_t k = 0; k < row.size; ++k)
            square += static_cast<double>(row.value[k]) * static_cast<double>(row.value[k]);
        for (std::int64_t c = 0; c < K; ++c) {
            const double s = (K == 1 ? pass.y[i] == 1 : pass.y[i] == c) ? 1.0 : -1.0;
            double score = pass.bias ? V[x.n_columns * K + c] : 0.0;
            for (std::ptrdiff_t k = 0; k < row.size; ++k)
                score += static_cast<double>(row.value[k]) * V[row.index[k] * K + c];
            const double old = alpha[i * K + c], margin = s * score;
            const losses::DualRow<double> at{square, pass.C[i], 1.0, 0.0};
            const double edge = margin < 1 ? pass.C[i] : 0.0;  // where no step changes the margin
            const double now = square > 0 ? losses::Hinge::step(margin, old, at).alpha : edge;
            if (now == old) continue;
            const double step = s * (now - old);
            for (std::ptrdiff_t k = 0; k < row.size; ++k)
                V[row.index[k] * K + c] += step * static_cast<double>(row.value[k]);
            if (pass.bias) V[x.n_columns * K + c] += step;
            alpha[i * K + c] = now;
        }
    }
}

}  // namespace lindy
