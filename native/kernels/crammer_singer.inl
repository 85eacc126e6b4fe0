// The passes of kernels/crammer_singer.hpp, compiled once per instruction set.

// R_c ← R_c + step·K_i over all examples.
template <class K>
void add_row(double* __restrict__ r, const K* __restrict__ row, double step, std::int64_t n) {
    for (std::int64_t j = 0; j < n; ++j) r[j] += step * static_cast<double>(row[j]);
}

// gap_j = C_j·max_c R_c[j] − Σ_c Z_c[j]·R_c[j]; top is room for n numbers.
inline void crammer_gaps(const double* r, const double* z, const double* C, std::int64_t n,
                         std::int64_t classes, double* __restrict__ top, double* __restrict__ gap) {
    for (std::int64_t j = 0; j < n; ++j) top[j] = r[j], gap[j] = -z[j] * r[j];
    for (std::int64_t c = 1; c < classes; ++c) {
        const double* rc = r + c * n;
        const double* zc = z + c * n;
        for (std::int64_t j = 0; j < n; ++j) {
            top[j] = rc[j] > top[j] ? rc[j] : top[j];
            gap[j] -= zc[j] * rc[j];
        }
    }
    for (std::int64_t j = 0; j < n; ++j) gap[j] += C[j] * top[j];
}
