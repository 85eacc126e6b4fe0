// Dual coordinate ascent: what one pass over the rows works on.
//
// The problem, with C_i = weight_i / (l2·Σ weight), is
//
//     min_{W,b}  ½‖W‖² + Σ_i C_i·loss(xᵢᵀW + b; y_i)
//
// and every row has dual variables, one per output, kept in `dual` (rows × stride):
//
//     hinge, squared hinge, one-vs-rest log     α ≥ 0,       W_k = Σ_i s_ik·α_ik·x_i      (s = ±1)
//     multiclass hinge (Crammer–Singer)         z ∈ C_i·Δ,   W_k = Σ_i (C_i·[k = y_i] − z_ik)·x_i
//     softmax                                   p ∈ Δ,       W_k = Σ_i C_i·([k = y_i] − p_ik)·x_i
//
// One step solves the problem of one row exactly (or, for the log losses, by a few safeguarded Newton steps)
// with all outputs at once: W is feature-major, so a stored value meets all outputs in one place.
// The duality gap is a sum of Fenchel–Young terms, one per row, none of them negative:
//
//     P(W) − D(α) = Σ_i [C_i·loss(o_i) + C_i·loss*(−α_i/C_i) + ⟨α_i, o_i⟩]  + ½‖W − W(α)‖²
//
// so a row's own term tells how much is to be gained from visiting it.
//
// Hsieh et al., A dual coordinate descent method for large-scale linear SVM, 2008; Keerthi et al., A
// sequential dual method for large scale multi-class linear SVMs, 2008; Yu et al., Dual coordinate descent
// methods for logistic regression and maximum entropy models, 2011.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/csr.hpp"

namespace lindy {

inline bool switched_off(const char* what) {
    const char* off = std::getenv("LINDY_OFF");
    return off != nullptr && std::strcmp(off, what) == 0;
}

template <class Value, class Weight>
struct DualPass {
    CsrView<Value> x;
    const std::int32_t* y;   // class numbers; with one output, class 1 is the positive one
    const double* c;         // C_i
    const double* q;         // ‖x_i‖², the diagonal of the dual's quadratic form, without the bias
    const double* cost;      // ρ[k·K + y] for the multiclass hinge; two entries (one output) for the hinge
    std::int64_t n_outputs;  // K
    std::int64_t stride;     // K rounded up to a multiple of 4 (1 for one output): the rows of w and dual
    Weight* w;               // columns × stride
    Weight* b;               // stride
    double bias_step;        // the squared value of the constant feature behind b; 0 without a bias
    double lead;             // by how much w is taken to grow until all rows have been seen; after that 1
    Weight* dual;            // rows × stride
    double* gap;             // one Fenchel–Young term per row
    double* loss;            // C_i·loss per row; only an audit writes it
};

// The functions for one loss, compiled for one instruction-set level.
template <class Value, class Weight>
struct DualKernels {
    void (*pass)(const DualPass<Value, Weight>&, const std::int32_t* order, std::int64_t n) = nullptr;
    void (*audit)(const DualPass<Value, Weight>&, std::int64_t begin, std::int64_t end) = nullptr;
    void (*rebuild)(const DualPass<Value, Weight>&) = nullptr;
};

}  // namespace lindy
