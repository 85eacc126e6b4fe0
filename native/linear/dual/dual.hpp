// Dual coordinate ascent: the arrays of a problem, and what one pass over its rows is told.
//
// The problem, with C_i = weight_i / (l2·Σ weight), is
//
//     min_{W,b}  ½‖W‖² + Σ_i C_i·loss(xᵢᵀW + b; y_i)
//
// and every row has dual variables, one per output, kept in `dual` (rows × stride):
//
//     margin losses, one per output       0 ≤ α (≤ C_i),   W_k = Σ_i s_ik·α_ik·x_i      (s = ±1)
//     joint losses of several classes     z ∈ C_i·Δ,       W_k = Σ_i (C_i·[k = y_i] − z_ik)·x_i
//
// One step solves for the variables of one row, all outputs at once (linear/losses.inl): W is feature-major,
// so that a stored value meets all outputs in one place. The duality gap is a sum of terms, one per row and
// none of them negative, so a row's own term tells how much is to be gained from visiting it:
//
//     P(W) − D(α) = Σ_i [C_i·loss(o_i) + C_i·loss*(−α_i/C_i) + ⟨α_i, o_i⟩]  + ½‖W − W(α)‖²
//
// A penalty may weigh every weight by itself, ½‖W / S‖² with scales S (columns × outputs): the problem of
// output k over the rows s_k ∘ x_i. W stays the weights of the rows as they are, an update becomes
// w_jk += a·s²_jk·x_ij and the diagonal Σ_j s²_jk·x²_ij, so that one pass over a row still serves all
// outputs.
//
// Hsieh et al., A dual coordinate descent method for large-scale linear SVM, 2008; Keerthi et al., A
// sequential dual method for large scale multi-class linear SVMs, 2008; Yu et al., Dual coordinate descent
// methods for logistic regression and maximum entropy models, 2011.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/csr.hpp"

namespace lindy {

template <class Value, class Weight>
struct DualPass {
    CsrView<Value> x;
    const std::int32_t* y;  // class numbers; with one output, class 1 is the positive one
    const std::int64_t*
        label_ends;          // null: one label per row; else row i has y[label_ends[i]] … up to the next
    const double* c;         // C_i
    const double* q;         // ‖x_i‖², the diagonal of the dual's quadratic form, without the bias
    std::int64_t q_stride;   // 1, or the stride where every output has scales, and so a diagonal, of its own
    const Weight* scale;     // s², columns × stride; null where all are 1
    const double* cost;      // per true class, the margin asked for of each output (one output: of its own)
    std::int64_t n_outputs;  // K
    std::int64_t stride;     // K rounded up to a multiple of 4 (1 for one output): the rows of w and dual
    Weight* w;               // columns × stride
    Weight* b;               // stride
    Weight* dual;            // rows × stride
    double* gap;             // one term per row
    double* loss;            // C_i·loss per row; only an audit writes it
    double bias_step = 0;    // the squared value of the constant feature behind b; 0 without a bias
    double lead = 1;         // by how much w is taken to grow until all rows have been seen

    // The labels of row i, for losses with an output of their own for each label.
    std::span<const std::int32_t> labels(std::int64_t i) const {
        if (!label_ends) return {y + i, 1};
        return {y + label_ends[i], y + label_ends[i + 1]};
    }
    bool has_label(std::int64_t i, std::int64_t k) const {
        const auto own = labels(i);
        return std::find(own.begin(), own.end(), static_cast<std::int32_t>(k)) != own.end();
    }

    // The diagonal of row i (of one of its outputs); rows without values get some, as a divisor.
    Weight diagonal(std::int64_t i, std::int64_t k = 0) const {
        const double diagonal = q[i * q_stride + k] + bias_step;
        return static_cast<Weight>(diagonal > 1e-30 ? diagonal : 1e-30);
    }
};

// The functions for one loss, compiled for one instruction-set level.
template <class Value, class Weight>
struct DualKernels {
    void (*pass)(const DualPass<Value, Weight>&, const std::int32_t* order, std::int64_t n);
    void (*audit)(const DualPass<Value, Weight>&, std::int64_t begin, std::int64_t end, double* output_gap);
    void (*rebuild)(const DualPass<Value, Weight>&);
};

}  // namespace lindy
