// Cholesky factors with a fixed order of sums: H = LLᵀ in place, lower triangles, lines `stride` apart.
//
//     L_ij = (H_ij − Σ_{k<j} L_ik·L_jk) / L_jj,      L_jj = √(H_jj − Σ_{k<j} L_jk²)
//
// A column that those before it explain up to rounding errors gets L_jj = ∞: no solution moves along it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/isa.hpp"

#define LINDY_KERNELS "core/cholesky.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

inline void factor_cholesky(double* H, std::int64_t size, std::int64_t stride) {
    LINDY_SELECT(factor_lines)(H, size, stride);
}

// z ← H⁻¹·z.
inline void solve_cholesky(const double* L, std::int64_t size, std::int64_t stride, double* z) {
    LINDY_SELECT(solve_lines)(L, size, stride, z);
}

}  // namespace lindy
