// The quadratic model of one output in its own coordinates: when the working set is small and the outputs are
// independent, the matrix H = XᵀDX of the model (linear/primal/gram.hpp) is formed once, and coordinate
// descent needs no rows any more.
#pragma once

#include <vector>

#include "core/isa.hpp"
#include "linear/primal/coordinate.hpp"

namespace lindy {

// minimise  slope·Δ + ½·Δᵀ·H·Δ + ½·Σ l2·(w + Δ)² + Σ l1·|w + Δ|  over `size` coordinates with their own
// penalties.
template <class Entry>
struct GramModel {
    std::int64_t size;
    const Entry* H;
    const double* slope;
    const double* l1;
    const double* l2;
};

}  // namespace lindy

// descend_gram(model, w, tolerance, max_epochs): w becomes w + Δ. Ends when the violations of an epoch sum to
// at most `tolerance`; returns the epochs.
#define LINDY_KERNELS "linear/primal/gram_descent.inl"
#include "core/for_each_isa.hpp"
